//! Directed graphs in compressed sparse row form: nothing is allocated per node.

/// A graph on the nodes `0..len`.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    /// By node: start of its successors in `targets`; the last entry is the end.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// Creates the graph with these edges; a node's successors keep their order.
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

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the successors of a node, in order, with duplicates.
    pub fn successors(&self, node: u32) -> &[u32] {
        &self.targets[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// Returns the graph with all edges reversed.
    pub fn reversed(&self) -> Graph {
        let nodes = 0..self.len() as u32;
        let edges: Vec<_> = nodes.flat_map(|n| self.successors(n).iter().map(move |&to| (to, n))).collect();
        Graph::new(self.len() as u32, &edges)
    }
}

/// Depth-first order of the nodes reachable from a root.
pub(crate) struct DepthFirstOrder {
    /// Visited nodes, in preorder.
    pub order: Vec<u32>,
    /// By node: its position in `order`; [`DepthFirstOrder::UNMET`] for others.
    pub position: Vec<u32>,
    /// By position: the position of the parent; the root's is its own.
    pub parent: Vec<u32>,
}

impl DepthFirstOrder {
    /// Position of a node that was not visited.
    pub const UNMET: u32 = u32::MAX;

    /// Visits the graph from `root`.
    pub fn new(graph: &Graph, root: u32) -> DepthFirstOrder {
        let mut order = DepthFirstOrder {
            order: Vec::new(),
            position: vec![Self::UNMET; graph.len()],
            parent: Vec::new(),
        };
        let mut stack = vec![(root, 0)];
        while let Some((node, from)) = stack.pop() {
            if order.position[node as usize] != Self::UNMET {
                continue;
            }
            let position = order.order.len() as u32;
            order.position[node as usize] = position;
            order.order.push(node);
            order.parent.push(from);
            stack.extend(graph.successors(node).iter().rev().map(|&to| (to, position)));
        }
        order
    }
}

/// The strongly connected components of a graph, by Tarjan's algorithm.
pub(crate) struct Components {
    /// By node: its component. An edge never leads to a higher one.
    pub of: Vec<u32>,
    /// Number of components.
    pub count: u32,
}

impl Components {
    /// Computes the components in one traversal.
    pub fn new(graph: &Graph) -> Components {
        let nodes = graph.len();
        let components = Components { of: vec![Self::NONE; nodes], count: 0 };
        let mut search = TarjanSearch { components, low: vec![0; nodes], visited: 0, stack: Vec::new() };
        for node in 0..nodes as u32 {
            if search.low[node as usize] == 0 {
                search.walk(graph, node);
            }
        }
        search.components
    }

    const NONE: u32 = u32::MAX;
}

struct TarjanSearch {
    components: Components,
    /// Lowest number of a node of the same component that can be reached; 0 for one not visited. Numbers
    /// begin at 1.
    low: Vec<u32>,
    visited: u32,
    /// Visited nodes whose component is still open.
    stack: Vec<u32>,
}

impl TarjanSearch {
    fn walk(&mut self, graph: &Graph, root: u32) {
        let mut path = vec![self.visit(root)];
        while let Some((node, number, tried)) = path.last_mut() {
            let Some(&next) = graph.successors(*node).get(*tried) else {
                let (node, number) = (*node, *number);
                path.pop();
                self.leave(node, number, path.last().map(|above| above.0));
                continue;
            };
            *tried += 1;
            if self.low[next as usize] == 0 {
                path.push(self.visit(next));
            } else if self.components.of[next as usize] == Components::NONE {
                let low = self.low[next as usize];
                self.lower(*node, low);
            }
        }
    }

    /// Visits a node; returns it with its number and the count of its edges followed so far.
    fn visit(&mut self, node: u32) -> (u32, u32, usize) {
        self.visited += 1;
        self.low[node as usize] = self.visited;
        self.stack.push(node);
        (node, self.visited, 0)
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
