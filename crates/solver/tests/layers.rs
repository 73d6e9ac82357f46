//! Random small conjunctions: no layer contradicts Z3, and every model is one.

#[path = "../../expr/tests/recipe/mod.rs"]
#[allow(dead_code, reason = "only what builds expressions is needed here")]
mod recipe;

use cairn_deadline::Deadline;
use cairn_expr::{BinOp, CmpOp, Dag, Evaluator, ExprId, InputByte};
use cairn_solver::{
    Answer, CounterexampleCache, Engine, Enumerate, Limits, Overlay, Portfolio, Query, Solver, Z3,
};
use recipe::{Floats, Recipe};
use std::time::Duration;

const LIMITS: Limits = Limits { time: Duration::from_millis(100) };

/// These engines alone.
fn portfolio(engines: Vec<Box<dyn Engine>>) -> Portfolio {
    Portfolio::new(LIMITS, engines)
}

fn byte(offset: u32) -> InputByte {
    InputByte { object: 0, offset }
}

fn lookup(bytes: &[u8]) -> impl Fn(InputByte) -> u8 {
    move |b: InputByte| bytes[b.offset as usize]
}

/// Conditions of a random program on the first bytes of the input.
fn computed(dag: &mut Dag, rng: &mut fastrand::Rng) -> Vec<ExprId> {
    let bytes: Vec<InputByte> = (0..rng.u32(1..3)).map(byte).collect();
    let recipe = Recipe::random(rng, 20, &bytes, Floats::Known);
    let built = recipe.build(dag);
    let mut conditions: Vec<ExprId> =
        (0..built.len()).filter(|&i| recipe.width(i) == 1).map(|i| built[i]).collect();
    rng.shuffle(&mut conditions);
    conditions.truncate(5);
    conditions
}

/// Comparisons of a word, or of what is computed with a constant of it, with constants close to each other.
fn compared(dag: &mut Dag, rng: &mut fastrand::Rng) -> Vec<ExprId> {
    let bytes = [0, 1, 2, 3].map(|offset| dag.input(byte(offset)));
    let word = bytes.into_iter().reduce(|low, high| dag.concat(high, low)).expect("four bytes");
    let near = [0, 1, 40, 0x7fff_ffff, 0xffff_fff0][rng.usize(..5)];
    let few = dag.constant(32, u128::from(rng.u32(60..99)));
    let mut conditions = vec![dag.compare(CmpOp::Ult, word, few)];
    for _ in 0..rng.u32(1..5) {
        let other = dag.constant(32, rng.u128(..8));
        let value = match rng.u32(..4) {
            0 => word,
            1 => dag.binary(BinOp::Add, word, other),
            2 => dag.binary(BinOp::Sub, other, word),
            _ => dag.sext(word, 64),
        };
        let constant = dag.constant(dag.width(value), near + rng.u128(..20));
        conditions.push(dag.compare(CmpOp::ALL[rng.usize(..10)], value, constant));
    }
    conditions
}

/// Conditions on two or three of six bytes that have few values each: the fewer share bytes, the further back
/// a search must go when one of them fails.
fn coupled(dag: &mut Dag, rng: &mut fastrand::Rng) -> Vec<ExprId> {
    let bytes = [0, 1, 2, 3, 4, 5].map(|offset| dag.input(byte(offset)));
    let four = dag.constant(8, 4);
    let mut conditions: Vec<ExprId> = bytes.map(|byte| dag.compare(CmpOp::Ult, byte, four)).into();
    for _ in 0..rng.u32(4..9) {
        let ops = [BinOp::Add, BinOp::Xor, BinOp::Mul, BinOp::Sub];
        let mut value = bytes[rng.usize(..6)];
        for _ in 0..rng.u32(1..3) {
            value = dag.binary(ops[rng.usize(..4)], value, bytes[rng.usize(..6)]);
        }
        let constant = dag.constant(8, rng.u128(..6));
        conditions.push(dag.compare(CmpOp::ALL[rng.usize(..10)], value, constant));
    }
    conditions
}

