//! Gates against truth tables.

mod common;

use common::Random;
use relation::{Bit, Circuit};
use sat::{Answer, Budget};

const INPUTS: usize = 6;

/// Signals with their truth tables: bit `v` says what the signal is when the inputs are the bits of `v`.
struct Signals {
    circuit: Circuit,
    inputs: Vec<Bit>,
    all: Vec<(Bit, u64)>,
}

/// The truth table of an input.
fn table(input: usize) -> u64 {
    (0..64).filter(|valuation| valuation >> input & 1 == 1).fold(0, |table, valuation| table | 1 << valuation)
}

fn signals(random: &mut Random, gates: usize) -> Signals {
    let mut circuit = Circuit::new();
    let inputs: Vec<Bit> = (0..INPUTS).map(|_| circuit.fresh()).collect();
    let mut all: Vec<(Bit, u64)> = inputs.iter().enumerate().map(|(index, &bit)| (bit, table(index))).collect();
    all.extend([(Bit::TRUE, u64::MAX), (Bit::FALSE, 0)]);
    for _ in 0..gates {
        let mut pick = || {
            let (bit, table) = all[random.below(all.len())];
            if random.one_in(2) { (!bit, !table) } else { (bit, table) }
        };
        let chosen = [pick(), pick(), pick(), pick()];
        let width = random.below(5);
        let bits: Vec<Bit> = chosen[..width].iter().map(|&(bit, _)| bit).collect();
        let [(a, p), (b, q), (c, r), _] = chosen;
        all.push(match random.below(4) {
            0 => (circuit.and(&bits), chosen[..width].iter().fold(u64::MAX, |all, &(_, t)| all & t)),
            1 => (circuit.or(&bits), chosen[..width].iter().fold(0, |any, &(_, t)| any | t)),
            2 => (circuit.ite(a, b, c), p & q | !p & r),
            _ => (circuit.iff(a, b), !(p ^ q)),
        });
    }
    Signals { circuit, inputs, all }
}

fn solve(signals: &mut Signals, assumptions: &[Bit]) -> Answer {
    signals.circuit.solve(assumptions, &Budget::default())
}

/// The valuation of the inputs in the solution just found; every signal must agree with its table there.
fn check_solution(signals: &Signals) -> usize {
    let values = signals.circuit.valuation();
    let valuation = (0..INPUTS).filter(|&i| values.get(signals.inputs[i])).fold(0, |word, i| word | 1 << i);
    for &(bit, table) in &signals.all {
        assert_eq!(values.get(bit), table >> valuation & 1 == 1, "{bit:?} at {valuation:b}");
        assert_eq!(values.get(!bit), table >> valuation & 1 == 0, "{bit:?} at {valuation:b}");
    }
    valuation
}

#[test]
fn gates_follow_their_truth_tables() {
    let mut random = Random(11);
    for _ in 0..150 {
        let mut signals = signals(&mut random, 30);
        for (bit, table) in signals.all.clone() {
            if bit.is_constant() {
                assert_eq!(table, if bit == Bit::TRUE { u64::MAX } else { 0 });
            }
            for (bit, table) in [(bit, table), (!bit, !table)] {
                let answer = solve(&mut signals, &[bit]);
                assert_eq!(answer == Answer::Satisfiable, table != 0, "{bit:?}");
                if table != 0 {
                    assert_eq!(table >> check_solution(&signals) & 1, 1, "{bit:?}");
                }
            }
        }
    }
}

#[test]
fn clauses_leave_the_solutions_of_their_truth_tables() {
    let mut random = Random(12);
    for _ in 0..300 {
        let mut signals = signals(&mut random, 20);
        let mut left = u64::MAX;
        for _ in 0..1 + random.below(6) {
            let mut pick = || signals.all[random.below(signals.all.len())];
            let chosen = [pick(), pick(), pick()];
            let chosen = &chosen[..1 + random.below(3)];
            signals.circuit.clause(&chosen.iter().map(|&(bit, _)| bit).collect::<Vec<_>>());
            left &= chosen.iter().fold(0, |any, &(_, table)| any | table);
            // Solving in between must not matter.
            assert_eq!(solve(&mut signals, &[]) == Answer::Satisfiable, left != 0);
        }
        for valuation in 0..64 {
            let assumptions = common::fixed(&signals.inputs, valuation);
            let answer = solve(&mut signals, &assumptions);
            assert_eq!(answer == Answer::Satisfiable, left >> valuation & 1 == 1, "at {valuation:b}");
        }
    }
}

