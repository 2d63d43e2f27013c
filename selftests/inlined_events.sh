#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Inlined calls on kernels without kernel/BASE/kprobe-multi, such as those of a distribution: each has
# a perf event and a link of its own. A library that is loaded before others refuses the links that
# this kernel has. TAP.
export LD_PRELOAD=${NO_PROBE_LINKS:?}
exec "$(dirname -- "${BASH_SOURCE[0]}")/fentry_inlined.sh" events
