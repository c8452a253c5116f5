//! The intermediate representation: functions of basic blocks over registers.
//!
//! It follows the load-store language of the CheckFence thesis (chapter 4), but as a control-flow graph, so that litmus
//! code, C and bytecode all lower to it. The law of a well-formed program stands in [`mod@crate::verify`].
//!
//! # Adding an instruction
//!
//! 1. Here: a variant of [`InstructionKind`] whose doc comment says what it does and what it does when it cannot; its
//!    lines in [`InstructionKind::targets`], [`InstructionKind::operands`] and [`InstructionKind::callees`]. The verifier
//!    takes registers, constants and callees from these.
//! 2. `text/instruction.rs`: how it is printed and parsed; one line in the grammar of [`mod@crate::text`].
//! 3. The engines: `axiomatic/src/walk.rs`, where events are made, `operational/src/interpret.rs`, where instructions are
//!    stepped, and of `mcr` `histories/history.rs` and `graphs/local.rs`. An engine that does not model it returns
//!    [`crate::Unsupported`] with the instruction's span.
//! 4. `verify.rs`, only if the instruction has a law of its own: a numbered rule in the module doc, its check, and a
//!    rejecting program in `tests/verify.rs`. An instruction that can wait belongs to [`InstructionKind::synchronizes`].
//! 5. `tests/text.rs`: the instruction in the program that has them all, and in the generator of random programs.
//!
//! `targets`, `operands`, the printer and the engines match without a catch-all arm, so the compiler asks for these
//! places; `callees`, `synchronizes`, the parser and the tests it cannot ask for.
//! An operator needs less: its variant, `arity` and `apply` in [`crate::operator`], and the symbolic evaluator.

use std::collections::BTreeSet;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use crate::condition::Question;
use crate::language::Language;
use crate::operator::Operator;
use crate::simplification::Simplification;
use crate::source::{Sources, Span};
use crate::value::Value;

pub use crate::id::{BlockId, FunctionId, GlobalId, RegisterId, ThreadId};

/// A whole program: memory, code, the threads that run from the start, and perhaps a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Name of the test or program.
    pub name: String,
    /// The language it was written in.
    pub language: Language,
    /// The texts that all spans point into.
    pub sources: Sources,
    /// Named memory.
    pub globals: Vec<Global>,
    /// Code.
    pub functions: Vec<Function>,
    /// Threads that run from the start, in parallel but for `thread_order`.
    pub threads: Vec<Thread>,
    /// Runs alone before the threads start, as a sequential program: whatever the memory model, memory as it leaves it
    /// is the initial memory of the threads. A function without parameters.
    pub setup: Option<FunctionId>,
    /// `(a, b)`: thread `a` ends before thread `b` starts. No circle.
    pub thread_order: Vec<(ThreadId, ThreadId)>,
    /// Whether the program is over once its first thread is, as in C once `main` has returned: threads that wait then do not
    /// wait for ever.
    pub ends_with_main: bool,
    /// In which ways it has fewer executions than its language allows, as code cannot say it.
    pub simplified: BTreeSet<Simplification>,
    /// What is asked about the final states, if the program says.
    pub question: Option<Question>,
}

/// A named allocation that exists from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name in the source.
    pub name: String,
    /// Initial values of single cells, by path; the empty path is the allocation itself (a scalar).
    pub cells: Vec<(Vec<i64>, Value)>,
    /// Initial value of every other cell.
    pub default: Value,
    /// How it lies in memory; `None` in languages without bytes. Its size is a constant.
    pub extent: Option<Extent>,
    /// Where it is declared, if anywhere.
    pub span: Option<Span>,
}

/// How an allocation lies in memory that has bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// How many bytes it has, an unsigned number.
    pub size: Operand,
    /// Its address is a multiple of this many bytes.
    pub align: u32,
    /// Who made it, and for how long.
    pub storage: Storage,
}

impl Extent {
    /// An allocation of a size that is known.
    pub fn of(size: u64, align: u64, storage: Storage) -> Extent {
        let size = Operand::Constant(Value::int(size as i64, 64));
        Extent { size, align: u32::try_from(align).unwrap_or(u32::MAX), storage }
    }

