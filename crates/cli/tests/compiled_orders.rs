//! C11's memory orders on machines with store buffers: C litmus tests compiled by [`program::compile`] have on tso the final states
//! of the same tests written in x86's instructions, and no state on tso or pso that rc11 forbids; the three engines agree.

use std::collections::BTreeSet;

use operational::Machine;
use program::compile::{Target, compile_orders};
use program::{Value, Verdict, Verified, verify};
use testing::random::Random;

const ORDERS: [&str; 3] = ["relaxed", "release", "seq_cst"];
const REGISTERS: [&str; 4] = ["EAX", "EBX", "ECX", "EDX"];

/// The same test in C and in x86, and what both are asked about.
struct Twins {
    c: String,
    x86: String,
}

/// Two or three threads of atomic accesses and fences.
fn twins(random: &mut Random) -> Twins {
    let threads = 2 + random.below(2) as usize;
    let (mut code, mut columns, mut asked) = (String::new(), Vec::new(), Vec::new());
    for thread in 0..threads {
        let (mut lines, mut column, mut reads) = (String::new(), Vec::new(), 0);
        for _ in 0..2 + random.below(3) {
            statement(random, (&mut lines, &mut column), &mut reads);
        }
        asked.extend((0..reads).map(|read| (format!("{thread}:r{read}"), format!("{thread}:{}", REGISTERS[read]))));
        code.push_str(&format!("P{thread} (atomic_int* x, atomic_int* y, atomic_int* z) {{\n{lines}}}\n"));
        columns.push(column);
    }
    asked.extend(["x", "y", "z"].map(|cell| (cell.to_string(), cell.to_string())));
    let question = |name: &dyn Fn(&(String, String)) -> String| {
        let all: Vec<String> = asked.iter().map(|pair| format!("{}=0", name(pair))).collect();
        format!("exists ({})", all.join(" /\\ "))
    };
    let height = columns.iter().map(Vec::len).max().unwrap_or_default();
    let row = |line: usize| {
        let cells: Vec<&str> = columns.iter().map(|column| column.get(line).map_or("", String::as_str)).collect();
        format!(" {} ;\n", cells.join(" | "))
    };
    let names: Vec<String> = (0..threads).map(|thread| format!("P{thread}")).collect();
    let rows: String = (0..height).map(row).collect();
    Twins {
        c: format!("C twin\n{{ x=0; y=0; z=0; }}\n{code}{}\n", question(&|(c, _)| c.clone())),
        x86: format!(
            "X86 twin\n{{ x=0; y=0; z=0; }}\n {} ;\n{rows}{}\n",
            names.join(" | "),
            question(&|(_, x)| x.clone())
        ),
    }
}

fn statement(random: &mut Random, (lines, column): (&mut String, &mut Vec<String>), reads: &mut usize) {
    let cell = ["x", "y", "z"][random.below(3) as usize];
    let order = ORDERS[random.below(3) as usize];
    let acquiring = order.replace("release", "acquire");
    let value = 1 + random.below(2);
    match random.below(8) {
        0..=3 => {
            lines.push_str(&format!("  atomic_store_explicit({cell}, {value}, memory_order_{order});\n"));
            column.push(format!("MOV [{cell}],${value}"));
            if order == "seq_cst" {
                column.push("MFENCE".into());
            }
        }
        4..=5 if *reads < REGISTERS.len() => {
            lines.push_str(&format!("  int r{reads} = atomic_load_explicit({cell}, memory_order_{acquiring});\n"));
            column.push(format!("MOV {},[{cell}]", REGISTERS[*reads]));
            *reads += 1;
        }
        6 if *reads < REGISTERS.len() => {
            lines.push_str(&format!(
                "  int r{reads} = atomic_exchange_explicit({cell}, {value}, memory_order_{order});\n"
            ));
            column.extend([
                format!("MOV {},${value}", REGISTERS[*reads]),
                format!("XCHG {},[{cell}]", REGISTERS[*reads]),
            ]);
            *reads += 1;
        }
        _ => {
            lines.push_str(&format!("  atomic_thread_fence(memory_order_{order});\n"));
            if order == "seq_cst" {
                column.push("MFENCE".into());
            }
        }
    }
}

