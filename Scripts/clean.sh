#!/usr/bin/env bash
# Removes what was built. The image builder's storage keeps file systems mounted below .cache; they go first.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$(readlink -f .cache || true)
if [ -n "$cache" ] && [ -r /proc/mounts ]; then
    # Innermost first. Only what lies below our own .cache.
    awk -v below="$cache/" 'index($2, below) == 1 { print $2 }' /proc/mounts | sort -r | while IFS= read -r path; do
        umount "$path"
    done
fi
rm -rf --one-file-system .build .cache
find Tests Benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2> /dev/null || true
