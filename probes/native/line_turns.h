/*
 * Which touches of cache lines met another thread's: two threads take turns on a line, one of them
 * writing. A buffer that is handed on, memory freed and used again, a stack that another thread
 * gets next, what was set up before the threads began: there all accesses of one thread precede
 * those of the next, however near. Turns are accesses of A, B and A again (or B, A and B) in a
 * short time.
 */
#ifndef SD_LINE_TURNS_H
#define SD_LINE_TURNS_H

#include "native/sample_touches.h"

/*
 * Sets `met` and `same` of all touches. `window`, ns: A B A within this time before and after a
 * touch is a turn, of five times as much it is unsure; so is a line of which there are few samples
 * (less than SD_LINE_TURNS_FEW, of one thread), in a page that another thread touches within the
 * window. Turns of reads alone are told of lines that a hundredth of the samples touch: whoever
 * writes them may be at no sample. Changes the order of the touches: in front are those of pages
 * that several threads touch, one of them writing or so many times, and split ones, by line and
 * time; returns how many, or -ENOMEM.
 */
#define SD_LINE_TURNS_FEW 3u
long sd_line_turns_find(struct sd_sample_touches *t, uint64_t window);

#endif
