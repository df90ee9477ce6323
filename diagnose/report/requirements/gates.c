#include "requirements/gate_report.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "export/markdown.h"
#include "export/open_metrics.h"
#include "export/remark.h"
#include "json/json_brief.h"
#include "json/json_brief_text.h"
#include "json/json_view.h"
#include "render/json_values.h"
#include "page/markup.h"
#include "page/page.h"
#include "text/sections.h"
#include "view/view.h"

#define SCHEMA 1
#define BRIEF 6 /* requirements in the brief answer, at most */

const char *const sd_gates_answer_name[] = {
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

void sd_gates_describe(const struct sd_requirement_result *g, char *out, size_t size)
{
	*out = '\0';
	if (sd_status_measured(g->seen) && !sd_status_bounded(g->seen))
		snprintf(out, size, "%.4g at %u core%s", g->seen.value, g->cores,
			g->cores == 1 ? "" : "s");
	else if (sd_status_measured(g->seen))
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

		sd_gates_describe(x, seen, sizeof seen);
		sd_page_cell(&g, tone[x->outcome], sd_requirement_outcome_name[x->outcome], 11, 0);
		sd_page_wrap(&g, "", 11, "%s%s%s%s%s", x->gate->text, *seen ? ": " : "", seen,
			*x->why ? "; " : "", x->why);
	}
	sd_page_put(&g, SD_TONE_BOLD, "%s\n", sd_gates_answer_name[sd_gates_answer(r)]);
	for (size_t i = 0; sd_gates_answer(r) != SD_GATES_PASSED && i < r->view->n_cause; i++)
		sd_section_cause(&g, &r->view->cause[i], 0);
	return sd_page_end(&g);
}

static json_t *put_result(const struct sd_requirement_result *x)
{
	return sd_json("requirement", x->gate->text, "outcome",
		sd_requirement_outcome_name[x->outcome], "seen", sd_json_interval(x->seen, 2),
		"cores", sd_json_number(x->cores), "why", sd_json_name(x->why));
}

int sd_gates_json(FILE *f, const struct sd_gate_results *r)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < r->n; i++)
		sd_json_add(&list, put_result(&r->result[i]));
	return sd_json_print(
		f, sd_json("kind", "scalediag-check", "schema", SCHEMA, "record", r->record,
			   "passed", json_boolean(sd_gates_answer(r) == SD_GATES_PASSED), "answer",
			   sd_gates_answer_name[sd_gates_answer(r)], "requirements", list, "causes",
			   sd_json_view_causes(r->view)));
}

/* Those of this outcome, as many as still have room. */
static void put_outcome(json_t **list, const struct sd_gate_results *r,
	enum sd_requirement_outcome outcome, size_t room)
{
	for (size_t i = 0; i < r->n && json_array_size(*list) < BRIEF; i++) {
		const struct sd_requirement_result *const x = &r->result[i];

		if (x->outcome == outcome)
			sd_json_add(list,
				sd_json("requirement", sd_json_brief_text(x->gate->text, room),
					"outcome", sd_requirement_outcome_name[x->outcome], "seen",
					sd_json_interval(x->seen, 2)));
	}
}

static void put_brief(json_t **object, size_t room, const void *results)
{
	const struct sd_gate_results *const r = results;
	json_t *list = json_array();

	put_outcome(&list, r, SD_REQUIREMENT_VIOLATED, room);
	put_outcome(&list, r, SD_REQUIREMENT_UNDECIDED, room);
	put_outcome(&list, r, SD_REQUIREMENT_MET, room);
	sd_json_put(object, "result", sd_gates_answer_name[sd_gates_answer(r)], "requirements",
		list, "requirements_left_out", r->n > BRIEF ? (json_int_t)(r->n - BRIEF) : 0);
}

int sd_gates_brief(FILE *f, const struct sd_gate_results *r)
{
	const struct sd_json_brief brief = {
		.kind = "check", .record = r->record, .view = r->view, .more = put_brief, .ctx = r};

	return sd_json_brief_print(f, &brief);
}

