//! Marks of the places where a statement could be put in.

use frontend::c::{load, load_with_places};
use program::{InstructionKind, Program};

const TEXT: &str = "int x;
void s(void)
{
    int i = 0;
    while (i < 2) {
        x = i;
        i = i + 1;
    }
    if (x) x = 3;
}
";

/// The test `(s)` with the marks taken out, and the places where they stood.
fn unmarked(mut program: Program) -> (Program, Vec<(u32, u32)>) {
    let mut places = Vec::new();
    for block in program.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        block.instructions.retain(|instruction| {
            let is_mark = matches!(&instruction.kind, InstructionKind::Fence { access } if access.is_place());
            if is_mark {
                places.extend(instruction.span.map(|span| (span.start, span.end)));
            }
            !is_mark
        });
    }
    places.sort();
    (program, places)
}

#[test]
fn each_statement_of_a_block_and_its_end_is_a_place() {
    let unit = load_with_places("s.c", TEXT, &mut |_, _| None, &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
    let marked = unit.test("(s)").unwrap_or_else(|wrong| panic!("{wrong}"));
    let (_, places) = unmarked(marked);
    let starts = ["int i", "while", "x = i", "i = i", "}\n    if", "if (x)", "}\n"];
    let mut expected: Vec<u32> = starts[..6].iter().map(|text| TEXT.find(text).unwrap_or(0) as u32).collect();
    expected.push(TEXT.rfind(starts[6]).unwrap_or(0) as u32);
    let expected: Vec<(u32, u32)> = expected.into_iter().map(|start| (start, start)).collect();
    assert_eq!(places, expected);
}

#[test]
fn there_are_no_marks_unless_they_are_wanted() {
    let unit = load("s.c", TEXT, &mut |_, _| None, &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
    let (_, places) = unmarked(unit.test("(s)").unwrap_or_else(|wrong| panic!("{wrong}")));
    assert_eq!(places, []);
}
