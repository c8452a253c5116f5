//! The public litmus tests, where they are present next to the project: every X86 and C11 file must be read, and keep the
//! law of the representation; files of other languages must be refused by the name of their language.

use std::path::{Path, PathBuf};

fn suites() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites/litmus");
    let present = folder.is_dir();
    if !present {
        println!("skipped: {} is not present", folder.display());
    }
    present.then_some(folder)
}

/// All litmus files below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "litmus") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn all_are_read(language: &str) {
    let Some(folder) = suites() else { return };
    let mut failures = Vec::new();
    for path in files(&folder.join(language)) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        match frontend::litmus::parse(&path.display().to_string(), &text) {
            Err(errors) => failures.push(errors.to_string()),
            Ok(parsed) => {
                let breaches = program::verify(parsed.program).err().unwrap_or_default();
                failures.extend(breaches.iter().map(|breach| format!("{}: {}", path.display(), breach.message)));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_public_x86_test_is_read() {
    all_are_read("X86");
}

#[test]
fn every_public_c11_test_is_read() {
    all_are_read("C11");
}

#[test]
fn tests_of_other_languages_are_refused_by_name() {
    let Some(folder) = suites() else { return };
    for (sub, language) in [("AARCH64", "AArch64"), ("RISCV", "RISCV"), ("PPC", "PPC")] {
        for path in files(&folder.join(sub)) {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            let errors = frontend::litmus::parse("test", &text).unwrap_err().to_string();
            assert_eq!(
                errors,
                format!("test:1:1: error: the language {language} is not supported"),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn tests_of_the_linux_kernel_are_refused_without_panic() {
    let Some(folder) = suites() else { return };
    for path in files(&folder.join("LKMM")) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        if let Err(errors) = frontend::litmus::parse("test", &text) {
            assert!(errors.messages.len() <= 40);
        }
    }
}
