//! Floating point as Z3 terms.
//!
//! A float is two terms: an SMT-LIB floating-point number, which has one NaN, for operations on floats, and
//! its IEEE 754 bits for everything else. Functions that SMT-LIB lacks are uninterpreted: unsat is then still
//! right, and a model is subject to validation.

use super::term_table::{TermTable, Z3Term};
use ::z3::ast::{Ast, BV, Bool, Float, RoundingMode};
use ::z3::{FuncDecl, Solver, Sort};
use cairn_expr::{BinOp, Conversion, Dag, ExprId, FloatCmp, FloatOp, Math, Node};
use rustc_hash::FxHashMap;

/// Conversions from bit-vectors that the Rust interface to Z3 lacks.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum FromBits {
    /// Reinterprets IEEE 754 bits.
    Ieee,
    Signed,
    Unsigned,
}

/// Floating-point numbers by expression.
#[derive(Default)]
pub(super) struct Floats {
    numbers: FxHashMap<ExprId, Float>,
    /// By conversion and widths: a variable, and the term that converts it.
    templates: FxHashMap<(FromBits, u32, u32), (BV, Float)>,
}

impl Floats {
    /// Converts bits to a number: instantiates a template term, which is parsed from SMT-LIB text once.
    fn convert(&mut self, how: FromBits, bits: &BV, width: u32) -> Float {
        let own = bits.get_size();
        let (variable, template) =
            self.templates.entry((how, own, width)).or_insert_with(|| template(how, own, width));
        template.substitute(&[(&*variable, bits)])
    }
}

/// Parses the conversion of a variable.
fn template(how: FromBits, own: u32, width: u32) -> (BV, Float) {
    let sort = if width == 32 { "8 24" } else { "11 53" };
    let number = match how {
        FromBits::Ieee => format!("((_ to_fp {sort}) x)"),
        FromBits::Signed => format!("((_ to_fp {sort}) RNE x)"),
        FromBits::Unsigned => format!("((_ to_fp_unsigned {sort}) RNE x)"),
    };
    let solver = Solver::new();
    solver.from_string(format!("(declare-const x (_ BitVec {own}))(assert (fp.isNaN {number}))"));
    let assertion = solver.get_assertions().pop().expect("the text was read");
    let number = assertion.nth_child(0).and_then(|term| term.as_float());
    (BV::new_const("x", own), number.expect("the assertion is on a number"))
}

impl Floats {
    /// Returns the floating-point number of an expression.
    fn number(&mut self, table: &TermTable, dag: &Dag, e: ExprId) -> Float {
        if let Some(number) = self.numbers.get(&e) {
            return number.clone();
        }
        let number = match (dag.as_constant(e), dag.width(e)) {
            (Some(value), 32) => Float::from_f32(f32::from_bits(value as u32)),
            (Some(value), _) => Float::from_f64(f64::from_bits(value as u64)),
            (None, width) => self.convert(FromBits::Ieee, &table.bits(e), width.into()),
        };
        self.numbers.insert(e, number.clone());
        number
    }

    /// Records the number of an if-then-else between floats, or of a float with its sign bit changed:
    /// reconverted from the bits it would be harder for Z3.
    pub(super) fn add_view(&mut self, table: &TermTable, dag: &Dag, e: ExprId) {
        let known = |e| self.numbers.contains_key(&e);
        let number = match dag.node(e) {
            Node::Ite(c, t, e) if known(t) || known(e) => {
                table.truth(c).ite(&self.number(table, dag, t), &self.number(table, dag, e))
            }
            Node::Binary(op, a, c) if known(a) => {
                let sign = 1 << (dag.width(e) - 1);
                match (op, dag.as_constant(c)) {
                    (BinOp::Xor, Some(c)) if c == sign => self.number(table, dag, a).unary_neg(),
                    (BinOp::And, Some(c)) if c == sign - 1 => self.number(table, dag, a).unary_abs(),
                    _ => return,
                }
            }
            _ => return,
        };
        self.numbers.insert(e, number);
    }

