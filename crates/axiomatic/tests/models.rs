//! The model languages: a model's text in, its meaning or its errors out.

use axiomatic::model::{Shape, cat, describe, header, load, mm, shipped};
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

/// Reads a model with families and makes it for a program of `[threads, locations, executions]`.
fn check_family(shape: [usize; 3], text: &str, expected: Expect) {
    let [threads, locations, executions] = shape;
    expected.assert_eq(&match mm::load("test.mm", text) {
        Ok(model) => describe(&model.instantiate(Shape { threads, locations, executions })),
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
            let mfence = po; MFENCE; po
            let invrf = rf^-1
            let atom = X | A
            let fr = (invrf; co) \ id
            let fre = fr & ext
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
        "enum E = 'a || 'b\nenum D = 'b\nlet x = 'c\nforall x in W do empty x end\nlet m = match 'a with || 'b -> po end\n\
         let z = W ++ R\nassert po\ninstructions R[{'a}]\nlet rec f x = po and g = g | f po\nlet rec a = po | ~a\n\
         let rec b = po \\ c and c = rf \\ b\nwith lo from generate_orders(R, po)\n\
         let i = if W in R then po else rf\nforall c in classes-loc W do empty c end\nlet t = tag2events 'a\n\
         let one = match W with {} -> 0 || w ++ ws -> po end\nwith r from {po, rf}\n\
         let d = {po, rf} \\ {po}\nlet n = match (W, R) with _ -> po end\nlet s = match W with || {} -> po end",
        expect![[r#"
            test.cat:2:10: error: there is a tag `'b` already
            test.cat:3:9: error: no enumeration has the tag `'c`
            test.cat:4:13: error: `forall` over the events of a set is not supported
            test.cat:5:15: error: no clause is for the tag `'a`
            test.cat:6:14: error: a set of events among sets given by their elements is not supported
            test.cat:7:1: error: `assert` is not supported
            test.cat:8:1: error: `instructions` is not supported
            test.cat:9:9: error: a recursive function beside recursive relations, or a recursive tuple is not supported
            test.cat:10:9: error: recursion of `a` through a complement or difference is not supported
            test.cat:11:9: error: recursion of `b` through a complement or difference is not supported
            test.cat:11:24: error: recursion of `c` through a complement or difference is not supported
            test.cat:12:14: error: an order for each location of anything but writes is not supported
            test.cat:13:12: error: this condition is not supported
            test.cat:14:13: error: the set of classes of a relation is not supported
            test.cat:15:9: error: `tag2events`, as no program here has tags, is not supported
            test.cat:16:35: error: taking an event out of a set is not supported
            test.cat:17:13: error: a choice from anything but orders is not supported
            test.cat:18:9: error: an intersection or difference of sets of anything but tags is not supported
            test.cat:19:15: error: expected a tag or a set, found a tuple of 2
            test.cat:20:15: error: one clause is for the empty set, the other for those with elements
        "#]],
    );
}

#[test]
fn sets_may_be_given_by_their_elements() {
    check(
        "enum Order = 'weak || 'strong || 'both\nlet of o = match o with || 'weak -> po-loc || 'strong -> po || _ -> 0 end\n\
         let rec all os = match os with {} -> 0 || o ++ rest -> of o | all rest end\n\
         acyclic all {'weak, 'strong} as two\nacyclic all (Order \\ {'strong}) as one\nempty all {} as none\n\
         forall o in 'weak ++ {'strong} do irreflexive of o as each end\n\
         forall r in map (fun o -> of o; rf) {'weak, 'weak} do acyclic r as once end\n\
         forall r in {po, rf} | {co, po} do empty r end",
        expect![[r#"
            model test
            let po-loc = po & loc
            require two: acyclic po-loc | po
            require one: acyclic po-loc
            require none: empty 0
            require each: irreflexive po-loc
            require each: irreflexive po
            require once: acyclic po-loc; rf
            require r: empty po
            require empty-2: empty rf
            require empty-3: empty co
        "#]],
    );
    // Functions that call each other, and procedures that call themselves.
    check(
        "let rec even s = match s with {} -> po || _ ++ s -> odd s end and odd = fun s -> match s with {} -> rf || _ ++ s -> even s end\n\
         enum E = 'a || 'b || 'c\nempty even E as odd-number\nempty even {'a, 'b} as even-number\n\
         let first s = match s with {} -> {} || one ++ _ -> {one} end\nlet others s = match s with {} -> {} || _ ++ s -> s end\n\
         procedure rec ordered(s) = forall r in first s do acyclic r as one call ordered(others s) end end\n\
         call ordered({po, rf})",
        expect![[r#"
            model test
            require odd-number: empty rf
            require even-number: empty po
            require one: acyclic po
            require one: acyclic rf
        "#]],
    );
    // What depends on the execution is decided there.
    check(
        "let sync = match F & SC with {} -> po-loc || _ ++ _ -> po end\nacyclic sync | rf as a\n\
         let full = if W = IW then 0 else co\nempty full as b\nlet S = if domain rf subset IW then W else R\nempty [S]; po as c\n\
         enum E = 'a || 'b\nempty (if 'a in E then po else rf) as d\nempty (if {'a} = E then po else rf) as e",
        expect![[r#"
            model test
            let po-loc = po & loc
            let sync = po & (~0; F & SC; ~0) | po-loc \ (~0; F & SC; ~0)
            let full = co & (~0; (W \ IW | IW \ W); ~0)
            require a: acyclic sync | rf
            require b: empty full
            require c: empty (R & (~0; domain(rf) \ IW; ~0) | W \ (~0; domain(rf) \ IW; ~0)); po
            require d: empty po
            require e: empty rf
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
            test.cat:9976:5: error: this model has too many definitions
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
        let turn = po | rmw | com | ends-before
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
        let implied = W; po; R & (M & (X | W & V & SC | domain(atomic-block \ id))) | W & (M & (X | W & V & SC | domain(atomic-block \ id))); po; R
        let inside = rmw | po & atomic-block
        let ghb = ppo | fence | implied | inside | rfe | co | fr | (po | id); ends-before; (po | id)
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
        let implied = W; po; M & (X | W & V & SC | domain(atomic-block \ id)) | W & (M & (X | W & V & SC | domain(atomic-block \ id))); po; M
        let inside = rmw | po & atomic-block
        let ghb = ppo | fence | implied | inside | rfe | co | fr | (po | id); ends-before; (po | id)
        let order = ghb | atomic-block; ghb \ atomic-block
        let later = order^+
        require coherence: acyclic po-loc | rmw | com
        require atomicity: empty rmw & (fre; coe)
        require pso: acyclic order
        flag late-store: ~empty frees \ later \ later^-1
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
        flag unordered-allocation: ~empty allocates \ hb
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
        let final_field = FINAL
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
        require ff: forall x29 in load. forall x30 in load. ~(data_dependent(x29,x30) & (final_field(x29) | final_field(x30))) | memory_order(x29,x30)
        require v1: forall x31 in load. forall x32 in store. ~rf(x32,x31) | (memory_order(x32,x31) | program_order(x32,x31))
        require v2: forall x33 in load. forall x34 in store. forall x35 in store. ~(rf(x34,x33) & aliased(x33,x35) & (memory_order(x35,x33) | program_order(x35,x33)) & ~x34 = x35) | memory_order(x35,x34)
        require v3: forall x36 in load. forall x37 in store. ~(aliased(x36,x37) & (memory_order(x37,x36) | program_order(x37,x36))) | has_seed(x36)
        require a1: forall x38 in access. forall x39 in access. forall x40 in access. ~(atomic(x38,x39) & program_order(x38,x39) & ~atomic(x39,x40) & memory_order(x38,x40)) | memory_order(x39,x40)
        require a2: forall x41 in access. forall x42 in access. ~(atomic(x41,x42) & program_order(x41,x42)) | memory_order(x41,x42)
        require co: forall x43 in store. forall x44 in store. ~coherence(x43,x44) | memory_order(x43,x44)
    "#]].assert_eq(&shipped_model("relaxed.mm"));
}

#[test]
fn shipped_models_with_families_mean() {
    let shipped_family = |name: &str, shape| {
        let (_, text) = shipped().iter().find(|(file, _)| *file == name).expect("a shipped model");
        move |expected| check_family(shape, text, expected)
    };
    shipped_family("coherence.mm", [2, 2, 0])(expect![[r#"
        model coherence
        let action = id
        let read = R
        let write = W
        let initial = IW
        let program_order = po
        let ends_before = ends-before
        let coherence = co
        let access = read | write
        let earlier = program_order | initial * (action \ initial) | (program_order; ends_before)^+; program_order
        let at#0 = location#0
        let at#1 = location#1
        exists ord#0: a linearisation of access & at#0 with 0
        exists ord#1: a linearisation of access & at#1 with 0
        require program-order: (empty earlier & (access & at#0) * (access & at#0) \ ord#0) & (empty earlier & (access & at#1) * (access & at#1) \ ord#1)
        require read-value: no later write: (forall x0 in read. forall x1 in write. ~rf(x1,x0) | ~ord#0(x0,x1)) & (forall x2 in read. forall x3 in write. ~rf(x3,x2) | ~ord#1(x2,x3))
        require read-value: no overwritten write: (forall x4 in read. forall x5 in write. forall x6 in write. ~(rf(x5,x4) & ord#0(x5,x6) & ord#0(x6,x4))) & (forall x7 in read. forall x8 in write. forall x9 in write. ~(rf(x8,x7) & ord#1(x8,x9) & ord#1(x9,x7)))
        require final-value: (empty coherence & at#0 * at#0 \ ord#0) & (empty coherence & at#1 * at#1 \ ord#1)
    "#]]);
    shipped_family("pram.mm", [2, 1, 0])(expect![[r#"
        model pram
        let action = id
        let read = R
        let write = W
        let initial = IW
        let program_order = po
        let ends_before = ends-before
        let same_location = loc
        let earlier = program_order | initial * (action \ initial) | (program_order; ends_before)^+; program_order
        let of#0 = thread#0
        let view#0 = read & of#0 | write
        let of#1 = thread#1
        let view#1 = read & of#1 | write
        exists ord#0: a linearisation of view#0 with 0
        exists ord#1: a linearisation of view#1 with 0
        require program-order: (empty earlier & view#0 * view#0 \ ord#0) & (empty earlier & view#1 * view#1 \ ord#1)
        require read-value: no later write: (forall x0 in read. forall x1 in write. ~rf(x1,x0) | ~ord#0(x0,x1)) & (forall x2 in read. forall x3 in write. ~rf(x3,x2) | ~ord#1(x2,x3))
        require read-value: no overwritten write: (forall x4 in read. forall x5 in write. forall x6 in write. ~(rf(x5,x4) & same_location(x5,x6) & ord#0(x5,x6) & ord#0(x6,x4))) & (forall x7 in read. forall x8 in write. forall x9 in write. ~(rf(x8,x7) & same_location(x8,x9) & ord#1(x8,x9) & ord#1(x9,x7)))
    "#]]);
    shipped_family("causal.mm", [2, 1, 0])(expect![[r#"
        model causal
        let action = id
        let read = R
        let write = W
        let initial = IW
        let program_order = po
        let ends_before = ends-before
        let same_location = loc
        let access = read | write
        let earlier = program_order | initial * (action \ initial) | (program_order; ends_before)^+; program_order
        let of#0 = thread#0
        let of#1 = thread#1
        exists ord#0: a linearisation of access with 0
        exists ord#1: a linearisation of access with 0
        require program-order: (empty earlier & access * access \ ord#0) & (empty earlier & access * access \ ord#1)
        require write-into: (forall x0 in read. forall x1 in write. ~rf(x1,x0) | ord#0(x1,x0)) & (forall x2 in read. forall x3 in write. ~rf(x3,x2) | ord#1(x3,x2))
        require read-value: no overwritten write: (forall x4 in read. forall x5 in write. forall x6 in write. ~(of#0(x4) & rf(x5,x4) & same_location(x5,x6) & ord#0(x5,x6) & ord#0(x6,x4))) & (forall x7 in read. forall x8 in write. forall x9 in write. ~(of#1(x7) & rf(x8,x7) & same_location(x8,x9) & ord#1(x8,x9) & ord#1(x9,x7)))
    "#]]);
    shipped_family("pc.mm", [2, 1, 0])(expect![[r#"
        model pc
        let action = id
        let read = R
        let write = W
        let initial = IW
        let program_order = po
        let ends_before = ends-before
        let same_location = loc
        let coherence = co
        let earlier = program_order | initial * (action \ initial) | (program_order; ends_before)^+; program_order
        let of#0 = thread#0
        let view#0 = read & of#0 | write
        let of#1 = thread#1
        let view#1 = read & of#1 | write
        exists ord#0: a linearisation of view#0 with 0
        exists ord#1: a linearisation of view#1 with 0
        require program-order: (empty earlier & view#0 * view#0 \ ord#0) & (empty earlier & view#1 * view#1 \ ord#1)
        require read-value: no later write: (forall x0 in read. forall x1 in write. ~rf(x1,x0) | ~ord#0(x0,x1)) & (forall x2 in read. forall x3 in write. ~rf(x3,x2) | ~ord#1(x2,x3))
        require read-value: no overwritten write: (forall x4 in read. forall x5 in write. forall x6 in write. ~(rf(x5,x4) & same_location(x5,x6) & ord#0(x5,x6) & ord#0(x6,x4))) & (forall x7 in read. forall x8 in write. forall x9 in write. ~(rf(x8,x7) & same_location(x8,x9) & ord#1(x8,x9) & ord#1(x9,x7)))
        require common-write-order: (empty coherence \ ord#0) & (empty coherence \ ord#1)
    "#]]);
    shipped_family("jmm-revised.mm", [2, 1, 1])(expect![[r#"
        model jmm-revised
        let action = executed
        let read = R
        let write = W
        let initial = IW
        let volatile = V
        let lock = L
        let unlock = U
        let thread_start = S
        let thread_end = E
        let program_order = po
        let same_location = loc
        let same_monitor = monitor
        let ends_before = ends-before
        let memory_chain = memory-chain
        let synchronisation = volatile \ initial | lock | unlock | thread_start | thread_end
        let volatile@1 = V@1
        let initial@1 = IW@1
        let lock@1 = L@1
        let unlock@1 = U@1
        let thread_start@1 = S@1
        let thread_end@1 = E@1
        let synchronisation@1 = volatile@1 \ initial@1 | lock@1 | unlock@1 | thread_start@1 | thread_end@1
        let sw = so & (unlock * lock & same_monitor | write * read & same_location | ends_before) | initial * thread_start
        let same_monitor@1 = monitor@1
        let write@1 = W@1
        let read@1 = R@1
        let same_location@1 = loc@1
        let ends_before@1 = ends-before@1
        let sw@1 = so@1 & (unlock@1 * lock@1 & same_monitor@1 | write@1 * read@1 & same_location@1 | ends_before@1) | initial@1 * thread_start@1
        let across = (sw | synchronisation; program_order; sw)^+
        let program_order@1 = po@1
        let across@1 = (sw@1 | synchronisation@1; program_order@1; sw@1)^+
        let hb = program_order | (program_order | id); across; (program_order | id)
        let hb@1 = program_order@1 | (program_order@1 | id); across@1; (program_order@1 | id)
        let frozen = (domain(freezes); hb; memory_chain^+) & freezes
        let memory_chain@1 = memory-chain@1
        let frozen@1 = (domain(freezes@1); hb@1; memory_chain@1^+) & freezes@1
        let guaranteed = hb; frozen; (dereferences^+ | id)
        let guaranteed@1 = hb@1; frozen@1; (dereferences@1^+ | id)
        let location_agrees@1 = same-location@1
        let action@1 = executed@1
        let value_agrees@1 = same-value@1
        exists committed@0: a relation on action
        exists committed@1: a relation on action
        exists so: a linearisation of synchronisation with 0
        exists so@1: a linearisation of synchronisation@1 with 0
        require synchronisation-order: (empty (program_order & synchronisation * synchronisation | ends_before) \ so) & (empty (program_order@1 & synchronisation@1 * synchronisation@1 | ends_before@1) \ so@1)
        require proper-locking: (forall x0 in lock. forall x1 in unlock. forall x2 in lock. ~(matching(x0,x1) & same_monitor(x0,x2) & so(x0,x2) & ~program_order(x0,x2)) | so(x1,x2)) & (forall x3 in lock@1. forall x4 in unlock@1. forall x5 in lock@1. ~(matching@1(x3,x4) & same_monitor@1(x3,x5) & so@1(x3,x5) & ~program_order@1(x3,x5)) | so@1(x4,x5))
        require volatile-read: no later write: (forall x6 in read. forall x7 in write. ~rf(x7,x6) | ~so(x6,x7)) & (forall x8 in read@1. forall x9 in write@1. ~rf@1(x9,x8) | ~so@1(x8,x9))
        require volatile-read: the last write: (forall x10 in read. forall x11 in write. forall x12 in write. ~(rf(x11,x10) & same_location(x12,x10) & so(x12,x10) & ~x12 = x11) | so(x12,x11)) & (forall x13 in read@1. forall x14 in write@1. forall x15 in write@1. ~(rf@1(x14,x13) & same_location@1(x15,x13) & so@1(x15,x13) & ~x15 = x14) | so@1(x15,x14))
        require happens-before-read: no later write: (forall x16 in read. forall x17 in write. ~rf(x17,x16) | ~hb(x16,x17)) & (forall x18 in read@1. forall x19 in write@1. ~rf@1(x19,x18) | ~hb@1(x18,x19))
        require happens-before-read: no overwritten write: (forall x20 in read. forall x21 in write. forall x22 in write. ~(rf(x21,x20) & same_location(x22,x20) & hb(x21,x22) & (hb(x22,x20) | guaranteed(x22,x20)))) & (forall x23 in read@1. forall x24 in write@1. forall x25 in write@1. ~(rf@1(x24,x23) & same_location@1(x25,x23) & hb@1(x24,x25) & (hb@1(x25,x23) | guaranteed@1(x25,x23))))
        require commit: nothing at first: empty committed@0
        require commit: more and more: empty committed@0 \ committed@1
        require commit: all at last: empty action \ committed@1
        require commit: same location and monitor: empty committed@1 \ location_agrees@1
        require jmm-rule-1: committed actions are executed: empty committed@1 \ action@1
        require jmm-rule-2: committed reads and happens-before: forall x26 in read. forall x27 in write. ~(committed@1(x26) & rf(x27,x26)) | ((~hb(x27,x26) | hb@1(x27,x26)) & (~hb@1(x27,x26) | hb(x27,x26)) & ~hb@1(x26,x27))
        require jmm-rule-4: committed writes write the same: empty committed@1 & write \ value_agrees@1
        require jmm-rule-5: earlier committed reads see the same: forall x28 in read. forall x29 in write. ~(committed@0(x28) & rf(x29,x28)) | rf@1(x29,x28)
        require jmm-rule-6: other reads see writes that happen before: forall x30 in read@1. forall x31 in write@1. ~rf@1(x31,x30) | committed@0(x30) | hb@1(x31,x30) | guaranteed@1(x31,x30)
        require jmm-rule-7: committed reads see committed writes: forall x32 in read. forall x33 in write. ~(committed@1(x32) & rf(x33,x32)) | committed@0(x32) | committed@0(x33)
        require jmm-rule-9: special actions and what happens before: forall x34 in action. forall x35 in action. ~(committed@1(x34) & special(x34) & hb(x35,x34)) | committed@1(x35)
        show sw: sw
        show sw@1: sw@1
        show hb: hb
        show hb@1: hb@1
    "#]]);
    shipped_family("jmm-original.mm", [2, 1, 2])(expect![[r#"
        model jmm-original
        let action = executed
        let read = R
        let write = W
        let initial = IW
        let volatile = V
        let lock = L
        let unlock = U
        let thread_start = S
        let thread_end = E
        let program_order = po
        let same_location = loc
        let same_monitor = monitor
        let ends_before = ends-before
        let memory_chain = memory-chain
        let synchronisation = volatile \ initial | lock | unlock | thread_start | thread_end
        let volatile@1 = V@1
        let initial@1 = IW@1
        let lock@1 = L@1
        let unlock@1 = U@1
        let thread_start@1 = S@1
        let thread_end@1 = E@1
        let synchronisation@1 = volatile@1 \ initial@1 | lock@1 | unlock@1 | thread_start@1 | thread_end@1
        let volatile@2 = V@2
        let initial@2 = IW@2
        let lock@2 = L@2
        let unlock@2 = U@2
        let thread_start@2 = S@2
        let thread_end@2 = E@2
        let synchronisation@2 = volatile@2 \ initial@2 | lock@2 | unlock@2 | thread_start@2 | thread_end@2
        let sw = so & (unlock * lock & same_monitor | write * read & same_location | ends_before) | initial * thread_start
        let same_monitor@1 = monitor@1
        let write@1 = W@1
        let read@1 = R@1
        let same_location@1 = loc@1
        let ends_before@1 = ends-before@1
        let sw@1 = so@1 & (unlock@1 * lock@1 & same_monitor@1 | write@1 * read@1 & same_location@1 | ends_before@1) | initial@1 * thread_start@1
        let same_monitor@2 = monitor@2
        let write@2 = W@2
        let read@2 = R@2
        let same_location@2 = loc@2
        let ends_before@2 = ends-before@2
        let sw@2 = so@2 & (unlock@2 * lock@2 & same_monitor@2 | write@2 * read@2 & same_location@2 | ends_before@2) | initial@2 * thread_start@2
        let across = (sw | synchronisation; program_order; sw)^+
        let program_order@1 = po@1
        let across@1 = (sw@1 | synchronisation@1; program_order@1; sw@1)^+
        let program_order@2 = po@2
        let across@2 = (sw@2 | synchronisation@2; program_order@2; sw@2)^+
        let hb = program_order | (program_order | id); across; (program_order | id)
        let hb@1 = program_order@1 | (program_order@1 | id); across@1; (program_order@1 | id)
        let hb@2 = program_order@2 | (program_order@2 | id); across@2; (program_order@2 | id)
        let fresh@1 = committed@1 \ committed@0
        let fresh@2 = committed@2 \ committed@1
        let before_fresh@1 = domain(synchronisation@1; (hb@1 | id); fresh@1)
        let before_fresh@2 = domain(synchronisation@2; (hb@2 | id); fresh@2)
        let ssw@1 = sw@1 \ program_order@1 \ sw@1 & (hb@1; hb@1)
        let ssw@2 = sw@2 \ program_order@2 \ sw@2 & (hb@2; hb@2)
        let frozen = (domain(freezes); hb; memory_chain^+) & freezes
        let memory_chain@1 = memory-chain@1
        let frozen@1 = (domain(freezes@1); hb@1; memory_chain@1^+) & freezes@1
        let memory_chain@2 = memory-chain@2
        let frozen@2 = (domain(freezes@2); hb@2; memory_chain@2^+) & freezes@2
        let guaranteed = hb; frozen; (dereferences^+ | id)
        let guaranteed@1 = hb@1; frozen@1; (dereferences@1^+ | id)
        let guaranteed@2 = hb@2; frozen@2; (dereferences@2^+ | id)
        let location_agrees@1 = same-location@1
        let location_agrees@2 = same-location@2
        let action@1 = executed@1
        let action@2 = executed@2
        let value_agrees@1 = same-value@1
        let value_agrees@2 = same-value@2
        exists committed@0: a relation on action
        exists committed@1: a relation on action
        exists committed@2: a relation on action
        exists so: a linearisation of synchronisation with 0
        exists so@1: a linearisation of synchronisation@1 with 0
        exists so@2: a linearisation of synchronisation@2 with 0
        require synchronisation-order: (empty (program_order & synchronisation * synchronisation | ends_before) \ so) & (empty (program_order@1 & synchronisation@1 * synchronisation@1 | ends_before@1) \ so@1) & (empty (program_order@2 & synchronisation@2 * synchronisation@2 | ends_before@2) \ so@2)
        require proper-locking: (forall x0 in lock. forall x1 in unlock. forall x2 in lock. ~(matching(x0,x1) & same_monitor(x0,x2) & so(x0,x2) & ~program_order(x0,x2)) | so(x1,x2)) & (forall x3 in lock@1. forall x4 in unlock@1. forall x5 in lock@1. ~(matching@1(x3,x4) & same_monitor@1(x3,x5) & so@1(x3,x5) & ~program_order@1(x3,x5)) | so@1(x4,x5)) & (forall x6 in lock@2. forall x7 in unlock@2. forall x8 in lock@2. ~(matching@2(x6,x7) & same_monitor@2(x6,x8) & so@2(x6,x8) & ~program_order@2(x6,x8)) | so@2(x7,x8))
        require volatile-read: no later write: (forall x9 in read. forall x10 in write. ~rf(x10,x9) | ~so(x9,x10)) & (forall x11 in read@1. forall x12 in write@1. ~rf@1(x12,x11) | ~so@1(x11,x12)) & (forall x13 in read@2. forall x14 in write@2. ~rf@2(x14,x13) | ~so@2(x13,x14))
        require volatile-read: the last write: (forall x15 in read. forall x16 in write. forall x17 in write. ~(rf(x16,x15) & same_location(x17,x15) & so(x17,x15) & ~x17 = x16) | so(x17,x16)) & (forall x18 in read@1. forall x19 in write@1. forall x20 in write@1. ~(rf@1(x19,x18) & same_location@1(x20,x18) & so@1(x20,x18) & ~x20 = x19) | so@1(x20,x19)) & (forall x21 in read@2. forall x22 in write@2. forall x23 in write@2. ~(rf@2(x22,x21) & same_location@2(x23,x21) & so@2(x23,x21) & ~x23 = x22) | so@2(x23,x22))
        require happens-before-read: no later write: (forall x24 in read. forall x25 in write. ~rf(x25,x24) | ~hb(x24,x25)) & (forall x26 in read@1. forall x27 in write@1. ~rf@1(x27,x26) | ~hb@1(x26,x27)) & (forall x28 in read@2. forall x29 in write@2. ~rf@2(x29,x28) | ~hb@2(x28,x29))
        require happens-before-read: no overwritten write: (forall x30 in read. forall x31 in write. forall x32 in write. ~(rf(x31,x30) & same_location(x32,x30) & hb(x31,x32) & (hb(x32,x30) | guaranteed(x32,x30)))) & (forall x33 in read@1. forall x34 in write@1. forall x35 in write@1. ~(rf@1(x34,x33) & same_location@1(x35,x33) & hb@1(x34,x35) & (hb@1(x35,x33) | guaranteed@1(x35,x33)))) & (forall x36 in read@2. forall x37 in write@2. forall x38 in write@2. ~(rf@2(x37,x36) & same_location@2(x38,x36) & hb@2(x37,x38) & (hb@2(x38,x36) | guaranteed@2(x38,x36))))
        require commit: nothing at first: empty committed@0
        require commit: more and more: (empty committed@0 \ committed@1) & (empty committed@1 \ committed@2)
        require commit: all at last: empty action \ committed@2
        require commit: same location and monitor: (empty committed@1 \ location_agrees@1) & (empty committed@2 \ location_agrees@2)
        require jmm-rule-1: committed actions are executed: (empty committed@1 \ action@1) & (empty committed@2 \ action@2)
        require jmm-rule-2: committed happens-before agrees: (forall x39 in action. forall x40 in action. ~(committed@1(x39) & committed@1(x40)) | ((~hb@1(x39,x40) | hb(x39,x40)) & (~hb(x39,x40) | hb@1(x39,x40)))) & (forall x41 in action. forall x42 in action. ~(committed@2(x41) & committed@2(x42)) | ((~hb@2(x41,x42) | hb(x41,x42)) & (~hb(x41,x42) | hb@2(x41,x42))))
        require jmm-rule-3: committed synchronisation order agrees: (forall x43 in action. forall x44 in action. ~(committed@1(x43) & committed@1(x44)) | ((~so@1(x43,x44) | so(x43,x44)) & (~so(x43,x44) | so@1(x43,x44)))) & (forall x45 in action. forall x46 in action. ~(committed@2(x45) & committed@2(x46)) | ((~so@2(x45,x46) | so(x45,x46)) & (~so(x45,x46) | so@2(x45,x46))))
        require jmm-rule-4: committed writes write the same: (empty committed@1 & write \ value_agrees@1) & (empty committed@2 & write \ value_agrees@2)
        require jmm-rule-5: earlier committed reads see the same: (forall x47 in read. forall x48 in write. ~(committed@0(x47) & rf(x48,x47)) | rf@1(x48,x47)) & (forall x49 in read. forall x50 in write. ~(committed@1(x49) & rf(x50,x49)) | rf@2(x50,x49))
        require jmm-rule-6: other reads see writes that happen before: (forall x51 in read@1. forall x52 in write@1. ~rf@1(x52,x51) | committed@0(x51) | hb@1(x52,x51) | guaranteed@1(x52,x51)) & (forall x53 in read@2. forall x54 in write@2. ~rf@2(x54,x53) | committed@1(x53) | hb@2(x54,x53) | guaranteed@2(x54,x53))
        require jmm-rule-7: committed reads see committed writes: (forall x55 in read. forall x56 in write. ~(fresh@1(x55) & rf(x56,x55)) | committed@0(x56)) & (forall x57 in read. forall x58 in write@1. ~(fresh@1(x57) & rf@1(x58,x57)) | committed@0(x58)) & (forall x59 in read. forall x60 in write. ~(fresh@2(x59) & rf(x60,x59)) | committed@1(x60)) & (forall x61 in read. forall x62 in write@2. ~(fresh@2(x61) & rf@2(x62,x61)) | committed@1(x62))
        require jmm-rule-8: sufficient synchronisation stays: (empty (ssw@1; before_fresh@1) \ sw@1) & (empty (ssw@1; before_fresh@1) \ sw@2) & (empty (ssw@2; before_fresh@2) \ sw@2)
        require jmm-rule-9: special actions that happen before: (forall x63 in action. forall x64 in action@1. ~(committed@1(x63) & special@1(x64) & hb@1(x64,x63)) | committed@1(x64)) & (forall x65 in action. forall x66 in action@2. ~(committed@2(x65) & special@2(x66) & hb@2(x66,x65)) | committed@2(x66))
        show sw: sw
        show sw@1: sw@1
        show sw@2: sw@2
        show hb: hb
        show hb@1: hb@1
        show hb@2: hb@2
    "#]]);
}
