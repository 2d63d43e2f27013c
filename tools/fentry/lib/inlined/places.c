// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Where functions files are. They say which calls the compiler inlined, which no program that is
 * attached to a function sees, and the unit of every function.
 */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "functions_file.h"

#define MODULES_DIR "/lib/modules"

/* The home of the user who runs this by sudo, which changes HOME. */
static const char *sudo_home(void)
{
	const char *uid = secure_getenv("SUDO_UID");
	const struct passwd *user = uid && !geteuid() ? getpwuid(strtoul(uid, NULL, 10)) : NULL;

	return user ? user->pw_dir : NULL;
}

bool fentry_functions__folder(const char *asked, unsigned int place, char *ret, size_t size)
{
	const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = NULL;
	struct utsname uts;

	if (asked) {
		snprintf(ret, size, "%s", asked);
		return !place;
	}
	if (uname(&uts))
		return false;
	if (!place) {
		snprintf(ret, size, MODULES_DIR "/%s/btf", uts.release);
		return true;
	}
	if (place == 1 && cache && *cache) {
		snprintf(ret, size, "%s/fentry/%s", cache, uts.release);
		return !access(ret, X_OK);
	}
	home = place == 1 ? secure_getenv("HOME") : sudo_home();
	if (!home || !*home)
		return false;
	snprintf(ret, size, "%s/.cache/fentry/%s", home, uts.release);
	/* HOME may be another user's, as for "setpriv" */
	return !access(ret, X_OK);
}

/*
 * Is the file that the user gave of this object? A file is of the module whose name it has, else of
 * vmlinux.
 */
static bool is_file_of(const char *path, const char *object, const char *btf_dir)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = strlen(object);
	char btf[4096];

	if (!strncmp(name, object, len) && !strcmp(name + len, FENTRY_FUNCTIONS))
		return true;
	snprintf(btf, sizeof(btf), "%s/%.*s", btf_dir, (int)strcspn(name, "."), name);
	return !strcmp(object, "vmlinux") && access(btf, F_OK);
}

bool fentry_functions__path(const char *asked, unsigned int place, const char *object,
			    const char *btf_dir, char *ret, size_t size)
{
	char folder[4000];
	struct stat st;

	if (!asked && place == FENTRY_PLACES) {
		snprintf(ret, size, "%s/%s.inline", btf_dir, object);
		return true;
	}
	if (!fentry_functions__folder(asked, place, folder, sizeof(folder)))
		return false;
	if (asked && !stat(asked, &st) && !S_ISDIR(st.st_mode)) {
		snprintf(ret, size, "%s", asked);
		return is_file_of(asked, object, btf_dir);
	}
	snprintf(ret, size, "%s/%s" FENTRY_FUNCTIONS, folder, object);
	return true;
}
