# shellcheck shell=bash
# Sourced by test.sh and test-long.sh, which set `suites`: runs them one after another, until one fails.

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

# Those named by the arguments, or all.
run_suites() {
    local ran=0 suite name title command wanted argument began code
    # shellcheck disable=SC2154  # whoever sources this sets it
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
            printf '\nThe suite "%s" failed. Alone: %s %s\n' "$name" "$0" "$name"
            break
        fi
    done

    if [ "$ran" -eq 0 ]; then
        echo "$0: there is no suite '$*'" >&2
        exit 64
    fi
    echo
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
