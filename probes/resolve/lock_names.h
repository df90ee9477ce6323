/*
 * Names of the kernel's locks, and what a thread asked the kernel for, by its stack in the kernel:
 * the tables of configs/locks.
 */
#ifndef SD_LOCK_NAMES_H
#define SD_LOCK_NAMES_H

#include <stddef.h>

#include "base/sink.h"
#include "base/texts.h"

#define SD_LOCK_NAMES_MOST 256 /* rows of either table */

enum sd_lock_kind {
	SD_LOCK_KIND_ANY,
	SD_LOCK_KIND_SPIN,
	SD_LOCK_KIND_MUTEX,
	SD_LOCK_KIND_RWSEM,
	SD_LOCK_KIND_PERCPU,
	SD_LOCK_KINDS
};

struct sd_lock_name {
	char *name, *object; /* owned; name NULL, of a call: what its pattern's * stands for */
	enum sd_lock_kind kind;
	struct sd_texts function; /* patterns (fnmatch) */
};

/* Zeroed is empty: nothing has a name. */
struct sd_lock_names {
	struct sd_lock_name *lock, *call; /* owned */
	size_t n_lock, n_call;
	struct sd_texts inside, asleep; /* patterns of the locks' own functions; and of those inside
					   of them where a thread leaves its CPU */
};

/* Reads the tables of one file; `name` is for messages. 0; -EINVAL with one message said
 * ("name:line: ..."); -ENOMEM. *out is empty on failure. */
int sd_lock_names_parse(struct sd_lock_names *out, const char *name, const char *text, size_t size,
	const struct sd_sink *sink);

/* Reads configs/locks/kernel.conf, from `dir` as in configs.h. Fails likewise. */
int sd_lock_names_load(struct sd_lock_names *out, const char *dir, const struct sd_sink *sink);

#define SD_LOCK_NAMES_TEXT 160 /* bytes of a name */

/* A stack in the kernel: names of functions, innermost first, n of them; "" or NULL unknown. */
struct sd_lock_frames {
	const char *const *function;
	size_t n;
};

/* The lock: "NAME (OBJECT)" of a row; "lock in FUNCTION()" of the first frame that is none of the
 * locks' own; "unknown lock" without one. */
void sd_lock_names_lock(const struct sd_lock_names *names, struct sd_lock_frames f,
	enum sd_lock_kind kind, char out[SD_LOCK_NAMES_TEXT]);

/* The call: "munmap", "page fault"; "" unknown. */
void sd_lock_names_call(
	const struct sd_lock_names *names, struct sd_lock_frames f, char out[SD_LOCK_NAMES_TEXT]);

/* Does it end in a lock's own functions, awake or asleep? */
int sd_lock_names_waits(const struct sd_lock_names *names, struct sd_lock_frames f);

void sd_lock_names_free(struct sd_lock_names *names); /* accepts the zeroed value, leaves it */

#endif
