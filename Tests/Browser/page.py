"""A window of the browser: what people see of the page in it, and what went wrong in it unseen."""

import contextlib
import json
import re
import time

from playwright.sync_api import expect

# Seconds until something is to be seen. It is there within a moment, unless the machine is very busy.
PATIENCE = 20

# Tells the console of what the Content-Security-Policy forbids, also where Chromium does not.
TELL_VIOLATIONS = """
addEventListener("securitypolicyviolation", event =>
    console.error(`Content-Security-Policy: ${event.effectiveDirective} ${event.blockedURI}`))
"""

# Every text that the selected element ever has, "" while there is no such element.
WATCH = """selector => {
    const text = () => document.querySelector(selector)?.textContent.trim() ?? "";
    const watch = { texts: [text()] };
    const look = () => { if (text() !== watch.texts.at(-1)) watch.texts.push(text()); };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    return watch;
}"""


def has(attribute, value):
    """A selector for elements whose attribute has exactly this value, whatever is in it."""
    return f"[{attribute}={json.dumps(value, ensure_ascii=False)}]"


class Window:
    """One window, in a browser profile of its own: with other windows it shares nothing but the server."""

    def __init__(self, browser, address, user=None, **options):
        storage = [{"name": "likesd.user", "value": user}] if user else []
        state = {"origins": [{"origin": address, "localStorage": storage}]}
        self.address, self.problems, self.expected = address, [], []
        self.context = browser.new_context(base_url=address, storage_state=state, **options)
        self.context.set_default_timeout(1000 * PATIENCE)
        self.context.add_init_script(TELL_VIOLATIONS)
        self.context.on("console", self._hear)
        self.context.on("weberror", lambda fault: self.problems.append(f"uncaught: {fault.error}"))
        self.page = self.context.new_page()

    def _hear(self, message):
        if message.type == "error":
            self.problems.append(f"{message.text} ({message.location.get('url', '')})")

    # --- What went wrong ----------------------------------------------------------------------------------------------
    def expect_problem(self, pattern):
        """From now on the console may say this, as a regular expression: a test makes something fail on purpose."""
        self.expected.append(pattern)

    def unexpected_problems(self):
        return [text for text in self.problems if not any(re.search(pattern, text) for pattern in self.expected)]

    def close(self):
        self.context.close()

    # --- What is to be seen -------------------------------------------------------------------------------------------
    def open(self, path="/", live=True):
        """Opens an address of the page. `live`: and waits until the page hears of what happens."""
        self.page.goto(path)
        if live:
            self.expect_live()
        return self

    def expect_live(self):
        self.expect_connection("live")

    def expect_connection(self, state):
        expect(self.page.locator("html")).to_have_attribute("data-connection", state)

    def expect_shown(self):
        """A screen, or a page of another kind, is there with all that it has to show at first."""
        expect(self.page.locator("h1:visible").first).not_to_be_empty()
        expect(self.page.locator("[aria-busy=true]")).to_have_count(0)

    @property
    def screen(self):
        """The screen that is shown: the top one of the chosen tab."""
        return self.page.locator("main section:not([hidden]) > article:not([hidden])")

    @property
    def sheet(self):
        """The dialog that is open."""
        return self.page.locator("dialog[open]")

    @property
    def heading(self):
        return self.screen.get_by_role("heading", level=1)

    @property
    def connection(self):
        return self.page.locator("#connection")

    @property
    def messages(self):
        return self.page.locator("#messages")

    @property
    def name_box(self):
        return self.page.get_by_role("textbox", name="Your name")

    @property
    def entries(self):
        """The news of the list that is shown."""
        return self.screen.locator("li[data-news]")

    def entry(self, news):
        return self.screen.locator("li" + has("data-news", news))

    def like_button(self, news):
        """The like button of a news in the list that is shown."""
        return self.entry(news).locator("button.like")

    def count(self, news):
        """What is told of a news in the list that is shown: "12 likes"."""
        return self.entry(news).locator("button.count")

    def liker(self, user):
        """A user in the list of those who like what is shown."""
        return self.screen.locator("li" + has("data-user", user))

    def number(self, name):
        """A number of the profile that is shown: "given" or "received"."""
        return self.screen.locator("dd" + has("data-number", name))

    def tab(self, name):
        return self.page.get_by_role("navigation", name="Tabs").get_by_role("link", name=name)

    def button(self, name):
        return self.screen.get_by_role("button", name=name, exact=True)

    def say_name(self, name):
        """Says who one is, as people do: by typing it, and Enter."""
        self.name_box.fill(name)
        self.name_box.press("Enter")

    def expect_entry(self, news, count, liked):
        """How a news is shown in the list."""
        expect(self.count(news)).to_have_text(count)
        expect(self.like_button(news)).to_have_attribute("aria-pressed", "true" if liked else "false")

    def expect_news(self, news):
        """Which news the list shows, in its order."""
        expect(self.entries).to_have_count(len(news))
        for place, identifier in enumerate(news):
            expect(self.entries.nth(place)).to_have_attribute("data-news", identifier)

    def expect_message(self, text=re.compile(r"\w")):
        expect(self.messages.get_by_role("button", name="Dismiss").first).to_be_visible()
        expect(self.messages).to_contain_text(text)

    def expect_path(self, path):
        """The address in the address bar, without the origin."""
        expect(self.page).to_have_url(self.address + path)

    def watch_count(self, news):
        """From now on every text of the count of a news in the list, however shortly it is shown."""
        selector = "main section:not([hidden]) > article:not([hidden]) li" + has("data-news", news) + " button.count"
        return self.page.evaluate_handle(WATCH, selector)

    # --- Waiting ------------------------------------------------------------------------------------------------------
    def until(self, holds, what):
        """Looks at each frame that the browser draws whether something holds."""
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(f"after {PATIENCE} seconds still not: {what}")
            self.page.evaluate("() => new Promise(requestAnimationFrame)")

    @contextlib.contextmanager
    def settled(self, method="PUT"):
        """Waits, after what is done inside, for the answer to the like or unlike that it causes."""

        def is_it(response):
            return "/likes" in response.url and response.request.method == method

        with self.page.expect_response(is_it) as answer:
            yield
        answer.value.finished()


class Hold:
    """Requests of a window that are kept back until the test lets them go."""

    def __init__(self, window, part, method="GET"):
        self.window, self.method, self.routes, self.is_over = window, method, [], False
        self.matches = lambda address: part in address
        window.page.route(self.matches, self._take)

    def _take(self, route):
        if self.is_over or route.request.method != self.method:
            route.fallback()
        else:
            self.routes.append(route)

    def wait(self, number=1):
        """The last of so many requests, once they have been made."""
        self.window.until(lambda: len(self.routes) >= number, f"{number} requests are held back")
        return self.routes[number - 1]

    def release(self):
        """Lets all go on that were made, and those that will be."""
        self.is_over = True
        for route in self.routes:
            route.continue_()
        self.routes.clear()


def refuse(route, status, code, detail):
    """Answers a request in the place of the server."""
    problem = {"type": "about:blank", "title": "Refused", "status": status, "code": code, "detail": detail}
    route.fulfill(status=status, content_type="application/problem+json", body=json.dumps(problem))
