//! The vocabulary between the atoms of herd's models.

use program::{Access, EventKind, Unsupported};
use relation::{Bit, Circuit, Matrix, Pairs};

use super::{Vocabulary, updates};
use crate::events::SymbolicEvent;
use crate::herd::is_access_or_fence;
use crate::walk::Rewrite;

impl Vocabulary<'_> {
    /// The matrix of a base relation or set between the atoms of herd's models.
    pub(super) fn of_atoms(&self, name: &str, circuit: &mut Circuit) -> Result<Matrix, Unsupported> {
        let (list, atoms) = (&self.events.events, &self.atoms);
        let of_first = |holds: &dyn Fn(&SymbolicEvent) -> bool| -> Vec<Bit> {
            (0..atoms.count()).map(|atom| Bit::constant(holds(&list[atoms.first(atom)]))).collect()
        };
        let writes = |atom: usize| atoms.write[atom].map_or(Bit::FALSE, |write| list[write].guard);
        let pairs = |holds: &dyn Fn(usize, usize) -> bool| {
            let all = atoms.first.iter().flat_map(|&x| atoms.first.iter().map(move |&y| (x, y)));
            let pairs = all.filter(|&(x, y)| !self.universe.exclusive.contains(x, y) && holds(x, y));
            Matrix::constant(&Pairs::from_pairs(atoms.count(), pairs.map(|(x, y)| (atoms.of(x), atoms.of(y)))))
        };
        Ok(match name {
            "rf" | "co" | "FW" => atoms.lift(&self.of_events(name, circuit)?, list, circuit),
            "fr" => self.precedes(circuit)?,
            "data" => atoms.lift(&self.data(circuit)?, list, circuit),
            "po" => pairs(&|x, y| self.events.po.contains(x, y) && list[x].instance != list[y].instance),
            "int" => pairs(&|x, y| list[x].thread.is_some() && list[x].thread == list[y].thread),
            "ext" => pairs(&|x, y| list[x].thread != list[y].thread),
            "rmw" | "amo" | "iico_data" | "iico_ctrl" | "iico_order" => {
                let matrix = self.of_events(name, circuit)?;
                let own = atoms.lift_first(&matrix);
                own.map(|x, y, bit| if x == y { Bit::FALSE } else { bit })
            }
            "same-instance" => pairs(&|x, y| list[x].thread.is_some() && list[x].instance == list[y].instance),
            "W" => {
                let mut bits = of_first(&|event| event.kind == EventKind::Write);
                bits.iter_mut().enumerate().for_each(|(atom, bit)| *bit = circuit.or(&[*bit, writes(atom)]));
                Matrix::set(&bits)
            }
            "RMW" => {
                let is_of_kernel = |access: &Access| access.has(Access::KERNEL_UPDATE);
                let mut bits = of_first(&|event| event.accesses.iter().any(|(access, _)| is_of_kernel(access)));
                bits.iter_mut().enumerate().for_each(|(atom, bit)| *bit = circuit.or(&[*bit, writes(atom)]));
                Matrix::set(&bits)
            }
            "NA" => {
                let atomic = self.of_atoms("A", circuit)?;
                let bits = of_first(&|event| is_access_or_fence(event.kind));
                let outside = |atom: usize| circuit.and(&[bits[atom], !atomic.get(atom, atom)]);
                Matrix::set(&(0..atoms.count()).map(outside).collect::<Vec<Bit>>())
            }
            _ => atoms.lift_first(&self.of_events(name, circuit)?),
        })
    }

    /// What a read precedes in coherence; a read-modify-write does not precede itself.
    fn precedes(&self, circuit: &mut Circuit) -> Result<Matrix, Unsupported> {
        let (rf, co) = (self.of_atoms("rf", circuit)?, self.of_atoms("co", circuit)?);
        let universe = self.atoms.universe(self.universe);
        let pairs = rf.inverse().sequence(&co, None, &universe, circuit);
        Ok(pairs.map(|x, y, bit| if x == y { Bit::FALSE } else { bit }))
    }

    /// Data dependencies, those inside of an instruction included.
    fn data(&self, circuit: &mut Circuit) -> Result<Matrix, Unsupported> {
        let list = &self.events.events;
        let computes = |write: usize| list[write].rewrite == Some(Rewrite::Compute) && !self.atoms.is_second(write);
        let own = updates(list).filter(|&(_, write)| computes(write)).map(|(read, write)| (read, write, Bit::TRUE));
        let own = Matrix::from_entries(list.len(), own);
        Ok(self.of_events("data", circuit)?.union(&own, circuit))
    }
}
