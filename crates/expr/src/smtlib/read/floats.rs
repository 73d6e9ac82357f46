//! Reading of the theory of floating point, as far as x86-64 has it: 32 and 64 bits, rounded to nearest even.
//!
//! Where the standard leaves a result open (the smaller of two zeros, an integer made of a float that is out
//! of its range) the machine's is used.

use super::value::{Applied, Call, Mode, Real, SmtValue, chain};
use crate::dag::Dag;
use crate::node::{CmpOp, Conversion, ExprId, FloatCmp, FloatOp, MAX_WIDTH, Math};
use crate::semantics::{default_nan, infinity, sign_bit};

/// Returns a float's width by the sizes of exponent and significand.
pub(super) fn width(exponent: u32, significand: u32) -> Result<u8, String> {
    match (exponent, significand) {
        (8, 24) => Ok(32),
        (11, 53) => Ok(64),
        _ => {
            Err(format!("Cairn has floats of 32 and 64 bits, not (_ FloatingPoint {exponent} {significand})"))
        }
    }
}

/// Builds SMT-LIB's equality: there is a single NaN, and zeros differ.
pub(super) fn same(dag: &mut Dag, a: ExprId, b: ExprId) -> ExprId {
    let (bits, a, b) = (dag.compare(CmpOp::Eq, a, b), is_nan(dag, a), is_nan(dag, b));
    let neither = dag.and(a, b);
    dag.or(bits, neither)
}

fn is_nan(dag: &mut Dag, a: ExprId) -> ExprId {
    let is_not_nan = dag.float_compare(FloatCmp::Eq, a, a);
    dag.not(is_not_nan)
}

/// `(_ NaN 8 24)` and its kin.
pub(super) fn special<'a>(dag: &mut Dag, name: &str, indices: &[u32]) -> Applied<'a> {
    let value = match name {
        "+oo" => |width| infinity(width),
        "-oo" => |width| sign_bit(width) | infinity(width),
        "+zero" => |_| 0,
        "-zero" => |width| sign_bit(width),
        "NaN" => |width| default_nan(width),
        _ => return Ok(None),
    };
    let &[exponent, significand] = indices else { return Err(format!("`{name}` takes 2 indices")) };
    let width = width(exponent, significand)?;
    Ok(Some(SmtValue::Float(dag.constant(width, value(width)))))
}

pub(super) fn apply<'a>(dag: &mut Dag, call: &Call<'_, 'a>) -> Applied<'a> {
    if let Some(truth) = predicate(dag, call)? {
        return Ok(Some(SmtValue::Bool(truth)));
    }
    let float = match call.name {
        "fp" => assemble(dag, call)?,
        "fp.add" => arithmetic(dag, call, FloatOp::Add)?,
        "fp.sub" => arithmetic(dag, call, FloatOp::Sub)?,
        "fp.mul" => arithmetic(dag, call, FloatOp::Mul)?,
        "fp.div" => arithmetic(dag, call, FloatOp::Div)?,
        "fp.sqrt" => function(dag, call, Math::Sqrt)?,
        "fp.fma" => function(dag, call, Math::Fma)?,
        "fp.roundToIntegral" => rounded(dag, call)?,
        "fp.abs" | "fp.neg" => sign(dag, call)?,
        "fp.min" | "fp.max" => extreme(dag, call)?,
        "to_fp" | "to_fp_unsigned" => convert(dag, call)?,
        "fp.rem" => {
            return Err(
                "`fp.rem` rounds the quotient, which Cairn cannot; it has `cairn.fmod.f64`".to_owned()
            );
        }
        "fp.to_ubv" | "fp.to_sbv" => return integer(dag, call),
        "fp.to_ieee_bv" => {
            let [a] = call.exactly(call.floats()?)?;
            return Ok(Some(SmtValue::Bits(a)));
        }
        "-" | "/" => return real(call).map(|real| Some(SmtValue::Real(real))),
        _ => return Ok(None),
    };
    Ok(Some(SmtValue::Float(float)))
}

