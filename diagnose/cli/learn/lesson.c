#include "learn/lesson.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/cause.h"
#include "base/number.h"

struct reader {
	const char *at, *end, *name;
	unsigned line;
	struct sd_lesson *lesson;
	const struct sd_sink *sink;
};

struct field {
	const char *name;
	size_t offset;
	int required;
};

#define FIELD(member, required)                                       \
	{                                                             \
#member, offsetof(struct sd_lesson, member), required \
	}
static const struct field heads[] = {
	FIELD(title, 1),
	FIELD(minutes, 1),
	FIELD(rank, 1),
	FIELD(flags, 1),
	FIELD(args, 0),
	FIELD(size, 0),
	FIELD(attach, 0),
	FIELD(shows, 1),
	FIELD(question, 1),
	FIELD(answer, 1),
	FIELD(needs, 1),
	FIELD(causes, 1),
	FIELD(experiments, 0),
	FIELD(simulate, 0),
	FIELD(stand_in, 0),
	FIELD(results, 0),
	FIELD(machine, 0),
	FIELD(sim_cores, 0),
	FIELD(counts, 0),
	FIELD(waste, 0),
	FIELD(faults, 0),
};
static const struct field chapters[] = {
	{"Look for", offsetof(struct sd_lesson, look), 1},
	{"Why", offsetof(struct sd_lesson, why), 1},
	{"Exercises", offsetof(struct sd_lesson, exercises), 1},
	{"Instructor", offsetof(struct sd_lesson, instructor), 1},
};
#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *const needs[] = {
	[SD_LESSON_NEEDS_NOTHING] = "nothing",
	[SD_LESSON_NEEDS_CORES] = "cores",
	[SD_LESSON_NEEDS_NODES] = "nodes",
	[SD_LESSON_NEEDS_SIMULATED] = "simulated",
	[SD_LESSON_NEEDS_MPI] = "mpi",
};

static char **slot(struct sd_lesson *l, const struct field *f)
{
	return (char **)(void *)((char *)l + f->offset);
}

static const struct field *find(const struct field *table, size_t n, const char *name, size_t size)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(table[i].name) == size && memcmp(table[i].name, name, size) == 0)
			return &table[i];
	return NULL;
}

/* The next line without its end; 0 at the end of the text. */
static int next_line(struct reader *r, const char **line, size_t *n)
{
	const char *end;

	if (r->at == r->end)
		return 0;
	end = memchr(r->at, '\n', (size_t)(r->end - r->at));
	*line = r->at;
	*n = (size_t)((end ? end : r->end) - r->at);
	r->at = end ? end + 1 : r->end;
	r->line++;
	return 1;
}

#define REFUSE(r, ...) (sd_say((r)->sink, SD_LEVEL_ERROR, __VA_ARGS__), -EINVAL)

static int take_head(struct reader *r, const char *line, size_t n)
{
	const char *const colon = memchr(line, ':', n);
	const size_t key = colon ? (size_t)(colon - line) : 0;
	const char *value = colon ? colon + 1 : NULL;
	const struct field *f;
	char **to;

	if (!colon)
		return REFUSE(r, "%s:%u: expected 'key: value'", r->name, r->line);
	while (value < line + n && *value == ' ')
		value++;
	n -= (size_t)(value - line);
	if (n == 0)
		return REFUSE(r, "%s:%u: '%.*s' has no value", r->name, r->line, (int)key, line);
	if (key == strlen("choice") && memcmp(line, "choice", key) == 0)
		return sd_texts_add(&r->lesson->choice, "%.*s", (int)n, value);
	f = find(heads, COUNT(heads), line, key);
	if (!f)
		return REFUSE(r, "%s:%u: unknown key '%.*s'", r->name, r->line, (int)key, line);
	to = slot(r->lesson, f);
	if (*to)
		return REFUSE(r, "%s:%u: a second '%s'", r->name, r->line, f->name);
	*to = strndup(value, n);
	return *to ? 0 : -ENOMEM;
}

static int read_head(struct reader *r)
{
	const char *line;
	size_t n;
	int rc = 0;

	if (!next_line(r, &line, &n) || n != 3 || memcmp(line, "---", 3) != 0)
		return REFUSE(r, "%s:1: a lesson begins with a line '---'", r->name);
	while (!rc && next_line(r, &line, &n)) {
		if (n == 3 && memcmp(line, "---", 3) == 0)
			return 0;
		rc = take_head(r, line, n);
	}
	return rc ? rc : REFUSE(r, "%s:%u: the head has no end '---'", r->name, r->line);
}

