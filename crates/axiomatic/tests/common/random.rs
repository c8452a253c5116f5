//! Random small programs.

use program::{
    Access, Block, BlockId, Function, FunctionId, Global, Instruction, InstructionKind, Observable, Operand, Operator,
    Order, Pointer, Program, Proposition, Quantifier, Question, RegisterId, Sources, Terminator, Thread, ThreadId,
    Update, Value, Verified, verify,
};

/// A small generator of numbers (xorshift); the seed must not be 0.
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Which instructions may occur.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Most threads.
    pub threads: u64,
    /// Most instructions a thread.
    pub instructions: u64,
    /// Cells.
    pub cells: u64,
    /// Whether read-modify-writes and branches occur.
    pub rich: bool,
    /// Whether fences are those of C11, and accesses carry C11 orders, instead of those of x86.
    pub c11: bool,
}

/// A program without loops whose question observes every register and cell.
pub fn program(random: &mut Random, shape: Shape) -> Verified {
    let threads = 2 + random.below(shape.threads - 1);
    let functions: Vec<Function> = (0..threads).map(|index| function(random, shape, index)).collect();
    let mut observed: Vec<Observable> = Vec::new();
    for (thread, function) in functions.iter().enumerate() {
        let registers = 0..function.registers.len() as u32;
        observed.extend(registers.map(|r| Observable::Register(ThreadId(thread as u32), RegisterId(r))));
    }
    observed.extend((0..shape.cells as u32).map(|cell| Observable::Memory(Pointer::to(cell))));
    let program = Program {
        name: "random".into(),
        language: "IR".into(),
        sources: Sources::new(),
        globals: (0..shape.cells)
            .map(|cell| Global { name: format!("x{cell}"), cells: Vec::new(), default: Value::int(0, 32), span: None })
            .collect(),
        threads: (0..threads)
            .map(|index| Thread { name: format!("P{index}"), entry: FunctionId(index as u32), arguments: Vec::new() })
            .collect(),
        thread_order: Vec::new(),
        functions,
        question: Some(Question {
            quantifier: Quantifier::Exists,
            proposition: Proposition::Constant(true),
            filter: None,
            observed,
            span: None,
        }),
    };
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}"))
}

fn function(random: &mut Random, shape: Shape, index: u64) -> Function {
    let length = 1 + random.below(shape.instructions);
    let mut registers = 0;
    let mut blocks = vec![Vec::new()];
    let mut terminators = Vec::new();
    let mut next_value = 1;
    // Registers start at 0, as litmus tests have it.
    for _ in 0..length {
        let kind = instruction(random, shape, &mut registers, &mut next_value);
        blocks.last_mut().expect("a block").push(kind);
        if shape.rich && registers > 0 && random.below(6) == 0 {
            // The next instruction runs only if a register is not zero.
            let at = blocks.len() as u32 - 1;
            let condition = Operand::Register(RegisterId(random.below(registers) as u32));
            terminators.push(Terminator::Branch {
                condition,
                then: BlockId(at + 1),
                otherwise: BlockId(at + 2),
                join: Some(BlockId(at + 2)),
                span: None,
            });
            let guarded = instruction(random, shape, &mut registers, &mut next_value);
            blocks.push(vec![guarded]);
            terminators.push(Terminator::Jump(BlockId(at + 2)));
            blocks.push(Vec::new());
        }
    }
    terminators.push(Terminator::Return(Vec::new()));
    let zero = (0..registers as u32).map(|register| InstructionKind::Assign {
        target: RegisterId(register),
        operator: Operator::Copy,
        operands: vec![Operand::Constant(Value::int(0, 32))],
    });
    blocks[0] = zero.chain(std::mem::take(&mut blocks[0])).collect();
    let block = |(instructions, terminator): (Vec<InstructionKind>, Terminator)| Block {
        instructions: instructions.into_iter().map(|kind| Instruction { kind, span: None }).collect(),
        terminator,
        span: None,
    };
    Function {
        name: format!("P{index}"),
        parameters: Vec::new(),
        registers: (0..registers).map(|register| format!("r{register}")).collect(),
        results: 0,
        blocks: blocks.into_iter().zip(terminators).map(block).collect(),
        span: None,
    }
}

fn instruction(random: &mut Random, shape: Shape, registers: &mut u64, next_value: &mut i64) -> InstructionKind {
    let cell = Operand::Constant(Value::Pointer(Pointer::to(random.below(shape.cells) as u32)));
    let known = *registers;
    let mut fresh = || {
        *registers += 1;
        RegisterId(*registers as u32 - 1)
    };
    let mut value = || {
        *next_value += 1;
        Operand::Constant(Value::int(*next_value - 1, 32))
    };
    let order = |random: &mut Random, orders: &[Order]| {
        if shape.c11 { Access::ordered(orders[random.below(orders.len() as u64) as usize]) } else { Access::plain() }
    };
    let reads = [Order::Relaxed, Order::Acquire, Order::SeqCst];
    let writes = [Order::Relaxed, Order::Release, Order::SeqCst];
    let updates = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcquireRelease, Order::SeqCst];
    match random.below(if shape.rich { 14 } else { 10 }) {
        0..=3 => InstructionKind::Store { address: cell, value: value(), access: order(random, &writes) },
        4..=7 => InstructionKind::Load { target: fresh(), address: cell, access: order(random, &reads) },
        8 if shape.c11 => InstructionKind::Fence { access: order(random, &updates[1..]) },
        8 | 9 => {
            let fences = ["MFENCE", "MFENCE", "SFENCE", "LFENCE"];
            let access = if shape.c11 {
                Access::ordered(Order::SeqCst)
            } else {
                Access::plain().tagged(fences[random.below(4) as usize])
            };
            InstructionKind::Fence { access }
        }
        10 if known > 0 => {
            let source = Operand::Register(RegisterId(random.below(known) as u32));
            InstructionKind::Store { address: cell, value: source, access: order(random, &writes) }
        }
        10 | 11 => {
            let access = order(random, &updates);
            InstructionKind::ReadModifyWrite {
                target: fresh(),
                address: cell,
                update: Update::Exchange(value()),
                access,
            }
        }
        12 => {
            let access = order(random, &updates);
            let update = Update::Apply(Operator::Add, value());
            InstructionKind::ReadModifyWrite { target: fresh(), address: cell, update, access }
        }
        _ => {
            let access = order(random, &updates);
            let failure = order(random, &reads);
            let update = Update::CompareExchange {
                expected: Operand::Constant(Value::int(0, 32)),
                desired: value(),
                success: fresh(),
                weak: random.below(2) == 0,
                failure,
            };
            InstructionKind::ReadModifyWrite { target: fresh(), address: cell, update, access }
        }
    }
}
