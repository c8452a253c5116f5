//! Whether a model keeps the accesses of an atomic block together in one of its orders.
//!
//! The axioms that say so are found as those of total orders are: compared as clauses, so that their layout and the names of variables do not
//! matter. What is not recognised stays as it is: this is about speed, not about meaning.

use relation::formula::{Expr, ExprId, Formula, Formulas, Variable};

use crate::model::{AxiomKind, Model};

/// Whether axioms say of a total order that the accesses of an atomic block come in it as in program order, and nothing between them:
/// `atomic(x,y) & po(x,y) => r(x,y)` and `atomic(x,y) & po(x,y) & ~atomic(y,z) & r(x,z) => r(y,z)`, on the set `on`.
pub fn are_kept_together(model: &Model, order: &str, on: ExprId) -> bool {
    let clauses: Vec<Vec<Literal>> = model
        .axioms
        .iter()
        .filter(|axiom| axiom.kind == AxiomKind::Require)
        .filter_map(|axiom| clause_on(&axiom.formula, on, &model.formulas))
        .collect();
    let says = |wanted: fn(&str, [Variable; 3]) -> Vec<Literal<'_>>| {
        clauses.iter().any(|clause| {
            let variables = variables_of(clause, order);
            variables.is_some_and(|variables| same(clause, &wanted(order, variables)))
        })
    };
    says(in_program_order) && says(nothing_between)
}

/// `x` and `y` are in the relation, or are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Literal<'m>(bool, &'m str, Variable, Variable);

const BLOCK: &str = "atomic-block";

fn in_program_order(order: &str, [x, y, _]: [Variable; 3]) -> Vec<Literal<'_>> {
    vec![Literal(false, BLOCK, x, y), Literal(false, "po", x, y), Literal(true, order, x, y)]
}

fn nothing_between(order: &str, [x, y, z]: [Variable; 3]) -> Vec<Literal<'_>> {
    vec![
        Literal(false, BLOCK, x, y),
        Literal(false, "po", x, y),
        Literal(true, BLOCK, y, z),
        Literal(false, order, x, z),
        Literal(true, order, y, z),
    ]
}

/// What the clause calls `x`, `y` and `z`, if it is one of the two.
fn variables_of(clause: &[Literal], order: &str) -> Option<[Variable; 3]> {
    let find = |positive, name| clause.iter().find(|literal| (literal.0, literal.1) == (positive, name));
    let (&Literal(_, _, x, y), &Literal(_, _, _, z)) = (find(false, "po")?, find(true, order)?);
    (x != y).then_some([x, y, z])
}

fn same(clause: &[Literal], wanted: &[Literal]) -> bool {
    clause.len() == wanted.len() && wanted.iter().all(|literal| clause.contains(literal))
}

/// The literals of a closed formula, if it is a clause about members of the set.
fn clause_on<'m>(formula: &Formula, on: ExprId, formulas: &'m Formulas) -> Option<Vec<Literal<'m>>> {
    let mut body = formula;
    while let Formula::ForAll(_, set, inner) = body {
        if *set != on {
            return None;
        }
        body = inner;
    }
    let mut literals = Vec::new();
    clause(body, true, formulas, &mut literals)?;
    Some(literals)
}

/// Adds the literals of a formula, or of its negation.
fn clause<'m>(
    formula: &Formula,
    positive: bool,
    formulas: &'m Formulas,
    literals: &mut Vec<Literal<'m>>,
) -> Option<()> {
    match formula {
        Formula::Not(inner) => clause(inner, !positive, formulas, literals),
        Formula::Or(parts) if positive => parts.iter().try_for_each(|part| clause(part, true, formulas, literals)),
        Formula::And(parts) if !positive => parts.iter().try_for_each(|part| clause(part, false, formulas, literals)),
        Formula::Member(expr, x, y) => match formulas.node(*expr) {
            Expr::Base(name) => {
                literals.push(Literal(positive, name, *x, *y));
                Some(())
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELAXED: &str = "relaxed.mm";

    /// Whether the shipped model says so of its memory order, with one text in it replaced.
    fn says(file: &str, (old, new): (&str, &str)) -> bool {
        let (name, text) = crate::model::shipped().iter().find(|(name, _)| *name == file).expect("a shipped model");
        assert!(text.contains(old), "{file} has no `{old}`");
        let model =
            crate::model::load(name, &text.replace(old, new), &|_| None).unwrap_or_else(|wrong| panic!("{wrong}"));
        let on = model.axioms.iter().find_map(|axiom| match axiom.formula {
            Formula::TotalOrder { on, .. } => Some(on),
            _ => None,
        });
        are_kept_together(&model, "memory_order", on.expect("a total order"))
    }

    #[test]
    fn shipped_models_keep_the_accesses_of_a_block_together() {
        assert!(says(RELAXED, ("model", "model")));
        assert!(says("rmo.mm", ("model", "model")));
        // Here the order within a block follows from another axiom.
        assert!(!says("sc.mm", ("model", "model")));
    }

    #[test]
    fn the_layout_of_the_axioms_does_not_matter() {
        let axiom =
            "<a1> atomic(X, Y) & program_order(X, Y) & ~atomic(Y, Z) & memory_order(X, Z) => memory_order(Y, Z)";
        let other =
            "<a1> memory_order(Z, Y) => ~program_order(Z, X) | memory_order(X, Y) | atomic(X, Y) | ~atomic(Z, X)";
        assert!(says(RELAXED, (axiom, other)));
    }

    #[test]
    fn weaker_axioms_do_not_keep_them_together() {
        for (old, new) in [
            ("~atomic(Y, Z) & memory_order(X, Z) => memory_order(Y, Z)", "~atomic(Y, Z) & memory_order(X, Z) => true"),
            ("=> memory_order(Y, Z)", "=> memory_order(Z, Y)"),
            ("& memory_order(X, Z) => memory_order(Y, Z)", "& memory_order(Z, X) => memory_order(Z, Y)"),
            ("<a2> atomic(X, Y) & program_order(X, Y) => memory_order(X, Y)", ""),
            (
                "<a2> atomic(X, Y) & program_order(X, Y) =>",
                "<a2> atomic(X, Y) & program_order(X, Y) & aliased(X, Y) =>",
            ),
            ("<a2> atomic(X, Y)", "<a2> atomic(X, S)"),
        ] {
            assert!(!says(RELAXED, (old, new)), "{old} => {new}");
        }
    }
}
