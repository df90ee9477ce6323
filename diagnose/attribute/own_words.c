#include "attribute/own_words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "attribute/path_ids.h"
#include "base/one_more.h"

#define LEAST 12u /* ended waits that decide, as in lock_owners.c */
/* Share of the wake-ups for which there is one the other way. In a write group of equal threads
 * nearly all have one, if each pair meets a few times; in a pipeline none has. */
#define BOTH_WAYS (1. / 3)

struct word {
	uint64_t path; /* functions of its first wait and their callers; 0 none known */
	unsigned place, thread;
	int pid, kind; /* of the place */
	int shared;    /* by several threads */
	unsigned n;    /* threads with a word like this, of the first of these */
	unsigned both; /* twice the wake-ups with one the other way; of the first, as all below */
	unsigned ends;
};

/* A thread was woken at its word. */
struct wake {
	unsigned group; /* index of the first word */
	unsigned low, high;
	int up; /* the one with the lower number woke the other */
};

struct merger {
	struct sd_timeline *t;
	struct word *word; /* by place */
	unsigned *first;   /* by place: index of the first word like this + 1; 0 none */
	unsigned *at;      /* by thread: the same of the word where it waits now */
	struct wake *wake;
	size_t n_wake;
};

/* The path by functions: lines of calls differ within one loop. */
static int find_paths(const struct sd_stacks *s, uint64_t **out)
{
	uint64_t *const path = calloc(s->n_node + 1, sizeof *path);

	*out = path;
	for (size_t i = 1; path && i < s->n_node; i++) {
		const struct sd_frame *const f = &s->frame[s->node[i].frame];

		path[i] = sd_path_ids_step(path[s->node[i].parent], f->module,
				  f->function ? f->function : f->offset) |
			  1;
	}
	return path ? 0 : -ENOMEM;
}

static int may_be_own(const struct sd_timeline_place *p)
{
	return p->pid && p->address && p->gomp == SD_LIBGOMP_BARRIER_UNKNOWN &&
	       (p->kind == SD_ACTIVITY_CONDITION || p->kind == SD_ACTIVITY_SEMAPHORE ||
		       p->kind == SD_ACTIVITY_FUTEX);
}

static void find_words(struct merger *m, const uint64_t *path, size_t n_path)
{
	const struct sd_timeline *const t = m->t;

	for (size_t i = 0; i < t->n; i++) {
		const struct sd_moment *const now = &t->moment[i];
		struct word *w;

		if (now->kind != SD_MOMENT_OUT || !now->lock ||
			!may_be_own(&t->place[now->lock - 1]))
			continue;
		w = &m->word[now->lock - 1];
		if (!w->path) {
			w->path = now->node < n_path ? path[now->node] : 0;
			w->thread = now->thread;
		}
		w->shared |= w->thread != now->thread;
	}
}

static int by_likeness(const void *a, const void *b)
{
	const struct word *const x = a, *const y = b;

	if (x->path != y->path)
		return x->path < y->path ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->thread != y->thread ? (x->thread < y->thread ? -1 : 1)
				      : (x->place > y->place) - (x->place < y->place);
}

/* Words of the same process and kind, waited at by the same path. */
static int are_alike(const struct word *a, const struct word *b)
{
	return a->path == b->path && a->pid == b->pid && a->kind == b->kind;
}

/* How many words have others like them, of another thread. */
static size_t group_words(struct merger *m)
{
	size_t first = 0, grouped = 0;
	unsigned last = 0;

	for (size_t i = 0; i < m->t->n_place; i++) {
		m->word[i].place = (unsigned)i;
		m->word[i].pid = m->t->place[i].pid;
		m->word[i].kind = (int)m->t->place[i].kind;
	}
	qsort(m->word, m->t->n_place, sizeof *m->word, by_likeness);
	for (size_t i = 0; i < m->t->n_place; i++) {
		struct word *const w = &m->word[i];

		if (!w->path || w->shared)
			continue;
		if (!m->word[first].n || !are_alike(&m->word[first], w))
			first = i;
		m->word[first].n += i == first || w->thread != last;
		m->first[w->place] = (unsigned)first + 1;
		last = w->thread;
	}
	for (size_t i = 0; i < m->t->n_place; i++) {
		if (m->first[i] && m->word[m->first[i] - 1].n < 2)
			m->first[i] = 0;
		grouped += m->first[i] != 0;
	}
	return grouped;
}

