//! All bounded clients of a data type: which is the smallest that fails?
//!
//! A client is a bounded test: operations that run first, then threads of operations. Those with fewer operations come first. Threads run
//! the same whatever their order, so that of clients that differ in it one is asked about; with one thread nothing runs first, since that
//! would be the same client. What a client shows is compared with its own serial executions, or with those of a reference.

use frontend::c::Unit;

use crate::engine::Engine;
use crate::model::Model;
use crate::refusal::Refusal;
use crate::request::{Answer, Options, Progress, Request, Silent};
use crate::task::{Criterion, Task, Test};
use program::Verdict;

/// More clients than this are not listed.
const MOST_CLIENTS: usize = 100_000;

/// Which clients are asked about.
pub struct ClientRequest<'a> {
    /// The data type.
    pub unit: &'a Unit,
    /// The same operations, whose serial executions say what clients may show, and the name of their file.
    pub reference: Option<(String, &'a Unit)>,
    /// In which order serial executions must have operations.
    pub criterion: Criterion,
    /// The operations; all that a test may name if none is given.
    pub operations: &'a [String],
    /// How many operations a client may have.
    pub most: usize,
    /// How many threads a client may have.
    pub threads: usize,
    /// Under which model.
    pub model: &'a Model,
    /// Who is to answer.
    pub engine: Engine,
    /// How.
    pub options: Options,
}

/// What came of asking about clients, one after the other until one fails.
pub struct Found {
    /// The operations.
    pub operations: Vec<String>,
    /// How many clients there are.
    pub clients: usize,
    /// How many hold.
    pub held: usize,
    /// Clients of which it is not known, each with the reason.
    pub undecided: Vec<(String, String)>,
    /// The first that fails.
    pub failing: Option<(String, Answer)>,
}

impl Found {
    /// How many clients were asked about.
    pub fn tried(&self) -> usize {
        self.held + self.undecided.len() + usize::from(self.failing.is_some())
    }
}

impl ClientRequest<'_> {
    /// Asks about one client after the other, until one fails or there is no more time.
    pub fn search(&self, progress: &dyn Progress) -> Result<Found, Refusal> {
        let operations = self.named()?;
        let clients = clients(&operations, self.most, self.threads)?;
        if clients.is_empty() {
            return Err(Refusal::Question("there is no client: the file has no operation".into()));
        }
        let mut found = Found { operations, clients: clients.len(), held: 0, undecided: Vec::new(), failing: None };
        for client in clients {
            if self.options.limits.interrupt.load(std::sync::atomic::Ordering::Relaxed) {
                break;
            }
            let answer = self.ask(&client)?;
            match &answer.outcome.verdict {
                Verdict::Violated => {
                    found.failing = Some((client, answer));
                    break;
                }
                Verdict::Unknown(reason) => found.undecided.push((client, reason.clone())),
                _ => found.held += 1,
            }
            progress.clients(found.tried() as u64, found.clients as u64);
        }
        Ok(found)
    }

    /// The operations that clients call.
    fn named(&self) -> Result<Vec<String>, Refusal> {
        let known = self.unit.operations();
        if self.operations.is_empty() {
            return Ok(known);
        }
        match self.operations.iter().find(|name| !known.contains(name)) {
            Some(unknown) => {
                let known = known.join(", ");
                Err(Refusal::Question(format!("there is no operation `{unknown}`: the operations are {known}")))
            }
            None => Ok(self.operations.to_vec()),
        }
    }

    fn ask(&self, client: &str) -> Result<Answer, Refusal> {
        let test = Test::of(self.unit, client, self.reference.clone())?;
        let task = Task::Test(Test { criterion: self.criterion, ..test });
        let request = Request { task: &task, model: self.model, engine: self.engine, options: self.options.clone() };
        request.answer_with(&Silent)
    }
}

/// All clients of up to so many operations in up to so many threads, those with fewer operations first.
pub fn clients(operations: &[String], most: usize, threads: usize) -> Result<Vec<String>, Refusal> {
    let mut listing = Listing { kinds: operations.len(), threads, before: Vec::new(), found: Vec::new() };
    for size in 1..=most {
        for first in 0..size {
            for before in sequences(operations.len(), first) {
                listing.before = before;
                listing.add_threads(size - first, &mut Vec::new())?;
            }
        }
    }
    let is_short = operations.iter().all(|name| name.chars().count() == 1);
    let write = |client: &Client| client.notation(operations, if is_short { "" } else { " " });
    Ok(listing.found.iter().map(write).collect())
}

/// The operations of a client by their numbers.
struct Client {
    before: Sequence,
    threads: Vec<Sequence>,
}

type Sequence = Vec<usize>;

