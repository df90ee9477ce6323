#include "metrics/role_counts.h"

#include <math.h>
#include <string.h>

#include "record/plan.h"

/* The kernel's ratio has rounding in it. */
#define ALL_THE_TIME .9999

static struct sd_count none(void)
{
	return (struct sd_count){.status = SD_STATUS_ABSENT};
}

static double cpu_time(const struct sd_run *run)
{
	struct sd_value u = run->metric[SD_METRIC_USER], s = run->metric[SD_METRIC_SYSTEM];
	struct sd_value clock = run->metric[SD_METRIC_TASK_CLOCK];

	if (sd_run_parts_usable(clock) && clock.value > 0)
		return clock.value;
	return (sd_run_parts_usable(u) ? u.value : 0) + (sd_run_parts_usable(s) ? s.value : 0);
}

/* Was it counted too short to be compared? The kernel turns events every 4 ms: in so many turns all
 * over a long run they are met as they come, in few of them by chance. */
static int is_weak(const struct sd_run *run, const struct sd_role_count *c)
{
	return c->running < SD_RUN_PARTS_RUNNING && c->running * cpu_time(run) < SD_COUNTER_TURNS_S;
}

static struct sd_count of_role(const struct sd_run *run, const struct sd_role_count *c)
{
	if (!sd_run_parts_usable(c->value))
		return (struct sd_count){
			.status = sd_has(c->value) ? SD_STATUS_ABSENT : c->value.status};
	if (!(c->running > 0) || !(c->running <= 1))
		return none();
	return (struct sd_count){
		.value = c->value.value / c->running,
		.status = c->value.status == SD_STATUS_NOISY ? SD_STATUS_NOISY
			  : c->running < ALL_THE_TIME        ? SD_STATUS_MULTIPLEXED
							     : SD_STATUS_OK,
		.quality = c->quality,
		.shared = c->shared,
		.weak = is_weak(run, c),
		.sees = c->sees ? c->sees : sd_role_sees(c->role),
	};
}

/* A count of one run, scaled once by the share of the time it was counted; absent when there is
 * none. */
static struct sd_count count_of_run(const struct sd_run *run, enum sd_role role)
{
	const struct sd_role_count *c = sd_run_role(run, role);

	return c ? of_role(run, c) : none();
}

static int counted(struct sd_count c)
{
	return sd_has((struct sd_value){0, c.status});
}

enum measure { BY_CYCLES, BY_CPU, BY_RUN };

/* The best measure that every run of the point has. */
static enum measure common(const struct sd_chosen *p)
{
	enum measure m = BY_CYCLES;

	for (size_t j = 0; j < p->n_run; j++) {
		struct sd_count c = count_of_run(p->run[j], SD_ROLE_CYCLES);

		if (m == BY_CYCLES && !(counted(c) && !c.weak && c.value > 0))
			m = BY_CPU;
		if (m == BY_CPU && !(cpu_time(p->run[j]) > 0))
			m = BY_RUN;
	}
	return m;
}

static double amount(const struct sd_run *run, enum measure m)
{
	if (m == BY_CYCLES)
		return count_of_run(run, SD_ROLE_CYCLES).value;
	return m == BY_CPU ? cpu_time(run) : 1;
}

static void add(struct sd_count *to, struct sd_count c, double weight)
{
	int first = to->status == SD_STATUS_ABSENT;

	to->value += weight * c.value;
	/* ok < multiplexed < noisy, in the order of the enum */
	to->status = first || c.status > to->status ? c.status : to->status;
	to->quality = first || c.quality > to->quality ? c.quality : to->quality;
	to->shared |= c.shared;
	to->weak |= c.weak;
	to->sees = first ? c.sees : to->sees & c.sees;
}

void sd_role_counts_make(
	const struct sd_chosen *p, const unsigned *times, struct sd_role_counts *out)
{
	enum measure m = common(p);
	double of[SD_ROLE_COUNT] = {0}, all = 0, n = 0;

	*out = (struct sd_role_counts){0};
	for (size_t j = 0; j < p->n_run; j++) {
		const struct sd_run *run = p->run[j];
		double w = times ? times[j] : 1, a;

		if (w == 0)
			continue;
		a = amount(run, m);
		all += w * a;
		n += w;
		out->cpu += w * cpu_time(run);
		for (size_t i = 0; i < run->n_role; i++) {
			struct sd_count c = of_role(run, &run->role[i]);

			if (!counted(c))
				continue;
			add(&out->role[run->role[i].role], c, w);
			of[run->role[i].role] += w * a;
		}
	}
	if (n == 0)
		return;
	out->cpu /= n;
	for (int r = 0; r < SD_ROLE_COUNT; r++)
		if (of[r] > 0)
			out->role[r].value *= all / n / of[r];
}

struct sd_value sd_role_counts_spread(const struct sd_chosen *p)
{
	double low = INFINITY, high = 0;
	unsigned passes = 0;
	size_t limit = 0;

	for (size_t j = 0; j < p->n_run; j++)
		limit = p->run[j]->pass >= limit ? (size_t)p->run[j]->pass + 1 : limit;
	for (size_t pass = 0; pass < limit && pass < SD_ROLE_COUNT; pass++) {
		double cycles = 0, cpu = 0;

		for (size_t j = 0; j < p->n_run; j++) {
			struct sd_count c = count_of_run(p->run[j], SD_ROLE_CYCLES);
			double t = cpu_time(p->run[j]);

			if (p->run[j]->pass != pass || !counted(c) || !(t > 0))
				continue;
			cycles += c.value;
			cpu += t;
		}
		if (!(cycles > 0))
			continue;
		passes++;
		low = fmin(low, cycles / cpu);
		high = fmax(high, cycles / cpu);
	}
	return passes > 1 ? SD_OK(high / low - 1) : SD_NOT(ABSENT);
}

const char *sd_role_counts_family(const struct sd_chosen *p)
{
	for (size_t j = 0; j < p->n_run; j++)
		if (p->run[j]->n_role)
			return p->run[j]->role[0].source;
	return NULL;
}
