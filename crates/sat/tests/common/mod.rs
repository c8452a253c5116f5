//! Random problems small enough to be decided by trying all assignments.

use sat::{Acyclicity, GraphId, Lit, Solver};

/// Every way to keep graphs acyclic.
pub const ALL: [Acyclicity; 2] = [Acyclicity::Propagator, Acyclicity::Elimination];

/// A xorshift generator: the same seed gives the same problems everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % bound as u64) as usize
    }
}

/// A problem as plain data: literals as DIMACS writes them, and graphs as lists of edges.
#[derive(Clone, Default, Debug)]
pub struct Problem {
    pub variables: usize,
    pub clauses: Vec<Vec<i32>>,
    pub graphs: Vec<Graph>,
}

/// The edges of a graph, each with its guard or 0 if it is always there.
#[derive(Clone, Default, Debug)]
pub struct Graph {
    pub nodes: usize,
    pub edges: Vec<(u32, u32, i32)>,
}

impl Problem {
    /// A problem with graphs but without clauses.
    pub fn of_graphs(random: &mut Random, variables: usize, nodes: usize, edges: usize) -> Problem {
        let mut problem = Problem { variables, ..Problem::default() };
        for _ in 0..1 + random.below(2) {
            let mut graph = Graph { nodes, edges: Vec::new() };
            for _ in 0..edges {
                graph.edges.push(random_edge(random, variables, nodes));
            }
            problem.graphs.push(graph);
        }
        problem
    }

    pub fn add_clauses(&mut self, random: &mut Random, count: usize) {
        for _ in 0..count {
            let length = 1 + random.below(3) + random.below(2);
            self.clauses.push((0..length).map(|_| random_lit(random, self.variables)).collect());
        }
    }

    /// Whether some assignment satisfies the clauses and the assumptions and keeps the graphs acyclic.
    pub fn has_model(&self, assumptions: &[i32]) -> bool {
        (0..1u64 << self.variables).any(|assignment| {
            let holds = |&lit: &i32| (assignment >> (lit.unsigned_abs() - 1) & 1 == 1) == (lit > 0);
            assumptions.iter().all(holds)
                && self.clauses.iter().all(|clause| clause.iter().any(holds))
                && self.graphs.iter().all(|graph| graph.is_acyclic(holds))
        })
    }

    /// A solver that holds the problem.
    pub fn load(&self, acyclicity: Acyclicity) -> Solver {
        let mut solver = Solver::with_acyclicity(acyclicity);
        for _ in 0..self.variables {
            solver.fresh();
        }
        for clause in &self.clauses {
            solver.clause(&lits(clause));
        }
        for graph in &self.graphs {
            let id = solver.graph(graph.nodes);
            for &edge in &graph.edges {
                load_edge(&mut solver, id, edge);
            }
        }
        solver
    }
}

impl Graph {
    /// Whether the edges whose guards hold form no cycle: nodes without a predecessor are taken away until none is left.
    fn is_acyclic(&self, holds: impl Fn(&i32) -> bool) -> bool {
        let mut edges: Vec<_> = self.edges.iter().filter(|edge| edge.2 == 0 || holds(&edge.2)).collect();
        loop {
            let before = edges.len();
            let targets: Vec<u32> = edges.iter().map(|edge| edge.1).collect();
            edges.retain(|edge| targets.contains(&edge.0));
            if edges.len() == before {
                return edges.is_empty();
            }
        }
    }
}

pub fn load_edge(solver: &mut Solver, graph: GraphId, (from, to, guard): (u32, u32, i32)) {
    match guard {
        0 => solver.fixed_edge(graph, from, to),
        guard => solver.edge(graph, from, to, Lit::from_dimacs(guard)),
    }
}

/// One edge in six is always there.
pub fn random_edge(random: &mut Random, variables: usize, nodes: usize) -> (u32, u32, i32) {
    let guard = if random.below(6) == 0 { 0 } else { random_lit(random, variables) };
    (random.below(nodes) as u32, random.below(nodes) as u32, guard)
}

pub fn random_lit(random: &mut Random, variables: usize) -> i32 {
    let variable = 1 + random.below(variables) as i32;
    if random.below(2) == 0 { variable } else { -variable }
}

pub fn lits(numbers: &[i32]) -> Vec<Lit> {
    numbers.iter().map(|&number| Lit::from_dimacs(number)).collect()
}
