//! Sets of features.

use super::Feature;

/// A set of features, a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FeatureSet(u64);

impl FeatureSet {
    /// True if it contains a feature.
    pub fn contains(self, feature: Feature) -> bool {
        self.0 >> feature as u32 & 1 == 1
    }

    /// Returns its features, in the order of the paper.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::all().filter(move |feature| self.contains(*feature))
    }

    /// Returns the union of both sets.
    pub fn union(self, other: FeatureSet) -> FeatureSet {
        FeatureSet(self.0 | other.0)
    }

    pub(crate) fn insert(&mut self, feature: Feature) {
        self.0 |= 1 << feature as u32;
    }

    pub(crate) fn remove(&mut self, feature: Feature) {
        self.0 &= !(1 << feature as u32);
    }

    pub(crate) fn set(&mut self, feature: Feature, holds: bool) {
        self.0 = self.0 & !(1 << feature as u32) | u64::from(holds) << feature as u32;
    }

    /// Returns the bits, eight at a time.
    pub(crate) fn bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }
}

impl FromIterator<Feature> for FeatureSet {
    fn from_iter<T: IntoIterator<Item = Feature>>(features: T) -> FeatureSet {
        let mut set = FeatureSet::default();
        features.into_iter().for_each(|feature| set.insert(feature));
        set
    }
}
