//! The expression DAG: nodes stored once, children before parents.
//!
//! A node takes 24 bytes (with its set of input bytes) and a look-up slot of 4; a campaign keeps
//! millions. Constructors that simplify are in [`crate::build`]; here a node is only found or added.

use crate::inputs::{InputByte, InputSets, SetId};
use crate::node::{
    BinOp, BitCount, CmpOp, Conversion, ExprId, FloatCmp, FloatOp, MAX_WIDTH, Math, Node, Op, SnapshotId,
};
use crate::semantics::ones;
use crate::snapshot::Snapshots;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHashSet;
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use std::hash::Hasher;
use std::sync::atomic::{AtomicU64, Ordering};

/// A row of the DAG; words that are operands or snapshots are numbers of the receiver.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub(crate) struct Packed {
    pub(crate) words: [u32; 4],
    pub(crate) op: Op,
    pub(crate) width: u8,
    pub(crate) low: u8,
}

/// A node as stored: operands in the first words; a constant's value, or an input byte, takes all four.
/// `low` is an extract's first bit or a function's number; a read has its snapshot in the second word.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stored {
    words: [u32; 4],
    op: Op,
    width: u8,
    low: u8,
}

impl Stored {
    fn hash(&self) -> u64 {
        let [w0, w1, w2, w3] = self.words.map(u64::from);
        let mut hasher = FxHasher::default();
        hasher.write_u64(w0 | w1 << 32);
        hasher.write_u64(w2 | w3 << 32);
        hasher.write_u64(self.op as u64 | (self.width as u64) << 8 | (self.low as u64) << 16);
        hasher.finish()
    }

    fn value(&self) -> u128 {
        self.words.iter().rev().fold(0, |value, &word| value << 32 | word as u128)
    }

    fn child(&self, i: usize) -> ExprId {
        ExprId(self.words[i])
    }

    fn math(&self) -> Math {
        Math::ALL[usize::from(self.low)]
    }

    fn snapshot(&self) -> Option<SnapshotId> {
        (self.op == Op::Read).then_some(SnapshotId(self.words[1]))
    }

    fn children(&self) -> &[u32] {
        match self.op {
            Op::Const | Op::Input => &[],
            Op::ZExt | Op::SExt | Op::Extract | Op::Read => &self.words[..1],
            Op::FToS | Op::FToU | Op::SToF | Op::UToF | Op::FToF => &self.words[..1],
            Op::PopCount | Op::LeadingZeros | Op::TrailingZeros => &self.words[..1],
            Op::Math => &self.words[..self.math().operands()],
            Op::Ite => &self.words[..3],
            _ => &self.words[..2],
        }
    }
}

#[derive(Clone, Copy)]
struct DagRow {
    stored: Stored,
    inputs: SetId,
}

const _: () = assert!(size_of::<DagRow>() == 24);

/// A growing, hash-consed table of expressions: equal expressions have equal ids.
///
/// Constructors panic if operand widths do not match: code that decodes untrusted bytes checks them first.
pub struct Dag {
    identity: u64,
    rows: Vec<DagRow>,
    table: HashTable<u32>,
    sets: InputSets,
    snapshots: Snapshots,
    /// Nesting of recursive rewrite rules; see [`crate::build`].
    pub(crate) nesting: u8,
}

impl Default for Dag {
    fn default() -> Dag {
        Dag::new()
    }
}

impl Dag {
    /// Returns a DAG without expressions.
    pub fn new() -> Dag {
        static TABLES: AtomicU64 = AtomicU64::new(1);
        let (rows, table, sets, snapshots, nesting) = Default::default();
        Dag { identity: TABLES.fetch_add(1, Ordering::Relaxed), rows, table, sets, snapshots, nesting }
    }

    /// Returns a number that is unique in the process, and never 0.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// Returns the number of expressions.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the memory of the expressions in bytes, estimated in constant time.
    pub fn bytes(&self) -> u64 {
        /// Size of a slot of the hash table, on average.
        const SLOT: usize = 8;
        let rows = self.rows.len() * (size_of::<DagRow>() + SLOT);
        rows as u64 + self.sets.bytes() + self.snapshots.total_bytes()
    }

    /// True if there is no expression yet.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the expressions from this index on, in the order in which they were built.
    pub fn expressions_from(&self, index: usize) -> impl Iterator<Item = ExprId> + use<> {
        (index as u32..self.rows.len() as u32).map(ExprId)
    }

    /// Returns the width in bits, 1 to 128.
    pub fn width(&self, e: ExprId) -> u8 {
        self.rows[e.index()].stored.width
    }

    /// Returns the operation.
    pub fn op(&self, e: ExprId) -> Op {
        self.rows[e.index()].stored.op
    }

