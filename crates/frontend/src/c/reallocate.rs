//! `realloc`: a new block that gets what both have room for, and the old one is freed. The size of a block is kept in a cell before its
//! first byte, which no access of the program reaches; only where something asks for sizes.

use lang_c::ast::Expression;
use lang_c::span::Node;
use program::{Access, InstructionKind, Operand, Operator, Value};

use super::lower::{Bytes, Lowered, Lowering, Typed};
use super::types::Type;

/// The functions that ask how large a block is.
const ASKING: &[&str] = &["realloc", "reallocarray", "malloc_usable_size"];

/// Where the size of a block is kept.
const BEFORE: i64 = -16;

impl Lowering<'_> {
    /// Keeps the size of a block, if something asks for it.
    pub fn keep_size(&mut self, block: &Operand, size: Operand) {
        if ASKING.iter().any(|name| self.uses.called.contains(*name)) {
            let address = self.size_cell(block.clone());
            self.code.emit(InstructionKind::Store { address, value: size, access: Access::plain() }, self.here);
        }
    }

    fn size_cell(&mut self, block: Operand) -> Operand {
        let distance = Operand::Constant(Value::int(BEFORE, 64));
        self.code.compute(Operator::Step(1), vec![block, distance], self.here)
    }

    fn kept_size(&mut self, block: Operand) -> Operand {
        let (address, target) = (self.size_cell(block), self.code.temporary());
        self.code.emit(InstructionKind::Load { target, address, access: Access::plain() }, self.here);
        Operand::Register(target)
    }

    /// How many bytes a block has.
    pub fn usable_size(&mut self, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 1, "malloc_usable_size", at)?;
        let block = self.value(&arguments[0])?;
        Ok(Typed { operand: self.kept_size(block.operand), of: Type::size() })
    }

    /// Memory of another size with what the old one held; `of` is what it is used as.
    pub fn reallocation(&mut self, name: &str, arguments: &[Node<Expression>], of: &Type, at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, if name == "realloc" { 2 } else { 3 }, name, at)?;
        let old = self.value(&arguments[0])?;
        let of = old.of.pointee().filter(|held| !held.is_void()).unwrap_or(of).clone();
        let (fresh, size) = self.allocated("malloc", &arguments[1..], &of, at)?;
        if old.known().is_some_and(|old| !old.is_true()) {
            return Ok(fresh);
        }
        let (copying, behind) = (self.code.block(None), self.code.block(None));
        let branch = self.branch_to(old.operand.clone(), copying, behind, Some(behind));
        self.code.end_and_go_on(branch, copying);
        let kept = self.kept_size(old.operand.clone());
        let is_less = self.code.compute(Operator::LtUnsigned, vec![kept.clone(), size.clone()], self.here);
        let least = self.code.compute(Operator::Select, vec![is_less, kept, size], self.here);
        self.copy_bytes(&fresh, &old, least, at)?;
        self.code.emit(InstructionKind::Free { address: old.operand }, self.here);
        self.code.continue_in(behind);
        Ok(fresh)
    }
}
