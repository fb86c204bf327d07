// The mediator of the page. Screens ask it to like and to unlike, and it tells every screen what was liked and unliked,
// by whomever. No screen knows another one.
//
// What is shown is what the server has said, with what the user wishes on top. The server's counts are absolute and
// have a place in the order of everything, so that what comes late, twice, or by two ways at once cannot count twice.

import { Client, EventStream, LONG_PATIENCE, Refusal, encoded } from "./client.js";

/** The longest user id, in bytes of UTF-8. */
const LONGEST_ID = 256;

/** Milliseconds for which a page that nobody sees listens on: browsers have few connections to a server. */
const HIDDEN_PATIENCE = 20_000;

/** How many of the news that were read are known; of the older ones only events are told. */
const KNOWN_NEWS = 20_000;

export class LikesMediator {
  /** Who likes; empty when nobody has said so. */
  user;

  #client = new Client();
  #stream = new EventStream((...event) => this.#hear(...event), (state) => this.#connectionChanged(state));
  #screens = new Set();
  /** What the server has said of each news that was read. */
  #known = new Map();
  /** What the user wants of a news and the server has not said yet. */
  #wishes = new Map();
  /** The operations on their way, by their id. */
  #operations = new Map();
  #epoch = null;
  #isListening = false;
  /** The sequence that the stream was begun at. */
  #begunAt = 0;
  /** What is being done about single news, and about all of them. */
  #running = new Set();
  #lastBulk = Promise.resolve();
  /** How many reads are on their way. */
  #reads = 0;
  /** The sequence up to which events were heard. */
  #position = 0;
  #connection = "connecting";
  #patience = null;
  #isPaused = false;
  #delegate;

