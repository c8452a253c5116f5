//! Java programs, lowered: what class files become, and what is refused.

#[path = "support/java.rs"]
mod java;
mod support;

use std::collections::BTreeMap;
use std::path::Path;

use frontend::jvm::{ClassFile, Options, load};
use java::{classes, files, names, read, shown, suite};
use program::{AssertSort, InstructionKind, Program};
use support::compare;

fn check(class: &str, expected: &str) {
    compare(&shown(&read(&classes(), class).program), expected);
}

#[test]
fn objects_have_cells_by_field_number_and_final_fields_a_tag() {
    check(
        "Fields",
        r##"
        global shared = 0:i32
        global tagged = &"Fields$Tagged#1"
        global origin = 0:i32 { [2] = 5:i32 }
        global "Fields$Tagged#1" = 0:i32 { [2] = 3:i32, [3] = 7:i64 }
        function Fields.writer() {
          registers _0, _1, _2, p, _3, _4
          b0:
            %_0 := allocate Fields$Point = 0:i32
            %_1 := offset %_0, 2:i32
            store %_1, 1:i32 plain{final}
            %_2 := offset %_0, 2:i32
            freeze %_2
            %p := copy %_0
            %_3 := offset %p, 0:i32
            store %_3, 2:i32 plain
            %_4 := offset %p, 1:i32
            store %_4, 3:i32 seq_cst{volatile}
            store &shared, %p plain
            return
        }
        function Fields.reader() {
          registers p, _1, r1, _3, _4, _5, v, _7, _8, _9, r3
          b0:
            %p := load &shared plain
            branch %p, b1, b6
          b1:
            branch %p, b2, b5
          b2:
            %_1 := offset %p, 0:i32
            %r1 := load %_1 plain
            branch %p, b3, b4
          b3:
            %_3 := offset %p, 2:i32
            %_4 := load %_3 plain{final}
            %_5 := load &origin[2] plain{final}
            %v := add %_4, %_5
            jump b6
          b4:
            assert 0:i32, "uncaught java.lang.NullPointerException" exception
            return
          b5:
            assert 0:i32, "uncaught java.lang.NullPointerException" exception
            return
          b6:
            %_7 := load &tagged plain
            branch %_7, b7, b8
          b7:
            %_8 := offset %_7, 3:i32
            %_9 := load %_8 plain{wide}
            %r3 := resize[s64] %_9
            return
          b8:
            assert 0:i32, "uncaught java.lang.NullPointerException" exception
            return
        }
        thread writer = @Fields.writer()
        thread reader = @Fields.reader()
        "##,
    );
}

#[test]
fn arithmetic_has_the_widths_of_java() {
    check(
        "Arithmetic",
        r##"
        global x = -1:i32
        global l = 1099511627776:i64
        global b = -56:i32
        global c = 65535:i32
        global flag = 1:i32

        function Arithmetic.widths() {
          registers _0, r1, _2, _3, r2, _5, _6, _7, _8, r3, _10, _11, _13, stack0, r4, _15, _16, _17
          b0:
            %_0 := load &x plain
            %r1 := shl %_0, 1:i32
            %_2 := load &l plain{wide}
            %_3 := and %r1, 63:i32
            %r2 := ushr %_2, %_3
            %_5 := resize[s8] %r1
            %_6 := resize[s32] %_5
            store &b, %_6 plain
            %_7 := resize[u16] %r1
            %_8 := resize[u32] %_7
            store &c, %_8 plain
            %r3 := resize[s32] %r2
            %_10 := add %r3, 1:i32
            %_11 := copy %r3
            %r3 := copy %_10
            %r3 := mul %_11, 2:i32
            %_13 := sle 3:i64, %r2
            branch %_13, b1, b2 join b3
          b1:
            %stack0 := neg %r3
            jump b3
          b2:
            %stack0 := copy %r3
            jump b3
          b3:
            %r4 := copy %stack0
            %_15 := load &l plain{wide}
            %_16 := ne %r2, %_15
            branch %_16, b4, b5 join b6
          b4:
            %stack0 := copy 0:i32
            jump b6
          b5:
            %stack0 := copy 1:i32
            jump b6
          b6:
            store &flag, %stack0 plain
            %_17 := xor %r4, -1:i32
            store &x, %_17 plain
            return
        }

        thread widths = @Arithmetic.widths()
        "##,
    );
}

