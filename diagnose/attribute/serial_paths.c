#include "attribute/serial_paths.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/path_ids.h"

/*
 * Code that ran beside others for less than this share of its time is serial (METHODS 2.3.2). It is
 * not 0 because the state may change between two samples, which charges time to the wrong code.
 */
#define BESIDE .15

/* Samples at which another thread was in the same code (concurrent_code.h) that make it parallel:
 * this many and this share of all, because in a long run code that is handed on quickly is met by
 * chance more than once. */
#define MET 2
#define MET_SHARE .01

/* A line is judged separately only if it differs significantly from its function: with this many
 * samples, by this many standard errors. */
#define LEAST 8
#define ERRORS 3

struct group {
	uint64_t parent;           /* the caller's path */
	unsigned function, module; /* and the function */
	unsigned frame;            /* the line */
	unsigned row;
	unsigned char word; /* enum sd_path, on the whole function */
};

struct sums {
	double seconds, solo, count;
	unsigned met; /* samples that met a twin */
};

static int is_alone(struct sums s)
{
	return s.seconds > 0 && s.seconds - s.solo < BESIDE * s.seconds &&
	       s.met < fmax(MET, MET_SHARE * s.count);
}

/* Does this line differ significantly from its whole function? */
static int differs(struct sums own, struct sums all)
{
	const double p = 1 - all.solo / all.seconds, q = 1 - own.solo / own.seconds;

	/* the variance is at least that of 1 % stray samples */
	return own.count >= LEAST &&
	       fabs(q - p) > ERRORS * sqrt(fmax(p * (1 - p), .01) / own.count);
}

static int by_place(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

static int is_one_function(const struct group *x, const struct group *y)
{
	return x->parent == y->parent && x->function == y->function && x->module == y->module;
}

static void add(struct sums *s, const struct sd_use *u, const struct sd_concurrent_code *twins)
{
	s->seconds += u->seconds;
	s->solo += u->solo;
	s->count += u->count;
	s->met += sd_concurrent_code_met(twins, u->node);
}

/* The sums by which a line is judged: its own, or its function's. */
static struct sums word_of(struct sums own, struct sums all, int named)
{
	struct sums s = !named || differs(own, all) ? own : all;

	/* a region's function contains code of one thread and code of all, so meetings count by
	 * line */
	if (own.count >= LEAST) {
		s.met = own.met;
		s.count = own.count;
	}
	return s;
}

static unsigned char path_of(struct sums s)
{
	return is_alone(s) ? SD_PATH_ALONE : SD_PATH_BESIDE;
}

/* The lines of a function on one path; `g` is in the order of lines. */
static void judge(struct sd_serial_paths *p, const struct sd_stack_times *uses,
	const struct sd_concurrent_code *twins, struct group *g, size_t n)
{
	struct sums all = {0};

	for (size_t i = 0; i < n; i++)
		add(&all, &uses->use[g[i].row], twins);
	for (size_t i = 0; i < n; i++)
		g[i].word = path_of(all);
	for (size_t i = 0, end; i < n; i = end) {
		struct sums own = {0};
		unsigned char is;

		for (end = i; end < n && g[end].frame == g[i].frame; end++)
			add(&own, &uses->use[g[end].row], twins);
		is = path_of(word_of(own, all, g[i].function != 0));
		for (size_t k = i; k < end; k++)
			p->path[uses->use[g[k].row].node] = is;
	}
}

static int by_function(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return is_one_function(x, y) ? 0 : by_place(x, y);
}

/* An interrupt takes its time from the code that it stops, and is charged what has been pending
 * for that code since the sample before. */
static void judge_interrupt(struct sd_serial_paths *p, const struct sd_stacks *stacks,
	const uint64_t *path, unsigned node, const struct group *g, size_t n)
{
	unsigned stopped = node;
	const struct sd_node *at;
	const struct group *found;

	while (stopped && stacks->frame[stacks->node[stopped].frame].kernel)
		stopped = stacks->node[stopped].parent;
	if (stopped == node || !stopped)
		return;
	at = &stacks->node[stopped];
	found = bsearch(&(struct group){.parent = path[at->parent],
				.function = stacks->frame[at->frame].function,
				.module = stacks->frame[at->frame].module},
		g, n, sizeof *g, by_function);
	p->path[node] = p->path[stopped] != SD_PATH_UNKNOWN ? p->path[stopped]
			: found                             ? found->word
							    : SD_PATH_UNKNOWN;
}

int sd_serial_paths_make(struct sd_serial_paths *p, const struct sd_stack_times *uses,
	const struct sd_stacks *stacks, const struct sd_concurrent_code *twins)
{
	struct group *const g = calloc(uses->n + 1, sizeof *g);
	const size_t nodes = stacks ? stacks->n_node : 0;
	uint64_t *path;
	size_t n = 0;

	*p = (struct sd_serial_paths){.n = nodes};
	p->path = calloc(nodes + 1, 1);
	if (!g || !p->path || sd_path_ids(stacks, &path)) {
		free(g);
		return -ENOMEM;
	}
	for (size_t i = 0; i < uses->n; i++) {
		const struct sd_use *const u = &uses->use[i];
		const struct sd_node *const node =
			u->node && u->node < nodes ? &stacks->node[u->node] : NULL;

		if (!node || u->activity != SD_ACTIVITY_USEFUL)
			continue;
		g[n++] = (struct group){.parent = path[node->parent],
			.function = stacks->frame[node->frame].function,
			.module = stacks->frame[node->frame].module,
			.frame = node->frame,
			.row = (unsigned)i};
	}
	qsort(g, n, sizeof *g, by_place);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && is_one_function(&g[i], &g[end]); end++)
			;
		judge(p, uses, twins, g + i, end - i);
	}
	for (size_t i = 0; i < uses->n; i++)
		if (uses->use[i].node < nodes && p->path[uses->use[i].node] == SD_PATH_UNKNOWN)
			judge_interrupt(p, stacks, path, uses->use[i].node, g, n);
	free(path);
	free(g);
	return 0;
}

void sd_serial_paths_serial(struct sd_serial_paths *p, const unsigned char *is, size_t n)
{
	for (size_t i = 0; i < n && i < p->n; i++)
		if (is[i] && p->path[i] != SD_PATH_UNKNOWN)
			p->path[i] = SD_PATH_ALONE;
}

enum sd_path sd_serial_paths_of(const struct sd_serial_paths *p, unsigned node)
{
	return node < p->n ? (enum sd_path)p->path[node] : SD_PATH_UNKNOWN;
}

void sd_serial_paths_free(struct sd_serial_paths *p)
{
	free(p->path);
	*p = (struct sd_serial_paths){0};
}
