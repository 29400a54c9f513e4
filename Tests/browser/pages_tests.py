#!/usr/bin/env python3
"""The console's views in a real browser: support, catalog, statistics, the API, signing in; accessibility of all of them,
what they weigh, and what their policy forbids."""
import gzip
import json
import os
import re
import secrets
import subprocess
import tempfile
import unittest

from browser import ROOT, BrowserTests, cell, pegboard

WEB = os.path.join(ROOT, "Sources", "ConsoleFiles", "web")

# Each view, and what it shows once it is there.
VIEWS = {
    "editor": ("#/editor/user-7", "#favorites li"),
    "support": ("#/support/user-7", "#history li"),
    "catalog": ("#/catalog/user-7", "#phone .cell"),
    "statistics": ("#/statistics", "#detail .plot"),
    "api": ("#/api", "#requests"),
}


class Views(BrowserTests):
    # Support

    def test_support_finds_a_user(self):
        page = self.open("#/support/alice", ready="#people a")
        page.fill("#prefix", "user-3")
        page.wait_for_function("() => [...document.querySelectorAll('#people a')].every((a) => a.textContent.startsWith('user-3'))")
        page.click("#people a >> nth=0")
        page.wait_for_function("() => document.querySelector('h1').textContent === 'user-3'")
        page.fill("#prefix", "zzz")
        page.get_by_text("Nobody’s name begins with “zzz”").wait_for()

    def test_support_shows_restores_locks_and_exports(self):
        for body in ({"operations": [{"op": "remove", "id": "ride"}]}, {"operations": [{"op": "move", "id": "lock-card", "at": {"index": 2}}]}):
            self.assertEqual(self.request("POST", "/v1/users/helped/layout/operations", body, {"Pegboard-Client": "ios/10.3"}).status, 200)
        page = self.open("#/support/helped", ready="#history li")
        history = page.inner_text("#history")
        for expected in ("− Book a ride", "Block card 7 → 3", "ios/10.3"):
            self.assertIn(expected, history)
        page.click("[data-version='1']")
        page.click("dialog button[value=yes]")
        self.wait_for_words(page, "Version 1 is back")
        self.assertEqual(self.favorites("helped")[-1], "lock-card")
        page.click("#lock")
        self.wait_for_words(page, "helped is locked")
        self.assertTrue(self.request("GET", "/v1/users/helped/layout").json()["locked"])
        with page.expect_download() as download:
            page.click("#export")
        with open(download.value.path(), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["layout"]["version"], 4)

    def test_support_explains_why(self):
        self.request("PUT", "/v1/users/asked/layout/favorites/metro")
        self.request("DELETE", "/v1/users/asked/layout/favorites/ride", headers={"Pegboard-Client": "an old phone"})
        page = self.open("#/support/asked", ready="#why")
        for id, reason in (("scan", "is pinned: the catalog gives it place 1"), ("metro", "stands at place 8 because the user’s list has it"),
                           ("lock-card", "It is required"), ("health-pass", "is retired"), ("ride", "It went in version 2 (an old phone)"),
                           ("fuel", "is not in the user’s own list"), ("transfer", "It may stand at 2, 3, 4")):
            page.select_option("#why", id)
            page.wait_for_function("reason => document.getElementById('explanation').textContent.includes(reason)", arg=reason)

    # Statistics

    def test_statistics_plot_a_function(self):
        page = self.open("#/statistics", ready="#detail .plot")
        page.click("#ranking button[data-id='transfer']")
        detail = page.locator("#detail")
        self.assertIn("Transfer", detail.inner_text())
        self.assertIn("Transfer at each place", detail.locator("svg").first.get_attribute("aria-label"))
        page.click("#detail summary >> nth=0")
        counts = [int(row.split("\t")[1].replace(",", "")) for row in detail.locator("tbody").first.inner_text().splitlines()]
        statistics = self.request("GET", "/v1/admin/statistics").json()
        row = next(each for each in statistics["functions"] if each["id"] == "transfer")
        self.assertEqual(counts, row["slots"])

    # The API

    def test_each_action_can_be_had_as_curl(self):
        page = self.open("#/editor/curled")
        page.click("[data-do=edit]")
        page.click(cell("ride") + " .badge.remove")
        page.click("[data-do=done]")
        self.wait_for_words(page, "Saved as version 1")
        page.click("#views a[href^='#/api']")
        page.check("#writes-only")
        page.click("#requests summary")
        line = page.inner_text("#requests pre >> nth=0")
        ran = subprocess.run(["bash", "-c", line.replace("curl ", "curl -s --max-time 30 ", 1)], capture_output=True, text=True, check=False)
        self.assertIn('"version":1', ran.stdout, "the key makes it a repeat: %s\n%s" % (line, ran.stderr))
        self.assertIn('"version": 1', page.inner_text("#requests .answer"))

    # Languages and looks

    def test_it_speaks_the_browsers_language(self):
        for locale, title, edit in (("de-DE", "Meine Funktionen", "Bearbeiten"), ("zh-CN", "我的应用", "编辑"), ("fr-FR", "My functions", "Edit")):
            page = self.open("#/editor/alice", locale=locale)
            self.assertEqual((page.inner_text("#board-title"), page.inner_text("[data-do=edit]")), (title, edit))

    def test_language_and_theme_can_be_chosen(self):
        page = self.open("#/editor/alice")
        page.click("#who button")
        page.select_option("#language", "de")
        page.select_option("#theme", "dark")
        page.click("dialog button[value=yes]")
        page.get_by_text("Meine Funktionen").wait_for()
        self.assertEqual(page.evaluate("document.documentElement.dataset.theme"), "dark")

    def test_long_titles_stay_in_their_cells(self):
        for width in (320, 390, 1280):
            page = self.open("#/editor/alice", locale="de-DE", viewport={"width": width, "height": 800})
            wide = page.eval_on_selector_all(".title", "all => all.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)")
            self.assertEqual(wide, [], width)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width, "nothing sticks out sideways")

    # Accessibility

    def test_axe_finds_nothing(self):
        for scheme in ("light", "dark"):
            context = self.context(color_scheme=scheme, reduced_motion="reduce")
            for name, (address, ready) in VIEWS.items():
                with self.subTest(view=name, theme=scheme):
                    page = self.open(address, context=context, ready=ready)
                    if name == "editor":
                        self.assert_accessible(page, "normal mode")
                        page.click("[data-do=edit]")
                        page.click(cell("transit-code"))
                    if name == "support":
                        page.select_option("#why", "scan")
                        page.wait_for_selector("#explanation li")
                    self.assert_accessible(page, name)
                    page.close()

    def test_axe_would_find_something(self):
        page = self.open()
        page.evaluate("document.querySelector('[data-do=edit]').replaceChildren()")
        with self.assertRaises(AssertionError):
            self.assert_accessible(page, "a button without a name")

    def test_targets_are_large_enough(self):
        page = self.open(viewport={"width": 390, "height": 844})
        page.click("[data-do=edit]")
        small = page.eval_on_selector_all("main button, main a, main input, main select", """all => all
            .map((each) => [each.outerHTML.slice(0, 80), each.getBoundingClientRect()])
            .filter(([, box]) => box.width && (box.width < 24 || box.height < 24)).map(([name]) => name)""")
        self.assertEqual(small, [], "WCAG 2.2, 2.5.8: 24 by 24")

    # What a page may do, and what it weighs

    def test_an_inline_script_is_blocked(self):
        page = self.open()
        page.evaluate("""() => {
            const script = document.createElement("script");
            script.textContent = "window.planted = true";
            document.body.append(script);
        }""")
        self.assertIsNone(page.evaluate("window.planted ?? null"))
        self.assertTrue(any("Content Security Policy" in error for error in self.errors), self.errors)
        self.errors.clear()

    def test_what_each_view_loads_is_small(self):
        for name, (address, ready) in VIEWS.items():
            context = self.context()
            page = context.new_page()
            weights = {}
            page.on("requestfinished", lambda request, weights=weights: weights.__setitem__(request.url, request.sizes()["responseBodySize"]))
            page.goto(self.origin + "/console" + address)
            page.wait_for_selector(ready)
            own = {url: weight for url, weight in weights.items() if "/v1/" not in url}
            self.assertLess(sum(own.values()), 60_000, "%s: %s" % (name, own))

    def test_everything_in_one_language_is_below_60_kilobytes(self):
        sizes = {}
        for name in sorted(os.listdir(WEB)):
            with open(os.path.join(WEB, name), "rb") as file:
                content = file.read()
            answer = self.request("GET", "/console/" + name, headers={"Accept-Encoding": "gzip"})
            self.assertEqual(answer.status, 200, "%s is in web/, but not in ConsoleFiles.c" % name)
            body = gzip.decompress(answer.body) if answer.headers.get("content-encoding") else answer.body
            self.assertEqual(body, content, name)
            sizes[name] = len(answer.body)
        languages = [name for name in sizes if re.match(r"words\..+\.js", name)]
        self.assertEqual(len(languages), 3)
        for language in languages:
            others = set(languages) - {language} | {"docs.html", "docs.css", "docs.js"}
            self.assertLess(sum(size for name, size in sizes.items() if name not in others), 60_000, sizes)

    def test_every_language_has_every_word(self):
        read = lambda name: open(os.path.join(WEB, name), encoding="utf-8").read()  # noqa: E731
        page = self.open()
        keys = {language: set(page.evaluate("async (name) => Object.keys((await import(`/console/${name}`)).default)", "words.%s.js" % language))
                for language in ("en", "de", "zh-Hans")}
        self.assertEqual(keys["en"], keys["de"])
        self.assertEqual(keys["en"], keys["zh-Hans"])
        used = set(re.findall(r"\bwords\.(\w+)", "".join(read(name) for name in os.listdir(WEB) if name.endswith(".js")))) - {"js", "en", "de", "zh"}
        self.assertLessEqual(used, keys["en"])
        # Some are found by a view's or a theme's name.
        self.assertLessEqual(keys["en"] - used, {"support", "api", "editor"})


