//! The table of a test of jcstress: each outcome, whether sequential consistency, x86 and Java have it, and what the test says.
//!
//! Without data races Java has the outcomes of sc. Else what it allows is bounded from below and from above (`jmm_under`, `jmm_over`):
//! an outcome that one has is allowed, one that the other lacks is forbidden. Of those in between the axioms decide, where the test
//! can be unfolded for the solver.

use std::collections::{BTreeMap, BTreeSet};

use frontend::jvm::{Opinion, StressTest};
use operational::memory::is_identity;
use program::{Access, Instruction, InstructionKind, Order, Pointer, Program, Unsupported, Value, Verdict, Verified};
use report::stress::{Grade, Java, Possible, Row, Table, Witness};

use crate::engine::Engine;
use crate::machines;
use crate::model::Model;
use crate::refusal::Refusal;
use crate::request::{Answer, Limits, Options, Request, Wanted};
use crate::task::{Task, verified};

/// The outcomes under one model.
#[derive(Clone)]
struct Listed {
    outcomes: BTreeSet<String>,
    /// Whether no other outcome is possible.
    is_complete: bool,
    /// Why there is no list.
    refused: Option<String>,
    /// What is assumed.
    note: Option<String>,
    /// An execution for each outcome.
    witnesses: BTreeMap<String, Witness>,
}

impl Listed {
    fn nothing(why: String) -> Listed {
        let (outcomes, witnesses) = (BTreeSet::new(), BTreeMap::new());
        Listed { outcomes, is_complete: false, refused: Some(why), note: None, witnesses }
    }

    /// Where nobody needs to be asked.
    fn unasked() -> Listed {
        Listed { refused: None, ..Listed::nothing(String::new()) }
    }

    /// Whether an outcome is there: as far as is known.
    fn has(&self, outcome: &str) -> Possible {
        match (self.outcomes.contains(outcome), self.is_complete) {
            (true, _) => Possible::Yes,
            (false, true) => Possible::No,
            (false, false) => Possible::Unknown,
        }
    }
}

/// The table of a test.
pub fn table(file: &str, task: &Task, test: &StressTest, options: &Options) -> Result<Table, Refusal> {
    let list = |name: &'static str| match test.asks_for_end {
        true => ends(task, name, test, options),
        false => listed(task, name, test, options),
    };
    let (sc, tso) = (list("sc")?, list("tso")?);
    let (under, over) = match sequential(task, options) {
        Some(trust) => {
            let all = Listed { note: trust, witnesses: BTreeMap::new(), ..sc.clone() };
            (Listed { note: None, ..all.clone() }, all)
        }
        None => (list("jmm_under")?, list("jmm_over")?),
    };
    let lists = [&sc, &tso, &under, &over];
    let mut outcomes: BTreeSet<String> = lists.iter().flat_map(|list| list.outcomes.clone()).collect();
    let named = test.opinions.iter().flat_map(|opinion| &opinion.outcomes);
    outcomes.extend(named.filter(|id| !id.contains(['.', '*', '[', '\\', '('])).cloned());
    let is_open = |outcome: &String| java([&sc, &under], &over, None, outcome) == Java::Unknown;
    let exact = match !test.asks_for_end && outcomes.iter().any(is_open) {
        true => solved(task, test, options)?,
        false => Listed::unasked(),
    };
    outcomes.extend(exact.outcomes.clone());
    let row = |outcome: String| {
        let java = java([&sc, &under], &over, Some(&exact), &outcome);
        // Nothing is known of what an object is that has no name.
        let opinion = opinion(&test.opinions, &outcome).filter(|_| !is_nameless(&outcome));
        let is_unlisted = opinion.is_none() && !test.opinions.is_empty() && !is_nameless(&outcome);
        let unlisted = if is_unlisted { UNLISTED } else { "" };
        let expected = opinion.map_or(unlisted.to_string(), |opinion| opinion.expectation.clone());
        let witness = [&sc, &tso, &under, &exact].iter().find_map(|list| list.witnesses.get(&outcome).cloned());
        Row {
            witness: witness.filter(|_| java != Java::Forbidden),
            on_machines: [sc.has(&outcome), tso.has(&outcome)],
            java,
            grade: grade(&expected, java),
            expected,
            description: opinion.map_or(String::new(), |opinion| opinion.description.clone()),
            outcome,
        }
    };
    let names = ["sc", "x86", "Java from below", "Java from above", "Java, by axioms"];
    let lists = [&sc, &tso, &under, &over, &exact];
    let said = |list: &Listed| list.refused.clone().or(list.note.clone());
    let refused = names.into_iter().zip(lists).filter_map(|(name, list)| Some((name, said(list)?)));
    Ok(Table { file: file.into(), rows: outcomes.into_iter().map(row).collect(), refused: refused.collect() })
}

