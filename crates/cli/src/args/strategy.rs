//! Parser of strategy names on the command line.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;

/// Parser of strategies: completion offers their names; errors in names and settings are left to the
/// registry, which explains them better.
#[derive(Clone)]
pub struct StrategyParser;

impl TypedValueParser for StrategyParser {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let offered = |info: &cairn_search::StrategyInfo| PossibleValue::new(info.name).help(info.summary);
        Some(Box::new(cairn_search::list().iter().map(offered)))
    }
}
