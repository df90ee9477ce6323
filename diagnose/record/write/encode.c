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

#define DUMP (JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY)

/* Every function here returns a new reference, or NULL: out of memory or not a JSON number. */

static json_t *put_hex(const char *s)
{
	static const char digit[] = "0123456789abcdef";
	const size_t n = strlen(s);
	char *hex = malloc(2 * n + 1);
	json_t *out;

	if (!hex)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		hex[2 * i] = digit[(unsigned char)s[i] >> 4];
		hex[2 * i + 1] = digit[(unsigned char)s[i] & 15];
	}
	hex[2 * n] = '\0';
	out = json_pack("{s:s}", "hex", hex);
	free(hex);
	return out;
}

/* jansson refuses a string that is not UTF-8: those go as hexadecimal, and nothing is lost. */
json_t *sd_encode_text(const char *s)
{
	json_t *out = json_string(s);

	return out ? out : put_hex(s);
}

static json_t *put_texts(const struct sd_texts *t)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < t->n; i++)
		if (json_array_append_new(out, sd_encode_text(t->text[i])) != 0) {
			json_decref(out);
			return NULL;
		}
	return out;
}

static json_t *put_value(const struct sd_field *f, struct sd_value v)
{
	if (!sd_has(v))
		return json_string(sd_status_name(v.status));
	if (!sd_field_fits(f, v.value))
		return json_string(sd_status_name(SD_STATUS_ABSENT));
	if (v.status == SD_STATUS_OK)
		return json_real(v.value);
	return json_pack("{s:f,s:s}", "value", v.value, "status", sd_status_name(v.status));
}

static json_t *put_bits(uint64_t v)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, v);
	return json_string(text);
}

static json_t *put_name(const struct sd_field *f, const char *p)
{
	unsigned v; /* of an enum's size: see the assertion in put_field */

	memcpy(&v, p, sizeof v);
	return v < f->size ? json_string(f->names[v]) : NULL;
}

static json_t *put_field(const struct sd_field *f, const void *in)
{
	const char *p = (const char *)in + f->offset;

	_Static_assert(sizeof(enum sd_end) == sizeof(unsigned), "enums are read as unsigned");
	switch (f->type) {
	case SD_FIELD_TEXT:
		return sd_encode_text(p);
	case SD_FIELD_UNSIGNED:
		return json_integer(*(const unsigned *)(const void *)p);
	case SD_FIELD_INT:
		return json_integer(*(const int *)(const void *)p);
	case SD_FIELD_SIZE:
		return json_integer((json_int_t)(*(const size_t *)(const void *)p));
	case SD_FIELD_COUNT64:
		return json_integer((json_int_t)(*(const uint64_t *)(const void *)p));
	case SD_FIELD_BITS64:
		return put_bits(*(const uint64_t *)(const void *)p);
	case SD_FIELD_REAL:
		return json_real(*(const double *)(const void *)p);
	case SD_FIELD_VALUE:
		return put_value(f, *(const struct sd_value *)(const void *)p);
	case SD_FIELD_NAME:
		return put_name(f, p);
	case SD_FIELD_BOOL:
		return json_boolean(*(const int *)(const void *)p);
	}
	return NULL;
}

/* Takes `value` also on failure; a NULL one is a failure. */
static int set(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new_nocheck(object, key, value) == 0 ? 0 : -1;
}

static int put_fields(json_t *object, const struct sd_fields *fields, const void *in)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct sd_field *f = &fields->field[i];
		const char *p = (const char *)in + f->offset;

		if (f->type == SD_FIELD_VALUE &&
			((const struct sd_value *)(const void *)p)->status == SD_STATUS_ABSENT)
			continue;
		if (set(object, f->key, put_field(f, in)) != 0)
			return -1;
	}
	return 0;
}

json_t *sd_encode_struct(const struct sd_fields *fields, const void *in)
{
	json_t *out = json_object();

	if (out && put_fields(out, fields, in) != 0) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *put_program(const struct sd_program *p)
{
	json_t *out = json_object();
	int bad = !out || set(out, "argv", put_texts(&p->argv)) != 0;

	if (!bad && p->cwd)
		bad = set(out, "cwd", sd_encode_text(p->cwd)) != 0;
	if (!bad && p->rate)
		bad = set(out, "rate", sd_encode_text(p->rate)) != 0;
	if (!bad && p->prepare)
		bad = set(out, "prepare", sd_encode_text(p->prepare)) != 0;
	bad = bad || set(out, "env", put_texts(&p->env)) != 0 ||
	      put_fields(out, &sd_fields_program, p) != 0;
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
	bad = bad || set(out, "statement", sd_encode_text(c->statement)) != 0 ||
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
	if (out && p->simulated && set(out, "simulated", json_true()) != 0) {
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
		bad = set(out, "cpus", json_string(cpus)) != 0;
	if (!bad && e->skipped)
		bad = set(out, "skipped", sd_encode_text(e->skipped)) != 0;
	if (!bad && e->unended_s > 0)
		bad = set(out, "unended_s", json_real(e->unended_s)) != 0;
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
	      put_fields(out, &sd_fields_plan, p) != 0;
	if (!bad && p->n_pass)
		bad = set(out, "passes", put_passes(p)) != 0 ||
		      set(out, "multiplex", json_boolean(p->multiplex)) != 0;
	if (!bad && p->simulation)
		bad = set(out, "simulation", sd_encode_simulation(p->simulation)) != 0;
	if (!bad && p->n_experiment)
		bad = set(out, "experiments", put_experiments(p)) != 0;
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
	if (set(out, "flags", put_flags(r->flags)) != 0 ||
		set(out, "metrics", sd_encode_struct(&sd_fields_metrics, r)) != 0 ||
		set(out, "idle", sd_encode_struct(&sd_fields_idle, r)) != 0 ||
		set(out, "concurrency", put_concurrency(r)) != 0 ||
		set(out, "threads", put_threads(r)) != 0 ||
		(r->n_role && (set(out, "pass", json_integer(r->pass)) != 0 ||
				      set(out, "roles", put_roles(r)) != 0)) ||
		(r->simulated && set(out, "simulated", sd_encode_simulated(r->simulated)) != 0) ||
		(r->memory && set(out, "memory", sd_encode_memory(r->memory)) != 0) ||
		(r->tried && set(out, "tried", put_tried(r->tried)) != 0)) {
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
		int bad = !place || set(place, "file", sd_encode_text(r->source[i].file)) != 0 ||
			  set(place, "lines", put_texts(&r->source[i].line)) != 0;

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
		rc = dump(f, "\"warnings\":", put_texts(&r->warnings), ",\n");
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
