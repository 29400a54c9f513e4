#!/usr/bin/env python3
"""Backup, verify and restore as their operator runs them: beside a server, and in place of a lost database."""
import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402

WRITERS = 16


def run(*arguments):
    inherited = pegboard.inherited_environment()
    return subprocess.run([pegboard.binary(), *arguments], env=inherited, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120, check=False)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def move(client, user, edge, **fields):
    body = {"operations": [{"op": "move", "id": "transfer", "at": {"edge": edge}}]}
    return client.request("POST", "/v1/users/%s/layout/operations" % user, headers=fields, body=body)


def change(client, user, times=1):
    """Changes the layout so many times; returns the last answer."""
    for _ in range(times):
        answer = move(client, user, "last")
        if not answer.json()["changed"]:
            answer = move(client, user, "first")
        assert answer.status == 200 and answer.json()["changed"], answer
    return answer


def content(layout):
    """Without the catalog's number: a restore publishes it anew."""
    return {name: value for name, value in layout.items() if name != "catalogRevision"}


class Base(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="pegboard-backup-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.database = self.path("pegboard.db")
        self.copy = self.path("copy.db")

    def path(self, name):
        return os.path.join(self.directory, name)

    def server(self, *flags):
        return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, *flags, database=self.database)

    def exits(self, wanted, *arguments):
        ran = run(*arguments, "--database", "sqlite:" + self.database)
        self.assertEqual(ran.returncode, wanted, "%s\n%s%s" % (arguments, ran.stdout, ran.stderr))
        return ran

    def files(self):
        return sorted(name for name in os.listdir(self.directory))

    def harm(self, path, sql):
        connection = sqlite3.connect(path)
        with connection:
            connection.execute(sql)
        connection.close()


