//! An execution of a Java program in Java's words: what its threads do to each other, step by step, under the calls in which they
//! do it, as `Bank.withdraw(Bank.java:7)`. What happens inside of a library is one step: the call that got there.

use program::{Call, EventKind, Failure, Pointer, Program, Replay, Step, StepKind, Value};

use crate::cells::Cells;
use crate::table::{Align, render};

/// What the library writes in a thread's object when it starts the thread.
const STARTED: &str = "started";
/// The package of classes whose calls are shown with what they access.
const ATOMICS: &str = "java.util.concurrent.atomic.";
/// What the objects of lambdas are called.
const LAMBDA: &str = "Lambda";
/// What the blocks of small numbers as objects are called.
const BOXES: &str = " cache";

/// The stack of the exception that ended the execution, as Java prints it; empty if there is none.
pub fn stack(program: &Program, replayed: &Replay) -> String {
    let calls = replayed.thrown.iter().filter(|call| !is_inner(call));
    calls.map(|call| format!("    at {}\n", place(program, call))).collect()
}

/// A failure with the names that Java gives to threads.
pub fn named(program: &Program, replayed: &Replay, failure: &Failure) -> Failure {
    let trace = Trace::of(program, replayed);
    let mut numbers: Vec<i64> = trace.steps.iter().filter_map(started).map(|(number, _)| number).collect();
    // Of `T1` and `T12` the longer one first.
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    let renamed = |text: &str| {
        let rename = |text: String, number: &i64| {
            let thread = format!("T{number}");
            let words = text.split(' ').map(|word| match word.strip_prefix(&thread) {
                Some(rest) if !rest.starts_with(|c: char| c.is_alphanumeric()) => trace.name_of(&thread) + rest,
                _ => word.to_string(),
            });
            words.collect::<Vec<_>>().join(" ")
        };
        numbers.iter().fold(text.to_string(), rename)
    };
    let mut failure = failure.clone();
    failure.thread = failure.thread.map(|thread| renamed(&thread));
    for waiting in &mut failure.waiting {
        waiting.thread = renamed(&waiting.thread);
        waiting.what = renamed(&waiting.what);
    }
    failure
}

/// The steps that concern more than one thread, and what was left out.
pub fn table(program: &Program, replayed: &Replay) -> String {
    let trace = Trace::of(program, replayed);
    let rows = trace.rows();
    let mut columns: Vec<usize> = Vec::new();
    rows.iter().for_each(|row| {
        if !columns.contains(&row.thread) {
            columns.push(row.thread);
        }
    });
    columns.sort_unstable();
    let mut headers = vec![("", Align::Left), ("step", Align::Right)];
    headers.extend(columns.iter().map(|&thread| (trace.names[thread].as_str(), Align::Left)));
    headers.push(("at", Align::Left));
    let cells = |row: &Row| {
        let mut cells = vec![if row.switches { ">" } else { "" }.to_string()];
        cells.push(row.number.map_or(String::new(), |number| number.to_string()));
        cells.extend(columns.iter().map(|&thread| if thread == row.thread { row.text.clone() } else { String::new() }));
        cells.push(row.place.clone());
        cells
    };
    let shown: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let table = render(&headers, &shown);
    let shown: usize = rows.iter().map(|row| row.steps).sum();
    let left_out = replayed.steps.len().saturating_sub(shown);
    format!(
        "{table}\n`>` marks where another thread goes on. Left out are {left_out} steps that concern one thread only or are inside of a \
         library: `palisade replay` shows all.\n"
    )
}

/// A line of the table.
struct Row {
    thread: usize,
    /// The step, if it is one and not a call around steps.
    number: Option<usize>,
    text: String,
    place: String,
    switches: bool,
    /// How many steps it stands for.
    steps: usize,
}

struct Trace<'a> {
    program: &'a Program,
    steps: &'a [Step],
    cells: Cells,
    /// The threads as steps name them, in the order in which they were started.
    threads: Vec<&'a str>,
    /// What Java calls them.
    names: Vec<String>,
}

