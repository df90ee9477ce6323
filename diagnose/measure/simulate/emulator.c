#include "simulate/emulator.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "launch/program_path.h"

/* Name that QEMU looks for in a plugin: it is in the file of a QEMU that has plugins. */
#define MARK "qemu_plugin_install"
#define MOST_BYTES ((size_t)1 << 30)

/* A script in its place may start one that has them. */
static int is_without_plugins(const char *path)
{
	const int fd = sd_regular_file_open(path, 0, NULL);
	size_t size = 0;
	unsigned char *const file = fd < 0 ? NULL : sd_regular_file_read(fd, MOST_BYTES, &size);
	const int without = file && size > SELFMAG && memcmp(file, ELFMAG, SELFMAG) == 0 &&
			    !memmem(file, size, MARK, strlen(MARK));

	free(file);
	if (fd >= 0)
		close(fd);
	return without;
}

/* *path is NULL where none is packed with the plugin. */
static int find_packed(const char *name, const char *plugin, char **path)
{
	const char *const slash = strrchr(plugin, '/');

	if (asprintf(path, "%.*s%s", slash ? (int)(slash - plugin + 1) : 0, plugin, name) < 0) {
		*path = NULL;
		return -ENOMEM;
	}
	if (slash && access(*path, X_OK) == 0)
		return 0;
	free(*path);
	*path = NULL;
	return 0;
}

int sd_emulator_find(const char *name, const char *plugin, char *const *envp, char **path,
	const struct sd_sink *sink)
{
	int rc = find_packed(name, plugin, path);

	if (rc || *path)
		return rc;
	rc = sd_program_path_find(name, NULL, envp, path, NULL);
	if (rc && rc != -ENOMEM) {
		sd_say(sink, SD_LEVEL_ERROR,
			"%s, the emulator of the software PMU, is not in the PATH; it is part of "
			"Debian's package qemu-user (apt-get install qemu-user): "
			"qemu-user-static has no plugins",
			name);
		return -ENOEXEC;
	}
	if (rc || !is_without_plugins(*path))
		return rc;
	sd_say(sink, SD_LEVEL_ERROR,
		"%s was built without plugins, as Debian's qemu-user-static and the qemu-user 10 of "
		"its backports are: the software PMU needs QEMU 7.2 or later configured with "
		"--enable-plugins, first in the PATH",
		*path);
	free(*path);
	*path = NULL;
	return -ENOEXEC;
}
