//! Which bytes pointers may point to: a points-to analysis by inclusion (Andersen 1994), for each call of a function by its own,
//! without regard to the order of instructions.
//!
//! In which direction this errs: what a pointer may be in some execution is among what is found, and more may be. Offsets are
//! kept as classes: all that leave the same remainder, as those of one member in all elements of an array.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use program::{FunctionId, InstructionKind, Int, Operand, Operator, Program, RegisterId, Terminator, Update, Value};

/// Where memory is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// A global.
    Global(u32),
    /// By an instruction (block and number) of a function in one of its calls.
    Made(usize, usize, usize),
}

/// Bytes of the blocks of a site: those whose offset leaves the residue divided by the modulus, and one byte only for the modulus 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class {
    /// The site.
    pub site: Site,
    /// The residue.
    pub residue: i64,
    /// The modulus.
    pub modulus: i64,
    /// The first byte of the array that the pointer was made to point into, and the first one after it.
    pub within: (i64, i64),
}

/// The bytes that a pointer may be moved to if nothing is known.
const ANYWHERE: (i64, i64) = (i64::MIN, i64::MAX);

/// What a register may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Pointers.
    pub places: BTreeSet<Class>,
    /// Whether it may be a packed word.
    pub packed: bool,
    /// Integers.
    numbers: Numbers,
}

/// Integers that a register may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Numbers {
    /// These.
    These(BTreeSet<Int>),
    /// Any multiple of this one.
    Multiples(i64),
}

impl Numbers {
    const ANY: Numbers = Numbers::Multiples(1);

    /// Adds others, and says whether something was new.
    fn add(&mut self, other: &Numbers) -> bool {
        match (&mut *self, other) {
            (Numbers::These(known), Numbers::These(more)) if more.is_subset(known) => false,
            (Numbers::These(known), Numbers::These(more)) if known.union(more).count() <= MOST_NUMBERS => {
                known.extend(more.iter().copied());
                true
            }
            (Numbers::Multiples(known), more) => {
                let divisor = gcd(*known, more.divisor());
                std::mem::replace(known, divisor) != divisor
            }
            (known, more) => {
                *known = Numbers::Multiples(gcd(known.divisor(), more.divisor()));
                true
            }
        }
    }

    /// What divides all of them.
    fn divisor(&self) -> i64 {
        match self {
            Numbers::These(numbers) => numbers.iter().fold(0, |all, number| gcd(all, number.signed())),
            Numbers::Multiples(divisor) => *divisor,
        }
    }
}

impl Default for Numbers {
    fn default() -> Numbers {
        Numbers::These(BTreeSet::new())
    }
}

/// More calls inside of each other than this are looked at one after the other.
const DEEPEST: usize = 64;
/// More integers than this are all multiples of what divides them.
const MOST_NUMBERS: usize = 8;
/// More bytes of one site than this become a class.
const MOST_PLACES: usize = 24;
/// The elements of more arrays than this are not told apart.
const MOST_ELEMENTS: i64 = 16;

/// The greatest common divisor; 0 has all divisors.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i64
}

impl Class {
    /// The bytes whose offset leaves the residue divided by the modulus.
    pub fn new(site: Site, residue: i64, modulus: i64) -> Class {
        let residue = if modulus == 0 { residue } else { residue.rem_euclid(modulus) };
        Class { site, residue, modulus, within: ANYWHERE }
    }

    /// Its bytes from 0 up to this one.
    pub fn starts(&self, last: i64) -> impl Iterator<Item = i64> + use<> {
        let (low, high) = (self.within.0.max(0), self.within.1.min(last.saturating_add(1)));
        let step = usize::try_from(self.modulus).unwrap_or(usize::MAX).max(1);
        let end = if self.modulus == 0 { self.residue.saturating_add(1) } else { high };
        (self.residue..end.min(high)).step_by(step).filter(move |byte| *byte >= low)
    }

