//! Memory models: data, read from files, never Rust code.
//!
//! Both model languages become the same thing: a list of named formulas over the vocabulary. [`cat`] reads herd's
//! language, [`mm`] the labelled axioms of the CheckFence thesis.

use std::borrow::Cow;
use std::sync::Arc;

use program::{Diagnostics, Sources, Span, Unsupported};
use relation::formula::{Expr, ExprId, Formula, Formulas};

use crate::vocabulary;

pub mod cat;
mod describe;
pub mod meaning;
pub mod mm;

pub use describe::describe;

/// A memory model.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name: the file's stem, or what the `model` line says.
    pub name: String,
    /// The texts that spans point into: the file and what it includes.
    pub sources: Sources,
    /// The expressions that all formulas below use.
    pub formulas: Formulas,
    /// What an execution must satisfy, and what is merely flagged.
    pub axioms: Vec<Axiom>,
    /// Relations that the model itself quantifies existentially, besides `rf` and `co`.
    pub existentials: Vec<Existential>,
    /// Names that the model gives to expressions, in order of definition; a later one may shadow an earlier one. They
    /// name the steps of an offending cycle.
    pub names: Vec<(String, ExprId)>,
    /// Which events the model speaks of.
    pub view: EventView,
    /// Relations that the model asks to be shown in pictures (`show`), by the name to show.
    pub shown: Vec<(String, ExprId)>,
    /// What a model with families is made from anew for each program; without families there is none.
    pub(crate) template: Option<Arc<mm::Template>>,
}

/// Which events a model speaks of: see the module `herd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventView {
    /// Those of herd's models: a read-modify-write of C is one event, and program order relates instructions.
    Herd,
    /// A read-modify-write is two events, its read before its write in program order. So it is in `.mm` models, and in cat
    /// models that include `palisade.cat`.
    Parts,
}

/// What a model with families needs to know of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many threads there are.
    pub threads: usize,
    /// How many locations there are.
    pub locations: usize,
    /// How many executions E_1..E_k of the program there are besides the main one: k.
    pub executions: usize,
}

impl Model {
    /// Whether the model speaks of several executions of one program.
    pub fn is_speculative(&self) -> bool {
        self.template.as_ref().is_some_and(|template| template.is_speculative())
    }

    /// The base relations and sets that the model's expressions use and that the model does not quantify itself.
    pub fn base_names(&self) -> Vec<Arc<str>> {
        let own = |name: &Arc<str>| self.existentials.iter().any(|existential| existential.name == *name);
        let bases = (0..self.formulas.len()).filter_map(|index| match self.formulas.node(ExprId(index as u32)) {
            Expr::Base(name) if !own(name) => Some(name.clone()),
            _ => None,
        });
        bases.collect()
    }

    /// Whether the model uses this base relation or set.
    pub fn mentions(&self, name: &str) -> bool {
        self.base_names().iter().any(|base| **base == *name)
    }

    /// The model for a program of this shape: each family becomes one relation per member, named `NAME#3` for the fourth
    /// thread or location, `NAME@3` for the execution E_3, and plainly for the main execution. Borrowed if there is
    /// nothing to instantiate. A model with families that is not instantiated is that of one thread, one location and
    /// one execution besides the main one.
    pub fn instantiate(&self, shape: Shape) -> Cow<'_, Model> {
        match &self.template {
            Some(template) => Cow::Owned(template.instantiate(self, shape)),
            None => Cow::Borrowed(self),
        }
    }
}

/// What becomes of an execution that breaks an axiom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxiomKind {
    /// The model forbids it.
    Require,
    /// The model allows it; when the formula *holds* the report raises a flag of the axiom's name (cat's `flag`). For
    /// cat's `undefined_unless` the formula is stored negated, so that holding always means raised.
    Flag,
}

/// A named formula of a model.
#[derive(Clone, Debug)]
pub struct Axiom {
    /// The name after `as`, or the label; else made from the check: `acyclic-1`.
    pub name: String,
    /// Whether it is required or flagged.
    pub kind: AxiomKind,
    /// The formula.
    pub formula: Formula,
    /// Where it stands: its first word, or all of it.
    pub span: Span,
    /// All that the model says of it; nothing of an axiom that was added on the user's behalf.
    pub statement: Option<Span>,
    /// The axioms that were recognised as this one; none if it stands in the model so.
    pub parts: Vec<Axiom>,
}

