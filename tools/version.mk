# SPDX-License-Identifier: GPL-2.0-only
# The version of btfaddr, fentry and libfentry, for all that names it.
VERSION := 1.1.0