impl Client {
    fn notation(&self, operations: &[String], separator: &str) -> String {
        let written = |sequence: &Sequence| {
            let names: Vec<&str> = sequence.iter().map(|&kind| operations[kind].as_str()).collect();
            names.join(separator)
        };
        let threads: Vec<String> = self.threads.iter().map(written).collect();
        format!("{}({})", written(&self.before), threads.join("|"))
    }
}

/// Lists clients.
struct Listing {
    kinds: usize,
    threads: usize,
    before: Sequence,
    found: Vec<Client>,
}

impl Listing {
    /// Adds all clients whose further threads have so many operations in all. Each thread is at least as long as the one before it, and of
    /// those of one length none comes before it in the order of their operations.
    fn add_threads(&mut self, left: usize, threads: &mut Vec<Sequence>) -> Result<(), Refusal> {
        if left == 0 {
            if threads.len() > 1 || self.before.is_empty() {
                self.found.push(Client { before: self.before.clone(), threads: threads.clone() });
            }
            return if self.found.len() > MOST_CLIENTS { Err(too_many()) } else { Ok(()) };
        }
        if threads.len() == self.threads {
            return Ok(());
        }
        let least = threads.last().map_or(1, Vec::len);
        // What is left after a thread is nothing, or enough for another that is not shorter.
        for length in (least..=left).filter(|&length| length == left || left - length >= length) {
            for sequence in sequences(self.kinds, length) {
                if threads.last().is_some_and(|last| last.len() == length && *last > sequence) {
                    continue;
                }
                threads.push(sequence);
                self.add_threads(left - length, threads)?;
                threads.pop();
            }
        }
        Ok(())
    }
}

fn too_many() -> Refusal {
    let what = format!("there are more than {MOST_CLIENTS} clients: allow fewer operations, or name those that matter");
    Refusal::Question(what)
}

/// All sequences of this length of so many kinds of operations, in the order of their numbers.
fn sequences(kinds: usize, length: usize) -> impl Iterator<Item = Sequence> {
    let count = kinds.checked_pow(length as u32).unwrap_or(usize::MAX);
    (0..count).map(move |number| {
        let mut rest = number;
        let mut sequence: Sequence = (0..length)
            .map(|_| {
                let kind = rest % kinds;
                rest /= kinds;
                kind
            })
            .collect();
        sequence.reverse();
        sequence
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn listed(names: &[&str], most: usize, threads: usize) -> Vec<String> {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        clients(&names, most, threads).unwrap_or_else(|refusal| panic!("{refusal}"))
    }

    #[test]
    fn small_clients_come_first_and_symmetric_ones_once() {
        assert_eq!(listed(&["e", "d"], 2, 2).join(" "), "(e) (d) (e|e) (e|d) (d|d) (ee) (ed) (de) (dd)");
        assert_eq!(
            listed(&["push", "pop"], 2, 1).join(" "),
            "(push) (pop) (push push) (push pop) (pop push) (pop pop)"
        );
    }

    /// All clients in every order of their threads, by writing down all strings of the notation.
    fn brute_force(names: &[&str], most: usize, threads: usize) -> BTreeSet<Vec<String>> {
        let mut words: Vec<String> = vec![String::new()];
        let mut all = BTreeSet::new();
        for _ in 0..=2 * most {
            words = words
                .iter()
                .flat_map(|word| names.iter().chain(&["|", ";"]).map(move |letter| format!("{word}{letter}")))
                .filter(|word| word.matches(';').count() <= 1)
                .collect();
            for word in &words {
                let Some((before, rest)) = word.split_once(';') else { continue };
                let mut of: Vec<String> = rest.split('|').map(String::from).collect();
                let size = word.chars().filter(|letter| letter.is_alphabetic()).count();
                let is_client = size <= most && of.len() <= threads && of.iter().all(|thread| !thread.is_empty());
                if is_client && !before.contains('|') && (of.len() > 1 || before.is_empty()) {
                    of.sort();
                    of.push(before.to_string());
                    all.insert(of);
                }
            }
        }
        all
    }

    #[test]
    fn all_clients_are_listed_each_once() {
        for (names, most, threads) in [(&["e", "d"][..], 4, 2), (&["e", "d"][..], 4, 4), (&["a", "b", "c"][..], 3, 3)] {
            let all = listed(names, most, threads);
            let canonical = |client: &String| {
                let (before, rest) = client.split_once('(').expect("a parenthesis");
                let mut of: Vec<String> = rest.trim_end_matches(')').split('|').map(String::from).collect();
                of.sort();
                of.push(before.to_string());
                of
            };
            let found: BTreeSet<Vec<String>> = all.iter().map(canonical).collect();
            assert_eq!(found.len(), all.len(), "no client twice");
            assert_eq!(found, brute_force(names, most, threads));
        }
    }

    #[test]
    fn too_many_clients_are_refused() {
        assert!(clients(&["a".into(), "b".into(), "c".into()], 30, 3).is_err());
    }
}
