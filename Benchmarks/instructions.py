#!/usr/bin/env python3
"""Instructions and allocations a request, counted by callgrind: they don't depend on how busy the machine is.

    instructions.py                 counts and compares with instructions.json; more than 10 % over it is a failure
    instructions.py --record        writes instructions.json
    instructions.py --self-test     shows the comparison growths that it must, and must not, take for failures

The server runs under callgrind and is asked the same request over and over on one connection; counting begins when it is
warm. What is counted is the whole process: parsing,
routing, signing in, the answer, log and metrics, the commit; the kernel's part isn't.

Counts belong to a compiler: those of another version are not compared, and this says so. `make record-instructions` takes
its counts for the new measure; the commit that does says what changed.
"""
import argparse
import json
import os
import re
import socket
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)
RECORD = os.path.join(HERE, "instructions.json")
ALLOWED = 1.10
os.environ.setdefault("PEGBOARD_BIN", os.path.join(ROOT, ".build", "release", "pegboard"))
from suite import databases, machine, servers  # noqa: E402

# Enough for a timer's tick, a checkpoint or a cache that grows to weigh nothing.
REQUESTS, WARMING_UP = 300, 100
MODULES = os.listdir(os.path.join(ROOT, "Sources"))
LIBRARIES = {"libsqlite3": "SQLite", "libcrypto": "OpenSSL", "libz": "zlib", "libc": "libc", "libm": "libc", "ld-": "libc",
             "libdispatch": "Dispatch"}
ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"}


def environment():
    """What the counts belong to."""
    version = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    return {"compiler": re.search(r"Swift version \S+", version).group(0), "machine": os.uname().machine}


class Counted(servers.Pegboard):
    """Pegboard with callgrind around it."""

    def spawn(self, *command, **options):
        preload = machine.compiled("sigsuspend.so", "sigsuspend.c", "-shared", "-fPIC")
        # Valgrind 3.19 gives up on the program's debug info; the symbols, by which parts are told, are not of it.
        program = os.path.join(self.directory, "pegboard")
        subprocess.run(["strip", "--strip-debug", "-o", program, command[0]], check=True)
        return super().spawn("valgrind", "--tool=callgrind", "-q", "--callgrind-out-file=%s/counts" % self.directory,
                             program, *command[1:], env=dict(machine.environment(), LD_PRELOAD=preload), **options)

    def control(self, action):
        ran = subprocess.run(["callgrind_control", action, str(self.process.pid)], capture_output=True, text=True, check=False)
        if "OK." not in ran.stdout:
            raise RuntimeError("callgrind_control %s: %s%s" % (action, ran.stdout, ran.stderr))

    def count(self, requests):
        """{instructions, allocations} a request of this list, asked round and round on one connection."""
        with socket.create_connection(("127.0.0.1", self.port), 60) as connection:
            def ask(times):
                for number in range(times):
                    connection.sendall(requests[number % len(requests)])
                    read_answer(connection)
            ask(WARMING_UP)
            self.control("--zero")
            ask(REQUESTS)
            self.control("--dump")
        newest = max((name for name in os.listdir(self.directory) if re.fullmatch(r"counts\.\d+", name)),
                     key=lambda name: int(name.rpartition(".")[2]))
        with open(os.path.join(self.directory, newest), encoding="utf-8", errors="replace") as file:
            instructions, allocations, parts = read_counts(file)
        return {"instructions": round(instructions / REQUESTS), "allocations": round(allocations / REQUESTS, 1),
                "parts": {name: round(count / REQUESTS) for name, count in sorted(parts.items(), key=lambda item: -item[1])
                          if count >= REQUESTS}}


def read_answer(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        data += received(connection)
    head, _, content = data.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1]
    if status not in (b"200", b"304"):
        raise RuntimeError(data.decode("utf-8", "replace"))
    length = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
    left = int(length.group(1)) - len(content) if length and status == b"200" else 0
    while left > 0:
        left -= len(received(connection))


def received(connection):
    chunk = connection.recv(1 << 16)
    if not chunk:
        raise ConnectionError("the server closed the connection")
    return chunk


def part(name, object_):
    """Whose instruction it is: a module of ours by the symbol's mangled name, else a library by its file."""
    places = {name.find("%d%s" % (len(module), module)): module for module in MODULES} if name.startswith("$s") else {}
    places.pop(-1, None)
    if places:
        return places[min(places)]
    for start, library in LIBRARIES.items():
        if os.path.basename(object_).startswith(start):
            return library
    # Generic code of the standard library, specialized into the program.
    return "Swift"


