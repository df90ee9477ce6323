/*
 * Why a thread does not run, from its state, its system call and the kernel function it sleeps in.
 */
#ifndef SD_WAIT_CLASSES_H
#define SD_WAIT_CLASSES_H

#include <stdint.h>

#include "proc/proc_parse.h"
#include "trace/wait.h"

/* Facts about a waiting thread. */
struct sd_wait_facts {
	char state;                            /* of its stat file */
	const struct sd_proc_syscall *syscall; /* NULL: may not be read */
	const char *wchan;                     /* kernel function; NULL or "0" unknown */
	int on_pipe;                           /* the call is on a pipe or an eventfd */
	int on_timer;                          /* it is on a timerfd */
	/* Is there a thread with this tid in the tree? NULL: unknown. */
	int (*is_thread)(void *ctx, uint32_t tid);
	void *ctx;
};

/* Does system call `nr` wait on the descriptor in its first argument? */
int sd_wait_classes_names_file(long nr);

struct sd_wait_seen sd_wait_classes_classify(const struct sd_wait_facts *facts);

/*
 * The thread starts another wait. `last`, updated here, is where it last waited for a possible
 * mutex, 0 nowhere. A barrier or event count has a new value in every round, so a word that twice
 * has the value of a contended mutex is a mutex.
 */
void sd_wait_classes_again(struct sd_wait_seen *seen, uint64_t *last);

#endif
