#!/usr/bin/env python3
"""Patroni's leader is killed with its database under writes; the standby takes its place without anybody's help.

    patroni.py                    3 failovers; part of `make test-long`
    patroni.py --rounds 1

The standby hears nothing of the leader's last half second: what the leader alone has committed by then is acknowledged to nobody.
"""
import argparse
import sys
import time

import traffic
from traffic import DATABASE, faults
from patroni_cluster import TTL, PatroniCluster
from postgres_rows import PostgresRows


def run(rounds, options=""):
    with PatroniCluster() as patroni:
        patroni.sql("CREATE DATABASE %s" % DATABASE)
        with traffic.server(patroni.url(DATABASE, options)) as server:
            with traffic.Traffic(server) as load:
                for number in range(rounds):
                    if number:
                        patroni.return_lost()
                    load.go_on(500)
                    patroni.pull_cable()
                    time.sleep(0.5)
                    seconds = patroni.lose_leader()
                    load.go_on(500)
                    print("   failover %d: another leader after %.1f s (the office is held for %d s); longest gap so far %.1f s"
                          % (number + 1, seconds, TTL, load.gap()), flush=True)
                    if load.findings():
                        break
            findings = load.judged(PostgresRows(patroni, DATABASE))
            server.terminate()
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    faults.require_seeds()
    report = faults.Report()
    report.clean("%d failovers by Patroni" % options.rounds, run(options.rounds))
    report.twin("synchronous_commit=local", run(1, options="?options=-csynchronous_commit%3Dlocal"))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
