//! The tree itself.
//!
//! A node is 24 bytes and four more per side. Everything about where a node hangs is decided when
//! it is made: a run that leaves the known paths creates all its later nodes one after the other,
//! so which run made a node is found from one number per run.
//!
//! A pin has two sides: the constant, and any other value. A run with another constant goes on below the
//! second side, at a pin of its own: constants that were met form a chain, and the way to each says which
//! it is not. Flipping the last of a chain asks for a value that nobody has tried.

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
/// Most values that are asked for at one pin. Runs that meet more of them are kept side by side below the
/// end of the chain, which is never called exhausted.
const MAX_CHAIN: usize = 16;
/// The side of a pin that its constant takes.
const SAME: u32 = 0;
/// The side of a pin that all other values take.
const ANOTHER: u32 = 1;

/// A node as it is stored.
#[derive(Clone, Debug)]
struct Record {
    parent: u32,
    /// Side of the parent that leads here.
    via: u32,
    site: u32,
    value: ExprId,
    /// Where its slots start: one per side; for a pin two words of its constant follow.
    slots: u32,
    /// Branches before it, and three bits of what it is.
    depth_and_bits: u32,
}

const PIN_BIT: u32 = 1 << 31;
const CONSTRAINT_BIT: u32 = 1 << 30;
const FORCED_BIT: u32 = 1 << 29;
const DEPTH_MASK: u32 = FORCED_BIT - 1;

impl Record {
    fn kind(&self) -> StepKind {
        match self.depth_and_bits & (PIN_BIT | CONSTRAINT_BIT) {
            0 => StepKind::Branch,
            PIN_BIT => StepKind::Pin,
            _ => StepKind::Constraint,
        }
    }
}

/// What is known of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// Branch, pin or constraint.
    pub kind: StepKind,
    /// Where it stands in the program.
    pub site: SiteId,
    /// The deciding value.
    pub value: ExprId,
    /// The constant a pin's value was used as; 0 for other nodes.
    pub concrete: u64,
    /// The node before it, and the side of that one that leads here.
    pub parent: Option<(NodeId, u32)>,
    /// Symbolic branches before it; pins and constraints do not count.
    pub depth: u32,
    /// Sides it has: 2 for a pin (its constant, any other value), 1 for a constraint.
    pub sides: u32,
    /// Whether the nodes before it leave it no choice; its condition then adds nothing to theirs.
    pub forced: bool,
}

/// What adding a run did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddedRun {
    /// The run's id.
    pub run: RunId,
    /// The nodes the run came to, in order: one per step, and for a pin also those of the constants that
    /// earlier runs had there instead.
    pub nodes: Vec<NodeId>,
    /// The side taken at each.
    pub sides: Vec<u32>,
    /// Index of the first node that was not in the tree; the number of nodes if all were.
    pub first_new: usize,
    /// Whether that node stands where earlier runs, having decided everything alike, came to
    /// another site or value: the target depends on something that is not in its input.
    pub mismatch: bool,
}

/// What tells the nodes below one slot apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Place {
    slot: u32,
    site: u32,
    value: ExprId,
    kind: StepKind,
    /// The constant of a pin behind a full chain.
    constant: Option<u64>,
}

