//! A model as text: what its file came to mean. For tests, for `palisade models`, and for people who write models.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use relation::formula::{Expr, ExprId, Formula, Variable};

use super::{AxiomKind, Model, Range};

/// How long a single expression may become before it is cut: expressions share parts, text does not.
const LONG: usize = 4_000;

/// The existentials, the definitions that matter, and the axioms of a model, one to a line. An expression that has a name
/// is written by its name; the definitions of the names that occur come first.
pub fn describe(model: &Model) -> String {
    let mut printer = Printer { model, names: HashMap::new(), used: Vec::new(), seen: HashSet::new() };
    for (name, id) in &model.names {
        printer.names.entry(*id).or_insert(name);
    }
    let mut lines = Vec::new();
    for existential in &model.existentials {
        let range = match &existential.range {
            Range::Linearisation { on, contains } => {
                format!("a linearisation of {} with {}", printer.expr(*on), printer.expr(*contains))
            }
            Range::Relation(sets) => {
                let sets: Vec<String> = sets.iter().map(|set| printer.expr(*set)).collect();
                format!("a relation on {}", sets.join(", "))
            }
        };
        lines.push(format!("exists {}: {range}", existential.name));
    }
    for axiom in &model.axioms {
        let kind = match axiom.kind {
            AxiomKind::Require => "require",
            AxiomKind::Flag => "flag",
        };
        lines.push(format!("{kind} {}: {}", axiom.name, printer.formula(&axiom.formula)));
    }
    for (name, id) in &model.shown {
        lines.push(format!("show {name}: {}", printer.expr(*id)));
    }
    let mut text = format!("model {}\n", model.name);
    for (name, definition) in printer.definitions() {
        let _ = writeln!(text, "let {name} = {definition}");
    }
    for line in lines {
        let _ = writeln!(text, "{line}");
    }
    text
}

struct Printer<'a> {
    model: &'a Model,
    names: HashMap<ExprId, &'a str>,
    /// Named expressions that were written by name, in order of first use.
    used: Vec<ExprId>,
    seen: HashSet<ExprId>,
}

