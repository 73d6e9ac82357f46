//! Queries that are linear in bits: checksums, shift registers and generators of random numbers of any length
//! are decided exactly, and by linear algebra alone.

use cairn_deadline::Deadline;
use cairn_expr::{BinOp, CmpOp, Dag, Evaluator, ExprId, InputByte};
use cairn_solver::{Answer, Limits, Query, Solver, only_sat};
use std::time::{Duration, Instant};

const LIMITS: Limits = Limits { time: Duration::from_secs(10) };
const POLYNOMIAL: u32 = 0xedb8_8320;

fn byte(dag: &mut Dag, offset: u32, width: u8) -> ExprId {
    let byte = dag.input(InputByte { object: 0, offset });
    dag.zext(byte, width)
}

fn table() -> Vec<u8> {
    let entry = |i: u32| (0..8).fold(i, |crc, _| crc >> 1 ^ (POLYNOMIAL & (crc & 1).wrapping_neg()));
    (0..256).flat_map(|i| entry(i).to_le_bytes()).collect()
}

/// CRC-32 of so many bytes, as C code with a table computes it.
fn checksum(dag: &mut Dag, length: u32) -> ExprId {
    let table = dag.snapshot(&table(), &[]);
    let (two, eight) = (dag.constant(64, 2), dag.constant(32, 8));
    let start = dag.constant(32, u32::MAX.into());
    (0..length).fold(start, |crc, offset| {
        let byte = byte(dag, offset, 32);
        let mixed = dag.binary(BinOp::Xor, crc, byte);
        let low = dag.trunc(mixed, 8);
        let index = dag.zext(low, 64);
        let index = dag.binary(BinOp::Shl, index, two);
        let (entry, rest) = (dag.read(table, index, 32), dag.binary(BinOp::LShr, crc, eight));
        dag.binary(BinOp::Xor, entry, rest)
    })
}

fn equals(dag: &mut Dag, e: ExprId, value: u128) -> ExprId {
    let value = dag.constant(dag.width(e), value);
    dag.compare(CmpOp::Eq, e, value)
}

/// Answers a query with a stack of bit-blasting alone, which validates models, and says if the SAT solver was
/// asked.
fn solve(dag: &Dag, prefix: &[ExprId], target: ExprId) -> (Answer, bool, Duration) {
    let mut solver = only_sat(LIMITS);
    let start = Instant::now();
    let answer = solver.solve(dag, &Query { prefix, target }, &|_: InputByte| 0, &Deadline::never());
    (answer, solver.stats().layers.get("sat").asked > 0, start.elapsed())
}

#[test]
fn checksums_of_any_length_are_inverted_without_search() {
    for length in [4, 8, 64, 4096] {
        let mut dag = Dag::new();
        let crc = checksum(&mut dag, length);
        let target = equals(&mut dag, crc, 0x1234_5678);
        let (answer, has_searched, time) = solve(&dag, &[], target);
        println!("{length} bytes: {time:?}");
        assert!(matches!(answer, Answer::Sat(_)), "{length} bytes: {answer:?}");
        // A circuit of many gates takes several attempts, and which engine finishes it depends on the clock.
        assert!(!has_searched || length > 64, "{length} bytes");
        assert!(time < Duration::from_secs(5), "{length} bytes took {time:?}");
    }
}

/// The checksum of two bytes has few of all values.
#[test]
fn values_that_a_checksum_cannot_have_are_refuted_exactly() {
    let mut dag = Dag::new();
    let crc = checksum(&mut dag, 2);
    let mut evaluator = Evaluator::new();
    let mut rng = fastrand::Rng::with_seed(4);
    let mut value_of =
        |input: [u8; 2]| evaluator.eval(&dag, crc, &|byte: InputByte| input[byte.offset as usize]);
    let all: Vec<u128> = (0..=u16::MAX).map(|input| value_of(input.to_le_bytes())).collect();
    for i in 0..40 {
        let value = if i % 2 == 0 { rng.u32(..).into() } else { all[rng.usize(..all.len())] };
        let target = equals(&mut dag, crc, value);
        let (answer, has_searched, _) = solve(&dag, &[], target);
        assert_eq!(answer.verdict(), if all.contains(&value) { "sat" } else { "unsat" });
        assert!(!has_searched);
    }
}

