//! An execution in the language of Graphviz: a cluster per thread, program order downwards.

use program::{EventKind, Execution, Program, Violation};

use crate::drawing::{Drawing, Edge, drawing};
use crate::{Answer, words};

/// The picture of an answer; a graph with nothing but a title when there is no execution to draw.
pub fn answer(answer: &Answer) -> String {
    match answer.picture() {
        Some((execution, violation)) => execution_graph(answer.program, execution, violation, &title(answer)),
        None => format!("digraph {} {{\n  label={};\n}}\n", quote(&answer.program.name), quote(&title(answer))),
    }
}

/// An execution as a graph with a title; with a violation, its cycle stands out.
pub fn execution_graph(program: &Program, execution: &Execution, violation: Option<&Violation>, title: &str) -> String {
    let drawing = drawing(program, execution, violation);
    let mut text = format!("digraph {} {{\n", quote(&program.name));
    text.push_str(&format!("  label={};\n", quote(title)));
    text.push_str("  labelloc=t;\n  newrank=true;\n  splines=true;\n");
    text.push_str("  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"monospace\"];\n");
    text.push_str("  edge [fontname=\"monospace\"];\n");
    for &id in &drawing.initial {
        text.push_str(&node(&drawing, id.0, "  "));
    }
    for (index, column) in drawing.columns.iter().enumerate() {
        text.push_str(&format!("  subgraph cluster_{index} {{\n    label={};\n", quote(&column.name)));
        column.events.iter().for_each(|id| text.push_str(&node(&drawing, id.0, "    ")));
        text.push_str("  }\n");
    }
    drawing.edges.iter().for_each(|edge| text.push_str(&line(edge)));
    text.push_str("}\n");
    text
}

fn title(answer: &Answer) -> String {
    let verdict = crate::answer::verdict_word(&answer.outcome.verdict);
    let broken = answer.picture().and_then(|(_, violation)| violation);
    let axiom = broken.map_or(String::new(), |violation| format!(": this would break the axiom {}", violation.axiom));
    let state =
        answer.picture().map_or(String::new(), |(e, _)| format!("\n{}", words::state(answer.program, &e.state)));
    format!("{}, {}: {verdict}{axiom}{state}", answer.program.name, answer.model)
}

fn node(drawing: &Drawing, id: u32, indent: &str) -> String {
    let node = &drawing.nodes[id as usize];
    let label = if node.source.is_empty() { node.label.clone() } else { format!("{}\n{}", node.label, node.source) };
    let fill = match node.kind {
        EventKind::Write => "#e8f1fb",
        EventKind::Read => "#fdf6e3",
        EventKind::Fence => "#eeeeee",
    };
    let border = if node.on_cycle { ", color=\"#d1242f\", penwidth=2" } else { "" };
    format!("{indent}e{id} [label={}, fillcolor=\"{fill}\"{border}];\n", quote(&label))
}

fn line(edge: &Edge) -> String {
    let mut marks = format!("label={}, color=\"{}\", fontcolor=\"{}\"", quote(&edge.label), edge.colour, edge.colour);
    if edge.on_cycle {
        marks.push_str(", penwidth=2.5");
    }
    if edge.is_po_step {
        marks.push_str(", weight=10");
    } else {
        marks.push_str(", constraint=false");
    }
    format!("  e{} -> e{} [{marks}];\n", edge.from.0, edge.to.0)
}

/// A string of the DOT language.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;
    use expect_test::expect;

    #[test]
    fn threads_are_clusters() {
        let (program, outcome) = examples::allowed();
        expect![[r##"
            digraph "SB" {
              label="SB, tso: allowed\n0:EAX=0; 1:EAX=0;";
              labelloc=t;
              newrank=true;
              splines=true;
              node [shape=box, style="rounded,filled", fillcolor=white, fontname="monospace"];
              edge [fontname="monospace"];
              e0 [label="init x=0", fillcolor="#e8f1fb"];
              e1 [label="init y=0", fillcolor="#e8f1fb"];
              subgraph cluster_0 {
                label="P0";
                e2 [label="a: W x=1\nMOV [x],$1", fillcolor="#e8f1fb"];
                e3 [label="b: R y=0\nMOV EAX,[y]", fillcolor="#fdf6e3"];
              }
              subgraph cluster_1 {
                label="P1";
                e4 [label="c: W y=1\nMOV [y],$1", fillcolor="#e8f1fb"];
                e5 [label="d: R x=0\nMOV EAX,[x]", fillcolor="#fdf6e3"];
              }
              e2 -> e3 [label="po", color="#8a8f98", fontcolor="#8a8f98", weight=10];
              e4 -> e5 [label="po", color="#8a8f98", fontcolor="#8a8f98", weight=10];
              e1 -> e3 [label="rf", color="#1a7f37", fontcolor="#1a7f37", constraint=false];
              e0 -> e5 [label="rf", color="#1a7f37", fontcolor="#1a7f37", constraint=false];
              e0 -> e2 [label="co", color="#8b5a2b", fontcolor="#8b5a2b", constraint=false];
              e1 -> e4 [label="co", color="#8b5a2b", fontcolor="#8b5a2b", constraint=false];
              e3 -> e4 [label="fr", color="#d9730d", fontcolor="#d9730d", constraint=false];
              e5 -> e2 [label="fr", color="#d9730d", fontcolor="#d9730d", constraint=false];
            }
        "##]]
        .assert_eq(&answer(&examples::answer(&program, &outcome)));
    }
}