impl<'a> Trace<'a> {
    fn of(program: &'a Program, replayed: &'a Replay) -> Trace<'a> {
        let mut threads: Vec<&str> = Vec::new();
        for step in &replayed.steps {
            if !threads.contains(&step.thread.as_str()) {
                threads.push(&step.thread);
            }
        }
        let number = |name: &str| name.strip_prefix('T').and_then(|number| number.parse::<usize>().ok());
        threads.sort_by_key(|name| number(name).unwrap_or(0));
        let cells = Cells::of(program, &replayed.execution);
        let mut trace = Trace { program, steps: &replayed.steps, cells, threads, names: Vec::new() };
        trace.names = trace.threads.iter().map(|thread| trace.name_of(thread)).collect();
        trace
    }

    /// What Java calls a thread: the name that it was given, else by the order in which threads without names were made.
    fn name_of(&self, thread: &str) -> String {
        let own_name = || thread.to_string();
        let Some(number) = thread.strip_prefix('T').and_then(|number| number.parse::<i64>().ok()) else {
            return own_name();
        };
        let Some(object) = self.steps.iter().find_map(|step| started(step).filter(|(other, _)| *other == number))
        else {
            return own_name();
        };
        let names: Vec<&Step> = self.steps.iter().filter(|step| self.is_name(step)).collect();
        let is_own = |step: &&&Step| step.cell.as_ref().is_some_and(|cell| cell.allocation == object.1);
        let Some(given) = names.iter().find(is_own) else { return own_name() };
        if let Some(Value::Pointer(text)) = &given.value {
            return self.text_of(text).unwrap_or_else(own_name);
        }
        let unnamed = names.iter().filter(|step| !matches!(step.value, Some(Value::Pointer(_))));
        let place = unnamed.into_iter().position(|step| step.cell == given.cell);
        place.map_or_else(own_name, |place| format!("Thread-{place}"))
    }

    /// Whether a step gives a thread its name.
    fn is_name(&self, step: &Step) -> bool {
        let is_constructor = step.calls.last().is_some_and(|call| call.function == "java.lang.Thread.<init>");
        let is_write = step.kind == StepKind::Event(EventKind::Write);
        let cell = || step.cell.as_ref().map(|cell| self.cells.cell(self.program, cell)).unwrap_or_default();
        is_constructor && is_write && cell().ends_with(".name")
    }

    /// The text of a string: a constant, or one whose characters were written.
    fn text_of(&self, pointer: &Pointer) -> Option<String> {
        if let Some(global) = self.program.globals.get(pointer.allocation as usize) {
            return global.name.strip_prefix('"')?.strip_suffix('"').map(str::to_string);
        }
        let is_char = |step: &&Step| {
            let cell = step.cell.as_ref().filter(|cell| cell.allocation == pointer.allocation && cell.path.len() == 2);
            cell.is_some() && step.kind == StepKind::Event(EventKind::Write)
        };
        let written = self.steps.iter().filter(is_char).filter_map(|step| match &step.value {
            Some(Value::Int(unit)) => Some(unit.unsigned() as u16),
            _ => None,
        });
        let units: Vec<u16> = written.collect();
        (!units.is_empty()).then(|| String::from_utf16_lossy(&units))
    }

    /// Whether a step is shown: it concerns another thread, starts one, or is the last. Where there is one thread, all that is the
    /// program's own is.
    fn is_told(&self, number: usize) -> bool {
        let step = &self.steps[number];
        if started(step).is_some() || number + 1 == self.steps.len() && user(step).len() == outer(step).len() {
            return true;
        }
        let is_aside = |name: &str| name.starts_with("java.lang.Thread.") || name.ends_with(".<init>");
        let is_aside = callee(step).is_some_and(is_aside) || user(step).is_empty();
        let Some(cell) = step.cell.as_ref().filter(|_| !is_aside) else { return false };
        if self.cells.block(self.program, cell.allocation).starts_with(LAMBDA) {
            return false;
        }
        if self.threads.len() == 1 {
            return callee(step).is_none();
        }
        let others = |other: &&Step| other.thread != step.thread && other.cell.as_ref() == Some(cell);
        let matters = |other: &&Step| is_lock(other) || writes(other) || writes(step);
        self.steps.iter().filter(others).any(|other| matters(&other))
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let mut stacks: Vec<Vec<&Call>> = vec![Vec::new(); self.threads.len()];
        let mut last: Option<(usize, Vec<&Call>, &str)> = None;
        let mut group: Vec<&Step> = Vec::new();
        for number in (0..self.steps.len()).filter(|&number| self.is_told(number)) {
            let step = &self.steps[number];
            let thread = self.threads.iter().position(|name| *name == step.thread).unwrap_or(0);
            let (calls, inside) = (user(step), callee(step));
            let key = inside.map(|inside| (thread, calls.clone(), inside));
            let starts_again = started(step).is_some() && group.iter().any(|step| started(step).is_some());
            if key.is_some() && key == last && !starts_again {
                // One more access of the same call.
                group.push(step);
                if let Some(row) = rows.last_mut() {
                    row.steps += 1;
                    row.text = indented(calls.len(), &self.folded(inside.unwrap_or_default(), &group));
                }
                continue;
            }
            last = key;
            group = vec![step];
            let switches = rows.last().is_some_and(|row| row.thread != thread);
            let first = rows.len();
            let known = stacks[thread].iter().zip(&calls).take_while(|(old, new)| old.function == new.function).count();
            for depth in known.max(1)..calls.len() {
                let place = place(self.program, calls[depth - 1]);
                let text = indented(depth, &format!("{}()", short(&calls[depth].function)));
                rows.push(Row { thread, number: None, text, place, switches: false, steps: 0 });
            }
            let text = match inside {
                Some(inside) => self.folded(inside, &group),
                None => self.access(step),
            };
            let place = calls.last().map_or(String::new(), |call| place(self.program, call));
            let text = indented(calls.len(), &text);
            rows.push(Row { thread, number: Some(number + 1), text, place, switches: false, steps: 1 });
            rows[first].switches = switches;
            stacks[thread] = calls;
        }
        rows
    }

    /// An access of the program itself.
    fn access(&self, step: &Step) -> String {
        let cell = step.cell.as_ref().map(|cell| self.cells.cell(self.program, cell)).unwrap_or_default();
        let early = if step.foresees { " (written later)" } else { "" };
        match step.kind {
            StepKind::Event(EventKind::Lock) => format!("acquire {cell}"),
            StepKind::Event(EventKind::Unlock) => format!("release {cell}"),
            StepKind::Event(EventKind::Fence) => "fence".into(),
            StepKind::Event(EventKind::Write) | StepKind::Flush => format!("write {cell} = {}", self.value(step)),
            StepKind::Buffer => format!("buffer {cell} = {}", self.value(step)),
            _ => format!("read {cell} = {}{early}", self.value(step)),
        }
    }

    fn value(&self, step: &Step) -> String {
        match &step.value {
            Some(Value::Pointer(pointer)) if self.text_of(pointer).is_some() && pointer.path.len() == 1 => {
                format!("{:?}", self.text_of(pointer).unwrap_or_default())
            }
            Some(Value::Pointer(Pointer { allocation, path })) if self.is_box(*allocation) && path.len() == 1 => {
                path[0].to_string()
            }
            Some(value @ Value::Pointer(Pointer { allocation, path })) if path.is_empty() => {
                let shown = || self.cells.value_in(self.program, step.cell.as_ref(), value);
                self.constant(*allocation).unwrap_or_else(shown)
            }
            Some(value) => self.cells.value_in(self.program, step.cell.as_ref(), value),
            None => String::new(),
        }
    }

    /// The name of the constant that an object is, one of an enum say: of a static field that is spelt so and from which it was read.
    fn constant(&self, allocation: u32) -> Option<String> {
        let holds = |step: &&Step| {
            let is_own = matches!(&step.value, Some(Value::Pointer(object)) if object.allocation == allocation);
            is_own && step.kind == StepKind::Event(EventKind::Read)
        };
        let names = self.steps.iter().filter(holds).filter_map(|step| {
            let cell = step.cell.as_ref()?;
            let global = self.program.globals.get(cell.allocation as usize).filter(|_| cell.path.is_empty())?;
            Some(global.name.rsplit('.').next().unwrap_or(&global.name).to_string())
        });
        let is_constant = |name: &String| {
            name.starts_with(|first: char| first.is_ascii_uppercase()) && !name.contains(char::is_lowercase)
        };
        names.into_iter().find(is_constant)
    }

    fn is_box(&self, allocation: u32) -> bool {
        self.program.globals.get(allocation as usize).is_some_and(|global| global.name.ends_with(BOXES))
    }

    /// A call of a library, by what it did to others.
    fn folded(&self, function: &str, group: &[&Step]) -> String {
        if let Some((number, _)) = group.iter().find_map(|step| started(step)) {
            let name = self.threads.iter().position(|thread| *thread == format!("T{number}"));
            return format!("start {}", name.map_or(format!("T{number}"), |place| self.names[place].clone()));
        }
        let block = group
            .iter()
            .find_map(|step| step.cell.as_ref())
            .map(|cell| self.cells.block(self.program, cell.allocation));
        let is_of_lock = function.starts_with("java.util.concurrent.locks.");
        match (function.rsplit('.').next(), block) {
            (Some("lock" | "lockInterruptibly"), Some(block)) if is_of_lock => return format!("acquire {block}"),
            (Some("unlock"), Some(block)) if is_of_lock => return format!("release {block}"),
            _ => {}
        }
        let shown = group.iter().rev().find(|step| writes(step)).or(group.last());
        match shown.filter(|_| function.starts_with(ATOMICS)) {
            Some(step) => format!("{}(): {}", short(function), self.access(step)),
            None => format!("{}()", short(function)),
        }
    }
}

