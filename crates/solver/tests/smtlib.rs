//! Terms as other tools write them: what our reader makes of them has Z3's value.

use cairn_expr::{Dag, Evaluator, InputByte, smtlib};
use z3::{SatResult, Solver};

/// Terms over `a` and `b`, bit-vectors of 8 bits.
const BITS: &[&str] = &[
    "(bvnot a)",
    "(bvneg a)",
    "(bvadd a b a)",
    "(bvmul a b b)",
    "(bvsub a b)",
    "(bvudiv a b)",
    "(bvurem a b)",
    "(bvsdiv a b)",
    "(bvsrem a b)",
    "(bvsmod a b)",
    "(bvshl a b)",
    "(bvlshr a b)",
    "(bvashr a b)",
    "(bvshl a (bvurem b #x09))",
    "(bvnand a b)",
    "(bvnor a b)",
    "(bvxnor a b)",
    "(bvcomp a b)",
    "((_ rotate_left 3) a)",
    "((_ rotate_right 11) a)",
    "((_ repeat 3) a)",
    "((_ sign_extend 5) a)",
    "(concat a b ((_ extract 4 2) a))",
    "(bvult a b)",
    "(bvsge a b)",
    "(bvuaddo a b)",
    "(bvsaddo a b)",
    "(bvusubo a b)",
    "(bvssubo a b)",
    "(bvumulo a b)",
    "(bvsmulo a b)",
    "(bvnego a)",
    "(bvsdivo a b)",
    "(distinct a b (bvadd a #x01))",
    "(=> (bvult a b) (bvslt a b) (= a b))",
    "(xor (bvult a b) (bvslt a b) (= a b))",
    "((_ to_fp 8 24) RNE a)",
    "((_ to_fp_unsigned 11 53) RNE a)",
    "(let ((a b) (b a)) (bvsub a (let ((a (bvmul a b))) a)))",
];

/// Terms over `x` and `y`, floats of 32 bits, that the standard leaves no choice about.
const FLOATS: &[&str] = &[
    "(= x y)",
    "(fp.eq x y)",
    "(distinct x y)",
    "(fp.lt x y)",
    "(fp.leq x y x)",
    "(fp.gt x y)",
    "(fp.geq x y)",
    "(fp.add RNE x y)",
    "(fp.sub RNE x y)",
    "(fp.mul RNE x y)",
    "(fp.div RNE x y)",
    "(fp.sqrt RNE x)",
    "(fp.fma RNE x y x)",
    "(fp.abs x)",
    "(fp.neg x)",
    "(fp.max x y)",
    "(fp.min (fp.abs x) (fp.abs y))",
    "(fp.roundToIntegral RNA x)",
    "(fp.roundToIntegral RTN x)",
    "((_ to_fp 11 53) RTZ x)",
    "((_ to_fp 8 24) RNE ((_ to_fp 11 53) RNE x))",
    "(ite (fp.lt (fp.abs x) ((_ to_fp 8 24) RNE 100.0)) ((_ fp.to_sbv 8) RNE x) #x00)",
    "(ite (fp.lt (fp.abs x) ((_ to_fp 8 24) RNE 100.0)) ((_ fp.to_ubv 8) RTP (fp.abs x)) #x00)",
    "(fp.isNaN x)",
    "(fp.isNormal x)",
    "(fp.isSubnormal x)",
    "(fp.isZero x)",
    "(fp.isInfinite x)",
    "(fp.isNegative x)",
    "(fp.isPositive x)",
];

/// Asserts that with the symbols as given Z3 knows no other value of the term than ours.
fn check(symbols: &[(&str, &str, String)], term: &str) {
    let declared: String = symbols
        .iter()
        .map(|(name, sort, value)| format!("(declare-const {name} {sort})(assert (= {name} {value}))"))
        .collect();
    let mut dag = Dag::new();
    let closed: String =
        symbols.iter().map(|(name, sort, value)| format!("(define-fun {name} () {sort} {value})")).collect();
    let asked = smtlib::read(&mut dag, &format!("{closed}(check-sat)(get-value ({term}))"));
    let (_, ours) = asked.unwrap_or_else(|error| panic!("{term}: {error}"))[0].values[0];
    let value = ours.show(Evaluator::new().eval(&dag, ours.expression, &|_: InputByte| 0));
    let solver = Solver::new();
    solver.from_string(format!("{declared}(assert (not (= {term} {value})))"));
    assert_eq!(solver.get_assertions().len(), symbols.len() + 1, "{term} was read");
    assert_eq!(solver.check(), SatResult::Unsat, "{term} with {symbols:?}: {value}");
}

#[test]
fn terms_of_the_standard_have_z3s_value() {
    let mut rng = fastrand::Rng::with_seed(3);
    let edges = [0, 1, 2, 7, 8, 9, 0x7f, 0x80, 0x81, 0xff];
    for term in BITS {
        for _ in 0..12 {
            let any = [(); 2].map(|()| if rng.bool() { edges[rng.usize(..10)] } else { rng.u8(..) });
            let [a, b] = any.map(|value| format!("#x{value:02x}"));
            check(&[("a", "(_ BitVec 8)", a), ("b", "(_ BitVec 8)", b)], term);
        }
    }
    let edges = [0.0f32, -0.0, 1.0, -2.5, 2.5, 0.5, f32::NAN, f32::INFINITY, -f32::INFINITY, 1e-42, f32::MAX];
    for term in FLOATS {
        for _ in 0..12 {
            let float = |rng: &mut fastrand::Rng| match rng.u8(..4) {
                0 => rng.u32(..),
                1 => (rng.f32() * 200.0 - 100.0).to_bits(),
                _ => edges[rng.usize(..11)].to_bits(),
            };
            let [mut x, y] = [(); 2].map(|()| float(&mut rng));
            // Which zero is the larger one is left open.
            if term.contains("max") && x << 1 == 0 {
                x = 1;
            }
            let [x, y] = [x, y].map(|bits| format!("((_ to_fp 8 24) #x{bits:08x})"));
            check(&[("x", "Float32", x), ("y", "Float32", y)], term);
        }
    }
}