fn parsed(text: &str) -> Verified {
    let parsed = frontend::litmus::parse("twin.litmus", text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    verify(parsed.program).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
}

fn compiled(program: &Verified, target: Target) -> Verified {
    verify(compile_orders(program.clone().into_program(), target)).expect("fences keep to the law")
}

/// The final values, in the order in which the question names them.
fn values<'a>(states: impl IntoIterator<Item = &'a program::State>) -> BTreeSet<Vec<Value>> {
    states.into_iter().map(|state| state.iter().map(|(_, value)| value.clone()).collect()).collect()
}

fn axiomatic(program: &Verified, model: &str) -> BTreeSet<Vec<Value>> {
    let options = axiomatic::Options { explain: false, ..axiomatic::Options::default() };
    let outcome = axiomatic::outcomes(program, &testing::model(model), &options, &mut |_| {}).expect("supported");
    assert!(!matches!(outcome.verdict, Verdict::Unknown(_)));
    values(outcome.states.iter().flatten().map(|(state, _)| state))
}

fn run_by(program: &Verified, machine: Machine) -> [BTreeSet<Vec<Value>>; 2] {
    let all = operational::outcomes(program, machine, &operational::Options::default()).expect("supported");
    let classes = mcr::outcomes(program, machine, &mcr::Options::default()).expect("supported");
    [all.outcome, classes.outcome].map(|outcome| values(outcome.states.iter().flatten().map(|(state, _)| state)))
}

/// Compares this many pairs of twins.
fn campaign(seed: u64, times: u64) {
    let mut random = Random(seed);
    for _ in 0..times {
        let Twins { c, x86 } = twins(&mut random);
        let (program, machine_code) = (parsed(&c), parsed(&x86));
        let tso = compiled(&program, Target::TotalStoreOrder);
        let pso = compiled(&program, Target::PartialStoreOrder);
        let (on_tso, on_pso) = (axiomatic(&tso, "tso.cat"), axiomatic(&pso, "pso.cat"));
        assert_eq!(on_tso, axiomatic(&machine_code, "tso.cat"), "{c}\n{x86}");
        assert!(on_tso.is_subset(&on_pso), "tso has more than pso: {c}");
        let by_rc11 = axiomatic(&program, "rc11.cat");
        assert!(on_pso.is_subset(&by_rc11), "pso has what rc11 forbids, {:?}: {c}", on_pso.difference(&by_rc11).next());
        for (program, machine, expected) in [(&tso, Machine::Tso, &on_tso), (&pso, Machine::Pso, &on_pso)] {
            let [all, classes] = run_by(program, machine);
            assert_eq!(&all, expected, "{} differs: {c}", machine.name());
            assert_eq!(&classes, expected, "mcr differs on {}: {c}", machine.name());
        }
    }
}

#[test]
fn compiled_tests_have_the_states_of_machine_code_and_of_rc11() {
    campaign(9, 60);
}

#[test]
#[ignore = "takes minutes: SEED=1 TIMES=2000"]
fn compiled_tests_have_the_states_of_machine_code_and_of_rc11_many_times() {
    let number = |name: &str, usual| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    campaign(number("SEED", 1), number("TIMES", 2_000));
}

#[test]
fn orders_of_stores_become_fences_and_locked_steps_stay() {
    let text = "program p\nlanguage C\nglobal x = 0:i32\nfunction f() {\n  registers r\n  b0:\n    store &x, 1:i32 seq_cst\n    \
                store &x, 2:i32 release\n    store &x, 3:i32 relaxed\n    atomic_begin\n    %r := load &x acquire\n    \
                store &x, 4:i32 release\n    atomic_end\n    return\n}\nthread P0 = @f()\n";
    let program = program::text::parse("p.ir", text).expect("well-formed");
    let code = |target| {
        let text = program::text::print(&compile_orders(program.clone(), target));
        let start = text.find("b0:").expect("a block");
        let lines: Vec<&str> =
            text[start..].lines().skip(1).take_while(|line| !line.contains("atomic_begin")).collect();
        lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(
        code(Target::TotalStoreOrder),
        "store &x, 1:i32 seq_cst; fence seq_cst{compiled}; store &x, 2:i32 release; store &x, 3:i32 relaxed"
    );
    assert_eq!(
        code(Target::PartialStoreOrder),
        "fence plain{SS}; store &x, 1:i32 seq_cst; fence seq_cst{compiled}; fence plain{SS}; store &x, 2:i32 release; \
         store &x, 3:i32 relaxed"
    );
    let whole = program::text::print(&compile_orders(program.clone(), Target::PartialStoreOrder));
    assert_eq!(whole.matches("fence").count(), 3, "{whole}");
}
