#!/usr/bin/env python3
"""How a test ends that is told to: SIGTERM alone would leave running what it has started. As a program it tries that."""
import os
import signal
import subprocess
import sys


def by_exception():
    """From now on SIGTERM unwinds the test: what it has started is stopped, and its folders go."""
    signal.signal(signal.SIGTERM, _unwind)


def _unwind(number, _):
    signal.signal(number, signal.SIG_IGN)  # nothing is to come between the clearing up
    sys.exit(128 + number)


def _told_to_end(first):
    """The exit code and the last words of a test that begins with `first` and is told to end."""
    # Not by pause(): where the signal comes just before it, there is no other.
    text = "import ending\n%s\ntry:\n    print('begun', flush=True)\n    while True: pass\nfinally:\n    print('cleared up')"
    test = subprocess.Popen([sys.executable, "-c", text % first], stdout=subprocess.PIPE, text=True,
                            cwd=os.path.dirname(os.path.abspath(__file__)))
    with test:
        test.stdout.readline()
        test.terminate()
        words = test.stdout.read().strip()
    return test.returncode, words


def main():
    results = [_told_to_end("ending.by_exception()") == (128 + signal.SIGTERM, "cleared up"),
               _told_to_end("") == (-signal.SIGTERM, "")]
    print("%d passed, %d failed" % (results.count(True), results.count(False)))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
