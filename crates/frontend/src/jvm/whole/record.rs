//! The methods `toString`, `equals` and `hashCode` that records have by themselves.

use cafebabe::constant_pool::{BootstrapArgument, InvokeDynamic};
use program::{Operand, Operator, Value};

use crate::jvm::class::{Kind, signature};
use crate::jvm::places::shown;

use super::functions::Question;
use super::method::{Entry, Lowering, Result};
use super::terms::{FieldId, zero};

/// A component: its field and the descriptor of its type.
type Component = (FieldId, String);

impl<'a> Lowering<'_, 'a> {
    /// Writes a method of a record in place; `names` are those of the components, with semicolons between them.
    pub fn record_method(&mut self, call: &InvokeDynamic, names: &str, getters: &[BootstrapArgument]) -> Result<()> {
        let descriptor = &*call.name_and_type.descriptor;
        let Some((kinds, _)) = signature(descriptor) else {
            return Err(self.malformed("a method of a record has no descriptor"));
        };
        let mut arguments = Vec::new();
        for &kind in kinds.iter().rev() {
            arguments.insert(0, self.pop_kind(kind)?);
        }
        let components = self.components(names, getters)?;
        let this = arguments[0].operand.clone();
        match (&*call.name_and_type.name, &arguments[1..]) {
            ("toString", []) => self.record_text(this, names, &components),
            ("hashCode", []) => self.record_hash(this, &components),
            ("equals", [other]) => self.record_equals(this, other.operand.clone(), &components),
            (name, _) => Err(self.refuse(format!("the method `{name}` of a record"))),
        }
    }

    fn components(&mut self, names: &str, getters: &[BootstrapArgument]) -> Result<Vec<Component>> {
        let mut found = Vec::new();
        for (name, getter) in names.split(';').filter(|name| !name.is_empty()).zip(getters) {
            let BootstrapArgument::MethodHandle(handle) = getter else {
                return Err(self.malformed("a component of a record has no field"));
            };
            let Some(field) = self.world.find_field(&handle.class_name, name, false) else {
                return Err(self.malformed("a component of a record has no field"));
            };
            found.push((field, handle.member_ref.descriptor.to_string()));
        }
        Ok(found)
    }

    /// `Point[x=1, y=2]`.
    fn record_text(&mut self, this: Operand, names: &str, components: &[Component]) -> Result<()> {
        let class = shown(self.world.classes[self.id.0].name);
        let simple = class.rsplit(['.', '$']).next().unwrap_or(&class).to_string();
        let builder = self.new_builder()?;
        let mut before = format!("{simple}[");
        for (name, (field, descriptor)) in names.split(';').zip(components) {
            let kind = self.world.field(*field).kind;
            self.append_text(&builder, &mut format!("{before}{name}=").encode_utf16().collect())?;
            let value = self.load_field(this.clone(), *field);
            self.append(&builder, Entry::new(value, kind), super::dynamic::append_descriptor(descriptor))?;
            before = ", ".into();
        }
        let end = if components.is_empty() { format!("{before}]") } else { "]".into() };
        self.append_text(&builder, &mut end.encode_utf16().collect())?;
        self.call_builder("toString", "()Ljava/lang/String;", vec![builder])
    }

    fn record_hash(&mut self, this: Operand, components: &[Component]) -> Result<()> {
        let mut hash = zero();
        for (field, descriptor) in components {
            let value = self.load_field(this.clone(), *field);
            let own = self.component_hash(value, descriptor)?;
            let factor = Operand::Constant(Value::int(31, 32));
            hash = self.compute(Operator::Mul, vec![hash, factor]);
            hash = self.compute(Operator::Add, vec![hash, own]);
        }
        self.push(hash, Kind::Int);
        Ok(())
    }

    fn component_hash(&mut self, value: Operand, descriptor: &str) -> Result<Operand> {
        let number = |value: i64| Operand::Constant(Value::int(value, 32));
        match descriptor {
            "I" | "S" | "B" | "C" => Ok(value),
            "Z" => Ok(self.compute(Operator::Select, vec![value, number(1231), number(1237)])),
            "J" => {
                let high = self.compute(Operator::ShrUnsigned, vec![value.clone(), number(32)]);
                let mixed = self.compute(Operator::Xor, vec![value, high]);
                Ok(self.compute(Operator::Resize { width: 32, signed: true }, vec![mixed]))
            }
            "F" | "D" => Err(self.refuse("the hash code of a record with floating-point numbers")),
            _ => {
                let hash = ("hashCode", "(Ljava/lang/Object;)I");
                self.call_objects(hash, vec![Entry::new(value, Kind::Reference)])
            }
        }
    }

    fn call_objects(&mut self, (name, descriptor): (&str, &str), arguments: Vec<Entry>) -> Result<Operand> {
        let Some(id) = self.world.resolve("java/util/Objects", name, descriptor) else {
            return Err(self.refuse(format!("`java.util.Objects.{name}`")));
        };
        self.call_method(id, arguments)?;
        Ok(self.pop()?.operand)
    }

    fn record_equals(&mut self, this: Operand, other: Operand, components: &[Component]) -> Result<()> {
        let result = self.code.register("equal");
        let span = self.site.span;
        self.code.copy(result, zero(), span);
        let (ask, compare, next) = (self.fresh(), self.fresh(), self.fresh());
        self.branch(other.clone(), ask, next);
        self.code.write_in(ask);
        let class = self.world.classes[self.id.0].name.to_string();
        let fits = self.ask(Question::Instance(class), vec![other.clone()]);
        self.branch(fits, compare, next);
        self.code.write_in(compare);
        for (field, descriptor) in components {
            let left = self.load_field(this.clone(), *field);
            let right = self.load_field(other.clone(), *field);
            let same = match &descriptor[..1] {
                "F" | "D" => return Err(self.refuse("the comparison of records with floating-point numbers")),
                "L" | "[" => {
                    let equals = ("equals", "(Ljava/lang/Object;Ljava/lang/Object;)Z");
                    let entries = [left, right].map(|operand| Entry::new(operand, Kind::Reference));
                    self.call_objects(equals, entries.to_vec())?
                }
                _ => self.compute(Operator::Eq, vec![left, right]),
            };
            let on = self.fresh();
            self.branch(same, on, next);
            self.code.write_in(on);
        }
        self.code.copy(result, Operand::Constant(Value::int(1, 32)), span);
        self.jump(next);
        self.push(Operand::Register(result), Kind::Int);
        Ok(())
    }
}
