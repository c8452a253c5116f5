//! Local memory to registers, as a compiler does it.
//!
//! A block of memory that a function allocates and whose address never leaves it (it is not stored, shown, compared or
//! passed on) is private to one activation: its cells become registers, and accesses to them copies. No other thread
//! can tell the difference under any model, and the model has fewer events to order. Dependencies go on through such a
//! cell as through any register.
//!
//! The analysis does not follow the flow of control: a register may hold an address within one allocation at one path,
//! or else every allocation whose address it may hold stays in memory.

use std::collections::HashMap;

use program::{Flow, Function, InstructionKind, Operand, Operator, RegisterId, Value};

/// Blocks with more bytes stay in memory.
const FARTHEST: i64 = 1 << 16;

/// An `allocate` instruction: block and position.
type Site = (usize, usize);

/// What address a register may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Holds {
    /// None of a local allocation.
    Nothing,
    /// This cell of what this site allocates.
    Cell(Site, Vec<i64>),
}

/// Turns private blocks of memory into registers.
pub fn promote(mut function: Function) -> Function {
    let Some(mut holds) = Analysis::of(&function) else { return function };
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        holds.keep_in_bounds(&function, &instruction.kind);
    }
    holds.private.retain(|site, _| !is_stale_possible(&function, *site, &holds.registers));
    if holds.private.values().all(|private| !private) {
        return function;
    }
    let mut cells: HashMap<(Site, Vec<i64>), RegisterId> = HashMap::new();
    // All cells first, so that `allocate` can reset them.
    for block in &function.blocks {
        for instruction in &block.instructions {
            if let Some((site, path)) = holds.accessed(&instruction.kind) {
                let next = RegisterId((function.registers.len() + cells.len()) as u32);
                cells.entry((site, path)).or_insert(next);
            }
        }
    }
    let mut ordered: Vec<(&(Site, Vec<i64>), &RegisterId)> = cells.iter().collect();
    ordered.sort_by_key(|(_, register)| **register);
    for ((site, path), _) in &ordered {
        let mut name = match &function.blocks[site.0].instructions[site.1].kind {
            InstructionKind::Allocate { name, .. } => name.to_string(),
            _ => String::new(),
        };
        path.iter().for_each(|offset| name.push_str(&format!("[{offset}]")));
        function.registers.push(name);
    }
    for (at, block) in function.blocks.iter_mut().enumerate() {
        let instructions = std::mem::take(&mut block.instructions);
        for (position, mut instruction) in instructions.into_iter().enumerate() {
            let copy = |target: RegisterId, value: Operand| InstructionKind::Assign {
                target,
                operator: Operator::Copy,
                operands: vec![value],
            };
            let accessed = holds.accessed(&instruction.kind).and_then(|cell| cells.get(&cell).copied());
            match (&instruction.kind, accessed) {
                (InstructionKind::Load { target, .. }, Some(cell)) => {
                    instruction.kind = copy(*target, Operand::Register(cell));
                }
                (InstructionKind::Store { value, .. }, Some(cell)) => {
                    instruction.kind = copy(cell, value.clone());
                }
                (InstructionKind::Allocate { default, .. }, _) if holds.private.get(&(at, position)) == Some(&true) => {
                    for ((_, _), register) in ordered.iter().filter(|((site, _), _)| *site == (at, position)) {
                        let reset = copy(**register, Operand::Constant(default.clone()));
                        block.instructions.push(program::Instruction { kind: reset, span: instruction.span });
                    }
                    // The address itself is used by nothing that is left but other addresses.
                    let InstructionKind::Allocate { target, .. } = instruction.kind else { continue };
                    instruction.kind = copy(target, Operand::Constant(Value::Undefined));
                }
                (InstructionKind::Assign { target, .. }, _) if holds.is_private_address(*target) => {
                    instruction.kind = copy(*target, Operand::Constant(Value::Undefined));
                }
                _ => {}
            }
            block.instructions.push(instruction);
        }
    }
    function
}

struct Analysis {
    registers: Vec<Holds>,
    /// The sites, and whether each stays private.
    private: HashMap<Site, bool>,
}

