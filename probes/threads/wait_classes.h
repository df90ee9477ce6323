/*
 * Why a thread does not run: the classes of waiting, read from its state, its system call and the
 * kernel function it sleeps in.
 */
#ifndef SD_WAIT_CLASSES_H
#define SD_WAIT_CLASSES_H

#include <stdint.h>

#include "proc/proc_parse.h"
#include "trace/wait.h"

/* What is known about one thread that waits. */
struct sd_wait_facts {
	char state;                            /* of its stat file */
	const struct sd_proc_syscall *syscall; /* NULL: may not be read */
	const char *wchan;                     /* kernel function; NULL or "0" unknown */
	int on_pipe;                           /* the call is about a pipe or an eventfd */
	int on_timer;                          /* it is about a timerfd */
	/* Is there a thread with this number in the tree? NULL: not known. */
	int (*is_thread)(void *ctx, uint32_t tid);
	void *ctx;
};

/* A call that waits on the descriptor in its first argument. */
int sd_wait_classes_names_file(long nr);

struct sd_wait_seen sd_wait_classes_classify(const struct sd_wait_facts *facts);

/*
 * The thread waits anew. `last` is where it last waited for what may be a mutex, 0 nowhere; kept up
 * to date. The round of a barrier or an event count is another one every time: the same word with
 * the value of a contended mutex, twice, is a mutex.
 */
void sd_wait_classes_again(struct sd_wait_seen *seen, uint64_t *last);

#endif
