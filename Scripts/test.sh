#!/usr/bin/env bash
# Every suite, one after another, until one fails. The last line is `N passed, N failed`.
#
#   Scripts/test.sh              all of them
#   Scripts/test.sh corpus       those whose name is given
#
# A suite is a line of the list below: its name, a title, a command. It says how much it tested in its own last words:
# `N passed, N failed`, `Test run with N tests ...` (Swift Testing) or `Ran N tests` (unittest). Else it counts as one.
# The long forms of the fault tests: Scripts/test-long.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

traits=$(Scripts/traits.sh)
postgres="python3 Tests/support/postgres_cluster.py"
postgres_tests="swift test $traits --skip-build --no-parallel --filter 'StoreConformanceTests|LayoutPostgresTests'"

suites=(
    "rules      | The rules, exhaustively; sync       | swift test $traits --filter 'LayoutModelTests|SyncSimulationTests'"
    "swift      | The other Swift tests               | swift test $traits --skip-build --skip 'LayoutModelTests|SyncSimulationTests|HTTPTransportTests'"
    "sockets    | The transport, one test at a time   | swift test $traits --skip-build --no-parallel --filter HTTPTransportTests"
    "pg15       | The store on PostgreSQL 15          | $postgres -- $postgres_tests"
    "pg18       | The store on PostgreSQL 18          | $postgres --version 18 -- $postgres_tests"
    "pg-serial  | The same, serializable              | $postgres --set default_transaction_isolation=serializable -- $postgres_tests"
    "pg-bouncer | The same, through PgBouncer         | $postgres --bouncer -- $postgres_tests"
    "self       | The checkers, on made-up faults     | python3 Tests/faults/kill9.py --self-test"
    "self-sync  | The devices' checker, likewise      | python3 Tests/support/devices_checker.py"
    "self-end   | A test that is told to end          | python3 Tests/support/ending.py"
    "corpus     | The HTTP/1.1 corpus                 | python3 Tests/conformance/corpus.py"
    "life       | Starting, probes, signals, exits    | python3 Tests/end-to-end/life_cycle.py"
    "signing-in | Tokens, and keys that change        | python3 Tests/end-to-end/signing_in.py"
    "tls        | TLS with curl and openssl           | python3 Tests/end-to-end/tls.py"
    "clients    | Rate limits, CORS, security headers | python3 Tests/end-to-end/clients.py"
    "document   | The API document, and its checker   | python3 Tests/openapi/document.py"
    "compatible | Nothing taken away from the API     | python3 Tests/openapi/compatibility.py"
    "generated  | Made-up requests (schemathesis)     | python3 Tests/openapi/generated_requests.py"
    "metrics    | Metrics, alerts and dashboard       | python3 Tests/end-to-end/metrics.py"
    "logs       | Request ids, traces, log level       | python3 Tests/end-to-end/logs.py"
    "demo       | The demo's own curl lines           | python3 Tests/end-to-end/demo_lines.py"
    "devices    | Two devices in a terminal           | python3 Tests/end-to-end/two_devices.py"
    "browser    | The console in a browser            | python3 -m unittest discover -v -s Tests/browser -p '*_tests.py'"
    "repeats    | Requests sent again                 | python3 Tests/end-to-end/repeats.py"
    "eight      | Eight devices, cuts and kills       | python3 Tests/end-to-end/eight_devices.py"
    "systemd    | Under systemd: units, news, sockets | python3 Tests/end-to-end/systemd.py"
    "nginx      | Behind nginx                        | python3 Tests/end-to-end/nginx.py"
    "newcomer   | From nothing to a watched service   | python3 Tests/end-to-end/newcomer.py"
    "shells     | Manual page and completions         | python3 Tests/end-to-end/shells.py"
    "install    | Installed into an empty root        | python3 Tests/end-to-end/install.py"
    "deploy     | Dockerfile, compose, Kubernetes, CI | python3 Tests/deploy/files.py"
    "pages      | Links, pictures, printed pages      | python3 Tests/documentation/pages.py"
    "commands   | The documentation's commands        | python3 Tests/documentation/commands.py"
    "reference  | DocC: the rules, the client library  | python3 Tests/documentation/reference.py"
    "listings   | The listings of the iOS guide       | python3 Tests/documentation/swift_listings.py"
    "backup     | Backup, verify, restore             | python3 Tests/end-to-end/backup.py"
    "layouts    | Layouts out and in                  | python3 Tests/end-to-end/layouts.py"
    "pg-life    | Two servers on one PostgreSQL       | python3 Tests/end-to-end/postgresql.py"
    "admin      | Administration with curl            | python3 Tests/end-to-end/administration.py"
    "kill9      | kill -9 under load, short form      | python3 Tests/faults/kill9.py"
    "once       | kill -9 and repeat: exactly once    | python3 Tests/faults/idempotency.py"
    "histories  | Linearizability, with kills         | python3 Tests/faults/histories.py"
    "pg-commits | PostgreSQL cut at the commit        | python3 Tests/faults/postgres/commits.py"
    "pg-fails   | PostgreSQL fails over               | python3 Tests/faults/postgres/failover.py"
    "pg-standby | A standby that stands still         | python3 Tests/faults/postgres/standby.py"
    "pg-pool    | No connections to PostgreSQL        | python3 Tests/faults/postgres/connections.py"
    "pg-two     | Two servers, HAProxy, PgBouncer     | python3 Tests/faults/postgres/topology.py"
    "powercut   | Power cuts, 500 states              | python3 Tests/faults/powercut.py"
    "iofault    | A fault at the Nth file operation   | python3 Tests/faults/iofault.py"
    "storage    | Full, read-only and damaged storage | python3 Tests/faults/storage.py"
    "load       | Too many and too slow clients       | python3 Tests/faults/load.py"
    "drain      | SIGTERM under load                  | python3 Tests/faults/drain.py"
    "clock      | A wall clock that jumps             | python3 Tests/faults/clock.py"
    "streams    | 1,000 event streams                 | python3 Tests/faults/streams.py"
    "sums       | The benchmarks' loader and verdicts | python3 Tests/benchmarks/sums.py"
    "counts     | Instructions a request, released    | swift build -c release $traits --product pegboard && python3 Benchmarks/instructions.py"
    "fuzz       | Fuzzing, 5 s for each target        | Scripts/fuzz.sh 5"
)

# With these packages every answer that a suite gets is held to the API document; see Tests/support/pegboard.py.
Scripts/python.sh
export PATH="$PWD/.build/python/bin:$PATH"

# shellcheck source=Scripts/suites.sh
source Scripts/suites.sh
run_suites "$@"
