// Small helpers over the DOM. Everything is built from nodes and text: no string ever becomes markup.

/**
 * An element: `h("button.primary", { onclick, "aria-label": "Save" }, icon("ui-add"), "Save")`. Functions become
 * listeners, `true` an empty attribute; `false` and undefined leave it out.
 */
export function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || value === null) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child || child === 0));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.filter(Boolean));
  return element;
}

/** A symbol of `icons.svg`; undefined where it has none of this name. */
export function icon(name) {
  if (!document.getElementById(`icon-${name}`)) return undefined;
  return svg("svg", { class: "icon", "aria-hidden": "true" }, svg("use", { href: `#icon-${name}` }));
}

export async function loadIcons() {
  const text = await (await fetch("/console/icons.svg")).text();
  const sprite = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  sprite.setAttribute("class", "sprite");
  document.body.append(document.importNode(sprite, true));
}

/** The one live region. A repeated sentence is said again. */
export function say(text) {
  const live = document.getElementById("live");
  live.textContent = "";
  requestAnimationFrame(() => (live.textContent = text));
}

/** A short note at the foot of the page, said aloud too; it goes after a while, or with its action. */
export function note(text, action) {
  say(text);
  const place = document.getElementById("notes");
  const close = () => element.remove();
  const element = h("div.note", {}, h("span", {}, text),
    action && h("button.quiet", { type: "button", onclick: () => (close(), action.run()) }, action.title));
  place.replaceChildren(element);
  setTimeout(close, 8000);
}

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Runs `change`, then lets every child of `lists` glide from where it was to where it is. Children are told by data-id. */
export function glide(lists, change) {
  const places = () => new Map(lists.flatMap((list) => [...list.children].map((e) => [e.dataset.id, e.getBoundingClientRect()])));
  const before = places();
  change();
  if (calm.matches) return;
  const after = places();
  for (const list of lists) {
    for (const element of list.children) {
      const [from, to] = [before.get(element.dataset.id), after.get(element.dataset.id)];
      if (!from) element.animate([{ opacity: 0, scale: 0.8 }, {}], { duration: 180, easing: "ease-out" });
      else if (from.x !== to.x || from.y !== to.y) {
        element.animate([{ translate: `${from.x - to.x}px ${from.y - to.y}px` }, {}], { duration: 220, easing: "cubic-bezier(.2,.8,.2,1)" });
      }
    }
  }
}

/** Makes `list` hold one child for each id, in order; children are kept, so focus and animations are. */
export function reconcile(list, ids, make, update) {
  const kept = new Map([...list.children].map((element) => [element.dataset.id, element]));
  let place = list.firstElementChild;
  for (const id of ids) {
    const element = kept.get(id) ?? make(id);
    kept.delete(id);
    if (element === place) place = place.nextElementSibling;
    else list.insertBefore(element, place);
    update(element, id);
  }
  for (const element of kept.values()) element.remove();
}

export function shake(element) {
  if (!element) return;
  if (!calm.matches) {
    element.animate({ translate: ["0", "-4px", "4px", "-3px", "2px", "0"] }, { duration: 320 });
  }
  navigator.vibrate?.([30, 40, 30]);
}

/** A modal sheet; resolves with the value of the button that closed it, "" for Escape. */
export function ask(title, content, buttons) {
  return new Promise((resolve) => {
    const dialog = h("dialog.sheet", { "aria-labelledby": "sheet-title", onclose: () => (dialog.remove(), resolve(dialog.returnValue)) },
      h("form", { method: "dialog" }, h("h2", { id: "sheet-title" }, title), content,
        h("div.actions", {}, buttons.map(([value, text, kind = "quiet"]) => h(`button.${kind}`, { value }, text)))));
    document.body.append(dialog);
    dialog.showModal();
  });
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
