"""What is measured, a function a chapter. Each makes its servers ready, then yields a function that measures one round of
all of them, one after another: a slow minute of the machine meets them all. A round is {name: {figure: number}}."""
import contextlib
import json
import statistics
import subprocess
import threading

from suite import databases, load, machine
from suite.machine import CannotMeasure
from suite.servers import FastAPI, Go, Kinto, Nginx, Pegboard, PegboardOnPostgres, Responder

READER = "/v1/users/%s/layout" % databases.READER
PAGE = "/v1/users/%s/page" % databases.READER
SCATTERED = "/v1/users/bench-%U/layout"
USERS = 1000


class Plan:
    """How long: seconds of one run, rounds, and the sizes that are tried."""

    def __init__(self, is_long):
        self.seconds = 2 if is_long else 0.5
        self.rounds = 5
        self.mixed_seconds = 60 if is_long else 3
        self.many = 1_000_000
        self.connections = (1, 16, 64, 256, 1024)
        self.growth = (10_000, 100_000, 1_000_000) + ((10_000_000,) if is_long else ())


class Stack(contextlib.ExitStack):
    def peer(self, peer):
        return self.enter_context(peer)

    def peers(self, *makers):
        """Those that can be had here; the others are named and left out."""
        found = []
        for make in makers:
            try:
                found.append(self.enter_context(make()))
            except (CannotMeasure, RuntimeError, OSError, subprocess.CalledProcessError) as reason:
                print("  left out: %s" % reason, flush=True)
        return found


def body_of(answer):
    return answer.partition(b"\r\n\r\n")[2]


def field_of(answer, name):
    for line in answer.partition(b"\r\n\r\n")[0].decode("latin-1").splitlines():
        if line.lower().startswith(name + ":"):
            return line.split(":", 1)[1].strip()
    raise KeyError(name)


def operations(peer):
    """A move of one function of one user to the end of the list."""
    content = b'{"operations":[{"op":"move","id":"function-01","at":{"edge":"last"}}]}'
    return peer.request("POST", "/v1/users/bench-%U/layout/operations", {}, content).replace(b"function-01", b"%M")


def settled_answer(peer, path):
    """What wrk gets: without the `Connection: close` of a single request."""
    return peer.ask("GET", path).replace(b"Connection: close\r\n", b"").replace(b"connection: close\r\n", b"")


@contextlib.contextmanager
def reads(plan):
    """GETs from memory: the layout, 304, the probes, the page; and what others need for the same bytes."""
    with Stack() as stack:
        ours = stack.peer(Pegboard(databases.copy(USERS, "reads")))
        answer = settled_answer(ours, READER)
        tag, page_tag = field_of(answer, "etag"), field_of(ours.ask("GET", PAGE), "etag")
        nginx = stack.peers(lambda: Nginx(body_of(answer), 1), lambda: Nginx(body_of(answer), 2))
        others = stack.peers(
            lambda: Responder(answer), lambda: Go(databases.copy(USERS, "reads-go"), cached=True),
            lambda: FastAPI(databases.copy(USERS, "reads-fastapi")))
        for other in others[1:]:
            check_same_bytes(other, answer)

        def round_():
            runs = {
                "layout": lambda: load.wrk(ours, READER, plan.seconds),
                "304": lambda: load.wrk(ours, READER, plan.seconds, fields={"If-None-Match": tag}),
                "livez": lambda: load.wrk(ours, "/livez", plan.seconds),
                "readyz": lambda: load.wrk(ours, "/readyz", plan.seconds),
                "page": lambda: load.wrk(ours, PAGE, plan.seconds),
                "page 304": lambda: load.wrk(ours, PAGE, plan.seconds, fields={"If-None-Match": page_tag}),
            }
            for peer in nginx + others:
                runs[peer.name] = lambda peer=peer: load.wrk(peer, READER, plan.seconds)
            return {name: run() for name, run in runs.items()}

        yield round_


def check_same_bytes(peer, answer):
    """A peer that answered something else would be compared with nothing."""
    theirs = json.loads(body_of(peer.ask("GET", READER)))
    ours = json.loads(body_of(answer))
    if {k: v for k, v in theirs.items() if k != "updatedAt"} != {k: v for k, v in ours.items() if k != "updatedAt"}:
        raise RuntimeError("%s answers %s instead of %s" % (peer.name, theirs, ours))


