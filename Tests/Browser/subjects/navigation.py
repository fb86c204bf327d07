"""Finding one's way: addresses, back and forward, tabs that remember, and lists that stay where they were."""

import re

from playwright.sync_api import expect

from Browser.case import BrowserTest

# Ids that mean something else in an address, unless they are encoded.
SPECIAL = ["a/b", "50%", "%2F", "what?", "a#b", "✨", "two words", "1+1", "a&b=c", "https://a.example/b?c=1", "'\"\\"]


class Addresses(BrowserTest):
    """Every screen has an address that can be sent to somebody else."""

    def test_news(self):
        """The address of a news opens it; its "Back" leads to the feed, though one has never been there."""
        self.server.make("9", "Free Downloads", author="linus")
        self.server.like("9", "grace")
        window = self.open("/news/9")
        expect(window.screen).to_have_attribute("data-screen", "detail")
        expect(window.heading).to_have_text("Free Downloads")
        expect(window.liker("grace")).to_be_visible()
        expect(window.tab("Feed")).to_have_attribute("aria-current", "page")
        expect(window.page).to_have_title(re.compile("Free Downloads"))
        window.button("Back").click()
        expect(window.heading).to_have_text("News")
        window.expect_entry("9", "1 like", False)
        window.expect_path("/")

    def test_profile(self):
        """So does that of a user."""
        self.server.make("9", "Free Downloads")
        self.server.like("9", "40310")
        window = self.open("/profiles/40310")
        expect(window.screen).to_have_attribute("data-screen", "profile")
        expect(window.heading).to_have_text("40310")
        expect(window.number("given")).to_have_text("1")
        window.expect_entry("9", "1 like", False)
        expect(window.tab("Profile")).to_have_attribute("aria-current", "page")

    def test_special_ids(self):
        """Whatever stands in an id, the address that one sees leads to it, in anybody's browser."""
        self.server.make_many(SPECIAL, author="x")
        self.server.change([("like", news, news) for news in SPECIAL])
        window, other = self.open(), self.open()
        for name in SPECIAL:
            with self.subTest(id=name):
                window.entry(name).get_by_role("link", name=f"Title of {name}", exact=True).click()
                expect(window.heading).to_have_text(f"Title of {name}")
                self.expect_same(other, window.page.url, f"Title of {name}")
                window.liker(name).get_by_role("link").click()
                expect(window.heading).to_have_text(name)
                expect(window.number("given")).to_have_text("1")
                self.expect_same(other, window.page.url, name)
                window.tab("Feed").click()
                expect(window.heading).to_have_text("News")

    def expect_same(self, other, address, heading):
        other.page.goto(address)
        expect(other.heading).to_have_text(heading)

    def test_unknown_news(self):
        """Of a news that does not exist one is told so, and finds back to the others."""
        self.server.make("1")
        window = self.window()
        window.expect_problem("status of 404")
        window.open("/news/nope", live=False)
        expect(window.screen.locator("p.problem")).to_be_visible()
        expect(window.screen.locator("p.problem")).to_contain_text(re.compile("no news", re.IGNORECASE))
        window.button("Back").click()
        expect(window.entry("1")).to_be_visible()

    def test_unknown_user(self):
        """A user that has never liked anything is a user with zeros."""
        window = self.open("/profiles/nobody")
        expect(window.heading).to_have_text("nobody")
        expect(window.number("given")).to_have_text("0")
        expect(window.number("received")).to_have_text("0")

    def test_impossible_ids(self):
        """An address with an id that cannot be is answered with a clear error, and nothing breaks."""
        for target in ("/news/a%00b", "/profiles/" + "a" * 257, "/news/%FF"):
            with self.subTest(target=target):
                answer = self.server.ask("GET", target)
                self.assertIn(answer.status, (200, 400))
        window = self.window()
        window.expect_problem("status of 400|favicon")
        window.page.goto("/news/a%01b")
        expect(window.page.locator("body")).to_contain_text(re.compile(r"\w"))

    def test_unknown_addresses(self):
        """What is no address of the page is 404, so that nobody takes it for one."""
        for target in ("/nothing", "/news", "/news/a/b", "/profiles/a/b", "/page/nothing.js", "/page/", "/demo/"):
            with self.subTest(target=target):
                self.assertEqual(self.server.ask("GET", target).status, 404)

    def test_merged(self):
        """The old address of a news that was merged leads to the news it became."""
        self.server.make_many(["1", "2"])
        self.server.merge("1", "2")
        window = self.open("/news/1")
        expect(window.heading).to_have_text("Title of 2")
        window.expect_path("/news/2")
        with window.settled():
            window.screen.locator("button.like").click()
        self.assertEqual(self.server.likers("2"), ["ada"])

    def test_own_profile(self):
        """The profile tab shows oneself; who has not said who one is is asked."""
        self.server.make("1")
        self.server.like("1", "ada")
        window = self.open()
        window.tab("Profile").click()
        expect(window.heading).to_have_text("ada")
        expect(window.number("given")).to_have_text("1")
        nobody = self.open("/profiles", user=None, live=False)
        expect(nobody.screen).to_contain_text(re.compile("who you are", re.IGNORECASE))
        nobody.say_name("ada")
        expect(nobody.heading).to_have_text("ada")

    def test_orders(self):
        """The orders of the feed have addresses, too."""
        self.server.make_many(["1", "2", "3"])
        self.server.like("2", "grace", "alan")
        self.server.like("1", "grace")
        window = self.open("/?sort=top")
        self.expect_order(window, "Top", ["2", "1", "3"])
        orders = window.screen.get_by_role("navigation", name="Order")
        orders.get_by_role("link", name="Newest").click()
        self.expect_order(window, "Newest", ["3", "2", "1"])
        orders.get_by_role("link", name="Trending").click()
        self.expect_order(window, "Trending", ["2", "1", "3"])
        window.expect_path("/?sort=trending")
        window.page.go_back()
        self.expect_order(window, "Newest", ["3", "2", "1"])
        window.page.go_back()
        self.expect_order(window, "Top", ["2", "1", "3"])
        window.page.reload()
        self.expect_order(window, "Top", ["2", "1", "3"])

    def expect_order(self, window, name, news):
        link = window.screen.get_by_role("navigation", name="Order").get_by_role("link", name=name)
        expect(link).to_have_attribute("aria-current", "true")
        window.expect_news(news)


