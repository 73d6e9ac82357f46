//! Statistics of the layers, in one form for all of them.
//!
//! A layer keeps a [`Meter`] and adds its tally to [`Layers`] under its own [`LayerInfo`]; screen, summary
//! and report go through that list (`layer_list.rs`) and know no layer by name.

use crate::Answer;
use crate::tape::Evaluations;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Layers that fit into [`Layers`]: more than the longest stack has (8).
const MAX_LAYERS: usize = 12;

/// Queries and time of one layer. A query that it passes on was asked of it, but not answered by it.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Queries asked.
    pub asked: u64,
    /// Queries answered with a model.
    pub sat: u64,
    /// Queries proved unsatisfiable.
    pub unsat: u64,
    /// Queries that end here without an answer.
    pub unknown: u64,
    /// Wall time without that of the layers below.
    pub seconds: f64,
    /// The part of it that brought no answer.
    #[serde(default)]
    pub in_vain: f64,
}

impl Tally {
    /// Returns the number of queries answered sat or unsat.
    pub fn decided(&self) -> u64 {
        self.sat + self.unsat
    }

    /// Returns the number of queries that were not passed on.
    pub fn answered(&self) -> u64 {
        self.sat + self.unsat + self.unknown
    }

    pub(crate) fn plus(self, other: Tally) -> Tally {
        Tally {
            asked: self.asked + other.asked,
            sat: self.sat + other.sat,
            unsat: self.unsat + other.unsat,
            unknown: self.unknown + other.unknown,
            seconds: self.seconds + other.seconds,
            in_vain: self.in_vain + other.in_vain,
        }
    }
}

/// Names and words of a layer, for those who print its tally.
#[derive(PartialEq, Eq, Debug)]
pub struct LayerInfo {
    /// Key of the tally in JSON.
    pub key: &'static str,
    /// Name in the report's table of layers.
    pub name: &'static str,
    /// Description in the same table, in a few words.
    pub about: &'static str,
    /// Group under which its answers are shown on the status screen and in the summary; `None` if it decides
    /// no query itself.
    pub group: Option<LayerGroup>,
}

/// Layers that are one technique to the user, whose figures are shown as a sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayerGroup {
    /// Heading of a column on the status screen: at most 6 characters.
    pub column: &'static str,
    /// Name in the summary: "95 % cache hits".
    pub name: &'static str,
}

/// The tallies of a stack's layers, by layer. A short list without allocation: it is copied for every query.
///
/// In JSON it is an object by [`LayerInfo::key`], in which the layers of the usual stack are always present.
/// Keys of layers that this stack does not have are ignored when it is read.
#[derive(Clone, Copy, Default)]
pub struct Layers {
    /// From the bottom of the stack to the top: in the order in which layers add theirs.
    pub(crate) tallies: [Option<(&'static LayerInfo, Tally)>; MAX_LAYERS],
}

impl Layers {
    /// Adds to the tally of a layer, which is put on top if it is not there yet.
    pub fn add(&mut self, info: &'static LayerInfo, tally: Tally) {
        for entry in &mut self.tallies {
            match entry {
                Some((known, sum)) if known.key == info.key => {
                    *sum = sum.plus(tally);
                    return;
                }
                Some(_) => {}
                None => {
                    *entry = Some((info, tally));
                    return;
                }
            }
        }
        panic!("a stack has at most {MAX_LAYERS} layers with a tally");
    }

    /// Returns the tally of the layer with this key; zeros if there is none.
    pub fn get(&self, key: &str) -> Tally {
        self.added().find(|(info, _)| info.key == key).map(|(_, tally)| tally).unwrap_or_default()
    }

    /// Returns the layers that have added a tally, from the bottom.
    pub(crate) fn added(&self) -> impl Iterator<Item = (&'static LayerInfo, Tally)> + '_ {
        self.tallies.iter().flatten().copied()
    }
}

/// Totals since a solver was made; each layer adds its own part.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stats {
    /// Sum over all layers, as seen from the top.
    pub total: Tally,
    /// Each layer by itself.
    pub layers: Layers,
    /// Queries that ran into the time limit.
    pub time_limits: u64,
    /// Constraints in all queries.
    pub constraints: u64,
    /// Constraints left after slicing.
    pub sliced_constraints: u64,
    /// Evaluations of constraints by local search.
    pub evaluations: Evaluations,
    /// CPU time of a backend in a process of its own.
    pub backend_cpu: Duration,
    /// Nominal time that engines have worked.
    pub effort: Duration,
}

impl std::iter::Sum for Stats {
    fn sum<I: Iterator<Item = Stats>>(all: I) -> Stats {
        all.fold(Stats::default(), Stats::plus)
    }
}

impl Stats {
    /// Returns the sums over two solvers.
    fn plus(self, other: Stats) -> Stats {
        let mut layers = self.layers;
        other.layers.added().for_each(|(info, tally)| layers.add(info, tally));
        Stats {
            total: self.total.plus(other.total),
            layers,
            time_limits: self.time_limits + other.time_limits,
            constraints: self.constraints + other.constraints,
            sliced_constraints: self.sliced_constraints + other.sliced_constraints,
            evaluations: self.evaluations.plus(other.evaluations),
            backend_cpu: self.backend_cpu + other.backend_cpu,
            effort: self.effort + other.effort,
        }
    }
}

/// Counts a layer's queries and its own time.
#[derive(Default)]
pub(crate) struct Meter {
    counts: Tally,
    time: Duration,
    in_vain: Duration,
}

impl Meter {
    /// Counts a query; returns when the layer's work on it began.
    pub(crate) fn begin(&mut self) -> Instant {
        self.counts.asked += 1;
        Instant::now()
    }

    /// Adds the time since `since`: from now on the layers below work.
    pub(crate) fn pause(&mut self, since: Instant) {
        self.time += since.elapsed();
    }

    /// Adds the time since `since`, which brought no answer.
    pub(crate) fn pause_in_vain(&mut self, since: Instant) {
        let time = since.elapsed();
        self.time += time;
        self.in_vain += time;
    }

    /// Adds the time since `since` and counts `answer`, which is the layer's own.
    pub(crate) fn answer(&mut self, since: Instant, answer: Answer) -> Answer {
        match answer {
            Answer::Sat(_) => self.counts.sat += 1,
            Answer::Unsat => self.counts.unsat += 1,
            Answer::Unknown(_) => self.counts.unknown += 1,
        }
        match answer {
            Answer::Unknown(_) => self.pause_in_vain(since),
            _ => self.pause(since),
        }
        answer
    }

    /// Returns the figures so far.
    pub(crate) fn tally(&self) -> Tally {
        Tally { seconds: self.time.as_secs_f64(), in_vain: self.in_vain.as_secs_f64(), ..self.counts }
    }
}
