#!/usr/bin/env python3
"""Signing in, from outside: the settings, `pegboard token`, keys and admin tokens that change while the server runs."""
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402

ISSUER = ("--jwt-issuer", "https://id.example", "--jwt-audience", "layouts")


def run(*arguments, piped=""):
    inherited = pegboard.inherited_environment()
    return subprocess.run([pegboard.binary(), *arguments], env=inherited, input=piped, capture_output=True, text=True,
                          timeout=30, check=False)


class Files(unittest.TestCase):
    """A folder with a secret and an admin's token for each test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pegboard-test-")
        self.addCleanup(folder.cleanup)
        self.secret = os.path.join(folder.name, "secret")
        self.admins = os.path.join(folder.name, "admins")
        self.write(self.secret, secrets.token_urlsafe(48) + "\n")
        made = run("token", "hash", "--name", "ops")
        self.admin_token = made.stderr.strip().splitlines()[-1]
        self.write(self.admins, made.stdout)

    def write(self, path, text):
        """By renaming, as an operator should: no reader sees half a file."""
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".new", path)

    def mint(self, *options):
        minted = run("token", "mint", "--jwt-secret-file", self.secret, *ISSUER, *options)
        self.assertEqual(minted.returncode, 0, minted.stderr)
        return minted.stdout.strip()


class Settings(Files):
    def refuses(self, wanted, *flags):
        ran = run("serve", "--database", "sqlite::memory:", *flags)
        self.assertEqual(ran.returncode, 78, ran.stderr)
        self.assertIn(wanted, ran.stderr)

    def test_what_is_missing_is_named(self):
        self.refuses("--admin-token-file")
        self.refuses("--jwt-issuer", "--jwt-secret-file", self.secret)
        self.refuses("--jwt-audience", "--jwt-secret-file", self.secret, "--jwt-issuer", "x")
        self.refuses("HS256", "--jwt-algorithms", "none")
        self.refuses("jwt or none", "--auth", "basic")

    def test_files_that_cannot_be_used_are_refused_at_the_start(self):
        self.refuses("/nowhere", "--jwks", "/nowhere", *ISSUER)
        self.write(self.secret, "short\n")
        self.refuses("32 bytes", "--jwt-secret-file", self.secret, *ISSUER)
        self.write(self.admins, "ops not-a-hash\n")
        self.refuses("line 1", "--admin-token-file", self.admins)

    def test_admins_alone_need_no_issuer(self):
        with pegboard.Server("serve", "--auth", "jwt", "--admin-token-file", self.admins) as server:
            self.assertEqual(server.terminate(), 0, server.said())


class Tokens(Files):
    def test_mint_says_what_is_wrong(self):
        for wanted, flags in ((64, ()), (64, ("--user", "u", "--scope", "root")), (64, ("--user", "u", "--ttl", "0s")),
                              (64, ("--user", "x" * 129))):
            ran = run("token", "mint", "--jwt-secret-file", self.secret, *ISSUER, *flags)
            self.assertEqual(ran.returncode, wanted, (flags, ran.stderr))
        self.assertEqual(run("token", "mint", "--user", "u").returncode, 78)

    def test_hash_gives_the_same_line_for_the_same_token(self):
        again = run("token", "hash", "--name", "ops", piped=self.admin_token + "\n")
        with open(self.admins, encoding="utf-8") as file:
            self.assertEqual(again.stdout, file.read())
        self.assertEqual(again.stderr, "")

    def test_hash_refuses_what_can_be_guessed(self):
        self.assertEqual(run("token", "hash", piped="swordfish\n").returncode, 65)
        self.assertEqual(run("token", "hash", "--name", "a b").returncode, 64)


class SigningIn(Files):
    def setUp(self):
        super().setUp()
        self.server = self.enterContext(pegboard.Server(
            "serve", "--auth", "jwt", "--jwt-secret-file", self.secret, *ISSUER, "--admin-token-file", self.admins,
            "--catalog", pegboard.DEMO_CATALOG, "--drain-delay", "0s"))

    def ask(self, token=None, path="/v1/users/alice/layout", method="GET"):
        with self.server.client() as client:
            return client.request(method, path, {"Authorization": "Bearer " + token} if token else {})

    def wait_for(self, status, token):
        deadline = time.monotonic() + pegboard.PATIENCE
        while self.ask(token).status != status:
            self.assertLess(time.monotonic(), deadline, "no %d\n%s" % (status, self.server.said()))
            time.sleep(0.05)

    def wait_for_line(self, text):
        deadline = time.monotonic() + pegboard.PATIENCE
        while not any(text in line for line in self.server.log):
            self.assertLess(time.monotonic(), deadline, "no '%s'\n%s" % (text, self.server.said()))
            time.sleep(0.05)

    def test_each_reaches_what_is_theirs(self):
        alice, bob = self.mint("--user", "alice"), self.mint("--user", "bob")
        self.assertEqual(self.ask().status, 401)
        self.assertEqual(self.ask().headers["www-authenticate"], "Bearer")
        self.assertEqual(self.ask(alice).status, 200)
        self.assertEqual(self.ask(alice, "/v1/users/me/layout").status, 200)
        self.assertEqual(self.ask(bob).status, 403)
        self.assertEqual(self.ask(self.admin_token).status, 200)
        reader = self.mint("--user", "alice", "--scope", "layout:read")
        path = "/v1/users/me/layout/favorites/accounts"
        self.assertEqual(self.ask(reader, path, "PUT").status, 403)
        self.assertEqual(self.ask(alice, path, "PUT").status, 201)
        self.assertEqual(self.ask(path="/readyz").status, 200)

    def test_another_secret_counts_without_a_restart(self):
        before = self.mint("--user", "alice")
        self.assertEqual(self.ask(before).status, 200)
        self.write(self.secret, secrets.token_urlsafe(48) + "\n")
        self.wait_for(401, before)
        self.assertEqual(self.ask(self.mint("--user", "alice")).status, 200)

    def test_an_admin_who_leaves_is_out(self):
        self.assertEqual(self.ask(self.admin_token).status, 200)
        self.write(self.admins, "# nobody\n")
        self.wait_for(401, self.admin_token)

    def test_the_stream_of_an_admin_who_left_tells_nothing_more(self):
        user = self.mint("--user", "alice")
        with self.server.client() as watcher:
            watcher.socket.sendall(b"GET /v1/users/alice/layout/events HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                                   b"Authorization: Bearer %s\r\n\r\n" % self.admin_token.encode())
            watcher._until(b"event: layout\n")
            self.write(self.admins, "# nobody\n")
            self.wait_for(401, self.admin_token)
            self.assertEqual(self.ask(user, "/v1/users/me/layout/favorites/metro", "PUT").status, 201)
            rest = b""
            while more := watcher.socket.recv(65536):
                rest += more
        self.assertIn(b"retry: ", rest)
        self.assertNotIn(b"metro", rest)

    def test_a_broken_file_keeps_the_old_one_and_says_why(self):
        token = self.mint("--user", "alice")
        self.write(self.secret, "short\n")
        self.wait_for_line("the old ones stay")
        self.assertEqual(self.ask(token).status, 200)

    def test_hangup_reads_the_files_and_ends_nothing(self):
        already = sum("credentials read" in line for line in self.server.log)
        self.server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + pegboard.PATIENCE
        while sum("credentials read" in line for line in self.server.log) < already + 2:
            self.assertLess(time.monotonic(), deadline, self.server.said())
            time.sleep(0.05)
        self.assertEqual(self.ask(self.admin_token).status, 200)

    def test_no_line_of_the_log_holds_a_token(self):
        token = self.mint("--user", "alice")
        self.ask(token)
        self.ask(token[:-1])
        self.ask(self.admin_token)
        self.ask(path="/v1/users/alice/layout?access_token=" + token)
        self.assertEqual(self.server.terminate(), 0, self.server.said())
        for line in self.server.log:
            self.assertNotIn(token.split(".")[2][:20], line)
            self.assertNotIn(self.admin_token, line)


if __name__ == "__main__":
    unittest.main()
