"""Waiting for what another process does in its own time."""
import time

import pegboard


def eventually(look, seconds=pegboard.PATIENCE):
    """What `look` gives, once that is true; what it gave last, where it never is."""
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found or time.monotonic() > deadline:
            return found
        time.sleep(0.02)
