//! The classes of a program together: lookups along the class hierarchy, and the memory that exists from the start.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use cafebabe::bytecode::Opcode;
use program::{Diagnostic, Global, Pointer, Simplification, Value};

use super::class::{Class, Field, Kind, Method};
use super::places::{MethodId, Places, shown};

/// The field that javac adds to classes with assertions. Assertions are always enabled here, so it is no memory.
pub const ASSERTIONS_DISABLED: &str = "$assertionsDisabled";

/// A field: the index of its class, and its index there.
pub type FieldId = (usize, usize);

/// What is known of the object that a reference points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its class, exactly: a binary name, `int[]` for an array.
    pub class: Arc<str>,
    /// Number of elements of an array, if known.
    pub length: Option<i64>,
}

/// Where a method is found.
pub enum Found {
    /// In a class of the program.
    Method(MethodId),
    /// In a class that was not given, by its name.
    Library(String),
}

/// All that is known of the program.
pub struct World<'a> {
    /// The classes, in the order given.
    pub classes: Vec<Class<'a>>,
    by_name: HashMap<&'a str, usize>,
    /// Interfaces that lambdas implement.
    lambdas: HashSet<&'a str>,
    /// Where everything stands.
    pub places: Places,
    /// The memory at the start.
    pub memory: Memory,
    /// Whether the class initialisers have run, so that static final fields are constants.
    pub initialized: bool,
    /// What the user should know.
    pub warnings: Vec<Diagnostic>,
    /// What is not modelled besides what lowering gave as its error.
    pub refused: Vec<Diagnostic>,
    /// The length of the shortest array that is made.
    pub shortest_array: Option<i64>,
    /// Indexes into arrays of which it is not known which they are, with what is to be said of those that may be out of bounds.
    pub indexes: Vec<(i64, Diagnostic)>,
    /// In which ways the program gets fewer executions than Java allows.
    pub simplified: BTreeSet<Simplification>,
}

impl<'a> World<'a> {
    /// The classes, with memory for their static fields.
    pub fn new(classes: Vec<Class<'a>>, places: Places) -> World<'a> {
        let by_name = classes.iter().enumerate().map(|(index, class)| (class.name, index)).collect();
        let lambdas = classes.iter().flat_map(|class| &class.methods).flat_map(lambda_interfaces).collect();
        let memory = Memory::new(&classes, &places);
        World {
            classes,
            by_name,
            lambdas,
            places,
            memory,
            initialized: false,
            warnings: Vec::new(),
            refused: Vec::new(),
            shortest_array: None,
            indexes: Vec::new(),
            simplified: BTreeSet::new(),
        }
    }

    /// The indexes that are out of bounds of some array: which array it is is not known, and the exception is not modelled.
    pub fn unchecked_indexes(&self) -> Vec<Diagnostic> {
        let shortest = self.shortest_array.unwrap_or(i64::MAX);
        let is_within = |index: i64| (0..shortest).contains(&index);
        self.indexes.iter().filter(|(index, _)| !is_within(*index)).map(|(_, message)| message.clone()).collect()
    }

    /// The class of that binary name.
    pub fn class(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The method with this id.
    pub fn method(&self, (class, method): MethodId) -> &Method<'a> {
        &self.classes[class].methods[method]
    }

    /// `Class.method` as shown to the user.
    pub fn method_name(&self, id: MethodId) -> String {
        format!("{}.{}", shown(self.classes[id.0].name), self.method(id).name)
    }

    /// The field with this id.
    pub fn field(&self, (class, field): FieldId) -> &Field<'a> {
        &self.classes[class].fields[field]
    }

    /// A class and those it extends, nearest first, as far as they were given; then the name of the first that was not.
    fn line(&self, name: &str) -> (Vec<usize>, Option<String>) {
        let mut line = Vec::new();
        let mut at = Some(name.to_string());
        while let Some(name) = at {
            match self.class(&name) {
                // A class that extends itself can only come from a broken file.
                Some(class) if !line.contains(&class) => {
                    line.push(class);
                    at = self.classes[class].parent.map(str::to_string);
                }
                Some(_) => return (line, None),
                None => return (line, Some(name)),
            }
        }
        (line, None)
    }

    /// The classes and interfaces that a class is a subtype of, itself among them, by name.
    fn supertypes(&self, name: &str) -> HashSet<String> {
        let mut found = HashSet::from([name.to_string()]);
        let mut open = vec![name.to_string()];
        while let Some(name) = open.pop() {
            let Some(class) = self.class(&name) else { continue };
            let class = &self.classes[class];
            for parent in class.parent.iter().chain(&class.interfaces) {
                if found.insert(parent.to_string()) {
                    open.push(parent.to_string());
                }
            }
        }
        found
    }

    /// Whether a class is a subtype of another.
    pub fn is_subtype(&self, name: &str, of: &str) -> bool {
        of == "java/lang/Object" || self.supertypes(name).contains(of)
    }

