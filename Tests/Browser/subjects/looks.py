"""How it looks: dark and light, on the smallest telephone, with large letters, with titles that nobody planned for."""

import struct
import zlib

from playwright.sync_api import expect

from Browser.case import BrowserTest

# As narrow as a page may have to be (WCAG 1.4.10).
NARROW = {"width": 320, "height": 640}

SCREENS = ["/", "/news/1", "/profiles/ada", "/news/1?flow=compact", "/profiles", "/demo"]

# The buttons, and the links that are no text, which are smaller than a finger needs (WCAG 2.5.8; 2.5.5 for the likes).
SMALL_TARGETS = """() => [...document.querySelectorAll("button, nav a, input, summary, .like")]
    .filter(element => element.checkVisibility())
    .map(element => [element, element.getBoundingClientRect(), element.matches(".like") ? 44 : 24])
    .filter(([, box, least]) => box.width < least || box.height < least)
    .map(([element, box]) => `${element.outerHTML.slice(0, 80)}: ${box.width} x ${box.height}`)"""

# How far one can scroll to the side: the document, or text in a button that is cut off.
OVERFLOW = """() => [document.documentElement, ...document.querySelectorAll("button, h1, h2, li, dialog[open]")]
    .filter(element => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
    .filter(element => getComputedStyle(element).display !== "inline")
    .map(element => `${element.outerHTML.slice(0, 80)}: ${element.scrollWidth} > ${element.clientWidth}`)"""


def brightness(page, x, y):
    """How bright a point of the page is, 0 to 255."""
    image = page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})
    data, place = b"", 8
    while place < len(image):
        length, kind = struct.unpack_from(">I4s", image, place)
        if kind == b"IDAT":
            data += image[place + 8 : place + 8 + length]
        place += 12 + length
    # Behind the number of the filter, which has nothing to say about a first point, its colours.
    return sum(zlib.decompress(data)[1:4]) / 3


class Looks(BrowserTest):
    """What a designer would look at."""

    def setUp(self):
        super().setUp()
        self.server.make_many(["1", "2", "3"], author="linus")
        self.server.like("1", "ada", "grace")

    def test_dark(self):
        """Who prefers dark gets a dark page, on every screen."""
        for scheme, least, most in (("light", 200, 255), ("dark", 0, 60)):
            window = self.window(color_scheme=scheme)
            for path in SCREENS:
                with self.subTest(scheme=scheme, path=path):
                    window.page.goto(path)
                    window.expect_shown()
                    box = window.page.locator("dialog[open], body").last.bounding_box()
                    found = brightness(window.page, box["x"] + box["width"] / 2, box["y"] + 4)
                    self.assertTrue(least <= found <= most, f"brightness {found}")

    def expect_fits(self, window, path):
        window.page.goto(path)
        window.expect_shown()
        self.assertEqual(window.page.evaluate(OVERFLOW), [])

    def test_narrow(self):
        """On 320 px nothing has to be scrolled to the side, and what is to be touched is large enough."""
        window = self.window(viewport=NARROW, has_touch=True, is_mobile=True)
        for path in SCREENS:
            with self.subTest(path=path):
                self.expect_fits(window, path)
                self.assertEqual(window.page.evaluate(SMALL_TARGETS), [])
        window.open("/")
        window.count("1").tap()
        expect(window.sheet.locator("li[data-user]")).to_have_count(2)
        self.assertEqual(window.page.evaluate(OVERFLOW), [])
        self.assertEqual(window.page.evaluate(SMALL_TARGETS), [])

    def test_touch(self):
        """A tap is a like."""
        window = self.open(viewport=NARROW, has_touch=True, is_mobile=True)
        window.like_button("2").tap()
        window.expect_entry("2", "1 like", True)

    def test_large_letters(self):
        """With letters of twice the size everything is still there."""
        for size in (NARROW, {"width": 1024, "height": 768}):
            window = self.window(viewport=size)
            window.context.add_init_script(
                "addEventListener('DOMContentLoaded', () => { document.documentElement.style.fontSize = '200%'; })"
            )
            for path in SCREENS:
                with self.subTest(size=size, path=path):
                    self.expect_fits(window, path)

    def test_long_titles(self):
        """The longest title without a space stays within the page."""
        self.server.make("1", "W" * 1000, author="M" * 256)
        self.server.like("1", "i" * 256)
        for size in (NARROW, {"width": 1024, "height": 768}):
            window = self.window(viewport=size)
            for path in (*SCREENS, "/profiles/" + "i" * 256):
                with self.subTest(size=size, path=path):
                    self.expect_fits(window, path)

    def test_right_to_left(self):
        """A title in Arabic or Hebrew runs from right to left, and leaves the words around it alone."""
        self.server.make("1", "שלום עולם (1)")
        window = self.open()
        link = window.entry("1").get_by_role("link").first
        self.assertEqual(link.evaluate("element => getComputedStyle(element).direction"), "rtl")
        self.assertEqual(window.count("1").evaluate("element => getComputedStyle(element).direction"), "ltr")
        window.open("/news/1")
        self.assertEqual(window.heading.evaluate("element => getComputedStyle(element).direction"), "rtl")

    def test_reduced_motion(self):
        """Who does not want movement sees none."""
        window = self.open(reduced_motion="reduce")
        moving = "() => document.getAnimations().filter(one => one.effect.getComputedTiming().duration > 1).length"
        window.like_button("2").click()
        self.assertEqual(window.page.evaluate(moving), 0)
        window.count("1").click()
        expect(window.sheet).to_be_visible()
        self.assertEqual(window.page.evaluate(moving), 0)

    def test_forced_colours(self):
        """In the colours of a high-contrast mode one still sees what one likes."""
        window = self.open(forced_colors="active")
        look = """button => {
            const text = getComputedStyle(button, "::before").content;
            const styles = [button, ...button.querySelectorAll("*")].map(one => getComputedStyle(one));
            return JSON.stringify([text, styles.map(style => [style.fill, style.borderTopStyle, style.fontWeight])]);
        }"""
        different = window.like_button("1").evaluate(look) != window.like_button("2").evaluate(look)
        self.assertTrue(different, "a pressed like button looks as one that is not")
