#include "native/native_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/code_place.h"
#include "analysis/line_memory.h"
#include "base/statistics.h"
#include "loops/native_objects.h"
#include "loops/transfer_time.h"

#define THREADS 4 /* told of a line; the others are counted */
#define SITE_CALLERS 3

void sd_native_words_object(
	const struct sd_stacks *s, const struct sd_native_object *o, char *out, size_t size)
{
	sd_line_memory_text(s, &o->line->line, o->site, out, size);
}

/* "thread 1 writes bytes 32-39, thread 2 bytes 48-55, and 2 more". */
static void put_threads(const struct sd_native_object *o, char *out, size_t size)
{
	const struct sd_sim_contested *const l = &o->line->line;
	const char *verb = "";
	size_t used = 0, told = 0;

	out[0] = '\0';
	for (size_t i = 0; i < l->n_sharer && told < THREADS && used < size; i++) {
		const struct sd_sim_sharer *const t = &l->sharer[i];
		const char *const does = t->written ? "writes " : "reads ";
		char bytes[96];

		if (!(t->written | t->read))
			continue;
		sd_line_memory_bytes(
			t->written ? t->written : t->read, o->run->line_bytes, bytes, sizeof bytes);
		used += (size_t)snprintf(out + used, size - used, "%sthread %u %sbytes %s",
			told++ ? ", " : "", t->thread, strcmp(verb, does) == 0 ? "" : does, bytes);
		verb = does;
	}
	if (l->n_sharer > THREADS && used < size)
		snprintf(out + used, size - used, ", and %zu more", l->n_sharer - THREADS);
}

/* Says why it is not known who allocated the object, where a run asked, or could not ask. */
static void say_unallocated(
	struct sd_case *c, struct sd_finding *f, const struct sd_native_object *o)
{
	const struct sd_stacks *const s = &c->record->stacks;
	const unsigned name = o->line->line.name;

	if (o->line->shared ||
		!sd_line_memory_is_heap(name && name < s->n_text ? s->text[name] : NULL))
		return;
	for (size_t j = 0; j < c->last->n_run; j++) {
		const struct sd_native_lines *const run = c->last->run[j]->native;

		if (!run || !(run->heap_asked || *run->heap_why))
			continue;
		sd_case_say(c, f, "who allocated that memory is not known: %s",
			sd_line_memory_unasked(run));
		return;
	}
}

static void say_object(struct sd_case *c, struct sd_finding *f, enum sd_native_kind kind,
	const struct sd_native_object *o)
{
	const struct sd_native_growth *const g = c->native;
	const double all = g->all.value, share = all > 0 ? fmin(1, o->cores[kind] / all) : 0;
	char name[512], threads[512], more[48] = "", open[112] = "", callers[1024];

	sd_native_words_object(&c->record->stacks, o, name, sizeof name);
	put_threads(o, threads, sizeof threads);
	if (o->lines > 1)
		snprintf(more, sizeof more, " and %zu more line%s of it", o->lines - 1,
			o->lines > 2 ? "s" : "");
	if (all > 0 && g->unknown > .005 * all)
		snprintf(open, sizeof open,
			"; %.0f %% of it is open: addresses that no sample tells, or that may be skipped",
			100 * fmin(1, g->unknown / all));
	sd_case_say(c, f,
		"%.0f %% of the growth is in loops %s %s%s%s%s%s (the program's "
		"own samples; scalediag lines shows it)%s",
		100 * share,
		kind == SD_NATIVE_SPLIT ? "with atomic accesses that lie in two lines, in"
					: "that touch",
		name, more, *threads ? ": " : "", threads,
		kind == SD_NATIVE_TRUE ? ", the same" : "", open);
	if (!o->site) {
		say_unallocated(c, f, o);
		return;
	}
	sd_code_place_callers(&c->record->stacks, o->site, SITE_CALLERS, callers, sizeof callers);
	sd_case_say(c, f, "that memory is allocated in %s", callers);
}

