"""A proxy for PostgreSQL's protocol that breaks connections at the worst moments: before a statement that writes was sent,
in the middle of it, after it, before its answer came, in the middle of that. It also answers in the server's place, as the
server would at its own worst moments.

    with PostgresProxy(cluster.port, random.Random(7)) as proxy:
        proxy.url("pegboard")       # so far it only forwards
        with proxy.breaking(): ...

A statement is what libpq sends in one go, up to Sync; it commits by itself. One that was prepared is known by its name.
Standard library only.
https://www.postgresql.org/docs/current/protocol-message-formats.html
"""
import collections
import contextlib
import select
import socket
import struct
import threading

# What happens to a statement that writes, and how often.
WRITES = {
    "forwarded": 40,
    "cut before it was sent": 6,
    "cut in the middle of it": 6,
    "cut after it was sent": 8,
    "cut before the answer": 8,
    "cut in the middle of the answer": 8,
    "committed, told 57P01": 5,
    "committed, told 40003": 5,
    "committed, with a warning": 5,
    "not sent, told 40001": 5,
    "not sent, told 25006": 4,
}
# And to another.
READS = {"forwarded": 94, "cut before it was sent": 3, "cut before the answer": 3}
# Of these the database has taken the statement, whatever the client may think.
COMMITTED = {"cut before the answer", "cut in the middle of the answer", "committed, told 57P01", "committed, told 40003",
             "committed, with a warning"}

# What every statement that writes layouts begins with.
WRITING = b"WITH change AS"
CANCEL, TLS, GSS = 80877102, 80877103, 80877104


class PostgresProxy:
    def __init__(self, port, rng, writes=None, reads=None):
        self.upstream, self.rng = port, rng
        self.writes, self.reads = writes or WRITES, reads or READS
        self.counts, self.is_breaking = collections.Counter(), False
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, database):
        return "postgresql://postgres@127.0.0.1:%d/%s" % (self.port, database)

    @contextlib.contextmanager
    def breaking(self):
        self.is_breaking = True
        try:
            yield
        finally:
            self.is_breaking = False

    def unknown(self):
        """How many statements were committed, or may have been, without a word of it to the client."""
        return sum(self.counts[fate] for fate in COMMITTED | {"cut after it was sent"})

    def broken(self):
        """How many statements that write did not get their own answer."""
        return sum(count for fate, count in self.counts.items() if fate != "forwarded" and not fate.startswith("reading"))

    def fate(self, is_writing):
        """What is to happen to a statement."""
        with self._lock:
            if not self.is_breaking:
                return "forwarded"
            fates = self.writes if is_writing else self.reads
            fate = self.rng.choices(list(fates), list(fates.values()))[0]
            self.counts[fate if is_writing or fate == "forwarded" else "reading: " + fate] += 1
            return fate

    def chance(self):
        with self._lock:
            return self.rng.random()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            with client, socket.create_connection(("127.0.0.1", self.upstream), 10) as server:
                for end in (client, server):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                server.settimeout(None)
                Conversation(self, client, server).run()
        except OSError:
            pass  # an end of a connection is what is being tested

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()


