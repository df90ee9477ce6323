#include "fleet/fleet_cause.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Families of numbers, a bit each. */
enum family {
	STREAM = 1,         /* memory bandwidth */
	MEMORY_LATENCY = 2, /* a load from memory */
	CACHE_LATENCY = 4,  /* a load from a core's own caches: counted in its cycles */
	SHARED_LATENCY = 8, /* a load from the cache that cores share */
	TRANSFER = 16,      /* a line from core to core */
	CLOCK = 32,
	ANY = 63,
};

static const struct {
	const char *begins;
	enum family family;
} families[] = {
	{"latency.l1", CACHE_LATENCY},
	{"latency.l2", CACHE_LATENCY},
	{"latency.llc", SHARED_LATENCY},
	{"latency.dram", MEMORY_LATENCY},
	{"transfer", TRANSFER},
	{"clock", CLOCK},
	{"", STREAM},
};

/* A setting that bears on numbers of these families; `enough`: what moved needs no other reason. */
static const struct {
	enum sd_node_fact fact;
	unsigned bears_on;
	int enough;
} settings[] = {
	{SD_NODE_FACT_GOVERNOR, ANY, 1},
	{SD_NODE_FACT_TURBO, ANY, 1},
	{SD_NODE_FACT_SMT, ANY, 1},
	{SD_NODE_FACT_THP, STREAM | MEMORY_LATENCY | SHARED_LATENCY, 1},
	{SD_NODE_FACT_MODULES, STREAM | MEMORY_LATENCY, 1},
	{SD_NODE_FACT_NUMA, STREAM | MEMORY_LATENCY | SHARED_LATENCY | TRANSFER, 1},
	{SD_NODE_FACT_NUMA_BALANCING, STREAM | MEMORY_LATENCY, 1},
	{SD_NODE_FACT_BOOT, ANY, 0},
	{SD_NODE_FACT_BIOS, ANY, 0},
	{SD_NODE_FACT_MICROCODE, ANY, 0},
	{SD_NODE_FACT_KERNEL, ANY, 0},
};

/* Causes where no setting tells, by what became worse and what did not: the first that fits. */
static const struct {
	unsigned worse, right;
	const char *says;
} patterns[] = {
	{STREAM | MEMORY_LATENCY | CACHE_LATENCY, 0,
		"all of it is slow: other load on the node, or a limit of power or temperature"},
	{CACHE_LATENCY, 0,
		"its cores are slow, and what they wait for: the clock is held down, by power, "
		"temperature or firmware"},
	{CLOCK, 0, "the clock falls when all cores are busy: a limit of power or temperature"},
	{STREAM, MEMORY_LATENCY,
		"bandwidth is low and latency right: a memory channel or module is slow or missing "
		"(dmidecode -t memory; EDAC counters)"},
	{STREAM | MEMORY_LATENCY, 0,
		"memory is slow in bandwidth and latency: its modules run at a lower speed, or with "
		"other timings"},
	{MEMORY_LATENCY, STREAM,
		"latency of memory is high and bandwidth right: the size of pages, memory timings, or "
		"a prefetcher setting"},
	{TRANSFER, STREAM | MEMORY_LATENCY,
		"lines pass slowly between cores while memory is right: a slow core, or the link "
		"between them"},
	{SHARED_LATENCY, 0, "the shared cache is slow: its clock, or its partitions"},
};

static enum family family_of(const struct sd_fleet_finding *f)
{
	const char *const name = sd_fleet_finding_name(f);
	size_t i = 0;

	while (strncmp(name, families[i].begins, strlen(families[i].begins)) != 0)
		i++;
	return families[i].family;
}

/* ---- what most have -------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *most_frequent(const char **text, size_t n)
{
	const char *best = "";
	size_t most = n / 2;

	qsort(text, n, sizeof *text, by_text);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && strcmp(text[i], text[end]) == 0;)
			end++;
		if (end - i > most) {
			most = end - i;
			best = text[i];
		}
	}
	return best;
}

int sd_fleet_usual_of(const struct sd_fleet *fleet, const struct sd_fleet_group *group,
	struct sd_fleet_usual *out)
{
	const size_t n = group->end - group->first;
	const char **const text = calloc(n + 1, sizeof *text);

	*out = (struct sd_fleet_usual){{NULL}};
	for (int k = 0; k < SD_NODE_FACT_COUNT; k++) {
		for (size_t i = 0; text && i < n; i++)
			text[i] = fleet->node[group->first + i].facts->text[k];
		out->text[k] = text ? most_frequent(text, n) : "";
	}
	free(text);
	return text ? 0 : -ENOMEM;
}

static int differs(
	const struct sd_fleet_node *node, const struct sd_fleet_usual *usual, enum sd_node_fact k)
{
	return usual->text[k][0] && node->facts->text[k][0] &&
	       strcmp(node->facts->text[k], usual->text[k]) != 0;
}

/* ---- in words -------------------------------------------------------------------------------- */

static int has_word(const char *text, const char *word, size_t n)
{
	for (const char *at = text; (at = strstr(at, word)) != NULL; at += n)
		if ((at == text || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' '))
			return 1;
	return 0;
}

