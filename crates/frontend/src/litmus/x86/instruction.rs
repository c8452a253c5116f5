//! One cell of the table: labels, an instruction, its operands.

use program::{Diagnostic, Span, Unsupported};

use super::Machine;
use super::flags::Condition;
use super::register::Register;
use crate::litmus::lexer::{Kind, Tokens};

/// A line of a thread.
#[derive(Debug)]
pub enum Line {
    /// `L0:`
    Label(String, Span),
    /// An instruction.
    Instruction(Instruction),
}

/// An instruction with its operands, the target first.
#[derive(Debug)]
pub struct Instruction {
    /// What it does.
    pub operation: Operation,
    /// Whether it has the prefix `LOCK`.
    pub locked: bool,
    /// Width in bits, if the name says it.
    pub width: Option<u8>,
    /// Operands.
    pub operands: Vec<Operand>,
    /// Its text.
    pub span: Span,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operation {
    Nop,
    Mov,
    Lea,
    Xchg,
    Xadd,
    Cmpxchg,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Inc,
    Dec,
    Neg,
    Not,
    Shl,
    Shr,
    Sar,
    Cmp,
    Test,
    Jump,
    JumpIf(Condition),
    SetIf(Condition),
    MoveIf(Condition),
    /// `MFENCE`, `SFENCE` or `LFENCE`.
    Fence(&'static str),
}

/// An operand.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// A number.
    Number(i64),
    /// `$x`: the address of a location.
    Address(String),
    /// A memory cell.
    Memory(Cell),
    /// Where a jump goes.
    Label(String, Span),
}

/// A memory operand: `base + index * scale + displacement`.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What the address starts from.
    pub base: Base,
    /// A register that is added, with its factor.
    pub index: Option<(Register, i64)>,
    /// Bytes that are added.
    pub displacement: i64,
}

/// What an address starts from.
#[derive(Clone, Debug)]
pub enum Base {
    /// A location.
    Location(String),
    /// A register that holds an address.
    Register(Register),
}

/// Reads a cell and adds what it holds to `lines`.
pub fn parse(machine: Machine, tokens: &mut Tokens<'_>, lines: &mut Vec<Line>) -> Result<(), Diagnostic> {
    while tokens.peek().kind == Kind::Word && tokens.is_at(1, ":") {
        let start = tokens.here();
        let name = tokens.next();
        tokens.next();
        lines.push(Line::Label(tokens.text(name).to_string(), tokens.since(start)));
    }
    if tokens.at_end() {
        return Ok(());
    }
    let start = tokens.here();
    let mut locked = false;
    let (mut name, mut name_span) = tokens.word("an instruction")?;
    if name.eq_ignore_ascii_case("lock") {
        locked = true;
        (name, name_span) = tokens.word("an instruction")?;
    }
    let Some((operation, width)) = operation(&name.to_ascii_lowercase()) else {
        return Err(Unsupported::new(format!("the instruction `{name}`"), Some(name_span)).into());
    };
    let jump = matches!(operation, Operation::Jump | Operation::JumpIf(_));
    let mut operands = Vec::new();
    // `NOP` may have operands of any form, which mean nothing.
    if !tokens.at_end() && operation != Operation::Nop {
        operands.push(if jump { label(tokens)? } else { operand(machine, tokens)? });
        while !tokens.at_end() {
            tokens.expect(",")?;
            operands.push(operand(machine, tokens)?);
        }
    }
    if machine == Machine::X86_64 && !is_target_first(name, operation, &operands) {
        operands.reverse();
    }
    let span = start.to(tokens.last());
    lines.push(Line::Instruction(Instruction { operation, locked, width, operands, span }));
    Ok(())
}

/// Whether an instruction of X86_64 has its target first, although the assembler has it last. herd7 reads `cmpxchg` and
/// `cmovc` so: `lock cmpxchgl (x),%ebx`, `cmovcl %eax,(x)`. Of the others, those are taken so that in the assembler's order
/// would have no meaning.
fn is_target_first(name: &str, operation: Operation, operands: &[Operand]) -> bool {
    match (operation, operands) {
        (Operation::Cmpxchg, [Operand::Memory(_) | Operand::Register(_), Operand::Register(_)]) => true,
        (Operation::Xadd, [Operand::Memory(_), Operand::Register(_)]) => true,
        (Operation::MoveIf(_), [Operand::Register(_), Operand::Memory(_)]) => true,
        (Operation::MoveIf(_), [Operand::Register(_), Operand::Register(_)]) => {
            name.to_ascii_lowercase().starts_with("cmovc")
        }
        _ => false,
    }
}

/// The operation of a name in lower case, and the width that its suffix gives.
fn operation(name: &str) -> Option<(Operation, Option<u8>)> {
    if let Some(operation) = exact(name) {
        return Some((operation, None));
    }
    let (stem, suffix) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let width = match suffix {
        "b" => 8,
        "w" => 16,
        "l" => 32,
        "q" => 64,
        _ => return None,
    };
    let sized = |operation: &Operation| {
        !matches!(operation, Operation::Fence(_) | Operation::Jump | Operation::JumpIf(_) | Operation::SetIf(_))
    };
    exact(stem).filter(sized).map(|operation| (operation, Some(width)))
}

