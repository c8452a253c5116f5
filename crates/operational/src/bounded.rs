//! Bounded tests of data types on the machines.
//!
//! What the operations of a test show is no part of a state. So the test is made a program that writes it down: every
//! `observe` becomes a store to a cell of its own, which nobody else uses, and the question asks for what these cells hold
//! at the end. A function that shows something is copied for each operation that calls it. Then any engine that lists final
//! states lists what the executions of the test show.
//!
//! If it matters which operations had returned when others were called, threads count their operations that have returned in cells,
//! which the others read when they call one, and write down. These are plain accesses of cells that nothing else uses: on sc and
//! tso the operations do what they do without them. On tso an operation counts as returned once its stores are in memory, as in
//! Burckhardt, Gotsman, Musuvathi and Yang, "Concurrent library correctness on the TSO memory model" (2012).
//!
//! A test whose operations say where they take effect (`lsl_commit`) has a clock instead, an atomic counter, and each operation writes down
//! at which time it did last. Who reads the clock is ordered with all who did, so this is for sc alone.
//!
//! Where a model has no time but an order that is partial, happens-before, threads only leave marks where operations are called and have
//! returned, or take effect: stores to cells of their own. Execution graphs tell which marks happen before which ([`Marks`]). The order
//! that serial executions have to keep is that: an operation comes before another one if its return happens before the other's call.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::serial::linear::Returned;
use program::{
    Access, Function, FunctionId, Global, Instruction, InstructionKind, Observable, Observation, Operand, Operator,
    Pointer, Program, Proposition, Quantifier, Question, RegisterId, Shown, State, Unsupported, Update, Value,
    Verified, verify,
};

/// A test that writes down what it shows.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The test, without a question: is it free of errors?
    pub program: Verified,
    /// The test with the question what the cells hold.
    pub asking: Verified,
    /// By sequence (the setup first) and operation: its name, and the cell of each label.
    operations: Vec<Vec<(Arc<str>, Labels)>>,
    /// By thread and operation: the cells that say how many operations of each thread had returned; empty if that is not written down.
    returned: Vec<Vec<Vec<Vec<i64>>>>,
    /// By thread and operation: the cell that says when it took effect; empty if operations do not say so.
    committed: Vec<Vec<Vec<i64>>>,
}

/// Whether operations of a test say where they take effect.
pub fn has_commits(test: &Program) -> bool {
    test.instructions().any(|instruction| is_commit(&instruction.kind))
}

fn is_commit(kind: &InstructionKind) -> bool {
    matches!(kind, InstructionKind::Fence { access } if access.has(Access::COMMIT))
}

/// The path of the cell of each label.
type Labels = BTreeMap<Arc<str>, Vec<i64>>;

/// Makes a test write down what it shows.
pub fn record(test: &Verified) -> Result<Recorded, Unsupported> {
    record_all(test, None)
}

/// Makes a test write down what it shows, and which operations had returned when others were called, or when they took effect if they say
/// so.
pub fn record_with_order(test: &Verified) -> Result<Recorded, Unsupported> {
    record_all(test, Some(Order::Time))
}

/// Makes a test write down what it shows, and leave marks of which execution graphs tell which happens before which.
pub fn record_with_marks(test: &Verified) -> Result<Recorded, Unsupported> {
    record_all(test, Some(Order::HappensBefore))
}

/// What orders operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// That of the steps of a machine.
    Time,
    /// What happens before what in an execution graph.
    HappensBefore,
}

