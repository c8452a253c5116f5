//! Inline assembly: hints, fences, and the accesses of memory of x86 that atomic operations are written with.
//!
//! | instruction | meaning |
//! |---|---|
//! | none, `nop`, `pause`, `rep; nop`, `prefetch...` | nothing: what keeps only the compiler in order is a fence for one thread |
//! | `mfence`, `lock; addl $0, (%rsp)` and its kind | a seq_cst fence |
//! | `lfence`, `sfence` | an acquire fence, a release fence |
//! | `mov` | an acquire load, a release store |
//! | `xchg`, `lock xadd`, `lock cmpxchg`, `lock add`, `lock inc`, `lock bts` and their kind | a seq_cst read-modify-write between seq_cst fences |
//! | `lock cmpxchg16b` | the same of two words, in an atomic block |
//! | `setz` and its kind | a flag |
//! | `ud2` | the end of the program |
//!
//! These orders are what x86 gives; a statement that does not clobber `memory` lets the compiler move other accesses, so that
//! its own are relaxed. On tso and pso the orders of loads and stores change nothing.

mod machine;
mod template;

use lang_c::ast::{AsmStatement, Expression, GnuAsmOperand, GnuExtendedAsmStatement};
use lang_c::span::Node;
use program::{Access, InstructionKind, Order};

use super::lower::{Bytes, Lowered, Lowering, Typed};
use super::place::Place;
use super::types::Type;
use machine::{Machine, Slot};
use template::{Instruction, instructions};

/// What an instruction without operands means.
enum Meaning {
    Nothing,
    Fence(Order),
    Trap,
}

