//! How cells and values are written in the report of one execution of a bounded test.
//!
//! Blocks made at run time have no names in the program, only numbers. A report numbers them in the order in which they
//! appear (`node1`, `node2`), and writes their members by name (`node1.next`), so that a reader can follow a list from cell to
//! cell. Different cells have different names. Executions of other programs keep the names that the program gives; where the
//! types of blocks are known they are numbered by type (`Node1`), with the names that the source gives to fields.

use std::collections::{BTreeMap, BTreeSet};

use program::{Event, EventKind, Execution, InstructionKind, Kind, Observable, Order, Pointer, Program, Value};

/// The names of run-time blocks of one execution; of none, where cells are written as the program names them.
#[derive(Default)]
pub struct Cells {
    blocks: BTreeMap<u32, Block>,
    /// Whether this is a bounded test, where fields are written with a dot and pointers with `&`.
    in_test: bool,
    /// The names of blocks whose types are known, each with its type.
    typed: BTreeMap<u32, (String, String)>,
}

/// The field in which an engine keeps whether a block of memory that may be reused is allocated. It is none of the program's.
const GIVEN_OUT: i64 = i64::MIN;

/// Whether a cell is none of the program's, but says whether a block is allocated.
pub fn is_of_life(cell: &Pointer) -> bool {
    cell.path.last() == Some(&GIVEN_OUT)
}

/// So many bytes behind what a call initialises, a lock or the like, stands whether it has been.
const MADE: i64 = 1 << 40;

/// The object of which a cell says whether it is initialised. Paths count elements of one, two, four or eight bytes.
fn initialised(cell: &Pointer) -> Option<Pointer> {
    let last = *cell.path.last()?;
    let behind = [1, 2, 4, 8].map(|size| MADE / size).into_iter().find(|behind| *behind <= last)?;
    let mut object = cell.clone();
    *object.path.last_mut()? = last - behind;
    if object.path == [0] {
        object.path.clear();
    }
    Some(object)
}

struct Block {
    name: String,
    /// Its type, if that is known.
    of: Option<String>,
    /// Whether every path in it starts with 0, the first element of what was allocated, which then goes without saying.
    is_single: bool,
}

/// Which half of a torn variable.
fn half_word(half: i64) -> &'static str {
    if half == 0 { "low" } else { "high" }
}

/// Whether the first cells of a global are the halves of a variable: only these are 0 of 64 bits at first, or have a whole
/// beside them.
fn is_torn_global(program: &Program, cell: &Pointer) -> bool {
    let global = program.globals.get(cell.allocation as usize);
    let is_wide = |value: &Value| matches!(value, Value::Int(int) if int.width() == 64);
    global.is_some_and(|global| is_wide(&global.default) && !global.name.contains(['[', '#']))
}

/// Whether an execution is one of a bounded test: its events belong to operations.
pub fn is_of_test(execution: &Execution) -> bool {
    execution.events.iter().any(|event| event.operation.is_some())
}

impl Cells {
    /// Names the run-time blocks of an execution of a bounded test.
    pub fn of(program: &Program, execution: &Execution) -> Cells {
        if !is_of_test(execution) {
            return Cells { typed: typed(program, execution), ..Cells::default() };
        }
        let mut paths: BTreeMap<u32, BTreeSet<&[i64]>> = BTreeMap::new();
        let mut order = Vec::new();
        let is_made = |pointer: &&Pointer| pointer.allocation as usize >= program.globals.len();
        for pointer in pointers(execution).into_iter().filter(is_made) {
            if !paths.contains_key(&pointer.allocation) {
                order.push(pointer.allocation);
            }
            let known = paths.entry(pointer.allocation).or_default();
            if pointer.path != [GIVEN_OUT] {
                known.insert(&pointer.path);
            }
        }
        let kinds = BlockNames::of(program);
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let mut blocks = BTreeMap::new();
        for allocation in order {
            let paths = &paths[&allocation];
            let is_single =
                paths.iter().all(|path| path.first() == Some(&0)) && paths.iter().any(|path| path.len() > 1);
            let of = execution.blocks.iter().find(|(block, _)| *block == allocation).map(|(_, of)| of.clone());
            let guessed = kinds.get(!paths.is_empty() && paths.iter().all(|path| path.is_empty()), is_single);
            let kind = of.as_ref().map_or_else(|| guessed.to_string(), |of| free_word(program, of));
            let count = counts.entry(kind.clone()).or_default();
            *count += 1;
            blocks.insert(allocation, Block { name: format!("{kind}{count}"), of, is_single });
        }
        Cells { blocks, in_test: true, ..Cells::default() }
    }

