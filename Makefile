# SPDX-License-Identifier: GPL-2.0
# What a newcomer needs: make demo, make check, make run SCRIPT=x.kp.
#
#   BASE=7.2|6.12      kernel to build on (default 7.2, else 6.12)
#   KSRC=/path/linux   a kernel tree of one's own instead
#   CONFIG=NAME        lab/configs/NAME.config (default: default)
#   MINUTES=N          make check begins nothing more after N minutes (default 70; empty: no limit)

CONFIG ?= default
MINUTES ?= 70
export BASE KSRC

help:
	@echo 'make demo                 build all, boot, print a histogram of real events'
	@echo 'make check                the tests, but for those that take hours'
	@echo 'make check-all            every test: data races, exactness on debug, other compilers'
	@echo 'make check-arch           build, boot and test other architectures (MACHINES="arm64 riscv")'
	@echo 'make fuzz-guest           fuzz the session file in a guest with KASAN (OPTIONS="--seconds 3600")'
	@echo 'make run SCRIPT=x.kp      run a script of yours in the guest (ARGS="…", WORKLOAD="…")'
	@echo 'make shell                a shell in the guest, to try ktap (OPTIONS="--smp 4")'
	@echo 'make bench                what things cost, in instructions'
	@echo 'make bench-peers          the same for bpftrace and ftrace, next to ktap'
	@echo 'make tool                 ktap and ktapc for this machine, in tools/ktap/'
	@echo 'make kernel               the kernel and guest that lab/run boots'
	@echo 'make overlay KSRC=…       put ktap into a kernel tree (unoverlay: take it out)'
	@echo 'make series               ktap as patches for Linux 7.2, in build/series/'
	@echo 'make branch               a git tree of Linux with ktap as commits, in build/branch/'
	@echo 'make series-check         build, boot and judge each of them (STEPS=5-9, RESUME=1)'
	@echo 'make backport             ktap as one patch for Linux 6.12, in build/'
	@echo 'make packages             Debian and RPM packages of the tool, in build/packages/'
	@echo 'make clean                remove build/ (downloads are kept in ~/.cache/ktap)'

deps:
	@lab/deps

tool:
	@$(MAKE) --no-print-directory -C tools/ktap

kernel: deps
	@lab/build --config $(CONFIG)

demo: kernel
	@lab/demo

# Cheap checks first; see lab/check for what it does
check: deps
	@lab/check $(if $(MINUTES),--minutes $(MINUTES))

check-all: deps
	@lab/check --all

check-arch: deps
	@lab/check-arch $(MACHINES)

fuzz-guest: deps
	@lab/fuzz-guest $(OPTIONS)

# PARTS='vm table event attach cpus' picks some; bench/native needs no guest
bench: kernel
	@bench/run $(PARTS)

# ROW='n += 1' measures only one of bench/peers.rows
bench-peers: deps
	@lab/build --config btf >/dev/null
	@bench/peers $(if $(ROW),"$(ROW)")

run: kernel
	@test -n "$(SCRIPT)" || { echo 'make run: which script? make run SCRIPT=x.kp' >&2; exit 2; }
	@lab/script "$(SCRIPT)" $(ARGS)

shell: kernel
	@lab/shell --config $(CONFIG) $(OPTIONS)

overlay unoverlay: deps
	@lab/overlay $(if $(filter unoverlay,$@),--remove)

series: deps
	@lab/series make

branch: deps
	@lab/series branch

series-check: deps
	@lab/series check $(if $(RESUME),--resume) $(STEPS)

backport: deps
	@lab/backport

packages: deps
	@lab/packages

clean:
	rm -rf build
	@$(MAKE) --no-print-directory -C tools/ktap clean
	@$(MAKE) --no-print-directory -C tools/testing/ktap clean

.PHONY: help deps tool kernel demo check check-all check-arch fuzz-guest bench bench-peers run shell overlay unoverlay series branch series-check backport packages clean