@contextlib.contextmanager
def cold(plan):
    """GETs that nothing has in memory, out of a million users: each is read once. And pages that were never written."""
    with Stack() as stack:
        ours = stack.peer(Pegboard(databases.copy(plan.many, "cold")))
        peers = [ours, *stack.peers(lambda: Go(ours.database), lambda: FastAPI(ours.database))]
        mixes = {peer.name: load.Mix(peer, plan.many, {"get": (1, 200, peer.request("GET", SCATTERED))}) for peer in peers}
        # The version of the app is part of what a page is kept under; a new one each time has it written anew.
        pages = load.Mix(ours, plan.many, {"get": (1, 200, ours.request("GET", PAGE + "?appVersion=1.1%U"))})

        def round_():
            figures = {name: mix.run(plan.seconds, 64)["get"] for name, mix in mixes.items()}
            figures["page, written anew"] = pages.run(plan.seconds, 64)["get"]
            return figures

        yield round_


@contextlib.contextmanager
def moves(plan):
    """Durable moves, one a request, by 1, 16, 64 and 256 clients; and what SQLite alone does with as many rows a commit."""
    with Stack() as stack:
        peers = [stack.peer(Pegboard(databases.copy(USERS, "moves"))),
                 *stack.peers(lambda: Go(databases.copy(USERS, "moves-go")),
                              lambda: FastAPI(databases.copy(USERS, "moves-fastapi")))]
        before = {peer.name: databases.sum_of_versions(peer.database) for peer in peers}
        mixes = {peer.name: load.Mix(peer, USERS, {"move": (1, 200, operations(peer))}) for peer in peers}
        answered = dict.fromkeys(mixes, 0)
        alone = {what: databases.copy(USERS, "moves-" + what) for what in ("move", "ring", "row")}

        def round_():
            figures = {}
            for clients in (1, 16, 64, 256):
                for name, mix in mixes.items():
                    figures["%s, %d" % (name, clients)] = run = mix.run(plan.seconds, clients)["move"]
                    answered[name] += run["requests"]
                for what, path in alone.items():
                    figures["SQLite alone, %s, %d" % (what, clients)] = {
                        "rate": load.sqlite_alone(path, plan.seconds, clients, what)}
            for peer in peers:
                stored = databases.sum_of_versions(peer.database) - before[peer.name]
                if stored != answered[peer.name]:
                    raise RuntimeError("%s answered %d moves and stored %d" % (peer.name, answered[peer.name], stored))
            return figures

        yield round_


# One statement, one row, one commit: what a move on PostgreSQL can't do without.
PLAIN_UPDATE = """\\set user random(0, %d)
UPDATE plain SET version = version + 1, items = items, updated_at = updated_at + 1
WHERE user_id = 'bench-' || lpad(:user::text, 7, '0') AND version > 0;
"""


