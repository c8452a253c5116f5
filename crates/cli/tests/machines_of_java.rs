//! TEMP
use frontend::jvm::{self, ClassFile};
use operational::{Assertions, Machine, Options};
use program::verify;
use std::path::Path;

fn main_program(folder: &str, name: &str) -> program::Verified {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/java").join(folder);
    let mut files = Vec::new();
    for e in std::fs::read_dir(&root).unwrap() {
        let p = e.unwrap().path();
        let f = p.file_name().unwrap().to_string_lossy().to_string();
        if f == format!("{name}.class") || f.starts_with(&format!("{name}$")) {
            files.push(ClassFile { name: f, bytes: std::fs::read(&p).unwrap(), source: None });
        }
    }
    verify(jvm::program(&files, name).unwrap_or_else(|d| panic!("{d}"))).unwrap()
}

#[test]
fn show() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/java");
    for n in 1..=20 {
        let name = format!("TC{n:02}");
        let bytes = std::fs::read(root.join(format!("{name}.class"))).unwrap();
        let file = ClassFile { name: name.clone(), bytes, source: None };
        let p = verify(jvm::load(&[file], &jvm::Options::default()).unwrap().program).unwrap();
        let t = std::time::Instant::now();
        let options = Options { assertions: Assertions::Possible, ..Options::default() };
        match operational::outcomes(&p, Machine::JmmOver, &options) {
            Ok(a) => println!(
                "{name}: found {} iter {} ws {} states {} {:?} {:?}",
                a.explored.found,
                a.explored.passes,
                a.explored.writes,
                a.explored.states,
                a.outcome.verdict,
                t.elapsed()
            ),
            Err(e) => println!("{name}: {e:?}"),
        }
    }
    for name in ["Hash", "Hash4", "Hash2", "IsPrime", "Dcl", "Peterson", "Dekker"] {
        let p = main_program("jpr", name);
        let t = std::time::Instant::now();
        let options = Options::default();
        match operational::check(&p, Machine::JmmOver, &options) {
            Ok(a) => println!(
                "{name}: found {} iter {} ws {} states {} {:?} {:?} {:?}",
                a.explored.found,
                a.explored.passes,
                a.explored.writes,
                a.explored.states,
                a.outcome.verdict,
                a.failure.map(|f| f.message),
                t.elapsed()
            ),
            Err(e) => println!("{name}: {e:?}"),
        }
    }
    for name in ["Dcl", "DclVol", "Dekker", "Peterson", "Singleton"] {
        let p = main_program("opmm", name);
        for m in [Machine::JmmUnder, Machine::JmmOver] {
            let t = std::time::Instant::now();
            match operational::check(&p, m, &Options::default()) {
                Ok(a) => println!(
                    "{name} {}: states {} {:?} {:?} {:?}",
                    m.name(),
                    a.explored.states,
                    a.outcome.verdict,
                    a.failure.map(|f| f.message),
                    t.elapsed()
                ),
                Err(e) => println!("{name}: {e:?}"),
            }
        }
    }
}
