# SPDX-License-Identifier: GPL-2.0-only
# What compiles programs for ARCH: FOR_ARCH (x86 or arm64), CC, AR, and flags. On another host, those
# for arm64 are linked with the libraries of the Debian in $(BUILD)/root, which tools/harness/root
# makes.
HOST_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(shell uname -m)))
ifeq ($(filter-out $(HOST_ARCH),$(filter arm64,$(ARCH))),)
FOR_ARCH := $(HOST_ARCH)
MULTIARCH := $(shell $(CC) -print-multiarch)
else
FOR_ARCH := arm64
SYSROOT := $(BUILD)/root
ifeq ($(wildcard $(SYSROOT)/usr/include/bpf),)
$(error no Debian for arm64 in $(SYSROOT): 'make root ARCH=arm64' makes it)
endif
export ARCH
export CROSS_COMPILE := aarch64-linux-gnu-
export PKG_CONFIG_SYSROOT_DIR := $(SYSROOT)
export PKG_CONFIG_LIBDIR := $(SYSROOT)/usr/lib/aarch64-linux-gnu/pkgconfig
CC := $(CROSS_COMPILE)gcc
AR := $(CROSS_COMPILE)ar
MULTIARCH := aarch64-linux-gnu
endif
# libbpf's headers and ours want to know it in BPF programs.
ARCH_CFLAGS := -D__TARGET_ARCH_$(FOR_ARCH) $(SYSROOT:%=--sysroot=%)
# asm/types.h is in a multiarch folder, where clang -target bpf doesn't look.
ARCH_BPF_CFLAGS := $(filter -D%,$(ARCH_CFLAGS)) $(MULTIARCH:%=-I$(SYSROOT)/usr/include/%)
