#include <jansson.h>
#include <stdlib.h>

#include "comparison/comparison_report.h"
#include "json/json_brief.h"
#include "json/json_brief_text.h"
#include "render/json_values.h"
#include "render/render.h"

#define BRIEF 8 /* causes that moved, in the brief answer, at most */

int sd_comparison_json(FILE *f, const struct sd_comparison *c, const struct sd_sides *s)
{
	const struct sd_fact_rows points = sd_comparison_points(c),
				  causes = sd_comparison_causes(c);
	char *const sentence = sd_comparison_sentence(c);
	json_t *root = sd_json("kind", "scalediag-comparison", "schema", 1, "tool", sd_json_tool(),
		"before", s->before, "after", s->after, "time", sd_change_name[c->verdict],
		"summary", sentence, "points", sd_render_json(&points), "causes",
		sd_render_json(&causes), "warnings", &c->warnings);

	free(sentence);
	if (c->work > 0) /* throughputs: what all times are for */
		sd_json_put(&root, "work", c->work);
	return sd_json_print(f, root);
}

/* ---- brief ----------------------------------------------------------------------------------- */

struct brief {
	const struct sd_comparison *c;
	const struct sd_sides *s;
};

static json_t *put_moved(const struct sd_comparison *c)
{
	json_t *out = json_array();

	for (int i = 0; out && i < SD_CAUSE_COUNT && json_array_size(out) < BRIEF; i++)
		if (c->cause[i].fate != SD_FATE_NEVER && c->cause[i].fate != SD_FATE_STAYED)
			sd_json_add(&out, sd_json("id", sd_cause_info[c->cause[i].cause].name,
						  "fate", sd_fate_name[c->cause[i].fate]));
	return out;
}

static void put_brief(json_t **object, size_t room, const void *ctx)
{
	const struct brief *const b = ctx;
	const struct sd_compared_point *const p = &b->c->point[b->c->n_point - 1];
	char *const sentence = sd_comparison_sentence(b->c);

	sd_json_put(object, "summary", sentence ? sd_json_brief_text(sentence, room) : NULL,
		"before", sd_json_brief_name(b->s->before, room), "time",
		sd_change_name[b->c->verdict], "compared_at", p->cores, "gain",
		sd_json_interval(p->gain, 2), "moved", put_moved(b->c), "careful",
		sd_json_brief_texts(&b->c->warnings, 2, room));
	free(sentence);
}

int sd_comparison_brief(FILE *f, const struct sd_comparison *c, const struct sd_sides *s,
	const struct sd_view *after)
{
	const struct brief both = {c, s};
	const struct sd_json_brief brief = {.kind = "comparison",
		.record = s->after,
		.view = after,
		.more = put_brief,
		.ctx = &both};

	return sd_json_brief_print(f, &brief);
}