    /// The bytes at a distance, or at any multiple of a stride. Who leaves the array that a pointer was made to point into by a
    /// distance that is not known errs.
    fn moved(self, distance: Option<i64>, stride: i64) -> Class {
        match distance {
            // The next element is one of the array, too.
            Some(distance) if self.modulus != 0 && distance % self.modulus == 0 => self,
            Some(distance) if self.modulus != 0 && self.within != ANYWHERE => {
                let within = (self.within.0.saturating_add(distance), self.within.1.saturating_add(distance));
                Class { within, ..Class::new(self.site, self.residue.wrapping_add(distance), self.modulus) }
            }
            Some(distance) => Class {
                within: self.within,
                ..Class::new(self.site, self.residue.wrapping_add(distance), self.modulus)
            },
            None => {
                let is_inside = self.modulus != 0 || (self.within.0..self.within.1).contains(&self.residue);
                let within = if is_inside { self.within } else { ANYWHERE };
                Class { within, ..Class::new(self.site, self.residue, gcd(self.modulus, stride)) }
            }
        }
    }

    /// Whether none of so many bytes from this class on is one of so many from the other on, because of their arrays.
    pub fn is_apart(&self, bytes: i64, other: &Class, others: i64) -> bool {
        let (low, high) = self.range(bytes);
        let (other_low, other_high) = other.range(others);
        self.site == other.site && (high <= other_low || other_high <= low)
    }

    /// The first byte that may be accessed by so many bytes, and the first after all of them; none, where that is before the first.
    fn range(&self, bytes: i64) -> (i64, i64) {
        let (low, high) = self.within;
        match self.modulus {
            0 => (self.residue, self.residue.saturating_add(bytes)),
            _ if self.within == ANYWHERE => self.within,
            modulus => {
                let first = low.saturating_add(self.residue.wrapping_sub(low).rem_euclid(modulus));
                let steps = high.saturating_sub(1).saturating_sub(first).div_euclid(modulus);
                let behind = first.saturating_add(steps.saturating_mul(modulus)).saturating_add(bytes);
                if steps < 0 { (i64::MAX, i64::MIN) } else { (first, behind.min(high)) }
            }
        }
    }

    /// Whether all bytes of the other are of this class.
    fn contains(&self, other: &Class) -> bool {
        let range = other.range(1);
        self.site == other.site
            && self.modulus != 0
            && self.within.0 <= range.0
            && range.1 <= self.within.1
            && other.modulus % self.modulus == 0
            && other.residue.wrapping_sub(self.residue) % self.modulus == 0
    }

    /// Whether both may name one byte.
    fn meets(&self, other: &Class) -> bool {
        if self.is_apart(1, other, 1) {
            return false;
        }
        let modulus = gcd(self.modulus, other.modulus);
        let distance = self.residue.wrapping_sub(other.residue);
        self.site == other.site && if modulus == 0 { distance == 0 } else { distance % modulus == 0 }
    }
}

impl Held {
    fn any_number() -> Held {
        Held { numbers: Numbers::ANY, ..Held::default() }
    }

    fn of_value(value: &Value) -> Held {
        let mut held = Held::default();
        match value {
            Value::Undefined => {}
            Value::Int(int) => held.numbers = Numbers::These([*int].into()),
            Value::Pointer(pointer) => {
                let offset = pointer.bytes().unwrap_or(0);
                held.places.insert(Class::new(Site::Global(pointer.allocation), offset, 0));
            }
            Value::Composite(_, fields) => {
                fields.iter().for_each(|field| held.places.extend(Held::of_value(field).places));
                held.packed = true;
            }
        }
        held
    }

