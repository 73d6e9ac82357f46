//! Random runs and flip states, added to the tree and to a naive one of maps and lists: both must agree on
//! everything.

use cairn_expr::{Dag, ExprId, InputByte};
use cairn_program::testing::Sketch;
use cairn_program::{BranchId, Program, SiteId};
use cairn_tree::{BranchTraces, Flip, FlipState, Node, NodeId, RunId, Step, StepKind, Tree};
use std::collections::BTreeMap;

/// Sides per site: a branch, a switch, a wide one, one with a default only; then the site of concretizations
/// and constraints.
const SIDES: [u32; 4] = [2, 3, 40, 1];
const CONCRETIZATION: SiteId = SiteId(4);
const MAX_CHAIN: usize = 16;

fn program() -> Program {
    let mut sketch = Sketch::new();
    let cases: Vec<[u64; 1]> = (0..39).map(|case| [case]).collect();
    let cases: Vec<&[u64]> = cases.iter().map(|case| &case[..]).collect();
    sketch.branch();
    sketch.switch(8, &cases[..2]);
    sketch.switch(8, &cases);
    sketch.switch(8, &[]);
    sketch.concretization();
    sketch.build()
}

/// The reason a value is known.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Value,
    Concretization,
    Switch(SiteId),
}

struct NaiveNode {
    node: Node,
    states: Vec<FlipState>,
    run: usize,
    branches: Vec<BranchId>,
}

#[derive(Default)]
struct Naive {
    nodes: Vec<NaiveNode>,
    children: BTreeMap<Option<(usize, u32)>, Vec<usize>>,
    /// Nodes and sides of each run, and the number of nodes that already existed.
    runs: Vec<(Vec<(usize, u32)>, usize)>,
}

impl Naive {
    fn add(&mut self, path: &[Step], traces: &[Vec<BranchId>]) -> bool {
        let (mut path_taken, mut known, mut mismatch) = (Vec::new(), None, false);
        let mut implied = BTreeMap::new();
        for (step, branches) in path.iter().zip(traces) {
            let forced = record(&mut implied, step);
            for passed in 0.. {
                let above = path_taken.last().copied();
                let index = self.find(above, step, passed).unwrap_or_else(|| {
                    if known.is_none() {
                        known = Some(path_taken.len());
                        mismatch = self.contradicts(above, step);
                    }
                    let branches = if passed == 0 { ends(branches) } else { Vec::new() };
                    let node = self.new_node(step, above, (forced, passed), branches);
                    self.children.entry(above).or_default().push(self.nodes.len());
                    self.nodes.push(node);
                    self.nodes.len() - 1
                });
                let same =
                    step.kind != StepKind::Concretization || self.nodes[index].node.concrete == step.concrete;
                let side = if same { step.side } else { 1 };
                self.nodes[index].states[side as usize] = FlipState::Sat;
                path_taken.push((index, side));
                if same {
                    break;
                }
            }
        }
        let known = known.unwrap_or(path_taken.len());
        self.runs.push((path_taken, known));
        mismatch
    }

    fn below(&self, above: Option<(usize, u32)>) -> &[usize] {
        self.children.get(&above).map_or(&[], |children| children)
    }

    fn find(&self, above: Option<(usize, u32)>, step: &Step, passed: usize) -> Option<usize> {
        let fits = |index: &&usize| {
            let node = &self.nodes[**index].node;
            is_same(node, step) && (passed < MAX_CHAIN || node.concrete == step.concrete)
        };
        self.below(above).iter().find(fits).copied()
    }

    fn contradicts(&self, above: Option<(usize, u32)>, step: &Step) -> bool {
        self.below(above).first().is_some_and(|first| !is_same(&self.nodes[*first].node, step))
    }

    fn new_node(
        &self,
        step: &Step,
        above: Option<(usize, u32)>,
        (forced, passed): (bool, usize),
        branches: Vec<BranchId>,
    ) -> NaiveNode {
        let Step { kind, site, value, concrete, .. } = *step;
        let depth = above.map_or(0, |(above, _)| {
            let above = &self.nodes[above].node;
            above.depth + u32::from(above.kind == StepKind::Branch)
        });
        let (sides, concrete) = match kind {
            StepKind::Branch => (SIDES[site.0 as usize], 0),
            StepKind::Concretization => (2, concrete),
            StepKind::Constraint => (1, 0),
        };
        let state = match kind {
            _ if forced => FlipState::Unsat,
            StepKind::Concretization if passed + 1 >= MAX_CHAIN => FlipState::Unknown,
            _ => FlipState::Untried,
        };
        // The parent is compared by position.
        let node = Node { kind, site, value, concrete, parent: None, depth, sides, forced };
        NaiveNode { node, states: vec![state; sides as usize], run: self.runs.len(), branches }
    }

