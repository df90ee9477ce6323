#include "memory/event_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "symbols/code_nodes.h"

/* ---- adding ---------------------------------------------------------------------------------- */

static int append(struct sd_event_table *t, unsigned space, uint64_t ip)
{
	return SD_APPEND(t->code, t->n, &(struct sd_sampled_code){.ip = ip, .space = space});
}

int sd_event_table_add(struct sd_event_table *t, unsigned space, uint64_t ip, size_t event)
{
	uint64_t *at;

	if (t->n == 0 && append(t, 0, 0))
		return -ENOMEM;
	at = t->n < SD_EVENT_TABLE_MOST ? sd_key_table_add(&t->by_ip, ip + 1, space)
					: sd_key_table_find(&t->by_ip, ip + 1, space);
	if (!at) {
		if (t->n < SD_EVENT_TABLE_MOST)
			return -ENOMEM;
		t->code[0].samples[event]++;
		return 0;
	}
	if (*at == 0) {
		if (append(t, space, ip))
			return -ENOMEM;
		*at = t->n - 1;
	}
	t->code[*at].samples[event]++;
	return 0;
}

void sd_event_table_free(struct sd_event_table *t)
{
	free(t->code);
	sd_key_table_free(&t->by_ip);
	*t = (struct sd_event_table){0};
}

/* ---- what becomes of it ---------------------------------------------------------------------- */

static int fill_periods(const struct sd_event_table *t, const struct sd_memsource *s,
	const struct sd_counter_read_reading *read, struct sd_event_sampled *out)
{
	out->period = calloc(s->n + 1, sizeof *out->period);
	if (!out->period)
		return -ENOMEM;
	for (size_t e = 0; e < s->n; e++) {
		const double enabled = (double)read[e].enabled;
		struct sd_event_period *const p = &out->period[out->n_period++];

		*p = (struct sd_event_period){.role = s->event[e].role,
			.period = (double)s->event[e].attr.sample_period,
			.weight = s->event[e].weight,
			.precise = s->event[e].attr.precise_ip != 0,
			.count = (double)read[e].value,
			.running = enabled > 0 ? fmin(1, (double)read[e].running / enabled) : 0};
		for (size_t i = 0; i < t->n; i++)
			p->samples += t->code[i].samples[e];
	}
	return 0;
}

/* The row of a line of code and a role; SIZE_MAX: out of memory. */
static size_t place_of(struct sd_key_table *by_place, unsigned node, enum sd_role role,
	struct sd_event_sampled *out)
{
	uint64_t *const at = sd_key_table_add(by_place, (uint64_t)node + 1, (uint64_t)role);

	if (!at)
		return SIZE_MAX;
	if (*at == 0) {
		out->place[out->n_place] = (struct sd_event_place){.node = node, .role = role};
		*at = ++out->n_place;
	}
	return (size_t)*at - 1;
}

static int by_events(const void *a, const void *b)
{
	const struct sd_event_place *const x = a, *const y = b;

	if (x->role != y->role)
		return (x->role > y->role) - (x->role < y->role);
	if (x->events != y->events)
		return (x->events < y->events) - (x->events > y->events);
	return (x->node > y->node) - (x->node < y->node);
}

/* Whether a row stays, when there are too many: each role has its own share of the room. */
static void cut(struct sd_event_sampled *out)
{
	const size_t room = SD_EVENT_PLACES / SD_EVENT_PERIODS - 1;
	size_t kept = 0, of_role = 0, rest = SIZE_MAX;

	for (size_t i = 0; i < out->n_place; i++) {
		const struct sd_event_place p = out->place[i];

		if (kept == 0 || out->place[kept - 1].role != p.role) {
			of_role = 0;
			rest = SIZE_MAX;
		}
		if (of_role < room) {
			out->place[kept++] = p;
			of_role++;
			continue;
		}
		if (rest == SIZE_MAX) {
			rest = kept++;
			out->place[rest] = (struct sd_event_place){.role = p.role};
		}
		out->place[rest].samples += p.samples;
		out->place[rest].events += p.events;
	}
	out->n_place = kept;
}

static int add_code(const struct sd_sampled_code *c, const struct sd_memsource *s, unsigned node,
	struct sd_key_table *by_place, struct sd_event_sampled *out)
{
	for (size_t e = 0; e < s->n; e++) {
		const struct sd_event_period *const p = &out->period[e];
		size_t at;

		if (!(c->samples[e] > 0))
			continue;
		at = place_of(by_place, node, p->role, out);
		if (at == SIZE_MAX)
			return -ENOMEM;
		out->place[at].samples += c->samples[e];
		/* a counter that took turns missed as many samples as it missed events */
		out->place[at].events +=
			c->samples[e] * p->period * p->weight / (p->running > 0 ? p->running : 1);
	}
	return 0;
}

int sd_event_table_fill(const struct sd_event_table *t, const struct sd_line_table *spaces,
	const struct sd_memsource *source, const struct sd_counter_read_reading *read,
	struct sd_symbols *symbols, struct sd_stacks *stacks, struct sd_event_sampled *out)
{
	struct sd_key_table by_place = {0};
	int rc = fill_periods(t, source, read, out);

	out->place = rc ? NULL : calloc(t->n * source->n + 1, sizeof *out->place);
	if (!out->place)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < t->n; i++) {
		const struct sd_memspace *const space =
			i && spaces->space ? &spaces->space[t->code[i].space] : NULL;
		const struct sd_code_nodes names = {
			.symbols = symbols, .stacks = stacks, .pid = space ? space->pid : 0};
		unsigned node = 0;

		if (space && !space->gone)
			rc = sd_code_nodes_add(&names, t->code[i].ip, 0, 0, &node);
		if (!rc)
			rc = add_code(&t->code[i], source, node, &by_place, out);
	}
	sd_key_table_free(&by_place);
	if (out->n_place)
		qsort(out->place, out->n_place, sizeof *out->place, by_events);
	cut(out);
	return rc;
}
