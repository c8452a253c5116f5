//! In which ways a program has fewer executions than its language allows.

/// What a front end leaves out because it has no end: answers say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Simplification {
    /// Some wait ends without a notification at most once in each call of the function that it stands in.
    RareWakeUps,
    /// Objects have one of a few identity hash codes.
    FewHashCodes,
    /// Whoever asks for the time gets one of a few.
    FewTimes,
    /// Whoever asks how many processors there are is told one number.
    TwoProcessors,
    /// What counts the iterations of a loop that waits does not overflow.
    UnboundedCounters,
}

impl Simplification {
    /// All of them.
    pub const ALL: [Simplification; 5] = [
        Simplification::RareWakeUps,
        Simplification::FewHashCodes,
        Simplification::FewTimes,
        Simplification::TwoProcessors,
        Simplification::UnboundedCounters,
    ];

    /// Its word in the text form of programs.
    pub const fn name(self) -> &'static str {
        match self {
            Simplification::RareWakeUps => "wakes_rarely",
            Simplification::FewHashCodes => "few_hash_codes",
            Simplification::FewTimes => "few_times",
            Simplification::TwoProcessors => "two_processors",
            Simplification::UnboundedCounters => "unbounded_counters",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Simplification> {
        Simplification::ALL.into_iter().find(|one| one.name() == name)
    }
}
