# What newcomers and CI call. Everything else is `swift build` and `swift test`.
SWIFT ?= swift
SWIFTFLAGS ?=
QUERY ?= read transaction
export REPEATS
STRICTLY = 2>&1 | Scripts/no-warnings
SOURCES = Package.swift Sources Snippets Examples Tests \
  Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests
# Packages outside share the scratch path, so that Sluice is built once in debug and once in release mode.
IN = --scratch-path '$(CURDIR)/.build' --package-path
PACKAGES = SWIFT='$(SWIFT)' Scripts/in-packages
BENCHMARKS = $(SWIFT) build -c release $(IN) Benchmarks $(SWIFTFLAGS) >&2 && .build/release/Benchmarks
MEASURED = $(if $(ONLY),--only '$(ONLY)') $(if $(JSON),--json)

FUZZERS = sql values scopes changes patterns annotations
TRUST = $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(ROUNDS),--rounds $(ROUNDS))

# A pipe fails with its first command.
SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c

.DEFAULT_GOAL := help
.PHONY: help demo test test-long trust trust-short trust-files trust-memory trust-kill trust-power trust-corrupt trust-fuzz build-time coverage test-thread test-address test-locks \
  sanitizers check bench bench-instructions bench-table bench-chart bench-check \
  format lint overloads map docs rejected outsider release other-sqlite sqlite

help: ## Lists these targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

demo: sqlite ## Indexes this checkout and searches it, with an example program: QUERY="words" to ask for others.
	$(SWIFT) run $(IN) Examples/codesearch codesearch --limit 8 $(QUERY)

test: sqlite ## Runs all tests, and lists the failures at the end.
	$(PACKAGES) test $(SWIFTFLAGS) 2>&1 | Scripts/failures

test-long: sqlite ## Runs all tests, those that act at random with all of their rounds: 10,000 cancels, 10,000 programs, 2,000 queries.
	SLUICE_LONG_TESTS=1 $(SWIFT) test $(SWIFTFLAGS)

trust: sqlite ## Fails each call and allocation, kills, cuts the power, flips bits, fuzzes, and prints the figures: SEED=n.
	$(SWIFT) run -c release Trust $(TRUST)

trust-short: sqlite ## The same with fewer rounds, in a debug build; trust-files and the like run one part.
	$(SWIFT) run $(SWIFTFLAGS) Trust --short $(TRUST)

trust-files trust-memory trust-kill trust-power trust-corrupt: sqlite
	$(SWIFT) run -c release Trust $(TRUST) $(@:trust-%=%)

trust-fuzz: sqlite ## Fuzzes SQL, values, transactions, changesets, patterns and .sql files: SECONDS=60 each, or ROUNDS=n, SEED.
	$(SWIFT) run -c release Trust $(TRUST) $(FUZZERS:%=fuzz-%)

test-thread: sqlite ## Runs all tests under the thread sanitizer, which looks into SQLite too: FILTER, REPEATS=n.
	@Tests/Sanitizers/check thread $(if $(FILTER),--filter '$(FILTER)')

test-address: sqlite ## Runs all tests under the address, leak and undefined behaviour sanitizers, likewise.
	@Tests/Sanitizers/check address

test-locks: sqlite ## Looks for locks that are taken in two orders, with helgrind and a program of queues and a pool.
	@Tests/Sanitizers/locks

build-time: sqlite ## Prints how many processor seconds builds take, of an app that uses Sluice and of the tests, as a table.
	@Scripts/build-time

coverage: sqlite ## Prints how much of Sources the tests reach, which takes a build of its own.
	@SWIFT='$(SWIFT)' Scripts/coverage

check: sqlite ## All that has to pass before a commit, with the tests at the end.
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory overloads
	@$(MAKE) --no-print-directory map
	$(PACKAGES) build --build-tests $(STRICTLY)
	@$(MAKE) --no-print-directory docs
	@$(MAKE) --no-print-directory rejected
	@$(MAKE) --no-print-directory release
	@$(MAKE) --no-print-directory outsider
	@$(MAKE) --no-print-directory bench-check
	@$(MAKE) --no-print-directory trust-short
	@$(MAKE) --no-print-directory test

bench: sqlite ## Measures the time of Sluice against the C API: ONLY=2,8a for some, ROUNDS=n, JSON=1 for lines of JSON.
	@$(BENCHMARKS) $(MEASURED) $(if $(ROUNDS),--rounds '$(ROUNDS)')

bench-instructions: sqlite ## Counts instructions instead, with valgrind: ONLY, JSON, and FUNCTIONS=1 to see where they go.
	@$(BENCHMARKS) --instructions $(MEASURED) $(if $(FUNCTIONS),--functions)

bench-table: sqlite ## Measures both, and prints a table for a document, with the machine: ONLY, ROUNDS.
	@$(BENCHMARKS) --markdown $(MEASURED) $(if $(ROUNDS),--rounds '$(ROUNDS)')

bench-chart: sqlite ## Draws the chart of the README: the instructions of the most common workloads.
	@$(BENCHMARKS) --instructions --json --only '1,1i,2,2t,3,4,4c,5,6,6b,7,8a,8b,8t,8c,vtab,9,10,11,12,12m,14' | \
	  Scripts/bench-chart >.build/costs.svg
	@mv .build/costs.svg Sources/Sluice/Sluice.docc/Resources && Scripts/dark-pictures

bench-check: sqlite ## Builds the benchmarks, runs each once without measuring, and their tests.
	@$(BENCHMARKS) --check
	$(SWIFT) test $(IN) Benchmarks $(SWIFTFLAGS)

format: ## Formats all Swift files in place.
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

lint: ## Checks the format and style of all Swift files.
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

overloads: ## Counts the public forms of the calls that programs make most, of which a type has at most four.
	@Scripts/overloads

map: ## Compares the map, dark pictures and EveryFunction with their sources, and counts prose that is hard to read.
	@Scripts/map
	@Scripts/dark-pictures --check
	@Scripts/every-function --check
	@Scripts/prose

docs: ## Builds the documentation into .build/docs, where every link has to lead somewhere; needs a build.
	@Scripts/docs

rejected: ## Checks that misuse does not compile; needs a build.
	Tests/Rejected/check

outsider: ## Checks the quick start and the SQL of the README, and the tutorial, in packages that depend on this one.
	Tests/Outsider/check $(SWIFTFLAGS)
	Tests/CheckedPackage/check $(SWIFTFLAGS)
	Tests/Tutorial/check $(SWIFTFLAGS)

release: ## Runs all tests as optimized code, with the library as a module of its own.
	$(PACKAGES) test -c release --disable-testable-imports $(STRICTLY)

other-sqlite: sqlite ## Runs all tests with two other builds of SQLite, of which one encrypts.
	@Tests/OtherSQLite/check

sanitizers: sqlite ## Runs test-thread, test-address and test-locks, or says why it cannot.
	@Tests/Sanitizers/check

sqlite: # The one thing that the build needs and the toolchain does not bring.
	@Scripts/require-sqlite
