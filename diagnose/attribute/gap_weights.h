/*
 * What a moment of a run stands for, where switches were not recorded all the time: each gap is
 * stood for by as much of the time after it as it is long itself, or all until the next gap; the
 * last one by what was before it, where that is more: what a program does before it ends is not
 * like the rest. Without gaps everything stands for itself.
 */
#ifndef SD_GAP_WEIGHTS_H
#define SD_GAP_WEIGHTS_H

#include "trace/timeline.h"

/* Zeroed but for the timeline is the beginning. */
struct sd_gap_weights {
	const struct sd_timeline *timeline;
	size_t at; /* the first gap that does not end before what was asked last */
};

/* `time`, ns, less what no switch was recorded of until then, and more what was stood for. Asked in
 * the order of time; never less than before; at the run's end the run's end. */
uint64_t sd_gap_weights_clock(struct sd_gap_weights *s, uint64_t time);

/* How much of [since, time], ns, was seen in one piece up to its end, or to the gap it ends in:
 * whether what lasted before an earlier gap is the same nobody knows. After sd_gap_weights_clock of
 * that time. */
uint64_t sd_gap_weights_piece(const struct sd_gap_weights *s, uint64_t since, uint64_t time);

/* How many things of its kind one that happened at `time` stands for, 0 in a gap. After
 * sd_gap_weights_clock of that time. */
double sd_gap_weights_for(const struct sd_gap_weights *s, uint64_t time);

#endif
