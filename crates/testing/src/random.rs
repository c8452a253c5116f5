//! Random small programs.

use program::{
    Access, Block, BlockId, Function, FunctionId, Global, Instruction, InstructionKind, Observable, Operand, Operator,
    Order, Pointer, Program, Proposition, Quantifier, Question, RegisterId, Sources, Terminator, Thread, ThreadId,
    Update, Value, Verified, verify,
};

/// A small generator of numbers (xorshift); the seed must not be 0.
pub struct Random(pub u64);

impl Random {
    /// The numbers of a program that has this number among others: near ones have nothing to do with each other.
    pub fn numbered(number: u64) -> Random {
        let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.below(2);
        }
        random
    }

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
    /// Whether what was loaded may be stored again.
    pub copies: bool,
    /// Whether a cell holds a pointer, through which others are accessed.
    pub pointers: bool,
    /// Whether threads may run the same code; registers are not observed then.
    pub twins: bool,
    /// Whether registers are computed from others.
    pub arithmetic: bool,
}

impl Shape {
    /// Loads, stores and fences of x86: 2 or 3 threads with up to 4 instructions.
    pub const PLAIN: Shape = Shape {
        threads: 3,
        instructions: 4,
        cells: 2,
        rich: false,
        c11: false,
        copies: true,
        pointers: false,
        twins: false,
        arithmetic: false,
    };
}

/// A program without loops whose question observes every register and cell.
pub fn program(random: &mut Random, shape: Shape) -> Verified {
    let threads = 2 + random.below(shape.threads - 1);
    let mut functions: Vec<Function> = (0..threads).map(|index| function(random, shape, index)).collect();
    for index in 1..functions.len() {
        if shape.twins && random.below(3) > 0 {
            functions[index] = Function { name: format!("P{index}"), ..functions[0].clone() };
        }
    }
    let mut observed: Vec<Observable> = Vec::new();
    for (thread, function) in functions.iter().enumerate().filter(|_| !shape.twins) {
        let registers = 0..function.registers.len() as u32;
        observed.extend(registers.map(|r| Observable::Register(ThreadId(thread as u32), RegisterId(r))));
    }
    let cells = shape.cells + u64::from(shape.pointers);
    observed.extend((0..cells as u32).map(|cell| Observable::Memory(Pointer::to(cell))));
    let program = Program {
        name: "random".into(),
        language: program::Language::Ir,
        sources: Sources::new(),
        globals: (0..cells).map(|cell| global(shape, cell)).collect(),
        threads: (0..threads)
            .map(|index| Thread { name: format!("P{index}"), entry: FunctionId(index as u32), arguments: Vec::new() })
            .collect(),
        setup: None,
        thread_order: Vec::new(),
        ends_with_main: false,
        simplified: Default::default(),
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

/// A cell; the one after the numbers holds a pointer.
fn global(shape: Shape, cell: u64) -> Global {
    let default = if cell < shape.cells { Value::int(0, 32) } else { Value::Pointer(Pointer::to(0)) };
    Global { name: format!("x{cell}"), cells: Vec::new(), default, extent: None, span: None }
}

fn function(random: &mut Random, shape: Shape, index: u64) -> Function {
    let length = 1 + random.below(shape.instructions);
    let mut registers = 0;
    let mut blocks = vec![Vec::new()];
    let mut terminators = Vec::new();
    let mut next_value = 1;
    // Registers start at 0, as litmus tests have it.
    for _ in 0..length {
        let kinds = instructions(random, shape, &mut registers, &mut next_value);
        blocks.last_mut().expect("a block").extend(kinds);
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
            blocks.push(instructions(random, shape, &mut registers, &mut next_value));
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

/// An instruction, or two: the load of a pointer and an access through it.
fn instructions(random: &mut Random, shape: Shape, registers: &mut u64, next_value: &mut i64) -> Vec<InstructionKind> {
    if shape.arithmetic && *registers > 0 && random.below(3) == 0 {
        let computed = computation(random, registers);
        if !shape.copies || random.below(2) == 0 {
            return vec![computed];
        }
        let address = Operand::Constant(Value::Pointer(Pointer::to(random.below(shape.cells) as u32)));
        let value = Operand::Register(RegisterId(*registers as u32 - 1));
        let access = if shape.c11 { Access::ordered(Order::Relaxed) } else { Access::plain() };
        return vec![computed, InstructionKind::Store { address, value, access }];
    }
    if !shape.pointers || random.below(4) > 0 {
        return vec![instruction(random, shape, registers, next_value)];
    }
    let holder = Operand::Constant(Value::Pointer(Pointer::to(shape.cells as u32)));
    let orders = [Order::Relaxed, Order::Consume, Order::Acquire, Order::Release, Order::SeqCst];
    let order = |random: &mut Random, from: usize| {
        let order = orders[from + random.below(3) as usize];
        if shape.c11 { Access::ordered(order) } else { Access::plain() }
    };
    if random.below(3) == 0 {
        let value = Operand::Constant(Value::Pointer(Pointer::to(random.below(shape.cells) as u32)));
        return vec![InstructionKind::Store { address: holder, value, access: order(random, 2) }];
    }
    let pointer = RegisterId(*registers as u32);
    *registers += 1;
    let first = InstructionKind::Load { target: pointer, address: holder, access: order(random, 0) };
    let mut second = instruction(random, Shape { rich: false, ..shape }, registers, next_value);
    if let InstructionKind::Load { address, .. } | InstructionKind::Store { address, .. } = &mut second {
        *address = Operand::Register(pointer);
    }
    vec![first, second]
}

/// A register from two others or small numbers; some operators are undefined on some of them.
fn computation(random: &mut Random, registers: &mut u64) -> InstructionKind {
    let known = *registers;
    *registers += 1;
    let operand = |random: &mut Random| match random.below(3) {
        0 => Operand::Constant(Value::int(random.below(3) as i64, 32)),
        _ => Operand::Register(RegisterId(random.below(known) as u32)),
    };
    let operators = [Operator::Add, Operator::Sub, Operator::DivSigned, Operator::Eq, Operator::LtSigned];
    let operator = operators[random.below(5) as usize].clone();
    let operands = vec![operand(random), operand(random)];
    InstructionKind::Assign { target: RegisterId(known as u32), operator, operands }
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
    let reads = [Order::Relaxed, Order::Acquire, Order::SeqCst, Order::Relaxed, Order::Plain, Order::Consume];
    let writes = [Order::Relaxed, Order::Release, Order::SeqCst, Order::Release, Order::Plain];
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
        10 if known > 0 && shape.copies => {
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
            let failure = order(random, &reads[..3]);
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
