//! Randomises the bytes that no constraint of a query reads.
//!
//! An input for a flip has the bytes of the run that it is based on wherever they do not matter, which are
//! often the zeros of the first input. After the flip the program reads on, and random bytes lead to more
//! paths than zeros.

use cairn_exec::Input;
use cairn_expr::{Dag, ExprId, InputByte};
use cairn_search::Rng;
use cairn_solver::{ByteCollector, Model};

/// Constraints of the last query, and the choice to randomise all other bytes.
#[derive(Default)]
pub(super) struct UnconstrainedBytes {
    constraints: Vec<ExprId>,
    randomise: bool,
    collector: ByteCollector,
}

impl UnconstrainedBytes {
    /// Sets the constraints of the current query.
    pub fn set_query(&mut self, prefix: &[ExprId], target: ExprId, randomise: bool) {
        self.randomise = randomise;
        self.constraints.clear();
        if randomise {
            self.constraints.extend_from_slice(prefix);
            self.constraints.push(target);
        }
    }

    /// Applies `model` to the input, and randomises the bytes that no constraint reads if the query asked for
    /// it.
    pub fn apply_model(&mut self, input: &mut Input, model: &Model, dag: &Dag, rng: &mut Rng) {
        input.assign(model.as_slice().iter().copied());
        if self.randomise {
            let constrained = self.collector.collect(dag, self.constraints.iter().copied());
            randomise(input, &constrained, rng);
        }
    }
}

/// Randomises all bytes but the `constrained` ones, which are sorted. The number of arguments stays as it is.
fn randomise(input: &mut Input, constrained: &[InputByte], rng: &mut Rng) {
    for (object, number) in input.objects.iter_mut().zip(0u32..) {
        if object.kind.is_count() {
            continue;
        }
        let mut fresh = vec![0; object.bytes.len()];
        rng.fill(&mut fresh);
        for ((byte, fresh), offset) in object.bytes.iter_mut().zip(fresh).zip(0u32..) {
            if constrained.binary_search(&InputByte { object: number, offset }).is_err() {
                *byte = fresh;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_exec::Object;

    #[test]
    fn only_unconstrained_bytes_change() {
        let mut input = Input { objects: vec![Object::stdin([0; 64]), Object::stdin([7; 64])] };
        let second: Vec<InputByte> = (0..64).map(|offset| InputByte { object: 1, offset }).collect();
        let constrained = [&[InputByte { object: 0, offset: 5 }], &second[..60]].concat();
        randomise(&mut input, &constrained, &mut Rng::new(3));
        let [first, second] = &input.objects[..] else { panic!() };
        assert_eq!((first.bytes[5], &second.bytes[..60]), (0, &[7; 60][..]));
        assert!(first.bytes.iter().filter(|byte| **byte != 0).count() > 50);
        assert_ne!(second.bytes[60..], [7; 4]);
    }
}
