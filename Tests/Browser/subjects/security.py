"""What others have written cannot do anything, nobody can frame the page, and nothing is loaded from elsewhere."""

import gzip

from playwright.sync_api import expect

from Browser.case import BrowserTest
from Browser.page import has
from Browser.server import path
from Browser.site import Site

# Runs when it ever becomes HTML, an address, a selector or a script.
EVIL = "<script>window.evil=1</script><img src=x onerror=window.evil=1>\"'`];{{1+1}}${window.evil=1}</title><!--"

PAGES = ["/", "/news/9", "/profiles", "/profiles/40310", "/demo"]


class Texts(BrowserTest):
    """Whatever stands in a title, a name or an address is shown as a text."""

    def expect_harmless(self, window):
        made = "document.querySelector('main img, main script, dialog img, dialog script')?.outerHTML"
        evil = window.page.evaluate(f"window.evil ?? {made}")
        self.assertIsNone(evil)
        schemes = window.page.evaluate("[...document.links].map(link => link.protocol)")
        self.assertLessEqual(set(schemes), {"http:", "https:"})

    def test_script(self):
        """A script in a title, an author, a user or an id is shown letter for letter, on every screen, and does not run."""
        self.server.make(EVIL, EVIL, author=EVIL, url="https://a.example/?" + "%22%3E%3Cscript%3E")
        self.server.like(EVIL, EVIL, "ada")
        window = self.open()
        expect(window.entry(EVIL).get_by_role("link", name=EVIL, exact=True)).to_have_count(2)
        self.expect_harmless(window)
        window.count(EVIL).click()
        expect(window.sheet.get_by_role("heading")).to_have_text(f"Who likes “{EVIL}”")
        expect(window.sheet.locator("li" + has("data-user", EVIL))).to_contain_text(EVIL)
        self.expect_harmless(window)
        window.page.keyboard.press("Escape")
        window.entry(EVIL).get_by_role("link", name=EVIL, exact=True).first.click()
        expect(window.heading).to_have_text(EVIL)
        expect(window.liker(EVIL)).to_contain_text(EVIL)
        self.expect_harmless(window)
        window.open(path("profiles", EVIL))
        expect(window.heading).to_have_text(EVIL)
        window.expect_entry(EVIL, "2 likes", True)
        self.expect_harmless(window)
        window.open("/demo", live=False)
        expect(window.page.locator("main")).to_contain_text(EVIL)
        self.expect_harmless(window)

    def test_live(self):
        """So is one that comes by the live stream."""
        self.server.make("1")
        window, detail = self.open(), self.open("/news/1")
        self.server.make("1", EVIL, author=EVIL)
        self.server.like("1", EVIL)
        expect(window.entry("1").get_by_role("link", name=EVIL, exact=True)).to_have_count(2)
        expect(detail.heading).to_have_text(EVIL)
        expect(detail.liker(EVIL)).to_contain_text(EVIL)
        self.expect_harmless(window)
        self.expect_harmless(detail)

    def test_addresses(self):
        """An outside address that would run a script is no link; one of the web is, and is not told where one came from."""
        addresses = ("javascript:window.evil=1", " JavaScript:window.evil=1", "data:text/html,x", "nonsense")
        for number, url in enumerate(addresses):
            answer = self.server.ask("PUT", f"/v1/news/{number}", {"title": "A title", "url": url})
            if answer.status >= 400:
                continue
            with self.subTest(url=url):
                window = self.open(f"/news/{number}")
                expect(window.heading).to_have_text("A title")
                expect(window.screen.locator("a[target], a[href^='javascript' i], a[href^='data' i]")).to_have_count(0)
                self.expect_harmless(window)
        self.server.make("9", url="https://a.example/b?c=1")
        window = self.open("/news/9")
        outside = window.screen.locator("a[href='https://a.example/b?c=1']")
        expect(outside).to_be_visible()
        self.assertIn("noopener", outside.get_attribute("rel"))
        self.assertIn("noreferrer", outside.get_attribute("rel"))

    def test_message(self):
        """What a refusal says is shown as a text, too."""
        self.server.make("1", EVIL)
        window = self.window()
        window.expect_problem("status of")
        window.open()
        problem = '{"code": "conflict", "detail": "<img src=x onerror=window.evil=1>"}'
        window.page.route("**/likes/ada", lambda route: route.fulfill(status=409, body=problem))
        window.like_button("1").click()
        window.expect_message("<img src=x onerror=window.evil=1>")
        self.expect_harmless(window)


class Headers(BrowserTest):
    """What the server tells browsers about its pages."""

    def test_policy(self):
        """A page may run its own scripts and nothing else, and is shown in no frame."""
        for target in PAGES:
            with self.subTest(target=target):
                headers = self.server.ask("GET", target).headers
                policy = headers["content-security-policy"]
                self.assertNotIn("unsafe", policy)
                self.assertNotIn("*", policy)
                for directive in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
                    self.assertIn(directive, policy)
                self.assertEqual(headers["x-frame-options"], "DENY")
                self.assertEqual(headers["x-content-type-options"], "nosniff")
                self.assertIn("text/html", headers["content-type"])

    def test_frame(self):
        """A page of somebody else cannot show it in a frame, to have people click what they do not see."""
        site = Site(f"<h1>Harmless</h1><iframe src='{self.server.address}/'></iframe>")
        self.addCleanup(site.stop)
        self.server.make("1")
        window = self.window()
        window.expect_problem("frame-ancestors|X-Frame-Options|frame")
        with window.page.expect_response(self.server.address + "/"):
            window.page.goto(site.origin)
        frame = window.page.frame_locator("iframe")
        expect(window.page.get_by_role("heading", name="Harmless")).to_be_visible()
        expect(frame.locator("main")).to_have_count(0)
        window.until(lambda: window.unexpected_problems() != window.problems, "Chromium says that it shows no frame")