class Catalog(BrowserTests):
    """Publishing changes the demo for everybody: a server of its own."""

    def choose(self, page, id):
        page.click("#draft .entry[data-id='%s']" % id)

    def test_a_draft_is_checked_as_one_types(self):
        page = self.open("#/catalog/user-7", ready="#impact")
        self.choose(page, "transfer")
        page.get_by_label("Pinned to slot").fill("0")
        page.get_by_text("'scan' is pinned at slot 0 already.").first.wait_for()
        page.wait_for_selector(".entry.faulty[data-id=transfer]")
        self.assertTrue(page.locator("#publish").is_disabled())
        page.get_by_label("Pinned to slot").fill("")
        page.wait_for_selector("#impact")
        page.click("#tab-json")
        page.fill("#json", "{")
        page.get_by_text("This is no JSON").wait_for()
        page.fill("#json", '{"functions": 7}')
        page.wait_for_selector(".faults li")

    def test_the_preview_is_what_the_server_would_show(self):
        page = self.open("#/catalog/user-7", ready="#phone .cell")
        for user, platform, version, language in (("user-7", "", "", "en"), ("user-3", "ios", "10.3", "de"), ("user-12", "web", "", "zh-Hans"), ("nobody", "android", "10.10", "en")):
            page.fill("#preview-user", user)
            page.press("#preview-user", "Tab")
            page.select_option("#preview-platform", platform)
            page.fill("#preview-version", version)
            page.select_option("#preview-language", language)
            query = "&".join("%s=%s" % pair for pair in (("platform", platform), ("appVersion", version)) if pair[1])
            served = self.request("GET", "/v1/users/%s/page?%s" % (user, query), headers={"Accept-Language": language}).json()
            expected = [each["title"] for section in served["sections"] for each in section["cells"]]
            page.wait_for_function("expected => [...document.querySelectorAll('#phone .title')].map((each) => each.textContent.replaceAll('\\u00AD', '')).join() === expected", arg=",".join(expected))

    def test_impact_differences_and_publishing(self):
        page = self.open("#/catalog/user-7", ready="#impact")
        revision = self.request("GET", "/v1/catalog").json()["revision"]
        self.choose(page, "ride")
        page.select_option("#draft .form select", "retired")
        page.wait_for_function("() => /^[1-9]/.test(document.querySelector('#impact .figure')?.textContent)")
        self.assertIn("functions.ride.status", page.inner_text("#differences"))
        self.assertNotIn("Book a ride", page.inner_text("#phone"))
        changed = page.inner_text("#impact .figure")
        page.click("#publish")
        self.assertIn("%s of" % changed, page.inner_text("dialog"))
        page.click("dialog button[value=yes]")
        self.wait_for_words(page, "Published as revision %d" % (revision + 1))
        self.assertEqual(self.request("GET", "/v1/catalog").json()["revision"], revision + 1)
        # And back: the earlier revision as the next one.
        page.select_option("#base", str(revision))
        page.click("#take")
        page.wait_for_selector("#publish:enabled")
        page.click("#publish")
        page.click("dialog button[value=yes]")
        self.wait_for_words(page, "Published as revision %d" % (revision + 2))
        status = {each["id"]: each.get("status") for each in self.request("GET", "/v1/catalog").json()["functions"]}
        self.assertIsNone(status["ride"])

    def test_what_others_published_meanwhile_is_not_overwritten(self):
        page = self.open("#/catalog/user-7", ready="#impact")
        catalog = self.request("GET", "/v1/catalog")
        draft = catalog.json()
        draft["policy"]["limit"] = 10
        self.assertEqual(self.request("PUT", "/v1/catalog", draft, {"If-Match": catalog.headers["etag"]}).status, 200)
        page.fill("#limit", "9")
        page.get_by_text("Load what was published meanwhile").click()
        page.wait_for_function("() => document.getElementById('limit')?.value === '10'")