class Ways(BrowserTest):
    """There and back again."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2", "3"], author="linus")
        self.server.like("1", "ada", "grace")

    def follow(self, window, news):
        window.entry(news).get_by_role("link", name=f"Title of {news}").click()
        expect(window.heading).to_have_text(f"Title of {news}")

    def test_back_and_forward(self):
        """The browser's back and forward lead through the screens as through pages."""
        window = self.open()
        self.follow(window, "1")
        window.expect_path("/news/1")
        window.screen.get_by_role("link", name="linus").click()
        expect(window.heading).to_have_text("linus")
        window.expect_path("/profiles/linus")
        window.page.go_back()
        expect(window.heading).to_have_text("Title of 1")
        window.expect_path("/news/1")
        window.page.go_back()
        expect(window.heading).to_have_text("News")
        window.expect_path("/")
        window.page.go_forward()
        expect(window.heading).to_have_text("Title of 1")
        window.page.go_forward()
        expect(window.heading).to_have_text("linus")
        expect(window.number("received")).to_have_text("2")

    def test_back_button(self):
        """The button "Back" is the way back, too, step by step, and the browser's own way agrees with it."""
        window = self.open()
        self.follow(window, "1")
        window.liker("grace").get_by_role("link").click()
        expect(window.heading).to_have_text("grace")
        window.button("Back").click()
        expect(window.heading).to_have_text("Title of 1")
        window.button("Back").click()
        expect(window.heading).to_have_text("News")
        window.expect_path("/")
        self.follow(window, "2")
        window.page.go_back()
        expect(window.heading).to_have_text("News")

    def test_tabs(self):
        """Each tab is still where one left it."""
        window = self.open()
        self.follow(window, "2")
        window.tab("Profile").click()
        expect(window.heading).to_have_text("ada")
        expect(window.tab("Profile")).to_have_attribute("aria-current", "page")
        expect(window.tab("Feed")).not_to_have_attribute("aria-current", "page")
        self.follow(window, "1")
        window.tab("Feed").click()
        expect(window.heading).to_have_text("Title of 2")
        window.expect_path("/news/2")
        window.tab("Profile").click()
        expect(window.heading).to_have_text("Title of 1")
        window.button("Back").click()
        expect(window.heading).to_have_text("ada")
        window.tab("Feed").click()
        window.button("Back").click()
        expect(window.heading).to_have_text("News")

    def test_same_tab_again(self):
        """A click on the tab that one is in leads to its first screen."""
        window = self.open()
        self.follow(window, "2")
        window.tab("Feed").click()
        expect(window.heading).to_have_text("News")
        window.expect_path("/")

    def test_reload(self):
        """A reload shows the same screen, and the way back is still there."""
        window = self.open()
        self.follow(window, "1")
        window.page.reload()
        expect(window.heading).to_have_text("Title of 1")
        window.button("Back").click()
        expect(window.heading).to_have_text("News")
        window.expect_entry("1", "2 likes", True)

    def test_new_tab(self):
        """A click with the control key, or the middle button, opens a tab of the browser, as on any page."""
        window = self.open()
        link = window.entry("1").get_by_role("link", name="Title of 1")
        for how in ({"modifiers": ["Control"]}, {"button": "middle"}):
            with self.subTest(how=how):
                with window.context.expect_page() as opened:
                    link.click(**how)
                expect(opened.value).to_have_url(self.server.address + "/news/1")
                expect(opened.value.get_by_role("heading", level=1, name="Title of 1")).to_be_visible()
                expect(window.heading).to_have_text("News")
                opened.value.close()

    def test_sheet(self):
        """Who likes a news is a sheet over the list; the browser's back closes it and nothing else."""
        window = self.open()
        window.count("1").click()
        expect(window.sheet.get_by_role("heading", name="Who likes “Title of 1”")).to_be_visible()
        expect(window.sheet.locator("li[data-user]")).to_have_count(2)
        window.page.go_back()
        expect(window.sheet).to_have_count(0)
        expect(window.heading).to_have_text("News")
        window.count("1").click()
        window.sheet.get_by_role("button", name="Close").click()
        expect(window.sheet).to_have_count(0)
        self.follow(window, "1")
        window.button("Back").click()
        expect(window.heading).to_have_text("News")
        expect(window.sheet).to_have_count(0)

    def test_from_the_sheet(self):
        """From the sheet a link leads to the profile; the sheet is gone then."""
        window = self.open()
        window.count("1").click()
        window.sheet.get_by_role("link", name="grace").click()
        expect(window.heading).to_have_text("grace")
        expect(window.sheet).to_have_count(0)
        window.button("Back").click()
        expect(window.heading).to_have_text("News")


