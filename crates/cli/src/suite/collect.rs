//! Which tests to run under which models, and what is expected of them: from comments in the tests and the `palisade.toml` of
//! their tree, or from a table (`--expect`).

use std::path::{Path, PathBuf};
use std::rc::Rc;

use input::{files, is_c, is_java};
use palisade::suite::manifest::{self, Manifest};
use palisade::suite::row::{Expectation, keep_only, restrict, table_row};
use palisade::suite::{How, Stated, comments};

use crate::arguments::Suite;
use crate::failure::Failure;

/// A `palisade.toml` and the folder for which it holds.
struct Tree {
    folder: PathBuf,
    manifest: Manifest,
}

/// A file to be asked about.
struct Test {
    path: PathBuf,
    /// What holds for its tree.
    tree: Option<Rc<Tree>>,
}

/// All that is to be run, in order; under this model only, if one is given.
pub fn collect(arguments: &Suite, model: Option<&str>) -> Result<Vec<Expectation>, Failure> {
    let mut expectations = match &arguments.expect {
        Some(table) => from_table(table, &arguments.paths, &given(arguments))?,
        None => from_files(&arguments.paths, &given(arguments))?,
    };
    if let Some(name) = model {
        if arguments.expect.is_some() {
            expectations.retain(|expectation| expectation.model.as_deref() == Some(name));
        } else {
            restrict(&mut expectations, name);
        }
    }
    if let Some(part) = &arguments.only {
        keep_only(&mut expectations, part);
    }
    Ok(expectations)
}

/// What the command line says about how rows are answered that do not say it themselves.
fn given(arguments: &Suite) -> How {
    How {
        unroll: arguments.unroll,
        memory_orders: arguments.memory_orders.map(Into::into),
        tearing: arguments.tearing,
        timeout: arguments.limits.timeout,
        ..How::default()
    }
}

/// The rows of a table whose files lie under one of `paths`; all rows if there are none.
fn from_table(table: &Path, paths: &[PathBuf], given: &How) -> Result<Vec<Expectation>, Failure> {
    let text = files::read(table)?.text;
    let folder = table.parent().unwrap_or(Path::new(""));
    let resolve = |path: &Path| {
        std::fs::canonicalize(path).map_err(|error| Failure::file(path, format!("cannot be read: {error}")))
    };
    let roots: Vec<PathBuf> = paths.iter().map(|path| resolve(path)).collect::<Result<_, _>>()?;
    let base = resolve(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?;
    let mut expectations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (file, stated) =
            table_row(line).map_err(|what| Failure::file(table, format!("line {}: {what}", index + 1)))?;
        if roots.is_empty() || roots.iter().any(|root| base.join(&file).starts_with(root)) {
            expectations.push(row(folder.join(&file), file, stated, given));
        }
    }
    Ok(expectations)
}

/// A row with what the command line says. Torn variables are for Java.
fn row(path: PathBuf, shown: String, stated: Stated, given: &How) -> Expectation {
    let how = stated.how.or(&for_file(given, &path));
    Expectation::new(path, shown, Stated { how, ..stated })
}

fn for_file(given: &How, path: &Path) -> How {
    How { tearing: given.tearing && is_java(path), ..given.clone() }
}

/// The tests under `paths`, with what their comments and their trees expect.
fn from_files(paths: &[PathBuf], given: &How) -> Result<Vec<Expectation>, Failure> {
    let mut expectations = Vec::new();
    let elsewhere = Tree { folder: PathBuf::new(), manifest: Manifest::default() };
    for test in tests(paths)? {
        let stated = stated(&test.path)?;
        let tree = test.tree.as_deref().unwrap_or(&elsewhere);
        let inner = test.path.strip_prefix(&tree.folder).unwrap_or(&test.path);
        let rows = tree.manifest.rows(inner, stated, &for_file(given, &test.path));
        let shown = test.path.display().to_string();
        let rows = rows.into_iter().map(|stated| Expectation::new(test.path.clone(), shown.clone(), stated));
        expectations.extend(rows);
    }
    Ok(expectations)
}

/// What the comments of a file expect. What a class file expects stands in its source. What cannot be read says so in its
/// row, beside the others.
fn stated(path: &Path) -> Result<Vec<Stated>, Failure> {
    let is_class = path.extension().is_some_and(|extension| extension == "class");
    if is_class || !path.is_file() {
        return Ok(Vec::new());
    }
    let Ok(files::Text { name, text }) = files::read(path) else { return Ok(Vec::new()) };
    let rows = comments::read(&name, &text)?;
    let is_about_c = |row: &Stated| row.how.test.is_some() || !row.how.defines.is_empty();
    if !is_c(path) && rows.iter().any(is_about_c) {
        return Err(Failure::file(path, "expects what is for C files: test= and -D"));
    }
    Ok(rows)
}

