# `make help` lists the targets: the text after ## is their description.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
TAG ?= pegboard:dev
TARGET ?= sqlite
TRAITS := $(shell Scripts/traits.sh)

.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Install what building needs and this machine lacks
	@Scripts/setup.sh

.PHONY: build
build: setup ## Build the program for debugging
	swift build $(TRAITS)

.PHONY: demo
demo: setup ## Build for release and run the demo: a catalog, 1,000 users, no sign-in, loopback only
	swift build -c release $(TRAITS) --product pegboard
	exec .build/release/pegboard demo

.PHONY: test
test: ## Run every test: Swift, the HTTP corpus, end to end, the fault tests (short forms)
	@Scripts/setup.sh test
	swift build $(TRAITS)
	Scripts/test.sh

.PHONY: test-long
test-long: ## Run the fault tests' long forms, and build and run both images (root; an hour)
	@Scripts/setup.sh test test-long
	swift build $(TRAITS)
	Scripts/test-long.sh

.PHONY: fuzz
fuzz: ## Fuzz what reads the words of strangers, five minutes for each target (SECONDS_EACH=N for others)
	@Scripts/setup.sh test
	Scripts/fuzz.sh $(or $(SECONDS_EACH),300)

.PHONY: tsan
tsan: ## Run the Swift tests under the Thread Sanitizer
	@Scripts/setup.sh test
	Scripts/tsan.sh

.PHONY: lint
lint: ## Check formatting, scripts and JSON
	@Scripts/setup.sh lint || echo "lint: going on without shellcheck" >&2
	Scripts/lint.sh

.PHONY: format
format: ## Format the Swift sources in place
	swift format --in-place --parallel --recursive Package.swift $(wildcard Sources Migrations Tests Examples Benchmarks)

.PHONY: simulate
simulate: setup ## Play a million schedules of devices, offline and back (hours; SCHEDULES=N for fewer)
	PEGBOARD_SCHEDULES=$(or $(SCHEDULES),1000000) swift test -c release $(TRAITS) --filter SyncSimulationTests

.PHONY: screenshots
screenshots: ## Take the pictures of the console in Documentation/images anew
	@Scripts/setup.sh test
	swift build $(TRAITS) --product pegboard
	Scripts/python.sh
	.build/python/bin/python3 Tests/browser/screenshots.py

# What is measured is what the image holds, in a build folder of its own.
define build-bench
	@Scripts/setup.sh bench
	swift build -c release --scratch-path .build/bench/build -Xswiftc -static-executable --product pegboard
	swift build -c release --scratch-path .build/bench/build -Xswiftc -static-executable --product bench-parts
	swift build -c release --scratch-path .build/bench/build-postgres --traits PostgreSQL --product pegboard
endef

.PHONY: bench
bench: ## Measure beside nginx, Go, FastAPI and others: writes Benchmarks/RESULTS.md (ten minutes)
	$(build-bench)
	python3 Benchmarks/run.py

.PHONY: bench-long
bench-long: ## The same with longer runs and up to 10,000,000 users (forty minutes, 20 GB)
	$(build-bench)
	python3 Benchmarks/run.py --long

.PHONY: record-instructions
record-instructions: ## Take today's instructions a request for the measure that `make test` holds them to
	@Scripts/setup.sh test
	swift build -c release $(TRAITS) --product pegboard
	python3 Benchmarks/instructions.py --record

.PHONY: release
release: setup ## Build the program for release: needs nothing of Swift where it runs, and names its commit
	BUILD_COMMIT=$$(git rev-parse HEAD 2> /dev/null) swift build -c release $(TRAITS) --static-swift-stdlib --product pegboard

.PHONY: install
install: release ## Build for release and install (PREFIX=/usr/local, SYSCONFDIR=/etc, DESTDIR=)
	PREFIX='$(PREFIX)' SYSCONFDIR='$(SYSCONFDIR)' DESTDIR='$(DESTDIR)' Scripts/install.sh .build/release/pegboard

.PHONY: reference
reference: build ## Write the pages that are printed from the program's tables anew
	.build/debug/pegboard man --configuration > Documentation/configuration.md

.PHONY: image
image: ## Build the container image (docker, podman or buildah; TAG=pegboard:dev, TARGET=sqlite or postgres)
	Scripts/image.sh $(TAG) $(TARGET)

.PHONY: test-image
test-image: ## Build the image without a Docker engine, run it locked down, stop it (root)
	Scripts/test-image.sh

.PHONY: check
check: ## Do what CI does: lint, then test
	.ci/run

.PHONY: clean
clean: ## Remove everything that was built, images too
	Scripts/clean.sh
