//! herd's cat language, so that its users' models run unchanged.
//!
//! A file is split into words (`lexer`), read into statements (`parser`, `syntax`) and elaborated (`elaborate`, `evaluate`): names
//! get their meaning, functions and procedures are expanded, includes are followed, and what remains is a list of named
//! formulas. What herd's own library files give to models that include them is built in (`library`), in our own words.
//!
//! Sets given by their elements, `match`, `forall`, and recursive functions are expanded too (`listed`), where their elements
//! are tags, relations or sets of events that stand in the model; where these are events, pairs or classes of an execution, what is
//! made of each is written once, with a variable (`family`).
//!
//! A bell file's `instructions` names the sets of events with a tag, which the primitives of the Linux kernel have; a `.cfg` file says
//! which bell file and which model belong together.
//!
//! Not read, but refused with the place: taking an event out of a set other than for a union over all of them; `default` of bell
//! files; recursion through a complement or the right side of a difference; statements under a condition on sets.
//! Conditions on herd's variants are read, and every variant is off.

use program::Diagnostics;

use super::Model;

mod cross;
mod elaborate;
mod evaluate;
mod family;
mod lexer;
mod library;
mod listed;
mod parser;
mod same;
mod syntax;
mod value;

/// How many errors are reported at most.
const MESSAGES: usize = 50;

/// Reads a cat model. `include` gives the text of an included file, by the name in the file, or `None` if there is none;
/// the files of herd's library that models commonly include need not be there.
pub fn load(name: &str, text: &str, include: &dyn Fn(&str) -> Option<String>) -> Result<Model, Diagnostics> {
    elaborate::elaborate(name, text, include)
}
