//! Independent-constraint slicing: keeps the constraints of a path that the target depends on (EXE, Cadar et
//! al. 2006).
//!
//! A constraint is kept if it shares an input byte with the target, or with another that is kept. All other
//! bytes keep the seed's values, under which all other constraints hold. Sliced queries are not only smaller:
//! the same ones come back from other paths, so that the cache below this layer finds them.
//!
//! Bytes are grouped by union-find over the DAG's shared byte sets: a constraint joins the parts its set is
//! made of, and each part is visited once per query however many constraints contain it. So the cost is
//! linear in the prefix plus the distinct parts of its sets, even where each of n constraints depends on all
//! bytes so far (where visiting every constraint's bytes would be quadratic).

use crate::stats::Meter;
use crate::{Answer, Layer, LayerInfo, Model, Query, Solver, Stats};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag, ExprId, InputByte, SetId, SetView};
use rustc_hash::FxHashMap;

static INFO: LayerInfo =
    LayerInfo { key: "slice", name: "slice", about: "leaves out independent constraints", group: None };

/// Slices queries for the layer below.
#[derive(Default)]
pub struct Slice {
    groups: Groups,
    kept: Vec<ExprId>,
    /// Per constraint: the generation, hence query, in which it was last met.
    seen: Vec<u32>,
    generation: u32,
    given_count: u64,
    kept_count: u64,
    meter: Meter,
}

impl Slice {
    /// Fills `kept` with the constraints of the prefix that the target depends on, each once, in path order.
    fn slice(&mut self, dag: &Dag, query: &Query) {
        self.groups.begin(dag);
        for e in query.constraints() {
            self.groups.add(dag, dag.input_set(e));
        }
        let target_group = self.groups.find(dag.input_set(query.target));
        self.begin_seen(dag, query.target);
        self.kept.clear();
        for &e in query.prefix {
            let set = dag.input_set(e);
            if set != SetId::EMPTY && self.groups.find(set) == target_group && self.is_first(e) {
                self.kept.push(e);
            }
        }
    }

    fn begin_seen(&mut self, dag: &Dag, target: ExprId) {
        self.generation += 1;
        if self.seen.len() < dag.len() {
            self.seen.resize(dag.len(), 0);
        }
        self.is_first(target);
    }

    /// True if this constraint is met for the first time in this query.
    fn is_first(&mut self, e: ExprId) -> bool {
        std::mem::replace(&mut self.seen[e.index()], self.generation) != self.generation
    }
}

impl Layer for Slice {
    fn solve(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        deadline: &Deadline,
        below: &mut dyn Solver,
    ) -> Answer {
        let start = self.meter.begin();
        match dag.as_constant(query.target) {
            Some(0) => return self.meter.answer(start, Answer::Unsat),
            Some(_) => return self.meter.answer(start, Answer::Sat(Model::default())),
            None => {}
        }
        self.slice(dag, query);
        self.given_count += query.prefix.len() as u64 + 1;
        self.kept_count += self.kept.len() as u64 + 1;
        self.meter.pause(start);
        let sliced = Query { prefix: &self.kept, target: query.target };
        below.solve(dag, &sliced, seed, deadline)
    }

    fn replay_answer<'q>(&'q mut self, dag: &Dag, query: &Query<'q>, _: &Answer) -> Option<Query<'q>> {
        if dag.as_constant(query.target).is_some() {
            return None;
        }
        self.slice(dag, query);
        Some(Query { prefix: &self.kept, target: query.target })
    }

    fn add_stats(&self, stats: &mut Stats) {
        stats.layers.add(&INFO, self.meter.tally());
        stats.constraints = self.given_count;
        stats.sliced_constraints = self.kept_count;
    }
}

/// Union-find over the parts of byte sets.
#[derive(Default)]
struct Groups {
    /// Per set: its parent, valid only with the present generation.
    parents: Vec<(SetId, u32)>,
    /// Per byte: a block that contains it.
    holders: FxHashMap<InputByte, SetId>,
    generation: u32,
}

impl Groups {
    fn begin(&mut self, dag: &Dag) {
        self.generation += 1;
        self.holders.clear();
        if self.parents.len() < dag.sets().len() {
            self.parents.resize(dag.sets().len(), (SetId::EMPTY, 0));
        }
    }

    /// Puts all bytes of a set into one group. Recursive as deep as the set's trie, which has some forty
    /// levels at most.
    fn add(&mut self, dag: &Dag, set: SetId) {
        if self.parents[set.index()].1 == self.generation {
            return;
        }
        self.parents[set.index()] = (set, self.generation);
        match dag.sets().view(set) {
            SetView::Empty => {}
            SetView::Block(first, bits) => self.add_block(set, first, bits),
            SetView::Pair(a, b) => {
                for part in [a, b] {
                    self.add(dag, part);
                    self.join(set, part);
                }
            }
        }
    }

    fn add_block(&mut self, set: SetId, first: InputByte, mut bits: u64) {
        while bits != 0 {
            let byte = InputByte { offset: first.offset + bits.trailing_zeros(), ..first };
            bits &= bits - 1;
            let holder = *self.holders.entry(byte).or_insert(set);
            self.join(set, holder);
        }
    }

