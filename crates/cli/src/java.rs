//! Java programs: class files with what lies beside them, and sources that `javac` compiles.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use frontend::jvm::{self, ClassFile};
use palisade::task::verified;
use palisade::{Property, Task};
use program::{Diagnostics, Program};

use crate::arguments::CSource;
use crate::failure::{Failure, warnings};
use crate::files::{bytes, read};

/// More classes than this are not a test.
const MOST_CLASSES: usize = 1_000;

/// What to do with a `.java` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Compile it.
    Compile,
    /// Read the class file of the same stem beside it if there is one; else compile.
    UseClassFile,
}

/// Whether a file holds Java, as source or compiled.
pub fn is_java(path: &Path) -> bool {
    path.extension().is_some_and(|own| own == "java" || own == "class")
}

/// The classes of a program, and the one that was asked for.
pub type Classes = (Vec<ClassFile>, Option<String>);

/// What a class file or source asks. A class file is read with those of the classes that it mentions, directly or not, that lie
/// under the same root of the class path; each with its Java source if that lies beside.
pub fn task(path: &Path, source: &CSource, compile: Source) -> Result<(Task, Option<Diagnostics>), Failure> {
    let folders = &source.source_path;
    if let Some(folder) = folders.iter().find(|folder| !folder.is_dir()) {
        return Err(Failure::file(folder, "is no folder (--source-path)"));
    }
    let is_class = path.extension().is_some_and(|own| own == "class");
    let (files, class) = if is_class { class_files(path, folders)? } else { source_files(path, compile)? };
    if jvm::stress_test(&files).is_some() {
        let program = match crate::jdk::installed() {
            Some(jdk) => jvm::stress_program(&files, &jdk),
            None => jvm::stress_program(&files, &jvm::NoJdk).map_err(without_jdk),
        };
        return Ok((Task::Litmus(verified(program?)?, Property::default()), None));
    }
    let torn = |program: Program| if source.tearing { tear(program) } else { Ok(program) };
    let loaded = jvm::load(&files, &jvm::Options { class: class.clone() });
    let found = loaded.as_ref().ok().map(|parsed| (&parsed.program, parsed.warnings.clone()));
    let warnings = found.and_then(|(program, messages)| warnings(program, messages));
    let unfolded = loaded.and_then(|parsed| torn(parsed.program));
    if jvm::has_annotated_threads(&files) {
        let task = Task::Litmus(verified(unfolded?)?, Property::default());
        return Ok((task, warnings));
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let class = class.unwrap_or(stem);
    let run = match crate::jdk::installed() {
        Some(jdk) => jvm::program_with(&files, &class, &jdk),
        None => jvm::program(&files, &class).map_err(without_jdk),
    };
    let run = run.and_then(torn);
    Ok((Task::main(run, unfolded)?, warnings))
}

/// What the class of a file says of itself, if it is a test of jcstress.
pub fn stress_test(path: &Path) -> Option<jvm::StressTest> {
    let file = path.with_extension("class");
    let (files, _) = (is_java(path) && file.is_file()).then(|| class_files(&file, &[]).ok()).flatten()?;
    jvm::stress_test(&files)
}

/// Says what would help where there is no JDK.
fn without_jdk(mut refused: Diagnostics) -> Diagnostics {
    let first = refused.messages.iter_mut().find(|message| message.is_unsupported);
    first.into_iter().for_each(|message| {
        message
            .notes
            .push("no JDK was found; set JAVA_HOME to one of version 17 or newer, whose classes are used then".into());
    });
    refused
}

/// The program with its variables in halves.
fn tear(program: Program) -> Result<Program, Diagnostics> {
    let sources = program.sources.clone();
    jvm::tear(program).map_err(|unsupported| Diagnostics { sources, messages: vec![unsupported.into()] })
}

fn class_files(path: &Path, sources: &[PathBuf]) -> Result<Classes, Failure> {
    let own = bytes(path)?;
    let names = jvm::mentioned_classes(&own);
    let whole = resolved(path);
    let own_name = names.iter().filter(|name| whole.ends_with(class_path(name))).max_by_key(|name| name.len());
    let root = root_of(path, &own_name.map_or_else(PathBuf::new, |name| class_path(name).into()));
    let mut seen: BTreeSet<String> = own_name.cloned().into_iter().collect();
    let mut open: Vec<String> = names.iter().filter(|name| Some(*name) != own_name).cloned().collect();
    let mut files = vec![with_source(path, own, own_name.map(String::as_str), sources)];
    while let Some(name) = open.pop() {
        let beside = root.join(class_path(&name));
        if !is_plain(&name) || !seen.insert(name.clone()) || !beside.is_file() {
            continue;
        }
        if files.len() == MOST_CLASSES {
            return Err(Failure::file(path, format!("mentions more than {MOST_CLASSES} classes")));
        }
        let bytes = bytes(&beside)?;
        open.extend(jvm::mentioned_classes(&bytes));
        files.push(with_source(&beside, bytes, Some(&name), sources));
    }
    Ok((files, own_name.cloned()))
}

/// Compiles a Java source, and the sources that it needs from the same root.
fn source_files(path: &Path, source: Source) -> Result<Classes, Failure> {
    let beside = path.with_extension("class");
    if source == Source::UseClassFile && beside.is_file() {
        return class_files(&beside, &[]);
    }
    let text = read(path)?.text;
    let root = root_of(path, &package(&text).join(path.file_name().unwrap_or_default()));
    let temporary = Temporary::new()?;
    compile(path, &root, &temporary.0)?;
    let classes = temporary.0.join("classes");
    let mut found = Vec::new();
    collect(&classes, &mut found)?;
    found.sort();
    let stem = path.file_stem().unwrap_or_default();
    let main = found.iter().position(|file| file.file_stem() == Some(stem));
    if let Some(main) = main {
        found.swap(0, main);
    }
    let mut files = Vec::new();
    for file in &found {
        let inner = file.strip_prefix(&classes).unwrap_or(file);
        let bytes = bytes(file)?;
        let package = root.join(inner.parent().unwrap_or(Path::new("")));
        let source = jvm::source_name(&bytes).filter(|name| is_plain(name)).map(|name| package.join(name));
        let source = source.and_then(|source| Some((source.display().to_string(), read(&source).ok()?.text)));
        files.push(ClassFile { name: format!("{} ({})", path.display(), inner.display()), bytes, source });
    }
    let name_of = |file: &PathBuf| {
        let inner = file.strip_prefix(&classes).ok()?.with_extension("");
        Some(inner.to_str()?.replace(std::path::MAIN_SEPARATOR, "/"))
    };
    let class = main.and_then(|_| name_of(found.first()?));
    Ok((files, class))
}

/// The path from the root of the file system; the path itself if there is no such file.
fn resolved(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The folder from which `inner` leads to `path`, as the user would write it where that is possible; the folder of `path` if
/// `inner` does not lead there.
fn root_of(path: &Path, inner: &Path) -> PathBuf {
    let depth = inner.components().count();
    let whole = resolved(path);
    let start = [path, &whole].into_iter().find(|path| depth > 0 && path.ends_with(inner));
    let (start, depth) = start.map_or((path, 1), |start| (start, depth));
    start.ancestors().nth(depth).unwrap_or(Path::new("")).to_path_buf()
}

fn class_path(name: &str) -> String {
    format!("{name}.class")
}

/// Whether a name from a class file leads downwards only.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

/// A class file with its source: beside it, or in one of the folders given, in that of its package or directly.
fn with_source(path: &Path, bytes: Vec<u8>, class: Option<&str>, sources: &[PathBuf]) -> ClassFile {
    let beside = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let package = class.and_then(|class| Path::new(class).parent()).unwrap_or(Path::new(""));
    let given = sources.iter().flat_map(|folder| [folder.join(package), folder.clone()]);
    let name = jvm::source_name(&bytes).filter(|name| is_plain(name));
    let source = name.and_then(|name| {
        let mut places = given.chain([beside]).map(|folder| folder.join(&name));
        places.find(|source| source.is_file())
    });
    let source = source.and_then(|source| Some((source.display().to_string(), read(&source).ok()?.text)));
    ClassFile { name: path.display().to_string(), bytes, source }
}

/// The folders that a source's package stands for.
fn package(text: &str) -> PathBuf {
    let name = text.lines().find_map(|line| line.trim().strip_prefix("package ")?.split(';').next());
    name.unwrap_or_default().split('.').map(str::trim).filter(|part| is_plain(part)).collect()
}

/// Compiles into `classes` of the temporary folder. Java 8 first: its class files are simpler. A source that needs a newer
/// language, or a compiler that does not know Java 8, gets its own way.
fn compile(path: &Path, root: &Path, temporary: &Path) -> Result<(), Failure> {
    let (sources, classes) = (temporary.join("sources"), temporary.join("classes"));
    let made = |error: std::io::Error| Failure::file(temporary, format!("cannot be written: {error}"));
    std::fs::create_dir_all(&classes).map_err(made)?;
    for (name, text) in jvm::ANNOTATIONS {
        let file = sources.join(name);
        std::fs::create_dir_all(file.parent().unwrap_or(&sources)).map_err(made)?;
        std::fs::write(file, text).map_err(made)?;
    }
    let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let search = std::env::join_paths([root, &sources])
        .map_err(|error| Failure::file(path, format!("cannot be compiled there: {error}")))?;
    // A path that starts with a hyphen would be taken for an option.
    let file = if path.is_absolute() { path.to_path_buf() } else { Path::new(".").join(path) };
    let javac = |release: &[&str]| {
        let mut command = Command::new("javac");
        command.args(release).args(["-g", "-proc:none", "-Xlint:-options", "-encoding", "UTF-8", "-implicit:class"]);
        command.arg("-cp").arg(&classes).arg("-sourcepath").arg(&search).arg("-d").arg(&classes).arg(&file);
        command.output().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Failure::file(path, "needs javac; give the .class file instead"),
            _ => Failure::file(path, format!("javac cannot be started: {error}")),
        })
    };
    if javac(&["--release", "8"])?.status.success() {
        return Ok(());
    }
    let output = javac(&[])?;
    if output.status.success() {
        return Ok(());
    }
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said);
    Err(Failure::file(path, format!("javac does not accept it:\n{}", said.trim_end())))
}

