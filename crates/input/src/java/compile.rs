//! Compiling Java sources with `javac`, in a folder that is removed afterwards.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use frontend::jvm;
use watch::failure::Failure;

/// Compiles into `classes` of the temporary folder. Java 8 first: its class files are simpler. A source that needs a newer
/// language, or a compiler that does not know Java 8, gets its own way.
pub fn compile(path: &Path, root: &Path, given: &[PathBuf], temporary: &Path) -> Result<(), Failure> {
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
    let class_path = std::env::join_paths(std::iter::once(&classes).chain(given))
        .map_err(|error| Failure::file(path, format!("cannot be compiled there: {error}")))?;
    // A path that starts with a hyphen would be taken for an option.
    let file = if path.is_absolute() { path.to_path_buf() } else { Path::new(".").join(path) };
    let javac = |release: &[&str]| {
        let mut command = Command::new("javac");
        // It runs for a moment only: code that is compiled twice, and a collector on several processors, would not pay.
        command.args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]).args(release);
        command.args(["-g", "-proc:none", "-Xlint:-options", "-encoding", "UTF-8", "-implicit:class"]);
        command.arg("-cp").arg(&class_path).arg("-sourcepath").arg(&search).arg("-d").arg(&classes).arg(&file);
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
pub fn class_files_under(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::file(folder, format!("cannot be read: {error}"));
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_annotation =
            || jvm::ANNOTATIONS.iter().any(|(name, _)| path.ends_with(Path::new(name).with_extension("class")));
        if path.is_dir() {
            class_files_under(&path, files)?;
        } else if !is_annotation() {
            files.push(path);
        }
    }
    Ok(())
}

/// A folder that is removed when dropped.
pub struct Temporary(pub PathBuf);

impl Temporary {
    /// A new folder among the temporary ones of the system.
    pub fn new() -> Result<Temporary, Failure> {
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
