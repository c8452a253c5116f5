//! The classes of a JDK, read from its `lib/modules`.
//!
//! That file is an image of all modules (its format stands in the JDK's `jdk.internal.jimage`): a header, a table that
//! hashes names to locations, the locations as lists of attributes, the strings that those speak of, and the content. Only the
//! tables are kept; classes are read when they are asked for. Images whose content is compressed are not read.

use std::cell::RefCell;
use std::io::{Read, Seek, SeekFrom};

use super::class_source::ClassSource;

/// The first number of every image.
const MAGIC: u32 = 0xcafe_dada;
/// Seven numbers of four bytes.
const HEADER: usize = 28;
/// The hash of the empty name, and what each byte is combined with.
const HASH_SEED: u32 = 0x0100_0193;
/// Tables and classes larger than this are no tables and no classes.
const MOST: u64 = 1 << 28;

/// The kinds of a location's attributes.
const MODULE: usize = 1;
const PARENT: usize = 2;
const BASE: usize = 3;
const EXTENSION: usize = 4;
const OFFSET: usize = 5;
const COMPRESSED: usize = 6;
const SIZE: usize = 7;

/// An image of modules, in a file or in memory.
pub struct Image<F> {
    file: RefCell<F>,
    /// For each hash the number of a location, or how to hash again.
    redirect: Vec<i32>,
    /// Where the attributes of each location begin.
    offsets: Vec<u32>,
    locations: Vec<u8>,
    strings: Vec<u8>,
    /// Where the content begins.
    content: u64,
}

impl<F: Read + Seek> Image<F> {
    /// Reads the tables of an image; `None` if it is none.
    pub fn read(mut file: F) -> Option<Image<F>> {
        let mut header = [0; HEADER];
        file.read_exact(&mut header).ok()?;
        let number = |index: usize| word(&header, index * 4);
        if number(0)? != MAGIC {
            return None;
        }
        let (entries, locations, strings) = (number(4)?, number(5)?, number(6)?);
        let table = u64::from(entries) * 4;
        let redirect = words(&read(&mut file, table)?);
        let redirect = redirect.into_iter().map(u32::cast_signed).collect();
        let offsets = words(&read(&mut file, table)?);
        let content = HEADER as u64 + 2 * table + u64::from(locations) + u64::from(strings);
        let (locations, strings) = (read(&mut file, locations.into())?, read(&mut file, strings.into())?);
        Some(Image { file: RefCell::new(file), redirect, offsets, locations, strings, content })
    }

    /// The attributes of the location with this name, if there is one: `/java.base/java/lang/Object.class`.
    fn location(&self, name: &str) -> Option<[u64; 8]> {
        let count = self.redirect.len();
        let at = hash(name, HASH_SEED) as usize % count.max(1);
        let index = match *self.redirect.get(at)? {
            0 => return None,
            seed if seed > 0 => hash(name, seed.cast_unsigned()) as usize % count,
            direct => (-1 - direct) as usize,
        };
        let attributes = attributes(self.locations.get(*self.offsets.get(index)? as usize..)?);
        (self.name(&attributes)? == name).then_some(attributes)
    }

    /// The name of a location, to compare: another name may have the same hash.
    fn name(&self, attributes: &[u64; 8]) -> Option<String> {
        let [module, parent, base, extension] =
            [MODULE, PARENT, BASE, EXTENSION].map(|kind| string(&self.strings, attributes[kind]));
        Some(format!("/{}/{}/{}.{}", module?, parent?, base?, extension?))
    }

    fn content(&self, attributes: &[u64; 8]) -> Option<Vec<u8>> {
        let size = attributes[SIZE];
        if attributes[COMPRESSED] != 0 {
            return None;
        }
        let mut file = self.file.try_borrow_mut().ok()?;
        file.seek(SeekFrom::Start(self.content + attributes[OFFSET])).ok()?;
        read(&mut *file, size)
    }
}

impl<F: Read + Seek> ClassSource for Image<F> {
    fn find(&self, name: &str) -> Option<Vec<u8>> {
        let location = self.location(&format!("/java.base/{name}.class"))?;
        self.content(&location)
    }
}

/// So many bytes of a file.
fn read(file: &mut impl Read, size: u64) -> Option<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(size).ok().filter(|_| size <= MOST)?];
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

/// The number that begins at a byte, in the order of this machine: images are made for it.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|chunk| u32::from_ne_bytes([chunk[0], chunk[1], chunk[2], chunk[3]])).collect()
}

/// The hash of a name, which is never negative.
fn hash(name: &str, seed: u32) -> u32 {
    name.bytes().fold(seed, |hash, byte| hash.wrapping_mul(HASH_SEED) ^ u32::from(byte)) & 0x7fff_ffff
}

/// The attributes that begin here: each a byte with its kind and the length of its value, and the value.
fn attributes(bytes: &[u8]) -> [u64; 8] {
    let mut found = [0; 8];
    let mut rest = bytes;
    while let Some((&head, after)) = rest.split_first() {
        let (kind, length) = (usize::from(head >> 3), usize::from(head & 7) + 1);
        let (Some(value), Some(attribute)) = (after.get(..length), found.get_mut(kind).filter(|_| kind != 0)) else {
            break;
        };
        *attribute = value.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
        rest = &after[length..];
    }
    found
}

/// The string at an offset, which ends with a zero.
fn string(strings: &[u8], at: u64) -> Option<&str> {
    let rest = strings.get(usize::try_from(at).ok()?..)?;
    std::str::from_utf8(rest.split(|&byte| byte == 0).next()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_end_at_a_zero() {
        assert_eq!(attributes(&[1 << 3 | 1, 2, 3, 7 << 3, 9, 0, 5]), [0, 0x203, 0, 0, 0, 0, 0, 9]);
    }
}