/// Conditions on reads of tables at the same index, which is part of a sum, a product or a remainder; tables
/// contain constants and input.
fn looked_up(dag: &mut Dag, rng: &mut fastrand::Rng) -> Vec<ExprId> {
    let bytes = [0, 1, 2, 3, 4, 5].map(|offset| dag.input(byte(offset)));
    let ops = [BinOp::Add, BinOp::Xor, BinOp::Mul];
    let hash = dag.binary(ops[rng.usize(..3)], bytes[0], bytes[rng.usize(1..6)]);
    let seven = dag.constant(8, 7);
    let place = if rng.bool() { dag.extract(hash, 1, 3) } else { dag.binary(BinOp::URem, hash, seven) };
    let place = dag.zext(place, 64);
    let mut conditions = Vec::new();
    for _ in 0..rng.u32(2..5) {
        let content: [u8; 8] = std::array::from_fn(|_| rng.u8(..3));
        let places = (0..8).filter(|_| rng.u8(..4) == 0).collect::<Vec<u32>>();
        let parts: Vec<(u32, ExprId)> = places.into_iter().map(|at| (at, bytes[rng.usize(..6)])).collect();
        let table = dag.snapshot(&content, &parts);
        let found = dag.read(table, place, 8);
        let constant = dag.constant(8, rng.u128(..4));
        conditions.push(dag.compare(CmpOp::ALL[rng.usize(..10)], found, constant));
    }
    conditions
}

/// Orders and inequalities of bytes that people can read: often they go round in a circle.
fn ordered(dag: &mut Dag, rng: &mut fastrand::Rng) -> Vec<ExprId> {
    let bytes = [0, 1, 2, 3, 4, 5].map(|offset| dag.input(byte(offset)));
    let mut conditions = Vec::new();
    for _ in 0..rng.u32(5..12) {
        let (a, b) = (bytes[rng.usize(..6)], bytes[rng.usize(..6)]);
        conditions.push(dag.compare(CmpOp::ALL[rng.usize(..10)], a, b));
    }
    conditions
}

/// Returns a query whose prefix holds on the seed; whether its target can is not known.
fn query(dag: &mut Dag, rng: &mut fastrand::Rng, seed: &[u8]) -> Option<(Vec<ExprId>, ExprId)> {
    let mut conditions = match rng.u32(..5) {
        0 => computed(dag, rng),
        1 => compared(dag, rng),
        2 => looked_up(dag, rng),
        3 => ordered(dag, rng),
        _ => coupled(dag, rng),
    };
    let mut evaluator = Evaluator::new();
    for condition in &mut conditions {
        if evaluator.eval(dag, *condition, &lookup(seed)) == 0 {
            *condition = dag.not(*condition);
        }
    }
    conditions.retain(|&e| dag.as_constant(e).is_none());
    let last = conditions.pop()?;
    let target = if rng.u8(..) < 200 { dag.not(last) } else { last };
    dag.as_constant(target).is_none().then_some((conditions, target))
}

/// Asks both about random queries; gives how many the layer answered with yes and no, and how many there
/// were.
fn compare(layer: &mut dyn Solver, rounds: u64) -> (u64, u64, u64) {
    let mut z3 = Z3::new(LIMITS);
    let mut dag = Dag::new();
    let (mut sat, mut unsat, mut asked) = (0, 0, 0);
    for round in 0..rounds {
        let mut rng = fastrand::Rng::with_seed(round);
        let seed: [u8; 6] = [rng.u8(..60), 0, 0, 0, rng.u8(..4), 1];
        let Some((prefix, target)) = query(&mut dag, &mut rng, &seed) else { continue };
        let query = Query { prefix: &prefix, target };
        asked += 1;
        match layer.solve(&dag, &query, &lookup(&seed), &Deadline::never()) {
            Answer::Sat(model) => {
                let input = Overlay { model: &model, seed: &lookup(&seed) };
                let holds = |e| Evaluator::new().eval(&dag, e, &input) == 1;
                assert!(query.constraints().all(holds), "round {round}: {model:?}");
                sat += 1;
            }
            Answer::Unsat => {
                let answer = z3.solve(&dag, &query, &lookup(&seed), &Deadline::never());
                assert!(!matches!(answer, Answer::Sat(_)), "round {round}: {answer:?}");
                unsat += 1;
            }
            Answer::Unknown(_) => {}
        }
    }
    (sat, unsat, asked)
}

#[test]
fn what_old_answers_say_is_true() {
    let mut layer = portfolio(vec![Box::new(CounterexampleCache::default()), Box::new(Z3::new(LIMITS))]);
    let (sat, unsat, asked) = compare(&mut layer, 500);
    assert!(sat > 80 && unsat > 80, "{sat} and {unsat} of {asked}");
    let again = layer.stats().layers.get("reuse");
    assert!(again.sat > 20, "{again:?}");
}