    /// A pointer. One to an array or string points past its length, which is the first part of the path.
    fn reference(&self, program: &Program, pointer: &Pointer) -> String {
        match self.typed.get(&pointer.allocation) {
            Some((name, of)) if pointer.path.len() == 1 && is_array(of) => name.clone(),
            Some((name, _)) if pointer.path.is_empty() => name.clone(),
            None if pointer.path.is_empty() => program.allocation_name(pointer.allocation),
            _ => self.cell(program, pointer),
        }
    }

    /// A cell of a block whose type is known: `Node1.next`, `int_array1[2]`.
    fn typed_cell(&self, program: &Program, cell: &Pointer) -> Option<String> {
        let (name, of) = self.typed.get(&cell.allocation)?;
        if let Some(part) = program.sources.part_name(of, cell) {
            return Some(format!("{name}{part}"));
        }
        Some(match &cell.path[..] {
            [] => name.clone(),
            [_, index, half] if is_array(of) => format!("{name}[{index}].{}", half_word(*half)),
            [.., index] if is_array(of) => format!("{name}[{index}]"),
            [field, half] if program.looks_for_tearing() == Some(true) => {
                let field =
                    program.sources.field(of, *field).map_or_else(|| field.to_string(), |field| field.to_string());
                format!("{name}.{field}.{}", half_word(*half))
            }
            [field] => match program.sources.field(of, *field) {
                Some(field) => format!("{name}.{field}"),
                None => format!("{name}.{field}"),
            },
            path => name.clone() + &path.iter().map(|offset| format!("[{offset}]")).collect::<String>(),
        })
    }

    /// A cell: `tail`, `queue.1`, `node2.0`; one half of a torn variable of Java: `total.low`.
    pub fn cell(&self, program: &Program, cell: &Pointer) -> String {
        if let Some(object) = initialised(cell) {
            return format!("{}.initialised", self.cell(program, &object));
        }
        if !self.in_test && is_of_life(cell) {
            return format!("{}.given_out", self.block(program, cell.allocation));
        }
        if !self.in_test {
            return match &cell.path[..] {
                _ if self.typed.contains_key(&cell.allocation) => self.typed_cell(program, cell).unwrap_or_default(),
                [half] if program.looks_for_tearing() == Some(true) && is_torn_global(program, cell) => {
                    format!("{}.{}", program.allocation_name(cell.allocation), half_word(*half))
                }
                _ => program.cell_name(cell),
            };
        }
        let block = self.blocks.get(&cell.allocation);
        let base = self.block(program, cell.allocation);
        if cell.path == [GIVEN_OUT] {
            return format!("{base}.given_out");
        }
        let of = block.map_or_else(|| Some(format!("&{base}")), |block| block.of.clone());
        if let Some(part) = of.and_then(|of| program.sources.part_name(&of, cell)) {
            return base + &part;
        }
        let skipped = usize::from(block.is_some_and(|block| block.is_single));
        let fields = cell.path.iter().skip(skipped).map(|field| format!(".{field}"));
        base + &fields.collect::<String>()
    }

    /// What an event does that is no access of the program, but begins or ends the life of a block, or asks whether it is alive.
    pub fn life(&self, program: &Program, event: &Event) -> Option<String> {
        let cell = event.cell.as_ref().filter(|cell| is_of_life(cell) && !self.in_test)?;
        let block = self.block(program, cell.allocation);
        Some(match (event.access.order, event.kind) {
            (Order::Acquire, _) => format!("allocate {block}"),
            (Order::Release, _) | (Order::Relaxed, EventKind::Read) => format!("free {block}"),
            (_, EventKind::Write) => format!("end of {block}"),
            _ => format!("use of {block}"),
        })
    }

    /// The name of a block.
    pub fn block(&self, program: &Program, allocation: u32) -> String {
        let named = self.blocks.get(&allocation).map(|block| &block.name);
        let named = named.or_else(|| self.typed.get(&allocation).map(|(name, _)| name));
        named.cloned().unwrap_or_else(|| program.allocation_name(allocation))
    }

