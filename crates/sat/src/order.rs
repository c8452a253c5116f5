//! The order theory: keeps graphs acyclic while the solver searches.
//!
//! Connected to CaDiCaL as an external propagator (Fazekas, Niemetz, Preiner, Kirchweger, Szeider and Biere, "IPASIR-UP:
//! User Propagators for CDCL", SAT 2023). Each component keeps its transitive closure as a bit matrix. A literal that
//! becomes true inserts its edges:
//!
//! * an edge `x -> y` with a path from `y` to `x` is a conflict; its clause is the path with the fewest literals;
//! * otherwise every node that reaches `x` now reaches what `y` reaches, and every optional edge against a new pair of
//!   the closure is propagated false at once. Its reason is searched for when the solver asks, among the edges that were
//!   there at the time.
//!
//! So every edge that would close a cycle is decided before the search goes on, and conflicts come only from literals
//! that clauses propagate together. Backtracking takes the changed bits back. A component of n nodes needs n^2 bits.

use std::collections::VecDeque;

use cadical_sys::ExternalPropagator;

use crate::closure::{Change, Closure};
use crate::graph::Component;
use crate::lit::Lit;
use crate::path::{ALWAYS, Search, Successor, Usable};

/// The state of the theory: which edges are in the graphs under the current partial assignment.
pub(crate) struct Order {
    components: Vec<Watched>,
    /// Sorted by component, target and source, so that parallel edges are neighbours.
    edges: Vec<GuardedEdge>,
    /// The edges of a literal: `guarded[guard_starts[code]..guard_starts[code + 1]]`, for `code(lit)`.
    guard_starts: Vec<u32>,
    guarded: Vec<u32>,
    /// 1 true, -1 false, 0 unassigned, per variable.
    values: Vec<i8>,
    /// The literals that are true, in the order of notification.
    trail: Vec<i32>,
    /// How much of `trail` has been inserted into the graphs.
    inserted: usize,
    /// The edges in the graphs, in the order of insertion; an edge's place here is its stamp.
    active: Vec<u32>,
    /// The changes of the closures, each with its component.
    changes: Vec<(u32, Change)>,
    /// What to go back to, per decision level.
    levels: Vec<Level>,
    /// Propagations that the solver has not asked for yet.
    queue: VecDeque<Propagation>,
    /// Per variable, the propagation that explains it; meaningful only for variables that the theory propagated.
    reasons: Vec<Propagation>,
    /// A clause that is violated, until the solver has taken it or goes back.
    conflict: Option<Vec<i32>>,
    /// The clause being handed over, last literal first.
    handover: Vec<i32>,
    /// The literal whose reason is being handed over, or 0.
    explaining: i32,
    search: Search,
    pub statistics: TheoryStatistics,
}

/// What the theory did.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct TheoryStatistics {
    pub conflicts: u64,
    pub propagations: u64,
}

/// A component under the current assignment.
struct Watched {
    closure: Closure,
    /// Row `b` has bit `f` when there is an optional edge `f -> b`. Same shape as the closure.
    candidates: Vec<u64>,
    /// Per word of `candidates`, how many bits precede it.
    ranks: Vec<u32>,
    /// Where the edges of each candidate pair start in `Order::edges`; one more entry than there are pairs.
    pair_starts: Vec<u32>,
    /// The edges in the graph, by source.
    successors: Vec<Vec<Successor>>,
}

#[derive(Clone, Copy)]
struct GuardedEdge {
    component: u32,
    from: u32,
    to: u32,
    guard: Lit,
}

struct Level {
    trail: usize,
    inserted: usize,
    active: usize,
    changes: usize,
}

/// The guard of `edge` is false because the first `limit` active edges lead from its target to its source.
#[derive(Clone, Copy)]
struct Propagation {
    edge: u32,
    limit: u32,
}

