//! Iterations of loops in which a thread changes nothing, so that a class need not have any number of them.
//!
//! A thread that waits in a loop reads, finds that it has to wait, and is where it was before. Such a *iteration without effect* can
//! be left out of an execution: nobody else notices it, and the thread's state is the same without it. (It drains the
//! thread's buffer at most; stores may get to memory at the same times without that.) So every execution that ends has the
//! same end as one without iterations without effect, and only those are explored:
//!
//! - A read that may end an iteration without effect is a *waiting read*: it happens only with a value that leads on. In the trees of
//!   `history` it is an atomic block of one access that waits. Whether a read is one is decided when its node is
//!   made, by trying what the cell is known to hold. If that misses a value then the thread iterates once, and the read
//!   of the next iteration is one.
//! - If an iteration without effect ends with something else, its thread stops there ([`Op::Idle`]).
//!
//! An iteration is without effect if it does nothing but read, write what is there, and take monitors and release them, and if the
//! thread ends where it began, with the same live registers and the same monitors, none of which it did without meanwhile.
//! Retries are without effect: a thread that reads, computes, and fails to exchange reads once more.
//!
//! A thread that waits at the end of an execution may be in the middle of an iteration. Whether it iterates for ever then, or
//! the whole execution is only the start of others and cut short, `waits_without_effect` says.
//!
//! Data races are another matter: an access in an iteration without effect may race. A race has one access of each thread, so it is
//! enough that each thread iterates without effect once, wherever it likes, with nothing left out.

use std::rc::Rc;

use program::{Function, InstructionKind, Operand, Program, Value};

use operational::forget::Forgetting;
use operational::state::{Monitor, Thread};

use super::{Arrival, FAILED, Forest, Label, Op};
use crate::histories::id::{CellId, NodeId, ThreadId, ValueId};

/// What is done about iterations without effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Iterations {
    /// Threads wait instead.
    #[default]
    Wait,
    /// Each thread may iterate without effect once; then it waits.
    Once,
}

/// The loops of a program that may have iterations without effect.
pub(super) struct Loops {
    /// By function and block: whether a path leads from the block back to it without a lasting effect. Calls are taken to
    /// have none.
    returns: Vec<Vec<bool>>,
    /// Numbers that stand in the program, and that cells may hold one day.
    numbers: Vec<Value>,
    forgetting: Forgetting,
}

/// Not more values than this are tried that a cell held before.
const MOST_VALUES: usize = 16;
/// Not more numbers of the program than this are tried.
const MOST_NUMBERS: usize = 8;
/// Iterations with more operations than this are not found.
const LONGEST_ITERATION: usize = 256;

impl Loops {
    /// The loops of a program; `None` if there are none.
    pub fn of(program: &Program) -> Option<Loops> {
        let returns: Vec<Vec<bool>> = program.functions.iter().map(returning).collect();
        let has_some = returns.iter().flatten().any(|returns| *returns);
        has_some.then(|| Loops { returns, numbers: numbers(program), forgetting: Forgetting::of(program) })
    }

    /// Whether a thread is in such a loop.
    fn contains(&self, thread: &Thread) -> bool {
        thread.frames.iter().any(|frame| self.returns[frame.function.0 as usize][frame.block.0 as usize])
    }
}

/// Some numbers that threads may store.
fn numbers(program: &Program) -> Vec<Value> {
    use InstructionKind::{Assign, ReadModifyWrite, Store};
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    let instructions = blocks.flat_map(|block| &block.instructions).map(|instruction| &instruction.kind);
    let moves = instructions.filter(|kind| matches!(kind, Assign { .. } | Store { .. } | ReadModifyWrite { .. }));
    let mut found: Vec<Value> = Vec::new();
    for operand in moves.flat_map(InstructionKind::operands) {
        match operand {
            Operand::Constant(value @ Value::Int(_)) if found.len() < MOST_NUMBERS && !found.contains(value) => {
                found.push(value.clone());
            }
            _ => {}
        }
    }
    found
}

