//! Sizes and positions: boxes in columns, gutters as wide as their tracks need, gaps likewise.

use program::EventId;

use super::plan::{Gutter, Place, Plan, initial_means};
use crate::drawing::{Drawing, Node};

/// Width of a character of a label in pixels: monospace at [`LABEL_SIZE`].
const LABEL_CHARACTER: f64 = 7.9;
/// Width of a character of the source text.
const SOURCE_CHARACTER: f64 = 6.7;
/// Font sizes in pixels.
pub const LABEL_SIZE: f64 = 13.0;
/// Font size of the source text.
pub const SOURCE_SIZE: f64 = 11.0;
/// Longer source texts are cut.
pub const SOURCE_LIMIT: usize = 34;
/// Distance of two tracks.
const TRACK: f64 = 13.0;
/// How far out each further level of arcs goes.
const ARC: f64 = 24.0;
const MARGIN: f64 = 24.0;
const HEADER: f64 = 26.0;

/// A box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rect {
    /// The middle of the box.
    pub fn centre(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Whether two boxes share a point.
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }

    /// Whether a point lies within.
    pub fn contains(&self, (x, y): (f64, f64)) -> bool {
        self.x <= x && x <= self.x + self.width && self.y <= y && y <= self.y + self.height
    }
}

/// Where everything stands.
pub struct Layout {
    /// Per event; `None` for those that are not drawn.
    pub boxes: Vec<Option<Rect>>,
    /// Middle and base line of each thread's name.
    pub headers: Vec<(f64, f64)>,
    /// Per column: left and right edge of its widest box.
    pub columns: Vec<(f64, f64)>,
    /// Width of the whole.
    pub width: f64,
    /// Bottom of the last gap.
    pub bottom: f64,
    /// Left edge of the tracks of each gutter.
    tracks: Vec<f64>,
    /// Top of the tracks of each gap.
    lanes: Vec<f64>,
}

impl Layout {
    /// Where a vertical run lies.
    pub fn track(&self, run: super::plan::Run) -> f64 {
        self.tracks[run.channel] + TRACK * run.track as f64
    }

    /// Where a horizontal run lies.
    pub fn lane(&self, run: super::plan::Run) -> f64 {
        self.lanes[run.channel] + TRACK * run.track as f64
    }

    /// How far an arc of a level goes out.
    pub fn reach(level: usize) -> f64 {
        20.0 + ARC * level as f64
    }
}

/// Places everything below `top`, at least `min_width` wide.
pub fn layout(drawing: &Drawing, plan: &Plan, top: f64, min_width: f64) -> Layout {
    let height = if drawing.nodes.iter().any(|node| !node.source.is_empty()) { 42.0 } else { 28.0 };
    let widths: Vec<f64> = drawing.columns.iter().map(|column| column_width(drawing, &column.events)).collect();
    let natural = 2.0 * MARGIN
        + widths.iter().sum::<f64>()
        + plan.gutters.iter().enumerate().map(|(index, gutter)| gutter_width(index, gutter, plan)).sum::<f64>();
    let initial_width: f64 = drawing.initial.iter().map(|&id| box_width(&drawing.nodes[id.0 as usize]) + 16.0).sum();
    let width = natural.max(min_width).max(initial_width + 2.0 * MARGIN);
    let (columns, tracks) = columns(plan, &widths, MARGIN + (width - natural) / 2.0);
    let initial_height = if drawing.initial.is_empty() { 0.0 } else { 28.0 };
    let (rows, lanes, bottom) = rows(plan, top + initial_height, height);
    let mut boxes = vec![None; drawing.nodes.len()];
    for (id, place) in plan.places.iter().enumerate() {
        if let Some(Place::Cell { column, row }) = *place {
            let own = box_width(&drawing.nodes[id]).max(columns[column].1 - columns[column].0);
            boxes[id] = Some(Rect { x: columns[column].0, y: rows[row], width: own, height });
        }
    }
    let means = initial_means(drawing, &plan.places);
    place_initial(drawing, &means, &columns, top, width, &mut boxes);
    let header = rows.first().map_or(bottom, |row| row - 9.0);
    let headers = columns.iter().map(|&(left, right)| ((left + right) / 2.0, header)).collect();
    Layout { boxes, headers, columns, width, bottom, tracks, lanes }
}

