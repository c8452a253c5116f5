//! The search for hitting sets, with one incremental solver for each test.

use relation::Bit;
use sat::{Answer, Budget};

use super::hitting::{Failure, Set, cheapest};
use super::{Need, Progress};
use crate::consistency::Trial;

/// Why a search gives no set.
pub enum End {
    /// There is none, or none of the cost wanted.
    NoMore,
    /// The budget did not suffice.
    Stopped,
    /// The choice among the candidates takes too long.
    TooHard,
}

/// How many conflicts a search may take that only makes a clause smaller.
const QUICK: u64 = 3_000;

/// A test with its candidates left open.
struct Open<'a> {
    /// The test's number.
    number: usize,
    trial: Trial<'a>,
    /// Something goes wrong.
    wrong: Bit,
    /// Something goes wrong, or a loop has one more iteration.
    trouble: Bit,
    /// By candidate: it is put in.
    selected: Vec<Bit>,
}

/// A search under way.
pub struct Search<'a> {
    /// The tests, smallest first.
    tests: Vec<Open<'a>>,
    costs: &'a [u32],
    budget: &'a Budget,
    /// Of each of these sets one candidate must be put in.
    clauses: Vec<Set>,
    /// Whether some clause stands only for executions that begin one more iteration of a loop.
    pub bounded: bool,
    solver_calls: u64,
}

