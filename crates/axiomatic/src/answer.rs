//! What the answers to all questions have in common: reasons why one is unknown, and figures.

use program::{Operator, Program, Span, Statistics};

use crate::encoding::Encoding;
use crate::values::indexes;

/// Why an answer is unknown where the budget did not suffice.
pub const STOPPED: &str = "the search was stopped before it was finished";

/// Why an answer is unknown where an index is not among those that are tried.
pub fn outside_reason(program: &Program, span: Option<Span>) -> String {
    let place = span.map_or(String::new(), |span| format!(" at {}", program.sources.location(span)));
    let indexes = indexes(&Operator::Offset);
    let (first, last) = (indexes.start, indexes.end - 1);
    format!("an index{place} can be another than those that are tried, from {first} to {last}")
}

/// How large the problem was, and how hard.
pub fn statistics(encoding: &Encoding, solver_calls: u64) -> Statistics {
    let solver = encoding.circuit.statistics();
    let figures = [
        ("events", encoding.events.events.len() as u64),
        ("variables", solver.variables),
        ("clauses", solver.clauses),
        ("order edges", solver.order_edges),
        ("conflicts", solver.conflicts),
        ("solver calls", solver_calls),
    ];
    Statistics { figures: figures.map(|(name, figure)| (name.to_string(), figure)).to_vec() }
}