/* From the line after its heading to the next heading, without the empty lines around it. */
static int read_chapter(struct reader *r, const struct field *f)
{
	char **const to = slot(r->lesson, f);
	const char *from = r->at, *to_end = from, *line;
	size_t n;

	if (*to)
		return REFUSE(r, "%s:%u: a second '## %s'", r->name, r->line, f->name);
	while (r->at < r->end && strncmp(r->at, "## ", 3) != 0 && next_line(r, &line, &n)) {
		if (n > 0)
			to_end = line + n;
		else if (to_end == from)
			from = to_end = r->at;
	}
	if (from == to_end)
		return REFUSE(r, "%s:%u: '## %s' is empty", r->name, r->line, f->name);
	*to = strndup(from, (size_t)(to_end - from));
	return *to ? 0 : -ENOMEM;
}

static int read_chapters(struct reader *r)
{
	const char *line;
	size_t n;
	int rc = 0;

	while (!rc && next_line(r, &line, &n)) {
		const struct field *f;

		if (n == 0)
			continue;
		f = n > 3 && memcmp(line, "## ", 3) == 0
			    ? find(chapters, COUNT(chapters), line + 3, n - 3)
			    : NULL;
		rc = f ? read_chapter(r, f)
		       : REFUSE(r,
				 "%s:%u: expected '## Look for', '## Why', '## Exercises' or "
				 "'## Instructor'",
				 r->name, r->line);
	}
	return rc;
}

static int check_missing(const struct reader *r)
{
	for (size_t i = 0; i < COUNT(heads); i++)
		if (heads[i].required && !*slot(r->lesson, &heads[i]))
			return REFUSE(
				r, "%s:%u: no '%s:' in the head", r->name, r->line, heads[i].name);
	for (size_t i = 0; i < COUNT(chapters); i++)
		if (!*slot(r->lesson, &chapters[i]))
			return REFUSE(
				r, "%s:%u: no chapter '## %s'", r->name, r->line, chapters[i].name);
	return 0;
}

static int check_shows(const struct reader *r)
{
	struct sd_lesson *const l = r->lesson;
	char *const dash = strchr(l->shows, '-');
	uint64_t from = 0, to = 0;
	int rc = -EINVAL;

	if (dash) {
		*dash = '\0';
		rc = sd_number_u64(l->shows, 1, 1000, &from);
		*dash = '-';
	}
	if (rc || sd_number_u64(dash + 1, from, 1000, &to) < 0)
		return REFUSE(r, "%s:%u: shows '%s': must be lines, such as 12-24", r->name,
			r->line, l->shows);
	l->show_from = (unsigned)from;
	l->show_to = (unsigned)to;
	return 0;
}

static int check_needs(const struct reader *r)
{
	for (size_t i = 0; i < COUNT(needs); i++)
		if (strcmp(r->lesson->needs, needs[i]) == 0) {
			r->lesson->need = (enum sd_lesson_needs)i;
			return 0;
		}
	return REFUSE(r, "%s:%u: needs '%s': must be nothing, cores, nodes, simulated or mpi",
		r->name, r->line, r->lesson->needs);
}

static int is_cause(const char *word, size_t n)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (strlen(sd_cause_info[i].name) == n &&
			memcmp(sd_cause_info[i].name, word, n) == 0)
			return 1;
	return n == 4 && memcmp(word, "none", n) == 0;
}

static int check_causes(const struct reader *r)
{
	for (const char *w = r->lesson->causes; *w;) {
		const size_t n = strcspn(w, " ");

		if (n > 0 && !is_cause(w, n))
			return REFUSE(
				r, "%s:%u: causes: '%.*s' is none", r->name, r->line, (int)n, w);
		w += n + (w[n] == ' ');
	}
	return 0;
}

static const char *const counts[SD_LESSON_COUNTED] = {
#define X(id, name, above, below, is) [SD_LESSON_##id] = #name,
	SD_LESSON_COUNTS(X)
#undef X
};

/* Checks that a lesson that is simulated names the count to look at. */
static int check_counts(const struct reader *r)
{
	struct sd_lesson *const l = r->lesson;
	const size_t n = l->counts ? strcspn(l->counts, " ") : 0;

	if (!l->counts && !l->simulate && !l->stand_in)
		return 0;
	for (size_t i = 0; l->counts && i < COUNT(counts); i++)
		if (strlen(counts[i]) == n && memcmp(counts[i], l->counts, n) == 0 &&
			l->counts[n] == ' ' &&
			sd_number_double(l->counts + n + 1, 1, 1e6, &l->times) == 0) {
			l->count = (enum sd_lesson_count)i;
			return 0;
		}
	return REFUSE(r,
		"%s:%u: counts '%s': must be what the simulated machine counts and how many times "
		"as much, such as moves 10",
		r->name, r->line, l->counts ? l->counts : "");
}

