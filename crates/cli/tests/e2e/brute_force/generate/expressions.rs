//! Expressions and conditions over the variables in scope.

use super::{TYPES, Writer};

impl Writer {
    /// An integer expression, wrapped in parentheses where it needs them.
    pub fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.one_in(5) {
            return self.leaf();
        }
        let mut part = || self.expression(depth - 1);
        let (a, b) = (part(), part());
        match self.below(24) {
            0..7 => format!("({a} {} {b})", self.pick(&["+", "-", "*", "&", "|", "^"])),
            7 => format!("((u32)({a}) << (({b}) & 15))"),
            8 => format!("(({a}) >> (({b}) & 7))"),
            9 => format!("((u32)({a}) {} (((u32)({b}) & 15) + 1))", self.pick(&["/", "%"])),
            10..12 => format!("({})({a})", self.pick(&TYPES)),
            12 => format!("table[({a}) & 15]"),
            13 => format!("cells[({a}) & 7]"),
            14 => self.ternary(&a, &b),
            15 => format!("(int)((double)(i16)({a}) * {})", self.pick(&["0.75", "1.25", "-3.5", "0.1"])),
            16 => format!("(int)((float)(u8)({a}) / (float)(1 + (u8)({b})))"),
            17 => format!(
                "(int)(((unsigned __int128)(u64)({a}) * (u64)({b})) >> {})",
                self.pick(&["64", "5", "90"])
            ),
            18 => self.builtin(&a, &b),
            19 => self.library_call(&a),
            20 if self.functions > 0 => format!("f{}((int)({a}), (int)({b}))", self.below(self.functions)),
            21 => self
                .pick(&["record.low", "record.high", "record.middle", "both.halves[0]", "both.bytes[1]"])
                .into(),
            22 => format!("({a} {} {b})", self.pick(&["<", ">=", "=="])),
            _ => format!("(~({a}) - ({b}))"),
        }
    }

    fn leaf(&mut self) -> String {
        match self.below(9) {
            0..3 => "in[0]".into(),
            3..6 => "in[1]".into(),
            6 => self.constant(),
            _ => {
                let chosen = self.below(self.readable.len());
                self.readable[chosen].clone()
            }
        }
    }

    fn constant(&mut self) -> String {
        match self.below(4) {
            0 => self.rng.i8(..).to_string(),
            1 => self.rng.u16(..).to_string(),
            2 => self.pick(&["0", "1", "'a'", "0x7fffffff", "-1", "0x8000", "48"]).into(),
            _ => self.below(16).to_string(),
        }
    }

    /// A conditional expression: with probes a branch, without a candidate for a select.
    fn ternary(&mut self, a: &str, b: &str) -> String {
        let condition = self.comparison();
        if self.one_in(2) {
            return format!("(({condition}) ? {a} : {b})");
        }
        let [yes, no] = [self.new_probe(), self.new_probe()];
        format!("(({condition}) ? (probe({yes}), {a}) : (probe({no}), {b}))")
    }

    fn builtin(&mut self, a: &str, b: &str) -> String {
        match self.below(5) {
            0 => format!("__builtin_popcount((u32)({a}))"),
            1 => format!("__builtin_clz((u32)({a}) | 1)"),
            2 => format!("__builtin_ctz((u32)({a}) | 256)"),
            3 => format!("__builtin_bswap16((u16)({a}))"),
            _ => format!("({{ i8 sum; __builtin_add_overflow((i8)({a}), (i8)({b}), &sum) ? 5 : sum; }})"),
        }
    }

    fn library_call(&mut self, a: &str) -> String {
        let function = self.pick(&["toupper", "tolower", "isdigit", "isalpha", "isspace", "abs"]);
        match function {
            "abs" => format!("abs((i16)({a}))"),
            "toupper" | "tolower" => format!("{function}((u8)({a}))"),
            _ => format!("!!{function}((u8)({a}))"),
        }
    }

    /// A condition of one comparison, without calls and without branches of its own.
    pub fn comparison(&mut self) -> String {
        let (a, mut b) = (self.plain(2), self.constant());
        if self.one_in(3) {
            b = self.plain(1);
        }
        match self.below(8) {
            0 => format!("({a} & 15) == {}", self.below(16)),
            1 => format!("(u8)({a} + in[{}]) > {}", self.below(2), self.rng.u8(..)),
            2 => format!("(i8)({a}) < (i8)({b})"),
            3 => format!("(double)(i16)({a}) * 0.5 < (double)(i8)({b}) + 0.25"),
            4 => format!("(float)(i8)({a}) == {}.0f", self.rng.i8(..)),
            5 => format!("(i64)({a}) * 1000003 > (i64)({b})"),
            _ => format!("{a} {} {b}", self.pick(&["==", "!=", "<", "<=", ">", ">="])),
        }
    }

    /// An expression of operators and tables alone.
    fn plain(&mut self, depth: usize) -> String {
        if depth == 0 || self.one_in(4) {
            return self.leaf();
        }
        let (a, b) = (self.plain(depth - 1), self.plain(depth - 1));
        match self.below(8) {
            0 => format!("table[({a}) & 15]"),
            1 => format!("cells[({a}) & 7]"),
            2 => format!("({})({a})", self.pick(&TYPES)),
            3 => format!("({a} >> (({b}) & 3))"),
            _ => format!("({a} {} {b})", self.pick(&["+", "-", "*", "&", "|", "^"])),
        }
    }

    /// A condition that may be a short-circuit one, with probes between its operands.
    pub fn condition(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.comparison();
        }
        let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
        let probe = self.new_probe();
        match self.below(6) {
            0 => format!("({a}) && (probe({probe}), {b})"),
            1 => format!("({a}) || (probe({probe}), {b})"),
            2 => format!("!({a}) && ({b})"),
            3 => self.expression(2),
            _ => a,
        }
    }
}
