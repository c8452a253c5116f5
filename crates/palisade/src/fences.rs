//! Where fences are missing, or which memory orders suffice, so that bounded tests of a data type pass or the assertions of a
//! program hold; with a change of the source that puts them in.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use axiomatic::fences::{self, Candidates, Need, Placement, Reason, Site, Strength, Sufficient, Target, Test, Wanted};
use axiomatic::{Form, Specification};
use frontend::c::Unit;
use program::{FileId, InstructionKind, Language, Outcome, Program, Sources, Span, Unsupported, Verdict, Verified};
use report::fences::{End, FenceSet, Member};
use report::patch::{self, Edit};
use report::{Answer, Property, Subject, text};

use crate::engine::Engine;
use crate::expected::{Expected, Serial, expected_of};
use crate::model::Model;
use crate::orders::{self, MemoryOrders};
use crate::refusal::Refusal;
use crate::request::{Bounds, Limits, Progress};
use crate::task::verified;
use crate::warnings;

/// A search for fences, or for memory orders.
pub struct FenceRequest<'a> {
    /// The C file, for fences with the places marked where one could be put in.
    pub unit: &'a Unit,
    /// Its name.
    pub file: &'a str,
    /// A file with the same operations, whose serial executions say what the tests may show.
    pub reference: Option<&'a Unit>,
    /// The bounded tests that are to pass; if there are none, no assertion of the program that starts at `main` may fail.
    pub tests: &'a [String],
    /// Under which model.
    pub model: &'a Model,
    /// Whether memory orders of the atomics that are there are looked for, instead of fences.
    pub orders: bool,
    /// Whether the fences that the file has are taken out first.
    pub remove: bool,
    /// What kinds of fences and orders cost, where that is not the usual.
    pub costs: &'a Costs,
    /// How many sets of the same least cost are looked for.
    pub sets: usize,
    /// What memory orders mean on machines that have none.
    pub memory_orders: Option<MemoryOrders>,
    /// How far code is followed.
    pub bounds: Bounds,
    /// When to give up.
    pub limits: Limits,
}

/// What kinds of fences and orders cost.
pub type Costs = BTreeMap<Strength, u32>;

impl FenceRequest<'_> {
    /// Looks for the sets of least cost.
    pub fn search(&self, progress: &dyn Progress) -> Result<report::fences::Placement, Refusal> {
        let Some(axioms) = self.model.axioms() else {
            return Err(Refusal::Question(Engine::Axiomatic.lacks(self.model)));
        };
        if self.orders && orders::target(self.model, Language::C).is_some() {
            let name = self.model.name();
            let what = format!("{name} knows no memory orders, only fences: --orders is for rc11 and c11");
            return Err(Refusal::Question(what));
        }
        self.refuse_costs_without_effect(axioms)?;
        let programs = Programs::read(self)?;
        let found = self.find(&programs, axioms, progress);
        let first = &programs.tests[0].program;
        let found = found.map_err(|unsupported| Refusal::unsupported(first, unsupported))?;
        let mut report = programs.report(self, &found);
        report.warnings = warnings::under(first, self.model, self.memory_orders);
        Ok(report)
    }

    /// What is looked for.
    fn target(&self) -> Target {
        if self.orders { Target::Orders } else { Target::Fences }
    }

    /// Refuses costs of kinds that are not looked for under the model.
    fn refuse_costs_without_effect(&self, axioms: &axiomatic::Model) -> Result<(), Refusal> {
        let wanted = fences::strengths(axioms, self.target());
        let Some(strength) = self.costs.keys().find(|strength| !wanted.contains(strength)) else { return Ok(()) };
        let names: Vec<&str> = wanted.iter().map(|strength| strength.name()).collect();
        let what = if self.orders { "memory orders" } else { "fences" };
        let (name, known, model) = (strength.name(), names.join(", "), self.model.name());
        let message = format!("--cost {name} means nothing here: the {what} under {model} are {known}");
        Err(Refusal::Question(message))
    }

    fn find(
        &self,
        programs: &Programs,
        axioms: &axiomatic::Model,
        progress: &dyn Progress,
    ) -> Result<Found, Unsupported> {
        let mut mined: Vec<Expected> = Vec::new();
        for (index, test) in programs.tests.iter().enumerate().filter(|_| !self.tests.is_empty()) {
            match expected_of(&test.program, test.reference.as_ref(), self.bounds, &self.limits)? {
                Serial::Expected(expected) => mined.push(expected),
                Serial::Trouble(outcome) => return Ok(Found::Serial(index, outcome)),
            }
        }
        let most = self.bounds.max_iterations;
        let tests: Vec<Test> = match self.tests.is_empty() {
            true => programs.tests.iter().map(|test| whole(test, most)).collect(),
            false => programs.tests.iter().zip(&mined).map(|(test, found)| prepared(test, found, most)).collect(),
        };
        let target = self.target();
        let cost = |strength: Strength| self.costs.get(&strength).copied().unwrap_or(strength.usual_cost());
        let wanted = Wanted { target, cost: &cost, sets: self.sets };
        let options =
            axiomatic::Options { explain: true, budget: self.limits.of_solver(), ..axiomatic::Options::default() };
        let mut tried = 0;
        let mut step = |step: fences::Progress| {
            if let fences::Progress::Tried(..) = step {
                tried += 1;
            }
            progress.sets(tried);
        };
        Ok(Found::Placement(fences::fences(&tests, axioms, &wanted, &options, &mut step)?))
    }
}

