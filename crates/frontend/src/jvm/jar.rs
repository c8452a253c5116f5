//! Jar files: ZIP archives (PKWARE's APPNOTE 6.3) whose entries are stored or deflated, and their manifests.

use std::collections::BTreeMap;

use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// What the end of the directory begins with.
const END: [u8; 4] = *b"PK\x05\x06";
/// What an entry of the directory begins with.
const ENTRY: [u8; 4] = *b"PK\x01\x02";
/// What an entry's own data begin with.
const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// Larger entries are no class files.
const LARGEST: usize = 64 << 20;

/// A jar, read.
pub struct Jar {
    bytes: Vec<u8>,
    entries: BTreeMap<String, Entry>,
}

/// Where an entry stands.
#[derive(Clone, Copy)]
struct Entry {
    start: usize,
    method: u16,
    packed: usize,
    size: usize,
    checksum: u32,
}

/// What the manifest of a jar says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The class with `main`, as Java writes it.
    pub main_class: Option<String>,
    /// Paths of other jars and folders, from the folder of this one.
    pub class_path: Vec<String>,
}

impl Jar {
    /// Reads the directory of an archive; else says what is wrong with it.
    pub fn read(bytes: Vec<u8>) -> Result<Jar, String> {
        let end = find_end(&bytes).ok_or("is no jar: it has no directory at its end")?;
        let (count, start) = directory(&bytes, end).ok_or("is no jar that can be read: its directory is cut off")?;
        if count == 0xffff || start == 0xffff_ffff {
            return Err("is a jar of the form ZIP64, which is not supported".into());
        }
        let mut entries = BTreeMap::new();
        let mut at = start;
        for number in 1..=count {
            let (name, entry, next) =
                entry(&bytes, at).ok_or_else(|| format!("is a broken jar: entry {number} of its directory"))?;
            entries.insert(name, entry);
            at = next;
        }
        Ok(Jar { bytes, entries })
    }

    /// The names of its entries, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The content of an entry, if there is one; else what is wrong with it.
    pub fn find(&self, name: &str) -> Option<Result<Vec<u8>, String>> {
        let entry = self.entries.get(name)?;
        Some(self.content(entry).ok_or_else(|| format!("the entry `{name}` is broken")))
    }

    fn content(&self, entry: &Entry) -> Option<Vec<u8>> {
        let Entry { start, method, packed, size, checksum } = *entry;
        let header = self.bytes.get(start..start.checked_add(30)?).filter(|header| header.starts_with(&LOCAL))?;
        let start = start + 30 + usize::from(short(header, 26)?) + usize::from(short(header, 28)?);
        let packed = self.bytes.get(start..start.checked_add(packed)?)?;
        let content = match method {
            0 => packed.to_vec(),
            8 if size <= LARGEST => decompress_to_vec_with_limit(packed, size).ok()?,
            _ => return None,
        };
        (content.len() == size && crc32(&content) == checksum).then_some(content)
    }

    /// What its manifest says; nothing if it has none.
    pub fn manifest(&self) -> Result<Manifest, String> {
        let text = self.find("META-INF/MANIFEST.MF").transpose()?.unwrap_or_default();
        Ok(manifest(&String::from_utf8_lossy(&text)))
    }
}

/// The main part of a manifest: lines `name: value`, those that begin with a blank go on with the last one.
fn manifest(text: &str) -> Manifest {
    let whole = text.replace("\r\n", "\n").replace("\n ", "");
    let own = whole.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_once(':'));
    let mut found = Manifest::default();
    for (name, value) in own {
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "main-class" => found.main_class = Some(value.into()),
            "class-path" => found.class_path = value.split_whitespace().map(str::to_string).collect(),
            _ => {}
        }
    }
    found
}

/// Where the end of the directory stands, behind which is only a comment.
fn find_end(bytes: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(22)?;
    let first = last.saturating_sub(0xffff);
    (first..=last).rev().find(|&at| bytes[at..].starts_with(&END))
}

