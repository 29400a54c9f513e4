"""What the machine is, what a process costs on it, and the programs that are built for the suite."""
import contextlib
import os
import platform
import shutil
import subprocess

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(HERE)
# All that the suite makes: programs, databases, the state of a run. `make clean` takes it away with the rest.
WORK = os.path.join(ROOT, ".build", "bench")
PEGBOARD = os.environ.get("PEGBOARD_BIN") or os.path.join(WORK, "build", "release", "pegboard")
# It needs libpq, which cannot be linked statically.
PEGBOARD_WITH_POSTGRES = os.environ.get("PEGBOARD_BIN") or os.path.join(WORK, "build-postgres", "release", "pegboard")
PARTS = os.path.join(WORK, "build", "release", "bench-parts")
TICK = os.sysconf("SC_CLK_TCK")


class CannotMeasure(Exception):
    """This peer or tool isn't to be had here; the line is left out, and the report says so."""


def environment():
    """The settings of whoever measures must not reach the program."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PEGBOARD_")}


def cpu_seconds(pids, ended_children_of=None):
    """User and system time of these processes, ended threads included; and of one's children that have ended."""
    total = 0
    for pid in pids:
        # A child may have ended meanwhile.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            with open("/proc/%d/stat" % pid, encoding="ascii") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
            if pid == ended_children_of:
                total += int(fields[13]) + int(fields[14])
    return total / TICK


def resident_kb(pids):
    total = 0
    for pid in pids:
        with open("/proc/%d/status" % pid, encoding="ascii") as file:
            total += next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
    return total


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def description():
    """One line: processor, cores, memory, kernel, file system of the databases."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "?")
    with open("/proc/meminfo", encoding="ascii") as file:
        memory = int(file.readline().split()[1]) / 1024 / 1024
    os.makedirs(WORK, exist_ok=True)
    kind = subprocess.run(["stat", "-f", "-c", "%T", WORK], capture_output=True, text=True, check=True).stdout.strip()
    return "%s, %d cores, %.0f GiB, Linux %s, %s" % (model, os.cpu_count(), memory, platform.release(), kind)


def load():
    """The machine's load average of the last minute: what else went on."""
    return os.getloadavg()[0]


def compiled(name, source, *flags):
    """The path of a C program of ours, built where it is older than its source."""
    source, target = os.path.join(HERE, source), os.path.join(WORK, "bin", name)
    if not _is_fresh(target, source):
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", target, source, *flags], check=True)
    return target


def go_server():
    """Debian's packages alone: nothing is fetched."""
    source, target = os.path.join(HERE, "peers", "go", "main.go"), os.path.join(WORK, "bin", "go-server")
    if not shutil.which("go") or not os.path.isdir("/usr/share/gocode/src/github.com/mattn/go-sqlite3"):
        raise CannotMeasure("golang-go and golang-github-mattn-go-sqlite3-dev aren't installed")
    if not _is_fresh(target, source):
        environment = dict(os.environ, GO111MODULE="off", GOPATH="/usr/share/gocode", GOFLAGS="-tags=libsqlite3",
                           GOCACHE=os.path.join(WORK, "go-cache"))
        subprocess.run(["go", "build", "-o", target, source], env=environment, check=True)
    return target


def python_peers():
    """The bin/ of a virtual environment with the Python peers."""
    wanted = os.path.join(HERE, "peers", "requirements.txt")
    venv = os.path.join(WORK, "venv")
    stamp = os.path.join(venv, "installed.txt")
    if not _is_fresh(stamp, wanted):
        subprocess.run(["python3", "-m", "venv", "--clear", venv], check=True)
        ran = subprocess.run([os.path.join(venv, "bin", "pip"), "install", "-q", "-r", wanted], check=False)
        if ran.returncode:
            raise CannotMeasure("PyPI doesn't answer, so there is no FastAPI and no Kinto")
        shutil.copy(wanted, stamp)
    return os.path.join(venv, "bin")


def prepare():
    """Builds and installs what can be had, so that no round waits for it."""
    compiled("load", "load.c")
    compiled("responder", "peers/responder.c", "-pthread")
    compiled("sqlite", "peers/sqlite.c", "-lsqlite3")
    for peer in (go_server, python_peers):
        try:
            peer()
        except CannotMeasure as reason:
            print("left out: %s" % reason, flush=True)


def _is_fresh(target, source):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    return os.path.exists(target) and os.path.getmtime(target) >= os.path.getmtime(source)
