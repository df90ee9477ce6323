/*
 * Does the clock fall when more cores are busy? A chain of additions that depend on each other
 * needs one core cycle each and no memory: its speed is the clock's, on every machine and without a
 * counter.
 */
#include <errno.h>

#include "machine/chained_adds.h"
#include "harness/core_sets.h"
#include "kernels/kernels.h"
#include "harness/kernel_steps.h"
#include "base/clock.h"

#define SAMPLE_S 0.02 /* clocks settle within milliseconds */
#define SAMPLE_QUICK_S 0.005
#define SAMPLES 11u
#define SAMPLES_QUICK 5u
#define COUNTS_MAX 64u
#define ADDS_A_CHUNK 64000u /* about 20 us: a look at the clock is 0.1 % of it */

struct frequency {
	struct sd_team team;
	const struct sd_kernel_env *env;
};

static int add(struct sd_member *m, void *arg)
{
	const struct frequency *f = arg;
	const double start = sd_clock_s(),
		     end = start + (f->env->quick ? SAMPLE_QUICK_S : SAMPLE_S);
	uint64_t x = m->rank, y = 1, n = 0;
	double now;

	do {
		for (unsigned i = 0; i < ADDS_A_CHUNK / 64; i++) {
			SD_ADD_64(x, y);
		}
		n += ADDS_A_CHUNK;
		now = sd_clock_s();
	} while (now < end);
	m->value = 1e9 * (now - start) / (double)n;
	m->work = x;
	return 0;
}

/* Member 0 alone, then all: ns an add, mean of all; the clock of all by that of one, on the same
 * CPU. */
static int measure(void *ctx, struct sd_sample *s)
{
	struct frequency *f = ctx;
	struct sd_team_job job = {add, f};
	double alone, sum = 0, delay;
	int rc = sd_team_run(&f->team, job, 1, f->env->stop);

	if (rc)
		return rc;
	alone = f->team.member[0].value;
	s->delay = sd_team_delay(&f->team);
	rc = sd_team_run(&f->team, job, 0, f->env->stop);
	if (rc)
		return rc;
	if (sd_team_moved(&f->team))
		return -EAGAIN;
	for (unsigned i = 0; i < f->team.n; i++)
		sum += f->team.member[i].value;
	s->value[0] = sum / f->team.n;
	s->value[1] = alone / f->team.member[0].value;
	delay = sd_team_delay(&f->team);
	s->delay = delay > s->delay ? delay : s->delay;
	/* its width does not matter: a chain of additions hardly notices who else uses the core */
	return 0;
}

static int at(struct sd_kernel_steps *steps, unsigned n, struct sd_bench_rows *rows)
{
	struct frequency f = {.env = steps->env};
	struct sd_bench_row like[2];
	struct sd_cpulist cpus = {0};
	size_t values = n > 1 ? 2 : 1;
	int rc = sd_core_sets_place(f.env->topology, SD_CORE_SETS_COMPACT, n, &cpus);

	if (rc)
		return rc == -ENOMEM ? rc : 0;
	like[0] = sd_kernel_steps_row(steps, &cpus, "ns", "op=dependent-add quantity=time");
	like[1] =
		sd_kernel_steps_row(steps, &cpus, "ratio", "op=dependent-add quantity=clock/alone");
	rc = sd_team_start(&f.team, SD_TEAM_THREADS, &cpus, 0);
	if (rc)
		rc = sd_kernel_steps_failed(steps, rc, like, values, rows);
	else
		rc = sd_kernel_steps_take(steps, f.env->quick ? SAMPLES_QUICK : SAMPLES, measure,
			&f, like, values, rows);
	sd_team_end(&f.team);
	sd_cpulist_free(&cpus);
	return rc;
}

static int run(const struct sd_kernel_env *env, struct sd_bench_rows *rows)
{
	struct sd_kernel_steps steps = {.env = env, .kernel = sd_kernel_frequency.name};
	unsigned count[COUNTS_MAX];
	int rc = 0;

	steps.total = sd_core_sets_counts(env, 1, count, COUNTS_MAX);
	for (size_t i = 0; i < steps.total && !rc; i++)
		rc = at(&steps, count[i], rows);
	return rc;
}

const struct sd_kernel sd_kernel_frequency = {
	.name = "frequency",
	.summary = "core clock over the number of busy cores, by a chain of additions",
	.weight = 1,
	.run = run,
};
