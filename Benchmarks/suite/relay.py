"""Stands between a server and its PostgreSQL and counts what goes through: bytes, and statements, each a round trip."""
import re
import socket
import struct
import threading


class Relay:
    def __init__(self, port):
        self.upstream = port
        self.sent = self.received = self.statements = 0
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, direct):
        return re.sub(r":\d+/", ":%d/" % self.port, direct)

    def counts(self):
        with self._lock:
            return {"statements": self.statements, "sent": self.sent, "received": self.received}

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.upstream))
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._send, args=(near, far), daemon=True).start()
            threading.Thread(target=self._receive, args=(far, near), daemon=True).start()

    def _send(self, client, server):
        # The first packets have no type: TLS is asked for, then the session begins. After that a statement ends with Sync.
        # https://www.postgresql.org/docs/current/protocol-message-formats.html
        is_typed, left = False, b""
        try:
            while more := client.recv(65536):
                server.sendall(more)
                left, statements = left + more, 0
                while len(left) >= 5:
                    end = struct.unpack_from("!I", left, int(is_typed))[0] + is_typed
                    if len(left) < end:
                        break
                    statements += is_typed and left[:1] == b"S"
                    is_typed = is_typed or left[4:8] == struct.pack("!I", 3 << 16)
                    left = left[end:]
                with self._lock:
                    self.sent += len(more)
                    self.statements += statements
        except OSError:
            pass
        server.close()

    def _receive(self, server, client):
        try:
            while more := server.recv(65536):
                client.sendall(more)
                with self._lock:
                    self.received += len(more)
        except OSError:
            pass
        client.close()
