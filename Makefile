# likesd: build, run and test. `make help` lists the targets. ARGS is handed on by `run`, `test` and `bench`:
#
#   make run ARGS="--port 9000 --in-memory"
#   make test ARGS="--filter LikesCoreTests"
#   make bench ARGS="fan-out --readers 1000 --rounds 3"

FENCES := --explicit-target-dependency-import-check error
ARGS ?=

# A virtual environment with the Python programs that the tests run; made anew when their versions change.
PYTHON := .build/python

# The release binary; the integration tests start this one.
export LIKESD_BINARY := $(CURDIR)/.build/release/likesd

# What counts the allocations of a server, in tests and in the bench.
export LIKESD_MALLOCS := $(CURDIR)/.build/bench/mallocs.so

# One target after the other also under `make -j`: setup comes first, and builds share one folder.
.NOTPARALLEL:
.PHONY: all setup setup-tests setup-bench build run test container-test browser screens programs counters docs fuzz soak bench lint clean help

all: build ## The same as build (the default)

setup: ## Install the Debian packages that are missing, and check the Swift toolchain
	@Scripts/setup.sh

setup-tests:
	@Scripts/setup.sh --tests

setup-bench:
	@Scripts/setup.sh --bench

build: ## Build .build/release/likesd
	swift build -c release --static-swift-stdlib $(FENCES) --product likesd

run: setup build ## Build and start the server
	.build/release/likesd serve $(ARGS)

test: setup-tests lint build docs programs counters ## Check the style, build, and run all tests; with ARGS, only those tests
	swift test $(FENCES) $(ARGS)
	$(if $(ARGS),,Scripts/container-test.sh --if-possible)

container-test: ## Build both images of the Dockerfile and try them; part of `test` where containers can run
	Scripts/container-test.sh

browser: setup-tests build programs ## Test the web page in Chromium, nothing else
	swift test $(FENCES) --filter BrowserTests

screens: setup-tests build programs ## Take the screenshots in Documentation/screens anew
	PYTHONPATH=Tests PYTHONDONTWRITEBYTECODE=1 LIKESD_SCREENS=Documentation/screens $(PYTHON)/bin/python -m Browser screens

docs: setup build ## Make the documentation of the targets in .build/docs; a warning is an error
	Scripts/docs.sh

fuzz: setup ## Look for inputs that break the parsers, for FUZZ_SECONDS (180)
	Scripts/fuzz.sh

soak: setup build ## Check live streams under load, kills and restarts, for SOAK_SECONDS (180)
	SOAK_SECONDS=$${SOAK_SECONDS:-180} swift test $(FENCES) --filter LiveTrialTests

bench: setup-bench build ## Measure beside other servers, and write bench/RESULTS.md
	$(MAKE) --no-print-directory -C bench BUILD=$(CURDIR)/.build/bench
	bench/run.py $(ARGS)

lint: ## Check the format and the house rules
	swift format lint --strict --recursive Sources Tests Package.swift
	Scripts/house-rules.sh --self-test
	Scripts/house-rules.sh

# Only the tests of the contract and in the browser need these: without PyPI all others run, and those fail.
programs:
	@$(MAKE) --no-print-directory $(PYTHON)/installed || { rm -rf $(PYTHON); \
	  echo 'make: the programs in Tests/requirements.txt cannot be installed: the tests of the contract and in the browser will fail' >&2; }

$(PYTHON)/installed: Tests/requirements.txt
	rm -rf $(PYTHON)
	python3 -m venv $(PYTHON)
	$(PYTHON)/bin/pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
	  --requirement $<
	touch $@

counters:
	@$(MAKE) --no-print-directory -C bench BUILD=$(CURDIR)/.build/bench $(LIKESD_MALLOCS)

clean: ## Remove what was built
	rm -rf .build

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' Makefile
