//! The command `clients`: which is the smallest client of a data type that fails?

use input::{c, files, models};
use palisade::clients::{ClientRequest, Found};
use palisade::{Criterion, Language, Options};
use report::clients::{self, Clients as Report};

use crate::arguments::{CSource, Clients, TableFormat};
use crate::failure::{Exit, Failure, write};
use crate::limits::{Guard, watched};
use crate::progress::live;
use crate::supervise;

/// The command `clients`.
pub fn clients(arguments: &Clients) -> Result<Exit, Failure> {
    if !input::is_c(&arguments.file) {
        return Err(Failure::file(&arguments.file, "`clients` is for C files"));
    }
    let file = files::name(&arguments.file);
    let name = arguments.model.as_deref().or(Language::C.default_model()).unwrap_or_default();
    supervise::offer(|reason| print(arguments, &nothing_found(arguments, (&file, name), reason)));
    let source = CSource { define: arguments.define.clone(), include: arguments.include.clone(), ..CSource::default() };
    let unit = c::unit(&arguments.file, &source)?;
    let reference =
        arguments.reference.as_ref().map(|path| Ok::<_, Failure>((files::name(path), c::unit(path, &source)?)));
    let reference = reference.transpose()?;
    let model = models::find_or_default(arguments.model.as_deref(), Language::C, &arguments.include)?.model;
    let _guard = Guard::start(arguments.limits)?;
    let (found, reason) = watched(|watch| {
        let request = ClientRequest {
            unit: &unit,
            reference: reference.as_ref().map(|(name, unit)| (name.clone(), unit)),
            criterion: if arguments.linearizable { Criterion::Linearizable } else { Criterion::Sequential },
            operations: &arguments.operations,
            most: arguments.most,
            threads: arguments.threads,
            model: &model,
            engine: arguments.engine.into(),
            options: Options {
                memory_orders: arguments.memory_orders.map(Into::into),
                bounds: arguments.bounds.into(),
                limits: watch.limits(arguments.limits),
                ..Options::default()
            },
        };
        (live(|progress| request.search(progress)), watch.reason())
    });
    let found = found?;
    let ended = reason.filter(|_| found.tried() < found.clients && found.failing.is_none());
    let exit = exit(&found);
    write(None, &print(arguments, &report(arguments, (&file, model.name()), &found, ended.as_deref())))?;
    Ok(exit)
}

fn exit(found: &Found) -> Exit {
    match &found.failing {
        Some(_) => Exit::Refuted,
        None if found.held == found.clients => Exit::Validated,
        None => Exit::Unknown,
    }
}

fn report<'a>(
    arguments: &Clients,
    (file, model): (&'a str, &'a str),
    found: &'a Found,
    ended: Option<&'a str>,
) -> Report<'a> {
    Report {
        file,
        model,
        operations: &found.operations,
        most: arguments.most,
        threads: arguments.threads,
        clients: found.clients,
        held: found.held,
        undecided: &found.undecided,
        failing: found.failing.as_ref().map(|(client, answer)| (client.as_str(), answer.shown(file))),
        ended,
    }
}

/// What is said if the search ends before it has anything to say.
fn nothing_found<'a>(arguments: &'a Clients, (file, model): (&'a str, &'a str), reason: &'a str) -> Report<'a> {
    Report {
        file,
        model,
        operations: &arguments.operations,
        most: arguments.most,
        threads: arguments.threads,
        clients: 0,
        held: 0,
        undecided: &[],
        failing: None,
        ended: Some(reason),
    }
}

fn print(arguments: &Clients, found: &Report) -> String {
    match arguments.format {
        TableFormat::Text => clients::text(found),
        TableFormat::Json => clients::json(found),
    }
}
