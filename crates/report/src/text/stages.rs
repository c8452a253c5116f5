//! A justification in words: the executions `E_1..E_k`, what each commits, and what changes from one to the next.

use std::collections::BTreeSet;

use program::{EventId, Execution, Program};

use super::{indent, threads};
use crate::drawing::reduced;
use crate::justification::{Commitment, Elsewhere, Stage, is_set, relations, stages};

/// The stages one after the other; nothing for an execution that needs no justification. Of the reads, later stages tell
/// only those that see something else than before.
pub fn justification(program: &Program, execution: &Execution) -> String {
    let stages = stages(program, execution);
    if stages.is_empty() {
        return String::new();
    }
    let mut text = String::from("Justified by (+ committed here, * committed before; names as above):\n");
    let (mut seen, mut said) = (Vec::new(), String::new());
    for stage in &stages {
        let sees = sees(stage);
        let same = same_actions(program, stage, execution);
        let mut shown = body(program, stage, &sees, &seen);
        if same != said {
            shown.push_str(&same);
        }
        text.push_str(&indent(&format!("{}\n{}", stage.title(), indent(&shown))));
        said = same;
        seen = sees;
    }
    text
}

/// Which statements perform here what another one performs in the justified execution.
fn same_actions(program: &Program, stage: &Stage, main: &Execution) -> String {
    let line =
        |execution: &Execution, id: EventId| execution.event(id).span.map(|span| program.sources.location(span).line);
    let said = stage.elsewhere(main).into_iter().filter_map(|Elsewhere { here, there }| {
        let (here_line, there_line) = (line(stage.execution, here)?, line(main, there)?);
        let name = stage.names.get(here);
        Some(format!("{name} is one action: line {here_line} performs it here, line {there_line} in E\n"))
    });
    said.collect()
}

fn body(program: &Program, stage: &Stage, sees: &[(String, String)], before: &[(String, String)]) -> String {
    let mark = |id: EventId| match stage.commitments[id.0 as usize] {
        Commitment::Open => "  ",
        Commitment::Earlier => "* ",
        Commitment::New => "+ ",
    };
    let mut text = unindented(&threads(program, stage.execution, &stage.names, mark));
    let news: Vec<String> =
        sees.iter().filter(|pair| !before.contains(pair)).map(|(read, write)| format!("{read} sees {write}")).collect();
    match (news.is_empty(), before.is_empty()) {
        (false, true) => text.push_str(&format!("{}\n", news.join(", "))),
        (false, false) => text.push_str(&format!("now {}\n", news.join(", "))),
        _ => (),
    }
    for (name, pairs) in relations(stage.execution) {
        text.push_str(&relation(stage, name, &pairs));
    }
    stage.commits().map_or(text.clone(), |commits| format!("{text}{commits}\n"))
}

/// Which write each read sees, by name.
fn sees(stage: &Stage) -> Vec<(String, String)> {
    let mut pairs: Vec<(EventId, EventId)> = stage.execution.rf.iter().map(|&(write, read)| (read, write)).collect();
    pairs.sort();
    let name = |id| stage.names.get(id).to_string();
    pairs.into_iter().map(|(read, write)| (name(read), name(write))).collect()
}

/// A set as a list, a total order as a chain, any other relation by its steps.
fn relation(stage: &Stage, name: &str, pairs: &[(EventId, EventId)]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let events: BTreeSet<EventId> = pairs.iter().flat_map(|&(from, to)| [from, to]).collect();
    let mut events: Vec<EventId> = events.into_iter().collect();
    if is_set(pairs) {
        return format!("{name}: {}\n", stage.names.list(&events));
    }
    let step = |ids: &[EventId]| ids.iter().map(|&id| stage.names.get(id)).collect::<Vec<_>>().join(" < ");
    let earlier = |id: EventId| pairs.iter().filter(|&&(_, to)| to == id).count();
    events.sort_by_key(|&id| earlier(id));
    let is_chain = events.iter().enumerate().all(|(index, &id)| earlier(id) == index)
        && pairs.len() == events.len() * (events.len() - 1) / 2;
    let steps = || reduced(pairs).iter().map(|&(from, to)| step(&[from, to])).collect::<Vec<_>>().join(", ");
    format!("{name}: {}\n", if is_chain { step(&events) } else { steps() })
}

/// A table without the indentation that it has below an execution.
fn unindented(table: &str) -> String {
    table.lines().map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line))).collect()
}

#[cfg(test)]
mod tests {
    use crate::examples;
    use crate::text::execution;
    use expect_test::expect;

    #[test]
    fn a_justification_tells_what_each_stage_commits() {
        let (program, outcome) = examples::justified();
        expect![[r#"
              P0                  P1
              ------------------  ------------------
              a: r1 = x  (R x=1)  c: r2 = y  (R y=1)
              b: y = 1  (W y=1)   d: x = r2  (W x=1)
            Reads-from (rf):
              a (R x=1) sees d (W x=1)
              c (R y=1) sees b (W y=1)
            Justified by (+ committed here, * committed before; names as above):
              E_1 and E_2
                P0                    P1
                --------------------  -------------------------
                  a: r1 = x  (R x=0)    c: r2 = y  (R y=0)
                + b: y = 1  (W y=1)     d: x = r2  (W x=0)
                                        e: print(r2)  (print 0)
                a sees init x, c sees init y
                C_1 and C_2 commit: init x, init y, b
              E_3
                P0                    P1
                --------------------  --------------------
                + a: r1 = x  (R x=0)  + c: r2 = y  (R y=1)
                * b: y = 1  (W y=1)   + d: x = r2  (W x=1)
                now c sees b
                so: b < c < d
                C_3 commits: a, c, d, the last of E
        "#]]
        .assert_eq(&execution(&program, &outcome.witness.expect("a witness")));
    }

    #[test]
    fn a_set_is_a_list() {
        let (program, outcome) = examples::justified();
        let mut late = outcome.witness.expect("a witness").justification.remove(2);
        late.named.remove(0);
        let text = execution(&program, &late);
        assert!(text.ends_with("The model's committed: init x, init y, a, b, c, d\n"), "{text}");
    }
}
