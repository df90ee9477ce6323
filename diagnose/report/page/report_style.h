/*
 * The reports: the same facts in the same words as text and JSON. They compute nothing; the same
 * record and analysis give the same bytes.
 */
#ifndef SD_REPORT_STYLE_H
#define SD_REPORT_STYLE_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "analysis/folded_stacks.h"
#include "analysis/contested_lines.h"
#include "analysis/stack_profile.h"
#include "analysis/thread_lanes.h"
#include "record/record.h"

/* Source lines around the costliest line of a row of the losses, from the record. */
struct sd_source {
	size_t row; /* of sd_analysis.losses */
	enum sd_source_state state;
	unsigned first;    /* number of line[0] */
	char *const *line; /* borrowed; without line ends; any bytes */
	size_t n;
};

struct sd_report_style {
	const char *record_path; /* for the closing hints; never opened */
	unsigned width;          /* columns; 0 = 100 */
	int colour;              /* ANSI colours */
	int ascii;               /* no UTF-8 bars */
	int all;                 /* every row of the tables, and more views */
	/* The brief format then has all there is on this cause, by its name; NULL: the answer. */
	const char *cause;
	const struct sd_source *source; /* borrowed; to be shown in this order */
	size_t n_source;
	/* For the plan: the order of the first blocks, `n_block` rows of the plan's n_point indices
	 * each (sd_planner_order); NULL is not shown. Borrowed. */
	const size_t *order;
	size_t n_block;
	/* For flame graphs: the stacks of a core count against the reference; NULL: none.
	 * Borrowed. */
	const struct sd_folded_stacks *folded;
	/* For other viewers; NULL: none. Borrowed. */
	const struct sd_stack_profile *stacks;
	const struct sd_thread_lanes *lanes;
	const struct sd_contested_lines *lines; /* of the simulated run; NULL: none. Borrowed */
	const struct sd_contested_lines *own;   /* of the program's own samples; likewise */
};

/* 0, or -EIO: writing to `f` failed. */
int sd_report_text(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s);
int sd_report_json(FILE *f, const struct sd_record *r, const struct sd_analysis *a);

/* Prints the plan of --dry-run: points, CPUs, order of the first blocks, probes and cost. */
int sd_report_plan(FILE *f, const struct sd_record *r, const struct sd_report_style *s);

#endif