impl Analysis {
    /// `None` if nothing is allocated.
    fn of(function: &Function) -> Option<Analysis> {
        let mut private = HashMap::new();
        for (at, block) in function.blocks.iter().enumerate() {
            for (position, instruction) in block.instructions.iter().enumerate() {
                if matches!(instruction.kind, InstructionKind::Allocate { .. }) {
                    private.insert((at, position), true);
                }
            }
        }
        if private.is_empty() {
            return None;
        }
        let mut analysis = Analysis { registers: vec![Holds::Nothing; function.registers.len()], private };
        // Addresses only ever go from nothing to one cell; what would hold two makes both sites public.
        loop {
            let before = analysis.registers.clone();
            analysis.iteration(function);
            if analysis.registers == before {
                break;
            }
        }
        Some(analysis)
    }

    fn iteration(&mut self, function: &Function) {
        for (at, block) in function.blocks.iter().enumerate() {
            for (position, instruction) in block.instructions.iter().enumerate() {
                self.instruction((at, position), &instruction.kind);
            }
            block.terminator.operands().into_iter().for_each(|operand| self.escape(operand));
        }
    }

    fn instruction(&mut self, at: Site, kind: &InstructionKind) {
        match kind {
            InstructionKind::Allocate { target, reuse, .. } => {
                if *reuse {
                    self.private.insert(at, false);
                }
                self.assign(*target, Holds::Cell(at, Vec::new()));
            }
            InstructionKind::Assign { target, operator, operands } => {
                let held = match (operator, &operands[..]) {
                    (Operator::Copy | Operator::Defined, [operand]) => self.of_operand(operand),
                    (Operator::Advance, [operand, Operand::Constant(Value::Int(n))]) if n.signed() == 0 => {
                        self.of_operand(operand)
                    }
                    (Operator::Step(size), [operand, Operand::Constant(Value::Int(n))])
                    | (Operator::Element { size, .. }, [operand, Operand::Constant(Value::Int(n))])
                        if operator.elements().is_none_or(|elements| elements.contains(&n.signed())) =>
                    {
                        match self.of_operand(operand) {
                            Holds::Cell(site, path) => self.step(operand, site, &path, n.signed(), *size),
                            Holds::Nothing => Holds::Nothing,
                        }
                    }
                    (Operator::Offset, [operand, Operand::Constant(Value::Int(n))]) => match self.of_operand(operand) {
                        Holds::Cell(site, mut path) => {
                            path.push(n.signed());
                            // A chain that grows in a loop would not end.
                            if path.len() > 16 {
                                self.escape(operand);
                            }
                            path.truncate(16);
                            Holds::Cell(site, path)
                        }
                        Holds::Nothing => Holds::Nothing,
                    },
                    _ => {
                        operands.iter().for_each(|operand| self.escape(operand));
                        Holds::Nothing
                    }
                };
                self.assign(*target, held);
            }
            InstructionKind::Load { target, .. } => self.assign(*target, Holds::Nothing),
            InstructionKind::Store { value, .. } => self.escape(value),
            other => {
                other.operands().into_iter().for_each(|operand| self.escape(operand));
                other.targets().into_iter().for_each(|target| self.assign(target, Holds::Nothing));
            }
        }
    }

    /// The address some bytes further on. One that is moved again and again in a loop would not come to an end.
    fn step(&mut self, operand: &Operand, site: Site, path: &[i64], count: i64, size: u32) -> Holds {
        let start = match path {
            [] => Some(0),
            [offset] => Some(*offset),
            _ => None,
        };
        let moved = start.and_then(|start| count.checked_mul(i64::from(size))?.checked_add(start));
        match moved.filter(|offset| (0..FARTHEST).contains(offset)) {
            Some(offset) => Holds::Cell(site, program::Pointer::byte_path(offset)),
            None => {
                self.escape(operand);
                Holds::Cell(site, vec![FARTHEST])
            }
        }
    }

    fn of_operand(&self, operand: &Operand) -> Holds {
        match operand {
            Operand::Register(register) => self.registers[register.index()].clone(),
            Operand::Constant(_) => Holds::Nothing,
        }
    }

    /// The register gets a value; if it may hold another address or another value too, its site is public.
    fn assign(&mut self, target: RegisterId, held: Holds) {
        let known = &mut self.registers[target.index()];
        match (&*known, &held) {
            (Holds::Nothing, Holds::Nothing) => {}
            (Holds::Nothing, Holds::Cell(..)) => *known = held,
            (Holds::Cell(site, path), Holds::Cell(other, other_path)) => {
                if (site, path) != (other, other_path) {
                    let both = [*site, *other];
                    both.into_iter().for_each(|site| {
                        self.private.insert(site, false);
                    });
                }
            }
            // Reset to what is no address: harmless while undefined, but not worth the thought.
            (Holds::Cell(site, _), Holds::Nothing) => {
                let site = *site;
                self.private.insert(site, false);
            }
        }
    }

