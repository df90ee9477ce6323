/*
 * The frames of stacks that threads share: which function's, and by DWARF which variable of it,
 * each of some lines is. The stacks are those that samples and switches copied, of when the line
 * was touched: the run's events are replayed once more when such lines are known.
 */
#ifndef SD_STACK_FRAMES_H
#define SD_STACK_FRAMES_H

#include "record/native_lines.h"
#include "record/stacks.h"
#include "symbols/symbols.h"
#include "trace/event.h"

#define SD_STACK_FRAMES 64u /* lines of a run */

/* A zeroed one has none. */
struct sd_stack_frames {
	struct sd_stack_line {
		int pid;
		uint64_t line, touched; /* address; bit i: byte i is touched */
		uint64_t time;          /* ns, of a touch */
		size_t row;             /* in the record's lines */
		struct sd_event copy;   /* the last before the touch, else the first after it,
					   whose stack holds the line; time 0: none */
		unsigned char *bytes;   /* owned; that stack */
	} line[SD_STACK_FRAMES];
	size_t n;
};

/* Adds a line, its first five fields; more than there is room for are left out. */
void sd_stack_frames_add(struct sd_stack_frames *f, const struct sd_stack_line *line);

/* To be called for each event of the run, in their order. 0 or -ENOMEM. */
int sd_stack_frames_event(struct sd_stack_frames *f, const struct sd_event *e);

/* Names the rows: "words[0], words[1] in serve(), stack of thread 7", or "stack of thread 7, frame
 * of serve()". Leaves those of which no copy holds the frame. 0 or -ENOMEM. */
int sd_stack_frames_name(const struct sd_stack_frames *f, struct sd_symbols *symbols,
	struct sd_stacks *stacks, struct sd_native_lines *lines);

void sd_stack_frames_free(struct sd_stack_frames *f); /* leaves an empty one */

#endif
