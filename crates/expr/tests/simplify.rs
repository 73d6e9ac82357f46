//! Whatever the constructors make of an expression, it must still be worth the same.

mod recipe;

use cairn_expr::{Dag, Evaluator, InputByte, Op};
use recipe::{Floats, Recipe, Step};

const BYTES: usize = 6;

fn input_bytes() -> Vec<InputByte> {
    (0..BYTES as u32).map(|i| InputByte { object: i % 2, offset: i / 2 * 61 }).collect()
}

fn random_input(rng: &mut fastrand::Rng) -> Vec<u8> {
    (0..BYTES)
        .map(|_| if rng.bool() { rng.u8(..) } else { [0, 1, 0x7f, 0x80, 0xff][rng.usize(..5)] })
        .collect()
}

fn lookup(bytes: &[u8]) -> impl Fn(InputByte) -> u8 {
    move |b: InputByte| bytes[(b.offset / 61 * 2) as usize + b.object as usize]
}

#[test]
fn random_expressions_keep_their_value() {
    for seed in 0..8000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let recipe = Recipe::random(&mut rng, 60, &input_bytes(), Floats::All);
        let mut dag = Dag::new();
        let built = recipe.build(&mut dag);
        let mut evaluator = Evaluator::new();
        for _ in 0..4 {
            let input = random_input(&mut rng);
            evaluator.begin();
            for (i, expected) in recipe.values(lookup(&input)).into_iter().enumerate() {
                let value = evaluator.value(&dag, built[i], &lookup(&input));
                assert_eq!(value, expected, "seed {seed}, step {i} {:?}, input {input:?}", recipe.steps[i]);
            }
        }
    }
}

#[test]
fn an_expression_depends_on_no_byte_outside_its_set() {
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let recipe = Recipe::random(&mut rng, 40, &input_bytes(), Floats::All);
        let mut dag = Dag::new();
        let built = recipe.build(&mut dag);
        let (one, other) = (random_input(&mut rng), random_input(&mut rng));
        for (i, value) in recipe.values(lookup(&one)).into_iter().enumerate() {
            let set = dag.inputs(built[i]);
            assert!(set.is_sorted());
            let mixed = |b: InputByte| if set.contains(&b) { lookup(&one)(b) } else { lookup(&other)(b) };
            assert_eq!(Evaluator::new().eval(&dag, built[i], &mixed), value, "seed {seed}, step {i}");
        }
    }
}

#[test]
fn building_again_gives_the_same_expressions() {
    for seed in 0..100 {
        let recipe = Recipe::random(&mut fastrand::Rng::with_seed(seed), 60, &input_bytes(), Floats::All);
        let mut dag = Dag::new();
        let first = recipe.build(&mut dag);
        let size = dag.len();
        assert_eq!(recipe.build(&mut dag), first);
        assert_eq!(dag.len(), size, "nothing new was needed");
    }
}

#[test]
fn the_recipes_reach_every_step_and_every_operation() {
    let mut ops = std::collections::HashSet::new();
    let mut reassembled = 0;
    for seed in 0..400 {
        let recipe = Recipe::random(&mut fastrand::Rng::with_seed(seed), 60, &input_bytes(), Floats::All);
        let mut dag = Dag::new();
        let built = recipe.build(&mut dag);
        ops.extend(built.iter().map(|&e| dag.op(e)));
        reassembled += recipe
            .steps
            .iter()
            .zip(&built)
            .filter(|((step, _), e)| matches!(step, Step::Concat(..)) && dag.op(**e) != Op::Concat)
            .count();
    }
    assert_eq!(ops.len(), 43, "{ops:?}");
    assert!(reassembled > 100, "{reassembled}");
}
