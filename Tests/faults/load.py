#!/usr/bin/env python3
"""Bad clients and too many of them: nobody else is kept waiting, and what they took comes back.

    load.py                       the short form, part of `make test`
    load.py --full                10,000 idle connections, slowhttptest, slow readers until they are cut
    load.py --only herd           one scenario

Throughout each scenario a process of its own asks /livez and another user's layout every few milliseconds on a connection
that it had before. Its figures are printed; the target is a p99 of 100 ms, and the test fails beyond 1 s or at any refusal.
A shared machine is no stopwatch: what counts is the time in which the two could run, not that in which others did. Each
scenario has a twin: the program, or a time-out, set so that it must fail.
"""
import argparse
import glob
import json
import os
import random
import re
import resource
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import faults  # noqa: E402
import pegboard  # noqa: E402

BUSY = 1.0


def watch(port, pid):
    """The process beside a scenario: until standard input ends it asks, then it says what it saw."""
    seen = {"livez": [], "layout": []}
    failures = []
    try:
        with pegboard.Client(port, timeout=pegboard.PATIENCE) as client:
            # Connected is not yet accepted: only an answer says that it is one of those before.
            client.request("GET", "/livez")
            print("watching", flush=True)
            while not select.select([sys.stdin], [], [], 0.005)[0]:
                for name, path in (("livez", "/livez"), ("layout", faults.layout_path("bystander"))):
                    ready, began = runnable(pid), time.monotonic()
                    answer = client.request("GET", path)
                    lasted = time.monotonic() - began
                    seen[name].append(max(0, lasted - starved(ready, runnable(pid))))
                    if answer.status != 200:
                        failures.append("%s: %d" % (path, answer.status))
    except OSError as error:
        failures.append("%s: %s" % (type(error).__name__, error))
    print(json.dumps({"seen": seen, "failures": failures}))
    return 0


def runnable(pid):
    """For how many seconds each thread of the server, and this process, could have run ever since, and others did."""
    delays = {}
    for file in ["/proc/self/schedstat", *glob.glob("/proc/%d/task/*/schedstat" % pid)]:
        try:
            with open(file, encoding="ascii") as text:
                delays[file] = int(text.read().split()[1]) / 1e9
        except FileNotFoundError:
            pass  # a kernel without, or a thread that is over
    return delays


def starved(before, after):
    """How much of the time in between is nobody's fault but the machine's: of this process, and the slowest thread there."""
    grown = {file: delay - before.get(file, delay) for file, delay in after.items()}
    return grown.pop("/proc/self/schedstat", 0) + max(grown.values(), default=0)


class Bystander:
    """Starts and ends `watch`; afterwards `findings` and `figures`."""

    def __init__(self, server):
        watcher = [sys.executable, os.path.abspath(__file__), "--watch", str(server.port), str(server.process.pid)]
        self.process = subprocess.Popen(watcher, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.findings, self.figures = [], ""

    def __enter__(self):
        self.process.stdout.readline()
        return self

    def __exit__(self, *_):
        said, _ = self.process.communicate(timeout=30)
        said = json.loads(said.splitlines()[-1])
        self.findings = ["a bystander's %s" % failure for failure in said["failures"][:3]]
        figures = []
        for name, times in said["seen"].items():
            if not times:
                self.findings.append("a bystander saw nothing of %s" % name)
                continue
            p99 = faults.percentile(times, 0.99)
            figures.append("%s p50 %.1f p99 %.1f ms" % (name, faults.percentile(times, 0.5) * 1e3, p99 * 1e3))
            if p99 > BUSY:
                self.findings.append("%s p99 %.2f s" % (name, p99))
        self.figures = "%d probes, %s" % (len(said["seen"]["livez"]), ", ".join(figures))


def serve(*flags, **more):
    return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--drain-delay", "0s", "--log-level", "info",
                           *flags, **more)


def settled(server, before, within=pegboard.PATIENCE):
    """Whether the descriptors have come back to what they were."""
    deadline = time.monotonic() + within
    while faults.descriptors(server.process.pid) > before + 2:
        if time.monotonic() > deadline:
            return ["%d descriptors, %d before" % (faults.descriptors(server.process.pid), before)]
        time.sleep(0.05)
    return []


