//! Loops to copies: each thread becomes an acyclic graph of block copies.
//!
//! Every loop body is run at most so often as [`Iterations`] say. Where an execution would have one more iteration it is *pruned* instead
//! (CheckFence thesis, section 4.5): such an execution is not complete, and the engine asks separately whether there is
//! one before it concludes anything from not finding an outcome.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use program::flow::{Loop, find_loops};
use program::{BlockId, Function, InstructionKind, Storage, ThreadId, Unsupported, Value, Verified};
use relation::Pairs;

/// A program without loops.
#[derive(Clone)]
pub struct Unrolling {
    /// What runs before the threads. It counts as one thread more than the program has.
    pub setup: Option<Unrolled>,
    /// The threads.
    pub threads: Vec<Unrolled>,
    /// The blocks of memory that are allocated by every `allocate` with reuse, each first by one of them.
    pub reusable: Vec<u32>,
    /// Heap memory of C.
    pub heap: Vec<u32>,
    /// The blocks of variables whose life may end.
    pub ending: Vec<u32>,
    /// Name and size in bytes of the blocks of memory whose size is known.
    pub sizes: BTreeMap<u32, (Arc<str>, u64)>,
}

/// How many iterations loops have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iterations {
    /// How often each loop body may run,
    pub each: u32,
    /// but for these.
    pub raised: BTreeMap<LoopCopy, u32>,
}

/// A loop, in one iteration each of the loops around it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoopCopy {
    /// The thread, or the setup.
    pub thread: ThreadId,
    /// The loop's head.
    pub head: BlockId,
    /// The iterations of the loops around it, from 0.
    pub around: Vec<u32>,
}

impl Iterations {
    /// As many iterations for each loop.
    pub fn of_each(iterations: u32) -> Iterations {
        Iterations { each: iterations, raised: BTreeMap::new() }
    }

    /// How many iterations this loop has.
    pub fn of(&self, copy: &LoopCopy) -> u32 {
        self.raised.get(copy).copied().unwrap_or(self.each)
    }
}

/// A thread as an acyclic graph.
#[derive(Clone)]
pub struct Unrolled {
    /// The thread.
    pub thread: ThreadId,
    /// Invariant: in topological order; node 0 is the entry.
    pub nodes: Vec<Node>,
    /// The loops of the thread.
    pub loops: Vec<Loop>,
    /// The loops that are left by force, once for each combination of iterations of the loops around them.
    pub cut: Vec<LoopCopy>,
}

/// A copy of a block.
#[derive(Clone)]
pub struct Node {
    /// The block it copies.
    pub block: BlockId,
    /// Where each successor of the block's terminator leads, in the terminator's order.
    pub successors: Vec<Target>,
    /// If the block is the head of a loop: the loop, and which iteration begins here, from 0.
    pub iteration: Option<(LoopCopy, u32)>,
    /// For each loop around it (by its index in [`Unrolled::loops`]): which iteration it is in, from 0.
    pub iterations: Vec<(usize, u32)>,
    /// The block of memory that each `allocate` of this copy gives.
    pub allocations: Vec<Made>,
}

/// A block of memory that a copy of an `allocate` gives.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its number.
    pub number: u32,
    /// What its cells hold at first.
    pub default: Value,
    /// Its type.
    pub name: Arc<str>,
}

/// Where a jump leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To a copy of the block.
    Node(usize),
    /// One more iteration of a loop (by its index in [`Unrolled::cut`]) than the bound allows.
    Pruned(usize),
}

/// A copy of a block: the block, and for each loop around it which iteration this is.
type Copy = (BlockId, Vec<(usize, u32)>);

/// More copies than this are refused: no answer would come in useful time.
const COPIES: usize = 100_000;

/// The thread number that stands for the setup.
pub fn setup_thread(program: &Verified) -> ThreadId {
    ThreadId(program.threads.len() as u32)
}

/// What the thread runs, or what the setup does.
pub fn code(program: &Verified, thread: ThreadId) -> Option<&Function> {
    let entry = program.threads.get(thread.0 as usize).map(|thread| thread.entry).or(program.setup)?;
    Some(program.function(entry))
}

