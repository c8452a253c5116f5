//! The operand stack and the local variables of a frame.

use program::{Operand, Operator, RegisterId, Value};

use super::class::Kind;
use super::lower::{Entry, Frame, Lowering, Result};
use super::webs::Web;

impl<'a> Lowering<'_, 'a> {
    /// Takes the top of the stack.
    pub fn pop(&mut self, frame: &mut Frame<'a>) -> Result<Entry> {
        frame.stack.pop().ok_or_else(|| self.malformed("the operand stack is empty", frame.site))
    }

    /// Takes the top of the stack, which must be of a kind.
    pub fn pop_kind(&mut self, frame: &mut Frame<'a>, kind: Kind) -> Result<Entry> {
        let entry = self.pop(frame)?;
        if entry.kind == kind { Ok(entry) } else { Err(self.malformed("an operand has the wrong type", frame.site)) }
    }

    /// The value of the local variable that the instruction at an index reads.
    pub fn local(&mut self, frame: &mut Frame<'a>, at: usize, kind: Kind) -> Result<Entry> {
        let Some(&web) = frame.webs.uses.get(&at) else {
            return Err(self.malformed("there is no such local variable", frame.site));
        };
        let local = &frame.locals[web];
        if let Some(known) = &local.known {
            if known.kind != kind {
                return Err(self.malformed("a local variable has the wrong type", frame.site));
            }
            return Ok(known.clone());
        }
        let shape = local.shape.clone();
        let register = self.local_register(frame, web);
        Ok(Entry { operand: Operand::Register(register), kind, shape })
    }

    fn local_register(&mut self, frame: &mut Frame<'a>, web: Web) -> RegisterId {
        let local = &mut frame.locals[web];
        *local.register.get_or_insert_with(|| {
            let name = local.name.as_deref().unwrap_or("v");
            self.code.register(&format!("{}{name}", frame.prefix))
        })
    }

    /// Assigns the local variable that the instruction at an index assigns.
    pub fn set_local(&mut self, frame: &mut Frame<'a>, at: usize, entry: Entry) -> Result<()> {
        let Some(&web) = frame.webs.definitions.get(&at) else {
            return Err(self.malformed("there is no such local variable", frame.site));
        };
        if frame.webs.assigned[web] == 1 {
            let local = &mut frame.locals[web];
            local.shape = entry.shape.clone();
            if self.code.is_fixed(&entry.operand) {
                local.known = Some(entry.clone());
                if local.name.is_none() {
                    return Ok(());
                }
            }
        }
        let register = self.local_register(frame, web);
        self.spill(frame, register);
        self.assign(frame, register, entry.operand);
        Ok(())
    }

    /// Gives a register a value that was popped from the stack.
    pub fn assign(&mut self, frame: &Frame<'a>, register: RegisterId, operand: Operand) {
        let elsewhere = frame.stack.iter().any(|other| other.operand == operand);
        if elsewhere || !self.code.retarget(&operand, register) {
            self.code.copy(register, operand, frame.site.span);
        }
    }

    /// Adds a constant to the local variable that the instruction at an index changes.
    pub fn increment(&mut self, frame: &mut Frame<'a>, at: usize, by: i64) -> Result<()> {
        let entry = self.local(frame, at, Kind::Int)?;
        let by = Operand::Constant(Value::int(by, 32));
        let sum = self.code.compute(Operator::Add, vec![entry.operand, by], frame.site.span);
        self.set_local(frame, at, Entry::int(sum))
    }

    /// Before a register changes: what the stack holds of it is copied.
    fn spill(&mut self, frame: &mut Frame<'a>, register: RegisterId) {
        let held = Operand::Register(register);
        if frame.stack.iter().all(|entry| entry.operand != held) {
            return;
        }
        let safe = self.code.temporary();
        self.code.copy(safe, held.clone(), frame.site.span);
        for entry in frame.stack.iter_mut().filter(|entry| entry.operand == held) {
            entry.operand = Operand::Register(safe);
        }
    }

    /// Moves what is on the stack to the registers of the depths.
    pub fn spill_stack(&mut self, frame: &mut Frame<'a>) {
        while frame.depths.len() < frame.stack.len() {
            let name = format!("{}stack{}", frame.prefix, frame.depths.len());
            frame.depths.push(self.code.register(&name));
        }
        let span = frame.site.span;
        let is_depth = |operand: &Operand| matches!(operand, Operand::Register(r) if frame.depths.contains(r));
        // What stands in the register of another depth is brought to safety first.
        for (depth, entry) in frame.stack.iter_mut().enumerate() {
            if is_depth(&entry.operand) && entry.operand != Operand::Register(frame.depths[depth]) {
                let safe = self.code.temporary();
                self.code.copy(safe, std::mem::replace(&mut entry.operand, Operand::Register(safe)), span);
            }
        }
        for depth in 0..frame.stack.len() {
            let register = frame.depths[depth];
            let operand = std::mem::replace(&mut frame.stack[depth].operand, Operand::Register(register));
            if operand != Operand::Register(register) {
                self.assign(frame, register, operand);
            }
            frame.stack[depth].shape = None;
        }
    }

    /// A condition that stays what it is when the stack is spilled.
    pub fn safe_condition(&mut self, frame: &Frame<'a>, condition: Operand) -> Operand {
        self.code.keep(&condition);
        match condition {
            Operand::Register(register) if frame.depths.contains(&register) && !frame.stack.is_empty() => {
                let safe = self.code.temporary();
                self.code.copy(safe, condition, frame.site.span);
                Operand::Register(safe)
            }
            other => other,
        }
    }
}
