//! What herd7 prints, for scripts that read it.
//!
//! One deviation: herd7 counts candidate executions in its `Witnesses` and `Observation` lines, we count final states.
//! The words `Never`, `Sometimes` and `Always` are the same: a state counts as soon as one execution ends in it. The
//! line `Hash=` is not printed.

use program::{Quantifier, State, Verdict};

use program::Property;

use crate::answer::{Answer, Claim};
use crate::text::satisfies;
use crate::words;

/// What is said in place of herd7's words where the search ended before an answer: it has none for that.
const UNDECIDED: &str = "Unknown";

/// The block of lines for one test. `seconds` is the time that the test took.
///
/// The words of the first line come from the quantifier, as herd7 does it: `exists` says `Allowed`, `forall` `Required`
/// and `~exists` `Forbidden`, whatever was found. What was found stands in the line `Ok` or `No`; it is `Unknown` when the
/// search ended before an answer (herd7 has no such word), as does `Observation` unless states of both kinds were found, and starts with `Loop` when a loop can run longer than it
/// was unrolled. A program that brings no question is said to allow or to require that its assertions hold; it has no
/// states, and at most one witness.
pub fn answer(answer: &Answer, seconds: f64) -> String {
    let (program, outcome) = (answer.program, answer.outcome);
    let name = &program.name;
    let quantifier = program.question.as_ref().map(|question| question.quantifier);
    let kind = match quantifier {
        Some(Quantifier::Exists) => "Allowed",
        Some(Quantifier::NotExists) => "Forbidden",
        Some(Quantifier::Forall) => "Required",
        None if answer.property == Property::Possible => "Allowed",
        None => "Required",
    };
    let states = outcome.states.as_deref().unwrap_or_default();
    let mut lines: Vec<String> = states.iter().map(|(state, _)| words::state(program, state)).collect();
    lines.sort();
    let (positive, negative) = count(answer, states.iter().map(|(state, _)| state));
    let word = verdict(answer);
    let observation = match (positive, negative) {
        _ if quantifier.is_none() => observation_of(&outcome.verdict),
        (1.., 1..) => "Sometimes",
        _ if word == UNDECIDED => UNDECIDED,
        (0, _) => "Never",
        _ => "Always",
    };
    let (witnesses, others) =
        if quantifier == Some(Quantifier::NotExists) { (negative, positive) } else { (positive, negative) };
    let mut flags = outcome.flags.clone();
    flags.sort();

    let mut text = format!("Test {name} {kind}\nStates {}\n", lines.len());
    lines.iter().for_each(|line| text.push_str(&format!("{line}\n")));
    text.push_str(&format!("{word}\n"));
    text.push_str(&format!("Witnesses\nPositive: {witnesses} Negative: {others}\n"));
    flags.iter().for_each(|flag| text.push_str(&format!("Flag {flag}\n")));
    if let Some(question) = &program.question {
        text.push_str(&format!("Condition {}\n", words::herd_question(program, question)));
    }
    text.push_str(&format!("Observation {name} {observation} {positive} {negative}\nTime {name} {seconds:.2}\n\n"));
    text
}

/// What herd7 prints, with a line `Model NAME` at its end: in a log of many tests under several models it says which is which.
pub fn answer_of_model(answer: &Answer, seconds: f64) -> String {
    format!("{}\nModel {}\n\n", self::answer(answer, seconds).trim_end(), answer.model)
}

/// `Ok` or `No`. A bound that was hit is no reason for herd7 to withhold its word: it judges the states that it has.
fn verdict(answer: &Answer) -> String {
    let outcome = answer.outcome;
    let bound_hit = !outcome.bounds.exceeded.is_empty();
    let by_states = || {
        let question = answer.program.question.as_ref()?;
        let states = outcome.states.as_ref()?.iter().map(|(state, _)| state);
        let (positive, negative) = count(answer, states);
        Some(match question.quantifier {
            Quantifier::Exists => positive > 0,
            Quantifier::NotExists => positive == 0,
            Quantifier::Forall => negative == 0,
        })
    };
    let word = match (answer.claim(), &outcome.verdict) {
        (Claim::Validated, _) => "Ok",
        (Claim::Refuted, _) => "No",
        (Claim::Undecided, Verdict::Unknown(_)) if !bound_hit => UNDECIDED,
        (Claim::Undecided, _) => match by_states() {
            Some(true) => "Ok",
            Some(false) => "No",
            None => UNDECIDED,
        },
    };
    format!("{}{word}", if bound_hit { "Loop " } else { "" })
}

