#!/usr/bin/env python3
"""How clients are met: rate limits, CORS and security headers, against `pegboard serve`."""
import os
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402

LAYOUT = "/v1/users/%s/layout"
PAGE = "https://app.example.com"


def serve(*flags):
    return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, *flags)


class Limits(unittest.TestCase):
    def test_a_user_over_the_limit_is_429_and_the_others_are_not(self):
        with serve("--rate-limit", "1/h:3") as server, server.client() as client:
            left = []
            for _ in range(3):
                answer = client.request("GET", LAYOUT % "alice")
                self.assertEqual(answer.status, 200, answer)
                self.assertEqual(answer.headers["ratelimit-policy"], '"user";q=3;w=10800')
                left.append(answer.headers["ratelimit"].split(";")[1])
            self.assertEqual(left, ["r=2", "r=1", "r=0"])
            # Another spelling of the same path, and a write, are the same user's.
            for method, path in (("GET", LAYOUT % "alice"), ("GET", LAYOUT % "%61lice"),
                                 ("POST", LAYOUT % "alice" + "/operations")):
                refused = client.request(method, path, body={} if method == "POST" else None)
                self.assertEqual(refused.status, 429, refused)
                self.assertGreater(int(refused.headers["retry-after"]), 3500)
                self.assertTrue(refused.headers["ratelimit"].startswith('"user";r=0;t='), refused)
                self.assertEqual(refused.json()["code"], "rate_limited")
                self.assertNotIn("connection", refused.headers)
            self.assertEqual(client.request("GET", LAYOUT % "bob").status, 200)

    def test_who_was_over_the_limit_comes_back_when_told(self):
        with serve("--rate-limit", "60/m:1") as server, server.client() as client:
            self.assertEqual(self.until(429, client).headers["retry-after"], "1")
            self.until(200, client)

    def until(self, status, client):
        """Asks until that is the answer."""
        deadline = time.monotonic() + 60
        while (answer := client.request("GET", LAYOUT % "alice")).status != status:
            self.assertLess(time.monotonic(), deadline)
        return answer

    def test_an_address_over_the_limit_is_429_for_every_user(self):
        with serve("--rate-limit-address", "1/h:2", "--rate-limit", "100/s") as server, server.client() as client:
            for user in ("a", "b"):
                answer = client.request("GET", LAYOUT % user)
                self.assertEqual(answer.status, 200, answer)
                self.assertEqual(answer.headers["ratelimit-policy"], '"user";q=100;w=1, "address";q=2;w=7200')
                self.assertRegex(answer.headers["ratelimit"], r'^"user";r=99;t=1, "address";r=\d;t=\d+$')
            refused = client.request("GET", LAYOUT % "c")
            self.assertEqual(refused.status, 429)
            self.assertEqual(refused.json()["params"], {"policy": "address"})
            self.assertGreater(int(refused.headers["retry-after"]), 3500)
            for probe in ("/livez", "/readyz", "/healthz"):
                answer = client.request("GET", probe)
                self.assertEqual(answer.status, 200, answer)
                self.assertNotIn("ratelimit", answer.headers)

    def test_errors_of_limited_resources_tell_what_is_left(self):
        with serve("--rate-limit", "1/m:5") as server, server.client() as client:
            answer = client.request("PUT", LAYOUT % "alice", body={"favorites": []})
            self.assertGreaterEqual(answer.status, 400)
            self.assertIn('"user";r=4;', answer.headers["ratelimit"])

    def test_without_the_settings_there_is_no_limit_and_no_field(self):
        with serve() as server, server.client() as client:
            for _ in range(300):
                answer = client.request("GET", LAYOUT % "alice")
                self.assertEqual(answer.status, 200)
            self.assertNotIn("ratelimit", answer.headers)
            self.assertNotIn("Origin", answer.headers.get("vary", ""))


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = serve("--cors-origins", PAGE + ",http://localhost:3000").start()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def ask(self, method, path, **fields):
        with self.server.client() as client:
            return client.request(method, path, {name.replace("_", "-"): value for name, value in fields.items()})

    def test_an_allowed_page_may_read_answers_and_their_fields(self):
        for path in (LAYOUT % "alice", "/livez", "/readyz", "/nowhere"):
            with self.subTest(path):
                answer = self.ask("GET", path, Origin=PAGE)
                self.assertEqual(answer.headers["access-control-allow-origin"], PAGE)
                self.assertIn("Origin", answer.headers["vary"])
                self.assertNotIn("access-control-allow-credentials", answer.headers)
                for field in ("ETag", "Idempotency-Replayed", "Retry-After", "RateLimit"):
                    self.assertIn(field, answer.headers["access-control-expose-headers"].split(", "))

    def test_304_is_open_too(self):
        tag = self.ask("GET", LAYOUT % "alice").headers["etag"]
        answer = self.ask("GET", LAYOUT % "alice", Origin=PAGE, If_None_Match=tag)
        self.assertEqual(answer.status, 304)
        self.assertEqual(answer.headers["access-control-allow-origin"], PAGE)

    def test_no_other_page_may(self):
        for origin in ("https://evil.example", "null", "*", PAGE + ".evil.example", PAGE.upper(), PAGE + ":8443",
                       "http://app.example.com", "http://localhost:3001", PAGE + ", http://localhost:3000"):
            with self.subTest(origin):
                for method in ("GET", "OPTIONS"):
                    answer = self.ask(method, LAYOUT % "alice", Origin=origin, Access_Control_Request_Method="PUT")
                    self.assertIn(answer.status, (200, 204))
                    self.assertFalse([name for name in answer.headers if name.startswith("access-control-")])
                    self.assertIn("Origin", answer.headers["vary"])

    def test_a_request_without_origin_varies_too(self):
        self.assertIn("Origin", self.ask("GET", LAYOUT % "alice").headers["vary"])

    def test_a_preflight_is_told_what_may_be_sent(self):
        answer = self.ask("OPTIONS", LAYOUT % "alice", Origin="http://localhost:3000",
                          Access_Control_Request_Method="PUT",
                          Access_Control_Request_Headers="authorization,content-type,if-match")
        self.assertEqual(answer.status, 204)
        self.assertEqual(answer.headers["access-control-allow-origin"], "http://localhost:3000")
        self.assertEqual(answer.headers["access-control-allow-methods"], answer.headers["allow"])
        self.assertIn("PUT", answer.headers["access-control-allow-methods"])
        self.assertEqual(answer.headers["access-control-max-age"], "7200")
        allowed = [name.strip().lower() for name in answer.headers["access-control-allow-headers"].split(",")]
        for field in ("authorization", "content-type", "if-match", "if-none-match", "idempotency-key"):
            self.assertIn(field, allowed)

    def test_a_preflight_for_nothing_allows_nothing(self):
        answer = self.ask("OPTIONS", "/nowhere", Origin=PAGE, Access_Control_Request_Method="PUT")
        self.assertEqual(answer.status, 404)
        self.assertNotIn("access-control-allow-methods", answer.headers)


class Fields(unittest.TestCase):
    def test_every_answer_has_the_security_headers_and_errors_a_policy(self):
        with serve() as server, server.client() as client:
            for method, path, status in (("GET", LAYOUT % "a", 200), ("GET", "/livez", 200), ("GET", "/nowhere", 404),
                                         ("DELETE", "/livez", 405), ("OPTIONS", "/livez", 204)):
                with self.subTest(method=method, path=path):
                    answer = client.request(method, path)
                    self.assertEqual(answer.status, status)
                    self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
                    self.assertEqual(answer.headers["cross-origin-resource-policy"], "same-origin")
                    self.assertEqual(answer.headers["referrer-policy"], "no-referrer")
                    self.assertEqual("content-security-policy" in answer.headers, status >= 400)
                    self.assertNotIn("server", answer.headers)


if __name__ == "__main__":
    unittest.main(verbosity=2)
