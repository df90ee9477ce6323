#include <inttypes.h>

#include "analysis/code_place.h"
#include "analysis/line_memory.h"
#include "facts/facts_layout.h"
#include "facts/facts_lines.h"
#include "html/html_sections.h"
#include "lines/lines_words.h"
#include "render/render.h"

#define MOST_LINES 16
#define MOST_ROWS 16
#define SITE_CALLERS 4

/* Colours of threads, the same hues as the charts have; the letter says what was done. */
static void put_byte(FILE *f, const struct sd_sim_sharer *s, size_t row, unsigned byte)
{
	const unsigned did = (unsigned)(s->read >> byte & 1) | (unsigned)(s->written >> byte & 1)
								       << 1;
	static const char *const what[] = {"untouched", "read", "written", "read and written"};
	const double hue = 205 + 137.508 * (double)row;

	if (!did)
		fputs("<td class=\"none\">.</td>", f);
	else
		fprintf(f,
			"<td style=\"background:hsl(%.0f 70%% %d%%)\" title=\"byte %u: %s by thread %u\">%c</td>",
			hue, did & 2 ? 65 : 85, byte, what[did], s->thread, ".rwx"[did]);
}

static void put_picture(FILE *f, const struct sd_sim_contested *c, unsigned bytes, const char *what)
{
	fputs("<div class=\"scroll\" tabindex=\"0\"><table class=\"line64\"><caption "
	      "class=\"soft\">each "
	      "column is a byte: r read, w written, x both</caption><tbody>\n",
		f);
	for (size_t i = 0; i < c->n_sharer && i < MOST_ROWS; i++) {
		fprintf(f, "<tr><th>thread %u</th>", c->sharer[i].thread);
		for (unsigned b = 0; b < bytes; b++)
			put_byte(f, &c->sharer[i], i, b);
		fprintf(f, "<th>%.0f %s%s</th></tr>\n", c->sharer[i].hitm, what,
			c->sharer[i].locked > 0 ? ", locked" : "");
	}
	fputs("</tbody></table></div>\n", f);
	if (c->n_sharer > MOST_ROWS)
		fprintf(f, "<p class=\"soft\">and %zu more threads</p>\n", c->n_sharer - MOST_ROWS);
}

static void put_codes(
	FILE *f, const struct sd_stacks *s, const struct sd_line_view *v, unsigned line)
{
	char place[512], bytes[96];

	for (size_t i = 0; i < v->line->n_code; i++) {
		const struct sd_sim_code *c = &v->line->code[i];

		if (i && c->hitm < .01 * v->hitm)
			break; /* the rest has less */
		sd_code_place_text(s, c->node, place, sizeof place);
		fprintf(f, "<dt>%s</dt><dd>%.0f %% of its %s: <span class=\"code\">",
			i ? "" : "code", v->hitm > 0 ? 100 * c->hitm / v->hitm : 0,
			v->native ? "samples" : "moves");
		sd_html_text(f, place);
		fprintf(f, "</span>, %s%s%s%s</dd>\n", c->locked ? "locked " : "",
			c->writes ? "writes" : "reads", c->bytes ? " bytes " : "",
			sd_line_memory_bytes(c->bytes, line, bytes, sizeof bytes));
	}
}

static void put_site(FILE *f, const struct sd_stacks *s, unsigned node, const char *what)
{
	char callers[2048];

	if (!node)
		return;
	sd_code_place_callers(s, node, SITE_CALLERS, callers, sizeof callers);
	fprintf(f, "<dt>%s</dt><dd>allocated in <span class=\"code\">", what);
	sd_html_text(f, callers);
	fputs("</span></dd>\n", f);
}

/* The same by members, where types are known. */
static void put_layout(
	FILE *f, const struct sd_record *r, const struct sd_line_view *v, unsigned line)
{
	struct sd_layout_facts facts;

	if (sd_facts_layout_make(r, v, line, &facts) == 0 && facts.n) {
		const struct sd_fact_rows rows = sd_facts_layout_table(&facts);

		sd_render_html_table(f, &rows);
		sd_html_around(f, "<p>Type: ", facts.type, "</p>\n");
		if (*facts.after)
			sd_html_around(f, "<p>After the change: ", facts.after, "</p>\n");
	}
	sd_facts_layout_free(&facts);
}

