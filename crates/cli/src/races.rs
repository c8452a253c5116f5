//! The command `races`: the data races of a program; those of a Java program are benign if its assertions hold on the
//! machine jmm_over, which has all executions that Java allows.

use operational::mcr::explore::{Budget, Figures};
use operational::{Limits, Machine, Options, Race, Races, RacyAccess, Rules, mcr, schedule};
use program::{Unsupported, Verdict, Verified};
use serde_json::{Value as Json, json};

use crate::arguments::{self, RaceEngine, RaceRules, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::input;
use crate::limits::{Guard, Watch, watched};
use crate::operational::{limits, program_of};
use crate::origin;
use crate::progress::with_spinner;
use crate::replay;
use crate::supervise;
use crate::workers::Processors;

/// With the engine mcr no more states than this are searched to find out whether races are benign: it is used where there are
/// too many.
const MOST_STATES: u64 = 20_000;

/// The races, and what the engine mcr explored.
struct Found {
    races: Races,
    figures: Option<Figures>,
}

/// What is known about the races together.
enum Effect {
    /// There is none.
    None,
    /// They do no harm.
    Benign,
    /// They may do harm; why, if that was asked.
    Open(Option<String>),
}

/// The command `races`. Exit code 0 if there is none, or if they are benign.
pub fn races(arguments: &arguments::Races) -> Result<Exit, Failure> {
    if arguments.engine == RaceEngine::Operational && (arguments.max_executions.is_some() || arguments.jobs.is_some()) {
        return Err(Failure::Message("--max-executions and --jobs are for --engine mcr".into()));
    }
    offer(arguments, &input::nothing_read(&arguments.file)?);
    let program = program_of(&arguments.file, &arguments.c, Machine::Sc, None)?;
    offer(arguments, &program);
    let is_java = input::is_java(&arguments.file);
    let rules = match arguments.rules {
        Some(RaceRules::Jmm) => Rules::Jmm,
        Some(RaceRules::C11) => Rules::C11,
        None if is_java => Rules::Jmm,
        None => Rules::C11,
    };
    let _guard = Guard::start(arguments.limits)?;
    let (found, reason) = watched(|watch| (search(arguments, &program, rules, watch), watch.reason()));
    let mut found = found.map_err(|unsupported| Failure::unsupported(&program, unsupported))?;
    found.races.incomplete = found.races.incomplete.map(|own| reason.unwrap_or(own));
    let effect = effect(arguments, &program, &found.races, rules);
    refuse_missing(arguments, &found.races)?;
    write_schedule(arguments, &program, &found.races)?;
    write(arguments.output.as_deref(), &print(arguments, &program, &found, &effect))?;
    Ok(match effect {
        Effect::Open(_) => Exit::Refuted,
        _ if found.races.incomplete.is_some() => Exit::Unknown,
        _ => Exit::Validated,
    })
}

/// Leaves the answer that is given if this process has to be ended.
fn offer(arguments: &arguments::Races, program: &Verified) {
    supervise::offer(|reason| {
        let races = Races { races: Vec::new(), states: 0, incomplete: Some(reason.into()) };
        print(arguments, program, &Found { races, figures: None }, &Effect::None)
    });
}

fn print(arguments: &arguments::Races, program: &Verified, found: &Found, effect: &Effect) -> String {
    match arguments.format {
        TableFormat::Text => as_text(program, found, effect, arguments.race),
        TableFormat::Json => format!("{}\n", as_json(program, found, effect, arguments.race)),
    }
}

fn search(arguments: &arguments::Races, program: &Verified, rules: Rules, watch: &Watch) -> Result<Found, Unsupported> {
    let limits = limits(arguments.limits, watch);
    match arguments.engine {
        RaceEngine::Operational => {
            let races = with_spinner(|| operational::races(program, rules, &limits))?;
            Ok(Found { races, figures: None })
        }
        RaceEngine::Mcr => {
            let executions = arguments.max_executions.unwrap_or(u64::MAX);
            let budget = Budget { executions, ..Budget::default() };
            let options = mcr::Options { limits, budget, ..mcr::Options::default() };
            let processors = Processors::new(arguments.jobs, watch.interrupt.clone());
            let found = mcr::race::races(program, rules, &options, &processors)?;
            Ok(Found { races: found.races, figures: Some(found.figures) })
        }
    }
}

fn refuse_missing(arguments: &arguments::Races, found: &Races) -> Result<(), Failure> {
    match arguments.race {
        Some(number) if number == 0 || number > found.races.len() => {
            Err(Failure::Message(format!("there is no race {number}: {} were found", found.races.len())))
        }
        _ => Ok(()),
    }
}

fn write_schedule(arguments: &arguments::Races, program: &Verified, found: &Races) -> Result<(), Failure> {
    let Some(path) = &arguments.schedule else { return Ok(()) };
    match found.races.get(arguments.race.unwrap_or(1) - 1) {
        Some(race) => {
            let text = schedule::print(&race.schedule, Machine::Sc, race.reduction);
            write(Some(path), &origin::added(&text, &input::name(&arguments.file), program, (&arguments.c, None)))
        }
        None => {
            eprintln!("no schedule was written: no race was found");
            Ok(())
        }
    }
}

/// Asks jmm_over whether the assertions hold although there are races.
fn effect(arguments: &arguments::Races, program: &Verified, found: &Races, rules: Rules) -> Effect {
    if found.races.is_empty() {
        return Effect::None;
    }
    if rules != Rules::Jmm {
        return Effect::Open(None);
    }
    let answered = watched(|watch| {
        let limits = limits(arguments.limits, watch);
        let limits = match arguments.engine {
            RaceEngine::Operational => limits,
            RaceEngine::Mcr => Limits { states: MOST_STATES, ..limits },
        };
        let options = Options { limits, ..Options::default() };
        with_spinner(|| operational::check(program, Machine::JmmOver, &options))
    });
    match answered {
        Err(unsupported) => Effect::Open(Some(format!("jmm_over does not support {}", unsupported.what))),
        Ok(answered) => match (&answered.outcome.verdict, &answered.failure) {
            (Verdict::Holds, _) => Effect::Benign,
            (_, Some(wrong)) => Effect::Open(Some(format!("on jmm_over: {}", wrong.message))),
            (Verdict::Unknown(reason), None) => Effect::Open(Some(format!("on jmm_over: {reason}"))),
            _ => Effect::Open(None),
        },
    }
}

fn as_text(program: &Verified, found: &Found, effect: &Effect, only: Option<usize>) -> String {
    let Found { races: found, figures } = found;
    let mut text = match found.races.len() {
        0 if found.incomplete.is_some() => format!("No data race was found in {}.\n", program.name),
        0 => format!("{} has no data race.\n", program.name),
        1 => format!("{} has a data race.\n", program.name),
        count => format!("{} has {count} data races.\n", program.name),
    };
    report::words::tearing(program).into_iter().for_each(|line| text.push_str(&format!("{line}\n")));
    let is_shown = |number: usize| only.is_none_or(|only| only == number + 1);
    for (number, race) in found.races.iter().enumerate().filter(|(number, _)| is_shown(*number)) {
        let sides = [&race.first, &race.second].map(|side| access(program, side)).concat();
        text.push_str(&format!("\n{}. On {}:\n{sides}", number + 1, race.cell));
        if only.is_some() || found.races.len() == 1 {
            text.push_str(&steps(program, race));
        }
    }
    if only.is_none() && found.races.len() > 1 {
        text.push_str("\nThe steps to each are shown by --race N, and written down by --schedule.\n");
    }
    match effect {
        Effect::None => {}
        Effect::Benign => {
            let what = "its assertions hold in every execution that Java allows (machine jmm_over)";
            text.push_str(&format!("\nBenign: {what}.\n"));
        }
        Effect::Open(None) => text.push_str("\nA program with data races has no meaning by the rules of C11.\n"),
        Effect::Open(Some(why)) => text.push_str(&format!("\nNot shown to be benign; {why}.\n")),
    }
    if let Some(reason) = &found.incomplete {
        text.push_str(&format!("\nNot all executions were looked at: {reason}.\n"));
    }
    match figures {
        None => text.push_str(&format!("\nExplored: {} states.\n", found.states)),
        Some(Figures { executions, classes, solver_queries, .. }) => text.push_str(&format!(
            "\nExplored: {executions} executions of {classes} classes; {solver_queries} queries to the solver.\n"
        )),
    }
    text
}

/// The steps of the execution with the race; the last is the second access.
fn steps(program: &Verified, race: &Race) -> String {
    let limits = Limits::default();
    match operational::replay(program, Machine::Sc, race.reduction, &race.schedule, &limits) {
        Ok(replayed) => format!("\n{}", replay::shared_table(program, &replayed)),
        Err(_) => String::new(),
    }
}

/// The active calls without the functions that a front end starts threads with.
fn calls<'a>(program: &Verified, access: &'a RacyAccess) -> Vec<(&'a str, Option<program::Span>)> {
    let is_made = |name: &str| program.language == "Java" && (name == "thread" || name == "main thread");
    let mut calls: Vec<(&str, Option<program::Span>)> = Vec::new();
    for (function, from) in &access.stack {
        if !is_made(function) {
            calls.push((function, *from));
        } else if let Some((_, from)) = calls.last_mut() {
            *from = None;
        }
    }
    calls
}