    pub(super) fn operation(
        &mut self,
        table: &TermTable,
        dag: &Dag,
        e: ExprId,
        op: FloatOp,
        a: ExprId,
        b: ExprId,
    ) -> Z3Term {
        let (x, y, nearest) = (
            self.number(table, dag, a),
            self.number(table, dag, b),
            RoundingMode::round_nearest_ties_to_even(),
        );
        let number = match op {
            FloatOp::Add => nearest.add(x, y),
            FloatOp::Sub => nearest.sub(x, y),
            FloatOp::Mul => nearest.mul(x, y),
            FloatOp::Div => nearest.div(x, y),
            // SMT-LIB's remainder rounds the quotient (C's truncates it), and Z3 does not finish on it.
            FloatOp::Rem => return Z3Term::Bits(Floats::uninterpreted(table, dag, e, "fmod")),
        };
        self.result(table, dag, e, number)
    }

    pub(super) fn compare(
        &mut self,
        table: &TermTable,
        dag: &Dag,
        op: FloatCmp,
        a: ExprId,
        b: ExprId,
    ) -> Bool {
        let (a, b) = (self.number(table, dag, a), self.number(table, dag, b));
        match op {
            FloatCmp::Eq => a.eq_fpa(b),
            FloatCmp::Lt => a.lt(b),
            FloatCmp::Le => a.le(b),
        }
    }

    pub(super) fn math(&mut self, table: &TermTable, dag: &Dag, e: ExprId, function: Math) -> Z3Term {
        let operands: Vec<ExprId> = dag.children(e).collect();
        let x = self.number(table, dag, operands[0]);
        let rounded = |mode: RoundingMode| x.round_to_integral_with_rounding_mode(&mode);
        let number = match function {
            Math::Sqrt => x.sqrt(),
            Math::Floor => rounded(RoundingMode::round_towards_negative()),
            Math::Ceil => rounded(RoundingMode::round_towards_positive()),
            Math::Trunc => rounded(RoundingMode::round_towards_zero()),
            Math::Round => rounded(RoundingMode::round_nearest_ties_to_away()),
            Math::RoundEven => rounded(RoundingMode::round_nearest_ties_to_even()),
            Math::Fma => x.fma(self.number(table, dag, operands[1]), self.number(table, dag, operands[2])),
            _ => return Z3Term::Bits(Floats::uninterpreted(table, dag, e, &format!("{function:?}"))),
        };
        self.result(table, dag, e, number)
    }

    /// Returns the bits of an operation's result: a NaN is that of the first operand that is one, quieted, as
    /// x86-64 has it.
    fn result(&mut self, table: &TermTable, dag: &Dag, e: ExprId, number: Float) -> Z3Term {
        let width = dag.width(e);
        let operands: Vec<ExprId> = dag.children(e).collect();
        let (quiet, default) = match width {
            32 => (0x0040_0000, 0xffc0_0000),
            _ => (0x0008_0000_0000_0000, 0xfff8_0000_0000_0000),
        };
        let mut nan = BV::from_u64(default, width.into());
        for &operand in operands.iter().rev() {
            let quieted = table.bits(operand).bvor(BV::from_u64(quiet, width.into()));
            nan = self.number(table, dag, operand).is_nan().ite(&quieted, &nan);
        }
        let bits = number.is_nan().ite(&nan, &number.to_ieee_bv());
        self.numbers.insert(e, number);
        Z3Term::Bits(bits)
    }

    /// Returns an application of an uninterpreted function to the node's operands.
    fn uninterpreted(table: &TermTable, dag: &Dag, e: ExprId, name: &str) -> BV {
        let operands: Vec<BV> = dag.children(e).map(|operand| table.bits(operand)).collect();
        let sorts: Vec<Sort> = operands.iter().map(|bits| Sort::bitvector(bits.get_size())).collect();
        let width = u32::from(dag.width(e));
        let name = format!("{name}_{width}");
        let function = FuncDecl::new(name, &sorts.iter().collect::<Vec<_>>(), &Sort::bitvector(width));
        let arguments: Vec<&dyn Ast> = operands.iter().map(|bits| bits as &dyn Ast).collect();
        function.apply(&arguments).as_bv().expect("its range is bits")
    }

