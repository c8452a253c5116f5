//! Cat models mean what herd means by them: the engine's final states of random litmus tests against a reading by brute force with
//! herd's events, which shares nothing with the engine or the front ends (`herd/candidates.rs`, `herd/cat.rs`).
//!
//! `SEED=7 TIMES=2000 cargo test -p palisade-cli --test herd_events -- --ignored` takes longer.

#[path = "herd/candidates.rs"]
mod candidates;
#[path = "herd/cat.rs"]
mod cat;

use std::collections::BTreeSet;
use std::fmt::Write;

use axiomatic::{Model, Options, outcomes};
use candidates::{CELLS, Expected, Final, Language, Operand, Order, Program, Step};
use program::{Observable, Value, Verdict, Verified, verify};
use testing::campaign::{self, Tally};

/// A small generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

const FENCES: [&str; 4] = ["MFENCE", "MFENCE", "SFENCE", "LFENCE"];
const REGISTERS: [&str; 3] = ["EAX", "EBX", "ECX"];
const READS: [Order; 3] = [Order::Relaxed, Order::Acquire, Order::SeqCst];
const WRITES: [Order; 3] = [Order::Relaxed, Order::Release, Order::SeqCst];
const UPDATES: [Order; 5] = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcquireRelease, Order::SeqCst];

fn random_program(random: &mut Random, language: Language) -> Program {
    let threads = 2 + usize::from(random.one_in(4));
    let longest = if threads == 2 { 3 } else { 2 };
    let mut program = Program {
        language,
        threads: Vec::new(),
        initial: [0, random.below(2) as i64, random.below(3) as i64],
        registers: Vec::new(),
    };
    for _ in 0..threads {
        let mut registers: Vec<(String, i64)> = Vec::new();
        if language == Language::X86 {
            registers.extend(REGISTERS.map(|name| (name.to_string(), random.below(3) as i64)));
        }
        let length = 1 + random.below(longest);
        let steps = (0..length).map(|at| random_step(random, language, at, &mut registers)).collect();
        program.threads.push(steps);
        program.registers.push(registers);
    }
    program
}

/// Cells, mostly the same ones.
fn cell(random: &mut Random) -> usize {
    *random.of(&[0, 0, 0, 1, 1, 2])
}

fn random_step(random: &mut Random, language: Language, at: usize, registers: &mut Vec<(String, i64)>) -> Step {
    match language {
        Language::X86 => x86_step(random),
        Language::C => c_step(random, at, registers),
    }
}

fn x86_step(random: &mut Random) -> Step {
    let (cell, order) = (cell(random), Order::Plain);
    let register = random.of(&REGISTERS).to_string();
    let value = match random.one_in(2) {
        true => Operand::Constant(1 + random.below(2) as i64),
        false => Operand::Register(register.clone()),
    };
    match random.below(12) {
        0 | 1 => Step::Store { cell, value, order },
        2 | 3 => Step::Load { into: register, cell, order },
        4..=6 => {
            let value = Operand::Register(register.clone());
            Step::Exchange { register, cell, value, order }
        }
        7 => {
            let value = Operand::Register(register.clone());
            Step::FetchAdd { register, cell, value, order }
        }
        8 => Step::Increment { cell, locked: random.one_in(2) },
        9 | 10 => Step::CmpXchg { cell, register: random.of(&["EBX", "ECX"]).to_string() },
        _ => Step::Fence(FENCES[random.below(FENCES.len())], order),
    }
}

