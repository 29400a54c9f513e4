#!/usr/bin/env python3
"""`make install` into an empty root: everything is where it belongs, and works from there. What is installed is the program
under test; --release builds and installs as a packager would."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402

INSTALLED = {
    "opt/pegboard/bin/pegboard": 0o755,
    "opt/pegboard/share/man/man1/pegboard.1": 0o644,
    "opt/pegboard/share/bash-completion/completions/pegboard": 0o644,
    "opt/pegboard/share/zsh/site-functions/_pegboard": 0o644,
    "opt/pegboard/share/fish/vendor_completions.d/pegboard.fish": 0o644,
    "opt/pegboard/share/doc/pegboard/copyright": 0o644,
    "opt/pegboard/share/doc/pegboard/examples/nginx.conf": 0o644,
    "opt/pegboard/share/doc/pegboard/examples/catalog.json": 0o644,
    "opt/pegboard/share/doc/pegboard/examples/alerts.yaml": 0o644,
    "opt/pegboard/share/doc/pegboard/examples/dashboard.json": 0o644,
    "opt/pegboard/lib/systemd/system/pegboard.service": 0o644,
    "opt/pegboard/lib/systemd/system/pegboard.socket": 0o644,
    "opt/pegboard/lib/systemd/system/pegboard-backup.service": 0o644,
    "opt/pegboard/lib/systemd/system/pegboard-backup.timer": 0o644,
    "etc/pegboard/pegboard.env": 0o644,
}


def install(root, prefix="/opt/pegboard"):
    inherited = pegboard.inherited_environment()
    if "--release" in sys.argv:
        command = ["make", "--no-print-directory", "install", "PREFIX=" + prefix, "DESTDIR=" + root]
    else:
        command = ["Scripts/install.sh", pegboard.binary()]
    return subprocess.run(command, cwd=pegboard.ROOT, env={**inherited, "PREFIX": prefix, "DESTDIR": root},
                          capture_output=True, text=True, timeout=3000, check=False)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = cls.folder.name
        ran = install(cls.root)
        assert ran.returncode == 0, ran.stdout + ran.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.root, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_everything_is_there_and_nothing_else(self):
        found = {}
        for folder, _, names in os.walk(self.root):
            for name in names:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, self.root)] = os.stat(path).st_mode & 0o777
        self.assertEqual(found, INSTALLED)

    def test_it_runs_from_there(self):
        program = self.path("opt/pegboard/bin/pegboard")
        with pegboard.Server("serve", "--catalog", self.path("opt/pegboard/share/doc/pegboard/examples/catalog.json"),
                             "--drain-delay", "0s", program=program) as server, server.client() as client:
            self.assertEqual(os.readlink("/proc/%d/exe" % server.process.pid), program)
            self.assertEqual(client.request("GET", "/v1/users/alice/layout").status, 200)
            self.assertEqual(server.terminate(), 0, server.said())

    def test_the_units_name_the_installed_program(self):
        service = self.text("opt/pegboard/lib/systemd/system/pegboard.service")
        program = re.search(r"^ExecStart=(\S+) serve$", service, re.MULTILINE).group(1)
        self.assertTrue(os.access(self.root + program, os.X_OK), program)
        self.assertNotIn("/usr/local", service)

    def test_the_example_configuration_is_one(self):
        lines = self.text("etc/pegboard/pegboard.env").splitlines()
        settings = [line.lstrip("#") for line in lines if re.match(r"#?[A-Z_]+=", line)]
        self.assertGreater(len(settings), 4)
        environment = dict(setting.split("=", 1) for setting in settings)
        ran = subprocess.run([self.path("opt/pegboard/bin/pegboard"), "serve", "--print-config"], env=environment,
                             capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for name, value in environment.items():
            self.assertIn("%s   # %s" % (value, name), ran.stdout)

    def test_man_shows_the_page(self):
        ran = subprocess.run(["mandoc", "-T", "ascii", self.path("opt/pegboard/share/man/man1/pegboard.1")],
                             capture_output=True, text=True, timeout=60, check=True)
        self.assertIn("--listen", re.sub(".\b", "", ran.stdout))

    def test_a_configuration_that_is_there_stays(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(install(root).returncode, 0)
            path = os.path.join(root, "etc/pegboard/pegboard.env")
            with open(path, "w", encoding="utf-8") as file:
                file.write("PEGBOARD_JWT_ISSUER=https://mine.example\n")
            self.assertEqual(install(root).returncode, 0)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "PEGBOARD_JWT_ISSUER=https://mine.example\n")
            self.assertTrue(os.path.exists(path + ".new"))

    def test_a_relative_prefix_is_refused(self):
        with tempfile.TemporaryDirectory() as root:
            ran = install(root, prefix="opt")
            self.assertNotEqual(ran.returncode, 0)
            self.assertIn("PREFIX has to begin with /", ran.stderr)
            self.assertEqual(os.listdir(root), [])

    @unittest.skipUnless("--release" in sys.argv, "what the build says of itself is asked in the long form")
    def test_the_release_names_its_version_and_its_commit(self):
        said = subprocess.run([self.path("opt/pegboard/bin/pegboard"), "version", "--json"],
                              env=pegboard.inherited_environment(), capture_output=True, text=True, timeout=60,
                              check=True).stdout
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=pegboard.ROOT, capture_output=True, text=True,
                                timeout=60, check=True).stdout.strip()
        self.assertEqual(json.loads(said)["commit"], commit)
        self.assertRegex(json.loads(said)["version"], r"^\d+\.\d+\.\d+$")
        # Nothing of the toolchain is needed where it is installed.
        libraries = subprocess.run(["ldd", self.path("opt/pegboard/bin/pegboard")], capture_output=True, text=True,
                                   timeout=60, check=True).stdout
        self.assertNotIn("libswift", libraries)
        self.assertNotIn("libdispatch", libraries)


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=[argument for argument in sys.argv if argument != "--release"])
