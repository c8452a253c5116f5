//! The symbols that have a meaning already: their signatures, and what they are in the vocabulary.

use relation::formula::{Expr, ExprId, Formulas};

use super::parser::Sort;

/// The predefined symbols: name, sort, and the set of each argument. A predicate is a set within the set of its argument.
pub(super) const PREDEFINED: &[(&str, Sort, &[&str])] = &[
    ("instruction", Sort::Set, &[]),
    ("access", Sort::Predicate, &["instruction"]),
    ("load", Sort::Predicate, &["access"]),
    ("store", Sort::Predicate, &["access"]),
    ("fence", Sort::Predicate, &["instruction"]),
    ("ll_fence", Sort::Predicate, &["fence"]),
    ("ls_fence", Sort::Predicate, &["fence"]),
    ("sl_fence", Sort::Predicate, &["fence"]),
    ("ss_fence", Sort::Predicate, &["fence"]),
    ("al_fence", Sort::Predicate, &["fence"]),
    ("ddl_fence", Sort::Predicate, &["fence"]),
    ("cd_fence", Sort::Predicate, &["fence"]),
    ("has_seed", Sort::Predicate, &["load"]),
    ("seed", Sort::Relation, &["load", "store"]),
    ("aliased", Sort::Relation, &["access", "access"]),
    ("program_order", Sort::Relation, &["instruction", "instruction"]),
    ("atomic", Sort::Relation, &["instruction", "instruction"]),
    ("data_dependent", Sort::Relation, &["load", "instruction"]),
    ("control_dependent", Sort::Relation, &["load", "instruction"]),
    ("coherence", Sort::Relation, &["store", "store"]),
];

/// What a predefined symbol stands for. Variables range over sets without initial writes, so relations need no cutting.
/// `seed` is the other way round: `seed(L, S)` is a pair `(S, L)` of `rf`.
pub(super) fn meaning(name: &str, formulas: &mut Formulas) -> ExprId {
    let without_initial = |formulas: &mut Formulas, all| {
        let initial = formulas.base("IW");
        formulas.expr(Expr::Difference(all, initial))
    };
    match name {
        "instruction" => {
            let all = formulas.expr(Expr::Identity);
            without_initial(formulas, all)
        }
        "access" => {
            let all = formulas.base("M");
            without_initial(formulas, all)
        }
        "store" => {
            let all = formulas.base("W");
            without_initial(formulas, all)
        }
        "has_seed" => {
            let (stores, rf) = (meaning("store", formulas), formulas.base("rf"));
            let seeds = formulas.expr(Expr::Sequence(stores, rf));
            formulas.expr(Expr::Range(seeds))
        }
        "data_dependent" => {
            let (address, data) = (formulas.base("addr"), formulas.base("data"));
            formulas.expr(Expr::Union(address, data))
        }
        "load" => formulas.base("R"),
        "fence" => formulas.base("F"),
        "ll_fence" => formulas.base("LL"),
        "ls_fence" => formulas.base("LS"),
        "sl_fence" => formulas.base("SL"),
        "ss_fence" => formulas.base("SS"),
        "al_fence" => formulas.base("AL"),
        "ddl_fence" => formulas.base("DDL"),
        "cd_fence" => formulas.base("CD"),
        "seed" => formulas.base("rf"),
        "aliased" => formulas.base("loc"),
        "program_order" => formulas.base("po"),
        "atomic" => formulas.base("atomic-block"),
        "control_dependent" => formulas.base("ctrl"),
        "coherence" => formulas.base("co"),
        _ => formulas.expr(Expr::Empty),
    }
}

/// Whether every member of the predefined set `inner` is one of `outer`.
pub(super) fn within(inner: &str, outer: &str) -> bool {
    let mut set = Some(inner);
    while let Some(name) = set {
        if name == outer {
            return true;
        }
        let parent = PREDEFINED.iter().find(|(known, ..)| *known == name);
        set = parent.and_then(|(_, _, arguments)| arguments.first().copied());
    }
    false
}

/// Which kinds of event a predefined set may have: 1 loads, 2 stores, 4 fences, 8 others. Sets without a common kind are
/// disjoint.
pub(super) fn kinds(set: &str) -> u8 {
    match set {
        "access" => 3,
        "load" | "has_seed" => 1,
        "store" => 2,
        name if within(name, "fence") => 4,
        _ => 15,
    }
}

/// A declaration as a user writes it.
pub(super) fn signature(name: &str, sort: Sort, arguments: &[&str]) -> String {
    match sort {
        Sort::Set => format!("set {}", name),
        Sort::Predicate => format!("predicate {}({})", name, arguments.join(", ")),
        Sort::Relation => format!("relation {}({})", name, arguments.join(", ")),
    }
}
