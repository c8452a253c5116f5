//! One form for states that differ only in the numbers of their blocks.
//!
//! Blocks made at run time are numbered in the order in which a walk from the globals, the threads and the monitors finds
//! them; what the walk does not find is dropped. Nothing can tell two numberings apart: pointers are only compared for
//! equality. A freed block that nothing points to is kept if it could be reused, because of what it holds; if that is
//! nothing it is dropped: whoever got it could not tell it from a fresh one (unless fresh ones differ in what they hold).

use std::rc::Rc;

use crate::heap::Allocation;
use crate::state::{State, Status, Thread};
use crate::word::{Address, PathId, Word, Words};

#[cfg(test)]
mod tests;

const UNSEEN: u32 = u32::MAX;

/// Brings a state into canonical form; the first `globals` allocations stay as they are. `alike` says that all fresh blocks
/// that may be reused hold the same. Gives the new number of each
/// allocation, if some changed; dropped ones have a number that none has.
pub fn canonicalize(state: &mut State, globals: usize, alike: bool, words: &mut Words) -> Option<Vec<u32>> {
    if state.heap.len() <= globals {
        return None;
    }
    let (numbers, rooted) = numbering(state, globals, alike, words);
    let is_same = numbers.iter().enumerate().all(|(old, &new)| old as u32 == new);
    if is_same {
        state.heap.set_rooted(rooted);
        return None;
    }
    let number = |allocation: u32| numbers.get(allocation as usize).copied().unwrap_or(allocation);
    let moves = |word: Word, words: &Words| {
        let mut moved = false;
        words.allocations(word, &mut |allocation| moved |= number(allocation) != allocation);
        moved
    };
    renumber_heap(state, (&numbers, rooted), words, &number, &moves);
    for thread in &mut state.threads {
        if thread_words(thread).any(|word| moves(word, words)) {
            renumber_thread(Rc::make_mut(thread), words, &number);
        }
    }
    if state.monitors.iter().any(|monitor| number(monitor.address.allocation) != monitor.address.allocation) {
        let monitors = Rc::make_mut(&mut state.monitors);
        monitors.iter_mut().for_each(|m| m.address.allocation = number(m.address.allocation));
        monitors.sort_unstable();
    }
    if let Some(history) = state.history() {
        let cell = |address: Address| {
            let allocation = number(address.allocation);
            (allocation != UNSEEN).then_some(Address { allocation, ..address })
        };
        history.renumber(&cell, &mut |word| words.renumber(word, &number));
    }
    Some(numbers)
}

/// Whether blocks that several threads can come to are others after a step that gave these numbers, though the numbers are the same
/// again: a cell points to a block that was allocated since.
pub fn exchanges_shared(before: &State, globals: usize, numbers: &[u32], words: &Words) -> bool {
    let shared = shared(before, globals, words);
    numbers.iter().zip(shared).enumerate().any(|(block, (&number, is_shared))| is_shared && number != block as u32)
}

/// By allocation: whether more threads than one can come to it, or a global leads to it.
pub fn shared(state: &State, globals: usize, words: &Words) -> Vec<bool> {
    /// Who can come to a block, if it is not one thread alone.
    const SEVERAL: u32 = u32::MAX - 1;
    let mut owners = vec![UNSEEN; state.heap.len()];
    let rooted = state.heap.rooted();
    owners.iter_mut().take(rooted.unwrap_or(0)).for_each(|owner| *owner = SEVERAL);
    let roots = if rooted.is_some() { 0 } else { globals as u32 };
    let mut open: Vec<(u32, u32)> = (0..roots).map(|global| (global, SEVERAL)).collect();
    let of_threads = state
        .threads
        .iter()
        .enumerate()
        .flat_map(|(thread, words)| thread_words(words).map(move |word| (word, thread as u32)).collect::<Vec<_>>());
    for (word, owner) in of_threads {
        words.allocations(word, &mut |allocation| open.push((allocation, owner)));
    }
    while let Some((block, owner)) = open.pop() {
        let Some(known) = owners.get_mut(block as usize) else { continue };
        let joint = if [UNSEEN, owner].contains(known) { owner } else { SEVERAL };
        if *known == joint {
            continue;
        }
        *known = joint;
        let allocation = &state.heap[block as usize];
        let inside = allocation.cells.iter().map(|(_, word)| *word).chain([allocation.default]);
        inside.for_each(|word| words.allocations(word, &mut |inner| open.push((inner, joint))));
    }
    owners.into_iter().map(|owner| owner == SEVERAL).collect()
}

