"""Runs the subjects that are named on the command line, or all; exit status 1 when something has failed."""

import importlib
import os
import pkgutil
import shutil
import sys
import time
import unittest

from playwright.sync_api import expect, sync_playwright

from Browser import page, subjects
from Browser.case import BrowserTest
from Browser.report import Report

ALL = sorted(module.name for module in pkgutil.iter_modules(subjects.__path__))


def chromium():
    """Where Chromium is: LIKESD_CHROMIUM, or the one in PATH."""
    program = os.environ.get("LIKESD_CHROMIUM") or shutil.which("chromium")
    if not program:
        sys.exit("browser: there is no chromium in PATH, and LIKESD_CHROMIUM names none; `make setup-tests` installs it")
    return program


def tests(names):
    """The tests of the subjects, or of one class or test of a subject: `likes.Names`."""
    for name in names:
        subject = name.partition(".")[0]
        if subject not in ALL:
            sys.exit(f"browser: there is no subject {subject}; there are {', '.join(ALL)}")
        importlib.import_module(f"Browser.subjects.{subject}")
    return unittest.defaultTestLoader.loadTestsFromNames([f"Browser.subjects.{name}" for name in names])


def main():
    suite, result, begun = tests(sys.argv[1:] or ALL), Report(), time.monotonic()
    expect.set_options(timeout=1000 * page.PATIENCE)
    with sync_playwright() as playwright:
        BrowserTest.browser = playwright.chromium.launch(executable_path=chromium())
        suite.run(result)
        BrowserTest.browser.close()
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun} tests, {failed} failures, {time.monotonic() - begun:.0f} s")
    return 0 if result.testsRun and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