impl<'a> Search<'a> {
    /// A search with these trials, each with the number of its test.
    pub fn new(trials: Vec<(usize, Trial<'a>)>, costs: &'a [u32], budget: &'a Budget) -> Search<'a> {
        let open = trials.into_iter().map(|(number, mut trial)| {
            trial.refuse_idle_iterations();
            let wrong = trial.goes_wrong();
            let encoding = &mut trial.encoding;
            let trouble = encoding.circuit.or(&[wrong, encoding.pruned]);
            let selected = encoding.events.candidates.clone();
            Open { number, trial, wrong, trouble, selected }
        });
        let mut tests: Vec<Open> = open.collect();
        tests.sort_by_key(|test| test.trial.encoding.events.events.len());
        Search { tests, costs, budget, clauses: Vec::new(), bounded: false, solver_calls: 0 }
    }

    /// The next cheapest set with which no test fails; none of the sets `without`, and of this cost if one is given.
    pub fn next(
        &mut self,
        without: &[Set],
        cost: Option<u32>,
        passes: &dyn Fn(usize, &Set) -> bool,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Set, End> {
        loop {
            let set = cheapest(&self.clauses, self.costs, without).map_err(|failure| match failure {
                Failure::None => End::NoMore,
                Failure::TooHard => End::TooHard,
            })?;
            let its_cost = set.iter().map(|&member| self.costs[member]).sum();
            if cost.is_some_and(|cost| its_cost > cost) {
                return Err(End::NoMore);
            }
            progress(Progress::Tried(self.clauses.len(), its_cost));
            let known = self.clauses.len();
            self.refute(&set, passes)?;
            if self.clauses.len() == known {
                return Ok(set);
            }
        }
    }

    /// Adds clauses that the set does not hit, if a test fails with it: as many as can be found without common members,
    /// from the first test that gives one. Where only a loop has one more iteration, `passes` may say that the test holds.
    fn refute(&mut self, set: &Set, passes: &dyn Fn(usize, &Set) -> bool) -> Result<(), End> {
        for test in 0..self.tests.len() {
            let mut selected = set.clone();
            let known = self.clauses.len();
            while let Some((kept, trouble)) = self.fails(test, &selected)? {
                if trouble != self.tests[test].wrong {
                    if self.clauses.len() > known || passes(self.tests[test].number, set) {
                        break;
                    }
                    self.bounded = true;
                }
                let kept = self.grow(test, kept, trouble)?;
                let clause: Set = (0..self.costs.len()).filter(|candidate| !kept.contains(candidate)).collect();
                if clause.is_empty() {
                    // Even with all candidates the test fails, which was excluded before.
                    return Err(End::NoMore);
                }
                selected.extend(&clause);
                self.clauses.push(clause);
            }
            if self.clauses.len() > known {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The candidates that are put in in a failing execution with at least these, if there is one, and which trouble it
    /// has: one that goes wrong is preferred to one that begins one more iteration of a loop.
    fn fails(&mut self, test: usize, selected: &Set) -> Result<Option<(Set, Bit)>, End> {
        for trouble in [self.tests[test].wrong, self.tests[test].trouble] {
            match self.solve(test, selected, trouble, self.budget) {
                Answer::Satisfiable => return Ok(Some((self.put_in(test), trouble))),
                Answer::Unsatisfiable => {}
                Answer::Unknown => return Err(End::Stopped),
            }
        }
        Ok(None)
    }

    /// Adds candidates as long as the test still fails, in large steps first. Where that is hard to say it is left: a
    /// clause with more members is true as well.
    fn grow(&mut self, test: usize, mut kept: Set, trouble: Bit) -> Result<Set, End> {
        let quick = Budget { conflicts: Some(QUICK), ..self.budget.clone() };
        let rest: Vec<usize> = (0..self.costs.len()).filter(|candidate| !kept.contains(candidate)).collect();
        let mut open: Vec<Vec<usize>> = vec![rest];
        while let Some(part) = open.pop() {
            let part: Vec<usize> = part.into_iter().filter(|candidate| !kept.contains(candidate)).collect();
            if part.is_empty() {
                continue;
            }
            let tried: Set = kept.iter().chain(&part).copied().collect();
            match self.solve(test, &tried, trouble, &quick) {
                Answer::Satisfiable => kept.extend(self.put_in(test)),
                _ if part.len() > 1 => {
                    let (first, second) = part.split_at(part.len() / 2);
                    open.extend([second.to_vec(), first.to_vec()]);
                }
                _ => {}
            }
        }
        Ok(kept)
    }

    /// Why each member of a sufficient set is needed.
    pub fn needs(&mut self, set: &Set) -> Result<Vec<(usize, Need)>, End> {
        set.iter().map(|&member| Ok((member, self.need(set, member)?))).collect()
    }

    fn need(&mut self, set: &Set, member: usize) -> Result<Need, End> {
        let rest: Set = set.iter().copied().filter(|&other| other != member).collect();
        let mut goes_on = None;
        for test in 0..self.tests.len() {
            let number = self.tests[test].number;
            match self.fails(test, &rest)? {
                Some((_, trouble)) if trouble == self.tests[test].wrong => return Ok(Need::Fails(number)),
                Some(_) if goes_on.is_none() => goes_on = Some(Need::GoesOn(number)),
                _ => {}
            }
        }
        // A set of least cost has no superfluous member unless that costs nothing.
        goes_on.ok_or(End::NoMore)
    }

    fn solve(&mut self, test: usize, selected: &Set, wanted: Bit, budget: &Budget) -> Answer {
        self.solver_calls += 1;
        let test = &mut self.tests[test];
        let selected = selected.iter().map(|&candidate| test.selected[candidate]);
        let assumptions: Vec<Bit> = std::iter::once(wanted).chain(selected).collect();
        test.trial.encoding.circuit.solve(&assumptions, budget)
    }

    /// The candidates that are put in in the execution just found.
    fn put_in(&self, test: usize) -> Set {
        let test = &self.tests[test];
        let valuation = test.trial.encoding.circuit.valuation();
        test.selected.iter().enumerate().filter(|&(_, &bit)| valuation.get(bit)).map(|(index, _)| index).collect()
    }

    /// How many clauses were found, and how often the solver was called.
    pub fn statistics(&self) -> [(&'static str, u64); 2] {
        [("clauses", self.clauses.len() as u64), ("solver calls", self.solver_calls)]
    }
}
