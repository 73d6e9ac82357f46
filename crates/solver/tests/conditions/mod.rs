//! Conditions as text, for tests.

use cairn_expr::{CmpOp, Conversion, Dag, ExprId, FloatOp, InputByte, Math};

/// Reads conditions in the notation of C. A small letter is a double, a capital letter an int, and a small
/// letter with an `f` behind it a float; everything but `int(…)` and ints is computed in double precision.
pub struct Reader<'a> {
    dag: &'a mut Dag,
    words: Vec<String>,
    next: usize,
}

impl<'a> Reader<'a> {
    /// Reads this text.
    pub fn new(dag: &'a mut Dag, text: &str) -> Reader<'a> {
        let mut words: Vec<String> = Vec::new();
        let mut last = ' ';
        for c in text.chars() {
            let continues = match c {
                c if c.is_alphanumeric() || c == '.' => last.is_alphanumeric() || last == '.',
                '=' | '&' => "<>=!&".contains(last),
                _ => false,
            };
            match words.last_mut().filter(|_| continues) {
                Some(word) => word.push(c),
                None if c != ' ' => words.push(c.into()),
                None => {}
            }
            last = c;
        }
        Reader { dag, words, next: 0 }
    }

    fn peek(&self) -> &str {
        self.words.get(self.next).map_or("", |word| word)
    }

    fn take(&mut self) -> String {
        self.next += 1;
        self.words[self.next - 1].clone()
    }

    /// Returns the conditions that `&&` joins.
    pub fn conditions(&mut self) -> Vec<ExprId> {
        let mut all = vec![self.comparison()];
        while self.peek() == "&&" {
            self.take();
            all.push(self.comparison());
        }
        assert_eq!(self.peek(), "", "the condition ends here");
        all
    }

    fn comparison(&mut self) -> ExprId {
        let a = self.sum();
        let relation = self.take();
        let b = self.sum();
        if self.dag.width(a) == 32 || self.dag.width(b) == 32 {
            let op = match &relation[..] {
                "==" => CmpOp::Eq,
                "!=" => CmpOp::Ne,
                "<" => CmpOp::Slt,
                "<=" => CmpOp::Sle,
                ">" => CmpOp::Sgt,
                _ => CmpOp::Sge,
            };
            let (a, b) = (self.integer(a), self.integer(b));
            return self.dag.compare(op, a, b);
        }
        let mask = match &relation[..] {
            "==" => 1,
            ">" => 2,
            ">=" => 3,
            "<" => 4,
            "<=" => 5,
            _ => 14,
        };
        self.dag.float_relation(mask, a, b)
    }

    fn integer(&mut self, e: ExprId) -> ExprId {
        if self.dag.width(e) == 32 { e } else { self.dag.convert(Conversion::FloatToSigned, e, 32) }
    }

    fn double(&mut self, e: ExprId) -> ExprId {
        if self.dag.width(e) == 64 { e } else { self.dag.convert(Conversion::SignedToFloat, e, 64) }
    }

    fn sum(&mut self) -> ExprId {
        let mut value = self.product();
        while ["+", "-"].contains(&self.peek()) {
            let op = if self.take() == "+" { FloatOp::Add } else { FloatOp::Sub };
            let other = self.product();
            value = self.operation(op, value, other);
        }
        value
    }

    fn product(&mut self) -> ExprId {
        let mut value = self.factor();
        while ["*", "/", "%"].contains(&self.peek()) {
            let op = match &self.take()[..] {
                "*" => FloatOp::Mul,
                "/" => FloatOp::Div,
                _ => FloatOp::Rem,
            };
            let other = self.factor();
            value = self.operation(op, value, other);
        }
        value
    }

    fn operation(&mut self, op: FloatOp, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = (self.double(a), self.double(b));
        self.dag.float(op, a, b)
    }

    fn factor(&mut self) -> ExprId {
        let word = self.take();
        match &word[..] {
            "(" => {
                let value = self.sum();
                self.take();
                value
            }
            "-" => {
                let value = self.factor();
                let value = self.double(value);
                let sign = self.dag.constant(64, 1 << 63);
                self.dag.xor(value, sign)
            }
            _ if self.peek() == "(" => self.call(&word),
            _ => match word.as_bytes() {
                [letter @ b'a'..=b'z'] => self.variable(8 * u32::from(letter - b'a'), 8),
                [letter @ b'a'..=b'z', b'f'] => {
                    let value = self.variable(300 + 4 * u32::from(letter - b'a'), 4);
                    self.dag.convert(Conversion::FloatToFloat, value, 64)
                }
                [letter @ b'A'..=b'Z'] => self.variable(500 + 4 * u32::from(letter - b'A'), 4),
                _ => self.number(&word),
            },
        }
    }

    fn number(&mut self, text: &str) -> ExprId {
        let number: f64 = text.parse().unwrap_or_else(|_| panic!("{text} is a number"));
        self.dag.constant(64, number.to_bits().into())
    }

    fn call(&mut self, name: &str) -> ExprId {
        let mut operands = Vec::new();
        while self.take() != ")" {
            let operand = self.sum();
            operands.push(operand);
        }
        match name {
            "int" => self.integer(operands[0]),
            "fabs" => {
                let mask = self.dag.constant(64, (1 << 63) - 1);
                self.dag.and(operands[0], mask)
            }
            _ => {
                let function = Math::ALL.into_iter().find(|f| format!("{f:?}").to_lowercase() == name);
                self.dag.math(function.unwrap_or_else(|| panic!("{name} is a function")), &operands)
            }
        }
    }

    fn variable(&mut self, first: u32, bytes: u32) -> ExprId {
        let mut value = self.dag.input(InputByte { object: 0, offset: first });
        for offset in first + 1..first + bytes {
            let byte = self.dag.input(InputByte { object: 0, offset });
            value = self.dag.concat(byte, value);
        }
        value
    }
}
