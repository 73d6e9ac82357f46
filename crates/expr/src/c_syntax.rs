//! Conditions in the syntax of C, for people.
//!
//! Neighbouring bytes are one integer, zero extensions and other casts that change no value are left out, and
//! numbers are written as the comparison takes them. Shared parts are written each time they occur; of a long
//! condition only the outer operations are written.

use crate::dag::Dag;
use crate::inputs::InputByte;
use crate::node::{BinOp, BitCount, CmpOp, Conversion, ExprId, FloatCmp, FloatOp, Node};

/// Stands for what is left out.
const ELLIPSIS: &str = "…";

/// Name of what an input byte belongs to.
pub enum ByteName {
    /// A number, of which it is a byte, such as the length of a stream.
    Number(String),
    /// An array, in which it is an element.
    Array(String),
}

/// Writes an expression in the syntax of C: as many of the outer operations as `max` bytes of text have room for.
pub fn c_syntax(dag: &Dag, expr: ExprId, max: usize, name: &dyn Fn(InputByte) -> ByteName) -> String {
    let mut best = ELLIPSIS.to_owned();
    for depth in 1.. {
        let mut writer = Writer { dag, name, max, depth, text: String::new(), is_cut: false };
        writer.expr(expr, Reading::Unsigned);
        if writer.text.len() > max {
            break;
        }
        best = writer.text;
        if !writer.is_cut {
            break;
        }
    }
    best
}

/// Meaning of a constant's bits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Unsigned,
    Signed,
    Float,
    /// Of a byte: a letter, if it is one.
    Letter,
}

struct Writer<'a> {
    dag: &'a Dag,
    name: &'a dyn Fn(InputByte) -> ByteName,
    max: usize,
    /// Levels of operations that are left to write.
    depth: usize,
    text: String,
    /// True if operations were left out.
    is_cut: bool,
}

