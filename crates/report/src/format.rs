//! What a format of answers is.

use crate::answer::Answer;

/// Prints an answer that took so many seconds.
pub type Print = fn(&Answer, f64) -> String;

/// A format of answers.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub help: &'static str,
    /// Prints the answer to a question.
    pub answer: Print,
    /// Prints all final states, if it can.
    pub outcomes: Option<Print>,
    /// Whether words may follow.
    pub is_text: bool,
    /// Whether it shows one answer at a time, as a page or a picture.
    pub is_page: bool,
    /// Whether it has room for warnings.
    pub shows_warnings: bool,
    /// Whether it shows the final states beside the answer.
    pub needs_states: bool,
}

/// A format that shows answers alone, and many in a row.
pub(crate) const fn format(name: &'static str, help: &'static str, answer: Print) -> Format {
    let (outcomes, is_text, is_page, shows_warnings, needs_states) = (None, false, false, false, false);
    Format { name, help, answer, outcomes, is_text, is_page, shows_warnings, needs_states }
}
