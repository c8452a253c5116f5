//! Answers in plain words, for a terminal.
//!
//! An answer repeats the question, gives the verdict, says what has become of the test's own claim, and then shows the
//! evidence: the execution found, or why there is none.

pub(crate) mod bounded;
mod stages;

use std::collections::BTreeSet;

use program::{
    Core, CoreMember, CoreMemberKind, EventId, Execution, KnownWrite, Language, Listed, Observable, Program, Question,
    Value, Verdict, Violation,
};

use program::Property;

use crate::answer::Claim;
use crate::cells::final_value;
use crate::drawing::reduced;
use crate::justification::{is_said, is_set};
use crate::names::{Names, is_boundary, label, line_text, source_text, statement, thread_name};
use crate::synchronization::{self, Step};
use crate::table::{Align, render};
use crate::{Answer, failure, words};

/// A table of threads that would be wider than this is written one thread after the other.
const WIDTH: usize = 110;

/// The whole answer to the question of a program.
pub fn answer(answer: &Answer) -> String {
    if answer.is_shown_by_steps() {
        return bounded::answer(answer);
    }
    let mut text = heading(answer);
    let outcome = answer.outcome;
    if let Some(wrong) = &outcome.failure {
        text.push_str(&format!("\n{}", failure::lines(wrong)));
    }
    if let Some(execution) = &outcome.witness {
        let which = match (&outcome.verdict, &answer.program.question) {
            (Verdict::Violated, Some(_)) => "An execution that ends otherwise",
            (_, None) if outcome.failure.is_some() => "An execution in which this happens",
            (Verdict::Violated, None) => "An execution in which an assertion fails",
            _ => "Such an execution",
        };
        text.push_str(&format!("\n{which}:\n{}", self::execution(answer.program, execution)));
    }
    if let Some(core) = &outcome.core {
        text.push_str(&format!("\n{}:\n{}", because(answer, core), self::core(answer.program, core)));
    }
    if let Some(violation) = &outcome.violation {
        text.push_str(&self::violation(answer, violation));
    }
    text
}

/// The executions that were to be listed, two lines each; they stand below the steps of the witness.
pub fn listed(listed: &[Listed]) -> String {
    if listed.is_empty() {
        return String::new();
    }
    let count = listed.len();
    let how = "`0*3`: three steps of thread 0; `0~`: a store of its gets to memory";
    if listed.iter().all(|one| one.course.is_empty()) {
        let lines: String = listed.iter().map(|one| format!("  {}\n", one.what)).collect();
        return format!("\n{count} more, possible and not confirmed:\n{lines}");
    }
    let mut text = format!("\n{count} listed, each with a schedule ({how}):\n");
    for (index, Listed { what, course, .. }) in listed.iter().enumerate() {
        let number = index + 1;
        text.push_str(&format!("  {number}. {what}\n     {course}\n"));
    }
    text
}

/// What jmm_over knows to be written, a line for each cell.
pub fn writes(writes: &[KnownWrite]) -> String {
    if writes.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{} writes known from above, those of initial values included:\n", writes.len());
    for of_cell in writes.chunk_by(|first, second| first.cell == second.cell) {
        let said: Vec<String> = of_cell.iter().map(known_write).collect();
        text.push_str(&format!("  {}: {}\n", of_cell[0].cell, said.join("; ")));
    }
    text
}

/// `0 at first`, `1 by T2`, `3 by T1 (write 2)`; then what it needs.
fn known_write(KnownWrite { thread, number, value, needs, .. }: &KnownWrite) -> String {
    let Some(thread) = thread else { return format!("{value} at first") };
    let number = if *number == 1 { String::new() } else { format!(" (write {number})") };
    let needs: Vec<String> = needs.iter().map(|needs| needs.join(" and ")).collect();
    let needs = if needs.is_empty() { String::new() } else { format!(", with {}", needs.join(", or with ")) };
    format!("{value} by {thread}{number}{needs}")
}

/// Whether a variable of Java refers to objects, as far as its values show: then 0 is null.
fn refers(program: &Program, states: &[(program::State, Option<Execution>)], column: usize) -> bool {
    let is_object = |(state, _): &(program::State, _)| {
        state.get(column).is_some_and(|(_, value)| matches!(value, Value::Pointer(_) | Value::Composite(..)))
    };
    program.language == Language::Java && states.iter().any(is_object)
}

