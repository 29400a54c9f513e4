// Plots as inline SVG. Each says in words what it shows, and has its figures in a table.
import { h, svg } from "./dom.js";
import { number, words } from "./words.js";

const WIDTH = 560, HEIGHT = 200, LEFT = 40, BOTTOM = 28, TOP = 12;

/** A round number not below `value`, so that the axis reads well. */
function roundUp(value) {
  const step = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((each) => each * step).find((each) => each >= value);
}

/**
 * Bars over a baseline, and under it where a row has `down`.
 *
 * @param rows `[{label, up, down?}]`
 * @param names of the columns, for the table: the label's, `up`'s and `down`'s
 */
export function bars(rows, { summary, names }) {
  const hasDown = rows.some((row) => row.down !== undefined);
  const most = roundUp(Math.max(1, ...rows.map((row) => row.up)));
  const least = hasDown ? roundUp(Math.max(1, ...rows.map((row) => row.down))) : 0;
  const height = HEIGHT - TOP - BOTTOM;
  const scale = height / (most + least);
  const zero = TOP + most * scale;
  const step = (WIDTH - LEFT) / rows.length;
  const every = Math.ceil(rows.length / 11);
  const rule = (y, label) => [svg("line", { x1: LEFT, x2: WIDTH, y1: y, y2: y, class: "rule" }), text(LEFT - 8, y + 4, label, "end")];
  const bar = (x, y, size, kind) => size > 0 && svg("rect", { x, y, width: Math.max(2, step * .72), height: size, rx: Math.min(3, step / 4), class: kind });
  const plot = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img", "aria-label": summary },
    ...rule(TOP, number(most)), ...rule(zero, "0"), ...(hasDown ? rule(TOP + height, number(least)) : []),
    ...rows.flatMap(({ label, up, down }, index) => {
      const x = LEFT + index * step + step * .14;
      return [bar(x, zero - up * scale, up * scale, "up"), down !== undefined && bar(x, zero, down * scale, "down"),
        index % every === 0 && text(x + step * .36, HEIGHT - 6, label, "middle")];
    }));
  const cells = (row) => [row.label, number(row.up), ...(hasDown ? [number(row.down)] : [])];
  return h("figure", {}, plot, h("details", {}, h("summary", {}, words.asTable),
    h("table", {}, h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, rows.map((row) => h("tr", {}, cells(row).map((cell) => h("td", {}, cell))))))));
}

function text(x, y, label, anchor) {
  const element = svg("text", { x, y, "text-anchor": anchor });
  element.textContent = label;
  return element;
}
