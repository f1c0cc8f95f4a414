# For developers and packagers; `make` alone lists the targets. Needs: GNU make, the Swift toolchain of .swift-version.
# Nothing here reads standard input or needs a terminal, except `make vm`.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help deps test-deps libraries lint build check release test mutants test-crash attack bench test-root touch-script haptics-test service-test api-test conformance fuzz model-check hid-test demo install uninstall vm vm-build

# All packages of Debian that the build needs. `make lint` checks that README.md and the C headers name the same.
PACKAGES := pkg-config libevdev-dev libudev-dev libsystemd-dev libsqlite3-dev libmicrohttpd-dev
APT_LINE := apt-get install --no-install-recommends $(PACKAGES)
HAVE_LIBRARIES := pkg-config --exists libevdev libudev libsystemd sqlite3 libmicrohttpd 2>/dev/null

PREFIX ?= /usr
DESTDIR ?=
bindir = $(DESTDIR)$(PREFIX)/bin
sbindir = $(DESTDIR)$(PREFIX)/sbin
unitdir = $(DESTDIR)$(PREFIX)/lib/systemd/system
sysusersdir = $(DESTDIR)$(PREFIX)/lib/sysusers.d
udevdir = $(DESTDIR)$(PREFIX)/lib/udev/rules.d
catalogdir = $(DESTDIR)$(PREFIX)/lib/systemd/catalog
# Earlier versions installed a rule there. The rule in /etc is written by the service's start.
polkitdir = $(DESTDIR)$(PREFIX)/share/polkit-1/rules.d
mandir = $(DESTDIR)$(PREFIX)/share/man
completionsdir = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
docdir = $(DESTDIR)$(PREFIX)/share/doc/touchgate
confdir = $(DESTDIR)/etc/touchgate

help: ## this list
	@echo "targets:"
	@sed -nE 's/^([a-z-]+):.*## (.*)/  \1	\2/p' Makefile | expand -t 16

# A JavaScript engine, to try the polkit rule; without it two tests are skipped.
TEST_PACKAGES := duktape

deps: ## install the Debian packages that the build needs (through sudo if not root); nothing if they are installed
	@$(HAVE_LIBRARIES) && exit 0; \
	run=; if [ "$$(id -u)" != 0 ]; then \
	  command -v sudo > /dev/null || { echo "not root and no sudo; as root run: $(APT_LINE)" >&2; exit 1; }; run=sudo; fi; \
	apt() { $$run env DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o DPkg::Lock::Timeout=300 "$$@" < /dev/null > /dev/null; }; \
	echo "installing $(PACKAGES)"; \
	packages() { apt install --no-install-recommends $(PACKAGES); }; \
	packages 2> /dev/null || { apt update; packages; }

test-deps: deps
	@dpkg-query -W $(TEST_PACKAGES) > /dev/null 2>&1 || $(MAKE) --no-print-directory deps PACKAGES="$(TEST_PACKAGES)" HAVE_LIBRARIES=false

# A missing library is reported here, with what to do, and not by the compiler.
libraries:
	@command -v swift > /dev/null || { echo "swift is not on PATH: install the toolchain Swift $$(cat .swift-version)" \
	  "and put its usr/bin on PATH" >&2; exit 1; }
	@$(HAVE_LIBRARIES) || { echo "libraries are missing; run 'make deps', or: sudo $(APT_LINE)" >&2; exit 1; }

lint: libraries
	@for file in README.md Sources/C*/shim.h; do \
	  ! grep -q 'apt-get install' $$file || grep -qF '$(APT_LINE)' $$file || \
	    { echo "$$file must name the packages of the Makefile: $(APT_LINE)" >&2; exit 1; }; done
	swift format lint --strict --parallel --recursive Package.swift Sources Tests Fuzz Benchmarks < /dev/null

build: libraries ## build everything for debugging, with the tests
	swift build --build-tests < /dev/null

check: lint build ## format, build, and the tests that need no root and no VM
	@Tests/Tools/run-selftest
	@Tests/Tools/run pure

release: libraries ## build the two programs as they are installed (static Swift runtime)
	swift build -c release --static-swift-stdlib --product touchgated < /dev/null
	swift build -c release --static-swift-stdlib --product touchgate < /dev/null

vm-build: ## build the test VM (9 minutes, once; outside the checkout)
	@Tests/Tools/vm/build simtime trixie < /dev/null

