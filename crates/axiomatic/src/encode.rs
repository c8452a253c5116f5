//! Events and a model to constraints.
//!
//! `rf` is one choice per read, `co` one total order per cell; both are tied to values and addresses. The vocabulary of
//! models becomes matrices here, and each axiom a constraint, perhaps under a selector.

use program::{
    Access, Comparator, EventKind, Observable, Operator, Order, Proposition, Quantifier, Span, Term, Unsupported, Value,
};
use relation::translate::Mode;
use relation::{Bit, Circuit, Expr, Formula, Matrix, Pairs, Translation};

use crate::events::{Assertion, Events, Statements, SymbolicEvent, events};
use crate::model::{AxiomKind, Existential, Model, Range};
use crate::symbolic::{self, Symbolic};
use crate::symmetry::break_symmetry;
use crate::{Assertions, Setting};

/// A program under a model, as constraints.
pub struct Encoding<'m> {
    /// The circuit and its solver.
    pub circuit: Circuit,
    /// The possible events.
    pub events: Events,
    /// The model's expressions as matrices.
    pub translation: Translation<'m>,
    /// Selector of each required axiom, by its index in the model; constantly true where statements are fixed.
    pub axioms: Vec<(usize, Bit)>,
    /// What each observed register or cell holds at the end.
    pub observed: Vec<(Observable, Symbolic)>,
    /// What to look for an execution of: all of these.
    pub asked: Vec<Asked>,
    /// The test's filter.
    pub filter: Bit,
    /// Some loop goes round more often than unrolled.
    pub pruned: Bit,
    /// Some error happens.
    pub faulty: Bit,
}

/// A part of what is asked for.
pub struct Asked {
    /// It is so.
    pub bit: Bit,
    /// What it is, in the user's words.
    pub name: String,
    /// Where it stands.
    pub span: Option<Span>,
}

/// Encodes the program under the model.
pub fn encode<'m>(setting: &Setting<'m>, statements: Statements) -> Result<Encoding<'m>, Unsupported> {
    let model = setting.model;
    let mut circuit = Circuit::new();
    let events = events(setting, statements, &mut circuit)?;
    let universe = events.universe(&setting.threads, &circuit);
    let mut translation = Translation::new(&model.formulas, universe);
    bind_vocabulary(&events, &mut translation, model, &mut circuit)?;
    break_symmetry(&events, &setting.symmetry, &translation, &mut circuit);
    for existential in &model.existentials {
        bind_existential(existential, model, statements, &mut translation, &mut circuit);
    }
    let mut axioms = Vec::new();
    for (index, axiom) in model.axioms.iter().enumerate().filter(|(_, axiom)| axiom.kind == AxiomKind::Require) {
        let selector = match statements {
            Statements::Fixed => Bit::TRUE,
            Statements::Selected => circuit.fresh(),
        };
        translation.require(&axiom.formula, selector, &mut circuit);
        axioms.push((index, selector));
    }
    if let Some(what) = translation.failure() {
        return Err(Unsupported::new(format!("{what} in the model {}", model.name), None));
    }
    let pruned: Vec<Bit> = events.pruned.iter().map(|&(_, _, when)| when).collect();
    let faulty: Vec<Bit> = events.faults.iter().map(|&(when, ..)| when).collect();
    let mut encoding = Encoding {
        pruned: circuit.or(&pruned),
        faulty: circuit.or(&faulty),
        circuit,
        events,
        translation,
        axioms,
        observed: Vec::new(),
        asked: Vec::new(),
        filter: Bit::TRUE,
    };
    encoding.encode_question(setting)?;
    Ok(encoding)
}