/// All final states, with a mark on those that satisfy the condition.
pub fn outcomes(answer: &Answer) -> String {
    let mut text = heading(answer);
    let program = answer.program;
    let Some(states) = &answer.outcome.states else { return text };
    let condition = own_question(program).map(|question| &question.proposition);
    let observed = program.question.as_ref().map_or(&[][..], |question| &question.observed);
    let mut headers = vec![("", Align::Left)];
    let names: Vec<String> = observed.iter().map(|observable| program.observable_name(observable)).collect();
    headers.extend(names.iter().map(|name| (name.as_str(), Align::Right)));
    let refers: Vec<bool> = (0..names.len()).map(|column| refers(program, states, column)).collect();
    let row = |state: &program::State| {
        let mark = if condition.is_some_and(|condition| satisfies(condition, state)) { "*" } else { "" };
        let name = |((observable, value), refers): (&(Observable, Value), &bool)| match value {
            Value::Int(int) if *refers && int.unsigned() == 0 => "null".into(),
            value => final_value(program, observable, value),
        };
        let values = state.iter().zip(&refers).map(name);
        [mark.to_string()].into_iter().chain(values).collect::<Vec<String>>()
    };
    let mut sorted: Vec<&program::State> = states.iter().map(|(state, _)| state).collect();
    sorted.sort();
    let rows: Vec<Vec<String>> = sorted.into_iter().map(row).collect();
    let complete = if matches!(answer.outcome.verdict, Verdict::Unknown(_)) { " found so far" } else { "" };
    let count = states.len();
    text.push_str(&format!("\n{count} final state{}{complete}", if count == 1 { "" } else { "s" }));
    let marked = rows.iter().filter(|row| row[0] == "*").count();
    let marked = condition.map_or(String::new(), |_| format!(", {marked} of them as asked (*)"));
    text.push_str(&format!("{marked}:\n{}", indent(&render(&headers, &rows))));
    text
}

/// Whether a final state satisfies a proposition about it.
pub fn satisfies(condition: &program::Proposition, state: &program::State) -> bool {
    condition.holds(&|observable| {
        let entry = state.iter().find(|(name, _)| name == observable);
        entry.map_or(Value::Undefined, |(_, value)| value.clone())
    })
}

/// Question, verdict, claim, and what the reader must know before believing them.
fn heading(answer: &Answer) -> String {
    let outcome = answer.outcome;
    let mut text = format!("{}\n{}\n", answer.question(), verdict(answer));
    if let Some(question) = own_question(answer.program) {
        let claim = match answer.claim() {
            Claim::Validated => "validated",
            Claim::Refuted => "not validated",
            Claim::Undecided => "not decided",
        };
        text.push_str(&format!("The test claims {}: {claim}.\n", words::claim(question)));
    }
    if outcome.vacuous {
        text.push_str(&format!(
            "Warning: {} has no execution at all under {}, so that any claim about all executions is empty.\n",
            answer.program.name, answer.model
        ));
    }
    if outcome.endless {
        text.push_str(&format!(
            "Warning: in every execution of {} under {} some thread waits or runs for ever, so that any claim about final \
             states is empty.\n",
            answer.program.name, answer.model
        ));
    }
    text.push_str(&warnings(answer));
    if let Some(reason) = &outcome.incomplete {
        text.push_str(&format!("The counts are incomplete: {reason}.\n"));
    }
    for flag in &outcome.flags {
        text.push_str(&format!("Flag: some execution raises `{flag}`.\n"));
    }
    text.push_str(&looked_for(answer));
    text.push_str(&bounds(answer));
    text
}

/// Whether torn variables and spurious wake-ups were looked for, a line each.
fn looked_for(answer: &Answer) -> String {
    let wakeups = words::wakeups(answer.program).filter(|_| answer.outcome.verdict != Verdict::Violated);
    words::tearing(answer.program).into_iter().chain(wakeups).map(|line| format!("{line}\n")).collect()
}

