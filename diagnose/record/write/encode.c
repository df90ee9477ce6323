#include "write/encode.h"

#include <errno.h>
#include <lzma.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#include "base/parallel_for.h"
#include "fields/checksum.h"
#include "fields/fields.h"
#include "write/encode_field.h"
#include "write/encode_stacks.h"

/* ---- structs and lists of them, as their tables say ------------------------------------------ */

static int put_member(FILE *f, const struct sd_field *field, const void *in);

/* Without the brackets; zeros behind what a row needs are left out. */
static int put_row(FILE *f, const struct sd_fields *fields, const void *in)
{
	size_t n = fields->n;
	int rc = 0;

	while (n > fields->row && *(const double *)(const void *)((const char *)in +
								  fields->field[n - 1].offset) == 0)
		n--;
	for (size_t i = 0; !rc && i < n; i++) {
		rc = i && fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc : put_member(f, &fields->field[i], in);
	}
	return rc;
}

static int put_object(FILE *f, const struct sd_fields *fields, const void *in)
{
	const char *before = "{\"";
	int rc = 0;

	for (size_t i = 0; !rc && i < fields->n; i++) {
		const struct sd_field *const field = &fields->field[i];

		if ((field->need == SD_FIELD_SPARSE || field->type == SD_FIELD_VALUE) &&
			sd_field_empty(field, in))
			continue;
		rc = fputs(before, f) < 0 || fputs(field->key, f) < 0 || fputs("\":", f) < 0 ? -EIO
											     : 0;
		rc = rc ? rc : put_member(f, field, in);
		before = ",\"";
	}
	if (!rc && fputs(*before == '{' ? "{}" : "}", f) < 0)
		rc = -EIO;
	return rc;
}

/* An object, or what else an element of a list of these is. */
static int encode_struct(FILE *f, const struct sd_fields *fields, const void *in)
{
	int rc;

	if (!fields->row)
		return fields->field->key ? put_object(f, fields, in)
					  : put_member(f, fields->field, in);
	rc = fputs("[", f) < 0 ? -EIO : put_row(f, fields, in);
	return !rc && fputs("]", f) < 0 ? -EIO : rc;
}

/* n elements of `size` bytes in brackets, with `between` between them. */
static int encode_struct_list(FILE *f, const struct sd_fields *fields, const void *first, size_t n,
	size_t size, const char *between)
{
	int rc = fputs("[", f) < 0 ? -EIO : 0;

	for (size_t i = 0; !rc && i < n; i++) {
		rc = i && fputs(between, f) < 0 ? -EIO : 0;
		rc = rc ? rc : encode_struct(f, fields, (const char *)first + i * size);
	}
	return !rc && fputs("]", f) < 0 ? -EIO : rc;
}

/* Rows among them stand one behind the other without brackets of their own. */
static int put_fixed(FILE *f, const struct sd_field *field, const void *in)
{
	const char *const first = (const char *)in + field->offset;
	size_t n = field->most;
	int rc;

	while (n > 0 && sd_field_last_zero(field->fields, first + (n - 1) * field->size))
		n--;
	if (!field->fields->row)
		return encode_struct_list(f, field->fields, first, n, field->size, ",");
	rc = fputs("[", f) < 0 ? -EIO : 0;
	for (size_t i = 0; !rc && i < n; i++) {
		rc = i && fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc : put_row(f, field->fields, first + i * field->size);
	}
	return !rc && fputs("]", f) < 0 ? -EIO : rc;
}

static int put_member(FILE *f, const struct sd_field *field, const void *in)
{
	const char *const p = (const char *)in + field->offset;
	const void *there = NULL;
	size_t n = 0;

	switch (field->type) {
	case SD_FIELD_STRUCT:
		return encode_struct(f, field->fields, p);
	case SD_FIELD_OWNED:
		memcpy(&there, p, sizeof there);
		return encode_struct(f, field->fields, there);
	case SD_FIELD_ARRAY:
		memcpy(&there, p, sizeof there);
		memcpy(&n, (const char *)in + field->count, sizeof n);
		return encode_struct_list(f, field->fields, there, n, field->size, ",");
	case SD_FIELD_FIXED:
		return put_fixed(f, field, in);
	default:
		return sd_encode_field_scalar(f, field, in);
	}
}

/* ---- the record ------------------------------------------------------------------------------ */

/* A member of the record: a line of its own. */
static int put_line(FILE *f, const char *key, const struct sd_fields *fields, const void *in)
{
	int rc = fprintf(f, "\"%s\":", key) < 0 ? -EIO : 0;

	rc = rc ? rc : encode_struct(f, fields, in);
	return !rc && fputs(",\n", f) < 0 ? -EIO : rc;
}

static int put_host(FILE *f, const struct sd_record *r)
{
	return put_line(f, "host", &sd_fields_host, &r->host);
}

static int put_program(FILE *f, const struct sd_record *r)
{
	return put_line(f, "program", &sd_fields_program, &r->program);
}

