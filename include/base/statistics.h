/*
 * Statistics of samples: medians, confidence intervals, bootstrap draws. Shared by measuring, which
 * decides how many runs to take, and by the analysis, which reports them.
 */
#ifndef SD_STATISTICS_H
#define SD_STATISTICS_H

#include <stddef.h>

#include "base/random.h"
#include "base/status.h"

/* With fewer runs than this the interval is the range of the samples (METHODS 5). */
#define SD_STATISTICS_FEW 5

/* Sorts in ascending order. */
void sd_statistics_sort(double *v, size_t n);

/* The k-th smallest (0-based) of n > k values; reorders v. Linear on average. */
double sd_statistics_select(double *v, size_t n, size_t k);

/* Median of n values, NAN of none; reorders v. */
double sd_statistics_median(double *v, size_t n);

/* Coefficient of variation: sample standard deviation / mean; 0 with fewer than two values. */
double sd_statistics_cv(const double *v, size_t n);

/*
 * One bootstrap resample: draws n >= 1 of n sorted values with replacement. times[j] becomes the
 * number of times value j was drawn, middle[] the two values (possibly the same) whose mean is the
 * resample's median.
 */
void sd_statistics_draw(struct sd_random *random, size_t n, unsigned *times, size_t middle[2]);

/*
 * `value` with the 2.5th and 97.5th percentile of its n resamples; below SD_STATISTICS_FEW `runs`
 * (of the point that has fewest) with their range, below two unbounded. It contains `value`. Status
 * ok; absent when n == 0. Reorders v. For few runs it is too narrow: the ledger widens what it is
 * told by them, and whatever else is shown or judged goes through sd_statistics_widen.
 */
struct sd_interval sd_statistics_interval(double value, double *v, size_t n, size_t runs);

/*
 * By how much such an interval of r runs is too narrow (METHODS 4.2), t = sd_statistics_t(r - 1).
 * The percentiles of a bootstrap are those of a normal distribution with the plug-in deviation: t /
 * 1.96 * sqrt(r / (r - 1)) (Hesterberg, What Teachers Should Know about the Bootstrap, 2015,
 * "expanded percentile"). The range of r runs is d deviations wide on average (Tippett 1925), half
 * the interval of their mean t / sqrt(r) of them. Never below 1; INFINITY of one run.
 */
double sd_statistics_spread(size_t runs, double t);

/* Widened by that, as much to either side: the value of few runs may lie at an end of them. */
struct sd_interval sd_statistics_widen(struct sd_interval v, size_t runs);

/* The same of cores that are a part of n: no more than n, however far few runs are widened, unless
 * the value is. */
struct sd_interval sd_statistics_widen_part(struct sd_interval v, size_t runs, double n);

/* The same for a time or a ratio, which stays above 0: widened as its logarithm. Fewer runs than
 * SD_STATISTICS_FEW that agree to the last digit were rounded: how far they differ is not known,
 * and the interval is unbounded. */
struct sd_interval sd_statistics_widen_ratio(struct sd_interval v, size_t runs);

/*
 * Median of n runs with the distribution-free interval of its order statistics (binomial, at least
 * 95 %). For five it is their range (94 %), for fewer the range widened as above, but not below 0
 * where no run is; unbounded for one run. Absent when n == 0. Reorders v.
 */
struct sd_interval sd_statistics_order(double *v, size_t n);

/* The same of times or ratios, all above 0: widened as sd_statistics_widen_ratio does. */
struct sd_interval sd_statistics_order_ratio(double *v, size_t n);

/* The share of k >= 0 in n > 0, k <= n, with its 95 % interval (Wilson 1927), within 0..1. */
struct sd_interval sd_statistics_share(double k, double n);

/*
 * Smallest relative difference of two groups' medians that a two-sided 5 % test detects with 80 %
 * power: 2.8 sqrt(cv1^2/n1 + cv2^2/n2), METHODS 5 (2.8 = 1.96 + 0.84).
 */
double sd_statistics_smallest(double cv1, size_t n1, double cv2, size_t n2);

/* Quantile .975 of Student's t, df >= 1: two-sided 5 %. */
double sd_statistics_t(size_t df);

/*
 * Mean of n values with its 95 % interval by Student's t. A single value is unbounded and noisy; n
 * == 0 is absent.
 */
struct sd_interval sd_statistics_paired(const double *v, size_t n);

/* A group of runs for a comparison of medians. */
struct sd_group {
	double median, cv;
	size_t n;
};

/*
 * Do the medians of two groups surely differ? Welch's t test of the logarithms at the two-sided 0.1
 * % level, with the standard error of a median, 1.25 times that of a mean. A few runs cannot
 * estimate their own noise: with fewer than SD_STATISTICS_FEW on a side a difference of more than
 * .2 in the logarithm also counts, and with a single run nothing else does.
 */
int sd_statistics_differ(const struct sd_group *a, const struct sd_group *b);

/*
 * Are the nb values of b surely larger than the na of a, whatever their distributions? The rank-sum
 * test of Mann and Whitney (1947) at the one-sided 0.1 % level, by the normal approximation with
 * continuity correction, which is conservative that far out, and exactly where all of b exceed all
 * of a (at least six of one and seven of the other). A few very long runs weigh no more than any
 * others.
 */
int sd_statistics_larger(const double *a, size_t na, const double *b, size_t nb);

#endif