/// The new number of each allocation, [`UNSEEN`] for those that nothing reaches; and how many blocks globals lead to.
fn numbering(state: &State, globals: usize, alike: bool, words: &Words) -> (Vec<u32>, usize) {
    let mut numbers = vec![UNSEEN; state.heap.len()];
    let rooted = state.heap.rooted();
    let mut order: Vec<u32> = (0..rooted.unwrap_or(globals) as u32).collect();
    order.iter().for_each(|&known| numbers[known as usize] = known);
    let mut next = rooted.unwrap_or(0);
    let mut walk = |order: &mut Vec<u32>, numbers: &mut Vec<u32>| {
        while next < order.len() {
            let allocation = &state.heap[order[next] as usize];
            next += 1;
            visit(allocation.default, words, order, numbers);
            allocation.cells.iter().for_each(|(_, word)| visit(*word, words, order, numbers));
        }
    };
    walk(&mut order, &mut numbers);
    let rooted = order.len();
    for thread in &state.threads {
        thread_words(thread).for_each(|word| visit(word, words, &mut order, &mut numbers));
        walk(&mut order, &mut numbers);
    }
    for word in state.history.iter().flat_map(|history| history.words()) {
        visit(word, words, &mut order, &mut numbers);
        walk(&mut order, &mut numbers);
    }
    for (number, block) in state.heap.iter().enumerate() {
        if block.freed && block.reuse && !(alike && block.cells.is_empty()) {
            let path = PathId(0);
            visit(Word::Pointer(Address { allocation: number as u32, path }), words, &mut order, &mut numbers);
            walk(&mut order, &mut numbers);
        }
    }
    for monitor in state.monitors.iter() {
        visit(Word::Pointer(monitor.address), words, &mut order, &mut numbers);
    }
    walk(&mut order, &mut numbers);
    (numbers, rooted)
}

fn visit(word: Word, words: &Words, order: &mut Vec<u32>, numbers: &mut [u32]) {
    words.allocations(word, &mut |allocation| {
        if let Some(number) = numbers.get_mut(allocation as usize).filter(|number| **number == UNSEEN) {
            *number = order.len() as u32;
            order.push(allocation);
        }
    });
}

/// Every word that a thread holds.
pub(crate) fn thread_words(thread: &Thread) -> impl Iterator<Item = Word> {
    let monitor = match thread.status {
        Status::Waiting(address, _) | Status::Notified(address, _) => Some(Word::Pointer(address)),
        _ => None,
    };
    let buffered = thread.buffer.iter().flat_map(|store| [Word::Pointer(store.cell), store.value]);
    thread.registers.iter().copied().chain(buffered).chain(monitor)
}

fn renumber_heap(
    state: &mut State,
    (numbers, rooted): (&[u32], usize),
    words: &mut Words,
    number: &dyn Fn(u32) -> u32,
    moves: &dyn Fn(Word, &Words) -> bool,
) {
    // Those lead to none but each other, and keep their numbers.
    let unmoved = state.heap.rooted().unwrap_or(0);
    let kept = numbers.iter().filter(|number| **number != UNSEEN).count();
    let mut moved: Vec<Option<Rc<Allocation>>> = vec![None; kept - unmoved];
    for (old, allocation) in state.heap.iter().enumerate().skip(unmoved) {
        let place = (numbers[old] as usize).checked_sub(unmoved).and_then(|place| moved.get_mut(place));
        let Some(place) = place else { continue };
        let mut allocation = allocation.clone();
        let mut inside = allocation.cells.iter().map(|(_, word)| *word).chain([allocation.default]);
        if inside.any(|word| moves(word, words)) {
            let allocation = Rc::make_mut(&mut allocation);
            allocation.default = words.renumber(allocation.default, number);
            allocation.cells.iter_mut().for_each(|(_, word)| *word = words.renumber(*word, number));
        }
        *place = Some(allocation);
    }
    state.heap = state.heap.replaced(unmoved, moved.into_iter().flatten().collect(), rooted);
}

fn renumber_thread(thread: &mut Thread, words: &mut Words, number: &dyn Fn(u32) -> u32) {
    let renumber_cell = |cell: Address| Address { allocation: number(cell.allocation), path: cell.path };
    thread.registers.iter_mut().for_each(|word| *word = words.renumber(*word, number));
    for store in &mut thread.buffer {
        store.cell = renumber_cell(store.cell);
        store.value = words.renumber(store.value, number);
    }
    thread.status = match thread.status {
        Status::Waiting(address, times) => Status::Waiting(renumber_cell(address), times),
        Status::Notified(address, times) => Status::Notified(renumber_cell(address), times),
        other => other,
    };
}
