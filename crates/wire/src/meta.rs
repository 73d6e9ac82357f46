//! The metadata blob of a translation unit: its functions, control-flow graphs and sites, embedded in the
//! object file.
//!
//! A blob is a [`Header`] and a payload of variable-length integers and strings. The header holds
//! the distance to the unit's site records and coverage bytes, which the linker fills in; blobs lie
//! one after the other in section [`crate::site::META_SECTION`], padded to eight bytes.

use crate::checks::{Check, Checks};
use crate::site::SiteKind;
use alloc::string::String;
use alloc::vec::Vec;

/// First word of every blob.
pub const MAGIC: u32 = 0x4154_454d;

/// Header of a blob, stored as little-endian words in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// The constant [`MAGIC`].
    pub magic: u32,
    /// The pass's [`crate::ABI_VERSION`].
    pub abi: u32,
    /// Size of the payload in bytes, without padding.
    pub payload: u32,
    /// Number of the unit's site records.
    pub sites: u32,
    /// Number of the unit's coverage bytes.
    pub sides: u32,
    /// Address of the unit's first site record minus the address of this field.
    pub records_distance: i32,
    /// Address of the unit's first coverage byte minus the address of this field.
    pub coverage_distance: i32,
    /// Reserved, 0.
    pub reserved: u32,
}

impl Header {
    /// Size of a header in bytes.
    pub const SIZE: usize = 32;
    /// Offset of `records_distance` in the header.
    pub const RECORDS_DISTANCE_AT: usize = 20;
    /// Offset of `coverage_distance` in the header.
    pub const COVERAGE_DISTANCE_AT: usize = 24;

    /// Reads a header from the start of `bytes`.
    pub fn read(bytes: &[u8]) -> Option<Header> {
        let word = |i: usize| Some(u32::from_le_bytes(bytes.get(i * 4..i * 4 + 4)?.try_into().ok()?));
        let header = Header {
            magic: word(0)?,
            abi: word(1)?,
            payload: word(2)?,
            sites: word(3)?,
            sides: word(4)?,
            records_distance: word(5)? as i32,
            coverage_distance: word(6)? as i32,
            reserved: word(7)?,
        };
        (header.magic == MAGIC).then_some(header)
    }

    /// Returns the distance in bytes from this header to the next one.
    pub fn stride(&self) -> usize {
        (Self::SIZE + self.payload as usize).next_multiple_of(8)
    }
}

/// A translation unit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unit {
    /// Source file as given to the compiler.
    pub source: String,
    /// Source files that sites and functions refer to.
    pub files: Vec<String>,
    /// Functions with a body.
    pub functions: Vec<Function>,
    /// Sites in record order.
    pub sites: Vec<Site>,
    /// Names of functions that are called and not defined in this unit.
    pub foreign: Vec<String>,
    /// Names of functions, defined here or elsewhere, whose address is used.
    pub pointed_at: Vec<String>,
    /// Variables that conditions read or blocks define, as hashes of their names; equal in all units that name
    /// the same variable.
    pub variables: Vec<u64>,
    /// Optional checks that were inserted.
    pub checks: Checks,
}

/// A function with a body.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Function {
    /// Symbol name.
    pub name: String,
    /// Index into [`Unit::files`].
    pub file: u32,
    /// Line of its definition, 0 if unknown.
    pub line: u32,
    /// True if the function has internal linkage.
    pub internal: bool,
    /// True for a function of a Cairn header or a library model: its branches do not count as the user's.
    pub uncounted: bool,
    /// Hash of the function's type; equal types have equal hashes.
    pub type_hash: u64,
    /// Basic blocks; the first is the entry.
    pub blocks: Vec<Block>,
}

/// A basic block before instrumentation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// Number of instructions, without debug records and phis.
    pub instructions: u32,
    /// Indices of the successor blocks; in side order if the terminator has a site.
    pub successors: Vec<u32>,
    /// Site of the terminator, as an index into [`Unit::sites`].
    pub site: Option<u32>,
    /// Calls in program order.
    pub calls: Vec<Call>,
    /// Stores to variables, each variable and constant once.
    pub definitions: Vec<Definition>,
}

/// A store to a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Definition {
    /// Index into [`Unit::variables`].
    pub variable: u32,
    /// The stored value, if it is a constant.
    pub constant: Option<u64>,
}

/// A call in a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Call {
    /// A direct call of the named symbol.
    Direct(String),
    /// A call through a pointer to functions with this type hash.
    Indirect(u64),
}

/// A site of the unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Kind of instruction at the site.
    pub kind: SiteKind,
    /// Index into [`Unit::functions`].
    pub function: u32,
    /// Index into [`Function::blocks`].
    pub block: u32,
    /// Index into [`Unit::files`].
    pub file: u32,
    /// Line, 0 if unknown.
    pub line: u32,
    /// Column, 0 if unknown.
    pub column: u32,
    /// Index of its first side among the unit's coverage bytes.
    pub first_side: u32,
    /// Width of the decided value in bits: 1, or that of a switch's operand.
    pub width: u32,
    /// Features of its condition, except [`ConditionFeatures::EXTERNAL_CALL`], which follows from
    /// [`Site::callees`].
    pub contents: ConditionFeatures,
    /// Functions that its condition calls directly; only the linked program tells which of them have a body.
    pub callees: Vec<String>,
    /// Variables that its condition reads, as indices into [`Unit::variables`].
    pub reads: Vec<u32>,
    /// Its sides; empty for a concretization.
    pub sides: Vec<Side>,
}

