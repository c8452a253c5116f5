//! All bounded clients of a data type, and the smallest that fails.

use serde_json::{Value as Json, json};

use crate::answer::Answer;
use crate::{json, text};

/// What came of asking about clients, smallest first.
pub struct Clients<'a> {
    /// The file of the data type.
    pub file: &'a str,
    /// The model.
    pub model: &'a str,
    /// The operations that clients call.
    pub operations: &'a [String],
    /// How many operations a client may have.
    pub most: usize,
    /// How many threads.
    pub threads: usize,
    /// How many clients there are.
    pub clients: usize,
    /// How many hold.
    pub held: usize,
    /// Clients of which it is not known, each with the reason.
    pub undecided: &'a [(String, String)],
    /// The first that fails, and how.
    pub failing: Option<(&'a str, Answer<'a>)>,
    /// Why not all clients were asked about before one failed, if so.
    pub ended: Option<&'a str>,
}

/// In plain words, with the answer about the client that fails.
pub fn text(found: &Clients) -> String {
    let Clients { file, model, most, threads, clients, held, .. } = found;
    let operations = found.operations.join(", ");
    let mut said = format!(
        "Clients of {file} under {model}: up to {most} operations ({operations}) in up to {threads} threads, \
         {clients} in all.\n{held} hold.\n"
    );
    for (client, reason) in found.undecided {
        said.push_str(&format!("{client} is not decided: {reason}.\n"));
    }
    if let Some(reason) = found.ended {
        let left = clients - held - found.undecided.len();
        said.push_str(&format!("{left} were not asked about: {reason}.\n"));
    }
    match &found.failing {
        Some((client, answer)) => {
            let smallest =
                if found.undecided.is_empty() { "The smallest client that fails" } else { "A client that fails" };
            said.push_str(&format!("{smallest}: {client}\n\n{}", text::answer(answer)));
        }
        None if held == clients => said.push_str("No client fails.\n"),
        None => said.push_str("No client is known to fail.\n"),
    }
    said
}

/// One object, schema 1: `file`, `model`, `operations`, `most`, `threads`; how many `clients` there are and how many `held`; those that
/// are `undecided` (`client`, `reason`); the `smallest` that fails with the `answer` about it, or null; the `reason` why not all were asked
/// about, or null.
pub fn json(found: &Clients) -> String {
    let undecided = found.undecided.iter().map(|(client, reason)| json!({ "client": client, "reason": reason }));
    let document = json!({
        "schema": 1,
        "file": found.file,
        "model": found.model,
        "operations": found.operations,
        "most": found.most,
        "threads": found.threads,
        "clients": found.clients,
        "held": found.held,
        "undecided": undecided.collect::<Vec<Json>>(),
        "smallest": found.failing.as_ref().map(|(client, _)| client),
        "answer": found.failing.as_ref().map(|(_, answer)| json::value(answer)),
        "reason": found.ended,
    });
    format!("{document}\n")
}
