#include "plugin/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output_file.h"
#include "plugin/basic_blocks.h"
#include "plugin/estimates.h"
#include "plugin/modelled_events.h"
#include "record/simulated.h"

/* The rest of a line: anything but a line's end. */
static void put_text(FILE *f, const char *key, const char *text)
{
	fprintf(f, "%s ", key);
	for (; text && *text; text++)
		fputc((unsigned char)*text < ' ' ? '?' : *text, f);
	fputc('\n', f);
}

static void put_level(FILE *f, const char *name, const struct sd_sim_level *l)
{
	fprintf(f, "level %s %" PRIu64 " %u %u %d\n", name, l->bytes, l->ways, l->sharers,
		l->inclusive);
}

static void put_machine(FILE *f, const struct sd_sim_machine *m)
{
	put_text(f, "name", m->name);
	fprintf(f, "machine %u %u %u %d\n", m->cores, m->line, m->page, m->adjacent);
	put_level(f, "l1", &m->l1);
	put_level(f, "l2", &m->l2);
	put_level(f, "llc", &m->llc);
	fprintf(f, "tlb %u %u %u %u\n", m->dtlb_entries, m->dtlb_ways, m->stlb_entries,
		m->stlb_ways);
}

struct spread {
	uint64_t pages, large, contiguous, shared;
};

/* Counts a thread's pages, those that follow one of its own, and those that others have too. */
static struct spread spread_of(const struct sim_run *r, const struct sim_thread *t)
{
	const unsigned up = r->o->machine.page == 4096 ? 9 : 0;
	const size_t others = r->n_thread < SD_SIM_THREADS ? r->n_thread : SD_SIM_THREADS;
	struct sim_pages large = {0};
	struct spread s = {.pages = t->pages.used};

	for (size_t i = 0; i < t->pages.size; i++) {
		const uint64_t page = t->pages.page[i].page1 - 1;
		int shared = 0;

		if (!t->pages.page[i].page1)
			continue;
		sim_pages_add(&large, page >> up);
		s.contiguous += page && sim_pages_has(&t->pages, page - 1);
		for (size_t k = 0; k < others && !shared; k++)
			shared = r->thread[k] != t && sim_pages_has(&r->thread[k]->pages, page);
		s.shared += (uint64_t)shared;
	}
	s.large = large.used;
	sim_pages_close(&large);
	return s;
}

static void put_thread(
	FILE *f, const struct sim_run *r, const struct sim_thread *t, const struct sim_estimates *e)
{
	const struct spread s = spread_of(r, t);
	double distance[SD_SIM_DISTANCES];
	const struct sim_counts c = sim_estimates_thread(r, t, e->tail);

	sim_reuse_result(&t->reuse, (double)(c.loads + c.stores), distance);
	fprintf(f, "thread %d %u", t->tid, t->core);
	fprintf(f, " %" PRIu64 " %" PRIu64 " %" PRIu64, c.instructions, c.loads, c.stores);
	fprintf(f, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, c.l1_misses,
		c.l2_misses, c.llc_misses, c.lines_in, c.write_backs);
	fprintf(f, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, c.hitm_load,
		c.hitm_store, c.rfo, c.invalidations, c.upgrades);
	fprintf(f, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %.0f %" PRIu64, c.dtlb_misses,
		c.stlb_misses, c.bytes_used, c.lines_unused,
		(double)t->conflict.conflicts * e->misses, c.conversions);
	fprintf(f, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, s.pages, s.large, s.contiguous,
		s.shared);
	fprintf(f, " %#" PRIx64 " %#" PRIx64 "\ndistance", t->stack_low, t->stack_high);
	for (size_t i = 0; i < SD_SIM_DISTANCES; i++)
		fprintf(f, " %.0f", distance[i]);
	fputc('\n', f);
}