#[test]
fn loops_and_switches_keep_their_control_flow() {
    check(
        "Loops",
        r##"
        global x = 0:i32
        global a = 0:i32

        function Loops.sum() {
          registers sum, i, _0, _1, _2, _3, _4, _5, _6, _7
          b0:
            %sum := copy 0:i32
            %i := copy 0:i32
            jump b1
          b1:
            %_0 := sle 3:i32, %i
            branch %_0, b4, b2 join b4
          b2:
            %_1 := ult %i, 3:i32
            assert %_1, "uncaught java.lang.ArrayIndexOutOfBoundsException" exception
            %_2 := offset &a, %i
            %_3 := load %_2 plain
            %_4 := ne %_3, 7:i32
            branch %_4, b3, b4 join b4
          b3:
            %_5 := ult %i, 3:i32
            assert %_5, "uncaught java.lang.ArrayIndexOutOfBoundsException" exception
            %_6 := offset &a, %i
            %_7 := load %_6 plain
            %sum := add %sum, %_7
            %i := add %i, 1:i32
            jump b1
          b4:
            store &x, %sum plain
            return
        }

        function Loops.choose() {
          registers _0, _1, _2, _3
          b0:
            %_0 := load &x plain
            %_1 := eq %_0, 1:i32
            branch %_1, b1, b2 join b5
          b1:
            store &x, 10:i32 plain
            jump b5
          b2:
            %_2 := eq %_0, 100:i32
            branch %_2, b3, b4 join b4
          b3:
            store &x, 20:i32 plain
            jump b4
          b4:
            store &x, 30:i32 plain
            jump b5
          b5:
            %_3 := load &x plain
            branch %_3, b5, b6 join b6
          b6:
            return
        }

        thread sum = @Loops.sum()
        thread choose = @Loops.choose()
        "##,
    );
}

#[test]
fn calls_are_put_in_place_and_synchronized_locks() {
    check(
        "Monitors",
        r##"
        global one = 0:i32
        global Monitors.class = 0:i32

        function Monitors.first() {
          registers increment.result, _0, _1, _2, "increment.result#2", _3, _4, _5
          b0:
            lock &Monitors.class
            lock &one
            %_0 := load &one[0] plain
            %_1 := add %_0, 1:i32
            store &one[0], %_1 plain
            %_2 := load &one[0] plain
            unlock &one
            %increment.result := copy %_2
            lock &one
            %_3 := load &one[0] plain
            %_4 := add %_3, 2:i32
            store &one[0], %_4 plain
            %_5 := load &one[0] plain
            unlock &one
            %"increment.result#2" := copy %_5
            unlock &Monitors.class
            return
        }

        function Monitors.second() {
          registers increment.result, _0, r, _1
          b0:
            lock &one
            %_0 := load &one[0] plain
            unlock &one
            %increment.result := copy %_0
            %r := copy %increment.result
            lock &one
            %_1 := sle %r, 1:i32
            branch %_1, b1, b2 join b3
          b1:
            observe send, %r
            observe send, 5:i64
            unlock &one
            observe println, 0:i32
            jump b3
          b2:
            unlock &one
            jump b3
          b3:
            return
        }

        thread first = @Monitors.first()
        thread second = @Monitors.second()
        order 0 before 1
        "##,
    );
}

#[test]
fn an_assertion_is_one_condition_where_it_reads_no_memory_half_way() {
    check(
        "Assertions",
        r##"
        global x = 0:i32
        global y = 0:i32

        function Assertions.conditions() {
          registers r1, r2, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13
          b0:
            %r1 := load &x plain
            %r2 := load &y plain
            %_2 := ne %r1, 1:i32
            %_3 := eq %r2, 2:i32
            %_4 := ne %r1, %r2
            %_5 := select %_3, 1:i32, %_4
            %_6 := select %_2, 0:i32, %_5
            assert %_6, "r1 == 1 && (r2 == 2 || r1 != r2)"
            %_7 := sle %r1, %r2
            assert %_7, "!(r1 > r2)"
            assert 0:i32, "false"
            %_8 := load &x plain
            %_9 := eq %_8, 1:i32
            assert %_9, "x == 1"
            %_10 := load &x plain
            %_11 := eq %_10, 1:i32
            branch %_11, b3, b1 join b3
          b1:
            %_12 := load &y plain
            %_13 := eq %_12, 1:i32
            branch %_13, b3, b2 join b3
          b2:
            assert 0:i32, "x == 1 || y == 1"
            jump b3
          b3:
            store &y, 3:i32 plain
            return
        }

        thread conditions = @Assertions.conditions()
        "##,
    );
}

