// The console's frame: signing in, the address bar, the views.
import { Problem, Unreachable, session } from "./api.js";
import { ask, h, icon, loadIcons, note } from "./dom.js";
import { signIn, subject, tokenFromAddress } from "./signin.js";
import { languages, preferred, speak, words } from "./words.js";

/** A view is a module with `open(place)`, which returns `{element, close?}`; it is fetched when somebody goes there. */
const views = {
  editor: { icon: "ui-board", load: () => import("./view.editor.js") },
  support: { icon: "ui-history", load: () => import("./view.support.js") },
  catalog: { icon: "ui-catalog", load: () => import("./view.catalog.js") },
  statistics: { icon: "ui-chart", load: () => import("./view.statistics.js") },
  api: { icon: "ui-api", load: () => import("./view.api.js") },
};

const content = document.getElementById("content");
let shown;
let turn = 0;

/** `#/support/alice?…`: the view, the user it is about, and what else the view keeps in its address. */
function place() {
  const [address, query] = location.hash.slice(2).split("?");
  const [view, user] = address.split("/").map(decodeURIComponent);
  return { view: views[view] ? view : "editor", user: user || remembered(), query: new URLSearchParams(query) };
}

let lastUser = "alice";
const remembered = () => subject() ?? lastUser;

export const addressOf = (view, user = remembered(), query = {}) => {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  return `#/${view}/${encodeURIComponent(user)}${given && `?${given}`}`;
};

async function show() {
  const mine = ++turn;
  const where = place();
  lastUser = where.user;
  document.title = `${words[where.view]} · Pegboard`;
  drawFrame(where);
  try {
    const { open } = await views[where.view].load();
    const view = await open({ ...where, go: (query) => (location.hash = addressOf(where.view, where.user, query)) });
    if (mine !== turn) return view.close?.();
    shown?.close?.();
    shown = view;
    content.replaceChildren(view.element);
  } catch (error) {
    if (mine !== turn) return;
    shown?.close?.();
    shown = undefined;
    if (error.status === 401) return askForToken(session.token && words.notAccepted);
    content.replaceChildren(failure(error));
  }
}

function askForToken(fault) {
  content.replaceChildren(signIn(fault, (token) => ((session.token = token), show())));
}

/** An error in place of a view. */
function failure(error) {
  if (!(error instanceof Problem || error instanceof Unreachable)) console.error(error);
  const isForbidden = error.status === 403;
  const [title, how] = error instanceof Unreachable ? [words.unreachable, words.unreachableHow]
    : isForbidden ? [words.forbidden, words.forbiddenHow] : [words.failed, error.message];
  return h("section.empty", {}, icon(isForbidden ? "ui-lock" : "ui-offline"), h("h1", {}, title), h("p", {}, how),
    h("button.primary", { type: "button", onclick: isForbidden ? () => askForToken() : show }, isForbidden ? words.signIn : words.tryAgain));
}

function drawFrame({ view, user }) {
  document.querySelector(".skip").textContent = words.skip;
  const nav = document.getElementById("views");
  nav.setAttribute("aria-label", words.views);
  nav.replaceChildren(...Object.entries(views).map(([name, { icon: symbol }]) =>
    h("a", { href: addressOf(name, user), "aria-current": name === view && "page" }, icon(symbol), h("span", {}, words[name]))));
  const who = document.getElementById("who");
  const name = h("input", { id: "user", name: "user", value: user, "aria-label": words.user, autocomplete: "off", spellcheck: "false", maxlength: "128" });
  who.replaceChildren(
    h("form", { role: "search", onsubmit: (event) => (event.preventDefault(), name.value.trim() && (location.hash = addressOf(view, name.value.trim()))) },
      icon("ui-person"), name),
    h("button.quiet.square", { type: "button", "aria-label": words.theme, title: words.theme, onclick: settings }, icon("ui-settings")));
}

async function settings() {
  const language = h("select", { id: "language" }, languages.map(([code, title]) => h("option", { value: code, selected: code === session.language, lang: code }, title)));
  const theme = h("select", { id: "theme" }, Object.entries(words.themes).map(([code, title]) => h("option", { value: code, selected: code === (localStorage.getItem("pegboard.theme") ?? "auto") }, title)));
  const choice = await ask(words.theme, h("div.fields", {}, h("label", {}, h("span", {}, words.language), language), h("label", {}, h("span", {}, words.theme), theme)),
    [...(session.token ? [["out", words.signOut]] : []), ["", words.cancel], ["yes", words.apply, "primary"]]);
  if (choice === "out") {
    session.token = "";
    return show();
  }
  if (choice !== "yes") return;
  localStorage.setItem("pegboard.language", language.value);
  localStorage.setItem("pegboard.theme", theme.value);
  paint();
  await speak(language.value);
  show();
}

function paint() {
  const theme = localStorage.getItem("pegboard.theme") ?? "auto";
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

addEventListener("unhandledrejection", ({ reason }) => {
  if (!(reason instanceof Problem || reason instanceof Unreachable)) return;
  note(reason.message || words.unreachable);
});

// The address names a view here: what leads into the page must not change it.
document.querySelector(".skip").addEventListener("click", (event) => (event.preventDefault(), content.focus()));
paint();
session.token = tokenFromAddress();
await Promise.all([speak(preferred()), loadIcons()]);
addEventListener("hashchange", show);
show();
