// The rules as far as a page needs them to answer a finger at once. The server has the last word; these foresee it.

/** The functions of `catalog` that stand at a slot of their own, lowest first: `[{id, slot}]`. */
export const pinsOf = (catalog) =>
  catalog.functions.filter((f) => f.pin !== undefined).map((f) => ({ id: f.id, slot: f.pin })).sort((a, b) => a.slot - b.slot);

const pinned = (list, pins) => pins.filter((pin) => list.includes(pin.id));

/** Pinned items at their slots, or at the end of a shorter list; everything else flows around them. */
export function settle(list, pins) {
  const fixed = pinned(list, pins);
  const settled = list.filter((id) => !fixed.some((pin) => pin.id === id));
  for (const pin of fixed) settled.splice(Math.min(pin.slot, settled.length), 0, pin.id);
  return settled;
}

/** The slots at which a favorite that may be moved can be put down. */
export function freeSlots(list, pins) {
  const fixed = new Set(pinned(list, pins).map((pin) => list.indexOf(pin.id)));
  return list.map((_, slot) => slot).filter((slot) => !fixed.has(slot));
}

/** `list` with `id` at `slot`, which is one of `freeSlots`. */
export function moved(list, id, slot, pins) {
  const fixed = pinned(list, pins);
  const free = list.filter((other) => other !== id && !fixed.some((pin) => pin.id === other));
  free.splice(freeSlots(list, pins).indexOf(slot), 0, id);
  return settle([...free, ...fixed.map((pin) => pin.id)], pins);
}

export const added = (list, id, pins) => settle([...list, id], pins);

export const removed = (list, id, pins) => settle(list.filter((other) => other !== id), pins);

/** The allowed slot nearest to the one that was proposed: what `…/targets` calls `corrected`. */
export const nearest = (slots, proposed) =>
  slots.reduce((best, slot) => (Math.abs(slot - proposed) < Math.abs(best - proposed) ? slot : best), slots[0]);

// MARK: The catalog for one client

/** What a client with this user, platform and version would see of a stored list (null: the defaults). */
export function healed(stored, catalog, client) {
  const functions = new Map(catalog.functions.map((f) => [f.id, f]));
  const sees = (id) => functions.has(id) && isAvailable(functions.get(id), client);
  const list = (stored ?? catalog.defaults).filter(sees);
  for (const f of catalog.functions) if (f.required && sees(f.id) && !list.includes(f.id)) list.push(f.id);
  return settle(list, pinsOf(catalog));
}

/** Why a function is hidden from a client: `retired`, `platform`, `version`, `rollout`; undefined where it is not. */
export function hiddenBy(f, client) {
  if (f.status === "retired") return "retired";
  const { platforms, minimumVersion = {}, maximumVersion = {}, rollout = 100 } = f.availability ?? {};
  const { platform, appVersion } = client;
  if (platform) {
    if (platforms && !platforms.includes(platform)) return "platform";
    if (appVersion) {
      if (minimumVersion[platform] && compared(appVersion, minimumVersion[platform]) < 0) return "version";
      if (maximumVersion[platform] && compared(appVersion, maximumVersion[platform]) > 0) return "version";
    }
  }
  return rollout < 100 && bucket(f.id, client.user) >= rollout ? "rollout" : undefined;
}

export const isAvailable = (f, client) => !hiddenBy(f, client);

/** Versions go number by number: 10.10 is newer than 10.9. */
export function compared(a, b) {
  const [left, right] = [a, b].map((text) => text.split(".").map(Number));
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference) return difference;
  }
  return 0;
}

/** A user's place, 0–99, in a function's roll-out: FNV-1a and MurmurHash3's finalizer, as the server has it. */
export function bucket(id, user) {
  const mask = (1n << 64n) - 1n;
  let hash = 0xcbf29ce484222325n;
  for (const octet of new TextEncoder().encode(`${id}\0${user}`)) hash = ((hash ^ BigInt(octet)) * 0x100000001b3n) & mask;
  hash = ((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn) & mask;
  hash = ((hash ^ (hash >> 33n)) * 0xc4ceb9fe1a85ec53n) & mask;
  return Number((hash ^ (hash >> 33n)) % 100n);
}
