/*
 * The sections of the calibration's text report.
 */
#ifndef SD_BENCH_SECTIONS_H
#define SD_BENCH_SECTIONS_H

#include "page/page.h"
#include "bench/profile_pick.h"

/* A section prints nothing if its kernel was not run. `all`: print everything. */
void sd_bench_section_head(struct sd_page *g, const struct sd_profile *p);
/* Puts what an administrator asks first, a line each; once a state. */
void sd_bench_section_summary(struct sd_page *g, const struct sd_profile *p);
/* Its lines that programs meet most, each with what it means for them; of the state that was seen
 * most. */
void sd_bench_section_first_screen(struct sd_page *g, const struct sd_profile *p);
/* A line of what was measured, and how far to believe it. */
void sd_bench_section_trust(struct sd_page *g, const struct sd_profile *p);
void sd_bench_section_bandwidth(struct sd_page *g, const struct sd_profile *p, int all);
/* The parts of a machine: each LLC domain, each NUMA node. */
void sd_bench_section_domains(struct sd_page *g, const struct sd_profile *p, int all);
/* One loop in two forms: threads and processes, pages, places. */
void sd_bench_section_forms(struct sd_page *g, const struct sd_profile *p, int all);
void sd_bench_section_latency(struct sd_page *g, const struct sd_profile *p, int all);
void sd_bench_section_loaded(struct sd_page *g, const struct sd_profile *p, int all);
void sd_bench_section_pairs(struct sd_page *g, const struct sd_profile *p, int all);
/* The tables of a kernel that has some. */
void sd_bench_section_tables(
	struct sd_page *g, const struct sd_profile *p, const char *kernel, int all);
/* The load's time over the pages that it goes through. */
void sd_bench_plot_tlb(struct sd_page *g, const struct sd_profile *p, int state, size_t shown);
/* Whatever the kernel measured, row by row. */
void sd_bench_section_rows(
	struct sd_page *g, const struct sd_profile *p, const char *kernel, int all);

/* ---- what sections share --------------------------------------------------------------------- */

/* A number with three significant digits. */
void sd_bench_number(double v, char *out, size_t size);
/* A number of this unit: bytes as "8.0 MiB", whose unit is said then. */
void sd_bench_quantity(double v, const char *unit, char *out, size_t size);
/* Writes the row's place on a sweep: "16 MiB", "512 pages"; "" none. */
void sd_bench_parameter(const struct sd_bench_row *r, char *out, size_t size);

/* The end of a section: why numbers of its kernel are missing, each reason once; if `all`, every
 * row.
 */
void sd_bench_section_end(
	struct sd_page *g, const struct sd_profile *p, const char *kernel, int all);

/*
 * Sections are repeated for each state: sd_bench_states() times, at least once. In the query of
 * turn i, and behind its title: "", or ", near state".
 */
unsigned sd_bench_states(const struct sd_profile *p);
int sd_bench_state(const struct sd_profile *p, unsigned i);
const char *sd_bench_state_title(const struct sd_profile *p, unsigned i);
/* "near", "far", … */
const char *sd_bench_state_name(unsigned i);

/* The row of a kernel with all these words in its variant; NULL nobody tried. cores 0: any. */
const struct sd_bench_row *sd_bench_row_of(const struct sd_profile *p, const char *kernel,
	unsigned cores, int state, const char *words, ...) __attribute__((format(printf, 5, 6)));

/* The different values of a key, in the order of their rows: how many, at most `room`. */
#define SD_BENCH_WORD 32
#define SD_BENCH_WORDS 24u
size_t sd_bench_words(const struct sd_profile *p, const char *kernel, const char *key,
	char word[][SD_BENCH_WORD], size_t room);

/* "1 core", "4 cores". */
void sd_bench_cores(unsigned n, char *out, size_t size);

#define SD_BENCH_COUNTS 16u

#endif
