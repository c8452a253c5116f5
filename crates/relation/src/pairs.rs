//! Dense sets of pairs of atoms.

/// A set of pairs over a universe of `size` atoms, one bit a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    size: usize,
    words_per_row: usize,
    words: Vec<u64>,
}

impl Pairs {
    /// No pair.
    pub fn empty(size: usize) -> Pairs {
        let words_per_row = size.div_ceil(64);
        Pairs { size, words_per_row, words: vec![0; words_per_row * size] }
    }

    /// Every pair.
    pub fn full(size: usize) -> Pairs {
        let mut pairs = Pairs::empty(size);
        if size > 0 {
            (0..size).for_each(|y| pairs.insert(0, y));
            let row = pairs.words[..pairs.words_per_row].to_vec();
            pairs.words.chunks_exact_mut(pairs.words_per_row).for_each(|words| words.copy_from_slice(&row));
        }
        pairs
    }

    /// Every `(x, x)`.
    pub fn identity(size: usize) -> Pairs {
        let mut pairs = Pairs::empty(size);
        (0..size).for_each(|x| pairs.insert(x, x));
        pairs
    }

    /// The set of these pairs.
    pub fn from_pairs(size: usize, list: impl IntoIterator<Item = (usize, usize)>) -> Pairs {
        let mut pairs = Pairs::empty(size);
        list.into_iter().for_each(|(x, y)| pairs.insert(x, y));
        pairs
    }

    /// Number of atoms of the universe.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Adds a pair.
    pub fn insert(&mut self, x: usize, y: usize) {
        self.words[x * self.words_per_row + y / 64] |= 1 << (y % 64);
    }

    /// Whether the pair is there.
    pub fn contains(&self, x: usize, y: usize) -> bool {
        self.words[x * self.words_per_row + y / 64] >> (y % 64) & 1 == 1
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// All pairs in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.size).flat_map(move |x| self.row(x).map(move |y| (x, y)))
    }

    /// All `y` with `(x, y)`.
    pub fn row(&self, x: usize) -> impl Iterator<Item = usize> + '_ {
        let words = &self.words[x * self.words_per_row..(x + 1) * self.words_per_row];
        words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        })
    }

    /// Word by word.
    fn zip(&self, other: &Pairs, word: impl Fn(u64, u64) -> u64) -> Pairs {
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| word(a, b)).collect();
        Pairs { words, ..*self }
    }

    /// Pairs of one or the other.
    pub fn union(&self, other: &Pairs) -> Pairs {
        self.zip(other, |a, b| a | b)
    }

    /// Pairs of both.
    pub fn intersection(&self, other: &Pairs) -> Pairs {
        self.zip(other, |a, b| a & b)
    }

    /// Pairs of the first only.
    pub fn difference(&self, other: &Pairs) -> Pairs {
        self.zip(other, |a, b| a & !b)
    }

    /// `(x, z)` with `(x, y)` here and `(y, z)` there.
    pub fn sequence(&self, other: &Pairs) -> Pairs {
        let mut result = Pairs::empty(self.size);
        for (x, y) in self.iter() {
            result.absorb_row(x, &other.words[y * self.words_per_row..(y + 1) * self.words_per_row]);
        }
        result
    }

    fn absorb_row(&mut self, x: usize, row: &[u64]) {
        let start = x * self.words_per_row;
        for (word, &more) in self.words[start..].iter_mut().zip(row) {
            *word |= more;
        }
    }

    /// `(y, x)` for each `(x, y)`.
    pub fn inverse(&self) -> Pairs {
        Pairs::from_pairs(self.size, self.iter().map(|(x, y)| (y, x)))
    }

    /// The transitive closure.
    pub fn closure(&self) -> Pairs {
        let mut result = self.clone();
        for middle in 0..self.size {
            let row = result.words[middle * self.words_per_row..(middle + 1) * self.words_per_row].to_vec();
            for x in 0..self.size {
                if result.contains(x, middle) {
                    result.absorb_row(x, &row);
                }
            }
        }
        result
    }

    /// `(x, x)` for each `x` that starts a pair.
    pub fn domain(&self) -> Pairs {
        let starts = (0..self.size).filter(|&x| self.row(x).next().is_some());
        Pairs::from_pairs(self.size, starts.map(|x| (x, x)))
    }

    /// Whether no path leads back to its start.
    pub fn is_acyclic(&self) -> bool {
        let closed = self.closure();
        (0..self.size).all(|x| !closed.contains(x, x))
    }

    /// A shortest cycle as the list of its atoms, or `None` if there is no cycle.
    pub fn shortest_cycle(&self) -> Option<Vec<usize>> {
        (0..self.size).filter_map(|start| self.shortest_path(start, start)).min_by_key(Vec::len).map(|mut path| {
            path.pop();
            path
        })
    }

    /// A shortest path of at least one step, ends included.
    pub fn shortest_path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        let mut parent = vec![usize::MAX; self.size];
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(x) = queue.pop_front() {
            for y in self.row(x) {
                if y == to {
                    let mut path = vec![to, x];
                    let mut at = x;
                    while at != from {
                        at = parent[at];
                        path.push(at);
                    }
                    path.reverse();
                    return Some(path);
                }
                if parent[y] == usize::MAX && y != from {
                    parent[y] = x;
                    queue.push_back(y);
                }
            }
        }
        None
    }
}
