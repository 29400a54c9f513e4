#!/usr/bin/env python3
"""Metrics of `pegboard serve`: what is asked is what is counted, and Prometheus' own tools take it.

Needs promtool (Debian: prometheus), and prometheus_client from the environment that Scripts/python.sh makes.
"""
import collections
import json
import os
import re
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest

from prometheus_client.parser import text_string_to_metric_families

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402
from waiting import eventually  # noqa: E402

OBSERVABILITY = os.path.join(pegboard.ROOT, "Documentation", "observability")
OPERATIONS = os.path.join(pegboard.ROOT, "Documentation", "operations.md")
USER = "/v1/users/%s"
REQUESTS = "http_server_request_duration_seconds"
# The prefixes of our metrics: what else rules name, as `up`, is Prometheus' own.
NAME = re.compile(r"\b(?:http_server|pegboard|process)_[a-z_]+\b")


class Scrape:
    """What /metrics said: families by name, and every sample by its name and labels."""

    def __init__(self, text):
        self.text = text
        self.families = {family.name: family for family in text_string_to_metric_families(text)}
        self.samples = {(sample.name, frozenset(sample.labels.items())): sample.value
                        for family in self.families.values() for sample in family.samples}

    def value(self, name, **labels):
        return self.samples.get((name, frozenset(labels.items())), 0)

    def names(self):
        """The metrics as they stand in `# TYPE`: counters with `_total`."""
        return set(re.findall(r"^# TYPE (\S+)", self.text, re.M))

    def series(self):
        """The names that an expression can use."""
        return {name for name, _ in self.samples} | self.names()

    def requests(self):
        """How many requests were answered, by method, route and status."""
        counts = collections.Counter()
        for (name, labels), value in self.samples.items():
            if name == REQUESTS + "_count":
                labels = dict(labels)
                counts[labels["http_request_method"], labels.get("http_route"),
                       int(labels["http_response_status_code"])] = int(value)
        return counts


def scrape(client):
    answer = client.request("GET", "/metrics")
    assert answer.status == 200, answer
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8", answer
    return Scrape(answer.body.decode())


def serve(*flags, **options):
    return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, *flags, **options)


def promtool(*arguments, text=None):
    done = subprocess.run(["promtool", *arguments], input=text, capture_output=True, text=True, cwd=OBSERVABILITY)
    return done.returncode, done.stdout + done.stderr


def metrics_port(server):
    """Where the metrics are, of a server that was told --metrics-listen."""
    announced = eventually(lambda: [line for line in server.log if "metrics listening" in line])
    return int(re.search(r"127\.0\.0\.1:(\d+)/metrics", announced[0]).group(1))


class Walk:
    """Sends requests and notes what the metrics have to say of them."""

    def __init__(self, test, client):
        self.test, self.client = test, client
        self.requests, self.problems = collections.Counter(), collections.Counter()

    def __call__(self, method, path, status, route=None, headers=None, body=None):
        answer = self.client.request(method, path, headers, body)
        self.test.assertEqual(answer.status, status, "%s %s: %r" % (method, path, answer))
        known = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")
        self.requests[method if method in known else "_OTHER", route, status] += 1
        if status >= 400 and method != "HEAD":
            self.problems[answer.json()["code"]] += 1
        return answer


