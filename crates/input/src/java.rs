//! Java programs: class files with what they mention on the class path, and sources that `javac` compiles.
//!
//! - `place` says what the command line names: files, jars, classes, tests of JUnit;
//! - `class_path` finds classes in folders and jars, and in the installed JDK, which `jdk` finds;
//! - `compile` has `javac` compile sources.

mod class_path;
mod compile;
mod jdk;
mod place;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use frontend::jvm::{self, ClassFile};
use palisade::task::verified;
use palisade::{Property, Task};
use program::{Diagnostics, Program};
use watch::failure::{Failure, warnings};

use crate::files::{bytes, read};
use crate::source::CSource;
use class_path::{ClassPath, Entry, FoundClass, class_file, is_plain};
use compile::{Temporary, class_files_under, compile};
use place::Place;
pub use place::{Wanted, expanded, is_class, is_java};

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

/// The classes of a program, the one that was asked for, and where others are found.
struct Classes {
    files: Vec<ClassFile>,
    name: Option<String>,
    path: ClassPath,
}

impl Classes {
    fn into_parts(self) -> (Vec<ClassFile>, Option<String>) {
        (self.files, self.name)
    }
}

/// What is asked in Java.
pub struct Asked {
    /// The question.
    pub task: Task,
    /// What is doubtful about it for the engine that solves.
    pub warnings: Option<Diagnostics>,
    /// What the class says of itself, if it is a test of jcstress.
    pub stress: Option<jvm::StressTest>,
}

/// What a class file, source or test of JUnit asks. A class file is read with those of the classes that it mentions, directly or not,
/// that lie under the same root or in a folder of the class path; each with its Java source if that lies beside. Classes in other
/// jars are the library's.
pub fn task(path: &Path, source: &CSource, compile: Source) -> Result<Asked, Failure> {
    let folders = &source.source_path;
    if let Some(folder) = folders.iter().find(|folder| !folder.is_dir()) {
        return Err(Failure::file(folder, "is no folder (--source-path)"));
    }
    let mut classes = files_of(path, source, compile)?;
    let asked = asked(path, source, &mut classes);
    classes.path.wrong()?;
    asked
}

fn asked(path: &Path, source: &CSource, classes: &mut Classes) -> Result<Asked, Failure> {
    let mut title = None;
    if let Some(test) = Place::of(path).test {
        title = classes.name.as_ref().map(|name| format!("{}.{test}", name.replace('/', ".")));
        add_driver(classes, &test)?;
    }
    let titled = |program: Program| match title.clone() {
        Some(name) => Program { name, ..program },
        None => program,
    };
    let Classes { files, name, path: class_path } = classes;
    let noted = |refused: Diagnostics| if class_path.has_jdk() { refused } else { without_jdk(refused) };
    if let Some(stress) = jvm::stress_test(files) {
        let program = jvm::stress_program(files, &*class_path).map_err(noted)?;
        let task = Task::Litmus(verified(program)?, Property::default());
        return Ok(Asked { task, warnings: None, stress: Some(stress) });
    }
    let torn = |program: Program| if source.tearing { tear(titled(program)) } else { Ok(titled(program)) };
    let loaded = jvm::load(files, &jvm::Options { class: name.clone() });
    let found = loaded.as_ref().ok().map(|parsed| (&parsed.program, parsed.warnings.clone()));
    let warnings = found.and_then(|(program, messages)| warnings(program, messages));
    let unfolded = loaded.and_then(|parsed| torn(parsed.program));
    if jvm::has_annotated_threads(files) {
        let task = Task::Litmus(verified(unfolded?)?, Property::default());
        return Ok(Asked { task, warnings, stress: None });
    }
    let stem = || Place::of(path).file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let class = name.clone().unwrap_or_else(stem);
    let run = jvm::program_with(files, &class, &*class_path).map_err(noted);
    Ok(Asked { task: Task::main(run.and_then(torn), unfolded)?, warnings, stress: None })
}

/// Adds the class that runs a test, and makes it the one that is asked for.
fn add_driver(classes: &mut Classes, test: &str) -> Result<(), Failure> {
    let name = classes.name.take().unwrap_or_default();
    let find = |name: &str| {
        let elsewhere = || classes.path.first(name)?.1.ok().map(|found| found.bytes);
        class_in(&classes.files, name).or_else(elsewhere)
    };
    let driver = jvm::unit_test_driver(&name, test, &find)
        .map_err(|message| Diagnostics { sources: program::Sources::new(), messages: vec![message] })?;
    classes.files.push(driver);
    classes.name = Some(jvm::DRIVER.into());
    Ok(())
}

