use super::sites::SiteRef;
use crate::llvm::{Type, Value};
use cairn_wire::Loss;

/// An action of a segment's slow path, in program order.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// Computes the label of an operation.
    Operation(Value),
    /// Reads the label of a loaded value from the shadow.
    Load {
        /// Address of the load.
        address: Value,
        /// The loaded value.
        value: Value,
    },
    /// Reads the label of a load whose address may be labelled.
    SymbolicLoad(SiteRef, Value),
    /// Concretizes the address of a store.
    SymbolicStore(SiteRef, Value),
    /// Writes the label of a stored value to the shadow.
    Store {
        /// Address of the store.
        address: Value,
        /// The stored value.
        value: Value,
    },
    /// Validates the labels of a parameter or call result: caller and callee may disagree on its type.
    Validate(Value),
    /// Records a decision on a value.
    Decision(SiteRef, Value),
    /// Concretizes a value.
    Concretize(SiteRef, Value),
    /// Checks a dynamic `alloca` of a symbolic number of elements against the room on the stack.
    Reserve(SiteRef, Value),
    /// Records that a value was lost.
    Lose {
        /// Site of the loss.
        site: SiteRef,
        /// The lost value.
        value: Value,
        /// Reason of the loss.
        reason: Loss,
    },
    /// Records that the labels in memory which an instruction reads are lost.
    LoseMemory {
        /// Site of the loss.
        site: SiteRef,
        /// Address of the memory.
        address: Value,
        /// Type of the access.
        ty: Type,
        /// Reason of the loss.
        reason: Loss,
    },
}

/// A sequence of actions under one guard.
#[derive(Default)]
pub struct Segment {
    /// Actions in program order.
    pub actions: Vec<Action>,
    /// True once the segment stores: a load can no longer be added.
    pub stored: bool,
}

impl Segment {
    /// True if its slow path copies memory (a symbolic load), which therefore must not have changed before
    /// the guard.
    pub fn reads_memory(&self) -> bool {
        self.actions.iter().any(|action| matches!(action, Action::SymbolicLoad(..)))
    }
}

impl Action {
    /// Returns the values whose labels the action reads.
    pub fn inputs(&self) -> Vec<Value> {
        match self {
            Action::Operation(instruction) => instruction.operands(),
            // The label of a load's or store's address is read by its own concretization.
            Action::Load { .. } | Action::LoseMemory { .. } => Vec::new(),
            Action::SymbolicLoad(_, load) => vec![load.operand(0)],
            Action::Reserve(_, alloca) => vec![alloca.operand(0)],
            Action::SymbolicStore(_, store) => vec![store.operand(1)],
            Action::Validate(value)
            | Action::Decision(_, value)
            | Action::Concretize(_, value)
            | Action::Store { value, .. }
            | Action::Lose { value, .. } => vec![*value],
        }
    }
}
