//! Bytes that no decision has looked at may be anything.
//!
//! An input for a flip has the values of the run it is based on wherever they do not matter, which is often what the
//! first input had: nothing but zeros. Behind the flip the program reads on, and random bytes lead to more than that.

use cairn_exec::Input;
use cairn_expr::{Dag, ExprId, InputByte};
use cairn_search::Rng;
use cairn_solver::{ByteCollector, Model};
use cairn_wire::ObjectKind;

/// What the last question was about, and whether all else in an input is to be renewed.
#[derive(Default)]
pub(crate) struct Held {
    conditions: Vec<ExprId>,
    renews: bool,
    bytes: ByteCollector,
}

impl Held {
    /// From now on these are the conditions that an input has to meet.
    pub fn hold(&mut self, path: &[ExprId], last: ExprId, renews: bool) {
        self.renews = renews;
        self.conditions.clear();
        if renews {
            self.conditions.extend_from_slice(path);
            self.conditions.push(last);
        }
    }

    /// Makes an input one of a model. All its bytes become random that the conditions are not about, if that is wanted.
    pub fn fill_in(&mut self, input: &mut Input, model: &Model, dag: &Dag, rng: &mut Rng) {
        input.assign(model.as_slice().iter().copied());
        if self.renews {
            let held = self.bytes.collect(dag, self.conditions.iter().copied());
            randomise(input, &held, rng);
        }
    }
}

/// Makes all bytes random but these, which are sorted. How many arguments there are stays as it is.
fn randomise(input: &mut Input, held: &[InputByte], rng: &mut Rng) {
    for (object, number) in input.objects.iter_mut().zip(0u32..) {
        if object.kind == ObjectKind::ArgCount {
            continue;
        }
        let mut fresh = vec![0; object.bytes.len()];
        rng.fill(&mut fresh);
        for ((byte, fresh), offset) in object.bytes.iter_mut().zip(fresh).zip(0u32..) {
            if held.binary_search(&InputByte { object: number, offset }).is_err() {
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
    fn only_what_nobody_looked_at_changes() {
        let mut input = Input { objects: vec![Object::stdin([0; 64]), Object::stdin([7; 64])] };
        let held: Vec<InputByte> = (0..64).map(|offset| InputByte { object: 1, offset }).collect();
        let held = [&[InputByte { object: 0, offset: 5 }], &held[..60]].concat();
        randomise(&mut input, &held, &mut Rng::new(3));
        let [first, second] = &input.objects[..] else { panic!() };
        assert_eq!((first.bytes[5], &second.bytes[..60]), (0, &[7; 60][..]));
        assert!(first.bytes.iter().filter(|byte| **byte != 0).count() > 50);
        assert_ne!(second.bytes[60..], [7; 4]);
    }
}