/// What of the program means nothing under the model, a line each.
pub fn warnings(answer: &Answer) -> String {
    answer.outcome.warnings.iter().map(|warning| format!("Warning: {warning}.\n")).collect()
}

fn verdict(answer: &Answer) -> String {
    let has_question = own_question(answer.program).is_some();
    let is_any = answer.program.question.is_some() && !has_question;
    match &answer.outcome.verdict {
        Verdict::Allowed if is_any => "Yes.".into(),
        Verdict::Forbidden if is_any => "No.".into(),
        Verdict::Allowed if !has_question => "Allowed: yes, in some execution all assertions hold.".into(),
        Verdict::Forbidden if !has_question => "Forbidden: in no execution do all assertions hold.".into(),
        Verdict::Allowed => "Allowed: yes, some execution ends so.".into(),
        Verdict::Forbidden => "Forbidden: no execution ends so.".into(),
        Verdict::Holds if has_question => "Holds: every execution ends so.".into(),
        Verdict::Violated if has_question => "Violated: some execution ends otherwise.".into(),
        Verdict::Holds if answer.program.language == Language::C => {
            format!("Holds: no assertion fails, and {}.", bounded::sought(answer))
        }
        Verdict::Holds => "Holds: no assertion fails.".into(),
        Verdict::Violated => failure::verdict(answer.outcome.failure.as_ref()).into(),
        Verdict::Unknown(reason) => format!("Unknown: {reason}."),
    }
}

/// The question that a program brings: not one that merely asks for any execution.
fn own_question(program: &Program) -> Option<&Question> {
    program.question.as_ref().filter(|question| !words::asks_for_any(question))
}

/// Which loops can run longer than they were unrolled, and what to try.
fn bounds(answer: &Answer) -> String {
    let bounds = &answer.outcome.bounds;
    let Some(unroll) = bounds.unroll.filter(|_| !bounds.exceeded.is_empty()) else { return String::new() };
    let times = if unroll == 1 { "once".into() } else { format!("{unroll} times") };
    let mut text = format!("Loops were unrolled {times}; these can run longer:\n");
    for location in &bounds.exceeded {
        let line = line_text(&answer.program.sources, location).unwrap_or_default();
        text.push_str(&format!("  {location}: {line}\n"));
    }
    text.push_str(&format!("Executions that need more are not covered; try --unroll {}.\n", unroll.saturating_add(1)));
    text
}

/// An execution: what each thread did, and who saw what; and the executions that justify it. Starts and ends of threads are
/// left out.
pub fn execution(program: &Program, execution: &Execution) -> String {
    let names = Names::of(program, execution);
    let mut text = threads(program, execution, &names, |_| "");
    let hidden = hidden(program, execution);
    let event = |id: EventId| match execution.event(id).thread {
        Some(_) => {
            let what = synchronization::operation(program, execution.event(id));
            let what = what.unwrap_or_else(|| label(program, execution.event(id), &names.cells));
            format!("{} ({what})", names.get(id))
        }
        None => format!("the initial {}", label(program, execution.event(id), &names.cells).trim_start_matches("W ")),
    };
    let list = |title: &str, pairs: &[(EventId, EventId)], verb: &str, swap: bool| {
        let is_shown = |(a, b): &&(EventId, EventId)| !hidden.contains(a) && !hidden.contains(b);
        let pairs: Vec<(EventId, EventId)> = pairs.iter().filter(is_shown).copied().collect();
        if pairs.is_empty() {
            return String::new();
        }
        let line = |&(a, b): &(EventId, EventId)| {
            let (a, b) = if swap { (b, a) } else { (a, b) };
            format!("  {} {verb} {}\n", event(a), event(b))
        };
        format!("{title}:\n{}", pairs.iter().map(line).collect::<String>())
    };
    text.push_str(&list("Reads-from (rf)", &execution.rf, "sees", true));
    text.push_str(&list("Coherence (co)", &execution.co_steps(), "is overwritten by", false));
    text.push_str(&list("From-read (fr)", &execution.fr(), "sees a value older than", false));
    text.push_str(&list("Read-modify-writes (rmw)", &execution.rmw, "is one step with", false));
    text.push_str(&list("Address dependencies (addr)", &execution.addr, "gives the address of", false));
    text.push_str(&list("Data dependencies (data)", &execution.data, "gives the value of", false));
    text.push_str(&list("Control dependencies (ctrl)", &execution.ctrl, "decides about", false));
    for (name, pairs) in &execution.named {
        let is_shown = |&(a, b): &(EventId, EventId)| ![a, b].iter().any(|&id| is_boundary(execution.event(id)));
        let pairs: Vec<_> = pairs.iter().copied().filter(is_shown).filter(|pair| is_said(execution, *pair)).collect();
        if is_set(&pairs) {
            let members: Vec<EventId> = pairs.iter().map(|&(id, _)| id).collect();
            text.push_str(&format!("The model's {name}: {}\n", names.list(&members)));
        } else {
            text.push_str(&list(&format!("The model's {name}"), &reduced(&pairs), "before", false));
        }
    }
    if !execution.state.is_empty() {
        text.push_str(&format!("Final state: {}\n", words::state(program, &execution.state)));
    }
    text + &stages::justification(program, execution)
}

