//! Does a model keep the order of messages?
//!
//! Starting and joining a thread are messages between threads. A model that lets a later access overtake such a message
//! would show executions that no program has in which threads are started and joined. So the model itself is asked, about
//! a message that is passed on: what the first thread did must be before what the third one does.

use program::{Span, Unsupported, Verdict};

use crate::check::check;
use crate::model::Model;
use crate::options::Options;

/// Two messages in a row, as `walk/start.rs` sends them, between accesses of each kind. The outcome asked for breaks their
/// order.
const MESSAGES: &str = "program messages
language IR
global x = 0:i32
global y = 0:i32
global z = 0:i32
global first = 0:i32
global second = 0:i32
function sender() {
  registers seen
  b0:
    store &x, 1:i32 plain
    store &y, 1:i32 plain
    %seen := load &z plain
    fence plain{MFENCE}
    store &first, 1:i32 release
    return
}
function middle() {
  registers message, has_come
  b0:
    %message := load &first acquire
    %has_come := eq %message, 1:i32
    assume %has_come
    fence plain{MFENCE}
    fence plain{MFENCE}
    store &second, 1:i32 release
    return
}
function receiver() {
  registers message, has_come, seen
  b0:
    %message := load &second acquire
    %has_come := eq %message, 1:i32
    assume %has_come
    fence plain{MFENCE}
    %seen := load &x plain
    store &y, 2:i32 plain
    store &z, 1:i32 plain
    return
}
thread sender = @sender()
thread middle = @middle()
thread receiver = @receiver()
exists 2:%seen == 0:i32 or y == 1:i32 or 0:%seen == 1:i32
";

/// Refuses a model that does not keep the order; `span` is where a thread is started.
pub(super) fn require_order(model: &Model, span: Option<Span>) -> Result<(), Unsupported> {
    let what = || {
        let what = "what main does while other threads run, under the model";
        Unsupported::new(format!("{what} {}, which does not order it with starts and joins", model.name), span)
    };
    let program = program::text::parse("messages.ir", MESSAGES).map_err(|_| what())?;
    let program = program::verify(program).map_err(|_| what())?;
    let options = Options { explain: false, flags: false, ..Options::default() };
    match check(&program, model, &options) {
        Ok(outcome) if outcome.verdict == Verdict::Forbidden && !outcome.vacuous && !outcome.endless => Ok(()),
        _ => Err(what()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps_order(file: &str) -> bool {
        let (name, text) = crate::model::shipped().iter().find(|(name, _)| *name == file).expect("a shipped model");
        let model = crate::model::load(name, text, &|_| None).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        require_order(&model, None).is_ok()
    }

    #[test]
    fn models_with_fences_or_synchronisation_keep_the_order_of_messages() {
        for file in
            ["sc.cat", "tso.cat", "pso.cat", "relaxed.cat", "rc11.cat", "rc20.cat", "c11.cat", "sc.mm", "relaxed.mm"]
        {
            assert!(keeps_order(file), "{file}");
        }
    }

    #[test]
    fn a_model_of_coherence_alone_does_not() {
        assert!(!keeps_order("coherence.mm"));
    }
}
