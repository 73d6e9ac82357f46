//! A copy of a DAG for another thread, which reads it while the original grows.
//!
//! A DAG only grows, and ids do not change: updating a copy appends what is new, so a node is copied once.
//! The hash tables are left out, since no expressions are built in a copy.

use crate::dag::Dag;

/// A copy that can be updated.
#[derive(Default)]
pub struct DagCopy {
    dag: Dag,
}

impl DagCopy {
    /// Returns a copy of a DAG without expressions.
    pub fn new() -> DagCopy {
        DagCopy::default()
    }

    /// Appends what the original got since the last update. It must be the same original every time.
    pub fn update(&mut self, original: &Dag) {
        self.dag.append(original);
    }

    /// Returns the DAG as of the last update.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinOp, CmpOp, Evaluator, ExprId, InputByte};

    /// Returns some expressions over the input, a table among them.
    fn grow(dag: &mut Dag, round: u32) -> ExprId {
        let first = dag.input(InputByte { object: 0, offset: round });
        let far = dag.input(InputByte { object: 1, offset: round * 100 });
        let sum = dag.binary(BinOp::Add, first, far);
        let known = dag.constant(8, u128::from(round));
        let table = dag.snapshot(&[7, 0, 9, round as u8], &[(1, sum)]);
        let place = dag.zext(first, 64);
        let read = dag.read(table, place, 8);
        let product = dag.binary(BinOp::Mul, read, known);
        dag.compare(CmpOp::Eq, product, far)
    }

    #[test]
    fn a_copy_says_what_the_original_says() {
        let (mut dag, mut copy) = (Dag::new(), DagCopy::new());
        for round in 1..50 {
            let root = grow(&mut dag, round);
            copy.update(&dag);
            let copied = copy.dag();
            assert_eq!(copied.len(), dag.len());
            for e in dag.reachable(&[root]) {
                assert_eq!(copied.node(e), dag.node(e));
                assert_eq!(copied.width(e), dag.width(e));
                assert_eq!(copied.inputs(e), dag.inputs(e));
                assert_eq!(copied.input_set(e), dag.input_set(e));
            }
            assert_eq!(copied.reachable(&[root]), dag.reachable(&[root]));
            let input = |byte: InputByte| (byte.offset * 31 % 251) as u8;
            assert_eq!(
                Evaluator::new().eval(copied, root, &input),
                Evaluator::new().eval(&dag, root, &input)
            );
        }
    }
}