fn access(program: &Verified, access: &RacyAccess) -> String {
    let place = |span: &Option<program::Span>| {
        span.map_or("an unknown place".into(), |span| program.sources.location(span).to_string())
    };
    let verb = if access.writes { "writes" } else { "reads" };
    let mut text = format!("  {} {verb} at {}\n", access.thread, place(&access.span));
    for (function, from) in calls(program, access) {
        let from = from.map_or(String::new(), |_| format!(", called at {}", place(&from)));
        text.push_str(&format!("    in {function}{from}\n"));
    }
    text
}

fn as_json(program: &Verified, found: &Found, effect: &Effect, only: Option<usize>) -> Json {
    let Found { races: found, figures } = found;
    let place = |span: &Option<program::Span>| span.map(|span| program.sources.location(span).to_string());
    let access = |access: &RacyAccess| {
        let stack = calls(program, access)
            .into_iter()
            .map(|(function, from)| json!({ "function": function, "from": place(&from) }));
        json!({
            "thread": access.thread,
            "writes": access.writes,
            "place": place(&access.span),
            "stack": stack.collect::<Vec<Json>>(),
        })
    };
    let race = |(number, race): (usize, &Race)| {
        let schedule = schedule::print(&race.schedule, Machine::Sc, race.reduction);
        let accesses = [access(&race.first), access(&race.second)];
        json!({ "number": number + 1, "cell": race.cell, "accesses": accesses, "schedule": schedule })
    };
    let shown = found.races.iter().enumerate().filter(|(number, _)| only.is_none_or(|only| only == number + 1));
    json!({
        "schema": 1,
        "program": program.name,
        "races": shown.map(race).collect::<Vec<Json>>(),
        "benign": match effect {
            Effect::None => Json::Null,
            Effect::Benign => json!(true),
            Effect::Open(_) => json!(false),
        },
        "why": match effect { Effect::Open(why) => why.clone(), _ => None },
        "tearing": program.looks_for_tearing(),
        "incomplete": found.incomplete,
        "states": found.states,
        "executions": figures.as_ref().map(|figures| figures.executions),
        "classes": figures.as_ref().map(|figures| figures.classes),
        "solver_queries": figures.as_ref().map(|figures| figures.solver_queries),
    })
}