/// From which blocks of a function a path leads back without a lasting effect.
fn returning(function: &Function) -> Vec<bool> {
    let has_effect: Vec<bool> =
        function.blocks.iter().map(|block| block.instructions.iter().any(|next| is_effect(&next.kind))).collect();
    let successors = |block: usize| {
        let next = function.blocks[block].terminator.successors();
        next.into_iter().map(|next| next.0 as usize).filter(|next| !has_effect[*next])
    };
    let comes_back = |start: usize| {
        let mut seen = vec![false; function.blocks.len()];
        let mut open = vec![start];
        while let Some(block) = open.pop() {
            for next in successors(block) {
                if !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        seen[start]
    };
    (0..function.blocks.len()).map(|block| !has_effect[block] && comes_back(block)).collect()
}

/// Whether an iteration with this instruction always does something that lasts.
fn is_effect(kind: &InstructionKind) -> bool {
    use InstructionKind::*;
    matches!(
        kind,
        Store { .. }
            | Allocate { .. }
            | Free { .. }
            | End { .. }
            | Spawn { .. }
            | Join { .. }
            | Wait { .. }
            | Notify { .. }
            | Park
            | Unpark { .. }
    )
}

/// What a thread did last, looked at from its end.
#[derive(Clone, Debug)]
struct Iteration {
    /// The node of the operation that comes next in this direction, its result, and what it wrote.
    next: (NodeId, Label, Option<ValueId>),
    /// How many blocks the thread has allocated.
    allocated: u32,
    /// The monitors that were released, and are still to be taken in this direction.
    released: Vec<CellId>,
    /// Where the thread stood before a read that is only tried.
    before: Option<(Rc<Thread>, Rc<Vec<Monitor>>)>,
}

impl Iteration {
    fn new(parent: NodeId, label: Label, arrival: &Arrival) -> Iteration {
        let (next, allocated) = ((parent, label, arrival.written), arrival.allocated);
        Iteration { next, allocated, released: Vec::new(), before: None }
    }

    /// Adds an operation with this result and what it wrote; whether the iteration may still be without effect. While the thread does not hold a
    /// monitor that it holds before and after, others can take it.
    fn add(&mut self, op: &Op, label: Label, written: Option<ValueId>) -> bool {
        match op {
            Op::Update(_) => written.is_none_or(|written| written.0 == label & !FAILED),
            Op::Load(_) | Op::Fence(_) | Op::Choose(_) | Op::Begin | Op::Finish => true,
            Op::Unlock(monitor) => {
                self.released.push(*monitor);
                true
            }
            Op::Lock(monitor) => {
                let place = self.released.iter().position(|other| other == monitor);
                place.map(|place| self.released.swap_remove(place)).is_some()
            }
            _ => false,
        }
    }
}

impl Forest<'_> {
    /// What a thread does that has arrived at an operation, if iterations without effect are left out. Its result was the label at the
    /// parent.
    pub(super) fn without_idle_iterations(
        &mut self,
        (parent, label): (NodeId, Label),
        thread: ThreadId,
        op: Op,
        arrival: &mut Arrival,
    ) -> Op {
        let last_reads = parent != NodeId::NONE && matches!(self.node(parent).op, Op::Load(_) | Op::Update(_));
        if arrival.is_waiting {
            return if last_reads { self.after_waiting_read((parent, label), thread, op, arrival) } else { op };
        }
        if arrival.in_block || op.is_end() || !self.is_in_loop(thread) {
            return op;
        }
        arrival.returns = true;
        self.forget(thread);
        let iteration = Iteration::new(parent, label, arrival);
        if let Some(back) = self.back(thread, iteration.clone()) {
            let may_go_on = self.iterations == Iterations::Once || last_reads;
            if arrival.has_repeated || !may_go_on {
                arrival.back = back;
                return Op::Idle;
            }
            arrival.has_repeated = true;
        }
        let may_wait = self.iterations == Iterations::Wait || arrival.has_repeated;
        if may_wait && self.may_end_iteration(&op, thread, &iteration) {
            self.awaits = true;
            arrival.is_waiting = true;
            return Op::Begin;
        }
        op
    }

    fn is_in_loop(&self, thread: ThreadId) -> bool {
        self.loops.as_ref().is_some_and(|loops| loops.contains(&self.scratch.threads[thread.index()]))
    }

    /// Forgets what the thread will not read any more.
    fn forget(&mut self, thread: ThreadId) {
        if let Some(loops) = &self.loops {
            loops.forgetting.forget_in_frames(&mut self.scratch.threads[thread.index()], self.program);
        }
    }

    /// A waiting read was made: it happens only if it leads on.
    fn after_waiting_read(
        &mut self,
        (parent, label): (NodeId, Label),
        thread: ThreadId,
        op: Op,
        arrival: &mut Arrival,
    ) -> Op {
        arrival.in_block = true;
        let iteration = Iteration::new(parent, label, arrival);
        match self.back_after_fences(&op, thread, &iteration) {
            Some(back) => {
                arrival.back = back;
                Op::Waits
            }
            None => {
                arrival.beyond = Some(op);
                Op::Finish
            }
        }
    }

    /// Whether the thread is at a read that would end an iteration without effect with some value that the cell is known to hold.
    fn may_end_iteration(&mut self, op: &Op, thread: ThreadId, iteration: &Iteration) -> bool {
        let (Op::Load(cell) | Op::Update(cell)) = op else { return false };
        let values = self.tried_values(*cell);
        let before = (self.scratch.threads[thread.index()].clone(), self.scratch.monitors.clone());
        let ends = |forest: &mut Self, label: Label| {
            let (state, held) = before.clone();
            forest.enter(thread, state, held);
            let mut tried = Arrival { allocated: iteration.allocated, is_trial: true, ..Arrival::default() };
            let next = forest.perform(thread, op, label, &mut tried).and_then(|()| forest.next_op(thread, &mut tried));
            let mut iteration =
                Iteration { before: Some(before.clone()), allocated: tried.allocated, ..iteration.clone() };
            let next = next.ok().filter(|_| iteration.add(op, label, tried.written));
            let back = next.and_then(|next| forest.back_after_fences(&next, thread, &iteration));
            (back.is_some(), tried.picked)
        };
        let found = values.into_iter().any(|value| match ends(self, value.0) {
            (false, true) => ends(self, value.0 | FAILED).0,
            (is_found, _) => is_found,
        });
        let (state, held) = before;
        self.enter(thread, state, held);
        found
    }

    /// Values that a cell may hold.
    fn tried_values(&mut self, cell: CellId) -> Vec<ValueId> {
        let known = &self.known[cell.index()];
        let mut values: Vec<ValueId> = known[known.len().saturating_sub(MOST_VALUES)..].to_vec();
        let numbers = self.loops.iter().flat_map(|loops| loops.numbers.clone());
        for number in numbers.collect::<Vec<_>>() {
            let number = self.number_of(&number);
            if !values.contains(&number) {
                values.push(number);
            }
        }
        values
    }

    /// The node at which the thread was as it is now, or as it is after the fences that it comes to, if it has iterated without
    /// effect since. The thread stays where it is.
    fn back_after_fences(&mut self, op: &Op, thread: ThreadId, iteration: &Iteration) -> Option<NodeId> {
        let (state, held) = (self.scratch.threads[thread.index()].clone(), self.scratch.monitors.clone());
        let mut op = op.clone();
        let back = loop {
            if op.is_end() || !self.is_in_loop(thread) {
                break None;
            }
            self.forget(thread);
            let back = self.back(thread, iteration.clone());
            if back.is_some() || !matches!(op, Op::Fence(_)) {
                break back;
            }
            let mut next = Arrival { allocated: iteration.allocated, is_trial: true, ..Arrival::default() };
            match self.perform(thread, &op, 0, &mut next).and_then(|()| self.next_op(thread, &mut next)) {
                Ok(other) if next.allocated == iteration.allocated => op = other,
                _ => break None,
            }
        };
        self.enter(thread, state, held);
        back
    }

    /// The node at which the thread was as it is now, if it has iterated without effect since.
    fn back(&self, thread: ThreadId, mut iteration: Iteration) -> Option<NodeId> {
        let (here, held) = (&self.scratch.threads[thread.index()], &self.scratch.monitors);
        if iteration.before.as_ref().is_some_and(|(state, monitors)| state == here && monitors == held) {
            return Some(iteration.next.0);
        }
        for _ in 0..LONGEST_ITERATION {
            let (node, label, written) = iteration.next;
            if node == NodeId::NONE {
                return None;
            }
            let at = self.node(node);
            if !iteration.add(&at.op, label, written) {
                return None;
            }
            if at.returns && at.allocated == iteration.allocated && at.state == *here && at.held == *held {
                return Some(node);
            }
            iteration.next = (at.parent, at.label, at.written);
        }
        None
    }
}
