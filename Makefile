# What newcomers and CI call. Everything else is `swift build` and `swift test`.
SWIFT ?= swift
SWIFTFLAGS ?=
QUERY ?= read transaction
STRICT = -Xswiftc -warnings-as-errors -Xcc -Werror
SOURCES = Package.swift Sources Snippets Examples Tests

.DEFAULT_GOAL := help
.PHONY: help demo test check format lint rejected outsider release sqlite

help: ## Lists these targets.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

demo: sqlite ## Indexes this checkout and searches it, with an example program: QUERY="words" to ask for others.
	$(SWIFT) run -c release codesearch --limit 8 $(QUERY)

test: sqlite ## Runs all tests.
	$(SWIFT) test $(SWIFTFLAGS)

check: sqlite ## All that has to pass before a commit, with the tests at the end.
	@$(MAKE) --no-print-directory lint
	$(SWIFT) build --build-tests $(STRICT)
	@$(MAKE) --no-print-directory rejected
	@$(MAKE) --no-print-directory outsider
	@$(MAKE) --no-print-directory release
	@$(MAKE) --no-print-directory test SWIFTFLAGS="$(STRICT)"

format: ## Formats all Swift files in place.
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

lint: ## Checks the format and style of all Swift files.
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

rejected: ## Checks that misuse does not compile; needs a build.
	Tests/Rejected/check

outsider: ## Checks the quick start of the README in a package that depends on this one.
	Tests/Outsider/check

release: ## Runs all tests as optimized code, with the library as a module of its own.
	$(SWIFT) test -c release $(STRICT)

sqlite: # The one thing that the build needs and the toolchain does not bring.
	@Scripts/require-sqlite