#[test]
fn main_gives_threads_and_their_order() {
    check(
        "Started",
        r##"
        global x = 5:i32
        global y = 0:i32
        global table = 0:i32
        global "Started$Worker#1" = 0:i32 { [0] = 0:i32 }
        global "Started$Worker#2" = 0:i32 { [0] = 1:i32 }
        global "Started$1#1" = 0:i32

        function Started.lambda$main$0(%local) {
          registers local
          b0:
            store &y, %local plain
            return
        }

        function Started$Worker.run(%this) {
          registers this, _0, _1, _2, _3, _4, _5, _6
          b0:
            %_0 := offset %this, 0:i32
            %_1 := load %_0 plain{final}
            %_2 := offset %this, 0:i32
            %_3 := load %_2 plain{final}
            %_4 := add %_3, 1:i32
            %_5 := ult %_1, 2:i32
            assert %_5, "uncaught java.lang.ArrayIndexOutOfBoundsException" exception
            %_6 := offset &table, %_1
            store %_6, %_4 plain
            return
        }

        function main() {
          b0:
            store &x, 6:i32 plain
            return
        }

        function Started$1.run(%this) {
          registers this, _0
          b0:
            %_0 := load &x plain
            store &y, %_0 plain
            return
        }

        function main.2() {
          registers sum, "v#3", _30, _31, _32, value, _36, _37, _38, _39, _40
          b0:
            %sum := copy 0:i32
            %"v#3" := copy 0:i32
            jump b1
          b1:
            %_30 := sle 2:i32, %"v#3"
            branch %_30, b2, b6 join b2
          b2:
            %_36 := eq %sum, 3:i32
            assert %_36, "sum == 3"
            %_37 := load &x plain
            %_38 := ne %_37, 6:i32
            branch %_38, b4, b3 join b5
          b3:
            %_39 := load &y plain
            %_40 := eq %_39, 6:i32
            branch %_40, b5, b4 join b5
          b4:
            assert 0:i32, "x == 6 && y == 6"
            jump b5
          b5:
            return
          b6:
            %_31 := ult %"v#3", 2:i32
            assert %_31, "uncaught java.lang.ArrayIndexOutOfBoundsException" exception
            %_32 := offset &table, %"v#3"
            %value := load %_32 plain
            %sum := add %sum, %value
            %"v#3" := add %"v#3", 1:i32
            jump b1
        }
        thread "Thread-0" = @Started.lambda$main$0(10:i32)
        thread "Thread-1" = @Started$Worker.run(&"Started$Worker#1")
        thread "Thread-2" = @Started$Worker.run(&"Started$Worker#2")
        thread main = @main()
        thread "Thread-3" = @Started$1.run(&"Started$1#1")
        thread main.2 = @main.2()
        order 3 before 4
        order 0 before 4
        order 3 before 5
        order 0 before 5
        order 1 before 5
        order 2 before 5
        order 4 before 5
        "##,
    );
}