vm: vm-build ## a shell in the test VM
	@Tests/Tools/vm/shell

# What `make install` installs, for the VM.
test-root: release
	@rm -rf .build/vm-root
	@$(MAKE) --no-print-directory install DESTDIR=$(CURDIR)/.build/vm-root PREFIX=/usr > /dev/null

test: test-deps lint build race-stamp test-root vm-build ## everything: packages, format, builds, all tests, those in the VM too
	@Tests/Tools/run-selftest
	@Tests/Tools/run pure crash api devices plain systemd trixie simtime attack hid

hid-test: libraries test-root vm-build ## the kernel's HID tests with the service watching (make test runs one in three)
	@Tests/Tools/vm-hid/run < /dev/null

attack: libraries test-root vm-build ## attacks on the installed service by real users, with systemd 252 and 257
	@Tests/Tools/attack/run

api-test: libraries test-root ## each call of docs/openapi.yaml, right and wrong, against the running service: make api-test [API_SEED=n]
	@API_SEED=$${API_SEED:-$(API_SEED)} Tests/Tools/api/run < /dev/null

ROUNDS ?= 100
test-crash: libraries build test-root ## kill the service at every boundary: make test-crash ROUNDS=100 [CRASH_SEED=n]
	@CRASH_ROUNDS=$(ROUNDS) Tests/Tools/run crash > .build/test-crash.log 2>&1 || status=$$?; \
	  [ -z "$${status:-}" ] || cat .build/test-crash.log >&2; \
	  grep -E '^(seed|given up|crash on)' .build/test-crash.log; grep '^crash:' .build/test-crash.log; exit $${status:-0}

DAYS ?= 500
clock-test: libraries ## machines with a wrong clock, power cuts and every kind of span and time: make clock-test DAYS=500 [SEED=n]
	@swift build --build-tests < /dev/null
	@CLOCK_DAYS=$(DAYS) $(if $(SEED),CLOCK_SEED=$(SEED)) swift test --skip-build --disable-xctest --filter ClockDaysTests \
	  < /dev/null > .build/clock-test.log 2>&1 || status=$$?; \
	  [ -z "$${status:-}" ] || cat .build/clock-test.log >&2; grep '^clock:' .build/clock-test.log; exit $${status:-0}

bench: libraries release ## the cost of 100,000 waiting updates: ratios to 100, each pair measured in turn
	@swift build -c release --product queuebench < /dev/null > .build/bench.log 2>&1 || { cat .build/bench.log >&2; exit 1; }
	@.build/release/queuebench "$$(realpath .build/release/touchgated)"

service-test: libraries build test-root vm-build ## the installed service under systemd 252 and 257: sandbox, watchdog, a real reboot, idle wake-ups
	@Tests/Tools/service/run

touch-script: libraries ## run one touch script and print each check: make touch-script FILE=path
	@[ -f "$(FILE)" ] || { echo "FILE= is required: make touch-script FILE=path" >&2; exit 1; }
	@swift build --build-tests < /dev/null > .build/touch-script.log 2>&1 || { cat .build/touch-script.log >&2; exit 1; }
	@TOUCH_SCRIPT="$$(realpath -- "$(FILE)")" NO_COLOR=1 swift test --skip-build --disable-xctest --quiet \
	  --filter 'TouchScriptTests/holds' < /dev/null

haptics-test: deps build test-root vm-build ## haptics: all orders of inputs, and real and virtual vibrators in the VM (3 min)
	@Tests/Tools/haptics

FAULTS ?= 100000
conformance: libraries ## recordings with injected faults, another seed each time: make conformance FAULTS=100000 [SEED=n]
	@swift build --build-tests < /dev/null
	@CONFORMANCE_FAULTS=$(FAULTS) CONFORMANCE_SEED=$${SEED:-$$RANDOM$$RANDOM} \
	  swift test --skip-build --disable-xctest --filter ConformanceTests < /dev/null | tee .build/conformance.log || status=$$?; \
	  grep '^conformance: [0-9]* streams' .build/conformance.log; exit $${status:-0}

FUZZ_SECONDS ?= 600
fuzz: libraries ## fuzz the readers of recordings, events and requests: make fuzz FUZZ_SECONDS=600 (each)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) Fuzz/run

mutants: libraries ## whether the unit tests notice small changes to the code (6 min; needs python3)
	@Tests/Tools/mutants < /dev/null