/// Binds every base relation and set that the model speaks of.
fn bind_vocabulary(
    events: &Events,
    translation: &mut Translation,
    model: &Model,
    circuit: &mut Circuit,
) -> Result<(), Unsupported> {
    let list = &events.events;
    let size = list.len();
    let rf = reads_from(events, translation, circuit)?;
    let loc = same_location(list, translation, circuit);
    let co = coherence(events, &loc, translation, circuit);
    translation.bind("rf", rf);
    translation.bind("co", co);
    translation.bind("loc", loc);
    for index in 0..model.formulas.len() {
        let Expr::Base(name) = model.formulas.node(relation::ExprId(index as u32)) else { continue };
        if translation.base(name).is_some() || model.existentials.iter().any(|e| e.name == *name) {
            continue;
        }
        let same_thread = |x: usize, y: usize| list[x].thread.is_some() && list[x].thread == list[y].thread;
        let pairs = |holds: &dyn Fn(usize, usize) -> bool| {
            let all = (0..size).flat_map(|x| (0..size).map(move |y| (x, y)));
            Matrix::constant(&Pairs::from_pairs(size, all.filter(|&(x, y)| holds(x, y))))
        };
        let exclusive = &translation.universe.exclusive;
        let matrix = match &**name {
            "po" => Matrix::constant(&events.po),
            "int" => pairs(&|x, y| !exclusive.contains(x, y) && (x == y || same_thread(x, y))),
            "ext" => pairs(&|x, y| x != y && !same_thread(x, y)),
            "addr" => dependencies(list, |event| &event.addr),
            "data" => dependencies(list, |event| &event.data),
            "ctrl" => dependencies(list, |event| &event.ctrl),
            // No front end has load-linked and store-conditional yet: every read-modify-write is one instruction.
            "rmw" | "amo" => {
                let writes = list.iter().enumerate();
                let rmw = writes.filter_map(|(write, event)| event.read.map(|read| (read, write, Bit::TRUE)));
                Matrix::from_entries(size, rmw)
            }
            "atomic-block" => {
                pairs(&|x, y| !exclusive.contains(x, y) && list[x].atomic.is_some() && list[x].atomic == list[y].atomic)
            }
            "fr" => from_read(translation, circuit),
            "FW" => {
                let last: Vec<Bit> = (0..size).map(|write| coherence_last(write, list, translation, circuit)).collect();
                Matrix::set(&last)
            }
            set => {
                let member = |event: &SymbolicEvent, circuit: &mut Circuit| {
                    let in_set = |access: &Access| belongs(set, event.kind, event.thread.is_none(), access);
                    let cases: Vec<Bit> =
                        event.accesses.iter().filter(|(access, _)| in_set(access)).map(|&(_, when)| when).collect();
                    if cases.len() == event.accesses.len() { Bit::TRUE } else { circuit.or(&cases) }
                };
                let bits: Vec<Bit> = list.iter().map(|event| member(event, circuit)).collect();
                Matrix::set(&bits)
            }
        };
        translation.bind(name, matrix);
    }
    Ok(())
}

/// Whether an event with this access belongs to a set of the vocabulary.
pub(crate) fn belongs(set: &str, kind: EventKind, initial: bool, access: &Access) -> bool {
    let (read, write, fence) = (kind == EventKind::Read, kind == EventKind::Write, kind == EventKind::Fence);
    let tagged = |tag: &str| access.tags.iter().any(|other| &**other == tag);
    let order = |order: Order| access.order == order && !initial;
    // Which of the four basic orderings a fence keeps: by its own name, or as part of a larger fence.
    let full = tagged("MFENCE") || order(Order::SeqCst);
    let acquires = full || order(Order::Acquire) || order(Order::AcquireRelease) || order(Order::Consume);
    let releases = full || order(Order::Release) || order(Order::AcquireRelease);
    match set {
        "W" => write,
        "R" => read,
        "M" => read || write,
        "F" => fence,
        "IW" => initial,
        "A" => (read || write) && !initial && (access.order != Order::Plain || tagged("X")),
        "NA" => (read || write) && access.order == Order::Plain && !tagged("X"),
        "RLX" => order(Order::Relaxed),
        "CON" => order(Order::Consume),
        "ACQ" => order(Order::Acquire),
        "REL" => order(Order::Release),
        "ACQ_REL" => order(Order::AcquireRelease),
        "SC" => order(Order::SeqCst),
        "LL" => fence && (acquires || tagged("LFENCE") || tagged("LL")),
        "LS" => fence && (acquires || releases || tagged("LS")),
        "SL" => fence && (full || tagged("SL")),
        "SS" => fence && (releases || tagged("SFENCE") || tagged("SS")),
        "RMW" => tagged("X"),
        tag => tagged(tag),
    }
}

