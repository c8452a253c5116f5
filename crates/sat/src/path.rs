//! Shortest explanations: the path with the fewest literals.

use std::collections::VecDeque;

use crate::closure::Closure;

/// An edge that is in a graph, as its source lists it.
#[derive(Clone, Copy)]
pub(crate) struct Successor {
    pub to: u32,
    /// When the edge was inserted, or [`ALWAYS`]. A list is ordered by stamps, after the edges that are always there.
    pub stamp: u32,
}

/// The stamp of an edge that is always there.
pub(crate) const ALWAYS: u32 = u32::MAX;

/// The edges that an explanation may use.
pub(crate) struct Usable<'a> {
    pub closure: &'a Closure,
    /// By source.
    pub successors: &'a [Vec<Successor>],
    /// Edges with this stamp or a later one were not there yet.
    pub limit: u32,
    /// Edges stamped before this hold at level 0.
    pub root: u32,
}

impl Usable<'_> {
    /// Whether an edge adds a literal to the explanation.
    fn costs(&self, stamp: u32) -> bool {
        stamp != ALWAYS && stamp >= self.root
    }
}

/// Breadth-first search for the path with the fewest literals; its memory is kept between searches.
pub(crate) struct Search {
    /// The stamps of the edges on the path found, without those that need no literal.
    pub path: Vec<u32>,
    frontier: VecDeque<u32>,
    /// Per node, the search that last saw it.
    seen: Vec<u32>,
    settled: Vec<u32>,
    search: u32,
    distance: Vec<u32>,
    /// Per node seen, the node before it and the stamp of the edge between.
    parent: Vec<(u32, u32)>,
}

impl Search {
    pub fn new(nodes: usize) -> Search {
        Search {
            path: Vec::new(),
            frontier: VecDeque::new(),
            seen: vec![0; nodes],
            settled: vec![0; nodes],
            search: 0,
            distance: vec![0; nodes],
            parent: vec![(0, 0); nodes],
        }
    }

    /// Leaves in `path` the stamps of the edges that lead from `source` to `target` with the fewest literals. Edges that
    /// are always there and those that hold at level 0 cost nothing and are left out.
    ///
    /// Contract: there is a path over usable edges.
    pub fn shortest(&mut self, usable: &Usable<'_>, source: u32, target: u32) {
        self.search += 1;
        self.frontier.clear();
        self.reach(source, 0, (source, ALWAYS), false);
        while let Some(node) = self.frontier.pop_front() {
            if node == target {
                break;
            }
            if std::mem::replace(&mut self.settled[node as usize], self.search) == self.search {
                continue;
            }
            let distance = self.distance[node as usize];
            for &Successor { to, stamp } in &usable.successors[node as usize] {
                if stamp != ALWAYS && stamp >= usable.limit {
                    break;
                }
                if to == target || usable.closure.reaches(to, target) {
                    let costs = usable.costs(stamp);
                    self.reach(to, distance + u32::from(costs), (node, stamp), costs);
                }
            }
        }
        self.trace(usable, source, target);
    }

    fn reach(&mut self, node: u32, distance: u32, parent: (u32, u32), costs: bool) {
        let index = node as usize;
        if self.seen[index] == self.search && self.distance[index] <= distance {
            return;
        }
        self.seen[index] = self.search;
        self.distance[index] = distance;
        self.parent[index] = parent;
        if costs {
            self.frontier.push_back(node);
        } else {
            self.frontier.push_front(node);
        }
    }

    fn trace(&mut self, usable: &Usable<'_>, source: u32, target: u32) {
        self.path.clear();
        let mut node = target;
        while node != source {
            debug_assert_eq!(self.seen[node as usize], self.search, "no path to explain");
            let (before, stamp) = self.parent[node as usize];
            if usable.costs(stamp) {
                self.path.push(stamp);
            }
            node = before;
        }
    }
}
