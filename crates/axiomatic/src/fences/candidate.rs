//! What could be put in: candidates and the places they belong to.
//!
//! A place is worth looking at only if something comes before it that it could keep before something after it; and of two
//! places such that every path to the second one passes the first and nothing is accessed between them, the first does
//! all that the second one could do.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    Access, BlockId, Flow, Function, Instruction, InstructionKind, Order, Program, Span, Update, Verified, verify,
};

use super::hitting::Set;
use crate::choice::{Alternative, Choices, closed, tag};

/// What makes an access or a place stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// Keeps later loads after earlier ones through whose values their addresses came about.
    DataDependentLoads,
    /// Keeps later loads after earlier ones of the same location.
    AliasedLoads,
    /// Keeps later loads after earlier ones.
    LoadLoad,
    /// Keeps later stores after earlier ones.
    StoreStore,
    /// Keeps later stores after earlier loads.
    LoadStore,
    /// Keeps later loads after earlier stores.
    StoreLoad,
    /// C11: acquires.
    Acquire,
    /// C11: releases.
    Release,
    /// C11: sequentially consistent.
    SeqCst,
}

/// All strengths, with the name on the command line, the set of the models that a fence is put in, and the usual cost.
const STRENGTHS: &[(Strength, &str, &str, u32)] = &[
    (Strength::DataDependentLoads, "data-dependent-loads", "DDL", 1),
    (Strength::AliasedLoads, "aliased-loads", "AL", 1),
    (Strength::LoadLoad, "load-load", "LL", 2),
    (Strength::StoreStore, "store-store", "SS", 2),
    (Strength::LoadStore, "load-store", "LS", 2),
    (Strength::StoreLoad, "store-load", "SL", 4),
    (Strength::Acquire, "acquire", "ACQ", 2),
    (Strength::Release, "release", "REL", 2),
    (Strength::SeqCst, "seq_cst", "SC", 8),
];

impl Strength {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Strength> {
        STRENGTHS.iter().map(|row| row.0)
    }

    fn row(self) -> (&'static str, &'static str, u32) {
        let row = STRENGTHS.iter().find(|row| row.0 == self);
        row.map_or(("", "", 1), |&(_, name, set, cost)| (name, set, cost))
    }

    /// Its name: `load-load`, `acquire`.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The strength of this name.
    pub fn named(name: &str) -> Option<Strength> {
        Strength::all().find(|strength| strength.name() == name)
    }

    /// What it costs if nothing else is said.
    pub fn usual_cost(self) -> u32 {
        self.row().2
    }

    /// The set of the models that speaks of it.
    pub fn set(self) -> &'static str {
        self.row().1
    }

    /// Whether it is a memory order of C11.
    pub fn is_order(self) -> bool {
        matches!(self, Strength::Acquire | Strength::Release | Strength::SeqCst)
    }

    /// Whether a fence of this strength between these accesses can order any.
    fn can_order(self, before: Seen, after: Seen) -> bool {
        let (any_before, any_after) = (before.load || before.store, after.load || after.store);
        match self {
            Strength::DataDependentLoads | Strength::AliasedLoads | Strength::LoadLoad => before.load && after.load,
            Strength::StoreStore => before.store && after.store,
            Strength::LoadStore => before.load && after.store,
            Strength::StoreLoad => before.store && after.load,
            Strength::Acquire => before.load && any_after,
            Strength::Release => any_before && after.store,
            Strength::SeqCst => any_before && any_after,
        }
    }
}

/// Something that can be left open.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// A place where a fence could stand.
    Place(Span),
    /// The memory order of an instruction: of the function at this place, its block, the index in it, and whether it is the
    /// order of a failing compare-exchange.
    Order(Option<Span>, BlockId, usize, bool),
}

/// One way to strengthen one site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The site, by its number in [`Candidates::sites`].
    pub site: usize,
    /// What is put there.
    pub strength: Strength,
    /// What it costs.
    pub cost: u32,
}

/// All candidates of some tests.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// The sites, each with its text in the source: empty for a place.
    pub sites: Vec<(Site, Option<Span>)>,
    /// The candidates, by site.
    pub list: Vec<Candidate>,
}

/// Which accesses there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    load: bool,
    store: bool,
}

impl Seen {
    fn or(self, other: Seen) -> Seen {
        Seen { load: self.load || other.load, store: self.store || other.store }
    }
}

/// What is left open in an instruction.
fn sites_of(function: &Function, block: usize, index: usize, kind: &InstructionKind) -> Vec<(Site, Access)> {
    let order = |failure| Site::Order(function.span, BlockId(block as u32), index, failure);
    let is_ordered = |access: &Access| access.order != Order::Plain;
    match kind {
        InstructionKind::Load { access, .. }
        | InstructionKind::Store { access, .. }
        | InstructionKind::Fence { access }
            if is_ordered(access) =>
        {
            vec![(order(false), access.clone())]
        }
        InstructionKind::ReadModifyWrite { access, update, .. } if is_ordered(access) => match update {
            Update::CompareExchange { failure, .. } => {
                vec![(order(false), access.clone()), (order(true), failure.clone())]
            }
            _ => vec![(order(false), access.clone())],
        },
        _ => Vec::new(),
    }
}

