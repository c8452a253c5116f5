//! Data races of the executions of a class: a prefix with two accesses of which the first does not happen before the second.
//!
//! What an access happens before is a set of points of threads that is closed under program order and under what
//! synchronizes in the execution. "Not before" is that some closed set with the first access lacks the second: so the set
//! need not be the least one, and needs clauses in one direction only.

use sat::{Budget, Interrupted, Lit};

use super::Encoding;
use crate::histories::trace::Step;

/// An event by thread and place.
pub type EventPlace = (usize, usize);

/// What is asked.
#[derive(Debug, Default)]
pub struct Question {
    /// For each thread how many points it has, in program order. Points are numbered thread by thread.
    pub points: Vec<usize>,
    /// What passes happens-before on from a point to a point of another thread.
    pub passing: Vec<Passing>,
    /// What may race.
    pub candidates: Vec<Candidate>,
    /// Events after which the execution ends: none but the second access may be one.
    pub last: Vec<EventPlace>,
    /// Events that do not happen.
    pub never: Vec<EventPlace>,
}

/// What passes happens-before on from a point to another.
#[derive(Debug)]
pub enum Passing {
    /// It always does.
    Always(usize, usize),
    /// It does if the first event comes before the second.
    Ordered(usize, usize, EventPlace, EventPlace),
    /// It does if the first event, a write, is in memory before the second, a read of the same cell, which sees memory, and none of
    /// these between.
    Sequence(usize, usize, EventPlace, EventPlace, Vec<EventPlace>),
}

/// Two accesses that may race, in this order.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The point of the first.
    pub first: usize,
    /// Its event.
    pub first_event: EventPlace,
    /// The point of the second.
    pub second: usize,
    /// Its event.
    pub second_event: EventPlace,
    /// Events that make a new object of what is accessed: none may come between.
    pub renewals: Vec<EventPlace>,
}

/// A class as a problem about races.
pub struct Races<'e, 't> {
    encoding: &'e mut Encoding<'t>,
    /// Whether each candidate races.
    racing: Vec<Lit>,
    /// Assumed: some candidate does.
    some: Lit,
}

