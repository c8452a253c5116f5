//! Keeps from the class-file reader what it cannot bear: it recurses on nested annotations, and it trusts the sizes of
//! attributes and switch tables, the distances of wide jumps, and that names are text.
//!
//! The walk here follows the layout of the class file (Java virtual machine specification, chapter 4) as far as needed to
//! find these. Anything else that is wrong with a file is left to the reader, which says it better.

/// Annotations nested deeper than this are refused.
const DEPTH: usize = 200;

/// What in the file must not reach the reader, if anything.
pub fn refuse(bytes: &[u8]) -> Option<&'static str> {
    if !bytes.starts_with(&[0xca, 0xfe, 0xba, 0xbe]) {
        return Some("it does not start as a class file does");
    }
    let mut walk = Walk { bytes, at: 8, names: Vec::new(), refused: None };
    let ended = walk.class();
    walk.refused.or(if ended.is_some() { None } else { Some("it ends too early") })
}

/// A walk over a class file. Each step is `None` where the file ends too early.
struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    /// By index in the constant pool; `None` for what is no text.
    names: Vec<Option<&'a [u8]>>,
    refused: Option<&'static str>,
}

impl<'a> Walk<'a> {
    fn class(&mut self) -> Option<()> {
        self.constant_pool()?;
        self.take(6)?;
        let interfaces = self.u2()?;
        self.take(2 * interfaces)?;
        for _ in 0..2 {
            for _ in 0..self.u2()? {
                self.take(6)?;
                self.attributes()?;
            }
        }
        self.attributes()
    }

    fn constant_pool(&mut self) -> Option<()> {
        let count = self.u2()?;
        self.names.push(None);
        // Entries that must be names, not only texts.
        let mut named = Vec::new();
        while self.names.len() < count {
            let tag = self.take(1)?[0];
            let name = match tag {
                1 => {
                    let length = self.u2()?;
                    Some(self.take(length)?)
                }
                8 => self.take(2).map(|_| None)?,
                7 | 16 | 19 | 20 => {
                    named.push(self.u2()?);
                    None
                }
                12 => {
                    named.extend([self.u2()?, self.u2()?]);
                    None
                }
                15 => self.take(3).map(|_| None)?,
                5 | 6 => {
                    self.take(8)?;
                    // These take two places.
                    self.names.push(None);
                    None
                }
                _ => self.take(4).map(|_| None)?,
            };
            self.names.push(name);
        }
        let is_name = |index: &usize| self.names.get(*index).copied().flatten().is_some_and(is_text);
        if !named.iter().all(is_name) {
            self.refused = Some("a name is not text");
        }
        Some(())
    }

    fn attributes(&mut self) -> Option<()> {
        for _ in 0..self.u2()? {
            let name = self.u2()?;
            let name = self.names.get(name).copied().flatten().unwrap_or_default();
            let length = self.u4()?;
            let end = self.at.checked_add(length)?;
            if name == b"Code" {
                self.code()?;
            } else {
                let content = self.take(length)?;
                let deep = content.iter().filter(|&&byte| byte == b'[' || byte == b'@').count() > DEPTH;
                if deep && name.windows(10).any(|part| part == b"Annotation") {
                    self.refused = Some("annotations that are nested too deep");
                }
            }
            self.at = end;
        }
        Some(())
    }

    fn code(&mut self) -> Option<()> {
        self.take(4)?;
        let length = self.u4()?;
        let code = self.take(length)?;
        if instructions(code).is_none() {
            self.refused = Some("a jump that leaves its method");
        }
        let handlers = self.u2()?;
        self.take(8 * handlers)?;
        self.attributes()
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn u2(&mut self) -> Option<usize> {
        self.take(2).map(|b| usize::from(u16::from_be_bytes([b[0], b[1]])))
    }

    fn u4(&mut self) -> Option<usize> {
        self.take(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]) as usize)
    }
}

/// Whether the bytes are text without surrogates, which no name has.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok()
}

/// Walks over the instructions; `None` if a switch has more targets than the code has bytes, or a jump is so wide that it
/// cannot stay inside.
fn instructions(code: &[u8]) -> Option<()> {
    let word = |at: usize| Some(i32::from_be_bytes(code.get(at..at + 4)?.try_into().ok()?));
    let inside = |distance: i32| (distance.unsigned_abs() as usize <= code.len()).then_some(());
    let mut at = 0;
    while let Some(&opcode) = code.get(at) {
        // The targets of a switch start at the next multiple of four.
        let aligned = (at + 4) & !3;
        at = match opcode {
            0xaa => {
                let (low, high) = (i64::from(word(aligned + 4)?), i64::from(word(aligned + 8)?));
                let count = usize::try_from(high - low + 1).ok().filter(|&count| count <= code.len())?;
                inside(word(aligned)?)?;
                (0..count).try_for_each(|n| inside(word(aligned + 12 + 4 * n)?))?;
                aligned + 12 + 4 * count
            }
            0xab => {
                let count = usize::try_from(word(aligned + 4)?).ok().filter(|&count| count <= code.len())?;
                inside(word(aligned)?)?;
                (0..count).try_for_each(|n| inside(word(aligned + 12 + 8 * n)?))?;
                aligned + 8 + 8 * count
            }
            0xc8 | 0xc9 => {
                inside(word(at + 1)?)?;
                at + 5
            }
            0xc4 => at + if code.get(at + 1) == Some(&0x84) { 6 } else { 4 },
            _ => at + usize::from(length(opcode)),
        };
    }
    Some(())
}

/// Length in bytes of an instruction that has always the same.
fn length(opcode: u8) -> u8 {
    match opcode {
        0x10 | 0x12 | 0x15..=0x19 | 0x36..=0x3a | 0xa9 | 0xbc => 2,
        0x11 | 0x13 | 0x14 | 0x84 | 0x99..=0xa8 | 0xb2..=0xb8 | 0xbb | 0xbd | 0xc0 | 0xc1 | 0xc6 | 0xc7 => 3,
        0xc5 => 4,
        0xb9 | 0xba => 5,
        _ => 1,
    }
}
