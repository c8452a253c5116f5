//! How events and source places are named in every report.

use std::collections::HashMap;

use program::{Event, EventId, EventKind, Execution, Location, Order, Program, Sources, Span, ThreadId};

use crate::cells::{Cells, is_of_test};
use crate::words;

/// The names of an execution's events: letters in the order of threads and of program order; in a bounded test a letter for
/// the thread and a number in program order, `b12`; `init x` for initial writes, `start P0` and `end P0` for the bounds of
/// threads. And the names of cells in labels.
#[derive(Default)]
pub struct Names {
    events: Vec<String>,
    /// How cells and values are written.
    pub cells: Cells,
}

impl Names {
    /// Names the events of an execution.
    pub fn of(program: &Program, execution: &Execution) -> Names {
        let cells = Cells::of(program, execution);
        let mut events: Vec<String> = execution.events.iter().map(|event| fixed_name(program, event, &cells)).collect();
        let in_test = is_of_test(execution);
        let mut counts: HashMap<ThreadId, usize> = HashMap::new();
        for (index, id) in lettered(execution).into_iter().enumerate() {
            events[id.0 as usize] = match execution.event(id).thread {
                Some(thread) if in_test => {
                    let count = counts.entry(thread).or_default();
                    *count += 1;
                    format!("{}{count}", letters(thread.0 as usize))
                }
                _ => letters(index),
            };
        }
        Names { events, cells }
    }

    /// Names the events of the executions that justify `main`, in order. What performs an action of `main` has the name that
    /// it has there; other actions have the letters after those, each the same in all stages.
    pub fn of_stages(program: &Program, main: &Execution) -> Vec<Names> {
        let mut known: HashMap<u32, String> = HashMap::new();
        let mut next = lettered(main).len();
        let main_names = Names::of(program, main).events;
        known.extend(main.actions.iter().copied().zip(main_names));
        let mut stage = |execution: &Execution| {
            let cells = Cells::default();
            let mut events: Vec<String> =
                execution.events.iter().map(|event| fixed_name(program, event, &cells)).collect();
            for id in lettered(execution) {
                let mut fresh = || {
                    next += 1;
                    letters(next - 1)
                };
                events[id.0 as usize] = match execution.actions.get(id.0 as usize) {
                    Some(&action) => known.entry(action).or_insert_with(fresh).clone(),
                    None => fresh(),
                };
            }
            Names { events, cells }
        };
        main.justification.iter().map(&mut stage).collect()
    }

    /// The name of an event; `?` for an id that the execution does not have.
    pub fn get(&self, id: EventId) -> &str {
        self.events.get(id.0 as usize).map_or("?", |name| name)
    }

    /// The names of several events: `a, c, init x`.
    pub fn list(&self, ids: &[EventId]) -> String {
        ids.iter().map(|&id| self.get(id)).collect::<Vec<_>>().join(", ")
    }
}

/// The events that have letters for names, in the order of the letters.
fn lettered(execution: &Execution) -> Vec<EventId> {
    let has_letter = |&id: &EventId| execution.event(id).thread.is_some() && !is_boundary(execution.event(id));
    let mut order: Vec<EventId> = execution.ids().filter(has_letter).collect();
    order.sort_by_key(|&id| (execution.event(id).thread, id));
    order
}

/// The name of an event that has no letter.
fn fixed_name(program: &Program, event: &Event, cells: &Cells) -> String {
    match event.thread {
        Some(thread) => format!("{} {}", label(program, event, cells), thread_name(program, thread)),
        None => format!("init {}", event.cell.as_ref().map_or_else(|| "?".into(), |cell| cells.cell(program, cell))),
    }
}

/// Whether an event is the start or the end of a thread. Tables and pictures leave them out, unless a cycle passes through.
pub fn is_boundary(event: &Event) -> bool {
    matches!(event.kind, EventKind::Start | EventKind::End)
}

/// `a` to `z`, then `aa`, `ab` and so on.
fn letters(index: usize) -> String {
    let last = (b'a' + (index % 26) as u8) as char;
    match index / 26 {
        0 => last.to_string(),
        more => format!("{}{last}", letters(more - 1)),
    }
}

/// What an event does: `W x=1`, `R(acq) y=0`, `F(MFENCE)`, `L m`, `print 1`.
pub fn label(program: &Program, event: &Event, cells: &Cells) -> String {
    if let Some(life) = cells.life(program, event) {
        return life;
    }
    let kind = match event.kind {
        EventKind::Read => "R",
        EventKind::Write => "W",
        EventKind::Fence => "F",
        EventKind::Lock => "L",
        EventKind::Unlock => "U",
        EventKind::Start => "start",
        EventKind::End => "end",
        EventKind::Special => "print",
    };
    let mut marks: Vec<&str> = order_word(event.access.order).into_iter().collect();
    marks.extend(event.access.tags.iter().map(|tag| &**tag).filter(|tag| !words::UNSAID.contains(tag)));
    let mut label = if marks.is_empty() { kind.to_string() } else { format!("{kind}({})", marks.join(",")) };
    if let Some(cell) = &event.cell {
        label.push_str(&format!(" {}", cells.cell(program, cell)));
    }
    if let Some(value) = &event.value {
        let sign = if event.cell.is_some() { "=" } else { " " };
        label.push_str(&format!("{sign}{}", cells.value_in(program, event.cell.as_ref(), value)));
    }
    label
}

/// A memory order as models and pictures write it; nothing for plain accesses.
pub fn order_word(order: Order) -> Option<&'static str> {
    match order {
        Order::Plain => None,
        Order::Relaxed => Some("rlx"),
        Order::Consume => Some("con"),
        Order::Acquire => Some("acq"),
        Order::Release => Some("rel"),
        Order::AcquireRelease => Some("acq_rel"),
        Order::SeqCst => Some("sc"),
    }
}

/// The name of a thread: as the program says, `T7` for one that was started at run time.
pub fn thread_name(program: &Program, thread: ThreadId) -> String {
    program.threads.get(thread.0 as usize).map_or_else(|| format!("T{}", thread.0), |thread| thread.name.clone())
}

/// The source text under a span on one line; empty when there is none.
pub fn source_text(sources: &Sources, span: Option<Span>) -> String {
    let text = span.map_or("", |span| sources.snippet(span));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The source line that a location lies on, without the white space around it.
pub fn line_text<'a>(sources: &'a Sources, location: &Location) -> Option<&'a str> {
    let number = location.line.checked_sub(1)?;
    let files = sources.files().filter(|&file| sources.name(file) == location.file);
    let mut lines = files.filter_map(|file| sources.text(file).lines().nth(number)).map(str::trim).peekable();
    let first = lines.peek().copied();
    lines.find(|line| !line.is_empty()).or(first)
}

/// An event by its thread and source text: `P0: MOV [x],$1`; what it does where there is no text.
pub fn statement(program: &Program, event: &Event, cells: &Cells) -> String {
    let text = source_text(&program.sources, event.span);
    let text = if text.is_empty() || is_boundary(event) { label(program, event, cells) } else { text };
    match event.thread {
        Some(thread) => format!("{}: {text}", thread_name(program, thread)),
        None => format!("initially: {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn letters_go_on_after_z() {
        let names: Vec<String> = [0, 25, 26, 27, 52].into_iter().map(letters).collect();
        assert_eq!(names, ["a", "z", "aa", "ab", "ba"]);
    }
}
