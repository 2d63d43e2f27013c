# SPDX-License-Identifier: GPL-2.0-only
# What a Makefile prints: a line for each file that it makes, $(call msg,VERB,FILE) in front of
# its commands, or the commands themselves with V=1.
ifeq ($(V),1)
Q =
msg =
else
Q = @
msg = @printf '  %-8s %s\n' "$(1)" "$(2)";
MAKEFLAGS += --no-print-directory
endif
