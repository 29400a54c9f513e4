"""RESULTS.md: every target with its verdict, then the figures. Ratios are taken within a round; what is shown is the median
of the rounds and their range."""
import json
import math
import os
import statistics

from suite import machine, plot

RESULTS = os.path.join(machine.HERE, "RESULTS.md")
GO = "Go net/http + SQLite"
NGINX = ("nginx, 1 worker", "nginx, 2 workers")


class Missing(Exception):
    """Wasn't measured."""


class Figures:
    """The rounds of one chapter."""

    def __init__(self, rounds):
        self.rounds = rounds

    def of(self, name, figure):
        values = [round_[name][figure] for round_ in self.rounds if name in round_ and figure in round_[name]]
        if not values:
            raise Missing
        return values

    def least(self, names, figure):
        """In each round, of the peer that did best."""
        there = [name for name in names if any(name in round_ for round_ in self.rounds)]
        if not there:
            raise Missing
        return [min(values) for values in zip(*(self.of(name, figure) for name in there))]

    def worst(self, names, figure):
        return [max(values) for values in zip(*(self.of(name, figure) for name in names))]


def ratios(ours, theirs):
    return [a / b for a, b in zip(ours, theirs)]


class Line:
    """One target: what it is about, the bound on the median, and where the values come from."""

    def __init__(self, work, measured, chapter, values, at_most=None, at_least=None, unit=""):
        self.work, self.measured, self.chapter, self.values = work, measured, chapter, values
        self.at_most, self.at_least, self.unit = at_most, at_least, unit

    def target(self):
        sign, bound = ("≤", self.at_most) if self.at_most is not None else ("≥", self.at_least)
        return "%s %s%s" % (sign, number(bound), self.unit)

    def row(self, state):
        try:
            values = self.values(Figures(state["chapters"].get(self.chapter, [])))
        except Missing:
            return (self.work, self.measured, self.target(), "not measured", "–")
        median = statistics.median(values)
        is_reached = median <= self.at_most if self.at_most is not None else median >= self.at_least
        return (self.work, self.measured, self.target(), shown(values, self.unit), "reached" if is_reached else "**missed**")


def number(value):
    if value >= 100:
        return "{:,.0f}".format(value)
    return "%.3g" % value if value >= 10 else "%.2f" % value


def shown(values, unit=""):
    return "%s%s (%s–%s)" % (number(statistics.median(values)), unit, number(min(values)), number(max(values)))


def against_layout(name):
    return lambda f: ratios(f.of(name, "cpu_us"), f.of("layout", "cpu_us"))


def against_go(clients, figure="rate"):
    return lambda f: ratios(f.of("pegboard, %d" % clients, figure), f.of("%s, %d" % (GO, clients), figure))


def against_update(clients):
    return lambda f: ratios(f.of("move, %d" % clients, "rate"), f.of("plain UPDATE, prepared, %d" % clients, "rate"))


def against_sqlite(clients):
    return lambda f: ratios(f.of("pegboard, %d" % clients, "rate"), f.of("SQLite alone, move, %d" % clients, "rate"))


def sizes(figures, what):
    return sorted(int(name.split(", ")[1]) for name in figures.rounds[0] if name.startswith(what)) if figures.rounds else []


def against_log(what):
    """How much more it costs at the most users than at the fewest, over how much longer the logarithm is."""
    def values(figures):
        users = sizes(figures, what)
        if not users:
            raise Missing
        least, most = ("%s, %d" % (what, count) for count in (users[0], users[-1]))
        longer = math.log(users[-1]) / math.log(users[0])
        return [ratio / longer for ratio in ratios(figures.of(most, "cpu_us"), figures.of(least, "cpu_us"))]
    return values


def bytes_a_user(figures):
    users = sizes(figures, "size")
    if not users:
        raise Missing
    return figures.of("size, %d" % users[-1], "bytes_a_user")


