//! The tree itself.
//!
//! A node is 24 bytes and four more per side. Everything about where a node hangs is decided when
//! it is made: a run that leaves the known paths creates all its later nodes one after the other,
//! so which run made a node is found from one number per run.

use crate::decided::Decided;
use crate::frontier::Frontier;
use crate::slot::{FlipState, MAX_NODES, PackedSlot, Slot};
use crate::step::{Flip, NodeId, RunId, Step, StepKind};
use cairn_expr::ExprId;
use cairn_program::{Program, SiteId, SiteKind};
use rustc_hash::FxHashMap;

const NO_PARENT: u32 = u32::MAX;
/// The slot above the first node of every path.
const ROOT: usize = 0;

/// A node as it is stored.
#[derive(Clone, Debug)]
struct Record {
    parent: u32,
    /// Side of the parent that leads here.
    via: u32,
    site: u32,
    value: ExprId,
    /// Where its slots start: one per side for a branch; for a pin its one way on, and two words
    /// of its constant.
    slots: u32,
    /// Branches before it, and two bits of what it is.
    depth_and_bits: u32,
}

const PIN_BIT: u32 = 1 << 31;
const FORCED_BIT: u32 = 1 << 30;
const DEPTH_MASK: u32 = FORCED_BIT - 1;

/// What is known of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// Branch or pin.
    pub kind: StepKind,
    /// Where it stands in the program.
    pub site: SiteId,
    /// The deciding value.
    pub value: ExprId,
    /// The constant a pin's value was used as; 0 for a branch.
    pub concrete: u64,
    /// The node before it, and the side of that one that leads here.
    pub parent: Option<(NodeId, u32)>,
    /// Symbolic branches before it; pins do not count.
    pub depth: u32,
    /// Sides it has; 1 for a pin.
    pub sides: u32,
    /// Whether the nodes before it leave it no choice; its condition then adds nothing to theirs.
    pub forced: bool,
}

/// What adding a run did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddedRun {
    /// The run's id.
    pub run: RunId,
    /// The node of each step.
    pub nodes: Vec<NodeId>,
    /// Index of the first step that was not in the tree; the path's length if all were.
    pub first_new: usize,
    /// Whether that step stands where earlier runs, having decided everything alike, came to
    /// another site or value: the target depends on something that is not in its input.
    pub mismatch: bool,
}

/// A second, third, ... node below one slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Alternative {
    slot: u32,
    site: u32,
    value: ExprId,
    /// The constant of a pin, with a bit above it; 0 for a branch.
    pinned: u128,
}

/// All paths that were run.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Sides per site, and whether a side tells the value.
    shapes: Vec<(u32, bool)>,
    nodes: Vec<Record>,
    slots: Vec<PackedSlot>,
    alternatives: FxHashMap<Alternative, NodeId>,
    /// How many nodes there were before each run.
    run_starts: Vec<u32>,
    frontier: Frontier,
    decided: Decided,
    pins: usize,
    unknown: usize,
    diverged: usize,
}

impl Tree {
    /// An empty tree for runs of this program.
    pub fn new(program: &Program) -> Tree {
        let shape = |site: &cairn_program::Site| (site.sides.len() as u32, site.kind != SiteKind::Switch);
        Tree {
            shapes: program.sites().map(|(_, site)| shape(site)).collect(),
            nodes: Vec::new(),
            slots: vec![PackedSlot::pack(Slot::Leaf)],
            alternatives: FxHashMap::default(),
            run_starts: Vec::new(),
            frontier: Frontier::default(),
            decided: Decided::default(),
            pins: 0,
            unknown: 0,
            diverged: 0,
        }
    }

    /// Adds a run's path, in time linear in its length.
    ///
    /// # Panics
    /// If a branch step names a site or side that the program does not have.
    pub fn add_run(&mut self, path: &[Step]) -> AddedRun {
        let run = RunId(self.run_starts.len() as u32);
        self.run_starts.push(self.nodes.len() as u32);
        self.decided.start();
        let mut added =
            AddedRun { run, nodes: Vec::with_capacity(path.len()), first_new: path.len(), mismatch: false };
        let mut slot = ROOT;
        for (index, step) in path.iter().enumerate() {
            let forced = self.decided.note(step, self.is_binary(step));
            let node = match self.find(slot, step).filter(|_| index < added.first_new) {
                Some(node) => node,
                None => {
                    if index < added.first_new {
                        added.first_new = index;
                        added.mismatch = self.contradicts(slot, step);
                    }
                    let parent = index.checked_sub(1).map(|before| (added.nodes[before], path[before].side));
                    self.create(slot, parent, step, forced)
                }
            };
            added.nodes.push(node);
            slot = self.take(Flip { node, side: step.side });
        }
        added
    }

