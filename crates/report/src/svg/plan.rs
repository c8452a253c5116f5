//! Which way each edge takes, in terms of columns and rows, before anything has a size.
//!
//! The boxes stand in a grid. Between its columns run *gutters* (gutter `c` is left of column `c`), between its rows run
//! *gaps* (gap `r` is above row `r`). Edges keep to gutters and gaps, so that none runs through a box; runs that would lie on
//! top of each other get different *tracks*.

use program::EventId;

use crate::drawing::{Drawing, Edge};

/// Where an event stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the row of initial writes, at this index.
    Initial(usize),
    /// In a thread's column.
    Cell {
        /// The column, from the left.
        column: usize,
        /// The row, from the top.
        row: usize,
    },
}

/// A run along a gutter or gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Which gutter or gap.
    pub channel: usize,
    /// Which track of it.
    pub track: usize,
}

/// The way of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// Straight down to the next event of the thread.
    Down,
    /// Out into a gutter and back to the same column.
    Arc {
        /// Whether on the column's right.
        right: bool,
        /// How far out: arcs around other arcs have higher levels.
        level: usize,
    },
    /// Across the one gutter between neighbouring columns.
    Across,
    /// Along a gutter, along a gap, along another gutter.
    Around {
        /// The gutter at the start.
        first: Run,
        /// The gap.
        gap: Run,
        /// The gutter at the end.
        last: Run,
    },
    /// Between an initial write and a thread's event: along the top gap, then along a gutter.
    Top {
        /// The top gap.
        gap: Run,
        /// The gutter.
        gutter: Run,
    },
    /// Between two initial writes: an arc above them.
    Above,
}

/// The ways of all edges, and how many tracks each gutter and gap needs for them.
pub struct Plan {
    /// One per event; `None` for events that are not drawn.
    pub places: Vec<Option<Place>>,
    /// One per edge.
    pub routes: Vec<Route>,
    /// Number of rows.
    pub rows: usize,
    /// Per gutter.
    pub gutters: Vec<Gutter>,
    /// Tracks per gap.
    pub gap_tracks: Vec<usize>,
}

/// What a gutter must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gutter {
    /// Levels of arcs of the column on the left.
    pub left_arcs: usize,
    /// Vertical runs.
    pub tracks: usize,
    /// Levels of arcs of the column on the right.
    pub right_arcs: usize,
    /// Edges that cross it.
    pub crossings: usize,
}

/// Plans the ways of all edges.
pub fn plan(drawing: &Drawing) -> Plan {
    let places = places(drawing);
    let columns = drawing.columns.len();
    let rows = drawing.columns.iter().map(|column| column.events.len()).max().unwrap_or(0);
    let mut planner = Planner {
        means: initial_means(drawing, &places),
        gutters: vec![Gutter::default(); columns + 1],
        gutter_runs: vec![Vec::new(); columns + 1],
        gap_runs: vec![Vec::new(); rows + 1],
        arcs: vec![Vec::new(); 2 * columns],
        columns,
    };
    let mut routes = vec![Route::Down; drawing.edges.len()];
    let mut order: Vec<usize> = (0..drawing.edges.len()).collect();
    let place = |id: EventId| places[id.0 as usize].unwrap_or(Place::Initial(0));
    // Short arcs first, so that longer ones go around them; edges of the cycle before all others.
    order.sort_by_key(|&index| {
        let edge = &drawing.edges[index];
        (!edge.on_cycle, span(place(edge.from), place(edge.to)), index)
    });
    for index in order {
        let edge = &drawing.edges[index];
        routes[index] = planner.route(edge, place(edge.from), place(edge.to));
    }
    let tracks = |runs: &Vec<(usize, usize, usize)>| runs.iter().map(|run| run.2 + 1).max().unwrap_or(0);
    for (gutter, runs) in planner.gutters.iter_mut().zip(&planner.gutter_runs) {
        gutter.tracks = tracks(runs);
    }
    Plan { places, routes, rows, gutters: planner.gutters, gap_tracks: planner.gap_runs.iter().map(tracks).collect() }
}

fn places(drawing: &Drawing) -> Vec<Option<Place>> {
    let mut places = vec![None; drawing.nodes.len()];
    for (column, thread) in drawing.columns.iter().enumerate() {
        for (row, id) in thread.events.iter().enumerate() {
            places[id.0 as usize] = Some(Place::Cell { column, row });
        }
    }
    for (index, id) in drawing.initial.iter().enumerate() {
        places[id.0 as usize] = Some(Place::Initial(index));
    }
    places
}

/// How far apart two places of a column are.
fn span(a: Place, b: Place) -> usize {
    match (a, b) {
        (Place::Cell { row: a, .. }, Place::Cell { row: b, .. }) => a.abs_diff(b),
        _ => 0,
    }
}

