//! Edges as curves: where they leave and enter boxes, the path between, and where the label goes.

use program::EventId;

use super::layout::{Layout, Rect};
use super::plan::{Place, Plan, Route};
use crate::drawing::{Drawing, Edge};

type Point = (f64, f64);

/// An edge as a curve.
pub struct Curve {
    /// The path in SVG's notation.
    pub path: String,
    /// The middle of the label.
    pub label: Point,
    /// Points along the curve, evenly spread.
    samples: Vec<Point>,
}

/// Radius of the corners of paths along gutters and gaps.
const RADIUS: f64 = 13.0;
/// Points taken along each curve when labels are placed.
const SAMPLES: usize = 25;

/// The curves of all edges, in order. Labels keep clear of boxes and of each other where there is room.
pub fn curves(drawing: &Drawing, plan: &Plan, layout: &Layout) -> Vec<Curve> {
    let ends = ports(drawing, plan, layout);
    let edges = plan.routes.iter().zip(ends);
    let mut curves: Vec<Curve> = edges.map(|(route, (start, end))| curve(*route, start, end, layout)).collect();
    place_labels(drawing, layout, &mut curves);
    curves
}

/// Width and height of a label.
pub fn label_size(text: &str) -> (f64, f64) {
    (text.chars().count() as f64 * 6.7 + 4.0, 13.0)
}

/// The side of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Left,
    Right,
    Top,
    Bottom,
}

/// Where each edge starts and ends: the ends at one side of a box are spread over it, in the order of what they lead to.
fn ports(drawing: &Drawing, plan: &Plan, layout: &Layout) -> Vec<(Point, Point)> {
    let rect = |id: EventId| layout.boxes[id.0 as usize].unwrap_or_default();
    let mut ends: Vec<(EventId, Side, f64, usize, bool)> = Vec::new();
    for (index, (edge, route)) in drawing.edges.iter().zip(&plan.routes).enumerate() {
        let (start, end) = sides(plan, edge, *route);
        for (id, side, other, is_start) in [(edge.from, start, edge.to, true), (edge.to, end, edge.from, false)] {
            let (x, y) = rect(other).centre();
            let towards = if matches!(side, Side::Left | Side::Right) { y } else { x };
            // Of two edges between the same boxes the order must be the same at both ends.
            ends.push((id, side, towards + index as f64 * 1e-3, index, is_start));
        }
    }
    ends.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    let mut points = vec![((0.0, 0.0), (0.0, 0.0)); drawing.edges.len()];
    for group in ends.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        for (position, &(id, side, _, index, is_start)) in group.iter().enumerate() {
            let part = (position + 1) as f64 / (group.len() + 1) as f64;
            let point = port(rect(id), side, part);
            if is_start {
                points[index].0 = point;
            } else {
                points[index].1 = point;
            }
        }
    }
    points
}

fn port(rect: Rect, side: Side, part: f64) -> Point {
    match side {
        Side::Left => (rect.x, rect.y + rect.height * part),
        Side::Right => (rect.x + rect.width, rect.y + rect.height * part),
        Side::Top => (rect.x + rect.width * part, rect.y),
        Side::Bottom => (rect.x + rect.width * part, rect.y + rect.height),
    }
}

fn sides(plan: &Plan, edge: &Edge, route: Route) -> (Side, Side) {
    let place = |id: EventId| plan.places[id.0 as usize];
    let is_initial = |id: EventId| matches!(place(id), Some(Place::Initial(_)));
    let column = |id: EventId| match place(id) {
        Some(Place::Cell { column, .. }) => column,
        _ => 0,
    };
    let (from, to) = (column(edge.from), column(edge.to));
    match route {
        Route::Down => (Side::Bottom, Side::Top),
        Route::Arc { right: true, .. } => (Side::Right, Side::Right),
        Route::Arc { right: false, .. } => (Side::Left, Side::Left),
        Route::Across | Route::Around { .. } if from < to => (Side::Right, Side::Left),
        Route::Across | Route::Around { .. } => (Side::Left, Side::Right),
        Route::Top { gutter, .. } if is_initial(edge.from) => {
            (Side::Bottom, if gutter.channel == to { Side::Left } else { Side::Right })
        }
        Route::Top { gutter, .. } => (if gutter.channel == from { Side::Left } else { Side::Right }, Side::Bottom),
        Route::Above => (Side::Top, Side::Top),
    }
}

