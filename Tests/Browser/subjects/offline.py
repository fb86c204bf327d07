"""A lost connection: one sees that it is lost, and misses nothing once it is back. Nothing is reloaded."""

from playwright.sync_api import expect

from Browser.case import BrowserTest
from Browser.page import Hold

# What Chromium says of requests that do not come through.
LOST = r"net::ERR_"


class OfflineTest(BrowserTest):
    """Windows that lose their connection on purpose."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2"], author="linus")

    def open_marked(self, path="/", user="ada"):
        """A window whose page is marked: the mark goes with a reload."""
        window = self.open(path, user)
        window.expect_problem(LOST)
        window.page.evaluate("window.mark = 'the same page'")
        return window

    def expect_offline(self, window):
        window.expect_connection("offline")
        expect(window.connection).to_be_visible()
        expect(window.connection).to_contain_text("Offline.")

    def expect_back(self, window):
        window.expect_live()
        expect(window.connection).to_have_text("")
        self.assertEqual(window.page.evaluate("window.mark"), "the same page")


class Network(OfflineTest):
    """The network of this window is gone."""

    def test_catches_up(self):
        """What happened while one was offline is there when one is online again."""
        feed, detail, profile = self.open_marked(), self.open_marked("/news/1"), self.open_marked("/profiles/ada")
        windows = (feed, detail, profile)
        for window in windows:
            window.context.set_offline(True)
            self.expect_offline(window)
        self.server.like("1", "grace", "ada")
        self.server.make("2", "Changed", author="linus")
        self.server.make("3", "Third")
        feed.expect_entry("1", "0 likes", False)
        for window in windows:
            window.context.set_offline(False)
            self.expect_back(window)
        feed.expect_entry("1", "2 likes", True)
        expect(feed.entry("2").get_by_role("link", name="Changed")).to_be_visible()
        expect(feed.button("1 new")).to_be_visible()
        expect(detail.screen.locator("li[data-user]")).to_have_count(2)
        profile.expect_entry("1", "2 likes", True)
        expect(profile.number("given")).to_have_text("1")

    def test_like(self):
        """A like that one tries while offline is taken back with a message, and works afterwards."""
        window = self.open_marked()
        window.context.set_offline(True)
        self.expect_offline(window)
        window.like_button("1").click()
        window.expect_message()
        window.expect_entry("1", "0 likes", False)
        window.context.set_offline(False)
        self.expect_back(window)
        with window.settled():
            window.like_button("1").click()
        window.expect_entry("1", "1 like", True)

    def test_lost_answer(self):
        """A like that was stored, though its answer was lost, is shown as a like once the stream has told of it."""
        window = self.open_marked()
        hold = Hold(window, "/v1/news/1/likes/ada", "PUT")
        window.like_button("1").click()
        route = hold.wait()
        route.fetch()
        route.abort("connectionreset")
        self.server.like("2", "grace")
        window.expect_entry("2", "1 like", False)
        window.expect_entry("1", "1 like", True)

    def test_opens_screens_later(self):
        """A screen that cannot be read while offline says so, and shows itself when one is back."""
        window = self.open_marked()
        window.context.set_offline(True)
        self.expect_offline(window)
        window.entry("1").get_by_role("link", name="Title of 1").click()
        expect(window.screen).to_have_attribute("data-screen", "detail")
        window.context.set_offline(False)
        self.expect_back(window)
        expect(window.heading).to_have_text("Title of 1")
        self.server.like("1", "grace")
        expect(window.liker("grace")).to_be_visible()


class Restarts(OfflineTest):
    """The server goes, and comes back with what it has kept."""

    durable = True

    def test_killed(self):
        """After a crash of the server the page goes on by itself, and misses nothing."""
        window = self.open_marked()
        self.server.like("1", "alan")
        window.expect_entry("1", "1 like", False)
        self.server.kill()
        self.expect_offline(window)
        window.like_button("1").click()
        window.expect_message()
        window.expect_entry("1", "1 like", False)
        self.server.start()
        self.server.like("1", "grace")
        self.expect_back(window)
        window.expect_entry("1", "2 likes", False)
        with window.settled():
            window.like_button("1").click()
        window.expect_entry("1", "3 likes", True)

    def test_again_and_again(self):
        """However often it happens."""
        window = self.open_marked()
        for number in range(1, 4):
            self.server.kill()
            self.expect_offline(window)
            self.server.start()
            self.server.like("1", f"user {number}")
            self.expect_back(window)
            window.expect_entry("1", f"{number} like{'s' * (number > 1)}", False)


class Resets(OfflineTest):
    """The server comes back with another journal."""

    def test_reset(self):
        """A server that knows nothing of what was before: the page reads everything anew."""
        feed, detail = self.open_marked(), self.open_marked("/news/1")
        self.server.like("1", "grace", "ada")
        feed.expect_entry("1", "2 likes", True)
        expect(detail.screen.locator("li[data-user]")).to_have_count(2)
        self.server.kill()
        self.expect_offline(feed)
        self.server.start()
        self.server.make("1", "Another first")
        self.server.make("7", "Seventh")
        self.server.like("7", "ada")
        self.expect_back(feed)
        self.expect_back(detail)
        feed.expect_entry("7", "1 like", True)
        feed.expect_entry("1", "0 likes", False)
        expect(feed.entry("1").get_by_role("link", name="Another first")).to_be_visible()
        expect(feed.entry("2")).to_have_count(0)
        expect(detail.heading).to_have_text("Another first")
        expect(detail.screen.locator("li[data-user]")).to_have_count(0)
        self.server.like("1", "alan")
        feed.expect_entry("1", "1 like", False)
        expect(detail.liker("alan")).to_be_visible()
