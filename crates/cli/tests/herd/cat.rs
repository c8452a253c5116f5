//! A small part of the cat language, read and evaluated naively on a candidate execution.

use std::collections::BTreeMap;

use super::candidates::{Candidate, Event, Order};

/// A set of events or a relation between them.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Set(Vec<bool>),
    Relation(Vec<Vec<bool>>),
}

/// Whether a model allows an execution.
pub fn allows(model: &str, candidate: &Candidate) -> bool {
    let size = candidate.events.len();
    let mut names: BTreeMap<String, Value> = BTreeMap::new();
    for line in model.lines().skip(1).filter(|line| !line.trim().is_empty() && !line.starts_with("include")) {
        let (word, rest) = line.trim().split_once(' ').expect("a statement");
        let mut reader = Reader { words: words(rest), at: 0, names: &names, candidate };
        if word == "let" {
            let name = reader.next();
            assert_eq!(reader.next(), "=", "{line}");
            let value = reader.union();
            names.insert(name, value);
            continue;
        }
        let Value::Relation(relation) = reader.union() else { panic!("a relation is checked: {line}") };
        let holds = match word {
            "acyclic" => {
                let closure = closure(relation);
                (0..size).all(|event| !closure[event][event])
            }
            "irreflexive" => (0..size).all(|event| !relation[event][event]),
            "empty" => relation.iter().flatten().all(|&pair| !pair),
            _ => panic!("an unknown statement: {line}"),
        };
        if !holds {
            return false;
        }
    }
    true
}

fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let length = if rest.starts_with("^-1") {
            3
        } else if rest.starts_with("^+") || rest.starts_with("^*") {
            2
        } else if first.is_ascii_alphabetic() {
            rest.find(|c| !is_part(c)).unwrap_or(rest.len())
        } else {
            1
        };
        words.push(rest[..length].to_string());
        rest = rest[length..].trim_start();
    }
    words
}

struct Reader<'a> {
    words: Vec<String>,
    at: usize,
    names: &'a BTreeMap<String, Value>,
    candidate: &'a Candidate,
}

impl Reader<'_> {
    fn next(&mut self) -> String {
        self.at += 1;
        self.words[self.at - 1].clone()
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at).is_some_and(|next| next == word);
        self.at += usize::from(found);
        found
    }

    // From the loosest operator to the tightest: `|`, `;`, `\`, `&`, `*`.

    fn union(&mut self) -> Value {
        let mut value = self.sequence();
        while self.eat("|") {
            value = combine(&value, &self.sequence(), |a, b| a || b);
        }
        value
    }

    fn sequence(&mut self) -> Value {
        let mut value = self.difference();
        while self.eat(";") {
            value = Value::Relation(compose(&relation(&value), &relation(&self.difference())));
        }
        value
    }

    fn difference(&mut self) -> Value {
        let mut value = self.intersection();
        while self.eat("\\") {
            value = combine(&value, &self.intersection(), |a, b| a && !b);
        }
        value
    }

    fn intersection(&mut self) -> Value {
        let mut value = self.product();
        while self.eat("&") {
            value = combine(&value, &self.product(), |a, b| a && b);
        }
        value
    }

    fn product(&mut self) -> Value {
        let value = self.postfix();
        if !self.eat("*") {
            return value;
        }
        let (Value::Set(left), Value::Set(right)) = (value, self.postfix()) else { panic!("a product of sets") };
        Value::Relation(left.iter().map(|&a| right.iter().map(|&b| a && b).collect()).collect())
    }

    fn postfix(&mut self) -> Value {
        let mut value = self.simple();
        loop {
            value = Value::Relation(if self.eat("^+") {
                closure(relation(&value))
            } else if self.eat("^*") {
                optional(closure(relation(&value)))
            } else if self.eat("?") {
                optional(relation(&value))
            } else if self.eat("^-1") {
                let relation = relation(&value);
                let size = relation.len();
                (0..size).map(|x| (0..size).map(|y| relation[y][x]).collect()).collect()
            } else {
                return value;
            });
        }
    }

    fn simple(&mut self) -> Value {
        match self.next().as_str() {
            "(" => {
                let value = self.union();
                assert!(self.eat(")"), "{:?}", self.words);
                value
            }
            "[" => {
                let Value::Set(set) = self.union() else { panic!("a set in brackets") };
                assert!(self.eat("]"), "{:?}", self.words);
                let size = set.len();
                Value::Relation((0..size).map(|x| (0..size).map(|y| x == y && set[x]).collect()).collect())
            }
            name => self.names.get(name).cloned().unwrap_or_else(|| base(name, self.candidate)),
        }
    }
}

fn relation(value: &Value) -> Vec<Vec<bool>> {
    match value {
        Value::Relation(relation) => relation.clone(),
        Value::Set(_) => panic!("a relation is wanted"),
    }
}

