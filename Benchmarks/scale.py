#!/usr/bin/env python3
"""What so many users need on PostgreSQL: the sums and the simulation behind Documentation/scale.md. Prints its tables.

    scale.py                                    from the costs below
    scale.py change_database=400 daily=0.6      from others, and from other habits

A cost is CPU time, so it adds up. What waits is simulated: requests come at random, and each takes a core of the database
for its share, from a queue where all of them are busy.
"""
import dataclasses
import heapq
import random
import sys


@dataclasses.dataclass
class Costs:
    """Of one operation at 64 clients, as the chapter `postgresql` of run.py measures it: µs of CPU and bytes."""
    read_server: float
    read_database: float
    read_bytes: float
    change_server: float
    change_database: float
    change_bytes: float
    change_log: float
    # A look at a thousand watched users in one statement, which every server takes twice a second.
    look_database: float
    # In the tables and their indexes, with one version of history, and for each further one.
    user_bytes: float
    version_bytes: float


@dataclasses.dataclass
class Habits:
    """What people do. All of it is assumed."""
    daily: float = 0.4  # come on a day,
    opens: float = 6  # so often each,
    edits: float = 0.02  # and change something so often when they do;
    peak: float = 2.5  # the busiest hour over the average one;
    watching: float = 60  # seconds in which an open app watches its layout;
    versions: float = 10  # of history, of a layout in the middle


MEASURED = Costs(
    read_server=0, read_database=0, read_bytes=0, change_server=0, change_database=0, change_bytes=0, change_log=0,
    look_database=0, user_bytes=0, version_bytes=0)
# How busy the busiest hour may find a core.
BUSY = 0.5


class Load:
    """What a number of users asks for in the busiest hour."""

    def __init__(self, title, costs, habits, reads, changes, streams, users):
        self.title, self.reads, self.changes, self.streams, self.users = title, reads, changes, streams, users
        self.costs, self.habits = costs, habits

    @classmethod
    def of_users(cls, users, costs, habits):
        opens = users * habits.daily * habits.opens * habits.peak / 86_400
        return cls("%d million users" % (users / 1e6), costs, habits, opens, opens * habits.edits, opens * habits.watching,
                   users)

    @classmethod
    def of_requests(cls, rate, costs, habits):
        return cls("{:,} requests a second".format(rate), costs, habits, rate / (1 + habits.edits),
                   rate - rate / (1 + habits.edits), 0, None)

    def server_cores(self):
        return (self.reads * self.costs.read_server + self.changes * self.costs.change_server) / 1e6 / BUSY

    def database_parts(self):
        """Cores, for reads, for changes and for looking at who is watched."""
        return [rate * cost / 1e6 / BUSY for rate, cost in (
            (self.reads, self.costs.read_database), (self.changes, self.costs.change_database),
            (self.streams / 1000 * 2, self.costs.look_database))]

    def row(self):
        database = self.database_parts()
        return [self.title, number(self.reads), number(self.changes), number(self.streams) if self.streams else "–",
                number(self.server_cores()), "%s (%s)" % (number(sum(database)), " + ".join(map(number, database))),
                number((self.reads * self.costs.read_bytes + self.changes * self.costs.change_bytes) * 8 / 1e6),
                number(self.changes * self.costs.change_log / 1e6),
                number(self.users * (self.costs.user_bytes + self.costs.version_bytes * (self.habits.versions - 1)) / 1e9)
                if self.users else "–"]

    def waits(self, cores, requests=200_000):
        """The p50 and the p99 of what a request takes in a database of so many cores, in ms."""
        rng, free, took, now = random.Random(1), [0.0] * cores, [], 0.0
        share = self.changes / (self.reads + self.changes)
        for _ in range(requests):
            now += rng.expovariate(self.reads + self.changes)
            mean = self.costs.change_database if rng.random() < share else self.costs.read_database
            end = max(now, heapq.heappop(free)) + rng.expovariate(1e6 / mean)
            heapq.heappush(free, end)
            took.append((end - now) * 1000)
        took.sort()
        return took[len(took) // 2], took[len(took) * 99 // 100]


def number(value):
    return "{:,.0f}".format(value) if value >= 10 else "%.2g" % value


def table(head, rows):
    return "\n".join("| %s |" % " | ".join(cells) for cells in [head, ["---"] * len(head), *rows])


def main():
    costs, habits = dataclasses.replace(MEASURED), Habits()
    for argument in sys.argv[1:]:
        name, _, value = argument.partition("=")
        target = next((t for t in (costs, habits) if hasattr(t, name)), None)
        if target is None:
            sys.exit("scale.py: there is no %s" % name)
        setattr(target, name, float(value))
    loads = [*(Load.of_users(users, costs, habits) for users in (10_000_000, 100_000_000)),
             Load.of_requests(50_000, costs, habits)]
    print(table(["in the busiest hour", "reads a second", "changes a second", "streams", "cores of servers",
                 "cores of the database (reads + changes + looks)", "Mbit/s between them", "MB/s of log", "GB in tables"],
                [load.row() for load in loads]))
    print()
    rows = []
    for load in loads:
        for spare in (1.25, 2, 4):
            busy = sum(load.database_parts()[:2]) * BUSY
            cores = max(1, round(busy * spare))
            rows.append([load.title, str(cores), "%.0f %%" % (100 * busy / cores),
                         *("%.2f" % value for value in load.waits(cores))])
    print(table(["simulated", "cores of the database", "busy", "p50, ms of CPU and queue", "p99"], rows))


if __name__ == "__main__":
    main()