/// The class file of a class among those given.
fn class_in(files: &[ClassFile], name: &str) -> Option<Vec<u8>> {
    files.iter().find(|file| jvm::class_name(&file.bytes).as_deref() == Some(name)).map(|file| file.bytes.clone())
}

fn files_of(path: &Path, source: &CSource, compile: Source) -> Result<Classes, Failure> {
    let place = Place::of(path);
    match place.is_class() {
        true => class_files(&place, source),
        false => source_files(&place.file, source, compile),
    }
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

/// The class file that a place names, the name of its class, and the folder or jar in which Java would look for it.
fn named_class(place: &Place) -> Result<(FoundClass, Option<String>, Entry), Failure> {
    let Some(jar) = &place.jar else {
        let own = bytes(&place.file)?;
        let name = own_name(&own, &resolved(&place.file));
        let inner = name.as_deref().map_or_else(PathBuf::new, |name| class_file(name).into());
        let root = Entry::Folder(root_of(&place.file, &inner));
        return Ok((FoundClass { path: place.file.clone(), bytes: own }, name, root));
    };
    let entry = Entry::open(jar)?;
    let name = place.file.with_extension("").to_string_lossy().into_owned();
    let found = entry.find(&name).unwrap_or_else(|| Err(Failure::file(jar, format!("has no class `{name}`"))))?;
    Ok((found, Some(name), entry))
}

/// The class that a file mentions and that is called as the file is.
fn own_name(bytes: &[u8], path: &Path) -> Option<String> {
    let names = jvm::mentioned_classes(bytes).into_iter();
    names.filter(|name| path.ends_with(class_file(name))).max_by_key(String::len)
}

fn class_files(place: &Place, source: &CSource) -> Result<Classes, Failure> {
    let (own, name, entry) = named_class(place)?;
    let mut open: Vec<String> = jvm::mentioned_classes(&own.bytes);
    open.retain(|other| Some(other) != name.as_ref());
    let mut seen: BTreeSet<String> = name.clone().into_iter().collect();
    let path = ClassPath::new(entry, &source.classpath)?;
    let mut files = vec![with_source(own, name.as_deref(), &source.source_path)];
    while let Some(other) = open.pop() {
        if !seen.insert(other.clone()) {
            continue;
        }
        let Some((number, found)) = path.first(&other) else { continue };
        let is_own = match &path.entries[number] {
            Entry::Folder(_) => true,
            Entry::Jar(..) => number == 0 && is_akin(&other, name.as_deref().unwrap_or_default()),
        };
        if !is_own {
            continue;
        }
        if files.len() == MOST_CLASSES {
            return Err(Failure::file(&place.file, format!("mentions more than {MOST_CLASSES} classes")));
        }
        let found = found?;
        open.extend(jvm::mentioned_classes(&found.bytes));
        files.push(with_source(found, Some(&other), &source.source_path));
    }
    Ok(Classes { files, name, path })
}

/// Whether two classes of a jar are one program's, and not those of a library that was packed with it: their packages begin with
/// the same two names.
fn is_akin(one: &str, other: &str) -> bool {
    let begin = |name: &str| {
        let package = name.rsplit_once('/').map_or("", |(package, _)| package);
        package.split('/').take(2).map(str::to_string).collect::<Vec<_>>()
    };
    begin(one) == begin(other)
}

/// Compiles a Java source, and the sources that it needs from the same root.
fn source_files(path: &Path, given: &CSource, source: Source) -> Result<Classes, Failure> {
    let beside = path.with_extension("class");
    if source == Source::UseClassFile && beside.is_file() {
        return class_files(&Place::of(&beside), &CSource { source_path: Vec::new(), ..given.clone() });
    }
    let text = read(path)?.text;
    let root = root_of(path, &package(&text).join(path.file_name().unwrap_or_default()));
    let temporary = Temporary::new()?;
    compile(path, &root, &class_path::paths(&given.classpath)?, &temporary.0)?;
    let classes = temporary.0.join("classes");
    let mut found = Vec::new();
    class_files_under(&classes, &mut found)?;
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
    let name = main.and_then(|_| name_of(found.first()?));
    let path = ClassPath::new(Entry::Folder(root), &given.classpath)?;
    Ok(Classes { files, name, path })
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

/// A class file with its source: beside it, or in one of the folders given, in that of its package or directly.
fn with_source(FoundClass { path, bytes }: FoundClass, class: Option<&str>, sources: &[PathBuf]) -> ClassFile {
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
