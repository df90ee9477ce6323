#include "proc/task_ids.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sd_task_ids_insert(struct sd_task_ids *ids, int tid)
{
	size_t at = ids->n;

	/* the kernel lists them in the order in which they were made: nearly always the last */
	while (at > 0 && ids->tid[at - 1] > tid)
		at--;
	if (at > 0 && ids->tid[at - 1] == tid)
		return 0;
	if (ids->n == ids->room) {
		const size_t room = ids->room ? 2 * ids->room : 64;
		int *const grown = reallocarray(ids->tid, room, sizeof *grown);

		if (!grown)
			return -ENOMEM;
		ids->tid = grown;
		ids->room = room;
	}
	memmove(&ids->tid[at + 1], &ids->tid[at], (ids->n++ - at) * sizeof *ids->tid);
	ids->tid[at] = tid;
	return 1;
}

int sd_task_ids_add(struct sd_task_ids *ids, const char *root, int pid)
{
	char path[PATH_MAX];
	int added = 0, rc = 0;
	DIR *dir;

	if (snprintf(path, sizeof path, "%s/proc/%d/task", root, pid) >= (int)sizeof path)
		return -ESRCH;
	dir = opendir(path);
	if (!dir)
		return -ESRCH;
	for (struct dirent *e; rc >= 0 && (e = readdir(dir));) {
		char *end;
		const long tid = strtol(e->d_name, &end, 10);

		if (*end || tid < 1 || tid > INT_MAX)
			continue;
		rc = sd_task_ids_insert(ids, (int)tid);
		added += rc > 0;
	}
	closedir(dir);
	return rc < 0 ? rc : added;
}

void sd_task_ids_free(struct sd_task_ids *ids)
{
	free(ids->tid);
	*ids = (struct sd_task_ids){0};
}
