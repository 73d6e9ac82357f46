// The execution tree as an icicle plot: a row per fork, each box as wide as its share of the runs.

const ROW = 27;
/** Number of rows shown below the selected one. */
const MOST_ROWS = 18;
/** Minimum width of a box with text, in percent. */
const ROOM = 2.5;
const tree = { from: [], chosen: null };

/** Returns the fork that an edge leads to, if it is shown. */
const forkOf = way => way.next === null ? null : report.tree.forks[way.next];

function wayText(fork, way) {
  if (!fork) return "all runs";
  const at = fork.place ? `${fork.place.file.split("/").pop()}:${fork.place.line}` : fork.function;
  return `${at} ${way.label}`;
}

function describe(fork, way) {
  const more = way.parts && way.next === null ? ", more below" : way.parts ? "" : ", one path";
  return `${wayText(fork, way)}: ${counted(way.runs, "run", "runs")}, ${counted(way.untried, "untried side", "untried sides")} behind${more}`;
}

/** Returns the selected edge and its fork, along the choices from the root. */
function focus() {
  let fork = null, ways = report.tree.roots, way = null;
  for (const index of tree.from) {
    if (way) { fork = forkOf(way); ways = fork.ways; }
    way = ways[index];
  }
  return { fork, way };
}

function cells() {
  const found = [], { fork, way } = focus();
  const add = (fork, way, path, level, left, width) => {
    if (width < 0.25 || level > MOST_ROWS) return;
    found.push({ fork, way, path, level, left, width });
    const below = forkOf(way);
    if (!below) return;
    const all = below.ways.reduce((sum, way) => sum + way.runs, 0) || 1;
    below.ways.forEach((next, index) => {
      const share = next.runs / all * width;
      add(below, next, [...path, index], level + 1, left, share);
      left += share;
    });
  };
  if (way) add(fork, way, tree.from, 0, 0, 100);
  else {
    const all = report.tree.roots.reduce((sum, way) => sum + way.runs, 0) || 1;
    let left = 0;
    report.tree.roots.forEach((root, index) => {
      add(null, root, [index], 0, left, root.runs / all * 100);
      left += root.runs / all * 100;
    });
  }
  return found;
}

function drawTree() {
  const found = cells(), picture = document.getElementById("picture");
  const most = Math.max(1, ...found.map(cell => Math.log1p(cell.way.untried)));
  picture.style.height = `${ROW * (Math.max(0, ...found.map(cell => cell.level)) + 1)}px`;
  picture.replaceChildren(...found.map(cell => h("button", {
    type: "button", role: "treeitem", "aria-level": cell.level + 1, "aria-selected": "false", tabindex: "-1", title: describe(cell.fork, cell.way), "aria-label": describe(cell.fork, cell.way),
    class: `cell${cell.width <= ROOM ? " tiny" : cell.way.parts && (cell.way.next === null || cell.level === MOST_ROWS) ? " more" : ""}`, "data-path": cell.path.join("."),
    style: `left:${cell.left}%;width:${cell.width}%;top:${cell.level * ROW}px;--heat:${Math.round(8 + 42 * Math.log1p(cell.way.untried) / most)}%`,
    onclick: () => { choose(cell); if (forkOf(cell.way) && cell.level) zoom(cell.path); },
    onfocus: () => choose(cell),
  }, cell.width > ROOM ? `${wayText(cell.fork, cell.way)} · ${grouped(cell.way.runs)}` : "")));
  const first = picture.querySelector(".cell");
  if (first) first.tabIndex = 0;
  if (found.length) choose(found[0]);
  drawCrumbs();
}

function zoom(path) {
  tree.from = path;
  drawTree();
  document.querySelector("#picture .cell")?.focus({ preventScroll: true });
}

function drawCrumbs() {
  const crumb = (path, text) => h("button", { type: "button", onclick: () => zoom(path) }, text);
  const crumbs = [crumb([], "root")];
  let ways = report.tree.roots, fork = null;
  tree.from.forEach((index, level) => {
    const way = ways[index];
    crumbs.push(crumb(tree.from.slice(0, level + 1), wayText(fork, way)));
    fork = forkOf(way);
    ways = fork ? fork.ways : [];
  });
  document.getElementById("crumbs").replaceChildren(...(crumbs.length > 8 ? [crumbs[0], "…", ...crumbs.slice(-6)] : crumbs));
}

/** Describes an edge. */
function choose(cell) {
  tree.chosen = cell;
  document.querySelectorAll("#picture .cell").forEach(element => element.setAttribute("aria-selected", String(element.dataset.path === cell.path.join("."))));
  const next = forkOf(cell.way), { fork, way } = cell;
  const rows = [
    fork && ["decides", h("span", {}, fork.kind, " in ", h("code", {}, fork.function), fork.place ? [" – ", placeLink(fork.place)] : " of the library")],
    fork && ["side", way.label], ["runs", grouped(way.runs)], ["untried sides behind", grouped(way.untried)],
    fork && fork.left.length ? ["other sides here", fork.left.map(([what, count]) => `${grouped(count)} ${what}`).join(", ")] : null,
    next && ["then", h("span", {}, next.passed ? `${counted(next.passed, "decision", "decisions")} that all runs took alike, ` : "", "runs part at ", placeLink(next.place) || next.function)],
    !next && ["then", way.parts ? "runs part further below, which is not told here" : "one path"],
  ];
  document.getElementById("chosen").replaceChildren(...rows.filter(Boolean).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/** Arrow keys select the parent, the first child, and the siblings. */
function moveInTree(event) {
  const all = [...document.querySelectorAll("#picture .cell")];
  const at = all.find(cell => cell === document.activeElement) || all[0];
  if (!at) return;
  const path = at.dataset.path.split(".").map(Number);
  const named = path => all.find(cell => cell.dataset.path === path.join("."));
  const last = path[path.length - 1], above = path.slice(0, -1);
  const next = { ArrowUp: named(above), ArrowDown: named([...path, 0]), ArrowLeft: named([...above, last - 1]), ArrowRight: named([...above, last + 1]) }[event.key];
  if (!next) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
}

const treeTab = {
  name: "tree", title: "Tree",
  render(main) {
    const { nodes, deepest, forks, roots } = report.tree;
    if (!roots.length) return main.append(h("div", { class: "panel" }, h("p", { class: "empty" }, "The campaign did not tell of its execution tree.")));
    main.append(h("section", { class: "panel" },
      h("div", { class: "head" }, h("h2", {}, "Execution tree"), h("span", { class: "soft" }, `${counted(nodes, "decision", "decisions")}, up to ${grouped(deepest)} on a path; ${counted(forks.length, "place", "places")} where runs part ${forks.length === 1 ? "is" : "are"} shown`)),
      h("p", { class: "soft" }, "A box is a side that runs took: as wide as runs went there, the more colour the more there is left to try behind. Click to go into one, Esc to go up, arrow keys to move."),
      h("div", { class: "crumbs", id: "crumbs", "aria-label": "Path" }),
      h("div", { class: "tree", id: "picture", role: "tree", "aria-label": "Execution tree", onkeydown: moveInTree }),
      h("dl", { class: "meta", id: "chosen", style: "margin-top:1rem", "aria-live": "polite" })));
    drawTree();
  },
  key(key) {
    if (key !== "Escape" || !tree.from.length) return false;
    zoom(tree.from.slice(0, -1));
    return true;
  },
};