/* The words of `of` that `than` does not have; "none of its own". */
static void extra_words(const char *of, const char *than, char *out, size_t size)
{
	char word[SD_NODE_FACT_SIZE];

	out[0] = '\0';
	for (size_t n; *of; of += n + (of[n] == ' ')) {
		const size_t used = strlen(out);

		n = strcspn(of, " ");
		snprintf(word, sizeof word, "%.*s", (int)n, of);
		if (n && !has_word(than, word, n))
			snprintf(out + used, size - used, "%s%s", used ? " " : "", word);
	}
	if (!out[0])
		snprintf(out, size, "nothing more");
}

static int add_setting(const struct sd_fleet_node *node, const struct sd_fleet_usual *usual,
	enum sd_node_fact k, struct sd_texts *out)
{
	char own[200], theirs[200];

	if (k != SD_NODE_FACT_BOOT)
		return sd_texts_add(out, "%s: %.200s, its like have %.200s", sd_node_fact_label[k],
			node->facts->text[k], usual->text[k]);
	extra_words(node->facts->text[k], usual->text[k], own, sizeof own);
	extra_words(usual->text[k], node->facts->text[k], theirs, sizeof theirs);
	return sd_texts_add(out, "%s: %s, its like have %s", sd_node_fact_label[k], own, theirs);
}

int sd_fleet_settings(
	const struct sd_fleet_node *node, const struct sd_fleet_usual *usual, struct sd_texts *out)
{
	int rc = 0;

	for (int k = 0; rc == 0 && k < SD_NODE_FACT_COUNT; k++)
		if (differs(node, usual, (enum sd_node_fact)k))
			rc = add_setting(node, usual, (enum sd_node_fact)k, out);
	return rc;
}

/* The pair of cores that lies farthest from the others' median; NULL: none was found. */
static const struct sd_fleet_pair *worst_pair(
	const struct sd_fleet *fleet, const struct sd_fleet_finding *first, size_t n)
{
	const struct sd_fleet_pair *worst = NULL;
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		const struct sd_fleet_pair *pair;
		double by;

		if (first[i].number != SD_FLEET_TRANSFER_PAIR)
			continue;
		pair = &fleet->node[first[i].node].pair[first[i].pair];
		by = pair->round_trip.value / first[i].median;
		if (by > most) {
			most = by;
			worst = pair;
		}
	}
	return worst;
}

static int add_pattern(const struct sd_fleet *fleet, const struct sd_fleet_finding *first, size_t n,
	unsigned worse, struct sd_texts *out)
{
	const struct sd_fleet_pair *const pair = worst_pair(fleet, first, n);

	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if ((worse & patterns[i].worse) == patterns[i].worse &&
			!(worse & patterns[i].right))
			return patterns[i].worse == TRANSFER && pair
				       ? sd_texts_add(out, "%s; the worst pair is CPUs %s",
						 patterns[i].says, pair->cpus)
				       : sd_texts_add(out, "%s", patterns[i].says);
	return sd_texts_add(
		out, worse ? "no pattern that is known"
			   : "it is better than its like: another setting, or other parts");
}

int sd_fleet_causes(const struct sd_fleet *fleet, const struct sd_fleet_usual *usual,
	const struct sd_fleet_finding *first, size_t n, struct sd_texts *out)
{
	const struct sd_fleet_node *const node = n ? &fleet->node[first->node] : NULL;
	unsigned moved = 0, worse = 0;
	int rc = 0, enough = 0;

	for (size_t i = 0; i < n; i++) {
		moved |= family_of(&first[i]);
		worse |= sd_fleet_finding_worse(fleet, &first[i]) ? family_of(&first[i]) : 0;
	}
	for (size_t i = 0; rc == 0 && n && i < sizeof settings / sizeof *settings; i++)
		if (moved & settings[i].bears_on && differs(node, usual, settings[i].fact)) {
			rc = add_setting(node, usual, settings[i].fact, out);
			enough |= settings[i].enough;
		}
	return rc == 0 && n && !enough ? add_pattern(fleet, first, n, worse, out) : rc;
}

void sd_fleet_alone(const struct sd_fleet *fleet, const struct sd_fleet_findings *findings,
	size_t node, char *out, size_t size)
{
	const struct sd_fleet_node *const alone = &fleet->node[node];
	const struct sd_fleet_group *const own = sd_fleet_findings_group(findings, node);
	const struct sd_fleet_group *most = NULL;

	for (size_t i = 0; i < findings->n_group; i++) {
		const struct sd_fleet_group *const g = &findings->group[i];
		const struct sd_fleet_node *const other = &fleet->node[g->first];

		if (g != own && other->model_length == alone->model_length &&
			memcmp(other->group, alone->group, alone->model_length) == 0 &&
			(!most || g->end - g->first > most->end - most->first))
			most = g;
	}
	if (most && most->end - most->first >= SD_FLEET_LEAST_NODES)
		snprintf(out, size,
			"not like the %zu others of its CPU model: it has%.200s, they have%.200s",
			most->end - most->first, alone->group + alone->model_length + 1,
			fleet->node[most->first].group + alone->model_length + 1);
	else if (own->end - own->first >= SD_FLEET_LEAST_NODES)
		snprintf(out, size, "no number that %d nodes of its like have: %.200s",
			SD_FLEET_LEAST_NODES, alone->group);
	else
		snprintf(out, size, "only %zu of %d nodes that a judgement takes: %.200s",
			own->end - own->first, SD_FLEET_LEAST_NODES, alone->group);
}