CPU = "CPU a request: "
LINES = [
    Line("GET layout, cached, 64 connections", CPU + "over nginx's, the better of 1 and 2 workers", "reads",
         lambda f: ratios(f.of("layout", "cpu_us"), f.least(NGINX, "cpu_us")), at_most=0.95),
    Line("", CPU + "over the bare epoll responder's", "reads",
         lambda f: ratios(f.of("layout", "cpu_us"), f.of("bare epoll responder", "cpu_us")), at_most=1.3),
    # With one worker nginx leaves the other core to wrk, and p99 would say which of the two had to wait for a core.
    Line("", "p99 over nginx's with two workers: a thread a core, as here", "reads",
         lambda f: ratios(f.of("layout", "p99_us"), f.of("nginx, 2 workers", "p99_us")), at_most=1.0),
    Line("304 with `If-None-Match`", CPU + "over the cached GET's", "reads", against_layout("304"), at_most=1.0),
    Line("probes: `/livez`", CPU + "over the cached GET's", "reads", against_layout("livez"), at_most=1.0),
    Line("probes: `/readyz`", CPU + "over the cached GET's", "reads", against_layout("readyz"), at_most=1.0),
    Line("GET layout, cold, 1,000,000 users", CPU + "over Go's from SQLite", "cold",
         lambda f: ratios(f.of("pegboard", "cpu_us"), f.of(GO, "cpu_us")), at_most=0.5),
    *[Line("durable moves, %d client%s" % (clients, "" if clients == 1 else "s"), "a second, over Go's", "moves",
           against_go(clients), at_least=bound) for clients, bound in ((1, 1.0), (16, 5.0), (64, 7.0), (256, 9.0))],
    Line("durable moves, 64 clients", "p99 over Go's", "moves", against_go(64, "p99_us"), at_most=1.0),
    *[Line("durable moves, %d client%s" % (clients, "" if clients == 1 else "s"),
           "a second, over SQLite alone with as many a commit", "moves", against_sqlite(clients), at_least=0.6)
      for clients in (1, 16, 64, 256)],
    *[Line("durable moves on PostgreSQL, %d client%s" % (clients, "" if clients == 1 else "s"),
           "a second, over a plain UPDATE by pgbench", "postgresql", against_update(clients), at_least=0.6)
      for clients in (1, 16, 64)],
    Line("page, 90 functions, written anew", CPU.rstrip(": "), "cold", lambda f: f.of("page, written anew", "cpu_us"),
         at_most=60, unit=" µs"),
    Line("page, cached", CPU + "over the layout GET's", "reads", against_layout("page"), at_most=1.3),
    Line("mixed: 90 % GET, 8 % 304, 2 % moves, 256 connections", "the slowest request", "mixed",
         lambda f: [value / 1000 for value in f.worst(("get", "304", "move"), "max_us")], at_most=250, unit=" ms"),
    Line("", "GETs' p99 over that of GETs alone", "mixed",
         lambda f: ratios(f.of("get", "p99_us"), f.of("GETs alone", "p99_us")), at_most=2.0),
    Line("10,000 idle connections", "memory each", "idle", lambda f: f.of("10,000 idle", "kb_each"), at_most=4, unit=" KB"),
    Line("", "rate of 256 active ones beside them over that alone", "idle",
         lambda f: ratios(f.of("256 active beside 10,000 idle", "rate"), f.of("256 active", "rate")), at_least=0.85),
    Line("catalog publish, 1,000,000 users", "time", "publishing", lambda f: f.of("publishing", "ms"), at_most=50,
         unit=" ms"),
    Line("", "reads' p99 meanwhile over that alone", "publishing",
         lambda f: ratios(f.of("reads meanwhile", "p99_us"), f.of("reads alone", "p99_us")), at_most=2.0),
    Line("growth of a cold GET with the users", "its CPU's growth over the logarithm's", "growth", against_log("get"),
         at_most=1.0),
    Line("growth of a move with the users", "its CPU's growth over the logarithm's", "growth", against_log("move"),
         at_most=1.0),
    Line("a user in the file, 12 favorites, no history", "bytes", "growth", bytes_a_user, at_most=400),
    Line("idle, static executable", "memory", "starting", lambda f: f.of("pegboard", "mb"), at_most=12, unit=" MB"),
    Line("start to the first 200", "time", "starting", lambda f: f.of("pegboard", "ms"), at_most=15, unit=" ms"),
    *[Line("rule engine alone", what, "parts", lambda f, name=name: f.of(name, "us"), at_most=bound, unit=" µs")
      for what, name, bound in (
          ("a move on 12 items", "move, 12 items", 1), ("a move on 300 items", "move, 300 items", 10),
          ("healing against 100 functions", "heal, 12 items, 100 functions", 5))],
]


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| %s |" % " | ".join(cells) for cells in lines) + "\n"


def cells(chapter, name, *wanted):
    """The median and range of each of `figure` or `(figure, factor)`; a dash where nobody measured it."""
    row = []
    for figure in wanted:
        figure, factor = figure if isinstance(figure, tuple) else (figure, 1)
        try:
            row.append(shown([value * factor for value in chapter.of(name, figure)]))
        except Missing:
            row.append("–")
    return row