    /// What is wrong with an access of so many bytes from this one on, in a block of this size; nothing if it is within.
    pub fn trespass(name: &str, size: u64, offset: i64, bytes: u8) -> Option<String> {
        let is_within = offset >= 0 && offset as u64 + u64::from(bytes) <= size;
        let last = offset.saturating_add(i64::from(bytes) - 1);
        (!is_within).then(|| format!("an access out of bounds: bytes {offset} to {last} of `{name}`, which has {size}"))
    }

    /// What is wrong with a write to a constant.
    pub fn constant(name: &str) -> String {
        format!("a write to a constant: `{name}`")
    }

    /// What is wrong with an access of a block that was freed.
    pub fn ended(name: &str) -> String {
        format!("a use after free: `{name}`")
    }

    /// What is wrong with a free of a block that was freed.
    pub fn freed_twice(name: &str) -> String {
        format!("a double free: `{name}`")
    }

    /// What is wrong with an access of a block that was not allocated before.
    pub fn before(name: &str) -> String {
        format!("a use of memory that nothing orders after its allocation: `{name}`")
    }

    /// What is wrong with an access of a block that nothing orders with its beginning or end, which an access of this order stands
    /// for: an allocation acquires, a free releases, and the end of a variable does neither.
    pub fn unordered(name: &str, order: Order) -> String {
        match order {
            Order::Acquire => Extent::before(name),
            Order::Release => Extent::ended(name),
            _ => Extent::left(name),
        }
    }

    /// What is wrong with a store that gets to memory only after the block was freed.
    pub fn late(name: &str) -> String {
        format!("{}, by a store that gets to memory only after the free", Extent::ended(name))
    }

    /// What is wrong with a store that gets to memory only after the variable has ended.
    pub fn late_in_scope(name: &str) -> String {
        format!("{}, by a store that gets to memory only then", Extent::left(name))
    }

    /// What is wrong with an access of a variable after the end of its block, function or thread.
    pub fn left(name: &str) -> String {
        format!("a use after scope: `{name}`, whose block, function or thread has ended")
    }

    /// The block that an error of memory is about, in the words of this type, and whether the error is that it was freed.
    pub fn named(message: &str) -> Option<(&str, bool)> {
        let freed = [Extent::ended(""), Extent::freed_twice("")];
        let kinds = [Extent::trespass("", 0, 0, 1)?, Extent::before(""), Extent::left("")];
        let start = |kind: &String| kind.split(['`', ':']).next().map(str::to_string);
        let is_one_of = |kinds: &[String]| kinds.iter().filter_map(start).any(|start| message.starts_with(&start));
        let is_freed = is_one_of(&freed);
        let name = message.split('`').nth(1).filter(|_| is_freed || is_one_of(&kinds))?;
        Some((name, is_freed))
    }

    /// Its size, if that is a constant.
    pub fn known_size(&self) -> Option<u64> {
        match &self.size {
            Operand::Constant(Value::Int(size)) => Some(size.unsigned()),
            _ => None,
        }
    }
}

/// What kind of memory an allocation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Storage {
    /// A variable that is there from the start to the end of the program.
    Static,
    /// A variable of a thread.
    ThreadLocal,
    /// Memory that may not be written.
    ReadOnly,
    /// The code of a function.
    Function,
    /// A variable of a function or block.
    Stack,
    /// Memory that the program asks for and frees.
    Heap,
    /// Memory that is freed but may still be accessed, as in the load-store language of the CheckFence thesis.
    Pool,
}

impl Storage {
    /// Whether it is a variable whose life ends before the program does.
    pub fn is_left(self) -> bool {
        matches!(self, Storage::Stack | Storage::ThreadLocal)
    }
}

/// A thread that runs from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name: `P0`.
    pub name: String,
    /// The function it runs.
    pub entry: FunctionId,
    /// Values of that function's parameters.
    pub arguments: Vec<Value>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Registers that hold the arguments at the start.
    pub parameters: Vec<RegisterId>,
    /// Name of each register, as shown to the user. All registers but the parameters start undefined.
    pub registers: Vec<String>,
    /// How many values each `return` gives.
    pub results: usize,
    /// The code; execution starts at block 0.
    pub blocks: Vec<Block>,
    /// Where the function stands.
    pub span: Option<Span>,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Run in order.
    pub instructions: Vec<Instruction>,
    /// Then this.
    pub terminator: Terminator,
    /// Where the block stands; for the head of a loop the loop statement, by which reports name the loop.
    pub span: Option<Span>,
}

