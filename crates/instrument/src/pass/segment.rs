//! Segments: runs of instructions under one guard.
//!
//! A segment consists of loads and operations, then stores, up to a call, a terminator, or a load after a
//! store. Nothing in it changes the shadow before its end, so one guard at the end suffices: it ORs the
//! labels that come in, the shadow of what is loaded and the old shadow of what is stored, and one rarely
//! taken branch leads to the slow path. The function
//!
//! ```c
//! void check(int n) { if (count + n < 10) small(); }    // extern int count;
//! ```
//!
//! is one segment with five actions: validation of the label of `n`, load, operation (`add`), operation
//! (`icmp`) and decision, the last two fused into one call. Its IR before the pass:
//!
//! ```llvm
//! define void @check(i32 %0) {
//!   %2 = load i32, ptr @count
//!   %3 = add i32 %2, %0
//!   %4 = icmp slt i32 %3, 10
//!   br i1 %4, label %5, label %6
//! 5:
//!   call void @small()
//!   br label %6
//! 6:
//!   ret void
//! }
//! ```
//!
//! and after it, with blocks reordered and named, and repeated address computations shortened to `…`:
//!
//! ```llvm
//! define void @check(i32 %0) {
//!   %tag = load i64, ptr @__cairn_tls                            ; prologue: the label of %0 (`calls`)
//!   %mine = icmp eq i64 %tag, ptrtoint (ptr @check to i64)
//!   %passed = load i32, ptr getelementptr (i8, ptr @__cairn_tls, i64 72)
//!   %label = select i1 %mine, i32 %passed, i32 0
//!   store i64 0, ptr @__cairn_tls
//!   %6 = load i32, ptr @count                                    ; the original code
//!   %7 = add i32 %6, %0
//!   %8 = icmp slt i32 %7, 10
//!   %9 = call ptr asm "", "=r,0"(ptr @count)                     ; guard (`guard`): an opaque copy
//!   %10 = ptrtoint ptr %9 to i64
//!   %11 = lshr i64 %10, 6                                        ; summary byte of the 64-byte line
//!   %12 = and i64 %11, 32767
//!   %13 = or disjoint i64 %12, 1879048192
//!   %14 = inttoptr i64 %13 to ptr
//!   %15 = load i8, ptr %14
//!   %16 = zext i8 %15 to i32
//!   %17 = or i32 %label, %16
//!   %concrete = icmp eq i32 %17, 0
//!   br i1 %concrete, label %fast, label %shadow, !prof !5        ; hardly ever to %shadow
//! fast:
//!   br i1 %8, label %then, label %else                           ; each side stores its coverage byte,
//!                                                                ; %then calls @small
//! shadow:                                                        ; the summary may be stale: read the shadow
//!   %39 = …                                                      ; 0x100000000000 + 4 * address
//!   %41 = load i128, ptr %40                                     ; four shadow words
//!   %42 = zext i32 %label to i128
//!   %43 = or i128 %41, %42
//!   %none = icmp eq i128 %43, 0
//!   br i1 %none, label %fast, label %slow
//! slow:                                                          ; slow path (`emit`)
//!   %23 = call i32 asm "", "=r,0"(i32 %0)
//!   %24 = zext i32 %23 to i64
//!   %25 = call i32 @__cairn_validate_label(i32 32, i32 %label, i64 %24, i64 0)
//!   %26 = call i32 asm "", "=r,0"(i32 %6)
//!   %27 = zext i32 %26 to i64
//!   %28 = call i32 @__cairn_load(i64 ptrtoint (ptr @count to i64), i32 4, i64 %27)
//!   %29 = add i32 %26, %23                                       ; recomputed from the copies
//!   %30 = zext i32 %29 to i64
//!   %31 = call i32 @__cairn_binary(i32 8195, i32 %28, i32 %25, i64 %27, i64 %24, i64 %30)
//!   %32 = icmp slt i32 %29, 10
//!   %33 = select i1 %32, i32 -2147475434, i32 8214               ; result << 31 | width << 8 | Slt
//!   call void @__cairn_decide(ptr @cairn.records, i32 %33, i32 %31, i32 0, i64 %30, i64 10)
//!   br label %fast
//! }
//! ```
//!
//! The label of `count + n` is dead here; a value used after the segment gets a phi in `fast`, of 0 and the
//! label computed in `slow`.

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
