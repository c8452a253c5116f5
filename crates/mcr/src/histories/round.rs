//! Rounds of loops in which a thread changes nothing, so that a class need not have any number of them.
//!
//! A thread that waits in a loop reads, finds that it has to wait, and is where it was before. Such a *round in vain* can
//! be left out of an execution: nobody else notices it, and the thread's state is the same without it. (It drains the
//! thread's buffer at most; stores may get to memory at the same times without that.) So every execution that ends has the
//! same end as one without rounds in vain, and only those are explored:
//!
//! - A read that may end a round in vain is a *waiting read*: it happens only with a value that leads on. In the trees of
//!   [`super::history`] it is an atomic block of one access that waits. Whether a read is one is decided when its node is
//!   made, by trying what the cell is known to hold. If that misses a value then the thread goes round once, and the read
//!   of the next round is one.
//! - If a round in vain ends with something else, its thread stops there ([`Op::Idle`]).
//!
//! A round is in vain if it does nothing but read, write what is there, and take monitors and give them back, and if the
//! thread ends where it began, with the same live registers and the same monitors, none of which it did without meanwhile.
//! Retries are in vain: a thread that reads, computes, and fails to exchange reads once more.
//!
//! A thread that waits at the end of an execution may be in the middle of a round. Whether it goes round for ever then, or
//! the whole execution is only the start of others and cut short, [`waits_in_vain`] says.
//!
//! Data races are another matter: an access in a round in vain may race. A race has one access of each thread, so it is
//! enough that each thread goes round in vain once, wherever it likes, with nothing left out.
//!
//! [`waits_in_vain`]: super::machine::Configuration::waits_in_vain

use std::rc::Rc;

use program::{Function, InstructionKind, Operand, Program, Value};

use operational::forget::Forgetting;
use operational::state::{Monitor, Thread};

use super::history::{Arrival, FAILED, Forest, Label, Op};
use super::id::{CellId, NodeId, ThreadId, ValueId};

/// What is done about rounds in vain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounds {
    /// Threads wait instead.
    #[default]
    Wait,
    /// Each thread may go round in vain once; then it waits.
    Once,
}

/// The loops of a program that threads may go round in vain.
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
/// Rounds with more operations than this are not found.
const LONGEST_ROUND: usize = 256;

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

/// Whether a round with this instruction always does something that lasts.
fn is_effect(kind: &InstructionKind) -> bool {
    use InstructionKind::*;
    matches!(
        kind,
        Store { .. }
            | Allocate { .. }
            | Free { .. }
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
struct Round {
    /// The node of the operation that comes next in this direction, what it was told, and what it wrote.
    next: (NodeId, Label, Option<ValueId>),
    /// How many blocks the thread has allocated.
    allocated: u32,
    /// The monitors that were given back, and are still to be taken in this direction.
    given_back: Vec<CellId>,
    /// Where the thread stood before a read that is only tried.
    before: Option<(Rc<Thread>, Rc<Vec<Monitor>>)>,
}

impl Round {
    fn new(parent: NodeId, label: Label, arrival: &Arrival) -> Round {
        let (next, allocated) = ((parent, label, arrival.written), arrival.allocated);
        Round { next, allocated, given_back: Vec::new(), before: None }
    }

    /// Adds an operation that was told and wrote this; whether the round may still be in vain. While the thread does without a
    /// monitor that it holds before and after, others can take it.
    fn add(&mut self, op: &Op, label: Label, written: Option<ValueId>) -> bool {
        match op {
            Op::Update(_) => written.is_none_or(|written| written.0 == label & !FAILED),
            Op::Load(_) | Op::Fence(_) | Op::Choose(_) | Op::Begin | Op::Finish => true,
            Op::Unlock(monitor) => {
                self.given_back.push(*monitor);
                true
            }
            Op::Lock(monitor) => {
                let place = self.given_back.iter().position(|other| other == monitor);
                place.map(|place| self.given_back.swap_remove(place)).is_some()
            }
            _ => false,
        }
    }
}

impl Forest<'_> {
    /// What a thread does that has arrived at an operation, if rounds in vain are left out. It was told the label at the
    /// parent.
    pub(super) fn without_rounds(
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
        let round = Round::new(parent, label, arrival);
        if let Some(back) = self.back(thread, round.clone()) {
            let may_go_on = self.rounds == Rounds::Once || last_reads;
            if arrival.went_round || !may_go_on {
                arrival.back = back;
                return Op::Idle;
            }
            arrival.went_round = true;
        }
        let may_wait = self.rounds == Rounds::Wait || arrival.went_round;
        if may_wait && self.may_end_round(&op, thread, &round) {
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
        let round = Round::new(parent, label, arrival);
        match self.back_after_fences(&op, thread, &round) {
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

    /// Whether the thread is at a read that would end a round in vain with some value that the cell is known to hold.
    fn may_end_round(&mut self, op: &Op, thread: ThreadId, round: &Round) -> bool {
        let (Op::Load(cell) | Op::Update(cell)) = op else { return false };
        let values = self.tried_values(*cell);
        let before = (self.scratch.threads[thread.index()].clone(), self.scratch.monitors.clone());
        let ends = |forest: &mut Self, label: Label| {
            let (state, held) = before.clone();
            forest.enter(thread, state, held);
            let mut tried = Arrival { allocated: round.allocated, is_trial: true, ..Arrival::default() };
            let next = forest.perform(thread, op, label, &mut tried).and_then(|()| forest.next_op(thread, &mut tried));
            let mut round = Round { before: Some(before.clone()), allocated: tried.allocated, ..round.clone() };
            let next = next.ok().filter(|_| round.add(op, label, tried.written));
            let back = next.and_then(|next| forest.back_after_fences(&next, thread, &round));
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

    /// The node at which the thread was as it is now, or as it is after the fences that it comes to, if it has gone round in
    /// vain since. The thread stays where it is.
    fn back_after_fences(&mut self, op: &Op, thread: ThreadId, round: &Round) -> Option<NodeId> {
        let (state, held) = (self.scratch.threads[thread.index()].clone(), self.scratch.monitors.clone());
        let mut op = op.clone();
        let back = loop {
            if op.is_end() || !self.is_in_loop(thread) {
                break None;
            }
            self.forget(thread);
            let back = self.back(thread, round.clone());
            if back.is_some() || !matches!(op, Op::Fence(_)) {
                break back;
            }
            let mut next = Arrival { allocated: round.allocated, is_trial: true, ..Arrival::default() };
            match self.perform(thread, &op, 0, &mut next).and_then(|()| self.next_op(thread, &mut next)) {
                Ok(other) if next.allocated == round.allocated => op = other,
                _ => break None,
            }
        };
        self.enter(thread, state, held);
        back
    }

    /// The node at which the thread was as it is now, if it has gone round in vain since.
    fn back(&self, thread: ThreadId, mut round: Round) -> Option<NodeId> {
        let (here, held) = (&self.scratch.threads[thread.index()], &self.scratch.monitors);
        if round.before.as_ref().is_some_and(|(state, monitors)| state == here && monitors == held) {
            return Some(round.next.0);
        }
        for _ in 0..LONGEST_ROUND {
            let (node, label, written) = round.next;
            if node == NodeId::NONE {
                return None;
            }
            let at = self.node(node);
            if !round.add(&at.op, label, written) {
                return None;
            }
            if at.returns && at.allocated == round.allocated && at.state == *here && at.held == *held {
                return Some(node);
            }
            round.next = (at.parent, at.label, at.written);
        }
        None
    }
}
