#include <errno.h>

#include "html/html_sections.h"
#include "requirements/gate_report.h"
#include "view/view.h"

static void put_result(FILE *f, const struct sd_requirement_result *x)
{
	char seen[128];

	sd_gates_describe(x, seen, sizeof seen);
	sd_html_around(f, "<tr><td class=\"wrap\">", x->gate->text, "</td><td class=\"left\">");
	fprintf(f, "%s</td><td class=\"wrap\">", sd_requirement_outcome_name[x->outcome]);
	sd_html_text(f, seen);
	fputs(*seen && *x->why ? "; " : "", f);
	sd_html_text(f, x->why);
	fputs("</td></tr>\n", f);
}

int sd_gates_html(FILE *f, const struct sd_gate_results *r)
{
	static const char *const mood[] = {
		[SD_GATES_PASSED] = "good", [SD_GATES_FAILED] = "bad", [SD_GATES_UNDECIDED] = ""};
	const struct sd_view *const v = r->view;
	const enum sd_gates_answer answer = sd_gates_answer(r);
	int rc = 0;

	sd_html_head(f, *v->command ? v->command : "?");
	sd_html_header(f, v);
	fprintf(f, "<h2 class=\"answer %s\">Requirements: %s</h2>\n", mood[answer],
		sd_gates_answer_name[answer]);
	fputs("<div class=\"scroll\"><table><thead><tr><th class=\"left\">requirement</th><th "
	      "class=\"left\">outcome</th><th class=\"left\">seen</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < r->n; i++)
		put_result(f, &r->result[i]);
	fputs("</tbody></table></div>\n", f);
	sd_html_answer(f, v, NULL);
	if (v->a->n_point) {
		sd_html_scripts(f);
		rc = sd_html_data(f, v->r, v->a, NULL);
		sd_html_end(f);
	} else {
		fputs("</main>\n</body>\n</html>\n", f);
	}
	return rc ? rc : fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