class SigningIn(BrowserTests):
    """A server that wants tokens."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="pegboard-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.secret = os.path.join(folder.name, "secret")
        with open(cls.secret, "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(48))
        cls.jwt = ("--jwt-secret-file", cls.secret, "--jwt-issuer", "https://id.example", "--jwt-audience", "layouts")
        cls.flags = ("serve", "--auth", "jwt", "--catalog", pegboard.DEMO_CATALOG, *cls.jwt)
        super().setUpClass()

    def mint(self, *options):
        inherited = pegboard.inherited_environment()
        minted = subprocess.run([pegboard.binary(), "token", "mint", *self.jwt, *options], env=inherited,
                                capture_output=True, text=True, check=False)
        self.assertEqual(minted.returncode, 0, minted.stderr)
        return minted.stdout.strip()

    def test_a_pasted_token_signs_in(self):
        page = self.open("", ready="#token")
        self.assert_accessible(page, "the sign-in")
        page.fill("#token", "garbage")
        page.click("form.sign-in button")
        page.get_by_text("The server did not accept this token.").wait_for()
        page.fill("#token", self.mint("--user", "dora"))
        page.click("form.sign-in button")
        page.wait_for_selector("#favorites li")
        self.assertEqual(page.input_value("#user"), "dora")

    def test_a_login_link_signs_in_and_leaves_no_trace(self):
        link = self.mint("--user", "emil", "--console", "--listen", "127.0.0.1:%d" % self.server.port)
        self.assertTrue(link.startswith(self.origin + "/console#token="), link)
        page = self.open(link.removeprefix(self.origin + "/console"))
        token = link.partition("=")[2]
        self.assertNotIn(token, page.url)
        self.assertNotIn(token, page.evaluate("JSON.stringify([history.state, { ...localStorage }, { ...sessionStorage }, document.cookie])"))
        page.wait_for_selector("#state.live")
        page.reload()
        page.wait_for_selector("#token")

    def test_a_users_token_is_told_what_it_may_not(self):
        page = self.open("#token=" + self.mint("--user", "fred"))
        page.click("#views a[href^='#/statistics']")
        page.get_by_text("This token doesn’t allow that").wait_for()
        page.click("#views a[href^='#/support']")
        page.get_by_text("This token may not list users").wait_for()
        page.goto(page.url.replace("/fred", "/grete"))
        page.get_by_text("This token doesn’t allow that").wait_for()


if __name__ == "__main__":
    unittest.main(verbosity=2)
