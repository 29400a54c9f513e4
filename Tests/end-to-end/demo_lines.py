#!/usr/bin/env python3
"""`pegboard demo` prints curl lines for people to paste. Here they are pasted, in order: each has to get an answer of the
server, never a 5xx, and the walk-through as a whole has to show what it promises."""
import os
import re
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import pegboard  # noqa: E402


def commands(lines):
    """The shell commands among what was printed; a trailing backslash goes on in the next line."""
    found, going = [], False
    for line in lines:
        text = line.strip()
        if text.startswith("$ "):
            text = text[2:]
        if going:
            found[-1] += "\n" + text
        elif re.match(r"(\w+=\S+ )?curl ", text):
            found.append(text)
        else:
            continue
        going = text.endswith("\\")
    return found


class DemoLines(unittest.TestCase):
    def test_every_printed_line_is_answered(self):
        with pegboard.Server("demo") as server:
            # It is ready before it has printed everything.
            deadline = time.monotonic() + pegboard.PATIENCE
            while len(commands(list(server.output))) < 7 and time.monotonic() < deadline:
                time.sleep(0.02)
            lines = commands(list(server.output))
            self.assertGreaterEqual(len(lines), 7, "fetch, move, refused move, stale move, add, remove, page:\n%s"
                                    % "\n".join(server.output))
            statuses = []
            for line in lines:
                with self.subTest(line):
                    # The printed line as it is, with curl made to tell the status of what it got.
                    ran = subprocess.run(
                        ["bash", "-c", 'curl() { command curl --max-time 10 --write-out "\\nstatus %{http_code}\\n" "$@"; }\n'
                         + line], capture_output=True, text=True, timeout=30, check=False)
                    self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
                    status = re.search(r"^status (\d+)$", ran.stdout, re.MULTILINE)
                    self.assertIsNotNone(status, ran.stdout)
                    statuses.append(int(status.group(1)))
                    self.assertTrue(200 <= statuses[-1] < 500, ran.stdout)
            self.assertIn(412, statuses, "a stale move is shown")
            self.assertTrue({409, 422} & set(statuses), "a refused move is shown")
            self.assertEqual(server.terminate(), 0, server.said())


if __name__ == "__main__":
    unittest.main(verbosity=2)
