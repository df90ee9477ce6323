#include "evidence/object_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code_place.h"
#include "hotspots/runtimes.h"
#include "runs/sampled_uses.h"

/* Files of CPython's library and of packages: what calls the function that a process of a pool is
 * there for, and what a program calls to reach such processes. */
static const char *const runs[] = {"/multiprocessing/pool.py", "/multiprocessing/process.py",
	"/concurrent/futures/process.py", "/loky/process_executor.py", NULL};
static const char *const asks[] = {"/multiprocessing/pool.py", "/multiprocessing/queues.py",
	"/multiprocessing/connection.py", "/multiprocessing/managers.py", "/concurrent/futures/",
	"/joblib/", NULL};

/* Seconds by function, and a stack of each. */
struct met {
	double *seconds;
	unsigned *node;
};

static int is_in(const struct sd_case *c, unsigned node, const char *const *part)
{
	const struct sd_stacks *const s = &c->record->stacks;
	const unsigned file = node ? s->frame[s->node[node].frame].file : 0;

	for (; file && file < s->n_text && s->text[file] && *part; part++)
		if (strstr(s->text[file], *part))
			return 1;
	return 0;
}

/* Is it code of the program itself, and not the interpreter around it? */
static int is_users(const struct sd_code_places *p, unsigned function)
{
	const unsigned module = p->function[function].module;

	return p->function[function].own && module < p->stacks->n_text &&
	       !sd_runtimes_interprets(p->stacks->text[module]);
}

static void add(const struct sd_case *c, struct met *m, unsigned node, double seconds)
{
	const unsigned function = sd_code_places_leaf(&c->spread->places, node);

	m->seconds[function] += seconds;
	m->node[function] = node;
}

/* The program's own function on a stack that such a process runs first, and the one that called for
 * such processes last. */
static void meet(const struct sd_case *c, const struct sd_use *u, struct met *run, struct met *ask)
{
	const struct sd_stacks *const s = &c->record->stacks;
	const struct sd_code_places *const p = &c->spread->places;
	unsigned called = 0, ran = 0, asked = 0;

	for (unsigned i = u->node; i && i < s->n_node; called = i, i = s->node[i].parent) {
		if (!is_users(p, sd_code_places_leaf(p, i)))
			continue;
		asked = asked || ran ? asked : is_in(c, called, asks) ? i : 0;
		ran = is_in(c, s->node[i].parent, runs) ? i : ran;
	}
	if (ran)
		add(c, run, ran, u->seconds);
	else if (asked)
		add(c, ask, asked, u->seconds);
}

static void put_most(const struct sd_case *c, const struct met *m, char *out, size_t size)
{
	size_t most = 0;

	for (size_t i = 1; i < c->spread->places.n_function; i++)
		most = m->seconds[i] > m->seconds[most] ? i : most;
	*out = 0;
	if (most)
		sd_code_place_text(&c->record->stacks, m->node[most], out, size);
}

static int open_met(const struct sd_case *c, struct met *m)
{
	m->seconds = calloc(c->spread->places.n_function + 1, sizeof *m->seconds);
	m->node = calloc(c->spread->places.n_function + 1, sizeof *m->node);
	return m->seconds && m->node ? 0 : -ENOMEM;
}

/* The messages by the name that the runtime has for them; of two runtimes either may send them. */
static const char *kind(const struct sd_case *c)
{
	const unsigned of = sd_runtimes_of(&c->record->stacks, NULL);
	const int cloned = (of & SD_RUNTIME_BIT(NODE)) && !(of & SD_RUNTIME_BIT(PYTHON));

	return cloned ? "between threads (structured cloning)"
		      : "between processes (pickling, pipes)";
}

void sd_object_messages_say(struct sd_case *c, struct sd_finding *f, double share)
{
	char ran[512] = "", asked[512] = "";
	struct met run = {0}, ask = {0};
	struct sd_sampled_uses uses = {.p = c->last};

	c->rc |= open_met(c, &run);
	c->rc |= open_met(c, &ask);
	if (!c->rc) {
		for (const struct sd_use *u; (u = sd_sampled_uses_next(&uses));)
			if (sd_run_parts_usable(SD_OK(u->seconds)))
				meet(c, u, &run, &ask);
		put_most(c, &run, ran, sizeof ran);
		put_most(c, &ask, asked, sizeof asked);
		sd_case_say(c, f, "%.0f %% of it is at messages of objects %s%s%s%s%s", 100 * share,
			kind(c), *asked ? ", which are for " : "", asked,
			*ran ? "; the processes run " : "", ran);
		sd_case_is_what(c, f);
	}
	free(run.seconds);
	free(run.node);
	free(ask.seconds);
	free(ask.node);
}
