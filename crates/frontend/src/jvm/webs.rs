//! Local variables: slots split into the variables that share them.
//!
//! A slot may serve several variables one after the other. Assignments and uses of a slot belong to one variable if a value
//! can flow from the one to the other, or both to a common use, or if the class file says that they are of one variable. So each variable
//! gets a register of its own, and one that is assigned in one place only is known to hold what it was given there.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cafebabe::bytecode::Opcode;

use super::blocks::Blocks;
use super::class::Body;

/// More pairs of slots and blocks than this are refused.
const PAIRS: usize = 4_000_000;

/// A variable: a number below [`Webs::count`].
pub type Web = usize;

/// The variables of a method.
pub struct Webs {
    /// How many there are.
    pub count: usize,
    /// The variable that each instruction reads.
    pub uses: HashMap<usize, Web>,
    /// The variable that each instruction assigns.
    pub definitions: HashMap<usize, Web>,
    /// The variable of each parameter, by slot.
    pub parameters: HashMap<usize, Web>,
    /// In how many places each is assigned, the entry of the method among them.
    pub assigned: Vec<usize>,
    /// The names of those that have one.
    pub names: HashMap<Web, String>,
}

/// Slot, and whether it is read and assigned by an instruction.
fn access(opcode: &Opcode) -> Option<(usize, bool, bool)> {
    match opcode {
        Opcode::Iload(slot) | Opcode::Lload(slot) | Opcode::Aload(slot) => Some(((*slot).into(), true, false)),
        Opcode::Istore(slot) | Opcode::Lstore(slot) | Opcode::Astore(slot) => Some(((*slot).into(), false, true)),
        Opcode::Iinc(slot, _) => Some(((*slot).into(), true, true)),
        _ => None,
    }
}

/// Accesses of one slot in one block: index of the instruction, whether it reads, whether it assigns.
type Accesses = Vec<(usize, bool, bool)>;

impl Webs {
    /// The variables of a method whose parameters start at these slots; `None` if there are too many.
    pub fn of(body: &Body, blocks: &Blocks, parameters: &[usize]) -> Option<Webs> {
        let opcodes = body.opcodes;
        let mut accesses: HashMap<(usize, usize), Accesses> = HashMap::new();
        let mut slots: BTreeSet<usize> = parameters.iter().copied().collect();
        for &block in &blocks.order {
            let (start, end) = blocks.ranges[block];
            for (at, (_, opcode)) in opcodes.iter().enumerate().take(end).skip(start) {
                if let Some((slot, reads, assigns)) = access(opcode) {
                    accesses.entry((slot, block)).or_default().push((at, reads, assigns));
                    slots.insert(slot);
                }
            }
        }
        if slots.len().saturating_mul(blocks.order.len()) > PAIRS {
            return None;
        }
        let mut building = Building::default();
        for &slot in &slots {
            building.slot(slot, blocks, &accesses, parameters.contains(&slot));
        }
        building.name(body);
        Some(building.finish())
    }
}

/// Variables under way: elements that are united step by step.
#[derive(Default)]
struct Building {
    /// Invariant: leads from each element, in the end, to the one that stands for its set.
    parent: Vec<usize>,
    uses: HashMap<usize, usize>,
    definitions: HashMap<usize, usize>,
    parameters: HashMap<usize, usize>,
    /// An element of each variable that has a name, by slot, where it begins to be in use, and name: blocks beside each other may have
    /// variables of one name.
    named: BTreeMap<(usize, usize, String), usize>,
}