/// Unrolls every thread of the program and its setup.
pub fn unroll(program: &Verified, iterations: &Iterations) -> Result<Unrolling, Unsupported> {
    let unrolled = |thread: ThreadId| match code(program, thread) {
        Some(function) => unroll_thread(thread, function, iterations),
        None => Err(Unsupported::new("a thread without code", None)),
    };
    let setup = program.setup.map(|_| unrolled(setup_thread(program))).transpose()?;
    let threads = (0..program.threads.len() as u32).map(|index| unrolled(ThreadId(index))).collect::<Result<_, _>>()?;
    let mut unrolling = Unrolling {
        setup,
        threads,
        reusable: Vec::new(),
        heap: Vec::new(),
        ending: Vec::new(),
        sizes: BTreeMap::new(),
    };
    number_allocations(program, &mut unrolling);
    Ok(unrolling)
}

/// Each copy of an `allocate` runs at most once and has a block of its own, numbered after the globals.
fn number_allocations(program: &Verified, unrolling: &mut Unrolling) {
    let Unrolling { setup, threads, reusable, heap, ending, sizes } = unrolling;
    for (number, global) in program.globals.iter().enumerate() {
        let size = global.extent.as_ref().and_then(|extent| extent.known_size());
        sizes.extend(size.map(|size| (number as u32, (global.name.as_str().into(), size))));
    }
    let mut next = program.globals.len() as u32;
    for unrolled in setup.iter_mut().chain(threads) {
        let Some(function) = code(program, unrolled.thread) else { continue };
        for node in &mut unrolled.nodes {
            for instruction in &function[node.block].instructions {
                if let InstructionKind::Allocate { default, name, reuse, extent, .. } = &instruction.kind {
                    let size = extent.as_ref().and_then(|extent| extent.known_size());
                    sizes.extend(size.map(|size| (next, (name.clone(), size))));
                    let made = Made { number: next, default: default.clone(), name: name.clone() };
                    node.allocations.push(made);
                    if *reuse {
                        reusable.push(next);
                    }
                    if extent.as_ref().is_some_and(|extent| extent.storage.is_left()) {
                        ending.push(next);
                    }
                    if extent.as_ref().is_some_and(|extent| extent.storage == Storage::Heap) {
                        heap.push(next);
                    }
                    next += 1;
                }
            }
        }
    }
}

impl Unrolled {
    /// Pairs of nodes such that a path leads from the first to the second, each node to itself included.
    pub fn reachability(&self) -> Pairs {
        let mut reach = Pairs::identity(self.nodes.len());
        for (from, node) in self.nodes.iter().enumerate() {
            for target in &node.successors {
                if let Target::Node(to) = *target {
                    reach.insert(from, to);
                }
            }
        }
        reach.closure()
    }

    /// Whether a jump from this node that is cut would end an iteration of the loop, and not begin the body of one.
    pub fn ends_iteration(&self, node: usize, copy: &LoopCopy) -> bool {
        let block = self.nodes[node].block;
        !self.loops.iter().any(|l| l.head == copy.head && l.head == block && l.tests_first)
    }
}

impl Unrolling {
    /// The setup and the threads.
    pub fn all(&self) -> impl Iterator<Item = &Unrolled> {
        self.setup.iter().chain(&self.threads)
    }

    /// The blocks of memory that they make.
    pub fn made(&self) -> impl Iterator<Item = &Made> {
        self.all().flat_map(|unrolled| &unrolled.nodes).flat_map(|node| &node.allocations)
    }
}

fn unroll_thread(thread: ThreadId, function: &Function, iterations: &Iterations) -> Result<Unrolled, Unsupported> {
    let loops = find_loops(function);
    let copy_of = |l: usize, iterations: &[(usize, u32)]| {
        let head = loops[l].head;
        let is_around = |&&(other, _): &&(usize, u32)| other != l && loops[other].body[head.0 as usize];
        LoopCopy {
            thread,
            head,
            around: iterations.iter().filter(is_around).map(|&(_, iteration)| iteration).collect(),
        }
    };
    let visits = |l: usize, at: &[(usize, u32)]| head_visits(&loops[l], iterations.of(&copy_of(l, at)));
    let mut cut: Vec<LoopCopy> = Vec::new();
    let mut copies: Vec<Copy> = vec![(BlockId(0), enter(&loops, BlockId(0), &[], None))];
    let mut index: HashMap<Copy, usize> = HashMap::from([(copies[0].clone(), 0)]);
    let mut successors: Vec<Vec<Target>> = Vec::new();
    while successors.len() < copies.len() {
        let (block, iterations) = copies[successors.len()].clone();
        let mut targets = Vec::new();
        for next in function[block].terminator.successors() {
            let last_test = |&&(l, iteration): &&(usize, u32)| {
                is_last_test(&loops[l], block, iteration, next, visits(l, &iterations))
            };
            let last_test = iterations.iter().find(last_test).map(|&(l, _)| copy_of(l, &iterations));
            let iterations = enter(&loops, next, &iterations, Some(block));
            let over = iterations.iter().find(|&&(l, iteration)| iteration >= visits(l, &iterations));
            targets.push(match last_test.or(over.map(|&(l, _)| copy_of(l, &iterations))) {
                Some(copy) => {
                    cut.push(copy);
                    Target::Pruned(cut.len() - 1)
                }
                None => {
                    let copy = (next, iterations);
                    Target::Node(*index.entry(copy.clone()).or_insert_with(|| {
                        copies.push(copy);
                        copies.len() - 1
                    }))
                }
            });
        }
        if copies.len() > COPIES {
            return Err(Unsupported::new(format!("unrolling to more than {COPIES} blocks"), function.span));
        }
        successors.push(targets);
    }
    let iteration = |(block, iterations): &Copy| {
        let &(l, iteration) = iterations.iter().find(|&&(l, _)| loops[l].head == *block)?;
        Some((copy_of(l, iterations), iteration))
    };
    let nodes = sort(&copies, &successors, &iteration);
    Ok(Unrolled { thread, nodes, cut, loops })
}

