//! Waits that end although nobody notified the thread: the Java language specification allows that of `Object.wait` (17.2.1), the
//! library of `Condition.await` and `LockSupport.park`.
//!
//! A wait in a class of the program chooses whether it ends so, at most once in each call of the method that it stands in. It is
//! a choice, so what only goes well if a wait ends so is still found to wait for ever. Waits in the library itself stand in loops
//! that ask again, and end by notifications alone.

use program::{InstructionKind, Simplification, Terminator};

use crate::jvm::class::Kind;
use crate::jvm::places::MethodId;

use super::functions::Question;
use super::library;
use super::method::{Entry, Lowering, Result};

/// How a thread goes on that nobody has notified.
#[derive(Clone, Copy, Debug)]
enum Awakening {
    /// It gives up the monitor and takes it again.
    Monitor,
    /// It gives up the lock of the condition and takes it again, by this method of the library.
    Condition(&'static str),
    /// It just goes on.
    Park,
}

impl Lowering<'_, '_> {
    /// Calls a method without result. If it waits, that may end without a notification.
    pub fn call_that_may_wait(
        &mut self,
        id: MethodId,
        arguments: Vec<Entry>,
        call: impl FnOnce(&mut Self, Vec<Entry>) -> Result<()>,
    ) -> Result<()> {
        let Some(awakening) = self.awakening(id) else { return call(self, arguments) };
        self.world.simplified.insert(Simplification::RareWakeUps);
        let ends = self.code.ends_without_notification(self.site.span);
        let objects = self.objects.clone();
        let [woken, waits, next] = [(); 3].map(|()| self.fresh());
        self.branch(ends, woken, waits);
        self.code.write_in(woken);
        self.go_on_without_notification(awakening, &arguments)?;
        self.code.end(Terminator::Jump(next));
        self.code.write_in(waits);
        call(self, arguments)?;
        self.jump(next);
        self.objects = objects;
        Ok(())
    }

    /// How a call of a method may end without a notification; nothing if it does not wait so, or the library calls it.
    fn awakening(&self, id: MethodId) -> Option<Awakening> {
        if self.id.0 >= self.world.own || id.0 < self.world.own {
            return None;
        }
        let method = self.world.method(id);
        match (self.world.classes[id.0].name, method.name, &*method.descriptor) {
            ("java/lang/Object", "wait", _) => Some(Awakening::Monitor),
            (library::CONDITIONS, name, "()V") => library::awakening(name).map(Awakening::Condition),
            ("java/util/concurrent/locks/LockSupport", "park", _) => Some(Awakening::Park),
            _ => None,
        }
    }

    fn go_on_without_notification(&mut self, awakening: Awakening, arguments: &[Entry]) -> Result<()> {
        match awakening {
            Awakening::Park => {}
            Awakening::Monitor if self.world.facts.keeps_waiters => {
                self.wait_set("await", &arguments[0].operand, true)?;
            }
            // A thread that holds it more than once keeps it.
            Awakening::Monitor => {
                let monitor = arguments[0].operand.clone();
                self.emit(InstructionKind::Unlock { monitor: monitor.clone() });
                self.emit(InstructionKind::Lock { monitor });
            }
            Awakening::Condition(name) => {
                let question = Question::Method(library::CONDITIONS.into(), name.into(), "()V".into());
                self.call_virtual(question, arguments[..1].to_vec(), None::<Kind>);
            }
        }
        Ok(())
    }
}
