//! Sets of fences, or memory orders, that make tests pass.

use program::Location;
use serde_json::{Value as Json, json};

/// What was found.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The file as the user gave it.
    pub file: String,
    /// The model.
    pub model: String,
    /// Whether memory orders were looked for, not fences.
    pub orders: bool,
    /// The tests.
    pub tests: Vec<String>,
    /// How many candidates there were.
    pub candidates: usize,
    /// The sets of least cost.
    pub sets: Vec<FenceSet>,
    /// How the search ended.
    pub end: End,
    /// Whether sets were passed over only because loops have more iterations with them than with all candidates.
    pub bounded: bool,
    /// What of the file means nothing under the model.
    pub warnings: Vec<String>,
    /// Figures of the search, by name.
    pub figures: Vec<(String, u64)>,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum End {
    /// It is finished.
    Complete,
    /// This test fails whatever is put in; what `check` says about it.
    Hopeless(String, String),
    /// It could not be finished, for this reason.
    Unknown(String),
}

/// A set with which all tests pass.
#[derive(Clone, Debug)]
pub struct FenceSet {
    /// Its cost.
    pub cost: u32,
    /// Its members.
    pub members: Vec<Member>,
    /// What the source loses or what needs no order, as a remark.
    pub remarks: Vec<String>,
    /// The change of the source.
    pub patch: String,
}

/// A member of a set.
#[derive(Clone, Debug)]
pub struct Member {
    /// Where it stands, or what it comes just before.
    pub location: Location,
    /// The statement or expression there.
    pub at: String,
    /// What is put in: `load-load`.
    pub kind: String,
    /// The test that needs it.
    pub test: String,
    /// Whether that test fails without it; else a loop of the test has more iterations than with all candidates.
    pub fails: bool,
}

/// Plain words, then the patch.
pub fn text(placement: &Placement) -> String {
    let mut text = format!("{} under {}: {}\n", placement.file, placement.model, verdict(placement));
    text.extend(placement.warnings.iter().map(|warning| format!("Warning: {warning}.\n")));
    if placement.bounded && !placement.sets.is_empty() {
        text.push_str(BOUNDED);
    }
    for (number, set) in placement.sets.iter().enumerate() {
        if placement.sets.len() > 1 {
            text.push_str(&format!("\nSet {}:\n", number + 1));
        }
        text.push_str(&members(placement, set));
        for remark in &set.remarks {
            text.push_str(&format!("note: {remark}\n"));
        }
        if !set.patch.is_empty() {
            text.push_str(&format!("\n{}", set.patch));
        }
    }
    match &placement.end {
        End::Complete => {}
        End::Hopeless(_, answer) => text.push_str(&format!("\n{answer}")),
        End::Unknown(reason) if placement.sets.is_empty() => text.push_str(&format!("{reason}\n")),
        End::Unknown(reason) => text.push_str(&format!("\nThere may be more sets: {reason}\n")),
    }
    text
}

const BOUNDED: &str =
    "Sets with which a loop has more iterations than with all candidates were not taken; one may be cheaper.\n";

fn verdict(placement: &Placement) -> String {
    let thing = if placement.orders { "orders stronger than relaxed" } else { "fences" };
    match (placement.sets.first(), &placement.end) {
        (Some(set), _) if set.members.is_empty() => format!("no {thing} are needed for {}", placement.tests.join(", ")),
        (Some(set), _) => {
            let number = set.members.len();
            let thing = if number == 1 {
                thing.replacen("orders", "order", 1).replace("fences", "fence")
            } else {
                thing.into()
            };
            format!("{number} {thing} (cost {}) for {}", set.cost, placement.tests.join(", "))
        }
        (None, End::Hopeless(test, _)) => format!("no set of {thing} suffices: {test} fails with all of them"),
        (None, _) => format!("unknown which {thing} are needed"),
    }
}

fn members(placement: &Placement, set: &FenceSet) -> String {
    let mut text = String::new();
    for member in &set.members {
        let Location { file, line, .. } = &member.location;
        let place = if placement.orders { "in" } else { "before" };
        let why = if member.fails { "fails" } else { "has more iterations of a loop" };
        let (kind, at, test) = (&member.kind, &member.at, &member.test);
        text.push_str(&format!("  {file}:{line}: {kind}, {place} `{at}`: without it {test} {why}\n"));
    }
    text
}

/// One object, schema 1.
pub fn json(placement: &Placement) -> String {
    let member = |member: &Member| {
        json!({
            "file": member.location.file,
            "line": member.location.line,
            "column": member.location.column,
            "at": member.at,
            "kind": member.kind,
            "test": member.test,
            "without": if member.fails { "fails" } else { "goes on" },
        })
    };
    let set = |set: &FenceSet| {
        json!({
            "cost": set.cost,
            "members": set.members.iter().map(member).collect::<Vec<_>>(),
            "remarks": set.remarks,
            "patch": set.patch,
        })
    };
    let (verdict, reason) = match &placement.end {
        _ if !placement.sets.is_empty() => ("found", Json::Null),
        End::Hopeless(test, _) => ("impossible", json!(format!("{test} fails with all candidates"))),
        End::Unknown(reason) => ("unknown", json!(reason)),
        End::Complete => ("unknown", Json::Null),
    };
    let figures: serde_json::Map<String, Json> =
        placement.figures.iter().map(|(name, figure)| (name.replace(' ', "_"), json!(figure))).collect();
    let object = json!({
        "schema": 1,
        "file": placement.file,
        "model": placement.model,
        "target": if placement.orders { "orders" } else { "fences" },
        "tests": placement.tests,
        "verdict": verdict,
        "reason": reason,
        "candidates": placement.candidates,
        "bounded": placement.bounded,
        "warnings": placement.warnings,
        "sets": placement.sets.iter().map(set).collect::<Vec<_>>(),
        "stats": figures,
    });
    format!("{object}\n")
}