/// What a test's opinion comes to against what Java says.
fn grade(expected: &str, java: Java) -> Grade {
    match (expected, java) {
        ("FORBIDDEN", Java::Allowed) => Grade::Differs,
        ("FORBIDDEN", Java::Forbidden) | ("ACCEPTABLE" | "ACCEPTABLE_INTERESTING", Java::Allowed) => Grade::Agrees,
        ("ACCEPTABLE" | "ACCEPTABLE_INTERESTING", Java::Forbidden) => Grade::Never,
        _ => Grade::Unknown,
    }
}

/// The outcomes by the axioms of the model that a test is for: `jam21-java` where there are accesses weaker than volatile, or fences, else
/// `jmm-revised`. Neither knows both such accesses and final fields.
fn solved(task: &Task, test: &StressTest, options: &Options) -> Result<Listed, Refusal> {
    let Task::Litmus(program, property) = task else { return Ok(Listed::nothing("a test of another form".into())) };
    let found = operational::unfold(program).and_then(|unfolded| {
        let find = |is_meant: fn(&&Instruction) -> bool| unfolded.instructions().find(is_meant).map(|found| found.span);
        let freezes = |instruction: &&Instruction| matches!(instruction.kind, InstructionKind::Freeze { .. });
        match (find(is_weak), find(freezes)) {
            (Some(_), Some(span)) => Err(Unsupported::new("a final field beside accesses weaker than volatile", span)),
            (Some(_), None) => Ok(("jam21-java", operational::without_last_thread(&unfolded)?)),
            (None, _) if operational::accesses(&unfolded) > MOST_ACCESSES => {
                Err(Unsupported::new("a test of so many accesses", None))
            }
            (None, _) => Ok(("jmm-revised", unfolded)),
        }
    });
    let (name, unfolded) = match found {
        Ok((name, unfolded)) => (name, Task::Litmus(unfolded, *property)),
        Err(unsupported) => return Ok(Listed::nothing(Refusal::unsupported(program, unsupported).to_string())),
    };
    let model = Model::named(name)?;
    let limits =
        Limits { conflicts: Some(options.limits.conflicts.unwrap_or(MOST_CONFLICTS)), ..options.limits.clone() };
    let options = Options { limits, ..options.clone() };
    let request = Request { task: &unfolded, model: &model, engine: Engine::Axiomatic, options };
    Ok(gathered(&unfolded, request.answer(), test, ("Java, by axioms", 0)))
}

/// So many states are looked at from below and from above: some tests have millions, and sc and the axioms say something, too.
const MOST_STATES: u64 = 60_000;

/// Of so many accesses tests are given to `jmm-revised`, whose encoding has several executions: more take minutes.
const MOST_ACCESSES: usize = 24;

/// So many conflicts a solver may meet for one outcome of a test.
const MOST_CONFLICTS: u64 = 20_000;

/// Whether an instruction is an access that is neither plain nor volatile, or a fence.
fn is_weak(instruction: &&Instruction) -> bool {
    let is_weak = |access: &Access| !matches!(access.order, Order::Plain | Order::SeqCst) && !is_identity(access);
    match &instruction.kind {
        InstructionKind::Load { access, .. }
        | InstructionKind::Store { access, .. }
        | InstructionKind::ReadModifyWrite { access, .. } => is_weak(access),
        InstructionKind::Fence { .. } => true,
        _ => false,
    }
}

/// What Java says of an outcome, given what is possible from below, from above and by the axioms. What sc has Java allows, too. Where
/// these contradict each other nothing is said.
fn java(below: [&Listed; 2], above: &Listed, exact: Option<&Listed>, outcome: &str) -> Java {
    let exact = exact.map_or(Possible::Unknown, |exact| exact.has(outcome));
    let is_allowed = below.iter().any(|list| list.has(outcome) == Possible::Yes) || exact == Possible::Yes;
    let is_forbidden = above.has(outcome) == Possible::No || exact == Possible::No;
    match (is_allowed, is_forbidden) {
        (true, false) => Java::Allowed,
        (false, true) => Java::Forbidden,
        _ => Java::Unknown,
    }
}

