// "Why is this item here and not there?", answered from the same rules that put it there.
import { hiddenBy, pinsOf } from "./rules.js";
import { words } from "./words.js";

/**
 * Sentences, the deciding one first.
 *
 * @param about `user`, `page`, `record` (the stored layout and its history), `catalog`, `targets` and `title`
 */
export function explain(id, { user, page, record, catalog, targets, title }) {
  const rule = catalog.functions.find((f) => f.id === id);
  const list = page.sections[0].cells.map((cell) => cell.id);
  const slot = list.indexOf(id);
  const stored = record.layout.favorites;
  return (slot < 0 ? absent() : present()).filter(Boolean);

  function absent() {
    const hidden = hiddenBy(rule, { user });
    const isKept = stored?.includes(id);
    return [
      hidden ? words.why.hidden[hidden](title, rule) : words.why.notChosen(title, stored ? words.why.theirList : words.why.theDefaults),
      !hidden && rule.availability?.platforms && words.why.platforms(rule.availability.platforms.join(", ")),
      isKept && words.why.keepsItsPlace(stored.indexOf(id) + 1),
      !hidden && stored && lastSeen(),
      !hidden && list.length >= page.limit && words.full(page.limit),
    ];
  }

  /** The newest version of the history that had it: who took it out is the one after. */
  function lastSeen() {
    const revisions = record.revisions;
    const index = revisions.findIndex((revision) => (revision.favorites ?? catalog.defaults).includes(id));
    return index > 0 && words.why.removedIn(revisions[index - 1].version, words.by(revisions[index - 1].actor, revisions[index - 1].origin));
  }

  function present() {
    const pins = pinsOf(catalog).filter((pin) => list.indexOf(pin.id) < slot && list.includes(pin.id));
    const isAppended = rule.required && stored && !stored.includes(id);
    return [
      rule.pin !== undefined ? (slot === rule.pin ? words.why.pinned(title, rule.pin + 1) : words.why.pinnedShort(title, rule.pin + 1, slot + 1))
        : isAppended ? words.why.appended(title)
          : stored ? words.why.placed(title, slot + 1, stored.indexOf(id) + 1) : words.why.byDefault(title, slot + 1),
      rule.pin === undefined && pins.length > 0 && words.why.flowsAround(pins.map((pin) => pin.slot + 1).join(", ")),
      rule.required && words.why.required, rule.removable === false && words.cannotRemove(title),
      targets.canMove ? words.why.mayStand(targets.slots.map((each) => each + 1).join(", ")) : page.locked ? words.locked : words.cannotMove(title),
    ];
  }
}