/// An instruction and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub kind: InstructionKind,
    /// The statement or instruction of the source that it comes from. Reports and cores name this text.
    pub span: Option<Span>,
}

/// A register or a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The value of a register.
    Register(RegisterId),
    /// A constant.
    Constant(Value),
}

impl Operand {
    /// The value of a constant.
    pub fn constant(&self) -> Option<&Value> {
        match self {
            Operand::Constant(value) => Some(value),
            Operand::Register(_) => None,
        }
    }
}

/// What it means that an assertion fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AssertSort {
    /// The program asserts something that is false.
    #[default]
    Assertion,
    /// Nothing catches an exception.
    Exception,
    /// The program ends itself, and says that something is wrong.
    Exit,
    /// The program does what it may not do.
    Error,
    /// What comes next is not modelled: an engine that gets here refuses the program, as if the instruction were unknown to it.
    Unsupported,
}

impl InstructionKind {
    /// An assertion of the program.
    pub fn assertion(condition: Operand, message: impl Into<Arc<str>>) -> InstructionKind {
        InstructionKind::claim(AssertSort::Assertion, condition, message)
    }

    /// What must be true, and what it means if it is not.
    pub fn claim(sort: AssertSort, condition: Operand, message: impl Into<Arc<str>>) -> InstructionKind {
        InstructionKind::Assert { condition, message: message.into(), sort, text: None }
    }
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstructionKind {
    /// `target := operator(operands)`.
    Assign {
        /// Gets the result.
        target: RegisterId,
        /// Computes it.
        operator: Operator,
        /// As many as the operator takes.
        operands: Vec<Operand>,
    },
    /// `target := *address`.
    Load {
        /// Gets the value read.
        target: RegisterId,
        /// A pointer.
        address: Operand,
        /// How the memory model sees the access.
        access: Access,
    },
    /// `*address := value`.
    Store {
        /// A pointer.
        address: Operand,
        /// What is written.
        value: Operand,
        /// How the memory model sees the access.
        access: Access,
    },
    /// Reads and perhaps writes one cell, atomically.
    ReadModifyWrite {
        /// Gets the value read.
        target: RegisterId,
        /// A pointer.
        address: Operand,
        /// What is written.
        update: Update,
        /// How the memory model sees the read and the write; `Acquire` marks the read, `Release` the write.
        access: Access,
    },
    /// A memory fence.
    Fence {
        /// Which one: an order for C11 fences, a tag for named ones (`MFENCE`, `ll_fence`).
        access: Access,
    },
    /// A constructor ends that has set a final field (Java language specification, 17.5.1): who reads the field through a
    /// reference that was written afterwards sees what was written before. A fence between the stores before it and those
    /// after it; models that know final fields take it as the event that freezes that field.
    Freeze {
        /// A pointer to the field, or to an object all of whose fields are final.
        address: Operand,
    },
    /// Acquires a monitor, waiting while another thread holds it. Reentrant.
    Lock {
        /// A pointer that identifies the monitor.
        monitor: Operand,
    },
    /// Releases a monitor.
    Unlock {
        /// A pointer that identifies the monitor.
        monitor: Operand,
    },
    /// `target :=` pointer to a fresh block whose cells all hold `default`.
    Allocate {
        /// Gets the pointer.
        target: RegisterId,
        /// Initial value of the cells.
        default: Value,
        /// Shown to the user: the type or class.
        name: Arc<str>,
        /// Whether it may be freed, and freed blocks may be reused.
        reuse: bool,
        /// How it lies in memory; `None` in languages without bytes.
        extent: Option<Extent>,
    },
    /// Gives a block back.
    Free {
        /// A pointer to the start of one that was allocated with `reuse`.
        address: Operand,
    },
    /// Ends the life of a variable of a function or block. It is not allocated again.
    End {
        /// A pointer to its start; what is no pointer is let be.
        address: Operand,
    },
    /// An error if the block that a pointer points into was freed and not allocated again, or its life has ended. Stands before an
    /// access of memory that may be freed or end.
    Live {
        /// The address of the access; what is no pointer is left to that.
        address: Operand,
    },
    /// Calls a function.
    Call {
        /// Which.
        function: FunctionId,
        /// As many as it has parameters.
        arguments: Vec<Operand>,
        /// Get its results; as many as it has.
        targets: Vec<RegisterId>,
    },
    /// Calls the function that the receiver's class gives for a method name.
    CallVirtual {
        /// Class tag (the `name` of the receiver's allocation; for a global its name) to function.
        table: Vec<(Arc<str>, FunctionId)>,
        /// The receiver first.
        arguments: Vec<Operand>,
        /// Get the results.
        targets: Vec<RegisterId>,
    },
    /// Starts a thread.
    Spawn {
        /// Gets a handle for `Join`.
        target: RegisterId,
        /// What it runs.
        function: FunctionId,
        /// As many as it has parameters.
        arguments: Vec<Operand>,
    },
    /// Waits for a thread to end.
    Join {
        /// What `Spawn` gave.
        thread: Operand,
    },
    /// Releases a held monitor, waits for a notification, and acquires it again.
    Wait {
        /// The monitor.
        monitor: Operand,
    },
    /// Wakes one thread that waits on a monitor, or all.
    Notify {
        /// The monitor.
        monitor: Operand,
        /// Whether all are woken.
        all: bool,
    },
    /// Waits for a permit of this thread and takes it.
    Park,
    /// Gives a thread its permit.
    Unpark {
        /// What `Spawn` gave.
        thread: Operand,
    },
    /// An error if the condition is false or undefined.
    Assert {
        /// The condition.
        condition: Operand,
        /// What the user sees.
        message: Arc<str>,
        /// What it means that the condition is false.
        sort: AssertSort,
        /// The address of a cell that then holds a text which says more, or null: a block of UTF-16 characters, as many as the
        /// last offset of the pointer says.
        text: Option<Operand>,
    },
    /// Only executions in which the condition is true count.
    Assume {
        /// The condition.
        condition: Operand,
    },
    /// Waits until the condition is true: the last iteration of a spin loop whose other iterations change nothing. Stands inside
    /// an atomic block, which happens as a whole once the condition is true. An execution in which a thread waits for
    /// ever is a deadlock.
    Await {
        /// The condition, computed in the same atomic block.
        condition: Operand,
    },
    /// `target :=` the number of the thread that runs, of 32 bits. No two threads of an execution have the same; which a thread has
    /// differs from engine to engine.
    Identify {
        /// Gets the number.
        target: RegisterId,
    },
    /// Adds a value to the observation of the execution.
    Observe {
        /// Names the value.
        label: Arc<str>,
        /// The value.
        value: Operand,
    },
    /// `target :=` any integer from `low` to `high`.
    Choose {
        /// Gets the integer.
        target: RegisterId,
        /// Least.
        low: i64,
        /// Greatest.
        high: i64,
        /// Width in bits.
        width: u8,
    },
    /// Starts an atomic block: no other thread takes a step before its end. Atomic blocks do not nest; they may span
    /// basic blocks, as long as every path that enters one also leaves it. See the verifier.
    AtomicBegin,
    /// Ends an atomic block.
    AtomicEnd,
}

impl InstructionKind {
    /// The registers that get a value, in the order of the text form.
    pub fn targets(&self) -> Vec<RegisterId> {
        use InstructionKind::*;
        match self {
            ReadModifyWrite { target, update: Update::CompareExchange { success, .. }, .. } => vec![*target, *success],
            Assign { target, .. } | Load { target, .. } | ReadModifyWrite { target, .. } => vec![*target],
            Allocate { target, .. } | Spawn { target, .. } | Choose { target, .. } | Identify { target } => {
                vec![*target]
            }
            Call { targets, .. } | CallVirtual { targets, .. } => targets.clone(),
            Store { .. } | Fence { .. } | Freeze { .. } | Lock { .. } | Unlock { .. } => vec![],
            Free { .. } | End { .. } | Live { .. } => {
                vec![]
            }
            Join { .. } | Wait { .. } => vec![],
            Notify { .. } | Park | Unpark { .. } | Assert { .. } | Assume { .. } | Await { .. } => vec![],
            Observe { .. } | AtomicBegin | AtomicEnd => vec![],
        }
    }