static int find_wakes(struct merger *m)
{
	const struct sd_timeline *const t = m->t;
	int rc = 0;

	for (size_t i = 0; i < t->n && !rc; i++) {
		const struct sd_moment *const now = &t->moment[i];

		if (now->kind == SD_MOMENT_WAKE && now->thread != now->other && m->at[now->other]) {
			const int up = now->thread < now->other;
			const struct wake wake = {m->at[now->other] - 1,
				up ? now->thread : now->other, up ? now->other : now->thread, up};

			rc = SD_APPEND(m->wake, m->n_wake, &wake);
			m->at[now->other] = 0;
		}
		if (now->kind != SD_MOMENT_WAKE && now->kind != SD_MOMENT_BORN)
			m->at[now->thread] = now->kind == SD_MOMENT_OUT && now->lock
						     ? m->first[now->lock - 1]
						     : 0;
	}
	return rc;
}

static int by_pair(const void *a, const void *b)
{
	const struct wake *const x = a, *const y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->high > y->high) - (x->high < y->high);
}

static void count_wakes(struct merger *m)
{
	if (m->n_wake)
		qsort(m->wake, m->n_wake, sizeof *m->wake, by_pair);
	for (size_t i = 0; i < m->n_wake;) {
		struct word *const first = &m->word[m->wake[i].group];
		unsigned way[2] = {0, 0};
		const size_t from = i;

		for (; i < m->n_wake && by_pair(&m->wake[from], &m->wake[i]) == 0; i++)
			way[m->wake[i].up]++;
		first->ends += way[0] + way[1];
		first->both += 2 * (way[0] < way[1] ? way[0] : way[1]);
	}
}

static int is_one_place(const struct word *first)
{
	return first->ends >= LEAST && first->both >= BOTH_WAYS * first->ends;
}

/* The first words of groups get their names, and the others' waits. */
static int merge(struct merger *m, struct sd_stacks *stacks)
{
	struct sd_timeline *const t = m->t;
	int rc = 0;

	for (size_t i = 0; i < t->n_place && !rc; i++) {
		const struct word *const w = &m->word[i];
		char name[64];

		if (m->first[w->place] != i + 1 || !is_one_place(w))
			continue;
		snprintf(name, sizeof name, "a word of each of %u threads", w->n);
		rc = sd_stacks_text(stacks, name, &t->place[w->place].name);
		rc = rc == -ENOSPC ? 0 : rc;
	}
	for (size_t i = 0; i < t->n && !rc; i++) {
		struct sd_moment *const now = &t->moment[i];
		const unsigned first =
			now->kind == SD_MOMENT_OUT && now->lock ? m->first[now->lock - 1] : 0;

		if (first && is_one_place(&m->word[first - 1]))
			now->lock = m->word[first - 1].place + 1;
	}
	return rc;
}

int sd_own_words_merge(struct sd_timeline *t, struct sd_stacks *stacks)
{
	struct merger m = {.t = t};
	uint64_t *path = NULL;
	int rc;

	if (!stacks || t->n_place < 2)
		return 0;
	m.word = calloc(t->n_place, sizeof *m.word);
	m.first = calloc(t->n_place, sizeof *m.first);
	m.at = calloc(t->n_thread + 1, sizeof *m.at);
	rc = m.word && m.first && m.at ? find_paths(stacks, &path) : -ENOMEM;
	if (!rc) {
		find_words(&m, path, stacks->n_node);
		rc = group_words(&m) > 0 ? find_wakes(&m) : 0;
	}
	if (!rc && m.n_wake) {
		count_wakes(&m);
		rc = merge(&m, stacks);
	}
	free(path);
	free(m.word);
	free(m.first);
	free(m.at);
	free(m.wake);
	return rc;
}
