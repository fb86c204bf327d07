"""The like button on pages of other people, which are of another origin than likesd."""

import os
import re

from playwright.sync_api import expect

from Browser.case import BrowserTest
from Browser.page import Hold, refuse
from Browser.site import Site

README = os.path.join(os.path.dirname(__file__), "../../../README.md")

# What a page of somebody else does with the events of the button.
LISTEN = """<script>
window.heard = [];
for (const name of ["like-changed", "like-failed"])
    addEventListener(name, ({ type, detail, target }) => heard.push({ type, ...detail, on: target.localName }));
</script>"""


class ComponentTest(BrowserTest):
    """A site of somebody else, whose origin the server knows."""

    allowed = True

    def setUp(self):
        self.site = Site()
        self.addCleanup(self.site.stop)
        self.flags = (*self.flags, *(["--cors-origin", self.site.origin] if self.allowed else []))
        super().setUp()

    def visit(self, buttons, **options):
        """A window that shows a page with these buttons, pasted as README says."""
        script = f'<script src="{self.server.address}/like-button.js" defer></script>'
        self.site.html = f"<!doctype html><title>A site</title>{LISTEN}<h1>A site</h1>{buttons}{script}"
        window = self.window(None, **options)
        window.page.goto(self.site.origin)
        return window

    def button(self, window, number=0):
        return window.page.locator("like-button").nth(number).locator("button")

    def expect_button(self, window, count, liked, number=0):
        button = self.button(window, number)
        expect(button).to_have_attribute("aria-pressed", "true" if liked else "false")
        expect(window.page.locator("like-button").nth(number).locator(".count")).to_have_text(re.compile(rf"\b{count}\b"))

    def heard(self, window):
        return window.page.evaluate("heard")

    def expect_heard(self, window, *events):
        window.until(lambda: len(self.heard(window)) >= len(events), f"{len(events)} events were fired")
        self.assertEqual(self.heard(window), list(events))


