//! The binary `palisade`: the only part that touches files, the clock, the terminal and the process.
//!
//! - [`arguments`] says what can be asked on the command line;
//! - [`answer`] does `check` and `outcomes`, [`suite`] does `suite`, [`compare`] does `compare`, [`repro`] does `repro`,
//!   [`machine_tables`] has the tables about machines, [`models`] does `models` and finds the model that is meant;
//! - [`operational`] answers with the operational engine, [`mcr`] with maximal causality reduction, [`bounded`] has their bounded tests, [`replay`] does `replay`, [`races`] does `races`, [`fences`] does `fences`;
//! - [`input`] reads programs, those in Java with [`java`], those in C with [`c`]; [`parallel`] does many things at once, [`limits`] ends what takes too long, [`progress`] shows that something happens.
//!
//! Exit codes: 0 the claim is validated, 1 it is not, 2 wrong input or usage, 3 unknown.

mod answer;
mod arguments;
mod bounded;
mod c;
mod compare;
mod engines;
mod failure;
mod fences;
mod input;
mod java;
mod limits;
mod machine_tables;
mod mcr;
mod models;
mod operational;
mod parallel;
mod progress;
mod races;
mod replay;
mod repro;
mod spelling;
mod suite;
mod workers;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

/// Circuits, sets of values and states are many small blocks that live shortly.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Check(check) => answer::check(&check),
        Command::Outcomes(outcomes) => answer::outcomes(&outcomes),
        Command::Replay(replay) => replay::replay(&replay),
        Command::Races(races) => races::races(&races),
        Command::Compare(compare) => compare::compare(&compare),
        Command::Suite(suite) => suite::suite(&suite),
        Command::Fences(arguments) => fences::fences(&arguments),
        Command::Repro(repro) => repro::repro(&repro),
        Command::Models(models) => models::models(&models),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure.show();
            failure::Exit::WrongInput.into()
        }
    }
}
