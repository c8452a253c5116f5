//! The function of one thread while it is written.

use std::collections::{HashMap, HashSet};
use std::ops::{Deref, DerefMut};

use program::tidy::tidy;
use program::{Builder, Function, InstructionKind, Operand, Operator, RegisterId, Span, Value};

/// A thread's function: a [`Builder`] whose registers are named as in the source and start with values.
#[derive(Debug)]
pub struct Code {
    name: String,
    flow: Builder,
    /// Their names are made distinct at the end.
    temporaries: HashSet<RegisterId>,
    /// Registers with the values that they start with.
    parameters: Vec<(RegisterId, Value)>,
    by_name: HashMap<String, RegisterId>,
    span: Option<Span>,
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
            flow: Builder::new(None),
            temporaries: HashSet::new(),
            parameters: Vec::new(),
            by_name: HashMap::new(),
            span,
        }
    }

    /// The register of that name, if there is one.
    pub fn named(&self, name: &str) -> Option<RegisterId> {
        self.by_name.get(name).copied()
    }

    /// The register of that name; a new one starts with `value`.
    pub fn named_or(&mut self, name: &str, value: Value) -> RegisterId {
        if let Some(register) = self.named(name) {
            return register;
        }
        let register = self.add_register(name.to_string());
        self.by_name.insert(name.to_string(), register);
        self.parameters.push((register, value));
        register
    }

    /// A fresh register that starts with `value`; its name is `name` with a number.
    pub fn another(&mut self, name: &str, value: Value) -> RegisterId {
        let fresh = (2..).map(|number| format!("{name}_{number}")).find(|fresh| !self.by_name.contains_key(fresh));
        self.named_or(&fresh.unwrap_or_default(), value)
    }

    /// A fresh register that the source does not name and that starts undefined.
    pub fn temporary(&mut self) -> RegisterId {
        let register = self.flow.add_register(format!("_{}", self.temporaries.len()));
        self.temporaries.insert(register);
        register
    }

    /// Adds an instruction.
    pub fn emit(&mut self, kind: InstructionKind, span: Span) {
        self.flow.emit(kind, Some(span));
    }

    /// Adds `target := operator(operands)`.
    pub fn assign(&mut self, target: RegisterId, operator: Operator, operands: Vec<Operand>, span: Span) {
        self.flow.assign(target, operator, operands, Some(span));
    }

    /// Adds `t := operator(operands)` for a fresh `t`. Nothing is computed in advance: models see dependencies.
    pub fn compute(&mut self, operator: Operator, operands: Vec<Operand>, span: Span) -> Operand {
        let target = self.temporary();
        self.assign(target, operator, operands, span);
        Operand::Register(target)
    }

    /// The function and the values of its parameters. Blocks that cannot be reached or do nothing are dropped, the others
    /// stand in the order of the control flow.
    pub fn finish(mut self) -> (Function, Vec<Value>) {
        self.rename_temporaries();
        let (parameters, arguments) = self.parameters.into_iter().unzip();
        let mut function = self.flow.finish(self.name, parameters, &[], self.span);
        tidy(&mut function);
        (function, arguments)
    }

    fn rename_temporaries(&mut self) {
        for &register in &self.temporaries {
            let name = self.flow.register_name_mut(register);
            while self.by_name.contains_key(name) {
                name.push('_');
            }
        }
    }
}