class Component(ComponentTest):
    """One button, or a few."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2", "a/b?c"])
        self.server.like("1", "grace", "alan")

    def test_like(self):
        """It shows the count, likes and unlikes, and tells the page."""
        window = self.visit('<like-button news="1" user="ada"></like-button>')
        self.expect_button(window, 2, False)
        self.button(window).click()
        self.expect_button(window, 3, True)
        first = {"type": "like-changed", "news": "1", "liked": True, "likesCount": 3, "on": "like-button"}
        self.expect_heard(window, first)
        self.assertEqual(self.server.likers("1"), ["ada", "alan", "grace"])
        self.button(window).click()
        self.expect_button(window, 2, False)
        self.expect_heard(window, first, {**first, "liked": False, "likesCount": 2})
        self.assertEqual(self.server.likers("1"), ["alan", "grace"])

    def test_readme(self):
        """The two lines in README work as they stand there."""
        with open(README, encoding="utf-8") as file:
            lines = [line for line in file if line.startswith(("<script ", "<like-button "))]
        self.assertEqual(len(lines), 2)
        self.server.make("9")
        self.site.html = "<!doctype html><title>A site</title>" + "".join(lines).replace(
            "http://localhost:8080", self.server.address
        )
        window = self.window(None)
        window.page.goto(self.site.origin)
        self.expect_button(window, 0, False)
        self.button(window).click()
        self.expect_button(window, 1, True)
        window.until(lambda: self.server.count("9") == 1, "the like is kept")

    def test_state(self):
        """What the user likes already is shown as liked; any id will do."""
        self.server.like("a/b?c", "two words")
        window = self.visit('<like-button news="a/b?c" user="two words"></like-button>')
        self.expect_button(window, 1, True)

    def test_live(self):
        """It shows what others do, at once, and does not tell the page of it as if it were its own click."""
        window = self.visit("".join(f'<like-button news="{news}" user="ada"></like-button>' for news in "12"))
        self.expect_button(window, 2, False)
        self.server.like("1", "linus")
        self.expect_button(window, 3, False)
        self.server.unlike("1", "grace", "alan")
        self.expect_button(window, 1, False)
        self.server.like("2", "ada")
        self.expect_button(window, 1, True, number=1)
        self.assertEqual(self.heard(window), [])

    def test_shown_before_the_answer(self):
        """A like is to be seen before the server has answered."""
        window = self.visit('<like-button news="1" user="ada"></like-button>')
        self.expect_button(window, 2, False)
        hold = Hold(window, "/likes/ada", "PUT")
        self.button(window).click()
        self.expect_button(window, 3, True)
        hold.wait()
        self.assertEqual(self.server.count("1"), 2)
        hold.release()
        window.until(lambda: self.heard(window), "it is settled")
        self.expect_button(window, 3, True)

    def test_refused(self):
        """A refusal takes it back, and tells the page why."""
        window = self.visit('<like-button news="1" user="ada"></like-button>')
        window.expect_problem("status of 503")
        self.expect_button(window, 2, False)
        cross_origin = {"Access-Control-Allow-Origin": self.site.origin}
        problem = '{"code": "unavailable", "detail": "The disk is full."}'
        window.page.route("**/likes/ada", lambda route: route.fulfill(status=503, headers=cross_origin, body=problem))
        self.button(window).click()
        failure = {"news": "1", "code": "unavailable", "message": "The disk is full."}
        self.expect_heard(window, {"type": "like-failed", **failure, "on": "like-button"})
        self.expect_button(window, 2, False)

    def test_unknown_news(self):
        """A like of a news that does not exist is taken back, too."""
        window = self.visit('<like-button news="nope" user="ada"></like-button>')
        window.expect_problem("status of 404")
        self.expect_button(window, 0, False)
        self.button(window).click()
        window.until(lambda: self.heard(window), "it is settled")
        self.assertEqual([(one["type"], one["code"]) for one in self.heard(window)], [("like-failed", "news_not_found")])
        self.expect_button(window, 0, False)

    def test_two_of_one_news(self):
        """Two buttons of one news always agree."""
        window = self.visit('<like-button news="1" user="ada"></like-button>' * 2)
        self.expect_button(window, 2, False, number=1)
        self.button(window, 0).click()
        self.expect_button(window, 3, True, number=1)
        self.button(window, 1).click()
        self.expect_button(window, 2, False, number=0)

    def test_pasted_twice(self):
        """Who pastes both lines for every button breaks nothing."""
        lines = '<like-button news="1" user="ada"></like-button>' + (
            f'<script src="{self.server.address}/like-button.js" defer></script>'
        )
        window = self.visit(lines * 2)
        self.button(window).click()
        self.expect_button(window, 3, True, number=0)
        self.expect_button(window, 3, True, number=1)

    def test_visitor(self):
        """Without a user it is the visitor who likes: the same one after a reload, another one elsewhere."""
        window = self.visit('<like-button news="2"></like-button>' * 2)
        self.button(window).click()
        self.expect_button(window, 1, True, number=1)
        window.page.reload()
        self.expect_button(window, 1, True)
        other = self.visit('<like-button news="2"></like-button>')
        self.expect_button(other, 1, False)
        self.button(other).click()
        self.expect_button(window, 2, True)
        self.assertEqual(len(set(self.server.likers("2"))), 2)

    def test_hundred(self):
        """A hundred buttons need one look at the counts, and one stream."""
        names = [f"news {number}" for number in range(100)]
        self.server.make_many(names)
        self.server.like("news 57", "grace")
        calls = []
        window = self.visit("")
        window.page.on("request", lambda request: calls.append((request.method, request.url)))
        self.site.html = self.site.html.replace(
            "<h1>", "".join(f'<like-button news="{name}" user="ada"></like-button>' for name in names) + "<h1>"
        )
        window.page.reload()
        self.expect_button(window, 1, False, number=57)
        self.expect_button(window, 0, False, number=99)
        self.server.like("news 99", "grace")
        self.expect_button(window, 1, False, number=99)
        asked = [address.removeprefix(self.server.address) for method, address in calls if method != "OPTIONS"]
        paths = [address.partition("?")[0] for address in asked]
        self.assertEqual([path for path in paths if path.startswith("/v1/")], ["/v1/counts", "/v1/events"])

    def test_merged_and_deleted(self):
        """A button of a news that becomes another one shows that one's likes; of one that is deleted, none."""
        window = self.visit("".join(f'<like-button news="{news}" user="ada"></like-button>' for news in "12"))
        self.expect_button(window, 2, False)
        self.server.like("2", "linus", "ada")
        self.expect_button(window, 2, True, number=1)
        self.server.merge("1", "2")
        self.expect_button(window, 4, True, number=0)
        self.expect_button(window, 4, True, number=1)
        self.server.like("2", "frances")
        self.expect_button(window, 5, True, number=0)
        self.server.delete("2")
        self.expect_button(window, 0, False, number=0)
        self.expect_button(window, 0, False, number=1)

    def test_added_and_removed(self):
        """Buttons that come later work, those that go leave the others alone, and one may change its news."""
        window = self.visit('<like-button news="1" user="ada"></like-button>')
        self.expect_button(window, 2, False)
        window.page.evaluate("""() => {
            const button = document.createElement("like-button");
            button.setAttribute("news", "2");
            button.setAttribute("user", "ada");
            document.body.append(button);
        }""")
        self.expect_button(window, 0, False, number=1)
        self.server.like("2", "grace")
        self.expect_button(window, 1, False, number=1)
        with window.page.expect_request("**/v1/counts") as asked:
            window.page.evaluate("document.querySelector('like-button').remove()")
        self.assertEqual(asked.value.post_data_json["news"], ["2"])
        self.server.like("2", "alan")
        self.expect_button(window, 2, False)
        window.page.evaluate("document.querySelector('like-button').setAttribute('news', '1')")
        self.expect_button(window, 2, False)
        self.server.like("1", "linus")
        self.expect_button(window, 3, False)
        window.page.evaluate("document.querySelector('like-button').setAttribute('user', 'linus')")
        self.expect_button(window, 3, True)
        window.page.evaluate("document.body.replaceChildren()")
        self.server.like("1", "ada")
        window.page.evaluate("""document.body.innerHTML = '<like-button news="1" user="ada"></like-button>'""")
        self.expect_button(window, 4, True)

    def test_keyboard(self):
        """It can be reached and used by keyboard, and says what it is for."""
        window = self.visit('<like-button news="1" user="ada" label="Swift on the server"></like-button>')
        self.expect_button(window, 2, False)
        window.page.keyboard.press("Tab")
        window.page.keyboard.press("Space")
        self.expect_button(window, 3, True)
        window.page.keyboard.press("Enter")
        self.expect_button(window, 2, False)
        expect(self.button(window)).to_be_focused()
        expect(window.page.get_by_role("button", name="Swift on the server")).to_be_visible()
        expect(window.page.get_by_role("button", name=re.compile("like", re.IGNORECASE))).to_be_visible()

    def test_size(self):
        """It is small: 6 KB."""
        self.assertLessEqual(len(self.server.ask("GET", "/like-button.js").body), 6 * 1024)

    def test_label_is_a_text(self):
        """A label is a text, whatever is in it."""
        evil = "&lt;img src=x onerror=window.evil=1>"
        window = self.visit(f'<like-button news="1" user="ada" label="{evil}"></like-button>')
        self.expect_button(window, 2, False)
        image = "document.querySelector('like-button').shadowRoot.querySelector('img')"
        self.assertIsNone(window.page.evaluate(f"window.evil ?? {image}"))


