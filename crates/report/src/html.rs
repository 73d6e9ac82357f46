//! The HTML report: a single self-contained file.

use crate::escape::{in_script, xml};
use crate::model::{Report, Source};
use serde_json::json;

const PAGE: &str = concat!(include_str!("../assets/head.html"), include_str!("../assets/page.html"));
pub(crate) const STYLE: &str = include_str!("../assets/page.css");

/// Scripts of the page, concatenated; other pages use the plot as well.
const SCRIPTS: [&str; 7] = [
    include_str!("../assets/plot.js"),
    include_str!("../assets/page.js"),
    include_str!("../assets/overview.js"),
    include_str!("../assets/source.js"),
    include_str!("../assets/findings.js"),
    include_str!("../assets/tree.js"),
    include_str!("../assets/statistics.js"),
];

/// Formats the page.
pub fn html(report: &Report) -> String {
    let title = format!("{} – {}", report.campaign.program, report.generator.name);
    let parts = [
        ("{{title}}", xml(&title)),
        ("{{style}}", STYLE.to_owned()),
        ("{{script}}", SCRIPTS.concat()),
        ("{{report}}", in_script(&serde_json::to_string(report).expect("plain data has a JSON form"))),
        ("{{sources}}", sources(report)),
    ];
    fill(PAGE, &parts)
}

/// Formats each file's text as an element of its own, which is parsed only when the file is opened.
fn sources(report: &Report) -> String {
    let element = |(number, source): (usize, serde_json::Value)| {
        format!(
            "<script type=\"application/json\" id=\"source-{number}\">{}</script>\n",
            in_script(&source.to_string())
        )
    };
    let text = |source: &Source| match source {
        Source::Text(text) => json!({ "text": text }),
        Source::Missing(why) => json!({ "missing": why }),
    };
    report.files.iter().map(|file| text(&file.source)).enumerate().map(element).collect()
}

/// Replaces the placeholders by the parts, in order; placeholders within a part are left alone.
pub(crate) fn fill(page: &str, parts: &[(&str, String)]) -> String {
    let mut filled =
        String::with_capacity(page.len() + parts.iter().map(|(_, part)| part.len()).sum::<usize>());
    let mut rest = page;
    for (placeholder, part) in parts {
        let (before, after) = rest.split_once(placeholder).expect("the page has all placeholders, in order");
        filled.push_str(before);
        filled.push_str(part);
        rest = after;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::report;

    #[test]
    fn user_text_never_becomes_markup() {
        let page = html(&report());
        assert!(page.contains("<title>a&lt;b&gt; – Cairn</title>"));
        assert!(!page.contains("alert(1)</script>"));
        assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
        assert!(!page.contains("{{"));
    }

    #[test]
    fn the_page_loads_nothing() {
        let page = html(&report());
        for word in ["src=\"http", "href=\"http", "@import", "url(http", "fetch(", "XMLHttpRequest"] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