    /// Adds what another holds, and says whether something was new.
    fn add(&mut self, other: &Held) -> bool {
        if self == other {
            return false;
        }
        let mut is_new = other.packed && !self.packed;
        self.packed |= other.packed;
        for class in &other.places {
            let is_known = self.places.contains(class) || self.places.iter().any(|known| known.contains(class));
            if !is_known {
                self.places.insert(*class);
                is_new = true;
            }
        }
        if is_new {
            self.widen();
        }
        self.numbers.add(&other.numbers) || is_new
    }

    /// Leaves out what is part of another class, and makes classes of many bytes of one site. So classes only ever get wider, and
    /// adding comes to an end.
    fn widen(&mut self) {
        let wide: Vec<Class> = self.places.iter().copied().filter(|class| class.modulus != 0).collect();
        self.places.retain(|class| !wide.iter().any(|other| other != class && other.contains(class)));
        let mut counts: BTreeMap<Site, usize> = BTreeMap::new();
        self.places.iter().for_each(|class| *counts.entry(class.site).or_default() += 1);
        for site in counts.into_iter().filter(|(_, count)| *count > MOST_PLACES).map(|(site, _)| site) {
            let (many, others): (BTreeSet<Class>, BTreeSet<Class>) =
                std::mem::take(&mut self.places).into_iter().partition(|class| class.site == site);
            self.places = others;
            let first = many.iter().next().map_or(0, |class| class.residue);
            let modulus = many.iter().fold(0, |all, class| gcd(gcd(all, class.modulus), class.residue - first));
            let array = many.first().map_or(ANYWHERE, |class| class.within);
            let within = if many.iter().all(|class| class.within == array) { array } else { ANYWHERE };
            self.places.insert(Class { within, ..Class::new(site, first, modulus) });
        }
    }

    fn known_numbers(&self) -> Option<&BTreeSet<Int>> {
        match &self.numbers {
            Numbers::These(numbers) => Some(numbers),
            Numbers::Multiples(_) => None,
        }
    }
}

/// A function, in one of its calls.
struct Instance {
    function: usize,
    registers: Vec<Held>,
    results: Vec<Held>,
    /// The instances that call it.
    callers: BTreeSet<usize>,
    /// Whether what it depends on has changed since it was looked at.
    is_stale: bool,
}

/// What registers may hold.
pub struct Values {
    instances: Vec<Instance>,
}

impl Values {
    /// What an operand of a function may be, in any of its calls.
    pub fn of(&self, function: usize, operand: &Operand) -> Held {
        let mut held = Held::default();
        for instance in self.instances.iter().filter(|instance| instance.function == function) {
            held.add(&operand_of(instance, operand));
        }
        held
    }

    /// The function, block and number of the instruction that makes the memory of a site.
    pub fn made_at(&self, site: Site) -> Option<(usize, usize, usize)> {
        let Site::Made(instance, block, number) = site else { return None };
        Some((self.instances.get(instance)?.function, block, number))
    }

    /// The instruction that makes the memory of a site.
    pub fn instruction<'a>(&self, program: &'a Program, site: Site) -> Option<&'a InstructionKind> {
        let Site::Made(instance, block, number) = site else { return None };
        let function = &program.functions[self.instances.get(instance)?.function];
        function.blocks.get(block)?.instructions.get(number).map(|instruction| &instruction.kind)
    }

    /// Whether all cells of a block hold a number at first, of whatever width.
    pub fn starts_with_number(&self, program: &Program, site: Site) -> bool {
        matches!(self.instruction(program, site), Some(InstructionKind::Allocate { default: Value::Int(_), .. }))
    }
}

fn operand_of<'a>(instance: &'a Instance, operand: &Operand) -> Cow<'a, Held> {
    match operand {
        Operand::Register(register) => Cow::Borrowed(&instance.registers[register.0 as usize]),
        Operand::Constant(value) => Cow::Owned(Held::of_value(value)),
    }
}

