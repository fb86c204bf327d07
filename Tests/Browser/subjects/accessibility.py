"""What axe, the engine of many accessibility checkers, finds on every screen. Nothing serious is allowed."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from Browser.case import BrowserTest

# What axe calls the worst; the milder ones are told with these, for who looks at them anyway.
REFUSED = {"serious", "critical"}


class Accessibility(BrowserTest):
    """In the light and in the dark."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2"], author="linus", url="https://a.example/", publishedAt="2026-11-30T12:00:00Z")
        self.server.like("1", "ada", "grace")

    def expect_nothing_serious(self, window, what):
        found = Axe().run(window.page).response["violations"]
        if any(one["impact"] in REFUSED for one in found):
            self.fail(f"{what}:\n" + "\n".join(told(one) for one in found))

    def test_screens(self):
        """Every screen, as it is opened by its address."""
        for scheme in ("light", "dark"):
            window = self.window(color_scheme=scheme)
            window.expect_problem("status of 404")
            for target in ("/", "/?sort=top", "/news/1", "/profiles/ada", "/news/1?flow=compact", "/news/nope", "/demo"):
                with self.subTest(scheme=scheme, target=target):
                    window.page.goto(target)
                    window.expect_shown()
                    self.expect_nothing_serious(window, f"{target}, {scheme}")

    def test_states(self):
        """The sheet, the question, a message, new news, and being offline."""
        for scheme in ("light", "dark"):
            with self.subTest(scheme=scheme):
                window = self.open(color_scheme=scheme)
                window.expect_problem("net::ERR_")
                window.count("1").click()
                expect(window.sheet.locator("li[data-user]")).to_have_count(2)
                self.expect_nothing_serious(window, "the sheet")
                window.page.keyboard.press("Escape")
                window.button("Unlike all").click()
                self.expect_nothing_serious(window, "the question")
                window.page.keyboard.press("Escape")
                self.server.make(f"new in {scheme}")
                expect(window.button("1 new")).to_be_visible()
                window.say_name("..")
                window.expect_message()
                self.expect_nothing_serious(window, "new news, and a message")
                window.context.set_offline(True)
                expect(window.connection).to_contain_text("Offline")
                self.expect_nothing_serious(window, "offline")

    def test_without_a_name(self):
        """The pages as they are for somebody who comes for the first time."""
        window = self.window(None)
        for target in ("/", "/profiles"):
            window.page.goto(target)
            window.expect_shown()
            self.expect_nothing_serious(window, target)


def told(violation):
    """A violation in a few lines: what, how bad, and where first."""
    places = [node["html"][:120] for node in violation["nodes"]]
    return f"{violation['impact']}: {violation['help']} ({violation['id']}, {len(places)} places)\n  {places[0]}"
