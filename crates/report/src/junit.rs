//! An answer for continuous integration: a test suite of JUnit with one case, which fails where the claim does not hold.

use crate::answer::Claim;
use crate::xml::escape;
use crate::{Answer, text};

/// The suite: well-formed XML.
pub fn answer(answer: &Answer) -> String {
    let said = escape(text::answer(answer).trim_end());
    let (name, file) = (escape(&answer.question()), escape(answer.file));
    let (failures, skipped, inner) = match answer.claim() {
        Claim::Validated => (0, 0, besides(answer)),
        Claim::Refuted => (1, 0, format!("\n    <failure>{said}</failure>\n  ")),
        Claim::Undecided => {
            (0, 1, format!("\n    <skipped message=\"{}\"/>\n  ", said.lines().nth(1).unwrap_or("unknown")))
        }
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{file}\" tests=\"1\" failures=\"{failures}\" skipped=\"{skipped}\">\n  \
         <testcase classname=\"{file}\" name=\"{name}\">{inner}</testcase>\n</testsuite>\n"
    )
}

/// What is said beside a claim that holds: raised flags and warnings.
fn besides(answer: &Answer) -> String {
    let flags = answer.outcome.flags.iter().map(|flag| format!("Flag: some execution raises `{flag}`.\n"));
    let warnings = answer.outcome.warnings.iter().map(|warning| format!("Warning: {warning}.\n"));
    let said: String = flags.chain(warnings).collect();
    if said.is_empty() { said } else { format!("\n    <system-out>{}</system-out>\n  ", escape(said.trim_end())) }
}