/// A test, ready for the search.
struct Prepared {
    name: String,
    program: Verified,
    reference: Option<Verified>,
}

/// All tests of a file.
struct Programs {
    tests: Vec<Prepared>,
    /// Fences of the source that were taken out.
    removed: BTreeSet<Span>,
    /// Of these, the ones that are statements of a block.
    whole: BTreeSet<Span>,
    /// Bounded tests, or the program that starts at `main` alone.
    form: Form,
}

impl Programs {
    fn read(request: &FenceRequest<'_>) -> Result<Programs, Refusal> {
        let mut programs = Programs {
            tests: Vec::new(),
            removed: BTreeSet::new(),
            whole: BTreeSet::new(),
            form: if request.tests.is_empty() { Form::Whole } else { Form::Threads },
        };
        if programs.form == Form::Whole {
            programs.add("main", request.unit.program()?, None, request)?;
        }
        for notation in request.tests {
            let of_reference = |unit: &Unit| verified(unit.test(notation)?);
            let reference = request.reference.map(of_reference).transpose()?;
            programs.add(notation, request.unit.test(notation)?, reference, request)?;
        }
        Ok(programs)
    }

    fn add(
        &mut self,
        name: &str,
        mut program: Program,
        reference: Option<Verified>,
        request: &FenceRequest<'_>,
    ) -> Result<(), Refusal> {
        if request.remove {
            self.remove_fences(&mut program);
        }
        drop_unusable_marks(&mut program, request.file, self.form);
        let program = orders::compiled(verified(program)?, request.model, request.memory_orders)?;
        self.tests.push(Prepared { name: name.into(), program, reference });
        Ok(())
    }

    /// Takes out the fences that the source itself calls; those of locks stay, and those inside of macros, which cannot be
    /// taken out of the text alone.
    fn remove_fences(&mut self, program: &mut Program) {
        let (sources, calls) = (program.sources.clone(), program.language.fence_calls());
        let blocks = program.functions.iter_mut().flat_map(|function| &mut function.blocks);
        for block in blocks {
            let marks: BTreeSet<(FileId, u32)> = block.instructions.iter().filter_map(mark).collect();
            block.instructions.retain(|instruction| {
                let InstructionKind::Fence { access } = &instruction.kind else { return true };
                let Some(span) = instruction.span.filter(|_| !access.is_place()) else { return true };
                let is_own = calls.iter().any(|call| sources.snippet(span).starts_with(call));
                if is_own {
                    self.removed.insert(span);
                    let rest = sources.text(span.file).get(span.end as usize..).unwrap_or("");
                    let ends = sources.snippet(span).ends_with(';') || rest.trim_start().starts_with(';');
                    if ends && marks.contains(&(span.file, span.start)) {
                        self.whole.insert(span);
                    }
                }
                !is_own
            });
        }
    }

    fn report(&self, request: &FenceRequest<'_>, found: &Found) -> report::fences::Placement {
        let (file, model) = (request.file, request.model.name());
        let of = |placement: &Placement, end: End| report::fences::Placement {
            file: file.into(),
            model: model.into(),
            orders: request.orders,
            tests: self.tests.iter().map(|test| test.name.clone()).collect(),
            candidates: placement.candidates.list.len(),
            sets: placement.sets.iter().map(|set| self.set(&placement.candidates, set)).collect(),
            end,
            bounded: placement.bounded,
            warnings: Vec::new(),
            figures: placement.statistics.iter().map(|&(name, figure)| (name.to_string(), figure)).collect(),
        };
        match found {
            Found::Serial(test, outcome) => {
                let nothing = Placement {
                    candidates: Candidates::default(),
                    sets: Vec::new(),
                    end: Reason::Complete,
                    bounded: false,
                    statistics: [("clauses", 0), ("solver calls", 0)],
                };
                let program = &*self.tests[*test].program;
                of(&nothing, self.failed((file, model), *test, (program, outcome)))
            }
            Found::Placement(placement) => {
                let end = match &placement.end {
                    Reason::Complete => End::Complete,
                    Reason::Hopeless(test, checked) => {
                        self.failed((file, model), *test, (&checked.program, &checked.outcome))
                    }
                    Reason::Unknown(reason) => End::Unknown(reason.clone()),
                };
                of(placement, end)
            }
        }
    }

