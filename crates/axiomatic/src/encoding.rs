//! A program under a model as constraints: what is said so far, and what can be asked of it.

use program::{
    Comparator, EventKind, Observable, Operator, Property, Proposition, Quantifier, Span, Term, Unsupported, Value,
};
use relation::{Bit, Circuit, Expr, Formula, Matrix, Translation};

use crate::bind::coherence_last;
use crate::chain::Chains;
use crate::events::{Assertion, Events};
use crate::existential::{Decided, bind_existential};
use crate::herd::Atoms;
use crate::idle;
use crate::model::{AxiomKind, EventView, Model};
use crate::selector::{Selector, Selectors, Statements};
use crate::setting::Setting;
use crate::symbolic::{self, Symbolic};

/// A program under a model, as constraints.
pub struct Encoding<'m> {
    /// The circuit and its solver.
    pub circuit: Circuit,
    /// The possible events.
    pub events: Events,
    /// Which write each read sees, by events.
    pub rf: Matrix,
    /// The order of the writes of each cell, by events.
    pub co: Matrix,
    /// How threads came to the addresses of objects, by events.
    pub chains: Chains,
    /// What the model takes for events; under a model of several executions that are actions instead.
    pub atoms: Atoms,
    /// Under a model of several executions: which action each event of the main one performs, and when.
    pub performs: Vec<Vec<(usize, Bit)>>,
    /// Under such a model: the other executions.
    pub stages: Vec<Run>,
    /// The model's expressions as matrices.
    pub translation: Translation<'m>,
    /// Selector of each required axiom, by its index in the model; constantly true where statements are fixed.
    pub axioms: Vec<(usize, Bit)>,
    /// Of relations that are total orders by an axiom: the pairs that some constraint speaks of. The others come as these leave it open.
    pub decided: Vec<Decided>,
    /// Selectors of the statements; none where they are fixed.
    pub selectors: Vec<Selector>,
    /// What each observed register or cell holds at the end.
    pub observed: Vec<(Observable, Symbolic)>,
    /// What to look for an execution of: all of these.
    pub asked: Vec<Asked>,
    /// The test's filter.
    pub filter: Bit,
    /// Some loop has more iterations than are unrolled.
    pub pruned: Bit,
    /// Iterations of loops that may make no difference.
    pub idle: idle::Iterations,
    /// Some error happens.
    pub faulty: Bit,
}

/// One of several executions.
pub struct Run {
    /// Its possible events.
    pub events: Events,
    /// Which write each read sees, by events.
    pub rf: Matrix,
    /// How threads came to the addresses of objects, by events.
    pub chains: Chains,
    /// Which action each event performs, and when.
    pub performs: Vec<Vec<(usize, Bit)>>,
}

/// A part of what is asked for.
pub struct Asked {
    /// It is so.
    pub bit: Bit,
    /// What it is, in the user's words.
    pub name: String,
    /// Where it stands.
    pub span: Option<Span>,
}

/// What came of the model's axioms.
struct Required {
    axioms: Vec<(usize, Bit)>,
    decided: Vec<Decided>,
}

/// Makes the model's choices and requires its axioms; gives the selector of each.
fn require_axioms(
    model: &Model,
    statements: Statements,
    translation: &mut Translation,
    circuit: &mut Circuit,
) -> Result<Required, Unsupported> {
    let mut ordered = Vec::new();
    for existential in &model.existentials {
        ordered.extend(bind_existential(existential, model, statements, translation, circuit));
    }
    // What is only looked at when all else is encoded may speak of any pair. Solutions with several executions are not completed.
    if model.is_speculative() || model.axioms.iter().any(|axiom| axiom.kind != AxiomKind::Require) {
        ordered.clear();
    }
    let is_last = |formula: &Formula| match *formula {
        Formula::TotalOrder { order, .. } => match model.formulas.node(order) {
            Expr::Base(name) => ordered.iter().any(|ordered| ordered.name == *name),
            _ => false,
        },
        _ => false,
    };
    let mut axioms = Vec::new();
    for (index, axiom) in model.axioms.iter().enumerate().filter(|(_, axiom)| axiom.kind == AxiomKind::Require) {
        let selector = match statements {
            Statements::Fixed => Bit::TRUE,
            Statements::Selected => circuit.fresh(),
        };
        if !is_last(&axiom.formula) {
            translation.require(&axiom.formula, selector, circuit);
        }
        axioms.push((index, selector));
    }
    let decided = ordered.into_iter().filter_map(|order| order.require(translation, circuit)).collect();
    match translation.failure() {
        Some(what) => Err(Unsupported::new(format!("{what} in the model {}", model.name), None)),
        None => Ok(Required { axioms, decided }),
    }
}

