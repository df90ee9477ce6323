#include "evidence/evidence_os.h"

#include <stdio.h>
#include <string.h>

#include "analysis/code_place.h"
#include "analysis/kernel_lock_means.h"

/* Threads that wait at least, of the cores: less is told by the table of the report alone. */
#define LEAST (SD_CASE_GATE / 2)
#define LOCKS 2u /* told of, at most */
#define CALLS 3u /* of each */

/* The part of the time waited that one row has. */
static double part_of(const struct sd_kernel_lock_mean *row, int slept)
{
	const double share = row->wait_s > 0 ? row->slept_s / row->wait_s : 0;

	return slept ? share : 1 - share;
}

static void add_word(char *out, size_t size, const char *word)
{
	const size_t n = strlen(out);

	if (*word && !strstr(out, word))
		snprintf(out + n, size - n, "%s%s", n ? ", " : "", word);
}

struct lock {
	double now, before; /* threads that wait, on average */
	int compared;
	char calls[120], held[120], place[120];
};

/* All rows of that lock, from the first on. */
static struct lock sum_rows(
	const struct sd_case *c, const struct sd_kernel_lock_means *m, size_t first, int slept)
{
	const char *const name = m->row[first].name;
	struct lock l = {.compared = 1};
	unsigned calls = 0;

	for (size_t i = first; i < m->n_row; i++) {
		const struct sd_kernel_lock_mean *const row = &m->row[i];

		if (strcmp(row->name, name) != 0)
			continue;
		l.now += row->cores * part_of(row, slept);
		l.before += sd_has(row->at_least) ? row->at_least.value * part_of(row, slept) : 0;
		l.compared &= sd_has(row->at_least);
		if (calls++ < CALLS) {
			add_word(l.calls, sizeof l.calls, row->call);
			add_word(l.held, sizeof l.held, row->held);
		}
		if (row->node && !*l.place)
			sd_code_place_text(&c->record->stacks, row->node, l.place, sizeof l.place);
	}
	return l;
}

static int was_told(const struct sd_kernel_lock_means *m, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (strcmp(m->row[i].name, m->row[row].name) == 0)
			return 1;
	return 0;
}

static void tell(struct sd_case *c, struct sd_finding *f, const struct sd_kernel_lock_means *m,
	const char *name, const struct lock *l)
{
	char before[40] = "";

	if (l->compared)
		snprintf(before, sizeof before, ", %.2f at %u", l->before, m->least);
	sd_case_say(c, f,
		"kernel lock %s: %.2f threads wait for it on average at %u cores%s; in %s%s%s%s%s",
		name, l->now, m->cores, before, *l->calls ? l->calls : "calls that are not known",
		*l->place ? ", at " : "", l->place, *l->held ? "; held meanwhile in " : "",
		l->held);
}

void sd_evidence_kernel_locks(struct sd_case *c, struct sd_finding *f, int slept)
{
	struct sd_kernel_lock_means m;
	unsigned told = 0;

	sd_kernel_lock_means_of(c->record, &m);
	for (size_t i = 0; m.status == SD_STATUS_OK && i < m.n_row && told < LOCKS; i++) {
		struct lock l;

		if (was_told(&m, i))
			continue;
		l = sum_rows(c, &m, i, slept);
		if (l.now < LEAST * c->last->n)
			continue;
		tell(c, f, &m, m.row[i].name, &l);
		told++;
	}
}
