#!/usr/bin/env python3
"""Parses every Swift listing of the Markdown documentation, and type-checks those that need no UIKit.

    python3 Tests/documentation/swift_listings.py [file ...]

What imports UIKit cannot be compiled here: it is parsed. The others are type-checked against the built library (`swift
build` first); without it they are parsed too, and that is said. The last line is `N passed, N failed`.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / ".build/debug/Modules"


def listings(path):
    text = path.read_text(encoding="utf-8")
    for match in re.finditer(r"^```swift\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield text[: match.start()].count("\n") + 2, match.group(1)


def check(source, line, code):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "Listing.swift"
        file.write_text(code, encoding="utf-8")
        command = ["swiftc", "-swift-version", "6"]
        if "import UIKit" in code or not MODULES.is_dir():
            command += ["-parse"]
        else:
            command += ["-typecheck", "-parse-as-library", "-I", str(MODULES)]
        result = subprocess.run(
            command + [str(file)], capture_output=True, text=True, timeout=120, check=False)
    if result.returncode == 0:
        return True
    print(f"FAIL {source}:{line}\n{result.stdout}{result.stderr}", file=sys.stderr)
    return False


def main():
    paths = [pathlib.Path(name) for name in sys.argv[1:]] or [ROOT / "Documentation/ios.md"]
    if not MODULES.is_dir():
        print("listings: nothing is built, so all are parsed only", file=sys.stderr)
    results = [check(path.name, line, code) for path in paths for line, code in listings(path)]
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