/// The class files under a folder, but for the annotations.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::file(folder, format!("cannot be read: {error}"));
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_annotation =
            || jvm::ANNOTATIONS.iter().any(|(name, _)| path.ends_with(Path::new(name).with_extension("class")));
        if path.is_dir() {
            collect(&path, files)?;
        } else if !is_annotation() {
            files.push(path);
        }
    }
    Ok(())
}

/// A folder that is removed when dropped.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Result<Temporary, Failure> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let base = std::env::temp_dir();
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let folder = base.join(format!("palisade-{}-{number}", std::process::id()));
            match std::fs::create_dir(&folder) {
                Ok(()) => return Ok(Temporary(folder)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Failure::file(&folder, format!("cannot be made: {error}"))),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What cannot be removed is left to the system, which clears its temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_count_from_their_root() {
        assert_eq!(package("// A.\npackage a.b;\n"), Path::new("a/b"));
        assert_eq!(package("class A {}\n"), Path::new(""));
        assert_eq!(root_of(Path::new("src/a/b/A.java"), Path::new("a/b/A.java")), Path::new("src"));
        assert_eq!(root_of(Path::new("src/A.java"), Path::new("A.java")), Path::new("src"));
        assert_eq!(root_of(Path::new("src/A.java"), Path::new("elsewhere/A.java")), Path::new("src"));
    }

    #[test]
    fn names_from_class_files_lead_downwards_only() {
        assert!(is_plain("a/b/C$1"));
        assert!(!is_plain("../C") && !is_plain("/etc/C") && !is_plain(""));
    }
}
