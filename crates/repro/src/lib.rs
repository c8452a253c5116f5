//! Published tables with our figures beside them.
//!
//! [`TABLES`] lists them. [`Published::compute`] reads what was published (`repro/*.tsv`), asks the engines the same
//! questions about the same programs, and gives a [`Table`]: one type for all of them, printed by [`Table::text`] and
//! [`Table::json`]. Whatever belongs to the outside world (limits, processors, clock) is a [`Bench`].
//!
//! ```
//! let published = repro::named("opmm-1").ok_or("there is no such table")?;
//! let table = published.compute(Some("peterson"), &repro::Plain)?;
//! assert!(table.all_agree());
//! println!("{}", table.text(0.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where is what
//!
//! [`mod@table`] has the one type of tables, `print` its text and its JSON. `programs` embeds what is published and the programs that the
//! tables speak of; `data` reads lines of figures. A module for each way to fill a table: `memsat` (MemSAT), `machines` (OpMM and Java Path
//! Relaxer), `mcr` (maximal causality reduction), `graphs` (execution graphs), `checkfence` (CheckFence).
//!
//! A new table is its file in `repro/`, a line in `programs`, a line in [`TABLES`], and a module if none of these can fill it.

mod bench;
mod checkfence;
mod data;
mod graphs;
mod machines;
mod mcr;
mod memsat;
mod print;
mod programs;
pub mod table;

use operational::Machine;
use palisade::Refusal;

pub use bench::{Bench, Plain};
pub use mcr::Given;
pub use table::Table;

/// A published table.
#[derive(Debug)]
pub struct Published {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub title: &'static str,
    /// Its file in `repro/`.
    file: &'static str,
    /// Who fills it.
    paper: Paper,
}

/// The papers. Tables of the same paper are filled in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paper {
    MemSat,
    /// OpMM or Java Path Relaxer, which stand for our machine.
    Machine(Machine),
    Mcr,
    McrPrograms,
    Graphs,
    CheckFenceIssues,
    CheckFenceStatistics,
    CheckFenceFigures,
}

