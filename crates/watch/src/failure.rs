//! How the process ends, and what it says when it cannot do what was asked.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use palisade::Refusal;
use program::{Diagnostic, Diagnostics, Program};
use report::diagnostic::{Style, render};
use report::{Answer, Claim};

/// The exit codes, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: the claim is validated.
    Validated,
    /// 3: unknown.
    Unknown,
    /// 1: the claim is not validated.
    Refuted,
    /// 2: wrong input or usage.
    WrongInput,
}

impl Exit {
    /// The exit code that an answer asks for. Of a part of the executions more cannot be asked than that nothing goes wrong in it.
    pub fn of(answer: &Answer) -> Exit {
        let is_fine = answer.outcome.part.as_ref().is_some_and(|part| part.is_complete);
        match answer.claim() {
            Claim::Undecided if is_fine => Exit::Validated,
            claim => claim.into(),
        }
    }

    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Exit::Validated => 0,
            Exit::Refuted => 1,
            Exit::WrongInput => 2,
            Exit::Unknown => 3,
        }
    }
}

impl From<Claim> for Exit {
    fn from(claim: Claim) -> Exit {
        match claim {
            Claim::Validated => Exit::Validated,
            Claim::Refuted => Exit::Refuted,
            Claim::Undecided => Exit::Unknown,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// Why what was asked cannot be done.
#[derive(Debug)]
pub enum Failure {
    /// One sentence.
    Message(String),
    /// Messages with places.
    Diagnostics(Diagnostics),
    /// What another process of ours has made of one of these, as it is printed.
    Shown(String),
}

impl Failure {
    /// A sentence about a file.
    pub fn file(path: &Path, what: impl std::fmt::Display) -> Failure {
        Failure::Message(format!("{}: {what}", path.display()))
    }

    /// Prints it on standard error.
    pub fn show(&self) {
        eprint!("{}", self.rendered());
    }

    /// As it is printed on standard error.
    pub fn rendered(&self) -> String {
        match self {
            Failure::Message(message) => format!("error: {}\n", visible(message)),
            Failure::Diagnostics(diagnostics) => rendered(diagnostics),
            Failure::Shown(text) => text.clone(),
        }
    }

    /// Its first message on one line, without the source.
    pub fn summary(&self) -> String {
        match self {
            Failure::Message(message) => message.clone(),
            Failure::Shown(text) => text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string(),
            Failure::Diagnostics(diagnostics) => diagnostics.to_string().lines().next().unwrap_or_default().to_string(),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        match refusal {
            Refusal::Question(sentence) => Failure::Message(sentence),
            Refusal::Input(diagnostics) => Failure::Diagnostics(diagnostics),
        }
    }
}

impl From<Diagnostics> for Failure {
    fn from(diagnostics: Diagnostics) -> Failure {
        Failure::Diagnostics(diagnostics)
    }
}

/// The warnings of a front end about a program, if there are any.
pub fn warnings(program: &Program, messages: Vec<Diagnostic>) -> Option<Diagnostics> {
    (!messages.is_empty()).then(|| Diagnostics { sources: program.sources.clone(), messages })
}

/// Prints messages with their source lines on standard error.
pub fn show(diagnostics: &Diagnostics) {
    eprint!("{}", rendered(diagnostics));
}

/// Messages with their source lines as standard error takes them.
fn rendered(diagnostics: &Diagnostics) -> String {
    let plain = render(diagnostics, Style::Plain);
    let is_coloured = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    // Colours are control characters themselves.
    if is_coloured && visible(&plain) == plain { render(diagnostics, Style::Coloured) } else { visible(&plain) }
}

/// The text without control characters that a terminal would obey: they are written as escapes. Line ends and tabs stay.
pub fn visible(text: &str) -> String {
    let is_hidden = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    if !text.contains(is_hidden) {
        return text.to_string();
    }
    text.chars()
        .map(|letter| if is_hidden(letter) { letter.escape_default().to_string() } else { letter.into() })
        .collect()
}

/// Writes to a file, or to standard output. That a reader of standard output has gone away is not an error.
pub fn write(output: Option<&Path>, text: &str) -> Result<(), Failure> {
    match output {
        Some(path) => {
            std::fs::write(path, text).map_err(|error| Failure::file(path, format!("cannot be written: {error}")))
        }
        None if std::io::stdout().is_terminal() && visible(text) != text => write(None, &visible(text)),
        None => match std::io::stdout().lock().write_all(text.as_bytes()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Failure::Message(format!("standard output cannot be written: {error}")))
            }
            _ => Ok(()),
        },
    }
}