/// A relation that the model quantifies existentially: an execution is allowed if some choice of it fits.
#[derive(Clone, Debug)]
pub struct Existential {
    /// The name of its [`relation::formula::Expr::Base`] or [`Formula::Free`]. Unique: a shadowed name gets a suffix.
    pub name: Arc<str>,
    /// What it ranges over.
    pub range: Range,
    /// Where it is declared.
    pub span: Span,
}

/// What an existential relation ranges over.
#[derive(Clone, Debug)]
pub enum Range {
    /// Strict total orders of the set `on` that contain `contains` (cat's `linearisations`).
    Linearisation {
        /// The set to order.
        on: ExprId,
        /// Pairs that the order must contain.
        contains: ExprId,
    },
    /// Relations whose arguments come from these sets, one set per argument.
    Relation(Vec<ExprId>),
}

/// Reads a model in the language that the file name's ending says: `.mm`, herd's `.cfg`, or else cat.
pub fn load(name: &str, text: &str, include: &dyn Fn(&str) -> Option<String>) -> Result<Model, Diagnostics> {
    match name.rsplit_once('.') {
        Some((_, "mm")) => mm::load(name, text),
        Some((_, "cfg")) => cat::load(name, &configured(name, text)?, include),
        _ => cat::load(name, text, include),
    }
}

/// What a configuration of herd includes: its bell file, then its model. It may not change what these mean; what else it says is about
/// programs and pictures.
fn configured(name: &str, text: &str) -> Result<String, Diagnostics> {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let (mut bells, mut models, mut messages) = (String::new(), String::new(), Vec::new());
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let (word, rest) = line.trim().split_once([' ', '\t']).unwrap_or((line.trim(), ""));
        let included = format!("include \"{}\"\n", rest.trim().trim_matches('"'));
        match word {
            "bell" => bells.push_str(&included),
            "model" => models.push_str(&included),
            "include" | "variant" => {
                let what = format!("`{word}` in a configuration of herd");
                let span = Span::new(file, start, start + line.trim_end().len());
                messages.push(Unsupported::new(what, Some(span)).into());
            }
            _ => {}
        }
        start += line.len();
    }
    if messages.is_empty() { Ok(bells + &models) } else { Err(Diagnostics { sources, messages }) }
}

/// The models that come with Palisade: the files in `models/`, by file name. Of two with the same stem the first is meant by
/// the stem alone.
pub fn shipped() -> &'static [(&'static str, &'static str)] {
    include!(concat!(env!("OUT_DIR"), "/models.rs"))
}

/// What a model file says of itself in its first four lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header<'a> {
    /// What the model is called.
    pub name: &'a str,
    /// Where it comes from.
    pub source: &'a str,
    /// Where it differs from that.
    pub deviations: &'a str,
    /// How it relates to other models.
    pub relation: &'a str,
}

/// The header of a model file: lines `// name: ..`, `// source: ..`, `// deviations: ..`, `// relation: ..` before
/// anything else, in any order; what is missing is empty. Comments may as well be `(* .. *)`, one to a line.
pub fn header(text: &str) -> Header<'_> {
    let mut header = Header::default();
    for line in text.lines() {
        let line = line.trim();
        let bracketed = || line.strip_prefix("(*")?.strip_suffix("*)");
        let Some((key, value)) = line.strip_prefix("//").or_else(bracketed).and_then(|line| line.split_once(':'))
        else {
            break;
        };
        let field = match key.trim() {
            "name" => &mut header.name,
            "source" => &mut header.source,
            "deviations" => &mut header.deviations,
            "relation" => &mut header.relation,
            _ => break,
        };
        *field = value.trim();
    }
    header
}

/// The name of a file without its folder and ending.
fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.strip_suffix(".cat").or_else(|| file.strip_suffix(".mm")).unwrap_or(file);
    if stem.is_empty() { file } else { stem }
}

/// `name`, or with a number if the vocabulary or another existential has it: they share the names of base relations.
fn free_name(name: &str, existentials: &[Existential]) -> Arc<str> {
    let taken = |name: &str| {
        vocabulary::SETS.iter().chain(vocabulary::RELATIONS).any(|(known, _)| *known == name)
            || existentials.iter().any(|existential| *existential.name == *name)
    };
    if !taken(name) {
        return name.into();
    }
    (existentials.len() + 1..)
        .map(|number| format!("{name}#{number}"))
        .find(|name| !taken(name))
        .map_or(name.into(), Into::into)
}
