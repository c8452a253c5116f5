//! Execution graphs of models that are given as files and judge graphs by what they say: random litmus tests have the final states and
//! flags of the solver and as many executions as there are by brute force; the shipped models judged so give the same
//! graphs as what was written for them.

use std::collections::BTreeSet;

use mcr::graphs::graph::Sequences;
use mcr::graphs::recognise::{Axioms, judged, recognise};
use operational::Machine;
use palisade::{Model, Task};
use program::verify;
use testing::campaign::{Tally, asked, run};
use testing::concurrent_c::{concurrent, rivals};
use testing::graphs::{Class, ExploredGraphs, explored_within, judged_graphs};
use testing::random::Random;

use super::common::{agree, same_verdict};

/// Sequential consistency in one line, of herd's events: a read-modify-write is one of them.
const SC: &str = "mysc\nacyclic po | rf | co | fr as sc\n";

/// Release and acquire as in C11, of herd's events, without seq_cst; weaker than rc11, and without cycles of po | rf.
const RA: &str = "myra
let rel = REL | ACQ_REL | SC
let acq = ACQ | ACQ_REL | SC
let eco = (rf | co | fr)^+
let rs = [W]; (po & loc)?; [W & A]; (rf; [RMW])^*
let sw = [rel]; ([F]; po)?; rs; rf; [R & A]; (po; [F])?; [acq]
let hb = (po | sw)^+
irreflexive hb; eco? as coherence
irreflexive eco as atomicity
acyclic po | rf as no-thin-air
let conflict = (W * M | M * W) & loc & ext \\ (IW * M) \\ (M * IW)
flag ~empty conflict \\ hb \\ hb^-1 \\ (A * A) as data-race
";

/// Total store order for C, of herd's events: every read-modify-write and seq_cst fence is a barrier.
const TSO: &str = "mytso
let ppo = po & (W * W | R * M)
let barrier = po; [F & SC]; po | po; [RMW] | [RMW]; po
acyclic po & loc | rf | co | fr as uniproc
acyclic ppo | barrier | rfe | co | fr as tso
";

/// Total store order for C, of events that are parts of read-modify-writes.
const PARTS: &str = "myparts
include \"palisade.cat\"
let ppo = po & (W * W | R * M) | rmw
let barrier = po; [F & SC]; po | po; [X & R] | [X & W]; po
acyclic (po & loc) | rf | co | fr as uniproc
empty rmw & (fre; coe) as atomicity
let rec order = ppo | barrier | rfe | co | fr | order; order
acyclic order as tso
";

fn from_text(name: &str, text: &str) -> Model {
    Model::read(name, &format!("{name}.cat"), text, &|_| None).unwrap_or_else(|what| panic!("{what}"))
}

/// The models of files, and shipped ones that are read as if they were.
fn models() -> Vec<Model> {
    let given = [("sc", SC), ("ra", RA), ("tso", TSO), ("parts", PARTS)];
    given.iter().map(|(name, text)| from_text(name, text)).collect()
}

fn shipped(name: &str) -> axiomatic::Model {
    testing::model(&format!("{name}.cat"))
}

fn refusal(text: &str) -> String {
    let model = from_text("a", text);
    let refused = recognise(model.axioms().unwrap_or_else(|| panic!("no axioms")));
    refused.err().map_or_else(String::new, |what| what.what)
}

#[test]
fn what_cannot_be_explored_is_refused_with_the_axiom_and_the_reason() {
    let uniproc = "acyclic (po & loc) | rf | co | fr\n";
    let refused = |text: &str, part: &str| {
        let said = refusal(text);
        assert!(said.contains(part), "{text}: {said}");
    };
    refused(&format!("a\n{uniproc}acyclic po | co"), "no axiom of it is seen to forbid cycles of po | rf");
    refused("a\nacyclic po | rf", "it allows a write before an earlier write");
    refused(&format!("a\n{uniproc}acyclic po | rf | addr as air"), "its axiom air (a.cat:3:1): it speaks of addr");
    refused(&format!("a\n{uniproc}acyclic (po | rf)^+ \\ (po; rf)"), "it takes away from a relation");
    refused(
        &format!("a\n{uniproc}acyclic po | rf\nempty rf & ext as lonely"),
        "lonely (a.cat:4:1) might forbid to add an event",
    );
    refused("a\nwith o from linearisations(W, po)\nacyclic po | rf | o", "it chooses o itself");
    for name in ["c11", "relaxed"] {
        assert!(recognise(&shipped(name)).is_err(), "{name}");
    }
}

