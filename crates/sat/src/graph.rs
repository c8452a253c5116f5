//! Graphs that must stay acyclic, and what of them can matter.
//!
//! Most edges of a graph can never be on a cycle, or follow from edges that are always there. [`reduce`] drops them, so
//! that the order theory and the encoding see only the rest: the non-trivial strongly connected components.

use crate::closure::Closure;
use crate::lit::Lit;

/// Names a graph of a [`Solver`](crate::Solver).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct GraphId(pub(crate) u32);

/// An edge of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub from: u32,
    pub to: u32,
    /// The literal that puts the edge into the graph; without one it is always there.
    pub guard: Option<Lit>,
}

/// A graph as its user described it.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub nodes: usize,
    pub edges: Vec<Edge>,
    /// Whether edges were added since the solver last looked.
    pub changed: bool,
    /// The part that the order theory watches.
    pub watched: Vec<Component>,
}

/// A strongly connected component, its nodes renumbered from 0.
#[derive(Debug)]
pub(crate) struct Component {
    pub nodes: usize,
    /// Invariant: no loops, and no guarded edge is decided by the edges without a guard.
    pub edges: Vec<Edge>,
    /// The closure of the edges without a guard.
    pub fixed: Closure,
}

/// What [`reduce`] leaves of a graph.
pub(crate) struct Reduced {
    /// Guards of edges that would close a cycle of edges that are always there.
    pub impossible: Vec<Lit>,
    /// All that remains to be kept acyclic.
    pub components: Vec<Component>,
}

/// The edges that are always there form a cycle.
pub(crate) struct FixedCycle;

/// Drops every edge that cannot be on a cycle and every edge that the fixed edges decide.
///
/// A guarded edge against the fixed edges is impossible; one along them adds nothing. Both are dropped, after which the
/// components may fall apart further.
pub(crate) fn reduce(graph: &Graph) -> Result<Reduced, FixedCycle> {
    let mut impossible = Vec::new();
    let mut components = Vec::new();
    for part in split(graph.nodes, &graph.edges) {
        let fixed = fixed_closure(&part).ok_or(FixedCycle)?;
        let kept = undecided(&part, &fixed, &mut impossible);
        if kept.len() == part.edges.len() {
            components.push(Component { nodes: part.nodes, edges: part.edges, fixed });
            continue;
        }
        for part in split(part.nodes, &kept) {
            let fixed = fixed_closure(&part).ok_or(FixedCycle)?;
            components.push(Component { nodes: part.nodes, edges: part.edges, fixed });
        }
    }
    Ok(Reduced { impossible, components })
}

/// A component before its fixed edges were looked at.
struct Part {
    nodes: usize,
    edges: Vec<Edge>,
}

fn fixed_closure(part: &Part) -> Option<Closure> {
    let fixed = part.edges.iter().filter(|edge| edge.guard.is_none());
    Closure::of(part.nodes, fixed.map(|edge| (edge.from, edge.to)))
}

/// The edges that the fixed ones do not decide.
fn undecided(part: &Part, fixed: &Closure, impossible: &mut Vec<Lit>) -> Vec<Edge> {
    let mut kept = Vec::with_capacity(part.edges.len());
    for &edge in &part.edges {
        match edge.guard {
            Some(guard) if edge.from == edge.to || fixed.reaches(edge.to, edge.from) => impossible.push(guard),
            Some(_) if fixed.reaches(edge.from, edge.to) => {}
            _ => kept.push(edge),
        }
    }
    kept
}

/// The strongly connected components that have an edge inside, with these edges.
fn split(nodes: usize, edges: &[Edge]) -> Vec<Part> {
    let (component_of, count) = strong_components(nodes, edges);
    let mut parts: Vec<Part> = (0..count).map(|_| Part { nodes: 0, edges: Vec::new() }).collect();
    let mut local = vec![u32::MAX; nodes];
    for edge in edges {
        let component = component_of[edge.from as usize];
        if component != component_of[edge.to as usize] {
            continue;
        }
        let part = &mut parts[component as usize];
        let mut number = |node: u32| {
            if local[node as usize] == u32::MAX {
                local[node as usize] = part.nodes as u32;
                part.nodes += 1;
            }
            local[node as usize]
        };
        let (from, to) = (number(edge.from), number(edge.to));
        part.edges.push(Edge { from, to, guard: edge.guard });
    }
    parts.retain(|part| !part.edges.is_empty());
    parts
}

/// Tarjan's algorithm without recursion: the component of each node, and how many there are.
fn strong_components(nodes: usize, edges: &[Edge]) -> (Vec<u32>, usize) {
    const UNSEEN: u32 = u32::MAX;
    let (starts, targets) = adjacency(nodes, edges);
    let mut next_edge: Vec<u32> = starts[..nodes].to_vec();
    let mut seen_at = vec![UNSEEN; nodes];
    let mut low = vec![0; nodes];
    let mut component_of = vec![UNSEEN; nodes];
    let (mut open, mut path) = (Vec::new(), Vec::new());
    let (mut clock, mut count) = (0, 0);
    for root in 0..nodes {
        if seen_at[root] != UNSEEN {
            continue;
        }
        path.push(root);
        while let Some(&node) = path.last() {
            if seen_at[node] == UNSEEN {
                seen_at[node] = clock;
                low[node] = clock;
                clock += 1;
                open.push(node);
            }
            if next_edge[node] < starts[node + 1] {
                let next = targets[next_edge[node] as usize] as usize;
                next_edge[node] += 1;
                if seen_at[next] == UNSEEN {
                    path.push(next);
                } else if component_of[next] == UNSEEN {
                    low[node] = low[node].min(seen_at[next]);
                }
                continue;
            }
            path.pop();
            if let Some(&parent) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == seen_at[node] {
                while let Some(member) = open.pop() {
                    component_of[member] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    (component_of, count as usize)
}

/// The targets of all edges, grouped by source: those of `node` are `targets[starts[node]..starts[node + 1]]`.
fn adjacency(nodes: usize, edges: &[Edge]) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; nodes + 1];
    for edge in edges {
        starts[edge.from as usize + 1] += 1;
    }
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let mut place = starts.clone();
    let mut targets = vec![0; edges.len()];
    for edge in edges {
        let slot = &mut place[edge.from as usize];
        targets[*slot as usize] = edge.to;
        *slot += 1;
    }
    (starts, targets)
}
