//! `--engine mcr` from outside: verdicts, figures, schedules that replay, and limits.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn suites() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites")
}

fn palisade(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(suites()).args(arguments).stdin(Stdio::null());
    command.output().expect("the binary runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Checks a file, given with its definitions, with this engine.
fn check(engine: &str, file: &str, machine: &str, more: &[&str]) -> Output {
    let mut arguments = vec!["check", "--engine", engine, "--model", machine];
    arguments.extend(file.split(' '));
    arguments.extend_from_slice(more);
    palisade(&arguments)
}

const PROGRAMS: [&str; 20] = [
    "java/mcr/Example1.class",
    "java/mcr/Dekker.class",
    "java/mcr/RVExample.class",
    "java/mcr/ElectronMicroscope.class",
    "c/mutex_counter.c",
    "c/mcr/stack_unsafe.c",
    "c/aba_stack.c",
    // Threads that wait in loops.
    "java/jpr/Dekker.class",
    "java/jpr/Peterson.class",
    "c/clh_lock.c",
    "c/mcs_lock.c",
    "c/mcs_lock.c -D BROKEN",
    "c/peterson.c",
    "c/rcu.c",
    "c/rw_spinlock.c",
    "c/rw_spinlock.c -D BROKEN",
    "c/spinlock.c",
    "c/spsc_ring.c",
    "c/ticket_lock.c",
    "c/ttas_lock.c -D BROKEN",
];

#[test]
fn verdicts_are_those_of_the_search_and_schedules_replay() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcr_schedules");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for (number, file) in PROGRAMS.into_iter().enumerate() {
        for machine in ["sc", "tso", "pso"] {
            let schedule = folder.join(format!("{number}.{machine}"));
            let schedule = schedule.to_str().expect("a name");
            let found = check("mcr", file, machine, &["--schedule", schedule]);
            let searched = check("operational", file, machine, &[]);
            assert_eq!(code(&found), code(&searched), "{file} on {machine}: {}", stdout(&found));
            if code(&found) == 1 {
                let arguments: Vec<&str> = ["replay"].into_iter().chain(file.split(' ')).chain([schedule]).collect();
                let replayed = palisade(&arguments);
                assert_eq!(code(&replayed), 1, "{file} on {machine}: {}", stdout(&replayed));
            }
        }
    }
}

/// The second thread reads `x` as it was before the first one wrote: no interleaving has that.
#[test]
fn an_execution_graph_is_written_down_and_shown_again() {
    let schedule = Path::new(env!("CARGO_TARGET_TMPDIR")).join("graph.schedule");
    let schedule = schedule.to_str().expect("a name");
    for (model, way) in [("rc11", &[][..]), ("tso", &["--classes", "mazurkiewicz"])] {
        let more = [way, &["--schedule", schedule]].concat();
        let found = check("mcr", "c/features/buffering.c", model, &more);
        assert_eq!(code(&found), 1, "{}", stdout(&found));
        let replayed = palisade(&["replay", "c/features/buffering.c", schedule]);
        assert_eq!(code(&replayed), 1, "{}", stdout(&replayed));
        let text = stdout(&replayed);
        assert!(text.contains("(overwritten)") && text.contains("An assertion fails in main"), "{text}");
    }
    let other = palisade(&["replay", "c/features/overflow.c", schedule]);
    assert_eq!(code(&other), 2, "{}", stdout(&other));
}

fn says_failure(line: &str) -> bool {
    line.contains("fails in") || line.contains("An error in")
}

