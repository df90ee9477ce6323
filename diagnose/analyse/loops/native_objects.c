#include "loops/native_objects.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/line_memory.h"
#include "loops/transfer_time.h"

#define STACK "stack of thread "

/* Length of the first variable's name in "counters+0x40", "counters[3].hits, done"; of
 * "[heap]+0x40" all: a mapping is no object. What stands in brackets of a C++ name is no index. */
static size_t stem(const char *name)
{
	const int variable = !sd_line_memory_is_mapping(name);
	int depth = 0;
	size_t n = 0;

	for (; variable && name[n]; n++) {
		const char *const at = name + n;

		depth += (*at == '(' || *at == '<') - (*at == ')' || *at == '>');
		if (depth <= 0 && (strncmp(at, "+0x", 3) == 0 ||
					  (*at == '[' && isdigit((unsigned char)at[1])) ||
					  (*at == '.' && isalpha((unsigned char)at[1]))))
			return n;
	}
	return strlen(name);
}

/* Writes an object's name in all runs: its variable, and the function in whose frame it is. Numbers
 * of threads, which each run has its own of, are left out where a function is known. */
static void put_key(const char *name, char *out, size_t size)
{
	const char *const stack = strstr(name, ", " STACK), *in = NULL;
	const char *const frame = strstr(name, ", frame of ");

	if (strncmp(name, STACK, strlen(STACK)) == 0) {
		snprintf(out, size, "%s", frame ? frame : name);
		return;
	}
	for (const char *at = stack ? strstr(name, " in ") : NULL; at && at < stack;
		at = strstr(at + 1, " in "))
		in = at;
	snprintf(out, size, "%.*s%.*s", (int)stem(name), name, in ? (int)(stack - in) : 0,
		in ? in : "");
}

int sd_native_objects_is_same(const struct sd_stacks *s, const struct sd_sim_contested *a,
	const struct sd_sim_contested *b)
{
	char one[1024], other[1024];

	if (a->site && a->site == b->site)
		return 1;
	put_key(sd_stacks_text_at(s, a->name), one, sizeof one);
	put_key(sd_stacks_text_at(s, b->name), other, sizeof other);
	if (*one || *other)
		return strcmp(one, other) == 0 && (!a->site || !b->site);
	return !a->site && !b->site && a->address == b->address;
}

/* NULL: none, also of a line that was the same as one without a site, which a line of another site
 * has replaced since. */
static struct sd_native_object *find(
	const struct sd_stacks *s, const struct sd_native_growth *g, const struct sd_native_line *l)
{
	for (size_t i = 0; i < g->n_object; i++)
		if (sd_native_objects_is_same(s, &g->object[i].line->line, &l->line))
			return &g->object[i];
	return NULL;
}

/* Cores at code that writes the line. */
static double at_writing(const struct sd_native_lines *run, const struct sd_native_line *l)
{
	const double a_second = run->seconds > 0 ? run->samples / run->seconds : 0;

	return sd_has(l->writes) && a_second > 0 ? l->writes.value / a_second : 0;
}

/* Cores that the moves of a line cost at most: each answers a write. */
static double counted(const struct sd_native_line *l, double transfer)
{
	const double threads = fmax(l->watched, (double)l->line.n_sharer);

	return sd_has(l->proven_most) ? l->proven_most.value * threads * transfer : INFINITY;
}

/* Keeps the highest of several runs; they count the same. */
static void add_proof(struct sd_native_object *o, const struct sd_native_line *l, double transfer)
{
	const double cores = counted(l, transfer);

	if (!sd_has(l->proven) || (o->proof && !(cores > o->counted)))
		return;
	o->counted = cores;
	o->proof = l;
}

static void add_run(const struct sd_stacks *s, const struct sd_native_lines *run, double transfer,
	struct sd_native_growth *g)
{
	for (size_t i = 0; i < run->n_line; i++) {
		const struct sd_native_line *const l = &run->line[i];
		struct sd_native_object *o = find(s, g, l);

		if (!o) {
			o = &g->object[g->n_object++];
			*o = (struct sd_native_object){.line = l, .run = run, .counted = INFINITY};
		} else if (l->contested > o->line->contested) {
			o->line = l;
			o->run = run;
		}
		o->answered += at_writing(run, l) * (double)l->line.n_sharer;
		o->met += l->contested + l->maybe + l->spun + l->split;
		o->read += l->read;
		add_proof(o, l, transfer);
	}
}

