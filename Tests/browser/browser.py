"""A browser in front of a Pegboard of its own: what the suites of this folder share.

    class Something(BrowserTests):
        def test_it(self):
            page = self.open("#/editor/alice")

Chromium is the system's (`Scripts/setup.sh test`), Playwright from PyPI (`Scripts/python.sh`). Nothing sleeps:
Playwright waits for what a locator names. A page that logs an error, or asks for what its policy forbids, fails its test.
"""
import os
import sys
import unittest

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402

ROOT = pegboard.ROOT

# Many other things may run on this machine: what is there in the end counts, not how soon.
PATIENCE = 60_000


class BrowserTests(unittest.TestCase):
    """One browser and one demo for the class, one context for each test, a user of its own for each that asks."""

    flags = ("demo", "--users", "40")

    @classmethod
    def setUpClass(cls):
        cls.server = pegboard.Server(*cls.flags).start()
        cls.addClassCleanup(cls.server.__exit__)
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.devices = playwright.devices
        cls.browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.contexts, self.errors = [], []

    def tearDown(self):
        for context in self.contexts:
            context.close()
        self.assertEqual(self.errors, [], "what the pages logged")

    # What a page says

    @property
    def origin(self):
        return "http://127.0.0.1:%d" % self.server.port

    def context(self, **options):
        context = self.browser.new_context(**{"locale": "en-US", "viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(PATIENCE)
        self.contexts.append(context)
        return context

    def open(self, address="#/editor/alice", context=None, ready="#favorites li", **options):
        """A page of the console, once it shows `ready`."""
        page = (context or self.context(**options)).new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._said)
        page.goto(self.origin + ("/docs" if address.startswith("docs") else "/console") + address.removeprefix("docs"))
        if ready:
            page.wait_for_selector(ready)
        return page

    def _said(self, message):
        # Chromium logs every answer of 400 and above; which ones are right is for the test to say.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.errors.append(message.text)

    # What the server has

    def request(self, method, path, body=None, headers=None):
        with self.server.client(timeout=60) as client:
            return client.request(method, path, headers, body)

    def favorites(self, user):
        return self.request("GET", "/v1/users/%s/layout" % user).json()["favorites"]

    def wait_for_favorites(self, page, user, expected):
        """Waits for what the server has; asked through the page, so that its clock goes on."""
        page.wait_for_function(
            """async ([user, expected]) => {
                const { favorites } = await (await fetch(`/v1/users/${user}/layout`)).json();
                return favorites.join() === expected;
            }""", arg=[user, ",".join(expected)])

    # What stands on the page

    def shown(self, page):
        return page.eval_on_selector_all("#favorites li", "cells => cells.map((cell) => cell.dataset.id)")

    def wait_for_shown(self, page, expected):
        page.wait_for_function(
            "expected => [...document.querySelectorAll('#favorites li')].map((cell) => cell.dataset.id).join() === expected",
            arg=",".join(expected))

    def wait_for_words(self, page, text):
        """The live region or a note says it."""
        page.wait_for_function(
            "text => [...document.querySelectorAll('#live, .note')].some((place) => place.textContent.includes(text))", arg=text)

    def assert_accessible(self, page, what):
        found = Axe().run(page).response["violations"]
        self.assertEqual(
            [], ["%s: %s" % (each["id"], [node["html"][:160] for node in each["nodes"][:3]]) for each in found], what)


def middle(page, selector):
    page.locator(selector).scroll_into_view_if_needed()
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def cell(id, place="#favorites"):
    return '%s li[data-id="%s"]' % (place, id)


class Touch:
    """A finger, through the protocol of the developer tools: a real touch, with all that a browser makes of it."""

    def __init__(self, page):
        self.page, self.session = page, page.context.new_cdp_session(page)

    def _send(self, kind, *points):
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    def down(self, point):
        self.point = point
        self._send("touchStart", point)

    def move(self, to, steps=10):
        (x, y), self.point = self.point, to
        for step in range(1, steps + 1):
            self._send("touchMove", (x + (to[0] - x) * step / steps, y + (to[1] - y) * step / steps))

    def up(self):
        self._send("touchEnd")
