//! What a run is given, and what it asked for.

use cairn_expr::{Assignment, InputByte};
use cairn_wire::ObjectKind;

/// One input object: a stream, a file, an argument or an object the program named.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// What the object is to the program.
    pub kind: ObjectKind,
    /// Name of a file or of a named object; empty for the others.
    pub name: String,
    /// Position in `argv` of an argument; 0 for the others.
    pub index: u32,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Object {
    /// Standard input.
    pub fn stdin(bytes: impl Into<Vec<u8>>) -> Object {
        Object { kind: ObjectKind::Stdin, name: String::new(), index: 0, bytes: bytes.into() }
    }

    /// The symbolic file of this name.
    pub fn file(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Object {
        Object { kind: ObjectKind::File, name: name.into(), index: 0, bytes: bytes.into() }
    }

    /// `argv[index]`.
    pub fn arg(index: u32, bytes: impl Into<Vec<u8>>) -> Object {
        Object { kind: ObjectKind::Arg, name: String::new(), index, bytes: bytes.into() }
    }

    /// The next object the program asks for by `cairn_symbolic`.
    pub fn named(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Object {
        Object { kind: ObjectKind::Named, name: name.into(), index: 0, bytes: bytes.into() }
    }

    /// The bytes up to the first NUL: what an argument's reader sees.
    pub fn as_argument(&self) -> &[u8] {
        let end = self.bytes.iter().position(|&b| b == 0).unwrap_or(self.bytes.len());
        &self.bytes[..end]
    }
}

/// Everything a run depends on. The order of the objects is the order of their numbers in
/// expressions: streams, files and arguments first, then the named objects as the program asks.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Input {
    /// The objects; an [`InputByte`]'s `object` is an index into this.
    pub objects: Vec<Object>,
}

impl Input {
    /// How many bytes there are in all objects together.
    pub fn len(&self) -> usize {
        self.objects.iter().map(|o| o.bytes.len()).sum()
    }

    /// Whether there is not a single byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Changes one byte; a byte outside of every object is left alone.
    pub fn set(&mut self, at: InputByte, value: u8) {
        let object = self.objects.get_mut(usize::from(at.object));
        if let Some(byte) = object.and_then(|o| o.bytes.get_mut(at.offset as usize)) {
            *byte = value;
        }
    }
}

impl Assignment for Input {
    fn byte(&self, at: InputByte) -> u8 {
        let object = self.objects.get(usize::from(at.object));
        object.and_then(|o| o.bytes.get(at.offset as usize)).copied().unwrap_or(0)
    }
}
