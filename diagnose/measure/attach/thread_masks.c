#include "attach/thread_masks.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/one_more.h"
#include "proc/proc_parse.h"
#include "proc/task_ids.h"
#include "proc/textfile.h"

#define ROUNDS 8 /* of listing threads: each is for those that were made in the one before */
#define WORDS (SD_CPU_MAX / (8 * sizeof(unsigned long)))
#define SIZE (WORDS * sizeof(unsigned long)) /* of any kernel's mask */

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

static int add(struct sd_thread_masks *m, int pid, int tid, const unsigned long *words, size_t n)
{
	struct sd_thread_mask *const grown = sd_one_more(m->thread, m->n, sizeof *grown), *t;

	if (!grown)
		return -ENOMEM;
	m->thread = grown;
	m->bytes = n;
	t = &m->thread[m->n];
	*t = (struct sd_thread_mask){
		.pid = pid, .tid = tid, .start = start_of(pid, tid), .words = malloc(n)};
	if (!t->words)
		return -ENOMEM;
	memcpy(t->words, words, n);
	m->n++;
	return 0;
}

static int save_one(void *ctx, int pid, int tid)
{
	unsigned long words[WORDS];
	const long n = get(tid, words);

	return n <= 0 ? 0 : add(ctx, pid, tid, words, (size_t)n); /* else it has ended */
}

int sd_thread_masks_save(struct sd_thread_masks *m, const struct sd_attached *a)
{
	const int rc = each_thread(a, save_one, m);

	return rc ? rc : m->n ? 0 : -ESRCH;
}

static struct sd_thread_mask *saved(const struct sd_thread_masks *m, int pid, int tid)
{
	const uint64_t start = start_of(pid, tid);

	for (size_t i = 0; i < m->n; i++)
		if (m->thread[i].tid == tid && m->thread[i].start == start)
			return &m->thread[i];
	return NULL;
}

/* Has it what we gave? */
static int has_given(
	const struct sd_thread_masks *m, const struct sd_thread_mask *t, const unsigned long *now)
{
	return (t->given && memcmp(t->given, now, m->bytes) == 0) ||
	       (t->before && memcmp(t->before, now, m->bytes) == 0);
}

static int knows(const struct sd_thread_masks *m, int pid)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->thread[i].pid == pid)
			return 1;
	return 0;
}

/* A new thread of the process, or of a new one: does it have what another one was given? */
static int has_inherited(const struct sd_thread_masks *m, int pid, const unsigned long *now)
{
	const int known = knows(m, pid);

	for (size_t i = 0; i < m->n; i++)
		if ((!known || m->thread[i].pid == pid) && has_given(m, &m->thread[i], now))
			return 1;
	return 0;
}

/* Joins the CPUs of a process's threads; for a process that was not there, of all threads. */
static void widest(const struct sd_thread_masks *m, int pid, unsigned long words[WORDS])
{
	const int known = knows(m, pid);

	memset(words, 0, SIZE);
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0;
			(!known || m->thread[i].pid == pid) && k < m->bytes / sizeof *words; k++)
			words[k] |= m->thread[i].words[k];
}

struct change {
	struct sd_thread_masks *masks;
	unsigned long to[WORDS];
	size_t failed, changed;
};

static int give(const struct change *c, struct sd_thread_mask *t)
{
	const size_t n = c->masks->bytes / sizeof *c->to;
	unsigned long *const words = calloc(n, sizeof *words), any = 0;

	if (!words)
		return -ENOMEM;
	for (size_t k = 0; k < n; k++)
		any |= words[k] = t->words[k] & c->to[k];
	if (!any)
		memcpy(words, c->to, c->masks->bytes);
	free(t->before);
	t->before = t->given;
	t->given = words;
	return 0;
}

static int plan_one(void *ctx, int pid, int tid)
{
	const struct change *const c = ctx;
	struct sd_thread_masks *const m = c->masks;
	struct sd_thread_mask *t = saved(m, pid, tid);
	unsigned long now[WORDS], all[WORDS];

	if (get(tid, now) <= 0)
		return 0; /* it has ended */
	if (t) {
		if (t->given && !has_given(m, t, now))
			memcpy(t->words, now, m->bytes);
		return give(c, t);
	}
	widest(m, pid, all);
	if (add(m, pid, tid, has_inherited(m, pid, now) ? all : now, m->bytes))
		return -ENOMEM;
	return give(c, &m->thread[m->n - 1]);
}

static int narrow_one(void *ctx, int pid, int tid)
{
	const struct change *const c = ctx;
	struct sd_thread_masks *const m = c->masks;
	struct sd_thread_mask *t = saved(m, pid, tid);
	unsigned long now[WORDS];
	int rc = 0;

	if (!t || !t->given) {
		rc = plan_one(ctx, pid, tid); /* it came up since */
		t = rc ? NULL : saved(m, pid, tid);
	}
	if (!t || !t->given)
		return rc;
	rc = set(tid, t->given, m->bytes);
	if (rc == 0 && get(tid, now) > 0 && memcmp(now, t->given, m->bytes) != 0) {
		memcpy(t->given, now, m->bytes);
		m->differs = 1;
	}
	return rc == -ESRCH ? 0 : rc;
}

static int for_cpus(struct sd_thread_masks *m, const struct sd_attached *a,
	const struct sd_cpulist *cpus, int (*each)(void *ctx, int pid, int tid))
{
	struct change c = {.masks = m};
	const size_t bits = 8 * sizeof *c.to;

	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->cpu[i] / 8 < m->bytes)
			c.to[cpus->cpu[i] / bits] |= 1ul << cpus->cpu[i] % bits;
	return each_thread(a, each, &c);
}

int sd_thread_masks_plan(
	struct sd_thread_masks *m, const struct sd_attached *a, const struct sd_cpulist *cpus)
{
	return for_cpus(m, a, cpus, plan_one);
}

int sd_thread_masks_narrow(
	struct sd_thread_masks *m, const struct sd_attached *a, const struct sd_cpulist *cpus)
{
	m->differs = 0;
	return for_cpus(m, a, cpus, narrow_one);
}

static int restore_one(void *ctx, int pid, int tid)
{
	struct change *const c = ctx;
	const struct sd_thread_mask *const t = saved(c->masks, pid, tid);
	unsigned long now[WORDS];
	int rc;

	if (get(tid, now) <= 0)
		return 0;
	if (t ? !has_given(c->masks, t, now) : !has_inherited(c->masks, pid, now))
		return 0; /* as it was, or as it chose */
	if (t)
		memcpy(c->to, t->words, c->masks->bytes);
	else
		widest(c->masks, pid, c->to);
	if (memcmp(c->to, now, c->masks->bytes) == 0)
		return 0;
	rc = set(tid, c->to, c->masks->bytes);
	c->failed += rc && rc != -ESRCH;
	c->changed += rc == 0;
	return 0;
}

size_t sd_thread_masks_restore(
	const struct sd_thread_masks *m, const struct sd_attached *a, size_t *changed)
{
	struct sd_thread_masks own = *m;
	struct change c = {.masks = &own};
	const int rc = each_thread(a, restore_one, &c);

	*changed += c.changed;
	return c.failed + (rc != 0);
}

void sd_thread_masks_free(struct sd_thread_masks *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->thread[i].words);
		free(m->thread[i].given);
		free(m->thread[i].before);
	}
	free(m->thread);
	*m = (struct sd_thread_masks){0};
}
