//! Pictures of executions: one column per thread, program order downwards, everything else as labelled curves.
//!
//! The layout is our own and made for executions. `plan` decides which way each edge takes, `layout` gives everything
//! a place, `route` makes the curves. The background is white whatever the viewer's theme.

mod layout;
mod plan;
mod route;

use std::collections::BTreeSet;

use program::{EventId, EventKind, Execution, Failure, Program, Violation};

use crate::answer::verdict_word;
use crate::drawing::{Drawing, Edge, cycle_drawing, drawing, stage_drawing};
use crate::justification::{Commitment, Stage, stages};
use crate::reordering::{Reordering, reordering};
use crate::xml::{escape, shorten};
use crate::{Answer, words};
use layout::{LABEL_SIZE, Layout, Rect, SOURCE_LIMIT, SOURCE_SIZE};
use route::{Curve, curves, label_size, shows_label};

/// The picture of an answer: the witness, or the offending cycle with the axiom's name; a mere title when there is no
/// execution to draw.
pub fn answer(answer: &Answer) -> String {
    let verdict = verdict_word(&answer.outcome.verdict);
    if answer.is_shown_by_steps()
        && let Some(witness) = &answer.outcome.witness
        && let Some(picture) = circle(answer.program, witness, &reordering(witness), answer.outcome.failure.as_ref())
    {
        return picture;
    }
    let title = format!("{} under {}: {verdict}", answer.program.name, answer.model);
    match answer.picture() {
        Some((execution, violation)) => {
            pictured(answer.program, execution, (violation, answer.outcome.failure.as_ref()), &title)
        }
        None => picture(answer.program, &Execution::default(), None, &format!("{title} (no execution to draw)")),
    }
}

/// An execution with a title; with a violation, its cycle stands out and the axiom is named. The executions that justify it
/// stand above it, one below the other.
pub fn picture(program: &Program, execution: &Execution, violation: Option<&Violation>, title: &str) -> String {
    pictured(program, execution, (violation, None), title)
}

fn pictured(
    program: &Program,
    execution: &Execution,
    (violation, failure): (Option<&Violation>, Option<&Failure>),
    title: &str,
) -> String {
    let panels = panels(program, execution, violation, failure);
    let captions = captions(violation, title, panels.len() > 1);
    compose(&panels, &captions, &footer(program, execution), title)
}

/// A picture of more events than this is no help.
const MOST_DRAWN: usize = 40;

/// Of an execution of a bounded test the cycle that excludes an interleaving, with the stores that its loads see; without a
/// cycle the whole execution, if it is short.
pub(crate) fn circle(
    program: &Program,
    execution: &Execution,
    found: &Reordering,
    failure: Option<&Failure>,
) -> Option<String> {
    let mut only: BTreeSet<EventId> = found.cycle.iter().flat_map(|step| [step.from, step.to]).collect();
    if only.is_empty() && execution.events.len() <= MOST_DRAWN {
        only.extend(execution.ids());
    }
    let sources: Vec<EventId> =
        execution.rf.iter().filter(|(_, read)| only.contains(read)).map(|&(write, _)| write).collect();
    only.extend(sources);
    let title = match found.cycle.is_empty() {
        false => "Program order and what each access sees, in a circle",
        true => "What each access sees",
    };
    let drawing = cycle_drawing(program, execution, &found.cycle, &only, failure);
    let panel = Panel { title: "E".into(), drawing };
    (!only.is_empty()).then(|| compose(&[panel], &captions(None, title, false), &[], title))
}

