//! The memory model of a language, by whatever knows it. For Java these are the exact model and two bounds: what goes wrong from
//! below (`jmm_under`) goes wrong, what does not from above (`jmm_over`) does not. The bounds take programs that the exact
//! model does not; how often a loop goes round, and what threads wait for, does not matter to them.

use program::Language;

use crate::auto;
use crate::model::Model;
use crate::refusal::Refusal;
use crate::request::{Answer, Progress, Request, Wanted};
use crate::task::{Forms, Task, Whole};

impl Request<'_> {
    /// Answers for someone who named neither model nor engine: the request is for the model of the language. For Java its bounds
    /// are asked beside it, and the first that decides answers.
    pub fn answer_by_language(&self, progress: &dyn Progress) -> Result<Answer, Refusal> {
        if !self.may_be_bounded() {
            return self.answer_with(progress);
        }
        let (under, over) = (Model::named("jmm_under")?, Model::named("jmm_over")?);
        match self.task {
            Task::Whole(Whole { forms: Forms::OnlyRun(..), .. }) => auto::under_any(self, &[&under, &over], progress),
            _ => auto::under_any(self, &[self.model, &under, &over], progress),
        }
    }

    /// Whether the bounds of Java's memory model may decide.
    fn may_be_bounded(&self) -> bool {
        let program = self.task.program();
        self.options.wanted == Wanted::Verdict && program.language == Language::Java && program.question.is_none()
    }
}
