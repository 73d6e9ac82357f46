// The comparison of strategies: the mean of each one's campaigns with a band from minimum to maximum, and the table.

let comparison = null;
let comparedOver = "executions";

function drawCurves(panel) {
  panel.querySelectorAll("[data-value]").forEach(button => button.setAttribute("aria-pressed", String(button.dataset.value === comparedOver)));
  const place = h("div", { id: "curves" });
  panel.querySelector("#curves").replaceWith(place);
  plot(place, {
    series: comparison.strategies.map(strategy => {
      const corners = strategy[comparedOver];
      return { name: strategy.name, points: corners.map(([x, mean]) => [x, mean]), band: corners.map(([x, , low, high]) => [x, low, high]) };
    }),
    x: comparedOver, y: "branches covered", unit: comparedOver === "time" ? "" : "executions", limit: comparison.branches, height: 420,
    showX: comparedOver === "time" ? clock : grouped, showY: number => String(+number.toFixed(1)),
  });
}

function legend() {
  return h("div", { class: "legend plot" }, comparison.strategies.map((strategy, index) =>
    h("span", {}, h("span", { class: "key", style: `background:${PLOT_COLOURS[index % PLOT_COLOURS.length]}` }), strategy.name)));
}

function curvesPanel() {
  const choose = value => { comparedOver = value; drawCurves(panel); };
  const panel = h("section", { class: "panel" },
    h("div", { class: "head" }, h("h2", {}, "Branches covered"), legend(),
      choice("Over", { executions: "executions", time: "time" }, comparedOver, choose)),
    h("div", { id: "curves" }), h("p", { class: "soft" }, "The line is the mean of a strategy's campaigns, the band goes from the least to the most."));
  return panel;
}

function tablePanel() {
  const cell = (name, row) => row.map((text, column) => h(name, { class: column ? "num right" : null }, text));
  return h("section", { class: "panel" }, h("h2", {}, "Figures"),
    h("div", { class: "scroll" }, h("table", { class: "data" }, h("thead", {}, h("tr", {}, cell("th", comparison.head))),
      h("tbody", {}, comparison.rows.map(row => h("tr", {}, cell("td", row)))))),
    comparison.notes.map(note => h("p", { class: "soft" }, note)));
}

function startComparison() {
  comparison = JSON.parse(document.getElementById("comparison").textContent);
  startTheme();
  document.getElementById("program").textContent = comparison.program;
  document.getElementById("theme").onclick = toggleTheme;
  const curves = curvesPanel();
  view().append(curves, tablePanel());
  drawCurves(curves);
  document.onkeydown = event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "t") toggleTheme();
    else if (event.key === "x") { comparedOver = comparedOver === "time" ? "executions" : "time"; drawCurves(curves); }
  };
}
