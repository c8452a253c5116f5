//! Memory that ends: before an access that may reach memory that is freed somewhere, or a variable that may have ended, stands a
//! `live`, which is an error if it was or has.
//!
//! What a function has allocated itself, and nobody else knows yet, needs none. Memory of a pool ([`Storage::Pool`]) may be accessed
//! after it was freed. A variable has an `end` only if its address outlives it: it is stored, given to a thread, returned by its
//! function, or used in it after the end of its block; an access by a register that was computed from the address of the variable since
//! it was made needs no `live`.
//!
//! In which direction this errs: an access in an atomic block whose address is computed inside of the block has no `live`, so that
//! engines that do not look at every access themselves do not notice that its memory was freed.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    Extent, Function, Instruction, InstructionKind, Operand, Operator, Program, RegisterId, Storage, Update,
};

use super::places::{Site, Values};
use super::{OWN, Sought};

/// Puts a `live` before accesses of memory that may have been freed or have ended.
pub(super) fn guard(program: &mut Program, sought: Sought) {
    let frees = frees(program);
    let leaves = sought.left && (program.functions.iter().any(may_outlive) || shares_own(program));
    if !leaves {
        keep_ends(program, |_, _| false);
    }
    if !frees {
        reuse_only(program, |_| false);
    }
    if !(leaves || sought.freed && frees) {
        return;
    }
    let values = &super::places::values(program);
    let mut freed = if sought.freed { freed(program, values) } else { BTreeSet::new() };
    let left = if leaves { left(program, values) } else { BTreeSet::new() };
    let is_left = |function: usize, home: &Operand| {
        values.of(function, home).places.iter().any(|class| left.contains(&class.site))
    };
    let kept: BTreeSet<(usize, RegisterId)> = ends(program)
        .filter(|(function, home)| is_left(*function, home))
        .filter_map(|(function, home)| Some((function, register(home)?)))
        .collect();
    if frees {
        let freed_sites = freed_sites(program, values);
        let made: BTreeSet<_> = freed_sites.iter().filter_map(|site| values.made_at(*site)).collect();
        reuse_only(program, |at| made.contains(&at));
    }
    freed.extend(left);
    put_lives(program, values, &freed);
    keep_ends(program, |function, home| kept.contains(&(function, home)));
}

/// Whether the program frees memory.
pub(super) fn frees(program: &Program) -> bool {
    program.instructions().any(|instruction| matches!(instruction.kind, InstructionKind::Free { .. }))
}

/// All ends, with their functions.
fn ends(program: &Program) -> impl Iterator<Item = (usize, &Operand)> {
    program.functions.iter().enumerate().flat_map(|(function, code)| {
        code.instructions().filter_map(move |instruction| match &instruction.kind {
            InstructionKind::End { address } => Some((function, address)),
            _ => None,
        })
    })
}

/// Takes the other ends away.
fn keep_ends(program: &mut Program, keeps: impl Fn(usize, RegisterId) -> bool) {
    for (function, code) in program.functions.iter_mut().enumerate() {
        for block in &mut code.blocks {
            block.instructions.retain(|instruction| match &instruction.kind {
                InstructionKind::End { address } => register(address).is_some_and(|home| keeps(function, home)),
                _ => true,
            });
        }
    }
}

/// Whether the address of a thread's own variable may be known to others: it is stored or given away.
fn shares_own(program: &Program) -> bool {
    let gives = |function: &Function| {
        let own = own_registers(function);
        let of_own = |operand: &Operand| register(operand).is_some_and(|register| own.contains(&register));
        let is_called =
            |kind: &InstructionKind| matches!(kind, InstructionKind::Call { .. } | InstructionKind::End { .. });
        let computes = |kind: &InstructionKind| matches!(kind, InstructionKind::Assign { .. });
        function.instructions().any(|instruction| {
            let kind = &instruction.kind;
            computes(kind) && kind.operands().into_iter().any(of_own)
                || !is_called(kind) && leaking(kind).into_iter().any(of_own)
        })
    };
    program.functions.iter().any(gives)
}

