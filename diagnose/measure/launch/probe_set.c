#include "launch/probe_set.h"

#include <errno.h>
#include <stdlib.h>

int sd_probe_set_open(struct sd_probe_set *p, const struct sd_probe *const *probes,
	const struct sd_probe_target *target, struct sd_run *run)
{
	size_t n = 0;

	*p = (struct sd_probe_set){0};
	while (probes && probes[n])
		n++;
	p->state = calloc(n + 1, sizeof *p->state);
	p->error = calloc(n + 1, sizeof *p->error);
	if (!p->state || !p->error) {
		free(p->state);
		free(p->error);
		*p = (struct sd_probe_set){0};
		return -ENOMEM;
	}
	p->probe = probes;
	p->n = n;
	for (size_t i = 0; i < n; i++) {
		p->error[i] = probes[i]->open(&p->state[i], target);
		if (p->error[i] && probes[i]->fail)
			probes[i]->fail(p->error[i], run);
	}
	return 0;
}

static int sees_switches(const struct sd_probe_set *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->error[i] && p->probe[i]->sees_switches &&
			p->probe[i]->sees_switches(p->state[i]))
			return 1;
	return 0;
}

void sd_probe_set_start(struct sd_probe_set *p)
{
	const int eased = sees_switches(p);

	for (size_t i = 0; i < p->n; i++)
		if (eased && !p->error[i] && p->probe[i]->ease)
			p->probe[i]->ease(p->state[i]);
	for (size_t i = 0; i < p->n; i++)
		if (!p->error[i] && p->probe[i]->start)
			p->probe[i]->start(p->state[i]);
}

uint64_t sd_probe_set_tick(struct sd_probe_set *p, uint64_t now_ns)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < p->n; i++) {
		uint64_t wish;

		if (p->error[i] || !p->probe[i]->tick)
			continue;
		wish = p->probe[i]->tick(p->state[i], now_ns);
		if (wish < least)
			least = wish;
	}
	return least;
}

void sd_probe_set_stop(struct sd_probe_set *p, struct sd_run *run)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->error[i] && p->probe[i]->stop)
			p->probe[i]->stop(p->state[i], run);
}

void sd_probe_set_close(struct sd_probe_set *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->error[i] && p->probe[i]->close)
			p->probe[i]->close(p->state[i]);
	free(p->state);
	free(p->error);
	*p = (struct sd_probe_set){0};
}
