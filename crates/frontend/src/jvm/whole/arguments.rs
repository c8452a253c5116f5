//! What `main` is given: an array of strings, in place of the empty one.

use program::{Global, Operand, Pointer, Program, Value};

/// The array that `main` is given.
pub(super) const ARRAY: &str = "arguments";

/// A program that starts at `main`, whose `main` is given these strings. Of what has no such array nothing changes.
pub fn with_arguments(mut program: Program, arguments: &[String]) -> Program {
    let Some(array) = program.globals.iter().position(|global| global.name == ARRAY) else { return program };
    let texts: Vec<Value> = arguments.iter().map(|text| literal(&mut program, text)).collect();
    let length = texts.len() as i64;
    program.globals[array].cells = (0..).zip(texts).map(|(index, text)| (vec![length, index], text)).collect();
    let functions = program.functions.iter_mut().flat_map(|function| &mut function.blocks);
    for operand in functions.flat_map(|block| &mut block.instructions).flat_map(|one| one.kind.operands_mut()) {
        if let Operand::Constant(Value::Pointer(Pointer { allocation, path })) = operand
            && *allocation as usize == array
        {
            *path = vec![length];
        }
    }
    program
}

/// The string constant with this text.
fn literal(program: &mut Program, text: &str) -> Value {
    let characters: Vec<u16> = text.encode_utf16().collect();
    let (name, length) = (format!("{text:?}"), characters.len() as i64);
    let known = program.globals.iter().position(|global| global.name == name);
    let allocation = known.unwrap_or_else(|| {
        let cell = |(index, character): (i64, &u16)| (vec![length, index], Value::int((*character).into(), 32));
        let cells = (0..).zip(&characters).map(cell).collect();
        program.globals.push(Global { name, cells, default: Value::int(0, 32), extent: None, span: None });
        program.globals.len() - 1
    });
    Value::Pointer(Pointer { allocation: allocation as u32, path: vec![length] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_is_given_an_array_of_strings() {
        let text = "program Main\nlanguage Java\nglobal arguments = 0:i32\nfunction main(%args) {\n  registers args\n  b0:\n    return\n}\n\
                    function start() {\n  b0:\n    call @main(&arguments[0])\n    return\n}\nthread start = @start()\n";
        let program = program::text::parse("main.lsl", text).unwrap_or_else(|wrong| panic!("{wrong}"));
        let printed = program::text::print(&with_arguments(program, &["ab".into(), "2".into()]));
        assert!(printed.contains("call @main(&arguments[2])"), "{printed}");
        assert!(printed.contains("[2][0] = &\"\\\"ab\\\"\"[2], [2][1] = &\"\\\"2\\\"\"[1]"), "{printed}");
        assert!(printed.contains("[2][0] = 97:i32, [2][1] = 98:i32"), "{printed}");
    }
}
