//! Strategies side by side, as a page.

use crate::escape::{in_script, xml};
use crate::html::{STYLE, fill};
use serde_json::{Value, json};

const PAGE: &str = concat!(include_str!("../assets/head.html"), include_str!("../assets/comparison.html"));
const SCRIPTS: [&str; 3] = [
    include_str!("../assets/plot.js"),
    include_str!("../assets/page.js"),
    include_str!("../assets/comparison.js"),
];
/// Corners of a curve: more are not seen.
const MOST_CORNERS: usize = 600;

/// What was compared, and what came out.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The program's name.
    pub program: String,
    /// Branches it has.
    pub branches: u32,
    /// The strategies, each with its campaigns.
    pub strategies: Vec<Compared>,
    /// The table.
    pub head: Vec<String>,
    /// Its rows, a strategy each.
    pub rows: Vec<Vec<String>>,
    /// What there is to say of it.
    pub notes: Vec<String>,
}

/// One strategy.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// Its campaigns.
    pub runs: Vec<Curve>,
}

/// What a campaign covered when.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Curve {
    /// Executions and seconds after which so many branches were covered, in order.
    pub steps: Vec<(u64, f64, u64)>,
    /// Executions and seconds of all of it.
    pub end: (u64, f64),
}

/// The page.
pub fn comparison_html(comparison: &Comparison) -> String {
    let parts = [
        ("{{title}}", xml(&format!("{} – strategies side by side", comparison.program))),
        ("{{style}}", STYLE.to_owned()),
        ("{{script}}", SCRIPTS.concat()),
        ("{{comparison}}", in_script(&data(comparison).to_string())),
    ];
    fill(PAGE, &parts)
}

fn data(comparison: &Comparison) -> Value {
    let strategy = |compared: &Compared| {
        let runs = &compared.runs;
        let over = |place: fn(&(u64, f64, u64)) -> f64, end: fn(&Curve) -> f64| {
            let curves = runs.iter().map(|run| run.steps.iter().map(|step| (place(step), step.2)).collect());
            let curves: Vec<Vec<(f64, u64)>> = curves.collect();
            corners(&curves, runs.iter().map(end).fold(0.0, f64::max))
        };
        json!({
            "name": compared.name,
            "executions": over(|step| step.0 as f64, |run| run.end.0 as f64),
            "time": over(|step| step.1, |run| run.end.1),
        })
    };
    json!({
        "program": comparison.program,
        "branches": comparison.branches,
        "strategies": comparison.strategies.iter().map(strategy).collect::<Vec<_>>(),
        "head": comparison.head,
        "rows": comparison.rows,
        "notes": comparison.notes,
    })
}

/// Where the mean of some step curves changes up to an end: place, mean, least and most. A campaign that ended early stays where
/// it was.
fn corners(curves: &[Vec<(f64, u64)>], end: f64) -> Vec<[f64; 4]> {
    let mut places: Vec<f64> = curves.iter().flatten().map(|(place, _)| *place).chain([0.0, end]).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    if places.len() > MOST_CORNERS {
        places = (0..=MOST_CORNERS).map(|i| end * i as f64 / MOST_CORNERS as f64).collect();
    }
    let corner = |place: &f64| {
        let values: Vec<f64> = curves.iter().map(|curve| value_at(curve, *place)).collect();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let least = values.iter().copied().reduce(f64::min).unwrap_or(0.0);
        [*place, mean, least, values.iter().copied().fold(0.0, f64::max)]
    };
    places.iter().map(corner).collect()
}

fn value_at(curve: &[(f64, u64)], place: f64) -> f64 {
    let behind = curve.partition_point(|(at, _)| *at <= place);
    behind.checked_sub(1).map_or(0.0, |last| curve[last].1 as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_holds_all_campaigns() {
        let curves = [vec![(1.0, 2), (4.0, 6)], vec![(1.0, 4)]];
        let expected =
            [[0.0, 0.0, 0.0, 0.0], [1.0, 3.0, 2.0, 4.0], [4.0, 5.0, 4.0, 6.0], [9.0, 5.0, 4.0, 6.0]];
        assert_eq!(corners(&curves, 9.0), expected);
        let long: Vec<(f64, u64)> = (1..5000).map(|i| (f64::from(i), i as u64)).collect();
        let thinned = corners(&[long], 5000.0);
        assert_eq!(
            (thinned.len(), thinned[MOST_CORNERS]),
            (MOST_CORNERS + 1, [5000.0, 4999.0, 4999.0, 4999.0])
        );
    }

    #[test]
    fn nothing_of_the_users_becomes_markup() {
        let name = "</script><b>".to_owned();
        let compared =
            Compared { name: name.clone(), runs: vec![Curve { steps: vec![(1, 0.5, 2)], end: (9, 1.0) }] };
        let page = comparison_html(&Comparison {
            program: name,
            branches: 4,
            strategies: vec![compared],
            head: vec!["strategy".to_owned()],
            rows: vec![vec!["a<b".to_owned()]],
            notes: Vec::new(),
        });
        assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
        assert!(page.contains("<title>&lt;/script") && !page.contains("{{"));
    }
}
