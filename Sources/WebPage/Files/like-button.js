// <like-button news="9" label="Title" user="grace" service="https://likes.example">
{
const home = document.currentScript?.src || location;
const services = {};
const style = new CSSStyleSheet();
style.replaceSync(`button { font: inherit; color: inherit; background: none; border: 1px solid; border-radius: 9em;
  padding: 0 .9em; min-height: 44px; cursor: pointer }
button::before { content: "♡ " }
[aria-pressed=true]::before { content: "♥ "; color: var(--like-color, #d6336c) }`);

/** Who likes when nobody is named: a name made up once for this browser. */
function visitor() {
  visitor.made ??= crypto.getRandomValues(new Uint32Array(4)).join("-");
  try {
    return (localStorage["likesd.visitor"] ??= visitor.made);
  } catch {
    return visitor.made;
  }
}

/** The buttons of a service share one look at their counts, and one stream. */
function makeService(origin) {
  const buttons = new Set();
  let place, events, timer, turn;

  // Once for all that change at a time.
  const refresh = (wait = 0) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      events?.close();
      const mine = (turn = {});
      // A hidden tab needs no connection.
      if (!document.hidden) read(mine).catch(() => mine === turn && retry());
    }, wait);
  };
  document.addEventListener("visibilitychange", () => refresh());
  const newsOf = (some) => [...new Set(some.map((button) => button.news))];
  const retry = () => refresh(2000 + 6000 * Math.random());

  async function read(mine) {
    for (const [user, some] of Map.groupBy(buttons, (button) => button.user)) {
      const news = newsOf(some);
      while (news.length) {
        const [{ counts }, at] = await call("POST", "/v1/counts", { news: news.splice(0, 1000), viewer: user });
        if (mine !== turn) return;
        place ??= at;
        for (const count of counts) learn({ ...count, user }, count.viewerLikes, at);
      }
    }
    if (place && buttons.size) listen(newsOf([...buttons]));
  }

  function listen(news) {
    const query = (ids) => new URLSearchParams([["since", place], ...ids.map((id) => ["news", id])]) + "";
    // Too many for an address: all is heard.
    const text = query(news).length > 7000 ? query([]) : query(news);
    events = new EventSource(`${origin}/v1/events?${text}`);
    const on = (name, take) =>
      events.addEventListener(name, (told) => take(JSON.parse(told.data), (place = told.lastEventId)));
    on("likeAdded", (event, at) => learn(event, true, at));
    on("likeRemoved", (event, at) => learn(event, false, at));
    on("newsRemoved", () => refresh());
    on("reset", () => {
      for (const button of buttons) button.at = -1;
      refresh();
    });
    // A browser gives up after a 502.
    events.onerror = () => events.readyState === 2 && retry();
  }

  function learn({ news, user, likesCount }, liked, place) {
    for (const button of buttons)
      if (button.news === news) button.learn(likesCount, button.user === user ? liked : null, +place.split(".")[1]);
  }

  async function call(method, path, body) {
    const headers = body && { "Content-Type": "application/json" };
    const response = await fetch(origin + path, { method, headers, body: body && JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw answer;
    return [answer, response.headers.get("Likes-Sequence")];
  }

  return { buttons, refresh, learn, call };
}

customElements.define("like-button", class extends HTMLElement {
  static observedAttributes = ["news", "user", "service", "label"];
  // What the server says, and as of where; what the user wants.
  likesCount = 0;
  liked = false;
  at = -1;
  wish = null;
  button = document.createElement("button");

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    root.adoptedStyleSheets = [style];
    root.append(this.button);
    Object.assign(this.button, { className: "count", onclick: () => this.toggle() });
  }

  get news() { return this.getAttribute("news") ?? ""; }
  get user() { return this.getAttribute("user") || visitor(); }

  connectedCallback() {
    const { origin } = new URL(this.getAttribute("service") || home, location);
    this.service = services[origin] ??= makeService(origin);
    this.service.buttons.add(this);
    this.service.refresh();
    this.show();
  }

  disconnectedCallback() {
    this.service.buttons.delete(this);
    this.service.refresh();
  }

  attributeChangedCallback() {
    if (!this.service || !this.isConnected) return;
    this.disconnectedCallback();
    this.at = -1;
    this.connectedCallback();
  }

  learn(likesCount, liked, at) {
    if (at < this.at) return;
    Object.assign(this, { at, likesCount, liked: liked ?? this.liked });
    this.show();
  }

  show() {
    const liked = this.wish ?? this.liked;
    const count = this.likesCount + liked - this.liked;
    const label = this.getAttribute("label") ?? "";
    this.button.ariaPressed = liked;
    this.button.ariaLabel = `Like ${label} (${count})`;
    this.button.textContent = count.toLocaleString();
  }

  // Shown at once, asked until the server agrees.
  async toggle() {
    const isRunning = this.wish !== null;
    this.wish = !(this.wish ?? this.liked);
    this.show();
    if (isRunning) return;
    const { news, user, service } = this;
    const path = `/v1/news/${encodeURIComponent(news)}/likes/${encodeURIComponent(user)}`;
    try {
      while (this.wish !== null) {
        const { wish } = this;
        const [{ liked, likesCount, sequence }] = await service.call(wish ? "PUT" : "DELETE", path);
        if (wish === this.wish) this.wish = null;
        service.learn({ news, user, likesCount }, liked, `.${sequence}`);
        if (this.wish === null) this.tell("like-changed", { news, liked, likesCount });
      }
    } catch ({ code = "unreachable", detail, message = detail }) {
      this.wish = null;
      this.tell("like-failed", { news, code, message });
    }
  }

  tell(name, detail) {
    this.show();
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
});
}
