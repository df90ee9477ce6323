/* Reads `perf c2c report --stdio`: the contested lines of a run. */
#include "import/import.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/one_more.h"
#include "import/c2c_columns.h"

enum { LINE = SD_C2C_COLUMNS_LINE, OFFSETS = 64 };

/* Sums at one offset of the line. */
struct offset {
	unsigned long at;
	double hitm, stores;
	double cpus; /* the most of one row */
};

struct c2c {
	const struct sd_import_text *t;
	struct sd_import *im;
	struct sd_memory_sampled *m;
	struct sd_c2c_columns columns;
	int pareto;
	int open; /* a line is being read */
	struct sd_mem_line line;
	struct offset offset[OFFSETS];
	size_t n_offset;
	double cycles, weighed; /* sum of latencies of its loads, and how many */
	unsigned other;
};

/* ---- lines ----------------------------------------------------------------------------------- */

/*
 * Which of the line's loads met what others wrote? c2c tells offsets and how many CPUs were at
 * each, not which threads. An offset that nobody stores to, or at which one CPU alone is, is no
 * shared data; one that several CPUs store to is, unless the threads may have moved between CPUs,
 * which other offsets with stores leave open.
 */
static enum sd_sim_sharing sharing_of(const struct c2c *c)
{
	double apart = 0, same = 0, open = 0;
	size_t stored = 0;

	for (size_t i = 0; i < c->n_offset; i++)
		stored += c->offset[i].stores > 0;
	for (size_t i = 0; i < c->n_offset; i++) {
		const struct offset *const o = &c->offset[i];

		if (o->stores <= 0 || o->cpus < 2)
			apart += o->hitm;
		else if (stored == 1)
			same += o->hitm;
		else
			open += o->hitm;
	}
	if (stored == 0 || apart + same + open <= 0 || open > .2 * (apart + same + open))
		return SD_SIM_UNTOLD;
	if (apart > .8 * (apart + same))
		return SD_SIM_FALSE;
	return same > .8 * (apart + same) ? SD_SIM_TRUE : SD_SIM_MIXED;
}

static int by_moves(const void *a, const void *b)
{
	const struct sd_sim_code *x = a, *y = b;

	return (x->hitm < y->hitm) - (x->hitm > y->hitm);
}

static int end_line(struct c2c *c)
{
	struct sd_mem_line *const l = &c->line;

	if (!c->open)
		return 0;
	c->open = 0;
	c->m->n_contested_seen++;
	l->line.sharing = sharing_of(c);
	if (l->line.n_code)
		qsort(l->line.code, l->line.n_code, sizeof *l->line.code, by_moves);
	if (c->weighed > 0)
		l->cycles = SD_OK(c->cycles / c->weighed);
	if (c->m->n_contested < SD_SIM_LINES) {
		if (SD_APPEND(c->m->contested, c->m->n_contested, l))
			return -ENOMEM;
	} else {
		free(l->line.code);
	}
	*l = (struct sd_mem_line){.local = 0};
	return 0;
}

/* "      0        4     2092        0  ...  0x20ea08034080": the line itself. */
static int begin_line(struct c2c *c, const char *text)
{
	char address[LINE];
	struct sd_sim_contested *const l = &c->line.line;
	int rc = end_line(c);

	if (rc)
		return rc;
	sd_c2c_columns_cell(&c->columns, text, "offset", address);
	if (strncmp(address, "0x", 2) != 0)
		return 0;
	c->line = (struct sd_mem_line){.local = sd_c2c_columns_number(&c->columns, text, "lclhitm"),
		.remote = sd_c2c_columns_number(&c->columns, text, "rmthitm"),
		.peer = sd_c2c_columns_number(&c->columns, text, "peer")};
	l->address = strtoull(address, NULL, 16);
	l->hitm_load = c->line.local + c->line.remote + c->line.peer;
	c->n_offset = 0;
	c->cycles = c->weighed = 0;
	c->open = 1;
	return 0;
}

