//! Conditions on numbers, as C programs have them: answered, and the answer true.

use cairn_expr::{CmpOp, Conversion, Dag, Evaluator, ExprId, FloatOp, InputByte, Math};
use cairn_solver::{Answer, Limits, Overlay, Query, Solver, standard};
use std::time::Duration;

/// Reads conditions in the notation of C. Variables `u` to `z` are doubles, `f` and `g` floats, `i` and `j` ints;
/// everything but `int(…)` and ints is computed in double precision.
struct Reader<'a> {
    dag: &'a mut Dag,
    words: Vec<String>,
    next: usize,
}

impl<'a> Reader<'a> {
    fn new(dag: &'a mut Dag, text: &str) -> Reader<'a> {
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

    fn conditions(&mut self) -> Vec<ExprId> {
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
            "u" | "v" | "w" | "x" | "y" | "z" => self.variable(8 * (u32::from(word.as_bytes()[0]) - 117), 8),
            "f" | "g" => {
                let value = self.variable(100 + 4 * (u32::from(word.as_bytes()[0]) - 102), 4);
                self.dag.convert(Conversion::FloatToFloat, value, 64)
            }
            "i" | "j" => self.variable(200 + 4 * (u32::from(word.as_bytes()[0]) - 105), 4),
            number => {
                let number: f64 = number.parse().unwrap_or_else(|_| panic!("{number} is a number"));
                self.dag.constant(64, number.to_bits().into())
            }
        }
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

/// Whether a condition is answered with a model that makes it true, from an input of all zeros.
fn is_answered(solver: &mut dyn Solver, dag: &mut Dag, text: &str) -> bool {
    let conditions = Reader::new(dag, text).conditions();
    let always = dag.truth(true);
    let target = conditions.into_iter().fold(always, |all, condition| dag.and(all, condition));
    let seed = |_: InputByte| 0;
    let Answer::Sat(model) = solver.solve(dag, &Query { prefix: &[], target }, &seed) else { return false };
    Evaluator::new().eval(dag, target, &Overlay { model: &model, seed: &seed }) == 1
}

const CONDITIONS: &[&str] = &[
    "sin(x) > 0.9 && x > 100",
    "sqrt(x) * y == 6",
    "x * x + y * y < 1 && pow(x, 3) > 0.3",
    "floor(x) == 42",
    "int(x * 10) == 37",
    "x + 0.1 == 0.4",
    "x == 3.14159",
    "x * x == 2.25 && x < 0",
    "x > 1 && x < 1.0000001",
    "x != x",
    "x > 1e300 && y * 1e10 < 0 - 1e300",
    "exp(x) > 5 && exp(x) < 5.001",
    "log(x) == 2",
    "log10(x) == 2",
    "x % 7 == 3 && x > 1000",
    "f == 0.5 && g > f",
    "f * g > 1000 && f < 2",
    "f > 0.1 && f < 0.10001",
    "i * 0.5 > 1000.25 && j * 0.1 < 0 - 5",
    "int(x) == i && i > 5",
    "x / y == 0.25 && y > 3",
    "fabs(x - 1.5) < 0.0001 && fabs(x) != x + 1",
    "atan2(x, y) == 1",
    "pow(x, y) == 1024 && y > 2 && y < 20",
    "pow(x, 2) == x + y && x >= 0 - 1 && y <= 2 && x != 0",
    "sin(x) == 0 - sin(y) && sin(x) > 0",
    "cos(x) + cos(y) + cos(z) > 2.9 && x > 10 && y > 20 && z > 30",
    "hypot(x, y) == 5 && x > 1 && y > 1",
    "1.5 - x * (1 - y) == 0",
    "tanh(x) > 0.5 && sinh(x) < 1",
    "round(x) > 5 && round(x) < 7",
    "ceil(x) - floor(x) == 1 && x > 12345",
    "x * 1.1 + y * 2.2 > 75 && x - y > 50 && x < 60",
    "fma(x, y, z) == 10 && x > 2 && y > 2",
];

#[test]
fn conditions_on_numbers_are_answered() {
    let mut dag = Dag::new();
    let mut solver = standard(Limits { time: Duration::from_millis(100) });
    let missed: Vec<&str> =
        CONDITIONS.iter().copied().filter(|text| !is_answered(&mut *solver, &mut dag, text)).collect();
    let stats = solver.stats();
    assert!(missed.is_empty(), "{missed:#?}, {stats:?}");
    assert_eq!((stats.total.sat, stats.layers.validate.unknown), (CONDITIONS.len() as u64, 0));
    assert!(stats.layers.walk.sat * 10 > stats.total.sat * 8, "{stats:?}");
}

#[test]
fn the_same_query_has_the_same_answer() {
    let ask = || {
        let mut dag = Dag::new();
        let conditions =
            Reader::new(&mut dag, "sin(x) * cos(y) > 0.8 && x > 3 && pow(y, 3) > 50").conditions();
        let (&target, prefix) = conditions.split_last().expect("a condition");
        standard(Limits::default()).solve(&dag, &Query { prefix, target }, &|_: InputByte| 0)
    };
    assert!(matches!(ask(), Answer::Sat(_)));
    assert_eq!(ask(), ask());
}

#[test]
fn what_has_no_answer_gets_none() {
    let mut dag = Dag::new();
    let mut solver = standard(Limits { time: Duration::from_millis(500) });
    for text in ["x < 1 && x > 1", "sin(x) > 2 && sin(x) < 1", "fabs(f) < 0", "sqrt(x) > 1 && sqrt(x) < 1"] {
        assert!(!is_answered(&mut *solver, &mut dag, text), "{text}");
    }
    let stats = solver.stats();
    let refused = stats.layers.validate.unknown;
    assert_eq!((stats.total.sat, stats.layers.walk.sat, refused), (0, 0, 0), "{stats:?}");
}
