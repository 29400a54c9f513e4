// Dragging cells with a finger, a pen or a mouse. Native Pointer Events: HTML's own drag and drop knows no touch.
import { moved, nearest } from "./rules.js";

const LONG_PRESS = 500;
/** In edit mode a finger rests this long before a cell lifts: a quick swipe scrolls. */
const TOUCH_REST = 220;
/** A pointer that went further than this, in pixels, before the time was up wanted something else. */
const SLOP = 8;
/** Near the border of the window, in pixels, the page scrolls along. */
const EDGE = 88;

/**
 * Lets the cells of `list` be dragged.
 *
 * @param list the `<ol>` whose children are the cells, in order, with `data-id`
 * @param host what it is about: `isEditing()`, `order()`, `pins()`, `slotsFor(id)`, `canLift(id)`;
 *   and what it is told: `longPressed(id)`, `lifted(id)`, `passed(id, slot)`, `refused(id)`, `dropped(id, slot)`, `cancelled(id)`
 */
export function enableDragging(list, host) {
  let drag;

  list.addEventListener("pointerdown", (event) => {
    const cell = event.target.closest("li");
    if (!cell || drag || event.button !== 0 || event.target.closest(".badge")) return;
    const press = new Press(event, cell, host, (point) => {
      drag = new Drag(list, cell, point, host, () => (drag = undefined));
    });
    press.begin();
  });
  // A scroll that the browser has begun cannot be taken back: while a cell is up it must not begin.
  list.addEventListener("touchmove", (event) => drag && event.preventDefault(), { passive: false });
  list.addEventListener("contextmenu", (event) => (drag || event.pointerType === "touch") && event.preventDefault());
  list.addEventListener("dragstart", (event) => event.preventDefault());
}

/** A long press on what cannot be dragged enters edit mode, too. */
export function enableLongPress(list, host) {
  list.addEventListener("pointerdown", (event) => {
    const cell = event.target.closest("li");
    if (cell && event.button === 0 && !host.isEditing()) new Press(event, cell, host).begin();
  });
  list.addEventListener("contextmenu", (event) => event.pointerType === "touch" && event.preventDefault());
}

/** From the moment a pointer goes down until it is clear what it wants. */
class Press {
  constructor(event, cell, host, lift) {
    Object.assign(this, { cell, host, lift, isMouse: event.pointerType === "mouse" });
    this.point = { id: event.pointerId, x: event.clientX, y: event.clientY };
    this.stop = new AbortController();
  }

  begin() {
    const { signal } = this.stop;
    const wait = this.host.isEditing() ? (this.isMouse ? undefined : TOUCH_REST) : LONG_PRESS;
    const timer = wait && setTimeout(() => this.#ripe(), wait);
    signal.addEventListener("abort", () => clearTimeout(timer));
    addEventListener("pointermove", (event) => this.#moved(event), { signal });
    addEventListener("pointerup", () => this.stop.abort(), { signal });
    addEventListener("pointercancel", () => this.stop.abort(), { signal });
  }

  #moved(event) {
    if (Math.hypot(event.clientX - this.point.x, event.clientY - this.point.y) < SLOP) return;
    if (this.isMouse && this.host.isEditing()) this.#ripe();
    else this.stop.abort();
  }

  #ripe() {
    this.stop.abort();
    // The click that would follow belongs to the press.
    const swallow = (event) => (event.preventDefault(), event.stopPropagation());
    addEventListener("click", swallow, { capture: true, once: true });
    addEventListener("pointerdown", () => removeEventListener("click", swallow, true), { capture: true, once: true });
    const { id } = this.cell.dataset;
    if (!this.host.isEditing()) this.host.longPressed(id);
    if (!this.lift) return;
    if (this.host.canLift(id)) this.lift(this.point);
    else this.host.refused(id);
  }
}

