//! Acyclicity as plain clauses, by vertex elimination.
//!
//! M. F. Rankooh and J. Rintanen, "Propositional Encodings of Acyclicity and Reachability by Using Vertex Elimination",
//! AAAI 2022. Vertices are eliminated one by one; for a vertex `v` with arcs `x -> v -> y` the arc `x -> y` takes over:
//! `c(x,v) & c(v,y) -> c(x,y)`. A cycle shrinks to two arcs at some point, and these are forbidden.
//!
//! Deviations: the next vertex is the one with the least product of in- and outdegree in the *remaining* graph; arcs
//! that are always there are constants; an arc with one literal as its only source is that literal.

use super::Solver;
use crate::graph::Component;
use crate::lit::Lit;

/// Adds clauses to `solver` that keep `component` acyclic.
pub(super) fn eliminate(component: &Component, solver: &mut Solver) {
    let mut arcs = Arcs::new(component);
    while let Some(vertex) = arcs.cheapest() {
        arcs.eliminate(vertex, solver);
    }
}

/// The graph that remains, with the reasons for each arc.
struct Arcs {
    nodes: usize,
    /// Row `x`, column `y`: the arc `x -> y`.
    matrix: Vec<Arc>,
    /// Per node that remains, the nodes before and after it that remain.
    before: Vec<Vec<u32>>,
    after: Vec<Vec<u32>>,
    remaining: Vec<u32>,
}

#[derive(Clone, Default)]
enum Arc {
    #[default]
    Absent,
    /// There under any of these conditions.
    Conditional(Vec<Source>),
    Always,
}

#[derive(Clone, Copy, PartialEq)]
enum Source {
    One(Lit),
    Both(Lit, Lit),
}

impl Arcs {
    fn new(component: &Component) -> Arcs {
        let nodes = component.nodes;
        let mut arcs = Arcs {
            nodes,
            matrix: vec![Arc::Absent; nodes * nodes],
            before: vec![Vec::new(); nodes],
            after: vec![Vec::new(); nodes],
            remaining: (0..nodes as u32).collect(),
        };
        for edge in &component.edges {
            arcs.add(edge.from, edge.to, edge.guard.map(Source::One));
        }
        arcs
    }

    /// Adds a reason for the arc `from -> to`; without a source it is there always.
    fn add(&mut self, from: u32, to: u32, source: Option<Source>) {
        let arc = &mut self.matrix[from as usize * self.nodes + to as usize];
        if matches!(arc, Arc::Absent) {
            self.after[from as usize].push(to);
            self.before[to as usize].push(from);
        }
        match (&mut *arc, source) {
            (_, None) => *arc = Arc::Always,
            (Arc::Absent, Some(source)) => *arc = Arc::Conditional(vec![source]),
            (Arc::Conditional(sources), Some(source)) if !sources.contains(&source) => sources.push(source),
            _ => {}
        }
    }

    fn cheapest(&self) -> Option<u32> {
        let cost = |&&node: &&u32| self.before[node as usize].len() * self.after[node as usize].len();
        self.remaining.iter().min_by_key(cost).copied()
    }

    fn eliminate(&mut self, vertex: u32, solver: &mut Solver) {
        let before = self.detach(vertex);
        let after = std::mem::take(&mut self.after[vertex as usize]);
        let into: Vec<_> = before.iter().map(|&node| (node, self.literal(node, vertex, solver))).collect();
        let out: Vec<_> = after.iter().map(|&node| (node, self.literal(vertex, node, solver))).collect();
        for &(x, first) in &into {
            for &(y, second) in &out {
                if x == y {
                    let clause: Vec<Lit> = first.into_iter().chain(second).map(|lit| !lit).collect();
                    solver.clause(&clause);
                } else {
                    self.add(x, y, both(first, second));
                }
            }
        }
    }

    /// Takes `vertex` out of the remaining graph and gives the nodes before it.
    fn detach(&mut self, vertex: u32) -> Vec<u32> {
        let before = std::mem::take(&mut self.before[vertex as usize]);
        for &node in &before {
            self.after[node as usize].retain(|&other| other != vertex);
        }
        for &node in &self.after[vertex as usize] {
            self.before[node as usize].retain(|&other| other != vertex);
        }
        self.remaining.retain(|&other| other != vertex);
        before
    }

    /// A literal that is true when the arc is there; none if it is there always. All reasons for the arc are known.
    fn literal(&mut self, from: u32, to: u32, solver: &mut Solver) -> Option<Lit> {
        match std::mem::take(&mut self.matrix[from as usize * self.nodes + to as usize]) {
            Arc::Always => None,
            Arc::Conditional(sources) => Some(any(&sources, solver)),
            Arc::Absent => unreachable!("the arc is listed at both its ends"),
        }
    }
}

fn both(first: Option<Lit>, second: Option<Lit>) -> Option<Source> {
    match (first, second) {
        (Some(a), Some(b)) if a != b => Some(Source::Both(a, b)),
        (Some(lit), _) | (None, Some(lit)) => Some(Source::One(lit)),
        (None, None) => None,
    }
}

/// A literal that every source implies.
fn any(sources: &[Source], solver: &mut Solver) -> Lit {
    if let [Source::One(lit)] = sources {
        return *lit;
    }
    let arc = solver.fresh();
    for source in sources {
        match *source {
            Source::One(lit) => solver.clause(&[!lit, arc]),
            Source::Both(a, b) => solver.clause(&[!a, !b, arc]),
        }
    }
    arc
}
