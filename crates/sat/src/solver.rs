//! The solver: clauses, graphs, assumptions, answers.

mod eliminate;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cadical_sys::{CaDiCal, Status, Terminator};

use crate::closure::is_acyclic;
use crate::graph::{Component, Edge, Graph, GraphId, Reduced, reduce};
use crate::lit::Lit;
use crate::order::{Order, TheoryStatistics};

use eliminate::eliminate;

/// An incremental satisfiability solver whose problems may contain graphs that must stay acyclic.
///
/// Clauses, graphs and edges may be added at any time, also between calls of [`solve`](Solver::solve). A solver stays on
/// the thread that made it; a [`Budget`] can be interrupted from any.
///
/// ```
/// use sat::{Answer, Budget, Solver};
///
/// let mut solver = Solver::new();
/// let (a, b) = (solver.fresh(), solver.fresh());
/// let order = solver.graph(2);
/// solver.edge(order, 0, 1, a);
/// solver.edge(order, 1, 0, b);
/// solver.clause(&[a, b]);
/// assert_eq!(solver.solve(&[], &Budget::default()), Answer::Satisfiable);
/// assert_ne!(solver.value(a), solver.value(b));
/// assert_eq!(solver.solve(&[a, b], &Budget::default()), Answer::Unsatisfiable);
/// assert_eq!(solver.core(), [a, b]);
/// ```
pub struct Solver {
    cadical: CaDiCal,
    /// How many variables exist; they are numbered from 1.
    variables: u32,
    /// How many variables existed at the last call of `solve`. CaDiCaL may have eliminated those that were not frozen.
    settled: u32,
    /// The variables that CaDiCaL was told to keep before it could eliminate them.
    frozen: HashSet<u32>,
    /// For literals that it could have eliminated: literals that follow from them, and that it keeps.
    proxies: HashMap<Lit, Lit>,
    clauses: u64,
    /// Clauses that CaDiCaL does not have yet, each closed by 0: problems that are never solved cost it nothing.
    pending: Vec<i32>,
    graphs: Vec<Graph>,
    acyclicity: Acyclicity,
    /// The theory connected to CaDiCaL, if a graph needs it.
    order: Option<Rc<RefCell<Order>>>,
    /// What theories that have been replaced did.
    past: TheoryStatistics,
    encoded_edges: usize,
    interrupt: Option<Arc<AtomicBool>>,
    model: Option<Vec<bool>>,
    core: Vec<Lit>,
}

/// How graphs are kept acyclic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Acyclicity {
    /// The order theory, inside the solver.
    #[default]
    Propagator,
    /// Clauses, by vertex elimination; the theory is measured and checked against it.
    Elimination,
}

/// The result of a call of [`Solver::solve`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Answer {
    /// There is a model; [`Solver::value`] reads it.
    Satisfiable,
    /// There is no model under the assumptions; [`Solver::core`] names those at fault.
    Unsatisfiable,
    /// The budget ran out first.
    Unknown,
}

/// When to give up. The default is never.
///
/// Time limits and keyboard interrupts are the caller's business: another thread sets the flag.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Makes the solver stop soon after it becomes true.
    pub interrupt: Arc<AtomicBool>,
    /// How many conflicts one call of the solver may run into.
    pub conflicts: Option<u64>,
}

/// The budget ran out before an answer was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the solver's budget ran out before an answer was found")
    }
}

impl std::error::Error for Interrupted {}

/// Sizes and counters, over the whole life of a solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Variables, those of the encoding of graphs included.
    pub variables: u64,
    /// Clauses added, those of the encoding of graphs included.
    pub clauses: u64,
    /// Guarded edges that can be on a cycle, so that the theory or the encoding had to take them.
    pub order_edges: u64,
    /// Conflicts of the search.
    pub conflicts: u64,
    /// Decisions of the search.
    pub decisions: u64,
    /// Literals propagated by the search.
    pub propagations: u64,
    /// Cycles that the order theory turned into clauses.
    pub theory_conflicts: u64,
    /// Literals that the order theory propagated.
    pub theory_propagations: u64,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

impl Solver {
    /// A solver without variables.
    pub fn new() -> Solver {
        Solver::with_acyclicity(Acyclicity::default())
    }

    /// A solver that keeps graphs acyclic in the given way. Answers do not depend on it; meant for tests and measurements.
    pub fn with_acyclicity(acyclicity: Acyclicity) -> Solver {
        Solver {
            cadical: CaDiCal::new(),
            variables: 0,
            settled: 0,
            frozen: HashSet::new(),
            proxies: HashMap::new(),
            clauses: 0,
            pending: Vec::new(),
            graphs: Vec::new(),
            acyclicity,
            order: None,
            past: TheoryStatistics::default(),
            encoded_edges: 0,
            interrupt: None,
            model: None,
            core: Vec::new(),
        }
    }

