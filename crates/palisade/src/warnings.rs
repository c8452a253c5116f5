//! What of a program means nothing under the model that was chosen, as fences and memory orders that the model does not speak
//! of, and what of its language the program leaves out.

use std::collections::{BTreeMap, BTreeSet};

use axiomatic::model::meaning::{Annotation, speaks_of};
use operational::Machine;
use program::{FunctionId, Instruction, InstructionKind, Language, Order, Program, Simplification, Span, Terminator};

use crate::model::Model;
use crate::orders::{self, MemoryOrders};

/// What the lsl library calls its fences.
const LSL_NAMES: &[(&str, &str)] = &[
    ("LL", "load-load"),
    ("LS", "load-store"),
    ("SL", "store-load"),
    ("SS", "store-store"),
    ("AL", "aliased-loads"),
    ("DDL", "data-dependent-loads"),
    ("CD", "control-dependent"),
];

/// The annotations that a program writes down itself, with the names of its fences.
type Written = BTreeMap<Annotation, BTreeSet<String>>;

/// What means nothing under a model, one sentence each. Machines without axioms are Java's, which know no fences of other
/// languages.
pub fn under(program: &Program, model: &Model, orders: Option<MemoryOrders>) -> Vec<String> {
    let means_nothing = |annotation: &Annotation| match (annotation, model.axioms()) {
        (Annotation::C11Order, _) if orders::target(model, program.language).is_some() => {
            orders == Some(MemoryOrders::Ignored)
        }
        // From below fences are kept to, and from above nothing rests on them.
        (Annotation::C11Fence, _) if program.language == Language::Java && is_bounded(model) => false,
        (annotation, Some(axioms)) => !speaks_of(axioms, *annotation),
        (_, None) => true,
    };
    // What an atomic access without a named order asks for, sc gives.
    let is_sc = model.machine() == Some(Machine::Sc);
    let written = written(program, !is_sc);
    let unspoken = written.iter().filter(|(annotation, _)| means_nothing(annotation));
    unspoken.map(|(of, names)| sentence(*of, names, model.name())).collect()
}

/// In which ways the program has fewer executions than its language allows, one sentence each, where nothing was found. That
/// spurious wake-ups are rare is said with every answer.
pub fn left_out(program: &Program) -> impl Iterator<Item = String> {
    program.simplified.iter().filter_map(|simplification| match simplification {
        Simplification::RareWakeUps => None,
        Simplification::FewHashCodes => {
            Some("identity hash codes are 1, 2 or 2147483647 here: what only others show is not looked for".to_string())
        }
        Simplification::FewTimes => Some(
            "the time goes on by nothing or by an hour here: what only other times show is not looked for".to_string(),
        ),
        Simplification::TwoProcessors => Some("availableProcessors() is 2 here".to_string()),
        Simplification::UnboundedCounters => Some(
            "a signed variable that only counts the iterations of a loop that waits is taken not to overflow: \
             that would need over a million iterations while the other threads stand still"
                .to_string(),
        ),
    })
}

/// Whether the model is one of Java that machines bound, or one of these machines.
fn is_bounded(model: &Model) -> bool {
    model.bounds().is_some() || model.axioms().is_none()
}

fn sentence(annotation: Annotation, names: &BTreeSet<String>, model: &str) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let names = names.join(", ");
    match annotation {
        Annotation::MachineFence => format!("the fences of this program ({names}) mean nothing under {model}"),
        Annotation::LslFence => format!("the lsl fences of this program ({names}) mean nothing under {model}"),
        Annotation::C11Fence => format!("the C11 fences of this program mean nothing under {model}"),
        Annotation::C11Order => format!("the C11 memory orders of this program mean nothing under {model}"),
    }
}

