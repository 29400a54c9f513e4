#!/usr/bin/env python3
"""Layouts out of one database and into another: `pegboard layouts export` and `import`."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402


def run(*arguments, content=""):
    inherited = pegboard.inherited_environment()
    return subprocess.run([pegboard.binary(), *arguments], env=inherited, input=content, capture_output=True, text=True,
                          timeout=60, check=False)


class Layouts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.database = "sqlite:" + os.path.join(self.folder.name, "pegboard.db")

    def export(self, *arguments):
        ran = run("layouts", "export", "--database", self.database, *arguments)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def take_in(self, lines, code=0):
        ran = run("layouts", "import", "-", "--database", self.database, content=lines)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return [json.loads(line) for line in ran.stdout.splitlines()], ran.stderr

    def serve(self):
        return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG,
                               database=self.database.removeprefix("sqlite:"))

    def test_what_was_wiped_comes_back_as_it_was(self):
        """Reported case 63: the layout was lost on an update, and users begged for a backup."""
        with self.serve() as server, server.client() as client:
            client.request("PUT", "/v1/users/u1/layout/favorites/metro")
            client.request("PUT", "/v1/users/u2/layout/lock")
            before = client.request("GET", "/v1/users/u1/layout").json()
            self.assertEqual(server.terminate(), 0)
        lines = self.export()
        self.assertEqual(self.export("--user", "u1"), lines.splitlines(keepends=True)[0])
        with self.serve() as server, server.client() as client:
            for user in ("u1", "u2"):
                self.assertEqual(client.request("DELETE", "/v1/users/" + user).status, 204)
            self.assertEqual(server.terminate(), 0)
        results, _ = self.take_in(lines)
        self.assertEqual({(result["userId"], result["result"]) for result in results},
                         {("u1", "imported"), ("u2", "imported")})
        # Again: nothing is left to do.
        results, _ = self.take_in(lines)
        self.assertEqual({result["result"] for result in results}, {"unchanged"})
        with self.serve() as server, server.client() as client:
            after = client.request("GET", "/v1/users/u1/layout").json()
            self.assertEqual((after["favorites"], after["customized"]), (before["favorites"], True))
            self.assertGreater(after["version"], before["version"], "no version is used twice")
            other = client.request("GET", "/v1/users/u2/layout").json()
            self.assertEqual((other["locked"], other["customized"]), (True, False))
            kinds = [r["kind"] for r in client.request("GET", "/v1/users/u1/layout/revisions").json()["revisions"]]
            self.assertEqual(kinds, ["import"])

    def test_a_version_of_another_database_is_never_another_list_s(self):
        with self.serve() as server, server.client() as client:
            client.request("PUT", "/v1/users/u1/layout/favorites/metro")
            client.request("DELETE", "/v1/users/u1/layout", headers={"If-Match": '"1"'})
            self.assertEqual(server.terminate(), 0)
        lines = self.export()
        self.database = "sqlite:" + os.path.join(self.folder.name, "other.db")
        with self.serve() as server:
            self.assertEqual(server.terminate(), 0)
        self.assertEqual(self.take_in(lines)[0], [{"userId": "u1", "result": "imported", "version": 2}])
        self.assertEqual(self.export(), lines)
        with self.serve() as server, server.client() as client:
            added = client.request("PUT", "/v1/users/u1/layout/favorites/metro")
            self.assertEqual(added.headers["etag"], '"3"', added)
            # The device that knows version 1 of the other database.
            stale = client.request("PUT", "/v1/users/u1/layout", headers={"If-Match": '"1"'},
                                   body={"favorites": ["scan", "pay-code"]})
            self.assertEqual(stale.status, 412, stale)

    def test_the_longest_layout_goes_out_and_in_and_can_be_sent_as_a_whole(self):
        ids = ["%064d" % number for number in range(1000)]
        catalog = os.path.join(self.folder.name, "catalog.json")
        with open(catalog, "w", encoding="utf-8") as file:
            json.dump({"policy": {"limit": 1000}, "defaults": ids, "sections": [],
                       "functions": [{"id": name, "title": {"en": "x"}} for name in ids]}, file)
        databases = [os.path.join(self.folder.name, name) for name in ("one.db", "two.db")]
        with pegboard.Server("serve", "--catalog", catalog, database=databases[0]) as server, server.client() as client:
            moved = client.request("POST", "/v1/users/u1/layout/operations", body={
                "operations": [{"op": "move", "id": ids[0], "at": {"edge": "last"}}]})
            self.assertEqual(moved.status, 200, moved)
            lines = client.request("GET", "/v1/admin/export").body
        with pegboard.Server("serve", "--catalog", catalog, database=databases[1]) as server, server.client() as client:
            answer = client.request("POST", "/v1/admin/import", {"Content-Type": "application/x-ndjson"}, lines)
            self.assertEqual(json.loads(answer.body.splitlines()[-1]), {"imported": 1, "unchanged": 0, "refused": 0})
            layout = client.request("GET", "/v1/users/u1/layout")
            self.assertEqual(layout.json()["favorites"], ids[1:] + ids[:1])
            whole = client.request("PUT", "/v1/users/u1/layout", {"If-Match": layout.headers["etag"]},
                                   {"favorites": ids})
            self.assertEqual(whole.status, 200, whole)

    def test_unknown_ids_are_named_and_bad_lines_too(self):
        with self.serve() as server:
            self.assertEqual(server.terminate(), 0)
        results, errors = self.take_in(
            '{"userId":"u1","favorites":["scan","gone","metro"]}\n'
            '\n'
            '{"userId":"u2","favorites":["scan","scan"]}\n'
            '{"userId":"u3","favourites":[]}\n'
            'no json\n', code=65)
        self.assertEqual(results, [{"userId": "u1", "result": "imported", "version": 1, "unknown": ["gone"]}])
        for number in (3, 4, 5):
            self.assertIn("line %d: " % number, errors)

    def test_a_database_in_use_is_left_alone(self):
        with self.serve():
            self.assertEqual(run("layouts", "export", "--database", self.database).returncode, 73)


if __name__ == "__main__":
    unittest.main(verbosity=2)
