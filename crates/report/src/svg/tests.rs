use super::*;
use crate::examples::{self, event, skeleton};
use expect_test::expect;
use program::outcome::Step;
use program::{EventId, FileId, Sources, Span};

/// Well-formed, everything within the picture, no two boxes on top of each other; also in each picture within the picture.
fn check(name: &str, svg: &str) {
    let document = roxmltree::Document::parse(svg).expect("well-formed");
    for picture in document.descendants().filter(|node| node.has_tag_name("svg")) {
        check_boxes(name, picture);
    }
    if let Ok(folder) = std::env::var("PALISADE_PICTURES") {
        std::fs::write(format!("{folder}/{name}.svg"), svg).expect("the folder can be written to");
    }
}

fn check_boxes(name: &str, picture: roxmltree::Node) {
    let number = |node: roxmltree::Node, name: &str| node.attribute(name).and_then(|text| text.parse::<f64>().ok());
    let (width, height) = (number(picture, "width").expect("a width"), number(picture, "height").expect("a height"));
    let is_box = |node: &roxmltree::Node| {
        node.has_tag_name("svg") || node.has_tag_name("rect") && node.attribute("stroke").is_some()
    };
    let rect = |node: roxmltree::Node| Rect {
        x: number(node, "x").expect("x"),
        y: number(node, "y").expect("y"),
        width: number(node, "width").expect("width"),
        height: number(node, "height").expect("height"),
    };
    let rects: Vec<Rect> = picture.children().filter(is_box).map(rect).collect();
    for (index, rect) in rects.iter().enumerate() {
        assert!(rect.x >= 0.0 && rect.x + rect.width <= width, "{name}: a box leaves the picture");
        assert!(rect.y >= 0.0 && rect.y + rect.height <= height, "{name}: a box leaves the picture");
        assert!(!rects[index + 1..].iter().any(|other| other.overlaps(rect)), "{name}: boxes overlap");
    }
}

/// Threads of events written as `W x 1` or `R y 0`, one statement per event.
struct Builder {
    program: Program,
    execution: Execution,
}

fn build(name: &str, globals: &[&str], threads: &[&[(char, u32, i64, &str)]]) -> Builder {
    let mut text = String::new();
    let mut execution = Execution::default();
    for cell in 0..globals.len() {
        execution.events.push(event(-1, EventKind::Write, cell as u32, 0, None));
    }
    for (thread, events) in threads.iter().enumerate() {
        for &(kind, cell, value, source) in *events {
            let span = Span::new(FileId(0), text.len(), text.len() + source.len());
            text.push_str(source);
            text.push('\n');
            let kind = match kind {
                'W' => EventKind::Write,
                'R' => EventKind::Read,
                _ => EventKind::Fence,
            };
            execution.events.push(event(thread as i32, kind, cell, value, Some(span)));
        }
    }
    let mut sources = Sources::new();
    sources.add(format!("{name}.litmus"), text);
    Builder { program: skeleton(name, sources, globals, threads.len()), execution }
}

fn pairs(list: &[(u32, u32)]) -> Vec<(EventId, EventId)> {
    list.iter().map(|&(a, b)| (EventId(a), EventId(b))).collect()
}

fn cycle(axiom: &str, execution: &Execution, steps: &[(u32, u32, &str)]) -> Violation {
    let step = |&(from, to, relation): &(u32, u32, &str)| Step {
        from: EventId(from),
        to: EventId(to),
        relation: relation.into(),
    };
    Violation { axiom: axiom.into(), execution: execution.clone(), cycle: steps.iter().map(step).collect() }
}

#[test]
fn store_buffering_and_its_cycle() {
    for (name, (program, outcome)) in [("sb", examples::allowed()), ("sb-cycle", examples::forbidden())] {
        check(name, &answer(&examples::answer(&program, &outcome)));
    }
    let (program, outcome) = examples::unknown();
    check("nothing", &answer(&examples::answer(&program, &outcome)));
}

#[test]
fn independent_reads_of_independent_writes() {
    let mut iriw = build(
        "IRIW",
        &["x", "y"],
        &[
            &[('W', 0, 1, "atomic_store_explicit(x, 1, relaxed)")],
            &[('R', 0, 1, "r1 = atomic_load(x)"), ('R', 1, 0, "r2 = atomic_load(y)")],
            &[('W', 1, 1, "*y = 1")],
            &[('R', 1, 1, "r1 = *y"), ('R', 0, 0, "r2 = *x")],
        ],
    );
    iriw.execution.rf = pairs(&[(2, 3), (1, 4), (5, 6), (0, 7)]);
    iriw.execution.co = pairs(&[(0, 2), (1, 5)]);
    check("iriw", &picture(&iriw.program, &iriw.execution, None, "IRIW under power: allowed"));
    let steps = [(2, 3, "rfe"), (3, 4, "po"), (4, 5, "fre"), (5, 6, "rfe"), (6, 7, "po"), (7, 2, "fre")];
    let violation = cycle("sc", &iriw.execution, &steps);
    check("iriw-cycle", &picture(&iriw.program, &iriw.execution, Some(&violation), "IRIW under sc: forbidden"));
}

