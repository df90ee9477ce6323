#include "memory/line_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

/* Share of a line's samples that a thread must have to say how the line is used: a thread that only
 * set it up before the others began says nothing. */
#define LITTLE .02

double sd_line_table_moves(const struct sd_memline *l)
{
	return l->local + l->remote + l->peer;
}

/* ---- finding --------------------------------------------------------------------------------- */

long sd_line_table_space(struct sd_line_table *m, int pid, uint64_t time)
{
	uint64_t *const last = sd_key_table_add(&m->by_pid, (uint64_t)pid + 1, 0);

	if (!last)
		return -ENOMEM;
	if (*last) {
		size_t i = (size_t)*last - 1;

		/* what was sampled before the exec, and read after it */
		while (i > 0 && m->space[i].since > time) {
			size_t before = i - 1;

			while (before > 0 && m->space[before].pid != pid)
				before--;
			if (m->space[before].pid != pid)
				break;
			i = before;
		}
		return (long)i;
	}
	if (SD_APPEND(m->space, m->n_space, &(struct sd_memspace){.pid = pid}))
		return -ENOMEM;
	*last = m->n_space;
	return (long)m->n_space - 1;
}

int sd_line_table_exec(struct sd_line_table *m, int pid, uint64_t time)
{
	const long before = sd_line_table_space(m, pid, time);
	uint64_t *last;

	if (before < 0)
		return (int)before;
	last = sd_key_table_add(&m->by_pid, (uint64_t)pid + 1, 0);
	if (!last ||
		SD_APPEND(m->space, m->n_space, &(struct sd_memspace){.pid = pid, .since = time}))
		return -ENOMEM;
	m->space[*last - 1].gone = 1;
	*last = m->n_space;
	return 0;
}

/* Its number, SD_SIM_THREADS when there are too many; -ENOMEM. */
static long thread_of(struct sd_line_table *m, int pid, int tid)
{
	uint64_t *const at = sd_key_table_add(&m->by_thread, (uint64_t)tid + 1, (uint64_t)pid);

	if (!at)
		return -ENOMEM;
	if (*at)
		return (long)*at - 1;
	m->n_thread_seen++;
	*at = m->n_thread < SD_SIM_THREADS ? m->n_thread + 1 : SD_SIM_THREADS + 1;
	if (m->n_thread == SD_SIM_THREADS)
		return SD_SIM_THREADS;
	if (SD_APPEND(m->thread, m->n_thread, &(struct sd_memthread){.pid = pid, .tid = tid})) {
		*at = 0;
		return -ENOMEM;
	}
	return (long)m->n_thread - 1;
}

/* ---- making room ----------------------------------------------------------------------------- */

static void free_line(struct sd_memline *l)
{
	free(l->sharer);
	free(l->code);
}

/* Moved lines before others, then those of several threads, then by their samples. */
static int by_weight(const void *a, const void *b)
{
	const struct sd_memline *const x = a, *const y = b;
	const double mx = sd_line_table_moves(x), my = sd_line_table_moves(y);

	if (mx != my)
		return (mx < my) - (mx > my);
	if ((x->n_sharer > 1) != (y->n_sharer > 1))
		return (x->n_sharer > 1 ? 0 : 1) - (y->n_sharer > 1 ? 0 : 1);
	if (x->accesses != y->accesses)
		return (x->accesses < y->accesses) - (x->accesses > y->accesses);
	return (x->address > y->address) - (x->address < y->address);
}

void sd_line_table_sort(struct sd_line_table *m)
{
	if (m->n)
		qsort(m->line, m->n, sizeof *m->line, by_weight);
	sd_key_table_free(&m->by_line);
}

/* The lesser half goes. */
static int make_room(struct sd_line_table *m)
{
	sd_line_table_sort(m);
	while (m->n > SD_LINE_TABLE_MOST / 2)
		free_line(&m->line[--m->n]);
	for (size_t i = 0; i < m->n; i++) {
		uint64_t *const at =
			sd_key_table_add(&m->by_line, m->line[i].address, m->line[i].space);

		if (!at)
			return -ENOMEM;
		*at = i + 1;
	}
	return 0;
}

static struct sd_memline *line_of(struct sd_line_table *m, uint64_t address, unsigned space)
{
	uint64_t *at = sd_key_table_add(&m->by_line, address, space);

	if (at && *at)
		return &m->line[*at - 1];
	if (at && m->n == SD_LINE_TABLE_MOST) {
		if (make_room(m))
			return NULL;
		at = sd_key_table_add(&m->by_line, address, space);
	}
	if (!at ||
		SD_APPEND(m->line, m->n, &(struct sd_memline){.address = address, .space = space}))
		return NULL;
	*at = m->n;
	m->n_seen++;
	return &m->line[m->n - 1];
}

/* ---- a line ---------------------------------------------------------------------------------- */

