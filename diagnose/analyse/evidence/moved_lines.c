#include "evidence/moved_lines.h"

/* Threads make so many times as many, of the same instructions, as the reference: what one core
 * does alone is not contended for. */
#define GROWN 2

/* Lines that move are not those of fewer locked accesses: a lock's own line moves once for each
 * that takes it from another core, and what is written under it a few more. */
#define LEAST .1

/* Without a calibration a line takes 1 us at most (METHODS 4.1). */
#define LINE_S 1e-6

struct counted {
	double before, after;
};

/* Has the metric grown? 0: no, or it was not counted. */
static int grown(const struct sd_case *c, const char *metric, struct counted *out)
{
	const struct sd_metric_eval_result a = sd_metric_eval_named(c->model, &c->before, metric);
	const struct sd_metric_eval_result b = sd_metric_eval_named(c->model, &c->after, metric);

	*out = (struct counted){a.value, b.value};
	return sd_metric_eval_usable(a) && sd_metric_eval_usable(b) && b.value > 0 &&
	       b.value >= GROWN * a.value;
}

/* Lines that moved. */
static int find_moved(const struct sd_case *c, struct counted *moved)
{
	return c->model->row && grown(c, "hitm-per-1000", moved);
}

int sd_moved_lines_matter(const struct sd_case *c)
{
	struct counted moved;

	return find_moved(c, &moved) &&
	       moved.after / 1000 * c->after.counts.role[SD_ROLE_INSTRUCTIONS].value * LINE_S >=
		       SD_CASE_GATE * c->loss->n * c->last->median_time;
}

/* Both have grown. */
static int find_locked(const struct sd_case *c, struct counted *taken, struct counted *moved)
{
	return find_moved(c, moved) && grown(c, "locks-taken-per-1000", taken);
}

double sd_moved_lines_locked(const struct sd_case *c)
{
	struct counted taken, moved;
	double share;

	if (!find_locked(c, &taken, &moved))
		return 0;
	share = taken.after / moved.after;
	return share >= LEAST ? share : 0;
}

void sd_moved_lines_say_locked(struct sd_case *c, struct sd_finding *f)
{
	struct counted taken, moved;

	if (!find_locked(c, &taken, &moved))
		return;
	sd_case_say(c, f,
		"locked accesses that found their line exclusive or modified, as those that take a "
		"lock, go from %.4g to %.4g per 1000 instructions from %u to %u cores, and lines "
		"that another cache held modified from %.4g to %.4g: a lock that goes from hand to "
		"hand, or an atomic counter; counts cannot tell which",
		taken.before, taken.after, c->ref->cores, c->last->cores, moved.before,
		moved.after);
}
