/*
 * Contested lines of a simulated or sampled run in a finding's words: which memory, whose, from
 * which code.
 */
#ifndef SD_LINE_WORDS_H
#define SD_LINE_WORDS_H

#include "analysis/analysis.h"
#include "record/record.h"

/* Does this line count for the cause, of the two kinds of sharing? */
int sd_line_words_is_of(const struct sd_sim_contested *l, enum sd_cause cause);

/* Sentences about a line: its memory, who allocated it, what separation would save. 0 or -ENOMEM.
 */
int sd_line_words_line(
	const struct sd_record *r, const struct sd_sim_contested *l, struct sd_texts *out);

/* The code of the cause's lines, by the moves it waited for, as f->where. 0 or -ENOMEM. */
int sd_line_words_wheres(
	const struct sd_record *r, const struct sd_simulated *s, struct sd_finding *f);

/* The first of the cause's sampled lines, in sentences, and the code of all of them. 0 or -ENOMEM.
 */
int sd_line_words_sampled(
	const struct sd_record *r, const struct sd_memory_sampled *m, struct sd_finding *f);

/*
 * Sharing that no run could measure, but whose lines the simulated run of most cores shows, or
 * where there is none the sampled one: they are named behind the reason (sd_finding.named). The
 * verdict stays. 0 or -ENOMEM.
 */
int sd_line_words_fill(const struct sd_record *r, struct sd_analysis *a);

#endif
