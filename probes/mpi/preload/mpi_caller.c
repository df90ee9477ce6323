#include "preload/mpi_preload.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <string.h>

#define CALLS 1024u /* places that call us, at most; others are taken as they are */
#define DEPTH 32    /* frames in which the program's is looked for */
#define WORDS 512   /* of the stack that a wrapper may have */

/* A place that calls us, and what called that, as far as it was seen. */
static struct seen {
	const void *caller, *from; /* from NULL: how `caller` is to be taken */
	int wraps;                 /* it is a wrapper: the word of the stack that has `from` */
	unsigned word;
} table[CALLS];
static unsigned used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_of_mpi(const void *code)
{
	const char *slash;
	Dl_info info;

	if (!dladdr(code, &info) || !info.dli_fname)
		return 0;
	slash = strrchr(info.dli_fname, '/');
	return strncmp(slash ? slash + 1 : info.dli_fname, "libmpi", 6) == 0;
}

/* The first frame above the wrapper's that is the program's; NULL: not found. */
static const void *unwind(const void *caller)
{
	void *frame[DEPTH];
	const int n = backtrace(frame, DEPTH);
	int i = 0;

	while (i < n && frame[i] != caller)
		i++;
	for (i++; i < n; i++)
		if (!is_of_mpi(frame[i]))
			return frame[i];
	return NULL;
}

static struct seen *find(const void *caller, const void *from)
{
	const uint64_t h = ((uint64_t)(uintptr_t)caller ^ (uint64_t)(uintptr_t)from << 7) *
			   0x9e3779b97f4a7c15ull;
	unsigned at = (unsigned)(h >> 40) % CALLS;

	for (;; at = (at + 1) % CALLS) {
		const void *const c = __atomic_load_n(&table[at].caller, __ATOMIC_ACQUIRE);

		if (!c || (c == caller && table[at].from == from))
			return &table[at];
	}
}

static struct seen *add(const struct seen *new)
{
	struct seen *s;

	pthread_mutex_lock(&lock);
	s = find(new->caller, new->from);
	if (!s->caller && used < CALLS / 4 * 3) {
		used++;
		s->from = new->from;
		s->wraps = new->wraps;
		s->word = new->word;
		__atomic_store_n(&s->caller, new->caller, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return s->caller ? s : NULL;
}

/* Finds the word, from `slot` on, in which a wrapper keeps its return address. It is the same in
 * every call: it is unwound once. */
static struct seen *learn(const void *caller, const void *const *slot)
{
	struct seen new = {.caller = caller};

	if (is_of_mpi(caller)) {
		const void *const from = unwind(caller);

		for (unsigned i = 1; from && i < WORDS && !new.wraps; i++)
			if (slot[i] == from) {
				new.wraps = 1;
				new.word = i;
			}
	}
	return add(&new);
}

const void *sd_mpi_caller(const void *caller, const void *const *slot)
{
	struct seen *s = find(caller, NULL);
	const void *from;

	if (!s->caller)
		s = learn(caller, slot);
	if (!s || !s->wraps)
		return caller;
	from = slot[s->word];
	if (find(caller, from)->caller)
		return from;
	/* new: what the word says is believed when the unwinder says so too */
	if (unwind(caller) != from)
		return caller;
	add(&(const struct seen){.caller = caller, .from = from});
	return from;
}
