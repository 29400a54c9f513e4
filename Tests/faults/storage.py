#!/usr/bin/env python3
"""Storage that fails: full, read-only, taken away, damaged; at the start and under a running server.

    storage.py                    the short form, part of `make test`
    storage.py --full             more flipped bits and zeroed pages

Where the storage refuses, writes are 503 with Retry-After and reads go on; when the cause is gone the same server writes
again. A database that is damaged, empty, foreign or in use is refused with a clear message and the right exit code, and a
damaged row is a 500 and never an empty list or somebody else's. What the machine can't do (mounting needs root, an
immutable file ext4) is said and left out.
"""
import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import faults  # noqa: E402
import pegboard  # noqa: E402

USERS = ["store-%03d" % n for n in range(120)]


def command(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)


class Mount:
    """A file system of its own, unmounted at the end; `reason` says why there is none."""

    def __init__(self, folder, kind, size):
        self.point, self.reason = os.path.join(folder, kind), None
        os.makedirs(self.point, exist_ok=True)
        if kind == "tmpfs":
            done = command("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", self.point)
        else:
            image = os.path.join(folder, "image")
            with open(image, "wb") as file:
                file.truncate(16 << 20)
            done = command("mkfs.ext4", "-q", "-F", image)
            if done.returncode == 0:
                done = command("mount", "-o", "loop", image, self.point)
        if done.returncode != 0:
            self.reason = done.stderr.strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.reason is None:
            command("umount", self.point)


def serve(path, *flags, **more):
    return pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--drain-delay", "0s", *flags,
                           database=path, **more)