#[test]
fn a_contradiction_is_one_with_more_constraints_too() {
    let mut dag = Dag::new();
    let below = |dag: &mut Dag, offset, bound| {
        let (x, bound) = (dag.input(InputByte { object: 0, offset }), dag.constant(8, bound));
        dag.compare(CmpOp::Ult, x, bound)
    };
    let [low, other, high] = [(0, 5), (1, 7), (0, 9)].map(|(offset, bound)| below(&mut dag, offset, bound));
    let high = dag.not(high);
    let mut layer = portfolio(vec![Box::new(CounterexampleCache::default()), Box::new(Z3::new(LIMITS))]);
    let seed = |_: InputByte| 0;
    for prefix in [&[low][..], &[low, other]] {
        assert_eq!(
            layer.solve(&dag, &Query { prefix, target: high }, &seed, &Deadline::never()),
            Answer::Unsat
        );
    }
    let layers = layer.stats().layers;
    assert_eq!((layers.get("smt").asked, layers.get("reuse").unsat), (1, 1));
}

#[test]
fn what_enumeration_says_is_true() {
    let (sat, unsat, asked) = compare(&mut portfolio(vec![Box::<Enumerate>::default()]), 4000);
    assert!(sat > 300 && unsat > 300, "{sat} and {unsat} of {asked}");
    assert!((sat + unsat) * 10 > asked * 9, "{sat} and {unsat} of {asked}");
}

#[test]
fn bytes_without_a_part_in_a_contradiction_do_not_count() {
    let mut dag = Dag::new();
    let [one, mask, bound] = [1, 0xf9, 200].map(|value| dag.constant(8, value));
    let zero = dag.constant(8, 0);
    let bytes: Vec<ExprId> = (0..60).map(|offset| dag.input(byte(offset))).collect();
    let (x, last) = (bytes[0], bytes[59]);
    // Tried between the two that matter, since they have fewer values than the last.
    let few = bytes[1..59].iter().map(|&byte| dag.compare(CmpOp::Ule, byte, one)).collect::<Vec<_>>();
    let coupled = bytes[1..59].windows(2).map(|pair| {
        let sum = pair.iter().fold(x, |sum, &byte| dag.binary(BinOp::Xor, sum, byte));
        dag.compare(CmpOp::Ult, sum, bound)
    });
    let mut prefix = few;
    prefix.extend(coupled.collect::<Vec<_>>());
    let product = dag.binary(BinOp::Mul, x, last);
    let parity = dag.binary(BinOp::And, product, one);
    prefix.push(dag.compare(CmpOp::Eq, parity, one));
    let masked = dag.binary(BinOp::And, x, mask);
    let target = dag.compare(CmpOp::Eq, masked, zero);
    let answer = portfolio(vec![Box::<Enumerate>::default()]).solve(
        &dag,
        &Query { prefix: &prefix, target },
        &|_| 1,
        &Deadline::never(),
    );
    assert_eq!(answer, Answer::Unsat);
}

/// Three bytes between letters, each below the next, and the last not above the first: no single pair says
/// so.
#[test]
fn what_no_pair_of_bytes_says_alone_is_found_without_trying_all() {
    let mut dag = Dag::new();
    let [a, b, c] = [0, 1, 2].map(|offset| dag.input(byte(offset)));
    let (low, high) = (dag.constant(8, u128::from(b' ')), dag.constant(8, u128::from(b'~')));
    let mut prefix = Vec::new();
    for x in [a, b, c] {
        prefix.extend([dag.compare(CmpOp::Ule, low, x), dag.compare(CmpOp::Ule, x, high)]);
    }
    prefix.extend([dag.compare(CmpOp::Ult, a, b), dag.compare(CmpOp::Ule, b, c)]);
    let mut layer = portfolio(vec![Box::<Enumerate>::default()]);
    // Sorts of others, so that it is a search of more than it would try.
    for offset in 3..9 {
        let (x, before) = (dag.input(byte(offset)), dag.input(byte(offset - 1)));
        prefix.push(dag.compare(CmpOp::Ule, before, x));
    }
    let last = dag.input(byte(8));
    for (target, is_possible) in
        [(dag.compare(CmpOp::Ule, last, a), false), (dag.compare(CmpOp::Ule, a, last), true)]
    {
        let answer = layer.solve(&dag, &Query { prefix: &prefix, target }, &|_| b'a', &Deadline::never());
        match answer {
            Answer::Sat(model) if is_possible => {
                let seed = |_| b'a';
                let input = Overlay { model: &model, seed: &seed };
                let mut evaluator = Evaluator::new();
                assert!(prefix.iter().chain([&target]).all(|&e| evaluator.eval(&dag, e, &input) == 1));
            }
            Answer::Unsat if !is_possible => {}
            answer => panic!("{answer:?}"),
        }
    }
}
