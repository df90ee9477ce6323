#include "pmu/counter_passes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

/* A set being tried: room for all items. */
struct set {
	size_t *member;
	size_t n;
};

struct packing {
	const struct sd_counter_passes_ask *ask;
	struct sd_counter_passes *out;
	struct set base, try;
};

static int has(const size_t *member, size_t n, size_t item)
{
	for (size_t i = 0; i < n; i++)
		if (member[i] == item)
			return 1;
	return 0;
}

static void add(struct set *s, size_t item)
{
	if (!has(s->member, s->n, item))
		s->member[s->n++] = item;
}

/* The item and whom it follows. */
static void add_with_leader(const struct packing *p, struct set *s, size_t item)
{
	const size_t leader = p->ask->item[item].leader;

	if (leader != SD_COUNTER_PASSES_NO_LEADER)
		add(s, leader);
	add(s, item);
}

static void copy(struct set *to, const size_t *member, size_t n)
{
	if (n)
		memcpy(to->member, member, n * sizeof *member);
	to->n = n;
}

static int fits(const struct packing *p)
{
	return p->ask->fits(p->ask->ctx, p->try.member, p->try.n);
}

/* Replaces pass `at`, or appends one, by the set that was tried. */
static int keep(struct packing *p, size_t at)
{
	size_t *member = malloc((p->try.n + 1) * sizeof *member);

	if (!member)
		return -ENOMEM;
	memcpy(member, p->try.member, p->try.n * sizeof *member);
	if (at == p->out->n) {
		if (SD_APPEND(p->out->pass, p->out->n, &(struct sd_pass){0})) {
			free(member);
			return -ENOMEM;
		}
	}
	free(p->out->pass[at].member);
	p->out->pass[at] = (struct sd_pass){.member = member, .n = p->try.n};
	return 0;
}

static int is_placed(const struct packing *p, size_t item)
{
	for (size_t i = 0; i < p->out->n; i++)
		if (has(p->out->pass[i].member, p->out->pass[i].n, item))
			return 1;
	return 0;
}

/* A pass of its own, with as many of the bases as fit. */
static int open_pass(struct packing *p, size_t item)
{
	int rc = 0;

	if (p->ask->most && p->out->n >= p->ask->most) {
		p->out->left[item] = 1;
		return 0;
	}
	for (size_t bases = p->base.n + 1; rc == 0 && bases-- > 0;) {
		copy(&p->try, p->base.member, bases);
		add_with_leader(p, &p->try, item);
		rc = fits(p);
	}
	if (rc > 0)
		return keep(p, p->out->n);
	p->out->left[item] = 2;
	return rc;
}

static int place(struct packing *p, size_t item)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->out->n; i++) {
		const struct sd_pass *pass = &p->out->pass[i];

		copy(&p->try, pass->member, pass->n);
		add_with_leader(p, &p->try, item);
		rc = fits(p);
		if (rc > 0)
			return keep(p, i);
	}
	return rc < 0 ? rc : open_pass(p, item);
}

/* The bases that fit together; the others are placed like any item. */
static int choose_bases(struct packing *p)
{
	for (size_t i = 0; i < p->ask->n; i++) {
		int rc;

		if (p->ask->item[i].skip || !p->ask->item[i].base)
			continue;
		copy(&p->try, p->base.member, p->base.n);
		add(&p->try, i);
		rc = fits(p);
		if (rc < 0)
			return rc;
		if (rc > 0)
			add(&p->base, i);
	}
	return 0;
}

static int place_all(struct packing *p)
{
	int rc = choose_bases(p);

	if (rc == 0 && p->base.n) {
		copy(&p->try, p->base.member, p->base.n);
		rc = keep(p, 0);
	}
	for (size_t i = 0; rc == 0 && i < p->ask->n; i++)
		if (!p->ask->item[i].skip && !has(p->base.member, p->base.n, i) && !is_placed(p, i))
			rc = place(p, i);
	return rc;
}

int sd_counter_passes_make(struct sd_counter_passes *out, const struct sd_counter_passes_ask *ask)
{
	struct packing p = {.ask = ask, .out = out};
	int rc = -ENOMEM;

	*out = (struct sd_counter_passes){0};
	/* one more than there are items: never of size 0 */
	p.base.member = calloc(ask->n + 1, sizeof *p.base.member);
	p.try.member = calloc(ask->n + 1, sizeof *p.try.member);
	out->left = calloc(ask->n + 1, sizeof *out->left);
	if (p.base.member && p.try.member && out->left)
		rc = place_all(&p);
	free(p.base.member);
	free(p.try.member);
	if (rc)
		sd_counter_passes_free(out);
	return rc;
}

void sd_counter_passes_free(struct sd_counter_passes *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->pass[i].member);
	free(p->pass);
	free(p->left);
	*p = (struct sd_counter_passes){0};
}