/// All paths that were run.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Sides per site, and whether a side tells the value.
    shapes: Vec<(u32, bool)>,
    nodes: Vec<Record>,
    slots: Vec<PackedSlot>,
    alternatives: FxHashMap<Place, NodeId>,
    /// How many nodes there were before each run.
    run_starts: Vec<u32>,
    frontier: Frontier,
    decided: Decided,
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
        let nodes = Vec::with_capacity(path.len());
        let sides = Vec::with_capacity(path.len());
        let mut added = AddedRun { run, nodes, sides, first_new: usize::MAX, mismatch: false };
        let mut slot = ROOT;
        for step in path {
            let forced = self.decided.note(step, self.is_binary(step));
            slot = self.follow(slot, step, forced, &mut added);
        }
        added.first_new = added.first_new.min(added.nodes.len());
        added
    }

    fn is_binary(&self, step: &Step) -> bool {
        step.kind == StepKind::Branch && self.shapes[step.site.0 as usize].1
    }

    /// Goes one step on from a slot, past the other constants of a pin; gives the slot behind it.
    fn follow(&mut self, mut slot: usize, step: &Step, forced: bool, added: &mut AddedRun) -> usize {
        let mut passed = 0;
        loop {
            let at = Place::new(slot, step, passed);
            let node = match self.find(&at).filter(|_| added.first_new == usize::MAX) {
                Some(node) => node,
                None => {
                    if added.first_new == usize::MAX {
                        added.first_new = added.nodes.len();
                        added.mismatch = self.contradicts(&at);
                    }
                    let parent = added.nodes.last().copied().zip(added.sides.last().copied());
                    self.create(at, parent, step, forced, passed)
                }
            };
            let side = self.side_of(node, step);
            added.nodes.push(node);
            added.sides.push(side);
            slot = self.take(Flip { node, side });
            if step.kind != StepKind::Pin || side == SAME {
                return slot;
            }
            passed += 1;
        }
    }

    fn side_of(&self, node: NodeId, step: &Step) -> u32 {
        match step.kind {
            StepKind::Branch => step.side,
            StepKind::Pin if self.constant(node) != step.concrete => ANOTHER,
            StepKind::Pin | StepKind::Constraint => SAME,
        }
    }

    /// The node that stands there, if there is one.
    fn find(&self, at: &Place) -> Option<NodeId> {
        match self.slots[at.slot as usize].unpack() {
            Slot::Child(first) if self.is(first, at) => Some(first),
            Slot::Child(_) => self.alternatives.get(at).copied(),
            Slot::Leaf | Slot::Open(_) => None,
        }
    }

    fn is(&self, node: NodeId, at: &Place) -> bool {
        self.is_at(node, at) && at.constant.is_none_or(|constant| self.constant(node) == constant)
    }

    /// Whether a node stands at this site and decides on this value.
    fn is_at(&self, node: NodeId, at: &Place) -> bool {
        let record = &self.nodes[node.index()];
        (record.site, record.value, record.kind()) == (at.site, at.value, at.kind)
    }

    fn contradicts(&self, at: &Place) -> bool {
        matches!(self.slots[at.slot as usize].unpack(), Slot::Child(first) if !self.is_at(first, at))
    }

    fn create(
        &mut self,
        at: Place,
        parent: Option<(NodeId, u32)>,
        step: &Step,
        forced: bool,
        passed: usize,
    ) -> NodeId {
        assert!(self.nodes.len() < MAX_NODES, "the tree is full");
        let node = NodeId(self.nodes.len() as u32);
        let slot = &mut self.slots[at.slot as usize];
        match slot.unpack() {
            Slot::Leaf | Slot::Open(_) => *slot = PackedSlot::pack(Slot::Child(node)),
            Slot::Child(_) => {
                self.alternatives.insert(at, node);
            }
        }
        let slots = u32::try_from(self.slots.len()).expect("the tree is full");
        let depth = parent.map_or(0, |(before, _)| {
            let before = &self.nodes[before.index()];
            (before.depth_and_bits & DEPTH_MASK) + u32::from(before.kind() == StepKind::Branch)
        });
        let bits = match step.kind {
            StepKind::Branch => self.add_branch_slots(node, step, forced),
            StepKind::Pin => self.add_pin_slots(node, step.concrete, forced, passed + 1 >= MAX_CHAIN),
            StepKind::Constraint => self.add_constraint_slot(),
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

    fn add_pin_slots(&mut self, node: NodeId, constant: u64, forced: bool, chain_is_full: bool) -> u32 {
        let another = match (forced, chain_is_full) {
            (true, _) => FlipState::Unsat,
            (false, true) => FlipState::Unknown,
            (false, false) => FlipState::Untried,
        };
        self.unknown += usize::from(another == FlipState::Unknown);
        if another == FlipState::Untried {
            self.frontier.add(Flip { node, side: ANOTHER });
        }
        self.slots.extend([Slot::Leaf, Slot::Open(another)].map(PackedSlot::pack));
        self.slots.extend([PackedSlot::raw(constant as u32), PackedSlot::raw((constant >> 32) as u32)]);
        PIN_BIT
    }

    fn add_constraint_slot(&mut self) -> u32 {
        self.slots.push(PackedSlot::pack(Slot::Leaf));
        CONSTRAINT_BIT
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
        u64::from(self.slots[slots + 2].as_raw()) | u64::from(self.slots[slots + 3].as_raw()) << 32
    }

    /// What became of a side.
    pub fn state(&self, flip: Flip) -> FlipState {
        self.slots[self.slot_of(flip)].state()
    }

    /// The node that runs which took this side came to, the first one's if they came to several; none if nobody took it,
    /// or nothing was decided afterwards.
    pub fn after(&self, side: Flip) -> Option<NodeId> {
        match self.slots[self.slot_of(side)].unpack() {
            Slot::Child(node) => Some(node),
            Slot::Leaf | Slot::Open(_) => None,
        }
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
        let kind = record.kind();
        Node {
            kind,
            site: SiteId(record.site),
            value: record.value,
            concrete: if kind == StepKind::Pin { self.constant(id) } else { 0 },
            parent: (record.parent != NO_PARENT).then_some((NodeId(record.parent), record.via)),
            depth: record.depth_and_bits & DEPTH_MASK,
            sides: self.side_count(record),
            forced: record.depth_and_bits & FORCED_BIT != 0,
        }
    }

    fn side_count(&self, record: &Record) -> u32 {
        match record.kind() {
            StepKind::Branch => self.shapes[record.site as usize].0,
            StepKind::Pin => 2,
            StepKind::Constraint => 1,
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

    /// The sides of a node with their states.
    pub fn sides(&self, node: NodeId) -> impl Iterator<Item = (Flip, FlipState)> + '_ {
        let record = &self.nodes[node.index()];
        let first = record.slots as usize;
        let slots = &self.slots[first..first + self.side_count(record) as usize];
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

    /// How many pins there are for which a value may be left that nobody has tried.
    pub fn open_pins(&self) -> usize {
        let is_open = |node: &NodeId| {
            let another = self.state(Flip { node: *node, side: ANOTHER });
            !matches!(another, FlipState::Sat | FlipState::Unsat)
        };
        let pins = self.nodes.iter().zip(0..).filter(|(record, _)| record.kind() == StepKind::Pin);
        pins.map(|(_, index)| NodeId(index)).filter(is_open).count()
    }
}

fn is_untried(nodes: &[Record], slots: &[PackedSlot], flip: Flip) -> bool {
    let slot = nodes[flip.node.index()].slots as usize + flip.side as usize;
    slots[slot].state() == FlipState::Untried
}

impl Place {
    /// Where a step goes below a slot, having passed so many other constants.
    fn new(slot: usize, step: &Step, passed: usize) -> Place {
        let constant = (passed >= MAX_CHAIN).then_some(step.concrete);
        Place { slot: slot as u32, site: step.site.0, value: step.value, kind: step.kind, constant }
    }
}