fn c_step(random: &mut Random, at: usize, registers: &mut Vec<(String, i64)>) -> Step {
    let cell = cell(random);
    let fresh = format!("r{at}");
    let mut value = Operand::Constant(1 + random.below(2) as i64);
    if !registers.is_empty() && random.one_in(2) {
        value = Operand::Register(random.of(registers).0.clone());
    }
    let plain = random.one_in(5);
    let order = |random: &mut Random, orders: &[Order]| if plain { Order::Plain } else { *random.of(orders) };
    if !registers.is_empty() && random.one_in(8) {
        let register = random.of(registers).0.clone();
        let inner = Step::Store { cell, value, order: order(random, &WRITES) };
        return Step::If(register, Box::new(inner));
    }
    match random.below(11) {
        0 | 1 => Step::Store { cell, value, order: order(random, &WRITES) },
        2 | 3 => {
            registers.push((fresh.clone(), 0));
            Step::Load { into: fresh, cell, order: order(random, &READS) }
        }
        4 => {
            let orders = [order(random, &READS), order(random, &WRITES)];
            Step::Copy { to: random.below(2), from: cell, orders }
        }
        5 | 6 => {
            registers.push((fresh.clone(), 0));
            Step::Exchange { register: fresh, cell, value, order: *random.of(&UPDATES) }
        }
        7 | 8 => {
            registers.push((fresh.clone(), 0));
            Step::FetchAdd { register: fresh, cell, value, order: *random.of(&UPDATES) }
        }
        9 => {
            registers.push((fresh.clone(), 0));
            let expected = match random.one_in(4) && cell != 2 {
                true => Expected::Cell(2),
                false => Expected::Local(format!("e{at}"), random.below(3) as i64),
            };
            let (success, failure) = (*random.of(&UPDATES), *random.of(&READS));
            Step::Cas { flag: fresh, cell, expected, desired: value, success, failure }
        }
        _ => Step::Fence("", *random.of(&[Order::Acquire, Order::Release, Order::AcquireRelease, Order::SeqCst])),
    }
}

// The litmus test of a program.

fn litmus(program: &Program) -> String {
    let head = if program.language == Language::X86 { "X86" } else { "C" };
    let mut text = format!("{head} random\n{{");
    for (cell, value) in program.initial.iter().enumerate() {
        write!(text, " {}={value};", CELLS[cell]).expect("text");
    }
    match program.language {
        Language::X86 => x86_threads(program, &mut text),
        Language::C => c_threads(program, &mut text),
    }
    text.push_str("locations [");
    for (_, name) in CELLS.iter().enumerate().filter(|&(cell, _)| program.touches(cell)) {
        write!(text, "{name}; ").expect("text");
    }
    for (thread, registers) in program.registers.iter().enumerate() {
        registers.iter().for_each(|(name, _)| write!(text, "{thread}:{name}; ").expect("text"));
    }
    let asked = (0..CELLS.len()).find(|&cell| program.touches(cell)).expect("an access");
    writeln!(text, "]\nexists ({}=77)", CELLS[asked]).expect("text");
    text
}

fn x86_threads(program: &Program, text: &mut String) {
    for (thread, registers) in program.registers.iter().enumerate() {
        registers.iter().for_each(|(name, value)| write!(text, " {thread}:{name}={value};").expect("text"));
    }
    text.push_str(" }\n");
    let columns: Vec<Vec<String>> =
        program.threads.iter().map(|steps| steps.iter().map(x86_instruction).collect()).collect();
    let names: Vec<String> = (0..columns.len()).map(|thread| format!("P{thread}")).collect();
    writeln!(text, "{} ;", names.join(" | ")).expect("text");
    for line in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        let cells: Vec<&str> = columns.iter().map(|column| column.get(line).map_or("", String::as_str)).collect();
        writeln!(text, "{} ;", cells.join(" | ")).expect("text");
    }
}

fn x86_instruction(step: &Step) -> String {
    let operand = |operand: &Operand| match operand {
        Operand::Constant(value) => format!("${value}"),
        Operand::Register(name) => name.clone(),
    };
    match step {
        Step::Load { into, cell, .. } => format!("MOV {into},[{}]", CELLS[*cell]),
        Step::Store { cell, value, .. } => format!("MOV [{}],{}", CELLS[*cell], operand(value)),
        Step::Exchange { register, cell, .. } => format!("XCHG [{}],{register}", CELLS[*cell]),
        Step::FetchAdd { register, cell, .. } => format!("LOCK XADD [{}],{register}", CELLS[*cell]),
        Step::Increment { cell, locked } => format!("{}INC [{}]", if *locked { "LOCK " } else { "" }, CELLS[*cell]),
        Step::CmpXchg { cell, register } => format!("LOCK CMPXCHG [{}],{register}", CELLS[*cell]),
        Step::Fence(name, _) => name.to_string(),
        other => panic!("no instruction of x86: {other:?}"),
    }
}