    /// The registers and constants that are read, in the order of the text form.
    pub fn operands(&self) -> Vec<&Operand> {
        use InstructionKind::*;
        match self {
            Assign { operands, .. } => operands.iter().collect(),
            Call { arguments, .. } | CallVirtual { arguments, .. } | Spawn { arguments, .. } => {
                arguments.iter().collect()
            }
            Load { address, .. } | Free { address } | End { address } | Live { address } | Freeze { address } => {
                vec![address]
            }
            Store { address, value, .. } => vec![address, value],
            ReadModifyWrite { address, update, .. } => match update {
                Update::Exchange(value) | Update::Apply(_, value) => vec![address, value],
                Update::CompareExchange { expected, desired, .. } => vec![address, expected, desired],
            },
            Lock { monitor } | Unlock { monitor } | Wait { monitor } | Notify { monitor, .. } => vec![monitor],
            Join { thread } | Unpark { thread } => vec![thread],
            Assert { condition, text, .. } => [condition].into_iter().chain(text).collect(),
            Assume { condition } | Await { condition } => vec![condition],
            Observe { value, .. } => vec![value],
            Allocate { extent, .. } => extent.iter().map(|extent| &extent.size).collect(),
            Fence { .. } | Park | Choose { .. } | Identify { .. } | AtomicBegin | AtomicEnd => vec![],
        }
    }

