//! The model languages: a model's text in, its meaning or its errors out.

use axiomatic::model::{cat, describe, header, load, mm, shipped};
use expect_test::{Expect, expect};

/// Reads a cat model `test.cat` that may include `given.cat`.
fn check_with(text: &str, given: &str, expected: Expect) {
    let include = |name: &str| (name == "given.cat").then(|| given.to_string());
    expected.assert_eq(&match cat::load("test.cat", text, &include) {
        Ok(model) => describe(&model),
        Err(errors) => format!("{errors}\n"),
    });
}

fn check(text: &str, expected: Expect) {
    check_with(text, "", expected);
}

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

// cat: what it means.

#[test]
fn operators_have_herds_precedences() {
    check(
        "empty po | rf ; co \\ fr & W * R as a\nempty ~po & rf? ; co^-1+ as b",
        expect![[r#"
        model test
        require a: empty po | rf; co \ fr & W * R
        require b: empty (~0 \ po) & (rf | id); co^-1^+
    "#]],
    );
    check(
        "empty po \\ rf \\ co as left\nempty (po | rf)^+ ; loc* ; rf^* as closures",
        expect![[r#"
        model test
        require left: empty po \ rf \ co
        require closures: empty (po | rf)^+; loc^*; rf^*
    "#]],
    );
    check(
        "let s = W*R\nempty s as product\nlet c = po*\n~empty c as closure",
        expect![[r#"
        model test
        let s = W * R
        let c = po^*
        require product: empty s
        require closure: ~empty c
    "#]],
    );
}

#[test]
fn sets_and_relations_have_their_own_complement() {
    check(
        "empty ~W as set\nempty ~po as relation\nempty ~0 as everything\nempty _ * W as events",
        expect![[r#"
        model test
        require set: empty id \ W
        require relation: empty ~0 \ po
        require everything: empty ~0
        require events: empty id * W
    "#]],
    );
}

#[test]
fn the_empty_constant_is_set_or_relation() {
    check(
        "empty W | {} as set\nempty po | 0 as relation\nempty [0]; po as identity\nacyclic 0",
        expect![[r#"
        model test
        require set: empty W
        require relation: empty po
        require identity: empty 0
        require acyclic-1: acyclic 0
    "#]],
    );
}

#[test]
fn checks_get_names() {
    check(
        "let ghb = po | rf\nacyclic ghb\nirreflexive ghb\nacyclic po | co\n~acyclic co as cyclic\nempty po as e",
        expect![[r#"
            model test
            let ghb = po | rf
            require ghb: acyclic ghb
            require irreflexive-2: irreflexive ghb
            require acyclic-3: acyclic po | co
            require cyclic: ~acyclic co
            require e: empty po
        "#]],
    );
}

#[test]
fn flags_hold_when_they_are_raised() {
    check(
        "flag ~empty po as some-po\nflag empty rf as no-rf\nundefined_unless empty co as co-used",
        expect![[r#"
        model test
        flag some-po: ~empty po
        flag no-rf: empty rf
        flag co-used: ~empty co
    "#]],
    );
}

#[test]
fn functions_are_expanded() {
    check(
        "let f(x, y) = x; y\nlet g x = f(x, x)\nlet h = fun r -> g r\nlet k a b = a & b\nlet twice (f, x) = f (f x)\n\
         acyclic g po as a\nacyclic f (po, rf) as b\nacyclic h rf as c\nacyclic k po rf as d\nacyclic twice (g, co) as e\n\
         empty domain(rf) & range rf as f",
        expect![[r#"
            model test
            require a: acyclic po; po
            require b: acyclic po; rf
            require c: acyclic rf; rf
            require d: acyclic po & rf
            require e: acyclic co; co; (co; co)
            require f: empty domain(rf) & range(rf)
        "#]],
    );
}

#[test]
fn a_later_definition_shadows_and_does_not_change_earlier_ones() {
    check(
        "let a = po\nlet f x = x | a\nlet a = rf\nacyclic f co as x\nacyclic a as y",
        expect![[r#"
        model test
        let a = po
        let a = rf
        require x: acyclic co | a
        require y: acyclic a
    "#]],
    );
}

#[test]
fn locals_and_tuples_bind() {
    check(
        "let a = let x = po and y = rf in x | y\nlet (b, c) = (po, rf)\nlet d, _ = (a, b)\nacyclic a as a\n\
         acyclic b; c as b\nacyclic d as d",
        expect![[r#"
            model test
            let a = b | c
            let b = po
            let c = rf
            require a: acyclic a
            require b: acyclic b; c
            require d: acyclic a
        "#]],
    );
}

#[test]
fn recursion_is_a_least_fixpoint() {
    check(
        "let rec a = po | a; b and b = rf | b; a\nacyclic a as a\nlet rec S = W | range([S]; rf)\nempty S as s",
        expect![[r#"
        model test
        let a = po | a; b
        let b = rf | b; a
        require a: acyclic a
        require s: empty rec2
    "#]],
    );
}

#[test]
fn choices_become_existentials_or_coherence() {
    check(
        "with co from generate_cos(co0)\nwith mo from generate_orders(W & A, co0)\nwith S from linearisations(SC, po)\n\
         with S from linearisations(W, S)\nwith x from generate_cos(po)\nacyclic co | mo | S | x as all",
        expect![[r#"
            model test
            let mo = W & A; co; W & A
            let S = S#2
            exists S: a linearisation of SC with po
            exists S#2: a linearisation of W with S
            require x: empty (W; po; W) & loc \ co
            require all: acyclic co | mo | S | co
        "#]],
    );
}

#[test]
fn procedures_run_where_they_are_called() {
    check(
        "procedure ordered(r, s) =\n  let t = r | s\n  acyclic t\n  empty t & id as no-loop\nend\n\
         call ordered(po, rf)\ncall ordered(po, co) as named\ncall subseteq(W, M)",
        expect![[r#"
            model test
            let t = po | rf
            let t = po | co
            require t: acyclic t
            require no-loop: empty t & id
            require named: acyclic t
            require no-loop: empty t & id
            require empty-2: empty W \ M
        "#]],
    );
}

#[test]
fn try_takes_the_other_side_for_undefined_names_only() {
    check(
        "let a = try nothing with 0\nlet b = try (po | nothing) with rf\nlet c = try co with rf\nacyclic a|b|c as x",
        expect![[r#"
        model test
        let b = rf
        let c = co
        require x: acyclic b | c
    "#]],
    );
    check(
        "let a = try (po | W) with 0",
        expect![[r#"
        test.cat:1:19: error: expected a relation, found a set
          note: write `[S]` for the identity on a set `S`
    "#]],
    );
}

#[test]
fn variants_are_off() {
    check(
        "if \"mixed\" acyclic po as on else acyclic rf as off end\nacyclic (if not \"a\" then po else rf) as e",
        expect![[r#"
        model test
        require off: acyclic rf
        require e: acyclic po
    "#]],
    );
}

#[test]
fn show_and_unshow() {
    check(
        "let a = po | rf\nshow a, rf\nshow po; co as pc\nshow W, nothing\nunshow rf",
        expect![[r#"
        model test
        let a = po | rf
        show a: a
        show pc: po; co
    "#]],
    );
}

#[test]
fn includes_are_followed() {
    check_with(
        "\"title\"\ninclude \"given.cat\"\nacyclic given",
        "given\nlet given = po | com",
        expect![[r#"
        given.cat:2:18: error: `com` is not defined
          note: in `given.cat`, included at test.cat:2:9
    "#]],
    );
    check_with(
        "include \"given.cat\"\nacyclic given",
        "let given = po\nlet x = W; po\n",
        expect![[r#"
        given.cat:2:9: error: expected a relation, found a set
          note: write `[S]` for the identity on a set `S`
          note: in `given.cat`, included at test.cat:1:9
    "#]],
    );
    check_with(
        "include \"given.cat\"",
        "let a = po\ninclude \"given.cat\"",
        expect![[r#"
        given.cat:2:9: error: `given.cat` includes itself
          note: in `given.cat`, included at test.cat:1:9
    "#]],
    );
    check(
        "include \"none.cat\"\nacyclic com as x",
        expect![[r#"
        test.cat:1:9: error: there is no file `none.cat` to include
        test.cat:2:9: error: `com` is not defined
    "#]],
    );
}

#[test]
fn models_in_the_style_of_herds_users_are_read() {
    check(
        r#"X86 "my TSO"
(* a user's model (* with nested comments *) *)
include "x86fences.cat"
include "filters.cat"
include "cos.cat"

# coherence
let com = rf | fr | co
acyclic po-loc | com as uniproc

let locked = try A with emptyset
let barrier = (try fencerel(MFENCE) with 0) | (try fencerel(DMB.SY) with 0)
let atomic-rmw = try rmw & (fre; coe) with 0
empty atomic-rmw as rmw_atomic

let ppo = RM(po) | WW(po)
let implied = WR(po) & (locked * _ | _ * locked)
let ghb = ppo | barrier | mfence | implied | rfe | fr | co
acyclic ghb as tso
show ghb
"#,
        expect![[r#"
            model test
            let po-loc = po & loc
            let rfe = rf & ext
            let coe = co & ext
            let fre = fr & ext
            let mfence = po; MFENCE; po
            let atom = X | A
            let com = rf | fr | co
            let atomic-rmw = rmw & (fre; coe)
            let ppo = R; po; M | W; po; W
            let implied = (W; po; R) & (atom * id | id * atom)
            let ghb = ppo | mfence | mfence | implied | rfe | fr | co
            require uniproc: acyclic po-loc | com
            require rmw_atomic: empty atomic-rmw
            require tso: acyclic ghb
            show ghb: ghb
        "#]],
    );
}

#[test]
fn herds_c11_files_are_built_in() {
    let text = "C \"C11\"\ninclude \"c11_base.cat\"\nwith S from linearisations(SC, hb)\nirreflexive (S; hb) as S1\n\
                irreflexive (S; fsb?; mo; sbf?) as S2\nundefined_unless empty dr as Dr\nundefined_unless empty ur as Ur";
    let model = cat::load("c11.cat", text, &|_| None).unwrap();
    let names: Vec<&str> = model.axioms.iter().map(|axiom| axiom.name.as_str()).collect();
    assert_eq!(names, ["Hb", "Coh", "Rf", "NaRf", "NaFinal", "Rmw", "RmwAtomic", "S1", "S2", "Dr", "Ur"]);
    assert_eq!(model.existentials.len(), 1);
}

// cat: what is wrong.

#[test]
fn errors_say_where_and_do_not_hide_each_other() {
    check(
        "acyclic po | W\nacyclic W\nempty [po]\nlet a = nothing | po\nacyclic a\nacyclic po rf\nlet f(x,y) = x;y\n\
         acyclic f po\nacyclic f(po,rf,co)\nempty po * rf\nempty f\nacyclic domain\nlet (a,b) = po\ncall f(po)\n\
         with x from po\nempty W * W * W",
        expect![[r#"
            test.cat:1:14: error: expected a relation, found a set
              note: write `[S]` for the identity on a set `S`
            test.cat:2:9: error: expected a relation, found a set
              note: write `[S]` for the identity on a set `S`
            test.cat:3:8: error: expected a set, found a relation
            test.cat:4:9: error: `nothing` is not defined
            test.cat:6:9: error: expected a function, found a relation
            test.cat:8:11: error: `f` takes 2 arguments, but 1 is given
            test.cat:9:10: error: `f` takes 2 arguments, but 3 are given
            test.cat:10:7: error: expected a set, found a relation
            test.cat:10:12: error: expected a set, found a relation
            test.cat:11:7: error: expected a relation, found a function
            test.cat:12:9: error: expected a relation, found a function
            test.cat:13:13: error: 2 names cannot be bound to a relation
            test.cat:14:6: error: expected a procedure, found a function
            test.cat:15:13: error: a choice from anything but orders is not supported
            test.cat:16:15: error: a product has two sides: use brackets
        "#]],
    );
}

#[test]
fn syntax_errors_say_where_and_do_not_hide_each_other() {
    check(
        "let a = po |\nlet b = (po\nacyclic a; b\nacyclic\nshow po; rf\nlet c = po ^ rf\ninclude cos\nacyclic po as\n\
         let = po\n% strange\nempty c",
        expect![[r#"
            test.cat:2:1: error: expected an expression, found `let`
            test.cat:3:1: error: expected `)`, found `acyclic`
            test.cat:5:1: error: expected an expression, found `show`
            test.cat:6:1: error: expected `as` and a name to show it under, found `let`
            test.cat:6:14: error: expected `+`, `*` or `-1` after `^`, found `rf`
            test.cat:7:9: error: expected a file name in quotes, found `cos`
            test.cat:9:1: error: expected a name, found `let`
            test.cat:9:5: error: expected a name, found `=`
            test.cat:10:1: error: this is no word of the cat language
        "#]],
    );
    check(
        "let a = po (* never closed\nacyclic a",
        expect![[r#"
        test.cat:1:12: error: this comment is not closed
    "#]],
    );
    check(
        "include \"never closed",
        expect![[r#"
        test.cat:1:9: error: this string is not closed
        test.cat:1:22: error: expected a file name in quotes, found the end of the file
    "#]],
    );
}

#[test]
fn what_is_not_read_is_refused_with_its_place() {
    check(
        "enum E = 'a || 'b\nlet x = 'a\nlet y = { 'a }\nforall x in y do empty x end\nlet m = match x with || 'a -> po end\n\
         let z = W ++ R\nassert po\ninstructions R[{'a}]\nlet rec f x = f x\nlet rec a = po | ~a\n\
         let rec b = po \\ c and c = rf \\ b\nwith lo from generate_orders(R, po)\n\
         let i = if W = R then po else rf\nprocedure rec p() = end",
        expect![[r#"
            test.cat:1:1: error: `enum` is not supported
            test.cat:2:9: error: a tag is not supported
            test.cat:3:11: error: a set given by its elements is not supported
            test.cat:4:1: error: `forall` is not supported
            test.cat:5:9: error: `match` is not supported
            test.cat:6:11: error: adding an element with `++` is not supported
            test.cat:7:1: error: `assert` is not supported
            test.cat:8:1: error: `instructions` is not supported
            test.cat:9:9: error: a recursive function is not supported
            test.cat:10:9: error: recursion of `a` through a complement or difference is not supported
            test.cat:11:9: error: recursion of `b` through a complement or difference is not supported
            test.cat:11:24: error: recursion of `c` through a complement or difference is not supported
            test.cat:12:14: error: an order for each location of anything but writes is not supported
            test.cat:13:12: error: a condition on sets or relations is not supported
            test.cat:14:11: error: a recursive procedure is not supported
        "#]],
    );
}

#[test]
fn runaway_models_are_refused() {
    check(
        "let w = fun f -> f f\nlet x = w w",
        expect![[r#"
        test.cat:1:18: error: calls nest too deeply here
    "#]],
    );
    check(
        &format!("empty {}po{}", "(".repeat(10_000), ")".repeat(10_000)),
        expect![[r#"
        test.cat:1:71: error: this nests too deeply
    "#]],
    );
    check(
        &format!("empty {}po", "~".repeat(10_000)),
        expect![[r#"
        test.cat:1:71: error: this nests too deeply
    "#]],
    );
    check(
        &format!("empty po{}", "^-1 | po".repeat(10_000)),
        expect![[r#"
        test.cat:1:7: error: this expression is too deep when names are expanded
    "#]],
    );
    let mut doubling = String::from("let f x = x; x\n");
    (0..40).for_each(|_| doubling.push_str("let f x = f (f x)\n"));
    check(
        &format!("{doubling}let y = f po"),
        expect![[r#"
        test.cat:1:11: error: this expression is too deep when names are expanded
    "#]],
    );
    check(
        &"let a = po\n".repeat(20_000),
        expect![[r#"
        test.cat:9980:5: error: this model has too many definitions
    "#]],
    );
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
              note: there are instruction, access, load, store, fence, ll_fence, ls_fence, sl_fence, ss_fence, al_fence, ddl_fence, cd_fence, has_seed, seed, aliased, program_order, atomic, data_dependent, control_dependent, coherence
            test.mm:3:37: error: `aliased` is predefined as `relation aliased(access, access)`
            test.mm:3:72: error: `has_seed` is predefined as `predicate has_seed(load)`, not on `store`
            test.mm:3:83: error: `load` is predefined as `predicate load(access)`
            test.mm:3:83: error: `load` is declared twice
            test.mm:3:92: error: there is no predefined symbol `X`
              note: there are instruction, access, load, store, fence, ll_fence, ls_fence, sl_fence, ss_fence, al_fence, ddl_fence, cd_fence, has_seed, seed, aliased, program_order, atomic, data_dependent, control_dependent, coherence
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
        test.mm:1:10: error: expected `predefined`, `exists`, `forall`, `require` or `end model`, found `nothing`
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

// Shipped models.

fn shipped_model(name: &str) -> String {
    let (file, text) = shipped().iter().find(|(file, _)| *file == name).unwrap();
    describe(&load(file, text, &|_| None).unwrap_or_else(|errors| panic!("{errors}")))
}

#[test]
fn shipped_models_load_and_have_headers() {
    for (file, text) in shipped() {
        let model = load(file, text, &|_| None).unwrap_or_else(|errors| panic!("{errors}"));
        let header = header(text);
        assert!(header.name.starts_with(&format!("{}: ", model.name)), "{file}: {header:?}");
        assert!(![header.source, header.deviations, header.relation].contains(&""), "{file}: {header:?}");
        assert_eq!(text.lines().take(4).filter(|line| line.starts_with("// ")).count(), 4, "{file}");
        let mut names: Vec<&str> = model.axioms.iter().map(|axiom| axiom.name.as_str()).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "{file}: an axiom's name is used twice");
    }
}

#[test]
fn shipped_cat_models_mean() {
    expect![[r#"
        model sc
        let coe = co & ext
        let fre = fr & ext
        let com = rf | co | fr
        let turn = po | rmw | com
        require atomicity: empty rmw & (fre; coe)
        require sc: acyclic turn | atomic-block; turn \ atomic-block
    "#]]
    .assert_eq(&shipped_model("sc.cat"));
    expect![[r#"
        model tso
        let po-loc = po & loc
        let rfe = rf & ext
        let coe = co & ext
        let fre = fr & ext
        let com = rf | co | fr
        let ppo = W; po; W | R; po; M
        let fence = W; po; SL; po; R
        let implied = W; po; R & (M & (X | domain(atomic-block \ id))) | W & (M & (X | domain(atomic-block \ id))); po; R
        let inside = rmw | po & atomic-block
        let ghb = ppo | fence | implied | inside | rfe | co | fr
        require coherence: acyclic po-loc | rmw | com
        require atomicity: empty rmw & (fre; coe)
        require tso: acyclic ghb | atomic-block; ghb \ atomic-block
    "#]].assert_eq(&shipped_model("tso.cat"));
    expect![[r#"
        model pso
        let po-loc = po & loc
        let rfe = rf & ext
        let coe = co & ext
        let fre = fr & ext
        let com = rf | co | fr
        let ppo = R; po; M
        let fence = W; po; SL; po; R | W; po; SS; po; W
        let implied = W; po; M & (X | domain(atomic-block \ id)) | W & (M & (X | domain(atomic-block \ id))); po; M
        let inside = rmw | po & atomic-block
        let ghb = ppo | fence | implied | inside | rfe | co | fr
        require coherence: acyclic po-loc | rmw | com
        require atomicity: empty rmw & (fre; coe)
        require pso: acyclic ghb | atomic-block; ghb \ atomic-block
    "#]]
    .assert_eq(&shipped_model("pso.cat"));
    expect![[r#"
        model rc11
        let sb = po | rmw
        let mo = co
        let rb = fr
        let eco = (rf | mo | rb)^+
        let rs = W; (sb & loc | id); W & A; (rf; rmw)^*
        let sw = (W | F) & (REL | ACQ_REL | SC); (F; sb | id); rs; rf; R & A; (sb; F | id); (R | F) & (ACQ | ACQ_REL | SC)
        let hb = (sb | sw)^+
        let elsewhere = sb \ loc
        let scb = sb | elsewhere; hb; elsewhere | hb & loc | mo | rb
        let psc-base = (SC | F & SC; (hb | id)); scb; (SC | (hb | id); F & SC)
        let psc-fence = F & SC; (hb | hb; eco; hb); F & SC
        let psc = psc-base | psc-fence
        let conflict = (W * M | M * W) & loc & ext \ IW * M \ M * IW
        let race = conflict \ hb \ hb^-1 \ A * A
        require coherence: irreflexive hb; (eco | id)
        require atomicity: empty rmw & (rb; mo)
        require seq-cst: acyclic psc
        require no-thin-air: acyclic sb | rf
        flag data-race: ~empty race
        show hb: hb
        show eco: eco
        show psc: psc
    "#]].assert_eq(&shipped_model("rc11.cat"));
    expect![[r#"
        model c11
        let sb = po | rmw
        let mo = W & (A | IW); co; W & (A | IW)
        let rb = rf^-1; mo
        let after-fence = F; sb
        let before-fence = sb; F
        let continues = int | id * range(rmw)
        let rs = mo & continues \ (mo \ continues; mo)
        let start = IW * (M \ IW)
        let sw = start | ext & ((W | F) & (REL | ACQ_REL | SC); (after-fence | id); A & W; (rs | id); rf; A & R; (before-fence | id); ((R | F) & (ACQ | ACQ_REL | SC) | F & CON))
        let carries = (rf & sb | data | addr)^+
        let dob = ext & (W & ((W | F) & (REL | ACQ_REL | SC)); (rs | id); rf; R & CON); (carries | id)
        let across = sw | dob | sw; sb
        let hb = sb | (across | sb; across)^+
        let hb-loc = hb & loc
        let visible = hb-loc & W * R \ (hb-loc; W; hb-loc)
        let scp = hb | (after-fence | id); mo; (before-fence | id) | rf^-1; SC; mo | rf^-1; hb-loc; W | after-fence; rb | rb; before-fence | after-fence; rb; before-fence
        let conflict = (W * M | M * W) & loc & ext
        let race = conflict \ hb \ hb^-1 \ A * A
        require happens-before: acyclic hb
        require coherence: irreflexive (rf^-1 | id); mo; (rf | id); hb
        require no-future-reads: irreflexive rf; hb
        require atomicity: empty rmw & (rb; mo)
        require plain-reads: empty (rf; R \ A) \ visible
        require plain-final: empty FW \ A; hb-loc; W
        require seq-cst: acyclic SC; scp \ id; SC
        flag data-race: ~empty race
        show hb: hb
        show mo: mo
    "#]].assert_eq(&shipped_model("c11.cat"));
}

#[test]
fn shipped_axiom_models_mean() {
    expect![[r#"
        model sc
        let access = M \ IW
        let load = R
        let store = W \ IW
        let has_seed = range(store; rf)
        let aliased = loc
        let program_order = po
        let atomic = atomic-block
        let coherence = co
        exists memory_order: a relation on access, access
        require T1, T2, T3: memory_order is a total order of access
        require M1: forall x6 in access. forall x7 in access. ~program_order(x6,x7) | memory_order(x6,x7)
        require v1: forall x8 in load. forall x9 in store. ~rf(x9,x8) | memory_order(x9,x8)
        require v2: forall x10 in load. forall x11 in store. forall x12 in store. ~(rf(x11,x10) & aliased(x10,x12) & memory_order(x12,x10) & ~x11 = x12) | memory_order(x12,x11)
        require v3: forall x13 in load. forall x14 in store. ~(aliased(x13,x14) & memory_order(x14,x13)) | has_seed(x13)
        require a1: forall x15 in access. forall x16 in access. forall x17 in access. ~(atomic(x15,x16) & program_order(x15,x16) & ~atomic(x16,x17) & memory_order(x15,x17)) | memory_order(x16,x17)
        require co: forall x18 in store. forall x19 in store. ~coherence(x18,x19) | memory_order(x18,x19)
    "#]].assert_eq(&shipped_model("sc.mm"));
    expect![[r#"
        model rmo
        let access = M \ IW
        let load = R
        let store = W \ IW
        let has_seed = range(store; rf)
        let aliased = loc
        let program_order = po
        let data_dependent = addr | data
        let control_dependent = ctrl
        let atomic = atomic-block
        let coherence = co
        let fence = F
        let ll_fence = LL
        let ls_fence = LS
        let sl_fence = SL
        let ss_fence = SS
        exists memory_order: a relation on access, access
        exists dependence_order: a relation on access, access
        require T1, T2, T3: memory_order is a total order of access
        require A1: forall x6 in load. forall x7 in access. ~(program_order(x6,x7) & dependence_order(x6,x7)) | memory_order(x6,x7)
        require A2_ll: forall x8 in fence. forall x9 in load. forall x10 in load. ~(ll_fence(x8) & program_order(x9,x8) & program_order(x8,x10)) | memory_order(x9,x10)
        require A2_ls: forall x11 in fence. forall x12 in load. forall x13 in store. ~(ls_fence(x11) & program_order(x12,x11) & program_order(x11,x13)) | memory_order(x12,x13)
        require A2_sl: forall x14 in fence. forall x15 in store. forall x16 in load. ~(sl_fence(x14) & program_order(x15,x14) & program_order(x14,x16)) | memory_order(x15,x16)
        require A2_ss: forall x17 in fence. forall x18 in store. forall x19 in store. ~(ss_fence(x17) & program_order(x18,x17) & program_order(x17,x19)) | memory_order(x18,x19)
        require A3: forall x20 in access. forall x21 in store. ~(program_order(x20,x21) & aliased(x20,x21)) | memory_order(x20,x21)
        require v1: forall x22 in load. forall x23 in store. ~rf(x23,x22) | (memory_order(x23,x22) | program_order(x23,x22))
        require v2: forall x24 in load. forall x25 in store. forall x26 in store. ~(rf(x25,x24) & aliased(x24,x26) & (memory_order(x26,x24) | program_order(x26,x24)) & ~x25 = x26) | memory_order(x26,x25)
        require v3: forall x27 in load. forall x28 in store. ~(aliased(x27,x28) & (memory_order(x28,x27) | program_order(x28,x27))) | has_seed(x27)
        require D1: forall x29 in access. forall x30 in store. ~(program_order(x29,x30) & control_dependent(x29,x30)) | dependence_order(x29,x30)
        require D2: forall x31 in access. forall x32 in access. ~(program_order(x31,x32) & data_dependent(x31,x32)) | dependence_order(x31,x32)
        require D3: forall x33 in store. forall x34 in load. ~(program_order(x33,x34) & aliased(x33,x34)) | dependence_order(x33,x34)
        require Dt: forall x35 in access. forall x36 in access. forall x37 in access. ~(program_order(x35,x36) & program_order(x36,x37) & dependence_order(x35,x36) & dependence_order(x36,x37)) | dependence_order(x35,x37)
        require a1: forall x38 in access. forall x39 in access. forall x40 in access. ~(atomic(x38,x39) & program_order(x38,x39) & ~atomic(x39,x40) & memory_order(x38,x40)) | memory_order(x39,x40)
        require a2: forall x41 in access. forall x42 in access. ~(atomic(x41,x42) & program_order(x41,x42)) | memory_order(x41,x42)
        require co: forall x43 in store. forall x44 in store. ~coherence(x43,x44) | memory_order(x43,x44)
    "#]].assert_eq(&shipped_model("rmo.mm"));
    expect![[r#"
        model relaxed
        let access = M \ IW
        let load = R
        let store = W \ IW
        let has_seed = range(store; rf)
        let aliased = loc
        let program_order = po
        let data_dependent = addr | data
        let control_dependent = ctrl
        let atomic = atomic-block
        let coherence = co
        let fence = F
        let ll_fence = LL
        let ls_fence = LS
        let sl_fence = SL
        let ss_fence = SS
        let al_fence = AL
        let ddl_fence = DDL
        let cd_fence = CD
        exists memory_order: a relation on access, access
        require T1, T2, T3: memory_order is a total order of access
        require M1: forall x6 in access. forall x7 in store. ~(program_order(x6,x7) & aliased(x6,x7)) | memory_order(x6,x7)
        require ll: forall x8 in fence. forall x9 in load. forall x10 in load. ~(ll_fence(x8) & program_order(x9,x8) & program_order(x8,x10)) | memory_order(x9,x10)
        require ls: forall x11 in fence. forall x12 in load. forall x13 in store. ~(ls_fence(x11) & program_order(x12,x11) & program_order(x11,x13)) | memory_order(x12,x13)
        require sl: forall x14 in fence. forall x15 in store. forall x16 in load. ~(sl_fence(x14) & program_order(x15,x14) & program_order(x14,x16)) | memory_order(x15,x16)
        require ss: forall x17 in fence. forall x18 in store. forall x19 in store. ~(ss_fence(x17) & program_order(x18,x17) & program_order(x17,x19)) | memory_order(x18,x19)
        require al: forall x20 in fence. forall x21 in load. forall x22 in load. ~(al_fence(x20) & program_order(x21,x20) & program_order(x20,x22) & aliased(x21,x22)) | memory_order(x21,x22)
        require dd: forall x23 in fence. forall x24 in load. forall x25 in load. ~(ddl_fence(x23) & program_order(x24,x23) & program_order(x23,x25) & data_dependent(x24,x25)) | memory_order(x24,x25)
        require cd: forall x26 in fence. forall x27 in load. forall x28 in access. ~(cd_fence(x26) & program_order(x27,x26) & program_order(x26,x28) & control_dependent(x27,x28)) | memory_order(x27,x28)
        require v1: forall x29 in load. forall x30 in store. ~rf(x30,x29) | (memory_order(x30,x29) | program_order(x30,x29))
        require v2: forall x31 in load. forall x32 in store. forall x33 in store. ~(rf(x32,x31) & aliased(x31,x33) & (memory_order(x33,x31) | program_order(x33,x31)) & ~x32 = x33) | memory_order(x33,x32)
        require v3: forall x34 in load. forall x35 in store. ~(aliased(x34,x35) & (memory_order(x35,x34) | program_order(x35,x34))) | has_seed(x34)
        require a1: forall x36 in access. forall x37 in access. forall x38 in access. ~(atomic(x36,x37) & program_order(x36,x37) & ~atomic(x37,x38) & memory_order(x36,x38)) | memory_order(x37,x38)
        require a2: forall x39 in access. forall x40 in access. ~(atomic(x39,x40) & program_order(x39,x40)) | memory_order(x39,x40)
        require co: forall x41 in store. forall x42 in store. ~coherence(x41,x42) | memory_order(x41,x42)
    "#]].assert_eq(&shipped_model("relaxed.mm"));
}