def refused(report, title, path, codes, *words, environment=None):
    """A start that must fail: with one of these codes, quickly, and with these words on standard error."""
    inherited = pegboard.inherited_environment()
    try:
        ran = subprocess.run([pegboard.binary(), "serve", "--listen", "127.0.0.1:0", "--auth", "none", "--catalog",
                              pegboard.DEMO_CATALOG, "--database", "sqlite:" + path],
                             env={**inherited, **(environment or {})}, stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, timeout=pegboard.PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return report.check(False, "%s: refused" % title, "it started")
    good = ran.returncode in codes and all(word in ran.stderr for word in ("pegboard: ",) + words)
    return report.check(good, "%s: refused with %d: %s" % (title, ran.returncode, ran.stderr.strip()[:110]),
                        "%s wanted, with %s: %s" % (codes, words, ran.stderr))


def write(client, user, rng):
    return faults.put(client, user, faults.favorites(rng), "*")


def fill(mount):
    """Takes all the space that is left."""
    with open(os.path.join(mount, "filler"), "wb", buffering=0) as file:
        for size in (65536, 512):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                pass


def refusal_of_writes(client, rng, reads):
    """What is wrong while no write can be made."""
    findings = []
    answer = write(client, "refused", rng)
    if answer.status != 503 or "retry-after" not in answer.headers:
        findings.append("a write was answered %r" % answer)
    for user in reads:
        answer = client.request("GET", faults.layout_path(user))
        if answer.status != 200:
            findings.append("a read was answered %r" % answer)
    for path, wanted in (("/readyz", 503), ("/livez", 200)):
        answer = client.request("GET", path)
        if answer.status != wanted:
            findings.append("%s says %r instead of %d" % (path, answer, wanted))
    return findings


def recovery(client, rng, within=pegboard.PATIENCE):
    """Waits until the server has found out by itself that it can write again."""
    deadline = time.monotonic() + within
    while client.request("GET", "/readyz").status != 200:
        if time.monotonic() > deadline:
            return ["not ready %d s after the cause was gone" % within]
        time.sleep(0.05)
    answer = write(client, "recovered", rng)
    return [] if answer.status == 200 else ["a write with the cause gone was answered %r" % answer]


def kept(path, acks):
    """What is lost of these acknowledged writes, or wrong with the database, once it is closed."""
    rows = faults.Rows(path)
    return rows.findings or ["lost: %s at version %d" % (user, version) for user, (version, items) in acks.items()
                             if rows.layouts.get(user) != (version, items)]


def write_until_full(client, rng, acks):
    for number in range(500):
        user = USERS[number % len(USERS)]
        items = faults.favorites(rng)
        answer = faults.put(client, user, items, "*", "full-%d" % number)
        if answer.status != 200:
            return number, answer
        acks[user] = (answer.json()["layout"]["version"], ",".join(items))
    return 500, None


def disk_full(report, folder, rng, *bugs):
    with Mount(folder, "tmpfs", "2m") as mount:
        if mount.reason:
            print("skip disk full: no tmpfs can be mounted: %s" % mount.reason)
            return None
        path, acks = os.path.join(mount.point, "pegboard.db"), {}
        with serve(path, environment=faults.seeded(*bugs)) as server, server.client() as client:
            # What needs no checkpoint to come first: the space is taken away from under it.
            for user in USERS[:20]:
                items = faults.favorites(rng)
                acks[user] = (faults.put(client, user, items, "*").json()["layout"]["version"], ",".join(items))
            fill(mount.point)
            count, last = write_until_full(client, rng, acks)
            findings = [] if last else ["it never was full"]
            # Near the end a smaller write may still fit: the next refusal counts, once they are steady.
            for _ in range(50):
                if write(client, "refused", rng).status == 503:
                    findings += refusal_of_writes(client, rng, list(acks)[:10])
                    break
            else:
                findings.append("it takes writes on a full disk")
            os.remove(os.path.join(mount.point, "filler"))
            findings += recovery(client, rng)
            code = server.terminate()
            findings += ["ended with %d" % code] if code else []
        findings += kept(path, acks)
        if not bugs:
            report.clean("disk full after %d more writes, then space again" % count, findings)
            fill(mount.point)
            command("cp", "/dev/null", os.path.join(mount.point, "more"))
            refused(report, "start on a full disk", path, (73,))
        return findings


def read_only(report, folder, rng):
    with Mount(folder, "tmpfs", "8m") as mount:
        if mount.reason:
            return
        path = os.path.join(mount.point, "pegboard.db")
        with serve(path) as server, server.client() as client:
            write(client, "a", rng)
            server.terminate()
        command("mount", "-o", "remount,ro", mount.point)
        refused(report, "start on a read-only file system", path, (73,), "cannot be written")
        refused(report, "first start on a read-only file system", path + "2", (73,))


def immutable(report, folder, rng):
    with Mount(folder, "ext4", "16m") as mount:
        if mount.reason:
            print("skip unwritable log: no ext4 can be mounted: %s" % mount.reason)
            return
        path, acks = os.path.join(mount.point, "pegboard.db"), {}
        with serve(path) as server, server.client() as client:
            for user in USERS[:10]:
                items = faults.favorites(rng)
                acks[user] = (faults.put(client, user, items, "*").json()["layout"]["version"], ",".join(items))
            made = command("chattr", "+i", path + "-wal")
            if made.returncode != 0:
                print("skip unwritable log: %s" % made.stderr.strip())
                return
            findings = []
            deadline = time.monotonic() + 5
            while write(client, "refused", rng).status == 200 and time.monotonic() < deadline:
                pass
            # A descriptor that is open already may write on: then nothing is refused, and nothing may be lost either.
            if write(client, "refused", rng).status != 200:
                findings += refusal_of_writes(client, rng, list(acks))
            server.kill()
            refused(report, "start with a log that can't be written", path, (73, 69), "cannot be written")
            command("chattr", "-i", path + "-wal")
        with serve(path) as server, server.client() as client:
            findings += recovery(client, rng)
            server.terminate()
        report.clean("log made immutable", findings + kept(path, acks))
        if shutil.which("xfs_io"):
            shut_down(report, mount, path, rng)
        else:
            print("skip file system shut down: xfs_io isn't installed")


def shut_down(report, mount, path, rng):
    """The kernel stops the file system under a running server, as after an error of the disk."""
    with serve(path) as server, server.client() as client:
        client.request("GET", faults.layout_path(USERS[0]))
        stopped = command("xfs_io", "-x", "-c", "shutdown -f", mount.point)
        if stopped.returncode != 0:
            print("skip file system shut down: %s" % stopped.stderr.strip())
            return
        answer = write(client, "refused", rng)
        ready = client.request("GET", "/readyz").status
        alive = client.request("GET", "/livez").status
        report.check((answer.status, ready, alive) == (503, 503, 200),
                     "file system shut down: write %d, /readyz %d, /livez %d, a layout in memory %d"
                     % (answer.status, ready, alive, client.request("GET", faults.layout_path(USERS[0])).status))
        server.kill()


def made(folder, rng):
    """A closed database with what it holds: {user: (version, favorites)}."""
    path, truth = os.path.join(folder, "good.db"), {}
    with serve(path) as server, server.client() as client:
        for user in USERS:
            for _ in range(3):
                layout = write(client, user, rng).json()["layout"]
            truth[user] = (layout["version"], layout["favorites"])
        server.terminate()
    return path, truth


def copy(good, folder):
    path = os.path.join(folder, "damaged.db")
    for suffix in ("-wal", "-shm", ".lock"):
        if os.path.exists(path + suffix):
            os.remove(path + suffix)
    shutil.copyfile(good, path)
    return path


def untrue(client, truth, statuses):
    """Reads everybody: what is served and isn't so."""
    findings = []
    for user, (version, favorites) in truth.items():
        answer = client.request("GET", faults.layout_path(user))
        statuses[answer.status] = statuses.get(answer.status, 0) + 1
        if answer.status == 200:
            layout = answer.json()
            if (layout["version"], layout["favorites"]) != (version, favorites):
                findings.append("%s served as version %d %s" % (user, layout["version"], layout["favorites"]))
        elif answer.status == 500 and answer.json()["code"] != "damaged_record" or answer.status not in (500, 503):
            findings.append("%s: %r" % (user, answer))
    return findings


def damage_at_start(report, good, folder, rng):
    def damaged(change):
        path = copy(good, folder)
        with open(path, "r+b") as file:
            change(file)
        return path

    def overwrite(file, place, octets):
        file.seek(place)
        file.write(octets)

    size = os.path.getsize(good)
    cases = [
        ("emptied", lambda file: file.truncate(0), (65,), "empty"),
        ("cut to half", lambda file: file.truncate(size // 2), (65,), "damaged"),
        ("cut by a page", lambda file: file.truncate(size - 4096), (65,), "damaged"),
        ("its header zeroed", lambda file: overwrite(file, 0, bytes(100)), (65,), "no Pegboard database"),
        ("zeroed as a whole", lambda file: overwrite(file, 0, bytes(size)), (65,), "no Pegboard database"),
        ("made of noise", lambda file: overwrite(file, 0, rng.randbytes(size)), (65,), "no Pegboard database"),
    ]
    for title, change, codes, word in cases:
        path = damaged(change)
        before = os.path.getsize(path)
        refused(report, "a database %s" % title, path, codes, word)
        if os.path.getsize(path) != before:
            report.check(False, "a database %s is left alone" % title)
    path = copy(good, folder)
    os.remove(path)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE notes (text)")
    connection.close()
    refused(report, "another program's database", path, (65,), "another program")
    for what, octets in (("noise", rng.randbytes(20000)), ("nothing", b"")):
        path = copy(good, folder)
        with open(path + "-wal", "wb") as file:
            file.write(octets)
        with serve(path) as server, server.client() as client:
            report.clean("a log of %s beside a good database" % what, untrue(client, report.truth, {}))


def damage_to_pages(report, good, folder, rng, count, *bugs):
    """One page zeroed or one bit flipped: whatever starts serves the truth or a 500, and nothing else."""
    findings, statuses, starts = [], {}, 0
    size = os.path.getsize(good)
    for number in range(count):
        path = copy(good, folder)
        with open(path, "r+b") as file:
            if number % 3 == 0:
                file.seek(4096 * rng.randrange(1, size // 4096))
                file.write(bytes(4096))
            else:
                place = rng.randrange(100, size)
                file.seek(place)
                octet = file.read(1)[0]
                file.seek(place)
                file.write(bytes([octet ^ 1 << rng.randrange(8)]))
        try:
            with serve(path, environment=faults.seeded(*bugs)) as server, server.client() as client:
                starts += 1
                findings += untrue(client, report.truth, statuses)
        except RuntimeError as error:
            if "ended with 65" not in str(error) and "ended with 69" not in str(error):
                findings.append("starting: %s" % error)
    print("%d damaged copies%s: %d refused at the start, %d served; answers %s"
          % (count, "".join(", seeded " + bug for bug in bugs), count - starts, starts, statuses))
    return findings


def damaged_rows(good, folder, *bugs):
    """Rows changed in ways that leave SQLite content: only our own checksums see them."""
    findings, statuses = [], {}
    truth = damaged_rows.truth
    path = copy(good, folder)
    connection = sqlite3.connect(path)
    changes = ("items = 'scan,pay-code,lock-card'", "version = version + 1", "items = NULL", "user_id = user_id || 'x'")
    for user, change in zip(USERS, changes * 5):
        connection.execute("UPDATE layouts SET %s WHERE user_id = ?" % change, (user,))
    connection.commit()
    connection.close()
    with serve(path, environment=faults.seeded(*bugs)) as server, server.client() as client:
        findings += untrue(client, truth, statuses)
        if not bugs and statuses.get(500) != 20:
            findings.append("20 damaged rows, answers %s" % statuses)
        answer = write(client, USERS[0], random.Random(1))
        if answer.status != 500 and not bugs:
            findings.append("a write over a damaged row was answered %r" % answer)
    return findings


def damage_while_running(report, good, folder, rng):
    """Half of the file is overwritten under a running server: no lie, no crash."""
    path, statuses = copy(good, folder), {}
    with serve(path, "--cache", "0") as server, server.client() as client:
        size = os.path.getsize(path)
        with open(path, "r+b") as file:
            for page in range(2, size // 4096):
                file.seek(4096 * page)
                file.write(rng.randbytes(4096) if page % 2 else bytes(4096))
        findings = untrue(client, report.truth, statuses)
        if client.request("GET", "/livez").status != 200:
            findings.append("not alive")
        answer = write(client, "other", rng)
        report.clean("pages overwritten under a running server: reads %s, a write %d" % (statuses, answer.status),
                     findings)


def second_process(report, folder, rng):
    path, link = os.path.join(folder, "shared.db"), os.path.join(folder, "link.db")
    with serve(path) as server, server.client() as client:
        os.symlink(path, link)
        refused(report, "a second process", path, (73,), "in use")
        refused(report, "a second process by another name", link, (73,), "in use")
        report.check(write(client, "a", rng).status == 200, "the first process serves on")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more damaged copies")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    faults.require_seeds()
    rng, report = faults.generator(options.seed), faults.Report()
    with tempfile.TemporaryDirectory(prefix="pegboard-storage-") as folder:
        findings = disk_full(report, folder, rng)
        if findings is not None:
            report.twin("early-ack on a full disk", disk_full(report, folder, rng, "early-ack"))
        read_only(report, folder, rng)
        immutable(report, folder, rng)
        second_process(report, folder, rng)
    with faults.memory_folder("storage") as folder:
        good, report.truth = made(folder, rng)
        damaged_rows.truth = report.truth
        damage_at_start(report, good, folder, rng)
        report.clean("damaged rows are a 500", damaged_rows(good, folder))
        report.twin("no-checksum", damaged_rows(good, folder, "no-checksum"))
        count = 300 if options.full else 18
        report.clean("damaged pages", damage_to_pages(report, good, folder, rng, count))
        damage_while_running(report, good, folder, rng)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
