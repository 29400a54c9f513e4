#!/usr/bin/env python3
"""The benchmarks held to account: load.c against a server that answers wrongly, verdicts and plots from made-up figures."""
import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Benchmarks"))
from suite import load, plot, report  # noqa: E402


class Answering:
    """A server that gives `answer(request)` to each request of each connection, and keeps the requests."""

    fields = {}

    def __init__(self, answer):
        self.answer, self.requests = answer, []

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def pids(self):
        return [os.getpid()]

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, contextlib.suppress(OSError):
            while request := connection.recv(65536):
                self.requests.append(request)
                connection.sendall(self.answer(request))


OK = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"
REQUEST = b"POST /users/%U HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n%M"


class Loader(unittest.TestCase):
    def run_against(self, answer, kinds, users=3, connections=2, least=1):
        """A run that came to so many requests: a machine that had no time for them in 0.2 s is given more."""
        seconds = 0.2
        while True:
            with Answering(answer) as server:
                mix = load.Mix(server, users, kinds)
                self.addCleanup(mix.directory.cleanup)
                result = mix.run(seconds, connections)
            if len(server.requests) >= least:
                return server, mix, result
            seconds *= 2

    def test_every_request_is_counted_once(self):
        server, mix, result = self.run_against(lambda _: OK, {"move": (1, 200, REQUEST)})
        self.assertEqual(result["move"]["requests"], len(server.requests))
        self.assertEqual(mix.visited, len(server.requests))
        self.assertLessEqual(result["move"]["p50_us"], result["move"]["p99_us"])
        self.assertLessEqual(result["move"]["p99_us"], result["move"]["max_us"])

    def test_every_user_comes_once_a_pass_and_the_moves_take_turns(self):
        server, _, _ = self.run_against(lambda _: OK, {"move": (1, 200, REQUEST)}, connections=1, least=9)
        seen = [re.fullmatch(rb"POST /users/(\d{7}) .*\r\n\r\nfunction-0([12])", request, re.DOTALL).groups()
                for request in server.requests[:9]]
        passes = [seen[start:start + 3] for start in (0, 3, 6)]
        for number, visits in enumerate(passes):
            self.assertEqual({user for user, _ in visits}, {b"0000000", b"0000001", b"0000002"})
            self.assertEqual({move for _, move in visits}, {b"12"[number % 2:number % 2 + 1]})

    def test_kinds_come_by_their_weight(self):
        kinds = {"often": (90, 200, b"GET /often HTTP/1.1\r\n\r\n"), "rarely": (10, 200, b"GET /rarely HTTP/1.1\r\n\r\n")}
        _, _, result = self.run_against(lambda _: OK, kinds, least=100)
        often, rarely = result["often"]["requests"], result["rarely"]["requests"]
        self.assertGreater(often, 4 * rarely)
        self.assertGreater(rarely, 0)

    def test_a_wrong_status_ends_the_run(self):
        wrong = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
        with self.assertRaises(subprocess.CalledProcessError):
            self.run_against(lambda _: wrong, {"get": (1, 200, b"GET / HTTP/1.1\r\n\r\n")})

    def test_a_304_has_no_content_whatever_its_length(self):
        unchanged = b"HTTP/1.1 304 Not Modified\r\nContent-Length: 1500\r\n\r\n"
        _, _, result = self.run_against(lambda _: unchanged, {"get": (1, 304, b"GET / HTTP/1.1\r\n\r\n")})
        self.assertGreater(result["get"]["requests"], 1)


def state(cpu):
    return {"chapters": {"reads": [
        {"layout": {"cpu_us": cpu}, "nginx, 1 worker": {"cpu_us": 10.0}, "nginx, 2 workers": {"cpu_us": 20.0}}] * 5}}


class Verdicts(unittest.TestCase):
    line = report.LINES[0]

    def test_a_target_is_held_against_the_better_peer(self):
        self.assertEqual(self.line.row(state(9.4))[-1], "reached")
        self.assertEqual(self.line.row(state(9.6))[-1], "**missed**")

    def test_what_was_not_measured_is_said(self):
        self.assertEqual(self.line.row({"chapters": {}})[3:], ("not measured", "–"))

    def test_at_least_is_the_other_way_round(self):
        line = report.Line("", "", "x", lambda f: f.of("a", "rate"), at_least=0.6)
        for rate, verdict in ((0.61, "reached"), (0.59, "**missed**")):
            self.assertEqual(line.row({"chapters": {"x": [{"a": {"rate": rate}}]}})[-1], verdict)

    def test_growth_is_held_against_the_logarithm(self):
        def rounds(most):
            return report.Figures([{"get, 10000": {"cpu_us": 10.0}, "get, 1000000": {"cpu_us": most}}])
        self.assertLess(report.against_log("get")(rounds(14.0))[0], 1)
        self.assertGreater(report.against_log("get")(rounds(16.0))[0], 1)


class Plots(unittest.TestCase):
    def test_a_plot_is_well_formed_and_has_every_point(self):
        curves = {"a & b": [(1, 2.0), (10, 4.0), (1000, 3.0)], "c": [(1, 1.0), (1000, 9.5)]}
        with tempfile.NamedTemporaryFile("r", suffix=".svg") as file:
            plot.write(file.name, "cost & users", curves)
            root = xml.etree.ElementTree.parse(file.name).getroot()
        self.assertEqual(len(root.findall("{http://www.w3.org/2000/svg}circle")), 5)
        self.assertEqual(root.find("{http://www.w3.org/2000/svg}title").text, "cost & users")


if __name__ == "__main__":
    unittest.main()
