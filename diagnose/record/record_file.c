#include "record/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "fields/checksum.h"
#include "read/decode.h"
#include "read/journal.h"
#include "read/json_load.h"
#include "fields/fields.h"

/* JSON, but is it a record, and one of our schema? Foreign files get their own words. */
static int check_kind(const struct sd_source *s, const json_t *root)
{
	const json_t *kind = json_object_get(root, "kind");
	const json_t *schema = json_object_get(root, "schema");
	const char *version =
		json_string_value(json_object_get(json_object_get(root, "tool"), "version"));
	const struct sd_json_path at = {.key = "schema"};
	json_int_t n;

	if (!kind && json_object_get(root, "findings") && json_object_get(root, "points"))
		return sd_json_path_fault(
			s, NULL, "is a report, not a record; give the record it was made from");
	if (!kind)
		return sd_json_path_fault(
			s, NULL, "is JSON, but not a record of scalediag: \"kind\" is missing");
	if (!json_is_string(kind) || strcmp(json_string_value(kind), SD_RECORD_KIND) != 0)
		return sd_json_path_fault(s, NULL,
			"is of the kind \"%.40s\", not a record of scalediag (%s)",
			json_is_string(kind) ? json_string_value(kind) : "?", SD_RECORD_KIND);
	if (!json_is_integer(schema))
		return sd_json_path_fault(s, &at, "must be a whole number");
	n = json_integer_value(schema);
	if (n == SD_RECORD_SCHEMA)
		return 0;
	return sd_json_path_fault(s, &at,
		"is %" JSON_INTEGER_FORMAT ", but scalediag " SD_VERSION
		" reads schema %d; use %s scalediag (the record was written by %.31s)",
		n, SD_RECORD_SCHEMA, n > SD_RECORD_SCHEMA ? "a newer" : "an older",
		version ? version : "an unknown version");
}

/* Whether the bytes of the object, which ends at `end`, are those that were written. *crc: what it
 * says at its end, 0: nothing. */
static int is_whole(const char *text, size_t end, uint32_t *crc)
{
	char tail[SD_CHECKSUM_TAIL_BYTES + 1] = "";
	const size_t n = end - SD_CHECKSUM_TAIL_BYTES;
	uint32_t found;

	*crc = 0;
	if (end < SD_CHECKSUM_TAIL_BYTES)
		return 1;
	memcpy(tail, text + n, SD_CHECKSUM_TAIL_BYTES);
	if (strncmp(tail, SD_CHECKSUM_BEGIN, sizeof SD_CHECKSUM_BEGIN - 1) != 0)
		return 1;
	*crc = (uint32_t)strtoul(tail + sizeof SD_CHECKSUM_BEGIN - 1, NULL, 16);
	found = lzma_crc32((const uint8_t *)text, n, 0);
	snprintf(tail, sizeof tail, SD_CHECKSUM_TAIL, found);
	return memcmp(text + n, tail, SD_CHECKSUM_TAIL_BYTES) == 0;
}

int sd_record_is_damaged(const struct sd_record *r)
{
	for (size_t i = 0; i < r->warnings.n; i++)
		if (strcmp(r->warnings.text[i], SD_RECORD_DAMAGED) == 0)
			return 1;
	return 0;
}

/* First among the warnings. */
static int say_damaged(const char *name, struct sd_record *r, const struct sd_sink *sink)
{
	char *last;

	sd_say(sink, SD_LEVEL_WARNING, "%s: %s", name, SD_RECORD_DAMAGED);
	if (sd_record_is_damaged(r))
		return 0;
	if (sd_texts_add(&r->warnings, "%s", SD_RECORD_DAMAGED))
		return -ENOMEM;
	last = r->warnings.text[r->warnings.n - 1];
	memmove(r->warnings.text + 1, r->warnings.text,
		(r->warnings.n - 1) * sizeof *r->warnings.text);
	r->warnings.text[0] = last;
	return 0;
}

/* `spend`: of a run's text that was read nothing needs to stay. `count`: only the number of runs is
 * wanted; where the bytes are those that were written nothing is decoded, and *out is empty. */
static int parse(const char *text, size_t size, const char *name, int spend, size_t *count,
	struct sd_record *out, const struct sd_sink *sink)
{
	const struct sd_source s = {.name = name, .text = text, .size = size, .sink = sink};
	struct sd_run_texts runs = {0};
	json_t *root = NULL;
	size_t behind;
	uint32_t crc = 0;
	int rc = -EINVAL, whole = 1;

