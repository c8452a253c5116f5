//! Random Java programs, compiled by `javac`, many in a batch: allocations, final fields, assertions with messages, early
//! returns, monitors with several exits, exceptions in `synchronized`. Each is made twice, with annotated threads and with a
//! `main` that starts them. What `jmm_under` finds `jmm-revised` allows, and what that allows `jmm_over` finds; what sc
//! finds tso finds, then pso, then `jmm_over`; and both forms of a program have the same answers.
//!
//! `SEED=n TIMES=n cargo test -p palisade-cli --test java_campaign -- --ignored` runs more of them. A program that fails is printed.

use std::path::{Path, PathBuf};
use std::process::Command;

use frontend::jvm::{self, ClassFile};
use operational::{Machine, Options};
use program::{Verdict, Verified, verify};
use testing::campaign::{self, Tally};
use testing::random::Random;

/// Writes the body of one random thread.
struct Body<'r> {
    random: &'r mut Random,
    code: String,
    /// Whether `catch` may occur, which the exact model does not read.
    throws: bool,
    depth: usize,
}

impl<'r> Body<'r> {
    fn new(random: &'r mut Random, throws: bool) -> Body<'r> {
        Body { random, code: String::new(), throws, depth: 0 }
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.random.below(from.len() as u64) as usize]
    }

    fn say(&mut self, line: &str) {
        self.code.push_str(&format!("        {line}\n"));
    }

    fn register(&mut self) -> &'static str {
        self.pick(&["r", "s"])
    }

    /// An access of a static field.
    fn access(&mut self) {
        let (field, register) = (self.pick(&["x", "y", "x", "y", "v"]), self.register());
        let value = 1 + self.random.below(2);
        match self.random.below(5) {
            0 | 1 => self.say(&format!("{field} = {value};")),
            2 => self.say(&format!("{field} = {register};")),
            _ => self.say(&format!("{register} = {field};")),
        }
    }

    /// What an object with a final field, a plain one and an array does.
    fn object(&mut self) {
        let (register, value) = (self.register(), 1 + self.random.below(2));
        match self.random.below(7) {
            0 | 1 => self.say(&format!("f = new F({value});")),
            2 => self.say("{ F g = f; h = g; }"),
            3 | 4 => {
                let (from, field) = (self.pick(&["f", "f", "h"]), self.pick(&["a", "a", "b", "q[0]"]));
                self.say(&format!("{{ F g = {from}; if (g != null) {register} = g.{field}; }}"));
            }
            5 => self.say(&format!("{{ int[] l = new int[2]; l[0] = {value}; {register} = l[0] + l[1]; }}")),
            _ => self.say(&format!("{{ F g = new F({register}); {register} = g.a; }}")),
        }
    }

    /// A branch that may leave the thread, or the method that it stands in.
    fn branch(&mut self) {
        let (register, value) = (self.register(), self.random.below(2));
        self.say(&format!("if ({register} == {value}) {{"));
        self.statement();
        if self.random.below(2) == 0 {
            self.say("return;");
        }
        self.say("}");
    }

    /// A critical section with one exit or several.
    fn section(&mut self) {
        let monitor = self.pick(&["m", "m", "n"]);
        self.say(&format!("synchronized ({monitor}) {{"));
        self.statement();
        match self.random.below(5) {
            0 | 1 => {
                let register = self.register();
                self.say(&format!("{register} = x; if ({register} == 1) {{ y = 2; return; }}"));
            }
            2 => self.say("synchronized (m) { x = x + 1; }"),
            3 => {
                let field = self.pick(&["x", "y"]);
                self.say(&format!("if ({field} == 0) {{ {field} = 1; return; }}"));
            }
            _ => self.statement(),
        }
        self.say("}");
    }

    fn exception(&mut self) {
        self.say("try { synchronized (m) { x = x + 1; if (y == 1) throw new IllegalStateException(); y = 1; } }");
        self.say("catch (IllegalStateException e) { s = 2; }");
    }

    /// Sections of one monitor, which guards all that is accessed, with several exits; what is read twice in one is the same.
    fn guarded(&mut self) {
        for _ in 0..self.random.below(2) {
            let first = self.pick(&[
                "synchronized (m) { if (y == 1) return; }",
                "synchronized (m) { if (x == 1) { y = 1; return; } y = 2; }",
                "synchronized (m) { synchronized (m) { if (y == 2) return; } y = 1; }",
                "synchronized (m) { y = y + 1; }",
                "for (int i = 0; i < 1; i++) { synchronized (m) { if (y == 1) continue; y = 1; } }",
            ]);
            self.say(first);
        }
        let last = self.pick(&[
            "synchronized (m) { x = 1; if (y == 2) return; x = 2; }",
            "synchronized (m) { x = 1; synchronized (m) { y = 1; } x = 2; }",
            "synchronized (m) { r = x; if (r == 2) return; s = x; }",
            "synchronized (m) { r = x; synchronized (m) { y = 1; } s = x; }",
        ]);
        self.say(last);
        self.say("assert r == s : \"r is \" + r;");
    }

    /// A write of something but the initial value to a place that another thread looks at.
    fn publish(&mut self, place: &str) {
        let written = match (place, self.random.below(6)) {
            ("f", _) => "f = new F(1);",
            ("h", 0) => "h = new F(2);",
            ("h", _) => "{ F g = f; h = g; }",
            ("v", _) => "v = 1;",
            ("x", 0) => "synchronized (m) { x = 1; }",
            ("x", _) => "x = 1;",
            (_, 0) => "synchronized (m) { if (y == 1) return; y = 1; }",
            (_, 1) => "if (x == 1) y = 1;",
            _ => "y = 1;",
        };
        self.say(written);
    }

    /// Two reads, of which the second sees the initial value although the first sees a later one: where that may be,
    /// something is written and read back, or a message is made.
    fn observe(&mut self, [first, second]: [&str; 2]) {
        if first == second && matches!(first, "f" | "h") {
            let field = self.pick(&["a", "b", "q[0]"]);
            self.say(&format!("{{ F g = {first}; if (g != null) {{ r = 1; s = g.{field}; }} }}"));
        } else {
            for (register, place) in [("r", first), ("s", second)] {
                let read = match place {
                    "f" | "h" => format!("{register} = {place} == null ? 0 : 1;"),
                    _ => format!("{register} = {place};"),
                };
                let is_guarded = self.random.below(8) == 0;
                self.say(&if is_guarded { format!("synchronized (m) {{ {read} }}") } else { read });
            }
        }
        let fails = self.pick(&[
            "assert r != 1 || s != 0;",
            "assert r != 1 || s != 0 : \"r is \" + r;",
            "if (r == 1 && s == 0) { F g = new F(3); assert g.b != 3; }",
            "if (r == 1 && s == 0) { z = 1; assert z != 1; }",
        ]);
        self.say(fails);
    }

    fn statement(&mut self) {
        self.depth += 1;
        let is_deep = self.depth > 2;
        match self.random.below(12) {
            0 | 1 if !is_deep => self.section(),
            2 | 3 if !is_deep => self.branch(),
            4 => {
                let register = self.register();
                self.say(&format!("{register} = take() ? 1 : 2;"));
            }
            5 if self.throws && !is_deep => self.exception(),
            6..=8 => self.object(),
            _ => self.access(),
        }
        self.depth -= 1;
    }
}

