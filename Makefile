# Belfry: make demo, make test. Everything they need is installed or fetched by them.

DEBIAN_PACKAGES := g++ libcurl4-openssl-dev libffi-dev liblz4-dev libsimdjson-dev libsqlite3-dev libssl-dev libsystemd-dev tzdata
SWIFT ?= swift
# The products of a run: the command and the bundled plugins, without the tests.
BUILD := $(SWIFT) build -c release
BIN = $(shell $(SWIFT) build -c release --show-bin-path)

# The Swift of Benchmarks, without its .build.
BENCHMARKS = $(addprefix Benchmarks/,Package.swift Sources Benchmarks Plugins)

.PHONY: help demo test library install package package-build package-check memcheck asan tsan docs crash faults replicas service-forms service-kills service-restarts schemathesis sinks fuzz soak flink flink-check flink-whole flink-measure bench bench-check bench-thresholds measure lint format dependencies build clean

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 20

# Not optimized: that takes half the time, and `make test` goes on from there.
demo: dependencies  ## build, and decide a day of two people with four plugins and a store that survives a restart
	$(SWIFT) build
	@sh Examples/demo/demo.sh "$$($(SWIFT) build --show-bin-path)/belfry"

# More flags of swift for the tests, as .ci/run has them.
TEST_FLAGS ?=

# Signatures are compared with those of ssh-keygen. Handlers in Rust are tested too, and a page in a browser; any will do. A desktop is
# a bus with python3-dbusmock on it. The client of PostgreSQL is loaded when a store asks for it; the tests start a server of their own.
test: DEBIAN_PACKAGES += dbus openssh-client openssl postgresql python3-dbusmock
test: DEBIAN_PACKAGES += $(shell command -v rustc >/dev/null || echo rustc)
test: DEBIAN_PACKAGES += $(shell command -v chromium >/dev/null || command -v google-chrome >/dev/null || echo chromium)
test: dependencies lint  ## check the format, build, and run all tests
	$(SWIFT) build $(TEST_FLAGS) --build-tests --explicit-target-dependency-import-check error
	$(SWIFT) test $(TEST_FLAGS) --skip-build

library: build  ## build libbelfry, the core for C and other languages, beside the command; its header is belfry_core.h
	ln -sf libBelfryLibrary.so "$(BIN)/libbelfry.so"
	@echo "$(BIN)/libbelfry.so"

# What is installed runs without Swift: the standard library is inside, also in each plugin, where nothing else sees it.
PACKAGED = .build/package
PREFIX ?= /usr/local
PACKAGES ?= .build/packages
PLUGINS = $(addprefix Belfry,$(notdir $(wildcard Plugins/[A-Z]*)))

package-build: dependencies
	for product in belfry BelfryLibrary $(PLUGINS); do \
	    BELFRY_STATIC_STDLIB=1 $(BUILD) --static-swift-stdlib --scratch-path $(PACKAGED) --product $$product || exit 1; \
	done

install: DEBIAN_PACKAGES += binutils help2man
install: package-build  ## install the command, the bundled plugins, headers and kits below PREFIX (DESTDIR is put before it)
	sh Packaging/install.sh $(PACKAGED)/release "$(DESTDIR)" "$(PREFIX)"

package: DEBIAN_PACKAGES += binutils dpkg-dev help2man
package: package-build  ## build the Debian packages belfry, belfry-dev and belfry-dbgsym
	sh Packaging/package.sh $(PACKAGED)/release $(abspath $(PACKAGES))

package-check: DEBIAN_PACKAGES += curl debootstrap openssh-client procps systemd-container
package-check: package  ## boot a bare Debian, install the packages, decide by the service, upgrade it at work, and purge it (as root)
	sh Packaging/check.sh $(PACKAGES) .build/bare