fn record_all(test: &Verified, order: Option<Order>) -> Result<Recorded, Unsupported> {
    let shows = shows(test);
    let mut recording = Recording {
        program: (**test).clone(),
        cells: 0,
        clock: None,
        marks: None,
        shows,
        operations: Vec::new(),
        returned: Vec::new(),
    };
    recording.program.question = None;
    let has_commits = has_commits(test);
    let zero = || Value::int(0, 32);
    let counters = (order == Some(Order::Time) && !has_commits).then(|| recording.global("returned", zero()));
    recording.clock = (order == Some(Order::Time) && has_commits).then(|| recording.global("committed", zero()));
    if order == Some(Order::HappensBefore) {
        let [called, ..] = MARKS.map(|name| recording.global(name, zero()));
        recording.marks = Some(Marks::from(called));
    }
    recording.cells = recording.global(NAME, nothing());
    match test.setup {
        Some(setup) => recording.program.setup = Some(recording.sequence(setup)),
        None => recording.operations.push(Vec::new()),
    }
    for thread in 0..test.threads.len() {
        let entry = recording.sequence(test.threads[thread].entry);
        recording.program.threads[thread].entry = entry;
        if let Some(counters) = counters {
            recording.count(thread, entry, counters);
        }
        if let Some(marks) = recording.marks.filter(|_| !has_commits) {
            marks.leave_around_calls(thread, &mut recording.program[entry]);
        }
    }
    if order == Some(Order::HappensBefore) {
        recording.returned = asked_of_marks(&recording.operations);
    }
    let Recording { program, operations, returned, cells, clock, .. } = recording;
    let committed = if clock.is_some() { times(&operations) } else { Vec::new() };
    let labels = operations.iter().flatten().flat_map(|(_, labels)| labels.values());
    let observed = labels
        .chain(returned.iter().flatten().flatten())
        .chain(committed.iter().flatten())
        .map(|path| Observable::Memory(Pointer { allocation: cells, path: path.clone() }));
    let question = Question {
        quantifier: Quantifier::Exists,
        proposition: Proposition::Constant(true),
        filter: None,
        observed: observed.collect(),
        span: None,
    };
    let asking = Program { question: Some(question), ..program.clone() };
    let lawful = |program: Program| {
        verify(program).map_err(|_| Unsupported::new("a bounded test that does not fit the engine", None))
    };
    Ok(Recorded { program: lawful(program)?, asking: lawful(asking)?, operations, returned, committed })
}

/// By thread and operation: the cell of the time at which it takes effect.
fn times(operations: &[Vec<(Arc<str>, Labels)>]) -> Vec<Vec<Vec<i64>>> {
    let of_thread = |(sequence, all): (usize, &Vec<(Arc<str>, Labels)>)| {
        (0..all.len()).map(|place| vec![sequence as i64, place as i64, RETURNED]).collect()
    };
    // The setup comes before all.
    operations.iter().enumerate().skip(1).map(of_thread).collect()
}

/// By thread and operation: the cells by which a graph is asked how many operations of each thread come before.
fn asked_of_marks(operations: &[Vec<(Arc<str>, Labels)>]) -> Vec<Vec<Vec<Vec<i64>>>> {
    let threads = operations.get(1..).unwrap_or_default();
    let asked = |sequence: usize, place: usize| {
        let other = |(other, all): (usize, &Vec<_>)| {
            vec![sequence as i64 + 1, place as i64, RETURNED + other as i64, all.len() as i64]
        };
        threads.iter().enumerate().map(other).collect()
    };
    let of_thread = |(sequence, all): (usize, &Vec<_>)| (0..all.len()).map(|place| asked(sequence, place)).collect();
    threads.iter().enumerate().map(of_thread).collect()
}

/// The marks that the operations of a test leave (see [`record_with_marks`]), in globals that stand before that of what is shown: when they
/// are called and have returned, or if operations say so, right after the access with which they take effect.
#[derive(Clone, Copy, Debug)]
pub struct Marks {
    called: u32,
    returned: u32,
    taking_effect: u32,
}

/// The names of these globals.
const MARKS: [&str; 3] = ["called", "returned", "committed"];

/// What a graph is asked: how many of the operations of a thread come before an operation. They do if a mark of theirs happens before one
/// of its own, or the access before the one mark the access before the other.
#[derive(Clone, Debug)]
pub struct Before {
    /// Where the operation left its marks: when it was called, and when it took effect.
    pub operation: [Pointer; 2],
    /// Where the operations of the thread left theirs, in their order: when they had returned, and when they took effect.
    pub others: Vec<[Pointer; 2]>,
}

impl Marks {
    /// Those of a program; `None` if it is none that leaves marks.
    pub fn of(program: &Program) -> Option<Marks> {
        let called = cells(program)?.checked_sub(MARKS.len() as u32)?;
        let names = program.globals[called as usize..].iter().map(|global| global.name.as_str());
        names.take(MARKS.len()).eq(MARKS).then(|| Marks::from(called))
    }

    /// Those whose globals begin with this one.
    fn from(called: u32) -> Marks {
        Marks { called, returned: called + 1, taking_effect: called + 2 }
    }

