//! The intrinsics the pass knows, and the functions of the mathematical library, which are operations too.

use super::op_semantics::{Composed, Fold, Meaning, Sign};
use crate::llvm::Value;
use cairn_wire::{Math, Op};

/// What an intrinsic means to the pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intrinsic {
    /// `llvm.memcpy`, `llvm.memmove` and their kin: target, source, length.
    Copy,
    /// `llvm.memset`: target, byte, length.
    Fill,
    /// `llvm.va_start`.
    VaStart,
    /// `llvm.va_copy`: target, source.
    VaCopy,
    /// An operation on values.
    Operation(Meaning),
    /// The result is concrete, whatever the arguments are.
    Quiet,
    /// Anything else: the result is concrete, and what it was made of is lost.
    Other,
}

/// The intrinsic a callee is, if it is one.
pub fn intrinsic(callee: Value) -> Option<Intrinsic> {
    if !callee.is_function() {
        return None;
    }
    let name = callee.name();
    let Some(name) = name.strip_prefix("llvm.") else {
        return library_function(callee, &name).map(Intrinsic::Operation);
    };
    Some(memory_intrinsic(name).unwrap_or_else(|| match operation(name) {
        Some(meaning) => Intrinsic::Operation(meaning),
        None if is_any(name, QUIET) => Intrinsic::Quiet,
        None => Intrinsic::Other,
    }))
}

/// Whether an instruction is a call of `llvm.abs`.
pub fn is_absolute(instruction: Value) -> bool {
    let is_it = |callee: Value| {
        callee.is_function() && callee.name().strip_prefix("llvm.").is_some_and(|name| has_stem(name, "abs"))
    };
    instruction.is_call() && is_it(instruction.callee())
}

/// Whether a call is one of code that is better not run twice.
pub fn is_costly(callee: Value) -> bool {
    let is_math = || matches!(intrinsic(callee), Some(Intrinsic::Operation(Meaning::Math(_))));
    callee.is_inline_asm() || is_math() || !callee.name().starts_with("llvm.")
}

/// The last ones have no result; what they are given says nothing to the program.
const QUIET: &[&str] =
    &["objectsize", "is.constant", "assume", "prefetch", "lifetime", "stackrestore", "var.annotation"];

/// Whether an unknown intrinsic reads memory through the pointers that it is given.
pub fn reads_memory(name: &str) -> bool {
    name.strip_prefix("llvm.").is_some_and(|name| is_any(name, &["x86", "masked", "vp"]))
}

fn is_any(name: &str, stems: &[&str]) -> bool {
    stems.iter().any(|stem| has_stem(name, stem))
}

