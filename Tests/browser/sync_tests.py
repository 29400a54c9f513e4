#!/usr/bin/env python3
"""The console kept in step with the server, in a real browser: two windows, offline and back, merges and decisions."""
import unittest

from browser import BrowserTests, cell

DEFAULTS = ["scan", "pay-code", "transfer", "transit-code", "phone-topup", "food-delivery", "ride", "lock-card"]


def without(*ids):
    return [id for id in DEFAULTS if id not in ids]


class Sync(BrowserTests):
    def windows(self, user):
        """Two windows, as of two devices, both listening."""
        pages = [self.open("#/editor/" + user, context=self.context()) for _ in range(2)]
        for page in pages:
            page.wait_for_selector("#state.live")
        return pages

    def remove(self, page, *ids):
        page.click("[data-do=edit]")
        for id in ids:
            page.click(cell(id) + " .badge.remove")

    def done(self, page):
        page.click("[data-do=done]")
        page.wait_for_selector("[data-do=edit]")

    def other_client(self, user, *operations):
        answer = self.request("POST", "/v1/users/%s/layout/operations" % user, {"operations": list(operations)})
        self.assertEqual(answer.status, 200, answer)

    def go_offline(self, page):
        page.check("#offline")
        page.wait_for_selector("#state.offline")

    def test_two_windows_stay_equal(self):
        one, two = self.windows("two-windows")
        self.remove(one, "ride")
        self.done(one)
        self.wait_for_shown(two, without("ride"))
        self.remove(two, "transfer")
        self.done(two)
        self.wait_for_shown(one, without("ride", "transfer"))
        self.assertIn("Version 2", one.inner_text("#activity"))

    def test_what_another_client_does_while_a_window_edits_is_merged(self):
        page, _ = self.windows("merged")
        self.remove(page, "ride")
        self.other_client("merged", {"op": "remove", "id": "transfer"})
        self.done(page)
        self.wait_for_favorites(page, "merged", without("ride", "transfer"))
        page.wait_for_selector("#merged")
        self.assertIn("Both changes are in", page.inner_text("#merged"))

    def test_a_neighbour_that_went_is_named(self):
        page, _ = self.windows("neighbour")
        page.click("[data-do=edit]")
        page.click(cell("lock-card"))
        page.click("[data-do=earlier]")  # behind food-delivery
        self.other_client("neighbour", {"op": "remove", "id": "food-delivery"})
        self.done(page)
        page.wait_for_selector("#merged")
        self.assertIn("Block card: its neighbour was gone", page.inner_text("#merged"))

    def test_offline_edits_wait_and_are_carried_over(self):
        page, _ = self.windows("offline")
        self.go_offline(page)
        self.remove(page, "ride")
        self.done(page)
        self.wait_for_shown(page, without("ride"))
        self.remove(page, "transfer")
        self.done(page)
        self.assertIn("2 changes wait", page.inner_text(".rail"))
        self.assertEqual(self.favorites("offline"), DEFAULTS)
        self.other_client("offline", {"op": "remove", "id": "food-delivery"})
        page.uncheck("#offline")
        self.wait_for_favorites(page, "offline", without("ride", "transfer", "food-delivery"))
        self.wait_for_shown(page, without("ride", "transfer", "food-delivery"))
        page.wait_for_selector("#merged")

    def test_offline_edits_outlive_the_page(self):
        page, _ = self.windows("outlive")
        self.go_offline(page)
        self.remove(page, "ride")
        self.done(page)
        page.reload()
        self.wait_for_favorites(page, "outlive", without("ride"))

    def test_a_network_that_fails_is_said_and_cured(self):
        page, _ = self.windows("network")
        page.context.set_offline(True)
        self.remove(page, "ride")
        self.done(page)
        page.wait_for_selector("#state.unreachable")
        self.wait_for_shown(page, without("ride"))
        page.context.set_offline(False)
        self.wait_for_favorites(page, "network", without("ride"))

    def test_what_is_no_longer_allowed_is_named_and_the_rest_is_saved(self):
        page, _ = self.windows("no-longer")
        self.go_offline(page)
        page.click("[data-do=edit]")
        page.click(cell("metro", ".shelf") + " .badge.add")
        page.click(cell("ride") + " .badge.remove")
        self.done(page)
        for id in ("bus", "parking", "tolls"):
            self.other_client("no-longer", {"op": "add", "id": id})
        page.uncheck("#offline")
        expected = without("ride") + ["bus", "parking", "tolls"]
        self.wait_for_favorites(page, "no-longer", expected)
        page.wait_for_selector("#merged")
        self.assertIn("Metro: There is room for 11", page.inner_text("#merged"))

    def test_a_base_that_is_gone_asks_which_list_to_keep(self):
        for choice, expected in (("mine", without("food-delivery", "ride")), ("theirs", without("food-delivery", "transfer"))):
            user = "expired-" + choice
            self.other_client(user, {"op": "remove", "id": "food-delivery"})
            # What this window saw is older, in the end, than the 50 versions that are kept.
            page, _ = self.windows(user)
            self.go_offline(page)
            self.remove(page, "ride")
            self.done(page)
            for _ in range(26):
                self.other_client(user, {"op": "remove", "id": "transfer"})
                self.other_client(user, {"op": "add", "id": "transfer"})
            self.other_client(user, {"op": "remove", "id": "transfer"})
            page.uncheck("#offline")
            page.wait_for_selector("dialog")
            page.click("dialog button[value=%s]" % choice)
            self.wait_for_favorites(page, user, expected)
            self.wait_for_shown(page, expected)

    def test_a_locked_page_says_so_at_once(self):
        page, _ = self.windows("locked")
        self.assertEqual(self.request("PUT", "/v1/users/locked/layout/lock").status, 200)
        page.wait_for_selector(".bar .chip")
        page.click("[data-do=edit]")
        page.click(cell("metro", ".shelf"))
        self.wait_for_words(page, "Support has locked this page")
        self.assertEqual(self.shown(page), DEFAULTS)


if __name__ == "__main__":
    unittest.main(verbosity=2)
