//! What is kept about memory against what a walk finds.

use std::rc::Rc;

use testing::random::Random;

use super::{canonicalize, shared};
use crate::heap::{Allocation, Heap};
use crate::owned::is_owned;
use crate::state::{State, Thread};
use crate::store::{StateId, Store};
use crate::word::{Address, PathId, Word, Words};

const THREADS: u64 = 2;

fn to(block: u32) -> Word {
    Word::Pointer(Address { allocation: block, path: PathId(0) })
}

fn fresh() -> Allocation {
    Allocation { name: 0, default: Word::int(0, 32), cells: Vec::new(), freed: false, reuse: false }
}

fn start(globals: usize) -> State {
    let thread = || Rc::new(Thread { registers: vec![Word::Undefined; 2], ..Thread::default() });
    State {
        threads: (0..THREADS).map(|_| thread()).collect(),
        heap: (0..globals).map(|_| Rc::new(fresh())).collect(),
        monitors: Rc::default(),
        history: None,
    }
}

/// Allocates, or puts a number or a pointer in a register or cell that a thread can come to.
fn change(state: &mut State, dice: &mut Random) {
    let block = dice.below(state.heap.len() as u64) as u32;
    let value = if dice.below(3) == 0 { Word::int(dice.below(3) as i64, 32) } else { to(block) };
    let (thread, register) = (dice.below(THREADS) as usize, dice.below(2) as usize);
    match dice.below(4) {
        0 => {
            state.heap.push(fresh());
            let newest = state.heap.len() - 1;
            state.thread(thread).registers[register] = to(newest as u32);
        }
        1 => state.thread(thread).registers[register] = value,
        _ => {
            let allocation = dice.below(state.heap.len() as u64) as u32;
            state.put(Address { allocation, path: PathId(dice.below(3) as u32) }, value);
        }
    }
}

/// The state without what is kept about its memory.
fn forgetful(state: &State) -> State {
    State { heap: state.heap.iter().cloned().collect::<Heap>(), ..state.clone() }
}

/// Changes random states of memories with so many globals; gives how many owned blocks and new numberings there were.
fn compare(globals: usize, dice: &mut Random) -> (u32, u32) {
    let (mut words, mut store, mut seen) = (Words::new(), Store::new(), Vec::new());
    let (mut owned, mut moved) = (0, 0);
    for _ in 0..30 {
        let mut state = start(globals);
        let mut before: Option<(State, StateId)> = None;
        for step in 0..120 {
            change(&mut state, dice);
            let anew = forgetful(&state);
            for block in 0..state.heap.len() as u32 {
                let is = is_owned(&state, 0, block, globals, &words);
                assert_eq!(is, is_owned(&anew, 0, block, globals, &words), "block {block} of {state:?}");
                owned += u32::from(is);
            }
            assert_eq!(shared(&state, globals, &words), shared(&anew, globals, &words), "{state:?}");
            // Several changes come between two canonical forms.
            if step % 3 == 0 {
                let mut expected = anew;
                let numbers = canonicalize(&mut expected, globals, true, &mut words);
                moved += u32::from(numbers.is_some());
                assert_eq!(canonicalize(&mut state, globals, true, &mut words), numbers, "{state:?}");
                assert_eq!(state, expected);
                let (id, is_new) = store.insert_after(&state, before.as_ref().map(|(state, id)| (state, *id)));
                assert_eq!(store.insert(&expected), (id, false), "{state:?}");
                assert_eq!(is_new, !seen.contains(&state), "{state:?}");
                seen.extend(is_new.then(|| state.clone()));
                before = Some((state.clone(), id));
            }
        }
    }
    (owned, moved)
}

#[test]
fn what_is_kept_about_memory_changes_neither_canonical_forms_nor_owners_nor_numbers_of_states() {
    let mut dice = Random::numbered(20);
    for globals in [2, 40] {
        let (owned, moved) = compare(globals, &mut dice);
        assert!(owned > 300 && moved > 300, "{owned} owned blocks, {moved} new numberings");
    }
}
