//! The command `merge`: the results of all shards of a suite, as if it had been run at once.

use report::suite::merge::{Part, merge as put_together};
use report::suite::{json, junit, text};

use super::exit;
use crate::arguments::{Merge, MergeFormat};
use crate::failure::{Exit, Failure, write};
use crate::files;

/// The command `merge`. The exit code is that of the whole suite.
pub fn merge(arguments: &Merge) -> Result<Exit, Failure> {
    let mut parts = Vec::new();
    for path in &arguments.results {
        let files::Text { name, text } = files::read(path)?;
        parts.push(Part::parse(&name, &text).map_err(Failure::Message)?);
    }
    let suite = put_together(parts).map_err(Failure::Message)?;
    let output = match arguments.format {
        MergeFormat::Text => text(&suite),
        MergeFormat::Json => json(&suite),
        MergeFormat::Junit => junit(&suite),
    };
    write(arguments.output.as_deref(), &output)?;
    Ok(exit(&suite))
}