/// Which programs are made.
#[derive(Clone, Copy, PartialEq)]
enum Sort {
    /// Statements of all kinds, or sections of one monitor.
    Any,
    /// Small ones, in which what fails often does so in weaker models only.
    Weak,
}

/// The source of a program, with threads that are annotated and, under another name, with a `main`.
struct Source {
    text: String,
    classes: [String; 2],
    /// Whether the exact model does not read it.
    throws: bool,
}

/// The bodies of threads of any kind, and whether something may be thrown.
fn bodies(random: &mut Random) -> (Vec<String>, bool) {
    let throws = random.below(6) == 0;
    let is_guarded = random.below(4) == 0;
    let threads = if random.below(5) == 0 && !is_guarded { 3 } else { 2 };
    let mut bodies = Vec::new();
    for _ in 0..threads {
        let mut body = Body::new(random, throws);
        if is_guarded {
            body.guarded();
        } else {
            let length = if threads == 3 { 1 } else { 1 + body.random.below(2) };
            (0..length).for_each(|_| body.statement());
            let values = [0; 2].map(|_| body.random.below(3));
            body.say(&format!("assert r != {} || s != {} : \"r is \" + r;", values[0], values[1]));
        }
        bodies.push(body.code);
    }
    (bodies, throws)
}

/// The bodies of a thread that writes twice and of one that reads in the other order; sometimes both do both.
fn weak_bodies(random: &mut Random) -> Vec<String> {
    let places =
        [["x", "y"], ["y", "x"], ["x", "v"], ["v", "y"], ["x", "x"], ["f", "f"], ["f", "f"], ["h", "f"], ["f", "x"]];
    let [first, second] = places[random.below(places.len() as u64) as usize];
    let is_mutual = random.below(4) == 0;
    let mut writer = Body::new(random, false);
    [first, second].iter().for_each(|place| writer.publish(place));
    if is_mutual {
        writer.observe([first, second]);
    }
    let code = writer.code;
    let mut reader = Body::new(random, false);
    if is_mutual {
        reader.publish(second);
    }
    reader.observe([second, first]);
    vec![code, reader.code]
}

