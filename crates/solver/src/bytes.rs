//! The input bytes a conjunction depends on, collected without visiting shared parts of their sets twice.

use cairn_expr::{Dag, ExprId, InputByte, SetId, SetView};
use rustc_hash::FxHashMap;

/// Collects the bytes of many expressions.
#[derive(Default)]
pub struct ByteCollector {
    /// Per set: the generation, hence collection, that last visited it.
    visited: Vec<u32>,
    blocks: FxHashMap<InputByte, u64>,
    generation: u32,
}

impl ByteCollector {
    /// Returns all bytes the expressions depend on, sorted.
    pub fn collect(&mut self, dag: &Dag, expressions: impl Iterator<Item = ExprId>) -> Vec<InputByte> {
        self.generation += 1;
        self.visited.resize(self.visited.len().max(dag.sets().len()), 0);
        self.blocks.clear();
        for e in expressions {
            self.visit(dag, dag.input_set(e));
        }
        let mut bytes: Vec<InputByte> =
            self.blocks.iter().flat_map(|(&first, &bits)| members(first, bits)).collect();
        bytes.sort_unstable();
        bytes
    }

    fn visit(&mut self, dag: &Dag, set: SetId) {
        if std::mem::replace(&mut self.visited[set.index()], self.generation) == self.generation {
            return;
        }
        match dag.sets().view(set) {
            SetView::Empty => {}
            SetView::Block(first, bits) => *self.blocks.entry(first).or_default() |= bits,
            SetView::Pair(a, b) => {
                self.visit(dag, a);
                self.visit(dag, b);
            }
        }
    }
}

/// Returns the bytes that a block's bits stand for.
pub(crate) fn members(first: InputByte, bits: u64) -> impl Iterator<Item = InputByte> {
    let positions = (0..64).filter(move |i| bits >> i & 1 == 1);
    positions.map(move |i| InputByte { offset: first.offset + i, ..first })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{about, byte};

    #[test]
    fn bytes_of_all_expressions_are_found_once_and_in_order() {
        let mut dag = Dag::new();
        let expressions = [(200, 3), (3, 3), (0, 200), (64, 63)].map(|(a, b)| about(&mut dag, a, b));
        let mut collector = ByteCollector::default();
        for _ in 0..2 {
            let bytes = collector.collect(&dag, expressions.into_iter());
            assert_eq!(bytes, [0, 3, 63, 64, 200].map(byte));
        }
        assert_eq!(collector.collect(&dag, expressions[1..2].iter().copied()), [byte(3)]);
    }
}
