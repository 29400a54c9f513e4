"""Everything that answers: Pegboard as it ships, and its peers, each started on a port of its own and ended again."""
import getpass
import json
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time

from suite import databases, machine
from suite.machine import CannotMeasure
from suite.relay import Relay

ISSUER = ("--jwt-issuer", "https://id.example", "--jwt-audience", "layouts")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Peer:
    """One server process with its children. Its log goes to /dev/null: written, and in nobody's way."""

    name = "?"
    database = None
    # What every request to it carries.
    fields = {}

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="pegboard-bench-")
        try:
            self.port = free_port()
            began = time.perf_counter()
            self.process = self.start()
            self.wait_until_ready()
            self.started_in = time.perf_counter() - began
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def spawn(self, *command, **options):
        options.setdefault("stderr", subprocess.DEVNULL)
        options.setdefault("env", machine.environment())
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=self.directory, **options)

    def stop(self):
        if getattr(self, "process", None) is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.stop_others()
        shutil.rmtree(self.directory, ignore_errors=True)

    def stop_others(self):
        """What stands behind the server, once that has ended."""

    ready_path = "/v1/users/%s/layout" % databases.READER

    def wait_until_ready(self, within=60):
        deadline = time.monotonic() + within
        while self.ask("GET", self.ready_path) is None:
            if self.process.poll() is not None:
                raise RuntimeError("%s ended with %d" % (self.name, self.process.returncode))
            if time.monotonic() > deadline:
                raise RuntimeError("%s isn't ready after %d s" % (self.name, within))

    def request(self, method, path, fields=None, body=b""):
        """A whole request, as it goes over the wire."""
        lines = {"Host": "127.0.0.1:%d" % self.port, **self.fields, **(fields or {})}
        if body:
            lines["Content-Type"] = "application/json"
            lines["Content-Length"] = str(len(body))
        head = "".join("%s: %s\r\n" % line for line in lines.items())
        return ("%s %s HTTP/1.1\r\n%s\r\n" % (method, path, head)).encode() + body

    def ask(self, method, path, fields=None, body=b""):
        """The whole answer to one request; None unless it is a 2xx."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), 10) as connection:
                connection.sendall(self.request(method, path, {"Connection": "close", **(fields or {})}, body))
                answer = b""
                while chunk := connection.recv(1 << 16):
                    answer += chunk
        except OSError:
            return None
        return answer if answer.startswith(b"HTTP/1.1 2") else None

    def pids(self):
        return [self.process.pid, *machine.children(self.process.pid)]


class Pegboard(Peer):
    """Everything on: tokens are verified (HS256), requests are logged and counted."""

    name = "pegboard"
    ready_path = "/readyz"
    program = machine.PEGBOARD

    def __init__(self, database, *flags):
        self.database, self.flags = database, flags

    def url(self):
        return "sqlite:" + self.database

    def start(self):
        secret = os.path.join(self.directory, "secret")
        with open(secret, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48))
        # An admin's: it may read and change every user, so one token serves a run.
        minted = databases.pegboard(
            "token", "mint", "--jwt-secret-file", secret, *ISSUER, "--user", "bench", "--scope",
            "layout:read layout:write catalog:write admin", "--ttl", "24h", program=self.program, capture_output=True,
            text=True)
        self.fields = {"Authorization": "Bearer " + minted.stdout.strip()}
        self.command = [
            self.program, "serve", "--listen", "127.0.0.1:%d" % self.port, "--database", self.url(), "--auth", "jwt",
            "--jwt-secret-file", secret, *ISSUER, "--log-format", "json", "--max-connections", "20000",
            "--idle-timeout", "10m", *self.flags]
        return self.spawn(*self.command)

    def start_again(self):
        """Seconds from the start of the process on the same database to the first 200 of /readyz."""
        self.process.terminate()
        self.process.wait(30)
        began = time.perf_counter()
        self.process = self.spawn(*self.command)
        self.wait_until_ready()
        return time.perf_counter() - began

    def publish(self, edition):
        """Seconds that publishing another catalog takes."""
        body = json.dumps(databases.catalog(edition)).encode()
        began = time.perf_counter()
        if self.ask("PUT", "/v1/catalog", {"If-Match": "*"}, body) is None:
            raise RuntimeError("the catalog wasn't published")
        return time.perf_counter() - began


class PegboardOnPostgres(Pegboard):
    """The same on PostgreSQL, through a relay that counts where that is wanted."""

    name = "pegboard on PostgreSQL"
    program = machine.PEGBOARD_WITH_POSTGRES

    def __init__(self, users, *flags, is_counted=False):
        super().__init__(None, *flags)
        self.users, self.is_counted, self.relay = users, is_counted, None

    def url(self):
        return self.relay.url(self.postgres.url) if self.relay else self.postgres.url

    def start(self):
        if not os.path.exists(self.program):
            raise CannotMeasure("there is no Pegboard with PostgreSQL")
        self.postgres = Postgres(self.directory, "pegboard")
        databases.fill(self.postgres.url, self.users, self.program)
        if self.is_counted:
            self.relay = Relay(self.postgres.port)
        return super().start()

    def stop_others(self):
        if self.relay:
            self.relay.close()
        if hasattr(self, "postgres"):
            self.postgres.stop()


class Responder(Peer):
    """Two threads of C that write the same bytes whatever comes: no server does less."""

    name = "bare epoll responder"

    def __init__(self, answer):
        self.answer = answer

    def start(self):
        path = os.path.join(self.directory, "answer")
        with open(path, "wb") as file:
            file.write(self.answer)
        return self.spawn(machine.compiled("responder", "peers/responder.c", "-pthread"), path, str(self.port))

    def ask(self, method, path, fields=None, body=b""):
        try:
            with socket.create_connection(("127.0.0.1", self.port), 10) as connection:
                connection.sendall(self.request(method, path))
                return connection.recv(1 << 16)
        except OSError:
            return None


class Nginx(Peer):
    """`return 200` of the same content: what HTTP alone costs in a good server. No log, no tokens."""

    def __init__(self, body, workers):
        self.body, self.workers = body, workers
        self.name = "nginx, %d worker%s" % (workers, "" if workers == 1 else "s")

    def start(self):
        if not shutil.which("nginx"):
            raise CannotMeasure("nginx isn't installed")
        text = self.body.decode().replace("\\", "\\\\").replace("'", "\\'")
        configuration = os.path.join(self.directory, "nginx.conf")
        with open(os.path.join(machine.HERE, "peers", "nginx.conf"), encoding="utf-8") as template:
            filled = template.read()
        for mark, value in (("WORKERS", str(self.workers)), ("FOLDER", self.directory), ("PORT", str(self.port)),
                            ("CONTENT", text)):
            filled = filled.replace("@%s@" % mark, value)
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(filled)
        return self.spawn("nginx", "-p", self.directory, "-c", configuration)


class Go(Peer):
    name = "Go net/http + SQLite"

    def __init__(self, database, cached=False):
        self.database, self.cached = database, cached

    def start(self):
        return self.spawn(machine.go_server(), self.database, str(self.port), *(["cache"] if self.cached else []))


class FastAPI(Peer):
    name = "FastAPI + uvicorn, 2 workers"

    def __init__(self, database):
        self.database = database

    def start(self):
        return self.spawn(
            os.path.join(machine.python_peers(), "uvicorn"), "app:app", "--app-dir",
            os.path.join(machine.HERE, "peers", "fastapi"), "--workers", "2", "--port", str(self.port), "--loop", "uvloop",
            "--http", "httptools", "--no-access-log", "--log-level", "error",
            env=dict(os.environ, DATABASE=self.database))


class Kinto(Peer):
    """The ready-made service for such data, on PostgreSQL: a record for each layout, without signing in."""

    name = "Kinto on PostgreSQL"
    ready_path = "/v1/__heartbeat__"

    def start(self):
        self.bin = machine.python_peers()
        self.postgres = Postgres(self.directory, "kinto")
        configuration = os.path.join(self.directory, "kinto.ini")
        with open(os.path.join(machine.HERE, "peers", "kinto", "kinto.ini"), encoding="utf-8") as template:
            filled = template.read().replace("@PORT@", str(self.port)).replace("@POSTGRES@", self.postgres.url)
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(filled)
        subprocess.run([os.path.join(self.bin, "kinto"), "migrate", "--ini", configuration], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return self.spawn(os.path.join(self.bin, "kinto"), "start", "--ini", configuration)

    def fill(self, favorites, users):
        """A record for each of so many users, in a collection of its own: writers of one collection conflict."""
        body = json.dumps({"data": {"favorites": favorites}}).encode()
        self.ask("PUT", "/v1/buckets/b")
        for number in range(users):
            path = self.path("%07d" % number)
            self.ask("PUT", path.partition("/records")[0])
            if self.ask("PUT", path, body=body) is None:
                raise RuntimeError("Kinto refused a record")

    @staticmethod
    def path(digits):
        return "/v1/buckets/b/collections/bench-%s/records/layout" % digits

    def stop_others(self):
        if hasattr(self, "postgres"):
            self.postgres.stop()

    def pids(self):
        return super().pids() + self.postgres.pids()


class Postgres:
    """A cluster of its own, durable as it comes, and gone afterwards."""

    def __init__(self, directory, name):
        folders = sorted(os.listdir("/usr/lib/postgresql")) if os.path.isdir("/usr/lib/postgresql") else []
        if not folders:
            raise CannotMeasure("PostgreSQL isn't installed")
        self.bin = os.path.join("/usr/lib/postgresql", folders[-1], "bin")
        self.port = free_port()
        os.chmod(directory, 0o755)
        self.data = os.path.join(directory, "postgres")
        os.mkdir(self.data, 0o700)
        # PostgreSQL refuses to run as root.
        self.user = "postgres" if os.geteuid() == 0 else getpass.getuser()
        if os.geteuid() == 0:
            shutil.chown(self.data, "postgres")
        self._run("initdb", "-D", self.data, "-A", "trust", "-U", name, "-E", "UTF8")
        self._run("pg_ctl", "-D", self.data, "-w", "-o", "-p %d -k %s -c listen_addresses=127.0.0.1" % (self.port, self.data),
                  "-l", os.path.join(self.data, "log"), "start")
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", name, name)
        self.url = "postgresql://%s@127.0.0.1:%d/%s" % (name, self.port, name)

    def sql(self, statement):
        ran = subprocess.run([os.path.join(self.bin, "psql"), "-X", "-q", "-A", "-t", "-d", self.url, "-c", statement],
                             check=True, capture_output=True, text=True)
        return ran.stdout.strip()

    def _run(self, program, *arguments):
        command = [os.path.join(self.bin, program), *arguments]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid", self.user, "--regid", self.user, "--clear-groups", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")

    def pids(self):
        with open(os.path.join(self.data, "postmaster.pid"), encoding="ascii") as file:
            parent = int(file.readline())
        return [parent, *machine.children(parent)]

    def cpu_seconds(self):
        """With the connections that were closed again."""
        pids = self.pids()
        return machine.cpu_seconds(pids, ended_children_of=pids[0])

    def stop(self):
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")
