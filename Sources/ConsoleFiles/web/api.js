// The one place that talks to the server: the token, the log of requests that the API view shows, and problems.

export const session = {
  /** In memory alone: gone with the page. */
  token: "",
  language: "en",
  /** How this window names itself in histories and events. */
  client: `console/${crypto.randomUUID().slice(0, 6)}`,
  offline: false,
};

/** What the server refused: its problem document (RFC 9457). */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? `HTTP ${status}`);
    Object.assign(this, { status, body, code: body.code ?? "" });
  }
}

/** No answer came: the network is away, or the page was told to play offline. */
export class Unreachable extends Error {}

/** Every request of this window, newest first, for the API view. */
export const requests = new (class extends EventTarget {
  entries = [];
  add(entry) {
    this.entries.unshift(entry);
    this.entries.length = Math.min(this.entries.length, 60);
    this.dispatchEvent(new Event("change"));
  }
})();

export const path = (strings, ...values) =>
  strings.reduce((text, part, i) => text + encodeURIComponent(values[i - 1]) + part);

/** `query` members that are empty are left out. */
export function withQuery(target, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  return given.length ? `${target}?${new URLSearchParams(given)}` : target;
}

export function headersFor({ body, headers = {} }) {
  return {
    ...(session.token && { Authorization: `Bearer ${session.token}` }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
    "Accept-Language": session.language,
    "Pegboard-Client": session.client,
    ...headers,
  };
}

/** @returns `{status, content, etag, headers}` @throws Problem, Unreachable */
export async function call(method, target, options = {}) {
  const url = withQuery(target, options.query);
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const entry = { method, url, body, headers: headersFor(options), at: new Date(), started: performance.now() };
  if (session.offline) throw new Unreachable();
  let answer;
  try {
    answer = await fetch(url, { method, body, headers: entry.headers, signal: options.signal });
    entry.text = await answer.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    requests.add({ ...entry, status: 0, milliseconds: performance.now() - entry.started, text: "" });
    throw new Unreachable();
  }
  entry.status = answer.status;
  entry.milliseconds = performance.now() - entry.started;
  requests.add(entry);
  const isJSON = /json\b/.test(answer.headers.get("Content-Type") ?? "");
  const content = isJSON && entry.text ? JSON.parse(entry.text) : entry.text;
  if (!answer.ok) throw new Problem(answer.status, isJSON ? content : {});
  return { status: answer.status, content, etag: bare(answer.headers.get("ETag")), headers: answer.headers };
}

/** A tag in another coding names the same state, but a conditional write wants it plain. */
const bare = (tag) => tag?.replace(/\+gzip"$/, '"');

/** The request as a line for a shell. */
export function curl({ method, url, body, headers }) {
  const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${quoted(new URL(url, location.href).href)}`];
  for (const [name, value] of Object.entries(headers)) {
    lines.push(`-H ${quoted(`${name}: ${name === "Authorization" ? "Bearer $TOKEN" : value}`)}`.replace("'Authorization: Bearer $TOKEN'", '"Authorization: Bearer $TOKEN"'));
  }
  if (body !== undefined) lines.push(`-d ${quoted(body)}`);
  return lines.join(" \\\n  ");
}

/** Every page of a listing, up to `most` items. */
export async function all(target, member, most = 500) {
  const items = [];
  let pageToken;
  do {
    const { content } = await call("GET", target, { query: { pageSize: 100, pageToken } });
    items.push(...content[member]);
    pageToken = content.nextPageToken;
  } while (pageToken && items.length < most);
  return items;
}