    /// The positive literal of a new variable.
    pub fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit::from_dimacs(i32::try_from(self.variables).expect("variables are numbered by i32"))
    }

    /// Demands that one of `lits` is true. The empty clause makes the problem unsatisfiable for good.
    pub fn clause(&mut self, lits: &[Lit]) {
        self.clauses += 1;
        for lit in lits {
            self.expect_known(*lit);
            self.pending.push(lit.dimacs());
        }
        self.pending.push(0);
    }

    /// A new graph over the nodes `0..nodes`, which every model keeps acyclic.
    pub fn graph(&mut self, nodes: usize) -> GraphId {
        self.graphs.push(Graph { nodes, ..Graph::default() });
        GraphId(self.graphs.len() as u32 - 1)
    }

    /// Puts the edge `from -> to` into the graph whenever `lit` is true.
    ///
    /// The same pair of nodes may get several edges, and a literal may guard several edges, in several graphs.
    ///
    /// # Panics
    ///
    /// If a node is not one of the graph's, or `lit` not one of the solver's.
    pub fn edge(&mut self, graph: GraphId, from: u32, to: u32, lit: Lit) {
        self.expect_known(lit);
        self.add_edge(graph, Edge { from, to, guard: Some(lit) });
    }

    /// Puts the edge `from -> to` into the graph for good.
    ///
    /// # Panics
    ///
    /// If a node is not one of the graph's.
    pub fn fixed_edge(&mut self, graph: GraphId, from: u32, to: u32) {
        self.add_edge(graph, Edge { from, to, guard: None });
    }

    /// Looks for a model of all clauses in which all `assumptions` are true and all graphs are acyclic.
    pub fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Answer {
        self.model = None;
        self.core.clear();
        if budget.interrupt.load(Ordering::Relaxed) {
            return Answer::Unknown;
        }
        self.hand_over_clauses();
        self.take_up_graphs();
        self.hand_over_clauses();
        self.set_limits(budget);
        for lit in assumptions {
            self.expect_known(*lit);
            self.cadical.assume(lit.dimacs());
        }
        self.settled = self.variables;
        match self.cadical.solve() {
            Status::SATISFIABLE => {
                self.read_model();
                debug_assert!(self.model_is_acyclic(), "a graph has a cycle in the model");
                Answer::Satisfiable
            }
            Status::UNSATISFIABLE => {
                self.read_core(assumptions);
                Answer::Unsatisfiable
            }
            Status::UNKNOWN => Answer::Unknown,
        }
    }

    /// The value of `lit` in the model last found. It stays readable until the next call of [`solve`](Solver::solve),
    /// also while clauses are added; variables younger than the model count as false.
    ///
    /// # Panics
    ///
    /// If the last answer was not [`Answer::Satisfiable`].
    pub fn value(&self, lit: Lit) -> bool {
        let model = self.model.as_ref().expect("a value is asked for after a satisfiable answer");
        model.get(lit.index() as usize).copied().unwrap_or(false) != lit.is_negated()
    }

    /// After [`Answer::Unsatisfiable`]: assumptions that cannot hold together, in the order in which they were given.
    /// Empty if there is no model under any assumptions. Not minimal; see [`minimal_core`](Solver::minimal_core).
    pub fn core(&self) -> Vec<Lit> {
        self.core.clone()
    }

    /// Sizes and counters.
    pub fn statistics(&self) -> Statistics {
        let count = |name| u64::try_from(self.cadical.get_statistic_value(name)).unwrap_or(0);
        let order = self.order.as_ref().map(|order| order.borrow());
        let theory = order.as_ref().map(|order| order.statistics).unwrap_or_default();
        let watched = order.as_ref().map_or(0, |order| order.edge_count());
        Statistics {
            variables: self.variables.into(),
            clauses: self.clauses,
            order_edges: (self.encoded_edges + watched) as u64,
            conflicts: count("conflicts"),
            decisions: count("decisions"),
            propagations: count("propagations"),
            theory_conflicts: self.past.conflicts + theory.conflicts,
            theory_propagations: self.past.propagations + theory.propagations,
        }
    }

    /// Replaces the last answer by "unsatisfiable, because of `core`".
    pub(crate) fn set_core(&mut self, core: Vec<Lit>) {
        self.model = None;
        self.core = core;
    }

    fn expect_known(&self, lit: Lit) {
        assert!(lit.index() <= self.variables, "{lit:?} is not a literal of this solver");
    }

    fn add_edge(&mut self, graph: GraphId, edge: Edge) {
        let graph = &mut self.graphs[graph.0 as usize];
        assert!((edge.from.max(edge.to) as usize) < graph.nodes, "{edge:?} leaves a graph of {} nodes", graph.nodes);
        graph.edges.push(edge);
        graph.changed = true;
    }

    fn hand_over_clauses(&mut self) {
        self.pending.drain(..).for_each(|lit| self.cadical.add(lit));
    }

    /// Gives every changed graph to the theory or to the clauses.
    fn take_up_graphs(&mut self) {
        let mut stale = false;
        for number in 0..self.graphs.len() {
            if std::mem::take(&mut self.graphs[number].changed) {
                stale = true;
                self.take_up_graph(number);
            }
        }
        if stale {
            self.connect_theory();
        }
    }

    fn take_up_graph(&mut self, number: usize) {
        let Ok(Reduced { impossible, components }) = reduce(&self.graphs[number]) else {
            self.clause(&[]);
            return;
        };
        for lit in impossible {
            self.clause(&[!lit]);
        }
        match self.acyclicity {
            Acyclicity::Propagator => self.watch(number, components),
            Acyclicity::Elimination => self.encode(&components),
        }
    }

    fn encode(&mut self, components: &[Component]) {
        for component in components {
            self.encoded_edges += component.edges.iter().filter(|edge| edge.guard.is_some()).count();
            eliminate(component, self);
        }
    }

    fn watch(&mut self, number: usize, mut components: Vec<Component>) {
        for edge in components.iter_mut().flat_map(|component| &mut component.edges) {
            edge.guard = edge.guard.map(|guard| self.observable(guard));
        }
        self.graphs[number].watched = components;
    }

    /// `lit`, or a literal that follows from it: one whose variable CaDiCaL cannot have eliminated in an earlier call, and
    /// will not in a later one. Only such variables can be observed.
    fn observable(&mut self, lit: Lit) -> Lit {
        if self.frozen.contains(&lit.index()) {
            return lit;
        }
        if lit.index() <= self.settled {
            if let Some(&proxy) = self.proxies.get(&lit) {
                return proxy;
            }
            let proxy = self.fresh();
            self.clause(&[!lit, proxy]);
            self.proxies.insert(lit, proxy);
            return self.observable(proxy);
        }
        self.frozen.insert(lit.index());
        self.cadical.freeze(lit.dimacs());
        lit
    }

    /// Replaces the theory by one that watches the graphs as they are now.
    fn connect_theory(&mut self) {
        if let Some(order) = self.order.take() {
            self.past.conflicts += order.borrow().statistics.conflicts;
            self.past.propagations += order.borrow().statistics.propagations;
            self.cadical.disconnect_external_propagator();
        }
        if self.graphs.iter().all(|graph| graph.watched.is_empty()) {
            return;
        }
        let order = Rc::new(RefCell::new(Order::new(self.graphs.iter().flat_map(|graph| &graph.watched))));
        self.cadical.connect_external_propagator(Rc::clone(&order));
        let variables: Vec<u32> = order.borrow().variables().collect();
        for variable in variables {
            self.cadical.add_observed_var(variable as i32);
        }
        self.order = Some(order);
    }

    fn set_limits(&mut self, budget: &Budget) {
        if !self.interrupt.as_ref().is_some_and(|flag| Arc::ptr_eq(flag, &budget.interrupt)) {
            self.interrupt = Some(Arc::clone(&budget.interrupt));
            self.cadical.connect_terminator(Interrupt(Arc::clone(&budget.interrupt)));
        }
        if let Some(conflicts) = budget.conflicts {
            self.cadical.limit("conflicts", i32::try_from(conflicts).unwrap_or(i32::MAX));
        }
    }

    fn read_model(&mut self) {
        let mut model = Vec::with_capacity(self.variables as usize + 1);
        model.push(false);
        for variable in 1..=self.variables as i32 {
            model.push(self.cadical.val(variable) > 0);
        }
        self.model = Some(model);
    }

    fn read_core(&mut self, assumptions: &[Lit]) {
        let mut seen = HashSet::new();
        for &lit in assumptions {
            if self.cadical.failed(lit.dimacs()) && seen.insert(lit) {
                self.core.push(lit);
            }
        }
    }

    fn model_is_acyclic(&self) -> bool {
        self.graphs.iter().all(|graph| {
            let active = graph.edges.iter().filter(|edge| edge.guard.is_none_or(|guard| self.value(guard)));
            is_acyclic(graph.nodes, active.map(|edge| (edge.from, edge.to)))
        })
    }
}

/// Passes a budget's flag on to CaDiCaL.
struct Interrupt(Arc<AtomicBool>);

impl Terminator for Interrupt {
    fn terminated(&mut self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
