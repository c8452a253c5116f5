//! Hand-built programs and outcomes that the tests of this crate print.

use program::*;

use crate::{Answer, Property, Subject, Test};

const SB: &str = "X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
";

/// Store buffering, as the front end would give it: threads without code, which reports do not look at.
pub fn store_buffering() -> Program {
    let mut sources = Sources::new();
    sources.add("SB.litmus", SB);
    let register = |thread| Observable::Register(ThreadId(thread), RegisterId(0));
    let zero = |thread| {
        Proposition::Compare(Comparator::Eq, Term::Observable(register(thread)), Term::Value(Value::int(0, 32)))
    };
    let mut program = skeleton("SB", sources, &["x", "y"], 2);
    program.question = Some(Question {
        quantifier: Quantifier::Exists,
        proposition: Proposition::And(vec![zero(0), zero(1)]),
        filter: None,
        observed: vec![register(0), register(1)],
        span: None,
    });
    program
}

/// A program of empty threads, each with a register `EAX`.
pub fn skeleton(name: &str, sources: Sources, globals: &[&str], threads: usize) -> Program {
    let function = Function {
        name: "entry".into(),
        parameters: vec![],
        registers: vec!["EAX".into()],
        results: 0,
        blocks: vec![],
        span: None,
    };
    let global = |name: &&str| Global {
        name: name.to_string(),
        cells: vec![],
        default: Value::int(0, 32),
        extent: None,
        span: None,
    };
    let thread = |index| Thread { name: format!("P{index}"), entry: FunctionId(0), arguments: vec![] };
    Program {
        name: name.into(),
        language: Language::X86,
        sources,
        globals: globals.iter().map(global).collect(),
        functions: vec![function],
        threads: (0..threads).map(thread).collect(),
        setup: None,
        thread_order: Vec::new(),
        ends_with_main: false,
        simplified: Default::default(),
        question: None,
    }
}

/// An event; a negative thread makes an initial write.
pub fn event(thread: i32, kind: EventKind, cell: u32, value: i64, span: Option<Span>) -> Event {
    let is_fence = kind == EventKind::Fence;
    Event {
        thread: u32::try_from(thread).ok().map(ThreadId),
        kind,
        cell: (!is_fence).then(|| Pointer::to(cell)),
        value: (!is_fence).then(|| Value::int(value, 32)),
        access: Access::plain(),
        span,
        atomic: None,
        operation: None,
    }
}

fn span_of(text: &str) -> Option<Span> {
    SB.find(text).map(|start| Span::new(FileId(0), start, start + text.len()))
}

/// The relaxed execution of store buffering.
pub fn relaxed() -> Execution {
    let pair = |a, b| (EventId(a), EventId(b));
    Execution {
        events: vec![
            event(-1, EventKind::Write, 0, 0, None),
            event(-1, EventKind::Write, 1, 0, None),
            event(0, EventKind::Write, 0, 1, span_of("MOV [x],$1")),
            event(0, EventKind::Read, 1, 0, span_of("MOV EAX,[y]")),
            event(1, EventKind::Write, 1, 1, span_of("MOV [y],$1")),
            event(1, EventKind::Read, 0, 0, span_of("MOV EAX,[x]")),
        ],
        rf: vec![pair(1, 3), pair(0, 5)],
        co: vec![pair(0, 2), pair(1, 4)],
        state: (0..2).map(|t| (Observable::Register(ThreadId(t), RegisterId(0)), Value::int(0, 32))).collect(),
        ..Execution::default()
    }
}

fn outcome(verdict: Verdict) -> Outcome {
    Outcome { verdict, statistics: Statistics { figures: vec![("events".into(), 6)] }, ..Outcome::default() }
}

/// Store buffering, allowed with a witness.
pub fn allowed() -> (Program, Outcome) {
    (store_buffering(), Outcome { witness: Some(relaxed()), ..outcome(Verdict::Allowed) })
}

const SPECULATION: &str = "r1 = x;
y = 1;
r2 = y;
x = r2;
if (r2 == 0) print(r2);
";

/// A write that does not depend on the read before it, as in causality test 1 of the Java memory model, with the executions
/// that justify it. Of these the first two are alike but for actions that they do not commit, and print something that the justified one does not.
pub fn justified() -> (Program, Outcome) {
    let mut sources = Sources::new();
    sources.add("TC.java", SPECULATION);
    let program = skeleton("TC", sources, &["x", "y"], 2);
    let mut early = speculated(0, 0, true);
    early.rf = ids(&[(0, 3), (1, 7)]);
    early.named = vec![("so".into(), ids(&[(2, 5), (6, 10)])), ("committed".into(), set(&[0, 1, 2, 4, 6]))];
    let mut late = speculated(0, 1, false);
    late.rf = ids(&[(0, 3), (4, 7)]);
    let so = ids(&[(2, 4), (2, 7), (2, 8), (4, 7), (4, 8), (7, 8)]);
    late.named = vec![("so".into(), so), ("committed".into(), set(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]))];
    let mut witness = speculated(1, 1, false);
    witness.rf = ids(&[(8, 3), (4, 7)]);
    let mut again = early.clone();
    again.actions.swap(8, 9);
    witness.justification = vec![early, again, late];
    (program, Outcome { witness: Some(witness), ..outcome(Verdict::Allowed) })
}

