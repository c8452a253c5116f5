//! The law of the representation.
//!
//! [`verify`] takes a program and gives it back as [`Verified`] if it keeps the rules below, else every breach of them.
//! Front ends answer for the rules; engines rely on them and check none again.
//!
//! **Names and constants**
//!
//! 1. Every id is in range: registers, blocks (those of `join` too) and functions of the code, the entries of threads,
//!    threads and registers of the question.
//! 2. Every pointer in a constant points to a global, wherever the constant stands: operands, initial cells, defaults,
//!    arguments of threads, the question. Its path is free: every path names a cell, which exists once it is used.
//! 3. No cell of a global has two initial values.
//! 4. Globals have different names, and so have threads: answers speak of them by name. Functions and registers may share
//!    names.
//!
//! **Shapes**
//!
//! 5. Every function has a block 0, where it starts.
//! 6. An instruction has as many operands as its operator takes; the operator of a read-modify-write takes two.
//! 7. Calls, spawns and threads give as many arguments as the function has parameters; calls have as many targets as it
//!    has results, and every `return` as many operands. What a thread's function returns is dropped.
//! 8. A virtual call has a receiver and lists at least one class, none twice; rule 7 holds for each of its functions.
//! 9. The parameters of a function are different registers, and so are the targets of one instruction.
//! 10. Widths are 1 to 64: those of `resize` and `choose`.
//! 11. `choose` has `low <= high`, and both are signed integers of the width, or both are unsigned ones.
//! 12. All composites of one tag, made or constant, have the same number of fields; `get` and `set` name one of them. A tag
//!     that nothing makes may be asked for: the answer is undefined.
//!
//! 20. The size of a global in bytes is an integer constant. Alignments are powers of two; an access touches 1, 2, 4, 8 or 16
//!     bytes, or 0 where cells have no size.
//!
//! **Control flow.** Only blocks that a path from block 0 reaches count.
//!
//! 13. Control flow is reducible: each cycle has one head through which alone it is entered, that is, which dominates all
//!     its blocks. So every loop has a head that names it, and unrolling is copying a loop's body at each edge back to the
//!     head. [`crate::Flow`] lists heads and edges.
//! 14. Atomic blocks are balanced on every path and do not nest: each basic block is entered always inside or always
//!     outside of one; `atomic_begin` stands outside, `atomic_end` inside, `return` outside.
//! 15. Inside of an atomic block nothing waits for, wakes or starts another thread
//!     ([`InstructionKind::synchronizes`](crate::InstructionKind::synchronizes)), and only functions are called of which
//!     the same holds and which contain no atomic block, nor call such a function. Such a call is no more than its body in
//!     place. Loops may stand inside, and so may `assume`: an execution that does not get through does not count.
//!
//! 19. `await` stands inside of an atomic block.
//!
//! **Threads**
//!
//! 17. The order of threads names existing ones and has no circle.
//! 18. The setup is a function without parameters.
//!
//! **The question**
//!
//! 16. What is observed begins with the observables of the proposition in order of appearance, and has no duplicates.
//!
//! Legal on purpose: reading a register that some path has not assigned (it is undefined); recursion (engines bound the
//! depth of calls as they bound loops); blocks that nothing reaches; any order on any access (models say what it means);
//! a thread that shares its entry with another; no thread at all.

use std::collections::{HashMap, HashSet};

use crate::condition::{Observable, Proposition, Question, Term};
use crate::diagnostic::{Diagnostic, Severity};
use crate::ir::{Access, Extent, Function, FunctionId, Operand, Program, RegisterId, ThreadId};
use crate::source::Span;
use crate::value::Value;

mod atomic;
mod function;

/// A program that keeps the law. Engines take this, not a [`Program`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified(Program);

impl Verified {
    /// The program, which may then be changed, and must be verified again.
    pub fn into_program(self) -> Program {
        self.0
    }
}

impl std::ops::Deref for Verified {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.0
    }
}

