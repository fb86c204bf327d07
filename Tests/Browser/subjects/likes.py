"""Liking: at once to be seen, counted once, and taken back when it was refused."""

import re

from playwright.sync_api import expect

from Browser.case import BrowserTest
from Browser.page import Hold, refuse


class Likes(BrowserTest):
    """One person, one window."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2", "3"], author="linus")

    def test_like(self):
        """A click on the heart is a like that the server keeps, and a second one takes it back."""
        window = self.open()
        window.expect_entry("1", "0 likes", False)
        with window.settled():
            window.like_button("1").click()
        window.expect_entry("1", "1 like", True)
        self.assertEqual(self.server.likers("1"), ["ada"])
        with window.settled("DELETE"):
            window.like_button("1").click()
        window.expect_entry("1", "0 likes", False)
        self.assertEqual(self.server.likers("1"), [])

    def test_names_and_numbers(self):
        """A like button says what it is for; a count says how many, the likes of an older system included."""
        self.server.make("1", "Swift on the server", baseLikes=11)
        self.server.like("1", "grace")
        self.server.like("2", "grace")
        window = self.open()
        button = window.screen.get_by_role("button", name="Like “Swift on the server”", exact=True)
        expect(button).to_have_attribute("aria-pressed", "false")
        expect(window.count("1")).to_have_text("12 likes")
        expect(window.count("2")).to_have_text("1 like")
        expect(window.count("3")).to_have_text("0 likes")

    def test_likes_of_others(self):
        """What somebody else likes is counted, but not shown as mine."""
        self.server.like("1", "grace", "alan")
        self.server.like("2", "ada", "grace")
        window = self.open()
        window.expect_entry("1", "2 likes", False)
        window.expect_entry("2", "2 likes", True)

    def test_shown_before_the_answer(self):
        """A like is to be seen before the server has answered, and the answer changes nothing any more."""
        window = self.open()
        texts, hold = window.watch_count("1"), Hold(window, "/v1/news/1/likes/ada", "PUT")
        window.like_button("1").click()
        window.expect_entry("1", "1 like", True)
        hold.wait()
        self.assertEqual(self.server.count("1"), 0)
        with window.settled():
            hold.release()
        self.server.like("2", "grace")
        window.expect_entry("2", "1 like", False)
        window.expect_entry("1", "1 like", True)
        self.assertEqual(texts.evaluate("watch => watch.texts"), ["0 likes", "1 like"])

    def test_unlike_shown_before_the_answer(self):
        """So is an unlike."""
        self.server.like("1", "grace", "ada")
        window = self.open()
        texts, hold = window.watch_count("1"), Hold(window, "/v1/news/1/likes/ada", "DELETE")
        window.like_button("1").click()
        window.expect_entry("1", "1 like", False)
        hold.wait()
        self.assertEqual(self.server.count("1"), 2)
        with window.settled("DELETE"):
            hold.release()
        self.server.like("2", "grace")
        window.expect_entry("2", "1 like", False)
        window.expect_entry("1", "1 like", False)
        self.assertEqual(texts.evaluate("watch => watch.texts"), ["2 likes", "1 like"])

    def test_many_clicks(self):
        """However fast one clicks, an odd number of clicks is a like, and the server agrees."""
        window = self.open()
        for clicks, liked in ((5, True), (2, True), (1, False), (4, False)):
            for _ in range(clicks):
                window.like_button("1").click()
            window.expect_entry("1", "1 like" if liked else "0 likes", liked)
            window.until(lambda: self.server.likers("1") == (["ada"] if liked else []), f"liked: {liked}")
        self.server.like("2", "grace")
        window.expect_entry("2", "1 like", False)
        window.expect_entry("1", "0 likes", False)

    def test_double_click(self):
        """A double click ends where it began."""
        window = self.open()
        window.like_button("1").dblclick()
        window.expect_entry("1", "0 likes", False)
        self.server.like("1", "grace")
        window.expect_entry("1", "1 like", False)
        window.until(lambda: self.server.likers("1") == ["grace"], "only grace likes it")

    def test_click_while_waiting(self):
        """A click that comes before the answer to the one before counts, too."""
        window = self.open()
        hold = Hold(window, "/v1/news/1/likes/ada", "PUT")
        window.like_button("1").click()
        hold.wait()
        window.like_button("1").click()
        window.expect_entry("1", "0 likes", False)
        hold.release()
        self.server.like("2", "grace")
        window.expect_entry("2", "1 like", False)
        window.until(lambda: self.server.count("1") == 0, "nobody likes it")
        window.expect_entry("1", "0 likes", False)
        with window.settled():
            window.like_button("1").click()
        window.expect_entry("1", "1 like", True)
        self.assertEqual(self.server.likers("1"), ["ada"])

    def test_same_everywhere(self):
        """A like given on one screen is there on all others, also those that were opened before."""
        window = self.open("/profiles/ada")
        expect(window.entries).to_have_count(0)
        window.tab("Feed").click()
        with window.settled():
            window.like_button("1").click()
        window.entry("1").get_by_role("link", name="Title of 1").click()
        expect(window.heading).to_have_text("Title of 1")
        expect(window.screen.locator("button.like")).to_have_attribute("aria-pressed", "true")
        expect(window.screen.locator("button.count")).to_have_text("1 like")
        expect(window.liker("ada")).to_be_visible()
        window.tab("Profile").click()
        window.expect_entry("1", "1 like", True)
        expect(window.number("given")).to_have_text("1")
        with window.settled("DELETE"):
            window.like_button("1").click()
        expect(window.number("given")).to_have_text("0")
        window.tab("Feed").click()
        expect(window.screen.locator("button.like")).to_have_attribute("aria-pressed", "false")
        expect(window.liker("ada")).to_have_count(0)
        window.button("Back").click()
        window.expect_entry("1", "0 likes", False)


class Refusals(BrowserTest):
    """A like that the server did not take."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2"])

    def test_refused(self):
        """A like that is refused is taken back, and one is told why. The message goes when one has read it."""
        window = self.open()
        window.expect_problem("status of 503")
        texts, hold = window.watch_count("1"), Hold(window, "/v1/news/1/likes/ada", "PUT")
        window.like_button("1").click()
        route = hold.wait()
        window.expect_entry("1", "1 like", True)
        window.page.route(hold.matches, lambda route: refuse(route, 503, "unavailable", "The disk is full."))
        refuse(route, 503, "unavailable", "The disk is full.")
        window.expect_message()
        window.expect_entry("1", "0 likes", False)
        self.assertEqual(texts.evaluate("watch => watch.texts"), ["0 likes", "1 like", "0 likes"])
        window.messages.get_by_role("button", name="Dismiss").click()
        expect(window.messages).to_have_text("")
        window.page.unroute_all()
        with window.settled():
            window.like_button("1").click()
        window.expect_entry("1", "1 like", True)

    def test_refused_unlike(self):
        """An unlike that is refused leaves the like."""
        self.server.like("1", "ada", "grace")
        window = self.open()
        window.expect_problem("status of 503")
        window.page.route("**/likes/ada", lambda route: refuse(route, 503, "unavailable", "The disk is full."))
        window.like_button("1").click()
        window.expect_message()
        window.expect_entry("1", "2 likes", True)
        self.assertEqual(self.server.likers("1"), ["grace", "ada"])

    def test_refused_while_others_like(self):
        """What others did meanwhile stays counted."""
        window = self.open()
        window.expect_problem("status of 503")
        hold = Hold(window, "/v1/news/1/likes/ada", "PUT")
        window.like_button("1").click()
        hold.wait()
        self.server.like("1", "grace", "alan")
        window.expect_entry("1", "3 likes", True)
        window.page.route(hold.matches, lambda route: refuse(route, 503, "unavailable", "The disk is full."))
        refuse(hold.wait(), 503, "unavailable", "The disk is full.")
        window.expect_message()
        window.expect_entry("1", "2 likes", False)

    def test_lost(self):
        """A like whose answer never comes because the connection broke is taken back, too."""
        window = self.open()
        window.expect_problem("net::ERR_")
        window.page.route("**/likes/ada", lambda route: route.abort("connectionreset"))
        window.like_button("1").click()
        window.expect_message()
        window.expect_entry("1", "0 likes", False)

    def test_deleted_meanwhile(self):
        """A like of a news that was deleted a moment ago is taken back, and one is told why."""
        window = self.window()
        window.expect_problem("status of 404")
        hold = Hold(window, "/v1/events")
        window.open(live=False)
        expect(window.entries).to_have_count(2)
        self.server.delete("1")
        window.like_button("1").click()
        window.expect_message()
        expect(window.page.locator("button.like[aria-pressed=true]")).to_have_count(0)
        hold.release()
        expect(window.entry("1")).to_have_count(0)
        window.expect_live()

    def test_deleted_on_detail(self):
        """On the screen of the news itself one is told that it is gone."""
        window = self.open("/news/1")
        self.server.delete("1")
        expect(window.screen.locator("p.problem")).to_be_visible()
        expect(window.screen.locator("button.like:visible")).to_have_count(0)


