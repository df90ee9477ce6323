#include "simfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST 1e18 /* of any count: beyond, it is not one */
#define FIELDS 48

/* Where the reader is. `rest` is what follows the keyword of a line. */
struct reader {
	struct sd_simfile *f;
	const char *rest;
	unsigned line;
	char *why;
	size_t n;
	int ended;
	size_t distances; /* threads whose distances have come */
};

static int bad(const struct reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int bad(const struct reader *r, const char *format, ...)
{
	va_list ap;
	int at;

	if (!r->why || !r->n)
		return -EBADMSG;
	at = snprintf(r->why, r->n, "line %u: ", r->line);
	if (at < 0 || (size_t)at >= r->n)
		return -EBADMSG;
	va_start(ap, format);
	vsnprintf(r->why + at, r->n - (size_t)at, format, ap);
	va_end(ap);
	return -EBADMSG;
}

/* One word of the line as a number; hexadecimal with 0x. */
static int take_u64(struct reader *r, uint64_t *out)
{
	const char *p = r->rest;
	unsigned base = 10;
	uint64_t v = 0;

	p += *p == ' ';
	if (p[0] == '0' && p[1] == 'x') {
		base = 16;
		p += 2;
	}
	if (!*p || *p == ' ')
		return bad(r, "a number is missing");
	for (; *p && *p != ' '; p++) {
		const char *const digits = "0123456789abcdef", *const d = strchr(digits, *p);

		if (!d || (unsigned)(d - digits) >= base ||
			v > (UINT64_MAX - (uint64_t)(d - digits)) / base)
			return bad(r, "\"%.24s\" is not a number", r->rest);
		v = v * base + (uint64_t)(d - digits);
	}
	*out = v;
	r->rest = p;
	return 0;
}

static int take_count(struct reader *r, double *out)
{
	uint64_t v;

	if (take_u64(r, &v))
		return -EBADMSG;
	if ((double)v > MOST)
		return bad(r, "%" PRIu64 " is too large for a count", v);
	*out = (double)v;
	return 0;
}

static int take_below(struct reader *r, uint64_t high, uint64_t *out)
{
	if (take_u64(r, out))
		return -EBADMSG;
	return *out <= high ? 0 : bad(r, "%" PRIu64 " is more than %" PRIu64, *out, high);
}

static int take_unsigned(struct reader *r, uint64_t high, unsigned *out)
{
	uint64_t v = 0;

	if (take_below(r, high, &v))
		return -EBADMSG;
	*out = (unsigned)v;
	return 0;
}

static int take_int(struct reader *r, int high, int *out)
{
	unsigned v;

	if (take_unsigned(r, (uint64_t)high, &v))
		return -EBADMSG;
	*out = (int)v;
	return 0;
}

static int take_counts(struct reader *r, double *const *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (take_count(r, to[i]))
			return -EBADMSG;
	return 0;
}

/* The rest of the line as text; it must fit. */
static int take_text(struct reader *r, char *out, size_t size)
{
	const char *const p = r->rest + (*r->rest == ' ');
	const size_t n = strlen(p);

	if (n >= size)
		return bad(r, "a text longer than %zu bytes", size - 1);
	memcpy(out, p, n + 1);
	r->rest = p + n;
	return 0;
}

/* One more element of an array of at most `most`. NULL: no memory, or too many (-ENOMEM, -EBADMSG
 * in *rc). */
static void *append(struct reader *r, void *array, size_t *n, size_t size, size_t most, int *rc)
{
	void **const at = array;
	char *p = *at;

	*rc = 0;
	if (*n >= most) {
		*rc = bad(r, "more than %zu of its kind", most);
		return NULL;
	}
	if ((*n & (*n - 1)) == 0) { /* 0 and powers of two: room for as many again */
		p = realloc(p, (*n ? *n * 2 : 1) * size);
		if (!p) {
			*rc = -ENOMEM;
			return NULL;
		}
		*at = p;
	}
	p += (*n)++ * size;
	memset(p, 0, size);
	return p;
}

static int process(struct reader *r)
{
	if (take_int(r, INT32_MAX, &r->f->pid) || take_int(r, INT32_MAX, &r->f->parent))
		return -EBADMSG;
	return take_text(r, r->f->target, sizeof r->f->target);
}

static int program(struct reader *r)
{
	return take_text(r, r->f->program, sizeof r->f->program);
}

static int name(struct reader *r)
{
	return take_text(r, r->f->machine.name, sizeof r->f->machine.name);
}

static int machine(struct reader *r)
{
	struct sd_sim_machine *const m = &r->f->machine;

	if (take_unsigned(r, SD_SIM_THREADS, &m->cores) || take_unsigned(r, 64, &m->line) ||
		take_unsigned(r, 1u << 21, &m->page) || take_int(r, 1, &m->adjacent))
		return -EBADMSG;
	return m->cores && m->line && m->page ? 0
					      : bad(r, "a machine without cores, lines or pages");
}

static int level(struct reader *r)
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
		return bad(r, "an unknown level of cache");
	if (take_below(r, 1ull << 40, &l->bytes) || take_unsigned(r, 65536, &l->ways) ||
		take_unsigned(r, SD_SIM_THREADS, &l->sharers))
		return -EBADMSG;
	return take_int(r, 1, &l->inclusive);
}

