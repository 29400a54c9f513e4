#!/usr/bin/env python3
"""What Deploy/postgresql describes, on one machine: HAProxy, two servers, PgBouncer, a primary and its synchronous standby.

    topology.py                   the short form, part of `make test`
    topology.py --full            ten times as many kills and changes of program

A server is killed under load and comes back; both are upgraded one after another, to a program with a migration more: it
changes the schema while the older one reads and writes beside it. The primary is killed, the standby promoted and PgBouncer
led there. No client sees an error that a retry doesn't cure. An event reaches those who watch through the other server.
$PEGBOARD_PREVIOUS_BIN is the program that is upgraded, where another build is at hand.
"""
import argparse
import contextlib
import os
import statistics
import sys
import threading
import time

import traffic
from traffic import DATABASE, faults
import postgres_cluster
from balancer import Balancer
from postgres_replication import Pair, kill
from postgres_rows import PostgresRows

PREVIOUS = os.environ.get("PEGBOARD_PREVIOUS_BIN")
NEXT = "next-program"


class Topology(contextlib.ExitStack):
    def __init__(self, *bugs):
        super().__init__()
        self.bugs = bugs

    def __enter__(self):
        super().__enter__()
        try:
            self.pair = self.enter_context(Pair())
            self.pair.primary.create_database(DATABASE)
            self.bouncer = self.enter_context(postgres_cluster.bouncer(self.pair.primary, pool_size=16))
            self.balancer = self.enter_context(Balancer())
            self.servers = [self.callback_server(self.start(place)) for place in range(2)]
            self.balancer.wait_until_ready()
            return self
        except BaseException:
            self.close()
            raise

    def callback_server(self, server):
        self.callback(lambda: server.process.poll() is None and server.kill())
        return server

    def start(self, place):
        return self.start_program(PREVIOUS, place, *self.bugs)

    def start_program(self, program, place, *bugs):
        # Long enough for the balancer to have noticed.
        return traffic.server(self.bouncer.url(DATABASE), "--drain-delay", "2s", bugs=bugs, program=program,
                              listen=self.balancer.ports[place]).start()

    def killed(self, place):
        """kill -9, and the next one in its place."""
        self.servers[place].kill()
        self.servers[place] = self.callback_server(self.start(place))
        self.balancer.wait_until_ready()

    def upgraded(self, place, to=NEXT):
        code = self.servers[place].terminate()
        self.servers[place] = self.callback_server(self.start_program(None, place, to))
        self.balancer.wait_until_ready()
        return code

    def migrations(self):
        return int(self.pair.primary.sql("SELECT count(*) FROM migrations", DATABASE))

    def older_server_says(self):
        """What the older program says, which finds the newer schema as it starts."""
        try:
            self.start(0).kill()
        except RuntimeError as error:
            return str(error)
        return "it started"


def crossing(servers, count):
    """How long events take to those who watch through the other server, in seconds; and what is wrong with them."""
    seconds, findings, rng = [], [], faults.random.Random(count)
    for number in range(count):
        writing, watching = servers[number % 2], servers[1 - number % 2]
        user, heard = "watched-%d" % number, threading.Event()
        stream = faults.Events(watching, user, timeout=60)
        events, seen = stream.layouts(), []

        def listen(events=events, seen=seen, heard=heard):
            try:
                for version, favorites in events:
                    seen.append((version, favorites, time.monotonic()))
                    if version > 0:
                        break
            except OSError as error:
                seen.append((0, str(error), 0))
            heard.set()

        threading.Thread(target=listen, daemon=True).start()
        wanted = faults.favorites(rng)
        with writing.client(timeout=30) as client:
            answer = faults.put(client, user, wanted, "*")
            acknowledged = time.monotonic()
        if answer.status != 200:
            findings.append("%s: %r" % (user, answer))
        elif not heard.wait(60) or seen[-1][:2] != (1, answer.json()["layout"]["favorites"]):
            findings.append("%s: the other server told of %s" % (user, seen))
        else:
            seconds.append(max(0, seen[-1][2] - acknowledged))
        stream.close()
    return seconds, findings


def run(times):
    with Topology() as topology:
        with traffic.Traffic(topology.balancer) as load:
            for number in range(times):
                load.go_on(100)
                topology.killed(number % 2)
            after_kills, migrated, codes = load.refusals(), [topology.migrations()], []
            for number in range(times + times % 2):
                load.go_on(100)
                codes.append(topology.upgraded(number % 2))
                migrated.append(topology.migrations())
            after_upgrades = load.refusals()
            load.go_on(100)
            kill(topology.pair.primary)
            seconds = topology.pair.promote()
            topology.bouncer.lead_to(topology.pair.primary)
            load.go_on(100)
        print("   refused while %d servers were killed: %s; while %d were replaced: %s; while the database failed over"
              " (promoted in %.2f s): %s"
              % (times, dict(after_kills), len(codes), dict(after_upgrades - after_kills), seconds,
                 dict(load.refusals() - after_upgrades)))
        findings = load.judged(PostgresRows(topology.pair.primary, DATABASE))
        findings += ["a server ended with %d" % code for code in codes if code]
        if [count - migrated[0] for count in migrated[:2]] != [0, 1] or len(set(migrated[1:])) != 1:
            findings.append("migrations, before and after each upgrade: %s" % migrated)
        delays, found = crossing(topology.servers, 10 * times)
        if delays:
            print("   %d events to the other server: %.2f s in the middle, %.2f s at most"
                  % (len(delays), statistics.median(delays), max(delays)))
        for server in topology.servers:
            server.terminate()
        said = topology.older_server_says()
        if "ended with 65" not in said or "newer" not in said:
            findings.append("an older server, on the newer schema: " + said)
    return findings + found


def upgrade_twin(bug):
    """One server upgraded, to a program that changes what the other one is written for."""
    with Topology() as topology:
        with traffic.Traffic(topology.balancer) as load:
            load.go_on(50)
            topology.upgraded(0, to=bug)
            # Until something is found.
            load.go_on(10_000)
            return load.findings()


def twin(*bugs):
    """Kills alone, until something is found."""
    with Topology(*bugs) as topology:
        with traffic.Traffic(topology.balancer) as load:
            for number in range(60):
                if load.findings():
                    break
                load.go_on(50)
                topology.killed(number % 2)
        return load.judged()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    faults.require_seeds()
    report = faults.Report()
    report.clean("two servers behind HAProxy, two databases behind PgBouncer", run(20 if options.full else 2))
    # What each server remembers goes stale with every change that the other makes.
    for bug in ("no-idempotency", "memory-is-believed", "lost-is-won"):
        report.twin(bug, twin(bug))
    report.twin("next-program-breaks", upgrade_twin("next-program-breaks"))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
