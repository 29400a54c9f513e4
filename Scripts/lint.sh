#!/usr/bin/env bash
# What can be said about the sources without running them. The last line is `N passed, N failed`.
set -euo pipefail
cd "$(dirname "$0")/.."

passed=0
failed=0
check() { # title, command ...
    local title=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $title" >&2
    fi
}

swift_files() {
    local paths=(Package.swift)
    for path in Sources Migrations Tests Examples Benchmarks; do if [ -d "$path" ]; then paths+=("$path"); fi; done
    swift format lint --strict --parallel --recursive "${paths[@]}"
}

scripts() { # the tracked and the new files whose name or first line says what they are
    local file
    git ls-files --cached --others --exclude-standard | while IFS= read -r file; do
        if [ ! -f "$file" ]; then continue; fi
        case $1:$file in
            shell:*.sh | python:*.py) printf '%s\0' "$file" ;;
            shell:*.* | python:*.*) ;;
            shell:*) if head -n 1 "$file" | grep -q '^#!.*\(bash\|/sh\)'; then printf '%s\0' "$file"; fi ;;
        esac
    done
}

shell_files() { scripts shell | xargs -0 -r shellcheck; }

python_files() {
    # Compiled in memory: no __pycache__ is left behind.
    scripts python | xargs -0 -r python3 -c '
import sys
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        compile(file.read(), path, "exec")
'
}

json_files() {
    git ls-files --cached --others --exclude-standard '*.json' .swift-format \
        | xargs -r -d '\n' python3 -c '
import json, sys
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        json.load(file)
'
}

# What .editorconfig promises and no formatter looks after.
white_space() {
    ! git grep --untracked -n -I -E '[[:space:]]+$' -- ':!*.md' ':!Tests/conformance/http1-corpus.jsonl' ':!Tests/fuzz/seeds'
}

check "swift format: run 'make format'" swift_files
check "python: the scripts don't compile" python_files
check "JSON: not well-formed" json_files
check "white space at the end of a line" white_space
if command -v shellcheck > /dev/null; then
    check "shellcheck" shell_files
else
    echo "lint: shellcheck isn't installed, the shell scripts were not looked at" >&2
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
