//! Questions, propositions and states, in plain words and in herd's notation.

use program::{
    Comparator, Language, Observable, Program, Property, Proposition, Quantifier, Question, Simplification, State, Term,
};

use crate::asked::Test;
use crate::cells::final_value;

/// Tags of accesses that say nothing to a reader.
pub(crate) const UNSAID: [&str; 4] =
    [program::Access::WIDE, program::Access::HALF, program::Access::COMPILED, "element"];

/// Whether torn `long` and `double` variables were looked for, as a line; none if no variable may tear.
pub fn tearing(program: &Program) -> Option<&'static str> {
    program.looks_for_tearing().map(tearing_in_words)
}

/// That torn variables were, or were not, looked for.
pub fn tearing_in_words(looked_for: bool) -> &'static str {
    match looked_for {
        true => "Tearing is looked for: plain long and double variables are read and written in two halves (JLS 17.7).",
        false => {
            "Tearing is not looked for: plain long and double variables are read and written whole (--tearing splits them)."
        }
    }
}

/// How often waits end without a notification, as a line; none if the program has no such waits.
pub fn wakeups(program: &Program) -> Option<&'static str> {
    program.simplified.contains(&Simplification::RareWakeUps).then_some(
        "Spurious wake-ups are looked for: a wait may end without a notification, but at most once in each call of the function \
         that waits.",
    )
}

/// The question that a program asks, or that is asked about its assertions, in plain words.
pub fn question(program: &Program, property: Property, model: &str) -> String {
    let name = &program.name;
    if program.language == Language::Ir {
        return match model.is_empty() {
            true => format!("What is asked of {name}."),
            false => format!("What is asked of {name}, under {model}."),
        };
    }
    let Some(question) = &program.question else {
        return match property {
            Property::Always => format!("Do all assertions of {name} hold in every execution, under {model}?"),
            Property::Possible => {
                format!("Is there an execution of {name} in which all assertions hold, under {model}?")
            }
        };
    };
    if asks_for_any(question) {
        return format!("Has {name} any execution, under {model}?");
    }
    let which = match &question.filter {
        Some(filter) => format!("{name}, of those that end with {},", proposition(program, filter)),
        None => name.clone(),
    };
    let end = proposition(program, &question.proposition);
    match question.quantifier {
        Quantifier::Exists | Quantifier::NotExists => {
            format!("Can some execution of {which} end with {end}, under {model}?")
        }
        Quantifier::Forall => format!("Does every execution of {which} end with {end}, under {model}?"),
    }
}

/// What is asked about a bounded test of the program in a file.
pub fn test_question(test: &Test, file: &str, model: &str) -> String {
    let notation = &test.notation;
    let order = match (test.linearizable, test.has_commits) {
        (true, true) => " in which operations come in the order in which they took effect",
        (true, false) => " in which operations keep their order unless they overlap",
        (false, _) => "",
    };
    format!(
        "Does every execution of {notation} of {file}, under {model}, show only what a serial execution shows{order}?"
    )
}

/// What is wrong with an execution that is not linearisable, although some serial execution shows the same.
pub const OUT_OF_ORDER: &str = "no serial execution shows this that keeps the order of operations which do not overlap";

/// The same where operations say when they take effect.
pub const OUT_OF_EFFECT: &str =
    "no serial execution shows this in which operations come in the order in which they took effect";

/// Where what serial executions show comes from.
pub fn serial(test: &Test) -> String {
    match &test.reference {
        Some(reference) => format!("serial executions of {reference}"),
        None => "its serial executions".into(),
    }
}

/// Whether a question asks for an execution, whichever: what a program is asked of which all final states are wanted.
pub fn asks_for_any(question: &Question) -> bool {
    let is_any = question.proposition == Proposition::Constant(true);
    is_any && question.quantifier == Quantifier::Exists && question.span.is_none() && question.filter.is_none()
}

/// What a question claims, in plain words, with the quantifier's own name.
pub fn claim(question: &Question) -> &'static str {
    match question.quantifier {
        Quantifier::Exists => "that such an execution exists (exists)",
        Quantifier::NotExists => "that no such execution exists (~exists)",
        Quantifier::Forall => "that every execution ends so (forall)",
    }
}

/// A proposition in plain words: `0:EAX = 0 and 1:EAX = 0`.
pub fn proposition(program: &Program, prop: &Proposition) -> String {
    render(program, prop, &PLAIN, Level::Or)
}

/// A question in herd's notation: `exists (0:EAX=0 /\ 1:EAX=0)`.
pub fn herd_question(program: &Program, question: &Question) -> String {
    let quantifier = match question.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    format!("{quantifier} ({})", herd_proposition(program, &question.proposition))
}

/// A proposition in herd's notation: `0:EAX=0 /\ [x]=1`.
pub fn herd_proposition(program: &Program, prop: &Proposition) -> String {
    render(program, prop, &HERD, Level::Or)
}

/// A final state as herd writes it: `0:EAX=0; [x]=1;`.
pub fn state(program: &Program, state: &State) -> String {
    let entry = |(observable, value): &(Observable, program::Value)| {
        format!("{}={};", herd_observable(program, observable), final_value(program, observable, value))
    };
    state.iter().map(entry).collect::<Vec<_>>().join(" ")
}

