//! Printed scripts are read back as the same expressions; other tools' scripts are read, or refused where
//! they are wrong.

mod recipe;

use cairn_expr::smtlib::{self, Check, Conjunction, Status};
use cairn_expr::{CmpOp, Dag, Evaluator, ExprId, InputByte};
use recipe::{Floats, Recipe};

const BYTES: u32 = 5;

fn bytes() -> Vec<InputByte> {
    // Of two objects, and one offset as lengths have it.
    (0..BYTES).map(|i| InputByte { object: i % 2, offset: if i == 3 { 0xffff_fff0 } else { i } }).collect()
}

fn input(values: [u8; BYTES as usize]) -> impl Fn(InputByte) -> u8 {
    move |byte| bytes().iter().position(|&b| b == byte).map_or(0, |i| values[i])
}

/// Returns the only check of a script.
fn read_one(dag: &mut Dag, text: &str) -> Check {
    let mut checks = smtlib::read(dag, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(checks.len(), 1);
    checks.remove(0)
}

/// Every step compared with its value under an input.
fn conditions(dag: &mut Dag, recipe: &Recipe, values: [u8; BYTES as usize]) -> Vec<ExprId> {
    let built = recipe.build(dag);
    let steps = built.into_iter().zip(recipe.values(input(values))).map(|(e, value)| {
        let value = dag.constant(dag.width(e), value);
        dag.compare(CmpOp::Eq, e, value)
    });
    steps.collect()
}

#[test]
fn what_is_printed_is_read_back_as_the_same_expressions() {
    for seed in 0..600 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let recipe = Recipe::random(&mut rng, 25, &bytes(), Floats::All);
        let mut dag = Dag::new();
        let hidden = std::array::from_fn(|_| rng.u8(..));
        let constraints = conditions(&mut dag, &recipe, hidden);
        let seed_input = input(hidden);
        let conjunction =
            Conjunction { constraints: &constraints, seed: Some(&seed_input), status: Some(Status::Sat) };
        let text = smtlib::full_script(&dag, &conjunction);
        let mut again = Dag::new();
        let check = read_one(&mut again, &text);
        assert_eq!((check.assertions.len(), check.status), (constraints.len(), Some(Status::Sat)));
        for &(byte, value) in &check.seed {
            assert_eq!(value, seed_input(byte));
        }
        let inputs =
            dag.reachable(&constraints).iter().filter(|&&e| dag.op(e) == cairn_expr::Op::Input).count();
        assert_eq!((check.seed.len(), check.symbols.len()), (inputs, inputs), "seed {seed}");
        let sizes = (dag.reachable(&constraints).len(), again.reachable(&check.assertions).len());
        assert_eq!(sizes.0, sizes.1, "seed {seed}\n{text}");
        for values in [hidden, [0; 5], [0xff; 5], std::array::from_fn(|_| rng.u8(..))] {
            let (mut first, mut second) = (Evaluator::new(), Evaluator::new());
            for (&a, &b) in constraints.iter().zip(&check.assertions) {
                let (a, b) = (first.eval(&dag, a, &input(values)), second.eval(&again, b, &input(values)));
                assert_eq!(a, b, "seed {seed}\n{text}");
            }
        }
    }
}

/// Values of the check's `get-value` terms under an input.
fn values(dag: &Dag, check: &Check, input: impl Fn(InputByte) -> u8) -> Vec<String> {
    let value = |e| Evaluator::new().eval(dag, e, &input);
    check
        .values
        .iter()
        .map(|(text, term)| format!("{text} = {}", term.show(value(term.expression))))
        .collect()
}