fn source(random: &mut Random, number: u64, sort: Sort) -> Source {
    let (bodies, throws) = match sort {
        Sort::Any => bodies(random),
        Sort::Weak => (weak_bodies(random), false),
    };
    let mut methods = String::new();
    let mut names = Vec::new();
    for (thread, code) in bodies.iter().enumerate() {
        methods
            .push_str(&format!("    ANNOTATION static void t{thread}() {{\n        int r = 0, s = 0;\n{code}    }}\n"));
        names.push(format!("t{thread}"));
    }
    let fields = "    static int x, y, z;\n    static volatile int v;\n    static F f, h;\n\
                  \x20   static final Object m = new Object(), n = new Object();\n\
                  \x20   static synchronized boolean take() { if (x == 0) { x = 1; return true; } return false; }\n";
    let starts: String =
        names.iter().map(|name| format!("        Thread {name} = new Thread(() -> {name}());\n")).collect();
    let runs: String = names.iter().map(|name| format!("        {name}.start();\n")).collect();
    let joins: String = names.iter().map(|name| format!("        {name}.join();\n")).collect();
    let main = format!("    public static void main(String[] a) throws Exception {{\n{starts}{runs}{joins}    }}\n");
    let classes = [format!("A{number}"), format!("M{number}")];
    let annotated = methods.replace("ANNOTATION", "@palisade.ThreadBody");
    let started = methods.replace("ANNOTATION ", "");
    let text =
        format!("class {} {{\n{fields}{annotated}}}\nclass {} {{\n{fields}{started}{main}}}\n", classes[0], classes[1]);
    Source { text, classes, throws }
}

/// The class of the objects of all programs.
const OBJECT: &str = "final class F {\n    final int a; int b; final int[] q;\n    \
                      F(int i) { q = new int[1]; a = i; b = i; q[0] = i; }\n}\n";