/// What the registers of a program may hold.
pub fn values(program: &Program) -> Values {
    let mut analysis = Analysis {
        program,
        instances: Vec::new(),
        known: HashMap::new(),
        memory: BTreeMap::new(),
        readers: BTreeMap::new(),
        first_uses: program.functions.iter().map(first_uses).collect(),
        choices: program.functions.iter().map(choices).collect(),
        at: (usize::MAX, (0, 0)),
        depth: 0,
    };
    for (number, global) in program.globals.iter().enumerate() {
        let site = Site::Global(number as u32);
        for (path, value) in &global.cells {
            let offset = program::Pointer { allocation: 0, path: path.clone() }.bytes().unwrap_or(0);
            analysis.put(Class::new(site, offset, 0), &Held::of_value(value));
        }
        analysis.put(Class::new(site, 0, 0), &Held::of_value(&global.default));
    }
    for thread in &program.threads {
        let arguments: Vec<Held> = thread.arguments.iter().map(Held::of_value).collect();
        analysis.instance(thread.entry, None, &arguments);
    }
    if let Some(setup) = program.setup {
        analysis.instance(setup, None, &[]);
    }
    while let Some(number) = analysis.instances.iter().position(|instance| instance.is_stale) {
        analysis.look_at(number);
    }
    Values { instances: analysis.instances }
}

/// Where a call stands: function, block and number.
type CallSite = (usize, usize, usize);

/// For each register of a function the first place, by block and number, that reads it.
fn first_uses(code: &program::Function) -> Vec<(usize, usize)> {
    let mut first = vec![(usize::MAX, 0); code.registers.len()];
    let mut read = |operand: &Operand, at: (usize, usize)| {
        if let Operand::Register(register) = operand {
            let known = &mut first[register.0 as usize];
            *known = at.min(*known);
        }
    };
    for (block, code) in code.blocks.iter().enumerate() {
        for (number, instruction) in code.instructions.iter().enumerate() {
            instruction.kind.operands().into_iter().for_each(|operand| read(operand, (block, number)));
        }
        if let Terminator::Return(values) = &code.terminator {
            values.iter().for_each(|operand| read(operand, (block, code.instructions.len())));
        }
    }
    choices(code).iter().for_each(|(block, (pointer, _))| read(pointer, (*block, 0)));
    first
}

/// The blocks that are only come to if a pointer is one to a global, as calls through pointers have one for each function.
fn choices(code: &program::Function) -> HashMap<usize, (Operand, u32)> {
    let mut leading: HashMap<usize, Vec<Option<(Operand, u32)>>> = HashMap::new();
    for block in &code.blocks {
        let tested = match &block.terminator {
            Terminator::Branch { condition: Operand::Register(condition), .. } => equality(block, *condition),
            _ => None,
        };
        for next in block.terminator.successors() {
            let is_then = matches!(block.terminator, Terminator::Branch { then, otherwise, .. } if then == next && otherwise != next);
            leading.entry(next.index()).or_default().push(tested.clone().filter(|_| is_then));
        }
    }
    let only = leading.into_iter().filter_map(|(block, mut tests)| match tests.len() {
        1 if block != 0 => Some((block, tests.pop()??)),
        _ => None,
    });
    only.collect()
}

/// The pointer and the global that a register says to be equal, if the last instruction of a block computes it so.
fn equality(block: &program::Block, condition: RegisterId) -> Option<(Operand, u32)> {
    match &block.instructions.last()?.kind {
        InstructionKind::Assign { target, operator: Operator::Eq, operands } if *target == condition => {
            let [pointer, Operand::Constant(Value::Pointer(global))] = &operands[..] else { return None };
            Some((pointer.clone(), global.allocation))
        }
        _ => None,
    }
}

