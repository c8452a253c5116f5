//! What kind of question an answer is about.

/// A bounded test of a data type: does every execution show only what some serial execution shows, and does nothing go
/// wrong on the way?
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Test {
    /// How it is written: `e(ed|de)`.
    pub notation: String,
    /// How many different observations serial executions show, if they were all found.
    pub observations: Option<usize>,
    /// The file of the reference implementation that says what the operations mean; `None` if serial executions of the
    /// program itself do.
    pub reference: Option<String>,
    /// Whether the serial executions must keep the order of operations that do not overlap: linearisability.
    pub linearizable: bool,
    /// Whether its operations say where they take effect.
    pub has_commits: bool,
}

/// What kind of question an answer is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Subject {
    /// The question that a program brings along, or whether its assertions hold: shown with final states.
    #[default]
    Litmus,
    /// Whether something goes wrong in a program that starts its threads itself: shown step by step.
    Whole,
    /// A bounded test of a data type: shown step by step, with what the operations showed.
    Test(Test),
}
