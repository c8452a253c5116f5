//! Memory with bytes, cut into cells.
//!
//! Engines know cells: what one access writes, another reads as a whole. [`cut`] makes a program so that this is true. It finds
//! which bytes each access may touch (`places`); accesses that may meet in the same bytes form a group. In nearly all groups every
//! access starts and ends with every other that it meets, so that each is one cell and stays as it is. In the others (unions,
//! `char` views of larger values) every access becomes several, of the largest unit that all of them are made of: integers are
//! cut and joined exactly.
//!
//! In which direction this errs: the parts of a plain access are accesses of their own, which may tear. C allows that; a machine that
//! does not tear aligned ones has fewer executions, so that an error may be found that needs a torn access. The parts of an atomic
//! access happen in one step (`step`). Pointers are never cut: a program that would need it is refused, with both places.

mod align;
mod initial;
mod lifetime;
mod padding;
mod places;
mod step;
mod undefined;

use std::collections::{BTreeMap, BTreeSet};

use program::{
    Access, Function, Instruction, InstructionKind, Int, Operand, Operator, Order, Program, RegisterId, Span,
    Unsupported, Update, Value,
};

use places::{Class, Site, Values};

/// An instruction: function, block and number.
type At = (usize, usize, usize);

/// The tag of an access of the cell that says whether an object of synchronisation was initialised. No model knows it.
pub const MADE_TAG: &str = "made";
/// How the names of registers begin that hold the addresses of a thread's own variables.
pub const OWN: &str = "&";
/// The tag of a read that only copies a part of an object. No model knows it.
pub const COPY_TAG: &str = "copy";
/// The tag of an access of bytes that no member of an object has. No model knows it.
pub const PADDING_TAG: &str = "padding";
/// The tag of such an access behind the last member of the last object that is set or copied: nothing else shows that the memory
/// is too small for it. No model knows it.
pub const END_TAG: &str = "end";

/// Which errors of memory are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Sought {
    /// Uses of what was freed.
    pub freed: bool,
    /// Uses of variables whose block, function or thread has ended.
    pub left: bool,
    /// Reads of what was never written.
    pub unwritten: bool,
}

/// Which bytes an access may touch.
struct Touch {
    at: At,
    bytes: i64,
    is_atomic: bool,
    /// Whether it reads and writes.
    is_update: bool,
    /// Whether what it writes may be a pointer or a packed word.
    writes_whole: bool,
    span: Option<Span>,
    classes: BTreeSet<Class>,
}

/// Cuts the accesses that meet others in part of their bytes only, if the program may have such, and marks those of memory that
/// may have been freed (`lifetime`) or never written (`undefined`).
pub fn cut(program: &mut Program, has_views: bool, sought: Sought) -> Result<(), Unsupported> {
    padding::leave_out(program, has_views);
    if has_views {
        align::guard(program, &places::values(program));
        let values = places::values(program);
        let touches = touches(program, &values);
        cut_accesses(program, &touches, &values)?;
    }
    undefined::guard(program, sought.unwritten);
    lifetime::guard(program, sought);
    Ok(())
}

