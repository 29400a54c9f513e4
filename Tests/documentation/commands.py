#!/usr/bin/env python3
"""Runs every command of the documentation: each `$ ` line in a ```console block. A section (`##`, with all below it) is a shell
of its own in a folder of its own; what is printed below a command has to come out of it.

    python3 Tests/documentation/commands.py [page ...]

Where a section calls 127.0.0.1:8080 without starting a server, there is one; `WORLDS` has the sections that need something else.
What cannot be run here stands in `NOT_RUN` with the reason, sections that another suite runs in `ELSEWHERE`.
"""
import collections
import contextlib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Tests", "support"))
import pegboard  # noqa: E402
from ports import free_port  # noqa: E402

PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md",
         *sorted(os.path.relpath(path, ROOT) for path in glob.glob(ROOT + "/Documentation/**/*.md", recursive=True))]

# Commands by how they begin.
NOT_RUN = {
    "make demo": "the suite `demo` runs the demo and pastes what it prints",
    "make test": "it is what runs this",
    "make format": "it changes the sources; lint says whether that is needed",
    "make image": "minutes; `make test-image` builds and runs both images",
    "swift build -c release": "minutes; the suites run what `swift build` made",
    "docker ": "there is no Docker engine here; `make test-image` does the same without one",
    "systemctl ": "it would change the machine; the suite `systemd` tries the units",
    "sudo ": "it would change the machine",
}
# Sections by page and heading.
ELSEWHERE = {
    ("Documentation/operations.md", "PostgreSQL"): "the suite `pg-life` does it beside a PostgreSQL of its own",
    ("Documentation/operations.md", "Administration"): "the suite `admin` runs them, as an administrator of 300 users",
    ("Documentation/operations.md", "PostgreSQL"): "the suite `pg-life` does it on databases of its own",
}


class Command(collections.namedtuple("Command", "line text expected")):
    """One command: where it stands, what is typed, and what is printed below it."""

    @property
    def reason(self):
        return next((why for start, why in NOT_RUN.items() if self.text.startswith(start)), None)


def sections(text):
    """Pairs of a heading of the second level, or above, and all commands below it."""
    heading, found, block, current = "", collections.OrderedDict(), None, None
    for number, line in enumerate(text.split("\n"), 1):
        if block is None and re.match("##? ", line):
            heading = line.lstrip("# ")
        elif block is None and line.startswith("```"):
            block = line[3:].strip() or "none"
        elif line.startswith("```"):
            block = current = None
        elif block == "console" and line.startswith("$ "):
            current = Command(number, [line[2:]], [])
            found.setdefault(heading, []).append(current)
        elif block == "console" and current:
            (current.text if current.text[-1].endswith("\\") and not current.expected else current.expected).append(line)
    return [(title, [Command(c.line, "\n".join(c.text), c.expected) for c in commands])
            for title, commands in found.items()]


# MARK: Worlds: what there is before the first command of a section.

@contextlib.contextmanager
def nothing(_):
    yield {}


@contextlib.contextmanager
def demo(_):
    """The demo runs, as `make demo` leaves it."""
    with pegboard.Server("demo") as server:
        yield {"127.0.0.1:8080": "127.0.0.1:%d" % server.port}


@contextlib.contextmanager
def served(folder):
    """A server with the demo's catalog and the layouts of some users, in the place of an installed one."""
    database = os.path.join(folder, "var/lib/pegboard/pegboard.db")
    with pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, database=database) as server:
        with server.client() as client:
            for user in ("alice", "bob"):
                client.request("PUT", "/v1/users/%s/layout/favorites/metro" % user)
        yield {"127.0.0.1:8080": "127.0.0.1:%d" % server.port}


@contextlib.contextmanager
def watched(_):
    """A server with a port for monitors."""
    port = free_port()
    with pegboard.Server("serve", "--metrics-listen", "127.0.0.1:%d" % port):
        yield {"127.0.0.1:9464": "127.0.0.1:%d" % port}


@contextlib.contextmanager
def stopped(folder):
    """As `served`, after it has stopped."""
    with served(folder):
        pass
    yield {}


def world_of(page, title, commands):
    """What there is before the first command of a section."""
    needs_server = any("127.0.0.1:8080" in command.text for command in commands) \
        and not any("pegboard serve" in command.text for command in commands)
    return WORLDS.get((page, title)) or WORLDS.get(page, served if needs_server else nothing)


WORLDS = {
    ("README.md", "A walk"): demo,
    "Documentation/api.md": demo,
    ("Documentation/quick-start.md", "Watch it"): watched,
    ("Documentation/operations.md", "Backup, restore, verify"): stopped,
}
# What depends on the machine or the moment, by how the command begins.
VARIES = ("pegboard backup", "pegboard token hash")


# MARK: Running

# curl waits for a server that a line before has started.
PRELUDE = """
curl() { command curl --max-time 30 --retry 30 --retry-connrefused --retry-delay 1 "$@"; }
trap 'kill $(jobs -p) 2> /dev/null' EXIT
"""
MARK = "\x01"


