#!/usr/bin/env python3
"""kill -9 while 64 writers move favorites about: what was acknowledged is there afterwards, once.

    kill9.py                      3 rounds of 3 s: the short form, part of `make test`
    kill9.py --full               10 rounds of 30 s: the form that a release is held to
    kill9.py --self-test          shows that the checker sees a lost, a doubled and a misplaced write

Each user belongs to one writer, so that every count is exact. Every write is a move that changes the list; each
acknowledgement is logged with its version and the list it promised. In the middle of a round the server is killed with
SIGKILL, started again on the same database, and each user is read back:

    version = acknowledged changes, or one more for a write that was under way when the server died
    list    = the client's own model after exactly those changes

Then the writers go on for the rest of the round, and everything is checked again. A killed process keeps the kernel's
page cache: this tests the order of commit and answer and the recovery of the files, not the loss of power.
"""
import argparse
import collections
import json
import os
import random
import sqlite3
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402

# What one acknowledgement promised, and when it came (monotonic clock).
Ack = collections.namedtuple("Ack", "version favorites time")


def check(acks, doubt, version, favorites, start):
    """What is wrong with one user, as a list of sentences. Pure: knows no server.

    acks       every acknowledged change since the user's first, in the order the client saw them
    doubt      the list that the one write without an answer would have made, or None
    version    what the server has now
    favorites  what the server has now
    start      the list of version 0
    """
    findings = []
    promised = [ack.version for ack in acks]
    if promised != list(range(1, len(acks) + 1)):
        odd = next(i for i, v in enumerate(promised) if v != i + 1)
        findings.append("acknowledgement %d said version %d" % (odd + 1, promised[odd]))
    most = len(acks) + (doubt is not None)
    if version < len(acks):
        findings.append("lost: version %d after %d acknowledged changes" % (version, len(acks)))
    elif version > most:
        findings.append("doubled: version %d after %d acknowledged changes and %d in doubt"
                        % (version, len(acks), most - len(acks)))
    else:
        wanted = doubt if version > len(acks) else acks[-1].favorites if acks else start
        if favorites != wanted:
            findings.append("version %d is %s instead of %s" % (version, favorites, wanted))
    return findings


class User:
    """One user as the client believes them to be."""

    def __init__(self, name, favorites):
        self.name, self.start, self.favorites = name, favorites, favorites
        self.acks, self.doubt = [], None

    def move(self, rng, pinned, fixed):
        """A move that changes the list: the operation, and the list after it. Pinned functions keep their slots."""
        slots = [i for i, item in enumerate(self.favorites) if item not in pinned]
        source = rng.choice([i for i in slots if self.favorites[i] not in fixed])
        target = rng.choice([i for i in slots if i != source])
        free = [self.favorites[i] for i in slots]
        free.insert(slots.index(target), free.pop(slots.index(source)))
        after = list(self.favorites)
        for slot, item in zip(slots, free):
            after[slot] = item
        return {"op": "move", "id": self.favorites[source], "at": {"index": target}}, after


