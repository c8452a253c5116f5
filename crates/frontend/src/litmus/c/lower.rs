//! Functions and statements, lowered to blocks.

use std::collections::HashMap;

use program::{BlockId, Diagnostic, Operand, Operator, RegisterId, Span, Terminator, Unsupported, Value};

use super::syntax::{Calls, Declarator, Expression, Function, Statement, StatementKind};
use crate::litmus::code::Code;
use crate::litmus::init::{Constant, Init};
use crate::litmus::memory::Memory;
use crate::litmus::messages::Messages;
use crate::litmus::types::{INT, Type};

/// Lowers the function of a thread. Errors go to `messages`; what is returned is then of no use.
pub fn lower(number: usize, function: &Function, init: &Init, memory: &mut Memory, messages: &mut Messages) -> Code {
    let code = Code::new(format!("P{number}"), Some(function.span));
    let mut lowering = Lowering {
        calls: function.calls,
        code,
        memory,
        messages,
        initial: HashMap::new(),
        scopes: vec![HashMap::new()],
        closed: HashMap::new(),
        loops: Vec::new(),
        span: function.span,
    };
    for entry in init.registers.iter().filter(|entry| entry.thread as usize == number) {
        lowering.initial.insert(entry.name.clone(), (entry.value.clone(), entry.span));
    }
    lowering.parameters(function);
    lowering.statements(&function.body);
    lowering.undeclared_registers();
    lowering.code
}

/// A function while it is lowered.
pub(super) struct Lowering<'l> {
    /// How the function accesses memory.
    pub calls: Calls,
    /// What is written.
    pub code: Code,
    pub memory: &'l mut Memory,
    pub messages: &'l mut Messages,
    /// Values of local variables in the initial state.
    initial: HashMap<String, (Constant, Span)>,
    /// Variables by name; the innermost block last, the parameters first.
    scopes: Vec<HashMap<String, Variable>>,
    /// Variables of blocks that have ended.
    closed: HashMap<String, Variable>,
    /// The loops around, with what they do next and what comes behind them.
    loops: Vec<Loop>,
    /// The statement being lowered.
    pub span: Span,
}

/// A variable or parameter.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    /// Its type.
    pub declared: Type,
    /// Its register, or its value if it never changes.
    pub home: Operand,
}

#[derive(Clone, Copy)]
struct Loop {
    again: BlockId,
    behind: BlockId,
}

