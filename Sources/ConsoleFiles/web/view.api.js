// What this window asked the server, as lines for a shell, with the answers: the API learnt from one's own actions.
import { curl, requests } from "./api.js";
import { copy, h, icon, note } from "./dom.js";
import { number, words } from "./words.js";

export function open() {
  const list = h("ol.plain.requests", { id: "requests" });
  const writesOnly = h("input", { type: "checkbox", role: "switch", id: "writes-only", onchange: () => draw() });
  const element = h("div.narrow", {}, h("header.person-head", {}, h("div", {}, h("h1", {}, words.apiTitle), h("p.muted", {}, words.apiHow)),
    h("div.actions", {}, h("label.switch", {}, writesOnly, words.writesOnly), h("a.primary", { href: "/docs" }, words.docs))), list);
  const stop = new AbortController();
  requests.addEventListener("change", draw, { signal: stop.signal });
  draw();
  return { element, close: () => stop.abort() };

  function draw() {
    const entries = requests.entries.filter((entry) => !writesOnly.checked || entry.method !== "GET");
    list.replaceChildren(...(entries.length ? entries.map(drawn) : [h("li.empty", {}, icon("ui-api"), h("p", {}, words.noRequests))]));
  }
}

function drawn(entry) {
  const line = curl(entry);
  const { method, url, status, milliseconds, text } = entry;
  return h("li", {}, h("details.card", {}, h("summary.request-line", {}, h(`span.verb.${method}`, {}, method), h("code", {}, url),
    h(`span.chip.${status >= 400 || !status ? "minus" : "plus"}`, {}, status || words.noAnswer), h("span.muted", {}, `${number(milliseconds)} ms`)),
  h("pre", { tabindex: "0" }, line), h("div.actions", {}, h("button.quiet", { type: "button", onclick: async () => note((await copy(line)) ? words.copied : words.notCopied) }, icon("ui-copy"), words.copy)),
  text && h("pre.answer", { tabindex: "0" }, pretty(text))));
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, 6000);
  } catch {
    return text.slice(0, 6000);
  }
}
