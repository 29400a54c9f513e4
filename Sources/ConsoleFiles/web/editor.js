// The "all functions" page: favorites first, then the fixed sections. Opens functions, and in edit mode arranges them.
import { Arranging } from "./arrange.js";
import { ask, copy, glide, h, icon, note, reconcile, say, shake } from "./dom.js";
import { curl, requests } from "./api.js";
import { enableDragging, enableLongPress, settleCells } from "./drag.js";
import { added, freeSlots, moved, removed } from "./rules.js";
import { hueOf, nameplate } from "./cell.js";
import { rail, telling } from "./rail.js";
import { words } from "./words.js";

export class Editor {
  /** While editing: the list as it stands on this page, the operations that made it, and the steps back. */
  draft;
  /** The favorite that the move buttons are about. */
  selected;

  constructor(sync) {
    this.sync = sync;
    this.favorites = h("ol.cells.favorites", { id: "favorites", "aria-describedby": "how" });
    this.element = h("div.editor", {}, (this.page = h("div.page")), (this.aside = h("aside.rail", { "aria-label": words.aboutThisPage })));
    this.page.append(h("section.board", { "aria-labelledby": "board-title" },
      (this.bar = h("header.bar")), (this.hint = h("p.hint", { id: "how" })), this.favorites, (this.tools = h("div.tools"))));
    this.shelves = new Map();
    this.arranging = new Arranging(this);
    enableDragging(this.favorites, this.#dragHost());
    this.stop = new AbortController();
    const { signal } = this.stop;
    sync.addEventListener("change", () => this.render(), { signal });
    sync.addEventListener("report", (event) => this.#report(event.detail), { signal });
    sync.addEventListener("refused", (event) => this.#refused(event.detail), { signal });
    requests.addEventListener("change", () => this.#renderRail(), { signal });
    this.render();
  }

  close() {
    if (this.draft?.past.length) note(words.cancelled);
    this.stop.abort();
    this.sync.stop();
  }

  // MARK: What is shown

  get list() { return this.draft?.list ?? this.sync.list; }
  get isLocked() { return this.sync.page.locked; }

  title(id) { return this.cells.get(id)?.title ?? id; }
  cellOf(id) { return this.favorites.querySelector(`[data-id="${CSS.escape(id)}"]`); }

  render() {
    const { page } = this.sync;
    this.cells = new Map(page.sections.slice(1).flatMap((section, index) =>
      section.cells.map((cell) => [cell.id, { ...cell, hue: hueOf(index) }])));
    for (const cell of page.sections[0].cells) this.cells.set(cell.id, { ...this.cells.get(cell.id), ...cell });
    this.element.classList.toggle("editing", !!this.draft);
    this.#renderBar();
    // Under a finger nothing moves but by the finger.
    if (!this.favorites.matches(".dragging")) this.#renderFavorites();
    this.#renderShelves();
    this.#roving();
    this.arranging.render();
    this.#renderRail();
  }

  #renderFavorites() {
    glide([this.favorites], () => {
      settleCells(this.favorites);
      reconcile(this.favorites, this.list, (id) => this.#makeCell(id), (element, id) => this.#updateFavorite(element, id));
    });
  }

  #renderBar() {
    const { page, queue } = this.sync;
    const count = this.list.length;
    const title = h("h1", { id: "board-title" }, page.sections[0].title);
    const counter = h("span.count", { "aria-label": words.countOf(count, page.limit) }, `${count} / ${page.limit}`);
    const waiting = queue.length && h("span.chip.waiting", {}, words.waiting);
    const locked = this.isLocked && h("span.chip", {}, icon("ui-lock"), words.locked);
    const button = (kind, name, text, onclick, options = {}) =>
      h(`button.${kind}`, { type: "button", "data-do": name, onclick, ...options }, text);
    const actions = this.draft
      ? [button("quiet.undo", "undo", [icon("ui-undo"), h("span", {}, words.undo)], () => this.undo(), { disabled: !this.draft.past.length, "aria-label": words.undo }),
        button("quiet", "cancel", words.cancel, () => this.cancel()), button("primary", "done", words.done, () => this.done())]
      : [button("primary", "edit", [icon("ui-edit"), words.edit], () => this.edit())];
    const focused = document.activeElement?.dataset?.do;
    this.bar.replaceChildren(title, counter, ...[locked, waiting].filter(Boolean), h("div.actions", {}, actions));
    if (focused) this.bar.querySelector(`[data-do="${focused}"]`)?.focus();
    this.hint.replaceChildren(...(this.draft ? [words.howToArrange, " ", h("span.keys", {}, words.howToArrangeByKeys)] : [words.howToStart]));
    this.favorites.setAttribute("aria-label", page.sections[0].title);
  }

  #makeCell(id) {
    return h("li.cell", { "data-id": id },
      h("button.face", { type: "button", onclick: () => this.#tapped(id) }),
      h("button.badge", { type: "button", onclick: () => this.#badged(id) }));
  }

  #fill(element, id, { label, badge, badgeLabel, pressed }) {
    const cell = this.cells.get(id) ?? { id, title: id };
    const [face, mark] = element.children;
    element.style.setProperty("--hue", cell.hue ?? 60);
    if (face.dataset.title !== cell.title) {
      face.replaceChildren(...nameplate(cell));
      face.dataset.title = cell.title;
    }
    face.setAttribute("aria-label", label);
    if (pressed === undefined) face.removeAttribute("aria-pressed");
    else face.setAttribute("aria-pressed", pressed);
    mark.hidden = !badge;
    mark.className = `badge ${badge}`;
    if (badge && mark.dataset.badge !== badge) mark.replaceChildren(icon(`ui-${badge === "full" ? "add" : badge}`));
    mark.dataset.badge = badge;
    mark.setAttribute("aria-label", badgeLabel ?? "");
  }

  #updateFavorite(element, id) {
    const slot = this.list.indexOf(id) + 1;
    const canRemove = !this.#whyNotRemove(id);
    element.classList.toggle("selected", !!this.draft && this.selected === id);
    element.classList.toggle("held", this.arranging.held === id);
    element.classList.toggle("fixed", !!this.draft && !!this.whyNotMove(id));
    this.#fill(element, id, {
      label: this.draft ? words.placeOf(this.title(id), slot, this.list.length) : this.title(id),
      badge: this.draft && canRemove ? "remove" : "", badgeLabel: words.remove(this.title(id)),
      pressed: this.draft ? String(this.arranging.held === id) : undefined,
    });
  }

  #renderShelves() {
    const isFull = this.list.length >= this.sync.page.limit;
    const sections = this.sync.page.sections.slice(1);
    for (const [id, shelf] of this.shelves) if (!sections.some((section) => section.id === id)) shelf.remove(), this.shelves.delete(id);
    sections.forEach((section, index) => {
      const shelf = this.shelves.get(section.id) ?? this.#makeShelf(section);
      shelf.querySelector("h2").textContent = section.title;
      reconcile(shelf.lastElementChild, section.cells.map((cell) => cell.id), (id) => this.#makeCell(id), (element, id) => {
        const isFavorite = this.list.includes(id);
        const badge = !this.draft ? "" : isFavorite ? "added" : this.isLocked ? "" : isFull ? "full" : "add";
        this.#fill(element, id, { label: this.title(id), badge, badgeLabel: isFavorite ? words.isFavorite(this.title(id)) : words.add(this.title(id)) });
      });
      if (this.page.children[index + 1] !== shelf) this.page.insertBefore(shelf, this.page.children[index + 1] ?? null);
    });
  }

  #makeShelf({ id }) {
    const list = h("ul.cells", {});
    const shelf = h("section.shelf", { "aria-labelledby": `section-${id}` }, h("h2", { id: `section-${id}` }), list);
    enableLongPress(list, this.#dragHost());
    list.addEventListener("keydown", (event) => this.arranging.walk(event, list));
    this.shelves.set(id, shelf);
    return shelf;
  }

  /** One stop of Tab a list, and its badge; the arrow keys go on from there. */
  #roving() {
    for (const list of this.page.querySelectorAll(".cells")) {
      const current = [...list.children].find((cell) => cell.contains(document.activeElement)) ?? list.querySelector(".current") ?? list.firstElementChild;
      for (const cell of list.children) {
        cell.classList.toggle("current", cell === current);
        for (const button of cell.children) button.tabIndex = cell === current ? 0 : -1;
      }
    }
  }

