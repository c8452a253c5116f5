//! Suites as data: what is expected of which program, under which model, of which engine.
//!
//! A row of a suite is a [`Stated`] expectation about a file. Rows stand in the files' comments ([`comments`]) or in the
//! `palisade.toml` of a tree ([`manifest`]), in the same words ([`grammar`]); [`grade`] compares an answer with what was
//! expected; a [`row`] is what is run. Reading files and running rows is for whoever uses this library.

pub mod comments;
pub mod grade;
pub mod grammar;
pub mod manifest;
pub mod row;

use std::time::Duration;

use program::Property;

use crate::engine::Engine;
use crate::orders::MemoryOrders;

/// What is expected of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Its claim is validated (`Ok`, `pass`) or not (`No`, `fail`), in the words of the expectation.
    Claim(bool, String),
    /// This verdict.
    Verdict(String),
    /// It is rejected with a message that contains this.
    Error(String),
}

impl Expected {
    /// Reads an answer; `None` for a word that is not one.
    pub fn parse(word: &str) -> Option<Expected> {
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            "ok" | "pass" => Some(Expected::Claim(true, word.into())),
            "no" | "fail" => Some(Expected::Claim(false, word.into())),
            "allowed" | "forbidden" | "holds" | "violated" | "unknown" => Some(Expected::Verdict(lower)),
            _ => None,
        }
    }

    /// The question about assertions that this is an answer to.
    pub fn property(&self) -> Property {
        match self {
            Expected::Verdict(word) if word == "allowed" || word == "forbidden" => Property::Possible,
            _ => Property::Always,
        }
    }

    /// The expectation as it was written.
    pub fn text(&self) -> String {
        match self {
            Expected::Claim(_, word) => word.clone(),
            Expected::Verdict(word) => word.clone(),
            Expected::Error(part) => format!("error {part}"),
        }
    }
}

/// How a row is answered, as far as it says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct How {
    /// Who is to answer.
    pub engine: Option<Engine>,
    /// What is asked of assertions; without it, what the answer is an answer to.
    pub question: Option<Property>,
    /// The bounded test of a C file's operations.
    pub test: Option<String>,
    /// The C file whose serial executions say what the test may show, from the folder of the row's file.
    pub reference: Option<String>,
    /// Macros of a C file, `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// How often loops of litmus tests and Java are unrolled.
    pub unroll: Option<u32>,
    /// What memory orders of C11 mean on machines that have none.
    pub memory_orders: Option<MemoryOrders>,
    /// Whether torn variables of Java are looked for.
    pub tearing: bool,
    /// When to give up.
    pub timeout: Option<Duration>,
}

impl How {
    /// What is asked, in the words of the [`grammar`]: all but when to give up.
    pub fn text(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.engine.map(|engine| format!("engine={}", engine.name())));
        words.extend(self.question.map(|question| format!("question={}", grammar::question_word(question))));
        words.extend(self.test.iter().map(|test| format!("test={}", grammar::quoted(test))));
        words.extend(self.reference.iter().map(|file| format!("reference={}", grammar::quoted(file))));
        words.extend(self.defines.iter().map(|define| format!("-D {}", grammar::quoted(define))));
        words.extend(self.unroll.map(|bound| format!("unroll={bound}")));
        words.extend(self.memory_orders.map(|orders| format!("memory-orders={}", orders.name())));
        words.extend(self.tearing.then(|| "--tearing".to_string()));
        words.join(" ")
    }

    /// With what `defaults` say where this says nothing. Macros are defined by both; who comes last wins.
    #[must_use]
    pub fn or(&self, defaults: &How) -> How {
        How {
            engine: self.engine.or(defaults.engine),
            question: self.question.or(defaults.question),
            test: self.test.clone().or_else(|| defaults.test.clone()),
            reference: self.reference.clone().or_else(|| defaults.reference.clone()),
            defines: defaults.defines.iter().chain(&self.defines).cloned().collect(),
            unroll: self.unroll.or(defaults.unroll),
            memory_orders: self.memory_orders.or(defaults.memory_orders),
            tearing: self.tearing || defaults.tearing,
            timeout: self.timeout.or(defaults.timeout),
        }
    }
}

/// One expectation about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The model; without one, those of the suite, or that which the file's language is meant for.
    pub model: Option<String>,
    /// What is expected; nothing if the answer is only to be shown.
    pub answer: Option<Expected>,
    /// How it is answered.
    pub how: How,
}

impl Stated {
    /// The question about assertions that it asks.
    pub fn property(&self) -> Property {
        let of_answer = || self.answer.as_ref().map_or(Property::Always, Expected::property);
        self.how.question.unwrap_or_else(of_answer)
    }
}
