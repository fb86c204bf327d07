// <like-button news="9" label="Title" user="grace" service="https://…">
{
const home = document.currentScript?.src || location;
const services = {};
const encode = encodeURIComponent;
const style = new CSSStyleSheet();
style.replaceSync(`button { font: inherit; color: inherit; background: none; border: 1px solid; border-radius: 9em;
  padding: 0 .9em; min-height: 44px }
button::before { content: "♡ " }
[aria-pressed=true]::before { content: "♥ "; color: var(--like-color, #d6336c) }`);

/** Who likes when nobody is named: made once for a browser. */
const made = crypto.getRandomValues(new Uint32Array(4)).join("-");
const visitor = () => {
  try {
    return (localStorage["likesd.visitor"] ??= made);
  } catch {
    return made;
  }
};

/** Buttons with one call for counts, and one stream. */
function makeService(origin) {
  const buttons = new Set();
  let place, events, timer, turn;

  const refresh = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      events?.close();
      const mine = (turn = {});
      if (!document.hidden) read(mine).catch(() => mine === turn && retry());
    }, wait);
  };
  const retry = () => refresh(2e3 + 6e3 * Math.random());
  document.addEventListener("visibilitychange", () => refresh());
  // One bad id: all are refused.
  const newsOf = (some) =>
    [...new Set(some.map((button) => button.news))].filter((id) => id && new Blob([id]).size < 257);

  async function read(mine) {
    for (const button of buttons) button.at = -1;
    for (const [user, some] of Map.groupBy(buttons, (button) => button.user)) {
      const [{ counts }, at] = await call("POST", "/v1/counts", { news: newsOf(some).slice(0, 1000), viewer: user });
      if (mine !== turn) return;
      place ??= at;
      for (const count of counts) learn({ ...count, user }, count.viewerLikes, at);
    }
    if (place && buttons.size) listen(newsOf([...buttons]));
  }

  function listen(news) {
    const filter = news.map((id) => "&news=" + encode(id)).join("");
    events = new EventSource(`${origin}/v1/events?since=${place}${filter.length > 7000 ? "" : filter}`);
    const hear = ({ type, data, lastEventId }) => {
      const event = JSON.parse(data);
      place = lastEventId;
      if (type[0] === "l") return learn(event, type === "likeAdded", place);
      for (const button of buttons)
        if (event.mergedInto && button.news === event.news) button.setAttribute("news", event.mergedInto);
      refresh();
    };
    for (const name of ["likeAdded", "likeRemoved", "newsRemoved", "reset"]) events.addEventListener(name, hear);
    events.onerror = () => events.readyState === 2 && retry();
  }

  function learn({ news, user, likesCount }, liked, place) {
    for (const button of buttons)
      if (button.news === news) button.learn(likesCount, button.user === user ? liked : null, +place.split(".")[1]);
  }

  async function call(method, path, body) {
    const response = await fetch(origin + path, {
      method,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(3e4),
    });
    const answer = await response.json();
    if (!response.ok) throw answer;
    return [answer, response.headers.get("Likes-Sequence")];
  }

  return { buttons, refresh, learn, call };
}

customElements.get("like-button") || customElements.define("like-button", class extends HTMLElement {
  static observedAttributes = ["news", "user", "service", "label"];
  button = document.createElement("button");

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [style];
    root.append(this.button);
    Object.assign(this.button, { className: "count", onclick: () => this.toggle() });
  }

  get news() { return this.getAttribute("news") ?? ""; }
  get user() { return this.getAttribute("user") || visitor(); }

  connectedCallback() {
    const { origin } = new URL(this.getAttribute("service") || home, location);
    Object.assign(this, { likesCount: 0, liked: false, at: -1, wish: null });
    this.service = services[origin] ??= makeService(origin);
    this.service.buttons.add(this);
    this.service.refresh();
    this.show();
  }

  disconnectedCallback() {
    this.service?.buttons.delete(this);
    this.service?.refresh();
  }

  attributeChangedCallback(name) {
    if (!this.service || !this.isConnected) return;
    if (name === "label") return this.show();
    this.disconnectedCallback();
    this.connectedCallback();
  }

  learn(likesCount, liked, at) {
    if (at < this.at) return;
    Object.assign(this, { at, likesCount, liked: liked ?? this.liked });
    this.show();
  }

  show() {
    const liked = this.wish ?? this.liked;
    const count = this.at < 0 ? "" : (this.likesCount + liked - this.liked).toLocaleString();
    this.button.ariaPressed = liked;
    this.button.ariaLabel = `Like ${this.getAttribute("label") ?? ""} ${count}`;
    this.button.textContent = count;
  }

  async toggle() {
    const isRunning = this.wish !== null;
    this.wish = !(this.wish ?? this.liked);
    this.show();
    if (isRunning) return;
    const { news, user, service } = this;
    const path = `/v1/news/${encode(news)}/likes/${encode(user)}`;
    const isOther = () => news !== this.news || user !== this.user;
    try {
      while (this.wish !== null) {
        const { wish } = this;
        const [{ news: id, liked, likesCount, sequence }] = await service.call(wish ? "PUT" : "DELETE", path);
        if (isOther()) return;
        if (wish === this.wish) this.wish = null;
        service.learn({ news, user, likesCount }, liked, `.${sequence}`);
        if (this.wish === null) this.tell("like-changed", { news, liked, likesCount });
        if (id !== news) this.setAttribute("news", id);
      }
    } catch ({ code = "unreachable", detail, message = detail }) {
      if (isOther()) return;
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
