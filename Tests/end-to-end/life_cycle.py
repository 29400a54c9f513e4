#!/usr/bin/env python3
"""The program as its operator meets it: starting, probes, signals, exit codes."""
import collections
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402


def run(*arguments, environment=None):
    inherited = pegboard.inherited_environment()
    return subprocess.run([pegboard.binary(), *arguments], env={**inherited, **(environment or {})},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False)


class Bounds:
    """The least and the greatest value of every setting that has them, as the table of settings says in
    Documentation/configuration.md."""
    class Bound(collections.namedtuple("Bound", "flag least most")):
        def beyond(self):
            """One less, unless that is below nothing, one more, and what no arithmetic can hold."""
            number, unit = re.fullmatch("([0-9]+)([a-z]*)", self.most).groups()
            texts = ["%d%s" % (int(number) + 1, unit), "1" + "0" * 15 + unit, "9" * 30 + unit]
            number, unit = re.fullmatch("([0-9]+)([a-z]*)", self.least).groups()
            return texts + ["%d%s" % (int(number) - 1, unit)]

    def __init__(self):
        self.all = []
        with open(os.path.join(pegboard.ROOT, "Documentation", "configuration.md"), encoding="utf-8") as file:
            rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in file if line.startswith("| `--")]
        for flag, _, _, _, allowed in rows:
            found = re.match(r" (?:a whole number from )?([0-9]+[a-z]*) to ([0-9]+[a-z]*)\b", allowed)
            if found:
                self.all.append(self.Bound(flag.strip(" `").split()[0], *found.groups()))
            elif re.search(" (N|SIZE|TIME)`", flag):
                raise AssertionError("%s has no bounds: %s" % (flag, allowed))

    def flags(self, which):
        return [text for bound in self.all for text in (bound.flag, getattr(bound, which))]