/// Whether a name is this stem, perhaps with types behind it.
fn has_stem(name: &str, stem: &str) -> bool {
    name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn memory_intrinsic(name: &str) -> Option<Intrinsic> {
    Some(match name {
        _ if is_any(name, &["memcpy", "memmove"]) => Intrinsic::Copy,
        _ if has_stem(name, "memset") => Intrinsic::Fill,
        _ if has_stem(name, "va_start") => Intrinsic::VaStart,
        _ if has_stem(name, "va_copy") => Intrinsic::VaCopy,
        _ => return None,
    })
}

fn operation(name: &str) -> Option<Meaning> {
    use Sign::*;
    let composed = Meaning::Composed;
    let known: &[(&str, Meaning)] = &[
        ("expect", Meaning::Same),
        ("annotation", Meaning::Same),
        ("ptr.annotation", Meaning::Same),
        ("launder.invariant.group", Meaning::Same),
        ("strip.invariant.group", Meaning::Same),
        ("arithmetic.fence", Meaning::Same),
        ("bswap", Meaning::Reverse(8)),
        ("bitreverse", Meaning::Reverse(1)),
        ("ctpop", Meaning::Convert(Op::PopCount)),
        ("ctlz", Meaning::Convert(Op::LeadingZeros)),
        ("cttz", Meaning::Convert(Op::TrailingZeros)),
        ("ptrmask", Meaning::Binary(Op::And)),
        ("is.fpclass", Meaning::Class),
        ("abs", composed(Composed::Absolute)),
        ("smax", composed(Composed::Extreme(Op::Sgt))),
        ("smin", composed(Composed::Extreme(Op::Slt))),
        ("umax", composed(Composed::Extreme(Op::Ugt))),
        ("umin", composed(Composed::Extreme(Op::Ult))),
        ("scmp", composed(Composed::ThreeWay(Op::Slt))),
        ("ucmp", composed(Composed::ThreeWay(Op::Ult))),
        ("sadd.with.overflow", composed(Composed::Overflow(Op::Add, Signed))),
        ("uadd.with.overflow", composed(Composed::Overflow(Op::Add, Unsigned))),
        ("ssub.with.overflow", composed(Composed::Overflow(Op::Sub, Signed))),
        ("usub.with.overflow", composed(Composed::Overflow(Op::Sub, Unsigned))),
        ("smul.with.overflow", composed(Composed::Overflow(Op::Mul, Signed))),
        ("umul.with.overflow", composed(Composed::Overflow(Op::Mul, Unsigned))),
        ("sadd.sat", composed(Composed::Saturating(Op::Add, Signed))),
        ("uadd.sat", composed(Composed::Saturating(Op::Add, Unsigned))),
        ("ssub.sat", composed(Composed::Saturating(Op::Sub, Signed))),
        ("usub.sat", composed(Composed::Saturating(Op::Sub, Unsigned))),
        ("sshl.sat", composed(Composed::Saturating(Op::Shl, Signed))),
        ("ushl.sat", composed(Composed::Saturating(Op::Shl, Unsigned))),
        ("fshl", composed(Composed::FunnelLeft)),
        ("fshr", composed(Composed::FunnelRight)),
        ("fmuladd", composed(Composed::MultiplyAdd)),
        ("minnum", Meaning::Math(Math::Min)),
        ("maxnum", Meaning::Math(Math::Max)),
        ("x86.sse2.pmovmskb", Meaning::Signs),
        ("x86.sse2.movmsk", Meaning::Signs),
        ("x86.sse.movmsk", Meaning::Signs),
    ];
    if let Some(fold) = name.strip_prefix("vector.reduce.") {
        return reduction(fold).map(Meaning::Reduce);
    }
    let stem = |name: &str| name.split('.').next().and_then(mathematical);
    known.iter().find(|(stem, _)| has_stem(name, stem)).map(|(_, meaning)| *meaning).or_else(|| stem(name))
}

fn reduction(name: &str) -> Option<Fold> {
    Some(match name.split('.').next()? {
        "add" => Fold::Binary(Op::Add),
        "mul" => Fold::Binary(Op::Mul),
        "and" => Fold::Binary(Op::And),
        "or" => Fold::Binary(Op::Or),
        "xor" => Fold::Binary(Op::Xor),
        "fadd" => Fold::Binary(Op::FAdd),
        "fmul" => Fold::Binary(Op::FMul),
        "smax" => Fold::Extreme(Op::Sgt),
        "smin" => Fold::Extreme(Op::Slt),
        "umax" => Fold::Extreme(Op::Ugt),
        "umin" => Fold::Extreme(Op::Ult),
        "fmax" => Fold::Math(Math::Max),
        "fmin" => Fold::Math(Math::Min),
        _ => return None,
    })
}

/// What a function of `<math.h>` computes, where the library has it under this name and with these types.
fn library_function(callee: Value, name: &str) -> Option<Meaning> {
    if !callee.is_declaration() {
        return None;
    }
    let single = name.strip_suffix('f').and_then(mathematical).map(|meaning| (meaning, "float"));
    let (meaning, float) = single.or_else(|| Some((mathematical(name)?, "double")))?;
    let result =
        if matches!(meaning, Meaning::Composed(Composed::RoundToInteger(_))) { "i64" } else { float };
    let signature = format!("{result} ({})", vec![float; operand_count(meaning)].join(", "));
    (callee.function_type().text() == signature).then_some(meaning)
}

fn operand_count(meaning: Meaning) -> usize {
    match meaning {
        Meaning::Math(function) => function.operands(),
        Meaning::Binary(_) | Meaning::Composed(Composed::CopySign) => 2,
        _ => 1,
    }
}

/// What a function of this name computes; intrinsics have the same names.
fn mathematical(name: &str) -> Option<Meaning> {
    Some(match name {
        "fabs" => Meaning::Composed(Composed::Magnitude),
        "copysign" => Meaning::Composed(Composed::CopySign),
        "fmod" => Meaning::Binary(Op::FRem),
        "lround" | "llround" => Meaning::Composed(Composed::RoundToInteger(Math::Round)),
        "lrint" | "llrint" => Meaning::Composed(Composed::RoundToInteger(Math::RoundEven)),
        _ => Meaning::Math(math_function(name)?),
    })
}

fn math_function(name: &str) -> Option<Math> {
    Some(match name {
        "sin" => Math::Sin,
        "cos" => Math::Cos,
        "tan" => Math::Tan,
        "asin" => Math::Asin,
        "acos" => Math::Acos,
        "atan" => Math::Atan,
        "sinh" => Math::Sinh,
        "cosh" => Math::Cosh,
        "tanh" => Math::Tanh,
        "exp" => Math::Exp,
        "exp2" => Math::Exp2,
        "expm1" => Math::Expm1,
        "log" => Math::Log,
        "log2" => Math::Log2,
        "log10" => Math::Log10,
        "log1p" => Math::Log1p,
        "sqrt" => Math::Sqrt,
        "floor" => Math::Floor,
        "ceil" => Math::Ceil,
        "trunc" => Math::Trunc,
        "round" => Math::Round,
        "rint" | "nearbyint" | "roundeven" => Math::RoundEven,
        "pow" => Math::Pow,
        "atan2" => Math::Atan2,
        "hypot" => Math::Hypot,
        "fmin" => Math::Min,
        "fmax" => Math::Max,
        "fma" => Math::Fma,
        "cbrt" => Math::Cbrt,
        _ => return None,
    })
}
