#!/usr/bin/env bash
# Makes the base images of the Dockerfile from Debian's packages and the Swift toolchain of this machine, for places where no
# registry can be reached. The toolchain is mounted when building, not copied: it has 3 GB.
#
#   eval "$(Scripts/image-bases.sh)"     sets CONTAINERS_STORAGE_CONF, BUILDAH_ISOLATION and TOOLCHAIN_VOLUME
#
# Root, buildah and mmdebstrap. About two minutes the first time, nothing afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$PWD/.cache/image
toolchain_image=docker.io/library/swift:6.3-bookworm
debian_image=docker.io/library/debian:bookworm-slim
swift=$(readlink -f "$(command -v swift)") || { echo "image-bases: no swift on the PATH" >&2; exit 69; }
toolchain=$(dirname "$(dirname "$swift")")
if [ "$toolchain" = /usr ] || [ "$toolchain" = / ]; then
    echo "image-bases: Swift lives in $toolchain itself; it has to be in a directory of its own to be mounted" >&2
    exit 69
fi

mkdir -p "$cache"
# Storage of our own: nothing in the machine's own container storage is touched, and deleting .cache/image deletes it all.
printf '[storage]\ndriver = "overlay"\nrunroot = "%s/run"\ngraphroot = "%s/store"\n' "$cache" "$cache" > "$cache/storage.conf"
export CONTAINERS_STORAGE_CONF=$cache/storage.conf BUILDAH_ISOLATION=chroot

# Makes an image of Debian with these packages, unless it is there. The rest are arguments of `buildah config`.
image() { # name, packages, ...
    local name=$1 packages=$2 archive container
    shift 2
    if buildah inspect --type image "$name" > /dev/null 2>&1; then return; fi
    archive=$cache/$(basename "$name" | tr : -).tar
    if [ ! -f "$archive" ]; then
        mmdebstrap --variant=minbase --include="$packages" bookworm "$archive.part"
        mv "$archive.part" "$archive"
    fi
    container=$(buildah from scratch)
    buildah add -q "$container" "$archive" /
    buildah config --cmd bash "$@" "$container"
    buildah commit -q --rm "$container" "$name"
}

# What a Swift toolchain links with, and what Pegboard links with.
packages=ca-certificates,binutils,libc6-dev,libgcc-12-dev,libstdc++-12-dev,libcurl4-openssl-dev,libedit2
packages+=,libxml2-dev,libz3-dev,libncurses6,libpython3.11,libsqlite3-dev,zlib1g-dev,libssl-dev,pkg-config,git,tzdata
image "$toolchain_image" "$packages" \
    --env PATH=/opt/swift/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin >&2
image "$debian_image" ca-certificates >&2

echo "export CONTAINERS_STORAGE_CONF='$CONTAINERS_STORAGE_CONF' BUILDAH_ISOLATION=chroot TOOLCHAIN_VOLUME='$toolchain:/opt/swift/usr:ro'"
