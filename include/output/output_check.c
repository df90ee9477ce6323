#include "output/output_check.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "output/output_file.h"

/* Which file a path names: by itself when it is there, else by its folder and its name there. */
struct identity {
	int there, has_folder;
	struct stat file, folder;
	const char *base;
};

static struct identity identify(const char *path)
{
	const char *const slash = strrchr(path, '/');
	const size_t n = slash ? (size_t)(slash - path) + 1 : 0;
	struct identity id = {.base = path + n};
	char folder[4096] = ".";

	if (n >= sizeof folder)
		return id;
	if (n) {
		memcpy(folder, path, n);
		folder[n] = '\0';
	}
	id.there = stat(path, &id.file) == 0;
	id.has_folder = stat(folder, &id.folder) == 0;
	return id;
}

static int same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int same(const struct identity *a, const struct identity *b)
{
	return (a->there && b->there && same_file(&a->file, &b->file)) ||
	       (a->has_folder && b->has_folder && same_file(&a->folder, &b->folder) &&
		       strcmp(a->base, b->base) == 0);
}

static int check_inputs(const char *path, const struct identity *id,
	const struct sd_output_input *input, size_t n, const struct sd_sink *sink)
{
	for (size_t i = 0; i < n; i++) {
		const struct identity other = identify(input[i].path ? input[i].path : "");

		if (!input[i].path || !same(id, &other))
			continue;
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: is %s, and is not overwritten: choose another name", path,
			input[i].what);
		return -EEXIST;
	}
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		struct stat st;

		if (!id->there || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
			!same_file(&st, &id->file))
			continue;
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: is where standard %s of this command goes: choose another name", path,
			fd == STDOUT_FILENO ? "output" : "error");
		return -EEXIST;
	}
	return 0;
}

static int check_others(const struct sd_output_wish *wish, size_t index, const struct identity *id,
	const struct sd_sink *sink)
{
	for (size_t i = 0; i < index; i++) {
		const struct identity other = identify(wish[i].path ? wish[i].path : "");

		if (!wish[i].path || !same(id, &other))
			continue;
		sd_say(sink, SD_LEVEL_ERROR,
			"%s: cannot hold both the %s and the %s: choose another name for one of them",
			wish[index].path, sd_output_kind_info[wish[i].kind].name,
			sd_output_kind_info[wish[index].kind].name);
		return -EEXIST;
	}
	return 0;
}

static int check_one(const struct sd_output_wish *wish, size_t index,
	const struct sd_output_input *input, size_t n_input, const struct sd_sink *sink)
{
	const struct sd_output_wish *const w = &wish[index];
	struct stat st;
	const enum sd_output_there there = sd_output_file_look(w->path, w->kind, &st);
	struct identity id;
	int rc;

	if (there == SD_OUTPUT_STREAM)
		return 0;
	/* in this order: "it is what you read" says more than "it is not ours" */
	id = identify(w->path);
	rc = check_inputs(w->path, &id, input, n_input, sink);
	if (!rc)
		rc = check_others(wish, index, &id, sink);
	if (!rc && w->kind == SD_OUTPUT_PRINTED && there != SD_OUTPUT_UNKNOWN)
		return sd_output_file_refuse(w->path, w->kind, there, sink);
	return rc ? rc : sd_output_file_check(w->path, w->kind, w->room, sink);
}

int sd_output_check(const struct sd_output_wish *wish, size_t n_wish,
	const struct sd_output_input *input, size_t n_input, const struct sd_sink *sink)
{
	int rc = 0;

	for (size_t i = 0; i < n_wish && !rc; i++)
		if (wish[i].path)
			rc = check_one(wish, i, input, n_input, sink);
	return rc;
}
