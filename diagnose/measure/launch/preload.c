#include "launch/preload.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "launch/binary_facts.h"

const char *sd_preload_refused(const char *program)
{
	struct sd_binary_facts b;

	if (sd_binary_facts_look(program, &b) || !b.elf)
		return "the program's file cannot be read";
	if (!b.native)
		return "the program is for another machine than this one";
	if (!b.dynamic)
		return "the program is static";
	return b.glibc ? NULL : "the program's C library is not glibc";
}

char *sd_preload_word(const char *library, char *const *envp)
{
	const char *before = "";
	char *word = NULL;

	for (size_t i = 0; envp && envp[i]; i++)
		if (strncmp(envp[i], "LD_PRELOAD=", 11) == 0)
			before = envp[i] + 11;
	return asprintf(&word, "LD_PRELOAD=%s%s%s", library, *before ? ":" : "", before) < 0 ? NULL
											     : word;
}

char *sd_preload_name(const char *path, int *fd)
{
	char *name = NULL;

	*fd = -1;
	if (!strpbrk(path, " :$,"))
		return strdup(path);
	*fd = open(path, O_PATH | O_CLOEXEC);
	if (*fd >= 0 && asprintf(&name, "/proc/%d/fd/%d", (int)getpid(), *fd) >= 0)
		return name;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return NULL;
}
