/*
 * The results of `scalediag check` in text, JSON, Markdown, gauges for a monitoring system,
 * and JUnit XML for build servers.
 */
#ifndef SD_GATE_REPORT_H
#define SD_GATE_REPORT_H

#include <stdio.h>

#include "analysis/requirement.h"
#include "page/report_style.h"

struct sd_view;

/* Policies for an undecided requirement. */
enum sd_gates_policy {
	/* neither: it makes the answer undecided, unless another one failed; but a slowdown that
	 * was not seen is none */
	SD_GATES_OPEN,
	SD_GATES_FAIL,
	SD_GATES_PASS,
};

struct sd_gate_results {
	const char *record;                         /* path; borrowed */
	const struct sd_requirement_result *result; /* borrowed */
	size_t n;
	enum sd_gates_policy undecided;
	/* of the record; its causes stand below an answer that is not PASSED, JSON always has them;
	 * borrowed */
	const struct sd_view *view;
};

/* FAILED: at least one requirement is violated. */
enum sd_gates_answer { SD_GATES_PASSED, SD_GATES_FAILED, SD_GATES_UNDECIDED };
enum sd_gates_answer sd_gates_answer(const struct sd_gate_results *r);
extern const char *const sd_gates_answer_name[];

/* "0.66 (95 %: 0.65 to 0.67) at 8 cores"; "" without a number. */
void sd_gates_describe(const struct sd_requirement_result *g, char *out, size_t size);

/* 0, -EIO or -ENOMEM. */
int sd_gates_text(FILE *f, const struct sd_gate_results *r, const struct sd_report_style *style);
int sd_gates_json(FILE *f, const struct sd_gate_results *r);
int sd_gates_brief(FILE *f, const struct sd_gate_results *r);
int sd_gates_markdown(FILE *f, const struct sd_gate_results *r);
int sd_gates_open_metrics(FILE *f, const struct sd_gate_results *r);
/* A page: the requirements, and below them the record's answer. */
int sd_gates_html(FILE *f, const struct sd_gate_results *r);
int sd_gates_junit(FILE *f, const struct sd_gate_results *r);

#endif
