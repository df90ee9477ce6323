#include "read/journal.h"

#include <errno.h>
#include <lzma.h>
#include <string.h>

#include "read/json_load.h"

#define BEGIN "{\"crc32\":\""

static size_t behind_space(const char *text, size_t size)
{
	size_t at = 0;

	while (at < size && strchr(" \t\r\n", text[at]) && text[at])
		at++;
	return at;
}

int sd_journal_is(const char *text, size_t size)
{
	const size_t at = behind_space(text, size), left = size - at;
	const size_t n = left < sizeof BEGIN - 1 ? left : sizeof BEGIN - 1;

	/* zeros: a crash of the machine came before the bytes */
	return n > 0 && (memcmp(text + at, BEGIN, n) == 0 || text[at] == '\0');
}

static size_t lines_in(const char *text, size_t size)
{
	size_t n = 0;

	for (const char *at = text; (at = memchr(at, '\n', size - (size_t)(at - text))) != NULL;
		at++)
		n++;
	return n;
}

/* Whether the line, without its end, has the checksum that it says; *crc is that of the line
 * before.
 */
static int is_whole(const char *line, size_t n, uint32_t *crc)
{
	char head[SD_JOURNAL_HEAD_BYTES + 1];
	uint32_t found;

	if (n <= SD_JOURNAL_HEAD_BYTES)
		return 0;
	found = lzma_crc32(
		(const uint8_t *)line + SD_JOURNAL_HEAD_BYTES, n - SD_JOURNAL_HEAD_BYTES, *crc);
	snprintf(head, sizeof head, SD_JOURNAL_HEAD, found);
	if (memcmp(line, head, SD_JOURNAL_HEAD_BYTES) != 0)
		return 0;
	*crc = found;
	return 1;
}

/* ---- what a line says ------------------------------------------------------------------------ */

static int add_stacks(json_t *root, json_t *more)
{
	static const char *const lists[] = {"texts", "frames", "nodes"};
	const json_t *const all = json_object_get(root, "stacks");

	if (!all)
		return json_object_set(root, "stacks", more);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (json_array_extend(
			    json_object_get(all, lists[i]), json_object_get(more, lists[i])))
			return -1;
	return 0;
}

static int drop_lanes(const struct sd_run_texts *runs, const json_t *numbers)
{
	if (!json_is_array(numbers))
		return -1;
	for (size_t i = 0; i < json_array_size(numbers); i++) {
		const json_t *const number = json_array_get(numbers, i);
		const json_int_t at = json_integer_value(number);

		if (!json_is_integer(number) || at < 0 || (size_t)at >= runs->n)
			return -1;
		runs->run[at].without_lanes = 1;
	}
	return 0;
}

/* Everything but the runs. */
static int add_members(
	const struct sd_source *s, json_t *line, const struct sd_run_texts *runs, json_t *root)
{
	const char *key;
	json_t *value;

	json_object_foreach(line, key, value)
	{
		const struct sd_json_path at = {.key = key};
		int bad = 0;

		if (strcmp(key, "stacks") == 0)
			bad = add_stacks(root, value);
		else if (strcmp(key, "without_lanes") == 0)
			bad = drop_lanes(runs, value);
		else if (strcmp(key, "crc32") != 0 && strcmp(key, "runs") != 0)
			bad = json_object_set(root, key, value);
		if (bad)
			return sd_json_path_fault(s, &at, "cannot be what was added after a run");
	}
	return 0;
}

/* `at`: where in the whole text the line is. */
static int add_line(const struct sd_source *s, size_t at, struct sd_run_texts *runs, json_t *root)
{
	struct sd_run_texts own;
	json_t *v = NULL;
	int rc = sd_run_texts_find(s->text, s->size, &own);

	if (!rc)
		rc = own.rest ? sd_json_load(s, own.rest, own.rest_size, s->line, &v)
			      : sd_json_load(s, s->text, s->size, s->line, &v);
	if (!rc)
		rc = add_members(s, v, runs, root);
	for (size_t i = 0; !rc && i < own.n; i++)
		rc = sd_run_texts_add(runs, at + own.run[i].begin, at + own.run[i].end);
	json_decref(v);
	sd_run_texts_free(&own);
	return rc;
}

/* ---- all lines ------------------------------------------------------------------------------- */

static void say_left_out(const struct sd_source *s, size_t behind)
{
	const size_t more = lines_in(s->text + s->size, behind);

	if (more <= 1)
		sd_say(s->sink, SD_LEVEL_WARNING,
			"%s:%zu: the last run was not written whole: left out", s->name,
			s->line + 1);
	else
		sd_say(s->sink, SD_LEVEL_WARNING,
			"%s:%zu: damaged: this line and the %zu behind it, with what was measured "
			"from there on, are left out",
			s->name, s->line + 1, more - 1);
}

int sd_journal_read(const struct sd_source *s, size_t at, uint32_t from, struct sd_run_texts *runs,
	json_t *root)
{
	const size_t first = at + behind_space(s->text + at, s->size - at);
	struct sd_source line = *s;
	uint32_t crc = from;
	int rc = 0;

	line.line = lines_in(s->text, first);
	for (at = first; at < s->size && !rc; line.line++) {
		const char *const text = s->text + at;
		const char *const end = memchr(text, '\n', s->size - at);

		line.text = text;
		line.size = end ? (size_t)(end - text) : s->size - at;
		if (!end || !is_whole(text, line.size, &crc)) {
			say_left_out(&line, s->size - at - line.size);
			break;
		}
		rc = add_line(&line, at, runs, root);
		at += line.size + 1;
	}
	/* it was being measured when they were written */
	return !rc && json_object_set_new(root, "complete", json_false()) ? -ENOMEM : rc;
}
