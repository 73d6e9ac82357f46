//! Reads of snapshots and counts of bits.

use super::Term;
use crate::dag::Dag;
use crate::lookup::Lookup;
use crate::node::{Count, ExprId};
use crate::snapshot::{Cell, SnapshotId};
use std::fmt::{self, Write};

pub(super) fn read(
    out: &mut dyn Write,
    dag: &Dag,
    snapshot: SnapshotId,
    index: ExprId,
    width: u8,
) -> fmt::Result {
    let (tree, border) = dag.lookup(snapshot, index, width);
    let place = Term(dag, index);
    match border {
        None => look_up(out, dag, &tree, &place),
        Some(bits) => {
            write!(out, "(ite (bvult {place} (_ bv{} 64)) ", 1u64 << bits)?;
            look_up(out, dag, &tree, &place)?;
            write!(out, " (_ bv0 {width}))")
        }
    }
}

/// As deep as a place in a snapshot has bits.
fn look_up(out: &mut dyn Write, dag: &Dag, tree: &Lookup, place: &Term) -> fmt::Result {
    match tree {
        Lookup::Bytes(cells) => {
            // A concatenation of one is none.
            out.write_str(if cells.len() > 1 { "(concat" } else { "" })?;
            for cell in cells.iter().rev() {
                match *cell {
                    Cell::Known(byte) => write!(out, " #x{byte:02x}")?,
                    Cell::Part(e) => write!(out, " {}", Term(dag, e))?,
                }
            }
            out.write_str(if cells.len() > 1 { ")" } else { "" })
        }
        Lookup::Split(bit, zero, one) => {
            write!(out, "(ite (= ((_ extract {bit} {bit}) {place}) #b1) ")?;
            look_up(out, dag, one, place)?;
            out.write_str(" ")?;
            look_up(out, dag, zero, place)?;
            out.write_str(")")
        }
    }
}

pub(super) fn count(out: &mut dyn Write, dag: &Dag, what: Count, a: ExprId) -> fmt::Result {
    let (width, term) = (dag.width(a), Term(dag, a));
    match what {
        Count::Ones => {
            out.write_str(if width > 1 { "(bvadd" } else { "" })?;
            for bit in 0..width {
                write!(out, " ((_ zero_extend {}) ((_ extract {bit} {bit}) {term}))", width - 1)?;
            }
            return out.write_str(if width > 1 { ")" } else { "" });
        }
        Count::LeadingZeros => first(out, (0..width).rev(), &term, width)?,
        Count::TrailingZeros => first(out, 0..width, &term, width)?,
    }
    write!(out, "(_ bv{width} {width}){}", ")".repeat(width.into()))
}

/// How many of the bits come before the first that is set; the case that none is follows.
fn first(out: &mut dyn Write, bits: impl Iterator<Item = u8>, term: &Term, width: u8) -> fmt::Result {
    for (distance, bit) in bits.enumerate() {
        write!(out, "(ite (= ((_ extract {bit} {bit}) {term}) #b1) (_ bv{distance} {width}) ")?;
    }
    Ok(())
}
