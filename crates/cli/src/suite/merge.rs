//! The command `merge`: the results of all shards of a suite, or of all parts of an exploration, as if it had been run at once.

use input::files;
use report::suite::merge::{Part, merge as put_together};
use report::suite::{json, junit, text};

use super::exit;
use crate::arguments::{Merge, MergeFormat};
use crate::cubes;
use crate::failure::{Exit, Failure, write};

/// The command `merge`. The exit code is that of the whole suite.
pub fn merge(arguments: &Merge) -> Result<Exit, Failure> {
    let results = arguments.results.iter().map(|path| files::read(path)).collect::<Result<Vec<_>, _>>()?;
    if let Some(merged) = cubes::merge(arguments, &results) {
        return merged;
    }
    let parts = results.iter().map(|result| Part::parse(&result.name, &result.text).map_err(Failure::Message));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    let suite = put_together(parts).map_err(Failure::Message)?;
    let output = match arguments.format {
        MergeFormat::Text => text(&suite),
        MergeFormat::Json => json(&suite),
        MergeFormat::Junit => junit(&suite),
    };
    write(arguments.output.as_deref(), &output)?;
    Ok(exit(&suite))
}