fn cut_accesses(program: &mut Program, touches: &[Touch], values: &Values) -> Result<(), Unsupported> {
    let mut group: Vec<usize> = (0..touches.len()).collect();
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    let mut by_site: BTreeMap<Site, Vec<(usize, Class)>> = BTreeMap::new();
    for (number, touch) in touches.iter().enumerate() {
        for class in &touch.classes {
            by_site.entry(class.site).or_default().push((number, *class));
        }
    }
    for met in by_site.values() {
        for (index, (one, a)) in met.iter().enumerate() {
            for (other, b) in &met[index..] {
                match meeting(a, touches[*one].bytes, b, touches[*other].bytes) {
                    Meeting::Never => {}
                    Meeting::Whole => join(&mut group, *one, *other),
                    Meeting::Part => {
                        join(&mut group, *one, *other);
                        cuts.push((*one, *other));
                    }
                }
            }
        }
    }
    join_copies(program, touches, values, &mut group, &cuts)?;
    let cut_groups: BTreeSet<usize> = cuts.iter().map(|(touch, _)| find(&group, *touch)).collect();
    let mut units: BTreeMap<At, i64> = BTreeMap::new();
    for root in cut_groups {
        let members: Vec<&Touch> =
            (0..touches.len()).filter(|n| find(&group, *n) == root).map(|n| &touches[n]).collect();
        let unit = unit(&members);
        let refusal = |what: &str, member: &Touch| {
            let met = |(one, other): &(usize, usize)| (&touches[*one], &touches[*other]);
            let pairs = cuts.iter().filter(|(one, _)| find(&group, *one) == root).map(met);
            refusal(program, what, member, pairs.collect())
        };
        for member in &members {
            if member.writes_whole && member.bytes != unit {
                return Err(refusal("a pointer that is accessed in parts", member));
            }
            if member.bytes != unit {
                units.insert(member.at, unit);
            }
        }
    }
    initial::adapt(program, values, touches, &mut units)?;
    let is_zeroed = |touch: &&Touch| touch.classes.iter().any(|class| values.starts_with_number(program, class.site));
    let zeroed: BTreeSet<At> = touches.iter().filter(is_zeroed).map(|touch| touch.at).collect();
    rewrite(program, &units, &zeroed);
    Ok(())
}

/// How two accesses may meet.
enum Meeting {
    Never,
    /// If at all, in all bytes of both.
    Whole,
    Part,
}

fn meeting(a: &Class, a_bytes: i64, b: &Class, b_bytes: i64) -> Meeting {
    if a.is_apart(a_bytes, b, b_bytes) {
        return Meeting::Never;
    }
    let modulus = places::gcd(a.modulus, b.modulus);
    let distance = a.residue - b.residue;
    let mut met = Meeting::Never;
    // The distances between bytes that they start at: `distance` plus multiples of `modulus`.
    for near in 1 - a_bytes..b_bytes {
        let is_possible = if modulus == 0 { near == distance } else { (near - distance) % modulus == 0 };
        match near == 0 && a_bytes == b_bytes {
            _ if !is_possible => {}
            true => met = Meeting::Whole,
            false => return Meeting::Part,
        }
    }
    met
}

fn find(group: &[usize], mut touch: usize) -> usize {
    while group[touch] != touch {
        touch = group[touch];
    }
    touch
}

fn join(group: &mut [usize], one: usize, other: usize) {
    let (one, other) = (find(group, one), find(group, other));
    group[one.max(other)] = one.min(other);
}

/// Where one side of a copy is cut, so is the other: parts that were never written stay so. What cannot be cut is copied as a whole
/// from memory that is written at first.
fn join_copies(
    program: &Program,
    touches: &[Touch],
    values: &Values,
    group: &mut [usize],
    cuts: &[(usize, usize)],
) -> Result<(), Unsupported> {
    let mut copies = copies(program, touches);
    // A group that was cut stays so under its new root.
    let mut cut: BTreeSet<usize> = cuts.iter().map(|(touch, _)| find(group, *touch)).collect();
    loop {
        let before = copies.len();
        for (load, store) in std::mem::take(&mut copies) {
            let roots = [load, store].map(|touch| find(group, touch));
            let (from, to) = (&touches[load], &touches[store]);
            let is_empty = |class: &Class| undefined::holds_nothing(program, values, class.site);
            if !roots.iter().any(|root| cut.contains(root)) {
                copies.push((load, store));
            } else if may_be_cut(touches, group, roots) {
                join(group, load, store);
                cut.insert(find(group, load));
            } else if cut.contains(&roots[0]) && from.classes.iter().any(is_empty) {
                return Err(refusal(program, "a copy of memory that is accessed in parts", from, vec![(from, to)]));
            }
        }
        if copies.len() == before {
            return Ok(());
        }
    }
}