class LikesOfAll(BrowserTest):
    """"Like all" and "Unlike all"."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2", "3"])
        self.server.like("2", "grace", "ada")

    def expect_all(self, window, first, second, liked):
        for news, count in (("1", first), ("2", second), ("3", first)):
            window.expect_entry(news, count, liked)

    def test_like_all(self):
        """All news are liked with one click, and what was liked before is not counted twice."""
        window = self.open()
        window.button("Like all").click()
        self.expect_all(window, "1 like", "2 likes", True)
        window.until(lambda: self.server.numbers("ada") == (3, 0), "ada likes three news")
        self.assertEqual(self.server.likers("2"), ["ada", "grace"])

    def test_unlike_all(self):
        """One is asked before all likes are taken back; other people's likes stay."""
        window = self.open()
        window.button("Like all").click()
        self.expect_all(window, "1 like", "2 likes", True)
        window.button("Unlike all").click()
        window.sheet.get_by_role("button", name="Cancel").click()
        expect(window.sheet).to_have_count(0)
        self.expect_all(window, "1 like", "2 likes", True)
        self.assertEqual(self.server.numbers("ada"), (3, 0))
        window.button("Unlike all").click()
        window.sheet.get_by_role("button", name="Unlike all").click()
        expect(window.sheet).to_have_count(0)
        self.expect_all(window, "0 likes", "1 like", False)
        window.until(lambda: self.server.numbers("ada") == (0, 0), "ada likes nothing")

    def test_escape(self):
        """Escape is "Cancel"."""
        window = self.open()
        window.button("Unlike all").click()
        expect(window.sheet).to_be_visible()
        window.page.keyboard.press("Escape")
        expect(window.sheet).to_have_count(0)
        window.expect_entry("2", "2 likes", True)

    def test_refused(self):
        """When it is refused, all is as before, and one is told."""
        window = self.open()
        window.expect_problem("status of 503")
        window.page.route("**/v1/profiles/ada/likes", lambda route: refuse(route, 503, "unavailable", "Try again."))
        window.button("Like all").click()
        window.expect_message()
        window.expect_entry("1", "0 likes", False)
        window.expect_entry("2", "2 likes", True)