#[test]
fn main_runs_up_to_the_first_start_and_references_are_followed() {
    check(
        "References",
        r##"
        global done = 0:i32
        global "\"start\"" = 0:i32
        global "References#1" = 0:i32
        global "References$Task#1" = 0:i32 { [0] = &"References#1", [1] = 2:i64 }
        function main() {
          b0:
            observe println, &"\"start\""
            return
        }
        function References.finish() {
          b0:
            store &done, 1:i32 plain
            return
        }
        function References$Task.run(%this) {
          registers this, _0, _1, _2, _3, _4, _5, _6, _7, _8, _9
          b0:
            %_0 := offset %this, 0:i32
            %_1 := load %_0 plain{final}
            %_2 := offset %this, 1:i32
            %_3 := load %_2 plain{wide}
            %_4 := resize[s64] %_3
            lock %_1
            %_5 := offset %_1, 0:i32
            %_6 := load %_5 plain
            %_7 := resize[s32] %_4
            %_8 := add %_6, %_7
            %_9 := offset %_1, 0:i32
            store %_9, %_8 plain
            notify_all %_1
            unlock %_1
            return
        }
        function References.await(%this) {
          registers this, _0, _1, woken, ends
          b0:
            %woken := copy 0:i32
            lock %this
            jump b1
          b1:
            %_0 := offset %this, 0:i32
            %_1 := load %_0 plain
            branch %_1, b2, b3 join b2
          b2:
            unlock %this
            return
          b3:
            %ends := copy 0:i32
            branch %woken, b5, b4 join b5
          b4:
            %ends := choose 0..1:i32
            %woken := copy %ends
            jump b5
          b5:
            branch %ends, b6, b7 join b1
          b6:
            unlock %this
            lock %this
            jump b1
          b7:
            wait %this
            jump b1
        }
        function main.2() {
          registers home, _17, _18
          b0:
            %home := copy &"References#1"
            %_17 := offset %home, 0:i32
            %_18 := load %_17 plain
            observe println, %_18
            return
        }
        thread main = @main()
        thread "Thread-0" = @References.finish()
        thread "Thread-1" = @References$Task.run(&"References$Task#1")
        thread "Thread-2" = @References.await(&"References#1")
        thread main.2 = @main.2()
        order 0 before 1
        order 0 before 2
        order 0 before 3
        order 0 before 4
        order 2 before 4
        order 3 before 4
        wakes_rarely
        "##,
    );
}

#[test]
fn what_runs_before_the_threads_has_the_values_that_java_computes() {
    // The right sides are what `java Computed` prints.
    check(
        "Computed",
        r##"
        global shifts = 16:i32
        global longShifts = 10:i64
        global casts = 70047:i32
        global sum = 276:i64
        global "order" = 212:i32
        global switched = 4217:i32
        global shortCircuit = 1:i32
        global division = 2147483347:i32
        global mixed = -4611686018427297604:i64
        global chars = 99:i32
        global nested = 917:i32
        global elements = 32686:i32
        global compared = 442635:i32
        global same = 1:i32
        global deep = -20960:i32

        function Computed.nothing() {
          b0:
            return
        }

        thread nothing = @Computed.nothing()
        "##,
    );
}

/// The messages about a program that must be refused.
fn refused(class: &str) -> String {
    let result = load(&files(&classes(), class), &Options::default());
    result.err().unwrap_or_else(|| panic!("{class} is not refused")).to_string()
}

