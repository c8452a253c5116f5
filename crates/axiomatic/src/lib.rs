//! Axiomatic memory models: a program and a model give an outcome.
//!
//! The answers are exact up to the loop bound: an execution found is an execution of the program that the model allows,
//! and if none is found there is none within the bound. Whether the bound can be exceeded is asked separately, and if it
//! can, nothing is concluded from not finding an execution.
//!
//! - [`model`] reads memory models (`.cat` and `.mm` files) into named relational formulas;
//!   [`vocabulary`] lists the sets and relations that models may speak of.
//! - [`mod@unroll`], [`walk`], [`mod@values`] and [`mod@events`] take the program to possible events;
//!   [`mod@encode`] takes events and model to constraints, [`mod@decode`] a solution back to an execution.
//! - [`mod@explain`] says why an outcome is forbidden, [`mod@fences`] where fences are missing.
//! - [`mod@consistency`] checks bounded tests, [`mod@whole`] programs that start their threads themselves.

pub mod bind;
pub mod chain;
pub mod consistency;
pub mod decode;
pub mod encode;
pub mod events;
pub mod existential;
pub mod explain;
pub mod fences;
pub mod flow;
pub mod herd;
pub mod idle;
pub mod inline;
pub mod model;
pub mod narrow;
pub mod promote;
pub mod speculate;
pub mod symbolic;
pub mod symmetry;
pub mod unroll;
pub mod values;
pub mod vocabulary;
pub mod walk;
pub mod whole;

use std::borrow::Cow;
use std::sync::Arc;

use program::{
    Bounds, Execution, Guarantee, InstructionKind, Location, Observable, Outcome, Quantifier, State, Statistics,
    ThreadId, Unsupported, Value, Verdict, Verified,
};
use relation::{Bit, Expr};
use sat::{Answer, Budget};

pub use crate::consistency::{Specification, consistency};
pub use crate::model::Model;

use crate::encode::{Encoding, encode};
use crate::events::Statements;
use crate::fences::choice::Choices;
use crate::idle::Loops;
use crate::inline::{Inlined, inline};
use crate::model::Shape;
use crate::unroll::{LoopCopy, Rounds, Unrolling, unroll};
use crate::values::{Unseen, Values, values};
use crate::walk::Extras;

/// A program under a model, with what is known about it before anything is encoded.
pub struct Setting<'a> {
    /// The program without calls.
    pub inlined: &'a Inlined<'a>,
    /// The same.
    pub program: &'a Verified,
    /// The model, instantiated for the program.
    pub model: Cow<'a, Model>,
    /// The same without loops.
    pub unrolling: Unrolling,
    /// What loads may give.
    pub values: Values,
    /// Which events there are besides accesses.
    pub extras: Extras,
    /// How many executions beside the main one are looked for, under a model of several.
    pub executions: usize,
    /// How many the program can need.
    pub enough_executions: usize,
    /// Groups of threads that can be exchanged.
    pub symmetry: Vec<Vec<ThreadId>>,
    /// What is asked of a program without a question.
    pub assertions: Assertions,
    /// How accesses may be strengthened.
    pub choices: Option<Arc<Choices>>,
    /// Which writes no execution lets a read see.
    pub unseen: Unseen,
    /// Loops whose rounds are left out if they make no difference.
    pub loops: Loops,
}

