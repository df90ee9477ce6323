#include "commands/fix_json.h"

#include <errno.h>
#include <stdlib.h>

#include "record/cause.h"
#include "render/json_values.h"

static json_t *put_change(const struct sd_fix_entry *e)
{
	static const struct sd_texts none;

	return sd_json("cause", sd_cause_info[e->cause].name, "title", e->title, "diff",
		json_boolean(*e->what != 0), "what", sd_json_name(e->what), "after",
		sd_json_name(e->after), "check", sd_json_name(e->check), "why",
		sd_json_name(e->why), "advice", *e->why && e->advice ? e->advice : &none);
}

/* Nothing is said of lines, or of cores, where that was not looked at. */
static json_t *put_left(const struct sd_fix_trial *t, size_t i)
{
	const struct sd_fix_entry *const e = &t->plan->entry[i];
	const struct sd_fix_left *const l = &t->left[i];
	const int lines = l->looked && *e->object;

	return sd_json("change", i + 1, "cause", sd_cause_info[e->cause].name, "object",
		sd_json_name(e->object), "lines",
		lines ? json_integer((json_int_t)l->lines) : json_null(), "gone",
		lines ? json_boolean(l->lines == 0) : json_null(), "cores_before",
		sd_json_interval(l->before, 2), "cores_after", sd_json_interval(l->after, 2));
}

static json_t *put_trial(const struct sd_fix_trial *t)
{
	const struct sd_timed_pairs *const p = &t->pairs;
	json_t *left;

	if (!p->pairs)
		return json_null();
	left = json_array();
	for (size_t i = 0; i < t->plan->n; i++)
		if (*t->plan->entry[i].what)
			sd_json_add(&left, put_left(t, i));
	return sd_json("verdict", sd_fix_verdict_name[t->verdict], "gain",
		sd_json_interval(p->gain, p->pairs), "pairs", p->pairs, "output",
		p->same     ? "same"
		: p->steady ? "different"
			    : "varies",
		"seconds_before", p->side[SD_PAIR_BEFORE].seconds, "seconds_after",
		p->side[SD_PAIR_AFTER].seconds, "left", left);
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
		out = sd_json_name(text);
	free(text);
	return out;
}

int sd_fix_json(FILE *f, const struct sd_fix_trial *t)
{
	json_t *changes = json_array(), *out = sd_json_head("fix");

	for (size_t i = 0; i < t->plan->n; i++)
		sd_json_add(&changes, put_change(&t->plan->entry[i]));
	sd_json_put(&out, "changes", changes, "diff", put_diff(t->sources), "try", put_trial(t));
	return sd_json_print(f, out);
}
