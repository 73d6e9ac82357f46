//! `cairn explain`: describes in words which branches weights prefer and avoid.

use crate::args::ExplainArgs;
use crate::failure::Failure;
use crate::message::print;
use cairn_app::numbers::counted;
use cairn_search::{Feature, Weights, read_weights};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::ExitCode;

/// Most preferences that are put into sentences; the table has all.
const SAID: usize = 5;

/// Prints the description.
pub fn explain(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let weights = read(args)?;
    match args.json {
        true => print(format_args!("{}\n", object(&weights)))?,
        false => print(text(&weights))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn read(args: &ExplainArgs) -> Result<Weights, Failure> {
    let Some(file) = &args.file else { return Ok(Weights::default()) };
    read_weights(file).map_err(Failure::new)
}

/// Returns the features with their weights, the strongest first.
fn by_strength(weights: &Weights) -> Vec<(Feature, f64)> {
    let mut all: Vec<_> = Feature::all().map(|feature| (feature, weights.of(feature))).collect();
    all.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    all
}

fn text(weights: &Weights) -> String {
    let all = by_strength(weights);
    let mut text = heading(weights);
    for (likes, verb) in [(true, "goes for"), (false, "keeps away from")] {
        let said = all.iter().filter(|(_, weight)| if likes { *weight > 0.0 } else { *weight < 0.0 });
        let words: Vec<_> = said.take(SAID).map(|(feature, _)| feature.words()).collect();
        if !words.is_empty() {
            let _ = writeln!(text, "It {verb} branches {}.", words.join("; branches "));
        }
    }
    if let Some(companion) = &weights.companion {
        let _ = writeln!(
            text,
            "For {:.0} % of the search it leaves the choice to {}.",
            companion.share * 100.0,
            companion.strategy
        );
    }
    text.push('\n');
    for (feature, weight) in &all {
        let _ = writeln!(text, "{weight:>+8.2}  {:<24}  branches {}", feature.name(), feature.words());
    }
    text
}

fn heading(weights: &Weights) -> String {
    let target = weights.target.as_ref().map(|target| format!(", for {target}")).unwrap_or_default();
    let obtained = &weights.obtained;
    let mut facts = vec![obtained.how.clone()];
    facts.extend(obtained.rounds.map(|rounds| counted(rounds, "round", "rounds")));
    facts.extend(obtained.executions.map(|executions| format!("campaigns of {executions} executions")));
    facts.extend(obtained.mean_coverage.map(|mean| format!("{mean:.1} branches covered on average")));
    facts.extend(obtained.date.clone());
    // The name comes from a file, and must not move the cursor.
    format!("Weights `{}`{target}: {}.\n\n", weights.name.escape_debug(), facts.join("; "))
}

fn object(weights: &Weights) -> Value {
    let feature = |(feature, weight): (Feature, f64)| json!({ "feature": feature.name(), "weight": weight, "branches": feature.words() });
    json!({
        "name": weights.name,
        "target": weights.target,
        "obtained": weights.obtained,
        "beside": weights.companion,
        "features": by_strength(weights).into_iter().map(feature).collect::<Vec<_>>(),
    })
}
