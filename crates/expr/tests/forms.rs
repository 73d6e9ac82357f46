//! Patterns of compiled C that the constructors must simplify.

use cairn_expr::{BinOp, CmpOp, Dag, Evaluator, ExprId, InputByte, Node, Op, smtlib};

fn byte(dag: &mut Dag, offset: u32) -> ExprId {
    dag.input(InputByte { object: 0, offset })
}

fn word(dag: &mut Dag, first: u32) -> ExprId {
    let mut word = byte(dag, first);
    for offset in first + 1..first + 4 {
        let next = byte(dag, offset);
        word = dag.concat(next, word);
    }
    word
}

/// Returns a value that is no input: the sum of two words.
fn sum(dag: &mut Dag) -> ExprId {
    let (a, b) = (word(dag, 0), word(dag, 4));
    dag.binary(BinOp::Add, a, b)
}

fn shift_or(dag: &mut Dag, parts: &[ExprId]) -> ExprId {
    let mut value = dag.constant(32, 0);
    for (i, &part) in parts.iter().enumerate() {
        let part = dag.zext(part, 32);
        let amount = dag.constant(32, 8 * i as u128);
        let shifted = dag.binary(BinOp::Shl, part, amount);
        value = dag.or(value, shifted);
    }
    value
}

fn bytes_of(dag: &mut Dag, value: ExprId) -> Vec<ExprId> {
    (0..dag.width(value) / 8).map(|i| dag.extract(value, i * 8, 8)).collect()
}

fn concat_all(dag: &mut Dag, parts: &[ExprId]) -> ExprId {
    let rest = parts[1..].iter();
    rest.fold(parts[0], |low, &high| dag.concat(high, low))
}

#[test]
fn a_value_taken_apart_and_put_together_is_itself() {
    let mut dag = Dag::new();
    let (plain, computed) = (word(&mut dag, 0), sum(&mut dag));
    let (first, negative) = (byte(&mut dag, 0), byte(&mut dag, 9));
    let (zero_extended, sign_extended) = (dag.zext(first, 32), dag.sext(negative, 32));
    for value in [plain, computed, zero_extended, sign_extended] {
        let parts = bytes_of(&mut dag, value);
        assert_eq!(concat_all(&mut dag, &parts), value, "{:?}", dag.node(value));
        let halves = [dag.extract(value, 0, 16), dag.extract(value, 16, 16)];
        assert_eq!(concat_all(&mut dag, &halves), value, "{:?}", dag.node(value));
    }
    let parts: Vec<ExprId> = (0..4).map(|i| byte(&mut dag, i)).collect();
    assert_eq!(shift_or(&mut dag, &parts), plain);
    let parts = bytes_of(&mut dag, computed);
    assert_eq!(shift_or(&mut dag, &parts), computed);
}

#[test]
fn masks_and_shifts_by_constants_pick_bytes() {
    let mut dag = Dag::new();
    let value = word(&mut dag, 0);
    let (low, third) = (byte(&mut dag, 0), byte(&mut dag, 2));
    let mask = dag.constant(32, 0xff);
    let masked = dag.and(value, mask);
    assert_eq!(masked, dag.zext(low, 32));
    let sixteen = dag.constant(32, 16);
    let shifted = dag.binary(BinOp::LShr, value, sixteen);
    let picked = dag.and(shifted, mask);
    assert_eq!(picked, dag.zext(third, 32));
    assert_eq!(dag.inputs(picked), [InputByte { object: 0, offset: 2 }]);
}

#[test]
fn promoted_characters_are_compared_as_characters() {
    let mut dag = Dag::new();
    let c = byte(&mut dag, 0);
    for extended in [dag.zext(c, 32), dag.sext(c, 32)] {
        let letter = dag.constant(32, 0x41);
        let equal = dag.compare(CmpOp::Eq, extended, letter);
        let narrow = dag.constant(8, 0x41);
        assert_eq!(dag.node(equal), Node::Compare(CmpOp::Eq, c, narrow));
        let far = dag.constant(32, 0x1_0041);
        let never = dag.compare(CmpOp::Eq, extended, far);
        assert_eq!(dag.as_constant(never), Some(0));
        let less = dag.compare(CmpOp::Slt, extended, far);
        assert_eq!(dag.as_constant(less), Some(1));
    }
}

