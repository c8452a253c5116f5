//! Bounded tests in words: what the operations showed, what was reordered, and the execution step by step.

use program::{
    Execution, Extent, Failure, FailureKind, InstructionKind, Language, Location, Observation, Operator, Outcome,
    Storage, Verdict,
};

use super::indent;
use crate::explanation::{Explained, Plain};
use crate::failure::Stop;
use crate::names::{Names, line_text, thread_name};
use crate::reordering::{Moved, reordering};
use crate::synchronization::is_inside;
use crate::table::{Align, render};
use crate::trace::{self, InBlock, Row, Trace, operation_title, values};
use crate::xml::shorten;
use crate::{Answer, Test, words};

/// A trace whose columns would make it wider than this is written as a list.
const WIDTH: usize = 140;
/// Statements are cut off after so many characters.
const STATEMENT: usize = 44;

/// What is said of a program or test without an execution in which every thread comes to its end.
const ENDLESS: &str =
    "Warning: in every execution some thread waits or runs for ever. What happens on the way there was checked.\n";

/// The whole answer about a bounded test.
pub fn answer(answer: &Answer) -> String {
    let outcome = answer.outcome;
    let mut text = format!("{}\n{}\n", answer.question(), verdict(answer));
    if let Some(location) = failing_place(outcome) {
        text.push_str(&place(answer, location));
    }
    if outcome.vacuous {
        let what = if answer.test().is_none() { "program" } else { "test" };
        text.push_str(&format!("Warning: the {what} has no execution at all under {}.\n", answer.model));
    }
    if outcome.endless {
        text.push_str(ENDLESS);
    }
    text.push_str(&super::warnings(answer));
    for flag in &outcome.flags {
        text.push_str(&format!("Flag: some execution raises `{flag}`.\n"));
    }
    text.push_str(&super::looked_for(answer));
    if let Some(execution) = &outcome.witness {
        text.push_str(&self::execution(answer, execution));
    }
    text + &bounds(answer)
}

/// The verdict, with the reason in words.
pub fn verdict(answer: &Answer) -> String {
    let test = answer.test();
    match (&answer.outcome.verdict, &answer.outcome.failure) {
        (Verdict::Holds, _) if test.is_none() && answer.outcome.endless => {
            format!("Holds: no assertion fails, and {}.", sought(answer))
        }
        (Verdict::Holds, _) => match test {
            Some(test) => format!("Holds: {}.", holds(test)),
            None => format!("Holds: no assertion fails, {}, and no thread waits for ever.", sought(answer)),
        },
        (Verdict::Violated, Some(failure)) => format!("Violated: {}.", violated(failure, test)),
        (Verdict::Violated, None) => "Violated: some execution goes wrong.".into(),
        (Verdict::Unknown(reason), _) => format!("Unknown: {reason}."),
        (Verdict::Allowed, _) => "Allowed: there is such an execution.".into(),
        (Verdict::Forbidden, _) => "Forbidden: there is no such execution.".into(),
    }
}

/// What does not happen, besides failing assertions.
pub(super) fn sought(answer: &Answer) -> String {
    let program = &answer.program;
    if program.language != Language::C {
        return "nothing else goes wrong".into();
    }
    let instructions = || {
        let blocks = program.functions.iter().flat_map(|function| &function.blocks);
        blocks.flat_map(|block| &block.instructions).map(|instruction| &instruction.kind)
    };
    let has_bounds = instructions().any(|kind| matches!(kind, InstructionKind::Load { access, .. } | InstructionKind::Store { access, .. } if access.bytes > 0));
    let frees = instructions().any(|kind| matches!(kind, InstructionKind::Free { .. }));
    // Where uses of freed memory are not looked for, all of it is a pool.
    let is_heap = |kind: &InstructionKind| matches!(kind, InstructionKind::Allocate { extent: Some(extent), .. } if extent.storage == Storage::Heap);
    let is_constant = |extent: &Extent| extent.storage == Storage::ReadOnly;
    let has_constants = program.globals.iter().any(|global| global.extent.as_ref().is_some_and(is_constant));
    let bounds = if has_bounds { "out of bounds or " } else { "" };
    let freed = if frees && instructions().any(is_heap) { ", no memory is accessed after it was freed" } else { "" };
    let ends = instructions().any(|kind| matches!(kind, InstructionKind::End { .. }));
    let left = if ends { ", no variable is used after its scope" } else { "" };
    let constants = if has_constants { ", no constant is written" } else { "" };
    let can_overflow = |kind: &InstructionKind| matches!(kind, InstructionKind::Assign { operator, .. } if operator.wrapping() != operator);
    let overflow = if instructions().any(can_overflow) { ", no signed integer overflows" } else { "" };
    let is_check = |kind: &InstructionKind| matches!(kind, InstructionKind::Assign { operator: Operator::Defined, .. });
    let unwritten = if instructions().any(is_check) { ", nothing is read that was never written" } else { "" };
    format!(
        "no access is {bounds}through what is no pointer{freed}{left}{constants}{overflow}{unwritten}, no undefined value is used, nothing is divided by \
         zero, shifted too far, freed twice or unlocked by who does not hold it"
    )
}