    fn is_binary(&self, step: &Step) -> bool {
        step.kind == StepKind::Branch && self.shapes[step.site.0 as usize].1
    }

    /// The node below a slot that this step would be.
    fn find(&self, slot: usize, step: &Step) -> Option<NodeId> {
        match self.slots[slot].unpack() {
            Slot::Child(first) if self.is(first, step) => Some(first),
            Slot::Child(_) => self.alternatives.get(&Alternative::new(slot, step)).copied(),
            Slot::Leaf | Slot::Open(_) => None,
        }
    }

    fn is(&self, node: NodeId, step: &Step) -> bool {
        self.is_at(node, step) && (step.kind == StepKind::Branch || self.constant(node) == step.concrete)
    }

    /// Whether a node stands at the step's site and decides on its value.
    fn is_at(&self, node: NodeId, step: &Step) -> bool {
        let record = &self.nodes[node.index()];
        let is_pin = record.depth_and_bits & PIN_BIT != 0;
        record.site == step.site.0 && record.value == step.value && is_pin == (step.kind == StepKind::Pin)
    }

    fn contradicts(&self, slot: usize, step: &Step) -> bool {
        matches!(self.slots[slot].unpack(), Slot::Child(first) if !self.is_at(first, step))
    }

    fn create(&mut self, slot: usize, parent: Option<(NodeId, u32)>, step: &Step, forced: bool) -> NodeId {
        assert!(self.nodes.len() < MAX_NODES, "the tree is full");
        let node = NodeId(self.nodes.len() as u32);
        match self.slots[slot].unpack() {
            Slot::Leaf | Slot::Open(_) => self.slots[slot] = PackedSlot::pack(Slot::Child(node)),
            Slot::Child(_) => {
                self.alternatives.insert(Alternative::new(slot, step), node);
            }
        }
        let slots = u32::try_from(self.slots.len()).expect("the tree is full");
        let depth = parent.map_or(0, |(before, _)| {
            let before = &self.nodes[before.index()].depth_and_bits;
            (before & DEPTH_MASK) + u32::from(before & PIN_BIT == 0)
        });
        let bits = match step.kind {
            StepKind::Branch => self.add_branch_slots(node, step, forced),
            StepKind::Pin => self.add_pin_slots(step.concrete, forced),
        };
        self.nodes.push(Record {
            parent: parent.map_or(NO_PARENT, |(before, _)| before.0),
            via: parent.map_or(0, |(_, side)| side),
            site: step.site.0,
            value: step.value,
            slots,
            depth_and_bits: depth | bits | if forced { FORCED_BIT } else { 0 },
        });
        node
    }

    fn add_branch_slots(&mut self, node: NodeId, step: &Step, forced: bool) -> u32 {
        let sides = self.shapes[step.site.0 as usize].0;
        assert!(step.side < sides, "site {} has no side {}", step.site.0, step.side);
        let state = if forced { FlipState::Unsat } else { FlipState::Untried };
        for side in 0..sides {
            let taken = side == step.side;
            self.slots.push(PackedSlot::pack(if taken { Slot::Leaf } else { Slot::Open(state) }));
            if !taken && !forced {
                self.frontier.add(Flip { node, side });
            }
        }
        0
    }

    fn add_pin_slots(&mut self, constant: u64, forced: bool) -> u32 {
        self.pins += usize::from(!forced);
        self.slots.push(PackedSlot::pack(Slot::Leaf));
        self.slots.extend([PackedSlot::raw(constant as u32), PackedSlot::raw((constant >> 32) as u32)]);
        PIN_BIT
    }

    /// A run took this side: gives its slot.
    fn take(&mut self, flip: Flip) -> usize {
        self.set_state(flip, FlipState::Sat);
        self.slot_of(flip)
    }

    fn slot_of(&self, flip: Flip) -> usize {
        self.nodes[flip.node.index()].slots as usize + flip.side as usize
    }

    fn constant(&self, pin: NodeId) -> u64 {
        let slots = self.nodes[pin.index()].slots as usize;
        u64::from(self.slots[slots + 1].as_raw()) | u64::from(self.slots[slots + 2].as_raw()) << 32
    }

    /// What became of a side.
    pub fn state(&self, flip: Flip) -> FlipState {
        self.slots[self.slot_of(flip)].state()
    }

