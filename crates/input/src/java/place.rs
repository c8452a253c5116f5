//! How the command line names what is run of Java: a class file or source, `app.jar!/a/Main.class` for one in a jar, each perhaps
//! with `#method` for a test of JUnit; and what jars, folders and the names of classes stand for.

use std::path::{Path, PathBuf};

use frontend::jvm;
use watch::failure::Failure;

use crate::source::CSource;

use super::class_path::{self, ClassPath, Entry};

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The jar in which the class file is.
    pub jar: Option<PathBuf>,
    /// The class file or source, in the jar if there is one.
    pub file: PathBuf,
    /// The method that JUnit runs.
    pub test: Option<String>,
}

impl Place {
    /// What a path names.
    pub fn of(path: &Path) -> Place {
        let text = path.to_string_lossy();
        let (jar, inner) = match text.split_once(".jar!/") {
            Some((jar, inner)) => (Some(PathBuf::from(format!("{jar}.jar"))), inner),
            None => (None, &*text),
        };
        match inner.rsplit_once('#') {
            Some((file, test)) if is_java_file(Path::new(file)) => {
                Place { jar, file: file.into(), test: Some(test.into()) }
            }
            _ if jar.is_some() => Place { jar, file: inner.into(), test: None },
            // Paths need not be text.
            _ => Place { jar, file: path.into(), test: None },
        }
    }

    /// Whether it is a class file.
    pub fn is_class(&self) -> bool {
        self.file.extension().is_some_and(|own| own == "class")
    }
}

/// Whether a path names Java, as source or compiled.
pub fn is_java(path: &Path) -> bool {
    is_java_file(&Place::of(path).file)
}

/// Whether a path names a class file.
pub fn is_class(path: &Path) -> bool {
    Place::of(path).is_class()
}

fn is_java_file(path: &Path) -> bool {
    path.extension().is_some_and(|own| own == "java" || own == "class")
}

/// What is looked for in jars and folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Programs: the class that the manifest names, else all classes with `main`; if there are none, tests of jcstress.
    Programs,
    /// Tests of jcstress; if there are none, programs.
    StressTests,
    /// Tests of JUnit.
    UnitTests,
}

/// The files with jars, folders of classes and names of classes replaced by what they stand for.
pub fn expanded(files: &[PathBuf], source: &CSource, wanted: Wanted) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in files {
        found.extend(expand(path, source, wanted)?);
    }
    Ok(found)
}

fn expand(path: &Path, source: &CSource, wanted: Wanted) -> Result<Vec<PathBuf>, Failure> {
    let is_jar = path.extension().is_some_and(|own| own == "jar");
    if is_jar || path.is_dir() && wanted == Wanted::UnitTests {
        let entry = Entry::open(path)?;
        let own = if is_jar && wanted != Wanted::UnitTests { main_class(&entry)? } else { None };
        return match own.filter(|_| wanted == Wanted::Programs) {
            Some(name) => Ok(vec![entry.place(&name)]),
            None => all_of(path, entry, source, wanted),
        };
    }
    if let Some(place) = class_named(path, source)? {
        return expand(&place, &CSource { classpath: Vec::new(), ..source.clone() }, wanted);
    }
    let place = Place::of(path);
    if wanted == Wanted::UnitTests && place.test.is_none() && is_java_file(&place.file) {
        let (files, name) = super::files_of(path, source, super::Source::Compile)?.into_parts();
        let own = |name: &str| super::class_in(&files, name);
        let tests = name.map_or(Vec::new(), |name| jvm::unit_tests(&name, &own));
        return some(tests.iter().map(|test| with_test(path, test)).collect(), path, wanted);
    }
    Ok(vec![path.into()])
}

/// The class that the manifest of a jar names.
fn main_class(entry: &Entry) -> Result<Option<String>, Failure> {
    let Entry::Jar(path, jar) = entry else { return Ok(None) };
    let manifest = jar.manifest().map_err(|what| Failure::file(path, what))?;
    let Some(name) = manifest.main_class.map(|name| name.replace('.', "/")) else { return Ok(None) };
    match entry.find(&name) {
        Some(_) => Ok(Some(name)),
        None => Err(Failure::file(path, format!("its manifest names the class `{name}`, which is not in it"))),
    }
}

