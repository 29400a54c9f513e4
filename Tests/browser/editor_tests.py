#!/usr/bin/env python3
"""The console's editor in a real browser: every interaction with a mouse, a finger and the keyboard."""
import contextlib
import unittest

from browser import BrowserTests, Touch, cell, middle

DEFAULTS = ["scan", "pay-code", "transfer", "transit-code", "phone-topup", "food-delivery", "ride", "lock-card"]


def moved(id, slot, of=DEFAULTS):
    """Remove, then insert; what is pinned stands first here, so no rule interferes."""
    rest = [each for each in of if each != id]
    return rest[:slot] + [id] + rest[slot:]


class Editor(BrowserTests):
    def edit(self, user, **options):
        page = self.open("#/editor/" + user, **options)
        page.click("[data-do=edit]")
        return page

    def done(self, page):
        page.click("[data-do=done]")
        page.wait_for_selector("[data-do=edit]")

    def drag(self, page, id, target, drop=True):
        page.mouse.move(*middle(page, cell(id)))
        page.mouse.down()
        page.mouse.move(*middle(page, cell(target)), steps=8)
        if drop:
            page.mouse.up()

    @contextlib.contextmanager
    def standing_still(self, page):
        """No time-out of the page comes until this is over, then all that are left: what is quick is quick on any machine."""
        page.evaluate("""() => {
            const real = [setTimeout, clearTimeout], kept = new Map();
            let last = 0;
            window.setTimeout = (what) => (kept.set(--last, what), last);
            window.clearTimeout = (id) => kept.delete(id) || real[1](id);
            window.goOn = () => { [window.setTimeout, window.clearTimeout] = real; kept.forEach((what) => what()); };
        }""")
        yield
        page.evaluate("() => goOn()")

    # Normal mode

    def test_a_tap_opens_a_function(self):
        page = self.open("#/editor/opens")
        with self.standing_still(page):
            page.click(cell("transfer"))
        sheet = page.locator("dialog")
        self.assertIn("app://transfer", sheet.inner_text())
        page.keyboard.press("Escape")
        sheet.wait_for(state="detached")

    def test_a_newcomer_drags_at_once(self):
        page = self.open("")
        page.mouse.move(*middle(page, cell("ride")))
        page.mouse.down()
        page.wait_for_selector(".lifted")
        page.mouse.move(*middle(page, cell("transfer")), steps=8)
        page.mouse.up()
        self.wait_for_shown(page, moved("ride", 2))
        self.done(page)
        self.wait_for_favorites(page, "alice", moved("ride", 2))

    # The mouse

    def test_a_mouse_drags_and_done_saves_one_version(self):
        page = self.edit("mouse")
        self.drag(page, "transfer", "ride")
        self.drag(page, "lock-card", "phone-topup")
        wanted = moved("lock-card", 3, moved("transfer", 6))
        self.wait_for_shown(page, wanted)
        self.assertEqual(self.favorites("mouse"), DEFAULTS, "nothing is sent before Done")
        self.done(page)
        self.wait_for_favorites(page, "mouse", wanted)
        self.assertEqual(self.request("GET", "/v1/users/mouse/layout").json()["version"], 1, "one batch, one version")

    def test_the_others_make_room_while_a_cell_is_up(self):
        page = self.edit("room")
        self.drag(page, "transfer", "ride", drop=False)
        style = lambda id: page.eval_on_selector(cell(id), "cell => cell.style.transform")  # noqa: E731
        self.assertIn("scale(1.1)", style("transfer"))
        self.assertNotEqual(style("ride"), "")
        self.assertEqual(style("pay-code"), "")
        page.keyboard.press("Escape")
        page.wait_for_selector(".lifted", state="detached")
        self.assertEqual((self.shown(page), style("ride")), (DEFAULTS, ""))
        page.mouse.up()

    def test_a_pinned_slot_refuses(self):
        page = self.edit("pinned")
        self.drag(page, "ride", "scan")
        self.wait_for_words(page, "Scan always comes first")
        self.wait_for_shown(page, moved("ride", 1))

    def test_an_unmovable_cell_says_why(self):
        page = self.edit("unmovable")
        self.drag(page, "pay-code", "ride")
        self.wait_for_words(page, "Payment code can’t be moved")
        self.assertEqual(self.shown(page), DEFAULTS)

    def test_the_page_scrolls_along_at_its_border(self):
        page = self.edit("scrolls", viewport={"width": 700, "height": 420})
        page.mouse.move(*middle(page, cell("ride")))
        page.mouse.down()
        page.mouse.move(350, 415, steps=6)
        page.wait_for_function("() => scrollY > 100")
        page.mouse.move(350, 5, steps=6)
        page.wait_for_function("() => scrollY === 0")
        page.keyboard.press("Escape")
        page.mouse.up()

    # Badges

    def test_plus_adds_until_the_list_is_full(self):
        page = self.edit("full")
        for id in ("metro", "bus", "parking"):
            page.click(cell(id, ".shelf") + " .badge")
        wanted = DEFAULTS + ["metro", "bus", "parking"]
        self.wait_for_shown(page, wanted)
        page.click(cell("tolls", ".shelf") + " .badge.full")
        self.wait_for_words(page, "All 11 places are taken")
        self.wait_for_shown(page, wanted)
        page.click(cell("bus") + " .badge.remove")
        page.click(cell("tolls", ".shelf") + " .badge.add")
        wanted = [id for id in wanted if id != "bus"] + ["tolls"]
        self.wait_for_shown(page, wanted)
        self.done(page)
        self.wait_for_favorites(page, "full", wanted)

    def test_what_may_not_be_removed_has_no_minus(self):
        page = self.edit("required")
        self.assertTrue(page.locator(cell("ride") + " .badge").is_visible())
        for id in ("scan", "pay-code", "lock-card"):
            self.assertFalse(page.locator(cell(id) + " .badge").is_visible(), id)

    def test_undo_cancel_and_undo_after_saving(self):
        page = self.edit("undoes")
        page.click(cell("ride") + " .badge.remove")
        self.drag(page, "lock-card", "transfer")
        page.click("[data-do=undo]")
        self.wait_for_shown(page, [id for id in DEFAULTS if id != "ride"])
        page.click("[data-do=cancel]")
        self.wait_for_shown(page, DEFAULTS)
        page.click("[data-do=edit]")
        page.click(cell("ride") + " .badge.remove")
        with self.standing_still(page):  # the note goes after a while
            self.done(page)
            self.wait_for_words(page, "Saved as version 1")
            page.click(".note button")
        self.wait_for_shown(page, DEFAULTS)
        self.wait_for_favorites(page, "undoes", DEFAULTS)

    # The finger

    def touch_page(self, user):
        page = self.open("#/editor/" + user, **self.devices["Pixel 7"])
        return page, Touch(page)

    def test_a_long_press_lifts_and_a_finger_drags(self):
        page, finger = self.touch_page("finger")
        finger.down(middle(page, cell("ride")))
        page.wait_for_selector(".lifted")
        finger.move(middle(page, cell("transfer")))
        finger.up()
        self.wait_for_shown(page, moved("ride", 2))
        page.tap("[data-do=done]")
        self.wait_for_favorites(page, "finger", moved("ride", 2))

    def test_a_quick_swipe_scrolls_and_drags_nothing(self):
        page, finger = self.touch_page("swipe")
        for editing in (False, True):
            if editing:
                page.evaluate("scrollTo(0, 0)")
                page.tap("[data-do=edit]")
            x, y = middle(page, cell("ride"))
            with self.standing_still(page):
                page.evaluate("() => { scrolls = false; addEventListener('pointercancel', () => (scrolls = true), { once: true }); }")
                finger.down((x, y))
                finger.move((x, y - 200), steps=4)
                finger.up()
                # The page scrolls at once, and is told of it later.
                page.wait_for_function("() => scrolls && scrollY > 40")
            self.assertEqual(page.locator(".lifted").count(), 0)
            self.assertEqual(self.shown(page), DEFAULTS)
        self.assertEqual(page.locator("dialog").count(), 0)

    def test_a_long_press_elsewhere_enters_edit_mode(self):
        page, finger = self.touch_page("elsewhere")
        finger.down(middle(page, cell("bus", ".shelf")))
        page.wait_for_selector("[data-do=done]")
        finger.up()
        self.assertEqual(page.locator("dialog").count(), 0, "the release opens nothing")

    # The keyboard

    def test_the_keyboard_lifts_moves_and_drops(self):
        page = self.edit("keys")
        page.focus(cell("transfer") + " .face")
        page.keyboard.press("Space")
        self.wait_for_words(page, "Transfer lifted, place 3 of 8")
        for _ in range(2):
            page.keyboard.press("ArrowRight")
        self.wait_for_words(page, "Transfer: place 5 of 8")
        page.keyboard.press("Space")
        self.wait_for_words(page, "Transfer put down at place 5 of 8")
        self.wait_for_shown(page, moved("transfer", 4))
        self.assertEqual(page.evaluate("document.activeElement.parentElement.dataset.id"), "transfer", "focus stays on it")
        page.keyboard.press("Space")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Escape")
        self.wait_for_shown(page, moved("transfer", 4))
        page.keyboard.press("Delete")
        self.wait_for_shown(page, [id for id in DEFAULTS if id != "transfer"])
        self.done(page)
        self.wait_for_favorites(page, "keys", [id for id in DEFAULTS if id != "transfer"])

    def test_the_keyboard_meets_the_same_rules(self):
        page = self.edit("key-rules")
        page.focus(cell("scan") + " .face")
        page.keyboard.press("Space")
        self.wait_for_words(page, "Scan always comes first")
        page.focus(cell("transfer") + " .face")
        page.keyboard.press("Space")
        for _ in range(3):
            page.keyboard.press("ArrowLeft")
        self.wait_for_words(page, "Scan always comes first")
        page.keyboard.press("Space")
        self.wait_for_shown(page, moved("transfer", 1))

    def test_arrows_walk_and_space_adds(self):
        page = self.edit("walks")
        page.focus(cell("transit-code", ".shelf") + " .face")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        self.assertEqual(page.evaluate("document.activeElement.parentElement.dataset.id"), "metro")
        page.keyboard.press("Space")
        self.wait_for_shown(page, DEFAULTS + ["metro"])

    def test_buttons_move_without_dragging(self):
        page = self.edit("buttons")
        page.click(cell("transfer"))
        page.click("[data-do=later]")
        self.wait_for_shown(page, moved("transfer", 3))
        page.click("[data-do=earlier]")
        page.click("[data-do=earlier]")
        self.wait_for_shown(page, moved("transfer", 1))
        self.assertTrue(page.locator("[data-do=earlier]").is_disabled(), "slot 0 is pinned")


if __name__ == "__main__":
    unittest.main(verbosity=2)
