#!/usr/bin/env python3
"""The reference of the API, in a real browser."""
import unittest

from browser import BrowserTests


class Reference(BrowserTests):
    def test_the_reference_tries_an_operation(self):
        page = self.open("docs#applyOperations", ready="#applyOperations .try")
        form = page.locator("#applyOperations .try")
        form.get_by_label("user", exact=True).fill("tried")
        form.get_by_role("button", name="Send").click()
        form.locator(".answer pre").wait_for()
        self.assertIn('"version": 1', form.locator(".answer").inner_text())
        form.locator("textarea").fill("{")
        form.get_by_role("button", name="Send").click()
        form.get_by_text("The content is no JSON").wait_for()

    def test_each_problem_leads_to_its_place_in_the_reference(self):
        refusal = self.request("POST", "/v1/users/p/layout/operations", {"operations": [{"op": "move", "id": "scan", "at": {"index": 3}}]}).json()
        page = self.open(refusal["type"].removeprefix("/"), ready="#item_not_movable.here")
        self.assertIn("item_not_movable", page.inner_text(".here"))
        codes = self.request("GET", "/openapi.json").json()["x-problem-codes"]
        self.assertEqual(set(page.eval_on_selector_all(".problem", "all => all.map((each) => each.id)")), set(codes))

    def test_a_stream_shows_its_first_events(self):
        page = self.open("docs#streamEvents", ready="#streamEvents .try")
        page.locator("#streamEvents .try").get_by_role("button", name="Send").click()
        page.locator("#streamEvents .answer pre").get_by_text("event: layout").wait_for()

    def test_every_operation_is_there_and_can_be_opened(self):
        page = self.open("docs", ready=".operation")
        paths = self.request("GET", "/openapi.json").json()["paths"]
        operations = {operation["operationId"] for path in paths.values() for method, operation in path.items() if method in ("get", "put", "post", "delete")}
        self.assertEqual(set(page.eval_on_selector_all(".operation", "all => all.map((each) => each.id)")), operations)
        page.eval_on_selector_all(".operation", "all => all.forEach((each) => (each.open = true))")
        page.wait_for_function("count => document.querySelectorAll('.operation .try').length === count", arg=len(operations))

    def test_axe_finds_nothing(self):
        for scheme in ("light", "dark"):
            page = self.open("docs", ready=".operation", color_scheme=scheme)
            page.click("#applyOperations > summary")
            page.wait_for_selector("#applyOperations .try")
            self.assert_accessible(page, scheme)


if __name__ == "__main__":
    unittest.main(verbosity=2)
