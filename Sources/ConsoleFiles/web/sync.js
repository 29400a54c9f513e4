// One user's page kept equal to the server's: events come in, edits wait in a queue until they are acknowledged.
import { Problem, Unreachable, call, headersFor, path, session, withQuery } from "./api.js";
import { pinsOf } from "./rules.js";

/** Requests have at most this many operations; a longer edit is sent as the list that it makes. */
const MOST_OPERATIONS = 100;

/**
 * Tells of `change` (something to show is another), `report` (an edit was taken in) and `refused`
 * (an edit waits for a decision).
 */
export class Sync extends EventTarget {
  /** `connecting`, `live`, `offline` (asked for) or `unreachable`. */
  state = "connecting";
  page;
  catalog;
  pins = [];
  etag;
  /** Batches that were not acknowledged yet: `{base, operations, list, key, sent, dropped}`. */
  queue = [];
  /** Newest first: what became known, and from whom. */
  activity = [];
  #stop = new AbortController();
  #lastEvent;
  #sending = false;
  #wake = () => {};

  constructor(user, client = {}) {
    super();
    this.user = user;
    this.client = client;
    this.queue = JSON.parse(sessionStorage.getItem(this.#place) ?? "[]");
  }

  get #place() { return `pegboard.pending.${this.user}`; }
  get version() { return this.page.layoutVersion; }
  get favorites() { return this.page.sections[0].cells.map((cell) => cell.id); }
  /** The list as this window has it: the server's, or one that is ahead of it. */
  get list() { return this.queue.at(-1)?.list ?? this.favorites; }

  async start() {
    await this.load();
    this.#listen();
    this.flush();
    return this;
  }

  stop() {
    this.#stop.abort();
    session.offline = false;
  }

  async load() {
    const signal = this.#stop.signal;
    const [page, layout, catalog] = await Promise.all([
      call("GET", path`/v1/users/${this.user}/page`, { query: this.client, signal }),
      call("GET", path`/v1/users/${this.user}/layout`, { query: this.client, signal }),
      this.catalog ? undefined : call("GET", "/v1/catalog", { signal }),
    ]);
    this.page = page.content;
    this.etag = layout.etag;
    if (catalog || this.page.catalogRevision !== this.catalog.revision) {
      this.catalog = (catalog ?? (await call("GET", "/v1/catalog", { signal }))).content;
      this.pins = pinsOf(this.catalog);
    }
    this.#changed();
  }

  #changed() { this.dispatchEvent(new Event("change")); }
  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }
  #become(state) {
    this.state = state;
    if (this.page) this.#changed();
  }

  // MARK: Events

  setOffline(offline) {
    session.offline = offline;
    if (offline) this.#dropStream?.();
    this.#become(offline ? "offline" : "connecting");
    if (!offline) this.#wake();
  }

  #dropStream;

