/*
 * Two records held against each other, the second judged by requirements and by the first as its
 * baseline, and the history that both make. The input is the requirements, one a line, a NUL, a
 * record, a NUL, and another record; where parts are missing there are no requirements, or the
 * record is compared with itself. The first inputs of a process, which are its seeds, are printed
 * in all formats, others in the one that their bytes say.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>

#include "analysis/history.h"
#include "analyse/analyse.h"
#include "comparison/comparison_report.h"
#include "history/history_report.h"
#include "requirements/gate_report.h"
#include "record/record_file.h"
#include "view/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define GATES 8
#define SEEDS 16 /* inputs that are printed in all formats */

/* Formats, by what they are of. */
enum { COMPARISON, GATE_RESULTS = 4, HISTORY = 8, PARTS = 11 };

static uint32_t chosen; /* by the bytes of this input */
static unsigned inputs; /* SEEDS at most */

static int is_wanted(unsigned part)
{
	return inputs < SEEDS || chosen % PARTS == part;
}

/* One report into memory; only a page for a browser may hold what a terminal must not see. */
static void check_output(FILE *f, char **text, size_t *size, int rc, int page)
{
	if (fclose(f) != 0 || rc != 0)
		abort();
	for (size_t i = 0; !page && i < *size; i++)
		if (((unsigned char)(*text)[i] < 0x20 && (*text)[i] != '\n') || (*text)[i] == 0x7f)
			abort();
	free(*text);
}

static void print_comparison(const struct sd_comparison *c, const struct sd_sides *s)
{
	const struct sd_report_style style = {.width = 60};

	for (int format = 0; format < 4; format++) {
		char *text = NULL;
		size_t size = 0;
		FILE *f;

		if (!is_wanted(COMPARISON + (unsigned)format))
			continue;
		f = open_memstream(&text, &size);
		if (!f)
			abort();
		check_output(f, &text, &size,
			format == 0   ? sd_comparison_text(f, c, s, &style)
			: format == 1 ? sd_comparison_json(f, c, s)
			: format == 2 ? sd_comparison_markdown(f, c, s)
				      : sd_comparison_html(f, c, s),
			format == 3);
	}
}

static void print_gates(
	const struct sd_requirement_result *result, size_t n, const struct sd_view *view)
{
	const struct sd_gate_results r = {
		.record = "r.json", .result = result, .n = n, .view = view};
	const struct sd_report_style style = {.width = 60};

	for (int format = 0; format < 4; format++) {
		char *text = NULL;
		size_t size = 0;
		FILE *f;

		if (!is_wanted(GATE_RESULTS + (unsigned)format))
			continue;
		f = open_memstream(&text, &size);
		if (!f)
			abort();
		check_output(f, &text, &size,
			format == 0   ? sd_gates_text(f, &r, &style)
			: format == 1 ? sd_gates_json(f, &r)
			: format == 2 ? sd_gates_markdown(f, &r)
				      : sd_gates_junit(f, &r),
			0);
	}
}

static void print_history(
	const struct sd_record *record, const struct sd_analysis *analysis, size_t n)
{
	const struct sd_report_style style = {.width = 60};
	struct sd_history h = {0};

	for (size_t i = 0; i < n; i++)
		if (sd_history_add(&h, i ? "b.json" : "a.json", &record[i], &analysis[i]) != 0)
			abort();
	if (sd_history_end(&h) != 0)
		abort();
	for (int format = 0; format < 3; format++) {
		char *text = NULL;
		size_t size = 0;
		FILE *f;

		if (!is_wanted(HISTORY + (unsigned)format))
			continue;
		f = open_memstream(&text, &size);
		if (!f)
			abort();
		check_output(f, &text, &size,
			format == 0   ? sd_history_text(f, &h, &style)
			: format == 1 ? sd_history_json(f, &h, "records")
				      : sd_history_html(f, &h, "records"),
			format == 2);
	}
	sd_history_free(&h);
}

static void judge(char *text, const struct sd_record *record, const struct sd_analysis *a,
	const struct sd_comparison *c)
{
	struct sd_requirement gate[GATES];
	struct sd_requirement_result result[GATES];
	char why[256], *rest = text;
	struct sd_view view;
	size_t n = 0;

	for (char *line; n < GATES - 1 && (line = strsep(&rest, "\n"));)
		if (*line && sd_requirements_parse(line, &gate[n], why, sizeof why) == 0) {
			sd_requirements_judge(&gate[n], a, &result[n]);
			n++;
		}
	if (c && c->n_point) {
		sd_requirements_baseline(&c->point[c->n_point - 1], .03, &gate[n], &result[n]);
		n++;
	}
	if (sd_view_make(&view, record, a, "r.json") != 0)
		abort();
	print_gates(result, n, &view);
	sd_view_free(&view);
}

/* Up to the next NUL, or to the end. */
static char *take_part(const uint8_t **data, size_t *size, size_t *length)
{
	const uint8_t *const end = memchr(*data, 0, *size);
	char *part;

	*length = end ? (size_t)(end - *data) : *size;
	part = malloc(*length + 1);
	if (!part)
		abort();
	memcpy(part, *data, *length);
	part[*length] = '\0';
	*data += *length + (end != NULL);
	*size -= *length + (end != NULL);
	return part;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_record record[2] = {0};
	struct sd_analysis analysis[2] = {0};
	struct sd_comparison c = {0};
	char *gates = NULL, *text[2] = {0};
	size_t length[2], n_gates;
	int ready = 0, last;

	if (!size)
		return 0;
	chosen = lzma_crc32(data, size, 0);
	gates = data[0] == '{' ? strdup("scales") : take_part(&data, &size, &n_gates);
	text[0] = take_part(&data, &size, &length[0]);
	text[1] = take_part(&data, &size, &length[1]);
	last = length[1] > 0;
	for (int i = 0; i <= last; i++) {
		if (sd_record_parse(text[i], length[i], "fuzz", &record[i], NULL))
			goto out;
		ready = i + 1;
		(void)sd_analyse(&record[i], NULL, NULL, &analysis[i]);
	}
	if (sd_compare(&record[0], &analysis[0], &record[last], &analysis[last], &c) == 0) {
		const struct sd_sides sides = {"a.json", "b.json", &record[0], &record[last]};

		print_comparison(&c, &sides);
	}
	judge(gates, &record[last], &analysis[last], &c);
	print_history(record, analysis, (size_t)ready);
	inputs += inputs < SEEDS;
out:
	sd_comparison_free(&c);
	for (int i = 0; i < ready; i++) {
		sd_analysis_free(&analysis[i]);
		sd_record_free(&record[i]);
	}
	free(gates);
	free(text[0]);
	free(text[1]);
	return 0;
}
