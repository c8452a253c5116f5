//! Sparse matrices of circuit signals: relations that the solver decides.
//!
//! An atom may be absent (an event of a branch not taken). An entry `(x, y)` means: *if both atoms are there*, the pair
//! is in the relation. So the program order between two events of one branch is the constant true, not the branch
//! condition, and relations stay constant where programs branch. Whoever uses entries adds the presence of the atoms;
//! composition adds that of the middle atom, unless an end implies it.

use crate::circuit::{Bit, Circuit};
use crate::pairs::Pairs;

/// The atoms: which are there when, and what that says about others.
pub struct Universe {
    /// When each atom is there.
    pub present: Vec<Bit>,
    /// `(x, y)`: if `x` is there, so is `y`. Need not contain all such pairs.
    pub implies: Pairs,
    /// `(x, y)`: never both there. Symmetric; need not contain all such pairs.
    pub exclusive: Pairs,
}

impl Universe {
    /// Number of atoms.
    pub fn size(&self) -> usize {
        self.present.len()
    }

    /// Presence of `y` given that `x` and `z` are there.
    fn middle(&self, x: usize, y: usize, z: usize) -> Bit {
        if self.implies.contains(x, y) || self.implies.contains(z, y) { Bit::TRUE } else { self.present[y] }
    }

    /// Presence of both.
    pub fn both(&self, circuit: &mut Circuit, x: usize, y: usize) -> Bit {
        if self.implies.contains(x, y) {
            self.present[x]
        } else if self.implies.contains(y, x) {
            self.present[y]
        } else {
            circuit.and(&[self.present[x], self.present[y]])
        }
    }
}

/// A relation as a sparse matrix of signals; entries not stored are false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Invariant: each row sorted by column, no constant false.
    rows: Vec<Vec<(u32, Bit)>>,
}

impl Matrix {
    /// No pair.
    pub fn empty(size: usize) -> Matrix {
        Matrix { rows: vec![Vec::new(); size] }
    }

    /// The pairs, each constantly true.
    pub fn constant(pairs: &Pairs) -> Matrix {
        let rows = (0..pairs.size()).map(|x| pairs.row(x).map(|y| (y as u32, Bit::TRUE)).collect()).collect();
        Matrix { rows }
    }

    /// Entries in any order; of several for one pair the last counts.
    pub fn from_entries(size: usize, entries: impl IntoIterator<Item = (usize, usize, Bit)>) -> Matrix {
        let mut matrix = Matrix::empty(size);
        for (x, y, bit) in entries {
            matrix.rows[x].retain(|&(column, _)| column != y as u32);
            if bit != Bit::FALSE {
                matrix.rows[x].push((y as u32, bit));
            }
        }
        matrix.rows.iter_mut().for_each(|row| row.sort_unstable());
        matrix
    }

    /// A set: entries `(x, x)`.
    pub fn set(bits: &[Bit]) -> Matrix {
        Matrix::from_entries(bits.len(), bits.iter().enumerate().map(|(x, &bit)| (x, x, bit)))
    }

    /// Number of atoms.
    pub fn size(&self) -> usize {
        self.rows.len()
    }

    /// The entry.
    pub fn get(&self, x: usize, y: usize) -> Bit {
        let row = &self.rows[x];
        row.binary_search_by_key(&(y as u32), |entry| entry.0).map_or(Bit::FALSE, |index| row[index].1)
    }