#[test]
fn promoted_arithmetic_is_done_as_narrow_as_its_use() {
    let mut dag = Dag::new();
    let c = byte(&mut dag, 0);
    let wide = dag.zext(c, 32);
    let one = dag.constant(32, 1);
    let next = dag.binary(BinOp::Add, wide, one);
    let stored = dag.trunc(next, 8);
    let narrow_one = dag.constant(8, 1);
    assert_eq!(dag.node(stored), Node::Binary(BinOp::Add, c, narrow_one));
    let ten = dag.constant(32, 10);
    let digit = dag.binary(BinOp::SRem, wide, ten);
    let Node::ZExt(narrow) = dag.node(digit) else { panic!("{:?}", dag.node(digit)) };
    assert_eq!((dag.op(narrow), dag.width(narrow)), (Op::URem, 8));
}

#[test]
fn negations_cancel_and_turn_comparisons_round() {
    let mut dag = Dag::new();
    let (a, b) = (word(&mut dag, 0), word(&mut dag, 4));
    for op in CmpOp::ALL {
        let condition = dag.compare(op, a, b);
        let not = dag.not(condition);
        assert_ne!(not, condition);
        assert_eq!(dag.not(not), condition);
        let (both, either) = (dag.and(condition, condition), dag.or(condition, condition));
        assert_eq!((both, either), (condition, condition));
    }
    let less = dag.compare(CmpOp::Ult, a, b);
    let not_less = dag.not(less);
    assert_eq!(not_less, dag.compare(CmpOp::Uge, a, b));
}

#[test]
fn values_that_cancel_are_constants() {
    let mut dag = Dag::new();
    let (a, b) = (word(&mut dag, 0), word(&mut dag, 4));
    let complement = dag.not(a);
    let nothing = [dag.xor(a, a), dag.binary(BinOp::Sub, a, a), dag.and(a, complement)];
    for e in nothing {
        assert_eq!(dag.as_constant(e), Some(0));
    }
    let both = dag.or(a, complement);
    assert_eq!(dag.as_constant(both), Some(0xffff_ffff));
    let sum = dag.binary(BinOp::Add, a, b);
    assert_eq!(dag.binary(BinOp::Sub, sum, b), a);
    let difference = dag.binary(BinOp::Sub, a, b);
    assert_eq!(dag.binary(BinOp::Add, difference, b), a);
    let zero = dag.constant(32, 0);
    let same = dag.compare(CmpOp::Eq, difference, zero);
    assert_eq!(dag.node(same), Node::Compare(CmpOp::Eq, a, b));
}

#[test]
fn a_condition_stored_as_an_int_and_tested_is_the_condition() {
    let mut dag = Dag::new();
    let (a, b) = (word(&mut dag, 0), word(&mut dag, 4));
    let less = dag.compare(CmpOp::Slt, a, b);
    let (one, zero) = (dag.constant(32, 1), dag.constant(32, 0));
    let chosen = dag.ite(less, one, zero);
    assert_eq!(chosen, dag.zext(less, 32));
    assert_eq!(dag.compare(CmpOp::Ne, chosen, zero), less);
    let not = dag.not(less);
    assert_eq!(dag.compare(CmpOp::Eq, chosen, zero), not);
    let (three, seven) = (dag.constant(32, 3), dag.constant(32, 7));
    let table = dag.ite(less, three, seven);
    assert_eq!(dag.compare(CmpOp::Eq, table, three), less);
}

