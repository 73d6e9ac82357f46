//! Control dependence: the amount of code that depends on a branch.
//!
//! A block depends on a side of a site if it is certain to be executed once the side is taken, but not
//! before. Dependence is transitive through all sides of a dependent block; a block that calls a function has
//! all its code, and that of its callees, depend on it.

use super::blocks::PostDominators;
use super::call_graph::CallGraph;
use super::callees::{Callees, sorted};
use super::graph::{Components, Graph};
use crate::model::{BlockId, BranchId, Program};
use cairn_wire::SiteKind;

/// By branch: the number of instructions that depend on it, directly or transitively.
#[derive(Clone, Debug)]
pub struct ControlDependence {
    statements: Vec<u64>,
}

impl ControlDependence {
    /// Computes the counts in time linear in the program, and for each branch in what depends on it (loops
    /// counting as one).
    pub fn new(program: &Program, calls: &CallGraph) -> ControlDependence {
        let after = PostDominators::new(program);
        let mut counter = DependentCounter::new(program, calls, &after);
        let mut statements = vec![0; program.branch_count() as usize];
        // A select's sides have no code of their own.
        for (_, site) in program.sites().filter(|(_, site)| site.kind != SiteKind::Select) {
            for (branch, side) in site.branches().zip(&site.sides) {
                let dependents = dependents(&after, site.block, side.successor);
                statements[branch.0 as usize] = counter.count(site.function.0, dependents);
            }
        }
        ControlDependence { statements }
    }

    /// Returns the number of instructions that depend on taking a branch, each counted once.
    pub fn statements(&self, branch: BranchId) -> u64 {
        self.statements.get(branch.0 as usize).copied().unwrap_or(0)
    }
}

/// Returns the blocks that depend on an edge: the post-dominators of its target, up to the immediate
/// post-dominator of its origin.
pub(crate) fn dependents(
    after: &PostDominators,
    from: BlockId,
    to: BlockId,
) -> impl Iterator<Item = BlockId> {
    let unconditional = after.next(from);
    std::iter::successors(Some(to), |block| after.next(*block))
        .take_while(move |block| Some(*block) != unconditional)
}

/// Sums up transitive dependents.
struct DependentCounter {
    /// By block: its component among mutually dependent blocks.
    component: Vec<u32>,
    /// By component: its dependents.
    below: Graph,
    /// Instructions, by component.
    instructions: Vec<u64>,
    /// By component: functions it calls.
    callees: Graph,
    functions: Callees,
    /// By component: the last round in which it was visited.
    visited: Vec<u32>,
    round: u32,
    /// Worklist of components.
    worklist: Vec<u32>,
    /// Functions called so far.
    called: Vec<u32>,
}

impl DependentCounter {
    fn new(program: &Program, calls: &CallGraph, after: &PostDominators) -> DependentCounter {
        let direct = dependence(program, after);
        let components = Components::new(&direct);
        let component = |block: u32| components.of[block as usize];
        let mut instructions = vec![0; components.count as usize];
        let (mut below, mut callees) = (Vec::new(), Vec::new());
        for (block, id) in program.blocks().zip(0..) {
            let from = component(id);
            instructions[from as usize] += u64::from(block.instructions);
            let others = direct.successors(id).iter().map(|&to| component(to)).filter(|&to| to != from);
            below.extend(others.map(|to| (from, to)));
            let called = block.calls.iter().flat_map(|call| calls.targets(call));
            callees.extend(called.map(|callee| (from, callee.0)));
        }
        // Targets of these edges are functions, of which there may be more than components.
        let nodes = components.count.max(program.functions().count() as u32);
        DependentCounter {
            below: Graph::new(components.count, &sorted(below)),
            instructions,
            callees: Graph::new(nodes, &sorted(callees)),
            functions: Callees::new(program, calls),
            visited: vec![0; components.count as usize],
            round: 0,
            worklist: Vec::new(),
            called: Vec::new(),
            component: components.of,
        }
    }

    /// Counts the instructions of these blocks of a function and of all that depends on them.
    fn count(&mut self, function: u32, blocks: impl Iterator<Item = BlockId>) -> u64 {
        self.round += 1;
        self.called.clear();
        let mut own = 0;
        self.worklist.extend(blocks.map(|block| self.component[block.0 as usize]));
        while let Some(component) = self.worklist.pop() {
            if std::mem::replace(&mut self.visited[component as usize], self.round) == self.round {
                continue;
            }
            own += self.instructions[component as usize];
            self.called.extend(self.callees.successors(component));
            self.worklist.extend(self.below.successors(component));
        }
        let called = self.functions.instructions(&mut self.called);
        called + if self.functions.contains(function) { 0 } else { own }
    }
}

/// Returns the graph with edges from each block to those that depend on one of its sides.
fn dependence(program: &Program, after: &PostDominators) -> Graph {
    let mut edges = Vec::new();
    for (block, id) in program.blocks().zip(0..) {
        for &to in &block.successors {
            edges.extend(dependents(after, BlockId(id), to).map(|dependent| (id, dependent.0)));
        }
    }
    Graph::new(program.block_count(), &edges)
}
