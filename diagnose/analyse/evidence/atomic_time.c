#include "evidence/atomic_time.h"

#include "accounting/parts_by_stack.h"

/* Core-s of user time in a mean run of a point, and of it at atomic instructions. */
struct sum {
	double all, atomic;
	size_t n_run;
};

static void add_run(struct sum *s, const struct sd_run *run, double user)
{
	double useful = 0, atomic = 0;

	for (size_t i = 0; i < run->sampled.n_use; i++) {
		const struct sd_use *const u = &run->sampled.use[i];

		useful += u->activity == SD_ACTIVITY_USEFUL ? u->seconds : 0;
		atomic += u->activity == SD_ACTIVITY_USEFUL ? u->atomic : 0;
	}
	s->all += user;
	s->atomic += useful > 0 ? user * atomic / useful : 0;
	s->n_run++;
}

static struct sum sum_of(const struct sd_chosen *p)
{
	struct sum s = {.n_run = 0};

	for (size_t j = 0; j < p->n_run; j++)
		if (sd_parts_by_stack_sampled(p->run[j]))
			add_run(&s, p->run[j],
				p->n * p->parts[j].time * p->parts[j].part[SD_PART_USER]);
	if (s.n_run) {
		s.all /= (double)s.n_run;
		s.atomic /= (double)s.n_run;
	}
	return s;
}

void sd_atomic_time_find(const struct sd_case *c, struct sd_atomic_time *out)
{
	const struct sum before = sum_of(c->ref), after = sum_of(c->last);
	const double all = after.all - c->last->work * before.all;
	const double atomic = after.atomic - c->last->work * before.atomic;

	*out = (struct sd_atomic_time){0};
	if (!before.n_run || !after.n_run || !(all > 0) || !(atomic > 0) ||
		!(c->last->median_time > 0))
		return;
	out->cores = atomic / c->last->median_time;
	out->share = atomic / all;
}

double sd_atomic_time_reference(const struct sd_case *c)
{
	return sum_of(c->ref).atomic;
}

double sd_atomic_time_share(const struct sd_case *c)
{
	const struct sum s = sum_of(c->last);

	return s.n_run && s.all > 0 ? s.atomic / s.all : -1;
}