impl<'a> Setting<'a> {
    /// Unrolls and analyses; threads that `told_apart` mentions are not exchanged.
    pub fn new(
        inlined: &'a Inlined<'a>,
        model: &'a Model,
        options: &Options,
        told_apart: &[Observable],
    ) -> Result<Setting<'a>, Unsupported> {
        let program = &*inlined.program;
        let ordered = !program.thread_order.is_empty() && mentions(model, "ends-before");
        let boundaries = ordered || mentions(model, "S") || mentions(model, "E");
        let extras = Extras { boundaries, specials: mentions(model, "special"), deadlocks: options.deadlocks };
        let mut unrolling = unroll(program, &options.rounds)?;
        let values = match options.whole {
            true => whole::whole_values(inlined, &mut unrolling, extras, flow::flow_of(program, model))?,
            false => values(inlined, &unrolling, extras, flow::flow_of(program, model), &options.unseen)?,
        };
        refuse_what_is_not_modelled(program, model, &values)?;
        // Threads that are started may get different arguments.
        let mut symmetry = match options.whole {
            true => Vec::new(),
            false => symmetry::interchangeable(program, told_apart),
        };
        // A race makes a whole program wrong, and a round may race and make no other difference.
        let may_race = options.whole && model.axioms.iter().any(|axiom| axiom.kind == model::AxiomKind::Flag);
        let loops = match options.leave_out_idle_rounds && !may_race {
            true => idle::loops_with_idle_rounds(program, model),
            false => Loops::new(),
        };
        let (mut executions, mut enough_executions) = (0, 0);
        if model.is_speculative() {
            enough_executions = speculate::enough_executions(&values);
            executions = options.executions.unwrap_or(enough_executions).max(1);
            symmetry.clear();
        }
        let shape = Shape { threads: unrolling.threads.len(), locations: values.cells.len(), executions };
        let model = model.instantiate(shape);
        let assertions = options.assertions;
        Ok(Setting {
            inlined,
            program,
            model,
            unrolling,
            values,
            extras,
            executions,
            enough_executions,
            symmetry,
            assertions,
            choices: options.choices.clone(),
            unseen: options.unseen.clone(),
            loops,
        })
    }
}

/// Whether some thread waits for something.
fn waits(program: &Verified) -> bool {
    let mut instructions = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.instructions);
    instructions.any(|instruction| matches!(instruction.kind, InstructionKind::Await { .. }))
}

/// Whether the model uses this base relation or set.
fn mentions(model: &Model, name: &str) -> bool {
    bind::base_names(model).iter().any(|base| **base == *name)
}

/// Whether some axiom or choice depends on the order of the writes of a cell, which decides final values.
fn orders_writes(model: &Model) -> bool {
    let mut spoken_of: Vec<_> = model.axioms.iter().flat_map(|axiom| axiom.formula.expressions()).collect();
    for existential in &model.existentials {
        match &existential.range {
            model::Range::Linearisation { on, contains } => spoken_of.extend([*on, *contains]),
            model::Range::Relation(sets) => spoken_of.extend(sets),
        }
    }
    model.formulas.occurs(spoken_of, &|expr| matches!(expr, Expr::Base(name) if matches!(&**name, "co" | "fr")))
}

/// What the engine does not model, and what the model does not speak of and so cannot give a meaning.
fn refuse_what_is_not_modelled(program: &Verified, model: &Model, values: &Values) -> Result<(), Unsupported> {
    let refuse = |what: &str| Err(Unsupported::new(format!("{what} under the model {}", model.name), None));
    let observes_memory = program.question.as_ref().is_some_and(|question| {
        let mut found = question.observed.iter().any(|observable| matches!(observable, Observable::Memory(_)));
        question.filter.iter().for_each(|filter| {
            filter.observables(&mut |observable| found |= matches!(observable, Observable::Memory(_)));
        });
        found
    });
    // Models of herd's have an order of the writes of each cell, whether they speak of it or not.
    let is_ordered = model.view == model::EventView::Herd || orders_writes(model);
    if (observes_memory || !values.last.is_empty()) && !is_ordered {
        return refuse("a question about final values of memory");
    }
    if !program.thread_order.is_empty() && !mentions(model, "ends-before") {
        return refuse("an order of threads");
    }
    if !values.monitors.is_empty() && !mentions(model, "L") {
        return refuse("a monitor");
    }
    Ok(())
}

/// What is asked of a program that brings no question but assertions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assertions {
    /// Whether all of them hold in every execution.
    #[default]
    Always,
    /// Whether all of them hold in some execution (MemSAT's question).
    Possible,
}

/// How to check.
#[derive(Clone)]
pub struct Options {
    /// How often each loop body may run.
    pub rounds: Rounds,
    /// When to stop.
    pub budget: Budget,
    /// What to ask of a program without a question.
    pub assertions: Assertions,
    /// How many executions may justify the main one, under a model of several; by default as many as the program can
    /// need.
    pub executions: Option<usize>,
    /// Whether to explain a forbidden outcome, and keep a witness of each final state.
    pub explain: bool,
    /// Whether to look for flags.
    pub flags: bool,
    /// Accesses that are left open, and what they may be.
    pub choices: Option<Arc<Choices>>,
    /// Pairs of a write and a read of which it is known that the read cannot see the write.
    pub unseen: Unseen,
    /// Whether all threads but the first are those that the first one starts: see [`mod@whole`].
    pub whole: bool,
    /// Whether executions are looked for in which threads wait for ever, and only these.
    pub deadlocks: bool,
    /// Whether rounds of loops that make no difference are left out: see [`mod@idle`].
    pub leave_out_idle_rounds: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rounds: Rounds::of_each(3),
            budget: Budget::default(),
            assertions: Assertions::Always,
            executions: None,
            explain: true,
            flags: true,
            choices: None,
            unseen: Unseen::default(),
            whole: false,
            deadlocks: false,
            leave_out_idle_rounds: true,
        }
    }
}

