//! A state of a trace, packed into words.
//!
//! With `T` threads, `Q` queues of buffered stores, `C` cells and `M` monitors a state has `2 * T + Q + C + M + 1` words:
//!
//! ```text
//! | T positions | Q stores flushed | C values | M monitors | T flags | target |
//! ```
//!
//! - a *position* is how many events the thread has done;
//! - *flushed* is how many stores of the queue are in memory;
//! - a *monitor* is 0 if nobody holds it, else its holder and how often it was taken;
//! - *flags* say whether the thread was started, was notified, and has a permit;
//! - *target* is 0 until the event asked about has got something else than in the class, then 1 plus its label.
//!
//! ```text
//!            31                16 15                 0
//! monitor   | thread of holder + 1 |    times taken    |
//!
//!            31                      3      2        1         0
//! flags     |            0            | permit | notified | started |
//! ```
//!
//! Only this module knows the places. States are compared and hashed as lists of words.

use crate::histories::id::{TraceCell, TraceMonitor, ValueId};

/// The words of a state.
pub(super) type Words = [u32];

const STARTED: u32 = 1;
const NOTIFIED: u32 = 2;
const PERMIT: u32 = 4;

/// A monitor's holder stands above these bits.
const HOLDER: u32 = 16;
const TIMES: u32 = (1 << HOLDER) - 1;

/// Where what stands in a state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layout {
    pub threads: usize,
    pub queues: usize,
    pub cells: usize,
    pub monitors: usize,
}

impl Layout {
    /// How many words a state has.
    pub fn width(self) -> usize {
        self.target() + 1
    }

    fn memory(self) -> usize {
        self.threads + self.queues
    }

    fn cell(self, cell: TraceCell) -> usize {
        self.memory() + cell.index()
    }

    fn monitor(self, monitor: TraceMonitor) -> usize {
        self.memory() + self.cells + monitor.index()
    }

    fn flags(self, thread: usize) -> usize {
        self.memory() + self.cells + self.monitors + thread
    }

    fn target(self) -> usize {
        self.flags(self.threads)
    }

    /// The first state: memory holds these values, and no thread was started.
    pub fn start(self, state: &mut Vec<u32>, initial: &[ValueId]) {
        state.clear();
        state.resize(self.width(), 0);
        let memory = state[self.memory()..][..self.cells].iter_mut();
        memory.zip(initial).for_each(|(word, value)| *word = value.0);
    }

    /// How many events the thread has done.
    pub fn position(self, state: &Words, thread: usize) -> u32 {
        state[thread]
    }

    /// The thread has done one event more.
    pub fn advance(self, state: &mut Words, thread: usize) {
        state[thread] += 1;
    }

    /// How many stores of the queue are in memory.
    pub fn flushed(self, state: &Words, queue: usize) -> u32 {
        state[self.threads + queue]
    }

    /// One store more of the queue is in memory.
    pub fn note_flush(self, state: &mut Words, queue: usize) {
        state[self.threads + queue] += 1;
    }

    /// What a cell holds.
    pub fn held(self, state: &Words, cell: TraceCell) -> ValueId {
        ValueId(state[self.cell(cell)])
    }

    /// What all cells hold.
    pub fn memory_of(self, state: &Words) -> Vec<ValueId> {
        state[self.memory()..][..self.cells].iter().copied().map(ValueId).collect()
    }

    /// A cell gets a value.
    pub fn put(self, state: &mut Words, cell: TraceCell, value: ValueId) {
        state[self.cell(cell)] = value.0;
    }

    /// The thread that holds a monitor, if one does. Nobody holds a monitor that is not of the trace.
    pub fn holder(self, state: &Words, monitor: TraceMonitor) -> Option<usize> {
        let word = if monitor.index() < self.monitors { state[self.monitor(monitor)] } else { 0 };
        Some((word >> HOLDER).checked_sub(1)? as usize)
    }

