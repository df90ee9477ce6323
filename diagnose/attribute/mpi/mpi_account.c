#include "mpi/mpi_account.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_replay.h"
#include "mpi/mpi_waits.h"

/* Spans of neighbouring ranks that are named at most. */
#define SPANS 4u

/* Times of the rank's first thread by its events. Beyond their bound the log's own sums hold. */
static struct sd_mpi_rank_time time_of(const struct sd_mpi_rank *r, unsigned host)
{
	const struct sd_mpi_log *const h = r->head;
	struct sd_mpi_rank_time t = {.rank = h->rank, .host = host, .lost = r->unfinished};
	const double on = (double)h->inside.wall - (double)h->inside.off;

	t.delay = (double)h->outside.delay * 1e-9;
	t.mpi = (double)h->inside.wall * 1e-9;
	t.useful = (double)h->outside.wall * 1e-9 - t.delay;
	for (size_t i = 0; i < r->n_event; i++)
		if (r->event[i].thread == 0 && r->event[i].kind == SD_MPI_IO)
			t.io += (double)(r->event[i].leave - r->event[i].enter) * 1e-9;
	t.mpi = fmax(0, t.mpi - t.io);
	t.useful = fmax(0, t.useful);
	t.cpu = fmax(0, ((double)h->process_cpu - on) * 1e-9);
	for (size_t i = 0; i < h->sites; i++) {
		t.calls += (double)h->site[i].calls;
		t.bytes += (double)h->site[i].bytes;
	}
	return t;
}

static void add_sites(const struct sd_mpi_rank *r, struct sd_mpi_run *run)
{
	for (size_t i = 0; i < r->head->sites; i++) {
		const struct sd_mpi_site *const s = &r->head->site[i];

		if (r->site[i] >= run->n_site)
			continue;
		run->site[r->site[i]].calls += (double)s->calls;
		run->site[r->site[i]].seconds += (double)s->ns * 1e-9;
		run->site[r->site[i]].bytes += (double)s->bytes;
	}
}

static void add_up(const struct sd_mpi_ranks *ranks, struct sd_mpi_run *run)
{
	for (size_t k = 0; k < ranks->n_rank; k++) {
		const struct sd_mpi_log *const h = ranks->rank[k].head;

		run->rank[run->n_rank++] = time_of(&ranks->rank[k], ranks->host[k]);
		run->elapsed = fmax(run->elapsed, (double)(h->final - h->inited) * 1e-9);
		run->startup = fmax(run->startup, (double)(h->inited - h->loaded) * 1e-9);
		add_sites(&ranks->rank[k], run);
	}
}

/* "ranks 2-3, 7 and 5 more": those that are marked, of n. */
static void name_marked(const unsigned char *marked, size_t n, char *out, size_t size)
{
	size_t count = 0, spans = 0, named = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		count += marked[i];
	at = (size_t)snprintf(out, size, "%s", count == 1 ? "rank " : "ranks ");
	for (size_t i = 0; i < n && spans < SPANS; i++) {
		size_t end = i;

		if (!marked[i])
			continue;
		while (end + 1 < n && marked[end + 1])
			end++;
		at += (size_t)snprintf(out + at, size - at, end > i ? "%s%zu-%zu" : "%s%zu",
			spans++ ? ", " : "", i, end);
		named += end - i + 1;
		i = end;
	}
	if (named < count)
		snprintf(out + at, size - at, " and %zu more", count - named);
}

/* The node that all of them ran on; NULL: not one alone. */
static const char *node_of_all(
	const struct sd_mpi_ranks *ranks, const struct sd_mpi_run *run, const unsigned char *marked)
{
	const char *node = NULL;

	for (size_t k = 0; k < ranks->n_rank; k++) {
		const char *const here =
			ranks->host[k] < run->n_host ? run->host[ranks->host[k]].name : NULL;

		if (!marked[ranks->rank[k].head->rank])
			continue;
		if (!here || (node && node != here))
			return NULL;
		node = here;
	}
	return node;
}

/* 1; 0: run->why says why not; -ENOMEM. */
static int can_be_divided(const struct sd_mpi_ranks *ranks, struct sd_mpi_run *run)
{
	const size_t n = ranks->expected;
	unsigned char *const missing = malloc(n + 1), *const unfinished = calloc(n + 1, 1);
	size_t folded = 0, ended = 0;
	char names[96];

	if (!missing || !unfinished) {
		free(missing);
		free(unfinished);
		return -ENOMEM;
	}
	memset(missing, 1, n);
	for (size_t k = 0; k < ranks->n_rank; k++) {
		const struct sd_mpi_rank *const r = &ranks->rank[k];

		folded += r->folded != 0;
		ended += !r->unfinished;
		missing[r->head->rank] = 0;
		unfinished[r->head->rank] = r->unfinished != 0;
	}
	if (ranks->n_rank < n) {
		name_marked(missing, n, names, sizeof names);
		snprintf(run->why, sizeof run->why, "%s of %zu left no log", names, n);
	} else if (ended < n) {
		const char *const node = node_of_all(ranks, run, unfinished);

		name_marked(unfinished, n, names, sizeof names);
		snprintf(run->why, sizeof run->why,
			"%.72s of %zu%s%.24s did not reach MPI_Finalize()", names, n,
			node ? ", on node " : "", node ? node : "");
	} else if (folded) {
		snprintf(run->why, sizeof run->why,
			"%zu of %zu ranks made more than %u MPI calls: only load balance is known",
			folded, ranks->n_rank, SD_MPI_LOG_EVENTS);
	}
	free(missing);
	free(unfinished);
	return !run->why[0];
}

static int divide(const struct sd_mpi_ranks *ranks, struct sd_mpi_run *run)
{
	struct sd_mpi_match m;
	struct sd_mpi_replayed plain, delayed;
	unsigned char *synchronous;
	int rc = sd_mpi_match_make(&m, ranks);

	if (rc == -E2BIG) {
		snprintf(run->why, sizeof run->why,
			"more than %zu MPI calls: only load balance is known", SD_MPI_MATCH_EVENTS);
		return 0;
	}
	if (rc)
		return rc;
	synchronous = malloc(m.n_event + 1);
	rc = synchronous ? sd_mpi_waits(ranks, &m, synchronous, run) : -ENOMEM;
	rc = rc ? rc : sd_mpi_replay(ranks, &m, synchronous, 0, &plain);
	rc = rc ? rc : sd_mpi_replay(ranks, &m, synchronous, 1, &delayed);
	if (!rc) {
		run->divided = 1;
		run->unmatched = (double)m.unmatched;
		run->ideal = fmin(plain.seconds, run->elapsed);
		run->ideal_delayed = fmin(fmax(delayed.seconds, run->ideal), run->elapsed);
	}
	free(synchronous);
	sd_mpi_match_free(&m);
	return rc;
}

int sd_mpi_account(const struct sd_mpi_ranks *ranks, struct sd_mpi_run *run)
{
	int rc;

	run->rank = calloc(ranks->n_rank + 1, sizeof *run->rank);
	if (!run->rank)
		return -ENOMEM;
	run->expected = (unsigned)ranks->expected;
	add_up(ranks, run);
	run->status = SD_STATUS_OK;
	rc = can_be_divided(ranks, run);
	return rc > 0 ? divide(ranks, run) : rc;
}
