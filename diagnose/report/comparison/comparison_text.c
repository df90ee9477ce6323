#include "comparison/comparison_report.h"

#include <stdlib.h>

#include "page/page.h"
#include "page/interval_text.h"
#include "render/render.h"

static enum sd_tone tone(enum sd_change time)
{
	return time == SD_CHANGE_LESS   ? SD_TONE_GOOD
	       : time == SD_CHANGE_MORE ? SD_TONE_BAD
					: SD_TONE_PLAIN;
}

static void put_number(struct sd_page *g, struct sd_interval v, int decimals, size_t columns)
{
	char text[48] = "-";

	if (sd_status_measured(v))
		sd_interval_text_number(text, sizeof text, v.value, decimals);
	sd_page_cell(g, SD_TONE_PLAIN, text, columns, 1);
}

static void put_half(struct sd_page *g, struct sd_interval v, int decimals, size_t columns)
{
	char text[48];

	sd_interval_text_half(text, sizeof text, v, 2, 1, decimals);
	sd_page_cell(g, SD_TONE_DIM, text, columns, 1);
}

static void put_parts(struct sd_page *g, const struct sd_compared_point *p)
{
	int noise = 0;

	sd_page_put(g, SD_TONE_BOLD, "\nWhat moved at %u core%s (core-seconds a run, ±95 %%)\n",
		p->cores, p->cores == 1 ? "" : "s");
	for (size_t i = 0; i < p->n_part; i++) {
		const struct sd_compared_part *part = &p->part[i];

		if (part->change != SD_CHANGE_LESS && part->change != SD_CHANGE_MORE) {
			noise++;
			continue;
		}
		sd_page_put(g, SD_TONE_PLAIN, "  ");
		sd_page_cell(g, SD_TONE_PLAIN, sd_component_info[part->component].label, 44, 0);
		put_number(g, part->before, 3, 9);
		sd_page_put(g, SD_TONE_PLAIN, " to ");
		put_number(g, part->after, 3, 9);
		sd_page_put(g, tone(part->change), "  %+.3f", part->difference.value);
		put_half(g, part->difference, 3, 9);
		sd_page_put(g, SD_TONE_PLAIN, "\n");
	}
	if (noise == (int)p->n_part)
		sd_page_put(g, SD_TONE_PLAIN, "  nothing beyond noise\n");
	else if (noise)
		sd_page_put(g, SD_TONE_DIM, "  %d other%s within noise or not measured in both\n",
			noise, noise == 1 ? "" : "s");
}

/* Possible in one, not measurable in the other, and of no known size: a name says all of it. */
static int is_vague(const struct sd_compared_cause *x)
{
	return x->fate == SD_FATE_UNKNOWN && !sd_status_measured(x->cores_before) &&
	       !sd_status_measured(x->cores_after) &&
	       (x->before == SD_VERDICT_POSSIBLE || x->after == SD_VERDICT_POSSIBLE);
}

/* 1: there are any. */
static int put_vague(struct sd_page *g, const struct sd_comparison *c)
{
	char *names = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&names, &size);
	int n = 0;

	for (int i = 0; f && i < SD_CAUSE_COUNT; i++)
		if (is_vague(&c->cause[i]))
			fprintf(f, "%s%s", n++ ? ", " : "", sd_cause_info[c->cause[i].cause].label);
	if (!f || fclose(f) != 0)
		g->failed = 1;
	else if (n)
		sd_page_wrap_tone(g, SD_TONE_DIM, "  ", 9,
			"open   possible in one of the two, not measurable in the other: %s",
			names);
	free(names);
	return n > 0;
}

static void put_causes(struct sd_page *g, const struct sd_comparison *c)
{
	int shown = 0;

	sd_page_put(g, SD_TONE_BOLD, "\nCauses\n");
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_compared_cause *x = &c->cause[i];
		char verdicts[SD_COMPARISON_VERDICTS];

		if (x->fate == SD_FATE_NEVER || is_vague(x))
			continue;
		shown = 1;
		sd_page_put(g, SD_TONE_PLAIN, "  ");
		sd_page_cell(g,
			x->fate == SD_FATE_WENT || x->fate == SD_FATE_SHRANK ? SD_TONE_GOOD
			: x->fate == SD_FATE_CAME                            ? SD_TONE_BAD
									     : SD_TONE_PLAIN,
			sd_comparison_fate(x->fate), 7, 0);
		sd_page_cell(g, SD_TONE_PLAIN, sd_cause_info[x->cause].label, 24, 0);
		sd_comparison_verdicts(x, verdicts);
		sd_page_put(g, SD_TONE_PLAIN, "%s", verdicts);
		if (x->fate != SD_FATE_SHRANK && sd_status_measured(x->cores_before) &&
			sd_status_measured(x->cores_after))
			sd_page_put(g, SD_TONE_DIM, ": %.2f, then %.2f cores",
				x->cores_before.value, x->cores_after.value);
		sd_page_put(g, SD_TONE_PLAIN, "\n");
	}
	shown |= put_vague(g, c);
	if (!shown)
		sd_page_put(g, SD_TONE_PLAIN, "  none named before, none after\n");
}

int sd_comparison_text(FILE *f, const struct sd_comparison *c, const struct sd_sides *s,
	const struct sd_report_style *style)
{
	char *const sentence = sd_comparison_sentence(c), *const moved = sd_comparison_moved(c);
	const struct sd_fact_rows points = sd_comparison_points(c);
	const struct sd_compared_point *const last = c->n_point ? &c->point[c->n_point - 1] : NULL;
	struct sd_page g;

	sd_page_begin(&g, f, style);
	sd_page_wrap(&g, "", 2, "scalediag  %s, then %s", s->before, s->after);
	if (sentence && moved)
		sd_page_wrap_tone(&g,
			last && last->time != SD_CHANGE_NOISE ? tone(last->time) : SD_TONE_BOLD, "",
			2, "%s.%s%s", sentence, *moved ? " " : "", moved);
	else
		g.failed = 1;
	if (c->work > 0)
		sd_page_wrap_tone(&g, SD_TONE_DIM, "", 2,
			"Throughputs are compared; core-seconds are those of %.4g units of work",
			c->work);
	if (last) {
		sd_page_put(&g, SD_TONE_PLAIN, "\n");
		sd_render_text_table(&g, &points, 1);
		put_parts(&g, last);
	}
	put_causes(&g, c);
	for (size_t i = 0; i < c->warnings.n; i++)
		sd_page_wrap_tone(&g, SD_TONE_DOUBT, i ? "Careful: " : "\nCareful: ", 9, "%s",
			c->warnings.text[i]);
	free(sentence);
	free(moved);
	return sd_page_end(&g);
}
