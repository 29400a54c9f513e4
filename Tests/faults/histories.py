#!/usr/bin/env python3
"""Concurrent clients write and read a few layouts with If-Match while the server is killed now and then; what they saw is
checked for linearizability, user by user (linearizability.py).

    histories.py                  3,000 operations, 3 kills: the short form, part of `make test`
    histories.py --full           50,000 operations, 40 kills
    histories.py --self-test      the two checkers against each other on mutilated histories, and on made-up ones
"""
import argparse
import random
import sys
import threading
import time
import os

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import faults  # noqa: E402
import linearizability  # noqa: E402
import pegboard  # noqa: E402
from linearizability import Operation  # noqa: E402


class Clients:
    """Some clients, and the history of what they did."""

    def __init__(self, path, count, users, operations, kills, *bugs):
        self.path, self.users, self.left, self.bugs = path, users, operations, bugs
        self.history = {user: [] for user in users}
        self.findings, self.lock, self.up = [], threading.Lock(), threading.Event()
        self.server = self._start()
        threads = [threading.Thread(target=self._client, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for number in range(kills):
            goal = operations - operations * (number + 1) // (kills + 1)
            while self.left > goal:
                time.sleep(0.002)
            self.up.clear()
            self.server.kill()
            self.server = self._start()
        for thread in threads:
            thread.join()
        self.server.terminate()

    def _start(self):
        server = pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--history", "100000", "--drain-delay",
                                 "0s", database=self.path, environment=faults.seeded(*self.bugs)).start()
        self.up.set()
        return server

    def _take(self):
        with self.lock:
            self.left -= 1
            return self.left >= 0

    def _client(self, number):
        rng, client, known = random.Random(number), None, {}
        while self._take():
            user = rng.choice(self.users)
            try:
                if client is None:
                    self.up.wait()
                    client = self.server.client(timeout=20)
            except OSError:
                time.sleep(0.01)
                continue
            what, base, tag, wrote = "get", None, "*", None
            if rng.random() < 0.5:
                what, wrote = "put", ",".join(faults.favorites(rng))
                if user in known and rng.random() < 0.9:
                    base, tag = known[user]
            begun = time.monotonic_ns()
            try:
                seen = self._operate(client, user, what, tag, wrote)
            except OSError:
                client, seen = None, ("doubt", None, None, None)
            if seen is None:
                continue
            outcome, version, value, tag = seen
            if outcome != "doubt":
                known[user] = version, tag
            elif what == "get":
                continue
            operation = Operation(number, what, begun, time.monotonic_ns(), base, wrote, outcome, version, value)
            with self.lock:
                self.history[user].append(operation)

    def _operate(self, client, user, what, tag, wrote):
        """How it ended, and the version, the value and the tag that the answer shows."""
        if what == "get":
            answer, member = client.request("GET", faults.layout_path(user)), None
        else:
            answer = faults.put(client, user, wrote.split(","), tag)
            member = {200: "layout", 412: "current"}.get(answer.status)
        if answer.status in (200, 412):
            layout = answer.json()[member] if member else answer.json()
            value = ",".join(layout["favorites"]) if layout["version"] else None
            return "ok" if answer.status == 200 else "no", layout["version"], value, answer.headers["etag"]
        if answer.status == 503:
            return None  # refused before anything was done
        self.findings.append("%s: %r" % (user, answer))
        return None


def beginning(history, most=250):
    """The first operations, up to a moment when nothing was under way: what comes later can explain nothing of them."""
    history, cut, newest = sorted(history, key=lambda o: o.begun), 0, 0
    for place, operation in enumerate(history[:most]):
        if operation.begun > newest:
            cut = place
        newest = max(newest, linearizability.NEVER if operation.outcome == "doubt" else operation.ended)
    return history[:cut]


def run(path, operations, kills, users=6, *bugs):
    began = time.monotonic()
    clients = Clients(path, 12, ["lin-%d" % n for n in range(users)], operations, kills, *bugs)
    lasted = time.monotonic() - began
    findings, searched, undecided = list(clients.findings), 0, 0
    count = sum(map(len, clients.history.values()))
    began = time.monotonic()
    for user, history in clients.history.items():
        findings += ["%s: %s" % (user, finding) for finding in linearizability.by_versions(history)]
        sample = beginning(history)
        if sample:
            verdict = linearizability.by_search(sample)
            searched, undecided = searched + len(sample), undecided + (verdict is None)
            if verdict is False:
                findings.append("%s: no order explains its first %d operations" % (user, len(sample)))
    kinds = {}
    for history in clients.history.values():
        for o in history:
            kinds[o.what, o.outcome] = kinds.get((o.what, o.outcome), 0) + 1
    print("   %d operations of %d users by 12 clients in %.1f s, %d kills: %s; checked in %.2f s, %d of them by search"
          " (%d undecided)"
          % (count, users, lasted, kills, ", ".join("%d %s %s" % (n, *kind) for kind, n in sorted(kinds.items())),
             time.monotonic() - began, searched, undecided))
    if not kinds.get(("put", "ok")):
        findings.append("nothing was acknowledged: this run has tested nothing")
    return findings, clients.history


def mutilated(history, rng):
    """A history with one thing changed, or with nothing changed."""
    history = sorted(history, key=lambda o: o.begun)
    place = rng.randrange(len(history))
    o = history[place]
    how = rng.choice(["not", "version", "value", "drop", "shift", "double", "base"])
    if how == "version" and o.version is not None:
        history[place] = o._replace(version=max(0, o.version + rng.choice((-1, 1))))
    elif how == "value":
        history[place] = o._replace(value=rng.choice(history).value)
    elif how == "drop":
        del history[place]
    elif how == "shift":
        by = rng.randrange(-3 * 10**7, 3 * 10**7)
        history[place] = o._replace(begun=o.begun + by, ended=o.ended + by)
    elif how == "double" and o.what == "put" and o.outcome == "ok":
        history.append(o._replace(begun=o.begun + 10**8, ended=o.ended + 10**8, wrote="another"))
    elif how == "base" and o.base is not None:
        history[place] = o._replace(base=o.base + 1)
    return history


def cross(report, histories, rng, count):
    """The two checkers on many mutilated histories: they have to agree."""
    agree = {True: 0, False: 0}
    differ = undecided = 0
    samples = [sample for sample in (beginning(history, 60) for history in histories.values()) if len(sample) > 10]
    for _ in range(count):
        history = mutilated(rng.choice(samples), rng)
        quick, slow = not linearizability.by_versions(history), linearizability.by_search(history)
        if slow is None:
            undecided += 1
        elif quick == slow:
            agree[quick] += 1
        else:
            differ += 1
    report.check(not differ and agree[True] and agree[False],
                 "two checkers on %d mutilated histories: both find nothing in %d, both something in %d, %d undecided"
                 % (count, agree[True], agree[False], undecided), "%d times they differ" % differ)


def self_test(report):
    def op(what, begun, ended, base=None, wrote=None, outcome="ok", version=0, value=None):
        return Operation(0, what, begun, ended, base, wrote, outcome, version, value)

    a = op("put", 1, 2, 0, "a", "ok", 1, "a")
    table = [
        ("nothing", [], True),
        ("a write and a read", [a, op("get", 3, 4, version=1, value="a")], True),
        ("a read that runs beside the write sees it or not", [a._replace(ended=9), op("get", 2, 3, version=0)], True),
        ("a stale read", [a, op("get", 3, 4, version=0)], False),
        ("a read of what nobody wrote", [a, op("get", 3, 4, version=1, value="b")], False),
        ("two winners", [a, op("put", 1, 3, 0, "b", "ok", 1, "b")], False),
        ("a write on an old version", [a, op("put", 3, 4, 0, "b", "ok", 2, "b")], False),
        ("a refusal that was right", [a, op("put", 3, 4, 0, "b", "no", 1, "a")], True),
        ("a refusal without a reason", [a, op("put", 3, 4, 1, "b", "no", 1, "a")], False),
        ("a lost write", [a, op("put", 3, 4, None, "b", "ok", 1, "b")], False),
        ("in doubt, done", [a._replace(outcome="doubt"), op("get", 3, 4, version=1, value="a")], True),
        ("in doubt, not done", [a._replace(outcome="doubt"), op("get", 3, 4, version=0)], True),
        ("in doubt, done and then not",
         [a._replace(outcome="doubt"), op("get", 3, 4, version=1, value="a"), op("get", 5, 6, version=0)], False),
    ]
    for name, history, good in table:
        found = linearizability.by_versions(history)
        report.check((not found, linearizability.by_search(history)) == (good, good), "self: %s" % name,
                     "%s, by search %s" % (found, linearizability.by_search(history)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="50,000 operations, 40 kills")
    parser.add_argument("--operations", type=int)
    parser.add_argument("--kills", type=int)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    report = faults.Report()
    self_test(report)
    if options.self_test:
        return report.end()
    faults.require_seeds()
    rng = faults.generator(options.seed)
    operations = options.operations or (50000 if options.full else 3000)
    kills = options.kills or (40 if options.full else 3)
    with faults.memory_folder("histories") as folder:
        findings, histories = run(os.path.join(folder, "pegboard.db"), operations, kills)
        report.clean("linearizable, with %d kills" % kills, findings)
        findings, quiet = run(os.path.join(folder, "quiet.db"), operations // 3, 0)
        report.clean("linearizable, without a kill", findings)
        cross(report, quiet, rng, 3000 if options.full else 300)
        findings, _ = run(os.path.join(folder, "deaf.db"), 600, 0, 6, "ignore-if-match")
        report.twin("ignore-if-match", findings)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
