#include "evidence/rank_waits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code_place.h"
#include "case/stated.h"

#define SAID 3     /* sentences of who waits for whom */
#define LITTLE .05 /* of all such waits: not worth a sentence */
#define CALLS_SAID 2

/* The MPI run of the largest point's typical run; NULL: there is none. */
static const struct sd_mpi_run *run_of(const struct sd_chosen *p)
{
	const size_t middle = p->typical + p->n_typical / 2;

	if (middle < p->n_run && p->run[middle]->mpi)
		return p->run[middle]->mpi->status == SD_STATUS_OK ? p->run[middle]->mpi : NULL;
	return NULL;
}

int sd_rank_waits_divided(const struct sd_case *c)
{
	return (c->loss->known_ref & c->loss->known & SD_RUN_PARTS_RANKS) != 0;
}

/* POP times from elsewhere: nobody watched the program, and its waits in MPI are known. */
static int is_imported(const struct sd_case *c)
{
	const struct sd_run *const r = c->last->n_run ? c->last->run[0] : NULL;

	return r && (c->loss->known_ref & c->loss->known & SD_RUN_PARTS_MPI) &&
	       r->sampled.status == SD_STATUS_ABSENT && !sd_has(r->metric[SD_METRIC_POLLS]);
}

int sd_rank_waits_transfer_known(const struct sd_case *c)
{
	return sd_rank_waits_divided(c) || is_imported(c);
}

int sd_rank_waits_undivided(const struct sd_case *c)
{
	const struct sd_interval mpi = sd_stated_added(c, SD_BIT(MPI));

	return !sd_rank_waits_transfer_known(c) && mpi.status == SD_STATUS_OK && mpi.high > 0;
}

const char *sd_rank_waits_why_undivided(const struct sd_case *c)
{
	const struct sd_mpi_run *const m = run_of(c->last);

	return m && !m->divided ? m->why : NULL;
}

static void name_ranks(const struct sd_mpi_wait *w, char *out, size_t size)
{
	const unsigned span = w->last - w->first + 1;

	if (w->ranks == 1)
		snprintf(out, size, "rank %u waits", w->first);
	else if (w->ranks == span)
		snprintf(out, size, "ranks %u-%u wait", w->first, w->last);
	else if (w->ranks + 1 == span && w->peer > w->first && w->peer < w->last)
		snprintf(out, size, "all other ranks from %u to %u wait", w->first, w->last);
	else
		snprintf(out, size, "%u of the ranks %u-%u wait", w->ranks, w->first, w->last);
}

/* "ranks 1-7 wait 1.23 s for rank 0 in MPI_Allreduce(), called in sum() a.c:12" */
static void describe_wait(const struct sd_record *record, const struct sd_mpi_run *m,
	const struct sd_mpi_wait *w, char *out, size_t size)
{
	const struct sd_mpi_call_site *const site = w->site ? &m->site[w->site - 1] : NULL;
	char ranks[64], place[256] = "";

	name_ranks(w, ranks, sizeof ranks);
	if (site && site->node)
		sd_code_place_text(&record->stacks, site->node, place, sizeof place);
	snprintf(out, size, "%s %.3g s%s for rank %u%s%s%s%s%s", ranks,
		w->ranks ? w->seconds / w->ranks : 0, w->ranks > 1 ? " each" : "", w->peer,
		w->kind == SD_MPI_WAIT_LATE_RECEIVER ? " to receive" : "", site ? " in " : "",
		site ? site->call : "", site ? "()" : "", *place ? ", " : "");
	if (*place) {
		const size_t n = strlen(out);

		snprintf(out + n, size - n, "%s", place);
	}
}

