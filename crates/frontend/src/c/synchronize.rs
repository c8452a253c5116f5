//! Condition variables, semaphores, barriers, locks for readers and writers, and what runs once: of POSIX threads and of
//! C11 threads.
//!
//! Each is one word in memory, as locks are (`threads`), that atomic blocks change; who waits awaits a value of it. POSIX
//! says that all of these synchronise memory, so each of them acquires what those before it released.
//!
//! The word of a condition variable has a bit for each thread that waits, and one for each that was woken and has not gone
//! on: bits 0 to 15 and 16 to 31. A thread takes the lowest bit that is free. A signal picks any one of the threads that wait
//! then, none that comes later; a signal that nobody waits for is lost. Besides, a wait may end without a signal, as POSIX
//! and C11 allow, but at most once in each call of the function that it stands in: a loop around it that never ends would
//! keep a question from being answered.
//!
//! The word of a barrier has the number of threads that it is for (bits 0 to 15), how many have come (16 to 31), how often
//! it has opened (32 to 62), and whether somebody has been chosen as the one among all (63). The word of a lock for readers and
//! writers has four bits for each thread, which say how often the thread reads, and in its upper four bits the number of the thread
//! that writes, plus one; waiting writers do not keep readers out.
//!
//! In programs that destroy such objects the words of destroyed ones are told apart from others: a condition for which all threads wait,
//! a lock that is all ones, a semaphore with the sign bit, a barrier for no thread.

use lang_c::ast::Expression;
use lang_c::span::Node;
use program::{Access, AssertSort, InstructionKind, Operand, Operator, Order, RegisterId, Simplification, Value};

use super::atomics::flag;
use super::lower::{Bytes, Entity, Home, Lowered, Lowering, Typed, Variable};
use super::threads::{EBUSY, HeldBy, function_name};
use super::types::Type;

/// What a wait with a time limit returns at its end: `ETIMEDOUT` on Linux, `thrd_timedout` of glibc.
const TIMED_OUT: [i64; 2] = [110, 4];
/// The bits of threads that wait at a condition.
const WAITING: i64 = 0xffff;
/// How many they are; also how far the bits of woken threads are from them.
const SLOTS: i64 = 16;
/// In the word of a barrier: one thread that has come.
const COMER: i64 = 1 << 16;
/// In the word of a barrier: it has opened once more.
const OPENING: i64 = 1 << 32;
/// In the word of a barrier: somebody has been chosen as the one.
const CHOSEN: i64 = i64::MIN;
/// In the word of a lock for readers and writers: the bits of each thread.
const READS: i64 = 4;

/// A word of synchronisation.
#[derive(Clone, Debug)]
struct Word {
    address: Operand,
    width: u8,
    /// How it is marked that it was destroyed; nothing if the program destroys no such word.
    end: Option<End>,
}

/// How a word that was destroyed is told apart from others: by the value of some of its bits.
#[derive(Clone, Copy, Debug)]
struct End {
    what: &'static str,
    mask: i64,
    value: i64,
}

/// The ends of words, by what the names of their functions start with.
const ENDS: [(&str, &str, End); 5] = [
    ("pthread_cond_", "pthread_cond_destroy", End { what: "a condition variable", mask: WAITING, value: WAITING }),
    ("cnd_", "cnd_destroy", End { what: "a condition variable", mask: WAITING, value: WAITING }),
    ("sem_", "sem_destroy", End { what: "a semaphore", mask: 0xffff_ffff, value: 0x8000_0000 }),
    ("pthread_barrier_", "pthread_barrier_destroy", End { what: "a barrier", mask: COMER - 1, value: 0 }),
    ("pthread_rwlock_", "pthread_rwlock_destroy", End { what: "a lock", mask: -1, value: -1 }),
];

/// What a thread waits for before it goes on.
#[derive(Clone, Copy, Debug)]
enum Entry {
    /// A semaphore that is not 0.
    Semaphore,
    /// A lock that nobody writes.
    Reader,
    /// A lock that nobody reads or writes.
    Writer,
}

/// What `errno` says of a semaphore that is 0 (Linux).
const EAGAIN: i64 = 11;

