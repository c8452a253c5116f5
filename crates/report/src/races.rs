//! The data races of a program, and whether they do harm.

use program::{Program, RacyAccess, Span};
use serde_json::{Value as Json, json};

use crate::words;

/// The data races of a program.
#[derive(Clone, Debug)]
pub struct Races<'a> {
    /// The program.
    pub program: &'a Program,
    /// The machine whose executions were looked at.
    pub machine: &'a str,
    /// The races.
    pub races: Vec<Race<'a>>,
    /// What is known about them together.
    pub effect: &'a Effect,
    /// Why there may be more, if so.
    pub incomplete: Option<&'a str>,
    /// Why there may be more that only executions have which are not sequentially consistent, if those were looked for.
    pub beyond_incomplete: Option<&'a str>,
    /// How they were looked for.
    pub explored: Explored,
}

/// What is known of a race that no sequentially consistent execution has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Java allows an execution that has it.
    Allowed,
    /// It was found from above, where there are executions that Java forbids.
    Possible,
}

/// A race.
#[derive(Clone, Debug)]
pub struct Race<'a> {
    /// The name of the cell.
    pub cell: &'a str,
    /// The accesses, in the order of the execution found.
    pub accesses: [&'a RacyAccess; 2],
    /// The schedule of the execution found.
    pub schedule: String,
    /// Its steps, as a table.
    pub steps: String,
    /// Whether it exists only outside of sc.
    pub beyond: Option<Beyond>,
}

/// What is known about the races of a program together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// There is none.
    None,
    /// They do no harm.
    Benign,
    /// They may do harm; why, if that was asked.
    Open(Option<String>),
}

/// How races were looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explored {
    /// By looking at so many states.
    States(u64),
    /// By classes of executions.
    Classes {
        /// So many executions were run,
        executions: u64,
        /// of so many classes,
        classes: u64,
        /// with so many states,
        states: u64,
        /// and so many questions to the solver.
        solver_queries: u64,
    },
}

/// The races in words; of several, the steps of one only.
pub fn text(found: &Races<'_>, only: Option<usize>) -> String {
    let name = &found.program.name;
    let on = if found.machine == "sc" { String::new() } else { format!(" on {}", found.machine) };
    let beyond = found.races.iter().filter(|race| race.beyond.is_some()).count();
    let mut text = match found.races.len() - beyond {
        0 if found.incomplete.is_some() => format!("No data race was found in {name}{on}.\n"),
        0 => format!("{name} has no data race{on}.\n"),
        1 => format!("{name} has a data race{on}.\n"),
        count => format!("{name} has {count} data races{on}.\n"),
    };
    if beyond > 0 {
        let races = if beyond == 1 { "1 more exists".into() } else { format!("{beyond} more exist") };
        text.push_str(&format!("{races} only in executions that are not sequentially consistent.\n"));
    }
    words::tearing(found.program).into_iter().for_each(|line| text.push_str(&format!("{line}\n")));
    for (number, race) in shown(found, only) {
        let sides = race.accesses.map(|side| access(found.program, side)).concat();
        let outside = match race.beyond {
            None => "",
            Some(Beyond::Allowed) => ", only outside of sc",
            Some(Beyond::Possible) => ", only outside of sc (possible, not confirmed)",
        };
        text.push_str(&format!("\n{number}. On {}{outside}:\n{sides}", race.cell));
        if only.is_some() || found.races.len() == 1 {
            text.push_str(&format!("\n{}", race.steps));
        }
    }
    if only.is_none() && found.races.len() > 1 {
        text.push_str("\nThe steps to each are shown by --race N, and written down by --schedule.\n");
    }
    text.push_str(&effect(found.effect));
    if let Some(reason) = found.incomplete {
        text.push_str(&format!("\nNot all executions were looked at: {reason}.\n"));
    }
    if let Some(reason) = found.beyond_incomplete {
        text.push_str(&format!("\nNot all executions outside of sc were looked at for races: {reason}.\n"));
    }
    text.push_str(&match found.explored {
        Explored::States(states) => format!("\nExplored: {states} states.\n"),
        Explored::Classes { executions, classes, solver_queries, .. } => {
            format!(
                "\nExplored: {executions} executions of {classes} classes; {solver_queries} queries to the solver.\n"
            )
        }
    });
    text
}