    /// The field that a class sees under a name.
    pub fn find_field(&self, class: &str, name: &str, is_static: bool) -> Option<FieldId> {
        let own = |class: usize| {
            let fields = &self.classes[class].fields;
            fields.iter().position(|f| f.name == name && f.is_static == is_static).map(|field| (class, field))
        };
        let inherited = self.line(class).0.into_iter().find_map(own);
        inherited.or_else(|| {
            let mut interfaces: Vec<String> = self.supertypes(class).into_iter().collect();
            interfaces.sort();
            interfaces.iter().filter_map(|name| self.class(name)).find_map(own)
        })
    }

    /// The method that an object of exactly this class runs.
    pub fn find_method(&self, class: &str, name: &str, descriptor: &str) -> Found {
        let (line, library) = self.line(class);
        let own = |class: usize| self.classes[class].method(name, descriptor).map(|method| (class, method));
        if let Some(id) = line.iter().copied().find_map(own) {
            return Found::Method(id);
        }
        let mut interfaces: Vec<String> = self.supertypes(class).into_iter().collect();
        interfaces.sort();
        let default = interfaces.iter().filter_map(|name| self.class(name)).find_map(own);
        default.map_or_else(|| Found::Library(library.unwrap_or_else(|| class.to_string())), Found::Method)
    }

    /// The methods that a call through a reference of type `class` may run, among the classes given.
    pub fn implementations(&self, class: &str, name: &str, descriptor: &str) -> Vec<MethodId> {
        let instances = self.classes.iter().filter(|c| !c.is_abstract && self.is_subtype(c.name, class));
        let mut found: Vec<MethodId> = instances
            .filter_map(|c| match self.find_method(c.name, name, descriptor) {
                Found::Method(id) => Some(id),
                Found::Library(_) => None,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether all objects of a class and its subclasses exist before threads start: nothing else but initialisers makes some.
    pub fn is_made_before_threads(&self, class: &str) -> bool {
        let makes = |method: &Method| {
            let opcodes = method.body.iter().flat_map(|body| body.opcodes);
            let is_made = |opcode: &Opcode| matches!(opcode, Opcode::New(made) if self.is_subtype(made, class));
            method.name != "<clinit>" && opcodes.map(|(_, opcode)| opcode).any(is_made)
        };
        self.initialized && !self.classes.iter().flat_map(|class| &class.methods).any(makes)
    }

    /// Whether some lambda implements the interface.
    pub fn has_lambdas(&self, interface: &str) -> bool {
        self.lambdas.contains(interface)
    }

    /// The instance fields of a class, inherited ones first: the place of each is its number.
    pub fn instance_fields(&self, class: &str) -> Vec<FieldId> {
        let (line, _) = self.line(class);
        let own = |&class: &usize| {
            let fields = self.classes[class].fields.iter().enumerate();
            fields.filter(|(_, field)| !field.is_static).map(move |(index, _)| (class, index)).collect::<Vec<_>>()
        };
        line.iter().rev().flat_map(own).collect()
    }

    /// The number of an instance field in the path of its cell.
    pub fn field_number(&self, id: FieldId) -> i64 {
        let fields = self.instance_fields(self.classes[id.0].name);
        fields.iter().position(|&field| field == id).unwrap_or(0) as i64
    }

    /// What the cells of a fresh object hold, but for those of [`World::odd_fields`].
    pub fn object_default(&self, class: &str) -> Value {
        let fields = self.instance_fields(class);
        let all_long = !fields.is_empty() && fields.iter().all(|&id| self.field(id).kind == Kind::Long);
        (if all_long { Kind::Long } else { Kind::Int }).default()
    }

    /// The fields of a class, by number, that hold something else at first than [`World::object_default`].
    pub fn odd_fields(&self, class: &str) -> Vec<(i64, Value)> {
        let default = self.object_default(class);
        let fields = self.instance_fields(class);
        let value = |id: FieldId| self.field(id).kind.default();
        let numbered = fields.iter().enumerate().map(|(number, &id)| (number as i64, value(id)));
        numbered.filter(|(_, value)| *value != default).collect()
    }

    /// Whether a `long` field of the class may be found with 32 bits, because objects allocated by a thread have one
    /// default for all their cells.
    pub fn mixes_widths(&self, class: &str) -> bool {
        let subtypes = self.classes.iter().filter(|c| self.is_subtype(c.name, class));
        subtypes.into_iter().any(|c| !self.odd_fields(c.name).is_empty())
    }
}

/// The interfaces of the lambdas that a method makes.
fn lambda_interfaces<'a>(method: &Method<'a>) -> Vec<&'a str> {
    let opcodes = method.body.as_ref().map_or(&[][..], |body| body.opcodes);
    let interface = |opcode: &'a Opcode<'a>| match opcode {
        Opcode::Invokedynamic(call) => {
            let result = call.name_and_type.descriptor.rsplit_once(')')?.1;
            result.strip_prefix('L')?.strip_suffix(';')
        }
        _ => None,
    };
    opcodes.iter().filter_map(|(_, opcode)| interface(opcode)).collect()
}

/// The memory at the start. Class initialisers and the first part of `main` run on it before the program begins.
pub struct Memory {
    /// Named memory: static fields first, then the objects that are there when the threads start.
    pub globals: Vec<Global>,
    /// What is known of each global that is an object; `None` for static fields.
    shapes: Vec<Option<Shape>>,
    statics: HashMap<FieldId, u32>,
    /// String constants and class objects, by how Java writes them.
    literals: HashMap<String, u32>,
    /// How many objects of each class there are.
    counts: HashMap<Arc<str>, usize>,
    names: HashSet<String>,
}

impl Memory {
    fn new(classes: &[Class], places: &Places) -> Memory {
        let mut memory = Memory {
            globals: Vec::new(),
            shapes: Vec::new(),
            statics: HashMap::new(),
            literals: HashMap::new(),
            counts: HashMap::new(),
            names: HashSet::new(),
        };
        let fields = || classes.iter().flat_map(|class| &class.fields).filter(|field| field.is_static);
        for (class_index, class) in classes.iter().enumerate() {
            for (index, field) in class.fields.iter().enumerate() {
                if !field.is_static || field.name == ASSERTIONS_DISABLED {
                    continue;
                }
                let is_unique = fields().filter(|other| other.name == field.name).count() == 1;
                let name = if is_unique { field.name.into() } else { format!("{}.{}", shown(class.name), field.name) };
                let default = field.constant.clone().unwrap_or_else(|| field.kind.default());
                let span = places.static_field(class_index, field.name);
                memory.statics.insert((class_index, index), memory.globals.len() as u32);
                memory.add(Global { name, cells: Vec::new(), default, extent: None, span }, None);
            }
        }
        memory
    }

