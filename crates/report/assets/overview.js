// The overview: figures, the reason the campaign ended, coverage over executions and time, and obstacles.

let plotOver = "executions";

function ring(covered, total) {
  const around = 2 * Math.PI * 45, share = total ? covered / total : 0;
  const svg = svgElement("svg", { viewBox: "0 0 104 104", "aria-hidden": "true" });
  svg.append(svgElement("circle", { cx: 52, cy: 52, r: 45 }));
  if (share) svg.append(svgElement("circle", { cx: 52, cy: 52, r: 45, "stroke-dasharray": `${share * around} ${around}` }));
  return h("div", { class: "ring" }, svg, h("b", {}, percent(covered, total)));
}

function figure(name, value, more) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, value, more ? h("small", {}, ` ${more}`) : null));
}

function heroPanel() {
  const { campaign } = report;
  const sums = report.files.map(coverageOf).reduce((a, b) => ({ covered: a.covered + b.covered, total: a.total + b.total }), { covered: 0, total: 0 });
  const crashes = report.findings.filter(finding => !finding.is_hang).length, hangs = report.findings.length - crashes;
  const budget = (spent, all, text) => all ? `of ${text(all)}` : "";
  return h("section", { class: "panel hero", "aria-label": "Summary" },
    ring(sums.covered, sums.total),
    h("dl", { class: "figures" },
      figure("branches covered", grouped(sums.covered), `of ${grouped(sums.total)}`),
      figure("executions", grouped(campaign.executions), budget(campaign.executions, campaign.budget_executions, grouped)),
      figure("time", clock(campaign.seconds), budget(campaign.seconds, campaign.budget_seconds, clock)),
      figure("tests", grouped(report.tests.filter(test => test.name.startsWith("queue/")).length)),
      figure("crashes", h("span", { class: crashes ? "bad" : "good" }, grouped(crashes))),
      figure("hangs", h("span", { class: hangs ? "bad" : "good" }, grouped(hangs)))));
}

function campaignPanel() {
  const { campaign } = report;
  const rows = [
    ["ended", campaign.ended], ["strategy", campaign.strategy_says || campaign.strategy], ["seed", String(campaign.seed)],
    ["began", campaign.started ? new Date(campaign.started * 1000).toLocaleString() : ""],
    ["directory", h("code", {}, campaign.directory)], ["command", h("code", {}, campaign.command)],
  ];
  return h("section", { class: "panel" }, h("h2", {}, "Campaign"),
    h("dl", { class: "meta" }, rows.filter(row => row[1]).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    campaign.notes.length + report.missing.length ? h("ul", { class: "plain", style: "margin-top:.8rem" },
      report.missing.map(text => h("li", { class: "part" }, text)), campaign.notes.map(text => h("li", {}, text))) : null);
}

function drawCoverage(panel) {
  const over = { executions: point => point.executions, time: point => point.seconds }[plotOver];
  const total = report.files.reduce((sum, file) => sum + coverageOf(file).total, 0);
  panel.querySelectorAll("[data-value]").forEach(button => button.setAttribute("aria-pressed", String(button.dataset.value === plotOver)));
  const place = h("div", { id: "coverage-plot" });
  panel.querySelector("#coverage-plot").replaceWith(place);
  plot(place, {
    series: [{ name: "covered", points: [[0, 0], ...report.curve.map(point => [over(point), point.covered])] }],
    x: plotOver, y: "branches covered", unit: plotOver === "time" ? "" : "executions", limit: total,
    showX: plotOver === "time" ? clock : grouped, showY: grouped,
  });
}

function coveragePanel() {
  const redraw = value => { plotOver = value; drawCoverage(panel); };
  const panel = h("section", { class: "panel", "aria-label": "Coverage over executions and time" },
    h("div", { class: "head" }, h("h2", {}, "Branches covered"), choice("Horizontal axis", { executions: "executions", time: "time" }, plotOver, redraw)),
    report.curve.length ? h("div", { id: "coverage-plot" }) : h("p", { class: "empty" }, "The campaign did not tell when coverage grew."));
  return panel;
}

function filesPanel() {
  const worst = [...report.files].map(file => ({ file, ...coverageOf(file) })).sort((a, b) => (b.total - b.covered) - (a.total - a.covered));
  const hasPlain = report.files.some(file => file.plain);
  const row = ({ file, covered, total }) => h("tr", {},
    h("td", { class: "text" }, h("a", { href: address("source", file.name) }, file.name)),
    h("td", { class: "num" }, `${grouped(covered)} of ${grouped(total)}`),
    h("td", { class: "num" }, percent(covered, total)),
    hasPlain ? h("td", { class: "num" }, file.plain ? `${grouped(file.plain.covered)} of ${grouped(file.plain.branches)}` : "–") : null,
    h("td", {}, h("div", { class: "meter", style: "width:90px" }, h("i", { style: `width:${100 * covered / Math.max(1, total)}%` }))));
  return h("section", { class: "panel" }, h("h2", {}, "Files"),
    report.files.length ? h("div", { class: "scroll" }, h("table", { class: "data" },
      h("thead", {}, h("tr", {}, h("th", {}, "file"), h("th", { class: "num" }, "branches"), h("th", { class: "num" }, ""), hasPlain ? h("th", { class: "num" }, "llvm-cov") : null, h("th", {}, ""))),
      h("tbody", {}, worst.slice(0, 12).map(row)))) : h("p", { class: "empty" }, "The program has no branch of its own."),
    worst.length > 12 ? h("p", { class: "soft" }, `and ${counted(worst.length - 12, "file", "files")} more, under Source`) : null);
}

function whysPanel() {
  const names = new Map();
  for (const file of report.files) for (const site of file.sites) for (const side of site.sides)
    if (side.why) names.set(side.why.kind, (names.get(side.why.kind) || 0) + 1);
  if (!names.size) return null;
  const most = Math.max(...names.values());
  return h("section", { class: "panel" }, h("h2", {}, "Why branches are not covered"),
    h("table", { class: "data" }, h("tbody", {}, [...names].sort((a, b) => b[1] - a[1]).map(([kind, count]) => h("tr", {},
      h("td", {}, WHY_NAMES[kind] || kind), h("td", { class: "num" }, grouped(count)),
      h("td", {}, h("span", { class: "share" }, h("i", { style: `width:${100 * count / most}%` }))))))));
}

function advicePanel() {
  return h("section", { class: "panel" }, h("h2", {}, "What stands in the way"),
    report.advice.length ? report.advice.map(advice => h("div", { class: "advice" }, h("div", {}, advice.title),
      advice.lines.length ? h("ul", { class: "mono" }, advice.lines.slice(0, 12).map(line => h("li", {}, line)),
        advice.lines.length > 12 ? h("li", {}, `and ${grouped(advice.lines.length - 12)} more`) : null) : null))
      : h("p", { class: "soft" }, "Nothing that Cairn knows of."));
}

const overviewTab = {
  name: "overview", title: "Overview",
  render(main) {
    const coverage = coveragePanel();
    main.append(heroPanel(), coverage, h("div", { class: "grid" }, [campaignPanel(), filesPanel(), whysPanel(), advicePanel()].filter(Boolean)));
    if (report.curve.length) drawCoverage(coverage);
  },
  key(key) {
    if (key !== "x" || !report.curve.length) return false;
    plotOver = plotOver === "time" ? "executions" : "time";
    drawCoverage(document.querySelector("#coverage-plot").closest("section"));
    return true;
  },
};