fn c_threads(program: &Program, text: &mut String) {
    text.push_str(" }\n");
    for (thread, steps) in program.threads.iter().enumerate() {
        writeln!(text, "P{thread} (atomic_int* x, atomic_int* y, atomic_int* z) {{").expect("text");
        steps.iter().for_each(|step| writeln!(text, "  {}", c_statement(step, true)).expect("text"));
        text.push_str("}\n");
    }
}

fn c_statement(step: &Step, declares: bool) -> String {
    let operand = |operand: &Operand| match operand {
        Operand::Constant(value) => value.to_string(),
        Operand::Register(name) => name.clone(),
    };
    let load = |cell: usize, order: Order| match order {
        Order::Plain => format!("*{}", CELLS[cell]),
        order => format!("atomic_load_explicit({}, {})", CELLS[cell], order.name()),
    };
    let store = |cell: usize, value: String, order: Order| match order {
        Order::Plain => format!("*{} = {value};", CELLS[cell]),
        order => format!("atomic_store_explicit({}, {value}, {});", CELLS[cell], order.name()),
    };
    let int = if declares { "int " } else { "" };
    match step {
        Step::Load { into, cell, order } => format!("{int}{into} = {};", load(*cell, *order)),
        Step::Store { cell, value, order } => store(*cell, operand(value), *order),
        Step::Copy { to, from, orders } => store(*to, load(*from, orders[0]), orders[1]),
        Step::Exchange { register, cell, value, order } => {
            let (cell, value, order) = (CELLS[*cell], operand(value), order.name());
            format!("{int}{register} = atomic_exchange_explicit({cell}, {value}, {order});")
        }
        Step::FetchAdd { register, cell, value, order } => {
            let (cell, value, order) = (CELLS[*cell], operand(value), order.name());
            format!("{int}{register} = atomic_fetch_add_explicit({cell}, {value}, {order});")
        }
        Step::Cas { flag, cell, expected, desired, success, failure } => {
            let (before, place) = match expected {
                Expected::Local(name, value) => (format!("int {name} = {value}; "), format!("&{name}")),
                Expected::Cell(place) => (String::new(), CELLS[*place].to_string()),
            };
            let (cell, desired) = (CELLS[*cell], operand(desired));
            let (success, failure) = (success.name(), failure.name());
            format!(
                "{before}{int}{flag} = atomic_compare_exchange_strong_explicit({cell}, {place}, {desired}, {success}, {failure});"
            )
        }
        Step::Fence(_, order) => format!("atomic_thread_fence({});", order.name()),
        Step::If(register, inner) => format!("if ({register}) {{ {} }}", c_statement(inner, false)),
        other => panic!("no statement of C: {other:?}"),
    }
}

// Models.

/// Models in the style of herd's users, for both languages.
const MODELS: [&str; 9] = [
    "everything\nacyclic 0 as nothing\n",
    "sc\nacyclic po | rf | co | fr as sc\n",
    "sc-atomic\nacyclic po | rf | co | fr as sc\nempty rmw & (fre; coe) as atomic\n",
    "uniproc\nacyclic po-loc | rf | co | fr as uniproc\n",
    "uniproc-amo\nacyclic po-loc | amo | rf | co | fr as uniproc\nempty rmw & (fre; coe) as atomic\n",
    "tso\nacyclic po-loc | rf | co | fr as uniproc\nempty rmw & (fre; coe) as atomic\nlet ppo = po \\ (W * R)\n\
     acyclic ppo | rfe | co | fr as tso\n",
    "early\nirreflexive (rf^-1; co) as early\nirreflexive (rf; po) as later\n",
    "instances\nacyclic po-loc | rf | co | fr | (same-instance \\ id) & (R * W) as inside\n",
    "plain\nempty ([NA]; po; [F]) & (F * F) as fences\nacyclic (po & (NA * A)) | rf | (co & ext) | (fr & ext) as plain\n",
];

