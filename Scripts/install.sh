#!/usr/bin/env bash
# Installs a built Pegboard: the program, its manual page and completions, the units, an example configuration, the licence.
#
#   Scripts/install.sh PROGRAM           PREFIX=/usr/local, SYSCONFDIR=/etc and DESTDIR= from the environment
#
# DESTDIR is put before every path, for packages; what is written into the units is the path without it. A configuration
# that is there already stays: the example is then put beside it as pegboard.env.new.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${1:?"the program to install, such as .build/release/pegboard"}
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}
configuration=$root${SYSCONFDIR:-/etc}/pegboard
case $prefix in /*) ;; *) echo "install: PREFIX has to begin with /, and is '$prefix'" >&2; exit 64 ;; esac

target() { install -D -m "$1" "$2" "$root$prefix/$3"; }
generated() { # PATH ARGUMENT ...: what the program prints
    local file
    file=$(mktemp)
    "$program" "${@:2}" > "$file"
    target 644 "$file" "$1"
    rm "$file"
}

target 755 "$program" bin/pegboard
generated share/man/man1/pegboard.1 man
generated share/bash-completion/completions/pegboard completions bash
generated share/zsh/site-functions/_pegboard completions zsh
generated share/fish/vendor_completions.d/pegboard.fish completions fish
target 644 LICENSE share/doc/pegboard/copyright
target 644 Deploy/nginx/pegboard.conf share/doc/pegboard/examples/nginx.conf
target 644 Sources/pegboard/Demo/catalog.json share/doc/pegboard/examples/catalog.json
target 644 Documentation/observability/alerts.yaml share/doc/pegboard/examples/alerts.yaml
target 644 Documentation/observability/dashboard.json share/doc/pegboard/examples/dashboard.json

units=$(mktemp -d)
trap 'rm -r "$units"' EXIT
for file in Deploy/systemd/*.service Deploy/systemd/*.socket Deploy/systemd/*.timer; do
    unit=$(basename "$file")
    sed -e "s|/usr/local/bin|$prefix/bin|" -e "s|/etc/pegboard|${SYSCONFDIR:-/etc}/pegboard|" "$file" > "$units/$unit"
    target 644 "$units/$unit" "lib/systemd/system/$unit"
done

example=$configuration/pegboard.env
if [ -e "$example" ]; then example=$example.new; fi
install -D -m 644 Deploy/systemd/pegboard.env "$example"
