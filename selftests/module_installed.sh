#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The module "kinds" as "make modules_install" leaves it: stripped, and signed and compressed
# if the kernel is configured so. TAP.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/module_lib.sh"

readonly MAGIC='~Module signature appended~'
readonly INFO_SIZE=$((12 + ${#MAGIC} + 1))	# what follows the signature
INSTALLED=$(echo "$OUTPUT/installed-${MODULES##*/modules-}/lib/modules/$(uname -r)"/updates/kinds.ko*)
readonly INSTALLED

# configured OPTION - has the kernel CONFIG_OPTION=y?
configured() {
	grep -qx "CONFIG_$1=y" "$KCONFIG"
}

# is COMMAND... - 1 if it succeeds, otherwise 0.
is() {
	if "$@"; then echo 1; else echo 0; fi
}

# decompress - makes $scratch/kinds.ko of the installed file, with the signature behind it.
decompress() {
	case $INSTALLED in
	*.zst) zstd -dq "$INSTALLED" -o "$scratch/kinds.ko" ;;
	*) cp "$INSTALLED" "$scratch/kinds.ko" ;;
	esac
}

# signed FILE - is there a signature behind it?
signed() {
	[[ $(tail -c $((${#MAGIC} + 1)) "$1" | tr -d '\0') == "$MAGIC" ]]
}

# taint - the flags of the loaded module; O means that it was built outside of the tree.
taint() {
	cat /sys/module/kinds/taint
}

# damage OFFSET - overwrite eight bytes of $scratch/kinds.ko.
damage() {
	cp "$scratch/kinds.ko" "$scratch/good.ko"
	printf 'damaged!' | dd of="$scratch/kinds.ko" bs=1 seek="$1" conv=notrunc status=none
	! cmp -s "$scratch/kinds.ko" "$scratch/good.ko" || fail "not damaged"
}

test_installed_file_is_as_configured() {
	local name

	[[ $(is test "$INSTALLED" != "${INSTALLED%.zst}") -eq $(is configured MODULE_COMPRESS_ZSTD) ]] ||
		fail "the file is $INSTALLED"
	decompress
	[[ $(is signed "$scratch/kinds.ko") -eq $(is configured MODULE_SIG_ALL) ]] ||
		fail "the end is: $(tail -c 40 "$scratch/kinds.ko" | od -c)"
	run readelf -SW "$scratch/kinds.ko"
	want_status 0
	want_no_text ' .debug_'
	for name in .BTF .BTF_func .rela.BTF_func .symtab; do
		want_text " $name "
	done
	ls -l "$INSTALLED" "$scratch/kinds.ko" "$MODULES/kinds.ko"
}

# insmod decompresses the file. If the kernel refused the signature, there would be an E.
test_installed_file_is_loaded_by_insmod() {
	load_file "$INSTALLED"
	[[ $(taint) == O ]] || fail "taint $(taint)"
	described
}

test_installed_file_is_loaded_decompressed() {
	decompress
	kinds "$scratch/kinds.ko"
}

# kmod's insmod asks the kernel to decompress only since version 31.
test_compressed_file_is_decompressed_by_the_kernel() {
	trap 'rmmod kinds' EXIT
	run python3 -c 'import ctypes, os, sys
FINIT_MODULE = 273 if os.uname().machine == "aarch64" else 313
COMPRESSED_FILE = 4
file = open(sys.argv[1])
sys.exit(ctypes.CDLL(None).syscall(FINIT_MODULE, file.fileno(), b"", COMPRESSED_FILE))
' "$INSTALLED"
	want_status 0
	[[ $(taint) == O ]] || fail "taint $(taint)"
	described
}

test_compressed_file_is_traced() {
	kinds "$INSTALLED"
}

test_signed_module_without_signature_is_described() {
	! signed "$MODULES/kinds.ko" || fail "it has one"
	load_file "$MODULES/kinds.ko"
	[[ $(taint) == OE ]] || fail "taint $(taint)"
	described
}

test_signed_module_with_damaged_signature_is_refused() {
	decompress
	damage $(($(stat -c %s "$scratch/kinds.ko") - INFO_SIZE - 100))
	refused "$scratch/kinds.ko" "Key was rejected by service"
}

test_signed_module_with_damaged_btf_is_refused() {
	local offset

	decompress
	offset=$(readelf -SW "$scratch/kinds.ko" |
		sed -n 's/.*\] \.BTF  *PROGBITS  *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	damage $((16#$offset + 100))
	refused "$scratch/kinds.ko" "Key was rejected by service"
}

# The other tests need a kernel that signs modules and decompresses them.
configured MODULE_SIG_ALL && configured MODULE_DECOMPRESS || TESTS=${TESTS:-^test_installed}
run_tests