struct Analysis<'a> {
    program: &'a Program,
    instances: Vec<Instance>,
    known: HashMap<(FunctionId, Option<CallSite>), usize>,
    memory: BTreeMap<Site, Vec<(Class, Held)>>,
    /// Who has read of the blocks of a site.
    readers: BTreeMap<Site, BTreeSet<usize>>,
    /// By function and register: the first place that reads it.
    first_uses: Vec<Vec<(usize, usize)>>,
    /// By function and block, for blocks that are only come to if a pointer is one to a global: both.
    choices: Vec<HashMap<usize, (Operand, u32)>>,
    /// The instance that is looked at, and where: what is read farther on is still to come.
    at: (usize, (usize, usize)),
    /// How many calls are looked at inside of each other.
    depth: usize,
}

impl Analysis<'_> {
    fn instance(&mut self, function: FunctionId, from: Option<CallSite>, arguments: &[Held]) -> usize {
        let code = &self.program.functions[function.0 as usize];
        let next = self.instances.len();
        let number = *self.known.entry((function, from)).or_insert(next);
        if number == next {
            let registers = vec![Held::default(); code.registers.len()];
            let results = vec![Held::default(); code.results];
            let callers = BTreeSet::new();
            let is_stale = true;
            self.instances.push(Instance { function: function.0 as usize, registers, results, callers, is_stale });
        }
        for (parameter, argument) in code.parameters.iter().zip(arguments) {
            self.assign(number, *parameter, argument);
        }
        number
    }

    fn assign(&mut self, number: usize, target: RegisterId, held: &Held) {
        let (current, position) = self.at;
        let instance = &mut self.instances[number];
        if instance.registers[target.0 as usize].add(held) {
            let first_use = self.first_uses[instance.function][target.0 as usize];
            instance.is_stale |= number != current || first_use <= position;
        }
    }

    fn put(&mut self, class: Class, held: &Held) {
        if held.places.is_empty() && !held.packed {
            return;
        }
        let cells = self.memory.entry(class.site).or_default();
        let has_changed = match cells.iter_mut().find(|(other, _)| *other == class) {
            Some((_, known)) => known.add(held),
            None => {
                cells.push((class, held.clone()));
                true
            }
        };
        for reader in self.readers.get(&class.site).into_iter().flatten().filter(|_| has_changed) {
            self.instances[*reader].is_stale = true;
        }
    }

    fn look_at(&mut self, number: usize) {
        let function = self.instances[number].function;
        let before = self.at;
        self.instances[number].is_stale = false;
        for (block, code) in self.program.functions[function].blocks.iter().enumerate() {
            if self.never_chosen(number, block) {
                continue;
            }
            for (index, instruction) in code.instructions.iter().enumerate() {
                self.at = (number, (block, index));
                self.take(number, (function, block, index), &instruction.kind);
            }
            if let Terminator::Return(values) = &code.terminator {
                for (index, value) in values.iter().enumerate() {
                    let value = self.operand(number, value).into_owned();
                    if self.instances[number].results[index].add(&value) {
                        let callers = self.instances[number].callers.clone();
                        callers.into_iter().for_each(|caller| self.instances[caller].is_stale = true);
                    }
                }
            }
        }
        self.at = before;
    }

    /// Whether a block stands for the call of one of the functions that a pointer may lead to, and so far none is known to lead to it.
    fn never_chosen(&self, number: usize, block: usize) -> bool {
        let chosen = self.choices[self.instances[number].function].get(&block);
        chosen.is_some_and(|(pointer, function)| {
            let held = self.operand(number, pointer);
            !held.packed && !held.places.iter().any(|class| class.site == Site::Global(*function))
        })
    }

    fn operand(&self, number: usize, operand: &Operand) -> Cow<'_, Held> {
        operand_of(&self.instances[number], operand)
    }

    fn take(&mut self, number: usize, at: CallSite, kind: &InstructionKind) {
        match kind {
            InstructionKind::Assign { target, operator, operands } => {
                let operands: Vec<Cow<Held>> = operands.iter().map(|operand| self.operand(number, operand)).collect();
                let result = computed(operator, &operands);
                self.assign(number, *target, &result);
            }
            InstructionKind::Load { target, address, .. } => {
                let loaded = self.loaded(number, address);
                self.assign(number, *target, &loaded);
            }
            InstructionKind::Store { address, value, .. } => {
                let value = self.operand(number, value).into_owned();
                self.store(number, address, &value);
            }
            InstructionKind::ReadModifyWrite { target, address, update, .. } => {
                let old = self.loaded(number, address);
                self.assign(number, *target, &old);
                let new = match update {
                    Update::Exchange(value) => self.operand(number, value).into_owned(),
                    Update::CompareExchange { desired, success, .. } => {
                        self.assign(number, *success, &Held::any_number());
                        self.operand(number, desired).into_owned()
                    }
                    Update::Apply(operator, value) => {
                        computed(operator, &[Cow::Owned(old), self.operand(number, value)])
                    }
                };
                self.store(number, address, &new);
            }
            InstructionKind::Allocate { target, .. } => {
                let class = Class::new(Site::Made(number, at.1, at.2), 0, 0);
                self.assign(number, *target, &Held { places: [class].into(), ..Held::default() });
            }
            InstructionKind::Call { function, arguments, targets } => {
                let arguments: Vec<Held> =
                    arguments.iter().map(|argument| self.operand(number, argument).into_owned()).collect();
                let callee = self.instance(*function, Some(at), &arguments);
                // Who calls gets the results at once, unless there are more calls inside of each other than that.
                if self.instances[callee].is_stale && self.depth < DEEPEST {
                    self.depth += 1;
                    self.look_at(callee);
                    self.depth -= 1;
                }
                self.instances[callee].callers.insert(number);
                let results = self.instances[callee].results.clone();
                targets.iter().zip(&results).for_each(|(target, result)| self.assign(number, *target, result));
            }
            InstructionKind::Spawn { function, arguments, target } => {
                let arguments: Vec<Held> =
                    arguments.iter().map(|argument| self.operand(number, argument).into_owned()).collect();
                self.instance(*function, Some(at), &arguments);
                self.assign(number, *target, &Held::any_number());
            }
            other => {
                other.targets().into_iter().for_each(|target| self.assign(number, target, &Held::any_number()));
            }
        }
    }

    fn loaded(&mut self, number: usize, address: &Operand) -> Held {
        let mut loaded = Held::any_number();
        for class in self.operand(number, address).places.clone() {
            self.readers.entry(class.site).or_default().insert(number);
            let cells = self.memory.get(&class.site).into_iter().flatten();
            cells.filter(|(other, _)| other.meets(&class)).for_each(|(_, held)| {
                loaded.add(held);
            });
        }
        loaded
    }

    fn store(&mut self, number: usize, address: &Operand, value: &Held) {
        for class in self.operand(number, address).places.clone() {
            self.put(class, value);
        }
    }
}