fn combine(left: &Value, right: &Value, operator: fn(bool, bool) -> bool) -> Value {
    let rows = |a: &[bool], b: &[bool]| -> Vec<bool> { a.iter().zip(b).map(|(&a, &b)| operator(a, b)).collect() };
    match (left, right) {
        (Value::Set(a), Value::Set(b)) => Value::Set(rows(a, b)),
        (Value::Relation(a), Value::Relation(b)) => Value::Relation(a.iter().zip(b).map(|(a, b)| rows(a, b)).collect()),
        _ => panic!("a set and a relation"),
    }
}

fn compose(left: &[Vec<bool>], right: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let size = left.len();
    let pair = |x: usize, y: usize| (0..size).any(|middle| left[x][middle] && right[middle][y]);
    (0..size).map(|x| (0..size).map(|y| pair(x, y)).collect()).collect()
}

fn closure(mut relation: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
    let size = relation.len();
    for middle in 0..size {
        for x in 0..size {
            for y in 0..size {
                relation[x][y] |= relation[x][middle] && relation[middle][y];
            }
        }
    }
    relation
}

fn optional(mut relation: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
    (0..relation.len()).for_each(|event| relation[event][event] = true);
    relation
}

/// What herd's names mean.
fn base(name: &str, candidate: &Candidate) -> Value {
    let events = &candidate.events;
    let size = events.len();
    let set = |holds: &dyn Fn(&Event) -> bool| Value::Set(events.iter().map(holds).collect());
    let pairs = |holds: &dyn Fn(usize, usize) -> bool| {
        Value::Relation((0..size).map(|x| (0..size).map(|y| holds(x, y)).collect()).collect())
    };
    let listed = |list: &[(usize, usize)]| pairs(&|x, y| list.contains(&(x, y)));
    let same_thread = |x: usize, y: usize| events[x].thread.is_some() && events[x].thread == events[y].thread;
    let outside = |x: usize, y: usize| events[x].thread != events[y].thread;
    let cut = |name: &str, holds: &dyn Fn(usize, usize) -> bool| {
        let relation = relation(&base(name, candidate));
        pairs(&|x, y| relation[x][y] && holds(x, y))
    };
    let same_place = |x: usize, y: usize| events[x].cell.is_some() && events[x].cell == events[y].cell;
    let is_atomic = |event: &Event| event.cell.is_some() && (event.order != Order::Plain || event.locked);
    match name {
        "R" => set(&|event| event.reads),
        "W" => set(&|event| event.writes),
        "M" => set(&|event| event.cell.is_some()),
        "F" => set(&|event| event.cell.is_none()),
        "IW" => set(&|event| event.thread.is_none()),
        "RMW" => set(&|event| event.reads && event.writes),
        "X" | "AMO" => set(&|event| event.locked),
        "A" => set(&is_atomic),
        "NA" => set(&|event| !is_atomic(event)),
        "MFENCE" | "SFENCE" | "LFENCE" => set(&|event| event.fence == name),
        "RLX" => set(&|event| event.order == Order::Relaxed),
        "ACQ" => set(&|event| event.order == Order::Acquire),
        "REL" => set(&|event| event.order == Order::Release),
        "ACQ_REL" => set(&|event| event.order == Order::AcquireRelease),
        "SC" => set(&|event| event.order == Order::SeqCst),
        "_" => set(&|_| true),
        "0" => pairs(&|_, _| false),
        "id" | "si" => pairs(&|x, y| x == y),
        "sm" => pairs(&|x, y| x == y && events[x].cell.is_some()),
        "po" => pairs(&|x, y| same_thread(x, y) && events[x].step < events[y].step),
        "same-instance" => pairs(&|x, y| same_thread(x, y) && events[x].step == events[y].step),
        "loc" => pairs(&same_place),
        "int" => pairs(&same_thread),
        "ext" => pairs(&outside),
        "rf" => listed(&candidate.rf),
        "co" => listed(&candidate.co),
        "fr" => {
            let read_first = |x: usize, y: usize| {
                candidate.rf.iter().any(|&(write, read)| read == x && candidate.co.contains(&(write, y)))
            };
            pairs(&|x, y| x != y && read_first(x, y))
        }
        "rmw" | "amo" => listed(&candidate.rmw),
        "iico_data" => listed(&candidate.computed),
        "iico_ctrl" => pairs(&|x, y| candidate.rmw.contains(&(x, y)) && !candidate.computed.contains(&(x, y))),
        "po-loc" => cut("po", &same_place),
        "rfe" => cut("rf", &outside),
        "rfi" => cut("rf", &same_thread),
        "coe" => cut("co", &outside),
        "coi" => cut("co", &same_thread),
        "fre" => cut("fr", &outside),
        "fri" => cut("fr", &same_thread),
        _ => panic!("`{name}` is not known here"),
    }
}