static int put_calibration(FILE *f, const struct sd_record *r)
{
	if (!r->calibration.statement)
		return 0;
	return put_line(f, "calibration", &sd_fields_calibration, &r->calibration);
}

/* Nine digits: more than any clock has. */
static void put_seconds(FILE *f, double v)
{
	if (isfinite(v) && v >= 0)
		fprintf(f, "%.9g", v);
	else
		fputs("null", f);
}

static void put_pairs(FILE *f, const struct sd_pairs *p)
{
	fputs(",\"pairs\":{\"cpus\":[", f);
	for (size_t i = 0; i < p->n; i++)
		fprintf(f, "%s%u", i ? "," : "", p->cpu[i]);
	fputs("],\"s\":[", f);
	for (size_t a = 1; a < p->n; a++)
		for (size_t b = 0; b < a; b++) {
			fputs(a > 1 ? "," : "", f);
			put_seconds(f, p->s[a * p->n + b]);
		}
	fputs("]}", f);
}

static void put_loaded(FILE *f, const struct sd_machine_layout *l)
{
	fputs(",\"loaded\":[", f);
	for (size_t i = 0; i < l->n_loaded; i++) {
		const struct sd_loaded *c = &l->loaded[i];

		/* one of three words, checked when read */
		fprintf(f, "%s{\"mix\":\"%s\",\"points\":[", i ? "," : "", c->mix);
		for (size_t k = 0; k < c->n; k++) {
			fprintf(f, "%s[%.9g,", k ? "," : "", c->bandwidth[k]);
			put_seconds(f, c->latency[k]);
			fputs("]", f);
		}
		fputs("]}", f);
	}
	fputs("]", f);
}

/* Writes the member "layout" followed by a comma; nothing if there is no layout. CPUs are [os,
 * core, SMT rank, LLC, NUMA node, package, kind]; pairs are {"cpus": […], "s": […]}: the triangle
 * below the diagonal, row by row, null if not measured; curves are {"mix", "points": [[bytes/s, s],
 * …]}. 0, or -EIO: writing to `f` failed. */
static int put_layout(FILE *f, const struct sd_record *r)
{
	const struct sd_machine_layout *const l = &r->layout;
	int rc;

	if (!l->n_pu && !l->pairs.n && !l->n_loaded)
		return 0;
	fputs("\"layout\":{\"cpus\":", f);
	rc = encode_struct_list(f, &sd_fields_pu, l->pu, l->n_pu, sizeof *l->pu, ",");
	if (l->pairs.n)
		put_pairs(f, &l->pairs);
	if (l->n_loaded)
		put_loaded(f, l);
	fputs("},\n", f);
	return !rc && ferror(f) ? -EIO : rc;
}

static int put_plan(FILE *f, const struct sd_record *r)
{
	return put_line(f, "plan", &sd_fields_plan, &r->plan);
}

static int put_warnings(FILE *f, const struct sd_record *r)
{
	int rc = fputs("\"warnings\":", f) < 0 ? -EIO : sd_encode_field_texts(f, &r->warnings);

	return !rc && fputs(",\n", f) < 0 ? -EIO : rc;
}

int sd_encode_part(FILE *f, const struct sd_record *r, enum sd_encode_part part)
{
	static int (*const put[SD_ENCODE_PARTS])(FILE *, const struct sd_record *) = {
		[SD_ENCODE_HOST] = put_host,
		[SD_ENCODE_PROGRAM] = put_program,
		[SD_ENCODE_CALIBRATION] = put_calibration,
		[SD_ENCODE_LAYOUT] = put_layout,
		[SD_ENCODE_PLAN] = put_plan,
		[SD_ENCODE_WARNINGS] = put_warnings,
	};

	return put[part](f, r);
}

static int put_tool(FILE *f, const struct sd_record *r)
{
	int rc = fputs("\"tool\":{\"name\":\"scalediag\",\"version\":", f) < 0 ? -EIO : 0;

	rc = rc ? rc : sd_encode_field_text(f, r->tool_version);
	if (!rc && fprintf(f, "},\n\"complete\":%s,\n", r->complete ? "true" : "false") < 0)
		rc = -EIO;
	return rc;
}

int sd_encode_new_stacks(FILE *f, const struct sd_stacks *s, const struct sd_stacks_count *before)
{
	int rc;

	if (s->n_node <= before->node && s->n_text <= before->text && s->n_frame <= before->frame)
		return 0;
	rc = fputs("\"stacks\":", f) < 0 ? -EIO : sd_encode_stacks(f, s, before);
	return !rc && fputs(",\n", f) < 0 ? -EIO : rc;
}

static int put_source(FILE *f, const struct sd_record *r)
{
	int rc;

	if (!r->n_source)
		return 0;
	if (fputs("\"source_lines\":", f) < 0)
		return -EIO;
	rc = encode_struct_list(
		f, &sd_fields_source, r->source, r->n_source, sizeof *r->source, ",");
	return !rc && fputs(",\n", f) < 0 ? -EIO : rc;
}