# Without what debuggers read: valgrind does not know all of it.
MEMCHECK = .build/memcheck
memcheck: DEBIAN_PACKAGES += valgrind
memcheck: library  ## run Examples/embed-c over the demo's day under valgrind
	rm -rf $(MEMCHECK) && mkdir -p $(MEMCHECK)
	cp "$(BIN)/belfry" "$(BIN)"/libBelfry*.so $(MEMCHECK) && strip --strip-debug $(MEMCHECK)/*
	ln -s libBelfryLibrary.so $(MEMCHECK)/libbelfry.so
	$(MAKE) --no-print-directory -C Examples/embed-c -B BELFRY=$(abspath $(MEMCHECK))
	cat Examples/demo/morning.jsonl Examples/demo/afternoon.jsonl > $(MEMCHECK)/day.jsonl
	valgrind -q --error-exitcode=1 --suppressions=Examples/embed-c/valgrind.supp Examples/embed-c/decide Examples/demo/belfry.yaml $(MEMCHECK)/day.jsonl > /dev/null

# What is killed: signals, unpacked or not, and a configuration for them. Without them a load is generated.
SIGNALS ?= $(wildcard ../shared/data/nyc-checkins.jsonl.gz)
CONFIG ?= $(wildcard ../shared/data/nyc.yaml)
KILLS ?= 500
SEED ?= 1

crash: build  ## kill a run over SIGNALS with CONFIG KILLS times, and compare what it leaves with an undisturbed run
	$(SWIFT) build --build-tests
	BELFRY_BUILD="$(BIN)" BELFRY_CRASH=$(KILLS) BELFRY_SEED=$(SEED) BELFRY_CRASH_SIGNALS="$(SIGNALS)" \
	    BELFRY_CRASH_CONFIG="$(CONFIG)" $(SWIFT) test --skip-build --filter CrashTests

FAULTS ?= 10000

NOTIFICATIONS ?= 100000
SINK_KILLS ?= 50

sinks:  ## deliver NOTIFICATIONS to a receiver that fails, through SINK_KILLS kills
	$(SWIFT) build --build-tests
	BELFRY_SINK_NOTIFICATIONS=$(NOTIFICATIONS) BELFRY_SINK_KILLS=$(SINK_KILLS) \
	    $(SWIFT) test --skip-build --filter SinkKillTests

SERVICE_KILLS ?= 200
CLIENTS ?= 50

service-kills: build  ## kill a service SERVICE_KILLS times under CLIENTS clients, and compare what they were told with the journal
	$(SWIFT) build --build-tests
	BELFRY_BUILD="$(BIN)" BELFRY_SERVICE_KILLS=$(SERVICE_KILLS) BELFRY_CLIENTS=$(CLIENTS) \
	    $(SWIFT) test --skip-build --filter ServiceKillTests

REPLICA_KILLS ?= 50
DATABASE_KILLS ?= 5

replicas: DEBIAN_PACKAGES += postgresql
replicas: build  ## kill replicas REPLICA_KILLS times and their database DATABASE_KILLS times under CLIENTS clients, and compare with the journal
	$(SWIFT) build --build-tests
	BELFRY_BUILD="$(BIN)" BELFRY_REPLICA_KILLS=$(REPLICA_KILLS) BELFRY_DATABASE_KILLS=$(DATABASE_KILLS) BELFRY_CLIENTS=$(CLIENTS) \
	    $(SWIFT) test --skip-build --filter ReplicaKillTests

service-forms: build  ## post SIGNALS with CONFIG in every form over 1, 4 and 32 connections, and compare with a run
	$(SWIFT) build --build-tests
	BELFRY_BUILD="$(BIN)" BELFRY_FORMS=1 BELFRY_CRASH_SIGNALS="$(SIGNALS)" BELFRY_CRASH_CONFIG="$(CONFIG)" \
	    $(SWIFT) test --skip-build --filter SignalFormsTests

SECONDS ?= 1800
PYTHON_TOOLS = .build/python

schemathesis: DEBIAN_PACKAGES += curl python3-venv
schemathesis: build  ## hold a service to /openapi.yaml for SECONDS, by requests that schemathesis makes of it
	[ -x $(PYTHON_TOOLS)/bin/schemathesis ] || { python3 -m venv $(PYTHON_TOOLS) && $(PYTHON_TOOLS)/bin/pip install -q schemathesis==4.32.5; }
	sh Tests/Schemathesis/run.sh "$(abspath $(BIN))/belfry" "$(abspath $(PYTHON_TOOLS))/bin/schemathesis" .build/schemathesis $(SECONDS)

RESTARTS ?= 1000
RELOADS ?= 20

service-restarts: build  ## start a service RESTARTS times and hold it to what it says of itself; reload one RELOADS times under clients
	$(SWIFT) build --build-tests
	BELFRY_BUILD="$(BIN)" BELFRY_RESTARTS=$(RESTARTS) BELFRY_RELOADS=$(RELOADS) \
	    $(SWIFT) test --skip-build --filter 'ReadinessTests|ReloadUnderLoadTests'

faults: build  ## inject FAULTS faults of every kind into a run over SIGNALS with CONFIG, and compare with a polite run
	$(SWIFT) build --build-tests
	BELFRY_BUILD="$(BIN)" BELFRY_FAULTS=$(FAULTS) BELFRY_CRASH_SIGNALS="$(SIGNALS)" BELFRY_CRASH_CONFIG="$(CONFIG)" \
	    $(SWIFT) test --skip-build --filter FaultStormTests

LINES ?= 10000000
RECORDS ?= 100000
CONFIGURATIONS ?= 100000
LOCKS ?= 1000000
BODIES ?= 1000000

fuzz: build  ## feed LINES, RECORDS, CONFIGURATIONS, LOCKS with their signatures, and BODIES of requests, nearly right ones made from SEED
	$(SWIFT) build --build-tests
	BELFRY_BUILD="$(BIN)" BELFRY_SEED=$(SEED) BELFRY_FUZZ_LINES=$(LINES) BELFRY_FUZZ_RECORDS=$(RECORDS) \
	    BELFRY_FUZZ_CONFIGURATIONS=$(CONFIGURATIONS) BELFRY_FUZZ_LOCKS=$(LOCKS) BELFRY_FUZZ_BODIES=$(BODIES) \
	    $(SWIFT) test --skip-build --filter FuzzTests

# Apache Flink comes from its two Python wheels: a Java runtime and a compiler are all it needs besides.
FLINK = Integrations/flink
FLINK_BUILD ?= $(FLINK)/.build
# Where belfry, libBelfryLibrary.so and the plugins are.
FLINK_BIN ?= $(BIN)

flink: DEBIAN_PACKAGES += python3 $(shell python3 -m pip --version >/dev/null 2>&1 || echo python3-pip) $(shell command -v javac >/dev/null || echo default-jdk-headless)
flink: $(if $(filter file,$(origin FLINK_BIN)),build) dependencies  ## build the integration of Apache Flink into Integrations/flink/.build
	sh $(FLINK)/build.sh $(abspath $(FLINK_BUILD)) $(abspath $(FLINK_BIN))

# The small size. Streams are generated, those of Examples, and those of CONFIG and SIGNALS, which may be lists; the longest one is killed.
FLINK_SIGNALS ?= 20000
FLINK_KILLS ?= 2
FLINK_JOBMANAGER_KILLS ?= 1
FLINK_CHECKS ?= order shuffle kills rescale bundle commands state crash
FLINK_STREAMS ?= $(foreach example,$(basename $(wildcard Examples/*.yaml)),--stream $(example).yaml $(example).signals.jsonl) \
    $(foreach place,$(shell seq $(words $(CONFIG))),--stream $(word $(place),$(CONFIG)) $(word $(place),$(SIGNALS)))

flink-check: flink  ## decide in a cluster on this machine, through kills and changes, and compare with belfry run
	python3 $(FLINK)/check/check.py --build $(FLINK_BUILD) --work $(FLINK_BUILD)/check --signals $(FLINK_SIGNALS) --kills $(FLINK_KILLS) \
	    --jobmanager-kills $(FLINK_JOBMANAGER_KILLS) --seed $(SEED) $(FLINK_STREAMS) --only $(FLINK_CHECKS)

flink-whole: FLINK_SIGNALS = 5000000
flink-whole: FLINK_KILLS = 20
flink-whole: FLINK_JOBMANAGER_KILLS = 3
flink-whole: flink-check  ## the same with 5,000,000 signals, 20 kills of a TaskManager and 3 of the JobManager: 20 minutes

flink-measure: flink  ## measure the job beside one that only counts; LOAD and LOAD_CONFIG are of GENERATOR
	python3 $(FLINK)/check/measure.py --build $(FLINK_BUILD) --work $(FLINK_BUILD)/measure --signals $(LOAD) --config $(LOAD_CONFIG)

# Sanitizers need builds of their own.
SANITIZED = $(SWIFT) test --sanitize=$(1) --scratch-path .build/$(1)

asan: dependencies  ## run the tests of the engine, and read RECORDS damaged records, under the address sanitizer
	@# Leaks are looked for by valgrind, in 'make memcheck': the tables of plugins are there as long as the process, and so is XCTest.
	ASAN_OPTIONS=detect_leaks=0 BELFRY_SEED=$(SEED) BELFRY_FUZZ_BLOCKS=$(RECORDS) $(call SANITIZED,address) --filter 'BelfryEngineTests|BelfryStoreTests'

tsan: dependencies  ## run the tests of the run loop and its shards under the thread sanitizer
	$(call SANITIZED,thread) --filter 'BelfryHostTests|BelfryStoreTests'

# What is measured: docs/performance.md.
COUNT ?= 1000000
SUBJECTS ?= 100000
ROUNDS ?= 5
GENERATOR ?= $(wildcard ../shared/data/make_load.py)
MEASURE = $(shell $(SWIFT) build --package-path Benchmarks -c release --show-bin-path)/Measure

bench: DEBIAN_PACKAGES += redis-server libhiredis-dev python3-redis valgrind python3
bench: build measure  ## measure Belfry beside a Redis script and C by hand, and write docs/performance.md (BIG=1: 5 million subjects)
	$(SWIFT) build --package-path Benchmarks -c release --product Echo
	$(MAKE) --no-print-directory -C Benchmarks/EndToEnd
	python3 Benchmarks/EndToEnd/bench.py --bin "$(BIN)" --measure "$(MEASURE)" --work Benchmarks/.build/end-to-end \
	    --generator "$(GENERATOR)" --signals $(COUNT) --subjects $(SUBJECTS) --rounds $(ROUNDS) $(if $(BIG),--big) $(if $(ONLY),--only $(ONLY))

MINUTES ?= 60

soak: build  ## run at full load for MINUTES, durable, and say whether memory, journal and latency stay as they are
	$(MAKE) --no-print-directory -C Benchmarks/EndToEnd ../.build/end-to-end/generate
	python3 Benchmarks/EndToEnd/soak.py --bin "$(BIN)" --work Benchmarks/.build/end-to-end --minutes $(MINUTES)

bench-check: measure  ## compare the allocations and instructions of each workload with Benchmarks/thresholds.json
	python3 Benchmarks/check.py "$(MEASURE)" $(WORKLOADS)

bench-thresholds: measure  ## write the allocations and instructions of each workload into Benchmarks/thresholds.json
	python3 Benchmarks/check.py "$(MEASURE)" $(WORKLOADS) --update

# The workloads, with the plugins that they load beside them; nothing of the network, and nothing of Benchmark.
measure: DEBIAN_PACKAGES += valgrind python3
measure: dependencies
	for product in Measure $(addprefix Belfry,NoopC NoopSwift Actions Cooldown MaxPerPeriod Schedule Segmentation); do \
	    $(SWIFT) build --package-path Benchmarks -c release --product $$product || exit 1; \
	done

DOCC ?= docc
DOCUMENTED := BelfryPlugin BelfryTesting BelfryCore BelfryRuntime
# Where SwiftPM leaves what it knows of each module.
SYMBOLS = $(shell $(SWIFT) build --show-bin-path)/../symbolgraph

docs: dependencies  ## write the reference of what others import to .build/docs, with the toolchain's DocC
	$(SWIFT) package dump-symbol-graph --minimum-access-level public
	@set -e; for module in $(DOCUMENTED); do \
	    rm -rf .build/docs/symbols; mkdir -p .build/docs/symbols; \
	    cp $(SYMBOLS)/$$module[.@]*symbols.json .build/docs/symbols; \
	    $(DOCC) convert Sources/$$module/$$module.docc --additional-symbol-graph-dir .build/docs/symbols \
	        --fallback-display-name $$module --fallback-bundle-identifier belfry.$$module \
	        --output-path .build/docs/$$module.doccarchive; \
	done
	@echo "python3 -m http.server -d .build/docs/BelfryPlugin.doccarchive: http://localhost:8000/documentation/belfryplugin"

lint:  ## check the format of all Swift sources
	$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Plugins Templates Tests $(BENCHMARKS)

format:  ## format all Swift sources
	$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Plugins Templates Tests $(BENCHMARKS)

# Without what debuggers read, which is a twelfth of a first build; packages have it apart.
build: dependencies  ## build the command and the bundled plugins for use (release)
	$(BUILD) -Xswiftc -gnone

# Asks for what is missing only, so that a machine that has everything needs no rights and no network.
dependencies:
	@missing=""; \
	for package in $(DEBIAN_PACKAGES); do \
	    dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	    echo "installing$$missing"; \
	    sudo=""; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	    $$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	fi

clean:  ## remove everything that was built
	rm -rf .build