def open_again(server, within=pegboard.PATIENCE):
    """Whether somebody new is served. Those whom the kernel let wait at the door have gone, but are still before them."""
    deadline = time.monotonic() + within
    while True:
        with server.client() as client:
            if client.request("GET", "/livez").status == 200:
                return []
        if time.monotonic() > deadline:
            return ["nobody new is served afterwards"]
        time.sleep(0.05)


def connect(server, small=False):
    connection = socket.socket()
    if small:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    connection.settimeout(pegboard.PATIENCE)
    connection.connect(("127.0.0.1", server.port))
    return connection


GET = b"GET /v1/users/bystander/layout HTTP/1.1\r\nHost: x\r\n\r\n"


def too_many(limit, *flags, bugs=(), prefix=()):
    """200 connections at once where `limit` are allowed: those before are served, the rest told 503, at no cost."""
    findings = []
    with serve(*flags, environment=faults.seeded(*bugs), prefix=prefix) as server:
        before = faults.descriptors(server.process.pid)
        regulars = [server.client() for _ in range(5)]
        for regular in regulars:
            regular.request("GET", "/livez")
        with Bystander(server) as bystander:
            crowd = []
            for _ in range(200):
                try:
                    crowd.append(connect(server))
                    crowd[-1].setblocking(False)
                    crowd[-1].send(GET)
                except OSError:
                    pass  # refused by the kernel, or closed already
            answers = first_words(crowd)
            served, told = answers.count(b"200"), answers.count(b"503")
            statuses = set()
            for number in range(40):  # of users who are not in memory, too
                for regular in regulars:
                    statuses.add(regular.request("GET", faults.layout_path("regular-%d" % number)).status)
            wrote = faults.put(regulars[0], "regular", faults.favorites(random.Random(1)), "*").status
            usage = os.sysconf("SC_CLK_TCK")
            spent = processor(server)
            time.sleep(0.5)
            spent = (processor(server) - spent) / usage / 0.5
            for connection in crowd:
                connection.close()
        findings += bystander.findings
        if len(answers) < len(crowd):
            findings.append("%d of %d heard nothing" % (len(crowd) - len(answers), len(crowd)))
        if served + 6 > limit:
            findings.append("%d served beside 6, the limit is %d" % (served, limit))
        if statuses != {200} or wrote != 200:
            findings.append("who was there before: reads %s, a write %s" % (statuses, wrote))
        for regular in regulars:
            regular.close()
        findings += settled(server, before) + open_again(server)
    print("   %d of 200 served, %d told 503; reads of others %s, a write %s; CPU with all of them waiting %.0f %%; %s"
          % (served, told, sorted(statuses), wrote, spent * 100, bystander.figures))
    return findings


def first_words(crowd, within=pegboard.PATIENCE):
    """The status that each is answered, an empty one where it is closed instead; none for those who wait for longer."""
    answers, waiting, deadline = [], list(crowd), time.monotonic() + within
    while waiting and time.monotonic() < deadline:
        ready, _, _ = select.select(waiting, [], [], 0.2)
        for connection in ready:
            try:
                answers.append(connection.recv(200)[9:12])
            except OSError:
                answers.append(b"")
            waiting.remove(connection)
    return answers