@contextlib.contextmanager
def postgresql(plan):
    """Durable moves and reads on PostgreSQL, beside pgbench's plain UPDATE on the same database and Kinto on one of its own; who
    pays what for them."""
    with Stack() as stack:
        # One that remembers nothing: every move there costs what a user's first one does who comes without having read.
        peers = stack.peers(lambda: PegboardOnPostgres(USERS), lambda: PegboardOnPostgres(USERS, is_counted=True),
                            lambda: PegboardOnPostgres(USERS, "--cache", "0"))
        if peers:
            ours, counted, forgetful = peers
            ours.postgres.sql("CREATE TABLE plain (user_id TEXT COLLATE \"C\" PRIMARY KEY, version BIGINT NOT NULL, items TEXT,"
                              " updated_at BIGINT NOT NULL) WITH (fillfactor = 80)")
            ours.postgres.sql("INSERT INTO plain SELECT user_id, version, items, updated_at FROM layouts")
            mixes = {peer: {"move": load.Mix(peer, USERS, {"move": (1, 200, operations(peer))}),
                            "get": load.Mix(peer, USERS, {"get": (1, 200, peer.request("GET", SCATTERED))})}
                     for peer in peers}
        others = stack.peers(Kinto)
        for other in others:
            other.fill(databases.FUNCTIONS, 128)
            body = json.dumps({"data": {"favorites": databases.FUNCTIONS[::-1]}}).encode()
            gets = load.Mix(other, 128, {"get": (1, 200, other.request("GET", other.path("%U")))})
            patches = load.Mix(other, 128, {"move": (1, 200, other.request("PATCH", other.path("%U"), {}, body))})

        def paid(peer, what, clients):
            """A run, and what each of its requests cost the database besides."""
            before, log = peer.postgres.cpu_seconds(), written(peer)
            run = mixes[peer][what].run(plan.seconds, clients)[what]
            run["database_us"] = (peer.postgres.cpu_seconds() - before) / run["requests"] * 1e6
            run["log_bytes"] = (written(peer) - log) / run["requests"]
            return run

        def written(peer):
            return int(peer.postgres.sql("SELECT pg_current_wal_insert_lsn() - '0/0'"))

        def round_():
            figures = {}
            for clients in (1, 16, 64) if peers else ():
                for what in ("move", "get"):
                    figures["%s, %d" % (what, clients)] = paid(ours, what, clients)
                    before = counted.relay.counts()
                    run = mixes[counted][what].run(plan.seconds / 2, clients)[what]
                    figures["%s, %d" % (what, clients)].update(
                        (name, (count - before[name]) / run["requests"]) for name, count in counted.relay.counts().items())
                figures["first move, %d" % clients] = paid(forgetful, "move", clients)
                for protocol in ("prepared", "simple"):
                    figures["plain UPDATE, %s, %d" % (protocol, clients)] = load.pgbench(
                        ours.postgres, PLAIN_UPDATE % (USERS - 1), plan.seconds, clients, protocol)
                if others:
                    figures["Kinto, move, %d" % clients] = patches.run(plan.seconds, clients)["move"]
            if others:
                figures["Kinto, get"] = gets.run(plan.seconds, 16)["get"]
            return figures

        yield round_


@contextlib.contextmanager
def mixed(plan):
    """90 % GETs, 8 % 304, 2 % moves over 256 connections, beside a run of GETs alone."""
    with Stack() as stack:
        ours = stack.peer(Pegboard(databases.copy(USERS, "mixed")))
        tag = field_of(ours.ask("GET", READER), "etag")
        get = ours.request("GET", SCATTERED)
        alone = load.Mix(ours, USERS, {"get": (1, 200, get)})
        mix = load.Mix(ours, USERS, {
            "get": (90, 200, get), "304": (8, 304, ours.request("GET", READER, {"If-None-Match": tag})),
            "move": (2, 200, operations(ours))})

        def round_():
            figures = {"GETs alone": alone.run(plan.mixed_seconds / 3, 256)["get"]}
            figures.update(mix.run(plan.mixed_seconds, 256))
            return figures

        yield round_


@contextlib.contextmanager
def idle(plan):
    """What 10,000 connections at rest cost, and whether 256 active ones beside them notice."""
    with Stack() as stack:
        ours = stack.peer(Pegboard(databases.copy(USERS, "idle")))
        active = load.Mix(ours, USERS, {"get": (1, 200, ours.request("GET", SCATTERED))})
        # The first run fills caches and allocator: what comes after is the connections' own.
        active.run(plan.seconds, 256)

        def round_():
            figures = {"256 active": active.run(plan.seconds, 256)["get"]}
            figures["10,000 idle"] = {}
            before = machine.resident_kb(ours.pids())
            with load.Idle(ours, READER, 10_000):
                figures["10,000 idle"]["kb_each"] = (machine.resident_kb(ours.pids()) - before) / 10_000
                figures["256 active beside 10,000 idle"] = active.run(plan.seconds, 256)["get"]
            return figures

        # The pages that the first 10,000 take stay with the allocator; a later round would see no growth at all.
        first = round_()
        yield lambda: dict(round_(), **{"10,000 idle": first["10,000 idle"]})


