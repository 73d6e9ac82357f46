//! The comparison of strategies, as a page.

use crate::escape::{in_script, xml};
use crate::html::{STYLE, fill};
use serde_json::{Value, json};

const PAGE: &str = concat!(include_str!("../assets/head.html"), include_str!("../assets/comparison.html"));
const SCRIPTS: [&str; 3] = [
    include_str!("../assets/plot.js"),
    include_str!("../assets/page.js"),
    include_str!("../assets/comparison.js"),
];
/// Maximum number of points of a curve: more are not visible.
const MAX_CORNERS: usize = 600;

/// A comparison of strategies and its results.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The program's name.
    pub program: String,
    /// Number of branches of the program.
    pub branches: u32,
    /// The strategies, each with its campaigns.
    pub strategies: Vec<Compared>,
    /// Header of the table.
    pub head: Vec<String>,
    /// Rows of the table, a strategy each.
    pub rows: Vec<Vec<String>>,
    /// Remarks, a sentence each.
    pub notes: Vec<String>,
}

/// A strategy in a comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// Its campaigns.
    pub runs: Vec<Curve>,
}

/// The coverage of a campaign over time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Curve {
    /// Executions, seconds and covered branches at each increase, in order.
    pub steps: Vec<(u64, f64, u64)>,
    /// Executions and seconds of the whole campaign.
    pub end: (u64, f64),
}

/// Formats the page.
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
        let over = |position: fn(&(u64, f64, u64)) -> f64, end: fn(&Curve) -> f64| {
            let curves =
                runs.iter().map(|run| run.steps.iter().map(|step| (position(step), step.2)).collect());
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

/// Returns the points at which the mean of some step curves changes, up to `end`: position, mean, minimum and
/// maximum. A campaign that ended early keeps its last value.
fn corners(curves: &[Vec<(f64, u64)>], end: f64) -> Vec<[f64; 4]> {
    let mut positions: Vec<f64> =
        curves.iter().flatten().map(|(position, _)| *position).chain([0.0, end]).collect();
    positions.sort_by(f64::total_cmp);
    positions.dedup();
    if positions.len() > MAX_CORNERS {
        positions = (0..=MAX_CORNERS).map(|i| end * i as f64 / MAX_CORNERS as f64).collect();
    }
    let corner = |position: &f64| {
        let values: Vec<f64> = curves.iter().map(|curve| value_at(curve, *position)).collect();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let least = values.iter().copied().reduce(f64::min).unwrap_or(0.0);
        [*position, mean, least, values.iter().copied().fold(0.0, f64::max)]
    };
    positions.iter().map(corner).collect()
}

fn value_at(curve: &[(f64, u64)], position: f64) -> f64 {
    let behind = curve.partition_point(|(at, _)| *at <= position);
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
            (thinned.len(), thinned[MAX_CORNERS]),
            (MAX_CORNERS + 1, [5000.0, 4999.0, 4999.0, 4999.0])
        );
    }

    #[test]
    fn user_text_never_becomes_markup() {
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
