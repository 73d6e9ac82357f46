//! Directed graphs whose edges lie in one array: nothing is allocated per node.

/// A graph on the nodes `0..len`.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    /// Where each node's successors begin, and the end of the last ones.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// The graph with these edges; a node's successors keep their order.
    pub fn new(nodes: u32, edges: &[(u32, u32)]) -> Graph {
        let mut starts = vec![0; nodes as usize + 1];
        for &(from, _) in edges {
            starts[from as usize + 1] += 1;
        }
        for node in 0..nodes as usize {
            starts[node + 1] += starts[node];
        }
        let mut free = starts.clone();
        let mut targets = vec![0; edges.len()];
        for &(from, to) in edges {
            let at = &mut free[from as usize];
            targets[*at as usize] = to;
            *at += 1;
        }
        Graph { starts, targets }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the edges of a node lead, in order; one that is there twice is told twice.
    pub fn successors(&self, node: u32) -> &[u32] {
        &self.targets[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// The graph with all edges turned round.
    pub fn reversed(&self) -> Graph {
        let nodes = 0..self.len() as u32;
        let edges: Vec<_> = nodes.flat_map(|n| self.successors(n).iter().map(move |&to| (to, n))).collect();
        Graph::new(self.len() as u32, &edges)
    }
}

/// A depth-first walk from one node.
pub(crate) struct Walk {
    /// The nodes met, in the order they were met.
    pub order: Vec<u32>,
    /// Place of each node in `order`; [`Walk::UNMET`] for others.
    pub place: Vec<u32>,
    /// For each place, the place of the node it was met from; the first's is its own.
    pub parent: Vec<u32>,
}

impl Walk {
    /// Place of a node that the walk did not meet.
    pub const UNMET: u32 = u32::MAX;

    /// Walks a graph.
    pub fn new(graph: &Graph, root: u32) -> Walk {
        let mut walk = Walk { order: Vec::new(), place: vec![Self::UNMET; graph.len()], parent: Vec::new() };
        let mut open = vec![(root, 0)];
        while let Some((node, from)) = open.pop() {
            if walk.place[node as usize] != Self::UNMET {
                continue;
            }
            let place = walk.order.len() as u32;
            walk.place[node as usize] = place;
            walk.order.push(node);
            walk.parent.push(from);
            open.extend(graph.successors(node).iter().rev().map(|&to| (to, place)));
        }
        walk
    }
}
