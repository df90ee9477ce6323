#include "hotspots/code_places.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hotspots/allocator_names.h"
#include "hotspots/function_role.h"
#include "hotspots/others_code.h"

static int is_jit(const struct sd_stacks *s, const struct sd_frame *f)
{
	return strcmp(sd_stacks_text_at(s, f->module), "[jit]") == 0;
}

/* The code that calls main() is linked into the program, and nobody's to change. */
static int is_start(const struct sd_stacks *s, const struct sd_frame *f)
{
	return strcmp(sd_stacks_text_at(s, f->function), "_start") == 0 ||
	       strncmp(sd_stacks_text_at(s, f->function), "__libc_start", 12) == 0;
}

static int is_own(const struct sd_stacks *s, const struct sd_frame *f)
{
	return !f->kernel && !is_start(s, f) && *sd_stacks_text_at(s, f->module) &&
	       !sd_others_code_holds(s, f);
}

/* ---- functions ------------------------------------------------------------------------------- */

struct named {
	struct sd_function f;
	unsigned frame;
};

static int compare(const struct sd_function *a, const struct sd_function *b)
{
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

static int by_function(const void *x, const void *y)
{
	const struct named *a = x, *b = y;
	int c = compare(&a->f, &b->f);

	return c ? c : (a->frame > b->frame) - (a->frame < b->frame);
}

/* For each text the one that it is a copy of, "work" for "work.constprop.0", where a function has
 * that name too; else itself. NULL without memory. */
static unsigned *find_stems(const struct sd_stacks *s)
{
	unsigned *const stem = calloc(s->n_text + 1, sizeof *stem);

	for (unsigned i = 0; stem && i < s->n_text; i++) {
		const size_t n = sd_function_role_stem(sd_stacks_text_at(s, i));

		stem[i] = i;
		for (unsigned k = 0; k < s->n_text && sd_stacks_text_at(s, i)[n]; k++)
			if (strncmp(sd_stacks_text_at(s, k), sd_stacks_text_at(s, i), n) == 0 &&
				!sd_stacks_text_at(s, k)[n])
				stem[i] = k;
	}
	return stem;
}

static struct sd_function function_of(
	const struct sd_stacks *s, const struct sd_frame *f, const unsigned *stem)
{
	struct sd_function out = {.name = f->function < s->n_text ? stem[f->function] : 0,
		.module = f->module,
		.own = is_own(s, f)};

	if (out.module >= s->n_text)
		out.module = 0;
	if (out.name && f->file < s->n_text)
		out.file = f->file;
	/* kernel and JIT addresses are meaningless in another run */
	if (!out.name && *sd_stacks_text_at(s, out.module) == '/')
		out.offset = f->offset;
	return out;
}

static int make_functions(struct sd_code_places *p)
{
	const struct sd_stacks *s = p->stacks;
	struct named *v = calloc(s->n_frame + 1, sizeof *v);
	unsigned *const stem = find_stems(s);

	p->function = calloc(s->n_frame + 1, sizeof *p->function);
	p->of_frame = calloc(s->n_frame + 1, sizeof *p->of_frame);
	if (!v || !stem || !p->function || !p->of_frame) {
		free(v);
		free(stem);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->n_frame; i++)
		v[i] = (struct named){function_of(s, &s->frame[i], stem), (unsigned)i};
	qsort(v, s->n_frame, sizeof *v, by_function);
	p->n_function = 1;
	for (size_t i = 0; i < s->n_frame; i++) {
		if (i == 0 || compare(&v[i].f, &v[i - 1].f) != 0)
			p->function[p->n_function++] = v[i].f;
		p->of_frame[v[i].frame] = (unsigned)p->n_function - 1;
	}
	free(v);
	free(stem);
	return 0;
}

/* ---- spots ----------------------------------------------------------------------------------- */

/* The fields that a node adds to its caller's spot; own 0: no own code so far. */
struct walk {
	unsigned own;   /* frame + 1 of the own code */
	unsigned named; /* frame + 1 of what an interpreter ran last; 0: nothing */
	unsigned leaf;  /* frame + 1 */
	unsigned in;    /* function that the own code, else the named one, called */
	unsigned from;  /* function of own code that called it */
	int allocates, locks, rwlock, tasks, messages;
};

static int has_line(const struct sd_stacks *s, unsigned frame)
{
	return *sd_stacks_text_at(s, s->frame[frame].file) != '\0';
}

/* A function that its runtime has compiled, and named (/tmp/perf-PID.map). */
static int is_compiled(const struct sd_stacks *s, const struct sd_frame *f)
{
	return f->function && is_jit(s, f);
}

/* Does this module, wherever it is installed, run such functions? Its own are not the user's. */
static int is_interpreter(const char *module)
{
	static const char *const name[] = {"python", "libpython", "node", "libnode", "libjvm"};
	const char *const slash = strrchr(module, '/'), *const file = slash ? slash + 1 : module;

	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (strncmp(file, name[i], strlen(name[i])) == 0)
			return 1;
	return 0;
}

/* One frame further in: the innermost frame of own code wins, because the user can change that code
 * and not what it calls in the system. */
static struct walk step(const struct sd_code_places *p, const struct walk *caller, unsigned frame)
{
	const struct sd_stacks *s = p->stacks;
	const struct sd_frame *f = &s->frame[frame];
	const unsigned function = p->of_frame[frame];
	struct walk w = *caller;
	int own = p->function[function].own;

	w.leaf = frame + 1;
	w.allocates |= sd_allocator_names_of(sd_stacks_text_at(s, f->function),
			       sd_stacks_text_at(s, f->module)) != SD_ALLOCATOR_NONE;
	w.locks |= sd_function_role_locks(sd_stacks_text_at(s, f->function)) ||
		   (p->holds && f->function < s->n_text && p->holds[f->function]);
	w.rwlock |= sd_function_role_locks_shared(sd_stacks_text_at(s, f->function));
	w.messages |= sd_function_role_packs(sd_stacks_text_at(s, f->function),
		sd_stacks_text_at(s, f->file), sd_stacks_text_at(s, f->module));
	if (own && caller->own && !has_line(s, frame) && has_line(s, caller->own - 1) &&
		s->frame[caller->own - 1].module == f->module)
		own = 0;
	if (own && is_interpreter(sd_stacks_text_at(s, f->module)) &&
		(caller->named || (caller->own && is_compiled(s, &s->frame[caller->own - 1]))))
		own = 0;
	/* a task's own work does not count as tasking */
	w.tasks =
		!own && (w.tasks || sd_function_role_hands_out(sd_stacks_text_at(s, f->function)));
	if (own) {
		/* not the start-up code before main(), which has no lines */
		if (caller->own && p->of_frame[caller->own - 1] != function &&
			(has_line(s, caller->own - 1) || !has_line(s, frame)))
			w.from = p->of_frame[caller->own - 1];
		/* what a runtime compiled is called by the runtime, which nobody can change */
		if (caller->own && is_jit(s, f) && !is_jit(s, &s->frame[caller->own - 1]))
			w.from = 0;
		w.own = frame + 1;
		w.in = 0;
	} else if (is_compiled(s, f) && has_line(s, frame) &&
		   (!w.own || is_interpreter(sd_stacks_text_at(s, s->frame[w.own - 1].module)))) {
		w.named = frame + 1;
		w.own = w.from = w.in = 0;
	} else if ((w.own || w.named) && !w.in) {
		w.in = function;
	}
	return w;
}

struct keyed {
	struct sd_spot spot;
	unsigned node;
};

static int compare_spots(const struct sd_spot *a, const struct sd_spot *b)
{
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->frame != b->frame)
		return a->frame < b->frame ? -1 : 1;
	if (a->in != b->in)
		return a->in < b->in ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->allocates != b->allocates)
		return a->allocates - b->allocates;
	if (a->locks != b->locks)
		return a->locks - b->locks;
	if (a->rwlock != b->rwlock)
		return a->rwlock - b->rwlock;
	if (a->tasks != b->tasks)
		return a->tasks - b->tasks;
	return a->messages - b->messages;
}

