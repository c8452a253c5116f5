//! What was reordered, in sentences. The same sentences stand in texts and on pages, which write events and code each in
//! their own way.

use program::outcome::Step;
use program::{Event, EventId, EventKind, Execution, Program};

use crate::names::{Names, is_boundary, thread_name};
use crate::reordering::{Reordering, fences_between};
use crate::trace::{line, statement};

/// How a report writes the parts of a sentence.
pub trait Writing {
    /// The name of an event.
    fn event(&self, id: EventId, name: &str) -> String;
    /// Source text or a cell.
    fn code(&self, text: &str) -> String;
}

/// For terminals.
pub struct Plain;

impl Writing for Plain {
    fn event(&self, _: EventId, name: &str) -> String {
        name.into()
    }

    fn code(&self, text: &str) -> String {
        text.into()
    }
}

/// What is explained, and how it is written.
pub struct Explained<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its main file.
    pub file: &'a str,
    /// The execution.
    pub execution: &'a Execution,
    /// Its names.
    pub names: &'a Names,
    /// Where it leaves program order.
    pub found: &'a Reordering,
    /// How to write.
    pub writing: &'a dyn Writing,
}

impl Explained<'_> {
    /// One or more sentences about what was reordered. `is_failure` says that the execution is one that should not be.
    pub fn sentences(&self, is_failure: bool) -> Vec<String> {
        if self.found.cycle.is_empty() {
            return vec![self.no_cycle(is_failure)];
        }
        let turned: Vec<String> = self.found.turned.iter().map(|&pair| self.turned(pair)).collect();
        if turned.is_empty() {
            return vec![
                "No interleaving of the threads gives this execution: an atomic block did not happen at once.".into(),
            ];
        }
        let order = match self.found.is_models {
            true => {
                "No interleaving of the threads gives this execution. In an order of memory that the model allows, program \
                 order is not kept:"
            }
            false => {
                "No interleaving of the threads gives this execution. In an order of memory that explains every load, \
                      program order is not kept:"
            }
        };
        let mut sentences = vec![order.to_string()];
        sentences.extend(turned);
        sentences
    }

    fn no_cycle(&self, is_failure: bool) -> String {
        match (self.found.has_monitors, is_failure) {
            (true, _) => "No access was seen out of program order.".into(),
            (false, true) => "Nothing was reordered: the execution is an interleaving of the threads (sequentially \
                              consistent). The algorithm itself is wrong, even without any reordering."
                .into(),
            (false, false) => "Nothing was reordered in it: it is an interleaving of the threads.".into(),
        }
    }

    /// One pair that was turned round.
    fn turned(&self, (earlier, later): (EventId, EventId)) -> String {
        let thread =
            self.execution.event(later).thread.map_or(String::new(), |thread| thread_name(self.program, thread));
        format!(
            "{}: {} {} before {}, although it comes later in the program. {}",
            self.writing.code(&thread),
            self.describe(later),
            takes_effect(self.execution.event(later)),
            self.describe(earlier),
            self.between(earlier, later)
        )
    }

    /// An event in words: `the store to tail at line 40 (a5)`.
    fn describe(&self, id: EventId) -> String {
        let event = self.execution.event(id);
        let cell = event.cell.as_ref().map_or(String::new(), |cell| self.names.cells.cell(self.program, cell));
        let what = match event.kind {
            EventKind::Write => format!("the store to {}", self.writing.code(&cell)),
            EventKind::Read => format!("the load of {}", self.writing.code(&cell)),
            _ => "the step".into(),
        };
        let place = self.line(event).map_or(String::new(), |line| format!(" at line {}", self.writing.code(&line)));
        format!("{what}{place} ({})", self.writing.event(id, self.names.get(id)))
    }

    /// The line of an event.
    pub fn line(&self, event: &Event) -> Option<String> {
        event.span.map(|span| line(&self.program.sources.location(span), self.file))
    }

    /// Which fences stand between two events.
    fn between(&self, earlier: EventId, later: EventId) -> String {
        let fence = |id: EventId| {
            let event = self.execution.event(id);
            let text = statement(&self.program.sources, event.span);
            let text = text.trim_end_matches(';');
            let line = self.line(event).map_or(String::new(), |line| format!(" at line {line}"));
            format!("{}{}", self.writing.code(text), self.writing.code(&line))
        };
        let mut fences: Vec<String> = fences_between(self.execution, earlier, later).map(fence).collect();
        fences.dedup();
        match &fences[..] {
            [] => "No fence stands between them.".into(),
            [one] => format!("The only fence between them is {one}."),
            several => format!("The fences between them are {}.", several.join(", ")),
        }
    }

    /// Why the end of a step of the cycle comes after its start.
    pub fn because(&self, step: &Step) -> String {
        let from = self.writing.event(step.from, self.names.get(step.from));
        match step.relation.as_str() {
            "po" => format!("after {from} in the program"),
            "rf" => format!("sees what {from} stored"),
            "co" => format!("overwrites {from}"),
            "fr" => format!("overwrites what {from} saw"),
            "atomic" => format!("one atomic step with {from}"),
            _ => format!("its thread starts after that of {from} ends"),
        }
    }

    /// The events of the cycle, each with why it comes after the one before it; the first follows the last.
    pub fn cycle(&self) -> Vec<(EventId, String)> {
        let steps = &self.found.cycle;
        let shown = steps.iter().filter(|step| !is_boundary(self.execution.event(step.to)));
        let mut events: Vec<(EventId, String)> = shown.map(|step| (step.to, self.because(step))).collect();
        if !events.is_empty() {
            events.rotate_right(1);
        }
        events
    }
}

fn takes_effect(event: &Event) -> &'static str {
    if event.kind == EventKind::Write { "became visible" } else { "was done" }
}
