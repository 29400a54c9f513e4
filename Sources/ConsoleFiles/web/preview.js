// The draft through a user's eyes: their stored list, healed against it as the server would.
import { call, path, session } from "./api.js";
import { hueOf, nameplate } from "./cell.js";
import { h } from "./dom.js";
import { healed, isAvailable } from "./rules.js";
import { languages, words } from "./words.js";

export class Preview {
  #draft;

  constructor(user, draft) {
    this.#draft = draft;
    const redraw = () => this.draw();
    this.user = h("input", { id: "preview-user", value: user, autocomplete: "off", spellcheck: "false", onchange: () => this.load() });
    this.platform = h("select", { id: "preview-platform", onchange: redraw }, ["", "ios", "android", "web"].map((name) => h("option", { value: name }, name || words.anyPlatform)));
    this.version = h("input", { id: "preview-version", placeholder: "10.3", pattern: "[0-9]+(\\.[0-9]+){0,5}", oninput: redraw });
    this.language = h("select", { id: "preview-language", onchange: redraw }, languages.map(([code, name]) => h("option", { value: code, selected: code === session.language }, name)));
    this.phone = h("div.phone", { id: "phone", tabindex: "0", role: "group", "aria-label": words.preview });
    const labelled = (text, input) => h("label", {}, h("span", {}, text), input);
    this.element = h("section.card", {}, h("h2", {}, words.preview),
      h("div.preview-fields", {}, labelled(words.user, this.user), labelled(words.language, this.language), labelled(words.platform, this.platform), labelled(words.appVersion, this.version)), this.phone);
  }

  async load() {
    const { content } = await call("GET", path`/v1/users/${this.user.value.trim() || "alice"}`);
    this.stored = content.layout.favorites;
    this.draw();
  }

  draw() {
    const catalog = this.#draft();
    const language = this.language.value;
    try {
      const client = { user: this.user.value.trim(), platform: this.platform.value, appVersion: this.version.validity.valid ? this.version.value : "" };
      const functions = new Map(catalog.functions.map((f) => [f.id, f]));
      const title = (item) => item.title[language] ?? item.title[catalog.defaultLanguage ?? "en"] ?? item.id;
      const hues = new Map(catalog.sections.flatMap((section, index) => section.functions.map((id) => [id, hueOf(index)])));
      const grid = (ids) => h("ul.cells", {}, ids.map((id) => {
        const cell = h("li.cell", {}, h("span.face", {}, nameplate({ ...functions.get(id), title: title(functions.get(id)) })));
        cell.style.setProperty("--hue", hues.get(id) ?? 60);
        return cell;
      }));
      const favorites = healed(this.stored ?? null, catalog, client);
      const seen = (id) => functions.has(id) && isAvailable(functions.get(id), client);
      this.phone.lang = language;
      this.phone.replaceChildren(h("h3", {}, words.favorites, h("span.muted", {}, ` ${favorites.length} / ${catalog.policy.limit}`)), grid(favorites),
        ...catalog.sections.filter((section) => section.functions.some(seen)).flatMap((section) => [h("h3", {}, title(section)), grid(section.functions.filter(seen))]));
    } catch {
      // A draft on its way may lack anything; the verdict beside it says what.
      this.phone.replaceChildren(h("p.muted", {}, words.noPreview));
    }
  }
}