impl<'t> Encoding<'t> {
    /// Adds a question about races.
    pub fn races<'e>(&'e mut self, question: &Question) -> Races<'e, 't> {
        let after = self.after(&question.points);
        for passing in &question.passing {
            self.passes_on(&after, passing);
        }
        for (thread, event) in &question.never {
            self.solver.clause(&[!self.within[*thread][*event]]);
        }
        let racing: Vec<Lit> =
            question.candidates.iter().map(|pair| self.candidate(&after, pair, &question.last)).collect();
        let some = self.solver.fresh();
        let clause: Vec<Lit> = std::iter::once(!some).chain(racing.iter().copied()).collect();
        self.solver.clause(&clause);
        Races { encoding: self, racing, some }
    }

    /// For each point whether it is in the set.
    fn after(&mut self, points: &[usize]) -> Vec<Lit> {
        let mut after: Vec<Lit> = Vec::new();
        for count in points {
            for place in 0..*count {
                let this = self.solver.fresh();
                if let (true, Some(last)) = (place > 0, after.last().copied()) {
                    self.implies(last, this);
                }
                after.push(this);
            }
        }
        after
    }

    fn passes_on(&mut self, after: &[Lit], passing: &Passing) {
        match passing {
            Passing::Always(from, to) => self.implies(after[*from], after[*to]),
            Passing::Ordered(from, to, first, second) => {
                let clause = self.unless_ordered(after, (*from, *to), *first, *second);
                self.solver.clause(&clause);
            }
            Passing::Sequence(from, to, write, read, others) => {
                let mut clause = self.unless_ordered(after, (*from, *to), *write, *read);
                clause.extend(self.sees_its_own(*write, *read));
                for other in others {
                    clause.push(self.is_between(*write, *other, *read));
                }
                self.solver.clause(&clause);
            }
        }
    }

    fn unless_ordered(
        &mut self,
        after: &[Lit],
        (from, to): (usize, usize),
        first: EventPlace,
        second: EventPlace,
    ) -> Vec<Lit> {
        let (first, second) = (self.in_memory(first), self.in_memory(second));
        let is_first = self.before(first.0, second.0);
        vec![!after[from], after[to], !first.1, !second.1, !is_first]
    }

    /// Where an event meets memory, and whether it does so within the prefix: a store in a buffer does later than it happens.
    fn in_memory(&self, (thread, event): EventPlace) -> (u32, Lit) {
        let is_it = |write: &&super::Write| write.is_buffered && (write.thread, write.event) == (thread, event);
        let store = self.buffered[thread].iter().map(|write| &self.writes[*write]).find(is_it);
        store.map_or((self.node(thread, event), self.within[thread][event]), |store| (store.node, store.there))
    }

    /// Whether an event happens before another in time.
    fn comes_before(&mut self, first: EventPlace, second: EventPlace) -> Lit {
        let (first, second) = (self.node(first.0, first.1), self.node(second.0, second.1));
        self.before(first, second)
    }

    /// A literal that is true only if the second event meets memory between the others.
    fn is_between(&mut self, first: EventPlace, second: EventPlace, third: EventPlace) -> Lit {
        let lit = self.solver.fresh();
        let [first, second, third] = [first, second, third].map(|place| self.in_memory(place));
        let (later, earlier) = (self.before(first.0, second.0), self.before(second.0, third.0));
        for consequence in [later, earlier, second.1] {
            self.implies(lit, consequence);
        }
        lit
    }

    /// A literal that is true only if a read sees a store that is still in its thread's buffer; `None` if it has none of the cell.
    fn sees_its_own(&mut self, write: EventPlace, (thread, event): EventPlace) -> Option<Lit> {
        let cell = self.writes.iter().find(|other| (other.thread, other.event) == write)?.cell;
        let own = self.own_store(thread, event, cell).filter(|own| self.writes[*own].is_buffered)?;
        let (store, there) = (self.writes[own].node, self.writes[own].there);
        let lit = self.solver.fresh();
        let later = self.before(self.node(thread, event), store);
        self.solver.clause(&[!lit, !there, later]);
        Some(lit)
    }

    fn candidate(&mut self, after: &[Lit], pair: &Candidate, last: &[EventPlace]) -> Lit {
        let racing = self.solver.fresh();
        let there = [pair.first_event, pair.second_event].map(|(thread, event)| self.within[thread][event]);
        let comes_first = self.comes_before(pair.first_event, pair.second_event);
        for consequence in [after[pair.first], !after[pair.second], there[0], there[1], comes_first] {
            self.implies(racing, consequence);
        }
        for (thread, event) in last.iter().filter(|place| **place != pair.second_event) {
            self.implies(racing, !self.within[*thread][*event]);
        }
        for (thread, event) in &pair.renewals {
            let is_earlier = self.comes_before((*thread, *event), pair.first_event);
            let is_later = self.comes_before(pair.second_event, (*thread, *event));
            self.solver.clause(&[!racing, !self.within[*thread][*event], is_earlier, is_later]);
        }
        racing
    }
}

impl Races<'_, '_> {
    /// A candidate that races, by its number, and the steps of an execution in which it does.
    pub fn next(&mut self, budget: &Budget) -> Result<Option<(usize, Vec<Step>)>, Interrupted> {
        if !self.encoding.ask(&[self.some], budget)? {
            return Ok(None);
        }
        let found = self.racing.iter().position(|racing| self.encoding.solver.value(*racing));
        Ok(found.map(|found| (found, self.encoding.steps(None).0)))
    }

    /// Asks no more about a candidate.
    pub fn forget(&mut self, candidate: usize) {
        self.encoding.solver.clause(&[!self.racing[candidate]]);
    }
}
