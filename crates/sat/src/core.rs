//! Minimal sets of assumptions that cannot hold together.

use crate::lit::Lit;
use crate::solver::{Answer, Budget, Interrupted, Solver};

impl Solver {
    /// A part of `assumptions` that has no model and of which every member is needed: without any one of them there is
    /// a model.
    ///
    /// Tries to leave out each assumption in turn. Each failed attempt shows that the assumption is needed; each
    /// success shrinks the set to the assumptions that the solver used. The budget's conflicts count for each attempt.
    /// Afterwards [`core`](Solver::core) is the result.
    ///
    /// # Errors
    ///
    /// If the budget runs out.
    ///
    /// # Panics
    ///
    /// If there is a model in which all `assumptions` hold.
    pub fn minimal_core(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<Vec<Lit>, Interrupted> {
        let answer = self.solve(assumptions, budget);
        assert_ne!(answer, Answer::Satisfiable, "a core is asked for assumptions that have a model");
        if answer == Answer::Unknown {
            return Err(Interrupted);
        }
        let mut core = self.core();
        let mut needed = 0;
        // Invariant: `core` has no model, and each of its first `needed` members is necessary.
        while needed < core.len() {
            let mut rest = core.clone();
            rest.remove(needed);
            match self.solve(&rest, budget) {
                Answer::Satisfiable => needed += 1,
                Answer::Unsatisfiable => core = self.core(),
                Answer::Unknown => return Err(Interrupted),
            }
        }
        self.set_core(core.clone());
        Ok(core)
    }
}
