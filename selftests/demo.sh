#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What "make demo" shows is so on every kernel with addresses.
. "$(dirname -- "${BASH_SOURCE[0]}")/../tools/harness/taplib.sh"

test_demo() {
	"$(dirname -- "${BASH_SOURCE[0]}")/../tools/demo/run"
}

run_tests
