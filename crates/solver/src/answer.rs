//! Questions and answers.

use cairn_expr::{Assignment, ExprId, InputByte};

/// A conjunction to make true; every constraint has width 1.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Constraints of the path up to the target, in path order; they hold on the seed.
    pub prefix: &'a [ExprId],
    /// The constraint that does not.
    pub target: ExprId,
}

impl<'a> Query<'a> {
    /// All constraints, the target last.
    pub fn constraints(&self) -> impl Iterator<Item = ExprId> + 'a {
        self.prefix.iter().copied().chain([self.target])
    }
}

/// Values of the bytes a query is about; all other bytes keep the seed's values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model(Vec<(InputByte, u8)>);

impl Model {
    /// The bytes and their values, in order.
    pub fn as_slice(&self) -> &[(InputByte, u8)] {
        &self.0
    }

    /// The bytes and their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (InputByte, u8)> + '_ {
        self.0.iter().copied()
    }

    /// The value of a byte, if the model has one.
    pub fn get(&self, byte: InputByte) -> Option<u8> {
        let found = self.0.binary_search_by_key(&byte, |&(b, _)| b).ok()?;
        Some(self.0[found].1)
    }

    /// Bytes that have a value.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no byte has a value: the seed itself is the answer.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(InputByte, u8)> for Model {
    fn from_iter<I: IntoIterator<Item = (InputByte, u8)>>(bytes: I) -> Model {
        let mut bytes: Vec<_> = bytes.into_iter().collect();
        bytes.sort_unstable();
        bytes.dedup_by_key(|&mut (byte, _)| byte);
        Model(bytes)
    }
}

/// The input a model stands for: its bytes over the seed's.
#[derive(Clone, Copy)]
pub struct Overlay<'a> {
    /// What changes.
    pub model: &'a Model,
    /// What stays.
    pub seed: &'a dyn Assignment,
}

impl Assignment for Overlay<'_> {
    fn byte(&self, byte: InputByte) -> u8 {
        self.model.get(byte).unwrap_or_else(|| self.seed.byte(byte))
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The time limit was reached, or a backend came to its end before.
    TimeLimit,
    /// No layer can express or decide the query.
    Unsupported,
    /// A backend gave a model that does not satisfy the query.
    Invalid,
}

/// What came of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// These bytes make all constraints true.
    Sat(Model),
    /// No input does.
    Unsat,
    /// NullSolver knows.
    Unknown(Unknown),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_lies_over_the_seed() {
        let byte = |offset| InputByte { object: 0, offset };
        let model: Model = [(byte(9), 1), (byte(2), 3), (byte(5), 4)].into_iter().collect();
        assert!(model.as_slice().is_sorted());
        let input = Overlay { model: &model, seed: &|_: InputByte| 7 };
        assert_eq!([9, 2, 5, 3].map(|offset| input.byte(byte(offset))), [1, 3, 4, 7]);
    }
}