fn indented(depth: usize, text: &str) -> String {
    format!("{}{text}", "  ".repeat(depth.saturating_sub(1)))
}

fn writes(step: &Step) -> bool {
    matches!(step.kind, StepKind::Event(EventKind::Write) | StepKind::Flush | StepKind::Buffer)
}

fn is_lock(step: &Step) -> bool {
    matches!(step.kind, StepKind::Event(EventKind::Lock | EventKind::Unlock))
}

/// The thread that a step starts, and its object.
fn started(step: &Step) -> Option<(i64, u32)> {
    match (&step.value, &step.cell) {
        (Some(Value::Composite(tag, fields)), Some(cell)) if &**tag == STARTED && writes(step) => {
            match fields.first() {
                Some(Value::Int(number)) => Some((number.signed(), cell.allocation)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The calls that stand in the program's own source.
fn user(step: &Step) -> Vec<&Call> {
    step.calls.iter().filter(|call| call.is_users && !is_inner(call)).collect()
}

/// All calls but those around them.
fn outer(step: &Step) -> Vec<&Call> {
    step.calls.iter().filter(|call| !is_inner(call)).collect()
}

/// Whether a call is one that the machine makes and no source has.
fn is_inner(call: &Call) -> bool {
    let is_made_by_instruction = call.function.starts_with("palisade.Machine.");
    !call.function.contains('.') || call.function.contains("$$Lambda$") || is_made_by_instruction
}

/// The call of a library in which a step is, if it is in one: the outermost inside of the innermost of the program's own.
fn callee(step: &Step) -> Option<&str> {
    let last = step.calls.iter().rposition(|call| call.is_users && !is_inner(call));
    let inside = step.calls.get(last.map_or(0, |last| last + 1)..)?;
    inside.iter().find(|call| !is_inner(call)).map(|call| call.function.as_str())
}

/// `Bank.withdraw(Bank.java:7)`.
fn place(program: &Program, call: &Call) -> String {
    let Some(span) = call.span else { return call.function.clone() };
    let at = program.sources.location(span);
    let file = at.file.rsplit(['/', '\\']).next().unwrap_or_default();
    match at.line {
        0 => format!("{}({file})", call.function),
        line => format!("{}({file}:{line})", call.function),
    }
}

/// The name of a method without the package of its class.
fn short(function: &str) -> String {
    let start = function.char_indices().find(|(_, c)| c.is_uppercase()).map_or(0, |(start, _)| start);
    let start = function[..start].rfind('.').map_or(0, |dot| dot + 1);
    function[start..].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_the_exceptions_of_instructions_is_no_call() {
        let call = |function: &str| Call { function: function.into(), span: None, is_users: true };
        let calls = ["palisade.Machine.division", "Bank.share", "Bank$$Lambda$1.run", "Bank.main"].map(call);
        let shown: Vec<&str> = calls.iter().filter(|call| !is_inner(call)).map(|call| call.function.as_str()).collect();
        assert_eq!(shown, ["Bank.share", "Bank.main"]);
    }

    #[test]
    fn packages_are_left_out_of_the_names_of_methods() {
        assert_eq!(short("java.util.concurrent.atomic.AtomicInteger.get"), "AtomicInteger.get");
        assert_eq!(short("bank.Main$Teller.run"), "Main$Teller.run");
        assert_eq!(short("Bank.withdraw"), "Bank.withdraw");
    }
}
