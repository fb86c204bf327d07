// What screens are built of. Every text goes into the page as text, never as HTML.

/** Makes an element with attributes, properties that are functions (`onclick`), and children. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made[name] = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Sets a text, unless it is there already. */
function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

const NUMBERS = new Intl.NumberFormat("en");
const TIMES = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

export const number = (value) => NUMBERS.format(value);
export const likes = (count) => `${number(count)} ${count === 1 ? "like" : "likes"}`;

export function time(value) {
  return element("time", { datetime: value }, TIMES.format(new Date(value)));
}

let dialogs = 0;

/** Shows a modal dialog, which is named by its heading. */
export function showDialog(heading, content) {
  heading.id = `heading-${++dialogs}`;
  const messages = element("div", { class: "messages", role: "alert" });
  const dialog = element("dialog", { "aria-labelledby": heading.id }, content, messages);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Whether a click on a link is the browser's: one with a modifier key, or of another button. */
export function isForBrowser(event) {
  return event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
}

/** A link that stays one. */
export function link(address, text, choose, attributes = {}) {
  const onclick = (event) => {
    if (isForBrowser(event)) return;
    event.preventDefault();
    choose();
  };
  return element("a", { href: address, dir: "auto", onclick, ...attributes }, text);
}

/** A button that likes, and one that says how many do and shows who. */
export class LikeControl {
  #heart;
  #count;

  constructor(title, { toggle, showLikers }) {
    this.#heart = element("button", { type: "button", class: "like", "aria-pressed": "false", onclick: toggle });
    this.#count = element("button", { type: "button", class: "count", "aria-haspopup": "dialog", onclick: showLikers });
    this.element = element("div", { class: "likes" }, this.#heart, this.#count);
    this.title = title;
  }

  set title(title) {
    this.#heart.setAttribute("aria-label", `Like “${title}”`);
  }

  /** Shows a count, and whether who looks is in it; what is undefined stays. */
  show({ likesCount, viewerLikes }) {
    if (viewerLikes !== undefined) this.#heart.setAttribute("aria-pressed", String(viewerLikes === true));
    setText(this.#count, likes(likesCount));
  }
}

/** What went wrong, with a way to try again. */
export class Problem {
  #text = element("span");

  constructor(tryAgain) {
    const again = element("button", { type: "button", onclick: tryAgain }, "Try again");
    this.element = element("p", { class: "problem", role: "alert", hidden: true }, this.#text, " ", again);
  }

  get isShown() {
    return !this.element.hidden;
  }

  show(message) {
    this.#text.textContent = message;
    this.element.hidden = false;
  }

  hide() {
    this.element.hidden = true;
  }
}

/** A news in a list. */
export class NewsRow {
  #title = element("h2");
  #facts = element("p", { class: "facts" });
  #control;
  #context;

  constructor(entry, context) {
    this.#context = context;
    this.#control = new LikeControl(entry.title, {
      toggle: () => context.mediator.toggle(entry.id),
      showLikers: () => context.likersChosen(entry.id, this.#title.textContent),
    });
    this.element = element("li", { "data-news": entry.id }, this.#title, this.#facts, this.#control.element);
    this.describe(entry);
    // Not what the entry says: something may have happened since it was read.
    this.show(context.mediator.shown(entry.id));
  }

  /** Shows what is not its count. */
  describe({ id, title, author, publishedAt }) {
    const context = this.#context;
    const titleLink = link(context.addressOf("news", id), title, () => context.newsChosen(id));
    this.#title.replaceChildren(titleLink);
    this.#facts.replaceChildren(...facts({ author, publishedAt }, context));
    this.#control.title = title;
  }

  show(state) {
    this.#control.show(state);
  }
}

/** Who wrote a news, and when it was published. */
export function facts({ author, publishedAt }, context) {
  const parts = [];
  if (author) parts.push(link(context.addressOf("profile", author), author, () => context.profileChosen(author)));
  if (publishedAt) parts.push(time(publishedAt));
  return parts;
}

/** Somebody who likes a news, in a list. */
export class LikerRow {
  constructor({ user, likedAt }, context) {
    const name = link(context.addressOf("profile", user), user, () => context.profileChosen(user));
    this.element = element("li", { "data-user": user }, name, time(likedAt));
  }
}

/** A list that is read page by page, as one scrolls or asks for more. */
export class PagedList {
  /** The rows by the key of their entry. */
  rows = new Map();
  /** Whether what it should show could not be read. */
  hasFailed = false;
  #list;
  #more = element("button", { type: "button", class: "more", hidden: true, onclick: () => this.#load() }, "More");
  #note = element("p", { class: "note", hidden: true });
  #options;
  #cursor = null;
  /** As of where its first page was read. */
  #place = null;
  /** What was applied while a page was on its way. */
  #meanwhile = [];
  #turn = 0;
  #isLoading = false;
  #observer = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && this.#load(), {
    rootMargin: "200px",
  });

  /** Options: `label`, `empty` (a text), `read(cursor)` to {entries, next, place}, `keyOf(entry)`, `rowOf(entry)`. */
  constructor(options) {
    this.#options = options;
    // Without its numbers, some take it for no list.
    this.#list = element("ol", { role: "list", "aria-label": options.label, tabindex: "-1" });
    this.element = element("div", { class: "list" }, this.#list, this.#note, this.#more);
  }

  /** Reads it anew; what is shown stays until there is something to show instead. */
  readAgain() {
    this.#cursor = null;
    this.#place = null;
    this.#meanwhile = [];
    this.#isLoading = false;
    return this.#load();
  }

  /** Shows what has become of a news in it. */
  update(entry) {
    this.apply(entry, () => this.rows.get(entry.id)?.describe(entry));
    this.rows.get(entry.id)?.show(entry);
  }

  close() {
    this.#turn += 1;
    this.#observer.disconnect();
  }

  /**
   * Carries out what a change that the mediator has told asks for, unless the list was read later; and again when a
   * page is on its way that was read before. Wishes change no list: they may come to nothing.
   */
  apply({ place, isWish }, change) {
    if (isWish || place.sequence <= this.#place?.sequence) return;
    if (this.#place) change();
    if (this.#isLoading) this.#meanwhile.push({ place, change });
  }

  /** Puts an entry on top; it moves there when it is in the list already. */
  putFirst(entry) {
    const key = this.#options.keyOf(entry);
    const before = this.rows.get(key)?.element;
    const row = this.#options.rowOf(entry);
    this.rows.set(key, row);
    this.#list.prepend(row.element);
    if (before) this.#removeRow(before, row.element);
    this.#noteEmptiness();
  }

  remove(key) {
    const row = this.rows.get(key)?.element;
    if (row) this.#removeRow(row, row.nextElementSibling ?? row.previousElementSibling);
    this.rows.delete(key);
    this.#noteEmptiness();
  }

  /** Removes a row; the focus, if it is in it, goes to another one. */
  #removeRow(row, other) {
    const hasFocus = row.contains(document.activeElement);
    row.remove();
    if (hasFocus) (other?.querySelector("button, a") ?? this.#list).focus({ preventScroll: true });
  }

  async #load() {
    if (this.#isLoading) return;
    const turn = ++this.#turn;
    const isFirst = this.#cursor === null;
    this.#isLoading = true;
    this.#observer.disconnect();
    this.#list.setAttribute("aria-busy", "true");
    try {
      const page = await this.#options.read(this.#cursor);
      if (turn !== this.#turn) return;
      if (isFirst) this.#clear(page.place);
      this.#append(page);
      for (const { place, change } of this.#meanwhile) if (place.sequence > page.place.sequence) change();
    } catch (refusal) {
      if (turn === this.#turn) this.#fail(refusal);
    } finally {
      if (turn === this.#turn) {
        this.#isLoading = false;
        this.#meanwhile = [];
        this.#list.removeAttribute("aria-busy");
      }
    }
  }

  #clear(place) {
    this.rows.clear();
    this.#list.replaceChildren();
    this.#place = place;
  }

  #append({ entries, next }) {
    for (const entry of entries) {
      const key = this.#options.keyOf(entry);
      // It may have come by the live stream.
      if (this.rows.has(key)) continue;
      const row = this.#options.rowOf(entry);
      this.rows.set(key, row);
      this.#list.append(row.element);
    }
    this.hasFailed = false;
    this.#cursor = next ?? null;
    if (!next && document.activeElement === this.#more) this.#list.focus({ preventScroll: true });
    this.#more.hidden = !next;
    this.#more.textContent = "More";
    if (next) this.#observer.observe(this.#more);
    this.#noteEmptiness();
  }

  #noteEmptiness() {
    if (this.hasFailed) return;
    this.#note.className = "note";
    this.#note.hidden = this.rows.size > 0 || !this.#more.hidden;
    setText(this.#note, this.#options.empty);
  }

  #fail(refusal) {
    this.hasFailed = true;
    this.#note.className = "note problem";
    this.#note.hidden = false;
    setText(this.#note, refusal.message);
    this.#more.hidden = false;
    this.#more.textContent = "Try again";
  }
}
