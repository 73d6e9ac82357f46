//! The `check-sat` commands of a script.

use super::super::{Status, floats::sizes};
use super::value::Sort;
use crate::inputs::InputByte;
use crate::node::ExprId;
use crate::semantics::{infinity, is_nan};

/// An expression and the sort that it has in a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Typed {
    pub(super) sort: Sort,
    /// The expression: of width 1 for a truth value, the bits of a float.
    pub expression: ExprId,
}

impl Typed {
    /// Returns the sort, as SMT-LIB writes it.
    pub fn sort(&self) -> String {
        match self.sort {
            Sort::Bool => "Bool".to_owned(),
            Sort::Bits(width) => format!("(_ BitVec {width})"),
            Sort::Float(width) => format!("(_ FloatingPoint {})", sizes(width)),
            Sort::Mode => "RoundingMode".to_owned(),
        }
    }

    /// Returns a value of the expression, as SMT-LIB writes it.
    pub fn show(&self, value: u128) -> String {
        match self.sort {
            Sort::Bool => (value == 1).to_string(),
            Sort::Bits(width) if width.is_multiple_of(4) => {
                format!("#x{value:0w$x}", w = usize::from(width / 4))
            }
            Sort::Bits(width) => format!("#b{value:0w$b}", w = usize::from(width)),
            Sort::Float(width) if is_nan(width, value) => format!("(_ NaN {})", sizes(width)),
            Sort::Float(width) => {
                let fraction = infinity(width).trailing_zeros();
                let (sign, exponent) = (
                    value >> (width - 1),
                    value >> fraction & ((1 << (u32::from(width) - 1 - fraction)) - 1),
                );
                let (e, m) = (usize::from(width) - 1 - fraction as usize, fraction as usize);
                format!("(fp #b{sign} #b{exponent:0e$b} #b{:0m$b})", value & ((1 << fraction) - 1))
            }
            Sort::Mode => String::new(),
        }
    }
}

/// A declared symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name, as the script writes it.
    pub name: String,
    /// Its expression.
    pub value: Typed,
}

/// A `check-sat` of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// The assertions, in the script's order; each has width 1.
    pub assertions: Vec<ExprId>,
    /// The symbols declared at that point.
    pub symbols: Vec<Symbol>,
    /// The answer that the script expects.
    pub status: Option<Status>,
    /// The input to start from; other bytes are 0.
    pub seed: Vec<(InputByte, u8)>,
    /// Terms that `get-value` asks for, as they are written.
    pub values: Vec<(String, Typed)>,
}
