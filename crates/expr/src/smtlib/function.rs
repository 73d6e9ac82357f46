//! Functions with names of our own, for operations that SMT-LIB does not have.

use super::floats::{self, sizes};
use crate::dag::Dag;
use crate::node::{BinOp, BitCount, Conversion, ExprId, FloatOp, Math, Node};
use std::fmt::{self, Display, Write};

/// A function on values of these widths; shown by its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum SmtFunction {
    /// Result of `__fixdfti` and similar functions out of range; used by the definition of `Integer`.
    Beyond(Conversion, u8, u8),
    /// A shift by the amount modulo the width.
    Shift(BinOp, u8),
    BitCount(BitCount, u8),
    /// A float of the first width made an integer of the second.
    Integer(Conversion, u8, u8),
    Math(Math, u8),
    /// `fmod`.
    Remainder(u8),
}

const SHIFTS: [(BinOp, &str); 3] = [(BinOp::Shl, "shl"), (BinOp::LShr, "lshr"), (BinOp::AShr, "ashr")];
const COUNTS: [(BitCount, &str); 3] =
    [(BitCount::Ones, "popcount"), (BitCount::LeadingZeros, "clz"), (BitCount::TrailingZeros, "ctz")];
const INTEGERS: [(Conversion, &str, &str); 2] = [
    (Conversion::FloatToSigned, "to_sbv", "to_sbv_beyond"),
    (Conversion::FloatToUnsigned, "to_ubv", "to_ubv_beyond"),
];

/// Returns the functions a node needs; one that a definition needs comes before it.
pub(super) fn used(dag: &Dag, e: ExprId) -> impl Iterator<Item = SmtFunction> {
    let function = SmtFunction::of(dag, e);
    let needed = match function {
        Some(SmtFunction::Integer(how, from, to)) if to > 64 => Some(SmtFunction::Beyond(how, from, to)),
        _ => None,
    };
    needed.into_iter().chain(function)
}

impl SmtFunction {
    /// Returns the function a node applies to its children, if SMT-LIB does not have it.
    pub(super) fn of(dag: &Dag, e: ExprId) -> Option<SmtFunction> {
        let width = dag.width(e);
        Some(match dag.node(e) {
            Node::Binary(op @ (BinOp::Shl | BinOp::LShr | BinOp::AShr), ..) => SmtFunction::Shift(op, width),
            Node::BitCount(what, _) => SmtFunction::BitCount(what, width),
            Node::Float(FloatOp::Rem, ..) => SmtFunction::Remainder(width),
            Node::Math(function) if !floats::is_known(function) => SmtFunction::Math(function, width),
            Node::Convert(how @ (Conversion::FloatToSigned | Conversion::FloatToUnsigned), a) => {
                SmtFunction::Integer(how, dag.width(a), width)
            }
            _ => return None,
        })
    }

    /// Returns the function with this name.
    pub(super) fn named(name: &str) -> Option<SmtFunction> {
        let mut parts = name.strip_prefix("cairn.")?.split('.');
        let (word, first, second) = (parts.next()?, parts.next()?, parts.next());
        let width = |text: &str| text.parse::<u8>().ok().filter(|w| (1..=128).contains(w));
        let float = || first.strip_prefix('f').and_then(width).filter(|w| [32, 64].contains(w));
        let found = if let Some(to) = second {
            let (how, _, beyond) = INTEGERS.into_iter().find(|(_, a, b)| word == *a || word == *b)?;
            let make = if word == beyond { SmtFunction::Beyond } else { SmtFunction::Integer };
            make(how, float()?, width(to)?)
        } else if let Some((op, _)) = SHIFTS.into_iter().find(|(_, name)| word == *name) {
            SmtFunction::Shift(op, width(first)?)
        } else if let Some((what, _)) = COUNTS.into_iter().find(|(_, name)| word == *name) {
            SmtFunction::BitCount(what, width(first)?)
        } else if word == "fmod" {
            SmtFunction::Remainder(float()?)
        } else {
            let function = Math::ALL.into_iter().find(|function| math_name(*function) == word)?;
            SmtFunction::Math(function, float()?)
        };
        // Other spellings, with a zero in front or one part more, are other names.
        (found.to_string() == name).then_some(found)
    }

    /// True if the script defines it; else it is uninterpreted.
    pub(super) fn is_defined(self) -> bool {
        matches!(self, SmtFunction::Shift(..) | SmtFunction::BitCount(..) | SmtFunction::Integer(..))
    }

    /// True if operands are floating-point numbers; else they are bits.
    pub(super) fn takes_numbers(self) -> bool {
        matches!(self, SmtFunction::Integer(..))
    }

    /// Returns the number of operands.
    pub(super) fn operands(self) -> usize {
        match self {
            SmtFunction::Shift(..) | SmtFunction::Remainder(_) => 2,
            SmtFunction::Math(function, _) => function.operands(),
            _ => 1,
        }
    }

    /// Width of operands.
    pub(super) fn width(self) -> u8 {
        match self {
            SmtFunction::Beyond(_, width, _) | SmtFunction::Integer(_, width, _) => width,
            SmtFunction::Shift(_, width) | SmtFunction::BitCount(_, width) => width,
            SmtFunction::Math(_, width) | SmtFunction::Remainder(width) => width,
        }
    }

    fn result_width(self) -> u8 {
        match self {
            SmtFunction::Beyond(_, _, width) | SmtFunction::Integer(_, _, width) => width,
            _ => self.width(),
        }
    }

