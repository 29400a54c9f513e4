// Forms over the catalog's draft. Each field writes its member at once, and leaves out what is at its default.
import { languages, words } from "./words.js";
import { h } from "./dom.js";

/** A field that the view can find by its pointer, to say what is wrong with it. */
const field = (pointer, text, input) => h("label.field", { "data-pointer": pointer }, h("span", {}, text), input);

const text = (value, set, attributes = {}) => h("input", { value: value ?? "", ...attributes, oninput: (event) => set(event.target.value) });

const choice = (value, options, set) => h("select", { onchange: (event) => set(event.target.value) },
  options.map(([name, title]) => h("option", { value: name, selected: name === value }, title)));

const toggle = (pointer, title, isOn, set) => h("label.switch", { "data-pointer": pointer }, h("input", { type: "checkbox", role: "switch", checked: isOn, onchange: (event) => set(event.target.checked) }), title);

/** What a number field says: undefined for nothing, and the text itself for what is no number, so that the server can object. */
const figure = (value) => (value.trim() === "" ? undefined : Number.isNaN(Number(value)) ? value : Number(value));

const listed = (value) => value.split(/[\s,]+/).filter(Boolean);

/** Sets `name`, or takes it out where it is at its default. */
function put(target, name, value, usual) {
  if (value === usual || value === undefined) delete target[name];
  else target[name] = value;
}

export function functionForm(draft, index, edited) {
  const f = draft.functions[index];
  const at = `/functions/${index}`;
  const set = (name, usual) => (value) => (put(f, name, value, usual), edited());
  const setAvailability = (name, usual) => (value) => {
    const availability = { ...f.availability };
    put(availability, name, value, usual);
    put(f, "availability", Object.keys(availability).length ? availability : undefined);
    edited();
  };
  const setVersion = (name, platform) => (value) => {
    const versions = { ...f.availability?.[name] };
    put(versions, platform, value || undefined);
    setAvailability(name)(Object.keys(versions).length ? versions : undefined);
  };
  const setTitle = (language) => (value) => (put(f.title, language, value || undefined), edited());
  const isDefault = draft.defaults.includes(f.id);
  return [
    h("h2", {}, f.title.en ?? f.id), h("p.muted.mono", {}, f.id),
    h("fieldset", {}, h("legend", {}, words.titles), languages.map(([code, name]) => field(`${at}/title/${code}`, name, text(f.title[code], setTitle(code), { lang: code })))),
    h("fieldset", {}, h("legend", {}, words.rules),
      toggle(`${at}/movable`, words.movable, f.movable ?? true, (value) => set("movable", true)(value)),
      toggle(`${at}/removable`, words.removable, f.removable ?? true, (value) => set("removable", true)(value)),
      toggle(`${at}/required`, words.required, f.required ?? false, (value) => set("required", false)(value)),
      toggle("", words.isDefault, isDefault, (value) => ((draft.defaults = value ? [...draft.defaults, f.id] : draft.defaults.filter((id) => id !== f.id)), edited())),
      field(`${at}/pin`, words.pinSlot, text(f.pin, (value) => set("pin")(figure(value)), { inputmode: "numeric" })),
      field(`${at}/status`, words.status, choice(f.status ?? "active", [["active", words.active], ["retired", words.retired]], set("status", "active")))),
    h("fieldset", {}, h("legend", {}, words.availability),
      field(`${at}/availability/platforms`, words.platforms, text(f.availability?.platforms?.join(", "), (value) => setAvailability("platforms")(listed(value).length ? listed(value) : undefined), { placeholder: "ios, android, web" })),
      field(`${at}/availability/rollout`, words.rollout, text(f.availability?.rollout ?? 100, (value) => setAvailability("rollout", 100)(figure(value)), { inputmode: "numeric" })),
      ["ios", "android"].map((platform) => [
        field(`${at}/availability/minimumVersion/${platform}`, words.since(platform), text(f.availability?.minimumVersion?.[platform], setVersion("minimumVersion", platform))),
        field(`${at}/availability/maximumVersion/${platform}`, words.until(platform), text(f.availability?.maximumVersion?.[platform], setVersion("maximumVersion", platform)))])),
    h("fieldset", {}, h("legend", {}, words.destination),
      field(`${at}/link`, words.link, text(f.link, (value) => set("link")(value || undefined))), field(`${at}/icon`, words.iconPath, text(f.icon, (value) => set("icon")(value || undefined)))),
  ];
}

export function policyForm(draft, edited) {
  const set = (name) => (value) => ((draft.policy[name] = figure(value)), edited());
  return [
    h("h2", {}, words.policy), h("p.muted", {}, words.policyHow),
    h("fieldset", {}, field("/policy/limit", words.limit, text(draft.policy.limit, set("limit"), { id: "limit", inputmode: "numeric" })),
      field("/policy/minimum", words.minimumOf, text(draft.policy.minimum, set("minimum"), { inputmode: "numeric" }))),
    field("/defaults", words.defaults, text(draft.defaults.join(", "), (value) => ((draft.defaults = listed(value)), edited()))),
  ];
}
