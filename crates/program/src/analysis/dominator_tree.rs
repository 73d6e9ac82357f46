//! Dominator trees, by semidominators (the SEMI-NCA algorithm of Georgiadis and Tarjan).
//!
//! Near-linear in practice on any graph: call edges make a program's graph anything but reducible, which is where the
//! simpler iteration to a fixed point becomes slow.

use super::graph::{Graph, Walk};

/// Which node dominates which, among those that the root reaches.
#[derive(Clone, Debug)]
pub(crate) struct DominatorTree {
    /// The nearest dominator of each node; its own for the root and for what is not reached.
    parent: Vec<u32>,
    /// Number of each node in a walk of the tree, parents first; [`Walk::UNMET`] if it is not reached.
    number: Vec<u32>,
    /// How many nodes each dominates, itself among them.
    size: Vec<u32>,
}

impl DominatorTree {
    /// The tree of the nodes that `root` reaches.
    pub fn new(graph: &Graph, root: u32) -> DominatorTree {
        let walk = Walk::new(graph, root);
        let nearest = nearest_dominators(&walk, &semidominators(&walk, &graph.reversed()));
        Self::from_places(&walk, &nearest)
    }

    /// Whether every path from the root to `b` goes through `a`. A node that no path leads to is dominated by itself only.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let (above, below) = (self.number[a as usize], self.number[b as usize]);
        if above == Walk::UNMET || below == Walk::UNMET {
            return a == b;
        }
        above <= below && below - above < self.size[a as usize]
    }

    /// The nearest dominator of a node other than itself; none for the root and for what is not reached.
    pub fn parent(&self, node: u32) -> Option<u32> {
        let parent = self.parent[node as usize];
        (parent != node).then_some(parent)
    }

    /// Place of a node in an order in which dominators come first; none for what is not reached.
    pub fn number(&self, node: u32) -> Option<u32> {
        let number = self.number[node as usize];
        (number != Walk::UNMET).then_some(number)
    }

    /// Numbers the tree so that what a node dominates are the numbers right after its own. A dominator's place is always
    /// before those it dominates, so that no second walk is needed.
    fn from_places(walk: &Walk, nearest: &[u32]) -> DominatorTree {
        let count = walk.order.len();
        let mut sizes = vec![1; count];
        for place in (1..count).rev() {
            sizes[nearest[place] as usize] += sizes[place];
        }
        let nodes = walk.place.len();
        let parent = (0..nodes as u32).collect();
        let mut tree = DominatorTree { parent, number: vec![Walk::UNMET; nodes], size: vec![1; nodes] };
        let mut numbers = vec![0; count];
        let mut free = vec![1; count];
        for place in 0..count {
            if place > 0 {
                let above = nearest[place] as usize;
                numbers[place] = free[above];
                free[above] += sizes[place];
                free[place] = numbers[place] + 1;
                tree.parent[walk.order[place] as usize] = walk.order[above];
            }
            let node = walk.order[place] as usize;
            (tree.number[node], tree.size[node]) = (numbers[place], sizes[place]);
        }
        tree
    }
}

/// The semidominator of each place: the earliest one from which a path leads here through later places only.
fn semidominators(walk: &Walk, backward: &Graph) -> Vec<u32> {
    let mut semi: Vec<u32> = (0..walk.order.len() as u32).collect();
    let mut climb = Climb { above: walk.parent.clone(), least: semi.clone(), path: Vec::new() };
    for place in (1..semi.len() as u32).rev() {
        let before = backward.successors(walk.order[place as usize]);
        let met = before.iter().map(|&node| walk.place[node as usize]).filter(|&p| p != Walk::UNMET);
        let least = met.map(|p| climb.least(p, place)).min();
        semi[place as usize] = least.expect("a place is met from another");
        climb.least[place as usize] = semi[place as usize];
    }
    semi
}

/// The least semidominator on the way up the walk, with shortcuts over what has been climbed before.
struct Climb {
    above: Vec<u32>,
    /// The least from a place up to, but not including, the one above it.
    least: Vec<u32>,
    path: Vec<u32>,
}

impl Climb {
    /// The least from a place up to the last one after `limit`; all of these have their semidominators already.
    fn least(&mut self, mut place: u32, limit: u32) -> u32 {
        let start = place;
        if start <= limit {
            return start;
        }
        while self.above[place as usize] > limit {
            self.path.push(place);
            place = self.above[place as usize];
        }
        while let Some(below) = self.path.pop() {
            let above = self.above[below as usize] as usize;
            self.least[below as usize] = self.least[below as usize].min(self.least[above]);
            self.above[below as usize] = self.above[above];
        }
        self.least[start as usize]
    }
}

/// The nearest dominator of each place: up the tree of dominators from where it was met, to its semidominator or above.
fn nearest_dominators(walk: &Walk, semi: &[u32]) -> Vec<u32> {
    let mut nearest = walk.parent.clone();
    for place in 1..nearest.len() {
        while nearest[place] > semi[place] {
            nearest[place] = nearest[nearest[place] as usize];
        }
    }
    nearest
}