    /// The value of a cell: as [`Cells::value`], but a number as the cell's type writes it.
    pub fn value_in(&self, program: &Program, cell: Option<&Pointer>, value: &Value) -> String {
        match (cell, value) {
            (Some(cell), Value::Int(int)) => match self.kind(program, cell) {
                Some(Kind::Float) => int.floating(),
                Some(Kind::Reference) if int.unsigned() == 0 => "null".into(),
                Some(Kind::Boolean) => (int.unsigned() != 0).to_string(),
                _ => self.value(program, value),
            },
            _ => self.value(program, value),
        }
    }

    /// Whether a cell holds floating-point numbers, as far as its type is known.
    pub fn is_float(&self, program: &Program, cell: &Pointer) -> bool {
        self.kind(program, cell) == Some(Kind::Float)
    }

    /// What a cell holds, as far as its type is known.
    fn kind(&self, program: &Program, cell: &Pointer) -> Option<Kind> {
        match (self.typed.get(&cell.allocation), &cell.path[..]) {
            (Some((_, of)), path) => program.sources.kind_in(of, path),
            (None, []) => {
                let global = program.globals.get(cell.allocation as usize)?;
                program.sources.kind(&global.name, None)
            }
            _ => None,
        }
    }

    /// A value: `1`, `&node2`, `pair(&node1, 3)`.
    pub fn value(&self, program: &Program, value: &Value) -> String {
        match value {
            _ if !self.in_test && self.typed.is_empty() => program.value_name(value),
            Value::Pointer(pointer) if !self.in_test => self.reference(program, pointer),
            Value::Pointer(pointer) if pointer.path.is_empty() => {
                format!("&{}", self.block(program, pointer.allocation))
            }
            Value::Pointer(pointer) => format!("&{}", self.cell(program, pointer)),
            Value::Composite(tag, fields) => {
                let fields: Vec<String> = fields.iter().map(|field| self.value(program, field)).collect();
                format!("{tag}({})", fields.join(", "))
            }
            Value::Int(_) | Value::Undefined => program.value_name(value),
        }
    }
}

/// The number that an observable has in the end, if it is a floating-point number.
pub fn final_float(program: &Program, observable: &Observable, value: &Value) -> Option<String> {
    match (observable, value) {
        (Observable::Memory(cell), Value::Int(int)) if Cells::default().is_float(program, cell) => Some(int.floating()),
        _ => None,
    }
}

/// What an observable is in a final state.
pub fn final_value(program: &Program, observable: &Observable, value: &Value) -> String {
    final_float(program, observable, value).unwrap_or_else(|| program.value_name(value))
}

/// Whether the cells of a type are numbered elements.
fn is_array(of: &str) -> bool {
    of.ends_with("[]") || of == "java.lang.String"
}

/// Names the blocks whose types are known: the last part of the type, and a number.
fn typed(program: &Program, execution: &Execution) -> BTreeMap<u32, (String, String)> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut typed = BTreeMap::new();
    for (allocation, of) in &execution.blocks {
        // `Lambda` for what has only a number below that.
        let is_word = |part: &&str| part.chars().any(|c| !c.is_ascii_digit());
        let last = of.rsplit(['.', '/', '$', ' ']).find(is_word).unwrap_or(of);
        let word = match last.strip_suffix("[]") {
            Some(element) => format!("{}_array", element.replace("[]", "_array")),
            None => last.to_string(),
        };
        let is_taken = |word: &str| program.globals.iter().any(|global| global.name.starts_with(word));
        let ends_in_digit = word.ends_with(|c: char| c.is_ascii_digit());
        let word = if is_taken(&word) || ends_in_digit { format!("{word}#") } else { word };
        let count = counts.entry(word.clone()).or_default();
        *count += 1;
        typed.insert(*allocation, (format!("{word}{count}"), of.clone()));
    }
    typed
}

/// What run-time blocks are called, before their number.
struct BlockNames {
    allocated: String,
    /// Of variables that are kept in memory, if there are any.
    variable: Option<String>,
}

