// The screen of one user: in numbers, and what the user likes.

import { NewsRow, PagedList, Problem, element, number } from "./elements.js";

/** Milliseconds between two looks at the numbers, or at the list, however much happens. */
const REST = 1_000;

/** How many likes at once are read one by one; of more, the list is read anew. */
const FEW = 10;

export class ProfileScreen {
  heading = element("h1", { tabindex: "-1", dir: "auto" });

  #context;
  #named;
  #given = element("dd", { "data-number": "given" });
  #received = element("dd", { "data-number": "received" });
  /** As of which sequence the likes given are shown. */
  #givenAt = 0;
  #nobody = element("p", { class: "note", hidden: true }, "Say who you are, above, to see what you like.");
  #problem = new Problem(() => this.readAgain());
  #body;
  #turn = 0;
  #rest = null;
  #listRest = null;
  /** The news that are being read to be put on top, with the sequence of their like. */
  #coming = new Map();
  #last = Promise.resolve();
  #list = new PagedList({
    label: "Likes",
    empty: "Nothing liked yet.",
    read: (cursor) => this.#context.mediator.likesOf(this.#user, cursor),
    keyOf: (entry) => entry.id,
    rowOf: (entry) => new NewsRow(entry, this.#context),
  });

  /** Of a user, or of whoever looks when none is named. */
  constructor({ user }, context) {
    this.#context = context;
    this.#named = user ?? null;
    this.#body = element(
      "div",
      { hidden: true },
      element(
        "dl",
        { class: "numbers" },
        element("div", {}, element("dt", {}, "Likes given"), this.#given),
        element("div", {}, element("dt", {}, "Likes received"), this.#received),
      ),
      this.#list.element,
    );
    this.element = element("div", {}, this.heading, this.#nobody, this.#problem.element, this.#body);
    this.heading.textContent = this.title;
  }

  get #user() {
    return this.#named ?? this.#context.mediator.user;
  }

  get title() {
    return this.#user || "Profile";
  }

  start() {
    this.readAgain();
  }

  stop() {
    this.#turn += 1;
    clearTimeout(this.#rest);
    clearTimeout(this.#listRest);
    this.#list.close();
  }

  readAgain() {
    this.heading.textContent = this.title;
    this.#context.titleChanged();
    this.#nobody.hidden = Boolean(this.#user);
    this.#givenAt = 0;
    this.#coming.clear();
    if (!this.#user) return this.#showNobody();
    this.#list.readAgain();
    this.#readNumbers();
  }

  #showNobody() {
    // No answer that is on its way is of interest any more.
    this.#turn += 1;
    this.#list.close();
    this.#problem.hide();
    this.#body.hidden = true;
  }

  async #readNumbers() {
    const turn = ++this.#turn;
    try {
      const profile = await this.#context.mediator.profile(this.#user);
      if (turn !== this.#turn) return;
      this.#showGiven(profile.numberOfGivenLikes, profile.place);
      this.#received.textContent = number(profile.numberOfReceivedLikes);
      this.#problem.hide();
      this.#body.hidden = false;
    } catch (refusal) {
      if (turn === this.#turn && this.#body.hidden) this.#problem.show(refusal.message);
    }
  }

  /** Reads the numbers again, after a rest that many changes share. */
  #readNumbersSoon() {
    this.#rest ??= setTimeout(() => {
      this.#rest = null;
      if (this.#user) this.#readNumbers();
    }, REST);
  }

  #readListSoon() {
    this.#coming.clear();
    this.#listRest ??= setTimeout(() => {
      this.#listRest = null;
      if (this.#user) this.#list.readAgain();
    }, REST);
  }

  #showGiven(likes, { sequence }) {
    if (sequence < this.#givenAt) return;
    this.#givenAt = sequence;
    this.#given.textContent = number(likes);
  }

  // --- What the mediator tells ---

  likeAdded(change) {
    this.#changed(change);
    if (change.user === this.#user) this.#list.apply(change, () => this.#putFirst(change));
  }

  likeRemoved(change) {
    this.#changed(change);
    if (change.user === this.#user) this.#list.apply(change, () => this.#remove(change.news));
  }

  #changed(change) {
    this.#list.rows.get(change.news)?.show(change);
    if (change.user === this.#user && change.numberOfGivenLikes !== undefined)
      this.#showGiven(change.numberOfGivenLikes, change.place);
    // How many likes a user has received no event says. Of whom a news is that was never read, is not known.
    if (change.place && (change.author === undefined || change.author === this.#user)) this.#readNumbersSoon();
  }

  /** An event names the news only, so the rest is read; one after the other, for the order. */
  #putFirst({ news, place }) {
    // It is told by the answer and by the stream.
    if (this.#listRest || this.#coming.get(news) === place.sequence) return;
    if (this.#coming.size >= FEW) return this.#readListSoon();
    this.#coming.set(news, place.sequence);
    this.#last = this.#last.then(async () => {
      if (this.#coming.get(news) !== place.sequence) return;
      const { entry } = await this.#context.mediator.detail(news).catch(() => ({}));
      if (this.#coming.get(news) !== place.sequence) return;
      this.#coming.delete(news);
      if (entry) this.#list.putFirst(entry);
    });
  }

  #remove(news) {
    this.#coming.delete(news);
    this.#list.remove(news);
  }

  newsAdded() {
    this.#readNumbersSoon();
  }

  newsUpdated(entry) {
    this.#readNumbersSoon();
    this.#list.update(entry);
  }

  newsRemoved({ news, place }) {
    this.#list.apply({ place }, () => this.#remove(news));
    this.#readNumbersSoon();
  }

  cameBack() {
    if (this.#problem.isShown || this.#list.hasFailed) this.readAgain();
  }
}
