#!/usr/bin/env python3
"""What an administrator does with curl: the lines of Documentation/operations.md as they are, and large files.

    administration.py           20,000 users
    administration.py --full    1,000,000 users, with the server's memory before and after
"""
import hashlib
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402

USERS = 20_000


def run(*arguments, **options):
    inherited = pegboard.inherited_environment()
    return subprocess.run([pegboard.binary(), *arguments], env=inherited, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=3000, check=True, **options)


def seed(database, users, *flags):
    """A database with made-up users."""
    run("migrate", "--database", "sqlite:" + database)
    run("catalog", "publish", pegboard.DEMO_CATALOG, "--database", "sqlite:" + database)
    return run("layouts", "seed", str(users), "--database", "sqlite:" + database, *flags)


def documented(heading):
    """The command lines below a heading of operations.md, up to the next one of its rank."""
    with open(os.path.join(pegboard.ROOT, "Documentation", "operations.md"), encoding="utf-8") as file:
        text = file.read()
    section = re.search(r"^## %s\n(.*?)(?=^## )" % re.escape(heading), text, re.MULTILINE | re.DOTALL).group(1)
    blocks = re.findall(r"^```console\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def layouts(path):
    """What an export says, without the numbers and times that are a database's own."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for line in file:
            digest.update(re.sub(rb'"version":\d+|"updatedAt":"[^"]*"', b"", line))
    return digest.hexdigest()


def last_line(path):
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - 4096))
        return json.loads(file.read().splitlines()[-1])


def resident(server, field="VmRSS"):
    """Of the server, in MB."""
    with open("/proc/%d/status" % server.process.pid, encoding="ascii") as file:
        return int(re.search(r"^%s:\s+(\d+) kB" % field, file.read(), re.MULTILINE).group(1)) / 1024


def reset_peak(server):
    """From now on `VmHWM` is of what follows. Returns the memory at present, in MB."""
    with open("/proc/%d/clear_refs" % server.process.pid, "w", encoding="ascii") as file:
        file.write("5")
    return resident(server)


class Base(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pegboard-administration-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def shell(self, line, server, **environment):
        """Runs a line as it is; curl fails on an error status, where it would have printed it."""
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", 'curl() { command curl -sS --fail-with-body --max-time 3000 "$@"; }\n' + line],
            cwd=self.folder, capture_output=True, text=True, timeout=3100, check=False,
            env={**os.environ, "PEGBOARD": "http://127.0.0.1:%d" % server.port, **environment})
        self.assertEqual(ran.returncode, 0, "%s\n%s%s" % (line, ran.stdout[-2000:], ran.stderr[-2000:]))
        return ran.stdout


class Documentation(Base):
    def test_every_line_does_what_it_says(self):
        seed(self.path("pegboard.db"), 300)
        os.mkdir(self.path("backups"))
        token = "t" * 40
        with open(self.path("admins"), "w", encoding="ascii") as file:
            file.write("ops %s\n" % hashlib.sha256(token.encode()).hexdigest())
        with open(pegboard.DEMO_CATALOG, encoding="utf-8") as source:
            catalog = json.load(source)
        catalog["defaults"] = catalog["defaults"][:-1]
        with open(self.path("catalog.json"), "w", encoding="utf-8") as file:
            json.dump(catalog, file)
        lines = documented("Administration")
        self.assertGreaterEqual(len(lines), 20)
        with pegboard.Server("serve", "--auth", "jwt", "--admin-token-file", self.path("admins"), "--backup-directory",
                             self.path("backups"), database=self.path("pegboard.db")) as server:
            said = {line: self.shell(line, server, ADMIN_TOKEN=token) for line in lines}

        def answer(part):
            found = [text for line, text in said.items() if part in line]
            self.assertEqual(len(found), 1, part)
            return found[0]

        users = json.loads(answer("/v1/admin/users"))
        self.assertEqual(len(users["users"]), 20)
        self.assertTrue(all(user["userId"].startswith("user-1") for user in users["users"]))
        statistics = json.loads(answer("/v1/admin/statistics"))
        self.assertEqual((statistics["users"], statistics["customized"]), (300, 300))
        rehearsal = json.loads(answer("validateOnly"))
        self.assertEqual((rehearsal["revision"], rehearsal["layouts"], rehearsal["layoutsChanged"]), (2, 299, 0))
        self.assertEqual(answer("tail -n 1 layouts.ndjson"), '{"exported":299}\n')
        self.assertEqual(answer("tail -n 1 results.ndjson"), '{"imported":0,"unchanged":299,"refused":0}\n')
        self.assertEqual(answer("--data-binary @- ").splitlines()[-1], '{"imported":0,"unchanged":3,"refused":0}')
        self.assertEqual(last_line(self.path("rest.ndjson")), {"exported": 32})
        self.assertEqual(last_line(self.path("results.ndjson")), {"imported": 0, "unchanged": 299, "refused": 0})
        self.assertEqual(json.loads(answer("/v1/admin/backup"))["layouts"], 299)
        self.assertEqual(os.stat(self.path("admin.curl")).st_mode & 0o777, 0o600)


class Streams(Base):
    def serve(self, name="pegboard.db", *flags):
        return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, *flags, database=self.path(name))

    def test_all_layouts_go_from_one_server_to_another_in_little_memory(self):
        clock, times = time.monotonic, {}
        began = clock()
        seed(self.path("pegboard.db"), USERS)
        times["seed"] = clock() - began
        # With small caches: what grows is what is held of the content.
        small = ("--cache", "1MiB")
        with self.serve("pegboard.db", *small) as one, self.serve("other.db", *small) as two:
            def transfer(line, server, name):
                before = reset_peak(server)
                began = clock()
                self.shell(line, server)
                times[name] = clock() - began
                return before, resident(server, "VmHWM")

            memory = {"export": transfer("curl $PEGBOARD/v1/admin/export > one.ndjson", one, "export")}
            size = os.path.getsize(self.path("one.ndjson"))
            self.assertEqual(last_line(self.path("one.ndjson")), {"exported": USERS})
            if USERS < 1_000_000:
                # Few users make up in length: JSON may have as much white space as it likes.
                self.shell("sed -i 's/^{/{%s/' one.ndjson" % (2_000 * " "), one)
            load = ("cat one.ndjson | curl -X POST -H 'Content-Type: application/x-ndjson' -T - $PEGBOARD/v1/admin/import"
                    " > results.ndjson")
            memory["import"] = transfer(load, two, "import")
            self.assertEqual(last_line(self.path("results.ndjson")), {"imported": USERS, "unchanged": 0, "refused": 0})
            memory["statistics"] = transfer("curl $PEGBOARD/v1/admin/statistics > statistics.json", two, "statistics")
            with open(self.path("statistics.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["users"], USERS)
            memory["again"] = transfer("curl $PEGBOARD/v1/admin/export > two.ndjson", two, "again")
            content = os.path.getsize(self.path("one.ndjson"))
        self.shell("sed -i 's/^{ */{/' one.ndjson", one)
        self.assertEqual(layouts(self.path("one.ndjson")), layouts(self.path("two.ndjson")))
        print("%d users, %.0f MB in, %.0f MB out" % (USERS, content / 2 ** 20, size / 2 ** 20), file=sys.stderr)
        for name, seconds in times.items():
            print("  %-10s %6.1f s%s" % (name, seconds, ", MB before and at most: %.1f %.1f" % memory[name]
                                         if name in memory else ""), file=sys.stderr)
        for name, (before, peak) in memory.items():
            whole = content if name == "import" else size
            # Of what is so small that buffers outweigh it, nothing can be said.
            if whole > 30 * 2 ** 20:
                self.assertLess(peak - before, whole / 2 ** 20 / 3, name)

    def test_an_export_that_is_cut_is_seen_and_taken_up(self):
        seed(self.path("pegboard.db"), 5_000)
        with self.serve() as server:
            whole = self.shell("curl $PEGBOARD/v1/admin/export", server).splitlines()
            with server.client() as client:
                client.socket.sendall(b"GET /v1/admin/export HTTP/1.0\r\n\r\n")
                while len(client.buffer) < 100_000:
                    client._receive()
                part = client.buffer.partition(b"\r\n\r\n")[2].decode()
            lines = part[:part.rindex("\n")].split("\n")
            self.assertNotIn('"exported"', part)
            rest = self.shell("curl '$PEGBOARD/v1/admin/export?after=%s'".replace("'", '"')
                              % json.loads(lines[-1])["userId"], server).splitlines()
            self.assertEqual(lines + rest[:-1], whole[:-1])

    def test_an_import_goes_on_while_its_results_are_read(self):
        """Lock step: a result is there before the next line is sent, so neither side waits for the whole."""
        with self.serve() as server, server.client() as client:
            users = ["u%d" % number for number in range(50)]
            *results, sums = client.import_in_lock_step({"userId": user, "favorites": ["scan"]} for user in users)
            self.assertEqual([result["userId"] for result in results], users)
            self.assertEqual(sums, {"imported": 50, "unchanged": 0, "refused": 0})
            self.assertEqual(client.request("GET", "/v1/users/u49/layout").json()["favorites"][0], "scan")

    def test_an_import_that_a_shutdown_meets_says_where_to_go_on(self):
        with self.serve() as server, server.client() as client:
            client.socket.sendall(b"POST /v1/admin/import HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\n"
                                  b"Content-Length: 1000000\r\n\r\n" b'{"userId":"u1","favorites":[]}\n{"userId"')
            client._until(b"\r\n\r\n")
            client._exactly(int(client._until(b"\r\n"), 16) + 2)
            server.process.terminate()
            stopped = json.loads(client._exactly(int(client._until(b"\r\n"), 16)))
            self.assertEqual((stopped["line"], stopped["result"], stopped["code"]), (2, "stopped", "draining"))
            self.assertEqual(client._exactly(7), b"\r\n0\r\n\r\n")
            client.close()
            self.assertEqual(server.process.wait(pegboard.PATIENCE), 0)

    def test_whoever_may_not_is_told_before_sending(self):
        with pegboard.Server("serve", "--auth", "jwt", "--admin-token-file", os.devnull,
                             database=self.path("pegboard.db")) as server, server.client() as client:
            client.socket.sendall(b"POST /v1/admin/import HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\n"
                                  b"Expect: 100-continue\r\nContent-Length: 100000000000\r\n\r\n")
            self.assertTrue(client._until(b"\r\n").startswith(b"HTTP/1.1 401 "))


class Seed(Base):
    def test_the_same_seed_makes_the_same_users(self):
        for name, flags in (("a", []), ("b", ["--seed", "0"]), ("c", ["--seed", "1"])):
            ran = seed(self.path(name), 500, *flags)
            self.assertEqual(ran.stdout, "500 users\n")
            with open(self.path(name + ".ndjson"), "w", encoding="utf-8") as file:
                file.write(run("layouts", "export", "--database", "sqlite:" + self.path(name)).stdout)
            self.assertEqual(last_line(self.path(name + ".ndjson")), {"exported": 500})
        self.assertEqual(layouts(self.path("a.ndjson")), layouts(self.path("b.ndjson")))
        self.assertNotEqual(layouts(self.path("a.ndjson")), layouts(self.path("c.ndjson")))
        self.assertEqual(json.loads(run("verify", "--json", "--database", "sqlite:" + self.path("a")).stdout)["ok"], True)

    def test_a_terminal_shows_a_bar_and_a_pipe_none_of_it(self):
        database = "sqlite:" + self.path("bar")
        self.assertNotIn("[", seed(self.path("bar"), 100).stderr)
        ours, theirs = pty.openpty()
        inherited = pegboard.inherited_environment()
        with subprocess.Popen([pegboard.binary(), "layouts", "seed", str(20_000), "--database", database], env=inherited,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs) as process:
            os.close(theirs)
            shown = b""
            while True:
                try:
                    more = os.read(ours, 65536)
                except OSError:  # how Linux says that the last writer has gone
                    break
                shown += more
            self.assertEqual(process.wait(pegboard.PATIENCE), 0)
        os.close(ours)
        self.assertRegex(shown.decode(), r"making up \[#* *\] \d+% \d+ of 20000, \d+/s, \d+ s left")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), "the bar is taken away")

    def test_what_cannot_be_meant_is_refused(self):
        inherited = pegboard.inherited_environment()
        for arguments, code, words in (
                (["x"], 64, "whole number"), (["1", "--seed", "-1"], 64, "whole number"), (["1"], 65, "no catalog")):
            ran = subprocess.run([pegboard.binary(), "layouts", "seed", *arguments, "--database",
                                  "sqlite:" + self.path("new.db")], env=inherited, capture_output=True, text=True, timeout=60,
                                 check=False)
            self.assertEqual(ran.returncode, code, ran.stderr)
            self.assertIn(words, ran.stderr)


if __name__ == "__main__":
    if "--full" in sys.argv:
        sys.argv.remove("--full")
        USERS = 1_000_000
    unittest.main(verbosity=2)
