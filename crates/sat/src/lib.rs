//! Satisfiability with assumptions, cores and an order theory.
//!
//! [`Solver`] wraps CaDiCaL. Besides clauses a problem may have graphs whose edges hang on literals; in every model each
//! graph is acyclic. Answers are exact in both directions: a model satisfies all clauses and keeps all graphs acyclic, and
//! "unsatisfiable" means that there is none. Debug builds check the graphs of every model again.
//!
//! | file | what is in it |
//! |---|---|
//! | `solver.rs` | clauses, graphs, assumptions, answers |
//! | `core.rs` | minimal sets of failed assumptions |
//! | `graph.rs` | which edges can be on a cycle at all |
//! | `order.rs` | the order theory, a propagator inside CaDiCaL |
//! | `path.rs` | the shortest explanation of a cycle |
//! | `closure.rs` | reachability as a bit matrix |
//! | `solver/eliminate.rs` | the same demand as plain clauses, by vertex elimination |
//!
//! # Theory or clauses
//!
//! Both were measured with `examples/orders.rs` (milliseconds per problem, building and solving, two shared cores):
//!
//! | problem | theory | vertex elimination |
//! |---|---|---|
//! | 20 nodes, 40 edges, a fresh solver each | 0.05 | 0.05 |
//! | 80 nodes, 160 edges, a fresh solver each | 0.13 | 0.20 |
//! | history of 4 threads of 8 events, ordered where asked | 0.2 | 0.4 |
//! | history of 8 threads of 50 events, ordered where asked | 2.7 | 230 |
//! | the same, one literal per pair of events | 72 | 11,900 (21 M clauses) |
//! | random precedences, 30 nodes, unsatisfiable | 1,900 | 3,900 |
//! | sparse, 1,000 nodes | 11 | 2,000 |
//! | sparse, 5,000 nodes | 500 | - |
//!
//! Differences under 20 % are noise. The theory is nowhere measurably slower, and elimination grows with the cube of
//! the nodes, so the theory is used for all graphs. Encoding small components as clauses (up to 20 nodes) made no difference on small
//! problems, where more than half of the time goes into creating CaDiCaL. Elimination stays as the second opinion that
//! the tests compare answers with; [`Solver::with_acyclicity`] chooses.
//!
//! CaDiCaL runs with its default options. Switching off `inprocessing`, `lucky`, `walk` or `restart` left the small
//! problems where they were; switching off `inprocessing`, `lucky` and `walk`, `elim` or `chrono` moved the random ones
//! in both directions.

mod closure;
mod core;
mod graph;
mod lit;
mod order;
mod path;
mod solver;

pub use graph::GraphId;
pub use lit::Lit;
pub use solver::{Acyclicity, Answer, Budget, Interrupted, Solver, Statistics};
