#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "fentry-files". FENTRY_FILES_ROOT stands for the system whose kernel runs.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

script=$repo/tools/fentry/fentry-files
running=$(uname -r)

# Make what btfaddr needs to run, and nothing that apt or debuginfod has.
small_system() {
	small_kernel
	export BTFADDR=$r/build/bin/btfaddr TMPDIR=$scratch/tmp XDG_CACHE_HOME=$scratch/cache
	export FENTRY_FILES_ROOT=$scratch/root
	unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH DEBUGINFOD_PROGRESS
	sys=$FENTRY_FILES_ROOT/sys
	mkdir -p "$TMPDIR" "$sys/kernel/btf" "$sys/module"
	stub apt-cache 'exit 1'
}

# Compile the code of vmlinux and a module, and write what the kernel says of their build ids.
# btfaddr's stub puts the id into its file, as btfaddr does.
running_kernel() {
	small_system
	obj=$scratch/obj
	export CALLS=$scratch/calls
	mkdir -p "$obj" "$sys/module/mod_one/notes"
	echo 'const char text[] = "good Linux version '"$running"' x"; int f(int a) { return a + 1; }' >"$obj/x.c"
	gcc -g -shared -nostdlib -Wl,--build-id=sha1 -o "$obj/vmlinux" "$obj/x.c"
	gcc -g -shared -nostdlib -Wl,--build-id=sha1 -o "$obj/mod-one.ko" -xc - <<<'
		int f(int a) { return a + 2; } const char good[] = "good";'
	objcopy -O binary --only-section=.note.gnu.build-id "$obj/vmlinux" "$sys/kernel/notes"
	objcopy -O binary --only-section=.note.gnu.build-id "$obj/mod-one.ko" \
		"$sys/module/mod_one/notes/.note.gnu.build-id"
	cat >"$BTFADDR" <<-'END'
		#!/bin/bash
		echo "$*" >>"$CALLS"
		if [[ -d $2 ]]; then
			for file in "${@:5}"; do
				name=${file##*/} name=${name%%.ko*}
				CALLS=/dev/null "$0" "$1" "$2/${name//-/_}.functions" "${@:3:2}" "$file"
			done
			exit 1
		fi
		input=${!#}
		fault() { echo "btfaddr: $input: $1" >&2; exit 1; }
		readelf -SW "$input" | grep -q ' .text .*NOBITS' && fault "no code in .text"
		[[ -z $NO_BTF || $3 != --btf_base || " $* " == *" --btf "* ]] || fault "no .BTF section: run pahole"
		readelf -SW "$input" | grep -q ' .debug_info ' || fault "no DWARF (no units)"
		objcopy -O binary --only-section=.note.gnu.build-id "$input" "$2.id"
		{ echo "$*"; printf '\x14\0\0\0'; tail -c +17 "$2.id"; } >"$2"
		rm "$2.id"
	END
	chmod +x "$BTFADDR"
}

# id_of FILE - Print a build id.
id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

# Serve the folder $served by a debuginfod of this test, and set DEBUGINFOD_URLS.
serve() {
	local port

	served=$scratch/served
	mkdir -p "$served"
	cp "$@" "$served/"
	for port in $(shuf -i 20000-30000 -n 20); do
		debuginfod -F "$served" -d "$scratch/db" -p "$port" --disable-source-scan -v >"$scratch/log" 2>&1 &
		server=$!
		trap 'kill "$server"; wait "$server" 2>/dev/null' EXIT
		for _ in {1..600}; do
			kill -0 "$server" 2>/dev/null || break
			! grep -q 'groomed database' "$scratch/log" || break 2
			sleep 0.1
		done
		grep -q 'bind' "$scratch/log" || fail "debuginfod: $(<"$scratch/log")"
	done
	export DEBUGINFOD_URLS=http://127.0.0.1:$port
}

test_fentry_files_by_debuginfod() {
	local to

	running_kernel
	to=$XDG_CACHE_HOME/fentry/$running
	serve "$obj/vmlinux" "$obj/mod-one.ko"
	expect 0 "vmlinux and 1 of 1 modules of Linux $running" "$script"
	want_text "asks $DEBUGINFOD_URLS for vmlinux of Linux $running, build id $(id_of "$obj/vmlinux")"
	want_text "asks for 1 modules: mod_one"
	grep -q -- "--btf_base .*/$(id_of "$obj/vmlinux")/debuginfo .*/$(id_of "$obj/mod-one.ko")/debuginfo" \
		"$to/mod_one.functions" || fail "$(strings "$to/mod_one.functions")"
	expect 0 "$to has the files of vmlinux and all loaded modules" "$script"
	# only what is missing is asked for; vmlinux isn't needed for that
	rm "$to/mod_one.functions"
	expect 0 "vmlinux and 1 of 1 modules" "$script"
	want_text "1 files stay as they were"
	want_no_text "for vmlinux"
	grep -q -- "--btf_base $sys/kernel/btf/vmlinux" "$to/mod_one.functions" || fail "another base"
	# a newer btfaddr writes all anew
	touch "$BTFADDR"
	expect 0 "asks $DEBUGINFOD_URLS for vmlinux" "$script"
}

test_fentry_files_of_what_no_server_has() {
	local id

	running_kernel
	id=$(id_of "$obj/vmlinux")
	serve "$obj/mod-one.ko"
	expect 1 "no vmlinux of Linux $running, build id $id, on $DEBUGINFOD_URLS: " "$script" --to "$scratch/to"
	want_text "No such file or directory; apt has no linux-image-$running-dbg"
	[[ ! -e $scratch/to && ! -e $scratch/to.new && -z $(ls "$TMPDIR") ]] || fail "left: $(ls "$scratch")"
	DEBUGINFOD_URLS=http://127.0.0.1:9 expect 1 "on http://127.0.0.1:9: " "$script" --to "$scratch/to"
}

# As in packages of .rpm: vmlinux is whole, and a module's debug info has no code. The installed
# module has it, compressed.
test_fentry_files_from_disk() {
	local debug modules to

	running_kernel
	debug=$FENTRY_FILES_ROOT/usr/lib/debug/lib/modules/$running
	modules=$FENTRY_FILES_ROOT/lib/modules/$running to=$FENTRY_FILES_ROOT/lib/modules/$running/btf
	mkdir -p "$debug/kernel" "$modules/kernel"
	cp "$obj/vmlinux" "$debug/"
	eu-strip -f "$debug/kernel/mod-one.ko.debug" -o "$scratch/mod-one.ko" "$obj/mod-one.ko"
	zstd -q "$scratch/mod-one.ko" -o "$modules/kernel/mod-one.ko.zst"
	stub modinfo "[[ \$* == '-k $running -n mod_one' ]] && echo $modules/kernel/mod-one.ko.zst"
	expect 0 "vmlinux and 1 of 1 modules of Linux $running, " "$script"
	want_text "reads $debug/vmlinux, which is on this disk"
	grep -q 'mod_one.joined' "$to/mod_one.functions" || fail "$(strings "$to/mod_one.functions")"
	# other modules' files stay if vmlinux is the same, and go if it isn't
	rm "$debug/kernel/mod-one.ko.debug"
	expect 0 "1 files stay as they were" "$script"
	[[ -e $to/mod_one.functions ]] || fail "$(ls "$to")"
	echo >>"$to/vmlinux.functions"
	expect 0 "1 files of modules go, which were made with another vmlinux" "$script"
	# what can't be read is named
	echo x >"$debug/kernel/mod-two.ko.zst"
	cp "$obj/mod-one.ko" "$debug/kernel/"
	expect 0 "vmlinux and 1 of 2 modules" "$script"
	want_text "left out $debug/kernel/mod-two.ko.zst: zstd can't read it"
	mkdir "$scratch/few"
	ln -s /usr/bin/* /usr/sbin/* "$scratch/few/" 2>/dev/null || :
	rm "$scratch/few/zstd"
	PATH=$scratch/bin:$scratch/few expect 0 "mod-two.ko.zst: is compressed, and there is no zstd: install it" "$script"
	objcopy --strip-debug "$obj/vmlinux" "$debug/vmlinux"
	expect 1 "vmlinux: no DWARF" "$script"
	[[ -e $to/mod_one.functions && -e $to/vmlinux.functions ]] || fail "older files went: $(ls "$to")"
}

test_fentry_files_of_modules_without_btf() {
	running_kernel
	export NO_BTF=1
	mkdir "$scratch/modules"
	cp "$obj/mod-one.ko" "$scratch/modules/"
	touch "$scratch/modules/."{mod-one.ko,kobject.o}.cmd
	strip -g "$obj/mod-one.ko" -o "$scratch/modules/bare.ko"
	expect 0 "vmlinux and 1 of 2 modules" "$script" --to "$scratch/to" --vmlinux "$obj/vmlinux" \
		--modules "$scratch/modules"
	grep -q -- '--btf [^ ]*/mod_one.btf' "$scratch/to/mod_one.functions" || fail "no --btf"
	want_text "bare.ko: has neither BTF nor DWARF: build it with -g, and without strip"
}

# One call reads the base for all modules. Only what it leaves out is tried again.
test_fentry_files_of_many_modules() {
	local copy

	running_kernel
	mkdir "$scratch/modules"
	for copy in one two; do cp "$obj/mod-one.ko" "$scratch/modules/mod-$copy.ko"; done
	strip -g "$obj/mod-one.ko" -o "$scratch/modules/bare.ko"
	expect 0 "vmlinux and 2 of 3 modules" "$script" --to "$scratch/to" --vmlinux "$obj/vmlinux" \
		--modules "$scratch/modules"
	want_text "left out $scratch/modules/bare.ko: "
	[[ $(grep -c . "$CALLS") == 3 && $(tail -n 1 "$CALLS") == *"/bare.functions --btf_base "*/bare.ko ]] ||
		fail "$(<"$CALLS")"
}

test_fentry_files_beside_another_run() {
	small_system
	mkdir -p "$scratch/one.new"
	exec 8<"$scratch/one.new"
	flock 8
	expect 1 "another fentry-files writes into $scratch/one; wait" "$script" --to "$scratch/one" --vmlinux "$kernel/vmlinux"
	[[ -e $scratch/one.new ]] || fail "it removed the folder of the other"
	expect 0 "vmlinux and 0 of 0 modules" "$script" --to "$scratch/two" --vmlinux "$kernel/vmlinux"
	expect 1 "cannot write /proc/none.new: run it as another user, or with --to FOLDER" \
		"$script" --to /proc/none --vmlinux "$kernel/vmlinux"
}

# fentry's package removes the files with the kernel, but not those of another package.
test_kernel_hook() {
	local hook=$repo/tools/deb/debian/kernel-postrm modules=$scratch/root/lib/modules

	export FENTRY_FILES_ROOT=$scratch/root
	mkdir -p "$modules"/{6.1,6.2}/btf
	touch "$modules"/{6.1,6.2}/btf/{vmlinux,tun}.functions "$modules/6.1/btf/mine"
	DEB_MAINT_PARAMS="'upgrade' '6.1.0'" expect 0 '' "$hook" 6.2 /boot/vmlinuz-6.2
	[[ -e $modules/6.2/btf/tun.functions ]] || fail "an upgrade removed it"
	stub dpkg-query 'exit 0'
	DEB_MAINT_PARAMS="'remove'" expect 0 '' "$hook" 6.2 /boot/vmlinuz-6.2
	[[ -e $modules/6.2/btf/tun.functions ]] || fail "it removed another package's"
	stub dpkg-query 'exit 1'
	DEB_MAINT_PARAMS="'remove'" expect 0 '' "$hook" 6.2 /boot/vmlinuz-6.2
	DEB_MAINT_PARAMS="'remove'" expect 0 '' "$hook" 6.1 /boot/vmlinuz-6.1
	[[ $(cd "$modules" && find . -mindepth 1 | sort | xargs) == "./6.1 ./6.1/btf ./6.1/btf/mine" ]] ||
		fail "$(find "$modules")"
}

test_fentry_files_of_a_metapackage() {
	debug_package
	export BTFADDR=$r/build/bin/btfaddr
	sed -i "s/^Package: .*/Package: linux-image-6.12-dbg\nDepends: linux-base, $debug_name (= 1)/" "$scratch/tree/DEBIAN/control"
	dpkg-deb --build "$scratch/tree" "$scratch/meta.deb" >/dev/null
	expect 1 "meta.deb has no files of its own: take $debug_name" "$script" "$scratch/meta.deb"
	stub apt-cache "echo 'Depends: $debug_name (= 1)'"
	expect 1 "linux-image-6.12-dbg has no files of its own: take $debug_name" "$script" --to "$scratch/to" 6.12
	expect 2 "'cloud-amd64' is no release of a kernel, which is what 'uname -r' prints" "$script" cloud-amd64
	expect 1 "cannot read $scratch/none.deb" "$script" "$scratch/none.deb"
}

# A folder of other files would be replaced as a whole.
test_fentry_files_refuses_what_it_cannot_do() {
	debug_package
	export BTFADDR=$r/build/bin/btfaddr TMPDIR=$scratch/tmp
	mkdir "$TMPDIR" "$scratch/mine"
	echo x >"$scratch/mine/file"
	expect 1 "$scratch/mine has files that aren't *.functions" \
		"$script" --to "$scratch/mine" "$archive"/*.deb
	expect 1 "apt has no linux-image-5.0.0-dbg: " "$script" --to "$scratch/to" 5.0.0
	stub dpkg-query '[[ $4 == linux-image-5.0.0 ]] && echo 5.0.7-1'
	expect 1 "apt has no linux-image-5.0.0-dbg of version 5.0.7-1: " "$script" --to "$scratch/to" 5.0.0
	cp "$kernel/vmlinux" "$scratch/cut.deb"
	expect 1 "cut off" "$script" --to "$scratch/to" "$scratch/cut.deb"
	expect 1 "no kernel" "$script" --to "$scratch/to" --vmlinux "$kernel/fs/ext4.ko"
	expect 2 "--vmlinux names the kernel" "$script" --vmlinux "$kernel/vmlinux" 5.0.0
	expect 2 "--modules needs --vmlinux" "$script" --modules "$kernel"
	sed -i 's/^Installed-Size.*/Installed-Size: 999999999/' "$scratch/tree/DEBIAN/control"
	dpkg-deb --build "$scratch/tree" "$scratch/large.deb" >/dev/null
	expect 1 "no disk space for $scratch/large.deb" "$script" --to "$scratch/to" "$scratch/large.deb"
	sed -i 's/^Installed-Size.*/Installed-Size: x[$(touch $TMPDIR-ran)0]/' "$scratch/tree/DEBIAN/control"
	dpkg-deb --build --nocheck "$scratch/tree" "$scratch/evil.deb" >/dev/null
	expect 1 "is no size" "$script" --to "$scratch/to" "$scratch/evil.deb"
	[[ ! -e $TMPDIR-ran ]] || fail "a package's field was run"
	expect 1 "$scratch/mine/file is no folder" "$script" --to "$scratch/mine/file" "$archive"/*.deb
	[[ ! -e $scratch/to && ! -e $scratch/to.new && -e $scratch/mine/file && -z $(ls "$TMPDIR") ]] ||
		fail "left: $(ls "$scratch" "$TMPDIR")"
	TMPDIR=$scratch/none expect 1 "cannot write into $scratch/none; TMPDIR=" "$script" "$archive"/*.deb
	# the disk is full: the older files, which are complete, stay
	"$script" --to "$scratch/to" "$archive"/*.deb
	sed -i '2a[[ ${!#} != *.ko ]] || { echo "btfaddr: $2: cannot write: No space" >\&2; exit 1; }' "$BTFADDR"
	expect 1 "ext4.functions: cannot write: No space" "$script" --to "$scratch/to" "$archive"/*.deb
	want_no_text " of 1 modules"
	[[ $(cd "$scratch/to" && echo *) == "ext4.functions vmlinux.functions" && ! -e $scratch/to.new ]] ||
		fail "left: $(ls "$scratch"/to*)"
}

run_tests
