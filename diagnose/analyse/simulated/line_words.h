/*
 * Describes contested lines of a simulated or sampled run in a finding: which memory, who allocated
 * it, which code.
 */
#ifndef SD_LINE_WORDS_H
#define SD_LINE_WORDS_H

#include "analysis/analysis.h"
#include "record/record.h"

/* Does this line belong to the cause, one of the two kinds of sharing? */
int sd_line_words_is_of(const struct sd_sim_contested *l, enum sd_cause cause);

/* Sentences about a line: its memory, who allocated it, what separation would save. 0 or -ENOMEM.
 */
int sd_line_words_line(
	const struct sd_record *r, const struct sd_sim_contested *l, struct sd_texts *out);

/* Fills f->where with the code that accesses the cause's lines, weighted by the moves it waited
 * for. 0 or -ENOMEM. */
int sd_line_words_wheres(
	const struct sd_record *r, const struct sd_simulated *s, struct sd_finding *f);

/* Sentences about the first of the cause's sampled lines, and the code of all of them. 0 or
 * -ENOMEM.
 */
int sd_line_words_sampled(
	const struct sd_record *r, const struct sd_memory_sampled *m, struct sd_finding *f);

/*
 * If no run could measure sharing, but the simulated run at the largest count (or else the sampled
 * run) shows its lines, names them after the reason (sd_finding.named). The verdict is unchanged. 0
 * or -ENOMEM.
 */
int sd_line_words_fill(const struct sd_record *r, struct sd_analysis *a);

#endif
