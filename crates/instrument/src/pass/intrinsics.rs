//! Supported intrinsics, and the functions of `<math.h>`, which count as operations too.

use super::semantics::{Composed, Reduction, Semantics, Sign};
use crate::llvm::Value;
use cairn_wire::{Math, Op};

/// Classification of an intrinsic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intrinsic {
    /// `llvm.memcpy`, `llvm.memmove` and variants: destination, source, length.
    Copy,
    /// `llvm.memset`: destination, byte, length.
    Fill,
    /// `llvm.va_start`.
    VaStart,
    /// `llvm.va_copy`: destination, source.
    VaCopy,
    /// An operation on values.
    Operation(Semantics),
    /// Ignored: the result is concrete, whatever the arguments are.
    Quiet,
    /// Unsupported: the result is concrete, and the operands are lost.
    Other,
}

/// Classifies a callee; `None` if it is no intrinsic.
pub fn intrinsic(callee: Value) -> Option<Intrinsic> {
    if !callee.is_function() {
        return None;
    }
    let name = callee.name();
    let Some(name) = name.strip_prefix("llvm.") else {
        return library_function(callee, &name).map(Intrinsic::Operation);
    };
    Some(memory_intrinsic(name).unwrap_or_else(|| match operation(name) {
        Some(semantics) => Intrinsic::Operation(semantics),
        None if is_any(name, QUIET) => Intrinsic::Quiet,
        None => Intrinsic::Other,
    }))
}

/// True for a call of `llvm.abs`.
pub fn is_absolute(instruction: Value) -> bool {
    let is_it = |callee: Value| {
        callee.is_function() && callee.name().strip_prefix("llvm.").is_some_and(|name| has_stem(name, "abs"))
    };
    instruction.is_call() && is_it(instruction.callee())
}

/// True for a call that is too expensive to be repeated on the slow path.
pub fn is_costly(callee: Value) -> bool {
    let is_math = || matches!(intrinsic(callee), Some(Intrinsic::Operation(Semantics::Math(_))));
    callee.is_inline_asm() || is_math() || !callee.name().starts_with("llvm.")
}

/// Ignored intrinsics. The last ones have no result and no effect on the program's values.
const QUIET: &[&str] =
    &["objectsize", "is.constant", "assume", "prefetch", "lifetime", "stackrestore", "var.annotation"];

/// True if an unsupported intrinsic may read memory through its pointer arguments.
pub fn reads_memory(name: &str) -> bool {
    name.strip_prefix("llvm.").is_some_and(|name| is_any(name, &["x86", "masked", "vp"]))
}

fn is_any(name: &str, stems: &[&str]) -> bool {
    stems.iter().any(|stem| has_stem(name, stem))
}

/// True if a name is this stem, optionally followed by type suffixes.
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

fn operation(name: &str) -> Option<Semantics> {
    use Sign::*;
    let composed = Semantics::Composed;
    let known: &[(&str, Semantics)] = &[
        ("expect", Semantics::Identity),
        ("annotation", Semantics::Identity),
        ("ptr.annotation", Semantics::Identity),
        ("launder.invariant.group", Semantics::Identity),
        ("strip.invariant.group", Semantics::Identity),
        ("arithmetic.fence", Semantics::Identity),
        ("bswap", Semantics::Reverse(8)),
        ("bitreverse", Semantics::Reverse(1)),
        ("ctpop", Semantics::Convert(Op::PopCount)),
        ("ctlz", Semantics::Convert(Op::LeadingZeros)),
        ("cttz", Semantics::Convert(Op::TrailingZeros)),
        ("ptrmask", Semantics::Binary(Op::And)),
        ("is.fpclass", Semantics::Class),
        ("abs", composed(Composed::Absolute)),
        ("smax", composed(Composed::MinMax(Op::Sgt))),
        ("smin", composed(Composed::MinMax(Op::Slt))),
        ("umax", composed(Composed::MinMax(Op::Ugt))),
        ("umin", composed(Composed::MinMax(Op::Ult))),
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
        ("minnum", Semantics::Math(Math::Min)),
        ("maxnum", Semantics::Math(Math::Max)),
        ("x86.sse2.pmovmskb", Semantics::SignMask),
        ("x86.sse2.movmsk", Semantics::SignMask),
        ("x86.sse.movmsk", Semantics::SignMask),
    ];
    if let Some(fold) = name.strip_prefix("vector.reduce.") {
        return reduction(fold).map(Semantics::Reduce);
    }
    let stem = |name: &str| name.split('.').next().and_then(mathematical);
    known
        .iter()
        .find(|(stem, _)| has_stem(name, stem))
        .map(|(_, semantics)| *semantics)
        .or_else(|| stem(name))
}

fn reduction(name: &str) -> Option<Reduction> {
    Some(match name.split('.').next()? {
        "add" => Reduction::Binary(Op::Add),
        "mul" => Reduction::Binary(Op::Mul),
        "and" => Reduction::Binary(Op::And),
        "or" => Reduction::Binary(Op::Or),
        "xor" => Reduction::Binary(Op::Xor),
        "fadd" => Reduction::Binary(Op::FAdd),
        "fmul" => Reduction::Binary(Op::FMul),
        "smax" => Reduction::MinMax(Op::Sgt),
        "smin" => Reduction::MinMax(Op::Slt),
        "umax" => Reduction::MinMax(Op::Ugt),
        "umin" => Reduction::MinMax(Op::Ult),
        "fmax" => Reduction::Math(Math::Max),
        "fmin" => Reduction::Math(Math::Min),
        _ => return None,
    })
}

/// Returns the semantics of a function of `<math.h>`, if the callee has its name and its signature.
fn library_function(callee: Value, name: &str) -> Option<Semantics> {
    if !callee.is_declaration() {
        return None;
    }
    let single = name.strip_suffix('f').and_then(mathematical).map(|semantics| (semantics, "float"));
    let (semantics, float) = single.or_else(|| Some((mathematical(name)?, "double")))?;
    let result =
        if matches!(semantics, Semantics::Composed(Composed::RoundToInteger(_))) { "i64" } else { float };
    let signature = format!("{result} ({})", vec![float; operand_count(semantics)].join(", "));
    (callee.function_type().text() == signature).then_some(semantics)
}

fn operand_count(semantics: Semantics) -> usize {
    match semantics {
        Semantics::Math(function) => function.operands(),
        Semantics::Binary(_) | Semantics::Composed(Composed::CopySign) => 2,
        _ => 1,
    }
}

/// Returns the semantics of the mathematical function of this name; intrinsics have the same names.
fn mathematical(name: &str) -> Option<Semantics> {
    Some(match name {
        "fabs" => Semantics::Composed(Composed::FloatAbsolute),
        "copysign" => Semantics::Composed(Composed::CopySign),
        "fmod" => Semantics::Binary(Op::FRem),
        "lround" | "llround" => Semantics::Composed(Composed::RoundToInteger(Math::Round)),
        "lrint" | "llrint" => Semantics::Composed(Composed::RoundToInteger(Math::RoundEven)),
        _ => Semantics::Math(math_function(name)?),
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