    /// What `check` says about a test that fails whatever is put in.
    fn failed(&self, (file, model): (&str, &str), test: usize, (program, outcome): (&Program, &Outcome)) -> End {
        if let Verdict::Unknown(reason) = &outcome.verdict {
            return End::Unknown(reason.clone());
        }
        let (engine, property) = (Engine::Axiomatic.name(), Property::Always);
        let subject = &if self.form == Form::Whole { Subject::Whole } else { Subject::Litmus };
        let answer = Answer { file, program, model, engine, property, outcome, subject };
        End::Hopeless(self.tests[test].name.clone(), text::answer(&answer))
    }

    fn set(&self, candidates: &Candidates, set: &Sufficient) -> FenceSet {
        let sources = &self.tests[0].program.sources;
        let member = |&(number, need): &(usize, Need)| {
            let candidate = &candidates.list[number];
            let span = candidates.sites[candidate.site].1.unwrap_or(Span::new(FileId(0), 0, 0));
            let (test, fails) = match need {
                Need::Fails(test) => (test, true),
                Need::GoesOn(test) => (test, false),
            };
            let of_failure = matches!(candidates.sites[candidate.site].0, Site::Order(_, _, _, true));
            let kind = candidate.strength.name().to_string() + if of_failure { " on failure" } else { "" };
            let test = self.tests[test].name.clone();
            Member { location: sources.location(span), at: self.words(sources, span), kind, test, fails }
        };
        let chosen: fences::Set = set.members.iter().map(|&(number, _)| number).collect();
        let mut remarks = Vec::new();
        let edits = match candidates.sites.first() {
            Some((Site::Order(..), _)) => order_edits(candidates, &chosen, sources, &mut remarks),
            _ => self.fence_edits(candidates, &chosen, sources),
        };
        let mut patch = String::new();
        for (file, edits) in edits {
            let old = sources.text(file);
            patch.push_str(&patch::unified(sources.name(file), old, &patch::apply(old, &edits)));
        }
        let mut members: Vec<Member> = set.members.iter().map(member).collect();
        members.sort_by(|a, b| a.location.cmp(&b.location));
        FenceSet { cost: set.cost, members, remarks, patch }
    }

    /// The text at a place: for one between statements the line that follows, without fences that are taken out.
    fn words(&self, sources: &Sources, span: Span) -> String {
        if span.start < span.end {
            return sources.words(span);
        }
        let file = sources.text(span.file);
        let mut at = span.start as usize;
        while let Some(fence) = self.whole.iter().find(|fence| (fence.file, fence.start as usize) == (span.file, at)) {
            let end = fence.end as usize;
            let line = file[end..].find('\n').map_or(file.len(), |line| end + line);
            at = file.len() - file[line..].trim_start().len();
        }
        file.get(at..).unwrap_or("").lines().next().unwrap_or("").trim().to_string()
    }

    /// The changes that take out the fences that were there and put in those of the set.
    fn fence_edits(&self, candidates: &Candidates, set: &fences::Set, sources: &Sources) -> Edits {
        let mut edits = Edits::new();
        let place = |span: &Span| Span { end: span.start, ..*span };
        let mut kept: BTreeSet<(Span, String)> = BTreeSet::new();
        for span in &self.removed {
            let statement = format!("{};", sources.snippet(*span).trim_end_matches(';'));
            if self.whole.contains(span) && statements_at(candidates, place(span), set).contains(&statement) {
                kept.insert((place(span), statement));
                continue;
            }
            let old = sources.text(span.file);
            let edit = match self.whole.contains(span) {
                true => patch::deletion(old, span.start as usize..span.end as usize),
                false => Edit { bytes: span.start as usize..span.end as usize, text: "(void)0".into() },
            };
            edits.entry(span.file).or_default().push(edit);
        }
        for (number, (site, _)) in candidates.sites.iter().enumerate() {
            let Site::Place(place) = site else { continue };
            for statement in statements(&candidates.chosen(number, set)) {
                if kept.contains(&(*place, statement.clone())) {
                    continue;
                }
                let edit = patch::insertion(sources.text(place.file), place.start as usize, &statement);
                edits.entry(place.file).or_default().push(edit);
            }
        }
        edits
    }
}

type Edits = BTreeMap<FileId, Vec<Edit>>;

/// The place of a mark.
fn mark(instruction: &program::Instruction) -> Option<(FileId, u32)> {
    match &instruction.kind {
        InstructionKind::Fence { access } if access.is_place() => instruction.span.map(|span| (span.file, span.start)),
        _ => None,
    }
}

