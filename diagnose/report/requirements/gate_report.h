/*
 * What `scalediag check` found: text, JSON, Markdown, and JUnit XML for build servers.
 */
#ifndef SD_GATE_REPORT_H
#define SD_GATE_REPORT_H

#include <stdio.h>

#include "analysis/requirement.h"
#include "page/report_style.h"

struct sd_gate_results {
	const char *record;                         /* path; borrowed */
	const struct sd_requirement_result *result; /* borrowed */
	size_t n;
	int undecided_passes; /* --undecided pass */
};

/* Is every requirement met, or undecided where that passes? */
int sd_gates_pass(const struct sd_gate_results *r);

/* 0, -EIO or -ENOMEM. */
int sd_gates_text(FILE *f, const struct sd_gate_results *r, const struct sd_report_style *style);
int sd_gates_json(FILE *f, const struct sd_gate_results *r);
int sd_gates_markdown(FILE *f, const struct sd_gate_results *r);
int sd_gates_junit(FILE *f, const struct sd_gate_results *r);

#endif