    fn set(&mut self, (index, side): (usize, u32), state: FlipState) {
        let old = &mut self.nodes[index].states[side as usize];
        let suspended = [FlipState::Untried, FlipState::Suspended];
        if (*old != FlipState::Sat && !suspended.contains(&state))
            || (suspended.contains(old) && suspended.contains(&state))
        {
            *old = state;
        }
    }

    fn untried(&self) -> Vec<(usize, u32)> {
        let sides =
            self.nodes.iter().enumerate().flat_map(|(i, n)| (0..n.node.sides).map(move |side| (i, side)));
        sides.filter(|(i, side)| self.nodes[*i].states[*side as usize] == FlipState::Untried).collect()
    }

    fn prefix(&self, index: usize) -> Vec<(usize, u32)> {
        let path_taken = &self.runs[self.nodes[index].run].0;
        path_taken[..path_taken.iter().position(|(node, _)| *node == index).unwrap()].to_vec()
    }

    fn is_pending(&self, index: usize) -> bool {
        let sides = 0..self.nodes[index].node.sides;
        let mut here = sides.clone().map(|side| self.nodes[index].states[side as usize]);
        here.any(|state| state == FlipState::Untried)
            || sides.flat_map(|side| self.below(Some((index, side)))).any(|child| self.is_pending(*child))
    }

    /// Computes the probability that a random walk from below a side ends at each flip.
    fn walk(&self, below: Option<(usize, u32)>, chance: f64, found: &mut BTreeMap<(usize, u32), f64>) {
        let pending: Vec<usize> =
            self.below(below).iter().copied().filter(|child| self.is_pending(*child)).collect();
        for &index in &pending {
            let chance = chance / pending.len() as f64;
            let untried = |side: &u32| self.nodes[index].states[*side as usize] == FlipState::Untried;
            let leads = |side: &u32| {
                untried(side) || self.below(Some((index, *side))).iter().any(|child| self.is_pending(*child))
            };
            let sides: Vec<u32> = (0..self.nodes[index].node.sides).filter(leads).collect();
            for side in &sides {
                let chance = chance / sides.len() as f64;
                if untried(side) {
                    found.insert((index, *side), chance);
                } else {
                    self.walk(Some((index, *side)), chance, found);
                }
            }
        }
    }
}

fn is_same(node: &Node, step: &Step) -> bool {
    (node.kind, node.site, node.value) == (step.kind, step.site, step.value)
}

fn record(implied: &mut BTreeMap<ExprId, By>, step: &Step) -> bool {
    let by = match step.kind {
        StepKind::Concretization => By::Concretization,
        StepKind::Branch if step.site.0 > 0 => By::Switch(step.site),
        StepKind::Branch | StepKind::Constraint => By::Value,
    };
    let old = implied.get(&step.value).copied();
    if old != Some(By::Value) {
        implied.insert(step.value, by);
    }
    old == Some(By::Value) || old == Some(by)
}

fn ends(branches: &[BranchId]) -> Vec<BranchId> {
    let len = branches.len();
    if len <= 64 { branches.to_vec() } else { [&branches[..32], &branches[len - 32..]].concat() }
}

struct Pair {
    program: Program,
    tree: Tree,
    naive: Naive,
    values: Vec<ExprId>,
    /// The tree's ids of the naive nodes.
    ids: Vec<NodeId>,
    random: fastrand::Rng,
}

impl Pair {
    fn new(seed: u64) -> Pair {
        let mut dag = Dag::new();
        let values = (0..16).map(|offset| dag.input(InputByte { object: 0, offset })).collect();
        let program = program();
        let (tree, naive, ids) = (Tree::new(&program), Naive::default(), Vec::new());
        Pair { program, tree, naive, values, ids, random: fastrand::Rng::with_seed(seed) }
    }