class Counts(unittest.TestCase):
    maxDiff = None

    def test_what_is_asked_is_what_is_counted(self):
        with serve() as server, server.client() as client:
            before = scrape(client)
            walk = Walk(self, client)
            walk.requests["GET", "/metrics", 200] += 1
            self.walk(walk)
            after = scrape(client)
            self.assertEqual(after.requests() - before.requests(), walk.requests)
            self.assertEqual({code: after.value("pegboard_problems_total", code=code) for code in walk.problems},
                             dict(walk.problems))
            self.assertEqual(after.value("pegboard_conflicts_total"), 1)
            self.assertEqual(after.value("pegboard_rebases_total"), 1)
            self.assertEqual(after.value("pegboard_idempotent_replays_total"), 1)
            self.assertEqual(after.value("pegboard_refusals_total", code="item_not_movable"), 1)
            self.assertEqual(after.value("pegboard_refusals_total", code="layout_locked"), 1)
            self.assertEqual(after.value("pegboard_catalog_revision"), 1)
            self.commits(client, before)
            self.assertNotRegex(after.text, "carol|secret|BREW|nowhere")
            code, said = promtool("check", "metrics", text=after.text)
            self.assertEqual((code, said), (0, ""))

    def walk(self, walk):
        """Every kind of request, on a user of its own."""
        user = USER % "carol-secret"
        layout, favorites = "/v1/users/{user}/layout", "/v1/users/{user}/layout/favorites/{function}"
        operations, lock = layout + "/operations", layout + "/lock"
        tag = walk("GET", user + "/layout", 200, layout).headers["etag"]
        walk("GET", user + "/layout", 304, layout, {"If-None-Match": tag})
        walk("HEAD", user + "/layout", 200, layout)
        walk("HEAD", "/nowhere", 404)
        walk.problems["not_found"] += 1
        walk("GET", user + "/layout?nonsense=1", 400, layout)
        move = {"operations": [{"op": "move", "id": "ride", "at": {"index": 2}}]}
        walk("POST", user + "/layout/operations", 200, operations, {"If-Match": tag, "Idempotency-Key": "k"}, move)
        walk("POST", user + "/layout/operations", 200, operations, {"If-Match": tag, "Idempotency-Key": "k"}, move)
        walk("POST", user + "/layout/operations", 412, operations, {"If-Match": tag}, move)
        walk("POST", user + "/layout/operations", 200, operations, None,
             {"baseVersion": 0, "operations": [{"op": "move", "id": "transfer", "at": {"edge": "last"}}]})
        walk("POST", user + "/layout/operations", 422, operations, {"If-Match": "*"},
             {"operations": [{"op": "move", "id": "scan", "at": {"index": 3}}]})
        walk("POST", user + "/layout/operations", 400, operations, {"Content-Type": "application/json"}, b"{")
        walk("POST", user + "/layout/operations", 415, operations, {"Content-Type": "text/plain"}, b"{}")
        walk("PUT", user + "/layout", 428, layout, None, {"favorites": ["scan"]})
        walk("PUT", user + "/layout/favorites/metro", 201, favorites)
        walk("DELETE", user + "/layout/favorites/metro", 200, favorites)
        walk("GET", user + "/layout/favorites/ride/targets", 200, favorites + "/targets")
        walk("GET", user + "/page", 200, "/v1/users/{user}/page")
        walk("GET", user + "/layout/revisions", 200, layout + "/revisions")
        walk("GET", user + "/layout/revisions/1", 200, layout + "/revisions/{version}")
        walk("POST", user + "/layout/reversions", 200, layout + "/reversions", {"If-Match": "*"}, {"toVersion": 1})
        walk("PUT", user + "/layout/lock", 200, lock)
        walk("DELETE", user + "/layout", 409, layout, {"If-Match": "*"})
        walk("DELETE", user + "/layout/lock", 200, lock)
        walk("GET", user, 200, "/v1/users/{user}")
        walk("DELETE", user, 204, "/v1/users/{user}")
        walk("GET", "/v1/catalog", 200, "/v1/catalog")
        walk("GET", "/v1/catalog/revisions", 200, "/v1/catalog/revisions")
        walk("GET", "/v1/catalog/revisions/1", 200, "/v1/catalog/revisions/{revision}")
        walk("POST", "/v1/admin/backup", 503, "/v1/admin/backup", None, {"file": "monday.db"})
        for probe in ("/livez", "/readyz", "/healthz"):
            walk("GET", probe, 200, probe)
        walk("OPTIONS", user + "/layout", 204)
        walk("PATCH", user + "/layout", 405)
        walk("GET", "/nowhere", 404)
        walk("BREW", user + "/layout", 501)
        walk("BREW-SECRET", "/nowhere", 501)

    def commits(self, client, before):
        """A transaction is counted before its changes are answered, and measured after that."""
        after = eventually(lambda: self.settled(scrape(client)))
        self.assertTrue(after, "commits and their durations never agreed")
        # move, rebase, put, delete, revert, lock, unlock, erase
        self.assertEqual(after.value("pegboard_commits_total") - before.value("pegboard_commits_total"), 8)
        self.assertEqual(after.value("pegboard_commit_batch_size_sum") - before.value("pegboard_commit_batch_size_sum"),
                         8)

    @staticmethod
    def settled(found):
        commits = found.value("pegboard_commits_total")
        both = (found.value("pegboard_commit_batch_size_count"), found.value("pegboard_commit_duration_seconds_count"))
        return found if both == (commits, commits) else None

    def test_a_request_that_cannot_be_read_has_no_route_and_no_method(self):
        with serve() as server, server.client() as client:
            before = scrape(client)
            with socket.create_connection(("127.0.0.1", server.port), 10) as stranger:
                stranger.sendall(b"GET /a\x01b HTTP/1.1\r\nHost: a\r\n\r\n")
                self.assertTrue(stranger.recv(4096).startswith(b"HTTP/1.1 400 "))
            after = scrape(client)
            self.assertEqual((after.requests() - before.requests())["_OTHER", None, 400], 1)
            self.assertEqual(after.value("pegboard_problems_total", code="malformed_request"), 1)

    def test_the_cache_says_what_it_found(self):
        with serve() as server, server.client() as client:
            before = scrape(client)
            for _ in range(5):
                client.request("GET", USER % "alice" + "/layout")
            after = scrape(client)
            self.assertEqual(after.value("pegboard_cache_misses_total") - before.value("pegboard_cache_misses_total"), 1)
            self.assertEqual(after.value("pegboard_cache_hits_total") - before.value("pegboard_cache_hits_total"), 4)
            self.assertEqual(after.value("pegboard_cache_entries"), 1)
            self.assertGreater(after.value("pegboard_cache_bytes"), 0)
            self.assertGreater(after.value("pegboard_database_size_bytes"), 0)

    def test_streams_and_waiting_requests_come_and_go(self):
        with serve() as server, server.client() as client:
            resting = scrape(client).value("http_server_active_requests")
            tag = client.request("GET", USER % "alice" + "/layout").headers["etag"]
            with server.client() as stream, server.client() as waiting:
                for peer, path, fields in ((stream, "/layout/events", ""),
                                           (waiting, "/layout", "If-None-Match: %s\r\nPrefer: wait=50\r\n" % tag)):
                    peer.socket.sendall(("GET %s%s HTTP/1.1\r\nHost: a\r\n%s\r\n" % (USER % "alice", path, fields))
                                        .encode())
                    # To go with a reset: a peer that has only ended its side may still want its answer.
                    peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                found = eventually(lambda: self.all_open(scrape(client)))
                self.assertTrue(found, "they were never seen")
                self.assertEqual(found.value("http_server_active_requests"), resting + 2)
                self.assertEqual(found.value("pegboard_connections_open"), 3)
            self.assertTrue(eventually(lambda: scrape(client).value("pegboard_connections_open") == 1))
            self.assertTrue(eventually(lambda: scrape(client).value("pegboard_event_streams") == 0))
            self.assertTrue(eventually(lambda: scrape(client).value("pegboard_waiting_requests") == 0))

    @staticmethod
    def all_open(found):
        both = (found.value("pegboard_event_streams"), found.value("pegboard_waiting_requests"))
        return found if both == (1, 1) else None

    def test_limits_are_counted(self):
        with serve("--rate-limit", "1/h:2") as server, server.client() as client:
            for status in (200, 200, 429, 429):
                self.assertEqual(client.request("GET", USER % "alice" + "/layout").status, status)
            found = scrape(client)
            self.assertEqual(found.value("pegboard_rate_limited_total", policy="user"), 2)
            self.assertEqual(found.value("pegboard_problems_total", code="rate_limited"), 2)

    def test_damage_is_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pegboard.db")
            with serve(database=path) as server, server.client() as client:
                self.assertEqual(client.request("PUT", USER % "alice" + "/layout/favorites/metro").status, 201)
                server.terminate()
            with sqlite3.connect(path) as database:
                database.execute("UPDATE layouts SET items = replace(items, 'metro', 'retro')")
            database.close()
            with serve(database=path) as server, server.client() as client:
                self.assertEqual(scrape(client).value("pegboard_damaged_records_total"), 0)
                self.assertEqual(client.request("GET", USER % "alice" + "/layout").status, 500)
                self.assertEqual(scrape(client).value("pegboard_damaged_records_total"), 1)
                self.assertEqual(client.request("PUT", USER % "alice" + "/layout/favorites/metro").status, 500)
                self.assertEqual(scrape(client).value("pegboard_damaged_records_total"), 2)


