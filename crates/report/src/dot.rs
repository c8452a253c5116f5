//! An execution in the language of Graphviz: a cluster per thread, program order downwards.

use program::{EventKind, Execution, Failure, Program, Violation};

use crate::drawing::{Drawing, Edge, drawing, stage_drawing};
use crate::justification::{Commitment, stages};
use crate::{Answer, words};

/// With more edges than this they are drawn straight: Graphviz takes minutes to bend hundreds round each other.
const MANY_EDGES: usize = 200;

/// The picture of an answer; a graph with nothing but a title when there is no execution to draw.
pub fn answer(answer: &Answer) -> String {
    match answer.picture() {
        Some((execution, violation)) => {
            execution_graph(answer.program, execution, (violation, answer.outcome.failure.as_ref()), &title(answer))
        }
        None => format!("digraph {} {{\n  label={};\n}}\n", quote(&answer.program.name), quote(&title(answer))),
    }
}

/// An execution as a graph with a title; with a violation, its cycle stands out. The executions that justify it are clusters
/// above its own.
fn execution_graph(
    program: &Program,
    execution: &Execution,
    (violation, failure): (Option<&Violation>, Option<&Failure>),
    title: &str,
) -> String {
    let drawing = drawing(program, execution, violation, failure);
    let stages = stages(program, execution);
    let mut text = format!("digraph {} {{\n", quote(&program.name));
    text.push_str(&format!("  label={};\n", quote(title)));
    let is_large = drawing.edges.len() * (stages.len() + 1) > MANY_EDGES;
    let splines = if is_large { "line" } else { "true" };
    text.push_str(&format!("  labelloc=t;\n  newrank=true;\n  splines={splines};\n"));
    text.push_str("  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"monospace\"];\n");
    text.push_str("  edge [fontname=\"monospace\"];\n");
    if stages.is_empty() {
        text.push_str(&graph(&drawing, "", "  "));
        return text + "}\n";
    }
    let mut last = None;
    for stage in &stages {
        let (drawing, prefix) = (stage_drawing(program, stage), format!("s{}_", stage.first));
        let commits = stage.commits().map_or(String::new(), |commits| format!("\n{commits}"));
        text.push_str(&cluster(&drawing, &prefix, &format!("{}{commits}", stage.title()), &mut last));
    }
    text.push_str(&cluster(&drawing, "", "E", &mut last));
    text + "}\n"
}

/// A graph with a frame and a title. An edge that is not seen keeps it below the node `last`, which becomes its own last.
fn cluster(drawing: &Drawing, prefix: &str, title: &str, last: &mut Option<String>) -> String {
    let graph = graph(drawing, prefix, "    ");
    let mut text = format!("  subgraph cluster_{prefix}E {{\n    label={};\n{graph}  }}\n", quote(title));
    let events = || drawing.initial.iter().chain(drawing.columns.iter().flat_map(|column| &column.events));
    if let (Some(above), Some(below)) = (last.as_ref(), events().next()) {
        text.push_str(&format!("  {above} -> {prefix}e{} [style=invis];\n", below.0));
    }
    let longest = drawing.columns.iter().max_by_key(|column| column.events.len());
    if let Some(id) = longest.and_then(|column| column.events.last()).or_else(|| events().last()) {
        *last = Some(format!("{prefix}e{}", id.0));
    }
    text
}

