#include "target/target_trees.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/one_more.h"

#define MOST 64u /* trees and identities of one session */

int sd_target_trees_take(struct sd_target_trees *t, struct sd_target_view *v, size_t *at)
{
	size_t i = 0;

	if (t->folder && sd_target_view_is_ours(v)) {
		free(v->folder);
		v->folder = strdup(t->folder);
	}
	while (i < t->n && !sd_target_view_same(&t->view[i], v))
		i++;
	t->beyond |= i == MOST;
	*at = i;
	if (i == t->n && i < MOST && !SD_APPEND(t->view, t->n, v))
		return 0;
	sd_target_view_close(v);
	return i < t->n ? 0 : i < MOST ? -ENOMEM : -ENOSPC;
}

int sd_target_trees_add_ours(struct sd_target_trees *t, const char *folder)
{
	struct sd_target_view v;
	size_t at;

	t->folder = folder;
	sd_target_view_ours(&v);
	return sd_target_trees_take(t, &v, &at);
}

int sd_target_trees_add(struct sd_target_trees *t, pid_t pid)
{
	struct sd_target_view v;
	const int rc = sd_target_view_of(&v, pid);
	size_t at;

	return rc ? rc : sd_target_trees_take(t, &v, &at);
}

/* As one of them sees it. 1: it does not have the module. */
static int open_in(const struct sd_target_view *v, const char *module, const char *path,
	struct stat *author, struct stat *st)
{
	if (!module || *module != '/')
		return sd_target_view_open(v, path, 0, NULL, st);
	if (sd_target_view_stat(v, module, author) == 0)
		return sd_target_view_open(v, path, 0, author, st);
	author->st_ino = 0;
	if (!sd_target_view_is_ours(v))
		return 1;
	return v->user == 0 ? -ENOENT : sd_target_view_open(v, path, 0, NULL, st);
}

int sd_target_trees_open(const struct sd_target_trees *t, const char *module, const char *path,
	struct stat *module_st, struct stat *st)
{
	int fd = -ENOENT;

	*module_st = (struct stat){0};
	for (size_t i = 0; i < t->n && !t->beyond; i++) {
		struct stat author = {0}, found;
		const int one = open_in(&t->view[i], module, path, &author, &found);

		if (one == 1)
			continue;
		if (one < 0 ||
			(fd >= 0 && (found.st_dev != st->st_dev || found.st_ino != st->st_ino))) {
			if (one >= 0)
				close(one);
			if (fd >= 0)
				close(fd);
			return one < 0 ? one : -ENOENT;
		}
		if (fd >= 0)
			close(fd);
		fd = one;
		*st = found;
		*module_st = author;
	}
	return fd;
}

void sd_target_trees_free(struct sd_target_trees *t)
{
	for (size_t i = 0; i < t->n; i++)
		sd_target_view_close(&t->view[i]);
	free(t->view);
	*t = (struct sd_target_trees){0};
}