/// The loads that only copy, each with the store behind it.
fn copies(program: &Program, touches: &[Touch]) -> Vec<(usize, usize)> {
    let kind = |(function, block, number): At| &program.functions[function].blocks[block].instructions[number].kind;
    let is_copy = |load: &Touch, store: &Touch| match (kind(load.at), kind(store.at)) {
        (InstructionKind::Load { target, access, .. }, InstructionKind::Store { value, .. }) => {
            let (function, block, number) = load.at;
            only_copies(access) && store.at == (function, block, number + 1) && *value == Operand::Register(*target)
        }
        _ => false,
    };
    let pairs = touches.windows(2).enumerate();
    pairs.filter(|(_, pair)| is_copy(&pair[0], &pair[1])).map(|(number, _)| (number, number + 1)).collect()
}

/// Whether all accesses of two groups may be made of the largest unit of both.
fn may_be_cut(touches: &[Touch], group: &[usize], roots: [usize; 2]) -> bool {
    let members =
        || (0..touches.len()).filter(|touch| roots.contains(&find(group, *touch))).map(|touch| &touches[touch]);
    let unit = unit(&members().collect::<Vec<&Touch>>());
    members().all(|member| member.bytes == unit || !member.is_atomic && !member.writes_whole)
}

/// The largest number of bytes that all accesses of a group are made of: it divides their sizes and distances.
fn unit(members: &[&Touch]) -> i64 {
    let mut unit = 0;
    for member in members {
        unit = places::gcd(unit, member.bytes);
        for class in &member.classes {
            unit = places::gcd(places::gcd(unit, class.modulus), class.residue);
        }
    }
    unit.max(1)
}

/// Names an access that cannot be cut, and another that meets it, or one that it meets in turn, in some of its bytes.
fn refusal(program: &Program, what: &str, member: &Touch, mut pairs: Vec<(&Touch, &Touch)>) -> Unsupported {
    let others = |(one, other): &(&Touch, &Touch)| one.at != member.at && other.at != member.at;
    pairs.sort_by_key(others);
    let place = |touch: &Touch| touch.span.map(|span| program.sources.location(span).to_string());
    let met = pairs.first().map(|(one, other)| match one.at == member.at {
        true => vec![place(other)],
        false if other.at == member.at => vec![place(one)],
        false => vec![place(one), place(other)],
    });
    let places: Vec<String> = met.into_iter().flatten().flatten().collect();
    let places = if places.is_empty() { String::new() } else { format!(", at {}", places.join(" and ")) };
    Unsupported::new(format!("{what}{places}"), member.span)
}

fn touches(program: &Program, values: &Values) -> Vec<Touch> {
    let mut touches = Vec::new();
    for (function, code) in program.functions.iter().enumerate() {
        for (block, code) in code.blocks.iter().enumerate() {
            for (number, instruction) in code.instructions.iter().enumerate() {
                let (address, access, stored) = match &instruction.kind {
                    InstructionKind::Load { address, access, .. } => (address, access, None),
                    InstructionKind::Store { address, value, access } => (address, access, Some(value)),
                    InstructionKind::ReadModifyWrite { address, access, update, .. } => {
                        (address, access, Some(written(update)))
                    }
                    _ => continue,
                };
                if access.bytes == 0 {
                    continue;
                }
                let is_update = matches!(instruction.kind, InstructionKind::ReadModifyWrite { .. });
                let stored = stored.map(|value| values.of(function, value));
                let (bytes, is_atomic) = (i64::from(access.bytes), is_update || access.order != Order::Plain);
                let classes = values.of(function, address).places.into_iter();
                let classes = classes.filter_map(|it| if is_atomic { align::aligned(it, bytes) } else { Some(it) });
                touches.push(Touch {
                    at: (function, block, number),
                    bytes,
                    is_atomic,
                    is_update,
                    writes_whole: stored.is_some_and(|stored| !stored.places.is_empty() || stored.packed),
                    span: instruction.span,
                    classes: classes.collect(),
                });
            }
        }
    }
    touches
}

/// What an update writes, or makes it from.
fn written(update: &Update) -> &Operand {
    match update {
        Update::Exchange(operand) | Update::Apply(_, operand) | Update::CompareExchange { desired: operand, .. } => {
            operand
        }
    }
}