impl Building {
    fn slot(&mut self, slot: usize, blocks: &Blocks, accesses: &HashMap<(usize, usize), Accesses>, is_parameter: bool) {
        let nothing = Accesses::new();
        let of = |block: usize| accesses.get(&(slot, block)).unwrap_or(&nothing);
        let live = live(blocks, |block| of(block).first().copied());
        let entries: HashMap<usize, usize> =
            blocks.order.iter().filter(|&&block| live[block]).map(|&block| (block, self.element())).collect();
        if is_parameter {
            let given = self.element();
            self.parameters.insert(slot, given);
            if let Some(&entry) = entries.get(&0) {
                self.unite(given, entry);
            }
        }
        for &block in &blocks.order {
            let mut current = entries.get(&block).copied();
            for &(at, reads, assigns) in of(block) {
                if reads {
                    let used = current.unwrap_or_else(|| self.element());
                    self.uses.insert(at, used);
                }
                if assigns {
                    let defined = self.element();
                    self.definitions.insert(at, defined);
                    current = Some(defined);
                }
            }
            for next in &blocks.successors[block] {
                if let (Some(current), Some(&entry)) = (current, entries.get(next)) {
                    self.unite(current, entry);
                }
            }
        }
    }

    /// Unites what is the same variable by its name.
    fn name(&mut self, body: &Body) {
        let parameters = self.parameters.iter().map(|(&slot, &element)| (slot, 0, element));
        let mut places: Vec<(usize, usize, usize)> = parameters.collect();
        for (at, (offset, opcode)) in body.opcodes.iter().enumerate() {
            let Some((slot, ..)) = access(opcode) else { continue };
            // A variable is in use from the instruction after its first assignment on.
            let after = body.opcodes.get(at + 1).map_or(*offset, |(offset, _)| *offset);
            places.extend(self.uses.get(&at).map(|&element| (slot, *offset, element)));
            places.extend(self.definitions.get(&at).map(|&element| (slot, after, element)));
        }
        for (slot, offset, element) in places {
            if let Some((name, start)) = body.variable(slot, offset) {
                let known = *self.named.entry((slot, start, name.to_string())).or_insert(element);
                self.unite(known, element);
            }
        }
    }

    fn element(&mut self) -> usize {
        self.parent.push(self.parent.len());
        self.parent.len() - 1
    }

    fn find(&mut self, mut element: usize) -> usize {
        while self.parent[element] != element {
            self.parent[element] = self.parent[self.parent[element]];
            element = self.parent[element];
        }
        element
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a] = b;
    }

    fn finish(mut self) -> Webs {
        let mut numbers: HashMap<usize, Web> = HashMap::new();
        let mut number = |building: &mut Building, element: usize| {
            let root = building.find(element);
            let next = numbers.len();
            *numbers.entry(root).or_insert(next)
        };
        let mut renumber = |building: &mut Building, table: HashMap<usize, usize>| -> HashMap<usize, Web> {
            let table: BTreeMap<usize, usize> = table.into_iter().collect();
            table.into_iter().map(|(key, element)| (key, number(building, element))).collect()
        };
        let parameters = std::mem::take(&mut self.parameters);
        let parameters = renumber(&mut self, parameters);
        let definitions = std::mem::take(&mut self.definitions);
        let definitions = renumber(&mut self, definitions);
        let uses = std::mem::take(&mut self.uses);
        let uses = renumber(&mut self, uses);
        let named = std::mem::take(&mut self.named);
        let names = named.into_iter().map(|((.., name), element)| (number(&mut self, element), name)).collect();
        let count = numbers.len();
        let mut assigned = vec![0; count];
        parameters.values().chain(definitions.values()).for_each(|&web| assigned[web] += 1);
        Webs { count, uses, definitions, parameters, assigned, names }
    }
}

/// At the start of which blocks the value of a slot may be read before it is assigned. `first` is the first access of the
/// slot in a block.
fn live(blocks: &Blocks, first: impl Fn(usize) -> Option<(usize, bool, bool)>) -> Vec<bool> {
    let mut live = vec![false; blocks.ranges.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for &block in blocks.order.iter().rev() {
            let is_live = match first(block) {
                Some((_, reads, _)) => reads,
                None => blocks.successors[block].iter().any(|&next| live[next]),
            };
            changed |= is_live && !live[block];
            live[block] |= is_live;
        }
    }
    live
}
