"""What the fault tests share: seeded bugs, preloaded libraries, made-up lists, and a second opinion on a database.

Each fault test runs on the program as it is, where it must find nothing, and on the same program with a bug planted into
it (Sources/pegboard/SeededFaults.swift, debug builds alone), where it must find something. Standard library only.
"""
import contextlib
import json
import os
import random
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import pegboard

VARIABLE = "PEGBOARD_SEEDED_FAULT"


def seeded(*faults):
    """The environment that plants these bugs; empty names plant nothing."""
    names = [fault for fault in faults if fault]
    return {VARIABLE: ",".join(names)} if names else {}


class Report:
    """Counts what passed and failed, and says each as it comes."""

    def __init__(self):
        self.passed = self.failed = 0
        self.began = time.monotonic()

    def check(self, good, sentence, detail=""):
        self.passed += bool(good)
        self.failed += not good
        print("%s %s%s" % ("ok  " if good else "FAIL", sentence, "" if good or not detail else ": %s" % (detail,)),
              flush=True)
        return bool(good)

    def clean(self, title, findings):
        """A run on the program as it is: nothing may be found."""
        return self.check(not findings, "%s: nothing found" % title, "; ".join(map(str, findings[:5])))

    def twin(self, fault, findings):
        """The same run with a bug planted: it must be found, or the test can't fail."""
        return self.check(findings, "seeded %s: %s" % (fault, found(findings)), "a test that can't fail is no test")

    def end(self):
        """The exit code."""
        print("%.1f s" % (time.monotonic() - self.began))
        print("%d passed, %d failed" % (self.passed, self.failed))
        return 1 if self.failed else 0


def found(findings):
    return "%d findings, such as: %s" % (len(findings), str(findings[0])[:160]) if findings else "nothing found"


def require_seeds():
    """Ends the test where the program is no debug build: without its seeded twin a test counts for nothing."""
    inherited = pegboard.inherited_environment()
    ran = subprocess.run([pegboard.binary(), "serve", "--print-config"], env={**inherited, **seeded("sync-off")},
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False)
    if ran.returncode != 0:
        print("%s plants no bugs into itself: a debug build is needed (swift build).\n%s"
              % (pegboard.binary(), ran.stderr))
        sys.exit(1)


def memory_folder(prefix):
    """A folder that costs no time to synchronize, where there is one: what a test of counts needs, and none of disks."""
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix="pegboard-%s-" % prefix, dir=where)


def library(source, folder):
    """Compiles one C file that stands beside the test into a library to preload."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise FileNotFoundError("no C compiler: Scripts/setup.sh test installs one")
    made = os.path.join(folder, os.path.basename(source)[:-2] + ".so")
    subprocess.run([compiler, "-std=gnu11", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", made, source, "-ldl"],
                   check=True, timeout=60)
    return made


# Movable functions of the demo catalog. With the three that must stay a list has at most eleven.
OPTIONAL = ("transfer transit-code phone-topup food-delivery ride receive request-money split-bill bills accounts cards "
            "portfolio savings budget policies claims metro bus parking fuel trains flights hotels groceries coupons "
            "orders doctor pharmacy steps electricity water internet rent library donate").split()


def favorites(rng):
    """A list that the demo catalog allows. Two of them are alike once in a million."""
    rest = rng.sample(OPTIONAL, rng.randint(5, 7)) + ["lock-card"]
    rng.shuffle(rest)
    return ["scan", "pay-code"] + rest


def layout_path(user):
    return "/v1/users/%s/layout" % user


def put(client, user, items, tag=None, key=None, base=None):
    """One whole-list write."""
    headers = {"Content-Type": "application/json"}
    if tag is not None:
        headers["If-Match"] = tag
    if key is not None:
        headers["Idempotency-Key"] = '"%s"' % key
    body = {"favorites": items} if base is None else {"favorites": items, "baseVersion": base}
    return client.request("PUT", layout_path(user), headers, json.dumps(body).encode())


def named(answer):
    """The status of a refusal, and the code where it is one of ours."""
    is_ours = "json" in answer.headers.get("content-type", "")
    return "%d %s" % (answer.status, answer.json()["code"] if is_ours else "of a proxy")


def has_events(server):
    """Whether this server has event streams yet; says so where it has none, and then nothing about them is counted."""
    with server.client() as client:
        client.socket.sendall(b"GET /v1/users/probe/layout/events HTTP/1.1\r\nHost: x\r\n"
                              b"Accept: text/event-stream\r\n\r\n")
        status = client.socket.recv(64)[9:12]
    if status == b"404":
        print("events: not there yet")
        return False
    if status != b"200":
        raise RuntimeError("a request as a browser's EventSource sends it was answered %s" % status.decode())
    return True


class Events:
    """One event stream, as far as the tests need it."""

    def __init__(self, server, user, timeout=pegboard.PATIENCE):
        self.client = server.client(timeout=timeout)
        self.client.socket.sendall(("GET %s/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n"
                                    % layout_path(user)).encode())
        self.head = self.client._until(b"\r\n\r\n")
        self.text, self.last = b"", ""

    def layouts(self):
        """The version and the favorites of each event, as they come, until the stream ends in order."""
        while True:
            while b"\n\n" not in self.text:
                size = int(self.client._until(b"\r\n").split(b";")[0], 16)
                if size == 0:
                    return
                self.text += self.client._exactly(size)
                self.client._exactly(2)
            block, _, self.text = self.text.partition(b"\n\n")
            self.last = block.decode()
            fields = dict(line.split(": ", 1) for line in self.last.split("\n") if ": " in line)
            if "id" in fields:
                yield int(fields["id"]), json.loads(fields["data"])["favorites"]

    def close(self):
        """Ends `layouts` on another thread as well."""
        with contextlib.suppress(OSError):  # the server was quicker
            self.client.socket.shutdown(socket.SHUT_RDWR)
        self.client.close()


class Rows:
    """A closed database, read by Python's SQLite and not by ours, with every checksum computed again."""

    def __init__(self, path):
        self.findings = []
        connection = sqlite3.connect(path)
        try:
            sound = connection.execute("PRAGMA integrity_check").fetchone()[0]
            if sound != "ok":
                self.findings.append("integrity_check: %s" % sound[:80])
                return
            self.schema = connection.execute("PRAGMA user_version").fetchone()[0]
            if self.schema == 0:
                self.findings.append("no schema")
                return
            self._read(connection)
        # The second: text that is none any more, which Python cannot even quote.
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            self.findings.append("unreadable: %s" % error)
        finally:
            connection.close()

    def _read(self, connection):
        self.layouts, self.revisions, self.records = {}, {}, {}
        for user, version, items, locked, at, checksum in connection.execute(
                "SELECT user_id, version, items, locked, updated_at, checksum FROM layouts"):
            self._verify(checksum, "layouts", user, version, items, locked, at)
            self.layouts[user] = (version, items)
        for user, version, items, locked, kind, origin, actor, at, checksum in connection.execute(
                "SELECT user_id, version, items, locked, kind, origin, actor, created_at, checksum FROM revisions"):
            self._verify(checksum, "revisions", user, version, items, locked, kind, origin, actor, at)
            self.revisions.setdefault(user, {})[version] = (items, at)
        for user, scope, key, print_, status, tag, content, at, checksum in connection.execute(
                "SELECT user_id, scope, key, fingerprint, status, entity_tag, content, created_at, checksum"
                " FROM idempotency"):
            self._verify(checksum, "idempotency", user, scope, key, print_, status, tag, content, at)
            self.records[user, key] = (status, tag, content)
        for user in set(self.layouts) | set(self.revisions):
            self._check(user)

    def _check(self, user):
        version, items = self.layouts.get(user, (0, None))
        history = self.revisions.get(user, {})
        if not history or max(history) != version:
            self.findings.append("split: %s is at version %d, the history at %d"
                                 % (user, version, max(history, default=0)))
        elif history[version][0] != items:
            self.findings.append("split: version %d of %s is %s, the history has %s"
                                 % (version, user, items, history[version][0]))
        if sorted(history) != list(range(min(history, default=1), max(history, default=0) + 1)):
            self.findings.append("gap in the history of %s" % user)

    def _verify(self, checksum, table, *values):
        if row_checksum(table, *values) != checksum:
            self.findings.append("checksum of %s %s" % (table, values[:2]))


def row_checksum(table, *values):
    """RowChecksum.swift: each value behind its length, numbers as 8 bytes, little end first."""
    crc = 0
    for value in (table,) + values:
        if value is None:
            octets = struct.pack("<q", -1)
        elif isinstance(value, int):
            octets = struct.pack("<q", value)
        else:
            value = value.encode() if isinstance(value, str) else value
            octets = struct.pack("<q", len(value)) + value
        crc = zlib.crc32(octets, crc)
    return crc


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def resident(pid):
    """The process's own memory, in bytes: RssAnon."""
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon")) * 1024


def descriptors(pid):
    return len(os.listdir("/proc/%d/fd" % pid))


def generator(seed):
    print("seed %d, %s" % (seed, pegboard.binary()), flush=True)
    return random.Random(seed)
