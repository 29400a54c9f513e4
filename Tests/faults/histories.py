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
import registers  # noqa: E402
from linearizability import Operation  # noqa: E402


def run(path, operations, kills, users=6, *bugs, flags=()):
    def start():
        return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--history", "100000", "--drain-delay", "0s",
                               *flags, database=path, environment=faults.seeded(*bugs)).start()

    def connect():
        up.wait()
        return server.client()

    began, up, server = time.monotonic(), threading.Event(), start()
    up.set()
    clients = registers.Clients(connect, 12, ["lin-%d" % n for n in range(users)], operations).start()
    for number in range(kills):
        goal = operations - operations * (number + 1) // (kills + 1)
        while clients.left > goal:
            time.sleep(0.002)
        up.clear()
        server.kill()
        server = start()
        up.set()
    clients.join()
    server.terminate()
    lasted = time.monotonic() - began
    findings, words = registers.judged(clients)
    print("   %d users, 12 clients, %.1f s, %d kills: %s" % (users, lasted, kills, words))
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
    samples = [sample for sample in (registers.beginning(history, 60) for history in histories.values()) if len(sample) > 10]
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
        findings, _ = run(os.path.join(folder, "cold.db"), operations // 3, 0, flags=("--cache", "0"))
        report.clean("linearizable, where every read looks into the file", findings)
        cross(report, quiet, rng, 3000 if options.full else 300)
        findings, _ = run(os.path.join(folder, "deaf.db"), 600, 0, 6, "ignore-if-match")
        report.twin("ignore-if-match", findings)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
