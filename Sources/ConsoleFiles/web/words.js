// The console's own words. Titles of functions and sections, and the reasons of refusals, come from the server.
import { session } from "./api.js";

export const languages = [["en", "English"], ["zh-Hans", "简体中文"], ["de", "Deutsch"]];

/** Sentences by name, in the language that is spoken: `words.saved`, or `words.place(3, 8)`. */
export const words = {};

/** The language that somebody chose here, else the first of the browser's that there is. */
export function preferred() {
  const known = (tag) => languages.find(([code]) => code.split("-")[0] === tag.split("-")[0].toLowerCase())?.[0];
  return localStorage.getItem("pegboard.language") ?? navigator.languages.map(known).find(Boolean) ?? "en";
}

export async function speak(language) {
  session.language = language;
  document.documentElement.lang = language;
  Object.assign(words, (await import(`./words.${language}.js`)).default);
}

/** How long ago, in words. */
export function ago(date) {
  const seconds = (new Date(date) - Date.now()) / 1000;
  const format = new Intl.RelativeTimeFormat(session.language, { numeric: "auto", style: "short" });
  for (const [unit, length] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (Math.abs(seconds) >= length) return format.format(Math.round(seconds / length), unit);
  }
  return format.format(Math.min(0, Math.round(seconds)), "second");
}

export const moment = (date) =>
  new Intl.DateTimeFormat(session.language, { dateStyle: "medium", timeStyle: "medium" }).format(new Date(date));

export const percent = (share) => new Intl.NumberFormat(session.language, { style: "percent", maximumFractionDigits: 1 }).format(share);

export const number = (value) => new Intl.NumberFormat(session.language, { maximumFractionDigits: 1 }).format(value);
