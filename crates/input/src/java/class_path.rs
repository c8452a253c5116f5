//! Where Java finds classes: folders and jars, in the order given, then the JDK.

use std::cell::RefCell;
use std::fs::File;
use std::path::{Component, Path, PathBuf};

use frontend::jvm::{ClassSource, Image, Jar};
use watch::failure::Failure;

use super::jdk;
use crate::files::bytes;

/// A folder or a jar.
pub enum Entry {
    /// A folder: that of the classes without a package.
    Folder(PathBuf),
    /// A jar.
    Jar(PathBuf, Box<Jar>),
}

/// A class file: how it is called, and its content.
pub struct FoundClass {
    /// Its path; in a jar that of the jar, `!/` and the path inside.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl Entry {
    /// Opens a folder or a jar.
    pub fn open(path: &Path) -> Result<Entry, Failure> {
        if path.is_dir() {
            return Ok(Entry::Folder(path.into()));
        }
        let jar = Jar::read(bytes(path)?).map_err(|what| Failure::file(path, what))?;
        Ok(Entry::Jar(path.into(), Box::new(jar)))
    }

    /// The class file of a class by its binary name, if it is there.
    pub fn find(&self, name: &str) -> Option<Result<FoundClass, Failure>> {
        let inner = class_file(name);
        match self {
            Entry::Folder(folder) => {
                let path = folder.join(inner);
                let is_there = is_plain(name) && path.is_file();
                is_there.then(|| bytes(&path).map(|bytes| FoundClass { path, bytes }))
            }
            Entry::Jar(path, jar) => {
                let found = jar.find(&inner)?;
                let content = found.map_err(|what| Failure::file(path, what));
                Some(content.map(|bytes| FoundClass { path: in_jar(path, &inner), bytes }))
            }
        }
    }

    /// How the file of a class is called.
    pub fn place(&self, name: &str) -> PathBuf {
        match self {
            Entry::Folder(folder) => folder.join(class_file(name)),
            Entry::Jar(path, _) => in_jar(path, &class_file(name)),
        }
    }

    /// The binary names of all classes, sorted.
    pub fn classes(&self) -> Result<Vec<String>, Failure> {
        let mut names = Vec::new();
        match self {
            Entry::Folder(folder) => collect(folder, "", &mut names)?,
            Entry::Jar(_, jar) => {
                let classes = jar.names().filter_map(|name| name.strip_suffix(".class"));
                names.extend(classes.filter(|name| !name.starts_with("META-INF/")).map(str::to_string));
            }
        }
        names.retain(|name| !name.ends_with("module-info") && !name.ends_with("package-info"));
        names.sort();
        Ok(names)
    }
}

/// The class files under a folder.
fn collect(folder: &Path, package: &str, names: &mut Vec<String>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::file(folder, format!("cannot be read: {error}"));
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // Links to folders are not followed: they could lead back here.
        if entry.file_type().map_err(failed)?.is_dir() {
            collect(&entry.path(), &format!("{package}{name}/"), names)?;
        } else if let Some(class) = name.strip_suffix(".class") {
            names.push(format!("{package}{class}"));
        }
    }
    Ok(())
}

/// The path of the file of a class.
pub fn class_file(name: &str) -> String {
    format!("{name}.class")
}

/// The path of a file in a jar, as Java writes it.
fn in_jar(jar: &Path, inner: &str) -> PathBuf {
    let mut path = jar.as_os_str().to_os_string();
    path.push("!/");
    path.push(inner);
    path.into()
}

/// Whether a name from a class file leads downwards only.
pub fn is_plain(name: &str) -> bool {
    !name.is_empty() && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The folders and jars that are looked through, in order, and the JDK.
pub struct ClassPath {
    /// Folders and jars.
    pub entries: Vec<Entry>,
    jdk: Option<Image<File>>,
    /// What was wrong with class files that were looked for.
    wrong: RefCell<Vec<Failure>>,
}

impl ClassPath {
    /// The class path that begins with an entry, goes on with the jars and folders that its manifest names, and with those given.
    pub fn new(first: Entry, given: &[PathBuf]) -> Result<ClassPath, Failure> {
        let named = named_by(&first)?;
        let mut entries = vec![first];
        for path in named.iter().chain(&paths(given)?) {
            entries.push(Entry::open(path)?);
        }
        Ok(ClassPath { entries, jdk: jdk::installed(), wrong: RefCell::default() })
    }

    /// Whether a JDK was found.
    pub fn has_jdk(&self) -> bool {
        self.jdk.is_some()
    }

    /// The first of the entries that has a class, and its class file.
    pub fn first(&self, name: &str) -> Option<(usize, Result<FoundClass, Failure>)> {
        self.entries.iter().enumerate().find_map(|(number, entry)| Some((number, entry.find(name)?)))
    }

    /// What was wrong with class files that were looked for, all of it.
    pub fn wrong(&self) -> Result<(), Failure> {
        let said: Vec<String> = self.wrong.borrow().iter().map(Failure::rendered).collect();
        if said.is_empty() { Ok(()) } else { Err(Failure::Shown(said.concat())) }
    }
}

impl ClassSource for ClassPath {
    fn find(&self, name: &str) -> Option<Vec<u8>> {
        let own = if name.starts_with("java/") { None } else { self.first(name) };
        match own {
            Some((_, Ok(found))) => Some(found.bytes),
            Some((_, Err(failure))) => {
                self.wrong.borrow_mut().push(failure);
                None
            }
            None => self.jdk.as_ref()?.find(name),
        }
    }
}

/// The jars and folders that the manifest of a jar names, as far as they are there: Java does not miss the others.
fn named_by(entry: &Entry) -> Result<Vec<PathBuf>, Failure> {
    let Entry::Jar(path, jar) = entry else { return Ok(Vec::new()) };
    let manifest = jar.manifest().map_err(|what| Failure::file(path, what))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok(manifest.class_path.iter().map(|name| folder.join(name)).filter(|path| path.exists()).collect())
}

/// The paths of a class path as Java writes it: with separators between, `lib/*` for all jars of a folder.
pub fn paths(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in given.iter().flat_map(|given| std::env::split_paths(given).collect::<Vec<_>>()) {
        if path.file_name().is_some_and(|name| name == "*") {
            found.extend(jars_of(path.parent().unwrap_or(Path::new("")))?);
        } else if path.exists() {
            found.push(path);
        } else if !path.as_os_str().is_empty() {
            return Err(Failure::file(&path, "there is no such folder or jar (--classpath)"));
        }
    }
    Ok(found)
}

fn jars_of(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let failed = |error: std::io::Error| Failure::file(folder, format!("cannot be read: {error} (--classpath)"));
    let mut jars = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        jars.extend(Some(path).filter(|path| path.extension().is_some_and(|own| own == "jar")));
    }
    jars.sort();
    Ok(jars)
}