/* "[.] read_write_func" and "false_sharing.c:144" */
static int make_node(struct c2c *c, const char *text, unsigned *out)
{
	char symbol[LINE], object[LINE], place[LINE], *colon;
	struct sd_stacks *const s = &c->im->record.stacks;
	struct sd_frame f = {.line = 0};
	const char *function = symbol;
	unsigned frame = 0;
	int rc;

	sd_c2c_columns_cell(&c->columns, text, "symbol", symbol);
	sd_c2c_columns_cell(&c->columns, text, "object", object);
	sd_c2c_columns_cell(&c->columns, text, "source:line", place);
	if (symbol[0] == '[' && symbol[1] && symbol[2] == ']') {
		f.kernel = symbol[1] == 'k';
		function += 3 + strspn(symbol + 3, " ");
	}
	if (strncmp(function, "0x", 2) == 0) { /* no symbol: its offset in the object */
		f.offset = strtoull(function, NULL, 16);
		function = "";
	}
	colon = strrchr(place, ':');
	if (colon && isdigit((unsigned char)colon[1])) {
		f.line = (unsigned)(strtoul(colon + 1, NULL, 10) & 0xffffff);
		*colon = '\0';
		rc = sd_stacks_text(s, place, &f.file);
	} else {
		rc = 0;
	}
	rc = rc ? rc : sd_stacks_text(s, function, &f.function);
	rc = rc ? rc : sd_stacks_text(s, f.kernel ? "[kernel]" : object, &f.module);
	rc = rc ? rc : sd_stacks_frame(s, &f, &frame);
	return rc ? rc : sd_stacks_node(s, 0, frame, out);
}

static int add_code(struct c2c *c, const char *text, double hitm, int writes)
{
	struct sd_sim_contested *const l = &c->line.line;
	unsigned node = 0;
	int rc;

	if (l->n_code == SD_SIM_CODES)
		return 0;
	rc = make_node(c, text, &node);
	if (rc)
		return rc == -ENOSPC ? 0 : rc;
	return SD_APPEND(l->code, l->n_code,
		&(struct sd_sim_code){.node = node,
			.accesses = sd_c2c_columns_number(&c->columns, text, "records"),
			.hitm = hitm,
			.writes = writes});
}

static void add_offset(struct c2c *c, unsigned long at, double hitm, double stores, double cpus)
{
	size_t i = 0;

	while (i < c->n_offset && c->offset[i].at != at)
		i++;
	if (i == OFFSETS)
		return;
	if (i == c->n_offset)
		c->offset[c->n_offset++] = (struct offset){.at = at};
	c->offset[i].hitm += hitm;
	c->offset[i].stores += stores;
	c->offset[i].cpus = fmax(c->offset[i].cpus, cpus);
}

/* "  75.00%   49.62%  ...  0x8  0  1  0x400b4f  27161  ...": one place of code at an offset. */
static int take_access(struct c2c *c, const char *text)
{
	const struct sd_mem_line *const l = &c->line;
	const double rmt = sd_c2c_columns_number(&c->columns, text, "rmthitm") / 100 * l->remote,
		     lcl = sd_c2c_columns_number(&c->columns, text, "lclhitm") / 100 * l->local,
		     peer = sd_c2c_columns_number(&c->columns, text, "peer") / 100 * l->peer;
	const double stores = sd_c2c_columns_number(&c->columns, text, "l1hit") +
			      sd_c2c_columns_number(&c->columns, text, "l1miss") +
			      sd_c2c_columns_number(&c->columns, text, "n/a") +
			      sd_c2c_columns_number(&c->columns, text, "anylvl");
	char offset[LINE];

	sd_c2c_columns_cell(&c->columns, text, "offset", offset);
	if (strncmp(offset, "0x", 2) != 0) {
		c->other++;
		return 0;
	}
	add_offset(c, strtoul(offset, NULL, 16), rmt + lcl + peer, stores,
		sd_c2c_columns_number(&c->columns, text, "cnt"));
	c->cycles += rmt * sd_c2c_columns_number(&c->columns, text, "rmthitm_cycles") +
		     lcl * sd_c2c_columns_number(&c->columns, text, "lclhitm_cycles");
	c->weighed += (sd_c2c_columns_number(&c->columns, text, "rmthitm_cycles") > 0 ? rmt : 0) +
		      (sd_c2c_columns_number(&c->columns, text, "lclhitm_cycles") > 0 ? lcl : 0);
	return add_code(c, text, rmt + lcl + peer, stores > 0);
}

/* "  Load Local HITM                   :       2092" */
static void take_total(struct c2c *c, const char *text)
{
	const struct {
		const char *name;
		double *to;
	} totals[] = {{"Load Operations", &c->m->loads}, {"Store Operations", &c->m->stores},
		{"Load Local HITM", &c->m->local}, {"Load Remote HITM", &c->m->remote},
		{"Load Peer", &c->m->peer}};
	const char *const colon = strchr(text, ':');
	const size_t blanks = strspn(text, " ");

	for (size_t i = 0; colon && i < sizeof totals / sizeof *totals; i++) {
		const size_t n = strlen(totals[i].name);
		double v;

		if (strncmp(text + blanks, totals[i].name, n) == 0 &&
			strspn(text + blanks + n, " ") == (size_t)(colon - text) - blanks - n &&
			sd_number_double(colon + 1 + strspn(colon + 1, " "), 0, 1e15, &v) == 0)
			*totals[i].to = v;
	}
}

