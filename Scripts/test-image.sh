#!/usr/bin/env bash
# Builds an image and lives with it for a moment, the way a careful operator would run it: read-only root, no capability,
# a numeric user. No Docker engine is needed: podman and runc, storage of its own. Root, Debian.
#
#   Scripts/test-image.sh [TARGET ...]   sqlite, postgres; both by default
# shellcheck disable=SC2016  # the single quotes are Go templates
set -euo pipefail
cd "$(dirname "$0")/.."

passed=0
ok() { passed=$((passed + 1)); echo "ok   $target: $*"; }
fail() {
    echo "FAIL $target: $*"
    "${podman[@]}" logs "$name" 2>&1 | tail -n 20 || true
    echo "$passed passed, 1 failed"
    exit 1
}

if [ "$(id -u)" -ne 0 ]; then echo "test-image: needs root" >&2; exit 69; fi
if [ "$#" -eq 0 ]; then set -- sqlite postgres; fi
if [ "$#" -gt 1 ]; then
    for target in "$@"; do "$0" "$target"; done
    exit
fi
target=$1
Scripts/setup.sh test-image
if [ "$target" = postgres ] && [ -z "${TEST_POSTGRESQL:-}" ]; then
    exec python3 Tests/support/postgres_cluster.py -- "$0" postgres
fi
settings=$(Scripts/image-bases.sh)
eval "$settings"
name=pegboard-test-$$
# crun refuses machines with hybrid cgroups; runc doesn't. Without systemd podman has no timer for health checks and says
# so at every start: they are run by hand below, so only fatal errors are of interest.
podman=(podman --log-level fatal --runtime /usr/sbin/runc --cgroup-manager cgroupfs --events-backend file)
limits=(--cgroupns=host --ulimit nofile=10000:20000 --ulimit nproc=1000:1000)
locked=(--read-only --read-only-tmpfs=false --cap-drop=all --security-opt=no-new-privileges)
clean() {
    "${podman[@]}" rm --force --time 0 "$name" > /dev/null 2>&1 || true
    "${podman[@]}" volume rm --force "$name" > /dev/null 2>&1 || true
}
trap clean EXIT

expect() { # what, template, wanted
    local got
    got=$("${podman[@]}" image inspect --format "$2" "$image")
    if [ "$got" != "$3" ]; then fail "$1: '$got' instead of '$3'"; fi
    ok "$1: $got"
}

size_of() { "${podman[@]}" image inspect --format '{{.Size}}' "$1"; }

# What the image says of itself. $1: the most bytes it may have; $2: the image it stands on, whose bytes don't count.
look() {
    local bytes
    bytes=$(size_of "$image")
    if [ -n "${2:-}" ]; then bytes=$((bytes - $(size_of "$2"))); fi
    if [ "$bytes" -ge "$1" ]; then fail "the image has $bytes bytes, $1 are allowed"; fi
    ok "size: $bytes bytes${2:+ more than $2}, under $1"
    expect "user" '{{.Config.User}}' 10001:10001
    expect "stop signal" '{{.Config.StopSignal}}' SIGTERM
    expect "revision label" '{{index .Config.Labels "org.opencontainers.image.revision"}}' "$(git rev-parse HEAD)"
    expect "licence label" '{{index .Config.Labels "org.opencontainers.image.licenses"}}' MIT
    expect "health check" '{{join .HealthCheck.Test " "}}' "CMD /pegboard healthcheck"
}

once() { "${podman[@]}" run --rm --network none "${limits[@]}" "${locked[@]}" "$image" "$@"; }
start() {
    "${podman[@]}" run --detach --name "$name" --network host "${limits[@]}" "${locked[@]}" "${options[@]}" \
        --env "PEGBOARD_LISTEN=127.0.0.1:$port" "$image" serve --auth none > /dev/null
}
wait_ready() {
    for _ in $(seq 100); do
        if curl --silent --fail --output /dev/null "http://127.0.0.1:$port/readyz"; then return 0; fi
        sleep 0.1
    done
    return 1
}
layout() { curl --silent --show-error "http://127.0.0.1:$port/v1/users/alice/layout"; }

# What it does. The array `options` says where layouts are kept.
live() {
    local said code pid owner
    said=$(once version --json) || fail "pegboard version"
    case $said in *"\"commit\":\"$(git rev-parse HEAD)\""*) ;; *) fail "it was built from another commit: $said" ;; esac
    ok "runs: $said"
    code=0
    once serve --auth none > /dev/null 2>&1 || code=$?
    if [ "$code" != 78 ]; then fail "open to everyone without being told so: exit $code instead of 78"; fi
    ok "refuses to listen on every address without sign-in: exit 78"

    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    start || fail "the container doesn't start"
    wait_ready || fail "/readyz doesn't turn 200 within 10 s"
    ok "ready: $(curl --silent --show-error "http://127.0.0.1:$port/readyz" | head -c 200)"
    "${podman[@]}" healthcheck run "$name" || fail "the health check says unhealthy"
    ok "health check: exit 0"
    "${podman[@]}" exec "$name" /pegboard healthcheck "http://127.0.0.1:1" > /dev/null 2>&1 \
        && fail "the health check of a closed port says healthy"
    ok "health check of a closed port: not 0"

    pid=$("${podman[@]}" inspect --format '{{.State.Pid}}' "$name")
    owner=$(stat --format %u "/proc/$pid")
    if [ "$owner" != 10001 ]; then fail "the process runs as $owner"; fi
    ok "runs as user $owner"
    # There is no catalog to choose from: a lock is what can be kept of a layout.
    curl --silent --show-error --fail --output /dev/null --request PUT "http://127.0.0.1:$port/v1/users/alice/layout/lock" \
        || fail "a layout can't be written"

    "${podman[@]}" stop --time 30 "$name" > /dev/null
    code=$("${podman[@]}" inspect --format '{{.State.ExitCode}}' "$name")
    if [ "$code" != 0 ]; then fail "SIGTERM ended it with $code"; fi
    ok "SIGTERM: exit 0"
    "${podman[@]}" rm "$name" > /dev/null
    start || fail "the container doesn't start on its own data"
    wait_ready || fail "not ready on the data of the first run"
    case $(layout) in *'"locked":true'*) ;; *) fail "the layout is gone: $(layout)" ;; esac
    ok "starts again, and the layout is there"
    "${podman[@]}" rm --force --time 0 "$name" > /dev/null
}

image=localhost/pegboard:test-$target
PEGBOARD_ENGINE=buildah PEGBOARD_BASES=local Scripts/image.sh "$image" "$target"
case $target in
    sqlite)
        # It has 16.5 million: more is a library that came along, such as the regular expressions' (1.3 million).
        look 17000000
        expect "volume" '{{range $path, $_ := .Config.Volumes}}{{$path}}{{end}}' /data
        options=(--volume "$name:/data")
        ;;
    postgres)
        look 60000000 docker.io/library/debian:bookworm-slim
        options=(--env "PEGBOARD_DATABASE=$TEST_POSTGRESQL")
        ;;
esac
live
echo "$passed passed, 0 failed"
