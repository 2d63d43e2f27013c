# SPDX-License-Identifier: GPL-2.0-only
#
# The steps of building and testing, in order. Each is a script in tools/harness that ends
# quickly if there is nothing to do.

FLAVOUR ?= gcc
# "check" takes each base and each compiler once, unless variables say what to take.
EACH_ONCE := $(if $(BASE)$(FLAVOURS)$(KSRC),,y)
# The kernel version that the series is for. Each version has its own build folder.
BASE ?= 6.12
BUILD ?= build$(if $(filter-out 6.12,$(BASE)),/$(BASE))$(if $(filter arm64,$(ARCH)),/arm64)
FLAVOURS ?= gcc thinlto
# Flavours that differ from gcc by an option or two. Each is for a few tests.
VARIANTS ?= $(if $(filter gcc,$(FLAVOURS)),noaddr other)
V ?= 0

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
# Steps depend on each other in ways that make can't see, and each uses all CPUs by itself.
.NOTPARALLEL:

# The kernel's own build fails with such paths, but only after the source has been unpacked.
colon := :
ifneq ($(words $(CURDIR)) $(words $(BUILD)) $(findstring $(colon),$(CURDIR)$(BUILD)),1 1 )
$(error The path of the repository and BUILD= must have no space or colon in it: $(CURDIR) $(BUILD))
endif

ifneq ($(filter-out x86 arm64,$(ARCH)),)
$(error ARCH=$(ARCH): there are x86 and arm64)
endif
FOR_ARM64 := help deps source root btfaddr kernel kernels built fentry selftests deb \
	demo check test sweep vm stock patches checkpatch clean
