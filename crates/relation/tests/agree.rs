//! Expressions and formulas as constraints of a solver, against what they mean on every instance.

mod common;

use std::collections::HashSet;

use common::{Case, Random, Set, Signal, Tree, fixed, formula};
use relation::translate::Mode;
use relation::{Bit, Evaluation, Formula, Formulas};
use sat::{Answer, Budget};

const ROUNDS: usize = 400;

/// A random case of 3 to 5 atoms.
fn case(random: &mut Random) -> Case {
    let (size, inputs) = (3 + random.below(3), 2 + random.below(4));
    Case::random(random, size, inputs)
}

/// For each valuation, whether the formula holds.
fn truths(case: &Case, formulas: &Formulas, formula: &Formula) -> Vec<bool> {
    let holds = |valuation| Evaluation::new(formulas, &case.instance(valuation)).holds(formula);
    case.valuations().map(holds).collect()
}

#[test]
fn evaluation_gives_the_meaning_of_expressions() {
    let mut random = Random(1);
    for round in 0..2 * ROUNDS {
        let case = case(&mut random);
        let mut formulas = Formulas::new();
        let recursive = case.define(&mut formulas);
        let tree = case.relation(&mut random, 4);
        let expr = tree.build(&recursive, &mut formulas);
        for valuation in case.valuations() {
            let instance = case.instance(valuation);
            let atoms = case.atoms(valuation);
            let found: Set =
                Evaluation::new(&formulas, &instance).pairs(expr).iter().map(|(x, y)| (atoms[x], atoms[y])).collect();
            assert_eq!(found, case.meaning(&tree, valuation), "round {round}: {tree:?}\n{case:?}\nat {valuation:b}");
        }
    }
}

#[test]
fn exact_matrices_equal_the_relation() {
    let mut random = Random(2);
    let mut translated = 0;
    for round in 0..ROUNDS {
        let case = case(&mut random);
        let mut formulas = Formulas::new();
        let recursive = case.define(&mut formulas);
        let tree = case.relation(&mut random, 4);
        let expr = tree.build(&recursive, &mut formulas);
        let (mut circuit, inputs, mut translation) = case.translation(&formulas, &mut random);
        let exact = translation.matrix(expr, Mode::Exact, &mut circuit);
        if translation.failure().is_some() {
            continue;
        }
        translated += 1;
        for valuation in case.valuations() {
            let text = format!("round {round}: {tree:?}\n{case:?}\nat {valuation:b}");
            let answer = circuit.solve(&fixed(&inputs, valuation), &Budget::default());
            assert_eq!(answer, Answer::Satisfiable, "{text}");
            let values = circuit.valuation();
            let found: Set = pairs(&case, valuation).filter(|&(x, y)| values.get(exact.get(x, y))).collect();
            assert_eq!(found, case.meaning(&tree, valuation), "{text}");
        }
    }
    assert!(translated > ROUNDS / 2, "only {translated} of {ROUNDS} expressions could be translated");
}

/// All pairs of atoms that are there.
fn pairs(case: &Case, valuation: usize) -> impl Iterator<Item = (usize, usize)> {
    let atoms = case.atoms(valuation);
    let others = atoms.clone();
    atoms.into_iter().flat_map(move |x| others.clone().into_iter().map(move |y| (x, y)))
}

#[test]
fn containing_matrices_contain_the_relation_and_may_equal_it() {
    let mut random = Random(7);
    let mut translated = 0;
    for round in 0..ROUNDS {
        let case = case(&mut random);
        let mut formulas = Formulas::new();
        let recursive = case.define(&mut formulas);
        let tree = case.relation(&mut random, 4);
        let expr = tree.build(&recursive, &mut formulas);
        let (mut circuit, inputs, mut translation) = case.translation(&formulas, &mut random);
        let containing = translation.matrix(expr, Mode::Containing, &mut circuit);
        if translation.failure().is_some() {
            continue;
        }
        translated += 1;
        for valuation in case.valuations() {
            let text = format!("round {round}: {tree:?}\n{case:?}\nat {valuation:b}");
            let meaning = case.meaning(&tree, valuation);
            let mut assumptions = fixed(&inputs, valuation);
            assert_eq!(circuit.solve(&assumptions, &Budget::default()), Answer::Satisfiable, "{text}");
            let values = circuit.valuation();
            let found: Set = pairs(&case, valuation).filter(|&(x, y)| values.get(containing.get(x, y))).collect();
            assert!(found.is_superset(&meaning), "{text}\n{found:?} does not contain {meaning:?}");
            let outside = pairs(&case, valuation).filter(|pair| !meaning.contains(pair));
            assumptions.extend(outside.map(|(x, y)| !containing.get(x, y)));
            assert_eq!(circuit.solve(&assumptions, &Budget::default()), Answer::Satisfiable, "{text}");
        }
    }
    assert!(translated > ROUNDS / 2, "only {translated} of {ROUNDS} expressions could be translated");
}