/// An execution of that program in which `x` and `y` are read with these values.
fn speculated(x: i64, y: i64, prints: bool) -> Execution {
    let span = |text: &str| {
        let start = SPECULATION.find(text).expect("a statement of the program");
        Some(Span::new(FileId(0), start, start + text.len()))
    };
    let plain = |thread, kind, value: Option<i64>, span| Event {
        value: value.map(|value| Value::int(value, 32)),
        cell: None,
        ..event(thread, kind, 0, 0, span)
    };
    let mut events = vec![
        event(-1, EventKind::Write, 0, 0, None),
        event(-1, EventKind::Write, 1, 0, None),
        plain(0, EventKind::Start, None, None),
        event(0, EventKind::Read, 0, x, span("r1 = x")),
        event(0, EventKind::Write, 1, 1, span("y = 1")),
        plain(0, EventKind::End, None, None),
        plain(1, EventKind::Start, None, None),
        event(1, EventKind::Read, 1, y, span("r2 = y")),
        event(1, EventKind::Write, 0, y, span("x = r2")),
        plain(1, EventKind::End, None, None),
    ];
    let mut actions: Vec<u32> = (0..10).collect();
    if prints {
        events.insert(9, plain(1, EventKind::Special, Some(y), span("print(r2)")));
        actions.insert(9, 10);
    }
    Execution { events, actions, ..Execution::default() }
}

fn ids(pairs: &[(u32, u32)]) -> Vec<(EventId, EventId)> {
    pairs.iter().map(|&(from, to)| (EventId(from), EventId(to))).collect()
}

fn set(events: &[u32]) -> Vec<(EventId, EventId)> {
    events.iter().map(|&id| (EventId(id), EventId(id))).collect()
}

/// Store buffering, forbidden with a core and the offending cycle.
pub fn forbidden() -> (Program, Outcome) {
    let program = store_buffering();
    let line = |text: &str, thread: &str| CoreMember {
        kind: CoreMemberKind::Program,
        name: text.into(),
        formula: None,
        location: span_of(text).map(|span| program.sources.location(span)),
        thread: Some(thread.into()),
    };
    let axiom = CoreMember {
        kind: CoreMemberKind::Axiom,
        name: "sc".into(),
        formula: Some("acyclic po | com as sc".into()),
        location: Some(Location { file: "sc.cat".into(), line: 7, column: 1 }),
        thread: None,
    };
    let condition = CoreMember {
        kind: CoreMemberKind::Assertion,
        name: "exists (0:EAX=0 /\\ 1:EAX=0)".into(),
        formula: None,
        location: Some(Location { file: "SB.litmus".into(), line: 6, column: 1 }),
        thread: None,
    };
    let mut members = vec![axiom];
    members.extend([("MOV [x],$1", "P0"), ("MOV EAX,[y]", "P0")].map(|(text, thread)| line(text, thread)));
    members.extend([("MOV [y],$1", "P1"), ("MOV EAX,[x]", "P1")].map(|(text, thread)| line(text, thread)));
    members.push(condition);
    let steps = [(2, 3, "po"), (3, 4, "fr"), (4, 5, "po"), (5, 2, "fr")];
    let step = |(from, to, relation): (u32, u32, &str)| outcome::Step {
        from: EventId(from),
        to: EventId(to),
        relation: relation.into(),
    };
    let violation =
        Violation { axiom: "sc".into(), execution: relaxed(), cycle: steps.into_iter().map(step).collect() };
    let outcome = Outcome {
        core: Some(Core { members, minimal: true }),
        violation: Some(violation),
        ..outcome(Verdict::Forbidden)
    };
    (program, outcome)
}

/// All final states of store buffering under tso.
pub fn outcomes() -> (Program, Outcome) {
    let state = |a, b| {
        let entry = |thread, value| (Observable::Register(ThreadId(thread), RegisterId(0)), Value::int(value, 32));
        vec![entry(0, a), entry(1, b)]
    };
    let states = vec![(state(1, 1), None), (state(0, 0), Some(relaxed())), (state(0, 1), None), (state(1, 0), None)];
    (store_buffering(), Outcome { states: Some(states), ..outcome(Verdict::Allowed) })
}

