#!/usr/bin/env python3
"""Power cuts: every file operation of a running server is recorded, thousands of states that a cut may leave are rebuilt,
and each is held to what clients had been promised by then.

    powercut.py                   at least 500 distinct states: the short form, part of `make test`
    powercut.py --full            at least 4,000

A promise is an answer to a write, a read, or an event that a client has received before the cut. Afterwards there must be
the layout's row at that version or a newer one, the history row with the same list, the idempotency record with the same
tag; SQLite must find the file whole, and versions must count without a gap. What a cut may leave: what was synchronized,
with nothing, all, a prefix torn at any byte, or any subset torn at 512-byte sectors (one in twenty filled with garbage)
of what was not; names appear, move and go only when their folder is synchronized. A disk that lies about flushing is
outside. Some of the states are also given to the server itself, which has to start on them and serve every promise.
"""
import argparse
import bisect
import collections
import json
import os
import shutil
import struct
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import faults  # noqa: E402
import pegboard  # noqa: E402

OPEN, WRITE, TRUNCATE, SYNC_BEGINS, SYNC_ENDS, UNLINK, RENAME, FOLDER_SYNC = range(1, 9)
ENTRY = struct.Struct("<IIQQQ")
# Versions that are kept of each user: so few that most writes are over one that leaves.
HISTORY = 8

# `record` is the key and the tag of a write's idempotency record; None for a read, EVENT for an event.
EVENT = "event"
Promise = collections.namedtuple("Promise", "time user version items record")


class Recording:
    """One run of the server from its very first start: what it did to its files, and what it promised meanwhile."""

    def __init__(self, seconds, rng, *bugs):
        self.promises, self.findings, self.lock = [], [], threading.Lock()
        with faults.memory_folder("powercut") as folder:
            data, log = os.path.join(folder, "data"), os.path.join(folder, "log")
            os.mkdir(data)
            environment = {"LD_PRELOAD": faults.library(os.path.join(HERE, "recorder.c"), folder),
                           "RECORDER_FOLDER": data, "RECORDER_LOG": log, **faults.seeded("many-checkpoints", *bugs)}
            server = pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--history", str(HISTORY),
                                     "--drain-delay", "0s",
                                     database=os.path.join(data, "pegboard.db"), environment=environment)
            with server:
                self._load(server, seconds, rng)
                code = server.terminate()
                if code != 0:
                    self.findings.append("SIGTERM ended it with %d: %s" % (code, server.said()))
            with open(log, "rb") as file:
                self.operations = list(operations(file.read()))
        self.promises.sort()

    def _load(self, server, seconds, rng):
        users = ["cut-%d" % n for n in range(6)]
        stop = threading.Event()
        has_events = faults.has_events(server)
        streams = [faults.Events(server, user) for user in users] if has_events else []
        jobs = [(self._write, server, user, stop, rng.random()) for user in users]
        jobs += [(self._read, server, users, stop, rng.random()) for _ in range(2)]
        jobs += [(self._listen, stream, user) for stream, user in zip(streams, users)]
        threads = [threading.Thread(target=job[0], args=job[1:]) for job in jobs]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        stop.set()
        for thread in threads[:8]:
            thread.join()
        for stream in streams:
            stream.close()
        for thread in threads[8:]:
            thread.join()

    def _promise(self, *promise):
        with self.lock:
            self.promises.append(Promise(time.monotonic_ns(), *promise))

    def _write(self, server, user, stop, seed):
        rng, tag, number = faults.random.Random(seed), "*", 0
        with server.client() as client:
            while not stop.is_set():
                number += 1
                items, key = faults.favorites(rng), "key-%d" % number
                answer = faults.put(client, user, items, tag, key)
                if answer.status != 200:
                    self.findings.append("a write was answered %r" % answer)
                    return
                layout, tag = answer.json()["layout"], answer.headers["etag"]
                self._promise(user, layout["version"], ",".join(items), (key, tag.strip('"')))
                if rng.random() < 0.02:
                    time.sleep(0.08)  # long enough for the log to be emptied

    def _read(self, server, users, stop, seed):
        rng = faults.random.Random(seed)
        with server.client() as client:
            while not stop.is_set():
                layout = client.request("GET", faults.layout_path(rng.choice(users))).json()
                if layout["version"]:
                    self._promise(layout["userId"], layout["version"], ",".join(layout["favorites"]), None)
                time.sleep(0.002)

    def _listen(self, stream, user):
        try:
            for version, items in stream.layouts():
                if version:
                    self._promise(user, version, ",".join(items), EVENT)
        except (OSError, ValueError):
            pass  # closed at the end


def operations(log):
    place = 0
    while place < len(log):
        what, length, file, moment, offset = ENTRY.unpack_from(log, place)
        place += ENTRY.size
        yield what, file, moment, offset, log[place:place + length]
        place += length