/// Models that speak of C's orders.
const C_MODELS: [&str; 2] = [
    "rc11\nlet eco = (rf | co | fr)^+\n\
     let rs = [W]; (po & loc)?; [W & A]; (rf; [RMW])^*\n\
     let sw = [REL | ACQ_REL | SC]; ([F]; po)?; rs; rf; [R & A]; (po; [F])?; [ACQ | ACQ_REL | SC]\n\
     let hb = (po | sw)^+\n\
     irreflexive hb; eco? as coherence\n\
     empty [RMW] & (rf^-1; co; co) as atomicity\n\
     acyclic po | rf as no-thin-air\n",
    "simple\nlet next = co \\ (co; co)\n\
     empty (rf; [RMW]) \\ next as atomicity\n\
     let breaks = co \\ (coi | (co; [RMW]))\n\
     let rseq = id | ((coi | (co; [RMW])) \\ (breaks; co))\n\
     let sw = ext & ([REL | ACQ_REL | (SC & W)]; ([F]; po)?; rseq; rf; [A]; (po; [F])?; [ACQ | ACQ_REL | (SC & R)])\n\
     let hb = (po | sw | IW * (M \\ IW))^+\n\
     acyclic hb | co as order\n\
     acyclic (hb & loc) | rf | fr | co as coherence\n",
];

fn random_model(random: &mut Random, language: Language) -> String {
    let mut text = String::from("random\n");
    for number in 0..1 + random.below(3) {
        let terms: Vec<String> = (0..1 + random.below(4)).map(|_| term(random, language)).collect();
        let check = random.of(&["acyclic", "acyclic", "acyclic", "irreflexive", "empty"]);
        match *check {
            "empty" => {
                let other = term(random, language);
                writeln!(text, "empty ({}) & ({other}) as c{number}", terms[0]).expect("text");
            }
            check => writeln!(text, "{check} {} as c{number}", terms.join(" | ")).expect("text"),
        }
    }
    text
}

fn term(random: &mut Random, language: Language) -> String {
    let base = |random: &mut Random| {
        let names = [
            "po",
            "po",
            "rf",
            "co",
            "fr",
            "fr",
            "po-loc",
            "rfe",
            "rfi",
            "coe",
            "coi",
            "fre",
            "fri",
            "rmw",
            "same-instance",
            "iico_data",
            "iico_ctrl",
            "loc",
            "int",
            "ext",
            "sm",
            "si",
            "id",
            "amo",
        ];
        *random.of(&names)
    };
    let set = |random: &mut Random| {
        let common = ["R", "W", "M", "F", "IW", "A", "NA"];
        let own: &[&str] = match language {
            Language::X86 => &["X", "MFENCE", "AMO"],
            Language::C => &["RMW", "RMW", "ACQ", "REL", "SC", "ACQ_REL", "RLX"],
        };
        if random.one_in(2) { *random.of(&common) } else { *random.of(own) }
    };
    let first = base(random);
    match random.below(9) {
        0 | 1 => first.into(),
        2 => format!("([{}]; {first})", set(random)),
        3 => format!("({first}; [{}])", set(random)),
        4 => format!("({first} & ({} * {}))", set(random), set(random)),
        5 => format!("({first}; {})", base(random)),
        6 => format!("({first} \\ {})", base(random)),
        7 => format!("(rf^-1; {first})"),
        _ => format!("({first}; {}?; {}^-1)", base(random), base(random)),
    }
}

// The engine.