def processor(server):
    """Ticks that the process has used."""
    with open("/proc/%d/stat" % server.process.pid, encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def held_up(report, _):
    """The bystander itself: a server that stands still while it asks is one that keeps it waiting."""
    with serve() as server:
        with Bystander(server) as bystander:
            server.process.send_signal(signal.SIGSTOP)
            deadline = time.monotonic() + pegboard.PATIENCE
            while not is_asked(server) and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(1.5 * BUSY)
            server.process.send_signal(signal.SIGCONT)
    report.twin("pause", bystander.findings)


def is_asked(server):
    """Whether octets for the server lie in the kernel that it has not read (proc(5), /proc/net/tcp)."""
    with open("/proc/net/tcp", encoding="ascii") as file:
        rows = [line.split() for line in file][1:]
    return any(int(row[1].split(":")[1], 16) == server.port and row[3] == "01" and int(row[4].split(":")[1], 16) for row in rows)


def crowd(report, _):
    report.clean("more connections than --max-connections", too_many(40, "--max-connections", "40"))
    report.twin("no-connection-limit", too_many(40, "--max-connections", "40", bugs=["no-connection-limit"]))


def descriptors(report, _):
    if not shutil.which("prlimit"):
        print("skip descriptors: prlimit isn't installed")
        return
    few = ["prlimit", "--nofile=64"]
    loops = ["--event-loops", "2"]
    report.clean("ulimit -n 64", too_many(48, *loops, prefix=few))
    # Without a limit of its own it takes what the kernel gives, and has a reserve to say no with.
    report.clean("no descriptor left", too_many(64, *loops, prefix=few, bugs=["no-connection-limit"]))
    report.twin("no-connection-limit with ulimit -n 64", too_many(24, *loops, prefix=few, bugs=["no-connection-limit"]))


def idle_run(count, *flags):
    findings = []
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    count = min(count, most - 200)
    with serve("--max-connections", "20000", *flags) as server:
        before, empty = faults.descriptors(server.process.pid), faults.resident(server.process.pid)
        with Bystander(server) as bystander:
            began, connections = time.monotonic(), []
            for _ in range(count):
                connections.append(server.client())
                try:
                    connections[-1].request("GET", faults.layout_path("bystander"))
                except OSError as error:
                    findings.append("a new connection: %r" % error)
            opened, full = time.monotonic() - began, faults.resident(server.process.pid)
            time.sleep(1.5)
            alive = 0
            for connection in random.sample(connections, 200):
                try:
                    alive += connection.request("GET", "/livez").status == 200
                except OSError:
                    pass
            if alive != 200:
                findings.append("%d of 200 idle connections still answer" % alive)
            for connection in connections:
                connection.close()
        findings += bystander.findings + settled(server, before)
        after = faults.resident(server.process.pid)
        if after > empty + (24 << 20):
            findings.append("%d MiB are kept afterwards" % ((after - empty) >> 20))
        began = time.monotonic()
        connections = [server.client() for _ in range(count)]
        code = server.terminate(within=30)
        if code != 0:
            findings.append("SIGTERM with %d idle connections ended it with %d" % (count, code))
        for connection in connections:
            connection.close()
    print("   %d idle connections opened in %.1f s: own memory %.1f -> %.1f MiB, %d bytes each, %.1f MiB afterwards; %s"
          % (count, opened, empty / 2**20, full / 2**20, (full - empty) / count, after / 2**20, bystander.figures))
    return findings


def idle(report, options):
    count = 10000 if options.full else 2000
    report.clean("%d idle connections" % count, idle_run(count, "--idle-timeout", "10m"))
    report.twin("--idle-timeout 200ms", idle_run(200, "--idle-timeout", "200ms"))


def slow_run(count, *flags, within=30.0):
    """Heads and contents that come an octet at a time: each is over when its time is, whatever still trickles in."""
    findings = []
    with serve(*flags) as server:
        before = faults.descriptors(server.process.pid)
        with Bystander(server) as bystander:
            waiting, answers = [], {}
            for number in range(count):
                connection = connect(server)
                connection.send(b"GET /v1/us" if number % 2 else
                                b"PUT /v1/users/slow/layout HTTP/1.1\r\nHost: x\r\nIf-Match: *\r\n"
                                b"Content-Type: application/json\r\nContent-Length: 900\r\n\r\n{")
                connection.setblocking(False)
                waiting.append(connection)
            began = time.monotonic()
            while waiting and time.monotonic() - began < within:
                time.sleep(0.2)
                for connection in list(waiting):
                    try:
                        answer = connection.recv(100)
                    except BlockingIOError:
                        try:
                            connection.send(b"s")
                            continue
                        except OSError:
                            answer = b""
                    except OSError:
                        answer = b""
                    answers[answer[9:12]] = answers.get(answer[9:12], 0) + 1
                    waiting.remove(connection)
                    connection.close()
            ended = time.monotonic() - began
            for connection in waiting:
                connection.close()
        findings += bystander.findings + settled(server, before)
        if waiting:
            findings.append("%d of %d slow clients are still there after %.0f s" % (len(waiting), count, ended))
    print("   %d slow clients gone after %.1f s with %s; %s" % (count, ended, answers, bystander.figures))
    return findings


def slow(report, options):
    count = 1000 if options.full else 300
    report.clean("slow heads and contents", slow_run(count, "--header-timeout", "2s", "--body-timeout", "2s"))
    report.twin("--header-timeout 1h", slow_run(50, "--header-timeout", "1h", "--body-timeout", "2s", within=4.0))
    if options.full:
        report.clean("slow readers until they are cut", readers_run(200, until_cut=True))
        for mode, words in (("heads", ["-H", "-i", "2", "-x", "24"]),
                            ("contents", ["-B", "-i", "2", "-s", "8192", "-x", "10", "-t", "PUT"]),
                            ("readers", ["-X", "-w", "64", "-y", "128", "-n", "2", "-z", "32", "-k", "3"])):
            slowhttptest(report, mode, words)
    else:
        report.clean("slow readers", readers_run(100, until_cut=False))


def readers_run(count, until_cut):
    """Requests without end whose answers nobody reads: what waits for one peer is bounded."""
    findings = []
    with serve() as server:
        before, empty = faults.descriptors(server.process.pid), faults.resident(server.process.pid)
        with Bystander(server) as bystander:
            connections = [connect(server, small=True) for _ in range(count)]
            for connection in connections:
                connection.setblocking(False)
            for _ in range(60):
                for connection in connections:
                    try:
                        connection.send(GET * 400)
                    except OSError:
                        pass
                time.sleep(0.02)
            full = faults.resident(server.process.pid)
            if full - empty > count * (400 << 10) + (8 << 20):
                findings.append("%d KiB for each slow reader" % ((full - empty) / count / 1024))
            if until_cut:
                findings += settled(server, before + 1)
            for connection in connections:
                connection.close()
        findings += bystander.findings + settled(server, before)
    print("   %d clients that never read: own memory %.1f -> %.1f MiB, %d KiB each; %s"
          % (count, empty / 2**20, full / 2**20, (full - empty) / count / 1024, bystander.figures))
    return findings


def slowhttptest(report, mode, words):
    if not shutil.which("slowhttptest"):
        print("skip slowhttptest: Scripts/setup.sh test-long installs it")
        return
    findings = []
    with serve("--header-timeout", "5s", "--body-timeout", "5s") as server, tempfile.TemporaryDirectory() as folder:
        before = faults.descriptors(server.process.pid)
        with Bystander(server) as bystander:
            ran = subprocess.run(["slowhttptest", "-c", "1000", "-r", "200", "-l", "20", "-p", "3", *words, "-u",
                                  "http://127.0.0.1:%d/v1/users/bystander/layout" % server.port], cwd=folder,
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        findings += bystander.findings + settled(server, before)
    status = re.findall(r"service available:\s+(\S+)", re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout))
    if not status:
        findings.append("slowhttptest said nothing: %s" % ran.stderr[-200:])
    print("   slowhttptest, slow %s: service available %s of %d times it looked; %s"
          % (mode, status.count("YES"), len(status), bystander.figures))
    report.clean("slowhttptest, slow %s" % mode, findings)


def reset_run(count, *bugs, within=pegboard.PATIENCE):
    """Connections that end with a reset, in each state that one can be in."""
    findings = []
    beginnings = [b"GET /v1/us", GET, GET * 20, b"",
                  b"PUT /v1/users/r/layout HTTP/1.1\r\nHost: x\r\nIf-Match: *\r\nContent-Length: 500\r\n\r\n{",
                  b"POST /v1/users/r/layout/operations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                  b"Content-Length: 43\r\n\r\n{\"operations\":[{\"op\":\"add\",\"id\":\"metro\"}]} "]
    with serve(environment=faults.seeded(*bugs)) as server:
        before, empty = faults.descriptors(server.process.pid), faults.resident(server.process.pid)
        with Bystander(server) as bystander:
            for number in range(count):
                connection = connect(server)
                connection.send(beginnings[number % len(beginnings)])
                if number % 4 == 0:
                    time.sleep(0.001)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()
        findings += bystander.findings + settled(server, before, within)
        after = faults.resident(server.process.pid)
        if after > empty + (16 << 20):
            findings.append("%d MiB are kept" % ((after - empty) >> 20))
    print("   %d resets: own memory %.1f -> %.1f MiB; %s"
          % (count, empty / 2**20, after / 2**20, bystander.figures))
    return findings


def half_closed_run(count, *bugs):
    """A client that has said all it will say still gets its answers; one that stopped in the middle is let go."""
    findings, answered = [], 0
    with serve(environment=faults.seeded(*bugs)) as server:
        before = faults.descriptors(server.process.pid)
        with Bystander(server) as bystander:
            for number in range(count):
                connection = connect(server)
                whole = number % 2 == 0
                connection.sendall(GET + GET if whole else GET + b"GET /v1/us")
                connection.shutdown(socket.SHUT_WR)
                text = b""
                try:
                    while True:
                        more = connection.recv(65536)
                        if not more:
                            break
                        text += more
                except OSError as error:
                    findings.append("half-closed: %r" % error)
                answered += text.count(b"HTTP/1.1 200") == (2 if whole else 1)
                connection.close()
        findings += bystander.findings + settled(server, before)
    if answered != count:
        findings.append("%d of %d half-closed clients got their answers" % (answered, count))
    print("   %d of %d half-closed clients answered; %s" % (answered, count, bystander.figures))
    return findings


def resets(report, options):
    report.clean("resets", reset_run(5000 if options.full else 1000))
    report.twin("leaks-sockets", reset_run(60, "leaks-sockets", within=5))
    report.clean("half-closed connections", half_closed_run(500 if options.full else 100))
    report.twin("half-closed-is-gone", half_closed_run(20, "half-closed-is-gone"))


def herd_run(count, *bugs):
    """Everybody changes one layout at once, each on the tag that they saw last, until it works."""
    findings, winners, tries, lock = [], {}, [], threading.Lock()
    with serve(environment=faults.seeded(*bugs)) as server:
        with server.client() as client:
            first = client.request("GET", faults.layout_path("herd")).headers["etag"]
        go = threading.Event()

        def writer(number):
            rng, tag, count_ = random.Random(number), first, 0
            try:
                with server.client(timeout=60) as client:
                    go.wait()
                    while True:
                        count_ += 1
                        answer = faults.put(client, "herd", faults.favorites(rng), tag)
                        if answer.status == 200:
                            version = answer.json()["layout"]["version"]
                            with lock:
                                tries.append(count_)
                                winners.setdefault(version, []).append(tag)
                            return
                        if answer.status == 412:
                            tag = answer.headers["etag"]
                        elif answer.status != 503:
                            raise ValueError(repr(answer))
                        time.sleep(rng.uniform(0, min(0.5, 0.002 * 2 ** min(count_, 8))))
            except (OSError, ValueError) as error:
                with lock:
                    findings.append("writer %d: %r" % (number, error))

        threads = [threading.Thread(target=writer, args=(number,)) for number in range(count)]
        with Bystander(server) as bystander:
            for thread in threads:
                thread.start()
            began = time.monotonic()
            go.set()
            for thread in threads:
                thread.join()
            lasted = time.monotonic() - began
        findings += bystander.findings
    twice = [version for version, tags in winners.items() if len(tags) > 1]
    stale = [(tags[0], version) for version, tags in winners.items()
             if int(re.match(r'"(\d+)', tags[0]).group(1)) != version - 1]
    if twice:
        findings.append("two winners of version %d" % twice[0])
    if stale:
        findings.append("a write on %s made version %d" % stale[0])
    if sorted(winners) != list(range(1, count + 1)):
        findings.append("%d writers made %d versions" % (count, len(winners)))
    print("   %d writers on one layout in %.1f s: tries p50 %d, most %d, all %d; %s"
          % (count, lasted, faults.percentile(tries, 0.5), max(tries, default=0), sum(tries), bystander.figures))
    return findings


def herd(report, _):
    report.clean("200 writers on one layout: one winner a version", herd_run(200))
    report.twin("ignore-if-match", herd_run(40, "ignore-if-match"))


SCENARIOS = {"bystander": held_up, "crowd": crowd, "descriptors": descriptors, "idle": idle, "slow": slow, "resets": resets,
             "herd": herd}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the long form")
    parser.add_argument("--only", choices=sorted(SCENARIOS), action="append")
    parser.add_argument("--watch", type=int, nargs=2, metavar=("PORT", "PID"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.watch:
        return watch(*options.watch)
    faults.require_seeds()
    report = faults.Report()
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for name in options.only or SCENARIOS:
        began = time.monotonic()
        SCENARIOS[name](report, options)
        print("   %s: %.1f s" % (name, time.monotonic() - began), flush=True)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