fn curve(route: Route, start: Point, end: Point, layout: &Layout) -> Curve {
    match route {
        Route::Down => polyline(&[start, end]),
        Route::Arc { right, level } => {
            // A Bézier curve reaches three quarters of the way to its control points.
            let out = Layout::reach(level) / 0.75 * if right { 1.0 } else { -1.0 };
            bezier(start, (start.0 + out, start.1), (end.0 + out, end.1), end)
        }
        Route::Across => {
            let bend = (end.0 - start.0) * 0.5;
            bezier(start, (start.0 + bend, start.1), (end.0 - bend, end.1), end)
        }
        Route::Around { first, gap, last } => {
            let (first, lane, last) = (layout.track(first), layout.lane(gap), layout.track(last));
            polyline(&[start, (first, start.1), (first, lane), (last, lane), (last, end.1), end])
        }
        Route::Top { gap, gutter } => {
            let (lane, track) = (layout.lane(gap), layout.track(gutter));
            let is_down = start.1 < end.1;
            let (initial, event) = if is_down { (start, end) } else { (end, start) };
            let mut points = vec![initial, (initial.0, lane), (track, lane), (track, event.1), event];
            if !is_down {
                points.reverse();
            }
            polyline(&points)
        }
        Route::Above => {
            let up = 26.0 + 0.04 * (end.0 - start.0).abs();
            bezier(start, (start.0, start.1 - up), (end.0, end.1 - up), end)
        }
    }
}

fn bezier(a: Point, b: Point, c: Point, d: Point) -> Curve {
    let at = |t: f64| {
        let u = 1.0 - t;
        let mix =
            |a: f64, b: f64, c: f64, d: f64| u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d;
        (mix(a.0, b.0, c.0, d.0), mix(a.1, b.1, c.1, d.1))
    };
    let path = format!("M{} C{} {} {}", show(a), show(b), show(c), show(d));
    let samples = (0..SAMPLES).map(|index| at(index as f64 / (SAMPLES - 1) as f64)).collect();
    Curve { path, label: at(0.5), samples }
}

/// Straight pieces with round corners.
fn polyline(points: &[Point]) -> Curve {
    let mut path = format!("M{}", show(points[0]));
    for window in points.windows(3) {
        let (before, corner, after) = (window[0], window[1], window[2]);
        let radius = RADIUS.min(distance(before, corner) / 2.0).min(distance(corner, after) / 2.0);
        let (start, end) = (towards(corner, before, radius), towards(corner, after, radius));
        path.push_str(&format!(" L{} Q{} {}", show(start), show(corner), show(end)));
    }
    path.push_str(&format!(" L{}", show(points[points.len() - 1])));
    let length: f64 = points.windows(2).map(|pair| distance(pair[0], pair[1])).sum();
    let along = |part: f64| {
        let mut left = part * length;
        for pair in points.windows(2) {
            let piece = distance(pair[0], pair[1]);
            if left <= piece {
                return towards(pair[0], pair[1], left);
            }
            left -= piece;
        }
        points[points.len() - 1]
    };
    let samples = (0..SAMPLES).map(|index| along(index as f64 / (SAMPLES - 1) as f64)).collect();
    Curve { path, label: along(0.5), samples }
}

fn distance(a: Point, b: Point) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// The point at `length` from `from` in the direction of `to`.
fn towards(from: Point, to: Point, length: f64) -> Point {
    let part = length / distance(from, to).max(1e-9);
    (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
}

fn show((x, y): Point) -> String {
    format!("{x:.1},{y:.1}")
}

/// Chooses for each label, cycle first, the place along its curve that hides least.
fn place_labels(drawing: &Drawing, layout: &Layout, curves: &mut [Curve]) {
    let mut placed: Vec<Rect> = Vec::new();
    let mut order: Vec<usize> = (0..curves.len()).filter(|&index| shows_label(&drawing.edges[index])).collect();
    order.sort_by_key(|&index| !drawing.edges[index].on_cycle);
    for index in order {
        let (width, height) = label_size(&drawing.edges[index].label);
        let rect = |(x, y): Point| Rect { x: x - width / 2.0, y: y - height / 2.0, width, height };
        let cost = |position: usize| {
            let rect = rect(curves[index].samples[position]);
            let boxes = layout.boxes.iter().flatten().filter(|other| other.overlaps(&rect)).count();
            let labels = placed.iter().filter(|other| other.overlaps(&rect)).count();
            let passes = |curve: &Curve| curve.samples.iter().any(|&point| rect.contains(point));
            let crossed = curves.iter().enumerate().filter(|&(other, curve)| other != index && passes(curve)).count();
            let off_middle = position.abs_diff(SAMPLES / 2);
            100 * boxes + 60 * labels + 6 * crossed + off_middle
        };
        let best = (2..SAMPLES - 2).min_by_key(|&position| cost(position)).unwrap_or(SAMPLES / 2);
        curves[index].label = curves[index].samples[best];
        placed.push(rect(curves[index].label));
    }
}

/// Program order is labelled only where it matters: it goes down everywhere.
pub fn shows_label(edge: &Edge) -> bool {
    !edge.is_po_step || edge.on_cycle
}
