//! Models in cat.

use axiomatic::model::{cat, describe};
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
         let z = W ++ R\nassert po\ndefault R['a]\nlet rec f x = po and g = g | f po\nlet rec a = po | ~a\n\
         let rec b = po \\ c and c = rf \\ b\nwith lo from generate_orders(R, po)\n\
         let i = if W in R then po else rf\nforall c in classes-loc W do empty c end\nlet t = tag2scope 'a\n\
         let one = match W with {} -> 0 || w ++ ws -> po end\nwith r from {po, rf}\n\
         let d = {po, rf} \\ {po}\nlet n = match (W, R) with _ -> po end\nlet s = match W with || {} -> po end",
        expect![[r#"
            test.cat:2:10: error: there is a tag `'b` already
            test.cat:3:9: error: no enumeration has the tag `'c`
            test.cat:5:15: error: no clause is for the tag `'a`
            test.cat:6:14: error: a set of events among sets given by their elements is not supported
            test.cat:7:1: error: `assert` is not supported
            test.cat:8:1: error: `default`: what stands without a tag has none here, and this is not supported
            test.cat:9:9: error: a recursive function beside recursive relations, or a recursive tuple is not supported
            test.cat:10:9: error: recursion of `a` through a complement or difference is not supported
            test.cat:11:9: error: recursion of `b` through a complement or difference is not supported
            test.cat:11:24: error: recursion of `c` through a complement or difference is not supported
            test.cat:12:14: error: an order for each location of anything but writes is not supported
            test.cat:13:12: error: this condition is not supported
            test.cat:15:9: error: `tag2scope`, as no program here has scopes, is not supported
            test.cat:16:17: error: taking an element out of a set but where a recursive function begins is not supported
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
            test.cat:9971:5: error: this model has too many definitions
        "#]],
    );
}