fn predicate(dag: &mut Dag, call: &Call) -> Result<Option<ExprId>, String> {
    // Numbered as for `llvm.is.fpclass`, from signalling and quiet through negative infinity to positive
    // infinity.
    let classes = match call.name {
        "fp.isNormal" => 0x108,
        "fp.isSubnormal" => 0x90,
        "fp.isZero" => 0x60,
        "fp.isInfinite" => 0x204,
        "fp.isNegative" => 0x3c,
        "fp.isPositive" => 0x3c0,
        "fp.isNaN" => {
            let [a] = call.exactly(call.floats()?)?;
            return Ok(Some(is_nan(dag, a)));
        }
        _ => return relation(dag, call),
    };
    let [a] = call.exactly(call.floats()?)?;
    Ok(Some(dag.float_class(classes, a)))
}

fn relation(dag: &mut Dag, call: &Call) -> Result<Option<ExprId>, String> {
    // As for [`Dag::float_relation`].
    let mask = match call.name {
        "fp.eq" => 1,
        "fp.gt" => 2,
        "fp.geq" => 3,
        "fp.lt" => 4,
        "fp.leq" => 5,
        _ => return Ok(None),
    };
    let operands = call.alike(dag, call.floats()?)?;
    Ok(Some(chain(dag, &operands, |dag, a, b| dag.float_relation(mask, a, b))))
}

/// Sign, exponent and fraction.
fn assemble(dag: &mut Dag, call: &Call) -> Result<ExprId, String> {
    let parts: [ExprId; 3] = call.exactly(call.bits()?)?;
    let [sign, exponent, fraction] = parts.map(|e| u32::from(dag.width(e)));
    width(exponent, fraction + sign)?;
    if sign != 1 {
        return Err("a float has one bit of sign".to_owned());
    }
    let rest = dag.concat(parts[1], parts[2]);
    Ok(dag.concat(parts[0], rest))
}

/// Returns the operands after the rounding mode.
fn rest<'c, 'a>(call: &Call<'c, 'a>) -> Result<(Mode, Call<'c, 'a>), String> {
    match call.args.split_first() {
        Some((&SmtValue::Mode(mode), args)) => Ok((mode, Call { args, ..*call })),
        _ => Err(format!("`{}` takes a rounding mode first", call.name)),
    }
}

/// Operands of an operation that rounds to nearest even.
fn nearest<'c, 'a>(call: &Call<'c, 'a>) -> Result<Call<'c, 'a>, String> {
    match rest(call)? {
        (Mode::NearestEven, rest) => Ok(rest),
        _ => Err(format!("Cairn knows `{}` only with rounding mode RNE", call.name)),
    }
}

fn arithmetic(dag: &mut Dag, call: &Call, op: FloatOp) -> Result<ExprId, String> {
    let call = nearest(call)?;
    let [a, b] = call.exactly(call.alike(dag, call.floats()?)?)?;
    Ok(dag.float(op, a, b))
}

fn function(dag: &mut Dag, call: &Call, function: Math) -> Result<ExprId, String> {
    let call = nearest(call)?;
    let operands = call.alike(dag, call.floats()?)?;
    match operands.len() == function.operands() {
        true => Ok(dag.math(function, &operands)),
        false => {
            Err(format!("`{}` takes {} operands after its rounding mode", call.name, function.operands()))
        }
    }
}

fn rounding(mode: Mode) -> Math {
    match mode {
        Mode::NearestEven => Math::RoundEven,
        Mode::NearestAway => Math::Round,
        Mode::Up => Math::Ceil,
        Mode::Down => Math::Floor,
        Mode::Zero => Math::Trunc,
    }
}

fn rounded(dag: &mut Dag, call: &Call) -> Result<ExprId, String> {
    let (mode, call) = rest(call)?;
    let [a] = call.exactly(call.floats()?)?;
    Ok(dag.math(rounding(mode), &[a]))
}

fn sign(dag: &mut Dag, call: &Call) -> Result<ExprId, String> {
    let [a] = call.exactly(call.floats()?)?;
    let width = dag.width(a);
    let sign = dag.constant(width, sign_bit(width));
    if call.name == "fp.neg" {
        return Ok(dag.xor(a, sign));
    }
    let magnitude = dag.not(sign);
    Ok(dag.and(a, magnitude))
}

fn extreme(dag: &mut Dag, call: &Call) -> Result<ExprId, String> {
    let [a, b] = call.exactly(call.alike(dag, call.floats()?)?)?;
    Ok(if call.name == "fp.min" { dag.float_min(a, b) } else { dag.float_max(a, b) })
}