/// The accesses of an instruction, to change.
fn access_mut(kind: &mut InstructionKind, of_failure: bool) -> Option<&mut Access> {
    match kind {
        InstructionKind::ReadModifyWrite { update: Update::CompareExchange { failure, .. }, .. } if of_failure => {
            Some(failure)
        }
        InstructionKind::Load { access, .. }
        | InstructionKind::Store { access, .. }
        | InstructionKind::ReadModifyWrite { access, .. }
        | InstructionKind::Fence { access } => Some(access),
        _ => None,
    }
}

/// The places of the marks in the threads of these programs where a fence of one of the strengths can do something.
pub fn places(inlined: &[&Verified], strengths: &[(Strength, u32)]) -> Candidates {
    let mut survey = Survey::default();
    for program in inlined {
        let entries: BTreeSet<_> = program.threads.iter().map(|thread| thread.entry).collect();
        entries.into_iter().for_each(|entry| survey.function(program.function(entry)));
    }
    let mut dropped: BTreeSet<Span> = BTreeSet::new();
    for (&place, found) in &survey.places {
        if found.same.iter().flatten().any(|other| *other != place && !dropped.contains(other)) {
            dropped.insert(place);
        }
    }
    let mut candidates = Candidates::default();
    for (&place, found) in survey.places.iter().filter(|(place, _)| !dropped.contains(place)) {
        let useful = |strength: Strength| found.around.iter().any(|&(b, a)| strength.can_order(b, a));
        let useful: Vec<_> = strengths.iter().filter(|(strength, _)| useful(*strength)).collect();
        if !useful.is_empty() {
            candidates.add((Site::Place(place), Some(place)), useful.into_iter().copied());
        }
    }
    candidates
}

/// The memory orders of the instructions that the threads of these programs reach.
pub fn orders(programs: &[&Verified], costs: impl Fn(Strength) -> u32) -> Candidates {
    let mut found: BTreeMap<Site, (Option<Span>, &'static [Strength])> = BTreeMap::new();
    for program in programs {
        for function in reached(program) {
            let mut inside = in_atomic_blocks(function);
            for (block, code) in function.blocks.iter().enumerate() {
                for (index, Instruction { kind, span }) in code.instructions.iter().enumerate() {
                    inside[block] = is_inside_after(kind, inside[block]);
                    if inside[block] {
                        continue;
                    }
                    for (site, _) in sites_of(function, block, index, kind) {
                        let strengths = possible_orders(kind, &site);
                        found.insert(site, (*span, strengths));
                    }
                }
            }
        }
    }
    let mut candidates = Candidates::default();
    for (site, (span, strengths)) in found {
        candidates.add((site, span), strengths.iter().map(|&strength| (strength, costs(strength))));
    }
    candidates
}

/// Whether each block is entered inside of an atomic block. Accesses there belong to locks and the like, whose orders are not
/// the user's.
fn in_atomic_blocks(function: &Function) -> Vec<bool> {
    let mut inside = vec![false; function.blocks.len()];
    // Every block comes after one that leads to it.
    for id in Flow::of(function).order() {
        let block = &function[*id];
        let kinds = block.instructions.iter().map(|instruction| &instruction.kind);
        let at_end = kinds.fold(inside[id.0 as usize], |inside, kind| is_inside_after(kind, inside));
        block.terminator.successors().iter().for_each(|next| inside[next.0 as usize] = at_end);
    }
    inside
}

fn is_inside_after(kind: &InstructionKind, inside: bool) -> bool {
    match kind {
        InstructionKind::AtomicBegin => true,
        InstructionKind::AtomicEnd => false,
        _ => inside,
    }
}

fn possible_orders(kind: &InstructionKind, site: &Site) -> &'static [Strength] {
    match (kind, site) {
        (_, Site::Order(_, _, _, true)) | (InstructionKind::Load { .. }, _) => &[Strength::Acquire, Strength::SeqCst],
        (InstructionKind::Store { .. }, _) => &[Strength::Release, Strength::SeqCst],
        _ => &[Strength::Acquire, Strength::Release, Strength::SeqCst],
    }
}

/// The functions that the threads reach.
fn reached(program: &Program) -> Vec<&Function> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<_> = program.threads.iter().map(|thread| thread.entry).collect();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            let blocks = program.function(id).blocks.iter();
            open.extend(blocks.flat_map(|block| &block.instructions).flat_map(|i| i.kind.callees()));
        }
    }
    seen.into_iter().map(|id| program.function(id)).collect()
}

