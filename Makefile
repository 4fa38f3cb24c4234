# Two commands matter to a newcomer: `make run` and `make test`. `make help` lists the rest.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUNS   := $(VENV)/.runs
READY  := $(VENV)/.ready
PB     := libs/faristol/pb/.generated
LEXICON := $(VENV)/share/faristol/lexicons/catalan.lexicon
CODE   := libs services apps tests proto deploy
# The parts of the tests that the pipeline reports separately; `make test` runs all of them.
UNIT_TESTS      := tests/unit tests/rulebook
COMPONENT_TESTS := tests/component tests/conformance tests/deploy
BROWSER_TESTS   := tests/browser
PYTEST_ARGS ?=
# Number of test processes: they wait half of their time, for deadlines, leases and servers that start.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(3 * os.cpu_count())')
IN_PARALLEL := -n $(WORKERS) --dist loadscope --no-loadscope-reorder

export PATH := $(abspath $(BIN)):$(PATH)
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup lexicons run test unit component browser-tests coverage nightly databases properties check types style site pictures compiled format proto golden bench capacity torture simulate judges rounds halls hall-cells strangers viewers day mutants planted great dutch bbp faults fuzz browser openid axe openapi token promtool tlog crds lock digests audit clean

help: ## say what the targets do
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

setup: $(READY) $(PB) $(LEXICON) ## make .venv with everything pinned in the lock, and install the Catalan lexicon
	@git config blame.ignoreRevsFile .git-blame-ignore-revs 2>/dev/null || true # a source archive has no repository

# Install packages with uv, which needs a fifth of pip's time. Where it has no program, or where only pip knows the
# package index (pip.conf), pip installs them: the hashes of the lock hold for both.
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif
define install
	@{ test -x $(BIN)/uv && $(BIN)/uv pip install --quiet --python $(BIN)/python $(1) 2>$(VENV)/uv.log; } || \
		$(BIN)/pip install --quiet --disable-pip-version-check $(1)
endef

# Compile the packages in the background, while the next steps run: each process would compile them at its start.
COMPILE := nice $(BIN)/python -m compileall -q -j 0 $(VENV)/lib libs services apps >/dev/null

# What running needs, and what makes the code of the contract. The extras come with the packages of the tests.
$(RUNS): requirements-setup.lock requirements-core.lock deploy/image/build.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Faristol needs Python 3.11 or newer: give one with make PYTHON=python3.12" >&2; exit 2; }
	@echo "Creating $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes \
		-r requirements-setup.lock 2>$(VENV)/pip.log || true
	@echo "Installing the packages that running needs"
	$(call install,--require-hashes -r requirements-core.lock -r deploy/image/build.lock)
	@$(COMPILE) 2>/dev/null &
	$(call install,--no-deps --no-build-isolation --editable .)
	@touch $(PB) $@

$(READY): $(RUNS) requirements-dev.lock
	@echo "Installing the packages that tests and checks need"
	$(call install,--require-hashes -r requirements-dev.lock)
	@touch $@

$(PB): $(shell find proto/faristol) proto/generate.py | $(RUNS)
	@echo "Generating the code of the contract"
	@$(BIN)/python proto/generate.py
	@touch $@

$(LEXICON): libs/faristol/words/header.py | $(RUNS) $(PB)
	@echo "Installing the Catalan lexicon"
	@$(BIN)/faristol lexicon install catalan
	@touch $@

lexicons: $(READY) $(PB) ## install the open lists of all four languages
	@for name in catalan spanish greek english; do $(BIN)/faristol lexicon install $$name || exit 1; done

run: $(RUNS) $(PB) $(LEXICON) ## play a championship of 16 players and 5 rounds, and serve its pages until Ctrl-C
	@echo "Starting the services"
	@$(BIN)/faristol demo --players 16 --rounds 5 --seed 7 --serve

test: setup ## run every check and every test
	@$(MAKE) --no-print-directory --jobs 3 --output-sync=target types style browser openid axe token promtool compiled
	$(BIN)/pytest $(IN_PARALLEL) $(PYTEST_ARGS)

unit: setup ## run the tests of functions and of rulebook cases
	$(BIN)/pytest $(IN_PARALLEL) $(UNIT_TESTS) $(PYTEST_ARGS)

component: setup openid token promtool ## run the tests that start servers
	$(BIN)/pytest $(IN_PARALLEL) $(COMPONENT_TESTS) $(PYTEST_ARGS)

browser-tests: setup browser openid axe ## run the tests of pages in a browser
	$(BIN)/pytest $(IN_PARALLEL) $(BROWSER_TESTS) $(PYTEST_ARGS)

