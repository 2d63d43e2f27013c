# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by tests on the host that boot the kernel themselves, with their own arguments. TAP.
repo=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
readonly repo
# shellcheck source-path=SCRIPTDIR source=../../tools/harness/taplib.sh
. "$repo/tools/harness/taplib.sh"

set -e
[[ $# -le 1 ]] || { echo "usage: ${0##*/} [FLAVOUR]" >&2; exit 2; }
readonly BUILD=${BUILD:-$repo/build}
FLAVOUR=${1:-gcc}
readonly TIMEOUT=300		# seconds a boot may take, tests included
image=arch/x86/boot/bzImage
[[ ${ARCH:-} != arm64 ]] || image=arch/arm64/boot/Image

# in_vm(command, option...) - Run it in a fresh VM; options are those of tools/vm/run.
in_vm() {
	local command=$1

	shift
	"$repo/tools/vm/run" --timeout "$TIMEOUT" --build "$BUILD" \
		--kernel "$BUILD/$FLAVOUR/$image" "$@" -- "$command" 2>&1
}
