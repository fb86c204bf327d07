"""What all tests have in common: a server, windows on it, and that nothing goes wrong unseen."""

import unittest

from Browser.page import Window
from Browser.server import Server


class BrowserTest(unittest.TestCase):
    """A test with a server of its own. It fails, too, when the console of a window has an error that it did not expect."""

    # The Chromium that all tests share.
    browser = None
    # How the server is started.
    flags = ()
    durable = False

    def setUp(self):
        self.windows = []
        self.server = Server(*self.flags, durable=self.durable)
        self.server.start()
        self.addCleanup(self.server.stop)

    def tearDown(self):
        for window in self.windows:
            window.close()
        problems = [problem for window in self.windows for problem in window.unexpected_problems()]
        if problems:
            self.fail("the console has errors:\n" + "\n".join(problems))

    def window(self, user="ada", **options):
        """A new window in which nothing is open yet. `options` are those of the browser's profile."""
        window = Window(self.browser, self.server.address, user, **options)
        self.windows.append(window)
        return window

    def open(self, path="/", user="ada", live=True, **options):
        """A new window that shows this address."""
        return self.window(user, **options).open(path, live)