#[test]
fn scripts_of_other_tools_are_understood() {
    let mut dag = Dag::new();
    let text = r#"
        ; as SMT-LIB's benchmarks are written
        (set-info :source |some
            (tool|) (set-option :produce-models true) (set-logic QF_BVFP)
        (set-info :status unsat)
        (define-sort word () (_ BitVec 32))
        (declare-fun |a b| () word) (declare-const flag Bool) (declare-fun f () Float32)
        (define-fun twice ((x word)) word (let ((|a b| (bvadd x |a b|))) (bvsub |a b| x)))
        (define-fun rm () RoundingMode roundNearestTiesToEven)
        (assert (! (bvult |a b| #x0000ffff) :named small))
        (push 1)
        (declare-const inner (_ BitVec 7))
        (assert (let ((x |a b|) (y flag)) (let ((x (twice x)) (z x)) (and y (= x z)))))
        (check-sat)
        (get-value (small flag (twice |a b|) inner f (fp.add rm f ((_ to_fp 8 24) RNE (- 0.5))) (fp.isNaN f)))
        (pop 1)
        (check-sat-assuming ((not flag) small))
        (get-model) (exit) this is not read"#;
    let checks = smtlib::read(&mut dag, text).unwrap();
    let counts: Vec<_> = checks.iter().map(|c| (c.assertions.len(), c.symbols.len(), c.status)).collect();
    assert_eq!(counts, [(2, 4, Some(Status::Unsat)), (3, 3, None)]);
    let names: Vec<String> =
        checks[0].symbols.iter().map(|s| format!("{} {}", s.name, s.value.sort())).collect();
    let expected = ["|a b| (_ BitVec 32)", "flag Bool", "f (_ FloatingPoint 8 24)", "inner (_ BitVec 7)"];
    assert_eq!(names, expected);
    // One after the other: 0x04030201, then true, then 1.0, then all ones.
    let bytes = [1, 2, 3, 4, 1, 0, 0, 0x80, 0x3f, 0xff];
    let expected = [
        "small = false",
        "flag = true",
        "(twice |a b|) = #x04030201",
        "inner = #b1111111",
        "f = (fp #b0 #b01111111 #b00000000000000000000000)",
        "(fp.add rm f ((_ to_fp 8 24) RNE (- 0.5))) = (fp #b0 #b01111110 #b00000000000000000000000)",
        "(fp.isNaN f) = false",
    ];
    assert_eq!(values(&dag, &checks[0], |byte| bytes[byte.offset as usize]), expected);
}

/// Closed terms that are true, one per corner that the operations of our own expressions do not have.
const TRUE: &[&str] = &[
    "(= (bvsmod #xf9 #x04) #x01) (= (bvsmod #x07 #xfc) #xff) (= (bvsmod #x80 #x00) #x80) (= (bvsmod #x08 #xfc) #x00)",
    "(= (bvshl #x01 #x08) #x00) (= (bvlshr #x80 #xff) #x00) (= (bvashr #x80 #x09) #xff) (= (bvashr #x40 #x77) #x00)",
    "(= ((_ rotate_left 9) #x81) #x03) (= ((_ rotate_right 1) #x81) #xc0) (= ((_ rotate_left 0) #x12) #x12)",
    "(= ((_ repeat 3) #b10) #b101010) (= (concat #b1 #b0 #b1) #b101) (= (bvcomp #x1 #x1) #b1) (= (bvneg #x1) #xf)",
    "(= (bvnand #xc #xa) #x7) (= (bvnor #xc #xa) #x1) (= (bvxnor #xc #xa) #x9) (= (bvredor #x2) #b1)",
    "(bvuaddo #xff #x01) (not (bvsaddo #xff #x01)) (bvsmulo #x40 #x02) (not (bvumulo #x40 #x02)) (bvusubo #x0 #x1)",
    "(bvnego #x80) (bvsdivo #x80 #xff) (bvssubo #x80 #x01) (= (_ bv300 8) #x2c) (distinct #x1 #x2 #x3)",
    "(=> false true false) (xor true true true) (= true true true) (distinct true false) (ite (= #x1 #x2) false true)",
    "(= (_ NaN 8 24) (fp #b1 #xff #b10000000000000000000001)) (not (= (_ +zero 8 24) (_ -zero 8 24)))",
    "(not (fp.eq (_ NaN 11 53) (_ NaN 11 53))) (fp.eq (_ +zero 11 53) (_ -zero 11 53)) (fp.lt (_ -oo 8 24) (_ +oo 8 24))",
    "(= ((_ to_fp 11 53) RNE 0.1) ((_ to_fp 11 53) #x3fb999999999999a)) (fp.isSubnormal ((_ to_fp 8 24) #x00000001))",
    "(= ((_ to_fp 8 24) RNE (/ 1 3)) ((_ to_fp 8 24) #x3eaaaaab)) (fp.isNegative (fp.neg ((_ to_fp 8 24) RNE 2.0)))",
    "(= ((_ fp.to_sbv 8) RTN ((_ to_fp 8 24) RNE (- 2.5))) #xfd) (= ((_ fp.to_ubv 8) RNE ((_ to_fp 8 24) RNE 2.5)) #x02)",
    "(= ((_ to_fp 8 24) RNE #xff) ((_ to_fp 8 24) RNE (- 1))) (= ((_ to_fp_unsigned 8 24) RNE #xff) ((_ to_fp 8 24) RNE 255))",
    "(= (fp.roundToIntegral RNA ((_ to_fp 8 24) RNE 2.5)) ((_ to_fp 8 24) RNE 3.0)) (fp.geq (_ +oo 8 24) (_ +oo 8 24) (_ -oo 8 24))",
    "(= (fp.min (_ NaN 8 24) (_ -oo 8 24)) (_ -oo 8 24)) (fp.isZero (fp.abs (_ -zero 8 24))) (fp.isInfinite (_ -oo 8 24))",
];

#[test]
fn operations_that_are_composed_have_the_standards_values() {
    let mut dag = Dag::new();
    for line in TRUE {
        let check = read_one(&mut dag, &format!("(assert (and {line})) (check-sat)"));
        assert_eq!(dag.as_constant(check.assertions[0]), Some(1), "{line}");
    }
}

#[test]
fn a_real_zero_has_no_sign() {
    for (zero, bits) in [("(- 0.0)", 0), ("(/ 0.0 (- 3.0))", 0), ("(- 1.0)", 0xbff0_0000_0000_0000u64)] {
        let mut dag = Dag::new();
        let text = format!(
            "(declare-const x Float64)(assert (= x ((_ to_fp 11 53) RNE {zero})))(assert (= x ((_ to_fp 11 53) #x{bits:016x})))(check-sat)"
        );
        let check = read_one(&mut dag, &text);
        assert_eq!(check.assertions[0], check.assertions[1], "{zero}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_where_it_is() {
    let cases = [
        ("(assert (bvadd #x1 #x2))", "line 1, column 9: a truth value should be here"),
        ("(check-sat)\n  (assert (bvult x #x1))", "line 2, column 18: Cairn does not know `x`"),
        (
            "(declare-const m (Array (_ BitVec 8) Bool))",
            "line 1, column 18: Cairn does not know the sort `(Array",
        ),
        (
            "(declare-const x (_ BitVec 129))",
            "line 1, column 18: Cairn has values of 1 to 128 bits, not of 129",
        ),
        ("(declare-const x Float16)", "Cairn does not know the sort `Float16`"),
        ("(declare-const x (_ FloatingPoint 5 11))", "Cairn has floats of 32 and 64 bits"),
        ("(declare-const x RoundingMode)", "Cairn has rounding modes only as constants"),
        ("(declare-fun f (Bool) Bool)", "Cairn does not know the function `f`"),
        ("(declare-fun cairn.sin.f16 (Bool) Bool)", "Cairn has no function `cairn.sin.f16`"),
        ("(declare-fun cairn.sin.f64 (Bool) Bool)", "this is not what Cairn means by `cairn.sin.f64`"),
        ("(define-fun cairn.clz.1 ((x (_ BitVec 1))) (_ BitVec 1) x)", "not what Cairn means"),
        ("(define-fun f ((x Bool)) Bool (not (f x)))", "line 1, column 37: `f` is defined by itself"),
        ("(define-fun x () Bool #x1)", "column 23: `x` is defined as something of another sort"),
        ("(declare-const x Bool)\n(declare-const x Bool)", "line 2, column 1: `x` has a meaning already"),
        ("(assert (forall ((x Bool)) x))", "Cairn does not know `forall`"),
        ("(assert (= #x1 #x12))", "the operands of `=` differ in width"),
        ("(assert (= ((_ extract 4 0) #x1) #x1))", "a bit-vector of 4 bits has no bits 4 to 0"),
        ("(assert (= ((_ zero_extend 999999999) #x1) #x1))", "not of 1000000003"),
        ("(assert (= (concat #x1) (bvnot #x1 #x2)))", "`bvnot` takes 1 operand"),
        ("(assert (fp.isNaN (fp.add RTZ (_ NaN 8 24) (_ NaN 8 24))))", "only with rounding mode RNE"),
        ("(assert (fp.isNaN (fp.rem (_ NaN 8 24) (_ NaN 8 24))))", "`fp.rem` rounds the quotient"),
        ("(assert (let ((x #x1) y) true))", "a name and a term in parentheses should be here"),
        ("(assert true false)", "column 14: this is more than the command takes"),
        ("(assert", "line 1, column 1: this parenthesis is never closed"),
        ("(push 1) (pop 2)", "nothing was pushed that could be popped"),
        ("(assert true))", "column 14: nothing is open that this could close"),
        ("(set-info :source |abc)", "column 19: what begins here never ends"),
        ("(fly)", "Cairn does not know the command `fly`"),
        ("sat", "a command should be here"),
        ("(define-fun f ((x Bool)) Bool x) (assert (f #x1))", "this function is defined for something else"),
        ("(define-fun f ((x Bool)) (_ BitVec 1) x) (assert (= #b1 (f true)))", "something of another sort"),
    ];
    for (text, expected) in cases {
        let error = smtlib::read(&mut Dag::new(), text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn deep_nests_need_no_deep_stack() {
    const DEPTH: usize = 50_000;
    let work = || {
        let nest = |open: &str, middle: &str, close: &str| {
            format!(
                "(declare-const x (_ BitVec 32)) (assert {}{middle}{}) (check-sat)",
                open.repeat(DEPTH),
                close.repeat(DEPTH)
            )
        };
        let mut dag = Dag::new();
        for text in [
            nest("(not ", "(= x #x00000001)", ")"),
            nest("(let ((x (bvmul x x))) ", "(= x #x00000001)", ")"),
            nest("(! ", "true", " :note x)"),
            nest("(= #b1 (ite ", "true", " #b1 #b0))"),
        ] {
            read_one(&mut dag, &text);
        }
        let chain = (1..DEPTH).fold(String::from("(define-fun y0 ((x Bool)) Bool (not x))"), |text, i| {
            text + &format!("(define-fun y{i} ((x Bool)) Bool (y{} x))", i - 1)
        });
        let text = format!("{chain} (assert (y{} true)) (check-sat)", DEPTH - 1);
        let last = read_one(&mut dag, &text).assertions[0];
        assert_eq!(dag.as_constant(last), Some(0));
        for text in ["(".repeat(DEPTH), ")".repeat(DEPTH), "((_ ".repeat(DEPTH), nest("(", "", ")")] {
            assert!(smtlib::read(&mut dag, &text).is_err());
        }
    };
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(work).expect("a thread");
    thread.join().expect("no overflow");
}

#[test]
fn damaged_scripts_are_refused_or_read_but_never_break_the_reader() {
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut read, mut refused) = (0, 0);
    for seed in 0..60 {
        let recipe = Recipe::random(&mut fastrand::Rng::with_seed(seed), 20, &bytes(), Floats::All);
        let mut dag = Dag::new();
        let constraints = conditions(&mut dag, &recipe, [3; 5]);
        let start = input([7; 5]);
        let conjunction = Conjunction { constraints: &constraints, seed: Some(&start), status: None };
        let text = smtlib::full_script(&dag, &conjunction).into_bytes();
        let words: Vec<&[u8]> = text.split(|b| b" ()".contains(b)).collect();
        for _ in 0..40 {
            let mut damaged = text.clone();
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(..damaged.len());
                match rng.u8(..6) {
                    0 => damaged[at] = b"() x01|\";#_"[rng.usize(..11)],
                    1 => damaged.truncate(at.max(1)),
                    2 => drop(damaged.remove(at)),
                    _ => {
                        let word = words[rng.usize(..words.len())];
                        damaged.splice(at..at, word.iter().copied());
                    }
                }
            }
            match smtlib::read(&mut Dag::new(), &String::from_utf8_lossy(&damaged)) {
                Ok(_) => read += 1,
                Err(error) => refused += usize::from(error.line > 0 && error.column > 0),
            }
        }
    }
    assert!(read + refused == 2400 && refused > 1000, "{read} read, {refused} refused");
}