    /// Returns mostly the same kind of step at the same position.
    fn step(&mut self, position: usize) -> Step {
        let usual = self.random.u8(..30) > 0;
        let (kind, of) = if usual { (position * 5 % 7, position) } else { (self.random.usize(..7), 15) };
        let value = self.values[if position == 9 { 2 } else { of }];
        let step = |kind, site, side, concrete| Step { kind, site, side, value, concrete };
        match kind {
            0 => step(StepKind::Concretization, CONCRETIZATION, 0, self.random.u64(..24)),
            4 => step(StepKind::Concretization, CONCRETIZATION, 0, self.random.u64(..2) << 40),
            5 => step(StepKind::Constraint, CONCRETIZATION, 0, 1),
            6 => step(StepKind::Branch, SiteId(0), self.random.u32(..2), 0),
            kind => step(StepKind::Branch, SiteId(kind as u32), self.random.u32(..SIDES[kind]).min(4), 0),
        }
    }

    fn run(&mut self) {
        let length = self.random.usize(..14);
        let path: Vec<Step> = (0..length).map(|position| self.step(position)).collect();
        let with_branches = self.random.bool();
        let mut traces = BranchTraces::new();
        let mut plain = vec![Vec::new(); length];
        for span in plain.iter_mut().filter(|_| with_branches) {
            let long = if self.random.u8(..8) == 0 { 100 } else { 3 };
            span.extend((0..self.random.usize(..long)).map(|_| BranchId(self.random.u32(..3))));
            span.iter().for_each(|branch| traces.branch(*branch));
            traces.step();
        }
        let mismatch = self.naive.add(&path, &plain);
        let added = self.tree.add_run_with_branches(&path, &traces);
        let (path_taken, known) = self.naive.runs.last().unwrap();
        let new = added.nodes[added.first_new..].iter();
        self.ids.extend(new);
        let expected: Vec<_> = path_taken.iter().map(|(index, side)| (self.ids[*index], *side)).collect();
        assert_eq!(added.nodes.iter().copied().zip(added.sides).collect::<Vec<_>>(), expected);
        assert_eq!((added.first_new, added.mismatch), (*known, mismatch));
        assert_eq!(added.run.index() + 1, self.naive.runs.len());
        self.check_run(added.run);
    }

    fn random_state(&mut self) {
        if self.ids.is_empty() {
            return;
        }
        let index = self.random.usize(..self.ids.len());
        let side = self.random.u32(..self.naive.nodes[index].node.sides);
        use FlipState::{Diverged, Sat, Suspended, Unknown, Unsat, Untried};
        let states = [Untried, Sat, Unsat, Unsat, Unsat, Unknown, Diverged, Suspended, Suspended, Suspended];
        let state = states[self.random.usize(..states.len())];
        self.naive.set((index, side), state);
        let flip = self.flip((index, side));
        match state {
            Untried => self.tree.resume(flip),
            Suspended => self.tree.suspend(flip),
            _ => self.tree.set_state(flip, state),
        }
    }

    fn flip(&self, (index, side): (usize, u32)) -> Flip {
        Flip { node: self.ids[index], side }
    }

    fn check_run(&self, run: RunId) {
        let (path_taken, known) = &self.naive.runs[run.index()];
        let created: Vec<_> = path_taken[*known..].iter().map(|(index, _)| self.ids[*index]).collect();
        assert_eq!(self.tree.run_nodes(run).collect::<Vec<_>>(), created);
        assert_eq!(self.tree.left_at(run), known.checked_sub(1).map(|last| self.flip(path_taken[last])));
    }

