//! The binary `palisade`: arguments, the files that are written, the terminal.
//!
//! - [`arguments`] says what can be asked on the command line;
//! - [`answer`] does `check` and `outcomes`, [`suite`] does `suite`, [`compare`] does `compare`, [`repro`] does `repro`,
//!   [`models`] does `models`;
//! - [`replay`] does `replay`, [`races`] does `races`, [`fences`] does `fences`, [`clients`] does `clients`, [`source`] does `observations` and `lower`;
//! - [`usage`] knows which options mean something, [`origin`] what a schedule was written for;
//! - the crate [`input`] reads what files ask, the crate [`watch`] ends searches that take too long and processes that do not end by
//!   themselves, and shows that something happens.
//!
//! What is asked is answered by the crate `palisade`.
//!
//! Exit codes: 0 the claim is validated, 1 it is not, 2 wrong input or usage, 3 unknown.

mod answer;
mod arguments;
mod clients;
mod compare;
mod cubes;
mod fences;
mod models;
mod origin;
mod races;
mod replay;
mod repro;
mod source;
mod suite;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use input::java::{Wanted, expanded};
use input::{c, files};
use watch::{failure, limits, parallel, progress, signals, supervise};

use arguments::{Arguments, Check, Command};
use failure::{Exit, Failure, write};
use supervise::Ended;

/// Circuits, sets of values and states are many small blocks that live shortly.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let asks_for_help = arguments().any(|argument| ["help", "--help", "-h"].iter().any(|help| argument == *help));
    // To hide options from the help takes longer than to read arguments.
    let definition = if asks_for_help { usage::shown(Arguments::command()) } else { Arguments::command() };
    let matches = definition.get_matches_from(arguments());
    let mut command = match Arguments::from_arg_matches(&matches) {
        Ok(arguments) => arguments.command,
        Err(error) => error.exit(),
    };
    let is_worker = supervise::role().is_some();
    let listed = list(&mut command);
    let listed = listed.and_then(|()| if is_worker { Ok(()) } else { usage::check(&command, &matches) });
    match listed.and_then(|()| if is_worker { work(command) } else { supervised(command) }) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure.show();
            if is_worker { ExitCode::from(supervise::REFUSED) } else { Exit::WrongInput.into() }
        }
    }
}

/// The command line. `-cp` is written as Java has it: elsewhere one hyphen has one letter behind it.
fn arguments() -> impl Iterator<Item = OsString> {
    std::env::args_os().map(|argument| if argument == "-cp" { "--classpath".into() } else { argument })
}

/// Replaces lists of files, jars, and names of classes by the files that they stand for.
fn list(command: &mut Command) -> Result<(), Failure> {
    let wanted = match command {
        Command::Check(Check { junit: true, .. }) => Wanted::UnitTests,
        Command::Outcomes(_) => Wanted::StressTests,
        _ => Wanted::Programs,
    };
    let Some(asked) = command.asked_mut() else { return Ok(()) };
    asked.files = expanded(&files::listed(&asked.files)?, &asked.c, wanted)?;
    let tests = c::named_tests(&asked.c)?;
    asked.files = asked.files.iter().flat_map(|file| vec![file.clone(); tests.len().max(1)]).collect();
    asked.tests = tests;
    Ok(())
}

/// Does a command by way of workers.
fn supervised(command: Command) -> Result<Exit, Failure> {
    // The second Ctrl-C ends this process at once, and the workers with it.
    limits::on_interrupt(|| std::process::exit(Exit::Unknown.code().into()));
    match command {
        Command::Compare(compare) => compare::compare(&compare),
        Command::Suite(suite) => suite::suite(&suite),
        Command::Merge(merge) => suite::merge::merge(&merge),
        Command::Models(models) => models::models(&models),
        command => units(command),
    }
}

/// One answer for each file, the worst exit code. A file that cannot be used does not keep the others from being answered.
fn units(mut command: Command) -> Result<Exit, Failure> {
    let output = command.take_output();
    let (mut printed, mut worst) = (String::new(), Exit::Validated);
    for number in 0..command.units() {
        if number > 0 && limits::is_interrupted() {
            eprintln!("interrupted: {} files were not looked at", command.units() - number);
            worst = worst.max(Exit::Unknown);
            break;
        }
        let (text, exit) = match supervise::unit(number, command.limits())? {
            Ended::Finished(text, exit) => (text, exit),
            Ended::Refused => return Ok(Exit::WrongInput),
            Ended::Stopped(Some(text), _) => (text, Exit::Unknown),
            Ended::Stopped(None, reason) => {
                eprintln!("unknown: {reason}");
                (String::new(), Exit::Unknown)
            }
        };
        worst = worst.max(exit);
        let separator = if printed.is_empty() || text.is_empty() { "" } else { command.separator() };
        // Answers appear as they are found, unless they go to a file.
        if output.is_none() {
            write(None, &format!("{separator}{text}"))?;
        }
        printed.extend([separator, &text]);
    }
    if let Some(output) = output.filter(|_| !printed.is_empty()) {
        write(Some(&output), &printed)?;
    }
    Ok(worst)
}

/// Does a unit of a command, or the units that come, as a worker. What it prints is for the process that started it.
fn work(mut command: Command) -> Result<Exit, Failure> {
    signals::end_with_parent();
    limits::on_interrupt(|| {});
    command.take_output();
    // If `repro` is given no limit of time, each search has that of its table.
    if !matches!(command, Command::Repro(_)) || command.limits().timeout.is_some() {
        limits::begin();
    }
    supervise::with_room(|| match command {
        Command::Check(check) => answer::check(&check),
        Command::Outcomes(outcomes) => answer::outcomes(&outcomes),
        Command::Replay(replay) => replay::replay(&replay),
        Command::Races(races) => races::races(&races),
        Command::Compare(compare) => compare::work(&compare),
        Command::Suite(suite) => suite::work(&suite),
        Command::Merge(merge) => suite::merge::merge(&merge),
        Command::Fences(arguments) => fences::fences(&arguments),
        Command::Clients(arguments) => clients::clients(&arguments),
        Command::Repro(repro) => repro::repro(&repro),
        Command::Models(models) => models::models(&models),
        Command::Observations(source) => source::observations(&source),
        Command::Lower(source) => source::lower(&source),
        Command::Constraints(constraints) => source::constraints(&constraints),
    })
}