/// Answers the program's question under the model: is there an execution with the outcome (`exists`, `~exists`), or one
/// without it (`forall`)? A program without a question is asked about its assertions.
pub fn check(program: &Verified, model: &Model, options: &Options) -> Result<Outcome, Unsupported> {
    let inlined = inline(program)?;
    let setting = Setting::new(&inlined, model, options, &symmetry::asked_about(program))?;
    let mut search = Search::new(&setting, options)?;
    let mut wanted = search.complete_executions();
    wanted.extend(search.encoding.asked.iter().map(|asked| asked.bit));
    let answer = search.solve(&wanted);
    let witness = (answer == Answer::Satisfiable).then(|| search.execution());
    let (incomplete, bounds) = match answer {
        Answer::Satisfiable => (None, search.bounds(Vec::new())),
        Answer::Unsatisfiable => search.completeness(),
        Answer::Unknown => (Some(STOPPED.into()), search.bounds(Vec::new())),
    };
    let none = answer == Answer::Unsatisfiable && incomplete.is_none() && {
        let any = search.complete_executions();
        search.solve(&any) == Answer::Unsatisfiable
    };
    let endless = none && search.is_endless();
    // Where a loop can go round more often the reasons are given for executions within the bound.
    let is_stopped = incomplete.as_deref() == Some(STOPPED);
    let explanation = match answer {
        Answer::Unsatisfiable if options.explain && !is_stopped && !none => search.explain()?,
        _ => None,
    };
    let flags = if options.flags { search.flags() } else { Vec::new() };
    let (core, violation) = explanation.map_or((None, None), |e| (Some(e.core), e.violation));
    Ok(Outcome {
        verdict: search.verdict(witness.is_some(), incomplete),
        guarantee: Guarantee::Exact,
        witness,
        core,
        violation,
        states: None,
        flags,
        vacuous: none && !endless,
        endless,
        bounds,
        statistics: search.statistics(),
        ..Outcome::default()
    })
}

/// All final states, by the question's list of observables. `progress` is told the number of states found so far.
pub fn outcomes(
    program: &Verified,
    model: &Model,
    options: &Options,
    progress: &mut dyn FnMut(usize),
) -> Result<Outcome, Unsupported> {
    let mut told_apart = symmetry::asked_about(program);
    told_apart.extend(program.question.iter().flat_map(|question| question.observed.iter().cloned()));
    let inlined = inline(program)?;
    let setting = Setting::new(&inlined, model, options, &told_apart)?;
    let mut search = Search::new(&setting, options)?;
    let wanted = search.complete_executions();
    let mut states: Vec<(State, Option<Execution>)> = Vec::new();
    let answer = loop {
        match search.solve(&wanted) {
            Answer::Satisfiable => {}
            other => break other,
        }
        let execution = search.execution();
        let again = search.encoding.state_is(&execution.state);
        search.encoding.circuit.clause(&[!again]);
        states.push((execution.state.clone(), options.explain.then_some(execution)));
        progress(states.len());
    };
    // Completeness and flags are asked of all executions, not of those with new states only.
    let mut fresh = Search::new(&setting, options)?;
    let (incomplete, bounds) = match answer {
        Answer::Unknown => (Some(STOPPED.into()), search.bounds(Vec::new())),
        _ => fresh.completeness(),
    };
    states.sort_by(|a, b| a.0.cmp(&b.0));
    let holds = |state: &State| search.is_asked(state);
    let found = states.iter().find(|(state, _)| holds(state)).map(|(_, witness)| witness.clone());
    // A list of states that may lack some answers no question.
    let none = states.is_empty() && incomplete.is_none();
    let endless = none && fresh.is_endless();
    let verdict = incomplete.map_or_else(|| search.verdict(found.is_some(), None), Verdict::Unknown);
    Ok(Outcome {
        verdict,
        guarantee: Guarantee::Exact,
        witness: found.flatten(),
        core: None,
        violation: None,
        vacuous: none && !endless,
        endless,
        states: Some(states),
        flags: if options.flags { fresh.flags() } else { Vec::new() },
        bounds,
        statistics: search.statistics(),
        ..Outcome::default()
    })
}

