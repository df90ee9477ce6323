/*
 * Finds which functions the threads of CPython run, while they run: the interpreter's own functions
 * are the same for every program.
 *
 * A sample of a thread stops it in the interpreter, which keeps the functions that it runs in a
 * list of its own, not on the stack. The list is read as often as that costs little, from the
 * memory of the running process: what changes meanwhile may be read half, so each object's type is
 * checked. A sample has the functions that were seen nearest in time. In sums by function this is
 * right for whatever lasts longer than the time between two looks, and on average below that, since
 * neither looks nor samples follow what the program does.
 */
#ifndef SD_PYTHON_FRAMES_H
#define SD_PYTHON_FRAMES_H

#include "python/python_objects.h"
#include "python/python_processes.h"
#include "trace/running.h"

#define SD_PYTHON_DEPTH 64 /* functions kept of a thread, innermost first */

/* A function at a line. */
struct sd_python_place {
	unsigned code; /* index in `code` */
	unsigned line; /* 0 unknown */
};

struct sd_python_seen {
	int tid;
	uint64_t from, to; /* ns, CLOCK_MONOTONIC: first and last seen so */
	uint32_t at, n;    /* its functions in `place` */
};

/* Zeroed has looked at nothing yet. */
struct sd_python_frames {
	struct sd_python_processes processes;
	uint64_t began, next; /* ns: the first look, and the next one */
	uint64_t cost;        /* ns of CPU time, of the last look that read no names */
	int sorted;
	struct sd_python_code *code;   /* owned, each owned */
	unsigned *by_address;          /* owned hash table of them: index + 1 */
	struct sd_python_place *place; /* owned */
	struct sd_python_seen *seen;   /* owned */
	uint32_t *last;                /* owned; by tid: index + 1 in `seen` of the latest */
	size_t n_code, n_place, n_seen;
};

/* Prepares for the next run: forgets what was seen. The processes are `pid` or those of `running`,
 * and their children. 0, or -errno of sd_python_layouts_load(), nothing will be seen then. */
int sd_python_frames_again(struct sd_python_frames *f, const char *root, int pid,
	const struct sd_running *running, const char *configs);

/* Looks at the threads now, if it is time for it. Returns when it is next; UINT64_MAX: none of the
 * processes is expected to be CPython's. Best effort. */
uint64_t sd_python_frames_look(struct sd_python_frames *f, uint64_t now);

/* Looks at one process, of which the program is known, at this time. For tests. */
void sd_python_frames_look_at(
	struct sd_python_frames *f, int pid, const struct sd_python_program *program, uint64_t now);

/*
 * Finds what thread `tid` ran at `time`, by the look nearest in time. Returns the number of its
 * functions in *place (borrowed, innermost first); 0: not seen within 0.2 s. After the first call
 * there must be no more looks.
 */
size_t sd_python_frames_find(
	struct sd_python_frames *f, int tid, uint64_t time, const struct sd_python_place **place);

void sd_python_frames_free(struct sd_python_frames *f); /* accepts the zeroed value, leaves it */

#endif