/** A cell in the air. The others make room by transforms alone: the document changes when it comes down. */
class Drag {
  constructor(list, cell, point, host, ended) {
    Object.assign(this, { list, cell, host, ended, id: cell.dataset.id, pointer: point });
    this.cells = [...list.children];
    this.home = this.cells.map((each) => each.dataset.id);
    this.order = this.home;
    this.slots = host.slotsFor(this.id);
    this.places = this.cells.map((each) => ({ x: each.offsetLeft, y: each.offsetTop, width: each.offsetWidth, height: each.offsetHeight }));
    this.start = this.#inList(point);
    this.slot = this.home.indexOf(this.id);
    this.stop = new AbortController();
    const { signal } = this.stop;
    try { list.setPointerCapture(point.id); } catch { /* the pointer is gone already; its end follows */ }
    list.classList.add("dragging");
    cell.classList.add("lifted");
    addEventListener("pointermove", (event) => event.pointerId === point.id && this.#moved(event), { signal });
    addEventListener("pointerup", (event) => event.pointerId === point.id && this.#drop(), { signal });
    addEventListener("pointercancel", () => this.#cancel(), { signal });
    addEventListener("keydown", (event) => event.key === "Escape" && (event.preventDefault(), event.stopPropagation(), this.#cancel()), { signal, capture: true });
    addEventListener("scroll", () => this.#follow(), { signal, passive: true });
    host.lifted(this.id);
    this.#follow();
    this.#scroll();
  }

  #inList({ x, y }) {
    const { left, top } = this.list.getBoundingClientRect();
    return { x: x - left, y: y - top };
  }

  #moved({ clientX, clientY }) {
    Object.assign(this.pointer, { x: clientX, y: clientY });
    this.#follow();
  }

  #follow() {
    const at = this.#inList(this.pointer);
    this.cell.style.transform = `translate(${at.x - this.start.x}px, ${at.y - this.start.y}px) scale(1.1)`;
    const proposed = this.#slotAt(at);
    if (proposed === this.proposed) return;
    this.proposed = proposed;
    if (!this.slots.includes(proposed)) this.host.refused(this.home[proposed], this.id);
    this.#makeRoom(nearest(this.slots, proposed));
  }

  /** The slot whose middle is nearest to the pointer. */
  #slotAt({ x, y }) {
    const distance = (p) => Math.hypot(p.x + p.width / 2 - x, p.y + p.height / 2 - y);
    return this.places.reduce((best, place, slot) => (distance(place) < distance(this.places[best]) ? slot : best), 0);
  }

  #makeRoom(slot) {
    if (slot === this.slot) return;
    this.slot = slot;
    this.order = moved(this.home, this.id, slot, this.host.pins());
    this.cells.forEach((each, from) => {
      if (each === this.cell) return;
      const to = this.order.indexOf(each.dataset.id);
      const [a, b] = [this.places[from], this.places[to]];
      each.style.transform = from === to ? "" : `translate(${b.x - a.x}px, ${b.y - a.y}px)`;
    });
    navigator.vibrate?.(5);
    this.host.passed(this.id, slot);
  }

  #scroll() {
    if (this.stop.signal.aborted) return;
    const { y } = this.pointer;
    const past = y < EDGE ? y - EDGE : y > innerHeight - EDGE ? y - innerHeight + EDGE : 0;
    if (past) scrollBy(0, Math.sign(past) * Math.min(18, 2 + Math.abs(past) / 5));
    requestAnimationFrame(() => this.#scroll());
  }

  #end(tell) {
    this.stop.abort();
    this.ended();
    this.list.classList.remove("dragging");
    // First told, then put down: where each cell is now is where it glides from.
    tell();
    this.cell.classList.remove("lifted");
  }

  /** Takes the transforms off; called by whoever redraws the list, between measuring and changing it. */
  static settle(list) { for (const each of list.children) each.style.transform = ""; }

  #drop() { this.#end(() => this.host.dropped(this.id, this.slot)); }
  #cancel() { this.#end(() => this.host.cancelled(this.id)); }
}

export const { settle: settleCells } = Drag;
