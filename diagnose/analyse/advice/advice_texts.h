/*
 * Advice texts (configs/advice): what to do about a cause, each with the evidence it needs and
 * where it comes from. In the syntax of libconfig:
 *
 *   advice = (
 *       {
 *           cause = "memory-bandwidth";
 *           when = "rfo_share > 0.2";    over the facts below; left out: the cause alone is enough
 *           text = "... in {function} ({line})";
 *           source = "Levinthal, Core 2 non-scaling, section Non-Temporal Stores";
 *       }
 *   );
 *
 * A row holds when each fact it names was measured and its condition is not 0, and the place is
 * known that its text names. A finding gets the first rows that hold, those with a condition or a
 * place before those without.
 */
#ifndef SD_ADVICE_TEXTS_H
#define SD_ADVICE_TEXTS_H

#include "record/cause.h"
#include "metrics/expression.h"
#include "base/sink.h"
#include "base/texts.h"

/* Lines of advice a cause. */
#define SD_ADVICE_TEXTS_MOST 3

#define SD_FACTS(X)                                                                 \
	X(CORES, "cores", "cores of the largest point")                             \
	X(WEAK, "weak", "1: the work grows with the cores")                         \
	X(RANKS, "ranks", "ranks of an MPI program whose calls were logged")        \
	X(SHARE, "share", "of the cores that the cause takes")                      \
	X(RFO_SHARE, "rfo_share", "of the lines, those read to be written")         \
	X(HITM, "hitm_per_1000", "modified lines of others per 1000 instructions")  \
	X(LOCKED, "locks_per_1000", "locked accesses per 1000 instructions")        \
	X(WALKS, "dtlb_walk_share", "of the cycles, those in page walks")           \
	X(ALLOCATED, "allocated", "cores lost below malloc and its like")           \
	X(TASKING, "tasking", "cores lost to making and handing out tasks")         \
	X(FAULTS, "fault_share", "of the kernel's time, page faults and zeroing")   \
	X(MMAP_LOCK, "mmap_lock_share", "of the kernel's time, the mmap lock")      \
	X(MUTEX, "mutex", "1: the most contended lock is a mutex")                  \
	X(RWLOCK, "rwlock", "1: it is a read-write lock")                           \
	X(FILE_LOCK, "file_lock", "1: it is a lock on a file")                      \
	X(SEMAPHORE, "semaphore", "1: it is a semaphore")                           \
	X(LOCK_BUSY, "lock_busy", "of the time, that somebody waits for it")        \
	X(LOCK_WORD, "lock_word", "1: it is in a lock of the system's library")     \
	X(INTERPRETER, "interpreter", "1: it is in a Python interpreter")           \
	X(HANDED, "handed", "of the waits for peers, those of hand-overs")          \
	X(JOINED, "joined", "of the waits for peers, those for a thread's end")     \
	X(PREFETCH_GAIN, "prefetch_gain", "of the cores, free without prefetchers") \
	X(WARM_GAIN, "warm_gain", "of the cores, free when its files are cached")   \
	X(READ_CACHED, "read_cached", "of its files, what is cached as it is")

enum sd_fact {
#define X(id, name, meaning) SD_FACT_##id,
	SD_FACTS(X)
#undef X
		SD_FACT_COUNT
};

struct sd_remedy {
	enum sd_cause cause;
	struct sd_expression when; /* handle NULL: no condition */
	const char *text, *source; /* of strings */
};

struct sd_advice_texts {
	struct sd_remedy *row; /* owned; in the order of the files */
	size_t n;
	struct sd_texts strings; /* owns the texts */
};

/* Adds the rows of one file. 0; -EINVAL after a message with file and line; -ENOMEM. *r must be
 * freed in every case. */
int sd_advice_texts_add(struct sd_advice_texts *r, const char *file, const char *text, size_t size,
	const struct sd_sink *sink);
void sd_advice_texts_free(struct sd_advice_texts *r); /* accepts the zeroed value */

/* Replaces each finding's plain advice by the rows that hold for it, if any. */
struct sd_case;
void sd_advice_texts_fill(struct sd_case *c, const struct sd_advice_texts *r);

#endif
