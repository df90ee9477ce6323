/*
 * Decides whether a run asks the program's allocator who asked for its blocks, by a library that
 * is preloaded into it (trace/heap_log.h): after a run that found contested lines in its heap.
 */
#ifndef SD_HEAP_QUESTION_H
#define SD_HEAP_QUESTION_H

#include "record/record.h"

/* 1: the run is one of the plan's, at a count where such a line has a percent of the user time and
 * no allocation site; no more than two runs ask, and none of a program that allocates much: each
 * call takes some ns more. */
int sd_heap_question_is_due(const struct sd_record *r, const struct sd_run *run);

#endif
