# syntax=docker/dockerfile:1
# Two images, named after where they keep layouts. `make image` builds them, `make test-image` tries them.
#
#   sqlite      one static executable and nothing else: no shell, no libc, no package manager. The default.
#   postgres    Debian's slim image, since libpq cannot be linked statically.
ARG SWIFT_IMAGE=docker.io/library/swift:6.3-bookworm
ARG DEBIAN_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS toolchain
# The -dev packages hold the static archives (libsqlite3.a, libz.a). Debian's security fixes are wanted, so no pinned versions.
# hadolint ignore=DL3008
RUN apt-get -q update \
 && apt-get -q install -y --no-install-recommends libsqlite3-dev zlib1g-dev libssl-dev libpq-dev pkg-config binutils \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .

FROM toolchain AS build-sqlite
ARG REVISION
# The linker warns that getpwuid_r, getaddrinfo and dlopen need glibc at run time: Foundation and OpenSSL refer to them,
# Pegboard never calls them.
RUN --mount=type=cache,target=/src/.build,id=pegboard-build \
    BUILD_COMMIT="${REVISION}" swift build -c release --product pegboard -Xswiftc -static-executable \
 && install -D -m 755 "$(swift build -c release --show-bin-path)/pegboard" /out/pegboard \
 && strip /out/pegboard \
 && install -d -m 750 /out/data

FROM toolchain AS build-postgres
ARG REVISION
RUN --mount=type=cache,target=/src/.build,id=pegboard-build-postgres \
    BUILD_COMMIT="${REVISION}" swift build -c release --product pegboard --static-swift-stdlib --traits PostgreSQL \
 && install -D -m 755 "$(swift build -c release --show-bin-path)/pegboard" /out/pegboard \
 && strip /out/pegboard

FROM ${DEBIAN_IMAGE} AS postgres
# hadolint ignore=DL3008
RUN apt-get -q update \
 && apt-get -q install -y --no-install-recommends ca-certificates libpq5 libsqlite3-0 zlib1g libssl3 \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="Pegboard" \
      org.opencontainers.image.description="The server behind a super-app's home screen, for PostgreSQL" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
COPY --from=build-postgres /out/pegboard /pegboard
# Where layouts are is said from outside: PEGBOARD_DATABASE=postgresql://…
ENV PEGBOARD_LISTEN=0.0.0.0:8080
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=2s --start-period=5s --retries=3 CMD ["/pegboard", "healthcheck"]
ENTRYPOINT ["/pegboard"]
CMD ["serve"]

FROM scratch AS sqlite
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="Pegboard" \
      org.opencontainers.image.description="The server behind a super-app's home screen: each user's favorites, kept in the order they chose" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
COPY --from=build-sqlite /out/pegboard /pegboard
COPY --from=build-sqlite --chown=10001:10001 /out/data /data
# SQLite's temporary files go beside the database: there is no /tmp, and the root file system may be read-only.
ENV PEGBOARD_DATABASE=sqlite:/data/pegboard.db \
    PEGBOARD_LISTEN=0.0.0.0:8080 \
    SQLITE_TMPDIR=/data
# A number, because Kubernetes' runAsNonRoot can't look a name up here.
USER 10001:10001
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=2s --start-period=5s --retries=3 CMD ["/pegboard", "healthcheck"]
ENTRYPOINT ["/pegboard"]
CMD ["serve"]
