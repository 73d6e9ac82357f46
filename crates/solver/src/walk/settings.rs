//! Settings of local search.

use std::fmt::Display;
use std::str::FromStr;

/// Algorithm of local search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WalkMode {
    /// No local search: queries go to the SMT backend.
    Off,
    /// The published Concolic Walk, for comparison: nothing else is tried before or after.
    Classic,
    /// Cairn's search.
    #[default]
    Full,
}

impl FromStr for WalkMode {
    type Err = String;

    fn from_str(name: &str) -> Result<WalkMode, String> {
        match name {
            "off" => Ok(WalkMode::Off),
            "classic" => Ok(WalkMode::Classic),
            "full" => Ok(WalkMode::Full),
            _ => Err(format!("there is no walk '{name}': choose full, classic or off")),
        }
    }
}

/// Constants of local search; the defaults of the published algorithm's are those of the paper.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WalkSettings {
    /// The algorithm.
    pub mode: WalkMode,
    /// Iterations per non-linear constraint (I).
    pub steps: u32,
    /// Random neighbours per iteration (R).
    pub neighbours: u32,
    /// Tries for one random step inside the polytope (M).
    pub attempts: u32,
    /// Bound of a random step's exponent (s).
    pub scale: u32,
    /// Tabu length: this share of the number of variables ...
    pub tabu_share: f64,
    /// ... but at least this.
    pub tabu_least: u32,
    /// True if secant steps are taken.
    pub bisection: bool,
    /// True if special numbers are tried.
    pub seeding: bool,
    /// Seed of the random choices.
    pub seed: u64,
    /// Factor on the work that the full walk may do for a query.
    pub effort: f64,
}

impl Default for WalkSettings {
    fn default() -> Self {
        WalkSettings {
            mode: WalkMode::Full,
            steps: 150,
            neighbours: 10,
            attempts: 25,
            scale: 12,
            tabu_share: 0.5,
            tabu_least: 3,
            bisection: true,
            seeding: false,
            seed: 0,
            effort: 1.0,
        }
    }
}

impl WalkSettings {
    /// Sets constants from a list such as `steps=75,tabu=off`.
    pub fn set(&mut self, list: &str) -> Result<(), String> {
        for item in list.split(',').filter(|item| !item.is_empty()) {
            let (name, value) =
                item.split_once('=').ok_or(format!("'{item}' is not of the form NAME=VALUE"))?;
            self.set_one(name, value)?;
        }
        Ok(())
    }

    fn set_one(&mut self, name: &str, value: &str) -> Result<(), String> {
        match (name, value) {
            ("steps", _) => self.steps = between(name, value, 1, 1_000_000)?,
            ("neighbours", _) => self.neighbours = between(name, value, 1, 1_000)?,
            ("attempts", _) => self.attempts = between(name, value, 1, 1_000)?,
            ("scale", _) => self.scale = between(name, value, 1, 1_000)?,
            ("tabu", "off") => (self.tabu_share, self.tabu_least) = (0.0, 0),
            ("tabu", "long") => (self.tabu_share, self.tabu_least) = (1.0, 5),
            ("tabu-share", _) => self.tabu_share = between(name, value, 0.0, 1.0)?,
            ("tabu-least", _) => self.tabu_least = between(name, value, 0, 1_000)?,
            ("bisection", "on" | "off") => self.bisection = value == "on",
            ("seeding", "on" | "off") => self.seeding = value == "on",
            ("effort", _) => self.effort = between(name, value, 0.0, 1_000.0)?,
            ("tabu" | "bisection" | "seeding", _) => {
                return Err(format!("{name} cannot be '{value}': try {name}=off"));
            }
            _ => {
                return Err(format!(
                    "the walk has no constant '{name}': it has steps, neighbours, attempts, scale, tabu (off or long), \
                     tabu-share, tabu-least, bisection, seeding and effort"
                ));
            }
        }
        Ok(())
    }
}

fn between<T: FromStr + PartialOrd + Display>(
    name: &str,
    value: &str,
    least: T,
    most: T,
) -> Result<T, String> {
    let number = value.parse().ok().filter(|number| *number >= least && *number <= most);
    number.ok_or_else(|| format!("{name} cannot be '{value}': it is a number from {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_set_by_name_and_wrong_ones_refused() {
        let mut settings = WalkSettings::default();
        settings.set("steps=75,tabu=off,bisection=off,effort=0.5").unwrap();
        assert_eq!(
            (settings.steps, settings.tabu_least, settings.bisection, settings.effort),
            (75, 0, false, 0.5)
        );
        for wrong in
            ["steps", "steps=x", "steps=0", "neighbours=4000000000", "effort=NaN", "stepz=1", "tabu=maybe"]
        {
            assert!(settings.set(wrong).is_err(), "{wrong}");
        }
        assert!("klassik".parse::<WalkMode>().unwrap_err().contains("classic"));
    }
}
