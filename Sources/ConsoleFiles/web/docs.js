// The reference of the API, made from the server's own OpenAPI document, with a form to try each operation.
import { Unreachable, call, curl, headersFor, session } from "./api.js";
import { copy, h, note } from "./dom.js";

const METHODS = ["get", "put", "post", "delete"];
const content = document.getElementById("content");
let spec;

/** Follows `$ref`; the document refers to itself alone. */
function resolved(item) {
  while (item?.$ref) item = item.$ref.slice(2).split("/").reduce((part, key) => part[key.replaceAll("~1", "/").replaceAll("~0", "~")], spec);
  return item;
}

function operations() {
  return Object.entries(spec.paths).flatMap(([path, item]) => METHODS.filter((method) => item[method]).map((method) => ({
    path, method: method.toUpperCase(), ...item[method],
    parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])].map(resolved),
  })));
}

// MARK: Text

/** The little of Markdown that the document uses: paragraphs, lists, **strong** and `code`. */
function prose(text = "") {
  return text.split(/\n\n/).map((block) => block.startsWith("- ")
    ? h("ul", {}, block.split(/\n- |^- /).filter(Boolean).map((line) => h("li", {}, inline(line))))
    : h("p", {}, inline(block)));
}

const inline = (text) => text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) =>
  part.startsWith("`") ? h("code", {}, part.slice(1, -1)) : part.startsWith("**") ? h("strong", {}, part.slice(2, -2)) : part);

/** A schema in a few words. */
function shape(schema) {
  const name = schema?.$ref?.split("/").pop();
  const s = resolved(schema) ?? {};
  if (s.enum) return s.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (s.const !== undefined) return JSON.stringify(s.const);
  const choices = s.oneOf ?? s.anyOf;
  if (choices) return choices.map(shape).join(" | ");
  if (s.type === "array") return `[${shape(s.items)}]`;
  return s.type === "object" && name ? name : [s.type].flat().join(" | ") || name || "any";
}

function fields(schema) {
  const s = resolved(schema);
  const members = (s?.allOf ?? [s]).map(resolved).flatMap((part) => Object.entries(part?.properties ?? {}).map(([name, member]) =>
    ({ name, member, isRequired: part.required?.includes(name) })));
  if (!members.length) return undefined;
  return table(["Field", "Type", "Meaning"], members.map(({ name, member, isRequired }) =>
    [named(name, isRequired), h("code", {}, shape(member)), inline(member.description ?? resolved(member)?.description ?? "")]));
}

const named = (name, isRequired) => h("span.name", {}, h("code", {}, name), isRequired && h("span.muted", {}, " required"));

const table = (heads, rows) => h("table", {}, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
  h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell))))));

// MARK: One operation

function drawn(operation) {
  const { method, path, operationId, summary, description, parameters, requestBody, responses } = operation;
  const details = h("details.card.operation", { id: operationId },
    h("summary", {}, h(`span.method.${method}`, {}, method), h("code", {}, path), h("span", {}, summary)));
  // What nobody looks at is not drawn.
  details.addEventListener("toggle", () => details.children[1] || details.append(body()), { once: true });
  return details;

  function body() {
    const media = requestBody && Object.values(resolved(requestBody).content)[0];
    const codes = operation["x-problem-codes"] ?? [];
    const scopes = (operation.security ?? spec.security ?? []).flatMap((each) => Object.values(each).flat());
    return h("div.body", {}, prose(description), scopes.length > 0 && h("p.muted", {}, "Scope: ", scopes.map((scope) => h("code", {}, scope))),
      parameters.length > 0 && [h("h3", {}, "Parameters"), table(["Name", "In", "Type", "Meaning"], parameters.map((parameter) =>
        [named(parameter.name, parameter.required), parameter.in, h("code", {}, shape(parameter.schema)), inline(parameter.description ?? "")]))],
      media && [h("h3", {}, "Content"), fields(media.schema)],
      h("h3", {}, "Answers"), table(["Status", "Meaning"], Object.entries(responses).map(([status, response]) =>
        [h("code", {}, status), [inline(resolved(response).description ?? ""), ...Object.values(resolved(response).content ?? {}).slice(0, 1).map((each) => h("div.muted", {}, shape(each.schema)))]])),
      codes.length > 0 && h("details", {}, h("summary", {}, `${codes.length} problems`), h("p.codes", {}, codes.map((code) => h("a.chip", { href: `#${code}` }, code)))),
      tryIt(operation, media));
  }
}

// MARK: Trying