    /// The registers of [`InstructionKind::targets`], to change.
    pub fn targets_mut(&mut self) -> Vec<&mut RegisterId> {
        use InstructionKind::*;
        match self {
            ReadModifyWrite { target, update: Update::CompareExchange { success, .. }, .. } => vec![target, success],
            Assign { target, .. } | Load { target, .. } | ReadModifyWrite { target, .. } => vec![target],
            Allocate { target, .. } | Spawn { target, .. } | Choose { target, .. } | Identify { target } => {
                vec![target]
            }
            Call { targets, .. } | CallVirtual { targets, .. } => targets.iter_mut().collect(),
            Store { .. } | Fence { .. } | Freeze { .. } | Lock { .. } | Unlock { .. } => vec![],
            Free { .. } | End { .. } | Live { .. } => {
                vec![]
            }
            Join { .. } | Wait { .. } => vec![],
            Notify { .. } | Park | Unpark { .. } | Assert { .. } | Assume { .. } | Await { .. } => vec![],
            Observe { .. } | AtomicBegin | AtomicEnd => vec![],
        }
    }

    /// The operands of [`InstructionKind::operands`], to change.
    pub fn operands_mut(&mut self) -> Vec<&mut Operand> {
        use InstructionKind::*;
        match self {
            Assign { operands, .. } => operands.iter_mut().collect(),
            Call { arguments, .. } | CallVirtual { arguments, .. } | Spawn { arguments, .. } => {
                arguments.iter_mut().collect()
            }
            Load { address, .. } | Free { address } | End { address } | Live { address } | Freeze { address } => {
                vec![address]
            }
            Store { address, value, .. } => vec![address, value],
            ReadModifyWrite { address, update, .. } => match update {
                Update::Exchange(value) | Update::Apply(_, value) => vec![address, value],
                Update::CompareExchange { expected, desired, .. } => vec![address, expected, desired],
            },
            Lock { monitor } | Unlock { monitor } | Wait { monitor } | Notify { monitor, .. } => vec![monitor],
            Join { thread } | Unpark { thread } => vec![thread],
            Assert { condition, text, .. } => [condition].into_iter().chain(text).collect(),
            Assume { condition } | Await { condition } => vec![condition],
            Observe { value, .. } => vec![value],
            Allocate { extent, .. } => extent.iter_mut().map(|extent| &mut extent.size).collect(),
            Fence { .. } | Park | Choose { .. } | Identify { .. } | AtomicBegin | AtomicEnd => vec![],
        }
    }

