//! Reading files, standard input, pipes, and lists of files.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use watch::failure::Failure;
use watch::limits::{TICK, is_interrupted};

/// A file's text, and the name by which messages speak of it.
pub struct Text {
    /// The path as the user gave it.
    pub name: String,
    /// Its content. Bytes that are not UTF-8 are replaced: they can only be wrong, and the message says where.
    pub text: String,
}

/// Larger files are refused: they are not tests.
const LARGEST: u64 = 64 << 20;
/// So long a pipe may be silent.
const LONGEST_SILENCE: Duration = Duration::from_secs(5);

/// Reads a file as text; `-` is standard input.
pub fn read(path: &Path) -> Result<Text, Failure> {
    Ok(Text { name: name(path), text: String::from_utf8_lossy(&bytes(path)?).into_owned() })
}

/// The name by which messages speak of a file.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") { "<stdin>".into() } else { path.display().to_string() }
}

/// How deeply lists of files may stand in lists of files.
const DEEPEST_LIST: usize = 16;

/// The files with lists of files replaced by what they list, as herd7 does it: a file whose name begins with `@` has a path on
/// each line, from its own folder; `#` begins a comment.
pub fn listed(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    paths.iter().try_for_each(|path| list(path, DEEPEST_LIST, &mut files))?;
    Ok(files)
}

fn list(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some(plain) = name.strip_prefix('@').filter(|_| !path.is_dir()) else {
        files.push(path.to_path_buf());
        return Ok(());
    };
    if depth == 0 {
        return Err(Failure::file(path, "lists of files are nested too deeply"));
    }
    // `@tests.txt` may also stand for the list tests.txt.
    let folder = path.parent().unwrap_or(Path::new(""));
    let text = read(&if path.exists() { path.to_path_buf() } else { folder.join(plain) })?.text;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).try_for_each(|line| list(&folder.join(line), depth - 1, files))
}

/// Reads a file; `-` is standard input.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let cannot = |error: std::io::Error| Failure::file(path, format!("cannot be read: {error}"));
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let read = std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes);
        read.map_err(|error| Failure::Message(format!("standard input cannot be read: {error}")))?;
    } else if path.is_dir() {
        return Err(Failure::file(path, "is a folder, not a file (`palisade suite` takes folders)"));
    } else if is_pipe(path) {
        bytes = from_pipe(path)?;
    } else {
        let file = std::fs::File::open(path).map_err(cannot)?;
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(cannot)?;
    }
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::file(path, format!("is longer than {} MB", LARGEST >> 20)));
    }
    Ok(bytes)
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|data| data.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}

/// Reads a pipe until nobody writes to it any more; if nothing comes for a while, that is an error, not a reason to wait for
/// ever.
#[cfg(unix)]
fn from_pipe(path: &Path) -> Result<Vec<u8>, Failure> {
    use std::os::unix::fs::OpenOptionsExt;
    let cannot = |error: std::io::Error| Failure::file(path, format!("cannot be read: {error}"));
    let mut options = std::fs::OpenOptions::new();
    let mut pipe = options.read(true).custom_flags(nix::libc::O_NONBLOCK).open(path).map_err(cannot)?;
    let (mut bytes, mut silent, mut part) = (Vec::new(), Instant::now(), [0; 1 << 16]);
    while (bytes.len() as u64) <= LARGEST {
        match pipe.read(&mut part) {
            // Before anybody has written, nobody may have opened it yet.
            Ok(0) if !bytes.is_empty() => break,
            Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => return Err(cannot(error)),
            Ok(0) | Err(_) if silent.elapsed() < LONGEST_SILENCE && !is_interrupted() => std::thread::sleep(TICK),
            Ok(0) | Err(_) => return Err(Failure::file(path, "is a pipe to which nobody writes")),
            Ok(count) => {
                bytes.extend_from_slice(&part[..count]);
                silent = Instant::now();
            }
        }
    }
    Ok(bytes)
}

#[cfg(not(unix))]
fn from_pipe(path: &Path) -> Result<Vec<u8>, Failure> {
    Err(Failure::file(path, "is a pipe"))
}