#[test]
fn a_checksum_that_is_compared_with_input_is_solved_under_other_constraints() {
    let mut dag = Dag::new();
    let crc = checksum(&mut dag, 64);
    let stored = (64..68).map(|offset| dag.input(InputByte { object: 0, offset })).collect::<Vec<_>>();
    let stored = stored.into_iter().reduce(|low, high| dag.concat(high, low)).expect("four bytes");
    let target = dag.compare(CmpOp::Eq, crc, stored);
    let mut prefix = Vec::new();
    for offset in 0..64 {
        let letter = byte(&mut dag, offset, 8);
        let (first, last) = (dag.constant(8, 0x20), dag.constant(8, 0x7f));
        prefix.push(dag.compare(CmpOp::Ule, first, letter));
        prefix.push(dag.compare(CmpOp::Ult, letter, last));
    }
    let (answer, _, time) = solve(&dag, &prefix, target);
    println!("stored checksum: {time:?}");
    assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
}

#[test]
fn rounds_of_shifts_and_exclusive_ors_are_turned_round() {
    let mut dag = Dag::new();
    let bytes: Vec<ExprId> = (0..8).map(|offset| dag.input(InputByte { object: 0, offset })).collect();
    let mut value = bytes.into_iter().reduce(|low, high| dag.concat(high, low)).expect("eight bytes");
    for _ in 0..64 {
        for (op, amount) in [(BinOp::Shl, 13), (BinOp::LShr, 7), (BinOp::Shl, 17)] {
            let amount = dag.constant(64, amount);
            let shifted = dag.binary(op, value, amount);
            value = dag.binary(BinOp::Xor, value, shifted);
        }
    }
    let target = equals(&mut dag, value, 0x0123_4567_89ab_cdef);
    let (answer, has_searched, time) = solve(&dag, &[], target);
    println!("xorshift: {time:?}");
    assert!(matches!(answer, Answer::Sat(_)) && !has_searched);
}

/// Random systems of equations between sums of bits of two bytes, against brute force.
#[test]
fn random_affine_systems_have_the_verdicts_of_brute_force() {
    let mut dag = Dag::new();
    let (low, high) = (byte(&mut dag, 0, 8), byte(&mut dag, 1, 8));
    let word = dag.concat(high, low);
    let mut rng = fastrand::Rng::with_seed(12);
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..150 {
        let system: Vec<(u16, bool)> = (0..rng.usize(10..20)).map(|_| (rng.u16(..), rng.bool())).collect();
        let holds =
            |value: u16| system.iter().all(|&(mask, sum)| (value & mask).count_ones() % 2 == u32::from(sum));
        let is_possible = (0..=u16::MAX).any(holds);
        let mut constraints: Vec<ExprId> = Vec::new();
        for &(mask, sum) in &system {
            let bits: Vec<ExprId> =
                (0..16).filter(|bit| mask >> bit & 1 == 1).map(|bit| dag.extract(word, bit, 1)).collect();
            let none = dag.constant(1, 0);
            let parity = bits.into_iter().fold(none, |parity, bit| dag.binary(BinOp::Xor, parity, bit));
            constraints.push(equals(&mut dag, parity, sum.into()));
        }
        let (target, prefix) = constraints.split_last().expect("ten or more");
        let (answer, has_searched, _) = solve(&dag, prefix, *target);
        assert_eq!(answer.verdict(), if is_possible { "sat" } else { "unsat" });
        assert!(!has_searched);
        *(if is_possible { &mut sat } else { &mut unsat }) += 1;
    }
    assert!(sat > 20 && unsat > 20, "{sat} sat, {unsat} unsat");
}