/// The choice of a write for each read.
fn reads_from(events: &Events, translation: &Translation, circuit: &mut Circuit) -> Result<Matrix, Unsupported> {
    let list = &events.events;
    let mut entries = Vec::new();
    for (read, reader) in list.iter().enumerate().filter(|(_, event)| event.kind == EventKind::Read) {
        let mut sources = Vec::new();
        for (write, writer) in list.iter().enumerate().filter(|(_, event)| event.kind == EventKind::Write) {
            let alias = meet(reader, writer, circuit);
            if alias != Bit::FALSE && !translation.universe.exclusive.contains(write, read) {
                sources.push((write, alias));
            }
        }
        let only = sources.len() == 1;
        let mut choices = Vec::new();
        for (write, alias) in sources {
            let writer = &list[write];
            let chosen = if only { reader.guard } else { circuit.fresh() };
            circuit.clause(&[!chosen, alias]);
            circuit.clause(&[!chosen, writer.guard]);
            circuit.clause(&[!chosen, reader.guard]);
            if let (Some(written), Some(seen)) = (&writer.value, &reader.value) {
                tie(chosen, written, seen, circuit).map_err(|what| Unsupported::new(what, reader.span))?;
            }
            choices.push(chosen);
            entries.push((write, read, if only { Bit::TRUE } else { chosen }));
        }
        let mut some = choices.clone();
        some.push(!reader.guard);
        circuit.clause(&some);
        at_most_one(&choices, circuit);
    }
    Ok(Matrix::from_entries(list.len(), entries))
}

/// Requires equal values while `when`.
fn tie(when: Bit, a: &Symbolic, b: &Symbolic, circuit: &mut Circuit) -> Result<(), String> {
    if !a.bits.is_empty() && !b.bits.is_empty() && a.bits.len() != b.bits.len() {
        return Err("an access of a cell with another width than the value it holds".into());
    }
    let mut equal = |x: Bit, y: Bit| {
        circuit.clause(&[!when, !x, y]);
        circuit.clause(&[!when, x, !y]);
    };
    equal(a.integer, b.integer);
    equal(a.undefined, b.undefined);
    for (pointer, _) in a.pointers.iter().chain(&b.pointers) {
        equal(a.is_pointer(pointer), b.is_pointer(pointer));
    }
    for (&x, &y) in a.bits.iter().zip(&b.bits) {
        equal(x, y);
    }
    Ok(())
}

/// Pairwise while there are few, else by a ladder of prefixes.
fn at_most_one(bits: &[Bit], circuit: &mut Circuit) {
    if bits.len() <= 8 {
        for (index, &a) in bits.iter().enumerate() {
            for &b in &bits[index + 1..] {
                circuit.clause(&[!a, !b]);
            }
        }
        return;
    }
    let mut before = bits[0];
    for &bit in &bits[1..] {
        circuit.clause(&[!before, !bit]);
        let upto = circuit.fresh();
        circuit.clause(&[!before, upto]);
        circuit.clause(&[!bit, upto]);
        before = upto;
    }
}

/// When two events touch the same cell.
fn meet(a: &SymbolicEvent, b: &SymbolicEvent, circuit: &mut Circuit) -> Bit {
    let mut cases = Vec::new();
    for &(cell, here) in &a.at {
        for &(_, there) in b.at.iter().filter(|&&(other, _)| other == cell) {
            cases.push(circuit.and(&[here, there]));
        }
    }
    circuit.or(&cases)
}