impl Printer<'_> {
    /// The definitions of all names used so far and in those definitions, in the order of the model.
    fn definitions(&mut self) -> Vec<(String, String)> {
        let mut found = HashMap::new();
        let mut next = 0;
        while next < self.used.len() {
            let id = self.used[next];
            let mut text = String::new();
            self.write(id, 0, true, &mut text);
            found.insert(id, text);
            next += 1;
        }
        let mut definitions = Vec::new();
        for (name, id) in &self.model.names {
            if self.names.get(id) == Some(&name.as_str())
                && let Some(text) = found.remove(id)
                && text != *name
            {
                definitions.push((name.clone(), text));
            }
        }
        definitions
    }

    fn expr(&mut self, id: ExprId) -> String {
        let mut text = String::new();
        self.write(id, 0, false, &mut text);
        text
    }

    /// Writes an expression; `tightness` is that of the operator around it, `expand` asks for the definition of a name.
    fn write(&mut self, id: ExprId, tightness: u8, expand: bool, text: &mut String) {
        if text.len() > LONG {
            if !text.ends_with("..") {
                text.push_str("..");
            }
            return;
        }
        if let Some(name) = self.names.get(&id).filter(|_| !expand) {
            text.push_str(name);
            if self.seen.insert(id) {
                self.used.push(id);
            }
            return;
        }
        let node = self.model.formulas.node(id);
        let (own, symbol, left, right) = match node {
            Expr::Union(a, b) => (1, " | ", a, b),
            Expr::Sequence(a, b) => (2, "; ", a, b),
            Expr::Difference(a, b) => (3, " \\ ", a, b),
            Expr::Intersection(a, b) => (4, " & ", a, b),
            Expr::Product(a, b) => (5, " * ", a, b),
            other => return self.write_simple(other, expand, text),
        };
        let open = own < tightness;
        text.push_str(if open { "(" } else { "" });
        self.write(*left, own, false, text);
        text.push_str(symbol);
        self.write(*right, own + 1, false, text);
        text.push_str(if open { ")" } else { "" });
    }

    fn write_simple(&mut self, node: &Expr, expand: bool, text: &mut String) {
        let (before, inner, after) = match node {
            Expr::Base(name) => return text.push_str(name),
            Expr::Empty => return text.push('0'),
            Expr::Universe => return text.push_str("~0"),
            Expr::Identity => return text.push_str("id"),
            Expr::Recursive(name) => match self.model.formulas.definition(*name) {
                Some(definition) if expand => return self.write(definition, 0, false, text),
                _ => {
                    let _ = write!(text, "rec{}", name.0);
                    return;
                }
            },
            Expr::Comprehension(comprehension) => {
                let variables: Vec<String> = comprehension
                    .variables
                    .iter()
                    .map(|&(variable, set)| format!("{} in {}", name(variable), self.expr(set)))
                    .collect();
                let body = self.formula(&comprehension.body);
                let _ = write!(text, "{{{} | {body}}}", variables.join(", "));
                return;
            }
            Expr::Single(variable) => {
                let _ = write!(text, "{{{}}}", name(*variable));
                return;
            }
            Expr::Each(variable, set, body) => {
                let (set, body) = (self.expr(*set), self.expr(*body));
                let _ = write!(text, "(all {body} for {} in {set})", name(*variable));
                return;
            }
            Expr::Inverse(inner) => ("", inner, "^-1"),
            Expr::Closure(inner) => ("", inner, "^+"),
            Expr::ReflexiveClosure(inner) => ("", inner, "^*"),
            Expr::Domain(inner) => ("domain(", inner, ")"),
            Expr::Range(inner) => ("range(", inner, ")"),
            _ => return,
        };
        text.push_str(before);
        self.write(*inner, if before.is_empty() { 6 } else { 0 }, false, text);
        text.push_str(after);
    }

    fn formula(&mut self, formula: &Formula) -> String {
        match formula {
            Formula::Constant(value) => value.to_string(),
            Formula::Acyclic(id) => format!("acyclic {}", self.expr(*id)),
            Formula::Irreflexive(id) => format!("irreflexive {}", self.expr(*id)),
            Formula::Empty(id) => format!("empty {}", self.expr(*id)),
            Formula::TotalOrder { order, on } => {
                format!("{} is a total order of {}", self.expr(*order), self.expr(*on))
            }
            Formula::Member(id, x, y) => {
                let mut relation = String::new();
                self.write(*id, 6, false, &mut relation);
                if x == y {
                    format!("{relation}({})", name(*x))
                } else {
                    format!("{relation}({},{})", name(*x), name(*y))
                }
            }
            Formula::Free(relation, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| name(*argument)).collect();
                format!("{relation}({})", arguments.join(","))
            }
            Formula::Same(x, y) => format!("{} = {}", name(*x), name(*y)),
            Formula::AtLeast(number, id) => {
                let mut relation = String::new();
                self.write(*id, 6, false, &mut relation);
                format!("#{relation} >= {number}")
            }
            Formula::ForAll(x, set, body) => {
                format!("forall {} in {}. {}", name(*x), self.expr(*set), self.formula(body))
            }
            Formula::Exists(x, set, body) => {
                format!("exists {} in {}. {}", name(*x), self.expr(*set), self.formula(body))
            }
            Formula::Not(inner) => match &**inner {
                Formula::Acyclic(_) | Formula::Irreflexive(_) | Formula::Empty(_) => {
                    format!("~{}", self.formula(inner))
                }
                _ => format!("~{}", self.operand(inner)),
            },
            Formula::And(parts) => self.joined(parts, " & "),
            Formula::Or(parts) => self.joined(parts, " | "),
        }
    }

    fn joined(&mut self, parts: &[Formula], symbol: &str) -> String {
        let parts: Vec<String> = parts.iter().map(|part| self.operand(part)).collect();
        parts.join(symbol)
    }

    /// A formula in brackets unless it needs none.
    fn operand(&mut self, formula: &Formula) -> String {
        let text = self.formula(formula);
        let simple = matches!(
            formula,
            Formula::Constant(_) | Formula::Member(..) | Formula::Free(..) | Formula::Same(..) | Formula::Not(_)
        );
        if simple { text } else { format!("({text})") }
    }
}

fn name(variable: Variable) -> String {
    format!("x{}", variable.0)
}
