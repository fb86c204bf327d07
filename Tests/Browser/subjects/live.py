"""What others do is to be seen at once, each of it exactly once."""

import random

from playwright.sync_api import expect

from Browser.case import BrowserTest
from Browser.page import Hold

# A test cannot put a tab into the background: for playwright all are in the foreground. This tells the page that it is.
SET_HIDDEN = """
let isHidden = false;
Object.defineProperty(document, "hidden", { get: () => isHidden });
Object.defineProperty(document, "visibilityState", { get: () => (isHidden ? "hidden" : "visible") });
window.setHidden = value => {
    if (value === isHidden) return;
    isHidden = value;
    document.dispatchEvent(new Event("visibilitychange"));
};
"""


class Windows(BrowserTest):
    """Two people, a window each."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2"], author="linus")

    def test_feed(self):
        """A like in one window is counted in the other, and it is not that one's own."""
        ada, grace = self.open(), self.open(user="grace")
        ada.like_button("1").click()
        grace.expect_entry("1", "1 like", False)
        grace.like_button("1").click()
        ada.expect_entry("1", "2 likes", True)
        ada.like_button("1").click()
        grace.expect_entry("1", "1 like", True)

    def test_same_person(self):
        """The same person's second window shows the like as one's own."""
        first, second = self.open(), self.open()
        first.like_button("1").click()
        second.expect_entry("1", "1 like", True)
        second.like_button("1").click()
        first.expect_entry("1", "0 likes", False)

    def test_detail(self):
        """The list of who likes a news grows at its front, and shrinks."""
        ada, grace = self.open("/news/1"), self.open(user="grace")
        self.server.like("1", "alan")
        expect(ada.liker("alan")).to_be_visible()
        grace.like_button("1").click()
        users = ada.screen.locator("li[data-user]")
        expect(users).to_have_count(2)
        expect(users.first).to_have_attribute("data-user", "grace")
        expect(ada.screen.locator("button.count")).to_have_text("2 likes")
        grace.like_button("1").click()
        expect(ada.liker("grace")).to_have_count(0)
        expect(ada.screen.locator("button.count")).to_have_text("1 like")

    def test_sheet(self):
        """So does the list in the sheet."""
        ada = self.open()
        self.server.like("1", "alan")
        ada.count("1").click()
        expect(ada.sheet.locator("li[data-user]")).to_have_count(1)
        self.server.like("1", "grace")
        expect(ada.sheet.locator("li[data-user]")).to_have_count(2)
        expect(ada.sheet.locator("li[data-user]").first).to_have_attribute("data-user", "grace")
        self.server.unlike("1", "alan")
        expect(ada.sheet.locator("li[data-user]")).to_have_count(1)

    def test_profile(self):
        """The numbers of a profile, and what a user likes, are those of this moment."""
        author, liker = self.open("/profiles/linus"), self.open("/profiles/grace")
        expect(author.number("received")).to_have_text("0")
        self.server.like("1", "grace")
        self.server.like("2", "grace")
        expect(author.number("received")).to_have_text("2")
        expect(author.number("given")).to_have_text("0")
        expect(liker.number("given")).to_have_text("2")
        expect(liker.entries).to_have_count(2)
        expect(liker.entries.first).to_have_attribute("data-news", "2")
        self.server.unlike("2", "grace")
        expect(author.number("received")).to_have_text("1")
        expect(liker.number("given")).to_have_text("1")
        expect(liker.entries).to_have_count(1)

    def open_tab(self, window, is_hidden):
        """A further tab of a window's browser; time in it passes when the test says so."""
        page = window.context.new_page()
        page.clock.install()
        page.goto("/")
        page.evaluate("hidden => setHidden(hidden)", is_hidden)
        return page

    def test_many_windows(self):
        """Ten tabs work, though a browser has six connections to a server: those in the background give theirs back."""
        window = self.window()
        window.context.add_init_script(SET_HIDDEN)
        for _ in range(9):
            window.page = self.open_tab(window, is_hidden=False)
            window.expect_entry("1", "0 likes", False)
            window.page.evaluate("setHidden(true)")
            window.page.clock.fast_forward(60_000)
        window.page = self.open_tab(window, is_hidden=False)
        with window.settled():
            window.like_button("1").click()
        window.expect_entry("1", "1 like", True)

    def test_come_back(self):
        """A tab that was in the background for long has missed nothing when one comes back to it."""
        window = self.window()
        window.context.add_init_script(SET_HIDDEN)
        window.page = self.open_tab(window, is_hidden=False)
        window.expect_live()
        window.page.evaluate("setHidden(true)")
        with window.page.expect_event("requestfailed", lambda request: "/v1/events" in request.url):
            window.page.clock.fast_forward(60_000)
        self.server.like("1", "grace")
        window.page.evaluate("setHidden(false)")
        window.expect_entry("1", "1 like", False)
        self.server.like("1", "alan")
        window.expect_entry("1", "2 likes", False)

    def test_opened_in_the_background(self):
        """A tab that is opened in the background, as by a click with the control key, keeps no connection either."""
        window = self.window()
        window.context.add_init_script(SET_HIDDEN + "setHidden(true);")
        for _ in range(7):
            page = self.open_tab(window, is_hidden=True)
            expect(page.locator("li[data-news]")).to_have_count(2)
            page.clock.fast_forward(60_000)
        page.evaluate("setHidden(false)")
        window.page = page
        window.expect_live()
        self.server.like("1", "grace")
        window.expect_entry("1", "1 like", False)


