//! Questions about final states: is an outcome allowed, and which outcomes are there?

use program::{
    AssertSort, BlockId, Bounds, Execution, Failure, FailureKind, Guarantee, Location, Observable, Outcome, Property,
    Quantifier, State, Statistics, ThreadId, Unsupported, Value, Verdict, Verified,
};
use relation::Bit;
use sat::Answer;

use crate::answer::{STOPPED, outside_reason, statistics};
use crate::effect::going_on;
use crate::encode::encode;
use crate::encoding::Encoding;
use crate::events::{Assertion, Wrong};
use crate::explain::About;
use crate::inline::inline;
use crate::model::{AxiomKind, Model};
use crate::options::Options;
use crate::selector::Statements;
use crate::setting::{Plan, Setting};
use crate::unroll::{LoopCopy, code};
use crate::{decode, explain, flag, nesting, symmetry};

/// Answers the program's question under the model: is there an execution with the outcome (`exists`, `~exists`), or one
/// without it (`forall`)? A program without a question is asked about its assertions.
pub fn check(program: &Verified, model: &Model, options: &Options) -> Result<Outcome, Unsupported> {
    let inlined = inline(program)?;
    let setting = Setting::new(&inlined, model, &Plan::new(options), &symmetry::asked_about(program))?;
    let mut search = Search::new(&setting, options)?;
    let mut wanted = search.complete_executions();
    wanted.extend(search.encoding.asked.iter().map(|asked| asked.bit));
    let answer = search.solve(&wanted);
    let witness = (answer == Answer::Satisfiable).then(|| search.execution());
    let failure = if witness.is_some() { search.uncaught() } else { None };
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
    // Where a loop can have more iterations the reasons are given for executions within the bound.
    let is_stopped = incomplete.as_deref() == Some(STOPPED);
    let explanation = match answer {
        Answer::Unsatisfiable if options.explain && !is_stopped && !endless => {
            search.explain(if none { About::Existence } else { About::Outcome })?
        }
        _ => None,
    };
    let flags = if options.flags { search.flags() } else { Vec::new() };
    let (core, violation) = explanation.map_or((None, None), |e| (Some(e.core), e.violation));
    Ok(Outcome {
        verdict: search.verdict(witness.is_some(), incomplete),
        guarantee: Guarantee::Exact,
        witness,
        failure,
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
    let setting = Setting::new(&inlined, model, &Plan::new(options), &told_apart)?;
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

    /// Whether there are executions, but none that comes to its end: in each a thread stays in a loop for ever.
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
            decode::without_idle_stages(&mut execution);
            decode::show(&mut execution, &self.setting.model);
        }
        execution
    }

    /// The exception that ends a thread in the solution just found, if no assertion fails in it.
    fn uncaught(&self) -> Option<Failure> {
        if self.setting.program.question.is_some() || self.options.property != Property::Always {
            return None;
        }
        let valuation = self.encoding.circuit.valuation();
        let mut failing = self.encoding.events.assertions.iter().filter(|assertion| !valuation.get(assertion.holds));
        let first = failing.next()?;
        let is_thrown = |assertion: &Assertion| assertion.sort == AssertSort::Exception;
        let location = first.span.map(|span| self.setting.program.sources.location(span));
        let failure = || Failure::new(FailureKind::Exception, first.message.clone(), location);
        (is_thrown(first) && failing.all(is_thrown)).then(failure)
    }

    /// Why not finding an execution would not decide the question, if so, and the bounds.
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
                Answer::Satisfiable => outside = Some(outside_reason(self.setting.program, span)),
            }
        }
        let fault = outside.or_else(|| self.reachable_fault());
        let reason = match (exceeded.first(), fault) {
            (Some(location), _) => Some(format!(
                "not within {} of each loop, but the loop at {location} can have more iterations",
                if self.options.iterations.each == 1 {
                    "1 iteration".into()
                } else {
                    format!("{} iterations", self.options.iterations.each)
                }
            )),
            (None, Some(fault)) => Some(fault),
            (None, None) if stopped => Some(STOPPED.into()),
            (None, None) => self.too_few_executions().or_else(|| self.may_block()).or_else(|| self.may_stay_in_loops()),
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

    /// That threads may wait for each other at monitors for ever, if so: what is asked about assertions is also whether every
    /// thread comes to its end.
    fn may_block(&self) -> Option<String> {
        let program = self.setting.program;
        if program.question.is_some() || self.options.property != Property::Always {
            return None;
        }
        let events = &self.encoding.events;
        let monitors = nesting::may_block(events, &self.setting.unrolling.threads)?;
        let name = |monitor: usize| {
            let allocation = events.monitors[monitor].allocation as usize;
            program.globals.get(allocation).map_or_else(|| "an object".to_string(), |global| global.name.clone())
        };
        let names: Vec<String> = monitors.into_iter().map(name).collect();
        let names = names.join(" and ");
        Some(format!("threads may wait for each other for ever at {names}, which models do not speak of (machines do)"))
    }

    /// That threads may stay in loops for ever although nothing changes any more, if so. Iterations without effect are left out
    /// of executions: that there is no execution with more does not say that loops come to their end.
    fn may_stay_in_loops(&mut self) -> Option<String> {
        let program = self.setting.program;
        if program.question.is_some() || self.options.property != Property::Always {
            return None;
        }
        let for_ever = going_on(&mut self.encoding, program.ends_with_main)?;
        self.solver_calls += 1;
        match self.encoding.circuit.solve(&[for_ever, !self.encoding.faulty], &self.options.budget) {
            Answer::Unsatisfiable => None,
            Answer::Unknown => Some(STOPPED.into()),
            Answer::Satisfiable => {
                let valuation = self.encoding.circuit.valuation();
                let mut loops = self.encoding.idle.for_ever.iter().filter(|(_, when)| valuation.get(*when));
                let place =
                    loops.next().and_then(|(copy, _)| self.places_of_loop(copy.thread, copy.head).into_iter().next());
                let place = place.map_or(String::new(), |place| format!(" at {place}"));
                Some(format!("in some execution a thread stays in the loop{place} for ever, whose steps machines tell"))
            }
        }
    }

    /// Where the loop stands; and where its copies stand in the threads that can be exchanged with this one.
    fn places_of_loop(&self, thread: ThreadId, head: BlockId) -> Vec<Location> {
        let Setting { program, symmetry, .. } = self.setting;
        let group = symmetry.iter().find(|group| group.contains(&thread)).map_or(vec![thread], Vec::clone);
        let place = |thread: &ThreadId| {
            let function = code(program, *thread);
            let span = function.and_then(|function| function[head].span.or(function.span));
            let nowhere = || Location { file: program.name.clone(), line: 0, column: 0 };
            span.map_or_else(nowhere, |span| program.sources.location(span))
        };
        group.iter().map(place).collect()
    }

    /// The first error that some execution runs into.
    fn reachable_fault(&mut self) -> Option<String> {
        let faults = self.encoding.events.faults.clone();
        faults.into_iter().find_map(|Wrong { when, message, span, .. }| match self.solve(&[when]) {
            Answer::Unsatisfiable => None,
            Answer::Unknown => Some(STOPPED.into()),
            Answer::Satisfiable => {
                let place =
                    span.map_or(String::new(), |span| format!(" at {}", self.setting.program.sources.location(span)));
                Some(format!("some execution ends in an error{place}: {message}"))
            }
        })
    }

    fn bounds(&self, exceeded: Vec<Location>) -> Bounds {
        let loops = self.setting.unrolling.all().any(|thread| !thread.loops.is_empty());
        Bounds { unroll: loops.then_some(self.options.iterations.each), exceeded, loops: Vec::new() }
    }

    fn explain(&mut self, about: About) -> Result<Option<explain::Explanation>, Unsupported> {
        let wanted = explain::Wanted { about, reasons: self.options.reasons, budget: &self.options.budget };
        let explanation = explain::explain(self.setting, wanted)?;
        self.solver_calls += explanation.as_ref().map_or(0, |e| e.solver_calls);
        Ok(explanation)
    }

    /// The model's flags that some execution raises.
    fn flags(&mut self) -> Vec<String> {
        let model = &self.setting.model;
        let mut raised = Vec::new();
        for axiom in model.axioms.iter().filter(|axiom| axiom.kind == AxiomKind::Flag && !flag::is_of_memory(axiom)) {
            let signal = self.encoding.translation.signal(&axiom.formula, &mut self.encoding.circuit);
            let mut wanted = self.complete_executions();
            // A data race is one whether or not the threads come to their end.
            if axiom.name == flag::FLAG && self.encoding.filter == Bit::TRUE {
                wanted = vec![!self.encoding.faulty];
            }
            wanted.push(signal);
            if self.encoding.translation.failure().is_some() {
                continue;
            }
            // An iteration may raise a flag and make no other difference.
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
            None => self.options.property == Property::Always,
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
