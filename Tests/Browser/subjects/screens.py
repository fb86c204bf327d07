"""Pictures of every screen: into the folder that LIKESD_SCREENS names, or else to see that they can be taken."""

import os
import tempfile

from playwright.sync_api import expect

from Browser.case import BrowserTest

# Bytes of a picture: README shows them all.
LARGEST = 60 * 1024

SIZE = {"width": 640, "height": 560}
NARROW = {"width": 320, "height": 560}

# Made up: id, title, author, when, likes of an older system.
NEWS = [
    ("27", "A heap of events, and a fold: how the counts stay exact", "ada", "2025-11-30T08:12:00Z", 128),
    ("26", "Swift on the server: one process, one binary, 8 MB", "grace", "2025-11-29T17:40:00Z", 342),
    ("25", "Why a like is a set and never a number", "edsger", "2025-11-29T09:05:00Z", 87),
    ("24", "Server-sent events for ten thousand readers", "radia", "2025-11-28T15:30:00Z", 214),
    ("23", "Durable before it answers: what a commit costs", "jim", "2025-11-27T11:00:00Z", 63),
    ("22", "A page without a build step", "tim", "2025-11-26T13:20:00Z", 155),
    ("21", "The coordinator: screens that do not know each other", "barbara", "2025-11-25T10:45:00Z", 99),
    ("20", "Reading journals backwards", "leslie", "2025-11-24T16:10:00Z", 41),
]
LIKERS = ["katherine", "dorothy", "alan", "john", "margaret", "annie", "niklaus", "frances"]


def likes():
    """Who likes what; always at the same time, so that a picture changes only when the page does."""
    for place, (news, *_) in enumerate(NEWS):
        users = LIKERS[place % 3 :] + ["you"] * (place % 2)
        for minute, user in enumerate(users):
            yield {"op": "like", "news": news, "user": user, "at": f"2025-11-30T10:{minute * 7:02}:00Z"}


class Screens(BrowserTest):
    """Each screen as README shows it."""

    def setUp(self):
        super().setUp()
        for news, title, author, published, earlier in NEWS:
            more = {"author": author, "publishedAt": published, "baseLikes": earlier, "url": "https://example.com/"}
            self.server.make(news, title, **more)
        self.server.call("POST", "/v1/likes", list(likes()))
        self.folder = os.environ.get("LIKESD_SCREENS") or self.enterContext(tempfile.TemporaryDirectory())
        os.makedirs(self.folder, exist_ok=True)

    def take(self, window, name):
        file = os.path.join(self.folder, f"{name}.png")
        window.page.screenshot(path=file, animations="disabled", caret="hide")
        self.assertLess(os.path.getsize(file), LARGEST, file)

    def show(self, target, viewport=SIZE, **options):
        window = self.open(target, "you", viewport=viewport, locale="en-GB", timezone_id="UTC", **options)
        window.expect_shown()
        return window

    def test_feed(self):
        """The feed."""
        self.take(self.show("/"), "feed")

    def test_feed_dark(self):
        """The feed in the dark."""
        self.take(self.show("/", color_scheme="dark"), "feed-dark")

    def test_detail(self):
        """A news, and who likes it."""
        self.take(self.show("/news/26"), "detail")

    def test_likers(self):
        """The sheet that says who likes a news."""
        window = self.show("/")
        window.count("26").click()
        expect(window.sheet.locator("li[data-user]").first).to_be_visible()
        self.take(window, "likers")

    def test_profile(self):
        """A user."""
        self.take(self.show("/profiles/dorothy"), "profile")

    def test_narrow(self):
        """The feed on the smallest telephone."""
        self.take(self.show("/", NARROW), "narrow")

    def test_compact(self):
        """A news as a sheet over the feed."""
        self.take(self.show("/news/26?flow=compact"), "compact")

    def test_demo(self):
        """The like button on a page of somebody else."""
        window = self.window("you", viewport=SIZE)
        window.page.goto("/demo")
        expect(window.page.locator("like-button button")).to_have_count(3)
        expect(window.page.locator("like-button button").first).to_contain_text("1")
        # Not the port that happened to be free.
        window.page.evaluate("document.querySelector('#origin').textContent = 'https://likes.example'")
        self.take(window, "demo")
