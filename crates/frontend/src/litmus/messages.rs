//! The messages about one file, bounded in number.

use program::{Diagnostic, Severity};

/// How many messages are kept: what follows the twentieth error is seldom of use.
const LIMIT: usize = 20;

/// Messages about one file.
#[derive(Debug, Default)]
pub struct Messages {
    /// Invariant: at most [`LIMIT`] errors and as many warnings.
    found: Vec<Diagnostic>,
    errors: usize,
}

impl Messages {
    /// Adds a message, unless there are enough of its kind.
    pub fn push(&mut self, message: Diagnostic) {
        let error = message.severity == Severity::Error;
        let kept = if error { self.errors } else { self.found.len() - self.errors };
        if kept < LIMIT {
            self.found.push(message);
            self.errors += usize::from(error);
        }
    }

    /// The value of a success; an error is added.
    pub fn note<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Whether an error was found.
    pub fn any_error(&self) -> bool {
        self.errors > 0
    }

    /// Whether so many errors were found that reading on is of no use.
    pub fn enough(&self) -> bool {
        self.errors >= LIMIT
    }

    /// Those that say that something is not modelled, and not that it is wrong.
    pub fn into_refusals(self) -> Vec<Diagnostic> {
        self.found.into_iter().filter(|message| message.is_unsupported).collect()
    }

    /// The messages, in the order of the file.
    pub fn into_vec(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|message| message.span.map_or(0, |span| span.start));
        self.found
    }
}
