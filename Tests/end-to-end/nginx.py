#!/usr/bin/env python3
"""Behind nginx, with the very file that is shipped (Deploy/nginx/pegboard.conf): tags, compression, keep-alive, event streams
and long polls pass through unharmed."""
import gzip
import json
import os
import re
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402
from ports import free_port  # noqa: E402

SHIPPED = os.path.join(pegboard.ROOT, "Deploy", "nginx", "pegboard.conf")
LAYOUT = "/v1/users/alice/layout"


class Nginx:
    """nginx with the shipped file, in which only what differs from machine to machine is replaced."""

    def __init__(self, folder, upstream, change=lambda text: text):
        self.folder, self.port, self.plain_port = folder, free_port(), free_port()
        with open(SHIPPED, encoding="utf-8") as file:
            text = file.read()
        for old, new in (
                ("server 127.0.0.1:8080;", "server 127.0.0.1:%d;" % upstream),
                ("listen 443 ssl http2;", "listen 127.0.0.1:%d ssl http2;" % self.port),
                ("listen 80;", "listen 127.0.0.1:%d;" % self.plain_port),
                ("/etc/pegboard/tls/", folder + "/")):
            assert text.count(old) >= 1, "%r is no longer in the file" % old
            text = text.replace(old, new)
        with open(os.path.join(folder, "pegboard.conf"), "w", encoding="utf-8") as file:
            file.write(change(text))
        with open(os.path.join(folder, "nginx.conf"), "w", encoding="utf-8") as file:
            # The folder is this user's alone; nginx would give up being root.
            file.write(("user root;\n" if os.getuid() == 0 else "")
                       + "worker_processes 1; daemon off; pid nginx.pid; error_log error.log;\n"
                       "events { worker_connections 256; }\nhttp {\n    access_log off;\n"
                       + "".join("    %s_temp_path tmp-%s;\n" % (kind, kind)
                                 for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
                       + "    include pegboard.conf;\n}\n")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=layouts.example", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder + "/key.pem",
             "-out", folder + "/chain.pem"], check=True, capture_output=True, timeout=60)
        self.tls = ssl.create_default_context(cafile=folder + "/chain.pem")
        self.process = subprocess.Popen(["nginx", "-p", folder, "-c", "nginx.conf", "-e", "error.log"])
        self._wait_until_ready()

    def _wait_until_ready(self):
        deadline = time.monotonic() + pegboard.PATIENCE
        while True:
            try:
                self.client().close()
                return
            except OSError as error:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError("nginx doesn't start: %s\n%s" % (error, self.said())) from error
                time.sleep(0.01)

    def said(self):
        with open(os.path.join(self.folder, "error.log"), encoding="utf-8") as file:
            return file.read()

    def client(self, timeout=30.0):
        return pegboard.Client(self.port, timeout=timeout, tls=self.tls, api=False)

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