impl Candidates {
    fn add(&mut self, site: (Site, Option<Span>), strengths: impl Iterator<Item = (Strength, u32)>) {
        let number = self.sites.len();
        self.sites.push(site);
        self.list.extend(strengths.map(|(strength, cost)| Candidate { site: number, strength, cost }));
    }

    /// The numbers of the candidates of a site.
    pub fn of_site(&self, site: usize) -> Vec<usize> {
        (0..self.list.len()).filter(|&index| self.list[index].site == site).collect()
    }

    /// What a site becomes with these strengths.
    pub fn strengthened(&self, site: usize, strengths: &[Strength]) -> Access {
        let weakest = if matches!(self.sites[site].0, Site::Place(_)) { Order::Plain } else { Order::Relaxed };
        let has = |strength| strengths.contains(&strength);
        let order = match () {
            () if has(Strength::SeqCst) => Order::SeqCst,
            () if has(Strength::Acquire) && has(Strength::Release) => Order::AcquireRelease,
            () if has(Strength::Acquire) => Order::Acquire,
            () if has(Strength::Release) => Order::Release,
            () => weakest,
        };
        let sets = strengths.iter().filter(|strength| !strength.is_order());
        sets.fold(Access::ordered(order), |access, strength| access.tagged(strength.set()))
    }

    /// The strengths that a set of candidates gives a site.
    pub fn chosen(&self, site: usize, set: &Set) -> Vec<Strength> {
        self.of_site(site).into_iter().filter(|index| set.contains(index)).map(|i| self.list[i].strength).collect()
    }

    /// The alternatives of each site.
    pub fn choices(&self) -> Choices {
        let list = (0..self.sites.len()).map(|site| self.alternatives(site)).collect();
        Choices { list, candidates: self.list.len() }
    }

    fn alternatives(&self, site: usize) -> Vec<Alternative> {
        let own = self.of_site(site);
        if own.iter().any(|&index| !self.list[index].strength.is_order()) {
            // Each kind of fence adds to the others.
            let kind = |&index: &usize| {
                let access = self.strengthened(site, &[self.list[index].strength]);
                Alternative { access, on: vec![index], off: Vec::new() }
            };
            let nothing = Alternative { access: Access::plain(), on: Vec::new(), off: Vec::new() };
            return own.iter().map(kind).chain([nothing]).collect();
        }
        let subset = |bits: usize| {
            let is_on = |position: usize| bits >> position & 1 == 1;
            let part = |wanted: bool| -> Vec<usize> {
                own.iter().enumerate().filter(|&(at, _)| is_on(at) == wanted).map(|(_, &index)| index).collect()
            };
            let (on, off) = (part(true), part(false));
            let strengths: Vec<Strength> = on.iter().map(|&index| self.list[index].strength).collect();
            Alternative { access: self.strengthened(site, &strengths), on, off }
        };
        (0..1usize << own.len()).map(subset).collect()
    }

    /// The program with every site left open. Other marks are taken out.
    pub fn open(&self, program: &Program) -> Option<Verified> {
        self.rewrite(program, |number, access| {
            // An open place is no mark any more.
            let mut open = if access.is_place() { Access::plain() } else { access.clone() };
            open = open.tagged(&tag(number));
            Some(open)
        })
    }

    /// The program with this set put in.
    pub fn close(&self, program: &Program, set: &Set) -> Option<Verified> {
        self.rewrite(program, |number, access| {
            let strengths = self.chosen(number, set);
            if access.is_place() {
                return (!strengths.is_empty()).then(|| self.strengthened(number, &strengths));
            }
            Some(closed(access, &self.strengthened(number, &strengths)))
        })
    }

    /// Changes the access of each site; a fence for which there is none is taken out, and so are marks of other places.
    fn rewrite(&self, program: &Program, change: impl Fn(usize, &Access) -> Option<Access>) -> Option<Verified> {
        let numbers: BTreeMap<&Site, usize> = self.sites.iter().enumerate().map(|(n, (site, _))| (site, n)).collect();
        let mut result = program.clone();
        for function in &mut result.functions {
            let original = function.clone();
            for (block, code) in function.blocks.iter_mut().enumerate() {
                let old = std::mem::take(&mut code.instructions);
                for (index, mut instruction) in old.into_iter().enumerate() {
                    if let InstructionKind::Fence { access } = &instruction.kind
                        && access.is_place()
                    {
                        let number = instruction.span.and_then(|span| numbers.get(&Site::Place(span)));
                        let Some(access) = number.and_then(|&number| change(number, access)) else { continue };
                        instruction.kind = InstructionKind::Fence { access };
                        code.instructions.push(instruction);
                        continue;
                    }
                    for (site, access) in sites_of(&original, block, index, &instruction.kind) {
                        let Some(&number) = numbers.get(&site) else { continue };
                        let of_failure = matches!(site, Site::Order(_, _, _, true));
                        if let (Some(place), Some(access)) =
                            (access_mut(&mut instruction.kind, of_failure), change(number, &access))
                        {
                            *place = access;
                        }
                    }
                    code.instructions.push(instruction);
                }
            }
        }
        verify(result).ok()
    }
}