    pub(super) fn conversion(
        &mut self,
        table: &TermTable,
        dag: &Dag,
        e: ExprId,
        how: Conversion,
        a: ExprId,
    ) -> Z3Term {
        let width = u32::from(dag.width(e));
        match how {
            Conversion::FloatToSigned | Conversion::FloatToUnsigned => self.integer(table, dag, e, how, a),
            Conversion::SignedToFloat | Conversion::UnsignedToFloat => {
                let from =
                    if how == Conversion::SignedToFloat { FromBits::Signed } else { FromBits::Unsigned };
                let number = self.convert(from, &table.bits(a), width);
                let bits = number.to_ieee_bv();
                self.numbers.insert(e, number);
                Z3Term::Bits(bits)
            }
            Conversion::FloatToFloat => self.resized(table, dag, e, a),
        }
    }

    /// Converts between float and double; a NaN keeps its sign and the highest bits of its payload.
    fn resized(&mut self, table: &TermTable, dag: &Dag, e: ExprId, a: ExprId) -> Z3Term {
        let bits = table.bits(a);
        let x = self.number(table, dag, a);
        let nearest = RoundingMode::round_nearest_ties_to_even();
        let (number, nan) = if dag.width(e) == 32 {
            let nan = bits.extract(63, 63).concat(BV::from_u64(0x1ff, 9)).concat(bits.extract(50, 29));
            (x.to_fp_with_rounding_mode(&nearest, &Sort::float32()), nan)
        } else {
            let nan = bits.extract(31, 31).concat(BV::from_u64(0xfff, 12)).concat(bits.extract(21, 0));
            (x.to_fp_with_rounding_mode(&nearest, &Sort::double()), nan.concat(BV::from_u64(0, 29)))
        };
        let bits = number.is_nan().ite(&nan, &number.to_ieee_bv());
        self.numbers.insert(e, number);
        Z3Term::Bits(bits)
    }

    /// Converts to an integer as x86-64 does: a value outside of the register's range becomes the lowest
    /// integer.
    fn integer(&mut self, table: &TermTable, dag: &Dag, e: ExprId, how: Conversion, a: ExprId) -> Z3Term {
        let x = self.number(table, dag, a);
        let is_signed = how == Conversion::FloatToSigned;
        let register = match (dag.width(e), is_signed) {
            (..=16, _) | (..=32, true) => 32,
            (..=64, _) => 64,
            // Compiler-runtime conversions to two registers differ only outside of the range.
            _ => return Floats::wide_integer(table, dag, e, &x, is_signed),
        };
        let zero = RoundingMode::round_towards_zero();
        let bound = 2f64.powi(register - 1);
        let lowest = BV::from_u64(1, 1).concat(BV::from_u64(0, register as u32 - 1));
        let fits = x.unary_abs().lt(bound);
        let mut value = lowest.clone();
        if dag.width(e) > 32 && !is_signed {
            let above = Bool::and(&[x.ge(bound), x.lt(2.0 * bound)]);
            value = above.ite(&x.to_ubv_with_rounding_mode(&zero, 64), &lowest);
        }
        let value = fits.ite(&x.to_sbv_with_rounding_mode(&zero, register as u32), &value);
        Z3Term::Bits(value.extract(u32::from(dag.width(e)) - 1, 0))
    }

    fn wide_integer(table: &TermTable, dag: &Dag, e: ExprId, x: &Float, is_signed: bool) -> Z3Term {
        let otherwise = Floats::uninterpreted(table, dag, e, if is_signed { "signed" } else { "unsigned" });
        let zero = RoundingMode::round_towards_zero();
        let (fits, value) = if is_signed {
            (x.unary_abs().lt(2f64.powi(127)), x.to_sbv_with_rounding_mode(&zero, 128))
        } else {
            (Bool::and(&[x.ge(0.0), x.lt(2f64.powi(127))]), x.to_ubv_with_rounding_mode(&zero, 128))
        };
        Z3Term::Bits(fits.ite(&value.extract(u32::from(dag.width(e)) - 1, 0), &otherwise))
    }
}
