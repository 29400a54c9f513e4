#!/usr/bin/env python3
"""What the log of `pegboard serve` tells: requests by their ids and traces, slow ones by their parts, at a level that can
be changed while it runs."""
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402
from waiting import eventually  # noqa: E402

LAYOUT = "/v1/users/alice/layout"
TEMPLATE = "/v1/users/{user}/layout"
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
LEVEL = "/v1/admin/log-level"


def serve(*flags, **options):
    return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--log-format", "json", *flags, **options)


def lines(server, message="request"):
    parsed = [json.loads(line) for line in list(server.log)]
    return [line for line in parsed if line["message"] == message]


class Requests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = serve().start()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def ask(self, method="GET", path=LAYOUT, headers=None, body=None):
        with self.server.client() as client:
            return client.request(method, path, headers, body)

    def line(self, answer):
        """The line of the log about it."""
        identifier = answer.headers["x-request-id"]
        found = eventually(lambda: [line for line in lines(self.server) if line.get("requestId") == identifier])
        self.assertEqual(len(found), 1, identifier)
        return found[0]

    def test_a_line_tells_what_was_asked_and_how_it_went(self):
        answer = self.ask()
        line = self.line(answer)
        self.assertEqual({name: line.get(name) for name in ("level", "method", "route", "status", "bytes", "peer")},
                         {"level": "info", "method": "GET", "route": TEMPLATE, "status": 200,
                          "bytes": len(answer.body), "peer": "127.0.0.1"})
        self.assertGreater(line["durationMicroseconds"], 0)
        self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertNotIn("alice", json.dumps(line))

    def test_an_id_is_taken_over_or_made(self):
        self.assertEqual(self.ask(headers={"X-Request-Id": "proxy-7"}).headers["x-request-id"], "proxy-7")
        self.assertEqual(self.line(self.ask(headers={"X-Request-Id": "proxy-8"}))["requestId"], "proxy-8")
        made = [self.ask(headers=fields).headers["x-request-id"]
                for fields in (None, {"X-Request-Id": "a b"}, {"X-Request-Id": 'a"b'}, {"X-Request-Id": "x" * 129})]
        for identifier in made:
            self.assertRegex(identifier, r"^[0-9a-f]{16}$")
        self.assertEqual(len(set(made)), 4)

    def test_every_kind_of_answer_has_one(self):
        tag = self.ask().headers["etag"]
        for status, answer in (
                (304, self.ask(headers={"If-None-Match": tag})), (200, self.ask("HEAD")), (204, self.ask("OPTIONS")),
                (404, self.ask(path="/nowhere")), (405, self.ask("PATCH")), (501, self.ask("BREW")),
                (200, self.ask("PUT", LAYOUT + "/favorites/scan")), (400, self.ask(path=LAYOUT + "?x=1"))):
            self.assertEqual(answer.status, status)
            self.assertEqual(self.line(answer)["status"], status)

    def test_who_complains_can_quote_it(self):
        for path in ("/nowhere", LAYOUT + "?x=1"):
            answer = self.ask(path=path)
            self.assertEqual(answer.json()["requestId"], answer.headers["x-request-id"])

    def test_a_message_that_cannot_be_read_has_one_too(self):
        with socket.create_connection(("127.0.0.1", self.server.port), 10) as stranger:
            stranger.sendall(b"GET  / HTTP/1.1\r\n\r\n")
            stranger.settimeout(pegboard.PATIENCE)
            text = b""
            while more := stranger.recv(4096):
                text += more
        head, _, body = text.partition(b"\r\n\r\n")
        self.assertIn(b"\r\nX-Request-Id: " + json.loads(body)["requestId"].encode() + b"\r\n", head + b"\r\n")

    def test_a_trace_is_gone_on_with(self):
        line = self.line(self.ask(headers={"traceparent": "00-%s-%s-01" % (TRACE, PARENT)}))
        self.assertEqual((line["traceId"], line["parentId"]), (TRACE, PARENT))
        line = self.line(self.ask(headers={"traceparent": "cc-%s-%s-01-new" % (TRACE, PARENT)}))
        self.assertEqual((line["traceId"], line["parentId"]), (TRACE, PARENT))
        self.assertNotIn("traceId", self.line(self.ask()))

    def test_one_that_is_not_valid_begins_anew(self):
        for value in ("ff-%s-%s-01" % (TRACE, PARENT), "00-%s-%s-01" % ("0" * 32, PARENT), "hello"):
            line = self.line(self.ask(headers={"traceparent": value}))
            self.assertRegex(line["traceId"], r"^[0-9a-f]{32}$")
            self.assertNotEqual(line["traceId"], TRACE)
            self.assertNotIn("parentId", line)

    def test_nothing_that_is_sent_breaks_a_line(self):
        # Latin-1 and tabs are let through by HTTP; controls are not.
        answer = self.ask(path="/v1/users/%0a%22%7f/layout", headers={"X-Request-Id": "\x80\t{", "User-Agent": '"}\t'})
        self.assertEqual(self.line(answer)["status"], 400)

    def test_probes_are_not_in_it(self):
        probes = [self.ask(path=path).headers["x-request-id"] for path in ("/livez", "/readyz", "/healthz")]
        self.line(self.ask())
        self.assertFalse([line for line in lines(self.server) if line["requestId"] in probes])