/// The iterations of the loops around `block` when it is reached from `from` in these iterations.
fn enter(loops: &[Loop], block: BlockId, iterations: &[(usize, u32)], from: Option<BlockId>) -> Vec<(usize, u32)> {
    let around = loops.iter().enumerate().filter(|(_, l)| l.body[block.0 as usize]);
    around
        .map(|(index, l)| {
            let iteration = iterations.iter().find(|&&(other, _)| other == index).map(|&(_, iteration)| iteration);
            let starts_again = l.head == block && from.is_some_and(|from| l.body[from.0 as usize]);
            (index, iteration.map_or(0, |iteration| iteration + u32::from(starts_again)))
        })
        .collect()
}

/// The copies as nodes in topological order.
fn sort(
    copies: &[Copy],
    successors: &[Vec<Target>],
    iteration: &dyn Fn(&Copy) -> Option<(LoopCopy, u32)>,
) -> Vec<Node> {
    let mut state = vec![0u8; copies.len()];
    let mut postorder = Vec::with_capacity(copies.len());
    let mut stack = vec![(0usize, 0usize)];
    state[0] = 1;
    while let Some((copy, edge)) = stack.pop() {
        match successors[copy].get(edge) {
            None => postorder.push(copy),
            Some(target) => {
                stack.push((copy, edge + 1));
                if let Target::Node(next) = *target
                    && state[next] == 0
                {
                    state[next] = 1;
                    stack.push((next, 0));
                }
            }
        }
    }
    postorder.reverse();
    let mut position = vec![0; copies.len()];
    postorder.iter().enumerate().for_each(|(at, &copy)| position[copy] = at);
    let moved = |target: &Target| match *target {
        Target::Node(copy) => Target::Node(position[copy]),
        pruned => pruned,
    };
    postorder
        .iter()
        .map(|&copy| Node {
            block: copies[copy].0,
            iteration: iteration(&copies[copy]),
            iterations: copies[copy].1.clone(),
            successors: successors[copy].iter().map(moved).collect(),
            allocations: Vec::new(),
        })
        .collect()
}

/// Whether the jump from `block` in this iteration would begin the body of a loop once more than allowed.
fn is_last_test(l: &Loop, block: BlockId, iteration: u32, next: BlockId, visits: u32) -> bool {
    l.tests_first && l.head == block && iteration + 1 >= visits && l.contains(next)
}

/// How often the head of a loop may be reached if its body may run so often. The head of a `while` is tested once more than
/// the body runs; that of a `do` is the body itself.
fn head_visits(l: &Loop, iterations: u32) -> u32 {
    if l.tests_first { iterations.saturating_add(1) } else { iterations.max(1) }
}

/// The heads of a function's loops, each with how many loops are around it.
pub fn loop_heads(function: &Function) -> Vec<(BlockId, usize)> {
    let loops = find_loops(function);
    let around = |l: &Loop| loops.iter().filter(|other| other.head != l.head && other.body[l.head.0 as usize]).count();
    loops.iter().map(|l| (l.head, around(l))).collect()
}

