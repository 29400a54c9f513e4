#!/usr/bin/env python3
"""Runs this folder's suites in a real browser: all, or those that are named. The browser is the system's Chromium,
Playwright and axe come from PyPI into .build.

    Tests/browser/run.py                   every suite
    Tests/browser/run.py editor sync       editor_tests.py and sync_tests.py
    Tests/browser/run.py --screenshots     the pictures of Documentation/images anew
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import venv_tools  # noqa: E402

names = sys.argv[1:]
folder = venv_tools.folder("browser", ["playwright==1.65.2", "axe-playwright-python==0.1.8", "pillow==13.0.0"])
python = os.path.join(folder, "bin", "python")
if names == ["--screenshots"]:
    command = ["-m", "unittest", "discover", "-v", "-s", HERE, "-p", "screenshots.py"]
elif names:
    os.chdir(HERE)
    command = ["-m", "unittest", "-v", *("%s_tests" % name for name in names)]
else:
    command = ["-m", "unittest", "discover", "-v", "-s", HERE, "-p", "*_tests.py"]
os.execv(python, [python, "-B", *command])
