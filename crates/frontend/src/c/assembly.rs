//! Inline assembly, as far as it is empty, a hint, or a fence of x86.
//!
//! | instruction | meaning |
//! |---|---|
//! | none, `nop`, `pause`, `rep; nop` | nothing: what keeps only the compiler in order is a fence for one thread |
//! | `mfence`, `lock; addl $0, (%rsp)` and its kind | a seq_cst fence |
//! | `lfence` | an acquire fence |
//! | `sfence` | a release fence |
//!
//! Operands of what does nothing keep their values: `"+r"(x)`, and `"=r"(x) : "0"(y)`, which is `x = y`.

use lang_c::ast::{AsmStatement, Expression, GnuAsmOperand};
use lang_c::span::Node;
use program::{Access, InstructionKind, Order};

use super::lower::{Bytes, Lowered, Lowering, Typed};

/// What an instruction means.
enum Meaning {
    Nothing,
    Fence(Order),
}

impl Lowering<'_> {
    /// An `asm` statement.
    pub fn assembly(&mut self, statement: &AsmStatement, at: Bytes) -> Lowered<()> {
        match statement {
            AsmStatement::GnuBasic(template) => self.instructions(&template.node, at),
            AsmStatement::GnuExtended(extended) => {
                for operand in &extended.inputs {
                    self.input(operand)?;
                }
                for operand in &extended.outputs {
                    self.output(operand, &extended.outputs, &extended.inputs)?;
                }
                self.instructions(&extended.template.node, at)
            }
        }
    }

    /// `asm("...")`, which the parser takes for a call.
    pub fn assembly_call(&mut self, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        match arguments {
            [Node { node: Expression::StringLiteral(template), .. }] => self.instructions(&template.node, at)?,
            _ => return Err(self.unsupported("inline assembly", at)),
        }
        Ok(Typed::void())
    }

    fn instructions(&mut self, template: &[String], at: Bytes) -> Lowered<()> {
        let text = String::from_utf8_lossy(&self.string_bytes(template, at)?).into_owned();
        for instruction in instructions(&text) {
            match meaning(&instruction) {
                Some(Meaning::Nothing) => {}
                Some(Meaning::Fence(order)) => {
                    self.code.emit(InstructionKind::Fence { access: Access::ordered(order) }, self.here);
                }
                None => {
                    let note = "use C11 atomics, or GCC's __atomic builtins";
                    return Err(self.unsupported(format!("the inline assembly `{instruction}`"), at).note(note));
                }
            }
        }
        Ok(())
    }

    /// Operands in memory are only named; others are evaluated.
    fn input(&mut self, operand: &Node<GnuAsmOperand>) -> Lowered<()> {
        if self.constraints(operand)?.contains('m') {
            return self.place(&operand.node.variable_name).map(|_| ());
        }
        self.value(&operand.node.variable_name).map(|_| ())
    }

    /// An operand that is read and written keeps its value; one that is written gets that of the input that stands for it.
    fn output(
        &mut self,
        operand: &Node<GnuAsmOperand>,
        outputs: &[Node<GnuAsmOperand>],
        inputs: &[Node<GnuAsmOperand>],
    ) -> Lowered<()> {
        if self.constraints(operand)?.starts_with('+') {
            return self.place(&operand.node.variable_name).map(|_| ());
        }
        let number = outputs.iter().position(|other| other == operand).map(|number| number.to_string());
        for input in inputs {
            if Some(self.constraints(input)?) == number {
                let place = self.place(&operand.node.variable_name)?;
                let value = self.value(&input.node.variable_name)?;
                return self.store(&place, value, operand.span).map(|_| ());
            }
        }
        Err(self.unsupported("inline assembly that gives a value", operand.span))
    }

    fn constraints(&self, operand: &Node<GnuAsmOperand>) -> Lowered<String> {
        let bytes = self.string_bytes(&operand.node.constraints.node, operand.span)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The instructions of a template, each on its own with its prefix, in small letters and single blanks.
fn instructions(template: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut prefix = None;
    for part in template.split(['\n', ';']) {
        let part = part.split('#').next().unwrap_or_default().replace("%%", "%").to_ascii_lowercase();
        let words: Vec<&str> = part.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [only @ ("lock" | "rep")] => prefix = Some(only.to_string()),
            words => found.push(prefix.take().into_iter().chain([words.join(" ")]).collect::<Vec<_>>().join(" ")),
        }
    }
    found.extend(prefix);
    found
}

fn meaning(instruction: &str) -> Option<Meaning> {
    Some(match instruction {
        "nop" | "pause" | "rep nop" => Meaning::Nothing,
        "mfence" => Meaning::Fence(Order::SeqCst),
        "lfence" => Meaning::Fence(Order::Acquire),
        "sfence" => Meaning::Fence(Order::Release),
        _ if is_locked_nothing(instruction) => Meaning::Fence(Order::SeqCst),
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
