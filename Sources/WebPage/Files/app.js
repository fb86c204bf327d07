// The coordinators: which screen is shown, and how one comes to another. Screens say what was chosen, and no more;
// every way from one to another is in this file.

import { element, isForBrowser, showDialog } from "./elements.js";
import { DetailScreen, LikersScreen } from "./detail.js";
import { FeedScreen } from "./feed.js";
import { LikesMediator } from "./mediator.js";
import { ProfileScreen } from "./profile.js";

/** How one comes to a place: in each flow in another way. No screen knows which one it is. */
const FLOWS = {
  standard: { news: "push", profile: "push", likers: "sheet" },
  compact: { news: "sheet", profile: "push", likers: "sheet" },
};

const SCREENS = { feed: FeedScreen, news: DetailScreen, profile: ProfileScreen, likers: LikersScreen };

/** What the screens are called in the page. */
const NAMES = { feed: "feed", news: "detail", profile: "profile", likers: "likers" };

const ROOTS = { feed: { place: "feed", sort: "newest" }, profile: { place: "profile" } };

/** How many screens a tab keeps. */
const DEEPEST = 30;

const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** A screen that is shown, with what is around it. */
class Shown {
  #mediator;
  #isStarted = false;
  #focused = null;
  #scrolled = 0;

  constructor(route, context, button) {
    this.route = route;
    this.#mediator = context.mediator;
    this.screen = new SCREENS[route.place](route, context);
    this.element = element("article", { "data-screen": NAMES[route.place], hidden: true }, button, this.screen.element);
  }

  stop() {
    this.#mediator.remove(this.screen);
    this.screen.stop();
    this.element.remove();
  }

  hide() {
    if (this.element.hidden) return;
    this.#focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    this.#scrolled = scrollY;
    this.element.hidden = true;
  }

  /** Shows it: as it was left, or for the first time, and then it begins its work. */
  show() {
    if (!this.element.hidden) return;
    this.element.hidden = false;
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#mediator.add(this.screen);
      return this.screen.start();
    }
    scrollTo(0, this.#scrolled);
    this.#focused?.focus({ preventScroll: true });
  }
}

/** The coordinator of a tab: a stack of screens, of which the uppermost is shown. */
class TabCoordinator {
  #shown = [];
  #context;
  #goBack;

  constructor(name, context, goBack) {
    this.#context = context;
    this.#goBack = goBack;
    this.stack = [ROOTS[name]];
    this.element = element("section", { "data-tab": name, hidden: true });
  }

  get top() {
    return this.#shown.at(-1);
  }

