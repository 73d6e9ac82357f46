//! One word per side of a node: what became of it, and where it leads.
//!
//! Trees have hundreds of millions of sides in a long campaign, so state and child share a word:
//! a side has a child only once a run has taken it.

use crate::step::NodeId;

/// What became of a side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FlipState {
    /// Nobody has tried to take it.
    Untried,
    /// A run took it.
    Sat,
    /// No input takes it.
    Unsat,
    /// The solver gave up on it.
    Unknown,
    /// A run was made to take it and went elsewhere.
    Diverged,
}

/// What a side's word says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slot {
    /// No run took it; the state is any but `Sat`.
    Open(FlipState),
    /// Runs took it, and met no symbolic decision afterwards.
    Leaf,
    /// Runs took it and came to this node first.
    Child(NodeId),
}

/// A [`Slot`] in four bytes: the largest values are not node ids but states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedSlot(u32);

const UNTRIED: u32 = u32::MAX;
const UNSAT: u32 = u32::MAX - 1;
const UNKNOWN: u32 = u32::MAX - 2;
const DIVERGED: u32 = u32::MAX - 3;
const LEAF: u32 = u32::MAX - 4;

/// How many nodes can be told apart.
pub(crate) const MAX_NODES: usize = LEAF as usize;

impl PackedSlot {
    pub fn pack(slot: Slot) -> PackedSlot {
        PackedSlot(match slot {
            Slot::Open(FlipState::Untried) => UNTRIED,
            Slot::Open(FlipState::Unsat) => UNSAT,
            Slot::Open(FlipState::Unknown) => UNKNOWN,
            Slot::Open(FlipState::Diverged) => DIVERGED,
            Slot::Open(FlipState::Sat) | Slot::Leaf => LEAF,
            Slot::Child(node) => node.0,
        })
    }

    pub fn unpack(self) -> Slot {
        match self.0 {
            UNTRIED => Slot::Open(FlipState::Untried),
            UNSAT => Slot::Open(FlipState::Unsat),
            UNKNOWN => Slot::Open(FlipState::Unknown),
            DIVERGED => Slot::Open(FlipState::Diverged),
            LEAF => Slot::Leaf,
            node => Slot::Child(NodeId(node)),
        }
    }

    /// A word that is no slot: part of a pin's constant.
    pub fn raw(word: u32) -> PackedSlot {
        PackedSlot(word)
    }

    pub fn as_raw(self) -> u32 {
        self.0
    }

    pub fn state(self) -> FlipState {
        match self.unpack() {
            Slot::Open(state) => state,
            Slot::Leaf | Slot::Child(_) => FlipState::Sat,
        }
    }
}
