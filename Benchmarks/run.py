#!/usr/bin/env python3
"""Pegboard beside its peers, in one run on one machine. Writes Benchmarks/RESULTS.md and its plots.

    run.py [--long] [--fresh] [--rounds N] [--seconds S] [CHAPTER …]

A run that was interrupted goes on where it stopped, as long as it is the same commit and length; --fresh begins again.
With chapters, those alone are measured anew; the others stay as they are. `make bench` builds what this needs.
"""
import argparse
import json
import os
import subprocess
import sys
import time
import traceback

from suite import chapters, databases, machine, report

STATE = os.path.join(machine.WORK, "results.json")


def revision():
    ran = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=machine.ROOT, capture_output=True, text=True,
                         check=False)
    return ran.stdout.strip() or "unknown"


def read_state(options, plan):
    fresh = {"length": "long" if options.long else "short", "revision": revision(), "machine": machine.description(),
             "seconds": plan.seconds, "rounds": plan.rounds, "chapters": {}, "load": {}, "is_whole": False}
    if options.fresh or not os.path.exists(STATE):
        return fresh
    with open(STATE, encoding="utf-8") as file:
        state = json.load(file)
    # Chapters that are named are measured into what there is, whatever that was.
    if options.chapters:
        return state
    same = all(state.get(key) == fresh[key] for key in ("length", "revision", "machine", "seconds", "rounds"))
    return state if same and not state.get("is_whole") else fresh


def write_state(state):
    with open(STATE + ".new", "w", encoding="utf-8") as file:
        json.dump(state, file, indent=1)
    os.replace(STATE + ".new", STATE)


def measure(name, plan, state):
    rounds = state["chapters"].setdefault(name, [])
    if len(rounds) >= plan.rounds:
        return
    chapter = chapters.ALL[name]
    print("%s: %s" % (name, chapter.__doc__.splitlines()[0]), flush=True)
    began = time.monotonic()
    loads = [machine.load()]
    with chapter(plan) as round_:
        while len(rounds) < plan.rounds:
            rounds.append(round_())
            write_state(state)
            print("  round %d of %d, %.0f s" % (len(rounds), plan.rounds, time.monotonic() - began), flush=True)
    loads.append(machine.load())
    state["load"][name] = loads
    write_state(state)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="all that `make bench-long` measures")
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run has measured")
    parser.add_argument("--rounds", type=int, help="rounds of each chapter")
    parser.add_argument("--seconds", type=float, help="of each run")
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER", help=", ".join(chapters.ALL))
    options = parser.parse_args()
    unknown = set(options.chapters) - set(chapters.ALL)
    if unknown:
        parser.error("no chapter is called %s; there are %s" % (", ".join(sorted(unknown)), ", ".join(chapters.ALL)))
    plan = chapters.Plan(options.long)
    plan.rounds = options.rounds or plan.rounds
    plan.seconds = options.seconds or plan.seconds
    machine.prepare()
    state = read_state(options, plan)
    if not options.chapters:
        for users in sorted({chapters.USERS, plan.many, *plan.growth}):
            databases.original(users)
    for name in options.chapters:
        state["chapters"].pop(name, None)
    failed = []
    for name in options.chapters or chapters.ALL:
        try:
            measure(name, plan, state)
        except Exception:
            # The other chapters are worth having; the report names what is missing.
            traceback.print_exc()
            failed.append(name)
    state["is_whole"] = not failed and set(state["chapters"]) == set(chapters.ALL)
    write_state(state)
    report.write(state)
    print("wrote %s" % os.path.relpath(report.RESULTS, os.getcwd()))
    if failed:
        print("failed: %s; the same command tries them again" % ", ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
