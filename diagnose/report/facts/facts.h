/*
 * The report's facts on an analysis: a function a section, which puts its blocks; and the tables of
 * which machines are told all rows. The kinds of rows and the words are declared here alone:
 * printers know none.
 */
#ifndef SD_FACTS_H
#define SD_FACTS_H

#include "analysis/kernel_lock_means.h"
#include "analysis/neighbours_met.h"
#include "facts/document.h"
#include "record/record.h"

/* Sections; nothing where there is nothing to say. Files are named from `folder` on. */
void sd_facts_ranks(struct sd_document *b, const struct sd_analysis *a);
void sd_facts_regions(struct sd_document *b, const struct sd_analysis *a);
/* Work and span of OpenMP tasks: the speedup that the algorithm allows. */
void sd_facts_span(struct sd_document *b, const struct sd_analysis *a);
/* Slow requests: what they did that typical ones did not. */
void sd_facts_requests(struct sd_document *b, const struct sd_analysis *a);
/* A document that is not whole has the `most` costliest. */
#define SD_FACTS_LOCKS 4
void sd_facts_locks(
	struct sd_document *b, const struct sd_analysis *a, const char *folder, size_t most);
/* Waits for the kernel's own locks at the largest core count; or why they were not measured. */
void sd_facts_kernel_locks(struct sd_document *b, const struct sd_record *r);
/* How many threads ran at a time, and which held the others up. */
void sd_facts_threads(struct sd_document *b, const struct sd_analysis *a, const char *folder);
/* The steps that were run, when, what for, and why they ended. */
void sd_facts_steps(struct sd_document *b, const struct sd_analysis *a);
/* Counts that were simulated and not measured, and how far off that was where they were. */
void sd_facts_estimates(struct sd_document *b, const struct sd_analysis *a);
/* How it was measured and reckoned: the fits, intervals, samples, the node; in a whole document
 * also where the record is from. `shielded`: the runs went before other processes. */
void sd_facts_method(struct sd_document *b, const struct sd_record *r, const struct sd_analysis *a,
	int shielded);
/* Costs of the probes that ran inside of the program: as measured, or why they were not. */
void sd_facts_probe_costs(struct sd_document *b, const struct sd_record *r);
/* Other processes that worked beside the runs. */
void sd_facts_neighbours(struct sd_document *b, const struct sd_record *r);

/* Tables of all rows. People see the first point, the last and others at even distances, `most` in
 * all; 0: every one. */
struct sd_fact_rows sd_facts_points_table(const struct sd_analysis *a, size_t most);
struct sd_fact_rows sd_facts_finding_table(const struct sd_analysis *a, const char *folder);
struct sd_fact_rows sd_facts_region_table(const struct sd_analysis *a);
struct sd_fact_rows sd_facts_span_table(const struct sd_analysis *a);
struct sd_fact_rows sd_facts_request_table(const struct sd_analysis *a);
/* Parts of the slow requests of the largest core count. */
struct sd_fact_rows sd_facts_request_parts(const struct sd_analysis *a);
struct sd_fact_rows sd_facts_lock_table(const struct sd_analysis *a, const char *folder);
struct sd_fact_rows sd_facts_kernel_lock_table(
	const struct sd_record *r, const struct sd_kernel_lock_means *m);
struct sd_fact_rows sd_facts_together_table(const struct sd_analysis *a, const char *folder);
struct sd_fact_rows sd_facts_thread_table(const struct sd_analysis *a);
struct sd_fact_rows sd_facts_step_table(const struct sd_analysis *a);
struct sd_fact_rows sd_facts_probe_cost_table(const struct sd_record *r);
struct sd_fact_rows sd_facts_neighbour_table(const struct sd_neighbours_met *met);
/* Experiments: people see those that were done, or those that were not; and counts that were not
 * measured. */
struct sd_fact_rows sd_facts_tested_table(const struct sd_analysis *a, int done);
struct sd_fact_rows sd_facts_estimate_table(const struct sd_analysis *a);
struct sd_fact_rows sd_facts_predicted_table(const struct sd_analysis *a);
struct sd_fact_rows sd_facts_rank_table(const struct sd_analysis *a);
struct sd_fact_rows sd_facts_node_table(const struct sd_analysis *a);
/* POP's factors of the parallel efficiency. */
struct sd_fact_rows sd_facts_factor_table(const struct sd_analysis *a);

#endif
