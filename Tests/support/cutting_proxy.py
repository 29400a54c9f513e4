"""A proxy that cuts connections: before a request is forwarded, in the middle of it, after it was sent and before
the answer, in the middle of the answer. It also delivers requests twice, at once or late, and answers with pages of
its own.

    with CuttingProxy(lambda: server.port, random.Random(7)) as proxy:
        ...                     # clients talk to 127.0.0.1:proxy.port
        proxy.heal()            # from here on it only forwards, and what was late has arrived

Standard library only.
"""
import collections
import select
import socket
import threading
import time

# What happens to a request, and how often.
FATES = {
    "forwarded": 50,
    "cut before it was forwarded": 8,
    "cut in the middle of the request": 6,
    "cut after it was sent": 8,
    "cut before the answer": 8,
    "cut in the middle of the answer": 8,
    "sent twice at once": 4,
    "sent again later": 4,
    "answered 502": 4,
}


class CuttingProxy:
    def __init__(self, upstream, rng, fates=None, strip=()):
        """`upstream` gives the server's port, or None while there is none; `strip` are fields that it leaves out."""
        self.upstream, self.rng, self.strip = upstream, rng, tuple(name.lower().encode() for name in strip)
        self.fates, self.counts = fates or FATES, collections.Counter()
        self.healed = False
        # The copies of requests and what they were answered, which nobody heard.
        self.copies = []
        self._lock, self._late = threading.Lock(), []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def heal(self):
        with self._lock:
            self.healed = True
            late = list(self._late)
        for thread in late:
            thread.join()

    def cuts(self):
        return sum(count for fate, count in self.counts.items() if "cut" in fate)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()

    # One thread for each connection.

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                request = self._request(connection)
                if b"/layout/events" in request.split(b"\r\n", 1)[0]:
                    self._stream(connection, request)
                else:
                    self._answer(connection, request)
        except OSError:
            pass  # an end of a connection is what is being tested

    def _request(self, connection):
        """One whole request. Each connection carries only one: every answer says that it ends the connection."""
        received = b""
        while b"\r\n\r\n" not in received:
            received += some(connection)
        head, _, rest = received.partition(b"\r\n\r\n")
        lines = [line for line in head.split(b"\r\n") if line.split(b":")[0].lower() not in self.strip]
        length = int(field(head, b"content-length") or 0)
        while len(rest) < length:
            rest += some(connection)
        return b"\r\n".join(lines) + b"\r\n\r\n" + rest

    def _fate(self, request):
        with self._lock:
            fate = "forwarded"
            if not self.healed:
                fate = self.rng.choices(list(self.fates), list(self.fates.values()))[0]
            self.counts[fate] += 1
            chance = self.rng.random()
            if fate in ("sent twice at once", "sent again later"):
                # Before anybody else can hold the lock: whoever heals waits for it.
                delay = chance if fate == "sent again later" else 0
                self._late.append(threading.Thread(target=self._again, args=(request, delay), daemon=True))
                self._late[-1].start()
            return fate, chance

    def _answer(self, connection, request):
        fate, chance = self._fate(request)
        if fate == "cut before it was forwarded":
            return
        if fate == "answered 502":
            page = b"<h1>Bad gateway</h1>"
            connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: %d\r\n"
                               b"Connection: close\r\n\r\n%s" % (len(page), page))
            return
        if fate in ("cut in the middle of the request", "cut after it was sent"):
            whole = fate == "cut after it was sent"
            with self._connect() as upstream:
                upstream.sendall(once(request) if whole else request[:1 + int(chance * (len(request) - 1))])
            return
        answer = self._ask(request)
        head, end, content = answer.partition(b"\r\n\r\n")
        # Never within the head of an answer, not by a killed server either: there Foundation on Linux ends the program.
        # https://github.com/swiftlang/swift-corelibs-foundation/issues/5285
        if fate == "cut before the answer" or not end:
            return
        if fate == "cut in the middle of the answer":
            content = content[:int(chance * len(content))]
        connection.sendall(head + end + content)

    def _again(self, request, delay):
        time.sleep(delay)
        try:
            self.copies.append((request, self._ask(request)))
        except OSError:
            pass

    def _connect(self):
        port = self.upstream()
        if port is None:
            raise ConnectionError("there is no server")
        return socket.create_connection(("127.0.0.1", port), 10)

    def _ask(self, request):
        """The answer, from a connection of its own."""
        with self._connect() as upstream:
            upstream.sendall(once(request))
            answer = b""
            while more := upstream.recv(65536):
                answer += more
        return answer

    def _stream(self, connection, request):
        """Hands an event stream on, mostly only some bytes of it."""
        with self._lock:
            left = int(self.rng.expovariate(1 / 1500)) if self.rng.random() < 0.8 and not self.healed else None
        with self._connect() as upstream:
            upstream.sendall(request)
            head = b""
            while b"\r\n\r\n" not in head:
                head += some(upstream)
            connection.sendall(head)
            while True:
                readable, _, _ = select.select([connection, upstream], [], [])
                if connection in readable and not connection.recv(65536):
                    return
                if upstream not in readable:
                    continue
                more = some(upstream)
                if left is not None and not self.healed and len(more) >= left:
                    self.counts["streams cut"] += 1
                    connection.sendall(more[:left])
                    return
                left = None if left is None else left - len(more)
                connection.sendall(more)


def some(connection):
    more = connection.recv(65536)
    if not more:
        raise ConnectionError("closed")
    return more


def field(head, name):
    """The value of a field, or None."""
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.lower() == name:
            return value.strip()
    return None


def once(request):
    """The request with the wish that the server close afterwards: the answer is then what comes until the end."""
    return request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