/// Features of a condition's source text: a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ConditionFeatures(u8);

impl ConditionFeatures {
    /// The result of a function without a body in the program.
    pub const EXTERNAL_CALL: ConditionFeatures = ConditionFeatures(1);
    /// An integer constant that is not compared with a character.
    pub const INTEGER: ConditionFeatures = ConditionFeatures(1 << 1);
    /// A string, or a constant that is compared with a character.
    pub const TEXT: ConditionFeatures = ConditionFeatures(1 << 2);
    /// A dereferenced pointer.
    pub const DEREFERENCE: ConditionFeatures = ConditionFeatures(1 << 3);
    /// A local variable or a parameter.
    pub const LOCAL: ConditionFeatures = ConditionFeatures(1 << 4);
    /// None of the source's conditions but an inserted check: side 1 if the operands fault.
    const CHECK: ConditionFeatures = ConditionFeatures(1 << 5);
    /// Shift of the [`Check`]'s number in the bits.
    const CHECK_SHIFT: u32 = 6;

    /// Returns the set of an inserted check.
    pub fn of_check(check: Check) -> ConditionFeatures {
        ConditionFeatures(ConditionFeatures::CHECK.0 | (check as u8) << ConditionFeatures::CHECK_SHIFT)
    }

    /// Returns the inserted check, if it is one.
    pub fn check(self) -> Option<Check> {
        let number = self.0 >> ConditionFeatures::CHECK_SHIFT;
        if self.contains(ConditionFeatures::CHECK) { Check::from_u8(number) } else { None }
    }

    /// Returns the set with these bits.
    pub fn from_bits(bits: u8) -> ConditionFeatures {
        ConditionFeatures(bits)
    }

    /// Returns the bits of the set.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// True if every feature of `other` is in the set.
    pub fn contains(self, other: ConditionFeatures) -> bool {
        self.0 & other.0 == other.0
    }

    /// Adds another set.
    pub fn insert(&mut self, other: ConditionFeatures) {
        self.0 |= other.0;
    }
}

/// One successor of a site.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Side {
    /// Index of the block it leads to (for a select: its own block).
    pub successor: u32,
    /// Values of a switch's operand that take this side. The last side of a switch is the default: it is
    /// taken by every value that no side lists (and by the values listed here that share its block).
    pub values: Vec<u64>,
}

impl Unit {
    /// Encodes this unit as the payload of a blob.
    pub fn encode(&self) -> Vec<u8> {
        let mut w = BlobWriter::default();
        w.string(&self.source);
        w.list(&self.files, |w, f| w.string(f));
        w.list(&self.functions, BlobWriter::function);
        w.list(&self.sites, BlobWriter::site);
        w.list(&self.foreign, |w, name| w.string(name));
        w.list(&self.pointed_at, |w, name| w.string(name));
        w.list(&self.variables, |w, hash| w.int(*hash));
        w.int(self.checks.bits().into());
        w.0
    }

    /// Decodes a payload; `None` if it is malformed.
    pub fn decode(payload: &[u8]) -> Option<Unit> {
        let mut r = BlobReader(payload);
        Some(Unit {
            source: r.string()?,
            files: r.list(BlobReader::string)?,
            functions: r.list(BlobReader::function)?,
            sites: r.list(BlobReader::site)?,
            foreign: r.list(BlobReader::string)?,
            pointed_at: r.list(BlobReader::string)?,
            variables: r.list(BlobReader::int)?,
            checks: Checks::from_bits(r.int()? as u32),
        })
    }
}

#[derive(Default)]
struct BlobWriter(Vec<u8>);

impl BlobWriter {
    fn int(&mut self, mut v: u64) {
        while v >= 0x80 {
            self.0.push(v as u8 | 0x80);
            v >>= 7;
        }
        self.0.push(v as u8);
    }

    fn string(&mut self, s: &str) {
        self.int(s.len() as u64);
        self.0.extend_from_slice(s.as_bytes());
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.int(items.len() as u64);
        for item in items {
            each(self, item);
        }
    }

    fn function(&mut self, f: &Function) {
        self.string(&f.name);
        self.int(f.file.into());
        self.int(f.line.into());
        self.int(u64::from(f.internal) | u64::from(f.uncounted) << 1);
        self.int(f.type_hash);
        self.list(&f.blocks, Self::block);
    }

    fn block(&mut self, b: &Block) {
        self.int(b.instructions.into());
        self.list(&b.successors, |w, s| w.int((*s).into()));
        self.int(b.site.map_or(0, |s| u64::from(s) + 1));
        self.list(&b.calls, Self::call);
        self.list(&b.definitions, Self::definition);
    }

