#!/usr/bin/env python3
"""Many open event streams: what each costs, that every one of them gets its events, in order and once, that one who does
not read stops nobody, and that a server that is told to stop lets go of them all.

    streams.py            1,000 streams on 100 users
    streams.py --full     10,000 streams on 1,000 users; and one who stops reading until it is dropped, then resumes
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
    def __init__(self, port, user, receive_buffer=None, last=None):
        self.user = user
        self.text = b""
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(pegboard.PATIENCE)
        self.socket.connect(("127.0.0.1", port))
        resume = b"" if last is None else b"Last-Event-ID: %d\r\n" % last
        self.socket.sendall(b"GET /v1/users/%s/layout/events HTTP/1.1\r\nHost: x\r\n%s\r\n" % (user.encode(), resume))
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


def dropped_and_resumed():
    """A reader that stops reading is cut off after the write time-out (30 s), and goes on where it was; what is wrong."""
    changes, findings = 3000, []
    flags = ["--catalog", pegboard.DEMO_CATALOG, "--log-level", "warning", "--history", str(changes + 10)]
    with pegboard.Server("serve", *flags) as server, server.client() as client:
        slow = Stream(server.port, "slow", receive_buffer=4096)
        for number in range(changes):
            place = {"edge": "first" if number % 2 == 0 else "last"}
            client.request("POST", "/v1/users/slow/layout/operations",
                           body={"operations": [{"op": "move", "id": "transfer", "at": place}]})
        # The server has given up on it once it could send nothing for so long.
        time.sleep(35)
        slow.socket.settimeout(pegboard.PATIENCE)
        try:
            while True:
                got = slow.socket.recv(65536)
                if not got:
                    break
                slow.text += got
        except ConnectionResetError:
            pass
        except TimeoutError:
            findings.append("a reader that did not read for 35 s was not dropped")
        # What stands behind the last empty line is a part of an event.
        whole = slow.text[:slow.text.rfind(b"\n\n") + 2]
        seen = [int(number) for number in re.findall(rb"\nid: (\d+)\n", whole)]
        if seen[-1] >= changes:
            findings.append("it was sent everything: the test shows nothing")
        again = Stream(server.port, "slow", last=seen[-1])
        while again.ids()[-1:] != [changes]:
            again.text += again.socket.recv(65536)
        if seen + again.ids() != list(range(changes + 1)):
            findings.append("versions are missing or doubled over the cut at %d" % seen[-1])
        if b"event: resync" in again.text:
            findings.append("it was told to begin anew, though the history reaches back")
        print("a reader that stopped was dropped at version %d of %d, and resumed without a gap" % (seen[-1], changes))
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--full", action="store_true")
    full = parser.parse_args().full
    count = 10_000 if full else 1_000
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
        if server.process.wait(pegboard.PATIENCE) != 0:
            findings.append("the server ended with %d\n%s" % (server.process.returncode, server.said()))
        mute.socket.close()
        print("%d streams on %d users: opened in %.1f s, %.1f KB of the server's memory each; %d events in %.1f s"
              % (count, users, opened, each / 1024, 3 * count, told))
    if full:
        findings += dropped_and_resumed()
    for finding in findings:
        print("FINDING", finding)
    print("%d passed, %d failed" % (4 - min(4, len(findings)), len(findings)))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