static int tlb(struct reader *r)
{
	struct sd_sim_machine *const m = &r->f->machine;

	if (take_unsigned(r, 65536, &m->dtlb_entries) || take_unsigned(r, 65536, &m->dtlb_ways) ||
		take_unsigned(r, 65536, &m->stlb_entries))
		return -EBADMSG;
	return take_unsigned(r, 65536, &m->stlb_ways);
}

static int brk_range(struct reader *r)
{
	if (take_u64(r, &r->f->brk_low) || take_u64(r, &r->f->brk_high))
		return -EBADMSG;
	return r->f->brk_low <= r->f->brk_high ? 0 : bad(r, "a heap that ends before it begins");
}

static int part(struct reader *r)
{
	if (take_count(r, &r->f->from_s) || take_count(r, &r->f->for_s))
		return -EBADMSG;
	r->f->from_s /= 1e6;
	r->f->for_s /= 1e6;
	return 0;
}

static int total(struct reader *r)
{
	double cycles = 0, seen = 0;
	double *const to[] = {&r->f->instructions, &cycles, &r->f->transfers, &seen};

	if (take_counts(r, to, 4))
		return -EBADMSG;
	r->f->cycles = SD_OK(cycles);
	r->f->n_thread_seen = (size_t)seen;
	return 0;
}

static int thread(struct reader *r)
{
	struct sd_simfile *const f = r->f;
	double large, contiguous, shared;
	struct sd_sim_thread *t;
	struct sd_simfile_stack *s;
	size_t n = f->n_thread;
	int rc;

	s = append(r, &f->stack, &n, sizeof *s, SD_SIM_THREADS, &rc);
	t = s ? append(r, &f->thread, &f->n_thread, sizeof *t, SD_SIM_THREADS, &rc) : NULL;
	if (!t)
		return rc;
	if (take_int(r, INT32_MAX, &t->tid) || take_unsigned(r, SD_SIM_THREADS, &t->core))
		return -EBADMSG;
	{
		double *const to[] = {&t->instructions, &t->loads, &t->stores, &t->l1_misses,
			&t->l2_misses, &t->llc_misses, &t->lines_in, &t->write_backs, &t->hitm_load,
			&t->hitm_store, &t->rfo, &t->invalidations, &t->upgrades, &t->dtlb_misses,
			&t->stlb_misses, &t->bytes_used, &t->lines_unused, &t->conflicts,
			&t->conversions, &t->pages, &large, &contiguous, &shared};

		if (take_counts(r, to, sizeof to / sizeof *to))
			return -EBADMSG;
	}
	if (contiguous > t->pages || shared > t->pages)
		return bad(r, "more pages of a kind than pages");
	t->pages_2m = large;
	t->contiguous = t->pages > 0 ? contiguous / t->pages : 0;
	t->shared_pages = t->pages > 0 ? shared / t->pages : 0;
	return take_u64(r, &s->low) || take_u64(r, &s->high) ? -EBADMSG : 0;
}