static int add_sharer(struct sd_memline *l, unsigned thread, uint64_t bit,
	const struct sd_sampled_access *a, int moved)
{
	struct sd_sim_sharer *s = NULL;

	for (size_t i = 0; i < l->n_sharer && !s; i++)
		if (l->sharer[i].thread == thread)
			s = &l->sharer[i];
	if (!s && l->n_sharer == SD_SIM_SHARERS)
		return 0;
	if (!s) {
		if (SD_APPEND(l->sharer, l->n_sharer, &(struct sd_sim_sharer){.thread = thread}))
			return -ENOMEM;
		s = &l->sharer[l->n_sharer - 1];
	}
	*(a->store ? &s->written : &s->read) |= bit;
	*(a->store ? &s->stores : &s->loads) += 1;
	s->locked += a->locked;
	s->hitm += moved;
	return 0;
}

static int add_code(struct sd_memline *l, const struct sd_sampled_access *a, int moved)
{
	struct sd_memcode *c = NULL;

	for (size_t i = 0; i < l->n_code && !c; i++)
		if (l->code[i].pc == a->ip && l->code[i].writes == a->store &&
			l->code[i].locked == a->locked)
			c = &l->code[i];
	if (!c && l->n_code == SD_LINE_TABLE_CODES)
		return 0;
	if (!c) {
		if (SD_APPEND(l->code, l->n_code,
			    &(struct sd_memcode){
				    .pc = a->ip, .writes = a->store, .locked = a->locked}))
			return -ENOMEM;
		c = &l->code[l->n_code - 1];
	}
	c->accesses++;
	c->hitm += moved;
	return 0;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static int add_to_line(struct sd_line_table *m, const struct sd_sampled_access *a, unsigned thread)
{
	const uint64_t within = a->address & (m->bytes - 1);
	const uint64_t cell = m->bytes > SD_SIM_LINE ? m->bytes / SD_SIM_LINE : 1;
	const int moved = a->from != SD_MEMFROM_OTHER;
	const long space = sd_line_table_space(m, a->pid, a->time);
	struct sd_memline *l;
	int rc;

	if (space < 0)
		return (int)space;
	l = line_of(m, a->address - within, (unsigned)space);
	if (!l)
		return -ENOMEM;
	l->accesses++;
	l->local += a->from == SD_MEMFROM_LOCAL;
	l->remote += a->from == SD_MEMFROM_REMOTE;
	l->peer += a->from == SD_MEMFROM_PEER;
	if (moved && a->cycles > 0) {
		l->cycles += a->cycles;
		l->timed++;
	}
	rc = add_sharer(l, thread, UINT64_C(1) << within / cell, a, moved);
	return rc ? rc : add_code(l, a, moved);
}

int sd_line_table_add(struct sd_line_table *m, const struct sd_sampled_access *a)
{
	long thread;

	*(a->store ? &m->stores : &m->loads) += 1;
	m->local += a->from == SD_MEMFROM_LOCAL;
	m->remote += a->from == SD_MEMFROM_REMOTE;
	m->peer += a->from == SD_MEMFROM_PEER;
	if (a->address < m->bytes || a->pid <= 0 || a->tid <= 0) {
		m->unplaced++;
		return 0;
	}
	thread = thread_of(m, a->pid, a->tid);
	if (thread < 0)
		return (int)thread;
	if (thread == SD_SIM_THREADS) {
		m->unplaced++;
		return 0;
	}
	*(a->store ? &m->thread[thread].stores : &m->thread[thread].loads) += 1;
	m->thread[thread].hitm += a->from != SD_MEMFROM_OTHER;
	return add_to_line(m, a, (unsigned)thread);
}

/* ---- what it means --------------------------------------------------------------------------- */

enum sd_sim_sharing sd_line_table_sharing(const struct sd_memline *l)
{
	uint64_t once = 0, twice = 0, written = 0;
	unsigned threads = 0;

	for (size_t i = 0; i < l->n_sharer; i++) {
		const struct sd_sim_sharer *const s = &l->sharer[i];
		const uint64_t touched = s->read | s->written;

		if (s->loads + s->stores < LITTLE * l->accesses)
			continue;
		threads++;
		twice |= once & touched;
		once |= touched;
		written |= s->written;
	}
	if (threads < 2)
		return SD_SIM_UNTOLD;
	/* bytes that all of them only read are not what moves the line, if others are written */
	if (written && (written & ~twice))
		twice &= written;
	if (!twice)
		return SD_SIM_FALSE;
	return once & ~twice ? SD_SIM_MIXED : SD_SIM_TRUE;
}

void sd_line_table_free(struct sd_line_table *m)
{
	for (size_t i = 0; i < m->n; i++)
		free_line(&m->line[i]);
	free(m->line);
	free(m->space);
	free(m->thread);
	sd_key_table_free(&m->by_line);
	sd_key_table_free(&m->by_thread);
	sd_key_table_free(&m->by_pid);
	*m = (struct sd_line_table){.bytes = m->bytes};
}