impl Lowering<'_> {
    /// An `asm` statement.
    pub fn assembly(&mut self, statement: &AsmStatement, at: Bytes) -> Lowered<()> {
        match statement {
            AsmStatement::GnuBasic(template) => self.run_assembly(&template.node, &mut Machine::default(), at),
            AsmStatement::GnuExtended(extended) => {
                let mut machine = self.machine(extended)?;
                self.run_assembly(&extended.template.node, &mut machine, at)?;
                self.give_results(&machine, at)
            }
        }
    }

    /// `asm("...")`, which the parser takes for a call.
    pub fn assembly_call(&mut self, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        match arguments {
            [Node { node: Expression::StringLiteral(template), .. }] => {
                self.run_assembly(&template.node, &mut Machine::default(), at)?;
            }
            _ => return Err(self.unsupported("inline assembly", at)),
        }
        Ok(Typed::void())
    }

    fn run_assembly(&mut self, template: &[String], machine: &mut Machine, at: Bytes) -> Lowered<()> {
        let text = String::from_utf8_lossy(&self.string_bytes(template, at)?).into_owned();
        for instruction in instructions(&text) {
            match meaning(&instruction) {
                Some(Meaning::Nothing) => {}
                Some(Meaning::Fence(order)) => {
                    self.code.emit(InstructionKind::Fence { access: Access::ordered(order) }, self.here);
                }
                Some(Meaning::Trap) => _ = self.failure("ud2"),
                None => self.execute(machine, &instruction, at)?,
            }
        }
        Ok(())
    }

    /// The state before the first instruction: where operands are, and what those hold that are read.
    fn machine(&mut self, statement: &GnuExtendedAsmStatement) -> Lowered<Machine> {
        let mut machine = Machine::default();
        for clobber in &statement.clobbers {
            machine.is_ordered |= self.string_bytes(&clobber.node, clobber.span)? == b"memory";
        }
        for operand in &statement.outputs {
            self.output(&mut machine, operand)?;
        }
        for operand in &statement.inputs {
            self.input(&mut machine, operand)?;
        }
        Ok(machine)
    }

    /// Memory is only named; another operand keeps its value until it is written, if it is one that is read too.
    fn output(&mut self, machine: &mut Machine, operand: &Node<GnuAsmOperand>) -> Lowered<()> {
        let constraints = self.constraints(operand)?;
        let place = self.place(&operand.node.variable_name)?;
        let is_read = constraints.starts_with('+');
        let letters = constraints.trim_start_matches(['+', '=', '&']);
        if let Some(flag) = letters.strip_prefix("@cc") {
            machine.add(name(operand), Slot::Flag(flag.to_string()), place.of().clone());
            machine.results.push((Slot::Flag(flag.to_string()), place));
            return Ok(());
        }
        let is_memory = letters.contains(['m', 'o']) && !letters.contains(['r', 'q', 'g', 'a', 'b', 'c', 'd']);
        if let (Place::Memory(address, of), true) = (&place, is_memory) {
            machine.add(name(operand), Slot::Memory(address.clone()), of.clone());
            return Ok(());
        }
        let slot = machine.slot(letters);
        machine.add(name(operand), slot.clone(), place.of().clone());
        if is_read {
            let value = self.load(place.clone());
            machine.set(&slot, value);
        }
        machine.results.push((slot, place));
        Ok(())
    }

    fn input(&mut self, machine: &mut Machine, operand: &Node<GnuAsmOperand>) -> Lowered<()> {
        let constraints = self.constraints(operand)?;
        let expression = &operand.node.variable_name;
        let is_memory = constraints.contains(['m', 'o']) && !constraints.contains(['r', 'q', 'g', 'i', 'n']);
        if is_memory {
            let place = self.place(expression)?;
            let of = place.of().clone();
            let slot = match place {
                Place::Memory(address, _) => Slot::Memory(address),
                Place::Register(..) | Place::Bits(..) => {
                    let slot = machine.slot("");
                    let value = self.load(place);
                    machine.set(&slot, value);
                    slot
                }
            };
            machine.add(name(operand), slot, of);
            return Ok(());
        }
        let value = self.value(expression)?;
        let slot = match constraints.parse::<usize>().ok().and_then(|number| machine.numbered(number)) {
            Some(slot) => slot,
            None => machine.slot(&constraints),
        };
        machine.add(name(operand), slot.clone(), value.of.clone());
        machine.set(&slot, value);
        Ok(())
    }

    /// Writes the results to their places.
    fn give_results(&mut self, machine: &Machine, at: Bytes) -> Lowered<()> {
        for (slot, place) in &machine.results {
            let Some(value) = self.read_slot(machine, slot, place.of().width().unwrap_or(64), at)? else {
                return Err(self.unsupported("inline assembly that gives a value", at));
            };
            // A value keeps its bits; whether it is a pointer only the place says.
            let of = match place.of().as_integer() {
                Some(integer) if integer.boolean => Type::integer(8, false),
                _ => place.of().unqualified(),
            };
            self.store(place, Typed { operand: value, of }, at)?;
        }
        Ok(())
    }

    fn constraints(&self, operand: &Node<GnuAsmOperand>) -> Lowered<String> {
        let bytes = self.string_bytes(&operand.node.constraints.node, operand.span)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn name(operand: &Node<GnuAsmOperand>) -> Option<String> {
    operand.node.symbolic_name.as_ref().map(|name| name.node.name.to_ascii_lowercase())
}

fn meaning(instruction: &Instruction) -> Option<Meaning> {
    Some(match instruction.text.as_str() {
        "nop" | "pause" | "rep nop" => Meaning::Nothing,
        text if text.starts_with("prefetch") => Meaning::Nothing,
        "mfence" => Meaning::Fence(Order::SeqCst),
        "lfence" => Meaning::Fence(Order::Acquire),
        "sfence" => Meaning::Fence(Order::Release),
        "ud2" => Meaning::Trap,
        text if is_locked_nothing(text) => Meaning::Fence(Order::SeqCst),
        _ => return None,
    })
}

/// A locked instruction that adds nothing to a word of the stack: a fence that is faster than `mfence`.
fn is_locked_nothing(instruction: &str) -> bool {
    let rest = instruction.strip_prefix("lock ").map(|rest| rest.replace(' ', ""));
    let rest = rest.as_deref().and_then(|rest| rest.strip_prefix("add").or(rest.strip_prefix("or")));
    let rest = rest.and_then(|rest| rest.trim_start_matches(['l', 'q', 'b', 'w']).strip_prefix("$0,"));
    rest.is_some_and(|place| place.ends_with("(%rsp)") || place.ends_with("(%esp)"))
}
