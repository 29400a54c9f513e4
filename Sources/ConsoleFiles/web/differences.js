// What is different between two lists, or two catalogs, in as few words as possible.

/** `{added, removed, moved}`: ids with their slots. The fewest moves that make `after` of `before`. */
export function listDifference(before, after) {
  const added = after.filter((id) => !before.includes(id)).map((id) => ({ id, to: after.indexOf(id) }));
  const removed = before.filter((id) => !after.includes(id)).map((id) => ({ id, from: before.indexOf(id) }));
  const common = after.filter((id) => before.includes(id));
  const stays = longestRising(common.map((id) => before.indexOf(id)));
  const moved = common.filter((id) => !stays.has(before.indexOf(id))).map((id) => ({ id, from: before.indexOf(id), to: after.indexOf(id) }));
  return { added, removed, moved };
}

/** The members of a longest rising subsequence: what need not move. */
function longestRising(numbers) {
  const best = numbers.map(() => ({ length: 1, before: -1 }));
  let end = -1;
  numbers.forEach((number, i) => {
    for (let j = 0; j < i; j++) {
      if (numbers[j] < number && best[j].length >= best[i].length) best[i] = { length: best[j].length + 1, before: j };
    }
    if (end < 0 || best[i].length > best[end].length) end = i;
  });
  const members = new Set();
  for (; end >= 0; end = best[end].before) members.add(numbers[end]);
  return members;
}

/** One line each: `{kind: added | removed | changed, path, before?, after?}`; functions and sections go by their id. */
export function catalogDifference(before, after) {
  const lines = [];
  const compare = (path, a, b) => {
    if (JSON.stringify(a) === JSON.stringify(b)) return;
    if (a === undefined || b === undefined) lines.push({ kind: a === undefined ? "added" : "removed", path, before: a, after: b });
    else if (isObject(a) && isObject(b)) for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) compare(path ? `${path}.${key}` : key, a[key], b[key]);
    else lines.push({ kind: "changed", path, before: a, after: b });
  };
  compare("", keyed(before), keyed(after));
  return lines;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function keyed({ revision, sections = [], functions = [], ...rest }) {
  const byId = (items) => Object.fromEntries(items.map(({ id, ...item }) => [id, item]));
  return { ...rest, sections: byId(sections), functions: byId(functions) };
}