#[test]
fn a_ring_of_fourteen_threads() {
    let names: Vec<String> = (0..14).map(|index| format!("x{index}")).collect();
    let globals: Vec<&str> = names.iter().map(String::as_str).collect();
    let thread = |index: u32| [('W', index, 1, "MOV [xi],$1"), ('R', (index + 1) % 14, 0, "MOV EAX,[xj]")];
    let threads: Vec<[(char, u32, i64, &str); 2]> = (0..14).map(thread).collect();
    let threads: Vec<&[(char, u32, i64, &str)]> = threads.iter().map(|thread| &thread[..]).collect();
    let mut ring = build("ring", &globals, &threads);
    let (write, read) = (|index: u32| 14 + 2 * (index % 14), |index: u32| 15 + 2 * index);
    ring.execution.rf = pairs(&(0..14).map(|i| ((i + 1) % 14, read(i))).collect::<Vec<_>>());
    ring.execution.co = pairs(&(0..14).map(|i| (i, write(i))).collect::<Vec<_>>());
    check("ring", &picture(&ring.program, &ring.execution, None, "ring under tso: allowed"));
    let steps: Vec<(u32, u32, &str)> =
        (0..14).flat_map(|i| [(write(i), read(i), "po"), (read(i), write(i + 1), "fr")]).collect();
    let violation = cycle("sc", &ring.execution, &steps);
    check("ring-cycle", &picture(&ring.program, &ring.execution, Some(&violation), "ring under sc: forbidden"));
}

#[test]
fn many_events_and_dependencies_in_one_thread() {
    let mut busy = build(
        "busy<&>",
        &["x", "y", "z"],
        &[
            &[
                ('R', 0, 1, "r0 = *x"),
                ('W', 1, 1, "*y = r0 ^ r0 + 1"),
                ('F', 0, 0, "atomic_thread_fence(memory_order_seq_cst)"),
                ('R', 2, 0, "r1 = z[r0]"),
                ('R', 2, 1, "r2 = xchg(z, 5)"),
                ('W', 2, 5, "r2 = xchg(z, 5)"),
                ('W', 0, 2, "if (r1 < r2) *x = 2"),
                ('R', 0, 2, "r3 = *x"),
            ],
            &[('W', 2, 1, "*z = 1"), ('R', 1, 1, "r0 = *y"), ('W', 0, 1, "*x = r0"), ('R', 2, 5, "r1 = *z")],
            &[('R', 0, 2, "r0 = *x"), ('R', 1, 0, "r1 = *y"), ('R', 2, 5, "r2 = *z")],
        ],
    );
    busy.execution.rf = pairs(&[(13, 3), (2, 6), (11, 7), (9, 10), (4, 12), (8, 14), (9, 15), (1, 16), (8, 17)]);
    busy.execution.co = pairs(&[(0, 13), (0, 9), (13, 9), (1, 4), (2, 11), (2, 8), (11, 8)]);
    busy.execution.rmw = pairs(&[(7, 8)]);
    busy.execution.addr = pairs(&[(3, 6)]);
    busy.execution.data = pairs(&[(3, 4), (12, 13)]);
    busy.execution.ctrl = pairs(&[(6, 9), (7, 9), (6, 10)]);
    busy.execution.named = vec![("S".into(), pairs(&[(4, 5), (5, 9), (4, 9), (9, 15)]))];
    check("busy", &picture(&busy.program, &busy.execution, None, "busy<&> under c11: allowed"));
    let steps = [(4, 12, "rfe"), (12, 13, "data"), (13, 3, "rfe"), (3, 4, "data")];
    let violation = cycle("no-thin-air", &busy.execution, &steps);
    check("busy-cycle", &picture(&busy.program, &busy.execution, Some(&violation), "busy under rc11: forbidden"));
}

#[test]
fn twenty_events_in_each_of_six_threads() {
    let thread: Vec<(char, u32, i64, &str)> = (0..20)
        .map(|i| if i % 2 == 0 { ('W', i % 3, i64::from(i), "*x = i") } else { ('R', i % 3, 0, "r = *x") })
        .collect();
    let threads: Vec<&[(char, u32, i64, &str)]> = (0..6).map(|_| &thread[..]).collect();
    let mut tall = build("tall", &["x", "y", "z"], &threads);
    let count = tall.execution.events.len() as u32;
    let is_read = |id: &u32| tall.execution.events[*id as usize].kind == EventKind::Read;
    let rf = |id: u32| (3 + (id * 7) % (count - 3) / 2 * 2, id);
    tall.execution.rf = pairs(&(3..count).filter(is_read).step_by(3).map(rf).collect::<Vec<_>>());
    check("tall", &picture(&tall.program, &tall.execution, None, "tall under tso: allowed"));
}

#[test]
fn a_justified_execution_stands_below_what_justifies_it() {
    let (program, outcome) = examples::justified();
    let svg = answer(&examples::answer(&program, &outcome));
    check("justified", &svg);
    let document = roxmltree::Document::parse(&svg).expect("well-formed");
    let texts = document.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text());
    let titles: Vec<&str> = texts.filter(|text| text.starts_with('E')).collect();
    expect![[r#"
        [
            "E_1 and E_2.  C_1 and C_2 commit: init x, init y, b",
            "E_3.  C_3 commits: a, c, d, the last of E",
            "E",
        ]
    "#]]
    .assert_debug_eq(&titles);
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("svg")).count(), 4);
    assert!(!svg.contains("start") && !svg.contains("committed</text>"), "what clutters is drawn");
}