/// Panels below captions, above a footer and a legend.
fn compose(panels: &[Panel], captions: &[Caption], footer: &[String], title: &str) -> String {
    let texts = captions.iter().map(|caption| &caption.text).chain(footer).chain(panels.iter().map(|p| &p.title));
    let min_width = texts.map(|text| text.chars().count() as f64 * 7.4 + 48.0).fold(260.0, f64::max);
    let width = panels.iter().map(|panel| place(panel, 0.0, min_width).layout.width).fold(min_width, f64::max);
    let mut body: String = captions.iter().enumerate().map(|(index, caption)| caption.at(index)).collect();
    let mut bottom = 18.0 + 22.0 * captions.len() as f64;
    match panels {
        [panel] => {
            let placed = place(panel, bottom, width);
            body.push_str(&inner(panel, &placed));
            bottom = placed.layout.bottom;
        }
        _ => panels.iter().for_each(|panel| body.push_str(&nested(panel, width, &mut bottom))),
    }
    let edges: Vec<&Edge> = panels.iter().flat_map(|panel| &panel.drawing.edges).collect();
    let legend_lines = legend_lines(&edges, width);
    let height = bottom + 22.0 * footer.len() as f64 + 18.0 * legend_lines.len() as f64 + 14.0;

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\">\n"
    );
    svg.push_str(&format!("<title>{}</title>\n", escape(title)));
    svg.push_str(&markers(&edges));
    svg.push_str("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    svg.push_str(&body);
    let mut y = bottom + 12.0;
    for line in footer {
        svg.push_str(&sans(24.0, y, 12.5, "400", "#1f2328", line));
        y += 22.0;
    }
    svg.push_str(&legend(&legend_lines, y));
    svg.push_str("</svg>\n");
    svg
}

/// One of the executions of a picture.
struct Panel {
    /// Stands above it where there are several.
    title: String,
    drawing: Drawing,
}

/// A panel with sizes.
struct Placed {
    layout: Layout,
    curves: Vec<Curve>,
}

/// The executions that justify the main one, in order, and then that one itself.
fn panels(
    program: &Program,
    execution: &Execution,
    violation: Option<&Violation>,
    failure: Option<&Failure>,
) -> Vec<Panel> {
    let stage = |stage: &Stage| {
        let commits = stage.commits().map_or(String::new(), |commits| format!(".  {commits}"));
        Panel { title: shorten(&format!("{}{commits}", stage.title()), 110), drawing: stage_drawing(program, stage) }
    };
    let mut panels: Vec<Panel> = stages(program, execution).iter().map(stage).collect();
    let mut drawing = drawing(program, execution, violation, failure);
    if drawing.nodes.is_empty() {
        drawing.columns.clear();
    }
    panels.push(Panel { title: "E".into(), drawing });
    panels
}

/// Places a panel below `top`.
fn place(panel: &Panel, top: f64, min_width: f64) -> Placed {
    let plan = plan::plan(&panel.drawing);
    let layout = layout::layout(&panel.drawing, &plan, top + above(&plan), min_width);
    Placed { curves: curves(&panel.drawing, &plan, &layout), layout }
}

fn inner(panel: &Panel, placed: &Placed) -> String {
    let (drawing, layout) = (&panel.drawing, &placed.layout);
    threads(drawing, layout) + &nodes(drawing, layout) + &edges(drawing, &placed.curves)
}

/// A panel as a picture in the picture, with its title and a line above; moves `bottom` to below it.
fn nested(panel: &Panel, width: f64, bottom: &mut f64) -> String {
    let placed = place(panel, 42.0, width);
    let height = placed.layout.bottom + 16.0;
    let svg = format!(
        "<svg x=\"0\" y=\"{:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <path d=\"M24,4 H{:.0}\" stroke=\"#d8dee4\" stroke-width=\"1\"/>\n{}{}</svg>\n",
        *bottom,
        width - 24.0,
        sans(24.0, 24.0, 13.0, "600", "#1f2328", &panel.title),
        inner(panel, &placed)
    );
    *bottom = (*bottom + height).round();
    svg
}

/// Room above the initial writes for arcs between them.
fn above(plan: &plan::Plan) -> f64 {
    if plan.routes.contains(&plan::Route::Above) { 34.0 } else { 0.0 }
}

/// A line above the picture.
struct Caption {
    text: String,
    size: f64,
    weight: &'static str,
    colour: &'static str,
}

impl Caption {
    fn at(&self, index: usize) -> String {
        sans(24.0, 28.0 + 22.0 * index as f64, self.size, self.weight, self.colour, &self.text)
    }
}

fn captions(violation: Option<&Violation>, title: &str, is_justified: bool) -> Vec<Caption> {
    let mut captions = vec![Caption { text: shorten(title, 100), size: 14.0, weight: "600", colour: "#1f2328" }];
    if let Some(violation) = violation {
        let is_cycle = violation.cycle.first().zip(violation.cycle.last()).is_some_and(|(a, b)| a.from == b.to);
        let relations: Vec<&str> = violation.cycle.iter().map(|step| step.relation.as_str()).collect();
        let how = match (relations.is_empty(), is_cycle) {
            (true, _) => String::new(),
            (false, true) => format!(", by the cycle {}", relations.join(" ; ")),
            (false, false) => format!(", by the path {}", relations.join(" ; ")),
        };
        let text = shorten(&format!("This execution would break the axiom {}{how}", violation.axiom), 110);
        captions.push(Caption { text, size: 14.0, weight: "400", colour: "#d1242f" });
    }
    if is_justified {
        let text =
            "Dark frame: committed; yellow: committed at this stage. E is justified by what stands above it.".into();
        captions.push(Caption { text, size: 12.5, weight: "400", colour: "#57606a" });
    }
    captions
}

