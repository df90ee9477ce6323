#include "fields/field_rows.h"

#include <float.h>

/* An MPI run: its ranks, call sites, and who waited for whom. */

static const char *const wait_names[SD_MPI_WAIT_COUNT] = {
#define X(id, name, meaning) [SD_MPI_WAIT_##id] = name,
	SD_MPI_WAITS(X)
#undef X
};

static int has_agents(const void *in)
{
	return ((const struct sd_mpi_host *)in)->agents != 0;
}

/* A number that agents measured; left out where there were none. */
#define OF_AGENTS(m) \
	NUMBER(sd_mpi_host, m, #m, VALUE, 0, DBL_MAX, .need = SD_FIELD_SPARSE, .there = has_agents)
static const struct sd_field host[] = {
	TEXT(sd_mpi_host, name, "name"),
	NUMBER(sd_mpi_host, agents, "agents", UNSIGNED, 0, SD_MPI_RUN_RANKS,
		.need = SD_FIELD_SPARSE, .there = has_agents),
	OF_AGENTS(user),
	OF_AGENTS(system),
	OF_AGENTS(run_delay),
	OF_AGENTS(max_rss),
};
static const struct sd_fields host_fields = TABLE(host);

static const struct sd_field rank[] = {
	NUMBER(sd_mpi_rank_time, rank, "rank", UNSIGNED, 0, SD_MPI_RUN_RANKS - 1),
	NUMBER(sd_mpi_rank_time, host, "host", UNSIGNED, 0, SD_MPI_RUN_HOSTS - 1),
	COUNT(sd_mpi_rank_time, useful),
	COUNT(sd_mpi_rank_time, mpi),
	COUNT(sd_mpi_rank_time, io),
	COUNT(sd_mpi_rank_time, delay),
	COUNT(sd_mpi_rank_time, cpu),
	COUNT(sd_mpi_rank_time, calls),
	COUNT(sd_mpi_rank_time, bytes),
	BOOL(sd_mpi_rank_time, lost, "lost", .need = SD_FIELD_SPARSE),
};
static const struct sd_fields rank_fields = TABLE(rank, .order = SD_FIELDS_RISING);

static const struct sd_field site[] = {
	TEXT(sd_mpi_call_site, call, "call"),
	NUMBER(sd_mpi_call_site, node, "node", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	COUNT(sd_mpi_call_site, calls),
	COUNT(sd_mpi_call_site, seconds),
	COUNT(sd_mpi_call_site, bytes),
};
static const struct sd_fields site_fields = TABLE(site);

static const struct sd_field wait[] = {
	NAME(sd_mpi_wait, kind, "kind", wait_names),
	NUMBER(sd_mpi_wait, site, "site", UNSIGNED, 0, SD_MPI_RUN_SITES),
	NUMBER(sd_mpi_wait, peer, "peer", UNSIGNED, 0, SD_MPI_RUN_RANKS - 1),
	NUMBER(sd_mpi_wait, first, "first", UNSIGNED, 0, SD_MPI_RUN_RANKS - 1),
	NUMBER(sd_mpi_wait, last, "last", UNSIGNED, 0, SD_MPI_RUN_RANKS - 1),
	NUMBER(sd_mpi_wait, ranks, "ranks", UNSIGNED, 1, SD_MPI_RUN_RANKS),
	COUNT(sd_mpi_wait, seconds),
	COUNT(sd_mpi_wait, count),
};
static const struct sd_fields wait_fields = TABLE(wait);

static int check_mpi(struct sd_field_in *c, const struct sd_json_path *at, const void *element,
	const void *before)
{
	const struct sd_mpi_run *const m = element;

	(void)before;
	for (size_t i = 0; i < m->n_rank; i++)
		if (m->rank[i].host >= m->n_host)
			return sd_json_path_fault(c->s, at, "has rank %u on host %u of %zu",
				m->rank[i].rank, m->rank[i].host, m->n_host);
	for (size_t i = 0; i < m->n_wait; i++)
		if (m->wait[i].site > m->n_site || m->wait[i].first > m->wait[i].last)
			return sd_json_path_fault(
				c->s, at, "has a wait at a site, or of ranks, that there are not");
	return 0;
}

static const struct sd_field mpi[] = {
	NAME(sd_mpi_run, status, "status", sd_field_rows_status),
	TEXT(sd_mpi_run, why, "why"),
	TEXT(sd_mpi_run, library, "library"),
	NUMBER(sd_mpi_run, expected, "expected", UNSIGNED, 0, 1u << 24),
	BOOL(sd_mpi_run, divided, "divided"),
	COUNT(sd_mpi_run, elapsed),
	COUNT(sd_mpi_run, ideal),
	COUNT(sd_mpi_run, ideal_delayed),
	COUNT(sd_mpi_run, startup),
	COUNT(sd_mpi_run, unmatched),
	BOOL(sd_mpi_run, launch, "launch", .need = SD_FIELD_SPARSE),
	NUMBER(sd_mpi_run, cpu, "cpu", VALUE, 0, DBL_MAX),
	ARRAY(sd_mpi_run, host, "hosts", host_fields, SD_MPI_RUN_HOSTS),
	ARRAY(sd_mpi_run, rank, "ranks", rank_fields, SD_MPI_RUN_RANKS),
	ARRAY(sd_mpi_run, site, "sites", site_fields, SD_MPI_RUN_SITES),
	NUMBER(sd_mpi_run, n_wait_seen, "waits_seen", SIZE, 0, SD_FIELD_WHOLE),
	ARRAY(sd_mpi_run, wait, "waits", wait_fields, SD_MPI_RUN_WAITS,
		.seen = offsetof(struct sd_mpi_run, n_wait_seen)),
};
const struct sd_fields sd_fields_mpi = TABLE(mpi, .check = check_mpi);