    /// Goes through all registers of [`InstructionKind::operands`], then through those of [`InstructionKind::targets`].
    pub fn each_register_mut(&mut self, each: &mut impl FnMut(&mut RegisterId)) {
        for operand in self.operands_mut() {
            if let Operand::Register(register) = operand {
                each(register);
            }
        }
        self.targets_mut().into_iter().for_each(each);
    }

    /// The functions that it calls or starts.
    pub fn callees(&self) -> Vec<FunctionId> {
        match self {
            InstructionKind::Call { function, .. } | InstructionKind::Spawn { function, .. } => vec![*function],
            InstructionKind::CallVirtual { table, .. } => table.iter().map(|(_, function)| *function).collect(),
            _ => vec![],
        }
    }

    /// Whether it makes a thread wait, wakes or starts one: what an atomic block may not do.
    pub fn synchronizes(&self) -> bool {
        use InstructionKind::*;
        matches!(
            self,
            Lock { .. }
                | Unlock { .. }
                | Spawn { .. }
                | Join { .. }
                | Wait { .. }
                | Notify { .. }
                | Park
                | Unpark { .. }
        )
    }
}

/// What a read-modify-write writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// The operand.
    Exchange(Operand),
    /// `operator(old value, operand)`.
    Apply(Operator, Operand),
    /// `desired` if the old value equals `expected`, else nothing.
    CompareExchange {
        /// Compared with the old value.
        expected: Operand,
        /// Written on success.
        desired: Operand,
        /// Gets 1 on success, 0 on failure (of 32 bits).
        success: RegisterId,
        /// Whether it may fail although the values are equal.
        weak: bool,
        /// The access of the read when it fails.
        failure: Access,
    },
}

/// Memory order of an access or fence, from the languages' common stock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// A plain access of the language, or a machine access.
    Plain,
    /// C11 relaxed, Java opaque.
    Relaxed,
    /// C11 consume.
    Consume,
    /// Acquire.
    Acquire,
    /// Release.
    Release,
    /// Acquire and release.
    AcquireRelease,
    /// C11 seq_cst, Java volatile.
    SeqCst,
}

/// How the memory model sees an access or fence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Its order.
    pub order: Order,
    /// Sets of the model that the event belongs to besides, by name: `MFENCE`, `X`, `volatile`, `ll_fence`.
    pub tags: Vec<Arc<str>>,
    /// How many bytes it touches; 0 for a whole cell in a language without bytes, and for fences.
    pub bytes: u8,
}

impl Access {
    /// A plain access without tags.
    pub fn plain() -> Access {
        Access::ordered(Order::Plain)
    }

    /// An access of that order without tags.
    pub fn ordered(order: Order) -> Access {
        Access { order, tags: Vec::new(), bytes: 0 }
    }

    /// The access, of so many bytes.
    #[must_use]
    pub fn of_bytes(self, bytes: u8) -> Access {
        Access { bytes, ..self }
    }

    /// The tag of an access of what is `volatile`: in C a plain one, which no model knows.
    pub const VOLATILE: &'static str = "volatile";
    /// What is said besides of a data race in which there is one.
    pub const OF_VOLATILE: &'static str =
        " (a volatile access is a plain one; with --volatile relaxed it is a relaxed atomic)";

    /// The tag of a plain access of a variable of Java that may tear, a `long` or `double`. No model knows it.
    pub const WIDE: &'static str = "wide";
    /// The tag of an access of one half of such a variable. No model knows it.
    pub const HALF: &'static str = "half";

    /// The tag of the accesses of one atomic step that are one atomic access of several cells in the program. No model knows it.
    pub const STEP: &'static str = "step";

    /// The tag of an access, or fence, inside of a library that keeps its own promises about concurrency. No model knows it.
    pub const LIBRARY: &'static str = "library";

    /// The tag of a fence that is none of the program's, but what the order of a store is compiled to. No model knows it.
    pub const COMPILED: &'static str = "compiled";

    /// The tag of a fence that is none: it says that the operation of a bounded test takes effect here. No model knows it.
    pub const COMMIT: &'static str = "commit";

