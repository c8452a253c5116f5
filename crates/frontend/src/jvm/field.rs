//! Fields, arrays and new objects.

use cafebabe::constant_pool::MemberRef;
use program::{Access, InstructionKind, Operand, Operator, Order, Pointer, Value};

use super::class::{Field, Kind};
use super::lower::{Entry, Frame, Lowering, Result, Role};
use super::places::shown;
use super::tear::wide;
use super::world::{ASSERTIONS_DISABLED, FieldId, Shape};

/// Cell of a thread object that holds its `Runnable`.
pub const RUNNABLE: i64 = -1;
/// Cell of an array that holds its length. Only code that runs before the program begins reads it.
pub const LENGTH: i64 = -2;
/// The tag of a load that reads [`LENGTH`].
pub const LENGTH_TAG: &str = "length";
/// Marks loads of the length of an array in `main` that an index is compared with.
pub const BOUND_TAG: &str = "bound";

impl<'a> Lowering<'_, 'a> {
    pub fn get_static(&mut self, frame: &mut Frame<'a>, member: &MemberRef) -> Result<()> {
        let name = &*member.name_and_type.name;
        if name == ASSERTIONS_DISABLED {
            frame.stack.push(Entry::constant(Value::int(0, 32), Kind::Int));
            return Ok(());
        }
        if member.class_name == "java/lang/System" && (name == "out" || name == "err") {
            let shape = Some(Shape { class: "java/io/PrintStream".into(), length: None });
            let operand = Operand::Constant(Value::int(0, 32));
            frame.stack.push(Entry { operand, kind: Kind::Reference, shape });
            return Ok(());
        }
        let id = self.find(frame, member, true)?;
        let field = self.world.field(id);
        let (kind, is_final, access) = (field.kind, field.is_final, access(field));
        let Some(cell) = self.world.memory.static_field(id) else {
            return Err(self.malformed("a field has no memory", frame.site));
        };
        if is_final && self.world.initialized {
            let value = self.world.memory.load(&cell).unwrap_or(Value::Undefined);
            frame.stack.push(Entry::constant(value, kind));
            return Ok(());
        }
        self.load(frame, Operand::Constant(Value::Pointer(cell)), kind, access);
        Ok(())
    }

    pub fn put_static(&mut self, frame: &mut Frame<'a>, member: &MemberRef) -> Result<()> {
        if member.name_and_type.name == ASSERTIONS_DISABLED {
            return self.pop_kind(frame, Kind::Int).map(|_| ());
        }
        let id = self.find(frame, member, true)?;
        let field = self.world.field(id);
        let (kind, is_final, access) = (field.kind, field.is_final, access(field));
        if is_final && self.role != Role::Initializer {
            return Err(self.malformed("a final field is assigned", frame.site));
        }
        let value = self.pop_kind(frame, kind)?.operand;
        let Some(cell) = self.world.memory.static_field(id) else {
            return Err(self.malformed("a field has no memory", frame.site));
        };
        let address = Operand::Constant(Value::Pointer(cell));
        let access = if is_final { access } else { wide(access, kind.width()) };
        self.code.emit(InstructionKind::Store { address, value, access }, frame.site.span);
        Ok(())
    }

    pub fn get_field(&mut self, frame: &mut Frame<'a>, member: &MemberRef) -> Result<()> {
        let id = self.find(frame, member, false)?;
        let field = self.world.field(id);
        let (kind, access) = (field.kind, access(field));
        let object = self.pop_kind(frame, Kind::Reference)?;
        self.require_object(frame, &object);
        let address = self.cell(frame, object, self.world.field_number(id));
        self.load(frame, address, kind, access);
        if kind == Kind::Long && self.world.mixes_widths(self.world.classes[id.0].name) {
            let entry = self.pop(frame)?;
            let operator = Operator::Resize { width: 64, signed: true };
            let operand = self.code.compute(operator, vec![entry.operand.clone()], frame.site.span);
            frame.stack.push(Entry { operand, ..entry });
        }
        Ok(())
    }

    pub fn put_field(&mut self, frame: &mut Frame<'a>, member: &MemberRef) -> Result<()> {
        let id = self.find(frame, member, false)?;
        let field = self.world.field(id);
        let (kind, access) = (field.kind, access(field));
        let value = self.pop_kind(frame, kind)?.operand;
        let object = self.pop_kind(frame, Kind::Reference)?;
        self.require_object(frame, &object);
        let address = self.cell(frame, object, self.world.field_number(id));
        let access = wide(access, kind.width());
        self.code.emit(InstructionKind::Store { address, value, access }, frame.site.span);
        Ok(())
    }

    fn find(&mut self, frame: &Frame<'a>, member: &MemberRef, is_static: bool) -> Result<FieldId> {
        let name = &*member.name_and_type.name;
        let name = || format!("`{}.{name}`", shown(&member.class_name));
        let Some(id) = self.world.find_field(&member.class_name, &member.name_and_type.name, is_static) else {
            return Err(self.refuse(format!("the field {} of a class that was not given", name()), frame.site));
        };
        match self.world.field(id).kind.refused() {
            Some(what) => Err(self.refuse(format!("{what} of the field {}", name()), frame.site)),
            None => Ok(id),
        }
    }

    /// The address of a cell of an object.
    pub fn cell(&mut self, frame: &Frame<'a>, object: Entry, number: i64) -> Operand {
        let number = Operand::Constant(Value::int(number, 32));
        self.code.compute(Operator::Offset, vec![object.operand, number], frame.site.span)
    }

    fn load(&mut self, frame: &mut Frame<'a>, address: Operand, kind: Kind, access: Access) {
        let target = self.code.temporary();
        let access = wide(access, kind.width());
        self.code.emit(InstructionKind::Load { target, address, access }, frame.site.span);
        frame.stack.push(Entry { operand: Operand::Register(target), kind, shape: None });
    }

    pub fn load_element(&mut self, frame: &mut Frame<'a>, kind: Kind) -> Result<()> {
        let address = self.element(frame)?;
        self.load(frame, address, kind, Access::plain());
        Ok(())
    }

    pub fn store_element(&mut self, frame: &mut Frame<'a>, kind: Kind) -> Result<()> {
        let value = self.pop_kind(frame, kind)?.operand;
        let address = self.element(frame)?;
        let access = wide(Access::plain(), kind.width());
        self.code.emit(InstructionKind::Store { address, value, access }, frame.site.span);
        Ok(())
    }

    /// The address of an array element. For an index out of bounds an exception ends the thread, if the length is known;
    /// where the index is known to be wrong, or it is not known whether it is, the access is refused.
    fn element(&mut self, frame: &mut Frame<'a>) -> Result<Operand> {
        let index = self.pop_kind(frame, Kind::Int)?.operand;
        let array = self.pop_kind(frame, Kind::Reference)?;
        self.require_object(frame, &array);
        let length = self.shape_of(&array).and_then(|shape| shape.length);
        match (index.constant(), length) {
            (Some(Value::Int(index)), Some(length)) if index.signed() < 0 || index.signed() >= length => {
                let what = format!("the index {} of an array of {length}", index.signed());
                return Err(self.refuse(what, frame.site));
            }
            (Some(_), Some(_)) => {}
            (None, Some(length)) => {
                let length = Operand::Constant(Value::int(length, 32));
                let operands = vec![index.clone(), length];
                let is_fine = self.code.compute(Operator::LtUnsigned, operands, frame.site.span);
                self.require(frame, is_fine, "java.lang.ArrayIndexOutOfBoundsException");
            }
            (Some(Value::Int(index)), None) if self.role == Role::Thread => {
                let refused = self.refuse("an index that is out of bounds of some array", frame.site);
                self.world.indexes.push((index.signed(), refused));
            }
            _ if self.role == Role::Thread => {
                return Err(self.refuse("an index into an array of which the length is not known", frame.site));
            }
            // `main` is run as far as it is known: what becomes of the rest is decided when it is split.
            _ if self.role == Role::Main => {
                let address = self.cell(frame, array.clone(), LENGTH);
                self.load(frame, address, Kind::Int, Access::plain().tagged(BOUND_TAG));
                let length = self.pop_kind(frame, Kind::Int)?.operand;
                let is_fine = self.code.compute(Operator::LtUnsigned, vec![index.clone(), length], frame.site.span);
                self.require(frame, is_fine, "java.lang.ArrayIndexOutOfBoundsException");
            }
            _ => {}
        }
        Ok(self.code.compute(Operator::Offset, vec![array.operand, index], frame.site.span))
    }

    /// The length of an array, if it is known: no program can change it, so reading it is no access.
    pub fn array_length(&mut self, frame: &mut Frame<'a>) -> Result<()> {
        let array = self.pop_kind(frame, Kind::Reference)?;
        if let Some(length) = self.shape_of(&array).and_then(|shape| shape.length) {
            frame.stack.push(Entry::constant(Value::int(length, 32), Kind::Int));
            return Ok(());
        }
        if self.role == Role::Thread {
            return Err(self.refuse("the length of an array that is not constant", frame.site));
        }
        let address = self.cell(frame, array, LENGTH);
        self.load(frame, address, Kind::Int, Access::plain().tagged(LENGTH_TAG));
        Ok(())
    }

    pub fn new_object(&mut self, frame: &mut Frame<'a>, class: &str) -> Result<()> {
        let is_known = self.world.class(class).is_some() || class == "java/lang/Object" || class == "java/lang/Thread";
        if !is_known {
            return Err(self.refuse(format!("`new {}`, a class that was not given,", shown(class)), frame.site));
        }
        let fields = self.world.instance_fields(class);
        if let Some(what) = fields.iter().find_map(|&id| self.world.field(id).kind.refused()) {
            return Err(self.refuse(format!("{what} of a field in `new {}`", shown(class)), frame.site));
        }
        let default = self.world.object_default(class);
        self.allocate(frame, class, None, default);
        Ok(())
    }

    pub fn new_array(&mut self, frame: &mut Frame<'a>, (element, kind): (&str, Kind)) -> Result<()> {
        if let Some(what) = kind.refused() {
            return Err(self.refuse(what, frame.site));
        }
        let length = match self.pop_kind(frame, Kind::Int)?.operand.constant() {
            Some(Value::Int(length)) if length.signed() >= 0 => length.signed(),
            _ => return Err(self.refuse("an array whose length is not constant", frame.site)),
        };
        self.world.shortest_array = Some(self.world.shortest_array.map_or(length, |shortest| shortest.min(length)));
        self.allocate(frame, &format!("{element}[{length}]"), Some(length), kind.default());
        Ok(())
    }

    /// Pushes a fresh object.
    pub fn allocate(&mut self, frame: &mut Frame<'a>, class: &str, length: Option<i64>, default: Value) {
        let target = self.code.temporary();
        let kind = InstructionKind::Allocate { target, default, name: class.into(), reuse: false, extent: None };
        self.code.emit(kind, frame.site.span);
        let shape = Some(Shape { class: class.into(), length });
        frame.stack.push(Entry { operand: Operand::Register(target), kind: Kind::Reference, shape });
    }

    /// Stores to a cell of an object that the virtual machine keeps, not a field.
    pub fn store_hidden(&mut self, frame: &Frame<'a>, object: Entry, number: i64, value: Operand) {
        let address = self.cell(frame, object, number);
        self.code.emit(InstructionKind::Store { address, value, access: Access::plain() }, frame.site.span);
    }
}

/// How the memory model sees the accesses of a field.
fn access(field: &Field) -> Access {
    if field.is_volatile {
        Access::ordered(Order::SeqCst).tagged("volatile")
    } else if field.is_final {
        Access::plain().tagged("final")
    } else {
        Access::plain()
    }
}

/// The length that the name of an array's allocation tells.
pub fn array_length(name: &str) -> Option<i64> {
    name.strip_suffix(']')?.rsplit_once('[')?.1.parse().ok()
}

/// The cell of an object that is not a field.
pub fn hidden(object: &Pointer, number: i64) -> Pointer {
    Pointer { allocation: object.allocation, path: vec![number] }
}