int sd_gates_markdown(FILE *f, const struct sd_gate_results *r)
{
	fprintf(f, "**scalediag check: %s**\n\n| requirement | outcome | seen |\n|---|---|---|\n",
		sd_gates_answer_name[sd_gates_answer(r)]);
	for (size_t i = 0; i < r->n; i++) {
		const struct sd_requirement_result *x = &r->result[i];
		char seen[128];

		sd_gates_describe(x, seen, sizeof seen);
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
	if (sd_gates_answer(r) != SD_GATES_PASSED && r->view->n_cause) {
		fputc('\n', f);
		sd_markdown_causes(f, r->view);
	}
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}

int sd_gates_open_metrics(FILE *f, const struct sd_gate_results *r)
{
	sd_open_metrics_family(f, "requirement_met", "",
		"Is it met? 1 yes, 0 no; one that the runs do not decide has no sample.");
	for (size_t i = 0; i < r->n; i++) {
		const struct sd_requirement_result *const x = &r->result[i];
		const struct sd_open_label label[SD_OPEN_METRICS_LABELS] = {
			{"program", r->view->command}, {"requirement", x->gate->text}};

		if (x->outcome != SD_REQUIREMENT_UNDECIDED)
			sd_open_metrics_sample(
				f, "requirement_met", "", label, x->outcome == SD_REQUIREMENT_MET);
	}
	sd_open_metrics_family(f, "requirement_seen", "", "The number that it is about.");
	for (size_t i = 0; i < r->n; i++) {
		const struct sd_requirement_result *const x = &r->result[i];
		const struct sd_open_label label[SD_OPEN_METRICS_LABELS] = {
			{"program", r->view->command}, {"requirement", x->gate->text}};

		if (sd_status_measured(x->seen))
			sd_open_metrics_sample(f, "requirement_seen", "", label, x->seen.value);
	}
	return sd_open_metrics_end(f);
}

/* "1. a.c:88: Memory bandwidth costs …", a line a cause. 0 or -ENOMEM. */
static int put_remarks(FILE *f, const struct sd_view *v)
{
	for (size_t i = 0; i < v->n_cause; i++) {
		const struct sd_view_cause *const c = &v->cause[i];
		char *const text = sd_remark_text(c);

		if (!text)
			return -ENOMEM;
		fprintf(f, "\n%u. ", c->number);
		if (c->at && c->at->file) {
			sd_markup_xml(f, sd_remark_file(v->r, c->at));
			fprintf(f, ":%u: ", c->at->line);
		}
		sd_markup_xml(f, text);
		free(text);
	}
	return 0;
}

/* One requirement that is not met: the element that says why, and the causes. 0 or -ENOMEM. */
static int put_unmet(
	FILE *f, const struct sd_gate_results *r, const struct sd_requirement_result *x)
{
	int rc = 0;
	static const char *const element[] = {
		[SD_GATES_PASSED] = "skipped",
		[SD_GATES_FAILED] = "failure",
		[SD_GATES_UNDECIDED] = "error",
	};
	const enum sd_gates_answer one = answer_of(r, x);
	char seen[128];

	sd_gates_describe(x, seen, sizeof seen);
	fprintf(f, "\"><%s", element[one]);
	if (one != SD_GATES_PASSED)
		fprintf(f, " type=\"%s\"", sd_requirement_outcome_name[x->outcome]);
	fputs(" message=\"", f);
	sd_markup_xml(f, seen);
	fputs(*seen && *x->why ? "; " : "", f);
	sd_markup_xml(f, x->why);
	fputs("\">", f);
	if (one != SD_GATES_PASSED)
		rc = put_remarks(f, r->view);
	fprintf(f, "</%s></testcase>\n", element[one]);
	return rc;
}

/* The dialect that Jenkins, GitLab and GitHub's reporters read: testsuite, testcase, failure (it
 * is not so), error (it could not be told), skipped. */
int sd_gates_junit(FILE *f, const struct sd_gate_results *r)
{
	int rc = 0;
	size_t count[] = {[SD_GATES_PASSED] = 0, [SD_GATES_FAILED] = 0, [SD_GATES_UNDECIDED] = 0};

	for (size_t i = 0; i < r->n; i++)
		if (r->result[i].outcome != SD_REQUIREMENT_MET)
			count[answer_of(r, &r->result[i])]++;
	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"scalediag check\" "
		"tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
		r->n, count[SD_GATES_FAILED], count[SD_GATES_UNDECIDED], count[SD_GATES_PASSED]);
	for (size_t i = 0; i < r->n && !rc; i++) {
		const struct sd_requirement_result *x = &r->result[i];

		fputs("  <testcase classname=\"", f);
		sd_markup_xml(f, r->record);
		fputs("\" name=\"", f);
		sd_markup_xml(f, x->gate->text);
		if (x->outcome == SD_REQUIREMENT_MET)
			fputs("\"/>\n", f);
		else
			rc = put_unmet(f, r, x);
	}
	fputs("</testsuite>\n", f);
	return rc ? rc : fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