    /// The thread takes a monitor so often.
    pub fn lock(self, state: &mut Words, thread: usize, monitor: TraceMonitor, times: u32) {
        if monitor.index() < self.monitors {
            let word = &mut state[self.monitor(monitor)];
            *word = ((thread as u32 + 1) << HOLDER) | ((*word & TIMES) + times);
        }
    }

    /// A monitor is released once.
    pub fn unlock(self, state: &mut Words, monitor: TraceMonitor) {
        let word = &mut state[self.monitor(monitor)];
        *word -= 1;
        if *word & TIMES == 0 {
            *word = 0;
        }
    }

    /// A monitor is released, however often it was taken.
    pub fn release(self, state: &mut Words, monitor: TraceMonitor) {
        state[self.monitor(monitor)] = 0;
    }

    /// Whether the thread was started.
    pub fn is_started(self, state: &Words, thread: usize) -> bool {
        state[self.flags(thread)] & STARTED != 0
    }

    /// Starts a thread.
    pub fn spawn(self, state: &mut Words, thread: usize) {
        state[self.flags(thread)] |= STARTED;
    }

    /// Whether the thread was notified and has not gone on yet.
    pub fn is_notified(self, state: &Words, thread: usize) -> bool {
        state[self.flags(thread)] & NOTIFIED != 0
    }

    /// The thread is notified, or goes on after it was.
    pub fn set_notified(self, state: &mut Words, thread: usize, is_notified: bool) {
        set(&mut state[self.flags(thread)], NOTIFIED, is_notified);
    }

    /// Whether the thread has a permit.
    pub fn has_permit(self, state: &Words, thread: usize) -> bool {
        state[self.flags(thread)] & PERMIT != 0
    }

    /// The thread is given a permit, or takes it.
    pub fn set_permit(self, state: &mut Words, thread: usize, has_permit: bool) {
        set(&mut state[self.flags(thread)], PERMIT, has_permit);
    }

    /// What the target got, if it has happened.
    pub fn taken(self, state: &Words) -> Option<u32> {
        state[self.target()].checked_sub(1)
    }

    /// The target gets something else than in the class.
    pub fn take(self, state: &mut Words, label: u32) {
        state[self.target()] = label.wrapping_add(1).max(1);
    }
}

fn set(word: &mut u32, flag: u32, is_set: bool) {
    match is_set {
        true => *word |= flag,
        false => *word &= !flag,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_state_do_not_touch_each_other() {
        let layout = Layout { threads: 2, queues: 1, cells: 2, monitors: 1 };
        let mut state = Vec::new();
        layout.start(&mut state, &[ValueId(7), ValueId(8)]);
        assert_eq!(state.len(), layout.width());
        layout.advance(&mut state, 1);
        layout.note_flush(&mut state, 0);
        layout.put(&mut state, TraceCell(1), ValueId(9));
        layout.lock(&mut state, 1, TraceMonitor(0), 2);
        layout.spawn(&mut state, 0);
        layout.set_notified(&mut state, 1, true);
        layout.set_permit(&mut state, 1, true);
        layout.take(&mut state, 5);
        assert_eq!(state, [0, 1, 1, 7, 9, (2 << 16) | 2, 1, 6, 6]);
        layout.unlock(&mut state, TraceMonitor(0));
        assert_eq!(layout.holder(&state, TraceMonitor(0)), Some(1));
        layout.unlock(&mut state, TraceMonitor(0));
        assert_eq!((layout.holder(&state, TraceMonitor(0)), layout.holder(&state, TraceMonitor(3))), (None, None));
        layout.set_notified(&mut state, 1, false);
        assert!(layout.has_permit(&state, 1) && !layout.is_notified(&state, 1) && !layout.is_started(&state, 1));
        assert_eq!((layout.taken(&state), layout.memory_of(&state)), (Some(5), vec![ValueId(7), ValueId(9)]));
    }
}
