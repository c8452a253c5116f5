//! What is wrong with an input, or right but not modelled, and where.

use crate::source::{Sources, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, but the user should know.
    Warning,
}

/// One message about an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in one sentence without a final stop.
    pub message: String,
    /// Where; absent only if the whole input is meant.
    pub span: Option<Span>,
    /// Further sentences: what was expected, what to do.
    pub notes: Vec<String>,
    /// Whether the input is right, but not modelled.
    pub is_unsupported: bool,
}

impl Diagnostic {
    /// A message, at a place if it has one.
    pub fn new(severity: Severity, message: String, span: Option<Span>) -> Diagnostic {
        Diagnostic { severity, message, span, notes: Vec::new(), is_unsupported: false }
    }

    /// An error at `span`.
    pub fn error(message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Error, message.into(), Some(span))
    }

    /// A warning at `span`.
    pub fn warning(message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Warning, message.into(), Some(span))
    }

    /// The message with one more note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }
}

/// Everything found wrong with one input, with the sources that the spans point into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    /// The texts that were read.
    pub sources: Sources,
    /// The messages, in the order found; at least one of them an error when this is returned as an `Err`.
    pub messages: Vec<Diagnostic>,
}

impl std::fmt::Display for Diagnostics {
    /// One line per message: `file:line:column: error: message`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, message) in self.messages.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            if let Some(span) = message.span {
                write!(f, "{}: ", self.sources.location(span))?;
            }
            let word = match message.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            write!(f, "{word}: {}", message.message)?;
            for note in &message.notes {
                write!(f, "\n  note: {note}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// Right input that is not modelled: refused rather than guessed at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The construct, as a noun: "inline assembly", "the instruction `cpuid`".
    pub what: String,
    /// Where it stands.
    pub span: Option<Span>,
}

impl Unsupported {
    /// `what` at `span` is not supported.
    pub fn new(what: impl Into<String>, span: Option<Span>) -> Unsupported {
        Unsupported { what: what.into(), span }
    }
}

impl From<Unsupported> for Diagnostic {
    fn from(unsupported: Unsupported) -> Diagnostic {
        let message = format!("{} is not supported", unsupported.what);
        Diagnostic { is_unsupported: true, ..Diagnostic::new(Severity::Error, message, unsupported.span) }
    }
}
