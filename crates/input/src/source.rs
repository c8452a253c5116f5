//! The options that say how programs in C and Java are read, with their help.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use frontend::c::MemoryError;

/// How to read C files, and what to do with their operations; and how to read Java.
#[derive(Clone, Debug, Default, Args)]
pub struct CSource {
    /// Bounded test of a C file's operations: 'e(ed|de)' calls e, then in two threads e and d, and d and e. Or names from a
    /// catalogue: T0, or 'Tpc*,Ti2' for several tests
    #[arg(long, value_name = "TEST")]
    pub test: Option<String>,
    /// File of tests with names, on each line one: T0 (e|d) [default: the tests of the CheckFence thesis]
    #[arg(long, value_name = "FILE", requires = "test")]
    pub catalogue: Option<PathBuf>,
    /// What the test may show, as `palisade observations` wrote it, instead of running serial executions
    #[arg(long, value_name = "FILE", requires = "test", conflicts_with = "reference")]
    pub observations: Option<PathBuf>,
    /// C file with the same operations, whose serial executions say what the test may show [default: those of the
    /// file itself]
    #[arg(long, value_name = "FILE", requires = "test")]
    pub reference: Option<PathBuf>,
    /// Ask of the bounded test whether it is linearisable: operations that had returned before others were called come before them in the
    /// serial execution, too (sc and tso; under rc11 and rc20 those whose return happens before the call)
    #[arg(long, requires = "test")]
    pub linearizable: bool,
    /// A further C file of the same program; may be given several times
    #[arg(long = "with", value_name = "FILE")]
    pub others: Vec<PathBuf>,
    /// Define a macro in C files
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Look for what C files and models include in this folder, too
    #[arg(short = 'I', long = "include", value_name = "FOLDER")]
    pub include: Vec<PathBuf>,
    /// What accesses of volatile objects of C are [default: plain]
    #[arg(long, value_enum, value_name = "HOW")]
    pub volatile: Option<Volatile>,
    /// A kind of memory error of C that is not looked for; may be given several times
    #[arg(long, value_enum, value_name = "KIND")]
    pub ignore: Vec<Ignored>,
    /// Look for torn variables of Java: plain long and double ones are read and written in two halves
    #[arg(long)]
    pub tearing: bool,
    /// Look for the sources of Java class files in this folder, too
    #[arg(long, value_name = "FOLDER")]
    pub source_path: Vec<PathBuf>,
    /// Folders and jars in which classes of Java are looked for, with separators between as Java has them, `lib/*` for
    /// all jars of a folder; also `-cp`. With it, a program may be given by the name of its class
    #[arg(long, visible_alias = "class-path", value_name = "PATH")]
    pub classpath: Vec<PathBuf>,
}

/// What accesses of volatile objects are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Volatile {
    /// Plain accesses, as C11 says: they race
    Plain,
    /// Relaxed atomic accesses, as programs from before C11 mean them
    Relaxed,
}

impl Volatile {
    /// As it is given.
    pub fn name(self) -> &'static str {
        match self {
            Volatile::Plain => "plain",
            Volatile::Relaxed => "relaxed",
        }
    }
}

/// A kind of memory error that is not looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ignored {
    /// Accesses out of the bounds of an object, and indexes out of those of an array
    Bounds,
    /// Accesses of memory that was freed
    UseAfterFree,
    /// Accesses of variables after the end of their block, function or thread
    UseAfterScope,
    /// Writes to string literals and constants
    Const,
    /// Reads of memory and variables that were never written, if nothing comes of the value
    Uninitialised,
    /// Results of arithmetic on signed integers that do not fit in their type
    Overflow,
}

impl Ignored {
    /// As it is given.
    pub fn name(self) -> &'static str {
        match self {
            Ignored::Bounds => "bounds",
            Ignored::UseAfterFree => "use-after-free",
            Ignored::UseAfterScope => "use-after-scope",
            Ignored::Const => "const",
            Ignored::Uninitialised => "uninitialised",
            Ignored::Overflow => "overflow",
        }
    }

    /// What is not looked for.
    pub fn error(self) -> MemoryError {
        match self {
            Ignored::Bounds => MemoryError::OutOfBounds,
            Ignored::UseAfterFree => MemoryError::UseAfterFree,
            Ignored::UseAfterScope => MemoryError::UseAfterScope,
            Ignored::Const => MemoryError::WriteToConstant,
            Ignored::Uninitialised => MemoryError::Uninitialised,
            Ignored::Overflow => MemoryError::Overflow,
        }
    }
}