    /// What is asked by a cell that nobody writes, which [`Recorded::returned`] reads.
    pub fn asked(self, cell: &Pointer) -> Option<Before> {
        let [sequence, place, other, number] = cell.path[..] else { return None };
        let in_both =
            |globals: [u32; 2], path: Vec<i64>| globals.map(|allocation| Pointer { allocation, path: path.clone() });
        let other = |of| in_both([self.returned, self.taking_effect], vec![other - RETURNED + 1, of]);
        let operation = in_both([self.called, self.taking_effect], vec![sequence, place]);
        let is_asked = cell.allocation == self.taking_effect + 1;
        is_asked.then(|| Before { operation, others: (0..number).map(other).collect() })
    }

    /// A thread leaves marks before its calls and after them.
    fn leave_around_calls(self, thread: usize, function: &mut Function) {
        let mut place = 0;
        for block in &mut function.blocks {
            let mut instructions = Vec::new();
            for instruction in std::mem::take(&mut block.instructions) {
                if !matches!(instruction.kind, InstructionKind::Call { .. }) {
                    instructions.push(instruction);
                    continue;
                }
                let path = vec![thread as i64 + 1, place];
                place += 1;
                instructions.push(mark(self.called, path.clone()));
                instructions.push(instruction);
                instructions.push(mark(self.returned, path));
            }
            block.instructions = instructions;
        }
    }
}

/// Where an operation takes effect it leaves a mark. What it left last counts.
fn leave_at_commits(marks: Marks, body: &mut Function, place: &[i64]) {
    let instructions = body.blocks.iter_mut().flat_map(|block| &mut block.instructions);
    for instruction in instructions.filter(|instruction| is_commit(&instruction.kind)) {
        *instruction = mark(marks.taking_effect, place.to_vec());
    }
}

fn mark(global: u32, path: Vec<i64>) -> Instruction {
    store(global, path, Operand::Constant(Value::int(1, 32)))
}

/// The global in which a test that was made so writes down what it shows; `None` in all other programs.
pub fn cells(program: &Program) -> Option<u32> {
    let last = program.globals.last()?;
    (last.name == NAME && last.default == nothing()).then(|| program.globals.len() as u32 - 1)
}

/// The name of that global.
const NAME: &str = "shown";

/// What a cell holds whose label was not shown.
fn nothing() -> Value {
    Value::Composite("nothing shown".into(), Vec::new())
}

impl Recorded {
    /// What an execution showed that ended in this state.
    pub fn observation(&self, state: &State) -> Observation {
        let value = |path: &Vec<i64>| {
            let found = state.iter().find(|(observable, _)| match observable {
                Observable::Memory(pointer) => pointer.path == *path,
                Observable::Register(..) => false,
            });
            found.map(|(_, value)| value.clone()).filter(|value| *value != nothing())
        };
        let operation = |(name, labels): &(Arc<str>, Labels)| {
            let values = labels.iter().filter_map(|(label, path)| Some((label.clone(), value(path)?)));
            Shown { operation: name.clone(), values: values.collect() }
        };
        self.operations.iter().map(|sequence| sequence.iter().map(operation).collect()).collect()
    }

    /// How many operations had returned when others were called, in an execution that ended in this state; how many had taken effect
    /// when others did, if operations say when. One that did not say so is ordered by its thread alone.
    pub fn returned(&self, state: &State) -> Returned {
        let count = |path: &Vec<i64>| {
            let is_it = |observable: &Observable| matches!(observable, Observable::Memory(cell) if cell.path == *path);
            let found = state.iter().find(|(observable, _)| is_it(observable));
            found.map_or(0, |(_, value)| match value {
                Value::Int(int) => u32::try_from(int.signed()).unwrap_or(0),
                _ => 0,
            })
        };
        if !self.committed.is_empty() {
            let times: Vec<Vec<u32>> = self.committed.iter().map(|thread| thread.iter().map(count).collect()).collect();
            return before(&times);
        }
        let operation = |cells: &Vec<Vec<i64>>| cells.iter().map(count).collect();
        self.returned.iter().map(|thread| thread.iter().map(operation).collect()).collect()
    }
}

