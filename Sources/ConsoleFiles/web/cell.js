// How a function looks: its symbol on a tinted tile, or its first letter where the icons have none, and its title.
import { h, icon } from "./dom.js";

/** A section's tint, as an angle. Steps of the golden angle keep neighbours apart; it starts at cork. */
export const hueOf = (index) => Math.round(62 + index * 137.5) % 360;

export function nameplate({ title, icon: address = "" }) {
  const name = address.replace(/^.*\/|\.svg$/g, "");
  return [h("span.tile", { "aria-hidden": "true" }, icon(name) ?? [...title][0]), h("span.title", {}, softened(title))];
}

/**
 * Long words with soft hyphens, before the last consonant between two vowels: Kraft-fahr-zeug-zu-las-sung. Not every
 * browser has a dictionary for `hyphens: auto`, and a German title must not break before its last letter.
 */
function softened(title) {
  const syllable = /([aeiouyäöü][^aeiouyäöü\P{L}]*?)((?:sch|ch|ck|ph|qu|[^aeiouyäöü\P{L}])(?=[aeiouyäöü]))/giu;
  return title.replace(/\p{L}{12,}/gu, (word) => word.replace(syllable, "$1\u00AD$2"));
}