/// What is known about the marked places.
#[derive(Default)]
struct Survey {
    places: BTreeMap<Span, Found>,
}

#[derive(Default)]
struct Found {
    /// What is accessed before and after, for each copy.
    around: Vec<(Seen, Seen)>,
    /// Places that every path passes just before, in all copies seen so far.
    same: Option<BTreeSet<Span>>,
}

impl Survey {
    /// Looks at one thread without calls.
    fn function(&mut self, function: &Function) {
        let flow = Flow::of(function);
        let order = flow.order();
        let size = function.blocks.len();
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); size];
        for block in order {
            for next in function[*block].terminator.successors() {
                predecessors[next.0 as usize].push(block.0 as usize);
            }
        }
        let mut before = vec![Seen::default(); size];
        let mut after = vec![Seen::default(); size];
        let mut current: Vec<Option<BTreeSet<Span>>> = vec![None; size];
        current[0] = Some(BTreeSet::new());
        let content = |block: usize| {
            let instructions = function.blocks[block].instructions.iter();
            instructions.fold(Seen::default(), |seen, i| seen.or(accessed(&i.kind)))
        };
        loop {
            let mut changed = false;
            for block in order.iter().map(|block| block.0 as usize) {
                let into = |seen: Seen, &from: &usize| seen.or(before[from]).or(content(from));
                let new_before = predecessors[block].iter().fold(Seen::default(), into);
                let successors = function.blocks[block].terminator.successors();
                let out = |seen: Seen, to: &BlockId| seen.or(after[to.0 as usize]).or(content(to.0 as usize));
                let new_after = successors.iter().fold(Seen::default(), out);
                let mut new_current = current[block].clone().filter(|_| block == 0);
                for &from in &predecessors[block] {
                    let Some(start) = &current[from] else { continue };
                    let end = passed(&function.blocks[from].instructions, start.clone(), &mut |_, _| {});
                    new_current = Some(match new_current {
                        Some(known) => known.intersection(&end).copied().collect(),
                        None => end,
                    });
                }
                let same = new_before == before[block] && new_after == after[block] && new_current == current[block];
                changed |= !same;
                (before[block], after[block], current[block]) = (new_before, new_after, new_current);
            }
            if !changed {
                break;
            }
        }
        for block in order.iter().map(|block| block.0 as usize) {
            let instructions = &function.blocks[block].instructions;
            let mut passes = Vec::new();
            let start = current[block].clone().unwrap_or_default();
            passed(instructions, start, &mut |index, set| passes.push((index, set.clone())));
            for (index, set) in passes {
                let Some(place) = instructions[index].span else { continue };
                let fold = |seen: Seen, i: &Instruction| seen.or(accessed(&i.kind));
                let earlier = instructions[..index].iter().fold(before[block], fold);
                let later = instructions[index..].iter().fold(after[block], fold);
                let found = self.places.entry(place).or_default();
                found.around.push((earlier, later));
                found.same = Some(match found.same.take() {
                    Some(known) => known.intersection(&set).copied().collect(),
                    None => set,
                });
            }
        }
    }
}

/// Goes through a block: which places were passed since the last access. `visit` is told of each mark, and the places
/// passed just before it.
fn passed(
    instructions: &[Instruction],
    mut places: BTreeSet<Span>,
    visit: &mut dyn FnMut(usize, &BTreeSet<Span>),
) -> BTreeSet<Span> {
    for (index, instruction) in instructions.iter().enumerate() {
        match (&instruction.kind, instruction.span) {
            (InstructionKind::Fence { access }, Some(place)) if access.is_place() => {
                visit(index, &places);
                places.insert(place);
            }
            (kind, _) if accessed(kind) != Seen::default() => places.clear(),
            _ => {}
        }
    }
    places
}

/// What an instruction accesses.
fn accessed(kind: &InstructionKind) -> Seen {
    let both = Seen { load: true, store: true };
    match kind {
        InstructionKind::Load { .. } => Seen { load: true, store: false },
        InstructionKind::Store { .. } => Seen { load: false, store: true },
        InstructionKind::ReadModifyWrite { .. } | InstructionKind::Lock { .. } | InstructionKind::Unlock { .. } => both,
        InstructionKind::Allocate { reuse: true, .. } | InstructionKind::Free { .. } => both,
        _ => Seen::default(),
    }
}