MS = ("p99_us", 1 / 1000)


def reads(state):
    chapter = Figures(state["chapters"].get("reads", []))
    names = {"layout": "Pegboard: layout", "304": "Pegboard: 304", "page": "Pegboard: page", "page 304": "Pegboard: page, 304",
             "livez": "Pegboard: `/livez`", "readyz": "Pegboard: `/readyz`"}
    present = list(chapter.rounds[0]) if chapter.rounds else []
    rows = [[names.get(name, name), *cells(chapter, name, "cpu_us", "rate", MS)] for name in present]
    others = Figures(state["chapters"].get("postgresql", []))
    rows.append(["Kinto on PostgreSQL", *cells(others, "Kinto, get", "cpu_us", "rate", MS)])
    cold = Figures(state["chapters"].get("cold", []))
    for name in list(cold.rounds[0]) if cold.rounds else []:
        title = {"pegboard": "Pegboard"}.get(name, name)
        rows.append(["%s, cold" % title if "page" not in name else "Pegboard: " + name,
                     *cells(cold, name, "cpu_us", "rate", MS)])
    return table(["GET", "CPU µs a request", "requests a second", "p99 ms"], rows)


def moves(state):
    chapter = Figures(state["chapters"].get("moves", []))
    rows = []
    for name in ("pegboard", GO, "FastAPI + uvicorn, 2 workers", "SQLite alone, move", "SQLite alone, ring",
                 "SQLite alone, row"):
        rows.append([{"pegboard": "Pegboard"}.get(name, name),
                     *(cells(chapter, "%s, %d" % (name, clients), "rate")[0] for clients in (1, 16, 64, 256)),
                     cells(chapter, "%s, 64" % name, MS)[0]])
    return table(["durable moves a second", "1 client", "16", "64", "256", "p99 ms at 64"], rows)


def postgresql(state):
    chapter = Figures(state["chapters"].get("postgresql", []))
    rows = [[title, *(cells(chapter, "%s, %d" % (name, clients), "rate")[0] for clients in (1, 16, 64)),
             *cells(chapter, name + ", 64", "cpu_us", "database_us", "statements", "sent", "received", "log_bytes")]
            for title, name in (("Pegboard, a move", "move"), ("Pegboard, a read", "get"))]
    rows.insert(1, ["Pegboard, a user's first move",
                    *(cells(chapter, "first move, %d" % clients, "rate")[0] for clients in (1, 16, 64)),
                    *cells(chapter, "first move, 64", "cpu_us", "database_us"), "–", "–", "–",
                    *cells(chapter, "first move, 64", "log_bytes")])
    for protocol in ("prepared", "simple"):
        name = "plain UPDATE, " + protocol
        rows.append(["pgbench, " + name, *(cells(chapter, "%s, %d" % (name, clients), "rate")[0] for clients in (1, 16, 64)),
                     "–", *cells(chapter, name + ", 64", "cpu_us"), "–", "–", "–", "–"])
    rows.append(["Kinto, PATCH of a list", *(cells(chapter, "Kinto, move, %d" % clients, "rate")[0] for clients in (1, 16, 64)),
                 *cells(chapter, "Kinto, move, 64", "cpu_us"), "with its server's", "–", "–", "–", "–"])
    return table(["on PostgreSQL, a second", "1 client", "16", "64", "CPU µs of the server, at 64", "of the database",
                  "statements a request", "bytes there", "and back", "bytes of log"], rows)


def starting(state):
    chapter = Figures(state["chapters"].get("starting", []))
    names = list(chapter.rounds[0]) if chapter.rounds else []
    return table(["start", "to the first answer, ms", "memory then, MB"],
                 [[{"pegboard": "Pegboard"}.get(name, name), *cells(chapter, name, "ms", "mb")] for name in names])


def parts(state):
    chapter = Figures(state["chapters"].get("parts", []))
    names = list(chapter.rounds[0]) if chapter.rounds else []
    return table(["part", "µs"], [[name, *cells(chapter, name, "us")] for name in names])


def instructions():
    with open(os.path.join(machine.HERE, "instructions.json"), encoding="utf-8") as file:
        record = json.load(file)
    paths = record["paths"]
    parts = sorted({name for figures in paths.values() for name in figures["parts"]},
                   key=lambda name: -max(figures["parts"].get(name, 0) for figures in paths.values()))
    rows = [[name, "{:,}".format(figures["instructions"]), str(figures["allocations"]),
             *("{:,}".format(figures["parts"].get(part, 0)) for part in parts)] for name, figures in paths.items()]
    return ", ".join(record["environment"].values()), table(["request", "instructions", "allocations", *parts], rows)