static int distance(struct reader *r)
{
	struct sd_simfile *const f = r->f;

	if (r->distances >= f->n_thread)
		return bad(r, "distances of no thread");
	for (size_t i = 0; i < SD_SIM_DISTANCES; i++)
		if (take_count(r, &f->thread[r->distances].distance[i]))
			return -EBADMSG;
	r->distances++;
	return 0;
}

static int seen(struct reader *r, size_t *to)
{
	double n = 0;

	if (take_count(r, &n))
		return -EBADMSG;
	*to = (size_t)n;
	return 0;
}

static int contested(struct reader *r)
{
	return seen(r, &r->f->n_contested_seen);
}

static int line(struct reader *r)
{
	struct sd_simfile *const f = r->f;
	struct sd_simfile_contested *c;
	double separated;
	unsigned sharing;
	int rc;

	c = append(r, &f->contested, &f->n_contested, sizeof *c, SD_SIM_LINES, &rc);
	if (!c)
		return rc;
	if (take_u64(r, &c->address) || take_unsigned(r, SD_SIM_MIXED, &sharing))
		return -EBADMSG;
	c->sharing = (enum sd_sim_sharing)sharing;
	{
		double *const to[] = {
			&c->hitm_load, &c->hitm_store, &c->invalidations, &c->upgrades, &separated};

		if (take_counts(r, to, sizeof to / sizeof *to))
			return -EBADMSG;
	}
	if (c->sharing != SD_SIM_TRUE)
		c->separated = SD_OK(separated);
	return 0;
}

static int sharer(struct reader *r)
{
	struct sd_simfile *const f = r->f;
	struct sd_simfile_contested *const c =
		f->n_contested ? &f->contested[f->n_contested - 1] : NULL;
	struct sd_sim_sharer *s;
	int rc;

	if (!c)
		return bad(r, "a sharer of no line");
	s = append(r, &c->sharer, &c->n_sharer, sizeof *s, SD_SIM_SHARERS, &rc);
	if (!s)
		return rc;
	if (take_unsigned(r, SD_SIM_THREADS, &s->thread) || take_u64(r, &s->read) ||
		take_u64(r, &s->written))
		return -EBADMSG;
	if (s->thread >= f->n_thread)
		return bad(r, "a sharer that is no thread");
	{
		double *const to[] = {&s->loads, &s->stores, &s->locked, &s->hitm};

		return take_counts(r, to, sizeof to / sizeof *to);
	}
}

static int code(struct reader *r)
{
	struct sd_simfile *const f = r->f;
	struct sd_simfile_contested *const c =
		f->n_contested ? &f->contested[f->n_contested - 1] : NULL;
	struct sd_simfile_code *x;
	int rc;

	if (!c)
		return bad(r, "code of no line");
	x = append(r, &c->code, &c->n_code, sizeof *x, SD_SIM_CODES, &rc);
	if (!x)
		return rc;
	if (take_u64(r, &x->pc) || take_count(r, &x->accesses) || take_count(r, &x->hitm) ||
		take_int(r, 1, &x->writes))
		return -EBADMSG;
	return take_int(r, 1, &x->locked);
}

/* A block that the last line moved with, and the callers that asked for it. */
static int site(struct reader *r)
{
	struct sd_simfile *const f = r->f;
	struct sd_simfile_contested *const c =
		f->n_contested ? &f->contested[f->n_contested - 1] : NULL;
	struct sd_simfile_site *x;
	int rc;

	if (!c)
		return bad(r, "a block of no line");
	x = append(r, &f->site, &f->n_site, sizeof *x, SD_SIMFILE_SITES, &rc);
	if (!x)
		return rc;
	if (c->n_site++ == 0)
		c->site = f->n_site - 1;
	if (take_u64(r, &x->start) || take_u64(r, &x->bytes))
		return -EBADMSG;
	while (*r->rest == ' ' && x->n_pc < SD_SIMFILE_DEPTH)
		if (take_u64(r, &x->pc[x->n_pc++]))
			return -EBADMSG;
	return x->bytes <= UINT64_MAX - x->start ? 0 : bad(r, "a block that ends before it begins");
}

