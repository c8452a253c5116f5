//! Single instructions of one thread, for engines that keep memory themselves: they say what a load finds, and are told
//! what a store writes.

use std::rc::Rc;

use program::{Extent, FunctionId, Operand, Operator, RegisterId, Span, Update};

use crate::interpret::{Interpreter, Stop, step_over};
use crate::state::{State, Status, Thread};
use crate::word::Word;

/// What a read-modify-write does with the value that it found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Updated {
    /// What it writes, if it does.
    pub written: Option<Word>,
    /// Of a compare-exchange: whether the values were equal, so that a weak one may fail all the same.
    pub equal: bool,
}

impl Interpreter<'_> {
    /// A thread that runs a function from its start.
    pub fn running_thread(&self, function: FunctionId, arguments: &[Word]) -> Thread {
        Thread { status: Status::Running, ..self.new_thread(function, arguments) }
    }

    /// The value of an operand in the innermost call of a thread.
    pub fn value_of(&mut self, state: &State, thread: usize, operand: &Operand) -> Word {
        self.operand(state, thread, operand)
    }

    /// What a read-modify-write of a thread does with the value that it found. A weak compare-exchange succeeds whenever it
    /// can.
    pub fn update(
        &mut self,
        state: &State,
        thread: usize,
        update: &Update,
        found: Word,
        span: Option<Span>,
    ) -> Result<Updated, Stop> {
        match update {
            Update::Exchange(value) => Ok(Updated { written: Some(self.operand(state, thread, value)), equal: false }),
            Update::Apply(operator, value) => {
                let value = self.operand(state, thread, value);
                Ok(Updated { written: Some(self.compute(operator, &[found, value], span)?), equal: false })
            }
            Update::CompareExchange { expected, desired, .. } => {
                let expected = self.operand(state, thread, expected);
                let equal = self.compute(&Operator::Eq, &[found, expected], span)?.truth() == Some(true);
                let desired = self.operand(state, thread, desired);
                Ok(Updated { written: equal.then_some(desired), equal })
            }
        }
    }

    /// Gives registers of the innermost call their values and goes to the next instruction.
    pub fn pass(&self, thread: &mut Rc<Thread>, values: &[(RegisterId, Word)]) {
        let thread = Rc::make_mut(thread);
        values.iter().for_each(|(register, value)| thread.set(*register, *value));
        step_over(thread);
    }

    /// The number of the name of a block, its class or type, that a thread is about to allocate.
    pub fn number_of_name(
        &mut self,
        state: &State,
        thread: usize,
        name: &std::sync::Arc<str>,
        extent: Option<&Extent>,
    ) -> u32 {
        let size = self.size(state, thread, extent);
        self.name_id(name, size)
    }

    /// The name with this number; `None` for that of globals.
    pub fn name_of_number(&self, number: u32) -> Option<&std::sync::Arc<str>> {
        self.name_of(number)
    }
}
