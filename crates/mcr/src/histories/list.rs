//! Executions that are listed: one for each class, or for each way in which something goes wrong.

use program::{EventKind, Execution, Listed, Listing, Program, ThreadId as ThreadNumber};

use operational::replay;
use operational::schedule;
use operational::search::Reduction;

use super::Options;
use super::explore::{Ending, Executed};
use super::history::{Forest, Op};
use super::id::NodeId;
use super::witness;

/// Of each thread so many values read are shown.
const MOST_READS: usize = 64;

/// Whether an execution that ends so is listed.
pub fn is_wanted(listing: Listing, ending: &Ending) -> bool {
    match listing {
        Listing::Nothing => false,
        Listing::Failures => matches!(ending, Ending::Failed | Ending::Stuck),
        Listing::Classes => matches!(ending, Ending::Finished | Ending::Failed | Ending::Stuck | Ending::Cut),
    }
}

/// An execution as it is listed.
pub fn listed(options: &Options, setup: &[u32], forest: &Forest, executed: &Executed) -> Listed {
    let found = witness::schedule_to_failure(forest, setup, &executed.configuration, &options.limits);
    let mut what = in_words(forest, executed);
    if let (Listing::Classes, Some(found)) = (options.listing, &found)
        && let Ok(again) = replay(forest.program, forest.machine, Reduction::Own, found, &options.limits)
    {
        what.push_str(&reads(forest.program, &again.execution));
    }
    let course = found.as_ref().map_or(String::new(), schedule::brief);
    Listed { what, course, schedule: found.map(|found| schedule::print(&found, forest.machine, Reduction::Own)) }
}

/// How an execution ends.
fn in_words(forest: &Forest, executed: &Executed) -> String {
    let ends = executed.configuration.at.iter().filter(|end| **end != NodeId::NONE);
    let mut faults = ends.filter_map(|end| match forest.node(*end).op {
        Op::Failed(fault) => Some(forest.fault(fault)),
        _ => None,
    });
    match (&executed.ending, faults.next()) {
        (Ending::Failed, Some(fault)) => operational::fault_in_words(forest.program, fault),
        (Ending::Failed | Ending::Stuck, _) => operational::STUCK.into(),
        (Ending::Cut, _) => "is longer than was followed".into(),
        _ => "comes to its end".into(),
    }
}

/// What each thread reads: that is what makes a class.
fn reads(program: &Program, execution: &Execution) -> String {
    let threads = execution.events.iter().filter_map(|event| event.thread).max().map_or(0, |last| last.0 + 1);
    let of = |thread: u32| {
        let own = execution.events.iter().filter(|event| event.thread == Some(ThreadNumber(thread)));
        let values = own.filter(|event| event.kind == EventKind::Read).filter_map(|event| event.value.as_ref());
        let values: Vec<String> = values.map(|value| program.value_name(value)).collect();
        let more = if values.len() > MOST_READS { " ..." } else { "" };
        let shown = values.iter().take(MOST_READS).cloned().collect::<Vec<String>>().join(" ");
        (!values.is_empty()).then(|| format!("{thread}: {shown}{more}"))
    };
    let read: Vec<String> = (0..threads).filter_map(of).collect();
    if read.is_empty() { String::new() } else { format!("; reads {}", read.join(", ")) }
}
