#!/usr/bin/env python3
"""A fault at the Nth call that changes a file: the process dies there, or the call fails with EIO or ENOSPC, once or for
ever, for N = 1, 2, 3 … from the first start through some writes to the end.

    iofault.py                    every 16th N: the short form, part of `make test`
    iofault.py --full             every N

Whatever N is: an acknowledged write is there afterwards, with its history and its idempotency record; a write that could
not be made is a 503 and nothing else; a start that fails says so with its exit code; nothing hangs; once the fault is gone
the running server takes writes again by itself; and the next start is a good one, on a whole database.
"""
import argparse
import collections
import concurrent.futures
import errno
import os
import random
import sqlite3
import sys
import tempfile
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import faults  # noqa: E402
import pegboard  # noqa: E402

WRITES = 14
# name: errno (None to die), for ever
MODES = {"die": (None, False), "EIO": (errno.EIO, False), "ENOSPC": (errno.ENOSPC, False),
         "EIO for ever": (errno.EIO, True), "ENOSPC for ever": (errno.ENOSPC, True)}
# What a start may end with: 65 bad data, 69 away, 70 ours, 73 cannot create or write; and our own SIGKILL.
REFUSALS = (65, 69, 70, 73)
FIRST_SCHEMA = os.path.join(pegboard.ROOT, "Migrations", "SQLite", "0001_layouts.sqlite.sql")


