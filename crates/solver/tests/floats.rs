//! Conditions on numbers, as C programs have them: answered, and the answer true.

mod conditions;

use cairn_deadline::Deadline;
use cairn_expr::{Dag, Evaluator, InputByte};
use cairn_solver::{Answer, Limits, Overlay, Query, Solver, standard};
use conditions::Reader;
use std::time::Duration;

/// True if a condition is answered with a model that makes it true, from an input of zeros.
fn is_answered(solver: &mut dyn Solver, dag: &mut Dag, text: &str) -> bool {
    let conditions = Reader::new(dag, text).conditions();
    let always = dag.truth(true);
    let target = conditions.into_iter().fold(always, |all, condition| dag.and(all, condition));
    let seed = |_: InputByte| 0;
    let Answer::Sat(model) = solver.solve(dag, &Query { prefix: &[], target }, &seed, &Deadline::never())
    else {
        return false;
    };
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
    "af == 0.5 && bf > af",
    "af * bf > 1000 && af < 2",
    "af > 0.1 && af < 0.10001",
    "I * 0.5 > 1000.25 && J * 0.1 < 0 - 5",
    "int(x) == I && I > 5",
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
    assert_eq!((stats.total.sat, stats.layers.get("validate").unknown), (CONDITIONS.len() as u64, 0));
    assert!(stats.layers.get("walk").sat * 10 > stats.total.sat * 8, "{stats:?}");
}

#[test]
fn the_same_query_has_the_same_answer() {
    let ask = || {
        let mut dag = Dag::new();
        let conditions =
            Reader::new(&mut dag, "sin(x) * cos(y) > 0.8 && x > 3 && pow(y, 3) > 50").conditions();
        let (&target, prefix) = conditions.split_last().expect("a condition");
        standard(Limits::default()).solve(
            &dag,
            &Query { prefix, target },
            &|_: InputByte| 0,
            &Deadline::never(),
        )
    };
    assert!(matches!(ask(), Answer::Sat(_)));
    assert_eq!(ask(), ask());
}

#[test]
fn what_has_no_answer_gets_none() {
    let mut dag = Dag::new();
    let mut solver = standard(Limits { time: Duration::from_millis(500) });
    for text in ["x < 1 && x > 1", "sin(x) > 2 && sin(x) < 1", "fabs(af) < 0", "sqrt(x) > 1 && sqrt(x) < 1"] {
        assert!(!is_answered(&mut *solver, &mut dag, text), "{text}");
    }
    let stats = solver.stats();
    let refused = stats.layers.get("validate").unknown;
    assert_eq!((stats.total.sat, stats.layers.get("walk").sat, refused), (0, 0, 0), "{stats:?}");
}
