//! The page of a report, in a browser.

use crate::chromium::Chromium;
use crate::common::{cairn, output_of, run};
use cairn_report::{
    Campaign, File, Function, Point, Report, Side, Site, SiteKind, Source, Tree, TreeEdge, Why, WhyKind,
};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Something of everything: a crash, branches that no input takes, that no run reaches, that do not depend on the input; and
/// text that is neither UTF-8 nor harmless.
const GARDEN: &[u8] = b"#include <stdio.h>
#include <stdlib.h>
/* </script><script>document.title = 'broken'</script> \xff\xfe */
static int unused(int a) { return a > 3 ? 1 : 2; }
int main(int argc, char **argv)
{
    int a = getchar(), b = getchar();
    const char *text = \"<b>bold</b> \xe4\";
    if (a == 'x' && b == 'y')
        abort();
    if (a > 10) {
        if (a < 5)
            puts(text);
        if (!(b > 7))
            puts(\"small\");
    }
    switch (b) {
    case 1: case 2: puts(\"low\"); break;
    case 'q': puts(\"q\"); break;
    default: break;
    }
    if (argc > 5)
        return unused(argc);
    return 0;
}
";

/// Script for a browser that refuses the clipboard API to a page from a file: only the copy command on a
/// selection works.
const REFUSE_NEW_WAY: &str = "navigator.clipboard.writeText = async () => { throw new Error('no'); }, \
    document.execCommand = command => { put = command === 'copy' ? document.activeElement.value : null; }";

struct Bed {
    directory: TempDir,
}

impl Bed {
    fn new() -> Bed {
        Bed { directory: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &[u8]) -> PathBuf {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    /// Explores a source in here; where the campaign is.
    fn explore(&self, source: &str, options: &[&str]) -> PathBuf {
        let mut command = cairn();
        command
            .current_dir(self.directory.path())
            .args(["run", "--quiet", "--out", "out", source])
            .args(options);
        let result = output_of(&mut command);
        assert!(matches!(result.code, Some(0 | 1)), "{result:?}");
        self.path("out")
    }

    /// The page of the campaign.
    fn page(&self, options: &[&str]) -> PathBuf {
        let result =
            output_of(cairn().current_dir(self.directory.path()).args(["report", "out"]).args(options));
        assert_eq!(result.code, Some(0), "{result:?}");
        assert_eq!(result.stdout, "report written to out/report.html\n");
        self.path("out/report.html")
    }
}

fn garden() -> (Bed, PathBuf) {
    let bed = Bed::new();
    bed.write("garden.c", GARDEN);
    bed.explore("garden.c", &["--sym-stdin", "2", "--execs", "200"]);
    let page = bed.page(&[]);
    (bed, page)
}

/// Looks at every section.
fn visit_all(browser: &mut Chromium, page: &Path) {
    browser.open(page, "overview");
    for (key, section) in ["overview", "source", "findings", "tree", "statistics"].iter().enumerate() {
        browser.press(&(key + 1).to_string());
        browser.wait_for(&format!("show.tab.name === '{section}' && view().children.length > 0"));
    }
    assert_eq!(browser.complaints, Vec::<String>::new(), "{}", page.display());
}

#[test]
fn the_overview_shows_figures_and_a_curve_that_answers() {
    let (_bed, page) = garden();
    let mut browser = Chromium::start();
    visit_all(&mut browser, &page);
    browser.open(&page, "");
    assert_eq!(browser.text("title"), "garden – Cairn", "the source cannot change it");
    assert!(browser.text(".figures").contains("crashes1"), "{}", browser.text(".figures"));
    let line = "document.querySelector('.plot .line').getAttribute('d')";
    let over_executions = browser.value(line);
    assert!(over_executions.as_str().unwrap().len() > 40);
    browser.hover("#coverage-plot");
    browser.wait_for("!document.querySelector('.plot .tip').hidden");
    assert!(browser.text(".plot .tip").contains("covered"));
    browser.press("x");
    browser.wait_for("document.querySelector('[data-value=time]').getAttribute('aria-pressed') === 'true'");
    assert_ne!(browser.value(line), over_executions);
    browser.value("document.querySelector('#coverage-plot').focus()");
    browser.press("ArrowRight");
    browser.wait_for("!document.querySelector('.plot .tip').hidden");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn the_source_view_jumps_filters_and_says_why() {
    let (_bed, page) = garden();
    let mut browser = Chromium::start();
    browser.open(&page, "source");
    let lines = browser.count("#lines .ln");
    assert_eq!(lines, GARDEN.split(|byte| *byte == b'\n').count() as u64);
    assert!(browser.text("#lines").contains("<b>bold</b>"), "text stays text");
    let (mut seen, mut whys) = (Vec::new(), String::new());
    for _ in 0..4 {
        browser.press("n");
        let here = browser.value("Number(document.querySelector('#lines .here')?.dataset.line ?? 0)");
        seen.push(here.as_u64().unwrap());
        whys += &browser.text("#lines .why");
    }
    assert_eq!(seen, [4, 12, 22, 4], "the lines with uncovered branches, and the first again");
    for why in ["never reached", "no input takes it", "does not depend on the input"] {
        assert!(whys.contains(why), "{why}: {whys}");
    }
    browser.press("p");
    assert_eq!(browser.text("#lines .here .no"), "22");
    browser.press("f");
    assert_eq!(browser.text(".files [aria-pressed=true]"), "uncovered");
    let fewer = browser.count("#lines .ln:not(.gap)");
    assert!(fewer > 0 && fewer < lines, "{fewer} of {lines}");
    browser.press("f");
    assert_eq!(browser.text(".files [aria-pressed=true]"), "partly");
    assert!(!browser.text("#lines").contains("unused(int a)"), "that is not partly covered, but not at all");
    browser.press("/");
    assert_eq!(browser.value("document.activeElement.type"), json!("search"));
    browser.press("Escape");
    browser.press("f");
    assert_eq!(browser.count("#lines .ln"), lines);
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn conditions_have_the_truth_of_the_source() {
    let bed = Bed::new();
    bed.write(
        "not.c",
        b"#include <stdio.h>\nint main(void)\n{\n    int a = getchar();\n    if (!a)\n        puts(\"zero\");\n    if (a)\n        puts(\"more\");\n    return 0;\n}\n",
    );
    bed.explore("not.c", &["--sym-stdin", "1", "--fixed-length", "--execs", "1"]);
    let mut browser = Chromium::start();
    browser.open(&bed.page(&[]), "source/not.c");
    assert_eq!(browser.text("[data-line='5'] .mark"), "T 1F ✗");
    assert_eq!(browser.text("[data-line='7'] .mark"), "T ✗F 1");
}

#[test]
fn findings_tree_and_keys_work() {
    let (_bed, page) = garden();
    let mut browser = Chromium::start();
    browser.open(&page, "findings");
    assert_eq!(browser.count(".finding"), 1);
    let finding = browser.text(".finding");
    for part in ["SIGABRT", "main", "garden.c:10", "cairn replay", "\"xy\"", "78 79"] {
        assert!(finding.contains(part), "{part}: {finding}");
    }
    // Neither the new way nor the old one may put anything else on the clipboard.
    for way in ["navigator.clipboard.writeText = async text => { put = text; }", REFUSE_NEW_WAY] {
        browser.value(&format!("put = null, document.getElementById('status').textContent = '', {way}"));
        browser.click(".finding .copy");
        browser.wait_for("document.getElementById('status').textContent === 'copied'");
        let command = browser.text(".finding .command pre");
        assert!(command.starts_with("cairn replay "), "{command}");
        assert_eq!(browser.value("put"), json!(command), "{way}");
    }
    browser.click(".finding .stack a");
    browser.wait_for("document.querySelector('#lines .here')?.dataset.line === '10'");
    browser.press("4");
    browser.wait_for("document.querySelectorAll('#picture .cell').length > 3");
    let all = browser.count("#picture .cell");
    browser.value("document.querySelector('#picture .cell').focus()");
    browser.press("ArrowDown");
    browser.press("Enter");
    let second = "[...document.querySelectorAll('#picture .cell')].find(cell => cell.getAttribute('aria-level') > 1 && forkOf(tree.chosen.way))";
    browser.value(&format!("({second} ?? document.querySelectorAll('#picture .cell')[1]).click()"));
    browser.wait_for("document.querySelectorAll('#crumbs button').length > 1");
    assert!(browser.count("#picture .cell") <= all);
    browser.press("Escape");
    browser.press("?");
    browser.wait_for("document.getElementById('shortcuts').open");
    assert!(browser.text("#shortcuts").contains("next uncovered branch"));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn both_colour_schemes_and_narrow_windows_are_fit_to_read() {
    let (_bed, page) = garden();
    let mut browser = Chromium::start();
    let back = "getComputedStyle(document.body).backgroundColor";
    let mut backs = Vec::new();
    for scheme in ["light", "dark"] {
        browser.set_scheme(scheme);
        browser.open(&page, "");
        assert_eq!(browser.value("document.documentElement.dataset.theme"), json!(scheme));
        backs.push(browser.value(back));
        assert!(contrast(&mut browser) >= 4.5, "{scheme}: text is hard to read");
    }
    assert_ne!(backs[0], backs[1]);
    browser.press("t");
    assert_eq!(browser.value(back), backs[0], "the user decides");
    browser.set_width(420);
    for section in ["overview", "source", "findings", "tree", "statistics"] {
        browser.open(&page, section);
        let width = browser.value("document.documentElement.scrollWidth").as_u64().unwrap();
        assert!(width <= 420, "{section} is {width} wide");
    }
    assert_eq!(browser.complaints, Vec::<String>::new());
}

/// The least contrast of the colours that text has on what it stands on.
fn contrast(browser: &mut Chromium) -> f64 {
    let measure = "(() => {
        const channels = name => { const probe = document.createElement('i'); probe.style.color = `var(${name})`; document.body.append(probe);
            const rgb = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number); probe.remove(); return rgb; };
        const light = rgb => { const [r, g, b] = rgb.map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const ratio = (a, b) => { const [x, y] = [light(channels(a)), light(channels(b))].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
        return Math.min(ratio('--ink', '--back'), ratio('--soft', '--back'), ratio('--soft', '--panel'), ratio('--accent', '--panel'),
            ratio('--good', '--good-back'), ratio('--bad', '--bad-back'), ratio('--part', '--part-back'));
    })()";
    browser.value(measure).as_f64().unwrap()
}

#[test]
fn odd_campaigns_have_pages_too() {
    let mut browser = Chromium::start();
    let mut check = |bed: &Bed, options: &[&str]| {
        let page = bed.page(options);
        visit_all(&mut browser, &page);
    };
    let markers = Bed::new();
    markers.write("m.c", b"#include <cairn.h>\nint main(void) { int a = 0; cairn_symbolic(&a, sizeof a, \"a\"); if (a > 3) return 1; if (a == -7) return 2; return 0; }\n");
    markers.explore("m.c", &["--execs", "20"]);
    check(&markers, &[]);

    let several = Bed::new();
    several.write("s.c", b"#include <stdio.h>\nint main(int n, char **v) { FILE *f = fopen(v[1], \"r\"); FILE *g = fopen(\"x.cfg\", \"r\"); int a = f ? fgetc(f) : 0; if (a == 'A') return 1; if (g && fgetc(g) == 'B') return 2; if (n > 2 && v[2][0] == 'C') return 3; return 0; }\n");
    several.explore(
        "s.c",
        &["--execs", "60", "--sym-file", "2", "--sym-file", "x.cfg", "2", "--sym-arg", "2", "--", "@@"],
    );
    check(&several, &[]);

    let crashes_only = Bed::new();
    crashes_only
        .write("c.c", b"#include <stdlib.h>\nint main(int n, char **v) { if (n > 0) abort(); return 0; }\n");
    crashes_only.explore("c.c", &["--execs", "3", "--sym-stdin", "2"]);
    assert_eq!(fs::read_dir(crashes_only.path("out/queue")).unwrap().count(), 0);
    check(&crashes_only, &[]);

    let empty = Bed::new();
    empty.write("garden.c", GARDEN);
    empty.explore("garden.c", &["--sym-stdin", "2", "--execs", "2"]);
    fs::remove_dir_all(empty.path("out/queue")).unwrap();
    fs::create_dir(empty.path("out/queue")).unwrap();
    check(&empty, &[]);
    fs::remove_file(empty.path("garden.c")).unwrap();
    fs::remove_file(empty.path("out/snapshot.json")).unwrap();
    check(&empty, &[]);

    let resumed = Bed::new();
    resumed.write("garden.c", GARDEN);
    resumed.explore("garden.c", &["--sym-stdin", "2", "--execs", "20"]);
    resumed.explore("garden.c", &["--sym-stdin", "2", "--execs", "60", "--resume"]);
    check(&resumed, &[]);
}

/// A report as large as one of grep: 40 files of a thousand lines, 5,000 branches.
fn large() -> Report {
    let side = |label: &str, covered: bool| Side {
        label: label.to_owned(),
        covered,
        tests: if covered { 17 } else { 0 },
        why: (!covered).then(|| Why {
            kind: WhyKind::Pending,
            text: "some flip to it is untried: a longer campaign may cover it".to_owned(),
            behind: None,
        }),
    };
    let site = |number: u32| Site {
        line: 10 + number * 15,
        column: 9,
        kind: SiteKind::Branch,
        function: format!("function_{}", number / 4),
        tests: 17,
        sides: vec![side("false", !number.is_multiple_of(3)), side("true", !number.is_multiple_of(5))],
    };
    let text: String = (0..1000)
        .map(|n| format!("    if (text[{n}] == '\\n' && count < {n}) /* so */ return \"x{n}\";\n"))
        .collect();
    let file = |number: u32| File {
        name: format!("src/file_{number}.c"),
        path: format!("/src/file_{number}.c"),
        source: Source::Text(text.clone()),
        functions: vec![Function { name: "function_0".to_owned(), line: 9, tests: 17 }],
        sites: (0..63).map(site).collect(),
        plain: None,
    };
    let way = TreeEdge { label: "start".to_owned(), runs: 9, untried: 1, next: None, parts: false };
    Report {
        campaign: Campaign {
            program: "large".to_owned(),
            executions: 100_000,
            seconds: 3600.0,
            ..Campaign::default()
        },
        curve: (0..2500).map(|n| Point { executions: n * 40, seconds: n as f64, covered: n }).collect(),
        files: (0..40).map(file).collect(),
        tree: Tree { roots: vec![way], ..Tree::default() },
        ..Report::default()
    }
}

#[test]
fn the_page_of_a_large_program_opens_in_less_than_a_second() {
    let directory = tempfile::tempdir().unwrap();
    let page = directory.path().join("large.html");
    fs::write(&page, cairn_report::html(&large())).unwrap();
    let mut browser = Chromium::start();
    let mut measure = |section: &str| {
        let mut times: Vec<f64> = (0..3)
            .map(|_| {
                browser.open(&page, section);
                let painted = "new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.getEntriesByType('navigation')[0].loadEventEnd), 0)))";
                browser.value(painted).as_f64().unwrap()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[0]
    };
    let (overview, source) = (measure("overview"), measure("source"));
    println!(
        "overview: {overview:.0} ms, source: {source:.0} ms, {} KiB",
        page.metadata().unwrap().len() >> 10
    );
    assert!(overview < 1000.0 && source < 1000.0, "{overview} ms, {source} ms");
    assert_eq!(browser.count(".files .file"), 40);
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn bad_usage_of_report_is_one_sentence() {
    let bed = Bed::new();
    bed.write("garden.c", GARDEN);
    bed.explore("garden.c", &["--sym-stdin", "2", "--execs", "2"]);
    let refused = |words: &[&str], part: &str| {
        let result = output_of(cairn().current_dir(bed.directory.path()).arg("report").args(words));
        assert_eq!((result.code, result.stdout.as_str()), (Some(2), ""), "{words:?}: {result:?}");
        assert!(
            result.stderr.starts_with("cairn: ") && result.stderr.contains(part),
            "{words:?}: {}",
            result.stderr
        );
        assert_eq!(result.stderr.lines().count(), 1, "{}", result.stderr);
    };
    refused(&["."], "is not a campaign directory");
    refused(&["nowhere"], "no such directory: /");
    refused(&["out", "--out", "/proc/nothing/x"], "cannot write");
    refused(&["out", "missing.c"], "no such file");
    refused(&["out", "--format", "pdf"], "pdf");
    let (source, program) = (bed.path("garden.c"), bed.path("bare"));
    let built = cairn().env("CAIRN_CC_RECORD", "0").arg("cc").arg(source).arg("-o").arg(&program).status();
    assert!(built.unwrap().success());
    refused(
        &["out", program.to_str().unwrap(), "--sym-stdin", "2", "--replay-coverage"],
        "does not say how it was built",
    );
    fs::remove_dir_all(bed.path("out/cairn-build")).unwrap();
    fs::remove_file(bed.path("garden.c")).unwrap();
    refused(&["out"], "is not there any more: say where it is with --program");
    assert_eq!(run(["report", "--help"]).code, Some(0));
}