impl Lowering<'_> {
    /// A call of such a function; `None` if the name is of none.
    pub fn synchronization_call(
        &mut self,
        name: &str,
        arguments: &[Node<Expression>],
        at: Bytes,
    ) -> Option<Lowered<Typed>> {
        let count = match name {
            "cnd_init" | "pthread_cond_signal" | "cnd_signal" | "pthread_cond_broadcast" | "cnd_broadcast" => 1,
            "sem_wait" | "sem_post" | "sem_trywait" | "pthread_barrier_wait" => 1,
            "pthread_rwlock_rdlock" | "pthread_rwlock_wrlock" | "pthread_rwlock_unlock" => 1,
            "pthread_rwlock_tryrdlock" | "pthread_rwlock_trywrlock" => 1,
            "pthread_cond_destroy" | "cnd_destroy" | "sem_destroy" => 1,
            "pthread_barrier_destroy" | "pthread_rwlock_destroy" => 1,
            "pthread_cond_init" | "pthread_rwlock_init" | "pthread_cond_wait" | "cnd_wait" | "sem_getvalue" => 2,
            "pthread_once" | "call_once" => 2,
            "pthread_cond_timedwait" | "cnd_timedwait" | "sem_init" | "pthread_barrier_init" => 3,
            _ => return None,
        };
        Some(self.exactly(arguments, count, name, at).and_then(|()| self.synchronization(name, arguments, at)))
    }

    fn synchronization(&mut self, name: &str, arguments: &[Node<Expression>], at: Bytes) -> Lowered<Typed> {
        if matches!(name, "pthread_cond_init" | "pthread_rwlock_init" | "pthread_barrier_init") {
            self.value(&arguments[1])?;
        }
        let word = self.word(name, &arguments[0])?;
        match name {
            "pthread_once" | "call_once" => self.once(&word, &arguments[1])?,
            "pthread_cond_init" | "cnd_init" | "pthread_rwlock_init" => {
                self.make(name, &word, word.number(0));
            }
            "sem_init" => self.init_semaphore(&word, &arguments[2])?,
            "pthread_barrier_init" => self.init_barrier(&word, &arguments[2])?,
            "pthread_cond_wait" | "cnd_wait" => {
                self.wait(&word, &arguments[1], None)?;
            }
            "pthread_cond_timedwait" => return self.timed_wait(&word, arguments, TIMED_OUT[0]),
            "cnd_timedwait" => return self.timed_wait(&word, arguments, TIMED_OUT[1]),
            "pthread_cond_signal" | "cnd_signal" => self.wake(&word, false),
            "pthread_cond_broadcast" | "cnd_broadcast" => self.wake(&word, true),
            "sem_wait" => self.take(&word, Entry::Semaphore),
            "sem_trywait" => return self.try_semaphore(&word, at),
            "sem_post" => self.post(&word),
            "sem_getvalue" => self.semaphore_value(&word, &arguments[1], at)?,
            "pthread_barrier_wait" => return Ok(self.barrier(&word)),
            "pthread_rwlock_rdlock" => self.take(&word, Entry::Reader),
            "pthread_rwlock_wrlock" => self.take(&word, Entry::Writer),
            "pthread_rwlock_tryrdlock" => return Ok(self.try_take(&word, Entry::Reader, EBUSY)),
            "pthread_rwlock_trywrlock" => return Ok(self.try_take(&word, Entry::Writer, EBUSY)),
            "pthread_rwlock_unlock" => self.unlock_either(&word),
            _ => self.destroy(&word),
        }
        Ok(Typed::int(0))
    }

    fn word(&mut self, name: &str, argument: &Node<Expression>) -> Lowered<Word> {
        let (address, of) = self.lock_place(argument)?;
        let end = ENDS.iter().find(|(prefix, ..)| name.starts_with(prefix));
        // A barrier that was never initialised is for no thread.
        let is_asked = |destroyer: &str| self.uses.called.contains(destroyer) || destroyer == "pthread_barrier_destroy";
        let end = end.filter(|(_, destroyer, _)| is_asked(destroyer)).map(|(_, _, end)| *end);
        Ok(Word { address, width: of.width().unwrap_or(32), end })
    }

    /// Whether a word was destroyed.
    fn is_destroyed(&mut self, word: &Word, old: &Operand) -> Option<Operand> {
        let End { mask, value, .. } = word.end?;
        let bits = self.compute(Operator::And, old, word.number(mask));
        Some(self.compute(Operator::Eq, &bits, word.number(value)))
    }

    /// An error if a word was destroyed.
    fn check_use(&mut self, word: &Word, old: &Operand) {
        if let Some((destroyed, end)) = self.is_destroyed(word, old).zip(word.end) {
            let never = if end.what == "a barrier" { " or never initialised" } else { "" };
            self.must_not_be(destroyed, &format!("a use of {} that was destroyed{never}", end.what));
        }
    }

    /// Waits until a condition holds of a word, or it was destroyed, which is an error.
    fn await_word(&mut self, word: &Word, old: &Operand, condition: Operand) {
        let condition = match self.is_destroyed(word, old) {
            Some(destroyed) => self.compute(Operator::Or, &condition, destroyed),
            None => condition,
        };
        self.await_condition(condition);
        self.check_use(word, old);
    }

    /// Destroys an object that no thread holds or waits at.
    fn destroy(&mut self, word: &Word) {
        let Some(End { what, mask, value }) = word.end else { return };
        self.fence_before();
        let old = self.begin(word);
        self.check_use(word, &old);
        let (users, why) = match what {
            "a condition variable" => (WAITING, "threads wait at it"),
            "a barrier" => ((COMER - 1) << 16, "threads wait at it"),
            "a lock" => (-1, "it is held"),
            _ => (0, ""),
        };
        if users != 0 {
            let used = self.compute(Operator::And, &old, word.number(users));
            let used = self.compute(Operator::Ne, &used, word.number(0));
            self.must_not_be(used, &format!("{what} is destroyed while {why}"));
        }
        let others = self.compute(Operator::And, &old, word.number(!mask));
        let new = self.compute(Operator::Or, &others, word.number(value));
        self.end(word, new);
        self.set_made(&word.address, false);
    }

    /// Initialises an object with the first value of its word.
    fn make(&mut self, initializer: &str, word: &Word, value: Operand) {
        let made = ENDS.iter().find(|(prefix, ..)| initializer.starts_with(prefix));
        self.make_object(&word.address, made.map_or("an object", |(_, _, end)| end.what));
        self.set_plain(word, value);
    }

    /// Writes the first value of a word.
    fn set_plain(&mut self, word: &Word, value: Operand) {
        let (address, access) = (word.address.clone(), word.access(Order::Plain));
        self.code.emit(InstructionKind::Store { address, value, access }, self.here);
    }

    /// Begins an atomic block with a read of the word.
    fn begin(&mut self, word: &Word) -> Operand {
        self.code.emit(InstructionKind::AtomicBegin, self.here);
        let (target, address) = (self.code.temporary(), word.address.clone());
        let access = word.access(Order::Acquire);
        self.code.emit(InstructionKind::Load { target, address, access }, self.here);
        Operand::Register(target)
    }

    /// Ends an atomic block with a write of the word.
    fn end(&mut self, word: &Word, value: Operand) {
        let (address, access) = (word.address.clone(), word.access(Order::Release));
        self.code.emit(InstructionKind::Store { address, value, access }, self.here);
        self.code.emit(InstructionKind::AtomicEnd, self.here);
    }

    fn compute(&mut self, operator: Operator, left: &Operand, right: Operand) -> Operand {
        self.code.compute(operator, vec![left.clone(), right], self.here)
    }

    /// Keeps what came before in front of what follows.
    fn fence_before(&mut self) {
        self.emit_fence("LS");
        self.emit_fence("SS");
    }

    /// Keeps what follows behind what was read.
    fn fence_behind(&mut self) {
        self.emit_fence("LL");
        self.emit_fence("LS");
    }

    fn await_condition(&mut self, condition: Operand) {
        self.code.emit(InstructionKind::Await { condition }, self.here);
    }

    /// Lowers code that runs if the condition is true.
    fn only_if(&mut self, condition: Operand, code: impl FnOnce(&mut Self) -> Lowered<()>) -> Lowered<()> {
        let (inside, behind) = (self.code.block(None), self.code.block(None));
        let branch = self.branch_to(condition, inside, behind, Some(behind));
        self.code.end_and_go_on(branch, inside);
        let done = code(self);
        self.code.continue_in(behind);
        done
    }

    /// Whether a thread may go on that finds the word so.
    fn may_enter(&mut self, word: &Word, entry: Entry, old: &Operand) -> Operand {
        match entry {
            Entry::Semaphore => self.compute(Operator::Ne, old, word.number(0)),
            Entry::Writer => self.compute(Operator::Eq, old, word.number(0)),
            Entry::Reader => {
                let writer = self.compute(Operator::ShrUnsigned, old, word.writer());
                self.compute(Operator::Eq, &writer, word.number(0))
            }
        }
    }

    /// What a thread that goes on adds to the word.
    fn entering(&mut self, word: &Word, entry: Entry) -> Operand {
        match entry {
            Entry::Semaphore => word.number(-1),
            Entry::Reader => self.reader(word).0,
            Entry::Writer => {
                let number = self.holder_number(word);
                self.compute(Operator::Shl, &number, word.writer())
            }
        }
    }

    /// The number of this thread, plus one. So many threads fit in the word of a lock for readers and writers.
    fn holder_number(&mut self, word: &Word) -> Operand {
        let number = self.thread_number(word.width);
        let most = i64::from(word.width) / READS - 1;
        let fits = self.compute(Operator::LtUnsigned, &number, word.number(most));
        let what = format!("a lock for readers and writers in a program of more than {most} threads");
        self.code.emit(InstructionKind::claim(AssertSort::Unsupported, fits, what), self.here);
        self.compute(Operator::Add, &number, word.number(1))
    }

    /// One reading by this thread, and how far its bits are from the start of the word.
    fn reader(&mut self, word: &Word) -> (Operand, Operand) {
        let number = self.holder_number(word);
        let number = self.compute(Operator::Sub, &number, word.number(1));
        let place = self.compute(Operator::Mul, &number, word.number(READS));
        (self.compute(Operator::Shl, &word.number(1), place.clone()), place)
    }

    /// Waits until it may go on, and says so in the word.
    fn take(&mut self, word: &Word, entry: Entry) {
        let change = self.entering(word, entry);
        let old = self.begin(word);
        let condition = self.may_enter(word, entry, &old);
        self.await_word(word, &old, condition);
        let new = self.compute(Operator::Add, &old, change);
        self.end(word, new);
        self.fence_behind();
    }

    /// Says in the word that it goes on, if it may; gives 0, or else the number `failed`.
    fn try_take(&mut self, word: &Word, entry: Entry, failed: i64) -> Typed {
        let change = self.entering(word, entry);
        let old = self.begin(word);
        self.check_use(word, &old);
        let goes = self.may_enter(word, entry, &old);
        let new = self.compute(Operator::Add, &old, change);
        let new = self.code.compute(Operator::Select, vec![goes.clone(), new, old], self.here);
        self.end(word, new);
        self.fence_behind();
        let operands = vec![goes, flag(false), Operand::Constant(Value::int(failed, 32))];
        Typed { operand: self.code.compute(Operator::Select, operands, self.here), of: Type::int() }
    }

    /// Takes a semaphore if it is not 0, else says why not in `errno`, if the program has that.
    fn try_semaphore(&mut self, word: &Word, at: Bytes) -> Lowered<Typed> {
        let result = self.try_take(word, Entry::Semaphore, -1);
        let errno = match self.find("palisade_errno") {
            Some(Entity::Variable(Variable { of, home: Home::Thread(index) })) => Some((*index, of.clone())),
            _ => None,
        };
        if let Some((index, of)) = errno {
            let place = self.thread_place(index, &of, at)?;
            self.only_if(result.operand.clone(), |lowering| {
                lowering.store(&place, Typed::int(EAGAIN), at).map(|_| ())
            })?;
        }
        Ok(result)
    }

    /// Begins to wait at a condition: takes a bit, then releases the lock, so that who takes the lock next finds this thread
    /// waiting. Gives the bit.
    fn begin_to_wait(&mut self, word: &Word, lock: &(Operand, Type)) -> Operand {
        self.fence_before();
        let old = self.begin(word);
        self.check_use(word, &old);
        let woken = self.compute(Operator::ShrUnsigned, &old, word.number(SLOTS));
        let taken = self.compute(Operator::Or, &woken, old.clone());
        let taken = self.compute(Operator::And, &taken, word.number(WAITING));
        let more = self.compute(Operator::Add, &taken, word.number(1));
        let bit = self.compute(Operator::Xor, &taken, word.number(-1));
        let bit = self.compute(Operator::And, &bit, more);
        let condition = self.compute(Operator::LeUnsigned, &bit, word.number(WAITING));
        let message = format!("more than {SLOTS} threads wait at one condition: so many are not modelled").into();
        self.code.emit(InstructionKind::Assert { condition, message, sort: AssertSort::Error, text: None }, self.here);
        let new = self.compute(Operator::Or, &old, bit.clone());
        self.end(word, new);
        self.release_lock(lock, HeldBy::Thread);
        bit
    }

    /// Waits at a condition until there is a signal, it ends without one, or `ends` is true. Gives whether there was one.
    fn wait(&mut self, word: &Word, lock: &Node<Expression>, ends: Option<Operand>) -> Lowered<Operand> {
        let lock = self.lock_place(lock)?;
        let without_signal = self.may_end_without_signal()?;
        let bit = self.begin_to_wait(word, &lock);
        let woken_bit = self.compute(Operator::Shl, &bit, word.number(SLOTS));
        let both = self.compute(Operator::Or, &bit, woken_bit.clone());
        let old = self.begin(word);
        let woken = self.compute(Operator::And, &old, woken_bit);
        let woken = self.compute(Operator::Ne, &woken, word.number(0));
        let condition = self.compute(Operator::Or, &woken, without_signal);
        match ends {
            // Who waits with a time limit does not wait for ever: executions in which nothing ends the wait do not count.
            Some(ends) => {
                let condition = self.compute(Operator::Or, &condition, ends);
                self.code.emit(InstructionKind::Assume { condition }, self.here);
            }
            None => self.await_condition(condition),
        }
        let others = self.compute(Operator::Xor, &both, word.number(-1));
        let new = self.compute(Operator::And, &old, others);
        self.end(word, new);
        self.fence_behind();
        self.take_lock(&lock, HeldBy::Thread);
        Ok(woken)
    }

    /// 1 if this wait may end without a signal, which it may once in each call of the function.
    fn may_end_without_signal(&mut self) -> Lowered<Operand> {
        let has_ended = match self.frame.woken {
            Some(register) => register,
            None => *self.frame.woken.insert(self.code.register("_woken")),
        };
        self.simplified.insert(Simplification::RareWakeUps);
        let ends = self.code.temporary();
        self.code.assign(ends, Operator::Copy, vec![flag(false)], self.here);
        let may = self.code.compute(Operator::IsFalse, vec![Operand::Register(has_ended)], self.here);
        self.only_if(may, |this| {
            this.choose_to(ends);
            this.code.assign(has_ended, Operator::Copy, vec![Operand::Register(ends)], this.here);
            Ok(())
        })?;
        Ok(Operand::Register(ends))
    }

    /// Chooses 0 or 1.
    fn choose_to(&mut self, target: RegisterId) {
        self.code.emit(InstructionKind::Choose { target, low: 0, high: 1, width: 32 }, self.here);
    }

    fn timed_wait(&mut self, word: &Word, arguments: &[Node<Expression>], late: i64) -> Lowered<Typed> {
        self.value(&arguments[2])?;
        let ends = self.code.temporary();
        self.choose_to(ends);
        let woken = self.wait(word, &arguments[1], Some(Operand::Register(ends)))?;
        let missed = self.code.compute(Operator::IsFalse, vec![woken], self.here);
        let is_late = self.compute(Operator::And, &missed, Operand::Register(ends));
        let operands = vec![is_late, Operand::Constant(Value::int(late, 32)), flag(false)];
        Ok(Typed { operand: self.code.compute(Operator::Select, operands, self.here), of: Type::int() })
    }

    /// Wakes one of the threads that wait, or all.
    fn wake(&mut self, word: &Word, all: bool) {
        self.fence_before();
        let old = self.begin(word);
        self.check_use(word, &old);
        let waiting = self.compute(Operator::And, &old, word.number(WAITING));
        let picked = if all { waiting } else { self.pick(word, waiting) };
        let rest = self.compute(Operator::Xor, &old, picked.clone());
        let woken = self.compute(Operator::Shl, &picked, word.number(SLOTS));
        let new = self.compute(Operator::Or, &rest, woken);
        self.end(word, new);
    }

    /// Any one of the bits that are set, if any is.
    fn pick(&mut self, word: &Word, bits: Operand) -> Operand {
        let picked = self.code.temporary();
        self.code.assign(picked, Operator::Copy, vec![bits.clone()], self.here);
        let less = self.compute(Operator::Sub, &bits, word.number(1));
        let others = self.compute(Operator::And, &bits, less);
        let done = self.only_if(others, |this| {
            let number = this.code.temporary();
            let kind = InstructionKind::Choose { target: number, low: 0, high: SLOTS - 1, width: word.width };
            this.code.emit(kind, this.here);
            let one = word.number(1);
            this.code.assign(picked, Operator::Shl, vec![one, Operand::Register(number)], this.here);
            let condition = this.compute(Operator::And, &bits, Operand::Register(picked));
            this.code.emit(InstructionKind::Assume { condition }, this.here);
            Ok(())
        });
        self.note(done);
        Operand::Register(picked)
    }

    fn init_semaphore(&mut self, word: &Word, value: &Node<Expression>) -> Lowered<()> {
        let given = self.value(value)?;
        let given = self.convert(given, &Type::integer(word.width, false), value.span)?;
        self.make("sem_init", word, given.operand);
        Ok(())
    }

    fn post(&mut self, word: &Word) {
        self.fence_before();
        let old = self.begin(word);
        self.check_use(word, &old);
        let new = self.compute(Operator::Add, &old, word.number(1));
        self.end(word, new);
    }

    fn semaphore_value(&mut self, word: &Word, to: &Node<Expression>, at: Bytes) -> Lowered<()> {
        let pointer = self.value(to)?;
        let place = self.scalar_at(pointer, to.span)?;
        let value = self.begin(word);
        self.code.emit(InstructionKind::AtomicEnd, self.here);
        let value = Typed { operand: value, of: Type::integer(word.width, false) };
        self.store(&place, value, at).map(|_| ())
    }

    fn init_barrier(&mut self, word: &Word, count: &Node<Expression>) -> Lowered<()> {
        let given = self.value(count)?;
        let given = self.convert(given, &Type::integer(32, false), count.span)?.operand;
        let less = self.compute(Operator::Sub, &given, Operand::Constant(Value::int(1, 32)));
        let most = Operand::Constant(Value::int(COMER - 1, 32));
        let condition = self.compute(Operator::LtUnsigned, &less, most);
        let message = "a barrier for no thread, or for more than 65535".into();
        self.code.emit(InstructionKind::Assert { condition, message, sort: AssertSort::Error, text: None }, self.here);
        let wide = Operator::Resize { width: word.width, signed: false };
        let value = self.code.compute(wide, vec![given], self.here);
        self.make("pthread_barrier_init", word, value);
        Ok(())
    }

    /// Comes to a barrier and waits until it opens. One of the threads, any of them, gets -1, the others 0.
    fn barrier(&mut self, word: &Word) -> Typed {
        self.fence_before();
        let chosen = self.may_be_the_one();
        let old = self.begin(word);
        self.check_use(word, &old);
        let come = self.compute(Operator::Add, &old, word.number(COMER));
        let [so_many, wanted] = [(&come, 16), (&old, 0)].map(|(value, shift)| {
            let value = self.compute(Operator::ShrUnsigned, value, word.number(shift));
            self.compute(Operator::And, &value, word.number(COMER - 1))
        });
        let is_last = self.compute(Operator::Eq, &so_many, wanted);
        let opened = self.compute(Operator::And, &old, word.number(!(CHOSEN | (OPENING - COMER))));
        let opened = self.compute(Operator::Add, &opened, word.number(OPENING));
        let without_chosen = self.compute(Operator::And, &old, word.number(CHOSEN));
        let without_chosen = self.code.compute(Operator::IsFalse, vec![without_chosen], self.here);
        let either = self.compute(Operator::Or, &is_last, chosen);
        let is_the_one = self.compute(Operator::And, &without_chosen, either);
        let chosen = vec![is_the_one.clone(), word.number(CHOSEN), word.number(0)];
        let chosen = self.code.compute(Operator::Select, chosen, self.here);
        let come = self.compute(Operator::Or, &come, chosen);
        let new = self.code.compute(Operator::Select, vec![is_last.clone(), opened, come], self.here);
        self.end(word, new);
        self.wait_for_opening(word, &old, is_last);
        self.fence_behind();
        let operands = vec![is_the_one, Operand::Constant(Value::int(-1, 32)), flag(false)];
        Typed { operand: self.code.compute(Operator::Select, operands, self.here), of: Type::int() }
    }

    /// Whether this thread may be the one among all before it is known to be the last: nothing, if nobody asks.
    fn may_be_the_one(&mut self) -> Operand {
        if !self.uses.asks_barriers {
            return flag(false);
        }
        let chosen = self.code.temporary();
        self.choose_to(chosen);
        Operand::Register(chosen)
    }

    /// Waits until a barrier has opened since its word was `old`, unless this is who opened it.
    fn wait_for_opening(&mut self, word: &Word, old: &Operand, is_last: Operand) {
        let mask = (CHOSEN ^ -1) & !(OPENING - 1);
        let before = self.compute(Operator::And, old, word.number(mask));
        let waits = self.code.compute(Operator::IsFalse, vec![is_last], self.here);
        let done = self.only_if(waits, |this| {
            let now = this.begin(word);
            let now = this.compute(Operator::And, &now, word.number(mask));
            let condition = this.compute(Operator::Ne, &now, before);
            this.await_condition(condition);
            this.code.emit(InstructionKind::AtomicEnd, this.here);
            Ok(())
        });
        self.note(done);
    }

    /// Gives back what a reader or a writer holds.
    fn unlock_either(&mut self, word: &Word) {
        self.fence_before();
        let (one, place) = self.reader(word);
        let number = self.holder_number(word);
        let old = self.begin(word);
        self.check_use(word, &old);
        let is_free = self.compute(Operator::Eq, &old, word.number(0));
        self.must_not_be(is_free, "unlock of a lock that is not held");
        let writer = self.compute(Operator::ShrUnsigned, &old, word.writer());
        let is_writer = self.compute(Operator::Eq, &writer, number);
        let reads = self.compute(Operator::ShrUnsigned, &old, place);
        let reads = self.compute(Operator::And, &reads, word.number((1 << READS) - 1));
        let reads = self.compute(Operator::Ne, &reads, word.number(0));
        let holds = self.compute(Operator::Or, &is_writer, reads);
        let others = self.code.compute(Operator::IsFalse, vec![holds], self.here);
        self.must_not_be(others, "unlock of a lock that another thread holds");
        let less = self.compute(Operator::Sub, &old, one);
        let new = self.code.compute(Operator::Select, vec![is_writer, word.number(0), less], self.here);
        self.end(word, new);
    }

    /// Runs a function if nobody did: 0 is nobody, 1 somebody does, 2 somebody has.
    fn once(&mut self, word: &Word, function: &Node<Expression>) -> Lowered<()> {
        let known = function_name(function).and_then(|name| self.functions.get(name)).cloned();
        let Some((id, declared)) = known.and_then(|declared| declared.id.map(|id| (id, declared))) else {
            let note = "name the function, and give it a body";
            return Err(self.unsupported("a function that is not known here", function.span).note(note));
        };
        let old = self.begin(word);
        let condition = self.compute(Operator::Ne, &old, word.number(1));
        self.await_condition(condition);
        let is_first = self.compute(Operator::Eq, &old, word.number(0));
        let operands = vec![is_first.clone(), word.number(1), old];
        let new = self.code.compute(Operator::Select, operands, self.here);
        self.end(word, new);
        self.fence_behind();
        self.only_if(is_first, |this| {
            this.call_function(id, Vec::new(), &declared.signature.result);
            this.fence_before();
            this.code.emit(InstructionKind::AtomicBegin, this.here);
            this.end(word, word.number(2));
            Ok(())
        })
    }
}

impl Word {
    /// A number as wide as the word.
    fn number(&self, value: i64) -> Operand {
        Operand::Constant(Value::int(value, self.width))
    }

    /// In the word of a lock for readers and writers: how far the number of who writes is from its start.
    fn writer(&self) -> Operand {
        self.number(i64::from(self.width) - READS)
    }

    /// An access of the word.
    fn access(&self, order: Order) -> Access {
        Access::ordered(order).of_bytes(self.width / 8)
    }
}
