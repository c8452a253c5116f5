//! The locations of a test: those of the initial state, and those that code or condition use besides.
//!
//! The memory models know whole locations only, so every location has one width. It comes from the declared type or
//! from the accesses; a second width is refused.

use std::collections::HashMap;

use program::{Diagnostic, Global, GlobalId, Pointer, Span, Unsupported, Value};

use super::init::{Constant, Init};
use super::messages::Messages;

/// Width of a location that is never accessed and has no type.
const DEFAULT_WIDTH: u8 = 32;

/// All locations, by name.
#[derive(Debug)]
pub struct Memory {
    locations: Vec<Location>,
    by_name: HashMap<String, usize>,
    /// Width of the first access whose location is not known: through a register of a machine.
    anywhere: Option<(u8, Span)>,
}

#[derive(Debug)]
struct Location {
    name: String,
    span: Option<Span>,
    /// Number of elements, for an array.
    length: Option<usize>,
    /// Initial values of the first elements.
    values: Vec<Constant>,
    /// Width of its accesses, and what gave it.
    width: Option<(u8, Option<Span>)>,
    /// Whether a register or another location may hold its address.
    address_taken: bool,
}

impl Memory {
    /// The locations of an initial state.
    pub fn new(init: &Init, messages: &mut Messages) -> Memory {
        let mut memory = Memory { locations: Vec::new(), by_name: HashMap::new(), anywhere: None };
        for entry in &init.locations {
            if memory.by_name.contains_key(&entry.name) {
                messages.push(Diagnostic::warning(format!("`{}` is initialised again", entry.name), entry.span));
            }
            let id = memory.global(&entry.name).0 as usize;
            let location = &mut memory.locations[id];
            location.span = Some(entry.span);
            location.length = entry.length;
            location.values = entry.values.clone();
            location.width =
                entry.declared.filter(|t| !t.is_pointer() && t.width > 0).map(|t| (t.width, Some(entry.span)));
        }
        for entry in &init.locations {
            for constant in &entry.values {
                messages.note(memory.value(constant, DEFAULT_WIDTH, entry.span));
            }
        }
        memory
    }

    /// The location of that name; a new one holds 0.
    pub fn global(&mut self, name: &str) -> GlobalId {
        let next = self.locations.len();
        let id = *self.by_name.entry(name.to_string()).or_insert(next);
        if id == next {
            let name = name.to_string();
            let (span, length, values, width) = (None, None, Vec::new(), None);
            self.locations.push(Location { name, span, length, values, width, address_taken: false });
        }
        GlobalId(id as u32)
    }

    /// Whether there is a location of that name.
    pub fn knows(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Number of elements of an array; `None` for a scalar.
    pub fn length(&self, id: GlobalId) -> Option<usize> {
        self.locations[id.0 as usize].length
    }

    /// A pointer to a location: to element `index` of an array; of a scalar there is only element 0.
    pub fn pointer(&mut self, name: &str, index: i64, span: Span) -> Result<Pointer, Diagnostic> {
        let id = self.global(name);
        let mut pointer = Pointer::to(id.0);
        match self.length(id) {
            Some(length) if usize::try_from(index).is_ok_and(|index| index < length) => pointer.path.push(index),
            None if index == 0 => {}
            Some(_) => return Err(Diagnostic::error(format!("`{name}` has no element {index}"), span)),
            None => return Err(Diagnostic::error(format!("`{name}` is not an array"), span)),
        }
        Ok(pointer)
    }

    /// A constant as a value of `width` bits.
    pub fn value(&mut self, constant: &Constant, width: u8, span: Span) -> Result<Value, Diagnostic> {
        match constant {
            Constant::Int(int) => Ok(Value::int(*int, width)),
            Constant::Address(name, index) => {
                self.take_address(name);
                self.pointer(name, *index, span).map(Value::Pointer)
            }
        }
    }

    fn take_address(&mut self, name: &str) {
        let id = self.global(name);
        self.locations[id.0 as usize].address_taken = true;
    }

    /// Notes an access of `width` bits to a location.
    pub fn access(&mut self, id: GlobalId, width: u8, span: Span) -> Result<(), Diagnostic> {
        let location = &mut self.locations[id.0 as usize];
        let (known, _) = *location.width.get_or_insert((width, Some(span)));
        if known == width {
            return Ok(());
        }
        let what = format!("the access of `{}` with {width} bits, elsewhere {known} bits,", location.name);
        Err(Unsupported::new(what, Some(span)).into())
    }

    /// Notes an access of `width` bits to a location that only the execution will tell.
    pub fn access_anywhere(&mut self, width: u8, span: Span) -> Result<(), Diagnostic> {
        let (known, _) = *self.anywhere.get_or_insert((width, span));
        if known == width {
            return Ok(());
        }
        let what = format!("an access with {width} bits through a register, elsewhere {known} bits,");
        Err(Unsupported::new(what, Some(span)).into())
    }

    /// Checks accesses through registers against the widths of what they may reach. To be called after all accesses.
    pub fn check_widths(&mut self) -> Result<(), Diagnostic> {
        let Some((width, span)) = self.anywhere else { return Ok(()) };
        for index in 0..self.locations.len() {
            if self.locations[index].address_taken {
                self.access(GlobalId(index as u32), width, span)?;
            }
        }
        Ok(())
    }

    /// The globals of the program.
    pub fn finish(self) -> Vec<Global> {
        let array = |name: &str| self.by_name.get(name).is_some_and(|&id| self.locations[id].length.is_some());
        let value = |constant: &Constant, width| match constant {
            Constant::Int(int) => Value::int(*int, width),
            Constant::Address(name, index) => Value::Pointer(Pointer {
                allocation: self.by_name.get(name).map_or(0, |&id| id as u32),
                path: if array(name) { vec![*index] } else { Vec::new() },
            }),
        };
        let global = |location: &Location| {
            let width = location.width.map_or(DEFAULT_WIDTH, |(width, _)| width);
            let mut values = location.values.iter().map(|constant| value(constant, width));
            let zero = Value::int(0, width);
            let (default, cells) = match location.length {
                None => (values.next().unwrap_or(zero), Vec::new()),
                Some(_) => (zero, (0..).map(|index| vec![index]).zip(values).collect()),
            };
            Global { name: location.name.clone(), cells, default, extent: None, span: location.span }
        };
        self.locations.iter().map(global).collect()
    }
}
