//! Bounded tests: the notation, and the functions that threads run.
//!
//! `e(ed|de)`: operations before the parenthesis run first; inside it the threads are separated by `|`. An operation is
//! the name of a function. Names are separated by blanks, or found as the longest known name; `a'` is the function `a_n`,
//! by custom the form of `a` without retries; `e^3` and `e*3` are `e` three times.

use std::ops::Range;

use program::{
    AssertSort, Block, Function, FunctionId, Instruction, InstructionKind, Operand, Operator, RegisterId, Span,
    Terminator, Value,
};

use super::own::NUMBERS;
use super::types::{Signature, Type};

/// A test, as the notation says it: names of functions, with their places in the notation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notation {
    /// Operations that run first.
    pub initial: Vec<(String, Range<usize>)>,
    /// The operations of each thread.
    pub threads: Vec<Vec<(String, Range<usize>)>>,
}

/// What is wrong in a notation, and where.
pub type Wrong = (String, Range<usize>);

/// More repetitions than make sense.
const MOST_REPETITIONS: usize = 100;

/// Reads the notation of a test. `known` are the names of all functions.
pub fn read(text: &str, known: &[String]) -> Result<Notation, Wrong> {
    let mut reader = Reader { text, at: 0, known };
    let mut notation = Notation { initial: reader.operations()?, threads: Vec::new() };
    reader.expect('(', "expected `(` and the threads")?;
    loop {
        let start = reader.at;
        let thread = reader.operations()?;
        if thread.is_empty() {
            return Err(("a thread without operations".into(), start..reader.next_end()));
        }
        notation.threads.push(thread);
        if !reader.accept('|') {
            break;
        }
    }
    reader.expect(')', "expected an operation, `|` or `)`")?;
    reader.skip_blanks();
    if reader.at < text.len() {
        return Err(("nothing may follow the threads".into(), reader.at..text.len()));
    }
    Ok(notation)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    known: &'a [String],
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',').len();
    }

    fn accept(&mut self, symbol: char) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(symbol);
        self.at += if found { symbol.len_utf8() } else { 0 };
        found
    }

    fn next_end(&self) -> usize {
        self.at + self.rest().chars().next().map_or(0, char::len_utf8)
    }

    fn expect(&mut self, symbol: char, message: &str) -> Result<(), Wrong> {
        if self.accept(symbol) { Ok(()) } else { Err((message.into(), self.at..self.next_end())) }
    }

    fn operations(&mut self) -> Result<Vec<(String, Range<usize>)>, Wrong> {
        let mut operations = Vec::new();
        loop {
            self.skip_blanks();
            let first = self.rest().chars().next();
            if !first.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                return Ok(operations);
            }
            let (name, place) = self.operation()?;
            for _ in 0..self.repetitions()? {
                operations.push((name.clone(), place.clone()));
            }
        }
    }

    fn operation(&mut self) -> Result<(String, Range<usize>), Wrong> {
        let start = self.at;
        let rest = self.rest();
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let word = rest[..word].to_string();
        let found = self.known.iter().filter(|name| word.starts_with(name.as_str())).max_by_key(|name| name.len());
        let Some(name) = found else {
            return Err((format!("there is no operation `{word}`"), start..start + word.len()));
        };
        self.at += name.len();
        if !self.rest().starts_with('\'') {
            return Ok((name.clone(), start..self.at));
        }
        self.at += 1;
        let without_retries = format!("{name}_n");
        if self.known.contains(&without_retries) {
            return Ok((without_retries, start..self.at));
        }
        Err((format!("`{name}'` names the function `{without_retries}`, which does not exist"), start..self.at))
    }

    fn repetitions(&mut self) -> Result<usize, Wrong> {
        if !self.accept('^') && !self.accept('*') {
            return Ok(1);
        }
        self.skip_blanks();
        let digits = self.rest().chars().take_while(char::is_ascii_digit).count();
        let range = self.at..self.at + digits;
        self.at += digits;
        match self.text[range.clone()].parse() {
            Ok(count @ 1..=MOST_REPETITIONS) => Ok(count),
            _ => Err((format!("a number from 1 to {MOST_REPETITIONS} is expected"), range)),
        }
    }
}

/// What makes the variables of a thread's own: a function, and how many values it gives, which every function is given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    /// The function, if there are such variables.
    pub function: Option<FunctionId>,
    /// How many values it gives.
    pub count: usize,
    /// Whether functions are given the number of their thread, and how many there are, behind these.
    pub is_numbered: bool,
}

/// Which thread of a test runs: its number, from 0 on, and how many there are. What runs before them is number 0, too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers {
    /// Its number.
    pub thread: usize,
    /// How many there are.
    pub threads: usize,
}