static int by_spot(const void *x, const void *y)
{
	const struct keyed *a = x, *b = y;
	int c = compare_spots(&a->spot, &b->spot);

	return c ? c : (a->node > b->node) - (a->node < b->node);
}

static struct sd_spot spot_of(const struct sd_code_places *p, const struct walk *w)
{
	const unsigned frame = (w->own ? w->own : w->named ? w->named : w->leaf) - 1;

	return (struct sd_spot){p->of_frame[frame], frame, w->in, w->from, w->allocates, w->locks,
		w->rwlock, w->tasks, w->messages};
}

static int make_spots(struct sd_code_places *p)
{
	const struct sd_stacks *s = p->stacks;
	struct walk *walk = calloc(s->n_node + 1, sizeof *walk);
	struct keyed *v = calloc(s->n_node + 1, sizeof *v);
	size_t n = 0;

	p->spot_of = calloc(s->n_node + 1, sizeof *p->spot_of);
	p->spot = calloc(s->n_node + 1, sizeof *p->spot);
	if (!walk || !v || !p->spot_of || !p->spot) {
		free(walk);
		free(v);
		return -ENOMEM;
	}
	for (unsigned i = 1; i < s->n_node; i++) {
		const struct sd_node *node = &s->node[i];

		if (node->parent >= i || node->frame >= s->n_frame)
			continue;
		walk[i] = step(p, &walk[node->parent], node->frame);
		v[n++] = (struct keyed){spot_of(p, &walk[i]), i};
	}
	qsort(v, n, sizeof *v, by_spot);
	p->n_spot = 1;
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || compare_spots(&v[i].spot, &v[i - 1].spot) != 0)
			p->spot[p->n_spot++] = v[i].spot;
		p->spot_of[v[i].node] = (unsigned)p->n_spot - 1;
	}
	free(walk);
	free(v);
	return 0;
}

