#!/usr/bin/env python3
"""Many open event streams: what each costs, that every one of them gets its events, in order and once, that one who does
not read stops nobody, and that a server that is told to stop lets go of them all.

    streams.py            1,000 streams on 100 users
    streams.py --full     10,000 streams on 1,000 users
"""
import argparse
import os
import re
import resource
import selectors
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402


def rss(pid):
    """Resident anonymous memory in octets: what the process itself holds."""
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        return int(re.search(r"RssAnon:\s+(\d+) kB", file.read()).group(1)) * 1024


class Stream:
    def __init__(self, port, user):
        self.user = user
        self.text = b""
        self.socket = socket.create_connection(("127.0.0.1", port), 10)
        self.socket.sendall(b"GET /v1/users/%s/layout/events HTTP/1.1\r\nHost: x\r\n\r\n" % user.encode())
        self.socket.setblocking(False)

    def ids(self):
        return [int(number) for number in re.findall(rb"\nid: (\d+)\n", self.text)]


def read_until(selector, streams, done, seconds):
    """Reads from all streams until `done` holds of each, or the time is up; returns those of which it does not."""
    deadline = time.monotonic() + seconds
    waiting = {stream for stream in streams if not done(stream)}
    while waiting and time.monotonic() < deadline:
        for key, _ in selector.select(0.2):
            stream = key.data
            try:
                got = stream.socket.recv(65536)
            except BlockingIOError:
                continue
            if not got:
                selector.unregister(stream.socket)
                stream.closed = True
            stream.text += got
            if done(stream):
                waiting.discard(stream)
    return waiting


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--full", action="store_true")
    count = 10_000 if parser.parse_args().full else 1_000
    users = count // 10
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    findings = []

    flags = ["--catalog", pegboard.DEMO_CATALOG, "--max-connections", str(count + 100), "--log-level", "warning",
             "--drain-delay", "0s"]
    with pegboard.Server("serve", *flags) as server, server.client() as client:
        for number in range(users):
            client.request("PUT", "/v1/users/s%d/layout/favorites/metro" % number)
        before = rss(server.process.pid)
        selector = selectors.DefaultSelector()
        began = time.monotonic()
        streams = [Stream(server.port, "s%d" % (number % users)) for number in range(count)]
        for stream in streams:
            stream.closed = False
            selector.register(stream.socket, selectors.EVENT_READ, stream)
        # One who never reads, on the first user.
        mute = Stream(server.port, "s0")
        late = read_until(selector, streams, lambda s: s.ids() == [1], 60)
        if late:
            findings.append("%d streams did not begin with version 1" % len(late))
        opened = time.monotonic() - began
        each = (rss(server.process.pid) - before) / count

        began = time.monotonic()
        for turn in range(3):
            for number in range(users):
                place = {"edge": "first" if turn % 2 == 0 else "last"}
                answer = client.request("POST", "/v1/users/s%d/layout/operations" % number,
                                        body={"operations": [{"op": "move", "id": "metro", "at": place}]})
                if answer.status != 200:
                    findings.append("a move was answered %r" % answer)
        late = read_until(selector, streams, lambda s: s.ids()[-1:] == [4], 60)
        told = time.monotonic() - began
        wrong = [stream for stream in streams if stream.ids() != [1, 2, 3, 4]]
        if wrong:
            findings.append("%d streams did not get 1, 2, 3, 4 once and in order, such as %s"
                            % (len(wrong), wrong[0].ids()))

        server.process.terminate()
        read_until(selector, streams, lambda s: s.closed, 30)
        if not all(stream.closed and b"\nretry: " in stream.text[-60:] for stream in streams):
            findings.append("not every stream ended with a hint when to come back")
        if server.process.wait(30) != 0:
            findings.append("the server ended with %d\n%s" % (server.process.returncode, server.said()))
        mute.socket.close()
        print("%d streams on %d users: opened in %.1f s, %.1f KB of the server's memory each; %d events in %.1f s"
              % (count, users, opened, each / 1024, 3 * count, told))
    for finding in findings:
        print("FINDING", finding)
    print("%d passed, %d failed" % (4 - min(4, len(findings)), len(findings)))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