#[test]
fn what_is_evidently_implied_is_implied() {
    let mut random = Random(13);
    let mut evident = 0;
    for _ in 0..200 {
        let signals = signals(&mut random, 30);
        for &(a, p) in &signals.all {
            for &(b, q) in &signals.all {
                for (a, p, b, q) in [(a, p, b, q), (!a, !p, b, q), (a, p, !b, !q), (!a, !p, !b, !q)] {
                    if signals.circuit.evidently_implies(a, b) {
                        evident += usize::from(a != b && !a.is_constant() && !b.is_constant());
                        assert_eq!(p & !q, 0, "{a:?} does not imply {b:?}");
                    }
                }
            }
        }
    }
    assert!(evident > 100, "only {evident} implications were evident");
}

#[test]
fn each_member_of_a_minimal_core_is_necessary() {
    let mut random = Random(14);
    let mut cores = 0;
    while cores < 150 {
        let mut signals = signals(&mut random, 25);
        let mut pick = || {
            let (bit, table) = signals.all[random.below(signals.all.len())];
            if random.one_in(2) { (!bit, !table) } else { (bit, table) }
        };
        let assumed: Vec<(Bit, u64)> = (0..7).map(|_| pick()).collect();
        let conjunction = |bits: &[Bit]| {
            let table = |bit: &Bit| assumed.iter().find(|(other, _)| other == bit).expect("an assumption").1;
            bits.iter().fold(u64::MAX, |all, bit| all & table(bit))
        };
        let bits: Vec<Bit> = assumed.iter().map(|&(bit, _)| bit).collect();
        let answer = solve(&mut signals, &bits);
        assert_eq!(answer == Answer::Satisfiable, conjunction(&bits) != 0);
        if answer == Answer::Satisfiable {
            continue;
        }
        cores += 1;
        let failed = signals.circuit.failed(&bits);
        assert_eq!(conjunction(&failed), 0, "{failed:?}");
        let core = signals.circuit.minimal_core(&bits, &Budget::default()).expect("no budget");
        assert_eq!(conjunction(&core), 0, "{core:?}");
        for index in 0..core.len() {
            let mut rest = core.clone();
            rest.remove(index);
            assert_ne!(conjunction(&rest), 0, "{:?} is not needed in {core:?}", core[index]);
        }
    }
}

#[test]
fn a_graph_keeps_the_valuations_without_a_cycle() {
    let mut random = Random(15);
    for _ in 0..150 {
        let mut signals = signals(&mut random, 15);
        let nodes = 3 + random.below(3);
        let graph = signals.circuit.graph(nodes);
        let mut edges = Vec::new();
        for _ in 0..2 + random.below(10) {
            let (from, to) = (random.below(nodes), random.below(nodes));
            let (bit, table) = signals.all[random.below(signals.all.len())];
            if from != to {
                signals.circuit.edge(graph, from as u32, to as u32, bit);
                edges.push((from, to, table));
            }
        }
        for valuation in 0..64 {
            let there = edges.iter().filter(|&&(_, _, table)| table >> valuation & 1 == 1);
            let closed = common::closure(&there.map(|&(from, to, _)| (from, to)).collect());
            let assumptions = common::fixed(&signals.inputs, valuation);
            let answer = solve(&mut signals, &assumptions);
            let acyclic = closed.iter().all(|(x, y)| x != y);
            assert_eq!(answer == Answer::Satisfiable, acyclic, "{edges:?} at {valuation:b}");
            if acyclic {
                assert_eq!(check_solution(&signals), valuation);
            }
        }
    }
}
