#include "read/decode.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/parallel_for.h"
#include "read/decode_field.h"
#include "read/json_load.h"
#include "read/decode_struct.h"
#include "read/row_text.h"

static int decode_tool(struct sd_field_in *c, const json_t *v, struct sd_record *out)
{
	static const struct sd_field version[] = {
		{.key = "version", .type = SD_FIELD_TEXT, .size = sizeof out->tool_version}};
	static const struct sd_fields fields = {.field = version, .n = 1};
	static const char *const others[] = {"name", NULL};
	const struct sd_json_path at = {.key = "tool"};

	return sd_decode_fields(c, &at, v, &fields, others, out->tool_version);
}

/* A member that may be left out. */
static int decode_part(struct sd_field_in *c, const json_t *root, const char *key,
	const struct sd_fields *fields, void *out)
{
	const struct sd_json_path at = {.key = key};
	const json_t *const v = json_object_get(root, key);

	return v ? sd_decode_struct(c, &at, v, fields, NULL, out) : 0;
}

static int decode_list(
	struct sd_field_in *c, const json_t *root, const struct sd_field *f, struct sd_record *out)
{
	const struct sd_json_path at = {.key = f->key};
	const json_t *const v = json_object_get(root, f->key);

	return v ? sd_decode_struct_list(c, &at, v, f, out) : 0;
}

/* The lists that are found only after the stacks are known. */
/* clang-format off */
static const struct sd_field source_lines = {
	.key = "source_lines", .type = SD_FIELD_ARRAY, .fields = &sd_fields_source,
	.offset = offsetof(struct sd_record, source), .count = offsetof(struct sd_record, n_source),
	.size = sizeof(struct sd_source_text), .most = SD_SOURCE_TEXT_PLACES,
};
static const struct sd_field runs = {
	.key = "runs", .type = SD_FIELD_ARRAY, .fields = &sd_fields_run,
	.offset = offsetof(struct sd_record, run), .count = offsetof(struct sd_record, n_run),
	.size = sizeof(struct sd_run), .most = SD_RECORD_RUNS,
};
/* clang-format on */

/* Runs, each from a tree of its own, by as many threads as there are; a mebibyte of text for each
 * at a time. */
struct decoding {
	const struct sd_field_in *c; /* with what all runs refer to */
	const struct sd_run_texts *texts;
	const size_t *line; /* of each: where its text begins */
	struct sd_run *run;
	int *rc;
	size_t first; /* of those that are decoded now */
};

/* `by_rows`: what is most of a large run is read faster. */
static int decode_run(const struct decoding *d, size_t i, int by_rows, const struct sd_sink *sink)
{
	const struct sd_run_text *const r = &d->texts->run[i];
	const struct sd_json_path at = {.key = runs.key}, here = {.up = &at, .index = i};
	const struct sd_source s = {.name = d->c->s->name,
		.text = d->c->s->text + r->begin,
		.size = r->end - r->begin,
		.sink = sink,
		.base = &here,
		.line = d->line[i]};
	struct sd_field_in c = *d->c;
	struct sd_row_text rows = {0};
	json_t *v = NULL;
	int rc = by_rows ? sd_row_text_read(&rows, d->c, s.text, s.size) : 0;

	c.s = &s;
	c.rows = &rows.rows;
	if (!rc)
		rc = rows.rest ? sd_json_load(&s, rows.rest, rows.rest_size, s.line, &v)
			       : sd_json_load(&s, s.text, s.size, s.line, &v);
	rc = rc ? rc : sd_decode_struct(&c, &here, v, runs.fields, NULL, &d->run[i]);
	json_decref(v);
	/* they stood elsewhere */
	if (!rc && rows.rows.list)
		rc = -EINVAL;
	sd_row_text_free(&rows);
	if (!rc && r->without_lanes) {
		sd_binned_lanes_free(d->run[i].lanes);
		d->run[i].lanes = NULL;
	}
	return rc;
}

/* Whole pages within the text hold nothing from now on, and take no memory: a large record and its
 * text are never there both. */
static void spend(const char *text, size_t n)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), into = (uintptr_t)text % page;
	const size_t skip = into ? page - into : 0;
	/* its owner may write to it, and said that it is spent */
	union {
		const char *in;
		char *out;
	} u = {.in = text};

	if (n >= skip + page)
		(void)madvise(u.out + skip, (n - skip) / page * page, MADV_DONTNEED);
}

/* Decodes one run silently; in the end only the first failure is said. */
static void try_run(void *ctx, size_t i, unsigned thread)
{
	const struct decoding *const d = ctx;

	(void)thread;
	d->rc[d->first + i] = decode_run(d, d->first + i, 1, NULL);
}

