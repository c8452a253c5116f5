//! The reachability relation of an acyclic graph, as a bit matrix.

/// The transitive closure of a graph over the nodes `0..nodes`.
#[derive(Clone, Debug)]
pub(crate) struct Closure {
    nodes: usize,
    /// Words per row.
    words: usize,
    /// Row `a` has bit `b` when there is a path of at least one edge from `a` to `b`.
    /// Invariant: transitive, and no node reaches itself.
    bits: Vec<u64>,
}

/// One word of the matrix that an insertion changed.
pub(crate) struct Change {
    /// The row: a node that now reaches more.
    pub row: u32,
    /// Which word of the row.
    pub word: u32,
    /// The bits that were added.
    pub added: u64,
}

impl Closure {
    /// The closure of `edges`, or nothing if they contain a cycle.
    pub fn of(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Option<Closure> {
        let words = nodes.div_ceil(64);
        let mut closure = Closure { nodes, words, bits: vec![0; nodes * words] };
        let successors = successors(nodes, edges);
        for &node in topological(&successors)?.iter().rev() {
            for &next in &successors[node as usize] {
                closure.absorb(node as usize, next as usize);
            }
        }
        Some(closure)
    }

    /// Words per row.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Whether a path of at least one edge leads from `from` to `to`.
    pub fn reaches(&self, from: u32, to: u32) -> bool {
        self.bits[from as usize * self.words + to as usize / 64] >> (to % 64) & 1 == 1
    }

    /// Adds the edge `from -> to` and all that follows from it, and reports every changed word.
    ///
    /// Contract: `to` neither is nor reaches `from`.
    pub fn insert(&mut self, from: u32, to: u32, mut changed: impl FnMut(Change)) {
        let target = to as usize * self.words;
        for row in 0..self.nodes as u32 {
            let gains = (row == from || self.reaches(row, from)) && !self.reaches(row, to);
            if !gains {
                continue;
            }
            let start = row as usize * self.words;
            for word in 0..self.words {
                let mut wanted = self.bits[target + word];
                if word == to as usize / 64 {
                    wanted |= 1 << (to % 64);
                }
                let added = wanted & !self.bits[start + word];
                if added != 0 {
                    self.bits[start + word] |= added;
                    changed(Change { row, word: word as u32, added });
                }
            }
        }
    }

    /// Takes back a change, when all later ones have been taken back too.
    pub fn undo(&mut self, change: &Change) {
        self.bits[change.row as usize * self.words + change.word as usize] &= !change.added;
    }

    /// Lets `node` reach `next` and all that `next` reaches.
    fn absorb(&mut self, node: usize, next: usize) {
        let words = self.words;
        if self.reaches(node as u32, next as u32) {
            return;
        }
        for word in 0..words {
            self.bits[node * words + word] |= self.bits[next * words + word];
        }
        self.bits[node * words + next / 64] |= 1 << (next % 64);
    }
}

/// Whether `edges` contain no cycle.
pub(crate) fn is_acyclic(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> bool {
    topological(&successors(nodes, edges)).is_some()
}

fn successors(nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
    let mut successors = vec![Vec::new(); nodes];
    for (from, to) in edges {
        successors[from as usize].push(to);
    }
    successors
}

/// The nodes in an order in which every edge points forward, or nothing if there is a cycle.
fn topological(successors: &[Vec<u32>]) -> Option<Vec<u32>> {
    let mut missing = vec![0u32; successors.len()];
    for &next in successors.iter().flatten() {
        missing[next as usize] += 1;
    }
    let mut sequence: Vec<u32> = (0..successors.len() as u32).filter(|&node| missing[node as usize] == 0).collect();
    let mut done = 0;
    while done < sequence.len() {
        for &next in &successors[sequence[done] as usize] {
            missing[next as usize] -= 1;
            if missing[next as usize] == 0 {
                sequence.push(next);
            }
        }
        done += 1;
    }
    (done == successors.len()).then_some(sequence)
}
