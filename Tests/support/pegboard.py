"""A Pegboard to test from outside: starts the built program on a port of its own and talks to it over raw sockets.

    with Server("serve", "--catalog", catalog) as server, server.client() as client:
        answer = client.request("GET", "/v1/users/alice/layout")
        assert answer.status == 200, answer

Every answer is held to the server's own API document (contract.py) where jsonschema-rs is installed: `Scripts/test.sh` runs
with it, see Scripts/python.sh. Else the standard library is enough.

Nothing is built here: the program is $PEGBOARD_BIN, else .build/debug/pegboard, else .build/release/pegboard.
"""
import atexit
import collections
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import ending

try:
    import contract
except ImportError as error:
    contract = None
    print("pegboard.py: answers are not held to the API document (%s); Scripts/python.sh installs what that needs"
          % error, file=sys.stderr)

ending.by_exception()
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# How long a test waits for what has to come, in seconds. Many other things may run on this machine: what is there in the end
# counts, not how soon.
PATIENCE = 60.0
DEMO_CATALOG = os.path.join(ROOT, "Sources", "pegboard", "Demo", "catalog.json")


def binary():
    """The program under test."""
    named = os.environ.get("PEGBOARD_BIN")
    if named:
        return os.path.abspath(named)
    for configuration in ("debug", "release"):
        path = os.path.join(ROOT, ".build", configuration, "pegboard")
        if os.access(path, os.X_OK):
            return path
    raise FileNotFoundError("there is no pegboard: run `swift build`, or set PEGBOARD_BIN")


def inherited_environment():
    """The environment of a program under test: the settings of whoever runs the tests must not reach it."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PEGBOARD_")}


class Held:
    """The API document, and the answers that were held to it. One for the process: every server serves the same."""
    document = None
    answers = 0
    breaches = []

    @classmethod
    def take(cls, client):
        if contract and cls.document is None:
            cls.document = contract.Contract(client.request("GET", "/openapi.json").json())
            atexit.register(cls._report)

    @classmethod
    def check(cls, method, path, answer):
        if cls.document is None:
            return
        cls.answers += 1
        try:
            cls.document.check(method, path, answer.status, answer.headers, answer.body)
        except contract.ContractBroken as broken:
            cls.breaches.append(broken)
            raise

    @classmethod
    def _report(cls):
        print("%d answers held to /openapi.json" % cls.answers, file=sys.stderr)
        # A breach counts even where somebody caught the exception.
        if cls.breaches:
            print("%d breaches, the first: %s" % (len(cls.breaches), cls.breaches[0]), file=sys.stderr)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(1)


class Answer:
    """One response. Field names are lower case; repeated fields are joined with a comma."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return "%d %r %r" % (self.status, self.headers, self.body[:400])


