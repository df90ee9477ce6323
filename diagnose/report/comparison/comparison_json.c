#include <jansson.h>
#include <stdlib.h>

#include "comparison/comparison_report.h"
#include "render/json_values.h"

#define SCHEMA 1

static json_t *put_part(const struct sd_compared_part *p)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:s}", "component",
		sd_component_info[p->component].name, "before_core_s",
		sd_json_interval(p->before, 2), "after_core_s", sd_json_interval(p->after, 2),
		"difference_core_s", sd_json_interval(p->difference, 2), "change",
		sd_change_name[p->change]);
}

static json_t *put_point(const struct sd_compared_point *p)
{
	json_t *parts = json_array();

	for (size_t i = 0; parts && i < p->n_part; i++)
		sd_json_add(&parts, put_part(&p->part[i]));
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "cores", (json_int_t)p->cores,
		"wall_before_s", sd_json_interval(p->wall_before, 2), "wall_after_s",
		sd_json_interval(p->wall_after, 2), "gain", sd_json_interval(p->gain, 2),
		"efficiency_before", sd_json_interval(p->efficiency_before, 2), "efficiency_after",
		sd_json_interval(p->efficiency_after, 2), "time", sd_change_name[p->time], "stack",
		parts);
}

static json_t *put_cause(const struct sd_compared_cause *x)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "cause", sd_cause_info[x->cause].name,
		"fate", sd_fate_name[x->fate], "before", sd_verdict_name[x->before], "after",
		sd_verdict_name[x->after], "cores_before", sd_json_interval(x->cores_before, 2),
		"cores_after", sd_json_interval(x->cores_after, 2));
}

static json_t *put_points(const struct sd_comparison *c)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < c->n_point; i++)
		sd_json_add(&out, put_point(&c->point[i]));
	return out;
}

static json_t *put_causes(const struct sd_comparison *c)
{
	json_t *out = json_array();

	for (int i = 0; out && i < SD_CAUSE_COUNT; i++)
		sd_json_add(&out, put_cause(&c->cause[i]));
	return out;
}

int sd_comparison_json(FILE *f, const struct sd_comparison *c, const struct sd_sides *s)
{
	char *const sentence = sd_comparison_sentence(c);
	json_t *root = json_pack("{s:s, s:i, s:{s:s, s:s}, s:o, s:o, s:s, s:o, s:o, s:o, s:o}",
		"kind", "scalediag-comparison", "schema", SCHEMA, "tool", "name", "scalediag",
		"version", SD_VERSION, "before", sd_json_text(s->before), "after",
		sd_json_text(s->after), "time", sd_change_name[c->verdict], "summary",
		sd_json_text(sentence), "points", put_points(c), "causes", put_causes(c),
		"warnings", sd_json_texts(&c->warnings));

	free(sentence);
	/* throughputs: what all times are for */
	if (root && c->work > 0)
		json_object_set_new(root, "work", json_real(c->work));
	return sd_json_print(f, root);
}
