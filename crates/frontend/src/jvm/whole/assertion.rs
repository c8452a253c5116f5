//! `assert`, recognised in the form that javac gives it: a test of `$assertionsDisabled`, the condition, and an
//! `AssertionError` that is thrown where it is false. Assertions are enabled. Where the error is made, an assertion of the
//! program representation fails; should an engine go on after it, the error is thrown as in Java.

use cafebabe::bytecode::Opcode;

use crate::jvm::blocks::Blocks;
use crate::jvm::class::Body;
use crate::jvm::places::MethodId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::terms::DISABLED;
use super::world::World;

/// The index of an assertion among those that start on its line: `at` is the instruction that tests whether it is enabled.
pub fn index_on_line(body: &Body, at: usize) -> usize {
    let line = |offset: usize| body.line(offset);
    let own = line(body.opcodes[at].0);
    let tests = |opcode: &Opcode| matches!(opcode, Opcode::Getstatic(member) if member.name_and_type.name == DISABLED);
    body.opcodes[..at].iter().filter(|(offset, opcode)| tests(opcode) && line(*offset) == own).count()
}

/// The offsets' blocks, by number in the order of the bytecode, that throw the error of an assertion, with its text.
pub fn failures(world: &World, id: MethodId) -> FxHashMap<usize, String> {
    let mut found = FxHashMap::default();
    let Some(body) = &world.method(id).body else { return found };
    let tests = |opcode: &Opcode| matches!(opcode, Opcode::Getstatic(member) if member.name_and_type.name == DISABLED);
    if !body.opcodes.iter().any(|(_, opcode)| tests(opcode)) {
        return found;
    }
    let Some(blocks) = Blocks::with_handlers(body) else { return found };
    for (block, &(start, end)) in blocks.ranges.iter().enumerate() {
        if end - start < 2 || !tests(&body.opcodes[end - 2].1) {
            continue;
        }
        let [after, condition] = blocks.successors[block][..] else { continue };
        let line = body.line(body.opcodes[end - 1].0);
        let text = world.places.assertion(id.0, line, index_on_line(body, end - 2));
        let text = text.unwrap_or_else(|| format!("{}:{line}", world.method_name(id)));
        let throws = |block: usize| {
            let (first, _) = blocks.ranges[block];
            matches!(&body.opcodes[first].1, Opcode::New(class) if class == "java/lang/AssertionError")
        };
        let mut seen = FxHashSet::from_iter([condition, after]);
        let mut open = vec![condition];
        while let Some(block) = open.pop() {
            if throws(block) {
                found.insert(block, text.clone());
                continue;
            }
            open.extend(blocks.successors[block].iter().copied().filter(|&next| seen.insert(next)));
        }
    }
    found
}
