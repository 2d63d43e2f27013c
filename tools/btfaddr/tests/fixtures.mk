# SPDX-License-Identifier: GPL-2.0-only
# What the tests of btfaddr read, made by tests/fixture. NAME is [arm64-]CC-DWARF[-FLAG+...], and lto
# is clang-19 with ThinLTO.
#
#	NAME.elf		a kernel of src/kernel and src/net, or src/lto, with pahole's BTF
#	NAME.ko			a module of these and src/module, whose base is a kernel's .btf.legacy
#	inlined-NAME.elf	src/inlined.c, a program that runs; entries-NAME.elf: src/entries.c
#	honest.s, honest.raw	src/lie.c in assembly, and its BTF
#
# btfaddr makes, of FILE.elf and FILE.ko: FILE.btf, FILE.btf.dump, FILE.left (what --left-out says),
# FILE.functions; of a kernel also FILE.btf.legacy and FILE.done, the kernel with FILE.btf in it.

# In a folder of its own, so that both kinds of run can go on at the same time.
FIXTURES := $(OBJ)/$(if $(filter 1,$(VALGRIND)),valgrind,fixtures)

KERNELS := gcc-5 arm64-gcc-5
MODULES := gcc-5 arm64-gcc-5
PROGRAMS := inlined-gcc-5-O2 $(foreach flag,-O2 -Os,inlined-arm64-gcc-5$(flag) \
	entries-gcc-5$(flag) entries-arm64-gcc-5$(flag))
ifeq ($(QUICK),)
OF_CLANG := $(foreach dwarf,5 4,clang-$(dwarf) clang-19-$(dwarf) lto-$(dwarf))
KERNELS += gcc-4 $(OF_CLANG) arm64-clang-19-5
MODULES += gcc-4 gcc-5-ffunction-sections $(OF_CLANG)
PROGRAMS += inlined-gcc-5-Os inlined-arm64-clang-19-5-O2 $(addprefix inlined-, \
	$(foreach flag,-O2 -Os,gcc-4$(flag) gcc-4$(flag)+-gno-variable-location-views \
	gcc-4$(flag)+-gno-statement-frontiers clang-5$(flag) clang-19-5$(flag)))
endif
export FIXTURES KERNELS MODULES PROGRAMS

# without NAMES PART COMMAND - NAMES, but those with PART in it only if there is such a command
without = $(if $(shell command -v $(3)),$(1),$(foreach name,$(1),$(if $(findstring $(2),$(name)),,$(name))))
buildable = $(call without,$(call without,$(call without,$(1),clang-19,clang-19),lto,clang-19),arm64,aarch64-linux-gnu-gcc)
BASES := $(patsubst %,$(FIXTURES)/%.elf.btf,$(call buildable,$(KERNELS)))

.PHONY: fixtures
fixtures: $(BASES) $(patsubst %,$(FIXTURES)/%.ko.btf,$(call buildable,$(MODULES))) \
	$(patsubst %,$(FIXTURES)/%.elf.functions,$(call buildable,$(PROGRAMS))) \
	$(FIXTURES)/honest.raw

$(FIXTURES):
	$(Q)mkdir -p $@

SOURCES_OF := $(wildcard tests/src/*.[ch] tests/src/*/*.c) tests/lib.sh tests/fixture
MAKE_FIXTURE = $(Q)BTFADDR=$(BIN) tests/fixture $@
$(FIXTURES)/%.elf: $(SOURCES_OF) | $(FIXTURES)
	$(MAKE_FIXTURE)
$(FIXTURES)/honest.s: $(SOURCES_OF) | $(FIXTURES)
	$(MAKE_FIXTURE)
$(FIXTURES)/honest.raw: $(FIXTURES)/honest.s
	$(MAKE_FIXTURE)
$(FIXTURES)/%.ko: $(BASES)
	$(MAKE_FIXTURE)
$(FIXTURES)/%.btf: $(FIXTURES)/% $(BIN)
	$(MAKE_FIXTURE)
$(FIXTURES)/%.functions: $(FIXTURES)/% $(BIN)
	$(MAKE_FIXTURE)
.SECONDARY:
