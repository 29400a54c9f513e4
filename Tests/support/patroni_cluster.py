"""Two PostgreSQLs that Patroni keeps as primary and synchronous standby, with an etcd where it remembers who is which.

    with PatroniCluster() as patroni:
        patroni.url("pegboard")     # both hosts
        patroni.pull_cable()        # the standby hears no more of the leader's database; neither is told
        patroni.lose_leader()       # as a machine that loses power; the other takes its place by itself
        patroni.return_lost()

Debian's packages patroni and etcd-server; everything runs as the user `postgres`, on free ports, until the end.
"""
import json
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request

import postgres_cluster
from ports import free_port
from postgres_replication import Cable, processes, send, stop, until

BIN = "/usr/lib/postgresql/15/bin"
# Seconds. The leader's hold on its office, how often it is renewed, and how long a try may take: Patroni allows no less.
TTL, LOOP, RETRY = 20, 2, 3


class Node:
    def __init__(self, cluster, number):
        self.cluster, self.name = cluster, "node%d" % number
        self.port, self.api = free_port(), free_port()
        # The way by which the other one's database reaches this one's.
        self.cable = Cable(self.port)
        self.data = os.path.join(cluster.folder, self.name)
        self.file = os.path.join(cluster.folder, self.name + ".yaml")
        with open(self.file, "w", encoding="utf-8") as file:
            json.dump(self._settings(), file)  # JSON is YAML
        self.process = None

    def _settings(self):
        folder, user = self.cluster.folder, {"username": "postgres", "password": "none"}
        return {
            "scope": "pegboard", "name": self.name,
            "restapi": {"listen": "127.0.0.1:%d" % self.api, "connect_address": "127.0.0.1:%d" % self.api},
            "etcd3": {"hosts": "127.0.0.1:%d" % self.cluster.etcd_port},
            "bootstrap": {
                "dcs": {"ttl": TTL, "loop_wait": LOOP, "retry_timeout": RETRY, "synchronous_mode": True,
                        "postgresql": {"use_pg_rewind": True, "parameters": {
                            "wal_level": "replica", "hot_standby": "on", "wal_log_hints": "on", "wal_keep_size": "128MB",
                            "max_wal_size": "512MB", "shared_buffers": "32MB", "max_connections": 60}}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums", "no-sync"],
                "pg_hba": ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]},
            "postgresql": {
                "listen": "127.0.0.1:%d" % self.port, "connect_address": "127.0.0.1:%d" % self.cable.port,
                "data_dir": self.data, "bin_dir": BIN, "pgpass": os.path.join(folder, "pgpass-" + self.name),
                "authentication": {"superuser": user, "replication": user, "rewind": user},
                "parameters": {"unix_socket_directories": folder}},
        }

    def start(self):
        self.process = self.cluster.run(self.name, "patroni", self.file)

    def postgres(self):
        """Its database's first process."""
        try:
            with open(os.path.join(self.data, "postmaster.pid"), encoding="ascii") as file:
                return int(file.readline())
        except (OSError, ValueError):
            return None

    def kill(self):
        if self.process is None:
            return
        first = self.postgres()
        self.process.send_signal(signal.SIGSTOP)
        if first is not None and os.path.exists("/proc/%d" % first):
            stop(first)
            send(signal.SIGKILL, processes(first))
        self.process.kill()
        self.process.wait()
        self.process = None


class PatroniCluster:
    def __init__(self):
        self.folder, self.etcd_port = postgres_cluster.make_folder("patroni"), free_port()
        self.etcd, self.nodes, self.lost = None, [], None
        try:
            client, peer = ("http://127.0.0.1:%d" % port for port in (self.etcd_port, free_port()))
            self.etcd = self.run(
                "etcd", "etcd", "--name", "e", "--data-dir", os.path.join(self.folder, "etcd"), "--listen-client-urls", client,
                "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--initial-cluster", "e=" + peer)
            self.nodes = [Node(self, number) for number in (1, 2)]
            for node in self.nodes:
                node.start()
            until(lambda: self.roles().count("sync_standby") == 1, "a leader and its standby: %s" % self.folder, 180)
        except BaseException:
            self.close()
            raise

    def run(self, name, *command):
        log = open(os.path.join(self.folder, name + ".log"), "a", encoding="utf-8")  # noqa: SIM115
        with log:
            return subprocess.Popen(
                ["env", "PATH=%s:/usr/bin:/bin" % BIN, *command] if os.geteuid() else
                postgres_cluster.unprivileged(self.folder) + ["env", "PATH=%s:/usr/bin:/bin" % BIN, *command],
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def members(self):
        """What Patroni says of them; whoever is alive is asked."""
        for node in self.nodes:
            try:
                with urllib.request.urlopen("http://127.0.0.1:%d/cluster" % node.api, timeout=2) as answer:
                    return json.load(answer)["members"]
            except (OSError, ValueError, KeyError, urllib.error.URLError):
                continue
        return []

    def roles(self):
        return [member["role"] for member in self.members() if member.get("state") in ("running", "streaming")]

    def leader(self):
        name = next((member["name"] for member in self.members() if member["role"] == "leader"), None)
        return next((node for node in self.nodes if node.name == name), None)

    def sql(self, statement, database="postgres"):
        return postgres_cluster.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.url(database, "?target_session_attrs=read-write"),
             "-c", statement], self.folder).strip()

    def url(self, database, options=""):
        hosts = ",".join("127.0.0.1:%d" % node.port for node in self.nodes)
        return "postgresql://postgres@%s/%s%s" % (hosts, database, options)

    def pull_cable(self):
        self.leader().cable.pull()

    def lose_leader(self):
        """Returns after how many seconds the other is the leader."""
        began = time.monotonic()
        self.lost = self.leader()
        self.lost.kill()
        until(lambda: self.leader() not in (None, self.lost) and "leader" in self.roles(), "another leader", 180)
        return time.monotonic() - began

    def return_lost(self):
        """The lost one comes back, as a standby."""
        self.lost.cable.plug()
        self.lost.start()
        until(lambda: self.roles().count("sync_standby") == 1, "the lost one back as a standby", 180)

    def close(self):
        for node in self.nodes:
            node.kill()
            node.cable.close()
        if self.etcd is not None:
            self.etcd.kill()
            self.etcd.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
