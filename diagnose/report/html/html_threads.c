#include "html/html_sections.h"
#include "view/view.h"

#define SHOWN .0005

static void put_together(FILE *f, const struct sd_busiest_threads *t, const char *folder)
{
	fprintf(f,
		"<h2 id=\"concurrency\">Threads at a time</h2><p class=\"soft\">On a CPU or ready, "
		"by %s.</p><div class=\"scroll\"><table><thead><tr><th>threads</th><th>share of "
		"the time</th><th class=\"left\">where</th></tr></thead><tbody>\n",
		t->by_switches ? "context switches" : "looking at thread states");
	for (size_t k = 0; k < t->n_together; k++) {
		if (t->together[k] < SHOWN)
			continue;
		fprintf(f, "<tr><td>%zu</td><td>%.1f %%</td><td class=\"wrap left\">", k,
			100 * t->together[k]);
		for (size_t i = 0; k == 1 && i < t->n_alone; i++) {
			fputs(i ? "<br>" : "", f);
			sd_html_place(f, &t->alone[i], folder);
			fprintf(f, " %.0f %%", 100 * t->alone[i].share);
		}
		fputs("</td></tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
}

static void put_threads(FILE *f, const struct sd_busiest_threads *t)
{
	fputs("<h2 id=\"threads\">Critical path by thread</h2><p class=\"soft\">Of one run: each thread's share of the time in which any ran, divided at every moment among those that ran; and how many ran with it.</p><div class=\"scroll\"><table><thead><tr><th>thread</th><th>name</th><th>share</th><th>s</th><th>threads</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < t->n_row; i++) {
		fprintf(f, "<tr><td>%d</td><td class=\"code\">", t->row[i].tid);
		sd_html_text(f, t->row[i].name);
		if (t->row[i].stages)
			fprintf(f, ", stage %u of %u", t->row[i].stage, t->row[i].stages);
		fprintf(f, "</td><td>%.1f %%</td><td>%.3f</td><td>%.2f</td></tr>\n",
			100 * t->row[i].share, t->row[i].height_s, t->row[i].width);
	}
	fputs("</tbody></table></div>\n", f);
}

void sd_html_threads(FILE *f, const struct sd_view *v)
{
	if (v->a->threads.n_together)
		put_together(f, &v->a->threads, v->r->program.cwd);
	if (v->a->threads.n_row)
		put_threads(f, &v->a->threads);
}
