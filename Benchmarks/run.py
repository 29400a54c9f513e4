#!/usr/bin/env python3
"""Pegboard beside nginx, in one run on one machine. Prints a Markdown table.

    run.py [--seconds 5] [--rounds 3] [--json FILE]

nginx answers `return 200` with the very bytes of the layout, with one worker and no access log: what a server can cost that
does nothing but HTTP. The rounds of both alternate, so that a slow minute of the machine meets both; the median counts.
CPU time is the process's own, from /proc. After the moves the versions of all users are summed up: they have to come to
what wrk counted as answered, give or take what was under way when it stopped.
"""
import argparse
import json
import os
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "Tests", "support"))
os.environ.setdefault("PEGBOARD_BIN", os.path.join(ROOT, ".build", "release", "pegboard"))
import pegboard  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")
QUIET = ("--log-level", "error")
USERS = 1000


def cpu_seconds(pids):
    total = 0
    for pid in pids:
        with open("/proc/%d/stat" % pid, encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICK


def memory_mb(pid, what="VmRSS"):
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(what + ":")) / 1024


def wrk(url, connections, seconds, pids, script="summary.lua", argument=None):
    """One run of wrk: requests, seconds, latencies, and the CPU time that `pids` took for it."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as joined:
        for name in {"summary.lua", script}:
            with open(os.path.join(HERE, name), encoding="utf-8") as file:
                joined.write(file.read() + "\n")
        joined.flush()
        before = cpu_seconds(pids)
        ran = subprocess.run(
            ["wrk", "-t1", "-c%d" % connections, "-d%ds" % seconds, "-s", joined.name, url]
            + (["--", argument] if argument else []), capture_output=True, text=True, check=True)
        spent = cpu_seconds(pids) - before
    line = next(line for line in ran.stdout.splitlines() if line.startswith("SUMMARY "))
    result = json.loads(line[len("SUMMARY "):])
    if result["errors"] or result["not_2xx"] or not result["requests"]:
        raise RuntimeError("%s: %s\n%s" % (url, result, ran.stdout))
    result["rate"] = result["requests"] / result["seconds"]
    result["cpu_us"] = spent / result["requests"] * 1e6
    return result


class Nginx:
    """One worker that gives `body` to whoever asks."""

    def __init__(self, body):
        self.body = body

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="pegboard-nginx-")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        text = self.body.decode().replace("\\", "\\\\").replace("'", "\\'")
        configuration = os.path.join(self.directory, "nginx.conf")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write("""
daemon off; worker_processes 1; pid %s/pid; error_log stderr error;
events { worker_connections 1024; }
http {
    access_log off; keepalive_requests 1000000000; default_type application/json;
    client_body_temp_path %s; proxy_temp_path %s; fastcgi_temp_path %s; uwsgi_temp_path %s; scgi_temp_path %s;
    server { listen 127.0.0.1:%d; location / { return 200 '%s'; } }
}
""" % ((self.directory,) * 6 + (self.port, text)))
        self.process = subprocess.Popen(["nginx", "-p", self.directory, "-c", configuration])
        deadline = time.monotonic() + 10
        while True:
            try:
                with pegboard.Client(self.port) as client:
                    assert client.request("GET", "/").body == self.body
                break
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        with open("/proc/%d/task/%d/children" % (self.process.pid, self.process.pid), encoding="ascii") as file:
            self.pids = [int(pid) for pid in file.read().split()]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)
        shutil.rmtree(self.directory, ignore_errors=True)


def serve():
    return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, *QUIET)


def start_up_ms(times=7):
    """From the start of the process on an existing database to the first 200 of /readyz."""
    taken = []
    with tempfile.TemporaryDirectory() as directory:
        for number in range(times + 1):
            server = pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, *QUIET,
                                     database=os.path.join(directory, "pegboard.db"))
            began = time.monotonic()
            with server:
                if number:  # the first one makes the database
                    taken.append((time.monotonic() - began) * 1000)
                server.terminate()
    return statistics.median(taken)


def reads(options, results):
    with serve() as server:
        results["rss_idle_mb"] = memory_mb(server.process.pid)
        path = "/v1/users/bench/layout"
        with server.client() as client:
            answer = client.request("GET", path)
        results["body_bytes"] = len(answer.body)
        ours, theirs = [], []
        with Nginx(answer.body) as nginx:
            for _ in range(options.rounds):
                ours.append(wrk("http://127.0.0.1:%d%s" % (server.port, path), 64, options.seconds, [server.process.pid]))
                theirs.append(wrk("http://127.0.0.1:%d%s" % (nginx.port, path), 64, options.seconds, nginx.pids))
        results["rss_reads_mb"] = memory_mb(server.process.pid)
    results["get"], results["nginx"] = median(ours), median(theirs)


def moves(options, results):
    results["moves"] = {}
    for connections in (1, 16, 64):
        runs = []
        for number in range(options.rounds):
            # A server of its own for each run: the WAL of the one before is not the next one's burden.
            with serve() as server:
                run = wrk("http://127.0.0.1:%d" % server.port, connections, options.seconds, [server.process.pid],
                          "moves.lua", "bench%d" % number)
                with server.client() as client:
                    stored = sum(client.request("GET", "/v1/users/bench%d-%04d/layout" % (number, user)).json()["version"]
                                 for user in range(USERS))
                if not 0 <= stored - run["requests"] <= connections:
                    raise RuntimeError("%d moves were answered, %d changes are stored" % (run["requests"], stored))
                results["rss_loaded_mb"] = max(results.get("rss_loaded_mb", 0), memory_mb(server.process.pid, "VmHWM"))
                runs.append(run)
        results["moves"][connections] = median(runs)


def median(runs):
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def binary_mb():
    with tempfile.TemporaryDirectory() as directory:
        copy = os.path.join(directory, "pegboard")
        shutil.copy(pegboard.binary(), copy)
        if shutil.which("strip"):
            subprocess.run(["strip", copy], check=False, stderr=subprocess.DEVNULL)
        return os.path.getsize(copy) / 1e6


def table(results):
    get, nginx = results["get"], results["nginx"]
    rows = [
        ("GET layout, 64 connections (%d bytes)" % results["body_bytes"],
         "%.0f/s, %.1f µs CPU, p99 %.1f ms" % (get["rate"], get["cpu_us"], get["p99_us"] / 1000)),
        ("nginx `return 200`, the same bytes, one worker",
         "%.0f/s, %.1f µs CPU, p99 %.1f ms" % (nginx["rate"], nginx["cpu_us"], nginx["p99_us"] / 1000))]
    for connections, run in results["moves"].items():
        rows.append(("durable moves, %d client%s" % (connections, "" if connections == 1 else "s"),
                     "%.0f/s, p99 %.1f ms" % (run["rate"], run["p99_us"] / 1000)))
    rows += [
        ("memory: idle, after reads, most under moves",
         "%.1f, %.1f, %.1f MB" % (results["rss_idle_mb"], results["rss_reads_mb"], results["rss_loaded_mb"])),
        ("start to ready, database there", "%.0f ms" % results["start_up_ms"]),
        ("program, stripped", "%.1f MB" % results["binary_mb"])]
    return "| measured | |\n| --- | --- |\n" + "\n".join("| %s | %s |" % row for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=5, help="of each run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    results = {"machine": "%s, %d cores, %s" % (platform.machine(), os.cpu_count(), platform.release()),
               "start_up_ms": start_up_ms(), "binary_mb": binary_mb()}
    reads(options, results)
    moves(options, results)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)
            file.write("\n")
    print(results["machine"])
    print(table(results))


if __name__ == "__main__":
    main()