/// Whether the actors of a test of termination end, and whether they may wait or run for ever. Machines let threads see in the
/// end what others have written, which Java does not promise of plain variables: there nothing follows from above.
fn ends(task: &Task, name: &'static str, test: &StressTest, options: &Options) -> Result<Listed, Refusal> {
    let mut found = listed(task, name, &StressTest { letters: String::new(), ..test.clone() }, options)?;
    if found.refused.is_some() {
        return Ok(found);
    }
    let can_end = !found.outcomes.is_empty();
    found.witnesses.clear();
    found.outcomes = can_end.then(|| "TERMINATED".to_string()).into_iter().collect();
    let about_errors = task.map(&|program| verified(Program { question: None, ..Program::clone(&program) }))?;
    let model = Model::named(name)?;
    let options = Options { explain: false, wanted: Wanted::Verdict, ..options.clone() };
    let request = Request { task: &about_errors, model: &model, engine: Engine::Operational, options: options.clone() };
    let asked = request.answer();
    match asked.map(|answer| answer.outcome.verdict) {
        Ok(Verdict::Violated) => drop(found.outcomes.insert("STALE".into())),
        Ok(_) if name == "jmm_under" && may_wait_for_ever(&about_errors, &options) => {
            found.outcomes.insert("STALE".into());
        }
        Ok(Verdict::Holds) if name != "jmm_over" || promises_progress(&about_errors) => {}
        Ok(_) => found.is_complete = false,
        Err(refusal) => (found.is_complete, found.refused) = (false, Some(refusal.to_string())),
    }
    Ok(found)
}

/// Whether a thread may wait for ever for a plain variable that another has changed.
fn may_wait_for_ever(task: &Task, options: &Options) -> bool {
    let Task::Litmus(program, _) = task else { return false };
    let found = operational::stale::stale(program, &options.limits.of_search());
    found.is_ok_and(|found| found.failure.is_some())
}

/// Whether Java promises that loops see in the end what others write: no loop reads what is plain.
fn promises_progress(task: &Task) -> bool {
    matches!(task, Task::Litmus(program, _) if !operational::stale::has_plain_loops(program))
}

/// Whether Java has the executions of sc and no others, since there are no data races; with what is assumed for that, if anything.
fn sequential(task: &Task, options: &Options) -> Option<Option<String>> {
    let Task::Litmus(program, _) = task else { return None };
    let is_free = |program: &Verified| {
        let found = operational::adjacent(program, &options.limits.of_search());
        found.is_ok_and(|found| found.why_not_sequential().is_none() && !found.has_errors)
    };
    if is_free(program) {
        return Some(None);
    }
    let trusting = operational::trust::trusting(program)?;
    is_free(&trusting).then(|| Some(machines::TRUSTED.into()))
}

/// All outcomes under a model.
fn listed(task: &Task, name: &'static str, test: &StressTest, options: &Options) -> Result<Listed, Refusal> {
    let model = Model::named(name)?;
    // From above there are executions that Java forbids.
    let mut options = Options { explain: options.explain && name != "jmm_over", ..options.clone() };
    if name.starts_with("jmm") {
        options.limits.states.get_or_insert(MOST_STATES);
    }
    let request = Request { task, model: &model, engine: Engine::Operational, options };
    let on = match name {
        "tso" => "x86",
        "jmm_under" => "Java",
        other => other,
    };
    let mut listed = gathered(task, request.answer(), test, (on, 1));
    if name == "jmm_under" {
        (listed.is_complete, listed.note) = (false, None);
    }
    Ok(listed)
}

