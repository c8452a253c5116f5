//! Overlapping accesses of 8, 16, 32 and 64 bits on sc, tso and pso, plain and atomic ones: all engines have the outcomes of a machine
//! with bytes.

use std::path::Path;
use std::process::Command;

use operational::Machine;
use testing::campaign::{self, Tally};
use testing::mixed_sizes::{Mixed, Outcome};
use testing::random::Random;

const MODELS: [(&str, Machine); 3] = [("sc", Machine::Sc), ("tso", Machine::Tso), ("pso", Machine::Pso)];

/// Whether a program can come to what it excludes; `None` if that is not decided.
fn is_possible(path: &Path, engine: &str, model: &str) -> Option<bool> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    let options = ["check", "--timeout", "20", "--engine", engine, "--model", model];
    let output = command.args(options).arg(path).output().expect("palisade runs");
    match output.status.code() {
        Some(0) => Some(false),
        Some(1) => Some(true),
        Some(3) => None,
        _ => panic!("{engine} {model}: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// An outcome that is possible on some machine, and one that is put together from bytes of such outcomes, if possible one that is
/// not itself.
fn asked(random: &mut Random, all: &[Outcome]) -> Vec<Outcome> {
    let one = all[random.below(all.len() as u64) as usize].clone();
    let mixtures = (0..40).map(|_| mixture(random, all)).collect::<Vec<Outcome>>();
    let other = mixtures.iter().find(|mixture| !all.contains(mixture)).or(mixtures.last()).cloned();
    [one].into_iter().chain(other).collect()
}

/// Values of different outcomes, now and then with a byte of yet another one.
fn mixture(random: &mut Random, all: &[Outcome]) -> Outcome {
    let count = all.len() as u64;
    let mut value = |place: usize| {
        let value = all[random.below(count) as usize][place];
        let byte = 0xff << (8 * random.below(8));
        let other = all[random.below(count) as usize][place];
        if random.below(3) == 0 { value & !byte | other & byte } else { value }
    };
    (0..all[0].len()).map(&mut value).collect()
}

fn compare(random: &mut Random, tally: &mut Tally) {
    let program = Mixed::random(random);
    let outcomes = MODELS.iter().map(|(_, machine)| program.outcomes(*machine)).collect::<Option<Vec<_>>>();
    let Some(outcomes) = outcomes else { return tally.count("left out") };
    let all: Vec<Outcome> = outcomes[2].iter().cloned().collect();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mixed_{}.c", random.below(1 << 40)));
    for outcome in asked(random, &all) {
        let text = program.text(&outcome);
        std::fs::write(&path, &text).expect("written");
        for ((model, _), outcomes) in MODELS.iter().zip(&outcomes) {
            let expected = outcomes.contains(&outcome);
            tally.count_if(expected, "possible");
            tally.count_if(!expected, "impossible");
            // Atomic loads of several cells are known to one engine where there are buffers.
            let is_known = |engine: &&&str| **engine == "operational" || *model == "sc" || !program.loads_parts();
            for engine in ["axiomatic", "operational", "mcr"].iter().filter(is_known) {
                let found = is_possible(&path, engine, model);
                tally.count_if(found.is_none(), &format!("undecided by {engine} on {model}"));
                assert!(
                    found.is_none_or(|found| found == expected),
                    "{engine} on {model}: {expected} expected\n{text}"
                );
            }
        }
    }
    let _ = std::fs::remove_file(path);
}

#[test]
fn engines_have_the_outcomes_of_a_machine_with_bytes() {
    let tally = campaign::run(1, 12, compare);
    assert!(tally.of("possible") > 10 && tally.of("impossible") > 3, "{tally:?}");
}

/// `SEED` and `TIMES` say which programs.
#[test]
#[ignore = "long"]
fn engines_have_the_outcomes_of_a_machine_with_bytes_on_many_programs() {
    let (first, times) = campaign::asked(2_000);
    campaign::run(first, times, compare);
}
