#include "fleet/fleet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

#define SAME_FACTS_LOOK 64 /* of the last ones: a fleet has few settings */

/* No quantity of ours is negative: a file from outside may have one that is. */
static struct sd_interval only_bounded(struct sd_interval v)
{
	return sd_status_bounded(v) && v.low >= 0
		       ? v
		       : (struct sd_interval){.status = SD_STATUS_ABSENT};
}

static int is_pair(const struct sd_bench_row *r, unsigned state)
{
	char op[16], line[16];

	return strcmp(r->kernel, "transfer") == 0 && strcmp(r->unit, "ns") == 0 &&
	       r->state == state && r->cores == 2 &&
	       sd_status_bounded(only_bounded(sd_bench_row_value(r))) && r->cpus[0] &&
	       strlen(r->cpus) < SD_FLEET_CPUS_SIZE &&
	       strspn(r->cpus, "0123456789,-") == strlen(r->cpus) &&
	       sd_bench_row_key(r, "op", op, sizeof op) == 0 && strcmp(op, "load-store") == 0 &&
	       sd_bench_row_key(r, "line", line, sizeof line) == 0 && strcmp(line, "median") == 0;
}

static int add_pairs(const struct sd_profile *p, struct sd_fleet_node *out)
{
	const unsigned state = sd_profile_main_state(p);
	size_t n = 0;

	for (size_t i = 0; i < p->rows.n; i++)
		n += (size_t)is_pair(&p->rows.row[i], state);
	n = n < SD_FLEET_PAIRS_MAX ? n : SD_FLEET_PAIRS_MAX;
	out->pair = n ? calloc(n, sizeof *out->pair) : NULL;
	if (n && !out->pair)
		return -ENOMEM;
	for (size_t i = 0; i < p->rows.n && out->n_pair < n; i++)
		if (is_pair(&p->rows.row[i], state)) {
			struct sd_fleet_pair *const to = &out->pair[out->n_pair++];

			memcpy(to->cpus, p->rows.row[i].cpus, strlen(p->rows.row[i].cpus) + 1);
			to->round_trip = sd_bench_row_value(&p->rows.row[i]);
		}
	return 0;
}

int sd_fleet_node_of(const struct sd_profile *p, struct sd_fleet_node *out)
{
	const char *const memory = p->facts.text[SD_NODE_FACT_MEMORY];
	struct sd_node_facts *const facts = malloc(sizeof *facts);

	*out = (struct sd_fleet_node){.start = p->start, .quick = p->quick, .facts = facts};
	if (!facts || add_pairs(p, out) != 0) {
		sd_fleet_node_free(out);
		return -ENOMEM;
	}
	*facts = p->facts;
	snprintf(out->host, sizeof out->host, "%s", p->key.host);
	snprintf(out->group, sizeof out->group, "%s, %u CPUs%s%.40s, topology %s", p->key.cpu,
		p->granted, memory[0] ? ", " : "", memory,
		p->key.machine[0] ? p->key.machine : p->key.topology);
	out->model_length = (unsigned)strlen(p->key.cpu);
	for (size_t i = 0; i < SD_NODE_NUMBERS; i++)
		out->number[i] = only_bounded(sd_node_numbers_value(p, i));
	return 0;
}

static void free_facts(const struct sd_node_facts *facts)
{
	free((void *)(size_t)facts); /* NOLINT(performance-no-int-to-ptr) */
}

void sd_fleet_node_free(struct sd_fleet_node *node)
{
	free_facts(node->facts);
	free(node->pair);
	*node = (struct sd_fleet_node){.n_pair = 0};
}

/* The same facts that some node has already; NULL: none has. */
static const struct sd_node_facts *find_facts(
	const struct sd_fleet *fleet, const struct sd_node_facts *facts)
{
	for (size_t i = fleet->n_facts; i-- > 0 && fleet->n_facts - i <= SAME_FACTS_LOOK;)
		if (memcmp(fleet->facts[i], facts, sizeof *facts) == 0)
			return fleet->facts[i];
	return NULL;
}

/* Takes over the facts of a node alone; NULL: out of memory, and they are freed. */
static const struct sd_node_facts *keep_facts(
	struct sd_fleet *fleet, const struct sd_node_facts *facts)
{
	static const struct sd_node_facts none;
	const struct sd_node_facts *const same = find_facts(fleet, facts ? facts : &none);
	struct sd_node_facts *own;

	if (same) {
		free_facts(facts);
		return same;
	}
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	own = facts ? (struct sd_node_facts *)(size_t)facts : calloc(1, sizeof *own);
	if (own && SD_APPEND(fleet->facts, fleet->n_facts, &own)) {
		free(own);
		return NULL;
	}
	return own;
}

int sd_fleet_add(struct sd_fleet *fleet, struct sd_fleet_node *node)
{
	node->facts = keep_facts(fleet, node->facts);
	if (!node->facts || SD_APPEND(fleet->node, fleet->n, node)) {
		sd_fleet_node_free(node);
		return -ENOMEM;
	}
	*node = (struct sd_fleet_node){.n_pair = 0};
	return 0;
}

/* The newest of a host first. */
static int by_host(const void *a, const void *b)
{
	const struct sd_fleet_node *const x = a, *const y = b;
	const int order = strcmp(x->host, y->host);

	return order ? order : (x->start < y->start) - (x->start > y->start);
}

static int by_group(const void *a, const void *b)
{
	const struct sd_fleet_node *const x = a, *const y = b;
	const int order = strcmp(x->group, y->group);

	return order ? order : strcmp(x->host, y->host);
}

void sd_fleet_sort(struct sd_fleet *fleet)
{
	size_t kept = 0;

	if (!fleet->n)
		return;
	qsort(fleet->node, fleet->n, sizeof *fleet->node, by_host);
	for (size_t i = 0; i < fleet->n; i++)
		if (kept && strcmp(fleet->node[kept - 1].host, fleet->node[i].host) == 0)
			free(fleet->node[i].pair);
		else
			fleet->node[kept++] = fleet->node[i];
	fleet->n = kept;
	qsort(fleet->node, fleet->n, sizeof *fleet->node, by_group);
}

const struct sd_fleet_node *sd_fleet_find(const struct sd_fleet *fleet, const char *host)
{
	for (size_t i = 0; i < fleet->n; i++)
		if (strcmp(fleet->node[i].host, host) == 0)
			return &fleet->node[i];
	return NULL;
}

void sd_fleet_free(struct sd_fleet *fleet)
{
	for (size_t i = 0; i < fleet->n; i++)
		free(fleet->node[i].pair);
	for (size_t i = 0; i < fleet->n_facts; i++)
		free(fleet->facts[i]);
	free(fleet->node);
	free(fleet->facts);
	*fleet = (struct sd_fleet){.n = 0};
}