fn parse(text: &str) -> Verified {
    let parsed = frontend::litmus::parse("random.litmus", text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    verify(parsed.program).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"))
}

fn load(text: &str) -> Model {
    axiomatic::model::load("user.cat", text, &|_| None).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"))
}

fn engine_states(program: &Verified, model: &Model, text: &str) -> BTreeSet<Final> {
    let options = Options { explain: false, ..Options::default() };
    let outcome = outcomes(program, model, &options, &mut |_| {}).unwrap_or_else(|what| panic!("{what:?}\n{text}"));
    assert!(!matches!(outcome.verdict, Verdict::Unknown(_)), "{:?}\n{text}", outcome.verdict);
    let name = |observable: &Observable| match observable {
        Observable::Memory(cell) => program.cell_name(cell),
        Observable::Register(thread, register) => {
            let entry = program.threads[thread.0 as usize].entry;
            format!("{}:{}", thread.0, program.function(entry).registers[register.0 as usize])
        }
    };
    let number = |value: &Value| match value {
        Value::Int(int) => int.signed(),
        other => panic!("{other:?}\n{text}"),
    };
    let state = |state: &program::State| state.iter().map(|(what, value)| (name(what), number(value))).collect();
    outcome.states.expect("states").iter().map(|(found, _)| state(found)).collect()
}

/// Functions of relations that go through elements one by one, and give back the same relation.
const ELEMENTWISE: &str = "
let fold f =
  let rec over (es, y) = match es with || {} -> y || e ++ es -> over (es, f (e, y)) end in
  over
let pairs r =
  let rec all r = match r with || {} -> 0 || p ++ ps -> (let (a, b) = p in (a, b) ++ all ps) end in
  all r
let rows r =
  let rec all s = match s with || {} -> 0 || e ++ es -> ([{e}]; r) | all es end in
  all (domain r)
let columns r = fold (fun (e, y) -> y | (r; [{e}])) (range r, 0)
let products r = fold (fun (p, y) -> (let (a, b) = p in {a} * {b}) | y) (r, {})
let ends r = (fold (fun (e, y) -> (if e in range r then [e] else 0) | y) (_, 0)); [range r]
let through r = (map (fun e -> e) (domain r)) * _ & r; ends r
";

/// The same model in other words: every check goes through elements one by one.
fn elementwise(random: &mut Random, model: &str) -> String {
    let (title, rest) = model.split_once('\n').expect("a title");
    let mut text = format!("{title}{ELEMENTWISE}");
    for line in rest.lines() {
        let line = line.trim();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let Some((checked, name)) = rest.rsplit_once(" as ").filter(|_| word != "let") else {
            let _ = writeln!(text, "{line}");
            continue;
        };
        let function = random.of(&["pairs", "rows", "columns", "products", "through"]);
        let each = match (word, random.below(3)) {
            (_, 0) => format!("{word} {function} ({checked}) as {name}"),
            ("acyclic", _) => format!("forall c in classes ({checked}) do acyclic [c]; ({checked}); [c] as {name} end"),
            ("irreflexive", _) => format!("forall e in _ do irreflexive [e]; ({checked}); [{{e}}] as {name} end"),
            (_, 1) => format!("forall e in domain ({checked}) do empty [{{e}}]; ({checked}) as {name} end"),
            _ => {
                format!("forall p in {function} ({checked}) do let (a, b) = p\n~empty 0 & {{a}} * {{b}} as {name} end")
            }
        };
        let _ = writeln!(text, "{each}");
    }
    text
}

/// The engine has the final states that brute force finds, under several models.
fn compare(number: u64, tally: &mut Tally) {
    let random = &mut Random::new(number);
    let language = if number.is_multiple_of(2) { Language::X86 } else { Language::C };
    let program = random_program(random, language);
    if !(0..CELLS.len()).any(|cell| program.touches(cell)) {
        return;
    }
    let mut models = vec![random_model(random, language), random_model(random, language)];
    models.push(random.of(&MODELS).to_string());
    if language == Language::C {
        models.push(random.of(&C_MODELS).to_string());
    }
    let mut allowed: Vec<BTreeSet<Final>> = vec![BTreeSet::new(); models.len()];
    let all = program.candidates(&mut |candidate, state| {
        for (model, allowed) in models.iter().zip(&mut allowed) {
            if !allowed.contains(&state) && cat::allows(model, candidate) {
                allowed.insert(state.clone());
            }
        }
    });
    if !all {
        return;
    }
    let text = litmus(&program);
    let parsed = parse(&text);
    for (model, expected) in models.iter().zip(&allowed) {
        let words = if random.one_in(4) { elementwise(random, model) } else { model.clone() };
        let found = engine_states(&parsed, &load(&words), &format!("{words}{text}"));
        let (missing, extra) = (expected.difference(&found).next(), found.difference(expected).next());
        assert!(
            missing.is_none() && extra.is_none(),
            "program {number}\n{text}\n{words}\nmissing: {missing:?}\nextra: {extra:?}"
        );
        tally.count("pairs with a model");
    }
    tally.count("decided by all");
    tally.count(if language == Language::X86 { "x86" } else { "C" });
}

#[test]
fn models_of_users_mean_what_they_mean_to_herd() {
    let tally = campaign::run_numbered(1, 60, compare);
    assert!(tally.of("pairs with a model") > 150, "{tally:?}");
}

#[test]
#[ignore = "takes minutes"]
fn models_of_users_mean_what_they_mean_to_herd_on_many_programs() {
    let (first, times) = campaign::asked(2_500);
    campaign::run_numbered(first, times, compare);
}