class File:
    def __init__(self):
        self.durable, self.pending, self.mark = bytearray(), [], 0


def apply(content, operation):
    what, offset, data = operation
    if what == WRITE:
        if len(content) < offset:
            content.extend(bytes(offset - len(content)))
        content[offset:offset + len(data)] = data
    elif len(content) > offset:
        del content[offset:]
    else:
        content.extend(bytes(offset - len(content)))


class Disk:
    """What is on the disk for certain, and what may be."""

    def __init__(self, rng):
        self.rng, self.files, self.durable_names, self.names, self.pending_names = rng, {}, {}, {}, []

    def operate(self, what, inode, offset, data):
        if what == OPEN:
            self._open(data.decode(), inode, offset)
        elif what in (WRITE, TRUNCATE):
            self.files[inode].pending.append((what, offset, data))
        elif what == SYNC_BEGINS:
            self.files[inode].mark = len(self.files[inode].pending)
        elif what == SYNC_ENDS:
            file = self.files[inode]
            for operation in file.pending[:file.mark]:
                apply(file.durable, operation)
            del file.pending[:file.mark]
            file.mark = 0
        elif what == FOLDER_SYNC:
            self.durable_names, self.pending_names = dict(self.names), []
        else:
            self._rename(*(path.decode() for path in data.split(b"\0")))

    def _open(self, path, inode, truncates):
        if self.names.get(path, (None,))[0] != inode:
            self.files[inode] = File()
            self._rename_to(path, (inode, self.files[inode]))
        if truncates:
            self.files[inode].pending.append((TRUNCATE, 0, b""))

    def _rename(self, old, new=None):
        target = self.names.pop(old, None)
        if new is None:
            self.pending_names.append(((old, None),))
        else:
            self.names[new] = target
            self.pending_names.append(((old, None), (new, target)))  # both or neither

    def _rename_to(self, path, target):
        self.names[path] = target
        self.pending_names.append(((path, target),))

    def state(self, kind):
        """One content of the disk after a cut now, by name."""
        names = dict(self.durable_names)
        count = {"none": 0, "all": len(self.pending_names)}.get(kind)
        if count is None:
            count = self.rng.randint(0, len(self.pending_names))
        for step in self.pending_names[:count]:
            for name, target in step:
                if target is None:
                    names.pop(name, None)
                else:
                    names[name] = target
        return {os.path.basename(name): self._content(file, kind) for name, (_, file) in names.items()
                if not name.endswith(("-shm", ".lock", ".probe"))}

    def _content(self, file, kind):
        content = bytearray(file.durable)
        for operation in self._survivors(file.pending, kind):
            apply(content, operation)
        return bytes(content)

    def _survivors(self, pending, kind):
        rng = self.rng
        if kind == "none":
            return []
        if kind == "all":
            return pending
        if kind == "prefix":
            count = rng.randint(0, len(pending))
            kept = pending[:count]
            if count < len(pending) and pending[count][0] == WRITE:
                _, offset, data = pending[count]
                kept = kept + [(WRITE, offset, data[:rng.randint(0, len(data))])]
            return kept
        kept = []
        for what, offset, data in pending:
            if rng.random() < 0.5:
                continue
            if what != WRITE or rng.random() < 0.5:
                kept.append((what, offset, data))
                continue
            for place in range(0, len(data), 512):
                if rng.random() < 0.7:
                    sector = data[place:place + 512]
                    kept.append((WRITE, offset + place, sector if rng.random() < 0.95 else rng.randbytes(len(sector))))
        return kept


KINDS = ("none", "all", "prefix", "prefix", "subset", "subset", "subset")


