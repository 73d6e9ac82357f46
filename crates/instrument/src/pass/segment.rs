//! Segments: what one check stands for.
//!
//! A segment is a run of loads and operations, then stores, up to a call, a terminator, or a load
//! after a store. Nothing in it changes the shadow before its end, so all the shadow it looks at can
//! be looked at there: the labels that come in, the shadow words of what is loaded, the old shadow of
//! what is stored are ORed, and one rarely taken branch leads to a block that does the work.

use super::sites::SiteRef;
use crate::llvm::{Type, Value};
use cairn_wire::Loss;

/// What the slow block of a segment does, in order.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// Computes the label of an operation.
    Operation(Value),
    /// Reads the label of a value that was loaded.
    Load {
        /// Where from.
        address: Value,
        /// What.
        value: Value,
    },
    /// Reads the label of a load whose address may have one itself.
    Read(SiteRef, Value),
    /// Records that the address of a store was used as a constant.
    Write(SiteRef, Value),
    /// Writes the label of a value that was stored.
    Store {
        /// Where.
        address: Value,
        /// What.
        value: Value,
    },
    /// Takes over the labels of a parameter or result, which its other side may have had another type for.
    Admit(Value),
    /// Records a decision on a value.
    Decision(SiteRef, Value),
    /// Records that a value was used as a constant.
    Pin(SiteRef, Value),
    /// Decides if there is room on the stack for a number of elements.
    Reserve(SiteRef, Value),
    /// Counts that a value went where labels cannot follow.
    Lose {
        /// Which source line.
        site: SiteRef,
        /// What.
        value: Value,
        /// Why they cannot.
        why: Loss,
    },
    /// The same of the memory that an instruction reads.
    LoseMemory {
        /// Which source line.
        site: SiteRef,
        /// Where.
        address: Value,
        /// What it reads it as.
        ty: Type,
        /// Why labels cannot follow.
        why: Loss,
    },
}

/// A run of actions under one check.
#[derive(Default)]
pub struct Segment {
    /// In program order.
    pub actions: Vec<Action>,
    /// A load may not follow any more.
    pub stored: bool,
}

impl Segment {
    /// Whether its slow block copies memory, which must not have changed by then.
    pub fn reads_memory(&self) -> bool {
        self.actions.iter().any(|action| matches!(action, Action::Read(..)))
    }
}

impl Action {
    /// Values whose labels it looks at.
    pub fn inputs(&self) -> Vec<Value> {
        match self {
            Action::Operation(instruction) => instruction.operands(),
            // The address of a load or store is looked at by its own pin.
            Action::Load { .. } | Action::LoseMemory { .. } => Vec::new(),
            Action::Read(_, load) => vec![load.operand(0)],
            Action::Reserve(_, alloca) => vec![alloca.operand(0)],
            Action::Write(_, store) => vec![store.operand(1)],
            Action::Admit(value)
            | Action::Decision(_, value)
            | Action::Pin(_, value)
            | Action::Store { value, .. }
            | Action::Lose { value, .. } => vec![*value],
        }
    }
}
