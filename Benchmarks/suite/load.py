"""The two sources of load: wrk for one request again and again, load.c for mixes, users and idle connections."""
import json
import os
import re
import subprocess
import tempfile

from suite import machine


def wrk(peer, path, seconds, connections=64, fields=None):
    """{requests, rate, cpu_us, p50_us, p99_us} of GETs of one path."""
    headers = [part for name, value in {**peer.fields, **(fields or {})}.items() for part in ("-H", "%s: %s" % (name, value))]
    before = machine.cpu_seconds(peer.pids())
    ran = subprocess.run(
        ["wrk", "-t1", "-c%d" % connections, "-d%ds" % max(1, round(seconds)), "-s",
         os.path.join(machine.HERE, "summary.lua"), *headers, "http://127.0.0.1:%d%s" % (peer.port, path)],
        capture_output=True, text=True, check=True)
    spent = machine.cpu_seconds(peer.pids()) - before
    summary = json.loads(next(line for line in ran.stdout.splitlines() if line.startswith("{")))
    if summary["errors"] or summary["refused"] or not summary["requests"]:
        raise RuntimeError("%s %s: %s" % (peer.name, path, summary))
    return {"requests": summary["requests"], "rate": summary["requests"] / summary["seconds"],
            "cpu_us": spent / summary["requests"] * 1e6, "p50_us": summary["p50_us"], "p99_us": summary["p99_us"]}


class Mix:
    """Requests for load.c: {name: (weight, status, the request with its %U and %M)}. Counts the users visited, so that the
    next run goes on where the last one ended and every move changes something."""

    def __init__(self, peer, users, kinds):
        self.peer, self.users, self.visited = peer, users, 0
        self.directory = tempfile.TemporaryDirectory(prefix="pegboard-load-")
        self.kinds = []
        for name, (weight, status, text) in kinds.items():
            path = os.path.join(self.directory.name, name)
            with open(path, "wb") as file:
                file.write(text)
            self.kinds.append("%s:%d:%d:%s" % (name, weight, status, path))

    def run(self, seconds, connections):
        """{name: {requests, rate, cpu_us, p50_us, p99_us, p999_us, max_us}}; `cpu_us` is that of all kinds together."""
        before = machine.cpu_seconds(self.peer.pids())
        ran = subprocess.run(
            [machine.compiled("load", "load.c"), str(self.peer.port), "--seconds", str(seconds), "--connections",
             str(connections), "--users", str(self.users), "--first", str(self.visited), *self.kinds],
            stdout=subprocess.PIPE, text=True, check=True)
        spent = machine.cpu_seconds(self.peer.pids()) - before
        result = json.loads(ran.stdout)
        self.visited = result["visited"]
        requests = sum(kind["requests"] for kind in result["kinds"].values())
        return {name: dict(kind, rate=kind["requests"] / result["seconds"], cpu_us=spent / requests * 1e6)
                for name, kind in result["kinds"].items()}


class Idle:
    """So many connections that have had one answer and then say nothing."""

    def __init__(self, peer, path, count):
        self.peer, self.path, self.count = peer, path, count

    def __enter__(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(self.peer.request("GET", self.path))
            file.flush()
            self.process = subprocess.Popen(
                [machine.compiled("load", "load.c"), str(self.peer.port), "--hold", str(self.count), file.name],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            if self.process.stdout.readline() != b"held\n":
                raise RuntimeError("%d idle connections weren't to be had" % self.count)
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(30)


def pgbench(postgres, script, seconds, clients, protocol):
    """{requests, rate, cpu_us}: transactions a second of a script, and what each costs the database alone. `protocol` is
    `prepared`, where each statement is planned once, or `simple`, as pgbench has it by itself."""
    before = postgres.cpu_seconds()
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        ran = subprocess.run(
            [os.path.join(postgres.bin, "pgbench"), "-n", "-M", protocol, "-c", str(clients), "-j", "1", "-T",
             str(max(1, round(seconds))), "-f", file.name, postgres.url], capture_output=True, text=True, check=True)
    spent = postgres.cpu_seconds() - before
    requests = int(re.search(r"actually processed: (\d+)", ran.stdout).group(1))
    rate = float(re.search(r"tps = ([0-9.]+)", ran.stdout).group(1))
    return {"requests": requests, "rate": rate, "cpu_us": spent / requests * 1e6}


def sqlite_alone(database, seconds, rows, what):
    """Rows a second that SQLite brings to the disk when nothing stands around it; `what` is `row`, `move` or `ring`."""
    ran = subprocess.run([machine.compiled("sqlite", "peers/sqlite.c", "-lsqlite3"), database, str(seconds), str(rows), what],
                         stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(ran.stdout)
    return result["rows"] / result["seconds"]