class Explorer:
    def __init__(self, recording, rng, folder, servers):
        self.recording, self.rng, self.folder = recording, rng, folder
        self.times = [promise.time for promise in recording.promises]
        self.seen, self.findings, self.kept = set(), list(recording.findings), []
        self.promises, self.servers = 0, servers

    def explore(self, wanted, finds=None):
        """Cuts at random places until `wanted` distinct states were checked, or the recording has no more; with `finds`,
        until so many findings were made. A promise stands on the least right after it was given: half of all cuts are
        made before the first operation that follows one."""
        every = self.recording.operations
        moments = [operation[2] for operation in every]
        after = {bisect.bisect_right(moments, time) for time in self.times}
        passes = 0
        while len(self.seen) < wanted and passes < 20:
            passes += 1
            places = 1.3 * (wanted - len(self.seen)) / (len(KINDS) * 0.8)
            anywhere, there = places / 2 / len(every), places / 2 / max(1, len(after))
            disk = Disk(self.rng)
            for number, (what, file, moment, offset, data) in enumerate(every):
                if self.rng.random() < anywhere + (there if number in after else 0):
                    for kind in KINDS:
                        self._cut(disk.state(kind), moment, kind)
                    if finds is not None and len(self.findings) >= finds:
                        return self.findings
                disk.operate(what, file, offset, data)
        for state, promises in self.kept:
            self._serve(state, promises)
        return self.findings

    def _cut(self, state, moment, kind):
        identity = hash(tuple(sorted(state.items())))
        if identity in self.seen:
            return
        self.seen.add(identity)
        promises = self.recording.promises[:bisect.bisect_left(self.times, moment)]
        self.promises += len(promises)
        self.findings += ["%s (%s)" % (finding, kind) for finding in self._check(state, promises)]
        if promises and self.servers:  # some of all, to be started
            place = self.rng.randrange(len(self.seen))
            if len(self.kept) < self.servers:
                self.kept.append((state, promises))
            elif place < self.servers:
                self.kept[place] = (state, promises)

    def _lay_out(self, state):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)
        for name, content in state.items():
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(content)
        return os.path.join(self.folder, "pegboard.db")

    def _check(self, state, promises):
        path = self._lay_out(state)
        if "pegboard.db" not in state:
            return ["the database is missing after %d promises" % len(promises)] if promises else []
        rows = faults.Rows(path)
        if rows.findings:
            return rows.findings[:1]
        for user, version, items, record in {promise[1:] for promise in promises}:
            newest, history = rows.layouts.get(user, (0,))[0], rows.revisions.get(user, {})
            if newest < version:
                return ["lost: version %d of %s" % (version, user)]
            if version > newest - HISTORY and (version not in history or items != history[version][0]):
                return ["lost: the history of %s at version %d" % (user, version)]
            if record not in (None, EVENT) and rows.records.get((user, record[0]), (0, ""))[1] != record[1]:
                return ["lost: the record of %s of %s" % (record[0], user)]
        for user, (version, _) in rows.layouts.items():
            count = sum(1 for owner, _ in rows.records if owner == user)
            if count != version:
                return ["split: %s has %d versions and %d records" % (user, version, count)]
            if len(rows.revisions[user]) != min(version, HISTORY):
                return ["split: %s is at version %d and has %d of its history"
                        % (user, version, len(rows.revisions[user]))]
        return []

    def _serve(self, state, promises):
        """The program's own opinion: it starts, serves every promise, and takes a write."""
        path = self._lay_out(state)
        newest = {}
        for promise in promises:
            newest[promise.user] = max(newest.get(promise.user, 0), promise.version)
        try:
            with pegboard.Server("serve", database=path) as server, server.client() as client:
                for user, version in newest.items():
                    answer = client.request("GET", faults.layout_path(user))
                    if answer.status != 200 or answer.json()["version"] < version:
                        self.findings.append("served: %s below version %d: %r" % (user, version, answer))
                answer = faults.put(client, "after", faults.favorites(self.rng), "*")
                if answer.status != 200:
                    self.findings.append("a write after the cut: %r" % answer)
        except (RuntimeError, OSError) as error:
            self.findings.append("after the cut: %s" % error)


def run(title, seconds, states, rng, *bugs, servers=0, finds=None):
    began = time.monotonic()
    recording = Recording(seconds, rng, *bugs)
    count = collections.Counter(operation[0] for operation in recording.operations)
    kinds = collections.Counter("event" if p.record == EVENT else "write" if p.record else "read" for p in recording.promises)
    with faults.memory_folder("powercut-states") as folder:
        explorer = Explorer(recording, rng, os.path.join(folder, "state"), servers)
        findings = explorer.explore(states, finds)
    print("%s: %d operations (%d writes, %d syncs, %d truncations), %s; %d distinct states, %d started; %d promises"
          " checked, %d findings (%.0f s)"
          % (title, len(recording.operations), count[WRITE], count[SYNC_ENDS], count[TRUNCATE],
             ", ".join("%d %ss" % (number, kind) for kind, number in sorted(kinds.items())), len(explorer.seen),
             len(explorer.kept), explorer.promises, len(findings), time.monotonic() - began))
    if not kinds["write"]:
        findings.append("nothing was acknowledged: this run has tested nothing")
    return findings, len(explorer.seen)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="4,000 states")
    parser.add_argument("--states", type=int)
    parser.add_argument("--seconds", type=float, help="of recorded load")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    states = options.states or (4000 if options.full else 500)
    seconds = options.seconds or (1.0 if options.full else 0.6)
    faults.require_seeds()
    rng, report = faults.generator(options.seed), faults.Report()
    findings, seen = run("as it is", seconds, states, rng, servers=40 if options.full else 4)
    report.clean("power cut", findings)
    report.check(seen >= states, "%d distinct states, %d wanted" % (seen, states))
    for bug in ("early-ack", "sync-off", "sync-normal"):
        findings, _ = run("seeded " + bug, 0.4, 400, rng, bug, finds=10)
        report.twin(bug, findings)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