def run(commands, folder, places):
    """Runs them one after another in one shell: pairs of an exit code and what was printed."""
    bin_folder = os.path.join(folder, "bin")
    os.symlink(pegboard.binary(), os.path.join(bin_folder, "pegboard"))
    script = PRELUDE
    for command in commands:
        text = command.text
        for old, new in places.items():
            text = text.replace(old, new)
        script += "{ %s\n}\nprintf '%s%%d%s' $?\n" % (text, MARK, MARK)
    environment = pegboard.inherited_environment()
    environment["PATH"] = bin_folder + ":" + environment["PATH"]
    listen = places.get("127.0.0.1:8080")
    if listen:
        environment["PEGBOARD_LISTEN"] = listen
    with open(os.path.join(folder, "errors"), "w", encoding="utf-8") as errors:
        ran = subprocess.run(["bash", "-c", script], cwd=os.path.join(folder, "home"), env=environment,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True, timeout=300,
                             check=False)
    parts = ran.stdout.split(MARK)
    return list(zip([int(code) for code in parts[1::2]], parts[0::2], strict=False))


def missing(expected, printed):
    """The first expected line that did not come; None where all came. White space doesn't count, a line that begins with it
    belongs to the one before, `…` stands for anything, and no moment and no request's id comes twice."""
    def plain(text):
        text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
        text = re.sub(r'"requestId":"[0-9a-f]{16}"', '"requestId":"ID"', text)
        return re.sub(r"\s+", "", text)

    lines = []
    for line in expected:
        if line.startswith(" ") and lines:
            lines[-1] += line
        elif line.strip():
            lines.append(line)
    got = plain(printed)
    for line in lines:
        at = 0
        for part in plain(line).split("…"):
            at = got.find(part, at)
            if at < 0:
                return line
            at += len(part)
    return None


def check_section(page, title, commands):
    """The faults that were found, one text each."""
    runnable = [command for command in commands if command.reason is None]
    if not runnable:
        return []
    folder = tempfile.mkdtemp(prefix="pegboard-docs-")
    try:
        for name in ("bin", "home", "backups", "var/lib/pegboard", "etc/pegboard"):
            os.makedirs(os.path.join(folder, name))
        shutil.copy(pegboard.DEMO_CATALOG, os.path.join(folder, "home", "catalog.json"))
        places = {"/var/lib/": folder + "/var/lib/", "/backups": folder + "/backups", "/etc/pegboard": folder + "/etc/pegboard",
                  "127.0.0.1:8080": "127.0.0.1:%d" % free_port()}
        with world_of(page, title, runnable)(folder) as more:
            results = run(runnable, folder, {**places, **more})
        with open(os.path.join(folder, "errors"), encoding="utf-8") as file:
            errors = file.read()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    faults = []
    for index, command in enumerate(runnable):
        place = "%s:%d: %s" % (page, command.line, command.text.split("\n")[0])
        if index >= len(results):
            faults.append("%s\n    was not reached\n%s" % (place, errors))
            break
        code, printed = results[index]
        if code != 0:
            faults.append("%s\n    exit code %d\n%s%s" % (place, code, printed, errors))
            continue
        lost = None if command.text.startswith(VARIES) else missing(command.expected, printed)
        if lost is not None:
            faults.append("%s\n    is said to print\n%s\n    and prints\n%s%s" % (place, lost, printed, errors))
    return faults


def self_test():
    """A checker that cannot fail is worthless."""
    text = "## A\n```console\n$ echo one \\\n    two\none two\n$ false\n$ echo 1\n2\n$ docker run\n```\n```json\n$ no\n```\n"
    (title, commands), = sections(text)
    assert title == "A" and [c.text for c in commands] == ["echo one \\\n    two", "false", "echo 1", "docker run"], commands
    assert commands[0].expected == ["one two"]
    faults = check_section("self", "A", commands)
    assert len(faults) == 2 and "exit code 1" in faults[0] and "is said to print" in faults[1], faults
    assert missing(['{"at":"2026-11-30T04:05:27.633Z",', '  "a":1 …'], '{"at":"2027-01-01T00:00:00.000Z","a":1,"b":2}') is None
    assert missing(["a … b"], "b a") is not None


def main():
    self_test()
    good, bad, unused = 1, 0, {*NOT_RUN, *ELSEWHERE, *WORLDS}
    skipped = collections.Counter()
    for page in sys.argv[1:] or PAGES:
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            found = sections(file.read())
        for title, commands in found:
            unused -= {page, (page, title)}
            if (page, title) in ELSEWHERE:
                skipped[ELSEWHERE[page, title]] += len(commands)
                continue
            for command in commands:
                if command.reason:
                    skipped[command.reason] += 1
                    unused = {key for key in unused if not (isinstance(key, str) and command.text.startswith(key))}
            faults = check_section(page, title, commands)
            for fault in faults:
                print("FAIL " + fault, file=sys.stderr)
            bad += len(faults)
            good += sum(command.reason is None for command in commands) - len(faults)
    for reason, count in skipped.items():
        print("not run: %d, %s" % (count, reason))
    if unused and not sys.argv[1:]:
        bad += 1
        print("FAIL in no page: %s; take it out of the tables" % sorted(map(str, unused)), file=sys.stderr)
    print("%d passed, %d failed" % (good, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