    fn join(&mut self, a: SetId, b: SetId) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.index()].0 = b;
    }

    /// Returns the representative of the set's group; halves the path on the way (path halving).
    fn find(&mut self, mut set: SetId) -> SetId {
        loop {
            let parent = self.parents[set.index()].0;
            if parent == set {
                return set;
            }
            let grandparent = self.parents[parent.index()].0;
            self.parents[set.index()].0 = grandparent;
            set = grandparent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scripted, about, zeros};
    use cairn_expr::{BinOp, CmpOp};

    fn sliced(dag: &Dag, prefix: &[ExprId], target: ExprId) -> Vec<ExprId> {
        let mut layer = Slice::default().over(Scripted::new(Answer::Unsat));
        // Twice: what one query leaves behind must not show in the next.
        for _ in 0..2 {
            layer.solve(dag, &Query { prefix, target }, &zeros, &Deadline::never());
        }
        assert_eq!(layer.below.asked[0], layer.below.asked[1]);
        layer.below.asked.remove(0)
    }

    #[test]
    fn keeps_what_shares_bytes_directly_or_through_others() {
        let mut dag = Dag::new();
        let pairs = [(0, 1), (5, 6), (2, 3), (1, 2), (7, 7), (70, 3), (71, 72)];
        let prefix: Vec<ExprId> = pairs.iter().map(|&(a, b)| about(&mut dag, a, b)).collect();
        let target = about(&mut dag, 0, 0);
        assert_eq!(sliced(&dag, &prefix, target), [prefix[0], prefix[2], prefix[3], prefix[5], target]);
        let target = about(&mut dag, 72, 72);
        assert_eq!(sliced(&dag, &prefix, target), [prefix[6], target]);
        let target = about(&mut dag, 99, 99);
        assert_eq!(sliced(&dag, &prefix, target), [target]);
    }

    #[test]
    fn objects_are_kept_apart() {
        let mut dag = Dag::new();
        let other = dag.input(InputByte { object: 1, offset: 0 });
        let bound = dag.constant(8, 9);
        let other = dag.compare(CmpOp::Ult, other, bound);
        let target = about(&mut dag, 0, 0);
        assert_eq!(sliced(&dag, &[other], target), [target]);
    }

    #[test]
    fn a_constraint_is_asked_once_and_constants_not_at_all() {
        let mut dag = Dag::new();
        let (c, target) = (about(&mut dag, 0, 1), about(&mut dag, 1, 1));
        let always = dag.truth(true);
        assert_eq!(sliced(&dag, &[always, c, target, c], target), [c, target]);
    }

    #[test]
    fn a_constant_target_is_answered_here() {
        let mut dag = Dag::new();
        let (always, never) = (dag.truth(true), dag.truth(false));
        let mut layer = Slice::default().over(Scripted::new(Answer::Unsat));
        let mut solve =
            |target| layer.solve(&dag, &Query { prefix: &[], target }, &zeros, &Deadline::never());
        assert_eq!(solve(always), Answer::Sat(Model::default()));
        assert_eq!(solve(never), Answer::Unsat);
        assert!(layer.below.asked.is_empty());
    }

    #[test]
    fn random_prefixes_are_sliced_as_by_the_definition() {
        let mut rng = fastrand::Rng::with_seed(11);
        let mut dag = Dag::new();
        let mut layer = Slice::default().over(Scripted::new(Answer::Unsat));
        for _ in 0..200 {
            let pairs: Vec<(u32, u32)> = (0..12).map(|_| (rng.u32(..15) * 40, rng.u32(..15) * 40)).collect();
            let mut prefix: Vec<ExprId> = pairs.iter().map(|&(a, b)| about(&mut dag, a, b)).collect();
            let target = prefix.pop().expect("twelve");
            let mut bytes = dag.inputs(target).to_vec();
            for _ in 0..prefix.len() {
                let touching = prefix.iter().filter(|&&e| dag.inputs(e).iter().any(|b| bytes.contains(b)));
                bytes = touching.flat_map(|&e| dag.inputs(e)).chain(dag.inputs(target)).copied().collect();
            }
            let mut expected: Vec<ExprId> =
                prefix.iter().copied().filter(|&e| dag.inputs(e).iter().any(|b| bytes.contains(b))).collect();
            let mut seen = vec![target];
            expected.retain(|e| {
                !seen.contains(e) && {
                    seen.push(*e);
                    true
                }
            });
            expected.push(target);
            layer.solve(&dag, &Query { prefix: &prefix, target }, &zeros, &Deadline::never());
            assert_eq!(layer.below.asked.last(), Some(&expected));
        }
    }

    #[test]
    fn a_path_over_ever_more_bytes_is_sliced_without_visiting_all_bytes_of_all_constraints() {
        let mut dag = Dag::new();
        let mut sum = dag.constant(32, 0);
        let mut path = Vec::new();
        for offset in 0..4000 {
            let next = dag.input(InputByte { object: 0, offset });
            let next = dag.zext(next, 32);
            sum = dag.binary(BinOp::Add, sum, next);
            let bound = dag.constant(32, 100 * u128::from(offset) + 7);
            path.push(dag.compare(CmpOp::Ult, sum, bound));
        }
        let target = path.pop().expect("many");
        let mut groups = Groups::default();
        groups.begin(&dag);
        path.iter().for_each(|&e| groups.add(&dag, dag.input_set(e)));
        let visited =
            groups.parents.iter().filter(|(_, generation)| *generation == groups.generation).count();
        assert!(visited < 10 * path.len(), "{visited} parts for {} constraints", path.len());
        assert_eq!(sliced(&dag, &path, target).len(), path.len() + 1);
    }
}
