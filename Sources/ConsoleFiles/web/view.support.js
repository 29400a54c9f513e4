// Support: find a user, see their layout and its history, explain it, restore, lock, export.
import { all, call, path, session } from "./api.js";
import { hueOf, nameplate } from "./cell.js";
import { listDifference } from "./differences.js";
import { ask, h, icon, note } from "./dom.js";
import { explain } from "./explain.js";
import { ago, moment, words } from "./words.js";

export async function open({ user }) {
  const support = new Support(user);
  await support.load();
  return support;
}

class Support {
  constructor(user) {
    this.user = user;
    this.people = h("ul.plain.people", { id: "people" });
    this.found = h("div", {});
    this.person = h("div.person", {});
    const prefix = h("input", { id: "prefix", type: "search", placeholder: words.findHow, "aria-label": words.find, autocomplete: "off", oninput: () => this.find(prefix.value) });
    this.element = h("div.support", {}, h("section.card.finder", { "aria-label": words.find }, h("h2", {}, words.find), prefix, this.people, this.found), this.person);
  }

  async load() {
    const { user } = this;
    const [page, record, catalog] = await Promise.all([
      call("GET", path`/v1/users/${user}/page`), call("GET", path`/v1/users/${user}`), call("GET", "/v1/catalog"), this.find(""),
    ]);
    const layout = await call("GET", path`/v1/users/${user}/layout`);
    Object.assign(this, { page: page.content, record: record.content, catalog: catalog.content, etag: layout.etag });
    this.revisions = await all(path`/v1/users/${user}/layout/revisions`, "revisions", 200);
    this.titles = new Map(this.page.sections.flatMap((section, index) => section.cells.map((cell) => [cell.id, { ...cell, hue: hueOf(index - 1) }])));
    this.render();
  }

  title(id) { return this.titles.get(id)?.title ?? this.catalog.functions.find((f) => f.id === id)?.title[session.language] ?? id; }

  // MARK: Finding

  async find(prefix, pageToken) {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    let content;
    try {
      ({ content } = await call("GET", "/v1/admin/users", { query: { prefix, pageSize: 12, pageToken } }));
    } catch (error) {
      // Without the right to list users one can still ask for the one whose name is known.
      return void this.found.replaceChildren(h("p.muted", {}, error.status === 403 ? words.findForbidden : error.message));
    }
    if (turn !== this.turn) return;
    const rows = content.users.map((found) => h("li", {}, h("a", { href: `#/support/${encodeURIComponent(found.userId)}`, "aria-current": found.userId === this.user && "true" },
      h("span", {}, found.userId), found.locked && icon("ui-lock"), h("span.muted", {}, found.updatedAt ? ago(found.updatedAt) : ""))));
    if (pageToken) this.people.append(...rows);
    else this.people.replaceChildren(...rows);
    this.found.replaceChildren(...(content.nextPageToken ? [h("button.link", { type: "button", onclick: () => this.find(prefix, content.nextPageToken) }, words.more)]
      : rows.length ? [] : [h("p.muted", {}, words.nobody(prefix))]));
  }

  // MARK: One user

  render() {
    const { page, record } = this;
    const layout = record.layout;
    this.person.replaceChildren(
      h("header.person-head", {}, h("div", {}, h("h1", {}, this.user),
        h("p.muted", {}, layout.version ? words.version(layout.version) : words.never, layout.updatedAt ? ` · ${moment(layout.updatedAt)}` : "")),
      page.locked && h("span.chip.waiting", {}, icon("ui-lock"), words.locked),
      h("div.actions", {}, h("a.quiet", { href: `#/editor/${encodeURIComponent(this.user)}` }, icon("ui-edit"), words.editor),
        h("button.quiet", { type: "button", id: "lock", onclick: () => this.lock() }, icon("ui-lock"), page.locked ? words.unlock : words.lock),
        h("button.quiet", { type: "button", id: "export", onclick: () => this.export() }, icon("ui-download"), words.export))),
      this.#layout(), this.#explanation(), this.#history());
  }

  #layout() {
    return h("section.card", {}, h("h2", {}, words.layoutNow), h("ol.cells.small", {}, this.page.sections[0].cells.map((cell, slot) => {
      const item = h("li.cell", {}, h("span.face", {}, nameplate(cell)), h("span.slot", {}, slot + 1));
      item.style.setProperty("--hue", this.titles.get(cell.id)?.hue ?? 60);
      return item;
    })));
  }