#[test]
fn what_is_not_modelled_is_refused_with_class_method_and_line() {
    compare(
        &refused("Refused"),
        "
        Refused.java:44:9: error: the call of `java.lang.Integer.parseInt` in Refused.library, line 44 is not supported
        Refused.java:49:9: error: `new java.lang.StringBuilder`, a class that was not given, in Refused.made, line 49 is not supported
        Refused.java:56:11: error: `catch (java.lang.RuntimeException)` in Refused.caught, line 56 is not supported
        Refused.java:66:13: error: `finally` in Refused.finished, line 66 is not supported
        Refused.java:72:9: error: `new java.lang.IllegalStateException`, a class that was not given, in Refused.thrown, line 72 is not supported
        Refused.java:72:9: error: `throw` in Refused.thrown, line 72 is not supported
        Refused.java:77:9: error: the type `float` in Refused.floating, line 77 is not supported
        Refused.java:82:9: error: the type `double` in Refused.field, line 82 is not supported
        Refused.java:87:9: error: `instanceof` in Refused.tested, line 87 is not supported
        Refused.java:94:9: error: a cast that may fail in Refused.length, line 94 is not supported
        Refused.java:100:9: error: an array whose length is not constant in Refused.sized, line 100 is not supported
        Refused.java:106:9: error: the index 2 of an array of 2 in Refused.outside, line 106 is not supported
        Refused.java:111:9: error: `Thread.start` outside of `main` in Refused.starts, line 111 is not supported
        Refused.java:121:9: error: the special method `Refused.answer`, which is neither empty nor native, in Refused.special, line 121 is not supported
        Refused.java:126:9: error: a thread that is not a `static void` method without parameters, Refused.result, line 126, is not supported
        Refused.java:130:5: error: there is no thread `nobody` for Refused.lonely, line 130 to come after
        Refused.java:134:9: error: an array of arrays in Refused.nested, line 134 is not supported
        ",
    );
    let cases = [
        (
            "Branching",
            "Branching.java:7:9: error: a start or join of threads that depends on what other threads do in Branching.main, line 7 is not supported",
        ),
        (
            "Growing",
            "Growing.java:151:6: error: code of more than 20000 instructions, calls put in place, in Growing.f29, line 151 is not supported",
        ),
        (
            "Switching",
            "Switching.java:6:9: error: the call of `java.lang.String.hashCode` in Switching.main, line 6 is not supported\n\
             Switching.java:6:9: error: the call of `java.lang.String.equals` in Switching.main, line 6 is not supported",
        ),
        (
            "Handing",
            "Handing.java:10:9: error: a value that `main` read before it started or joined a thread in Handing.main, line 10 is not supported",
        ),
        ("Locked", "Locked.java:7:13: error: `start` inside of `synchronized` in Locked.main, line 7 is not supported"),
        (
            "Nothing",
            "error: `Nothing` has no threads: no method is annotated `@palisade.ThreadBody`, and there is no `main`",
        ),
    ];
    for (class, expected) in cases {
        compare(&refused(class), expected);
    }
}

#[test]
fn what_is_no_class_file_is_refused() {
    let file = ClassFile { name: "Text.class".into(), bytes: b"class Text {}".to_vec(), source: None };
    let errors = load(&[file], &Options::default()).unwrap_err();
    let expected = "error: `Text.class` is not a class file that can be read: it does not start as a class file does";
    assert_eq!(errors.to_string(), expected);
    assert_eq!(load(&[], &Options::default()).unwrap_err().to_string(), "error: no class file was given");
    let options = Options { class: Some("Absent".into()) };
    let errors = load(&files(&classes(), "Loops"), &options).unwrap_err();
    assert_eq!(errors.to_string(), "error: there is no class `Absent`");
}

#[test]
fn an_index_is_checked_where_the_length_is_known() {
    let warnings: Vec<String> = read(&classes(), "Loops").warnings.into_iter().map(|w| w.message).collect();
    assert_eq!(warnings, [""; 0]);
}

/// The statement of every instruction but assignments, in order.
fn statements(program: &Program, function: usize) -> Vec<&str> {
    let blocks = program.functions[function].blocks.iter();
    let instructions = blocks.flat_map(|block| &block.instructions);
    let acting = instructions.filter(|i| !matches!(i.kind, InstructionKind::Assign { .. }));
    acting.map(|i| i.span.map_or("", |span| program.sources.snippet(span))).collect()
}

#[test]
fn spans_are_the_statements_of_the_source() {
    let program = read(&suite(), "TC14").program;
    assert_eq!(statements(&program, 0), ["int r1 = a", "b = 1", "y = 1", "assert r1 == 1"]);
    let loop_spans: Vec<&str> =
        program.functions[1].blocks.iter().filter_map(|b| b.span).map(|span| program.sources.snippet(span)).collect();
    assert!(loop_spans.contains(&"r2 = y"), "{loop_spans:?}");
    let globals: Vec<&str> =
        program.globals.iter().filter_map(|g| g.span).map(|span| program.sources.snippet(span)).collect();
    assert_eq!(globals, ["static int a = 0", "static int b = 0", "static volatile int y = 0"]);
}

#[test]
fn without_a_source_spans_name_class_method_and_line() {
    let mut files = files(&suite(), "TC14");
    files.iter_mut().for_each(|file| file.source = None);
    let program = load(&files, &Options::default()).unwrap().program;
    assert_eq!(statements(&program, 0)[0], "TC14.thread1:15");
    let asserted = program.functions[0].blocks.iter().flat_map(|block| &block.instructions);
    let messages: Vec<&str> = asserted
        .filter_map(|instruction| match &instruction.kind {
            InstructionKind::Assert { message, .. } => Some(&**message),
            _ => None,
        })
        .collect();
    assert_eq!(messages, ["TC14.thread1:21"]);
}

