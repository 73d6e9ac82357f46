//! Transitive callees of functions.

use super::call_graph::CallGraph;
use super::graph::{Components, Graph};
use crate::model::{FunctionId, Program};
use std::cmp::Reverse;

/// The transitive callees of all functions. Mutually recursive functions form one component.
#[derive(Clone, Debug)]
pub struct Callees {
    component: Vec<u32>,
    /// Instructions, by component.
    instructions: Vec<u64>,
    /// By component: its transitive callees including itself, a bit each.
    reached: Vec<Vec<u64>>,
    /// Instructions of all these.
    sums: Vec<u64>,
    /// Set of the last call to [`Callees::instructions`].
    set: Vec<u64>,
}

impl Callees {
    /// Computes the sets in time linear in the program and space quadratic in its functions, a bit per pair.
    pub fn new(program: &Program, calls: &CallGraph) -> Callees {
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

    /// True if a function may call another, directly or indirectly, or is the same. Constant time.
    pub fn may_call(&self, caller: FunctionId, callee: FunctionId) -> bool {
        let component = |function: FunctionId| self.component[function.0 as usize] as usize;
        self.reached[component(caller)][component(callee) / 64] >> (component(callee) % 64) & 1 == 1
    }

    /// Computes the sets from the lowest component up: a component calls only lower ones.
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

    /// Returns the number of instructions of these functions and all their callees. The highest component
    /// comes first: most of the others are among its callees, so that they add little.
    pub(super) fn instructions(&mut self, functions: &mut Vec<u32>) -> u64 {
        functions.sort_unstable_by_key(|&function| Reverse(self.component[function as usize]));
        functions.dedup();
        let mut functions = functions.iter();
        self.set.fill(0);
        let Some(&highest) = functions.next() else { return 0 };
        let highest = self.component[highest as usize] as usize;
        self.set.copy_from_slice(&self.reached[highest]);
        self.sums[highest] + functions.map(|&function| self.add(function)).sum::<u64>()
    }

    /// Adds a function and its callees to the set; returns the number of instructions added.
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

    /// True if a function is in the last set.
    pub(super) fn contains(&self, function: u32) -> bool {
        let component = self.component[function as usize];
        self.set[component as usize / 64] >> (component % 64) & 1 == 1
    }
}

/// Sorts edges and removes duplicates.
pub(super) fn sorted(mut edges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    edges.sort_unstable();
    edges.dedup();
    edges
}
