/*
 * The files of configs/, which are part of the program: event maps, metric tables, advice texts.
 *
 * A directory given instead (`--configs DIR`, or SCALEDIAG_CONFIGS in the environment) replaces all
 * of them. It is laid out like configs/ and trusted no more than any other input.
 */
#ifndef SD_CONFIGS_H
#define SD_CONFIGS_H

#include <stddef.h>

#include "base/sink.h"
#include "base/texts.h"

/* Larger files are refused. */
#define SD_CONFIG_MAX ((size_t)1 << 20)

struct sd_config {
	char *name;       /* owned; where the text comes from, for messages */
	const char *text; /* `size` bytes and a NUL */
	size_t size;
	char *owned; /* the text, when it was read from a file */
};

/* The directory named by SCALEDIAG_CONFIGS; NULL when it is not set or empty. */
const char *sd_configs_dir(void);

/*
 * The file `name` ("events/skx.conf") of the directory `dir`, or of the program itself when dir is
 * NULL. 0; -errno with one message said and *out empty: -ENOENT no such file, -EFBIG larger than
 * SD_CONFIG_MAX, -EINVAL not a regular file or a name with "..".
 */
int sd_configs_get(
	const char *dir, const char *name, struct sd_config *out, const struct sd_sink *sink);
/* The file at `path`, from anywhere; fails as above. */
int sd_config_read(const char *path, struct sd_config *out, const struct sd_sink *sink);
void sd_config_free(struct sd_config *c); /* accepts the zeroed value */

/*
 * The names ("events/skx.conf") of all *.conf files in `folder` ("events"), sorted by strcmp. 0, or
 * -errno with one message said and *names unchanged.
 */
int sd_configs_list(
	const char *dir, const char *folder, struct sd_texts *names, const struct sd_sink *sink);

/* The files built into the program; the last name is NULL. Only configs.c uses it. */
struct sd_config_file {
	const char *name, *text, *end; /* *end is a NUL */
};
extern const struct sd_config_file sd_config_files[];

#endif