/// By thread and operation, how many operations of each thread had an earlier time; 0 is none.
fn before(times: &[Vec<u32>]) -> Returned {
    let until = |thread: &Vec<u32>, now: u32| {
        let last = thread.iter().rposition(|time| (1..now).contains(time));
        last.map_or(0, |last| last as u32 + 1)
    };
    let operation = |now: &u32| times.iter().map(|thread| until(thread, *now)).collect();
    times.iter().map(|thread| thread.iter().map(operation).collect()).collect()
}

/// By function: whether it or one that it calls shows something, or says where it takes effect.
fn shows(program: &Program) -> Vec<bool> {
    let instructions = |function: &Function| -> Vec<InstructionKind> {
        let blocks = function.instructions();
        blocks.map(|instruction| instruction.kind.clone()).collect()
    };
    let all: Vec<Vec<InstructionKind>> = program.functions.iter().map(instructions).collect();
    let mut shows: Vec<bool> = all
        .iter()
        .map(|of| of.iter().any(|kind| matches!(kind, InstructionKind::Observe { .. }) || is_commit(kind)))
        .collect();
    loop {
        let calls = |of: &Vec<InstructionKind>| {
            of.iter().flat_map(InstructionKind::callees).any(|callee| shows[callee.0 as usize])
        };
        let more: Vec<bool> = all.iter().zip(&shows).map(|(of, shows)| *shows || calls(of)).collect();
        if more == shows {
            return shows;
        }
        shows = more;
    }
}

struct Recording {
    program: Program,
    /// The allocation of the cells.
    cells: u32,
    /// The clock, if operations say when they take effect and that is asked for.
    clock: Option<u32>,
    /// Where operations leave marks, if a graph is to say what happens before what.
    marks: Option<Marks>,
    shows: Vec<bool>,
    operations: Vec<Vec<(Arc<str>, Labels)>>,
    /// See [`Recorded`].
    returned: Vec<Vec<Vec<Vec<i64>>>>,
}

/// In the paths of cells that say how many operations of a thread had returned: the thread's number is added.
const RETURNED: i64 = 1 << 20;

impl Recording {
    /// A further global; gives its number.
    fn global(&mut self, name: &str, default: Value) -> u32 {
        self.program.globals.push(Global { name: name.into(), cells: Vec::new(), default, extent: None, span: None });
        self.program.globals.len() as u32 - 1
    }

    /// A thread counts its operations that have returned, and writes down how many of the others had when it called one.
    fn count(&mut self, thread: usize, entry: FunctionId, counters: u32) {
        let threads = self.program.threads.len();
        let shown = self.cells;
        let function = &mut self.program[entry];
        let mut returned = Vec::new();
        for block in &mut function.blocks {
            let mut instructions = Vec::new();
            for instruction in std::mem::take(&mut block.instructions) {
                let is_call = matches!(instruction.kind, InstructionKind::Call { .. });
                let place = [thread as i64 + 1, returned.len() as i64];
                if is_call {
                    let path = |other: usize| vec![place[0], place[1], RETURNED + other as i64];
                    for other in (0..threads).filter(|other| *other != thread) {
                        function.registers.push("returned".into());
                        let seen = RegisterId(function.registers.len() as u32 - 1);
                        instructions.push(load(seen, counters, vec![other as i64]));
                        instructions.push(store(shown, path(other), Operand::Register(seen)));
                    }
                    returned.push((0..threads).map(path).collect());
                }
                instructions.push(instruction);
                if is_call {
                    let count = Operand::Constant(Value::int(returned.len() as i64, 32));
                    instructions.push(store(counters, vec![thread as i64], count));
                }
            }
            block.instructions = instructions;
        }
        self.returned.push(returned);
    }

