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

/// The strongly connected components of a graph, by Tarjan's algorithm.
pub(crate) struct Components {
    /// The component of each node. An edge never leads to a higher one.
    pub of: Vec<u32>,
    /// How many there are.
    pub count: u32,
}

impl Components {
    /// Finds them in one walk.
    pub fn new(graph: &Graph) -> Components {
        let nodes = graph.len();
        let components = Components { of: vec![Self::NONE; nodes], count: 0 };
        let mut search = Search { components, low: vec![0; nodes], met: 0, stack: Vec::new() };
        for node in 0..nodes as u32 {
            if search.low[node as usize] == 0 {
                search.walk(graph, node);
            }
        }
        search.components
    }

    const NONE: u32 = u32::MAX;
}

struct Search {
    components: Components,
    /// Lowest number of a node of the same component that can be reached; 0 for one not met. Numbers begin at 1.
    low: Vec<u32>,
    met: u32,
    /// Nodes met whose component is still open.
    stack: Vec<u32>,
}

impl Search {
    fn walk(&mut self, graph: &Graph, root: u32) {
        let mut path = vec![self.meet(root)];
        while let Some((node, number, tried)) = path.last_mut() {
            let Some(&next) = graph.successors(*node).get(*tried) else {
                let (node, number) = (*node, *number);
                path.pop();
                self.leave(node, number, path.last().map(|above| above.0));
                continue;
            };
            *tried += 1;
            if self.low[next as usize] == 0 {
                path.push(self.meet(next));
            } else if self.components.of[next as usize] == Components::NONE {
                let low = self.low[next as usize];
                self.lower(*node, low);
            }
        }
    }

    /// The node, its number, and how many of its edges have been followed.
    fn meet(&mut self, node: u32) -> (u32, u32, usize) {
        self.met += 1;
        self.low[node as usize] = self.met;
        self.stack.push(node);
        (node, self.met, 0)
    }

    fn lower(&mut self, node: u32, low: u32) {
        self.low[node as usize] = self.low[node as usize].min(low);
    }

    fn leave(&mut self, node: u32, number: u32, above: Option<u32>) {
        let low = self.low[node as usize];
        if let Some(above) = above {
            self.lower(above, low);
        }
        if low == number {
            while let Some(member) = self.stack.pop() {
                self.components.of[member as usize] = self.components.count;
                if member == node {
                    break;
                }
            }
            self.components.count += 1;
        }
    }
}