  #explanation() {
    const answer = h("div", { id: "explanation", "aria-live": "polite" });
    const options = this.catalog.functions.map((f) => [f.id, f.title[session.language] ?? f.title.en ?? f.id]).sort((a, b) => a[1].localeCompare(b[1], session.language));
    const choose = h("select", { id: "why", onchange: async () => {
      const { content } = await call("GET", path`/v1/users/${this.user}/layout/favorites/${choose.value}/targets`);
      answer.replaceChildren(h("ul.reasons", {}, explain(choose.value, { ...this, targets: content, title: this.title(choose.value) }).map((line) => h("li", {}, line))));
    } }, h("option", { value: "" }, words.chooseFunction), options.map(([id, title]) => h("option", { value: id }, title)));
    choose.addEventListener("change", () => choose.value || answer.replaceChildren());
    return h("section.card", {}, h("h2", {}, words.whyTitle), h("label", {}, h("span", {}, words.whyHow), choose), answer);
  }

  #history() {
    const rows = this.revisions.map((revision, index) => {
      const before = this.revisions[index + 1];
      const changes = before || revision.version === 1 ? this.#changes(before?.favorites ?? this.catalog.defaults, revision.favorites ?? this.catalog.defaults) : [];
      if (before && before.locked !== revision.locked) changes.push(h("span.chip", {}, icon("ui-lock"), revision.locked ? words.lock : words.unlock));
      return h("li.revision", {}, h("div.when", {}, h("strong", {}, words.version(revision.version)), h("span.muted", {}, moment(revision.updatedAt))),
        h("div.what", {}, h("p", {}, words.kind(revision.kind), " · ", h("span.muted", {}, words.by(revision.actor, revision.origin))),
          h("p.changes", {}, changes.length ? changes : h("span.muted", {}, words.noDifference))),
        index > 0 && h("button.quiet", { type: "button", "data-version": revision.version, onclick: () => this.restore(revision.version) }, words.restore));
    });
    return h("section.card", {}, h("h2", {}, words.history), rows.length ? h("ol.plain.revisions", { id: "history" }, rows)
      : h("div.empty.slim", {}, icon("ui-history"), h("p", {}, words.noHistory)));
  }

  #changes(before, after) {
    const { added, removed, moved } = listDifference(before, after);
    return [...added.map(({ id, to }) => h("span.chip.plus", {}, `+ ${this.title(id)} (${to + 1})`)),
      ...removed.map(({ id }) => h("span.chip.minus", {}, `− ${this.title(id)}`)),
      ...moved.map(({ id, from, to }) => h("span.chip", {}, `${this.title(id)} ${from + 1} → ${to + 1}`))];
  }

  // MARK: Acting

  async #write(method, suffix, body) {
    const answer = await call(method, path`/v1/users/${this.user}/layout` + suffix, { body, headers: { "If-Match": this.etag, "Idempotency-Key": crypto.randomUUID() } });
    await this.load();
    return answer.content;
  }

  async lock() {
    await this.#write(this.page.locked ? "DELETE" : "PUT", "/lock");
    note(this.page.locked ? words.nowLocked(this.user) : words.nowUnlocked(this.user));
  }

  async restore(version) {
    if ((await ask(words.restore, h("p", {}, words.restoreAsk(version)), [["", words.cancel], ["yes", words.restore, "primary"]])) !== "yes") return;
    try {
      const { missing = [] } = await this.#write("POST", "/reversions", { toVersion: version });
      note(missing.length ? words.restoredWithout(missing.map(({ id }) => this.title(id)).join(", ")) : words.restored(version));
    } catch (error) {
      if (error.status !== 412) throw error;
      await this.load();
      note(words.changedMeanwhile);
    }
  }

  export() {
    const file = new Blob([JSON.stringify(this.record, null, 2)], { type: "application/json" });
    const link = h("a", { href: URL.createObjectURL(file), download: `${this.user}.json` });
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
