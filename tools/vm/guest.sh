# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by what runs CMD in the guest: "init", or "unit" on an installed system. They set cmd,
# and define leftovers, which prints the ids of processes that may be what CMD left running.

# Prints the device of the virtio-serial port of the given name.
port() {
	local dir

	for dir in /sys/class/virtio-ports/*; do
		if [[ -e $dir/name && $(<"$dir/name") == "$1" ]]; then
			echo "/dev/${dir##*/}"
			return
		fi
	done
	return 1
}

# What CMD left running holds its output open; end it, or nothing would ever be complete.
kill_leftovers() {
	local keep=$1 pid

	for pid in $(leftovers); do
		[[ $pid -eq $$ || $pid -eq $keep ]] || kill -KILL "$pid" 2>/dev/null
	done
}

# Runs CMD with its output on the port; the status is CMD's. A pipe lies between, since a
# port opens only once and CMD may well open /dev/stdout by name.
run_cmd() {
	local out=$1 fifo=/run/vm.out cat_pid status

	mkfifo "$fifo"
	cat <"$fifo" >"$out" &
	cat_pid=$!
	# shellcheck disable=SC2154 # tools/vm/init sets it
	setsid sh -c "$cmd" </dev/null >"$fifo" 2>&1 &
	wait $!
	status=$?
	kill_leftovers "$cat_pid"
	wait "$cat_pid"
	return $status
}