/// The blocks of the loop that is entered through `head`.
pub fn loop_body(function: &Function, head: BlockId) -> Vec<BlockId> {
    let body = find_loops(function).into_iter().find(|l| l.head == head).map_or_else(Vec::new, |l| l.body);
    (0..).map(BlockId).zip(body).filter(|(_, is_inside)| *is_inside).map(|(block, _)| block).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// One thread with these blocks.
    fn program(blocks: &str) -> Verified {
        let text = format!(
            "program loops\nlanguage IR\nglobal x = 0:i32\nfunction P0() {{\n  registers r\n{blocks}\n}}\nthread P0 = @P0()\n"
        );
        let program = program::text::parse("loops.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        program::verify(program).unwrap_or_else(|messages| panic!("{messages:?}"))
    }

    const WHILE: &str = "b0: %r := load &x plain jump b1
        b1: branch %r, b2, b3
        b2: %r := load &x plain jump b1
        b3: return";
    const DO: &str = "b0: jump b1
        b1: %r := load &x plain jump b2
        b2: branch %r, b1, b3
        b3: return";
    const NESTED: &str = "b0: %r := load &x plain jump b1
        b1: branch %r, b2, b5
        b2: branch %r, b3, b4
        b3: %r := load &x plain jump b2
        b4: %r := load &x plain jump b1
        b5: return";
    const TWO_WAYS_BACK: &str = "b0: %r := load &x plain jump b1
        b1: branch %r, b2, b5
        b2: branch %r, b3, b4
        b3: jump b1
        b4: jump b1
        b5: return";

    /// How often the paths that end go back to a block that a loop is entered through.
    fn iterations(blocks: &str, bound: u32) -> Vec<usize> {
        let program = program(blocks);
        let unrolled = unroll(&program, &Iterations::of_each(bound)).expect("few copies").threads.remove(0);
        let heads: Vec<BlockId> = unrolled.loops.iter().map(|l| l.head).collect();
        let mut reached: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); unrolled.nodes.len()];
        reached[0].insert(0);
        let mut ended = BTreeSet::new();
        for (index, node) in unrolled.nodes.iter().enumerate() {
            let counts = reached[index].clone();
            if node.successors.is_empty() {
                ended.extend(&counts);
            }
            for target in &node.successors {
                if let Target::Node(next) = *target {
                    let entered = usize::from(heads.contains(&unrolled.nodes[next].block));
                    reached[next].extend(counts.iter().map(|count| count + entered));
                }
            }
        }
        ended.into_iter().collect()
    }

    #[test]
    fn a_while_loop_iterates_up_to_the_bound() {
        // The head is entered once more than the loop has iterations.
        assert_eq!(iterations(WHILE, 0), [1]);
        assert_eq!(iterations(WHILE, 3), [1, 2, 3, 4]);
        assert_eq!(iterations(TWO_WAYS_BACK, 2), [1, 2, 3]);
    }

    #[test]
    fn a_do_loop_iterates_up_to_the_bound_but_once_at_least() {
        assert_eq!(iterations(DO, 0), [1]);
        assert_eq!(iterations(DO, 1), [1]);
        assert_eq!(iterations(DO, 3), [1, 2, 3]);
    }

    #[test]
    fn an_inner_loop_iterates_up_to_the_bound_in_each_iteration_of_the_outer_one() {
        // The outer head, and in each iteration of it the inner one, with its own iterations.
        assert_eq!(iterations(NESTED, 1), [1, 3, 4]);
        assert_eq!(iterations(NESTED, 2), [1, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn copies_lead_where_their_blocks_do_and_only_forwards() {
        for blocks in [WHILE, DO, NESTED, TWO_WAYS_BACK] {
            for bound in 0..4 {
                let program = program(blocks);
                let unrolled = unroll(&program, &Iterations::of_each(bound)).expect("few copies").threads.remove(0);
                assert_eq!(unrolled.nodes[0].block, BlockId(0));
                for (index, node) in unrolled.nodes.iter().enumerate() {
                    let targets = program.functions[0].blocks[node.block.index()].terminator.successors();
                    assert_eq!(targets.len(), node.successors.len());
                    for (block, target) in targets.iter().zip(&node.successors) {
                        match *target {
                            Target::Node(next) => {
                                assert!(next > index, "{blocks}");
                                assert_eq!(unrolled.nodes[next].block, *block, "{blocks}");
                            }
                            Target::Pruned(l) => {
                                let head = unrolled.cut[l].head;
                                assert!(head == *block || head == node.block, "{blocks}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn too_many_copies_are_refused() {
        let deep = "b0: %r := load &x plain jump b1
            b1: branch %r, b2, b7
            b2: branch %r, b3, b6
            b3: branch %r, b4, b5
            b4: %r := load &x plain jump b3
            b5: jump b2
            b6: jump b1
            b7: return";
        assert!(unroll(&program(deep), &Iterations::of_each(100)).is_err());
    }
}
