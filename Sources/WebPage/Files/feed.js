// The screen with all news.

import { NewsRow, PagedList, element, link } from "./elements.js";

const ORDERS = { newest: "Newest", top: "Top", trending: "Trending" };

export class FeedScreen {
  title = "News";
  heading = element("h1", { tabindex: "-1" }, "News");

  #context;
  #sort;
  #orders = element("nav", { "aria-label": "Order", class: "orders" });
  #added = new Set();
  #new = element("button", { type: "button", class: "new", hidden: true, onclick: () => this.#showNew() });
  #list = new PagedList({
    label: "News",
    empty: "There is no news yet.",
    read: (cursor) => this.#context.mediator.feed(this.#sort, cursor),
    keyOf: (entry) => entry.id,
    rowOf: (entry) => new NewsRow(entry, this.#context),
  });

  constructor({ sort }, context) {
    this.#context = context;
    this.#sort = sort;
    const all = (text, choose) => element("button", { type: "button", onclick: choose }, text);
    this.element = element(
      "div",
      {},
      element(
        "header",
        {},
        this.heading,
        this.#orders,
        element(
          "div",
          { class: "all" },
          all("Like all", () => context.mediator.toggleAll(true)),
          all("Unlike all", () => this.#unlikeAll()),
        ),
      ),
      element("div", { role: "status" }, this.#new),
      this.#list.element,
    );
    this.#showOrders();
  }

  start() {
    this.#list.readAgain();
  }

  stop() {
    this.#list.close();
  }

  /** Shows another order. */
  update({ sort }) {
    if (sort === this.#sort) return;
    this.#sort = sort;
    this.#showOrders();
    this.readAgain();
  }

  #showOrders() {
    const chosen = document.activeElement?.dataset.sort;
    this.#orders.replaceChildren(
      ...Object.entries(ORDERS).map(([sort, text]) =>
        link(this.#context.addressOf("feed", sort), text, () => this.#context.sortChosen(sort), {
          "data-sort": sort,
          "aria-current": sort === this.#sort ? "true" : null,
        }),
      ),
    );
    if (chosen) this.#orders.querySelector(`[data-sort="${chosen}"]`)?.focus();
  }

  async #unlikeAll() {
    const isSure = await this.#context.asked("Take back all your likes?", "Unlike all");
    if (isSure) this.#context.mediator.toggleAll(false);
  }

  #showNew() {
    this.readAgain();
    this.heading.focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  #showNumberOfNew() {
    this.#new.hidden = this.#added.size === 0;
    this.#new.textContent = `${this.#added.size} new`;
  }

  // --- What the mediator tells ---

  likeAdded(change) {
    this.#list.rows.get(change.news)?.show(change);
  }

  likeRemoved(change) {
    this.#list.rows.get(change.news)?.show(change);
  }

  newsAdded(entry) {
    // Where it belongs in the other orders, the next look tells.
    if (this.#list.rows.size === 0) return this.readAgain();
    if (this.#sort !== "newest" || this.#list.rows.has(entry.id)) return;
    // Nothing moves below the eyes and the fingers of who reads.
    this.#added.add(entry.id);
    this.#showNumberOfNew();
  }

  newsUpdated(entry) {
    this.#list.update(entry);
  }

  newsRemoved({ news, place }) {
    this.#list.apply({ place }, () => this.#list.remove(news));
    this.#added.delete(news);
    this.#showNumberOfNew();
  }

  readAgain() {
    this.#added.clear();
    this.#showNumberOfNew();
    this.#list.readAgain();
  }

  cameBack() {
    if (this.#list.hasFailed) this.readAgain();
  }
}
