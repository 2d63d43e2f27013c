# SPDX-License-Identifier: GPL-2.0-only
#
# The steps of building and testing, in order. Each is a script in tools/harness that finds
# out by itself, and fast, that there is nothing to do.

FLAVOUR ?= gcc
# "check" takes each base and each compiler once, unless it is told what to take.
EACH_ONCE := $(if $(BASE)$(FLAVOURS)$(KSRC),,y)
# The kernel that the series is for; each is built in a folder of its own.
BASE ?= 6.12
BUILD ?= $(if $(filter 6.12,$(BASE)),build,build/$(BASE))
FLAVOURS ?= gcc thinlto
# Those that are gcc's kernel but for an option or two, for a few tests each.
VARIANTS ?= $(if $(filter gcc,$(FLAVOURS)),noaddr other)
V ?= 0

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
# Steps depend on each other in more ways than make can see; each uses all CPUs by itself.
.NOTPARALLEL:

override BUILD := $(abspath $(BUILD))
export BASE BUILD FLAVOUR V
ifdef KSRC
export KSRC
endif

ifeq ($(V),0)
Q := @
SUBMAKE := +$(MAKE) -s --no-print-directory
else
Q :=
SUBMAKE := +$(MAKE)
endif

JOBS := -j$(shell nproc)
H := tools/harness
D := tools/deb
VM := tools/vm/run --build $(BUILD)
KERNEL := $(BUILD)/$(FLAVOUR)/arch/x86/boot/bzImage

.PHONY: help
help:
	@echo 'Usage: make TARGET [BASE=6.12|7.3] [FLAVOUR=gcc|thinlto|kasan|...] [KSRC=tree|tarball]'
	@echo '            [BUILD=dir] [V=1]'
	@echo
	@echo '  demo        from nothing: packages, source, patches, build, boot; traces the two'
	@echo '              functions named bpf_iter_detach_map, one at a time'
	@echo '  check       from nothing: every test, on the host and in the VM'
	@echo '              (6.12 with thinlto, 7.3 with gcc; BASE=... FLAVOURS=...: others;'
	@echo '              STRICT=1: a skipped test fails; SUITES=...: only these suites)'
	@echo '  test T="many fentry_trace.sh"  single selftests in the VM, from what is built'
	@echo '              (FLAVOUR: the one that is built); selftests/README lists them'
	@echo '  sweep       attaches to every function that the kernel lists, one by one, and a thousand'
	@echo '              times; more than an hour'
	@echo '  stress      the selftests on a kernel with KASAN and lockdep, with many more rounds'
	@echo '              of modules that come and go, or lie; a few hours'
	@echo '  kernel      build one patched kernel and its modules, in build/FLAVOUR'
	@echo '  vm CMD=...  boot it and run CMD as root in this folder (TIMEOUT=600, APPEND=...)'
	@echo '  bench       what it costs, as ratios (VMLINUX=FILE: measure btfaddr on that, too)'
	@echo '  deb         Debian packages of btfaddr, fentry and libfentry, in build/deb'
	@echo '  deb-check   installs them by apt in a Debian of their own (SUITE=bookworm, DEBS=...)'
	@echo '  deb-kernel  Debian packages of the patched kernel, from Debian'"'"'s own configuration'
	@echo '              (CONFIG=FILE: any other; LOCALVERSION=-btfaddr; OPTIONS="X=y ..."); an hour or more'
	@echo '  system      a disk with Debian and these packages (SUITE=bookworm|trixie, DEBS=...),'
	@echo '              each kernel of it booted, and tried as a new user would'
	@echo '  system-sweep  attaches to thousands of functions there: of the kernel, and of 50 modules'
	@echo '  host        check with its gcc kernel, demo and deb in another Debian (SUITE=trixie),'
	@echo '              or CMD=... there; in build/SUITE'
	@echo '  patches     export the commits of build/linux to kernel/BASE/'
	@echo '  checkpatch  checkpatch.pl --strict on the series'
	@echo '  matrix      compiles what the series touches under configurations that break things'
	@echo '  steps       builds and boots every step of the series, option on and off; hours'
	@echo '  test-progs  the tree'"'"'s own test_progs, of a kernel before the series and of one after it'
	@echo '              (TESTS="GLOB...": only these; BEFORE=COMMIT of the tree); hours'
	@echo '  clean       remove build/; refuses if build/linux has work that is nowhere else'
	@echo
	@echo 'Single steps: deps source btfaddr fentry selftests'

