#!/usr/bin/env python3
"""A standby that stands still or is out of reach while the primary waits for it with every commit; and the loss of the
primary then.

What is committed on the primary alone is never acknowledged, not by a repeat of the request either, and nobody gets to read
it: changes are answered 503 `unknown_outcome`, reads go on. When the standby goes on, so do changes; where it takes the
primary's place instead, nothing is missed that anybody was told of.
"""
import argparse
import random
import sys
import time

import traffic
from traffic import DATABASE, faults
from postgres_replication import Pair, freeze, kill, thaw, until
from postgres_rows import PostgresRows


def reads_go_on(server, rng, count=50):
    """What is wrong with reads at a time when nothing can be written."""
    with server.client(timeout=30) as client:
        for number in range(count):
            answer = client.request("GET", faults.layout_path("reader-%d" % rng.randrange(1000)))
            if answer.status != 200:
                yield "read %d of %d was answered %r" % (number, count, answer)
                return


def thawed(rng, *bugs):
    """Long enough for changes to be given up; then it goes on."""
    with Pair() as pair:
        pair.primary.create_database(DATABASE)
        with traffic.server(pair.url(DATABASE), bugs=bugs) as server:
            with traffic.Traffic(server) as load:
                load.go_on(100)
                freeze(pair.standby)
                before = load.acknowledged()
                until(lambda: load.refusals().total() >= 16, "changes given up")
                findings = list(reads_go_on(server, rng))
                frozen = load.acknowledged() - before
                thaw(pair.standby)
                load.go_on(100)
            findings += load.judged(PostgresRows(pair.primary, DATABASE), bugs)
            server.terminate()
        # What was already on its way to its client when the standby stopped.
        if frozen > 2 * len(load.repeaters):
            findings.append("%d changes were acknowledged while the standby stood still" % frozen)
    return findings


def promoted(*bugs):
    """The primary is lost after changes that the standby never heard of were given up and repeated."""
    with Pair() as pair:
        pair.primary.create_database(DATABASE)
        with traffic.server(pair.url(DATABASE), bugs=bugs) as server:
            with traffic.Traffic(server) as load:
                load.go_on(100)
                before = load.acknowledged()
                pair.cable.pull()
                # Each has repeated what it was not told of, and was refused again; or was answered, which it must not be.
                until(lambda: all(client.refusals.total() > 1 or client.findings for client in load.repeaters)
                      or load.acknowledged() > before + 2 * len(load.repeaters), "changes given up twice")
                kill(pair.primary)
                pair.promote()
                load.go_on(100)
            findings = load.judged(PostgresRows(pair.primary, DATABASE), bugs)
            server.terminate()
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    faults.require_seeds()
    rng, report = faults.generator(options.seed), faults.Report()
    report.clean("a standby that stood still and went on", thawed(rng))
    report.clean("a primary lost while the standby was out of reach", promoted())
    report.twin("unknown-is-done", promoted("unknown-is-done"))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