/// One random formula, required and as a signal, for each valuation of the inputs.
fn check_formula(random: &mut Random, round: usize) -> bool {
    let case = case(random).settled();
    let mut formulas = Formulas::new();
    let recursive = case.define(&mut formulas);
    let depth = random.below(4);
    let formula = formula(random, &case, depth, &recursive, false, &mut formulas);
    let expected = truths(&case, &formulas, &formula);
    let text = format!("round {round}: {formula:?}\n{formulas:?}\n{case:?}");

    let (mut circuit, inputs, mut translation) = case.translation(&formulas, random);
    translation.require(&formula, Bit::TRUE, &mut circuit);
    if translation.failure().is_some() {
        return false;
    }
    let any = circuit.solve(&[], &Budget::default()) == Answer::Satisfiable;
    assert_eq!(any, expected.contains(&true), "required, {text}");
    for valuation in case.valuations() {
        let answer = circuit.solve(&fixed(&inputs, valuation), &Budget::default()) == Answer::Satisfiable;
        assert_eq!(answer, expected[valuation], "required at {valuation:b}, {text}");
    }

    let (mut circuit, inputs, mut translation) = case.translation(&formulas, random);
    let signal = translation.signal(&formula, &mut circuit);
    for valuation in case.valuations() {
        let mut assumptions = fixed(&inputs, valuation);
        let free = circuit.solve(&assumptions, &Budget::default());
        assert_eq!(free, Answer::Satisfiable, "a signal excludes {valuation:b}, {text}");
        assumptions.push(signal);
        let answer = circuit.solve(&assumptions, &Budget::default()) == Answer::Satisfiable;
        assert_eq!(answer, expected[valuation], "signal at {valuation:b}, {text}");
    }
    true
}

#[test]
fn formulas_are_satisfiable_where_they_hold_and_only_there() {
    let mut random = Random(3);
    let translated = (0..2 * ROUNDS).filter(|&round| check_formula(&mut random, round)).count();
    assert!(translated > ROUNDS, "only {translated} of {} formulas could be translated", 2 * ROUNDS);
}

#[test]
fn each_selector_switches_its_own_formula() {
    let mut random = Random(4);
    for round in 0..ROUNDS / 2 {
        let case = case(&mut random).settled();
        let mut formulas = Formulas::new();
        let recursive = case.define(&mut formulas);
        let list: Vec<Formula> =
            (0..3).map(|_| formula(&mut random, &case, 1, &recursive, false, &mut formulas)).collect();
        let expected: Vec<Vec<bool>> = list.iter().map(|formula| truths(&case, &formulas, formula)).collect();
        let (mut circuit, inputs, mut translation) = case.translation(&formulas, &mut random);
        let selectors: Vec<Bit> = list.iter().map(|_| circuit.fresh()).collect();
        for (formula, &selector) in list.iter().zip(&selectors) {
            translation.require(formula, selector, &mut circuit);
        }
        if translation.failure().is_some() {
            continue;
        }
        for valuation in case.valuations() {
            for chosen in 0..1usize << list.len() {
                let mut assumptions = fixed(&inputs, valuation);
                assumptions.extend((0..list.len()).filter(|i| chosen >> i & 1 == 1).map(|i| selectors[i]));
                let answer = circuit.solve(&assumptions, &Budget::default()) == Answer::Satisfiable;
                let holds = (0..list.len()).all(|i| chosen >> i & 1 == 0 || expected[i][valuation]);
                assert_eq!(
                    answer, holds,
                    "round {round} at {valuation:b}, {chosen:b} of {list:?}\n{formulas:?}\n{case:?}"
                );
            }
        }
    }
}