static void put_threads(FILE *f, const struct sim_run *r, const struct sim_estimates *e)
{
	const size_t n = r->n_thread < SD_SIM_THREADS ? r->n_thread : SD_SIM_THREADS;
	uint64_t instructions = 0, cycles = 0, calls = 0, woken = 0, locked = 0;

	for (size_t i = 0; i < r->n_thread; i++) {
		const struct sim_thread *const t = r->thread[i];
		const uint64_t own = t->base + t->block->n_ins,
			       stalled = sim_estimates_stall(t, e->tail);

		instructions += own - t->skipped;
		calls += t->system_calls;
		woken += t->woken;
		locked += sim_estimates_thread(r, t, e->tail).locked;
		if (own + stalled - t->skipped > cycles)
			cycles = own + stalled - t->skipped;
	}
	fprintf(f, "total %" PRIu64 " %" PRIu64 " %.0f %zu\n", instructions, cycles,
		r->machine.transfers * e->moves, r->n_seen);
	fprintf(f, "calls %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", calls, woken, locked);
	for (size_t i = 0; i < n; i++)
		put_thread(f, r, r->thread[i], e);
}

static int by_hitm(const void *a, const void *b)
{
	const struct sim_line *const x = *(const struct sim_line *const *)a;
	const struct sim_line *const y = *(const struct sim_line *const *)b;
	const double p = x->hitm_load + x->hitm_store, q = y->hitm_load + y->hitm_store;

	return (p < q) - (p > q);
}

static int by_accesses(const void *a, const void *b)
{
	const struct sim_line_sharer *const x = a, *const y = b;

	return (x->loads + x->stores < y->loads + y->stores) -
	       (x->loads + x->stores > y->loads + y->stores);
}

static int by_code(const void *a, const void *b)
{
	const struct sim_line_code *const x = a, *const y = b;

	if (x->hitm != y->hitm)
		return x->hitm < y->hitm ? 1 : -1;
	return (x->accesses < y->accesses) - (x->accesses > y->accesses);
}

static int by_votes(const void *a, const void *b)
{
	const struct sim_line_home *const x = a, *const y = b;

	return (x->votes < y->votes) - (x->votes > y->votes);
}

/* The blocks of the heap that moved with the line, those of most moves first. */
static void put_homes(FILE *f, const struct sim_sites *s, struct sim_line *x)
{
	qsort(x->home, x->n_home, sizeof *x->home, by_votes);
	for (size_t i = 0; s && i < x->n_home; i++) {
		const struct sim_chain *const c = &s->chain[x->home[i].site.chain];

		fprintf(f, "site %#" PRIx64 " %" PRIu64, x->home[i].site.start,
			x->home[i].site.bytes);
		for (uint32_t k = 0; k < c->n; k++)
			fprintf(f, " %#" PRIx64, c->pc[k]);
		fputc('\n', f);
	}
}

static void put_line(
	FILE *f, const struct sim_run *r, const struct sim_line *l, const struct sim_estimates *e)
{
	struct sim_line x = *l; /* a copy to sort in: the original's order is in use */

	sim_estimates_line(&x, e);
	qsort(x.sharer, x.n_sharer, sizeof *x.sharer, by_accesses);
	qsort(x.code, x.n_code, sizeof *x.code, by_code);
	fprintf(f, "line %#" PRIx64 " %d %.0f %.0f %.0f %.0f %.0f\n",
		(x.line1 - 1) << r->machine.lines.line_shift, sim_line_sharing(l), x.hitm_load,
		x.hitm_store, x.invalidations, x.upgrades, x.separated);
	for (size_t i = 0; i < x.n_sharer; i++)
		if (x.sharer[i].thread < SD_SIM_THREADS)
			fprintf(f, "sharer %u %#" PRIx64 " %#" PRIx64 " %.0f %.0f %.0f %.0f\n",
				x.sharer[i].thread, x.sharer[i].read, x.sharer[i].written,
				x.sharer[i].loads, x.sharer[i].stores, x.sharer[i].locked,
				x.sharer[i].hitm);
	put_homes(f, r->machine.lines.sites, &x);
	if (x.frame)
		fprintf(f, "frame %#" PRIx64 "\n", x.frame);
	for (size_t i = 0; i < x.n_code; i++)
		fprintf(f, "code %#" PRIx64 " %.0f %.0f %d %d\n", x.code[i].pc, x.code[i].accesses,
			x.code[i].hitm, x.code[i].writes, x.code[i].locked);
}

