// Shared by all sections: elements, number formats, tabs, keys, colours, and the address.

let report = null;
const tabs = [];
const view = () => document.getElementById("view");

/** Creates an element; text is never parsed as markup. Names that begin with "on" are listeners. */
function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

const grouped = number => Math.round(number).toLocaleString("en-US");
const percent = (part, whole) => whole ? `${Math.floor(100 * part / whole)} %` : "–";
const counted = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many}`;

function clock(seconds) {
  if (seconds < 10) return `${+seconds.toFixed(seconds < 1 ? 2 : 1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${String(Math.floor(seconds % 60)).padStart(2, "0")}s`;
  return `${Math.floor(seconds / 3600)}h${String(Math.floor(seconds / 60 % 60)).padStart(2, "0")}m`;
}

function coverageOf(file) {
  let covered = 0, total = 0, reached = 0;
  for (const site of file.sites) {
    const taken = site.sides.filter(side => side.covered).length;
    covered += taken;
    total += site.sides.length;
    reached += taken > 0 && taken < site.sides.length ? site.sides.length - taken : 0;
  }
  return { covered, total, partly: reached };
}

/** Creates a button group of which one is pressed. */
function choice(label, options, chosen, choose) {
  const buttons = Object.entries(options).map(([value, text]) =>
    h("button", { type: "button", "data-value": value, "aria-pressed": String(value === chosen), onclick: () => choose(value) }, text));
  return h("div", { class: "switch", role: "group", "aria-label": label }, buttons);
}

function placeLink(place) {
  if (!place) return null;
  const text = `${place.file}:${place.line}`;
  const known = report.files.some(file => file.name === place.file || file.path === place.file);
  return known ? h("a", { href: address("source", place.file, place.line) }, text) : text;
}

const address = (tab, ...rest) => "#" + [tab, ...rest].map(encodeURIComponent).join("/");

function say(text) {
  const status = document.getElementById("status");
  status.textContent = text;
  status.classList.add("on");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => status.classList.remove("on"), 2400);
}

/** Shows the section of a tab; the address holds the tab and the selection in it. */
function show() {
  const [name, ...rest] = location.hash.slice(1).split("/").map(part => decodeURIComponent(part));
  const tab = tabs.find(tab => tab.name === name) || tabs[0];
  for (const button of document.querySelectorAll("#tabs button")) {
    const isChosen = button.dataset.tab === tab.name;
    button.setAttribute("aria-selected", String(isChosen));
    button.tabIndex = isChosen ? 0 : -1;
    if (isChosen) button.scrollIntoView({ block: "nearest", inline: "center" });
  }
  view().classList.toggle("wide", Boolean(tab.wide));
  if (show.tab === tab && tab.moved) return tab.moved(...rest);
  show.tab = tab;
  view().replaceChildren();
  tab.render(view(), ...rest);
  if (!tab.wide) window.scrollTo(0, 0);
}

/** Goes to an address at once, which the browser itself does not. */
function goTo(address) {
  if (location.hash !== address) history.pushState(null, "", address);
  show();
}

const go = name => goTo(address(name));

function makeTabs() {
  const list = document.getElementById("tabs");
  tabs.push(overviewTab, sourceTab, findingsTab, treeTab, statisticsTab);
  for (const tab of tabs) {
    const count = tab.count ? tab.count() : 0;
    list.append(h("button", { type: "button", role: "tab", "data-tab": tab.name, "aria-controls": "view", onclick: () => go(tab.name) },
      tab.title, count ? h("span", { class: "count" }, grouped(count)) : null));
  }
  list.onkeydown = event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(show.tab) + step + tabs.length) % tabs.length];
    go(next.name);
    list.querySelector(`[data-tab=${next.name}]`).focus();
  };
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

function toggleTheme() {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  setTheme(next);
  try { localStorage.setItem("cairn-theme", next); } catch { /* a page opened from a file may have no storage */ }
  say(`${next} colours`);
}

function startTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let kept = null;
  try { kept = localStorage.getItem("cairn-theme"); } catch { /* likewise */ }
  setTheme(kept || (system.matches ? "dark" : "light"));
  system.addEventListener("change", () => { if (!kept) setTheme(system.matches ? "dark" : "light"); });
}

const KEYS = [
  ["1 – 5", "sections"], ["n", "next uncovered branch"], ["p", "previous uncovered branch"], ["f", "all, uncovered, or partly covered branches"],
  ["/", "filter files"], ["j k", "next and previous file"], ["x", "plot over executions or time"], ["Esc", "up, in the execution tree"], ["t", "light or dark"], ["?", "these keys"],
];

function onKey(event) {
  const typing = event.target.matches("input, textarea");
  if (typing && event.key === "Escape") return event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || document.getElementById("shortcuts").open) return;
  const number = Number(event.key);
  if (number >= 1 && number <= tabs.length) go(tabs[number - 1].name);
  else if (event.key === "?") openHelp();
  else if (event.key === "t") toggleTheme();
  else if (event.key === "n" || event.key === "p") stepUncovered(event.key === "n" ? 1 : -1);
  else if (!(show.tab.key && show.tab.key(event.key))) return;
  event.preventDefault();
}

function openHelp() {
  document.getElementById("shortcuts").showModal();
}

function start() {
  report = JSON.parse(document.getElementById("report").textContent);
  startTheme();
  document.getElementById("program").textContent = report.campaign.program;
  document.querySelector("#shortcuts dl").append(...KEYS.flatMap(([key, what]) =>
    [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]));
  document.getElementById("theme").onclick = toggleTheme;
  document.getElementById("help").onclick = openHelp;
  makeTabs();
  addEventListener("hashchange", show);
  addEventListener("popstate", show);
  addEventListener("keydown", onKey);
  show();
}
