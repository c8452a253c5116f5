//! The symbols that have a meaning already: their signatures, and what they are in the vocabulary.

use relation::formula::{Expr, ExprId, Formulas};

use super::index::IndexSort;
use super::syntax::Sort;

/// The predefined symbols: name, sort, and the set of each argument. A predicate is a set within the set of its argument.
/// First those of the thesis, whose executions have no initial writes, then those with them.
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
    ("final_field", Sort::Predicate, &["access"]),
    ("has_seed", Sort::Predicate, &["load"]),
    ("seed", Sort::Relation, &["load", "store"]),
    ("aliased", Sort::Relation, &["access", "access"]),
    ("program_order", Sort::Relation, &["instruction", "instruction"]),
    ("atomic", Sort::Relation, &["instruction", "instruction"]),
    ("data_dependent", Sort::Relation, &["load", "instruction"]),
    ("control_dependent", Sort::Relation, &["load", "instruction"]),
    ("coherence", Sort::Relation, &["store", "store"]),
    ("action", Sort::Set, &[]),
    ("read", Sort::Predicate, &["action"]),
    ("write", Sort::Predicate, &["action"]),
    ("initial", Sort::Predicate, &["write"]),
    ("volatile", Sort::Predicate, &["action"]),
    ("lock", Sort::Predicate, &["action"]),
    ("unlock", Sort::Predicate, &["action"]),
    ("thread_start", Sort::Predicate, &["action"]),
    ("thread_end", Sort::Predicate, &["action"]),
    ("special", Sort::Predicate, &["action"]),
    ("of", Sort::Predicate, &["action"]),
    ("at", Sort::Predicate, &["action"]),
    ("value_agrees", Sort::Predicate, &["write"]),
    ("location_agrees", Sort::Predicate, &["action"]),
    ("sees", Sort::Relation, &["read", "write"]),
    ("same_location", Sort::Relation, &["action", "action"]),
    ("same_monitor", Sort::Relation, &["action", "action"]),
    ("same_value", Sort::Relation, &["action", "action"]),
    ("matching", Sort::Relation, &["lock", "unlock"]),
    ("ends_before", Sort::Relation, &["thread_end", "thread_start"]),
    ("freezes", Sort::Relation, &["action", "read"]),
    ("dereferences", Sort::Relation, &["read", "action"]),
    ("memory_chain", Sort::Relation, &["action", "action"]),
];

/// The indices that a predefined symbol always has, besides that of the execution.
pub(super) fn indices(name: &str) -> &'static [IndexSort] {
    match name {
        "of" => &[IndexSort::Thread],
        "at" => &[IndexSort::Location],
        "value_agrees" | "location_agrees" => &[IndexSort::Execution],
        _ => &[],
    }
}

/// Whether `name(X, Y)` is a pair `(Y, X)` of the relation that [`meaning`] gives.
pub(super) fn is_reversed(name: &str) -> bool {
    name == "seed" || name == "sees"
}

/// A predefined symbol as a member of the vocabulary: the names of sets and relations end in `suffix`. In a model of
/// several executions the actions of one are a set like others.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) suffix: &'a str,
    pub(super) speculative: bool,
}

/// What a predefined symbol stands for. Variables range over sets without initial writes where the symbols of the thesis
/// are used, so relations need no cutting.
pub(super) fn meaning(name: &str, view: View, formulas: &mut Formulas) -> ExprId {
    let base = |formulas: &mut Formulas, name: &str| formulas.base(&format!("{name}{}", view.suffix));
    let without_initial = |formulas: &mut Formulas, all| {
        let initial = base(formulas, "IW");
        formulas.expr(Expr::Difference(all, initial))
    };
    match name {
        "action" if view.speculative => base(formulas, "executed"),
        "action" => formulas.expr(Expr::Identity),
        "instruction" => {
            let all = meaning("action", view, formulas);
            without_initial(formulas, all)
        }
        "access" => {
            let all = base(formulas, "M");
            without_initial(formulas, all)
        }
        "store" => {
            let all = base(formulas, "W");
            without_initial(formulas, all)
        }
        "has_seed" => {
            let (stores, rf) = (meaning("store", view, formulas), base(formulas, "rf"));
            let seeds = formulas.expr(Expr::Sequence(stores, rf));
            formulas.expr(Expr::Range(seeds))
        }
        "data_dependent" => {
            let (address, data) = (base(formulas, "addr"), base(formulas, "data"));
            formulas.expr(Expr::Union(address, data))
        }
        _ => match BASES.iter().find(|(known, _)| *known == name) {
            Some((_, name)) => base(formulas, name),
            None => formulas.expr(Expr::Empty),
        },
    }
}

/// The symbols that are sets and relations of the vocabulary.
const BASES: &[(&str, &str)] = &[
    ("load", "R"),
    ("fence", "F"),
    ("ll_fence", "LL"),
    ("ls_fence", "LS"),
    ("sl_fence", "SL"),
    ("ss_fence", "SS"),
    ("al_fence", "AL"),
    ("ddl_fence", "DDL"),
    ("cd_fence", "CD"),
    ("final_field", "FINAL"),
    ("seed", "rf"),
    ("aliased", "loc"),
    ("program_order", "po"),
    ("atomic", "atomic-block"),
    ("control_dependent", "ctrl"),
    ("coherence", "co"),
    ("read", "R"),
    ("write", "W"),
    ("initial", "IW"),
    ("volatile", "V"),
    ("lock", "L"),
    ("unlock", "U"),
    ("thread_start", "S"),
    ("thread_end", "E"),
    ("special", "special"),
    ("of", "thread"),
    ("at", "location"),
    ("value_agrees", "same-value"),
    ("location_agrees", "same-location"),
    ("sees", "rf"),
    ("same_location", "loc"),
    ("same_monitor", "monitor"),
    ("same_value", "val"),
    ("matching", "matching"),
    ("ends_before", "ends-before"),
    ("freezes", "freezes"),
    ("dereferences", "dereferences"),
    ("memory_chain", "memory-chain"),
];

/// Whether every member of the predefined set `inner` is one of `outer`.
pub(super) fn within(inner: &str, outer: &str) -> bool {
    let parents: &[&str] = match inner {
        "instruction" => &["action"],
        "load" => &["access", "read"],
        "store" => &["access", "write"],
        _ => PREDEFINED.iter().find(|(known, ..)| *known == inner).map_or(&[], |(_, _, arguments)| arguments),
    };
    inner == outer || parents.iter().any(|parent| within(parent, outer))
}

/// Which kinds of event a predefined set may have: 1 loads, 2 stores, 4 fences, 8 others. Sets without a common kind are
/// disjoint.
pub(super) fn kinds(set: &str) -> u8 {
    match set {
        "access" | "volatile" | "final_field" => 3,
        "load" | "has_seed" | "read" => 1,
        "store" | "write" | "initial" | "value_agrees" => 2,
        "lock" | "unlock" | "thread_start" | "thread_end" | "special" => 8,
        name if within(name, "fence") => 4,
        _ => 15,
    }
}

/// A declaration as a user writes it.
pub(super) fn signature(name: &str, sort: Sort, arguments: &[&str]) -> String {
    let indices: Vec<&str> = indices(name).iter().map(|sort| sort.name()).collect();
    let index = if indices.is_empty() { String::new() } else { format!("[{}]", indices.join(", ")) };
    match sort {
        Sort::Set => format!("set {name}{index}"),
        Sort::Predicate => format!("predicate {name}{index}({})", arguments.join(", ")),
        Sort::Relation => format!("relation {name}{index}({})", arguments.join(", ")),
    }
}
