//! Java's memory model from below, from above and exactly: what `jmm_under` finds `jmm-revised` allows, and what that allows
//! `jmm_over` finds. And the published tables about the two machines.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use operational::{Fixpoint, Machine, Options, Reduction};
use program::{Property, State, Value, Verdict, Verified, verify};
use testing::campaign;
use testing::random::Random;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn palisade(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.current_dir(root()).args(arguments).output().expect("the binary runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

#[test]
fn the_published_tables_agree() {
    for table in ["opmm-1", "jpr-14"] {
        let output = palisade(&["repro", table]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    }
}

fn java_tests() -> Vec<(String, String, Verified)> {
    use frontend::jvm::{self, ClassFile};
    let mut tests = Vec::new();
    for entry in std::fs::read_dir(root().join("suites/java")).expect("the tests") {
        let path = entry.expect("an entry").path();
        let Ok(source) = std::fs::read_to_string(path.with_extension("java")) else { continue };
        if path.extension().is_none_or(|extension| extension != "class") {
            continue;
        }
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).expect("the class file");
        let file = ClassFile { name: name.clone(), bytes, source: Some((name.clone(), source.clone())) };
        let Ok(parsed) = jvm::load(&[file], &jvm::Options::default()) else { continue };
        tests.push((name, source, verify(parsed.program).expect("the law is kept")));
    }
    tests
}

#[test]
fn jmm_over_finds_what_java_allows() {
    let (mut allowed, mut forbidden) = (0, 0);
    for (name, source, program) in java_tests() {
        let options = Options { property: Property::Possible, ..Options::default() };
        let Ok(answer) = operational::check(&program, Machine::JmmOver, &options) else { continue };
        if source.contains("// expect jmm-revised allowed") {
            allowed += 1;
            assert!(answer.explored.found, "{name}: {:?}", answer.outcome.verdict);
        }
        assert!(answer.outcome.verdict != Verdict::Allowed, "{name}: an over-approximation allows nothing");
        forbidden += u32::from(answer.outcome.verdict == Verdict::Forbidden);
    }
    println!("{allowed} allowed outcomes found, {forbidden} shown to be forbidden");
    assert!(allowed > 15 && forbidden > 5, "{allowed} {forbidden}");
}

/// Section V of JPR: where it is followed what writes need, the outcomes of causality tests 5 and 10 are gone that Java forbids,
/// and nothing that Java allows.
#[test]
fn followed_needs_remove_what_is_too_much() {
    let mut removed = BTreeSet::new();
    for (name, source, program) in java_tests() {
        let options = Options { property: Property::Possible, ..Options::default() };
        let Ok(usual) = operational::check(&program, Machine::JmmOver, &options) else { continue };
        let options = Options { fixpoint: Fixpoint::Followed, ..options };
        let followed = operational::check(&program, Machine::JmmOver, &options).expect("supported as before");
        if source.contains("// expect jmm-revised allowed") {
            assert!(followed.explored.found, "{name}: {:?}", followed.outcome.verdict);
        }
        assert!(usual.explored.found || !followed.explored.found, "{name}: found only where needs are followed");
        if usual.explored.found && followed.outcome.verdict == Verdict::Forbidden {
            let path = Path::new(&name);
            removed.insert(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default());
        }
    }
    let removed: Vec<&str> = removed.iter().map(String::as_str).collect();
    assert!(removed.contains(&"TC05") && removed.contains(&"TC10"), "{removed:?}");
}

/// The second thread writes 2 to `x` last, whatever it reads, but as its first or its second write: a write is needed for its value,
/// not for its place among those of its thread.
#[test]
fn a_write_is_needed_whichever_of_its_thread_it_is() {
    let program = testing::program(
        "program otherwise\nlanguage IR\nglobal x = 0:i32\nglobal y = 0:i32\n\
         function P0() {\n registers r\n b0:\n %r := load &x plain\n store &y, %r plain\n return\n}\n\
         function P1() {\n registers c, r\n b0:\n %r := load &y plain\n %c := eq %r, 0:i32\n branch %c, b1, b2\n\
         b1:\n store &x, 1:i32 plain\n jump b3\n b2:\n store &x, 2:i32 plain\n jump b3\n\
         b3:\n %c := eq %r, 2:i32\n branch %c, b5, b4\n b4:\n store &x, 2:i32 plain\n jump b5\n b5:\n return\n}\n\
         thread P0 = @P0()\nthread P1 = @P1()\nexists true\nobserved 0:%r, 1:%r\n",
    );
    let both_are_2 = |states: &BTreeSet<State>| {
        let two = Value::int(2, 32);
        states.iter().any(|state| state.iter().all(|(_, value)| *value == two))
    };
    let exact = axiomatic::outcomes(&program, &testing::model("jmm-revised.mm"), &Default::default(), &mut |_| {});
    let exact = exact.expect("supported").states.expect("states").into_iter().map(|(state, _)| state).collect();
    assert!(both_are_2(&exact), "{exact:?}");
    for fixpoint in [Fixpoint::Valid, Fixpoint::Followed, Fixpoint::Printed] {
        assert!(both_are_2(&states_above(&program, fixpoint)), "{fixpoint:?}");
    }
}

/// Who asks whether all assertions may hold is shown an execution in which they do, also where others fail.
#[test]
fn what_is_possible_is_shown_without_a_failure() {
    let (rarely, often) = ("suites/java/TC01.class", "suites/java/opmm/Dcl.class");
    for (file, options) in [
        (rarely, &["--model", "jmm_over"][..]),
        (often, &["--model", "jmm_over"]),
        (often, &["--model", "jmm_under"]),
        (often, &["--model", "sc", "--engine", "operational"]),
        (often, &["--model", "sc", "--engine", "mcr"]),
        (often, &[]),
    ] {
        let said = text(&palisade(&[&["check", file, "--question", "possible"], options].concat()));
        assert!(said.contains("\nSuch an execution:\n"), "{options:?}: {said}");
        for failure in ["fails", "not caught", "can fail", "goes wrong"] {
            assert!(!said.contains(failure), "{options:?}: {said}");
        }
    }
}

/// The list of `--show-writes`, and what is needed for each.
#[test]
fn known_writes_are_listed() {
    let (file, over) = ("suites/java/TC05.class", ["--question", "possible", "--model", "jmm_over", "--show-writes"]);
    let said = text(&palisade(&[&["check", file], &over[..]].concat()));
    assert!(said.contains("\n10 writes known from above, those of initial values included:\n"), "{said}");
    assert!(said.contains("\n  y: 0 at first; 0 by thread1; 1 by thread1\n"), "{said}");
    let said = text(&palisade(&[&["check", file], &over[..], &["--fixpoint", "followed"]].concat()));
    assert!(said.contains("\nForbidden: ") && !said.contains("Warning"), "{said}");
    assert!(said.contains("1 by thread1, with x = 1 by thread4 and z = 1 by thread3\n"), "{said}");
    let json = palisade(&[&["check", file, "--format", "json"], &over[..]].concat());
    let object: serde_json::Value = serde_json::from_slice(&json.stdout).expect("an object");
    assert_eq!(object["writes"].as_array().map(Vec::len), Some(10), "{object}");
    let behind = text(&palisade(&["check", "suites/java/opmm/Dcl.class", "--show-writes"]));
    assert!(behind.contains("helper: 0 at first; Dcl$Helper@T1 by T1; Dcl$Helper@T2 by T2"), "{behind}");
    let refused = palisade(&["check", file, "--model", "jmm-revised", "--show-writes"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
}

/// Writes the code of one random thread.
struct Writer<'r> {
    random: &'r mut Random,
    code: String,
    reads: u64,
    blocks: u64,
    /// How many statements of six are critical sections.
    sections: u64,
}

impl Writer<'_> {
    fn say(&mut self, line: String) {
        self.code.push_str(&format!("    {line}\n"));
    }

    /// A plain or volatile access; what is written may be what was read.
    fn access(&mut self) {
        let (cell, order) = [
            ("x", "plain"),
            ("y", "plain"),
            ("x", "plain"),
            ("y", "plain"),
            ("z", "plain"),
            ("v", "seq_cst{volatile}"),
        ][self.random.below(6) as usize];
        if self.random.below(2) == 0 {
            let value = match self.random.below(3) {
                0 if self.reads > 0 => format!("%r{}", self.random.below(self.reads)),
                _ => format!("{}:i32", 1 + self.random.below(2)),
            };
            self.say(format!("store &{cell}, {value} {order}"));
        } else {
            self.say(format!("%r{} := load &{cell} {order}", self.reads));
            self.reads += 1;
        }
    }

    /// A write that depends on what was read by control only, perhaps with another one in its place.
    fn choice(&mut self) {
        let (then, otherwise, next) = (self.blocks, self.blocks + 1, self.blocks + 2);
        self.blocks += 3;
        let (read, value) = (self.random.below(self.reads), self.random.below(3));
        self.say(format!("%c := eq %r{read}, {value}:i32"));
        self.say(format!("branch %c, b{then}, b{otherwise}"));
        for (block, is_empty) in [(then, false), (otherwise, self.random.below(2) == 0)] {
            self.code.push_str(&format!("  b{block}:\n"));
            if !is_empty {
                self.behind();
            }
            self.say(format!("jump b{next}"));
        }
        self.code.push_str(&format!("  b{next}:\n"));
    }

    /// A write behind a branch: to a cell that others see, or to one that is written nowhere else and read back, perhaps of an
    /// object that is made there.
    fn behind(&mut self) {
        let (cell, value) = (["x", "y"][self.random.below(2) as usize], 1 + self.random.below(2));
        if self.random.below(3) > 0 {
            return self.say(format!("store &{cell}, {value}:i32 plain"));
        }
        let own = match self.random.below(2) {
            0 => format!("&own{}", self.random.below(2)),
            _ => {
                self.say("%o := allocate object = 0:i32".into());
                "%o".into()
            }
        };
        self.say(format!("store {own}, {value}:i32 plain"));
        self.say(format!("%c := load {own} plain"));
        self.say(format!("store &{cell}, %c plain"));
    }

    fn statement(&mut self) {
        match self.random.below(6) {
            number if number < self.sections => {
                self.say("lock &m".into());
                self.access();
                self.say("unlock &m".into());
            }
            1 | 2 if self.reads > 0 => self.choice(),
            _ => self.access(),
        }
    }
}

/// Threads of plain and volatile accesses, so many of six under a lock, with values and branches that depend on what was read.
fn random_program(random: &mut Random, threads: u64, length: u64, sections: u64) -> Verified {
    let mut text = String::from("program random\nlanguage IR\n");
    ["x", "y", "z", "v", "m", "own0", "own1"]
        .into_iter()
        .for_each(|cell| text.push_str(&format!("global {cell} = 0:i32\n")));
    let mut observed = Vec::new();
    for thread in 0..threads {
        let mut writer = Writer { random, code: String::new(), reads: 0, blocks: 1, sections };
        (0..length).for_each(|_| writer.statement());
        let Writer { code, reads, .. } = writer;
        observed.extend((0..reads).map(|read| format!("{thread}:%r{read}")));
        let registers: String = (0..reads).map(|read| format!(", r{read}")).collect();
        text.push_str(&format!("function P{thread}() {{\n  registers c, o{registers}\n  b0:\n{code}    return\n}}\n"));
    }
    (0..threads).for_each(|thread| text.push_str(&format!("thread P{thread} = @P{thread}()\n")));
    if observed.is_empty() {
        observed.push("0:%c".into());
    }
    text.push_str(&format!("exists true observed {}\n", observed.join(", ")));
    testing::program(&text)
}

fn states(program: &Verified, machine: Machine, reduction: Reduction) -> BTreeSet<State> {
    let options = Options { reduction, ..Options::default() };
    let answer = operational::outcomes(program, machine, &options).unwrap_or_else(|what| panic!("{what:?}"));
    assert_eq!(answer.explored.incomplete, None, "{}", program::text::print(program));
    answer.outcome.states.expect("states").into_iter().map(|(state, _)| state).collect()
}

/// The states of jmm_over, by these passes.
fn states_above(program: &Verified, fixpoint: Fixpoint) -> BTreeSet<State> {
    let answer = operational::outcomes(program, Machine::JmmOver, &Options { fixpoint, ..Options::default() });
    let answer = answer.unwrap_or_else(|what| panic!("{what:?}"));
    assert_eq!(answer.explored.incomplete, None, "{}", program::text::print(program));
    answer.outcome.states.expect("states").into_iter().map(|(state, _)| state).collect()
}

/// What jmm_under finds is found where needs are followed, that is found usually, and that by the passes as printed.
fn assert_in_order(program: &Verified, under: &BTreeSet<State>, over: &BTreeSet<State>) {
    let text = || program::text::print(program);
    let followed = states_above(program, Fixpoint::Followed);
    let missing = under.difference(&followed).next();
    assert!(missing.is_none(), "{}\nmissing where needs are followed: {missing:?}", text());
    let extra = followed.difference(over).next();
    assert!(extra.is_none(), "{}\nonly where needs are followed: {extra:?}", text());
    let printed = states_above(program, Fixpoint::Printed);
    let missing = over.difference(&printed).next();
    assert!(missing.is_none(), "{}\nmissing in the printed form: {missing:?}", text());
}

/// jmm_over finds what jmm_under finds, and the same without its reduction; in how many programs it finds more.
fn assert_under_is_part_of_over(seed: u64, iterations: u32) -> u32 {
    let mut random = Random(seed);
    let mut more = 0;
    for iteration in 0..iterations {
        let (threads, length) = if iteration % 3 == 0 { (3, 3) } else { (2, 3 + u64::from(iteration % 2)) };
        let program = random_program(&mut random, threads, length, 1);
        let under = states(&program, Machine::JmmUnder, Reduction::Persistent);
        let over = states(&program, Machine::JmmOver, Reduction::Persistent);
        let missing = under.difference(&over).next();
        assert!(missing.is_none(), "{}\njmm_over misses {missing:?}", program::text::print(&program));
        if iteration % 8 == 0 {
            let all = states(&program, Machine::JmmOver, Reduction::None);
            assert_eq!(all, over, "{}\nthe reduction makes a difference", program::text::print(&program));
        }
        assert_in_order(&program, &under, &over);
        more += u32::from(over.len() > under.len());
    }
    more
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn under_is_part_of_over_on_random_programs() {
    let more = assert_under_is_part_of_over(90125, 400);
    assert!(more > 10, "the future made a difference in {more} programs only");
}

#[test]
#[ignore = "takes half an hour; TIMES=n compares n programs, SEED=n others"]
fn under_is_part_of_over_on_many_random_programs() {
    let more = assert_under_is_part_of_over(number("SEED", 1984), number("TIMES", 100_000) as u32);
    println!("the future made a difference in {more} programs");
}

/// What jmm_under finds the exact model allows, and what that allows jmm_over finds; how many programs were compared.
fn assert_exact_lies_between(seed: u64, iterations: u32) -> u32 {
    let mut random = Random(seed);
    let model = testing::model("jmm-revised.mm");
    let mut compared = 0;
    for iteration in 0..iterations {
        let (threads, length) = [(2, 2), (2, 2), (2, 3), (3, 2)][iteration as usize % 4];
        // In every other program nearly all accesses are in critical sections.
        let sections = if iteration % 8 < 4 { 1 } else { 4 };
        let program = random_program(&mut random, threads, length, sections);
        let options = axiomatic::Options { explain: false, ..axiomatic::Options::default() };
        let Ok(outcome) = axiomatic::outcomes(&program, &model, &options, &mut |_| {}) else { continue };
        if matches!(outcome.verdict, Verdict::Unknown(_)) {
            continue;
        }
        let exact: BTreeSet<State> = outcome.states.expect("states").into_iter().map(|(state, _)| state).collect();
        let under = states(&program, Machine::JmmUnder, Reduction::Persistent);
        let over = states(&program, Machine::JmmOver, Reduction::Persistent);
        let text = || program::text::print(&program);
        let extra = under.difference(&exact).next();
        assert!(extra.is_none(), "{}\njmm_under finds {extra:?}", text());
        let missing = exact.difference(&over).next();
        assert!(missing.is_none(), "{}\njmm_over misses {missing:?}", text());
        let missing = exact.difference(&states_above(&program, Fixpoint::Followed)).next().cloned();
        assert!(missing.is_none(), "{}\nmissing where needs are followed: {missing:?}", text());
        compared += 1;
    }
    compared
}

#[test]
fn the_exact_model_lies_between_on_random_programs() {
    let compared = assert_exact_lies_between(5150, 80);
    assert!(compared > 10, "only {compared} were compared");
}

#[test]
#[ignore = "takes half an hour; TIMES=n compares n programs, SEED=n others"]
fn the_exact_model_lies_between_on_many_random_programs() {
    let compared = assert_exact_lies_between(number("SEED", 2112), number("TIMES", 30_000) as u32);
    println!("{compared} programs were compared");
}

/// The states that a model of axioms has; `None` if it does not decide soon: where values may come about in a circle of copies, every
/// number is one.
fn states_by_axioms(program: &Verified, model: &str) -> Option<BTreeSet<State>> {
    let outcome = campaign::within(std::time::Duration::from_secs(10), |interrupt| {
        let budget = sat::Budget { interrupt, ..sat::Budget::default() };
        let options = axiomatic::Options { explain: false, budget, ..axiomatic::Options::default() };
        axiomatic::outcomes(program, &testing::model(model), &options, &mut |_| {})
    });
    let outcome = outcome.unwrap_or_else(|what| panic!("{model}: {what:?}\n{}", program::text::print(program)));
    let is_open = matches!(outcome.verdict, Verdict::Unknown(_));
    (!is_open).then(|| outcome.states.expect("states").into_iter().map(|(state, _)| state).collect())
}

/// Monitors under models that have none of their own: sc, tso and pso have the states of the machines, and the models of Nemos lie in order;
/// how many programs were compared.
fn assert_monitors_agree(seed: u64, iterations: u32) -> u32 {
    let mut random = Random(seed);
    let mut compared = 0;
    for iteration in 0..iterations {
        let program = random_program(&mut random, 2, 2 + u64::from(iteration % 2), 4);
        let text = program::text::print(&program);
        if !text.contains("lock") {
            continue;
        }
        let Ok(Some(replaced)) = operational::without_monitors(&program) else { continue };
        // What volatile accesses are compiled to on tso and pso is not the question here.
        let machines: &[(&str, Machine)] = match text.contains("volatile") {
            true => &[("sc.cat", Machine::Sc)],
            false => &[("sc.cat", Machine::Sc), ("tso.cat", Machine::Tso), ("pso.cat", Machine::Pso)],
        };
        for (model, machine) in machines {
            let ran = states(&program, *machine, Reduction::Persistent);
            let Some(solved) = states_by_axioms(&replaced, model) else { continue };
            assert_eq!(solved, ran, "{model}\n{text}");
        }
        let of = |model: &str| states_by_axioms(&program, model);
        let sc = states(&program, Machine::Sc, Reduction::Persistent);
        let all = (of("causal.mm"), of("pram.mm"), of("pc.mm"), of("coherence.mm"));
        let (Some(causal), Some(pram), Some(pc), Some(coherence)) = all else { continue };
        let chain = [(&sc, &causal), (&causal, &pram), (&sc, &pc), (&pc, &pram), (&pc, &coherence)];
        for (number, (stronger, weaker)) in chain.into_iter().enumerate() {
            assert!(stronger.is_subset(weaker), "pair {number} of the chain\n{text}");
        }
        compared += 1;
    }
    compared
}

#[test]
fn monitors_mean_the_same_to_axioms_and_machines() {
    let compared = assert_monitors_agree(1812, 60);
    assert!(compared > 15, "only {compared} were compared");
}

#[test]
#[ignore = "takes minutes; TIMES=n compares n programs, SEED=n others"]
fn monitors_mean_the_same_on_many_random_programs() {
    let compared = assert_monitors_agree(number("SEED", 1905), number("TIMES", 2_000) as u32);
    println!("{compared} programs were compared");
}

/// Races are not benign where an assertion fails behind a read that no sequentially consistent execution has.
#[test]
fn races_are_not_benign_if_what_fails_is_behind_a_weak_read() {
    for name in ["Behind", "Message", "Made", "Spins"] {
        let races = palisade(&["races", &format!("suites/java/over/{name}.class")]);
        assert!(!text(&races).contains("Benign"), "{name}: {}", text(&races));
        assert_eq!(races.status.code(), Some(1), "{name}: {}", text(&races));
    }
}

/// What an execution comes to is unconfirmed that is cut off before writes have come that it had foreseen.
#[test]
fn errors_of_executions_that_are_cut_off_are_unconfirmed() {
    let path = std::env::temp_dir().join(format!("palisade-cut-{}", std::process::id()));
    let schedule = path.display().to_string();
    let file = "suites/java/jpr/Dcl.class";
    let at = |depth: &str| {
        let options = ["--engine", "operational", "--model", "jmm_over", "--depth", depth, "--schedule", &schedule];
        text(&palisade(&[&["check", file], &options[..]].concat()))
    };
    assert!(at("6").contains("Unknown: an execution has more than 6 steps.\n"), "{}", at("6"));
    let cut =
        "more than 8 steps; unconfirmed, in one that was cut off before what it had foreseen: uncaught java.lang.Null";
    assert!(at("8").contains(cut), "{}", at("8"));
    let found = at("10");
    assert!(found.contains("An exception is not caught in ") && !found.contains("unconfirmed"), "{found}");
    let replayed = palisade(&["replay", file, &schedule]);
    std::fs::remove_file(path).expect("the schedule is there");
    assert_eq!(replayed.status.code(), Some(1), "{}", text(&replayed));
}

/// Final states of programs that start at `main`: what is in static fields, by class and text where that is no number, and what was printed.
#[test]
fn static_fields_and_printed_text_are_listed() {
    let of = |file: &str, model: &str| text(&palisade(&["outcomes", file, "--model", model]));
    let sc = of("suites/java/features/Prints.class", "sc");
    let rows: Vec<&str> = sc.lines().filter(|line| line.ends_with("\\n\"")).collect();
    assert!(sc.contains("    x  seen        name      printed\n") && rows.len() == 7, "{sc}");
    assert!(rows.contains(&"    1     1  \"second 1\"  \"7a\\nx=1\\n\""), "{sc}");
    // Only a weak read misses the write that came before something was printed: printing orders nothing.
    let missed = "    1     0     \"first\"  \"a7\\nx=1\\n\"";
    assert!(!sc.contains(missed), "{sc}");
    let jmm = of("suites/java/features/Prints.class", "jmm");
    assert!(jmm.contains("\nYes.\n") && jmm.contains("\n9 final states:\n") && jmm.contains(missed), "{jmm}");
    let made = of("suites/java/opmm/Dcl.class", "jmm");
    assert!(made.contains("\n1 final state:\n        helper\n    ----------\n    Dcl$Helper\n"), "{made}");
    let both = text(&palisade(&["check", "suites/java/opmm/Dcl.class", "--all-failures"]));
    assert!(
        both.contains("found.number == 42\n") && both.contains("uncaught java.lang.NullPointerException\n"),
        "{both}"
    );
}

/// Figure 13 of JPR.
#[test]
fn a_race_that_only_weak_executions_have_is_found_with_its_schedule() {
    let file = "suites/java/memory/HiddenRace.class";
    let said = text(&palisade(&["races", file]));
    let hidden = "3. On x, only outside of sc (possible, not confirmed):\n  one writes at ";
    assert!(said.starts_with("HiddenRace has 2 data races.\n1 more exists only in executions"), "{said}");
    assert!(said.contains(hidden), "{said}");
    let path = std::env::temp_dir().join(format!("palisade-hidden-{}", std::process::id()));
    let schedule = path.display().to_string();
    palisade(&["races", file, "--race", "3", "--schedule", &schedule]);
    let replayed = text(&palisade(&["replay", file, &schedule]));
    std::fs::remove_file(path).expect("the schedule is there");
    assert!(replayed.contains("All threads came to their end.\n"), "{replayed}");
    assert!(
        replayed.contains("\nA data race on x: one writes at ") && replayed.contains("two reads at "),
        "{replayed}"
    );
    let json = palisade(&["races", file, "--format", "json"]);
    let object: serde_json::Value = serde_json::from_slice(&json.stdout).expect("an object");
    assert_eq!(object["races"][2]["beyond_sc"], "possible", "{object}");
    assert!(object["races"][0]["beyond_sc"].is_null(), "{object}");
}

/// Double-checked locking with a plain field that is read again: the second read races on jmm_under alone where the first one saw the object.
#[test]
fn races_on_sc_are_not_told_again() {
    let said = text(&palisade(&["races", "suites/java/opmm/Dcl.class"]));
    let places: Vec<&str> = said.lines().filter(|line| line.contains(". On ")).collect();
    assert!(said.contains("data race") && !places.is_empty(), "{said}");
    let json = palisade(&["races", "suites/java/opmm/Dcl.class", "--format", "json"]);
    let object: serde_json::Value = serde_json::from_slice(&json.stdout).expect("an object");
    let races = object["races"].as_array().expect("races");
    let pairs: BTreeSet<String> = races
        .iter()
        .map(|race| {
            let mut places: Vec<String> = race["accesses"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|access| format!("{} {}", access["place"], access["writes"]))
                .collect();
            places.sort();
            places.join(" / ")
        })
        .collect();
    assert_eq!(pairs.len(), races.len(), "each once: {object}");
}

#[test]
fn a_failure_is_written_as_a_schedule_and_replayed() {
    let path = std::env::temp_dir().join(format!("palisade-schedule-{}", std::process::id()));
    let schedule = path.display().to_string();
    let file = "suites/java/opmm/Dekker.class";
    let checked =
        palisade(&["check", file, "--engine", "operational", "--model", "jmm_under", "--schedule", &schedule]);
    assert_eq!(checked.status.code(), Some(1), "{}", text(&checked));
    let replayed = palisade(&["replay", file, &schedule]);
    let said = text(&replayed);
    assert_eq!(replayed.status.code(), Some(1), "{said}");
    assert!(said.contains("An assertion fails"), "{said}");
    let other = palisade(&["replay", "suites/java/opmm/Singleton.class", &schedule]);
    assert!(matches!(other.status.code(), Some(2 | 3)), "{}", text(&other));
    std::fs::remove_file(path).expect("the schedule is there");
}

#[test]
fn machines_have_names_and_others_are_refused() {
    let output = palisade(&["check", "suites/tour/SB.litmus", "--engine", "operational", "--model", "rc11"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("sc, tso, pso, jmm_under, jmm_over"), "{}", text(&output));
    let output = palisade(&["check", "suites/tour/SB.litmus", "--engine", "operational", "--machine", "sc"]);
    assert!(text(&output).contains("Forbidden"), "{}", text(&output));
    let output = palisade(&["check", "suites/c/dekker.c", "--engine", "operational", "--model", "sc"]);
    assert!(text(&output).contains("Holds") || text(&output).contains("Violated"), "{}", text(&output));
}

#[test]
fn races_are_benign_when_assertions_hold_from_above() {
    let hash = palisade(&["races", "suites/java/jpr/Hash.class"]);
    assert_eq!(hash.status.code(), Some(0), "{}", text(&hash));
    assert!(text(&hash).contains("Benign") && text(&hash).contains("Hash.java:"), "{}", text(&hash));
    assert!(text(&hash).contains("On Hash$Text.hash:\n"), "{}", text(&hash));
    assert!(text(&hash).contains("    in Hash$Text.code, called at "), "{}", text(&hash));
    let hash2 = palisade(&["races", "suites/java/jpr/Hash2.class"]);
    assert_eq!(hash2.status.code(), Some(1), "{}", text(&hash2));
    let none = palisade(&["races", "suites/java/opmm/DclVol.class", "--format", "json"]);
    assert_eq!(none.status.code(), Some(0), "{}", text(&none));
    assert!(text(&none).contains("\"races\":[]"), "{}", text(&none));
}

/// A read of what is only written later is part of the trace, and the schedule makes it happen again.
#[test]
fn failures_on_jmm_over_have_a_witness_and_a_schedule() {
    let path = std::env::temp_dir().join(format!("palisade-over-{}", std::process::id()));
    let schedule = path.display().to_string();
    for (file, reads_ahead) in [("suites/java/jpr/Hash2.class", false), ("suites/java/jpr/Tc9a.class", true)] {
        let options = ["--engine", "operational", "--model", "jmm_over", "--schedule", &schedule];
        let checked = palisade(&[&["check", file], &options[..]].concat());
        let said = text(&checked);
        assert_eq!(checked.status.code(), Some(3), "{said}");
        assert!(said.contains("An assertion fails in ") && said.contains("The steps to it:"), "{said}");
        assert_eq!(said.contains("(written later)"), reads_ahead, "{said}");
        let replayed = palisade(&["replay", file, &schedule]);
        let said = text(&replayed);
        assert_eq!(replayed.status.code(), Some(1), "{said}");
        assert!(said.contains("An assertion fails in "), "{said}");
        assert_eq!(said.contains("(written later)"), reads_ahead, "{said}");
        let short: String = std::fs::read_to_string(&path).expect("the schedule").replace("passes 1\n", "");
        std::fs::write(&path, short).expect("it is written");
        let refused = palisade(&["replay", file, &schedule]);
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    }
    std::fs::remove_file(path).expect("the schedule is there");
}

#[test]
fn failures_are_in_the_json_with_thread_and_schedule() {
    let options = ["--engine", "operational", "--model", "jmm_under", "--format", "json"];
    let output = palisade(&[&["check", "suites/java/opmm/Dekker.class"], &options[..]].concat());
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("an object");
    assert_eq!(object["verdict"], "violated");
    assert_eq!(object["failure"]["kind"], "assertion");
    assert!(object["failure"]["thread"].is_string() && object["failure"]["span"]["line"].is_number(), "{object}");
    assert!(object["schedule"].as_str().is_some_and(|schedule| schedule.contains("machine jmm_under")), "{object}");
}

/// Two threads that lock two mutexes in different order.
const DEADLOCK: &str = "#include <pthread.h>\npthread_mutex_t a, b;\n\
    void *other(void *p) { pthread_mutex_lock(&b); pthread_mutex_lock(&a);\n\
    pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return 0; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); pthread_mutex_lock(&a); pthread_mutex_lock(&b);\n\
    pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); pthread_join(t, 0); return 0; }\n";

#[test]
fn a_deadlock_names_who_waits_for_what() {
    let path = std::env::temp_dir().join(format!("palisade-deadlock-{}.c", std::process::id()));
    std::fs::write(&path, DEADLOCK).expect("the program is written");
    let file = path.display().to_string();
    let output = palisade(&["check", &file, "--engine", "operational", "--model", "sc"]);
    let json = palisade(&["check", &file, "--engine", "operational", "--model", "sc", "--format", "json"]);
    std::fs::remove_file(path).expect("the program is there");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("A deadlock: ") && said.contains("main waits for a change of b"), "{said}");
    assert!(said.contains("T1 waits for a change of a"), "{said}");
    let object: serde_json::Value = serde_json::from_slice(&json.stdout).expect("an object");
    assert_eq!(object["failure"]["kind"], "deadlock");
    assert_eq!(object["failure"]["waiting"].as_array().map(Vec::len), Some(2), "{object}");
}

/// An exception that nobody catches is told with the place that made it.
#[test]
fn an_uncaught_exception_has_its_place() {
    let output = palisade(&["check", "suites/java/jpr/Dcl.class", "--engine", "operational", "--model", "jmm_under"]);
    let said = text(&output);
    let line = said.lines().find(|line| line.starts_with("An exception is not caught in ")).expect("what fails");
    assert!(line.contains("Dcl.java:"), "{line}");
    let programs = "crates/frontend/tests/programs/Threads.class";
    let said = text(&palisade(&["check", programs, "--engine", "operational", "--model", "sc"]));
    let line = said.lines().find(|line| line.starts_with("An exception is not caught in ")).expect("what fails");
    assert!(line.contains("Threads.java:") && line.contains("uncaught java.lang.IllegalStateException"), "{line}");
}

#[test]
fn racy_cells_of_c_are_named_by_member() {
    let path = std::env::temp_dir().join(format!("palisade-members-{}.c", std::process::id()));
    let code = "#include <pthread.h>\n#include <stdlib.h>\nstruct node { int value; struct node *next; };\n\
                struct queue { struct node *head; int count; } q;\n\
                void *run(void *p) { q.head->next = 0; q.count++; return 0; }\n\
                int main(void) { pthread_t t; q.head = malloc(sizeof(struct node)); pthread_create(&t, 0, run, 0); run(0);\n\
                pthread_join(t, 0); return 0; }\n";
    std::fs::write(&path, code).expect("the program is written");
    let output = palisade(&["races", &path.display().to_string()]);
    std::fs::remove_file(path).expect("the program is there");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("On node.next:\n") && said.contains("On q.count:\n"), "{said}");
}