fn exact(name: &str) -> Option<Operation> {
    Some(match name {
        "nop" => Operation::Nop,
        "mov" => Operation::Mov,
        "lea" => Operation::Lea,
        "xchg" => Operation::Xchg,
        "xadd" => Operation::Xadd,
        "cmpxchg" => Operation::Cmpxchg,
        "add" => Operation::Add,
        "sub" => Operation::Sub,
        "and" => Operation::And,
        "or" => Operation::Or,
        "xor" => Operation::Xor,
        "inc" => Operation::Inc,
        "dec" => Operation::Dec,
        "neg" => Operation::Neg,
        "not" => Operation::Not,
        "shl" | "sal" => Operation::Shl,
        "shr" => Operation::Shr,
        "sar" => Operation::Sar,
        "cmp" => Operation::Cmp,
        "test" => Operation::Test,
        "jmp" => Operation::Jump,
        "mfence" => Operation::Fence("MFENCE"),
        "sfence" => Operation::Fence("SFENCE"),
        "lfence" => Operation::Fence("LFENCE"),
        _ => {
            let after = |prefix: &str| name.strip_prefix(prefix).and_then(Condition::parse);
            return after("cmov")
                .map(Operation::MoveIf)
                .or_else(|| after("set").map(Operation::SetIf))
                .or_else(|| after("j").map(Operation::JumpIf));
        }
    })
}

fn label(tokens: &mut Tokens<'_>) -> Result<Operand, Diagnostic> {
    let (name, span) = tokens.word("a label")?;
    Ok(Operand::Label(name.to_string(), span))
}

fn operand(machine: Machine, tokens: &mut Tokens<'_>) -> Result<Operand, Diagnostic> {
    if tokens.accept("$") {
        if tokens.peek().kind == Kind::Word {
            return Ok(Operand::Address(tokens.word("a location")?.0.to_string()));
        }
        return tokens.integer("a number").map(Operand::Number);
    }
    if tokens.is("%") {
        return register(machine, tokens).map(Operand::Register);
    }
    if tokens.accept("[") {
        return intel_cell(machine, tokens).map(Operand::Memory);
    }
    if tokens.is("(") {
        return att_cell(machine, tokens, 0).map(Operand::Memory);
    }
    if tokens.peek().kind == Kind::Word {
        let (name, span) = tokens.word("an operand")?;
        if let Some(register) = Register::find(machine, name) {
            return Ok(Operand::Register(register));
        }
        if machine == Machine::X86_64 && !Register::is_foreign(name) {
            let cell = Cell { base: Base::Location(name.to_string()), index: None, displacement: 0 };
            return Ok(Operand::Memory(cell));
        }
        let error = Register::named(machine, name, span).err();
        let error = error.unwrap_or_else(|| Diagnostic::error(format!("`{name}` is not a register"), span));
        return Err(error.note(format!("the location `{name}` is written [{name}]")));
    }
    let number = tokens.integer("a register, a number or a memory cell")?;
    if tokens.is("(") {
        return att_cell(machine, tokens, number).map(Operand::Memory);
    }
    Ok(Operand::Number(number))
}

fn register(machine: Machine, tokens: &mut Tokens<'_>) -> Result<Register, Diagnostic> {
    tokens.accept("%");
    let (name, span) = tokens.word("a register")?;
    Register::named(machine, name, span)
}

/// A location or a register that holds an address.
fn base(machine: Machine, tokens: &mut Tokens<'_>) -> Result<Base, Diagnostic> {
    if tokens.is("%") {
        return register(machine, tokens).map(Base::Register);
    }
    let (name, span) = tokens.word("a location or a register")?;
    match Register::find(machine, name) {
        Some(register) => Ok(Base::Register(register)),
        None if machine == Machine::X86_64 && Register::is_foreign(name) => {
            Err(Unsupported::new(format!("the register `{name}`"), Some(span)).into())
        }
        None => Ok(Base::Location(name.to_string())),
    }
}

/// Reads `x]`, `x+4]`, `EAX-4]`.
fn intel_cell(machine: Machine, tokens: &mut Tokens<'_>) -> Result<Cell, Diagnostic> {
    let base = base(machine, tokens)?;
    let displacement = if tokens.accept("+") || tokens.is("-") { tokens.integer("a number of bytes")? } else { 0 };
    tokens.expect("]")?;
    Ok(Cell { base, index: None, displacement })
}

/// Reads `(x)`, `(%rax)`, `(%rax,%rbx,8)` behind its displacement.
fn att_cell(machine: Machine, tokens: &mut Tokens<'_>, displacement: i64) -> Result<Cell, Diagnostic> {
    tokens.expect("(")?;
    let base = base(machine, tokens)?;
    let mut index = None;
    if tokens.accept(",") {
        let register = register(machine, tokens)?;
        let scale = if tokens.accept(",") { tokens.integer("a factor")? } else { 1 };
        index = Some((register, scale));
    }
    tokens.expect(")")?;
    Ok(Cell { base, index, displacement })
}