  /** Reads the event stream, again and again: EventSource cannot send a token. */
  async #listen() {
    let pause = 500;
    while (!this.#stop.signal.aborted) {
      if (!session.offline) {
        const stream = new AbortController();
        this.#dropStream = () => stream.abort();
        try {
          const target = withQuery(path`/v1/users/${this.user}/layout/events`, this.client);
          const headers = headersFor({ headers: this.#lastEvent && { "Last-Event-ID": this.#lastEvent } });
          const answer = await fetch(target, { headers, signal: AbortSignal.any([stream.signal, this.#stop.signal]) });
          if (!answer.ok) throw new Unreachable();
          pause = 500;
          this.#become("live");
          this.flush();
          await this.#read(answer.body.pipeThrough(new TextDecoderStream()).getReader());
        } catch {
          // Aborted, or cut: either way it is opened again.
        }
        if (this.#stop.signal.aborted) return;
        if (!session.offline) this.#become("unreachable");
      }
      await new Promise((resolve) => {
        this.#wake = resolve;
        if (!session.offline) setTimeout(resolve, pause);
      });
      pause = Math.min(pause * 2, 15000);
    }
  }

  async #read(reader) {
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) await this.#take(Object.fromEntries(block.split("\n").map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      })));
    }
  }

  async #take({ id, event, data }) {
    if (!data) return;
    this.#lastEvent = id;
    const layout = JSON.parse(data);
    const isNews = layout.version !== this.version || layout.catalogRevision !== this.page.catalogRevision ||
      layout.locked !== this.page.locked || layout.favorites.join() !== this.favorites.join();
    if (!isNews) return;
    this.activity.unshift({ version: layout.version, origin: layout.origin, at: new Date(), event });
    this.activity.length = Math.min(this.activity.length, 20);
    await this.load();
  }

  // MARK: Edits

  /** Takes an edit in that was made on version `base`; it is sent now, or when the server is there again. */
  commit(base, operations, list) {
    const last = this.queue.at(-1);
    if (last && !last.sent) {
      last.operations.push(...operations);
      last.list = list;
    } else {
      // Behind a batch whose answer is open, the base is the version that it will make.
      this.queue.push({ base: last ? undefined : base, operations, list, key: crypto.randomUUID() });
    }
    this.#keep();
    return this.flush();
  }

  #keep() {
    if (this.queue.length) sessionStorage.setItem(this.#place, JSON.stringify(this.queue));
    else sessionStorage.removeItem(this.#place);
    this.#changed();
  }

  discard() {
    this.queue = [];
    this.#keep();
  }

  /** Sends what waits, batch by batch. A batch that was sent keeps its key: sent again, it is not done again. */
  async flush() {
    if (this.#sending) return;
    this.#sending = true;
    try {
      while (this.queue.length && !session.offline) {
        const batch = this.queue[0];
        batch.sent = true;
        this.#keep();
        await this.#settle(batch);
      }
    } catch (error) {
      const isPassing = error instanceof Unreachable || error.status >= 500 || error.status === 429;
      if (isPassing && session.offline) this.#become("offline");
      else if (isPassing) this.#tryAgain();
      else if (error instanceof Problem) this.#tell("refused", { problem: error, list: this.list });
      else if (error.name !== "AbortError") throw error;
    } finally {
      this.#sending = false;
    }
  }

  #tryAgain() {
    this.#become("unreachable");
    setTimeout(() => !this.#stop.signal.aborted && this.flush(), 2000);
  }

  /** One batch: the server carries it over to its list of today; what is no longer allowed is taken out, and named. */
  async #settle(batch) {
    let answer;
    try {
      answer = await this.#send(batch);
    } catch (error) {
      const index = error.body?.operationIndex;
      if (index === undefined || batch.operations.length > MOST_OPERATIONS) throw error;
      const [operation] = batch.operations.splice(index, 1);
      batch.dropped = [...(batch.dropped ?? []), { operation, problem: error.body }];
      // Another content is another request.
      batch.key = crypto.randomUUID();
      if (batch.operations.length) return;
      answer = { layout: { version: batch.base }, changed: false, outcomes: [] };
    }
    this.queue.shift();
    if (this.queue[0]) this.queue[0].base ??= answer.layout.version;
    this.#keep();
    if (this.state === "unreachable") this.#become("live");
    await this.load();
    this.#tell("report", { ...answer, base: batch.base, dropped: batch.dropped ?? [] });
  }

  async #send({ base, operations, list, key }) {
    const isShort = operations.length <= MOST_OPERATIONS;
    const target = path`/v1/users/${this.user}/layout` + (isShort ? "/operations" : "");
    const body = isShort ? { baseVersion: base, operations } : { baseVersion: base, favorites: list };
    const options = { query: this.client, headers: { "Idempotency-Key": key }, body };
    return (await call(isShort ? "POST" : "PUT", target, options)).content;
  }

  /** The list of this window in the place of the server's, decided by whoever saw both. */
  async overwrite(list) {
    await this.#conditional("PUT", "", { favorites: list });
    this.discard();
    await this.load();
  }

  /** Undo: an earlier version again. */
  async revert(toVersion) {
    const answer = await this.#conditional("POST", "/reversions", { toVersion });
    await this.load();
    return answer.content;
  }

  async reset() {
    await this.#conditional("DELETE", "");
    await this.load();
  }

  #conditional(method, suffix, body) {
    return call(method, path`/v1/users/${this.user}/layout` + suffix, {
      query: this.client, headers: { "If-Match": this.etag, "Idempotency-Key": crypto.randomUUID() }, body,
    });
  }
}
