//! Inputs: the objects that a run is given, and those it asks for.

use cairn_expr::{Assignment, InputByte};
use cairn_wire::ObjectKind;
use cairn_wire::label::LENGTH;
use std::collections::BTreeMap;

/// An input object: a stream, a file, an argument or an object the program named.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// Kind of the object.
    pub kind: ObjectKind,
    /// Name of a file or of a named object; empty for the others.
    pub name: String,
    /// Position in `argv` of an argument; 0 for the others.
    pub index: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Largest length, if the length is symbolic; otherwise 0. The largest number of an
    /// [`ObjectKind::ArgCount`].
    pub limit: usize,
}

impl Object {
    fn new(kind: ObjectKind, name: impl Into<String>, index: u32, bytes: impl Into<Vec<u8>>) -> Object {
        Object { kind, name: name.into(), index, bytes: bytes.into(), limit: 0 }
    }

    /// Returns standard input.
    pub fn stdin(bytes: impl Into<Vec<u8>>) -> Object {
        Object::new(ObjectKind::Stdin, "", 0, bytes)
    }

    /// Returns the symbolic file of this name.
    pub fn file(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Object {
        Object::new(ObjectKind::File, name, 0, bytes)
    }

    /// Returns `argv[index]`.
    pub fn arg(index: u32, bytes: impl Into<Vec<u8>>) -> Object {
        Object::new(ObjectKind::Arg, "", index, bytes)
    }

    /// Returns the next object that the program asks for by `cairn_symbolic`.
    pub fn named(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Object {
        Object::new(ObjectKind::Named, name, 0, bytes)
    }

    /// Returns the number of optional arguments, at most `max`; `always` is `argc` without them.
    pub fn arg_count(always: u32, count: u8, max: u8) -> Object {
        Object { limit: max.into(), ..Object::new(ObjectKind::ArgCount, "", always, [count]) }
    }

    /// Returns the object with a symbolic length of up to `limit`.
    pub fn up_to(self, limit: usize) -> Object {
        Object { limit, ..self }
    }

    /// True if its length is symbolic.
    pub fn has_any_length(&self) -> bool {
        self.limit > 0 && self.kind.is_stream()
    }

    /// Describes the object to the user.
    pub fn description(&self) -> String {
        match self.kind {
            ObjectKind::Stdin => "standard input".to_owned(),
            ObjectKind::File => format!("the file {}", self.name),
            ObjectKind::Arg => format!("argument {}", self.index),
            ObjectKind::ArgCount => "the number of arguments".to_owned(),
            ObjectKind::Named => format!("the object {}", self.name),
        }
    }

    /// Returns the bytes up to the first NUL, which are all that a program sees of an argument.
    pub fn as_argument(&self) -> &[u8] {
        let end = self.bytes.iter().position(|&b| b == 0).unwrap_or(self.bytes.len());
        &self.bytes[..end]
    }
}

/// The input of a run. Objects are in the order of their numbers in expressions: streams, files and arguments
/// first, then named objects as the program asks for them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Input {
    /// The objects; an [`InputByte`]'s `object` is an index into this.
    pub objects: Vec<Object>,
}

impl Input {
    /// Returns the number of bytes of all objects together.
    pub fn len(&self) -> usize {
        self.objects.iter().map(|o| o.bytes.len()).sum()
    }

    /// Returns `argc`, if it is symbolic.
    pub fn argc(&self) -> Option<u32> {
        let count = self.objects.iter().find(|o| o.kind.is_count())?;
        Some(count.index + u32::from(*count.bytes.first()?))
    }

    /// True if no object has a byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets the bytes that a solver has found values for. Lengths are set first, whatever their order: bytes
    /// beyond the new length are dropped, and an object that grows is filled with zeros.
    pub fn assign(&mut self, bytes: impl Iterator<Item = (InputByte, u8)> + Clone) {
        let is_length = |at: InputByte| at.offset >= LENGTH;
        let mut lengths: BTreeMap<u32, [u8; 4]> = BTreeMap::new();
        for (at, value) in bytes.clone().filter(|(at, _)| is_length(*at)) {
            let length = lengths.entry(at.object).or_insert_with(|| self.length_bytes(at.object));
            length[(at.offset - LENGTH) as usize] = value;
        }
        for (object, length) in lengths {
            self.resize(object, u32::from_le_bytes(length) as usize);
        }
        for (at, value) in bytes.filter(|(at, _)| !is_length(*at)) {
            let object = self.objects.get_mut(at.object as usize);
            if let Some(byte) = object.and_then(|o| o.bytes.get_mut(at.offset as usize)) {
                *byte = value;
            }
        }
    }

    fn length_bytes(&self, object: u32) -> [u8; 4] {
        let len = self.objects.get(object as usize).map_or(0, |o| o.bytes.len());
        (len as u32).to_le_bytes()
    }

    fn resize(&mut self, object: u32, len: usize) {
        if let Some(object) = self.objects.get_mut(object as usize).filter(|o| o.has_any_length()) {
            object.bytes.resize(len.min(object.limit), 0);
        }
    }
}

impl Assignment for Input {
    fn byte(&self, at: InputByte) -> u8 {
        if at.offset >= LENGTH {
            return self.length_bytes(at.object)[(at.offset - LENGTH) as usize];
        }
        let object = self.objects.get(at.object as usize);
        object.and_then(|o| o.bytes.get(at.offset as usize)).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(offset: u32) -> InputByte {
        InputByte { object: 0, offset }
    }

    fn assigned(before: Object, bytes: &[(u32, u8)]) -> Vec<u8> {
        let mut input = Input { objects: vec![before] };
        input.assign(bytes.iter().map(|&(offset, value)| (at(offset), value)));
        input.objects.remove(0).bytes
    }

    #[test]
    fn an_object_grows_before_its_bytes_are_set() {
        let short = Object::stdin("ab").up_to(6);
        assert_eq!(assigned(short, &[(1, b'x'), (4, b'y'), (LENGTH, 5)]), b"ax\0\0y");
    }

    #[test]
    fn bytes_beyond_the_new_length_are_dropped() {
        let long = Object::stdin(vec![7; 256]).up_to(300);
        // From 0x100 to 0x002: neither 0x102 nor 0x000 may be used as the length in between.
        assert_eq!(assigned(long, &[(0, 1), (9, 9), (LENGTH, 2), (LENGTH + 1, 0)]), [1, 7]);
    }

    #[test]
    fn no_object_outgrows_its_limit() {
        assert_eq!(assigned(Object::stdin("ab").up_to(3), &[(LENGTH + 3, 255)]), b"ab\0");
        assert_eq!(assigned(Object::stdin("ab"), &[(LENGTH, 9)]), b"ab");
    }

    #[test]
    fn the_length_is_read_as_bytes() {
        let input = Input { objects: vec![Object::stdin(vec![0; 0x1234])] };
        let length = [0, 1, 2, 3].map(|i| input.byte(at(LENGTH + i)));
        assert_eq!(length, [0x34, 0x12, 0, 0]);
    }
}
