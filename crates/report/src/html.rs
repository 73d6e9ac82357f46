//! The page: one file that needs no other.

use crate::escape::{in_script, xml};
use crate::model::{Report, Source};
use serde_json::json;

const PAGE: &str = concat!(include_str!("../assets/head.html"), include_str!("../assets/page.html"));
pub(crate) const STYLE: &str = include_str!("../assets/page.css");

/// The scripts of the page, one after the other; the plot's is of use on other pages too.
const SCRIPTS: [&str; 7] = [
    include_str!("../assets/plot.js"),
    include_str!("../assets/page.js"),
    include_str!("../assets/overview.js"),
    include_str!("../assets/source.js"),
    include_str!("../assets/findings.js"),
    include_str!("../assets/tree.js"),
    include_str!("../assets/statistics.js"),
];

/// The page.
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

/// Each file's text in an element of its own: it is only read when somebody looks at it.
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

/// Puts the parts in their places, each once; what stands in a part is no place.
pub(crate) fn fill(page: &str, parts: &[(&str, String)]) -> String {
    let mut filled =
        String::with_capacity(page.len() + parts.iter().map(|(_, part)| part.len()).sum::<usize>());
    let mut rest = page;
    for (place, part) in parts {
        let (before, after) = rest.split_once(place).expect("the page has a place for everything, in order");
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
    fn nothing_of_the_users_becomes_markup() {
        let page = html(&report());
        assert!(page.contains("<title>a&lt;b&gt; – Cairn</title>"));
        assert!(!page.contains("alert(1)</script>"));
        assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
        assert!(!page.contains("{{"));
    }

    #[test]
    fn nothing_comes_from_elsewhere() {
        let page = html(&report());
        for word in ["src=\"http", "href=\"http", "@import", "url(http", "fetch(", "XMLHttpRequest"] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