function tryIt({ method, path, parameters }, media) {
  const inputs = parameters.map((parameter) => {
    const schema = resolved(parameter.schema);
    const isFlag = schema?.type === "boolean";
    const example = parameter.example ?? schema?.example ?? "";
    const input = isFlag ? h("select", {}, ["", "true", "false"].map((value) => h("option", { value }, value))) : h("input", { value: parameter.required ? example : "", placeholder: example, spellcheck: "false" });
    return { parameter, input };
  });
  const example = media?.example ?? Object.values(media?.examples ?? {}).map((each) => resolved(each).value)[0];
  const body = media && h("textarea", { rows: 7, spellcheck: "false" });
  if (body) body.value = example === undefined ? "" : JSON.stringify(example, null, 2);
  const token = h("input", { value: session.token, autocomplete: "off", spellcheck: "false", onchange: () => (session.token = token.value.trim()) });
  const out = h("div.answer", { "aria-live": "polite" });
  const collected = (place) => Object.fromEntries(inputs.filter((each) => each.parameter.in === place && each.input.value).map((each) => [each.parameter.name, each.input.value]));

  /** The request as the form has it; throws for content that is no JSON. */
  function request() {
    const values = collected("path");
    return {
      target: path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? "")),
      query: collected("query"), headers: collected("header"), body: body?.value.trim() ? JSON.parse(body.value) : undefined,
    };
  }

  async function send(event) {
    event.preventDefault();
    out.replaceChildren();
    try {
      const { target, ...options } = request();
      const answer = path.endsWith("/events") ? await firstEvents(target, options) : await call(method, target, options);
      show(`${answer.status}`, answer.content, [...(answer.headers ?? [])].filter(([name]) => /^(etag|location|retry-after|link|content-language)$/.test(name)));
    } catch (error) {
      if (error.status) show(`${error.status}`, error.body, []);
      else out.replaceChildren(h("p.fault", {}, error instanceof Unreachable ? "The server can’t be reached." : `The content is no JSON: ${error.message}`));
    }
  }

  function show(status, answer, headers) {
    const text = typeof answer === "string" ? answer : JSON.stringify(answer, null, 2);
    out.replaceChildren(h("p", {}, h("strong", {}, status)), h("pre", { tabindex: "0" }, headers.map(([name, value]) => `${name}: ${value}\n`).join("") + (headers.length ? "\n" : "") + text));
  }

  async function copyCurl() {
    try {
      const { target, query, headers, body: json } = request();
      const entry = { method, url: target + (Object.keys(query).length ? `?${new URLSearchParams(query)}` : ""), body: json && JSON.stringify(json), headers: headersFor({ body: json, headers }) };
      note((await copy(curl(entry))) ? "Copied" : "The browser did not let this page copy.");
    } catch (error) {
      note(error.message);
    }
  }

  return h("form.try", { onsubmit: send }, h("h3", {}, "Try it"),
    h("div.fields", {}, inputs.map(({ parameter, input }) => h("label", {}, h("span", {}, parameter.name), input)), h("label", {}, h("span", {}, "Access token"), token)),
    body && h("label", {}, h("span", {}, "Content"), body),
    h("div.actions", {}, h("button.primary", {}, "Send"), h("button.quiet", { type: "button", onclick: copyCurl }, "Copy as curl")), out);
}

/** A stream has no end: its first event, and what comes within a second after it, show what it is like. */
async function firstEvents(target, { headers }) {
  const stop = new AbortController();
  const end = (milliseconds) => setTimeout(() => stop.abort(), milliseconds);
  end(30000);
  const answer = await fetch(target, { headers: headersFor({ headers }), signal: stop.signal });
  let text = "";
  try {
    for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
      if (!text.includes("data:") && (text + part).includes("data:")) end(1000);
      text += part;
    }
  } catch { /* the time is over */ }
  return { status: answer.status, headers: answer.headers, content: text };
}

// MARK: The page

function problems() {
  return Object.entries(spec["x-problem-codes"] ?? {}).map(([code, { title: name, statuses, meaning, cure }]) =>
    h("article.card.problem", { id: code, tabindex: "-1" }, h("h3", {}, h("code", {}, code), h("span.chip", {}, statuses.join(", ")), h("span.muted", {}, name)), h("p", {}, inline(meaning)), cure && h("p.muted", {}, inline(cure))));
}

/** Opens what the address names: an operation, or a problem's code, as `type` of a problem links to it. */
function follow() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  // `:target` does not see what was not there when the page was opened.
  document.querySelector(".here")?.classList.remove("here");
  target.classList.add("here");
  if (target instanceof HTMLDetailsElement) target.open = true;
  target.scrollIntoView();
}

async function draw() {
  spec = (await call("GET", "/openapi.json")).content;
  const all = operations();
  const tags = (spec.tags ?? [{ name: "Operations" }]).map((tag) => ({ ...tag, operations: all.filter(({ tags = ["Operations"] }) => tags.includes(tag.name)) })).filter((tag) => tag.operations.length);
  const anchor = (name) => `tag-${name.toLowerCase().replace(/\W+/g, "-")}`;
  document.getElementById("contents").replaceChildren(
    ...tags.map((tag) => h("div", {}, h("a", { href: `#${anchor(tag.name)}` }, tag.name),
      h("ul", {}, tag.operations.map(({ method, operationId, summary }) => h("li", {}, h("a", { href: `#${operationId}` }, h(`span.method.${method}`, {}, method), summary)))))),
    h("div", {}, h("a", { href: "#problems" }, "Problems")));
  content.replaceChildren(
    h("div.lead", {}, h("h1", {}, `${spec.info.title} API`), prose(spec.info.summary), prose(spec.info.description)),
    ...tags.map((tag) => h("section", { id: anchor(tag.name) }, h("h2", {}, tag.name), prose(tag.description), tag.operations.map(drawn))),
    h("section", { id: "problems" }, h("h2", {}, "Problems"), prose("Every error answer is a problem document (RFC 9457). Its `code` is one of these words; they are never renamed."), problems()));
  follow();
}

addEventListener("hashchange", follow);
try {
  await draw();
} catch (error) {
  content.replaceChildren(h("section.empty", {}, h("h1", {}, "The reference can’t be shown"), h("p", {}, error.message || "The server can’t be reached."), h("button.primary", { type: "button", onclick: () => location.reload() }, "Try again")));
}
