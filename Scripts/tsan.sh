#!/usr/bin/env bash
# The Swift tests under the Thread Sanitizer, in a build of their own. The last line is `N passed, N failed`.
#
#   Scripts/tsan.sh              all suites
#   Scripts/tsan.sh sockets      those whose name is given
#
# Tests may all pass and the exit code still be 1: that is how a race is told, and the code counts.
set -euo pipefail
cd "$(dirname "$0")/.."

# THREAD_SANITIZER puts a lock that the sanitizer sees in the place of Synchronization.Mutex: see Sources/Locking.
tsan="swift test $(Scripts/traits.sh) --sanitize=thread -Xswiftc -DTHREAD_SANITIZER --scratch-path .build/tsan"
# A race ends the test run at once, with the two stacks in the output, rather than at its end among much else.
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1}
# The sanitizer makes all of it ten times slower: fewer schedules of the devices.
export PEGBOARD_SCHEDULES=${PEGBOARD_SCHEDULES:-500}
# On a crash Swift's own backtrace would stay behind and hold the output open.
export SWIFT_BACKTRACE=enable=no

# shellcheck disable=SC2034  # suites.sh reads it
suites=(
    "rules      | The rules, exhaustively; sync       | $tsan --filter 'LayoutModelTests|SyncSimulationTests'"
    "swift      | The other Swift tests               | $tsan --skip 'LayoutModelTests|SyncSimulationTests|HTTPTransportTests'"
    "sockets    | The transport, one test at a time   | $tsan --no-parallel --filter HTTPTransportTests"
)

# shellcheck source=Scripts/suites.sh
source Scripts/suites.sh
run_suites "$@" < /dev/null