/* Sets the allocation sites, as any run was told; few ask. */
static void add_sites(const struct sd_record *record, struct sd_native_growth *g)
{
	for (size_t j = 0; j < record->n_run; j++) {
		const struct sd_native_lines *const run = record->run[j].native;

		for (size_t i = 0; run && i < run->n_line; i++) {
			struct sd_native_object *const o =
				run->line[i].line.site ? find(&record->stacks, g, &run->line[i])
						       : NULL;

			if (o && !o->site)
				o->site = run->line[i].line.site;
		}
	}
}

static void add_growth(const struct sd_stacks *s, const struct sd_loop_times *t, const double *sure,
	const struct sd_native_lines *run, struct sd_native_growth *g)
{
	for (size_t i = 0; i < run->n_loop; i++) {
		const struct sd_native_loop *const k = &run->loop[i];
		const struct sd_loop_times_row *const r = sd_loop_times_find(t, k->node);
		const size_t row = (size_t)(r - t->row);
		struct sd_native_object *const o = k->line && k->line <= run->n_line
							   ? find(s, g, &run->line[k->line - 1])
							   : NULL;

		for (size_t kind = 0; o && r->sum.seconds > 0 && kind < SD_NATIVE_KINDS; kind++)
			o->cores[kind] += sure[row * SD_NATIVE_KINDS + kind] * r->cores *
					  k->seconds / r->sum.seconds;
	}
}

/* Has a run lines that are not told? */
static int are_cut(const struct sd_loop_times *t)
{
	for (size_t j = 0; j < t->now->n_run; j++)
		if (sd_loop_times_counts(t->now, j) &&
			t->now->run[j]->native->n_line < t->now->run[j]->native->n_line_seen)
			return 1;
	return 0;
}

/* Lines that all read are open by themselves, as long as nobody counted. */
static double sum_counted(const struct sd_loop_times *t, const struct sd_native_growth *g)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < g->n_object; i++) {
		const struct sd_native_object *const o = &g->object[i];

		sum += o->met > 0 || isfinite(o->counted) ? o->counted : 0;
		n += o->met > 0 || isfinite(o->counted);
	}
	return n && !are_cut(t) ? sum : INFINITY;
}

/* Lines that all read and no sample writes leave open the share of their time at those whose writes
 * nobody counted, and the cores of the others. A sample may be at several, so that all of
 * them may be at one of those. */
static void put_read(
	const struct sd_stacks *s, const struct sd_loop_times *t, struct sd_native_growth *g)
{
	double all = 0, open = 0;

	for (size_t j = 0; j < t->now->n_run; j++) {
		const struct sd_native_lines *const run = t->now->run[j]->native;

		for (size_t i = 0; sd_loop_times_counts(t->now, j) && i < run->n_loop; i++)
			all += run->loop[i].read_s;
		for (size_t i = 0; sd_loop_times_counts(t->now, j) && i < run->n_line; i++) {
			const struct sd_native_object *const o = find(s, g, &run->line[i]);

			open += o && isfinite(o->counted) ? 0 : run->line[i].read;
		}
	}
	g->unwatched = all > 0 && !are_cut(t) ? fmin(1, open / all) : 1;
	for (size_t i = 0; i < g->n_object; i++)
		g->read_most += g->object[i].read > 0 && isfinite(g->object[i].counted)
					? g->object[i].counted
					: 0;
}

