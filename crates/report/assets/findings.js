// Crashes and hangs: description, location, input, and the command that reproduces each.

function textOfBytes(bytes) {
  const escapes = { 9: "\\t", 10: "\\n", 13: "\\r", 34: "\\\"", 92: "\\\\" };
  return bytes.map(byte => escapes[byte] || (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "\\x" + byte.toString(16).padStart(2, "0"))).join("");
}

function hexOfBytes(bytes) {
  const rows = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.slice(at, at + 16);
    const digits = row.map(byte => byte.toString(16).padStart(2, "0")).join(" ").padEnd(47);
    const letters = row.map(byte => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·").join("");
    rows.push(`${at.toString(16).padStart(6, "0")}  ${digits}  ${letters}`);
  }
  return rows.join("\n");
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page opened from a file may not use the clipboard API; execCommand needs no permission.
    const area = h("textarea", { style: "position:fixed;opacity:0" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say("copied");
}

function commandLine(title, command) {
  if (!command) return null;
  return h("section", {}, h("h4", {}, title),
    h("div", { class: "command" }, h("pre", {}, command), h("button", { type: "button", class: "copy", onclick: () => copy(command) }, "Copy")));
}

function inputPart(part) {
  const cut = part.bytes.length < part.length;
  return h("section", {}, h("h4", {}, `${part.name}, ${counted(part.length, "byte", "bytes")}${cut ? `, the first ${grouped(part.bytes.length)}` : ""}`),
    h("pre", {}, `"${textOfBytes(part.bytes)}"\n${hexOfBytes(part.bytes)}`));
}

function findingPanel(finding) {
  const confirmed = finding.confirmed_by;
  return h("article", { class: "panel finding", "data-name": finding.name },
    h("div", { class: "head" }, h("h3", {}, finding.headline),
      h("span", {}, confirmed ? h("span", { class: `badge ${confirmed.length ? "good" : "part"}` }, confirmed.length ? `confirmed by ${confirmed.join(", ")}` : "unconfirmed") : null, " ",
        h("span", { class: `badge ${finding.is_hang ? "part" : "bad"}` }, finding.kind))),
    h("div", { class: "soft mono" }, finding.name),
    finding.said.map(said => h("section", {}, h("pre", {}, said))),
    commandLine("See it again", finding.command), commandLine("With sanitizers", finding.command_sanitized),
    finding.stack.length ? h("section", {}, h("h4", {}, "Stack, innermost first"), h("ol", { class: "stack mono" },
      finding.stack.map(frame => h("li", {}, frame.function, frame.place ? [" – ", placeLink(frame.place)] : null)))) : null,
    finding.input.map(inputPart),
    finding.text ? h("details", {}, h("summary", {}, "The whole report"), h("pre", {}, finding.text)) : null);
}

const findingsTab = {
  name: "findings", title: "Findings", count: () => report.findings.length,
  render(main) {
    main.append(...(report.findings.length ? report.findings.map(findingPanel)
      : [h("div", { class: "panel" }, h("p", { class: "empty" }, "No crash, no hang."))]));
  },
};