impl Writer<'_> {
    fn expr(&mut self, expr: ExprId, reading: Reading) {
        if self.text.len() > self.max {
            return;
        }
        if self.depth == 0 && !self.is_leaf(expr) {
            self.text.push_str(ELLIPSIS);
            self.is_cut = true;
            return;
        }
        let depth = self.depth;
        self.depth = depth.saturating_sub(1);
        self.operation(expr, reading);
        self.depth = depth;
    }

    fn operation(&mut self, expr: ExprId, reading: Reading) {
        let width = self.dag.width(expr);
        match self.dag.node(expr) {
            Node::Const(value) => self.text.push_str(&constant(value, width, reading)),
            Node::Input(byte) => self.integer_at(byte, 1),
            Node::Binary(op, left, right) => self.binary(op, left, right, width),
            Node::Compare(op, left, right) => self.compare(op, left, right, false),
            Node::ZExt(inner) => self.operation(inner, reading),
            Node::SExt(inner) => self.cast(&format!("int{width}_t"), inner, Reading::Signed),
            Node::Extract(inner, 0) => self.cast(&unsigned(width), inner, Reading::Unsigned),
            Node::Extract(inner, low) => {
                self.text.push_str(&format!("({})(", unsigned(width)));
                self.operand(inner, Reading::Unsigned);
                self.text.push_str(&format!(" >> {low})"));
            }
            Node::Concat(high, low) => self.concat(expr, high, low),
            Node::Ite(condition, then, other) => {
                self.operand(condition, Reading::Unsigned);
                self.text.push_str(" ? ");
                self.operand(then, reading);
                self.text.push_str(" : ");
                self.operand(other, reading);
            }
            Node::Float(op, left, right) => self.float(op, left, right),
            Node::FloatCompare(op, left, right) => {
                let operator = match op {
                    FloatCmp::Eq => "==",
                    FloatCmp::Lt => "<",
                    FloatCmp::Le => "<=",
                };
                self.infix(left, operator, right, Reading::Float);
            }
            Node::Convert(conversion, inner) => self.convert(conversion, inner, width),
            Node::Math(function) => {
                let operands: Vec<ExprId> = self.dag.children(expr).collect();
                self.call(&format!("{function:?}").to_lowercase(), &operands, Reading::Float);
            }
            Node::BitCount(count, inner) => {
                let function = match count {
                    BitCount::Ones => "popcount",
                    BitCount::LeadingZeros => "clz",
                    BitCount::TrailingZeros => "ctz",
                };
                self.call(function, &[inner], Reading::Unsigned);
            }
            Node::Read(_, index) => {
                self.text.push_str("table[");
                self.expr(index, Reading::Unsigned);
                self.text.push(']');
            }
        }
    }

    /// Writes an operand, in parentheses unless it is a unit.
    fn operand(&mut self, expr: ExprId, reading: Reading) {
        let is_unit = match self.dag.node(expr) {
            Node::ZExt(inner) => return self.operand(inner, reading),
            Node::Math(_) | Node::BitCount(..) | Node::Read(..) => true,
            _ => self.depth == 0 || self.is_leaf(expr),
        };
        if is_unit {
            return self.expr(expr, reading);
        }
        self.text.push('(');
        self.expr(expr, reading);
        self.text.push(')');
    }

    /// True if an expression has no operation.
    fn is_leaf(&self, expr: ExprId) -> bool {
        match self.dag.node(expr) {
            Node::Const(_) | Node::Input(_) => true,
            Node::ZExt(inner) => self.is_leaf(inner),
            Node::Concat(..) => self.integer(expr).is_some(),
            _ => false,
        }
    }

    fn infix(&mut self, left: ExprId, operator: &str, right: ExprId, reading: Reading) {
        self.operand(left, reading);
        self.text.push_str(&format!(" {operator} "));
        self.operand(right, reading);
    }

    fn cast(&mut self, to: &str, inner: ExprId, reading: Reading) {
        self.text.push_str(&format!("({to})"));
        self.operand(inner, reading);
    }

    fn call(&mut self, function: &str, operands: &[ExprId], reading: Reading) {
        self.text.push_str(function);
        self.text.push('(');
        for (index, operand) in operands.iter().enumerate() {
            self.text.push_str(if index > 0 { ", " } else { "" });
            self.expr(*operand, reading);
        }
        self.text.push(')');
    }

    fn binary(&mut self, op: BinOp, left: ExprId, right: ExprId, width: u8) {
        // Constants come first in some operations.
        let is_constant = |expr| self.dag.as_constant(expr).is_some();
        let (left, right) =
            if op.is_commutative() && is_constant(left) { (right, left) } else { (left, right) };
        if width == 1 {
            return self.logical(op, left, right);
        }
        if op == BinOp::Add
            && let Some(value) = self.dag.as_constant(right)
            && is_negative(value, width)
        {
            self.operand(left, Reading::Unsigned);
            let value = constant(value, width, Reading::Signed);
            self.text.push_str(&format!(" - {}", &value[1..]));
            return;
        }
        let is_signed = matches!(op, BinOp::SDiv | BinOp::SRem | BinOp::AShr);
        let reading = if is_signed { Reading::Signed } else { Reading::Unsigned };
        self.infix(left, operator(op), right, reading);
    }

    /// Writes an operation on truth values.
    fn logical(&mut self, op: BinOp, left: ExprId, right: ExprId) {
        match op {
            BinOp::And => self.infix(left, "&&", right, Reading::Unsigned),
            BinOp::Or => self.infix(left, "||", right, Reading::Unsigned),
            BinOp::Xor if self.dag.as_constant(right) == Some(1) => match self.dag.node(left) {
                Node::Compare(op, left, right) => self.compare(op, left, right, true),
                _ => {
                    self.text.push('!');
                    self.operand(left, Reading::Unsigned);
                }
            },
            op => self.infix(left, operator(op), right, Reading::Unsigned),
        }
    }

    /// Writes a comparison, or its negation.
    fn compare(&mut self, op: CmpOp, left: ExprId, right: ExprId, is_negated: bool) {
        let is_signed = matches!(op, CmpOp::Slt | CmpOp::Sle | CmpOp::Sgt | CmpOp::Sge);
        let reading = match op {
            _ if is_signed => Reading::Signed,
            CmpOp::Eq | CmpOp::Ne if self.is_byte(left) || self.is_byte(right) => Reading::Letter,
            _ => Reading::Unsigned,
        };
        let (operator, negated) = match op {
            CmpOp::Eq => ("==", "!="),
            CmpOp::Ne => ("!=", "=="),
            CmpOp::Ult | CmpOp::Slt => ("<", ">="),
            CmpOp::Ule | CmpOp::Sle => ("<=", ">"),
            CmpOp::Ugt | CmpOp::Sgt => (">", "<="),
            CmpOp::Uge | CmpOp::Sge => (">=", "<"),
        };
        let is_constant = self.dag.as_constant(left).is_some();
        let operator = if is_negated { negated } else { operator };
        match is_constant && matches!(operator, "==" | "!=") {
            true => self.infix(right, operator, left, reading),
            false => self.infix(left, operator, right, reading),
        }
    }

    fn float(&mut self, op: FloatOp, left: ExprId, right: ExprId) {
        let operator = match op {
            FloatOp::Add => "+",
            FloatOp::Sub => "-",
            FloatOp::Mul => "*",
            FloatOp::Div => "/",
            FloatOp::Rem => return self.call("fmod", &[left, right], Reading::Float),
        };
        self.infix(left, operator, right, Reading::Float);
    }

    fn convert(&mut self, conversion: Conversion, inner: ExprId, width: u8) {
        let float = if width == 32 { "float" } else { "double" };
        match conversion {
            Conversion::FloatToSigned => self.cast(&format!("int{width}_t"), inner, Reading::Float),
            Conversion::FloatToUnsigned => self.cast(&unsigned(width), inner, Reading::Float),
            Conversion::SignedToFloat => self.cast(float, inner, Reading::Signed),
            Conversion::UnsignedToFloat => self.cast(float, inner, Reading::Unsigned),
            Conversion::FloatToFloat => self.cast(float, inner, Reading::Float),
        }
    }

    fn concat(&mut self, expr: ExprId, high: ExprId, low: ExprId) {
        if let Some((first, bytes)) = self.integer(expr) {
            return self.integer_at(first, bytes);
        }
        let shift = self.dag.width(low);
        if self.dag.as_constant(low) == Some(0) {
            self.operand(high, Reading::Unsigned);
            self.text.push_str(&format!(" << {shift}"));
            return;
        }
        self.operand(high, Reading::Unsigned);
        self.text.push_str(&format!(" << {shift} | "));
        self.operand(low, Reading::Unsigned);
    }

    /// Returns the first byte and the size of neighbouring bytes that are one little-endian integer.
    fn integer(&self, expr: ExprId) -> Option<(InputByte, u8)> {
        match self.dag.node(expr) {
            Node::Input(byte) => Some((byte, 1)),
            Node::Concat(high, low) => {
                let ((high, more), (low, bytes)) = (self.integer(high)?, self.integer(low)?);
                let next = low.offset.checked_add(bytes.into())?;
                (high.object == low.object && high.offset == next).then_some((low, bytes + more))
            }
            _ => None,
        }
    }

    fn integer_at(&mut self, first: InputByte, bytes: u8) {
        let cast = if bytes > 1 { format!("*({} *)&", unsigned(8 * bytes)) } else { String::new() };
        match (self.name)(first) {
            ByteName::Number(name) => self.text.push_str(&name),
            ByteName::Array(name) => self.text.push_str(&format!("{cast}{name}[{}]", first.offset)),
        }
    }

    /// True if the expression is a byte of the input, extended or not.
    fn is_byte(&self, expr: ExprId) -> bool {
        match self.dag.node(expr) {
            Node::Input(_) => true,
            Node::ZExt(inner) | Node::SExt(inner) => self.is_byte(inner),
            _ => false,
        }
    }
}