class Names(BrowserTest):
    """Who one is."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2"])
        self.server.like("2", "grace")

    def test_without_a_name(self):
        """Who likes without having said who one is is asked for the name, and nothing is liked."""
        window = self.open(user=None)
        window.like_button("1").click()
        window.expect_message()
        expect(window.name_box).to_be_focused()
        window.expect_entry("1", "0 likes", False)
        window.say_name("ada")
        with window.settled():
            window.like_button("1").click()
        window.expect_entry("1", "1 like", True)
        self.assertEqual(self.server.likers("1"), ["ada"])

    def test_without_a_name_all(self):
        """So it is with "Like all"."""
        window = self.open(user=None)
        window.button("Like all").click()
        window.expect_message()
        expect(window.name_box).to_be_focused()
        window.expect_entry("1", "0 likes", False)

    def test_another_name(self):
        """Under another name one sees that one's likes, at once."""
        window = self.open()
        window.expect_entry("2", "1 like", False)
        window.say_name("grace")
        window.expect_entry("2", "1 like", True)
        window.name_box.fill("ada")
        window.name_box.press("Tab")
        window.expect_entry("2", "1 like", False)

    def test_kept(self):
        """The name is still there after a reload, and in the box."""
        window = self.open(user=None)
        window.say_name("grace hopper ✨/%")
        window.expect_entry("2", "1 like", False)
        window.page.reload()
        expect(window.name_box).to_have_value("grace hopper ✨/%")
        with window.settled():
            window.like_button("1").click()
        self.assertEqual(self.server.likers("1"), ["grace hopper ✨/%"])

    def test_longest(self):
        """A name of 256 bytes is a name; one byte more is refused with a message, and one stays who one was."""
        window = self.open()
        window.say_name("é" * 128)
        with window.settled():
            window.like_button("1").click()
        self.assertEqual(self.server.likers("1"), ["é" * 128])
        window.say_name("é" * 128 + "e")
        window.expect_message()
        self.assertEqual(window.page.evaluate("localStorage.getItem('likesd.user')"), "é" * 128)

    def test_refused(self):
        """Names that no user can have are refused with a message."""
        window = self.open()
        for name in ("a\u0007b", ".", "..", "a\u009fb"):
            with self.subTest(name=name):
                window.say_name(name)
                window.expect_message()
                self.assertEqual(window.page.evaluate("localStorage.getItem('likesd.user')"), "ada")
                window.messages.get_by_role("button", name="Dismiss").first.click()
                expect(window.messages).to_have_text(re.compile(r"^\s*$"))