fn holds(test: &Test) -> String {
    let serial = words::serial(test);
    let shown = match test.observations {
        Some(1) => format!("the one observation of {serial}"),
        Some(count) => format!("one of the {count} observations of {serial}"),
        None => format!("what one of {serial} shows"),
    };
    format!("every execution shows {shown}, and nothing goes wrong")
}

fn violated(failure: &Failure, test: Option<&Test>) -> String {
    let message = failure.message.trim_end_matches('.');
    let serial = test.map_or_else(String::new, words::serial);
    match (failure.kind, test.and_then(|test| test.observations)) {
        (FailureKind::Observation, _) if matches!(message, words::OUT_OF_ORDER | words::OUT_OF_EFFECT) => {
            format!("some execution is not linearisable: {message}")
        }
        (FailureKind::Observation, Some(count)) => {
            format!("some execution shows what no serial one shows, none of the {count} observations of {serial}")
        }
        (FailureKind::Observation, None) => format!("some execution shows what none of {serial} shows"),
        (FailureKind::Exception, _) => format!("an exception ends a thread in some execution: {message}"),
        (FailureKind::Exit, _) => format!("the program ends itself in some execution: {message}"),
        (FailureKind::Error, _) => format!("some execution runs into an error: {message}"),
        (FailureKind::Assertion, _) => format!("an assertion fails in some execution: {message}"),
        (FailureKind::Deadlock | FailureKind::StaleLoop | FailureKind::LostWakeup, _) => {
            format!("in some execution threads wait for ever: {message}")
        }
    }
}

/// A place with its source line.
fn place(answer: &Answer, location: &Location) -> String {
    let line = line_text(&answer.program.sources, location).unwrap_or_default();
    format!("  {location}: {line}\n")
}

fn execution(answer: &Answer, execution: &Execution) -> String {
    let Answer { program, outcome, .. } = answer;
    let names = Names::of(program, execution);
    let mut text = String::new();
    if let Some(observation) = &outcome.observation {
        let which = if outcome.verdict == Verdict::Violated { "" } else { " in one execution" };
        text.push_str(&format!(
            "\nWhat the operations showed{which}:\n{}",
            self::observation(answer, observation, &names)
        ));
        text.push_str(format!("{}\n", conclusion(answer)).trim_start());
    }
    let found = reordering(execution);
    let explained = Explained { program, file: answer.file, execution, names: &names, found: &found, writing: &Plain };
    let is_failure = blames_algorithm(outcome);
    text.push('\n');
    for (index, sentence) in explained.sentences(is_failure).iter().enumerate() {
        text.push_str(&format!("{}{sentence}\n", if index == 0 { "" } else { "  " }));
    }
    if !found.cycle.is_empty() {
        text.push_str(
            "The circle that excludes an interleaving, each after the one above, the first after the last:\n",
        );
        text.push_str(&cycle(&explained));
    }
    let trace = trace::trace(program, execution, &names, &found, outcome.failure.as_ref());
    text.push_str(&self::trace(answer, &trace, &names));
    text + &left(answer, execution, &names)
}

