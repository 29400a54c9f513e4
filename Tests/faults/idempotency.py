#!/usr/bin/env python3
"""kill -9 and repeat: a write that got no answer is repeated with its Idempotency-Key, and counts once.

    idempotency.py                8 kills: the short form, part of `make test`
    idempotency.py --full         100 kills

Every client writes pairs of moves that are not idempotent by themselves, each pair in a request with a key. When the server is killed under them they send the same request again, byte for byte, until they are answered. In the end the
version is the number of acknowledged writes, and the list is the model's after each of them once.
"""
import argparse
import collections
import os
import random
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import faults  # noqa: E402
import pegboard  # noqa: E402

CLIENTS = 24


class Client(threading.Thread):
    def __init__(self, number, place):
        super().__init__(daemon=True)
        self.user, self.place, self.rng = "once-%d" % number, place, random.Random(number)
        self.acks = self.repeated = self.replayed = 0
        self.findings, self.stopping = [], threading.Event()
        # When it was acknowledged something, and how often it got another status and code.
        self.moments, self.refusals = [], collections.Counter()
        # What a user's movable items are at the start, behind the two that stay in front.
        self.items = ["transfer", "transit-code", "phone-topup", "food-delivery", "ride", "lock-card"]

    def run(self):
        connection = None
        while not self.stopping.is_set() and not self.findings:
            key = '"%s-%d"' % (self.user, self.acks)
            moves, after = next_moves(self.rng, self.items)
            attempts = 0
            while True:
                attempts += 1
                try:
                    connection = connection or self.place.server.client()
                    answer = connection.request("POST", faults.layout_path(self.user) + "/operations",
                                                {"Idempotency-Key": key}, body(moves))
                except OSError:
                    connection = None
                    if attempts > 3000:
                        self.findings.append("%s: no answer" % self.user)
                        return
                    time.sleep(0.01)
                    continue
                if answer.status not in (502, 503, 504):
                    break
                self.refusals[faults.named(answer)] += 1
                time.sleep(0.01)
            self.moments.append(time.monotonic())
            self.acks, self.items = self.acks + 1, after
            self.repeated += attempts > 1
            self.replayed += answer.headers.get("idempotency-replayed") == "true"
            if answer.status != 200 or answer.json()["layout"]["version"] != self.acks:
                self.findings.append("%s: write %d, sent %d times, was answered %r"
                                     % (self.user, self.acks, attempts, answer))


def next_moves(rng, items):
    """Two moves that change the list, and would change it again if they were made twice; and the list after them."""
    while True:
        first, second, third = rng.sample(items, 3)
        moves = [(first, second), (second, third)]
        once = moved(items, moves)
        if once != items and moved(once, moves) != once:
            return moves, once


def body(moves):
    return {"operations": [{"op": "move", "id": item, "at": {"after": anchor}} for item, anchor in moves]}


def moved(items, moves):
    items = list(items)
    for item, anchor in moves:
        items.remove(item)
        items.insert(items.index(anchor) + 1, item)
    return items


class Place:
    server = None


def run(kills, rng, *bugs):
    findings, place = [], Place()
    with faults.memory_folder("idempotency") as folder:
        path = os.path.join(folder, "pegboard.db")

        def start():
            return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--history", "100000", "--drain-delay",
                                   "0s", database=path, environment=faults.seeded(*bugs)).start()

        place.server = start()
        clients = [Client(number, place) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        for _ in range(kills):
            time.sleep(rng.uniform(0.05, 0.3))
            place.server.kill()
            place.server = start()
            if any(client.findings for client in clients):
                break
        for client in clients:
            client.stopping.set()
        for client in clients:
            client.join(60)
            findings += client.findings
        with place.server.client() as reader:
            findings += misread(clients, reader)
        place.server.terminate()
        findings += miscounted(clients, faults.Rows(path), bugs)
    print("   %d kills, %s" % (kills, told(clients)))
    if not sum(client.repeated for client in clients):
        findings.append("nothing was sent again: this run has tested nothing")
    return findings


def misread(clients, reader):
    """Whose layout isn't what their writes make, each of them once."""
    for client in clients:
        layout = reader.request("GET", faults.layout_path(client.user)).json()
        if not client.findings and (layout["version"], layout["favorites"][2:]) != (client.acks, client.items):
            yield ("%s is at version %d with %s after %d writes"
                   % (client.user, layout["version"], layout["favorites"], client.acks))


def miscounted(clients, rows, bugs=()):
    """What is wrong in the closed database."""
    yield from rows.findings
    for client in clients if not rows.findings and not bugs else ():
        if sum(1 for user, _ in rows.records if user == client.user) != client.acks:
            yield "%s has another number of records than of writes" % client.user


def told(clients):
    return ("%d acknowledged writes, %d sent again, %d of these had been done and were answered from the record"
            % (sum(client.acks for client in clients), sum(client.repeated for client in clients),
               sum(client.replayed for client in clients)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="100 kills")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    faults.require_seeds()
    rng, report = faults.generator(options.seed), faults.Report()
    report.clean("exactly once", run(options.kills or (100 if options.full else 8), rng))
    report.twin("no-idempotency", run(60, rng, "no-idempotency"))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