# Packages: the base, and what a flavour needs on top.
.PHONY: deps
deps:
	$(Q)$(H)/deps base $(filter 6.12,$(BASE))
# btfaddr's own tests compile with clang 19, too.
ifneq ($(filter thinlto built check,$(FLAVOUR) $(MAKECMDGOALS)),)
	$(Q)$(H)/deps thinlto
endif

.PHONY: source
source: deps
	$(Q)$(H)/source

.PHONY: btfaddr
btfaddr: source
	$(Q)$(SUBMAKE) $(JOBS) -C tools/btfaddr BUILD=$(BUILD)

.PHONY: kernel
kernel: btfaddr
	$(Q)$(H)/kernel $(FLAVOUR)

.PHONY: kernels
kernels: btfaddr
	$(Q)for flavour in $(FLAVOURS) $(VARIANTS); do $(H)/kernel "$$flavour"; done

# All that "check" needs of one base.
.PHONY: built
built: kernels fentry selftests

.PHONY: fentry
fentry: source
	$(Q)$(SUBMAKE) $(JOBS) -C tools/fentry BUILD=$(BUILD)

.PHONY: selftests
selftests: fentry
	$(Q)$(SUBMAKE) $(JOBS) -C selftests BUILD=$(BUILD)

.PHONY: demo
demo: kernel fentry
	$(Q)$(SUBMAKE) $(JOBS) -C selftests BUILD=$(BUILD) \
		$(addprefix $(BUILD)/selftests/,peek stock trigger)
	$(Q)$(VM) --kernel $(KERNEL) --timeout 300 -- tools/demo/run

.PHONY: check
ifeq ($(EACH_ONCE),)
check: built
	$(Q)$(H)/check $(addprefix $(BUILD)/,$(FLAVOURS) $(VARIANTS))
else
check:
	+$(Q)$(MAKE) --no-print-directory BASE=6.12 FLAVOURS=thinlto built
	+$(Q)$(MAKE) --no-print-directory BASE=7.3 FLAVOURS=gcc BUILD=$(BUILD)/7.3 built
	$(Q)$(H)/check $(BUILD)/thinlto $(addprefix $(BUILD)/7.3/,gcc noaddr other)
endif

# Single selftests, with a kernel that is there.
T ?=
.PHONY: test
test: export FLAVOUR := $(if $(filter file,$(origin FLAVOUR)),,$(FLAVOUR))
test:
	$(Q)$(H)/test $(T)

# make check does both with less.
.PHONY: sweep
sweep: export STEP := 1
sweep: export CYCLES := 1000
sweep: export VM_TIMEOUT := 14400
sweep: export kselftest_override_timeout := 14400
sweep: kernel
	$(Q)$(H)/test sweep attach_cycles

# Many rounds of what races and of what lies, where it shows: KASAN, lockdep, kmemleak.
.PHONY: stress
stress: export ROUNDS ?= 1000
stress: export MUTATIONS ?= 5000
stress: export VM_TIMEOUT ?= 14400
# seconds for one selftest; with so many rounds those of "settings" don't do
stress: export kselftest_override_timeout ?= 7200
stress: export SUITES := selftests-kasan
stress:
	+$(Q)$(MAKE) --no-print-directory FLAVOURS=kasan check