/// A copy of rc11 that speaks of herd's events is another model: nothing keeps its read-modify-writes atomic.
#[test]
fn a_model_of_other_events_is_not_taken_for_a_known_one() {
    let text = axiomatic::model::shipped().iter().find(|(name, _)| *name == "rc11.cat").map(|(_, text)| *text);
    let text = text.unwrap_or_default().replace("include \"palisade.cat\"", "");
    let said = refusal(&text);
    assert!(said.contains("it allows a write between what a read-modify-write reads and writes"), "{said}");
}

#[test]
fn given_models_have_the_final_states_of_the_solver_and_the_executions_of_brute_force() {
    let tally = run(1, 40, |random, tally| agree(&models(), random, 3, tally));
    assert!(tally.of("by brute force") > 80, "{tally:?}");
}

fn same_verdicts(random: &mut Random, tally: &mut Tally) {
    let text = concurrent(random);
    let task = Task::c("random.c", &text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    same_verdict(&models(), &text, &task, tally);
}

#[test]
fn given_models_have_the_verdicts_of_the_solver() {
    let tally = run(1, 6, same_verdicts);
    assert!(tally.of("holds") > 2 && tally.of("violated") > 2, "{tally:?}");
}

/// As many executions of as many events are made: a loop that exchanges until it finds another value has no end to the judge.
const LIMITS: (u64, usize) = (2_000, 60);

/// Whether what is written for a model makes the graphs that the model itself makes, judged by what it says. Where the judge leaves
/// out fewer failed tries there are more graphs, which come to the same.
fn same_graphs(text: &str, tally: &mut Tally) {
    let task = Task::c("random.c", text).unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    let program = verify(task.program().clone()).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"));
    let known = [
        ("rc11", Axioms::C11(Sequences::OfThread)),
        ("rc20", Axioms::C11(Sequences::OfUpdates)),
        ("sc", Axioms::Machine(Machine::Sc)),
    ];
    for (name, axioms) in known {
        let judge = judged(&shipped(name)).unwrap_or_else(|what| panic!("{name}: {what:?}")).axioms;
        let by_judge = judge.judge().unwrap_or_else(|| panic!("{name} is no judge"));
        if let Ok(said) = judged_graphs(&program, axioms.clone(), by_judge, LIMITS) {
            assert_eq!(said.broken, 0, "{name} forbids graphs that are made for it\n{text}");
        }
        let (made, judged) = (explored_within(&program, axioms, LIMITS), explored_within(&program, judge, LIMITS));
        let (Ok(Some(made)), Ok(Some(judged))) = (made, judged) else {
            tally.count("too large or refused");
            continue;
        };
        let classes = |found: &ExploredGraphs| -> BTreeSet<Class> { found.classes.iter().cloned().collect() };
        let (written, said) = (classes(&made), classes(&judged));
        assert_eq!(judged.classes.len(), said.len(), "a graph of {name} is made twice\n{text}");
        let wrong = written.difference(&said).next();
        assert_eq!(wrong, None, "graphs of {name} are wrong\n{text}");
        assert_eq!(made.ends.fails, judged.ends.fails, "errors under {name}\n{text}");
        assert_eq!(made.ends.waits, judged.ends.waits, "threads that wait under {name}\n{text}");
        if !made.ends.races {
            assert_eq!(made.ends.states, judged.ends.states, "final states under {name}\n{text}");
        }
        tally.count(if written == said { "same graphs" } else { "more failed tries" });
    }
}

fn all_sorts(random: &mut Random, tally: &mut Tally) {
    for make in [concurrent, rivals] {
        same_graphs(&make(random), tally);
    }
}

#[test]
fn the_shipped_models_judge_the_graphs_that_are_made_for_them() {
    let tally = run(1, 20, all_sorts);
    assert!(tally.of("same graphs") > 20, "{tally:?}");
}

#[test]
#[ignore = "takes minutes: SEED and TIMES say which programs"]
fn many_given_models_agree() {
    let (first, times) = asked(1_000);
    run(first, times, |random, tally| agree(&models(), random, 4, tally));
}

#[test]
#[ignore = "takes minutes: SEED and TIMES say which programs"]
fn many_given_models_have_the_verdicts_of_the_solver() {
    let (first, times) = asked(300);
    run(first, times, same_verdicts);
}

#[test]
#[ignore = "takes minutes: SEED and TIMES say which programs"]
fn many_graphs_are_those_that_the_shipped_models_judge() {
    let (first, times) = asked(1_000);
    run(first, times, all_sorts);
}
