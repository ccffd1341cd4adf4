# The targets that newcomers and CI call. Use `swift build` and `swift test` for everything else.
SWIFT ?= swift
SWIFTFLAGS ?=
QUERY ?= read transaction
export REPEATS
SOURCES = Package.swift Sources Snippets Examples Tests \
  Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Start Benchmarks/Tests \
  Cluster/Package.swift Cluster/Sources Cluster/Tests
export SWIFT
PACKAGE = Scripts/package
TESTS = Scripts/test $(SWIFTFLAGS) $(if $(FILTER),--filter '$(FILTER)')
BENCHMARKS = $(PACKAGE) Benchmarks build -c release $(SWIFTFLAGS) >&2 && .build/release/Benchmarks
CLUSTER = $(PACKAGE) Cluster build $(SWIFTFLAGS)
MEASURED = $(if $(ONLY),--only '$(ONLY)') $(if $(JSON),--json)

FUZZERS = sql values scopes changes patterns annotations
TRUST = $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(ROUNDS),--rounds $(ROUNDS))

# A pipe fails if its first command fails.
SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c

.DEFAULT_GOAL := help
.PHONY: help demo test test-long trust trust-short trust-files trust-memory trust-kill trust-power trust-corrupt trust-fuzz build-time coverage test-thread test-address test-locks \
  sanitizers check bench bench-instructions bench-table bench-chart bench-growth bench-start bench-check soak load \
  format lint scripts overloads map structure api-changes docs rejected apple outsider static release release-core other-sqlite versions sqlite litestream cluster-test cluster-demo cluster-bench dqlite namespaces

help: ## Lists these targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

demo: sqlite ## Indexes and searches this checkout with an example program: QUERY="words" to search for other words.
	$(PACKAGE) Examples/codesearch run codesearch --limit 8 $(QUERY)

test: sqlite litestream ## Runs the tests of the main package, the examples and GeneratedCode, and lists the failures at the end: FILTER.
	@$(TESTS)

test-long: sqlite litestream ## Runs the tests of the main package on a disk, with all rounds of the random ones: 10,000 cancellations, 10,000 programs, 2,000 queries.
	@TMPDIR="$${TMPDIR:-/tmp}" SLUICE_LONG_TESTS=1 PACKAGES=. $(TESTS)

trust: sqlite ## Makes each call and allocation fail, kills, cuts the power, flips bits, fuzzes, and prints the figures: SEED=n.
	@$(PACKAGE) . run -c release Trust $(TRUST)

trust-short: sqlite ## Runs trust with fewer rounds, in a debug build; trust-files and similar targets run one part.
	@$(PACKAGE) . run $(SWIFTFLAGS) Trust --short $(TRUST)

trust-files trust-memory trust-kill trust-power trust-corrupt: sqlite
	@$(PACKAGE) . run -c release Trust $(TRUST) $(@:trust-%=%)

trust-fuzz: sqlite ## Fuzzes SQL, values, transactions, changesets, patterns and .sql files: SECONDS=60 for each, or ROUNDS=n, SEED=n.
	@$(PACKAGE) . run -c release Trust $(TRUST) $(FUZZERS:%=fuzz-%)

test-thread: sqlite ## Runs all tests under the thread sanitizer, which also checks SQLite: FILTER, REPEATS=n.
	@Tests/Sanitizers/check thread $(if $(FILTER),--filter '$(FILTER)')

test-address: sqlite ## Runs all tests under the address, leak and undefined behaviour sanitizers, which also check SQLite: REPEATS=n.
	@Tests/Sanitizers/check address

test-locks: sqlite ## Runs a program with queues and a pool under helgrind, which finds locks that are acquired in two orders.
	@Tests/Sanitizers/locks

build-time: sqlite ## Prints a table of the processor seconds of builds, of an app that uses Sluice and of the tests.
	@Scripts/build-time

coverage: sqlite ## Prints the test coverage of Sources, which requires a separate build.
	@Scripts/coverage

check: sqlite litestream ## Runs everything that must pass before a commit; WITHOUT="cluster-test" leaves steps out.
	@SWIFTFLAGS='$(SWIFTFLAGS)' WITHOUT='$(WITHOUT)' Scripts/check

bench: sqlite ## Measures the time of Sluice against the C API: ONLY=2,8a for some workloads, ROUNDS=n, JSON=1 for lines of JSON.
	@$(BENCHMARKS) $(MEASURED) $(if $(ROUNDS),--rounds '$(ROUNDS)')

bench-instructions: sqlite ## Counts instructions instead, with valgrind: ONLY, JSON, and FUNCTIONS=1 to list the functions that spend them.
	@$(BENCHMARKS) --instructions $(MEASURED) $(if $(FUNCTIONS),--functions)

bench-table: sqlite ## Measures time and instructions, and prints a table for a document, with the machine: ONLY, ROUNDS.
	@$(BENCHMARKS) --markdown $(MEASURED) $(if $(ROUNDS),--rounds '$(ROUNDS)')

bench-chart: sqlite ## Draws the chart of the README: the instructions of the most common workloads.
	@$(BENCHMARKS) --instructions --json --only '1,1i,2,2t,3,4,4c,5,6,6b,7,8a,8b,8t,8c,vtab,9,10,11,12,12m,14' | \
	  Scripts/bench-chart >.build/costs.svg
	@mv .build/costs.svg Sources/Sluice/Sluice.docc/Resources && Scripts/dark-pictures

bench-start: sqlite ## Prints a table of what a process costs that opens a file and reads one row, with the size of its program.
	@Benchmarks/Start/measure

