//! The memory model of a language, by whatever knows it. For Java these are the exact model and two bounds: what goes wrong from
//! below (`jmm_under`) goes wrong, what does not from above (`jmm_over`) does not. The bounds take programs that the exact
//! model does not; how often a loop goes round, and what threads wait for, does not matter to them.

use program::Language;

use crate::engine::Engine;
use crate::model::Model;
use crate::refusal::Refusal;
use crate::request::{Answer, Progress, Request, Wanted};
use crate::task::{Forms, Task};

impl Request<'_> {
    /// Answers for someone who named neither model nor engine: the request is for the model of the language, and where that
    /// does not take the program or leaves the question open, its bounds may decide.
    pub fn answer_by_language(&self, progress: &dyn Progress) -> Result<Answer, Refusal> {
        if self.is_only_run() {
            return self.between_bounds(progress);
        }
        match self.answer_with(progress) {
            Ok(answer) if self.may_be_bounded() && !answer.is_decided() => {
                Ok(self.between_bounds(progress).ok().filter(Answer::is_decided).unwrap_or(answer))
            }
            Err(refusal) if self.may_be_bounded() => self.between_bounds(progress).map_err(|_| refusal),
            answered => answered,
        }
    }

    /// Whether it is a program of Java that the exact models do not take.
    fn is_only_run(&self) -> bool {
        let is_run = matches!(self.task, Task::Whole(whole) if matches!(whole.forms, Forms::OnlyRun(..)));
        is_run && self.task.language() == Language::Java
    }

    /// Whether the bounds of Java's memory model may decide what the exact model leaves open or refuses.
    fn may_be_bounded(&self) -> bool {
        let program = self.task.program();
        self.options.wanted == Wanted::Verdict && program.language == Language::Java && program.question.is_none()
    }

    fn between_bounds(&self, progress: &dyn Progress) -> Result<Answer, Refusal> {
        let ask = |name: &str| {
            let model = Model::named(name)?;
            Request { model: &model, engine: Engine::Auto, ..self.clone() }.answer_with(progress)
        };
        match ask("jmm_under") {
            Ok(answer) if answer.is_decided() => Ok(answer),
            below => ask("jmm_over").or(below),
        }
    }
}
