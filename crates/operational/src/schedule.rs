//! Schedules: which thread or buffer goes next, and what is chosen. A schedule makes an execution happen again.
//!
//! ```text
//! palisade schedule 1
//! file mutex.c          what it was written for; these three lines are not read here
//! options -D BROKEN
//! program 5f0c1a9b2e...
//! machine tso
//! reduction persistent
//! setup 1 0             what the setup chose; left out if nothing
//! start 0               what was chosen before the first step; left out if nothing
//! step 0                thread 0 goes on
//! step 2 choose 1 3     and makes these choices on the way
//! flush 1 0             the store at place 0 of thread 1's buffer gets to memory
//! step 0 times 3        thread 0 goes on three times
//! ```
//!
//! The reduction says what else happens: `persistent`, after each step whatever no other thread sees; `own`, what the thread
//! that went does until its next operation; `none`, nothing.
//!
//! On the machine jmm_over what a read may see depends on the passes before. Two more lines say which execution is meant:
//! `passes 1`, how many there were, and `writes 4`, how many writes of a thread to a cell they allowed; `fixpoint printed` says from
//! which executions they learned, if not from all that count; `depth 10`, after how many steps they cut executions off.
//!
//! Threads are numbered from 0: those of the program in order, then those started later. `;` starts a comment.

use std::fmt::Write;

use crate::memory::Machine;
use crate::reduction::Reduction;
use crate::relax::Fixpoint;
use crate::turn::Action;

const HEADER: &str = "palisade schedule 1";
/// A file is input: so often at most may a line stand for a move.
const MOST_TIMES: usize = 1_000_000;

/// A step of an execution and what was chosen in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Who goes.
    pub action: Action,
    /// What was chosen, in order.
    pub choices: Vec<u32>,
}

/// A way through a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// What the setup chose.
    pub setup: Vec<u32>,
    /// What threads chose before the first step.
    pub start: Vec<u32>,
    /// The steps.
    pub moves: Vec<Move>,
    /// On the machine jmm_over: what was known.
    pub relaxation: Option<Relaxation>,
}

/// What was known to the pass of jmm_over that an execution was found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relaxation {
    /// How many passes came before.
    pub passes: u64,
    /// How many writes of a thread to a cell they allowed.
    pub writes: u32,
    /// From which executions they learned.
    pub fixpoint: Fixpoint,
    /// After how many steps they cut executions off, if they did.
    pub depth: Option<usize>,
}

/// The text of a schedule file.
pub fn print(schedule: &Schedule, machine: Machine, reduction: Reduction) -> String {
    let reduction = match reduction {
        Reduction::Persistent => "persistent",
        Reduction::Own => "own",
        Reduction::None => "none",
    };
    let mut text = format!("{HEADER}\nmachine {}\nreduction {reduction}\n", machine.name());
    if let Some(Relaxation { passes, writes, fixpoint, depth }) = schedule.relaxation {
        let _ = write!(text, "passes {passes}\nwrites {writes}\n");
        if let Some(depth) = depth {
            let _ = writeln!(text, "depth {depth}");
        }
        if fixpoint != Fixpoint::default() {
            let _ = writeln!(text, "fixpoint {}", fixpoint.name());
        }
    }
    for (word, choices) in [("setup", &schedule.setup), ("start", &schedule.start)] {
        if !choices.is_empty() {
            let _ = writeln!(text, "{word}{}", numbers(choices));
        }
    }
    for equal in schedule.moves.chunk_by(|first, second| first == second && second.choices.is_empty()) {
        let Move { action, choices } = &equal[0];
        let _ = match action {
            Action::Step(thread) => write!(text, "step {thread}"),
            Action::Flush(thread, place) => write!(text, "flush {thread} {place}"),
        };
        if !choices.is_empty() {
            let _ = write!(text, " choose{}", numbers(choices));
        }
        if equal.len() > 1 {
            let _ = write!(text, " times {}", equal.len());
        }
        text.push('\n');
    }
    text
}

