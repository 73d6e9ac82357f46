//! Bit-vector expressions over input bytes.
//!
//! A [`Dag`] holds every expression of a campaign once (hash-consed); its constructors simplify (`build`), so
//! that a value that the target spilled, reloaded byte by byte and extended again becomes the original
//! expression. [`Evaluator`] is the reference semantics of expressions; [`smtlib`] prints and reads
//! conjunctions. Nothing in here does I/O.

mod build;
mod c_syntax;
mod copy;
mod dag;
mod eval;
mod inputs;
mod lookup;
mod node;
pub mod semantics;
pub mod smtlib;
mod snapshot;
mod transfer;

pub use c_syntax::{ByteName, c_syntax};
pub use copy::DagCopy;
pub use dag::Dag;
pub use eval::{Assignment, Evaluator};
pub use inputs::{InputByte, InputSets, SetId, SetView};
pub use lookup::Lookup;
pub use node::{
    BinOp, BitCount, CmpOp, Conversion, ExprId, FloatCmp, FloatOp, MAX_WIDTH, Math, Node, Op, SnapshotId,
};
pub use snapshot::{Cell, Snapshots};
pub use transfer::{Parcel, Receiver, Sender};