void sd_rank_waits_say(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_mpi_run *const m = run_of(c->last);
	double all = 0;

	for (size_t i = 0; m && i < m->n_wait; i++)
		all += m->wait[i].seconds;
	for (size_t i = 0; m && i < m->n_wait && i < SAID; i++) {
		char text[512];

		if (m->wait[i].seconds < LITTLE * all)
			break;
		describe_wait(c->record, m, &m->wait[i], text, sizeof text);
		sd_case_say(c, f, "%s (%.0f %% of what ranks wait for each other)", text,
			100 * m->wait[i].seconds / all);
	}
}

static int by_seconds(const void *a, const void *b)
{
	const struct sd_mpi_call_site *const *x = a, *const *y = b;

	return (*x)->seconds > (*y)->seconds ? -1 : (*x)->seconds < (*y)->seconds;
}

/* The calls in which ranks spend most. 0 or -ENOMEM. */
static int list_calls(
	const struct sd_record *record, const struct sd_mpi_run *m, struct sd_texts *out)
{
	const struct sd_mpi_call_site **site;
	int rc = 0;

	/* pointers are sorted, not what they point to */
	/* NOLINTNEXTLINE(bugprone-sizeof-expression) */
	site = malloc((m->n_site + 1) * sizeof *site);
	if (!site)
		return -ENOMEM;
	for (size_t i = 0; i < m->n_site; i++)
		site[i] = &m->site[i];
	/* NOLINTNEXTLINE(bugprone-sizeof-expression) */
	qsort(site, m->n_site, sizeof *site, by_seconds);
	for (size_t i = 0; !rc && i < m->n_site && i < CALLS_SAID; i++) {
		char place[256];

		sd_code_place_text(&record->stacks, site[i]->node, place, sizeof place);
		rc = sd_texts_add(out, "%s() at %s: %.0f calls, %.3g s of all ranks", site[i]->call,
			place, site[i]->calls, site[i]->seconds);
	}
	free(site);
	return rc;
}

/* Messages sent between two ranks; *bytes: of all. */
static double count_messages(const struct sd_mpi_run *m, double *bytes)
{
	double calls = 0;

	*bytes = 0;
	for (size_t i = 0; i < m->n_site; i++) {
		*bytes += m->site[i].bytes;
		calls += m->site[i].bytes > 0 ? m->site[i].calls : 0;
	}
	return calls;
}

double sd_rank_waits_message_bytes(const struct sd_case *c)
{
	const struct sd_mpi_run *const m = run_of(c->last);
	double bytes = 0;
	const double calls = m ? count_messages(m, &bytes) : 0;

	return calls > 0 ? bytes / calls : 0;
}

void sd_rank_waits_say_calls(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_mpi_run *const m = run_of(c->last);
	struct sd_texts called = {0};
	double bytes, calls;

	if (!m)
		return;
	if (list_calls(c->record, m, &called))
		c->rc = -ENOMEM;
	for (size_t i = 0; i < called.n; i++)
		sd_case_say(c, f, "%s", called.text[i]);
	sd_texts_free(&called);
	calls = count_messages(m, &bytes);
	if (calls > 0)
		sd_case_say(c, f, "messages sent between two ranks: %.0f, mean %.0f bytes", calls,
			bytes / calls);
}

/* ---- for readers ----------------------------------------------------------------------------- */

static void put_ratios(struct sd_rank_losses *l, const struct sd_mpi_run *m)
{
	const struct sd_mpi_means of = sd_mpi_run_means(m);

	l->known = 1;
	l->divided = m->divided;
	memcpy(l->library, m->library, sizeof l->library);
	memcpy(l->why, m->why, sizeof l->why);
	l->ranks = (unsigned)m->n_rank;
	l->expected = m->expected;
	l->elapsed = m->elapsed;
	l->startup = m->startup;
	l->load_balance = of.longest > 0 ? (of.useful + of.io) / of.longest : 1;
	l->serialisation = m->ideal > 0 ? fmin(1, of.longest / m->ideal) : 1;
	l->transfer = m->elapsed > 0 ? fmin(1, m->ideal_delayed / m->elapsed) : 1;
}