/// A function that does nothing but call others, in order.
pub fn calls(name: &str, functions: &[(FunctionId, usize, Option<Span>)], start: Start, numbers: Numbers) -> Function {
    let mut registers = Vec::new();
    let mut instructions = Vec::new();
    let own: Vec<RegisterId> = (0..start.count).map(|_| fresh(&mut registers, "_")).collect();
    if let Some(function) = start.function {
        let kind = InstructionKind::Call { function, arguments: Vec::new(), targets: own.clone() };
        instructions.push(Instruction { kind, span: None });
    }
    let numbers = [numbers.thread, numbers.threads].map(|number| Operand::Constant(Value::int(number as i64, 32)));
    let numbers = numbers.into_iter().filter(|_| start.is_numbered);
    let own: Vec<Operand> = own.into_iter().map(Operand::Register).chain(numbers).collect();
    for &(function, results, span) in functions {
        let targets = (0..results).map(|_| fresh(&mut registers, "_")).collect();
        instructions
            .push(Instruction { kind: InstructionKind::Call { function, arguments: own.clone(), targets }, span });
    }
    straight(name, registers, instructions, None)
}

/// Calls a function with chosen arguments and shows them and its result. It has the name of the function, since that is
/// the operation.
pub fn wrapper(
    name: &str,
    function: FunctionId,
    signature: &Signature,
    show_result: bool,
    start: Start,
    span: Option<Span>,
) -> Function {
    let mut registers = Vec::new();
    let mut instructions = Vec::new();
    let numbers = if start.is_numbered { NUMBERS.len() } else { 0 };
    let own: Vec<RegisterId> = (0..start.count + numbers).map(|_| fresh(&mut registers, "_")).collect();
    let mut arguments: Vec<Operand> = own.iter().copied().map(Operand::Register).collect();
    for (index, (parameter, of)) in signature.parameters.iter().enumerate() {
        let label = parameter.clone().unwrap_or_else(|| format!("argument{index}"));
        let target = fresh(&mut registers, &label);
        let width = of.width().unwrap_or(32);
        let value = Operand::Register(target);
        instructions.push(InstructionKind::Choose { target, low: 0, high: 1, width });
        show(&label, target, of, &mut registers, &mut instructions);
        arguments.push(value);
    }
    let targets: Vec<RegisterId> =
        if signature.result.is_void() { Vec::new() } else { vec![fresh(&mut registers, "result")] };
    instructions.push(InstructionKind::Call { function, arguments, targets: targets.clone() });
    if show_result && let [result] = targets.as_slice() {
        show("result", *result, &signature.result, &mut registers, &mut instructions);
    }
    let instructions = instructions.into_iter().map(|kind| Instruction { kind, span }).collect();
    Function { parameters: own, ..straight(name, registers, instructions, span) }
}

/// Shows a value, as `int` if it is narrower: so do the functions of the library, and observations can be compared.
fn show(
    label: &str,
    from: RegisterId,
    of: &Type,
    registers: &mut Vec<String>,
    instructions: &mut Vec<InstructionKind>,
) {
    let mut value = Operand::Register(from);
    if let Some(integer) = of.as_integer().filter(|integer| integer.width < 32) {
        let target = fresh(registers, "_");
        let operator = Operator::Resize { width: 32, signed: integer.signed };
        instructions.push(InstructionKind::Assign { target, operator, operands: vec![value] });
        value = Operand::Register(target);
    }
    let is_defined = fresh(registers, "_");
    let (operator, operands) = (Operator::IsDefined, vec![value.clone()]);
    instructions.push(InstructionKind::Assign { target: is_defined, operator, operands });
    instructions.push(InstructionKind::claim(AssertSort::Error, Operand::Register(is_defined), undefined(label)));
    instructions.push(InstructionKind::Observe { label: label.into(), value });
}

/// What is said of a value that callers see and that is not defined: who reads it reads what nobody wrote (CheckFence thesis,
/// section 7.1.1).
pub fn undefined(label: &str) -> String {
    format!("what is shown as `{label}` is undefined")
}

fn fresh(registers: &mut Vec<String>, name: &str) -> RegisterId {
    registers.push(name.to_string());
    RegisterId(registers.len() as u32 - 1)
}

fn straight(name: &str, registers: Vec<String>, instructions: Vec<Instruction>, span: Option<Span>) -> Function {
    let block = Block { instructions, terminator: Terminator::Return(Vec::new()), span: None };
    Function { name: name.into(), parameters: Vec::new(), registers, results: 0, blocks: vec![block], span }
}

/// The functions that a function calls or starts.
pub fn callees(function: &Function) -> Vec<FunctionId> {
    let instructions = function.instructions();
    instructions.flat_map(|instruction| instruction.kind.callees()).collect()
}