class Run:
    """One life of the server with one fault in it, and what came of it."""

    def __init__(self, library, at, mode, bugs=(), old=False):
        self.findings, self.acks, self.refused, self.started = [], [], 0, False
        self.outcome = "untouched"
        code, forever = MODES[mode]
        with faults.memory_folder("iofault") as folder:
            data = os.path.join(folder, "data")
            os.mkdir(data)
            self.path, self.gone, tally = (os.path.join(data, "pegboard.db"), os.path.join(folder, "gone"),
                                           os.path.join(folder, "count"))
            if old:
                self._make_old()
            environment = {"LD_PRELOAD": library, "INJECTOR_FOLDER": data, "INJECTOR_AT": str(at),
                           "INJECTOR_COUNT": tally, **faults.seeded("many-checkpoints", *bugs)}
            if code is not None:
                environment["INJECTOR_ERRNO"] = str(code)
            if forever:
                environment["INJECTOR_FOREVER"] = self.gone
            self._live(environment, dies=code is None, forever=forever)
            self.calls = int(open(tally, encoding="ascii").read()) if os.path.exists(tally) else 0
            self._look(old)
        self.findings = ["%s at call %d: %s" % (mode, at, finding) for finding in self.findings]

    def _make_old(self):
        """A database of the first schema, with a user and three versions: migrating happens in its place."""
        with open(FIRST_SCHEMA, "rb") as file:
            schema = file.read()
        connection = sqlite3.connect(self.path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(schema.decode())
        connection.execute("INSERT INTO migrations VALUES (1, 'layouts', ?, 1)", (zlib.crc32(schema),))
        connection.execute("PRAGMA user_version = 1")
        for version in (1, 2, 3):
            row = ("before", version, "camera", 0, "operations", "", "", version)
            connection.execute("INSERT INTO revisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                               (*row, faults.row_checksum("revisions", *row)))
        row = ("before", 3, "camera", 0, 3)
        connection.execute("INSERT INTO layouts VALUES (?, ?, ?, ?, ?, ?)", (*row, faults.row_checksum("layouts", *row)))
        connection.commit()
        connection.close()

    def _server(self, environment=None):
        return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--drain-delay", "0s",
                               database=self.path, environment=environment)

    def _live(self, environment, dies, forever):
        server = self._server(environment)
        try:
            with server:
                self.started = True
                try:
                    self._write(server, "during")
                    open(self.gone, "w", encoding="ascii").close()
                    self._recover(server)
                except (ConnectionError, OSError) as error:
                    self._ended(server, dies, error)
                    return
                code = server.terminate()
                if code == 0:
                    self.outcome = "refused some, went on" if self.refused else self.outcome
                elif dies and code == -9:
                    self.outcome = "died at the end"
                else:
                    self.findings.append("SIGTERM ended it with %d: %s" % (code, server.said(3)))
        except RuntimeError as error:
            code = server.process.poll()
            if "ended with" in str(error) and (code in REFUSALS or dies and code == -9):
                self.outcome = "died starting" if code == -9 else "start refused with %d" % code
                if code != -9 and "pegboard: " not in str(error):
                    self.findings.append("no word about why it didn't start: %s" % error)
            else:
                self.findings.append("starting: %s" % error)

    def _ended(self, server, dies, error):
        code = server.process.wait(pegboard.PATIENCE) if not isinstance(error, TimeoutError) else None
        self.outcome = "died writing"
        if not (dies and code == -9):
            self.findings.append("a request ended with %r, the process with %s%s"
                                 % (error, code, self._alive(server) if code is None else ""))

    def _alive(self, server):
        """What a process that left a request without an answer says to others, and said before."""
        seen = []
        for path in ("/livez", "/readyz"):
            try:
                with server.client(timeout=5) as client:
                    seen.append("%s %d" % (path, client.request("GET", path).status))
            except OSError as error:
                seen.append("%s %r" % (path, error))
        return "; %s\n%s" % (", ".join(seen), server.said(8))

    def _write(self, server, prefix):
        rng = random.Random(7)
        with server.client() as client:
            for number in range(WRITES):
                user = "io-%d" % (number % 3)
                items, key = faults.favorites(rng), "%s-%d" % (prefix, number)
                answer = faults.put(client, user, items, "*", key)
                if answer.status == 200:
                    self.acks.append((user, answer.json()["layout"]["version"], ",".join(items), key))
                elif answer.status == 503 and "retry-after" in answer.headers:
                    self.refused += 1
                else:
                    self.findings.append("a write was answered %r" % answer)
                # The disk refuses writes, not reads.
                answer = client.request("GET", faults.layout_path(user))
                if answer.status != 200:
                    self.findings.append("a read was answered %r" % answer)
                if number % 5 == 4:
                    time.sleep(0.05)  # the log is emptied meanwhile

    def _recover(self, server):
        """The cause is gone: it must find that out by itself."""
        deadline, seen = time.monotonic() + pegboard.PATIENCE, None
        with server.client() as client:
            while time.monotonic() < deadline:
                seen = client.request("GET", "/readyz")
                if seen.status == 200:
                    self._acknowledged(client, "recovered")
                    return
                time.sleep(0.05)
        self.findings.append("not ready %d s after the cause was gone: %r" % (pegboard.PATIENCE, seen))

    def _acknowledged(self, client, key):
        items = faults.favorites(random.Random(8))
        answer = faults.put(client, "io-0", items, "*", key)
        if answer.status == 503:  # a fault that comes once came to this very write
            answer = faults.put(client, "io-0", items, "*", key)
        if answer.status != 200:
            self.findings.append("a write with the cause gone was answered %r" % answer)
            return
        self.acks.append(("io-0", answer.json()["layout"]["version"], ",".join(items), key))

    def _look(self, old):
        """The next start, and then the rows."""
        there = os.path.exists(self.path)
        if there and not old and not self.acks and os.path.getsize(self.path) == 0:
            self.findings.append("half a database: an empty file")
        try:
            with self._server() as server, server.client() as client:
                self._acknowledged(client, "afterwards")
                code = server.terminate()
                if code != 0:
                    self.findings.append("the next start ended with %d" % code)
        except (RuntimeError, OSError) as error:
            self.findings.append("the next start: %s" % error)
            return
        rows = faults.Rows(self.path)
        self.findings += rows.findings[:3]
        if rows.findings:
            return
        if old and sorted(rows.revisions.get("before", {})) != [1, 2, 3]:
            self.findings.append("lost: the history from before the migration")
        for user, version, items, key in self.acks:
            if rows.revisions.get(user, {}).get(version, (None,))[0] != items:
                self.findings.append("lost: version %d of %s" % (version, user))
            elif (user, key) not in rows.records:
                self.findings.append("lost: the record of %s of %s" % (key, user))


def sweep(library, mode, step, bugs=(), old=False, most=None, offset=1):
    """Runs with the fault at offset, offset + step, …; returns the findings and a summary."""
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        whole = Run(library, -1, mode, bugs, old)
        places = list(range(offset, min(most or whole.calls, whole.calls) + 1, step))
        runs = list(pool.map(lambda at: Run(library, at, mode, bugs, old), places))
    outcomes = collections.Counter(run.outcome for run in runs)
    print("%s%s%s: %d calls, %d runs: %s; %d acknowledged, %d refused (%.0f s)"
          % (mode, ", old database" if old else "", "".join(", seeded " + bug for bug in bugs), whole.calls, len(runs),
             ", ".join("%d %s" % (count, outcome) for outcome, count in outcomes.most_common()),
             sum(len(run.acks) for run in runs), sum(run.refused for run in runs), time.monotonic() - began), flush=True)
    findings = [finding for run in [whole] + runs for finding in run.findings]
    if not whole.acks:
        findings.append("nothing was acknowledged: this run has tested nothing")
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="every N")
    parser.add_argument("--step", type=int)
    parser.add_argument("--mode", choices=sorted(MODES), action="append")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first N of a sweep with steps")
    options = parser.parse_args()
    step = options.step or (1 if options.full else 16)
    faults.require_seeds()
    rng, report = faults.generator(options.seed), faults.Report()
    with tempfile.TemporaryDirectory(prefix="pegboard-injector-") as folder:
        library = faults.library(os.path.join(HERE, "injector.c"), folder)
        for mode in options.mode or MODES:
            report.clean(mode, sweep(library, mode, step, offset=rng.randint(1, step)))
        # Creating and migrating: the first calls, one by one in the long form.
        fine = 1 if options.full else 3
        report.clean("EIO at first start", sweep(library, "EIO", fine, most=56, offset=rng.randint(1, fine)))
        for old in (False, True):
            name = "migration of an old database" if old else "first start"
            report.clean(name, sweep(library, "die", fine, old=old, most=48, offset=rng.randint(1, fine)))
            bug = "migration-without-transaction"
            report.twin("%s, %s" % (bug, name), sweep(library, "die", 5, [bug], old, most=48))
        report.twin("early-ack", sweep(library, "EIO", 16, ["early-ack"], offset=60))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
