//! The command `fences`: where fences are missing, or which memory orders suffice.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use axiomatic::fences::{
    self, Candidates, Need, Placement, Progress, Reason, Site, Strength, Sufficient, Target, Test, Wanted,
};
use axiomatic::{Model, Options, Specification};
use operational::Limits;
use operational::serial::{Mined, observations};
use program::{FileId, InstructionKind, Observation, Outcome, Program, Sources, Span, Unsupported, Verdict, Verified};
use report::fences::{End, FenceSet, Member};
use report::patch::{self, Edit};
use report::{Answer, Property, text};

use crate::answer::{ENGINE, budget};
use crate::arguments::{Bounds, CSource, Fences, MemoryOrders, TableFormat};
use crate::c::{self, serial_trouble};
use crate::engines::default_model;
use crate::failure::{Exit, Failure, write};
use crate::input::{self, verified};
use crate::limits::{Guard, Watch, watched};
use crate::progress::Progress as Bar;
use crate::{models, orders, supervise, warnings};

/// The command `fences`.
pub fn fences(arguments: &Fences) -> Result<Exit, Failure> {
    if !input::is_c(&arguments.file) {
        return Err(Failure::file(&arguments.file, "`fences` is for C files"));
    }
    let costs = costs(&arguments.costs)?;
    let name = arguments.model.as_deref().unwrap_or(default_model("C")?);
    supervise::offer(|reason| print(arguments, &nothing_found(arguments, name, reason)));
    let mut programs = Programs::read(arguments)?;
    let found = models::find_or_default(arguments.model.as_deref(), "C", &arguments.include)?;
    let models::NamedModel { model, shown, .. } = found;
    if arguments.orders && orders::target(&shown, "C").is_some() {
        let what = format!("{shown} knows no memory orders, only fences: --orders is for rc11 and c11");
        return Err(Failure::Message(what));
    }
    programs.compile(&shown, arguments.memory_orders)?;
    let _guard = Guard::start(arguments.limits)?;
    let found = watched(|watch| search(arguments, &programs, &model, &costs, watch));
    let found = found.map_err(|unsupported| Failure::unsupported(&programs.tests[0].program, unsupported))?;
    let mut report = programs.report(arguments, &shown, &found);
    report.warnings = warnings::under(&programs.tests[0].program, &shown, &model, arguments.memory_orders);
    let exit = match (&report.end, report.sets.is_empty()) {
        (_, false) => Exit::Validated,
        (End::Hopeless(..), _) => Exit::Refuted,
        _ => Exit::Unknown,
    };
    write(arguments.output.as_deref(), &print(arguments, &report))?;
    Ok(exit)
}

fn print(arguments: &Fences, report: &report::fences::Placement) -> String {
    match arguments.format {
        TableFormat::Text => report::fences::text(report),
        TableFormat::Json => report::fences::json(report),
    }
}

/// What is said if the search ends before it has anything to say.
fn nothing_found(arguments: &Fences, model: &str, reason: &str) -> report::fences::Placement {
    report::fences::Placement {
        file: input::name(&arguments.file),
        model: model.into(),
        orders: arguments.orders,
        tests: arguments.tests.clone(),
        candidates: 0,
        sets: Vec::new(),
        end: End::Unknown(reason.into()),
        bounded: false,
        warnings: Vec::new(),
        figures: Vec::new(),
    }
}

/// How calls of fences begin.
const FENCE_CALLS: [&str; 4] = ["lsl_fence", "atomic_thread_fence", "__atomic_thread_fence", "__sync_synchronize"];

/// `KIND=N`.
fn costs(given: &[String]) -> Result<BTreeMap<Strength, u32>, Failure> {
    let mut costs = BTreeMap::new();
    for text in given {
        let known: Vec<&str> = Strength::all().map(Strength::name).collect();
        let wrong = || Failure::Message(format!("--cost {text}: KIND=N, where KIND is one of {}", known.join(", ")));
        let (name, number) = text.split_once('=').ok_or_else(wrong)?;
        let strength = Strength::named(name).ok_or_else(wrong)?;
        let number: u32 = number.parse().ok().filter(|number| (1..=1_000_000).contains(number)).ok_or_else(wrong)?;
        costs.insert(strength, number);
    }
    Ok(costs)
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
    /// Whether the program that starts at `main` is the only test.
    is_whole: bool,
}