class Moments(BrowserTest):
    """When things happen at the same time."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2"], author="linus")

    def test_before_the_stream(self):
        """What happens after the page has read, and before its stream is open, is not missed."""
        window = self.window()
        hold = Hold(window, "/v1/events")
        window.open(live=False)
        window.expect_entry("1", "0 likes", False)
        hold.wait()
        self.server.like("1", "grace", "ada")
        self.server.make("2", "Changed")
        window.expect_entry("1", "0 likes", False)
        hold.release()
        window.expect_entry("1", "2 likes", True)
        expect(window.entry("2").get_by_role("link", name="Changed")).to_be_visible()

    def test_late_reads(self):
        """What was read before a like, and comes after its event, does not take the like back, in a list neither."""
        window = self.open()
        news, likers = Hold(window, "/v1/news/1?"), Hold(window, "/v1/news/1/likes")
        window.entry("1").get_by_role("link", name="Title of 1").click()
        route = news.wait()
        answer = route.fetch()
        self.server.like("1", "grace")
        self.until_heard(window, "First change")
        route.fulfill(response=answer)
        expect(window.screen.locator("button.count")).to_have_text("1 like")
        route = likers.wait()
        answer = route.fetch()
        self.server.like("1", "alan")
        self.server.unlike("1", "grace")
        self.until_heard(window, "Second change")
        route.fulfill(response=answer)
        expect(window.screen.locator("[aria-busy]")).to_have_count(0)
        expect(window.screen.locator("button.count")).to_have_text("1 like")
        expect(window.liker("alan")).to_be_visible()
        expect(window.liker("grace")).to_have_count(0)
        window.page.go_back()
        window.expect_entry("1", "1 like", False)

    def until_heard(self, window, title):
        """Waits until the page has heard of all that has happened so far, by one thing more: a new title in the feed."""
        self.server.make("2", title)
        feed = window.page.locator("section[data-tab=feed] > article:first-child")
        expect(feed.get_by_text(title, exact=True)).to_have_count(1)

    def test_event_before_answer(self):
        """One's own like is counted once when the stream tells of it before the answer is there."""
        window = self.open()
        texts, hold = window.watch_count("1"), Hold(window, "/v1/news/1/likes/ada", "PUT")
        window.like_button("1").click()
        route = hold.wait()
        answer = route.fetch()
        self.server.like("2", "grace")
        window.expect_entry("2", "1 like", False)
        route.fulfill(response=answer)
        self.server.like("2", "alan")
        window.expect_entry("2", "2 likes", False)
        window.expect_entry("1", "1 like", True)
        self.assertEqual(texts.evaluate("watch => watch.texts"), ["0 likes", "1 like"])

    def test_event_after_answer(self):
        """So it is when the answer is there before the stream tells of it."""
        window = self.window()
        hold = Hold(window, "/v1/events")
        window.open(live=False)
        window.expect_entry("1", "0 likes", False)
        hold.wait()
        texts = window.watch_count("1")
        with window.settled():
            window.like_button("1").click()
        window.expect_entry("1", "1 like", True)
        self.server.like("2", "grace")
        hold.release()
        window.expect_entry("2", "1 like", False)
        window.expect_entry("1", "1 like", True)
        self.assertEqual(texts.evaluate("watch => watch.texts"), ["0 likes", "1 like"])

    def test_taken_back_elsewhere(self):
        """A like that one takes back in another window before its answer is here is not shown as there."""
        window = self.open()
        hold = Hold(window, "/v1/news/1/likes/ada", "PUT")
        window.like_button("1").click()
        route = hold.wait()
        answer = route.fetch()
        self.server.unlike("1", "ada")
        self.server.like("2", "grace")
        window.expect_entry("2", "1 like", False)
        with window.settled():
            route.fulfill(response=answer)
        self.server.like("2", "alan")
        window.expect_entry("2", "2 likes", False)
        window.expect_entry("1", "0 likes", False)

    def test_storm(self):
        """After hundreds of likes and unlikes, by others and by oneself, the page shows what the server has."""
        self.server.make_many(["3", "4", "5"])
        chance, window = random.Random(7), self.open()
        users = [f"user {number}" for number in range(30)]
        for _ in range(10):
            self.server.change(
                (chance.choice(("like", "like", "unlike")), chance.choice("12345"), chance.choice(users)) for _ in range(60)
            )
            window.like_button(str(chance.randint(1, 5))).click()
        for news in "12345":
            window.until(lambda: self.shown(window, news) == self.kept(news), f"news {news} is as the server has it")

    def shown(self, window, news):
        return window.count(news).inner_text(), window.like_button(news).get_attribute("aria-pressed")

    def kept(self, news):
        users = self.server.likers(news)
        number = len(users)
        return f"{number} like{'' if number == 1 else 's'}", "true" if "ada" in users else "false"