/// For each initial write the mean column of the events it is connected with: it should stand above them.
pub fn initial_means(drawing: &Drawing, places: &[Option<Place>]) -> Vec<f64> {
    let mean = |id: &EventId| {
        let other = |edge: &Edge| match (edge.from == *id, edge.to == *id) {
            (true, _) => Some(edge.to),
            (_, true) => Some(edge.from),
            _ => None,
        };
        let column = |id: EventId| match places[id.0 as usize] {
            Some(Place::Cell { column, .. }) => Some(column as f64),
            _ => None,
        };
        let columns: Vec<f64> = drawing.edges.iter().filter_map(other).filter_map(column).collect();
        columns.iter().sum::<f64>() / columns.len().max(1) as f64
    };
    drawing.initial.iter().map(mean).collect()
}

struct Planner {
    /// Mean column of each initial write's neighbours.
    means: Vec<f64>,
    gutters: Vec<Gutter>,
    /// Per gutter: first and last row unit, track.
    gutter_runs: Vec<Vec<(usize, usize, usize)>>,
    /// Per gap: first and last gutter, track.
    gap_runs: Vec<Vec<(usize, usize, usize)>>,
    /// Per column, left and right: first and last row, level.
    arcs: Vec<Vec<(usize, usize, usize)>>,
    columns: usize,
}

impl Planner {
    fn route(&mut self, edge: &Edge, from: Place, to: Place) -> Route {
        match (from, to) {
            _ if edge.is_po_step => Route::Down,
            (Place::Initial(_), Place::Initial(_)) => Route::Above,
            (Place::Initial(index), Place::Cell { column, row })
            | (Place::Cell { column, row }, Place::Initial(index)) => self.top(index, column, row),
            (Place::Cell { column: a, row: first }, Place::Cell { column: b, row: second }) => match a.abs_diff(b) {
                0 => self.arc(a, first.min(second), first.max(second)),
                1 => {
                    self.gutters[a.max(b)].crossings += 1;
                    Route::Across
                }
                _ => self.around((a, first), (b, second)),
            },
        }
    }

    fn top(&mut self, initial: usize, column: usize, row: usize) -> Route {
        let mean = self.means[initial];
        // The outermost gutters are free of edges between threads.
        let gutter = match column {
            0 => 0,
            last if last + 1 == self.columns => last + 1,
            inner if mean < inner as f64 => inner,
            inner => inner + 1,
        };
        let start = mean.round().max(0.0) as usize;
        let gap = run(&mut self.gap_runs, 0, start.min(gutter), start.max(gutter));
        Route::Top { gap, gutter: run(&mut self.gutter_runs, gutter, 0, 2 * row + 1) }
    }

    fn arc(&mut self, column: usize, first: usize, last: usize) -> Route {
        let level = |arcs: &[(usize, usize, usize)]| {
            let overlapping = arcs.iter().filter(|arc| arc.0 < last && first < arc.1);
            overlapping.map(|arc| arc.2 + 1).max().unwrap_or(0)
        };
        let (left, right) = (level(&self.arcs[2 * column]), level(&self.arcs[2 * column + 1]));
        // The outermost gutters have room to spare.
        let on_right = match column {
            0 if self.columns > 1 => left >= right + 3,
            last if last + 1 == self.columns => right < left + 3,
            _ => right <= left,
        };
        let level = if on_right { right } else { left };
        self.arcs[2 * column + usize::from(on_right)].push((first, last, level));
        let gutter = &mut self.gutters[column + usize::from(on_right)];
        let arcs = if on_right { &mut gutter.left_arcs } else { &mut gutter.right_arcs };
        *arcs = (*arcs).max(level + 1);
        Route::Arc { right: on_right, level }
    }

    fn around(&mut self, from: (usize, usize), to: (usize, usize)) -> Route {
        let (first_gutter, last_gutter) = if from.0 < to.0 { (from.0 + 1, to.0) } else { (from.0, to.0 + 1) };
        let (upper, lower) = (from.1.min(to.1), from.1.max(to.1));
        let (low, high) = (first_gutter.min(last_gutter), first_gutter.max(last_gutter));
        let candidates = if upper == lower { upper..=upper + 1 } else { upper + 1..=lower };
        let load = |gap: &usize| self.gap_runs[*gap].iter().filter(|run| run.0 < high && low < run.1).count();
        let gap = candidates.min_by_key(load).unwrap_or(lower);
        let vertical = |row: usize| ((2 * row + 1).min(2 * gap), (2 * row + 1).max(2 * gap));
        let (start, end) = (vertical(from.1), vertical(to.1));
        Route::Around {
            first: run(&mut self.gutter_runs, first_gutter, start.0, start.1),
            gap: run(&mut self.gap_runs, gap, low, high),
            last: run(&mut self.gutter_runs, last_gutter, end.0, end.1),
        }
    }
}

/// Takes the first track of a channel that is free from `low` to `high`.
fn run(channels: &mut [Vec<(usize, usize, usize)>], channel: usize, low: usize, high: usize) -> Run {
    let runs = &mut channels[channel];
    let is_free = |track: &usize| !runs.iter().any(|run| run.2 == *track && run.0 <= high && low <= run.1);
    let track = (0..).find(is_free).unwrap_or(0);
    runs.push((low, high, track));
    Run { channel, track }
}
