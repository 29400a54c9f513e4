#!/usr/bin/env python3
"""The wall clock jumps by an hour, by a day, and back: nothing times out, versions and history keep their order.

    clock.py                      part of `make test`; there is no longer form

A preloaded library (clock.c) moves the wall clock alone: time-outs run on the monotonic clock, and must not notice. The clock is used for
stamps (`updatedAt`, Date, the age of history and of idempotency records): those follow it, back too, while the order of
versions doesn't. An idempotency record lives by the wall clock: a jump of more than its 24 h forward ends it. So does a
token: it is refused after its `exp`, or before its `iat`, and good again when the clock is right again.
"""
import argparse
import os
import random
import secrets
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import faults  # noqa: E402
import pegboard  # noqa: E402

DAY = 86400


def run(library, folder, fakes_monotonic):
    """One life with jumps; what is wrong, as sentences. With the monotonic clock moved too, idle connections end: the
    twin that shows that a time-out on the wrong clock would be seen."""
    findings, path, rng = [], os.path.join(folder, "pegboard-%d.db" % fakes_monotonic), random.Random(1)
    shift = os.path.join(folder, "shift-%d" % fakes_monotonic)

    def jump(seconds):
        with open(shift, "r+", encoding="ascii") as file:
            file.write("%+010d" % seconds)

    open(shift, "w", encoding="ascii").close()
    jump(0)
    environment = {"LD_PRELOAD": library, "CLOCK_FILE": shift, **({"CLOCK_MONOTONIC": "1"} if fakes_monotonic else {})}
    # One event loop for all connections: each write wakes it, and it looks whose time is up.
    with pegboard.Server("serve", "--catalog", pegboard.DEMO_CATALOG, "--event-loops", "1", "--idle-timeout", "60s",
                         "--header-timeout", "60s", "--body-timeout", "60s", "--drain-delay", "0s", database=path,
                         environment=environment) as server:
        client, idle, half = server.client(), server.client(), server.client()
        idle.request("GET", "/livez")
        half.socket.sendall(b"GET /liv")
        stream = faults.Events(server, "clock") if faults.has_events(server) else None
        first, expected, seen = None, 0, []
        for number, seconds in enumerate((0, 3600, DAY, -DAY, 0, 2 * DAY, 0)):
            jump(seconds)
            time.sleep(0.3)
            try:
                items = faults.favorites(rng)
                answer = faults.put(client, "clock", items, "*", "key-%d" % number)
                first = first or (items, answer)
                layout = answer.json()["layout"]
                expected += 1
                if answer.status != 200 or layout["version"] != expected:
                    findings.append("at %+d s a write was answered %r" % (seconds, answer))
                seen.append((seconds, layout["updatedAt"]))
                again = faults.put(client, "clock", first[0], "*", "key-0")
                replayed = again.headers.get("idempotency-replayed") == "true"
                if replayed != (seconds < DAY):
                    findings.append("at %+d s the first key was %s" % (seconds, "known" if replayed else "forgotten"))
                if not replayed:
                    expected += again.json()["changed"]
                    first = (first[0], again)
                if idle.request("GET", "/livez").status != 200:
                    findings.append("at %+d s an idle connection is of no use" % seconds)
            except (OSError, KeyError, TypeError) as error:
                findings.append("at %+d s: %r" % (seconds, error))
                if not fakes_monotonic:
                    raise
                break
        if not findings:
            half.socket.sendall(b"ez HTTP/1.1\r\nHost: x\r\n\r\n")
            if half.read().status != 200:
                findings.append("a half-sent head timed out")
        if stream is not None:
            stream.close()
        code = server.terminate()
        if code != 0:
            findings.append("ended with %d" % code)
    rows = faults.Rows(path)
    print("   %d writes, stamps %s" % (expected, ", ".join("%+d s: %s" % pair for pair in seen)))
    return findings + rows.findings


def tokens(library, folder):
    """A token of an hour under the same jumps; what is wrong, as sentences."""
    shift, secret = os.path.join(folder, "shift-tokens"), os.path.join(folder, "secret")
    with open(secret, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(48))
    flags = ["--jwt-secret-file", secret, "--jwt-issuer", "https://id.example", "--jwt-audience", "layouts"]
    inherited = pegboard.inherited_environment()
    token = subprocess.run([pegboard.binary(), "token", "mint", "--user", "clock", "--ttl", "1h", *flags], env=inherited,
                           capture_output=True, text=True, timeout=30, check=True).stdout.strip()

    def jump(seconds):
        with open(shift, "w", encoding="ascii") as file:
            file.write("%+010d" % seconds)

    jump(0)
    findings = []
    with pegboard.Server("serve", "--auth", "jwt", *flags, "--catalog", pegboard.DEMO_CATALOG,
                         environment={"LD_PRELOAD": library, "CLOCK_FILE": shift}) as server, server.client() as client:
        # Up to 60 s of difference between two clocks are let pass.
        for seconds, wanted in ((0, 200), (3000, 200), (7200, 401), (0, 200), (-30, 200), (-DAY, 401), (0, 200)):
            jump(seconds)
            time.sleep(0.3)
            got = client.request("GET", "/v1/users/me/layout", {"Authorization": "Bearer " + token}).status
            if got != wanted:
                findings.append("at %+d s the token was answered %d and not %d" % (seconds, got, wanted))
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the same")
    parser.parse_args()
    report = faults.Report()
    with faults.memory_folder("clock") as folder:
        library = faults.library(os.path.join(HERE, "clock.c"), folder)
        report.clean("jumps of the wall clock", run(library, folder, False))
        report.clean("tokens under jumps", tokens(library, folder))
        report.twin("time-outs by a clock that jumps", run(library, folder, True))
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
