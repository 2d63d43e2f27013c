# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by the script that runs CMD in the guest: "init", or "unit" on an installed system. It
# sets cmd, and defines leftovers, which prints the ids of processes that CMD may have left.

# port NAME - Print the device of the virtio-serial port of this name.
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

# kill_leftovers KEEP - End the processes that CMD left running, except KEEP. They hold its output
# open, so it would never be complete.
kill_leftovers() {
	local keep=$1 pid

	for pid in $(leftovers); do
		[[ $pid -eq $$ || $pid -eq $keep ]] || kill -KILL "$pid" 2>/dev/null
	done
}

# run_cmd PORT - Run CMD with its output on the port, and return its status. A pipe lies between
# them, as a port can be open only once, and CMD may open /dev/stdout by name.
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