/// Checks the law; gives every breach back, with a note that names the rule. Rules about control flow are checked only
/// once the ids of the function are right.
pub fn verify(program: Program) -> Result<Verified, Vec<Diagnostic>> {
    let mut law = Law { program: &program, breaches: Vec::new(), fields: HashMap::new() };
    law.globals();
    for function in &program.functions {
        law.function(function);
    }
    law.atomic_calls();
    law.threads();
    law.thread_order();
    law.setup();
    if let Some(question) = &program.question {
        law.question(question);
    }
    law.field_numbers();
    let breaches = law.breaches;
    if breaches.is_empty() { Ok(Verified(program)) } else { Err(breaches) }
}

/// The check under way.
struct Law<'a> {
    program: &'a Program,
    breaches: Vec<Diagnostic>,
    /// Number of fields of the composites of each tag, by the first one seen.
    fields: HashMap<&'a str, usize>,
}

impl<'a> Law<'a> {
    /// Notes a breach of the numbered rule.
    fn breach(&mut self, rule: u8, message: impl Into<String>, span: Option<Span>) {
        let notes = vec![format!("rule {rule} of the program representation")];
        self.breaches.push(Diagnostic { notes, ..Diagnostic::new(Severity::Error, message.into(), span) });
    }

    fn globals(&mut self) {
        let mut names = HashSet::new();
        for global in &self.program.globals {
            if !names.insert(&global.name) {
                self.breach(4, format!("two globals are named `{}`", global.name), global.span);
            }
            self.value(&global.default, global.span);
            let mut paths = HashSet::new();
            for (path, value) in &global.cells {
                self.value(value, global.span);
                if !paths.insert(path) {
                    let message = format!("cell {path:?} of `{}` has two initial values", global.name);
                    self.breach(3, message, global.span);
                }
            }
            if let Some(extent) = &global.extent {
                if extent.known_size().is_none() {
                    self.breach(20, format!("the size of `{}` is no integer constant", global.name), global.span);
                }
                self.extent(extent, global.span);
            }
        }
    }

    fn extent(&mut self, extent: &Extent, span: Option<Span>) {
        if !extent.align.is_power_of_two() {
            self.breach(20, format!("an alignment of {} bytes is no power of two", extent.align), span);
        }
    }

    fn access(&mut self, access: &Access, span: Option<Span>) {
        if !matches!(access.bytes, 0 | 1 | 2 | 4 | 8 | 16) {
            self.breach(20, format!("an access of {} bytes", access.bytes), span);
        }
    }

    fn threads(&mut self) {
        let mut names = HashSet::new();
        for thread in &self.program.threads {
            if !names.insert(&thread.name) {
                self.breach(4, format!("two threads are named `{}`", thread.name), None);
            }
            for value in &thread.arguments {
                self.value(value, None);
            }
            let what = format!("thread `{}`", thread.name);
            if let Some(entry) = self.callee(thread.entry, &what, None) {
                self.arguments(entry, thread.arguments.len(), &what, 7, entry.span);
            }
        }
    }

    fn thread_order(&mut self) {
        let count = self.program.threads.len();
        let known = |thread: ThreadId| (thread.0 as usize) < count;
        let order = &self.program.thread_order;
        if order.iter().any(|&(first, second)| !known(first) || !known(second)) {
            return self.breach(17, "the order of threads names a thread that does not exist", None);
        }
        // As long as some threads are left, one of them must come after none of the others.
        let mut left: HashSet<ThreadId> = (0..count as u32).map(ThreadId).collect();
        while !left.is_empty() {
            let is_first = |thread: &ThreadId| !order.iter().any(|(a, b)| b == thread && left.contains(a));
            let Some(first) = left.iter().copied().find(|thread| is_first(thread)) else {
                return self.breach(17, "the order of threads goes in a circle", None);
            };
            left.remove(&first);
        }
    }

    fn setup(&mut self) {
        let Some(setup) = self.program.setup else { return };
        if let Some(function) = self.callee(setup, "the setup", None) {
            self.arguments(function, 0, "the setup", 18, function.span);
        }
    }

