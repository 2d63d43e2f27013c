# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by tests that build a module against linux-headers.

# write_twins FOLDER - Write the source of a module for kbuild and DKMS, with two files that each
# have a function of the same name. To call one, write to the module parameter with its file's name.
write_twins() {
	local file

	mkdir -p -- "$1"
	for file in one two; do
		cat >"$1/$file.c" <<-END
			#include <linux/module.h>
			#include <linux/string.h>

			static noinline int twin(int $file)
			{
				barrier();
				return $file;
			}

			static int call_$file(const char *val, const struct kernel_param *kp)
			{
				int n = twin(strlen(val));

				return n < 0 ? n : 0;
			}

			static const struct kernel_param_ops ops = { .set = call_$file };
			module_param_cb($file, &ops, NULL, 0200);
		END
	done
	cat >>"$1/one.c" <<-END
		MODULE_LICENSE("GPL");
		MODULE_DESCRIPTION("Two functions of one name");
	END
	printf 'obj-m := twins.o\ntwins-y := one.o two.o\n' >"$1/Kbuild"
	cat >"$1/dkms.conf" <<-END
		PACKAGE_NAME="twins"
		PACKAGE_VERSION="1"
		BUILT_MODULE_NAME[0]="twins"
		DEST_MODULE_LOCATION[0]="/updates"
		AUTOINSTALL="yes"
	END
}
