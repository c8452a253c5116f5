//! A function while it is written.

use std::collections::{HashMap, HashSet};
use std::ops::{Deref, DerefMut};

use program::build::fold;
use program::tidy::compact;
use program::{BlockId, Builder, Function, InstructionKind, Operand, Operator, RegisterId, Span, Terminator, Value};

/// A function: a [`Builder`] that knows which registers only the operand stack refers to.
pub struct Code {
    name: String,
    flow: Builder,
    /// How often each name was asked for.
    names: HashMap<String, usize>,
    /// Registers that hold what an instruction computed and nothing refers to but the operand stack.
    temporaries: HashSet<RegisterId>,
    /// How many temporaries there were.
    counted: usize,
    parameters: Vec<RegisterId>,
    span: Option<Span>,
    /// Says whether a wait has ended without a notification, if the function waits.
    woken: Option<RegisterId>,
}

/// Blocks and jumps are written as everywhere.
impl Deref for Code {
    type Target = Builder;

    fn deref(&self) -> &Builder {
        &self.flow
    }
}

impl DerefMut for Code {
    fn deref_mut(&mut self) -> &mut Builder {
        &mut self.flow
    }
}

impl Code {
    /// An empty function.
    pub fn new(name: String, span: Option<Span>) -> Code {
        Code {
            name,
            flow: Builder::new(span),
            names: HashMap::new(),
            temporaries: HashSet::new(),
            counted: 0,
            parameters: Vec::new(),
            span,
            woken: None,
        }
    }

    /// A fresh register; its name gets a number if it was used before.
    pub fn register(&mut self, name: &str) -> RegisterId {
        let uses = self.names.entry(name.to_string()).or_default();
        *uses += 1;
        let name = if *uses == 1 { name.to_string() } else { format!("{name}#{uses}") };
        self.flow.add_register(name)
    }

    /// A fresh parameter.
    pub fn parameter(&mut self, name: &str) -> RegisterId {
        let register = self.register(name);
        self.parameters.push(register);
        register
    }

    /// Whether an operand always has the same value: a constant or a parameter, which is never assigned.
    pub fn is_fixed(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Constant(_) => true,
            Operand::Register(register) => self.parameters.contains(register),
        }
    }

    /// A fresh register that only the operand stack refers to.
    pub fn temporary(&mut self) -> RegisterId {
        let register = self.register(&format!("_{}", self.counted));
        self.counted += 1;
        self.temporaries.insert(register);
        register
    }

    /// From now on other places than the operand stack refer to the operand.
    pub fn keep(&mut self, operand: &Operand) {
        if let Operand::Register(register) = operand {
            self.temporaries.remove(register);
        }
    }

    /// Adds an instruction to the current block.
    pub fn emit(&mut self, kind: InstructionKind, span: Span) {
        self.flow.emit(kind, Some(span));
    }

    /// Adds an instruction that stands nowhere in the source.
    pub fn emit_nowhere(&mut self, kind: InstructionKind) {
        self.flow.emit(kind, None);
    }

    /// Adds `target := operand`.
    pub fn copy(&mut self, target: RegisterId, operand: Operand, span: Span) {
        self.flow.assign(target, Operator::Copy, vec![operand], Some(span));
    }

    /// The result of the operator: a constant if it can be computed now, else a temporary.
    pub fn compute(&mut self, operator: Operator, operands: Vec<Operand>, span: Span) -> Operand {
        if let Some(value) = fold(&operator, &operands) {
            return Operand::Constant(value);
        }
        let target = self.temporary();
        self.flow.assign(target, operator, operands, Some(span));
        Operand::Register(target)
    }

    /// Lets the last instruction give its result to `target` instead of the temporary `operand`, if it is the one that
    /// computes it. Nothing else may refer to the operand.
    pub fn retarget(&mut self, operand: &Operand, new: RegisterId) -> bool {
        let Operand::Register(old) = operand else { return false };
        match self.flow.last_mut() {
            Some(
                InstructionKind::Assign { target, .. }
                | InstructionKind::Load { target, .. }
                | InstructionKind::Allocate { target, .. },
            ) if target == old && self.temporaries.contains(old) => {
                *target = new;
                true
            }
            _ => false,
        }
    }

    /// Ends the current block, unless it has ended; another is written in by [`Builder::write_in`].
    pub fn end(&mut self, terminator: Terminator) {
        self.flow.terminate(terminator);
    }

    /// Ends the current block with a branch; one whose condition is constant is a jump.
    pub fn branch(&mut self, condition: Operand, then: BlockId, otherwise: BlockId, span: Span) {
        let truth = condition.constant().and_then(Value::truth);
        self.end(match truth {
            Some(true) => Terminator::Jump(then),
            Some(false) => Terminator::Jump(otherwise),
            None if then == otherwise => Terminator::Jump(then),
            None => Terminator::Branch { condition, then, otherwise, join: None, span: Some(span) },
        });
    }

    /// Chooses whether a wait ends without a notification, unless one has in this call of the function. The specification
    /// (17.2.1) sets no limit; but a loop around the wait that never ends would keep a question from being answered.
    pub fn ends_without_notification(&mut self, span: Span) -> Operand {
        let woken = self.woken.unwrap_or_else(|| self.first_woken());
        let ends = self.register("ends");
        let [asks, next] = [(); 2].map(|()| self.flow.block(Some(span)));
        self.copy(ends, Operand::Constant(Value::int(0, 32)), span);
        self.branch(Operand::Register(woken), next, asks, span);
        self.write_in(asks);
        self.emit(InstructionKind::Choose { target: ends, low: 0, high: 1, width: 32 }, span);
        self.copy(woken, Operand::Register(ends), span);
        self.end(Terminator::Jump(next));
        self.write_in(next);
        Operand::Register(ends)
    }

    fn first_woken(&mut self) -> RegisterId {
        let woken = self.register("woken");
        self.flow.start_with(woken, Value::int(0, 32));
        *self.woken.insert(woken)
    }

    /// The function, which gives no results.
    pub fn finish(self) -> Function {
        self.finish_with(0)
    }

    /// The function, which gives that many results.
    pub fn finish_with(self, results: usize) -> Function {
        let mut function = self.flow.finish(self.name, self.parameters, &[], self.span);
        function.results = results;
        compact(&mut function);
        function
    }
}