    /// Returns the command that defines or declares it.
    pub(super) fn command(self) -> String {
        let mut text = String::new();
        self.write_command(&mut text).expect("a string takes all that is written to it");
        text
    }

    fn write_command(self, out: &mut String) -> fmt::Result {
        let operand = match self.takes_numbers() {
            true => format!("(_ FloatingPoint {})", sizes(self.width())),
            false => format!("(_ BitVec {})", self.width()),
        };
        let result = format!("(_ BitVec {})", self.result_width());
        if !self.is_defined() {
            let operands = vec![operand; self.operands()].join(" ");
            return writeln!(out, "(declare-fun {self} ({operands}) {result})");
        }
        let names = ["x", "y"].into_iter().take(self.operands());
        let operands: Vec<String> = names.map(|name| format!("({name} {operand})")).collect();
        write!(out, "(define-fun {self} ({}) {result} ", operands.join(" "))?;
        match self {
            SmtFunction::Shift(op, width) => {
                // The amount counts modulo the width, which every width can hold.
                write!(out, "({} x (bvurem y (_ bv{width} {width})))", super::binary_name(op))?;
            }
            SmtFunction::BitCount(what, width) => count(out, what, width)?,
            _ => self.integer(out)?,
        }
        out.write_str(")\n")
    }

    /// Defines a conversion to an integer: values outside of the machine register's range become the lowest
    /// integer; see `semantics`.
    fn integer(self, out: &mut String) -> fmt::Result {
        let SmtFunction::Integer(how, from, width) = self else { return Ok(()) };
        let is_signed = how == Conversion::FloatToSigned;
        let register = match (width, is_signed) {
            (..=16, _) | (..=32, true) => 32,
            (..=64, _) => 64,
            _ => return wide_integer(out, how, from, width),
        };
        let (border, next) = (Power(from, register - 1), Power(from, register));
        let lowest = format!("(_ bv{} {register})", 1u128 << (register - 1));
        write!(out, "((_ extract {} 0) (ite (fp.lt (fp.abs x) {border}) ", width - 1)?;
        write!(out, "((_ fp.to_sbv {register}) RTZ x) ")?;
        if is_signed || width <= 32 {
            return write!(out, "{lowest}))");
        }
        write!(out, "(ite (and (fp.geq x {border}) (fp.lt x {next})) ")?;
        write!(out, "((_ fp.to_ubv {register}) RTZ x) {lowest})))")
    }
}

/// Defines a conversion to two registers: out of range, where compiler runtimes differ, it is left open.
fn wide_integer(out: &mut String, how: Conversion, from: u8, width: u8) -> fmt::Result {
    let (sign, negative) = match how {
        Conversion::FloatToSigned => ("s", ""),
        _ => ("u", " (not (fp.isNegative x))"),
    };
    write!(out, "(ite (and (fp.lt (fp.abs x) {}){negative}) ", Power(from, 127))?;
    write!(out, "((_ extract {} 0) ((_ fp.to_{sign}bv 128) RTZ x)) ", width - 1)?;
    write!(out, "({} x))", SmtFunction::Beyond(how, from, width))
}

fn count(out: &mut String, what: BitCount, width: u8) -> fmt::Result {
    match what {
        BitCount::Ones => {
            // A sum of one is none.
            out.write_str(if width > 1 { "(bvadd" } else { "" })?;
            for bit in 0..width {
                write!(out, " ((_ zero_extend {}) ((_ extract {bit} {bit}) x))", width - 1)?;
            }
            return out.write_str(if width > 1 { ")" } else { "" });
        }
        BitCount::LeadingZeros => first(out, (0..width).rev(), width)?,
        BitCount::TrailingZeros => first(out, 0..width, width)?,
    }
    write!(out, "(_ bv{width} {width}){}", ")".repeat(width.into()))
}

/// Writes the number of bits before the first that is set; the case that none is follows.
fn first(out: &mut String, bits: impl Iterator<Item = u8>, width: u8) -> fmt::Result {
    for (distance, bit) in bits.enumerate() {
        write!(out, "(ite (= ((_ extract {bit} {bit}) x) #b1) (_ bv{distance} {width}) ")?;
    }
    Ok(())
}

fn math_name(function: Math) -> String {
    format!("{function:?}").to_lowercase()
}

impl Display for SmtFunction {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let named =
            |how| INTEGERS.iter().find(|(h, ..)| *h == how).expect("floats become two kinds of integers");
        match *self {
            SmtFunction::Beyond(how, from, to) => write!(f, "cairn.{}.f{from}.{to}", named(how).2),
            SmtFunction::Integer(how, from, to) => write!(f, "cairn.{}.f{from}.{to}", named(how).1),
            SmtFunction::Shift(op, width) => {
                let name = SHIFTS.iter().find(|(o, _)| *o == op).expect("there are three shifts").1;
                write!(f, "cairn.{name}.{width}")
            }
            SmtFunction::BitCount(what, width) => {
                let name = COUNTS.iter().find(|(w, _)| *w == what).expect("all counts have names").1;
                write!(f, "cairn.{name}.{width}")
            }
            SmtFunction::Math(function, width) => write!(f, "cairn.{}.f{width}", math_name(function)),
            SmtFunction::Remainder(width) => write!(f, "cairn.fmod.f{width}"),
        }
    }
}

/// A power of two as a float of this width.
struct Power(u8, i32);

impl Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let value = 2f64.powi(self.1);
        let bits = if self.0 == 32 { (value as f32).to_bits().into() } else { value.to_bits() };
        write!(f, "((_ to_fp {}) (_ bv{bits} {}))", sizes(self.0), self.0)
    }
}
