// Arranging without dragging: the keyboard, and buttons for a pointer that only taps (WCAG 2.2, 2.5.7).
import { h, icon, say } from "./dom.js";
import { freeSlots, moved } from "./rules.js";
import { words } from "./words.js";

export class Arranging {
  /** The favorite that the keyboard holds, and where it came from. */
  held;
  #before;

  constructor(editor) {
    this.editor = editor;
    const list = editor.favorites;
    list.addEventListener("keydown", (event) => this.#pressed(event));
    // A button would take the release of Space for a click.
    list.addEventListener("keyup", (event) => event.key === " " && editor.draft && event.preventDefault());
    list.addEventListener("focusout", (event) => this.held && !list.contains(event.relatedTarget) && event.relatedTarget && this.#drop());
  }

  #pressed(event) {
    const { editor } = this;
    const cell = event.target.closest("li");
    const { id } = cell.dataset;
    if (!editor.draft || event.target.matches(".badge")) return this.walk(event, editor.favorites);
    if (event.key === " ") {
      event.preventDefault();
      if (this.held) this.#drop();
      else this.#lift(id, cell);
    } else if (event.key === "Escape" && this.held) {
      event.preventDefault();
      this.#cancel();
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      if (!this.held) editor.remove(id);
    } else if (this.held) {
      const slot = neighbour(event.key, editor.favorites, editor.list.indexOf(id));
      if (slot === undefined) return;
      event.preventDefault();
      this.#carry(id, slot);
    } else {
      this.walk(event, editor.favorites);
    }
  }

  #lift(id, cell) {
    const { editor } = this;
    const why = editor.whyNotMove(id);
    if (why) return editor.refuse(cell, why);
    this.held = editor.selected = id;
    this.#before = editor.list;
    editor.render();
    say(words.lifted(editor.title(id), editor.list.indexOf(id) + 1, editor.list.length));
  }

  /** Only shown so far: the step is made when it is put down. */
  #carry(id, wanted) {
    const { editor } = this;
    const from = editor.list.indexOf(id);
    const slot = towards(freeSlots(editor.list, editor.sync.pins), from, wanted);
    if (slot === undefined) return editor.refuse(editor.favorites.children[wanted], editor.whyNotMove(editor.list[wanted]));
    editor.draft.list = moved(editor.list, id, slot, editor.sync.pins);
    editor.render();
    editor.focus(editor.cellOf(id));
    say(words.movedTo(editor.title(id), slot + 1, editor.list.length));
  }

  #drop() {
    const { editor, held } = this;
    const slot = editor.list.indexOf(held);
    editor.draft.list = this.#before;
    this.held = undefined;
    if (this.#before.indexOf(held) !== slot) editor.move(held, slot);
    else editor.render();
    say(words.droppedAt(editor.title(held), slot + 1, editor.list.length));
  }

  #cancel() {
    const { editor, held } = this;
    editor.draft.list = this.#before;
    this.held = undefined;
    editor.render();
    editor.focus(editor.cellOf(held));
    say(words.moveCancelled);
  }

  /** The hold ends without a word; what was carried stays undone. */
  letGo() {
    if (this.held && this.editor.draft) this.editor.draft.list = this.#before;
    this.held = undefined;
  }

  /** Arrow keys, Home and End go from cell to cell. */
  walk(event, list) {
    const cells = [...list.children];
    const slot = neighbour(event.key, list, cells.indexOf(event.target.closest("li")));
    if (slot === undefined) return;
    event.preventDefault();
    this.editor.focus(cells[slot]);
  }

  /** The move buttons for the favorite that was chosen. */
  render() {
    const { editor } = this;
    const { tools, selected, list } = editor;
    tools.hidden = !editor.draft;
    if (!editor.draft) return;
    const slot = list.indexOf(selected);
    if (slot < 0) return tools.replaceChildren(h("span.muted", {}, words.chooseOne));
    const slots = freeSlots(list, editor.sync.pins);
    const fixed = !!editor.whyNotMove(selected);
    const button = (name, text, to) => h("button.quiet.square", {
      type: "button", "data-do": name, "aria-label": `${text}: ${editor.title(selected)}`, title: text,
      disabled: fixed || to === undefined, onclick: () => editor.move(selected, to),
    }, icon(`ui-${name}`));
    const focused = tools.contains(document.activeElement) && document.activeElement.dataset.do;
    tools.replaceChildren(
      h("span.what", {}, h("strong", {}, editor.title(selected)), h("span.muted", {}, words.place(slot + 1, list.length))),
      h("span.buttons", {}, button("earlier", words.earlier, slots.findLast((each) => each < slot)), button("later", words.later, slots.find((each) => each > slot))));
    if (focused) (tools.querySelector(`[data-do=${focused}]:enabled`) ?? tools.querySelector("button:enabled"))?.focus();
  }
}

/** The first allowed slot from `wanted` on, away from `from`. */
function towards(slots, from, wanted) {
  return wanted > from ? slots.find((slot) => slot >= wanted) : slots.findLast((slot) => slot <= wanted);
}

/** The cell to which a key leads from the one at `index`; undefined where it is no key for that, or the edge. */
function neighbour(key, list, index) {
  const cells = [...list.children];
  const columns = cells.findIndex((cell) => cell.offsetTop > cells[0].offsetTop);
  const row = columns < 0 ? cells.length : columns;
  const to = { ArrowLeft: index - 1, ArrowRight: index + 1, ArrowUp: index - row, ArrowDown: index + row, Home: 0, End: cells.length - 1 }[key];
  return to === undefined || to === index || to < 0 || to >= cells.length ? undefined : to;
}