impl Order {
    pub fn new<'a>(components: impl Iterator<Item = &'a Component>) -> Order {
        let mut edges = Vec::new();
        let mut watched = Vec::new();
        for component in components {
            watched.push(watch(component, watched.len() as u32, &mut edges));
        }
        let variables = edges.iter().map(|edge: &GuardedEdge| edge.guard.index()).max().unwrap_or(0) as usize;
        let (guard_starts, guarded) = by_guard(variables, &edges);
        let largest = watched.iter().map(|component| component.successors.len()).max().unwrap_or(0);
        Order {
            components: watched,
            edges,
            guard_starts,
            guarded,
            values: vec![0; variables + 1],
            trail: Vec::new(),
            inserted: 0,
            active: Vec::new(),
            changes: Vec::new(),
            levels: Vec::new(),
            queue: VecDeque::new(),
            reasons: vec![Propagation { edge: 0, limit: 0 }; variables + 1],
            conflict: None,
            handover: Vec::new(),
            explaining: 0,
            search: Search::new(largest),
            statistics: TheoryStatistics::default(),
        }
    }

    /// The variables that guard an edge, each once.
    pub fn variables(&self) -> impl Iterator<Item = u32> + '_ {
        (1..self.values.len() as u32).filter(|&variable| {
            let code = 2 * variable as usize;
            self.guard_starts[code] < self.guard_starts[code + 2]
        })
    }

    /// How many optional edges the theory watches.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Inserts the edges of all literals that became true, up to a conflict.
    fn insert_pending(&mut self) {
        while self.conflict.is_none() && self.inserted < self.trail.len() {
            let code = code(self.trail[self.inserted]);
            for place in self.guard_starts[code]..self.guard_starts[code + 1] {
                self.insert(self.guarded[place as usize]);
                if self.conflict.is_some() {
                    return;
                }
            }
            self.inserted += 1;
        }
    }

    /// Inserts one edge. An edge along a path that is there already changes nothing and is not kept: the path goes away
    /// no earlier than the edge would.
    fn insert(&mut self, id: u32) {
        let GuardedEdge { component, from, to, guard } = self.edges[id as usize];
        let watched = &mut self.components[component as usize];
        let stamp = self.active.len() as u32;
        if watched.closure.reaches(to, from) {
            self.statistics.conflicts += 1;
            let mut clause = vec![-guard.dimacs()];
            self.explain(component, to, from, stamp, &mut clause);
            self.conflict = Some(clause);
        } else if !watched.closure.reaches(from, to) {
            watched.successors[from as usize].push(Successor { to, stamp });
            self.active.push(id);
            self.extend_closure(component, from, to);
        }
    }

    /// Adds `from -> to` to the closure, and queues the undecided edges that would now close a cycle.
    fn extend_closure(&mut self, component: u32, from: u32, to: u32) {
        let watched = &mut self.components[component as usize];
        let limit = self.active.len() as u32;
        let words = watched.closure.words();
        watched.closure.insert(from, to, |change| {
            let slot = change.row as usize * words + change.word as usize;
            let mut hits = change.added & watched.candidates[slot];
            while hits != 0 {
                let bit = hits & hits.wrapping_neg();
                hits ^= bit;
                let preceding = (watched.candidates[slot] & (bit - 1)).count_ones();
                let pair = (watched.ranks[slot] + preceding) as usize;
                for edge in watched.pair_starts[pair]..watched.pair_starts[pair + 1] {
                    let guard = self.edges[edge as usize].guard;
                    if self.values[guard.index() as usize] == 0 {
                        self.queue.push_back(Propagation { edge, limit });
                    }
                }
            }
            self.changes.push((component, change));
        });
    }

    /// Appends the negated guards of a path from `source` to `target` over the first `limit` active edges.
    fn explain(&mut self, component: u32, source: u32, target: u32, limit: u32, clause: &mut Vec<i32>) {
        let root = self.levels.first().map_or(self.active.len(), |level| level.active) as u32;
        let watched = &self.components[component as usize];
        let usable = Usable { closure: &watched.closure, successors: &watched.successors, limit, root };
        self.search.shortest(&usable, source, target);
        for &stamp in &self.search.path {
            let edge = &self.edges[self.active[stamp as usize] as usize];
            clause.push(-edge.guard.dimacs());
        }
    }

    /// The next queued literal that is still unassigned.
    fn next_propagation(&mut self) -> Option<Lit> {
        while let Some(propagation) = self.queue.pop_front() {
            let lit = !self.edges[propagation.edge as usize].guard;
            if self.values[lit.index() as usize] == 0 {
                self.reasons[lit.index() as usize] = propagation;
                self.statistics.propagations += 1;
                return Some(lit);
            }
        }
        None
    }

    fn reason(&mut self, lit: i32) -> Vec<i32> {
        let Propagation { edge, limit } = self.reasons[lit.unsigned_abs() as usize];
        let GuardedEdge { component, from, to, .. } = self.edges[edge as usize];
        let mut clause = vec![lit];
        self.explain(component, to, from, limit, &mut clause);
        clause
    }
}

impl ExternalPropagator for Order {
    /// Every theory clause can be found again.
    fn are_reasons_forgettable(&mut self) -> bool {
        true
    }

