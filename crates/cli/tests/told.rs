//! What answers tell: which sort of thing goes wrong, in which words, and where in the source.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value as Json;

/// A folder that is removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("palisade-told-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("the file is written");
        path.display().to_string()
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn palisade(arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new(env!("CARGO_BIN_EXE_palisade")).current_dir(root).args(arguments).output().expect("the binary runs")
}

fn said(arguments: &[&str]) -> String {
    let output = palisade(arguments);
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

fn json(arguments: &[&str]) -> Json {
    let output = palisade(&[arguments, &["--format", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Compiles a source of that name into `classes`; `None` where there is no compiler.
fn compiled(folder: &Folder, name: &str, text: &str) -> Option<String> {
    let source = folder.write(&format!("src/{name}.java"), text);
    let classes = folder.path("classes");
    std::fs::create_dir_all(&classes).expect("a folder");
    let javac = Command::new("javac").args(["-g", "-d", &classes, &source]).output();
    let Ok(output) = javac else {
        println!("skipped: no JDK");
        return None;
    };
    assert!(output.status.success(), "{output:?}");
    Some(folder.path(&format!("classes/{name}.class")))
}

const SC: [&str; 4] = ["--engine", "operational", "--model", "sc"];
const MCR: [&str; 4] = ["--engine", "mcr", "--model", "sc"];

/// An exception that nobody catches is named with its class and message, on every engine that runs the program.
#[test]
fn an_uncaught_exception_is_not_called_an_assertion() {
    let folder = Folder::new("exception");
    let code = "public class Till {\n  static int sum;\n  public static void main(String[] a) {\n    \
                new Thread(() -> sum = 5).start();\n    if (sum == 5)\n      \
                throw new IllegalStateException(\"sum is \" + sum);\n  }\n}\n";
    let Some(class) = compiled(&folder, "Till", code) else { return };
    for engine in [SC, MCR, ["--engine", "operational", "--model", "jmm_under"]] {
        let text = said(&[&["check", &class], &engine[..]].concat());
        assert!(text.contains("Violated: an exception can end a thread."), "{text}");
        // Under jmm_under the second read of `sum` may still see the first value.
        let sums: &[&str] = if engine.contains(&"jmm_under") { &["5", "0"] } else { &["5"] };
        let thrown = |sum: &&str| text.contains(&format!("uncaught java.lang.IllegalStateException: sum is {sum}"));
        assert!(sums.iter().any(thrown), "{text}");
        assert!(!text.contains("ssertion fails") && !text.contains("assertion can fail"), "{text}");
        let answer = json(&[&["check", &class], &engine[..]].concat());
        assert_eq!(answer["failure"]["kind"], "exception", "{answer}");
    }
}

#[test]
fn a_program_that_ends_itself_is_told_as_such() {
    let folder = Folder::new("exit");
    let code = "public class Ends {\n  static int x;\n  public static void main(String[] a) {\n    \
                new Thread(() -> x = 1).start();\n    if (x == 1) System.exit(3);\n  }\n}\n";
    let c = "#include <pthread.h>\n#include <stdlib.h>\nint x;\nvoid *run(void *p) { x = 1; return 0; }\n\
             int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); if (x) abort(); return 0; }\n";
    let c = folder.write("ends.c", c);
    let text = said(&["check", &c]);
    assert!(text.contains("the program ends itself") && text.contains("abort()"), "{text}");
    let text = said(&[&["check", &c], &SC[..]].concat());
    assert!(text.contains("Violated: the program can end itself with an error."), "{text}");
    let Some(class) = compiled(&folder, "Ends", code) else { return };
    let text = said(&[&["check", &class], &SC[..]].concat());
    assert!(text.contains("Violated: the program can end itself with an error."), "{text}");
    assert!(text.contains("System.exit(3)") && !text.contains("ssertion fails"), "{text}");
}

/// The message of an assertion is shown as the program puts it together.
#[test]
fn an_assertion_is_told_with_its_message() {
    for engine in [["--engine", "operational", "--model", "pso"], ["--engine", "operational", "--model", "jmm_over"]] {
        let text = said(&[&["check", "suites/java/over/Message.class"], &engine[..]].concat());
        assert!(text.contains("An assertion fails in main: "), "{text}");
        assert!(text.contains("seen[0] + seen[1] > 0: both 0: 0"), "{text}");
    }
}

/// An execution in which all assertions hold is not told as one in which one fails.
#[test]
fn an_execution_as_asked_has_no_failure() {
    let above = ["--engine", "operational", "--model", "jmm_over"];
    for (file, how, answer) in [
        ("suites/java/TC01.class", above, "Unknown: found"),
        ("suites/java/TC06.class", above, "Unknown: found"),
        ("suites/java/mcr/Example1.class", above, "Unknown: found"),
        ("suites/java/mcr/Example1.class", ["--engine", "operational", "--model", "sc"], "Allowed"),
        ("suites/java/mcr/Example1.class", ["--engine", "mcr", "--model", "sc"], "Allowed"),
    ] {
        let asked = [&["check", file, "--question", "possible"], &how[..]].concat();
        let text = said(&asked);
        assert!(text.contains(answer) && !text.contains("ssertion fails"), "{text}");
        assert_eq!(json(&asked)["failure"], Json::Null);
    }
}

#[test]
fn a_division_by_zero_is_told_in_words() {
    let folder = Folder::new("division");
    let c = "#include <pthread.h>\nint x, y = 1;\nvoid *run(void *p) { y = 0; return 0; }\n\
             int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); x = 10 / y; x = 7 % y; return 0; }\n";
    let c = folder.write("divides.c", c);
    let litmus = "C divides\n{ x=0; }\nP0(int* x) { int r0 = *x; int r1 = 4 / r0; }\nexists (0:r1=4)\n";
    let litmus = folder.write("divides.litmus", litmus);
    for engine in [&[][..], &SC, &MCR] {
        let text = said(&[&["check", &c], engine].concat());
        assert!(text.contains("division by zero") && !text.contains("sdiv"), "{text}");
        let text = said(&[&["check", &litmus], engine].concat());
        assert!(!text.contains("sdiv"), "{text}");
    }
}

/// What the exact models do not model is an error there, never a value from nowhere: machines find the exception.
#[test]
fn an_exception_is_not_proved_away_by_the_exact_models() {
    let folder = Folder::new("thrown");
    let thrown = [
        ("r = 6 / (x - 5);", "java.lang.ArithmeticException: / by zero"),
        ("r = six % x;", "java.lang.ArithmeticException: / by zero"),
        ("r = fixed[x];", "java.lang.ArrayIndexOutOfBoundsException"),
        ("fixed[x - 5] = 1;", "java.lang.ArrayIndexOutOfBoundsException"),
        ("r = none.r2;", "java.lang.NullPointerException"),
        ("r = nothing[0];", "java.lang.NullPointerException"),
    ];
    let case = |(number, (code, _)): (usize, &(&str, &str))| {
        format!(
            "class Case{number} {{\n  static int x, r, s; static long six = 6; static final int[] fixed = {{1, 2}};\n  \
             static Case{number} none; static int[] nothing; int r2;\n  static void t() {{ {} }}\n  \
             public static void main(String[] a) throws Exception {{\n    \
             Thread t = new Thread(Case{number}::t), u = new Thread(() -> {{ x = 5; s = 1; }});\n    \
             t.start(); u.start(); t.join(); u.join(); assert s == 1 && r < 100;\n  }}\n}}\n",
            code.replace("six", "(int) six")
        )
    };
    let text: String = thrown.iter().enumerate().map(case).collect();
    if compiled(&folder, "Case0", &text).is_none() {
        return;
    }
    for (number, (code, exception)) in thrown.iter().enumerate() {
        let class = folder.path(&format!("classes/Case{number}.class"));
        let text = said(&["check", &class, "--model", "jmm-revised", "--engine", "axiomatic"]);
        // A thread ends where it accesses null, so that the axioms speak of what the others do then.
        let said = match exception.contains("NullPointer") {
            true => "Violated: an exception can end a thread.",
            false => "Unknown: some execution ends in an error",
        };
        assert!(text.contains(said) && text.contains(exception), "{code}\n{text}");
        // Machines know exceptions.
        assert_eq!(json(&["check", &class])["failure"]["kind"], "exception", "{code}");
        assert_eq!(json(&["check", &class, "--model", "jmm-revised"])["failure"]["kind"], "exception", "{code}");
        assert_eq!(json(&[&["check", &class], &SC[..]].concat())["failure"]["kind"], "exception", "{code}");
    }
}

/// Where the length of an array is not known, or the class of an object, the exact models do not answer; the bounds of Java do.
#[test]
fn an_index_or_a_cast_that_is_not_checked_is_not_proved_right() {
    let folder = Folder::new("unchecked");
    let program = |name: &str, fields: &str, first: &str, second: &str| {
        format!(
            "public class {name} {{\n  {fields}\n  static void t() {{ {first} }}\n  static void u() {{ {second} }}\n  \
             public static void main(String[] a) throws Exception {{\n    Thread t = new Thread({name}::t), u = new Thread({name}::u);\n    \
             t.start(); u.start(); t.join(); u.join();\n  }}\n}}\n"
        )
    };
    let exact = ["--model", "jmm-revised", "--engine", "axiomatic"];
    for (name, fields, first, second, refused) in [
        ("Index", "static int[] q = {1, 2}; static int x;", "x = 7;", "q[x] = 2;", "an index into an array"),
        (
            "Short",
            "static int[] q = {1, 2}; static int x;",
            "q = new int[1];",
            "q[1] = 2;",
            "an index that is out of bounds",
        ),
        (
            "Cast",
            "static class A {} static class B extends A {} static A o = new B();",
            "o = new A();",
            "B b = (B) o;",
            "a cast",
        ),
    ] {
        let Some(class) = compiled(&folder, name, &program(name, fields, first, second)) else { return };
        let text = said(&[&["check", &class], &exact[..]].concat());
        assert!(text.contains(refused) && text.contains("is not supported"), "{text}");
        assert_eq!(json(&["check", &class])["verdict"], "violated", "{name}");
    }
    // What is within the bounds of every array is in order.
    let fine = program("Fine", "static int[] q = {1, 2}; static int x;", "q = new int[3];", "q[1] = 2;");
    let Some(class) = compiled(&folder, "Fine", &fine) else { return };
    assert!(said(&[&["check", &class], &exact[..]].concat()).contains("Holds"));
}

/// In `main`, too, while other threads run and after they have ended.
#[test]
fn an_index_in_main_is_checked() {
    let folder = Folder::new("unchecked-main");
    let exact = ["--model", "jmm-revised", "--engine", "axiomatic"];
    let fields = "static int[] q = {1, 2}; static int x;";
    for (name, body, main, expected) in [
        ("Racing", "x = 7;", "int k = x; q[k] = 2; t.join();", "an index into an array"),
        ("After", "x = 1;", "t.join(); q[x + 1] = 2;", "an index into an array"),
        ("Shorter", "q = new int[1];", "q[1] = 2; t.join();", "an index that is out of bounds"),
        ("Own", "x = 1; r[0] = 1;", "t.join(); r[x + 1] = 2;", "ArrayIndexOutOfBounds"),
        ("Fine", "q = new int[3]; x = 1;", "q[1] = 2; t.join(); r[x] = 2; q[0] = r[1];", "Holds"),
    ] {
        let code = format!(
            "public class {name} {{\n  {fields}\n  public static void main(String[] a) throws Exception {{\n    \
             int[] r = new int[2];\n    Thread t = new Thread(() -> {{ r[1] = 0; {body} }});\n    t.start();\n    {main}\n  }}\n}}\n"
        );
        let Some(class) = compiled(&folder, name, &code) else { return };
        let text = said(&[&["check", &class], &exact[..]].concat());
        assert!(text.contains(expected), "{name}: {text}");
        let verdict = if expected == "Holds" { "holds" } else { "violated" };
        assert_eq!(json(&["check", &class])["verdict"], verdict, "{name}");
    }
}

/// What the solver does not take under the exact models, `wait` among it, the machines answer.
#[test]
fn a_program_that_waits_is_answered_by_machines() {
    let folder = Folder::new("waits");
    for (name, wait, verdict) in [("Asks", "while (!ready) l.wait();", "holds"), ("Trusts", "l.wait();", "violated")] {
        let code = format!(
            "public class {name} {{\n  static boolean ready;\n  static final Object l = new Object();\n  \
             static void t() {{ synchronized (l) {{ try {{ {wait} }} catch (InterruptedException e) {{ }} }} }}\n  \
             public static void main(String[] a) throws Exception {{\n    Thread t = new Thread({name}::t);\n    t.start();\n    \
             synchronized (l) {{ ready = true; l.notify(); }}\n    t.join();\n  }}\n}}\n"
        );
        let Some(class) = compiled(&folder, name, &code) else { return };
        assert_eq!(json(&["check", &class])["verdict"], verdict, "{name}");
        assert_eq!(json(&["check", &class, "--model", "jmm-revised"])["verdict"], verdict, "{name}");
        let text = said(&["check", &class, "--model", "jmm-revised", "--engine", "axiomatic"]);
        assert!(text.contains("is not supported"), "{text}");
    }
}

#[test]
fn floating_point_numbers_are_shown_as_numbers() {
    let folder = Folder::new("floats");
    let code = "public class Rate {\n  static double rate;\n  float part;\n  double[] all = new double[2];\n  \
                public static void main(String[] a) {\n    Rate r = new Rate();\n    rate = 2.5;\n    \
                r.part = 0.25f;\n    r.all[1] = -1.5;\n    assert rate + r.part + r.all[1] > 2;\n  }\n}\n";
    let Some(class) = compiled(&folder, "Rate", code) else { return };
    for engine in [SC, MCR] {
        let text = said(&[&["check", &class], &engine[..]].concat());
        let shown = if engine == SC { &["2.5", "0.25", "-1.5"][..] } else { &["-1.5"] };
        for shown in shown {
            assert!(text.contains(&format!("={shown}")) || text.contains(&format!("= {shown}")), "{shown}: {text}");
        }
        assert!(!text.contains("4612811918334230528"), "{text}");
    }
    let answer = json(&[&["check", &class], &SC[..]].concat()).to_string();
    assert!(answer.contains("\"2.5\"") && !answer.contains("4612811918334230528"), "{answer}");
    for model in ["sc", "jmm", "jmm_over"] {
        let asked = ["outcomes", &class, "--model", model];
        let text = said(&asked);
        assert!(text.contains("    2.5\n") && !text.contains("4612811918334230528"), "{model}: {text}");
        assert_eq!(json(&asked)["outcomes"][0]["state"]["rate"], "2.5", "{model}");
    }
    let code = "public class Detail {\n  static double rate = 2.25;\n  \
                public static void main(String[] a) {\n    assert rate < 2 : rate;\n  }\n}\n";
    let Some(detail) = compiled(&folder, "Detail", code) else { return };
    let text = said(&[&["check", &detail], &SC[..]].concat());
    assert!(text.contains(": 2.25"), "{text}");
    let text = said(&["check", &class, "--engine", "operational", "--model", "jmm_over", "--show-writes"]);
    assert!(text.contains("rate: 0.0 at first; 2.5 by main") && text.contains("0.25 by main"), "{text}");
}

const BANK: &str = "public class Bank {\n  static int sum;\n\n  static class Clerk extends Thread {\n    \
                    public void run() {\n      int seen = sum;\n      sum = seen + 1;\n    }\n  }\n\n  \
                    public static void main(String[] a) throws Exception {\n    Clerk first = new Clerk(), second = new Clerk();\n    \
                    first.start();\n    second.start();\n    first.join();\n    second.join();\n    assert sum == 2;\n  }\n}\n";

/// Lines are those of the source also where it is not beside the class file.
#[test]
fn lines_come_from_the_line_table() {
    let folder = Folder::new("lines");
    let Some(class) = compiled(&folder, "Bank", BANK) else { return };
    let text = said(&[&["check", &class], &SC[..]].concat());
    assert!(text.contains("Bank.java:17: ") && !text.contains(".class:"), "{text}");
    for command in [&["check", &class, "--engine", "mcr", "--model", "sc"][..], &["races", &class]] {
        let text = said(command);
        assert!(text.contains("Bank.java:7") && !text.contains(".class:"), "{text}");
    }
    let answer = json(&[&["check", &class], &SC[..]].concat());
    assert_eq!(answer["failure"]["span"]["file"], "Bank.java");
    assert_eq!(answer["failure"]["span"]["line"], 17);
    let schedule = folder.path("schedule");
    said(&[&["check", &class, "--schedule", &schedule], &SC[..]].concat());
    let text = said(&["replay", &class, &schedule]);
    assert!(text.contains("Bank.java:7") && text.contains("java/lang/Thread.java:"), "{text}");
    let page = said(&[&["check", &class, "--format", "html"], &SC[..]].concat());
    assert!(page.contains("Bank.main:17"), "{page}");
}

#[test]
fn sources_are_found_by_the_source_path() {
    let folder = Folder::new("path");
    let Some(class) = compiled(&folder, "Bank", BANK) else { return };
    let sources = folder.path("src");
    let with = |command: &[&str]| said(&[command, &["--source-path", &sources][..]].concat());
    let text = with(&[&["check", &class], &SC[..]].concat());
    assert!(text.contains("write sum = 1") && text.contains("Bank$Clerk.run(Bank.java:7)"), "{text}");
    assert!(text.contains("src/Bank.java:17:5: sum == 2"), "{text}");
    assert!(with(&["races", &class]).contains("src/Bank.java:7:7"));
    let page = with(&[&["check", &class, "--format", "html"], &SC[..]].concat());
    assert!(page.contains("int seen = sum;"), "{page}");
    let missing = said(&["check", &class, "--source-path", &folder.path("nowhere")]);
    assert!(missing.contains("is no folder"), "{missing}");
    let other = said(&["check", "suites/tour/SB.litmus", "--source-path", &sources]);
    assert!(other.contains("--source-path is for Java"), "{other}");
}

/// The page of a C program shows the program, with every engine.
#[test]
fn the_page_of_a_c_program_shows_its_source() {
    let folder = Folder::new("page");
    let c = "#include <pthread.h>\n#include <assert.h>\nint shared_counter;\nvoid *run(void *p) { shared_counter++; return 0; }\n\
             int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); shared_counter++; pthread_join(t, 0);\n\
             assert(shared_counter == 2); return 0; }\n";
    let c = folder.write("counter.c", c);
    for engine in [&["--model", "sc"][..], &SC, &MCR] {
        let page = said(&[&["check", &c, "--format", "html"], engine].concat());
        assert!(page.contains("assert(shared_counter == 2)") && page.contains("void *run("), "{engine:?} {page}");
        assert!(!page.contains("__STDC") && !page.contains("#define __"), "{engine:?} {page}");
    }
}

/// Objects of the library are of the JDK's types.
#[test]
fn library_objects_have_the_types_of_the_jdk() {
    let folder = Folder::new("types");
    let code = "import java.util.*;\npublic class Types {\n  enum Color { RED }\n  public static void main(String[] a) {\n    \
        Object[] all = { \"s\", 1, 2L, 'c', true, new StringBuilder(), new StringBuffer(), new ArrayList<String>(),\n      \
        new HashMap<String, String>(), new HashSet<String>(), Color.RED, new RuntimeException(), new int[1] };\n    \
        for (Object o : all) { java.io.Serializable s = (java.io.Serializable) o; assert o instanceof java.io.Serializable; }\n    \
        assert all[0] instanceof Comparable && all[5] instanceof Comparable && all[10] instanceof Comparable;\n    \
        assert all[7] instanceof Cloneable && all[7] instanceof RandomAccess && all[7] instanceof AbstractList;\n    \
        assert all[8] instanceof AbstractMap && all[9] instanceof AbstractSet && all[6] instanceof CharSequence;\n    \
        assert all[1] instanceof Number && !(all[4] instanceof Number) && all[7] instanceof Iterable;\n  }\n}\n";
    let Some(class) = compiled(&folder, "Types", code) else { return };
    for engine in [SC, MCR] {
        let text = said(&[&["check", &class], &engine[..]].concat());
        assert!(text.contains("Holds"), "{text}");
    }
}

/// What may be any value proves nothing; but hash codes stay the same, and time does not go back. Only a few are tried, and who asks
/// for them is told so.
#[test]
fn hash_codes_and_times_are_not_known() {
    let folder = Folder::new("any");
    let open = [
        ("Hash", "Object o = new Object(); assert o.hashCode() == 0;"),
        ("Small", "Object o = new Object(); assert o.hashCode() < 1000;"),
        ("Same", "assert System.identityHashCode(new Object()) == System.identityHashCode(new Object());"),
        ("Nano", "long t = System.nanoTime(); assert System.nanoTime() - t < 1000;"),
        ("Milli", "assert System.currentTimeMillis() == System.currentTimeMillis();"),
    ];
    let kept = [
        ("Stays", "Object o = new Object(); assert o.hashCode() == System.identityHashCode(o);"),
        (
            "Found",
            "java.util.HashMap<Object, Integer> m = new java.util.HashMap<>(); Object k = new Object(); m.put(k, 1);\n\
                   assert m.get(k) == 1 && m.get(new Object()) == null;",
        ),
        (
            "Later",
            "final long t = System.nanoTime(); Thread x = new Thread(() -> { assert System.nanoTime() >= t; });\n\
                   x.start(); x.join(); assert System.nanoTime() >= t;",
        ),
    ];
    for (name, statement) in open.iter().chain(&kept) {
        let code =
            format!("public class {name} {{ public static void main(String[] a) throws Exception {{ {statement} }} }}");
        let Some(class) = compiled(&folder, name, &code) else { return };
        let expected = if kept.iter().any(|(other, _)| other == name) { "Holds" } else { "Violated" };
        for engine in [SC, MCR] {
            let text = said(&[&["check", &class], &engine[..]].concat());
            assert!(text.contains(expected), "{name}: {text}");
            let is_told = text.contains("identity hash codes are") || text.contains("the time goes on");
            assert_eq!(is_told, ["Stays", "Later"].contains(name), "{name}: {text}");
        }
    }
}

/// A buffer that is appended while it shrinks: the JDK's copies what is there.
#[test]
fn appending_a_buffer_that_shrinks_throws_nothing() {
    let folder = Folder::new("buffer");
    let code = "public class Shrinks {\n  static final StringBuffer text = new StringBuffer(\"abc\");\n  \
                public static void main(String[] a) throws Exception {\n    Thread t = new Thread(() -> text.setLength(0));\n    \
                t.start();\n    new StringBuffer().append(text);\n    t.join();\n  }\n}\n";
    let Some(class) = compiled(&folder, "Shrinks", code) else { return };
    let text = said(&[&["check", &class], &SC[..]].concat());
    assert!(text.contains("Holds"), "{text}");
}

/// What a program of Java asks of the library goes wrong where the program asks for it.
#[test]
fn an_exception_of_the_library_is_placed_in_the_users_code() {
    let folder = Folder::new("library");
    let text = "import java.util.*;\nimport java.util.concurrent.locks.*;\npublic class Asks {\n  \
                static List<Integer> list = new ArrayList<>();\n  static int get(int index) {\n    return list.get(index);\n  }\n  \
                public static void main(String[] a) throws Exception {\n    int which = WHICH;\n    if (which == 0) {\n      \
                which = get(5);\n    } else if (which == 1) {\n      which = Integer.parseInt(\"x1\");\n    } else {\n      \
                new ReentrantLock().unlock();\n    }\n  }\n}\n";
    for (which, line) in [("0", 6), ("1", 13), ("2", 15)] {
        let Some(class) = compiled(&folder, "Asks", &text.replace("WHICH", which)) else { return };
        for engine in ["operational", "mcr"] {
            let answer = json(&["check", &class, "--engine", engine, "--model", "sc"]);
            let span = &answer["failure"]["span"];
            assert_eq!(
                (&span["file"], &span["line"]),
                (&"Asks.java".into(), &line.into()),
                "{which} {engine}: {answer}"
            );
        }
    }
}

/// Each of two assertions on one line is told in its own words, with every engine.
#[test]
fn assertions_on_one_line_have_their_own_text() {
    let folder = Folder::new("one-line");
    let text = "public class Two {\n  static int x = 3;\n  public static void main(String[] a) {\n    \
                x = x + 1;\n    assert x == 4; assert x == 5;\n  }\n}\n";
    let source = folder.write("src/Two.java", text);
    let Some(_) = compiled(&folder, "Two", text) else { return };
    for engine in [&["--engine", "axiomatic"][..], &["--engine", "operational", "--model", "sc"]] {
        let text = said(&[&["check", &source], engine].concat());
        assert!(text.contains("x == 5") && !text.contains(": x == 4"), "{engine:?}: {text}");
    }
}

/// Everything in a program of Java that is not modelled is listed, in the order of the source.
#[test]
fn refused_calls_are_listed_together() {
    let folder = Folder::new("refused");
    let text = "public class Refused {\n  public static void main(String[] a) throws Exception {\n    \
                Thread t = new Thread(() -> {\n      new java.io.File(\"x\").delete();\n    });\n    t.start();\n    \
                Object o = Class.forName(\"A\");\n    java.nio.file.Files.exists(null);\n    t.join();\n  }\n}\n";
    let source = folder.write("src/Refused.java", text);
    let Some(_) = compiled(&folder, "Refused", text) else { return };
    let text = said(&["check", &source, "--engine", "operational", "--model", "sc"]);
    let places = ["java.io.File", "Class.forName", "Files.exists"].map(|part| text.find(part));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{text}");
    assert!(!text.contains("<init>"), "{text}");
    let text = said(&["check", &source]);
    assert!(text.contains("Class.forName") && text.contains("Files.exists"), "{text}");
}

/// `compare` and `suite` say whether torn variables were looked for, as every answer does.
#[test]
fn many_answers_tell_of_tearing() {
    let folder = Folder::new("tearing");
    let text = "public class Wide {\n  static long x;\n  public static void main(String[] a) throws Exception {\n    \
                Thread t = new Thread(() -> { x = -1; });\n    Thread u = new Thread(() -> { long seen = x; assert seen <= 0; });\n    \
                t.start();\n    u.start();\n  }\n}\n";
    let Some(class) = compiled(&folder, "Wide", text) else { return };
    for command in [&["compare", "sc", "jmm-revised"][..], &["suite"]] {
        let asked = [command, &[&class]].concat();
        assert!(said(&asked).contains("Tearing is not looked for"), "{}", said(&asked));
        assert_eq!(json(&asked)["rows"][0]["tearing"], false, "{command:?}");
        let asked = [&asked[..], &["--tearing"]].concat();
        assert!(said(&asked).contains("Tearing is looked for"), "{}", said(&asked));
        assert_eq!(json(&asked)["rows"][0]["tearing"], true, "{command:?}");
    }
}

#[test]
fn answers_tell_how_often_waits_end_without_a_notification() {
    for model in ["sc", "jmm-revised"] {
        let asked = ["check", "--model", model, "suites/java/ordinary/WhileNotIf.class"];
        let text = said(&asked);
        assert!(text.contains("Holds") && text.contains("at most once in each call"), "{model}: {text}");
        assert_eq!(json(&asked)["spurious_wakeups"], 1, "{model}");
        let asked = ["check", "--model", model, "suites/java/ordinary/ParkOnce.class"];
        assert!(!said(&asked).contains("Spurious"), "{}", said(&asked));
        let asked = ["check", "--model", model, "suites/java/memory/ForksInOrder.class"];
        assert!(!said(&asked).contains("Spurious"), "{}", said(&asked));
    }
}