/// Keeps the marks of places where the user can put something in: not in files that only hold the operations of bounded
/// tests, and not where several marks have one place in the text, as in a macro.
fn drop_unusable_marks(program: &mut Program, main_file: &str, form: Form) {
    let mut times: BTreeMap<(FileId, u32), usize> = BTreeMap::new();
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    for place in blocks.flat_map(|block| &block.instructions).filter_map(mark) {
        *times.entry(place).or_default() += 1;
    }
    let entries = program.threads.iter().map(|thread| program.function(thread.entry));
    let calls = entries.flat_map(|entry| &entry.blocks).flat_map(|block| &block.instructions);
    let operations = calls.flat_map(|call| call.kind.callees());
    let files: BTreeSet<FileId> = operations.filter_map(|id| program.function(id).span).map(|span| span.file).collect();
    let is_harness = |file: &FileId| form == Form::Threads && program.sources.name(*file) != main_file;
    let harness: BTreeSet<FileId> = files.into_iter().filter(is_harness).collect();
    for block in program.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        let is_usable = |place: (FileId, u32)| times.get(&place) == Some(&1) && !harness.contains(&place.0);
        block.instructions.retain(|instruction| mark(instruction).is_none_or(is_usable));
    }
}

/// The fence statements for some strengths at one place.
fn statements(strengths: &[Strength]) -> Vec<String> {
    let order = order_name(strengths).filter(|_| strengths.iter().any(|strength| strength.is_order()));
    let kinds = strengths.iter().filter(|strength| !strength.is_order());
    let kinds = kinds.map(|strength| format!("lsl_fence(\"{}\");", strength.name()));
    kinds.chain(order.map(|order| format!("atomic_thread_fence({order});"))).collect()
}

/// The fence statements of a set at a place.
fn statements_at(candidates: &Candidates, place: Span, set: &fences::Set) -> Vec<String> {
    let site = candidates.sites.iter().position(|(site, _)| *site == Site::Place(place));
    site.map_or_else(Vec::new, |site| statements(&candidates.chosen(site, set)))
}

/// The memory order that some strengths make.
fn order_name(strengths: &[Strength]) -> Option<&'static str> {
    let has = |strength| strengths.contains(&strength);
    Some(match () {
        () if has(Strength::SeqCst) => "memory_order_seq_cst",
        () if has(Strength::Acquire) && has(Strength::Release) => "memory_order_acq_rel",
        () if has(Strength::Acquire) => "memory_order_acquire",
        () if has(Strength::Release) => "memory_order_release",
        () => "memory_order_relaxed",
    })
}

/// The changes of memory orders: where a statement names as many of them as it has accesses.
fn order_edits(candidates: &Candidates, set: &fences::Set, sources: &Sources, remarks: &mut Vec<String>) -> Edits {
    let mut by_statement: BTreeMap<Span, Vec<usize>> = BTreeMap::new();
    for (number, (_, span)) in candidates.sites.iter().enumerate() {
        if let Some(span) = span {
            by_statement.entry(*span).or_default().push(number);
        }
    }
    let mut edits = Edits::new();
    for (span, sites) in by_statement {
        let wanted: Vec<&str> = sites.iter().filter_map(|&site| order_name(&candidates.chosen(site, set))).collect();
        let words = order_words(sources.snippet(span));
        if words.len() != wanted.len() {
            let place = sources.location(span);
            let wanted = wanted.join(", ");
            remarks.push(format!("{}:{}: by hand, the order is {wanted}", place.file, place.line));
            continue;
        }
        for (word, wanted) in words.into_iter().zip(wanted) {
            if sources.snippet(span)[word.clone()] != *wanted {
                let start = span.start as usize;
                let bytes = start + word.start..start + word.end;
                edits.entry(span.file).or_default().push(Edit { bytes, text: wanted.into() });
            }
        }
    }
    edits
}

/// The memory orders that a text names.
fn order_words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    for (start, _) in text.match_indices("memory_order_") {
        let rest = &text[start..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        words.push(start..start + end);
    }
    words
}

/// What a search found.
enum Found {
    /// This test fails already when its operations run one after another, or could not be run.
    Serial(usize, Box<Outcome>),
    /// What the engine says.
    Placement(Placement),
}

fn prepared<'a>(test: &'a Prepared, expected: &'a Expected, most: u32) -> Test<'a> {
    let specification = Specification {
        observations: Some(&expected.observations),
        iterations: &expected.iterations,
        most_iterations: most,
    };
    Test { name: test.name.clone(), program: &test.program, specification, form: Form::Threads }
}

/// A program that starts at `main`.
fn whole(test: &Prepared, most: u32) -> Test<'_> {
    let specification = Specification { observations: None, iterations: &[], most_iterations: most };
    Test { name: test.name.clone(), program: &test.program, specification, form: Form::Whole }
}
