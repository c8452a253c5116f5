//! Finds axioms that together say that a relation is a strict total order.
//!
//! An axiom is compared as a clause, a disjunction of literals, so that its layout, the order of its parts and the names
//! of its variables do not matter. What is not recognised stays as it is: this is about speed, not about meaning.

use relation::formula::{ExprId, Formula, Variable};

/// Which part of a total order an axiom states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// `r(x,y) & r(y,z) => r(x,z)`.
    Transitive,
    /// `~r(x,x)`, or the stronger `~(r(x,y) & r(y,x))`.
    Irreflexive,
    /// `r(x,y) | r(y,x) | x = y`.
    Total,
}

/// The part that a closed formula states of `relation`, with all variables in the set `on`.
pub(super) fn part(formula: &Formula, relation: ExprId, on: ExprId) -> Option<Part> {
    let mut body = formula;
    let mut literals = Vec::new();
    while let Formula::ForAll(_, set, inner) = body {
        if *set != on {
            return None;
        }
        body = inner;
    }
    clause(body, true, relation, &mut literals)?;
    use Literal::{No, Same, Yes};
    match *literals {
        [No(x, y)] if x == y => Some(Part::Irreflexive),
        [No(x, y), No(v, w)] if (x, y) == (w, v) => Some(Part::Irreflexive),
        [Yes(x, y), Yes(v, w), Same(a, b)] if (x, y) == (w, v) && x != y && ((a, b) == (x, y) || (a, b) == (y, x)) => {
            Some(Part::Total)
        }
        [Yes(x, z), No(a, b), No(c, d)] => {
            let chain = |(a, b): (Variable, Variable), (c, d)| a == x && b == c && d == z;
            let distinct = |y| x != y && y != z && x != z;
            let found = chain((a, b), (c, d)) && distinct(b) || chain((c, d), (a, b)) && distinct(d);
            found.then_some(Part::Transitive)
        }
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Literal {
    Yes(Variable, Variable),
    No(Variable, Variable),
    Same(Variable, Variable),
}

/// Adds the literals of a formula, or of its negation, in a fixed order; `None` if it is not a clause about the relation.
fn clause(formula: &Formula, positive: bool, relation: ExprId, literals: &mut Vec<Literal>) -> Option<()> {
    match formula {
        Formula::Not(inner) => clause(inner, !positive, relation, literals)?,
        Formula::Or(parts) if positive => parts.iter().try_for_each(|part| clause(part, true, relation, literals))?,
        Formula::And(parts) if !positive => {
            parts.iter().try_for_each(|part| clause(part, false, relation, literals))?
        }
        Formula::Member(found, x, y) if *found == relation => {
            literals.push(if positive { Literal::Yes(*x, *y) } else { Literal::No(*x, *y) });
        }
        Formula::Same(x, y) if positive => literals.push(Literal::Same(*x, *y)),
        _ => return None,
    }
    if literals.len() > 3 {
        return None;
    }
    literals.sort();
    Some(())
}
