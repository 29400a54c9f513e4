#!/usr/bin/env bash
# Tests of the web pages in a real browser: all of Tests/browser, or the files that are given. Playwright and axe come from
# PyPI into .build/browser; the browser itself is the system's Chromium.
#
#   Scripts/browser.sh                 every suite
#   Scripts/browser.sh editor          Tests/browser/editor.py
#   Scripts/browser.sh --screenshots   write Documentation/images anew
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.build/browser
if [ ! -f "$venv/ready" ]; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check playwright==1.65.2 axe-playwright-python==0.1.8 pillow==13.0.0
    touch "$venv/ready"
fi

python=(env PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python")
case ${1:-} in
    --screenshots) exec "${python[@]}" Tests/browser/screenshots.py ;;
    "") exec "${python[@]}" -m unittest discover --verbose --start-directory Tests/browser --pattern '*_tests.py' ;;
    *) for suite in "$@"; do "${python[@]}" "Tests/browser/${suite}_tests.py"; done ;;
esac
