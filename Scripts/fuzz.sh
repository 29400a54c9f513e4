#!/usr/bin/env bash
# Throws made-up input at what reads the words of strangers: libFuzzer with the Address Sanitizer, each target for a
# while. The last line is `N passed, N failed`: targets.
#
#   Scripts/fuzz.sh                 five minutes each
#   Scripts/fuzz.sh 5               five seconds each
#   Scripts/fuzz.sh 600 token json  ten minutes for each of those that are named
#
# Seeds are in Tests/fuzz/seeds, what runs found beyond them in .build/fuzz/corpus, and inputs that broke something in
# .build/fuzz/crashes. One of those alone: PEGBOARD_FUZZ=token .build/fuzz/pegboard-fuzz FILE
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-300}
if ! [[ $seconds =~ ^[1-9][0-9]*$ ]]; then
    echo "usage: Scripts/fuzz.sh [seconds] [request|json|token|catalog ...]" >&2
    exit 64
fi
shift || true
if [ "$#" -eq 0 ]; then set -- request json token catalog; fi
for target in "$@"; do
    if [ ! -d "Tests/fuzz/seeds/$target" ]; then
        echo "$0: there is no target '$target'" >&2
        exit 64
    fi
done

build=.build/fuzz
program=$build/pegboard-fuzz
mkdir -p "$build"

# SwiftPM takes these options only by detours, and its own linker fails on them: the compiler by itself does it all.
# -Onone would be slow, and -Ounchecked would leave out what a wrong index runs into.
flags=(
    -O -wmo -parse-as-library -swift-version 6 -package-name pegboard "-sanitize=fuzzer,address" -enable-testing
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility
    -I "$build" -I Sources/CZlib -I Sources/COpenSSL -I Sources/CSystem/include
    -I Sources/ConsoleFiles/include -I Sources/APIDocument/include
)

# Another compiler, or other options: all from the start.
built_with="$(swiftc --version 2> /dev/null) ${flags[*]}"
if [ "$(cat "$build/built-with" 2> /dev/null || true)" != "$built_with" ]; then
    rm -f "$build"/*.o
    echo "$built_with" > "$build/built-with"
fi

# A module whose sources, or whatever was made before it, are newer than its object.
again=no
objects=()
module() { # name, folders or files ...
    local name=$1 sources
    shift
    objects+=("$build/$name.o")
    if [ "$again" = no ] && [ -f "$build/$name.o" ] \
        && [ -z "$(find "$@" -newer "$build/$name.o" -print -quit)" ]; then return; fi
    again=yes
    echo "compiling $name"
    mapfile -t sources < <(find "$@" -name '*.swift' | sort)
    rm -f "$build/$name.o"
    swiftc "${flags[@]}" -module-name "$name" -emit-module -emit-module-path "$build/$name.swiftmodule" \
        -emit-object -o "$build/$name.o" "${sources[@]}"
}

# Files that are part of the program: C, which has its own compiler.
embedded() { # name
    objects+=("$build/$1.o")
    clang -c -I "Sources/$1/include" -o "$build/$1.o" "Sources/$1/$1.c"
}

embedded CSystem
embedded ConsoleFiles
embedded APIDocument
module Locking Sources/Locking
module Metrics Sources/Metrics
module HTTP1 Sources/HTTP1
module LayoutModel Sources/LayoutModel
module LayoutApplication Sources/LayoutApplication
module LayoutAPI Sources/LayoutAPI
module LayoutTesting Tests/LayoutTesting
module Fuzz Tests/fuzz Tests/HTTP1Tests/Reading.swift
if [ "$again" = yes ] || [ ! -x "$program" ]; then
    echo "linking"
    swiftc -sanitize=fuzzer,address -use-ld=lld -o "$program" "${objects[@]}"
fi

# A crash is the fuzzer's to report: Swift's own backtrace would hold the output open for minutes.
export SWIFT_BACKTRACE=enable=no
# Without the leak checker: it doesn't see references that Swift keeps in an enum, beside the bits that tell the case,
# and takes the keys of a live key set for lost. A leak worth the name meets the limit of memory.
export ASAN_OPTIONS=detect_leaks=0

passed=0
failed=0
for target in "$@"; do
    corpus=$build/corpus/$target
    crashes=$build/crashes/$target
    log=$build/$target.log
    mkdir -p "$corpus" "$crashes"
    options=(-max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -detect_leaks=0
        -print_final_stats=1 -artifact_prefix="$crashes/")
    if [ -f "Tests/fuzz/$target.dict" ]; then options+=(-dict="Tests/fuzz/$target.dict"); fi
    began=$SECONDS
    code=0
    PEGBOARD_FUZZ=$target timeout --kill-after=10 "$((seconds + 120))" \
        "$program" "${options[@]}" "$corpus" "Tests/fuzz/seeds/$target" < /dev/null > "$log" 2>&1 || code=$?
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
    coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    # A run that didn't get beyond the seeds has tried nothing.
    seeds=$(find "Tests/fuzz/seeds/$target" -type f | wc -l)
    if [ "$code" -eq 0 ] && [ "${executed:-0}" -gt "$seeds" ]; then
        passed=$((passed + 1))
        echo "ok   $target: $executed executions, ${coverage:-0} edges, $((SECONDS - began)) s"
    else
        failed=$((failed + 1))
        echo "FAIL $target: exit code $code after ${executed:-?} executions"
        grep -v -E '^#[0-9]+[[:space:]]+(NEW|REDUCE|RELOAD|pulse|INITED)' "$log" | tail -n 40
        echo "     the input is in $crashes; the whole log is $log"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