class Load:
    """The writers, and what they know."""

    def __init__(self, options, catalog):
        self.pinned = {f["id"] for f in catalog["functions"] if "pin" in f}
        self.fixed = {f["id"] for f in catalog["functions"] if not f.get("movable", True)}
        self.rng = random.Random(options.seed)
        self.users, self.findings, self.writers = [], [], options.writers
        self.names = ["writer-%04d" % n for n in range(options.users)]
        self.killed = False

    def read_first(self, server):
        with server.client() as client:
            for name in self.names:
                layout = client.request("GET", "/v1/users/%s/layout" % name).json()
                if layout["version"] != 0:
                    self.findings.append("%s: version %d before the first write" % (name, layout["version"]))
                self.users.append(User(name, layout["favorites"]))

    def write(self, server, seconds, kill_after=None):
        """Writes for `seconds`, or until the server is killed after `kill_after`."""
        self.killed = False
        stop = threading.Event()
        threads = [
            threading.Thread(target=self._writer, args=(server, self.users[n::self.writers], stop, self.rng.random()))
            for n in range(self.writers)]
        for thread in threads:
            thread.start()
        if kill_after is not None:
            time.sleep(kill_after)
            self.killed = True  # before the signal: from here on an ended connection is what was asked for
            server.kill()
        else:
            time.sleep(seconds)
        stop.set()
        for thread in threads:
            thread.join()

    def _writer(self, server, users, stop, seed):
        rng = random.Random(seed)
        user = None
        try:
            with server.client() as client:
                while users and not stop.is_set():
                    user = rng.choice(users)
                    operation, after = user.move(rng, self.pinned, self.fixed)
                    user.doubt = after
                    answer = client.request("POST", "/v1/users/%s/layout/operations" % user.name,
                                            body={"operations": [operation]})
                    if answer.status not in (200, 201):
                        self.findings.append("%s: %s was answered %r" % (user.name, operation, answer))
                        user.doubt = None
                        return
                    layout = answer.json()["layout"]
                    user.acks.append(Ack(layout["version"], layout["favorites"], time.monotonic()))
                    user.favorites, user.doubt = after, None
                    if layout["favorites"] != after:
                        self.findings.append("%s: %s gave %s instead of %s"
                                             % (user.name, operation, layout["favorites"], after))
                        return
        except (OSError, ValueError, KeyError) as error:
            # Cut off by the kill, the write in `user.doubt` stays in doubt. Without a kill nothing may be cut off.
            if not self.killed:
                self.findings.append("%s: %s: %s" % (user.name if user else "-", type(error).__name__, error))

    def read_back(self, server):
        """Checks every user and settles what was in doubt. Returns how many doubts there were, and how many had been
        carried out."""
        doubts = done = 0
        with server.client() as client:
            for user in self.users:
                answer = client.request("GET", "/v1/users/%s/layout" % user.name)
                if answer.status != 200:
                    self.findings.append("%s: reading back gave %r" % (user.name, answer))
                    continue
                layout = answer.json()
                found = check(user.acks, user.doubt, layout["version"], layout["favorites"], user.start)
                self.findings += ["%s: %s" % (user.name, sentence) for sentence in found]
                if user.doubt is not None:
                    doubts += 1
                    if layout["version"] == len(user.acks) + 1:
                        done += 1
                        user.acks.append(Ack(layout["version"], layout["favorites"], time.monotonic()))
                    user.doubt = None
                user.favorites = layout["favorites"]
        if doubts > self.writers:
            self.findings.append("%d writes in doubt from %d writers: the client lost count" % (doubts, self.writers))
        return doubts, done

    def acknowledged(self):
        return sum(len(user.acks) for user in self.users)


def run(options):
    with open(options.catalog, encoding="utf-8") as file:
        catalog = json.load(file)
    load = Load(options, catalog)
    with tempfile.TemporaryDirectory(prefix="pegboard-kill9-") as directory:
        database = os.path.join(directory, "pegboard.db")

        def server():
            return pegboard.Server("serve", "--catalog", options.catalog, database=database)

        first = server().start()
        try:
            load.read_first(first)
        finally:
            first.terminate()
        kills = 0
        for number in range(1, options.rounds + 1):
            before, began = load.acknowledged(), time.monotonic()
            moment = options.seconds * load.rng.uniform(0.35, 0.65)
            with server() as running:
                load.write(running, options.seconds, kill_after=moment)
            kills += 1
            cut = load.acknowledged()
            restart = time.monotonic()
            with server() as running:
                ready = time.monotonic() - restart
                doubts, done = load.read_back(running)
                if not load.findings:
                    load.write(running, options.seconds - moment)
                    load.read_back(running)
                code = running.terminate()
                if code != 0:
                    load.findings.append("SIGTERM ended the server with %d\n%s" % (code, running.said()))
            print("round %d: killed after %.2f s and %d acknowledged moves, ready again in %.0f ms, %d in doubt of which"
                  " %d were done; %d more afterwards (%.0f s)"
                  % (number, moment, cut - before, ready * 1000, doubts, done, load.acknowledged() - cut - done,
                     time.monotonic() - began), flush=True)
            if load.findings:
                break
        with sqlite3.connect(database) as opened:
            sound = opened.execute("PRAGMA integrity_check").fetchone()[0]
        opened.close()
        if sound != "ok":
            load.findings.append("integrity_check: %s" % sound)
    if options.log:
        with open(options.log, "w", encoding="utf-8") as file:
            for user in load.users:
                for ack in user.acks:
                    file.write(json.dumps({"user": user.name, **ack._asdict()}) + "\n")
    written = sum(bool(user.acks) for user in load.users)
    if not load.acknowledged():
        load.findings.append("nothing was acknowledged: this run has tested nothing")
    for finding in load.findings[:20]:
        print("FAIL %s" % finding)
    print("%d acknowledged moves of %d users by %d writers, %d kills, %d findings"
          % (load.acknowledged(), written, options.writers, kills, len(load.findings)))
    print("%d passed, %d failed" % (0 if load.findings else options.rounds, 1 if load.findings else 0))
    return 1 if load.findings else 0