/// A schedule on one line: `0*3` is three steps of thread 0, `0~` is that a store of its gets to memory.
pub fn brief(schedule: &Schedule) -> String {
    let word = |taken: &Move| match taken.action {
        Action::Step(thread) => thread.to_string(),
        Action::Flush(thread, _) => format!("{thread}~"),
    };
    let words: Vec<String> = schedule.moves.iter().map(word).collect();
    let runs = words.chunk_by(|first, second| first == second);
    let run = |run: &[String]| if run.len() == 1 { run[0].clone() } else { format!("{}*{}", run[0], run.len()) };
    runs.map(run).collect::<Vec<String>>().join(" ")
}

fn numbers(numbers: &[u32]) -> String {
    numbers.iter().map(|number| format!(" {number}")).collect()
}

/// Reads a schedule file; the error says which line is wrong.
pub fn parse(text: &str) -> Result<(Schedule, Machine, Reduction), String> {
    let mut lines = text.lines().enumerate().map(|(index, line)| {
        let words: Vec<&str> = line.split(';').next().unwrap_or_default().split_whitespace().collect();
        (index + 1, words)
    });
    let mut lines = lines.by_ref().filter(|(_, words)| !words.is_empty());
    let header = lines.next().map(|(_, words)| words.join(" "));
    if header.as_deref() != Some(HEADER) {
        return Err(format!("a schedule starts with the line `{HEADER}`"));
    }
    let (mut schedule, mut machine, mut reduction) = (Schedule::default(), None, Reduction::Persistent);
    for (line, words) in lines {
        let wrong = || format!("line {line} of the schedule is not understood: `{}`", words.join(" "));
        match &words[..] {
            ["file" | "options" | "program", ..] => {}
            ["machine", name] => machine = Some(Machine::named(name).ok_or_else(wrong)?),
            ["reduction", "persistent"] => reduction = Reduction::Persistent,
            ["reduction", "own"] => reduction = Reduction::Own,
            ["reduction", "none"] => reduction = Reduction::None,
            ["setup", choices @ ..] => schedule.setup = all_numbers(choices).ok_or_else(wrong)?,
            ["start", choices @ ..] => schedule.start = all_numbers(choices).ok_or_else(wrong)?,
            ["passes", passes] => relaxation(&mut schedule).passes = passes.parse().map_err(|_| wrong())?,
            ["depth", depth] => relaxation(&mut schedule).depth = Some(depth.parse().map_err(|_| wrong())?),
            ["fixpoint", name] => relaxation(&mut schedule).fixpoint = Fixpoint::named(name).ok_or_else(wrong)?,
            ["writes", writes] => relaxation(&mut schedule).writes = writes.parse().map_err(|_| wrong())?,
            [words @ .., "times", count] => {
                let count: usize = count.parse().ok().filter(|count| *count <= MOST_TIMES).ok_or_else(wrong)?;
                let taken = parse_move(words).ok_or_else(wrong)?;
                schedule.moves.extend(std::iter::repeat_n(taken, count));
            }
            words => schedule.moves.push(parse_move(words).ok_or_else(wrong)?),
        }
    }
    let machine = machine.ok_or("the schedule does not name its machine")?;
    Ok((schedule, machine, reduction))
}

fn relaxation(schedule: &mut Schedule) -> &mut Relaxation {
    let nothing = Relaxation { passes: 0, writes: 0, fixpoint: Fixpoint::default(), depth: None };
    schedule.relaxation.get_or_insert(nothing)
}

fn parse_move(words: &[&str]) -> Option<Move> {
    let chooses = words.iter().position(|word| *word == "choose");
    let (action, choices) = words.split_at(chooses.unwrap_or(words.len()));
    let choices = all_numbers(choices.get(1..).unwrap_or_default())?;
    let action = match action {
        ["step", thread] => Action::Step(thread.parse().ok()?),
        ["flush", thread, place] => Action::Flush(thread.parse().ok()?, place.parse().ok()?),
        _ => return None,
    };
    Some(Move { action, choices })
}

fn all_numbers(words: &[&str]) -> Option<Vec<u32>> {
    words.iter().map(|word| word.parse().ok()).collect()
}
