"""What goes on while something happens to the database, and what may be found wrong with it afterwards.

Three kinds of clients at once: some write with an Idempotency-Key what would be another list if it were done twice, and
repeat it until it is answered (idempotency.py); some do so without a key, and find out what was done by the tag that they
write on; others read and write the same few layouts with If-Match and without keys (registers.py). Nothing that was
acknowledged may be lost, nothing done twice, and what they saw must be one history.
"""
import collections
import os
import random
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "support"), os.path.join(HERE, "..")]
import faults  # noqa: E402
import idempotency  # noqa: E402
import pegboard  # noqa: E402
import registers  # noqa: E402

DATABASE = "pegboard"


def server(url, *flags, bugs=(), **options):
    return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--history", "100000", "--drain-delay", "0s", *flags,
                           database=url, environment=faults.seeded(*bugs), **options)


class Keyless(threading.Thread):
    """Has a layout for itself, and writes on the tag that it was told last. Where an outcome is unknown, the next write finds
    out: it succeeds where nothing was done, and is refused with what was done otherwise. Nothing else may refuse it."""

    def __init__(self, number, place):
        super().__init__(daemon=True)
        self.user, self.place, self.rng = "alone-%d" % number, place, random.Random(number)
        self.tag, self.version, self.items = None, 0, idempotency.Client(number, place).items
        # The lists that writes on this version would have made, of which nobody knows whether they did.
        self.doubt, self.doubts, self.done = [], 0, 0
        self.findings, self.stopping = [], threading.Event()

    def run(self):
        connection = None
        while not self.stopping.is_set() and not self.findings:
            moves, after = idempotency.next_moves(self.rng, self.items)
            try:
                connection = connection or self.place.server.client(timeout=30)
                if self.tag is None:
                    self.tag = connection.request("GET", faults.layout_path(self.user)).headers.get("etag")
                    continue
                answer = connection.request("POST", faults.layout_path(self.user) + "/operations",
                                            {"If-Match": self.tag}, idempotency.body(moves))
            except OSError:
                connection, answer = None, None
            self._hear(answer, after)

    def _hear(self, answer, after):
        if answer is not None and answer.status in (200, 412):
            layout = answer.json()["layout" if answer.status == 200 else "current"]
            made = [after] if answer.status == 200 else self.doubt
            if layout["version"] != self.version + 1 or layout["favorites"][2:] not in made:
                self.findings.append("%s, on version %d with %d writes in doubt, was answered %r"
                                     % (self.user, self.version, len(self.doubt), answer))
            self.done += answer.status == 412
            self.tag, self.version, self.items = answer.headers["etag"], layout["version"], layout["favorites"][2:]
            self.doubt = []
        elif answer is None or answer.status in (502, 504) or faults.named(answer) == "503 unknown_outcome":
            self.doubt.append(after)
            self.doubts += 1
            time.sleep(0.01)
        elif answer.status == 503:
            time.sleep(0.01)
        else:
            self.findings.append("%s was answered %r" % (self.user, answer))


class Traffic:
    """`front` is what the clients connect to: a server, or whatever has its `client`."""

    def __init__(self, front, writers=16, watchers=8, users=4):
        self.server = front
        self.repeaters = [idempotency.Client(number, self) for number in range(writers)]
        self.watchers = registers.Clients(lambda: self.server.client(timeout=30), watchers,
                                          ["lin-%d" % n for n in range(users)], sys.maxsize)
        self.keyless = [Keyless(number, self) for number in range(writers // 2)]
        self.began = self.ended = None

    def __enter__(self):
        self.began = time.monotonic()
        self.watchers.start()
        for client in self.repeaters + self.keyless:
            client.start()
        return self

    def __exit__(self, *failure):
        for client in self.repeaters + self.keyless:
            client.stopping.set()
        if failure[0] is not None:
            # Nobody judges what they saw, and they may never be answered.
            return
        self.watchers.stop()
        for client in self.repeaters + self.keyless:
            client.join(120)
            if client.is_alive():
                client.findings.append("%s: its last write was never answered" % client.user)
        self.ended = time.monotonic()

    def acknowledged(self):
        return sum(client.acks for client in self.repeaters)

    def go_on(self, count, within=120):
        """Returns when so many more writes were acknowledged."""
        goal, deadline = self.acknowledged() + count, time.monotonic() + within
        while self.acknowledged() < goal and not self.findings():
            if time.monotonic() > deadline:
                raise TimeoutError("not %d more writes within %d s: %s" % (count, within, dict(self.refusals())))
            time.sleep(0.01)

    def findings(self):
        return [f for client in self.repeaters + self.keyless for f in client.findings] + self.watchers.findings

    def refusals(self):
        return sum((client.refusals for client in self.repeaters), self.watchers.refusals + collections.Counter())

    def gap(self):
        """The longest time in which nothing was acknowledged to anybody, in seconds."""
        moments = sorted([self.began, self.ended or time.monotonic()] + [m for client in self.repeaters for m in client.moments])
        return max(after - before for before, after in zip(moments, moments[1:]))

    def judged(self, rows=None, bugs=()):
        """What is wrong with what the clients saw and the database has; prints what there was to judge."""
        findings = [finding for client in self.repeaters + self.keyless for finding in client.findings]
        with self.server.client(timeout=30) as reader:
            findings += idempotency.misread(self.repeaters, reader)
        found, words = registers.judged(self.watchers)
        findings += found
        if rows is not None:
            findings += idempotency.miscounted(self.repeaters, rows, bugs)
        print("   %s; longest gap %.2f s; refused: %s" % (
            idempotency.told(self.repeaters), self.gap(),
            ", ".join("%d %s" % (n, what) for what, n in sorted(self.refusals().items())) or "none"))
        print("   without keys: %d written on their own tags, %d in doubt of which %d were seen to be done; %s"
              % (sum(client.version for client in self.keyless), sum(client.doubts for client in self.keyless),
                 sum(client.done for client in self.keyless), words), flush=True)
        return findings