/// Events that are shown as part of another: the insides of locks and their like.
fn hidden(program: &Program, execution: &Execution) -> BTreeSet<EventId> {
    let mut threads: Vec<_> = execution.events.iter().filter_map(|event| event.thread).collect();
    threads.sort();
    threads.dedup();
    let hidden_in = |thread| {
        let ids: Vec<EventId> = execution.ids().filter(|&id| execution.event(id).thread == Some(thread)).collect();
        let steps = synchronization::steps(program, execution, &ids).into_iter();
        steps.flat_map(|step| step.events.into_iter().filter(move |id| *id != step.shown)).collect::<Vec<_>>()
    };
    threads.into_iter().flat_map(hidden_in).collect()
}

/// One column per thread where that fits, else one thread after the other; each event with a mark before its name.
fn threads(program: &Program, execution: &Execution, names: &Names, mark: impl Fn(EventId) -> &'static str) -> String {
    let shown = execution.events.iter().filter(|event| !is_boundary(event));
    let mut threads: Vec<_> = shown.filter_map(|event| event.thread).collect();
    threads.sort();
    threads.dedup();
    let cell = |step: &Step| {
        let (id, event) = (step.shown, execution.event(step.shown));
        if let Some(operation) = &step.operation {
            return format!("{}{}: {operation}", mark(id), names.get(id));
        }
        let source = source_text(&program.sources, event.span);
        let gap = if source.is_empty() { "" } else { "  " };
        format!("{}{}: {source}{gap}({})", mark(id), names.get(id), label(program, event, &names.cells))
    };
    let column = |thread| {
        let is_own = |event: &program::Event| event.thread == Some(thread) && !is_boundary(event);
        let ids: Vec<EventId> = execution.ids().filter(|&id| is_own(execution.event(id))).collect();
        let steps = synchronization::steps(program, execution, &ids);
        (thread_name(program, thread), steps.iter().map(cell).collect::<Vec<String>>())
    };
    let columns: Vec<(String, Vec<String>)> = threads.into_iter().map(column).collect();
    let headers: Vec<(&str, Align)> = columns.iter().map(|(name, _)| (name.as_str(), Align::Left)).collect();
    let height = columns.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
    let row = |row: usize| columns.iter().map(|(_, cells)| cells.get(row).cloned().unwrap_or_default()).collect();
    let table = render(&headers, &(0..height).map(row).collect::<Vec<_>>());
    if table.lines().all(|line| line.chars().count() <= WIDTH) {
        return indent(&table);
    }
    let paragraph = |(name, cells): &(String, Vec<String>)| {
        let lines: String = cells.iter().map(|cell| format!("    {cell}\n")).collect();
        format!("  {name}\n{lines}")
    };
    columns.iter().map(paragraph).collect()
}

/// What a core is the reason for.
fn because(answer: &Answer, core: &Core) -> String {
    let what = match answer.outcome.verdict {
        _ if answer.outcome.vacuous => "There is no execution, because",
        Verdict::Unknown(_) => "Within this bound, because",
        _ => "Because",
    };
    let how = match core.minimal {
        true => "if any one of these were left open, it could be otherwise",
        false => "as the solver found it: some of these may be superfluous",
    };
    format!("{what} of ({how})")
}