/// An observable as herd writes it: registers `0:EAX`, scalar locations `[x]`, elements `x[1]`.
pub fn herd_observable(program: &Program, observable: &Observable) -> String {
    match observable {
        Observable::Memory(cell) if cell.path.is_empty() => format!("[{}]", program.cell_name(cell)),
        _ => program.observable_name(observable),
    }
}

/// How a proposition is spelt.
struct Spelling {
    and: &'static str,
    or: &'static str,
    not: &'static str,
    /// Equal, different, less, less or equal.
    comparators: [&'static str; 4],
    observable: fn(&Program, &Observable) -> String,
    /// Whether a conjunction within a disjunction stands in parentheses although it binds tighter.
    parenthesise_and: bool,
}

const PLAIN: Spelling = Spelling {
    and: " and ",
    or: " or ",
    not: "not ",
    comparators: [" = ", " != ", " < ", " <= "],
    observable: |program, observable| program.observable_name(observable),
    parenthesise_and: true,
};

const HERD: Spelling = Spelling {
    and: " /\\ ",
    or: " \\/ ",
    not: "not ",
    comparators: ["=", "!=", "<", "<="],
    observable: herd_observable,
    parenthesise_and: false,
};

/// Which connectives may stand without parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Atom,
}

fn render(program: &Program, prop: &Proposition, spelling: &Spelling, level: Level) -> String {
    let join = |parts: &[Proposition], connective: &str, level: Level| {
        parts.iter().map(|part| render(program, part, spelling, level)).collect::<Vec<_>>().join(connective)
    };
    match prop {
        Proposition::Constant(truth) => truth.to_string(),
        Proposition::And(parts) if parts.is_empty() => "true".into(),
        Proposition::Or(parts) if parts.is_empty() => "false".into(),
        Proposition::And(parts) | Proposition::Or(parts) if parts.len() == 1 => {
            render(program, &parts[0], spelling, level)
        }
        Proposition::And(parts) => parenthesise(join(parts, spelling.and, Level::And), level > Level::And),
        Proposition::Or(parts) => {
            let inner = if spelling.parenthesise_and { Level::Atom } else { Level::And };
            parenthesise(join(parts, spelling.or, inner), level > Level::Or)
        }
        Proposition::Not(inner) => match &**inner {
            Proposition::Compare(Comparator::Eq, left, right) => {
                let different = Proposition::Compare(Comparator::Ne, left.clone(), right.clone());
                render(program, &different, spelling, level)
            }
            inner => format!("{}({})", spelling.not, render(program, inner, spelling, Level::Or)),
        },
        Proposition::Compare(comparator, left, right) => {
            let term = |term: &Term| match term {
                Term::Observable(observable) => (spelling.observable)(program, observable),
                Term::Value(value) => program.value_name(value),
            };
            let sign = match comparator {
                Comparator::Eq => spelling.comparators[0],
                Comparator::Ne => spelling.comparators[1],
                Comparator::Lt => spelling.comparators[2],
                Comparator::Le => spelling.comparators[3],
            };
            format!("{}{sign}{}", term(left), term(right))
        }
    }
}

fn parenthesise(text: String, needed: bool) -> String {
    if needed { format!("({text})") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::store_buffering;
    use program::{Pointer, RegisterId, ThreadId, Value};

    fn check(prop: &Proposition, plain: &str, herd: &str) {
        let program = store_buffering();
        assert_eq!(proposition(&program, prop), plain);
        assert_eq!(herd_proposition(&program, prop), herd);
    }

    fn memory(value: i64) -> Proposition {
        let cell = Term::Observable(Observable::Memory(Pointer::to(0)));
        Proposition::Compare(Comparator::Eq, cell, Term::Value(Value::int(value, 32)))
    }

    fn register(value: i64) -> Proposition {
        let register = Term::Observable(Observable::Register(ThreadId(1), RegisterId(0)));
        Proposition::Compare(Comparator::Eq, register, Term::Value(Value::int(value, 32)))
    }

    #[test]
    fn connectives_keep_their_structure() {
        let and = Proposition::And(vec![memory(1), register(-1)]);
        check(&and, "x = 1 and 1:EAX = -1", "[x]=1 /\\ 1:EAX=-1");
        let or = Proposition::Or(vec![and.clone(), register(0)]);
        check(&or, "(x = 1 and 1:EAX = -1) or 1:EAX = 0", "[x]=1 /\\ 1:EAX=-1 \\/ 1:EAX=0");
        let nested = Proposition::And(vec![or, memory(2)]);
        check(&nested, "((x = 1 and 1:EAX = -1) or 1:EAX = 0) and x = 2", "([x]=1 /\\ 1:EAX=-1 \\/ 1:EAX=0) /\\ [x]=2");
        check(&Proposition::Not(Box::new(memory(1))), "x != 1", "[x]!=1");
        check(&Proposition::Not(Box::new(and)), "not (x = 1 and 1:EAX = -1)", "not ([x]=1 /\\ 1:EAX=-1)");
        check(&Proposition::And(vec![]), "true", "true");
        check(&Proposition::Or(vec![]), "false", "false");
    }
}