fn footer(program: &Program, execution: &Execution) -> Vec<String> {
    if execution.state.is_empty() {
        return Vec::new();
    }
    vec![shorten(&format!("Final state: {}", words::state(program, &execution.state)), 140)]
}

fn sans(x: f64, y: f64, size: f64, weight: &str, colour: &str, text: &str) -> String {
    format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-family=\"system-ui, DejaVu Sans, sans-serif\" font-size=\"{size}\" \
         font-weight=\"{weight}\" fill=\"{colour}\">{}</text>\n",
        escape(text)
    )
}

/// One arrow head per colour, of a fixed size whatever the width of the line.
fn markers(edges: &[&Edge]) -> String {
    let mut colours: Vec<&str> = edges.iter().map(|edge| edge.colour).collect();
    colours.sort_unstable();
    colours.dedup();
    let marker = |colour: &&str| {
        format!(
            "<marker id=\"arrow-{}\" viewBox=\"0 0 10 8\" refX=\"9.5\" refY=\"4\" markerWidth=\"10\" markerHeight=\"8\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0,0 L10,4 L0,8 L2.5,4 Z\" fill=\"{colour}\"/></marker>\n",
            colour.trim_start_matches('#')
        )
    };
    format!("<defs>\n{}</defs>\n", colours.iter().map(marker).collect::<String>())
}

/// A faint band behind each thread, and its name.
fn threads(drawing: &Drawing, layout: &Layout) -> String {
    let mut svg = String::new();
    let columns = drawing.columns.iter().zip(&layout.headers).zip(&layout.columns);
    for ((column, &(x, y)), &(left, right)) in columns {
        let (top, width, height) = (y - 18.0, right - left + 16.0, layout.bottom - y + 14.0);
        svg.push_str(&format!(
            "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"8\" fill=\"#f6f8fa\"/>\n",
            left - 8.0
        ));
        svg.push_str(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" font-size=\"13\" font-weight=\"600\" fill=\"#57606a\">{}</text>\n",
            escape(&column.name)
        ));
    }
    svg
}

fn nodes(drawing: &Drawing, layout: &Layout) -> String {
    let mut svg = String::new();
    for (index, (node, rect)) in drawing.nodes.iter().zip(&layout.boxes).enumerate() {
        let Some(rect) = rect else { continue };
        let is_initial = drawing.initial.iter().any(|id| id.0 as usize == index);
        let (fill, stroke) = match node.kind {
            _ if is_initial => ("#ffffff", "#8a8f98"),
            EventKind::Write => ("#e3effc", "#5b8fc7"),
            EventKind::Read => ("#fdf3d7", "#c29b3b"),
            _ => ("#e9ebee", "#8a8f98"),
        };
        let (stroke, stroke_width) = match node.commitment {
            _ if node.on_cycle => ("#d1242f", 2.0),
            Commitment::Open => (stroke, 1.0),
            Commitment::Earlier | Commitment::New => ("#1f2328", 2.2),
        };
        let dash = if is_initial { " stroke-dasharray=\"4 3\"" } else { "" };
        let Rect { x, y, width, height } = *rect;
        if node.commitment == Commitment::New {
            svg.push_str(&format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"9\" fill=\"#ffd33d\"/>\n",
                x - 5.0,
                y - 5.0,
                width + 10.0,
                height + 10.0
            ));
        }
        svg.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"5\" fill=\"{fill}\" \
             stroke=\"{stroke}\" stroke-width=\"{stroke_width}\"{dash}/>\n"
        ));
        let (middle, centre) = rect.centre();
        let baseline = if node.source.is_empty() { centre + 4.5 } else { centre - 3.0 };
        svg.push_str(&centred(middle, baseline, LABEL_SIZE, "#1f2328", &node.label));
        if !node.source.is_empty() {
            let source = shorten(&node.source, SOURCE_LIMIT);
            svg.push_str(&centred(middle, centre + 14.0, SOURCE_SIZE, "#57606a", &source));
        }
    }
    svg
}