/// What the threads left in memory, as far as `main` looks at it.
fn left(answer: &Answer, execution: &Execution, names: &Names) -> String {
    let value = |(observable, value): &(program::Observable, program::Value)| match observable {
        program::Observable::Memory(cell) => {
            let cell = names.cells.cell(answer.program, cell);
            format!("{cell} = {}", names.cells.value(answer.program, value))
        }
        register => {
            format!("{} = {}", answer.program.observable_name(register), names.cells.value(answer.program, value))
        }
    };
    let is_seen = |(observable, _): &&(program::Observable, program::Value)| match observable {
        program::Observable::Memory(cell) => !is_inside(answer.program, execution, cell),
        _ => true,
    };
    let values: Vec<String> = execution.state.iter().filter(is_seen).map(value).collect();
    if values.is_empty() { String::new() } else { format!("\nAt the end: {}\n", values.join(", ")) }
}

/// Whether an execution without reordering shows that the algorithm is wrong: not where it is wrong that nothing orders two accesses, which
/// an execution that keeps program order shows as well.
pub fn blames_algorithm(outcome: &Outcome) -> bool {
    let unordered = |failure: &Failure| failure.message.contains("nothing orders");
    outcome.verdict == Verdict::Violated && !outcome.failure.as_ref().is_some_and(unordered)
}

/// Where the failure is, if it is at a place.
pub fn failing_place(outcome: &Outcome) -> Option<&Location> {
    outcome.failure.as_ref().and_then(|failure| failure.location.as_ref())
}

/// What an observation that no serial execution shows means.
pub fn conclusion(answer: &Answer) -> String {
    match &answer.outcome.failure {
        Some(failure) if failure.message == words::OUT_OF_ORDER => {
            "A serial execution shows this, but none in which all operations that had returned come before those that were called \
             later (`returned` is stored to when one has)."
                .into()
        }
        Some(failure) if failure.message == words::OUT_OF_EFFECT => {
            "A serial execution shows this, but none in which operations come in the order in which they took effect (`committed` is \
             stored to when they do)."
                .into()
        }
        Some(failure) if failure.kind == FailureKind::Observation => {
            match answer.test().and_then(|test| test.reference.as_ref()) {
                Some(reference) => format!("No serial execution of {reference} shows this."),
                None => "No serial execution shows this, in whatever order the operations come.".into(),
            }
        }
        Some(_) => "What operations show after the failure has no meaning.".into(),
        None => String::new(),
    }
}

fn observation(answer: &Answer, observation: &Observation, names: &Names) -> String {
    let mut rows = Vec::new();
    for (sequence, operations) in observation.iter().enumerate() {
        for shown in operations {
            rows.push(vec![
                sequence_name(answer, sequence),
                shown.operation.to_string(),
                values(answer.program, shown, names),
            ]);
        }
    }
    indent(&render(&[("thread", Align::Left), ("operation", Align::Left), ("showed", Align::Left)], &rows))
}

/// The name of a sequence of operations: the setup, or a thread.
pub fn sequence_name(answer: &Answer, sequence: usize) -> String {
    match sequence.checked_sub(1) {
        Some(thread) => thread_name(answer.program, program::ThreadId(thread as u32)),
        None => "setup".into(),
    }
}

