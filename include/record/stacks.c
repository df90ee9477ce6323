#include "record/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

/* Open addressing over the numbers of a list; 0 = free, else number + 1. */
struct table {
	unsigned *slot;
	size_t size, used; /* size: a power of two */
};

struct sd_stacks_index {
	struct table text, frame, node;
};

#define CUT "…"

static uint64_t mix(uint64_t h, uint64_t v)
{
	h ^= v;
	h *= UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t hash_text(const char *t)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	for (; *t; t++)
		h = (h ^ (unsigned char)*t) * 1099511628211u;
	return mix(h, 0);
}

static uint64_t hash_frame(const struct sd_frame *f)
{
	uint64_t h = mix(f->function, (uint64_t)f->file << 32 | f->module);

	return mix(mix(h, f->offset),
		(uint64_t)f->line << 2 | (f->inlined ? 2u : 0u) | (f->kernel ? 1u : 0u));
}

static uint64_t hash_node(const struct sd_node *n)
{
	return mix(mix(0, n->parent), n->frame);
}

static int same_frame(const struct sd_frame *a, const struct sd_frame *b)
{
	return a->function == b->function && a->file == b->file && a->module == b->module &&
	       a->line == b->line && a->offset == b->offset && !a->inlined == !b->inlined &&
	       !a->kernel == !b->kernel;
}

static void place(struct table *t, uint64_t hash, unsigned number)
{
	size_t i = hash & (t->size - 1);

	while (t->slot[i])
		i = (i + 1) & (t->size - 1);
	t->slot[i] = number + 1;
	t->used++;
}

/* Room for one more: at most half full. `hash_at` gives the hash of what is in the list. */
static int grow(struct table *t, const struct sd_stacks *s,
	uint64_t (*hash_at)(const struct sd_stacks *s, size_t i), size_t n)
{
	struct table bigger = {.size = t->size ? t->size : 64};

	if (t->slot && 2 * (n + 1) <= t->size)
		return 0;
	while (bigger.size < 2 * (n + 1))
		bigger.size *= 2;
	bigger.slot = calloc(bigger.size, sizeof *bigger.slot);
	if (!bigger.slot)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		place(&bigger, hash_at(s, i), (unsigned)i);
	free(t->slot);
	*t = bigger;
	return 0;
}

static uint64_t text_at(const struct sd_stacks *s, size_t i)
{
	return hash_text(s->text[i]);
}

static uint64_t frame_at(const struct sd_stacks *s, size_t i)
{
	return hash_frame(&s->frame[i]);
}

static uint64_t node_at(const struct sd_stacks *s, size_t i)
{
	return hash_node(&s->node[i]);
}

static int add_text(struct sd_stacks *s, char *owned, unsigned *out)
{
	if (s->n_text >= SD_STACKS_NODES)
		return -ENOSPC;
	if (grow(&s->index->text, s, text_at, s->n_text))
		return -ENOMEM;
	*out = (unsigned)s->n_text;
	if (SD_APPEND(s->text, s->n_text, &owned))
		return -ENOMEM;
	place(&s->index->text, hash_text(owned), *out);
	return 0;
}

/* Copy, cut at a whole character where it is too long. */
static char *shortened(const char *text)
{
	char *const copy = strndup(text, SD_STACKS_TEXT);
	size_t keep = SD_STACKS_TEXT - (sizeof CUT - 1);

	if (!copy || strlen(text) <= SD_STACKS_TEXT)
		return copy;
	while (keep > 0 && ((unsigned char)copy[keep] & 0xc0) == 0x80)
		keep--;
	memcpy(copy + keep, CUT, sizeof CUT);
	return copy;
}

static int find_text(struct sd_stacks *s, const char *text, unsigned *out)
{
	const struct table *t = &s->index->text;
	char *copy = shortened(text);
	int rc;

	if (!copy)
		return -ENOMEM;
	for (size_t i = hash_text(copy) & (t->size - 1); t->slot[i]; i = (i + 1) & (t->size - 1))
		if (strcmp(s->text[t->slot[i] - 1], copy) == 0) {
			*out = t->slot[i] - 1;
			free(copy);
			return 0;
		}
	rc = add_text(s, copy, out);
	if (rc)
		free(copy);
	return rc;
}

