//! The end of memory: what is freed, and variables of functions that return while others may still know them, become undefined.
//!
//! A read of such memory then gives an undefined value, whose use every engine reports; and since these are plain writes, an
//! access that does not happen before the end is a data race under models that have races. Memory of a pool
//! ([`Storage::Pool`]) keeps what it holds.
//!
//! In which direction this errs: cells that the analysis knows only as a class without a known size, and writes after the end,
//! are left to the engines.

use std::collections::BTreeSet;

use program::{
    Access, BlockId, Extent, Flow, Instruction, InstructionKind, Operand, Operator, Program, RegisterId, Storage,
    Terminator, Value,
};

use super::places::{Class, Site, Values};
use super::{At, Touch};

/// More cells of one block than this are not written.
const MOST_CELLS: usize = 64;

/// Where memory ends, its address, and its cells: offset and number of bytes.
type End = (At, Operand, BTreeSet<(i64, u8)>);

/// Writes undefined values where memory ends.
pub(super) fn end(program: &mut Program, touches: &[Touch], values: &Values) {
    let mut ends: Vec<End> = Vec::new();
    for (function, code) in program.functions.iter().enumerate() {
        for (block, code) in code.blocks.iter().enumerate() {
            for (number, instruction) in code.instructions.iter().enumerate() {
                let InstructionKind::Free { address } = &instruction.kind else { continue };
                let places = values.of(function, address).places;
                let freed = places.iter().filter(|class| is_heap(program, values, class.site));
                let cells = freed.flat_map(|class| cells(program, touches, values, class.site)).collect();
                ends.push(((function, block, number), address.clone(), cells));
            }
        }
    }
    ends.extend(returns(program, touches, values));
    ends.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
    for ((function, block, number), address, cells) in ends {
        let code = &mut program.functions[function];
        let span = code.blocks[block].instructions.get(number).and_then(|instruction| instruction.span).or(code.span);
        let writes = cells.into_iter().flat_map(|cell| write(&mut code.registers, &address, cell));
        let writes: Vec<Instruction> = writes.map(|kind| Instruction { kind, span }).collect();
        code.blocks[block].instructions.splice(number..number, writes);
    }
}

/// Where functions return whose variables others may know: the ends of their blocks.
fn returns(program: &Program, touches: &[Touch], values: &Values) -> Vec<End> {
    let mut ends = Vec::new();
    let mains: BTreeSet<usize> = program.threads.iter().map(|thread| thread.entry.0 as usize).collect();
    for (function, code) in program.functions.iter().enumerate().filter(|(function, _)| !mains.contains(function)) {
        let known = values.escaping(function);
        let flow = Flow::of(code);
        let made = known.iter().filter_map(|site| Some((*site, extent(program, values, *site)?)));
        let variables = made.filter(|(_, extent)| extent.storage == Storage::Stack).map(|(site, _)| site);
        for site in variables {
            let (Some(target), Site::Made(_, home, _)) = (target(program, values, site), site) else { continue };
            let cells: BTreeSet<(i64, u8)> = cells(program, touches, values, site).into_iter().collect();
            for (block, code) in code.blocks.iter().enumerate() {
                // A variable that is not made on every path to the return is left alone.
                let is_made = flow.dominates(BlockId(home as u32), BlockId(block as u32));
                if matches!(code.terminator, Terminator::Return(_)) && is_made {
                    ends.push(((function, block, code.instructions.len()), Operand::Register(target), cells.clone()));
                }
            }
        }
    }
    ends
}

/// The register that gets the address of what a site makes.
fn target(program: &Program, values: &Values, site: Site) -> Option<RegisterId> {
    match values.instruction(program, site)? {
        InstructionKind::Allocate { target, .. } => Some(*target),
        _ => None,
    }
}

fn extent<'a>(program: &'a Program, values: &Values, site: Site) -> Option<&'a Extent> {
    match values.instruction(program, site)? {
        InstructionKind::Allocate { extent, .. } => extent.as_ref(),
        _ => None,
    }
}

fn is_heap(program: &Program, values: &Values, site: Site) -> bool {
    extent(program, values, site).is_some_and(|extent| extent.storage == Storage::Heap)
}

/// The cells of the blocks of a site that are accessed: offset and number of bytes.
fn cells(program: &Program, touches: &[Touch], values: &Values, site: Site) -> Vec<(i64, u8)> {
    let size =
        extent(program, values, site).and_then(|extent| extent.known_size()).and_then(|size| i64::try_from(size).ok());
    let mut cells = Vec::new();
    for touch in touches {
        for class in touch.classes.iter().filter(|class| class.site == site) {
            cells.extend(bytes(class, touch.bytes, size).into_iter().map(|offset| (offset, touch.bytes as u8)));
        }
    }
    cells
}

/// The offsets of a class in a block.
fn bytes(class: &Class, each: i64, size: Option<i64>) -> Vec<i64> {
    match (class.modulus, size) {
        (0, _) => vec![class.residue],
        (modulus, Some(size)) => {
            let offsets = (class.residue..=size - each).step_by(usize::try_from(modulus).unwrap_or(1).max(1));
            offsets.take(MOST_CELLS).collect()
        }
        _ => Vec::new(),
    }
}

/// The instructions that make a cell undefined. It is no access of the program, so that it lies within any bounds.
fn write(registers: &mut Vec<String>, address: &Operand, (offset, _): (i64, u8)) -> Vec<InstructionKind> {
    let store = |address: Operand| InstructionKind::Store {
        address,
        value: Operand::Constant(Value::Undefined),
        access: Access::plain(),
    };
    if offset == 0 {
        return vec![store(address.clone())];
    }
    registers.push("end".into());
    let target = RegisterId(registers.len() as u32 - 1);
    let operands = vec![address.clone(), Operand::Constant(Value::int(offset, 64))];
    vec![InstructionKind::Assign { target, operator: Operator::Step(1), operands }, store(Operand::Register(target))]
}