/// How often the assertions of a program hold, as far as its verdict says.
fn observation_of(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allowed | Verdict::Violated => "Sometimes",
        Verdict::Holds => "Always",
        Verdict::Forbidden => "Never",
        Verdict::Unknown(_) => UNDECIDED,
    }
}

/// How many states satisfy the condition, and how many do not; of a program without one, how many witnesses there are.
fn count<'a>(answer: &Answer, states: impl Iterator<Item = &'a State>) -> (usize, usize) {
    let Some(question) = &answer.program.question else {
        let of = |verdict: Verdict| usize::from(answer.outcome.verdict == verdict);
        return (of(Verdict::Allowed), of(Verdict::Violated));
    };
    let (yes, no): (Vec<&State>, Vec<&State>) = states.partition(|state| satisfies(&question.proposition, state));
    (yes.len(), no.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;
    use expect_test::{Expect, expect};

    fn check(quantifier: Quantifier, verdict: Verdict, expected: Expect) {
        let (mut program, mut outcome) = examples::outcomes();
        program.question.as_mut().expect("a question").quantifier = quantifier;
        outcome.verdict = verdict;
        outcome.flags = vec!["undefined".into(), "data-race".into()];
        expected.assert_eq(&answer(&examples::answer(&program, &outcome), 0.012));
    }

    #[test]
    fn states_and_observation_are_as_herd_prints_them() {
        check(
            Quantifier::Exists,
            Verdict::Allowed,
            expect![[r#"
            Test SB Allowed
            States 4
            0:EAX=0; 1:EAX=0;
            0:EAX=0; 1:EAX=1;
            0:EAX=1; 1:EAX=0;
            0:EAX=1; 1:EAX=1;
            Ok
            Witnesses
            Positive: 1 Negative: 3
            Flag data-race
            Flag undefined
            Condition exists (0:EAX=0 /\ 1:EAX=0)
            Observation SB Sometimes 1 3
            Time SB 0.01

        "#]],
        );
    }

    #[test]
    fn what_was_not_found_in_an_ended_search_is_not_said_to_happen_never() {
        let observed = |states: &dyn Fn(usize) -> bool, asks: bool| {
            let (mut program, mut outcome) = examples::outcomes();
            let found = outcome.states.take().unwrap_or_default().into_iter().enumerate();
            outcome.states = Some(found.filter(|(index, _)| states(*index)).map(|(_, state)| state).collect());
            outcome.verdict = Verdict::Unknown("interrupted".into());
            program.question = program.question.filter(|_| asks);
            let text = answer(&examples::answer(&program, &outcome), 0.0);
            text.lines().find(|line| line.starts_with("Observation")).map(str::to_string).unwrap_or_default()
        };
        assert_eq!(observed(&|_| false, true), "Observation SB Unknown 0 0");
        assert_eq!(observed(&|index| index != 1, true), "Observation SB Unknown 0 3");
        assert_eq!(observed(&|index| index == 1, true), "Observation SB Unknown 1 0");
        assert_eq!(observed(&|_| true, true), "Observation SB Sometimes 1 3");
        assert_eq!(observed(&|_| false, false), "Observation SB Unknown 0 0");
    }

    #[test]
    fn witnesses_of_a_negated_question_are_the_other_states() {
        check(
            Quantifier::NotExists,
            Verdict::Allowed,
            expect![[r#"
            Test SB Forbidden
            States 4
            0:EAX=0; 1:EAX=0;
            0:EAX=0; 1:EAX=1;
            0:EAX=1; 1:EAX=0;
            0:EAX=1; 1:EAX=1;
            No
            Witnesses
            Positive: 3 Negative: 1
            Flag data-race
            Flag undefined
            Condition ~exists (0:EAX=0 /\ 1:EAX=0)
            Observation SB Sometimes 1 3
            Time SB 0.01

        "#]],
        );
    }
}
