//! Features 1 to 12: static properties of a branch.

use super::{Feature, FeatureSet};
use cairn_program::{BranchId, ConditionFeatures, LoopSide, Loops, Nesting, Program, Site, SiteKind};

const CONTENTS: [(ConditionFeatures, Feature); 5] = [
    (ConditionFeatures::EXTERNAL_CALL, Feature::ExternalCall),
    (ConditionFeatures::INTEGER, Feature::Integer),
    (ConditionFeatures::TEXT, Feature::Text),
    (ConditionFeatures::DEREFERENCE, Feature::Dereference),
    (ConditionFeatures::LOCAL, Feature::Local),
];

/// Returns the static features of every branch.
pub fn of(program: &Program) -> Vec<FeatureSet> {
    let (loops, nesting) = (Loops::new(program), Nesting::new(program));
    let mut features = vec![FeatureSet::default(); program.branch_count() as usize];
    for (_, site) in program.sites() {
        let mut shared = FeatureSet::default();
        shared.set(Feature::InMain, &*program.function(site.function).name == "main");
        shared.set(Feature::Nested, nesting.is_nested(site.block));
        shared.set(Feature::InLoop, is_in_body(&loops, site));
        for (contents, feature) in CONTENTS {
            shared.set(feature, site.contents.contains(contents));
        }
        for (branch, side) in site.branches().zip(0..) {
            features[branch.0 as usize] = shared.union(of_side(&loops, site, branch, side));
        }
    }
    features
}

/// True if a site is in the body of a loop; the condition of a loop is not in its own body.
fn is_in_body(loops: &Loops, site: &Site) -> bool {
    let is_condition = site.branches().any(|branch| loops.side(branch).is_some());
    loops.depth(site.block) > u32::from(is_condition)
}

fn of_side(loops: &Loops, site: &Site, branch: BranchId, side: u32) -> FeatureSet {
    let mut features = FeatureSet::default();
    features.set(Feature::LoopTrue, loops.side(branch) == Some(LoopSide::Stays));
    features.set(Feature::LoopFalse, loops.side(branch) == Some(LoopSide::Leaves));
    let (is_switch, is_last) = (site.kind == SiteKind::Switch, side as usize + 1 == site.sides.len());
    features.set(Feature::Case, is_switch && !is_last);
    features.set(Feature::NoCase, is_switch && is_last);
    features
}