#[test]
fn memory_that_is_freed_too_early_is_found_and_shown_again() {
    let schedule = Path::new(env!("CARGO_TARGET_TMPDIR")).join("free.schedule");
    let schedule = schedule.to_str().expect("a name");
    // The access of freed memory itself, and what it leads to where it is no error.
    let ways = [&["-D", "BROKEN"][..], &["-D", "BROKEN", "--ignore", "use-after-free"]];
    for (file, way) in ["c/aba_stack.c", "c/rcu.c"].into_iter().flat_map(|file| ways.map(|way| (file, way))) {
        for machine in ["sc", "tso", "pso"] {
            let found = check("mcr", file, machine, &[way, &["--schedule", schedule]].concat());
            assert_eq!(code(&found), 1, "{file} on {machine}: {}", stdout(&found));
            assert_eq!(stdout(&found).contains("a use after free: `"), way.len() == 2, "{}", stdout(&found));
            assert_eq!(code(&check("operational", file, machine, way)), 1, "{file} on {machine}");
            let replayed = palisade(&[&["replay", file], way, &[schedule]].concat());
            assert_eq!(code(&replayed), 1, "{file} on {machine}: {}", stdout(&replayed));
            let failure = |output: &Output| stdout(output).lines().find(|line| says_failure(line)).map(str::to_string);
            assert!(failure(&found).is_some() && failure(&found) == failure(&replayed), "{}", stdout(&replayed));
        }
    }
    let steps = stdout(&check("mcr", "c/aba_stack.c", "sc", ways[1]));
    let place = |step: &str| steps.find(step).unwrap_or_else(|| panic!("no {step} in {steps}"));
    assert!(place(" free node2 ") < place(" reuse node2 "), "{steps}");
    let exhaustive = check("mcr", "c/aba_stack.c", "pso", &[ways[1], &["--exhaustive"]].concat());
    assert!(stdout(&exhaustive).contains("(0 redundant"), "{}", stdout(&exhaustive));
}

#[test]
fn races_of_programs_that_give_memory_back_are_those_of_the_search() {
    for (file, broken, count) in [("c/aba_stack.c", false, 0), ("c/aba_stack.c", true, 1), ("c/rcu.c", true, 1)] {
        let of = |engine: &str| {
            let more = if broken { &["-D", "BROKEN"][..] } else { &[] };
            races_with(file, engine, "60", more).expect("all races")
        };
        assert_eq!(of("mcr"), of("operational"), "{file}");
        assert_eq!(of("mcr").len(), count, "{file}: {:?}", of("mcr"));
    }
}

#[test]
fn the_electron_microscope_fails_on_pso_only_and_soon() {
    let file = "java/mcr/ElectronMicroscope.class";
    for machine in ["sc", "tso"] {
        assert_eq!(code(&check("mcr", file, machine, &[])), 0, "on {machine}");
    }
    let found = check("mcr", file, "pso", &["--max-executions", "3"]);
    assert_eq!(code(&found), 1, "{}", stdout(&found));
}

#[test]
fn the_number_of_processors_makes_no_difference() {
    let figures = |jobs: &str, how: &str| {
        let more = ["--exhaustive", "--jobs", jobs, "--ways-out", how];
        let text = stdout(&check("mcr", "java/mcr/Example2.class", "pso", &more));
        let line = text.lines().find(|line| line.starts_with("Explored")).map(str::to_string);
        let line = line.unwrap_or_else(|| panic!("no figures in {text}"));
        line.split(';').next().unwrap_or_default().to_string()
    };
    let expected = "Explored: 188 executions of 188 classes (0 redundant)";
    assert_eq!(figures("1", "states"), expected);
    assert_eq!(figures("3", "states"), expected);
    assert_eq!(figures("1", "solver"), expected);
}

#[test]
fn a_limit_makes_the_answer_unknown() {
    let found = check("mcr", "java/mcr/Peterson.class", "sc", &["--max-executions", "2", "--question", "possible"]);
    assert!(matches!(code(&found), 0 | 1), "an execution without failed assertions is found at once");
    let found = check("mcr", "java/mcr/Example1.class", "sc", &["--max-executions", "1"]);
    assert_eq!(code(&found), 3, "{}", stdout(&found));
    assert!(stdout(&found).contains("1 executions"), "{}", stdout(&found));
}

