"""HAProxy in front of servers, with the very file that is shipped (Deploy/postgresql/haproxy.cfg)."""
import csv
import os
import shutil
import socket
import subprocess
import tempfile
import time

import pegboard
from ports import free_port

SHIPPED = os.path.join(pegboard.ROOT, "Deploy", "postgresql", "haproxy.cfg")


class Balancer:
    """Two ports stand for the servers, for `serve_at` to be told: a server that comes again has the same."""

    def __init__(self):
        self.port, self.ports = free_port(), [free_port() for _ in range(2)]
        self.folder = tempfile.mkdtemp(prefix="pegboard-haproxy-")
        with open(SHIPPED, encoding="utf-8") as file:
            text = file.read()
        for old, new in (("bind :8080", "bind 127.0.0.1:%d" % self.port),
                         ("pegboard-1:8080", "127.0.0.1:%d" % self.ports[0]),
                         ("pegboard-2:8080", "127.0.0.1:%d" % self.ports[1])):
            assert text.count(old) == 1, "%r is no longer in the file" % old
            text = text.replace(old, new)
        path = os.path.join(self.folder, "haproxy.cfg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.console = os.path.join(self.folder, "console")
        with open(path + ".test", "w", encoding="utf-8") as file:
            file.write("global\n    stats socket %s level user\n" % self.console)
        with open(os.path.join(self.folder, "log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(["haproxy", "-db", "-f", path, "-f", path + ".test"],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def client(self, timeout=pegboard.PATIENCE):
        # Some of the answers are its own, which no API document knows.
        return pegboard.Client(self.port, timeout=timeout, api=False)

    def states(self):
        """What it believes of each server: "UP", "DOWN", or on the way to either."""
        with socket.socket(socket.AF_UNIX) as console:
            console.connect(self.console)
            console.sendall(b"show stat\n")
            lines = b"".join(iter(lambda: console.recv(65536), b"")).decode().lstrip("# ").splitlines()
        return [row["status"] for row in csv.DictReader(lines) if row["svname"] in ("one", "two")]

    def wait_until_ready(self, within=pegboard.PATIENCE):
        """Returns when it takes both servers for ready: an upgrade goes on to the next one then, and no sooner."""
        deadline = time.monotonic() + within
        while True:
            try:
                if self.states() == ["UP", "UP"]:
                    return
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
                    raise RuntimeError("HAProxy reaches nobody: %s" % file.read()[-2000:])
            time.sleep(0.05)

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
