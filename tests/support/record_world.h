/*
 * For tests of record files: a folder of the test's own, the last message that was said, and whole
 * files in and out.
 */
#ifndef SD_RECORD_WORLD_H
#define SD_RECORD_WORLD_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sink.h"

struct world {
	char folder[64], path[128];
	char said[1024];
	int messages;
};

static inline void listen(void *ctx, enum sd_level level, const char *text)
{
	struct world *w = ctx;

	(void)level;
	snprintf(w->said, sizeof w->said, "%s", text);
	w->messages++;
}

static inline int setup(void **state)
{
	struct world *w = make_zeroed(1, sizeof *w);

	strcpy(w->folder, "/tmp/sd_record_XXXXXX");
	if (!mkdtemp(w->folder))
		return -1;
	snprintf(w->path, sizeof w->path, "%s/r.json", w->folder);
	*state = w;
	return 0;
}

static inline int teardown(void **state)
{
	struct world *w = *state;
	DIR *d = opendir(w->folder);

	for (struct dirent *e; d && (e = readdir(d)) != NULL;)
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(w->folder);
	free(w);
	return 0;
}

static inline struct sd_sink sink_of(struct world *w)
{
	return (struct sd_sink){.emit = listen, .ctx = w};
}

static inline size_t files_in(const char *folder)
{
	DIR *d = opendir(folder);
	size_t n = 0;

	for (struct dirent *e; d && (e = readdir(d)) != NULL;)
		n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
	if (d)
		closedir(d);
	return n;
}

static inline char *slurp(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	char *text;
	long n;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	text = make_zeroed((size_t)n + 1, 1);
	*size = fread(text, 1, (size_t)n, f);
	fclose(f);
	return text;
}

static inline void spill(const char *path, const char *text, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

#endif
