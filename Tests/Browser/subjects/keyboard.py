"""Everything by keyboard alone: all can be reached, in a sensible order, and one always sees where one is."""

from playwright.sync_api import expect

from Browser.case import BrowserTest

# What the element with the focus is called, and whether one sees that it has the focus.
FOCUSED = """() => {
    const element = document.activeElement, style = getComputedStyle(element);
    const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
    return {
        name: element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent.trim() ?? element.textContent.trim(),
        isVisible: outlined || style.boxShadow !== "none",
        isAnything: element !== document.body,
    };
}"""

# A browser that never says that one has scrolled to something.
SEES_NOTHING = "window.IntersectionObserver = class { observe() {} unobserve() {} disconnect() {} };"


class Keyboard(BrowserTest):
    """Without a mouse."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2"], author="linus")
        self.server.like("2", "grace")

    def press(self, window, *keys):
        for key in keys:
            window.page.keyboard.press(key)

    def walk(self, window, steps):
        """The names of what gets the focus, one after the other, as one presses the tabulator."""
        names = []
        for _ in range(steps):
            self.press(window, "Tab")
            focused = window.page.evaluate(FOCUSED)
            if not focused["isAnything"]:
                break
            names.append(focused["name"])
            self.assertTrue(focused["isVisible"], f"one does not see that {focused['name']} has the focus")
        return names

    def test_order(self):
        """The tabulator leads through the page in the order in which one reads it."""
        names = self.walk(self.open(), 30)
        wanted = ["likesd", "Feed", "Profile", "Your name", "Newest", "Top", "Trending", "Like all", "Unlike all"]
        wanted += ["Title of 2", "linus", "Like “Title of 2”", "1 like", "Title of 1", "linus", "Like “Title of 1”"]
        position = 0
        for name in names:
            if position < len(wanted) and name == wanted[position]:
                position += 1
        # The like button may come before or after the title: what counts is that all of an entry comes before the next.
        self.assertEqual(wanted[position:], [], f"the order was {names}")

    def test_nothing_hidden(self):
        """What is not shown cannot get the focus."""
        window = self.open()
        window.entry("1").get_by_role("link", name="Title of 1").click()
        expect(window.heading).to_have_text("Title of 1")
        names = self.walk(window, 30)
        self.assertNotIn("Like all", names)
        self.assertNotIn("Title of 2", names)

    def test_like(self):
        """Space and Enter like and unlike, and the focus stays where it is."""
        window = self.open()
        button = window.like_button("1")
        button.focus()
        for key, method, count, liked in (("Space", "PUT", "1 like", True), ("Enter", "DELETE", "0 likes", False)):
            with window.settled(method):
                self.press(window, key)
            window.expect_entry("1", count, liked)
            expect(button).to_be_focused()

    def test_focus_stays_in_a_storm(self):
        """What others do does not take the focus away."""
        window = self.open()
        window.like_button("1").focus()
        self.server.like("1", "grace", "alan")
        self.server.make("1", "Changed", author="linus")
        self.server.make("3")
        expect(window.button("1 new")).to_be_visible()
        window.expect_entry("1", "2 likes", False)
        expect(window.like_button("1")).to_be_focused()

    def test_push_and_back(self):
        """On a new screen the focus is on its heading, and on the way back where it was."""
        window = self.open()
        link = window.entry("1").get_by_role("link", name="Title of 1")
        for back in (lambda: window.page.go_back(), lambda: self.press_on(window.button("Back"), "Enter")):
            self.press_on(link, "Enter")
            expect(window.heading).to_have_text("Title of 1")
            expect(window.heading).to_be_focused()
            back()
            expect(window.heading).to_have_text("News")
            expect(link).to_be_focused()

    def press_on(self, locator, key):
        locator.focus()
        locator.press(key)

    def test_sheet(self):
        """The sheet takes the focus, keeps it, is closed by Escape, and gives the focus back."""
        window = self.open()
        self.press_on(window.count("2"), "Enter")
        expect(window.sheet).to_be_visible()
        inside = "() => document.querySelector('dialog[open]').contains(document.activeElement)"
        window.until(lambda: window.page.evaluate(inside), "the focus is in the sheet")
        for _ in range(10):
            self.press(window, "Tab")
            # Past the last element the focus may be on the browser itself, which for the page is the body.
            self.assertTrue(window.page.evaluate(f"document.activeElement === document.body || ({inside})()"))
        self.press(window, "Escape")
        expect(window.sheet).to_have_count(0)
        expect(window.count("2")).to_be_focused()

    def test_unlike_all(self):
        """So does the question before all likes are taken back; Enter alone does not answer it with yes."""
        window = self.open()
        self.server.like("1", "ada")
        window.expect_entry("1", "1 like", True)
        self.press_on(window.button("Unlike all"), "Enter")
        expect(window.sheet).to_be_visible()
        self.press(window, "Escape")
        expect(window.button("Unlike all")).to_be_focused()
        self.press(window, "Enter")
        self.press_on(window.sheet.get_by_role("button", name="Unlike all"), "Enter")
        window.expect_entry("1", "0 likes", False)
        expect(window.button("Unlike all")).to_be_focused()

    def test_tabs_and_name(self):
        """The tabs, the orders and the name box."""
        window = self.open(user=None)
        window.name_box.focus()
        window.page.keyboard.type("grace")
        self.press(window, "Enter")
        window.expect_entry("2", "1 like", True)
        self.press_on(window.tab("Profile"), "Enter")
        expect(window.heading).to_have_text("grace")
        self.press_on(window.tab("Feed"), "Enter")
        self.press_on(window.screen.get_by_role("link", name="Top"), "Enter")
        expect(window.entries.first).to_have_attribute("data-news", "2")

    def test_more_by_button(self):
        """More news come by the button, in a browser that does not load them as one scrolls."""
        self.server.make_many([f"more {number}" for number in range(45)])
        window = self.window()
        window.context.add_init_script(SEES_NOTHING)
        window.open()
        for count in (40, 47):
            self.press_on(window.button("More"), "Enter")
            expect(window.entries).to_have_count(count)
        expect(window.button("More")).to_have_count(0)

    def test_more_by_focus(self):
        """More news come as the focus moves down the list."""
        self.server.make_many([f"more {number}" for number in range(45)])
        window = self.open()
        while window.entries.count() < 47:
            before = window.entries.count()
            window.entries.last.get_by_role("link").first.focus()
            window.until(lambda: window.entries.count() > before, "more news are shown")

    def test_compact(self):
        """The compact flow: the focus goes into the sheet, and back to the link."""
        window = self.open("/?flow=compact")
        link = window.entry("1").get_by_role("link", name="Title of 1")
        self.press_on(link, "Enter")
        inside = "() => document.querySelector('dialog[open]')?.contains(document.activeElement)"
        window.until(lambda: window.page.evaluate(inside), "the focus is in the sheet")
        self.press(window, "Escape")
        expect(window.sheet).to_have_count(0)
        expect(link).to_be_focused()
