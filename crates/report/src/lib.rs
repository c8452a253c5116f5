//! Answers as people and scripts read them. Values in, text out: nothing here reads a file, the clock or the environment.
//!
//! Everything starts from an [`Answer`]: an outcome, and what it is the outcome of.
//!
//! | module | gives | for |
//! |---|---|---|
//! | [`text`] | plain words: question, verdict, evidence | a terminal |
//! | [`json`] | the documented object, schema 1 | scripts |
//! | [`herd`] | what herd7 prints | scripts that read herd7's output |
//! | [`svg`], [`dot`] | a picture of an execution | eyes; Graphviz |
//! | [`html`] | all of it on one page that opens offline | a browser |
//! | [`suite`] | many answers: a summary table, JSON, JUnit | continuous integration |
//! | [`compare`] | what tells two models apart: a table, JSON | a terminal, scripts |
//! | [`mod@replay`] | the steps of an execution of a machine: a table, JSON | a terminal, scripts |
//! | [`races`] | data races: text, JSON | a terminal, scripts |
//! | [`stress`] | outcomes of a test of jcstress: a table | a terminal |
//! | [`reordering`] | where an execution leaves program order | explanations of failed tests, in all formats |
//! | [`fences`] | sets of fences and why each member is needed: text, JSON; [`patch`] the change of the source | a terminal, scripts |
//! | [`clients`] | all bounded clients of a data type, and the smallest that fails: text, JSON | a terminal, scripts |
//! | [`failure`] | what goes wrong in an execution | the other formats |
//! | [`diagnostic`] | what is wrong with an input, with the source line | a terminal |
//!
//! A new format of answers is a new module and an entry of [`FORMATS`], both here.

pub mod answer;
mod asked;
pub mod calls;
pub mod cells;
pub mod clients;
pub mod compare;
pub mod constraints;
pub mod cubes;
pub mod diagnostic;
pub mod dot;
mod drawing;
mod explanation;
pub mod failure;
pub mod fences;
pub mod format;
pub mod herd;
pub mod html;
pub mod json;
pub mod junit;
mod justification;
mod names;
pub mod patch;
pub mod races;
pub mod reordering;
pub mod replay;
pub mod stress;
pub mod suite;
pub mod svg;
mod synchronization;
pub mod table;
pub mod text;
mod trace;
pub mod words;
mod xml;

pub use answer::{Answer, Claim};
pub use asked::{Subject, Test};
pub use format::Format;
use format::format;
pub use program::Property;

/// The formats of answers. Whoever reads a command line takes their names from here.
pub const FORMATS: &[Format] = &[
    Format {
        outcomes: Some(|answer, _| text::outcomes(answer)),
        is_text: true,
        shows_warnings: true,
        ..format("text", "Plain words", |answer, _| text::answer(answer))
    },
    Format {
        outcomes: Some(|answer, _| json::answer(answer)),
        shows_warnings: true,
        ..format("json", "One object per answer, schema 1", |answer, _| json::answer(answer))
    },
    Format {
        outcomes: Some(|answer, _| html::answer(answer)),
        is_page: true,
        shows_warnings: true,
        ..format("html", "A page that opens offline", |answer, _| html::answer(answer))
    },
    Format { is_page: true, ..format("dot", "A picture in the language of Graphviz", |answer, _| dot::answer(answer)) },
    Format { is_page: true, ..format("svg", "A picture", |answer, _| svg::answer(answer)) },
    Format {
        outcomes: Some(|answer, _| junit::answer(answer)),
        is_page: true,
        ..format("junit", "A test suite of JUnit for continuous integration", |answer, _| junit::answer(answer))
    },
    Format { outcomes: Some(herd::answer), needs_states: true, ..format("herd", "As herd7 prints", herd::answer) },
];

#[cfg(test)]
mod examples;
