#include "export/viewer_functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/sanitize.h"
#include "page/short_names.h"
#include "base/near_path.h"

int sd_viewer_functions_begin(struct sd_viewer_functions *v, const struct sd_record *r)
{
	*v = (struct sd_viewer_functions){.stacks = &r->stacks, .folder = r->program.cwd};
	v->used = calloc(r->stacks.n_node + 1, sizeof *v->used);
	v->of = calloc(r->stacks.n_frame + 1, sizeof *v->of);
	return v->used && v->of ? 0 : -ENOMEM;
}

/* The caller; 0 ends a path, whatever a record says. */
static unsigned caller(const struct sd_stacks *s, unsigned node)
{
	return s->node[node].parent < node ? s->node[node].parent : 0;
}

static void use(struct sd_viewer_functions *v, unsigned node)
{
	while (node > 0 && node < v->stacks->n_node && !v->used[node]) {
		v->used[node] = 1;
		node = caller(v->stacks, node);
	}
}

static void use_lane(struct sd_viewer_functions *v, const struct sd_thread_lanes_thread *lane)
{
	for (size_t i = 0; i < lane->n_span; i++)
		use(v, lane->span[i].node);
	for (size_t i = 0; i < lane->n_sample; i++)
		use(v, lane->sample[i].node);
}

void sd_viewer_functions_use_all(struct sd_viewer_functions *v, const struct sd_stack_profile *p,
	const struct sd_thread_lanes *lanes)
{
	for (size_t i = 0; p && i < p->n; i++)
		for (size_t k = 0; k < p->point[i].n; k++)
			use(v, p->point[i].row[k].node);
	for (size_t i = 0; lanes && i < lanes->n; i++)
		for (size_t k = 0; k < lanes->run[i].n; k++)
			use_lane(v, &lanes->run[i].thread[k]);
}

size_t sd_viewer_functions_path(
	const struct sd_viewer_functions *v, unsigned node, unsigned path[SD_STACKS_DEPTH])
{
	const struct sd_stacks *const s = v->stacks;
	size_t n = 0;

	for (unsigned i = node; i > 0 && i < s->n_node && n < SD_STACKS_DEPTH; i = caller(s, i))
		if (s->node[i].frame < s->n_frame)
			path[n++] = i;
	for (size_t i = 0; i < n / 2; i++) {
		const unsigned swap = path[i];

		path[i] = path[n - 1 - i];
		path[n - 1 - i] = swap;
	}
	return n;
}

/* Frames of one function follow each other: what tells two apart. */
struct key {
	unsigned frame;
	const struct sd_frame *f;
	uint64_t offset; /* of code without a name */
};

static int by_function(const void *x, const void *y)
{
	const struct key *a = x, *b = y;
	const uint64_t one[] = {a->f->function, a->f->module, a->f->file, a->offset,
		(uint64_t)a->f->kernel},
		       two[] = {b->f->function, b->f->module, b->f->file, b->offset,
			       (uint64_t)b->f->kernel};

	for (size_t i = 0; i < sizeof one / sizeof *one; i++)
		if (one[i] != two[i])
			return one[i] < two[i] ? -1 : 1;
	return 0;
}

static char *name_of(const struct sd_stacks *s, const struct sd_frame *f)
{
	const char *const function = sd_stacks_text_at(s, f->function), *const module =
										sd_stacks_text_at(s,
											f->module);
	char *name = NULL, *clean;

	if (*function)
		name = sd_name_function(function);
	else if (!*module)
		name = strdup("[unknown]");
	else if (asprintf(&name, "[%s+0x%" PRIx64 "]", sd_name_base(module), f->offset) < 0)
		name = NULL;
	clean = name ? sd_sanitize(name) : NULL;
	free(name);
	return clean;
}

static int add(struct sd_viewer_functions *v, const struct sd_frame *f)
{
	struct sd_viewer_function *const x = &v->function[v->n++];
	const char *const file = sd_stacks_text_at(v->stacks, f->file);

	x->module = sd_sanitize(sd_near_path(sd_stacks_text_at(v->stacks, f->module), v->folder));
	x->kernel = f->kernel;
	x->name = name_of(v->stacks, f);
	if (*file)
		x->file = sd_sanitize(sd_near_path(file, v->folder));
	return x->name && x->module && (x->file || !*file) ? 0 : -ENOMEM;
}

int sd_viewer_functions_end(struct sd_viewer_functions *v)
{
	const struct sd_stacks *const s = v->stacks;
	struct key *const key = calloc(s->n_node + 1, sizeof *key);
	size_t n = 0;
	int rc = key ? 0 : -ENOMEM;

	for (unsigned i = 1; !rc && i < s->n_node; i++)
		if (v->used[i] && s->node[i].frame < s->n_frame) {
			const struct sd_frame *const f = &s->frame[s->node[i].frame];

			key[n++] = (struct key){s->node[i].frame, f,
				*sd_stacks_text_at(s, f->function) ? 0 : f->offset};
		}
	if (n)
		qsort(key, n, sizeof *key, by_function);
	v->function = calloc(n + 1, sizeof *v->function);
	if (!v->function)
		rc = -ENOMEM;
	for (size_t i = 0; !rc && i < n; i++) {
		if (i == 0 || by_function(&key[i - 1], &key[i]) != 0)
			rc = add(v, key[i].f);
		v->of[key[i].frame] = (unsigned)(v->n - 1);
	}
	free(key);
	return rc;
}

void sd_viewer_functions_free(struct sd_viewer_functions *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->function[i].name);
		free(v->function[i].file);
		free(v->function[i].module);
	}
	free(v->function);
	free(v->used);
	free(v->of);
	*v = (struct sd_viewer_functions){0};
}
