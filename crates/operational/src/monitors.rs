//! Monitors as volatile updates, for models that know no monitors: a word in each object says whether its monitor is held. Whoever
//! enters exchanges it and goes on only where it was free; whoever leaves writes that it is free.
//!
//! This is exact under models in which a volatile update that reads a volatile write comes after what came before that, but for
//! executions in which threads wait for ever, which are none here. Sections inside of others are refused: monitors are reentrant.

use program::{
    Access, Block, Function, Instruction, InstructionKind, Operand, Operator, Order, Program, RegisterId, Span,
    Unsupported, Update, Value,
};

/// The cell of an object that says whether its monitor is held. No class has so many fields.
const HELD: i64 = 1 << 20;

/// How a monitor is left.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// By a volatile write, which orders no more than models of Java say.
    Write,
    /// By an update, since the machines wait there until all stores of the thread are in memory.
    Update,
}

/// Puts updates in place of monitors.
pub fn replace(program: &mut Program, leaving: Leaving) -> Result<(), Unsupported> {
    let takes = takers(program);
    for function in &program.functions {
        refuse_nested(function, &takes)?;
    }
    for function in &mut program.functions {
        let Function { blocks, registers, .. } = function;
        blocks.iter_mut().for_each(|block| replace_in(block, registers, leaving));
    }
    Ok(())
}

/// The functions that enter a monitor, or call one that does.
fn takers(program: &Program) -> Vec<bool> {
    let mut takers = vec![false; program.functions.len()];
    loop {
        let takes = |function: &Function| function.instructions().any(|instruction| enters(&instruction.kind, &takers));
        let more: Vec<bool> = program.functions.iter().map(takes).collect();
        if more == takers {
            return takers;
        }
        takers = more;
    }
}

fn enters(kind: &InstructionKind, takers: &[bool]) -> bool {
    match kind {
        InstructionKind::Lock { .. } => true,
        InstructionKind::Call { function, .. } => takers[function.0 as usize],
        InstructionKind::CallVirtual { table, .. } => table.iter().any(|(_, function)| takers[function.0 as usize]),
        _ => false,
    }
}

/// Refuses a function that enters a monitor where it may hold one, or leaves one that it does not hold.
fn refuse_nested(function: &Function, takers: &[bool]) -> Result<(), Unsupported> {
    let refused = |span| Err(Unsupported::new("a critical section inside of another one in this engine", span));
    let mut held: Vec<Option<bool>> = vec![None; function.blocks.len()];
    held[0] = Some(false);
    let mut open = vec![0];
    while let Some(number) = open.pop() {
        let Block { instructions, terminator, .. } = &function.blocks[number];
        let mut is_held = held[number] == Some(true);
        for Instruction { kind, span } in instructions {
            match kind {
                InstructionKind::Unlock { .. } if !is_held => return refused(*span),
                InstructionKind::Unlock { .. } => is_held = false,
                kind if enters(kind, takers) && is_held => return refused(*span),
                InstructionKind::Lock { .. } => is_held = true,
                InstructionKind::Wait { .. } => return Err(Unsupported::new("a wait in this engine", *span)),
                _ => {}
            }
        }
        for next in terminator.successors() {
            match held[next.index()] {
                None => {
                    held[next.index()] = Some(is_held);
                    open.push(next.index());
                }
                Some(known) if known != is_held => return refused(function.span),
                Some(_) => {}
            }
        }
    }
    Ok(())
}

fn replace_in(block: &mut Block, registers: &mut Vec<String>, leaving: Leaving) {
    let mut written = Vec::new();
    for Instruction { kind, span } in std::mem::take(&mut block.instructions) {
        match kind {
            InstructionKind::Lock { monitor } => enter(monitor, span, registers, &mut written),
            InstructionKind::Unlock { monitor } => leave(monitor, span, registers, &mut written, leaving),
            kind => written.push(Instruction { kind, span }),
        }
    }
    block.instructions = written;
}

fn enter(monitor: Operand, span: Option<Span>, registers: &mut Vec<String>, written: &mut Vec<Instruction>) {
    let word = word_of(monitor, span, registers, written);
    let (was_held, is_free) = (register("was held", registers), register("is free", registers));
    let update = Update::Exchange(number(1));
    let assignment = |target, operator, operands| InstructionKind::Assign { target, operator, operands };
    let asked = vec![Operand::Register(was_held), number(0)];
    for kind in [
        InstructionKind::ReadModifyWrite { target: was_held, address: word, update, access: volatile() },
        assignment(is_free, Operator::Eq, asked),
        InstructionKind::Assume { condition: Operand::Register(is_free) },
    ] {
        written.push(Instruction { kind, span });
    }
}

fn leave(
    monitor: Operand,
    span: Option<Span>,
    registers: &mut Vec<String>,
    written: &mut Vec<Instruction>,
    leaving: Leaving,
) {
    let address = word_of(monitor, span, registers, written);
    let (value, access) = (number(0), volatile());
    let kind = match leaving {
        Leaving::Write => InstructionKind::Store { address, value, access },
        Leaving::Update => {
            let target = register("was held", registers);
            InstructionKind::ReadModifyWrite { target, address, update: Update::Exchange(value), access }
        }
    };
    written.push(Instruction { kind, span });
}

fn word_of(
    monitor: Operand,
    span: Option<Span>,
    registers: &mut Vec<String>,
    written: &mut Vec<Instruction>,
) -> Operand {
    let target = register("monitor", registers);
    let operands = vec![monitor, number(HELD)];
    written.push(Instruction { kind: InstructionKind::Assign { target, operator: Operator::Offset, operands }, span });
    Operand::Register(target)
}

fn register(name: &str, registers: &mut Vec<String>) -> RegisterId {
    registers.push(name.into());
    RegisterId(registers.len() as u32 - 1)
}

fn number(number: i64) -> Operand {
    Operand::Constant(Value::int(number, 32))
}

fn volatile() -> Access {
    Access::ordered(Order::SeqCst).tagged("volatile")
}
