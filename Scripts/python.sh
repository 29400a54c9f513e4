#!/usr/bin/env bash
# Makes .build/python, the Python in which the suites run, with the packages of Tests/requirements.txt. Arguments name more
# files: `Scripts/python.sh requirements-long`. What is there already is left alone.
set -euo pipefail
cd "$(dirname "$0")/.."

home=.build/python
if [ ! -x "$home/bin/python3" ]; then python3 -m venv "$home"; fi
for name in requirements "$@"; do
    wanted=Tests/$name.txt
    if ! cmp -s "$wanted" "$home/$name.txt"; then
        echo "python: installing what $wanted lists" >&2
        "$home/bin/python3" -m pip install --quiet --disable-pip-version-check --requirement "$wanted"
        cp "$wanted" "$home/$name.txt"
    fi
done