/// How many entries a directory has, and where it starts.
fn directory(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    let count = short(bytes, end + 10)?;
    Some((count.into(), word(bytes, end + 16)? as usize))
}

/// An entry of a directory, and where the next one stands.
fn entry(bytes: &[u8], at: usize) -> Option<(String, Entry, usize)> {
    let header = bytes.get(at..at.checked_add(46)?).filter(|header| header.starts_with(&ENTRY))?;
    let length = |offset: usize| Some(usize::from(short(header, offset)?));
    let size = |offset: usize| Some(word(header, offset)? as usize);
    let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
    let text = bytes.get(at + 46..at + 46 + name)?;
    let entry = Entry {
        start: size(42)?,
        method: short(header, 10)?,
        packed: size(20)?,
        size: size(24)?,
        checksum: word(header, 16)?,
    };
    Some((String::from_utf8_lossy(text).into_owned(), entry, at + 46 + name + extra + comment))
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// The checksum of archives: CRC-32, reflected, by nibbles.
fn crc32(bytes: &[u8]) -> u32 {
    let table: [u32; 16] = std::array::from_fn(|index| {
        (0..4).fold(index as u32, |rest, _| if rest & 1 == 1 { rest >> 1 ^ 0xedb8_8320 } else { rest >> 1 })
    });
    let step = |rest: u32, nibble: u32| table[((rest ^ nibble) & 15) as usize] ^ rest >> 4;
    let byte = |rest: u32, &byte: &u8| step(step(rest, u32::from(byte)), u32::from(byte >> 4));
    !bytes.iter().fold(!0, byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive of one stored entry.
    fn stored(name: &str, content: &[u8]) -> Vec<u8> {
        let [name_length, size] = [name.len(), content.len()].map(|length| length as u32);
        let sizes = [crc32(content), size, size].map(u32::to_le_bytes).concat();
        let lengths = [&(name_length as u16).to_le_bytes()[..], &[0, 0]].concat();
        let local = [&LOCAL[..], &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0], &sizes, &lengths, name.as_bytes(), content].concat();
        let start = local.len() as u32;
        let entry = [&ENTRY[..], &[20, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0], &sizes, &lengths, &[0; 14], name.as_bytes()];
        let directory = entry.concat();
        let end = [&END[..], &[0, 0, 0, 0, 1, 0, 1, 0], &(directory.len() as u32).to_le_bytes(), &start.to_le_bytes()];
        [local, directory, end.concat(), vec![0, 0]].concat()
    }

    #[test]
    fn entries_are_found_by_name() {
        let jar = Jar::read(stored("a/B.class", b"content")).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(jar.names().collect::<Vec<_>>(), ["a/B.class"]);
        assert_eq!(jar.find("a/B.class"), Some(Ok(b"content".to_vec())));
        assert_eq!(jar.find("a/C.class"), None);
    }

    #[test]
    fn what_is_broken_is_said_wherever_it_is() {
        let whole = stored("a/B.class", b"content");
        for at in 0..whole.len() {
            let mut broken = whole.clone();
            broken[at] ^= 0xff;
            if let Ok(jar) = Jar::read(broken) {
                let found = jar.find("a/B.class");
                assert!(!matches!(found, Some(Ok(content)) if content != b"content"), "byte {at}");
            }
            assert!(Jar::read(whole[..at].to_vec()).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn manifests_name_the_main_class_and_other_jars() {
        let text = "Manifest-Version: 1.0\r\nMain-Class: a.very.lo\r\n ng.Name\r\nClass-Path: lib/x.jar y/\r\n\r\nMain-Class: no\r\n";
        let found = manifest(text);
        assert_eq!(found.main_class.as_deref(), Some("a.very.long.Name"));
        assert_eq!(found.class_path, ["lib/x.jar", "y/"]);
    }

    #[test]
    fn the_checksum_is_that_of_archives() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