/// What an operator may compute.
fn computed(operator: &Operator, operands: &[Cow<Held>]) -> Held {
    let operator = operator.wrapping();
    let union = |operands: &[Cow<Held>]| {
        let mut held = Held::default();
        operands.iter().for_each(|operand| {
            held.add(operand);
        });
        held
    };
    let mut result = match (operator, operands) {
        (Operator::Copy | Operator::Defined, _) => return union(operands),
        (Operator::Select, [_, rest @ ..]) => return union(rest),
        (Operator::Make(..) | Operator::Set(..), _) => Held { packed: true, ..union(operands) },
        (Operator::Get(..), _) => Held { packed: false, ..union(operands) },
        (Operator::Step(size), [pointer, count]) => stepped(pointer, i64::from(*size), count),
        (Operator::Element { size, count, .. }, [pointer, index]) => {
            element(pointer, (i64::from(*size), i64::from(*count)), &among_elements(operator, index))
        }
        (Operator::Resize { .. } | Operator::Add | Operator::Sub, _)
        | (Operator::And | Operator::Or | Operator::Xor, _) => arithmetic(operator, operands),
        _ => Held::default(),
    };
    result.numbers = numbers(operator, operands);
    result
}

fn stepped(pointer: &Held, size: i64, count: &Held) -> Held {
    let mut held = Held::default();
    for class in &pointer.places {
        match count.known_numbers() {
            Some(counts) => {
                let moved = counts.iter().map(|count| class.moved(Some(count.signed().wrapping_mul(size)), 0));
                held.places.extend(moved);
            }
            None => {
                held.places.insert(class.moved(None, size.wrapping_mul(count.numbers.divisor())));
            }
        }
    }
    held
}

