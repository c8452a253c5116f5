//! The command `models`.

use palisade::Model;
use palisade::model::find_shipped;

use crate::arguments::Models;
use crate::failure::{Exit, Failure, write};

/// The command `models`: lists the shipped models and the vocabulary, or prints a model's file.
pub fn models(arguments: &Models) -> Result<Exit, Failure> {
    let text = match &arguments.name {
        Some(name) => match find_shipped(name) {
            Some((_, text)) => text.to_string(),
            None => {
                Model::named(name)?;
                if let Some(said) = palisade::model::description(name) {
                    write(None, &format!("{name}: {said}\n"))?;
                    return Ok(Exit::Validated);
                }
                let what = format!("{name} is a machine alone: it has no axioms, so that there is no file to print");
                return Err(Failure::Message(what));
            }
        },
        None => palisade::model::listing(),
    };
    write(None, &text)?;
    Ok(Exit::Validated)
}