/* From the first one on as many as this much text holds, and one at least; behind them. */
static size_t behind_some(const struct sd_run_texts *t, size_t first, size_t bytes)
{
	size_t end = first + 1;

	while (end < t->n && t->run[end].end - t->run[first].begin <= bytes)
		end++;
	return end;
}

static int decode_some(struct decoding *d, size_t end, unsigned threads)
{
	const size_t first = d->first;

	sd_parallel_for(end - first, threads, try_run, d);
	for (size_t i = first; i < end; i++) {
		int rc;

		if (!d->rc[i])
			continue;
		sd_run_free(&d->run[i]);
		rc = decode_run(d, i, 0, d->c->s->sink);
		if (rc)
			return rc;
	}
	if (d->texts->spend)
		spend(d->c->s->text + d->texts->run[first].begin,
			d->texts->run[end - 1].end - d->texts->run[first].begin);
	return 0;
}

/* The lines before each run. */
static void count_lines(const struct sd_run_texts *t, const char *text, size_t *line)
{
	size_t at = 0, n = 0;

	for (size_t i = 0; i < t->n; i++) {
		for (; at < t->run[i].begin; at++)
			n += text[at] == '\n';
		line[i] = n;
	}
}

static int decode_runs(struct sd_field_in *c, const struct sd_run_texts *t, struct sd_record *out)
{
	const struct sd_json_path at = {.key = runs.key};
	const unsigned threads = sd_parallel_for_threads();
	size_t *const line = calloc(t->n + 1, sizeof *line);
	struct decoding d = {.c = c, .texts = t, .line = line};
	int rc = 0;

	d.rc = calloc(t->n + 1, sizeof *d.rc);
	if (t->n > runs.most)
		rc = sd_json_path_fault(
			c->s, &at, "has %zu elements, at most %zu are possible", t->n, runs.most);
	else if (t->n)
		out->run = d.run = calloc(t->n, sizeof *out->run);
	if (!rc && (!line || !d.rc || (t->n && !d.run)))
		rc = -ENOMEM;
	if (!rc) {
		out->n_run = t->n;
		count_lines(t, c->s->text, line);
		json_object_seed(0); /* once, before threads need it */
	}
	for (size_t end; !rc && d.first < t->n; d.first = end) {
		end = behind_some(t, d.first, (size_t)threads << 20);
		rc = decode_some(&d, end, threads);
	}
	free(line);
	free(d.rc);
	return rc;
}

int sd_decode(const struct sd_source *s, const json_t *root, const struct sd_run_texts *texts,
	struct sd_record *out)
{
	static const struct sd_field complete[] = {{.key = "complete", .type = SD_FIELD_BOOL}};
	static const struct sd_fields fields = {.field = complete, .n = 1};
	static const char *const others[] = {"kind", "schema", "tool", "host", "program",
		"?calibration", "?layout", "plan", "warnings", "?stacks", "?source_lines", "runs",
		"?crc32", NULL};
	const struct sd_json_path warnings = {.key = "warnings"}, stacks = {.key = "stacks"},
				  layout = {.key = "layout"};
	struct sd_field_in c = {.s = s};
	int rc = sd_decode_fields(&c, NULL, root, &fields, others, &out->complete);

	rc = rc ? rc : decode_tool(&c, json_object_get(root, "tool"), out);
	rc = rc ? rc : decode_part(&c, root, "host", &sd_fields_host, &out->host);
	rc = rc ? rc : decode_part(&c, root, "program", &sd_fields_program, &out->program);
	rc = rc ? rc
		: decode_part(&c, root, "calibration", &sd_fields_calibration, &out->calibration);
	if (!rc && json_object_get(root, layout.key))
		rc = sd_decode_layout(&c, &layout, json_object_get(root, layout.key), &out->layout);
	rc = rc ? rc : decode_part(&c, root, "plan", &sd_fields_plan, &out->plan);
	if (!rc)
		rc = sd_decode_texts(s, &warnings, json_object_get(root, warnings.key),
			SD_RECORD_TEXTS, SD_RECORD_TEXT_BYTES, &out->warnings);
	if (!rc && json_object_get(root, stacks.key))
		rc = sd_decode_stacks(&c, &stacks, json_object_get(root, stacks.key), &out->stacks);
	rc = rc ? rc : decode_list(&c, root, &source_lines, out);
	if (rc)
		return rc;
	return texts->rest ? decode_runs(&c, texts, out) : decode_list(&c, root, &runs, out);
}