    fn check(&self) {
        assert_eq!(self.tree.len(), self.naive.nodes.len());
        for (index, plain) in self.naive.nodes.iter().enumerate() {
            self.check_node(index, plain);
        }
        let untried: Vec<_> = self.naive.untried().into_iter().map(|at| self.flip(at)).collect();
        assert_eq!(self.tree.untried(), untried.len());
        assert_eq!(self.tree.frontier().collect::<Vec<_>>(), untried);
        let backwards: Vec<_> = self.tree.frontier().rev().collect();
        assert_eq!(backwards, untried.iter().rev().copied().collect::<Vec<_>>());
        for (n, flip) in untried.iter().enumerate() {
            assert_eq!(self.tree.pick_untried(|_| n), Some(*flip));
        }
        for depth in 0..=self.tree.max_depth() + 1 {
            let at: Vec<_> = untried.iter().copied().filter(|f| self.tree.depth(f.node) == depth).collect();
            assert_eq!(self.tree.untried_at_depth(depth).collect::<Vec<_>>(), at);
        }
        let all = |index: usize| (0..self.naive.nodes[index].node.sides).map(move |side| (index, side));
        for state in [FlipState::Unknown, FlipState::Sat, FlipState::Suspended] {
            let has = |at: &(usize, u32)| self.naive.nodes[at.0].states[at.1 as usize] == state;
            let flips = (0..self.ids.len()).flat_map(all).filter(has).map(|at| self.flip(at));
            assert_eq!(self.tree.flips_in(state).collect::<Vec<_>>(), flips.collect::<Vec<_>>());
        }
        let suspended: Vec<_> = self.tree.flips_in(FlipState::Suspended).collect();
        assert_eq!(self.tree.suspended_flips().collect::<Vec<_>>(), suspended);
        assert_eq!(self.tree.suspended(), suspended.len());
        let states = || self.naive.nodes.iter().flat_map(|plain| &plain.states);
        let exhausted = states().all(|state| matches!(state, FlipState::Sat | FlipState::Unsat));
        assert_eq!(self.tree.exhausted(), exhausted);
        let concretizations =
            self.naive.nodes.iter().filter(|plain| plain.node.kind == StepKind::Concretization);
        let open = concretizations
            .filter(|concretization| !matches!(concretization.states[1], FlipState::Sat | FlipState::Unsat));
        assert_eq!(self.tree.open_concretizations(), open.count());
        self.check_branch_statuses();
        self.check_overview();
    }

    /// Checks that every branch has the states it has at the nodes of its site.
    fn check_branch_statuses(&self) {
        use FlipState::{Diverged, Sat, Suspended, Unknown, Unsat, Untried};
        let branch_statuses = self.tree.branch_statuses();
        for (branch, status) in (0..).zip(&branch_statuses) {
            let (site, side) = self.program.site_of(BranchId(branch)).unwrap();
            let here = |plain: &&NaiveNode| plain.node.kind == StepKind::Branch && plain.node.site == site;
            for state in [Untried, Sat, Unsat, Unknown, Diverged, Suspended] {
                let mut nodes = self.naive.nodes.iter().filter(here);
                let expected = nodes.any(|plain| plain.states[side as usize] == state);
                assert_eq!(status.has(state), expected, "{state:?} of side {side} of {site:?}");
            }
            assert_eq!(status.is_met(), self.naive.nodes.iter().any(|plain| here(&plain)));
        }
        assert_eq!(branch_statuses.len(), self.program.branch_count() as usize);
    }

    /// Checks that every run and untried flip is counted below each side on its path.
    fn check_overview(&self) {
        let overview = self.tree.overview(usize::MAX);
        assert_eq!(
            overview.roots.iter().map(|path_taken| path_taken.runs).sum::<u64>(),
            self.naive.runs.len() as u64
        );
        assert_eq!(overview.roots.iter().map(|way| way.untried).sum::<u64>(), self.tree.untried() as u64);
        let untried: Vec<_> = self.naive.untried().into_iter().map(|(at, _)| self.naive.prefix(at)).collect();
        for fork in &overview.forks {
            let index = self.ids.iter().position(|id| *id == fork.node).unwrap();
            for side in 0..self.naive.nodes[index].node.sides {
                let at = (index, side);
                let count = |of: fn(&cairn_tree::OverviewEdge) -> u64| -> u64 {
                    fork.ways.iter().filter(|way| way.side == side).map(of).sum()
                };
                let through = self.naive.runs.iter().filter(|(path_taken, _)| path_taken.contains(&at));
                assert_eq!(count(|way| way.runs), through.count() as u64, "runs behind {at:?}");
                let behind = untried.iter().filter(|prefix| prefix.contains(&at));
                assert_eq!(count(|way| way.untried), behind.count() as u64, "untried behind {at:?}");
            }
            let left: u32 = fork.left.iter().map(|(_, sides)| sides).sum();
            let states = self.naive.nodes[index].states.iter();
            assert_eq!(left as usize, states.filter(|state| **state != FlipState::Sat).count());
        }
        let small = self.tree.overview(3);
        assert_eq!(small.forks.len(), overview.forks.len().min(3));
        let shown = |ways: &[cairn_tree::OverviewEdge]| ways.iter().filter(|way| way.next.is_some()).count();
        let linked = overview.forks.iter().map(|fork| shown(&fork.ways)).sum::<usize>();
        assert_eq!(linked + shown(&overview.roots), overview.forks.len());
    }

