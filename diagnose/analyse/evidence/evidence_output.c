/* Compares what the runs printed, and says whether their times scatter beside it. */
#include "evidence/evidence_os.h"

#include <math.h>

/* Times that scatter this much, and so many times as much as on the reference, are the program's:
 * where its threads' data happen to lie (the origin paper's sign of unlocked sharing). */
#define UNSTEADY .05
#define UNSTEADY_TIMES 3

/* Outputs this large, of the same length in all runs, may be the same lines in another order, as
 * where several threads print. */
#define ORDER_BYTES 4096

/* How the outputs of a point's runs compare. NONE: nothing was printed or kept (imported records),
 * or there is one run, which neither agrees nor differs. */
enum output { OUTPUT_NONE, OUTPUT_SAME, OUTPUT_DIFFERS };

static enum output output_of(const struct sd_chosen *p)
{
	int any = 0, differs = 0;

	for (size_t j = 0; j < p->n_run; j++) {
		any |= p->run[j]->stdout_bytes > 0;
		differs |= p->run[j]->stdout_digest != p->run[0]->stdout_digest ||
			   p->run[j]->stdout_bytes != p->run[0]->stdout_bytes;
	}
	return p->n_run < 2 || !any ? OUTPUT_NONE : differs ? OUTPUT_DIFFERS : OUTPUT_SAME;
}

static int differs(const struct sd_case *c)
{
	return output_of(c->ref) == OUTPUT_SAME && output_of(c->last) == OUTPUT_DIFFERS;
}

static int may_be_order(const struct sd_chosen *p)
{
	for (size_t j = 0; j < p->n_run; j++)
		if (p->run[j]->stdout_bytes != p->run[0]->stdout_bytes)
			return 0;
	return p->n_run && p->run[0]->stdout_bytes >= ORDER_BYTES;
}

int sd_evidence_output_differs(const struct sd_case *c)
{
	return differs(c) && !may_be_order(c->last);
}

void sd_evidence_output(struct sd_case *c, struct sd_finding *f)
{
	if (sd_evidence_output_differs(c))
		sd_case_say(c, f,
			"for it: the output is the same in every run at %u core%s and differs "
			"between runs at %u, as with a race (--experiments race-check names it)",
			c->ref->cores, c->ref->cores == 1 ? "" : "s", c->last->cores);
}

int sd_evidence_output_falsified(struct sd_case *c, struct sd_finding *f)
{
	if (!sd_evidence_output_differs(c))
		return 0;
	sd_case_say(c, f,
		"against it: the output differs between runs at %u cores, which only threads that "
		"write the same bytes can do",
		c->last->cores);
	return 1;
}

void sd_evidence_output_warn(struct sd_case *c)
{
	size_t n = 0;

	if (!differs(c))
		return;
	for (size_t j = 0; j < c->last->n_run; j++)
		n += c->last->run[j]->stdout_digest != c->ref->run[0]->stdout_digest;
	sd_case_warn(c,
		"results differ: %zu of %zu runs at %u cores print something else than all at %u, and "
		"not the same each time, %s",
		n, c->last->n_run, c->last->cores, c->ref->cores,
		may_be_order(c->last)
			? "of the same length: lines in another order, or a race (--experiments "
			  "race-check names it)"
			: "as with a race (--experiments race-check names it): first make it right");
}

/* Times of the runs of a point: standard deviation by mean. */
static double scatter(const struct sd_chosen *p)
{
	double mean = 0, sum = 0;

	for (size_t j = 0; j < p->n_run; j++)
		mean += p->parts[j].time / (double)p->n_run;
	for (size_t j = 0; j < p->n_run; j++)
		sum += (p->parts[j].time - mean) * (p->parts[j].time - mean);
	return mean > 0 && p->n_run > 1 ? sqrt(sum / (double)(p->n_run - 1)) / mean : 0;
}

void sd_evidence_unsteady(struct sd_case *c, struct sd_finding *f)
{
	const double before = scatter(c->ref), after = scatter(c->last);

	if (c->ref->n_run < 5 || c->last->n_run < 5 || after < UNSTEADY ||
		after < UNSTEADY_TIMES * before || output_of(c->last) != OUTPUT_SAME)
		return;
	sd_case_say(c, f,
		"for it: times are unsteady and results are not: the runs at %u cores differ by "
		"%.0f %%, those at %u by %.0f %%, and all print the same",
		c->last->cores, 100 * after, c->ref->cores, 100 * before);
}
