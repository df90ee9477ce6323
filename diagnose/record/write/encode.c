#include "write/encode.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "write/encode_layout.h"
#include "write/encode_samples.h"
#include "write/encode_simulated.h"
#include "fields/fields.h"
#include "write/encode_field.h"

#define DUMP (JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY)

/* Every function here returns a new reference, or NULL: out of memory or not a JSON number. */

static json_t *put_program(const struct sd_program *p)
{
	json_t *out = json_object();
	int bad = !out || sd_encode_set(out, "argv", sd_encode_texts(&p->argv)) != 0;

	if (!bad && p->cwd)
		bad = sd_encode_set(out, "cwd", sd_encode_text(p->cwd)) != 0;
	if (!bad && p->rate)
		bad = sd_encode_set(out, "rate", sd_encode_text(p->rate)) != 0;
	if (!bad && p->prepare)
		bad = sd_encode_set(out, "prepare", sd_encode_text(p->prepare)) != 0;
	bad = bad || sd_encode_set(out, "env", sd_encode_texts(&p->env)) != 0 ||
	      sd_encode_fields(out, &sd_fields_program, p) != 0;
	if (!bad && sd_has(p->file.bytes))
		bad = sd_encode_set(out, "file",
			      sd_encode_struct(&sd_fields_program_file, &p->file)) != 0;
	if (bad) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *put_calibration(const struct sd_calibration *c)
{
	json_t *out = sd_encode_struct(&sd_fields_calibration, c), *ceilings = json_array();
	int bad = !out || !ceilings;

	for (size_t i = 0; !bad && i < c->n_ceiling; i++)
		bad = json_array_append_new(
			      ceilings, sd_encode_struct(&sd_fields_ceiling, &c->ceiling[i])) != 0;
	bad = bad || sd_encode_set(out, "statement", sd_encode_text(c->statement)) != 0 ||
	      json_object_set(out, "ceilings", ceilings) != 0;
	json_decref(ceilings);
	if (bad) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *put_point(const struct sd_plan_point *p)
{
	char *cpus = sd_cpulist_format(&p->cpus);
	json_t *out =
		cpus ? json_pack("{s:I,s:s}", "cores", (json_int_t)p->cores, "cpus", cpus) : NULL;

	free(cpus);
	if (out && p->simulated && sd_encode_set(out, "simulated", json_true()) != 0) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *put_passes(const struct sd_plan *p)
{
	json_t *out = json_array();
	int bad = !out;

	for (size_t i = 0; !bad && i < p->n_pass; i++) {
		json_t *pass = json_array();

		bad = json_array_append_new(out, pass) != 0;
		for (size_t j = 0; !bad && j < p->pass[i].n_role; j++)
			bad = json_array_append_new(
				      pass, json_string(sd_role_name(p->pass[i].role[j]))) != 0;
	}
	if (bad) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *put_experiment(const struct sd_plan_experiment *e)
{
	json_t *out = sd_encode_struct(&sd_fields_experiment, e);
	char *cpus = e->cpus.n ? sd_cpulist_format(&e->cpus) : NULL;
	int bad = !out || (e->cpus.n && !cpus);

	if (!bad && cpus)
		bad = sd_encode_set(out, "cpus", json_string(cpus)) != 0;
	if (!bad && e->skipped)
		bad = sd_encode_set(out, "skipped", sd_encode_text(e->skipped)) != 0;
	if (!bad && e->unended_s > 0)
		bad = sd_encode_set(out, "unended_s", json_real(e->unended_s)) != 0;
	free(cpus);
	if (bad) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *put_experiments(const struct sd_plan *p)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < p->n_experiment; i++)
		if (json_array_append_new(out, put_experiment(&p->experiment[i])) != 0) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *put_plan(const struct sd_plan *p)
{
	json_t *out = json_object(), *points = json_array(), *skipped = json_array();
	int bad = !out || !points || !skipped;

	for (size_t i = 0; !bad && i < p->n_point; i++)
		bad = json_array_append_new(points, put_point(&p->point[i])) != 0;
	for (size_t i = 0; !bad && i < p->n_skipped; i++)
		bad = json_array_append_new(skipped, json_integer(p->skipped[i])) != 0;
	bad = bad || json_object_set(out, "points", points) != 0 ||
	      json_object_set(out, "skipped", skipped) != 0 ||
	      sd_encode_fields(out, &sd_fields_plan, p) != 0;
	if (!bad && p->n_pass)
		bad = sd_encode_set(out, "passes", put_passes(p)) != 0 ||
		      sd_encode_set(out, "multiplex", json_boolean(p->multiplex)) != 0;
	if (!bad && p->no_samples)
		bad = sd_encode_set(out, "no_samples", json_true()) != 0;
	if (!bad && p->simulation)
		bad = sd_encode_set(out, "simulation", sd_encode_simulation(p->simulation)) != 0;
	if (!bad && p->n_experiment)
		bad = sd_encode_set(out, "experiments", put_experiments(p)) != 0;
	json_decref(points);
	json_decref(skipped);
	if (bad) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *put_flags(unsigned flags)
{
	json_t *out = json_array();

	for (unsigned bit = 0; out && bit < SD_FIELD_FLAGS; bit++) {
		if (!(flags >> bit & 1u) || !sd_field_flag[bit])
			continue;
		if (json_array_append_new(out, json_string(sd_field_flag[bit])) != 0) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

static json_t *put_concurrency(const struct sd_run *r)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < r->n_concurrency; i++)
		if (json_array_append_new(out, json_real(r->concurrency[i])) != 0) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *put_threads(const struct sd_run *r)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < r->n_thread; i++)
		if (json_array_append_new(
			    out, sd_encode_struct(&sd_fields_thread, &r->thread[i])) != 0) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *put_roles(const struct sd_run *r)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < r->n_role; i++)
		if (json_array_append_new(out, sd_encode_struct(&sd_fields_role, &r->role[i])) !=
			0) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *put_tried(const struct sd_experiment_run *t)
{
	json_t *out = sd_encode_struct(&sd_fields_tried, t), *copies = json_array();
	int bad = !out || !copies;

	for (size_t i = 0; !bad && i < t->n_copy; i++)
		bad = json_array_append_new(
			      copies, sd_encode_struct(&sd_fields_copy, &t->copy[i])) != 0;
	if (!bad && t->n_copy)
		bad = json_object_set(out, "copies", copies) != 0;
	json_decref(copies);
	if (bad) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *put_run(const struct sd_run *r)
{
	json_t *out = sd_encode_struct(&sd_fields_run, r);

	if (!out)
		return NULL;
	if (sd_encode_set(out, "flags", put_flags(r->flags)) != 0 ||
		sd_encode_set(out, "metrics", sd_encode_struct(&sd_fields_metrics, r)) != 0 ||
		sd_encode_set(out, "idle", sd_encode_struct(&sd_fields_idle, r)) != 0 ||
		sd_encode_set(out, "concurrency", put_concurrency(r)) != 0 ||
		sd_encode_set(out, "threads", put_threads(r)) != 0 ||
		(r->n_role && (sd_encode_set(out, "pass", json_integer(r->pass)) != 0 ||
				      sd_encode_set(out, "roles", put_roles(r)) != 0)) ||
		(r->simulated &&
			sd_encode_set(out, "simulated", sd_encode_simulated(r->simulated)) != 0) ||
		(r->memory && sd_encode_set(out, "memory", sd_encode_memory(r->memory)) != 0) ||
		(r->tried && sd_encode_set(out, "tried", put_tried(r->tried)) != 0)) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *put_source_lines(const struct sd_record *r)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < r->n_source; i++) {
		json_t *place = sd_encode_struct(&sd_fields_source_lines, &r->source[i]);
		int bad = !place ||
			  sd_encode_set(place, "file", sd_encode_text(r->source[i].file)) != 0 ||
			  sd_encode_set(place, "lines", sd_encode_texts(&r->source[i].line)) != 0;

		if (bad || json_array_append(out, place) != 0) {
			json_decref(place);
			json_decref(out);
			return NULL;
		}
		json_decref(place);
	}
	return out;
}

/* Takes `value`. */
static int dump(FILE *f, const char *before, json_t *value, const char *after)
{
	int bad;

	if (!value)
		return errno == ENOMEM ? -ENOMEM : -EINVAL;
	bad = fputs(before, f) < 0 || json_dumpf(value, f, DUMP) != 0 || fputs(after, f) < 0;
	json_decref(value);
	return bad ? -EIO : 0;
}

static int write_stacks(FILE *f, const struct sd_stacks *stacks)
{
	int rc = fputs("\"stacks\":", f) < 0 ? -EIO : sd_encode_stacks(f, stacks);

	return !rc && fputs(",\n", f) < 0 ? -EIO : rc;
}

static int write_run(FILE *f, const struct sd_run *r)
{
	json_t *const run = put_run(r);
	int rc = 0;

	if (!run)
		return errno == ENOMEM ? -ENOMEM : -EINVAL;
	if (fputs("{", f) < 0 || json_dumpf(run, f, DUMP | JSON_EMBED) != 0)
		rc = -EIO;
	json_decref(run);
	if (!rc && r->sampled.status != SD_STATUS_ABSENT) {
		rc = fputs(",\"sampled\":", f) < 0 ? -EIO : 0;
		rc = rc ? rc : sd_encode_sampled(f, &r->sampled);
	}
	return !rc && fputs("}", f) < 0 ? -EIO : rc;
}

int sd_encode(FILE *f, const struct sd_record *r)
{
	int rc;

	errno = 0;
	if (fprintf(f, "{\"kind\":\"%s\",\"schema\":%d,\n", SD_RECORD_KIND, SD_RECORD_SCHEMA) < 0)
		return -EIO;
	rc = dump(f, "\"tool\":",
		json_pack("{s:s,s:o}", "name", "scalediag", "version",
			sd_encode_text(r->tool_version)),
		",\n");
	if (!rc)
		rc = dump(f, "\"complete\":", json_boolean(r->complete), ",\n");
	if (!rc)
		rc = dump(f, "\"host\":", sd_encode_struct(&sd_fields_host, &r->host), ",\n");
	if (!rc)
		rc = dump(f, "\"program\":", put_program(&r->program), ",\n");
	if (!rc && r->calibration.statement)
		rc = dump(f, "\"calibration\":", put_calibration(&r->calibration), ",\n");
	if (!rc)
		rc = sd_encode_layout(f, &r->layout);
	if (!rc)
		rc = dump(f, "\"plan\":", put_plan(&r->plan), ",\n");
	if (!rc)
		rc = dump(f, "\"warnings\":", sd_encode_texts(&r->warnings), ",\n");
	if (!rc && r->stacks.n_text)
		rc = write_stacks(f, &r->stacks);
	if (!rc && r->n_source)
		rc = dump(f, "\"source_lines\":", put_source_lines(r), ",\n");
	if (!rc && fputs("\"runs\":[", f) < 0)
		rc = -EIO;
	for (size_t i = 0; !rc && i < r->n_run; i++) {
		rc = fputs(i ? ",\n" : "\n", f) < 0 ? -EIO : 0;
		rc = rc ? rc : write_run(f, &r->run[i]);
	}
	if (!rc && fputs("\n]}\n", f) < 0)
		rc = -EIO;
	return rc;
}
