//! What is in memory before the program begins: static fields, string constants, class objects, small boxed numbers.

use program::{Global, Pointer, Value};
use rustc_hash::FxHashMap;

use crate::jvm::class::Class;
use crate::jvm::places::{Places, shown};

use super::terms::{DISABLED, FieldId};

/// Globals under way.
pub struct Memory {
    pub globals: Vec<Global>,
    statics: FxHashMap<FieldId, u32>,
    by_name: FxHashMap<String, u32>,
    /// How many globals are static fields of the user's classes: the first ones.
    pub kept: usize,
    /// Names and types of the globals that are objects: virtual calls find their methods by the global's name.
    pub objects: Vec<(String, String)>,
    /// The types whose class objects are globals, and those globals.
    types: FxHashMap<u32, String>,
    /// The texts of string constants.
    texts: FxHashMap<u32, String>,
    /// The cells of the fields that reflection has given as objects.
    reflected: FxHashMap<u32, i64>,
}

impl Memory {
    /// The static fields of all classes. Those of the user's classes have their own names, `Class.field` if two classes
    /// have one of that name; constants are there already.
    pub fn new(classes: &[Class], own: usize, places: &Places) -> Memory {
        let mut memory = Memory {
            globals: Vec::new(),
            statics: FxHashMap::default(),
            by_name: FxHashMap::default(),
            kept: 0,
            objects: Vec::new(),
            types: FxHashMap::default(),
            texts: FxHashMap::default(),
            reflected: FxHashMap::default(),
        };
        let mut uses: FxHashMap<&str, usize> = FxHashMap::default();
        for field in classes[..own].iter().flat_map(|class| &class.fields).filter(|field| field.is_static) {
            *uses.entry(field.name).or_default() += 1;
        }
        for (class, parsed) in classes.iter().enumerate() {
            for (index, field) in
                parsed.fields.iter().enumerate().filter(|(_, field)| field.is_static && field.name != DISABLED)
            {
                let is_unique = class < own && uses.get(field.name) == Some(&1);
                let name =
                    if is_unique { field.name.to_string() } else { format!("{}.{}", shown(parsed.name), field.name) };
                let default = field.constant.clone().unwrap_or(Value::int(0, field.kind.width()));
                let span = places.static_field(class, field.name);
                let global = memory.add(name, Vec::new(), default);
                memory.globals[global as usize].span = span;
                memory.statics.insert((class, index), global);
            }
            if class < own {
                memory.kept = memory.globals.len();
            }
        }
        memory
    }

    /// The memory of a static field.
    pub fn static_field(&self, id: FieldId) -> Value {
        self.statics.get(&id).map_or(Value::Undefined, |&global| Value::Pointer(Pointer::to(global)))
    }

    /// The globals of static fields.
    pub fn static_globals(&self) -> impl Iterator<Item = (FieldId, u32)> {
        self.statics.iter().map(|(&id, &global)| (id, global))
    }

    /// A string constant, by its characters.
    pub fn literal(&mut self, chars: &[u16]) -> Value {
        let length = chars.len() as i64;
        let name = format!("{:?}", String::from_utf16_lossy(chars));
        let is_exact = String::from_utf16(chars).is_ok();
        let name = if is_exact { name } else { format!("{name}{chars:?}") };
        let cell = |(index, &c): (usize, &u16)| (vec![length, index as i64], Value::int(c.into(), 32));
        let global = self.object(name, "java/lang/String", || chars.iter().enumerate().map(cell).collect());
        self.texts.entry(global).or_insert_with(|| String::from_utf16_lossy(chars));
        Value::Pointer(Pointer { allocation: global, path: vec![length] })
    }

    /// The object of a class: its first cell is its name.
    pub fn class_object(&mut self, class: &str) -> Value {
        let shown = super::terms::tag(class);
        let name = self.literal(&shown.encode_utf16().collect::<Vec<u16>>());
        let global = self.object(format!("{shown}.class"), "java/lang/Class", || vec![(vec![0], name)]);
        self.types.entry(global).or_insert_with(|| class.to_string());
        Value::Pointer(Pointer::to(global))
    }

    /// The type whose class object a global is.
    pub fn class_type(&self, global: u32) -> Option<&str> {
        self.types.get(&global).map(String::as_str)
    }

    /// The type whose class object the global of this name is.
    pub fn class_type_named(&self, name: &str) -> Option<&str> {
        self.class_type(*self.by_name.get(name)?)
    }

    /// The text of the string constant that a global is.
    pub fn text(&self, global: u32) -> Option<String> {
        self.texts.get(&global).cloned()
    }

    /// The object that stands for a field, whose cell is given.
    pub fn reflect(&mut self, field: &str, class: &str, cell: i64) -> Value {
        let global = self.object(format!("field {field}"), class, Vec::new);
        self.reflected.insert(global, cell);
        Value::Pointer(Pointer::to(global))
    }

    /// The cell of the field for which a global stands.
    pub fn reflected(&self, global: u32) -> Option<i64> {
        self.reflected.get(&global).copied()
    }

    /// An object without cells of its own that exists once.
    pub fn single(&mut self, name: &str, class: &str) -> Value {
        Value::Pointer(Pointer::to(self.object(name.to_string(), class, Vec::new)))
    }

    /// The block of the boxed numbers from `low` to 127, whose paths start with their values.
    pub fn cache(&mut self, class: &str, low: i64, width: u8) -> Value {
        let cells = || (low..=127).map(|value| (vec![value, 0], Value::int(value, width))).collect();
        let global = self.object(format!("{} cache", shown(class)), class, cells);
        Value::Pointer(Pointer::to(global))
    }

    /// Memory that is no object.
    pub fn word(&mut self, name: String) -> Value {
        let known = self.by_name.get(&name).copied();
        let global = known.unwrap_or_else(|| self.add(name, Vec::new(), Value::int(0, 32)));
        Value::Pointer(Pointer::to(global))
    }

    /// The global of that name, made if there is none.
    pub fn object(&mut self, name: String, class: &str, cells: impl FnOnce() -> Vec<(Vec<i64>, Value)>) -> u32 {
        if let Some(&global) = self.by_name.get(&name) {
            return global;
        }
        self.objects.push((name.clone(), class.to_string()));
        self.add(name, cells(), Value::int(0, 32))
    }

    fn add(&mut self, name: String, cells: Vec<(Vec<i64>, Value)>, default: Value) -> u32 {
        let global = self.globals.len() as u32;
        self.by_name.insert(name.clone(), global);
        self.globals.push(Global { name, cells, default, extent: None, span: None });
        global
    }
}

/// The characters of a string constant that is not text: surrogates without partners, in the class file's encoding.
pub fn modified_utf8(bytes: &[u8]) -> Vec<u16> {
    let mut chars = Vec::new();
    let mut at = 0;
    while let Some(&first) = bytes.get(at) {
        let rest = |n: usize| u16::from(bytes.get(at + n).copied().unwrap_or(0) & 0x3f);
        let first = u16::from(first);
        let (c, length) = match first {
            0xe0.. => ((first & 0x0f) << 12 | rest(1) << 6 | rest(2), 3),
            0xc0.. => ((first & 0x1f) << 6 | rest(1), 2),
            _ => (first, 1),
        };
        chars.push(c);
        at += length;
    }
    chars
}