    fn definition(&mut self, d: &Definition) {
        self.int(u64::from(d.variable) << 1 | u64::from(d.constant.is_some()));
        if let Some(constant) = d.constant {
            self.int(constant);
        }
    }

    fn call(&mut self, c: &Call) {
        match c {
            Call::Direct(name) => {
                self.int(0);
                self.string(name);
            }
            Call::Indirect(type_hash) => {
                self.int(1);
                self.int(*type_hash);
            }
        }
    }

    fn site(&mut self, s: &Site) {
        self.int(s.kind as u64);
        for v in [s.function, s.block, s.file, s.line, s.column, s.first_side, s.width] {
            self.int(v.into());
        }
        self.int(s.contents.bits().into());
        self.list(&s.callees, |w, name| w.string(name));
        self.list(&s.reads, |w, variable| w.int((*variable).into()));
        self.list(&s.sides, |w, side| {
            w.int(side.successor.into());
            w.list(&side.values, |w, v| w.int(*v));
        });
    }
}

struct BlobReader<'a>(&'a [u8]);

impl BlobReader<'_> {
    fn int(&mut self) -> Option<u64> {
        let mut v = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            v |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(v);
            }
        }
        None
    }

    fn word(&mut self) -> Option<u32> {
        self.int()?.try_into().ok()
    }

    fn string(&mut self) -> Option<String> {
        let len = self.int()? as usize;
        let (text, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let len = self.int()? as usize;
        // Every item takes at least one byte, which bounds the allocation for a malformed length.
        let mut items = Vec::with_capacity(len.min(self.0.len()));
        for _ in 0..len {
            items.push(each(self)?);
        }
        Some(items)
    }

    fn function(&mut self) -> Option<Function> {
        let name = self.string()?;
        let (file, line, bits) = (self.word()?, self.word()?, self.int()?);
        Some(Function {
            name,
            file,
            line,
            internal: bits & 1 != 0,
            uncounted: bits & 2 != 0,
            type_hash: self.int()?,
            blocks: self.list(Self::block)?,
        })
    }

    fn block(&mut self) -> Option<Block> {
        Some(Block {
            instructions: self.word()?,
            successors: self.list(Self::word)?,
            site: self.word()?.checked_sub(1),
            calls: self.list(Self::call)?,
            definitions: self.list(Self::definition)?,
        })
    }

    fn definition(&mut self) -> Option<Definition> {
        let word = self.int()?;
        let constant = if word & 1 != 0 { Some(self.int()?) } else { None };
        Some(Definition { variable: (word >> 1).try_into().ok()?, constant })
    }

    fn call(&mut self) -> Option<Call> {
        match self.int()? {
            0 => Some(Call::Direct(self.string()?)),
            1 => Some(Call::Indirect(self.int()?)),
            _ => None,
        }
    }

    fn site(&mut self) -> Option<Site> {
        Some(Site {
            kind: SiteKind::from_u8(self.int()?.try_into().ok()?)?,
            function: self.word()?,
            block: self.word()?,
            file: self.word()?,
            line: self.word()?,
            column: self.word()?,
            first_side: self.word()?,
            width: self.word()?,
            contents: ConditionFeatures::from_bits(self.int()?.try_into().ok()?),
            callees: self.list(Self::string)?,
            reads: self.list(Self::word)?,
            sides: self.list(|r| Some(Side { successor: r.word()?, values: r.list(Self::int)? }))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{string::ToString, vec};

    fn sample() -> Unit {
        Unit {
            source: "a.c".to_string(),
            files: vec!["a.c".to_string(), "a.h".to_string()],
            functions: vec![Function {
                name: "main".to_string(),
                line: 300,
                internal: true,
                type_hash: u64::MAX,
                blocks: vec![
                    Block {
                        instructions: 7,
                        successors: vec![1, 0],
                        site: Some(0),
                        calls: vec![Call::Direct("f".to_string()), Call::Indirect(9)],
                        definitions: vec![
                            Definition { variable: 0, constant: Some(u64::MAX) },
                            Definition { variable: 1, constant: None },
                        ],
                    },
                    Block::default(),
                ],
                ..Function::default()
            }],
            sites: vec![Site {
                kind: SiteKind::Switch,
                function: 0,
                block: 0,
                file: 1,
                line: 12,
                column: 5,
                first_side: 3,
                width: 32,
                contents: ConditionFeatures::of_check(Check::Shift),
                callees: vec!["toupper".to_string()],
                reads: vec![1],
                sides: vec![Side { successor: 1, values: vec![1, u64::MAX] }, Side::default()],
            }],
            foreign: vec!["qsort_r".to_string()],
            pointed_at: vec!["main".to_string(), "compare".to_string()],
            variables: vec![5, u64::MAX],
            checks: Checks::SHIFT,
        }
    }

    #[test]
    fn a_unit_survives_encoding() {
        let unit = sample();
        assert_eq!(Unit::decode(&unit.encode()), Some(unit));
    }

    #[test]
    fn a_cut_payload_is_refused() {
        let payload = sample().encode();
        for len in 0..payload.len() {
            assert_eq!(Unit::decode(&payload[..len]), None, "cut to {len}");
        }
    }
}