    fn question(&mut self, question: &'a Question) {
        self.proposition(&question.proposition, question.span);
        if let Some(filter) = &question.filter {
            self.proposition(filter, question.span);
        }
        for observable in &question.observed {
            self.observable(observable, question.span);
        }
        let mut appearing = Vec::new();
        let mut seen = HashSet::new();
        question.proposition.observables(&mut |o| {
            if seen.insert(o) {
                appearing.push(o);
            }
        });
        if !question.observed.iter().take(appearing.len()).eq(appearing) {
            self.breach(16, "what is observed does not begin with what the proposition speaks of", question.span);
        }
        let mut listed = HashSet::new();
        if !question.observed.iter().all(|o| listed.insert(o)) {
            self.breach(16, "something is observed twice", question.span);
        }
    }

    fn proposition(&mut self, proposition: &'a Proposition, span: Option<Span>) {
        match proposition {
            Proposition::Constant(_) => {}
            Proposition::Compare(_, left, right) => {
                for term in [left, right] {
                    match term {
                        Term::Observable(observable) => self.observable(observable, span),
                        Term::Value(value) => self.value(value, span),
                    }
                }
            }
            Proposition::Not(inner) => self.proposition(inner, span),
            Proposition::And(parts) | Proposition::Or(parts) => parts.iter().for_each(|p| self.proposition(p, span)),
        }
    }

    fn observable(&mut self, observable: &'a Observable, span: Option<Span>) {
        match observable {
            Observable::Memory(cell) => self.allocation(cell.allocation, span),
            Observable::Register(thread, register) => match self.program.threads.get(thread.0 as usize) {
                None => self.breach(1, format!("there is no thread {}", thread.0), span),
                // An entry out of range is the thread's breach, not this one's.
                Some(thread) => {
                    if let Some(entry) = self.program.functions.get(thread.entry.0 as usize) {
                        self.register(entry, *register, span);
                    }
                }
            },
        }
    }

    fn operand(&mut self, function: &Function, operand: &'a Operand, span: Option<Span>) {
        match operand {
            Operand::Register(register) => self.register(function, *register, span),
            Operand::Constant(value) => self.value(value, span),
        }
    }

    fn register(&mut self, function: &Function, register: RegisterId, span: Option<Span>) {
        if register.0 as usize >= function.registers.len() {
            self.breach(1, format!("function `{}` has no register {}", function.name, register.0), span);
        }
    }

    fn value(&mut self, value: &'a Value, span: Option<Span>) {
        match value {
            Value::Undefined | Value::Int(_) => {}
            Value::Pointer(pointer) => self.allocation(pointer.allocation, span),
            Value::Composite(tag, fields) => {
                self.composite(tag, fields.len(), span);
                fields.iter().for_each(|field| self.value(field, span));
            }
        }
    }

    fn allocation(&mut self, allocation: u32, span: Option<Span>) {
        if allocation as usize >= self.program.globals.len() {
            self.breach(2, format!("there is no global {allocation} to point to"), span);
        }
    }

    fn composite(&mut self, tag: &'a str, fields: usize, span: Option<Span>) {
        let expected = *self.fields.entry(tag).or_insert(fields);
        if expected != fields {
            let message = format!("a composite `{tag}` has {}, another has {expected}", count(fields, "field"));
            self.breach(12, message, span);
        }
    }

    /// The function, if there is one.
    fn callee(&mut self, id: FunctionId, what: &str, span: Option<Span>) -> Option<&'a Function> {
        let function = self.program.functions.get(id.0 as usize);
        if function.is_none() {
            self.breach(1, format!("{what}: there is no function {}", id.0), span);
        }
        function
    }

    fn arguments(&mut self, callee: &Function, given: usize, what: &str, rule: u8, span: Option<Span>) {
        let taken = callee.parameters.len();
        if given != taken {
            let given = count(given, "argument");
            self.breach(rule, format!("{what} gives {given}, but `{}` takes {taken}", callee.name), span);
        }
    }
}

/// `1 field`, `2 fields`.
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
