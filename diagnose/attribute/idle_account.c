#include "attribute/idle_account.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Estimates are corrected within the longest scheduler tick (10 ms a core); an error of more than
 * two ticks is not the estimate's. */
#define CARRY_MOST 0.02

static struct sd_thread_view *const *active(const struct sd_thread_views *all, size_t *n)
{
	*n = all->active ? all->n_active : all->n;
	return all->active ? all->active : all->thread;
}

static struct sd_thread_view *find_ready(const struct sd_thread_views *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->thread[i]->queued)
			return all->thread[i];
	return NULL;
}

/* *solo is the only thread on a CPU while no other is ready, *only the only one that runs
 * or would. */
static struct sd_idle_classes_sample count(const struct sd_idle_account *d,
	const struct sd_thread_views *all, struct sd_thread_view **solo,
	struct sd_thread_view **only)
{
	struct sd_idle_classes_sample s = {.cores = d->cores, .peak = d->peak};
	const struct sd_idle_classes_parked *const parked = &d->parked;
	size_t n;
	struct sd_thread_view *const *const list = active(all, &n);

	*solo = *only = NULL;
	for (size_t i = 0; i < n; i++) {
		struct sd_thread_view *const t = list[i];

		s.running += t->on_cpu;
		s.runnable += t->queued;
		if (t->on_cpu)
			*solo = t;
		if (t->on_cpu || t->queued)
			*only = t;
	}
	s.runnable += parked->ready;
	for (int k = 0; k < SD_WAIT_COUNT; k++)
		s.waiting[k] += s.running + s.runnable > 0 ? parked->wanted[k] : parked->told[k];
	for (size_t i = 0; i < n; i++) {
		const struct sd_thread_view *const t = list[i];

		if (t->on_cpu || t->queued)
			continue;
		s.waiting[s.running + s.runnable > 0
				  ? sd_idle_classes_wanted(d->busiest, t, t->seen.wait)
				  : sd_idle_classes_told(d->busiest, t, t->seen.wait)]++;
	}
	if (s.running + s.runnable > 1)
		*solo = *only = NULL;
	else if (parked->ready > 0)
		*only = find_ready(all);
	return s;
}

static int add_concurrency(struct sd_idle_account *d, size_t k, double step)
{
	if (k >= d->n_concurrency) {
		double *const grown = realloc(d->concurrency, (k + 1) * sizeof *grown);

		if (!grown)
			return -ENOMEM;
		memset(grown + d->n_concurrency, 0, (k + 1 - d->n_concurrency) * sizeof *grown);
		d->concurrency = grown;
		d->n_concurrency = k + 1;
	}
	d->concurrency[k] += step;
	return 0;
}

/* Updates what each thread has done since it last waited for a peer, and where waiting threads
 * wait. */
static void note_roles(struct sd_idle_account *d, const struct sd_thread_views *all,
	const struct sd_thread_view *solo, double runners, double step)
{
	const struct sd_thread_view *one = NULL;
	int processes = 0;
	size_t n;
	struct sd_thread_view *const *const list = active(all, &n);

	for (size_t i = 0; i < n; i++)
		if (list[i]->on_cpu && (!one || one->pid != list[i]->pid)) {
			one = list[i];
			processes++;
		}
	for (size_t i = 0; i < n; i++) {
		struct sd_thread_view *const t = list[i];
		const enum sd_wait wait = t->seen.wait;

		/* a first thread's peers are only other processes, see lone_runner.h */
		if (t->on_cpu && runners > 1 && (t->tid != t->pid || processes > 1))
			t->together += step;
		if (t->on_cpu && runners > processes)
			t->company += step;
		if (t == solo) {
			t->alone += step;
			t->solo += step;
		}
		if (wait == SD_WAIT_SYNC || wait == SD_WAIT_PIPE || wait == SD_WAIT_POLL ||
			wait == SD_WAIT_JOIN)
			t->together = t->alone = t->company = 0;
		if (wait == SD_WAIT_LOCK || wait == SD_WAIT_SYNC || wait == SD_WAIT_PIPE ||
			wait == SD_WAIT_DISK || wait == SD_WAIT_KERNEL)
			d->habit = wait;
		if (t->new_wait && wait == SD_WAIT_SYNC)
			sd_lone_runner_waited(&d->solo, t->pid, t->tid, t->seen.address);
	}
}

/* 5 %, see lone_runner.h. */
static int is_company(double together, double alone)
{
	return together > 0.05 * (together + alone);
}

/* How much the place where `t` waits tells about the runner; the highest rank decides. */
static int place_rank(const struct sd_idle_account *d, const struct sd_thread_view *solo,
	const struct sd_thread_view *t)
{
	if (t->gomp == SD_LIBGOMP_BARRIER_REGION)
		return 4;
	if (sd_lone_runner_has_waited(&d->solo, solo->pid, solo->tid, t->seen.address))
		return 3;
	return sd_idle_classes_serves(d->busiest, t) ? 1 : 2;
}