#[test]
fn a_sign_test_looks_at_the_byte_with_the_sign() {
    let mut dag = Dag::new();
    let value = word(&mut dag, 0);
    let zero = dag.constant(32, 0);
    let negative = dag.compare(CmpOp::Slt, value, zero);
    assert_eq!(dag.inputs(negative), [InputByte { object: 0, offset: 3 }]);
}

#[test]
fn a_read_that_can_give_only_one_value_is_that_value() {
    let mut dag = Dag::new();
    let (index, part) = (byte(&mut dag, 0), byte(&mut dag, 1));
    let index = dag.zext(index, 64);
    let same = dag.snapshot(&[7; 257], &[]);
    let fits = dag.read(same, index, 16);
    assert_eq!(dag.as_constant(fits), Some(0x0707));
    // The last place has three of four bytes only.
    let beyond = dag.read(same, index, 32);
    assert_eq!(dag.op(beyond), Op::Read);
    let mixed = dag.snapshot(&[7; 256], &[(3, part)]);
    let place = dag.constant(64, 3);
    assert_eq!(dag.read(mixed, place, 8), part);
    let anywhere = dag.read(mixed, index, 8);
    assert_eq!(dag.inputs(anywhere).len(), 2);
}

/// Returns a long loop over one input byte: every step mixes constants in with all kinds of operations.
fn long_chain(dag: &mut Dag, steps: u32) -> ExprId {
    let mut h = word(dag, 0);
    for i in 0..steps {
        let k = dag.constant(32, u128::from(i.wrapping_mul(2_654_435_761)) | 0x8000_0001);
        let op = [BinOp::Xor, BinOp::Add, BinOp::Or, BinOp::And, BinOp::Mul][i as usize % 5];
        h = dag.binary(op, h, k);
        let (high, low) = (dag.extract(h, 27, 5), dag.extract(h, 0, 27));
        h = if i % 3 == 0 { dag.concat(low, high) } else { h };
    }
    h
}

#[test]
fn deep_expressions_need_no_deep_stack() {
    let work = || {
        let mut dag = Dag::new();
        let deep = long_chain(&mut dag, 30_000);
        let seven = dag.constant(32, 7);
        let condition = dag.compare(CmpOp::Eq, deep, seven);
        let narrow = dag.extract(deep, 3, 9);
        let mut evaluator = Evaluator::new();
        let value = evaluator.eval(&dag, deep, &|b: InputByte| b.offset as u8);
        assert_eq!(evaluator.eval(&dag, narrow, &|b: InputByte| b.offset as u8), value >> 3 & 0x1ff);
        assert!(smtlib::script(&dag, &[condition]).len() > dag.len());
        dag.len()
    };
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(work).expect("a thread");
    assert!(thread.join().expect("no overflow") < 400_000);
}

#[test]
fn a_checksum_over_many_bytes_shares_its_input_sets() {
    const LEN: u32 = 20_000;
    let mut dag = Dag::new();
    let mut sum = dag.constant(32, 0);
    for offset in 0..LEN {
        let next = byte(&mut dag, offset);
        let next = dag.zext(next, 32);
        sum = dag.binary(BinOp::Add, sum, next);
    }
    assert_eq!(dag.inputs(sum).len(), LEN as usize);
    assert!(dag.sets().len() < 15 * LEN as usize, "{} parts of sets", dag.sets().len());
}

#[test]
fn a_script_names_inputs_and_is_linear_in_the_dag() {
    let mut dag = Dag::new();
    let mut x = byte(&mut dag, 12);
    // As a tree this doubles with every step.
    for _ in 0..200 {
        let twice = dag.binary(BinOp::Mul, x, x);
        x = dag.binary(BinOp::Xor, twice, x);
    }
    let k = dag.constant(8, 3);
    let condition = dag.compare(CmpOp::Eq, x, k);
    let script = smtlib::script(&dag, &[condition]);
    assert!(script.contains("(declare-const obj0_12 (_ BitVec 8))"));
    assert!(script.len() < 100 * dag.len());
}
