//! Random expressions over all operations and widths, and inputs with boundary values of both.

use super::byte;
use cairn_expr::{
    BinOp, BitCount, CmpOp, Conversion, Dag, ExprId, FloatCmp, FloatOp, InputByte, Math, Op, semantics::ones,
};

/// The input bytes of the expressions.
pub(crate) const BYTES: [InputByte; 24] = {
    let mut bytes = [InputByte { object: 0, offset: 0 }; 24];
    let mut i = 0;
    while i < bytes.len() {
        bytes[i].offset = i as u32;
        i += 1;
    }
    bytes
};

/// Number of operations, constants and input bytes included.
pub(crate) const OPERATIONS: usize = Op::Read as usize + 1;

const FLOATS: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.5,
    2.5,
    1e10,
    -2_147_483_648.0,
    4_294_967_296.0,
    9_223_372_036_854_775_808.0,
    -1e30,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

pub(crate) struct Random {
    rng: fastrand::Rng,
    max_width: u8,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random { rng: fastrand::Rng::with_seed(seed), max_width: 128 }
    }

    /// Returns expressions of at most this width; the last four are the roots.
    pub(crate) fn dag(&mut self, max_width: u8) -> (Dag, Vec<ExprId>) {
        self.max_width = max_width;
        let mut dag = Dag::new();
        let mut pool: Vec<ExprId> = (0..6).map(|_| self.leaf(&mut dag)).collect();
        for _ in 0..self.rng.usize(4..24) {
            let made = self.operation(&mut dag, &pool);
            pool.push(made);
        }
        let roots = pool.split_off(pool.len() - 4);
        (dag, roots)
    }

    /// Returns values of the bytes, among them special numbers of all sizes.
    pub(crate) fn input(&mut self) -> [u8; BYTES.len()] {
        let mut input = [0; BYTES.len()];
        self.rng.fill(&mut input);
        for _ in 0..self.rng.usize(..6) {
            let size = 1usize << self.rng.usize(..5);
            let place = self.rng.usize(..=BYTES.len() / size - 1) * size;
            let width = (size * 8) as u8;
            let bytes = self.number(width).to_le_bytes();
            input[place..place + size].copy_from_slice(&bytes[..size]);
        }
        input
    }

    fn number(&mut self, width: u8) -> u128 {
        let value = match self.rng.u8(..8) {
            0 => 0,
            1 => u128::MAX,
            2 => 1 << (width - 1),
            3 => u128::from(self.rng.u8(..)),
            4 | 5 => self.float(width),
            _ => self.rng.u128(..),
        };
        value & ones(width)
    }

    /// Returns a special float, or a NaN, quiet or signalling.
    fn float(&mut self, width: u8) -> u128 {
        let value = match self.rng.usize(..FLOATS.len() + 6) {
            i if i < FLOATS.len() => FLOATS[i],
            _ => f64::NAN,
        };
        let sign = u128::from(self.rng.bool()) << (width - 1);
        let noise = u128::from(self.rng.u32(..) & self.rng.u32(..) & 0x7f_ffff);
        match width {
            32 if value.is_nan() => u128::from(f32::INFINITY.to_bits()) | sign | noise,
            32 => (value as f32).to_bits().into(),
            _ if value.is_nan() => u128::from(f64::INFINITY.to_bits()) | sign | noise << self.rng.u8(..30),
            _ => value.to_bits().into(),
        }
    }

    fn width(&mut self) -> u8 {
        let usual = [1, 8, 16, 32, 64, 128];
        let width = if self.rng.bool() { *self.choose(&usual) } else { self.rng.u8(1..=128) };
        width.min(self.max_width)
    }

    fn choose<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.rng.usize(..all.len())]
    }

    fn leaf(&mut self, dag: &mut Dag) -> ExprId {
        if self.rng.u8(..8) == 0 {
            let width = self.width();
            let value = self.number(width);
            return dag.constant(width, value);
        }
        let size = 1usize << self.rng.usize(..if self.max_width > 64 { 5 } else { 4 });
        let first = self.rng.usize(..=BYTES.len() / size - 1) * size;
        let mut parts: Vec<ExprId> = (first..first + size).map(|i| dag.input(byte(i as u32))).collect();
        if self.rng.u8(..4) == 0 {
            parts.reverse();
        }
        parts.into_iter().reduce(|low, high| dag.concat(high, low)).expect("a byte")
    }

    /// Returns an expression of the pool or a new one, resized to this width.
    fn operand(&mut self, dag: &mut Dag, pool: &[ExprId], width: u8) -> ExprId {
        let fitting: Vec<ExprId> = pool.iter().copied().filter(|&e| dag.width(e) == width).collect();
        let e = match self.rng.u8(..10) {
            0 => {
                let value = self.number(width);
                return dag.constant(width, value);
            }
            1 => self.leaf(dag),
            _ if !fitting.is_empty() => *self.choose(&fitting),
            _ => *self.choose(pool),
        };
        let own = dag.width(e);
        match own.cmp(&width) {
            std::cmp::Ordering::Equal => e,
            std::cmp::Ordering::Greater => dag.extract(e, self.rng.u8(..=own - width), width),
            std::cmp::Ordering::Less if self.rng.bool() => dag.sext(e, width),
            std::cmp::Ordering::Less => dag.zext(e, width),
        }
    }

    fn operation(&mut self, dag: &mut Dag, pool: &[ExprId]) -> ExprId {
        let width = self.width();
        let float_width = if self.rng.bool() { 32 } else { 64 };
        let kind = self.rng.u8(..24);
        let width = if (12..20).contains(&kind) { float_width } else { width };
        let mut operand = |dag: &mut Dag, width| self.operand(dag, pool, width);
        let (a, b, c) = (operand(dag, width), operand(dag, width), operand(dag, width));
        match kind {
            0..5 => dag.binary(*self.choose(&BinOp::ALL), a, b),
            5..8 => dag.compare(*self.choose(&CmpOp::ALL), a, b),
            8 => {
                let wider = self.rng.u8(width..=self.max_width);
                dag.sext(a, wider)
            }
            9 => dag.extract(a, self.rng.u8(..width), 1),
            10 => {
                let room = self.max_width - width;
                let low = self.operand(dag, pool, room.clamp(1, 16));
                if room == 0 { a } else { dag.concat(a, low) }
            }
            11 => {
                let condition = self.operand(dag, pool, 1);
                dag.ite(condition, a, b)
            }
            12..14 => dag.float(*self.choose(&FloatOp::ALL), a, b),
            14..16 => dag.float_compare(*self.choose(&[FloatCmp::Eq, FloatCmp::Lt, FloatCmp::Le]), a, b),
            16..18 => {
                let to = self.width();
                let how = *self.choose(&[Conversion::FloatToSigned, Conversion::FloatToUnsigned]);
                dag.convert(how, a, to)
            }
            18 => dag.convert(Conversion::FloatToFloat, a, 96 - width),
            19 => {
                let function = *self.choose(&Math::ALL);
                dag.math(function, &[a, b, c][..function.operands()])
            }
            20 => {
                let how = *self.choose(&[Conversion::SignedToFloat, Conversion::UnsignedToFloat]);
                dag.convert(how, a, float_width)
            }
            21 => dag.count(*self.choose(&BitCount::ALL), a),
            _ => self.read(dag, pool),
        }
    }

    /// Returns a read of a few bytes, some of them expressions; the index may lie outside.
    fn read(&mut self, dag: &mut Dag, pool: &[ExprId]) -> ExprId {
        let mut bytes = vec![0; self.rng.usize(1..40)];
        self.rng.fill(&mut bytes);
        let mut parts = Vec::new();
        for place in 0..bytes.len() as u32 {
            if self.rng.u8(..6) == 0 {
                parts.push((place, self.operand(dag, pool, 8)));
            }
        }
        let snapshot = dag.snapshot(&bytes, &parts);
        let near = self.operand(dag, pool, 5);
        let place = if self.rng.u8(..4) > 0 { dag.zext(near, 64) } else { self.operand(dag, pool, 64) };
        let width = self.rng.u8(1..=self.max_width / 8) * 8;
        dag.read(snapshot, place, width)
    }
}