fn convert(dag: &mut Dag, call: &Call) -> Result<ExprId, String> {
    let [exponent, significand] = call.indices()?;
    let width = width(exponent, significand)?;
    if let [SmtValue::Bits(bits)] = *call.args
        && call.name == "to_fp"
    {
        return match dag.width(bits) == width {
            true => Ok(bits),
            false => Err(format!("a float of {width} bits is not made of {} bits", dag.width(bits))),
        };
    }
    let (mode, rest) = rest(call)?;
    match *rest.args {
        // Nothing is rounded then.
        [SmtValue::Float(a)] if call.name == "to_fp" && dag.width(a) <= width => {
            Ok(dag.convert(Conversion::FloatToFloat, a, width))
        }
        _ if mode != Mode::NearestEven => {
            Err(format!("Cairn knows `{}` only with rounding mode RNE", call.name))
        }
        [SmtValue::Float(a)] if call.name == "to_fp" => Ok(dag.convert(Conversion::FloatToFloat, a, width)),
        [SmtValue::Bits(a)] if call.name == "to_fp" => Ok(dag.convert(Conversion::SignedToFloat, a, width)),
        [SmtValue::Bits(a)] => Ok(dag.convert(Conversion::UnsignedToFloat, a, width)),
        [SmtValue::Real(real)] if call.name == "to_fp" => {
            Ok(dag.constant(width, nearest_float(real, width)?))
        }
        _ => Err(format!("`{}` makes no float of this", call.name)),
    }
}

/// Returns the float nearest to a real number.
fn nearest_float(real: Real, width: u8) -> Result<u128, String> {
    let exact = |text: &str| text.parse::<f64>().ok().filter(|x| x.fract() == 0.0 && x.abs() < 16_777_216.0);
    let bits = match real.denominator {
        None if width == 32 => real.numerator.parse::<f32>().ok().map(|x| x.to_bits().into()),
        None => real.numerator.parse::<f64>().ok().map(|x| x.to_bits().into()),
        // A quotient is rounded once if what is divided is exact.
        Some(denominator) => match (exact(real.numerator), exact(denominator)) {
            (Some(a), Some(b)) if b != 0.0 && width == 32 => Some((a as f32 / b as f32).to_bits().into()),
            (Some(a), Some(b)) if b != 0.0 => Some((a / b).to_bits().into()),
            _ => return Err("Cairn divides only whole numbers below 2^24 to make a float".to_owned()),
        },
    };
    let bits: u128 = bits.ok_or_else(|| format!("`{}` is no number", real.numerator))?;
    // The real number 0 has no sign.
    Ok(if real.negative && bits != 0 { bits | sign_bit(width) } else { bits })
}

fn integer<'a>(dag: &mut Dag, call: &Call<'_, 'a>) -> Applied<'a> {
    let [to] = call.indices()?;
    let to = u8::try_from(to).ok().filter(|to| (1..=MAX_WIDTH).contains(to));
    let to = to.ok_or_else(|| format!("Cairn has integers of 1 to {MAX_WIDTH} bits"))?;
    let (mode, rest) = rest(call)?;
    let [mut a] = rest.exactly(rest.floats()?)?;
    if mode != Mode::Zero {
        a = dag.math(rounding(mode), &[a]);
    }
    let is_signed = call.name == "fp.to_sbv";
    let how = if is_signed { Conversion::FloatToSigned } else { Conversion::FloatToUnsigned };
    Ok(Some(SmtValue::Bits(dag.convert(how, a, to))))
}

/// Real numbers are written with a sign or as a quotient.
fn real<'a>(call: &Call<'_, 'a>) -> Result<Real<'a>, String> {
    match (call.name, call.args) {
        ("-", &[SmtValue::Real(a)]) => Ok(Real { negative: !a.negative, ..a }),
        ("/", &[SmtValue::Real(a), SmtValue::Real(b)])
            if a.denominator.is_none() && b.denominator.is_none() =>
        {
            Ok(Real {
                negative: a.negative != b.negative,
                numerator: a.numerator,
                denominator: Some(b.numerator),
            })
        }
        _ => Err(format!("Cairn does not compute with real numbers: `{}`", call.name)),
    }
}
