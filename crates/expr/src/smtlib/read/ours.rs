//! Functions of our own, and reads of tables.

use super::super::function::SmtFunction;
use super::value::{Call, SmtValue};
use crate::dag::Dag;
use crate::lookup::Lookup;
use crate::node::SnapshotId;
use crate::node::{CmpOp, ExprId, FloatOp};
use crate::snapshot::Cell;

/// Applies a function of our own scripts.
pub(super) fn apply<'a>(
    dag: &mut Dag,
    function: SmtFunction,
    call: &Call<'_, 'a>,
) -> Result<SmtValue<'a>, String> {
    let operands = if function.takes_numbers() { call.floats()? } else { call.bits()? };
    let fits =
        operands.len() == function.operands() && operands.iter().all(|&e| dag.width(e) == function.width());
    if !fits {
        return Err(format!("`{function}` takes {} of {} bits", function.operands(), function.width()));
    }
    let result = match function {
        SmtFunction::Shift(op, _) => dag.binary(op, operands[0], operands[1]),
        SmtFunction::BitCount(what, _) => dag.count(what, operands[0]),
        SmtFunction::Integer(how, _, to) => dag.convert(how, operands[0], to),
        SmtFunction::Math(function, _) => dag.math(function, &operands),
        SmtFunction::Remainder(_) => dag.float(FloatOp::Rem, operands[0], operands[1]),
        SmtFunction::Beyond(..) => {
            return Err(format!("`{function}` is only for the definition that needs it"));
        }
    };
    Ok(SmtValue::Bits(result))
}

/// Returns the read that a term is annotated as, or the term itself if it is a different one.
pub(super) fn recognised(dag: &mut Dag, snapshot: SnapshotId, place: ExprId, term: ExprId) -> ExprId {
    let width = dag.width(term);
    if dag.width(place) != 64 || !width.is_multiple_of(8) {
        return term;
    }
    let (tree, border) = dag.lookup(snapshot, place, width);
    let mut spelled_out = spell_out(dag, &tree, place);
    if let Some(bits) = border {
        let (zero, end) = (dag.constant(width, 0), dag.constant(64, 1 << bits));
        let inside = dag.compare(CmpOp::Ult, place, end);
        spelled_out = dag.ite(inside, spelled_out, zero);
    }
    if spelled_out == term { dag.read(snapshot, place, width) } else { term }
}

/// As deep as a place in a snapshot has bits.
fn spell_out(dag: &mut Dag, tree: &Lookup, place: ExprId) -> ExprId {
    match tree {
        Lookup::Bytes(cells) => {
            let bytes: Vec<ExprId> = cells.iter().rev().map(|&cell| byte(dag, cell)).collect();
            bytes[1..].iter().fold(bytes[0], |high, &low| dag.concat(high, low))
        }
        Lookup::Split(bit, zero, one) => {
            let (one, zero) = (spell_out(dag, one, place), spell_out(dag, zero, place));
            let bit = dag.extract(place, *bit, 1);
            dag.ite(bit, one, zero)
        }
    }
}

fn byte(dag: &mut Dag, cell: Cell) -> ExprId {
    match cell {
        Cell::Known(byte) => dag.constant(8, byte.into()),
        Cell::Part(part) => part,
    }
}