class BehindNginx(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.server = pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--drain-delay", "0s").start()
        cls.nginx = Nginx(cls.folder.name, cls.server.port)

    @classmethod
    def tearDownClass(cls):
        cls.nginx.stop()
        cls.server.__exit__()
        cls.folder.cleanup()

    def setUp(self):
        self.client = self.nginx.client()
        self.addCleanup(self.client.close)
        with self.server.client() as direct:
            direct.request("DELETE", LAYOUT)

    def same_as_directly(self, path, headers):
        """The answer through nginx, held against the one without."""
        with self.server.client() as direct:
            wanted = direct.request("GET", path, headers)
        got = self.client.request("GET", path, headers)
        self.assertEqual((got.status, got.body), (wanted.status, wanted.body))
        for name in ("etag", "content-type", "content-encoding", "vary", "cache-control", "referrer-policy"):
            self.assertEqual(got.headers.get(name), wanted.headers.get(name), name)
        return got

    def test_tags_stay_strong_and_decide_as_they_do_directly(self):
        tag = self.same_as_directly(LAYOUT, {}).headers["etag"]
        self.assertTrue(tag.startswith('"'), tag)
        self.assertEqual(self.same_as_directly(LAYOUT, {"If-None-Match": tag}).status, 304)
        move = {"operations": [{"op": "move", "id": "ride", "at": {"index": 2}}]}
        wrote = self.client.request("POST", LAYOUT + "/operations", {"If-Match": tag}, move)
        self.assertEqual(wrote.status, 200, wrote)
        stale = self.client.request("POST", LAYOUT + "/operations", {"If-Match": tag}, move)
        self.assertEqual((stale.status, stale.json()["code"]), (412, "precondition_failed"))

    def test_a_request_has_one_name_on_both_sides(self):
        """nginx gives it, and is not told it by strangers."""
        for fields in ({}, {"X-Request-Id": "mine"}):
            name = self.client.request("GET", LAYOUT, fields).headers["x-request-id"]
            self.assertRegex(name, "^[0-9a-f]{32}$")
            deadline = time.monotonic() + pegboard.PATIENCE
            while not any('"requestId":"%s"' % name in line for line in self.server.log):
                self.assertLess(time.monotonic(), deadline, self.server.said())
                time.sleep(0.01)

    def test_compression_is_pegboards_own_and_keeps_the_tag_strong(self):
        path = "/v1/users/alice/page"
        packed = self.same_as_directly(path, {"Accept-Encoding": "gzip"})
        self.assertEqual(packed.headers["content-encoding"], "gzip")
        self.assertIn("sections", json.loads(gzip.decompress(packed.body)))
        self.assertTrue(packed.headers["etag"].startswith('"'), packed.headers)
        plain = self.same_as_directly(path, {})
        self.assertEqual(json.loads(plain.body), json.loads(gzip.decompress(packed.body)))
        self.assertEqual(self.same_as_directly(
            path, {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["etag"]}).status, 304)

    def test_connections_are_kept_on_both_sides(self):
        self.client.request("GET", LAYOUT)
        before = self.upstream_connections()
        self.assertTrue(before)
        for _ in range(20):
            self.assertEqual(self.client.request("GET", LAYOUT).status, 200)
        self.assertLessEqual(self.upstream_connections(), before, "a new connection was made")

    def upstream_connections(self):
        """From nginx to Pegboard, by their ports."""
        listed = subprocess.run(["ss", "-tnH", "state", "established", "dport", "= :%d" % self.server.port],
                                capture_output=True, text=True, check=True, timeout=30).stdout
        return {line.split()[2] for line in listed.splitlines()}

    def test_problems_arrive_as_they_are_and_large_ones_are_pegboards(self):
        for path, body, status in (("/v1/nowhere", None, 404), (LAYOUT + "/operations", b"{", 400),
                                   (LAYOUT + "/operations", b" " * 70000, 413)):
            method = "GET" if body is None else "POST"
            answer = self.client.request(method, path, {"Content-Type": "application/json"}, body)
            self.assertEqual(answer.status, status, answer)
            self.assertEqual(answer.headers["content-type"], "application/problem+json")

    def test_a_whole_catalog_fits_through(self):
        with open(pegboard.DEMO_CATALOG, "rb") as file:
            catalog = file.read() + b" " * 3_000_000
        answer = self.client.request("PUT", "/v1/catalog?validateOnly=true",
                                     {"Content-Type": "application/json", "If-Match": "*"}, catalog)
        self.assertEqual(answer.status, 200, answer)

    def test_events_arrive_when_they_happen(self):
        path = LAYOUT + "/events"
        self.client.socket.sendall(("GET %s HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n" % path).encode())
        stream = b""
        while b"\r\n\r\n" not in stream:
            stream += self.client.socket.recv(65536)
        self.assertIn(b"text/event-stream", stream.lower())
        for id_ in ("metro", "bus"):
            with self.nginx.client() as writer:
                changed = writer.request("PUT", LAYOUT + "/favorites/" + id_)
            self.assertIn(changed.status, (200, 201), changed)
            # It comes while the stream is open: a buffer on the way would hold it until the end.
            while id_.encode() not in stream:
                more = self.client.socket.recv(65536)
                self.assertNotEqual(more, b"", stream)
                stream += more

    def test_a_long_poll_is_answered_by_the_change(self):
        tag = self.client.request("GET", LAYOUT).headers["etag"]
        answers = []
        poll = threading.Thread(target=lambda: answers.append(self.client.request(
            "GET", LAYOUT, {"If-None-Match": tag, "Prefer": "wait=25"})))
        poll.start()
        with self.nginx.client() as writer:
            # Whether it comes before or after the poll has arrived: the poll is answered with it.
            writer.request("PUT", LAYOUT + "/favorites/metro")
        poll.join(60)
        self.assertEqual(answers[0].status, 200, answers)
        self.assertIn("metro", answers[0].json()["favorites"])

    def test_the_inside_is_not_shown(self):
        for method, path in (("GET", "/readyz"), ("GET", "/livez"), ("GET", "/healthz"), ("GET", "/metrics"),
                             ("POST", "/v1/admin/backup")):
            answer = self.client.request(method, path)
            self.assertEqual((answer.status, answer.headers["content-type"]), (404, "text/html"), path)

    def test_http_is_sent_to_https_with_its_method(self):
        with pegboard.Client(self.nginx.plain_port, api=False) as client:
            answer = client.request("PUT", LAYOUT, {"Host": "layouts.example"})
        self.assertEqual((answer.status, answer.headers["location"]), (308, "https://layouts.example" + LAYOUT))

    def test_http2_is_spoken_outside(self):
        ran = subprocess.run(
            ["curl", "--silent", "--show-error", "--http2", "--cacert", self.folder.name + "/chain.pem", "--write-out",
             "%{http_version} %{http_code}", "--output", "/dev/null", "https://127.0.0.1:%d%s" % (self.nginx.port, LAYOUT)],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(ran.stdout, "2 200", ran.stderr)


class TheTestItself(unittest.TestCase):
    def test_a_file_that_lets_nginx_compress_weakens_the_tag(self):
        """What the file is careful about is real: with nginx's own gzip the tag is another."""
        spoiled = lambda text: text.replace(  # noqa: E731
            "gzip off;", 'gzip on; gzip_proxied any; gzip_min_length 1; gzip_types application/json;')
        with tempfile.TemporaryDirectory() as folder, \
                pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--drain-delay", "0s") as server:
            nginx = Nginx(folder, server.port, spoiled)
            try:
                with nginx.client() as client:
                    tag = client.request("GET", LAYOUT, {"Accept-Encoding": "gzip"}).headers["etag"]
                self.assertTrue(re.match('W/"', tag), tag)
            finally:
                nginx.stop()


if __name__ == "__main__":
    unittest.main(verbosity=2)
