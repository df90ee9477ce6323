#include "symbols/jit_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"

enum { TEXT_MAX = 256 << 20 };

struct sd_jit_maps {
	int pid;
	struct sd_symbol_text labels;
	struct sd_jit_maps *next;
};

/* Anybody may write to /tmp: one that the process, we or root wrote. */
static int open_map(const struct sd_mapped_files *held, const char *root, int pid)
{
	char path[PATH_MAX];
	struct stat st;
	int fd = sd_mapped_files_jit(held, pid);

	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof path, "%s/tmp/perf-%d.map", root, pid) >= (int)sizeof path)
		return -ENOENT;
	fd = sd_regular_file_open(path, O_NOFOLLOW, &st);
	if (fd < 0)
		return fd;
	if (st.st_uid == geteuid() || st.st_uid == 0)
		return fd;
	close(fd);
	return -ENOENT;
}

const struct sd_label *sd_jit_maps_at(struct sd_jit_maps **jit, const struct sd_mapped_files *held,
	const char *root, int pid, uint64_t pc)
{
	struct sd_jit_maps *j = *jit;
	char *text;
	int fd;

	while (j && j->pid != pid)
		j = j->next;
	if (!j) {
		j = calloc(1, sizeof *j);
		if (!j)
			return NULL;
		*j = (struct sd_jit_maps){.pid = pid, .next = *jit};
		*jit = j;
		fd = open_map(held, root, pid);
		text = fd < 0 ? NULL : sd_symbol_text_file(fd, TEXT_MAX);
		if (text)
			(void)sd_symbol_text_jit(&j->labels, text);
	}
	return sd_symbol_text_at(&j->labels, pc);
}

void sd_jit_maps_forget(struct sd_jit_maps **jit, int pid)
{
	while (*jit && (*jit)->pid != pid)
		jit = &(*jit)->next;
	if (*jit) {
		struct sd_jit_maps *const j = *jit;

		*jit = j->next;
		sd_symbol_text_free(&j->labels);
		free(j);
	}
}

void sd_jit_maps_free(struct sd_jit_maps **jit)
{
	while (*jit)
		sd_jit_maps_forget(jit, (*jit)->pid);
}
