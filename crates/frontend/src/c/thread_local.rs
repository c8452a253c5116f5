//! Variables of which each thread has its own, and the thread that runs.
//!
//! If a program has any of these, every function but `main` gets further parameters: the identity of the thread, which is
//! what `pthread_create` gave as its handle, and the address of each such variable. A function that is made here allocates
//! and initialises them; `main`, and what a thread runs first, call it and pass on what it gives.
//!
//! A bounded test can also ask for the number of the thread that runs, and for how many threads there are: two further parameters
//! behind these.

use lang_c::ast::{self, StorageClassSpecifier};
use lang_c::span::{Node, Span as AstSpan};
use lang_c::visit::{self, Visit};
use program::{Extent, FunctionId, InstructionKind, Operand, Pointer, RegisterId, Storage, Value};

use super::code::Code;
use super::lower::{Bytes, Declared, Entity, Frame, Home, Lowered, Lowering, Typed, Variable};
use super::own::{NUMBERS, Own, ThreadLocal};
use super::place::Place;
use super::reach::name_of;
use super::types::{Signature, Type};
use crate::cells::OWN;

/// The name of the function that makes a thread's own variables.
const START: &str = "__palisade_thread_starts";
/// Functions that ask which thread runs.
const SELVES: [&str; 2] = ["pthread_self", "thrd_current"];
/// Functions that ask for the number of the thread that runs, and for how many there are, in the order of [`NUMBERS`].
const NUMBERING: [&str; 2] = ["lsl_get_thread_id", "lsl_get_number_threads"];

/// Declarations of such variables inside of functions: the function's name, and the declaration.
pub fn inside(definitions: &[&Node<ast::FunctionDefinition>]) -> Vec<(String, Node<ast::Declaration>)> {
    let mut found = Vec::new();
    for definition in definitions {
        let mut finder = Finder::default();
        finder.visit_function_definition(&definition.node, &definition.span);
        let name = name_of(&definition.node.declarator.node).unwrap_or_default();
        found.extend(finder.0.into_iter().map(|declaration| (name.clone(), declaration)));
    }
    found
}

#[derive(Default)]
struct Finder(Vec<Node<ast::Declaration>>);

impl<'ast> Visit<'ast> for Finder {
    fn visit_declaration(&mut self, declaration: &'ast ast::Declaration, span: &'ast AstSpan) {
        if is_thread_local(&declaration.specifiers) {
            self.0.push(Node::new(declaration.clone(), *span));
        }
        visit::visit_declaration(self, declaration, span);
    }
}

/// Whether `_Thread_local` is among the specifiers.
pub fn is_thread_local(specifiers: &[Node<ast::DeclarationSpecifier>]) -> bool {
    specifiers.iter().any(|specifier| match &specifier.node {
        ast::DeclarationSpecifier::StorageClass(class) => class.node == StorageClassSpecifier::ThreadLocal,
        _ => false,
    })
}

