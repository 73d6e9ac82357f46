// The source view: files with their coverage, lines with a mark for every branch, and the reasons for uncovered ones.

const WHY_NAMES = {
  "never-reached": "never reached", unsat: "no input takes it", unknown: "solver gave up", pending: "not tried yet", diverged: "went elsewhere",
  refused: "rejected by cairn_assume", independent: "does not depend on the input", unrecorded: "not recorded",
};
const FILTERS = { all: "all", uncovered: "uncovered", partly: "partly" };
/** Number of context lines around one that matches the filter. */
const CONTEXT = 2;

const source = { file: 0, filter: "all", words: "", line: 0, texts: new Map() };

function textOf(index) {
  if (!source.texts.has(index)) source.texts.set(index, JSON.parse(document.getElementById(`source-${index}`).textContent));
  return source.texts.get(index);
}

const isWanted = (site, filter) => {
  const left = site.sides.some(side => !side.covered);
  return filter === "all" || left && (filter === "uncovered" || site.sides.some(side => side.covered));
};

/** Returns the lines with uncovered branches, in order. */
function uncoveredLines(file) {
  const filter = source.filter === "partly" ? "partly" : "uncovered";
  return [...new Set(file.sites.filter(site => isWanted(site, filter)).map(site => site.line))];
}

const shownFiles = () => report.files.map((file, index) => ({ file, index, ...coverageOf(file) }))
  .filter(({ file, covered, total, partly }) => file.name.toLowerCase().includes(source.words.toLowerCase())
    && (source.filter === "all" || source.filter === "uncovered" && covered < total || source.filter === "partly" && partly > 0));

function drawFiles() {
  const list = document.getElementById("file-list");
  const shown = shownFiles();
  list.replaceChildren(...shown.map(({ file, index, covered, total }) => h("button",
    { type: "button", class: "file", "data-file": index, "aria-current": String(index === source.file), title: file.path, onclick: () => goTo(address("source", file.name)) },
    h("span", { class: "row" }, h("span", {}, file.name), h("span", { class: "soft" }, `${grouped(covered)}/${grouped(total)}`)),
    h("span", { class: "meter" }, h("i", { style: `width:${100 * covered / Math.max(1, total)}%` })))));
  if (!shown.length) list.append(h("p", { class: "empty" }, "No file."));
}