#[test]
fn a_class_file_tells_its_source_and_the_classes_it_needs() {
    let files = files(&classes(), "Started");
    assert_eq!(frontend::jvm::source_name(&files[1].bytes).as_deref(), Some("Started.java"));
    let mentioned = frontend::jvm::mentioned_classes(&files[0].bytes);
    assert!(mentioned.contains(&"Started$1".to_string()) && mentioned.contains(&"java/lang/Thread".to_string()));
}

/// Model and verdict of the expectations in a source's head.
fn expectations(text: &str) -> BTreeMap<&str, &str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("// expect "));
    lines.filter_map(|line| line.split_once(' ')).collect()
}

#[test]
fn the_suite_can_be_read_and_says_what_to_expect() {
    let sources = names(&suite(), "java");
    assert_eq!(sources.len(), 47);
    for source in sources {
        let class = source.trim_end_matches(".java");
        let text = std::fs::read_to_string(suite().join(&source)).unwrap();
        let program = read(&suite(), class).program;
        assert_eq!(program.threads.len(), text.matches("@ThreadBody").count(), "{class}");
        let asserts = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instructions);
        let is_own =
            |kind: &InstructionKind| matches!(kind, InstructionKind::Assert { sort: AssertSort::Assertion, .. });
        let asserts = asserts.filter(|i| is_own(&i.kind)).count();
        assert_eq!(asserts, text.matches("assert ").count(), "{class}");
        let expected = expectations(&text);
        let models: &[&str] = if class.starts_with("Nemos") {
            &["sc", "coherence", "pram", "causal", "pc"]
        } else {
            &["jmm-original", "jmm-revised"]
        };
        for model in models {
            let verdict = expected.get(model).and_then(|verdict| verdict.split(' ').next());
            assert!(matches!(verdict, Some("allowed" | "forbidden" | "unknown")), "{class} under {model}");
        }
    }
}

#[test]
fn the_class_files_are_what_javac_makes_of_the_sources() {
    for (folder, library) in [(suite(), suite().join("lib")), (classes(), suite().join("lib"))] {
        recompile(&folder, &library);
    }
}

/// Compiles the sources of a folder again and compares: bytes if the compiler is the one that was used, else programs.
fn recompile(folder: &Path, library: &Path) {
    let version = std::process::Command::new("javac").arg("-version").output();
    let Ok(version) = version else {
        println!("skipped: no JDK");
        return;
    };
    let is_same = String::from_utf8_lossy(&version.stdout).trim_start().starts_with("javac 17");
    let made = std::env::temp_dir().join(format!("palisade-java-{}-{is_same}", std::process::id()));
    std::fs::create_dir_all(&made).unwrap();
    let mut javac = std::process::Command::new("javac");
    javac.args(["--release", "8", "-g", "-implicit:none", "-Xlint:-options", "-sourcepath"]).arg(library);
    javac.arg("-d").arg(&made).args(names(folder, "java").iter().map(|name| folder.join(name)));
    let output = javac.output().unwrap();
    if !output.status.success() {
        // A JDK may no longer know this release; one that knows it must compile.
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("release"), "{text}");
        println!("skipped: {text}");
        return;
    }
    for name in names(folder, "class") {
        let (old, new) = (std::fs::read(folder.join(&name)).unwrap(), std::fs::read(made.join(&name)).unwrap());
        assert!(!is_same || old == new, "{name} is not what javac makes of its source");
    }
    if !is_same {
        for name in names(folder, "java") {
            std::fs::copy(folder.join(&name), made.join(&name)).unwrap();
            let class = name.trim_end_matches(".java");
            let lowered = |folder: &Path| match load(&files(folder, class), &Options::default()) {
                Ok(parsed) => shown(&parsed.program),
                Err(errors) => errors.to_string(),
            };
            assert_eq!(lowered(folder), lowered(&made), "{class}");
        }
    }
    std::fs::remove_dir_all(&made).unwrap();
}