#[test]
fn the_figures_are_in_the_json() {
    let found = check("mcr", "java/mcr/Example1.class", "pso", &["--exhaustive", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let text = json.to_string();
    for part in ["\"engine\":\"mcr\"", "\"classes\":10", "\"executions\":10", "\"redundant_executions\":0"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn machines_of_java_are_refused() {
    let found = check("mcr", "java/mcr/Example1.class", "jmm_under", &[]);
    assert_eq!(code(&found), 2);
    assert!(String::from_utf8_lossy(&found.stderr).contains("engine mcr"));
}

/// The programs in these folders that run as a whole.
fn whole_programs() -> Vec<String> {
    let mut programs = Vec::new();
    for folder in ["java/mcr", "java/jpr", "java/features", "c/mcr", "c"] {
        for entry in std::fs::read_dir(suites().join(folder)).expect("the folder") {
            let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(suites().join(folder).join(&name)).unwrap_or_default();
            let is_java = name.ends_with(".class") && !name.contains('$');
            if is_java || (name.ends_with(".c") && text.contains("int main(")) {
                programs.push(format!("{folder}/{name}"));
            }
        }
    }
    programs.sort();
    programs
}

/// The races of a program on sc, each as its two places; `None` if there may be more.
fn races(file: &str, engine: &str, limit: &str) -> Option<std::collections::BTreeSet<String>> {
    races_with(file, engine, limit, &[])
}

fn races_with(file: &str, engine: &str, limit: &str, more: &[&str]) -> Option<std::collections::BTreeSet<String>> {
    let options = ["races", file, "--engine", engine, "--timeout", limit, "--format", "json"];
    let output = palisade(&[&options[..], more].concat());
    let json: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{file}: {output:?}"));
    if !json["incomplete"].is_null() {
        return None;
    }
    // Those that only executions outside of sc have are asked of the bounds of Java's model, by one engine.
    let of_sc = json["races"].as_array().expect("a list").iter().filter(|race| race["beyond_sc"].is_null());
    let races = of_sc.map(|race| {
        let mut places: Vec<String> = race["accesses"]
            .as_array()
            .expect("two accesses")
            .iter()
            .map(|access| format!("{} {}", access["place"], access["writes"]))
            .collect();
        places.sort();
        places.join(" and ")
    });
    Some(races.collect())
}

#[test]
fn races_are_those_of_the_search() {
    let (mut compared, mut more) = (0, Vec::new());
    for file in whole_programs() {
        let by_class = races(&file, "mcr", "60").unwrap_or_else(|| panic!("{file}: not all classes were found"));
        match races(&file, "operational", "1") {
            Some(searched) => {
                assert_eq!(by_class, searched, "{file}");
                compared += 1;
            }
            None => more.push(file),
        }
    }
    println!("{compared} programs were compared; the search did not end on {}", more.join(", "));
    assert!(compared > 30, "{compared}");
}

#[test]
fn java_programs_have_the_same_verdicts_by_execution_graphs() {
    // The objects that threads run are made by another thread: which method is called depends on them.
    for file in
        ["mcr/Dekker", "mcr/Peterson", "mcr/Lamport", "mcr/Example1", "mcr/Example2", "opmm/Dekker", "opmm/Peterson"]
    {
        let file = format!("java/{file}.class");
        for machine in ["sc", "tso", "pso"] {
            let by_values = check("mcr", &file, machine, &[]);
            let by_traces = check("mcr", &file, machine, &["--classes", "mazurkiewicz"]);
            let text = stdout(&by_traces);
            assert_eq!(code(&by_traces), code(&by_values), "{file} on {machine}: {text}");
            assert!(
                code(&by_traces) == 0 || text.contains("an assertion fails in some execution"),
                "{file} on {machine}: {text}"
            );
        }
    }
}

#[test]
fn buffers_of_stores_bring_races_about_that_both_engines_list() {
    let file = "c/features/buffers_race.c";
    for (machine, count) in [("sc", 0), ("tso", 1), ("pso", 2)] {
        let of = |engine: &str| races_with(file, engine, "60", &["--model", machine]).expect("all races");
        assert_eq!(of("mcr"), of("operational"), "on {machine}");
        assert_eq!(of("mcr").len(), count, "on {machine}: {:?}", of("mcr"));
    }
    let text = stdout(&palisade(&["races", file, "--model", "pso", "--engine", "mcr"]));
    assert!(text.contains("buffers_race has 2 data races on pso."), "{text}");
    let refused = palisade(&["races", file, "--model", "rc11"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(code(&refused), 2);
    assert!(said.contains("data races are listed for sc, tso and pso, not for rc11"), "{said}");
}

#[test]
fn what_synchronises_does_so_through_buffers() {
    // Data that is passed on by a release store, a lock, volatile fields or monitors races on none of the machines.
    for file in ["c/message_passing.c", "c/ticket_lock.c", "c/spinlock.c", "c/peterson.c", "java/opmm/DclVol.class"] {
        for machine in ["sc", "tso", "pso"] {
            for engine in ["operational", "mcr"] {
                let found = races_with(file, engine, "60", &["--model", machine]).expect("all races");
                assert!(found.is_empty(), "{file} on {machine} by {engine}: {found:?}");
            }
        }
    }
}

#[test]
fn the_schedule_of_a_race_shows_it_again() {
    let schedule = Path::new(env!("CARGO_TARGET_TMPDIR")).join("race.schedule");
    let schedule = schedule.to_str().expect("a name");
    for (file, count) in [("java/mcr/PingPong.class", 5), ("c/mcr/peterson.c", 10)] {
        for number in 1..=count {
            let number = number.to_string();
            let options = ["--engine", "mcr", "--race", &number, "--schedule", schedule];
            let found = palisade(&[&["races", file][..], &options].concat());
            assert_eq!(code(&found), 1, "{}", stdout(&found));
            let heading = format!("\n{number}. On ");
            assert!(stdout(&found).contains(&heading) && stdout(&found).contains("statement"), "{}", stdout(&found));
            let replayed = palisade(&["replay", file, schedule]);
            assert_eq!(code(&replayed), 1, "{}", stdout(&replayed));
            assert!(stdout(&replayed).contains("A data race on "), "{}", stdout(&replayed));
        }
    }
    let missing = palisade(&["races", "c/mcr/peterson.c", "--engine", "mcr", "--race", "11"]);
    assert_eq!(code(&missing), 2);
    assert!(String::from_utf8_lossy(&missing.stderr).contains("there is no race 11"));
}

#[test]
fn a_failure_is_shown_as_a_table_of_steps() {
    let found = stdout(&check("mcr", "c/mcr/peterson.c", "tso", &[]));
    let header = found.lines().find(|line| line.starts_with("step ")).unwrap_or_else(|| panic!("{found}"));
    assert!(header.ends_with("statement"), "{found}");
    assert!(found.contains("flush "), "{found}");
}

/// Writers of one value make one class by values, and one for each order of the writes.
#[test]
fn classes_may_be_those_of_dynamic_partial_order_reduction() {
    let text = "#include <assert.h>\n#include <pthread.h>\n_Atomic int x;\nvoid *t(void *p) { x = 1; return 0; }\n\
                int main(void) { pthread_t a, b, c; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0);\n\
                pthread_create(&c, 0, t, 0); pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);\n\
                assert(x == 1); return 0; }\n";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("writers.c");
    std::fs::write(&path, text).expect("written");
    for model in ["sc", "tso", "pso"] {
        for (classes, count) in [("values", 1), ("mazurkiewicz", 6)] {
            let output = Command::new(env!("CARGO_BIN_EXE_palisade"))
                .args(["check", "--engine", "mcr", "--model", model, "--classes", classes, "--format", "json"])
                .arg(&path)
                .output()
                .expect("palisade runs");
            let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert_eq!(answer["verdict"], "holds", "{answer}");
            assert_eq!(answer["stats"]["executions"], count, "{model} {classes}: {answer}");
        }
    }
}