class Conversation:
    """One connection: what the client says goes on a statement at a time, what the server says as it comes, unless the
    statement's fate is another."""

    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        self.said, self.answer, self.fate = b"", b"", "forwarded"
        # The names under which the server keeps statements that write.
        self.writing = set()

    def run(self):
        if not self._begin():
            return
        while True:
            readable, _, _ = select.select([self.client, self.server], [], [])
            if self.client in readable and not self._hear_client():
                return
            if self.server in readable and not self._hear_server():
                return

    def _begin(self):
        """The first packets, which have no type; false where there is nothing to follow."""
        while True:
            length, code = struct.unpack("!II", exactly(self.client, 8))
            rest = exactly(self.client, length - 8)
            if code in (TLS, GSS):
                self.client.sendall(b"N")
                continue
            self.server.sendall(struct.pack("!II", length, code) + rest)
            return code != CANCEL

    def _hear_client(self):
        more = self.client.recv(65536)
        self.said += more
        end = after(self.said, b"SQX")
        while end:
            statement, self.said = self.said[:end], self.said[end:]
            if not self._carry(statement):
                return False
            end = after(self.said, b"SQX")
        return bool(more)

    def _carry(self, statement):
        """False where the connection is cut."""
        self.fate, self.answer = self._fate(statement), b""
        if self.fate == "cut before it was sent":
            return self._cut()
        if self.fate == "cut in the middle of it":
            self.server.sendall(statement[:1 + int(self.proxy.chance() * (len(statement) - 1))])
            return self._cut()
        if self.fate.startswith("not sent, told "):
            self.client.sendall(told(self.fate[-5:]) + ready())
            return True
        self.server.sendall(statement)
        return self._cut() if self.fate == "cut after it was sent" else True

    def _fate(self, statement):
        kind, words = statement[:1], statement[5:].split(b"\0", 2)
        if kind == b"P" and words[0]:
            # Parsed, to be carried out later.
            if WRITING in words[1]:
                self.writing.add(words[0])
            return self.proxy.fate(is_writing=False)
        if kind == b"B":
            return self.proxy.fate(is_writing=words[1] in self.writing)
        return self.proxy.fate(is_writing=WRITING in statement) if kind == b"P" else "forwarded"

    def _hear_server(self):
        more = self.server.recv(65536)
        if self.fate == "forwarded" or self.fate.startswith("not sent"):
            self.client.sendall(more)
            return bool(more)
        self.answer += more
        end = after(self.answer, b"Z")
        if not end:
            return bool(more)
        answer, fate, self.fate = self.answer[:end], self.fate, "forwarded"
        if b"E" in kinds(answer):
            self.client.sendall(answer)  # it was refused for a reason of its own
            return True
        if fate == "cut before the answer":
            return self._cut()
        if fate == "cut in the middle of the answer":
            # All the result but the last word, or less.
            self.client.sendall(answer[:int(len(answer) * self.proxy.chance()) if self.proxy.chance() < 0.5 else -6])
            return self._cut()
        if fate == "committed, told 57P01":
            self.client.sendall(told("57P01", "FATAL"))
            return self._cut()
        if fate == "committed, told 40003":
            self.client.sendall(told("40003") + ready())
        else:
            self.client.sendall(told("01000", "WARNING") + answer)
        return True

    def _cut(self):
        """In order, or as by a machine that has never heard of the connection."""
        if self.proxy.chance() < 0.5:
            self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False


def told(state, severity="ERROR"):
    """An ErrorResponse, or a NoticeResponse where it is a warning."""
    fields = b"".join(code + value.encode() + b"\0" for code, value in (
        (b"S", severity), (b"V", severity), (b"C", state), (b"M", "made up by the proxy")))
    kind = b"N" if severity == "WARNING" else b"E"
    return kind + struct.pack("!I", len(fields) + 5) + fields + b"\0"


def ready():
    """ReadyForQuery, outside of a transaction."""
    return b"Z" + struct.pack("!I", 5) + b"I"


def messages(octets):
    """The type and the end of each whole message."""
    start = 0
    while start + 5 <= len(octets):
        end = start + 1 + struct.unpack_from("!I", octets, start + 1)[0]
        if end > len(octets):
            return
        yield octets[start:start + 1], end
        start = end


def after(octets, types):
    """Where the first message of one of these types ends; 0 where there is none yet."""
    return next((end for kind, end in messages(octets) if kind in types), 0)


def kinds(octets):
    return b"".join(kind for kind, _ in messages(octets))


def exactly(connection, count):
    received = b""
    while len(received) < count:
        more = connection.recv(count - len(received))
        if not more:
            raise ConnectionError("closed")
        received += more
    return received