/// The races that are to be shown, by number from 1.
fn shown<'a>(found: &'a Races<'a>, only: Option<usize>) -> impl Iterator<Item = (usize, &'a Race<'a>)> {
    (1..).zip(&found.races).filter(move |(number, _)| only.is_none_or(|only| only == *number))
}

fn effect(effect: &Effect) -> String {
    match effect {
        Effect::None => String::new(),
        Effect::Benign => {
            "\nBenign: its assertions hold in every execution that Java allows (machine jmm_over).\n".into()
        }
        Effect::Open(None) => "\nA program with data races has no meaning by the rules of C11.\n".into(),
        Effect::Open(Some(why)) => format!("\nNot shown to be benign; {why}.\n"),
    }
}

/// The active calls without the functions that a front end starts threads with.
fn calls<'a>(program: &Program, access: &'a RacyAccess) -> Vec<(&'a str, Option<Span>)> {
    let mut calls: Vec<(&str, Option<Span>)> = Vec::new();
    for (function, from) in &access.stack {
        if !program.language.hides_call(function) {
            calls.push((function, *from));
        } else if let Some((_, from)) = calls.last_mut() {
            *from = None;
        }
    }
    calls
}

fn access(program: &Program, access: &RacyAccess) -> String {
    let place =
        |span: Option<Span>| span.map_or("an unknown place".into(), |span| program.sources.location(span).to_string());
    let verb = if access.writes { "writes" } else { "reads" };
    let mut text = format!("  {} {verb} at {}\n", access.thread, place(access.span));
    for (function, from) in calls(program, access) {
        let from = from.map_or(String::new(), |_| format!(", called at {}", place(from)));
        text.push_str(&format!("    in {function}{from}\n"));
    }
    text
}

/// The races for scripts.
pub fn json(found: &Races<'_>, only: Option<usize>) -> Json {
    let program = found.program;
    let place = |span: Option<Span>| span.map(|span| program.sources.location(span).to_string());
    let access = |access: &RacyAccess| {
        let stack = calls(program, access)
            .into_iter()
            .map(|(function, from)| json!({ "function": function, "from": place(from) }));
        json!({
            "thread": access.thread,
            "writes": access.writes,
            "place": place(access.span),
            "stack": stack.collect::<Vec<Json>>(),
        })
    };
    let race = |(number, race): (usize, &Race)| {
        let accesses = race.accesses.map(access);
        let beyond = race.beyond.map(|beyond| match beyond {
            Beyond::Allowed => "allowed",
            Beyond::Possible => "possible",
        });
        let (cell, schedule) = (race.cell, &race.schedule);
        json!({ "number": number, "cell": cell, "accesses": accesses, "beyond_sc": beyond, "schedule": schedule })
    };
    let (states, classes) = match found.explored {
        Explored::States(states) => (states, None),
        Explored::Classes { executions, classes, states, solver_queries } => {
            (states, Some((executions, classes, solver_queries)))
        }
    };
    json!({
        "schema": 1,
        "program": program.name,
        "model": found.machine,
        "races": shown(found, only).map(race).collect::<Vec<Json>>(),
        "benign": match found.effect {
            Effect::None => Json::Null,
            Effect::Benign => json!(true),
            Effect::Open(_) => json!(false),
        },
        "why": match found.effect { Effect::Open(why) => why.clone(), _ => None },
        "tearing": program.looks_for_tearing(),
        "incomplete": found.incomplete,
        "beyond_incomplete": found.beyond_incomplete,
        "states": states,
        "executions": classes.map(|(executions, ..)| executions),
        "classes": classes.map(|(_, classes, _)| classes),
        "solver_queries": classes.map(|(.., solver_queries)| solver_queries),
    })
}
