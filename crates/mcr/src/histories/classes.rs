//! The classes found so far, and whether one of them goes through given histories.
//!
//! A class is the list of its threads' last histories. For each node at which known classes part the list of those that go
//! each way is kept (nodes between are not kept: all that pass them pass the one above, too).

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::history::Forest;
use super::id::{ClassId, NodeId};

/// The known classes.
#[derive(Default)]
pub struct Classes {
    /// The last node of each thread; [`NodeId::NONE`] for one that has not started. Threads past the end have not started.
    ends: Vec<Box<[NodeId]>>,
    ids: FxHashMap<Box<[NodeId]>, ClassId>,
    /// By node.
    places: Vec<Place>,
    lists: Vec<List>,
    indexes: RefCell<Indexes>,
}

/// What known classes do at a node.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Whether some class passes or ends here.
    is_passed: bool,
    /// Whether some class ends here.
    is_end: bool,
    /// In how many ways classes go on from here, to end here being one; 2 stands for more, too.
    ways: u8,
    /// The way on of the first class, if it is no end.
    first: NodeId,
    /// The last node at or above this one that has a list; all classes that pass the one pass the other.
    anchor: NodeId,
    /// 1 plus the number of the list of classes that pass here; only if the node is its own anchor.
    list: u32,
}

/// Some classes.
#[derive(Clone, Default)]
struct List {
    /// Ascending.
    classes: Vec<ClassId>,
    /// The classes as a bit set, if there were once so many that it was not much longer than the list.
    bits: Vec<u64>,
}

/// Shorter lists are not kept as bit sets.
const MANY: usize = 128;

/// How many classes make a list one that is kept as a bit set, too, among so many.
fn dense(classes: usize) -> usize {
    MANY.max(classes / 64)
}

impl List {
    fn push(&mut self, class: ClassId) {
        self.classes.push(class);
        if !self.bits.is_empty() {
            self.set(class);
        } else if self.classes.len() >= dense(class.index() + 1) {
            let classes = std::mem::take(&mut self.classes);
            classes.iter().for_each(|class| self.set(*class));
            self.classes = classes;
        }
    }

    fn set(&mut self, class: ClassId) {
        let word = class.index() / 64;
        self.bits.resize(self.bits.len().max(word + 1), 0);
        self.bits[word] |= 1 << (class.index() % 64);
    }

    fn len(&self) -> usize {
        self.classes.len()
    }

    fn contains(&self, class: ClassId) -> bool {
        match self.bits.get(class.index() / 64) {
            Some(word) => word >> (class.index() % 64) & 1 == 1,
            None => self.bits.is_empty() && self.classes.binary_search(&class).is_ok(),
        }
    }

    fn words(&self) -> &[u64] {
        &self.bits
    }
}

