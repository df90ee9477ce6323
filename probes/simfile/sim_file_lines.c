#include "simfile/sim_file_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "simfile/sim_file_contested.h"
#include "simfile/sim_file_lives.h"

static int process(struct sd_sim_file_words *r)
{
	if (sd_sim_file_words_int(r, INT32_MAX, &r->f->pid) ||
		sd_sim_file_words_int(r, INT32_MAX, &r->f->parent))
		return -EBADMSG;
	return sd_sim_file_words_text(r, r->f->target, sizeof r->f->target);
}

static int program(struct sd_sim_file_words *r)
{
	return sd_sim_file_words_text(r, r->f->program, sizeof r->f->program);
}

static int name(struct sd_sim_file_words *r)
{
	return sd_sim_file_words_text(r, r->f->machine.name, sizeof r->f->machine.name);
}

static int machine(struct sd_sim_file_words *r)
{
	struct sd_sim_machine *const m = &r->f->machine;

	if (sd_sim_file_words_unsigned(r, SD_SIM_THREADS, &m->cores) ||
		sd_sim_file_words_unsigned(r, 64, &m->line) ||
		sd_sim_file_words_unsigned(r, 1u << 21, &m->page) ||
		sd_sim_file_words_int(r, 1, &m->adjacent))
		return -EBADMSG;
	return m->cores && m->line && m->page
		       ? 0
		       : sd_sim_file_words_bad(r, "a machine without cores, lines or pages");
}

static int level(struct sd_sim_file_words *r)
{
	struct sd_sim_machine *const m = &r->f->machine;
	struct sd_sim_level *l = NULL;
	static const char *const names[] = {" l1 ", " l2 ", " llc "};
	struct sd_sim_level *const levels[] = {&m->l1, &m->l2, &m->llc};

	for (size_t i = 0; i < 3; i++)
		if (strncmp(r->rest, names[i], strlen(names[i])) == 0) {
			l = levels[i];
			r->rest += strlen(names[i]) - 1;
		}
	if (!l)
		return sd_sim_file_words_bad(r, "an unknown level of cache");
	if (sd_sim_file_words_below(r, 1ull << 40, &l->bytes) ||
		sd_sim_file_words_unsigned(r, 65536, &l->ways) ||
		sd_sim_file_words_unsigned(r, SD_SIM_THREADS, &l->sharers))
		return -EBADMSG;
	return sd_sim_file_words_int(r, 1, &l->inclusive);
}

static int tlb(struct sd_sim_file_words *r)
{
	struct sd_sim_machine *const m = &r->f->machine;

	if (sd_sim_file_words_unsigned(r, 65536, &m->dtlb_entries) ||
		sd_sim_file_words_unsigned(r, 65536, &m->dtlb_ways) ||
		sd_sim_file_words_unsigned(r, 65536, &m->stlb_entries))
		return -EBADMSG;
	return sd_sim_file_words_unsigned(r, 65536, &m->stlb_ways);
}

static int brk_range(struct sd_sim_file_words *r)
{
	if (sd_sim_file_words_u64(r, &r->f->brk_low) || sd_sim_file_words_u64(r, &r->f->brk_high))
		return -EBADMSG;
	return r->f->brk_low <= r->f->brk_high
		       ? 0
		       : sd_sim_file_words_bad(r, "a heap that ends before it begins");
}

static int part(struct sd_sim_file_words *r)
{
	if (sd_sim_file_words_count(r, &r->f->from_s) || sd_sim_file_words_count(r, &r->f->for_s))
		return -EBADMSG;
	r->f->from_s /= 1e6;
	r->f->for_s /= 1e6;
	return 0;
}

static int total(struct sd_sim_file_words *r)
{
	double cycles = 0, seen = 0;
	double *const to[] = {&r->f->instructions, &cycles, &r->f->transfers, &seen};

	if (sd_sim_file_words_counts(r, to, 4))
		return -EBADMSG;
	r->f->cycles = SD_OK(cycles);
	r->f->n_thread_seen = (size_t)seen;
	return 0;
}

static int calls(struct sd_sim_file_words *r)
{
	double n = 0, woken = 0, locked = 0;
	double *const to[] = {&n, &woken, &locked};

	if (sd_sim_file_words_counts(r, to, 3))
		return -EBADMSG;
	r->f->system_calls = SD_OK(n);
	r->f->woken = SD_OK(woken);
	r->f->locked = SD_OK(locked);
	return 0;
}

static int sampled(struct sd_sim_file_words *r)
{
	double n;

	if (sd_sim_file_words_count(r, &n))
		return -EBADMSG;
	r->f->sampled = SD_OK(n / 1e6);
	return sd_sim_file_words_text(r, r->f->precision, sizeof r->f->precision);
}

