#include "commands/import_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "import/import.h"

/* The whole file; a fresh buffer. */
static int read_file(const char *path, char **text, size_t *size, const struct sd_sink *sink)
{
	FILE *f = fopen(path, "re");
	size_t room = 65536, n = 0;
	int rc = f ? 0 : -errno;
	char *p = f ? malloc(room) : NULL;

	if (f && !p)
		rc = -ENOMEM;
	while (rc == 0) {
		size_t got = fread(p + n, 1, room - n, f);
		char *grown;

		n += got;
		if (ferror(f))
			rc = errno ? -errno : -EIO;
		if (rc || n < room || n > SD_IMPORT_BYTES)
			break;
		grown = realloc(p, room * 2);
		rc = grown ? 0 : -ENOMEM;
		p = grown ? grown : p;
		room *= 2;
	}
	if (f)
		fclose(f);
	if (rc) {
		sd_say(sink, SD_LEVEL_ERROR, "%s: %s", path, strerror(-rc));
		free(p);
		return rc;
	}
	*text = p;
	*size = n;
	return 0;
}

/* The digits of "8=FILE"; 0: none stand there. */
static size_t digits_of(const char *file)
{
	const size_t n = strspn(file, "0123456789");

	return file[n] == '=' ? n : 0;
}

const char *sd_import_files_bare(const char *file)
{
	const size_t n = digits_of(file);

	return n ? file + n + 1 : file;
}

/* "8=FILE", or the only number in the name. 0: neither. */
static unsigned cores_of(const char *file)
{
	const size_t n = digits_of(file);
	char number[16];
	uint64_t v;

	if (!n)
		return sd_import_count(file);
	if (n >= sizeof number)
		return 0;
	snprintf(number, sizeof number, "%.*s", (int)n, file);
	return sd_number_u64(number, 1, SD_CPU_MAX, &v) < 0 ? 0 : (unsigned)v;
}

/* The text of a file, to one of the readers. */
static enum sd_exit read_with(const char *file, unsigned cores, const char *app,
	int (*read)(struct sd_import *im, const struct sd_import_text *t, unsigned cores,
		const char *app),
	struct sd_import *im, const struct sd_sink *sink)
{
	struct sd_import_text t = {.name = file, .sink = sink};
	char *text = NULL;
	int rc;

	if (read_file(file, &text, &t.size, sink))
		return SD_EXIT_MEASURE;
	t.text = text;
	rc = read(im, &t, cores, app);
	free(text);
	if (rc == -ENOMEM)
		sd_say(sink, SD_LEVEL_ERROR, "%s: not enough memory", file);
	return rc ? SD_EXIT_MEASURE : SD_EXIT_DONE;
}

enum sd_exit sd_import_files_take(const struct sd_import_format *from, const char *file,
	const char *app, struct sd_import *im, const struct sd_sink *sink)
{
	const unsigned cores = from->counted != SD_IMPORT_UNCOUNTED ? cores_of(file) : 0;

	if (from->counted != SD_IMPORT_COUNTED || cores)
		return read_with(sd_import_files_bare(file), cores, app, from->read, im, sink);
	file = sd_import_files_bare(file);
	sd_say(sink, SD_LEVEL_ERROR,
		"%s: its name does not say how many cores it is of; write 8=%s", file, file);
	return SD_EXIT_USAGE;
}

static int read_lines(
	struct sd_import *im, const struct sd_import_text *t, unsigned cores, const char *app)
{
	(void)app;
	return sd_import_c2c(im, t, cores);
}

enum sd_exit sd_import_files_lines(
	const char *file, struct sd_import *im, const struct sd_sink *sink)
{
	const unsigned cores = digits_of(file) ? cores_of(file) : 0;

	return read_with(sd_import_files_bare(file), cores, NULL, read_lines, im, sink);
}