/// Whether some choice of the free relations `one/1` and `two/2` makes the formula hold.
fn holds_for_some_choice(case: &Case, formulas: &Formulas, formula: &Formula, valuation: usize) -> bool {
    let mut instance = case.instance(valuation);
    let size = instance.size as u32;
    let singles: Vec<Vec<u32>> = (0..size).map(|x| vec![x]).collect();
    let doubles: Vec<Vec<u32>> = (0..size).flat_map(|x| (0..size).map(move |y| vec![x, y])).collect();
    let subset = |tuples: &[Vec<u32>], choice: usize| -> HashSet<Vec<u32>> {
        tuples.iter().enumerate().filter(|(i, _)| choice >> i & 1 == 1).map(|(_, tuple)| tuple.clone()).collect()
    };
    (0..1usize << (singles.len() + doubles.len())).any(|choice| {
        instance.free.insert("one".into(), subset(&singles, choice));
        instance.free.insert("two".into(), subset(&doubles, choice >> singles.len()));
        Evaluation::new(formulas, &instance).holds(formula)
    })
}

#[test]
fn free_relations_are_chosen_by_the_solver() {
    let mut random = Random(5);
    for round in 0..ROUNDS / 2 {
        let case = Case::random(&mut random, 3, 2).settled();
        let mut formulas = Formulas::new();
        let recursive = case.define(&mut formulas);
        let depth = 2 + random.below(2);
        let formula = formula(&mut random, &case, depth, &recursive, true, &mut formulas);
        let (mut circuit, inputs, mut translation) = case.translation(&formulas, &mut random);
        translation.require(&formula, Bit::TRUE, &mut circuit);
        if translation.failure().is_some() {
            continue;
        }
        for valuation in case.valuations() {
            let answer = circuit.solve(&fixed(&inputs, valuation), &Budget::default()) == Answer::Satisfiable;
            let expected = holds_for_some_choice(&case, &formulas, &formula, valuation);
            assert_eq!(answer, expected, "round {round} at {valuation:b}: {formula:?}\n{formulas:?}\n{case:?}");
        }
    }
}

#[test]
fn a_relation_that_is_not_bound_is_a_failure() {
    let mut formulas = Formulas::new();
    let unknown = formulas.base("unknown");
    let case = Case::random(&mut Random(6), 3, 2);
    let (mut circuit, _, mut translation) = case.translation(&formulas, &mut Random(6));
    translation.require(&Formula::Empty(unknown), Bit::TRUE, &mut circuit);
    assert_eq!(translation.failure(), Some("the relation or set `unknown`"));
}

/// `r0 = a | r0; r0` and `r1 = (b \ r0) | r1; r1`: what the second leaves out must be known before it is computed.
#[test]
fn a_recursive_relation_is_finished_before_another_subtracts_it() {
    let tree = |text: &'static str| Box::new(Tree::Base(text));
    let twice = |index: usize| Box::new(Tree::Sequence(Tree::Recursive(index).into(), Tree::Recursive(index).into()));
    let mut case = Case::random(&mut Random(8), 2, 1);
    case.present = vec![Signal::Constant(true), Signal::Constant(true)];
    let free = || Signal::All(vec![(0, true)]);
    case.bases[0].1 = vec![(0, 1, free())];
    case.bases[1].1 = vec![(0, 1, free()), (1, 0, Signal::Constant(true))];
    case.mutual = false;
    case.definitions = vec![
        Tree::Union(tree("a"), twice(0)),
        Tree::Union(Box::new(Tree::Difference(tree("b"), Tree::Recursive(0).into())), twice(1)),
    ];
    let mut formulas = Formulas::new();
    let recursive = case.define(&mut formulas);
    let (mut circuit, inputs, mut translation) = case.translation(&formulas, &mut Random(8));
    let matrix = translation.matrix(recursive[1], Mode::Containing, &mut circuit);
    for valuation in case.valuations() {
        let expected = case.meaning(&Tree::Recursive(1), valuation);
        assert_eq!(expected, Set::from([(1, 0)]));
        let evaluated: Set = Evaluation::new(&formulas, &case.instance(valuation)).pairs(recursive[1]).iter().collect();
        assert_eq!(evaluated, expected, "evaluated");
        assert_eq!(circuit.solve(&fixed(&inputs, valuation), &Budget::default()), Answer::Satisfiable);
        let values = circuit.valuation();
        let translated: Set = pairs(&case, valuation).filter(|&(x, y)| values.get(matrix.get(x, y))).collect();
        assert_eq!(translated, expected, "translated");
    }
}
