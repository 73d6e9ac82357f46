//! Queries, models and answers.

use cairn_expr::{Assignment, ExprId, InputByte};

/// A conjunction to make true; every constraint has width 1.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Constraints of the path prefix, in path order; they hold on the seed.
    pub prefix: &'a [ExprId],
    /// The negated decision: the constraint that does not hold on the seed.
    pub target: ExprId,
}

impl<'a> Query<'a> {
    /// Returns all constraints, the target last.
    pub fn constraints(&self) -> impl Iterator<Item = ExprId> + Clone + 'a {
        self.prefix.iter().copied().chain([self.target])
    }
}

/// A satisfying assignment: values of the bytes a query depends on; all other bytes keep the seed's values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model(Vec<(InputByte, u8)>);

impl Model {
    /// Returns the bytes and their values, in order.
    pub fn as_slice(&self) -> &[(InputByte, u8)] {
        &self.0
    }

    /// Returns the bytes and their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (InputByte, u8)> + '_ {
        self.0.iter().copied()
    }

    /// Returns the value of a byte, if the model has one.
    pub fn get(&self, byte: InputByte) -> Option<u8> {
        let found = self.0.binary_search_by_key(&byte, |&(b, _)| b).ok()?;
        Some(self.0[found].1)
    }

    /// Returns the number of bytes with a value.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if no byte has a value: the seed itself satisfies the query.
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
    /// Values that replace the seed's.
    pub model: &'a Model,
    /// Values of all other bytes.
    pub seed: &'a dyn Assignment,
}

impl Assignment for Overlay<'_> {
    fn byte(&self, byte: InputByte) -> u8 {
        self.model.get(byte).unwrap_or_else(|| self.seed.byte(byte))
    }
}

/// Reason for having no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The time limit was reached, or a backend's process died before.
    TimeLimit,
    /// No layer can express or decide the query.
    Unsupported,
    /// A backend gave a model that does not satisfy the query.
    Invalid,
}

/// Result of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// These bytes make all constraints true.
    Sat(Model),
    /// No input does.
    Unsat,
    /// Neither could be shown.
    Unknown(Unknown),
}

impl Answer {
    /// Returns the answer without its model, in SMT-LIB's words.
    pub fn verdict(&self) -> &'static str {
        match self {
            Answer::Sat(_) => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_overrides_the_seed() {
        let byte = |offset| InputByte { object: 0, offset };
        let model: Model = [(byte(9), 1), (byte(2), 3), (byte(5), 4)].into_iter().collect();
        assert!(model.as_slice().is_sorted());
        let input = Overlay { model: &model, seed: &|_: InputByte| 7 };
        assert_eq!([9, 2, 5, 3].map(|offset| input.byte(byte(offset))), [1, 3, 4, 7]);
    }
}