    /// The annotations that an access or fence of a litmus test may have for models of users, who name them in bell files: those of
    /// the Linux kernel's primitives. As tags they have a prime in front, and before it `R` or `W` where only the read or the write of
    /// a read-modify-write has it.
    pub const ANNOTATIONS: [&str; 10] =
        ["acquire", "after-atomic", "barrier", "before-atomic", "mb", "noreturn", "once", "release", "rmb", "wmb"];

    /// The tag of the accesses of a read-modify-write of the Linux kernel.
    pub const KERNEL_UPDATE: &'static str = "'rmw";

    /// Whether it means nothing but to models that know its annotation.
    pub fn is_annotated(&self) -> bool {
        self.tags.iter().any(|tag| tag.trim_start_matches(['R', 'W']).starts_with('\''))
    }

    /// Whether it has this tag.
    pub fn has(&self, tag: &str) -> bool {
        self.tags.iter().any(|other| &**other == tag)
    }

    /// How models see the end of a constructor that has set a final field.
    pub fn freeze() -> Access {
        Access::plain().tagged("freeze")
    }

    /// The tag of a fence that is none: it marks a place where a statement could stand.
    const PLACE: &'static str = "place";

    /// What marks a place where a fence could stand. No model knows it, so that such a fence orders nothing.
    pub fn place() -> Access {
        Access::plain().tagged(Access::PLACE)
    }

    /// Whether it only marks a place.
    pub fn is_place(&self) -> bool {
        self.tags.iter().any(|tag| &**tag == Access::PLACE)
    }

    /// The access with one more tag.
    #[must_use]
    pub fn tagged(mut self, tag: &str) -> Access {
        self.tags.push(tag.into());
        self
    }
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// Goes on there.
    Jump(BlockId),
    /// Goes to `then` if the condition is true (see [`Value::truth`]), else to `otherwise`.
    Branch {
        /// The condition.
        condition: Operand,
        /// Where to, if true.
        then: BlockId,
        /// Where to, if false.
        otherwise: BlockId,
        /// Where the control dependency ends: the block after a structured `if`. In machine code it never ends.
        join: Option<BlockId>,
        /// The statement or instruction of the source.
        span: Option<Span>,
    },
    /// Ends the function.
    Return(Vec<Operand>),
}

impl Terminator {
    /// The blocks that may come next.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Terminator::Jump(next) => vec![*next],
            Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Terminator::Return(_) => Vec::new(),
        }
    }

    /// The registers and constants that are read.
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Terminator::Jump(_) => Vec::new(),
            Terminator::Branch { condition, .. } => vec![condition],
            Terminator::Return(values) => values.iter().collect(),
        }
    }

    /// The operands of [`Terminator::operands`], to change.
    pub fn operands_mut(&mut self) -> Vec<&mut Operand> {
        match self {
            Terminator::Jump(_) => Vec::new(),
            Terminator::Branch { condition, .. } => vec![condition],
            Terminator::Return(values) => values.iter_mut().collect(),
        }
    }
}

impl Function {
    /// The ids of its blocks, in order.
    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len()).map(BlockId::at)
    }

    /// Its blocks with their ids, in order.
    pub fn numbered_blocks(&self) -> impl Iterator<Item = (BlockId, &Block)> {
        self.block_ids().zip(&self.blocks)
    }

    /// All instructions, block by block.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> + Clone {
        self.blocks.iter().flat_map(|block| &block.instructions)
    }

    /// All instructions, block by block, to change.
    pub fn instructions_mut(&mut self) -> impl Iterator<Item = &mut Instruction> {
        self.blocks.iter_mut().flat_map(|block| &mut block.instructions)
    }

    /// The name of a register, as shown to the user.
    pub fn register_name(&self, register: RegisterId) -> &str {
        &self.registers[register.index()]
    }
}

impl Index<BlockId> for Function {
    type Output = Block;

    fn index(&self, block: BlockId) -> &Block {
        &self.blocks[block.index()]
    }
}

impl IndexMut<BlockId> for Function {
    fn index_mut(&mut self, block: BlockId) -> &mut Block {
        &mut self.blocks[block.index()]
    }
}

impl Index<FunctionId> for Program {
    type Output = Function;

    fn index(&self, function: FunctionId) -> &Function {
        &self.functions[function.index()]
    }
}