static int frame(struct reader *r)
{
	struct sd_simfile *const f = r->f;

	if (!f->n_contested)
		return bad(r, "a frame of no line");
	return take_u64(r, &f->contested[f->n_contested - 1].frame);
}

static int heap(struct reader *r)
{
	int lost;

	r->f->heap = 1;
	return take_count(r, &r->f->heap_stacks) || take_int(r, 1, &lost) ? -EBADMSG : 0;
}

static int races(struct reader *r)
{
	return seen(r, &r->f->n_race_seen);
}

static int race(struct reader *r)
{
	struct sd_simfile_race *x;
	int rc;

	x = append(r, &r->f->race, &r->f->n_race, sizeof *x, SD_SIM_RACES, &rc);
	if (!x)
		return rc;
	if (take_u64(r, &x->address) || take_u64(r, &x->writer) || take_u64(r, &x->other))
		return -EBADMSG;
	return take_unsigned(r, SD_SIM_LINE, &x->bytes);
}

static int loop(struct reader *r)
{
	struct sd_simfile_loop *l;
	int rc;

	l = append(r, &r->f->loop, &r->f->n_loop, sizeof *l, SD_SIM_LOOPS, &rc);
	if (!l)
		return rc;
	if (take_u64(r, &l->head) || take_u64(r, &l->end))
		return -EBADMSG;
	{
		double *const to[] = {&l->entries, &l->iterations, &l->instructions,
			&l->bytes_consumed, &l->bytes_moved};

		return take_counts(r, to, sizeof to / sizeof *to);
	}
}

static int block(struct reader *r)
{
	struct sd_simfile_block *b;
	int rc;

	b = append(r, &r->f->block, &r->f->n_block, sizeof *b, SD_SIM_BLOCKS, &rc);
	if (!b)
		return rc;
	if (take_u64(r, &b->start) || take_u64(r, &b->end))
		return -EBADMSG;
	return take_count(r, &b->runs) || take_count(r, &b->instructions) ? -EBADMSG : 0;
}

static int conflict(struct reader *r)
{
	struct sd_simfile_conflict *c;
	int negative, rc;
	uint64_t stride;

	c = append(r, &r->f->conflict, &r->f->n_conflict, sizeof *c, SD_SIM_CONFLICTS, &rc);
	if (!c)
		return rc;
	if (take_u64(r, &c->pc))
		return -EBADMSG;
	negative = strncmp(r->rest, " -", 2) == 0;
	r->rest += negative ? 2 : 0;
	if (take_below(r, INT64_MAX, &stride))
		return -EBADMSG;
	c->stride = negative ? -(int64_t)stride : (int64_t)stride;
	return take_count(r, &c->misses);
}

static int map(struct reader *r)
{
	struct sd_simfile_map *m;
	int rc;

	m = append(r, &r->f->map, &r->f->n_map, sizeof *m, SD_SIMFILE_MAPS, &rc);
	if (!m)
		return rc;
	m->path = NULL;
	if (take_u64(r, &m->start) || take_u64(r, &m->end) || take_u64(r, &m->offset) ||
		take_int(r, 1, &m->executable))
		return -EBADMSG;
	if (m->end <= m->start)
		return bad(r, "a mapping that ends before it begins");
	m->path = strdup(r->rest + strspn(r->rest, " "));
	r->rest += strlen(r->rest);
	return m->path ? 0 : -ENOMEM;
}