class LongLists(BrowserTest):
    """Lists of more than a page."""

    def test_all_loaded(self):
        """As one scrolls to the end all news come, each once."""
        self.server.make_many([str(number) for number in range(1, 71)])
        window = self.open()
        self.load_all(window, 70)
        news = [entry.get_attribute("data-news") for entry in window.entries.all()]
        self.assertEqual(news, [str(number) for number in range(70, 0, -1)])

    def load_all(self, window, number):
        """Scrolls to the end until there is no more."""
        end = "() => { scrollTo(0, document.documentElement.scrollHeight); }"

        def all_are_loaded():
            window.page.evaluate(end)
            return window.entries.count() == number

        window.until(all_are_loaded, f"{number} entries are loaded")
        expect(window.button("More")).to_have_count(0)

    def test_place_is_kept(self):
        """After a look at a news, deep in the list, one is back where one was, with all that was loaded."""
        self.server.make_many([str(number) for number in range(1, 71)])
        window = self.open()
        self.load_all(window, 70)
        link = window.entry("20").get_by_role("link", name="Title of 20", exact=True)
        link.scroll_into_view_if_needed()
        before = window.page.evaluate("scrollY")
        link.click()
        expect(window.heading).to_have_text("Title of 20")
        self.assertLess(window.page.evaluate("scrollY"), before)
        window.page.go_back()
        expect(window.heading).to_have_text("News")
        expect(link).to_be_in_viewport()
        window.until(lambda: abs(window.page.evaluate("scrollY") - before) < 2, f"scrolled to {before}")
        expect(window.entries).to_have_count(70)
        self.point_at(window, window.tab("Profile"))
        expect(window.heading).to_have_text("ada")
        self.point_at(window, window.tab("Feed"))
        expect(link).to_be_in_viewport()

    def point_at(self, window, locator):
        """Clicks as a hand does: playwright would scroll first, though the bar is always there."""
        box = locator.bounding_box()
        window.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def test_likers(self):
        """Who likes a news can be read to the last of them, on its screen and in the sheet."""
        self.server.make("1")
        self.server.like("1", *[f"user {number}" for number in range(55)])
        window = self.open("/news/1")
        self.load_likers(window, window.screen, 55)
        window.screen.locator("button.count").click()
        self.load_likers(window, window.sheet, 55)

    def load_likers(self, window, place, number):
        users = place.locator("li[data-user]")

        end = "element => (element.closest('dialog') ?? document.documentElement).scrollTop = 1e9"

        def all_are_loaded():
            place.evaluate(end)
            return users.count() == number

        window.until(all_are_loaded, f"{number} users are shown")
        names = [user.get_attribute("data-user") for user in users.all()]
        self.assertEqual(names, [f"user {number}" for number in reversed(range(number))])

    def test_news_while_paging(self):
        """News that come while one reads on neither repeat an entry nor hide one."""
        self.server.make_many([str(number) for number in range(1, 41)])
        window = self.open()
        self.server.make_many(["new 1", "new 2"])
        expect(window.button("2 new")).to_be_visible()
        self.load_all(window, 40)
        window.button("2 new").click()
        expect(window.entries.first).to_have_attribute("data-news", "new 2")
        news = [entry.get_attribute("data-news") for entry in window.entries.all()]
        self.assertEqual(len(news), len(set(news)))


