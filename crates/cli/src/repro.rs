//! The command `repro`: a published table with our figures beside it. The crate of the same name fills and prints tables; here
//! are limits, processors and clock.

use std::time::{Duration, Instant};

use ::repro::Bench;
use cpu_time::ThreadTime;
use palisade::Refusal;
use serde_json::json;

use crate::arguments::{Limits, Repro, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::limits::{Guard, is_interrupted, is_over, watched};
use crate::{parallel, supervise};
use input::programs::Given;

/// The command `repro`. Exit code 0 only if all rows agree, 3 if the time did not suffice for all of them.
pub fn repro(arguments: &Repro) -> Result<Exit, Failure> {
    supervise::offer(|reason| match arguments.format {
        TableFormat::Text => format!("Unknown: {reason}.\n"),
        TableFormat::Json => format!("{}\n", json!({ "schema": 1, "rows": [], "interrupted": reason })),
    });
    let timeout = arguments.table.seconds_per_search().map(Duration::from_secs);
    let _guard = Guard::start(Limits { timeout: arguments.limits.timeout.or(timeout), ..arguments.limits })?;
    let start = Instant::now();
    let given = given(arguments)?;
    let in_place = |name: &str| given.program(name);
    let table = arguments.table.compute_with(arguments.only.as_deref(), &in_place, arguments)?;
    let wall_seconds = start.elapsed().as_secs_f64();
    let text = match arguments.format {
        TableFormat::Text => table.text(wall_seconds),
        TableFormat::Json => table.json(wall_seconds),
    };
    write(arguments.output.as_deref(), &text)?;
    let is_late = is_over(arguments.limits.timeout);
    Ok(match table.all_agree() {
        _ if is_late || is_interrupted() => Exit::Unknown,
        true => Exit::Validated,
        false => Exit::Refuted,
    })
}

/// The programs that a user has for a table.
fn given(arguments: &Repro) -> Result<Given, Failure> {
    match &arguments.classes {
        None => Ok(Given::default()),
        Some(_) if !arguments.table.takes_programs() => {
            Err(Failure::Message(format!("--classes is for mcr-1 to mcr-5, not for {}", arguments.table.name)))
        }
        Some(folder) if !folder.is_dir() => Err(Failure::file(folder, "is no folder (--classes)")),
        Some(folder) => Given::read(folder),
    }
}

impl Bench for Repro {
    fn map<T: Sync, R: Send>(&self, items: &[T], work: impl Fn(&T) -> R + Sync) -> Result<Vec<Option<R>>, Refusal> {
        let in_time = |item: &T| (!is_over(self.limits.timeout)).then(|| work(item));
        let found = parallel::map(items, self.jobs, "rows", in_time);
        let found = found.map(|rows| rows.into_iter().map(Option::flatten).collect());
        found.map_err(|failure| Refusal::Question(failure.summary()))
    }

    fn search<T>(&self, search: impl FnOnce(palisade::Limits) -> T) -> (T, Option<String>) {
        watched(|watch| (search(watch.limits(self.limits)), watch.reason()))
    }

    fn timed<T>(&self, work: impl FnOnce() -> T) -> (T, f64) {
        let start = ThreadTime::now();
        let result = work();
        (result, start.elapsed().as_secs_f64())
    }

    fn clock(&self) -> f64 {
        ThreadTime::now().as_duration().as_secs_f64()
    }

    fn is_interrupted(&self) -> bool {
        is_interrupted()
    }
}
