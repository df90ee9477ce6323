/*
 * Races in words, as the experiment race-check found them.
 */
#ifndef SD_RACE_WORDS_H
#define SD_RACE_WORDS_H

#include "analysis/analysis.h"
#include "record/record.h"

/* The run of the plan's experiment `index`, if that is race-check and was made; else NULL. */
const struct sd_experiment_run *sd_race_words_run(const struct sd_record *record, size_t index);

/* "counters+0x10 (8 bytes): add() a.c:26 writes, and add() a.c:26 read before, in no order" */
void sd_race_words(const struct sd_record *record, const struct sd_race *r, char *out, size_t size);

/* Adds a sentence on what the experiment saw; 0 or -ENOMEM. */
int sd_race_words_seen(const struct sd_record *record, size_t index, struct sd_tested *t);

#endif
