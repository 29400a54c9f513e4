#!/usr/bin/env python3
"""Examples/TwoDevices against the demo: one device goes offline, both edit, it comes back, and both show one list. The
client library in this goes through real sockets."""
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import pegboard  # noqa: E402

PROGRAM = os.path.join(HERE, "..", "..", ".build", "debug", "two-devices")


class TwoDevices(unittest.TestCase):
    def test_the_story_comes_out_as_it_was_foreseen(self):
        with pegboard.Server("demo") as server:
            story = subprocess.run(
                [PROGRAM, "http://127.0.0.1:%d" % server.port, "--script"], capture_output=True, text=True,
                timeout=60, check=False)
        self.assertEqual(story.returncode, 0, story.stdout + story.stderr)
        self.assertIn("Both show the same: nothing was lost.", story.stdout)
        self.assertIn("phone, offline, 2 to send", story.stdout)

    def test_commands_are_obeyed_and_refusals_said(self):
        commands = "phone move 0 3\nphone offline\nphone remove transfer\ntablet move 2 7\nphone online\nwhat\nquit\n"
        with pegboard.Server("demo") as server:
            typed = subprocess.run(
                [PROGRAM, "http://127.0.0.1:%d" % server.port], input=commands, capture_output=True, text=True,
                timeout=60, check=False)
        self.assertEqual(typed.returncode, 0, typed.stdout + typed.stderr)
        self.assertIn("always comes first", typed.stdout)

    def test_without_a_server_it_says_so(self):
        alone = subprocess.run(
            [PROGRAM, "http://127.0.0.1:1", "--script"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(alone.returncode, 69, alone.stdout + alone.stderr)


if __name__ == "__main__":
    unittest.main()