/// The registers that hold the addresses of a thread's own variables.
fn own_registers(function: &Function) -> BTreeSet<RegisterId> {
    let named = function.registers.iter().enumerate().filter(|(_, name)| name.starts_with(OWN));
    named.map(|(number, _)| RegisterId(number as u32)).collect()
}

/// Whether the address of a variable of a function may be known after its end.
fn may_outlive(function: &Function) -> bool {
    let has_end = |instruction: &Instruction| matches!(instruction.kind, InstructionKind::End { .. });
    if !function.instructions().any(has_end) {
        return false;
    }
    let addresses = addresses(function);
    let leaks = |kind: &InstructionKind| {
        !matches!(kind, InstructionKind::End { .. })
            && leaking(kind).into_iter().filter_map(register).any(|it| addresses.contains(&it))
    };
    let returned = function.blocks.iter().flat_map(|block| block.terminator.operands());
    let is_returned = returned.filter_map(register).any(|it| addresses.contains(&it));
    is_returned
        || function.instructions().any(|instruction| leaks(&instruction.kind))
        || stale(function).iter().any(|(_, used)| register(used).is_some_and(|it| addresses.contains(&it)))
}

/// The registers that may hold addresses of the function's variables, computed in it.
fn addresses(function: &Function) -> BTreeSet<RegisterId> {
    let mut found = BTreeSet::new();
    loop {
        let before = found.len();
        for instruction in function.instructions() {
            match &instruction.kind {
                InstructionKind::Allocate { target, extent, .. } if is_variable(extent.as_ref()) => {
                    _ = found.insert(*target)
                }
                InstructionKind::Assign { target, operands, .. }
                    if operands.iter().filter_map(register).any(|it| found.contains(&it)) =>
                {
                    found.insert(*target);
                }
                _ => {}
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn is_variable(extent: Option<&Extent>) -> bool {
    extent.is_some_and(|extent| extent.storage.is_left())
}

/// The addresses of accesses and the arguments of calls that may point to a variable before the last one that was made of it, with
/// their blocks.
fn stale(function: &Function) -> Vec<(usize, &Operand)> {
    let private = Private::of(function);
    let mut found = Vec::new();
    for (block, code) in function.blocks.iter().enumerate() {
        let mut known = private.at_start(block);
        for (number, instruction) in code.instructions.iter().enumerate() {
            let used: Vec<&Operand> = match &instruction.kind {
                InstructionKind::Call { arguments, .. } | InstructionKind::CallVirtual { arguments, .. } => {
                    arguments.iter().collect()
                }
                kind => accessed(kind).into_iter().collect(),
            };
            let is_known = |operand: &&Operand| register(operand).is_some_and(|it| known.contains_key(&it));
            found.extend(used.into_iter().filter(|operand| !is_known(operand)).map(|operand| (block, operand)));
            private.follow(&mut known, (block, number), &instruction.kind);
        }
    }
    found
}

/// The sites of variables that end somewhere and whose address may be known then.
fn left(program: &Program, values: &Values) -> BTreeSet<Site> {
    let sites = |function: usize, operand: &Operand| {
        values.of(function, operand).places.into_iter().map(|class| class.site).collect::<Vec<Site>>()
    };
    let mut known: BTreeSet<Site> = BTreeSet::new();
    for (function, code) in program.functions.iter().enumerate() {
        let own = |site: &Site| values.made_at(*site).is_some_and(|(maker, ..)| maker == function);
        for instruction in code.instructions() {
            let given: Vec<&Operand> = match &instruction.kind {
                kind @ (InstructionKind::Store { .. } | InstructionKind::ReadModifyWrite { .. }) => leaking(kind),
                InstructionKind::Spawn { arguments, .. } => arguments.iter().collect(),
                _ => Vec::new(),
            };
            known.extend(given.into_iter().flat_map(|operand| sites(function, operand)));
        }
        let returned = code.blocks.iter().flat_map(|block| block.terminator.operands());
        let late = returned.chain(stale(code).into_iter().map(|(_, used)| used));
        // Who makes a thread's own variables returns their addresses to the thread.
        let is_late = |site: &Site| own(site) && storage(program, values, *site) == Some(Storage::Stack);
        known.extend(late.flat_map(|operand| sites(function, operand)).filter(is_late));
    }
    let ending: BTreeSet<Site> = ends(program).flat_map(|(function, home)| sites(function, home)).collect();
    let is_left = |site: &Site| storage(program, values, *site).is_some_and(Storage::is_left);
    known.intersection(&ending).copied().filter(is_left).collect()
}

/// What memory a site is.
fn storage(program: &Program, values: &Values, site: Site) -> Option<Storage> {
    match values.instruction(program, site)? {
        InstructionKind::Allocate { extent: Some(extent), .. } => Some(extent.storage),
        _ => None,
    }
}

fn put_lives(program: &mut Program, values: &Values, freed: &BTreeSet<Site>) {
    for function in 0..program.functions.len() {
        let private = Private::of(&program.functions[function]);
        let may_be_freed =
            |address: &Operand| values.of(function, address).places.iter().any(|class| freed.contains(&class.site));
        let code = &mut program.functions[function];
        for (block, code) in code.blocks.iter_mut().enumerate() {
            let mut known = private.at_start(block);
            let mut guarded: Vec<Instruction> = Vec::with_capacity(code.instructions.len());
            for (number, instruction) in std::mem::take(&mut code.instructions).into_iter().enumerate() {
                let address = accessed(&instruction.kind);
                let is_private = |address: &Operand| register(address).is_some_and(|it| known.contains_key(&it));
                if let Some(address) = address.filter(|address| !is_private(address) && may_be_freed(address)) {
                    let live = InstructionKind::Live { address: address.clone() };
                    put(&mut guarded, Instruction { kind: live, span: instruction.span });
                }
                private.follow(&mut known, (block, number), &instruction.kind);
                guarded.push(instruction);
            }
            code.instructions = guarded;
        }
    }
}

/// Adds a `live`: in an atomic block before the block, if its address is known there.
fn put(code: &mut Vec<Instruction>, live: Instruction) {
    let is_end = |kind: &InstructionKind| matches!(kind, InstructionKind::AtomicEnd);
    let begin = code.iter().rposition(|instruction| matches!(instruction.kind, InstructionKind::AtomicBegin));
    let begin = begin.filter(|begin| !code[*begin..].iter().any(|instruction| is_end(&instruction.kind)));
    let Some(begin) = begin else {
        code.push(live);
        return;
    };
    let address = accessed_by_live(&live.kind).and_then(register);
    let is_known = address.is_none_or(|address| !code[begin..].iter().any(|it| it.kind.targets().contains(&address)));
    if is_known && !code[..begin].last().is_some_and(|before| before.kind == live.kind) {
        code.insert(begin, live);
    }
}

fn accessed_by_live(kind: &InstructionKind) -> Option<&Operand> {
    if let InstructionKind::Live { address } = kind { Some(address) } else { None }
}

/// The address of an access.
fn accessed(kind: &InstructionKind) -> Option<&Operand> {
    match kind {
        InstructionKind::Load { address, .. }
        | InstructionKind::Store { address, .. }
        | InstructionKind::ReadModifyWrite { address, .. } => Some(address),
        _ => None,
    }
}

fn register(operand: &Operand) -> Option<RegisterId> {
    if let Operand::Register(register) = operand { Some(*register) } else { None }
}

/// What no `free` can free is not reused: only what is allocated at these places (function, block and number of the instruction).
fn reuse_only(program: &mut Program, is_freed: impl Fn((usize, usize, usize)) -> bool) {
    for (function, code) in program.functions.iter_mut().enumerate() {
        for (block, code) in code.blocks.iter_mut().enumerate() {
            for (number, instruction) in code.instructions.iter_mut().enumerate() {
                if let InstructionKind::Allocate { reuse, .. } = &mut instruction.kind {
                    *reuse = *reuse && is_freed((function, block, number));
                }
            }
        }
    }
}

/// The sites of all memory that some `free` may free.
fn freed_sites(program: &Program, values: &Values) -> BTreeSet<Site> {
    let mut sites = BTreeSet::new();
    for (function, code) in program.functions.iter().enumerate() {
        for instruction in code.instructions() {
            let InstructionKind::Free { address } = &instruction.kind else { continue };
            sites.extend(values.of(function, address).places.iter().map(|class| class.site));
        }
    }
    sites
}

/// The sites of heap memory that some `free` may free.
pub(super) fn freed(program: &Program, values: &Values) -> BTreeSet<Site> {
    let mut freed = freed_sites(program, values);
    freed.retain(|site| storage(program, values, *site) == Some(Storage::Heap));
    freed
}

/// Which registers point into blocks that the function has allocated and that nobody else knows: with the place that allocated
/// the block, and whether it is a variable: such a one lives until it ends, whoever knows it.
type Known = BTreeMap<RegisterId, (usize, usize, bool)>;

/// What is private to a function.
struct Private {
    /// At the start of each block; `None` for a block that is not reached.
    starts: Vec<Option<Known>>,
    /// The thread's own variables, which live as long as it runs.
    own: BTreeSet<RegisterId>,
}

impl Private {
    fn of(function: &Function) -> Private {
        let starts = vec![None; function.blocks.len()];
        let mut private = Private { starts, own: own_registers(function) };
        let mut first = Known::new();
        private.keep_own(&mut first);
        let mut open = vec![(0, first)];
        while let Some((block, known)) = open.pop() {
            let before = &mut private.starts[block];
            let mut both = known.clone();
            if let Some(before) = before {
                both.retain(|register, made| before.get(register) == Some(made));
            }
            if before.as_ref() == Some(&both) {
                continue;
            }
            *before = Some(both.clone());
            let code = &function.blocks[block];
            for (number, instruction) in code.instructions.iter().enumerate() {
                private.follow(&mut both, (block, number), &instruction.kind);
            }
            open.extend(code.terminator.successors().into_iter().map(|next| (next.0 as usize, both.clone())));
        }
        private
    }

    /// What is private after an instruction.
    fn follow(&self, known: &mut Known, at: (usize, usize), kind: &InstructionKind) {
        follow(known, at, kind);
        self.keep_own(known);
    }

    fn keep_own(&self, known: &mut Known) {
        known.extend(self.own.iter().map(|register| (*register, (usize::MAX, register.index(), true))));
    }

    fn at_start(&self, block: usize) -> Known {
        self.starts.get(block).cloned().flatten().unwrap_or_default()
    }
}

/// What is private after an instruction.
fn follow(known: &mut Known, at: (usize, usize), kind: &InstructionKind) {
    let derived = match kind {
        InstructionKind::Assign { operator, operands, .. } => match (operator, &operands[..]) {
            (Operator::Copy | Operator::Defined | Operator::Step(_) | Operator::Element { .. }, [from, ..]) => {
                register(from).and_then(|from| known.get(&from).copied())
            }
            _ => None,
        },
        InstructionKind::Allocate { extent, .. } => Some((at.0, at.1, is_variable(extent.as_ref()))),
        _ => None,
    };
    let ends = matches!(kind, InstructionKind::End { .. });
    for operand in leaking(kind) {
        let made = register(operand).and_then(|register| known.get(&register).copied());
        if let Some(made) = made.filter(|(_, _, is_variable)| ends || !is_variable) {
            known.retain(|_, other| *other != made);
        }
    }
    for target in kind.targets() {
        match derived {
            // The same place may allocate once more, in a loop.
            Some(made) if (made.0, made.1) == at => known.retain(|_, other| *other != made),
            _ => {}
        }
        match derived {
            Some(made) => known.insert(target, made),
            None => known.remove(&target),
        };
    }
}

/// The operands that others may know from an instruction on.
fn leaking(kind: &InstructionKind) -> Vec<&Operand> {
    match kind {
        InstructionKind::Load { .. } | InstructionKind::Live { .. } => Vec::new(),
        InstructionKind::Store { value, .. } => vec![value],
        InstructionKind::ReadModifyWrite { update, .. } => match update {
            Update::Exchange(value) | Update::Apply(_, value) => vec![value],
            Update::CompareExchange { desired, .. } => vec![desired],
        },
        InstructionKind::Assign { operator, operands, .. } => match operator {
            Operator::Copy | Operator::Defined | Operator::Step(_) | Operator::Element { .. } => Vec::new(),
            Operator::Eq | Operator::Ne | Operator::IsFalse => Vec::new(),
            _ => operands.iter().collect(),
        },
        other => other.operands(),
    }
}