fn same_location(list: &[SymbolicEvent], translation: &Translation, circuit: &mut Circuit) -> Matrix {
    let mut entries = Vec::new();
    for (x, a) in list.iter().enumerate() {
        if !a.at.is_empty() {
            entries.push((x, x, Bit::TRUE));
        }
        for (y, b) in list.iter().enumerate().skip(x + 1) {
            if !translation.universe.exclusive.contains(x, y) {
                let bit = meet(a, b, circuit);
                entries.push((x, y, bit));
                entries.push((y, x, bit));
            }
        }
    }
    Matrix::from_entries(list.len(), entries)
}

/// A strict total order on the writes of each cell, initial writes first.
fn coherence(events: &Events, loc: &Matrix, translation: &Translation, circuit: &mut Circuit) -> Matrix {
    let list = &events.events;
    let writes: Vec<usize> = (0..list.len()).filter(|&e| list[e].kind == EventKind::Write).collect();
    let mut entries = Vec::new();
    for (index, &x) in writes.iter().enumerate() {
        for &y in &writes[index + 1..] {
            let same = loc.get(x, y);
            match (same, list[x].thread, list[y].thread) {
                (Bit::FALSE, ..) | (_, None, None) => {}
                (_, None, _) => entries.push((x, y, same)),
                _ => {
                    let forth = circuit.fresh();
                    entries.push((x, y, circuit.and(&[forth, same])));
                    entries.push((y, x, circuit.and(&[!forth, same])));
                }
            }
        }
    }
    let co = Matrix::from_entries(list.len(), entries);
    let graph = circuit.graph(list.len());
    for (x, y, bit) in co.entries().filter(|&(x, ..)| list[x].thread.is_some()) {
        let both = translation.universe.both(circuit, x, y);
        let active = circuit.and(&[bit, both]);
        circuit.edge(graph, x as u32, y as u32, active);
    }
    co
}

fn from_read(translation: &Translation, circuit: &mut Circuit) -> Matrix {
    match (translation.base("rf"), translation.base("co")) {
        (Some(rf), Some(co)) => rf.inverse().sequence(co, None, &translation.universe, circuit),
        _ => Matrix::empty(translation.universe.size()),
    }
}

fn dependencies(list: &[SymbolicEvent], of: impl Fn(&SymbolicEvent) -> &Vec<(usize, Bit)>) -> Matrix {
    let entries = list
        .iter()
        .enumerate()
        .flat_map(|(event, data)| of(data).iter().map(move |&(read, when)| (read, event, when)).collect::<Vec<_>>());
    Matrix::from_entries(list.len(), entries)
}

/// When no write of its cell is coherence-after this write.
fn coherence_last(write: usize, list: &[SymbolicEvent], translation: &Translation, circuit: &mut Circuit) -> Bit {
    if list[write].kind != EventKind::Write {
        return Bit::FALSE;
    }
    let Some(co) = translation.base("co") else { return Bit::FALSE };
    let mut parts = Vec::new();
    for &(later, bit) in co.row(write) {
        parts.push(!circuit.and(&[bit, list[later as usize].guard]));
    }
    circuit.and(&parts)
}

