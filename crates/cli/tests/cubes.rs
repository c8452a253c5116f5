//! One exploration as several processes: `check --cubes`, `check --cube`, `merge`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\natomic_int x, y;\n\
    static void *add(void *p) {\n  for (int i = 0; i < 2; i++) {\n\
    \x20   atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);\n\
    \x20   atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);\n  }\n  return 0;\n}\n\
    int main(void) {\n  pthread_t a, b, c;\n  pthread_create(&a, 0, add, 0);\n  pthread_create(&b, 0, add, 0);\n\
    \x20 pthread_create(&c, 0, add, 0);\n  pthread_join(a, 0);\n  pthread_join(b, 0);\n\
    #ifndef EARLY\n  pthread_join(c, 0);\n#endif\n  assert(x == 6);\n  return 0;\n}\n";

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("palisade-cubes-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        std::fs::write(path.join("adds.c"), PROGRAM).expect("written");
        Folder(path)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_palisade")).current_dir(&self.0).args(arguments).output().expect("runs")
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// Divides, answers for each part, and merges those whose numbers are taken: exit code and text.
fn merged(folder: &Folder, defines: &[&str], take: fn(usize) -> bool) -> (Option<i32>, String) {
    let ask = [&["check", "adds.c", "--engine", "mcr"], defines].concat();
    let output = folder.run(&[&ask[..], &["--cubes", "5"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let mut parts = vec!["merge".to_string()];
    for number in (1..=5).filter(|number| take(*number)) {
        let (cube, part) = (format!("cubes/cube-{number}.json"), format!("cubes/part-{number}.json"));
        let output = folder.run(&[&ask[..], &["--cube", &cube, "--format", "json", "--output", &part]].concat());
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text(&output));
        parts.push(part);
    }
    let output = folder.run(&parts.iter().map(String::as_str).collect::<Vec<_>>());
    (output.status.code(), text(&output))
}

#[test]
fn an_exploration_is_divided_and_put_together() {
    let folder = Folder::new("whole");
    let (code, said) = merged(&folder, &[], |_| true);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("Holds: nothing goes wrong in any part."), "{said}");
    let whole = text(&folder.run(&["check", "adds.c", "--engine", "mcr"]));
    let number = |said: &str| {
        said.split([' ', '\n'])
            .zip(said.split([' ', '\n']).skip(1))
            .find(|(_, word)| word.starts_with("executions"))
            .map(|(number, _)| number.to_string())
    };
    assert!(number(&said).is_some() && number(&said) == number(&whole), "{said}\n{whole}");
    let (code, said) = merged(&folder, &[], |number| number != 3);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("Unknown: not explored to the end: 3 of 5."), "{said}");
    let (code, said) = merged(&folder, &["-D", "EARLY"], |_| true);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("Violated: ") && said.contains("cubes/part-"), "{said}");
}

#[test]
fn cubes_are_for_what_they_were_made_of() {
    let folder = Folder::new("wrong");
    let made = folder.run(&["check", "adds.c", "--engine", "mcr", "--cubes", "2"]);
    assert!(text(&made).contains("2 cubes are in cubes"), "{}", text(&made));
    std::fs::write(folder.0.join("no.json"), "{}").expect("written");
    // A model is known by what its file says, not by its name.
    let model = |more: &str| {
        format!(
            "mine\ninclude \"palisade.cat\"\nacyclic po | rf | co | fr as order\nempty rmw & (fre ; coe) as atomic\n{more}"
        )
    };
    std::fs::write(folder.0.join("mine.cat"), model("")).expect("written");
    let ask = ["check", "adds.c", "--engine", "mcr", "--model", "mine.cat", "--cubes-to", "own"];
    let made = folder.run(&[&ask[..], &["--cubes", "2"]].concat());
    assert_eq!(made.status.code(), Some(0), "{}", text(&made));
    let one = [&ask[..6], &["--cube", "own/cube-1.json"]].concat();
    assert_eq!(folder.run(&one).status.code(), Some(0), "{}", text(&folder.run(&one)));
    std::fs::write(folder.0.join("mine.cat"), model("acyclic po | rf as more\n")).expect("written");
    let changed = folder.run(&one);
    assert!(
        changed.status.code() == Some(2) && text(&changed).contains("of another program, model"),
        "{}",
        text(&changed)
    );
    let other = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/tour/SB.litmus").display().to_string();
    for (arguments, part) in [
        (
            &["check", "adds.c", "--engine", "mcr", "-D", "EARLY", "--cube", "cubes/cube-1.json"][..],
            "of another program",
        ),
        (&["check", "adds.c", "--engine", "mcr", "--model", "sc", "--cube", "cubes/cube-1.json"], "of another program"),
        (&["check", "adds.c", "--engine", "mcr", "--cube", "no.json"], "is no file of --cubes"),
        (&["check", "adds.c", "--engine", "axiomatic", "--cubes", "2"], "--engine mcr"),
        (&["check", &other, "--engine", "mcr", "--cubes", "2"], "one C program"),
        (&["outcomes", "adds.c", "--engine", "mcr", "--cubes", "2"], "`check`"),
        (&["check", "adds.c", "--engine", "mcr", "--cubes", "0"], "0"),
    ] {
        let output = folder.run(arguments);
        assert!(output.status.code() == Some(2) && text(&output).contains(part), "{arguments:?}: {}", text(&output));
    }
}
