#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "html/html_sections.h"
#include "render/render.h"
#include "view/view.h"
#include "view/view_damage.h"

static const char *const mood_class[] = {
	[SD_VIEW_GOOD] = "good",
	[SD_VIEW_BAD] = "bad",
	[SD_VIEW_UNSURE] = "doubt",
	[SD_VIEW_NOTHING] = "",
};

static void put_part(FILE *f, const char *text, size_t n)
{
	char *const part = strndup(text, n);

	sd_html_text(f, part ? part : "");
	free(part);
}

/* Puts a sentence with its options unbroken; a whole page has below what --long would print. */
static void put_sentence(FILE *f, const struct sd_report_style *s, const char *text)
{
	static const char more[] = "--long", what[] = " says what";

	for (const char *at; (at = strstr(text, "--"));) {
		const size_t n = strcspn(at, " ,.;:)");

		put_part(f, text, (size_t)(at - text));
		text = at + n;
		if (!s || n != sizeof more - 1 || strncmp(at, more, n) != 0) {
			fputs("<span class=\"option\">", f);
			put_part(f, at, n);
			fputs("</span>", f);
			continue;
		}
		fputs("<a href=\"#method\">below</a>", f);
		if (strncmp(text, what, sizeof what - 1) == 0)
			text += sizeof what - 1;
	}
	sd_html_text(f, text);
}

static void put_text(FILE *f, const struct sd_report_style *s, const char *class, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(f, "<p class=\"%s\">", class);
	put_sentence(f, s, text);
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

/* The section of this page that has what the command would print; NULL: none has. */
static const char *section_of(
	const char *command, const struct sd_view *v, const struct sd_report_style *s)
{
	if (s && strncmp(command, "scalediag report --long ", 24) == 0)
		return v->a->losses.n_row ? "functions" : "method";
	if (!s || strncmp(command, "scalediag lines ", 16) != 0)
		return NULL;
	return s->lines && s->lines->run ? "lines" : s->own && s->own->run ? "own-lines" : NULL;
}

/* Puts an item; the next step is a command, which is copied, or where this page has what it would
 * print. */
static void put_item(FILE *f, const struct sd_view *v, const struct sd_report_style *s,
	const struct sd_view_cause *c, enum sd_view_item item)
{
	const char *const text = c->item[item];
	const char *const section = text && item == SD_VIEW_NEXT ? section_of(text, v, s) : NULL;

	if (!text)
		return;
	if (section) {
		const char *const what = strstr(text, " # ");

		fprintf(f, "<dt>%s</dt><dd><a href=\"#%s\">", sd_view_item_name[item], section);
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

static void put_card(FILE *f, const struct sd_view *v, const struct sd_report_style *s,
	const struct sd_view_cause *c)
{
	fprintf(f, "<article class=\"card\" data-number=\"%u\" data-cause=\"%s\"><h3>%u. ",
		c->number, c->of ? sd_cause_info[c->of->cause].name : "open", c->number);
	sd_html_text(f, c->title);
	fputs("</h3>\n<dl>", f);
	for (int i = 0; i < SD_VIEW_ITEM_COUNT; i++)
		put_item(f, v, s, c, (enum sd_view_item)i);
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

		/* a suspicion has no payoff */
		if (!x || !v->cause[i].item[SD_VIEW_PAYOFF] || !isfinite(x->worth.value))
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

void sd_html_answer(FILE *f, const struct sd_view *v, const struct sd_report_style *s)
{
	const struct sd_fact_rows points = sd_facts_points_table(v->a, 0);

	fputs("<section class=\"first\"><div>\n", f);
	put_text(f, s, "warning", sd_view_race(v->a));
	fprintf(f, "<h2 class=\"answer %s\">", mood_class[v->mood]);
	if (sd_view_damage(v->r)) {
		sd_html_text(f, sd_view_damage(v->r));
		fputs(". ", f);
	}
	put_sentence(f, s, v->answer);
	fputs("</h2>\n", f);
	put_text(f, s, "main-cause", v->main_cause);
	put_text(f, s, "warning", v->banner);
	put_text(f, s, "warning", v->wasted);
	put_text(f, s, "soft", v->latency);
	for (size_t i = 0; i < v->n_cause; i++)
		put_card(f, v, s, &v->cause[i]);
	put_text(f, s, "soft", v->outlook);
	put_text(f, s, "soft", v->more_time);
	if (*v->missing)
		sd_html_around(f, "<p class=\"soft\">Missing: ", v->missing, "</p>\n");
	fputs("<p class=\"soft\">Trust: ", f);
	put_sentence(f, s, v->quality);
	fputs("</p>\n</div>\n<div>\n", f);
	/* a service that was looked at is compared with nothing */
	if (v->a->n_point > 1 || (v->a->n_point && !v->r->program.attached)) {
		sd_html_chart(f, "speedup", "Speedup");
		put_what_if(f, v);
		sd_render_html_table(f, &points);
	}
	fputs("</div></section>\n", f);
}