/// A core, grouped in axioms, program lines and conditions.
fn core(program: &Program, core: &Core) -> String {
    let mut text = String::new();
    let group = |title: &str, kind: CoreMemberKind| {
        let of_kind = core.members.iter().filter(|member| member.kind == kind);
        let members: String = of_kind.map(|one| member(one, program.question.is_none())).collect();
        if members.is_empty() { String::new() } else { format!("  {title}\n{members}") }
    };
    text.push_str(&group("axioms of the model", CoreMemberKind::Axiom));
    text.push_str(&group("the program", CoreMemberKind::Program));
    let asked = if program.question.is_some() { "the condition" } else { "the assertions" };
    text.push_str(&group(asked, CoreMemberKind::Assertion));
    text
}

/// A member on a line of its own; `is_assertion` says that the condition is an assertion of the program.
fn member(member: &CoreMember, is_assertion: bool) -> String {
    let name = member.name.split_whitespace().collect::<Vec<_>>().join(" ");
    match (member.kind, &member.location) {
        (CoreMemberKind::Program, Some(location)) => {
            let thread = member.thread.as_ref().map_or(String::new(), |thread| format!("{thread}, "));
            format!("    {thread}line {}: {name}\n", location.line)
        }
        (CoreMemberKind::Assertion, Some(location)) if is_assertion => format!("    line {}: {name}\n", location.line),
        (CoreMemberKind::Axiom, Some(location)) => {
            let formula = member.formula.as_ref().map_or(String::new(), |formula| format!("      {formula}\n"));
            format!("    {name} ({location})\n{formula}")
        }
        _ => format!("    {name}\n"),
    }
}

