// Product: the catalog as a draft, checked by the server as one types, seen through a user's eyes, compared, published.
import { Problem, all, call, path, session } from "./api.js";
import { functionForm, policyForm } from "./catalog.form.js";
import { catalogDifference } from "./differences.js";
import { ask, h, icon, note } from "./dom.js";
import { Preview } from "./preview.js";
import { moment, number, words } from "./words.js";

/** How long, in milliseconds, typing rests before the server is asked. */
const REST = 350;

export async function open({ user }) {
  const view = new CatalogView(user);
  await view.load();
  return view;
}

class CatalogView {
  /** The function whose form is shown; undefined for the policy's. */
  chosen;
  mode = "form";
  faults = [];

  constructor(user) {
    this.preview = new Preview(user, () => this.draft);
    this.element = h("div.catalog", {}, (this.left = h("div.drafting", {})), h("div.showing", {}, (this.verdict = h("section.card", { id: "verdict" })), this.preview.element, (this.compared = h("section.card", { id: "compared" }))));
  }

  async load() {
    const [published, revisions] = await Promise.all([call("GET", "/v1/catalog"), all("/v1/catalog/revisions", "revisions", 200)]);
    this.published = published.content;
    this.etag = published.etag;
    this.revisions = revisions;
    this.base = this.published;
    this.draft = structuredClone(this.published);
    this.faults = [];
    this.#drawLeft();
    await Promise.all([this.#check(), this.preview.load()]);
    this.#drawCompared();
  }

  title(f) { return f.title?.[session.language] ?? f.title?.en ?? f.id; }
  get isChanged() { return JSON.stringify(this.draft) !== JSON.stringify(this.published); }

  // MARK: The draft

  #drawLeft() {
    const tab = (name) => h("button", { type: "button", role: "tab", "aria-selected": String(this.mode === name), "aria-controls": "draft", id: `tab-${name}`, onclick: () => ((this.mode = name), this.#drawLeft()) }, words.modes[name]);
    this.left.replaceChildren(
      h("header.person-head", {}, h("div", {}, h("h1", {}, words.catalog), h("p.muted", {}, words.revision(this.published.revision))), h("div.tabs", { role: "tablist" }, tab("form"), tab("json"))),
      h("div", { id: "draft", role: "tabpanel", "aria-labelledby": `tab-${this.mode}` }, this.mode === "form" ? this.#form() : this.#json()));
  }

  #form() {
    const list = h("nav.card.functions", { "aria-label": words.functions });
    const form = h("div.card.form");
    const choose = (id) => {
      this.chosen = id;
      const index = this.draft.functions.findIndex((f) => f.id === id);
      form.replaceChildren(...(index < 0
        ? policyForm(this.draft, () => this.#edited())
        : functionForm(this.draft, index, () => this.#edited())));
      for (const button of list.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.id === (id ?? "")));
    };
    const entry = (id, text, ...marks) => h("button.entry", { type: "button", "data-id": id ?? "", onclick: () => choose(id) }, h("span", {}, text), ...marks);
    const byId = new Map(this.draft.functions.map((f) => [f.id, f]));
    list.append(entry(undefined, words.policy), ...this.draft.sections.flatMap((section) => [h("h2", {}, this.title(section)),
      ...section.functions.map((id) => byId.get(id)).filter(Boolean).map((f) => entry(f.id, this.title(f),
        f.status === "retired" && h("span.chip", {}, words.retired), f.pin !== undefined && h("span.chip", {}, words.pin(f.pin + 1))))]));
    choose(this.chosen);
    queueMicrotask(() => this.#markFaults());
    return h("div.drafting-form", {}, list, form);
  }

  #json() {
    const text = h("textarea.code", { id: "json", rows: 32, spellcheck: "false", "aria-label": words.modes.json, "aria-describedby": "verdict", oninput: () => {
      try {
        this.draft = JSON.parse(text.value);
        this.#edited();
      } catch (error) {
        this.#showVerdict({ faults: [{ pointer: "", detail: words.noJSON(error.message) }] });
      }
    } });
    text.value = JSON.stringify(this.draft, null, 2);
    return text;
  }

  #edited() {
    clearTimeout(this.timer);
    this.verdict.setAttribute("aria-busy", "true");
    this.timer = setTimeout(() => this.#check(), REST);
    this.preview.draw();
    this.#drawCompared();
  }

  // MARK: What the server says

  async #check() {
    const mine = (this.turn = (this.turn ?? 0) + 1);
    let verdict;
    try {
      const { content } = await call("PUT", "/v1/catalog", { query: { validateOnly: "true" }, headers: { "If-Match": this.etag }, body: this.draft });
      verdict = { faults: [], impact: content };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      verdict = { faults: error.body.faults ?? [{ pointer: error.body.pointer ?? "", detail: error.message }], isStale: error.status === 412, isForbidden: error.status === 403 };
    }
    if (mine === this.turn) this.#showVerdict(verdict);
  }

  #showVerdict({ faults, impact, isStale, isForbidden }) {
    this.faults = faults;
    this.verdict.setAttribute("aria-busy", "false");
    const publish = h("button.primary", { type: "button", id: "publish", disabled: !impact || !this.isChanged, onclick: () => this.#publish(impact) }, words.publish);
    const discard = this.isChanged && h("button.quiet", { type: "button", id: "discard-draft", onclick: () => this.load() }, words.discardDraft);
    const share = impact && (impact.layouts ? impact.layoutsChanged / impact.layouts : 0);
    this.verdict.replaceChildren(...[
      h("h2", {}, !this.isChanged && impact ? words.asPublished : impact ? words.valid : isForbidden ? words.forbidden : words.faults(faults.length)),
      impact && h("p", { id: "impact" }, h("strong.figure", {}, number(impact.layoutsChanged)), " ", words.impact(number(impact.layouts))),
      impact && h("progress", { max: 1, value: share, "aria-label": words.impactShare }),
      faults.length > 0 && h("ul.faults", {}, faults.map(({ pointer, detail }) => h("li", {}, pointer && h("code", {}, pointer), " ", detail))),
      isStale && h("p", {}, h("button.link", { type: "button", onclick: () => this.load() }, words.loadPublished)),
      h("div.actions", {}, publish, discard)].filter(Boolean));
    this.#markFaults();
  }

  /** Shows the faults at their fields, without taking the form away under who types. */
  #markFaults() {
    const faulty = new Set(this.faults.map(({ pointer }) => this.draft.functions?.[/^\/functions\/(\d+)/.exec(pointer)?.[1]]?.id));
    for (const entry of this.left.querySelectorAll(".entry")) entry.classList.toggle("faulty", faulty.has(entry.dataset.id));
    for (const place of this.left.querySelectorAll("[data-pointer]")) {
      const fault = this.faults.find(({ pointer }) => pointer === place.dataset.pointer || pointer.startsWith(`${place.dataset.pointer}/`));
      place.querySelector(".fault")?.remove();
      const field = place.querySelector("input, select");
      field?.toggleAttribute("aria-invalid", !!fault);
      if (fault) place.append(h("span.fault", {}, fault.detail));
    }
  }

  async #publish(impact) {
    const question = h("p", {}, words.publishAsk(number(impact.layoutsChanged), number(impact.layouts)));
    if ((await ask(words.publish, question, [["", words.cancel], ["yes", words.publish, "primary"]])) !== "yes") return;
    const { content } = await call("PUT", "/v1/catalog", { headers: { "If-Match": this.etag }, body: this.draft });
    note(words.published(content.revision));
    await this.load();
  }

  // MARK: Differences

  #drawCompared() {
    const lines = catalogDifference(this.base, this.draft);
    const value = (each) => (each === undefined ? "" : JSON.stringify(each));
    const choose = h("select", { id: "base", onchange: async () => {
      this.base = (await call("GET", path`/v1/catalog/revisions/${choose.value}`)).content;
      this.#drawCompared();
      document.getElementById("base").focus();
    } }, this.revisions.map(({ revision, publishedAt, publishedBy }) => h("option", { value: revision, selected: revision === this.base.revision }, `${words.revision(revision)} · ${moment(publishedAt)} · ${publishedBy}`)));
    const isOld = this.base.revision !== this.published.revision;
    this.compared.replaceChildren(h("h2", {}, words.differences), h("label", {}, h("span", {}, words.comparedWith), choose),
      lines.length ? h("ul.plain.lines", { id: "differences" }, lines.slice(0, 60).map(({ kind, path: place, before, after }) => h(`li.${kind}`, {}, h("code", {}, place), " ",
        before !== undefined && h("del", {}, value(before)), " ", after !== undefined && h("ins", {}, value(after))))) : h("p.muted", {}, words.noDifferences),
      isOld ? h("button.quiet", { type: "button", id: "take", onclick: () => this.#take() }, icon("ui-history"), words.takeRevision(this.base.revision)) : "");
  }

  /** An earlier revision as the draft: publishing it is how one goes back. */
  #take() {
    this.draft = { ...structuredClone(this.base), revision: this.published.revision };
    this.#drawLeft();
    this.#edited();
  }

  close() { clearTimeout(this.timer); }
}