/// The file of a class that is given by its name, as Java is.
fn class_named(path: &Path, source: &CSource) -> Result<Option<PathBuf>, Failure> {
    if path.exists() || source.classpath.is_empty() || is_java(path) {
        return Ok(None);
    }
    let name = path.to_string_lossy().into_owned();
    let (class, test) = name.split_once('#').map_or((&*name, None), |(class, test)| (class, Some(test)));
    for entry in class_path::paths(&source.classpath)? {
        let entry = Entry::open(&entry)?;
        let class = class.replace('.', "/");
        if class_path::is_plain(&class) && entry.find(&class).is_some() {
            let place = entry.place(&class);
            return Ok(Some(test.map_or(place.clone(), |test| with_test(&place, test))));
        }
    }
    Err(Failure::file(path, "is neither a file nor a class on the class path (--classpath)"))
}

/// All that is looked for in a jar or folder.
fn all_of(path: &Path, entry: Entry, source: &CSource, wanted: Wanted) -> Result<Vec<PathBuf>, Failure> {
    let names = entry.classes()?;
    let path_of_classes = ClassPath::new(entry, &source.classpath)?;
    let find = |name: &str| path_of_classes.first(name)?.1.ok().map(|found| found.bytes);
    let entry = &path_of_classes.entries[0];
    let mut broken = Vec::new();
    let (mut mains, mut stress, mut tests) = (Vec::new(), Vec::new(), Vec::new());
    for name in &names {
        let bytes = match entry.find(name) {
            Some(Ok(found)) => found.bytes,
            Some(Err(failure)) => {
                broken.push(failure.rendered());
                continue;
            }
            None => continue,
        };
        let place = entry.place(name);
        if let Err(why) = jvm::readable(&bytes) {
            broken.push(Failure::file(&place, format!("is not a class file that can be read: {why}")).rendered());
            continue;
        }
        tests.extend(jvm::unit_tests(name, &find).iter().map(|test| with_test(&place, test)));
        stress.extend(jvm::is_stress_test(&bytes).then(|| place.clone()));
        mains.extend(jvm::has_main(&bytes).then_some(place));
    }
    if !broken.is_empty() {
        return Err(Failure::Shown(broken.concat()));
    }
    let found = match wanted {
        Wanted::UnitTests => tests,
        Wanted::StressTests => [stress, mains].into_iter().find(|found| !found.is_empty()).unwrap_or_default(),
        Wanted::Programs => [mains, stress].into_iter().find(|found| !found.is_empty()).unwrap_or_default(),
    };
    some(found, path, wanted)
}

fn some(found: Vec<PathBuf>, path: &Path, wanted: Wanted) -> Result<Vec<PathBuf>, Failure> {
    let what = match wanted {
        Wanted::UnitTests => "has no tests of JUnit (--junit)",
        _ => "has no class with `main` and no test of jcstress (--junit runs tests of JUnit)",
    };
    if found.is_empty() { Err(Failure::file(path, what)) } else { Ok(found) }
}

fn with_test(path: &Path, test: &str) -> PathBuf {
    let mut place = path.as_os_str().to_os_string();
    place.push("#");
    place.push(test);
    place.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_name_jars_classes_and_tests() {
        let of = |text: &str| Place::of(Path::new(text));
        let place = |jar: Option<&str>, file: &str, test: Option<&str>| Place {
            jar: jar.map(PathBuf::from),
            file: file.into(),
            test: test.map(str::to_string),
        };
        assert_eq!(of("a/B.class"), place(None, "a/B.class", None));
        assert_eq!(of("x/a.jar!/b/C$D.class#runs"), place(Some("x/a.jar"), "b/C$D.class", Some("runs")));
        assert_eq!(of("b/C.java#runs"), place(None, "b/C.java", Some("runs")));
        assert_eq!(of("a#1/b.c"), place(None, "a#1/b.c", None));
        assert!(is_java(Path::new("C.class#m")) && !is_java(Path::new("a.jar")));
    }
}
