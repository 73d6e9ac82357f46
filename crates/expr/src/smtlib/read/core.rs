//! The core theory: truth values, equality, choice.

use super::floats;
use super::value::{Applied, Call, SmtValue, chain};
use crate::dag::Dag;
use crate::node::{CmpOp, ExprId};

pub(super) fn apply<'a>(dag: &mut Dag, call: &Call<'_, 'a>) -> Applied<'a> {
    let truth = match call.name {
        "not" => {
            let [a] = call.exactly(call.truths()?)?;
            dag.not(a)
        }
        "and" => fold(dag, call, Dag::and)?,
        "or" => fold(dag, call, Dag::or)?,
        "xor" => fold(dag, call, Dag::xor)?,
        "=>" => implication(dag, call)?,
        "=" => equal(dag, call)?,
        "distinct" => distinct(dag, call)?,
        "ite" => return choice(dag, call).map(Some),
        _ => return Ok(None),
    };
    Ok(Some(SmtValue::Bool(truth)))
}

fn fold(dag: &mut Dag, call: &Call, op: fn(&mut Dag, ExprId, ExprId) -> ExprId) -> Result<ExprId, String> {
    let operands = call.truths()?;
    Ok(operands[1..].iter().fold(operands[0], |all, &one| op(dag, all, one)))
}

/// Builds an implication of the last operand by all others.
fn implication(dag: &mut Dag, call: &Call) -> Result<ExprId, String> {
    let operands = call.truths()?;
    let (&last, conditions) = operands.split_last().expect("at least one");
    Ok(conditions.iter().fold(last, |result, &condition| {
        let not = dag.not(condition);
        dag.or(not, result)
    }))
}

/// Returns the operands of an equality, all of one sort, and true if they are floats.
fn comparable(dag: &Dag, call: &Call) -> Result<(Vec<ExprId>, bool), String> {
    let (operands, is_float) = match call.args.first() {
        Some(SmtValue::Bool(_)) => (call.truths()?, false),
        Some(SmtValue::Float(_)) => (call.floats()?, true),
        _ => (call.bits()?, false),
    };
    Ok((call.alike(dag, operands)?, is_float))
}

fn same(dag: &mut Dag, is_float: bool, a: ExprId, b: ExprId) -> ExprId {
    if is_float { floats::same(dag, a, b) } else { dag.compare(CmpOp::Eq, a, b) }
}

fn equal(dag: &mut Dag, call: &Call) -> Result<ExprId, String> {
    let (operands, is_float) = comparable(dag, call)?;
    Ok(chain(dag, &operands, |dag, a, b| same(dag, is_float, a, b)))
}

fn distinct(dag: &mut Dag, call: &Call) -> Result<ExprId, String> {
    let (operands, is_float) = comparable(dag, call)?;
    let mut any = dag.truth(false);
    for (i, &a) in operands.iter().enumerate() {
        for &b in &operands[i + 1..] {
            let one = same(dag, is_float, a, b);
            any = dag.or(any, one);
        }
    }
    Ok(dag.not(any))
}

fn choice<'a>(dag: &mut Dag, call: &Call<'_, 'a>) -> Result<SmtValue<'a>, String> {
    let &[SmtValue::Bool(condition), t, e] = call.args()? else {
        return Err("`ite` decides by a truth value".to_owned());
    };
    if t.sort(dag) != e.sort(dag) {
        return Err("the two sides of `ite` differ in sort".to_owned());
    }
    match (t, e) {
        (SmtValue::Bool(t), SmtValue::Bool(e)) => Ok(SmtValue::Bool(dag.ite(condition, t, e))),
        (SmtValue::Bits(t), SmtValue::Bits(e)) => Ok(SmtValue::Bits(dag.ite(condition, t, e))),
        (SmtValue::Float(t), SmtValue::Float(e)) => Ok(SmtValue::Float(dag.ite(condition, t, e))),
        _ => Err("Cairn has rounding modes and real numbers only as constants".to_owned()),
    }
}