static int end(struct reader *r)
{
	r->ended = 1;
	if (strcmp(r->rest, " complete") == 0) {
		r->rest += strlen(r->rest);
		return 0;
	}
	if (strncmp(r->rest, " partial ", 9) != 0)
		return bad(r, "an end that is neither complete nor partial");
	r->rest += 8;
	r->f->partial = 1;
	return take_text(r, r->f->why, sizeof r->f->why);
}

static const struct {
	const char *keyword;
	int (*take)(struct reader *r);
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
	{"thread", thread},
	{"distance", distance},
	{"contested", contested},
	{"line", line},
	{"sharer", sharer},
	{"code", code},
	{"site", site},
	{"frame", frame},
	{"heap", heap},
	{"races", races},
	{"race", race},
	{"loop", loop},
	{"block", block},
	{"conflict", conflict},
	{"map", map},
	{"end", end},
};

static int take_line(struct reader *r, const char *text)
{
	const size_t word = strcspn(text, " ");
	int rc;

	if (r->ended)
		return bad(r, "a line after the end");
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
		if (strlen(keywords[i].keyword) != word ||
			memcmp(text, keywords[i].keyword, word) != 0)
			continue;
		r->rest = text + word;
		rc = keywords[i].take(r);
		if (rc == 0 && *r->rest)
			rc = bad(r, "\"%.24s\" is too much", r->rest);
		return rc;
	}
	return bad(r, "\"%.24s\" is not known", text);
}

static int take_lines(struct reader *r, char *text)
{
	int rc = 0;

	while (rc == 0 && *text) {
		char *const newline = strchr(text, '\n');

		r->line++;
		if (!newline)
			return bad(r, "it is cut off");
		*newline = '\0';
		if (r->line > 1)
			rc = take_line(r, text);
		else if (strcmp(text, "scalediag-sim 1") != 0)
			rc = bad(r, "not a file of this version of the simulation");
		text = newline + 1;
	}
	if (rc == 0 && (!r->ended || !r->f->machine.cores))
		return bad(r, "it is cut off");
	return rc;
}

int sd_simfile_parse(struct sd_simfile *out, const char *text, size_t size, char *why, size_t n)
{
	struct reader r = {.f = out, .why = why, .n = n};
	char *copy;
	int rc;

	memset(out, 0, sizeof *out);
	if (why && n)
		why[0] = '\0';
	if (memchr(text, '\0', size)) {
		r.line = 1;
		return bad(&r, "it holds zero bytes");
	}
	copy = malloc(size + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, size);
	copy[size] = '\0';
	rc = take_lines(&r, copy);
	free(copy);
	if (rc)
		sd_simfile_free(out);
	return rc;
}

int sd_simfile_read(struct sd_simfile *out, const char *path, char *why, size_t n)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char *text = NULL;
	struct stat st;
	size_t size = 0;
	int rc = -EBADMSG;

	memset(out, 0, sizeof *out);
	if (why && n)
		why[0] = '\0';
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 0 &&
		st.st_size <= (off_t)SD_SIMFILE_BYTES)
		text = malloc((size_t)st.st_size + 1);
	else if (why && n)
		snprintf(why, n, "line 0: not a file, or larger than %u bytes", SD_SIMFILE_BYTES);
	while (text && size < (size_t)st.st_size) {
		const ssize_t got = read(fd, text + size, (size_t)st.st_size - size);

		if (got <= 0)
			break;
		size += (size_t)got;
	}
	close(fd);
	if (text)
		rc = sd_simfile_parse(out, text, size, why, n);
	free(text);
	return rc;
}

void sd_simfile_free(struct sd_simfile *f)
{
	for (size_t i = 0; i < f->n_contested; i++) {
		free(f->contested[i].sharer);
		free(f->contested[i].code);
	}
	for (size_t i = 0; i < f->n_map; i++)
		free(f->map[i].path);
	free(f->thread);
	free(f->stack);
	free(f->contested);
	free(f->loop);
	free(f->block);
	free(f->race);
	free(f->conflict);
	free(f->site);
	free(f->map);
	memset(f, 0, sizeof *f);
}
