/*
 * The sections of the text report, in order.
 */
#ifndef SD_SECTIONS_H
#define SD_SECTIONS_H

#include "page/page.h"
#include "record/plan.h"

/* Tone of an answer, by enum sd_view_mood. */
extern const enum sd_tone sd_section_tone[];

/* Does the program's own time grow for an unknown cause? */
int sd_section_undecided(const struct sd_analysis *a);

/* The stack of the largest point. */
void sd_section_stack(struct sd_page *p, const struct sd_record *r, const struct sd_analysis *a);

/* The largest point's metrics beyond their thresholds, with their meaning. Nothing without
 * counters. */
void sd_section_metrics(struct sd_page *p, const struct sd_analysis *a);

/* The functions in which the counters' events happened, with their metrics; nothing where none were
 * sampled. */
void sd_section_events(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s);

/* A cause that is numbered, with its items; a short one leaves out what another item says, too. */
struct sd_view;
struct sd_view_cause;
void sd_section_cause(struct sd_page *p, const struct sd_view_cause *c, int is_short);

/* The findings, causes ruled out, causes not measurable. */
void sd_section_findings(struct sd_page *p, const struct sd_view *v);

/* A report begins with these: a damaged record, results that differ between runs. */
void sd_section_warned(struct sd_page *p, const struct sd_view *v);

void sd_section_regions_brief(struct sd_page *p, const struct sd_analysis *a);
void sd_section_requests_brief(struct sd_page *p, const struct sd_analysis *a);

/* The functions in which cores were lost; nothing without samples. A brief one has the `most`
 * costliest and no blank lines around; it returns whether there are any. */
int sd_section_functions_brief(struct sd_page *p, const struct sd_analysis *a, size_t most);
void sd_section_functions(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s);

/* The costliest lines of the costliest functions, from the style. */
void sd_section_sources(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s);

/* The experiments and their results; in the long report also what they were expected to show, and
 * why others were not done. */
void sd_section_experiments(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s);

/* The experiments of a plan, before any run. */
void sd_section_experiments_plan(struct sd_page *p, const struct sd_plan *plan);

/* The prediction beyond the measured counts, or why there is none. */
void sd_section_outlook(struct sd_page *p, const struct sd_analysis *a);

/* Why source lines of a place are not shown. */
const char *sd_section_sources_why(enum sd_source_state state);

#endif
