#!/usr/bin/env bash
# Builds the image with what the machine has: docker, podman or buildah; on Debian buildah is installed when there is none.
# Where no registry answers, the base of the build stage is made on the spot (Scripts/image-bases.sh).
#
#   Scripts/image.sh [TAG [TARGET]]      default: pegboard:dev and sqlite, the Dockerfile's targets are sqlite and postgres
#
# PEGBOARD_ENGINE=docker|podman|buildah chooses the engine, PEGBOARD_BASES=registry|local where the base comes from.
set -euo pipefail
cd "$(dirname "$0")/.."

tag=${1:-pegboard:dev}
target=${2:-sqlite}
say() { echo "image: $*" >&2; }

engine=${PEGBOARD_ENGINE:-}
if [ -z "$engine" ]; then
    # A docker client without its daemon is no engine.
    if command -v docker > /dev/null && docker info > /dev/null 2>&1; then
        engine=docker
    elif command -v buildah > /dev/null; then
        engine=buildah
    elif command -v podman > /dev/null; then
        engine=podman
    else
        Scripts/setup.sh image
        engine=buildah
    fi
fi

bases=${PEGBOARD_BASES:-}
if [ -z "$bases" ]; then
    # Any answer will do, 401 is the usual one.
    if [ "$engine" = docker ] || curl -s -o /dev/null --max-time 5 https://registry-1.docker.io/v2/; then
        bases=registry
    else
        bases=local
    fi
fi

revision=$(git rev-parse HEAD 2> /dev/null || echo unknown)
version=${PEGBOARD_VERSION:-$(git describe --tags --always --dirty 2> /dev/null || echo 0.0.0-dev)}
created=$(date -u +%Y-%m-%dT%H:%M:%SZ)
# The labels are given as arguments of the Dockerfile and once more as such: buildah takes a layer from its cache even
# where only an argument's value changed, and the image would carry the labels of an older one.
options=(
    --target "$target"
    --build-arg "VERSION=$version" --label "org.opencontainers.image.version=$version"
    --build-arg "REVISION=$revision" --label "org.opencontainers.image.revision=$revision"
    --build-arg "CREATED=$created" --label "org.opencontainers.image.created=$created"
)

say "building $tag, target $target, with $engine, base images from the ${bases/local/local machine}"
case $engine in
    docker)
        DOCKER_BUILDKIT=1 docker build "${options[@]}" --tag "$tag" .
        ;;
    podman | buildah)
        # Without the docker format the health check is dropped.
        options+=(--format docker --layers)
        if [ "$bases" = local ]; then
            if [ "$(id -u)" -ne 0 ]; then say "making the base image needs root"; exit 69; fi
            Scripts/setup.sh image test-image
            settings=$(Scripts/image-bases.sh)
            eval "$settings"
            engine=buildah
            options+=(--pull-never --volume "$TOOLCHAIN_VOLUME")
        fi
        "$engine" build "${options[@]}" --tag "$tag" .
        ;;
    *)
        say "there is no engine '$engine': docker, podman, buildah"
        exit 64
        ;;
esac
