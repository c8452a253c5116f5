//! The languages that programs are written in, and what follows from the language alone.
//!
//! A new front end adds a variant here; everything that differs from language to language stands in this file.

/// The language of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// The text form of programs itself.
    #[default]
    Ir,
    /// Litmus tests in assembly of 32 bits.
    X86,
    /// Litmus tests in assembly of 64 bits.
    X86_64,
    /// C11: litmus tests, whole programs, data types.
    C,
    /// Java, compiled to class files.
    Java,
    /// Litmus tests in Java with access modes, in herd's format.
    JavaLitmus,
}

/// Whose happens-before says which accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rules {
    /// Java's: a volatile write comes before every later volatile read of the variable.
    Jmm,
    /// C11's: a release comes before an acquire that reads from its release sequence.
    C11,
}

impl Language {
    /// All languages.
    pub const ALL: [Language; 6] =
        [Language::Ir, Language::X86, Language::X86_64, Language::C, Language::Java, Language::JavaLitmus];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Language::Ir => "IR",
            Language::X86 => "X86",
            Language::X86_64 => "X86_64",
            Language::C => "C",
            Language::Java => "Java",
            Language::JavaLitmus => "JavaLitmus",
        }
    }

    /// The language of this name.
    pub fn named(name: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.name() == name)
    }

    /// The memory model that programs are meant for when none is given.
    pub fn default_model(self) -> Option<&'static str> {
        match self {
            Language::Ir => None,
            Language::X86 | Language::X86_64 => Some("tso"),
            Language::C => Some("rc11"),
            Language::Java => Some("jmm"),
            Language::JavaLitmus => Some("jam21"),
        }
    }

    /// Whose data races count.
    pub fn race_rules(self) -> Rules {
        match self {
            Language::Java | Language::JavaLitmus => Rules::Jmm,
            Language::Ir | Language::X86 | Language::X86_64 | Language::C => Rules::C11,
        }
    }

    /// Whether accesses name memory orders of C11 or access modes of Java, which are compiled to fences for machines that know
    /// none.
    pub fn has_memory_orders(self) -> bool {
        matches!(self, Language::C | Language::JavaLitmus)
    }

    /// How calls of fences begin in the source.
    pub fn fence_calls(self) -> &'static [&'static str] {
        match self {
            Language::C => &["lsl_fence", "atomic_thread_fence", "__atomic_thread_fence", "__sync_synchronize"],
            Language::Ir | Language::X86 | Language::X86_64 | Language::Java | Language::JavaLitmus => &[],
        }
    }

    /// Whether the calls that start a thread are made by the front end: they are not the user's, and are not shown.
    pub fn hides_call(self, function: &str) -> bool {
        self == Language::Java && (function == "thread" || function == "main thread")
    }
}

impl std::fmt::Display for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