class News(BrowserTest):
    """News come, change and go."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2"], author="linus")
        self.server.like("1", "ada")

    def test_added(self):
        """New news do not push away what one is reading: a button tells how many there are, and shows them."""
        window = self.open()
        expect(window.entries).to_have_count(2)
        self.server.make("3", "Third")
        expect(window.button("1 new")).to_be_visible()
        self.server.make_many(["4", "5"])
        expect(window.button("3 new")).to_be_visible()
        expect(window.entries).to_have_count(2)
        window.button("3 new").click()
        expect(window.entries).to_have_count(5)
        window.expect_news(["3", "5", "4", "2", "1"])
        expect(window.button("3 new")).to_have_count(0)
        self.server.like("5", "grace")
        window.expect_entry("5", "1 like", False)

    def test_added_and_deleted(self):
        """A new news that is gone before one has looked is no longer counted."""
        window = self.open()
        self.server.make_many(["3", "4"])
        expect(window.button("2 new")).to_be_visible()
        self.server.delete("3")
        expect(window.button("1 new")).to_be_visible()
        window.button("1 new").click()
        expect(window.entries).to_have_count(3)

    def test_changed(self):
        """A changed title is shown everywhere."""
        feed, detail, profile = self.open(), self.open("/news/1"), self.open("/profiles/ada")
        self.server.make("1", "Changed", author="linus")
        expect(feed.entry("1").get_by_role("link", name="Changed")).to_be_visible()
        expect(feed.screen.get_by_role("button", name="Like “Changed”")).to_be_visible()
        expect(detail.heading).to_have_text("Changed")
        expect(profile.entry("1").get_by_role("link", name="Changed")).to_be_visible()
        feed.expect_entry("1", "1 like", True)

    def test_deleted(self):
        """A deleted news disappears from all screens."""
        feed, detail, profile = self.open(), self.open("/news/1"), self.open("/profiles/ada")
        received = self.open("/profiles/linus")
        expect(received.number("received")).to_have_text("1")
        self.server.delete("1")
        expect(feed.entry("1")).to_have_count(0)
        expect(detail.screen.locator("p.problem")).to_be_visible()
        expect(profile.entry("1")).to_have_count(0)
        expect(profile.number("given")).to_have_text("0")
        expect(received.number("received")).to_have_text("0")

    def test_merged(self):
        """When two news become one, the other shows the likes of both, and the old address leads to it."""
        self.server.like("2", "grace")
        feed, detail = self.open(), self.open("/news/1")
        self.server.merge("1", "2")
        expect(feed.entry("1")).to_have_count(0)
        feed.expect_entry("2", "2 likes", True)
        expect(detail.heading).to_have_text("Title of 2")
        expect(detail.screen.locator("button.count")).to_have_text("2 likes")

    def test_forgotten(self):
        """The likes of a user who is forgotten go from all screens."""
        self.server.like("1", "grace")
        feed, detail, profile = self.open(), self.open("/news/1"), self.open("/profiles/grace")
        expect(profile.number("given")).to_have_text("1")
        self.server.call("DELETE", "/v1/profiles/grace")
        feed.expect_entry("1", "1 like", True)
        expect(detail.liker("grace")).to_have_count(0)
        expect(profile.number("given")).to_have_text("0")
        expect(profile.entries).to_have_count(0)