    fn check_node(&self, index: usize, plain: &NaiveNode) {
        let (id, prefix) = (self.ids[index], self.naive.prefix(index));
        let node = self.tree.node(id);
        let parent = prefix.last().map(|(above, side)| (self.ids[*above], *side));
        assert_eq!(node, Node { parent, ..plain.node });
        assert_eq!(self.tree.history(id).collect::<Vec<_>>(), self.history(&prefix, plain));
        let prefix: Vec<_> = prefix.iter().map(|(above, side)| (self.ids[*above], *side)).collect();
        assert_eq!(self.tree.prefix(id), prefix);
        assert_eq!(self.tree.creator(id).index(), plain.run);
        assert_eq!(self.tree.concrete_branches(id).collect::<Vec<_>>(), plain.branches);
        let first = self.naive.runs[plain.run].0.iter().find(|(node, _)| *node == index).unwrap();
        assert_eq!(self.tree.first_side(id), self.flip(*first));
        for side in 0..node.sides {
            let first = self.naive.below(Some((index, side))).first().map(|child| self.ids[*child]);
            assert_eq!(self.tree.after(Flip { node: id, side }), first);
        }
        let states: Vec<_> = self.tree.sides(id).map(|(_, state)| state).collect();
        assert_eq!(states, plain.states);
    }

    fn history(&self, prefix: &[(usize, u32)], last: &NaiveNode) -> Vec<BranchId> {
        let mut history = Vec::new();
        for (index, side) in prefix {
            let NaiveNode { node, branches, .. } = &self.naive.nodes[*index];
            history.extend(branches);
            history.extend((node.kind == StepKind::Branch).then(|| self.program.branch(node.site, *side)));
        }
        history.extend(&last.branches);
        history.reverse();
        history
    }

    /// Compares the probability of each flip, over all numbers that can be drawn.
    fn check_random_path(&self) {
        let (mut expected, mut found) = (BTreeMap::new(), BTreeMap::new());
        self.naive.walk(None, 1.0, &mut expected);
        let mut draws: Vec<(usize, usize)> = Vec::new();
        loop {
            let mut at = 0;
            let flip = self.tree.random_path(|n| {
                assert!(n > 1, "a choice of one is none");
                draws.resize(draws.len().max(at + 1), (0, n));
                at += 1;
                draws[at - 1].0
            });
            let chance: f64 = draws.iter().map(|(_, n)| 1.0 / *n as f64).product();
            *found.entry(flip).or_insert(0.0) += chance;
            while draws.pop_if(|(drawn, n)| *drawn + 1 == *n).is_some() {}
            let Some(last) = draws.last_mut() else { break };
            last.0 += 1;
        }
        found.remove(&None);
        assert_eq!(found.len(), self.naive.untried().len());
        for (at, chance) in expected {
            let other = found[&Some(self.flip(at))];
            assert!((chance - other).abs() < 1e-9 * chance, "{at:?}: {chance} is not {other}");
        }
    }
}

#[test]
fn random_runs_and_states_agree_with_a_naive_tree() {
    for seed in 0..20 {
        let mut pair = Pair::new(seed);
        for round in 0..90 {
            pair.run();
            (0..seed % 5 * 4).for_each(|_| pair.random_state());
            if round % 30 == 2 {
                pair.check();
                pair.check_random_path();
            }
        }
        pair.check();
    }
}

#[test]
fn random_walks_reach_every_untried_flip() {
    for seed in 0..20 {
        let mut pair = Pair::new(seed);
        (0..60).for_each(|_| pair.run());
        let (all, mut left) = (pair.tree.frontier().collect::<Vec<_>>(), pair.tree.untried());
        let all_suspended = all.iter().filter(|flip| flip.side == 1).copied().collect::<Vec<_>>();
        all_suspended.iter().for_each(|flip| pair.tree.suspend(*flip));
        assert_eq!(pair.tree.untried(), left - all_suspended.len());
        all_suspended.iter().for_each(|flip| pair.tree.resume(*flip));
        assert_eq!(pair.tree.frontier().collect::<Vec<_>>(), all);
        while let Some(flip) = pair.tree.random_path(|n| pair.random.usize(..n)) {
            assert_eq!(pair.tree.state(flip), FlipState::Untried);
            pair.tree.set_state(flip, FlipState::Unsat);
            left -= 1;
        }
        assert_eq!((left, pair.tree.untried()), (0, 0));
    }
}