int sd_code_places_make(
	struct sd_code_places *out, const struct sd_stacks *stacks, const unsigned char *holds)
{
	int rc;

	*out = (struct sd_code_places){.stacks = stacks, .holds = holds};
	rc = make_functions(out);
	rc = rc ? rc : make_spots(out);
	out->holds = NULL;
	return rc;
}

unsigned sd_code_places_asked(const struct sd_stacks *s, unsigned node)
{
	int waits = 0;

	for (; node > 0 && node < s->n_node;
		node = s->node[node].parent < node ? s->node[node].parent : 0) {
		const struct sd_frame *const f =
			s->node[node].frame < s->n_frame ? &s->frame[s->node[node].frame] : NULL;

		if (!f || is_own(s, f))
			return 0;
		if (f->kernel || sd_function_role_is_lock(sd_stacks_text_at(s, f->function)))
			waits = 1;
		else if (f->function &&
			 sd_allocator_names_of(sd_stacks_text_at(s, f->function),
				 sd_stacks_text_at(s, f->module)) == SD_ALLOCATOR_NONE)
			return waits && f->function < s->n_text ? f->function : 0;
		else
			return 0;
	}
	return 0;
}

void sd_code_places_free(struct sd_code_places *p)
{
	free(p->function);
	free(p->of_frame);
	free(p->spot_of);
	free(p->spot);
	*p = (struct sd_code_places){0};
}

unsigned sd_code_places_leaf(const struct sd_code_places *p, unsigned node)
{
	const struct sd_stacks *s = p->stacks;

	if (node == 0 || node >= s->n_node || s->node[node].frame >= s->n_frame)
		return 0;
	return p->of_frame[s->node[node].frame];
}

unsigned sd_code_places_spot(const struct sd_code_places *p, unsigned node)
{
	return node < p->stacks->n_node ? p->spot_of[node] : 0;
}

/* A copy, or NULL if unknown; sets *rc if out of memory. */
static char *copy(const char *t, int *rc)
{
	char *out = *t ? strdup(t) : NULL;

	if (*t && !out)
		*rc = -ENOMEM;
	return out;
}

/* As in folded stacks. */
static char *by_offset(const char *module, uint64_t offset, int *rc)
{
	const char *const slash = strrchr(module, '/');
	char *out;

	if (asprintf(&out, "[%s+0x%" PRIx64 "]", slash ? slash + 1 : module, offset) < 0) {
		*rc = -ENOMEM;
		return NULL;
	}
	return out;
}

int sd_code_places_name(const struct sd_code_places *p, unsigned function, unsigned in,
	unsigned from, struct sd_where *out)
{
	const struct sd_function *f = &p->function[function];
	int rc = 0;

	out->function = f->offset
				? by_offset(sd_stacks_text_at(p->stacks, f->module), f->offset, &rc)
				: copy(sd_stacks_text_at(p->stacks, f->name), &rc);
	out->file = copy(sd_stacks_text_at(p->stacks, f->file), &rc);
	out->module = copy(sd_stacks_text_at(p->stacks, f->module), &rc);
	out->in = in ? copy(sd_stacks_text_at(p->stacks, p->function[in].name), &rc) : NULL;
	out->from = from ? copy(sd_stacks_text_at(p->stacks, p->function[from].name), &rc) : NULL;
	return rc;
}
