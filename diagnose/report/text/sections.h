/*
 * The parts of the text report, in the order in which they are read.
 */
#ifndef SD_SECTIONS_H
#define SD_SECTIONS_H

#include "page/page.h"
#include "record/plan.h"

/* The component of the largest point whose cause nobody could name: growth of user time, or of CPI.
 * May be absent. */
struct sd_interval sd_section_growth(const struct sd_analysis *a);

/* True when the program's own time grows and nobody knows which cause it is. */
int sd_section_undecided(const struct sd_analysis *a);

/* Does what is undecided come before this cause, which is no more than possible? So where it is
 * more, besides what the cause accounts for, and where something speaks against the cause. */
int sd_section_undecided_before(const struct sd_analysis *a, const struct sd_finding *f);

/* One row a core count: time, speedup, efficiency, parallelism, bar. Of more than `most` counts the
 * first, the last and others at even distances; 0: all. */
void sd_section_points(struct sd_page *p, const struct sd_analysis *a, size_t most);

/* Where the cores of the largest point went. */
void sd_section_stack(struct sd_page *p, const struct sd_analysis *a);

/* The metrics of the largest point that are past their thresholds, with what they mean. Nothing
 * when there were no counters. */
void sd_section_metrics(struct sd_page *p, const struct sd_analysis *a);

/* The findings, what is ruled out, what could not be measured. */
void sd_section_findings(struct sd_page *p, const struct sd_analysis *a);

/* Which functions the cores were lost in; nothing without samples. */
void sd_section_functions(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s);

/* The worst lines of the worst functions, as the style has them. */
void sd_section_sources(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s);

/* The locks that threads waited for. */
void sd_section_locks(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s);

/* In the long report: how many threads ran at a time, and whose running held the others up. */
void sd_section_threads(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s);

/* Where functions and the reasons of waits are from: rate, lost samples, what was denied. */
void sd_section_sampling(struct sd_page *p, const struct sd_analysis *a);

/* What was tried and what it showed; in the long report also what it was to show, and why others
 * were not tried. */
void sd_section_experiments(
	struct sd_page *p, const struct sd_analysis *a, const struct sd_report_style *s);

/* The experiments of a plan, before anything has run. */
void sd_section_experiments_plan(struct sd_page *p, const struct sd_plan *plan);

/* Counts that were simulated but not measured. */
void sd_section_estimates(struct sd_page *p, const struct sd_analysis *a);

/* What is to be expected past the measured counts, or why nothing is. */
void sd_section_outlook(struct sd_page *p, const struct sd_analysis *a);

/* Why the lines of a place are not shown. */
const char *sd_section_sources_why(enum sd_source_state state);

#endif
