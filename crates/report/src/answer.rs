//! An outcome together with what it is the outcome of, and whether it bears out what the program claims.

use program::{Execution, Language, Outcome, Program, Property, Quantifier, Verdict, Violation};

use crate::asked::{Subject, Test};
use crate::words;

/// An outcome, and what it is the outcome of.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The program's file as the user gave it.
    pub file: &'a str,
    /// The program; its question is the one that was answered.
    pub program: &'a Program,
    /// Name of the memory model.
    pub model: &'a str,
    /// Name of the engine.
    pub engine: &'a str,
    /// What was asked of a program that brings no question of its own.
    pub property: Property,
    /// What kind of question it was.
    pub subject: &'a Subject,
    /// What the engine answered.
    pub outcome: &'a Outcome,
}

/// What has become of the claim that a program makes by its quantifier or its assertions. Only a litmus test says what it
/// claims; of assertions it is claimed that the property asked for is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is true.
    Validated,
    /// It is false.
    Refuted,
    /// It is not known.
    Undecided,
}

impl Answer<'_> {
    /// Whether the program's claim is borne out. `exists` claims that the outcome is allowed, `~exists` that it is
    /// forbidden; `forall` claims that it holds. Without a question, the claim is the property that was asked for.
    pub fn claim(&self) -> Claim {
        let quantifier = self.program.question.as_ref().map(|question| question.quantifier);
        match (quantifier, &self.outcome.verdict) {
            (Some(Quantifier::Exists) | None, Verdict::Allowed) => Claim::Validated,
            (Some(Quantifier::Exists) | None, Verdict::Forbidden) => Claim::Refuted,
            (Some(Quantifier::NotExists), Verdict::Forbidden) => Claim::Validated,
            (Some(Quantifier::NotExists), Verdict::Allowed) => Claim::Refuted,
            (_, Verdict::Holds) => Claim::Validated,
            (_, Verdict::Violated) => Claim::Refuted,
            _ => Claim::Undecided,
        }
    }

    /// The question in plain words.
    pub fn question(&self) -> String {
        match self.test() {
            Some(test) => words::test_question(test, self.file, self.model),
            None => words::question(self.program, self.property, self.model),
        }
    }

    /// The bounded test that was asked about, if it was one.
    pub fn test(&self) -> Option<&Test> {
        match self.subject {
            Subject::Test(test) => Some(test),
            Subject::Litmus | Subject::Whole => None,
        }
    }

    /// Whether the execution is shown step by step.
    pub fn is_shown_by_steps(&self) -> bool {
        *self.subject != Subject::Litmus
    }

    /// Whether it shows how a program of C goes wrong that asks no other question, whatever engine has found that out.
    pub fn is_program_that_fails(&self) -> bool {
        let is_program = self.program.language == Language::C && self.program.question.is_none();
        is_program && self.outcome.failure.is_some() && self.outcome.witness.is_some()
    }

    /// The execution to draw, if there is one: the witness, or else the execution that would have the outcome and what
    /// is wrong with it.
    pub fn picture(&self) -> Option<(&Execution, Option<&Violation>)> {
        let witness = self.outcome.witness.as_ref().map(|execution| (execution, None));
        witness.or_else(|| self.outcome.violation.as_ref().map(|violation| (&violation.execution, Some(violation))))
    }
}

/// The verdict as one word, as scripts read it.
pub fn verdict_word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allowed => "allowed",
        Verdict::Forbidden => "forbidden",
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::Unknown(_) => "unknown",
    }
}
