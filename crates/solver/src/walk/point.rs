//! Values for all bytes of a query.

use cairn_expr::{Assignment, InputByte};

/// Bytes and their values, in order.
#[derive(Clone)]
pub(super) struct Point(Vec<(InputByte, u8)>);

impl Point {
    /// The seed's values of these bytes, which are sorted.
    pub(super) fn new(bytes: &[InputByte], seed: &dyn Assignment) -> Point {
        Point(bytes.iter().map(|&byte| (byte, seed.byte(byte))).collect())
    }

    /// Changes a byte of the query.
    pub(super) fn set(&mut self, byte: InputByte, value: u8) {
        if let Ok(found) = self.0.binary_search_by_key(&byte, |&(b, _)| b) {
            self.0[found].1 = value;
        }
    }
}

impl Assignment for Point {
    fn byte(&self, byte: InputByte) -> u8 {
        self.0.binary_search_by_key(&byte, |&(b, _)| b).map_or(0, |found| self.0[found].1)
    }
}
