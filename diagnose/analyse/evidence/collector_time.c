#include "evidence/collector_time.h"

#include <stdlib.h>
#include <string.h>

#include "accounting/parts_by_stack.h"
#include "base/statistics.h"
#include "hotspots/runtimes.h"

/* A collector that takes this share of the time is met by so many samples. */
#define LEAST .02
#define SAMPLES 200

enum { MOST_RUNS = 256 };

struct spent {
	double of[SD_RUNTIMES_COLLECTORS]; /* core-s of a mean run */
	double run[MOST_RUNS];             /* of each, all collectors together */
	double user, samples;
	size_t n;
};

/* The collector in each node's stack, SD_RUNTIMES_COLLECTORS for none; owned by the caller. NULL:
 * no memory, or no node has any. */
static unsigned char *find_collectors(const struct sd_stacks *s)
{
	unsigned char *const of_frame = calloc(s->n_frame + 1, 1);
	unsigned char *of_node = NULL;
	int any = 0;

	for (size_t i = 0; of_frame && i < s->n_frame; i++) {
		of_frame[i] = (unsigned char)sd_runtimes_collector(s, &s->frame[i]);
		any |= of_frame[i] < SD_RUNTIMES_COLLECTORS;
	}
	if (any)
		of_node = malloc(s->n_node + 1);
	for (size_t i = 0; of_node && i < s->n_node; i++) {
		const struct sd_node *const n = &s->node[i];

		of_node[i] =
			i && n->frame < s->n_frame ? of_frame[n->frame] : SD_RUNTIMES_COLLECTORS;
		if (of_node[i] == SD_RUNTIMES_COLLECTORS && n->parent < i)
			of_node[i] = of_node[n->parent];
	}
	free(of_frame);
	return of_node;
}

static void add_run(
	struct spent *out, const struct sd_run *run, double user, const unsigned char *of, size_t n)
{
	double useful = 0, took[SD_RUNTIMES_COLLECTORS] = {0};

	for (size_t i = 0; i < run->sampled.n_use; i++) {
		const struct sd_use *const u = &run->sampled.use[i];
		const size_t k = u->activity == SD_ACTIVITY_USEFUL && u->node < n
					 ? of[u->node]
					 : SD_RUNTIMES_COLLECTORS;

		useful += u->activity == SD_ACTIVITY_USEFUL ? u->seconds : 0;
		out->samples += u->activity == SD_ACTIVITY_USEFUL ? u->count : 0;
		if (k < SD_RUNTIMES_COLLECTORS)
			took[k] += u->seconds;
	}
	if (!(useful > 0) || out->n == MOST_RUNS)
		return;
	out->run[out->n] = 0;
	for (size_t k = 0; k < SD_RUNTIMES_COLLECTORS; k++) {
		out->of[k] += user * took[k] / useful;
		out->run[out->n] += user * took[k] / useful;
	}
	out->user += user;
	out->n++;
}

static void sum_up(const struct sd_case *c, const struct sd_chosen *p, const unsigned char *of,
	struct spent *out)
{
	memset(out, 0, sizeof *out);
	for (size_t j = 0; j < p->n_run; j++)
		if (sd_parts_by_stack_sampled(p->run[j]))
			add_run(out, p->run[j],
				p->n * p->parts[j].time * p->parts[j].part[SD_PART_USER], of,
				c->record->stacks.n_node);
	for (size_t k = 0; out->n && k < SD_RUNTIMES_COLLECTORS; k++)
		out->of[k] /= (double)out->n;
	out->user = out->n ? out->user / (double)out->n : 0;
}

static size_t most(const struct spent *s)
{
	size_t best = 0;

	for (size_t k = 1; k < SD_RUNTIMES_COLLECTORS; k++)
		best = s->of[k] > s->of[best] ? k : best;
	return best;
}

int sd_collector_time_find(const struct sd_case *c, struct sd_collector_time *out)
{
	struct spent before, after;
	double had = 0;
	unsigned char *const of = c->ref == c->last ? NULL : find_collectors(&c->record->stacks);
	size_t was, is;

	if (!of)
		return 0;
	sum_up(c, c->ref, of, &before);
	sum_up(c, c->last, of, &after);
	free(of);
	was = most(&before);
	is = most(&after);
	if (before.samples < SAMPLES || !after.n || !(after.of[is] >= LEAST * after.user) ||
		before.of[is] > 0 || !(c->last->median_time > 0))
		return 0;
	for (size_t k = 0; k < SD_RUNTIMES_COLLECTORS; k++)
		had += c->last->work * before.of[k];
	for (size_t j = 0; j < after.n; j++)
		after.run[j] = (after.run[j] - had) / c->last->median_time;
	*out = (struct sd_collector_time){
		.before = before.of[was] > 0 ? sd_runtimes_collector_name(was) : NULL,
		.after = sd_runtimes_collector_name(is),
		.cores = sd_statistics_paired(after.run, after.n)};
	return 1;
}
