#include "symbols/mapped_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/one_more.h"
#include "symbols/elf_file.h"
#include "target/target_trees.h"
#include "proc/proc_parse.h"
#include "proc/textfile.h"

enum { HELD_MAX = 512 };

void sd_mapped_files_open(struct sd_mapped_files *h)
{
	struct rlimit r;

	*h = (struct sd_mapped_files){.limit = HELD_MAX, .trees = h->trees};
	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur / 4 < HELD_MAX)
		h->limit = r.rlim_cur / 4;
}

void sd_mapped_files_close(struct sd_mapped_files *h)
{
	for (size_t i = 0; i < h->n; i++) {
		close(h->file[i].fd);
		free(h->file[i].path);
	}
	for (size_t i = 0; i < h->jit.size; i++)
		if (h->jit.slot[i].a && h->jit.slot[i].value)
			close((int)h->jit.slot[i].value - 1);
	free(h->file);
	sd_key_table_free(&h->seen);
	sd_key_table_free(&h->jit);
	*h = (struct sd_mapped_files){.trees = h->trees};
}

int sd_mapped_files_changed(struct sd_mapped_files *h, int pid)
{
	char path[64], text[128];
	uint64_t *slot, now;
	struct stat exe;

	snprintf(path, sizeof path, "/proc/%d/statm", pid);
	if (sd_textfile_read(NULL, path, text, sizeof text) != 0)
		return 0;
	now = strtoull(text, NULL, 10) + 1;
	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	if (stat(path, &exe) == 0)
		now ^= (uint64_t)exe.st_ino << 32 ^ (uint64_t)exe.st_dev << 20;
	slot = sd_key_table_add(&h->seen, (uint64_t)(unsigned)pid + 1, 0);
	if (!slot || *slot == now)
		return 0;
	*slot = now;
	return 1;
}

/* The file of a mapping by one of its names, if it is that file still; else it is closed. */
static int is_same(int fd, uint64_t inode)
{
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && st.st_ino == inode)
		return fd;
	close(fd);
	return -ENOENT;
}

/* By the mapping itself where the kernel lets us, else by its path there, else as the program. Only
 * the path is the program's to choose. */
static int open_mapped(int pid, const struct sd_target_view *view, const struct sd_event *map)
{
	char path[128];
	int fd;

	snprintf(path, sizeof path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, map->address,
		map->address + map->size);
	fd = is_same(sd_elf_file_descriptor(path), map->inode);
	if (fd < 0 && view)
		fd = is_same(sd_target_view_open(view, map->name, 0, NULL, NULL), map->inode);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	return is_same(sd_elf_file_descriptor(path), map->inode);
}

static void hold(struct sd_mapped_files *h, int pid, int number, const struct sd_event *map)
{
	struct sd_heldfile one = {
		.inode = map->inode, .major = map->major, .minor = map->minor, .view = number};

	for (size_t i = 0; i < h->n; i++)
		if (h->file[i].inode == one.inode && h->file[i].major == one.major &&
			h->file[i].minor == one.minor && strcmp(h->file[i].path, map->name) == 0)
			return;
	if (h->n == h->limit)
		return;
	one.fd = open_mapped(pid, number < 0 ? NULL : &h->trees->view[number], map);
	one.path = one.fd < 0 ? NULL : strdup(map->name);
	if (one.path && SD_APPEND(h->file, h->n, &one) == 0)
		return;
	free(one.path);
	if (one.fd >= 0)
		close(one.fd);
}

/* The number that the process has in its own namespace, which names its JIT map. */
static int inner_pid(int pid)
{
	char path[64], text[4096];
	const char *at, *last;

	snprintf(path, sizeof path, "/proc/%d/status", pid);
	if (sd_textfile_read(NULL, path, text, sizeof text) != 0)
		return pid;
	at = strstr(text, "\nNSpid:");
	if (!at)
		return pid;
	at += strlen("\nNSpid:");
	for (last = at; *at && *at != '\n'; at++)
		if (*at == '\t' || *at == ' ')
			last = at + 1;
	return atoi(last);
}

/* Anybody may write to /tmp: a map counts when its process's user or root wrote it. */
static void hold_jit(struct sd_mapped_files *h, int pid, const struct sd_target_view *view)
{
	uint64_t *const slot = sd_key_table_add(&h->jit, (uint64_t)(unsigned)pid + 1, 0);
	struct stat file;
	char path[64];
	int fd;

	if (!slot || *slot || h->jit.n > h->limit)
		return;
	snprintf(path, sizeof path, "/tmp/perf-%d.map", inner_pid(pid));
	fd = sd_target_view_open(view, path, O_NOFOLLOW, NULL, &file);
	if (fd < 0)
		return;
	if (file.st_uid == view->user || file.st_uid == 0)
		*slot = (uint64_t)fd + 1;
	else
		close(fd);
}

/* The number of the process's view among the trees; -1: it has ended, or is not ours to look at. */
static int find_view(struct sd_mapped_files *h, int pid)
{
	struct sd_target_view view;
	size_t at;

	return h->trees && sd_target_view_of(&view, pid) == 0 &&
			       sd_target_trees_take(h->trees, &view, &at) == 0
		       ? (int)at
		       : -1;
}

int sd_mapped_files_read(struct sd_mapped_files *h, int pid,
	int (*each)(void *ctx, const struct sd_event *map), void *ctx)
{
	const int number = find_view(h, pid);
	char path[64], *line = NULL;
	size_t size = 0;
	FILE *f;
	int rc = 0;

	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (rc == 0 && getline(&line, &size, f) > 0) {
		struct sd_proc_map at;
		struct sd_event map;

		if (sd_proc_parse_map(line, &at) || at.perms[2] != 'x')
			continue;
		map = (struct sd_event){.kind = SD_EVENT_MAP,
			.pid = pid,
			.tid = pid,
			.address = at.start,
			.size = at.end - at.start,
			.offset = at.offset,
			.major = at.major,
			.minor = at.minor,
			.inode = at.inode,
			.name = at.name};
		if (map.inode && *map.name == '/')
			hold(h, pid, number, &map);
		else if (*map.name != '[' && number >= 0)
			hold_jit(h, pid, &h->trees->view[number]);
		rc = each(ctx, &map);
	}
	free(line);
	fclose(f);
	return rc;
}

int sd_mapped_files_jit(const struct sd_mapped_files *h, int pid)
{
	const uint64_t *const slot = sd_key_table_find(&h->jit, (uint64_t)(unsigned)pid + 1, 0);
	int fd;

	if (!slot || !*slot)
		return -ENOENT;
	fd = fcntl((int)*slot - 1, F_DUPFD_CLOEXEC, 3);
	/* a JIT appends: the same open file is read from its beginning */
	if (fd < 0 || lseek(fd, 0, SEEK_SET) != 0) {
		if (fd >= 0)
			close(fd);
		return -ENOENT;
	}
	return fd;
}
