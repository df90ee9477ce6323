#include "lines/lines_layout.h"

#include "facts/facts_layout.h"
#include "render/json_values.h"
#include "render/render.h"

void sd_lines_layout(
	struct sd_page *p, const struct sd_record *r, const struct sd_line_view *v, unsigned line)
{
	struct sd_layout_facts facts;

	p->failed |= sd_facts_layout_make(r, v, line, &facts) != 0;
	if (facts.n) {
		const struct sd_fact_rows rows = sd_facts_layout_table(&facts);

		sd_render_text_table(p, &rows, 1);
		sd_page_wrap(p, "   type     ", 12, "%s", facts.type);
	}
	if (*facts.after)
		sd_page_wrap(p, "   after    ", 12, "%s", facts.after);
	sd_facts_layout_free(&facts);
}

json_t *sd_lines_layout_json(const struct sd_record *r, const struct sd_line_view *v)
{
	struct sd_layout_facts facts;
	json_t *out = NULL;

	if (sd_facts_layout_make(r, v, SD_SIM_LINE, &facts) == 0) {
		const struct sd_fact_rows rows = sd_facts_layout_table(&facts);

		out = facts.n ? sd_json("type", facts.type, "after",
					*facts.after ? facts.after : NULL, "members",
					sd_render_json(&rows))
			      : json_null();
	}
	sd_facts_layout_free(&facts);
	return out;
}
