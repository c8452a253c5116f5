//! What is embedded: files of published figures, and the programs that they speak of.

use frontend::c::Unit;
use frontend::jvm::{self, ClassFile};
use palisade::Refusal;
use palisade::task::verified;
use program::Verified;

/// Texts by their names.
type Texts = &'static [(&'static str, &'static str)];

macro_rules! texts {
    ($folder:literal: $($name:literal)*) => {
        &[$(($name, include_str!(concat!("../", $folder, "/", $name)))),*]
    };
}

/// Files of published figures.
const FIGURES: Texts = texts! {
    "published":
    "memsat/table1.tsv" "memsat/table2.tsv" "checkfence/figure8-3.tsv" "checkfence/figure8-4.tsv"
    "checkfence/figure8-5.tsv"
    "opmm/table1.tsv" "jpr/figure14.tsv"
    "mcr/table1.tsv" "mcr/table2.tsv" "mcr/table3.tsv" "mcr/table4.tsv" "mcr/table5.tsv" "mcr/growth.tsv"
    "graphs/genmc.tsv"
};

/// Programs in C, and what they include.
const C: Texts = texts! {
    "suites/c":
    "ms2.c" "msn.c" "lazylist.c" "harris.c" "snark.c" "snark_published.c" "snark_push.h"
    "queue_harness.h" "set_harness.h" "deque_harness.h"
    "mcr/readers.c" "mcr/lastzero.c" "mcr/sigma.c" "mcr/fib.c" "mcr/ainc.c" "mcr/lock.c"
    "graphs/ainc.c" "graphs/casinc.c" "graphs/casrot.c" "graphs/chaselev.c" "graphs/clh.c" "graphs/counts.c" "graphs/dglm.c"
    "graphs/fib.c" "graphs/futex.c" "graphs/indexer.c" "graphs/lastzero.c" "graphs/lockinc.c" "graphs/mcs.c" "graphs/mpmc.c"
    "graphs/msqueue.c" "graphs/musl.c" "graphs/peterson.c" "graphs/rwlock.c" "graphs/seqlock.c" "graphs/sigma.c"
    "graphs/spinlock.c" "graphs/spsc.c" "graphs/ticket.c" "graphs/treiber.c" "graphs/ttas.c"
};

/// A program in Java.
struct Java {
    /// Its folder in `suites/java`, and its class with threads or `main`.
    name: &'static str,
    /// Names and content of its class files; the one with threads or `main` comes first.
    classes: &'static [(&'static str, &'static [u8])],
    source: &'static str,
}

macro_rules! java {
    ($($folder:literal $main:literal $(: $($inner:literal)*)?;)*) => {
        &[$(Java {
            name: concat!($folder, $main),
            classes: &[
                ($main, include_bytes!(concat!("../suites/java/", $folder, $main, ".class"))),
                $($((
                    concat!($main, "$", $inner),
                    include_bytes!(concat!("../suites/java/", $folder, $main, "$", $inner, ".class")),
                ),)*)?
            ],
            source: include_str!(concat!("../suites/java/", $folder, $main, ".java")),
        }),*]
    };
}