static int thread(struct sd_sim_file_words *r)
{
	struct sd_sim_file *const f = r->f;
	double large, contiguous, shared;
	struct sd_sim_thread *t;
	struct sd_sim_file_stack *s;
	size_t n = f->n_thread;
	int rc;

	s = sd_sim_file_words_append(r, &f->stack, &n, sizeof *s, SD_SIM_THREADS, &rc);
	t = s ? sd_sim_file_words_append(
			r, &f->thread, &f->n_thread, sizeof *t, SD_SIM_THREADS, &rc)
	      : NULL;
	if (!t)
		return rc;
	if (sd_sim_file_words_int(r, INT32_MAX, &t->tid) ||
		sd_sim_file_words_unsigned(r, SD_SIM_THREADS, &t->core))
		return -EBADMSG;
	{
		double *const to[] = {&t->instructions, &t->loads, &t->stores, &t->l1_misses,
			&t->l2_misses, &t->llc_misses, &t->lines_in, &t->write_backs, &t->hitm_load,
			&t->hitm_store, &t->rfo, &t->invalidations, &t->upgrades, &t->dtlb_misses,
			&t->stlb_misses, &t->bytes_used, &t->lines_unused, &t->conflicts,
			&t->conversions, &t->pages, &large, &contiguous, &shared};

		if (sd_sim_file_words_counts(r, to, sizeof to / sizeof *to))
			return -EBADMSG;
	}
	if (contiguous > t->pages || shared > t->pages)
		return sd_sim_file_words_bad(r, "more pages of a kind than pages");
	t->pages_2m = large;
	t->contiguous = t->pages > 0 ? contiguous / t->pages : 0;
	t->shared_pages = t->pages > 0 ? shared / t->pages : 0;
	return sd_sim_file_words_u64(r, &s->low) || sd_sim_file_words_u64(r, &s->high) ? -EBADMSG
										       : 0;
}

static int events(struct sd_sim_file_words *r)
{
	r->f->modelled = 1;
	for (size_t i = 0; i < SD_MODELLED_COUNT; i++)
		if (sd_sim_file_words_count(r, &r->f->event[i]))
			return -EBADMSG;
	return 0;
}

static int distance(struct sd_sim_file_words *r)
{
	struct sd_sim_file *const f = r->f;

	if (r->distances >= f->n_thread)
		return sd_sim_file_words_bad(r, "distances of no thread");
	for (size_t i = 0; i < SD_SIM_DISTANCES; i++)
		if (sd_sim_file_words_count(r, &f->thread[r->distances].distance[i]))
			return -EBADMSG;
	r->distances++;
	return 0;
}

static int seen(struct sd_sim_file_words *r, size_t *to)
{
	double n = 0;

	if (sd_sim_file_words_count(r, &n))
		return -EBADMSG;
	*to = (size_t)n;
	return 0;
}

static int contested(struct sd_sim_file_words *r)
{
	return seen(r, &r->f->n_contested_seen);
}

static int heap(struct sd_sim_file_words *r)
{
	int lost;

	r->f->heap = 1;
	return sd_sim_file_words_count(r, &r->f->heap_stacks) || sd_sim_file_words_int(r, 1, &lost)
		       ? -EBADMSG
		       : 0;
}

static int races(struct sd_sim_file_words *r)
{
	return seen(r, &r->f->n_race_seen);
}

static int race(struct sd_sim_file_words *r)
{
	struct sd_sim_file_race *x;
	int rc;

	x = sd_sim_file_words_append(r, &r->f->race, &r->f->n_race, sizeof *x, SD_SIM_RACES, &rc);
	if (!x)
		return rc;
	if (sd_sim_file_words_u64(r, &x->address) || sd_sim_file_words_u64(r, &x->writer) ||
		sd_sim_file_words_u64(r, &x->other))
		return -EBADMSG;
	return sd_sim_file_words_unsigned(r, SD_SIM_LINE, &x->bytes);
}

static int loop(struct sd_sim_file_words *r)
{
	struct sd_sim_file_loop *l;
	int rc;

	l = sd_sim_file_words_append(r, &r->f->loop, &r->f->n_loop, sizeof *l, SD_SIM_LOOPS, &rc);
	if (!l)
		return rc;
	if (sd_sim_file_words_u64(r, &l->head) || sd_sim_file_words_u64(r, &l->end))
		return -EBADMSG;
	{
		double *const to[] = {&l->entries, &l->iterations, &l->instructions,
			&l->bytes_consumed, &l->bytes_moved};

		return sd_sim_file_words_counts(r, to, sizeof to / sizeof *to);
	}
}