    /// Literals that are fixed may be notified more than once.
    fn notify_assignment(&mut self, lits: &[i32]) {
        for &lit in lits {
            let value = &mut self.values[lit.unsigned_abs() as usize];
            if *value == 0 {
                *value = lit.signum() as i8;
                self.trail.push(lit);
            }
        }
    }

    fn notify_new_decision_level(&mut self) {
        self.levels.push(Level {
            trail: self.trail.len(),
            inserted: self.inserted,
            active: self.active.len(),
            changes: self.changes.len(),
        });
    }

    fn notify_backtrack(&mut self, new_level: usize) {
        let Some(level) = self.levels.drain(new_level.min(self.levels.len())..).next() else { return };
        for lit in self.trail.drain(level.trail..) {
            self.values[lit.unsigned_abs() as usize] = 0;
        }
        self.inserted = level.inserted;
        for (component, change) in self.changes.drain(level.changes..).rev() {
            self.components[component as usize].closure.undo(&change);
        }
        for id in self.active.drain(level.active..).rev() {
            let edge = &self.edges[id as usize];
            self.components[edge.component as usize].successors[edge.from as usize].pop();
        }
        self.queue.retain(|propagation| propagation.limit as usize <= level.active);
        self.conflict = None;
    }

    fn cb_check_found_model(&mut self, _model: &[i32]) -> bool {
        self.insert_pending();
        self.conflict.is_none()
    }

    fn cb_propagate(&mut self) -> i32 {
        self.insert_pending();
        if self.conflict.is_some() {
            return 0;
        }
        self.next_propagation().map_or(0, Lit::dimacs)
    }

    fn cb_add_reason_clause_lit(&mut self, propagated: i32) -> i32 {
        if self.explaining != propagated {
            self.handover = self.reason(propagated);
            self.explaining = propagated;
        }
        let next = self.handover.pop().unwrap_or(0);
        if next == 0 {
            self.explaining = 0;
        }
        next
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        *is_forgettable = true;
        match self.conflict.take() {
            Some(clause) => {
                self.handover = clause;
                true
            }
            None => false,
        }
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        self.handover.pop().unwrap_or(0)
    }
}

/// Where the edges of a literal are found.
fn code(lit: i32) -> usize {
    2 * lit.unsigned_abs() as usize + usize::from(lit < 0)
}

/// Sets up one component and appends its guarded edges to `edges`.
fn watch(component: &Component, number: u32, edges: &mut Vec<GuardedEdge>) -> Watched {
    let first = edges.len();
    let mut successors = vec![Vec::new(); component.nodes];
    for edge in &component.edges {
        match edge.guard {
            Some(guard) => edges.push(GuardedEdge { component: number, from: edge.from, to: edge.to, guard }),
            None => successors[edge.from as usize].push(Successor { to: edge.to, stamp: ALWAYS }),
        }
    }
    edges[first..].sort_unstable_by_key(|edge| (edge.to, edge.from));
    let closure = component.fixed.clone();
    let mut candidates = vec![0u64; component.nodes * closure.words()];
    let mut pair_starts = Vec::new();
    for (place, edge) in edges.iter().enumerate().skip(first) {
        let slot = &mut candidates[edge.to as usize * closure.words() + edge.from as usize / 64];
        let bit = 1 << (edge.from % 64);
        if *slot & bit == 0 {
            *slot |= bit;
            pair_starts.push(place as u32);
        }
    }
    pair_starts.push(edges.len() as u32);
    let ranks = preceding_bits(&candidates);
    Watched { closure, candidates, ranks, pair_starts, successors }
}

fn preceding_bits(words: &[u64]) -> Vec<u32> {
    let mut total = 0;
    let count = |word: &u64| {
        let before = total;
        total += word.count_ones();
        before
    };
    words.iter().map(count).collect()
}

/// The edges by guard: starts per literal code, and the edges.
fn by_guard(variables: usize, edges: &[GuardedEdge]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; 2 * variables + 3];
    for edge in edges {
        starts[code(edge.guard.dimacs()) + 1] += 1;
    }
    for place in 1..starts.len() {
        starts[place] += starts[place - 1];
    }
    let mut place = starts.clone();
    let mut guarded = vec![0; edges.len()];
    for (id, edge) in edges.iter().enumerate() {
        let slot = &mut place[code(edge.guard.dimacs())];
        guarded[*slot as usize] = id as u32;
        *slot += 1;
    }
    (starts, guarded)
}