  /** The delegate hears `connectionChanged(state)`, `refused(message)` and `userNeeded()`. */
  constructor(user, delegate) {
    this.user = user;
    this.#delegate = delegate;
    document.addEventListener("visibilitychange", () => this.#visibilityChanged());
  }

  // --- Screens ---

  /**
   * Adds a screen. It is told, as far as it has the method:
   *
   * - `likeAdded` and `likeRemoved` {news, user, likesCount, viewerLikes, numberOfGivenLikes?, author?, at, place}, or
   *   while the server has not said so, with `isWish` instead of a time and a place; `viewerLikes` is null when nobody
   *   looks, and undefined when it is not known;
   * - `newsAdded` and `newsUpdated` (the entry, with its place), `newsRemoved` {news, mergedInto?, place};
   * - `readAgain()` when too much has happened, or somebody else looks;
   * - `cameBack()` when the connection is there again.
   */
  add(screen) {
    this.#screens.add(screen);
  }

  remove(screen) {
    this.#screens.delete(screen);
  }

  #tell(name, ...what) {
    for (const screen of [...this.#screens]) {
      try {
        screen[name]?.(...what);
      } catch (fault) {
        // What is wrong with one screen is no matter of the others.
        reportError(fault);
      }
    }
  }

  // --- Who likes ---

  /** Says who likes from now on. What is wrong with the name, if it is none; nothing otherwise. */
  setUser(user) {
    if (new TextEncoder().encode(user).length > LONGEST_ID) return `A name has up to ${LONGEST_ID} bytes.`;
    const isNone = /\p{Cc}/u.test(user) || user === "." || user === ".." || !user.isWellFormed();
    if (isNone) return "This is no name that can be used.";
    if (user === this.user) return;
    this.user = user;
    this.#wishes.clear();
    this.#known.clear();
    this.#tell("readAgain");
  }

  // --- Reading ---

  /** A page of the feed: {entries, next, place}. */
  async feed(sort, cursor) {
    const { body, place, viewer } = await this.#read("/v1/feed", { sort, cursor, viewer: this.user });
    return { entries: body.news.map((entry) => this.#learn(entry, place, viewer)), next: body.next, place };
  }

  /** One news: {entry, place}. */
  async detail(id) {
    const { body, place, viewer } = await this.#read(`/v1/news/${encoded(id)}`, { viewer: this.user });
    return { entry: this.#learn(body, place, viewer), place };
  }

  /** Who likes a news: {entries: [{user, likedAt}], next, place}. */
  async likers(id, cursor) {
    const { body, place } = await this.#read(`/v1/news/${encoded(id)}/likes`, { cursor });
    return { entries: body.likes, next: body.next, place };
  }

  /** A user in numbers: {numberOfGivenLikes, numberOfReceivedLikes, place}. */
  async profile(user) {
    const { body, place } = await this.#read(`/v1/profiles/${encoded(user)}`);
    return { ...body, place };
  }

  /** What a user likes: {entries, next, place}. */
  async likesOf(user, cursor) {
    const query = { include: "news", viewer: this.user, cursor };
    const { body, place, viewer } = await this.#read(`/v1/profiles/${encoded(user)}/likes`, query);
    const entries = body.likes.map((like) => this.#learn({ ...like, id: like.news }, place, viewer));
    return { entries, next: body.next, place };
  }

  /** What is to be shown of a news: what the server has said, with the user's wish on top. */
  shown(news) {
    const known = this.#known.get(news);
    const { likesCount = 0, viewerLikes = null } = known ?? {};
    const wish = this.#wishes.get(news);
    if (!wish || wish.liked === viewerLikes) return { likesCount, viewerLikes };
    return { likesCount: Math.max(0, likesCount + (wish.liked ? 1 : -1)), viewerLikes: wish.liked };
  }

  async #read(path, query) {
    const viewer = this.user;
    this.#reads += 1;
    try {
      const { body, place } = await this.#client.read(path, query);
      this.#meet(place);
      // Of several first reads the earliest counts, whichever is answered first.
      if (place.epoch === this.#epoch && place.sequence < this.#begunAt) this.#begin(place);
      return { body, place, viewer };
    } catch (refusal) {
      this.#listenAnyway();
      throw refusal;
    } finally {
      this.#reads -= 1;
    }
  }

  #begin(place) {
    this.#begunAt = this.#position = place.sequence;
    this.#listen(place.token);
  }

  /** Without a first read there is no place to begin at: the stream begins where the server is when it can be reached. */
  #listenAnyway() {
    if (!this.#isListening) this.#listen();
  }

  /** Listens from a place on; a page that nobody sees yet, when it is seen. */
  #listen(token) {
    this.#isListening = true;
    this.#isPaused = document.hidden;
    if (document.hidden) this.#stream.stop(token);
    else this.#stream.start(token);
  }

  /** Begins to listen where the first read was, and anew when the server has another journal than before. */
  #meet(place) {
    if (this.#epoch === place.epoch) return;
    const isFirst = this.#epoch === null;
    this.#epoch = place.epoch;
    this.#client.atLeast = null;
    this.#known.clear();
    this.#wishes.clear();
    this.#begin(place);
    if (!isFirst) queueMicrotask(() => this.#tell("readAgain"));
  }

  // --- Liking ---

  /** Likes a news, or takes the like back: shown at once, and settled when the server has answered. */
  toggle(news) {
    if (!this.user) return this.#delegate.userNeeded();
    const running = this.#wishes.get(news)?.isRunning;
    this.#wish(news, { liked: !this.shown(news).viewerLikes, isRunning: true });
    if (running) return;
    const carriedOut = this.#carryOut(news, this.user).finally(() => this.#running.delete(carriedOut));
    this.#running.add(carriedOut);
  }

  /** Sends what the user wants of a news, one request after the other, until the server agrees. */
  async #carryOut(news, user) {
    await this.#lastBulk;
    for (;;) {
      const wish = this.#wishes.get(news);
      if (!wish?.isRunning || user !== this.user) return;
      const operation = this.#beginOperation();
      try {
        const path = `/v1/news/${encoded(news)}/likes/${encoded(user)}`;
        const answered = this.#client.write(wish.liked ? "PUT" : "DELETE", path, operation.id);
        // The stream may tell of it before the answer does, which can be late, or lost.
        const answer = await Promise.race([answered, operation.heard]);
        if (answer) this.#settle(news, answer.body, answer.place, user);
      } catch (refusal) {
        this.#refuse([news], refusal, user);
      } finally {
        this.#operations.delete(operation.id);
      }
      // The user may have changed their mind meanwhile.
      if (this.#wishes.get(news)?.liked === wish.liked) this.#drop([news], user);
    }
  }

  #settle(news, answer, place, user) {
    this.#meet(place);
    if (user !== this.user) return;
    // One that was merged away answers in the name of what it is now.
    this.#take(answer.news, { likesCount: answer.likesCount, viewerLikes: answer.liked }, answer.sequence);
    // What was so before, or what the stream has told already, is no news to a list.
    const isWish = !answer.changed || answer.sequence <= this.#position;
    const change = { user, at: answer.likedAt, place: { sequence: answer.sequence }, isWish };
    this.#tellOf(answer.news, answer.liked, change);
    if (answer.news !== news) this.#tell("readAgain");
  }

  /** Likes all news there are, or takes all likes back: after what was wished before, and before what is wished later. */
  toggleAll(liked) {
    if (!this.user) return this.#delegate.userNeeded();
    const user = this.user;
    const operation = this.#beginOperation();
    const news = [...this.#known.keys()].filter((id) => this.shown(id).viewerLikes !== liked);
    for (const id of news) this.#wish(id, { liked, operation });
    const before = Promise.allSettled([this.#lastBulk, ...this.#running]);
    this.#lastBulk = before.then(() => this.#carryOutAll(liked, news, user, operation));
  }

  async #carryOutAll(liked, news, user, operation) {
    try {
      const path = `/v1/profiles/${encoded(user)}/likes`;
      const { body, place } = await this.#client.write(liked ? "PUT" : "DELETE", path, operation.id, LONG_PATIENCE);
      this.#meet(place);
      // The answer has no counts: the events have, and they may not be here yet.
      operation.end = body.sequence;
      if (this.#connection !== "live") this.#tell("readAgain");
      this.#forgetEnded(this.#position);
    } catch (refusal) {
      this.#refuse(news, refusal, user, operation);
    } finally {
      this.#operations.delete(operation.id);
    }
  }

  #beginOperation() {
    const { promise, resolve } = Promise.withResolvers();
    const operation = { id: newOperationId(), heard: promise, hear: resolve };
    this.#operations.set(operation.id, operation);
    return operation;
  }

  #wish(news, wish) {
    this.#wishes.set(news, wish);
    this.#tellOf(news, wish.liked, { user: this.user, isWish: true });
  }

  #refuse(news, refusal, user, operation) {
    this.#drop(news, user, operation);
    if (!(refusal instanceof Refusal)) throw refusal;
    if (user === this.user) this.#delegate.refused(refusal.message);
  }

  /** Gives wishes up, those of an operation if one is named: what the server has said is shown again. */
  #drop(news, user, operation) {
    for (const id of news) {
      const wish = this.#wishes.get(id);
      if (!wish || user !== this.user || (operation && wish.operation !== operation)) continue;
      this.#wishes.delete(id);
      const { viewerLikes } = this.shown(id);
      if (viewerLikes !== wish.liked) this.#tellOf(id, viewerLikes, { user, isWish: true });
    }
  }

  /** Gives up the wishes of operations whose events have all been heard. */
  #forgetEnded(position) {
    this.#position = position;
    for (const [news, wish] of this.#wishes) {
      if (wish.operation?.end <= position) this.#drop([news], this.user);
    }
  }

  // --- What the server says ---

  #learn(entry, place, viewer) {
    // An answer to somebody who looked before says nothing of the one who looks now.
    const viewerLikes = viewer === this.user ? entry.viewerLikes : null;
    const known = this.#take(entry.id, { likesCount: entry.likesCount, viewerLikes }, place.sequence);
    known.author = entry.author ?? null;
    // The last ones read are the last ones forgotten.
    this.#known.delete(entry.id);
    this.#known.set(entry.id, known);
    return { ...entry, ...this.shown(entry.id) };
  }