class Port(unittest.TestCase):
    def test_a_port_of_its_own_is_for_whoever_reaches_it_and_the_only_one(self):
        with serve("--metrics-listen", "127.0.0.1:0", "--max-connections", "2") as server:
            with pegboard.Client(metrics_port(server), api=False) as monitor:
                self.assertTrue(eventually(lambda: scrape(monitor).value("pegboard_connections_open") == 0))
                before = scrape(monitor)
                with server.client() as client:
                    self.assertEqual(client.request("GET", "/metrics").json()["code"], "not_found")
                    with server.client() as second:
                        self.assertEqual(second.request("GET", "/livez").status, 200)
                        with server.client() as third:
                            self.assertEqual(third.request("GET", "/livez").status, 503)
                found = scrape(monitor)
                self.assertEqual(found.value("pegboard_connections_refused_total")
                                 - before.value("pegboard_connections_refused_total"), 1)
                # Not the monitor's own.
                self.assertNotIn(("GET", "/metrics", 200), found.requests())
                self.assertEqual(monitor.request("HEAD", "/metrics").status, 200)
                self.assertEqual(monitor.request("GET", "/v1/catalog").status, 404)
                refused = monitor.request("DELETE", "/metrics")
                self.assertEqual((refused.status, refused.headers["allow"]), (405, "GET, HEAD"))

    def test_a_wrong_address_is_told(self):
        inherited = pegboard.inherited_environment()
        done = subprocess.run([pegboard.binary(), "serve", "--metrics-listen", "nowhere"], env=inherited,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 78)
        self.assertIn("--metrics-listen: 'nowhere' is not allowed", done.stderr)