class Level(unittest.TestCase):
    def test_an_administrator_changes_it(self):
        with serve() as server, server.client() as client:
            self.assertEqual(client.request("GET", LEVEL).json(), {"level": "info"})
            self.assertFalse(self.probe_is_logged(server, client))
            self.assertEqual(client.request("PUT", LEVEL, body={"level": "debug"}).json(), {"level": "debug"})
            self.assertTrue(eventually(lambda: lines(server, "log level changed")))
            self.assertTrue(self.probe_is_logged(server, client))
            self.assertEqual(client.request("PUT", LEVEL, body={"level": "loud"}).status, 400)
            self.assertEqual(client.request("GET", LEVEL).json(), {"level": "debug"})

    def probe_is_logged(self, server, client):
        """Whether it was, by the time that a later line is there."""
        probe = client.request("GET", "/livez").headers["x-request-id"]
        after = client.request("GET", LAYOUT).headers["x-request-id"]
        self.assertTrue(eventually(lambda: [line for line in lines(server) if line["requestId"] == after]))
        return bool([line for line in lines(server) if line["requestId"] == probe])

    def test_hangup_goes_back_to_what_is_configured(self):
        with serve() as server, server.client() as client:
            client.request("PUT", LEVEL, body={"level": "error"})
            server.process.send_signal(signal.SIGHUP)
            self.assertTrue(eventually(lambda: client.request("GET", LEVEL).json() == {"level": "info"}))

    def test_hangup_reads_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "level")
            self.write(path, "warning\n")
            with serve("--log-level", "debug", "--log-level-file", path) as server, server.client() as client:
                self.assertEqual(client.request("GET", LEVEL).json(), {"level": "warning"})
                self.write(path, "info\n")
                server.process.send_signal(signal.SIGHUP)
                self.assertTrue(eventually(lambda: client.request("GET", LEVEL).json() == {"level": "info"}))
                self.write(path, "loud\n")
                server.process.send_signal(signal.SIGHUP)
                self.assertTrue(eventually(lambda: lines(server, "log level not read, the old one stays")))
                self.assertEqual(client.request("GET", LEVEL).json(), {"level": "info"})

    def test_a_file_without_a_level_ends_with_78(self):
        with tempfile.NamedTemporaryFile("w", suffix="level") as file:
            file.write("loud")
            file.flush()
            inherited = pegboard.inherited_environment()
            done = subprocess.run([pegboard.binary(), "serve", "--auth", "none", "--log-level-file", file.name],
                                  env=inherited, capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 78)
        self.assertIn("'loud' is no level", done.stderr)

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


class Slow(unittest.TestCase):
    def test_a_peer_that_does_not_read_is_told_of(self):
        """A catalog that fills every buffer on the way, and a peer that takes its time over it."""
        with serve("--slow-request", "100ms") as server, server.client() as client:
            self.publish(client)
            with socket.socket() as peer:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                peer.settimeout(pegboard.PATIENCE)
                peer.connect(("127.0.0.1", server.port))
                peer.sendall(b"GET /v1/catalog HTTP/1.1\r\nHost: a\r\nX-Request-Id: slow-reader\r\nConnection: close\r\n\r\n")
                # Once the beginning is there, the rest is being written.
                select.select([peer], [], [], 30)
                # Not to wait for anything: this is the slowness.
                time.sleep(0.3)
                while peer.recv(65536):
                    pass
            # On a slow machine the publication is slow, too.
            line, = eventually(lambda: [line for line in lines(server, "slow request")
                                        if line["requestId"] == "slow-reader"])
            self.assertEqual((line["level"], line["route"], line["status"]), ("warning", "/v1/catalog", 200))
            self.assertGreater(line["writeMicroseconds"], 100_000)
            parts = [line[part + "Microseconds"] for part in ("queue", "rule", "commit", "write")]
            self.assertLessEqual(sum(parts), line["totalMicroseconds"])

    def publish(self, client):
        ids = ["function-%d" % number for number in range(500)]
        title = {language: "A title that takes some room, and is nobody's. " * 4
                 for language in ("en", "de", "fr", "es", "it", "nl")}
        catalog = {"sections": [{"id": "all", "title": {"en": "All"}, "functions": ids}],
                   "functions": [{"id": name, "title": title} for name in ids],
                   "policy": {"minimum": 0, "limit": 5}, "defaults": []}
        tag = client.request("GET", "/v1/catalog").headers["etag"]
        answer = client.request("PUT", "/v1/catalog", {"If-Match": tag}, catalog)
        self.assertEqual(answer.status, 200, answer)

    def test_who_wants_to_wait_is_not(self):
        # Just below what it waits. What a busy machine takes besides may come near it.
        with serve("--slow-request", "950ms") as server, server.client() as client:
            tag = client.request("GET", LAYOUT).headers["etag"]
            answer = client.request("GET", LAYOUT, {"If-None-Match": tag, "Prefer": "wait=1"})
            self.assertEqual((answer.status, answer.headers["preference-applied"]), (304, "wait=1"))
            identifier = answer.headers["x-request-id"]
            self.assertTrue(eventually(lambda: [line for line in lines(server) if line["requestId"] == identifier]))
            self.assertFalse([line for line in lines(server, "slow request") if line["requestId"] == identifier])


if __name__ == "__main__":
    unittest.main()