/// Nodes and edges; names of nodes and clusters begin with `prefix`.
fn graph(drawing: &Drawing, prefix: &str, indent: &str) -> String {
    let mut text = String::new();
    for &id in &drawing.initial {
        text.push_str(&node(drawing, id.0, prefix, indent));
    }
    for (index, column) in drawing.columns.iter().enumerate() {
        let name = quote(&column.name);
        text.push_str(&format!("{indent}subgraph cluster_{prefix}{index} {{\n{indent}  label={name};\n"));
        column.events.iter().for_each(|id| text.push_str(&node(drawing, id.0, prefix, &format!("{indent}  "))));
        text.push_str(&format!("{indent}}}\n"));
    }
    drawing.edges.iter().for_each(|edge| text.push_str(&line(edge, prefix, indent)));
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

fn node(drawing: &Drawing, id: u32, prefix: &str, indent: &str) -> String {
    let node = &drawing.nodes[id as usize];
    let label = if node.source.is_empty() { node.label.clone() } else { format!("{}\n{}", node.label, node.source) };
    let fill = match node.kind {
        EventKind::Write => "#e8f1fb",
        EventKind::Read => "#fdf6e3",
        _ => "#eeeeee",
    };
    let border = match node.commitment {
        _ if node.on_cycle => ", color=\"#d1242f\", penwidth=2",
        Commitment::Open => "",
        Commitment::Earlier => ", penwidth=2",
        Commitment::New => ", color=\"#d4a000\", penwidth=4",
    };
    format!("{indent}{prefix}e{id} [label={}, fillcolor=\"{fill}\"{border}];\n", quote(&label))
}

fn line(edge: &Edge, prefix: &str, indent: &str) -> String {
    // A label of its own rank on an edge that ranks nothing is more than Graphviz can place in larger graphs: it gives up with
    // "trouble in init_rank". Beside the edge it has no rank.
    let label = if edge.is_po_step { "label" } else { "xlabel" };
    let mut marks = format!("{label}={}, color=\"{}\", fontcolor=\"{}\"", quote(&edge.label), edge.colour, edge.colour);
    if edge.on_cycle {
        marks.push_str(", penwidth=2.5");
    }
    if edge.is_po_step {
        marks.push_str(", weight=10");
    } else {
        marks.push_str(", constraint=false");
    }
    format!("{indent}{prefix}e{} -> {prefix}e{} [{marks}];\n", edge.from.0, edge.to.0)
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
              e1 -> e3 [xlabel="rf", color="#1a7f37", fontcolor="#1a7f37", constraint=false];
              e0 -> e5 [xlabel="rf", color="#1a7f37", fontcolor="#1a7f37", constraint=false];
              e0 -> e2 [xlabel="co", color="#8b5a2b", fontcolor="#8b5a2b", constraint=false];
              e1 -> e4 [xlabel="co", color="#8b5a2b", fontcolor="#8b5a2b", constraint=false];
              e3 -> e4 [xlabel="fr", color="#d9730d", fontcolor="#d9730d", constraint=false];
              e5 -> e2 [xlabel="fr", color="#d9730d", fontcolor="#d9730d", constraint=false];
            }
        "##]]
        .assert_eq(&answer(&examples::answer(&program, &outcome)));
    }

    #[test]
    fn stages_are_clusters_with_nodes_of_their_own() {
        let (program, outcome) = examples::justified();
        expect![[r##"
            digraph "TC" {
              label="TC, tso: allowed\n";
              labelloc=t;
              newrank=true;
              splines=true;
              node [shape=box, style="rounded,filled", fillcolor=white, fontname="monospace"];
              edge [fontname="monospace"];
              subgraph cluster_s1_E {
                label="E_1 and E_2\nC_1 and C_2 commit: init x, init y, b";
                s1_e0 [label="init x=0", fillcolor="#e8f1fb", color="#d4a000", penwidth=4];
                s1_e1 [label="init y=0", fillcolor="#e8f1fb", color="#d4a000", penwidth=4];
                subgraph cluster_s1_0 {
                  label="P0";
                  s1_e3 [label="a: R x=0\nr1 = x", fillcolor="#fdf6e3"];
                  s1_e4 [label="b: W y=1\ny = 1", fillcolor="#e8f1fb", color="#d4a000", penwidth=4];
                }
                subgraph cluster_s1_1 {
                  label="P1";
                  s1_e7 [label="c: R y=0\nr2 = y", fillcolor="#fdf6e3"];
                  s1_e8 [label="d: W x=0\nx = r2", fillcolor="#e8f1fb"];
                  s1_e9 [label="e: print 0\nprint(r2)", fillcolor="#eeeeee"];
                }
                s1_e3 -> s1_e4 [label="po", color="#8a8f98", fontcolor="#8a8f98", weight=10];
                s1_e7 -> s1_e8 [label="po", color="#8a8f98", fontcolor="#8a8f98", weight=10];
                s1_e8 -> s1_e9 [label="po", color="#8a8f98", fontcolor="#8a8f98", weight=10];
                s1_e0 -> s1_e3 [xlabel="rf", color="#1a7f37", fontcolor="#1a7f37", constraint=false];
                s1_e1 -> s1_e7 [xlabel="rf", color="#1a7f37", fontcolor="#1a7f37", constraint=false];
              }
              subgraph cluster_s3_E {
                label="E_3\nC_3 commits: a, c, d, the last of E";
                s3_e0 [label="init x=0", fillcolor="#e8f1fb", penwidth=2];
                subgraph cluster_s3_0 {
                  label="P0";
                  s3_e3 [label="a: R x=0\nr1 = x", fillcolor="#fdf6e3", color="#d4a000", penwidth=4];
                  s3_e4 [label="b: W y=1\ny = 1", fillcolor="#e8f1fb", penwidth=2];
                }
                subgraph cluster_s3_1 {
                  label="P1";
                  s3_e7 [label="c: R y=1\nr2 = y", fillcolor="#fdf6e3", color="#d4a000", penwidth=4];
                  s3_e8 [label="d: W x=1\nx = r2", fillcolor="#e8f1fb", color="#d4a000", penwidth=4];
                }
                s3_e3 -> s3_e4 [label="po", color="#8a8f98", fontcolor="#8a8f98", weight=10];
                s3_e7 -> s3_e8 [label="po", color="#8a8f98", fontcolor="#8a8f98", weight=10];
                s3_e0 -> s3_e3 [xlabel="rf", color="#1a7f37", fontcolor="#1a7f37", constraint=false];
                s3_e4 -> s3_e7 [xlabel="rf", color="#1a7f37", fontcolor="#1a7f37", constraint=false];
                s3_e4 -> s3_e7 [xlabel="so", color="#0e7c86", fontcolor="#0e7c86", constraint=false];
                s3_e7 -> s3_e8 [xlabel="so", color="#0e7c86", fontcolor="#0e7c86", constraint=false];
              }
              s1_e9 -> s3_e0 [style=invis];
              subgraph cluster_E {
                label="E";
                subgraph cluster_0 {
                  label="P0";
                  e3 [label="a: R x=1\nr1 = x", fillcolor="#fdf6e3"];
                  e4 [label="b: W y=1\ny = 1", fillcolor="#e8f1fb"];
                }
                subgraph cluster_1 {
                  label="P1";
                  e7 [label="c: R y=1\nr2 = y", fillcolor="#fdf6e3"];
                  e8 [label="d: W x=1\nx = r2", fillcolor="#e8f1fb"];
                }
                e3 -> e4 [label="po", color="#8a8f98", fontcolor="#8a8f98", weight=10];
                e7 -> e8 [label="po", color="#8a8f98", fontcolor="#8a8f98", weight=10];
                e8 -> e3 [xlabel="rf", color="#1a7f37", fontcolor="#1a7f37", constraint=false];
                e4 -> e7 [xlabel="rf", color="#1a7f37", fontcolor="#1a7f37", constraint=false];
              }
              s3_e8 -> e3 [style=invis];
            }
        "##]]
        .assert_eq(&answer(&examples::answer(&program, &outcome)));
    }
}