  focus(element) {
    if (!element) return;
    for (const other of element.parentElement.children) other.classList.remove("current");
    element.classList.add("current");
    this.#roving();
    element.firstElementChild.focus({ preventScroll: false });
  }

  #renderRail() { rail(this.aside, this); }

  // MARK: Why not

  /** The reason why the favorite `id` may not be moved, in words; undefined where it may. */
  whyNotMove(id) {
    if (this.isLocked) return words.locked;
    const cell = this.sync.page.sections[0].cells.find((cell) => cell.id === id);
    if (cell) return cell.canMove ? undefined : cell.refusal?.title ?? words.cannotMove(this.title(id));
    const rule = this.sync.catalog.functions.find((f) => f.id === id);
    return rule && (rule.movable === false || rule.pin !== undefined) ? words.cannotMove(this.title(id)) : undefined;
  }

  #whyNotRemove(id) {
    if (this.isLocked) return words.locked;
    const rule = this.sync.catalog.functions.find((f) => f.id === id);
    if (rule && (rule.removable === false || rule.required)) return words.cannotRemove(this.title(id));
    const { minimum } = this.sync.page;
    return this.list.length <= minimum ? words.minimum(minimum) : undefined;
  }

  #whyNotAdd() {
    if (this.isLocked) return words.locked;
    const { limit } = this.sync.page;
    return this.list.length >= limit ? words.full(limit) : undefined;
  }

  /** Shakes what was touched, and says why. */
  refuse(element, why) {
    shake(element);
    note(why);
  }

  // MARK: Edit mode

  edit(selected) {
    if (this.draft) return;
    this.draft = { base: this.sync.version, list: [...this.sync.list], operations: [], past: [] };
    this.selected = selected;
    this.render();
    say(words.editing);
    if (!selected) this.focus(this.favorites.firstElementChild);
  }

  /** One thing that its user did: a new list, and the operation that tells the server. */
  step(list, operation) {
    const { draft } = this;
    draft.past.push({ list: draft.list, operations: draft.operations });
    draft.list = list;
    draft.operations = [...draft.operations, operation];
    this.render();
  }

  move(id, slot) {
    if (this.list.indexOf(id) === slot) return this.render();
    this.step(moved(this.list, id, slot, this.sync.pins), { op: "move", id, at: { index: slot } });
    say(words.movedTo(this.title(id), this.list.indexOf(id) + 1, this.list.length));
  }

  add(id, element) {
    const why = this.#whyNotAdd();
    if (why) return this.refuse(element, why);
    this.step(added(this.list, id, this.sync.pins), { op: "add", id });
    say(words.addedAt(this.title(id), this.list.indexOf(id) + 1));
  }

  remove(id) {
    const why = this.#whyNotRemove(id);
    if (why) return this.refuse(this.cellOf(id), why);
    const slot = this.list.indexOf(id);
    if (this.selected === id) this.selected = undefined;
    this.step(removed(this.list, id, this.sync.pins), { op: "remove", id });
    if (!document.activeElement || document.activeElement === document.body) this.focus(this.favorites.children[Math.min(slot, this.list.length - 1)]);
    say(words.removed(this.title(id)));
  }

  undo() {
    const last = this.draft.past.pop();
    if (last) Object.assign(this.draft, last);
    this.render();
    say(words.undone);
  }

  cancel() {
    this.#leave();
    note(words.cancelled);
  }

  done() {
    const { base, operations, list } = this.draft;
    const isChanged = list.join() !== this.sync.list.join();
    this.#leave();
    if (isChanged) this.sync.commit(base, operations, list).then(() => this.sync.state !== "live" && this.sync.queue.length && note(words.keptForLater));
    else say(words.nothingChanged);
  }

  #leave() {
    const hadFocus = this.element.contains(document.activeElement);
    this.draft = this.selected = undefined;
    this.arranging.letGo();
    this.render();
    if (hadFocus) this.bar.querySelector("[data-do=edit]").focus();
  }

  // MARK: Touched

  #tapped(id) {
    const isFavorite = this.favorites.contains(document.activeElement) || this.list.includes(id);
    if (!this.draft) return this.#open(id);
    if (!isFavorite) return this.add(id, document.activeElement.closest("li"));
    this.selected = id;
    this.render();
    const why = this.whyNotMove(id);
    if (why) this.refuse(this.cellOf(id), why);
  }

  #badged(id) {
    if (this.list.includes(id)) {
      const inShelf = !this.favorites.contains(document.activeElement);
      if (inShelf) return say(words.isFavorite(this.title(id)));
      return this.remove(id);
    }
    this.add(id, document.activeElement.closest("li"));
  }

  #open(id) {
    const cell = this.cells.get(id);
    const face = h("span.cell.large", {}, nameplate(cell));
    face.style.setProperty("--hue", cell.hue ?? 60);
    ask(cell.title, h("div.opened", {}, face, h("p", {}, cell.link ? words.opensLink : words.opensNothing), cell.link && h("code", {}, cell.link)),
      [["", words.close, "primary"]]);
  }

  #dragHost() {
    return {
      isEditing: () => !!this.draft,
      order: () => this.list,
      pins: () => this.sync.pins,
      slotsFor: () => freeSlots(this.list, this.sync.pins),
      canLift: (id) => !!this.draft && !this.whyNotMove(id),
      longPressed: (id) => this.edit(this.list.includes(id) ? id : undefined),
      lifted: (id) => {
        navigator.vibrate?.(12);
        this.arranging.letGo();
        say(words.lifted(this.title(id), this.list.indexOf(id) + 1, this.list.length));
      },
      passed: (id, slot) => say(words.movedTo(this.title(id), slot + 1, this.list.length)),
      refused: (id, dragged) => {
        const why = this.whyNotMove(id) ?? words.cannotMove(this.title(id));
        if (dragged) shake(this.cellOf(id)?.firstElementChild);
        this.refuse(dragged ? undefined : this.cellOf(id), why);
      },
      dropped: (id, slot) => {
        this.selected = id;
        this.move(id, slot);
      },
      cancelled: () => {
        this.render();
        say(words.moveCancelled);
      },
    };
  }

  // MARK: What became of an edit

  #report({ layout, changed, rebasedFrom, outcomes, dropped }) {
    const merged = outcomes.filter(({ result }) => result === "skipped" || result === "anchor_substituted");
    const lines = [
      ...merged.map((outcome) => words.outcome(this.title(outcome.id ?? outcome.ids[0]), outcome.result, outcome.reason)),
      ...dropped.map(({ operation, problem }) => words.dropped(this.title(operation.id), problem.detail)),
    ];
    const wasMerged = rebasedFrom !== undefined && rebasedFrom < layout.version - 1;
    if (wasMerged || lines.length) this.merged = { from: rebasedFrom, version: layout.version, lines };
    else this.merged = undefined;
    this.render();
    if (!changed && !lines.length) return say(words.nothingChanged);
    const undo = changed && { title: words.undo, run: () => this.#revert(layout.version - 1) };
    note(wasMerged || lines.length ? words.savedMerged(layout.version) : words.saved(layout.version), undo);
  }

  async #revert(version) {
    try {
      await this.sync.revert(version);
      note(words.undone);
    } catch (error) {
      note(error.message);
    }
  }

  async #refused({ problem, list }) {
    const names = (ids) => h("ol.names", {}, ids.map((id) => h("li", {}, this.title(id))));
    const choice = await ask(words.refusedTitle, h("div.versus", {}, h("p", {}, problem.message),
      h("section", {}, h("h3", {}, words.yours), names(list)), h("section", {}, h("h3", {}, words.theirs), names(this.sync.favorites))),
    [["", words.decideLater], ["theirs", words.keepTheirs], ["mine", words.keepMine, "primary"]]);
    try {
      if (choice === "theirs") this.sync.discard();
      if (choice === "mine") await this.sync.overwrite(list);
    } catch (error) {
      note(error.message);
    }
  }

  async copyLast() {
    note((await copy(curl(telling()))) ? words.copied : words.notCopied);
  }
}