    /// A copy of a function that calls operations, each of which writes down what it shows.
    fn sequence(&mut self, entry: FunctionId) -> FunctionId {
        let mut function = self.program.function(entry).clone();
        let mut operations = Vec::new();
        for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
            let InstructionKind::Call { function: called, .. } = &mut instruction.kind else { continue };
            let place = vec![self.operations.len() as i64, operations.len() as i64];
            let mut copying = Copying { place, labels: Labels::new(), copies: BTreeMap::new() };
            let name = self.program.function(*called).name.as_str().into();
            *called = self.copy(*called, &mut copying);
            operations.push((name, copying.labels));
        }
        self.operations.push(operations);
        self.add(function)
    }

    fn add(&mut self, function: Function) -> FunctionId {
        self.program.functions.push(function);
        FunctionId(self.program.functions.len() as u32 - 1)
    }

    /// A copy of a function that writes down what it shows in an operation; the function itself if it shows nothing.
    fn copy(&mut self, function: FunctionId, copying: &mut Copying) -> FunctionId {
        if !self.shows.get(function.0 as usize).copied().unwrap_or(false) {
            return function;
        }
        if let Some(copy) = copying.copies.get(&function) {
            return *copy;
        }
        // It may call itself.
        let copy = self.add(self.program.function(function).clone());
        copying.copies.insert(function, copy);
        let mut body = self.program.function(function).clone();
        for instruction in body.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
            self.write_down(instruction, copying);
        }
        if let Some(clock) = self.clock {
            self.write_time(&mut body, clock, copying);
        }
        if let Some(marks) = self.marks {
            leave_at_commits(marks, &mut body, &copying.place);
        }
        self.program[copy] = body;
        copy
    }

    /// Where an operation takes effect it writes down the time. The setup comes before all that has one.
    fn write_time(&self, body: &mut Function, clock: u32, copying: &Copying) {
        let Function { registers, blocks, .. } = body;
        for block in blocks {
            let mut instructions = Vec::new();
            for instruction in std::mem::take(&mut block.instructions) {
                if !is_commit(&instruction.kind) {
                    instructions.push(instruction);
                    continue;
                }
                registers.extend(["committed".into(), "committed".into()]);
                let [before, now] = [2, 1].map(|back| RegisterId((registers.len() - back) as u32));
                let path = [&copying.place[..], &[RETURNED]].concat();
                instructions.extend(tick(clock, before, now));
                instructions.push(store(self.cells, path, Operand::Register(now)));
            }
            block.instructions = instructions;
        }
    }

    fn write_down(&mut self, instruction: &mut Instruction, copying: &mut Copying) {
        match &mut instruction.kind {
            InstructionKind::Observe { label, value } => {
                let path = copying.path(label);
                let address = Operand::Constant(Value::Pointer(Pointer { allocation: self.cells, path }));
                let value = value.clone();
                instruction.kind = InstructionKind::Store { address, value, access: Access::plain() };
            }
            InstructionKind::Call { function, .. } | InstructionKind::Spawn { function, .. } => {
                *function = self.copy(*function, copying);
            }
            InstructionKind::CallVirtual { table, .. } => {
                table.iter_mut().for_each(|(_, function)| *function = self.copy(*function, copying));
            }
            _ => {}
        }
    }
}

fn cell(allocation: u32, path: Vec<i64>) -> Operand {
    Operand::Constant(Value::Pointer(Pointer { allocation, path }))
}

fn load(target: RegisterId, allocation: u32, path: Vec<i64>) -> Instruction {
    let kind = InstructionKind::Load { target, address: cell(allocation, path), access: Access::plain() };
    Instruction { kind, span: None }
}

fn store(allocation: u32, path: Vec<i64>, value: Operand) -> Instruction {
    let kind = InstructionKind::Store { address: cell(allocation, path), value, access: Access::plain() };
    Instruction { kind, span: None }
}

/// The clock goes on, and tells the time.
fn tick(clock: u32, before: RegisterId, now: RegisterId) -> [Instruction; 2] {
    let one = || Operand::Constant(Value::int(1, 32));
    let update = Update::Apply(Operator::Add, one());
    let (address, access) = (cell(clock, Vec::new()), Access::plain());
    let next = InstructionKind::ReadModifyWrite { target: before, address, update, access };
    let operands = vec![Operand::Register(before), one()];
    let time = InstructionKind::Assign { target: now, operator: Operator::Add, operands };
    [next, time].map(|kind| Instruction { kind, span: None })
}

/// The functions of one operation, copied.
struct Copying {
    /// The sequence and the place of the operation in it.
    place: Vec<i64>,
    labels: Labels,
    copies: BTreeMap<FunctionId, FunctionId>,
}

impl Copying {
    /// The path of a label's cell.
    fn path(&mut self, label: &Arc<str>) -> Vec<i64> {
        let next = [&self.place[..], &[self.labels.len() as i64]].concat();
        self.labels.entry(label.clone()).or_insert(next).clone()
    }
}
