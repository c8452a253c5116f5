//! Inputs for fuzz targets: files of the suites, changed as an input of the fuzzer says.
//!
//! Bytes that are random throughout are refused by the first token; what is nearly right comes further. So an input is the number of
//! a file to begin with, and a list of changes.

use std::path::{Path, PathBuf};

/// A change of a text.
pub type Change = (u8, u16, u16, u8);

/// An input: which file, and how it is changed.
pub type Input = (u16, Vec<Change>);

/// The files of a folder, and of those in it, with one of these endings.
pub fn seeds(folder: &str, endings: &[&str]) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let mut files = Vec::new();
    collect(&root, endings, &mut files);
    files.sort();
    let seeds: Vec<Vec<u8>> = files.iter().filter_map(|file| std::fs::read(file).ok()).collect();
    assert!(!seeds.is_empty(), "{} holds no {endings:?}", root.display());
    seeds
}

fn collect(folder: &Path, endings: &[&str], files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, endings, files);
        } else if path.extension().and_then(|own| own.to_str()).is_some_and(|own| endings.contains(&own)) {
            files.push(path);
        }
    }
}

/// One of the seeds, changed.
pub fn changed(seeds: &[Vec<u8>], (seed, changes): &Input) -> Vec<u8> {
    let mut bytes = seeds[usize::from(*seed) % seeds.len()].clone();
    for change in changes.iter().take(MOST_CHANGES) {
        apply(&mut bytes, seeds, *change);
    }
    bytes
}

/// More changes leave nothing of a file.
const MOST_CHANGES: usize = 8;

/// Deletes, repeats, moves or overwrites a stretch of bytes, or takes one from another file.
fn apply(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], (kind, at, length, value): Change) {
    if bytes.is_empty() {
        bytes.push(value);
        return;
    }
    let start = usize::from(at) % bytes.len();
    let end = (start + usize::from(length) % 32 + 1).min(bytes.len());
    match kind % 5 {
        0 => drop(bytes.drain(start..end)),
        1 => {
            let stretch = bytes[start..end].to_vec();
            bytes.splice(start..start, stretch);
        }
        2 => bytes[start] = value,
        3 => bytes[start] ^= 1 << (value % 8),
        _ => {
            let other = &seeds[usize::from(value) % seeds.len()];
            let from = usize::from(length) % other.len().max(1);
            let stretch = other[from..(from + 16).min(other.len())].to_vec();
            bytes.splice(start..end, stretch);
        }
    }
}

/// How long each target runs: `FUZZ_SECONDS`, else a second.
pub fn time() -> std::time::Duration {
    let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    std::time::Duration::from_secs(seconds.unwrap_or(1))
}