    /// Returns the value of a constant; `None` for other expressions.
    pub fn as_constant(&self, e: ExprId) -> Option<u128> {
        let stored = &self.rows[e.index()].stored;
        (stored.op == Op::Const).then(|| stored.value())
    }

    /// Returns the operands in order; of a read the index, and then the symbolic bytes of the snapshot.
    pub fn children(&self, e: ExprId) -> impl DoubleEndedIterator<Item = ExprId> + '_ {
        let stored = &self.rows[e.index()].stored;
        let parts = stored.snapshot().map_or(&[][..], |s| self.snapshots.parts(s));
        stored.children().iter().map(|&id| ExprId(id)).chain(parts.iter().map(|&(_, part)| part))
    }

    /// Returns the roots and all nodes below them, children first: ids grow from child to parent.
    pub fn reachable(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let mut seen = FxHashSet::default();
        let mut stack = roots.to_vec();
        while let Some(e) = stack.pop() {
            if seen.insert(e) {
                stack.extend(self.children(e));
            }
        }
        let mut nodes: Vec<ExprId> = seen.into_iter().collect();
        nodes.sort_unstable();
        nodes
    }

    /// Returns the input bytes the expression depends on, sorted; expressions with the same set share the
    /// slice.
    pub fn inputs(&self, e: ExprId) -> &[InputByte] {
        self.sets.members(self.input_set(e))
    }

    /// Returns the set of input bytes the expression depends on; equal sets have equal ids.
    pub fn input_set(&self, e: ExprId) -> SetId {
        self.rows[e.index()].inputs
    }

    /// Returns the sets of input bytes.
    pub fn sets(&self) -> &InputSets {
        &self.sets
    }

    /// Returns the snapshots.
    pub fn snapshots(&self) -> &Snapshots {
        &self.snapshots
    }

    /// Returns the snapshot with these bytes, except where `parts` has an expression (of width 8) for a byte;
    /// parts are in the order of their indices.
    pub fn snapshot(&mut self, bytes: &[u8], parts: &[(u32, ExprId)]) -> SnapshotId {
        let mut bytes: Vec<u8> = bytes.into();
        let mut unknown = Vec::with_capacity(parts.len());
        for &(place, part) in parts {
            assert_eq!(self.width(part), 8, "a snapshot is made of bytes");
            let constant = self.as_constant(part);
            bytes[place as usize] = constant.unwrap_or(0) as u8;
            if constant.is_none() {
                unknown.push((place, part));
            }
        }
        let mut inputs = SetId::EMPTY;
        for &(_, part) in &unknown {
            inputs = self.sets.union(inputs, self.rows[part.index()].inputs);
        }
        self.snapshots.intern(bytes, unknown, inputs)
    }

    /// Returns the operation and operands of an expression, for pattern matching.
    pub fn node(&self, e: ExprId) -> Node {
        let s = &self.rows[e.index()].stored;
        let binary = |op| Node::Binary(op, s.child(0), s.child(1));
        let compare = |op| Node::Compare(op, s.child(0), s.child(1));
        let float = |op| Node::Float(op, s.child(0), s.child(1));
        let float_compare = |op| Node::FloatCompare(op, s.child(0), s.child(1));
        let convert = |conversion| Node::Convert(conversion, s.child(0));
        match s.op {
            Op::Const => Node::Const(s.value()),
            Op::Input => Node::Input(InputByte { object: s.words[0], offset: s.words[1] }),
            Op::Add => binary(BinOp::Add),
            Op::Sub => binary(BinOp::Sub),
            Op::Mul => binary(BinOp::Mul),
            Op::UDiv => binary(BinOp::UDiv),
            Op::SDiv => binary(BinOp::SDiv),
            Op::URem => binary(BinOp::URem),
            Op::SRem => binary(BinOp::SRem),
            Op::Shl => binary(BinOp::Shl),
            Op::LShr => binary(BinOp::LShr),
            Op::AShr => binary(BinOp::AShr),
            Op::And => binary(BinOp::And),
            Op::Or => binary(BinOp::Or),
            Op::Xor => binary(BinOp::Xor),
            Op::Eq => compare(CmpOp::Eq),
            Op::Ult => compare(CmpOp::Ult),
            Op::Ule => compare(CmpOp::Ule),
            Op::Slt => compare(CmpOp::Slt),
            Op::Sle => compare(CmpOp::Sle),
            Op::ZExt => Node::ZExt(s.child(0)),
            Op::SExt => Node::SExt(s.child(0)),
            Op::Extract => Node::Extract(s.child(0), s.low),
            Op::Concat => Node::Concat(s.child(0), s.child(1)),
            Op::Ite => Node::Ite(s.child(0), s.child(1), s.child(2)),
            Op::FAdd => float(FloatOp::Add),
            Op::FSub => float(FloatOp::Sub),
            Op::FMul => float(FloatOp::Mul),
            Op::FDiv => float(FloatOp::Div),
            Op::FRem => float(FloatOp::Rem),
            Op::FEq => float_compare(FloatCmp::Eq),
            Op::FLt => float_compare(FloatCmp::Lt),
            Op::FLe => float_compare(FloatCmp::Le),
            Op::FToS => convert(Conversion::FloatToSigned),
            Op::FToU => convert(Conversion::FloatToUnsigned),
            Op::SToF => convert(Conversion::SignedToFloat),
            Op::UToF => convert(Conversion::UnsignedToFloat),
            Op::FToF => convert(Conversion::FloatToFloat),
            Op::Math => Node::Math(s.math()),
            Op::PopCount => Node::BitCount(BitCount::Ones, s.child(0)),
            Op::LeadingZeros => Node::BitCount(BitCount::LeadingZeros, s.child(0)),
            Op::TrailingZeros => Node::BitCount(BitCount::TrailingZeros, s.child(0)),
            Op::Read => Node::Read(SnapshotId(s.words[1]), s.child(0)),
        }
    }

    /// Builds a constant; bits above the width are dropped.
    pub fn constant(&mut self, width: u8, value: u128) -> ExprId {
        assert!((1..=MAX_WIDTH).contains(&width), "no constant has width {width}");
        let value = value & ones(width);
        let words = [0, 32, 64, 96].map(|shift| (value >> shift) as u32);
        self.intern(Stored { op: Op::Const, width, low: 0, words })
    }

    /// Builds an input byte.
    pub fn input(&mut self, byte: InputByte) -> ExprId {
        let words = [byte.object, byte.offset, 0, 0];
        self.intern(Stored { op: Op::Input, width: 8, low: 0, words })
    }

    /// Finds or adds a node exactly as given, without looking at what it means.
    pub(crate) fn raw(&mut self, op: Op, width: u8, low: u8, children: &[ExprId]) -> ExprId {
        let mut words = [0; 4];
        for (word, child) in words.iter_mut().zip(children) {
            *word = child.0;
        }
        self.intern(Stored { words, op, width, low })
    }

    pub(crate) fn raw_read(&mut self, snapshot: SnapshotId, index: ExprId, width: u8) -> ExprId {
        self.intern(Stored { words: [index.0, snapshot.0, 0, 0], op: Op::Read, width, low: 0 })
    }

    /// Returns a row as it is sent to another process.
    pub(crate) fn packed(&self, e: ExprId) -> Packed {
        let Stored { words, op, width, low } = self.rows[e.index()].stored;
        Packed { words, op, width, low }
    }

    /// Returns the number of words of a row that are operands.
    pub(crate) fn operands(&self, e: ExprId) -> usize {
        self.rows[e.index()].stored.children().len()
    }

    /// Adds a row that another process has sent; its words are of this table.
    pub(crate) fn unpack(&mut self, row: &Packed) {
        let &Packed { words, op, width, low } = row;
        self.intern(Stored { words, op, width, low });
    }

    /// Takes over what a table has got since this was a copy of it; what finds equal expressions is left as
    /// it is.
    pub(crate) fn append(&mut self, original: &Dag) {
        self.rows.extend_from_slice(&original.rows[self.rows.len()..]);
        self.sets.append(&original.sets);
        self.snapshots.append(&original.snapshots);
    }

    fn intern(&mut self, stored: Stored) -> ExprId {
        let Dag { rows, table, sets, snapshots, .. } = self;
        let entry = table.entry(
            stored.hash(),
            |&id| rows[id as usize].stored == stored,
            |&id| rows[id as usize].stored.hash(),
        );
        match entry {
            Entry::Occupied(found) => ExprId(*found.get()),
            Entry::Vacant(place) => {
                let id = u32::try_from(rows.len()).expect("fewer than 2^32 expressions");
                place.insert(id);
                let inputs = inputs_of(rows, sets, snapshots, &stored);
                rows.push(DagRow { stored, inputs });
                ExprId(id)
            }
        }
    }
}

fn inputs_of(rows: &[DagRow], sets: &mut InputSets, snapshots: &Snapshots, stored: &Stored) -> SetId {
    if stored.op == Op::Input {
        return sets.single(InputByte { object: stored.words[0], offset: stored.words[1] });
    }
    let snapshot = stored.snapshot().map_or(SetId::EMPTY, |s| snapshots.inputs(s));
    stored.children().iter().fold(snapshot, |set, &child| sets.union(set, rows[child as usize].inputs))
}
