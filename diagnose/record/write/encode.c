#include "write/encode.h"

#include <errno.h>
#include <lzma.h>
#include <math.h>
#include <stdlib.h>

#include "base/parallel_for.h"
#include "fields/checksum.h"
#include "fields/fields.h"
#include "write/encode_field.h"
#include "write/encode_stacks.h"
#include "write/encode_struct.h"

/* A member of the record: a line of its own. */
static int put_line(FILE *f, const char *key, const struct sd_fields *fields, const void *in)
{
	int rc = fprintf(f, "\"%s\":", key) < 0 ? -EIO : 0;

	rc = rc ? rc : sd_encode_struct(f, fields, in);
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
	rc = sd_encode_struct_list(f, &sd_fields_pu, l->pu, l->n_pu, sizeof *l->pu, ",");
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
	rc = sd_encode_struct_list(
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
	int rc = f ? 0 : -ENOMEM;

	(void)thread;
	if (f)
		rc = sd_encode_struct_list(f, &sd_fields_run, &e->run[first],
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
	FILE *const through =
		fopencookie(&s, "w", (cookie_io_functions_t){.write = write_summed});
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