/// The tables that can be reproduced.
pub const TABLES: &[Published] = &[
    Published {
        name: "memsat-1",
        title: "MemSAT (Torlak, Vaziri, Dolby, PLDI 2010), Table 1: five classic memory models on the Nemos tests.",
        file: "memsat/table1.tsv",
        paper: Paper::MemSat,
    },
    Published {
        name: "memsat-2",
        title: "MemSAT (Torlak, Vaziri, Dolby, PLDI 2010), Table 2: the original and the revised Java memory model.",
        file: "memsat/table2.tsv",
        paper: Paper::MemSat,
    },
    Published {
        name: "checkfence-8.3",
        title: "CheckFence (Burckhardt, thesis, 2007), figure 8.3: errors of five data types, and their fences.",
        file: "checkfence/figure8-3.tsv",
        paper: Paper::CheckFenceIssues,
    },
    Published {
        name: "checkfence-8.4",
        title: "CheckFence (Burckhardt, thesis, 2007), figure 8.4: bounded tests of five data types on relaxed.",
        file: "checkfence/figure8-4.tsv",
        paper: Paper::CheckFenceStatistics,
    },
    Published {
        name: "checkfence-8.5",
        title: "CheckFence (Burckhardt, thesis, 2007), figure 8.5: size of the unrolled code, and what encoding and solving cost.",
        file: "checkfence/figure8-5.tsv",
        paper: Paper::CheckFenceFigures,
    },
    Published {
        name: "checkfence-8.6",
        title: "CheckFence (Burckhardt, thesis, 2007), figure 8.6: observation sets, and what mining them costs.",
        file: "checkfence/figure8-4.tsv",
        paper: Paper::CheckFenceFigures,
    },
    Published {
        name: "checkfence-8.7",
        title: "CheckFence (Burckhardt, thesis, 2007), figure 8.7: the parts of the time, and the analysis of ranges.",
        file: "checkfence/figure8-4.tsv",
        paper: Paper::CheckFenceFigures,
    },
    Published {
        name: "checkfence-8.8",
        title: "CheckFence (Burckhardt, thesis, 2007), figure 8.8: the nonblocking queue under five models.",
        file: "checkfence/figure8-4.tsv",
        paper: Paper::CheckFenceFigures,
    },
    Published {
        name: "opmm-1",
        title: "OpMM (De, Roychoudhury, D'Souza, PASTE 2008), Table 1: violations that jmm_under finds.",
        file: "opmm/table1.tsv",
        paper: Paper::Machine(Machine::JmmUnder),
    },
    Published {
        name: "jpr-14",
        title: "Java Path Relaxer (Jin, Yavuz-Kahveci, Sanders), Fig. 14: outcomes and violations that jmm_over finds.",
        file: "jpr/figure14.tsv",
        paper: Paper::Machine(Machine::JmmOver),
    },
    Published {
        name: "mcr-1",
        title: "MCR for TSO and PSO, Table 1: its example with 1 to 4 iterations.",
        file: "mcr/table1.tsv",
        paper: Paper::Mcr,
    },
    Published {
        name: "mcr-2",
        title: "MCR for TSO and PSO, Table 2: lines, threads and events of the programs.",
        file: "mcr/table2.tsv",
        paper: Paper::McrPrograms,
    },
    Published {
        name: "mcr-3",
        title: "MCR for TSO and PSO, Table 3: executions of seven small programs.",
        file: "mcr/table3.tsv",
        paper: Paper::Mcr,
    },
    Published {
        name: "mcr-4",
        title: "MCR for TSO and PSO, Table 4: executions until a failure is met.",
        file: "mcr/table4.tsv",
        paper: Paper::Mcr,
    },
    Published {
        name: "mcr-5",
        title: "MCR for TSO and PSO, Table 5: executions and data races of real programs.",
        file: "mcr/table5.tsv",
        paper: Paper::Mcr,
    },
    Published {
        name: "mcr-growth",
        title: "Families of programs that grow: executions of other reductions, and ours.",
        file: "mcr/growth.tsv",
        paper: Paper::Mcr,
    },
    Published {
        name: "graphs",
        title: "Locks and lock-free data under rc11: executions and seconds of GenMC 0.11, and ours.",
        file: "graphs/genmc.tsv",
        paper: Paper::Graphs,
    },
];

/// The table of this name.
pub fn named(name: &str) -> Option<&'static Published> {
    TABLES.iter().find(|published| published.name == name)
}

impl Published {
    /// The table with our figures. `only` keeps the rows that have this name; if there are none, those whose names contain it.
    pub fn compute<B: Bench>(&'static self, only: Option<&str>, bench: &B) -> Result<Table, Refusal> {
        self.compute_with(only, &|_| None, bench)
    }

    /// The table as [`Published::compute`] fills it, of programs that are given in place of ours, by their names in the table. What the
    /// table's file demands is not demanded of these.
    pub fn compute_with<B: Bench>(
        &'static self,
        only: Option<&str>,
        given: &Given,
        bench: &B,
    ) -> Result<Table, Refusal> {
        match self.paper {
            Paper::MemSat => memsat::table(self, only, bench),
            Paper::Machine(machine) => machines::table(self, machine, only, bench),
            Paper::Mcr => mcr::table(self, only, given, bench),
            Paper::McrPrograms => mcr::programs::table(self, only, given, bench),
            Paper::Graphs => graphs::table(self, only, bench),
            Paper::CheckFenceIssues => checkfence::issues::table(self, only, bench),
            Paper::CheckFenceStatistics => checkfence::statistics::table(self, only, bench),
            Paper::CheckFenceFigures => checkfence::figures::table(self, only, bench),
        }
    }

    /// Whether programs may be given in place of ours.
    pub fn takes_programs(&self) -> bool {
        matches!(self.paper, Paper::Mcr | Paper::McrPrograms)
    }

    /// How many seconds a search should have if nobody says otherwise; `None` is as many as it takes.
    pub fn seconds_per_search(&self) -> Option<u64> {
        (self.paper == Paper::CheckFenceIssues).then_some(checkfence::issues::SECONDS_PER_SEARCH)
    }
}