LENGTH ?= 7
model-check: libraries ## every sequence of steps on two slots: make model-check LENGTH=7 (6 in make check; each further step takes ten times as long)
	@swift build --build-tests < /dev/null
	@MODEL_CHECK_LENGTH=$(LENGTH) swift test --skip-build --disable-xctest --filter ModelCheckTests < /dev/null

.PHONY: race-stamp race-test
# The handler of the race tests, beside the test bundle. In C and static, because it must start fast.
race-stamp: build
	@clang -O2 -Wall -Werror -static -o .build/debug/race-stamp Tests/Tools/racer/stamp.c

RACE_SECONDS ?= 120
race-test: deps race-stamp test-root vm-build ## taps against a stream of updates, in the VM: make race-test RACE_SECONDS=120 [SEED=n]
	@TOUCHGATE_RACE_SECONDS=$(RACE_SECONDS) TOUCHGATE_RACE_SEED=$(SEED) Tests/Tools/run race || status=$$?; \
	grep -a '^race: [0-9]* updates' .build/tests/race; exit $${status:-0}

STORM_SECONDS ?= 60
.PHONY: storm-test
storm-test: deps build test-root vm-build ## a device that is created anew every 100 ms, in the VM: make storm-test [STORM_SECONDS=60]
	@TOUCHGATE_STORM_SECONDS=$(STORM_SECONDS) Tests/Tools/run storm

demo: deps release ## an update waits for a recorded finger: 8 seconds after the build, no device, no root
	@Examples/demo

install: ## install what `make release` built; DESTDIR=, PREFIX=/usr
	@[ -x .build/release/touchgated ] && [ -x .build/release/touchgate ] || { echo "run 'make release' first" >&2; exit 1; }
	install -D -m 755 -s .build/release/touchgated $(sbindir)/touchgated
	install -D -m 755 -s .build/release/touchgate $(bindir)/touchgate
	install -d $(unitdir) $(confdir)/handlers.d $(completionsdir)
	.build/release/touchgate completion bash > $(completionsdir)/touchgate
	chmod 644 $(completionsdir)/touchgate
	sed 's|/usr/sbin/|$(PREFIX)/sbin/|' systemd/touchgated.service > $(unitdir)/touchgated.service
	chmod 644 $(unitdir)/touchgated.service
	install -m 644 systemd/touchgated.socket $(unitdir)
	install -D -m 644 systemd/sysusers.d/touchgate.conf $(sysusersdir)/touchgate.conf
	install -D -m 644 -t $(udevdir) systemd/udev/70-touchgate.rules
	install -D -m 644 -t $(catalogdir) systemd/catalog/touchgate.catalog
	rm -f $(polkitdir)/50-touchgate.rules
	[ -e $(confdir)/touchgate.conf ] || install -m 644 config/touchgate.conf $(confdir)
	install -D -m 644 -t $(docdir) README.md LICENSE docs/architecture.md docs/touch.md docs/haptics.md docs/openapi.yaml docs/guard.md docs/security.md docs/service.md docs/operating.md docs/socket.md
	install -D -m 644 -t $(docdir)/handlers.d config/handlers.d/*
	install -D -m 644 -t $(mandir)/man1 man/touchgate.1
	install -D -m 644 -t $(mandir)/man5 man/touchgate.conf.5
	install -D -m 644 -t $(mandir)/man8 man/touchgated.8
	if [ -z "$(DESTDIR)" ] && [ -d /run/systemd/system ]; then \
	  systemd-sysusers touchgate.conf; systemctl daemon-reload; journalctl --update-catalog; udevadm control --reload; fi

uninstall: ## remove what `make install` installed; configuration, queue and user stay
	rm -f $(sbindir)/touchgated $(bindir)/touchgate $(unitdir)/touchgated.service $(unitdir)/touchgated.socket
	rm -f $(udevdir)/70-touchgate.rules $(catalogdir)/touchgate.catalog $(polkitdir)/50-touchgate.rules
	rm -f $(DESTDIR)/etc/polkit-1/rules.d/50-touchgate.rules
	rm -f $(sysusersdir)/touchgate.conf $(mandir)/man1/touchgate.1 $(mandir)/man5/touchgate.conf.5 $(mandir)/man8/touchgated.8
	rm -f $(completionsdir)/touchgate
	rm -rf $(docdir)