impl Programs {
    fn read(arguments: &Fences) -> Result<Programs, Failure> {
        let source =
            CSource { define: arguments.define.clone(), include: arguments.include.clone(), ..CSource::default() };
        let unit = match arguments.orders {
            true => c::unit(&arguments.file, &source)?,
            false => c::unit_with_places(&arguments.file, &source)?,
        };
        let reference = arguments.reference.as_ref().map(|path| c::unit(path, &source)).transpose()?;
        let mut programs = Programs {
            tests: Vec::new(),
            removed: BTreeSet::new(),
            whole: BTreeSet::new(),
            is_whole: arguments.tests.is_empty(),
        };
        if programs.is_whole {
            programs.add("main", unit.program()?, None, arguments)?;
        }
        for notation in &arguments.tests {
            let reference = reference.as_ref().map(|unit| verified(unit.test(notation)?)).transpose()?;
            programs.add(notation, unit.test(notation)?, reference, arguments)?;
        }
        Ok(programs)
    }

    /// Makes the tests what the model is to see.
    fn compile(&mut self, model: &str, memory_orders: Option<MemoryOrders>) -> Result<(), Failure> {
        for test in &mut self.tests {
            test.program = orders::compiled(test.program.clone(), model, memory_orders)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        name: &str,
        mut program: Program,
        reference: Option<Verified>,
        arguments: &Fences,
    ) -> Result<(), Failure> {
        if arguments.remove {
            self.remove_fences(&mut program);
        }
        drop_unusable_marks(&mut program, &input::name(&arguments.file), self.is_whole);
        self.tests.push(Prepared { name: name.into(), program: verified(program)?, reference });
        Ok(())
    }

    /// Takes out the fences that the source itself calls; those of locks stay, and those inside of macros, which cannot be
    /// taken out of the text alone.
    fn remove_fences(&mut self, program: &mut Program) {
        let sources = program.sources.clone();
        let blocks = program.functions.iter_mut().flat_map(|function| &mut function.blocks);
        for block in blocks {
            let marks: BTreeSet<(FileId, u32)> = block.instructions.iter().filter_map(mark).collect();
            block.instructions.retain(|instruction| {
                let InstructionKind::Fence { access } = &instruction.kind else { return true };
                let Some(span) = instruction.span.filter(|_| !access.is_place()) else { return true };
                let is_own = FENCE_CALLS.iter().any(|call| sources.snippet(span).starts_with(call));
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

    fn report(&self, arguments: &Fences, model: &str, found: &Found) -> report::fences::Placement {
        let tests: Vec<String> = self.tests.iter().map(|test| test.name.clone()).collect();
        let file = input::name(&arguments.file);
        let of = |placement: &Placement, end: End| report::fences::Placement {
            file: file.clone(),
            model: model.into(),
            orders: arguments.orders,
            tests: tests.clone(),
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
                of(&nothing, self.failed(&file, model, *test, (program, outcome)))
            }
            Found::Placement(placement, stopped) => {
                let end = match (&placement.end, stopped) {
                    (Reason::Complete, _) => End::Complete,
                    (Reason::Hopeless(test, checked), _) => {
                        self.failed(&file, model, *test, (&checked.program, &checked.outcome))
                    }
                    (Reason::Unknown(_), Some(reason)) | (Reason::Unknown(reason), None) => {
                        End::Unknown(reason.clone())
                    }
                };
                of(placement, end)
            }
        }
    }

    /// What `check` says about a test that fails whatever is put in.
    fn failed(&self, file: &str, model: &str, test: usize, (program, outcome): (&Program, &Outcome)) -> End {
        if let Verdict::Unknown(reason) = &outcome.verdict {
            return End::Unknown(reason.clone());
        }
        let whole = report::Test::whole();
        let shown = self.is_whole.then_some(&whole);
        let answer = Answer { file, program, model, engine: ENGINE, property: Property::Always, outcome, test: shown };
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
fn drop_unusable_marks(program: &mut Program, main_file: &str, whole: bool) {
    let mut times: BTreeMap<(FileId, u32), usize> = BTreeMap::new();
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    for place in blocks.flat_map(|block| &block.instructions).filter_map(mark) {
        *times.entry(place).or_default() += 1;
    }
    let entries = program.threads.iter().map(|thread| program.function(thread.entry));
    let calls = entries.flat_map(|entry| &entry.blocks).flat_map(|block| &block.instructions);
    let operations = calls.flat_map(|call| call.kind.callees());
    let files: BTreeSet<FileId> = operations.filter_map(|id| program.function(id).span).map(|span| span.file).collect();
    let is_harness = |file: &FileId| !whole && program.sources.name(*file) != main_file;
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
    /// What the engine says, and why it was ended, if it was.
    Placement(Placement, Option<String>),
}

fn search(
    arguments: &Fences,
    programs: &Programs,
    model: &Model,
    costs: &BTreeMap<Strength, u32>,
    watch: &Watch,
) -> Result<Found, Unsupported> {
    let mut mined: Vec<(Mined, BTreeSet<Observation>)> = Vec::new();
    for (index, test) in programs.tests.iter().enumerate().filter(|_| !arguments.tests.is_empty()) {
        match mine(test, watch)? {
            Ok(found) => mined.push(found),
            Err(outcome) => return Ok(Found::Serial(index, outcome)),
        }
    }
    let tests: Vec<Test> = match arguments.tests.is_empty() {
        true => programs.tests.iter().map(whole).collect(),
        false => programs.tests.iter().zip(&mined).map(|(test, found)| prepared(test, found)).collect(),
    };
    let target = if arguments.orders { Target::Orders } else { Target::Fences };
    let cost = |strength: Strength| costs.get(&strength).copied().unwrap_or(strength.usual_cost());
    let wanted = Wanted { target, cost: &cost, sets: arguments.sets as usize };
    let options = Options { explain: true, budget: budget(watch), ..Options::default() };
    let bar = Bar::new(None, "sets tried");
    let mut tried = 0;
    let mut progress = |step: Progress| {
        if let Progress::Tried(..) = step {
            tried += 1;
        }
        bar.at(tried);
    };
    let placement = fences::fences(&tests, model, &wanted, &options, &mut progress)?;
    Ok(Found::Placement(placement, watch.reason()))
}

fn prepared<'a>(test: &'a Prepared, (mined, expected): &'a (Mined, BTreeSet<Observation>)) -> Test<'a> {
    let specification = Specification {
        observations: Some(expected),
        rounds: &mined.rounds,
        most_rounds: Bounds::default().max_iterations,
    };
    Test { name: test.name.clone(), program: &test.program, specification, whole: false }
}

/// A program that starts at `main`.
fn whole(test: &Prepared) -> Test<'_> {
    let specification =
        Specification { observations: None, rounds: &[], most_rounds: Bounds::default().max_iterations };
    Test { name: test.name.clone(), program: &test.program, specification, whole: true }
}

/// What serial executions show; or what is wrong with them.
#[allow(clippy::type_complexity)]
fn mine(test: &Prepared, watch: &Watch) -> Result<Result<(Mined, BTreeSet<Observation>), Box<Outcome>>, Unsupported> {
    let limits = Limits { interrupt: watch.interrupt.clone(), ..Limits::default() };
    let mined = observations(&test.program, &limits)?;
    if let Some(outcome) = serial_trouble(&test.program, &mined) {
        return Ok(Err(Box::new(outcome)));
    }
    let expected = match &test.reference {
        None => mined.observations.clone(),
        Some(reference) => {
            let of_reference = observations(reference, &limits)?;
            if let Some(outcome) = serial_trouble(reference, &of_reference) {
                return Ok(Err(Box::new(outcome)));
            }
            of_reference.observations
        }
    };
    Ok(Ok((mined, expected)))
}
