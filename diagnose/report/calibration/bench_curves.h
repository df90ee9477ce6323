/*
 * The curves and the matrix of a calibration, from its rows: text and pages draw the same ones.
 */
#ifndef SD_BENCH_CURVES_H
#define SD_BENCH_CURVES_H

#include "bench/profile.h"

/* A point: x, and the row whose value is y. */
typedef void (*sd_bench_curve_add)(void *to, double x, const struct sd_bench_row *row);

/* In the machine's main state: ns of a dependent load over bytes; and over the GB/s of the other
 * cores at a mix of reads and writes, on `cores` (0: any). */
void sd_bench_curve_latency(const struct sd_profile *p, int huge, sd_bench_curve_add add, void *to);
void sd_bench_curve_loaded(const struct sd_profile *p, const char *mix, unsigned cores,
	sd_bench_curve_add add, void *to);

#define SD_BENCH_MATRIX 64u /* CPUs */

/* Round trips of a line between two CPUs, ns, by the order of the CPUs in the rows. */
struct sd_bench_matrix {
	unsigned cpu[SD_BENCH_MATRIX];
	size_t n;
	const struct sd_bench_row *row[SD_BENCH_MATRIX][SD_BENCH_MATRIX]; /* NULL unknown */
	double low, high;                                                 /* of the medians */
};

void sd_bench_matrix_fill(
	struct sd_bench_matrix *m, const struct sd_profile *p, const char *op, unsigned state);

#endif
