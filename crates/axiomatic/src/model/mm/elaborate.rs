//! From declarations and axioms to formulas: what names mean.
//!
//! A text is read once and elaborated for each shape of program. What is wrong does not depend on the shape, so it is all
//! found with the smallest that has a member of every family.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use program::{Diagnostic, Sources, Span};
use relation::formula::{Expr, ExprId, Formulas, Variable};

use super::super::{EventView, Model, Shape};
use super::index::{IndexSort, Member, Parameter};
use super::predefined::{View, meaning};
use super::syntax::{Existing, File, Sort, Term};

/// Nodes of one model's formulas; `<=>` doubles its sides.
const NODES: usize = 100_000;

/// Index variables that one formula may use, and indices that a family may have: each multiplies the model's size.
pub(super) const INDICES: usize = 4;

/// The shape for which a text is checked.
pub(super) const SMALLEST: Shape = Shape { threads: 1, locations: 1, executions: 1 };

/// Gives names their meaning. What is wrong is added to `messages`; the model is of use only if nothing was. The second part
/// of the answer says whether there are families, so that the model is one for this shape only.
pub(super) fn check(name: &str, file: &File, sources: Sources, messages: &mut Vec<Diagnostic>) -> (Model, bool) {
    let mut elaborator = elaborator(name, file, sources, SMALLEST, messages);
    elaborator.limit = NODES;
    elaborator.elaborate(file);
    let families = elaborator.speculative
        || !elaborator.index_variables.is_empty()
        || elaborator.symbols.values().any(|symbol| !symbol.parameters.is_empty());
    (elaborator.model, families)
}

/// A model of a text in which nothing is wrong, for programs of one shape.
pub(super) fn instantiate(name: &str, file: &File, sources: Sources, shape: Shape) -> Model {
    let mut messages = Vec::new();
    let mut elaborator = elaborator(name, file, sources, shape, &mut messages);
    elaborator.elaborate(file);
    elaborator.model
}

fn elaborator<'m>(
    name: &str,
    file: &File,
    sources: Sources,
    shape: Shape,
    messages: &'m mut Vec<Diagnostic>,
) -> Elaborator<'m> {
    let name = match &file.name {
        Some(name) => name.text.to_string(),
        None => super::super::stem(name).to_string(),
    };
    let model = Model {
        name,
        sources,
        formulas: Formulas::new(),
        axioms: Vec::new(),
        existentials: Vec::new(),
        names: Vec::new(),
        view: EventView::Parts,
        shown: Vec::new(),
        template: None,
    };
    Elaborator {
        model,
        shape,
        speculative: file.executions,
        symbols: HashMap::new(),
        variables: HashMap::new(),
        index_variables: HashMap::new(),
        defined: HashMap::new(),
        named: HashSet::new(),
        fresh: 0,
        nodes: 0,
        limit: usize::MAX,
        messages,
    }
}

/// A symbol that axioms may use.
#[derive(Clone)]
pub(super) struct Symbol {
    pub(super) sort: Sort,
    /// The sets of its arguments, by name.
    pub(super) arguments: Vec<Arc<str>>,
    /// What a family is indexed by.
    pub(super) parameters: Vec<Parameter>,
    pub(super) meaning: Meaning,
}

#[derive(Clone)]
pub(super) enum Meaning {
    /// A symbol of the vocabulary.
    Predefined,
    /// An existential relation of one or two arguments, by the name of its base relation without indices.
    Base(Arc<str>),
    /// An existential relation of three or more arguments.
    Free(Arc<str>),
    /// A definition, by its place.
    Defined(usize),
    /// Something that was reported already.
    Wrong,
}

pub(super) struct Elaborator<'m> {
    pub(super) model: Model,
    pub(super) shape: Shape,
    /// Whether there are several executions.
    pub(super) speculative: bool,
    pub(super) symbols: HashMap<Arc<str>, Symbol>,
    /// Declared variables with what they range over.
    pub(super) variables: HashMap<Arc<str>, Term>,
    pub(super) index_variables: HashMap<Arc<str>, IndexSort>,
    /// The members of definitions, by place.
    pub(super) defined: HashMap<(usize, Vec<Member>), ExprId>,
    /// The names that expressions have got.
    named: HashSet<String>,
    fresh: u32,
    /// Nodes of formulas so far, and how many there may be.
    pub(super) nodes: usize,
    pub(super) limit: usize,
    pub(super) messages: &'m mut Vec<Diagnostic>,
}

impl Elaborator<'_> {
    fn elaborate(&mut self, file: &File) {
        file.forall.iter().for_each(|(name, set)| self.index(name, set));
        file.predefined.iter().for_each(|declaration| self.predefined(declaration));
        file.exists.iter().for_each(|existing| match existing {
            Existing::Relation(declaration) => self.existential(declaration),
            Existing::Order { name, indices, .. } => self.order(name, indices),
        });
        file.define.iter().enumerate().for_each(|(place, definition)| self.definition(place, definition));
        file.exists.iter().for_each(|existing| {
            if let Existing::Order { name, indices, on, containing } = existing {
                self.order_range(name, indices, on, containing.as_ref());
            }
        });
        file.forall.iter().for_each(|(name, set)| self.variable(name, set));
        self.axioms(&file.axioms);
        file.show.iter().for_each(|name| self.show(name));
        let orders = self.total_orders();
        self.coherence(&orders);
    }

    pub(super) fn wrong(&mut self, message: impl Into<String>, span: Span) {
        self.messages.push(Diagnostic::error(message, span));
    }

    /// Gives an expression a name to be shown by, once.
    pub(super) fn give_name(&mut self, name: String, id: ExprId) {
        if self.named.insert(name.clone()) {
            self.model.names.push((name, id));
        }
    }

    /// Whether this is a first look at the text, in which what is wrong is to be found.
    pub(super) fn is_checking(&self) -> bool {
        self.limit != usize::MAX
    }

    /// The set of that name, of the main execution; it was checked where it is declared.
    pub(super) fn set(&mut self, name: &str) -> ExprId {
        meaning(name, View { suffix: "", speculative: self.speculative }, &mut self.model.formulas)
    }

    pub(super) fn fresh(&mut self) -> Variable {
        self.fresh += 1;
        Variable(self.fresh - 1)
    }
}

/// Whether an expression is made of another one.
pub(super) fn reaches(formulas: &Formulas, from: ExprId, wanted: &Expr) -> bool {
    let (mut open, mut seen) = (vec![from], HashSet::from([from]));
    while let Some(id) = open.pop() {
        let node = formulas.node(id);
        if node == wanted {
            return true;
        }
        open.extend(node.operands().into_iter().filter(|operand| seen.insert(*operand)));
    }
    false
}