impl<'m> Encoding<'m> {
    /// Adds the model's axioms to what is bound so far; no question is encoded yet.
    pub fn new(
        setting: &'m Setting<'_>,
        statements: Statements,
        (main, co): (Run, Matrix),
        stages: Vec<Run>,
        selectors: Selectors,
        mut translation: Translation<'m>,
        mut circuit: Circuit,
    ) -> Result<Encoding<'m>, Unsupported> {
        let model = &*setting.model;
        let Required { axioms, decided } = require_axioms(model, statements, &mut translation, &mut circuit)?;
        let Run { mut events, rf, chains, performs } = main;
        for stage in &stages {
            events.pruned.extend(stage.events.pruned.iter().cloned());
            events.outside.extend(stage.events.outside.iter().cloned());
            events.faults.extend(stage.events.faults.iter().cloned());
        }
        let outside = events.outside.iter().map(|&(when, _)| when);
        let pruned: Vec<Bit> = events.pruned.iter().map(|&(_, when)| when).chain(outside).collect();
        let faulty: Vec<Bit> = events.faults.iter().map(|fault| fault.when).collect();
        Ok(Encoding {
            pruned: circuit.or(&pruned),
            faulty: circuit.or(&faulty),
            atoms: Atoms::of_events(&events.events, EventView::Parts),
            circuit,
            events,
            rf,
            co,
            chains,
            performs,
            stages,
            translation,
            axioms,
            decided,
            selectors: selectors.list,
            observed: Vec::new(),
            asked: Vec::new(),
            filter: Bit::TRUE,
            idle: idle::Iterations::NONE,
        })
    }
}