const STOPPED: &str = "the search was stopped before it was finished";

/// A setting, ready to be asked.
struct Search<'a> {
    setting: &'a Setting<'a>,
    options: &'a Options,
    encoding: Encoding<'a>,
    solver_calls: u64,
}

impl<'a> Search<'a> {
    fn new(setting: &'a Setting<'a>, options: &'a Options) -> Result<Search<'a>, Unsupported> {
        Ok(Search { setting, options, encoding: encode(setting, Statements::Fixed)?, solver_calls: 0 })
    }

    fn solve(&mut self, wanted: &[Bit]) -> Answer {
        self.solver_calls += 1;
        let wanted = [wanted, &[!self.encoding.idle.tolerated]].concat();
        self.encoding.circuit.solve(&wanted, &self.options.budget)
    }

    /// What makes an execution count: within the bound, without error, and past the test's filter.
    fn complete_executions(&self) -> Vec<Bit> {
        vec![!self.encoding.pruned, !self.encoding.faulty, self.encoding.filter]
    }

    /// Whether there are executions, but none that comes to its end: in each a thread goes round a loop for ever.
    fn is_endless(&mut self) -> bool {
        let Encoding { pruned, faulty, .. } = self.encoding;
        let ends = self.solve(&[!pruned, !faulty]);
        self.solver_calls += 1;
        let goes_on = self.encoding.circuit.solve(&[pruned, !faulty], &self.options.budget);
        ends == Answer::Unsatisfiable && goes_on == Answer::Satisfiable
    }

    /// The execution of the solution just found.
    fn execution(&self) -> Execution {
        let valuation = self.encoding.circuit.valuation();
        let mut execution = decode::decode(&self.encoding, self.setting.program, &self.setting.model, &valuation);
        if self.options.explain {
            decode::show(&mut execution, &self.setting.model);
        }
        execution
    }

    /// Why not finding an execution would not settle the question, if so, and the bounds.
    fn completeness(&mut self) -> (Option<String>, Bounds) {
        let mut exceeded: Vec<Location> = Vec::new();
        let mut stopped = false;
        let pruned: Vec<(LoopCopy, Bit)> = self.encoding.events.pruned.clone();
        for (LoopCopy { thread, head, .. }, when) in pruned {
            if self.places_of_loop(thread, head).iter().all(|place| exceeded.contains(place)) {
                continue;
            }
            match self.solve(&[when]) {
                Answer::Unsatisfiable => {}
                Answer::Unknown => stopped = true,
                Answer::Satisfiable => exceeded.extend(self.places_of_loop(thread, head)),
            }
        }
        exceeded.sort_by_key(|location| (location.line, location.column));
        let mut outside = None;
        for (when, span) in self.encoding.events.outside.clone() {
            match self.solve(&[when]) {
                Answer::Unsatisfiable => {}
                Answer::Unknown => stopped = true,
                Answer::Satisfiable => outside = Some(consistency::outside_reason(self.setting.program, span)),
            }
        }
        let fault = outside.or_else(|| self.reachable_fault());
        let reason = match (exceeded.first(), fault) {
            (Some(location), _) => Some(format!(
                "not within {} of each loop, but the loop at {location} can go round more often",
                if self.options.rounds.each == 1 {
                    "1 round".into()
                } else {
                    format!("{} rounds", self.options.rounds.each)
                }
            )),
            (None, Some(fault)) => Some(fault),
            (None, None) if stopped => Some(STOPPED.into()),
            (None, None) => self.too_few_executions(),
        };
        (reason, self.bounds(exceeded))
    }

    /// Why the executions looked for may not be all that could justify the main one, if so.
    fn too_few_executions(&self) -> Option<String> {
        let Setting { executions, enough_executions, .. } = *self.setting;
        let reason =
            format!("not with {executions} justifying executions, but the program may need {enough_executions}");
        (executions < enough_executions).then_some(reason)
    }

    /// Where the loop stands; and where its copies stand in the threads that can be exchanged with this one.
    fn places_of_loop(&self, thread: ThreadId, head: program::BlockId) -> Vec<Location> {
        let Setting { program, symmetry, .. } = self.setting;
        let group = symmetry.iter().find(|group| group.contains(&thread)).map_or(vec![thread], Vec::clone);
        let place = |thread: &ThreadId| {
            let function = unroll::code(program, *thread);
            let span = function.and_then(|function| function.blocks[head.0 as usize].span.or(function.span));
            let nowhere = || Location { file: program.name.clone(), line: 0, column: 0 };
            span.map_or_else(nowhere, |span| program.sources.location(span))
        };
        group.iter().map(place).collect()
    }

    /// The first error that some execution runs into.
    fn reachable_fault(&mut self) -> Option<String> {
        let faults = self.encoding.events.faults.clone();
        faults.into_iter().find_map(|(when, what, span)| match self.solve(&[when]) {
            Answer::Unsatisfiable => None,
            Answer::Unknown => Some(STOPPED.into()),
            Answer::Satisfiable => {
                let place =
                    span.map_or(String::new(), |span| format!(" at {}", self.setting.program.sources.location(span)));
                Some(format!("some execution ends in an error{place}: {what}"))
            }
        })
    }

    fn bounds(&self, exceeded: Vec<Location>) -> Bounds {
        let loops = self.setting.unrolling.all().any(|thread| !thread.loops.is_empty());
        Bounds { unroll: loops.then_some(self.options.rounds.each), exceeded, loops: Vec::new() }
    }

    fn explain(&mut self) -> Result<Option<explain::Explanation>, Unsupported> {
        let budget = &self.options.budget;
        let explanation = explain::explain(self.setting, budget)?;
        self.solver_calls += explanation.as_ref().map_or(0, |e| e.solver_calls);
        Ok(explanation)
    }

    /// The model's flags that some execution raises.
    fn flags(&mut self) -> Vec<String> {
        let model = &self.setting.model;
        let mut raised = Vec::new();
        for axiom in model.axioms.iter().filter(|axiom| axiom.kind == model::AxiomKind::Flag) {
            let signal = self.encoding.translation.signal(&axiom.formula, &mut self.encoding.circuit);
            let mut wanted = self.complete_executions();
            // A data race is one whether or not the threads come to their end.
            if axiom.name == whole::race::FLAG && self.encoding.filter == Bit::TRUE {
                wanted = vec![!self.encoding.faulty];
            }
            wanted.push(signal);
            if self.encoding.translation.failure().is_some() {
                continue;
            }
            // A round may raise a flag and make no other difference.
            self.solver_calls += 1;
            if self.encoding.circuit.solve(&wanted, &self.options.budget) == Answer::Satisfiable {
                raised.push(axiom.name.clone());
            }
        }
        raised
    }

    /// Whether the state is one of those asked for.
    fn is_asked(&self, state: &State) -> bool {
        let value = |observable: &Observable| {
            let held = state.iter().find(|(other, _)| other == observable);
            held.map_or(Value::Undefined, |(_, value)| value.clone())
        };
        self.setting
            .program
            .question
            .as_ref()
            .is_none_or(|question| question.proposition.holds(&value) == (question.quantifier != Quantifier::Forall))
    }

    /// The verdict, in the words of the question: one about all executions holds if no other one is found.
    fn verdict(&self, found: bool, incomplete: Option<String>) -> Verdict {
        let about_all = match &self.setting.program.question {
            Some(question) => question.quantifier == Quantifier::Forall,
            None => self.options.assertions == Assertions::Always,
        };
        match Guarantee::Exact.conclude(found, incomplete) {
            Verdict::Allowed if about_all => Verdict::Violated,
            Verdict::Forbidden if about_all => Verdict::Holds,
            verdict => verdict,
        }
    }

    fn statistics(&self) -> Statistics {
        statistics(&self.encoding, self.solver_calls)
    }
}

fn statistics(encoding: &Encoding, solver_calls: u64) -> Statistics {
    let solver = encoding.circuit.statistics();
    let figures = [
        ("events", encoding.events.events.len() as u64),
        ("variables", solver.variables),
        ("clauses", solver.clauses),
        ("order edges", solver.order_edges),
        ("conflicts", solver.conflicts),
        ("solver calls", solver_calls),
    ];
    Statistics { figures: figures.map(|(name, figure)| (name.to_string(), figure)).to_vec() }
}
