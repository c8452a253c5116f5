//! The search in the order of cost, which finds what is not far from the start where executions are endless or too many.
//!
//! What it finds is an execution of the machine; that it finds nothing says nothing.

use program::{Property, Verified};

use crate::Asked;
use crate::limits::Limits;
use crate::memory::Machine;
use crate::schedule::Schedule;
use crate::search::shallow::Shallow;
use crate::search::{Reduction, Runner};

/// A search in the order of cost that goes on for as many steps as it is given.
pub struct Early<'a> {
    runner: Runner<'a>,
    shallow: Shallow,
    asked: Asked<'a>,
    /// How many steps it may have.
    steps: u64,
}

impl<'a> Early<'a> {
    /// A search for an execution that answers the program's question, or shows what is asked of its assertions.
    pub fn new(program: &'a Verified, machine: Machine, property: Property, limits: &Limits) -> Early<'a> {
        let runner = Runner::new(program, machine, Reduction::Own, limits);
        Early { runner, shallow: Shallow::default(), asked: Asked::new(program, property, false), steps: 0 }
    }

    /// Goes on for so many steps more; gives the schedule of an execution as asked, if there is one.
    pub fn go_on(&mut self, limits: &Limits, steps: u64) -> Option<Schedule> {
        self.steps += steps;
        self.shallow.go_on(&mut self.runner, limits, &mut self.asked, self.steps);
        self.asked.found.take()
    }
}
