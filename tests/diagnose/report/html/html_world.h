/*
 * A large report for the tests of the page: 128 counts, 5,000 functions, 300 threads. Include after
 * cmocka.h.
 */
#ifndef HTML_WORLD_H
#define HTML_WORLD_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "html/html.h"
#include "support/make_analysis.h"

#define COUNTS 128u
#define FUNCTIONS 5000u
#define THREADS 300u
#define ROWS 4000u
#define STEPS 19u /* of a lane: all that a record may have, in the end */

/* A run on 128 counts with 5,000 functions, and 300 threads of which 256 have lanes. */
struct world {
	struct sd_record r;
	struct sd_analysis a;
	unsigned *node;
	struct sd_stack_profile stacks;
	struct sd_report_style style;
};

static inline void make_functions(struct world *w)
{
	char name[64];

	w->node = calloc(FUNCTIONS, sizeof *w->node);
	assert_non_null(w->node);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		struct sd_frame frame = {.line = i};
		unsigned number;

		snprintf(name, sizeof name, i ? "solver_function_number_%u" : "</script><b>%u", i);
		assert_int_equal(sd_stacks_text(&w->r.stacks, name, &frame.function), 0);
		assert_int_equal(sd_stacks_frame(&w->r.stacks, &frame, &number), 0);
		assert_int_equal(sd_stacks_node(&w->r.stacks, i % 50 ? w->node[i - 1] : 0, number,
					 &w->node[i]),
			0);
	}
}

static inline void make_profile(struct world *w)
{
	w->stacks = (struct sd_stack_profile){
		.point = calloc(COUNTS, sizeof *w->stacks.point), .n = COUNTS};
	assert_non_null(w->stacks.point);
	for (unsigned i = 0; i < COUNTS; i++) {
		struct sd_stack_profile_point *const p = &w->stacks.point[i];

		*p = (struct sd_stack_profile_point){
			.cores = i + 1, .runs = 5, .row = calloc(ROWS, sizeof *p->row), .n = ROWS};
		assert_non_null(p->row);
		for (unsigned k = 0; k < ROWS; k++)
			p->row[k] = (struct sd_stack_profile_row){
				w->node[k], k % 2 ? SD_ACTIVITY_USEFUL : SD_ACTIVITY_MUTEX, 1e-3};
	}
}

static inline struct sd_binned_lanes *make_lanes(const struct world *w)
{
	struct sd_binned_lanes *const l = make_zeroed(1, sizeof *l);

	*l = (struct sd_binned_lanes){.length = 1000000000,
		.bins = 100,
		.n_seen = THREADS,
		.doing = make_zeroed(FUNCTIONS, sizeof *l->doing),
		.n_doing = FUNCTIONS,
		.lane = make_zeroed(SD_BINNED_LANES, sizeof *l->lane),
		.n_lane = SD_BINNED_LANES};
	for (unsigned i = 0; i < FUNCTIONS; i++)
		l->doing[i] = (struct sd_binned_doing){.state = i % SD_BINNED_STATES,
			.function = w->r.stacks.frame[i % w->r.stacks.n_frame].function,
			.lock = i % 2};
	for (unsigned i = 0; i < SD_BINNED_LANES; i++) {
		struct sd_binned_lane *const lane = &l->lane[i];

		*lane = (struct sd_binned_lane){.tid = (int)i, .name = "<b>\"worker"};
		lane->step = make_zeroed(STEPS, sizeof *lane->step);
		for (lane->n_step = 0; lane->n_step < STEPS; lane->n_step++)
			lane->step[lane->n_step] = (struct sd_binned_step){lane->n_step ? 5 : 10,
				(i * STEPS + (unsigned)lane->n_step) % FUNCTIONS};
	}
	return l;
}

/* Adds lanes to one run of each count. */
static inline void add_lanes(struct world *w)
{
	for (size_t i = 0; i < w->r.n_run; i++)
		if (w->r.run[i].block == 0)
			w->r.run[i].lanes = make_lanes(w);
}

static inline void make_points(struct world *w)
{
	struct sd_point *const point = calloc(COUNTS, sizeof *point);

	assert_non_null(point);
	for (unsigned i = 0; i < COUNTS; i++) {
		point[i] = w->a.point[i * w->a.n_point / COUNTS];
		point[i].cores = point[i].n = i + 1;
		point[i].shown = NULL;
		point[i].n_shown = 0;
	}
	w->a.point = point;
	w->a.n_point = COUNTS;
}

__attribute__((noinline, unused)) static char *page_of(const struct world *w)
{
	return make_report(sd_html_report(out, &w->r, &w->a, &w->style));
}

static inline json_t *data_of(const char *page)
{
	static const char start[] = "id=\"data\">";
	const char *const from = strstr(page, start);
	json_t *root;

	assert_non_null(from);
	root = json_loadb(from + strlen(start),
		(size_t)(strstr(from, "</script>") - from) - strlen(start), 0, NULL);
	assert_non_null(root);
	return root;
}

static inline void open_world(struct world *w)
{
	*w = (struct world){0};
	make_stencil(&w->r, &w->a);
	make_functions(w);
	make_profile(w);
	add_lanes(w);
	w->style = (struct sd_report_style){.record_path = "app.json", .stacks = &w->stacks};
}

static inline void close_world(struct world *w)
{
	sd_stack_profile_free(&w->stacks);
	free(w->node);
	sd_record_free(&w->r);
	sd_analysis_free(&w->a);
}

#endif
