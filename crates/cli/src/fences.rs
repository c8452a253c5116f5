//! The command `fences`: where fences are missing, or which memory orders suffice.

use axiomatic::fences::Strength;
use input::{c, files, models};
use palisade::Language;
use palisade::fences::{Costs, FenceRequest};
use report::fences::{End, Placement};

use crate::arguments::{CSource, Fences, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::limits::{Guard, watched};
use crate::progress::live;
use crate::supervise;

/// The command `fences`.
pub fn fences(arguments: &Fences) -> Result<Exit, Failure> {
    if !input::is_c(&arguments.file) {
        return Err(Failure::file(&arguments.file, "`fences` is for C files"));
    }
    let costs = costs(&arguments.costs)?;
    let file = files::name(&arguments.file);
    let name = arguments.model.as_deref().or(Language::C.default_model()).unwrap_or_default();
    supervise::offer(|reason| print(arguments, &nothing_found(arguments, name, reason)));
    let source = CSource { define: arguments.define.clone(), include: arguments.include.clone(), ..CSource::default() };
    let unit = match arguments.orders {
        true => c::unit(&arguments.file, &source)?,
        false => c::unit_with_places(&arguments.file, &source)?,
    };
    let reference = arguments.reference.as_ref().map(|path| c::unit(path, &source)).transpose()?;
    let model = models::find_or_default(arguments.model.as_deref(), Language::C, &arguments.include)?.model;
    let tests = c::all_named(&arguments.tests)?;
    let _guard = Guard::start(arguments.limits)?;
    let (found, reason) = watched(|watch| {
        let request = FenceRequest {
            unit: &unit,
            file: &file,
            reference: reference.as_ref(),
            tests: &tests,
            model: &model,
            orders: arguments.orders,
            remove: arguments.remove,
            costs: &costs,
            sets: arguments.sets as usize,
            memory_orders: arguments.memory_orders.map(Into::into),
            bounds: arguments.bounds.into(),
            limits: watch.limits(arguments.limits),
        };
        (live(|progress| request.search(progress)), watch.reason())
    });
    let mut report = found?;
    if let (End::Unknown(own), Some(reason)) = (&mut report.end, reason) {
        *own = reason;
    }
    let exit = match (&report.end, report.sets.is_empty()) {
        (_, false) => Exit::Validated,
        (End::Hopeless(..), _) => Exit::Refuted,
        _ => Exit::Unknown,
    };
    write(arguments.output.as_deref(), &print(arguments, &report))?;
    Ok(exit)
}

fn print(arguments: &Fences, report: &Placement) -> String {
    match arguments.format {
        TableFormat::Text => report::fences::text(report),
        TableFormat::Json => report::fences::json(report),
    }
}

/// What is said if the search ends before it has anything to say.
fn nothing_found(arguments: &Fences, model: &str, reason: &str) -> Placement {
    Placement {
        file: files::name(&arguments.file),
        model: model.into(),
        orders: arguments.orders,
        tests: arguments.tests.clone(),
        candidates: 0,
        sets: Vec::new(),
        end: End::Unknown(reason.into()),
        bounded: false,
        warnings: Vec::new(),
        figures: Vec::new(),
    }
}

/// `KIND=N`.
fn costs(given: &[String]) -> Result<Costs, Failure> {
    let mut costs = Costs::new();
    for text in given {
        let known: Vec<&str> = Strength::all().map(Strength::name).collect();
        let wrong = || Failure::Message(format!("--cost {text}: KIND=N, where KIND is one of {}", known.join(", ")));
        let (name, number) = text.split_once('=').ok_or_else(wrong)?;
        let strength = Strength::named(name).ok_or_else(wrong)?;
        let number: u32 = number.parse().ok().filter(|number| (1..=1_000_000).contains(number)).ok_or_else(wrong)?;
        costs.insert(strength, number);
    }
    Ok(costs)
}
