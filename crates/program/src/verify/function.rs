//! The rules about the code of one function, but for atomic blocks.

use std::collections::HashSet;

use super::{Law, count};
use crate::flow::Flow;
use crate::ir::{BlockId, Function, FunctionId, InstructionKind, RegisterId, Terminator, Update};
use crate::operator::Operator;
use crate::source::Span;

impl<'a> Law<'a> {
    pub(super) fn function(&mut self, function: &'a Function) {
        let before = self.breaches.len();
        self.distinct(&function.parameters, "parameters", function.span);
        for parameter in &function.parameters {
            self.register(function, *parameter, function.span);
        }
        if function.blocks.is_empty() {
            self.breach(5, format!("function `{}` has no blocks", function.name), function.span);
        }
        for block in &function.blocks {
            for instruction in &block.instructions {
                self.instruction(function, &instruction.kind, instruction.span);
            }
            let span = block.instructions.last().and_then(|i| i.span).or(block.span).or(function.span);
            self.terminator(function, &block.terminator, span);
        }
        if self.breaches.len() == before {
            let flow = Flow::of(function);
            self.reducible(function, &flow);
            self.balanced(function, &flow);
        }
    }

    fn instruction(&mut self, function: &'a Function, kind: &'a InstructionKind, span: Option<Span>) {
        let targets = kind.targets();
        self.distinct(&targets, "targets", span);
        for target in targets {
            self.register(function, target, span);
        }
        for operand in kind.operands() {
            self.operand(function, operand, span);
        }
        match kind {
            InstructionKind::Assign { operator, operands, .. } => {
                self.operator(operator, operator.arity(), operands.len(), span);
            }
            InstructionKind::ReadModifyWrite { update, access, .. } => {
                self.access(access, span);
                if let Update::Apply(operator, _) = update {
                    self.operator(operator, operator.arity(), 2, span);
                }
            }
            InstructionKind::Load { access, .. } | InstructionKind::Store { access, .. } => self.access(access, span),
            InstructionKind::Allocate { default, extent, .. } => {
                self.value(default, span);
                extent.iter().for_each(|extent| self.extent(extent, span));
            }
            InstructionKind::Call { function, arguments, targets } => {
                self.call(*function, arguments.len(), Some(targets.len()), 7, span);
            }
            InstructionKind::Spawn { function, arguments, .. } => self.call(*function, arguments.len(), None, 7, span),
            InstructionKind::CallVirtual { table, arguments, targets } => {
                let mut classes = HashSet::new();
                for (class, function) in table {
                    if !classes.insert(class) {
                        self.breach(8, format!("a virtual call lists the class `{class}` twice"), span);
                    }
                    self.call(*function, arguments.len(), Some(targets.len()), 8, span);
                }
                if table.is_empty() {
                    self.breach(8, "a virtual call lists no class", span);
                }
                if arguments.is_empty() {
                    self.breach(8, "a virtual call has no receiver", span);
                }
            }
            InstructionKind::Choose { low, high, width, .. } => self.choose(*low, *high, *width, span),
            _ => {}
        }
    }

    fn operator(&mut self, operator: &'a Operator, arity: usize, operands: usize, span: Option<Span>) {
        if arity != operands {
            let message = format!("`{operator}` takes {}, but gets {operands}", count(arity, "operand"));
            self.breach(6, message, span);
        }
        match operator {
            Operator::Resize { width, .. } => self.width(*width, span),
            Operator::Make(tag, fields) => self.composite(tag, usize::from(*fields), span),
            _ => {}
        }
    }

    fn width(&mut self, width: u8, span: Option<Span>) {
        if !(1..=64).contains(&width) {
            self.breach(10, format!("a width of {width} bits is not in 1 to 64"), span);
        }
    }

    fn choose(&mut self, low: i64, high: i64, width: u8, span: Option<Span>) {
        if !(1..=64).contains(&width) {
            return self.width(width, span);
        }
        let (low_wide, high_wide, half) = (i128::from(low), i128::from(high), 1i128 << (width - 1));
        let signed = low_wide >= -half && high_wide < half;
        let unsigned = low_wide >= 0 && high_wide < 2 * half;
        if low > high {
            self.breach(11, format!("nothing to choose from {low} to {high}"), span);
        } else if !signed && !unsigned {
            self.breach(11, format!("{low} to {high} are not integers of {width} bits"), span);
        }
    }

    fn call(&mut self, id: FunctionId, arguments: usize, targets: Option<usize>, rule: u8, span: Option<Span>) {
        let Some(callee) = self.callee(id, "a call", span) else {
            return;
        };
        self.arguments(callee, arguments, "a call", rule, span);
        if let Some(targets) = targets.filter(|&targets| targets != callee.results) {
            let takes = count(targets, "result");
            let message = format!("a call takes {takes}, but `{}` gives {}", callee.name, callee.results);
            self.breach(rule, message, span);
        }
    }

    fn distinct(&mut self, registers: &[RegisterId], what: &str, span: Option<Span>) {
        let mut seen = HashSet::new();
        if !registers.iter().all(|register| seen.insert(register)) {
            self.breach(9, format!("a register stands twice among the {what}"), span);
        }
    }

    fn terminator(&mut self, function: &'a Function, terminator: &'a Terminator, span: Option<Span>) {
        let (join, span) = match terminator {
            Terminator::Branch { join, span: own, .. } => (*join, own.or(span)),
            _ => (None, span),
        };
        for operand in terminator.operands() {
            self.operand(function, operand, span);
        }
        for block in terminator.successors().into_iter().chain(join) {
            self.block(function, block, span);
        }
        match terminator {
            Terminator::Return(values) if values.len() != function.results => {
                let gives = count(values.len(), "value");
                let message = format!("a return gives {gives}, but `{}` gives {}", function.name, function.results);
                self.breach(7, message, span);
            }
            _ => {}
        }
    }

    fn block(&mut self, function: &Function, block: BlockId, span: Option<Span>) {
        if block.0 as usize >= function.blocks.len() {
            self.breach(1, format!("function `{}` has no block {}", function.name, block.0), span);
        }
    }

    /// A function is reducible if and only if every retreating edge of one depth-first search leads to a dominator.
    fn reducible(&mut self, function: &Function, flow: &Flow) {
        for &(from, to) in flow.retreating() {
            if !flow.dominates(to, from) {
                let message = format!(
                    "irreducible control flow in `{}`: the cycle through b{} and b{} can be entered at more than one block",
                    function.name, to.0, from.0
                );
                self.breach(13, message, function[to].span.or(function.span));
            }
        }
    }

    /// The field numbers of `get` and `set`, once the number of fields of every tag is known.
    pub(super) fn field_numbers(&mut self) {
        let blocks = self.program.functions.iter().flat_map(|function| &function.blocks);
        for instruction in blocks.flat_map(|block| &block.instructions) {
            let operator = match &instruction.kind {
                InstructionKind::Assign { operator, .. } => operator,
                InstructionKind::ReadModifyWrite { update: Update::Apply(operator, _), .. } => operator,
                _ => continue,
            };
            let (Operator::Get(tag, field) | Operator::Set(tag, field)) = operator else {
                continue;
            };
            let fields = self.fields.get(&**tag).copied();
            if let Some(fields) = fields.filter(|&fields| usize::from(*field) >= fields) {
                let message = format!("field {field} of a composite `{tag}`, which has {}", count(fields, "field"));
                self.breach(12, message, instruction.span);
            }
        }
    }
}