  /** Makes the stack this one: screens that stay in it stay as they are. Whether a new one is on top. */
  show(stack) {
    let kept = 0;
    while (kept < this.#shown.length && kept < stack.length && this.#keep(this.#shown[kept], stack[kept])) kept += 1;
    if (kept < stack.length) this.top?.hide();
    for (const shown of this.#shown.splice(kept)) shown.stop();
    for (const route of stack.slice(kept)) this.#push(route);
    this.stack = stack;
    this.element.hidden = false;
    this.top.show();
    return kept < stack.length;
  }

  hide() {
    this.top?.hide();
    this.element.hidden = true;
  }

  #keep(shown, route) {
    if (shown.route.place !== route.place) return false;
    if (!isSame(shown.route, route)) {
      if (!shown.screen.update) return false;
      shown.screen.update(route);
      shown.route = route;
    }
    return true;
  }

  #push(route) {
    const back = element("button", { type: "button", class: "back", onclick: this.#goBack }, "Back");
    const shown = new Shown(route, this.#context, this.#shown.length > 0 ? back : null);
    this.#shown.push(shown);
    this.element.append(shown.element);
  }
}

/** The coordinator of the page: its tabs are its children, and sheets lie over them. */
class AppCoordinator {
  #mediator = new LikesMediator(keptName.get(), this);
  #flow = new URLSearchParams(location.search).get("flow");
  #context = this.#makeContext();
  #tabs = {};
  #sheets = [];
  #state = null;
  #isReturning = false;
  #nameBox = document.querySelector("#user");

  /** Shows what the address, or the history of this tab of the browser, says. */
  start() {
    history.scrollRestoration = "manual";
    const main = document.querySelector("main");
    for (const name of Object.keys(ROOTS)) {
      this.#tabs[name] = new TabCoordinator(name, this.#context, () => this.#goBack());
      main.append(this.#tabs[name].element);
    }
    addEventListener("popstate", (event) => {
      const state = event.state ?? this.#stateOf(location);
      // Who looks may be somebody else now.
      history.replaceState(state, "", this.#addressOfState(state));
      this.#show(state);
    });
    document.querySelector("#tabs").addEventListener("click", (event) => this.#tabClicked(event));
    document.querySelector(".skip").addEventListener("click", (event) => {
      event.preventDefault();
      main.focus();
    });
    this.#nameBox.value = this.#mediator.user;
    this.#nameBox.addEventListener("change", () => this.#nameChanged());
    this.#nameBox.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#nameChanged();
    });
    const state = history.state ?? this.#stateOf(location);
    history.replaceState(state, "");
    this.#show(state, { isFirst: true });
  }

  // --- What screens may say ---

  #makeContext() {
    return {
      mediator: this.#mediator,
      addressOf: (place, id) => this.#addressOf(place === "feed" ? { place, sort: id } : { place, id, user: id }),
      newsChosen: (id) => this.#go({ place: "news", id }),
      profileChosen: (user) => this.#go({ place: "profile", user }),
      likersChosen: (id, title) => this.#go({ place: "likers", id, title }),
      sortChosen: (sort) => this.#navigate({ tab: "feed", stack: [{ place: "feed", sort }], sheets: [] }),
      newsMoved: (from, to) => this.#move(from, to),
      titleChanged: () => this.#showTitle(),
      asked: (question, yes) => this.#ask(question, yes),
    };
  }

  // --- Ways ---

  get #ways() {
    return Object.hasOwn(FLOWS, this.#flow) ? FLOWS[this.#flow] : FLOWS.standard;
  }

  #go(route) {
    const { tab, stack, sheets } = this.#state;
    if (this.#ways[route.place] === "sheet") this.#navigate({ tab, stack, sheets: [...sheets, route] });
    else if (!isSame(stack.at(-1), route)) this.#navigate({ tab, stack: deeper(stack, route), sheets: [] });
    else if (sheets.length > 0) this.#navigate({ tab, stack, sheets: [] });
  }

  #goBack() {
    const { tab, stack } = this.#state;
    this.#return({ tab, stack: stack.slice(0, -1), sheets: [] });
  }

  #closeSheet() {
    const { tab, stack, sheets } = this.#state;
    this.#return({ tab, stack, sheets: sheets.slice(0, -1) });
  }

  /** Goes to where one was: back in the history if that is the last step, else onwards. */
  #return(target) {
    const { tab, stack, sheets } = target;
    if (this.#isReturning) return;
    if (!isSame(this.#state.before, { tab, stack, sheets })) return this.#navigate(target);
    // The browser does it a moment later, and a second click must not go back twice.
    this.#isReturning = true;
    history.back();
  }

  /** A news is another one now, since it was merged: wherever it is shown, that is what is shown. */
  #move(from, to) {
    const moved = (route) => (route.place === "news" && route.id === from ? { ...route, id: to } : route);
    for (const sheet of this.#sheets) sheet.route = moved(sheet.route);
    const { stack, sheets } = this.#state;
    const state = { ...this.#state, stack: stack.map(moved), sheets: sheets.map(moved) };
    history.replaceState(state, "", this.#addressOfState(state));
    this.#show(state);
  }

  #tabClicked(event) {
    const name = event.target.closest("a")?.dataset.tab;
    if (!name || isForBrowser(event)) return;
    event.preventDefault();
    // The tab that is chosen already goes back to its root.
    const stack = name === this.#state.tab ? [this.#tabs[name].stack[0]] : this.#tabs[name].stack;
    this.#navigate({ tab: name, stack, sheets: [] });
  }

  #navigate(target) {
    const { tab, stack, sheets } = this.#state;
    if (isSame({ tab, stack, sheets }, target)) return;
    const state = { ...target, before: { tab, stack, sheets } };
    history.pushState(state, "", this.#addressOfState(state));
    this.#show(state);
  }

  // --- Showing ---

  #show(state, { isFirst = false } = {}) {
    this.#state = state;
    this.#isReturning = false;
    // A question is about what was shown.
    document.querySelector("dialog:has(> .question)")?.close();
    for (const [name, tab] of Object.entries(this.#tabs)) if (name !== state.tab) tab.hide();
    const tab = this.#tabs[state.tab];
    const isNew = tab.show(state.stack);
    this.#showSheets(state.sheets);
    this.#showTabs();
    this.#showTitle();
    if (!isNew || isFirst || state.sheets.length > 0) return;
    scrollTo(0, 0);
    tab.top.screen.heading.focus({ preventScroll: true });
  }

  #showTabs() {
    for (const link of document.querySelectorAll("#tabs a")) {
      link.href = this.#addressOf(ROOTS[link.dataset.tab]);
      if (link.dataset.tab === this.#state.tab) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  #showSheets(routes) {
    let kept = 0;
    while (kept < routes.length && isSame(this.#sheets[kept]?.route, routes[kept])) kept += 1;
    for (const sheet of this.#sheets.splice(kept).reverse()) sheet.close();
    for (const route of routes.slice(kept)) this.#sheets.push(this.#openSheet(route));
  }

  #openSheet(route) {
    const button = element("button", { type: "button", class: "close", onclick: () => this.#closeSheet() }, "Close");
    const shown = new Shown(route, this.#context, button);
    const dialog = showDialog(shown.screen.heading, shown.element);
    // Escape closes a dialog without asking.
    dialog.addEventListener("close", () => this.#sheets.at(-1)?.dialog === dialog && this.#closeSheet());
    dialog.addEventListener("click", (event) => event.target === dialog && this.#closeSheet());
    shown.show();
    shown.screen.heading.focus();
    const close = () => {
      shown.stop();
      dialog.close();
      dialog.remove();
    };
    return { route, dialog, shown, close };
  }

  #showTitle() {
    const top = this.#sheets.at(-1)?.shown ?? this.#tabs[this.#state?.tab]?.top;
    document.title = top ? `${top.screen.title} · likesd` : "likesd";
  }

  /** Asks a question. Whether the answer is yes. */
  #ask(question, yes) {
    const heading = element("h2", {}, question);
    const form = element(
      "form",
      { method: "dialog", class: "question" },
      heading,
      element("button", { value: "no" }, "Cancel"),
      element("button", { value: "yes", class: "strong" }, yes),
    );
    const dialog = showDialog(heading, form);
    return new Promise((resolve) => {
      dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(dialog.returnValue === "yes");
      });
    });
  }

  // --- Addresses ---

  #addressOfState({ stack, sheets }) {
    return this.#addressOf(sheets.findLast((route) => route.place !== "likers") ?? stack.at(-1));
  }

  #addressOf(route) {
    const query = new URLSearchParams();
    if (route.place === "feed" && route.sort !== "newest") query.set("sort", route.sort);
    if (this.#flow) query.set("flow", this.#flow);
    const text = query.toString();
    return pathOf(route, this.#mediator.user) + (text ? `?${text}` : "");
  }

  /** What an address shows that was opened directly. */
  #stateOf({ pathname, search }) {
    const [, first, second] = pathname.split("/");
    const sort = new URLSearchParams(search).get("sort");
    const feed = ["top", "trending"].includes(sort) ? { place: "feed", sort } : ROOTS.feed;
    if (first === "profiles") {
      const user = second && decodeURIComponent(second);
      const isOther = user && user !== this.#mediator.user;
      const stack = [ROOTS.profile, ...(isOther ? [{ place: "profile", user }] : [])];
      return { tab: "profile", stack, sheets: [] };
    }
    if (first !== "news") return { tab: "feed", stack: [feed], sheets: [] };
    const route = { place: "news", id: decodeURIComponent(second) };
    const isSheet = this.#ways.news === "sheet";
    return { tab: "feed", stack: isSheet ? [feed] : [feed, route], sheets: isSheet ? [route] : [] };
  }

  // --- Who looks ---

  #nameChanged() {
    const name = (this.#nameBox.value = this.#nameBox.value.trim());
    const problem = this.#mediator.setUser(name);
    this.#nameBox.setAttribute("aria-invalid", String(Boolean(problem)));
    if (problem) return this.refused(problem);
    keptName.set(name);
    document.querySelector("#messages").replaceChildren();
    history.replaceState(this.#state, "", this.#addressOfState(this.#state));
    this.#showTabs();
  }

  // --- What the mediator says ---

  connectionChanged(state) {
    document.documentElement.dataset.connection = state;
    document.querySelector("#connection").textContent =
      state === "offline" ? "Offline. What you see may be old; it goes on by itself." : "";
  }

  refused(message) {
    // In a dialog, for all else is out of reach while one is open.
    const dialog = document.querySelector("dialog[open]:last-of-type");
    const dismissed = () => {
      line.remove();
      (dialog ?? document.querySelector("main")).focus({ preventScroll: true });
    };
    const line = element("p", {}, message, " ", element("button", { type: "button", onclick: dismissed }, "Dismiss"));
    (dialog ?? document).querySelector(".messages").replaceChildren(line);
  }

  userNeeded() {
    const { tab, stack, sheets } = this.#state;
    if (sheets.length > 0) this.#navigate({ tab, stack, sheets: [] });
    this.refused("Say who you are, then you can like.");
    this.#nameBox.focus();
  }
}

/** A stack with one more screen; what becomes too deep loses the oldest above its root. */
function deeper(stack, route) {
  const [root, ...rest] = [...stack, route];
  return [root, ...rest.slice(1 - DEEPEST)];
}

/** The path of a place. */
function pathOf({ place, id, user }, viewer) {
  if (place === "news") return `/news/${encodeURIComponent(id)}`;
  if (place === "profile") return user || viewer ? `/profiles/${encodeURIComponent(user || viewer)}` : "/profiles";
  return "/";
}

/** The name under which the user likes, kept where the browser allows it. */
const keptName = {
  get() {
    try {
      return localStorage.getItem("likesd.user") ?? "";
    } catch {
      return "";
    }
  },
  set(name) {
    try {
      localStorage.setItem("likesd.user", name);
    } catch {
      // It is asked for again next time.
    }
  },
};

new AppCoordinator().start();