class Names(unittest.TestCase):
    """Whatever documentation, rules and dashboard name has to be there."""

    @classmethod
    def setUpClass(cls):
        # With everything on that has metrics of its own.
        with serve("--rate-limit", "100/s") as server, server.client() as client:
            cls.found = scrape(client)

    @staticmethod
    def read(*path):
        with open(os.path.join(*path), encoding="utf-8") as file:
            return file.read()

    def unknown(self, text):
        return {name for name in NAME.findall(text) if name not in self.found.series()}

    def test_rules_and_dashboard_name_nothing_that_is_not_there(self):
        for file in ("alerts.yaml", "alerts.test.yaml", "dashboard.json"):
            text = self.read(OBSERVABILITY, file)
            self.assertTrue(NAME.findall(text), file)
            self.assertEqual(self.unknown(text), set(), file)

    def test_the_check_sees_a_name_that_is_not_there(self):
        self.assertEqual(self.unknown("rate(pegboard_commit_total[5m]) > pegboard_commits_total"),
                         {"pegboard_commit_total"})

    def test_every_metric_is_documented_and_none_that_is_gone(self):
        documented = re.findall(r"^\| `((?:http_server|pegboard|process)_[a-z_]+)` \|", self.read(OPERATIONS), re.M)
        self.assertEqual(sorted(documented), sorted(self.found.names()))

    def test_rules_pass_promtool(self):
        code, said = promtool("check", "rules", "alerts.yaml")
        self.assertEqual(code, 0, said)

    def test_rules_fire_when_they_should(self):
        code, said = promtool("test", "rules", "alerts.test.yaml")
        self.assertEqual(code, 0, said)

    def test_every_alert_has_its_page(self):
        rules = self.read(OBSERVABILITY, "alerts.yaml")
        names = re.findall(r"- alert: (\w+)", rules)
        links = re.findall(r"runbook_url: Documentation/operations\.md#(\S+)", rules)
        self.assertEqual(links, [name.lower() for name in names])
        headings = re.findall(r"^#+ (\w+)$", self.read(OPERATIONS), re.M)
        for name in names:
            self.assertIn(name, headings)

    def test_the_dashboard_is_one(self):
        dashboard = json.loads(self.read(OBSERVABILITY, "dashboard.json"))
        panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
        self.assertEqual(len({panel["id"] for panel in dashboard["panels"]}), len(dashboard["panels"]))
        for panel in panels:
            self.assertTrue(panel["targets"], panel["title"])


if __name__ == "__main__":
    unittest.main()
