#!/usr/bin/env python3
"""Eight devices of one user edit at once, through the client library and real sockets, behind a proxy that cuts their
connections, while the server and the devices themselves are killed with SIGKILL. Then the network heals, and what was
promised is held against what every device wrote down, what the server has, and its history.

    eight_devices.py              about 15 s: the short form, part of `make test`
    eight_devices.py --full       three minutes, 13,000 edits

Every run has a seeded twin: a life whose requests lose their Idempotency-Key on the way, in which the checker has to
find that something was carried out twice. devices_checker.py shows that it sees other faults too.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import pegboard  # noqa: E402
from cutting_proxy import CuttingProxy, field  # noqa: E402
from devices_checker import DEFAULTS, OWN, PINNED, SHARED, Life, check, gather, late, reports  # noqa: E402

PROGRAM = os.path.join(pegboard.ROOT, ".build", "debug", "eight-devices")
USER = "eight"


def catalog():
    functions = [{"id": name, "title": {"en": name}} for own in OWN.values() for name in own]
    functions += [{"id": name, "title": {"en": name}} for name in SHARED]
    functions += [{"id": PINNED, "title": {"en": PINNED}, "pin": 0, "removable": False},
                  {"id": "stays", "title": {"en": "stays"}, "removable": False}]
    return {"policy": {"minimum": 1, "limit": 15}, "defaults": DEFAULTS, "sections": [], "functions": functions}


class Place:
    """The server, wherever it is just now."""

    def __init__(self, folder, keep):
        self.database, self.catalog = os.path.join(folder, "pegboard.db"), os.path.join(folder, "catalog.json")
        with open(self.catalog, "w", encoding="utf-8") as file:
            json.dump(catalog(), file)
        self.keep, self.kills, self.server = keep, 0, None
        self.start()

    def start(self):
        self.server = pegboard.Server("serve", "--catalog", self.catalog, "--history", str(self.keep), "--drain-delay",
                                      "0s", database=self.database).start()

    def port(self):
        return self.server.port if self.server else None

    def kill_until(self, stop, rng, pause):
        while not stop.wait(rng.uniform(0.5, 1.5) * pause):
            server, self.server = self.server, None
            server.kill()
            server.__exit__()
            self.kills += 1
            self.start()


def read(server):
    """The layout, and the whole history that is kept, newest first."""
    with server.client() as client:
        layout = client.request("GET", "/v1/users/%s/layout" % USER).json()
        revisions, token = [], ""
        while token is not None:
            page = client.request("GET", "/v1/users/%s/layout/revisions?pageSize=200%s" % (USER, token)).json()
            revisions += page["revisions"]
            token = "&pageToken=" + page["nextPageToken"] if "nextPageToken" in page else None
    return layout, revisions


def lines(folder):
    found = []
    for name in sorted(os.listdir(folder)):
        if name.startswith("record-"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found += [json.loads(line) for line in file if line.endswith("\n")]
    return found


def copies(proxy):
    """What was answered to copies of writes that the network had made."""
    found = []
    for request, answer in proxy.copies:
        head, end, body = answer.partition(b"\r\n\r\n")
        client, key = field(request, b"pegboard-client").decode(), field(request, b"idempotency-key")
        if key and end:
            found.append({"what": "copy", "device": client[client.index("(") + 1:-1], "key": key.decode(),
                          "status": int(head.split(b" ")[1]), "body": body.decode(),
                          "isReplay": field(head, b"idempotency-replayed") == b"true"})
    return found


def edits_made(folder):
    made = 0
    for name in os.listdir(folder):
        if name.startswith("record-"):
            with open(os.path.join(folder, name), "rb") as file:
                made += file.read().count(b'"what":"made"')
    return made


def live(edits, runs, pause, keep, rng, strip=()):
    """One life: `runs` programs with `edits` edits each, all but the last killed on the way."""
    began = time.monotonic()
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # counts are tested here, not disks
    with tempfile.TemporaryDirectory(prefix="pegboard-eight-", dir=where) as folder:
        place, stop = Place(folder, keep), threading.Event()
        killer = threading.Thread(target=place.kill_until, args=(stop, rng, pause)) if pause else None
        try:
            with CuttingProxy(place.port, random.Random(rng.random()), strip=strip) as proxy:
                if killer:
                    killer.start()
                for run in range(1, runs + 1):
                    goal = edits_made(folder) + edits * rng.uniform(0.5, 0.9)
                    end = play(folder, proxy.port, run, edits, goal if run < runs else None, [
                        stop.set, killer.join if killer else int, proxy.heal])
                layout, revisions = read(place.server)
                life = Life(lines(folder) + copies(proxy), layout["version"], layout["favorites"], revisions)
        finally:
            stop.set()
            if killer and killer.is_alive():
                killer.join()
            place.server.__exit__()
        findings = ["the devices ended with %r" % (end,)] if end and not strip else []
        findings += check(life)
        say(life, proxy, place, runs, time.monotonic() - began)
        return findings


def play(folder, port, run, edits, goal, healing):
    """One program: killed when `goal` edits are written down, else brought to rest. Gives what went wrong with it."""
    program = subprocess.Popen(
        [PROGRAM, "http://127.0.0.1:%d" % port, USER, folder, str(run), str(edits)], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        if goal is not None:
            while program.poll() is None and edits_made(folder) < goal:
                time.sleep(0.05)
            return None
        said = program.stdout.readline()
        for heal in healing:
            heal()
        if said != "edited\n":
            return said
        rest, _ = program.communicate("\n", timeout=90)
        return (program.returncode, rest) if program.returncode else None
    finally:
        program.kill()
        program.wait()
        program.stdin.close()
        program.stdout.close()


def say(life, proxy, place, runs, seconds):
    made = [line for line in life.lines if line["what"] == "made"]
    answers = [line for line in life.lines if line["what"] == "answer"]
    skipped = sum(line["body"].count('"skipped"') for line in answers if line["status"] == 200)
    print("   %d edits (%d refused by the device), %d requests sent, %d answered, %d of these from the record, %d"
          " refused; %d versions, %d operations skipped, %d reports; %d requests and %d streams cut, %d sent twice, %d"
          " pages of 502; %d kills of the server, %d of the devices;"
          " %d copies of refused requests carried out; %.1f s"
          % (len(made), sum("refused" in line for line in made), sum(line["what"] == "sent" for line in life.lines),
             len(answers), sum(line["isReplay"] for line in answers), sum(400 <= a["status"] < 500 for a in answers),
             life.version, skipped, sum(map(len, reports(life.lines).values())),
             proxy.cuts() - proxy.counts["streams cut"], proxy.counts["streams cut"],
             proxy.counts["sent twice at once"] + proxy.counts["sent again later"], proxy.counts["answered 502"],
             place.kills, runs - 1, len(late(gather(life.lines)[0])), seconds), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    print("seed %d" % options.seed)
    rng = random.Random(options.seed)
    scale = 20 if options.full else 1
    lives = [
        ("all of the history kept", dict(edits=200 * scale, runs=3, pause=0.8, keep=100_000)),
        ("a history of four versions", dict(edits=120 * scale, runs=2, pause=0.8, keep=4)),
    ]
    passed = failed = 0
    for title, life in lives:
        findings = live(rng=rng, **life)
        passed, failed = passed + (not findings), failed + bool(findings)
        print("%s %s: %d findings" % ("FAIL" if findings else "ok  ", title, len(findings)), flush=True)
        for finding in findings[:20]:
            print("     %s" % finding)
    findings = live(120, 1, None, 100_000, rng, strip=["Idempotency-Key"])
    twice = [finding for finding in findings if "made by no acknowledged request" in finding]
    passed, failed = passed + bool(twice), failed + (not twice)
    print("%s the twin without Idempotency-Key: %s" % ("ok  " if twice else "FAIL", twice[0] if twice else findings))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
