"""A primary and the standby that it waits for with every commit, and what can happen to either.

    with Pair() as pair:
        pair.url("pegboard")        # both hosts; libpq finds the one that takes writes
        pair.cable.pull()           # the standby hears no more of the primary, and neither is told
        kill(pair.primary)          # as a machine that loses power: nobody there does or says anything more
        pair.promote()

A standby that is promoted waits for nobody, until `pair.renew()` gives it one.
"""
import os
import shutil
import signal
import socket
import threading
import time

import postgres_cluster
from ports import free_port
from postgres_cluster import Cluster

# What a standby calls itself, and the slot that keeps its log.
NAME = "standby"


def processes(first):
    """A server's first process, and its children: each has a session of its own, so no signal reaches them all."""
    found = [first]
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name, encoding="utf-8", errors="replace") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue  # it has just ended
            if parent == first:
                found.append(int(name))
    return found


def send(number, pids):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def freeze(cluster):
    """All of it at once stands still: its connections stay open, and nothing comes through them."""
    stop(cluster.process.pid)


def stop(first):
    send(signal.SIGSTOP, [first])  # no new children
    send(signal.SIGSTOP, processes(first))


def thaw(cluster):
    send(signal.SIGCONT, processes(cluster.process.pid))


def kill(cluster):
    stop(cluster.process.pid)
    send(signal.SIGKILL, processes(cluster.process.pid))
    cluster.process.wait()
    cluster.process = None


def until(condition, sentence, within=60):
    """Waits for a state."""
    deadline = time.monotonic() + within
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("not within %d s: %s" % (within, sentence))
        time.sleep(0.02)


class Cable:
    """Through which a standby reaches its primary."""

    def __init__(self, port):
        self._port, self._plugged, self._is_gone = port, threading.Event(), False
        self._plugged.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def pull(self):
        """Nothing of the primary's goes through any more; no connection ends. What the standby has got already it still
        confirms: whatever the primary waits for from then on, it alone has."""
        self._plugged.clear()

    def plug(self):
        self._plugged.set()

    def close(self):
        """What has not come through never will."""
        self._is_gone = True
        self._plugged.set()
        self._listener.close()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._port), 10)
            except OSError:
                if self._is_gone:
                    return
                near.close()
                continue
            far.settimeout(None)
            threading.Thread(target=self._carry, args=(near, far, False), daemon=True).start()
            threading.Thread(target=self._carry, args=(far, near, True), daemon=True).start()

    def _carry(self, source, target, can_be_pulled):
        try:
            while more := source.recv(65536):
                if can_be_pulled:
                    self._plugged.wait()
                if self._is_gone:
                    break
                target.sendall(more)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Pair:
    def __init__(self, version=15, settings=None):
        self.folder = postgres_cluster.make_folder("postgres")
        self.ports, self.primary, self.standby, self.cable = [], None, None, None
        try:
            self.primary = Cluster.create(version, settings, self.folder).start()
            self.ports.append(self.primary.port)
            self.renew()
        except BaseException:
            self.close()
            raise

    def renew(self):
        """Gives the primary a standby: a copy of it, on the port that nobody uses."""
        port = next((p for p in self.ports if p != self.primary.port), None) or free_port()
        if port not in self.ports:
            self.ports.append(port)
        data = os.path.join(self.folder, "server-%d" % port)
        shutil.rmtree(data, ignore_errors=True)
        self.primary.sql("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active")
        standby = Cluster(self.primary.version, self.folder, data, port)
        self.cable = Cable(self.primary.port)
        postgres_cluster.run(
            [standby.tool("pg_basebackup"), "-D", data, "-R", "-C", "-S", NAME, "-X", "stream", "-c", "fast", "--no-sync",
             "-d", "host=127.0.0.1 port=%d user=postgres application_name=%s" % (self.cable.port, NAME)], self.folder)
        standby.configure({})
        self.standby = standby.start()
        self.wait_for(NAME)
        until(lambda: self.primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync", "a synchronous standby")

    def wait_for(self, names):
        """Whom the primary waits for with a commit; nobody where that is empty."""
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = '%s'" % names)
        self.primary.sql("SELECT pg_reload_conf()")

    def promote(self):
        """The standby becomes the primary. Returns once it takes writes, after how many seconds."""
        began = time.monotonic()
        self.cable.close()
        self.standby.sql("SELECT pg_promote(TRUE, 60)")
        self.primary, self.standby = self.standby, None
        return time.monotonic() - began

    def url(self, database, options=""):
        hosts = ",".join("127.0.0.1:%d" % port for port in self.ports)
        return "postgresql://postgres@%s/%s%s" % (hosts, database, options)

    def close(self):
        if self.cable is not None:
            self.cable.close()
        for cluster in (self.standby, self.primary):
            if cluster is not None and cluster.process is not None:
                thaw(cluster)
                cluster.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
