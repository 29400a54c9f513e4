#!/usr/bin/env python3
"""Under systemd: the units themselves, what is said over NOTIFY_SOCKET, signs of life, and sockets that are handed over."""
import ctypes
import errno
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402

UNITS = os.path.join(pegboard.ROOT, "Deploy", "systemd")
NAMES = ("pegboard.service", "pegboard.socket", "pegboard-backup.service", "pegboard-backup.timer")


class Manager:
    """What systemd listens to: a datagram socket, in the file system or abstract (its name begins with @)."""

    def __init__(self, name):
        self.environment = {"NOTIFY_SOCKET": name}
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + name[1:] if name.startswith("@") else name)

    def next(self, within=pegboard.PATIENCE):
        """The next news, as a dictionary; None where none comes in time."""
        self.socket.settimeout(within)
        try:
            return dict(line.split("=", 1) for line in self.socket.recv(4096).decode().split("\n"))
        except TimeoutError:
            return None

    def until(self, name):
        """Reads up to the news of that name; whatever comes before is returned too."""
        news = []
        while not news or name not in news[-1]:
            said = self.next()
            if said is None:
                raise AssertionError("no %s came, but %r" % (name, news))
            news.append(said)
        return news

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


class News(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_ready_reloading_and_stopping_are_told_in_this_order(self):
        for name in (os.path.join(self.folder, "notify"), "@pegboard-test-%d" % os.getpid()):
            with self.subTest(name), Manager(name) as manager:
                with pegboard.Server("serve", "--drain-delay", "0s", environment=manager.environment) as server:
                    self.assertEqual(manager.next()["READY"], "1")
                    server.process.send_signal(signal.SIGHUP)
                    reloading = manager.next()
                    self.assertEqual(reloading["RELOADING"], "1")
                    self.assertGreater(int(reloading["MONOTONIC_USEC"]), 0)
                    self.assertEqual(manager.next()["READY"], "1")
                    server.process.send_signal(signal.SIGTERM)
                    self.assertEqual(manager.next()["STOPPING"], "1")
                    self.assertEqual(server.process.wait(pegboard.PATIENCE), 0, server.said())

    def test_a_failed_start_is_never_ready(self):
        with Manager(os.path.join(self.folder, "notify")) as manager:
            server = pegboard.Server("serve", "--listen", "fd:99", environment=manager.environment)
            self.assertRaises(RuntimeError, server.start)
            server.__exit__()
            self.assertIsNone(manager.next(within=0.01))

    def test_a_manager_that_is_gone_is_no_reason_to_stop(self):
        for name in (os.path.join(self.folder, "nobody"), "vsock:2:1", "@", "relative"):
            with self.subTest(name), pegboard.Server("serve", environment={"NOTIFY_SOCKET": name}) as server:
                self.assertEqual(server.terminate(), 0, server.said())


class SignsOfLife(unittest.TestCase):
    """systemd kills what is silent for WATCHDOG_USEC; here it is 0.6 s, so a sign comes every 0.2 s."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.manager = Manager(os.path.join(folder.name, "notify"))
        self.addCleanup(self.manager.socket.close)
        self.environment = {**self.manager.environment, "WATCHDOG_USEC": "600000"}

    def serve(self, fault=None):
        environment = {**self.environment, **({"PEGBOARD_SEEDED_FAULT": fault} if fault else {})}
        return pegboard.Server("serve", "--event-loops", "2", environment=environment)

    def change(self, client):
        answer = client.request("PUT", "/v1/users/alice/layout", {"If-Match": "*"}, {"favorites": []})
        self.assertEqual(answer.status, 200, answer)

    def falls_silent(self):
        """Whether no sign comes for five times the patience, once those under way have arrived."""
        for _ in range(100):
            if self.manager.next(within=3.0) is None:
                return True
        return False

    def test_they_go_on_while_all_is_well(self):
        with self.serve() as server, server.client() as client:
            self.manager.until("READY")
            self.change(client)
            for _ in range(10):
                self.manager.until("WATCHDOG")

    def test_a_stuck_writer_ends_them(self):
        with self.serve("stuck-writer") as server, server.client() as client:
            self.manager.until("WATCHDOG")
            self.change(client)
            self.assertTrue(self.falls_silent())
            # The probe of the process and the readers are none the wiser: that is what the watchdog is for.
            self.assertEqual(client.request("GET", "/livez").status, 200)

    def test_a_stuck_loop_ends_them(self):
        with self.serve("stuck-loop") as server, server.client() as client:
            self.manager.until("WATCHDOG")
            client.socket.sendall(b"OPTIONS /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            self.assertTrue(self.falls_silent())

    def test_none_are_given_for_another_process(self):
        self.environment["WATCHDOG_PID"] = "1"
        with self.serve():
            self.manager.until("READY")
            self.assertTrue(self.falls_silent())


def answers(family, address, path="/livez"):
    """The status line at a socket, over a connection of its own."""
    with socket.socket(family) as client:
        client.settimeout(pegboard.PATIENCE)
        # A socket of the file system is there a moment before anybody listens.
        for _ in range(10_000):
            if client.connect_ex(address) != errno.ECONNREFUSED:
                break
            time.sleep(0.001)
        client.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % path.encode())
        text = b""
        while more := client.recv(4096):
            text += more
        return text.split(b"\r\n")[0]


class HandedOver(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, command, **options):
        """A process whose standard error is collected line by line."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PEGBOARD_", "LISTEN_"))}
        process = subprocess.Popen(
            [*command, pegboard.binary(), "serve", "--database", "sqlite:%s/pegboard.db" % self.folder,
             "--auth", "none", "--i-know-this-is-open", "--drain-delay", "0s", *options.pop("flags", [])],
            env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def hand_over(self, sockets, flags=(), names=None, pid="$$"):
        """As systemd does it: the sockets are descriptors from 3 on, the variables say so."""
        script = 'LISTEN_PID=%s LISTEN_FDS=%d LISTEN_FDNAMES=%s exec "$@"' % (
            pid, len(sockets), names or ":".join("http" for _ in sockets))

        def place():
            # Out of the way first: a source may be where another is to go.
            high = [os.dup2(s.fileno(), 200 + i) for i, s in enumerate(sockets)]
            for index, descriptor in enumerate(high):
                os.dup2(descriptor, 3 + index)

        return self.start(["sh", "-c", script, "sh"], flags=list(flags), preexec_fn=place,
                          pass_fds=range(3, 3 + len(sockets)))

    @staticmethod
    def listener():
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        return listener

    def test_systemd_itself_hands_one_over(self):
        path = os.path.join(self.folder, "http.sock")
        process = self.start(["systemd-socket-activate", "--listen", path, "--fdname=http"])
        while not os.path.exists(path):
            self.assertIsNone(process.poll())
        self.assertEqual(answers(socket.AF_UNIX, path), b"HTTP/1.1 200 OK")
        process.terminate()
        self.assertEqual(process.wait(pegboard.PATIENCE), 0)
        self.assertTrue(os.path.exists(path), "the socket is systemd's: it stays")

    def test_all_of_them_are_served_instead_of_the_default(self):
        with self.listener() as one, self.listener() as other:
            process = self.hand_over([one, other])
            for listener in (one, other, one, other):
                self.assertEqual(answers(socket.AF_INET, listener.getsockname()), b"HTTP/1.1 200 OK")
            process.terminate()
            self.assertEqual(process.wait(pegboard.PATIENCE), 0)

    def test_who_waits_during_a_restart_is_answered_by_the_next(self):
        with self.listener() as listener:
            for _ in range(2):
                waiting = []
                client = threading.Thread(
                    target=lambda: waiting.append(answers(socket.AF_INET, listener.getsockname())))
                client.start()
                process = self.hand_over([listener])
                client.join(pegboard.PATIENCE)
                self.assertEqual(waiting, [b"HTTP/1.1 200 OK"])
                process.terminate()
                self.assertEqual(process.wait(pegboard.PATIENCE), 0)

    def test_a_socket_that_listen_does_not_name_is_refused(self):
        with self.listener() as listener:
            process = self.hand_over([listener], flags=["--listen", "127.0.0.1:0"], names="web")
            said = process.stderr.read()
            self.assertEqual(process.wait(pegboard.PATIENCE), 78, said)
            self.assertIn("fd:3 (web)", said)

    def test_one_with_the_name_metrics_is_for_monitors(self):
        with self.listener() as http, self.listener() as metrics:
            self.hand_over([metrics, http], names="metrics:http")
            self.assertEqual(answers(socket.AF_INET, http.getsockname()), b"HTTP/1.1 200 OK")
            self.assertEqual(answers(socket.AF_INET, metrics.getsockname(), "/metrics"), b"HTTP/1.1 200 OK")
            # It serves nothing else.
            self.assertEqual(answers(socket.AF_INET, metrics.getsockname()), b"HTTP/1.1 404 Not Found")

    def test_a_socket_that_listen_names_is_served_beside_the_others(self):
        with self.listener() as listener:
            process = self.hand_over([listener], flags=["--listen", "127.0.0.1:0,fd:3"])
            self.assertEqual(answers(socket.AF_INET, listener.getsockname()), b"HTTP/1.1 200 OK")
            address = next(m for m in (re.search(r"http://127\.0\.0\.1:(\d+)", line) for line in process.stderr) if m)
            self.assertEqual(answers(socket.AF_INET, ("127.0.0.1", int(address.group(1)))), b"HTTP/1.1 200 OK")

    def test_variables_of_another_process_mean_nothing(self):
        with self.listener() as listener:
            process = self.hand_over([listener], flags=["--listen", "127.0.0.1:0"], pid="1")
            self.assertTrue(any("listening" in line for line in process.stderr))
            process.terminate()
            self.assertEqual(process.wait(pegboard.PATIENCE), 0)


class Units(unittest.TestCase):
    """The unit files, with the program under test in the place where it would be installed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in NAMES:
            with open(os.path.join(UNITS, name), encoding="utf-8") as source:
                text = source.read()
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as copy:
                copy.write(text.replace("/usr/local/bin/pegboard", pegboard.binary()))
        self.service = os.path.join(self.folder, "pegboard.service")

    def analyze(self, *arguments):
        ran = subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, timeout=60, check=False)
        return ran.returncode, ran.stdout + ran.stderr

    def test_they_verify_without_a_word(self):
        self.assertEqual(set(os.listdir(UNITS)), {*NAMES, "pegboard.env"})
        code, said = self.analyze("verify", "--man=no", *(os.path.join(self.folder, name) for name in NAMES))
        self.assertEqual((code, said.strip()), (0, ""))

    def test_a_misspelt_line_would_be_found(self):
        with open(self.service, "a", encoding="utf-8") as unit:
            unit.write("\n[Service]\nPrivateTemp=yes\n")
        self.assertIn("PrivateTemp", self.analyze("verify", "--man=no", self.service)[1])

    def exposure(self, name="pegboard.service"):
        said = self.analyze("security", "--offline=true", os.path.join(self.folder, name))[1]
        return float(re.search(r"exposure level for \S+: ([0-9.]+)", said).group(1))

    def test_exposure_is_below_2(self):
        self.assertLess(self.exposure("pegboard-backup.service"), 2.0)
        self.assertLess(self.exposure(), 2.0)
        with open(self.service, "a", encoding="utf-8") as unit:
            unit.write("\n[Service]\nNoNewPrivileges=no\nDynamicUser=no\nCapabilityBoundingSet=CAP_SYS_ADMIN\n"
                       "ProtectSystem=no\nPrivateUsers=no\nPrivateDevices=no\nSystemCallFilter=\n")
        self.assertGreater(self.exposure(), 2.0, "it would say so")

    def test_what_no_restart_cures_is_not_restarted(self):
        with open(self.service, encoding="utf-8") as unit:
            codes = re.search(r"^RestartPreventExitStatus=(.*)$", unit.read(), re.MULTILINE).group(1)
        self.assertEqual(codes.split(), ["64", "65", "73", "78"])

    def test_the_nightly_line_makes_a_copy(self):
        """ExecStart as it is, run by the shell that it names, with the state directory moved."""
        with open(os.path.join(self.folder, "pegboard-backup.service"), encoding="utf-8") as unit:
            line = re.search(r"^ExecStart=/bin/sh -c '(.*)'$", unit.read(), re.MULTILINE).group(1)
        line = line.replace("%%", "%").replace("/var/lib/pegboard", self.folder)
        os.mkdir(os.path.join(self.folder, "backups"))
        # Both runs are of one day, at midnight too.
        with open(os.path.join(self.folder, "date"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nexec /bin/date --date=2026-11-30 "$@"\n')
        os.chmod(file.name, 0o755)
        environment = {"PEGBOARD_DATABASE": "sqlite:%s/pegboard.db" % self.folder, "PATH": self.folder + ":/usr/bin:/bin"}
        database = os.path.join(self.folder, "pegboard.db")
        with pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--drain-delay", "0s", database=database):
            for _ in range(2):
                subprocess.run(["/bin/sh", "-c", line], env=environment, check=True, capture_output=True, timeout=60)
        self.assertEqual(os.listdir(os.path.join(self.folder, "backups")), ["Monday.db"])

    def test_it_serves_within_the_filter_of_system_calls(self):
        """Installs the unit's own filter: calls outside it fail with EPERM, as under systemd."""
        allowed = self.system_calls("@system-service") - self.system_calls("@privileged", "@resources")
        self.assertIn("epoll_wait", allowed)
        flags = ["--catalog", pegboard.DEMO_CATALOG, "--drain-delay", "0s"]
        runner = [sys.executable, os.path.abspath(__file__), "--filtered", ",".join(sorted(allowed)), "--"]
        with pegboard.Server("serve", *flags, prefix=runner) as server, server.client() as client:
            self.assertEqual(client.request("PUT", "/v1/users/alice/layout/favorites/metro").status, 201)
            self.assertEqual(client.request("GET", "/readyz").status, 200)
            self.assertEqual(server.terminate(), 0, server.said())

    def test_a_call_that_is_missing_in_the_filter_would_be_noticed(self):
        allowed = self.system_calls("@system-service") - {"fdatasync", "fsync"}
        runner = [sys.executable, os.path.abspath(__file__), "--filtered", ",".join(sorted(allowed)), "--"]
        server = pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, prefix=runner)
        self.assertRaises(RuntimeError, server.start)
        server.__exit__()

    def system_calls(self, *groups):
        calls, open_groups = set(), list(groups)
        while open_groups:
            listed = self.analyze("syscall-filter", open_groups.pop())[1].split("\n")[1:]
            names = [line.strip() for line in listed if line.strip() and not line.strip().startswith("#")]
            calls.update(name for name in names if not name.startswith("@"))
            open_groups += [name for name in names if name.startswith("@")]
        return calls


def run_filtered(allowed, command):
    """Lets this process make no other system calls than these, then becomes the command. libseccomp(3)."""
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    errno_eperm, allow = 0x00050000 | 1, 0x7FFF0000
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(errno_eperm)))
    for name in allowed:
        number = library.seccomp_syscall_resolve_name(name.encode())
        # Below zero: a call of another architecture.
        if number >= 0:
            library.seccomp_rule_add_array(context, ctypes.c_uint32(allow), number, 0, None)
    if library.seccomp_load(context) != 0:
        raise OSError("the filter can't be installed")
    os.execv(command[0], command)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--filtered"]:
        run_filtered(sys.argv[2].split(","), sys.argv[4:])
    unittest.main(verbosity=2)