/// The outcomes that an answer lists, with executions under what is said of the model; the first of the actors is the thread of this number.
fn gathered(
    task: &Task,
    answer: Result<Answer, Refusal>,
    test: &StressTest,
    (on, first): (&'static str, usize),
) -> Listed {
    match answer {
        Ok(answer) => {
            let incomplete = match &answer.outcome.verdict {
                Verdict::Unknown(reason) => Some(format!("{reason}; there may be other outcomes")),
                _ => None,
            };
            let is_complete = incomplete.is_none();
            let (mut outcomes, mut witnesses) = (BTreeSet::new(), BTreeMap::new());
            for (state, execution) in answer.outcome.states.unwrap_or_default() {
                let values = state.iter().map(|(_, value)| value).zip(test.letters.chars());
                let values: Vec<String> = values.map(|(value, letter)| shown(task.program(), value, letter)).collect();
                let outcome = values.join(", ");
                if let Some(execution) = execution {
                    let steps = report::stress::steps(task.program(), &execution, &test.actors, first);
                    witnesses.entry(outcome.clone()).or_insert(Witness { on, steps });
                }
                outcomes.insert(outcome);
            }
            let trust = answer.outcome.warnings.iter().find(|warning| **warning == machines::TRUSTED).cloned();
            let note = incomplete.or(trust);
            Listed { outcomes, is_complete, refused: None, note, witnesses }
        }
        Err(refusal) => Listed::nothing(refusal.to_string()),
    }
}

/// A value as jcstress writes one of a type.
fn shown(program: &Program, value: &Value, letter: char) -> String {
    match (value, letter) {
        (Value::Int(number), 'Z') => (number.signed() != 0).to_string(),
        (Value::Int(number), 'L') if number.signed() == 0 => "null".into(),
        (Value::Int(number), 'C') => char::from_u32(number.unsigned() as u32).unwrap_or('?').to_string(),
        (Value::Int(number), 'D') => floating(f64::from_bits(number.unsigned())),
        (Value::Int(number), 'F') => floating(f32::from_bits(number.unsigned() as u32).into()),
        (Value::Int(number), _) => number.signed().to_string(),
        (Value::Pointer(pointer), _) => {
            let global = program.globals.get(pointer.allocation as usize);
            global.and_then(|global| object(&global.name, pointer)).unwrap_or_else(|| OBJECT.into())
        }
        _ => "?".into(),
    }
}

/// What `toString` gives of an object that is there from the start, given its name: a string, a boxed number or a class.
fn object(name: &str, pointer: &Pointer) -> Option<String> {
    if let Some(text) = name.strip_prefix('"') {
        return Some(text.trim_end_matches('"').to_string());
    }
    if let Some(class) = name.strip_suffix(".class") {
        // The class of an object; what else has such an object is not asked for its class.
        let is_object = !class.ends_with("[]") && class.contains(|letter: char| letter.is_uppercase());
        return is_object.then(|| format!("class {class}"));
    }
    let (class, number) = (name.strip_suffix(" cache")?, pointer.path.first()?);
    match class.rsplit_once('.')?.1 {
        "Character" => char::from_u32(u32::try_from(*number).ok()?).map(|letter| letter.to_string()),
        _ => Some(number.to_string()),
    }
}

/// What stands for an object that has no name.
const OBJECT: &str = "object";

/// Whether an outcome has an object without a name.
fn is_nameless(outcome: &str) -> bool {
    outcome.split(", ").any(|part| part == OBJECT)
}

/// A floating-point number as Java writes it.
fn floating(number: f64) -> String {
    let size = number.abs();
    match size == 0.0 || (1e-3..1e7).contains(&size) || !size.is_finite() {
        true if number.is_infinite() => if number > 0.0 { "Infinity" } else { "-Infinity" }.into(),
        true => format!("{number:?}"),
        false => {
            let text = format!("{number:E}");
            if text.contains('.') { text } else { text.replacen('E', ".0E", 1) }
        }
    }
}

/// What is said where a test says nothing of an outcome and has no opinion for all others.
const UNLISTED: &str = "not listed";

/// What a test says of an outcome: the first opinion that names it, else the one that names none.
fn opinion<'a>(opinions: &'a [Opinion], outcome: &str) -> Option<&'a Opinion> {
    let names = |opinion: &&Opinion| opinion.outcomes.iter().any(|id| fits(id.as_bytes(), outcome.as_bytes()));
    opinions.iter().find(names).or_else(|| opinions.iter().find(|opinion| opinion.outcomes.is_empty()))
}

/// Whether a text fits a pattern: letters, `.` for any, `\\d` for a digit, each perhaps with `*` or `+`. What else regular
/// expressions have stands for itself.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (atom, rest) = match pattern {
        [] => return text.is_empty(),
        [b'\\', _, rest @ ..] => (&pattern[..2], rest),
        [_, rest @ ..] => (&pattern[..1], rest),
    };
    let one = |byte: u8| match atom {
        [b'.'] => true,
        [b'\\', b'd'] => byte.is_ascii_digit(),
        [b'\\', own] => *own == byte,
        [own, ..] => *own == byte,
        [] => false,
    };
    let begins = |text: &[u8]| text.first().is_some_and(|&byte| one(byte));
    match rest {
        [b'*', rest @ ..] => fits(rest, text) || begins(text) && fits(pattern, &text[1..]),
        [b'+', rest @ ..] => {
            let again = [atom, b"*", rest].concat();
            begins(text) && fits(&again, &text[1..])
        }
        rest => begins(text) && fits(rest, &text[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_outcomes() {
        for (pattern, text, expected) in [
            ("0, 1", "0, 1", true),
            ("0, 1", "0, 10", false),
            (".*", "-1, 2", true),
            ("1, .*", "1, 0", true),
            ("1, .*", "0, 1", false),
            ("\\d+, -1", "42, -1", true),
            ("\\d+, -1", ", -1", false),
        ] {
            assert_eq!(fits(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
        }
    }
}