impl BlockNames {
    /// The type that the program allocates and the variable that it keeps in memory, if there is one of each only.
    fn of(program: &Program) -> BlockNames {
        let (mut allocated, mut variables) = (BTreeSet::new(), BTreeSet::new());
        for function in &program.functions {
            for instruction in function.instructions() {
                let InstructionKind::Allocate { target, name, .. } = &instruction.kind else { continue };
                let register = function.registers.get(target.0 as usize).map_or("", |register| register);
                let is_variable = !name.is_empty() && register.starts_with(&**name);
                if is_variable {
                    variables.insert(word(name))
                } else {
                    allocated.insert(word(name))
                };
            }
        }
        let only = |names: BTreeSet<String>, other: &str| {
            let mut names = names.into_iter().filter(|name| !name.is_empty());
            let name = names.next().filter(|_| names.next().is_none()).unwrap_or_else(|| other.into());
            if is_taken(program, &name) { format!("#{name}") } else { name }
        };
        let variable = (!variables.is_empty()).then(|| only(variables, "local"));
        BlockNames { allocated: only(allocated, "block"), variable }
    }

    /// The name of a block by what is known of it: `is_scalar`, a single cell without path; `is_single`, one element of an
    /// allocated type. What may be either a variable or allocated is just a block.
    fn get(&self, is_scalar: bool, is_single: bool) -> &str {
        match &self.variable {
            Some(variable) if is_scalar => variable,
            Some(_) if !is_single => "#block",
            _ => &self.allocated,
        }
    }
}

/// Whether a global's name begins like that.
fn is_taken(program: &Program, name: &str) -> bool {
    program.globals.iter().any(|global| global.name.starts_with(name))
}

/// The beginning of the name of blocks of a type, which is that of no global's.
fn free_word(program: &Program, of: &str) -> String {
    let word = word(of);
    let word = if word.is_empty() { "block".into() } else { word };
    if is_taken(program, &word) { format!("#{word}") } else { word }
}

/// A type's name as the beginning of a block's: `node` for `struct node` and `node_t`. Ends in no digit.
fn word(name: &str) -> String {
    let word = name.rsplit([' ', '.', '/']).next().unwrap_or(name);
    let word = word.strip_suffix("_t").filter(|word| !word.is_empty()).unwrap_or(word);
    let word: String = word.chars().filter(|&c| c.is_alphanumeric() || c == '_').collect();
    if word.ends_with(|c: char| c.is_ascii_digit()) { word + "_" } else { word }
}

/// All pointers that an execution shows, in order.
fn pointers(execution: &Execution) -> Vec<&Pointer> {
    let mut all = Vec::new();
    for event in &execution.events {
        all.extend(&event.cell);
        event.value.iter().for_each(|value| pointers_in(value, &mut all));
    }
    all
}

fn pointers_in<'a>(value: &'a Value, all: &mut Vec<&'a Pointer>) {
    match value {
        Value::Pointer(pointer) => all.push(pointer),
        Value::Composite(_, fields) => fields.iter().for_each(|field| pointers_in(field, all)),
        Value::Int(_) | Value::Undefined => (),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;

    #[test]
    fn different_cells_have_different_names() {
        let (program, _, outcome) = examples::mailbox();
        let mut execution = outcome.witness.expect("a witness");
        let pointer = |allocation: u32, path: &[i64]| Pointer { allocation, path: path.to_vec() };
        let all = [
            pointer(0, &[]),
            pointer(0, &[0]),
            pointer(1, &[0]),
            pointer(1, &[0, 0]),
            pointer(1, &[0, 1]),
            pointer(1, &[GIVEN_OUT]),
            pointer(2, &[]),
            pointer(3, &[]),
            pointer(3, &[0]),
            pointer(4, &[0]),
        ];
        let template = execution.events[2].clone();
        execution.events.extend(all.iter().map(|cell| Event { cell: Some(cell.clone()), ..template.clone() }));
        let cells = Cells::of(&program, &execution);
        let names: Vec<String> = all.iter().map(|cell| cells.cell(&program, cell)).collect();
        assert_eq!(names[..6], ["box", "box.0", "node1", "node1.0", "node1.1", "node1.given_out"]);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), all.len(), "{names:?}");
        assert_eq!(cells.value(&program, &Value::Pointer(all[3].clone())), "&node1.0");
    }
}
