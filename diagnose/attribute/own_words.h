/*
 * Finds mutual exclusion whose waiters each wait at a word of their own, and makes one place of
 * these words.
 *
 * In a group commit (RocksDB's write group) one thread works for all that have queued up, and the
 * others wait at a condition variable each. By its address such a word has one waiter and looks
 * like a private event. What makes one place of several words:
 *
 * - only one thread ever waits at each of them, and all of them wait in the same functions, called
 *   by the same functions;
 * - the threads wake each other both ways. In a pipeline, whose stages may run the same code, each
 *   stage wakes the next one only; a master, or a producer, is not woken by its workers there.
 *
 * Whether the place is a lock is decided like for any other (lock_owners.h, lone_runner.h): a
 * barrier may give each thread a word, too.
 */
#ifndef SD_OWN_WORDS_H
#define SD_OWN_WORDS_H

#include "record/stacks.h"
#include "trace/timeline.h"

/* Waits at such words are waits at the first of them afterwards, which is named in *stacks.
 * Nothing is changed without stacks, or if the kernel did not report wake-ups. 0 or -ENOMEM. */
int sd_own_words_merge(struct sd_timeline *t, struct sd_stacks *stacks);

#endif
