//! The table of a test of jcstress: each outcome, whether sequential consistency, x86 and Java have it, and what the test says.
//!
//! Without data races Java has the outcomes of sc. Else what it allows is bounded from below and from above (`jmm_under`, `jmm_over`):
//! an outcome that one has is allowed, one that the other lacks is forbidden. Of those in between the axioms decide, where the test
//! can be unfolded for the solver.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, UpperExp};

use frontend::jvm::{Opinion, StressTest};
use operational::memory::is_identity;
use program::{Access, Instruction, InstructionKind, Order, Pointer, Program, Unsupported, Value, Verdict, Verified};
use report::stress::{Grade, Java, Possible, Row, Table, Witness};

use crate::engine::Engine;
use crate::expression::{Expression, is_literal};
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
        match (self.outcomes.contains(outcome), self.is_complete && !self.has_nameless_for(outcome)) {
            (true, _) => Possible::Yes,
            (false, true) => Possible::No,
            (false, false) => Possible::Unknown,
        }
    }

    /// Whether an outcome with objects without names may be this one.
    fn has_nameless_for(&self, outcome: &str) -> bool {
        let mut nameless = self.outcomes.iter().filter(|found| is_nameless(found));
        nameless.any(|found| may_be(found, outcome))
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
    outcomes.extend(named.filter(|id| is_literal(id)).cloned());
    let is_open = |outcome: &String| java([&sc, &under], &over, None, outcome) == Java::Unknown;
    // The axioms do not know names of objects either.
    let is_nameless_in = |outcome: &String| [&sc, &tso, &under].iter().any(|list| list.has_nameless_for(outcome));
    let to_solve = |outcome: &String| is_open(outcome) && !is_nameless_in(outcome);
    let exact = match !test.asks_for_end && outcomes.iter().any(to_solve) {
        true => solved(task, test, options)?,
        false => Listed::unasked(),
    };
    outcomes.extend(exact.outcomes.clone());
    let unread = unread(&test.opinions);
    let row = |outcome: String| {
        let java = java([&sc, &under], &over, Some(&exact), &outcome);
        // Nothing is known of what an object is that has no name.
        let opinion = opinion(&test.opinions, &outcome).filter(|_| !is_nameless(&outcome));
        let is_said = !test.opinions.is_empty() && unread.is_empty();
        let is_unlisted = opinion.is_none() && is_said && !is_nameless(&outcome);
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
    let meaning = |id: &&str| ("what is expected", format!("the regular expression `{id}` is not supported"));
    let refused = refused.chain(unread.iter().map(meaning)).collect();
    Ok(Table { file: file.into(), rows: outcomes.into_iter().map(row).collect(), refused })
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
        (Value::Int(number), 'D') => floating(&f64::from_bits(number.unsigned())),
        (Value::Int(number), 'F') => floating(&f32::from_bits(number.unsigned() as u32)),
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

/// Whether an outcome with objects without names may be another one, which has texts for them.
fn may_be(nameless: &str, outcome: &str) -> bool {
    let (parts, own): (Vec<&str>, Vec<&str>) = (nameless.split(", ").collect(), outcome.split(", ").collect());
    // Texts may have commas, too.
    let fits = |(part, own): (&&str, &&str)| part == own || *part == OBJECT && *own != "null";
    own.len() > parts.len() || own.len() == parts.len() && parts.iter().zip(&own).all(fits)
}

/// A floating-point number as Java writes it: with as many digits as tell it from others of its type.
fn floating<N: Copy + Into<f64> + Debug + UpperExp>(number: &N) -> String {
    let size = (*number).into().abs();
    match size == 0.0 || (1e-3..1e7).contains(&size) || !size.is_finite() {
        true if size.is_infinite() => if (*number).into() > 0.0 { "Infinity" } else { "-Infinity" }.into(),
        true => format!("{number:?}"),
        false => {
            let text = format!("{number:E}");
            if text.contains('.') { text } else { text.replacen('E', ".0E", 1) }
        }
    }
}

/// What is said where a test says nothing of an outcome and has no opinion for all others.
const UNLISTED: &str = "not listed";

/// What a test says of an outcome: the first opinion that names it as it is, else the first with an expression that fits, else the one that
/// names none. Nothing is known of it where an expression cannot be read.
fn opinion<'a>(opinions: &'a [Opinion], outcome: &str) -> Option<&'a Opinion> {
    let names = |opinion: &&Opinion| opinion.outcomes.iter().any(|id| id == outcome);
    let fits = |opinion: &&Opinion| {
        let mut read = opinion.outcomes.iter().filter_map(|id| Expression::read(id));
        read.any(|expression| expression.fits(outcome))
    };
    let others = || opinions.iter().find(|opinion| opinion.outcomes.is_empty());
    let found = opinions.iter().find(names).or_else(|| opinions.iter().find(fits));
    found.or_else(|| if unread(opinions).is_empty() { others() } else { None })
}

/// The names of outcomes that are no expressions that can be read.
fn unread(opinions: &[Opinion]) -> Vec<&str> {
    let named = opinions.iter().flat_map(|opinion| &opinion.outcomes);
    named.map(String::as_str).filter(|id| Expression::read(id).is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(expectation: &str, outcomes: &[&str]) -> Opinion {
        let outcomes = outcomes.iter().map(ToString::to_string).collect();
        Opinion { outcomes, expectation: expectation.into(), description: String::new() }
    }

    #[test]
    fn the_opinion_of_an_outcome_is_the_one_that_names_it_best() {
        let opinions = [of("FORBIDDEN", &["1, .*"]), of("ACCEPTABLE", &["1, 2", "(0, 2|2, 0)"]), of("UNKNOWN", &[])];
        let said = |outcome: &str| opinion(&opinions, outcome).map(|found| found.expectation.clone());
        let expected = [("1, 3", "FORBIDDEN"), ("1, 2", "ACCEPTABLE"), ("2, 0", "ACCEPTABLE"), ("0, 0", "UNKNOWN")];
        for (outcome, expected) in expected {
            assert_eq!(said(outcome).as_deref(), Some(expected), "{outcome}");
        }
        let opinions = [of("ACCEPTABLE", &["(?=1)1", "2"]), of("FORBIDDEN", &[])];
        assert_eq!(opinion(&opinions, "1"), None);
        assert_eq!(opinion(&opinions, "2").map(|found| &*found.expectation), Some("ACCEPTABLE"));
        assert_eq!(unread(&opinions), ["(?=1)1"]);
    }

    #[test]
    fn an_object_without_a_name_may_have_any_text() {
        for (nameless, outcome, expected) in [
            ("object", "7", true),
            ("object", "null", false),
            ("object, 1", "7, 1", true),
            ("object, 1", "7, 2", false),
            ("object, 1", "7", false),
            ("object", "a, b", true),
        ] {
            assert_eq!(may_be(nameless, outcome), expected, "{nameless} {outcome}");
        }
        let list =
            |is_complete| Listed { outcomes: BTreeSet::from(["object".into()]), is_complete, ..Listed::unasked() };
        assert_eq!(list(true).has("7"), Possible::Unknown);
        assert_eq!(list(true).has("null"), Possible::No);
        assert_eq!(list(true).has("object"), Possible::Yes);
    }

    #[test]
    fn floating_point_numbers_are_written_as_in_java() {
        assert_eq!(floating(&0.1f32), "0.1");
        assert_eq!(floating(&0.1f64), "0.1");
        assert_eq!(floating(&1e10f32), "1.0E10");
        assert_eq!(floating(&f64::NEG_INFINITY), "-Infinity");
        assert_eq!(floating(&-0.0f32), "-0.0");
    }
}