fn bind_existential(
    existential: &Existential,
    model: &Model,
    statements: Statements,
    translation: &mut Translation,
    circuit: &mut Circuit,
) {
    let size = translation.universe.size();
    match &existential.range {
        Range::Linearisation { on, contains } => {
            let set = translation.matrix(*on, Mode::Exact, circuit);
            let members: Vec<(usize, Bit)> = set.entries().map(|(x, _, bit)| (x, bit)).collect();
            let order = total_order(size, &members, translation, circuit);
            let graph = circuit.graph(size);
            for (x, y, bit) in order.entries() {
                let both = translation.universe.both(circuit, x, y);
                let active = circuit.and(&[bit, both]);
                circuit.edge(graph, x as u32, y as u32, active);
            }
            let contains = translation.matrix(*contains, Mode::Containing, circuit);
            for (x, y, bit) in contains.entries() {
                let both = translation.universe.both(circuit, x, y);
                let members = circuit.and(&[set.get(x, x), set.get(y, y)]);
                circuit.clause(&[!bit, !both, !members, order.get(x, y)]);
            }
            translation.bind(&existential.name, order);
        }
        Range::Relation(domains) => {
            let sets: Vec<_> = domains.iter().map(|&set| translation.matrix(set, Mode::Exact, circuit)).collect();
            let is_order = |formula: &Formula| match *formula {
                Formula::TotalOrder { order, .. } => {
                    *model.formulas.node(order) == Expr::Base(existential.name.clone())
                }
                _ => false,
            };
            let ordered = statements == Statements::Fixed
                && model.axioms.iter().any(|axiom| axiom.kind == AxiomKind::Require && is_order(&axiom.formula));
            let matrix = match &sets[..] {
                [set] => set.map(|_, _, member| {
                    let chosen = circuit.fresh();
                    circuit.and(&[chosen, member])
                }),
                [first, _] if ordered => {
                    let members: Vec<(usize, Bit)> = first.entries().map(|(x, _, bit)| (x, bit)).collect();
                    total_order(size, &members, translation, circuit)
                }
                [first, second] => {
                    let mut entries = Vec::new();
                    for (x, _, in_first) in first.entries() {
                        for (y, _, in_second) in second.entries() {
                            let chosen = circuit.fresh();
                            entries.push((x, y, circuit.and(&[chosen, in_first, in_second])));
                        }
                    }
                    Matrix::from_entries(size, entries)
                }
                // Relations of more arguments are used in quantified formulas only, and made there.
                _ => Matrix::empty(size),
            };
            translation.bind(&existential.name, matrix);
        }
    }
}

/// For each two members one signal that says which comes first.
fn total_order(size: usize, members: &[(usize, Bit)], translation: &Translation, circuit: &mut Circuit) -> Matrix {
    let mut entries = Vec::new();
    for (index, &(x, in_x)) in members.iter().enumerate() {
        for &(y, in_y) in &members[index + 1..] {
            if !translation.universe.exclusive.contains(x, y) {
                let forth = circuit.fresh();
                entries.push((x, y, circuit.and(&[forth, in_x, in_y])));
                entries.push((y, x, circuit.and(&[!forth, in_x, in_y])));
            }
        }
    }
    Matrix::from_entries(size, entries)
}