/** A small lexer for C: enough to tell comments, strings, words and directives apart. */
const TOKEN = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|(^\s*#\s*\w+)|\b(auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|goto|if|inline|int|long|register|restrict|return|short|signed|sizeof|static|struct|switch|typedef|union|unsigned|void|volatile|while|bool|true|false|NULL|size_t|u?int(?:8|16|32|64)_t)\b/g;

function coloured(text, state) {
  const parts = [];
  let at = 0;
  if (state.comment) {
    const end = text.indexOf("*/");
    at = end < 0 ? text.length : end + 2;
    state.comment = end < 0;
    parts.push(h("span", { class: "c" }, text.slice(0, at)));
  }
  TOKEN.lastIndex = at;
  for (let match; (match = TOKEN.exec(text));) {
    parts.push(text.slice(at, match.index));
    parts.push(h("span", { class: match[1] ? "c" : match[2] ? "s" : match[3] ? "d" : "k" }, match[0]));
    at = match.index + match[0].length;
    state.comment = Boolean(match[1]) && match[1].startsWith("/*") && !match[1].endsWith("*/");
    if (match[0] === "/*") state.comment = true;
  }
  parts.push(text.slice(at));
  return parts.filter(part => part !== "");
}

/** Returns the sides in display order: true before false. */
const sidesOf = site => [...site.sides].sort((a, b) => (b.label === "true") - (a.label === "true"));

function markOf(site) {
  const letter = label => site.kind === "switch" ? "" : label[0].toUpperCase() + " ";
  const many = site.sides.length > 4;
  const taken = site.sides.filter(side => side.covered).length;
  const spans = many
    ? [h("span", { class: taken === site.sides.length ? "yes" : "no-take" }, `${taken}/${site.sides.length} sides`)]
    : sidesOf(site).map(side => h("span", { class: side.covered ? "yes" : "no-take" }, `${letter(side.label)}${side.covered ? side.tests : "✗"}`));
  const told = site.sides.map(side => `${side.label} ${side.covered ? "taken by " + counted(side.tests, "test", "tests") : "not taken"}`).join(", ");
  return h("span", { class: "mark", role: "img", "aria-label": `column ${site.column}: ${told}`, title: told }, spans);
}

function whyBox(sites) {
  const row = (site, side) => h("tr", {},
    h("td", { class: "mono" }, `${site.line}:${site.column}`),
    h("td", {}, h("span", { class: `badge ${side.covered ? "good" : "bad"}` }, side.label)),
    h("td", {}, side.covered ? `taken by ${counted(side.tests, "test", "tests")}`
      : [h("b", {}, WHY_NAMES[side.why.kind] || side.why.kind), ": ", side.why.text, side.why.behind ? [" – ", placeLink(side.why.behind)] : null].flat()));
  return h("div", { class: "why", onclick: event => event.stopPropagation() },
    h("table", {}, h("tbody", {}, sites.flatMap(site => sidesOf(site).map(side => row(site, side))))));
}

/** Returns the lines to show: all, or those that match the filter, with context. */
function wantedLines(file, length) {
  if (source.filter === "all") return null;
  const wanted = new Set();
  for (const site of file.sites) if (isWanted(site, source.filter))
    for (let line = site.line - CONTEXT; line <= site.line + CONTEXT; line++) if (line > 0 && line <= length) wanted.add(line);
  return wanted;
}

function lineElement(number, text, sites, state) {
  const left = sites.filter(site => site.sides.some(side => !side.covered));
  const none = sites.length && sites.every(site => site.sides.every(side => !side.covered));
  const kind = !sites.length ? "" : none ? " has none" : left.length ? " has some" : " has all";
  return h("div", { class: `ln${kind}`, "data-line": number, onclick: sites.length ? () => select(number, false) : null },
    h("span", { class: "no" }, String(number)), h("span", { class: "marks" }, sites.map(markOf)), h("span", { class: "text" }, coloured(text, state)));
}

function drawLines() {
  const lines = document.getElementById("lines");
  const file = report.files[source.file];
  const bySource = textOf(source.file);
  const sitesAt = new Map();
  for (const site of file.sites) sitesAt.set(site.line, [...(sitesAt.get(site.line) || []), site]);
  const last = Math.max(0, ...sitesAt.keys());
  const texts = bySource.text === undefined ? Array(last).fill("") : bySource.text.split(/\r\n|\r|\n/);
  const wanted = wantedLines(file, texts.length), state = { comment: false };
  const elements = [];
  if (bySource.missing) elements.push(h("div", { class: "why" }, `${file.path}: ${bySource.missing}`));
  let skipped = false;
  texts.forEach((text, index) => {
    const number = index + 1, sites = sitesAt.get(number) || [];
    const isShown = (!wanted || wanted.has(number)) && (bySource.text !== undefined || sites.length);
    const element = isShown ? lineElement(number, text, sites, state) : (coloured(text, state), null);
    if (element && skipped) elements.push(h("div", { class: "ln gap" }, h("span", { class: "no" }, "⋯"), h("span", {}), h("span", {})));
    skipped = !element && elements.length > 0 || skipped && !element;
    if (element) elements.push(element);
  });
  if (wanted && !wanted.size) elements.push(h("p", { class: "empty" }, "No such branch in this file."));
  lines.replaceChildren(...elements);
  lines.scrollTop = 0;
}

function drawSheet() {
  const file = report.files[source.file], { covered, total } = coverageOf(file);
  document.getElementById("where").textContent = file.name;
  document.getElementById("sheet-figures").textContent = `${grouped(covered)} of ${counted(total, "branch", "branches")}${file.plain ? ` · llvm-cov: ${grouped(file.plain.covered)} of ${grouped(file.plain.branches)}` : ""}`;
  document.querySelectorAll(".files [data-value]").forEach(button => button.setAttribute("aria-pressed", String(button.dataset.value === source.filter)));
  drawFiles();
  drawLines();
}

/** Marks a line and describes the coverage of its branches. */
function select(number, scroll = true) {
  const lines = document.getElementById("lines");
  lines.querySelectorAll(".here").forEach(line => line.classList.remove("here"));
  const wasOpen = source.line === number && lines.querySelector(`.ln[data-line="${number}"] + .why`);
  lines.querySelectorAll(".ln + .why").forEach(box => box.remove());
  source.line = number;
  const line = lines.querySelector(`.ln[data-line="${number}"]`);
  if (!line) return false;
  line.classList.add("here");
  const sites = report.files[source.file].sites.filter(site => site.line === number);
  if (sites.length && (scroll || !wasOpen)) line.after(whyBox(sites));
  if (scroll) line.scrollIntoView({ block: "center" });
  return true;
}

function setFilter(filter) {
  source.filter = filter;
  const shown = shownFiles();
  if (shown.length && !shown.some(({ index }) => index === source.file)) source.file = shown[0].index;
  drawSheet();
  if (source.line) select(source.line);
}

/** Goes to the next or previous line with an uncovered branch, in this file or another one. */
function stepUncovered(step) {
  const inView = show.tab === sourceTab;
  const places = report.files.flatMap((file, index) => uncoveredLines(file).map(line => ({ index, line })));
  if (!places.length) return say("every branch is covered");
  const here = [source.file, inView ? source.line : 0];
  const compare = place => place.index - here[0] || place.line - here[1];
  const next = step > 0 ? places.find(place => compare(place) > 0) : places.findLast(place => compare(place) < 0);
  const { index, line } = next || places[step > 0 ? 0 : places.length - 1];
  if (!next) say(step > 0 ? "from the first again" : "from the last again");
  goTo(address("source", report.files[index].name, line));
}

function stepFile(step) {
  const shown = shownFiles();
  const at = shown.findIndex(({ index }) => index === source.file);
  const next = shown[at + step];
  if (next) goTo(address("source", next.file.name));
}

function openPlace(name, line) {
  const found = report.files.findIndex(file => file.name === name || file.path === name);
  const index = found < 0 ? source.file : found;
  if (index !== source.file || !document.querySelector("#lines .ln")) {
    source.file = index;
    source.line = 0;
    drawSheet();
  }
  document.querySelector(`.file[data-file="${index}"]`)?.scrollIntoView({ block: "nearest" });
  if (!Number(line)) return;
  if (!select(Number(line)) && source.filter !== "all") {
    setFilter("all");
    select(Number(line));
  }
}

const sourceTab = {
  name: "source", title: "Source", wide: true,
  render(main, name, line) {
    if (!report.files.length) return main.append(h("p", { class: "empty" }, "The program has no branch of its own."));
    const input = h("input", { type: "search", placeholder: "filter files", "aria-label": "Filter files", value: source.words, oninput: event => { source.words = event.target.value; drawFiles(); } });
    main.append(h("div", { class: "code" },
      h("aside", { class: "files", "aria-label": "Files" }, h("div", { class: "top" }, input, choice("Branches", FILTERS, source.filter, setFilter)), h("div", { id: "file-list" })),
      h("section", { class: "sheet" },
        h("div", { class: "top" }, h("span", { class: "where mono", id: "where" }), h("span", { class: "soft", id: "sheet-figures" }),
          h("button", { type: "button", class: "step", title: "Previous uncovered branch (p)", onclick: () => stepUncovered(-1) }, "↑ previous"),
          h("button", { type: "button", class: "step", title: "Next uncovered branch (n)", onclick: () => stepUncovered(1) }, "↓ next uncovered")),
        h("div", { class: "lines", id: "lines", tabindex: "0", "aria-label": "Source" }))));
    drawSheet();
    openPlace(name ?? report.files[source.file].name, line ?? source.line);
  },
  moved(name, line) { if (name !== undefined) openPlace(name, line); },
  key(key) {
    const order = Object.keys(FILTERS);
    if (key === "f") setFilter(order[(order.indexOf(source.filter) + 1) % order.length]);
    else if (key === "/") document.querySelector(".files input").focus();
    else if (key === "j" || key === "k") stepFile(key === "j" ? 1 : -1);
    else return false;
    return true;
  },
};
