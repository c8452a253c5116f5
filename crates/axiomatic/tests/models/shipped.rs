//! The shipped models.

use axiomatic::model::{describe, header, load, shipped};
use expect_test::expect;

use super::check_family;

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
        let seed = rf^-1
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
        require thin-air: acyclic seed^-1 | data_dependent
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
        let seed = rf^-1
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
        require thin-air: acyclic seed^-1 | data_dependent
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
        let lock = L
        let unlock = U
        let program_order = po
        let ends_before = ends-before
        let same_monitor = monitor
        let coherence = co
        let access = read | write
        let handed_on = turns & unlock * lock & same_monitor
        let earlier = program_order | initial * (action \ initial) | (program_order; (ends_before | handed_on))^+; program_order
        let at#0 = location#0
        let at#1 = location#1
        exists turns: a linearisation of lock | unlock with 0
        exists ord#0: a linearisation of access & at#0 with 0
        exists ord#1: a linearisation of access & at#1 with 0
        require proper-locking: program order: empty program_order & (lock | unlock) * (lock | unlock) \ turns
        require proper-locking: forall x0 in lock. forall x1 in unlock. forall x2 in lock. ~(matching(x0,x1) & same_monitor(x0,x2) & turns(x0,x2) & ~program_order(x0,x2)) | turns(x1,x2)
        require program-order: (empty earlier & (access & at#0) * (access & at#0) \ ord#0) & (empty earlier & (access & at#1) * (access & at#1) \ ord#1)
        require read-value: no later write: (forall x3 in read. forall x4 in write. ~rf(x4,x3) | ~ord#0(x3,x4)) & (forall x5 in read. forall x6 in write. ~rf(x6,x5) | ~ord#1(x5,x6))
        require read-value: no overwritten write: (forall x7 in read. forall x8 in write. forall x9 in write. ~(rf(x8,x7) & ord#0(x8,x9) & ord#0(x9,x7))) & (forall x10 in read. forall x11 in write. forall x12 in write. ~(rf(x11,x10) & ord#1(x11,x12) & ord#1(x12,x10)))
        require final-value: (empty coherence & at#0 * at#0 \ ord#0) & (empty coherence & at#1 * at#1 \ ord#1)
    "#]]);
    shipped_family("pram.mm", [2, 1, 0])(expect![[r#"
        model pram
        let action = id
        let read = R
        let write = W
        let initial = IW
        let lock = L
        let unlock = U
        let program_order = po
        let ends_before = ends-before
        let same_monitor = monitor
        let same_location = loc
        let handed_on = turns & unlock * lock & same_monitor
        let earlier = program_order | initial * (action \ initial) | (program_order; (ends_before | handed_on))^+; program_order
        let of#0 = thread#0
        let view#0 = read & of#0 | write
        let of#1 = thread#1
        let view#1 = read & of#1 | write
        exists turns: a linearisation of lock | unlock with 0
        exists ord#0: a linearisation of view#0 with 0
        exists ord#1: a linearisation of view#1 with 0
        require proper-locking: program order: empty program_order & (lock | unlock) * (lock | unlock) \ turns
        require proper-locking: forall x0 in lock. forall x1 in unlock. forall x2 in lock. ~(matching(x0,x1) & same_monitor(x0,x2) & turns(x0,x2) & ~program_order(x0,x2)) | turns(x1,x2)
        require program-order: (empty earlier & view#0 * view#0 \ ord#0) & (empty earlier & view#1 * view#1 \ ord#1)
        require read-value: no later write: (forall x3 in read. forall x4 in write. ~rf(x4,x3) | ~ord#0(x3,x4)) & (forall x5 in read. forall x6 in write. ~rf(x6,x5) | ~ord#1(x5,x6))
        require read-value: no overwritten write: (forall x7 in read. forall x8 in write. forall x9 in write. ~(rf(x8,x7) & same_location(x8,x9) & ord#0(x8,x9) & ord#0(x9,x7))) & (forall x10 in read. forall x11 in write. forall x12 in write. ~(rf(x11,x10) & same_location(x11,x12) & ord#1(x11,x12) & ord#1(x12,x10)))
    "#]]);
    shipped_family("causal.mm", [2, 1, 0])(expect![[r#"
        model causal
        let action = id
        let read = R
        let write = W
        let initial = IW
        let lock = L
        let unlock = U
        let program_order = po
        let ends_before = ends-before
        let same_monitor = monitor
        let same_location = loc
        let access = read | write
        let handed_on = turns & unlock * lock & same_monitor
        let earlier = program_order | initial * (action \ initial) | (program_order; (ends_before | handed_on))^+; program_order
        let of#0 = thread#0
        let of#1 = thread#1
        exists turns: a linearisation of lock | unlock with 0
        exists ord#0: a linearisation of access with 0
        exists ord#1: a linearisation of access with 0
        require proper-locking: program order: empty program_order & (lock | unlock) * (lock | unlock) \ turns
        require proper-locking: forall x0 in lock. forall x1 in unlock. forall x2 in lock. ~(matching(x0,x1) & same_monitor(x0,x2) & turns(x0,x2) & ~program_order(x0,x2)) | turns(x1,x2)
        require program-order: (empty earlier & access * access \ ord#0) & (empty earlier & access * access \ ord#1)
        require write-into: (forall x3 in read. forall x4 in write. ~rf(x4,x3) | ord#0(x4,x3)) & (forall x5 in read. forall x6 in write. ~rf(x6,x5) | ord#1(x6,x5))
        require read-value: no overwritten write: (forall x7 in read. forall x8 in write. forall x9 in write. ~(of#0(x7) & rf(x8,x7) & same_location(x8,x9) & ord#0(x8,x9) & ord#0(x9,x7))) & (forall x10 in read. forall x11 in write. forall x12 in write. ~(of#1(x10) & rf(x11,x10) & same_location(x11,x12) & ord#1(x11,x12) & ord#1(x12,x10)))
    "#]]);
    shipped_family("pc.mm", [2, 1, 0])(expect![[r#"
        model pc
        let action = id
        let read = R
        let write = W
        let initial = IW
        let lock = L
        let unlock = U
        let program_order = po
        let ends_before = ends-before
        let same_monitor = monitor
        let same_location = loc
        let coherence = co
        let handed_on = turns & unlock * lock & same_monitor
        let earlier = program_order | initial * (action \ initial) | (program_order; (ends_before | handed_on))^+; program_order
        let of#0 = thread#0
        let view#0 = read & of#0 | write
        let of#1 = thread#1
        let view#1 = read & of#1 | write
        exists turns: a linearisation of lock | unlock with 0
        exists ord#0: a linearisation of view#0 with 0
        exists ord#1: a linearisation of view#1 with 0
        require proper-locking: program order: empty program_order & (lock | unlock) * (lock | unlock) \ turns
        require proper-locking: forall x0 in lock. forall x1 in unlock. forall x2 in lock. ~(matching(x0,x1) & same_monitor(x0,x2) & turns(x0,x2) & ~program_order(x0,x2)) | turns(x1,x2)
        require program-order: (empty earlier & view#0 * view#0 \ ord#0) & (empty earlier & view#1 * view#1 \ ord#1)
        require read-value: no later write: (forall x3 in read. forall x4 in write. ~rf(x4,x3) | ~ord#0(x3,x4)) & (forall x5 in read. forall x6 in write. ~rf(x6,x5) | ~ord#1(x5,x6))
        require read-value: no overwritten write: (forall x7 in read. forall x8 in write. forall x9 in write. ~(rf(x8,x7) & same_location(x8,x9) & ord#0(x8,x9) & ord#0(x9,x7))) & (forall x10 in read. forall x11 in write. forall x12 in write. ~(rf(x11,x10) & same_location(x11,x12) & ord#1(x11,x12) & ord#1(x12,x10)))
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