class Commands(unittest.TestCase):
    def exits(self, wanted, *arguments, environment=None):
        ran = run(*arguments, environment=environment)
        self.assertEqual(ran.returncode, wanted, "%s\n%s%s" % (arguments, ran.stdout, ran.stderr))
        return ran

    def test_help_and_version_go_to_standard_output(self):
        for arguments in (("--help",), ("version",), ("serve", "--help")):
            with self.subTest(arguments):
                self.assertNotEqual(self.exits(0, *arguments).stdout.strip(), "")

    def test_wrong_usage_is_64_and_says_so_on_standard_error(self):
        for arguments, named in ((("sevre",), "'serve'"), (("serve", "--no-such-flag"), "--no-such-flag"),
                                 (("catalog", "lint"), "FILE is missing"), (("serve", "extra"), "'extra'"),
                                 (("help", "sevre"), "'serve'"), (("help", "catalog"), "catalog lint")):
            with self.subTest(arguments):
                ran = self.exits(64, *arguments)
                self.assertEqual(ran.stdout, "")
                self.assertIn(named, ran.stderr)

    def test_help_of_a_command_is_what_the_command_says_itself(self):
        self.assertEqual(self.exits(0, "help", "serve").stdout, self.exits(0, "serve", "--help").stdout)
        self.assertEqual(self.exits(0, "help", "catalog", "lint").stdout, self.exits(0, "catalog", "lint", "--help").stdout)
        self.assertEqual(self.exits(0, "help").stdout, self.exits(0, "--help").stdout)

    def test_bad_configuration_is_78_and_names_the_value_and_its_place(self):
        ran = self.exits(78, "serve", environment={"PEGBOARD_LISTEN": "nowhere:port"})
        self.assertIn("PEGBOARD_LISTEN", ran.stderr)
        self.assertIn("nowhere:port", ran.stderr)

    def test_an_address_that_is_none_is_told_what_one_is(self):
        for address in (",", "127.0.0.1", "127.0.0.1:99999"):
            with self.subTest(address):
                said = self.exits(78, "serve", "--listen", address).stderr
                self.assertIn("'%s' is not allowed; it is HOST:PORT" % address, said)
                self.assertIn("a port is 0 to 65535", said)

    def test_a_database_without_a_file_has_no_backups(self):
        with tempfile.TemporaryDirectory() as directory:
            self.exits(78, "serve", "--auth", "none", "--listen", "127.0.0.1:0", "--database", "sqlite::memory:",
                       "--backup-directory", directory)

    def test_every_number_and_time_has_bounds_and_one_beyond_them_is_refused(self):
        bounds = Bounds()
        for bound in bounds.all:
            for text in (bound.least, bound.most):
                with self.subTest(bound.flag, text=text):
                    self.exits(0, "serve", bound.flag, text, "--print-config")
            for text in bound.beyond():
                with self.subTest(bound.flag, text=text):
                    said = self.exits(78, "serve", bound.flag, text, "--print-config").stderr
                    self.assertIn("%s: '%s' is not allowed; it is " % (bound.flag, text), said)
                    self.assertIn(bound.most, said)

    def test_it_serves_at_the_least_of_every_setting(self):
        with pegboard.Server("serve", *Bounds().flags("least")) as server:
            self.assertEqual(server.terminate(), 0, server.said())

    def test_it_serves_at_the_greatest_of_every_setting(self):
        with pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, *Bounds().flags("most")) as server:
            with server.client() as client:
                for _ in range(2):
                    answer = client.request("PUT", "/v1/users/alice/layout/favorites/metro",
                                            headers={"Idempotency-Key": "once"})
                    self.assertEqual(answer.status, 201, answer)
            # Its drain delay is a year: the second signal does not wait for it.
            server.process.terminate()
            while "draining" not in server.said(5000):
                self.assertIsNone(server.process.poll(), server.said())
                time.sleep(0.01)
            server.process.terminate()
            self.assertEqual(server.process.wait(pegboard.PATIENCE), 128 + signal.SIGTERM, server.said())

    def test_no_sign_in_off_loopback_is_refused(self):
        with tempfile.TemporaryDirectory() as directory:
            self.exits(78, "serve", "--auth", "none", "--listen", "0.0.0.0:0",
                       "--database", "sqlite:%s/pegboard.db" % directory)

    def test_the_demo_catalog_is_clean(self):
        self.exits(0, "catalog", "lint", pegboard.DEMO_CATALOG)

    def test_a_broken_catalog_is_65(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{"policy": {"minimum": 3, "limit": 2}, "defaults": [], "sections": [], "functions": []}')
            file.flush()
            self.exits(65, "catalog", "lint", file.name)


class Life(unittest.TestCase):
    def test_health_check_follows_the_server(self):
        with pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG) as server:
            address = "http://127.0.0.1:%d" % server.port
            self.assertEqual(run("healthcheck", address).returncode, 0)
            self.assertEqual(server.terminate(), 0, server.said())
            self.assertEqual(run("healthcheck", address).returncode, 69)

    def test_both_signals_end_it_with_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number), pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG) as server:
                server.process.send_signal(number)
                self.assertEqual(server.process.wait(pegboard.PATIENCE), 0, server.said())

    def test_a_second_signal_ends_it_at_once(self):
        with pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--drain-delay", "30s") as server:
            server.process.send_signal(signal.SIGTERM)
            self.wait_until_draining(server)
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(pegboard.PATIENCE), 128 + signal.SIGTERM, server.said())

    def test_a_request_under_way_is_answered_before_the_end(self):
        started = pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--drain-delay", "0s")
        with started as server, server.client() as client:
            body = b'{"operations":[{"op":"add","id":"metro"}]}'
            client.socket.sendall(b"POST /v1/users/drained/layout/operations HTTP/1.1\r\nHost: x\r\n"
                                  b"Content-Type: application/json\r\nExpect: 100-continue\r\n"
                                  b"Content-Length: %d\r\n\r\n" % len(body))
            # The interim answer proves that the head is there before the signal is.
            self.assertTrue(client.socket.recv(65536).startswith(b"HTTP/1.1 100 "))
            client.socket.sendall(body[:9])
            server.process.send_signal(signal.SIGTERM)
            self.wait_until_draining(server)
            client.socket.sendall(body[9:])
            answer = client.read("POST")
            self.assertIn(answer.status, (200, 201), answer)
            self.assertIn("close", answer.headers.get("connection", ""))
            self.assertEqual(server.process.wait(pegboard.PATIENCE), 0, server.said())

    def wait_until_draining(self, server):
        deadline = time.monotonic() + pegboard.PATIENCE
        while time.monotonic() < deadline:
            try:
                with server.client() as probe:
                    if probe.request("GET", "/readyz").status == 503:
                        return
            except ConnectionError:
                return  # it listens no longer
            time.sleep(0.01)
        self.fail("the signal changed nothing")

    def test_a_second_server_on_the_same_database_is_refused(self):
        with tempfile.TemporaryDirectory() as directory:
            database = os.path.join(directory, "pegboard.db")
            with pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, database=database):
                second = run("serve", "--listen", "127.0.0.1:0", "--auth", "none", "--database", "sqlite:" + database)
                self.assertEqual(second.returncode, 73, second.stderr)

    def test_a_port_in_use_is_refused_at_once(self):
        with socket.socket() as taken, tempfile.TemporaryDirectory() as directory:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            second = run("serve", "--listen", "127.0.0.1:%d" % taken.getsockname()[1], "--auth", "none",
                         "--database", "sqlite:%s/pegboard.db" % directory)
            self.assertIn(second.returncode, (69, 73), second.stderr)

    def test_what_was_written_is_there_after_a_restart(self):
        with tempfile.TemporaryDirectory() as directory:
            database = os.path.join(directory, "pegboard.db")
            body = {"operations": [{"op": "move", "id": "transfer", "at": {"edge": "last"}}]}
            with pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, database=database) as server:
                with server.client() as client:
                    wrote = client.request("POST", "/v1/users/alice/layout/operations", body=body)
                self.assertEqual(wrote.status, 200, wrote)
                self.assertEqual(server.terminate(), 0, server.said())
            with pegboard.Server("serve", database=database) as server, server.client() as client:
                read = client.request("GET", "/v1/users/alice/layout")
            self.assertEqual(read.json(), wrote.json()["layout"])
            self.assertEqual(read.headers["etag"], wrote.headers["etag"])

    def test_what_was_read_is_there_after_a_kill(self):
        """Reported case 9: the item that was added last was gone."""
        with tempfile.TemporaryDirectory() as directory:
            database = os.path.join(directory, "pegboard.db")
            with pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, database=database) as server:
                with server.client() as client:
                    client.request("PUT", "/v1/users/alice/layout/favorites/metro")
                    before = client.request("GET", "/v1/users/alice/layout")
                server.kill()
            with pegboard.Server("serve", database=database) as server, server.client() as client:
                after = client.request("GET", "/v1/users/alice/layout")
            self.assertIn("metro", before.json()["favorites"])
            self.assertEqual((after.body, after.headers["etag"]), (before.body, before.headers["etag"]))

    def test_a_locked_database_costs_readiness_and_not_life(self):
        """Reported case 70: liveness tied to the database, or readiness blind to it."""
        with tempfile.TemporaryDirectory() as directory:
            database = os.path.join(directory, "pegboard.db")
            with pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, database=database) as server, \
                    server.client() as client:
                lock = sqlite3.connect(database, isolation_level=None)
                lock.execute("BEGIN EXCLUSIVE")
                began = time.monotonic()
                refused = client.request("PUT", "/v1/users/alice/layout/favorites/metro")
                waited = time.monotonic() - began
                self.assertEqual(refused.status, 503, refused)
                self.assertIn("retry-after", refused.headers)
                began = time.monotonic()
                self.assertEqual(client.request("GET", "/livez").status, 200)
                self.assertLess(time.monotonic() - began, waited, "it waits for no lock")
                self.assertEqual(client.request("GET", "/readyz").status, 503)
                self.assertEqual(client.request("GET", "/v1/users/alice/layout").status, 200)
                lock.execute("ROLLBACK")
                lock.close()
                self.assertEqual(client.request("GET", "/readyz").status, 200)
                self.assertEqual(client.request("PUT", "/v1/users/alice/layout/favorites/metro").status, 201)


if __name__ == "__main__":
    unittest.main(verbosity=2)
