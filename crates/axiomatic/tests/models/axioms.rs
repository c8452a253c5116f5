//! Models in the thesis's format.

use axiomatic::model::{Shape, describe, load, mm, shipped};
use expect_test::{Expect, expect};

use super::check_family;

/// Reads a model in the thesis's format: `sections` with the usual predefined symbols before them.
fn check_mm(sections: &str, expected: Expect) {
    let text = format!(
        "model test predefined set instruction predicate access(instruction) predicate load(access)\n\
         predicate store(access) relation seed(load, store) relation program_order(instruction, instruction)\n\
         {sections}\n"
    );
    check_mm_text(&text, expected);
}

fn check_mm_text(text: &str, expected: Expect) {
    expected.assert_eq(&match mm::load("test.mm", text) {
        Ok(model) => describe(&model),
        Err(errors) => format!("{errors}\n"),
    });
}

// The thesis's format: what it means.

#[test]
fn axioms_are_closed_and_mean_what_the_vocabulary_says() {
    check_mm(
        "exists relation before(access, access) relation three(load, load, store) predicate early(load)\n\
         forall L : load S, S' : store X : access\n\
         require <a> seed(L, S) => before(S, L) <b> three(L, L, S) | early(L) <=> ~(S = S')\n\
         <c> forall Y : store . exists load Z : program_order(X, Y) & seed(Z, Y) end model",
        expect![[r#"
            model test
            let access = M \ IW
            let load = R
            let store = W \ IW
            let program_order = po
            exists before: a relation on access, access
            exists three: a relation on load, load, store
            exists early: a relation on load
            require a: forall x0 in load. forall x1 in store. ~rf(x1,x0) | before(x1,x0)
            require b: forall x2 in load. forall x3 in store. forall x4 in store. (~(three(x2,x2,x3) | early(x2)) | ~x3 = x4) & (~~x3 = x4 | (three(x2,x2,x3) | early(x2)))
            require c: forall x7 in access. forall x5 in store. exists x6 in load. program_order(x7,x5) & rf(x5,x6)
        "#]],
    );
}

#[test]
fn total_orders_are_recognised_in_any_shape() {
    let order = |first: &str, second: &str, third: &str| {
        format!(
            "exists relation before(access, access) forall X, Y, Z : access S : store\n\
             require <c> {first} <x> program_order(X, Y) => before(X, Y) <a> {second} <b> {third} end model"
        )
    };
    check_mm(
        &order("before(X,Y) & before(Y,Z) => before(X,Z)", "~before(X,X)", "before(X,Y) | before(Y,X) | X = Y"),
        expect![[r#"
            model test
            let access = M \ IW
            let store = W \ IW
            let program_order = po
            exists before: a relation on access, access
            require c, a, b: before is a total order of access
            require x: forall x3 in access. forall x4 in access. ~program_order(x3,x4) | before(x3,x4)
            require coherence: forall x8 in store. forall x9 in store. ~co(x8,x9) | before(x8,x9)
        "#]],
    );
    check_mm(
        &order(
            "forall U : access . X = U | before(U,X) | before(X,U)",
            "before(Y,X) => (before(Z,Y) => before(Z,X))",
            "~(before(X,Y) & before(Y,X))",
        ),
        expect![[r#"
            model test
            let access = M \ IW
            let store = W \ IW
            let program_order = po
            exists before: a relation on access, access
            require c, a, b: before is a total order of access
            require x: forall x2 in access. forall x3 in access. ~program_order(x2,x3) | before(x2,x3)
            require coherence: forall x9 in store. forall x10 in store. ~co(x9,x10) | before(x9,x10)
        "#]],
    );
    // Only stores are ordered: not recognised, and nothing is said of coherence.
    check_mm(
        &order("before(X,Y) & before(Y,Z) => before(X,Z)", "~before(S,S)", "before(X,Y) | before(Y,X) | X = Y"),
        expect![[r#"
            model test
            let access = M \ IW
            let store = W \ IW
            let program_order = po
            exists before: a relation on access, access
            require c: forall x0 in access. forall x1 in access. forall x2 in access. ~(before(x0,x1) & before(x1,x2)) | before(x0,x2)
            require x: forall x3 in access. forall x4 in access. ~program_order(x3,x4) | before(x3,x4)
            require a: forall x5 in store. ~before(x5)
            require b: forall x6 in access. forall x7 in access. before(x6,x7) | before(x7,x6) | x6 = x7
        "#]],
    );
}

// The thesis's format: what is wrong.

#[test]
fn errors_of_axioms_say_where_and_do_not_hide_each_other() {
    check_mm(
        "relation sead(load, store) relation aliased(access) predicate has_seed(store) set load set X\n\
         exists relation r(access, nowhere) relation q(access, access) set s predicate p(load, load)\n\
         forall L : load S : store l : load M : nothing F : fence\n\
         require\n\
         <a> seed(L)\n\
         <b> seed(S, L)\n\
         <c> unknown(L) & fence(L)\n\
         <d> q(Q, l)\n\
         <a> l = L\n\
         <e> forall x : load . q(L, L)\n\
         end model",
        expect![[r#"
            test.mm:3:10: error: there is no predefined symbol `sead`
              note: there are instruction, access, load, store, fence, ll_fence, ls_fence, sl_fence, ss_fence, al_fence, ddl_fence, cd_fence, final_field, has_seed, seed, aliased, program_order, atomic, data_dependent, control_dependent, coherence, action, read, write, initial, volatile, lock, unlock, thread_start, thread_end, special, of, at, value_agrees, location_agrees, sees, same_location, same_monitor, same_value, matching, ends_before, freezes, dereferences, memory_chain
            test.mm:3:37: error: `aliased` is predefined as `relation aliased(access, access)`
            test.mm:3:72: error: `has_seed` is predefined as `predicate has_seed(load)`, not on `store`
            test.mm:3:83: error: `load` is predefined as `predicate load(access)`
            test.mm:3:83: error: `load` is declared twice
            test.mm:3:92: error: there is no predefined symbol `X`
              note: there are instruction, access, load, store, fence, ll_fence, ls_fence, sl_fence, ss_fence, al_fence, ddl_fence, cd_fence, final_field, has_seed, seed, aliased, program_order, atomic, data_dependent, control_dependent, coherence, action, read, write, initial, volatile, lock, unlock, thread_start, thread_end, special, of, at, value_agrees, location_agrees, sees, same_location, same_monitor, same_value, matching, ends_before, freezes, dereferences, memory_chain
            test.mm:4:27: error: `nowhere` is no set
            test.mm:4:67: error: a set cannot be declared here, only predicates and relations
            test.mm:4:79: error: a predicate has one argument; `p` is a relation
            test.mm:5:27: error: a variable starts with a capital letter, unlike `l`
            test.mm:5:40: error: `nothing` is no set
            test.mm:5:52: error: the set `fence` is not declared
              note: add `predicate fence(instruction)` to the predefined section, before its use
            test.mm:7:5: error: `seed` has 2 arguments, but 1 is given
            test.mm:8:10: error: argument 1 of `seed` is a load, but `S` is a store
            test.mm:8:13: error: argument 2 of `seed` is a store, but `L` is a load
            test.mm:9:5: error: `unknown` is not declared
            test.mm:9:18: error: `fence` is not declared
              note: add `predicate fence(instruction)` to the predefined section
            test.mm:10:7: error: the variable `Q` is not declared
            test.mm:10:10: error: a variable starts with a capital letter, unlike `l`
            test.mm:11:1: error: the label `<a>` is used twice
            test.mm:11:5: error: a variable starts with a capital letter, unlike `l`
            test.mm:12:12: error: a variable starts with a capital letter, unlike `x`
        "#]],
    );
}

#[test]
fn syntax_errors_of_axioms_say_where_and_do_not_hide_each_other() {
    check_mm(
        "exists relation q(access access)\n\
         forall L load\n\
         S : store\n\
         require\n\
         seed(L, S)\n\
         <a> seed(L, S\n\
         <b> seed(L, S) =>\n\
         <c> S\n\
         <d> % S = S\n\
         <e\n\
         end model",
        expect![[r#"
            test.mm:3:26: error: expected `)`, found `access`
            test.mm:4:10: error: expected `:`, found `load`
            test.mm:7:1: error: expected a label such as `<T1>`, found `seed`
            test.mm:9:1: error: expected `)`, found `<b>`
            test.mm:10:1: error: expected a formula, found `<c>`
            test.mm:11:1: error: expected `(` or `=`, found `<d>`
            test.mm:11:5: error: this is no word of the model language
            test.mm:12:1: error: this label is not closed by `>`
            test.mm:12:2: error: expected a label such as `<T1>`, found `e`
        "#]],
    );
    check_mm_text(
        "model",
        expect![[r#"
        test.mm:1:6: error: expected the model's name, found the end of the file
    "#]],
    );
    check_mm_text(
        "sc",
        expect![[r#"
        test.mm:1:1: error: expected `model`, found `sc`
    "#]],
    );
    check_mm_text(
        "model sc require <a> true",
        expect![[r#"
        test.mm:1:26: error: expected `end model`, found the end of the file
    "#]],
    );
    check_mm_text(
        "model sc nothing end model",
        expect![[r#"
            test.mm:1:10: error: expected `predefined`, `define`, `exists`, `forall`, `require`, `show` or `end model`, found `nothing`
            test.mm:1:27: error: expected `end model`, found the end of the file
        "#]],
    );
    check_mm_text(
        "model sc end model more",
        expect![[r#"
        test.mm:1:20: error: expected nothing after `end model`, found `more`
    "#]],
    );
    check_mm_text(
        "model sc (* never closed",
        expect![[r#"
        test.mm:1:10: error: this comment is not closed
        test.mm:1:25: error: expected `end model`, found the end of the file
    "#]],
    );
}

#[test]
fn runaway_axioms_are_refused() {
    check_mm(
        &format!("require <a> {}true{} end model", "(".repeat(10_000), ")".repeat(10_000)),
        expect![[r#"
        test.mm:3:78: error: this formula nests too deeply
        test.mm:4:1: error: expected `end model`, found the end of the file
    "#]],
    );
    check_mm(
        &format!("require <a> true{} end model", " => true".repeat(10_000)),
        expect![[r#"
        test.mm:3:533: error: this formula nests too deeply
        test.mm:4:1: error: expected `end model`, found the end of the file
    "#]],
    );
    check_mm(
        &format!("require <a> true{} end model", " <=> true".repeat(40)),
        expect![[r#"
        test.mm:3:9: error: the axioms up to this one are too large when `<=>` is expanded
    "#]],
    );
}

// Families, definitions, orders, several executions.

#[test]
fn terms_have_the_precedences_of_cat() {
    check_mm(
        "define relation a = program_order | seed ; program_order \\ seed & load * store set s = store | load\n\
         relation b = [load]; program_order?; (seed | a)^+; seed^-1^*\n\
         require <a> acyclic a <b> irreflexive b | a <c> empty s \\ 0 <d> [domain(b)] | [range(a)] <= b; b end model",
        expect![[r#"
            model test
            let load = R
            let store = W \ IW
            let program_order = po
            let seed = rf^-1
            let a = program_order | seed; program_order \ seed & load * store
            let s = store | load
            let b = load; (program_order | id); (seed | a)^+; seed^-1^*
            require a: acyclic a
            require b: irreflexive b | a
            require c: empty s
            require d: empty (domain(b) | range(a)) \ (b; b)
        "#]],
    );
}

#[test]
fn terms_are_formulas_among_others() {
    check_mm(
        "define set s = load relation r = program_order forall X, Y : access Z : s\n\
         require <a> r(X, Y) & acyclic r => (seed <= r | seed^-1) & ~(empty s) <b> (s | store) <= s => s(X) | r <= 0\n\
         <c> forall V : s \\ store . (exists W : s . ~(V = W)) | r(V, Z) end model",
        expect![[r#"
            model test
            let access = M \ IW
            let load = R
            let store = W \ IW
            let program_order = po
            let seed = rf^-1
            require a: forall x0 in access. forall x1 in access. ~(program_order(x0,x1) & (acyclic program_order)) | ((empty seed \ (program_order | seed^-1)) & ~empty load)
            require b: forall x2 in access. ~empty (load | store) \ load | (load(x2) | (empty program_order))
            require c: forall x5 in load. forall x3 in load \ store. (exists x4 in load. ~x3 = x4) | program_order(x3,x5)
        "#]],
    );
}

/// A model with a family of each sort.
const FAMILIES: &str = "model families
executions
predefined
  set action predicate read(action) predicate write(action)
  predicate of[thread](action) predicate at[location](action) predicate value_agrees[execution](write)
  relation program_order(action, action) relation sees(read, write)
define
  relation seen[E] = sees[E]^-1
  set fresh[I] = committed[I] \\ committed[I-1]
exists
  predicate committed[execution](action)
  relation flows[thread](read, write, write)
  order ord[P, C] on of[P] & at[C]
  order so[E] on action[E] containing program_order[E]
forall
  E : run
  I, J : execution
  P, Q : thread
  C : location
  R : read[I]
  W, W' : write
";

#[test]
fn families_have_one_member_for_each_index() {
    let families = |require: &str| format!("{FAMILIES}require {require} end model");
    check_family(
        [2, 1, 2],
        &families(
            "<a> so[E] <= program_order[E]
             <b> sees[I](R, W) & ~(P = Q) => flows[P](R, W, W') & ord[Q, C](R, W)
             <c> of[P, I] & at[C] <= committed[last] | committed[0]
             <d> (I <= J) & ~(I = J) => fresh[J] <= fresh[I] | fresh[J]
             <e> exists J : execution . value_agrees[J](W)
             <f> seen[main] <= so[main] & seen",
        ),
        expect![[r#"
            model families
            let action = executed
            let read = R
            let write = W
            let program_order = po
            let sees = rf^-1
            let seen = sees^-1
            let fresh@1 = committed@1 \ committed@0
            let fresh@2 = committed@2 \ committed@1
            let of#0 = thread#0
            let at#0 = location#0
            let of#1 = thread#1
            let action@1 = executed@1
            let program_order@1 = po@1
            let action@2 = executed@2
            let program_order@2 = po@2
            let read@1 = R@1
            let read@2 = R@2
            let of#0@1 = thread#0@1
            let of#0@2 = thread#0@2
            let of#1@1 = thread#1@1
            let of#1@2 = thread#1@2
            let value_agrees@1 = same-value@1
            let value_agrees@2 = same-value@2
            exists committed@0: a relation on action
            exists committed@1: a relation on action
            exists committed@2: a relation on action
            exists flows#0: a relation on read, write, write
            exists flows#1: a relation on read, write, write
            exists ord#0#0: a linearisation of of#0 & at#0 with 0
            exists ord#1#0: a linearisation of of#1 & at#0 with 0
            exists so: a linearisation of action with program_order
            exists so@1: a linearisation of action@1 with program_order@1
            exists so@2: a linearisation of action@2 with program_order@2
            require a: (empty so \ program_order) & (empty so@1 \ program_order@1) & (empty so@2 \ program_order@2)
            require b: (forall x3 in read@1. forall x4 in write. forall x5 in write. ~rf@1(x4,x3) | (flows#0(x3,x4,x5) & ord#1#0(x3,x4))) & (forall x6 in read@1. forall x7 in write. forall x8 in write. ~rf@1(x7,x6) | (flows#1(x6,x7,x8) & ord#0#0(x6,x7))) & (forall x15 in read@2. forall x16 in write. forall x17 in write. ~rf@2(x16,x15) | (flows#0(x15,x16,x17) & ord#1#0(x15,x16))) & (forall x18 in read@2. forall x19 in write. forall x20 in write. ~rf@2(x19,x18) | (flows#1(x18,x19,x20) & ord#0#0(x18,x19)))
            require c: (empty of#0@1 & at#0 \ (committed@2 | committed@0)) & (empty of#0@2 & at#0 \ (committed@2 | committed@0)) & (empty of#1@1 & at#0 \ (committed@2 | committed@0)) & (empty of#1@2 & at#0 \ (committed@2 | committed@0))
            require d: empty fresh@2 \ (fresh@1 | fresh@2)
            require e: forall x24 in write. value_agrees@1(x24) | value_agrees@2(x24)
            require f: empty seen \ so & seen
        "#]],
    );
    check_family(
        [0, 0, 0],
        &families("<a> so[E] <= so <b> fresh[I] <= committed[last] <c> ord[P, C](R, R)"),
        expect![[r#"
        model families
        let action = executed
        let program_order = po
        exists committed@0: a relation on action
        exists so: a linearisation of action with program_order
        require a: empty so \ so
        require b: true
        require c: true
    "#]],
    );
}

#[test]
fn a_model_without_families_stays_as_it_is() {
    let shape = Shape { threads: 3, locations: 3, executions: 3 };
    for (name, text) in shipped() {
        let model = load(name, text, &|_| None).unwrap_or_else(|errors| panic!("{errors}"));
        let speculative = name.starts_with("jmm");
        let family = speculative || ["coherence.mm", "pram.mm", "causal.mm", "pc.mm"].contains(name);
        assert_eq!(model.is_speculative(), speculative, "{name}");
        assert_eq!(matches!(model.instantiate(shape), std::borrow::Cow::Owned(_)), family, "{name}");
        assert_eq!(model.instantiate(shape).is_speculative(), speculative, "{name}");
    }
}

#[test]
fn an_axiom_of_a_family_keeps_one_label() {
    for (name, text) in shipped() {
        let model = load(name, text, &|_| None).unwrap_or_else(|errors| panic!("{errors}"));
        let many = model.instantiate(Shape { threads: 3, locations: 2, executions: 4 });
        let labels =
            |model: &axiomatic::model::Model| model.axioms.iter().map(|axiom| axiom.name.clone()).collect::<Vec<_>>();
        assert_eq!(labels(&model), labels(&many), "{name}");
    }
}

#[test]
fn errors_of_families_say_where() {
    let families = |require: &str| format!("{FAMILIES}require {require} end model");
    check_mm_text(
        &families(
            "
  <a> committed(R)
  <b> program_order[P](R, W)
  <c> of[I](R)
  <d> so[I-1](R, W)
  <e> so[last] <= so[0]
  <f> committed[main] <= committed[K]
  <g> of[P-1] <= of[P, I, I]
  <h> I(R) & R = I & P = I
  <i> P <= Q
  <j> fresh[E] <= fresh
  <k> I <= so
  <l> seen; of[P] <= of[P]
  <m> of[P] <= seen & of[P]
  <n> flows[P] <= 0
  <o> forall X : of . forall Y : seen . forall Z : nothing . X = Y
  <p> forall A, B, C, D, F : thread . P = A
",
        ),
        expect![[r#"
            test.mm:23:7: error: `committed` is a family, it needs an index (execution)
            test.mm:24:21: error: the index `P` is a thread, but `program_order` is a family over runs
            test.mm:25:10: error: the index `I` is an execution, but `of` is a family over threads
            test.mm:26:10: error: `so` may have no member `I-1`
              note: only relations and predicates declared over `execution` in `exists` have a member 0
            test.mm:27:10: error: `so` may have no member `last`
              note: only relations and predicates declared over `execution` in `exists` have a member 0
            test.mm:27:22: error: `so` may have no member `0`
              note: only relations and predicates declared over `execution` in `exists` have a member 0
            test.mm:28:17: error: `committed` has no member for the main execution
            test.mm:28:36: error: the index variable `K` is not declared
            test.mm:29:10: error: only a variable over executions has one before it, `P` is a thread
            test.mm:29:21: error: `of` has the indices (thread, run), but 3 are given
            test.mm:30:7: error: `I` is an index, no set or relation
            test.mm:30:18: error: `I` stands for an execution, not for an action
            test.mm:30:26: error: `P` is a thread, `I` an execution
            test.mm:31:7: error: only executions come one after the other
            test.mm:32:13: error: the index `E` is a run, but `fresh` is a family over executions
            test.mm:32:19: error: `fresh` is a family, it needs an index (execution)
            test.mm:33:7: error: `I` is an index, no set or relation
            test.mm:34:13: error: expected a relation, found a set
              note: write `[S]` for the identity on a set `S`
            test.mm:35:23: error: expected a relation, found a set
            test.mm:36:7: error: `flows` has 3 arguments, a term has two
            test.mm:37:18: error: `of` is a family, it needs an index
            test.mm:37:34: error: expected a set, found a relation
            test.mm:37:52: error: `nothing` is no set
            test.mm:38:23: error: an axiom may use at most 4 index variables
        "#]],
    );
}

#[test]
fn errors_of_declarations_of_families_say_where() {
    check_mm_text(
        "model test
predefined
  set action predicate read[thread](action) predicate of[location](action) predicate at(action)
  predicate value_agrees[execution](write) relation sees(read, write)
define
  set s[X] = t
  set t[P, P] = s
  relation u = t
  set v[P] = of[Q]
  relation w = w
exists
  predicate p[sort](action)
  predicate q[execution](action)
  order o[S] on read
  order a on domain(b)
  order b on range(b; a) containing action
  order c[P] on action
forall
  P : thread
  P : thread
  E : run
  q : location
  A : of[P]
  B : of[E]
require
  <a> forall I : execution . true
  <b> c[P](P, A)
end model
",
        expect![[r#"
            test.mm:3:24: error: `read` is predefined as `predicate read(action)`
            test.mm:3:55: error: `of` is predefined as `predicate of[thread](action)`
            test.mm:3:86: error: `at` is predefined as `predicate at[location](action)`
            test.mm:4:26: error: this model does not speak of several executions
              note: say so by the line `executions` after the model's name
            test.mm:4:37: error: the set `write` is not declared
              note: add `predicate write(action)` to the predefined section, before its use
            test.mm:4:64: error: the set `write` is not declared
              note: add `predicate write(action)` to the predefined section, before its use
            test.mm:6:9: error: the index variable `X` is not declared
              note: declare it in the forall section: `P : thread`
            test.mm:6:14: error: `t` is not declared
            test.mm:7:12: error: the index `P` is there twice
            test.mm:9:17: error: `of` is no family, it has no index
            test.mm:10:16: error: `w` is not declared
            test.mm:12:15: error: `sort` is not what a family can be over
              note: families are over thread, location, execution or run
            test.mm:13:15: error: this model does not speak of several executions
              note: say so by the line `executions` after the model's name
            test.mm:14:11: error: the index variable `S` is not declared
              note: declare it in the forall section: `P : thread`
            test.mm:15:9: error: what `a` orders depends on `b`, which is not there before it
            test.mm:16:37: error: expected a relation, found a set
              note: write `[S]` for the identity on a set `S`
            test.mm:20:3: error: the variable `P` is declared twice
            test.mm:21:7: error: this model does not speak of several executions
              note: say so by the line `executions` after the model's name
            test.mm:22:3: error: a variable starts with a capital letter, unlike `q`
            test.mm:23:10: error: `of` is no family, it has no index
            test.mm:24:10: error: `of` is no family, it has no index
            test.mm:26:18: error: this model does not speak of several executions
              note: say so by the line `executions` after the model's name
            test.mm:27:12: error: `P` stands for a thread, not for an action
        "#]],
    );
    check_mm_text(
        "model test
predefined set action
define relation = r
  relation r = (action * action
  relation s = action[
  relation t = action ^
  relation u = acyclic
exists order on r
  order o r
  order p[] on r
forall X : |
end model",
        expect![[r#"
            test.mm:3:17: error: expected a name, found `=`
            test.mm:5:3: error: expected `)`, found `relation`
            test.mm:6:12: error: expected `]`, found `t`
            test.mm:6:23: error: this is no word of the model language
            test.mm:7:16: error: expected a set or relation, found `acyclic`
            test.mm:8:17: error: expected `on`, found `r`
            test.mm:9:11: error: expected `on`, found `r`
            test.mm:10:11: error: expected an index variable, found `]`
            test.mm:11:12: error: expected a set, found `|`
        "#]],
    );
    check_mm_text(
        "model a-b executions executions
predefined set action forall I : execution
require
  <a> acyclic
  <b> action | <= action
  <c> (action | action) action
  <d> (action <= action) | action <= action & (action)
  <e> action[I] = action
  <f> action[I - 2] <= 0
  <g> action[] <= 0
  <h> I <= I & ~(I = I)
end model",
        expect![[r#"
            test.mm:1:22: error: expected `predefined`, `define`, `exists`, `forall`, `require`, `show` or `end model`, found `executions`
            test.mm:5:3: error: expected a set or relation, found `<b>`
            test.mm:5:16: error: expected a set or relation, found `<=`
            test.mm:6:25: error: expected `<=`, found `action`
            test.mm:8:17: error: expected `(` or `<=`, found `=`
            test.mm:9:18: error: expected `1`, found `2`
            test.mm:10:14: error: expected an index variable, `last`, `main` or `0`, found `]`
            test.mm:11:16: error: expected a set or relation, found `~`
        "#]],
    );
}

#[test]
fn runaway_families_are_refused() {
    let many = "relation r = program_order; program_order; program_order; program_order ".repeat(1_001);
    let text = format!(
        "model m predefined set instruction relation program_order(instruction, instruction) define {many} end model"
    );
    let Err(errors) = mm::load("test.mm", &text) else { panic!("read") };
    assert!(errors.messages.iter().any(|error| error.message == "the terms up to this one are too large"), "{errors}");
}
