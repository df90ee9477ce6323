#include "simulated/line_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/code_place.h"
#include "simulated/line_idiom.h"
#include "simulated/simulated_costs.h"

/* Minimum share of a contested line's accesses for a thread to count as contending. */
#define FIGHTS .01

static unsigned bits(uint64_t mask)
{
	unsigned n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

void sd_line_view_make(const struct sd_sim_contested *c, struct sd_line_view *v)
{
	double locked = 0;

	*v = (struct sd_line_view){.line = c, .hitm = c->hitm_load + c->hitm_store};
	for (size_t i = 0; i < c->n_sharer; i++) {
		const struct sd_sim_sharer *s = &c->sharer[i];

		v->readers += s->read != 0;
		v->writers += s->written != 0;
		v->touched |= s->read | s->written;
		v->accesses += s->loads + s->stores;
		locked += s->locked;
		for (size_t k = 0; k < c->n_sharer; k++)
			if (k != i)
				v->shared |=
					s->written & (c->sharer[k].read | c->sharer[k].written);
	}
	v->locked = v->accesses > 0 ? fmin(1, locked / v->accesses) : 0;
	v->saved = sd_has(c->separated) ? SD_OK(fmax(0, v->hitm - c->separated.value))
					: (struct sd_value){.status = c->separated.status};
}

/* Does this thread contend for the line? One that only initialises it, or finally reads it, does
 * not. */
static int fights(const struct sd_line_view *v, const struct sd_sim_sharer *s)
{
	return s->loads + s->stores >= FIGHTS * v->accesses;
}

static size_t fighters(const struct sd_line_view *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->line->n_sharer; i++)
		n += (size_t)fights(v, &v->line->sharer[i]);
	return n;
}

/* Bytes it shares with another contending thread, if one of the two writes. */
static uint64_t in_common(const struct sd_line_view *v, const struct sd_sim_sharer *s)
{
	uint64_t all = 0;

	for (size_t i = 0; i < v->line->n_sharer; i++) {
		const struct sd_sim_sharer *const o = &v->line->sharer[i];

		if (o != s && fights(v, o))
			all |= (o->written & (s->read | s->written)) | (s->written & o->read);
	}
	return all;
}

/* Bytes of the largest part of one thread alone, from its first to its last. */
static unsigned widest(const struct sd_line_view *v)
{
	unsigned most = 0;

	for (size_t i = 0; i < v->line->n_sharer; i++) {
		const struct sd_sim_sharer *const s = &v->line->sharer[i];
		const uint64_t own = (s->read | s->written) & ~in_common(v, s);
		unsigned low = 0, high = 64;

		if (!own || !fights(v, s))
			continue;
		while (!(own >> low & 1))
			low++;
		while (!(own >> (high - 1) & 1))
			high--;
		most = high - low > most ? high - low : most;
	}
	return most;
}

/* False sharing goes away without the accesses, or if the parts are on lines of their own. With an
 * adjacent-line prefetcher a pair of lines moves together, so that parts need two lines. */
static int advise_false(const struct sd_stacks *stacks, const struct sd_sim_machine *m,
	struct sd_line_view *v, struct sd_texts *out)
{
	const size_t parts = fighters(v);
	const unsigned bytes = widest(v), line = m->line, apart = m->adjacent ? 2 * line : line;
	char place[512], idiom[96];
	int rc = sd_texts_add(out,
		"keep the values in locals, which compilers keep in registers, and store them once "
		"at the end of the loop");

	if (!rc)
		rc = sd_texts_add(out,
			"or give each of the %zu threads a line of its own: align their parts of up "
			"to %u bytes to %u (%s): %zu bytes instead of %u",
			parts, bytes, apart,
			sd_line_idiom_text(stacks, v->line, bytes, apart, idiom, sizeof idiom),
			parts * apart, bits(v->touched));
	if (!rc && m->adjacent)
		rc = sd_texts_add(out,
			"%u and not %u bytes: this machine fetches the neighbour of a missing line along",
			apart, line);
	if (!rc && v->line->site && sd_line_idiom_allocates(stacks, v->line)) {
		sd_code_place_callers(stacks, v->line->site, 1, place, sizeof place);
		rc = sd_texts_add(out,
			"its memory is allocated in %s: aligned_alloc(%u, SIZE) there, with SIZE a "
			"multiple of %u, gives blocks that share no line with others",
			place, apart, apart);
	}
	return rc;
}

int sd_line_view_advise_true(struct sd_line_view *v, struct sd_texts *out)
{
	if (v->locked > .5)
		return sd_texts_add(out, "fewer atomic operations on it: count in each thread and "
					 "add up at the end, "
					 "or hold the lock less often");
	if (v->line->n_sharer == 0)
		return sd_texts_add(out, "several threads write and read the same bytes: give each "
					 "a copy and combine them at the end");
	return sd_texts_add(out,
		"the same bytes are written by %u thread%s and used by %u: give each thread a copy "
		"and combine them at the end",
		v->writers, v->writers == 1 ? "" : "s", v->readers);
}

/* Lines with truly shared bytes keep moving whatever the layout; only bytes of a single thread, and
 * bytes that are only read, can be moved away from them. */
static int advise_mixed(struct sd_line_view *v, struct sd_texts *out)
{
	uint64_t written = 0, once = 0, twice = 0, alone, fixed;
	char text[160];
	int rc;

	for (size_t i = 0; i < v->line->n_sharer; i++) {
		const struct sd_sim_sharer *const s = &v->line->sharer[i];

		written |= s->written;
		twice |= once & (s->read | s->written);
		once |= s->read | s->written;
	}
	alone = v->touched & ~twice;
	fixed = twice & ~written;
	snprintf(text, sizeof text, "%u of its bytes are shared", bits(v->shared));
	if (alone)
		snprintf(text + strlen(text), sizeof text - strlen(text),
			", %u belong to one thread each", bits(alone));
	if (fixed)
		snprintf(text + strlen(text), sizeof text - strlen(text), ", %u are only read",
			bits(fixed));
	rc = sd_texts_add(out, "%s: move those apart", text);
	return rc ? rc : sd_line_view_advise_true(v, out);
}

/* Nobody can move the bytes of a lock apart, or give each thread a copy of it. */
int sd_line_view_advise_lock(struct sd_line_view *v)
{
	v->saved = SD_NOT(ABSENT);
	return sd_texts_add(&v->advice,
		"it is a lock, where it is taken and released: take it less "
		"often, hold it for less, or split it");
}

int sd_line_view_advise(
	const struct sd_stacks *stacks, const struct sd_sim_machine *m, struct sd_line_view *v)
{
	int rc = 0;

	if ((v->line->sharing == SD_SIM_TRUE || v->line->sharing == SD_SIM_MIXED) &&
		sd_simulated_costs_of_lock(stacks, v->line) > .5)
		return sd_line_view_advise_lock(v);
	switch (v->line->sharing) {
	case SD_SIM_FALSE:
		rc = advise_false(stacks, m, v, &v->advice);
		break;
	case SD_SIM_TRUE:
		rc = sd_line_view_advise_true(v, &v->advice);
		break;
	case SD_SIM_MIXED:
		rc = advise_mixed(v, &v->advice);
		break;
	case SD_SIM_UNTOLD:
		break;
	}
	if (!rc && sd_has(v->saved) && v->hitm > 0)
		rc = sd_texts_add(&v->advice,
			"simulated so, it moves %.0f times instead of %.0f: %.0f %% less",
			v->hitm - v->saved.value, v->hitm, 100 * v->saved.value / v->hitm);
	return rc;
}
