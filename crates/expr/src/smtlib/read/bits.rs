//! The theory of bit-vectors.

use super::value::{Applied, Call, SmtValue};
use crate::dag::Dag;
use crate::node::{BinOp, CmpOp, ExprId, MAX_WIDTH};
use crate::semantics::{ones, sign_bit};

pub(super) fn apply<'a>(dag: &mut Dag, call: &Call<'_, 'a>) -> Applied<'a> {
    if let Some(op) = comparison(call.name) {
        let [a, b] = call.exactly(call.alike(dag, call.bits()?)?)?;
        return Ok(Some(SmtValue::Bool(dag.compare(op, a, b))));
    }
    if let Some(truth) = overflow(dag, call)? {
        return Ok(Some(SmtValue::Bool(truth)));
    }
    let result = match call.name {
        "concat" => concat(dag, &call.bits()?)?,
        "extract" | "zero_extend" | "sign_extend" | "repeat" | "rotate_left" | "rotate_right" => {
            reshape(dag, call)?
        }
        "bvnot" | "bvneg" | "bvredor" | "bvredand" => unary(dag, call)?,
        _ => match n_ary(dag, call)? {
            Some(result) => result,
            None => return Ok(None),
        },
    };
    Ok(Some(SmtValue::Bits(result)))
}

fn comparison(name: &str) -> Option<CmpOp> {
    Some(match name {
        "bvult" => CmpOp::Ult,
        "bvule" => CmpOp::Ule,
        "bvugt" => CmpOp::Ugt,
        "bvuge" => CmpOp::Uge,
        "bvslt" => CmpOp::Slt,
        "bvsle" => CmpOp::Sle,
        "bvsgt" => CmpOp::Sgt,
        "bvsge" => CmpOp::Sge,
        _ => return None,
    })
}

/// Returns a width that values can have.
fn width(bits: u64) -> Result<u8, String> {
    match u8::try_from(bits) {
        Ok(width) if (1..=MAX_WIDTH).contains(&width) => Ok(width),
        _ => Err(format!("Cairn has values of 1 to {MAX_WIDTH} bits, not of {bits}")),
    }
}

fn concat(dag: &mut Dag, parts: &[ExprId]) -> Result<ExprId, String> {
    width(parts.iter().map(|&e| u64::from(dag.width(e))).sum())?;
    Ok(parts[1..].iter().fold(parts[0], |high, &low| dag.concat(high, low)))
}

fn reshape(dag: &mut Dag, call: &Call) -> Result<ExprId, String> {
    let [a] = call.exactly(call.bits()?)?;
    let own = dag.width(a);
    if call.name == "extract" {
        let [high, low] = call.indices()?;
        let fits = low <= high && high < own.into();
        return match fits {
            true => Ok(dag.extract(a, low as u8, (high - low + 1) as u8)),
            false => Err(format!("a bit-vector of {own} bits has no bits {high} to {low}")),
        };
    }
    let [by] = call.indices()?;
    match call.name {
        "zero_extend" => Ok(dag.zext(a, width(u64::from(own) + u64::from(by))?)),
        "sign_extend" => Ok(dag.sext(a, width(u64::from(own) + u64::from(by))?)),
        "repeat" => {
            width(u64::from(own) * u64::from(by))?;
            Ok((1..by).fold(a, |high, _| dag.concat(high, a)))
        }
        "rotate_left" => Ok(rotate(dag, a, (by % u32::from(own)) as u8)),
        _ => Ok(rotate(dag, a, own - (by % u32::from(own)) as u8)),
    }
}

/// Rotates left: the highest `by` bits become the lowest.
fn rotate(dag: &mut Dag, a: ExprId, by: u8) -> ExprId {
    let own = dag.width(a);
    if by == 0 || by == own {
        return a;
    }
    let (high, low) = (dag.extract(a, own - by, by), dag.trunc(a, own - by));
    dag.concat(low, high)
}

fn unary(dag: &mut Dag, call: &Call) -> Result<ExprId, String> {
    let [a] = call.exactly(call.bits()?)?;
    let own = dag.width(a);
    let (zero, all) = (dag.constant(own, 0), dag.constant(own, ones(own)));
    Ok(match call.name {
        "bvnot" => dag.not(a),
        "bvneg" => dag.binary(BinOp::Sub, zero, a),
        "bvredor" => dag.compare(CmpOp::Ne, a, zero),
        _ => dag.compare(CmpOp::Eq, a, all),
    })
}

/// Operations on values of one width; those of two that can be chained take more.
fn n_ary(dag: &mut Dag, call: &Call) -> Result<Option<ExprId>, String> {
    let op = match call.name {
        "bvand" => BinOp::And,
        "bvor" => BinOp::Or,
        "bvxor" => BinOp::Xor,
        "bvadd" => BinOp::Add,
        "bvmul" => BinOp::Mul,
        _ => return binary(dag, call),
    };
    let operands = call.alike(dag, call.bits()?)?;
    Ok(Some(operands[1..].iter().fold(operands[0], |all, &one| dag.binary(op, all, one))))
}

