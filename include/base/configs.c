#include "base/configs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out_of_memory.h"

#define PARSER_BYTES (4u << 20)

const char *sd_configs_dir(void)
{
	const char *const dir = getenv("SCALEDIAG_CONFIGS");

	return dir && *dir ? dir : NULL;
}

void sd_config_free(struct sd_config *c)
{
	free(c->name);
	free(c->owned);
	*c = (struct sd_config){0};
}

/* Reads to the end or to SD_CONFIG_MAX; the NUL is already there (calloc). */
static int read_all(int fd, struct sd_config *out)
{
	ssize_t n = 1;

	out->owned = calloc(1, SD_CONFIG_MAX + 2);
	if (!out->owned)
		return -ENOMEM;
	while (n > 0 && out->size <= SD_CONFIG_MAX) {
		n = read(fd, out->owned + out->size, SD_CONFIG_MAX + 1 - out->size);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			return -errno;
		else
			out->size += (size_t)n;
	}
	out->text = out->owned;
	return out->size > SD_CONFIG_MAX ? -EFBIG : 0;
}

static int read_file(struct sd_config *out)
{
	/* not to wait for the writer of a FIFO */
	const int fd = open(out->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int rc;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		rc = -errno;
	else
		rc = S_ISREG(st.st_mode) ? read_all(fd, out) : -EINVAL;
	close(fd);
	return rc;
}

static int from_program(const char *name, struct sd_config *out)
{
	for (const struct sd_config_file *f = sd_config_files; f->name; f++)
		if (strcmp(f->name, name) == 0) {
			out->text = f->text;
			out->size = (size_t)(f->end - f->text);
			return 0;
		}
	return -ENOENT;
}

/* libconfig's scanner ends the process when it gets no memory, with a status that is ours for wrong
 * usage: what it may need for a text is asked for before. */
static int with_room(int rc, const struct sd_config *c)
{
	return rc < 0 || sd_out_of_memory_room(PARSER_BYTES + 16 * c->size) ? rc : -ENOMEM;
}

int sd_configs_get(
	const char *dir, const char *name, struct sd_config *out, const struct sd_sink *sink)
{
	int rc = -ENOMEM;

	*out = (struct sd_config){0};
	if (dir ? asprintf(&out->name, "%s/%s", dir, name) < 0
		: asprintf(&out->name, "configs/%s", name) < 0)
		out->name = NULL;
	else if (strstr(name, ".."))
		rc = -EINVAL;
	else
		rc = with_room(dir ? read_file(out) : from_program(name, out), out);
	if (rc < 0) {
		sd_say(sink, SD_LEVEL_ERROR, "%s: %s", out->name ? out->name : name,
			rc == -EINVAL ? "is not a regular file" : strerror(-rc));
		sd_config_free(out);
	}
	return rc;
}

int sd_config_read(const char *path, struct sd_config *out, const struct sd_sink *sink)
{
	int rc = -ENOMEM;

	*out = (struct sd_config){.name = strdup(path)};
	if (out->name)
		rc = with_room(read_file(out), out);
	if (rc < 0) {
		sd_say(sink, SD_LEVEL_ERROR, "%s: %s", path,
			rc == -EINVAL ? "is not a regular file" : strerror(-rc));
		sd_config_free(out);
	}
	return rc;
}

static int is_config(const struct dirent *e)
{
	const size_t n = strlen(e->d_name);

	return n > 5 && e->d_name[0] != '.' && strcmp(e->d_name + n - 5, ".conf") == 0;
}

static int compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int list_directory(const char *dir, const char *folder, struct sd_texts *names)
{
	struct dirent **entry = NULL;
	char *path;
	int n, rc = 0;

	if (asprintf(&path, "%s/%s", dir, folder) < 0)
		return -ENOMEM;
	n = scandir(path, &entry, is_config, compare);
	if (n < 0)
		rc = -errno;
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = sd_texts_add(names, "%s/%s", folder, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	free(path);
	return rc;
}

static int list_program(const char *folder, struct sd_texts *names)
{
	const size_t n = strlen(folder);
	int rc = 0;

	/* the build has them sorted */
	for (const struct sd_config_file *f = sd_config_files; f->name && rc == 0; f++)
		if (strncmp(f->name, folder, n) == 0 && f->name[n] == '/')
			rc = sd_texts_add(names, "%s", f->name);
	return rc;
}

int sd_configs_list(
	const char *dir, const char *folder, struct sd_texts *names, const struct sd_sink *sink)
{
	struct sd_texts found = {0};
	const int rc = dir ? list_directory(dir, folder, &found) : list_program(folder, &found);

	if (rc < 0) {
		sd_say(sink, SD_LEVEL_ERROR, "%s/%s: %s", dir ? dir : "configs", folder,
			strerror(-rc));
		sd_texts_free(&found);
		return rc;
	}
	sd_texts_free(names);
	*names = found;
	return 0;
}