/* Finds the place at which the others of the runner's process wait: a region of libgomp if any do,
 * else where it has waited itself, else where most of those wait that do not only serve (majority
 * vote; with no majority, any of the places). */
static struct sd_lone_runner_case describe(const struct sd_idle_account *d,
	const struct sd_thread_views *all, const struct sd_thread_view *solo)
{
	int plain = 1;
	struct sd_lone_runner_case c = {.pid = solo->pid,
		.tid = solo->tid,
		.overlapped = is_company(solo->together, solo->alone)};
	int rank, best = 0;
	long votes = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct sd_thread_view *const t = all->thread[i];

		if (t->ppid == solo->pid && t->pid != solo->pid && t->seen.wait == SD_WAIT_PIPE)
			c.feeds = 1;
		if (t->pid != solo->pid || t->seen.wait != SD_WAIT_SYNC || !t->seen.address ||
			sd_idle_classes_stands_by(d->busiest, t))
			continue;
		rank = place_rank(d, solo, t);
		if (rank > best || (rank == best && votes == 0)) {
			best = rank;
			c.address = t->seen.address;
			c.gomp = t->gomp;
			plain = t->seen.plain;
			votes = 1;
		} else if (rank == best) {
			votes += t->seen.address == c.address ? 1 : -1;
		}
	}
	if (solo->tid == d->first && plain && is_company(solo->company, solo->alone))
		c.code = d->sampled != solo->tid || d->alike_now < 0 ? SD_LONE_RUNNER_UNSEEN
			 : d->alike_now                              ? SD_LONE_RUNNER_ALIKE
								     : SD_LONE_RUNNER_ELSEWHERE;
	return c;
}

/* Books `amount` core-s as divided by out[]; cores idle beside a lone runner are left for `solo` to
 * decide. */
static void book(struct sd_idle_account *d, const double out[SD_IDLE_COUNT], double amount)
{
	double sum = 0;

	for (int i = 0; i < SD_IDLE_COUNT; i++)
		sum += out[i];
	if (sum <= 0) {
		d->idle[SD_IDLE_UNKNOWN] += amount;
		return;
	}
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		if (i == SD_IDLE_SERIAL && d->runner.tid)
			sd_lone_runner_book(&d->solo, &d->runner, amount * out[i] / sum);
		else
			d->idle[i] += amount * out[i] / sum;
}

/* Without run times the threads seen running are assumed to run for the whole step. */
static void step_by_count(
	struct sd_idle_account *d, const struct sd_idle_classes_sample *met, double step)
{
	struct sd_idle_classes_sample all = *met;
	double out[SD_IDLE_COUNT];

	all.lasted = step;
	sd_idle_classes_allocate(&all, out);
	book(d, out, fmax(0, d->cores - met->running) * step);
}

/* How the threads spent a step, by their run times. */
struct spent {
	double busy, ready;          /* s */
	double stalled;              /* share of the step in which nothing ran or could */
	double part[SD_WAIT_COUNT];  /* mean number of waiting threads */
	double apart[SD_WAIT_COUNT]; /* all threads, likewise with helpers wanting no core */
	double whole[SD_WAIT_COUNT]; /* all threads, as they count if nothing runs */
};

/* A thread never seen waiting is assumed to wait for what others were last seen waiting for. */
static enum sd_wait wait_of(const struct sd_idle_account *d, const struct sd_thread_view *t)
{
	if (t->seen.wait != SD_WAIT_NONE)
		return t->seen.wait;
	return t->habit != SD_WAIT_NONE ? t->habit : d->habit ? d->habit : SD_WAIT_UNKNOWN;
}

/*
 * A thread seen running may have waited in between, in waits too short for the poller: the time it
 * neither ran nor was ready counts as waiting for what it used to wait for. The share of time in
 * which nothing runs is estimated as if threads were independent, the product of their waiting
 * shares; that is exact for one thread, and for threads that wait or run throughout.
 */
static struct spent add_up(
	const struct sd_idle_account *d, const struct sd_thread_views *all, double step)
{
	struct spent s = {.stalled = 1};

	for (size_t i = 0; i < all->n; i++) {
		const struct sd_thread_view *const t = all->thread[i];
		const double active = fmin(1, fmax(0, (t->run_step + t->delay_step) / step));
		const enum sd_wait wait = wait_of(d, t);

		s.busy += t->run_step;
		s.ready += t->delay_step;
		s.stalled *= 1 - active;
		s.part[sd_idle_classes_wanted(d->busiest, t, wait)] += 1 - active;
		s.apart[sd_idle_classes_wanted(d->busiest, t, wait)] += 1;
		s.whole[sd_idle_classes_told(d->busiest, t, wait)] += 1;
	}
	return s;
}