/// Programs in Java.
const JAVA: &[Java] = java! {
    "" "Nemos01"; "" "Nemos02"; "" "Nemos03"; "" "Nemos04"; "" "Nemos05"; "" "Nemos06"; "" "Nemos07"; "" "Nemos08";
    "" "Nemos09"; "" "Nemos10"; "" "Nemos11"; "" "Nemos12"; "" "Nemos13"; "" "Nemos14"; "" "Nemos15";
    "" "TC01"; "" "TC02"; "" "TC03"; "" "TC04"; "" "TC05"; "" "TC06"; "" "TC07"; "" "TC08"; "" "TC09"; "" "TC09a";
    "" "TC10"; "" "TC11"; "" "TC12"; "" "TC13"; "" "TC14"; "" "TC15"; "" "TC16"; "" "TC17"; "" "TC18"; "" "TC19";
    "" "TC20";
    "" "T1"; "" "T1t"; "" "T2"; "" "T2t"; "" "T3"; "" "T3t"; "" "T4"; "" "T4t"; "" "T5"; "" "T5t";
    "opmm/" "Dcl": "Client" "Helper";
    "opmm/" "DclVol": "Client" "Helper";
    "opmm/" "Singleton": "Client";
    "opmm/" "Peterson": "First" "Second";
    "opmm/" "Dekker": "First" "Second";
    "jpr/" "Hash": "Client" "Text";
    "jpr/" "Hash4": "Client" "Text";
    "jpr/" "Hash2": "Client" "Text";
    "jpr/" "IsPrime": "Client";
    "jpr/" "Dcl": "Client" "Helper";
    "jpr/" "Peterson": "Client";
    "jpr/" "Dekker": "Client";
    "mcr/" "Dekker": "First" "Second";
    "mcr/" "Lamport": "First" "Second";
    "mcr/" "Bakery": "Customer";
    "mcr/" "Peterson": "First" "Second";
    "mcr/" "StackUnsafe": "Popper";
    "mcr/" "RVExample": "First" "Second";
    "mcr/" "Example1": "Reader";
    "mcr/" "Example2": "Reader";
    "mcr/" "Example3": "Reader";
    "mcr/" "Example4": "Reader";
    "mcr/" "ElectronMicroscope": "Point" "Reader";
    "mcr/" "Account": "Clerk";
    "mcr/" "Airline";
    "mcr/" "Allocation": "AllocationVector" "User";
    "mcr/" "PingPong": "Player" "Table";
    "mcr/" "StringBuf": "Appender" "Buffer" "Eraser";
};

/// A file of published figures.
pub fn figures(name: &str) -> Result<&'static str, Refusal> {
    text(FIGURES, name).ok_or_else(|| lacks(name))
}

/// A file in C of `suites/c`, with these macros defined.
pub fn c(name: &str, defines: &[(String, String)]) -> Result<Unit, Refusal> {
    let own = text(C, name).ok_or_else(|| lacks(name))?;
    let mut include = |name: &str, _: &str| Some((name.to_string(), text(C, name)?.to_string()));
    Ok(frontend::c::load(name, own, &mut include, defines)?)
}

/// A program in Java of `suites/java`: the annotated threads of its class if there are any, else its `main`.
pub fn java(name: &str) -> Result<Verified, Refusal> {
    let known = JAVA.iter().find(|known| known.name == name).ok_or_else(|| lacks(name))?;
    let file = |(class, bytes): &(&str, &[u8])| ClassFile {
        name: format!("{class}.class"),
        bytes: bytes.to_vec(),
        source: Some((format!("{name}.java"), known.source.to_string())),
    };
    let files: Vec<ClassFile> = known.classes.iter().map(file).collect();
    let class = known.classes.first().map_or("", |(class, _)| class);
    let program = match jvm::has_annotated_threads(&files) {
        true => jvm::load(&files, &jvm::Options { class: Some(class.into()) })?.program,
        false => jvm::program(&files, class)?,
    };
    verified(program)
}

fn text(texts: Texts, name: &str) -> Option<&'static str> {
    texts.iter().find(|(own, _)| *own == name).map(|(_, text)| *text)
}

fn lacks(name: &str) -> Refusal {
    Refusal::Question(format!("there is no {name}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_table_has_its_file_and_every_file_its_table() {
        let files: BTreeSet<&str> = FIGURES.iter().map(|(name, _)| *name).collect();
        let tables: BTreeSet<&str> = crate::TABLES.iter().map(|published| published.file).collect();
        assert_eq!(files, tables);
    }

    #[test]
    fn every_program_can_be_read() {
        for known in JAVA {
            java(known.name).unwrap_or_else(|refusal| panic!("{}: {refusal}", known.name));
        }
        for (name, _) in C.iter().filter(|(name, _)| name.ends_with(".c")) {
            c(name, &[]).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        }
    }
}
