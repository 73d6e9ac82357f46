//! Systems of equations over GF(2) as matrices of bits.

use super::budget::{Budget, UsedUp, Work};
use rustc_hash::FxHashMap;

/// An equation: the sum of its atoms, which are numbers to this module, and a constant is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) atoms: Vec<usize>,
    pub(super) constant: bool,
}

/// Rows of bits; the last column is the constant.
pub(super) struct Matrix {
    /// Atom of each column.
    atoms: Vec<usize>,
    rows: Vec<Vec<u64>>,
}

impl Matrix {
    /// Returns the matrix of these rows, with the columns of small preference first.
    pub(super) fn new(rows: &[Row], preference: impl Fn(usize) -> u8) -> Matrix {
        let mut atoms: Vec<usize> = rows.iter().flat_map(|row| row.atoms.iter().copied()).collect();
        atoms.sort_unstable_by_key(|&atom| (preference(atom), atom));
        atoms.dedup();
        let columns: FxHashMap<usize, usize> = atoms.iter().copied().zip(0..).collect();
        let bits = |row: &Row| {
            let mut words = vec![0; atoms.len() / 64 + 1];
            let places = row.atoms.iter().map(|atom| columns[atom]);
            for place in places.chain(row.constant.then_some(atoms.len())) {
                words[place / 64] ^= 1 << (place % 64);
            }
            words
        };
        let rows = rows.iter().map(bits).collect();
        Matrix { atoms, rows }
    }

    /// Returns rows with the same solutions, in each of which the first atom occurs in no other.
    pub(super) fn reduced(mut self, budget: &mut Budget) -> Result<Vec<Row>, UsedUp> {
        let mut done = 0;
        for column in 0..self.atoms.len() {
            budget.spend(Work::AddWord, self.rows.len() - done)?;
            let Some(pivot) = (done..self.rows.len()).find(|&row| self.bit(row, column)) else { continue };
            self.rows.swap(done, pivot);
            let pivot = std::mem::take(&mut self.rows[done]);
            for row in 0..self.rows.len() {
                if row != done && self.bit(row, column) {
                    self.rows[row].iter_mut().zip(&pivot).for_each(|(word, other)| *word ^= other);
                    budget.spend(Work::AddWord, pivot.len())?;
                }
            }
            self.rows[done] = pivot;
            done += 1;
            if done == self.rows.len() {
                break;
            }
        }
        Ok((0..self.rows.len()).map(|row| self.row(row)).collect())
    }

    fn bit(&self, row: usize, column: usize) -> bool {
        self.rows[row].get(column / 64).is_some_and(|word| word >> (column % 64) & 1 == 1)
    }

    fn row(&self, row: usize) -> Row {
        let atoms = (0..self.atoms.len()).filter(|&column| self.bit(row, column));
        let atoms = atoms.map(|column| self.atoms[column]).collect();
        Row { atoms, constant: self.bit(row, self.atoms.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solutions(rows: &[Row], atoms: usize) -> Vec<u32> {
        let holds = |value: u32, row: &Row| {
            row.atoms.iter().fold(!row.constant, |sum, &atom| sum ^ (value >> atom & 1 == 1))
        };
        (0..1 << atoms).filter(|&value| rows.iter().all(|row| holds(value, row))).collect()
    }

    #[test]
    fn reduced_systems_have_the_same_solutions() {
        let mut rng = fastrand::Rng::with_seed(9);
        let mut unsolvable = 0;
        for _ in 0..300 {
            let rows: Vec<Row> = (0..rng.usize(1..8))
                .map(|_| Row { atoms: (0..6).filter(|_| rng.bool()).collect(), constant: rng.bool() })
                .collect();
            let reduced = Matrix::new(&rows, |_| 0).reduced(&mut Budget::unlimited()).expect("no limit");
            assert_eq!(solutions(&rows, 6), solutions(&reduced, 6));
            for (i, row) in reduced.iter().enumerate() {
                let Some(first) = row.atoms.first() else { continue };
                assert!(reduced.iter().enumerate().all(|(j, other)| i == j || !other.atoms.contains(first)));
            }
            let has_contradiction = reduced.iter().any(|row| row.atoms.is_empty() && row.constant);
            assert_eq!(has_contradiction, solutions(&rows, 6).is_empty());
            unsolvable += usize::from(has_contradiction);
        }
        assert!(unsolvable > 20);
    }
}