/* The ranks with least and most useful time, in the order of their numbers. */
static void put_rows(struct sd_rank_losses *l, const struct sd_mpi_run *m)
{
	const struct sd_mpi_means of = sd_mpi_run_means(m);
	unsigned char *const taken = calloc(m->n_rank + 1, 1);

	for (size_t n = 0; taken && n < SD_RANK_LOSSES_ROWS && n < m->n_rank; n++) {
		size_t most = m->n_rank;

		for (size_t i = 0; i < m->n_rank; i++)
			if (!taken[i] && (most == m->n_rank ||
						 fabs(m->rank[i].useful - of.useful) >
							 fabs(m->rank[most].useful - of.useful)))
				most = i;
		taken[most] = 1;
	}
	for (size_t i = 0; taken && i < m->n_rank; i++)
		if (taken[i])
			l->row[l->n_row++] = (struct sd_rank_row){m->rank[i].rank, m->rank[i].host,
				m->rank[i].useful, m->rank[i].mpi, m->rank[i].io, m->rank[i].delay,
				m->rank[i].lost};
	free(taken);
}

static int put_nodes(struct sd_rank_losses *l, const struct sd_mpi_run *m)
{
	const double elapsed = m->elapsed > 0 ? m->elapsed : 1;

	l->node = calloc(m->n_host + 1, sizeof *l->node);
	l->share = calloc(m->n_rank + 1, sizeof *l->share);
	if (!l->node || !l->share)
		return -ENOMEM;
	for (size_t h = 0; h < m->n_host; h++) {
		struct sd_rank_node *const n = &l->node[l->n_node++];
		double longest = -1;

		memcpy(n->name, m->host[h].name, sizeof n->name);
		n->agents = m->host[h].agents;
		n->max_rss = m->host[h].max_rss;
		n->cpu = m->host[h].user;
		if (sd_has(n->cpu) && sd_has(m->host[h].system))
			n->cpu.value += m->host[h].system.value;
		n->first = l->n_share;
		n->least = INFINITY;
		for (size_t i = 0; i < m->n_rank; i++) {
			const double share = m->rank[i].useful / elapsed;

			if (m->rank[i].host != h)
				continue;
			l->share[l->n_share++] = (float)share;
			n->ranks++;
			n->lost += m->rank[i].lost != 0;
			n->mean += share;
			n->least = fmin(n->least, share);
			n->most = fmax(n->most, share);
			if (share > longest)
				n->busiest = m->rank[i].rank;
			longest = fmax(longest, share);
		}
		n->mean = n->ranks ? n->mean / n->ranks : 0;
		n->least = n->ranks ? n->least : 0;
	}
	return 0;
}

/* An MPI run was asked for, and no rank left a log. */
static void warn_unlogged(struct sd_case *c)
{
	for (size_t j = 0; c->last && j < c->last->n_run; j++) {
		const struct sd_mpi_run *const m = c->last->run[j]->mpi;

		if (!m || m->status == SD_STATUS_OK)
			continue;
		sd_case_warn(c,
			"the MPI calls of the ranks were not logged: %s. The library that logs them is "
			"preloaded, which static programs and cleared environments prevent",
			m->why);
		return;
	}
}

int sd_rank_waits_show(struct sd_case *c)
{
	const struct sd_mpi_run *const m = c->last ? run_of(c->last) : NULL;
	struct sd_rank_losses *const l = &c->a->ranks;
	int rc;

	if (!m) {
		warn_unlogged(c);
		return c->rc;
	}
	put_ratios(l, m);
	put_rows(l, m);
	rc = put_nodes(l, m);
	rc = rc ? rc : list_calls(c->record, m, &l->calls);
	for (size_t i = 0; !rc && i < m->n_wait && i < SD_RANK_LOSSES_WAITS; i++) {
		char text[512];

		describe_wait(c->record, m, &m->wait[i], text, sizeof text);
		rc = sd_texts_add(&l->waits, "%s", text);
	}
	return rc;
}
