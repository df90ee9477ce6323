/*
 * An analysis with hostile names, and its JSON read back.
 */
#ifndef SD_TEST_VIEWER_WORLD_H
#define SD_TEST_VIEWER_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include <cmocka.h>

#include "support/make_analysis.h"
#include "support/make_samples.h"
#include "export/viewers.h"

#define HOSTILE "evil\033[31m\"},{\"x\":\xff\xe2\x80\xae();b"

/* Two points; work() and a hostile name below main(), a wait and some spinning; one lane. */
struct world {
	struct sd_record r;
	struct sd_analysis a;
	struct sd_stack_profile_row row[2][5];
	struct sd_stack_profile_point point[2];
	struct sd_stack_profile profile;
	struct sd_thread_lanes_span span[4];
	struct sd_thread_lanes_sample sample[2];
	struct sd_thread_lanes_thread thread;
	struct sd_thread_lanes_gap gap;
	struct sd_thread_lanes_run run;
	struct sd_thread_lanes lanes;
	struct sd_report_style style;
};

static inline void make_lanes(struct world *w, unsigned work, unsigned hostile)
{
	unsigned lock;

	assert_int_equal(sd_stacks_text(&w->r.stacks, HOSTILE, &lock), 0);
	w->span[0] = (struct sd_thread_lanes_span){100, 5000, SD_ACTIVITY_USEFUL, 0, 0, 1};
	w->span[1] = (struct sd_thread_lanes_span){5000, 9000, SD_ACTIVITY_MUTEX, hostile, lock, 3};
	w->span[2] = (struct sd_thread_lanes_span){9000, 9500, SD_ACTIVITY_RUNNABLE, 0, 0, 1};
	w->span[3] = (struct sd_thread_lanes_span){9500, 10000, SD_THREAD_LANES_ON_CPU, 0, 0, 1};
	w->sample[0] =
		(struct sd_thread_lanes_sample){100, 3000, 3000, 3000, work, SD_ACTIVITY_USEFUL};
	w->sample[1] = (struct sd_thread_lanes_sample){
		3000, 4500, 4000, 3000, hostile, SD_ACTIVITY_SPIN_LOCK};
	w->thread = (struct sd_thread_lanes_thread){.pid = 10,
		.tid = 11,
		.name = "evil\"\n,\xff",
		.span = w->span,
		.n_span = 4,
		.sample = w->sample,
		.n_sample = 2};
	w->gap = (struct sd_thread_lanes_gap){11000, 12000};
	w->run = (struct sd_thread_lanes_run){.run = 7,
		.cores = 2,
		.length = 20000,
		.thread = &w->thread,
		.n = 1,
		.gap = &w->gap,
		.n_gap = 1};
	w->lanes = (struct sd_thread_lanes){&w->run, 1};
}

static inline void make(struct world *w)
{
	unsigned top, work, hostile, kernel;

	*w = (struct world){0};
	make_stencil(&w->r, &w->a);
	free(w->r.program.cwd);
	w->r.program.cwd = strdup("/home/me/app");
	top = make_call(&w->r, 0, "main", "/home/me/app/src/main.cpp", 9, "/home/me/app/prog");
	work = make_call(&w->r, top, "ns::work<std::vector<int> >(int)",
		"/home/me/app/src/work.cpp", 12, "/home/me/app/prog");
	make_call(&w->r, top, "never shown", "unused.c", 1, "/unused.so");
	hostile = make_call(&w->r, work, HOSTILE, "/usr/include/" HOSTILE, 3, HOSTILE);
	kernel = make_call(&w->r, hostile, "clear_page", NULL, 0, "[kernel]");
	for (int i = 0; i < 2; i++) {
		const struct sd_stack_profile_row row[] = {
			{0, SD_ACTIVITY_USEFUL, .25},
			{work, SD_ACTIVITY_USEFUL, 1.5},
			{work, SD_ACTIVITY_SPIN_BARRIER, .5},
			{hostile, SD_ACTIVITY_MUTEX, .75},
			{kernel, SD_ACTIVITY_KERNEL_FAULT, .125},
		};

		memcpy(w->row[i], row, sizeof row);
		w->point[i] = (struct sd_stack_profile_point){1u + (unsigned)i, 5, w->row[i], 5};
	}
	w->profile = (struct sd_stack_profile){w->point, 2};
	make_lanes(w, work, hostile);
	w->style = (struct sd_report_style){.stacks = &w->profile, .lanes = &w->lanes};
}

static inline void drop(struct world *w)
{
	sd_record_free(&w->r);
	sd_analysis_free(&w->a);
}

/* ASCII without control characters, and JSON. */
static inline json_t *parse(char *text)
{
	json_error_t error;
	json_t *root;

	for (const char *c = text; *c; c++)
		assert_true((*c >= 0x20 && *c < 0x7f) || *c == '\n');
	root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		fail_msg("line %d: %s", error.line, error.text);
	free(text);
	return root;
}

static inline json_t *get(json_t *o, const char *name)
{
	json_t *const out = json_object_get(o, name);

	if (!out)
		fail_msg("no %s", name);
	return out;
}

static inline const char *text(json_t *o, const char *name)
{
	const char *const out = json_string_value(get(o, name));

	assert_non_null(out);
	return out;
}

static inline double number(json_t *array, size_t i)
{
	json_t *const x = json_array_get(array, i);

	assert_true(json_is_number(x));
	return json_number_value(x);
}

static inline double sum(json_t *array)
{
	double out = 0;

	for (size_t i = 0; i < json_array_size(array); i++)
		out += number(array, i);
	return out;
}

#endif