@contextlib.contextmanager
def publishing(plan):
    """Publishing a catalog over a million users while others read."""
    with Stack() as stack:
        ours = stack.peer(Pegboard(databases.copy(plan.many, "publishing")))
        # So many users that all stay in memory: the readers meet the publishing and not the disk.
        reading = load.Mix(ours, 10_000, {"get": (1, 200, ours.request("GET", SCATTERED))})
        reading.run(plan.seconds, 64)
        editions = iter(range(1, 1_000_000))

        def round_():
            figures = {"reads alone": reading.run(plan.seconds * 2, 64)["get"]}
            times, done = [], threading.Event()

            def publish():
                while not done.wait(0.1):
                    times.append(ours.publish(next(editions)))

            publisher = threading.Thread(target=publish)
            publisher.start()
            try:
                figures["reads meanwhile"] = reading.run(plan.seconds * 2, 64)["get"]
            finally:
                done.set()
                publisher.join()
            figures["publishing"] = {"ms": statistics.median(times) * 1000, "worst_ms": max(times) * 1000}
            return figures

        yield round_


@contextlib.contextmanager
def growth(plan):
    """A cold GET and a move by the number of users in the file, nothing kept in memory."""
    with Stack() as stack:
        servers = {users: stack.peer(Pegboard(databases.copy(users, "growth-%d" % users), "--cache", "0"))
                   for users in plan.growth}
        gets = {users: load.Mix(peer, users, {"get": (1, 200, peer.request("GET", SCATTERED))})
                for users, peer in servers.items()}
        writes = {users: load.Mix(peer, users, {"move": (1, 200, operations(peer))}) for users, peer in servers.items()}
        sizes = {users: databases.bytes_a_user(users) for users in plan.growth}

        def round_():
            figures = {}
            for users in plan.growth:
                figures["get, %d" % users] = gets[users].run(plan.seconds, 64)["get"]
                figures["move, %d" % users] = writes[users].run(plan.seconds, 64)["move"]
                figures["size, %d" % users] = {"bytes_a_user": sizes[users]}
            return figures

        yield round_


@contextlib.contextmanager
def connections(plan):
    """What a GET costs by the number of connections it shares the server with, here and at nginx."""
    with Stack() as stack:
        ours = stack.peer(Pegboard(databases.copy(USERS, "connections")))
        answer = settled_answer(ours, READER)
        peers = [ours, *stack.peers(lambda: Nginx(body_of(answer), 2), lambda: Responder(answer))]
        mixes = {peer.name: load.Mix(peer, 1, {"get": (1, 200, peer.request("GET", READER))}) for peer in peers}

        def round_():
            return {"%s, %d" % (name, count): mix.run(plan.seconds, count)["get"]
                    for count in plan.connections for name, mix in mixes.items()}

        yield round_


@contextlib.contextmanager
def starting(plan):
    """From the start of the process to the first answer, and the memory that it then has."""
    with Stack() as stack:
        database = databases.copy(USERS, "starting")
        ours = stack.peer(Pegboard(database))
        body = body_of(ours.ask("GET", READER))

        def round_():
            figures = {"pegboard": {"ms": statistics.median(ours.start_again() for _ in range(3)) * 1000}}
            figures["pegboard"]["mb"] = machine.resident_kb(ours.pids()) / 1024
            for make in (lambda: Nginx(body, 2), lambda: Go(database), lambda: FastAPI(database)):
                with contextlib.suppress(CannotMeasure):
                    with make() as peer:
                        figures[peer.name] = {"ms": peer.started_in * 1000, "mb": machine.resident_kb(peer.pids()) / 1024}
            return figures

        yield round_


@contextlib.contextmanager
def parts(plan):
    """Rules, messages, documents and commits alone: bench-parts."""
    def round_():
        ran = subprocess.run([machine.PARTS], capture_output=True, text=True, check=True)
        figures = {}
        for line in ran.stdout.splitlines():
            name, _, time_ = line.rpartition(": ")
            figures[name] = {"us": float(time_.split()[0])}
        return figures

    yield round_


ALL = {chapter.__name__: chapter for chapter in (
    parts, starting, reads, cold, moves, postgresql, mixed, idle, publishing, growth, connections)}