coverage: setup ## measure the lines that the unit tests run, against the floor in pyproject.toml; writes var/coverage.json
	@rm -f var/.coverage.*
	$(BIN)/coverage run -m pytest $(IN_PARALLEL) $(UNIT_TESTS) $(PYTEST_ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage json --quiet
	$(BIN)/coverage report --skip-covered --sort=cover

nightly: setup openapi crds tlog ## run the tests that take too long for every change
	$(BIN)/pytest -m nightly --timeout 3600 $(PYTEST_ARGS)
	$(BIN)/pytest tests/deploy/test_crds.py

properties: setup ## try every property on twenty times as many examples
	$(BIN)/pytest -n auto -m "hypothesis and not nightly" --hypothesis-profile=night --timeout 3600 $(PYTEST_ARGS)

check: $(READY) $(PB) ## lint, format, types, import contracts, the proto contract, image, pipelines and the site
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target types style site
	$(BIN)/pytest -q --noconftest tests/style

types:
	$(BIN)/mypy $(CODE)

# Each language is built at LANGUAGE/VERSION, where `mike` publishes it beside the other versions.
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
site: $(READY) $(PB) ## build the documentation as a site, in each language; writes var/site
	@for language in en ca es el; do FARISTOL_SITE_LANGUAGE=$$language NO_MKDOCS_2_WARNING=1 \
		$(BIN)/mkdocs build --strict --site-dir var/site/$$language/$(VERSION) || exit 1; done

pictures: $(READY) $(PB) $(LEXICON) browser ## take the pictures of the documentation from a demonstration, in each language
	$(BIN)/python -m deploy.site.pictures

style:
	$(BIN)/ruff check $(CODE) examples
	$(BIN)/ruff format --check $(CODE) examples
	$(BIN)/lint-imports
	$(BIN)/buf lint proto
	$(BIN)/buf format --diff --exit-code proto
	$(BIN)/python proto/breaking.py
	$(BIN)/hadolint --failure-threshold warning deploy/image/Dockerfile
	$(BIN)/zizmor --offline --quiet --min-severity medium .github/workflows

# Each test process imports all test modules. The assertions that pytest rewrites are cached, so that they are rewritten
# once, and so is the machine code of the search for plays and of the matching, which two tests compile.
compiled:
	@mkdir -p var && $(BIN)/pytest --collect-only -qq >var/collected || { cat var/collected; exit 1; }
	@$(BIN)/pytest -qq -k "best_plays_are_all_that_tie or circles_within" tests/unit/words/test_plays.py \
		tests/unit/tournament/engines/dutch/test_blossom.py >var/collected || { cat var/collected; exit 1; }

format: $(READY) ## format the code
	$(BIN)/ruff check --fix $(CODE) examples
	$(BIN)/ruff format $(CODE) examples
	$(BIN)/buf format --write proto

proto: $(PB) ## generate libs/faristol/pb from the contract

golden: $(READY) $(PB) ## keep bytes of every event and version that is new, for the tests that old events are read
	$(BIN)/python tests/unit/old_events/golden.py

bench: setup ## measure, and write what was measured to var/bench.json
	$(BIN)/python tests/benchmarks/run.py
	$(BIN)/python -m tests.benchmarks.entries --databases sqlite

capacity: setup ## find what a cell holds, with 1, 2 and 4 replicas of each service; writes var/capacity.json
	$(BIN)/python -m tests.benchmarks.capacity

KILLS    ?= 500
DATABASE ?= both
SEED     ?=
torture: setup ## kill processes under load: KILLS=500 DATABASE=sqlite|postgresql|both SEED=…; writes var/torture.json
	GRPC_VERBOSITY=ERROR $(BIN)/python -m tests.campaigns.torture --kills $(KILLS) --database $(DATABASE) \
		$(if $(SEED),--seed $(SEED))

SEEDS ?= 0-99
JOBS  ?= 2
simulate: $(READY) $(PB) ## run the platform in worlds of faults: SEEDS=0-1999, 7 or 3,5,9-12, JOBS=2; writes var/simulation.json
	$(BIN)/python -m tests.campaigns.simulation --seeds $(SEEDS) --jobs $(JOBS)

TABLES ?= 200
JUDGES ?= 10
PANEL  ?= 1
judges: setup ## challenge at 200 tables while judges are cut off and processes killed: TABLES=200 JUDGES=10 PANEL=1 DATABASE=postgresql|sqlite; writes var/judges.json
	GRPC_VERBOSITY=ERROR $(BIN)/python -m tests.campaigns.judges --tables $(TABLES) --judges $(JUDGES) --panel $(PANEL) \
		$(if $(filter-out both,$(DATABASE)),--database $(DATABASE)) $(if $(SEED),--seed $(SEED))

PLAYERS ?= 1000
ROUNDS  ?= 12
PAIRING ?= swiss dutch
rounds: $(READY) $(PB) ## pair championships and time each round: PLAYERS=1000 ROUNDS=12 PAIRING="swiss dutch"; writes var/rounds-swiss.json …
	set -e; for pairing in $(PAIRING); do \
		GRPC_VERBOSITY=ERROR $(BIN)/python -m tests.campaigns.rounds --players $(PLAYERS) --rounds $(ROUNDS) --pairing $$pairing; done

halls: $(READY) $(PB) ## play duplicate games in halls that are cut off while processes die: SEEDS=0-999 JOBS=2; writes var/halls.json
	$(BIN)/python -m tests.campaigns.halls --seeds $(SEEDS) --jobs $(JOBS)

DUTCH ?= --size 20x9 --generator eventful

dutch: $(READY) $(PB) ## pair random tournaments and compare with other programs: SEEDS=0-499 DUTCH="--size 10x5 --generator plain"
	$(BIN)/python -m tests.campaigns.dutch $(DUTCH) --seeds $(SEEDS) --jobs $(JOBS)

# A second program to compare with. It is built beside the repository's files and is no part of them.
BBP_SOURCE ?= https://github.com/BieremaBoyzProgramming/bbpPairings
BBP_COMMIT := 16a000f9811de322b0e835d5643198226165b5a9
bbp: ## build bbpPairings for make dutch DUTCH="--engine var/bbpPairings/bbpPairings.exe": needs git and a compiler of C++20
	@rm -rf var/bbpPairings && git clone -q $(BBP_SOURCE) var/bbpPairings && git -C var/bbpPairings checkout -q $(BBP_COMMIT)
	@$(MAKE) -C var/bbpPairings --no-print-directory optional_cxxflags=-std=c++20

HALL_FAULTS ?= 100
HALL_SCALE  ?= --halls 12 --tables 50 --cut 3
hall-cells: $(READY) $(PB) ## play in halls with their own cells while lines fail and processes are killed, then cut 3 of 12 halls off for a round: HALL_FAULTS=100 HALL_SCALE="--halls 12 --tables 50 --cut 3"; writes var/hall-cells.json and var/hall-cells-scale.json
	GRPC_VERBOSITY=ERROR $(BIN)/python -m tests.campaigns.hall_cells faults --faults $(HALL_FAULTS)
	GRPC_VERBOSITY=ERROR $(BIN)/python -m tests.campaigns.hall_cells scale $(HALL_SCALE)

STRANGERS ?=
strangers: setup ## attack a platform without credentials, with those of elsewhere and by crowds of connections; writes var/strangers.json
	GRPC_VERBOSITY=ERROR $(BIN)/python -m tests.campaigns.strangers $(STRANGERS)

VIEWERS ?= 1000
NEWS    ?= 10000
viewers: $(READY) $(PB) ## kill gateway, results, NATS, PostgreSQL and two programs while 1,000 watch: VIEWERS=1000 NEWS=10000 SEED=…
	GRPC_VERBOSITY=ERROR $(BIN)/python -m tests.campaigns.viewers --viewers $(VIEWERS) --news $(NEWS) \
		$(if $(SEED),--seed $(SEED))

DAY ?=
day: setup ## hold a championship from registration to certificates, with 1,000 phones and one director: DAY="--players 100"; writes var/day.json
	GRPC_VERBOSITY=ERROR $(BIN)/python -m tests.campaigns.day $(DAY)

fuzz: $(VENV)/.fuzz $(PB) ## fuzz the parsers that strangers reach, guided by coverage: FUZZ="trf gcg --seconds 60"; writes var/fuzz.json
	$(BIN)/python -m tests.fuzz $(FUZZ)

$(VENV)/.fuzz: $(READY) tests/fuzz/requirements.lock
	$(call install,--require-hashes -r tests/fuzz/requirements.lock)
	@touch $@

MUTANTS ?= 200
mutants: $(READY) $(PB) ## change pure code at random places, and see whether a test fails: MUTANTS=200 SEED=…; writes var/mutants.json
	$(BIN)/python -m tests.campaigns.mutants --count $(MUTANTS) --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

PLANTED ?=
planted: $(READY) $(PB) ## plant 20 bugs one by one, and see whether the simulation finds each: PLANTED="--seeds 40"; writes var/planted.json
	$(BIN)/python -m tests.campaigns.planted $(PLANTED)

FAULTS ?=
faults: setup ## make faults in a cell of two replicas, and say what they cost: FAULTS="failover full-disk"; writes var/faults.json
	GRPC_VERBOSITY=NONE $(BIN)/python -m tests.campaigns.faults $(FAULTS)

great: $(READY) $(PB) ## play a championship of 300 players in 8 rounds under three books, and compute its standings again
	GREAT_PLAYERS=300 GREAT_ROUNDS=8 $(BIN)/pytest -m "" --timeout 3600 tests/component/test_great_championship.py $(PYTEST_ARGS)

# Tests of pages need a browser. It is installed if it is missing and can be; otherwise these tests are reported as not
# run. The headless shell needs a third less processor time than Chromium.
browser:
	@command -v chromium-headless-shell >/dev/null || { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && \
		apt-get update -qq && { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium-headless-shell >/dev/null 2>&1 || \
		command -v chromium >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; }; } || \
		command -v chromium >/dev/null || echo "no Chromium: the tests of the pages will not run"

# Tests of seal keys in a token need a software token. It is installed like the browser.
token: | browser # only one process of apt at a time
	@command -v softhsm2-util >/dev/null || { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq softhsm2 >/dev/null; } || \
		echo "no SoftHSM: the tests of keys in a token will not run"

# Tests of alerts evaluate them with Prometheus' own tool, from the Debian package, which is unpacked and not installed.
promtool: | token # only one process of apt at a time
	@command -v promtool >/dev/null || test -x var/prometheus/usr/bin/promtool || { command -v apt-get >/dev/null && \
		mkdir -p var/prometheus && cd var/prometheus && { apt-get download -qq prometheus 2>/dev/null || \
		{ apt-get update -qq && apt-get download -qq prometheus; } 2>/dev/null; } && \
		dpkg-deb --fsys-tarfile prometheus_*.deb | tar --extract ./usr/bin/promtool && rm prometheus_*.deb; } || \
		echo "no promtool: the alerts will not be evaluated"

# Tests of the log verify it with a program of Go's own libraries, and have a witness of another author, which needs
# Python 3.12. The compiler and its libraries are Debian packages.
TLOG := var/tlog/verifier
TLOG_WITNESS := var/tlog/python/.ready
TLOG_PYTHON = $(shell for each in python3.14 python3.13 python3.12 $(wildcard $(HOME)/.pyenv/versions/3.1[2-9].*/bin/python); do $$each -c "" 2>/dev/null && echo $$each && break; done)
tlog: | promtool # only one process of apt at a time
	@if [ -n "$(TLOG_PYTHON)" ]; then $(MAKE) --no-print-directory $(TLOG_WITNESS); else \
		echo "no Python 3.12: no witness of another author will cosign the log"; fi
	@command -v go >/dev/null && test -d /usr/share/gocode/src/golang.org/x/mod || { command -v apt-get >/dev/null && \
		[ "$$(id -u)" = 0 ] && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
		--no-install-recommends golang-go golang-golang-x-mod-dev >/dev/null; } || true
	@if command -v go >/dev/null && test -d /usr/share/gocode/src/golang.org/x/mod; then \
		$(MAKE) --no-print-directory $(TLOG); else echo "no Go: no outside verifier will verify the log"; fi

$(TLOG): tests/tlog/verifier.go
	@mkdir -p $(@D) && cd tests/tlog && GO111MODULE=off GOPATH=/usr/share/gocode GOFLAGS= CGO_ENABLED=0 \
		go build -trimpath -o ../../$@ verifier.go

$(TLOG_WITNESS): tests/tlog/requirements.lock
	@$(TLOG_PYTHON) -m venv --clear $(@D)
	@$(@D)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

# Schemas of custom resources of other projects, for the tests of the manifests. They are fetched with git and are not
# in this repository.
CRDS_OF := cloudnative-pg/cloudnative-pg:config/crd/bases cloudnative-pg/plugin-barman-cloud:config/crd/bases \
	cert-manager/cert-manager:deploy/crds kubernetes-sigs/gateway-api:config/crd/standard kedacore/keda:config/crd/bases \
	prometheus-operator/prometheus-operator:example/prometheus-operator-crd
crds: ## fetch the definitions of other projects' objects, which tests hold the manifests to
	@rm -rf var/crds var/crds-of && mkdir -p var/crds
	@for each in $(CRDS_OF); do \
		git clone --quiet --depth 1 --filter=blob:none --sparse "https://github.com/$${each%%:*}" var/crds-of && \
		git -C var/crds-of sparse-checkout set --no-cone "$${each##*:}" && \
		cp var/crds-of/$${each##*:}/*.yaml var/crds || echo "no definitions of $${each%%:*}: manifests are not held to them"; \
		rm -rf var/crds-of; done; rm -f var/crds/kustomization.yaml

# Tests of OpenID Connect need a real provider, which runs on Node.js. Without it they are reported as not run. A lock
# file pins the packages by content; the registry is that of npm's settings.
OPENID := var/openid/node_modules/.package-lock.json
openid:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(OPENID); else \
		echo "no Node.js: the tests of OpenID Connect will not run"; fi

$(OPENID): tests/openid/package.json tests/openid/package-lock.json
	@mkdir -p var/openid && cp $^ var/openid
	@cd var/openid && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Tests of pages run axe-core in the browser if npm can install it: a serious finding is a failure.
AXE := var/axe/node_modules/.package-lock.json
axe:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(AXE); else \
		echo "no npm: axe-core will not check the pages"; fi

$(AXE): tests/axe/package.json tests/axe/package-lock.json
	@mkdir -p var/axe && cp $^ var/axe
	@cd var/axe && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# The record is tested on each version of PostgreSQL in docs/record.md. The servers are npm packages.
POSTGRES := var/postgres/node_modules/.package-lock.json
VERSIONS ?= 14 15 16 17 18
databases: setup $(POSTGRES) ## test the record on each version of PostgreSQL: VERSIONS="14 17"
	@for version in $(VERSIONS); do echo "PostgreSQL $$version"; \
		FARISTOL_TEST_POSTGRES=var/postgres/node_modules/postgres-$$version $(BIN)/pytest -n $(WORKERS) --dist loadscope \
			tests/conformance tests/component/test_roles.py $(PYTEST_ARGS) || exit 1; done

$(POSTGRES): tests/postgres/package.json tests/postgres/package-lock.json
	@mkdir -p var/postgres && cp $^ var/postgres
	@cd var/postgres && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Tests of clients generated from the OpenAPI document run the generators that programmers use, each in a separate
# folder: their dependencies are not dependencies of Faristol.
OPENAPI := var/openapi/.ready
openapi: ## install the generators of clients of the OpenAPI document
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(OPENAPI); else \
		echo "no npm: clients of the OpenAPI document will not be generated"; fi

$(OPENAPI): tests/openapi/package.json tests/openapi/package-lock.json tests/openapi/requirements.lock
	@mkdir -p var/openapi && cp $^ var/openapi
	@cd var/openapi && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@$(PYTHON) -m venv --clear var/openapi/python
	@var/openapi/python/bin/pip install --quiet --disable-pip-version-check --require-hashes -r var/openapi/requirements.lock
	@touch $@

lock: $(READY) ## pin the dependencies of pyproject.toml, what builds it, and the installer again
	echo uv | uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
		--custom-compile-command "make lock" - -o requirements-setup.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--extra fast --extra pdf pyproject.toml -o requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		-c requirements.lock pyproject.toml -o requirements-core.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--extra fast --extra pdf --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock
	$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' | \
		uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
		--custom-compile-command "make lock" -c requirements-dev.lock - -o deploy/image/build.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" tests/openapi/requirements.in -o tests/openapi/requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" tests/fuzz/requirements.in -o tests/fuzz/requirements.lock
	uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" -c requirements.lock tests/tlog/requirements.in -o tests/tlog/requirements.lock

digests: ## pin the images of the manifests by the digests of today (needs crane, skopeo or docker, and the internet)
	$(PYTHON) deploy/digests.py

# `--strict` makes it an error if the advisories of a package cannot be requested.
AUDIT := var/audit
audit: ## ask PyPI for known vulnerabilities of every version in the locks
	$(PYTHON) -m venv $(AUDIT)
	$(AUDIT)/bin/pip install --quiet --disable-pip-version-check pip-audit==2.10.1
	for lock in requirements-setup.lock requirements-core.lock requirements.lock requirements-dev.lock deploy/image/build.lock tests/openapi/requirements.lock \
		tests/fuzz/requirements.lock tests/tlog/requirements.lock; do \
		$(AUDIT)/bin/pip-audit --strict --progress-spinner off --disable-pip --require-hashes -r $$lock || exit 1; done

clean: ## remove what was made, except the data
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis var