class Client:
    """One keep-alive connection. A request that gets no answer raises ConnectionError or TimeoutError; whether it was
    carried out is then unknown. `sent_at` is when the last one had been sent, or could not be. `api` is False for what the API
    document says nothing of."""

    def __init__(self, port, host="127.0.0.1", timeout=PATIENCE, tls=None, api=True):
        self.api = api
        self.socket = socket.create_connection((host, port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname=host)
        self.authority = "%s:%d" % (host, port)
        self.buffer = b""
        self.sent_at = None

    def request(self, method, path, headers=None, body=None):
        """Sends one request and reads its answer. A dict or list as body is sent as JSON."""
        fields = {"Host": self.authority}
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            fields["Content-Type"] = "application/json"
        if body is not None or method in ("PUT", "POST"):
            fields["Content-Length"] = str(len(body or b""))
        fields.update(headers or {})
        head = "%s %s HTTP/1.1\r\n%s\r\n" % (method, path, "".join("%s: %s\r\n" % f for f in fields.items()))
        try:
            self.socket.sendall(head.encode("latin-1") + (body or b""))
        finally:
            self.sent_at = time.monotonic()
        answer = self.read(method)
        if self.api:
            Held.check(method, path, answer)
        return answer

    def read(self, method="GET"):
        """Reads one final response; `method` is that of its request."""
        while True:
            head = self._until(b"\r\n\r\n").split(b"\r\n")
            status = int(head[0].split(b" ")[1])
            if status >= 200:
                break
        headers = {}
        for line in head[1:]:
            name, _, value = line.decode("latin-1").partition(":")
            name, value = name.lower(), value.strip()
            headers[name] = headers[name] + ", " + value if name in headers else value
        return Answer(status, headers, self._content(method, status, headers))

    def _content(self, method, status, headers):
        if method == "HEAD" or status in (204, 304):
            return b""
        if headers.get("transfer-encoding", "").lower() == "chunked":
            parts = []
            while True:
                size = int(self._until(b"\r\n").split(b";")[0], 16)
                if size == 0:
                    break
                parts.append(self._exactly(size))
                self._exactly(2)
            while self._until(b"\r\n"):
                pass  # trailers
            return b"".join(parts)
        if "content-length" in headers:
            return self._exactly(int(headers["content-length"]))
        content = self.buffer  # delimited by the end of the connection
        self.buffer = b""
        while True:
            more = self.socket.recv(65536)
            if not more:
                return content
            content += more

    def import_in_lock_step(self, lines):
        """Sends each line of an import once the result of the one before is there; returns all results, the sums last."""
        self.socket.sendall(b"POST /v1/admin/import HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\n"
                            b"Transfer-Encoding: chunked\r\n\r\n")
        results = []
        for number, line in enumerate(lines):
            line = json.dumps(line).encode() + b"\n"
            self.socket.sendall(b"%x\r\n%s\r\n" % (len(line), line))
            if number == 0:
                assert b" 200 OK" in self._until(b"\r\n\r\n")
            results.append(self._chunk())
        self.socket.sendall(b"0\r\n\r\n")
        results.append(self._chunk())
        assert self._exactly(5) == b"0\r\n\r\n"
        return results

    def _chunk(self):
        content = json.loads(self._exactly(int(self._until(b"\r\n"), 16)))
        assert self._exactly(2) == b"\r\n"
        return content

    def _until(self, mark):
        while mark not in self.buffer:
            self._receive()
        found, _, self.buffer = self.buffer.partition(mark)
        return found

    def _exactly(self, count):
        while len(self.buffer) < count:
            self._receive()
        found, self.buffer = self.buffer[:count], self.buffer[count:]
        return found

    def _receive(self):
        more = self.socket.recv(65536)
        if not more:
            raise ConnectionError("the server closed the connection")
        self.buffer += more

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Lines:
    """The last lines of what a process prints. Whoever walks through them sees those of the moment: more may come meanwhile."""

    def __init__(self):
        self._lines = collections.deque(maxlen=5000)
        self.append = self._lines.append

    def __iter__(self):
        return iter(list(self._lines))


class Server:
    """`pegboard serve` or `pegboard demo` on a free port of the loopback address.

    `serve` gets `--auth none` and a database of its own, deleted at the end, unless `database` names one to keep: a file,
    or the address of a PostgreSQL.
    `prefix` is a command that runs the program, such as ["prlimit", "--nofile=64"]; `tls` the ssl.SSLContext to meet it
    with, where the flags have it speak TLS; `program` another one than the one under test; `listen` a port that has to be
    that one.
    """

    def __init__(self, command="serve", *flags, database=None, environment=None, ready_within=PATIENCE, prefix=(), tls=None,
                 program=None, listen=0):
        self.tls, self.program = tls, program or binary()
        self.command, self.flags, self.database, self.prefix = command, list(flags), database, list(prefix)
        self.environment, self.ready_within, self.listen = environment or {}, ready_within, listen
        self.process = self.port = self._directory = None
        # The last lines of standard output and of standard error.
        self.output, self.log = Lines(), Lines()
        self._announced = threading.Event()

    def start(self):
        """Starts the program and returns when /readyz says 200. Time-outs and an early end raise, with what it said."""
        if self._directory is None:
            self._directory = tempfile.TemporaryDirectory(prefix="pegboard-test-")
        arguments = [*self.prefix, self.program, self.command, "--listen", "127.0.0.1:%d" % self.listen]
        if self.command == "serve":
            path = self.database or os.path.join(self._directory.name, "pegboard.db")
            arguments += ["--database", path if "://" in path else "sqlite:" + path, "--auth", "none"]
        self.port = None
        self._announced.clear()
        inherited = inherited_environment()
        self.process = subprocess.Popen(
            arguments + self.flags, cwd=self._directory.name, env={**inherited, **self.environment},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._readers = [
            threading.Thread(target=self._collect, args=(pipe, lines, self.process), daemon=True)
            for pipe, lines in ((self.process.stdout, self.output), (self.process.stderr, self.log))]
        for reader in self._readers:
            reader.start()
        deadline = time.monotonic() + self.ready_within
        try:
            self._wait_until_ready(deadline)
        except BaseException:
            self.kill()
            raise
        return self

    def _collect(self, pipe, lines, process):
        # The first address that is announced is ours: the port was 0, so it can be nobody else's.
        with pipe:
            for raw in pipe:
                line = raw.decode("utf-8", "replace").rstrip("\n")
                lines.append(line)
                found = re.search(r"https?://127\.0\.0\.1:(\d+)", line)
                if found and self.port is None and process is self.process:
                    self.port = int(found.group(1))
                    self._announced.set()

    def _wait_until_ready(self, deadline):
        while not self._announced.wait(0.01):
            self._still_starting(deadline, "it announced no address")
        while True:
            try:
                with self.client(timeout=2.0) as client:
                    answer = client.request("GET", "/readyz")
                    if answer.status == 200:
                        Held.take(client)
                        return
                reason = "/readyz says %r" % answer
            except OSError as error:
                reason = "/readyz: %s" % error
            self._still_starting(deadline, reason)
            time.sleep(0.01)

    def _still_starting(self, deadline, reason):
        ended = self.process.poll()
        if ended is not None:
            for reader in self._readers:
                reader.join(PATIENCE)
            raise RuntimeError("pegboard %s ended with %d\n%s" % (self.command, ended, self.said()))
        if time.monotonic() > deadline:
            raise RuntimeError("pegboard %s isn't ready after %g s: %s\n%s"
                               % (self.command, self.ready_within, reason, self.said()))

    def said(self, lines=30):
        """The last lines it printed, for messages."""
        return "\n".join((list(self.output) + list(self.log))[-lines:])

    def client(self, timeout=PATIENCE):
        return Client(self.port, timeout=timeout, tls=self.tls)

    def kill(self):
        """kill -9: the process gets no chance to say good-bye."""
        if self.process.poll() is None:
            self.process.kill()
        return self._ended(PATIENCE)

    def terminate(self, within=PATIENCE):
        """SIGTERM; returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self._ended(within)

    def _ended(self, within):
        try:
            code = self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise RuntimeError("pegboard didn't end within %g s\n%s" % (within, self.said())) from None
        for reader in self._readers:
            reader.join(PATIENCE)
        return code

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        try:
            if self.process is not None and self.process.poll() is None:
                self.kill()
        finally:
            if self._directory is not None:
                self._directory.cleanup()
                self._directory = None
