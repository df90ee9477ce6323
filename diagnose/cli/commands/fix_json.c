#include "commands/fix_json.h"

#include <errno.h>
#include <stdlib.h>

#include "record/cause.h"
#include "render/json_values.h"

#define SCHEMA 1

/* null for "". */
static json_t *put_text(const char *s)
{
	return *s ? sd_json_text(s) : json_null();
}

static json_t *put_change(const struct sd_fix_entry *e)
{
	static const struct sd_texts none;

	return json_pack("{s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "cause",
		sd_cause_info[e->cause].name, "title", sd_json_text(e->title), "diff",
		*e->what != 0, "what", put_text(e->what), "after", put_text(e->after), "check",
		put_text(e->check), "why", put_text(e->why), "advice",
		sd_json_texts(*e->why && e->advice ? e->advice : &none));
}

/* Nothing is said of lines, or of cores, where that was not looked at. */
static json_t *put_left(const struct sd_fix_trial *t, size_t i)
{
	const struct sd_fix_entry *const e = &t->plan->entry[i];
	const struct sd_fix_left *const l = &t->left[i];
	const int lines = l->looked && *e->object;
	json_t *out = json_pack("{s:I, s:s, s:o, s:o, s:o}", "change", (json_int_t)i + 1, "cause",
		sd_cause_info[e->cause].name, "object", put_text(e->object), "lines",
		lines ? json_integer((json_int_t)l->lines) : json_null(), "gone",
		lines ? json_boolean(l->lines == 0) : json_null());

	sd_json_set(&out, "cores_before", sd_json_interval(l->before, 2));
	sd_json_set(&out, "cores_after", sd_json_interval(l->after, 2));
	return out;
}

static json_t *put_trial(const struct sd_fix_trial *t)
{
	const struct sd_timed_pairs *const p = &t->pairs;
	json_t *left = json_array(), *out;

	if (!p->pairs) {
		json_decref(left);
		return json_null();
	}
	for (size_t i = 0; i < t->plan->n; i++)
		if (*t->plan->entry[i].what)
			sd_json_add(&left, put_left(t, i));
	out = json_pack("{s:s, s:o, s:I, s:s}", "verdict", sd_fix_verdict_name[t->verdict], "gain",
		sd_json_interval(p->gain, p->pairs), "pairs", (json_int_t)p->pairs, "output",
		p->same     ? "same"
		: p->steady ? "different"
			    : "varies");
	sd_json_set(&out, "seconds_before", sd_json_real(p->side[SD_PAIR_BEFORE].seconds));
	sd_json_set(&out, "seconds_after", sd_json_real(p->side[SD_PAIR_AFTER].seconds));
	sd_json_set(&out, "left", left);
	return out;
}

/* The diff of all; NULL: no memory. */
static json_t *put_diff(const struct sd_fix_sources *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const m = open_memstream(&text, &size);
	int rc = m ? sd_fix_sources_diff(m, s) : -ENOMEM;
	json_t *out = NULL;

	if (m && fclose(m) != 0)
		rc = -ENOMEM;
	if (!rc)
		out = put_text(text);
	free(text);
	return out;
}

int sd_fix_json(FILE *f, const struct sd_fix_trial *t)
{
	json_t *changes = json_array(), *out;

	for (size_t i = 0; i < t->plan->n; i++)
		sd_json_add(&changes, put_change(&t->plan->entry[i]));
	out = json_pack("{s:i, s:s, s:{s:s, s:s}, s:o, s:o, s:o}", "schema", SCHEMA, "kind", "fix",
		"tool", "name", "scalediag", "version", SD_VERSION, "changes", changes, "diff",
		put_diff(t->sources), "try", put_trial(t));
	return sd_json_print(f, out);
}