/* Loops that `kind` may be in. */
static const char *loops_of(enum sd_native_kind kind)
{
	return kind == SD_NATIVE_SPLIT
		       ? "whose addresses are not all known; no known one of an atomic access lies in "
			 "two lines"
		       : "that touch a line which another thread uses at the time, one of them "
			 "writing";
}

/* Says how often watchpoints counted the line written, and how much its moves cost at most. */
static void say_proof(struct sd_case *c, struct sd_finding *f)
{
	for (size_t i = 0; i < c->native->n_object; i++) {
		const struct sd_native_object *const o = &c->native->object[i];
		const struct sd_native_line *const l = o->proof;
		char name[512], most[64] = "";

		if (!l)
			continue;
		sd_native_words_object(&c->record->stacks, o, name, sizeof name);
		if (o->counted < c->last->n)
			snprintf(most, sizeof most, ": its moves cost %.2g of %u cores at most",
				o->counted, c->last->n);
		sd_case_say(c, f,
			"watchpoints proved that %u of %u threads write%s %s, %s%.0f times a second "
			"(%.0f hits in %.1f ms, each stops its thread for microseconds); of its words %u "
			"are touched by one thread alone, %u by several%s",
			l->writers, l->watched, l->writers == 1 ? "s" : "", name,
			sd_has(l->proven_most) ? "" : "at least ", l->proven.value, l->hits,
			1e3 * l->watched_s, l->own_words, l->shared_words, most);
	}
}

/* Says what is not known of the samples, as a clause; "": nothing is. */
static const char *why_open(const struct sd_case *c)
{
	for (size_t j = 0; j < c->last->n_run; j++)
		if (c->last->run[j]->native && *c->last->run[j]->native->why)
			return c->last->run[j]->native->why;
	return "";
}

void sd_native_words_say(struct sd_case *c, struct sd_finding *f, enum sd_native_kind kind,
	const struct sd_interval *least, const struct sd_interval *most)
{
	const struct sd_native_object *const o = sd_native_objects_first(c->native, kind);
	const double gate = SD_CASE_GATE * c->loss->n;
	/* a single run has an interval without an end: no more than the cores there are */
	const double high = fmin(fmax(0, most->high), c->last->n);

	if (least->value >= gate && o) {
		say_object(c, f, kind, o);
		sd_case_say(c, f, "at least %.2f, at most %.2f of %u cores by these samples",
			fmin(fmax(0, least->low), high), high, c->last->n);
	} else if (most->high < gate) {
		sd_case_say(c, f,
			"at most %.2f of %u cores of growth are in loops %s (%.0f samples)", high,
			c->last->n, loops_of(kind), c->native->samples);
	} else {
		sd_case_say(c, f,
			"the samples leave up to %.2f of %u cores open: loops whose addresses they do "
			"not tell, or that touch such a line now and then%s",
			high, c->last->n,
			c->native->read >= gate
				? ", or that read what others read, too, where no sample tells who "
				  "writes it"
				: "");
		if (*why_open(c))
			sd_case_say(c, f, "%s", why_open(c));
	}
	if (kind == SD_NATIVE_FALSE || kind == SD_NATIVE_TRUE)
		say_proof(c, f);
}

void sd_native_words_locks(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_native_growth *const g = c->native;
	const struct sd_native_object *const o = sd_native_objects_first(g, SD_NATIVE_LOCK);

	if (o && g->least[SD_NATIVE_LOCK].value >= SD_CASE_GATE * c->loss->n)
		say_object(c, f, SD_NATIVE_LOCK, o);
	if (g->under.value >= SD_CASE_GATE * c->loss->n)
		sd_case_say(c, f,
			"%.2f cores of the growth are where functions that take contended locks write "
			"what other threads use: it moves as the lock does",
			g->under.value);
}

/* ---- one number of cores -----------------------------------------------------------------------
 */

