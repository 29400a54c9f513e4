#!/usr/bin/env python3
"""Connections to PostgreSQL that break around the commit: a proxy cuts them before a change was sent, in the middle of it,
after it, before the answer and in the middle of that, or answers in the database's place.

    commits.py                    600 acknowledged writes: the short form, part of `make test`
    commits.py --full             6,000

A change whose outcome the server cannot know is answered 503 `unknown_outcome`: never a success, and never the word that
nothing was done. Repeated with its Idempotency-Key it is done once.
"""
import argparse
import random
import sys
import time

import traffic
from traffic import DATABASE, faults
import postgres_cluster
from postgres_proxy import PostgresProxy
from postgres_rows import PostgresRows


def run(count, rng, *bugs):
    with postgres_cluster.start() as cluster:
        cluster.create_database(DATABASE)
        with PostgresProxy(cluster.port, random.Random(rng.random())) as proxy, \
                traffic.server(proxy.url(DATABASE), bugs=bugs) as server:
            with proxy.breaking(), traffic.Traffic(server) as load:
                load.go_on(count)
                # Changes that come together share a statement, so that there are not always as many to break as changes.
                while not (proxy.broken() >= 20 and proxy.unknown() or load.findings()):
                    load.go_on(50)
            findings = load.judged(PostgresRows(cluster, DATABASE), bugs)
            server.terminate()
        told = load.refusals()["503 unknown_outcome"]
        print("   %s" % ", ".join("%d %s" % (n, fate) for fate, n in sorted(proxy.counts.items())))
        print("   %d statements were or may have been committed without a word; %d answers said so"
              % (proxy.unknown(), told), flush=True)
        if not bugs and not (proxy.unknown() and told):
            findings.append("no outcome was unknown: this run has tested nothing")
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="6,000 acknowledged writes")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    faults.require_seeds()
    rng, report = faults.generator(options.seed), faults.Report()
    report.clean("connections cut around the commit", run(6000 if options.full else 600, rng))
    for bug in ("no-idempotency", "unknown-is-done", "unknown-is-repeated"):
        report.twin(bug, run(150, rng, bug))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
