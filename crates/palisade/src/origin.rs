//! Where memory was allocated and freed that an error is about.
//!
//! In which direction this errs: where several statements allocate memory of the name that the error gives, all of them are named, and so
//! are all that free where the execution does not say which did.

use std::collections::BTreeSet;

use program::{Execution, Extent, Failure, InstructionKind, Location, Outcome, Program, Span};

/// More places than this are not listed.
const MOST: usize = 3;

/// Adds to what is wrong where the memory was allocated and freed.
pub fn add(program: &Program, outcome: &mut Outcome) {
    if let Outcome { failure: Some(failure), witness, .. } = outcome {
        add_to(program, failure, witness.as_ref());
    }
}

/// Adds to what is wrong in an execution where the memory was allocated and freed.
pub fn add_to(program: &Program, failure: &mut Failure, witness: Option<&Execution>) {
    let Some((block, is_freed)) = Extent::named(&failure.message) else { return };
    let allocates = |kind: &InstructionKind| matches!(kind, InstructionKind::Allocate { name, .. } if &**name == block);
    let allocated = spans(program, allocates);
    let frees = spans(program, |kind| matches!(kind, InstructionKind::Free { .. }));
    let freed = if is_freed { done(frees, witness) } else { BTreeSet::new() };
    let home = failure.location.as_ref();
    let parts = [("allocated", allocated), ("freed", freed)];
    let parts =
        parts.into_iter().filter_map(|(verb, spans)| Some(format!("{verb} at {}", places(program, &spans, home)?)));
    let parts: Vec<String> = parts.collect();
    if !parts.is_empty() {
        failure.message = format!("{}; `{block}` is {}", failure.message, parts.join(" and "));
    }
}

fn spans(program: &Program, sort: impl Fn(&InstructionKind) -> bool) -> BTreeSet<Span> {
    program
        .instructions()
        .filter(|instruction| sort(&instruction.kind))
        .filter_map(|instruction| instruction.span)
        .collect()
}

/// Those that are done in an execution; all of them if it shows none.
fn done(spans: BTreeSet<Span>, execution: Option<&Execution>) -> BTreeSet<Span> {
    let events = execution.into_iter().flat_map(|execution| &execution.events);
    let seen: BTreeSet<Span> = events.filter_map(|event| event.span).filter(|span| spans.contains(span)).collect();
    if seen.is_empty() { spans } else { seen }
}

/// Places in words: lines, with the file where that is another than the one of the failure.
fn places(program: &Program, spans: &BTreeSet<Span>, home: Option<&Location>) -> Option<String> {
    let place = |span: &Span| {
        let location = program.sources.location(*span);
        match home.is_some_and(|home| home.file == location.file) {
            true => format!("line {}", location.line),
            false => format!("{}:{}", location.file, location.line),
        }
    };
    let places: BTreeSet<String> = spans.iter().map(place).collect();
    let places: Vec<String> = places.into_iter().collect();
    (1..=MOST).contains(&places.len()).then(|| places.join(" or "))
}