# Other kernels to measure btfaddr on, that of a distribution for instance.
VMLINUX ?=
.PHONY: bench
bench: kernel
	$(Q)$(H)/kernel noaddr
	$(Q)$(H)/bench $(BUILD)/$(FLAVOUR)/vmlinux $(VMLINUX)
	$(Q)$(H)/bench-multi $(BUILD)/$(FLAVOUR)/arch/x86/boot/bzImage

# Packages of the tools, for the Debian that this is.
.PHONY: deb
deb: source
	$(Q)$(H)/deps deb
	$(Q)$(D)/deb

SUITE ?= bookworm
DEBS ?=
.PHONY: deb-check
deb-check: export SUITE := $(SUITE)
deb-check: export DEBS := $(DEBS)
deb-check: $(if $(DEBS),,deb)
	$(Q)$(D)/deb-check

# A kernel to install. Its configuration, name and more options come as variables.
.PHONY: deb-kernel
deb-kernel: export CONFIG := $(CONFIG)
deb-kernel: export LOCALVERSION := $(LOCALVERSION)
deb-kernel: export OPTIONS := $(OPTIONS)
deb-kernel: btfaddr
	$(Q)$(H)/deps deb
	$(Q)$(D)/deb-kernel

# An installed system; with the kernel of deb-kernel, if there is one.
.PHONY: system system-sweep
system system-sweep: export SUITE := $(SUITE)
system system-sweep: export DEBS := $(DEBS)
system: GIVEN := trigger
system-sweep: GIVEN := sweep module_sweep
system system-sweep: $(if $(DEBS),source,deb) fentry
	$(Q)$(H)/deps deb
	$(Q)$(SUBMAKE) $(JOBS) -C selftests BUILD=$(BUILD) $(addprefix $(BUILD)/selftests/,$(GIVEN))
	$(Q)$(D)/system $(patsubst -%,%,$(@:system%=%))

# On another Debian: its compiler, libraries, pahole, QEMU. CMD: anything else there.
.PHONY: host
host: export SUITE := $(if $(filter file,$(origin SUITE)),trixie,$(SUITE))
host: export HOST_CMD = $(value CMD)
host:
	$(Q)$(H)/deps deb
	$(Q)$(D)/host $${HOST_CMD:+sh -c "$$HOST_CMD"}

# CMD may hold anything: it reaches the shell by the environment, not by make's text.
TIMEOUT ?= 600
APPEND ?=
.PHONY: vm
vm: export VM_CMD = $(value CMD)
vm: export VM_APPEND = $(value APPEND)
vm: has-cmd kernel
	$(Q)$(VM) --kernel $(KERNEL) --timeout $(TIMEOUT) --append "$$VM_APPEND" -- "$$VM_CMD"

.PHONY: has-cmd
has-cmd:
ifeq ($(value CMD),)
	@echo 'vm: say what to run: make vm CMD=...' >&2; exit 2
endif

.PHONY: patches
patches:
	$(Q)$(H)/export-patches

.PHONY: checkpatch
checkpatch: source
	$(Q)$(H)/checkpatch

# CASES: only these
CASES ?=
.PHONY: matrix
matrix: btfaddr
	$(Q)$(H)/deps thinlto
	$(Q)$(H)/matrix $(CASES)

# STEPS='FIRST LAST': only these
STEPS ?=
.PHONY: steps
steps: btfaddr
	$(Q)$(H)/steps $(STEPS)

# TESTS='GLOB...': only these. BEFORE: a commit of the tree, base~2 to have the faults of
# kernel/7.3/fixes in it.
TESTS ?=
BEFORE ?= base
.PHONY: test-progs
test-progs: export BEFORE := $(BEFORE)
test-progs: btfaddr
	$(Q)$(H)/deps thinlto
	$(Q)$(H)/test-progs $(foreach test,$(TESTS),'$(test)')

.PHONY: clean
clean:
	$(Q)$(H)/clean