/// Left and right edges of the columns, and where the tracks of the gutters start.
fn columns(plan: &Plan, widths: &[f64], left: f64) -> (Vec<(f64, f64)>, Vec<f64>) {
    let (mut x, mut columns, mut tracks) = (left, Vec::new(), Vec::new());
    for (index, gutter) in plan.gutters.iter().enumerate() {
        let width = gutter_width(index, gutter, plan);
        let left_arcs = arcs_width(gutter.left_arcs);
        let spare = width - left_arcs - arcs_width(gutter.right_arcs) - TRACK * gutter.tracks.saturating_sub(1) as f64;
        tracks.push(x + left_arcs + spare / 2.0);
        x += width;
        if let Some(width) = widths.get(index) {
            columns.push((x, x + width));
            x += width;
        }
    }
    (columns, tracks)
}

/// Tops of the rows, of the lanes of the gaps, and the bottom.
fn rows(plan: &Plan, top: f64, height: f64) -> (Vec<f64>, Vec<f64>, f64) {
    let (mut y, mut rows, mut lanes) = (top, Vec::new(), Vec::new());
    for (index, &tracks) in plan.gap_tracks.iter().enumerate() {
        let lanes_height = TRACK * tracks.saturating_sub(1) as f64;
        let base = match index {
            0 if tracks > 0 => 36.0,
            0 => 6.0,
            last if last == plan.rows => 16.0,
            _ => 34.0,
        };
        let gap = base + lanes_height + if index == plan.rows && tracks > 0 { 10.0 } else { 0.0 };
        lanes.push(y + (gap - lanes_height) / 2.0);
        y += gap + if index == 0 { HEADER } else { 0.0 };
        if index < plan.rows {
            rows.push(y);
            y += height;
        }
    }
    (rows, lanes, y)
}

fn column_width(drawing: &Drawing, events: &[EventId]) -> f64 {
    events.iter().map(|id| box_width(&drawing.nodes[id.0 as usize])).fold(56.0, f64::max)
}

fn box_width(node: &Node) -> f64 {
    let label = node.label.chars().count() as f64 * LABEL_CHARACTER;
    let source = node.source.chars().count().min(SOURCE_LIMIT) as f64 * SOURCE_CHARACTER;
    label.max(source) + 18.0
}

fn arcs_width(levels: usize) -> f64 {
    if levels == 0 { 0.0 } else { Layout::reach(levels - 1) + 14.0 }
}

fn gutter_width(index: usize, gutter: &Gutter, plan: &Plan) -> f64 {
    let is_outer = index == 0 || index + 1 == plan.gutters.len();
    let tracks = if gutter.tracks == 0 { 0.0 } else { TRACK * gutter.tracks as f64 + 16.0 };
    let arcs = arcs_width(gutter.left_arcs) + arcs_width(gutter.right_arcs);
    let own = tracks + arcs;
    let least = match (is_outer, gutter.crossings) {
        (true, _) => 0.0,
        (false, 0) => 30.0,
        (false, crossings) => 78.0 + 6.0 * crossings.saturating_sub(2).min(8) as f64,
    };
    own.max(least)
}

/// Places each initial write above what it is connected with, without overlaps.
fn place_initial(
    drawing: &Drawing,
    means: &[f64],
    columns: &[(f64, f64)],
    top: f64,
    width: f64,
    boxes: &mut [Option<Rect>],
) {
    let mut order: Vec<usize> = (0..drawing.initial.len()).collect();
    order.sort_by(|&a, &b| means[a].total_cmp(&means[b]));
    let centre = |mean: f64| {
        let Some(last) = columns.len().checked_sub(1) else { return width / 2.0 };
        let middle = |index: usize| (columns[index.min(last)].0 + columns[index.min(last)].1) / 2.0;
        let (low, part) = (mean.floor() as usize, mean.fract());
        middle(low) * (1.0 - part) + middle(low + 1) * part
    };
    let mut placed: Vec<Rect> = Vec::new();
    for &index in &order {
        let box_width = box_width(&drawing.nodes[drawing.initial[index].0 as usize]);
        let wanted = centre(means[index]) - box_width / 2.0;
        let free = placed.last().map_or(MARGIN, |last| last.x + last.width + 16.0);
        placed.push(Rect { x: wanted.max(free), y: top, width: box_width, height: 28.0 });
    }
    // What was pushed out on the right is pushed back, and what stands before it with it.
    let mut limit = width - MARGIN;
    for rect in placed.iter_mut().rev() {
        rect.x = rect.x.min(limit - rect.width);
        limit = rect.x - 16.0;
    }
    for (rect, &index) in placed.into_iter().zip(&order) {
        boxes[drawing.initial[index].0 as usize] = Some(rect);
    }
}
