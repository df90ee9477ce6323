#include "trace/kernel_threads.h"

#include <stdio.h>
#include <stdlib.h>

#include "proc/proc_parse.h"
#include "proc/textfile.h"

/* The second number of a key is the waker's, or: */
#define RAN 0
#define TREE UINT64_MAX

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h; a flag of /proc/PID/stat */
#define STEPS 4               /* of one thread of the kernel that wakes the next */

struct kthread {
	int tid;
	double ns;
	double all, tree; /* wake-ups by a thread */
	double share;     /* of its work that is for the tree */
};

static void add(struct sd_kernel_threads *k, int tid, uint64_t what, uint64_t amount)
{
	uint64_t *value = sd_key_table_find(&k->seen, (uint64_t)tid, what);

	if (!value && k->seen.n < SD_KERNEL_THREADS_PAIRS)
		value = sd_key_table_add(&k->seen, (uint64_t)tid, what);
	if (value)
		*value += amount;
}

void sd_kernel_threads_ran(struct sd_kernel_threads *k, int tid, uint64_t ns)
{
	if (tid > 0)
		add(k, tid, RAN, ns);
}

void sd_kernel_threads_woken(struct sd_kernel_threads *k, int tid, int waker)
{
	if (tid > 0 && waker >= 0)
		add(k, tid, waker ? (uint64_t)waker : TREE, 1);
}

static int is_kernels(const char *root, int tid)
{
	char path[64], text[1024];
	struct sd_proc_stat stat;

	snprintf(path, sizeof path, "/proc/%d/stat", tid);
	return sd_textfile_read(root, path, text, sizeof text) == 0 &&
	       sd_proc_parse_stat(text, &stat) == 0 && (stat.flags & PF_KTHREAD);
}

static int by_tid(const void *a, const void *b)
{
	const struct kthread *const x = a, *const y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static struct kthread *find(struct kthread *list, size_t n, uint64_t tid)
{
	const struct kthread key = {.tid = (int)tid};

	return n ? bsearch(&key, list, n, sizeof *list, by_tid) : NULL;
}

/* Those of the kernel that ran and were woken by a thread. */
static size_t take(const struct sd_kernel_threads *k, const char *root, struct kthread *list)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < k->seen.size; i++)
		if (k->seen.slot[i].a && k->seen.slot[i].b == RAN)
			list[n++] = (struct kthread){
				.tid = (int)k->seen.slot[i].a, .ns = (double)k->seen.slot[i].value};
	qsort(list, n, sizeof *list, by_tid);
	for (size_t i = 0; i < k->seen.size; i++) {
		struct kthread *const to = k->seen.slot[i].a && k->seen.slot[i].b != RAN
						   ? find(list, n, k->seen.slot[i].a)
						   : NULL;

		if (to)
			to->all += (double)k->seen.slot[i].value;
	}
	for (size_t i = 0; i < n; i++)
		if (list[i].all > 0 && is_kernels(root, list[i].tid))
			list[kept++] = list[i];
	return kept;
}

/* The share of each, from those of the threads that woke it. */
static void step(const struct sd_kernel_threads *k, struct kthread *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		list[i].tree = 0;
	for (size_t i = 0; i < k->seen.size; i++) {
		const struct sd_keyslot *const s = &k->seen.slot[i];
		struct kthread *const to = s->a && s->b != RAN ? find(list, n, s->a) : NULL;
		const struct kthread *const by = to && s->b != TREE ? find(list, n, s->b) : NULL;

		if (to)
			to->tree += (double)s->value * (s->b == TREE ? 1 : by ? by->share : 0);
	}
	for (size_t i = 0; i < n; i++)
		list[i].share = list[i].tree / list[i].all;
}

double sd_kernel_threads_served(const struct sd_kernel_threads *k, const char *root)
{
	struct kthread *const list = calloc(k->seen.n + 1, sizeof *list);
	double ns = 0;
	size_t n;

	if (!list)
		return 0;
	n = take(k, root, list);
	for (int i = 0; i < STEPS; i++)
		step(k, list, n);
	for (size_t i = 0; i < n; i++)
		ns += list[i].ns * list[i].share;
	free(list);
	return ns;
}

void sd_kernel_threads_free(struct sd_kernel_threads *k)
{
	sd_key_table_free(&k->seen);
}
