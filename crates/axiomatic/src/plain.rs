//! Which memory is accessed atomically alone, in every execution however long.
//!
//! Judged from the code: of each access that is not atomic, which globals its address may point into. Pointers come from pointers
//! only, never from numbers; what is read from memory or passed may point into every global whose address is stored or
//! passed somewhere, and into every block. More may be accessed atomically alone than is found here.

use std::collections::BTreeSet;

use program::{Function, InstructionKind, Operand, Order, Pointer, Program, Update, Value};

/// A global, or one cell of it.
type Place = (u32, Option<Vec<i64>>);

/// The memory that some access which is not atomic may touch.
#[derive(Clone, Debug, Default)]
pub struct Plain {
    places: BTreeSet<Place>,
    /// Globals whose address is stored or passed somewhere.
    exposed: BTreeSet<u32>,
    /// How many globals there are; what is numbered behind them are blocks.
    globals: u32,
    /// Whether an address that was read or passed is accessed so.
    anywhere: bool,
}

impl Plain {
    /// The memory that accesses of a program touch which are not atomic.
    pub fn of(program: &Program) -> Plain {
        let mut plain = Plain { globals: program.globals.len() as u32, ..Plain::default() };
        for global in &program.globals {
            global.cells.iter().map(|(_, value)| value).chain([&global.default]).for_each(|value| plain.expose(value));
        }
        program.threads.iter().flat_map(|thread| &thread.arguments).for_each(|value| plain.expose(value));
        program.functions.iter().for_each(|function| plain.look_at(function));
        plain
    }

    /// Whether some access that is not atomic may touch a cell.
    pub fn may_touch(&self, cell: &Pointer) -> bool {
        let is_unknown = cell.allocation >= self.globals || self.exposed.contains(&cell.allocation);
        self.anywhere && is_unknown
            || self.places.contains(&(cell.allocation, None))
            || self.places.contains(&(cell.allocation, Some(cell.path.clone())))
    }

    fn expose(&mut self, value: &Value) {
        match value {
            Value::Pointer(pointer) => {
                self.exposed.insert(pointer.allocation);
            }
            Value::Composite(_, fields) => fields.iter().for_each(|field| self.expose(field)),
            Value::Undefined | Value::Int(_) => {}
        }
    }

    fn look_at(&mut self, function: &Function) {
        let registers = computed(function);
        let of = |operand: &Operand| held(operand, &registers);
        for instruction in function.instructions() {
            use InstructionKind::*;
            let (address, is_plain, told) = match &instruction.kind {
                Assign { .. } => continue,
                Load { address, access, .. } => (Some(address), access.order == Order::Plain, Vec::new()),
                Store { address, value, access } => (Some(address), access.order == Order::Plain, vec![value]),
                ReadModifyWrite { address, update, access, .. } => {
                    let fails_plainly =
                        matches!(update, Update::CompareExchange { failure, .. } if failure.order == Order::Plain);
                    let told = instruction.kind.operands().into_iter().skip(1).collect();
                    (Some(address), access.order == Order::Plain || fails_plainly, told)
                }
                Free { address } | End { address } | Live { address } | Freeze { address } => {
                    (Some(address), true, Vec::new())
                }
                kind => (None, false, kind.operands()),
            };
            for operand in told {
                self.exposed.extend(of(operand).places.into_iter().map(|(global, _)| global));
            }
            if let Some(address) = address.filter(|_| is_plain) {
                let held = of(address);
                self.anywhere |= held.unknown;
                self.places.extend(held.places);
            }
        }
        for operand in function.blocks.iter().flat_map(|block| block.terminator.operands()) {
            self.exposed.extend(of(operand).places.into_iter().map(|(global, _)| global));
        }
    }
}

/// What a register may point to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Held {
    places: BTreeSet<Place>,
    /// Whether it may be a pointer that was read or passed.
    unknown: bool,
}

/// What each register of a function may point to, whatever the order of its instructions.
fn computed(function: &Function) -> Vec<Held> {
    let mut registers = vec![Held::default(); function.registers.len()];
    for parameter in &function.parameters {
        registers[parameter.0 as usize].unknown = true;
    }
    loop {
        let before = registers.clone();
        for instruction in function.instructions() {
            let mut result = Held { unknown: true, ..Held::default() };
            if let InstructionKind::Assign { operands, .. } = &instruction.kind {
                result.unknown = operands.iter().any(|operand| held(operand, &registers).unknown);
                // What is computed of a pointer may point to any cell of the same global.
                let globals = operands.iter().flat_map(|operand| held(operand, &registers).places);
                result.places.extend(globals.map(|(global, _)| (global, None)));
            }
            for target in instruction.kind.targets() {
                let register = &mut registers[target.0 as usize];
                register.unknown |= result.unknown;
                register.places.extend(result.places.iter().cloned());
            }
        }
        if registers == before {
            return registers;
        }
    }
}

fn held(operand: &Operand, registers: &[Held]) -> Held {
    let mut held = Held::default();
    match operand {
        Operand::Register(register) => return registers[register.0 as usize].clone(),
        Operand::Constant(value) => collect(value, &mut held.places),
    }
    held
}

fn collect(value: &Value, places: &mut BTreeSet<Place>) {
    match value {
        Value::Pointer(pointer) => {
            places.insert((pointer.allocation, Some(pointer.path.clone())));
        }
        Value::Composite(_, fields) => fields.iter().for_each(|field| collect(field, places)),
        Value::Undefined | Value::Int(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(code: &str, expected: [bool; 3]) {
        let globals = "global x = 0:i32\nglobal y = 0:i32\nglobal z = 0:i32\n";
        let text = format!(
            "program test\nlanguage C\n\n{globals}\nfunction t(%p) {{\n  registers p, q\n  b0:\n{code}    return\n}}\n\nthread A = @t(0:i32)\n"
        );
        let program = program::text::parse("test.ir", &text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let plain = Plain::of(&program);
        let touched = [0, 1, 2].map(|allocation| plain.may_touch(&Pointer { allocation, path: Vec::new() }));
        assert_eq!(touched, expected, "{code}");
    }

    #[test]
    fn what_is_stored_to_by_name_is_touched_and_nothing_else() {
        check("    store &x, 1:i32 plain\n    store &y, 1:i32 relaxed\n", [true, false, false]);
    }

    #[test]
    fn what_is_read_may_point_to_what_was_stored() {
        check("    store &z, &x relaxed\n    %q := load &z relaxed\n    store %q, 1:i32 plain\n", [true, false, false]);
    }

    #[test]
    fn what_is_computed_of_a_pointer_points_into_the_same_global() {
        check("    %q := copy &y\n    store %q, 1:i32 plain\n    store %p, 1:i32 relaxed\n", [false, true, false]);
    }
}
