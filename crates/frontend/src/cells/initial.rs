//! What memory holds at first, cut and joined as accesses read it.
//!
//! Accesses may read other stretches than those that initial values were written in: an `int` in the middle of a `long`. What a
//! global holds at first is then made of its bytes anew. A block of zeros holds zeros of the largest width that an access of it has;
//! narrower reads cut what they find.

use std::collections::BTreeMap;

use program::{Global, InstructionKind, Pointer, Program, Unsupported, Value};

use super::places::{Class, Site, Values};
use super::{At, Touch};

/// Cells that an access reads: where it may start, how many bytes it has, and how many each of its parts.
struct Region {
    class: Class,
    bytes: i64,
    unit: i64,
}

/// Gives memory initial values of the widths that accesses have, and adds the reads that must cut what they find to those that are cut.
pub(super) fn adapt(
    program: &mut Program,
    values: &Values,
    touches: &[Touch],
    units: &mut BTreeMap<At, i64>,
) -> Result<(), Unsupported> {
    let mut regions: BTreeMap<Site, Vec<Region>> = BTreeMap::new();
    for touch in touches {
        let unit = units.get(&touch.at).copied().unwrap_or(touch.bytes);
        for class in &touch.classes {
            regions.entry(class.site).or_default().push(Region { class: *class, bytes: touch.bytes, unit });
        }
    }
    for (site, regions) in &regions {
        if let Site::Global(global) = site {
            recut(&mut program.globals[*global as usize], regions)?;
        } else if values.starts_with_number(program, *site) {
            let widest = regions.iter().map(|region| region.unit).max().unwrap_or(8);
            set_width(program, values, *site, widest);
            let reaches = |touch: &&Touch| touch.classes.iter().any(|class| class.site == *site);
            for touch in touches.iter().filter(reaches) {
                let unit = units.get(&touch.at).copied().unwrap_or(touch.bytes);
                if unit < widest && touch.is_update && unit == touch.bytes {
                    let what = "an atomic operation on zeroed memory that is accessed in several sizes";
                    return Err(Unsupported::new(what, touch.span));
                }
                if unit < widest {
                    units.insert(touch.at, unit);
                }
            }
        }
    }
    Ok(())
}

/// The zeros of a block have so many bytes.
fn set_width(program: &mut Program, values: &Values, site: Site, bytes: i64) {
    let Some((function, block, number)) = values.made_at(site) else { return };
    let instruction = &mut program.functions[function].blocks[block].instructions[number];
    if let InstructionKind::Allocate { default: default @ Value::Int(_), .. } = &mut instruction.kind {
        *default = Value::int(0, (8 * bytes) as u8);
    }
}

/// Makes the initial values of a global anew if an access reads other cells than it has.
fn recut(global: &mut Global, regions: &[Region]) -> Result<(), Unsupported> {
    let Some(size) =
        global.extent.as_ref().and_then(|extent| extent.known_size()).and_then(|size| i64::try_from(size).ok())
    else {
        return Ok(());
    };
    let scalar = [(Vec::new(), global.default.clone())];
    let before = if global.cells.is_empty() { &scalar[..] } else { &global.cells };
    let offset = |path: &Vec<i64>| Pointer { allocation: 0, path: path.clone() }.bytes();
    let cells: BTreeMap<i64, Value> =
        before.iter().filter_map(|(path, value)| Some((offset(path)?, value.clone()))).collect();
    let mut read: BTreeMap<i64, i64> = BTreeMap::new();
    for region in regions {
        for start in region.class.starts(size - region.bytes) {
            read.extend((0..region.bytes / region.unit).map(|part| (start + part * region.unit, region.unit)));
        }
    }
    let is_there = |(offset, bytes): (&i64, &i64)| cells.get(offset).is_some_and(|value| size_of(value) == *bytes);
    if read.iter().all(is_there) {
        return Ok(());
    }
    let bytes = bytes_of(&cells, size);
    let mut made: BTreeMap<i64, Value> = BTreeMap::new();
    for (&offset, &bytes_read) in &read {
        let whole = cells.get(&offset).filter(|value| size_of(value) == bytes_read).cloned();
        let value = match whole {
            Some(value) => value,
            None => joined(&bytes, offset, bytes_read)
                .ok_or_else(|| Unsupported::new("a pointer in memory that is accessed in parts", global.span))?,
        };
        made.insert(offset, value);
    }
    let is_free = |offset: i64, length: i64| {
        !read.iter().any(|(&start, &bytes)| start < offset + length && offset < start + bytes)
    };
    for (offset, value) in cells {
        if is_free(offset, size_of(&value)) {
            made.insert(offset, value);
        }
    }
    global.cells = made.into_iter().map(|(offset, value)| (Pointer::byte_path(offset), value)).collect();
    Ok(())
}

/// How many bytes an initial value has.
fn size_of(value: &Value) -> i64 {
    match value {
        Value::Int(int) => i64::from(int.width()) / 8,
        _ => 8,
    }
}

/// The bytes of a global; `None` for those of what is no integer. What no initial value covers is 0.
fn bytes_of(cells: &BTreeMap<i64, Value>, size: i64) -> Vec<Option<u8>> {
    let mut bytes = vec![Some(0); usize::try_from(size).unwrap_or(0)];
    for (&offset, value) in cells {
        for index in 0..size_of(value) {
            let byte = match value {
                Value::Int(int) => Some((int.unsigned() >> (8 * index)) as u8),
                _ => None,
            };
            let place = usize::try_from(offset + index).ok().and_then(|place| bytes.get_mut(place));
            place.into_iter().for_each(|place| *place = byte);
        }
    }
    bytes
}

/// The integer that some bytes are.
fn joined(bytes: &[Option<u8>], offset: i64, count: i64) -> Option<Value> {
    let start = usize::try_from(offset).ok()?;
    let part = bytes.get(start..start + usize::try_from(count).ok()?)?;
    let number = part.iter().rev().try_fold(0u64, |number, byte| Some(number << 8 | u64::from((*byte)?)))?;
    Some(Value::int(number as i64, (8 * count) as u8))
}
