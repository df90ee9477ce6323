#include "json/json_view.h"

#include "render/json_values.h"
#include "view/view.h"
#include "view/view_family.h"

static const char *const mood_name[] = {
	[SD_VIEW_GOOD] = "good",
	[SD_VIEW_BAD] = "bad",
	[SD_VIEW_UNSURE] = "unsure",
	[SD_VIEW_NOTHING] = "nothing",
};

/* Puts the rows of the stack; one that prints as nothing is left out. */
static json_t *put_rows(const struct sd_view *v)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < v->n_row; i++) {
		const struct sd_view_row *const r = &v->row[i];

		if (r->component == SD_COMPONENT_COUNT)
			continue;
		sd_json_add(&out, sd_json("component", sd_component_info[r->component].name,
					  "label", r->label, "family", sd_view_family(r->component),
					  "number", sd_json_number(r->cause)));
	}
	return out;
}

static json_t *put_cause(const struct sd_view_cause *c)
{
	json_t *out = sd_json("number", c->number, "cause",
		c->of ? sd_cause_info[c->of->cause].name : NULL, "title", c->title);

	for (int i = 0; out && i < SD_VIEW_ITEM_COUNT; i++)
		sd_json_set(&out, sd_view_item_name[i], sd_json_text(c->item[i]));
	return out;
}

json_t *sd_json_view_causes(const struct sd_view *v)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < v->n_cause; i++)
		sd_json_add(&out, put_cause(&v->cause[i]));
	return out;
}

json_t *sd_json_view(const struct sd_record *r, const struct sd_analysis *a)
{
	struct sd_view v;
	json_t *out;

	if (sd_view_make(&v, r, a, NULL))
		return NULL;
	out = sd_json("mood", mood_name[v.mood], "answer", v.answer, "main_cause", v.main_cause,
		"background", v.banner, "reference", v.wasted, "measured", v.measured, "quality",
		v.quality, "outlook", sd_json_name(v.outlook), "more_time",
		sd_json_name(v.more_time), "missing", sd_json_name(v.missing), "rows", put_rows(&v),
		"causes", sd_json_view_causes(&v));
	sd_view_free(&v);
	return out;
}
