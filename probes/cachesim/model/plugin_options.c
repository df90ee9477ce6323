#include "model/plugin_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/l1.h"

#define MAX_BYTES (4ull << 30)
#define FIELDS 6

void sim_options_default(struct sim_options *o)
{
	*o = (struct sim_options){
		.machine = {.name = "default",
			.cores = 4,
			.line = 64,
			.l1 = {.bytes = 32768, .ways = 8, .sharers = 1},
			.l2 = {.bytes = 1u << 20, .ways = 16, .sharers = 1},
			.llc = {.bytes = 8u << 20, .ways = 16, .sharers = 4},
			.dtlb_entries = 64,
			.dtlb_ways = 4,
			.stlb_entries = 1536,
			.stlb_ways = 12,
			.page = 4096},
		.latency = {.l2 = sd_sim_costs_usual.l2,
			.llc = sd_sim_costs_usual.llc,
			.memory = sd_sim_costs_usual.memory,
			.transfer = sd_sim_costs_usual.transfer,
			.stlb = 7,
			.walk = sd_sim_costs_usual.walk},
		.window = 10000,
	};
}

/* Decimal numbers separated by ':'; how many, 0 when it is none. */
static size_t numbers(const char *text, uint64_t value[FIELDS])
{
	size_t n = 0;

	for (;;) {
		char *end;

		if (n == FIELDS || *text < '0' || *text > '9')
			return 0;
		errno = 0;
		value[n] = strtoull(text, &end, 10);
		if (errno)
			return 0;
		n++;
		if (*end == '\0')
			return n;
		if (*end != ':')
			return 0;
		text = end + 1;
	}
}

static int take_level(
	struct sd_sim_level *l, const uint64_t *v, size_t n, int shared, unsigned cores)
{
	if (n < 2 || n > (shared ? 4 : 3) || v[0] > MAX_BYTES || v[1] > 1024 || (v[0] && !v[1]))
		return -EINVAL;
	*l = (struct sd_sim_level){
		.bytes = v[0], .ways = (unsigned)v[1], .sharers = shared ? 0 : 1};
	if (shared && n > 2) {
		if (v[2] > SIM_CORES)
			return -EINVAL;
		l->sharers = (unsigned)v[2];
	}
	if (n == (shared ? 4 : 3)) {
		if (v[n - 1] > 1)
			return -EINVAL;
		l->inclusive = (int)v[n - 1];
	}
	(void)cores;
	return 0;
}

static int take_tlb(unsigned *entries, unsigned *ways, const uint64_t *v, size_t n)
{
	if (n != 2 || v[0] > 65536 || v[1] > 65536 || (v[0] && !v[1]))
		return -EINVAL;
	*entries = (unsigned)v[0];
	*ways = (unsigned)v[1];
	return 0;
}

static int take_latency(struct sim_latency *l, const uint64_t *v, size_t n)
{
	if (n != 6)
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		if (v[i] > 100000)
			return -EINVAL;
	*l = (struct sim_latency){v[0], v[1], v[2], v[3], v[4], v[5]};
	return 0;
}

/* INSTRUCTIONS:BUS:AHEAD:FAR of the core model */
static int take_core(struct sim_options *o, const uint64_t *v, size_t n)
{
	if (n != 4 || v[0] < 1 || v[0] > 4096 || v[1] > 1000000 || v[2] > 64 || v[3] > 100000)
		return -EINVAL;
	o->instructions = v[0];
	o->bus = v[1];
	o->ahead = v[2];
	o->far = v[3];
	return 0;
}

static int take_one(uint64_t *out, const uint64_t *v, size_t n, uint64_t low, uint64_t high)
{
	if (n != 1 || v[0] < low || v[0] > high)
		return -EINVAL;
	*out = v[0];
	return 0;
}

static int take_unsigned(unsigned *out, const uint64_t *v, size_t n, unsigned low, unsigned high)
{
	uint64_t x;

	if (take_one(&x, v, n, low, high))
		return -EINVAL;
	*out = (unsigned)x;
	return 0;
}