fn operator(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::UDiv | BinOp::SDiv => "/",
        BinOp::URem | BinOp::SRem => "%",
        BinOp::Shl => "<<",
        BinOp::LShr | BinOp::AShr => ">>",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
    }
}

/// Returns the unsigned type of a width, rounded up.
fn unsigned(width: u8) -> String {
    format!("uint{}_t", width.next_power_of_two().max(8))
}

fn is_negative(value: u128, width: u8) -> bool {
    value >> (width - 1) & 1 != 0
}

fn constant(value: u128, width: u8, reading: Reading) -> String {
    match (reading, u8::try_from(value)) {
        (Reading::Letter, Ok(letter)) if letter.is_ascii_graphic() => {
            format!("'{}'", (letter as char).escape_default())
        }
        (Reading::Signed, _) if is_negative(value, width) => {
            let unused = 128 - u32::from(width);
            ((value << unused) as i128 >> unused).to_string()
        }
        (Reading::Float, _) if width == 64 => format!("{:?}", f64::from_bits(value as u64)),
        (Reading::Float, _) if width == 32 => format!("{:?}f", f32::from_bits(value as u32)),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(dag: &Dag, expr: ExprId, max: usize) -> String {
        let name = |byte: InputByte| match byte.object {
            0 => ByteName::Array("stdin".into()),
            1 => ByteName::Array("argv[1]".into()),
            _ => ByteName::Number("length".into()),
        };
        c_syntax(dag, expr, max, &name)
    }

    fn byte(dag: &mut Dag, object: u32, offset: u32) -> ExprId {
        dag.input(InputByte { object, offset })
    }

    #[test]
    fn conditions_read_as_in_the_source() {
        let dag = &mut Dag::new();
        let bytes: Vec<ExprId> = (0..4).map(|offset| byte(dag, 0, offset)).collect();
        let letter = dag.constant(8, b'x'.into());
        let is_letter = dag.compare(CmpOp::Eq, bytes[3], letter);
        assert_eq!(written(dag, is_letter, 99), "stdin[3] == 'x'");
        let other = dag.compare(CmpOp::Ne, bytes[3], letter);
        assert_eq!(written(dag, other, 99), "stdin[3] != 'x'");
        let half = dag.concat(bytes[1], bytes[0]);
        let half = dag.concat(bytes[2], half);
        let word = dag.concat(bytes[3], half);
        assert_eq!(written(dag, word, 99), "*(uint32_t *)&stdin[0]");
        let square = dag.binary(BinOp::Mul, word, word);
        let limit = dag.constant(32, 0xffff_fff6);
        let less = dag.compare(CmpOp::Slt, square, limit);
        assert_eq!(written(dag, less, 99), "(*(uint32_t *)&stdin[0] * *(uint32_t *)&stdin[0]) < -10");
        let argument = byte(dag, 1, 5);
        let both = dag.compare(CmpOp::Ult, argument, bytes[0]);
        let both = dag.binary(BinOp::And, both, is_letter);
        let text = written(dag, both, 99);
        assert!(text.contains("(argv[1][5] < stdin[0])") && text.contains(" && "), "{text}");
        let (low, high) = (byte(dag, 2, 0), byte(dag, 2, 1));
        let length = dag.concat(high, low);
        assert_eq!(written(dag, length, 99), "length");
    }

    #[test]
    fn long_conditions_are_cut() {
        let dag = &mut Dag::new();
        let mut hash = dag.constant(32, 5381);
        for offset in 0..100 {
            let factor = dag.constant(32, 33);
            let product = dag.binary(BinOp::Mul, hash, factor);
            let next = byte(dag, 0, offset);
            let next = dag.zext(next, 32);
            hash = dag.binary(BinOp::Xor, product, next);
        }
        let limit = dag.constant(32, 77);
        let condition = dag.compare(CmpOp::Eq, hash, limit);
        assert_eq!(written(dag, condition, 60), "((((… * 33) ^ stdin[98]) * 33) ^ stdin[99]) == 77");
        assert_eq!(written(dag, condition, 1), ELLIPSIS);
    }
}
