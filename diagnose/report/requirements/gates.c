#include "requirements/gate_report.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "json/json_values.h"
#include "page/markup.h"
#include "text/sections.h"

#define SCHEMA 1

int sd_gates_pass(const struct sd_gate_results *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->result[i].outcome == SD_REQUIREMENT_VIOLATED ||
			(r->result[i].outcome == SD_REQUIREMENT_UNDECIDED && !r->undecided_passes))
			return 0;
	return 1;
}

/* "0.66 (95 %: 0.65 to 0.67) at 8 cores"; "" without a number. */
static void describe(const struct sd_requirement_result *g, char *out, size_t size)
{
	*out = '\0';
	if (sd_section_has(g->seen))
		snprintf(out, size, "%.4g%s (95 %%: %.4g to %.4g) at %u core%s", g->seen.value,
			g->gate->kind == SD_REQUIREMENT_NO_CAUSE ? " cores" : "", g->seen.low,
			g->seen.high, g->cores, g->cores == 1 ? "" : "s");
}

int sd_gates_text(FILE *f, const struct sd_gate_results *r, const struct sd_report_style *style)
{
	static const enum sd_tone tone[] = {
		[SD_REQUIREMENT_MET] = SD_TONE_GOOD,
		[SD_REQUIREMENT_VIOLATED] = SD_TONE_BAD,
		[SD_REQUIREMENT_UNDECIDED] = SD_TONE_DOUBT,
	};
	struct sd_page g;

	sd_page_begin(&g, f, style);
	for (size_t i = 0; i < r->n; i++) {
		const struct sd_requirement_result *x = &r->result[i];
		char seen[128];

		describe(x, seen, sizeof seen);
		sd_page_cell(&g, tone[x->outcome], sd_requirement_outcome_name[x->outcome], 11, 0);
		sd_page_wrap(&g, "", 11, "%s%s%s%s%s", x->gate->text, *seen ? ": " : "", seen,
			*x->why ? "; " : "", x->why);
	}
	sd_page_put(&g, SD_TONE_BOLD, "%s\n", sd_gates_pass(r) ? "passed" : "failed");
	return sd_page_end(&g);
}

static json_t *put_result(const struct sd_requirement_result *x)
{
	return json_pack("{s:o, s:s, s:o, s:o, s:o}", "requirement", sd_json_text(x->gate->text),
		"outcome", sd_requirement_outcome_name[x->outcome], "seen",
		sd_json_interval(x->seen, 2), "cores",
		x->cores ? json_integer(x->cores) : json_null(), "why",
		*x->why ? sd_json_text(x->why) : json_null());
}

int sd_gates_json(FILE *f, const struct sd_gate_results *r)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < r->n; i++)
		if (json_array_append_new(list, put_result(&r->result[i])) != 0) {
			json_decref(list);
			list = NULL;
		}
	return sd_json_print(f, json_pack("{s:s, s:i, s:o, s:b, s:o}", "kind", "scalediag-check",
					"schema", SCHEMA, "record", sd_json_text(r->record),
					"passed", sd_gates_pass(r), "requirements", list));
}

int sd_gates_markdown(FILE *f, const struct sd_gate_results *r)
{
	fprintf(f, "**scalediag check: %s**\n\n| requirement | outcome | seen |\n|---|---|---|\n",
		sd_gates_pass(r) ? "passed" : "failed");
	for (size_t i = 0; i < r->n; i++) {
		const struct sd_requirement_result *x = &r->result[i];
		char seen[128];

		describe(x, seen, sizeof seen);
		fputs("| ", f);
		sd_markup_markdown(f, x->gate->text);
		fprintf(f, " | %s | ", sd_requirement_outcome_name[x->outcome]);
		sd_markup_markdown(f, seen);
		if (*x->why) {
			fputs(*seen ? "; " : "", f);
			sd_markup_markdown(f, x->why);
		}
		fputs(" |\n", f);
	}
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}

/* The dialect that Jenkins, GitLab and GitHub's reporters read: testsuite, testcase, failure,
 * skipped. */
int sd_gates_junit(FILE *f, const struct sd_gate_results *r)
{
	size_t failures = 0, skipped = 0;

	for (size_t i = 0; i < r->n; i++) {
		skipped += r->result[i].outcome == SD_REQUIREMENT_UNDECIDED && r->undecided_passes;
		failures +=
			r->result[i].outcome == SD_REQUIREMENT_VIOLATED ||
			(r->result[i].outcome == SD_REQUIREMENT_UNDECIDED && !r->undecided_passes);
	}
	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"scalediag check\" "
		"tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
		r->n, failures, skipped);
	for (size_t i = 0; i < r->n; i++) {
		const struct sd_requirement_result *x = &r->result[i];
		const int passes = x->outcome == SD_REQUIREMENT_UNDECIDED && r->undecided_passes;
		char seen[128];

		describe(x, seen, sizeof seen);
		fputs("  <testcase classname=\"", f);
		sd_markup_xml(f, r->record);
		fputs("\" name=\"", f);
		sd_markup_xml(f, x->gate->text);
		if (x->outcome == SD_REQUIREMENT_MET) {
			fputs("\"/>\n", f);
			continue;
		}
		if (passes)
			fputs("\"><skipped message=\"", f);
		else
			fprintf(f, "\"><failure type=\"%s\" message=\"",
				sd_requirement_outcome_name[x->outcome]);
		sd_markup_xml(f, seen);
		fputs(*seen && *x->why ? "; " : "", f);
		sd_markup_xml(f, x->why);
		fputs("\"/></testcase>\n", f);
	}
	fputs("</testsuite>\n", f);
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
