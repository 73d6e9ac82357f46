// Figures of solver and strategy, and the list of tests.

const MOST_TESTS = 300;

function layersPanel() {
  const all = report.layers.reduce((sum, layer) => sum + layer.seconds, 0);
  const number = value => h("td", { class: "num" }, grouped(value));
  return h("section", { class: "panel" }, h("h2", {}, "Solver"), h("div", { class: "scroll" }, h("table", { class: "data" },
    h("thead", {}, h("tr", {}, ["layer", "what it does", "asked", "sat", "unsat", "unknown", "answered", "time", ""].map((name, index) => h("th", { class: index > 1 && index < 8 ? "num" : null }, name)))),
    h("tbody", {}, report.layers.map(layer => h("tr", {}, h("td", {}, layer.name), h("td", { class: "soft" }, layer.about),
      number(layer.asked), number(layer.sat), number(layer.unsat), number(layer.unknown),
      h("td", { class: "num" }, percent(layer.sat + layer.unsat, layer.asked)), h("td", { class: "num" }, clock(layer.seconds)),
      h("td", {}, h("span", { class: "share", title: percent(layer.seconds, all) }, h("i", { style: `width:${100 * layer.seconds / (all || 1)}%` })))))))));
}

function figuresPanel() {
  return h("section", { class: "panel" }, h("h2", {}, "Figures"), h("dl", { class: "meta" },
    [["strategy", report.campaign.strategy_says], ...report.figures].flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
}

function testsPanel() {
  const row = test => h("tr", {}, h("td", { class: "mono" }, test.name), h("td", { class: "num" }, grouped(test.bytes)),
    h("td", { class: "num" }, grouped(test.branches)), h("td", {}, test.end || "could not be run again"));
  const rest = report.tests.length - MOST_TESTS;
  return h("section", { class: "panel" }, h("h2", {}, "Tests"),
    report.tests.length ? h("div", { class: "scroll" }, h("table", { class: "data" },
      h("thead", {}, h("tr", {}, h("th", {}, "file"), h("th", { class: "num" }, "bytes"), h("th", { class: "num" }, "branches"), h("th", {}, "ends with"))),
      h("tbody", {}, report.tests.slice(0, MOST_TESTS).map(row)))) : h("p", { class: "empty" }, "There is no test."),
    rest > 0 ? h("p", { class: "soft" }, `and ${grouped(rest)} more; cairn report --format json has them all`) : null);
}

const statisticsTab = {
  name: "statistics", title: "Statistics",
  render(main) {
    if (report.layers.length) main.append(layersPanel(), figuresPanel());
    main.append(testsPanel());
  },
};
