//! What a step chose where the program leaves a choice, so that every choice can be taken in turn and any one again.

/// The choices of one step. A step asks [`Choices::pick`] wherever it could go on in several ways; taking the same choices
/// again gives the same step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    taken: Vec<u32>,
    /// Of how many ways each was one.
    ways: Vec<u32>,
    at: usize,
}

impl Choices {
    /// Choices to be taken again; where they end the first way is taken.
    pub fn given(taken: Vec<u32>) -> Choices {
        Choices { taken, ways: Vec::new(), at: 0 }
    }

    /// One of `ways` ways, from 0. There must be at least one.
    pub fn pick(&mut self, ways: u32) -> u32 {
        if self.at == self.taken.len() {
            self.taken.push(0);
        }
        self.ways.truncate(self.at);
        self.ways.push(ways);
        let last = ways.saturating_sub(1);
        let pick = self.taken[self.at].min(last);
        self.at += 1;
        pick
    }

    /// Starts over with the same choices.
    pub fn rewind(&mut self) {
        self.at = 0;
    }

    /// Goes to the next combination of choices; false if this was the last.
    pub fn next_combination(&mut self) -> bool {
        self.taken.truncate(self.at);
        self.at = 0;
        while let (Some(last), Some(ways)) = (self.taken.last_mut(), self.ways.pop()) {
            if *last + 1 < ways {
                *last += 1;
                return true;
            }
            self.taken.pop();
        }
        false
    }

    /// The choices taken so far.
    pub fn taken(&self) -> &[u32] {
        &self.taken[..self.at]
    }
}