#define SINGLE_LEAST .05 /* of the user time; less is not worth a warning */

/* s of all runs that are contested at the line. */
static double contested_at(
	const struct sd_stacks *stacks, const struct sd_chosen *p, const struct sd_native_line *l)
{
	double s = 0;

	for (size_t j = 0; j < p->n_run; j++)
		for (size_t i = 0; p->run[j]->native && i < p->run[j]->native->n_line; i++)
			s += sd_native_objects_is_same(
				     stacks, &l->line, &p->run[j]->native->line[i].line)
				     ? p->run[j]->native->line[i].contested
				     : 0;
	return s;
}

static double read_at(const struct sd_native_line *l)
{
	return l->read + l->maybe + l->contested;
}

/* Is it written so often, by watchpoints, that those who read it may wait for that? */
static int may_cost(const struct sd_case *c, const struct sd_native_line *l)
{
	const double moves = l->proven_most.value * l->watched;

	return sd_has(l->proven) && l->writers > 0 && l->watched > 1 &&
	       (!sd_has(l->proven_most) ||
		       moves * sd_transfer_time_most(c->record, c->last) >= SINGLE_LEAST);
}

/* Says of the line with most time that no sample, but a watchpoint found written. */
static void say_watched(struct sd_case *c)
{
	struct sd_native_object most = {.lines = 1};
	char name[512];

	for (size_t j = 0; j < c->last->n_run; j++) {
		const struct sd_native_lines *const run = c->last->run[j]->native;

		for (size_t i = 0; run && i < run->n_line; i++)
			if (may_cost(c, &run->line[i]) &&
				read_at(&run->line[i]) > SINGLE_LEAST * run->seconds &&
				(!most.line || read_at(&run->line[i]) > read_at(most.line))) {
				most.line = &run->line[i];
				most.run = run;
			}
	}
	if (!most.line)
		return;
	sd_native_words_object(&c->record->stacks, &most, name, sizeof name);
	sd_case_warn(c,
		"%.0f %% of its user time reads %s, which several threads use and %u of %u write, "
		"%s%.0f times a second, as watchpoints proved: scalediag lines RECORD; --cores "
		"would tell what it costs",
		100 * fmin(1, read_at(most.line) / most.run->seconds), name, most.line->writers,
		most.line->watched, sd_has(most.line->proven_most) ? "" : "at least ",
		most.line->proven.value);
}

void sd_native_words_single(struct sd_case *c)
{
	struct sd_native_object most = {.lines = 1};
	double contested = 0, seconds = 0, samples = 0;
	char name[512], threads[512];

	if (c->a->n_point > 1)
		return;
	for (size_t j = 0; j < c->last->n_run; j++) {
		const struct sd_native_lines *const run = c->last->run[j]->native;

		for (size_t i = 0; run && i < run->n_line; i++) {
			const double s = contested_at(&c->record->stacks, c->last, &run->line[i]);

			if (s > contested || (s >= contested && run->line[i].line.site)) {
				contested = s;
				most.line = &run->line[i];
				most.site = run->line[i].line.site;
				most.run = run;
			}
		}
		seconds += run ? run->seconds : 0;
		samples += run ? run->samples : 0;
	}
	if (!most.line || !(samples > 0) ||
		sd_statistics_share(fmin(1, contested / seconds) * samples, samples).low <
			SINGLE_LEAST) {
		say_watched(c);
		return;
	}
	sd_native_words_object(&c->record->stacks, &most, name, sizeof name);
	put_threads(&most, threads, sizeof threads);
	sd_case_warn(c,
		"%.0f %% of its user time is at %s, on which threads take turns%s%s (%s sharing): "
		"scalediag lines RECORD; --cores would tell what it costs",
		100 * fmin(1, contested / seconds), name, *threads ? ": " : "", threads,
		sd_sim_sharing_name[most.line->line.sharing]);
}