impl Encoding<'_> {
    /// Encodes what is asked: the program's question, or its assertions.
    pub fn encode_question(&mut self, setting: &Setting) -> Result<(), Unsupported> {
        let program = setting.program;
        let Some(question) = &program.question else {
            self.ask_about_assertions(setting.property);
            return Ok(());
        };
        let refuse = |what: String| Unsupported::new(what, question.span);
        let mut observables = question.observed.clone();
        let mut add = |observable: &Observable| {
            if !observables.contains(observable) {
                observables.push(observable.clone());
            }
        };
        question.proposition.observables(&mut add);
        question.filter.iter().for_each(|filter| filter.observables(&mut add));
        for observable in observables {
            let value = self.final_value(&observable).map_err(refuse)?;
            self.observed.push((observable, value));
        }
        let holds = self.proposition(&question.proposition).map_err(refuse)?;
        let bit = if question.quantifier == Quantifier::Forall { !holds } else { holds };
        let name = question.span.map_or_else(|| "the outcome asked for".into(), |span| program.sources.words(span));
        self.asked.push(Asked { bit, name, span: question.span });
        if let Some(filter) = &question.filter {
            self.filter = self.proposition(filter).map_err(refuse)?;
        }
        Ok(())
    }

    fn ask_about_assertions(&mut self, property: Property) {
        let list = &self.events.assertions;
        match property {
            Property::Possible => {
                let asked = |a: &Assertion| Asked { bit: a.holds, name: a.message.clone(), span: a.span };
                self.asked.extend(list.iter().map(asked));
            }
            Property::Always => {
                let fails: Vec<Bit> = list.iter().map(|assertion| !assertion.holds).collect();
                let bit = self.circuit.or(&fails);
                self.asked.push(Asked { bit, name: "an assertion fails".into(), span: None });
            }
        }
    }

    fn final_value(&mut self, observable: &Observable) -> Result<Symbolic, String> {
        match observable {
            Observable::Register(thread, register) => {
                Ok(self.events.registers[thread.index()][register.0 as usize].clone())
            }
            Observable::Memory(cell) => {
                let index = self.events.cells.binary_search(cell).map_err(|_| "a cell that does not exist")?;
                let list = &self.events.events;
                let mut value = list[index].value.clone().ok_or("a cell without a value")?;
                for write in self.events.cells.len()..list.len() {
                    let Some(&(_, here)) = list[write].at.iter().find(|&&(at, _)| at == index) else { continue };
                    let Some(written) = &list[write].value else { continue };
                    if list[write].kind == EventKind::Write {
                        let last = coherence_last(write, list, &self.co, &mut self.circuit);
                        let last = self.circuit.and(&[last, here, list[write].guard]);
                        value = Symbolic::select(last, written, &value, &mut self.circuit)?;
                    }
                }
                Ok(value)
            }
        }
    }

    /// When a proposition about the final state holds.
    pub fn proposition(&mut self, proposition: &Proposition) -> Result<Bit, String> {
        Ok(match proposition {
            Proposition::Constant(truth) => Bit::constant(*truth),
            Proposition::Not(inner) => !self.proposition(inner)?,
            Proposition::And(parts) => {
                let bits = parts.iter().map(|part| self.proposition(part)).collect::<Result<Vec<_>, _>>()?;
                self.circuit.and(&bits)
            }
            Proposition::Or(parts) => {
                let bits = parts.iter().map(|part| self.proposition(part)).collect::<Result<Vec<_>, _>>()?;
                self.circuit.or(&bits)
            }
            Proposition::Compare(comparator, left, right) => self.comparison(*comparator, left, right)?,
        })
    }

    fn comparison(&mut self, comparator: Comparator, left: &Term, right: &Term) -> Result<Bit, String> {
        match (comparator, left, right) {
            (Comparator::Ne, ..) => Ok(!self.comparison(Comparator::Eq, left, right)?),
            (_, Term::Value(a), Term::Value(b)) => Ok(Bit::constant(program::condition::compare(comparator, a, b))),
            (Comparator::Eq, Term::Observable(observable), Term::Value(value))
            | (Comparator::Eq, Term::Value(value), Term::Observable(observable)) => {
                let held = self.observed_value(observable);
                Ok(held.is_value(value, &mut self.circuit))
            }
            (Comparator::Eq, Term::Observable(a), Term::Observable(b)) => {
                let (a, b) = (self.observed_value(a), self.observed_value(b));
                Ok(a.same(&b, &mut self.circuit))
            }
            (Comparator::Lt | Comparator::Le, ..) => {
                let (a, b) = (self.wide(left)?, self.wide(right)?);
                let operator = if comparator == Comparator::Lt { Operator::LtSigned } else { Operator::LeSigned };
                let less = symbolic::apply(&operator, &[a, b], &mut self.circuit)?;
                Ok(less.truth(&mut self.circuit))
            }
        }
    }

    fn wide(&mut self, term: &Term) -> Result<Symbolic, String> {
        let value = match term {
            Term::Observable(observable) => self.observed_value(observable),
            Term::Value(value) => Symbolic::constant(value),
        };
        symbolic::apply(&Operator::Resize { width: 64, signed: true }, &[value], &mut self.circuit)
    }

    fn observed_value(&self, observable: &Observable) -> Symbolic {
        let found = self.observed.iter().find(|(other, _)| other == observable);
        found.map_or_else(Symbolic::undefined, |(_, value)| value.clone())
    }

    /// A signal that is true when the final state is this one.
    pub fn state_is(&mut self, state: &[(Observable, Value)]) -> Bit {
        let parts: Vec<Bit> = state
            .iter()
            .map(|(observable, value)| self.observed_value(observable).is_value(value, &mut self.circuit))
            .collect();
        self.circuit.and(&parts)
    }
}
