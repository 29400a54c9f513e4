#!/usr/bin/env python3
"""Connections that an administrator ends under load, again and again; then no new ones either, for the database has no more
of them to give; and a pool of two for all that want something.

What can't be done is a 503 and the server is not ready; it goes on by itself when there are connections again. Nothing
acknowledged is lost, and nothing done twice.
"""
import sys
import threading

import traffic
from traffic import DATABASE, faults
import postgres_cluster
from postgres_replication import until
from postgres_rows import PostgresRows

END_ALL = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'pegboard'"


class Administrator(threading.Thread):
    """Ends every connection of the server's, about ten times a second."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.cluster, self.ended, self.is_over = cluster, 0, threading.Event()

    def run(self):
        while not self.is_over.wait(0.1):
            self.ended += int(self.cluster.sql(END_ALL))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.join()


def status(server, path):
    with server.client(timeout=30) as client:
        return client.request("GET", path).status


def run(*bugs):
    findings = []
    with postgres_cluster.start() as cluster:
        cluster.sql("CREATE ROLE pegboard LOGIN")
        cluster.sql("CREATE DATABASE %s OWNER pegboard" % DATABASE)
        url = cluster.url(DATABASE).replace("postgres@", "pegboard@")
        with traffic.server(url, "--database-connections", "2", bugs=bugs) as server:
            with traffic.Traffic(server) as load:
                with Administrator(cluster) as administrator:
                    load.go_on(300)
                # SQLSTATE 53300 from here on, as where max_connections are reached.
                cluster.sql("ALTER ROLE pegboard CONNECTION LIMIT 0")
                before = load.refusals()["503 storage_unavailable"]
                # Again and again: one that was let in just before is not seen the first time.
                until(lambda: cluster.sql(END_ALL) and
                      (load.findings() or load.refusals()["503 storage_unavailable"] > before + 20), "refusals")
                if not bugs:
                    findings += ["%s is %d while there are no connections" % (path, found)
                                 for path, wanted in (("/livez", 200), ("/readyz", 503))
                                 for found in [status(server, path)] if found != wanted]
                cluster.sql("ALTER ROLE pegboard CONNECTION LIMIT -1")
                load.go_on(100)
            findings += load.judged(PostgresRows(cluster, DATABASE), bugs)
            if not bugs and status(server, "/readyz") != 200:
                findings.append("not ready again")
            server.terminate()
        print("   %d connections ended by the administrator" % administrator.ended)
    return findings


def main():
    faults.require_seeds()
    report = faults.Report()
    report.clean("connections ended, then none to be had", run())
    report.twin("unknown-is-done", run("unknown-is-done"))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