	*out = (struct sd_record){0};
	if (size == 0) {
		sd_json_path_fault(&s, NULL, "is empty, not a record of scalediag");
		goto out;
	}
	if (size > SD_RECORD_BYTES) {
		sd_json_path_fault(&s, NULL, "has more than %zu bytes: no record is that large",
			SD_RECORD_BYTES);
		goto out;
	}
	rc = sd_run_texts_find(text, size, &runs);
	runs.spend = spend;
	/* before runs are read, which may be spent then */
	if (!rc && runs.rest && runs.behind < size)
		whole = is_whole(text, size - runs.behind, &crc);
	behind = sd_journal_is(text + size - runs.behind, runs.behind) ? runs.behind : 0;
	if (!rc)
		rc = runs.rest ? sd_json_load(&s, runs.rest, runs.rest_size - behind, 0, &root)
			       : sd_json_load(&s, text, size, 0, &root);
	rc = rc ? rc : check_kind(&s, root);
	if (!rc && behind)
		rc = sd_journal_read(&s, size - behind, crc, &runs, root);
	if (!rc && count && crc && whole && !behind) {
		*count = runs.n;
		goto out;
	}
	rc = rc ? rc : sd_decode(&s, root, &runs, out);
	if (!rc && count)
		*count = out->n_run;
	if (!rc)
		out->unchecked = crc == 0 && whole;
	if (!rc && !whole)
		rc = say_damaged(name, out, sink);
	if (rc == -ENOMEM)
		sd_say(sink, SD_LEVEL_ERROR, "%s: not enough memory to read it", name);
out:
	json_decref(root);
	sd_run_texts_free(&runs);
	if (rc)
		sd_record_free(out);
	return rc;
}

int sd_record_parse(const char *text, size_t size, const char *name, struct sd_record *out,
	const struct sd_sink *sink)
{
	return parse(text, size, name, 0, NULL, out, sink);
}

/* Opens a regular file or a pipe; a device or a folder is refused before anything is read of it. */
static int open_to_read(const char *path, const struct sd_sink *sink)
{
	struct stat st;
	int fd;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)) {
		sd_say(sink, SD_LEVEL_ERROR, "%s: is a %s, not a record; give the file itself",
			path, S_ISDIR(st.st_mode) ? "folder" : "device or socket");
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0)
		return fd;
	fd = -errno;
	sd_say(sink, SD_LEVEL_ERROR, "%s: cannot read the record: %s", path, strerror(-fd));
	return fd;
}

/* All of fd, at most one byte more than a record may have. */
static int read_all(int fd, char **text, size_t *size)
{
	struct stat st;
	/* a byte more than there are, to see the end */
	size_t room = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (size_t)st.st_size + 1 : 65536,
	       n = 0;
	char *p = NULL;

	room = room < SD_RECORD_BYTES + 1 ? room : SD_RECORD_BYTES + 1;
	for (;;) {
		ssize_t got;

		if (!p || n == room) {
			char *grown;

			room = p ? room * 2 : room;
			grown = realloc(p, room);
			if (!grown) {
				free(p);
				return -ENOMEM;
			}
			p = grown;
		}
		got = read(fd, p + n, room - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			const int rc = -errno;

			free(p);
			return rc;
		}
		n += (size_t)got;
		if (got == 0 || n > SD_RECORD_BYTES)
			break;
	}
	*text = p;
	*size = n;
	return 0;
}

/* Closes fd, which may be an error instead. */
static int read_from(
	int fd, const char *path, size_t *count, struct sd_record *out, const struct sd_sink *sink)
{
	char *text = NULL;
	size_t size = 0;
	int rc;

	*out = (struct sd_record){0};
	if (fd < 0)
		return fd;
	rc = read_all(fd, &text, &size);
	close(fd);
	if (rc)
		sd_say(sink, SD_LEVEL_ERROR, "%s: cannot read the record: %s", path, strerror(-rc));
	else
		rc = parse(text, size, path, 1, count, out, sink);
	free(text);
	return rc;
}

int sd_record_read(const char *path, struct sd_record *out, const struct sd_sink *sink)
{
	return read_from(open_to_read(path, sink), path, NULL, out, sink);
}

int sd_record_count(const char *path, size_t *runs, const struct sd_sink *sink)
{
	struct sd_record r;
	const int rc = read_from(open_to_read(path, sink), path, runs, &r, sink);

	sd_record_free(&r);
	return rc;
}

int sd_record_read_regular(const char *path, struct sd_record *out, const struct sd_sink *sink)
{
	return read_from(sd_regular_file_open(path, 0, NULL), path, NULL, out, sink);
}

int sd_record_add(struct sd_record *record, struct sd_run *run)
{
	struct sd_run *grown = realloc(record->run, (record->n_run + 1) * sizeof *grown);

	if (!grown)
		return -ENOMEM;
	record->run = grown;
	record->run[record->n_run++] = *run;
	*run = (struct sd_run){0};
	return 0;
}
