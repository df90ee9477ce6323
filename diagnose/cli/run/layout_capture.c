#include "run/layout_capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "bench/profile_pick.h"

static int take_pus(struct sd_machine_layout *out, const struct sd_topology *t)
{
	if (t->n_pu == 0)
		return 0;
	out->pu = calloc(t->n_pu, sizeof *out->pu);
	if (!out->pu)
		return -ENOMEM;
	memcpy(out->pu, t->pu, t->n_pu * sizeof *out->pu);
	out->n_pu = t->n_pu;
	return 0;
}

static size_t index_of(struct sd_pairs *p, unsigned cpu)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->cpu[i] == cpu)
			return i;
	if (p->n == SD_MACHINE_LAYOUT_PAIRS)
		return SD_MACHINE_LAYOUT_PAIRS;
	p->cpu[p->n] = cpu;
	return p->n++;
}

/* The median line by plain stores, as the matrix of `calibrate` has it. */
static int is_pair(const struct sd_bench_row *r, int state)
{
	return strcmp(r->kernel, "transfer") == 0 && sd_bench_row_has(r) && r->cores == 2 &&
	       r->state == (unsigned)state && sd_bench_row_words(r, "op=load-store line=median");
}

/* Both ends of a pair; 0 when the row names no pair. */
static int ends(const struct sd_bench_row *r, struct sd_pairs *p, size_t end[2])
{
	struct sd_cpulist cpus = {0};
	int ok = sd_cpulist_parse(r->cpus, &cpus) == 0 && cpus.n == 2;

	for (size_t i = 0; ok && i < 2; i++) {
		end[i] = index_of(p, cpus.cpu[i]);
		ok = end[i] < SD_MACHINE_LAYOUT_PAIRS;
	}
	sd_cpulist_free(&cpus);
	return ok;
}

static int take_pairs(struct sd_pairs *out, const struct sd_profile *p, int state)
{
	size_t end[2];

	out->cpu = calloc(SD_MACHINE_LAYOUT_PAIRS, sizeof *out->cpu);
	if (!out->cpu)
		return -ENOMEM;
	for (size_t i = 0; i < p->rows.n; i++)
		if (is_pair(&p->rows.row[i], state))
			ends(&p->rows.row[i], out, end);
	out->s = calloc(out->n * out->n + 1, sizeof *out->s);
	if (!out->s)
		return -ENOMEM;
	for (size_t i = 0; i < out->n * out->n; i++)
		out->s[i] = -1;
	for (size_t i = 0; i < p->rows.n; i++)
		if (is_pair(&p->rows.row[i], state) && ends(&p->rows.row[i], out, end))
			out->s[end[0] * out->n + end[1]] = out->s[end[1] * out->n + end[0]] =
				p->rows.row[i].median * 1e-9;
	return 0;
}

/* The row behind `at` with the bandwidth at which this latency was seen. */
static const struct sd_bench_row *bandwidth_of(const struct sd_profile *p, size_t at)
{
	const struct sd_bench_row *r = &p->rows.row[at];

	for (size_t k = at + 1; k < p->rows.n; k++) {
		const struct sd_bench_row *b = &p->rows.row[k];

		if (strcmp(b->kernel, "loaded") == 0 && strcmp(b->unit, "GB/s") == 0 &&
			b->state == r->state && strcmp(b->variant, r->variant) == 0)
			return sd_bench_row_has(b) ? b : NULL;
	}
	return NULL;
}

static int take_curve(struct sd_loaded *out, const struct sd_profile *p, int state, unsigned cores,
	const char *words)
{
	out->bandwidth = calloc(SD_MACHINE_LAYOUT_POINTS, sizeof *out->bandwidth);
	out->latency = calloc(SD_MACHINE_LAYOUT_POINTS, sizeof *out->latency);
	if (!out->bandwidth || !out->latency)
		return -ENOMEM;
	for (size_t i = 0; i < p->rows.n && out->n < SD_MACHINE_LAYOUT_POINTS; i++) {
		const struct sd_bench_row *r = &p->rows.row[i], *b;

		if (strcmp(r->kernel, "loaded") != 0 || !sd_bench_row_has(r) || r->cores != cores ||
			r->state != (unsigned)state || strcmp(r->unit, "ns") != 0 ||
			!sd_bench_row_words(r, words))
			continue;
		b = bandwidth_of(p, i);
		if (!b)
			continue;
		out->bandwidth[out->n] = b->median * 1e9;
		out->latency[out->n++] = r->median * 1e-9;
	}
	return 0;
}

static int take_curves(struct sd_machine_layout *out, const struct sd_profile *p, int state)
{
	static const char *const mix[] = {"read", "2:1", "1:1"};
	unsigned cores = 0;
	int rc = 0;

	out->loaded = calloc(sizeof mix / sizeof *mix, sizeof *out->loaded);
	if (!out->loaded)
		return -ENOMEM;
	for (size_t i = 0; i < p->rows.n; i++)
		if (strcmp(p->rows.row[i].kernel, "loaded") == 0 && p->rows.row[i].cores > cores)
			cores = p->rows.row[i].cores;
	for (size_t i = 0; !rc && i < sizeof mix / sizeof *mix; i++) {
		struct sd_loaded *c = &out->loaded[out->n_loaded++];
		char words[16];

		snprintf(c->mix, sizeof c->mix, "%s", mix[i]);
		snprintf(words, sizeof words, "mix=%s", mix[i]);
		rc = take_curve(c, p, state, cores, words);
		if (!rc && !c->n) {
			free(c->bandwidth);
			free(c->latency);
			*c = (struct sd_loaded){0};
			out->n_loaded--;
		}
	}
	return rc;
}

int sd_layout_capture_take(struct sd_machine_layout *out, const struct sd_topology *t,
	const struct sd_profile *profile, struct sd_value line)
{
	const int state = profile ? sd_profile_state(profile, line) : -1;
	int rc;

	*out = (struct sd_machine_layout){0};
	rc = take_pus(out, t);
	if (!rc && state >= 0)
		rc = take_pairs(&out->pairs, profile, state);
	if (!rc && out->pairs.n < 2)
		out->pairs.n = 0;
	return rc || state < 0 ? rc : take_curves(out, profile, state);
}
