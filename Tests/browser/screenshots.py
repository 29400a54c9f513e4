#!/usr/bin/env python3
"""Takes the pictures of Documentation/images: each view in three sizes, light and dark. Run by `make screenshots`."""
import io
import os
import unittest

from PIL import Image

from browser import ROOT, BrowserTests, cell

IMAGES = os.path.join(ROOT, "Documentation", "images")
SIZES = {"desktop": (1280, 860), "tablet": (820, 1060), "phone": (390, 844)}


class Screenshots(BrowserTests):
    flags = ("demo", "--users", "1000")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.makedirs(IMAGES, exist_ok=True)
        # A history worth looking at.
        for origin, *operations in (
                ("ios/10.3", {"op": "add", "id": "metro"}, {"op": "move", "id": "metro", "at": {"index": 2}}),
                ("android/10.4", {"op": "remove", "id": "food-delivery"}),
                ("web", {"op": "move", "id": "lock-card", "at": {"edge": "last"}}, {"op": "add", "id": "coffee"})):
            with cls.server.client() as client:
                answer = client.request("POST", "/v1/users/user-7/layout/operations", {"Pegboard-Client": origin}, {"operations": list(operations)})
            assert answer.status == 200, answer

    def picture(self, name, address, ready, prepare=lambda page: None, sizes=SIZES, **options):
        for size, (width, height) in sizes.items():
            for theme in ("light", "dark"):
                context = self.context(viewport={"width": width, "height": height}, color_scheme=theme, reduced_motion="reduce", has_touch=size == "phone", is_mobile=size == "phone", **options)
                page = self.open(address, context, ready)
                page.evaluate("document.fonts.ready")
                prepare(page)
                # 128 colors are enough for a page, and a quarter of the size.
                image = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(128, dither=Image.Dither.NONE)
                image.save(os.path.join(IMAGES, "%s-%s-%s.png" % (name, size, theme)), optimize=True)

    def test_editor(self):
        self.picture("editor", "#/editor/user-7", "#state.live")

    def test_arranging(self):
        def lift(page):
            page.click("[data-do=edit]")
            page.click(cell("parking", ".shelf") + " .badge")
            page.evaluate("scrollTo(0, 0)")
            page.wait_for_selector(".note", state="detached")
            boxes = [page.locator(cell(id)).bounding_box() for id in ("coffee", "phone-topup")]
            (x, y), (to_x, to_y) = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(to_x + 24, to_y + 16, steps=10)
            page.wait_for_selector(".lifted")
        self.picture("arranging", "#/editor/user-7", "#state.live", lift)

    def test_german(self):
        self.picture("german", "#/editor/user-7", "#state.live", lambda page: page.locator("#section-city").scroll_into_view_if_needed(),
                     {"phone": SIZES["phone"]}, locale="de-DE")

    def test_support(self):
        def explain(page):
            page.select_option("#why", "metro")
            page.wait_for_selector("#explanation li")
        self.picture("support", "#/support/user-7", "#history li", explain)

    def test_catalog(self):
        def retire(page):
            page.click("#draft .entry[data-id=ride]")
            page.select_option("#draft .form select", "retired")
            page.wait_for_function("() => /^[1-9]/.test(document.querySelector('#impact .figure')?.textContent)")
        self.picture("catalog", "#/catalog/user-7", "#phone .cell", retire)

    def test_statistics(self):
        self.picture("statistics", "#/statistics", "#detail .plot")

    def test_api(self):
        def act(page):
            page.click("#views a[href^='#/api']")
            page.click("#requests summary >> nth=0")
        self.picture("api", "#/editor/user-7", "#state.live", act)

    def test_reference(self):
        self.picture("reference", "docs#applyOperations", "#applyOperations .try")


if __name__ == "__main__":
    unittest.main(verbosity=2)