/// Puts several accesses of the unit in the place of each that is cut. Those of `zeroed` memory may find zeros of another width.
fn rewrite(program: &mut Program, units: &BTreeMap<At, i64>, zeroed: &BTreeSet<At>) {
    for (function, code) in program.functions.iter_mut().enumerate() {
        let (read_once, copied) = (read_once(code), copied(code));
        let registers = &mut code.registers;
        for (block, code) in code.blocks.iter_mut().enumerate() {
            let mut instructions = std::mem::take(&mut code.instructions).into_iter().enumerate().peekable();
            while let Some((number, instruction)) = instructions.next() {
                let at = (function, block, number);
                let Some(unit) = units.get(&at) else {
                    code.instructions.push(instruction);
                    continue;
                };
                let span = instruction.span;
                let mut pieces = Pieces { unit: *unit, registers, code: Vec::new() };
                let is_cut_alike = units.get(&(function, block, number + 1)) == Some(unit) && !zeroed.contains(&at);
                let next = instructions.peek().map(|(_, next)| &next.kind);
                let next = next.filter(|next| is_cut_alike && is_plain(&instruction.kind) && is_plain(next));
                match (instruction.kind, next) {
                    (InstructionKind::Load { target, address, access }, Some(InstructionKind::Store { value, .. }))
                        if *value == Operand::Register(target) && read_once.contains(&target) =>
                    {
                        if let Some((_, next)) = instructions.next() {
                            pieces.copy(&address, &access, next.kind);
                        }
                    }
                    (InstructionKind::Load { target, address, access }, _) => {
                        pieces.in_step(&access, |pieces, access| pieces.load(target, &address, access));
                    }
                    (InstructionKind::Store { address, value, access }, _) => {
                        let is_copied = matches!(&value, Operand::Register(value) if copied.contains(value));
                        pieces.in_step(&access, |pieces, access| pieces.store(&address, &value, access, is_copied));
                    }
                    (InstructionKind::ReadModifyWrite { target, address, update, access }, _) => {
                        pieces.update(target, &address, update, &access);
                    }
                    (kind, _) => pieces.code.push(kind),
                }
                let made = std::mem::take(&mut pieces.code);
                code.instructions.extend(made.into_iter().map(|kind| Instruction { kind, span }));
            }
        }
    }
}

/// Whether an access is no atomic one.
fn is_plain(kind: &InstructionKind) -> bool {
    use InstructionKind::{Load, Store};
    matches!(kind, Load { access, .. } | Store { access, .. } if access.order == Order::Plain)
}

/// Whether a read only copies, so that it may find what was never written.
fn only_copies(access: &Access) -> bool {
    access.has(COPY_TAG) || access.has(PADDING_TAG)
}

/// What reads that only copy have found.
fn copied(code: &Function) -> BTreeSet<RegisterId> {
    let instructions = code.blocks.iter().flat_map(|block| &block.instructions);
    let found = instructions.filter_map(|instruction| match &instruction.kind {
        InstructionKind::Load { target, access, .. } if only_copies(access) => Some(*target),
        _ => None,
    });
    found.collect()
}

/// The registers that one operand reads.
fn read_once(code: &Function) -> BTreeSet<RegisterId> {
    let mut counts: BTreeMap<RegisterId, usize> = BTreeMap::new();
    let mut count = |operand: &Operand| {
        if let Operand::Register(register) = operand {
            *counts.entry(*register).or_default() += 1;
        }
    };
    for block in &code.blocks {
        block.instructions.iter().flat_map(|instruction| instruction.kind.operands()).for_each(&mut count);
        block.terminator.operands().into_iter().for_each(&mut count);
    }
    counts.into_iter().filter(|(_, count)| *count == 1).map(|(register, _)| register).collect()
}

/// The parts of an access.
struct Pieces<'a> {
    unit: i64,
    registers: &'a mut Vec<String>,
    code: Vec<InstructionKind>,
}