static int check_waste(const struct reader *r)
{
	struct sd_lesson *const l = r->lesson;

	if (!l->waste)
		return 0;
	for (int i = 0; i < SD_WASTE_COUNT; i++)
		if (strcmp(l->waste, sd_waste_info[i].name) == 0) {
			l->wasted = (enum sd_waste_kind)i;
			return l->simulate
				       ? 0
				       : REFUSE(r, "%s:%u: waste: is simulated: needs 'simulate:'",
						 r->name, r->line);
		}
	return REFUSE(r,
		"%s:%u: waste '%s': must be unused-bytes, page-walks, set-conflicts or "
		"conversions",
		r->name, r->line, l->waste);
}

static int check_faults(const struct reader *r)
{
	struct sd_lesson *const l = r->lesson;

	if (!l->faults || sd_number_double(l->faults, 1, 1e6, &l->fault_times) == 0)
		return 0;
	return REFUSE(r, "%s:%u: faults '%s': must be how many times as many, such as 10", r->name,
		r->line, l->faults);
}

/* A number of `key`, from 1 on. */
static int check_number(
	const struct reader *r, const char *key, const char *text, uint64_t most, unsigned *out)
{
	uint64_t v = 0;

	if (sd_number_u64(text, 1, most, &v) < 0)
		return REFUSE(r, "%s:%u: %s '%s': must be 1 to %u", r->name, r->line, key, text,
			(unsigned)most);
	*out = (unsigned)v;
	return 0;
}

static int check_numbers(const struct reader *r)
{
	struct sd_lesson *const l = r->lesson;
	int rc = check_number(r, "minutes", l->minutes, 120, &l->duration);

	if (!rc)
		rc = check_number(r, "rank", l->rank, 99, &l->place);
	if (!rc && l->attach)
		rc = check_number(r, "attach", l->attach, 60, &l->window);
	return rc;
}

/* {size} in the arguments has a number to begin with, and such a number has its place. */
static int check_size(const struct reader *r)
{
	struct sd_lesson *const l = r->lesson;
	const int place = l->args && strstr(l->args, SD_LESSON_SIZE) != NULL;
	uint64_t v = 0;

	if (!l->size && !place)
		return 0;
	if (!l->size || !place || sd_number_u64(l->size, 1, SD_LESSON_SIZE_MOST, &v) < 0)
		return REFUSE(r,
			"%s:%u: size '%s': must be the number that " SD_LESSON_SIZE
			" in 'args:' begins with",
			r->name, r->line, l->size ? l->size : "");
	l->begin = (unsigned long)v;
	return 0;
}

static int check(const struct reader *r)
{
	const struct sd_lesson *const l = r->lesson;
	int rc = check_missing(r);

	if (!rc && (strlen(l->answer) != 1 || *l->answer < 'a' ||
			   (size_t)(*l->answer - 'a') >= l->choice.n))
		rc = REFUSE(r, "%s:%u: answer '%s': must be the letter of a choice", r->name,
			r->line, l->answer);
	if (!rc)
		rc = check_shows(r);
	if (!rc)
		rc = check_needs(r);
	if (!rc)
		rc = check_counts(r);
	if (!rc)
		rc = check_waste(r);
	if (!rc)
		rc = check_faults(r);
	if (!rc)
		rc = check_size(r);
	if (!rc)
		rc = check_numbers(r);
	return rc ? rc : check_causes(r);
}

int sd_lesson_parse(const char *text, size_t size, const char *name, struct sd_lesson *out,
	const struct sd_sink *sink)
{
	struct reader r = {
		.at = text, .end = text + size, .name = name, .lesson = out, .sink = sink};
	int rc;

	*out = (struct sd_lesson){0};
	if (memchr(text, '\0', size))
		return REFUSE(&r, "%s:1: is not text", name);
	rc = read_head(&r);
	if (!rc)
		rc = read_chapters(&r);
	return rc ? rc : check(&r);
}

void sd_lesson_free(struct sd_lesson *l)
{
	for (size_t i = 0; i < COUNT(heads); i++)
		free(*slot(l, &heads[i]));
	for (size_t i = 0; i < COUNT(chapters); i++)
		free(*slot(l, &chapters[i]));
	sd_texts_free(&l->choice);
	*l = (struct sd_lesson){0};
}