impl Classes {
    /// No class.
    pub fn new() -> Classes {
        Classes::default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The last nodes of a class.
    pub fn ends(&self, class: ClassId) -> &[NodeId] {
        &self.ends[class.index()]
    }

    /// Whether there is a class that ends in exactly these nodes.
    pub fn contains(&self, ends: &[NodeId]) -> bool {
        self.ids.contains_key(trimmed(ends))
    }

    /// Adds a class; `None` if it was known.
    pub fn insert(&mut self, ends: &[NodeId], forest: &Forest) -> Option<ClassId> {
        let ends: Box<[NodeId]> = trimmed(ends).into();
        if self.ids.contains_key(&ends) {
            return None;
        }
        let id = ClassId::at(self.ends.len());
        self.places.resize(forest.len(), Place::default());
        ends.iter().filter(|end| **end != NodeId::NONE).for_each(|end| self.insert_path(id, *end, forest));
        self.ids.insert(ends.clone(), id);
        self.ends.push(ends);
        Some(id)
    }

    fn place(&mut self, node: NodeId) -> &mut Place {
        &mut self.places[node.index()]
    }

    fn insert_path(&mut self, id: ClassId, end: NodeId, forest: &Forest) {
        let mut below = Vec::new();
        let mut node = end;
        while node != NodeId::NONE && !self.place(node).is_passed {
            below.push(node);
            node = forest.node(node).parent;
        }
        let first_below = below.last().copied();
        match node {
            NodeId::NONE => self.make_anchor(first_below.unwrap_or(end), List::default()),
            node => self.go_on(node, first_below, forest),
        }
        let anchor = match (first_below, node) {
            (Some(first), NodeId::NONE) => first,
            (Some(first), _) if self.place(first).anchor == first && self.place(first).is_passed => first,
            (_, node) => self.place(node).anchor,
        };
        below.iter().rev().for_each(|node| self.pass(*node, anchor));
        below.windows(2).for_each(|pair| {
            let place = self.place(pair[1]);
            (place.ways, place.first) = (1, pair[0]);
        });
        let last = self.place(end);
        if !last.is_end {
            last.is_end = true;
            if first_below.is_some() {
                (last.ways, last.first) = (1, NodeId::NONE);
            }
        }
        let mut anchor = self.place(end).anchor;
        while anchor != NodeId::NONE {
            let list = self.places[anchor.index()].list as usize - 1;
            self.lists[list].push(id);
            let above = forest.node(anchor).parent;
            anchor = if above == NodeId::NONE { NodeId::NONE } else { self.place(above).anchor };
        }
    }

    fn pass(&mut self, node: NodeId, anchor: NodeId) {
        let place = self.place(node);
        place.is_passed = true;
        place.anchor = anchor;
    }

    fn make_anchor(&mut self, node: NodeId, list: List) {
        self.lists.push(list);
        let list = self.lists.len() as u32;
        let place = self.place(node);
        (place.is_passed, place.anchor, place.list) = (true, node, list);
    }

    /// A class comes to a node that others have passed, and goes to `next` from there, which none has passed, or ends.
    fn go_on(&mut self, node: NodeId, next: Option<NodeId>, forest: &Forest) {
        let place = *self.place(node);
        let is_new = next.is_some() || !place.is_end;
        if !is_new {
            return;
        }
        if place.ways == 1 {
            if place.first != NodeId::NONE {
                let anchor = place.anchor;
                let list = self.list(anchor).clone();
                self.make_anchor(place.first, list);
                self.reanchor(place.first, forest);
            }
            self.place(node).ways = 2;
        }
        if let Some(next) = next {
            self.make_anchor(next, List::default());
        }
    }

    /// The nodes below a new anchor have it as theirs, down to where classes part.
    fn reanchor(&mut self, anchor: NodeId, _: &Forest) {
        let mut node = anchor;
        loop {
            self.place(node).anchor = anchor;
            let place = *self.place(node);
            if place.ways != 1 || place.first == NodeId::NONE {
                return;
            }
            node = place.first;
        }
    }

    /// Whether a class before `before` passes all these nodes; [`NodeId::NONE`] is passed by all.
    pub fn some_passes(&self, nodes: impl Iterator<Item = NodeId>, before: ClassId) -> bool {
        self.passing(nodes, before).is_some()
    }

    /// A class before `before` that passes all these nodes.
    pub fn passing(&self, nodes: impl Iterator<Item = NodeId>, before: ClassId) -> Option<ClassId> {
        let nodes: Vec<NodeId> = nodes.collect();
        if let Some(class) = self.ids.get(trimmed(&nodes)).filter(|class| **class < before) {
            return Some(*class);
        }
        let mut anchors: Vec<NodeId> = Vec::new();
        for node in nodes.iter().copied().filter(|node| *node != NodeId::NONE) {
            match self.places.get(node.index()).filter(|place| place.is_passed) {
                Some(place) if self.list(place.anchor).len() < self.ends.len() => anchors.push(place.anchor),
                Some(_) => {}
                None => return None,
            }
        }
        anchors.sort_unstable_by_key(|anchor| self.list(*anchor).len());
        let Some((shortest, others)) = anchors.split_first() else {
            return (before > ClassId(0) && !self.ends.is_empty()).then_some(ClassId(0));
        };
        let shortest = self.list(*shortest);
        if shortest.len() >= MANY {
            if let Some(found) = self.by_index(&nodes, &anchors, before) {
                return found;
            }
            if shortest.len() >= dense(self.ends.len()) {
                // The longer ones are bit sets, too.
                let others: Vec<&[u64]> = others.iter().map(|anchor| self.list(*anchor).words()).collect();
                return first_common(shortest.words(), &others, before);
            }
        }
        let mut candidates = shortest.classes.iter().copied().take_while(|class| *class < before);
        candidates.find(|class| others.iter().all(|anchor| self.list(*anchor).contains(*class)))
    }

    /// A class before `before` that passes all these nodes, which have these anchors, among the classes that have the same
    /// last nodes where these leave no choice; `None` if that is not a quick way to tell.
    fn by_index(&self, nodes: &[NodeId], anchors: &[NodeId], before: ClassId) -> Option<Option<ClassId>> {
        if self.ends.len() < LARGE || nodes.len() > Threads::BITS as usize {
            return None;
        }
        let (mut threads, mut key) = (0, 0);
        for (thread, end) in nodes.iter().enumerate().filter_map(|(thread, node)| Some((thread, self.only_end(*node)?)))
        {
            threads |= 1 << thread;
            key = mixed(key, end);
        }
        let mut indexes = self.indexes.borrow_mut();
        let index = indexes.of(threads)?;
        index.catch_up(&self.ends);
        let candidates = index.classes(key).take(MOST_TRIED + 1);
        for (tried, class) in candidates.enumerate() {
            if tried == MOST_TRIED {
                return None;
            }
            if class < before && anchors.iter().all(|anchor| self.list(*anchor).contains(class)) {
                return Some(Some(class));
            }
        }
        Some(None)
    }

    /// The last node of all classes that pass a node, if that is only one.
    fn only_end(&self, mut node: NodeId) -> Option<NodeId> {
        while node != NodeId::NONE {
            let place = &self.places[node.index()];
            match place.ways {
                1 if place.is_end => return Some(node),
                1 => node = place.first,
                _ => return None,
            }
        }
        None
    }

    fn list(&self, anchor: NodeId) -> &List {
        &self.lists[self.places[anchor.index()].list as usize - 1]
    }
}

/// With fewer classes than this no index is made.
const LARGE: usize = 2_048;
/// How often has to be asked about some threads before an index is made for them.
const OFTEN: u32 = 64;
/// How many indexes are made at most.
const MOST_INDEXES: usize = 32;
/// How many classes of an index are looked at.
const MOST_TRIED: usize = 64;

/// Some threads, a bit each.
type Threads = u128;

/// Indexes of classes by the last nodes of some of their threads.
#[derive(Default)]
struct Indexes {
    made: Vec<Index>,
    /// How often was asked for an index that is not made.
    asked: FxHashMap<Threads, u32>,
}

impl Indexes {
    /// The index for these threads, if there is one.
    fn of(&mut self, threads: Threads) -> Option<&mut Index> {
        if let Some(place) = self.made.iter().position(|index| index.threads == threads) {
            return self.made.get_mut(place);
        }
        if self.made.len() == MOST_INDEXES {
            return None;
        }
        let asked = self.asked.entry(threads).or_default();
        *asked += 1;
        if *asked < OFTEN {
            return None;
        }
        self.made.push(Index { threads, ..Index::default() });
        self.made.last_mut()
    }
}

/// The classes by the last nodes of some of their threads. Different nodes may have the same key.
#[derive(Default)]
struct Index {
    threads: Threads,
    /// For each key 1 plus the newest class.
    newest: FxHashMap<u64, u32>,
    /// For each class 1 plus the next older one with its key; 0 if there is none.
    older: Vec<u32>,
}

impl Index {
    fn catch_up(&mut self, ends: &[Box<[NodeId]>]) {
        for (class, of) in ends.iter().enumerate().skip(self.older.len()) {
            let is_in = |thread: &usize| self.threads >> thread & 1 == 1;
            let key = (0..of.len()).filter(is_in).fold(0, |key, thread| mixed(key, of[thread]));
            self.older.push(self.newest.insert(key, class as u32 + 1).unwrap_or(0));
        }
    }