    /// The operand is used as something else than an address to access.
    fn escape(&mut self, operand: &Operand) {
        if let Holds::Cell(site, _) = self.of_operand(operand) {
            self.private.insert(site, false);
        }
    }

    fn is_private_address(&self, register: RegisterId) -> bool {
        match self.registers.get(register.0 as usize) {
            Some(Holds::Cell(site, _)) => self.private.get(site) == Some(&true),
            _ => false,
        }
    }

    /// A block that is accessed out of its bounds stays in memory, where that is noticed.
    fn keep_in_bounds(&mut self, function: &Function, kind: &InstructionKind) {
        let (InstructionKind::Load { access, .. } | InstructionKind::Store { access, .. }) = kind else { return };
        let Some((site, path)) = self.accessed(kind).filter(|_| access.bytes > 0) else { return };
        let InstructionKind::Allocate { extent: Some(extent), .. } = &function.blocks[site.0].instructions[site.1].kind
        else {
            return;
        };
        let end = program::Pointer { allocation: 0, path }.bytes().map(|offset| offset + i64::from(access.bytes));
        let size = extent.known_size().and_then(|size| i64::try_from(size).ok());
        if end.zip(size).is_none_or(|(end, size)| end < i64::from(access.bytes) || end > size) {
            self.private.insert(site, false);
        }
    }

    /// The private cell that a load or store accesses.
    fn accessed(&self, kind: &InstructionKind) -> Option<(Site, Vec<i64>)> {
        let (InstructionKind::Load { address, .. } | InstructionKind::Store { address, .. }) = kind else {
            return None;
        };
        match self.of_operand(address) {
            Holds::Cell(site, path) if self.private.get(&site) == Some(&true) => Some((site, path)),
            _ => None,
        }
    }
}

/// Whether some register may hold an address of an earlier iteration's block when the site has allocated again. That can
/// only be if the site is in a loop; then each access must be reached from the site only through all the assignments
/// that make its address.
fn is_stale_possible(function: &Function, site: Site, registers: &[Holds]) -> bool {
    let flow = Flow::of(function);
    let reaches = |from: usize, to: usize, without: Option<usize>| -> bool {
        let mut seen = vec![false; function.blocks.len()];
        let mut open: Vec<usize> = successors(function, from);
        while let Some(block) = open.pop() {
            if Some(block) == without || seen[block] {
                continue;
            }
            if block == to {
                return true;
            }
            seen[block] = true;
            open.extend(successors(function, block));
        }
        false
    };
    if flow.loop_heads().is_empty() || !reaches(site.0, site.0, None) {
        return false;
    }
    // The blocks that assign each register of the site, and those that use it.
    let is_of_site = |register: &RegisterId| matches!(&registers[register.index()], Holds::Cell(s, _) if *s == site);
    for (at, block) in function.blocks.iter().enumerate() {
        let used = block.instructions.iter().enumerate().flat_map(|(position, instruction)| {
            instruction.kind.operands().into_iter().filter_map(move |operand| match operand {
                Operand::Register(register) => Some((position, *register)),
                Operand::Constant(_) => None,
            })
        });
        for (position, register) in used.filter(|(_, register)| is_of_site(register)) {
            let defined = definitions(function, register);
            let [(in_block, at_position)] = defined[..] else { return true };
            let same_block_before = in_block == at && at_position < position;
            let after_site_in_block = in_block != site.0 || at_position >= site.1;
            let through = if in_block == site.0 || in_block == at { None } else { Some(in_block) };
            let avoidable = match through {
                Some(block) => reaches(site.0, at, Some(block)),
                None => !(same_block_before || in_block == site.0),
            };
            if avoidable || !after_site_in_block {
                return true;
            }
        }
    }
    false
}

fn successors(function: &Function, block: usize) -> Vec<usize> {
    function.blocks[block].terminator.successors().into_iter().map(|next| next.0 as usize).collect()
}

fn definitions(function: &Function, register: RegisterId) -> Vec<Site> {
    let blocks = function.blocks.iter().enumerate();
    let all =
        blocks.flat_map(|(at, block)| block.instructions.iter().enumerate().map(move |(i, code)| ((at, i), code)));
    all.filter(|(_, code)| code.kind.targets().contains(&register)).map(|(site, _)| site).collect()
}
