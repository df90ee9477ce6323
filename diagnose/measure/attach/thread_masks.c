#include "attach/thread_masks.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc/proc_parse.h"
#include "proc/task_ids.h"
#include "proc/textfile.h"

#define ROUNDS 8 /* of listing threads: each is for those that were made in the one before */
#define WORDS (SD_CPU_MAX / (8 * sizeof(unsigned long)))
#define SIZE (WORDS * sizeof(unsigned long)) /* of any kernel's mask */

struct sd_thread_mask {
	int pid, tid;
	uint64_t start;       /* clock ticks after boot: a later thread may have its number */
	unsigned long *words; /* owned; m->bytes of them */
};

static uint64_t start_of(int pid, int tid)
{
	char path[64], text[1024];
	struct sd_proc_stat s;

	snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, tid);
	return sd_textfile_read(NULL, path, text, sizeof text) || sd_proc_parse_stat(text, &s)
		       ? 0
		       : s.start;
}

/* Bytes of the mask, or -errno. */
static long get(int tid, unsigned long words[WORDS])
{
	const long n = syscall(SYS_sched_getaffinity, tid, SIZE, words);

	return n < 0 ? -errno : n;
}

static int set(int tid, const unsigned long *words, size_t bytes)
{
	return sched_setaffinity(tid, bytes, (const cpu_set_t *)(const void *)words) ? -errno : 0;
}

/* Calls `each` for all threads, again while new ones turn up. Ends with what it returned that is
 * not 0. */
static int each_thread(
	const struct sd_attached *a, int (*each)(void *ctx, int pid, int tid), void *ctx)
{
	int rc = 0;

	for (size_t i = 0; i < a->n && !rc; i++) {
		struct sd_task_ids done = {0}, now = {0};
		int more = 1;

		for (int round = 0; round < ROUNDS && more > 0 && !rc; round++) {
			more = sd_task_ids_add(&now, "", a->pid[i]);
			for (size_t k = 0; more > 0 && k < now.n && !rc; k++)
				if (sd_task_ids_insert(&done, now.tid[k]) > 0)
					rc = each(ctx, a->pid[i], now.tid[k]);
		}
		rc = more == -ENOMEM ? more : rc;
		sd_task_ids_free(&done);
		sd_task_ids_free(&now);
	}
	return rc;
}

static int save_one(void *ctx, int pid, int tid)
{
	struct sd_thread_masks *const m = ctx;
	unsigned long words[WORDS];
	const long n = get(tid, words);
	struct sd_thread_mask *t;

	if (n <= 0)
		return 0; /* it has ended */
	if (m->n == m->room) {
		const size_t room = m->room ? 2 * m->room : 64;
		struct sd_thread_mask *const grown = reallocarray(m->thread, room, sizeof *grown);

		if (!grown)
			return -ENOMEM;
		m->thread = grown;
		m->room = room;
	}
	m->bytes = (size_t)n;
	t = &m->thread[m->n];
	*t = (struct sd_thread_mask){
		.pid = pid, .tid = tid, .start = start_of(pid, tid), .words = malloc((size_t)n)};
	if (!t->words)
		return -ENOMEM;
	memcpy(t->words, words, (size_t)n);
	m->n++;
	return 0;
}

int sd_thread_masks_save(struct sd_thread_masks *m, const struct sd_attached *a)
{
	const int rc = each_thread(a, save_one, m);

	return rc ? rc : m->n ? 0 : -ESRCH;
}

static const struct sd_thread_mask *saved(const struct sd_thread_masks *m, int pid, int tid)
{
	const uint64_t start = start_of(pid, tid);

	for (size_t i = 0; i < m->n; i++)
		if (m->thread[i].tid == tid && m->thread[i].start == start)
			return &m->thread[i];
	return NULL;
}

/* What the threads of a process had together; of one that was not there, all of them. */
static void widest(const struct sd_thread_masks *m, int pid, unsigned long words[WORDS])
{
	int found = 0;

	memset(words, 0, SIZE);
	for (size_t i = 0; i < m->n; i++) {
		if (pid && m->thread[i].pid != pid)
			continue;
		found = 1;
		for (size_t k = 0; k < m->bytes / sizeof *words; k++)
			words[k] |= m->thread[i].words[k];
	}
	if (!found && pid)
		widest(m, 0, words);
}

/* What the thread had before: saved, or as above. */
static void before(const struct sd_thread_masks *m, int pid, int tid, unsigned long words[WORDS])
{
	const struct sd_thread_mask *const t = saved(m, pid, tid);

	if (t)
		memcpy(words, t->words, m->bytes);
	else
		widest(m, pid, words);
}

struct change {
	const struct sd_thread_masks *masks;
	unsigned long to[WORDS];
	size_t failed;
};

static int narrow_one(void *ctx, int pid, int tid)
{
	const struct change *const c = ctx;
	const size_t n = c->masks->bytes / sizeof *c->to;
	unsigned long words[WORDS], any = 0;
	int rc;

	before(c->masks, pid, tid, words);
	for (size_t k = 0; k < n; k++)
		any |= words[k] &= c->to[k];
	rc = set(tid, any ? words : c->to, c->masks->bytes);
	return rc == -ESRCH ? 0 : rc;
}

int sd_thread_masks_narrow(
	const struct sd_thread_masks *m, const struct sd_attached *a, const struct sd_cpulist *cpus)
{
	struct change c = {.masks = m};
	const size_t bits = 8 * sizeof *c.to;

	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->cpu[i] / 8 < m->bytes)
			c.to[cpus->cpu[i] / bits] |= 1ul << cpus->cpu[i] % bits;
	return each_thread(a, narrow_one, &c);
}

static int restore_one(void *ctx, int pid, int tid)
{
	struct change *const c = ctx;
	int rc;

	before(c->masks, pid, tid, c->to);
	rc = set(tid, c->to, c->masks->bytes);
	c->failed += rc && rc != -ESRCH;
	return 0;
}

size_t sd_thread_masks_restore(const struct sd_thread_masks *m, const struct sd_attached *a)
{
	struct change c = {.masks = m};

	return each_thread(a, restore_one, &c) ? c.failed + 1 : c.failed;
}

void sd_thread_masks_free(struct sd_thread_masks *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->thread[i].words);
	free(m->thread);
	*m = (struct sd_thread_masks){0};
}
