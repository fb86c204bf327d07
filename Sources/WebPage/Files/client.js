// The calls of the API and its live stream: HTTP, and nothing of what is shown.

/** Why a call failed: in the service's own words, or because there was no answer. */
export class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }

  static async of(response) {
    const problem = await response.json().catch(() => ({}));
    const message = problem.detail ?? `The answer was ${response.status}.`;
    return new Refusal(response.status, problem.code ?? "unknown", message);
  }

  static unreachable() {
    return new Refusal(0, "unreachable", "The server cannot be reached.");
  }
}

/** A place in the order of everything: `epoch.sequence`. */
export function placeOf(token) {
  const [epoch, sequence] = token.split(".");
  return { token, epoch, sequence: Number(sequence) };
}

/** Milliseconds for an answer, and for one to a call about everything there is. */
const PATIENCE = 30_000;
export const LONG_PATIENCE = 600_000;

export class Client {
  /** A token that reads must not be older than, once there is one. */
  atLeast = null;

  /** Reads: the answer's body, and the place as of which it is true. */
  read(path, query = {}) {
    const set = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
    const text = new URLSearchParams(set).toString();
    const headers = this.atLeast ? { "Likes-Min-Sequence": this.atLeast } : {};
    return this.#call(text ? `${path}?${text}` : path, { headers }, PATIENCE);
  }

  /** Writes, also when the page is closed meanwhile; all writes are safe to repeat. */
  write(method, path, operationId, patience = PATIENCE) {
    return this.#call(path, { method, headers: { "Operation-Id": operationId }, keepalive: true }, patience);
  }

  async #call(path, options, patience) {
    const response = await fetch(path, { ...options, signal: AbortSignal.timeout(patience) }).catch(() => {
      throw Refusal.unreachable();
    });
    if (!response.ok) throw await Refusal.of(response);
    const body = await response.json().catch(() => {
      throw Refusal.unreachable();
    });
    return { body, place: placeOf(response.headers.get("Likes-Sequence")) };
  }
}

/** What a path says for an id, which may be any text. */
export const encoded = encodeURIComponent;

// Milliseconds: without a byte for so long, a stream is dead (the server sends a comment every 15 s); the wait before
// the first attempt to come back, and the longest. The waits differ, so that not everybody comes back at once.
const SILENCE = 45_000;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;

/**
 * The live stream. It comes back by itself, with the last place it knows, so that nothing in between is missed.
 *
 * `EventSource` would give up after an answer such as 502 or 503, and does not notice a connection that is dead.
 */
export class EventStream {
  #told;
  #changed;
  #place = null;
  #attempt = 0;
  #connection = null;
  #wake = () => {};

  /** `told` hears each event as (name, data, place), `changed` "live" and "offline". */
  constructor(told, changed) {
    this.#told = told;
    this.#changed = changed;
    addEventListener("online", () => this.#wake());
    addEventListener("offline", () => this.#connection?.abort());
  }

  /** Listens from a place on; when none is named, from the last one that it knows, or else from now on. */
  start(token) {
    this.stop(token);
    this.#connection = new AbortController();
    this.#run(this.#connection);
  }

  /** Stops, to begin at a place next time; when none is named, at the last one that it knows. */
  stop(token = this.#place) {
    this.#place = token;
    const connection = this.#connection;
    this.#connection = null;
    connection?.abort();
    this.#wake();
  }

  async #run(connection) {
    for (;;) {
      try {
        await this.#listen(connection);
      } catch {
        // Whatever it was, the way out is the same.
      }
      // Another `start`, or `stop`, ends this run.
      if (connection !== this.#connection) return;
      this.#changed("offline");
      await this.#pause();
      if (connection !== this.#connection) return;
      connection = this.#connection = new AbortController();
    }
  }

  async #listen(connection) {
    const headers = { Accept: "text/event-stream" };
    if (this.#place) headers["Last-Event-ID"] = this.#place;
    let watchdog = setTimeout(() => connection.abort(), SILENCE);
    try {
      const response = await fetch("/v1/events", { headers, cache: "no-store", signal: connection.signal });
      if (!response.ok) throw await Refusal.of(response);
      this.#attempt = 0;
      this.#changed("live");
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        clearTimeout(watchdog);
        watchdog = setTimeout(() => connection.abort(), SILENCE);
        const blocks = (text + value).split("\n\n");
        text = blocks.pop();
        if (connection !== this.#connection) return;
        for (const block of blocks) this.#take(block);
      }
    } finally {
      clearTimeout(watchdog);
      connection.abort();
    }
  }

  #take(block) {
    const fields = {};
    for (const line of block.split("\n")) {
      const colon = line.indexOf(": ");
      if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 2);
    }
    if (!fields.id) return;
    this.#place = fields.id;
    this.#told(fields.event ?? "place", fields.data ? JSON.parse(fields.data) : {}, placeOf(fields.id));
  }

  /** Waits before the next attempt; not when the browser says that the network is there again. */
  #pause() {
    const longest = Math.min(FIRST_WAIT * 2 ** this.#attempt++, LONGEST_WAIT);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, longest * (0.5 + Math.random() / 2));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