    /// The classes with this key, newest first.
    fn classes(&self, key: u64) -> impl Iterator<Item = ClassId> {
        let newest = self.newest.get(&key).copied().unwrap_or(0);
        let older = |class: &ClassId| self.older[class.index()].checked_sub(1).map(ClassId);
        std::iter::successors(newest.checked_sub(1).map(ClassId), older)
    }
}

fn mixed(key: u64, node: NodeId) -> u64 {
    (key.rotate_left(5) ^ u64::from(node.0)).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// How many words of sets are looked at together: to stop after each costs more than it spares.
const CHUNK: usize = 8;

/// The first class before `before` that is in all these sets.
fn first_common(first: &[u64], others: &[&[u64]], before: ClassId) -> Option<ClassId> {
    // A set ends with its last class.
    let length = others.iter().map(|other| other.len()).fold(first.len(), usize::min);
    for start in (0..length).step_by(CHUNK) {
        let range = start..length.min(start + CHUNK);
        let mut common = [0; CHUNK];
        common[..range.len()].copy_from_slice(&first[range.clone()]);
        for other in others {
            common.iter_mut().zip(&other[range.clone()]).for_each(|(word, other)| *word &= other);
            if common.iter().all(|word| *word == 0) {
                break;
            }
        }
        if let Some(place) = common.iter().position(|word| *word != 0) {
            let class = ClassId::at((start + place) * 64 + common[place].trailing_zeros() as usize);
            return (class < before).then_some(class);
        }
    }
    None
}

/// Threads that have not started at the end do not count.
fn trimmed(ends: &[NodeId]) -> &[NodeId] {
    let count = ends.iter().rposition(|end| *end != NodeId::NONE).map_or(0, |last| last + 1);
    &ends[..count]
}