fn binary(dag: &mut Dag, call: &Call) -> Result<Option<ExprId>, String> {
    let negated = |op| {
        move |dag: &mut Dag, a, b| {
            let result = dag.binary(op, a, b);
            dag.not(result)
        }
    };
    let plain = |op| move |dag: &mut Dag, a, b| dag.binary(op, a, b);
    let mut with = |op: &dyn Fn(&mut Dag, ExprId, ExprId) -> ExprId| -> Result<Option<ExprId>, String> {
        let [a, b] = call.exactly(call.alike(dag, call.bits()?)?)?;
        Ok(Some(op(dag, a, b)))
    };
    match call.name {
        "bvsub" => with(&plain(BinOp::Sub)),
        "bvudiv" => with(&plain(BinOp::UDiv)),
        "bvurem" => with(&plain(BinOp::URem)),
        "bvsdiv" => with(&plain(BinOp::SDiv)),
        "bvsrem" => with(&plain(BinOp::SRem)),
        "bvsmod" => with(&modulo),
        "bvshl" => with(&|dag, a, b| shift(dag, BinOp::Shl, a, b)),
        "bvlshr" => with(&|dag, a, b| shift(dag, BinOp::LShr, a, b)),
        "bvashr" => with(&|dag, a, b| shift(dag, BinOp::AShr, a, b)),
        "bvnand" => with(&negated(BinOp::And)),
        "bvnor" => with(&negated(BinOp::Or)),
        "bvxnor" => with(&negated(BinOp::Xor)),
        "bvcomp" => with(&|dag, a, b| dag.compare(CmpOp::Eq, a, b)),
        _ => Ok(None),
    }
}

/// Returns the remainder with the divisor's sign.
fn modulo(dag: &mut Dag, a: ExprId, b: ExprId) -> ExprId {
    let zero = dag.constant(dag.width(a), 0);
    let remainder = dag.binary(BinOp::SRem, a, b);
    let (r_negative, b_negative) =
        (dag.compare(CmpOp::Slt, remainder, zero), dag.compare(CmpOp::Slt, b, zero));
    let (differ, some) = (dag.xor(r_negative, b_negative), dag.compare(CmpOp::Ne, remainder, zero));
    let (moved, moves) = (dag.binary(BinOp::Add, remainder, b), dag.and(differ, some));
    dag.ite(moves, moved, remainder)
}

/// Our shifts count modulo the width; these shift everything out.
fn shift(dag: &mut Dag, op: BinOp, a: ExprId, amount: ExprId) -> ExprId {
    let own = dag.width(a);
    let (border, most) = (dag.constant(own, own.into()), dag.constant(own, u128::from(own) - 1));
    let out = match op {
        BinOp::AShr => dag.binary(BinOp::AShr, a, most),
        _ => dag.constant(own, 0),
    };
    let (fits, shifted) = (dag.compare(CmpOp::Ult, amount, border), dag.binary(op, a, amount));
    dag.ite(fits, shifted, out)
}

/// Builds the condition that an operation overflows (SMT-LIB 2.7), with operands wide enough not to.
fn overflow(dag: &mut Dag, call: &Call) -> Result<Option<ExprId>, String> {
    let (op, is_signed) = match call.name {
        "bvnego" => {
            let [a] = call.exactly(call.bits()?)?;
            let lowest = dag.constant(dag.width(a), sign_bit(dag.width(a)));
            return Ok(Some(dag.compare(CmpOp::Eq, a, lowest)));
        }
        "bvsdivo" => {
            let [a, b] = call.exactly(call.alike(dag, call.bits()?)?)?;
            let own = dag.width(a);
            let (lowest, minus_one) = (dag.constant(own, sign_bit(own)), dag.constant(own, ones(own)));
            let (a, b) = (dag.compare(CmpOp::Eq, a, lowest), dag.compare(CmpOp::Eq, b, minus_one));
            return Ok(Some(dag.and(a, b)));
        }
        "bvuaddo" => (BinOp::Add, false),
        "bvsaddo" => (BinOp::Add, true),
        "bvusubo" => (BinOp::Sub, false),
        "bvssubo" => (BinOp::Sub, true),
        "bvumulo" => (BinOp::Mul, false),
        "bvsmulo" => (BinOp::Mul, true),
        _ => return Ok(None),
    };
    let [a, b] = call.exactly(call.alike(dag, call.bits()?)?)?;
    let own = dag.width(a);
    let wide = width(if op == BinOp::Mul { 2 * u64::from(own) } else { u64::from(own) + 1 })?;
    let extend = |dag: &mut Dag, e| if is_signed { dag.sext(e, wide) } else { dag.zext(e, wide) };
    let (a, b) = (extend(dag, a), extend(dag, b));
    let exact = dag.binary(op, a, b);
    let narrow = dag.trunc(exact, own);
    let wrapped = extend(dag, narrow);
    Ok(Some(dag.compare(CmpOp::Ne, exact, wrapped)))
}