class Beside(Base):
    """While a server uses the database."""

    def test_what_was_answered_before_a_backup_is_in_it(self):
        acknowledged = [0] * WRITERS
        stop = threading.Event()
        failures = []

        def write(number):
            try:
                with server.client() as client:
                    while not stop.is_set():
                        answer = change(client, "w%d" % number)
                        acknowledged[number] = answer.json()["layout"]["version"]
            except Exception as error:  # noqa: BLE001
                failures.append(error)

        with self.server() as server:
            writers = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
            for writer in writers:
                writer.start()
            while min(acknowledged) < 3 and not failures:
                stop.wait(0.01)
            copies = []
            for number in range(3):
                before = list(acknowledged)
                copies.append((self.path("copy%d.db" % number), before))
                self.exits(0, "backup", copies[-1][0])
            self.exits(0, "verify")
            stop.set()
            for writer in writers:
                writer.join()
            self.assertEqual(failures, [])
            self.assertEqual(server.terminate(), 0, server.said())
        for path, before in copies:
            connection = sqlite3.connect(path)
            versions = dict(connection.execute("SELECT user_id, version FROM layouts"))
            connection.close()
            for number, version in enumerate(before):
                self.assertGreaterEqual(versions["w%d" % number], version)
            ran = run("verify", "--database", "sqlite:" + path)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertFalse([name for name in self.files() if "partial" in name])

    def test_neither_backup_nor_verify_writes_to_the_database(self):
        with self.server() as server, server.client() as client:
            # Who reads what was before keeps the log from being emptied, as it is where nothing is written for a second.
            reader = sqlite3.connect("file:%s?mode=ro" % self.database, uri=True, isolation_level=None)
            self.addCleanup(reader.close)
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM layouts").fetchall()
            change(client, "alice", 5)
            server.kill()
        # The log is left as it is too: nobody but the server makes a checkpoint.
        before = [digest(self.database), digest(self.database + "-wal")]
        self.assertGreater(os.path.getsize(self.database + "-wal"), 0)
        self.exits(0, "verify")
        self.exits(0, "backup", self.copy)
        self.assertEqual([digest(self.database), digest(self.database + "-wal")], before)
        connection = sqlite3.connect(self.copy)
        self.assertEqual(connection.execute("SELECT version FROM layouts").fetchall(), [(5,)])
        connection.close()
        self.assertEqual(os.stat(self.copy).st_mode & 0o777, 0o600)

    def test_a_copy_is_replaced_only_when_told(self):
        with self.server():
            self.exits(0, "backup", self.copy)
            first = digest(self.copy)
            self.assertIn("--force", self.exits(73, "backup", self.copy).stderr)
            self.assertEqual(digest(self.copy), first)
            self.exits(0, "backup", self.copy, "--force")
            for own in ("", "-wal", ".lock"):
                self.exits(73, "backup", self.database + own, "--force")
            self.exits(73, "backup", self.path("missing/copy.db"))

    def test_where_the_disk_is_full_nothing_is_left(self):
        with self.server() as server, server.client() as client:
            for number in range(20):
                change(client, "u%d" % number, 5)
            small = self.path("small")
            os.mkdir(small)
            mounted = os.geteuid() == 0 and subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", small], capture_output=True, check=False).returncode == 0
            if not mounted:
                self.skipTest("no small file system can be mounted here")
            try:
                ran = self.exits(73, "backup", os.path.join(small, "copy.db"))
                self.assertIn("space left", ran.stderr)
                self.assertEqual(os.listdir(small), [])
                subprocess.run(["mount", "-o", "remount,size=8m", small], check=True)
                self.exits(0, "backup", os.path.join(small, "copy.db"))
                self.assertEqual(os.listdir(small), ["copy.db"])
            finally:
                subprocess.run(["umount", small], check=True)

    def test_verify_speaks_json(self):
        with self.server() as server, server.client() as client:
            change(client, "alice", 2)
            report = json.loads(self.exits(0, "verify", "--json").stdout)
        self.assertIs(report["ok"], True)
        self.assertEqual(report["counts"], {"layouts": 1, "revisions": 2, "requests": 0, "catalogs": 1, "erased": 0})
        self.assertRegex(report["databaseId"], "^[0-9a-f]{32}$")

    def test_the_api_makes_copies_in_its_folder_alone(self):
        folder = self.path("copies")
        os.mkdir(folder)

        def post(client, body):
            return client.request("POST", "/v1/admin/backup", body=body)

        with self.server("--backup-directory", folder) as server, server.client() as client:
            change(client, "alice", 2)
            made = post(client, {"file": "monday.db"})
            self.assertEqual((made.status, made.json()["file"], made.json()["layouts"]), (201, "monday.db", 1), made)
            self.assertEqual(made.json()["bytes"], os.path.getsize(os.path.join(folder, "monday.db")))
            again = post(client, {"file": "monday.db"})
            self.assertEqual((again.status, again.json()["code"]), (409, "backup_exists"))
            for name in ("", ".", "..", "../x.db", "a/b", ".hidden", "a\u0000b", "caf\u00e9", "x" * 129, 7, None, ["x"]):
                with self.subTest(name):
                    self.assertEqual(post(client, {"file": name}).status, 400)
            self.assertEqual(post(client, {}).status, 400)
            self.assertEqual(post(client, {"file": "x", "path": "/"}).status, 400)
            # Of one that is refused, or made beside it, none that is there is harmed.
            for name in ("monday.db-wal", "monday.db-shm", "x-journal"):
                refused = post(client, {"file": name})
                self.assertEqual((refused.status, refused.json()["pointer"]), (400, "/file"), refused)
            whole = ["monday.db"]
            for name in ("tuesday.db.partial", "tuesday.db"):
                self.assertEqual(post(client, {"file": name}).status, 201)
                whole.append(name)
                self.assertEqual(sorted(os.listdir(folder)), sorted(whole))
            self.assertEqual([line for line in server.log if "not backed up" in line], [], "nobody has to be woken for these")
        ran = run("verify", "--database", "sqlite:" + os.path.join(folder, "monday.db"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        with self.server() as server, server.client() as client:
            none = post(client, {"file": "x.db"})
            self.assertEqual((none.status, none.json()["code"]), (503, "backup_not_configured"))

    def test_a_restore_under_a_server_is_refused(self):
        with self.server():
            self.exits(0, "backup", self.copy)
            self.assertIn("in use", self.exits(73, "restore", self.copy).stderr)


class Instead(Base):
    """In place of a database."""

    def test_tags_of_the_lost_future_fail_and_versions_are_not_used_twice(self):
        with self.server() as server, server.client() as client:
            backed_up = change(client, "alice", 3)
            self.exits(0, "backup", self.copy)
            lost = change(client, "alice", 4)
            lost_catalog = client.request("GET", "/v1/catalog")
            with open(pegboard.DEMO_CATALOG, encoding="utf-8") as file:
                catalog = json.load(file)
            published = client.request("PUT", "/v1/catalog", {"If-Match": lost_catalog.headers["etag"]}, catalog)
            self.assertEqual(published.status, 200, published)
            change(client, "bob", 2)
            self.assertEqual(server.terminate(), 0, server.said())
        said = self.exits(0, "restore", self.copy).stdout
        kept = re.search(r"the old database is (\S+)", said).group(1)
        self.assertRegex(kept, r"pegboard\.db\.before-restore-\d{8}T\d{6}Z$")
        self.exits(0, "verify")
        with self.server() as server, server.client() as client:
            now = client.request("GET", "/v1/users/alice/layout")
            self.assertEqual(now.json()["version"], 3)
            self.assertEqual(content(now.json()), content(backed_up.json()["layout"]))
            seen = {now.headers["etag"]}
            for tag in (lost.headers["etag"], '"5"'):
                self.assertEqual(move(client, "alice", "last", **{"If-Match": tag}).status, 412)
            for _ in range(5):
                answer = change(client, "alice")
                self.assertGreater(answer.json()["layout"]["version"], 7)
                self.assertNotIn(answer.headers["etag"], seen)
                seen.add(answer.headers["etag"])
                self.assertEqual(move(client, "alice", "last", **{"If-Match": lost.headers["etag"]}).status, 412)
            self.assertGreater(change(client, "bob").json()["layout"]["version"], 2)
            # Nor does a catalog that was published in the lost future pass for one of this.
            current = client.request("GET", "/v1/catalog", {"If-None-Match": published.headers["etag"]})
            self.assertEqual(current.status, 200)
            again = client.request("PUT", "/v1/catalog", {"If-Match": published.headers["etag"]}, catalog)
            self.assertEqual(again.status, 412, again)
            again = client.request("PUT", "/v1/catalog", {"If-Match": current.headers["etag"]}, catalog)
            self.assertEqual(again.status, 200, again)
            self.assertEqual(server.terminate(), 0, server.said())
        # The old one is whole, and can be put back.
        self.exits(0, "restore", kept)
        with self.server() as server, server.client() as client:
            self.assertEqual(client.request("GET", "/v1/users/alice/layout").json()["version"], 7)

    def test_a_restore_on_a_new_machine(self):
        with self.server() as server, server.client() as client:
            backed_up = change(client, "alice", 3)
            self.exits(0, "backup", self.copy)
        for _ in range(2):
            for name in self.files():
                if name != "copy.db":
                    os.unlink(self.path(name))
            self.assertNotIn("the old database", self.exits(0, "restore", self.copy).stdout)
            with self.server() as server, server.client() as client:
                read = client.request("GET", "/v1/users/alice/layout").json()
                self.assertEqual(content(read), content(backed_up.json()["layout"]))
                version = change(client, "alice").json()["layout"]["version"]
                self.assertEqual(server.terminate(), 0, server.said())
            # The same copy, twice, each time without the database before it.
            self.assertGreater(version, getattr(self, "last", 1_000_000_000_000))
            self.last = version

    def test_a_copy_that_is_not_whole_is_refused_before_anything_is_touched(self):
        with self.server() as server, server.client() as client:
            change(client, "alice", 3)
            change(client, "bob", 3)
            self.exits(0, "backup", self.copy)
            self.assertEqual(server.terminate(), 0, server.said())
        with open(self.copy, "rb") as file:
            whole = file.read()
        before = digest(self.database), [name for name in self.files() if name != "bad.db"]
        bad = self.path("bad.db")
        harms = {
            "empty": lambda: os.truncate(bad, 0),
            "cut": lambda: os.truncate(bad, len(whole) - 4096),
            "no database": lambda: os.truncate(bad, 10),
            "a changed row": lambda: self.harm(bad, "UPDATE layouts SET items = 'scan' WHERE user_id = 'bob'"),
            "a lost revision": lambda: self.harm(bad, "DELETE FROM revisions WHERE version = 2"),
            "a foreign program's": lambda: self.harm(bad, "PRAGMA application_id = 7"),
            "no identity": lambda: self.harm(bad, "DELETE FROM identity"),
            "another database's": lambda: self.harm(bad, "UPDATE identity SET id = '%s'" % ("ab" * 16)),
        }
        for name, harm in harms.items():
            with self.subTest(name):
                with open(bad, "wb") as file:
                    file.write(whole)
                harm()
                self.exits(65, "restore", bad)
                self.assertEqual((digest(self.database), [n for n in self.files() if n != "bad.db"]), before)
        self.exits(65, "restore", self.path("missing.db"))
        ran = run("restore", self.path("missing.db"), "--database", "sqlite:" + self.path("new.db"))
        self.assertEqual(ran.returncode, 65, ran.stderr)
        self.assertEqual([n for n in self.files() if n != "bad.db"], before[1])
        self.exits(0, "restore", bad, "--force")

    def test_damage_is_found_and_named(self):
        with self.server() as server, server.client() as client:
            change(client, "alice", 3)
            self.assertEqual(server.terminate(), 0, server.said())
        self.harm(self.database, "UPDATE revisions SET items = 'scan' WHERE version = 2")
        self.assertIn("revision 2 of alice", self.exits(65, "verify").stdout)
        report = json.loads(self.exits(65, "verify", "--json").stdout)
        self.assertEqual([(f["table"], f["key"]) for f in report["findings"]], [("revisions", "alice")])
        self.exits(65, "backup", self.copy)
        self.assertFalse([name for name in self.files() if name.startswith("copy")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
