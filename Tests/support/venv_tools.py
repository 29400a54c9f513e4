"""Tools from PyPI that a suite needs, in a virtual environment of the suite's own under .build: nothing of the machine changes."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def folder(name, packages):
    """The environment of that name with exactly these packages, made if it isn't there. Its tools are in bin/."""
    path = os.path.join(ROOT, ".build", "venv-" + name)
    stamp, wanted = os.path.join(path, "packages"), "\n".join(packages)
    if not os.path.exists(stamp) or _text(stamp) != wanted:
        print("installing %s" % ", ".join(packages), file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", path], check=True, timeout=300)
        subprocess.run([os.path.join(path, "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", *packages],
                       check=True, timeout=600)
        with open(stamp, "w", encoding="utf-8") as file:
            file.write(wanted)
    return path


def _text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()
