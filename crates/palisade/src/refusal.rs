//! Why a question is not answered.

use program::{Diagnostic, Diagnostics, Program, Unsupported};

/// Why a question is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The question itself makes no sense, in one sentence.
    Question(String),
    /// The input is wrong, or not modelled: messages with places.
    Input(Diagnostics),
}

impl Refusal {
    /// Something in a program is not modelled.
    pub fn unsupported(program: &Program, unsupported: Unsupported) -> Refusal {
        Refusal::about(program, vec![unsupported.into()])
    }

    /// Messages about a program.
    pub fn about(program: &Program, messages: Vec<Diagnostic>) -> Refusal {
        Refusal::Input(Diagnostics { sources: program.sources.clone(), messages })
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Question(sentence) => f.write_str(sentence),
            Refusal::Input(diagnostics) => diagnostics.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Diagnostics> for Refusal {
    fn from(diagnostics: Diagnostics) -> Refusal {
        Refusal::Input(diagnostics)
    }
}