    fn add(&mut self, mut global: Global, shape: Option<Shape>) -> u32 {
        while !self.names.insert(global.name.clone()) {
            global.name.push('\'');
        }
        self.globals.push(global);
        self.shapes.push(shape);
        self.globals.len() as u32 - 1
    }

    /// The memory of a static field; `None` for what is no memory.
    pub fn static_field(&self, id: FieldId) -> Option<Pointer> {
        self.statics.get(&id).map(|&global| Pointer::to(global))
    }

    /// The static fields with their globals.
    pub fn statics(&self) -> impl Iterator<Item = (FieldId, u32)> {
        self.statics.iter().map(|(&id, &global)| (id, global))
    }

    /// The object that stands for a string constant or a class, by how Java writes it.
    pub fn literal(&mut self, text: &str, class: &str) -> Pointer {
        if let Some(&global) = self.literals.get(text) {
            return Pointer::to(global);
        }
        let shape = Shape { class: class.into(), length: None };
        let global =
            Global { name: text.into(), cells: Vec::new(), default: Kind::Int.default(), extent: None, span: None };
        let global = self.add(global, Some(shape));
        self.literals.insert(text.into(), global);
        Pointer::to(global)
    }

    /// A new object whose cells hold `default` but for those listed by number, ascending.
    pub fn object(&mut self, shape: Shape, default: Value, odd: Vec<(i64, Value)>) -> Pointer {
        let count = self.counts.entry(shape.class.clone()).or_default();
        *count += 1;
        let name = format!("{}#{count}", shown(&shape.class));
        let cells = odd.into_iter().map(|(number, value)| (vec![number], value)).collect();
        Pointer::to(self.add(Global { name, cells, default, extent: None, span: None }, Some(shape)))
    }

    /// The objects of the classes meant, by class.
    pub fn objects(&self, is_meant: &dyn Fn(&str) -> bool) -> Vec<(Shape, Vec<Pointer>)> {
        let mut found: Vec<(Shape, Vec<Pointer>)> = Vec::new();
        for (allocation, shape) in (0..).zip(&self.shapes) {
            let Some(shape) = shape.as_ref().filter(|shape| is_meant(&shape.class)) else { continue };
            match found.iter_mut().find(|(other, _)| other.class == shape.class) {
                Some((_, objects)) => objects.push(Pointer::to(allocation)),
                None => found.push((shape.clone(), vec![Pointer::to(allocation)])),
            }
        }
        found
    }

    /// What is known of the object that a pointer points to.
    pub fn shape(&self, pointer: &Pointer) -> Option<&Shape> {
        self.shapes.get(pointer.allocation as usize)?.as_ref().filter(|_| pointer.path.is_empty())
    }

    /// The value in a cell.
    pub fn load(&self, cell: &Pointer) -> Option<Value> {
        let global = self.globals.get(cell.allocation as usize)?;
        let own = global.cells.binary_search_by(|(path, _)| path.cmp(&cell.path));
        Some(own.map_or(&global.default, |index| &global.cells[index].1).clone())
    }

    /// Gives a cell another value.
    pub fn store(&mut self, cell: &Pointer, value: Value) -> Option<()> {
        let is_static = self.shapes.get(cell.allocation as usize)?.is_none();
        let global = self.globals.get_mut(cell.allocation as usize)?;
        if is_static {
            global.default = value;
        } else {
            match global.cells.binary_search_by(|(path, _)| path.cmp(&cell.path)) {
                Ok(index) => global.cells[index].1 = value,
                Err(index) => global.cells.insert(index, (cell.path.clone(), value)),
            }
        }
        Some(())
    }
}