/// The files that are given or listed, and the litmus tests and programs in the folders that are given. C files in these are
/// programs if they have a `main`, and data types if tests of such are asked for.
pub fn files(paths: &[PathBuf], of_data_types: bool) -> Result<Vec<PathBuf>, Failure> {
    let is_given = |path: &PathBuf| paths.contains(path);
    let paths: Vec<PathBuf> = tests(paths)?.into_iter().map(|test| test.path).collect();
    Ok(paths.into_iter().filter(|path| !is_c(path) || is_given(path) || of_data_types != has_main(path)).collect())
}

/// Whether a C file seems to be a whole program. One that cannot be read is taken for one, so that the error is seen.
fn has_main(path: &Path) -> bool {
    let Ok(files::Text { text, .. }) = files::read(path) else { return true };
    text.match_indices("main").any(|(at, word)| {
        let is_whole_word = !text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_');
        is_whole_word && text[at + word.len()..].trim_start().starts_with('(')
    })
}

/// The files that are given or listed, and the tests in the folders that are given.
fn tests(paths: &[PathBuf]) -> Result<Vec<Test>, Failure> {
    let mut tests = Vec::new();
    for path in &files::listed(paths)? {
        if path == Path::new("-") {
            return Err(Failure::Message(
                "tests are read from files: `-` is for check, outcomes, races and replay".into(),
            ));
        } else if path.is_dir() {
            let first = tests.len();
            find_tests(path, None, &mut tests)?;
            tests[first..].sort_by(|one: &Test, other| one.path.cmp(&other.path));
        } else if path.exists() && !path.is_file() {
            return Err(Failure::file(path, "is neither a file nor a folder"));
        } else if let Err(error) = std::fs::metadata(path) {
            return Err(Failure::file(path, format!("cannot be read: {error}")));
        } else {
            tests.push(Test { path: path.clone(), tree: None });
        }
    }
    Ok(tests)
}

fn find_tests(folder: &Path, tree: Option<Rc<Tree>>, tests: &mut Vec<Test>) -> Result<(), Failure> {
    let tree = own_tree(folder)?.map(Rc::new).or(tree);
    let failed = |error: std::io::Error| Failure::file(folder, format!("cannot be read: {error}"));
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        // Links to folders are not followed: they could lead back here.
        if entry.file_type().map_err(failed)?.is_dir() {
            find_tests(&path, tree.clone(), tests)?;
        } else if path.is_file() && is_test(&path, tree.as_deref()) {
            tests.push(Test { path, tree: tree.clone() });
        }
    }
    Ok(())
}

/// What the `palisade.toml` of a folder says, if there is one. The files that it names must be there.
fn own_tree(folder: &Path) -> Result<Option<Tree>, Failure> {
    let path = folder.join(manifest::FILE);
    if !path.is_file() {
        return Ok(None);
    }
    let files::Text { name, text } = files::read(&path)?;
    let manifest = Manifest::parse(&name, &text)?;
    let missing = manifest.files().find(|file| !folder.join(file).is_file()).map(str::to_string);
    match missing {
        Some(file) => Err(Failure::file(&path, format!("expects something of {file}, which is not there"))),
        None => Ok(Some(Tree { folder: folder.into(), manifest })),
    }
}

/// Whether a file in a folder is a test. A `palisade.toml` says which files are none, and makes tests of all other programs;
/// elsewhere C and Java that says what it expects is a test, so that libraries are not taken for tests. A source that cannot
/// be read is taken for one, so that the error is seen.
fn is_test(path: &Path, tree: Option<&Tree>) -> bool {
    let inner = tree.map(|tree| (tree, path.strip_prefix(&tree.folder).unwrap_or(path)));
    if inner.is_some_and(|(tree, inner)| !tree.manifest.expects(inner).is_empty()) {
        return true;
    }
    if inner.is_some_and(|(tree, inner)| tree.manifest.excludes(inner)) {
        return false;
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("litmus") => true,
        Some("java" | "c" | "lsl") => {
            tree.is_some() || files::read(path).map_or(true, |own| comments::are_there(&own.name, &own.text))
        }
        _ => false,
    }
}
