//! Printing of floating point.
//!
//! Besides its bits, the variable `e12`, the result of an operation has its number `n12`: SMT-LIB has a
//! single NaN, and only the bits distinguish several.

use super::NodeRef;
use crate::dag::Dag;
use crate::node::{Conversion, ExprId, FloatCmp, FloatOp, Math, Node};
use crate::semantics::{default_nan, quiet_bit};
use std::fmt::{self, Display, Write};

/// True if a node needs the theory of floating point.
pub(super) fn is_about_floats(dag: &Dag, e: ExprId) -> bool {
    matches!(dag.node(e), Node::Float(..) | Node::FloatCompare(..) | Node::Convert(..) | Node::Math(_))
}

/// True if a node is the result of a floating-point operation.
pub(super) fn has_number(dag: &Dag, e: ExprId) -> bool {
    match dag.node(e) {
        Node::Float(op, ..) => op != FloatOp::Rem,
        Node::Math(function) => is_known(function),
        Node::Convert(how, _) => !matches!(how, Conversion::FloatToSigned | Conversion::FloatToUnsigned),
        _ => false,
    }
}

/// True if SMT-LIB has the function.
pub(super) fn is_known(function: Math) -> bool {
    rounding(function).is_some() || matches!(function, Math::Sqrt | Math::Fma)
}

fn rounding(function: Math) -> Option<&'static str> {
    Some(match function {
        Math::Floor => "RTN",
        Math::Ceil => "RTP",
        Math::Trunc => "RTZ",
        Math::Round => "RNA",
        Math::RoundEven => "RNE",
        _ => return None,
    })
}

/// Prefix of the names of assertions that equate a float's bits with its number.
pub(super) const BITS: &str = "cairn.bits.";

/// Returns the sizes of exponent and significand.
pub(super) fn sizes(width: u8) -> &'static str {
    if width == 32 { "8 24" } else { "11 53" }
}

/// A float's number.
pub(super) struct Number<'a>(pub &'a Dag, pub ExprId);

impl Display for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Number(dag, e) = *self;
        if has_number(dag, e) {
            return write!(f, "n{}", e.index());
        }
        write!(f, "((_ to_fp {}) {})", sizes(dag.width(e)), NodeRef(dag, e))
    }
}

/// Defines number and bits of a result.
pub(super) fn define(out: &mut String, dag: &Dag, e: ExprId) -> fmt::Result {
    let (width, term, number) = (dag.width(e), NodeRef(dag, e), Number(dag, e));
    let sizes = sizes(width);
    write!(out, "(define-fun {number} () (_ FloatingPoint {sizes}) ")?;
    body(out, dag, e)?;
    writeln!(out, ")\n(declare-const {term} (_ BitVec {width}))")?;
    write!(out, "(assert (! (and (= ((_ to_fp {sizes}) {term}) {number}) ")?;
    write!(out, "(=> (fp.isNaN {number}) (= {term} ")?;
    write_nan_bits(out, dag, e)?;
    writeln!(out, "))) :named {BITS}{}))", e.index())
}

fn body(out: &mut String, dag: &Dag, e: ExprId) -> fmt::Result {
    match dag.node(e) {
        Node::Convert(Conversion::SignedToFloat, a) => {
            write!(out, "((_ to_fp {}) RNE {})", sizes(dag.width(e)), NodeRef(dag, a))
        }
        Node::Convert(Conversion::UnsignedToFloat, a) => {
            write!(out, "((_ to_fp_unsigned {}) RNE {})", sizes(dag.width(e)), NodeRef(dag, a))
        }
        node => {
            let name = match node {
                Node::Float(FloatOp::Add, ..) => "fp.add RNE".to_owned(),
                Node::Float(FloatOp::Sub, ..) => "fp.sub RNE".to_owned(),
                Node::Float(FloatOp::Mul, ..) => "fp.mul RNE".to_owned(),
                Node::Float(FloatOp::Div, ..) => "fp.div RNE".to_owned(),
                Node::Math(Math::Sqrt) => "fp.sqrt RNE".to_owned(),
                Node::Math(Math::Fma) => "fp.fma RNE".to_owned(),
                Node::Math(function) => {
                    format!("fp.roundToIntegral {}", rounding(function).unwrap_or_default())
                }
                _ => format!("(_ to_fp {}) RNE", sizes(dag.width(e))),
            };
            write!(out, "({name}")?;
            dag.children(e).try_for_each(|operand| write!(out, " {}", Number(dag, operand)))?;
            out.write_str(")")
        }
    }
}

/// Writes the bits of a NaN result.
fn write_nan_bits(out: &mut String, dag: &Dag, e: ExprId) -> fmt::Result {
    let width = dag.width(e);
    match dag.node(e) {
        Node::Convert(Conversion::FloatToFloat, a) if width == 32 => {
            let a = NodeRef(dag, a);
            write!(out, "(concat ((_ extract 63 63) {a}) #b111111111 ((_ extract 50 29) {a}))")
        }
        Node::Convert(Conversion::FloatToFloat, a) => {
            let a = NodeRef(dag, a);
            write!(out, "(concat ((_ extract 31 31) {a}) #xfff ((_ extract 21 0) {a}) (_ bv0 29))")
        }
        Node::Convert(..) => write!(out, "(_ bv{} {width})", default_nan(width)),
        _ => {
            let quiet = quiet_bit(width);
            for a in dag.children(e) {
                let (number, term) = (Number(dag, a), NodeRef(dag, a));
                write!(out, "(ite (fp.isNaN {number}) (bvor {term} (_ bv{quiet} {width})) ")?;
            }
            write!(out, "(_ bv{} {width}){}", default_nan(width), ")".repeat(dag.children(e).count()))
        }
    }
}

pub(super) fn compare(out: &mut String, dag: &Dag, op: FloatCmp, a: ExprId, b: ExprId) -> fmt::Result {
    let name = match op {
        FloatCmp::Eq => "fp.eq",
        FloatCmp::Lt => "fp.lt",
        FloatCmp::Le => "fp.leq",
    };
    write!(out, "(ite ({name} {} {}) #b1 #b0)", Number(dag, a), Number(dag, b))
}