/* Runs, a group of them encoded into each memory by as many threads as there are; the groups are
 * written in their order. A group is one run at first, and twice as many as before as long
 * as those before had less than GROUP_BYTES: small runs cost no stream and no thread each, and only
 * some of the large ones are in memory. */
#define AT_ONCE (4 * SD_PARALLEL_FOR_MOST)
#define AT_ONCE_EACH 16u
#define GROUP_BYTES 16384u
struct encoding {
	const struct sd_run *run;
	size_t n, group; /* runs of these; of a group */
	char *text[AT_ONCE];
	size_t size[AT_ONCE];
	int rc[AT_ONCE];
};

static void encode_group(void *ctx, size_t g, unsigned thread)
{
	struct encoding *const e = ctx;
	const size_t first = g * e->group, left = e->n - first;
	FILE *const f = open_memstream(&e->text[g], &e->size[g]);
	int rc = -ENOMEM;

	(void)thread;
	if (f)
		__fsetlocking(f, FSETLOCKING_BYCALLER); /* nobody else has it */
	if (f)
		rc = encode_struct_list(f, &sd_fields_run, &e->run[first],
			left < e->group ? left : e->group, sizeof *e->run, ",\n");
	if (f && fclose(f) != 0)
		rc = -ENOMEM;
	e->rc[g] = rc;
}

/* Writes n runs, and sets *group to what the next ones may have. */
static int put_some(FILE *f, const struct sd_run *run, size_t n, size_t *group)
{
	struct encoding e = {.run = run, .n = n, .group = *group};
	const size_t groups = (n + e.group - 1) / e.group;
	size_t bytes = 0;
	int rc = 0;

	sd_parallel_for(groups, sd_parallel_for_threads(), encode_group, &e);
	for (size_t g = 0; g < groups; g++) {
		rc = rc ? rc : e.rc[g];
		/* without the brackets of the list */
		if (!rc && (fputs(g ? ",\n" : "\n", f) < 0 ||
				   fwrite(e.text[g] + 1, 1, e.size[g] - 2, f) != e.size[g] - 2))
			rc = -EIO;
		bytes += e.size[g];
		free(e.text[g]);
	}
	*group = bytes < groups * GROUP_BYTES ? *group * 2 : (*group + 1) / 2;
	return rc;
}

static int put_runs(FILE *f, const struct sd_run *run, size_t n)
{
	const size_t threads = sd_parallel_for_threads(),
		     groups = AT_ONCE_EACH * threads < AT_ONCE ? AT_ONCE_EACH * threads : AT_ONCE;
	int rc = fputs("\"runs\":[", f) < 0 ? -EIO : 0;
	size_t group = 1;

	for (size_t i = 0, some; !rc && i < n; i += some) {
		some = n - i < groups * group ? n - i : groups * group;
		rc = i && fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc : put_some(f, run + i, some, &group);
	}
	return !rc && fputs("\n]", f) < 0 ? -EIO : rc;
}

int sd_encode_runs(FILE *f, const struct sd_run *run, size_t n)
{
	const int rc = put_runs(f, run, n);

	return !rc && fputs("}\n", f) < 0 ? -EIO : rc;
}

static int put_record(FILE *f, const struct sd_record *r)
{
	static const struct sd_stacks_count none = {0};
	int rc = fprintf(f, "{\"kind\":\"%s\",\"schema\":%d,\n", SD_RECORD_KIND, SD_RECORD_SCHEMA) <
				 0
			 ? -EIO
			 : put_tool(f, r);

	for (int part = 0; !rc && part < SD_ENCODE_PARTS; part++)
		rc = sd_encode_part(f, r, (enum sd_encode_part)part);
	rc = rc ? rc : sd_encode_new_stacks(f, &r->stacks, &none);
	rc = rc ? rc : put_source(f, r);
	return rc ? rc : put_runs(f, r->run, r->n_run);
}

/* ---- with its checksum ----------------------------------------------------------------------- */

struct summed {
	FILE *to;
	uint32_t crc;
};

static ssize_t write_summed(void *cookie, const char *text, size_t n)
{
	struct summed *const s = cookie;

	s->crc = lzma_crc32((const uint8_t *)text, n, s->crc);
	return fwrite(text, 1, n, s->to) == n ? (ssize_t)n : -1;
}

int sd_encode_summed(FILE *f, const struct sd_record *r, uint32_t *crc)
{
	struct summed s = {.to = f};
	FILE *const through = fopencookie(&s, "w", (cookie_io_functions_t){.write = write_summed});
	int rc = through ? put_record(through, r) : -ENOMEM;

	if (through && fclose(through) != 0 && !rc)
		rc = -EIO;
	*crc = s.crc;
	return !rc && fprintf(f, SD_CHECKSUM_TAIL "\n", s.crc) < 0 ? -EIO : rc;
}

int sd_encode(FILE *f, const struct sd_record *r)
{
	uint32_t crc;

	return sd_encode_summed(f, r, &crc);
}