class LostConnection(ComponentTest):
    """When the server goes away for a while."""

    durable = True

    def test_catches_up(self):
        """The button shows what happened meanwhile, without a reload, and a click meanwhile is taken back."""
        self.server.make("1")
        window = self.visit('<like-button news="1" user="ada"></like-button>')
        window.expect_problem("net::ERR_")
        self.expect_button(window, 0, False)
        self.server.like("1", "alan")
        self.expect_button(window, 1, False)
        self.server.kill()
        self.button(window).click()
        window.until(lambda: self.heard(window), "it is settled")
        self.assertEqual(self.heard(window)[0]["type"], "like-failed")
        self.expect_button(window, 1, False)
        self.server.start()
        self.server.like("1", "grace")
        self.expect_button(window, 2, False)
        self.button(window).click()
        self.expect_button(window, 3, True)


class OwnJournal(ComponentTest):
    """When another server answers at the same address."""

    def test_reset(self):
        """The button shows what that one has."""
        self.server.make("1")
        window = self.visit('<like-button news="1" user="ada"></like-button>')
        window.expect_problem("net::ERR_")
        self.server.like("1", "alan", "ada")
        self.expect_button(window, 2, True)
        self.server.kill()
        self.server.start()
        self.server.make("1")
        self.expect_button(window, 0, False)
        self.button(window).click()
        self.expect_button(window, 1, True)


class UnknownNews(ComponentTest):
    """Buttons on pages that nobody has registered."""

    flags = ("--create-unknown-news",)

    def test_first_like(self):
        """The first like makes the news."""
        window = self.visit('<like-button news="https://a.example/b?c=1" user="ada"></like-button>')
        self.expect_button(window, 0, False)
        self.button(window).click()
        self.expect_button(window, 1, True)
        window.until(lambda: self.heard(window), "it is settled")
        self.server.like("https://a.example/b?c=1", "grace")
        self.expect_button(window, 2, True)


class NotAllowed(ComponentTest):
    """A site whose origin the server does not know."""

    allowed = False

    def test_says_so(self):
        """The button is there and breaks nothing; a click is taken back, and the page is told."""
        self.server.make("1")
        window = self.visit('<like-button news="1" user="ada"></like-button><p id="after">The rest of the page.</p>')
        window.expect_problem("CORS policy|net::ERR_FAILED|cors-origin")
        expect(self.button(window)).to_be_visible()
        self.button(window).click()
        window.until(lambda: self.heard(window), "it is settled")
        self.assertEqual([(one["type"], one["code"]) for one in self.heard(window)], [("like-failed", "unreachable")])
        expect(self.button(window)).to_have_attribute("aria-pressed", "false")
        expect(window.page.locator("#after")).to_be_visible()
        self.assertEqual(self.server.likers("1"), [])


class Demo(BrowserTest):
    """The example page."""

    def test_demo(self):
        """It shows the button at work, and the lines to paste."""
        self.server.make_many(["1", "2"])
        window = self.open("/demo", live=False)
        buttons = window.page.locator("like-button button")
        expect(buttons).to_have_count(2)
        buttons.first.click()
        expect(buttons.first).to_have_attribute("aria-pressed", "true")
        window.until(lambda: self.server.count("2") == 1, "the like is kept")
        expect(window.page.locator("pre")).to_contain_text(f"{self.server.address}/like-button.js")
        self.server.like("1", "grace")
        expect(buttons.nth(1)).to_contain_text("1")

    def test_empty(self):
        """Without any news it says so."""
        window = self.open("/demo", live=False)
        expect(window.page.locator("main")).to_contain_text("no news")
