#include "division.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Estimates are put right within the longest tick (10 ms a core); more than two is no estimate's
 * fault. */
#define CARRY_MOST 0.02

static struct sd_idle_sample count(
	const struct sd_division *d, const struct sd_tree *tree, struct sd_task **solo)
{
	struct sd_idle_sample s = {.cores = d->cores, .peak = d->peak};

	*solo = NULL;
	for (size_t i = 0; i < tree->n; i++) {
		struct sd_task *const t = tree->task[i];

		s.running += t->on_cpu;
		s.runnable += t->queued;
		if (t->on_cpu)
			*solo = t;
		if (!t->on_cpu && !t->queued)
			s.waiting[t->seen.wait]++;
	}
	if (s.running + s.runnable > 1)
		*solo = NULL;
	return s;
}

static int add_concurrency(struct sd_division *d, size_t k, double step)
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

/* What each thread has done since it last waited for a peer, and where those that wait do. */
static void note_roles(struct sd_division *d, struct sd_tree *tree, const struct sd_task *solo,
	double runners, double step)
{
	const struct sd_task *one = NULL;
	int processes = 0;

	for (size_t i = 0; i < tree->n; i++)
		if (tree->task[i]->on_cpu && (!one || one->pid != tree->task[i]->pid)) {
			one = tree->task[i];
			processes++;
		}
	for (size_t i = 0; i < tree->n; i++) {
		struct sd_task *const t = tree->task[i];
		const enum sd_wait wait = t->seen.wait;

		/* peers of a first thread are other processes only, see solo.h */
		if (t->on_cpu && runners > 1 && (t->tid != t->pid || processes > 1))
			t->together += step;
		if (t->on_cpu && runners > processes)
			t->company += step;
		if (t == solo) {
			t->alone += step;
			t->solo += step;
		}
		if (wait == SD_WAIT_SYNC || wait == SD_WAIT_JOIN)
			t->together = t->alone = t->company = 0;
		if (t->new_wait && wait == SD_WAIT_SYNC)
			sd_solo_waited(&d->solo, t->pid, t->tid, t->seen.address);
	}
}

/* A twentieth, see solo.h. */
static int is_company(double together, double alone)
{
	return together > 0.05 * (together + alone);
}

/* Where the others of the runner's process wait: in a region of libgomp if any do, else where most
 * of them wait (majority vote; with no majority, any of the places). */
static struct sd_solo_case describe(
	const struct sd_division *d, const struct sd_tree *tree, const struct sd_task *solo)
{
	int plain = 1;
	struct sd_solo_case c = {.pid = solo->pid,
		.tid = solo->tid,
		.overlapped = is_company(solo->together, solo->alone)};
	size_t votes = 0;

	for (size_t i = 0; i < tree->n; i++) {
		const struct sd_task *const t = tree->task[i];

		if (t->pid != solo->pid || t->seen.wait != SD_WAIT_SYNC || !t->seen.address)
			continue;
		if (t->gomp == SD_GOMP_REGION || votes == 0) {
			c.address = t->seen.address;
			c.gomp = t->gomp;
			plain = t->seen.plain;
			votes = 1;
		} else if (t->seen.address == c.address) {
			votes++;
		} else {
			votes--;
		}
		if (t->gomp == SD_GOMP_REGION)
			break;
	}
	c.alike = plain && d->sampled == solo->tid && d->alike_now == 1 &&
		  is_company(solo->company, solo->alone);
	return c;
}

/* Remembers how this moment divides its idle cores; a moment without any changes nothing. */
static void take_mix(struct sd_division *d, const struct sd_idle_sample *s,
	const struct sd_tree *tree, const struct sd_task *solo, int has_sched)
{
	double out[SD_IDLE_COUNT], sum = 0;

	sd_idle_allocate(s, out);
	if (has_sched)
		out[SD_IDLE_RUNNABLE] = 0; /* known to the nanosecond: booked apart */
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		sum += out[i];
	if (sum <= 0)
		return;
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		d->mix[i] = out[i] / sum;
	d->runner = solo ? describe(d, tree, solo) : (struct sd_solo_case){0};
}

static void book(struct sd_division *d, double amount)
{
	double sum = 0;

	for (int i = 0; i < SD_IDLE_COUNT; i++) {
		sum += d->mix[i];
		if (i == SD_IDLE_SERIAL && d->runner.tid)
			sd_solo_book(&d->solo, &d->runner, amount * d->mix[i]);
		else
			d->idle[i] += amount * d->mix[i];
	}
	if (sum <= 0)
		d->idle[SD_IDLE_UNKNOWN] += amount;
}

/*
 * The idle core-seconds of the step: exact where schedstat gives run times, since what a thread ran
 * is then a difference of two readings; else by the number that runs now.
 */
static double idle_of(struct sd_division *d, const struct sd_tree *tree, double running,
	double step, double *ready)
{
	double busy = 0, idle;

	*ready = 0;
	if (!tree->env.has_sched)
		return fmax(0, d->cores - running) * step;
	for (size_t i = 0; i < tree->n; i++) {
		busy += tree->task[i]->run_step;
		*ready += tree->task[i]->delay_step;
	}
	idle = d->cores * step - busy + d->carry;
	d->carry = 0;
	if (idle < 0) {
		d->carry = fmax(idle, -CARRY_MOST * d->cores);
		idle = 0;
	}
	return idle; /* more than cores * step when an estimate was too high before */
}

void sd_division_code(
	struct sd_division *d, const struct sd_tree *tree, int tid, const struct sd_code *code)
{
	const struct sd_task *const t = sd_tree_find(tree, tid);
	size_t runners = 0, own = 0;

	d->sampled = 0;
	if (!d->codes || !t || !t->on_cpu)
		return;
	for (size_t i = 0; i < tree->n; i++)
		if (tree->task[i]->on_cpu || tree->task[i]->queued) {
			runners++;
			own += tree->task[i]->pid == t->pid;
		}
	if (own > 1)
		sd_alike_beside(d->codes, code);
	if (runners > 1)
		return;
	d->sampled = tid;
	d->alike_now = sd_alike_alone(d->codes, code);
}

int sd_division_add(struct sd_division *d, struct sd_tree *tree)
{
	const double step = (double)(tree->env.now - tree->env.before) * 1e-9;
	struct sd_task *solo;
	const struct sd_idle_sample s = count(d, tree, &solo);
	const double runners = s.running + s.runnable;
	double idle, ready;

	note_roles(d, tree, solo, runners, step);
	take_mix(d, &s, tree, solo, tree->env.has_sched);
	idle = idle_of(d, tree, s.running, step, &ready);
	ready = fmin(fmax(ready, 0), idle);
	d->idle[SD_IDLE_RUNNABLE] += ready;
	book(d, idle - ready);
	d->peak = fmax(d->peak, runners);
	return add_concurrency(d, (size_t)runners, step);
}

void sd_division_total(const struct sd_division *d, double idle[SD_IDLE_COUNT])
{
	memcpy(idle, d->idle, sizeof d->idle);
	sd_solo_resolve(&d->solo, idle);
}

void sd_division_free(struct sd_division *d)
{
	sd_solo_free(&d->solo);
	free(d->concurrency);
	*d = (struct sd_division){0};
}