static int put_lines(FILE *f, const struct sim_run *r, const struct sim_estimates *e)
{
	const struct sim_lines *const l = &r->machine.lines;
	const struct sim_line **const list = calloc(SIM_LINES_KEPT, sizeof(struct sim_line *));
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < l->used; i++)
		if (l->line[i].hitm_load + l->line[i].hitm_store > 0)
			list[n++] = &l->line[i];
	qsort(list, n, sizeof(struct sim_line *), by_hitm);
	fprintf(f, "contested %zu\n", n > l->seen ? n : l->seen);
	for (size_t i = 0; i < n && i < SD_SIM_LINES; i++)
		put_line(f, r, list[i], e);
	free(list);
	fprintf(f, "races %zu\n", l->n_race_seen);
	for (size_t i = 0; i < l->n_race && i < SD_SIM_RACES; i++)
		fprintf(f, "race %#" PRIx64 " %#" PRIx64 " %#" PRIx64 " %d\n",
			l->race[i].line + (uint64_t)__builtin_ctzll(l->race[i].bytes),
			l->race[i].writer, l->race[i].other,
			__builtin_popcountll(l->race[i].bytes));
	return 0;
}

/* Sums the counts of all threads, block by block; owned by the caller. NULL: no memory. */
static struct sim_block_count *blocks_of(const struct sim_run *r)
{
	struct sim_block_count *const sum = calloc(r->n_block ? r->n_block : 1, sizeof *sum);

	for (size_t k = 0; k <= r->n_thread && sum; k++) {
		const struct sim_block_count *const c =
			k < r->n_thread ? r->thread[k]->blocks : r->gone;
		const size_t n = k < r->n_thread ? r->thread[k]->n_blocks : r->n_gone;

		for (size_t i = 0; i < n && i < r->n_block; i++) {
			sum[i].runs += c[i].runs;
			sum[i].back += c[i].back;
			sum[i].moved += c[i].moved;
			if (c[i].latch > sum[i].latch)
				sum[i].latch = c[i].latch;
		}
	}
	return sum;
}

static int put_blocks(FILE *f, const struct sim_run *r, const struct sim_block_count *sum)
{
	struct sim_basic basic[SD_SIM_BLOCKS];
	const long n = sim_basic_find(
		(const struct sim_block *const *)r->block, sum, r->n_block, basic, SD_SIM_BLOCKS);

	for (long i = 0; i < n; i++)
		fprintf(f, "block %#" PRIx64 " %#" PRIx64 " %.0f %.0f\n", basic[i].start,
			basic[i].end, basic[i].runs, basic[i].instructions);
	return n < 0 ? (int)n : 0;
}

static int put_loops(FILE *f, struct sim_run *r, int part, const struct sim_estimates *e)
{
	struct sim_loop loop[SD_SIM_LOOPS];
	struct sim_block_count *const sum = blocks_of(r);
	long n;

	if (!sum)
		return -ENOMEM;
	n = sim_loops_find((const struct sim_block *const *)r->block, sum, r->n_block, part, loop,
		SD_SIM_LOOPS);
	if (n >= 0 && put_blocks(f, r, sum))
		n = -ENOMEM;
	free(sum);
	for (long i = 0; i < n; i++)
		fprintf(f, "loop %#" PRIx64 " %#" PRIx64 " %.0f %.0f %.0f %.0f %.0f\n",
			loop[i].head, loop[i].end, loop[i].entries, loop[i].iterations,
			loop[i].instructions, loop[i].bytes,
			loop[i].lines * e->misses * r->o->machine.line);
	return n < 0 ? (int)n : 0;
}

static int by_misses(const void *a, const void *b)
{
	const struct sim_conflict_place *const x = a, *const y = b;

	return (x->misses < y->misses) - (x->misses > y->misses);
}