static int add_node(struct sd_stacks *s, const struct sd_node *node, unsigned *out)
{
	if (s->n_node >= SD_STACKS_NODES)
		return -ENOSPC;
	if (grow(&s->index->node, s, node_at, s->n_node))
		return -ENOMEM;
	*out = (unsigned)s->n_node;
	if (SD_APPEND(s->node, s->n_node, node))
		return -ENOMEM;
	place(&s->index->node, hash_node(node), *out);
	return 0;
}

/* Allocates the part that every set of tables has: index, empty text, root. 0 or -ENOMEM. */
static int begin(struct sd_stacks *s)
{
	static const struct sd_node root = {0, UINT32_MAX};
	unsigned zero;
	int rc = 0;

	if (s->index && s->n_text && s->n_node)
		return 0;
	if (!s->index)
		s->index = calloc(1, sizeof *s->index);
	if (!s->index || grow(&s->index->text, s, text_at, s->n_text) ||
		grow(&s->index->frame, s, frame_at, s->n_frame) ||
		grow(&s->index->node, s, node_at, s->n_node))
		return -ENOMEM;
	if (!s->n_text)
		rc = find_text(s, "", &zero);
	return rc || s->n_node ? rc : add_node(s, &root, &zero);
}

int sd_stacks_text(struct sd_stacks *s, const char *text, unsigned *out)
{
	int rc = begin(s);

	if (text && s->file && strcmp(text, s->file) == 0)
		text = s->called;
	return rc ? rc : find_text(s, text ? text : "", out);
}

int sd_stacks_call(struct sd_stacks *s, const char *file, const char *called)
{
	free(s->file);
	free(s->called);
	s->file = strdup(file);
	s->called = strdup(called);
	if (s->file && s->called)
		return 0;
	free(s->file);
	free(s->called);
	s->file = s->called = NULL;
	return -ENOMEM;
}

int sd_stacks_frame(struct sd_stacks *s, const struct sd_frame *frame, unsigned *out)
{
	const struct table *t;
	const uint64_t hash = hash_frame(frame);
	int rc = begin(s);

	if (rc)
		return rc;
	t = &s->index->frame;
	for (size_t i = hash & (t->size - 1); t->slot[i]; i = (i + 1) & (t->size - 1))
		if (same_frame(&s->frame[t->slot[i] - 1], frame)) {
			*out = t->slot[i] - 1;
			return 0;
		}
	if (s->n_frame >= SD_STACKS_NODES)
		return -ENOSPC;
	if (grow(&s->index->frame, s, frame_at, s->n_frame))
		return -ENOMEM;
	*out = (unsigned)s->n_frame;
	if (SD_APPEND(s->frame, s->n_frame, frame))
		return -ENOMEM;
	place(&s->index->frame, hash, *out);
	return 0;
}

int sd_stacks_node(struct sd_stacks *s, unsigned parent, unsigned frame, unsigned *out)
{
	const struct sd_node node = {parent, frame};
	const struct table *t;
	int rc = begin(s);

	if (rc)
		return rc;
	t = &s->index->node;
	for (size_t i = hash_node(&node) & (t->size - 1); t->slot[i]; i = (i + 1) & (t->size - 1))
		if (s->node[t->slot[i] - 1].parent == parent &&
			s->node[t->slot[i] - 1].frame == frame) {
			*out = t->slot[i] - 1;
			return 0;
		}
	return add_node(s, &node, out);
}

const char *sd_stacks_text_at(const struct sd_stacks *s, unsigned index)
{
	return index < s->n_text && s->text[index] ? s->text[index] : "";
}

void sd_stacks_free(struct sd_stacks *s)
{
	for (size_t i = 0; i < s->n_text; i++)
		free(s->text[i]);
	free(s->text);
	free(s->frame);
	free(s->node);
	free(s->file);
	free(s->called);
	if (s->index) {
		free(s->index->text.slot);
		free(s->index->frame.slot);
		free(s->index->node.slot);
		free(s->index);
	}
	*s = (struct sd_stacks){0};
}
