// What stands beside the editor: whether it is in step with the server, what happened, and the request behind it.
import { curl, requests, session } from "./api.js";
import { ask, h, icon } from "./dom.js";
import { ago, words } from "./words.js";

/** Redraws `aside` from the editor's state; what has the focus keeps it. */
export function rail(aside, editor) {
  const focused = aside.contains(document.activeElement) && document.activeElement.id;
  aside.replaceChildren(...[inStep(editor), merged(editor), (editor.shownAs ??= shownAs(editor)), activity(editor), lastRequest(editor)].filter(Boolean));
  if (focused) document.getElementById(focused)?.focus();
}

const card = (title, ...content) => h("section.card", {}, h("h2", {}, title), ...content);

function inStep({ sync }) {
  const { state, page, queue } = sync;
  return h("section.card.in-step", {}, h("h2", {}, words.sync),
    h(`p.state.${state}`, { id: "state" }, words.states[state]),
    h("p.muted", {}, page.layoutVersion ? words.version(page.layoutVersion) : words.never),
    queue.length > 0 && h("p.waiting", {}, words.queued(queue.reduce((sum, batch) => sum + batch.operations.length, 0)), " ",
      h("button.link", { type: "button", id: "discard", onclick: () => sync.discard() }, words.discard)),
    h("label.switch", {}, h("input", { type: "checkbox", role: "switch", id: "offline", checked: state === "offline", onchange: (event) => sync.setOffline(event.target.checked) }), words.playOffline));
}

function merged({ merged }) {
  if (!merged) return undefined;
  const lines = merged.lines.length ? merged.lines : [words.mergedAll];
  return h("section.card.merged", { id: "merged" }, h("h2", {}, words.mergedTitle(merged.from)), h("ul", {}, lines.map((line) => h("li", {}, line))));
}

function shownAs(editor) {
  const { client } = editor.sync;
  const platform = h("select", { id: "platform", name: "platform" }, ["", "ios", "android", "web"].map((name) =>
    h("option", { value: name, selected: name === (client.platform ?? "") }, name || words.anyPlatform)));
  const version = h("input", { id: "app-version", name: "appVersion", value: client.appVersion ?? "", placeholder: "10.3", inputmode: "decimal", pattern: "[0-9]+(\\.[0-9]+){0,5}" });
  return h("form.card.shown-as", {
    onsubmit: (event) => (event.preventDefault(), editor.onclient?.({ platform: platform.value, appVersion: version.value })),
  }, h("h2", {}, words.shownAs), h("label", {}, h("span", {}, words.platform), platform), h("label", {}, h("span", {}, words.appVersion), version),
  h("button.quiet", { id: "apply" }, words.apply));
}

function activity({ sync }) {
  const lines = sync.activity.slice(0, 6).map(({ version, origin, at }) =>
    h("li", {}, h("strong", {}, words.version(version)), h("span.muted", {}, `${origin === session.client ? words.fromHere : words.from(origin)}, ${ago(at)}`)));
  return card(words.activity, lines.length ? h("ol.plain", { id: "activity" }, lines) : h("p.muted", {}, words.noActivity),
    sync.page.layoutVersion > 0 && h("button.link", { type: "button", id: "reset", onclick: () => reset(sync) }, words.reset));
}

async function reset(sync) {
  if ((await ask(words.reset, h("p", {}, words.resetAsk), [["", words.cancel], ["yes", words.reset, "danger"]])) === "yes") await sync.reset();
}

/** The last write, or the page that was read. */
export const telling = () =>
  requests.entries.find((entry) => entry.method !== "GET") ?? requests.entries.find((entry) => entry.url.includes("/page"));

function lastRequest(editor) {
  const last = telling();
  if (!last) return undefined;
  return h("section.card.request", {}, h("h2", {}, words.lastRequest), h("pre", { tabindex: "0" }, curl(last)),
    h("button.quiet", { type: "button", id: "copy-last", onclick: () => editor.copyLast() }, icon("ui-copy"), words.copy));
}
