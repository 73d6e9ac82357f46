"use strict";
// A plot of curves over one axis, with bands around them if there are several runs of each. It depends only on the
// page's colours.
//
// plot(element, { series: [{ name, points: [[x, y], …], band: [[x, low, high], …] }], x: "executions", y: "branches", limit: 120,
//                 showX: number => text, showY: number => text })
//
// Points are the corners of a step curve. Hovering, or the arrow keys when it has the focus, show the values at a position.

const PLOT_COLOURS = ["var(--accent)", "var(--good)", "var(--part)", "var(--bad)", "var(--code-key)", "var(--soft)"];

function plot(element, options) {
  const { series, limit = 0, showX = String, showY = String } = options;
  const space = { left: 46, right: 16, top: 12, bottom: 34 };
  const corners = series.flatMap(s => [...s.points, ...(s.band || []).map(b => [b[0], b[2]])]);
  const mostX = Math.max(1e-9, ...corners.map(c => c[0]));
  const ticksY = ticks(Math.max(1, limit, ...corners.map(c => c[1])), 5);
  const mostY = Math.max(ticksY[ticksY.length - 1], limit, ...corners.map(c => c[1]));
  let width = 0, at = null;

  element.classList.add("plot");
  element.tabIndex = 0;
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", `${options.y} over ${options.x}: ` + series.map(s => `${s.name} ends at ${showY(valueAt(s.points, mostX))}`).join(", "));
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;

  const height = options.height || 260;
  const toX = x => space.left + x / mostX * (width - space.left - space.right);
  const toY = y => height - space.bottom - y / mostY * (height - space.top - space.bottom);

  function draw() {
    width = element.clientWidth;
    if (width === 0) return;
    const svg = svgElement("svg", { height, viewBox: `0 0 ${width} ${height}` });
    for (const y of ticksY) {
      svg.append(svgElement("line", { class: y ? "rule" : "axis", x1: space.left, x2: width - space.right, y1: toY(y), y2: toY(y) }));
      svg.append(svgElement("text", { x: space.left - 8, y: toY(y) + 4, "text-anchor": "end" }, showY(y)));
    }
    const ticksX = ticks(mostX, Math.max(2, Math.floor(width / 130))).filter(x => x <= mostX);
    for (const x of ticksX) svg.append(svgElement("text", { x: toX(x), y: height - 14, "text-anchor": x ? "middle" : "start" }, showX(x)));
    svg.append(svgElement("text", { x: width - space.right, y: height - 1, "text-anchor": "end" }, options.x));
    if (limit) svg.append(svgElement("line", { class: "limit", x1: space.left, x2: width - space.right, y1: toY(limit), y2: toY(limit) }));
    series.forEach((s, index) => drawSeries(svg, s, PLOT_COLOURS[index % PLOT_COLOURS.length]));
    element.replaceChildren(svg, tip);
    if (at !== null) show(at);
  }

  function drawSeries(svg, s, colour) {
    if (s.band) {
      const high = steps(s.band.map(b => [b[0], b[2]])), low = steps(s.band.map(b => [b[0], b[1]])).reverse();
      svg.append(svgElement("path", { class: "band", d: path([...high, ...low]) + "Z", style: `fill:${colour}` }));
    }
    const line = steps(s.points);
    if (series.length === 1 && line.length) {
      const [first, last] = [line[0], line[line.length - 1]];
      svg.append(svgElement("path", { class: "fill", d: path([[first[0], 0], ...line, [last[0], 0]]) + "Z", style: `fill:${colour}` }));
    }
    svg.append(svgElement("path", { class: "line", d: path(line), style: `stroke:${colour}` }));
  }

  const steps = points => points.flatMap(([x, y], i) => i ? [[x, points[i - 1][1]], [x, y]] : [[x, y]]);
  const path = points => points.map(([x, y], i) => (i ? "L" : "M") + toX(x).toFixed(1) + " " + toY(y).toFixed(1)).join("");

  function show(x) {
    at = Math.min(mostX, Math.max(0, x));
    const svg = element.querySelector("svg");
    svg.querySelectorAll(".cursor, .dot").forEach(old => old.remove());
    svg.append(svgElement("line", { class: "cursor", x1: toX(at), x2: toX(at), y1: space.top, y2: height - space.bottom }));
    const rows = series.map((s, index) => {
      const y = valueAt(s.points, at), colour = PLOT_COLOURS[index % PLOT_COLOURS.length];
      svg.append(svgElement("circle", { class: "dot", cx: toX(at), cy: toY(y), r: 4, style: `fill:${colour}` }));
      const row = document.createElement("div"), key = document.createElement("span");
      key.className = "key";
      key.style.background = colour;
      row.append(key, `${s.name} `, Object.assign(document.createElement("b"), { textContent: showY(y) }));
      return row;
    });
    const head = document.createElement("div");
    head.className = "soft";
    head.textContent = `${showX(at)} ${options.unit || options.x}`;
    tip.replaceChildren(head, ...rows);
    tip.hidden = false;
    const left = Math.min(width - tip.offsetWidth - 4, Math.max(4, toX(at) + 12));
    tip.style.left = (toX(at) + 12 + tip.offsetWidth > width ? Math.max(4, toX(at) - tip.offsetWidth - 12) : left) + "px";
    tip.style.top = space.top + 4 + "px";
  }

  function hide() {
    at = null;
    tip.hidden = true;
    element.querySelectorAll(".cursor, .dot").forEach(old => old.remove());
  }

  element.onpointermove = event => {
    const x = event.clientX - element.getBoundingClientRect().left;
    show((x - space.left) / (width - space.left - space.right) * mostX);
  };
  element.onpointerleave = hide;
  element.onblur = hide;
  element.onkeydown = event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const places = [...new Set(series.flatMap(s => s.points.map(p => p[0])))].sort((a, b) => a - b);
    const now = at === null ? (step > 0 ? -1 : Infinity) : at;
    show((step > 0 ? places.find(p => p > now) : places.findLast(p => p < now)) ?? now);
  };
  new ResizeObserver(draw).observe(element);
  draw();
}

/** Returns the value of a step curve. */
function valueAt(points, x) {
  let value = 0;
  for (const [px, y] of points) {
    if (px > x) break;
    value = y;
  }
  return value;
}

/** Returns round numbers from 0 to at least the maximum. */
function ticks(most, count) {
  const rough = most / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough) || rough;
  const all = [];
  for (let i = 0; i * step < most + step * 0.999; i++) all.push(+(i * step).toPrecision(12));
  return all;
}

function svgElement(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}
