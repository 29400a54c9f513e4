#!/usr/bin/env python3
"""TLS as clients meet it: curl, `openssl s_client` and Python's ssl against `pegboard serve`."""
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402

LAYOUT = "/v1/users/alice/layout"


def make_certificate(directory, name, kind=("ec", "-pkeyopt", "ec_paramgen_curve:P-256")):
    """A certificate for 127.0.0.1 that has signed itself. Returns the paths of certificate and key."""
    paths = [os.path.join(directory, name + end) for end in (".crt", ".key")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", *kind, "-nodes", "-days", "2", "-subj", "/CN=" + name,
                    "-addext", "subjectAltName=IP:127.0.0.1", "-out", paths[0], "-keyout", paths[1]],
                   check=True, capture_output=True)
    return paths


def trusting(certificate):
    return ssl.create_default_context(cafile=certificate)


class TLS(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="pegboard-tls-")
        cls.first = make_certificate(cls.directory.name, "first")
        cls.second = make_certificate(cls.directory.name, "second", ("rsa:2048",))
        cls.shown = [os.path.join(cls.directory.name, "shown" + end) for end in (".crt", ".key")]
        cls.show(cls.first)
        cls.server = cls.serve().start()

    @classmethod
    def tearDownClass(cls):
        code = cls.server.terminate()
        cls.directory.cleanup()
        assert code == 0, cls.server.said()

    @classmethod
    def serve(cls, *flags):
        return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--tls-certificate", cls.shown[0],
                               "--tls-key", cls.shown[1], *flags, tls=trusting(cls.first[0]))

    @classmethod
    def show(cls, certificate):
        for source, destination in zip(certificate, cls.shown):
            shutil.copy(source, destination)

    def url(self, path=LAYOUT):
        return "https://127.0.0.1:%d%s" % (self.server.port, path)

    def curl(self, *arguments):
        return subprocess.run(["curl", "--silent", "--show-error", "--cacert", self.first[0], *arguments],
                              capture_output=True, text=True, timeout=30, check=False)

    def s_client(self, *arguments, says=b"", server=None):
        """What s_client printed, and its exit code."""
        port = (server or self.server).port
        ran = subprocess.run(["openssl", "s_client", "-connect", "127.0.0.1:%d" % port, *arguments],
                             input=says, capture_output=True, timeout=30, check=False)
        return (ran.stdout + ran.stderr).decode("utf-8", "replace"), ran.returncode

    # curl

    def test_curl_speaks_both_versions_over_one_connection(self):
        for version in ("1.2", "1.3"):
            with self.subTest(version):
                ran = self.curl("--tlsv" + version, "--tls-max", version, "--verbose", self.url(), self.url("/livez"))
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn("SSL connection using TLSv" + version, ran.stderr)
                self.assertIn("server accepted http/1.1", ran.stderr)
                self.assertIn("Re-using existing connection", ran.stderr)
                self.assertIn('"favorites"', ran.stdout)

    def test_curl_writes_and_reads_back(self):
        body = '{"operations":[{"op":"move","id":"transfer","at":{"edge":"last"}}]}'
        ran = self.curl("--json", body, self.url("/v1/users/curl/layout/operations"))
        self.assertIn('"changed":true', ran.stdout, ran.stderr)

    def test_a_stranger_to_the_certificate_does_not_talk_to_it(self):
        ran = subprocess.run(["curl", "--silent", self.url()], timeout=30, check=False)
        self.assertEqual(ran.returncode, 60)

    def test_plain_http_is_closed_without_an_answer(self):
        ran = self.curl(self.url().replace("https:", "http:"))
        self.assertIn(ran.returncode, (52, 56), ran.stderr)
        self.assertEqual(ran.stdout, "")

    # openssl s_client

    def test_old_versions_are_refused(self):
        for version in ("-tls1", "-tls1_1"):
            with self.subTest(version):
                said, code = self.s_client(version, "-cipher", "ALL:@SECLEVEL=0")
                self.assertNotEqual(code, 0)
                self.assertIn("alert protocol version", said)

    def test_a_client_of_http2_alone_is_turned_away(self):
        said, code = self.s_client("-alpn", "h2")
        self.assertNotEqual(code, 0)
        self.assertIn("no application protocol", said)

    def test_weak_ciphers_are_refused(self):
        for cipher in ("AES128-SHA:@SECLEVEL=0", "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0", "DHE-RSA-AES128-GCM-SHA256"):
            with self.subTest(cipher):
                said, code = self.s_client("-tls1_2", "-cipher", cipher)
                self.assertNotEqual(code, 0)
                self.assertIn("handshake failure", said)

    def test_sessions_are_resumed_and_nothing_is_compressed(self):
        said, code = self.s_client("-tls1_2", "-reconnect")
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count("Reused, TLSv1.2"), 5, said)
        self.assertIn("Compression: NONE", said)

    def test_the_last_answer_ends_with_close_notify(self):
        request = b"GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        for version in ("-tls1_2", "-tls1_3"):
            with self.subTest(version):
                # -ign_eof: s_client goes on until the server ends; without close_notify it would complain.
                said, code = self.s_client(version, "-ign_eof", "-msg", says=request)
                self.assertEqual(code, 0, said)
                self.assertIn("HTTP/1.1 200 OK", said)
                self.assertRegex(said, r"<<< TLS 1\.\d, Alert \[length 0002\], warning close_notify")

    def test_renegotiation_is_refused(self):
        client = subprocess.Popen(
            ["openssl", "s_client", "-tls1_2", "-connect", "127.0.0.1:%d" % self.server.port],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with client:
            said = b""
            while b"Verify return code" not in said:
                said += os.read(client.stdout.fileno(), 65536)
            client.stdin.write(b"R\n")
            client.stdin.flush()
            said = client.communicate(timeout=pegboard.PATIENCE)[0]
        self.assertIn(b"no renegotiation", said)
        self.assertNotEqual(client.returncode, 0)

    # Python's ssl

    def test_pipelined_requests_are_answered_in_order(self):
        with self.server.client() as client:
            for number in range(200):
                client.socket.sendall(b"GET /v1/users/u%d/layout HTTP/1.1\r\nHost: a\r\n\r\n" % number)
            for number in range(200):
                self.assertEqual(client.read().json()["userId"], "u%d" % number)

    def test_many_clients_at_once(self):
        failures = []

        def work():
            try:
                for _ in range(10):
                    with self.server.client() as client:
                        for _ in range(5):
                            if client.request("GET", LAYOUT).status != 200:
                                failures.append("not 200")
            except OSError as error:
                failures.append(repr(error))

        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_content_of_the_longest_kind_arrives(self):
        with self.server.client() as client:
            answer = client.request("POST", LAYOUT + "/operations", {"Content-Type": "application/json"},
                                    b" " * (64 * 1024 - 2) + b"{}")
            self.assertEqual(answer.status, 400, answer)
            self.assertEqual(client.request("GET", "/livez").status, 200)

    def test_an_import_is_answered_while_it_comes(self):
        with self.server.client() as client:
            users = ["import-%d" % number for number in range(50)]
            *results, sums = client.import_in_lock_step({"userId": user, "favorites": ["scan"]} for user in users)
            self.assertEqual([(result["userId"], result["result"]) for result in results],
                             [(user, "imported") for user in users])
            self.assertEqual(sums, {"imported": 50, "unchanged": 0, "refused": 0})

    # Life

    def test_a_handshake_that_does_not_come_is_closed(self):
        with self.serve("--header-timeout", "300ms") as server:
            for begun in (b"", b"\x16\x03\x01\x02\x00\x01"):
                with socket.create_connection(("127.0.0.1", server.port), 10) as stranger:
                    began = time.monotonic()
                    stranger.sendall(begun)
                    self.assertEqual(stranger.recv(100), b"")
                    self.assertLess(time.monotonic() - began, 5)
            with server.client() as client:
                self.assertEqual(client.request("GET", LAYOUT).status, 200)

    def test_hangup_brings_a_new_certificate_and_drops_nobody(self):
        with self.serve() as server:
            old = server.client()
            self.assertEqual(old.request("GET", LAYOUT).status, 200)
            self.show(self.second)
            try:
                self.hang_up(server, "certificate reloaded")
                with pegboard.Client(server.port, tls=trusting(self.second[0])) as new:
                    self.assertEqual(new.request("GET", LAYOUT).status, 200)
                with self.assertRaises(ssl.SSLCertVerificationError):
                    server.client()
                self.assertEqual(old.request("GET", LAYOUT).status, 200)
                old.close()
                with open(self.shown[1], "w", encoding="ascii") as key:
                    key.write("no key\n")
                self.hang_up(server, "certificate not reloaded")
                self.assertRegex(server.said(), re.escape(self.shown[1]) + " cannot be used")
                with pegboard.Client(server.port, tls=trusting(self.second[0])) as still:
                    self.assertEqual(still.request("GET", LAYOUT).status, 200)
            finally:
                self.show(self.first)

    def hang_up(self, server, expected):
        server.process.send_signal(signal.SIGHUP)
        self.wait_for(server, expected)

    def wait_for(self, server, expected, times=1):
        deadline = time.monotonic() + pegboard.PATIENCE
        while sum(expected in line for line in server.log) < times:
            self.assertLess(time.monotonic(), deadline, server.said())
            time.sleep(0.01)

    def test_the_certificate_is_read_again_now_and_then_and_old_tickets_are_of_no_use(self):
        ticket = os.path.join(self.directory.name, "session.pem")
        for flags, reused in ((("--tls-reload", "0s"), True), (("--tls-reload", "50ms"), False)):
            with self.serve(*flags) as server:
                said, code = self.s_client("-tls1_2", "-sess_out", ticket, server=server)
                self.assertEqual(code, 0, said)
                if not reused:
                    seen = sum("certificate reloaded" in line for line in server.log)
                    # One may have been under way already when the ticket was given out.
                    self.wait_for(server, "certificate reloaded", seen + 2)
                said, code = self.s_client("-tls1_2", "-sess_in", ticket, server=server)
                self.assertEqual((code, "Reused, TLSv1.2" in said), (0, reused), said)

    def test_a_request_under_way_is_answered_before_the_end(self):
        with self.serve("--drain-delay", "0s") as server, server.client() as client:
            body = b'{"operations":[{"op":"add","id":"metro"}]}'
            client.socket.sendall(b"POST /v1/users/drained/layout/operations HTTP/1.1\r\nHost: x\r\n"
                                  b"Content-Type: application/json\r\nExpect: 100-continue\r\n"
                                  b"Content-Length: %d\r\n\r\n" % len(body))
            self.assertTrue(client.socket.recv(65536).startswith(b"HTTP/1.1 100 "))
            client.socket.sendall(body[:9])
            server.process.send_signal(signal.SIGTERM)
            deadline = time.monotonic() + pegboard.PATIENCE
            while not any("draining" in line for line in server.log):
                self.assertLess(time.monotonic(), deadline, server.said())
                time.sleep(0.01)
            client.socket.sendall(body[9:])
            answer = client.read("POST")
            self.assertIn(answer.status, (200, 201, 422), answer)
            self.assertIn("close", answer.headers.get("connection", ""))
            # close_notify, then the end: Python raises SSLEOFError without the first.
            self.assertEqual(client.socket.recv(100), b"")
            client.close()
            self.assertEqual(server.process.wait(pegboard.PATIENCE), 0, server.said())

    def test_the_health_check_follows(self):
        for address, environment, wanted in (
                (("https://127.0.0.1:%d" % self.server.port,), {}, 0),
                (("http://127.0.0.1:%d" % self.server.port,), {}, 69),
                ((), {"PEGBOARD_LISTEN": "127.0.0.1:%d" % self.server.port,
                      "PEGBOARD_TLS_CERTIFICATE": self.shown[0]}, 0)):
            with self.subTest(address=address, environment=environment):
                ran = self.run_pegboard("healthcheck", *address, environment=environment)
                self.assertEqual(ran.returncode, wanted, ran.stderr)

    def test_a_certificate_that_cannot_be_used_is_78(self):
        other = make_certificate(self.directory.name, "other")
        locked = os.path.join(self.directory.name, "locked.key")
        subprocess.run(["openssl", "ec", "-in", self.first[1], "-aes256", "-passout", "pass:x", "-out", locked],
                       check=True, capture_output=True)
        for flags, expected in (
                (("--tls-certificate", self.first[0]), "--tls-key"),
                (("--tls-key", self.first[1]), "--tls-certificate"),
                (("--tls-certificate", self.first[0], "--tls-key", self.second[1]), "different key types"),
                (("--tls-certificate", self.first[0], "--tls-key", other[1]), "another certificate's"),
                (("--tls-certificate", self.first[0], "--tls-key", locked), "it has a passphrase"),
                (("--tls-certificate", self.first[1], "--tls-key", self.first[1]), "not in the file, as PEM"),
                (("--tls-certificate", "/nowhere", "--tls-key", self.first[1]), "/nowhere")):
            with self.subTest(flags):
                ran = self.run_pegboard("serve", "--auth", "none", "--database", "sqlite::memory:",
                                        "--listen", "127.0.0.1:0", *flags)
                self.assertEqual(ran.returncode, 78, ran.stderr)
                self.assertIn(expected, ran.stderr)

    def run_pegboard(self, *arguments, environment=None):
        inherited = pegboard.inherited_environment()
        return subprocess.run([pegboard.binary(), *arguments], env={**inherited, **(environment or {})},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False)


if __name__ == "__main__":
    unittest.main(verbosity=2)
