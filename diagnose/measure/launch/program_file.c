#include "launch/program_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <libelf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "launch/program_path.h"

static void read_build_id(int fd, struct sd_program_file *out)
{
	const unsigned char *id = NULL;
	ssize_t n = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		n = dwelf_elf_gnu_build_id(elf, (const void **)&id);
	if (2 * n >= (ssize_t)sizeof out->build_id)
		n = 0;
	for (ssize_t i = 0; i < n; i++)
		snprintf(out->build_id + 2 * i, 3, "%02x", id[i]);
	elf_end(elf);
}

void sd_program_file_read(const char *path, struct sd_program_file *out)
{
	struct stat st;
	int fd;

	*out = (struct sd_program_file){.bytes = SD_NOT(ABSENT), .mtime = SD_NOT(ABSENT)};
	if (stat(path, &st) != 0 ||
		!S_ISREG(st.st_mode)) /* one that may not be read has them too */
		return;
	out->bytes = SD_OK((double)st.st_size);
	out->mtime = SD_OK((double)st.st_mtim.tv_sec + 1e-9 * (double)st.st_mtim.tv_nsec);
	fd = sd_regular_file_open(path, 0, NULL);
	if (fd < 0)
		return;
	read_build_id(fd, out);
	close(fd);
}

/* To the second, of this place. */
static void describe_time(double t, char *out, size_t size)
{
	const time_t seconds = (time_t)t;
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || strftime(out, size, "%F %T", &tm) == 0)
		snprintf(out, size, "%.0f", t);
}

int sd_program_file_differs(const struct sd_program_file *then, const struct sd_program_file *now,
	char *how, size_t size)
{
	if (!sd_has(then->bytes) || !sd_has(now->bytes) || !sd_has(then->mtime) ||
		!sd_has(now->mtime))
		return -1;
	if (fabs(then->bytes.value - now->bytes.value) >= 1) {
		snprintf(how, size, "%.0f bytes then, %.0f now", then->bytes.value,
			now->bytes.value);
		return 1;
	}
	if (strcmp(then->build_id, now->build_id) != 0) {
		snprintf(how, size, "build-id %.16s then, %.16s now",
			then->build_id[0] ? then->build_id : "none",
			now->build_id[0] ? now->build_id : "none");
		return 1;
	}
	/* a double keeps a quarter of a microsecond of today's times */
	if (fabs(then->mtime.value - now->mtime.value) > 1e-6) {
		char a[32], b[32];

		describe_time(then->mtime.value, a, sizeof a);
		describe_time(now->mtime.value, b, sizeof b);
		snprintf(how, size, "written %s then, %s now", a, b);
		return 1;
	}
	return 0;
}

/* Keeps `file` as the name of the link in its folder, if that is another; `link` is changed. */
static int call(struct sd_stacks *s, const char *file, char *link)
{
	char *const name = strrchr(link, '/'), *folder = NULL, *called = NULL;
	int rc = 0;

	/* a folder of another name is none that anybody misses */
	if (!name || strcmp(strrchr(file, '/'), name) == 0)
		return 0;
	*name = '\0';
	folder = realpath(*link ? link : "/", NULL);
	if (folder && asprintf(&called, "%s/%s", folder[1] ? folder : "", name + 1) < 0)
		called = NULL;
	if (folder)
		rc = called ? sd_stacks_call(s, file, called) : -ENOMEM;
	free(folder);
	free(called);
	return rc;
}

int sd_program_file_call(const struct sd_program *p, struct sd_stacks *s)
{
	char *link = NULL, *file = NULL;
	int rc = 0;

	if (p->argv.n && sd_program_path_find(p->argv.text[0], p->cwd, environ, &link, NULL) == 0)
		file = realpath(link, NULL);
	if (file)
		rc = call(s, file, link);
	free(file);
	free(link);
	return rc;
}
