/*
 * Why a thread does not run: the classes of waiting, read from its state, its system call and the
 * kernel function it sleeps in.
 */
#ifndef SD_WAIT_CLASSES_H
#define SD_WAIT_CLASSES_H

#include <stdint.h>

#include "proc/proc_parse.h"

enum sd_wait {
	SD_WAIT_NONE,  /* runs or is ready to */
	SD_WAIT_LOCK,  /* a mutex or another lock */
	SD_WAIT_SYNC,  /* a barrier, condition or semaphore: for what peers do */
	SD_WAIT_JOIN,  /* for the end of a thread or a child process, or for a signal */
	SD_WAIT_DISK,  /* a block device */
	SD_WAIT_SLEEP, /* a timer */
	SD_WAIT_PIPE,  /* a pipe: for what a peer writes or reads; the tree inherits none from us */
	SD_WAIT_NETWORK, /* a socket, a terminal, anything polled */
	SD_WAIT_KERNEL,  /* a lock of the kernel itself: the address space, page tables */
	SD_WAIT_TASK,    /* a task to run, of a runtime that schedules them; not known why there is
			    none */
	SD_WAIT_UNKNOWN,
	SD_WAIT_GONE, /* a zombie, stopped, dead: waits for nothing */
	SD_WAIT_COUNT
};

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

struct sd_wait_seen {
	enum sd_wait wait;
	uint64_t address; /* the futex; 0 none */
	int plain; /* a futex waited for without a bit set: not a condition variable of glibc */
	int maybe_lock; /* a mutex where its place allows a counter too: see sd_wait_classes_again
			 */
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
