//! Threads that can be exchanged.
//!
//! If some threads run the same code and the question does not tell them apart, exchanging them takes executions to
//! executions. It is then enough to look at executions in which the threads' first certain writes to one cell come in
//! the threads' order: every other execution is one of these with threads exchanged. `encode` requires that order.

use program::{InstructionKind, Observable, Program, ThreadId, Verified};

/// Groups of two or more threads that can be exchanged without changing the program, or the values of the observables.
pub fn interchangeable<'a>(
    program: &Verified,
    observables: impl IntoIterator<Item = &'a Observable>,
) -> Vec<Vec<ThreadId>> {
    let mut told_apart = vec![false; program.threads.len()];
    for observable in observables {
        if let Observable::Register(thread, _) = observable {
            told_apart[thread.0 as usize] = true;
        }
    }
    for &(first, second) in &program.thread_order {
        told_apart[first.0 as usize] = true;
        told_apart[second.0 as usize] = true;
    }
    let mut groups: Vec<Vec<ThreadId>> = Vec::new();
    let mut bare: Option<Program> = None;
    for thread in (0..program.threads.len()).filter(|&thread| !told_apart[thread]) {
        let alike = groups.iter().position(|group| {
            let other = group[0].0 as usize;
            let bare = bare.get_or_insert_with(|| program::text::without_spans(Program::clone(program)));
            same_code(bare, thread, other)
        });
        match alike {
            Some(group) => groups[group].push(ThreadId(thread as u32)),
            None => groups.push(vec![ThreadId(thread as u32)]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

fn same_code(program: &Program, a: usize, b: usize) -> bool {
    let (first, second) = (&program.threads[a], &program.threads[b]);
    let (code, other) = (program.function(first.entry), program.function(second.entry));
    // Blocks of memory are numbered by thread: exchanging threads would have to exchange them, too.
    let allocates = |i: &program::Instruction| matches!(i.kind, InstructionKind::Allocate { .. });
    if code.instructions().any(allocates) {
        return false;
    }
    first.arguments == second.arguments
        && code.blocks == other.blocks
        && code.parameters == other.parameters
        && code.registers.len() == other.registers.len()
}

/// The observables that the question's answer depends on: those of its proposition and filter.
pub fn asked_about(program: &Verified) -> Vec<Observable> {
    let mut found = Vec::new();
    if let Some(question) = &program.question {
        question.proposition.observables(&mut |observable| found.push(observable.clone()));
        question.filter.iter().for_each(|filter| filter.observables(&mut |observable| found.push(observable.clone())));
    }
    found
}

/// The groups without one thread.
pub fn without(groups: &[Vec<ThreadId>], thread: ThreadId) -> Vec<Vec<ThreadId>> {
    let rest = |group: &Vec<ThreadId>| group.iter().copied().filter(|&other| other != thread).collect::<Vec<_>>();
    groups.iter().map(rest).filter(|group| group.len() > 1).collect()
}
