//! Bounded tests of data types on the machines.
//!
//! What the operations of a test show is no part of a state. So the test is made a program that writes it down: every
//! `observe` becomes a store to a cell of its own, which nobody else uses, and the question asks for what these cells hold
//! at the end. A function that shows something is copied for each operation that calls it. Then any engine that lists final
//! states lists what the executions of the test show.

use std::collections::BTreeMap;
use std::sync::Arc;

use program::{
    Access, Function, FunctionId, Global, Instruction, InstructionKind, Observable, Observation, Operand, Pointer,
    Program, Proposition, Quantifier, Question, Shown, State, Unsupported, Value, Verified, verify,
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
}

/// The path of the cell of each label.
type Labels = BTreeMap<Arc<str>, Vec<i64>>;

/// Makes a test write down what it shows.
pub fn record(test: &Verified) -> Result<Recorded, Unsupported> {
    let cells = test.globals.len() as u32;
    let shows = shows(test);
    let mut recording = Recording { program: (**test).clone(), cells, shows, operations: Vec::new() };
    recording.program.question = None;
    recording.program.globals.push(Global {
        name: "shown".into(),
        cells: Vec::new(),
        default: nothing(),
        extent: None,
        span: None,
    });
    match test.setup {
        Some(setup) => recording.program.setup = Some(recording.sequence(setup)),
        None => recording.operations.push(Vec::new()),
    }
    for thread in 0..test.threads.len() {
        recording.program.threads[thread].entry = recording.sequence(test.threads[thread].entry);
    }
    let Recording { program, operations, .. } = recording;
    let labels = operations.iter().flatten().flat_map(|(_, labels)| labels.values());
    let observed = labels.map(|path| Observable::Memory(Pointer { allocation: cells, path: path.clone() }));
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
    Ok(Recorded { program: lawful(program)?, asking: lawful(asking)?, operations })
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
}

/// By function: whether it or one that it calls shows something.
fn shows(program: &Program) -> Vec<bool> {
    let instructions = |function: &Function| -> Vec<InstructionKind> {
        let blocks = function.instructions();
        blocks.map(|instruction| instruction.kind.clone()).collect()
    };
    let all: Vec<Vec<InstructionKind>> = program.functions.iter().map(instructions).collect();
    let mut shows: Vec<bool> =
        all.iter().map(|of| of.iter().any(|kind| matches!(kind, InstructionKind::Observe { .. }))).collect();
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
    shows: Vec<bool>,
    operations: Vec<Vec<(Arc<str>, Labels)>>,
}

impl Recording {
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
        self.program[copy] = body;
        copy
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
