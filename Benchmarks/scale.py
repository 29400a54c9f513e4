#!/usr/bin/env python3
"""What so many users need on PostgreSQL: the sums and the simulation behind Documentation/scale.md. Prints its tables.

    scale.py                                    from the costs below
    scale.py look_database=2000 daily=0.6       from others, and from other habits

A cost is CPU time, so it adds up. What waits is simulated: requests come at random, and each takes a core of the database
for its share, from a queue where all of them are busy.
"""
import dataclasses
import heapq
import math
import random
import sys


@dataclasses.dataclass
class Costs:
    """Of one operation, as the chapter `postgresql` of run.py measures it: µs of CPU and bytes."""
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


# Of one client, who shares a round with nobody, and of 64, who do. Few requests on many servers are like the former.
ALONE = Costs(
    read_server=110, read_database=49, read_bytes=529, change_server=185, change_database=206, change_bytes=510,
    change_log=758, look_database=1_500, user_bytes=700, version_bytes=307)
SHARED = dataclasses.replace(
    ALONE, read_server=24, read_database=8.5, read_bytes=261, change_server=34, change_database=29, change_bytes=330,
    change_log=704)
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

    def statements(self):
        """What the database is asked, with how often a second and the µs that it takes: reads, changes, looks."""
        return [(self.reads, self.costs.read_database), (self.changes, self.costs.change_database),
                (self.streams / 1000 * 2, self.costs.look_database)]

    def busy_cores(self):
        return [rate * cost / 1e6 for rate, cost in self.statements()]

    def row(self):
        database = [cores / BUSY for cores in self.busy_cores()]
        return [self.title, number(self.reads), number(self.changes), number(self.streams) if self.streams else "–",
                number(self.server_cores()), "%s (%s)" % (number(sum(database)), " + ".join(map(number, database))),
                number((self.reads * self.costs.read_bytes + self.changes * self.costs.change_bytes) * 8 / 1e6),
                number(self.changes * self.costs.change_log / 1e6),
                number(self.users * (self.costs.user_bytes + self.costs.version_bytes * (self.habits.versions - 1)) / 1e9)
                if self.users else "–"]

    def waits(self, cores, requests=200_000):
        """The p50 and the p99 of what a read takes in a database of so many cores, in ms."""
        rng, free, took, now = random.Random(1), [0.0] * cores, [], 0.0
        rates, costs = zip(*self.statements())
        kinds = rng.choices(range(3), rates, k=requests)
        for kind in kinds:
            now += rng.expovariate(sum(rates))
            end = max(now, heapq.heappop(free)) + rng.expovariate(1e6 / costs[kind])
            heapq.heappush(free, end)
            if kind == 0:
                took.append((end - now) * 1000)
        took.sort()
        return took[len(took) // 2], took[len(took) * 99 // 100]


def number(value):
    return "{:,.0f}".format(value) if value >= 10 else "%.2g" % value


def table(head, rows):
    return "\n".join("| %s |" % " | ".join(cells) for cells in [head, ["---"] * len(head), *rows])


def main():
    alone, shared, habits = dataclasses.replace(ALONE), dataclasses.replace(SHARED), Habits()
    for argument in sys.argv[1:]:
        name, _, value = argument.partition("=")
        targets = [target for target in (alone, shared, habits) if hasattr(target, name)]
        if not targets:
            sys.exit("scale.py: there is no %s" % name)
        for target in targets:
            setattr(target, name, float(value))
    loads = [*(Load.of_users(users, alone, habits) for users in (10_000_000, 100_000_000)),
             Load.of_requests(50_000, shared, habits)]
    print(table(["in the busiest hour", "reads a second", "changes a second", "streams", "cores of servers",
                 "cores of the database (reads + changes + looks)", "Mbit/s between them", "MB/s of log", "GB in tables"],
                [load.row() for load in loads]))
    print()
    rows = []
    for load in loads:
        busy = sum(load.busy_cores())
        for cores in sorted({math.ceil(busy * 1.1), math.ceil(busy / BUSY)}):
            rows.append([load.title, str(cores), "%.0f %%" % (100 * busy / cores),
                         *("%.2f" % value for value in load.waits(cores))])
    print(table(["simulated", "cores of the database", "busy", "a read's p50, ms in queue and core", "p99"], rows))


if __name__ == "__main__":
    main()