static void put_line(FILE *f, const struct sd_record *r, const struct sd_contested_lines *l,
	const struct sd_line_view *v)
{
	const struct sd_sim_contested *c = v->line;
	const unsigned line = l->bytes;
	const char *const name =
		c->name && c->name < r->stacks.n_text ? r->stacks.text[c->name] : NULL;

	fprintf(f, "<article class=\"card\" data-sharing=\"%s\"><h3><span class=\"code\">",
		sd_sim_sharing_name[c->sharing]);
	if (name)
		sd_html_text(f, name);
	else
		fprintf(f, "0x%" PRIx64, c->address);
	fprintf(f,
		"</span> <span class=\"verdict bad\">%s sharing</span></h3>\n"
		"<p>%.0f %% of all %s (%.0f%s), %u readers, %u writers</p>\n",
		sd_sim_sharing_name[c->sharing], 100 * c->share,
		v->native ? "contested time" : "moves between cores", v->hitm,
		v->native ? " samples that met another thread" : "", v->readers, v->writers);
	put_picture(f, c, line < SD_SIM_LINE ? line : SD_SIM_LINE, v->native ? "met" : "HITM");
	put_layout(f, r, v, line);
	fputs("<dl>", f);
	put_codes(f, &r->stacks, v, line);
	put_site(f, &r->stacks, c->site, "from");
	put_site(f, &r->stacks, c->other, "and");
	for (size_t i = 0; i < v->advice.n; i++) {
		fprintf(f, "<dt>%s</dt><dd>", i ? "" : "do");
		sd_html_text(f, v->advice.text[i]);
		fputs("</dd>\n", f);
	}
	fputs("</dl></article>\n", f);
}

void sd_html_lines(FILE *f, const struct sd_record *r, const struct sd_contested_lines *l)
{
	if (!l || !l->run)
		return;
	if (l->native) {
		fprintf(f,
			"<h2 id=\"own-lines\">Contested cache lines, the program's own samples at %u "
			"cores</h2>\n",
			l->cores);
	} else if (l->simulated) {
		fprintf(f, "<h2 id=\"lines\">Contested cache lines, simulated on %u cores of '",
			l->cores);
		sd_html_text(f, l->simulated->machine.name);
		fputs("'</h2>\n", f);
	} else {
		fprintf(f, "<h2 id=\"lines\">Contested cache lines, samples at %u cores by ",
			l->cores);
		sd_html_text(f, l->sampled->source);
		fputs("</h2>\n", f);
	}
	if (l->simulated && l->simulated->partial) {
		sd_html_around(f, "<p class=\"warning\">Partial: ", l->simulated->why, "</p>\n");
	}
	if (l->simulated && l->simulated->sampled[0]) {
		sd_html_around(f, "<p>Modelled: ", l->simulated->sampled, "</p>\n");
	}
	if (l->simulated && !l->simulated->n_thread)
		fputs("<p>Nothing was simulated: no line is known.</p>\n", f);
	else if (!l->n_matter)
		fputs(l->native ? "<p>No line that several threads use in turns matters.</p>\n"
				: "<p>No line moved between cores often enough to matter.</p>\n",
			f);
	for (size_t i = 0; i < l->n_matter && i < MOST_LINES; i++)
		put_line(f, r, l, &l->line[i]);
	if (l->n_matter && sd_lines_blind(r, l))
		sd_html_around(f, "<p class=\"soft\">Allocation sites: none, ",
			sd_lines_blind(r, l), ".</p>\n");
	if (l->n_matter > MOST_LINES)
		fprintf(f, "<p class=\"soft\">and %zu more: scalediag lines RECORD</p>\n",
			l->n_matter - MOST_LINES);
}

void sd_html_lines_together(struct sd_document *b, const struct sd_record *r,
	const struct sd_contested_lines *own, const struct sd_contested_lines *other)
{
	struct sd_line_rows rows;

	b->failed |= sd_facts_lines_make(r, own, other, &rows) != 0;
	sd_facts_lines(b, &rows);
	sd_facts_lines_free(&rows);
}
