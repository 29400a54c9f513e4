"""Clients that use a few layouts as registers: they read and write them at the same time, with If-Match, and keep what they
saw. `judged` says whether one register, touched by one at a time, can have shown them that (linearizability.py)."""
import collections
import random
import threading
import time

import faults
import linearizability
from linearizability import Operation


class Clients:
    def __init__(self, connect, count, users, operations):
        """`connect` gives a connection; where it raises OSError, it is asked again."""
        self.connect, self.users, self.left = connect, users, operations
        self.history = {user: [] for user in users}
        # What was no answer to the question: how often which status and code.
        self.refusals = collections.Counter()
        self.findings, self.lock = [], threading.Lock()
        self.threads = [threading.Thread(target=self._client, args=(number,), daemon=True) for number in range(count)]

    def start(self):
        for thread in self.threads:
            thread.start()
        return self

    def stop(self):
        """Nothing new is begun; returns once what was under way is over."""
        with self.lock:
            self.left = 0
        self.join()

    def join(self):
        for thread in self.threads:
            thread.join()

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
                    client = self.connect()
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
        if answer.status in (502, 503, 504):
            name = faults.named(answer)
            self.refusals[name] += 1
            # 502 and 504 come from a proxy, which doesn't know either. Every other 503 means that nothing was done.
            return None if answer.status == 503 and name != "503 unknown_outcome" else ("doubt", None, None, None)
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


def judged(clients):
    """What is wrong with what they saw, and what there was to judge, in words."""
    findings, searched, undecided, kinds = list(clients.findings), 0, 0, collections.Counter()
    began = time.monotonic()
    for user, history in clients.history.items():
        findings += ["%s: %s" % (user, finding) for finding in linearizability.by_versions(history)]
        sample = beginning(history)
        if sample:
            verdict = linearizability.by_search(sample)
            searched, undecided = searched + len(sample), undecided + (verdict is None)
            if verdict is False:
                findings.append("%s: no order explains its first %d operations" % (user, len(sample)))
        kinds.update((o.what, o.outcome) for o in history)
    if not kinds["put", "ok"]:
        findings.append("nothing was acknowledged: this run has tested nothing")
    return findings, ("%s; checked in %.2f s, %d of %d by search (%d undecided)"
                      % (", ".join("%d %s %s" % (n, *kind) for kind, n in sorted(kinds.items())),
                         time.monotonic() - began, searched, sum(kinds.values()), undecided))