/// The numbers that an array has elements of: any other is an error.
fn among_elements(operator: &Operator, index: &Held) -> Held {
    let numbers = match (&index.numbers, operator.elements()) {
        (Numbers::These(numbers), Some(elements)) => {
            Numbers::These(numbers.iter().filter(|number| elements.contains(&number.signed())).copied().collect())
        }
        (numbers, _) => numbers.clone(),
    };
    Held { numbers, ..index.clone() }
}

/// An element of an array. More elements than [`MOST_ELEMENTS`] of an array whose start is not known become a class.
fn element(pointer: &Held, (size, count): (i64, i64), index: &Held) -> Held {
    let mut held = Held::default();
    for class in &pointer.places {
        let start = class.residue;
        let whole = match class.modulus {
            0 => Class { within: (start, start.saturating_add(size.saturating_mul(count))), ..*class },
            _ => *class,
        };
        let array = Held { places: [whole].into(), ..Held::default() };
        match index.known_numbers() {
            None if class.modulus != 0 && count <= MOST_ELEMENTS => {
                held.places.extend((0..count).map(|element| whole.moved(Some(element * size), 0)));
            }
            _ => held.places.extend(stepped(&array, size, index).places),
        }
    }
    held
}

/// Pointers as integers: the operator acts on the offset.
fn arithmetic(operator: &Operator, operands: &[Cow<Held>]) -> Held {
    let mut held = Held::default();
    for (index, operand) in operands.iter().enumerate() {
        let other = operands.get(1 - index.min(1)).filter(|_| operands.len() == 2);
        for class in &operand.places {
            let Some(other) = other else {
                held.places.insert(*class);
                continue;
            };
            match other.known_numbers() {
                // What remains of a pointer then is no pointer.
                Some(numbers) if *operator == Operator::And && numbers.iter().all(|n| takes_tags(*n)) => {}
                Some(numbers) => held.places.extend(numbers.iter().map(|n| with_number(operator, *class, n.signed()))),
                None if matches!(operator, Operator::Add | Operator::Sub) => {
                    held.places.insert(class.moved(None, other.numbers.divisor()));
                }
                None => {
                    held.places.insert(class.moved(None, 1));
                }
            }
        }
    }
    held
}

/// Whether a mask leaves only bits of a pointer that are tags: the low four and the upper ones.
fn takes_tags(mask: Int) -> bool {
    mask.unsigned() & u64::MAX >> 17 & !15 == 0
}

fn with_number(operator: &Operator, class: Class, number: i64) -> Class {
    let (changed, residue) = match operator {
        Operator::Add => return class.moved(Some(number), 0),
        Operator::Sub => return class.moved(Some(number.wrapping_neg()), 0),
        Operator::And => (!number, class.residue & number),
        Operator::Or => (number, class.residue | number),
        _ => (number, class.residue ^ number),
    };
    // The lower bits of all offsets of the class are the same.
    let is_known = class.modulus == 0 || changed as u64 & u64::MAX >> 17 < 1 << class.modulus.trailing_zeros();
    if is_known {
        Class { within: class.within, ..Class::new(class.site, residue, class.modulus) }
    } else {
        class.moved(None, 1)
    }
}