impl Pieces<'_> {
    fn load(&mut self, target: RegisterId, address: &Operand, access: &Access) {
        let width = 8 * access.bytes;
        let (mut whole, mut is_there): (Option<Operand>, Option<Operand>) = (None, None);
        for piece in 0..i64::from(access.bytes) / self.unit {
            let address = self.address(address, piece);
            let target = self.register();
            self.code.push(InstructionKind::Load { target, address, access: self.access(access) });
            let mut read = Operand::Register(target);
            if only_copies(access) {
                let defined = self.compute(Operator::IsDefined, vec![read.clone()]);
                read = self.compute(Operator::Select, vec![defined.clone(), read, number(0, 8 * self.unit as u8)]);
                is_there = Some(match is_there {
                    Some(others) => self.compute(Operator::Or, vec![others, defined]),
                    None => defined,
                });
            }
            // What was never written in parts may be 0 of another width.
            let narrow = self.compute(self.resize(), vec![read]);
            let wide = self.compute(Operator::Resize { width, signed: false }, vec![narrow]);
            let moved = self.compute(Operator::Shl, vec![wide, number(8 * piece * self.unit, 64)]);
            whole = Some(match whole {
                Some(whole) => self.compute(Operator::Or, vec![whole, moved]),
                None => moved,
            });
        }
        // A copy of what was never written holds nothing, and one of what was written in part has zeros in the others.
        let (operator, operands) = match (whole, is_there) {
            (Some(whole), Some(is_there)) => {
                (Operator::Select, vec![is_there, whole, Operand::Constant(Value::Undefined)])
            }
            (whole, _) => (Operator::Copy, whole.into_iter().collect()),
        };
        self.code.push(InstructionKind::Assign { target, operator, operands });
    }

    /// What is only copied is copied in parts, so that one that is undefined does not spoil the others.
    fn copy(&mut self, from: &Operand, reads: &Access, store: InstructionKind) {
        let InstructionKind::Store { address: to, access: writes, .. } = store else { return };
        for piece in 0..i64::from(reads.bytes) / self.unit {
            let (from, to) = (self.address(from, piece), self.address(&to, piece));
            let target = self.register();
            self.code.push(InstructionKind::Load { target, address: from, access: self.access(reads) });
            let value = Operand::Register(target);
            self.code.push(InstructionKind::Store { address: to, value, access: self.access(&writes) });
        }
    }

    /// Stores the parts of a value; `is_copied` says that it may hold nothing.
    fn store(&mut self, address: &Operand, value: &Operand, access: &Access, is_copied: bool) {
        let defined = is_copied.then(|| self.compute(Operator::IsDefined, vec![value.clone()]));
        let whole = match &defined {
            Some(defined) => {
                self.compute(Operator::Select, vec![defined.clone(), value.clone(), number(0, 8 * access.bytes)])
            }
            None => value.clone(),
        };
        for piece in 0..i64::from(access.bytes) / self.unit {
            let moved = self.compute(Operator::ShrUnsigned, vec![whole.clone(), number(8 * piece * self.unit, 64)]);
            let mut value = self.compute(self.resize(), vec![moved]);
            if let Some(defined) = &defined {
                value =
                    self.compute(Operator::Select, vec![defined.clone(), value, Operand::Constant(Value::Undefined)]);
            }
            let address = self.address(address, piece);
            self.code.push(InstructionKind::Store { address, value, access: self.access(access) });
        }
    }

    fn resize(&self) -> Operator {
        Operator::Resize { width: (8 * self.unit) as u8, signed: false }
    }

    fn access(&self, access: &Access) -> Access {
        access.clone().of_bytes(self.unit as u8)
    }

    fn address(&mut self, address: &Operand, piece: i64) -> Operand {
        match piece {
            0 => address.clone(),
            _ => self.compute(Operator::Step(1), vec![address.clone(), number(piece * self.unit, 64)]),
        }
    }

    fn register(&mut self) -> RegisterId {
        self.registers.push("part".into());
        RegisterId(self.registers.len() as u32 - 1)
    }

    fn compute(&mut self, operator: Operator, operands: Vec<Operand>) -> Operand {
        let target = self.register();
        self.code.push(InstructionKind::Assign { target, operator, operands });
        Operand::Register(target)
    }
}

fn number(value: i64, width: u8) -> Operand {
    Operand::Constant(Value::Int(Int::new(value, width)))
}
