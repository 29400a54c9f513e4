#!/usr/bin/env bash
# The long forms of the fault tests, and the images: what a release is held to. An hour, until one fails.
#
#   Scripts/test-long.sh                 all of them
#   Scripts/test-long.sh powercut        those whose name is given
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck disable=SC2034  # suites.sh reads it
suites=(
    "powercut   | Power cuts, 4,000 states                  | python3 Tests/faults/powercut.py --full"
    "iofault    | A fault at every file operation           | python3 Tests/faults/iofault.py --full"
    "storage    | Full, read-only, 300 damaged copies       | python3 Tests/faults/storage.py --full"
    "load       | 10,000 idle connections, slowhttptest     | python3 Tests/faults/load.py --full"
    "drain      | SIGTERM under load, 30 rounds             | python3 Tests/faults/drain.py --full"
    "histories  | Linearizability, 50,000 operations        | python3 Tests/faults/histories.py --full"
    "once       | kill -9 and repeat, 100 kills             | python3 Tests/faults/idempotency.py --full"
    "pg-commits | PostgreSQL cut at the commit, 6,000 writes | python3 Tests/faults/postgres/commits.py --full"
    "pg-fails   | PostgreSQL fails over, 12 times           | python3 Tests/faults/postgres/failover.py --full"
    "pg-two     | Two servers, 20 kills and 20 upgrades     | python3 Tests/faults/postgres/topology.py --full"
    "patroni    | Patroni and etcd fail over                | python3 Tests/faults/postgres/patroni.py"
    "eight      | Eight devices, 13,000 edits               | python3 Tests/end-to-end/eight_devices.py --full"
    "admin      | A million layouts out and in              | python3 Tests/end-to-end/administration.py --full"
    "clock      | A wall clock that jumps                   | python3 Tests/faults/clock.py --full"
    "streams    | 10,000 event streams; a slow one          | python3 Tests/faults/streams.py --full"
    "clients    | Generated clients build and walk          | python3 Tests/openapi/generated_clients.py"
    "generated  | Made-up requests, thousands               | python3 Tests/openapi/generated_requests.py --full"
    "litestream | Copies to a replica, and back             | python3 Tests/end-to-end/litestream.py"
    "install    | A release, installed as by a packager     | python3 Tests/end-to-end/install.py --release"
    "kill9      | kill -9 under load, 100 kills             | python3 Tests/faults/kill9.py --rounds 100 --seconds 4"
    "images     | Both images, built and run; root          | Scripts/test-image.sh"
)

Scripts/python.sh requirements-long
export PATH="$PWD/.build/python/bin:$PATH"

# shellcheck source=Scripts/suites.sh
source Scripts/suites.sh
run_suites "$@"