/// Store buffering, not decided because of a loop.
pub fn unknown() -> (Program, Outcome) {
    let exceeded = vec![Location { file: "SB.litmus".into(), line: 4, column: 2 }];
    let bounds = Bounds { unroll: Some(3), exceeded, loops: Vec::new() };
    let verdict = Verdict::Unknown("a loop can run more than 3 times".into());
    (store_buffering(), Outcome { bounds, flags: vec!["data-race".into()], ..outcome(verdict) })
}

/// An answer under the model `tso`.
pub fn answer<'a>(program: &'a Program, outcome: &'a Outcome) -> Answer<'a> {
    Answer {
        file: "SB.litmus",
        program,
        model: "tso",
        engine: "axiomatic",
        property: Property::Always,
        subject: &Subject::Litmus,
        outcome,
    }
}

const MAILBOX: &str = "typedef struct node { int value; } node_t;
node_t *box;

void put(int value)
{
    node_t *fresh = lsl_malloc(sizeof(node_t));
    fresh->value = value;
    box = fresh;
}

int get(void)
{
    node_t *seen = box;
    if (seen == 0)
        return -1;
    lsl_fence(\"load-load\");
    return seen->value;
}
";

/// A box that a thread puts a node into and another takes it from: the node can be seen before its value.
pub fn mailbox() -> (Program, Subject, Outcome) {
    let mut sources = Sources::new();
    sources.add("suites/mailbox.c", MAILBOX);
    let mut program = skeleton("mailbox", sources, &["box"], 2);
    program.language = Language::C;
    for (thread, name) in program.threads.iter_mut().zip(["T1", "T2"]) {
        thread.name = name.into();
    }
    let allocate = InstructionKind::Allocate {
        target: RegisterId(0),
        default: Value::int(0, 32),
        name: "node_t".into(),
        reuse: false,
        extent: None,
    };
    let instructions = vec![Instruction { kind: allocate, span: None }];
    program.functions[0].blocks = vec![Block { instructions, terminator: Terminator::Return(vec![]), span: None }];
    let reference = Some("box_ref.c".into());
    let test =
        Test { notation: "(p|gg)".into(), observations: Some(6), reference, linearizable: false, has_commits: false };
    let loops = vec![(Location { file: "suites/mailbox.c".into(), line: 11, column: 1 }, 2)];
    let failure = Failure::new(FailureKind::Observation, "no serial execution shows this", None);
    let outcome = Outcome {
        witness: Some(unseen_value()),
        failure: Some(failure),
        observation: Some(vec![vec![], vec![shown("p", 1)], vec![shown("g", 0), shown("g", 1)]]),
        bounds: Bounds { loops, ..Bounds::default() },
        ..outcome(Verdict::Violated)
    };
    (program, Subject::Test(test), outcome)
}

fn shown(operation: &str, value: i64) -> Shown {
    Shown { operation: operation.into(), values: vec![("val".into(), Value::int(value, 32))] }
}

/// The second thread sees the node, but not yet its value; a second time it sees both.
fn unseen_value() -> Execution {
    let span = |text: &str| {
        let start = MAILBOX.find(text).expect("a statement of the program");
        Some(Span::new(FileId(0), start, start + text.len()))
    };
    let node = |path: &[i64]| Pointer { allocation: 1, path: path.to_vec() };
    let (link, field) = ("box = fresh;", "fresh->value = value;");
    let of = |thread, kind, value, operation, text: &str| Event {
        operation: Some(operation),
        ..event(thread, kind, 0, value, span(text))
    };
    let on_box = |event: Event| Event { value: Some(Value::Pointer(node(&[0]))), ..event };
    let on_node = |event: Event| Event { cell: Some(node(&[0, 0])), ..event };
    let mut events = vec![event(-1, EventKind::Write, 0, 0, None), on_node(event(-1, EventKind::Write, 0, 0, None))];
    events.push(on_node(of(0, EventKind::Write, 1, 0, field)));
    events.push(on_box(of(0, EventKind::Write, 0, 0, link)));
    for operation in 0..2 {
        events.push(on_box(of(1, EventKind::Read, 0, operation, "node_t *seen = box;")));
        let fence = of(1, EventKind::Fence, 0, operation, "lsl_fence(\"load-load\");");
        events.push(Event { access: Access::plain().tagged("LL"), ..fence });
        events.push(on_node(of(1, EventKind::Read, i64::from(operation), operation, "return seen->value;")));
    }
    let rf = ids(&[(3, 4), (1, 6), (3, 7), (2, 9)]);
    Execution { events, rf, co: ids(&[(0, 3), (1, 2)]), ..Execution::default() }
}

/// An answer about a bounded test under the model `relaxed`.
pub fn test_answer<'a>(program: &'a Program, subject: &'a Subject, outcome: &'a Outcome) -> Answer<'a> {
    Answer { file: "suites/mailbox.c", model: "relaxed", subject, ..answer(program, outcome) }
}