impl Encoding<'_> {
    fn encode_question(&mut self, setting: &Setting) -> Result<(), Unsupported> {
        let program = setting.program;
        let Some(question) = &program.question else {
            self.ask_about_assertions(setting.assertions);
            return Ok(());
        };
        let refuse = |what: String| Unsupported::new(what, question.span);
        let mut observables = question.observed.clone();
        let mut add = |observable: &Observable| {
            if !observables.contains(observable) {
                observables.push(observable.clone());
            }
        };
        question.proposition.observables(&mut add);
        question.filter.iter().for_each(|filter| filter.observables(&mut add));
        for observable in observables {
            let value = self.final_value(&observable).map_err(refuse)?;
            self.observed.push((observable, value));
        }
        let holds = self.proposition(&question.proposition).map_err(refuse)?;
        let bit = if question.quantifier == Quantifier::Forall { !holds } else { holds };
        let name = question.span.map_or_else(|| "the outcome asked for".into(), |span| program.sources.words(span));
        self.asked.push(Asked { bit, name, span: question.span });
        if let Some(filter) = &question.filter {
            self.filter = self.proposition(filter).map_err(refuse)?;
        }
        Ok(())
    }

    fn ask_about_assertions(&mut self, assertions: Assertions) {
        let list = &self.events.assertions;
        match assertions {
            Assertions::Possible => {
                let asked = |a: &Assertion| Asked { bit: a.holds, name: a.message.clone(), span: a.span };
                self.asked.extend(list.iter().map(asked));
            }
            Assertions::Always => {
                let fails: Vec<Bit> = list.iter().map(|assertion| !assertion.holds).collect();
                let bit = self.circuit.or(&fails);
                self.asked.push(Asked { bit, name: "an assertion fails".into(), span: None });
            }
        }
    }

    fn final_value(&mut self, observable: &Observable) -> Result<Symbolic, String> {
        match observable {
            Observable::Register(thread, register) => {
                Ok(self.events.registers[thread.0 as usize][register.0 as usize].clone())
            }
            Observable::Memory(cell) => {
                let index = self.events.cells.binary_search(cell).map_err(|_| "a cell that does not exist")?;
                let list = &self.events.events;
                let mut value = list[index].value.clone().ok_or("a cell without a value")?;
                for write in self.events.cells.len()..list.len() {
                    let Some(&(_, here)) = list[write].at.iter().find(|&&(at, _)| at == index) else { continue };
                    let Some(written) = &list[write].value else { continue };
                    if list[write].kind == EventKind::Write {
                        let last = coherence_last(write, list, &self.translation, &mut self.circuit);
                        let last = self.circuit.and(&[last, here, list[write].guard]);
                        value = Symbolic::select(last, written, &value, &mut self.circuit)?;
                    }
                }
                Ok(value)
            }
        }
    }

    /// When a proposition about the final state holds.
    pub fn proposition(&mut self, proposition: &Proposition) -> Result<Bit, String> {
        Ok(match proposition {
            Proposition::Constant(truth) => Bit::constant(*truth),
            Proposition::Not(inner) => !self.proposition(inner)?,
            Proposition::And(parts) => {
                let bits = parts.iter().map(|part| self.proposition(part)).collect::<Result<Vec<_>, _>>()?;
                self.circuit.and(&bits)
            }
            Proposition::Or(parts) => {
                let bits = parts.iter().map(|part| self.proposition(part)).collect::<Result<Vec<_>, _>>()?;
                self.circuit.or(&bits)
            }
            Proposition::Compare(comparator, left, right) => self.comparison(*comparator, left, right)?,
        })
    }

    fn comparison(&mut self, comparator: Comparator, left: &Term, right: &Term) -> Result<Bit, String> {
        match (comparator, left, right) {
            (Comparator::Ne, ..) => Ok(!self.comparison(Comparator::Eq, left, right)?),
            (_, Term::Value(a), Term::Value(b)) => Ok(Bit::constant(program::condition::compare(comparator, a, b))),
            (Comparator::Eq, Term::Observable(observable), Term::Value(value))
            | (Comparator::Eq, Term::Value(value), Term::Observable(observable)) => {
                let held = self.observed_value(observable);
                Ok(held.is_value(value, &mut self.circuit))
            }
            (Comparator::Eq, Term::Observable(a), Term::Observable(b)) => {
                let (a, b) = (self.observed_value(a), self.observed_value(b));
                Ok(a.same(&b, &mut self.circuit))
            }
            (Comparator::Lt | Comparator::Le, ..) => {
                let (a, b) = (self.wide(left)?, self.wide(right)?);
                let operator = if comparator == Comparator::Lt { Operator::LtSigned } else { Operator::LeSigned };
                let less = symbolic::apply(&operator, &[a, b], &mut self.circuit)?;
                Ok(less.truth(&mut self.circuit))
            }
        }
    }

    fn wide(&mut self, term: &Term) -> Result<Symbolic, String> {
        let value = match term {
            Term::Observable(observable) => self.observed_value(observable),
            Term::Value(value) => Symbolic::constant(value).ok_or("a packed word in a condition")?,
        };
        symbolic::apply(&Operator::Resize { width: 64, signed: true }, &[value], &mut self.circuit)
    }

    fn observed_value(&self, observable: &Observable) -> Symbolic {
        let found = self.observed.iter().find(|(other, _)| other == observable);
        found.map_or_else(
            || Symbolic { integer: Bit::FALSE, bits: Vec::new(), pointers: Vec::new(), undefined: Bit::TRUE },
            |(_, value)| value.clone(),
        )
    }

    /// A signal that is true when the final state is this one.
    pub fn state_is(&mut self, state: &[(Observable, Value)]) -> Bit {
        let parts: Vec<Bit> = state
            .iter()
            .map(|(observable, value)| self.observed_value(observable).is_value(value, &mut self.circuit))
            .collect();
        self.circuit.and(&parts)
    }
}
