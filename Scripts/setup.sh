#!/usr/bin/env bash
# Installs what is missing on this machine, and nothing else. Without arguments: what building Pegboard needs. With
# arguments, what a task needs on top: test, test-long, lint, bench, image, test-image.
set -euo pipefail

say() { echo "setup: $*" >&2; }

# 6.2 is the first version that reads our Package.swift.
if ! command -v swift > /dev/null; then
    say "Swift is missing. Install 6.2 or newer from https://www.swift.org/install/linux/ and put its usr/bin on the PATH."
    exit 69
fi
if ! told=$(swift --version 2>&1); then
    say "Swift at $(command -v swift) does not run. It says: $told"
    exit 69
fi
version=$(sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' <<< "$told" | head -n 1)
if [ -z "$version" ] || [ "$(printf '%s\n' 6.2 "$version" | sort -V | head -n 1)" != 6.2 ]; then
    say "Swift ${version:-of an unknown version} at $(command -v swift) is too old: Pegboard needs 6.2 or newer."
    exit 69
fi

packages=(libsqlite3-dev zlib1g-dev libssl-dev libpq-dev pkg-config python3 curl)
for task in "$@"; do
    case $task in
        test)
            packages+=(python3-venv prometheus procps openssl gcc libc6-dev util-linux e2fsprogs xfsprogs)
            packages+=(postgresql pgbouncer haproxy nginx iproute2 systemd libseccomp2 mandoc bash zsh fish shellcheck valgrind)
            packages+=(chromium fonts-inter fonts-droid-fallback) ;;
        test-long) packages+=(slowhttptest patroni etcd-server openjdk-17-jre-headless libgoogle-gson-java) ;;
        lint) packages+=(shellcheck) ;;
        bench)
            packages+=(nginx wrk gcc libc6-dev golang-go golang-github-mattn-go-sqlite3-dev postgresql python3-venv util-linux) ;;
        image) packages+=(buildah) ;;
        test-image) packages+=(buildah podman runc mmdebstrap postgresql) ;;
        *) say "there is no task '$task': test, test-long, lint, bench, image, test-image"; exit 64 ;;
    esac
done

if ! command -v dpkg-query > /dev/null; then
    say "this isn't a Debian system: please install the equivalents of ${packages[*]}"
    exit 0
fi
missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2> /dev/null || true)
    if [ "$state" != installed ]; then missing+=("$package"); fi
done
if [ "${#missing[@]}" -eq 0 ]; then exit 0; fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo > /dev/null; then
        say "please install as root: apt-get install ${missing[*]}"
        exit 69
    fi
    as_root=(sudo)
fi
say "installing ${missing[*]}"
# One unreachable source of many is no reason to stop: the installation tells whether it mattered.
"${as_root[@]}" apt-get -q update >&2 || say "apt-get update had errors; going on with what it got"
# nginx, podman and prometheus would start services of their own on installation; here they are tools.
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -q install -y --no-install-recommends "${missing[@]}" >&2