/// The offending cycle, step by step.
fn violation(answer: &Answer, violation: &Violation) -> String {
    let (program, execution) = (answer.program, &violation.execution);
    let names = Names::of(program, execution);
    let event = |id: EventId| {
        let event = execution.event(id);
        match event.thread {
            Some(_) if is_boundary(event) => statement(program, event, &names.cells),
            Some(_) => format!(
                "{}  ({}: {})",
                statement(program, event, &names.cells),
                names.get(id),
                label(program, event, &names.cells)
            ),
            None => format!("the initial {}", label(program, event, &names.cells).trim_start_matches("W ")),
        }
    };
    let which = match (&program.question, answer.property) {
        _ if answer.outcome.vacuous => "of any kind",
        (Some(_), _) => "that ends so",
        (None, Property::Always) => "in which an assertion fails",
        (None, Property::Possible) => "in which all assertions hold",
    };
    let mut text = format!("\nAn execution {which} would break the axiom `{}`", violation.axiom);
    let Some(first) = violation.cycle.first() else {
        text.push_str(":\n");
        return text + &self::execution(program, execution);
    };
    let is_cycle = violation.cycle.last().is_some_and(|last| last.to == first.from);
    text.push_str(if is_cycle { " by this cycle:\n" } else { " by this path:\n" });
    let arrow = violation.cycle.iter().map(|step| step.relation.chars().count()).max().unwrap_or(0) + 6;
    text.push_str(&format!("  {:arrow$} {}\n", "", event(first.from)));
    for step in &violation.cycle {
        let back = if is_cycle && step.to == first.from { "  (the first again)" } else { "" };
        let relation = format!("--{}-->", step.relation);
        text.push_str(&format!("  {relation:<arrow$} {}{back}\n", event(step.to)));
    }
    text
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;
    use expect_test::{Expect, expect};

    fn check(example: (Program, program::Outcome), expected: Expect) {
        expected.assert_eq(&answer(&examples::answer(&example.0, &example.1)));
    }

    #[test]
    fn an_allowed_outcome_comes_with_its_execution() {
        check(
            examples::allowed(),
            expect![[r#"
            Can some execution of SB end with 0:EAX = 0 and 1:EAX = 0, under tso?
            Allowed: yes, some execution ends so.
            The test claims that such an execution exists (exists): validated.

            Such an execution:
              P0                       P1
              -----------------------  -----------------------
              a: MOV [x],$1  (W x=1)   c: MOV [y],$1  (W y=1)
              b: MOV EAX,[y]  (R y=0)  d: MOV EAX,[x]  (R x=0)
            Reads-from (rf):
              b (R y=0) sees the initial y=0
              d (R x=0) sees the initial x=0
            Coherence (co):
              the initial x=0 is overwritten by a (W x=1)
              the initial y=0 is overwritten by c (W y=1)
            From-read (fr):
              b (R y=0) sees a value older than c (W y=1)
              d (R x=0) sees a value older than a (W x=1)
            Final state: 0:EAX=0; 1:EAX=0;
        "#]],
        );
    }

    #[test]
    fn a_forbidden_outcome_comes_with_its_reasons() {
        check(
            examples::forbidden(),
            expect![[r#"
                Can some execution of SB end with 0:EAX = 0 and 1:EAX = 0, under tso?
                Forbidden: no execution ends so.
                The test claims that such an execution exists (exists): not validated.

                Because of (if any one of these were left open, it could be otherwise):
                  axioms of the model
                    sc (sc.cat:7:1)
                      acyclic po | com as sc
                  the program
                    P0, line 4: MOV [x],$1
                    P0, line 5: MOV EAX,[y]
                    P1, line 4: MOV [y],$1
                    P1, line 5: MOV EAX,[x]
                  the condition
                    exists (0:EAX=0 /\ 1:EAX=0)

                An execution that ends so would break the axiom `sc` by this cycle:
                           P0: MOV [x],$1  (a: W x=1)
                  --po-->  P0: MOV EAX,[y]  (b: R y=0)
                  --fr-->  P1: MOV [y],$1  (c: W y=1)
                  --po-->  P1: MOV EAX,[x]  (d: R x=0)
                  --fr-->  P0: MOV [x],$1  (a: W x=1)  (the first again)
            "#]],
        );
    }

    #[test]
    fn a_loop_that_can_run_longer_is_named() {
        check(
            examples::unknown(),
            expect![[r#"
            Can some execution of SB end with 0:EAX = 0 and 1:EAX = 0, under tso?
            Unknown: a loop can run more than 3 times.
            The test claims that such an execution exists (exists): not decided.
            Flag: some execution raises `data-race`.
            Loops were unrolled 3 times; these can run longer:
              SB.litmus:4:2: MOV [x],$1  | MOV [y],$1  ;
            Executions that need more are not covered; try --unroll 4.
        "#]],
        );
    }

    #[test]
    fn final_states_are_a_table_with_marks() {
        let (program, outcome) = examples::outcomes();
        expect![[r#"
            Can some execution of SB end with 0:EAX = 0 and 1:EAX = 0, under tso?
            Allowed: yes, some execution ends so.
            The test claims that such an execution exists (exists): validated.

            4 final states, 1 of them as asked (*):
                 0:EAX  1:EAX
              -  -----  -----
              *      0      0
                     0      1
                     1      0
                     1      1
        "#]]
        .assert_eq(&outcomes(&examples::answer(&program, &outcome)));
    }

    #[test]
    fn an_empty_program_is_warned_about() {
        let (program, mut outcome) = examples::forbidden();
        (outcome.vacuous, outcome.core, outcome.violation) = (true, None, None);
        check(
            (program, outcome),
            expect![[r#"
            Can some execution of SB end with 0:EAX = 0 and 1:EAX = 0, under tso?
            Forbidden: no execution ends so.
            The test claims that such an execution exists (exists): not validated.
            Warning: SB has no execution at all under tso, so that any claim about all executions is empty.
        "#]],
        );
    }

    #[test]
    fn a_program_that_never_ends_is_warned_about() {
        let (program, mut outcome) = examples::forbidden();
        (outcome.endless, outcome.core, outcome.violation) = (true, None, None);
        check(
            (program, outcome),
            expect![[r#"
            Can some execution of SB end with 0:EAX = 0 and 1:EAX = 0, under tso?
            Forbidden: no execution ends so.
            The test claims that such an execution exists (exists): not validated.
            Warning: in every execution of SB under tso some thread waits or runs for ever, so that any claim about final states is empty.
        "#]],
        );
    }
}