def read_counts(lines):
    """Instructions in all, calls of the allocator, and instructions by part, from callgrind's file
    (https://valgrind.org/docs/manual/cl-format.html)."""
    names = {"ob": {}, "fn": {}}

    def named(kind, text):
        number, name = re.match(r"\((\d+)\)(?: (.*))?", text).groups()
        if name:
            names[kind][number] = name
        return names[kind][number]

    object_ = owner = callee = ""
    total, calls, parts, is_callees = 0, 0, {}, False
    for line in lines:
        key, _, text = line.rstrip("\n").partition("=")
        if key == "ob":
            object_ = named("ob", text)
        elif key == "cob":
            named("ob", text)
        elif key == "fn":
            owner = part(named("fn", text), object_)
        elif key == "cfn":
            callee = re.split(r"[@'\s]", named("fn", text))[0]
        elif key == "calls":
            is_callees = True
            if callee in ALLOCATORS:
                calls += int(text.split()[0])
        elif line.startswith("totals:"):
            total = int(line.split()[1])
        elif line[:1] in "0123456789+-*" and owner:
            # The line after `calls` has the cost of the callee, which is counted there.
            if not is_callees:
                parts[owner] = parts.get(owner, 0) + int(line.split()[1])
            is_callees = False
    if not total:
        raise ValueError("callgrind's file has no totals")
    return total, calls, parts


def measure():
    with Counted(databases.copy(64, "instructions")) as server:
        reader = "/v1/users/%s/layout" % databases.READER
        page = "/v1/users/%s/page" % databases.READER
        tag = re.search(rb"\r\netag: (\S+)", server.ask("GET", reader), re.IGNORECASE).group(1).decode()
        moves = [server.request("POST", "/v1/users/%s/layout/operations" % databases.user(1), {},
                                b'{"operations":[{"op":"move","id":"%s","at":{"edge":"last"}}]}' % name)
                 for name in (b"function-01", b"function-02")]
        paths = {
            "GET layout": [server.request("GET", reader)],
            "GET layout, 304": [server.request("GET", reader, {"If-None-Match": tag})],
            "GET livez": [server.request("GET", "/livez")],
            "GET readyz": [server.request("GET", "/readyz")],
            "GET page": [server.request("GET", page)],
            # A version of the app that was never seen: the page is written anew.
            "GET page, written anew": [server.request("GET", "%s?appVersion=1.%d" % (page, number))
                                       for number in range(REQUESTS)],
            "POST operations, one move": moves,
        }
        return {name: server.count(requests) for name, requests in paths.items()}


def growths(counted, recorded):
    """What grew by more than is allowed, a sentence each; and paths that one of the two lacks."""
    found = ["'%s' isn't in both" % name for name in sorted(set(counted) ^ set(recorded))]
    for name in sorted(set(counted) & set(recorded)):
        for what in ("instructions", "allocations"):
            before, now = recorded[name][what], counted[name][what]
            # Half an allocation a request is buffers that happened to grow.
            if now > before * ALLOWED + (0.5 if what == "allocations" else 0):
                found.append("%s: %s %s a request, recorded are %s" % (name, now, what, before))
    return found


def show(counted, recorded):
    for name, figures in counted.items():
        before = recorded.get(name, {})
        print("%-28s %9d instructions (%s)  %6.1f allocations (%s)" % (
            name, figures["instructions"], before.get("instructions", "new"), figures["allocations"],
            before.get("allocations", "new")))


def self_test():
    """The comparison on made-up counts, and the reader on a made-up file."""
    record = {"a": {"instructions": 1000, "allocations": 10.0}}
    cases = [(1000, 10.0, True), (1099, 11.4, True), (500, 0.0, True), (1101, 10.0, False), (1000, 11.6, False)]
    for instructions, allocations, is_fine in cases:
        found = growths({"a": {"instructions": instructions, "allocations": allocations}}, record)
        assert (not found) == is_fine, (instructions, allocations, found)
    assert growths({}, record) and growths({"a": record["a"], "b": record["a"]}, record)
    text = """ob=(1) /x/pegboard\nfn=(1) $s5HTTP113RequestParserV\n1 5\ncfn=(2) malloc\ncalls=3 0\n1 30\n+2 6
cfn=(3) free\ncalls=9 0\n1 30\nfn=(4) $sSa9LayoutAPIE\n1 7\ncfn=(2)\ncalls=4 0\n* 40\nob=(2) /x/libsqlite3.so.0\nfn=(5) step\n1 8
totals: 26\n"""
    assert read_counts(text.splitlines(True)) == (26, 7, {"HTTP1": 11, "LayoutAPI": 7, "SQLite": 8})
    return len(cases) + 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    passed = self_test()
    if options.self_test:
        print("%d passed, 0 failed" % passed)
        return 0
    with open(RECORD, encoding="utf-8") as file:
        record = json.load(file)
    here = environment()
    if not options.record and here != record["environment"]:
        print("the counts were recorded with %s and this is %s: nothing is compared; `make record-instructions` takes this one's"
              % (record["environment"], here))
        print("%d passed, 0 failed" % passed)
        return 0
    counted = measure()
    show(counted, record["paths"])
    if options.record:
        with open(RECORD, "w", encoding="utf-8") as file:
            json.dump({"environment": here, "paths": counted}, file, indent=2)
            file.write("\n")
        return 0
    found = growths(counted, record["paths"])
    # These very counts against a record that is a fifth lower: were that not found, nothing would be.
    lower = {name: dict(figures, instructions=figures["instructions"] / 1.2) for name, figures in counted.items()}
    assert len(growths(counted, lower)) >= len(counted), "a planted growth goes unseen"
    for growth in found:
        print("GREW %s" % growth)
    print("%d passed, %d failed" % (passed + 1 + len(counted) - len(found), len(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
