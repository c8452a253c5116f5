//! What instructions of x86 do to operands, registers and flags.

use std::collections::HashMap;

use program::{Access, InstructionKind, Operand, Operator, Order, RegisterId, Update, Value};

use super::super::lower::{Bytes, Lowered, Lowering, Typed};
use super::super::place::Place;
use super::super::types::Type;
use super::template::{self, Instruction};

/// Where an operand of a statement is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// In memory, at this address.
    Memory(Operand),
    /// In a register that its constraint names.
    Named(char),
    /// In some register.
    Some(usize),
    /// In a flag: its condition.
    Flag(String),
}

/// The operands of a statement, and what registers and flags hold.
#[derive(Default)]
pub struct Machine {
    /// Operands in order: their names, where they are, and their types.
    operands: Vec<(Option<String>, Slot, Type)>,
    held: HashMap<Slot, Operand>,
    /// The widths of what is held.
    widths: HashMap<Slot, u8>,
    /// The result that the flags for zero and sign are those of.
    outcome: Option<(Operand, u8)>,
    /// The flag for zero, where it is not that of an outcome.
    zero: Option<Operand>,
    carry: Option<Operand>,
    /// What is written once all instructions are done.
    pub results: Vec<(Slot, Place)>,
    /// Whether other accesses stay on their side of the statement.
    pub is_ordered: bool,
}

impl Machine {
    /// Adds an operand.
    pub fn add(&mut self, name: Option<String>, slot: Slot, of: Type) {
        self.operands.push((name, slot, of));
    }

    /// Where the operand of a number is.
    pub fn numbered(&self, number: usize) -> Option<Slot> {
        self.operands.get(number).map(|(_, slot, _)| slot.clone())
    }

    /// The register that constraints ask for.
    pub fn slot(&self, constraints: &str) -> Slot {
        let letters: Vec<char> = constraints.chars().filter(|letter| letter.is_ascii_alphabetic()).collect();
        match letters[..] {
            [letter @ ('a' | 'b' | 'c' | 'd' | 'S' | 'D')] => Slot::Named(letter),
            _ => Slot::Some(self.operands.len()),
        }
    }

    /// What a register holds from now on.
    pub fn set(&mut self, slot: &Slot, value: Typed) {
        self.hold(slot.clone(), value.operand, value.of.width().unwrap_or(64));
    }

    fn hold(&mut self, slot: Slot, value: Operand, width: u8) {
        self.widths.insert(slot.clone(), width);
        self.held.insert(slot, value);
    }

    fn find(&self, name: &str) -> Option<&(Option<String>, Slot, Type)> {
        let named = self.operands.iter().find(|(known, ..)| known.as_deref() == Some(name));
        named.or_else(|| name.parse::<usize>().ok().and_then(|number| self.operands.get(number)))
    }

    /// The width of the type of an operand that is in a register.
    fn width_of(&self, operand: &template::Operand) -> Option<u8> {
        match operand {
            template::Operand::Of(name) => match self.find(name)? {
                (_, Slot::Memory(_), _) => None,
                (_, _, of) => of.width(),
            },
            _ => None,
        }
    }
}

