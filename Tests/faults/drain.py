#!/usr/bin/env python3
"""SIGTERM under load: 16 writers, idle connections, a half-sent content, event streams. No accepted request is cut, no
acknowledged write is lost, the exit code is 0 within the drain time, and a client that retries sees no error.

    drain.py                      3 rounds: the short form, part of `make test`
    drain.py --full               30 rounds

A writer keeps its connection until an answer says `Connection: close` or a connection is refused, then goes on with the
next server, started on the same database in the meantime: the retry that every HTTP client has to have. Each write has a
key of its own, so that a repeated one counts once.

A request that was sent and not answered counts as cut, unless nothing was sent on its connection for the grace that a drain
gives to idle ones: what crosses the end of such a one cannot be helped in HTTP/1.1, and a busy machine may keep a writer
from writing for as long.
"""
import argparse
import concurrent.futures
import os
import random
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import faults  # noqa: E402
import pegboard  # noqa: E402

WRITERS, IDLE, STREAMS = 16, 50, 20
# Documentation/http-support.md, "Drain".
GRACE = 0.75
LONGEST = 30


class Writer(threading.Thread):
    """Writes until told to stop, through one server and the next."""

    def __init__(self, number, place):
        super().__init__(daemon=True)
        self.user, self.place, self.rng = "drain-%d" % number, place, random.Random(number)
        self.acks, self.cut, self.late, self.retried, self.findings = {}, 0, 0, 0, []
        self.stopping = threading.Event()

    def run(self):
        number, client, quiet_since = 0, None, 0
        while not self.stopping.is_set():
            number += 1
            items, key = faults.favorites(self.rng), "key-%d" % number
            for attempt in range(400):
                began = time.monotonic()
                try:
                    if client is None:
                        client, quiet_since = self.place.client(), began
                except OSError:
                    self.retried += 1
                    time.sleep(0.02)
                    continue
                try:
                    answer = faults.put(client, self.user, items, "*", key)
                except OSError:
                    is_late = client.sent_at - quiet_since >= GRACE
                    self.late, self.cut = self.late + is_late, self.cut + (not is_late)
                    self.retried, client = self.retried + 1, None
                    time.sleep(0.02)
                    continue
                # At the latest: the answer may have lain here for a while.
                quiet_since = began
                if "close" in answer.headers.get("connection", ""):
                    client = None
                if answer.status == 200:
                    layout = answer.json()["layout"]
                    self.acks[layout["version"]] = (",".join(items), key)
                    break
                if answer.status != 503:
                    self.findings.append("%s: %r" % (self.user, answer))
                    return
                self.retried += 1
                time.sleep(0.02)
            else:
                self.findings.append("%s: no answer after %d attempts" % (self.user, attempt + 1))
                return


class Place:
    """Where the server is at present."""

    def __init__(self):
        self.server = None

    def client(self):
        if self.server is None:
            raise ConnectionError("there is no server now")
        return self.server.client()


