//! What searches find, and that what they find happens again.

use operational::schedule;
use operational::{Answer, Limits, Machine, Options, Reduction, check, outcomes, replay};
use program::{End, FailureKind, Property, StepKind, Verdict, Verified, verify};

fn program(text: &str) -> Verified {
    let text = format!("program test\nlanguage IR\n{text}");
    let program = program::text::parse("test.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    verify(program).unwrap_or_else(|messages| panic!("{messages:?}"))
}

fn ask(text: &str, machine: Machine) -> Answer {
    let answer = |reduction: Reduction| {
        let options = Options { reduction, ..Options::default() };
        check(&program(text), machine, &options).unwrap_or_else(|what| panic!("{what:?}"))
    };
    let (reduced, full) = (answer(Reduction::Persistent), answer(Reduction::None));
    assert_eq!(reduced.outcome.verdict, full.outcome.verdict);
    let kind = |answer: &Answer| answer.failure.as_ref().map(|failure| failure.kind);
    assert_eq!(kind(&reduced), kind(&full));
    assert!(reduced.explored.states <= full.explored.states);
    reduced
}

/// The failure of the program on sc, which must happen again when the written schedule is read and replayed.
fn failure(text: &str) -> program::Failure {
    let answer = ask(text, Machine::Sc);
    assert_eq!(answer.outcome.verdict, Verdict::Violated);
    let found = answer.schedule.expect("a schedule");
    let written = schedule::print(&found, Machine::Sc, Reduction::Persistent);
    let (read, machine, reduction) = schedule::parse(&written).expect("a schedule file");
    assert_eq!((&read, machine, reduction), (&found, Machine::Sc, Reduction::Persistent));
    let replayed = replay(&program(text), machine, reduction, &read, &Limits::default()).expect("it runs");
    let failure = answer.failure.expect("a failure");
    assert_eq!(replayed.end, End::Failed(failure.clone()));
    failure
}

fn holds(text: &str) {
    let answer = ask(text, Machine::Sc);
    assert_eq!(answer.outcome.verdict, Verdict::Holds, "{:?}", answer.failure);
}

const INCREMENT: &str = "global n = 0:i32
function inc() { registers r b0: LOCK %r := load &n plain %r := add %r, 1:i32 store &n, %r plain UNLOCK return }
function main() {
  registers a, b, r, c
  b0: %a := spawn @inc() %b := spawn @inc() join %a join %b
    %r := load &n plain %c := eq %r, 2:i32 assert %c, \"both counted\" return
}
thread main = @main()
";

#[test]
fn a_lost_update_is_found_and_a_monitor_prevents_it() {
    let without = INCREMENT.replace("UNLOCK", "").replace("LOCK", "");
    assert_eq!(failure(&without).message, "both counted");
    holds(&INCREMENT.replace("UNLOCK", "unlock &n").replace("LOCK", "lock &n"));
}

/// Two threads that lock two words in opposite orders, and a third that counts for ever.
fn beside_a_counter(second: &str, counter: &str) -> String {
    let lock = |word: &str| {
        format!(
            "atomic_begin %r := load &{word} plain %c := eq %r, 0:i32 await %c store &{word}, 1:i32 plain atomic_end"
        )
    };
    let unlock = |word: &str| format!("store &{word}, 0:i32 plain");
    let [first, then] = if second == "opposite" { ["b", "a"] } else { ["a", "b"] };
    format!(
        "global a = 0:i32 global b = 0:i32 global n = 0:i64
function P0() {{ registers r, c b0: {} {} {} {} return }}
function P1() {{ registers r, c b0: {} {} {} {} return }}
function P2() {{ registers r, c b0: jump b1 b1: %r := load &n plain %r := add %r, 1:i64 store &n, %r plain {counter} jump b1 }}
thread P0 = @P0()
thread P1 = @P1()
thread P2 = @P2()
",
        lock("a"),
        lock("b"),
        unlock("b"),
        unlock("a"),
        lock(first),
        lock(then),
        unlock(then),
        unlock(first),
    )
}

#[test]
fn threads_that_wait_for_each_other_are_found_beside_one_that_never_ends() {
    let options = Options { limits: Limits { states: 100_000, ..Limits::default() }, ..Options::default() };
    for machine in [Machine::Sc, Machine::Tso, Machine::Pso] {
        let ask = |text: &str| check(&program(text), machine, &options).unwrap_or_else(|what| panic!("{what:?}"));
        let text = beside_a_counter("opposite", "");
        let answer = ask(&text);
        let found = answer.failure.expect("a failure");
        assert_eq!(found.kind, FailureKind::Deadlock);
        let waiting: Vec<_> = found.waiting.iter().map(|w| (w.thread.as_str(), w.what.as_str())).collect();
        assert_eq!(waiting, [("P0", "a change of b"), ("P1", "a change of a")]);
        let schedule = answer.schedule.expect("a schedule");
        let again = replay(&program(&text), machine, Reduction::Persistent, &schedule, &Limits::default());
        assert!(matches!(again.expect("it runs").end, End::Failed(failure) if failure.kind == FailureKind::Deadlock));
        // The counter may open the lock, or there is no deadlock: then nothing is known.
        for (second, counter) in [("opposite", "store &a, 0:i32 plain"), ("same", "")] {
            let verdict = ask(&beside_a_counter(second, counter)).outcome.verdict;
            assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
        }
    }
}

#[test]
fn opposite_orders_of_monitors_deadlock() {
    let text = |second: &str| {
        format!(
            "global a = 0:i32 global b = 0:i32
function P0() {{ b0: lock &a lock &b unlock &b unlock &a return }}
function P1() {{ b0: {second} return }}
thread P0 = @P0()
thread P1 = @P1()
"
        )
    };
    let found = failure(&text("lock &b lock &a unlock &a unlock &b"));
    assert_eq!(found.kind, FailureKind::Deadlock);
    let waiting: Vec<_> = found.waiting.iter().map(|w| (w.thread.as_str(), w.what.as_str())).collect();
    assert_eq!(waiting, [("P0", "the monitor b, which P1 holds"), ("P1", "the monitor a, which P0 holds")]);
    holds(&text("lock &a lock &b lock &a unlock &a unlock &b unlock &a"));
}

#[test]
fn a_notification_before_the_wait_is_lost() {
    let text = "global m = 0:i32
function waits() { b0: lock &m wait &m unlock &m return }
function notifies() { b0: lock &m notify &m unlock &m return }
thread W = @waits()
thread N = @notifies()
";
    assert_eq!(failure(text).kind, FailureKind::LostWakeup);
    let guarded = "global m = 0:i32 global ready = 0:i32
function waits() {
  registers r
  b0: lock &m jump b1
  b1: %r := load &ready plain branch %r, b3, b2
  b2: wait &m jump b1
  b3: unlock &m return
}
function notifies() { b0: lock &m store &ready, 1:i32 plain notify_all &m unlock &m return }
thread W = @waits()
thread V = @waits()
thread N = @notifies()
";
    holds(guarded);
    // One of two waiting threads is not woken.
    assert_eq!(failure(&guarded.replace("notify_all", "notify")).kind, FailureKind::Deadlock);
}

#[test]
fn permits_are_kept_and_taken() {
    let text = |parks: &str| {
        format!(
            "function parks() {{ b0: {parks} return }}
function main() {{ registers t b0: %t := spawn @parks() unpark %t join %t return }}
thread main = @main()
"
        )
    };
    holds(&text("park"));
    let found = failure(&text("park park"));
    assert_eq!(found.kind, FailureKind::Deadlock);
    assert_eq!(found.waiting[1].what, "a permit");
}

#[test]
fn a_condition_is_awaited_and_waiting_for_ever_is_a_deadlock() {
    let text = |value: u32| {
        format!(
            "global x = 0:i32
function P0() {{ b0: store &x, {value}:i32 plain return }}
function P1() {{ registers r b0: atomic_begin %r := load &x plain await %r atomic_end assert %r, \"set\" return }}
thread P0 = @P0()
thread P1 = @P1()
"
        )
    };
    holds(&text(1));
    assert_eq!(failure(&text(0)).kind, FailureKind::Deadlock);
}

#[test]
fn errors_are_failures() {
    let error = |code: &str| {
        let text = format!(
            "global x = 0:i32 global p = 0:i32
function P() {{ registers r, q b0: {code} return }}
thread P = @P()
"
        );
        let failure = failure(&text);
        assert_eq!(failure.kind, FailureKind::Error);
        failure.message
    };
    assert_eq!(error("%r := load &p plain %r := load %r plain"), "an access through a null pointer");
    assert_eq!(error("%r := load %q plain"), "an access through an undefined pointer");
    assert_eq!(error("store 3:i32, 1:i32 plain"), "an access through what is no pointer");
    assert_eq!(error("%r := eq &x, 5000:i32"), "a pointer is compared with a number that may be an address");
    assert_eq!(error("%r := add %q, 5:i32"), "an undefined value in an addition");
    assert_eq!(error("%r := sdiv 5:i32, 0:i32"), "division by zero");
    assert_eq!(error("unlock &x"), "the thread does not hold the monitor");
    assert_eq!(error("%q := allocate n = 0:i32 reuse free %q free %q"), "a double free: `n`");
    assert_eq!(error("%q := allocate n = 0:i32 free %q"), "a block is freed that was not allocated to be freed");
    assert_eq!(error("free &x"), "a pointer is freed that is not the start of an allocated block");
    assert_eq!(error("assume %q"), "an assumption about an undefined value");
}

#[test]
fn undefined_values_may_be_carried() {
    holds(
        "global x = undefined
function P() { registers r, s, q b0: %r := load &x plain %s := copy %r store &x, %s plain
  %s := make[T, 2] %r, 1:i32 %q := get[T, 0] %s %q := select 1:i32, %r, 2:i32 return }
thread P = @P()
",
    );
}

#[test]
fn freed_blocks_may_be_given_out_again() {
    let text = |test: &str| {
        format!(
            "global x = 0:i32
function P() {{ registers a, b, c, r b0: %a := allocate n = 0:i32 reuse store %a, 7:i32 plain free %a
  %r := load %a plain %c := eq %r, 7:i32 assert %c, \"kept\"
  %b := allocate n = 0:i32 reuse %r := load %b plain {test} return }}
thread P = @P()
"
        )
    };
    // The same block still holds 7, another one is new.
    holds(&text("%c := eq %a, %b %r := ne %r, 0:i32 %c := eq %c, %r assert %c, \"kept\""));
    assert_eq!(failure(&text("assert %r, \"never new\"")).message, "never new");
    assert_eq!(failure(&text("%c := ne %a, %b assert %c, \"different\"")).message, "different");
    assert_eq!(failure(&text("%c := eq %a, %b assert %c, \"same\"")).message, "same");
}

#[test]
fn a_block_that_nobody_knows_is_given_out_with_what_it_holds() {
    let text = |gives: &str| {
        format!(
            "function P0() {{ registers a b0: %a := allocate n = {gives} reuse free %a return }}
function P1() {{ registers a, r, c b0: %a := allocate n = 0:i32 reuse
  %r := load %a plain %c := eq %r, 0:i32 assert %c, \"zero\" return }}
thread P0 = @P0()
thread P1 = @P1()
"
        )
    };
    holds(&text("0:i32"));
    assert_eq!(failure(&text("1:i32")).message, "zero");
}

#[test]
fn what_waits_for_stores_counts_as_an_event_of_an_atomic_block() {
    // Else it would wait for the block's own store for ever.
    let text = |last: &str| {
        format!(
            "global x = 0:i32
function P0() {{ registers a, r b0: %a := allocate n = 0:i32 reuse atomic_begin store &x, 1:i32 plain {last} atomic_end return }}
thread P0 = @P0()
"
        )
    };
    for machine in [Machine::Sc, Machine::Tso, Machine::Pso] {
        let failure = |last: &str| ask(&text(last), machine).failure.map(|failure| failure.message);
        assert_eq!(failure("free %a"), None);
        assert_eq!(failure("%a := allocate n = 0:i32 reuse"), None);
        assert_eq!(failure("free %a free %a").as_deref(), Some("a double free: `n`"));
        let undefined = failure("%r := update &x, add %r plain");
        assert!(undefined.is_some_and(|message| message.contains("undefined")));
    }
}

#[test]
fn choices_are_all_taken_and_assumptions_restrict_them() {
    let text = |assume: &str| {
        format!(
            "global x = 0:i32
function P() {{ registers v, c b0: %v := choose 0..3:i32 {assume} store &x, %v plain %c := ne %v, 2:i32
  assert %c, \"not 2\" return }}
thread P = @P()
"
        )
    };
    assert_eq!(failure(&text("")).message, "not 2");
    holds(&text("%c := slt %v, 2:i32 assume %c"));
    // The failing execution does not count, because another thread's assumption is false in it.
    let other = "function Q() { b0: assume 0:i32 return }\nthread Q = @Q()\n";
    let answer = ask(&format!("{}{other}", text("")), Machine::Sc);
    assert_eq!((answer.outcome.verdict, answer.outcome.vacuous), (Verdict::Holds, true));
}

#[test]
fn an_execution_in_which_all_assertions_hold_can_be_asked_for() {
    let text = |value: u32| {
        format!(
            "global x = 0:i32
function P() {{ registers r b0: %r := load &x plain assert %r, \"set\" return }}
function Q() {{ b0: store &x, {value}:i32 plain return }}
thread P = @P()
thread Q = @Q()
"
        )
    };
    let possible = |value: u32| {
        let options = Options { property: Property::Possible, ..Options::default() };
        check(&program(&text(value)), Machine::Sc, &options).expect("supported").outcome.verdict
    };
    assert_eq!(possible(1), Verdict::Allowed);
    assert_eq!(possible(0), Verdict::Forbidden);
}

#[test]
fn what_a_thread_does_to_its_own_block_is_no_step_of_its_own() {
    let own = "%p := allocate n = 0:i32 store %p, 1:i32 plain store %p, 2:i32 plain %r := load %p plain";
    let text = |own: &str| {
        format!(
            "global x = 0:i32
function P() {{ registers p, r b0: {own} store &x, 1:i32 plain return }}
thread P0 = @P()
thread P1 = @P()
thread P2 = @P()
"
        )
    };
    let states = |text: &str| ask(text, Machine::Sc).explored.states;
    assert_eq!(states(&text(own)), states(&text("")));
}

/// The block is reached through another one, whose address is there for all: it may be read before it is written.
#[test]
fn a_block_that_others_reach_through_another_one_is_nobodys_own() {
    let text = "global z = 1:i32
global y = &z
global x = &y
function P0() { registers p, q b0: %q := allocate n = 0:i32 %p := allocate n = 0:i32
  store %p, %q plain store &x, %p plain store %q, 5:i32 plain return }
function P1() { registers p, q, r, c b0: %p := load &x plain %q := load %p plain %r := load %q plain
  %c := ne %r, 0:i32 assert %c, \"written\" return }
thread P0 = @P0()
thread P1 = @P1()
";
    assert_eq!(failure(text).message, "written");
}

#[test]
fn the_setup_runs_first_and_threads_keep_their_order() {
    let text = "global x = 0:i32
function prepare() { registers p b0: %p := allocate n = 5:i32 store &x, %p plain return }
function P0() { registers p b0: %p := load &x plain store %p, 6:i32 plain return }
function P1() { registers p, r, c b0: %p := load &x plain %r := load %p plain %c := eq %r, 6:i32 assert %c, \"after\" return }
setup @prepare()
thread P0 = @P0()
thread P1 = @P1()
";
    holds(&format!("{text}order 0 before 1\n"));
    assert_eq!(failure(text).message, "after");
    for machine in [Machine::Tso, Machine::Pso] {
        assert_eq!(ask(&format!("{text}order 0 before 1\n"), machine).outcome.verdict, Verdict::Holds);
    }
}

#[test]
fn a_setup_that_does_not_end_well_decides_nothing() {
    let text = |code: &str, question: &str| {
        format!(
            "global x = 0:i32
function prepare() {{ registers r b0: {code} return }}
function P() {{ b0: store &x, 1:i32 plain return }}
setup @prepare()
thread P = @P()
{question}
"
        )
    };
    assert_eq!(failure(&text("assert 0:i32, \"never\"", "")).message, "never");
    let waits = "atomic_begin %r := load &x plain await %r atomic_end";
    assert_eq!(failure(&text(waits, "")).message, "the setup waits for ever");
    let verdict = ask(&text(waits, "exists x == 1:i32"), Machine::Sc).outcome.verdict;
    assert!(matches!(verdict, Verdict::Unknown(_)));
}

#[test]
fn calls_return_values_and_methods_go_by_class() {
    holds(
        "global x = 0:i32
function one(%p) -> 1 { registers p b0: return 1:i32 }
function two(%p) -> 1 { registers p b0: return 2:i32 }
function P() { registers a, b, r, s, c
  b0: %a := allocate A = 0:i32 %b := allocate B = 0:i32
    %r := call_virtual { A: @one, B: @two }(%a) %s := call_virtual { A: @one, B: @two }(%b)
    %c := sub %s, %r %c := eq %c, 1:i32 assert %c, \"by class\"
    %c := eq %r, 1:i32 assert %c, \"one\" return }
thread P = @P()
",
    );
}

#[test]
fn stores_wait_in_buffers_and_a_replay_shows_when_they_leave() {
    let text = "global x = 0:i32 global y = 0:i32
function P0() { registers r b0: store &x, 1:i32 plain %r := load &y plain return }
function P1() { registers r b0: store &y, 1:i32 plain %r := load &x plain return }
thread P0 = @P0()
thread P1 = @P1()
exists 0:%r == 0:i32 and 1:%r == 0:i32
";
    assert_eq!(ask(text, Machine::Sc).outcome.verdict, Verdict::Forbidden);
    let answer = ask(text, Machine::Tso);
    assert_eq!(answer.outcome.verdict, Verdict::Allowed);
    let found = answer.schedule.expect("a schedule");
    let limits = Limits::default();
    let replayed = replay(&program(text), Machine::Tso, Reduction::Persistent, &found, &limits).expect("it runs");
    assert_eq!(replayed.end, End::Finished);
    assert_eq!(Some(&replayed.execution), answer.outcome.witness.as_ref());
    let flushes = replayed.steps.iter().filter(|step| step.kind == StepKind::Flush).count();
    assert_eq!(flushes, 2);
    let states = outcomes(&program(text), Machine::Tso, &Options::default()).expect("supported").outcome.states;
    assert_eq!(states.expect("states").len(), 4);
}

#[test]
fn limits_make_the_answer_unknown() {
    let unknown = |text: &str, limits: Limits| {
        let options = Options { limits, ..Options::default() };
        match check(&program(text), Machine::Sc, &options).expect("supported").outcome.verdict {
            Verdict::Unknown(reason) => reason,
            other => panic!("{other:?}"),
        }
    };
    let counts = "global x = 0:i64
function P() { registers r b0: jump b1 b1: %r := load &x plain %r := add %r, 1:i64 store &x, %r plain jump b1 }
thread P = @P()
";
    let few = Limits { states: 5_000, ..Limits::default() };
    assert!(unknown(counts, few).contains("was ended after"));
    let shallow = Limits { depth: 100, ..Limits::default() };
    assert_eq!(unknown(counts, shallow), "an execution has more than 100 steps");
    let small = Limits { bytes: 1 << 20, ..Limits::default() };
    assert!(unknown(counts, small).contains("out of memory"));
    let stopped = Limits::default();
    stopped.interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(unknown(counts, stopped).contains("stopped"));
    let spins = "global x = 0:i32 function P() { b0: jump b1 b1: jump b1 } thread P = @P()\n";
    assert!(unknown(spins, Limits { stretch: 1_000, ..Limits::default() }).contains("without meeting shared memory"));
    let recursive = "global x = 0:i32 function P() { b0: call @P() return } thread P = @P()\n";
    assert!(unknown(recursive, Limits::default()).contains("calls are active"));
}

#[test]
fn a_loop_that_waits_for_a_store_has_finitely_many_states() {
    holds(
        "global x = 0:i32
function P() { registers r b0: jump b1 b1: %r := load &x plain branch %r, b2, b1 b2: assert %r, \"seen\" return }
function Q() { b0: store &x, 1:i32 plain return }
thread P = @P()
thread Q = @Q()
",
    );
}

#[test]
fn what_a_machine_does_not_model_is_refused() {
    let refused = |code: &str| {
        let text = format!("global x = 0:i32\nfunction P() {{ registers r b0: {code} return }}\nthread P = @P()\n");
        check(&program(&text), Machine::Tso, &Options::default()).expect_err("refused").what
    };
    assert_eq!(refused("fence plain{dmb}"), "this fence on the machine tso");
    assert_eq!(refused("%r := choose 0..100000:i32"), "a choice among more than 65536 values");
}

#[test]
fn a_schedule_that_does_not_fit_is_refused() {
    let text = "global x = 0:i32 function P() { b0: store &x, 1:i32 plain return } thread P = @P()\n";
    for moves in ["step 7", "flush 0 0", "step 0\nstep 0"] {
        let file = format!("palisade schedule 1\nmachine sc\n{moves}\n");
        let (read, machine, reduction) = schedule::parse(&file).expect("a schedule file");
        assert!(replay(&program(text), machine, reduction, &read, &Limits::default()).is_err());
    }
    for file in ["", "palisade schedule 2", "palisade schedule 1\nstep 0", "palisade schedule 1\nmachine sc\nstep x"] {
        assert!(schedule::parse(file).is_err());
    }
}

/// A thread takes a long way or a short one to the same state, from where the assertion of the other can be made to fail.
const TWO_WAYS: &str = "global x = 0:i32 global y = 0:i32
function P0() { registers c, r
  b0: %c := choose 0..1:i32 branch %c, b2, b1
  b1: %r := load &y plain %r := load &y plain %r := load &y plain %r := load &y plain jump b2
  b2: %r := load &y plain store &x, 1:i32 plain return }
function P1() { registers r, c b0: %r := load &x plain %c := eq %r, 0:i32 assert %c, \"early\" return }
thread P0 = @P0()
thread P1 = @P1()
";

#[test]
fn every_execution_within_the_depth_is_looked_at() {
    let verdict = |depth: usize| {
        let limits = Limits { depth, ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        check(&program(TWO_WAYS), Machine::Sc, &options).expect("supported").outcome.verdict
    };
    // Two steps of the first thread and one of the other.
    for depth in 1..10 {
        let is_found = verdict(depth) == Verdict::Violated;
        assert_eq!(is_found, depth >= 3, "within {depth} steps: {:?}", verdict(depth));
    }
    assert!(matches!(verdict(1), Verdict::Unknown(reason) if reason.contains("more than 1 steps")));
}

#[test]
fn a_global_has_the_methods_that_the_table_gives_its_name() {
    holds(
        "global first = 0:i32 global second = 0:i32
function one(%p) -> 1 { registers p b0: return 1:i32 }
function two(%p) -> 1 { registers p b0: return 2:i32 }
function main() {
  registers r, c
  b0: %r := call_virtual { first: @one, second: @two }(&second) %c := eq %r, 2:i32 assert %c, \"the second\" return
}
thread main = @main()",
    );
}

#[test]
fn loops_that_wait_in_vain_are_a_deadlock() {
    let text = |value: u32, code: &str| {
        format!(
            "global x = 0:i32 global y = 0:i32
function P0() {{ b0: store &x, {value}:i32 plain return }}
function P1() {{ registers r b0: jump b1 {code} }}
thread P0 = @P0()
thread P1 = @P1()
"
        )
    };
    let one = "b1: %r := load &x plain branch %r, b2, b1 b2: return";
    // An iteration of two loads.
    let two = "b1: %r := load &y plain branch %r, b3, b2 b2: %r := load &x plain branch %r, b3, b1 b3: return";
    for code in [one, two] {
        holds(&text(1, code));
        let found = failure(&text(0, code));
        assert_eq!(found.kind, FailureKind::Deadlock);
        let waiting: Vec<(&str, &str)> = found.waiting.iter().map(|w| (w.thread.as_str(), w.what.as_str())).collect();
        assert!(matches!(waiting[..], [("P1", "a change of x" | "a change of y")]), "{waiting:?}");
    }
    // Where memory changes, threads may run for ever on purpose.
    holds(&text(0, "b1: %r := load &y plain %r := xor %r, 1:i32 store &y, %r plain jump b1"));
}

#[test]
fn stores_that_are_still_buffered_are_waited_for() {
    let text = "global x = 0:i32
function P0() { registers r b0: store &x, 1:i32 plain jump b1 b1: %r := load &x plain branch %r, b2, b1 b2: return }
function P1() { registers r b0: jump b1 b1: %r := load &x plain branch %r, b2, b1 b2: return }
thread P0 = @P0()
thread P1 = @P1()
";
    for machine in [Machine::Sc, Machine::Tso, Machine::Pso] {
        assert_eq!(ask(text, machine).outcome.verdict, Verdict::Holds);
    }
}

#[test]
fn a_program_may_be_over_once_its_first_thread_is() {
    let text = |end: &str| {
        format!(
            "global m = 0:i32
function waits() {{ b0: lock &m return }}
function main() {{ registers t b0: lock &m %t := spawn @waits() {end} return }}
thread main = @main()
"
        )
    };
    assert_eq!(failure(&text("")).kind, FailureKind::Deadlock);
    holds(&(text("") + "ends_with_main\n"));
    assert_eq!(failure(&(text("join %t") + "ends_with_main\n")).kind, FailureKind::Deadlock);
}

/// Whoever gets the block is alone with it; two threads that could both get it next do not race for its insides.
#[test]
fn who_takes_a_block_from_others_races_with_nobody_for_it() {
    let text = |order: &str| {
        format!(
            "global b = 1:i32
global top = &b
function main() {{ registers p, q, a, c b0: %p := allocate n = 0:i32 store &top, %p seq_cst
  %a := spawn @take() %c := spawn @take() return }}
function take() {{ registers p, c, r
  b0: %p := exchange &top, 0:i32 {order} %c := ne %p, 0:i32 branch %c, b1, b2
  b1: %r := load %p plain %r := add %r, 1:i32 store %p, %r plain jump b2
  b2: return }}
thread main = @main()
"
        )
    };
    let races = |order: &str| {
        let program = program(&text(order).replacen("language IR", "language Java", 1));
        operational::adjacent(&program, &Limits::default()).expect("it runs").has_races
    };
    assert!(!races("seq_cst"));
    assert!(races("plain"));
}
