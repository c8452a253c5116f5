//! Random programs: every form of the representation, most of them breaking the law.

use std::sync::Arc;

use program::*;

/// Marsaglia's xorshift of 64 bits.
pub struct Random(u64);

impl Random {
    /// The seed is not 0.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn flip(&mut self) -> bool {
        self.below(2) == 0
    }

    fn some<T>(&mut self, limit: usize, mut item: impl FnMut(&mut Random) -> T) -> Vec<T> {
        (0..self.below(limit + 1)).map(|_| item(self)).collect()
    }
}

fn name(r: &mut Random) -> String {
    let names = [
        "a",
        "b",
        "x.y",
        "r1",
        "$t",
        "",
        "0",
        "true",
        "undefined",
        "b0",
        "i32",
        "two words",
        "q\"\\\n\u{7f}",
        "é",
        "global",
    ];
    r.pick(&names).to_string()
}

fn shared(r: &mut Random) -> Arc<str> {
    name(r).into()
}

fn number(r: &mut Random) -> i64 {
    let edges = [0, 1, -1, 2, 127, -128, i64::MAX, i64::MIN];
    if r.flip() { *r.pick(&edges) } else { r.next() as i64 }
}

fn pointer(r: &mut Random) -> Pointer {
    Pointer { allocation: r.below(4) as u32, path: r.some(2, number) }
}

fn value(r: &mut Random, depth: usize) -> Value {
    match r.below(if depth == 0 { 3 } else { 4 }) {
        0 => Value::Undefined,
        1 => Value::int(number(r), 1 + r.below(64) as u8),
        2 => Value::Pointer(pointer(r)),
        _ => Value::Composite(shared(r), r.some(3, |r| value(r, depth - 1))),
    }
}

fn register(r: &mut Random) -> RegisterId {
    RegisterId(r.below(5) as u32)
}

fn function_id(r: &mut Random) -> FunctionId {
    FunctionId(r.below(4) as u32)
}

fn block_id(r: &mut Random) -> BlockId {
    BlockId(r.below(5) as u32)
}

fn operand(r: &mut Random) -> Operand {
    if r.flip() { Operand::Register(register(r)) } else { Operand::Constant(value(r, 2)) }
}

fn operands(r: &mut Random) -> Vec<Operand> {
    r.some(3, operand)
}

fn operator(r: &mut Random) -> Operator {
    let plain = "copy not neg add sub mul sdiv udiv srem urem and or xor shl ushr sshr eq ne slt sle ult ule is_false \
                 select offset advance distance base last_offset";
    let small = r.next() as u8;
    match r.below(7) {
        0 => Operator::Resize { width: small, signed: r.flip() },
        1 => Operator::Make(shared(r), small),
        2 => Operator::Get(shared(r), small),
        3 => Operator::Set(shared(r), small),
        4 if r.flip() => Operator::Element { size: r.next() as u32, count: r.next() as u32, past: r.flip() },
        4 => Operator::Step(r.next() as u32),
        _ => {
            let names: Vec<&str> = plain.split_whitespace().collect();
            let name: &str = names[r.below(names.len())];
            Operator::named(name).unwrap()
        }
    }
}

fn access(r: &mut Random) -> Access {
    use Order::*;
    let order = *r.pick(&[Plain, Relaxed, Consume, Acquire, Release, AcquireRelease, SeqCst]);
    Access { order, tags: r.some(2, shared), bytes: r.below(20) as u8 }
}

fn extent(r: &mut Random) -> Option<Extent> {
    use Storage::*;
    let storage = *r.pick(&[Static, ThreadLocal, ReadOnly, Function, Stack, Heap, Pool]);
    r.flip().then(|| Extent { size: operand(r), align: r.next() as u32, storage })
}

fn update(r: &mut Random) -> Update {
    match r.below(3) {
        0 => Update::Exchange(operand(r)),
        1 => Update::Apply(operator(r), operand(r)),
        _ => Update::CompareExchange {
            expected: operand(r),
            desired: operand(r),
            success: register(r),
            weak: r.flip(),
            failure: access(r),
        },
    }
}

