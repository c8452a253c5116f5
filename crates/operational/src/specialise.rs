//! Functions for the arguments that they are given: what is known of a program's memory before its threads start is put in
//! place of what computes it.
//!
//! Each function is walked with what is known of its registers at each block: a value, or the name of a new object. Branches
//! whose condition is known go one way, final fields of objects that exist before the threads start are read at once, and so
//! are globals whose address is nowhere but in accesses and which no access that is left writes. Nothing else changes: the
//! program has the same executions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use program::tidy::compact;
use program::{
    BlockId, Function, FunctionId, Instruction, InstructionKind, Operand, Operator, RegisterId, Terminator,
    Unsupported, Value,
};

use crate::interpret::Interpreter;
use crate::machine::is_final;
use crate::state::State;

/// What is known of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Known {
    /// Its value.
    Value(Value),
    /// That it points to a new object of that name, or perhaps is 0.
    Object { class: Arc<str>, may_be_null: bool },
    /// Nothing.
    Nothing,
}

impl Known {
    fn join(&self, other: &Known) -> Known {
        match (self, other) {
            (known, other) if known == other => known.clone(),
            (Known::Object { class, .. }, Known::Value(value)) | (Known::Value(value), Known::Object { class, .. })
                if value.truth() == Some(false) =>
            {
                Known::Object { class: class.clone(), may_be_null: true }
            }
            (Known::Object { class, .. }, Known::Object { class: other, .. }) if class == other => {
                Known::Object { class: class.clone(), may_be_null: true }
            }
            _ => Known::Nothing,
        }
    }

    fn truth(&self) -> Option<bool> {
        match self {
            Known::Value(value) => value.truth(),
            Known::Object { may_be_null: false, .. } => Some(true),
            Known::Object { .. } | Known::Nothing => None,
        }
    }
}

/// What is known of the registers of a function at a block.
type Registers = Vec<Known>;

/// A function for some arguments, and what is known of its results.
#[derive(Clone)]
struct Made {
    function: FunctionId,
    results: Vec<Known>,
    /// Whether it only computes.
    is_pure: bool,
}

/// Makes functions for arguments.
pub struct Specialiser<'a, 'p> {
    interpreter: &'a mut Interpreter<'p>,
    /// Memory when the threads start.
    start: &'a State,
    /// What classes the objects that exist then have.
    classes: &'a [Arc<str>],
    /// The globals that nothing writes, as far as is known.
    constant: &'a BTreeSet<u32>,
    /// The functions that were made.
    pub functions: Vec<Function>,
    made: Vec<((FunctionId, Vec<Known>), Made)>,
    open: Vec<FunctionId>,
}

impl<'a, 'p> Specialiser<'a, 'p> {
    /// Nothing was made yet.
    pub fn new(
        interpreter: &'a mut Interpreter<'p>,
        start: &'a State,
        classes: &'a [Arc<str>],
        constant: &'a BTreeSet<u32>,
    ) -> Specialiser<'a, 'p> {
        let (functions, made, open) = (Vec::new(), Vec::new(), Vec::new());
        Specialiser { interpreter, start, classes, constant, functions, made, open }
    }

    /// The function for these arguments.
    pub fn call_with(&mut self, id: FunctionId, arguments: Vec<Value>) -> Result<FunctionId, Unsupported> {
        let arguments = arguments.into_iter().map(Known::Value).collect();
        Ok(self.call(id, arguments)?.function)
    }

    fn call(&mut self, id: FunctionId, arguments: Vec<Known>) -> Result<Made, Unsupported> {
        let key = (id, arguments);
        if let Some((_, made)) = self.made.iter().find(|(known, _)| *known == key) {
            return Ok(made.clone());
        }
        let function = &self.interpreter.program[id];
        if self.open.contains(&id) {
            let what = format!("recursion (`{}` calls itself) in this engine", function.name);
            return Err(Unsupported::new(what, function.span));
        }
        self.open.push(id);
        let mut registers = vec![Known::Value(Value::Undefined); function.registers.len()];
        for (parameter, argument) in function.parameters.iter().zip(&key.1) {
            registers[parameter.index()] = argument.clone();
        }
        let made = self.function(function, registers);
        self.open.pop();
        let made = made?;
        self.made.push((key, made.clone()));
        Ok(made)
    }

