#!/usr/bin/env bash
# Every suite, one after another, until one fails. The last line is `N passed, N failed`.
#
#   Scripts/test.sh              all of them
#   Scripts/test.sh corpus       those whose name is given
#
# A suite is a line of the list below: its name, a title, a command. It says how much it tested in its own last words:
# `N passed, N failed`, `Test run with N tests ...` (Swift Testing) or `Ran N tests` (unittest). Else it counts as one.
set -euo pipefail
cd "$(dirname "$0")/.."

suites=(
    "swift      | Swift tests                         | swift test --skip HTTPTransportTests"
    "sockets    | The transport, one test at a time   | swift test --skip-build --no-parallel --filter HTTPTransportTests"
    "self       | The checkers, on made-up faults     | python3 Tests/faults/kill9.py --self-test"
    "corpus     | The HTTP/1.1 corpus                 | python3 Tests/conformance/corpus.py"
    "life       | Starting, probes, signals, exits    | python3 Tests/end-to-end/life_cycle.py"
    "signing-in | Tokens, and keys that change        | python3 Tests/end-to-end/signing_in.py"
    "tls        | TLS with curl and openssl           | python3 Tests/end-to-end/tls.py"
    "clients    | Rate limits, CORS, security headers | python3 Tests/end-to-end/clients.py"
    "demo       | The demo's own curl lines           | python3 Tests/end-to-end/demo_lines.py"
    "devices    | Two devices in a terminal           | python3 Tests/end-to-end/two_devices.py"
    "listings   | The listings of the iOS guide       | python3 Tests/documentation/swift_listings.py"
    "kill9      | kill -9 under load, short form      | python3 Tests/faults/kill9.py"
    "streams    | 1,000 event streams                 | python3 Tests/faults/streams.py"
)

log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0

# Adds what the log says to the counts. $1 is the suite's exit code.
count() {
    local good bad
    good=$(sed -n -e 's/^\([0-9][0-9]*\) passed, [0-9][0-9]* failed$/\1/p' \
        -e 's/.*Test run with \([0-9][0-9]*\) tests\{0,1\}.*/\1/p' \
        -e 's/^Ran \([0-9][0-9]*\) tests\{0,1\} in .*/\1/p' "$log" | tail -n 1)
    bad=0
    if [ "$1" -ne 0 ]; then
        bad=$(sed -n 's/^[0-9][0-9]* passed, \([0-9][0-9]*\) failed$/\1/p' "$log" | tail -n 1)
        if [ -z "$bad" ]; then
            # Swift Testing and unittest count what they ran, failures included.
            bad=$(grep -E '^✘ Test .* failed after|^(FAIL|ERROR): ' "$log" | grep -v -c '^✘ Test run ' || true)
            bad=$((bad == 0 ? 1 : bad))
            good=$((${good:-0} > bad ? ${good:-0} - bad : 0))
        fi
        bad=$((bad == 0 ? 1 : bad))
    fi
    passed=$((passed + ${good:-1}))
    failed=$((failed + bad))
}

ran=0
for suite in "${suites[@]}"; do
    IFS='|' read -r name title command <<< "$suite"
    read -r name <<< "$name"
    read -r title <<< "$title"
    if [ "$#" -gt 0 ]; then
        wanted=no
        for argument in "$@"; do if [ "$argument" = "$name" ]; then wanted=yes; fi; done
        if [ "$wanted" = no ]; then continue; fi
    fi
    ran=$((ran + 1))
    printf '\n== %s (%s)\n' "$title" "$name"
    began=$SECONDS
    code=0
    bash -c "$command" 2>&1 | tee "$log" || code=$?
    count "$code"
    printf '   %s s\n' "$((SECONDS - began))"
    if [ "$code" -ne 0 ]; then
        printf '\nThe suite "%s" failed. Alone: Scripts/test.sh %s\n' "$name" "$name"
        break
    fi
done

if [ "$ran" -eq 0 ]; then
    echo "test: there is no suite '$*'" >&2
    exit 64
fi
echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
