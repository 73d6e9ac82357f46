//! Transfer of expressions to another process.
//!
//! A backend that may have to be killed runs in a process of its own, with a DAG of its own. It is sent the
//! rows that a query needs and it lacks, children first, exactly as they are stored: the n-th row sent is the
//! expression with id n there.

use crate::dag::{Dag, Packed};
use crate::node::SnapshotId;
use crate::node::{ExprId, Op};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A row or snapshot that the receiver lacks.
#[derive(Clone, Serialize, Deserialize, Debug)]
enum Item {
    Row(Packed),
    Snapshot(Vec<u8>, Vec<(u32, u32)>),
}

/// The rows and snapshots that the receiver lacks for some expressions, in order.
#[derive(Clone, Serialize, Deserialize, Debug, Default)]
pub struct Parcel(Vec<Item>);

/// The sending side, which tracks what was sent.
#[derive(Default)]
pub struct Sender {
    numbers: FxHashMap<ExprId, u32>,
    snapshots: FxHashMap<SnapshotId, u32>,
}

impl Sender {
    /// Packs everything below the roots that was not sent yet.
    pub fn pack(&mut self, dag: &Dag, roots: &[ExprId]) -> Parcel {
        let mut parcel = Parcel::default();
        let mut stack: Vec<ExprId> = roots.iter().rev().copied().collect();
        while let Some(&top) = stack.last() {
            let waiting = stack.len();
            if !self.numbers.contains_key(&top) {
                stack.extend(dag.children(top).filter(|child| !self.numbers.contains_key(child)));
                if stack.len() > waiting {
                    continue;
                }
                let row = self.packed(dag, top, &mut parcel);
                parcel.0.push(Item::Row(row));
                self.numbers.insert(top, self.numbers.len() as u32);
            }
            stack.pop();
        }
        parcel
    }

    /// Returns the receiver's number of a packed expression.
    pub fn number(&self, e: ExprId) -> u32 {
        self.numbers[&e]
    }

    /// Returns the number of rows sent.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// True if nothing was sent yet.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    fn packed(&mut self, dag: &Dag, e: ExprId, parcel: &mut Parcel) -> Packed {
        let mut row = dag.packed(e);
        for i in 0..dag.operands(e) {
            row.words[i] = self.numbers[&ExprId(row.words[i])];
        }
        if dag.op(e) == Op::Read {
            row.words[1] = self.snapshot(dag, SnapshotId(row.words[1]), parcel);
        }
        row
    }

    fn snapshot(&mut self, dag: &Dag, id: SnapshotId, parcel: &mut Parcel) -> u32 {
        if let Some(&known) = self.snapshots.get(&id) {
            return known;
        }
        let (bytes, parts) = (dag.snapshots().bytes(id), dag.snapshots().parts(id));
        let parts = parts.iter().map(|&(place, part)| (place, self.numbers[&part])).collect();
        parcel.0.push(Item::Snapshot(bytes.to_vec(), parts));
        let number = self.snapshots.len() as u32;
        self.snapshots.insert(id, number);
        number
    }
}

/// The receiving side: a DAG of what was sent.
#[derive(Default)]
pub struct Receiver {
    dag: Dag,
    snapshots: Vec<SnapshotId>,
}

impl Receiver {
    /// Adds the contents of a parcel. Panics if it does not continue the parcels before.
    pub fn unpack(&mut self, parcel: Parcel) {
        for item in parcel.0 {
            match item {
                Item::Row(mut row) => {
                    if row.op == Op::Read {
                        row.words[1] = self.snapshots[row.words[1] as usize].0;
                    }
                    self.dag.unpack(&row);
                }
                Item::Snapshot(bytes, parts) => {
                    let parts: Vec<(u32, ExprId)> =
                        parts.into_iter().map(|(place, part)| (place, self.expression(part))).collect();
                    self.snapshots.push(self.dag.snapshot(&bytes, &parts));
                }
            }
        }
    }

    /// Returns the expression that was sent as this number.
    pub fn expression(&self, number: u32) -> ExprId {
        ExprId(number)
    }

    /// Returns the DAG.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinOp, CmpOp, Evaluator, FloatOp, InputByte, Math};

    /// Expressions of every form that is stored in another way, among others that are not sent.
    fn grow(dag: &mut Dag, round: u32) -> ExprId {
        let first = dag.input(InputByte { object: 1, offset: round });
        let far = dag.input(InputByte { object: 0, offset: round * 100 });
        let unused = dag.binary(BinOp::Mul, first, far);
        let sum = dag.binary(BinOp::Add, first, far);
        let table = dag.snapshot(&[7, 0, 9, round as u8], &[(1, sum)]);
        let place = dag.zext(first, 64);
        let read = dag.read(table, place, 8);
        let number = dag.sext(read, 64);
        let large = dag.constant(64, u128::from(u64::MAX - u64::from(round)));
        let product = dag.float(FloatOp::Mul, number, large);
        let root = dag.math(Math::Sqrt, &[product]);
        let less = dag.compare(CmpOp::Ult, root, large);
        let unequal = dag.compare(CmpOp::Ne, unused, read);
        if round.is_multiple_of(2) { dag.and(less, unequal) } else { less }
    }

    #[test]
    fn what_arrives_is_worth_what_was_sent() {
        let (mut dag, mut sender, mut receiver) = (Dag::new(), Sender::default(), Receiver::default());
        let input = |byte: InputByte| (byte.offset * 31 % 251) as u8;
        for round in 1..40 {
            let roots = [grow(&mut dag, round), grow(&mut dag, round / 2)];
            receiver.unpack(sender.pack(&dag, &roots));
            for root in roots {
                let theirs = receiver.expression(sender.number(root));
                assert_eq!(
                    Evaluator::new().eval(receiver.dag(), theirs, &input),
                    Evaluator::new().eval(&dag, root, &input)
                );
                assert_eq!(receiver.dag().inputs(theirs), dag.inputs(root));
            }
            assert!(sender.pack(&dag, &roots).0.is_empty(), "nothing is sent twice");
        }
        assert_eq!(sender.len(), receiver.dag().len());
    }
}
