#include "probes/modelled_lives.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "threads/wait_classes.h"
#include "trace/thread_view.h"

#define MOST_NS 1e18 /* a file that says more is damaged */

/* In the order in which changes of one moment take effect: a wait may begin where another ends. */
enum change_kind { BEGINS, WAKES, WAITS, ENDS };

struct change {
	double at; /* clocks */
	enum change_kind kind;
	unsigned thread;
	const struct sd_sim_file_wait *wait; /* of a wait that begins */
};

struct lives {
	const struct sd_sim_file *f;
	struct sd_thread_view *view; /* owned; of all threads */
	uint64_t *lock;              /* owned; where each last waited for a possible mutex */
	char *alive;                 /* owned; which of them there are */
	struct change *change;       /* owned */
	size_t n_change;
	struct sd_thread_views now; /* those alive */
};

static int by_time(const void *x, const void *y)
{
	const struct change *const a = x, *const b = y;

	if (a->at != b->at)
		return (a->at > b->at) - (a->at < b->at);
	if (a->thread != b->thread)
		return (a->thread > b->thread) - (a->thread < b->thread);
	return (int)a->kind - (int)b->kind;
}

static void add(struct lives *l, double at, enum change_kind kind, unsigned thread,
	const struct sd_sim_file_wait *wait)
{
	l->change[l->n_change++] = (struct change){at, kind, thread, wait};
}

static int open_lives(struct lives *l, const struct sd_sim_file *f)
{
	*l = (struct lives){.f = f};
	l->view = calloc(f->n_life, sizeof *l->view);
	l->lock = calloc(f->n_life, sizeof *l->lock);
	l->alive = calloc(f->n_life, 1);
	l->now.thread = calloc(f->n_life, sizeof *l->now.thread);
	l->change = calloc(2 * (f->n_life + f->n_wait), sizeof *l->change);
	if (!l->view || !l->lock || !l->alive || !l->now.thread || !l->change)
		return -ENOMEM;
	for (unsigned i = 0; i < f->n_life; i++) {
		add(l, f->life[i].begun, BEGINS, i, NULL);
		add(l, f->life[i].ended, ENDS, i, NULL);
		/* the first has the process's number, as one of Linux has */
		l->view[i].pid = f->pid;
		l->view[i].tid = f->pid + (int)i;
	}
	for (size_t i = 0; i < f->n_wait; i++) {
		add(l, f->wait[i].from, WAITS, f->wait[i].thread, &f->wait[i]);
		add(l, f->wait[i].to, WAKES, f->wait[i].thread, NULL);
	}
	qsort(l->change, l->n_change, sizeof *l->change, by_time);
	return 0;
}

static void close_lives(struct lives *l)
{
	free(l->view);
	free(l->lock);
	free(l->alive);
	free(l->now.thread);
	free(l->change);
}

static int is_thread(void *ctx, uint32_t tid)
{
	const struct sd_sim_file *const f = ctx;

	for (size_t i = 0; i < f->n_thread; i++)
		if ((uint32_t)f->thread[i].tid == tid)
			return 1;
	return 0;
}

/* As the kernel would show the call. */
static struct sd_wait_seen seen_of(const struct sd_sim_file *f, const struct sd_sim_file_wait *w)
{
	const struct sd_proc_syscall call = {.where = SD_PROC_SYSCALL,
		.nr = SYS_futex,
		.arg = {w->address, w->operation, w->value}};
	const struct sd_wait_facts facts = {.state = 'S',
		.syscall = w->address ? &call : NULL,
		.is_thread = is_thread,
		.ctx = (void *)(uintptr_t)f};

	return sd_wait_classes_classify(&facts);
}

static void apply(struct lives *l, const struct change *c)
{
	struct sd_thread_view *const v = &l->view[c->thread];

	v->on_cpu = c->kind == BEGINS || c->kind == WAKES;
	if (c->kind == WAITS) {
		v->seen = seen_of(l->f, c->wait);
		sd_wait_classes_again(&v->seen, &l->lock[c->thread]);
		v->habit = v->seen.wait;
		v->new_wait = 1;
	} else {
		v->seen = (struct sd_wait_seen){.wait = SD_WAIT_NONE};
	}
	if (c->kind != BEGINS && c->kind != ENDS)
		return;
	l->alive[c->thread] = c->kind == BEGINS;
	l->now.n = 0;
	for (size_t i = 0; i < l->f->n_life; i++)
		if (l->alive[i])
			l->now.thread[l->now.n++] = &l->view[i];
}

/* Accounts for the time up to this moment, in which nothing changed. */
static int look(struct lives *l, uint64_t now, const struct sd_accountant *accountant, void *state)
{
	int rc;

	l->now.before = l->now.now;
	l->now.now = now;
	if (now == l->now.before)
		return 0;
	for (size_t i = 0; i < l->now.n; i++)
		if (l->now.thread[i]->on_cpu)
			l->now.thread[i]->cpu += (double)(now - l->now.before) * 1e-9;
	rc = accountant->look(state, &l->now, NULL);
	for (size_t i = 0; i < l->now.n; i++)
		l->now.thread[i]->new_wait = 0;
	return rc;
}

static int by_cpu(const void *x, const void *y)
{
	const struct sd_thread *const a = x, *const b = y;

	return (a->cpu.value < b->cpu.value) - (a->cpu.value > b->cpu.value);
}

static int give_threads(const struct lives *l, struct sd_run *run)
{
	const size_t n = l->f->n_life;

	run->thread = calloc(n, sizeof *run->thread);
	if (!run->thread)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		run->thread[i] = (struct sd_thread){.pid = l->view[i].pid,
			.tid = l->view[i].tid,
			.cpu = SD_OK(l->view[i].cpu),
			.run_delay = SD_NOT(ABSENT),
			.solo = SD_OK(l->view[i].solo)};
	qsort(run->thread, n, sizeof *run->thread, by_cpu);
	run->n_thread = n < SD_RUN_THREADS ? n : SD_RUN_THREADS;
	run->n_thread_seen = n;
	return 0;
}

int sd_modelled_lives_account(const struct sd_sim_file *f, double hz, unsigned cores,
	const struct sd_accountant *accountant, struct sd_run *run)
{
	const double ns = 1e9 / hz;
	void *state = NULL;
	struct lives l;
	int rc;

	if (!f->n_life || !(hz > 0))
		return 0;
	rc = open_lives(&l, f);
	rc = rc ? rc : accountant->begin(&state, cores, f->pid);
	for (size_t i = 0; !rc && i < l.n_change; i++) {
		rc = look(&l, (uint64_t)fmin(l.change[i].at * ns, MOST_NS), accountant, state);
		apply(&l, &l.change[i]);
	}
	rc = rc ? rc : give_threads(&l, run);
	if (!rc)
		accountant->end(state, run);
	accountant->close(state);
	close_lives(&l);
	return rc;
}