/// The integers that an operator may compute.
fn numbers(operator: &Operator, operands: &[Cow<Held>]) -> Numbers {
    use Operator::*;
    if let Some(masked) = masked(operator, operands) {
        return masked;
    }
    if matches!(
        operator,
        Eq | Ne | LtSigned | LeSigned | LtUnsigned | LeUnsigned | IsFalse | IsDefined | Step(_) | Element { .. }
    ) || operands.iter().any(|operand| operand.known_numbers().is_none())
    {
        return multiples(operator, operands);
    }
    let known: Option<Vec<&BTreeSet<Int>>> = operands.iter().map(|operand| operand.known_numbers()).collect();
    let Some(known) = known else { return multiples(operator, operands) };
    let mut results = BTreeSet::new();
    let mut combinations: Vec<Vec<Value>> = vec![Vec::new()];
    for numbers in known {
        let longer = |chosen: &Vec<Value>| {
            let chosen = chosen.clone();
            numbers.iter().map(move |number| [&chosen[..], &[Value::Int(*number)]].concat())
        };
        combinations = combinations.iter().flat_map(longer).collect();
        if combinations.len() > MOST_NUMBERS * MOST_NUMBERS {
            return multiples(operator, operands);
        }
    }
    for operands in combinations {
        if let Value::Int(int) = operator.apply(&operands) {
            results.insert(int);
        }
    }
    let is_of_pointers = operands.iter().any(|operand| !operand.places.is_empty());
    if results.len() > MOST_NUMBERS || is_of_pointers { multiples(operator, operands) } else { Numbers::These(results) }
}

/// The integers, if a register holds nothing else, and each of them has three bits at most.
fn few_bits(held: &Held) -> Option<&BTreeSet<Int>> {
    let masks = held.known_numbers().filter(|masks| held.places.is_empty() && !masks.is_empty())?;
    let is_small = |mask: &Int| mask.unsigned() <= u64::from(u16::MAX) && mask.unsigned().count_ones() <= 3;
    masks.iter().all(is_small).then_some(masks)
}

/// What a known mask of few bits may leave of anything.
fn masked(operator: &Operator, operands: &[Cow<Held>]) -> Option<Numbers> {
    let (Operator::And, [a, b]) = (operator, operands) else { return None };
    let masks = few_bits(a).or_else(|| few_bits(b))?;
    let left = masks.iter().flat_map(|mask| {
        let (all, width) = (mask.unsigned(), mask.width());
        (0..=all).filter(move |bits| bits & !all == 0).map(move |bits| Int::new(bits as i64, width))
    });
    let left: BTreeSet<Int> = left.collect();
    (left.len() <= MOST_NUMBERS).then_some(Numbers::These(left))
}

/// What divides the integers that an operator may compute. Products that do not fit in 64 bits lead out of all bounds, so that
/// they need not be right.
fn multiples(operator: &Operator, operands: &[Cow<Held>]) -> Numbers {
    let divisor = |operand: &Cow<Held>| operand.numbers.divisor();
    let is_of_pointers = operands.iter().any(|operand| !operand.places.is_empty());
    Numbers::Multiples(match (operator, operands) {
        _ if is_of_pointers => 1,
        (Operator::Mul, [a, b]) => divisor(a).checked_mul(divisor(b)).unwrap_or(1),
        (Operator::Shl, [a, b]) => match b.known_numbers().and_then(|shifts| shifts.iter().next()) {
            Some(least) if least.unsigned() < 32 => divisor(a).checked_shl(least.unsigned() as u32).unwrap_or(1).max(1),
            _ => 1,
        },
        (Operator::Add | Operator::Sub, [a, b]) => gcd(divisor(a), divisor(b)),
        (Operator::Neg, [a]) => divisor(a),
        // Where bits are cut off, only powers of two still divide.
        (Operator::Resize { .. }, [a]) => divisor(a) & divisor(a).wrapping_neg(),
        _ => 1,
    })
}