    /// Notes what became of a side. A side that a run has taken stays `Sat`, and no side becomes
    /// untried again.
    pub fn set_state(&mut self, flip: Flip, state: FlipState) {
        let slot = self.slot_of(flip);
        let old = self.slots[slot].state();
        if old == FlipState::Sat || old == state || state == FlipState::Untried {
            return;
        }
        self.slots[slot] = PackedSlot::pack(Slot::Open(state));
        match old {
            FlipState::Unknown => self.unknown -= 1,
            FlipState::Diverged => self.diverged -= 1,
            FlipState::Untried => {
                let (nodes, slots) = (&self.nodes, &self.slots);
                self.frontier.removed_one(|flip| is_untried(nodes, slots, flip));
            }
            FlipState::Sat | FlipState::Unsat => {}
        }
        match state {
            FlipState::Unknown => self.unknown += 1,
            FlipState::Diverged => self.diverged += 1,
            FlipState::Sat | FlipState::Unsat | FlipState::Untried => {}
        }
    }

    /// The node with this id.
    pub fn node(&self, id: NodeId) -> Node {
        let record = &self.nodes[id.index()];
        let is_pin = record.depth_and_bits & PIN_BIT != 0;
        Node {
            kind: if is_pin { StepKind::Pin } else { StepKind::Branch },
            site: SiteId(record.site),
            value: record.value,
            concrete: if is_pin { self.constant(id) } else { 0 },
            parent: (record.parent != NO_PARENT).then_some((NodeId(record.parent), record.via)),
            depth: record.depth_and_bits & DEPTH_MASK,
            sides: if is_pin { 1 } else { self.shapes[record.site as usize].0 },
            forced: record.depth_and_bits & FORCED_BIT != 0,
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no run decided anything yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The run that came to a node first: its input satisfies everything before the node.
    pub fn creator(&self, node: NodeId) -> RunId {
        RunId(self.run_starts.partition_point(|start| *start <= node.0) as u32 - 1)
    }

    /// The sides of a node with their states; none for a pin.
    pub fn sides(&self, node: NodeId) -> impl Iterator<Item = (Flip, FlipState)> + '_ {
        let record = &self.nodes[node.index()];
        let is_pin = record.depth_and_bits & PIN_BIT != 0;
        let sides = if is_pin { 0 } else { self.shapes[record.site as usize].0 };
        let slots = &self.slots[record.slots as usize..record.slots as usize + sides as usize];
        (0..).map(move |side| Flip { node, side }).zip(slots.iter().map(|slot| slot.state()))
    }

    /// The untried flips of a node.
    pub fn untried_of(&self, node: NodeId) -> impl Iterator<Item = Flip> + '_ {
        self.sides(node).filter(|(_, state)| *state == FlipState::Untried).map(|(flip, _)| flip)
    }

    /// The nodes before this one and the sides taken there, from the root on.
    pub fn prefix(&self, node: NodeId) -> Vec<(NodeId, u32)> {
        let above = |&(node, _): &(NodeId, u32)| self.node(node).parent;
        let mut prefix: Vec<_> = std::iter::successors(self.node(node).parent, above).collect();
        prefix.reverse();
        prefix
    }

    /// How many flips are untried.
    pub fn untried(&self) -> usize {
        self.frontier.len()
    }

    /// The untried flips in order of discovery.
    pub fn frontier(&self) -> impl DoubleEndedIterator<Item = Flip> + '_ {
        self.frontier.all().filter(|flip| is_untried(&self.nodes, &self.slots, *flip))
    }

    /// A uniformly random untried flip; `below(n)` draws a number below `n`.
    pub fn pick_untried(&self, below: impl FnMut(usize) -> usize) -> Option<Flip> {
        self.frontier.pick(below, |flip| is_untried(&self.nodes, &self.slots, flip))
    }

    /// Whether every side of every node was taken or proved impossible.
    pub fn exhausted(&self) -> bool {
        self.untried() + self.unknown + self.diverged == 0
    }

    /// How many pins there are whose value was not decided before: other values may lead elsewhere,
    /// and none but those that runs met were tried.
    pub fn pins(&self) -> usize {
        self.pins
    }
}

fn is_untried(nodes: &[Record], slots: &[PackedSlot], flip: Flip) -> bool {
    let slot = nodes[flip.node.index()].slots as usize + flip.side as usize;
    slots[slot].state() == FlipState::Untried
}

impl Alternative {
    fn new(slot: usize, step: &Step) -> Alternative {
        let pinned = match step.kind {
            StepKind::Branch => 0,
            StepKind::Pin => 1 << 64 | u128::from(step.concrete),
        };
        Alternative { slot: slot as u32, site: step.site.0, value: step.value, pinned }
    }
}
