//! Reads of snapshots: a function for all reads that decide alike.

use super::NodeRef;
use crate::dag::Dag;
use crate::lookup::Lookup;
use crate::node::ExprId;
use crate::node::SnapshotId;
use crate::snapshot::Cell;
use rustc_hash::FxHashMap;
use std::fmt::{self, Write};
use std::ops::Range;

/// Prefix of the names of such functions.
pub(super) const TABLE: &str = "cairn.table.";

/// Snapshot, width, the bits of the place that decide, and the border.
type TableKey = (SnapshotId, u8, Range<u8>, Option<u8>);

/// The functions of a script.
#[derive(Default)]
pub(super) struct Tables {
    numbers: FxHashMap<TableKey, usize>,
}

impl Tables {
    /// Defines a node that reads a snapshot at a place, and the function it uses if that is new.
    pub(super) fn define(
        &mut self,
        out: &mut String,
        dag: &Dag,
        e: ExprId,
        (snapshot, index): (SnapshotId, ExprId),
    ) -> fmt::Result {
        let width = dag.width(e);
        let (varying, border) = dag.reach(snapshot, index);
        let next = self.numbers.len();
        let number = *self.numbers.entry((snapshot, width, varying, border)).or_insert(next);
        if number == next {
            hint(out, dag, number, snapshot)?;
            write!(out, "(define-fun {TABLE}{number} ((p (_ BitVec 64))) (_ BitVec {width}) ")?;
            table(out, dag, dag.lookup(snapshot, index, width), width)?;
            out.write_str(")\n")?;
        }
        let (term, place) = (NodeRef(dag, e), NodeRef(dag, index));
        writeln!(out, "(define-fun {term} () (_ BitVec {width}) ({TABLE}{number} {place}))")
    }
}

/// Writes the annotation for our own reader.
fn hint(out: &mut String, dag: &Dag, number: usize, snapshot: SnapshotId) -> fmt::Result {
    write!(out, "(set-info :cairn-table |{TABLE}{number} ")?;
    for place in 0..dag.snapshots().len(snapshot) {
        match dag.snapshots().cell(snapshot, place.into()) {
            Cell::Known(byte) => write!(out, "{byte:02x}")?,
            Cell::Part(_) => out.write_str("00")?,
        }
    }
    for &(place, part) in dag.snapshots().parts(snapshot) {
        write!(out, " {place} {}", NodeRef(dag, part))?;
    }
    out.write_str("|)\n")
}

fn table(out: &mut String, dag: &Dag, (tree, border): (Lookup, Option<u8>), width: u8) -> fmt::Result {
    match border {
        None => look_up(out, dag, &tree),
        Some(bits) => {
            write!(out, "(ite (bvult p (_ bv{} 64)) ", 1u64 << bits)?;
            look_up(out, dag, &tree)?;
            write!(out, " (_ bv0 {width}))")
        }
    }
}

/// As deep as a place in a snapshot has bits.
fn look_up(out: &mut String, dag: &Dag, tree: &Lookup) -> fmt::Result {
    match tree {
        Lookup::Bytes(cells) => {
            // A concatenation of one is none.
            out.write_str(if cells.len() > 1 { "(concat" } else { "" })?;
            for cell in cells.iter().rev() {
                match *cell {
                    Cell::Known(byte) => write!(out, " #x{byte:02x}")?,
                    Cell::Part(e) => write!(out, " {}", NodeRef(dag, e))?,
                }
            }
            out.write_str(if cells.len() > 1 { ")" } else { "" })
        }
        Lookup::Split(bit, zero, one) => {
            write!(out, "(ite (= ((_ extract {bit} {bit}) p) #b1) ")?;
            look_up(out, dag, one)?;
            out.write_str(" ")?;
            look_up(out, dag, zero)?;
            out.write_str(")")
        }
    }
}
