// Statistics: how many have a function among their favorites, at which slot, and who came and went, day by day.
import { call, session } from "./api.js";
import { hueOf, nameplate } from "./cell.js";
import { bars } from "./charts.js";
import { h } from "./dom.js";
import { moment, number, percent, words } from "./words.js";

export async function open({ query }) {
  const [statistics, catalog] = await Promise.all([call("GET", "/v1/admin/statistics"), call("GET", "/v1/catalog")]);
  return { element: draw(statistics.content, catalog.content, query.get("function")) };
}

function draw(statistics, catalog, wanted) {
  const sections = new Map(catalog.sections.flatMap((section, index) => section.functions.map((id) => [id, hueOf(index)])));
  const about = new Map(catalog.functions.map((f) => [f.id, { ...f, title: f.title[session.language] ?? f.title.en ?? f.id, hue: sections.get(f.id) ?? 60 }]));
  const rows = statistics.functions.toSorted((a, b) => b.favorites - a.favorites || a.id.localeCompare(b.id));
  const detail = h("section.card.detail", { id: "detail", "aria-live": "polite" });
  const list = h("ol.plain.ranking", { id: "ranking" });
  const choose = (row) => {
    detail.replaceChildren(...details(row, about.get(row.id), statistics));
    for (const button of list.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.id === row.id));
  };
  list.append(...rows.map((row) => {
    const cell = about.get(row.id) ?? { title: row.id, hue: 60 };
    const share = h("span.share");
    share.style.setProperty("--share", row.share);
    const button = h("button.rank", { type: "button", "data-id": row.id, onclick: () => choose(row) }, nameplate(cell), share, h("span.value", {}, percent(row.share)));
    button.style.setProperty("--hue", cell.hue);
    return h("li", {}, button);
  }));
  if (rows.length) choose(rows.find((row) => row.id === wanted) ?? rows[0]);
  const tile = (value, text) => h("div.card.tile-figure", {}, h("strong.figure", {}, value), h("span.muted", {}, text));
  return h("div.statistics", {},
    h("header.person-head", {}, h("div", {}, h("h1", {}, words.statistics), h("p.muted", {}, words.computedAt(moment(statistics.computedAt), statistics.catalogRevision)))),
    h("div.figures", {}, tile(number(statistics.users), words.users), tile(percent(statistics.customizedShare), words.customizedShare), tile(number(statistics.locked), words.lockedUsers), tile(number(rows.length), words.functions)),
    h("section.card", {}, h("h2", {}, words.adoption), list), detail);
}

function details(row, cell, statistics) {
  const title = cell?.title ?? row.id;
  const slots = row.slots.map((count, slot) => ({ label: String(slot + 1), up: count }));
  const counts = (days) => new Map(days.map(({ day, count }) => [day, count]));
  const [added, removed] = [counts(row.added), counts(row.removed)];
  const days = [...new Set([...added.keys(), ...removed.keys()])].sort();
  const short = new Intl.DateTimeFormat(session.language, { day: "numeric", month: "numeric", timeZone: "UTC" });
  const perDay = days.map((day) => ({ label: short.format(new Date(day)), up: added.get(day) ?? 0, down: removed.get(day) ?? 0 }));
  const hasDays = perDay.some(({ up, down }) => up || down);
  const sum = (days) => days.reduce((total, { count }) => total + count, 0);
  const place = (slot) => (slot === null || slot === undefined ? "–" : number(slot + 1));
  return [h("h2", {}, title), h("p", {}, words.hasIt(number(row.favorites), number(statistics.users)), " ", words.places(place(row.meanSlot), place(row.medianSlot))),
    h("h3", {}, words.slotsTitle), slots.some((slot) => slot.up) ? bars(slots, { summary: words.slotsSummary(title, place(row.medianSlot)), names: [words.placeName, words.users] }) : h("p.muted", {}, words.noFigures),
    h("h3", {}, words.daysTitle), hasDays ? bars(perDay, { summary: words.daysSummary(title, number(sum(row.added)), number(sum(row.removed))), names: [words.day, words.addedName, words.removedName] }) : h("p.muted", {}, words.noFigures),
    hasDays ? h("p.legend.muted", {}, h("span.up", {}, words.addedName), h("span.down", {}, words.removedName)) : ""];
}