fn instruction(r: &mut Random) -> Instruction {
    use InstructionKind::*;
    let kind = match r.below(26) {
        0 => Load { target: register(r), address: operand(r), access: access(r) },
        1 => Store { address: operand(r), value: operand(r), access: access(r) },
        2 | 3 => ReadModifyWrite { target: register(r), address: operand(r), update: update(r), access: access(r) },
        4 if r.below(4) == 0 => Freeze { address: operand(r) },
        4 => Fence { access: access(r) },
        5 => Lock { monitor: operand(r) },
        6 => Unlock { monitor: operand(r) },
        7 => {
            Allocate { target: register(r), default: value(r, 2), name: shared(r), reuse: r.flip(), extent: extent(r) }
        }
        8 => Free { address: operand(r) },
        9 => Call { function: function_id(r), arguments: operands(r), targets: r.some(2, register) },
        10 => CallVirtual {
            table: r.some(2, |r| (shared(r), function_id(r))),
            arguments: operands(r),
            targets: r.some(2, register),
        },
        11 => Spawn { target: register(r), function: function_id(r), arguments: operands(r) },
        12 => Join { thread: operand(r) },
        13 => Wait { monitor: operand(r) },
        14 => Notify { monitor: operand(r), all: r.flip() },
        15 => Park,
        16 => Unpark { thread: operand(r) },
        17 => Assert {
            condition: operand(r),
            message: shared(r),
            sort: *r.pick(&[
                AssertSort::Assertion,
                AssertSort::Exception,
                AssertSort::Exit,
                AssertSort::Error,
                AssertSort::Unsupported,
            ]),
            text: None,
        },
        18 => Assume { condition: operand(r) },
        19 => Observe { label: shared(r), value: operand(r) },
        20 => Choose { target: register(r), low: number(r), high: number(r), width: r.next() as u8 },
        21 => AtomicBegin,
        22 => AtomicEnd,
        23 => Await { condition: operand(r) },
        _ => Assign { target: register(r), operator: operator(r), operands: operands(r) },
    };
    Instruction { kind, span: None }
}

fn terminator(r: &mut Random) -> Terminator {
    match r.below(3) {
        0 => Terminator::Jump(block_id(r)),
        1 => Terminator::Branch {
            condition: operand(r),
            then: block_id(r),
            otherwise: block_id(r),
            join: if r.flip() { Some(block_id(r)) } else { None },
            span: None,
        },
        _ => Terminator::Return(operands(r)),
    }
}

fn function(r: &mut Random) -> Function {
    let block = |r: &mut Random| Block { instructions: r.some(6, instruction), terminator: terminator(r), span: None };
    Function {
        name: name(r),
        parameters: r.some(2, register),
        registers: r.some(5, name),
        results: r.below(3),
        blocks: r.some(4, block),
        span: None,
    }
}

fn observable(r: &mut Random) -> Observable {
    if r.flip() {
        Observable::Memory(pointer(r))
    } else {
        Observable::Register(ThreadId(r.below(4) as u32), register(r))
    }
}

fn term(r: &mut Random) -> Term {
    if r.flip() { Term::Observable(observable(r)) } else { Term::Value(value(r, 2)) }
}

fn proposition(r: &mut Random, depth: usize) -> Proposition {
    use Comparator::*;
    match r.below(if depth == 0 { 2 } else { 5 }) {
        0 => Proposition::Constant(r.flip()),
        1 => Proposition::Compare(*r.pick(&[Eq, Ne, Lt, Le]), term(r), term(r)),
        2 => Proposition::Not(Box::new(proposition(r, depth - 1))),
        3 => Proposition::And(r.some(3, |r| proposition(r, depth - 1))),
        _ => Proposition::Or(r.some(3, |r| proposition(r, depth - 1))),
    }
}

fn question(r: &mut Random) -> Question {
    use Quantifier::*;
    Question {
        quantifier: *r.pick(&[Exists, NotExists, Forall]),
        proposition: proposition(r, 4),
        filter: if r.flip() { Some(proposition(r, 2)) } else { None },
        observed: r.some(3, observable),
        span: None,
    }
}

/// A program without spans and sources.
pub fn program(r: &mut Random) -> Program {
    let cell = |r: &mut Random| (r.some(2, number), value(r, 2));
    let global = |r: &mut Random| Global {
        name: name(r),
        cells: r.some(2, cell),
        default: value(r, 2),
        extent: extent(r),
        span: None,
    };
    let thread =
        |r: &mut Random| Thread { name: name(r), entry: function_id(r), arguments: r.some(2, |r| value(r, 2)) };
    Program {
        name: name(r),
        language: *r.pick(&Language::ALL),
        sources: Sources::new(),
        globals: r.some(3, global),
        functions: r.some(3, function),
        threads: r.some(3, thread),
        setup: if r.flip() { Some(function_id(r)) } else { None },
        thread_order: r.some(2, |r| (ThreadId(r.below(4) as u32), ThreadId(r.below(4) as u32))),
        ends_with_main: r.flip(),
        simplified: Simplification::ALL.into_iter().filter(|_| r.flip()).collect(),
        question: if r.flip() { Some(question(r)) } else { None },
    }
}
