//! Fields, arrays and new objects.

use cafebabe::constant_pool::MemberRef;
use program::{Access, InstructionKind, Operand, Operator, Value};

use crate::jvm::class::{Field, Kind};
use crate::jvm::places::shown;
use crate::jvm::tear::wide;

use super::functions::{Key, Question};
use super::method::{Entry, Lowering, Result};
use super::terms::{DISABLED, FieldId, element_kind, volatile};

impl<'a> Lowering<'_, 'a> {
    pub fn get_static(&mut self, member: &MemberRef) -> Result<()> {
        let name = &*member.name_and_type.name;
        if name == DISABLED {
            self.push_int(0);
            return Ok(());
        }
        if member.class_name == "java/lang/System" && (name == "out" || name == "err") {
            let stream = self.world.memory.single(&format!("System.{name}"), "java/io/PrintStream");
            self.push_constant(stream, Kind::Reference);
            return Ok(());
        }
        let id = self.find_field(member, true)?;
        self.initialize(id.0)?;
        let address = Operand::Constant(self.world.memory.static_field(id));
        let (kind, access) = (self.world.field(id).kind, self.access(id));
        let value = self.load(address, access);
        self.push(value, kind);
        Ok(())
    }

    pub fn put_static(&mut self, member: &MemberRef) -> Result<()> {
        if member.name_and_type.name == DISABLED {
            return self.pop_kind(Kind::Int).map(|_| ());
        }
        let id = self.find_field(member, true)?;
        self.initialize(id.0)?;
        let address = Operand::Constant(self.world.memory.static_field(id));
        let (kind, access) = (self.world.field(id).kind, self.access(id));
        let value = self.pop_kind(kind)?.operand;
        self.store(address, value, access);
        Ok(())
    }

    pub fn get_field(&mut self, member: &MemberRef) -> Result<()> {
        let id = self.find_field(member, false)?;
        let object = self.pop_kind(Kind::Reference)?;
        self.require_object(&object)?;
        let value = self.load_field(object.operand, id);
        let kind = self.world.field(id).kind;
        self.push(value, kind);
        Ok(())
    }

    /// The value of a field. The cells of an object begin as 0 of 32 bits, so wide values are widened.
    pub fn load_field(&mut self, object: Operand, id: FieldId) -> Operand {
        let (kind, access) = (self.world.field(id).kind, self.access(id));
        let address = self.field_address(object, id);
        let value = self.load(address, access);
        if kind.width() == 32 {
            return value;
        }
        self.compute(Operator::Resize { width: 64, signed: true }, vec![value])
    }

    pub fn field_address(&mut self, object: Operand, id: FieldId) -> Operand {
        let cell = Operand::Constant(Value::int(self.world.cell(id), 32));
        self.compute(Operator::Offset, vec![object, cell])
    }

    pub fn put_field(&mut self, member: &MemberRef) -> Result<()> {
        let id = self.find_field(member, false)?;
        let (kind, access) = (self.world.field(id).kind, self.access(id));
        let value = self.pop_kind(kind)?.operand;
        let object = self.pop_kind(Kind::Reference)?;
        self.require_object(&object)?;
        let address = self.field_address(object.operand, id);
        self.store(address, value, access);
        Ok(())
    }

    fn find_field(&mut self, member: &MemberRef, is_static: bool) -> Result<FieldId> {
        let name = &*member.name_and_type.name;
        match self.world.find_field(&member.class_name, name, is_static) {
            Some(id) => Ok(id),
            None => Err(self.refuse(format!("the field `{}.{name}`", shown(&member.class_name)))),
        }
    }

    pub fn load_element(&mut self, kind: Kind) -> Result<()> {
        let (_, address) = self.element()?;
        let value = self.load(address, self.element_access(kind));
        self.push(value, kind);
        Ok(())
    }

    pub fn store_element(&mut self, kind: Kind) -> Result<()> {
        let value = self.pop_kind(kind)?.operand;
        let (array, address) = self.element()?;
        let is_null = value == Operand::Constant(Value::int(0, 32));
        if kind == Kind::Reference && !is_null {
            let (test, next) = (self.fresh(), self.fresh());
            self.branch(value.clone(), test, next);
            self.code.write_in(test);
            let fits = self.ask(Question::MayHold, vec![array, value.clone()]);
            self.require(fits, "store", vec![value.clone()])?;
            self.jump(next);
        }
        self.store(address, value, self.element_access(kind));
        Ok(())
    }

    /// How the memory model sees the accesses of a field. Those of library classes are not torn.
    fn access(&self, id: FieldId) -> Access {
        let field = self.world.field(id);
        let access = access(field);
        if id.0 < self.world.own { wide(access, field.kind.width()) } else { access }
    }

    fn element_access(&self, kind: Kind) -> Access {
        if self.id.0 < self.world.own { wide(Access::plain(), kind.width()) } else { Access::plain() }
    }

    /// Takes an index and an array; gives the array and the address of the element, which is in range.
    pub(super) fn element(&mut self) -> Result<(Operand, Operand)> {
        let index = self.pop_kind(Kind::Int)?.operand;
        let array = self.pop_kind(Kind::Reference)?;
        self.require_object(&array)?;
        let length = self.length(array.operand.clone());
        // A negative index is a large unsigned number.
        let fits = self.compute(Operator::LtUnsigned, vec![index.clone(), length.clone()]);
        self.require(fits, "index", vec![index.clone(), length])?;
        let address = self.compute(Operator::Offset, vec![array.operand.clone(), index]);
        Ok((array.operand, address))
    }

    /// The length of an array, which stands in its reference.
    pub fn length(&mut self, array: Operand) -> Operand {
        let length = self.compute(Operator::LastOffset, vec![array]);
        self.compute(Operator::Resize { width: 32, signed: true }, vec![length])
    }

    pub fn array_length(&mut self) -> Result<()> {
        let array = self.pop_kind(Kind::Reference)?;
        self.require_object(&array)?;
        let length = self.length(array.operand);
        self.push(length, Kind::Int);
        Ok(())
    }

    pub fn new_object(&mut self, name: &str) -> Result<()> {
        let Some(class) = self.world.class(name) else {
            return Err(self.refuse(format!("`new {}`, a class that was not given,", shown(name))));
        };
        if self.world.classes[class].is_abstract {
            return Err(self.malformed("an abstract class is instantiated"));
        }
        self.initialize(class)?;
        let default = self.world.object_default(class);
        let object = self.allocate(name, default.clone());
        self.widen_fields(class, &object, &default);
        self.stack.push(Entry::object(object));
        Ok(())
    }

    /// Where `VarHandle` and `Unsafe` compare cells, wide fields begin as 0 of 64 bits.
    fn widen_fields(&mut self, class: usize, object: &Operand, default: &Value) {
        if !self.world.has_jdk || *default == Value::int(0, 64) {
            return;
        }
        for id in self.world.instance_fields(class) {
            if self.world.field(id).kind.width() == 64 {
                let address = self.field_address(object.clone(), id);
                self.store(address, Operand::Constant(Value::int(0, 64)), Access::plain());
            }
        }
    }

    /// A fresh block for an object of a type.
    pub fn allocate(&mut self, name: &str, default: Value) -> Operand {
        let target = self.code.temporary();
        let name = self.world.functions.make(name);
        self.emit(InstructionKind::Allocate { target, default, name, reuse: false, extent: None });
        Operand::Register(target)
    }

    /// Takes a length; pushes an array of the type, which is a descriptor.
    pub fn new_array(&mut self, name: &str) -> Result<()> {
        let length = self.pop_kind(Kind::Int)?.operand;
        let array = self.allocate_array(name, length)?;
        self.stack.push(Entry::object(array));
        Ok(())
    }

    fn allocate_array(&mut self, name: &str, length: Operand) -> Result<Operand> {
        let fits = self.compute(Operator::LeSigned, vec![Operand::Constant(Value::int(0, 32)), length.clone()]);
        self.require(fits, "size", vec![length.clone()])?;
        let block = self.allocate(name, Value::int(0, element_kind(name).width()));
        Ok(self.compute(Operator::Offset, vec![block, length]))
    }

    /// Takes lengths of so many dimensions, the innermost on top; pushes an array of arrays.
    pub fn new_arrays(&mut self, name: &str, dimensions: usize) -> Result<()> {
        let mut lengths = Vec::new();
        for _ in 0..dimensions {
            lengths.push(self.pop_kind(Kind::Int)?.operand);
        }
        lengths.reverse();
        if name.len() <= dimensions || !name.as_bytes()[..dimensions].iter().all(|&byte| byte == b'[') {
            return Err(self.malformed("an array has too few dimensions"));
        }
        let array = self.allocate_arrays(name, &lengths)?;
        self.stack.push(Entry::object(array));
        Ok(())
    }

    /// An array, and in each of its elements one of the next dimension.
    fn allocate_arrays(&mut self, name: &str, lengths: &[Operand]) -> Result<Operand> {
        let [length, inner @ ..] = lengths else { return Err(self.malformed("an array has no length")) };
        let array = self.allocate_array(name, length.clone())?;
        if inner.is_empty() {
            return Ok(array);
        }
        let index = self.code.register("index");
        self.code.copy(index, Operand::Constant(Value::int(0, 32)), self.site.span);
        let (head, body, next) = (self.fresh(), self.fresh(), self.fresh());
        self.jump(head);
        let goes_on = self.compute(Operator::LtSigned, vec![Operand::Register(index), length.clone()]);
        self.branch(goes_on, body, next);
        self.code.write_in(body);
        let element = self.allocate_arrays(&name[1..], inner)?;
        let address = self.compute(Operator::Offset, vec![array.clone(), Operand::Register(index)]);
        self.store(address, element, Access::plain());
        let one = Operand::Constant(Value::int(1, 32));
        let following = self.compute(Operator::Add, vec![Operand::Register(index), one]);
        self.code.copy(index, following, self.site.span);
        self.code.end(program::Terminator::Jump(head));
        self.code.write_in(next);
        Ok(array)
    }

    /// Makes sure that a class is initialised before it is used.
    pub fn initialize(&mut self, class: usize) -> Result<()> {
        if self.initializes == Some(class) || !super::initialize::is_lazy(self.world, class) {
            return Ok(());
        }
        let function = self.world.functions.ask(Key::Initialize(class));
        let thrown = self.code.temporary();
        let arguments = self.current.iter().cloned().collect();
        self.emit(InstructionKind::Call { function, arguments, targets: vec![thrown] });
        self.rethrow(thrown);
        Ok(())
    }
}

/// How the memory model sees the accesses of a field.
pub fn access(field: &Field) -> Access {
    if field.is_volatile {
        volatile()
    } else if field.is_final {
        Access::plain().tagged("final")
    } else {
        Access::plain()
    }
}