def plots(state):
    """Draws what there is to draw; the lines of Markdown that show it."""
    shown_ = []
    growth = Figures(state["chapters"].get("growth", []))
    users = sizes(growth, "size")
    if users:
        curves = {title: [(count, statistics.median(growth.of("%s, %d" % (what, count), "cpu_us"))) for count in users]
                  for title, what in (("a cold GET", "get"), ("a durable move, 64 clients", "move"))}
        plot.write(os.path.join(machine.HERE, "users.svg"), "CPU µs a request by users in the file", curves)
        shown_.append("![CPU a request by the number of users](users.svg)")
    chapter = Figures(state["chapters"].get("connections", []))
    if chapter.rounds:
        curves = {}
        for name in chapter.rounds[0]:
            peer, _, count = name.rpartition(", ")
            title = {"pegboard": "Pegboard"}.get(peer, peer)
            curves.setdefault(title, []).append((int(count), statistics.median(chapter.of(name, "cpu_us"))))
        plot.write(os.path.join(machine.HERE, "connections.svg"), "CPU µs a cached GET by connections", curves)
        shown_.append("![CPU a request by the number of connections](connections.svg)")
    return "\n".join(shown_)


def write(state):
    rows = [line.row(state) for line in LINES]
    verdicts = [row[-1] for row in rows]
    busiest = max([value for pair in state["load"].values() for value in pair[:1]], default=0)
    rounds = max((len(rounds) for rounds in state["chapters"].values()), default=0)
    toolchain, counts = instructions()
    text = TEMPLATE.format(
        machine=state["machine"], length="make bench-long" if state["length"] == "long" else "make bench",
        revision=state["revision"], rounds=rounds, seconds=state["seconds"], load="%.1f" % busiest,
        reached=verdicts.count("reached"), missed=verdicts.count("**missed**"), absent=verdicts.count("–"),
        targets=table(["work", "measured", "target", "median (range)", "verdict"], rows), plots=plots(state),
        reads=reads(state), moves=moves(state), postgresql=postgresql(state), starting=starting(state), parts=parts(state), toolchain=toolchain, counts=counts)
    with open(RESULTS, "w", encoding="utf-8") as file:
        file.write(text)


TEMPLATE = """# Results

Written by `{length}` at {revision}: {rounds} rounds, runs of {seconds} s; nobody edits this page by hand. {reached} targets
reached, {missed} missed, {absent} not measured.

Machine: {machine}.
The load average as a chapter began was {load} at most: the suite's own is below 4. What else a machine does makes times longer
and ranges wider; ratios of CPU within a round suffer least, rates and p99 most.

## Targets

{targets}
{plots}

## Reading

Pegboard has everything on: HS256 tokens verified, the access log written (to /dev/null), metrics counted. The peers have none
of that. All answer the same layout of ninety favorites on 64 connections (Kinto 16); `cold` reads users of twelve out of a
million, each once.

{reads}
## Writing

One request is one move that changes something and is on the disk when it is answered: WAL, `synchronous=FULL`, in one
row of the layout and one of its history. The peers commit each by itself. *SQLite alone* is no server: as many moves a commit
as there are clients, with a history that grows at one end, as the peers have it; `ring` with one written over as Pegboard's is,
`row` without reading and history. What was answered is compared with what was stored, round by round.

{moves}
On PostgreSQL, as durable as it comes (`fsync`, `synchronous_commit`), database and server on the same machine. A move there
writes the layout, its history and what it replaces, in one statement; a user's first one, without having read, is two. The plain `UPDATE … WHERE user_id = … AND version > 0` changes one row, by
pgbench: planned once for all (`-M prepared`), which is what moves are held to, and each time anew (`-M simple`). Kinto changes a record of its own, on a PostgreSQL of its own, in the same rounds.

{postgresql}
## Starting

{starting}
## Parts

The program's parts by themselves, on one thread, without sockets (`bench-parts`). A durable change is one of the store's, on a
disk, among so many at a time.

{parts}
## Instructions

Counted by callgrind ({toolchain}) on one connection, user space alone. Callgrind's processor has no
SHA instructions, so a token's digest costs more here than it does in time. `Scripts/test.sh counts` fails when one of them
grows by more than a tenth. The other columns say whose instructions they are: SQLite's share is what a commit costs, HTTP1's
that of reading and writing messages, LayoutAPI's that of JSON, routes and tags, LayoutModel's that of the rules.

{counts}"""