def begin_content(server):
    """A request whose content is half sent; the interim answer shows that its head was accepted."""
    client = server.client()
    body = b'{"operations":[{"op":"add","id":"metro"}]}'
    client.socket.sendall(b"POST /v1/users/half-sent/layout/operations HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                          b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
    client.socket.recv(100)
    client.socket.sendall(body[:20])
    return client, body[20:]


def one_round(rng, *bugs):
    """A server under load, the signal, and the next server."""
    findings, figures = [], {}
    with faults.memory_folder("drain") as folder:
        path, place = os.path.join(folder, "pegboard.db"), Place()

        def serve(*planted):
            return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--drain-timeout", "%ds" % LONGEST,
                                   "--drain-delay", "300ms", "--history", "100000", database=path,
                                   environment=faults.seeded(*planted))

        writers = [Writer(number, place) for number in range(WRITERS)]
        with serve(*bugs) as server:
            streams = [faults.Events(server, writer.user) for writer in (writers + writers)[:STREAMS]] \
                if has_events(server) else []
            idle = [server.client() for _ in range(IDLE)]
            for client in idle:
                client.request("GET", "/livez")
            half, rest = begin_content(server)
            place.server = server
            for writer in writers:
                writer.start()
            time.sleep(rng.uniform(0.2, 0.5))
            began = time.monotonic()
            server.process.terminate()
            time.sleep(rng.uniform(0.05, 0.5))
            findings += finish_content(half, rest)
            code = server.process.wait(pegboard.PATIENCE)
            figures["seconds"] = time.monotonic() - began
            place.server = None
            if code != 0:
                findings.append("it ended with %d: %s" % (code, server.said(3)))
            if figures["seconds"] >= LONGEST:
                findings.append("it took %.1f s: its time-out ended it" % figures["seconds"])
            findings += last_words(streams)
            for client in idle:
                try:
                    if client.socket.recv(1) != b"":
                        findings.append("an idle connection was told something")
                except OSError as error:
                    findings.append("an idle connection ended with %r" % error)
            findings += [] if os.path.getsize(path) and not os.path.exists(path + "-wal") else ["the log is left"]
        figures["cut"], figures["late"] = sum(writer.cut for writer in writers), sum(writer.late for writer in writers)
        figures["before"] = sum(len(writer.acks) for writer in writers)
        with serve() as server:
            place.server = server
            time.sleep(0.3)
            for writer in writers:
                writer.stopping.set()
            for writer in writers:
                writer.join(pegboard.PATIENCE)
            server.terminate()
        figures["after"] = sum(len(writer.acks) for writer in writers) - figures["before"]
        figures["retried"] = sum(writer.retried for writer in writers)
        if figures["cut"]:
            findings.append("%d requests were sent and never answered" % figures["cut"])
        for writer in writers:
            findings += writer.findings
            if writer.is_alive():
                findings.append("%s hangs" % writer.user)
        findings += lost(path, writers)
    print("   ended after %.2f s; %d acknowledged before, %d by the next server, %d retries, %d requests cut, %d too late"
          % (figures["seconds"], figures["before"], figures["after"], figures["retried"], figures["cut"], figures["late"]))
    return findings


def finish_content(client, rest):
    try:
        client.socket.sendall(rest)
        answer = client.read("POST")
        return [] if answer.status in (200, 201) else ["the half-sent content was answered %r" % answer]
    except OSError as error:
        return ["the half-sent content: %r" % error]


def last_words(streams):
    """Each stream ends in order: the last chunk is there."""
    findings = []
    for stream in streams:
        try:
            versions = [version for version, _ in stream.layouts()]
            if versions != list(range(versions[0], versions[0] + len(versions))) or "retry:" not in stream.last:
                findings.append("a stream of %s ended with %r" % (versions[-5:], stream.last))
        except (OSError, ValueError) as error:
            findings.append("a stream ended with %r" % error)
        stream.close()
    return findings[:3]


def lost(path, writers):
    rows = faults.Rows(path)
    findings = list(rows.findings)
    for writer in writers if not findings else ():
        history = rows.revisions.get(writer.user, {})
        for version, (items, _) in writer.acks.items():
            if history.get(version, (None,))[0] != items:
                findings.append("lost: version %d of %s" % (version, writer.user))
        # Every write had another list: one that was applied twice would stand in the history twice.
        if len({items for items, _ in history.values()}) != len(history):
            findings.append("twice: a write of %s" % writer.user)
    return findings


def early_signal(count):
    """SIGTERM in the moment in which a server says that it listens: heard, or it would run for ever."""
    def life(_):
        inherited = pegboard.inherited_environment()
        process = subprocess.Popen(
            [pegboard.binary(), "serve", "--listen", "127.0.0.1:0", "--auth", "none", "--database", "sqlite::memory:",
             "--drain-delay", "0s"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=inherited)
        with process.stderr:
            for line in process.stderr:
                if b"listening" in line:
                    break
            process.terminate()
            try:
                return process.wait(pegboard.PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                return "%d, not by itself" % process.wait()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return ["one of %d ended with %s" % (count, code) for code in pool.map(life, range(count)) if code != 0]


_events = []


def has_events(server):
    """Asked once."""
    if not _events:
        _events.append(faults.has_events(server))
    return _events[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="30 rounds")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    faults.require_seeds()
    rng, report = faults.generator(options.seed), faults.Report()
    for number in range(options.rounds or (30 if options.full else 3)):
        report.clean("round %d" % (number + 1), one_round(rng))
    count = 600 if options.full else 100
    report.clean("SIGTERM to %d servers as soon as they listen" % count, early_signal(count))
    report.twin("no-drain", one_round(rng, "no-drain"))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
