// The screens of one news: what it is and who likes it, and the sheet that says only that.

import { LikeControl, LikerRow, PagedList, Problem, element, facts } from "./elements.js";

/** What a news is, how many like it, and who. */
export class DetailScreen {
  title = "News";
  heading = element("h1", { tabindex: "-1", dir: "auto" });

  #context;
  #id;
  #facts = element("p", { class: "facts" });
  #problem = new Problem(() => this.readAgain());
  #control;
  #body;
  #turn = 0;
  /** As of which sequence the news is described, or gone. */
  #describedAt = 0;
  #list;

  constructor({ id }, context) {
    this.#context = context;
    this.#id = id;
    this.#list = listOfLikers(() => this.#id, context);
    this.#control = new LikeControl("", {
      toggle: () => context.mediator.toggle(this.#id),
      showLikers: () => context.likersChosen(this.#id, this.title),
    });
    this.#body = element("div", { hidden: true }, this.#facts, this.#control.element, this.#list.element);
    this.element = element("div", {}, this.heading, this.#problem.element, this.#body);
  }

  start() {
    this.readAgain();
  }

  stop() {
    this.#turn += 1;
    this.#list.close();
  }

  /** Shows another news. */
  update({ id }) {
    if (id === this.#id) return;
    this.#id = id;
    this.#body.hidden = true;
    this.heading.textContent = "";
    this.readAgain();
  }

  async readAgain() {
    const turn = ++this.#turn;
    this.#describedAt = 0;
    try {
      const { entry, place } = await this.#context.mediator.detail(this.#id);
      if (turn !== this.#turn) return;
      const before = this.#id;
      this.#id = entry.id;
      if (entry.id !== before) this.#context.newsMoved(before, entry.id);
      this.#describe(entry, place);
      this.#control.show(this.#context.mediator.shown(entry.id));
      this.#list.readAgain();
    } catch (refusal) {
      if (turn !== this.#turn) return;
      if (refusal.status === 404) this.#body.hidden = true;
      this.#fail(refusal.message);
    }
  }

  #describe(entry, place) {
    // What was read may be older than what was told meanwhile.
    if (place.sequence < this.#describedAt) return;
    this.#describedAt = place.sequence;
    this.title = entry.title;
    this.heading.textContent = entry.title;
    this.#control.title = entry.title;
    const parts = facts(entry, this.#context);
    const outside = outsideLink(entry.url);
    if (outside) parts.push(outside);
    this.#facts.replaceChildren(...parts);
    this.#problem.hide();
    this.#body.hidden = false;
    this.#context.titleChanged();
  }

  #fail(message) {
    this.#problem.show(message);
    if (!this.heading.textContent) this.heading.textContent = "News";
  }

  // --- What the mediator tells ---

  likeAdded(change) {
    if (change.news !== this.#id) return;
    this.#control.show(change);
    this.#list.apply(change, () => this.#list.putFirst({ user: change.user, likedAt: change.at }));
  }

  likeRemoved(change) {
    if (change.news !== this.#id) return;
    this.#control.show(change);
    this.#list.apply(change, () => this.#list.remove(change.user));
  }

  newsUpdated(entry) {
    if (entry.id !== this.#id) return;
    this.#describe(entry, entry.place);
    this.#control.show(entry);
  }

  newsAdded(entry) {
    if (entry.id === this.#id) this.readAgain();
  }

  newsRemoved({ news, mergedInto, place }) {
    if (news !== this.#id) return;
    this.#describedAt = place.sequence;
    if (mergedInto) return void this.readAgain();
    this.#body.hidden = true;
    this.#fail("This news is not there any more.");
  }

  cameBack() {
    if (this.#problem.isShown || this.#list.hasFailed) this.readAgain();
  }
}

/** The sheet that says who likes a news. */
export class LikersScreen {
  heading;
  #id;
  #list;

  constructor({ id, title }, context) {
    this.#id = id;
    this.title = `Who likes “${title}”`;
    this.heading = element("h2", { tabindex: "-1", dir: "auto" }, this.title);
    this.#list = listOfLikers(() => this.#id, context);
    this.element = element("div", {}, this.heading, this.#list.element);
  }

  start() {
    this.#list.readAgain();
  }

  stop() {
    this.#list.close();
  }

  // --- What the mediator tells ---

  likeAdded(change) {
    if (change.news !== this.#id) return;
    this.#list.apply(change, () => this.#list.putFirst({ user: change.user, likedAt: change.at }));
  }

  likeRemoved(change) {
    if (change.news !== this.#id) return;
    this.#list.apply(change, () => this.#list.remove(change.user));
  }

  newsRemoved({ news, mergedInto }) {
    if (news !== this.#id) return;
    this.#id = mergedInto ?? news;
    this.#list.readAgain();
  }

  readAgain() {
    this.#list.readAgain();
  }

  cameBack() {
    if (this.#list.hasFailed) this.readAgain();
  }
}

function listOfLikers(id, context) {
  return new PagedList({
    label: "Who likes it",
    empty: "Nobody likes it yet.",
    read: (cursor) => context.mediator.likers(id(), cursor),
    keyOf: (like) => like.user,
    rowOf: (like) => new LikerRow(like, context),
  });
}

/** A link to where the news is; nothing for what is no address of the web. */
function outsideLink(url) {
  const address = url && URL.canParse(url) ? new URL(url) : null;
  if (!address || !["http:", "https:"].includes(address.protocol)) return null;
  return element("a", { href: address.href, rel: "noopener noreferrer", target: "_blank" }, address.host);
}