/// What the code that can run writes down itself; `unnamed` says whether that seq_cst counts which atomic accesses have without any
/// order. Locks and their like bring fences and orders of their own, which do not count.
fn written(program: &Program, unnamed: bool) -> Written {
    let mut written = Written::new();
    for id in reached(program) {
        let function = program.function(id);
        let in_step = starts_in_atomic_step(function);
        let shared: BTreeSet<Span> = function
            .blocks
            .iter()
            .flat_map(|block| &block.instructions)
            .filter(|one| is_access(one))
            .filter_map(|one| one.span)
            .collect();
        for (block, mut in_step) in function.blocks.iter().zip(in_step) {
            for instruction in &block.instructions {
                match &instruction.kind {
                    InstructionKind::AtomicBegin => in_step = true,
                    InstructionKind::AtomicEnd => in_step = false,
                    _ => note(program, instruction, (in_step, unnamed), &shared, &mut written),
                }
            }
        }
    }
    written
}

fn note(
    program: &Program,
    instruction: &Instruction,
    (in_step, unnamed): (bool, bool),
    shared: &BTreeSet<Span>,
    written: &mut Written,
) {
    use InstructionKind::*;
    let text = instruction.span.map_or("", |span| program.sources.snippet(span));
    match &instruction.kind {
        Fence { access } if !access.is_place() => {
            let Some(annotation) = Annotation::of_fence(access) else { return };
            // A call of the library that also has accesses is a lock or its like.
            let is_own = text.starts_with("lsl_fence") || instruction.span.is_none_or(|span| !shared.contains(&span));
            if annotation != Annotation::LslFence || is_own {
                written.entry(annotation).or_default().extend(access.tags.iter().map(|tag| fence_name(tag)));
            }
        }
        Load { access, .. } | Store { access, .. } | ReadModifyWrite { access, .. }
            if program.language.has_memory_orders()
                && !in_step
                && (is_named(access.order, text) || unnamed && access.order == Order::SeqCst) =>
        {
            written.entry(Annotation::C11Order).or_default();
        }
        _ => {}
    }
}

/// Whether an order is one that the source names: seq_cst is also what an atomic access has without any.
fn is_named(order: Order, text: &str) -> bool {
    match order {
        Order::Plain => false,
        Order::SeqCst => ["memory_order", "_explicit", "__ATOMIC"].iter().any(|part| text.contains(part)),
        _ => true,
    }
}

fn fence_name(tag: &str) -> String {
    LSL_NAMES.iter().find(|(known, _)| *known == tag).map_or(tag, |(_, name)| name).to_string()
}

fn is_access(instruction: &Instruction) -> bool {
    use InstructionKind::*;
    matches!(instruction.kind, Load { .. } | Store { .. } | ReadModifyWrite { .. })
}

/// The functions that threads and the setup come to.
fn reached(program: &Program) -> BTreeSet<FunctionId> {
    let mut open: Vec<FunctionId> = program.threads.iter().map(|thread| thread.entry).chain(program.setup).collect();
    let mut reached = BTreeSet::new();
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            let instructions = program[id].instructions();
            open.extend(instructions.flat_map(|instruction| instruction.kind.callees()));
        }
    }
    reached
}

/// For each block of a function, whether an atomic step has begun before it.
fn starts_in_atomic_step(function: &program::Function) -> Vec<bool> {
    let mut known: Vec<Option<bool>> = vec![None; function.blocks.len()];
    let mut open = vec![(0, false)];
    while let Some((index, mut inside)) = open.pop() {
        if known.get(index).is_none_or(Option::is_some) {
            continue;
        }
        known[index] = Some(inside);
        for instruction in &function.blocks[index].instructions {
            match instruction.kind {
                InstructionKind::AtomicBegin => inside = true,
                InstructionKind::AtomicEnd => inside = false,
                _ => {}
            }
        }
        let terminator: &Terminator = &function.blocks[index].terminator;
        open.extend(terminator.successors().into_iter().map(|next| (next.0 as usize, inside)));
    }
    known.into_iter().map(|inside| inside.unwrap_or(false)).collect()
}
