#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What strips a module decides whether it has BTF, by released packages of Debian 12 alone.
#
# A module's .BTF isn't allocated: the kernel's loader reads it from the file. binutils' "strip -g" keeps
# such a section. elfutils' eu-strip 0.188 takes it for debug info: it leaves the module, and is in the file
# of debug info, unless --keep-section=.BTF is given. The kernel loads such a module without a word, and
# without BTF. eu-unstrip joins the two again, also for relocatable files: code, DWARF and BTF are back.
#
# Seen 2026-11-28: as the last lines say.
. "${0%/*}/lib.bash"

# has FILE SECTIONS - Check which of .text, .BTF and .debug_info a file has; NOBITS counts as not.
has() {
	expect "$1 has" "$2" "$(in_root readelf -SW "/w/$1" | awk '/ (\.text|\.BTF|\.debug_info) +PROGBITS/ {
		sub(/.*\] /, ""); print $1 }' | sort | xargs)"
}

fetch bookworm elfutils=0.188-2.1 binutils=2.40-2
printf '.globl f\nf: nop\n.section .BTF,"",@progbits\n.long 0x1eb9f\n' >"$root/w/x.s"
in_root as -g -o /w/x.ko /w/x.s
in_root strip -g -o /w/strip.ko /w/x.ko
in_root eu-strip -f /w/eu.debug -o /w/eu.ko /w/x.ko
in_root eu-strip --keep-section=.BTF -f /w/keep.debug -o /w/keep.ko /w/x.ko
in_root eu-unstrip -o /w/joined.ko /w/eu.ko /w/eu.debug
has x.ko ".BTF .debug_info .text"
has strip.ko ".BTF .text"
has eu.ko ".text"
has eu.debug ".BTF .debug_info"
has keep.ko ".BTF .text"
has joined.ko ".BTF .debug_info .text"
