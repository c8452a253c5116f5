//! Functions that the tool knows: the `lsl_` library of the CheckFence thesis (appendix B.1), memory, assertions, and
//! what a program may call without effect.

use lang_c::ast::{self, Expression};
use lang_c::span::Node;
use program::{Access, AssertSort, Extent, InstructionKind, Operand, Operator, Storage, Terminator, Value};

use super::expression::truth;
use super::harness::undefined;
use super::ignored::IGNORED;
use super::lower::{Bytes, Lowered, Lowering, Typed};
use super::place::Place;
use super::types::Type;

/// The kinds of fences, and the set of the memory models that each belongs to.
const FENCES: &[(&str, &str)] = &[
    ("load-load", "LL"),
    ("load-store", "LS"),
    ("store-load", "SL"),
    ("store-store", "SS"),
    ("aliased-loads", "AL"),
    ("data-dependent-loads", "DDL"),
    ("control-dependent", "CD"),
];

/// The functions that allocate memory.
const ALLOCATORS: &[&str] = &["malloc", "calloc", "realloc", "reallocarray", "lsl_malloc", "lsl_malloc_noreuse"];

/// The number of the system call `futex` on x86.
const SYS_FUTEX: i64 = 202;

impl Lowering<'_> {
    /// A call of a known function; `None` if the name is not known.
    pub fn library_call(&mut self, name: &str, call: &ast::CallExpression, at: Bytes) -> Option<Lowered<Typed>> {
        let arguments = call.arguments.as_slice();
        if let Some(done) = self.atomic_call(name, arguments, at) {
            return Some(done);
        }
        if let Some(done) = self.memory_call(name, arguments, at) {
            return Some(done);
        }
        if let Some(done) = self.builtin_call(name, arguments, at) {
            return Some(done);
        }
        if let Some(done) = self.variadic_call(name, arguments, at) {
            return Some(done);
        }
        if let Some(done) = self.thread_call(name, arguments, at) {
            return Some(done);
        }
        Some(match name {
            _ if ALLOCATORS.contains(&name) => self.allocation(name, arguments, &Type::void(), at),
            "malloc_usable_size" => self.usable_size(arguments, at),
            "aligned_alloc" | "memalign" => self.aligned_allocation(arguments, at),
            "alloca" | "__builtin_alloca" => self.stack_allocation(arguments, at),
            "lsl_free" => self.free(arguments, false, at),
            "free" => self.free(arguments, true, at),
            "lsl_free_noreuse" => self.exactly(arguments, 1, name, at).and_then(|()| self.evaluate(arguments)),
            "lsl_assert" | "assert" | "__VERIFIER_assert" => self.assertion(name, arguments, at),
            "lsl_assume" | "__VERIFIER_assume" | "assume_abort_if_not" => self.assumption(name, arguments, at),
            "abort" | "__builtin_abort" | "__builtin_trap" | "reach_error" | "__VERIFIER_error" | "__assert_fail" => {
                Ok(self.failure(name))
            }
            "exit" | "_Exit" | "_exit" | "quick_exit" => self.exit(name, arguments, at),
            "lsl_nondet" => self.nondet(arguments, at),
            "rand" => self.exactly(arguments, 0, name, at).map(|()| self.choose(0, i64::from(i32::MAX))),
            "lsl_choose" => self.exactly(arguments, 0, name, at).map(|()| self.choose(0, 1)),
            "lsl_observe_input" | "lsl_observe_output" => self.observe(name, arguments, at),
            "lsl_fence" => self.fence(arguments, at),
            "lsl_cas_32" | "lsl_cas_64" | "lsl_cas_ptr" => self.cas(name, arguments, 1, at),
            "lsl_dcas_32" | "lsl_dcas_64" | "lsl_dcas_ptr" => self.cas(name, arguments, 2, at),
            "__VERIFIER_atomic_begin" => {
                self.begin_section(self.is_built_in(at));
                Ok(Typed::void())
            }
            "__VERIFIER_atomic_end" => {
                self.end_section(self.is_built_in(at));
                Ok(Typed::void())
            }
            "__palisade_await" => self.exactly(arguments, 1, name, at).and_then(|()| {
                let condition = self.value(&arguments[0])?.operand;
                self.code.emit(InstructionKind::Await { condition }, self.here);
                Ok(Typed::void())
            }),
            "__builtin_expect" | "__builtin_expect_with_probability" => self.expect(name, arguments, at),
            "lsl_get_thread_id" | "lsl_get_number_threads" => {
                self.exactly(arguments, 0, name, at).and_then(|()| self.number_in_test(name, at))
            }
            "lsl_atomic_begin" | "lsl_atomic_end" => self.exactly(arguments, 0, name, at).map(|()| {
                let is_begin = name == "lsl_atomic_begin";
                let kind = if is_begin { InstructionKind::AtomicBegin } else { InstructionKind::AtomicEnd };
                self.code.emit(kind, self.here);
                Typed::void()
            }),
            "lsl_commit" => self.exactly(arguments, 0, name, at).map(|()| {
                let access = Access::plain().tagged(Access::COMMIT);
                self.code.emit(InstructionKind::Fence { access }, self.here);
                Typed::void()
            }),
            "asm" | "__asm" | "__asm__" => self.assembly_call(arguments, at),
            "syscall" => self.system_call(arguments, at),
            _ if name.starts_with("__VERIFIER_nondet_") => self.any_number(name, arguments, at),
            _ if IGNORED.contains(&name) => self.evaluate(arguments),
            _ => return None,
        })
    }

    /// Evaluates arguments for their effects. Strings have none.
    fn evaluate(&mut self, arguments: &[Node<Expression>]) -> Lowered<Typed> {
        for argument in arguments.iter().filter(|argument| !matches!(argument.node, Expression::StringLiteral(_))) {
            if let Expression::Identifier(name) = &argument.node
                && self.find(&name.node.name).is_none()
            {
                // `stderr` and the like.
                continue;
            }
            self.value(argument)?;
        }
        Ok(Typed::int(0))
    }

    /// Requires a number of arguments.
    pub fn exactly(&self, arguments: &[Node<Expression>], count: usize, name: &str, at: Bytes) -> Lowered<()> {
        if arguments.len() == count {
            return Ok(());
        }
        Err(self.error(format!("`{name}` takes {count} arguments, here are {}", arguments.len()), at))
    }

    /// The value of an expression that becomes one of type `to`: memory is named after the type that it is used as.
    pub fn value_for(&mut self, to: &Type, expression: &Node<Expression>) -> Lowered<Typed> {
        if let Expression::Call(call) = &expression.node
            && let Expression::Identifier(name) = &call.node.callee.node
            && ALLOCATORS.contains(&name.node.name.as_str())
            && self.functions.get(&name.node.name).is_none_or(|declared| declared.id.is_none())
            && let Some(pointee) = to.pointee()
        {
            let before = self.here;
            self.here = self.span(expression.span);
            let pointee = pointee.clone();
            let done = self.allocation(&name.node.name, &call.node.arguments, &pointee, expression.span);
            self.here = before;
            return done;
        }
        self.value(expression)
    }

    /// Memory from the heap.
    fn allocation(&mut self, name: &str, arguments: &[Node<Expression>], of: &Type, at: Bytes) -> Lowered<Typed> {
        if matches!(name, "realloc" | "reallocarray") {
            return self.reallocation(name, arguments, of, at);
        }
        self.exactly(arguments, if name == "calloc" { 2 } else { 1 }, name, at)?;
        self.allocated(name, arguments, of, at).map(|(block, _)| block)
    }

    /// Memory of a product of sizes, and how many bytes that is.
    pub fn allocated(
        &mut self,
        name: &str,
        arguments: &[Node<Expression>],
        of: &Type,
        at: Bytes,
    ) -> Lowered<(Typed, Operand)> {
        let calloc = name == "calloc";
        let of = match self.size_argument(arguments) {
            Some(named) if of.is_void() => self.type_name(named)?,
            _ => of.clone(),
        };
        let mut sizes = Vec::new();
        for argument in arguments {
            sizes.push(self.value(argument)?);
        }
        let zero = if calloc { self.zero_of_cells(&of, at)? } else { Some(Value::Undefined) };
        let shown = if of.is_void() { name.to_string() } else { self.records.name(&of) };
        let (target, reuse) = (self.code.temporary(), name != "lsl_malloc_noreuse");
        let shown = shown.strip_prefix("struct ").unwrap_or(&shown);
        let default = zero.clone().unwrap_or(Value::Undefined);
        let storage = if name.starts_with("lsl_") { Storage::Pool } else { Storage::Heap };
        let extent = self.heap_extent(&sizes, storage, at)?;
        let size = extent.size.clone();
        let extent = Some(extent);
        self.code.emit(InstructionKind::Allocate { target, default, name: shown.into(), reuse, extent }, self.here);
        let block = Typed { operand: Operand::Register(target), of: of.clone().pointer() };
        self.keep_size(&block.operand, size.clone());
        // A block that was freed before still holds what it held.
        let may_be_used = calloc && ["free", "lsl_free"].iter().any(|name| self.uses.called.contains(*name));
        if zero.is_none() || may_be_used {
            self.zero_block(block.clone(), &of, size.clone(), at)?;
        }
        Ok((block, size))
    }

    /// Memory whose address is a multiple of the first argument, which must be known.
    fn aligned_allocation(&mut self, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 2, "aligned_alloc", at)?;
        self.constant_integer(&arguments[0])?;
        self.allocation("malloc", &arguments[1..], &Type::void(), at)
    }

    /// How a block of a product of sizes lies in memory.
    fn heap_extent(&mut self, sizes: &[Typed], storage: Storage, at: Bytes) -> Lowered<Extent> {
        let mut product: Option<Operand> = None;
        for size in sizes {
            let size = self.convert(size.clone(), &Type::size(), at)?.operand;
            product = Some(match product {
                Some(product) => self.code.compute(Operator::Mul, vec![product, size], self.here),
                None => size,
            });
        }
        let size = product.unwrap_or(Operand::Constant(Value::int(0, 64)));
        Ok(Extent { size, align: 16, storage })
    }

    /// The type in `sizeof(T)`, alone or in a product.
    fn size_argument<'e>(&self, arguments: &'e [Node<Expression>]) -> Option<&'e Node<ast::TypeName>> {
        arguments.iter().find_map(|argument| match &argument.node {
            Expression::SizeOfTy(of) => Some(&of.node.0),
            Expression::BinaryOperator(binary) if binary.node.operator.node == ast::BinaryOperator::Multiply => {
                let sides = [&*binary.node.lhs, &*binary.node.rhs];
                sides.into_iter().find_map(|side| match &side.node {
                    Expression::SizeOfTy(of) => Some(&of.node.0),
                    _ => None,
                })
            }
            _ => None,
        })
    }

    /// The zero that all cells of zeroed memory start with, if it is one.
    fn zero_of_cells(&self, of: &Type, at: Bytes) -> Lowered<Option<Value>> {
        match of.zero() {
            Some(zero) => Ok(Some(zero)),
            None if of.is_void() => {
                let note = "assign it to a pointer of the type, or write sizeof(type)";
                Err(self.unsupported("zeroed memory of unknown type", at).note(note))
            }
            None => self.one_zero(of, at),
        }
    }

    fn free(&mut self, arguments: &[Node<Expression>], null_is_fine: bool, at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 1, "free", at)?;
        let pointer = self.value(&arguments[0])?;
        let pointer = self.convert(pointer, &Type::void().pointer(), arguments[0].span)?;
        if null_is_fine && truth(&pointer) == Some(false) {
            return Ok(Typed::void());
        }
        let behind = self.code.block(None);
        if null_is_fine {
            let freeing = self.code.block(None);
            let branch = self.branch_to(pointer.operand.clone(), freeing, behind, Some(behind));
            self.code.end_and_go_on(branch, freeing);
        }
        self.code.emit(InstructionKind::Free { address: pointer.operand }, self.here);
        self.code.continue_in(behind);
        Ok(Typed::void())
    }

    fn assertion(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 1, name, at)?;
        let value = self.value(&arguments[0])?;
        let value = self.as_condition(value, arguments[0].span)?;
        let message = self.words(arguments[0].span).into();
        self.code.emit(
            InstructionKind::Assert { condition: value.operand, message, sort: AssertSort::Assertion, text: None },
            self.here,
        );
        Ok(Typed::void())
    }

    fn assumption(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 1, name, at)?;
        let value = self.value(&arguments[0])?;
        let value = self.as_condition(value, arguments[0].span)?;
        self.code.emit(InstructionKind::Assume { condition: value.operand }, self.here);
        Ok(Typed::void())
    }

    /// An assertion that fails. What follows it does not matter any more.
    pub fn failure(&mut self, name: &str) -> Typed {
        let condition = Operand::Constant(Value::int(0, 32));
        let sort = match name {
            "reach_error" | "__VERIFIER_error" | "__assert_fail" => AssertSort::Assertion,
            _ => AssertSort::Exit,
        };
        let kind = InstructionKind::claim(sort, condition, format!("{name}()"));
        self.code.emit(kind, self.here);
        Typed::void()
    }

    /// Ends the program: a return from `main`. In another function only to say that something is wrong.
    fn exit(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 1, name, at)?;
        let status = self.value(&arguments[0])?;
        let result = self.frame.result.clone();
        if self.frame.name != "main" || self.uses.called.contains("main") || result.is_void() {
            if status.known().is_some_and(|status| status.is_true()) {
                return Ok(self.failure(name));
            }
            let note = "return from main, or say that something is wrong with abort or assert";
            return Err(self.unsupported(format!("`{name}` in another function than main"), at).note(note));
        }
        let status = self.convert(status, &result, at)?;
        self.code.end(Terminator::Return(vec![status.operand]));
        Ok(Typed::void())
    }

    fn nondet(&mut self, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 2, "lsl_nondet", at)?;
        let low = self.constant_integer(&arguments[0])?;
        let high = self.constant_integer(&arguments[1])?;
        if low > high || i32::try_from(low).is_err() || i32::try_from(high).is_err() {
            return Err(self.error("the range of `lsl_nondet` must be low to high, both of type int", at));
        }
        Ok(self.choose(low, high))
    }

    /// Any number of a type, as the verification competition names them.
    fn any_number(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 0, name, at)?;
        let of = match name.trim_start_matches("__VERIFIER_nondet_") {
            "bool" | "_Bool" => Type::boolean(),
            "char" | "schar" | "s8" | "int8_t" => Type::integer(8, true),
            "uchar" | "unsigned_char" | "u8" | "uint8_t" => Type::integer(8, false),
            "short" | "s16" | "int16_t" => Type::integer(16, true),
            "ushort" | "unsigned_short" | "u16" | "uint16_t" => Type::integer(16, false),
            "int" | "s32" | "int32_t" => Type::int(),
            "uint" | "unsigned" | "unsigned_int" | "u32" | "uint32_t" => Type::integer(32, false),
            "long" | "longlong" | "loff_t" | "ssize_t" | "s64" | "int64_t" => Type::integer(64, true),
            "ulong" | "ulonglong" | "unsigned_long" | "size_t" | "u64" | "uint64_t" => Type::size(),
            _ => return Err(self.unsupported(format!("`{name}`"), at)),
        };
        let width = of.width().unwrap_or(32);
        // Numbers of 64 bits are the same bits, signed or not.
        let is_signed = of.as_integer().is_some_and(|integer| integer.signed) || width == 64;
        let is_truth = of.as_integer().is_some_and(|integer| integer.boolean);
        let (low, high) = match () {
            () if is_truth => (0, 1),
            () if is_signed => (i64::MIN >> (64 - width), i64::MAX >> (64 - width)),
            () => (0, (1 << width) - 1),
        };
        let target = self.code.temporary();
        self.code.emit(InstructionKind::Choose { target, low, high, width }, self.here);
        Ok(Typed { operand: Operand::Register(target), of })
    }

    fn choose(&mut self, low: i64, high: i64) -> Typed {
        let target = self.code.temporary();
        self.code.emit(InstructionKind::Choose { target, low, high, width: 32 }, self.here);
        Typed { operand: Operand::Register(target), of: Type::int() }
    }

    fn observe(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 2, name, at)?;
        let label = self.text_argument(&arguments[0])?;
        let value = self.value(&arguments[1])?;
        if value.of.is_pointer() {
            let note = "show a number, so that executions can be compared";
            return Err(self.unsupported("a pointer that an operation shows", arguments[1].span).note(note));
        }
        // As the prototype says; so observations of different implementations can be compared.
        let value = self.convert(value, &Type::int(), arguments[1].span)?;
        let is_defined = self.code.compute(Operator::IsDefined, vec![value.operand.clone()], self.here);
        self.code.emit(InstructionKind::claim(AssertSort::Error, is_defined, undefined(&label)), self.here);
        self.code.emit(InstructionKind::Observe { label: label.into(), value: value.operand }, self.here);
        Ok(Typed::void())
    }

    /// An argument that must be a string.
    pub fn text_argument(&self, argument: &Node<Expression>) -> Lowered<String> {
        match &argument.node {
            Expression::StringLiteral(text) => {
                let bytes = self.string_bytes(&text.node, argument.span)?;
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
            _ => Err(self.error("a string in quotes is expected", argument.span)),
        }
    }

    fn fence(&mut self, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 1, "lsl_fence", at)?;
        let kind = self.text_argument(&arguments[0])?;
        match FENCES.iter().find(|(name, _)| *name == kind) {
            Some((_, set)) => {
                self.emit_fence(set);
                Ok(Typed::void())
            }
            None => {
                let known: Vec<&str> = FENCES.iter().map(|(name, _)| *name).collect();
                let error = self.error(format!("there is no fence \"{kind}\""), arguments[0].span);
                Err(error.note(format!("there are {}", known.join(", "))))
            }
        }
    }

    /// A fence of one of the sets of the memory models.
    pub fn emit_fence(&mut self, set: &str) {
        self.code.emit(InstructionKind::Fence { access: Access::plain().tagged(set) }, self.here);
    }

    /// Compares one or two cells with old values and, if all are equal, writes the new ones, in one atomic block.
    fn cas(&mut self, name: &str, arguments: &[Node<Expression>], count: usize, at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, 3 * count, name, at)?;
        let fallback = if name.ends_with("_32") { Type::integer(32, false) } else { Type::integer(64, false) };
        let fallback = if name.ends_with("_ptr") { Type::void().pointer() } else { fallback };
        let mut places = Vec::new();
        for argument in &arguments[..count] {
            let pointer = self.value(argument)?;
            let place = self.pointed(pointer, argument.span)?;
            places.push(match place {
                Place::Memory(address, of) if of.is_void() => Place::Memory(address, fallback.clone()),
                place => place,
            });
        }
        let mut values = Vec::new();
        for (index, argument) in arguments[count..].iter().enumerate() {
            let of = places[index % count].of().clone();
            if !of.is_scalar() {
                return Err(self.error(format!("`{name}` needs pointers to numbers or pointers"), at));
            }
            let value = self.value(argument)?;
            values.push(self.convert(value, &of, argument.span)?.operand);
        }
        let (old, new) = values.split_at(count);
        Ok(self.compare_and_swap(&places, old, new))
    }

    fn compare_and_swap(&mut self, places: &[Place], old: &[Operand], new: &[Operand]) -> Typed {
        self.code.emit(InstructionKind::AtomicBegin, self.here);
        let mut equal = Vec::new();
        for (place, old) in places.iter().zip(old) {
            let value = self.load_plain(place);
            equal.push(self.code.compute(Operator::Eq, vec![value, old.clone()], self.here));
        }
        let both = equal.into_iter().reduce(|a, b| self.code.compute(Operator::And, vec![a, b], self.here));
        let success = both.unwrap_or(Operand::Constant(Value::int(0, 32)));
        let (writing, behind) = (self.code.block(None), self.code.block(None));
        let branch = self.branch_to(success.clone(), writing, behind, Some(behind));
        self.code.end_and_go_on(branch, writing);
        for (place, value) in places.iter().zip(new) {
            if let Place::Memory(address, of) = place {
                let access = Access::plain().of_bytes(of.width().unwrap_or(0) / 8);
                let (address, value) = (address.clone(), value.clone());
                self.code.emit(InstructionKind::Store { address, value, access }, self.here);
            }
        }
        self.code.end_and_go_on(Terminator::Jump(behind), behind);
        self.code.emit(InstructionKind::AtomicEnd, self.here);
        Typed { operand: success, of: Type::int() }
    }

    /// A system call: those of futexes, which `headers/palisade_futex.h` has.
    fn system_call(&mut self, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        let number = arguments.first().and_then(|number| self.constant_integer(number).ok());
        let function = self.functions.get("palisade_futex").cloned();
        let Some((declared, id)) = function.and_then(|declared| declared.id.map(|id| (declared, id))) else {
            return Err(self.unsupported("this system call", at));
        };
        if number != Some(SYS_FUTEX) || arguments.len() < 4 {
            return Err(self.unsupported("this system call", at));
        }
        let mut values = Vec::new();
        for (argument, (_, of)) in arguments[1..4].iter().zip(&declared.signature.parameters) {
            let value = self.value(argument)?;
            values.push(self.convert(value, of, argument.span)?.operand);
        }
        self.evaluate(&arguments[4..])?;
        Ok(self.call_function(id, values, &declared.signature.result))
    }

    /// GCC's hint about a value.
    fn expect(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        self.exactly(arguments, if name == "__builtin_expect" { 2 } else { 3 }, name, at)?;
        let value = self.value(&arguments[0])?;
        let _ = self.value(&arguments[1])?;
        self.convert(value, &Type::integer(64, true), at)
    }
}
