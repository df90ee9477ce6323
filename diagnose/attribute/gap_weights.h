/*
 * How much time a moment represents if switches were not recorded all the time. Each gap is
 * represented by an equally long stretch after it, or by everything up to the next gap if that is
 * shorter; the last gap by the stretch before it, if that is longer, because the end of a program
 * is unlike the rest. Without gaps every moment represents itself.
 */
#ifndef SD_GAP_WEIGHTS_H
#define SD_GAP_WEIGHTS_H

#include "trace/timeline.h"

/* Initially zero except for the timeline. */
struct sd_gap_weights {
	const struct sd_timeline *timeline;
	size_t at; /* the first gap that does not end before the last query */
};

/* Represented time at `time`, ns: without the gaps so far, plus what was represented for them. Call
 * with ascending times. Never decreases, and at the run's end equals the run's end. */
uint64_t sd_gap_weights_clock(struct sd_gap_weights *s, uint64_t time);

/* How much of [since, time], ns, was observed without interruption up to its end, or up to the gap
 * it ends in. What happened before an earlier gap may have been something else. Call after
 * sd_gap_weights_clock of that time. */
uint64_t sd_gap_weights_piece(const struct sd_gap_weights *s, uint64_t since, uint64_t time);

/* How many events an event at `time` represents; 0 in a gap. Call after sd_gap_weights_clock of
 * that time. */
double sd_gap_weights_for(const struct sd_gap_weights *s, uint64_t time);

#endif