soak: sqlite ## Runs a writer and eight readers for SECONDS=1800, with and without upkeep, and draws the sizes of the WAL.
	$(PACKAGE) Benchmarks build -c release $(SWIFTFLAGS) --product Soak
	@.build/release/Soak $(or $(SECONDS),1800) >.build/upkeep.tsv & \
	  .build/release/Soak $(or $(SECONDS),1800) --no-upkeep >.build/none.tsv && wait $$!
	@Scripts/soak-chart .build/upkeep.tsv .build/none.tsv >.build/soak.svg
	@mv .build/soak.svg Sources/Sluice/Sluice.docc/Resources && Scripts/dark-pictures

# Limit the heaps that the C library keeps for threads, because their free memory hides whether the program's memory grows.
load: export MALLOC_ARENA_MAX = 2
load: sqlite ## Runs the example service for SECONDS=60 under 200 tasks, alone and beside a second process.
	$(PACKAGE) Examples/notes build -c release $(SWIFTFLAGS) --product notes
	@folder=$$(mktemp -d -p .build load.XXXXXX) && trap 'rm -rf "$$folder"' EXIT && \
	  for process in '' --second-process; do \
	    .build/release/notes load "$$folder/notes$$process.db" --seconds $(or $(SECONDS),60) \
	      $(if $(SEED),--seed $(SEED)) $$process && echo || exit 1; \
	  done

bench-growth: sqlite ## Counts how costs grow with sizes, and fails if one grows faster than it may: ONLY=live-other,rows.
	@$(BENCHMARKS) growth $(if $(ONLY),--only '$(ONLY)')

bench-check: sqlite ## Runs each benchmark once without measuring, in a debug build, its tests, bench-growth with small sizes, and the programs of bench-start.
	@PACKAGES=Benchmarks REPORTS=.build/tests-of-benchmarks $(TESTS)
	@.build/debug/Benchmarks --check
	@.build/debug/Benchmarks growth --short
	@Benchmarks/Start/measure --check

format: ## Formats all Swift files in place.
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

lint: ## Checks the format and style of all Swift files.
	@Scripts/lint $(SOURCES)

scripts: ## Checks that make test fails if tests fail, do not run, or leave files.
	@Tests/Scripts/check

overloads: ## Counts the public forms of the most frequent calls, of which a type may have at most four.
	@Scripts/overloads

map: ## Compares the map, the order of folders, the dark pictures and EveryFunction with the sources, and counts prose that is hard to read.
	@Scripts/map
	@Scripts/fence
	@Scripts/dark-pictures --check
	@Scripts/every-function --check
	@Scripts/prose

structure: ## Prints numbers that show whether the structure becomes simpler: COMMIT.
	@Scripts/structure $(COMMIT)

api-changes: sqlite ## Lists the changes of public declarations since a version that could break a program: FROM=0.9.0.
	@Scripts/api-changes $(FROM)

docs: sqlite ## Builds the documentation of all modules as one site, and fails for broken links.
	@Scripts/docs

rejected: sqlite ## Checks that misuse does not compile.
	@Tests/Rejected/check

apple: sqlite ## Compiles the C code for Apple's systems and other kinds of Linux, with Zig, links it for macOS, and checks the Swift code for Apple's systems.
	@Tests/Apple/check

outsider: sqlite ## Checks the README, the tutorial and an app in packages that depend on this one.
	@Tests/Outsider/check $(SWIFTFLAGS)
	@Tests/CheckedPackage/check $(SWIFTFLAGS)
	@Tests/Tutorial/check $(SWIFTFLAGS)

release: sqlite litestream $(if $(filter Linux,$(shell uname)),static) ## Runs the tests of make test in release mode, without @testable imports, and on Linux make static.
	@STRICT=1 REPORTS=.build/tests-in-release $(TESTS) -c release

static: sqlite ## Builds an example that contains the Swift runtime, checks the libraries that it needs, and runs it.
	@Tests/Outsider/static

release-core: sqlite ## Runs the tests of the core, of allocations and of generated code against the optimized library.
	@Tests/Optimized/check $(SWIFTFLAGS)

other-sqlite: sqlite litestream ## Builds and runs all tests with SQLite 3.39, 3.46, 3.53 (linked and bundled), a build without most features, and SQLCipher: ONLY=newest.
	@Tests/OtherSQLite/check $(ONLY)

versions: sqlite litestream ## Runs the tests of the main package, as built, with SQLite 3.39 and 3.53 in place of the system's.
	@PACKAGES=. Tests/OtherSQLite/check --replace oldest newest

cluster-test: sqlite dqlite namespaces ## Tests clusters of real nodes, which needs dqlite and Linux: FILTER.
	@STRICT=1 WIDTH=8 PACKAGES=Cluster REPORTS=.build/tests-of-clusters $(TESTS)

cluster-demo: sqlite dqlite ## Runs the notes of the example on a cluster of three nodes, and kills the leader; needs dqlite.
	@$(CLUSTER) --product sluice-node >&2 && $(CLUSTER) --product ClusterDemo >&2
	@.build/debug/ClusterDemo

cluster-bench: sqlite dqlite ## Measures a cluster of three nodes on this machine, and prints a table: ONLY; needs dqlite.
	@$(CLUSTER) -c release --product sluice-node >&2 && $(CLUSTER) -c release --product ClusterBenchmarks >&2
	@.build/release/ClusterBenchmarks $(ONLY)

sanitizers: sqlite ## Runs test-thread, test-address and test-locks.
	@Tests/Sanitizers/check

sqlite: # SQLite is the only requirement of the build that the toolchain does not include.
	@Scripts/require-sqlite

dqlite: # Only the nested package Cluster needs dqlite and OpenSSL.
	@Scripts/require-dqlite

namespaces: # Without network namespaces, the tests of a cluster over several hosts are skipped.
	@Scripts/namespaces

litestream: # Without Litestream, the tests of replication are skipped.
	@Scripts/litestream
