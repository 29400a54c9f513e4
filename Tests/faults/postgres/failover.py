#!/usr/bin/env python3
"""The primary is lost under writes, and its synchronous standby promoted: killed with all its processes, or frozen, so that
connections to it stay open and nothing comes through them.

    failover.py                   one of each: the short form, part of `make test`
    failover.py --full            12, each with a new standby

The standby is out of reach shortly before, so that there are changes which the primary has committed and nobody else: none
of them may have been acknowledged. The server finds the new primary by the list of hosts in its URL.
"""
import argparse
import sys

import traffic
from traffic import DATABASE, faults
from postgres_replication import Pair, freeze, kill, until
from postgres_rows import PostgresRows


def waiting(primary):
    """How many of its changes have waited for the standby for longer than what is on its way to them takes."""
    return int(primary.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                           " AND query_start < clock_timestamp() - interval '0.3 s'"))


def run(rounds, *bugs, options=""):
    with Pair() as pair:
        pair.primary.create_database(DATABASE)
        with traffic.server(pair.url(DATABASE, options), bugs=bugs) as server:
            with traffic.Traffic(server) as load:
                for number in range(rounds):
                    if number:
                        pair.renew()
                    load.go_on(150)
                    before = load.acknowledged()
                    pair.cable.pull()
                    # What it waits for is committed, and will not be heard of; or it waits for nobody.
                    until(lambda before=before: waiting(pair.primary) or load.acknowledged() > before + 50,
                          "changes that the primary alone has")
                    alone, lost = load.acknowledged() - before, pair.primary
                    (freeze if number % 2 else kill)(lost)
                    seconds = pair.promote()
                    load.go_on(150)
                    print("   primary %s: %d acknowledged without the standby, promoted in %.2f s, longest gap so far %.2f s"
                          % ("frozen" if number % 2 else "killed", alone, seconds, load.gap()))
                    if number % 2:
                        kill(lost)
                    if load.findings():
                        break
            findings = load.judged(PostgresRows(pair.primary, DATABASE), bugs)
            server.terminate()
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="12 failovers")
    options = parser.parse_args()
    faults.require_seeds()
    report = faults.Report()
    report.clean("failover to the synchronous standby", run(12 if options.full else 2))
    report.twin("unknown-is-done", run(1, "unknown-is-done"))
    report.twin("synchronous_commit=local", run(1, options="?options=-csynchronous_commit%3Dlocal"))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
