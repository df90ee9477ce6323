#include "profile/profile_file.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

#include "output/output_file.h"

#define DUMP (JSON_INDENT(1) | JSON_REAL_PRECISION(12))

static json_t *put_real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *put_value(struct sd_value v)
{
	return sd_has(v) ? put_real(v.value) : json_string(sd_status_name(v.status));
}

/* A row; its numbers are null when there are none. */
static json_t *put_row(const struct sd_bench_row *r)
{
	const int has = sd_bench_row_value(r).status == SD_STATUS_OK ||
			sd_bench_row_value(r).status == SD_STATUS_NOISY;

	return json_pack("{s:s, s:s, s:i, s:s, s:o, s:s, s:s, s:i, s:I, s:I, s:o, s:o, s:o, s:o, "
			 "s:o, s:s, s:s, s:o*, s:o*}",
		"kernel", r->kernel, "variant", r->variant, "cores", (int)r->cores, "cpus", r->cpus,
		"parameter", put_real(r->parameter), "parameter_unit", r->parameter_unit, "unit",
		r->unit, "state", (int)r->state, "n", (json_int_t)r->n, "dropped",
		(json_int_t)r->dropped, "median", has ? put_real(r->median) : json_null(), "q1",
		has ? put_real(r->q1) : json_null(), "q3", has ? put_real(r->q3) : json_null(),
		"low", has ? put_real(r->low) : json_null(), "high",
		has ? put_real(r->high) : json_null(), "status", sd_status_name(r->status), "why",
		r->why, "calibrations", r->calibrations ? json_integer(r->calibrations) : NULL,
		"between", r->calibrations ? put_real(r->between) : NULL);
}

static json_t *put_rows(const struct sd_bench_rows *rows)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < rows->n; i++)
		if (json_array_append_new(out, put_row(&rows->row[i])) != 0) {
			json_decref(out);
			out = NULL;
		}
	return out;
}

static json_t *put_states(const struct sd_machine_states *s)
{
	json_t *out = json_array();

	for (unsigned i = 0; out && i < s->n; i++)
		if (json_array_append_new(out,
			    json_pack("{s:o, s:I, s:o*, s:o*}", "line_s", put_real(s->line[i]),
				    "seen", (json_int_t)s->seen[i], "near_s",
				    s->split[i][0] > 0 ? put_real(s->split[i][0]) : NULL, "far_s",
				    s->split[i][0] > 0 ? put_real(s->split[i][1]) : NULL)) != 0) {
			json_decref(out);
			out = NULL;
		}
	return out;
}

/* NULL when nothing is known of them. */
static json_t *put_facts(const struct sd_profile *p)
{
	json_t *out = NULL;

	for (int i = 0; i < SD_NODE_FACT_COUNT; i++)
		if (p->facts.text[i][0]) {
			out = out ? out : json_object();
			json_object_set_new(
				out, sd_node_fact_name[i], json_string(p->facts.text[i]));
		}
	if (p->memory_peak.status != SD_STATUS_ABSENT) {
		out = out ? out : json_object();
		json_object_set_new(out, "memory-peak", put_value(p->memory_peak));
	}
	return out;
}

static json_t *put_profile(const struct sd_profile *p)
{
	return json_pack(
		"{s:s, s:i, s:{s:s}, s:{s:s, s:s, s:s, s:s, s:s*, s:i, s:o}, s:f, s:f, s:b, "
		"s:o*, s:o*, s:o*, s:{s:o, s:o, s:I, s:I, s:I, s:b}, s:o, s:o}",
		"kind", SD_PROFILE_KIND, "schema", SD_PROFILE_SCHEMA, "tool", "version",
		p->tool_version, "host", "name", p->key.host, "cpu", p->key.cpu, "kernel",
		p->key.kernel, "topology", p->key.topology, "machine",
		p->key.machine[0] ? p->key.machine : NULL, "granted_cpus", (int)p->granted,
		"visible_llc", put_value(p->visible_llc), "start", p->start, "seconds", p->seconds,
		"quick", p->quick, "calibrations",
		p->calibrations > 1 ? json_integer(p->calibrations) : NULL, "blocks",
		p->blocks ? json_integer(p->blocks) : NULL, "facts", put_facts(p), "noise", "steal",
		put_value(p->quiet.steal), "psi_cpu", put_value(p->quiet.psi_cpu), "spread_rows",
		(json_int_t)p->quiet.spread, "noisy_rows", (json_int_t)p->quiet.noisy,
		"dropped_samples", (json_int_t)p->quiet.dropped, "quiet", sd_profile_was_quiet(p),
		"states", put_states(&p->states), "rows", put_rows(&p->rows));
}

int sd_profile_encode(FILE *f, const struct sd_profile *p)
{
	json_t *root = put_profile(p);
	int rc = root ? 0 : -ENOMEM;

	if (rc == 0 && (json_dumpf(root, f, DUMP) != 0 || fputc('\n', f) == EOF))
		rc = -EIO;
	json_decref(root);
	return rc;
}

static int put(FILE *f, const void *profile)
{
	return sd_profile_encode(f, profile);
}

int sd_profile_write(const char *path, const struct sd_profile *p, const struct sd_sink *sink)
{
	return sd_output_file_write(path, SD_OUTPUT_PROFILE, put, p, sink);
}
