#!/usr/bin/env python3
"""The way of `Documentation/quick-start.md`, from an empty machine to a service that is signed in to, behind nginx, watched by
Prometheus and backed up: with what `make install` puts in place, the example configuration, and the lines that the
documentation has for Prometheus. Of systemd's part here is what the units start; the suite `systemd` has the rest.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import nginx  # noqa: E402
import pegboard  # noqa: E402
from ports import free_port  # noqa: E402

LAYOUT = "/v1/users/alice/layout"
# Public keys as an identity provider shows them. Nobody here holds the private one: users' tokens are the suite `signing-in`'s.
KEYS = {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "1", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}


class Prometheus:
    """Debian's, with the lines of operations.md for `prometheus.yml` in which only paths and ports are moved."""

    def __init__(self, folder, root, port):
        with open(os.path.join(pegboard.ROOT, "Documentation", "operations.md"), encoding="utf-8") as page:
            lines, = re.findall(r"```yaml\n(scrape_configs:.*?)```", page.read(), re.DOTALL)
        for old, new in (("127.0.0.1:9464", "127.0.0.1:%d" % port), ("/etc/prometheus", root + "/etc/prometheus")):
            assert old in lines, "%r is no longer in the page" % old
            lines = lines.replace(old, new)
        path = os.path.join(folder, "prometheus.yml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("global: {scrape_interval: 1s, evaluation_interval: 1s}\n" + lines)
        subprocess.run(["promtool", "check", "config", path], check=True, capture_output=True, timeout=60)
        self.port = free_port()
        with open(os.path.join(folder, "prometheus.log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                ["prometheus", "--config.file=" + path, "--storage.tsdb.path=" + os.path.join(folder, "metrics"),
                 "--web.listen-address=127.0.0.1:%d" % self.port], stdout=log, stderr=log)

    def ask(self, path):
        with urllib.request.urlopen("http://127.0.0.1:%d/api/v1/%s" % (self.port, path), timeout=10) as answer:
            return json.load(answer)["data"]

    def is_up(self):
        """What it says of Pegboard: "1", "0", or nothing yet."""
        try:
            return "".join(found["value"][1] for found in self.ask('query?query=up%7Bjob%3D%22pegboard%22%7D')["result"])
        except OSError:
            return ""

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


class Newcomer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.root = folder.name, os.path.join(folder.name, "root")
        cls.install()
        cls.database = cls.root + "/var/lib/pegboard/pegboard.db"
        cls.server = pegboard.Server("serve", "--auth", "jwt", program=cls.root + "/usr/local/bin/pegboard",
                                     environment=cls.environment(), database=cls.database).start()
        cls.addClassCleanup(cls.server.__exit__)
        cls.proxy = nginx.Nginx(cls.folder, cls.server.port)
        cls.addClassCleanup(cls.proxy.stop)
        cls.monitor = Prometheus(cls.folder, cls.root, cls.metrics_port)
        cls.addClassCleanup(cls.monitor.stop)

    @classmethod
    def install(cls):
        subprocess.run(["Scripts/install.sh", pegboard.binary()], cwd=pegboard.ROOT, check=True, capture_output=True, timeout=60,
                       env={"PATH": os.environ["PATH"], "DESTDIR": cls.root})
        examples = cls.root + "/usr/local/share/doc/pegboard/examples"
        for source, place in (("catalog.json", "pegboard"), ("alerts.yaml", "prometheus/pegboard")):
            subprocess.run(["install", "-D", "-m", "644", "-t", os.path.join(cls.root, "etc", place),
                            os.path.join(examples, source)], check=True, timeout=60)
        with open(cls.root + "/etc/pegboard/jwks.json", "w", encoding="utf-8") as file:
            json.dump(KEYS, file)
        made = cls.pegboard("token", "hash", "--name", "ops")
        with open(cls.root + "/etc/pegboard/admin-tokens", "w", encoding="utf-8") as file:
            file.write(made.stdout)
        cls.token = made.stderr.strip().splitlines()[-1]
        os.makedirs(cls.root + "/var/lib/pegboard/backups")

    @classmethod
    def environment(cls):
        """`pegboard.env` with every line of it in force."""
        cls.metrics_port = free_port()
        with open(cls.root + "/etc/pegboard/pegboard.env", encoding="utf-8") as file:
            text = file.read().replace("/etc/", cls.root + "/etc/").replace("/var/lib/", cls.root + "/var/lib/")
        text = text.replace("127.0.0.1:9464", "127.0.0.1:%d" % cls.metrics_port)
        return dict(re.findall(r"^#?(PEGBOARD_\w+)=(.*)$", text, re.MULTILINE))

    @classmethod
    def pegboard(cls, *arguments):
        inherited = pegboard.inherited_environment()
        return subprocess.run([cls.root + "/usr/local/bin/pegboard", *arguments], env=inherited, capture_output=True, text=True,
                              timeout=60, check=True)

    def ask(self, method="GET", path=LAYOUT, signed_in=True, **more):
        with self.proxy.client() as client:
            return client.request(method, path, {"Authorization": "Bearer " + self.token} if signed_in else {}, **more)

    def until(self, wanted, value):
        deadline = time.monotonic() + 60
        while value() != wanted:
            self.assertLess(time.monotonic(), deadline, (wanted, value()))
            time.sleep(0.1)

    def test_it_is_signed_in_to_through_the_proxy(self):
        self.assertEqual(self.ask(signed_in=False).status, 401)
        answer = self.ask()
        self.assertEqual((answer.status, answer.json()["userId"]), (200, "alice"), answer)
        self.assertEqual(self.ask("PUT", LAYOUT + "/favorites/metro").status, 201)

    def test_it_is_backed_up_and_comes_back(self):
        self.ask("PUT", "/v1/users/kept/layout/favorites/metro")
        with open(self.root + "/usr/local/lib/systemd/system/pegboard-backup.service", encoding="utf-8") as unit:
            line, = re.findall(r"^ExecStart=/bin/sh -c '(.*)'$", unit.read(), re.MULTILINE)
        for old in ("/usr/local", "/var/lib"):
            line = line.replace(old, self.root + old)
        subprocess.run(["/bin/sh", "-c", line.replace("%%", "%")], check=True, capture_output=True, timeout=60,
                       env={"PATH": os.environ["PATH"], "PEGBOARD_DATABASE": "sqlite:" + self.database})
        copy, = (entry.path for entry in os.scandir(self.root + "/var/lib/pegboard/backups"))
        self.pegboard("verify", "--database", "sqlite:" + copy)
        other = os.path.join(self.folder, "other.db")
        self.pegboard("restore", copy, "--database", "sqlite:" + other)
        with pegboard.Server("serve", database=other) as server, server.client() as client:
            self.assertIn("metro", client.request("GET", "/v1/users/kept/layout").json()["favorites"])

    def test_it_is_watched(self):
        self.until("1", self.monitor.is_up)
        loaded = {rule["name"] for group in self.monitor.ask("rules")["groups"] for rule in group["rules"]}
        with open(self.root + "/etc/prometheus/pegboard/alerts.yaml", encoding="utf-8") as file:
            self.assertEqual(loaded, set(re.findall(r"- alert: (\w+)", file.read())))
        self.server.process.send_signal(signal.SIGSTOP)
        self.addCleanup(self.server.process.send_signal, signal.SIGCONT)
        self.until("0", self.monitor.is_up)
        self.until([("PegboardDown", "pending")],
                   lambda: [(a["labels"]["alertname"], a["state"]) for a in self.monitor.ask("alerts")["alerts"]])


if __name__ == "__main__":
    unittest.main(verbosity=2)