impl IndexMut<FunctionId> for Program {
    fn index_mut(&mut self, function: FunctionId) -> &mut Function {
        &mut self.functions[function.index()]
    }
}

impl Index<ThreadId> for Program {
    type Output = Thread;

    fn index(&self, thread: ThreadId) -> &Thread {
        &self.threads[thread.index()]
    }
}

impl Index<GlobalId> for Program {
    type Output = Global;

    fn index(&self, global: GlobalId) -> &Global {
        &self.globals[global.index()]
    }
}

impl Program {
    /// The function with this id.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self[id]
    }

    /// All instructions, function by function.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> + Clone {
        self.functions.iter().flat_map(Function::instructions)
    }

    /// All pairs of threads of which the first ends before the second starts, directly or through others.
    pub fn ordered_threads(&self) -> Vec<(ThreadId, ThreadId)> {
        let mut pairs = self.thread_order.clone();
        loop {
            let through = |&(a, b): &(ThreadId, ThreadId)| {
                self.thread_order.iter().filter(move |(c, _)| *c == b).map(move |&(_, d)| (a, d))
            };
            let more: Vec<_> = pairs.iter().flat_map(through).filter(|pair| !pairs.contains(pair)).collect();
            if more.is_empty() {
                return pairs;
            }
            pairs.extend(more);
            pairs.sort();
            pairs.dedup();
        }
    }

    /// Whether torn `long` and `double` variables of Java are looked for; nothing if no variable may tear.
    pub fn looks_for_tearing(&self) -> Option<bool> {
        let accesses = self.instructions().filter_map(|instruction| match &instruction.kind {
            InstructionKind::Load { access, .. } | InstructionKind::Store { access, .. } => Some(access),
            _ => None,
        });
        let mut found = None;
        for access in accesses {
            if access.has(Access::HALF) {
                return Some(true);
            }
            found = found.or(access.has(Access::WIDE).then_some(false));
        }
        found
    }

    /// The name of a memory cell as shown to the user: `x`, `q.buf[1].len`, `x[1][2]`; `#7` for a run-time allocation.
    pub fn cell_name(&self, cell: &crate::value::Pointer) -> String {
        let mut name = self.allocation_name(cell.allocation);
        if let Some(part) = self.sources.part_name(&format!("&{name}"), cell) {
            return name + &part;
        }
        for offset in &cell.path {
            name.push_str(&format!("[{offset}]"));
        }
        name
    }

    /// The name of an allocation as shown to the user.
    pub fn allocation_name(&self, allocation: u32) -> String {
        match self.globals.get(allocation as usize) {
            Some(global) => global.name.clone(),
            None => format!("#{allocation}"),
        }
    }

    /// A pointer as shown to the user: by the name of its cell, but one to the start of an object by that of the object.
    fn pointer_name(&self, pointer: &crate::value::Pointer) -> String {
        if pointer.path.is_empty() { self.allocation_name(pointer.allocation) } else { self.cell_name(pointer) }
    }

    /// The name of an observable as shown to the user: `0:r1` as herd writes registers, a cell's name for memory.
    pub fn observable_name(&self, observable: &crate::condition::Observable) -> String {
        match observable {
            crate::condition::Observable::Memory(cell) => self.cell_name(cell),
            crate::condition::Observable::Register(thread, register) => {
                let entry = self.threads.get(thread.0 as usize).map(|t| self.function(t.entry));
                let name = entry.and_then(|f| f.registers.get(register.0 as usize));
                format!("{}:{}", thread.0, name.map_or("?", |n| n))
            }
        }
    }

    /// A value as shown to the user: numbers signed, pointers by cell name.
    pub fn value_name(&self, value: &Value) -> String {
        match value {
            Value::Undefined => "undefined".into(),
            Value::Int(int) => int.signed().to_string(),
            Value::Pointer(pointer) => self.pointer_name(pointer),
            Value::Composite(tag, fields) if fields.is_empty() => tag.to_string(),
            Value::Composite(tag, fields) => {
                let fields: Vec<String> = fields.iter().map(|field| self.value_name(field)).collect();
                format!("{tag}({})", fields.join(", "))
            }
        }
    }
}
