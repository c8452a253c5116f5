//! Where the parts of a preprocessed text come from.

use std::ops::Range;

use program::Span;

/// For each token of a preprocessed text, its place in the files that were read.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// Invariant: ascending and without overlap.
    tokens: Vec<(Range<usize>, Span)>,
}

impl Origins {
    /// Where the part `bytes` of the preprocessed text stands: from its first to its last token if both are in the same
    /// file, else the first token. A part without tokens stands where the next one does. `None` only if there are no
    /// tokens at all.
    pub fn span(&self, bytes: Range<usize>) -> Option<Span> {
        let first = self.tokens.partition_point(|(token, _)| token.end <= bytes.start);
        let past = self.tokens.partition_point(|(token, _)| token.start < bytes.end);
        let (_, start) = self.tokens.get(first).or(self.tokens.last())?;
        match self.tokens.get(first..past) {
            Some([.., (_, end)]) => Some(start.to(*end)),
            _ => Some(*start),
        }
    }

    /// Adds the next token.
    pub(super) fn push(&mut self, bytes: Range<usize>, place: Span) {
        self.tokens.push((bytes, place));
    }
}