/// Compiles all sources at once; none if there is no compiler.
fn compile(sources: &[Source], folder: &Path) -> Option<()> {
    std::fs::create_dir_all(folder).expect("a folder");
    let text: String = sources.iter().map(|source| source.text.as_str()).chain([OBJECT]).collect();
    let file = folder.join("All.java");
    std::fs::write(&file, text).expect("a source");
    let annotations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/java/lib");
    let mut javac = Command::new("javac");
    javac.args(["--release", "8", "-g", "-proc:none", "-nowarn", "-Xlint:-options", "-implicit:none", "-sourcepath"]);
    let output = javac.arg(annotations).arg("-d").arg(folder).arg(&file).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

fn class_files(folder: &Path, class: &str) -> Vec<ClassFile> {
    let names = [format!("{class}.class"), "F.class".into()];
    let file = |name: String| {
        let bytes = std::fs::read(folder.join(&name)).ok()?;
        Some(ClassFile { name, bytes, source: None })
    };
    names.into_iter().filter_map(file).collect()
}

/// Whether a machine finds a failure; nothing if it does not come to an end.
fn finds(program: &Verified, machine: Machine) -> Option<bool> {
    let answer = campaign::soon(|interrupt| {
        let limits = operational::Limits { states: 4_000, interrupt, ..operational::Limits::default() };
        let options = Options { limits, explain: false, ..Options::default() };
        operational::check(program, machine, &options).unwrap_or_else(|what| panic!("{what:?}"))
    });
    // Where `jmm_over` finds something there is no schedule.
    let found = answer.explored.found || answer.schedule.is_some();
    let is_known = found || answer.explored.incomplete.is_none();
    is_known.then_some(found)
}

fn allows(program: &Verified, model: &axiomatic::Model) -> Option<bool> {
    let outcome = campaign::soon(|interrupt| {
        let budget = sat::Budget { conflicts: Some(3_000), interrupt };
        let options = axiomatic::Options { explain: false, budget, ..axiomatic::Options::default() };
        axiomatic::check(program, model, &options).unwrap_or_else(|what| panic!("{what:?}"))
    });
    match outcome.verdict {
        Verdict::Violated => Some(true),
        Verdict::Holds => Some(false),
        _ => None,
    }
}

fn compare(source: &Source, folder: &Path, model: &axiomatic::Model, tally: &mut Tally) {
    let [annotated, whole] = &source.classes;
    let started =
        jvm::program(&class_files(folder, whole), whole).unwrap_or_else(|wrong| panic!("{wrong}\n{}", source.text));
    let started = verify(started).unwrap_or_else(|wrong| panic!("{wrong:?}\n{}", source.text));
    let chain = [Machine::Sc, Machine::Tso, Machine::Pso, Machine::JmmOver];
    let found = chain.map(|machine| finds(&started, machine));
    for (machine, found) in chain.iter().zip(&found) {
        tally.count_if(found.is_some(), machine.name());
    }
    let part = |weaker: Option<bool>, stronger: Option<bool>, what: &str| {
        assert!(stronger != Some(true) || weaker != Some(false), "{what} misses a failure\n{}", source.text);
    };
    for (index, pair) in found.windows(2).enumerate() {
        part(pair[1], pair[0], chain[index + 1].name());
    }
    let under = finds(&started, Machine::JmmUnder);
    part(found[3], under, "jmm_over (of jmm_under)");
    tally.count_if(under.is_some(), Machine::JmmUnder.name());
    tally.count_if(under.is_some() && found.iter().all(Option::is_some), "decided by all machines");
    tally.count_if(found[3] == Some(true), "failing");
    tally.count_if(found[3] == Some(true) && found[0] == Some(false), "failing only in weaker models");
    if source.throws {
        return;
    }
    let options = jvm::Options { class: Some(annotated.clone()) };
    let bounded =
        jvm::load(&class_files(folder, annotated), &options).unwrap_or_else(|wrong| panic!("{wrong}\n{}", source.text));
    let bounded = verify(bounded.program).unwrap_or_else(|wrong| panic!("{wrong:?}\n{}", source.text));
    for (machine, found) in chain.into_iter().zip(found).take(3) {
        if let (Some(found), Some(other)) = (found, finds(&bounded, machine)) {
            assert_eq!(found, other, "`main` and annotated threads differ on {}\n{}", machine.name(), source.text);
        }
    }
    let over = finds(&bounded, Machine::JmmOver);
    part(over, found[2], "jmm_over with annotated threads");
    let exact = allows(&bounded, model);
    let under_annotated = finds(&bounded, Machine::JmmUnder);
    part(exact, under_annotated, "jmm-revised (of jmm_under)");
    part(exact, under, "jmm-revised (of jmm_under with main)");
    part(over, exact, "jmm_over (of jmm-revised)");
    tally.count_if(exact.is_some(), "jmm-revised");
    let all = exact.is_some() && over.is_some() && under_annotated.is_some();
    tally.count_if(all, "decided by jmm_under, jmm-revised and jmm_over");
    tally.count_if(all && exact != over, "jmm_over is not exact");
    tally.count_if(all && exact != under_annotated, "jmm_under is not exact");
}

/// Compares the programs with these numbers; nothing without a compiler.
fn compare_all(first: u64, times: u64, sort: Sort) -> Option<Tally> {
    let model = testing::model("jmm-revised.mm");
    let name = format!("palisade-java-{}-{first}-{}", std::process::id(), sort as u8);
    let folder: PathBuf = std::env::temp_dir().join(name);
    let sources: Vec<Source> =
        (first..first + times).map(|number| source(&mut Random::numbered(number), number, sort)).collect();
    sources.chunks(200).try_for_each(|some| compile(some, &folder))?;
    let tally = campaign::run_numbered(first, times, |number, tally| {
        compare(&sources[(number - first) as usize], &folder, &model, tally);
    });
    // Left to the system if it cannot be removed.
    let _ = std::fs::remove_dir_all(folder);
    Some(tally)
}

#[test]
fn stronger_models_are_part_of_weaker_ones_on_random_java_programs() {
    match compare_all(1036, 15, Sort::Any) {
        Some(tally) => assert!(tally.of("decided by all machines") > 5, "{tally:?}"),
        None => println!("skipped: no JDK"),
    }
}

#[test]
fn what_only_weak_reads_show_is_found_in_random_java_programs() {
    match compare_all(1, 20, Sort::Weak) {
        Some(tally) => assert!(tally.of("failing only in weaker models") > 3, "{tally:?}"),
        None => println!("skipped: no JDK"),
    }
}

#[test]
#[ignore = "takes long: TIMES programs, 2,500 unless said"]
fn stronger_models_are_part_of_weaker_ones_on_many_random_java_programs() {
    let (first, times) = campaign::asked(2_500);
    compare_all(first, times, Sort::Any);
}

#[test]
#[ignore = "takes long: TIMES programs, 2,500 unless said"]
fn what_only_weak_reads_show_is_found_in_many_random_java_programs() {
    let (first, times) = campaign::asked(2_500);
    compare_all(first, times, Sort::Weak);
}
