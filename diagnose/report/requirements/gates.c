#include "requirements/gate_report.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "render/json_values.h"
#include "page/markup.h"
#include "page/page.h"
#include "page/interval_text.h"

#define SCHEMA 1

static const char *const answer_name[] = {
	[SD_GATES_PASSED] = "passed",
	[SD_GATES_FAILED] = "failed",
	[SD_GATES_UNDECIDED] = "undecided",
};

/* The answer on one requirement, by the policy if it is undecided. */
static enum sd_gates_answer answer_of(
	const struct sd_gate_results *r, const struct sd_requirement_result *x)
{
	static const enum sd_gates_answer undecided[] = {
		[SD_GATES_OPEN] = SD_GATES_UNDECIDED,
		[SD_GATES_FAIL] = SD_GATES_FAILED,
		[SD_GATES_PASS] = SD_GATES_PASSED,
	};

	/* a change must not be refused for the noise of the machine */
	if (x->unseen && r->undecided == SD_GATES_OPEN)
		return SD_GATES_PASSED;
	return x->outcome == SD_REQUIREMENT_MET        ? SD_GATES_PASSED
	       : x->outcome == SD_REQUIREMENT_VIOLATED ? SD_GATES_FAILED
						       : undecided[r->undecided];
}

enum sd_gates_answer sd_gates_answer(const struct sd_gate_results *r)
{
	enum sd_gates_answer all = SD_GATES_PASSED;

	for (size_t i = 0; i < r->n; i++) {
		const enum sd_gates_answer one = answer_of(r, &r->result[i]);

		if (one == SD_GATES_FAILED)
			return one;
		if (one == SD_GATES_UNDECIDED)
			all = one;
	}
	return all;
}

/* "0.66 (95 %: 0.65 to 0.67) at 8 cores"; "" without a number. */
static void describe(const struct sd_requirement_result *g, char *out, size_t size)
{
	*out = '\0';
	if (sd_interval_text_has(g->seen) && !sd_status_bounded(g->seen))
		snprintf(out, size, "%.4g at %u core%s", g->seen.value, g->cores,
			g->cores == 1 ? "" : "s");
	else if (sd_interval_text_has(g->seen))
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
	sd_page_put(&g, SD_TONE_BOLD, "%s\n", answer_name[sd_gates_answer(r)]);
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
		sd_json_add(&list, put_result(&r->result[i]));
	return sd_json_print(
		f, json_pack("{s:s, s:i, s:o, s:b, s:s, s:o}", "kind", "scalediag-check", "schema",
			   SCHEMA, "record", sd_json_text(r->record), "passed",
			   sd_gates_answer(r) == SD_GATES_PASSED, "answer",
			   answer_name[sd_gates_answer(r)], "requirements", list));
}

int sd_gates_markdown(FILE *f, const struct sd_gate_results *r)
{
	fprintf(f, "**scalediag check: %s**\n\n| requirement | outcome | seen |\n|---|---|---|\n",
		answer_name[sd_gates_answer(r)]);
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

/* One requirement that is not met: the element that says why. */
static void put_unmet(
	FILE *f, const struct sd_gate_results *r, const struct sd_requirement_result *x)
{
	static const char *const element[] = {
		[SD_GATES_PASSED] = "skipped",
		[SD_GATES_FAILED] = "failure",
		[SD_GATES_UNDECIDED] = "error",
	};
	const enum sd_gates_answer one = answer_of(r, x);
	char seen[128];

	describe(x, seen, sizeof seen);
	fprintf(f, "\"><%s", element[one]);
	if (one != SD_GATES_PASSED)
		fprintf(f, " type=\"%s\"", sd_requirement_outcome_name[x->outcome]);
	fputs(" message=\"", f);
	sd_markup_xml(f, seen);
	fputs(*seen && *x->why ? "; " : "", f);
	sd_markup_xml(f, x->why);
	fputs("\"/></testcase>\n", f);
}

/* The dialect that Jenkins, GitLab and GitHub's reporters read: testsuite, testcase, failure (it
 * is not so), error (it could not be told), skipped. */
int sd_gates_junit(FILE *f, const struct sd_gate_results *r)
{
	size_t count[] = {[SD_GATES_PASSED] = 0, [SD_GATES_FAILED] = 0, [SD_GATES_UNDECIDED] = 0};

	for (size_t i = 0; i < r->n; i++)
		if (r->result[i].outcome != SD_REQUIREMENT_MET)
			count[answer_of(r, &r->result[i])]++;
	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"scalediag check\" "
		"tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
		r->n, count[SD_GATES_FAILED], count[SD_GATES_UNDECIDED], count[SD_GATES_PASSED]);
	for (size_t i = 0; i < r->n; i++) {
		const struct sd_requirement_result *x = &r->result[i];

		fputs("  <testcase classname=\"", f);
		sd_markup_xml(f, r->record);
		fputs("\" name=\"", f);
		sd_markup_xml(f, x->gate->text);
		if (x->outcome == SD_REQUIREMENT_MET)
			fputs("\"/>\n", f);
		else
			put_unmet(f, r, x);
	}
	fputs("</testsuite>\n", f);
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
