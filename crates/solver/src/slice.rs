//! Keeps of a path only what the target can feel.
//!
//! A constraint matters if it shares an input byte with the target, or with another that matters.
//! All other bytes keep the seed's values, under which all other constraints hold. Sliced queries are not
//! only smaller: they come back, so the cache below this layer sees them again.
//!
//! Bytes are grouped by union-find over the DAG's shared byte sets: a constraint joins the parts its set
//! is made of, and each part is looked at once per query however many constraints contain it. So the cost
//! is linear in the prefix plus the distinct parts of its sets, also where each of n constraints is
//! about all bytes so far (where visiting every constraint's bytes would be quadratic).

use crate::{Answer, Model, Query, Solver, Stats};
use cairn_expr::{Assignment, Dag, ExprId, InputByte, SetId, SetView};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// Slices queries for the layer below.
pub struct Slice<S> {
    inner: S,
    groups: Groups,
    kept: Vec<ExprId>,
    seen: Vec<u32>,
    generation: u32,
    given_count: u64,
    kept_count: u64,
    time: Duration,
}

impl<S: Solver> Slice<S> {
    /// Slices the queries for `inner`.
    pub fn new(inner: S) -> Self {
        Slice {
            inner,
            groups: Groups::default(),
            kept: Vec::new(),
            seen: Vec::new(),
            generation: 0,
            given_count: 0,
            kept_count: 0,
            time: Duration::ZERO,
        }
    }

    /// Fills `kept` with the constraints of the prefix that matter, each once, in path order.
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

    /// Whether this constraint is met for the first time in this query.
    fn is_first(&mut self, e: ExprId) -> bool {
        std::mem::replace(&mut self.seen[e.index()], self.generation) != self.generation
    }
}

impl<S: Solver> Solver for Slice<S> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        match dag.as_constant(query.target) {
            Some(0) => return Answer::Unsat,
            Some(_) => return Answer::Sat(Model::default()),
            None => {}
        }
        let start = Instant::now();
        self.slice(dag, query);
        self.given_count += query.prefix.len() as u64 + 1;
        self.kept_count += self.kept.len() as u64 + 1;
        self.time += start.elapsed();
        let sliced = Query { prefix: &self.kept, target: query.target };
        self.inner.solve(dag, &sliced, seed)
    }

    fn stats(&self) -> Stats {
        Stats {
            constraints: self.given_count,
            sliced_constraints: self.kept_count,
            slice_seconds: self.time.as_secs_f64(),
            ..self.inner.stats()
        }
    }
}

/// Union-find over the parts of byte sets.
#[derive(Default)]
struct Groups {
    /// Per set: its parent, valid if stamped with this generation.
    parents: Vec<(SetId, u32)>,
    /// Some block that holds the byte.
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

    /// Puts all bytes of a set into one group. As deep as the set's trie, which is some forty levels at most.
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

    /// The set that stands for the group; halves the way there.
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