/* Divides the step into a part in which nothing ran and one in which everything else happened. */
static void divide(const struct sd_idle_account *d, const struct spent *spent, double step,
	double out[SD_IDLE_COUNT])
{
	const double rest = 1 - spent->stalled;
	struct sd_idle_classes_sample none = {.cores = d->cores};
	struct sd_idle_classes_sample some = {
		.cores = d->cores, .peak = d->peak, .runners = d->runners};
	double more[SD_IDLE_COUNT] = {0};

	for (int i = 0; i < SD_WAIT_COUNT; i++)
		none.waiting[i] = spent->whole[i];
	sd_idle_classes_allocate(&none, out);
	if (rest > 0) {
		some.running = fmax(0, spent->busy) / step / rest;
		some.runnable = fmax(0, spent->ready) / step / rest;
		for (int i = 0; i < SD_WAIT_COUNT; i++)
			some.waiting[i] =
				fmax(0, spent->part[i] - spent->stalled * spent->apart[i]) / rest;
		sd_idle_classes_allocate(&some, more);
	}
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		out[i] = spent->stalled * out[i] + rest * more[i];
}

/*
 * Idle core-seconds are exact, because run times are differences of two readings, unless threads
 * came or went, which ran unseen. Then the current moment decides how they are divided.
 */
static void step_by_time(struct sd_idle_account *d, const struct sd_thread_views *all,
	const struct sd_idle_classes_sample *met, double step)
{
	const struct spent spent = add_up(d, all, step);
	double idle = d->cores * step - spent.busy + d->carry, ready, out[SD_IDLE_COUNT];

	d->carry = 0;
	if (idle < 0) {
		d->carry = fmax(idle, -CARRY_MOST * d->cores);
		return;
	}
	if (all->steady) {
		divide(d, &spent, step, out);
		book(d, out, idle);
		return;
	}
	ready = fmin(idle, fmax(0, spent.ready));
	d->idle[SD_IDLE_RUNNABLE] += ready;
	sd_idle_classes_allocate(met, out);
	book(d, out, idle - ready);
}

static const struct sd_thread_view *find(const struct sd_thread_views *all, int tid)
{
	size_t n;
	struct sd_thread_view *const *const list = active(all, &n);

	for (size_t i = 0; i < n; i++)
		if (list[i]->tid == tid)
			return list[i];
	return NULL;
}

void sd_idle_account_code(struct sd_idle_account *d, const struct sd_thread_views *all, int tid,
	const struct sd_code *code)
{
	const struct sd_thread_view *const t = find(all, tid);
	size_t runners = 0, own = 0, n;
	struct sd_thread_view *const *list = active(all, &n);

	d->sampled = 0;
	if (!d->codes || !t || !t->on_cpu)
		return;
	if (d->parked.ready > 0) {
		list = all->thread;
		n = all->n;
	}
	for (size_t i = 0; i < n; i++)
		if (list[i]->on_cpu || list[i]->queued) {
			runners++;
			own += list[i]->pid == t->pid;
		}
	if (own > 1)
		sd_same_code_beside(d->codes, code);
	if (runners > 1)
		return;
	d->sampled = tid;
	d->alike_now = sd_same_code_alone(d->codes, code);
}

int sd_idle_account_add(struct sd_idle_account *d, const struct sd_thread_views *all)
{
	const double step = (double)(all->now - all->before) * 1e-9;
	struct sd_thread_view *solo, *only;
	struct sd_idle_classes_sample met;
	double runners;
	size_t n;
	struct sd_thread_view *const *const list = active(all, &n);

	sd_idle_classes_recount(&d->parked, d->busiest, all);
	met = count(d, all, &solo, &only);
	runners = met.running + met.runnable;
	if (!(step > 0))
		return 0;
	note_roles(d, all, solo, runners, step);
	for (size_t i = 0; i < n; i++)
		d->busiest = fmax(d->busiest, list[i]->cpu);
	if (met.running < d->cores && runners > 0) {
		d->runners = runners;
		d->runner = only ? describe(d, all, only) : (struct sd_lone_runner_case){0};
	}
	if (all->timed)
		step_by_time(d, all, &met, step);
	else
		step_by_count(d, &met, step);
	d->peak = fmax(d->peak, runners);
	d->both += met.running > 1 ? step : 0;
	d->one += met.running > 0 && runners < 2 ? step : 0;
	return add_concurrency(d, (size_t)runners, step);
}

void sd_idle_account_total(const struct sd_idle_account *d, double idle[SD_IDLE_COUNT])
{
	memcpy(idle, d->idle, sizeof d->idle);
	sd_lone_runner_resolve(&d->solo, d->one > 0 ? d->both / d->one : INFINITY, idle);
}

void sd_idle_account_free(struct sd_idle_account *d)
{
	sd_lone_runner_free(&d->solo);
	free(d->concurrency);
	*d = (struct sd_idle_account){0};
}
