use super::*;
use crate::testing::{byte, zeros};
use cairn_expr::{BinOp, CmpOp};

/// Steps that are enough for every search of these tests.
const STEPS: u64 = 50_000_000;

/// Expressions of the states that an automaton with eight states passes through, which reads the lowest three
/// bits of each byte.
fn states(dag: &mut Dag, transitions: &[u8; 64], bytes: u32) -> Vec<ExprId> {
    let table = dag.snapshot(transitions, &[]);
    let mut state = dag.constant(8, 0);
    let mut step = |offset| {
        let input = dag.input(byte(offset));
        let (row, column) = (dag.extract(state, 0, 3), dag.extract(input, 0, 3));
        let index = dag.concat(row, column);
        let index = dag.zext(index, 64);
        state = dag.read(table, index, 8);
        state
    };
    (0..bytes).map(&mut step).collect()
}

fn compared(dag: &mut Dag, op: CmpOp, e: ExprId, value: u8) -> ExprId {
    let value = dag.constant(8, value.into());
    dag.compare(op, e, value)
}

fn decide(dag: &Dag, prefix: &[ExprId], target: ExprId, steps: u64) -> Answer {
    let query = Query { prefix, target };
    let task = Task { dag, query: &query, seed: &zeros, deadline: &Deadline::never() };
    Enumerate::default().decide(&task, false, steps, Allowance::of(Duration::MAX)).0
}

/// There are 256 to the power of 16 inputs, but only five states.
#[test]
fn a_long_automaton_is_decided_by_its_states() {
    let transitions = std::array::from_fn(|i| ((i / 8 + i % 8) % 5) as u8);
    let mut dag = Dag::new();
    let states = states(&mut dag, &transitions, 16);
    let [reachable, unreachable] = [4, 6].map(|state| compared(&mut dag, CmpOp::Eq, states[15], state));
    assert!(matches!(decide(&dag, &[], reachable, 3_000_000), Answer::Sat(_)));
    assert_eq!(decide(&dag, &[], unreachable, 3_000_000), Answer::Unsat);
}

/// Constraints on states and on a sum of all bytes, with and without arcs, against all inputs.
#[test]
fn staged_searches_agree_with_trying_all_inputs() {
    const BYTES: u32 = 4;
    let mut rng = fastrand::Rng::with_seed(11);
    let mut counts = [0; 2];
    for round in 0..160 {
        let mut dag = Dag::new();
        let transitions = std::array::from_fn(|_| rng.u8(..8));
        let states = states(&mut dag, &transitions, BYTES);
        let mut prefix: Vec<ExprId> = Vec::new();
        let mut sum = dag.constant(8, 0);
        for offset in 0..BYTES {
            let (input, factor) = (dag.input(byte(offset)), dag.constant(8, rng.u8(..).into()));
            let product = dag.binary(BinOp::Mul, input, factor);
            sum = dag.binary(BinOp::Add, sum, product);
            prefix.push(compared(&mut dag, CmpOp::Ult, input, 8));
        }
        for _ in 0..rng.usize(1..5) {
            let which = states[rng.usize(..states.len())];
            let excluded = compared(&mut dag, CmpOp::Eq, which, rng.u8(..8));
            prefix.push(dag.not(excluded));
        }
        let target = match round % 3 {
            0 => compared(&mut dag, CmpOp::Eq, sum, rng.u8(..)),
            1 => compared(&mut dag, CmpOp::Eq, states[BYTES as usize - 1], rng.u8(..8)),
            _ => {
                let mixed = dag.binary(BinOp::Xor, sum, states[BYTES as usize - 1]);
                compared(&mut dag, CmpOp::Ult, mixed, rng.u8(1..6))
            }
        };
        let mut evaluator = Evaluator::new();
        let mut fits = |number: u32| {
            let input = |b: InputByte| (number >> (3 * b.offset) & 7) as u8;
            holds(&mut evaluator, &dag, prefix.iter().copied().chain([target]), &input)
        };
        let is_sat = (0..1 << (3 * BYTES)).any(&mut fits);
        counts[usize::from(is_sat)] += 1;
        for steps in [200_000, STEPS] {
            let answer = decide(&dag, &prefix, target, steps);
            assert_eq!(matches!(answer, Answer::Sat(_)), is_sat, "round {round}: {answer:?}");
            assert_eq!(answer == Answer::Unsat, !is_sat, "round {round}");
        }
    }
    assert!(counts.iter().all(|count| *count > 10), "unsat and sat: {counts:?}");
}

/// FNV-1a of this many bytes, as an expression.
fn fnv(dag: &mut Dag, count: u32) -> ExprId {
    let mut hash = dag.constant(32, 0x811c_9dc5);
    let prime = dag.constant(32, 0x0100_0193);
    for offset in 0..count {
        let input = dag.input(byte(offset));
        let input = dag.zext(input, 32);
        hash = dag.binary(BinOp::Xor, hash, input);
        hash = dag.binary(BinOp::Mul, hash, prime);
    }
    hash
}

#[test]
fn hashes_are_inverted_from_both_ends() {
    let mut dag = Dag::new();
    let (four, eight) = (fnv(&mut dag, 4), fnv(&mut dag, 8));
    let digits: Vec<ExprId> = (0..8)
        .flat_map(|offset| {
            let input = dag.input(byte(offset));
            let (first, last) = (dag.constant(8, b'0'.into()), dag.constant(8, b'z'.into()));
            [dag.compare(CmpOp::Ule, first, input), dag.compare(CmpOp::Ule, input, last)]
        })
        .collect();
    let mut equals = |hash, value| {
        let value = dag.constant(32, value);
        dag.compare(CmpOp::Eq, hash, value)
    };
    let concrete = |text: [u8; 4]| {
        text.into_iter().fold(0x811c_9dc5, |hash: u32, c| (hash ^ u32::from(c)).wrapping_mul(0x0100_0193))
    };
    let all = (0..75u32.pow(4)).map(|n| concrete([0, 1, 2, 3].map(|i| b'0' + (n / 75u32.pow(i) % 75) as u8)));
    let [spam, never] = [concrete(*b"spam"), 1].map(|hash| equals(four, hash.into()));
    assert!(all.into_iter().all(|hash| hash != 1));
    let any = equals(eight, 0x1234_5678);
    assert!(matches!(decide(&dag, &digits[..8], spam, 20_000_000), Answer::Sat(_)));
    assert_eq!(decide(&dag, &digits[..8], never, 20_000_000), Answer::Unsat);
    assert!(matches!(decide(&dag, &digits, any, 20_000_000), Answer::Sat(_)));
    assert_eq!(decide(&dag, &digits, any, 1_000_000), Answer::Unknown(Unknown::TimeLimit), "too few to meet");
}
