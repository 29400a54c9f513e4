#!/usr/bin/env python3
"""Builds the reference of `LayoutModel` and `PegboardClient` with DocC, offline: no link that leads nowhere, no parameter that is
left out where others are documented. The last line is `N passed, N failed`."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULES = ("LayoutModel", "PegboardClient")


def symbol_graphs():
    """The folder that SwiftPM writes them to."""
    ran = subprocess.run(["swift", "package", "dump-symbol-graph", "--minimum-access-level", "package",
                          "--skip-synthesized-members"], cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False)
    found = re.search(r"Files written to (.*)", ran.stdout + ran.stderr)
    if not found:
        sys.exit("reference: no symbol graph came out\n%s%s" % (ran.stdout, ran.stderr))
    return found.group(1)


def convert(module, catalog, graphs):
    """What DocC says of a module; nothing where all is well."""
    with tempfile.TemporaryDirectory() as folder:
        own = os.path.join(folder, "graphs")
        os.mkdir(own)
        # Those of other modules would be taken for parts of this one.
        for path in glob.glob(os.path.join(graphs, module + "*.symbols.json")):
            shutil.copy(path, own)
        ran = subprocess.run(
            ["docc", "convert", catalog, "--additional-symbol-graph-dir", own, "--fallback-display-name", module,
             "--fallback-bundle-identifier", "pegboard." + module, "--output-path", os.path.join(folder, "out"),
             "--warnings-as-errors"], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
        pages = glob.glob(os.path.join(folder, "out", "data", "documentation", "**", "*.json"), recursive=True)
    if ran.returncode == 0 and len(pages) < 20:
        return "only %d pages came out" % len(pages)
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


def main():
    graphs = symbol_graphs()
    faults = {}
    for module in MODULES:
        faults[module] = convert(module, os.path.join(ROOT, "Sources", module, module + ".docc"), graphs)
    with tempfile.TemporaryDirectory() as folder:
        spoiled = os.path.join(folder, "LayoutModel.docc")
        os.mkdir(spoiled)
        with open(os.path.join(spoiled, "LayoutModel.md"), "w", encoding="utf-8") as file:
            file.write("# ``LayoutModel``\n\nSee ``Nowhere``.\n")
        said = convert("LayoutModel", spoiled, graphs)
        faults["a link to nowhere"] = "" if "Nowhere" in said else "it was not found"
    for name, said in faults.items():
        if said:
            print("FAIL %s\n%s" % (name, said), file=sys.stderr)
    failed = sum(bool(said) for said in faults.values())
    print("%d passed, %d failed" % (len(faults) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