    /// Makes a function that begins with these registers.
    fn function(&mut self, function: &Function, registers: Registers) -> Result<Made, Unsupported> {
        let mut at: BTreeMap<BlockId, Registers> = BTreeMap::from([(BlockId(0), registers)]);
        let mut open = vec![BlockId(0)];
        while let Some(block) = open.pop() {
            let mut registers = at[&block].clone();
            for instruction in &function[block].instructions {
                self.step(&instruction.clone(), &mut registers)?;
            }
            for (next, registers) in arrivals(&function[block].terminator, &registers) {
                let joined = match at.get(&next) {
                    Some(known) => known.iter().zip(&registers).map(|(a, b)| a.join(b)).collect(),
                    None => registers,
                };
                if at.get(&next) != Some(&joined) {
                    at.insert(next, joined);
                    open.push(next);
                }
            }
        }
        self.write(function, &at)
    }

    /// Writes a function, given what is known at the blocks that are reached.
    fn write(&mut self, function: &Function, at: &BTreeMap<BlockId, Registers>) -> Result<Made, Unsupported> {
        let mut made = function.clone();
        let mut results: Option<Vec<Known>> = None;
        let mut is_pure = true;
        for block in function.block_ids() {
            let Some(registers) = at.get(&block) else {
                made[block].instructions.clear();
                continue;
            };
            let mut registers = registers.clone();
            let mut written = Vec::new();
            for instruction in &function[block].instructions {
                self.rewrite(instruction, &mut registers, &mut written)?;
            }
            is_pure &= written
                .iter()
                .all(|instruction: &Instruction| matches!(instruction.kind, InstructionKind::Assign { .. }));
            made[block].instructions = written;
            let terminator = &mut made[block].terminator;
            if let [(next, _)] = arrivals(terminator, &registers)[..] {
                *terminator = Terminator::Jump(next);
            }
            terminator.operands_mut().into_iter().for_each(|operand| put_in_place(operand, &registers));
            if let Terminator::Return(values) = &function[block].terminator {
                let values: Vec<Known> = values.iter().map(|value| known(value, &registers)).collect();
                results = Some(match results {
                    Some(others) => others.iter().zip(&values).map(|(a, b)| a.join(b)).collect(),
                    None => values,
                });
            }
        }
        compact(&mut made);
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(made);
        Ok(Made { function: id, results: results.unwrap_or_default(), is_pure })
    }

    /// What an instruction makes known.
    fn step(&mut self, instruction: &Instruction, registers: &mut Registers) -> Result<(), Unsupported> {
        let found = match &instruction.kind {
            InstructionKind::Assign { operator, operands, .. } => vec![self.computed(operator, operands, registers)],
            InstructionKind::Load { address, access, .. } => {
                vec![self.loaded(&known(address, registers), is_final(access))]
            }
            InstructionKind::Allocate { name, .. } => vec![Known::Object { class: name.clone(), may_be_null: false }],
            InstructionKind::Call { .. } | InstructionKind::CallVirtual { .. } => {
                self.called(instruction, registers)?.results
            }
            _ => Vec::new(),
        };
        let mut found = found.into_iter();
        for target in instruction.kind.targets() {
            registers[target.index()] = found.next().unwrap_or(Known::Nothing);
        }
        Ok(())
    }

    fn computed(&mut self, operator: &Operator, operands: &[Operand], registers: &Registers) -> Known {
        let operands: Vec<Known> = operands.iter().map(|operand| known(operand, registers)).collect();
        if let ([object @ Known::Object { .. }], Operator::Copy) = (&operands[..], operator) {
            return object.clone();
        }
        let mut words = Vec::new();
        for operand in &operands {
            let Known::Value(value) = operand else { return Known::Nothing };
            words.push(self.interpreter.words.word(value));
        }
        let result = self.interpreter.words.apply(operator, &words);
        match self.interpreter.words.value(result) {
            Value::Undefined => Known::Nothing,
            value => Known::Value(value),
        }
    }

    /// What a load gives, if that is always the same.
    fn loaded(&mut self, address: &Known, is_final: bool) -> Known {
        let Known::Value(Value::Pointer(pointer)) = address else { return Known::Nothing };
        let exists = (pointer.allocation as usize) < self.start.heap.len();
        if !exists || !is_final && !self.constant.contains(&pointer.allocation) {
            return Known::Nothing;
        }
        let address = self.interpreter.words.address(pointer);
        match self.start.held(address).map(|word| self.interpreter.words.value(word)) {
            Some(Value::Undefined) | None => Known::Nothing,
            Some(value) => Known::Value(value),
        }
    }