impl Lowering<'_> {
    fn parameters(&mut self, function: &Function) {
        for parameter in &function.parameters {
            let (name, declared, span) = (&parameter.name, parameter.declared, parameter.span);
            let pointee = declared.pointee();
            let id = self.memory.global(name);
            if !pointee.is_pointer() && pointee.width > 0 {
                let fits = self.memory.access(id, pointee.width, span);
                self.messages.note(fits);
            }
            let pointer = self.memory.value(&Constant::Address(name.clone(), 0), 64, span);
            let Some(pointer) = self.messages.note(pointer) else { continue };
            let home = if function.assigned.contains(name) {
                Operand::Register(self.code.named_or(name, pointer))
            } else {
                Operand::Constant(pointer)
            };
            if self.scopes[0].insert(name.clone(), Variable { declared, home }).is_some() {
                self.messages.push(Diagnostic::error(format!("there are two parameters `{name}`"), span));
            }
        }
    }

    /// Lowers the statements of a block, in a scope of their own.
    fn statements(&mut self, statements: &[Statement]) {
        self.scopes.push(HashMap::new());
        for statement in statements {
            let lowered = self.statement(statement);
            self.messages.note(lowered);
        }
        self.close_scope();
    }

    fn close_scope(&mut self) {
        self.closed.extend(self.scopes.pop().unwrap_or_default());
    }

    /// Gives registers of the initial state that the code never names their values, for the condition to see.
    fn undeclared_registers(&mut self) {
        let mut left: Vec<(String, Constant, Span)> =
            self.initial.iter().map(|(name, (constant, span))| (name.clone(), constant.clone(), *span)).collect();
        left.sort_by_key(|(_, _, span)| *span);
        for (name, constant, span) in left {
            if self.scopes[0].contains_key(&name) {
                let what = format!("an initial value of the parameter `{name}`");
                self.messages.push(Unsupported::new(what, Some(span)).into());
            } else if let Some(value) = self.messages.note(self.memory.value(&constant, 32, span)) {
                self.code.named_or(&name, value);
            }
        }
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Diagnostic> {
        self.span = statement.span;
        match &statement.kind {
            StatementKind::Declare(declarators) => self.declare_all(declarators),
            StatementKind::Evaluate(expression) => {
                expression.as_ref().map_or(Ok(()), |expression| self.evaluate(expression, None).map(drop))
            }
            StatementKind::Block(statements) => {
                self.statements(statements);
                Ok(())
            }
            StatementKind::If(condition, then, otherwise) => {
                let leaves = statement.leaves();
                let ends = !leaves.the_loop && !leaves.the_function;
                self.if_statement(condition, then, otherwise.as_deref(), ends)
            }
            StatementKind::While(condition, body) => self.loop_statement(statement, Some(condition), None, body),
            StatementKind::DoWhile(body, condition) => self.do_while(statement, body, condition),
            StatementKind::For(first, condition, step, body) => {
                self.scopes.push(HashMap::new());
                let first = self.statement(first);
                self.messages.note(first);
                let lowered = self.loop_statement(statement, condition.as_ref(), step.as_ref(), body);
                self.close_scope();
                lowered
            }
            StatementKind::Break => self.leave_loop("break", |around| around.behind),
            StatementKind::Continue => self.leave_loop("continue", |around| around.again),
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    self.evaluate(value, None)?;
                }
                self.code.end(Terminator::Return(Vec::new()));
                Ok(())
            }
        }
    }

    fn declare_all(&mut self, declarators: &[Declarator]) -> Result<(), Diagnostic> {
        for declarator in declarators {
            if self.calls == Calls::Handles && declarator.declared != INT {
                let what = "a variable of another type than `int`";
                return Err(Unsupported::new(what, Some(declarator.span)).into());
            }
            let register = self.declare(&declarator.name, declarator.declared, declarator.span)?;
            if let Some(value) = &declarator.value {
                self.assign(register, declarator.declared, value)?;
            }
        }
        Ok(())
    }

    /// The register of a new variable.
    fn declare(&mut self, name: &str, declared: Type, span: Span) -> Result<RegisterId, Diagnostic> {
        let innermost = self.scopes.len() - 1;
        let again = self.scopes[innermost].get(name).map(|variable| variable.home.clone());
        let hidden = self.variable(name).is_some_and(|variable| matches!(variable.home, Operand::Register(_)));
        let initial = self.initial_value(name, declared)?;
        let register = match again {
            Some(Operand::Register(register)) => {
                self.messages.push(Diagnostic::warning(format!("`{name}` is declared again"), span));
                register
            }
            _ if hidden => self.code.another(name, initial),
            _ => self.code.named_or(name, initial),
        };
        let variable = Variable { declared, home: Operand::Register(register) };
        self.scopes[innermost].insert(name.to_string(), variable);
        Ok(register)
    }

    fn initial_value(&mut self, name: &str, declared: Type) -> Result<Value, Diagnostic> {
        let width = if declared.is_pointer() { 64 } else { declared.width };
        match self.initial.get(name) {
            Some((constant, span)) => self.memory.value(constant, width, *span),
            None => Ok(Value::int(0, width)),
        }
    }

    /// What the initial state says of a register, and where.
    pub fn initial_constant(&self, name: &str) -> Option<(Constant, Span)> {
        self.initial.get(name).cloned()
    }

    /// The variable of that name that is visible here.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// The variable of that name that is visible here; if there is none, one of a block that has ended, with a warning.
    pub fn variable_or_closed(&mut self, name: &str, span: Span) -> Option<Variable> {
        if let Some(variable) = self.variable(name) {
            return Some(variable.clone());
        }
        let closed = self.closed.get(name).cloned()?;
        self.messages.push(Diagnostic::warning(format!("`{name}` is used outside of its block"), span));
        Some(closed)
    }

    /// Declares a variable that is assigned without a declaration.
    pub fn declare_implicitly(&mut self, name: &str, declared: Type, span: Span) -> Result<RegisterId, Diagnostic> {
        self.messages.push(Diagnostic::warning(format!("the variable `{name}` is not declared"), span));
        let initial = self.initial_value(name, declared)?;
        let register = self.code.named_or(name, initial);
        // The scope of the function's body, which the parameters' scope encloses.
        let body = 1.min(self.scopes.len() - 1);
        self.scopes[body].insert(name.to_string(), Variable { declared, home: Operand::Register(register) });
        Ok(register)
    }

    /// Assigns the value of an expression to a variable.
    pub fn assign(&mut self, register: RegisterId, declared: Type, value: &Expression) -> Result<(), Diagnostic> {
        let value = self.value(value, Some((register, declared)))?;
        let value = self.convert(value, declared)?;
        if value != Operand::Register(register) {
            self.code.assign(register, Operator::Copy, vec![value], self.span);
        }
        Ok(())
    }

    fn if_statement(
        &mut self,
        condition: &Expression,
        then: &Statement,
        otherwise: Option<&Statement>,
        ends: bool,
    ) -> Result<(), Diagnostic> {
        let condition = self.value(condition, None)?.operand;
        let then_block = self.code.block(None);
        let else_block = otherwise.map(|_| self.code.block(None));
        let behind = self.code.block(None);
        self.branch(condition, then_block, else_block.unwrap_or(behind), ends.then_some(behind));
        self.branch_body(then_block, then, behind);
        if let (Some(block), Some(otherwise)) = (else_block, otherwise) {
            self.branch_body(block, otherwise, behind);
        }
        self.code.write_in(behind);
        Ok(())
    }

    fn branch_body(&mut self, block: BlockId, body: &Statement, behind: BlockId) {
        self.code.write_in(block);
        self.statements(std::slice::from_ref(body));
        self.code.end(Terminator::Jump(behind));
    }

    /// `while` and `for`.
    fn loop_statement(
        &mut self,
        statement: &Statement,
        condition: Option<&Expression>,
        step: Option<&Expression>,
        body: &Statement,
    ) -> Result<(), Diagnostic> {
        let head = self.code.block(Some(statement.span));
        self.code.continue_in(head);
        self.span = statement.span;
        let condition = match condition {
            Some(condition) => self.value(condition, None)?.operand,
            None => Operand::Constant(Value::int(1, 32)),
        };
        let (body_block, behind) = (self.code.block(None), self.code.block(None));
        let again = if step.is_some() { self.code.block(None) } else { head };
        let join = (!statement.leaves().the_function).then_some(behind);
        self.branch(condition, body_block, behind, join);
        self.loops.push(Loop { again, behind });
        self.branch_body(body_block, body, again);
        self.loops.pop();
        if let Some(step) = step {
            self.code.write_in(again);
            self.span = step.span;
            let stepped = self.evaluate(step, None).map(drop);
            self.code.end(Terminator::Jump(head));
            self.messages.note(stepped);
        }
        self.code.write_in(behind);
        Ok(())
    }

    fn do_while(&mut self, statement: &Statement, body: &Statement, condition: &Expression) -> Result<(), Diagnostic> {
        let head = self.code.block(Some(statement.span));
        let (again, behind) = (self.code.block(None), self.code.block(None));
        self.code.continue_in(head);
        self.loops.push(Loop { again, behind });
        self.branch_body(head, body, again);
        self.loops.pop();
        self.code.write_in(again);
        self.span = statement.span;
        let condition = self.value(condition, None)?.operand;
        let join = (!statement.leaves().the_function).then_some(behind);
        self.branch(condition, head, behind, join);
        self.code.write_in(behind);
        Ok(())
    }

    fn leave_loop(&mut self, word: &str, target: fn(&Loop) -> BlockId) -> Result<(), Diagnostic> {
        let Some(around) = self.loops.last() else {
            return Err(Diagnostic::error(format!("`{word}` outside of a loop"), self.span));
        };
        let target = target(around);
        self.code.end(Terminator::Jump(target));
        Ok(())
    }

    /// Ends the current block with a branch, or with a jump if the condition is a constant.
    pub fn branch(&mut self, condition: Operand, then: BlockId, otherwise: BlockId, join: Option<BlockId>) {
        let decided = match &condition {
            Operand::Constant(value) => value.truth(),
            Operand::Register(_) => None,
        };
        self.code.end(match decided {
            Some(true) => Terminator::Jump(then),
            Some(false) => Terminator::Jump(otherwise),
            None => Terminator::Branch { condition, then, otherwise, join, span: Some(self.span) },
        });
    }
}