/* Share of the loops' time at lines that may be skipped or are unsure, which no told line has. */
static double share_unlisted(const struct sd_loop_times *t)
{
	double all = 0, told = 0;

	for (size_t j = 0; j < t->now->n_run; j++) {
		const struct sd_native_lines *const run = t->now->run[j]->native;

		for (size_t i = 0; sd_loop_times_counts(t->now, j) && i < run->n_loop; i++)
			all += run->loop[i].maybe_s;
		for (size_t i = 0; sd_loop_times_counts(t->now, j) && i < run->n_line; i++)
			told += run->line[i].pair ? 0 : run->line[i].maybe;
	}
	return all > 0 ? fmax(0, 1 - told / all) : 0;
}

int sd_native_objects_make(const struct sd_record *record, const struct sd_loop_times *t,
	const double *sure, struct sd_native_growth *out)
{
	const double transfer = sd_transfer_time_most(record, t->now);
	const struct sd_stacks *const s = &record->stacks;
	size_t most = 0, runs = 0;

	for (size_t j = 0; j < t->now->n_run; j++)
		if (sd_loop_times_counts(t->now, j)) {
			most += t->now->run[j]->native->n_line;
			runs++;
		}
	out->object = calloc(most + 1, sizeof *out->object);
	if (!out->object)
		return -ENOMEM;
	for (size_t j = 0; j < t->now->n_run; j++)
		if (sd_loop_times_counts(t->now, j))
			add_run(s, t->now->run[j]->native, transfer, out);
	add_sites(record, out);
	for (size_t j = 0; j < t->now->n_run; j++) {
		if (!sd_loop_times_counts(t->now, j))
			continue;
		add_growth(s, t, sure, t->now->run[j]->native, out);
		for (size_t i = 0; i < t->now->run[j]->native->n_line; i++) {
			const struct sd_native_line *const l = &t->now->run[j]->native->line[i];
			struct sd_native_object *const o = find(s, out, l);

			if (o)
				o->lines += o->run == t->now->run[j]->native;
			if (l->lock && l->line.sharing == SD_SIM_FALSE)
				out->spun_false +=
					l->spun / (t->now->run[j]->metric[SD_METRIC_WALL].value *
							  (double)runs);
		}
	}
	for (size_t i = 0; i < out->n_object; i++)
		out->object[i].answered =
			fmin(out->object[i].answered / (double)runs, out->object[i].counted);
	out->counted = sum_counted(t, out);
	out->unlisted = share_unlisted(t);
	put_read(s, t, out);
	return 0;
}

/* Share of an object's growth that its writers account for, 0..1; each move answers a write. */
static double share_answered(const struct sd_native_object *o)
{
	double all = 0;

	for (int k = 0; k < SD_NATIVE_KINDS; k++)
		all += fmax(0, o->cores[k]);
	return all > o->answered ? o->answered / all : 1;
}

double sd_native_objects_answered(const struct sd_stacks *s, const struct sd_native_growth *g,
	const struct sd_loop_times *t, size_t row)
{
	double kept = 0, all = 0;

	for (size_t j = 0; j < t->now->n_run; j++) {
		const struct sd_native_lines *const run = t->now->run[j]->native;

		for (size_t i = 0; sd_loop_times_counts(t->now, j) && i < run->n_loop; i++) {
			const struct sd_native_loop *const k = &run->loop[i];
			const struct sd_native_object *o;

			if (k->node != t->row[row].node || !k->line || k->line > run->n_line)
				continue;
			o = find(s, g, &run->line[k->line - 1]);
			kept += k->seconds * (o ? share_answered(o) : 1);
			all += k->seconds;
		}
	}
	return all > 0 ? kept / all : 1;
}

void sd_native_objects_keep(struct sd_native_growth *g)
{
	for (size_t i = 0; i < g->n_object; i++) {
		const double kept = share_answered(&g->object[i]);

		for (int k = 0; k < SD_NATIVE_KINDS; k++)
			g->object[i].cores[k] *= k == SD_NATIVE_SPLIT ? 1 : kept;
	}
}

const struct sd_native_object *sd_native_objects_first(
	const struct sd_native_growth *g, enum sd_native_kind kind)
{
	const struct sd_native_object *first = NULL;

	for (size_t i = 0; i < g->n_object; i++)
		if (g->object[i].cores[kind] > (first ? first->cores[kind] : 0))
			first = &g->object[i];
	return first;
}