impl Lowering<'_> {
    /// Runs an instruction.
    pub(super) fn execute(&mut self, machine: &mut Machine, instruction: &Instruction, at: Bytes) -> Lowered<()> {
        if instruction.operands.iter().any(|operand| is_view(machine, operand, instruction.width)) {
            self.views.add();
        }
        let refusal = || format!("the inline assembly `{}`", instruction.text);
        let done = match (instruction.name.as_str(), &instruction.operands[..]) {
            ("mov" | "movabs", [from, to]) if !instruction.locked => self.mov(machine, instruction, from, to, at)?,
            ("xchg", [a, b]) => self.exchange(machine, instruction, a, b, at)?,
            (name, [to]) if name.starts_with("set") => self.set_flag(machine, &name[3..], to, at)?,
            ("cmpxchg16b", [to]) if instruction.locked => self.double_compare(machine, to, at)?,
            ("cmpxchg", [from, to]) if instruction.locked => self.compare(machine, instruction, from, to, at)?,
            ("bts" | "btr" | "btc", [from, to]) if instruction.locked => {
                self.bit(machine, instruction, from, to, at)?
            }
            (_, [.., _]) if instruction.locked => self.update(machine, instruction, at)?,
            _ => None,
        };
        let note = "use C11 atomics, or GCC's __atomic builtins";
        done.ok_or_else(|| self.unsupported(refusal(), at).note(note))
    }

    fn mov(
        &mut self,
        machine: &mut Machine,
        instruction: &Instruction,
        from: &template::Operand,
        to: &template::Operand,
        at: Bytes,
    ) -> Lowered<Option<()>> {
        let Some(width) = instruction.width.or(machine.width_of(from)).or(machine.width_of(to)) else {
            return Ok(None);
        };
        let value = match self.memory(machine, from, at)? {
            Some(address) => Some(self.read(machine, address, width)),
            None => self.read_operand(machine, from, width, at)?,
        };
        let Some(value) = value else { return Ok(None) };
        match self.memory(machine, to, at)? {
            Some(address) => {
                let access = ordered(machine, Order::Release, width);
                self.code.emit(InstructionKind::Store { address, value, access }, self.here);
                Ok(Some(()))
            }
            None => Ok(write_operand(machine, to, value, width)),
        }
    }

    fn exchange(
        &mut self,
        machine: &mut Machine,
        instruction: &Instruction,
        a: &template::Operand,
        b: &template::Operand,
        at: Bytes,
    ) -> Lowered<Option<()>> {
        // Its operands may stand in either order.
        let (register, memory) = match (self.memory(machine, a, at)?, self.memory(machine, b, at)?) {
            (Some(address), None) => (b, address),
            (None, Some(address)) => (a, address),
            _ => return Ok(None),
        };
        let Some(width) = instruction.width.or(machine.width_of(register)) else { return Ok(None) };
        let Some(value) = self.read_operand(machine, register, width, at)? else { return Ok(None) };
        let old = self.locked(machine, memory, Update::Exchange(value), width);
        Ok(write_operand(machine, register, old, width))
    }

    /// A locked read-modify-write of one operator.
    fn update(&mut self, machine: &mut Machine, instruction: &Instruction, at: Bytes) -> Lowered<Option<()>> {
        let (first, to) = match &instruction.operands[..] {
            [to] => (None, to),
            [from, to] => (Some(from), to),
            _ => return Ok(None),
        };
        let Some(address) = self.memory(machine, to, at)? else { return Ok(None) };
        let named = first.and_then(|first| machine.width_of(first));
        let Some(width) = instruction.width.or(named).or(type_of(machine, to)) else { return Ok(None) };
        let number = |value: i64| Some(Operand::Constant(Value::int(value, width)));
        let value = match first {
            Some(first) => self.read_operand(machine, first, width, at)?,
            None => None,
        };
        let (operator, value) = match (instruction.name.as_str(), first) {
            ("add" | "xadd", Some(_)) => (Operator::Add, value),
            ("sub", Some(_)) => (Operator::Sub, value),
            ("and", Some(_)) => (Operator::And, value),
            ("or", Some(_)) => (Operator::Or, value),
            ("xor", Some(_)) => (Operator::Xor, value),
            ("inc", None) => (Operator::Add, number(1)),
            ("dec", None) => (Operator::Sub, number(1)),
            ("not", None) => (Operator::Xor, number(-1)),
            // The product with -1 is the negation.
            ("neg", None) => (Operator::Mul, number(-1)),
            _ => return Ok(None),
        };
        let Some(value) = value else { return Ok(None) };
        let old = self.locked(machine, address, Update::Apply(operator.clone(), value.clone()), width);
        let new = self.code.compute(operator, vec![old.clone(), value], self.here);
        if instruction.name != "not" {
            (machine.outcome, machine.zero, machine.carry) = (Some((new, width)), None, None);
        }
        match (instruction.name.as_str(), first) {
            ("xadd", Some(first)) => Ok(write_operand(machine, first, old, width)),
            _ => Ok(Some(())),
        }
    }

    fn compare(
        &mut self,
        machine: &mut Machine,
        instruction: &Instruction,
        from: &template::Operand,
        to: &template::Operand,
        at: Bytes,
    ) -> Lowered<Option<()>> {
        let Some(address) = self.memory(machine, to, at)? else { return Ok(None) };
        let Some(width) = instruction.width.or(machine.width_of(from)) else { return Ok(None) };
        let accumulator = Slot::Named('a');
        let desired = self.read_operand(machine, from, width, at)?;
        let expected = self.read_slot(machine, &accumulator, width, at)?;
        let (Some(desired), Some(expected)) = (desired, expected) else { return Ok(None) };
        let success = self.code.temporary();
        let failure = ordered(machine, Order::SeqCst, width);
        let update = Update::CompareExchange { expected, desired, success, weak: false, failure };
        let old = self.locked(machine, address, update, width);
        machine.hold(accumulator, old, width);
        (machine.outcome, machine.zero, machine.carry) = (None, Some(Operand::Register(success)), None);
        Ok(Some(()))
    }

    /// Two words at once: an atomic block, between fences.
    fn double_compare(&mut self, machine: &mut Machine, to: &template::Operand, at: Bytes) -> Lowered<Option<()>> {
        let Some(address) = self.memory(machine, to, at)? else { return Ok(None) };
        let mut words = Vec::new();
        for letter in ['a', 'd', 'b', 'c'] {
            words.push(self.read_slot(machine, &Slot::Named(letter), 64, at)?);
        }
        // Where nothing is said of them, they hold anything: they are only ever the same as each other.
        let any = || Operand::Constant(Value::int(0, 64));
        let [Some(low), Some(high), Some(new_low), Some(new_high)] = &words[..] else {
            if machine.held.keys().any(|slot| matches!(slot, Slot::Named('a' | 'b' | 'c' | 'd'))) {
                return Ok(None);
            }
            let [a, d] = self.two_words(&address, [any(), any()], [any(), any()], machine).0;
            machine.hold(Slot::Named('a'), a, 64);
            machine.hold(Slot::Named('d'), d, 64);
            return Ok(Some(()));
        };
        let expected = [low.clone(), high.clone()];
        let desired = [new_low.clone(), new_high.clone()];
        let ([a, d], success) = self.two_words(&address, expected, desired, machine);
        machine.hold(Slot::Named('a'), a, 64);
        machine.hold(Slot::Named('d'), d, 64);
        (machine.outcome, machine.zero, machine.carry) = (None, Some(success), None);
        Ok(Some(()))
    }

    fn two_words(
        &mut self,
        address: &Operand,
        expected: [Operand; 2],
        desired: [Operand; 2],
        machine: &Machine,
    ) -> ([Operand; 2], Operand) {
        self.views.add();
        self.full_fence(machine);
        self.code.emit(InstructionKind::AtomicBegin, self.here);
        let second = self.bytes_after(address.clone(), 8);
        let access = Access::ordered(Order::Relaxed).of_bytes(8);
        let seen = [address.clone(), second.clone()].map(|address| self.read_as(address, access.clone()));
        let equal = [0, 1].map(|word: usize| {
            self.code.compute(Operator::Eq, vec![seen[word].clone(), expected[word].clone()], self.here)
        });
        let success = self.code.compute(Operator::And, equal.to_vec(), self.here);
        let (writing, behind) = (self.code.block(None), self.code.block(None));
        let branch = self.branch_to(success.clone(), writing, behind, Some(behind));
        self.code.end_and_go_on(branch, writing);
        for (address, value) in [address.clone(), second].into_iter().zip(desired) {
            let access = access.clone();
            self.code.emit(InstructionKind::Store { address, value, access }, self.here);
        }
        self.code.continue_in(behind);
        self.code.emit(InstructionKind::AtomicEnd, self.here);
        self.full_fence(machine);
        (seen, success)
    }

    /// Sets, resets or complements a bit, and keeps what it was.
    fn bit(
        &mut self,
        machine: &mut Machine,
        instruction: &Instruction,
        from: &template::Operand,
        to: &template::Operand,
        at: Bytes,
    ) -> Lowered<Option<()>> {
        let Some(address) = self.memory(machine, to, at)? else { return Ok(None) };
        let Some(width) = instruction.width.or(machine.width_of(from)) else { return Ok(None) };
        let Some(index) = self.read_operand(machine, from, width, at)? else { return Ok(None) };
        let number = |value: i64| Operand::Constant(Value::int(value, width));
        let within = vec![index.clone(), number(i64::from(width))];
        let within = self.code.compute(Operator::LtUnsigned, within, self.here);
        let what = format!("`{}` of a bit outside of the word", instruction.text);
        self.refuse_unless(within, what);
        let mask = self.code.compute(Operator::Shl, vec![number(1), index.clone()], self.here);
        let (operator, value) = match instruction.name.as_str() {
            "bts" => (Operator::Or, mask),
            "btc" => (Operator::Xor, mask),
            _ => (Operator::And, self.code.compute(Operator::Not, vec![mask], self.here)),
        };
        let old = self.locked(machine, address, Update::Apply(operator, value), width);
        let moved = self.code.compute(Operator::ShrUnsigned, vec![old, index], self.here);
        let carry = self.code.compute(Operator::And, vec![moved, number(1)], self.here);
        (machine.outcome, machine.zero, machine.carry) = (None, None, Some(carry));
        Ok(Some(()))
    }

    fn set_flag(
        &mut self,
        machine: &mut Machine,
        condition: &str,
        to: &template::Operand,
        at: Bytes,
    ) -> Lowered<Option<()>> {
        let Some(flag) = self.flag_value(machine, condition, 8) else { return Ok(None) };
        match self.memory(machine, to, at)? {
            Some(_) => Ok(None),
            None => Ok(write_operand(machine, to, flag, 8)),
        }
    }

    /// A condition of the flags as 0 or 1.
    fn flag_value(&mut self, machine: &Machine, condition: &str, width: u8) -> Option<Operand> {
        let is_negated = matches!(condition, "nz" | "ne" | "ns" | "nc" | "ae" | "nb");
        let condition = if is_negated { condition.trim_start_matches('n') } else { condition };
        let truth = match (condition, &machine.outcome) {
            ("z" | "e", Some((outcome, _))) => self.code.compute(Operator::IsFalse, vec![outcome.clone()], self.here),
            ("z" | "e", None) => machine.zero.clone()?,
            ("s", Some((outcome, bits))) => {
                let zero = Operand::Constant(Value::int(0, *bits));
                self.code.compute(Operator::LtSigned, vec![outcome.clone(), zero], self.here)
            }
            ("c" | "b" | "ae", _) => machine.carry.clone()?,
            _ => return None,
        };
        let turns = if is_negated { 1 } else { 2 };
        let flag = (0..turns).fold(truth, |flag, _| self.code.compute(Operator::IsFalse, vec![flag], self.here));
        Some(self.code.compute(Operator::Resize { width, signed: false }, vec![flag], self.here))
    }

    /// What a register or flag holds, in so many bits.
    pub(super) fn read_slot(
        &mut self,
        machine: &Machine,
        slot: &Slot,
        width: u8,
        at: Bytes,
    ) -> Lowered<Option<Operand>> {
        if let Slot::Flag(condition) = slot {
            return Ok(self.flag_value(machine, condition, width));
        }
        let (Some(value), Some(held)) = (machine.held.get(slot).cloned(), machine.widths.get(slot)) else {
            return Ok(None);
        };
        match held.cmp(&width) {
            std::cmp::Ordering::Equal => Ok(Some(value)),
            std::cmp::Ordering::Greater => {
                let operator = Operator::Resize { width, signed: false };
                Ok(Some(self.code.compute(operator, vec![value], self.here)))
            }
            // What is written to the lower half of a register clears the upper; smaller parts leave the rest.
            std::cmp::Ordering::Less if *held == 32 => {
                let operator = Operator::Resize { width, signed: false };
                Ok(Some(self.code.compute(operator, vec![value], self.here)))
            }
            std::cmp::Ordering::Less => Err(self.unsupported("inline assembly that writes a part of a register", at)),
        }
    }

    /// What an operand that is not in memory holds.
    fn read_operand(
        &mut self,
        machine: &Machine,
        operand: &template::Operand,
        width: u8,
        at: Bytes,
    ) -> Lowered<Option<Operand>> {
        match operand {
            template::Operand::Number(number) => Ok(Some(Operand::Constant(Value::int(*number, width)))),
            template::Operand::Register(letter) => self.read_slot(machine, &Slot::Named(*letter), width, at),
            template::Operand::Of(name) => match machine.find(name).cloned() {
                Some((_, slot, _)) => self.read_slot(machine, &slot, width, at),
                None => Ok(None),
            },
            template::Operand::At(..) => Ok(None),
        }
    }

    /// The address of an operand in memory.
    fn memory(&mut self, machine: &Machine, operand: &template::Operand, at: Bytes) -> Lowered<Option<Operand>> {
        match operand {
            template::Operand::Of(name) => Ok(match machine.find(name) {
                Some((_, Slot::Memory(address), _)) => Some(address.clone()),
                _ => None,
            }),
            template::Operand::At(name, distance) => {
                let base = self.read_operand(machine, &template::Operand::Of(name.clone()), 64, at)?;
                self.views.add();
                let distance = Operand::Constant(Value::int(*distance, 64));
                Ok(base.map(|base| self.code.compute(Operator::Step(1), vec![base, distance], self.here)))
            }
            _ => Ok(None),
        }
    }

    fn read(&mut self, machine: &Machine, address: Operand, width: u8) -> Operand {
        self.read_as(address, ordered(machine, Order::Acquire, width))
    }

    fn read_as(&mut self, address: Operand, access: Access) -> Operand {
        let target: RegisterId = self.code.temporary();
        self.code.emit(InstructionKind::Load { target, address, access }, self.here);
        Operand::Register(target)
    }

    /// A locked read-modify-write: what it reads.
    fn locked(&mut self, machine: &Machine, address: Operand, update: Update, width: u8) -> Operand {
        self.full_fence(machine);
        let target = self.code.temporary();
        let access = ordered(machine, Order::SeqCst, width);
        self.code.emit(InstructionKind::ReadModifyWrite { target, address, update, access }, self.here);
        self.full_fence(machine);
        Operand::Register(target)
    }

    /// What a locked instruction is to all accesses around it.
    fn full_fence(&mut self, machine: &Machine) {
        if machine.is_ordered {
            self.code.emit(InstructionKind::Fence { access: Access::ordered(Order::SeqCst) }, self.here);
        }
    }
}

/// An access of so many bits; one that does not keep others in order is relaxed.
fn ordered(machine: &Machine, order: Order, width: u8) -> Access {
    Access::ordered(if machine.is_ordered { order } else { Order::Relaxed }).of_bytes(width / 8)
}

/// Whether memory is accessed in another width than that of its type.
fn is_view(machine: &Machine, operand: &template::Operand, width: Option<u8>) -> bool {
    let template::Operand::Of(name) = operand else { return false };
    matches!(machine.find(name), Some((_, Slot::Memory(_), of)) if width.is_some() && of.width() != width)
}

/// The width of the type of an operand in memory.
fn type_of(machine: &Machine, operand: &template::Operand) -> Option<u8> {
    match operand {
        template::Operand::Of(name) => machine.find(name).and_then(|(_, _, of)| of.width()),
        _ => None,
    }
}

fn write_operand(machine: &mut Machine, operand: &template::Operand, value: Operand, width: u8) -> Option<()> {
    let slot = match operand {
        template::Operand::Register(letter) => Slot::Named(*letter),
        template::Operand::Of(name) => machine.find(name)?.1.clone(),
        _ => return None,
    };
    machine.hold(slot, value, width);
    Some(())
}