    /// All entries that are not constantly false.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, Bit)> + '_ {
        self.rows.iter().enumerate().flat_map(|(x, row)| row.iter().map(move |&(y, bit)| (x, y as usize, bit)))
    }

    /// The entries of a row.
    pub fn row(&self, x: usize) -> &[(u32, Bit)] {
        &self.rows[x]
    }

    /// The pairs that may be in the relation.
    pub fn support(&self) -> Pairs {
        Pairs::from_pairs(self.size(), self.entries().map(|(x, y, _)| (x, y)))
    }

    /// The pairs that are in the relation whenever both atoms are there.
    pub fn must(&self) -> Pairs {
        let sure = self.entries().filter(|&(_, _, bit)| bit == Bit::TRUE);
        Pairs::from_pairs(self.size(), sure.map(|(x, y, _)| (x, y)))
    }

    /// In one of both.
    pub fn union(&self, other: &Matrix, circuit: &mut Circuit) -> Matrix {
        let rows = self.rows.iter().zip(&other.rows).map(|(a, b)| union_rows(a, b, circuit)).collect();
        Matrix { rows }
    }

    /// In both.
    pub fn intersection(&self, other: &Matrix, circuit: &mut Circuit) -> Matrix {
        self.map(|x, y, bit| circuit.and(&[bit, other.get(x, y)]))
    }

    /// In the first but not in the second.
    pub fn difference(&self, other: &Matrix, circuit: &mut Circuit) -> Matrix {
        self.map(|x, y, bit| circuit.and(&[bit, !other.get(x, y)]))
    }

    /// The same pairs with other signals.
    pub fn map(&self, mut signal: impl FnMut(usize, usize, Bit) -> Bit) -> Matrix {
        let mut rows = Vec::with_capacity(self.rows.len());
        for (x, row) in self.rows.iter().enumerate() {
            let mapped = row.iter().map(|&(y, bit)| (y, signal(x, y as usize, bit)));
            rows.push(mapped.filter(|&(_, bit)| bit != Bit::FALSE).collect());
        }
        Matrix { rows }
    }

    /// Composition; with a mask only the pairs of the mask are computed.
    pub fn sequence(&self, other: &Matrix, mask: Option<&Pairs>, universe: &Universe, circuit: &mut Circuit) -> Matrix {
        let size = self.size();
        let mut rows = Vec::with_capacity(size);
        let mut sums: Vec<Vec<Bit>> = vec![Vec::new(); size];
        let mut touched: Vec<u32> = Vec::new();
        for x in 0..size {
            for &(y, first) in &self.rows[x] {
                for &(z, second) in &other.rows[y as usize] {
                    let wanted = mask.is_none_or(|mask| mask.contains(x, z as usize));
                    let sum = &mut sums[z as usize];
                    if !wanted || universe.exclusive.contains(x, z as usize) || sum.first() == Some(&Bit::TRUE) {
                        continue;
                    }
                    let term = circuit.and(&[first, second, universe.middle(x, y as usize, z as usize)]);
                    if term == Bit::FALSE {
                        continue;
                    }
                    if sum.is_empty() {
                        touched.push(z);
                    }
                    if term == Bit::TRUE {
                        sum.clear();
                    }
                    sum.push(term);
                }
            }
            touched.sort_unstable();
            let row = touched.drain(..).map(|z| (z, circuit.or(&std::mem::take(&mut sums[z as usize])))).collect();
            rows.push(row);
        }
        Matrix { rows }
    }

    /// `(y, x)` for each `(x, y)`.
    pub fn inverse(&self) -> Matrix {
        let mut rows = vec![Vec::new(); self.size()];
        for (x, y, bit) in self.entries() {
            rows[y].push((x as u32, bit));
        }
        Matrix { rows }
    }

    /// The set of first members.
    pub fn domain(&self, universe: &Universe, circuit: &mut Circuit) -> Matrix {
        let mut bits = Vec::with_capacity(self.size());
        for (x, row) in self.rows.iter().enumerate() {
            let terms: Vec<Bit> =
                row.iter().map(|&(y, bit)| circuit.and(&[bit, universe.middle(x, y as usize, x)])).collect();
            bits.push(circuit.or(&terms));
        }
        Matrix::set(&bits)
    }
}

fn union_rows(a: &[(u32, Bit)], b: &[(u32, Bit)], circuit: &mut Circuit) -> Vec<(u32, Bit)> {
    let mut result = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let (left, right) = (a.get(i), b.get(j));
        match (left, right) {
            (Some(&(y, p)), Some(&(z, q))) if y == z => {
                result.push((y, circuit.or(&[p, q])));
                i += 1;
                j += 1;
            }
            (Some(&entry), Some(&(z, _))) if entry.0 < z => {
                result.push(entry);
                i += 1;
            }
            (Some(&entry), None) => {
                result.push(entry);
                i += 1;
            }
            (_, Some(&entry)) => {
                result.push(entry);
                j += 1;
            }
            (None, None) => {}
        }
    }
    result
}