fn centred(x: f64, y: f64, size: f64, colour: &str, text: &str) -> String {
    format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" font-size=\"{size}\" fill=\"{colour}\">{}</text>\n",
        escape(text)
    )
}

/// Curves first, the cycle on top of the others; then the labels, each with a white halo.
fn edges(drawing: &Drawing, curves: &[Curve]) -> String {
    let mut pairs: Vec<(&Edge, &Curve)> = drawing.edges.iter().zip(curves).collect();
    pairs.sort_by_key(|(edge, _)| edge.on_cycle);
    let mut svg = String::new();
    for (edge, curve) in &pairs {
        let width = if edge.on_cycle { 2.8 } else { 1.4 };
        let dash = if is_dependency(edge) { " stroke-dasharray=\"6 3\"" } else { "" };
        svg.push_str(&format!(
            "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"{dash}{} marker-end=\"url(#arrow-{})\"/>\n",
            curve.path,
            edge.colour,
            fade(drawing, edge),
            edge.colour.trim_start_matches('#')
        ));
    }
    for (edge, curve) in pairs.iter().filter(|(edge, _)| shows_label(edge)) {
        let (x, y) = curve.label;
        let weight = if edge.on_cycle { "700" } else { "400" };
        let (_, height) = label_size(&edge.label);
        svg.push_str(&format!(
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"11\" font-weight=\"{weight}\" fill=\"{}\" \
             stroke=\"#ffffff\" stroke-width=\"4\" stroke-linejoin=\"round\" paint-order=\"stroke\"{}>{}</text>\n",
            y + height / 2.0 - 2.5,
            edge.colour,
            fade(drawing, edge),
            escape(&shorten(&edge.label, 24))
        ));
    }
    svg
}

fn fade(drawing: &Drawing, edge: &Edge) -> &'static str {
    if drawing.emphasised && !edge.on_cycle { " opacity=\"0.3\"" } else { "" }
}

fn is_dependency(edge: &Edge) -> bool {
    !edge.on_cycle && matches!(edge.label.as_str(), "addr" | "data" | "ctrl")
}

/// What the relations' names mean, for those that the picture shows.
const MEANINGS: [(&str, &str); 9] = [
    ("po", "program order"),
    ("rf", "reads-from"),
    ("co", "coherence"),
    ("fr", "from-read"),
    ("rmw", "read-modify-write"),
    ("addr", "address"),
    ("data", "data"),
    ("ctrl", "control dependency"),
    ("so", "synchronisation order"),
];

fn legend_entries(edges: &[&Edge]) -> Vec<(&'static str, &'static str, &'static str)> {
    let entry = |&(name, meaning): &(&'static str, &'static str)| {
        let edge = edges.iter().find(|edge| edge.label == name && !edge.on_cycle)?;
        Some((name, meaning, edge.colour))
    };
    MEANINGS.iter().filter_map(entry).collect()
}

/// Entries of the legend in lines that fit the width.
fn legend_lines(edges: &[&Edge], width: f64) -> Vec<Vec<(&'static str, &'static str, &'static str)>> {
    let mut lines: Vec<Vec<_>> = Vec::new();
    let mut left = 0.0;
    for entry in legend_entries(edges) {
        let needed = (entry.0.len() + entry.1.len() + 4) as f64 * 6.6;
        if needed > left {
            lines.push(Vec::new());
            left = width - 48.0;
        }
        left -= needed;
        lines.last_mut().expect("pushed before the first entry").push(entry);
    }
    lines
}

fn legend(lines: &[Vec<(&'static str, &'static str, &'static str)>], y: f64) -> String {
    let entry = |(name, meaning, colour): &(&str, &str, &str)| {
        format!("<tspan fill=\"{colour}\" font-weight=\"700\">{name}</tspan> {meaning}")
    };
    let line = |(index, entries): (usize, &Vec<(&str, &str, &str)>)| {
        format!(
            "<text x=\"24\" y=\"{:.1}\" font-family=\"system-ui, DejaVu Sans, sans-serif\" font-size=\"11\" \
             fill=\"#57606a\">{}</text>\n",
            y + 18.0 * index as f64,
            entries.iter().map(entry).collect::<Vec<_>>().join(" · ")
        )
    };
    lines.iter().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests;