fn cycle(explained: &Explained) -> String {
    let row = |(id, because): &(program::EventId, String)| {
        let event = explained.execution.event(*id);
        let statement = trace::statement(&explained.program.sources, event.span);
        vec![
            explained.names.get(*id).to_string(),
            trace::effect(explained.program, event, explained.names),
            explained.line(event).unwrap_or_default(),
            shorten(&statement, STATEMENT),
            because.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = explained.cycle().iter().map(row).collect();
    let headers = ["", "access", "line", "statement", "comes"].map(|name| (name, Align::Left));
    indent(&render(&headers, &rows))
}

/// The execution step by step: a column per thread, or, where that is too wide, a list with the thread's name.
fn trace(answer: &Answer, trace: &Trace, names: &Names) -> String {
    let mut text = String::from(
        "\nThe execution, in an order in which memory may have seen it (<- the store that a load sees; [ one atomic step",
    );
    let is_broken = trace.rows.iter().any(|row| row.moved.is_some());
    text.push_str(if is_broken { ";\n^ earlier, v later than the program has it):\n" } else { "):\n" });
    let table = columns(answer, trace, names);
    let fits = table.lines().all(|line| line.chars().count() <= WIDTH);
    text + &indent(&if fits { table } else { list(answer, trace, names) })
}

fn columns(answer: &Answer, trace: &Trace, names: &Names) -> String {
    let width = trace.columns.len();
    let mut rows = Vec::new();
    for row in &trace.rows {
        if row.starts_operation {
            let mut title = vec![String::new(); width];
            title[row.column] = heading(answer, row, names);
            rows.push(title);
        }
        let mut cells = vec![String::new(); width];
        cells[row.column] = step(row);
        cells.extend(source(answer, row));
        rows.push(cells);
    }
    for (column, stop) in &trace.stops {
        let mut cells = vec![String::new(); width];
        cells[*column] = stopped(stop);
        cells.extend(stopping_place(answer, stop));
        rows.push(cells);
    }
    let mut headers: Vec<(&str, Align)> = trace.columns.iter().map(|name| (name.as_str(), Align::Left)).collect();
    headers.extend([("line", Align::Right), ("statement", Align::Left)]);
    render(&headers, &rows)
}

fn list(answer: &Answer, trace: &Trace, names: &Names) -> String {
    let mut rows = Vec::new();
    for row in &trace.rows {
        let thread = trace.columns[row.column].clone();
        if row.starts_operation {
            rows.push(vec![thread.clone(), heading(answer, row, names)]);
        }
        rows.push([thread, step(row)].into_iter().chain(source(answer, row)).collect());
    }
    for (column, stop) in &trace.stops {
        let thread = trace.columns[*column].clone();
        rows.push([thread, stopped(stop)].into_iter().chain(stopping_place(answer, stop)).collect());
    }
    let headers =
        [("thread", Align::Left), ("access", Align::Left), ("line", Align::Right), ("statement", Align::Left)];
    render(&headers, &rows)
}

fn heading(answer: &Answer, row: &Row, names: &Names) -> String {
    format!("-- {} --", operation_title(answer.program, answer.outcome.observation.as_ref(), row, names))
}

/// `^a3 [node1.0 -> 0 <- a2`.
fn step(row: &Row) -> String {
    let mark = match row.moved {
        Some(Moved::Early) => "^",
        Some(Moved::Late) => "v",
        None => " ",
    };
    let block = match row.atomic {
        Some(InBlock::First | InBlock::Middle | InBlock::Last) => "[",
        None => " ",
    };
    let seen = row
        .sees
        .as_ref()
        .map_or(String::new(), |seen| format!(" <- {}{}", seen.name, if seen.is_below { " (below)" } else { "" }));
    let fails = if row.fails { "  <== here" } else { "" };
    format!("{mark}{:<3} {block}{}{seen}{fails}", row.name, row.effect)
}

fn source(answer: &Answer, row: &Row) -> [String; 2] {
    let sources = &answer.program.sources;
    let line = row.span.map_or(String::new(), |span| trace::line(&sources.location(span), answer.file));
    [line, shorten(&trace::statement(sources, row.span), STATEMENT)]
}

/// What a thread does where it stops, below the names and effects of steps.
fn stopped(stop: &Stop) -> String {
    format!("      {}  <== here", stop.what)
}

/// The line where a thread stops, and its text.
fn stopping_place(answer: &Answer, stop: &Stop) -> [String; 2] {
    let Some(location) = &stop.location else { return Default::default() };
    let text = line_text(&answer.program.sources, location).unwrap_or_default();
    [trace::line(location, answer.file), shorten(&trace::code(text), STATEMENT)]
}

/// How many iterations loops had.
fn bounds(answer: &Answer) -> String {
    let bounds = &answer.outcome.bounds;
    let mut text = String::new();
    let line = |location: &Location| line_text(&answer.program.sources, location).unwrap_or_default().to_string();
    if !bounds.exceeded.is_empty() {
        text.push_str("\nThese loops can have more iterations than were tried:\n");
        for location in &bounds.exceeded {
            text.push_str(&format!("  {location}: {}\n", line(location)));
        }
        text.push_str("Executions that need more are not covered; --max-iterations says how many are tried.\n");
    }
    if !bounds.loops.is_empty() {
        text.push_str(&format!("\n{}:\n", rounds_title(&answer.outcome.verdict)));
        for (location, iterations) in &bounds.loops {
            let times = if *iterations == 1 { "once".into() } else { format!("{iterations} times") };
            text.push_str(&format!("  {location}: {times}: {}\n", line(location)));
        }
    }
    text
}

/// What the numbers of iterations mean.
pub fn rounds_title(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "How many iterations each loop has at most (those without effect are left out)",
        _ => "How many iterations each loop could have in what was looked at",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;
    use expect_test::expect;

    #[test]
    fn a_failure_shows_observation_reason_and_trace() {
        let (program, test, outcome) = examples::mailbox();
        expect![[r#"
            Does every execution of (p|gg) of suites/mailbox.c, under relaxed, show only what a serial execution shows?
            Violated: some execution shows what no serial one shows, none of the 6 observations of serial executions of box_ref.c.

            What the operations showed:
              thread  operation  showed
              ------  ---------  ------
              T1      p          val=1
              T2      g          val=0
              T2      g          val=1
            No serial execution of box_ref.c shows this.

            No interleaving of the threads gives this execution. In an order of memory that explains every load, program order is not kept:
              T1: the store to box at line 8 (a2) became visible before the store to node1.0 at line 7 (a1), although it comes later in the program. No fence stands between them.
            The circle that excludes an interleaving, each after the one above, the first after the last:
                  access         line  statement              comes
              --  -------------  ----  ---------------------  -----------------------
              a1  node1.0 := 1   7     fresh->value = value;  overwrites what b3 saw
              a2  box := &node1  8     box = fresh;           after a1 in the program
              b1  box -> &node1  13    node_t *seen = box;    sees what a2 stored
              b3  node1.0 -> 0   17    return seen->value;    after b1 in the program

            The execution, in an order in which memory may have seen it (<- the store that a load sees; [ one atomic step;
            ^ earlier, v later than the program has it):
              T1                   T2                             line  statement
              -------------------  -----------------------------  ----  -----------------------
              -- p: val=1 --
              ^a2   box := &node1                                    8  box = fresh;
                                   -- g: val=0 --
                                    b1   box -> &node1 <- a2        13  node_t *seen = box;
                                    b2   fence(LL)                  16  lsl_fence("load-load");
                                    b3   node1.0 -> 0 <- initial    17  return seen->value;
                                   -- g: val=1 --
                                    b4   box -> &node1 <- a2        13  node_t *seen = box;
                                    b5   fence(LL)                  16  lsl_fence("load-load");
               a1   node1.0 := 1                                     7  fresh->value = value;
                                    b6   node1.0 -> 1 <- a1         17  return seen->value;

            How many iterations each loop could have in what was looked at:
              suites/mailbox.c:11:1: 2 times: int get(void)
        "#]].assert_eq(&answer(&examples::test_answer(&program, &test, &outcome)));
    }

    /// The answer for the example, changed.
    fn words(change: impl Fn(&mut Outcome)) -> String {
        let (program, test, mut outcome) = examples::mailbox();
        change(&mut outcome);
        answer(&examples::test_answer(&program, &test, &outcome))
    }

    #[test]
    fn an_error_is_shown_with_its_line_and_in_the_trace() {
        let text = words(|outcome| {
            let location = Some(Location { file: "suites/mailbox.c".into(), line: 17, column: 5 });
            outcome.failure = Some(Failure::new(FailureKind::Error, "a null pointer", location));
        });
        assert!(text.contains("Violated: some execution runs into an error: a null pointer.\n"), "{text}");
        assert!(text.contains("suites/mailbox.c:17:5: return seen->value;"), "{text}");
        assert_eq!(text.matches("<== here").count(), 1, "{text}");
        assert!(text.contains("node1.0 -> 1 <- a1  <== here"), "{text}");
    }

    #[test]
    fn an_interleaving_blames_the_algorithm_only_when_it_fails() {
        // Both loads of the value see what was stored.
        let interleaved = |outcome: &mut Outcome| {
            let witness = outcome.witness.as_mut().expect("a witness");
            witness.rf[1].0 = program::EventId(2);
        };
        let text = words(interleaved);
        assert!(text.contains("The algorithm itself is wrong") && !text.contains("The circle"), "{text}");
        let text = words(|outcome| {
            interleaved(outcome);
            (outcome.verdict, outcome.failure) = (Verdict::Holds, None);
        });
        assert!(text.contains("Holds: every execution shows one of the 6 observations of"), "{text}");
        assert!(!text.contains("wrong,") && !text.contains("No serial execution"), "{text}");
    }

    #[test]
    fn what_is_not_decided_says_why() {
        let text = words(|outcome| {
            *outcome = Outcome { verdict: Verdict::Unknown("out of time".into()), ..Default::default() };
        });
        assert!(text.ends_with("?\nUnknown: out of time.\n"), "{text}");
    }
}
