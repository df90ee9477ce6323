/*
 * The printed report of a made record, held to what its first screen must be.
 */
#ifndef SD_TEST_BRIEF_SCREEN_H
#define SD_TEST_BRIEF_SCREEN_H

#include <stdlib.h>
#include <string.h>

#include "page/page.h"
#include "support/first_screen.h"
#include "support/make_analysis.h"
#include "text/brief.h"

static const struct sd_report_style plain = {.record_path = "app.scalediag.json", .width = 120};

static inline char *brief(const struct sd_record *r, const struct sd_analysis *a, size_t most)
{
	char *const text = make_report(sd_brief_report(out, r, a, &plain));

	check_first_screen(text, most);
	return text;
}

static inline void must_have(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("no \"%s\" in:\n%s", what, text);
}

/* A program that loses cores to one cause on two CPUs. */
static inline void make_one_cause(struct sd_record *r, struct sd_analysis *a, enum sd_cause cause,
	enum sd_component component, const char *advice)
{
	struct sd_finding *f;

	make_scaling(r, a);
	a->scales = SD_SCALES_NO;
	a->point[0].runs = a->point[1].runs = 7;
	a->point[1].wall = make_half(.0155, .0001);
	a->point[1].speedup = make_half(1.3, .02);
	a->point[1].efficiency = make_half(.65, .01);
	a->point[1].stack[SD_COMPONENT_USEFUL] = make_half(1.3, .02);
	a->point[1].stack[component] = make_half(.63, .02);
	a->point[1].stack[SD_COMPONENT_UNACCOUNTED] = make_half(.07, .02);
	f = make_first(a, 0, cause, SD_VERDICT_LIKELY);
	f->cores = make_half(.63, .02);
	f->share = make_half(.315, .01);
	f->worth = make_half(1.46, .02);
	f->where = make_zeroed(1, sizeof *f->where);
	f->n_where = 1;
	f->where[0] = (struct sd_where){.function = strdup("lookup(std::map<int, long>&, int)"),
		.file = strdup("/home/user/src/mutex.cpp"),
		.line = 11,
		.share = .79};
	sd_texts_add(&f->advice, "%s", advice);
}

#endif