    /// The function that a call calls, made for what is known of its arguments.
    fn called(&mut self, instruction: &Instruction, registers: &Registers) -> Result<Made, Unsupported> {
        let arguments = |operands: &[Operand]| operands.iter().map(|operand| known(operand, registers)).collect();
        match &instruction.kind {
            InstructionKind::Call { function, arguments: given, .. } => self.call(*function, arguments(given)),
            InstructionKind::CallVirtual { table, arguments: given, .. } => {
                let arguments: Vec<Known> = arguments(given);
                let class = match arguments.first() {
                    Some(Known::Object { class, .. }) => Some(class.clone()),
                    Some(Known::Value(Value::Pointer(pointer))) => {
                        self.classes.get(pointer.allocation as usize).cloned()
                    }
                    _ => None,
                };
                let of_class = class.and_then(|class| table.iter().find(|(name, _)| *name == class));
                let is_same =
                    table.iter().all(|(_, function)| Some(*function) == table.first().map(|(_, first)| *first));
                match of_class.or(table.first().filter(|_| is_same)) {
                    Some((_, function)) => self.call(*function, arguments),
                    None => Err(Unsupported::new("a method of an object whose class is not known", instruction.span)),
                }
            }
            _ => Err(Unsupported::new("a call", instruction.span)),
        }
    }

    /// Writes what is left of an instruction.
    fn rewrite(
        &mut self,
        instruction: &Instruction,
        registers: &mut Registers,
        written: &mut Vec<Instruction>,
    ) -> Result<(), Unsupported> {
        let before = registers.clone();
        self.step(instruction, registers)?;
        let targets = instruction.kind.targets();
        let value = |target: &RegisterId| match &registers[target.index()] {
            Known::Value(value) => Some((*target, value.clone())),
            _ => None,
        };
        let values: Option<Vec<(RegisterId, Value)>> = targets.iter().map(value).collect();
        let is_call = matches!(instruction.kind, InstructionKind::Call { .. } | InstructionKind::CallVirtual { .. });
        let callee = if is_call { Some(self.called(instruction, &before)?) } else { None };
        let computes = matches!(instruction.kind, InstructionKind::Assign { .. } | InstructionKind::Load { .. });
        if let Some(values) = values.filter(|_| computes || callee.as_ref().is_some_and(|callee| callee.is_pure)) {
            let copy = |(target, value)| Instruction {
                kind: InstructionKind::Assign {
                    target,
                    operator: Operator::Copy,
                    operands: vec![Operand::Constant(value)],
                },
                span: instruction.span,
            };
            written.extend(values.into_iter().map(copy));
            return Ok(());
        }
        let mut kind = instruction.kind.clone();
        if let (
            Some(callee),
            InstructionKind::Call { arguments, .. } | InstructionKind::CallVirtual { arguments, .. },
        ) = (callee, &instruction.kind)
        {
            kind = InstructionKind::Call { function: callee.function, arguments: arguments.clone(), targets };
        }
        kind.operands_mut().into_iter().for_each(|operand| put_in_place(operand, &before));
        written.push(Instruction { kind, span: instruction.span });
        Ok(())
    }
}

fn known(operand: &Operand, registers: &Registers) -> Known {
    match operand {
        Operand::Register(register) => registers[register.index()].clone(),
        Operand::Constant(value) => Known::Value(value.clone()),
    }
}

fn put_in_place(operand: &mut Operand, registers: &Registers) {
    if let Known::Value(value) = known(operand, registers)
        && value != Value::Undefined
    {
        *operand = Operand::Constant(value);
    }
}

/// The blocks that may come next, with what is known there.
fn arrivals(terminator: &Terminator, registers: &Registers) -> Vec<(BlockId, Registers)> {
    let Terminator::Branch { condition, then, otherwise, .. } = terminator else {
        return terminator.successors().into_iter().map(|next| (next, registers.clone())).collect();
    };
    match known(condition, registers).truth() {
        Some(true) => vec![(*then, registers.clone())],
        Some(false) => vec![(*otherwise, registers.clone())],
        None => {
            vec![(*then, assuming(condition, true, registers)), (*otherwise, assuming(condition, false, registers))]
        }
    }
}

/// What is known if a condition is true, or is not.
fn assuming(condition: &Operand, truth: bool, registers: &Registers) -> Registers {
    let mut registers = registers.clone();
    if let Operand::Register(register) = condition
        && let Known::Object { class, .. } = registers[register.index()].clone()
    {
        registers[register.index()] = match truth {
            true => Known::Object { class, may_be_null: false },
            false => Known::Value(Value::int(0, 32)),
        };
    }
    registers
}