impl Lowering<'_> {
    /// Declares a variable of which each thread has its own. `name` is what the program calls it, `full` what reports do.
    pub fn thread_local(
        &mut self,
        name: &str,
        full: &str,
        of: Type,
        initializer: Option<&Node<ast::Initializer>>,
        external: bool,
        at: Bytes,
    ) -> Lowered<()> {
        let known = self.own.variables.iter().position(|variable| variable.name == full);
        let (of, cells) = self.static_cells(of, initializer, at)?;
        let variable = ThreadLocal { name: full.into(), of: of.clone(), cells };
        let index = match known {
            Some(index) => {
                if !external || initializer.is_some() {
                    self.own.variables[index] = variable;
                }
                index
            }
            None => {
                self.own.variables.push(variable);
                self.own.variables.len() - 1
            }
        };
        self.declare(name, Entity::Variable(Variable { of, home: Home::Thread(index) }));
        Ok(())
    }

    /// The variables that functions declare inside, before the functions are lowered.
    pub fn hoist_thread_locals(&mut self, definitions: &[&Node<ast::FunctionDefinition>]) {
        let reached: Vec<&Node<ast::FunctionDefinition>> = definitions
            .iter()
            .filter(|one| name_of(&one.node.declarator.node).is_some_and(|name| self.reached.contains(&name)))
            .copied()
            .collect();
        for (function, declaration) in inside(&reached) {
            if self.has_twins(&function, &declaration) {
                let what = "two thread-local variables of one name in one function";
                let refused = self.unsupported(what, declaration.span);
                self.messages.push(refused);
                continue;
            }
            self.frame.name = function;
            self.scopes.push(super::lower::Scope::default());
            let done = self.local_declaration(&declaration);
            self.scopes.pop();
            self.note(done);
        }
        self.frame = Frame::outside();
    }

    /// Whether a function declares a variable of the same name in another block.
    fn has_twins(&self, function: &str, declaration: &Node<ast::Declaration>) -> bool {
        let names = declaration.node.declarators.iter().filter_map(|one| name_of(&one.node.declarator.node));
        let full = names.map(|name| format!("{function}.{name}")).collect::<Vec<_>>();
        self.own.variables.iter().any(|variable| full.contains(&variable.name))
    }

    /// Drops the variables that the program does not come to, and makes the function that makes the others.
    pub fn make_thread_start(&mut self) {
        self.own.is_numbered = NUMBERING.iter().any(|name| self.uses.called.contains(*name));
        let asks = SELVES.iter().any(|name| self.uses.called.contains(*name));
        let is_used = |variable: &ThreadLocal| {
            let name = variable.name.split('.').next().unwrap_or_default();
            self.reached.contains(name)
        };
        let any = self.own.variables.iter().any(is_used);
        if !any && !asks {
            return;
        }
        // Those that are not reached have no uses; they stay, so that numbers do not change, but are not made.
        let made: Vec<(ThreadLocal, bool)> =
            self.own.variables.iter().map(|variable| (variable.clone(), is_used(variable))).collect();
        self.code = Code::new();
        let mut results = vec![self.bare_block("thread")];
        for (variable, is_used) in made {
            results.push(match is_used {
                true => self.make_thread_local(&variable),
                false => Operand::Constant(Value::int(0, 64)),
            });
        }
        let count = results.len();
        self.code.end(program::Terminator::Return(results));
        let code = std::mem::replace(&mut self.code, Code::new());
        let fallback = vec![Operand::Constant(Value::Undefined); count];
        let Ok(function) = code.finish(START, Vec::new(), fallback, None) else { return };
        let id = FunctionId(self.bodies.len() as u32);
        let signature = Signature { result: Type::void(), parameters: Vec::new(), variadic: false, prototype: true };
        self.functions.insert(START.into(), Declared { signature: signature.into(), id: Some(id), address: None });
        self.bodies.push(START.into());
        self.lowered.push(Some(function));
        self.own.start = Some(id);
        // Handles are the identities of threads then.
        self.uses.asks_results = true;
    }

    /// A block that is only an identity.
    fn bare_block(&mut self, name: &str) -> Operand {
        let target = self.code.register(name);
        let (default, extent) = (Value::Undefined, Some(Extent::of(16, 8, Storage::Heap)));
        let kind = InstructionKind::Allocate { target, default, name: name.into(), reuse: false, extent };
        self.code.emit(kind, None);
        Operand::Register(target)
    }

    fn make_thread_local(&mut self, variable: &ThreadLocal) -> Operand {
        let at = Bytes::none();
        let default = self.one_zero(&variable.of, at).ok().flatten();
        let target = self.code.register(&variable.name);
        let extent = self.extent(&variable.of, Storage::ThreadLocal);
        self.layouts.push((variable.name.clone(), self.records.layout(&variable.of)));
        let (name, first) = (variable.name.as_str().into(), default.clone().unwrap_or(Value::Undefined));
        let kind = InstructionKind::Allocate { target, default: first, name, reuse: false, extent };
        self.code.emit(kind, None);
        let address = Operand::Register(target);
        for (path, part) in self.records.cells(&variable.of).unwrap_or_default() {
            let byte = Pointer::byte_path(self.records.byte(&variable.of, &path).unwrap_or(0) as i64);
            let value = variable.cells.iter().find(|(place, _)| *place == byte).map(|(_, value)| value);
            if let Some(value) = value.filter(|value| default.as_ref() != Some(*value)) {
                let place = self.part_place(address.clone(), &variable.of, &path, part.clone());
                let value = Typed { operand: Operand::Constant(value.clone()), of: part.unqualified() };
                let done = self.store_plain(&place, value, at);
                self.note(done);
            }
        }
        address
    }

    /// Calls what makes a thread's own variables; gives their addresses behind the thread's identity.
    pub fn start_thread(&mut self) -> Vec<Operand> {
        let Some(function) = self.own.start else { return self.own.unnumbered() };
        let (targets, call) = start_call(&mut self.code, function, &self.own);
        self.code.emit(call, self.here);
        targets.into_iter().map(Operand::Register).chain(self.own.unnumbered()).collect()
    }

    /// The thread ends, and its own variables with it.
    pub fn end_own(&mut self) {
        for address in self.frame.own.iter().take(self.own.count()).skip(1) {
            self.code.emit(InstructionKind::End { address: address.clone() }, self.here);
        }
    }

    /// The parameters that every function has besides its own.
    pub fn own_parameters(&mut self) -> Vec<RegisterId> {
        let mut registers = own_registers(&mut self.code, &self.own);
        let numbers = NUMBERS.iter().filter(|_| self.own.is_numbered);
        registers.extend(numbers.map(|name| self.code.register(name)));
        registers
    }

    /// Where a thread's own variable is.
    pub fn thread_place(&self, index: usize, of: &Type, at: Bytes) -> Lowered<Place> {
        match self.frame.own.get(index + 1) {
            Some(address) => Ok(Place::Memory(address.clone(), of.clone())),
            None => Err(self.error("the address of a thread's own variable is not constant", at)),
        }
    }

    /// The number of the thread that runs in a bounded test, or how many there are, by the name of the function that asks.
    pub fn number_in_test(&self, name: &str, at: Bytes) -> Lowered<Typed> {
        let index = NUMBERING.iter().position(|own| *own == name);
        match index.and_then(|index| self.frame.own.get(self.own.count() + index)) {
            Some(number) => Ok(Typed { operand: number.clone(), of: Type::int() }),
            None => Err(self.error("the number of a thread is not constant", at)),
        }
    }

    /// Which thread runs.
    pub fn this_thread(&self, at: Bytes) -> Lowered<Typed> {
        match self.frame.own.first() {
            Some(thread) => Ok(Typed { operand: thread.clone(), of: Type::size() }),
            None => Err(self.error("which thread runs is not constant", at)),
        }
    }
}

/// The call of the function that makes a thread's own variables, and the registers that get their addresses.
pub fn start_call(code: &mut Code, function: FunctionId, own: &Own) -> (Vec<RegisterId>, InstructionKind) {
    let targets = own_registers(code, own);
    let call = InstructionKind::Call { function, arguments: Vec::new(), targets: targets.clone() };
    (targets, call)
}

fn own_registers(code: &mut Code, own: &Own) -> Vec<RegisterId> {
    let names = own.variables.iter().map(|variable| format!("{OWN}{}", variable.name));
    let names = std::iter::once(format!("{OWN}thread")).chain(names).take(own.count());
    names.map(|name| code.register(&name)).collect()
}
