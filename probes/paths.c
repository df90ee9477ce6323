#include "paths.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Code that ran alone for all but this much of its time is serial. Not none: between two samples
 * the state may change, and what was alone then goes to the next one's code.
 */
#define BESIDE .15

/* Samples that say it of a line by itself. */
#define LEAST 8

struct group {
	unsigned parent, function, module; /* the caller's path and the function */
	unsigned row;
};

struct sums {
	double seconds, solo;
};

static int is_alone(struct sums s)
{
	return s.seconds > 0 && s.seconds - s.solo < BESIDE * s.seconds;
}

static int by_place(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->module > y->module) - (x->module < y->module);
}

static void judge(struct sd_paths *p, const struct sd_uses *uses, const struct group *g, size_t n)
{
	struct sums all = {0, 0};

	for (size_t i = 0; i < n; i++) {
		all.seconds += uses->use[g[i].row].seconds;
		all.solo += uses->use[g[i].row].solo;
	}
	for (size_t i = 0; i < n; i++) {
		const struct sd_use *const u = &uses->use[g[i].row];
		const struct sums own = {u->seconds, u->solo};

		p->path[u->node] = is_alone(u->count >= LEAST || !g[i].function ? own : all)
					   ? SD_PATH_ALONE
					   : SD_PATH_BESIDE;
	}
}

int sd_paths_make(struct sd_paths *p, const struct sd_uses *uses, const struct sd_stacks *stacks)
{
	struct group *const g = calloc(uses->n + 1, sizeof *g);
	size_t n = 0;

	*p = (struct sd_paths){.n = stacks ? stacks->n_node : 0};
	p->path = calloc(p->n + 1, 1);
	if (!g || !p->path) {
		free(g);
		return -ENOMEM;
	}
	for (size_t i = 0; i < uses->n; i++) {
		const struct sd_use *const u = &uses->use[i];
		const struct sd_node *const node = u->node && u->node < p->n
							    ? &stacks->node[u->node]
							    : NULL;

		if (!node || u->activity != SD_ACTIVITY_USEFUL)
			continue;
		g[n++] = (struct group){.parent = node->parent,
			.function = stacks->frame[node->frame].function,
			.module = stacks->frame[node->frame].module,
			.row = (unsigned)i};
	}
	qsort(g, n, sizeof *g, by_place);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && by_place(&g[i], &g[end]) == 0; end++)
			;
		judge(p, uses, g + i, end - i);
	}
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
