//! The command `races`: the data races of a program; those of a Java program are benign if its assertions hold on the
//! machine jmm_over, which has all executions that Java allows.

use operational::{Machine, Options, Race, Races, RacyAccess, Reduction, Rules, schedule};
use program::{Verdict, Verified};
use serde_json::{Value as Json, json};

use crate::arguments::{self, RaceRules, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::input;
use crate::limits::{Guard, on_ctrl_c, watched};
use crate::operational::{limits, program_of};
use crate::progress::with_spinner;

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
    on_ctrl_c();
    let program = program_of(&arguments.file, &arguments.c)?;
    let is_java = input::is_java(&arguments.file);
    let rules = match arguments.rules {
        Some(RaceRules::Jmm) => Rules::Jmm,
        Some(RaceRules::C11) => Rules::C11,
        None if is_java => Rules::Jmm,
        None => Rules::C11,
    };
    let _guard = Guard::start(arguments.limits, None)?;
    let (found, reason) = watched(|watch| {
        let limits = limits(arguments.limits, watch);
        (with_spinner(|| operational::races(&program, rules, &limits)), watch.reason())
    });
    let mut found = found.map_err(|unsupported| Failure::unsupported(&program, unsupported))?;
    found.incomplete = found.incomplete.map(|own| reason.unwrap_or(own));
    let effect = effect(arguments, &program, &found, rules);
    let output = match arguments.format {
        TableFormat::Text => as_text(&program, &found, &effect),
        TableFormat::Json => format!("{}\n", as_json(&program, &found, &effect)),
    };
    write(arguments.output.as_deref(), &output)?;
    Ok(match effect {
        Effect::Open(_) => Exit::Refuted,
        _ if found.incomplete.is_some() => Exit::Unknown,
        _ => Exit::Validated,
    })
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
        let options = Options { limits: limits(arguments.limits, watch), ..Options::default() };
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

fn as_text(program: &Verified, found: &Races, effect: &Effect) -> String {
    let mut text = match found.races.len() {
        0 if found.incomplete.is_some() => format!("No data race was found in {}.\n", program.name),
        0 => format!("{} has no data race.\n", program.name),
        1 => format!("{} has a data race.\n", program.name),
        count => format!("{} has {count} data races.\n", program.name),
    };
    for race in &found.races {
        text.push_str(&format!(
            "\nOn {}:\n{}{}",
            race.cell,
            access(program, &race.first),
            access(program, &race.second)
        ));
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
    text.push_str(&format!("\nExplored: {} states.\n", found.states));
    text
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

fn as_json(program: &Verified, found: &Races, effect: &Effect) -> Json {
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
    let race = |race: &Race| {
        let schedule = schedule::print(&race.schedule, Machine::Sc, Reduction::Persistent);
        json!({ "cell": race.cell, "accesses": [access(&race.first), access(&race.second)], "schedule": schedule })
    };
    json!({
        "schema": 1,
        "program": program.name,
        "races": found.races.iter().map(race).collect::<Vec<Json>>(),
        "benign": matches!(effect, Effect::Benign),
        "why": match effect { Effect::Open(why) => why.clone(), _ => None },
        "incomplete": found.incomplete,
        "states": found.states,
    })
}