/* A text without control characters that fits. */
static int take_text(char *out, size_t size, const char *value)
{
	const size_t n = strlen(value);

	if (!n || n >= size)
		return -EINVAL;
	for (const char *p = value; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			return -EINVAL;
	memcpy(out, value, n + 1);
	return 0;
}

static int take_switch(int *out, const uint64_t *v, size_t n)
{
	unsigned on;

	if (take_unsigned(&on, v, n, 0, 1))
		return -EINVAL;
	*out = (int)on;
	return 0;
}

static int take(struct sim_options *o, const char *name, const char *value)
{
	struct sd_sim_machine *const m = &o->machine;
	uint64_t v[FIELDS];
	const size_t n = numbers(value, v);

	if (strcmp(name, "out") == 0)
		return take_text(o->out, sizeof o->out, value);
	if (strcmp(name, "name") == 0)
		return take_text(m->name, sizeof m->name, value);
	if (strcmp(name, "function") == 0)
		return take_text(o->function, sizeof o->function, value);
	if (strcmp(name, "cores") == 0)
		return take_unsigned(&m->cores, v, n, 1, SIM_CORES);
	if (strcmp(name, "line") == 0)
		return take_unsigned(&m->line, v, n, 16, 64);
	if (strcmp(name, "l1") == 0)
		return take_level(&m->l1, v, n, 0, m->cores);
	if (strcmp(name, "l2") == 0)
		return take_level(&m->l2, v, n, 0, m->cores);
	if (strcmp(name, "llc") == 0)
		return take_level(&m->llc, v, n, 1, m->cores);
	if (strcmp(name, "dtlb") == 0)
		return take_tlb(&m->dtlb_entries, &m->dtlb_ways, v, n);
	if (strcmp(name, "stlb") == 0)
		return take_tlb(&m->stlb_entries, &m->stlb_ways, v, n);
	if (strcmp(name, "page") == 0)
		return take_unsigned(&m->page, v, n, 4096, 1u << 21);
	if (strcmp(name, "adjacent") == 0)
		return take_switch(&m->adjacent, v, n);
	if (strcmp(name, "share") == 0)
		return take_unsigned(&o->share, v, n, 1, 50);
	if (strcmp(name, "settle") == 0)
		return take_unsigned(&o->settle, v, n, 1, 50);
	if (strcmp(name, "total") == 0)
		return take_switch(&o->total, v, n);
	if (strcmp(name, "latency") == 0)
		return take_latency(&o->latency, v, n);
	if (strcmp(name, "core") == 0)
		return take_core(o, v, n);
	if (strcmp(name, "window") == 0)
		return take_one(&o->window, v, n, 1000, 10000000);
	if (strcmp(name, "from") == 0)
		return take_one(&o->from, v, n, 0, UINT64_MAX / 4);
	if (strcmp(name, "for") == 0)
		return take_one(&o->count, v, n, 1, UINT64_MAX / 4);
	if (strcmp(name, "from_ms") == 0)
		return take_one(&o->from_ms, v, n, 0, 1000000000);
	if (strcmp(name, "for_ms") == 0)
		return take_one(&o->count_ms, v, n, 1, 1000000000);
	return -ENOENT;
}

int sim_options_take(struct sim_options *o, const char *text, char *why, size_t n)
{
	const char *const eq = strchr(text, '=');
	char name[32];
	int rc;

	if (!eq || (size_t)(eq - text) >= sizeof name) {
		snprintf(why, n, "option \"%.64s\" is not NAME=VALUE", text);
		return -EINVAL;
	}
	snprintf(name, sizeof name, "%.*s", (int)(eq - text), text);
	rc = take(o, name, eq + 1);
	if (rc == -ENOENT)
		snprintf(why, n, "there is no option \"%s\"", name);
	else if (rc)
		snprintf(why, n, "%s: \"%.64s\" is not a value of it, or out of range", name,
			eq + 1);
	return rc ? -EINVAL : 0;
}

static int power_of_two(uint64_t x)
{
	return x && !(x & (x - 1));
}

/* Sets must be whole; those of L1 and the TLBs a power of two, because address bits choose them. */
static int check_level(const char *name, const struct sd_sim_level *l, unsigned line, int power,
	char *why, size_t n)
{
	const uint64_t way = (uint64_t)l->ways * line;

	if (l->bytes == 0)
		return 0;
	if (l->bytes % way || (power && !power_of_two(l->bytes / way))) {
		snprintf(why, n, "%s: %llu bytes in %u ways of %u-byte lines are not %s sets", name,
			(unsigned long long)l->bytes, l->ways, line,
			power ? "a power of two of" : "whole");
		return -EINVAL;
	}
	return 0;
}

static int check_tlb(const char *name, unsigned entries, unsigned ways, char *why, size_t n)
{
	if (entries == 0 || (entries % ways == 0 && power_of_two(entries / ways)))
		return 0;
	snprintf(why, n, "%s: %u entries in %u ways are not a power of two of sets", name, entries,
		ways);
	return -EINVAL;
}

/* Places of L1 with its sets padded to eights of ways. */
static uint64_t places_of(const struct sd_sim_machine *m)
{
	const uint64_t eights = (m->l1.ways + SIM_L1_EIGHT - 1) / SIM_L1_EIGHT;

	return m->l1.bytes / m->line / m->l1.ways * eights * SIM_L1_EIGHT;
}

int sim_options_check(const struct sim_options *o, char *why, size_t n)
{
	const struct sd_sim_machine *const m = &o->machine;

	if (!o->out[0]) {
		snprintf(why, n, "the option out=PREFIX is missing");
		return -EINVAL;
	}
	if ((o->share || o->settle) &&
		(o->from || o->count || o->from_ms || o->count_ms || o->function[0])) {
		snprintf(why, n,
			"share and settle are of the whole run, not of a part or of a function");
		return -EINVAL;
	}
	if (!power_of_two(m->line) || (m->page != 4096 && m->page != 1u << 21)) {
		snprintf(why, n, "line must be a power of two, page 4096 or 2097152");
		return -EINVAL;
	}
	if (m->l1.bytes == 0 || places_of(m) > SIM_L1_PLACES) {
		snprintf(why, n, "l1: at least a line, and at most %u, counting sets in eights",
			SIM_L1_PLACES);
		return -EINVAL;
	}
	if (check_level("l1", &m->l1, m->line, 1, why, n) ||
		check_level("l2", &m->l2, m->line, 0, why, n) ||
		check_level("llc", &m->llc, m->line, 0, why, n) ||
		check_tlb("dtlb", m->dtlb_entries, m->dtlb_ways, why, n) ||
		check_tlb("stlb", m->stlb_entries, m->stlb_ways, why, n))
		return -EINVAL;
	return 0;
}