static int block(struct sd_sim_file_words *r)
{
	struct sd_sim_file_block *b;
	int rc;

	b = sd_sim_file_words_append(
		r, &r->f->block, &r->f->n_block, sizeof *b, SD_SIM_BLOCKS, &rc);
	if (!b)
		return rc;
	if (sd_sim_file_words_u64(r, &b->start) || sd_sim_file_words_u64(r, &b->end))
		return -EBADMSG;
	return sd_sim_file_words_count(r, &b->runs) || sd_sim_file_words_count(r, &b->instructions)
		       ? -EBADMSG
		       : 0;
}

static int conflict(struct sd_sim_file_words *r)
{
	struct sd_sim_file_conflict *c;
	int negative, rc;
	uint64_t stride;

	c = sd_sim_file_words_append(
		r, &r->f->conflict, &r->f->n_conflict, sizeof *c, SD_SIM_CONFLICTS, &rc);
	if (!c)
		return rc;
	if (sd_sim_file_words_u64(r, &c->pc))
		return -EBADMSG;
	negative = strncmp(r->rest, " -", 2) == 0;
	r->rest += negative ? 2 : 0;
	if (sd_sim_file_words_below(r, INT64_MAX, &stride))
		return -EBADMSG;
	c->stride = negative ? -(int64_t)stride : (int64_t)stride;
	return sd_sim_file_words_count(r, &c->misses);
}

static int map(struct sd_sim_file_words *r)
{
	struct sd_sim_file_map *m;
	int rc;

	m = sd_sim_file_words_append(r, &r->f->map, &r->f->n_map, sizeof *m, SD_SIM_FILE_MAPS, &rc);
	if (!m)
		return rc;
	m->path = NULL;
	if (sd_sim_file_words_u64(r, &m->start) || sd_sim_file_words_u64(r, &m->end) ||
		sd_sim_file_words_u64(r, &m->offset) || sd_sim_file_words_int(r, 1, &m->executable))
		return -EBADMSG;
	if (m->end <= m->start)
		return sd_sim_file_words_bad(r, "a mapping that ends before it begins");
	m->path = strdup(r->rest + strspn(r->rest, " "));
	r->rest += strlen(r->rest);
	return m->path ? 0 : -ENOMEM;
}

static int end(struct sd_sim_file_words *r)
{
	r->ended = 1;
	if (strcmp(r->rest, " complete") == 0) {
		r->rest += strlen(r->rest);
		return 0;
	}
	if (strncmp(r->rest, " partial ", 9) != 0)
		return sd_sim_file_words_bad(r, "an end that is neither complete nor partial");
	r->rest += 8;
	r->f->partial = 1;
	return sd_sim_file_words_text(r, r->f->why, sizeof r->f->why);
}

static const struct {
	const char *keyword;
	int (*take)(struct sd_sim_file_words *r);
} keywords[] = {
	{"process", process},
	{"program", program},
	{"name", name},
	{"machine", machine},
	{"level", level},
	{"tlb", tlb},
	{"brk", brk_range},
	{"part", part},
	{"total", total},
	{"calls", calls},
	{"sampled", sampled},
	{"thread", thread},
	{"distance", distance},
	{"events", events},
	{"life", sd_sim_file_lives_life},
	{"wait", sd_sim_file_lives_wait},
	{"contested", contested},
	{"line", sd_sim_file_contested_line},
	{"sharer", sd_sim_file_contested_sharer},
	{"code", sd_sim_file_contested_code},
	{"site", sd_sim_file_contested_site},
	{"frame", sd_sim_file_contested_frame},
	{"heap", heap},
	{"races", races},
	{"race", race},
	{"loop", loop},
	{"block", block},
	{"conflict", conflict},
	{"map", map},
	{"end", end},
};

int sd_sim_file_lines_take(struct sd_sim_file_words *r, const char *text)
{
	const size_t word = strcspn(text, " ");
	int rc;

	if (r->ended)
		return sd_sim_file_words_bad(r, "a line after the end");
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
		if (strlen(keywords[i].keyword) != word ||
			memcmp(text, keywords[i].keyword, word) != 0)
			continue;
		r->rest = text + word;
		rc = keywords[i].take(r);
		if (rc == 0 && *r->rest)
			rc = sd_sim_file_words_bad(r, "\"%.24s\" is too much", r->rest);
		return rc;
	}
	return sd_sim_file_words_bad(r, "\"%.24s\" is not known", text);
}
