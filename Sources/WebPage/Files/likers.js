// The sheet that says who likes a news.

import { LikerRow, PagedList, element } from "./elements.js";

export class LikersScreen {
  heading;
  #id;
  #list;

  constructor({ id, title }, context) {
    this.#id = id;
    this.title = `Who likes “${title}”`;
    this.heading = element("h2", { dir: "auto" }, this.title);
    this.#list = new PagedList({
      label: "Who likes it",
      empty: "Nobody likes it yet.",
      read: (cursor) => context.mediator.likers(this.#id, cursor),
      keyOf: (like) => like.user,
      rowOf: (like) => new LikerRow(like, context),
    });
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