static int take_line(struct c2c *c, const char *p, size_t length)
{
	char text[LINE], num[LINE];
	size_t blanks;

	if (length >= sizeof text) {
		c->other++;
		return 0;
	}
	memcpy(text, p, length);
	text[length] = '\0';
	blanks = strspn(text, " ");
	if (strstr(text, "Shared Cache Line Distribution Pareto"))
		c->pareto = 1;
	else if (text[blanks] == '#')
		sd_c2c_columns_heading(&c->columns, text);
	else if (!c->pareto)
		take_total(c, text);
	if (!c->pareto || !text[blanks] || strchr("#=-", text[blanks]) || c->columns.n == 0 ||
		!isdigit((unsigned char)text[blanks]))
		return 0;
	/* of a line's own row the number stands in front, of its accesses nothing */
	if (isdigit((unsigned char)sd_c2c_columns_cell(&c->columns, text, "num", num)[0]))
		return begin_line(c, text);
	if (c->open)
		return take_access(c, text);
	c->other++;
	return 0;
}

static int by_hitm(const void *a, const void *b)
{
	const struct sd_mem_line *x = a, *y = b;

	return (x->line.hitm_load < y->line.hitm_load) - (x->line.hitm_load > y->line.hitm_load);
}

/* Sums the lines, where the totals were not printed. */
static void sum_up(struct sd_memory_sampled *m)
{
	double local = 0, remote = 0, peer = 0;

	for (size_t i = 0; i < m->n_contested; i++) {
		local += m->contested[i].local;
		remote += m->contested[i].remote;
		peer += m->contested[i].peer;
	}
	m->local = fmax(m->local, local);
	m->remote = fmax(m->remote, remote);
	m->peer = fmax(m->peer, peer);
	m->loads = fmax(m->loads, m->local + m->remote + m->peer);
	for (size_t i = 0; i < m->n_contested; i++) {
		struct sd_sim_contested *const l = &m->contested[i].line;

		l->share = l->hitm_load > 0 ? l->hitm_load / (m->local + m->remote + m->peer) : 0;
	}
	if (m->n_contested)
		qsort(m->contested, m->n_contested, sizeof *m->contested, by_hitm);
}

/* The largest count of the files; 0: there is none, or not this one. */
static unsigned count_of(const struct sd_import *im, unsigned cores)
{
	unsigned most = 0;

	for (size_t i = 0; i < im->record.n_run; i++) {
		if (cores && im->cores[i] == cores)
			return cores;
		most = im->cores[i] > most ? im->cores[i] : most;
	}
	return cores ? 0 : most;
}

int sd_import_c2c(struct sd_import *im, const struct sd_import_text *t, unsigned cores)
{
	struct c2c *const c = calloc(1, sizeof *c);
	struct sd_run run = {0};
	size_t at = 0, length;
	unsigned line = 0;
	const char *p;
	int rc = c ? sd_import_check(t) : -ENOMEM;

	cores = count_of(im, cores);
	if (rc == 0 && cores == 0)
		rc = sd_import_bad(t, 1, "no run of that core count is imported beside it");
	run.memory = rc ? NULL : calloc(1, sizeof *run.memory);
	if (rc || !run.memory) {
		free(c);
		return rc ? rc : -ENOMEM;
	}
	*c = (struct c2c){.t = t, .im = im, .m = run.memory};
	run.memory->status = SD_STATUS_OK;
	run.memory->line = SD_SIM_LINE;
	snprintf(run.memory->source, sizeof run.memory->source, "perf c2c");
	while (rc == 0 && (p = sd_import_line(t, &at, &length, &line)))
		rc = take_line(c, p, length);
	rc = rc ? rc : end_line(c);
	if (rc == 0 && run.memory->n_contested == 0)
		rc = sd_import_bad(t, line ? line : 1,
			"has no contested line: give what `perf c2c report --stdio` prints");
	if (rc == 0 && c->other)
		sd_say(t->sink, SD_LEVEL_WARNING, "%s: %u line%s not used: no access of a line",
			t->name, c->other, c->other == 1 ? "" : "s");
	if (rc == 0)
		sum_up(run.memory);
	rc = rc ? rc : sd_import_add(im, t, line, cores, &run);
	if (rc == 0)
		im->record.run[im->record.n_run - 1].kind = SD_RUN_MEMORY;
	free(c->line.line.code);
	free(c);
	sd_run_free(&run);
	return rc;
}
