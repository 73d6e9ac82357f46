//! The list of layers as it is shown: on the screen, in the summary, in the report and in JSON.
//!
//! The layers of the usual stack are always in it, with zeros where a campaign has not asked anything yet or
//! a stack has fewer layers, so that tables and JSON objects keep their form. There is no second list to keep
//! up to date: the usual stack itself says which layers it has.

use crate::stack::known_layers;
use crate::stats::{LayerGroup, LayerInfo, Layers, Tally};
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

impl Layers {
    /// Returns the layers with their tallies, from the top: those of the usual stack even if this one lacks
    /// them.
    pub fn iter(&self) -> impl Iterator<Item = (&'static LayerInfo, Tally)> + use<> {
        let mut all = *known_layers();
        self.added().for_each(|(info, tally)| all.add(info, tally));
        all.tallies.into_iter().rev().flatten()
    }

    /// Returns the groups of layers, from the top: the queries asked of the topmost layer of the group, and
    /// the sum of all other figures.
    pub fn groups(&self) -> Vec<(LayerGroup, Tally)> {
        let mut groups: Vec<(LayerGroup, Tally)> = Vec::new();
        for (info, tally) in self.iter() {
            let Some(group) = info.group else { continue };
            match groups.iter_mut().find(|(known, _)| *known == group) {
                Some((_, sum)) => *sum = Tally { asked: sum.asked, ..sum.plus(tally) },
                None => groups.push((group, tally)),
            }
        }
        groups
    }
}

impl PartialEq for Layers {
    fn eq(&self, other: &Layers) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Layers {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(info, tally)| (info.key, tally))).finish()
    }
}

impl Serialize for Layers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.iter().count()))?;
        self.iter().try_for_each(|(info, tally)| map.serialize_entry(info.key, &tally))?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Layers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Layers, D::Error> {
        struct ByKey;

        impl<'de> Visitor<'de> for ByKey {
            type Value = Layers;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("tallies by layer")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Layers, A::Error> {
                let mut layers = *known_layers();
                while let Some((key, tally)) = map.next_entry::<String, Tally>()? {
                    if let Some((info, _)) = known_layers().added().find(|(info, _)| info.key == key) {
                        layers.add(info, tally);
                    }
                }
                Ok(layers)
            }
        }

        deserializer.deserialize_map(ByKey)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stats;

    static EXTRA: LayerInfo = LayerInfo { key: "extra", name: "extra", about: "is new", group: None };

    fn tally(asked: u64, sat: u64) -> Tally {
        Tally { asked, sat, ..Tally::default() }
    }

    #[test]
    fn the_usual_layers_are_always_listed_and_others_too_from_the_top() {
        let keys = |layers: &Layers| layers.iter().map(|(info, _)| info.key).collect::<Vec<_>>();
        let mut layers = Layers::default();
        let usual = keys(&layers);
        let expected = ["slice", "cache", "enumerate", "reuse", "walk", "smt", "validate"];
        assert_eq!(
            usual.iter().filter(|key| expected.contains(key)).collect::<Vec<_>>(),
            expected.each_ref()
        );
        layers.add(&EXTRA, tally(3, 1));
        assert_eq!(keys(&layers), [&["extra"], &usual[..]].concat());
        assert_eq!((layers.get("extra"), layers.get("walk")), (tally(3, 1), Tally::default()));
        let sum: Stats =
            [layers, layers].map(|layers| Stats { layers, ..Stats::default() }).into_iter().sum();
        assert_eq!(sum.layers.get("extra"), tally(6, 2));
    }

    #[test]
    fn tallies_are_written_by_key_and_read_back() {
        let info = known_layers().added().next().expect("a layer").0;
        let mut layers = Layers::default();
        layers.add(info, tally(5, 2));
        layers.add(&EXTRA, tally(1, 1));
        let bytes = postcard::to_stdvec(&layers).unwrap();
        assert_eq!(usize::from(bytes[0]), known_layers().iter().count() + 1, "the usual layers and another");
        let read: Layers = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(
            (read.get(info.key), read.get("extra")),
            (tally(5, 2), Tally::default()),
            "one is not known"
        );
        layers = Layers::default();
        layers.add(info, tally(5, 2));
        assert_eq!(read, layers);
    }

    #[test]
    fn a_group_is_asked_what_its_topmost_layer_is() {
        let mut layers = Layers::default();
        for (key, asked, sat) in [("reuse", 4, 1), ("cache", 9, 5)] {
            let info = known_layers().iter().find(|(info, _)| info.key == key).expect("a layer").0;
            layers.add(info, tally(asked, sat));
        }
        let groups = layers.groups();
        let names: Vec<&str> = groups.iter().map(|(group, _)| group.name).collect();
        let expected = ["cache hits", "enumeration", "local search", "Z3"];
        assert_eq!(
            names.iter().filter(|name| expected.contains(name)).collect::<Vec<_>>(),
            expected.each_ref()
        );
        assert_eq!(groups[0].1, tally(9, 6));
    }
}
