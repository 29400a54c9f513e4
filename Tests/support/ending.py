"""How a test ends that is told to: SIGTERM alone would leave running what it has started."""
import signal
import sys


def by_exception():
    """From now on SIGTERM unwinds the test: what it has started is stopped, and its folders go."""
    signal.signal(signal.SIGTERM, _unwind)


def _unwind(number, _):
    signal.signal(number, signal.SIG_IGN)  # nothing is to come between the clearing up
    sys.exit(128 + number)