def self_test():
    """The checker against made-up servers: it has to find each fault, and nothing where there is none."""
    a, b, c, d = list("wxyz"), list("xwyz"), list("xywz"), list("xyzw")

    def acks(*lists, versions=None):
        return [Ack(v, f, float(v)) for v, f in zip(versions or range(1, len(lists) + 1), lists)]

    three = acks(b, c, d)
    table = [
        ("nothing written", ([], None, 0, a, a), None),
        ("all there", (three, None, 3, d, a), None),
        ("in doubt, not done", (acks(b, c), d, 2, c, a), None),
        ("in doubt, done", (acks(b, c), d, 3, d, a), None),
        ("the first write in doubt, done", ([], b, 1, b, a), None),
        ("one acknowledged write lost", (three, None, 2, c, a), "lost"),
        ("all lost", (three, None, 0, a, a), "lost"),
        ("lost, with another in doubt", (acks(b, c), d, 1, b, a), "lost"),
        ("one write doubled", (three, None, 4, d, a), "doubled"),
        ("the write in doubt doubled", (acks(b, c), d, 4, d, a), "doubled"),
        ("written by nobody", ([], None, 1, a, a), "doubled"),
        ("version kept, list lost", (three, None, 3, c, a), "instead of"),
        ("the write in doubt counted but not applied", (acks(b, c), d, 3, c, a), "instead of"),
        ("the write in doubt applied but not counted", (acks(b, c), d, 2, d, a), "instead of"),
        ("an id doubled", (three, None, 3, list("xyzz"), a), "instead of"),
        ("one version acknowledged twice", (acks(b, c, d, versions=[1, 2, 2]), None, 3, d, a), "acknowledgement"),
    ]
    failed = 0
    for name, arguments, wanted in table:
        found = check(*arguments)
        good = not found if wanted is None else any(wanted in sentence for sentence in found)
        failed += not good
        print("%s %s: %s" % ("ok  " if good else "FAIL", name, "; ".join(found) or "no finding"))
    rng = random.Random(1)
    for pins in ((), ("w",), ("y",), ("w", "y")):
        user = User("u", a)
        for _ in range(200):
            operation, after = user.move(rng, set(pins), set())
            # The slow way: the item stands at the slot asked for, pins stand where they were, the others keep their order.
            others = [i for i in user.favorites if i != operation["id"] and i not in pins]
            good = (after != user.favorites and after[operation["at"]["index"]] == operation["id"]
                    and all(after.index(p) == user.favorites.index(p) for p in pins)
                    and [i for i in after if i != operation["id"] and i not in pins] == others)
            failed += not good
            user.favorites = after
    print("%d passed, %d failed" % (len(table) + 4 - min(failed, len(table) + 4), failed))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="10 rounds of 30 s")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float, help="of writing in each round")
    parser.add_argument("--writers", type=int, default=64)
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the moves and the moments of the kills")
    parser.add_argument("--catalog", default=pegboard.DEMO_CATALOG)
    parser.add_argument("--log", metavar="FILE", help="writes every acknowledgement as a JSON line")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    options.rounds = options.rounds or (10 if options.full else 3)
    options.seconds = options.seconds or (30.0 if options.full else 3.0)
    if options.self_test:
        return self_test()
    print("seed %d, %s" % (options.seed, pegboard.binary()))
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
