"""What a run says: a line for each test, and for each that failed what was expected, where, and what the page showed."""

import os
import time
import traceback
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Report(unittest.TestResult):
    """The result of a run, told while it goes on."""

    def startTest(self, test):
        super().startTest(test)
        self.begun, self.failed = time.monotonic(), False

    def stopTest(self, test):
        super().stopTest(test)
        word = "FAILED" if self.failed else "ok"
        print(f"{word:6} {time.monotonic() - self.begun:5.1f} s  {name_of(test)}", flush=True)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._tell(test, error)

    def addError(self, test, error):
        super().addError(test, error)
        self._tell(test, error)

    def addSubTest(self, test, part, error):
        super().addSubTest(test, part, error)
        if error:
            print(f"\n--- {part._subDescription()}")
            self._tell(test, error)

    def _tell(self, test, error):
        """While the test still stands, so that its windows can be asked what they show."""
        self.failed = True
        print(f"\n--- {name_of(test)}: {test.shortDescription() or ''}")
        print(place_of(error[2]))
        print(str(error[1]).strip() or error[0].__name__)
        for number, window in enumerate(test.windows, 1):
            if not window.page.is_closed():
                print(f"\nwindow {number}: {shown_in(window)}")
        print(flush=True)


def name_of(test):
    return test.id().removeprefix("Browser.subjects.")


def place_of(trace):
    """The lines of our own that led to a failure."""
    frames = [frame for frame in traceback.extract_tb(trace) if frame.filename.startswith(HERE)]
    return "\n".join(f"{os.path.relpath(frame.filename, HERE)}:{frame.lineno}: {frame.line}" for frame in frames)


def shown_in(window):
    """The address of a window, its content as a screen reader sees it, and what its console has said."""
    try:
        content = window.page.locator("body").aria_snapshot(timeout=2000)
    except Exception as error:  # whatever it is: a report goes on
        content = f"(cannot be read: {error})"
    return "\n".join([window.page.url, content, *window.problems])
