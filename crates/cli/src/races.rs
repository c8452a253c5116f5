//! The command `races`: the data races of a program, and whether they are benign.

use input::{Ask, files};
use operational::Races;
use palisade::races::{Effect, FoundRaces, written};
use palisade::{Engine, Model, RaceRequest};
use program::Verified;

use crate::arguments::{self, RaceEngine, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::limits::{Guard, watched};
use crate::origin;
use crate::progress::live;
use crate::supervise;

/// The command `races`. Exit code 0 if there is none, or if they are benign.
pub fn races(arguments: &arguments::Races) -> Result<Exit, Failure> {
    offer(arguments, input::nothing_read(&arguments.file)?);
    let ask = Ask { exists: None, property: None, source: &arguments.c };
    let task = input::task(&arguments.file, ask)?.task;
    let model = Model::named(&arguments.model)?;
    let _guard = Guard::start(arguments.limits)?;
    let (found, reason) = watched(|watch| {
        let request = RaceRequest {
            task: &task,
            model: &model,
            rules: arguments.rules.map(Into::into),
            engine: match arguments.engine {
                RaceEngine::Operational => Engine::Operational,
                RaceEngine::Mcr => Engine::Mcr,
            },
            max_executions: arguments.max_executions,
            jobs: arguments.jobs,
            limits: watch.limits(arguments.limits),
        };
        (live(|progress| request.search_with(progress)), watch.reason())
    });
    let mut found = found?;
    found.races.incomplete = found.races.incomplete.map(|own| reason.unwrap_or(own));
    refuse_missing(arguments, &found.races)?;
    write_schedule(arguments, &found)?;
    write(arguments.output.as_deref(), &print(arguments, &found))?;
    Ok(match found.effect {
        Effect::Open(_) => Exit::Refuted,
        _ if found.races.incomplete.is_some() => Exit::Unknown,
        _ => Exit::Validated,
    })
}

/// Leaves the answer that is given if this process has to be ended.
fn offer(arguments: &arguments::Races, program: Verified) {
    let nothing = FoundRaces::nothing(program);
    supervise::offer(|reason| {
        let races = Races { incomplete: Some(reason.into()), ..nothing.races.clone() };
        print(arguments, &FoundRaces { races, ..nothing.clone() })
    });
}

fn print(arguments: &arguments::Races, found: &FoundRaces) -> String {
    let shown = found.shown();
    match arguments.format {
        TableFormat::Text => report::races::text(&shown, arguments.race),
        TableFormat::Json => format!("{}\n", report::races::json(&shown, arguments.race)),
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

/// Writes the schedule of a race down, if that is wanted.
fn write_schedule(arguments: &arguments::Races, found: &FoundRaces) -> Result<(), Failure> {
    let Some(path) = &arguments.schedule else { return Ok(()) };
    match found.races.races.get(arguments.race.unwrap_or(1).saturating_sub(1)) {
        Some(race) => {
            let file = files::name(&arguments.file);
            write(Some(path), &origin::added(&written(race), &file, &found.program, (&arguments.c, None)))
        }
        None => {
            eprintln!("no schedule was written: no race was found");
            Ok(())
        }
    }
}