ifneq ($(and $(filter arm64,$(ARCH)),$(filter-out $(FOR_ARM64),$(MAKECMDGOALS))),)
$(error ARCH=arm64 isn't for $(filter-out $(FOR_ARM64),$(MAKECMDGOALS)), only for: $(FOR_ARM64))
endif

override BUILD := $(abspath $(BUILD))
export BASE BUILD FLAVOUR V
ifeq ($(ARCH),arm64)
export ARCH
else
unexport ARCH
endif

Q := $(if $(filter 0,$(V)),@)
SUBMAKE := +$(MAKE)$(if $(Q), -s --no-print-directory) -j$(shell nproc) BUILD=$(BUILD)
H := tools/harness
D := tools/deb
VM := tools/vm/run --build $(BUILD)
KERNEL := $(BUILD)/$(FLAVOUR)/$(if $(filter arm64,$(ARCH)),arch/arm64/boot/Image,arch/x86/boot/bzImage)

.PHONY: help deps source root btfaddr kernel kernels built fentry selftests demo check quick test fuzz sweep \
	stress bench deb deb-check deb-kernel deb-functions stock system host vm \
	has-cmd hooks patches checkpatch matrix steps test-progs clean

# The help text of a target is in a line above it: "#: GROUP TARGET VARIABLES | what it does".
# Scripts get what is set on the command line or in the environment, and know the defaults.
help:
	@echo 'usage: make TARGET [VARIABLE=VALUE...]'
	@awk 'BEGIN { n = split("use develop release", groups) } \
	/^#: / { group = $$2; sub(/^#: [^ ]+ /, ""); split($$0, part, / *[|] */); \
		text[group] = text[group] sprintf("  %s\n        %s\n", part[1], part[2]) } \
	END { for (i = 1; i <= n; i++) printf "\n%s:\n%s", groups[i], text[groups[i]] }' \
		$(firstword $(MAKEFILE_LIST))
	@echo
	@echo 'With every target:'
	@echo '  BASE=6.12|7.3      the kernel that the series is for'
	@echo '  ARCH=arm64         for arm64, on this host, with: $(FOR_ARM64) (default: x86)'
	@echo '  KSRC=FILE|FOLDER   the kernel source: a tarball, a folder or a git tree'
	@echo '  BUILD=FOLDER       where everything is built (build, build/7.3, build/arm64)'
	@echo '  V=1                shows the commands'

# These are the base packages, and those that a flavour needs in addition.
#: develop deps | installs the packages that the build and the tests need
deps:
	$(Q)$(H)/deps base $(filter 6.12,$(BASE)) $(filter arm64,$(ARCH))
# btfaddr's own tests compile with clang 19, too.
ifneq ($(filter thinlto cfi built check quick,$(FLAVOUR) $(MAKECMDGOALS)),)
	$(Q)$(H)/deps thinlto
endif
ifneq ($(filter built check quick,$(MAKECMDGOALS)),)
	$(Q)$(H)/deps lint
endif

#: develop source | unpacks the kernel into build/linux, and applies the series
source: deps
	$(Q)$(H)/source

#: develop btfaddr | builds build/bin/btfaddr
#: develop fentry | builds build/bin/fentry, and libfentry
#: develop selftests | builds the selftests
btfaddr fentry: source
fentry: root
selftests: fentry
# Programs for arm64 are linked with its libraries.
#: develop root ARCH=arm64 | makes the Debian that an arm64 kernel boots on, in build/arm64/root; needs root
root: deps
	$(if $(filter arm64,$(ARCH)),$(Q)$(H)/root)
# btfaddr runs on the host.
btfaddr: SUBMAKE += ARCH=
btfaddr fentry selftests:
	$(Q)$(SUBMAKE) -C $(if $(filter selftests,$@),$@,tools/$@)

#: use kernel FLAVOUR=gcc | builds one patched kernel in build/FLAVOUR; FLAVOUR is gcc, thinlto, cfi, kasan, noaddr or other
kernel: btfaddr
	$(Q)$(H)/kernel $(FLAVOUR)

kernels: btfaddr
	$(Q)for flavour in $(FLAVOURS) $(VARIANTS); do $(H)/kernel "$$flavour"; done

# Builds all that "check" needs of one base. On x86, the suite tools/tree-tests builds what
# tree_tests.sh runs.
built: kernels fentry selftests
	$(if $(filter 7.3/arm64,$(BASE)/$(ARCH)),$(Q)$(SUBMAKE) -C tools/tree-tests)

#: use demo FLAVOUR=gcc | builds all that is missing, boots the kernel, and traces the two functions named bpf_iter_detach_map
demo: kernel fentry
	$(Q)$(SUBMAKE) -C selftests $(addprefix $(BUILD)/selftests/,peek stock trigger)
	$(Q)$(VM) --kernel $(KERNEL) --timeout 300 -- tools/demo/run

# The kernels that clang builds for arm64 are for "make test".
OF_6.12 := $(if $(filter arm64,$(ARCH)),gcc,thinlto)
CHECK_6.12 = $(MAKE) --no-print-directory BASE=6.12 FLAVOURS=$(OF_6.12) VARIANTS= FEWER=y
# BTF of noaddr is as on a distribution's kernel.
BUILD_7.3 = $(if $(filter arm64,$(ARCH)),$(BUILD:/arm64=)/7.3/arm64,$(BUILD)/7.3)
CHECK_7.3 = $(MAKE) --no-print-directory BASE=7.3 FLAVOURS=gcc VARIANTS=noaddr BUILD=$(BUILD_7.3)

#: develop check BASE= FLAVOURS= SUITES= STRICT=1 | runs every test, on the host and in the VM; with STRICT=1 a skipped test fails the run
ifeq ($(EACH_ONCE),)
check: built
	$(Q)$(H)/check $(addprefix $(BUILD)/,$(FLAVOURS) $(VARIANTS))
else
check:
	$(Q)$(H)/deps base 6.12 thinlto lint $(filter arm64,$(ARCH))
# Sources and selftests of both bases are made side by side: most of it keeps a single CPU busy.
	$(Q)BASE=7.3 BUILD=$(BUILD_7.3) $(H)/source & status=0; \
		BASE=6.12 $(H)/source || status=$$?; wait $$! && exit $$status
	+$(Q)$(CHECK_6.12) kernels fentry
	+$(Q)$(CHECK_7.3) kernels fentry
	+$(Q)$(CHECK_7.3) built & status=0; $(CHECK_6.12) built || status=$$?; wait $$! && exit $$status
	$(Q)EACH_ONCE=y $(H)/check $(BUILD)/$(OF_6.12) $(addprefix $(BUILD_7.3)/,noaddr gcc)
endif

#: develop quick | runs the linters, and the tests that need no kernel; takes some minutes once all is built
quick: btfaddr fentry
	$(Q)$(H)/check --quick

#: develop hooks | makes git look at the format of C files, and at the subject, before each commit
hooks:
	$(Q)git config core.hooksPath tools/lint/hooks

#: develop test T="many fentry_trace.sh" FLAVOUR= | runs single selftests in the VM, from what is built; selftests/README says which
test: export FLAVOUR := $(if $(filter file,$(origin FLAVOUR)),,$(FLAVOUR))
test:
	$(Q)$(H)/test $(T)

# "make check" runs some inputs of each target.
#: develop fuzz TIME=600 | gives mutated files to the tools and to libbpf for TIME seconds; failures are in build/7.3/fuzz/found
TIME ?= 600
ifeq ($(BASE),6.12)
# The tree's libbpf needs the fixes that 7.3 has.
fuzz:
	+$(Q)$(MAKE) --no-print-directory BASE=7.3 BUILD=$(BUILD)/7.3 $@
else
fuzz: btfaddr
	$(Q)$(SUBMAKE) -C tools/fuzz TIME=$(TIME) fuzz
endif

# "make check" runs both tests with fewer functions and cycles.
#: develop sweep | attaches to every function that the kernel lists, one by one; takes more than an hour
sweep: kernel
	$(Q)STEP=1 CYCLES=1000 VM_TIMEOUT=14400 kselftest_override_timeout=14400 \
		$(H)/test sweep attach_cycles

# The tests with races and with broken input have many rounds.
#: develop stress ROUNDS=1000 MUTATIONS=10000 | runs the selftests on a kernel with KASAN and lockdep, for hours
stress: export ROUNDS ?= 1000
stress: export MUTATIONS ?= 10000
# seconds; the limit in "settings", of one selftest, is too short for so many rounds
stress: export VM_TIMEOUT ?= 28800
stress: export kselftest_override_timeout ?= 14400
stress:
	+$(Q)$(MAKE) --no-print-directory FLAVOURS=kasan SUITES=selftests-kasan check

#: develop bench VMLINUX=FILE | prints the cost of btfaddr and the series, as ratios; with VMLINUX, also of btfaddr on that kernel
bench: kernel fentry
	$(Q)$(H)/kernel noaddr
	$(Q)$(SUBMAKE) -C tools/tree-tests
	$(Q)$(H)/bench $(BUILD)/$(FLAVOUR)/vmlinux $(VMLINUX)

#: use deb | builds packages of btfaddr, fentry and libfentry for this Debian in build/deb
deb: source root
	$(Q)$(H)/deps deb
	$(Q)$(D)/deb

#: release deb-check SUITE=bookworm DEBS= | installs the packages in a Debian of their own, and removes them; needs root
deb-check: $(if $(DEBS),,deb)
	$(Q)$(H)/deps deb
	$(Q)$(D)/deb-check

#: use deb-kernel CONFIG= LOCALVERSION=-btfaddr OPTIONS="X=y ..." | builds Debian packages of the patched kernel; takes an hour or more
deb-kernel: btfaddr
	$(Q)$(H)/deps deb
	$(Q)$(D)/deb-kernel

# The distribution's own kernels are built from their debug packages.
#: use deb-functions FOLDER= PACKAGE= | builds a Debian package with the functions files of one kernel: that of deb-kernel, or the one built in FOLDER, or the one with the debug package PACKAGE (linux-image-RELEASE-dbg)
deb-functions: btfaddr
	$(Q)$(H)/deps deb
	$(Q)$(D)/deb-functions $(if $(PACKAGE),--package '$(PACKAGE)',$(if $(FOLDER),'$(FOLDER)'))

#: release stock KERNELS="6.1 6.12 7.3 sid" PACKAGE= FUNCTIONS=50 | boots Debian's own kernels from their packages, and traces there; KERNELS chooses some, PACKAGE is the debug package of another (linux-image-RELEASE-dbg)
stock: btfaddr fentry
	$(Q)$(H)/deps deb thinlto
	$(Q)$(SUBMAKE) -C selftests $(addprefix $(BUILD)/selftests/,trigger fentry_calls.bpf.o)
	$(Q)$(D)/stock

# The kernel of deb-kernel, if there is one, is installed, too.
#: release system SUITE=bookworm DEBS= | makes a disk with Debian and the packages, boots each kernel of it, and tries them; needs root
system: $(if $(DEBS),source,deb) fentry
	$(Q)$(H)/deps deb
	$(Q)$(SUBMAKE) -C selftests $(BUILD)/selftests/trigger
	$(Q)$(D)/system

#: release host SUITE=trixie CMD= | runs check, demo and deb, or CMD, in another Debian, with its compiler, libraries, pahole and QEMU; needs root
host: export HOST_CMD = $(value CMD)
host:
	$(Q)$(H)/deps deb
	$(Q)$(D)/host $${HOST_CMD:+sh -c "$$HOST_CMD"}

# CMD may have any characters: it reaches the shell through the environment, not in make's text.
TIMEOUT ?= 600
#: use vm CMD= FLAVOUR=gcc TIMEOUT=600 APPEND= | boots the kernel, and runs CMD there as root in this folder
vm: export VM_CMD = $(value CMD)
vm: export VM_APPEND = $(value APPEND)
vm: has-cmd kernel root
	$(Q)$(VM) --kernel $(KERNEL) --timeout $(TIMEOUT) --append "$$VM_APPEND" -- "$$VM_CMD"

has-cmd:
ifeq ($(value CMD),)
	@echo 'vm: say what to run: make vm CMD=...' >&2; exit 2
endif

#: develop patches | exports the commits of build/linux to kernel/BASE
patches:
	$(Q)$(H)/export-patches

#: develop checkpatch | runs checkpatch.pl --strict on the patches
checkpatch: source
	$(Q)$(H)/checkpatch

#: release matrix CASES= | compiles what the series touches under configurations that break things, and for other architectures; CASES names some of them
matrix: btfaddr
	$(Q)$(H)/deps thinlto
	$(Q)$(H)/matrix $(CASES)

#: release steps BASE=7.3 STEPS="FIRST LAST" | builds and boots every step of the series, with the option on and off; takes hours
steps: btfaddr
	$(Q)$(H)/steps $(STEPS)

# The first commit of the branch base is the kernel without kernel/BASE/fixes and kernel/BASE/other.
#: release test-progs TESTS="GLOB..." BEFORE=base | runs the tree's own test_progs before the series and after it; takes hours
test-progs: btfaddr
	$(Q)$(H)/deps thinlto
	$(Q)$(H)/test-progs $(foreach test,$(TESTS),'$(test)')

#: use clean | removes what make made in build/; refuses if build/linux has work that is nowhere else
clean:
	$(Q)$(H)/clean
