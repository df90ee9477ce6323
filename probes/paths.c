#include "paths.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Code that ran alone for all but this much of its time is serial. Not none: between two samples
 * the state may change, and what was alone then goes to the next one's code.
 */
#define BESIDE .15

/* A line has a word of its own only where it is another case than its function beyond chance: with
 * so many samples, by so many standard errors. */
#define LEAST 8
#define ERRORS 3

struct group {
	uint64_t parent;           /* the caller's path */
	unsigned function, module; /* and the function */
	unsigned frame;            /* the line */
	unsigned row;
};

struct sums {
	double seconds, solo, count;
};

static int is_alone(struct sums s)
{
	return s.seconds > 0 && s.seconds - s.solo < BESIDE * s.seconds;
}

/* The first thread comes to a region's code by another way than the team it starts: what is above
 * the runtime's frames is no part of the path. */
static int starts_regions(const struct sd_stacks *s, unsigned module)
{
	static const char *const pattern[] = {"libgomp*", "libomp*", "libiomp*", "libtbb*"};
	const char *const path = module < s->n_text && s->text[module] ? s->text[module] : "";
	const char *const slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++)
		if (fnmatch(pattern[i], slash ? slash + 1 : path, 0) == 0)
			return 1;
	return 0;
}

/* By node: the same number for the same path. */
static void number_paths(const struct sd_stacks *s, uint64_t *path)
{
	path[0] = 0;
	for (size_t i = 1; i < s->n_node; i++) {
		const struct sd_node *const n = &s->node[i];
		/* FNV-1a's prime, over the frame and the caller's path */
		const uint64_t up = n->parent < i ? path[n->parent] : 0;

		path[i] = starts_regions(s, s->frame[n->frame].module)
				  ? 1
				  : (up * UINT64_C(0x100000001b3) ^ (n->frame + 2)) *
					    UINT64_C(0x9e3779b97f4a7c15);
	}
}

/* Is this line another case than all of its function? */
static int differs(struct sums own, struct sums all)
{
	const double p = 1 - all.solo / all.seconds, q = 1 - own.solo / own.seconds;

	/* a sample in a hundred may be anything */
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

static void add(struct sums *s, const struct sd_use *u)
{
	s->seconds += u->seconds;
	s->solo += u->solo;
	s->count += u->count;
}

/* The lines of a function on one path; `g` is in the order of lines. */
static void judge(struct sd_paths *p, const struct sd_uses *uses, const struct group *g, size_t n)
{
	struct sums all = {0};

	for (size_t i = 0; i < n; i++)
		add(&all, &uses->use[g[i].row]);
	for (size_t i = 0, end; i < n; i = end) {
		struct sums own = {0};
		unsigned char is;

		for (end = i; end < n && g[end].frame == g[i].frame; end++)
			add(&own, &uses->use[g[end].row]);
		is = is_alone(!g[i].function || differs(own, all) ? own : all) ? SD_PATH_ALONE
									       : SD_PATH_BESIDE;
		for (size_t k = i; k < end; k++)
			p->path[uses->use[g[k].row].node] = is;
	}
}

int sd_paths_make(struct sd_paths *p, const struct sd_uses *uses, const struct sd_stacks *stacks)
{
	struct group *const g = calloc(uses->n + 1, sizeof *g);
	uint64_t *path;
	size_t n = 0;

	*p = (struct sd_paths){.n = stacks ? stacks->n_node : 0};
	p->path = calloc(p->n + 1, 1);
	path = calloc(p->n + 1, sizeof *path);
	if (!g || !path || !p->path) {
		free(path);
		free(g);
		return -ENOMEM;
	}
	if (stacks)
		number_paths(stacks, path);
	for (size_t i = 0; i < uses->n; i++) {
		const struct sd_use *const u = &uses->use[i];
		const struct sd_node *const node =
			u->node && u->node < p->n ? &stacks->node[u->node] : NULL;

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
		judge(p, uses, g + i, end - i);
	}
	free(path);
	free(g);
	return 0;
}

enum sd_path sd_paths_of(const struct sd_paths *p, unsigned node)
{
	return node < p->n ? (enum sd_path)p->path[node] : SD_PATH_UNKNOWN;
}

void sd_paths_free(struct sd_paths *p)
{
	free(p->path);
	*p = (struct sd_paths){0};
}