  /** Takes what is said of a news as of a sequence, unless something newer is known. */
  #take(news, { likesCount, viewerLikes }, sequence) {
    let known = this.#known.get(news);
    if (!known) {
      if (this.#known.size >= KNOWN_NEWS) this.#known.delete(this.#known.keys().next().value);
      known = { likesCount: 0, countedAt: -1, viewerLikes: null, viewedAt: -1 };
      this.#known.set(news, known);
    }
    if (sequence >= known.countedAt) Object.assign(known, { likesCount, countedAt: sequence });
    if (viewerLikes !== null && sequence >= known.viewedAt) Object.assign(known, { viewerLikes, viewedAt: sequence });
    return known;
  }

  #tellOf(news, liked, change) {
    const author = this.#known.get(news)?.author;
    this.#tell(liked ? "likeAdded" : "likeRemoved", { news, author, ...change, ...this.shown(news) });
  }

  #hear(name, event, place) {
    this.#epoch ??= place.epoch;
    if (name === "likeAdded" || name === "likeRemoved") this.#hearOfLike(name, event, place);
    else if (name === "newsAdded" || name === "newsUpdated") this.#hearOfNews(name, event, place);
    else if (name === "newsRemoved") this.#hearOfRemoval({ ...event, place });
    else if (name === "reset") this.#startOver(place);
    this.#operations.get(event.operationId)?.hear();
    this.#forgetEnded(place.sequence);
  }

  #hearOfLike(name, event, place) {
    const liked = name === "likeAdded";
    const { news, user, at, likesCount, numberOfGivenLikes } = event;
    const change = { user, at, place, numberOfGivenLikes };
    const viewerLikes = user === this.user ? liked : null;
    // While a read is on its way, it may be of this news, and older than the event.
    if (this.#known.has(news) || this.#reads > 0) {
      this.#take(news, { likesCount, viewerLikes }, event.sequence);
      this.#tellOf(news, liked, change);
    } else {
      this.#tell(name, { news, likesCount, viewerLikes: viewerLikes ?? undefined, ...change });
    }
  }

  #hearOfNews(name, event, place) {
    const entry = this.#known.has(event.id) ? this.#learn({ ...event, viewerLikes: null }, place, null) : event;
    this.#tell(name, { ...entry, place });
  }

  #hearOfRemoval(event) {
    this.#known.delete(event.news);
    this.#wishes.delete(event.news);
    this.#tell("newsRemoved", event);
  }

  /** What happened meanwhile is not to be had: everything is read again, and not older than from here. */
  #startOver(place) {
    this.#epoch = place.epoch;
    this.#client.atLeast = place.token;
    this.#known.clear();
    this.#wishes.clear();
    this.#tell("readAgain");
  }

  #visibilityChanged() {
    clearTimeout(this.#patience);
    if (document.hidden) {
      this.#patience = setTimeout(() => {
        this.#isPaused = this.#isListening;
        this.#stream.stop();
      }, HIDDEN_PATIENCE);
    } else if (this.#isPaused) {
      this.#isPaused = false;
      this.#stream.start();
    }
  }

  #connectionChanged(state) {
    const before = this.#connection;
    this.#connection = state;
    this.#delegate.connectionChanged(state);
    if (state === "live" && before !== "live") this.#tell("cameBack");
  }
}

/** Tells the operations of this page from those of others; `crypto.randomUUID` is there on secure origins only. */
function newOperationId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