/* The instructions with most conflicts of any thread; one that several threads run is added up. */
static void put_conflicts(FILE *f, const struct sim_run *r, const struct sim_estimates *e)
{
	struct sim_conflict_place top[SIM_CONFLICT_PLACES] = {{0}};
	size_t n = 0;

	for (size_t k = 0; k < r->n_thread; k++)
		for (size_t i = 0; i < SIM_CONFLICT_PLACES; i++) {
			const struct sim_conflict_place *const p = &r->thread[k]->conflict.place[i];
			size_t at = 0;

			while (at < n && top[at].pc != p->pc)
				at++;
			if (p->misses == 0)
				continue;
			if (at < n)
				top[at].misses += p->misses;
			else if (n < SIM_CONFLICT_PLACES)
				top[n++] = *p;
		}
	qsort(top, n, sizeof *top, by_misses);
	for (size_t i = 0; i < n && i < SD_SIM_CONFLICTS; i++)
		fprintf(f, "conflict %#" PRIx64 " %" PRId64 " %.0f\n", top[i].pc, top[i].stride,
			(double)top[i].misses * e->misses);
}

/* The mappings as guest addresses. QEMU's own are among them where they cannot be told apart: no
 * guest address is ever in those. */
static void put_maps(FILE *f, uint64_t guest_base)
{
	FILE *const in = fopen("/proc/self/maps", "re");
	char line[4608];
	unsigned n = 0;

	while (in && n < 16000 && fgets(line, sizeof line, in)) {
		uint64_t start, end, offset;
		char rights[8];
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &start, &end,
			    rights, &offset, &at) < 4 ||
			start < guest_base || at == 0 || line[at] != '/')
			continue;
		fprintf(f, "map %#" PRIx64 " %#" PRIx64 " %#" PRIx64 " %d", start - guest_base,
			end - guest_base, offset, rights[2] == 'x');
		put_text(f, "", line + at);
		n++;
	}
	if (in)
		fclose(in);
}

/* Which share of the instructions the model has seen, and how precise that makes the counts. */
static void put_sampled(FILE *f, const struct sim_run *r, const struct sim_output *o)
{
	char text[SD_SIMULATED_TEXT];
	const double share =
		sim_sampled_parts_say(o->parts, (double)sim_run_instructions(r), text, sizeof text);

	fprintf(f, "sampled %.0f", 1e6 * share);
	put_text(f, "", text);
}

static int put_all(FILE *f, struct sim_run *r, const struct sim_output *o)
{
	const struct sim_estimates e = sim_estimates_of(r, o->parts);
	int rc;

	fprintf(f, "scalediag-sim 1\nprocess %d %d %s\n", o->pid, o->parent, o->target);
	put_text(f, "program", o->program);
	put_machine(f, &r->o->machine);
	fprintf(f, "brk %#" PRIx64 " %#" PRIx64 "\n", o->brk_low, o->brk_high);
	if (o->sites)
		fprintf(f, "heap %zu %d\n", o->sites->n_chain, o->sites->lost);
	fprintf(f, "part %.0f %.0f\n", o->from_s * 1e6, o->for_s * 1e6);
	put_threads(f, r, &e);
	if (o->parts)
		put_sampled(f, r, o);
	if (r->o->instructions)
		sim_modelled_events_put(f, r);
	rc = put_lines(f, r, &e);
	if (rc == 0)
		rc = put_loops(f, r, o->from_s > 0, &e);
	put_conflicts(f, r, &e);
	put_maps(f, o->guest_base);
	if (o->partial)
		put_text(f, "end partial", o->partial);
	else
		fputs("end complete\n", f);
	return rc;
}

struct whole {
	struct sim_run *run;
	const struct sim_output *output;
};

static int put_whole(FILE *f, const void *data)
{
	const struct whole *const w = data;
	int rc;

	pthread_mutex_lock(&w->run->block_lock);
	rc = put_all(f, w->run, w->output);
	pthread_mutex_unlock(&w->run->block_lock);
	return rc;
}

int sim_output_write(struct sim_run *r, const struct sim_output *o)
{
	const struct whole w = {r, o};
	char path[1100];

	snprintf(path, sizeof path, "%s.%d.sim", r->o->out, o->pid);
	return sd_output_file_write(path, SD_OUTPUT_SIMULATED, put_whole, &w, NULL);
}
