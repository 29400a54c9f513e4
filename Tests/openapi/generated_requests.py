#!/usr/bin/env python3
"""schemathesis makes requests up from `/openapi.json`, right ones and wrong ones, and finds nothing: as an administrator,
who gets everywhere, and as a user.

    python3 Tests/openapi/generated_requests.py            a few seconds
    python3 Tests/openapi/generated_requests.py --full     five minutes

Needs schemathesis, from the environment that Scripts/python.sh makes. The last line is `N passed, N failed`.
"""
import argparse
import os
import re
import secrets
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import pegboard  # noqa: E402

ISSUER = ("--jwt-issuer", "https://id.example", "--jwt-audience", "layouts")


def run(*arguments):
    inherited = pegboard.inherited_environment()
    return subprocess.run([pegboard.binary(), *arguments], env=inherited, capture_output=True, text=True, timeout=30, check=True)


def explore(server, name, token, mode, seed, *more):
    """One run. Wrong requests and right ones apart: mixed, schemathesis takes some of its own wrong ones for right."""
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", os.path.join(HERE, "schemathesis.toml"), "run",
        "http://127.0.0.1:%d/openapi.json" % server.port, "--checks", "all", "--mode", mode, "--seed", str(seed),
        "--header", "Authorization: Bearer " + token, "--no-color",
        # Streams don't end.
        "--exclude-operation-id", "streamEvents", *more]
    ran = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=server.folder,
        env={**os.environ, "SCHEMATHESIS_HOOKS": os.path.join(HERE, "hooks.py"), "PYTHONDONTWRITEBYTECODE": "1",
             "PEGBOARD_GENERATED_AS": "alice" if name == "admin" else "me"})
    cases = re.search(r"(\d+) generated", ran.stdout)
    print("%s, %s requests: %s made up" % (name, mode, cases.group(1) if cases else "none"))
    if ran.returncode != 0 or not cases:
        print(ran.stdout + ran.stderr, file=sys.stderr)
        return False
    return True


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--full", action="store_true")
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    # The phase "coverage" is thousands of requests. "stateful" is in neither form: it comes to no end, and chains of requests
    # are what the other suites make.
    phases, examples = ("examples,coverage,fuzzing", "80") if options.full else ("examples,fuzzing", "8")
    bound = ["--phases", phases, "--max-examples", examples]
    results = []
    with tempfile.TemporaryDirectory(prefix="pegboard-test-") as folder:
        secret, admins, backups = (os.path.join(folder, name) for name in ("secret", "admins", "backups"))
        os.mkdir(backups)
        with open(secret, "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(48))
        made = run("token", "hash", "--name", "ops")
        with open(admins, "w", encoding="utf-8") as file:
            file.write(made.stdout)
        tokens = {
            "admin": made.stderr.strip().splitlines()[-1],
            "user": run("token", "mint", "--jwt-secret-file", secret, *ISSUER, "--user", "alice", "--ttl", "4h").stdout.strip()}
        for name, token in tokens.items():
            server = pegboard.Server(
                "serve", "--catalog", pegboard.DEMO_CATALOG, "--auth", "jwt", "--jwt-secret-file", secret, *ISSUER,
                "--admin-token-file", admins, "--backup-directory", backups)
            server.folder = folder
            with server:
                results.append(explore(server, name, token, "positive", options.seed, *bound))
                # An import takes any lines, and answers each.
                results.append(explore(server, name, token, "negative", options.seed, *bound,
                                       "--exclude-operation-id", "importLayouts"))
                results.append(server.terminate() == 0)
    print("%d passed, %d failed" % (results.count(True), results.count(False)))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
