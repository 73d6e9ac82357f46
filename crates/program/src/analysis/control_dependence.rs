//! How much code hangs on a branch.
//!
//! A block depends on a side of a site if it is sure to be executed once the side is taken, but not before. What depends
//! on a block depends on all its sides; a block that calls a function has all of it, and of what it calls, depend on it.

use super::blocks::PostDominators;
use super::call_graph::CallGraph;
use super::graph::{Components, Graph};
use crate::model::{BlockId, BranchId, Program};
use cairn_wire::SiteKind;
use std::cmp::Reverse;

/// Per branch the code that depends on it, directly or through other branches.
#[derive(Clone, Debug)]
pub struct ControlDependence {
    statements: Vec<u64>,
}

impl ControlDependence {
    /// Takes time proportional to the program, and for each branch to what depends on it (loops counting as one).
    pub fn new(program: &Program, calls: &CallGraph) -> ControlDependence {
        let after = PostDominators::new(program);
        let mut counter = Counter::new(program, calls, &after);
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

    /// The instructions that depend on taking a branch, each counted once.
    pub fn statements(&self, branch: BranchId) -> u64 {
        self.statements.get(branch.0 as usize).copied().unwrap_or(0)
    }
}

/// The blocks that depend on an edge: those sure to come after it, up to what comes after its origin anyway.
fn dependents(after: &PostDominators, from: BlockId, to: BlockId) -> impl Iterator<Item = BlockId> {
    let anyway = after.next(from);
    std::iter::successors(Some(to), |block| after.next(*block))
        .take_while(move |block| Some(*block) != anyway)
}

/// Adds up what hangs together.
struct Counter {
    /// The component of each block among those that depend on each other.
    component: Vec<u32>,
    /// What depends on each component.
    below: Graph,
    /// Instructions of each component.
    instructions: Vec<u64>,
    /// Functions that each component calls.
    callees: Graph,
    functions: Callees,
    /// The last round in which each component was met.
    met: Vec<u32>,
    round: u32,
    /// Components still to be looked at.
    open: Vec<u32>,
    /// Functions called so far.
    called: Vec<u32>,
}

impl Counter {
    fn new(program: &Program, calls: &CallGraph, after: &PostDominators) -> Counter {
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
        Counter {
            below: Graph::new(components.count, &sorted(below)),
            instructions,
            callees: Graph::new(nodes, &sorted(callees)),
            functions: Callees::new(program, calls),
            met: vec![0; components.count as usize],
            round: 0,
            open: Vec::new(),
            called: Vec::new(),
            component: components.of,
        }
    }

    /// The instructions of these blocks of a function and of all that depends on them.
    fn count(&mut self, function: u32, blocks: impl Iterator<Item = BlockId>) -> u64 {
        self.round += 1;
        self.called.clear();
        let mut own = 0;
        self.open.extend(blocks.map(|block| self.component[block.0 as usize]));
        while let Some(component) = self.open.pop() {
            if std::mem::replace(&mut self.met[component as usize], self.round) == self.round {
                continue;
            }
            own += self.instructions[component as usize];
            self.called.extend(self.callees.successors(component));
            self.open.extend(self.below.successors(component));
        }
        let called = self.functions.instructions(&mut self.called);
        called + if self.functions.contains(function) { 0 } else { own }
    }
}

/// Edges from each block to those that depend on one of its sides.
fn dependence(program: &Program, after: &PostDominators) -> Graph {
    let mut edges = Vec::new();
    for (block, id) in program.blocks().zip(0..) {
        for &to in &block.successors {
            edges.extend(dependents(after, BlockId(id), to).map(|dependent| (id, dependent.0)));
        }
    }
    Graph::new(program.block_count(), &edges)
}

fn sorted(mut edges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// What functions call, directly or through others. Functions that call each other are one component.
struct Callees {
    component: Vec<u32>,
    /// Instructions of each component.
    instructions: Vec<u64>,
    /// Per component the set of all it calls, itself among them, a bit each.
    reached: Vec<Vec<u64>>,
    /// Instructions of all these.
    sums: Vec<u64>,
    /// The set that was asked for last.
    set: Vec<u64>,
}

impl Callees {
    fn new(program: &Program, calls: &CallGraph) -> Callees {
        let edges = program.blocks().flat_map(|block| {
            let called = block.calls.iter().flat_map(|call| calls.targets(call));
            called.map(|callee| (block.function.0, callee.0))
        });
        let graph = Graph::new(program.functions().count() as u32, &sorted(edges.collect()));
        let components = Components::new(&graph);
        let mut instructions = vec![0; components.count as usize];
        for block in program.blocks() {
            instructions[components.of[block.function.0 as usize] as usize] += u64::from(block.instructions);
        }
        let set = vec![0; (components.count as usize).div_ceil(64)];
        let (component, reached, sums) = (components.of, Vec::new(), Vec::new());
        let mut callees = Callees { component, instructions, reached, sums, set };
        callees.reach(&graph, components.count);
        callees
    }

    /// A component calls only lower ones: theirs are known when its turn comes.
    fn reach(&mut self, graph: &Graph, count: u32) {
        let mut called = vec![Vec::new(); count as usize];
        for function in 0..graph.len() as u32 {
            called[self.component[function as usize] as usize].extend(graph.successors(function));
        }
        for (mut called, component) in called.into_iter().zip(0..) {
            called.retain(|&callee| self.component[callee as usize] != component);
            let below = self.instructions(&mut called);
            self.set[component as usize / 64] |= 1 << (component % 64);
            self.reached.push(self.set.clone());
            self.sums.push(below + self.instructions[component as usize]);
        }
    }

    /// The instructions of these functions and of all they call. The highest component comes first: most of the others
    /// are among its callees, and what they add is little.
    fn instructions(&mut self, functions: &mut Vec<u32>) -> u64 {
        functions.sort_unstable_by_key(|&function| Reverse(self.component[function as usize]));
        functions.dedup();
        let mut functions = functions.iter();
        self.set.fill(0);
        let Some(&highest) = functions.next() else { return 0 };
        let highest = self.component[highest as usize] as usize;
        self.set.copy_from_slice(&self.reached[highest]);
        self.sums[highest] + functions.map(|&function| self.add(function)).sum::<u64>()
    }

    /// Adds a function and all it calls to the set; gives the instructions of what is new.
    fn add(&mut self, function: u32) -> u64 {
        if self.contains(function) {
            return 0;
        }
        let reached = &self.reached[self.component[function as usize] as usize];
        let mut sum = 0;
        for ((word, more), first) in self.set.iter_mut().zip(reached).zip((0..).step_by(64)) {
            let mut new = more & !*word;
            *word |= more;
            while new != 0 {
                sum += self.instructions[first + new.trailing_zeros() as usize];
                new &= new - 1;
            }
        }
        sum
    }

    fn contains(&self, function: u32) -> bool {
        let component = self.component[function as usize];
        self.set[component as usize / 64] >> (component % 64) & 1 == 1
    }
}
