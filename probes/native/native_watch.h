/*
 * Finds the cache lines that a run's own samples touch: each sample of user code becomes data
 * addresses by its registers and the code around it, and when the run is over it is known on which
 * lines threads took turns, and how much of each loop's time that was.
 */
#ifndef SD_NATIVE_WATCH_H
#define SD_NATIVE_WATCH_H

#include "native/code_copies.h"
#include "native/heap_blocks.h"
#include "native/line_watch.h"
#include "native/stack_frames.h"
#include "record/native_lines.h"
#include "resolve/stack_resolve.h"
#include "trace/timeline.h"

struct sd_native_watch;

/* Are the instructions of this machine decoded? */
int sd_native_watch_decodes(void);

/* Facts of the processes that were seen beside their samples; all borrowed, each NULL where nobody
 * looked, or asks. */
struct sd_native_beside {
	const struct sd_code_copies *copies; /* code that is in no file */
	const struct sd_line_watch *proof;   /* of lines that were watched */
	const struct sd_heap_blocks *blocks; /* who asked for them */
	struct sd_stack_frames *frames;      /* gets lines of stacks, whose frames are asked for */
};

/* `placing` is borrowed. 0 or -ENOMEM. */
int sd_native_watch_open(struct sd_native_watch **out, struct sd_stack_resolve *placing,
	const struct sd_native_beside *beside);

/* Must see every event, after the timeline has; `t` is that timeline. 0 or -ENOMEM. */
int sd_native_watch_event(
	struct sd_native_watch *w, const struct sd_timeline *t, const struct sd_event *e);

/* After the last event, and the end of the timeline: *out is owned by the caller. 0, or -ENOMEM and
 * NULL. */
int sd_native_watch_end(
	struct sd_native_watch *w, const struct sd_timeline *t, struct sd_native_lines **out);

void sd_native_watch_close(struct sd_native_watch *w); /* accepts NULL */

#endif