class Compact(BrowserTest):
    """`?flow=compact`: a news is a sheet over the feed. The screens are the same."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2"], author="linus")
        self.server.like("1", "grace")

    def open_sheet(self, window):
        window.entry("1").get_by_role("link", name="Title of 1").click()
        detail = window.sheet.locator("article[data-screen=detail]")
        expect(detail.get_by_role("heading", level=1)).to_have_text("Title of 1")
        window.expect_path("/news/1?flow=compact")
        expect(window.screen).to_have_attribute("data-screen", "feed")

    def expect_closed(self, window):
        expect(window.sheet).to_have_count(0)
        window.expect_path("/?flow=compact")

    def test_closed(self):
        """The sheet is closed by its button, by Escape, and by the browser's back."""
        window = self.open("/?flow=compact")
        for close in (
            lambda: window.sheet.get_by_role("button", name="Close").click(),
            lambda: window.page.keyboard.press("Escape"),
            window.page.go_back,
        ):
            self.open_sheet(window)
            close()
            self.expect_closed(window)
        window.page.go_forward()
        expect(window.sheet).to_be_visible()

    def test_like(self):
        """A like in the sheet is a like in the feed below."""
        window = self.open("/?flow=compact")
        self.open_sheet(window)
        with window.settled():
            window.sheet.locator("button.like").click()
        expect(window.sheet.locator("button.count")).to_have_text("2 likes")
        expect(window.sheet.locator("li[data-user='ada']")).to_be_visible()
        window.page.keyboard.press("Escape")
        window.expect_entry("1", "2 likes", True)

    def test_address(self):
        """The address of such a sheet opens it, over the feed."""
        window = self.open("/news/1?flow=compact")
        expect(window.sheet.get_by_role("heading", name="Title of 1", exact=True)).to_be_visible()
        window.page.keyboard.press("Escape")
        self.expect_closed(window)
        window.expect_entry("1", "1 like", False)
