#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "html/html_sections.h"
#include "page/interval_text.h"
#include "render/render.h"
#include "view/view.h"
#include "view/view_damage.h"

static const char *const mood_class[] = {
	[SD_VIEW_GOOD] = "good",
	[SD_VIEW_BAD] = "bad",
	[SD_VIEW_UNSURE] = "doubt",
	[SD_VIEW_NOTHING] = "",
};

static void put_text(FILE *f, const char *class, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(f, "<p class=\"%s\">", class);
	sd_html_text(f, text);
	fputs("</p>\n", f);
}

/* With arrows that no line ends in. */
static void put_arrowed(FILE *f, const char *text)
{
	static const char arrow[] = " -> ";
	char *const copy = strdup(text);

	for (char *from = copy, *at; from; from = at ? at + sizeof arrow - 1 : NULL) {
		at = strstr(from, arrow);
		if (at)
			*at = '\0';
		sd_html_text(f, from);
		fputs(at ? " → " : "", f);
	}
	free(copy);
}

/* Puts an item; the next step is a command, which is copied, or where this page has what it would
 * print. */
static void put_item(
	FILE *f, const struct sd_view *v, const struct sd_view_cause *c, enum sd_view_item item)
{
	static const char long_report[] = "scalediag report --long ";
	const char *const text = c->item[item];

	if (!text)
		return;
	if (item == SD_VIEW_NEXT && strncmp(text, long_report, sizeof long_report - 1) == 0) {
		const char *const what = strstr(text, " # ");

		fprintf(f, "<dt>%s</dt><dd><a href=\"#%s\">", sd_view_item_name[item],
			v->a->losses.n_row ? "functions" : "method");
		sd_html_text(f, what ? what + 3 : "all evidence");
		fputs(", below</a></dd>", f);
		return;
	}
	fprintf(f, "<dt>%s</dt><dd%s>", sd_view_item_name[item],
		item == SD_VIEW_NEXT ? " class=\"code\"" : "");
	put_arrowed(f, text);
	fputs("</dd>", f);
}

static void put_evidence(FILE *f, const struct sd_view *v, const struct sd_finding *x)
{
	if (!x || !x->evidence.n)
		return;
	fputs("<details><summary>Evidence</summary><ul>", f);
	for (size_t i = 0; i < x->evidence.n; i++) {
		char *const near = sd_view_short(v, x, x->evidence.text[i]);

		sd_html_around(f, "<li>", near ? near : x->evidence.text[i], "</li>\n");
		free(near);
	}
	fputs("</ul></details>", f);
}

static void put_card(FILE *f, const struct sd_view *v, const struct sd_view_cause *c)
{
	fprintf(f, "<article class=\"card\" data-number=\"%u\" data-cause=\"%s\"><h3>%u. ",
		c->number, c->of ? sd_cause_info[c->of->cause].name : "open", c->number);
	sd_html_text(f, c->title);
	fputs("</h3>\n<dl>", f);
	for (int i = 0; i < SD_VIEW_ITEM_COUNT; i++)
		put_item(f, v, c, (enum sd_view_item)i);
	fputs("</dl>", f);
	put_evidence(f, v, c->of);
	fputs("</article>\n", f);
}

/* Puts what the curve would be without each cause whose gain is known. */
static void put_what_if(FILE *f, const struct sd_view *v)
{
	int any = 0;

	for (size_t i = 0; i < v->n_cause; i++) {
		const struct sd_finding *const x = v->cause[i].of;

		if (!x || !sd_status_measured(x->worth) || !isfinite(x->worth.value))
			continue;
		if (!any++)
			fputs("<fieldset id=\"what-if\" hidden><legend>What if this were "
			      "fixed?</legend>",
				f);
		fprintf(f,
			"<label><input type=\"checkbox\" data-number=\"%u\" "
			"data-worth=\"%.6g\"> %u. %s</label>",
			v->cause[i].number, x->worth.value, v->cause[i].number,
			sd_cause_info[x->cause].label);
	}
	if (any)
		fputs("<p class=\"say\" aria-live=\"polite\"></p></fieldset>\n", f);
}

void sd_html_header(FILE *f, const struct sd_view *v)
{
	sd_html_around(f,
		"<header><div class=\"bar\"><button id=\"theme\" type=\"button\" hidden>light or dark"
		"</button></div><h1>scalediag</h1><p class=\"soft code\">",
		v->command, "</p><p class=\"soft\">");
	sd_html_text(f, v->measured);
	sd_html_around(f, " · ", v->basis, "</p></header>\n<main>\n");
}

/* Puts the quality; where the terminal names --long, the page links to what follows below. */
static void put_quality(FILE *f, const char *quality)
{
	static const char end[] = ": --long";
	const size_t n = strlen(quality), m = sizeof end - 1;
	char *const text =
		n > m && strcmp(quality + n - m, end) == 0 ? strndup(quality, n - m) : NULL;

	fputs("<p class=\"soft\">Trust: ", f);
	sd_html_text(f, text ? text : quality);
	fputs(text ? ": <a href=\"#method\">below</a></p>\n" : "</p>\n", f);
	free(text);
}

void sd_html_answer(FILE *f, const struct sd_view *v)
{
	const struct sd_fact_rows points = sd_facts_points_table(v->a, 0);

	fputs("<section class=\"first\"><div>\n", f);
	put_text(f, "warning", sd_view_race(v->a));
	fprintf(f, "<h2 class=\"answer %s\">", mood_class[v->mood]);
	if (sd_view_damage(v->r)) {
		sd_html_text(f, sd_view_damage(v->r));
		fputs(". ", f);
	}
	sd_html_text(f, v->answer);
	fputs("</h2>\n", f);
	put_text(f, "main-cause", v->main_cause);
	put_text(f, "warning", v->banner);
	put_text(f, "warning", v->wasted);
	put_text(f, "soft", v->latency);
	for (size_t i = 0; i < v->n_cause; i++)
		put_card(f, v, &v->cause[i]);
	put_text(f, "soft", v->outlook);
	put_text(f, "soft", v->more_time);
	if (*v->missing)
		sd_html_around(f, "<p class=\"soft\">Missing: ", v->missing, "</p>\n");
	put_quality(f, v->quality);
	fputs("</div>\n<div>\n", f);
	if (v->a->n_point) {
		sd_html_chart(f, "speedup", "Speedup");
		put_what_if(f, v);
		sd_render_html_table(f, &points);
	}
	fputs("</div></section>\n", f);
}
