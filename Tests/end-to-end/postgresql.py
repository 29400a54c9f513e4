#!/usr/bin/env python3
"""Several servers on one PostgreSQL: what each of them must know of the others, and the commands on such a database."""
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import faults  # noqa: E402
import pegboard  # noqa: E402
import postgres_cluster  # noqa: E402


def run(*arguments, content="", code=0):
    inherited = pegboard.inherited_environment()
    ran = subprocess.run([pegboard.binary(), *arguments], env=inherited, input=content, capture_output=True, text=True,
                         timeout=120, check=False)
    if ran.returncode != code:
        raise AssertionError("%s: exit code %d\n%s%s" % (arguments, ran.returncode, ran.stdout, ran.stderr))
    return ran


class SharedDatabase(unittest.TestCase):
    count = 0

    @classmethod
    def setUpClass(cls):
        cls.cluster = postgres_cluster.start()
        cls.addClassCleanup(cls.cluster.close)

    def setUp(self):
        SharedDatabase.count += 1
        self.url = self.cluster.create_database("test%d" % SharedDatabase.count)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def serve(self, *flags):
        server = pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, *flags, database=self.url).start()
        self.addCleanup(server.__exit__)
        return server

    def test_servers_that_start_at_once_serve_one_database(self):
        """Migration and first catalog: each is done once, and nobody fails."""
        servers, failures = [], []

        def begin():
            try:
                servers.append(self.serve())
            except Exception as error:  # noqa: BLE001
                failures.append(error)

        threads = [threading.Thread(target=begin) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(self.cluster.sql("SELECT count(*) FROM migrations", "test%d" % SharedDatabase.count), "1")
        for index, server in enumerate(servers):
            with server.client() as client:
                path = "/v1/users/u1/layout"
                client.request("PUT", path + "/favorites/" + ("metro", "split-bill", "bills", "coupons")[index])
        versions = set()
        for server in servers:
            with server.client() as client:
                versions.add(client.request("GET", "/v1/users/u1/layout").json()["version"])
        self.assertEqual(len(versions), 1, "all of them read the same")

    def test_a_repeat_at_another_server_is_answered_from_the_record(self):
        one, other = self.serve(), self.serve()
        answers = []
        for server in (one, other, one):
            with server.client() as client:
                answers.append(client.request("PUT", "/v1/users/u1/layout/favorites/metro",
                                              {"Idempotency-Key": "the-same"}))
        self.assertEqual(answers[0].status, 201, answers[0])
        self.assertEqual(len({(answer.status, answer.body) for answer in answers}), 1, answers)
        self.assertEqual([answer.headers.get("idempotency-replayed") for answer in answers], [None, "true", "true"])

    def test_events_and_catalogs_cross_from_server_to_server(self):
        one, other = self.serve(), self.serve()
        events = faults.Events(other, "u1", timeout=30)
        self.addCleanup(events.close)
        layouts = events.layouts()
        self.assertEqual(next(layouts)[0], 0)
        with one.client() as client:
            for version in (1, 2, 3):
                client.request("PUT" if version % 2 else "DELETE", "/v1/users/u1/layout/favorites/metro")
            self.assertEqual([next(layouts)[0] for _ in range(3)], [1, 2, 3], "each version, in order")
            catalog = client.request("GET", "/v1/catalog")
            changed = catalog.json()
            changed["functions"] = [f for f in changed["functions"] if f["id"] != "metro"]
            for section in changed["sections"]:
                section["functions"] = [f for f in section.get("functions", []) if f != "metro"]
            published = client.request("PUT", "/v1/catalog", {"If-Match": catalog.headers["etag"]}, changed)
            self.assertEqual(published.status, 200, published)
        version, favorites = next(layouts)
        self.assertEqual((version, "metro" in favorites), (3, False), "the same version under another catalog")
        with other.client() as client:
            self.assertEqual(client.request("GET", "/v1/users/u1/layout").json()["catalogRevision"], 2)

    def test_the_commands_know_the_database(self):
        self.assertIn("1 layouts: to come", run("migrate", "--status", "--database", self.url).stdout)
        run("serve", "--auth", "none", "--no-migrate", "--database", self.url, code=78)
        self.assertIn("1 layouts: applied", run("migrate", "--database", self.url).stdout)
        self.assertIn("up to date", run("migrate", "--database", self.url).stdout)
        run("migrate", "--dry-run", "--database", self.url, code=64)
        self.assertEqual(run("catalog", "publish", pegboard.DEMO_CATALOG, "--database", self.url).stdout, "revision 1\n")
        self.assertEqual(json.loads(run("catalog", "show", "--database", self.url).stdout)["revision"], 1)
        report = json.loads(run("verify", "--json", "--database", self.url).stdout)
        self.assertEqual((report["ok"], report["counts"]["catalogs"]), (True, 1))
        self.cluster.sql("UPDATE catalogs SET published_by = 'x'", "test%d" % SharedDatabase.count)
        self.assertIn("checksum", run("verify", "--database", self.url, code=65).stdout)
        for command in ("backup", "restore"):
            self.assertIn("pg_dump", run(command, "x", "--database", self.url, code=78).stderr)
        shown = run("serve", "--print-config", "--database", "postgresql://u:hunter2@a,b/db?sslpassword=hunter2").stdout
        self.assertIn("postgresql://u:***@a,b/db?sslpassword=***", shown)
        self.assertNotIn("hunter2", shown)
        nowhere = run("verify", "--database", "postgresql://u:hunter2@127.0.0.1:1/db", code=69).stderr
        self.assertIn("cannot be used", nowhere)
        self.assertNotIn("hunter2", nowhere)
        for address in ("postgresql://u:hunter2%zz@127.0.0.1:1/db", "postgresql://u:hunter2@127.0.0.1:1/db?sslmod=require"):
            muddled = run("verify", "--database", address, code=78).stderr
            self.assertIn("percent-encoded", muddled)
            self.assertNotIn("hunter2", muddled)

    def test_a_recovered_database_counts_on_from_above_what_was_lost(self):
        with self.serve().client() as client:
            self.assertEqual(client.request("PUT", "/v1/users/u1/layout/favorites/metro").json()["layout"]["version"], 1)
            said = [re.findall(r"\d+", run("renumber", "--database", self.url).stdout) for _ in range(2)]
            (_, first), (floor, revision) = [[int(number) for number in numbers] for numbers in said]
            now = time.time()
            self.assertTrue(now - 3600 < first < revision, said)
            self.assertGreater(floor, (now - 3600) * 1000)
            layout = client.request("DELETE", "/v1/users/u1/layout/favorites/metro").json()["layout"]
            self.assertEqual((layout["version"] > floor, layout["catalogRevision"]), (True, revision))
        self.assertEqual(json.loads(run("verify", "--json", "--database", self.url).stdout)["findings"], [])
        file = "sqlite:" + os.path.join(self.folder.name, "one.db")
        self.assertIn("pegboard restore", run("renumber", "--database", file, code=78).stderr)

    def test_users_move_from_a_file_and_back_byte_by_byte(self):
        file = "sqlite:" + os.path.join(self.folder.name, "one.db")
        back = "sqlite:" + os.path.join(self.folder.name, "two.db")
        run("catalog", "publish", pegboard.DEMO_CATALOG, "--database", file)
        run("layouts", "seed", "500", "--database", file)
        exported = run("layouts", "export", "--database", file).stdout
        self.assertEqual(len(exported.splitlines()), 500 + (1 if '"exported"' in exported else 0))
        for database in (self.url, back):
            run("catalog", "publish", pegboard.DEMO_CATALOG, "--database", database)
        # Cut in the middle of a line, then whole: what was taken in is left as it is.
        cut = exported[:len(exported) // 2]
        run("layouts", "import", "-", "--database", self.url, content=cut, code=65)
        results = [json.loads(line)["result"] for line in
                   run("layouts", "import", "-", "--database", self.url, content=exported).stdout.splitlines()]
        self.assertEqual({result: results.count(result) > 100 for result in set(results)},
                         {"imported": True, "unchanged": True})
        moved = run("layouts", "export", "--database", self.url).stdout
        self.assertEqual(moved, exported)
        run("layouts", "import", "-", "--database", back, content=moved)
        self.assertEqual(run("layouts", "export", "--database", back).stdout, exported)
        self.assertEqual(json.loads(run("verify", "--json", "--database", self.url).stdout)["findings"], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
