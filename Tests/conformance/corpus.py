#!/usr/bin/env python3
"""The HTTP/1.1 corpus, all levels, strict, against `pegboard demo`. Every case of the file has to pass."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import pegboard  # noqa: E402

WANTED = "452 passed, 0 failed"
# No case waits for that long, unless what it waits for doesn't come: a busy machine may take its time.
PATIENCE = ("--timeout", "30", "--close-wait", "15")


def main():
    with pegboard.Server("demo") as server:
        ran = subprocess.run(
            [sys.executable, os.path.join(HERE, "http1_corpus_runner.py"), "--host", "127.0.0.1",
             "--port", str(server.port), *PATIENCE, *sys.argv[1:], os.path.join(HERE, "http1-corpus.jsonl")],
            stdout=subprocess.PIPE, text=True, check=False)
        sys.stdout.write(ran.stdout)
        code = server.terminate()
    last = ran.stdout.strip().rsplit("\n", 1)[-1]
    if code != 0:
        print("FAIL SIGTERM ended the server with %d\n%s" % (code, server.said()))
        return 1
    if len(sys.argv) == 1 and last != WANTED:
        print("FAIL the corpus ended in %r instead of %r" % (last, WANTED))
        return 1
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
