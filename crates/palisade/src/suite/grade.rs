//! Comparing an answer with what was expected.

use program::{Guarantee, Property, Quantifier, Verdict};
use report::Claim;
use report::answer::verdict_word;
use report::suite::Grade;

use super::Expected;
use crate::request::Answer;

/// What is known of a program's claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Whether the claim is borne out.
    pub claim: Claim,
    /// The verdict.
    pub verdict: Verdict,
}

impl Known {
    /// What an answer says. A machine that approximates a model has no verdict where it finds nothing, or finds something
    /// that the model may forbid; what it found says what becomes of the claim on the machine itself.
    pub fn of(answer: &Answer) -> Known {
        let claim = answer.shown("").claim();
        let verdict = answer.outcome.verdict.clone();
        let found = answer.run.as_ref().and_then(|run| run.found);
        match (answer.outcome.guarantee, found) {
            (Guarantee::Under | Guarantee::Over, Some(found)) if claim == Claim::Undecided => {
                let is_validated = found == claims_existence(answer);
                Known { claim: if is_validated { Claim::Validated } else { Claim::Refuted }, verdict }
            }
            _ => Known { claim, verdict },
        }
    }

    /// Nothing, for this reason.
    pub fn nothing(reason: String) -> Known {
        Known { claim: Claim::Undecided, verdict: Verdict::Unknown(reason) }
    }

    /// The answer in the words of the expectation, and how the two compare.
    pub fn compared(&self, expected: Option<&Expected>) -> (String, Grade) {
        let word = verdict_word(&self.verdict).to_string();
        let is_unknown = matches!(self.verdict, Verdict::Unknown(_));
        match expected {
            Some(Expected::Verdict(expected)) if *expected == word => (word, Grade::Right),
            Some(Expected::Claim(expected, spelling)) if self.claim != Claim::Undecided => {
                let is_validated = self.claim == Claim::Validated;
                let grade = if is_validated == *expected { Grade::Right } else { Grade::Wrong };
                (claim_word(is_validated, spelling).into(), grade)
            }
            _ if is_unknown => (word, Grade::Unknown),
            None => (word, Grade::Unjudged),
            Some(_) => (word, Grade::Wrong),
        }
    }
}

/// Whether it is claimed that there is an execution as asked about.
fn claims_existence(answer: &Answer) -> bool {
    match answer.program.question.as_ref().map(|question| question.quantifier) {
        Some(quantifier) => quantifier == Quantifier::Exists,
        None => answer.property == Property::Possible,
    }
}

fn claim_word(is_validated: bool, spelling: &str) -> &'static str {
    let is_herd = spelling.eq_ignore_ascii_case("ok") || spelling.eq_ignore_ascii_case("no");
    match (is_validated, is_herd) {
        (true, true) => "Ok",
        (false, true) => "No",
        (true, false) => "pass",
        (false, false) => "fail",
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Something is not modelled.
    Unsupported(String),
    /// The input was rejected.
    Rejected(String),
}

impl Missing {
    /// What takes the place of the answer, how it compares with what was expected, and why there is none.
    pub fn compared(self, expected: Option<&Expected>) -> (String, Grade, String) {
        match (expected, self) {
            (Some(Expected::Error(part)), Missing::Unsupported(reason) | Missing::Rejected(reason)) => {
                let grade = if reason.contains(part.as_str()) { Grade::Right } else { Grade::Wrong };
                ("error".into(), grade, reason)
            }
            (_, Missing::Unsupported(reason)) => ("-".into(), Grade::Unsupported, reason),
            (_, Missing::Rejected(reason)) => ("error".into(), Grade::Wrong, reason),
        }
    }
}