class Files(BrowserTest):
    """What the page consists of, and what a visit costs."""

    # A visit may cost so much, with all that it loads until the list is shown and the stream is open.
    REQUESTS, BYTES = 12, 60 * 1024

    def visit(self, window, target="/"):
        """What a visit requests, by address, in the order in which it was asked for, and the bytes that come in."""
        costs, addresses = {}, {}
        session = window.context.new_cdp_session(window.page)

        def begin(event):
            addresses[event["requestId"]] = event["request"]["url"]
            costs[event["requestId"]] = 0

        def receive(event):
            costs[event["requestId"]] = max(costs[event["requestId"]], event["response"]["encodedDataLength"])

        def finish(event):
            costs[event["requestId"]] = event["encodedDataLength"]

        session.on("Network.requestWillBeSent", begin)
        session.on("Network.responseReceived", receive)
        session.on("Network.loadingFinished", finish)
        session.send("Network.enable")
        window.open(target)
        expect(window.screen.locator("button.like").first).to_be_visible()
        session.send("Network.disable")
        return [address for address in addresses.values() if not address.startswith("data:")], sum(costs.values())

    def test_first_paint(self):
        """A first visit needs few requests and few bytes, and none of them goes to somebody else."""
        self.server.make_many([str(number) for number in range(100)], author="linus")
        for target in ("/", "/news/9"):
            addresses, size = self.visit(self.window(), target)
            print(f"cost: a first visit of {target} takes {len(addresses)} requests and {size} bytes")
            self.assertLessEqual(len(addresses), self.REQUESTS, addresses)
            self.assertLessEqual(size, self.BYTES)
            for address in addresses:
                self.assertTrue(address.startswith(self.server.address + "/"), address)

    def test_second_visit(self):
        """At a second visit the browser asks whether its copies are still right, and gets none of them again."""
        self.server.make("1")
        window = self.window()
        first = self.visit(window)
        second = self.visit(window)
        self.assertLess(second[1], first[1] / 3)

    def parts(self):
        window = self.window()
        self.server.make("1")
        addresses = [address.removeprefix(self.server.address) for address in self.visit(window)[0]]
        parts = [address for address in addresses if not address.startswith("/v1/")]
        self.assertGreater(len(parts), 2)
        return [*parts, "/demo", "/like-button.js"]

    def test_cached(self):
        """Every file has a tag, is asked for again each time, and comes only when it is another one."""
        for target in self.parts():
            with self.subTest(target=target):
                whole = self.server.ask("GET", target)
                self.assertEqual(whole.status, 200)
                self.assertEqual(whole.headers["cache-control"], "no-cache")
                self.assertEqual(whole.headers["x-content-type-options"], "nosniff")
                same = self.server.ask("GET", target, If_None_Match=whole.headers["etag"])
                self.assertEqual((same.status, same.body, same.headers["etag"]), (304, b"", whole.headers["etag"]))
                other = self.server.ask("GET", target, If_None_Match='"something else"')
                self.assertEqual((other.status, other.body), (200, whole.body))
                head = self.server.ask("HEAD", target)
                self.assertEqual((head.status, head.body), (200, b""))
                for name in ("etag", "content-length", "content-type", "cache-control"):
                    self.assertEqual(head.headers[name], whole.headers[name])

    def test_compressed(self):
        """Who takes gzip gets the same files, smaller."""
        for target in self.parts():
            with self.subTest(target=target):
                whole = self.server.ask("GET", target)
                small = self.server.ask("GET", target, Accept_Encoding="gzip")
                self.assertEqual(small.headers.get("content-encoding"), "gzip")
                self.assertEqual(gzip.decompress(small.body), whole.body)
                self.assertIn("accept-encoding", small.headers["vary"].lower())
                self.assertNotEqual(small.headers["etag"], whole.headers["etag"])

    def test_methods(self):
        """The pages are for reading: all else is refused, and says what is allowed."""
        for target in ("/", "/demo", "/like-button.js", "/page/page.css"):
            for method in ("POST", "PUT", "DELETE"):
                with self.subTest(target=target, method=method):
                    answer = self.server.ask(method, target, {} if method != "DELETE" else None)
                    self.assertEqual(answer.status, 405)
                    self.assertIn("GET", answer.headers["allow"])

    def test_no_cookies(self):
        """Nothing is kept about who reads but the name that was typed."""
        self.server.make("1")
        window = self.open(user=None)
        window.say_name("ada")
        window.expect_entry("1", "0 likes", False)
        self.assertEqual(window.context.cookies(), [])
        self.assertEqual(window.page.evaluate("Object.keys(localStorage)"), ["likesd.user"])
